//! Tables: invitations by a link, for a friend rather than for whoever comes (MA-10, MA-11).

mod code;
mod join;

use std::{sync::Arc, time::Duration};

use serde::Serialize;
use serde_json::Value;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use utoipa::ToSchema;

pub use code::TableCode;
pub use join::JoinError;

use crate::{
    clock::rfc3339_ms,
    db::{self, AsDatabaseError, Tx},
    ids::{MatchId, PlayerId},
    lobby::{
        Lobby, LobbySettings, Parts, WithdrawError,
        pairing::{StakedTerms, Stakers, Unready},
    },
    matches::{self, PlayerRef, Terms},
    money::{Cents, Wager},
    players::standing::{self, Barred},
};

/// How long a link is good for while nobody uses it.
const LIFETIME: Duration = Duration::from_hours(1);

/// A seat at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum TableSeat {
    /// Somebody has it.
    Taken(PlayerRef),
    /// Nobody has it yet.
    Free(FreeSeat),
}

/// A seat that nobody has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FreeSeat {
    /// It is free.
    Free,
}

/// An invitation to play. Its terms never change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Table {
    /// What to type or to read aloud: capital letters and digits that do not look alike. Any case will do.
    pub code: TableCode,
    /// The path of its page.
    #[schema(example = "/table/K7QFWXMA")]
    pub link: String,
    /// The game.
    pub game: String,
    /// Its options.
    #[schema(value_type = Object)]
    pub options: Value,
    /// What each player puts up: 0 for a friendly match.
    pub stake: Cents,
    /// What the winner will be paid.
    pub payout: Cents,
    /// What the house will take from a decided match.
    pub fee: Cents,
    /// Both seats, the host's first: `free`, or who has it. Who opens is drawn when the match begins.
    pub seats: Vec<TableSeat>,
    /// The match, once both seats are taken.
    pub match_id: Option<MatchId>,
    /// When it was opened.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub created_at: OffsetDateTime,
    /// Until when the link is good for.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub expires_at: OffsetDateTime,
}

/// Why a table can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The player can't make the stake now.
    #[error(transparent)]
    Unready(#[from] Unready),
    /// The player may not play now, for a stake or without one.
    #[error(transparent)]
    Barred(#[from] Barred),
    /// The player has as many tables open as allowed.
    #[error("the player has as many tables open as allowed")]
    TooMany,
    /// No new staked matches for now.
    #[error("no new staked matches for now")]
    StakesClosed,
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The work did not come to an end.
    #[error(transparent)]
    Stopped(#[from] db::Stopped),
}

impl AsDatabaseError for OpenError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}

impl Lobby {
    /// Opens a table. Nothing is moved yet; a stake must be there all the same.
    pub async fn open_table(&self, player: PlayerId, terms: Terms) -> Result<Table, OpenError> {
        let lobby = Arc::clone(&self.0);
        db::uncut(&self.0.tasks, async move {
            let (code, now) = (TableCode::draw(), lobby.clock.wall());
            db::in_transaction(&lobby.pool, |tx| {
                let (code, settings) = (code.clone(), lobby.settings);
                Box::pin(async move { open(tx, player, terms, &code, now, settings).await })
            })
            .await?;
            let table = lobby.table(&lobby.pool, &code).await?;
            // Nobody can have used it: nobody has seen its code.
            table.ok_or(OpenError::Database(sqlx::Error::RowNotFound))
        })
        .await
    }

    /// A table whose link is good, or led to a match within the hour.
    pub async fn table(&self, code: &TableCode) -> Result<Option<Table>, sqlx::Error> {
        self.0.table(&self.0.pool, code).await
    }

    /// Closes an own table that nobody has joined.
    pub async fn close_table(&self, player: PlayerId, code: &TableCode) -> Result<(), WithdrawError> {
        let done = sqlx::query!(
            "delete from tables where code = $1 and player_id = $2 and match_id is null and created_at > $3",
            code.as_str(),
            player.0,
            self.0.clock.wall() - LIFETIME
        )
        .execute(&self.0.pool)
        .await?;
        if done.rows_affected() == 0 { Err(WithdrawError::NotFound) } else { Ok(()) }
    }

    /// Forgets tables whose hour is over.
    pub(super) async fn sweep_tables(&self) -> Result<(), sqlx::Error> {
        let expired = self.0.clock.wall() - LIFETIME;
        sqlx::query!(
            "delete from tables where code in (
                 select code from tables where created_at <= $1 order by code for update skip locked
             )",
            expired
        )
        .execute(&self.0.pool)
        .await?;
        Ok(())
    }
}

