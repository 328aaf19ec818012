//! O-3: what a day did to each player's money.

use serde::Serialize;
use sqlx::PgPool;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{ids::PlayerId, money::Cents};

/// What a day did to a player's money, held amounts included: what waits to be paid out is still the player's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DailyLine {
    /// Whose.
    pub player: PlayerId,
    /// What there was as the day began.
    pub opening: Cents,
    /// Paid in, less what was reversed of it.
    pub deposits: Cents,
    /// Put up in matches.
    pub staked: Cents,
    /// Paid to the winner of a match.
    pub won: Cents,
    /// Stakes that came back, from draws and voids.
    pub refunded: Cents,
    /// Paid out, less what was reversed of it.
    pub withdrawn: Cents,
    /// Corrections by the staff, less what was reversed of them.
    pub adjusted: Cents,
    /// What there was as the day ended: opening and deposits, less staked, plus won and refunded, less withdrawn, plus
    /// adjusted.
    pub closing: Cents,
}

/// The same for all players together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DailyTotals {
    /// Players with money or movement.
    pub players: i64,
    /// What there was as the day began.
    pub opening: Cents,
    /// Paid in, less what was reversed of it.
    pub deposits: Cents,
    /// Put up in matches.
    pub staked: Cents,
    /// Paid to winners.
    pub won: Cents,
    /// Stakes that came back.
    pub refunded: Cents,
    /// Paid out, less what was reversed of it.
    pub withdrawn: Cents,
    /// Corrections by the staff, less what was reversed of them.
    pub adjusted: Cents,
    /// What there was as the day ended: the balances of players and holds in the trial balance of that time.
    pub closing: Cents,
    /// What of `closing` the other figures do not explain: 0 in a ledger in order.
    pub difference: Cents,
}

/// Which part of the report is asked for.
#[derive(Clone, Copy, Debug)]
pub struct DailyFilter {
    /// From this time on.
    pub from: OffsetDateTime,
    /// Up to, but without, this time.
    pub to: OffsetDateTime,
    /// Only players before this one.
    pub before: Option<PlayerId>,
    /// At most this many.
    pub limit: i64,
}

/// The lines of a day, newest players first, and the totals of all; both as of one moment.
pub async fn daily(pool: &PgPool, filter: &DailyFilter) -> Result<(Vec<DailyLine>, DailyTotals), sqlx::Error> {
    let mut rows = sqlx::query_as!(
        Row,
        r#"select player_id as "player: PlayerId", count(*) as "players!",
                  coalesce(sum(opening), 0)::bigint as "opening!: Cents",
                  coalesce(sum(deposits), 0)::bigint as "deposits!: Cents",
                  coalesce(sum(staked), 0)::bigint as "staked!: Cents",
                  coalesce(sum(won), 0)::bigint as "won!: Cents",
                  coalesce(sum(refunded), 0)::bigint as "refunded!: Cents",
                  coalesce(sum(withdrawn), 0)::bigint as "withdrawn!: Cents",
                  coalesce(sum(adjusted), 0)::bigint as "adjusted!: Cents",
                  coalesce(sum(closing), 0)::bigint as "closing!: Cents",
                  coalesce(sum(closing - opening - deposits + staked - won - refunded + withdrawn - adjusted), 0)::bigint
                      as "difference!: Cents"
           from daily_lines($1, $2)
           group by rollup (player_id)
           having player_id is null or $3::uuid is null or player_id < $3
           order by player_id desc nulls first limit $4::bigint + 1"#,
        filter.from,
        filter.to,
        filter.before.map(|player| player.0),
        filter.limit
    )
    .fetch_all(pool)
    .await?
    .into_iter();
    let totals = rows.next().ok_or(sqlx::Error::RowNotFound)?.totals();
    Ok((rows.filter_map(Row::line).collect(), totals))
}

/// One player's, or, first of all and without a player, everybody's.
struct Row {
    player: Option<PlayerId>,
    players: i64,
    opening: Cents,
    deposits: Cents,
    staked: Cents,
    won: Cents,
    refunded: Cents,
    withdrawn: Cents,
    adjusted: Cents,
    closing: Cents,
    difference: Cents,
}

impl Row {
    fn totals(self) -> DailyTotals {
        let Self {
            players, opening, deposits, staked, won, refunded, withdrawn, adjusted, closing, difference, ..
        } = self;
        DailyTotals { players, opening, deposits, staked, won, refunded, withdrawn, adjusted, closing, difference }
    }

    fn line(self) -> Option<DailyLine> {
        let Self { opening, deposits, staked, won, refunded, withdrawn, adjusted, closing, .. } = self;
        let player = self.player?;
        Some(DailyLine { player, opening, deposits, staked, won, refunded, withdrawn, adjusted, closing })
    }
}
