//! O-2: stopping new staked matches. Withdrawals and running matches go on.

use serde::Serialize;
use serde_json::json;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    admin::Office,
    audit::{self, Act, Action},
    clock::rfc3339_ms,
    db::{self, AsDatabaseError, Tx},
    ids::PlayerId,
};

/// What is stopped. What is not named goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Stopped {
    /// Every new staked match.
    pub all: bool,
    /// Those of these games.
    pub games: Vec<String>,
    /// Those of these players.
    pub players: Vec<PlayerId>,
}

/// One stop.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Stop {
    /// Of this game; null for all and for a player.
    pub game: Option<String>,
    /// Of this player; null for all and for a game.
    pub player: Option<PlayerId>,
    /// Since when.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub stopped_at: OffsetDateTime,
    /// By whom.
    pub stopped_by: Option<PlayerId>,
    /// Why.
    pub reason: String,
}

/// The switches.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Switches {
    /// What is stopped.
    pub stopped: Stopped,
    /// Each stop with who, when and why.
    pub stops: Vec<Stop>,
}

/// Why the switches stay as they are.
#[derive(Debug, thiserror::Error)]
pub enum SwitchError {
    /// There is no such player.
    #[error("there is no such player")]
    UnknownPlayer,
    /// The database's own.
    #[error(transparent)]
    Database(sqlx::Error),
    /// The work did not come to an end.
    #[error(transparent)]
    Stopped(#[from] db::Stopped),
}

impl From<sqlx::Error> for SwitchError {
    fn from(error: sqlx::Error) -> Self {
        match db::constraint(&error) {
            Some("stake_stops_player_id_fkey") => Self::UnknownPlayer,
            _ => Self::Database(error),
        }
    }
}

impl AsDatabaseError for SwitchError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            Self::UnknownPlayer | Self::Stopped(_) => None,
        }
    }
}

impl Office {
    /// The switches as they are.
    pub async fn switches(&self, actor: PlayerId) -> Result<Switches, sqlx::Error> {
        let act = Act { actor: Some(actor), ..Act::new(Action::SwitchesRead) };
        audit::record(&self.pool, act).await?;
        load(&self.pool).await
    }

    /// Sets all switches. Once this has returned, no match begins that is stopped now.
    pub async fn set_switches(
        &self,
        actor: PlayerId,
        wanted: Stopped,
        reason: String,
    ) -> Result<Switches, SwitchError> {
        let pool = self.pool.clone();
        db::uncut(&self.tasks, async move {
            db::in_transaction(&pool, |tx| {
                let (wanted, reason) = (wanted.clone(), reason.clone());
                Box::pin(async move { set(tx, actor, &wanted, &reason).await })
            })
            .await
        })
        .await
    }
}

async fn set(tx: &mut Tx, actor: PlayerId, wanted: &Stopped, reason: &str) -> Result<Switches, SwitchError> {
    sqlx::query!("select lock_switches(true)").fetch_one(&mut **tx).await?;
    let before = load(&mut **tx).await?.stopped;
    let players: Vec<Uuid> = wanted.players.iter().map(|player| player.0).collect();
    sqlx::query!(
        "delete from stake_stops
         where case when game is not null then game <> all ($2)
                    when player_id is not null then player_id <> all ($3)
                    else not $1 end",
        wanted.all,
        &wanted.games,
        &players
    )
    .execute(&mut **tx)
    .await?;
    // What was stopped already keeps who, when and why.
    sqlx::query!(
        "insert into stake_stops (id, game, player_id, stopped_by, reason)
         select gen_random_uuid(), game, player_id, $4, $5
         from (select null::text as game, null::uuid as player_id where $1
               union select unnest($2::text[]), null
               union select null, unnest($3::uuid[])) wanted
         on conflict do nothing",
        wanted.all,
        &wanted.games,
        &players,
        actor.0,
        reason
    )
    .execute(&mut **tx)
    .await?;
    let after = load(&mut **tx).await?;
    let act = Act {
        actor: Some(actor),
        reason: Some(reason),
        detail: Some(json!({"before": before, "after": after.stopped})),
        ..Act::new(Action::SwitchesSet)
    };
    audit::record(&mut **tx, act).await?;
    Ok(after)
}

async fn load(executor: impl PgExecutor<'_>) -> Result<Switches, sqlx::Error> {
    let stops = sqlx::query_as!(
        Stop,
        r#"select game, player_id as "player: PlayerId", stopped_at, stopped_by as "stopped_by: PlayerId", reason
           from stake_stops order by stopped_at, id"#
    )
    .fetch_all(executor)
    .await?;
    let stopped = Stopped {
        all: stops.iter().any(|stop| stop.game.is_none() && stop.player.is_none()),
        games: stops.iter().filter_map(|stop| stop.game.clone()).collect(),
        players: stops.iter().filter_map(|stop| stop.player).collect(),
    };
    Ok(Switches { stopped, stops })
}
