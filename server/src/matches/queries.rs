//! Reading matches from the database, one at a time.

use std::sync::Arc;

use serde_json::Value;
use sqlx::PgPool;
use stakeboard_engine::{BySeat, Game, Options, Play, Position, Record, Seat};

use crate::{
    clock::rfc3339_ms,
    ids::{MatchId, NodeId, PlayerId},
    matches::{
        PlayerRef, Setup, Terms,
        events::{EffectsView, OutcomeView},
        journal::{self, ReadError},
        state::State,
        view::Players,
    },
    money::Wager,
};

/// Where a match is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// At this node.
    Live(NodeId),
    /// At a node that is gone: another one takes it over.
    Orphaned,
    /// Nowhere any more.
    Ended,
}

/// Why a match can't be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The rows do not say what this server writes.
    #[error("{0}")]
    Unreadable(String),
}

impl From<ReadError> for LoadError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Database(error) => Self::Database(error),
            ReadError::Unreadable(error) => Self::Unreadable(error.to_string()),
        }
    }
}

/// Reads what a row says of the terms.
pub fn terms(game: &str, options: &Value, stake: i64) -> Result<Terms, LoadError> {
    let unreadable = |what: String| LoadError::Unreadable(what);
    let game: Game = game.parse().map_err(|error: stakeboard_engine::ParseError| unreadable(error.to_string()))?;
    let options = Options::from_json(game, options).map_err(|error| unreadable(error.to_string()))?;
    let wager = Wager::new(stake).ok_or_else(|| unreadable(format!("{stake} is no stake")))?;
    Ok(Terms { options, wager })
}

/// What was fixed at the start of a match; `None` where there is no such match.
pub async fn setup(pool: &PgPool, id: MatchId) -> Result<Option<Setup>, LoadError> {
    let row = sqlx::query!(
        r#"select m.game, m.options, m.stake, m.clock_ms, m.started_at,
                  m.first_player as "first_id: PlayerId", f.display_name as first_name,
                  m.second_player as "second_id: PlayerId", s.display_name as second_name
           from matches m join players f on f.id = m.first_player join players s on s.id = m.second_player
           where m.id = $1"#,
        id.0
    )
    .fetch_optional(pool)
    .await?;
    row.map(|row| {
        Ok(Setup {
            id,
            terms: terms(&row.game, &row.options, row.stake)?,
            players: BySeat::new(
                PlayerRef { id: row.first_id, display_name: row.first_name },
                PlayerRef { id: row.second_id, display_name: row.second_name },
            ),
            clock_ms: row.clock_ms.cast_unsigned(),
            started_at: row.started_at,
        })
    })
    .transpose()
}

/// A match as its journal has it, clocks standing; `None` where there is no such match.
pub async fn load(pool: &PgPool, id: MatchId) -> Result<Option<State>, LoadError> {
    let Some(setup) = setup(pool, id).await? else { return Ok(None) };
    let entries = journal::read(pool, setup.terms.options.game(), id, 0).await?;
    let mut state = State::new(Arc::new(setup));
    for entry in entries {
        state.apply(entry);
    }
    Ok(Some(state))
}

/// Whether a match is under way, by its row.
pub async fn is_live(pool: &PgPool, id: MatchId) -> Result<bool, sqlx::Error> {
    let status = sqlx::query_scalar!("select status from matches where id = $1", id.0).fetch_optional(pool).await?;
    Ok(status.as_deref() == Some("live"))
}

/// Where a match is played, by its row; `None` where there is no such match.
pub async fn whereabouts(pool: &PgPool, id: MatchId) -> Result<Option<Whereabouts>, sqlx::Error> {
    let row = sqlx::query!(
        r#"select m.status = 'live' as "live!", m.owner as "owner: NodeId",
                  n.id is not null and n.stopped_at is null as "leased!"
           from matches m left join nodes n on n.id = m.owner where m.id = $1"#,
        id.0
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| match (row.live, row.leased) {
        (true, true) => Whereabouts::Live(row.owner),
        (true, false) => Whereabouts::Orphaned,
        (false, _) => Whereabouts::Ended,
    }))
}

