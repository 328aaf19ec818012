//! Payouts of withdrawals: a provider that takes its time or can't pay, and a process that dies on the way.

use std::{sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use stakeboard_server::{
    bus::Connections,
    clock::Clock,
    ids::WithdrawalId,
    money::Cents,
    wallet::{PaymentProvider, Payout, PayoutAnswer, Wallet, WalletSettings, WebhookKeys},
};
use stakeboard_tests::TestServer;
use tokio::sync::{Notify, mpsc};
use tokio_util::task::TaskTracker;

use super::{approve, cancel, cashier, holdings, newest, reject, requested, withdraw};
use crate::support::{check_books, eventually, transfers_of};

#[tokio::test(flavor = "multi_thread")]
async fn w4_a_withdrawal_outlives_the_process_at_every_step() {
    let server = TestServer::start().await;
    let (_, desk) = cashier(&server).await;
    let (player, client) = server.player(900).await;
    let (waiting, waits) = server.player(900).await;
    let (submitted, submits) = server.player(900).await;
    let (approved_id, waiting_id, submitted_id) =
        (requested(&client, 900).await, requested(&waits, 900).await, requested(&submits, 900).await);
    // As a process leaves them that died after the commit of the decision, and after that of the submission.
    for (id, steps) in [(&approved_id, &["approved"][..]), (&submitted_id, &["approved", "submitted"][..])] {
        for step in steps {
            sqlx::query(
                "update withdrawals set status = $2, decided_by = $3, decided_at = now(),
                     submitted_at = case $2 when 'submitted' then now() end where id = $1::uuid",
            )
            .bind(id)
            .bind(step)
            .bind(player.id.0)
            .execute(&server.registrar.pool)
            .await
            .unwrap();
        }
    }
    server.registrar.verify_ledger().await;
    drop(desk);
    let server = server.restart().await;
    let (_, desk) = cashier(&server).await;
    for done in [&player, &submitted] {
        let client = server.client().of(done);
        eventually("what was on its way is paid", || async { newest(&client).await == "paid" }).await;
        assert_eq!(holdings(&client).await, (0, 0));
    }
    let client = server.client().of(&waiting);
    assert_eq!(newest(&client).await, "requested");
    approve(&desk, &waiting_id).await.expect(200);
    for paid in [&player, &submitted, &waiting] {
        assert_eq!(transfers_of(&server.registrar.pool, paid, "withdrawal").await, 1);
    }
    check_books(&server.registrar, 0).await;
    server.stop().await;
}

/// A provider that takes its time, and notes every key it was asked under.
struct Slow {
    asked: mpsc::UnboundedSender<Payout>,
    answer: PayoutAnswer,
    go: Notify,
}

impl PaymentProvider for Slow {
    fn has_deposits_at_once(&self) -> bool {
        true
    }

    fn pay_out<'a>(&'a self, payout: &'a Payout) -> BoxFuture<'a, PayoutAnswer> {
        Box::pin(async {
            self.asked.send(payout.clone()).unwrap();
            self.go.notified().await;
            self.answer.clone()
        })
    }

    fn can_be_asked_again(&self) -> bool {
        true
    }
}

/// The wallet of a process with a slow provider, beside the server.
fn slow_wallet(server: &TestServer, answer: PayoutAnswer) -> (Wallet, Arc<Slow>, mpsc::UnboundedReceiver<Payout>) {
    let (asked, asks) = mpsc::unbounded_channel();
    let provider = Arc::new(Slow { asked, answer, go: Notify::new() });
    let (presence, wallets) = (mpsc::unbounded_channel().0, mpsc::unbounded_channel().0);
    let connections = Arc::new(Connections::new(Clock::start(), 10, presence, wallets));
    let settings = WalletSettings {
        currency: "BRL".into(),
        deposit_max: Cents(1_000_000),
        withdrawal_cancellation: true,
        identity_for_withdrawals: false,
        webhook_keys: WebhookKeys::default(),
    };
    let wallet =
        Wallet::new(server.registrar.pool.clone(), connections, TaskTracker::new(), settings, provider.clone());
    (wallet, provider, asks)
}

/// B22: a payout that takes minutes, a player who tries again, and a second process that takes it up meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn b22_a_slow_payout_is_asked_for_under_one_key_and_paid_once() {
    let server = TestServer::start().await;
    let (_, client) = server.player(2_000).await;
    let (staff, desk) = cashier(&server).await;
    let (one, slow_one, mut asks_one) = slow_wallet(&server, PayoutAnswer::Paid);
    let (two, slow_two, mut asks_two) = slow_wallet(&server, PayoutAnswer::Paid);
    let id = requested(&client, 1_500).await;
    let key: WithdrawalId = id.parse().unwrap();
    let approving = {
        let one = one.clone();
        tokio::spawn(async move { stakeboard_server::admin::withdrawals::approve(&one, staff.id, key, None).await })
    };
    assert_eq!(asks_one.recv().await.unwrap().key, key);
    let answered = approving.await.unwrap().unwrap();
    assert_eq!(answered.status.as_str(), "submitted", "the answer does not wait for the provider");

    withdraw(&client, 500).await.refused(409, "withdrawal_open");
    cancel(&client, &id).await.refused(409, "withdrawal_decided");
    approve(&desk, &id).await.refused(409, "withdrawal_decided");
    reject(&desk, &id).await.refused(409, "withdrawal_decided");
    let taking_up = tokio::spawn(async move { two.pay_out_due(Duration::ZERO).await });
    let again = asks_two.recv().await.unwrap();
    assert_eq!((again.key, again.amount), (key, Cents(1_500)), "the same payout under the same key");
    assert_eq!(holdings(&client).await, (500, 1_500));

    slow_two.go.notify_one();
    taking_up.await.unwrap().unwrap();
    slow_one.go.notify_one();
    one.tasks().close();
    one.tasks().wait().await;
    assert_eq!(newest(&client).await, "paid");
    assert_eq!(holdings(&client).await, (500, 0));
    one.pay_out(key).await.unwrap();
    assert!(asks_one.try_recv().is_err() && asks_two.try_recv().is_err(), "nobody is asked about what has ended");
    check_books(&server.registrar, 500).await;
    server.stop().await;
}

/// B17: a payout that failed for good gives the money back; the next one is another withdrawal.
#[tokio::test(flavor = "multi_thread")]
async fn b17_what_the_provider_can_not_pay_goes_back() {
    let server = TestServer::start().await;
    let (_, client) = server.player(2_000).await;
    let (staff, _) = cashier(&server).await;
    let (wallet, slow, _asks) = slow_wallet(&server, PayoutAnswer::Failed("account closed".into()));
    let id = requested(&client, 1_500).await;
    slow.go.notify_one();
    let key: WithdrawalId = id.parse().unwrap();
    let failed = stakeboard_server::admin::withdrawals::approve(&wallet, staff.id, key, None).await.unwrap();
    assert_eq!((failed.status.as_str(), failed.failure.as_deref()), ("failed", Some("account closed")));
    assert_eq!(holdings(&client).await, (2_000, 0));
    wallet.pay_out(key).await.unwrap();
    assert_eq!(newest(&client).await, "failed");
    requested(&client, 2_000).await;
    check_books(&server.registrar, 2_000).await;
    server.stop().await;
}
