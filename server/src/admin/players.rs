//! Players, as the staff looks for them, and their roles.

use serde::Serialize;
use serde_json::json;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    admin::Office,
    audit::{self, Act, Action},
    clock::rfc3339_ms,
    db::{self, AsDatabaseError},
    ids::PlayerId,
    players::{self, Identity},
    role::Role,
};

/// A player in a list of the staff.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlayerLine {
    /// The player.
    pub id: PlayerId,
    /// What others see.
    pub display_name: String,
    /// Null for a guest.
    #[schema(required)]
    pub email: Option<String>,
    /// Whether this is a guest: no account, no money.
    pub guest: bool,
    /// Roles of the staff; players have none.
    pub roles: Vec<Role>,
    /// Whether an administrator has frozen the account.
    pub frozen: bool,
    /// When the player's own break or self-exclusion ends, where one runs.
    #[serde(serialize_with = "rfc3339_ms::serialize_option")]
    pub break_until: Option<OffsetDateTime>,
    /// What is known of the player's identity.
    pub identity: Identity,
    /// When the player first came.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub created_at: OffsetDateTime,
}

/// Which players are looked for.
#[derive(Clone, Debug, Default)]
pub struct PlayerFilter {
    /// Only this one.
    pub id: Option<PlayerId>,
    /// Only with this in their address, capitals aside.
    pub email: Option<String>,
    /// Only with this in their display name, capitals aside.
    pub name: Option<String>,
    /// Only those who came before this one.
    pub before: Option<PlayerId>,
    /// At most this many.
    pub limit: i64,
}

/// Why an act on a player is refused. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum PlayerActError {
    /// There is no such player.
    #[error("there is no such player")]
    NotFound,
    /// The staff does not act on its own account.
    #[error("the account is the caller's own")]
    OwnAccount,
    /// Guests have no account to act on.
    #[error("the player is a guest")]
    Guest,
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The work did not come to an end.
    #[error(transparent)]
    Stopped(#[from] db::Stopped),
}

impl AsDatabaseError for PlayerActError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            Self::NotFound | Self::OwnAccount | Self::Guest | Self::Stopped(_) => None,
        }
    }
}

impl Office {
    /// Players, newest first. The look is in the audit log before the answer is given.
    pub async fn players(&self, actor: PlayerId, filter: &PlayerFilter) -> Result<Vec<PlayerLine>, sqlx::Error> {
        let act = Act {
            actor: Some(actor),
            player: filter.id,
            detail: Some(json!({"email": filter.email, "name": filter.name})),
            ..Act::new(Action::PlayersRead)
        };
        audit::record(&self.pool, act).await?;
        let rows = sqlx::query!(
            r#"select id as "id: PlayerId", display_name, email, guest, roles, created_at,
                      frozen_at is not null as "frozen!", identity as "identity: Identity",
                      case when break_until > clock_timestamp() then break_until end as break_until
               from players
               where bot is null and ($1::uuid is null or id = $1)
                   and ($2::text is null or strpos(email_key, $2) > 0)
                   and ($3::text is null or strpos(lower(display_name), lower($3)) > 0)
                   and ($4::uuid is null or id < $4)
               order by id desc limit $5"#,
            filter.id.map(|id| id.0),
            filter.email.as_deref().map(players::email_key),
            filter.name,
            filter.before.map(|id| id.0),
            filter.limit
        )
        .fetch_all(&self.pool)
        .await?;
        let lines = rows.into_iter().map(|row| PlayerLine {
            id: row.id,
            display_name: row.display_name,
            email: row.email,
            guest: row.guest,
            roles: Role::from_texts(&row.roles),
            frozen: row.frozen,
            break_until: row.break_until,
            identity: row.identity,
            created_at: row.created_at,
        });
        Ok(lines.collect())
    }

    /// Gives a player exactly these roles. Nobody changes their own: there is always an administrator left.
    pub async fn set_roles(
        &self,
        actor: PlayerId,
        player: PlayerId,
        roles: Vec<Role>,
        reason: String,
    ) -> Result<Vec<Role>, PlayerActError> {
        if actor == player {
            return Err(PlayerActError::OwnAccount);
        }
        let roles: Vec<Role> = Role::ALL.iter().copied().filter(|role| roles.contains(role)).collect();
        let pool = self.pool.clone();
        db::uncut(&self.tasks, async move {
            db::in_transaction(&pool, |tx| {
                let (roles, reason) = (roles.clone(), reason.clone());
                Box::pin(async move { set_roles(tx, actor, player, roles, &reason).await })
            })
            .await
        })
        .await
    }
}

async fn set_roles(
    tx: &mut db::Tx,
    actor: PlayerId,
    player: PlayerId,
    roles: Vec<Role>,
    reason: &str,
) -> Result<Vec<Role>, PlayerActError> {
    let before = sqlx::query!(
        "select guest, roles from players where id = $1 and deleted_at is null for no key update",
        player.0
    )
    .fetch_optional(&mut **tx)
    .await?
    .ok_or(PlayerActError::NotFound)?;
    if before.guest {
        return Err(PlayerActError::Guest);
    }
    let texts: Vec<String> = roles.iter().map(|role| role.as_str().to_owned()).collect();
    sqlx::query!("update players set roles = $2 where id = $1", player.0, &texts).execute(&mut **tx).await?;
    let act = Act {
        actor: Some(actor),
        player: Some(player),
        reason: Some(reason),
        detail: Some(json!({"before": before.roles, "after": texts})),
        ..Act::new(Action::PlayerRoles)
    };
    audit::record(&mut **tx, act).await?;
    Ok(roles)
}
