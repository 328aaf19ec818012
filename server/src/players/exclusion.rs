//! P-3: breaks and self-exclusion by players, and freezing by administrators. What they keep from happening is
//! decided in [`standing`](super::standing); what they end (seeks, sessions) is ended by their callers in the same
//! transaction.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{clock::rfc3339_ms, db::Tx, ids::PlayerId};

/// A pause that a player asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// For days: 1 to 92.
    Break(i32),
    /// For months: 6 to 60.
    Exclusion(i32),
}

/// A pause that a player has asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PauseView {
    /// `break` or `exclusion`.
    pub kind: String,
    /// When it ends.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub until: OffsetDateTime,
}

/// Begins a pause, or makes the one that runs longer; it never becomes shorter. The player's balance is locked by
/// the caller.
pub async fn begin(tx: &mut Tx, player: PlayerId, pause: Pause) -> Result<PauseView, sqlx::Error> {
    let (kind, days, months) = match pause {
        Pause::Break(days) => ("break", days, 0),
        Pause::Exclusion(months) => ("exclusion", 0, months),
    };
    let row = sqlx::query!(
        r#"with asked as (select clock_timestamp() + make_interval(months => $3, days => $4) as until)
           update players set
               break_kind = case when break_until > asked.until then break_kind else $2 end,
               break_until = greatest(break_until, asked.until)
           from asked where id = $1
           returning break_kind as "kind!", break_until as "until!""#,
        player.0,
        kind,
        months,
        days
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(PauseView { kind: row.kind, until: row.until })
}

/// Freezes or unfreezes a player; tells whether that changed anything. The player's balance is locked by the caller.
pub async fn set_frozen(tx: &mut Tx, player: PlayerId, frozen: bool) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "update players set frozen_at = case when $2 then clock_timestamp() end
         where id = $1 and (frozen_at is not null) <> $2",
        player.0,
        frozen
    )
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() > 0)
}