/// The place of the last entry in the journal of a match.
pub async fn last_seq(pool: &PgPool, id: MatchId) -> Result<u32, sqlx::Error> {
    let seq =
        sqlx::query_scalar!("select max(seq) from match_journal where match_id = $1", id.0).fetch_one(pool).await?;
    Ok(seq.map_or(0, i32::cast_unsigned))
}

/// Whether this process still owns a match; an ended one counts as owned by who ended it.
pub async fn is_owned(pool: &PgPool, id: MatchId, node: NodeId, epoch: i32) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select from matches where id = $1 and owner = $2 and epoch = $3) as "owned!""#,
        id.0,
        node.0,
        epoch
    )
    .fetch_one(pool)
    .await
}

/// The record of a match, ended or not: the game record, with players, stakes, the clocks after each ply and
/// what was paid. `None` where there is no such match.
pub async fn record(pool: &PgPool, id: MatchId) -> Result<Option<Value>, LoadError> {
    let Some(state) = load(pool, id).await? else { return Ok(None) };
    let setup = state.setup();
    let start = Position::start(state.game());
    let moves = state.moves().map(|(_, _, the_move)| the_move);
    let game =
        Record::of(setup.terms.options, start, moves).map_err(|error| LoadError::Unreadable(error.to_string()))?;
    let mut record = serde_json::to_value(&game).map_err(|error| LoadError::Unreadable(error.to_string()))?;
    let clocks = state.entries().iter().filter(|entry| entry.act.kind() == "moved");
    let effects = effects(&state)?;
    if let Some(plies) = record.get_mut("plies").and_then(Value::as_array_mut) {
        for ((ply, entry), (by, effects)) in plies.iter_mut().zip(clocks).zip(effects) {
            ply["by"] = by.code().into();
            if let (Some(ply), Ok(Value::Object(effects))) = (ply.as_object_mut(), serde_json::to_value(effects)) {
                ply.extend(effects);
            }
            ply["first_ms"] = entry.clocks.first.into();
            ply["second_ms"] = entry.clocks.second.into();
            ply["at"] = rfc3339_ms::text(entry.at).into();
        }
    }
    let outcome = state.outcome();
    let (payout, fee) = setup.split(outcome.is_none_or(|outcome| outcome.winner.is_some()));
    record["outcome"] = serde_json::to_value(outcome.map(OutcomeView::from)).unwrap_or_default();
    record["id"] = id.to_string().into();
    record["players"] = serde_json::to_value(Players::from(setup.players.clone())).unwrap_or_default();
    record["stake"] = setup.terms.wager.cents().0.into();
    record["payout"] = payout.0.into();
    record["fee"] = fee.0.into();
    record["clock_ms"] = setup.clock_ms.into();
    record["started_at"] = rfc3339_ms::text(setup.started_at).into();
    let ended_at = state.ended_at().map(rfc3339_ms::text);
    record["ended_at"] = ended_at.into();
    Ok(Some(record))
}

/// How many friendly matches one statement forgets at most.
const FORGOTTEN_AT_ONCE: i32 = 500;

/// Forgets friendly matches that ended more than a day ago (MA-10). The database sees to it that no other match goes.
pub async fn forget_friendly(pool: &PgPool) -> Result<(), sqlx::Error> {
    loop {
        let forgotten = sqlx::query_scalar!(r#"select forget_friendly($1) as "forgotten!""#, FORGOTTEN_AT_ONCE)
            .fetch_one(pool)
            .await?;
        if forgotten < FORGOTTEN_AT_ONCE.into() {
            return Ok(());
        }
    }
}

/// Who made each move, and what it did: for a replay that shows more than positions.
fn effects(state: &State) -> Result<Vec<(Seat, EffectsView)>, LoadError> {
    let mut play = Play::new(state.setup().terms.options);
    let mut effects = Vec::new();
    for (_, by, the_move) in state.moves() {
        let done = play.play(the_move).map_err(|illegal| LoadError::Unreadable(illegal.code().to_owned()))?;
        effects.push((by, done.into()));
    }
    Ok(effects)
}