async fn open(
    tx: &mut Tx,
    player: PlayerId,
    terms: Terms,
    code: &TableCode,
    now: OffsetDateTime,
    settings: LobbySettings,
) -> Result<(), OpenError> {
    match terms.wager {
        Wager::Staked(stake) => {
            let terms = StakedTerms { options: terms.options, stake };
            let stakers = Stakers::lock(tx, &[player], terms.into(), settings.identity_needed).await?;
            if stakers.are_closed_out() {
                return Err(OpenError::StakesClosed);
            }
            if let Some(unready) = stakers.unready(player)? {
                return Err(unready.into());
            }
            standing::lock_rows(tx, &[player]).await?;
        }
        Wager::Friendly => {
            standing::lock_rows(tx, &[player]).await?;
            if let Some(barred) = standing::shut_out(&mut **tx, player).await? {
                return Err(barred.into());
            }
        }
    }
    let open = sqlx::query_scalar!(
        r#"select count(*) as "count!" from tables where player_id = $1 and match_id is null and created_at > $2"#,
        player.0,
        now - LIFETIME
    )
    .fetch_one(&mut **tx)
    .await?;
    if open >= settings.tables_most {
        return Err(OpenError::TooMany);
    }
    sqlx::query!(
        "insert into tables (code, player_id, game, options, stake, created_at) values ($1, $2, $3, $4, $5, $6)",
        code.as_str(),
        player.0,
        terms.options.game().code(),
        terms.options.to_json(),
        terms.wager.cents().0,
        now
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

impl Parts {
    /// A table that has not expired, as it is shown.
    async fn table<'e>(&self, executor: impl PgExecutor<'e>, code: &TableCode) -> Result<Option<Table>, sqlx::Error> {
        let row = sqlx::query!(
            r#"select t.game, t.options, t.stake, t.created_at, t.match_id as "match_id: MatchId",
                      t.player_id as "host_id: PlayerId", h.display_name as host_name,
                      g.id as "guest_id?: PlayerId", g.display_name as "guest_name?"
               from tables t join players h on h.id = t.player_id
               left join matches m on m.id = t.match_id
               left join players g on g.id in (m.first_player, m.second_player) and g.id <> t.player_id
               where t.code = $1 and t.created_at > $2"#,
            code.as_str(),
            self.clock.wall() - LIFETIME
        )
        .fetch_optional(executor)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let terms =
            matches::terms(&row.game, &row.options, row.stake).map_err(|error| sqlx::Error::Decode(error.into()))?;
        let other = match (row.guest_id, row.guest_name) {
            (Some(id), Some(display_name)) => TableSeat::Taken(PlayerRef { id, display_name }),
            _ => TableSeat::Free(FreeSeat::Free),
        };
        Ok(Some(Table {
            code: code.clone(),
            link: format!("/table/{code}"),
            game: row.game,
            options: row.options,
            stake: terms.wager.cents(),
            payout: terms.wager.payout(),
            fee: terms.wager.fee(),
            seats: vec![TableSeat::Taken(PlayerRef { id: row.host_id, display_name: row.host_name }), other],
            match_id: row.match_id,
            created_at: row.created_at,
            expires_at: row.created_at + LIFETIME,
        }))
    }
}
