//! What players see of themselves.

use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    ids::PlayerId,
    players::{
        Identity,
        exclusion::PauseView,
        limits::{self, Limits},
    },
    role::Role,
};

/// The player behind the token.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Me {
    /// Kept when a guest signs up.
    pub id: PlayerId,
    /// What others see.
    pub display_name: String,
    /// Null for a guest.
    #[schema(required)]
    pub email: Option<String>,
    /// Roles of the staff; players have none.
    pub roles: Vec<Role>,
    /// Whether this is a guest: no account, no money.
    pub guest: bool,
    /// The limits the player has set.
    pub limits: Limits,
    /// A break or self-exclusion that runs.
    #[schema(required)]
    pub pause: Option<PauseView>,
    /// What is known of the player's identity.
    pub identity: Identity,
    /// Whether an administrator has frozen the account.
    pub frozen: bool,
    /// When the player first came.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub created_at: OffsetDateTime,
}

/// Who somebody else is.
#[derive(Clone, Debug)]
pub struct Known {
    /// What they are called.
    pub display_name: String,
    /// Whether this is a guest.
    pub guest: bool,
    /// When they first came.
    pub created_at: OffsetDateTime,
}

/// Who a player is; nobody where there is none, or where they have left for good (P-6).
pub async fn known(pool: &PgPool, player: PlayerId) -> Result<Option<Known>, sqlx::Error> {
    sqlx::query_as!(
        Known,
        "select display_name, guest, created_at from players where id = $1 and deleted_at is null",
        player.0
    )
    .fetch_optional(pool)
    .await
}

/// Loads a player, on one connection.
pub async fn read(pool: &PgPool, player: PlayerId) -> Result<Me, sqlx::Error> {
    load(&mut *pool.acquire().await?, player).await
}

/// Loads a player.
pub async fn load(connection: &mut PgConnection, player: PlayerId) -> Result<Me, sqlx::Error> {
    let row = sqlx::query!(
        r#"select display_name, email, roles, guest, created_at, frozen_at is not null as "frozen!", break_kind,
                  identity as "identity: Identity",
                  case when break_until > clock_timestamp() then break_until end as break_until
           from players where id = $1"#,
        player.0
    )
    .fetch_one(&mut *connection)
    .await?;
    let pause = row.break_kind.zip(row.break_until).map(|(kind, until)| PauseView { kind, until });
    Ok(Me {
        id: player,
        display_name: row.display_name,
        email: row.email,
        roles: Role::from_texts(&row.roles),
        guest: row.guest,
        limits: limits::load(connection, player).await?,
        pause,
        identity: row.identity,
        frozen: row.frozen,
        created_at: row.created_at,
    })
}
