//! Opening accounts.

use sqlx::PgPool;

use crate::{
    db::Tx,
    ids::{AccountId, PlayerId},
};

/// L-9: how many rows the house's fees are spread over: as many as settlements are ever under way at once.
const FEE_STRIPES: i16 = 64;

/// Opens what a player's money needs: what is available, and what waits to be paid out.
pub async fn open_player(tx: &mut Tx, player: PlayerId, currency: &str) -> Result<(), sqlx::Error> {
    for kind in ["player", "withdrawal_hold"] {
        sqlx::query!(
            "select open_account($1, $2, $3, $4, null, null)",
            AccountId::generate().0,
            kind,
            currency,
            player.0
        )
        .fetch_one(&mut **tx)
        .await?;
    }
    Ok(())
}

/// Opens the accounts of the house and of the world outside, where they are missing.
/// Fails where they exist in another currency: a deployment has one.
pub async fn open_house(pool: &PgPool, currency: &str) -> Result<(), sqlx::Error> {
    // What a deployment has one of comes first: another currency is refused before anything is opened in it.
    let kinds = ["adjustment", "external", "suspense"].map(|kind| (kind, None));
    let stripes = (0..FEE_STRIPES).map(|stripe| ("house_fee", Some(stripe)));
    for (kind, stripe) in kinds.into_iter().chain(stripes) {
        sqlx::query!(
            "select open_account($1, $2, $3, null, null, $4)",
            AccountId::generate().0,
            kind,
            currency,
            stripe
        )
        .fetch_one(pool)
        .await?;
    }
    Ok(())
}
