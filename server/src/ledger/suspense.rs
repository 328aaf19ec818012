//! Money that came in, or went out, and fits nothing (L-2, W-2).

use crate::{
    db::Tx,
    ids::{AccountId, TransferId},
    money::Cents,
};

/// Which way money went that fits nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It came in.
    In,
    /// It went out.
    Out,
}

impl Direction {
    /// As it is stored and sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
        }
    }
}

/// Books money under `suspense`, in its own currency, until somebody finds out what it is.
pub async fn suspend(
    tx: &mut Tx,
    direction: Direction,
    reference: &str,
    currency: &str,
    amount: Cents,
) -> Result<(), sqlx::Error> {
    let external = open(tx, "external", currency).await?;
    let suspense = open(tx, "suspense", currency).await?;
    let (debit, credit) = match direction {
        Direction::In => (external, suspense),
        Direction::Out => (suspense, external),
    };
    sqlx::query!(
        "select post_transfers($1, null, array[$2::uuid], array['suspense'], array[$3::uuid], array[$4::uuid],
             array[$5::bigint])",
        reference,
        TransferId::generate().0,
        debit.0,
        credit.0,
        amount.0
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(())
}

/// The account of the house's of this kind, opened where it is the first money of its currency.
async fn open(tx: &mut Tx, kind: &str, currency: &str) -> Result<AccountId, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select open_account($1, $2, $3, null, null, null) as "id!: AccountId""#,
        AccountId::generate().0,
        kind,
        currency
    )
    .fetch_one(&mut **tx)
    .await
}
