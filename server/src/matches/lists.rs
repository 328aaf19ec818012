//! Lists of matches: one's own, and anybody's for the staff.

use serde::Serialize;
use serde_json::Value;
use sqlx::PgPool;
use stakeboard_engine::{Ending, Game};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    ids::{MatchId, PlayerId},
    matches::{PlayerRef, events::OutcomeView, view::Players},
    money::{Cents, Wager},
};

/// Whether a match goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchStatus {
    /// It goes on.
    Live,
    /// It has ended.
    Ended,
}

impl MatchStatus {
    fn code(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Ended => "ended",
        }
    }
}

/// What an ended match came to for one of its players; a void came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchResult {
    /// The player won.
    Won,
    /// Nobody won.
    Drawn,
    /// The rival won.
    Lost,
}

impl MatchResult {
    fn code(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Drawn => "drawn",
            Self::Lost => "lost",
        }
    }
}

/// A match in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MatchLine {
    /// The match.
    pub id: MatchId,
    /// The game.
    pub game: String,
    /// Its options.
    #[schema(value_type = Object)]
    pub options: Value,
    /// `live` or `ended`.
    pub status: String,
    /// What each player put up.
    pub stake: Cents,
    /// Before the end what the winner would be paid, after it what was paid.
    pub payout: Cents,
    /// Before the end what the house would take, after it what it took.
    pub fee: Cents,
    /// Who plays which seat.
    pub players: Players,
    /// How it ended.
    pub outcome: Option<OutcomeView>,
    /// When it began.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub started_at: OffsetDateTime,
    /// When it ended.
    #[serde(serialize_with = "rfc3339_ms::serialize_option")]
    pub ended_at: Option<OffsetDateTime>,
}

/// A row of either list.
struct Row {
    id: MatchId,
    game: String,
    options: Value,
    status: String,
    stake: i64,
    payout: Option<i64>,
    fee: Option<i64>,
    winner: Option<String>,
    ending: Option<String>,
    first_total: Option<i16>,
    second_total: Option<i16>,
    started_at: OffsetDateTime,
    ended_at: Option<OffsetDateTime>,
    first_id: PlayerId,
    first_name: String,
    second_id: PlayerId,
    second_name: String,
}

impl From<Row> for MatchLine {
    fn from(row: Row) -> Self {
        let split = Wager::new(row.stake).map_or((Cents::ZERO, Cents::ZERO), |wager| (wager.payout(), wager.fee()));
        let ending = row.ending.as_deref().and_then(Ending::from_code);
        Self {
            id: row.id,
            game: row.game,
            options: row.options,
            status: row.status,
            stake: Cents(row.stake),
            payout: row.payout.map_or(split.0, Cents),
            fee: row.fee.map_or(split.1, Cents),
            players: Players {
                first: PlayerRef { id: row.first_id, display_name: row.first_name },
                second: PlayerRef { id: row.second_id, display_name: row.second_name },
            },
            outcome: ending.map(|ending| OutcomeView {
                winner: row.winner.as_deref().and_then(|text| text.parse().ok()),
                ending: ending.code(),
                first: row.first_total.and_then(|total| total.try_into().ok()),
                second: row.second_total.and_then(|total| total.try_into().ok()),
            }),
            started_at: row.started_at,
            ended_at: row.ended_at,
        }
    }
}

/// Which of a player's matches are asked for.
#[derive(Clone, Debug, Default)]
pub struct OwnFilter {
    /// Only those in this state.
    pub status: Option<MatchStatus>,
    /// Only those of this game.
    pub game: Option<Game>,
    /// Only those with this rival.
    pub opponent: Option<PlayerId>,
    /// Only those that came to this.
    pub result: Option<MatchResult>,
    /// Only those for a stake, or only those for none.
    pub staked: Option<bool>,
    /// Only those that began then or later.
    pub from: Option<OffsetDateTime>,
    /// Only those that began earlier.
    pub to: Option<OffsetDateTime>,
    /// Only those that began before this one.
    pub before: Option<MatchId>,
    /// At most this many.
    pub limit: i64,
}

