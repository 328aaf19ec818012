//! Approved withdrawals on their way through the payment provider (W-4).
//!
//! The provider is asked outside of any transaction, after the withdrawal was committed as `submitted`: a process that
//! dies on the way leaves a withdrawal that is asked for again under the same key, or that a callback ends. It is
//! never asked for under another.

use std::time::Duration;

use crate::{
    db,
    ids::WithdrawalId,
    wallet::{
        Wallet,
        provider::{Payout, PayoutAnswer},
        withdrawals::{Held, Step, find, take},
    },
};

/// How often payouts that were left on the way are looked for.
const ROUND: Duration = Duration::from_mins(1);
/// How many are taken on in one round.
const AT_ONCE: i64 = 100;

impl Wallet {
    /// Brings an approved withdrawal to the provider, and to its end where the answer is one. What is known already is
    /// not done again.
    pub async fn pay_out(&self, id: WithdrawalId) -> Result<(), sqlx::Error> {
        let Some(held) = self.submit(id).await? else { return Ok(()) };
        let payout =
            Payout { key: held.id, player: held.player, amount: held.amount, currency: self.settings.currency.clone() };
        match self.provider.pay_out(&payout).await {
            PayoutAnswer::Unknown => Ok(()),
            PayoutAnswer::Paid => self.end(held, Step::Pay).await,
            PayoutAnswer::Failed(why) => self.end(held, Step::Fail(why)).await,
        }
    }

    /// Commits that the provider is about to be asked. `None` where there is nothing to ask.
    async fn submit(&self, id: WithdrawalId) -> Result<Option<Held>, sqlx::Error> {
        let again = self.provider.can_be_asked_again();
        db::in_transaction(&self.pool, |tx| {
            Box::pin(async move {
                let Some(held) = find(tx, id).await? else { return Ok(None) };
                if take(tx, &held, &Step::Submit).await? {
                    return Ok(Some(held));
                }
                let under_way = sqlx::query_scalar!(
                    r#"select exists (select from withdrawals where id = $1 and status = 'submitted') as "under_way!""#,
                    id.0
                )
                .fetch_one(&mut **tx)
                .await?;
                Ok((again && under_way).then_some(held))
            })
        })
        .await
    }

    async fn end(&self, held: Held, step: Step) -> Result<(), sqlx::Error> {
        let ended = db::in_transaction(&self.pool, |tx| {
            let step = step.clone();
            Box::pin(async move { take(tx, &held, &step).await })
        })
        .await?;
        if ended {
            self.connections.wallet_changed(held.player);
        }
        Ok(())
    }

    /// Takes up the payouts that were left on the way: approved and never submitted, or submitted without an answer.
    /// Those of the last `since` are left to whoever is at it.
    pub async fn pay_out_due(&self, since: Duration) -> Result<(), sqlx::Error> {
        let due = sqlx::query_scalar!(
            r#"select id as "id: WithdrawalId" from withdrawals
               where (status = 'approved' or (status = 'submitted' and $1))
                   and coalesce(submitted_at, decided_at) <= clock_timestamp() - make_interval(secs => $2)
               order by id limit $3"#,
            self.provider.can_be_asked_again(),
            since.as_secs_f64(),
            AT_ONCE
        )
        .fetch_all(&self.pool)
        .await?;
        for id in due {
            // One that can't go on does not keep the others from it.
            if let Err(error) = self.pay_out(id).await {
                tracing::error!(withdrawal = %id, %error, "a payout could not be taken up; it will be tried in a minute");
            }
        }
        Ok(())
    }
}

/// Takes up payouts that were left on the way: at the start, and from then on in rounds.
pub async fn keep_paying_out(wallet: Wallet) {
    let mut since = Duration::ZERO;
    let mut looking = db::Lasting::new(
        "payouts that were left on the way can't be looked for",
        "payouts that were left on the way are looked for again",
    );
    loop {
        looking.tried(&wallet.pay_out_due(since).await);
        since = ROUND;
        tokio::time::sleep(ROUND).await;
    }
}
