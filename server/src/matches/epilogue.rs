//! What the journal says of a match after its end: the rematch (MA-9).
//!
//! No process owns a match that has ended. Whoever writes here has locked both of its players in the same transaction, so
//! one writes at a time, and the place of each entry is its key.

use std::time::Duration;

use time::OffsetDateTime;

use crate::{db::Tx, ids::MatchId, matches::entry::Act};

/// How long a proposal stays open.
pub const REMATCH_LIFETIME: Duration = Duration::from_mins(1);

/// Appends to the journal of an ended match. Gives the place of the entry.
pub async fn append(tx: &mut Tx, id: MatchId, act: Act, at: OffsetDateTime) -> Result<u32, sqlx::Error> {
    let seq = sqlx::query_scalar!(
        "insert into match_events (match_id, seq, epoch, kind, seat, detail, first_ms, second_ms, at)
         select match_id, seq + 1, epoch, $2, $3, $4, first_ms, second_ms, $5 from match_journal
         where match_id = $1 order by seq desc limit 1
         returning seq",
        id.0,
        act.kind(),
        act.seat().map(stakeboard_engine::Seat::code),
        act.detail(),
        at
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(seq.cast_unsigned())
}

/// Where the journal says that a rematch was started, and which match it is.
pub async fn rematch_started(tx: &mut Tx, id: MatchId) -> Result<Option<(u32, MatchId)>, sqlx::Error> {
    let row = sqlx::query!(
        r#"select seq as "seq!", detail as "detail!" from match_journal where match_id = $1 and kind = 'rematch_started'"#,
        id.0
    )
    .fetch_optional(&mut **tx)
    .await?;
    row.map(|row| {
        let next = row.detail.parse().map_err(|error: uuid::Error| sqlx::Error::Decode(error.into()))?;
        Ok((row.seq.cast_unsigned(), next))
    })
    .transpose()
}

/// Where the journal has the last proposal of a rematch.
pub async fn rematch_proposed(tx: &mut Tx, id: MatchId) -> Result<Option<u32>, sqlx::Error> {
    let seq = sqlx::query_scalar!(
        "select max(seq) from match_journal where match_id = $1 and kind = 'rematch_proposed'",
        id.0
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(seq.map(i32::cast_unsigned))
}