/// A player's matches, newest first.
pub async fn own_matches(pool: &PgPool, player: PlayerId, filter: &OwnFilter) -> Result<Vec<MatchLine>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"select m.id as "id: MatchId", m.game, m.options, m.status, m.stake, m.payout, m.fee, m.winner, m.ending,
                  m.first_total, m.second_total, m.started_at, m.ended_at,
                  m.first_player as "first_id: PlayerId", f.display_name as first_name,
                  m.second_player as "second_id: PlayerId", s.display_name as second_name
           from matches m join players f on f.id = m.first_player join players s on s.id = m.second_player
           where (m.first_player = $1 or m.second_player = $1)
               and ($2::text is null or m.status = $2)
               and ($3::text is null or m.game = $3)
               and ($4::uuid is null or m.first_player = $4 or m.second_player = $4)
               and ($5::text is null or m.status = 'ended' and m.ending <> 'void' and $5 = case
                   when m.winner is null then 'drawn'
                   when (m.winner = 'first') = (m.first_player = $1) then 'won' else 'lost' end)
               and ($6::boolean is null or (m.stake > 0) = $6)
               and ($7::timestamptz is null or m.started_at >= $7)
               and ($8::timestamptz is null or m.started_at < $8)
               and ($9::uuid is null or m.id < $9)
           order by m.id desc limit $10"#,
        player.0,
        filter.status.map(MatchStatus::code),
        filter.game.map(Game::code),
        filter.opponent.map(|id| id.0),
        filter.result.map(MatchResult::code),
        filter.staked,
        filter.from,
        filter.to,
        filter.before.map(|id| id.0),
        filter.limit
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(MatchLine::from).collect())
}

/// Which matches are looked for.
#[derive(Clone, Debug, Default)]
pub struct MatchSearch {
    /// Only those in this state.
    pub status: Option<MatchStatus>,
    /// Only those of this game.
    pub game: Option<Game>,
    /// Only those that this player plays.
    pub player: Option<PlayerId>,
    /// Only those that ended like this.
    pub ending: Option<Ending>,
    /// Only those with at least this stake.
    pub stake_min: Option<i64>,
    /// Only those that began then or later.
    pub from: Option<OffsetDateTime>,
    /// Only those that began earlier.
    pub to: Option<OffsetDateTime>,
    /// Only those that began before this one.
    pub before: Option<MatchId>,
    /// At most this many.
    pub limit: i64,
}

/// Matches of anybody, newest first.
pub async fn search(pool: &PgPool, search: &MatchSearch) -> Result<Vec<MatchLine>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"select m.id as "id: MatchId", m.game, m.options, m.status, m.stake, m.payout, m.fee, m.winner, m.ending,
                  m.first_total, m.second_total, m.started_at, m.ended_at,
                  m.first_player as "first_id: PlayerId", f.display_name as first_name,
                  m.second_player as "second_id: PlayerId", s.display_name as second_name
           from matches m join players f on f.id = m.first_player join players s on s.id = m.second_player
           where ($1::text is null or m.status = $1)
               and ($2::text is null or m.game = $2)
               and ($3::uuid is null or m.first_player = $3 or m.second_player = $3)
               and ($4::text is null or m.ending = $4)
               and ($5::bigint is null or m.stake >= $5)
               and ($6::timestamptz is null or m.started_at >= $6)
               and ($7::timestamptz is null or m.started_at < $7)
               and ($8::uuid is null or m.id < $8)
           order by m.id desc limit $9"#,
        search.status.map(MatchStatus::code),
        search.game.map(Game::code),
        search.player.map(|id| id.0),
        search.ending.map(Ending::code),
        search.stake_min,
        search.from,
        search.to,
        search.before.map(|id| id.0),
        search.limit
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(MatchLine::from).collect())
}
