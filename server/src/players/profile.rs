//! What players see of themselves.

use serde::Serialize;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{clock::rfc3339_ms, ids::PlayerId, role::Role};

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
    /// When the player first came.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub created_at: OffsetDateTime,
}

/// Loads a player.
pub async fn load(executor: impl PgExecutor<'_>, player: PlayerId) -> Result<Me, sqlx::Error> {
    let row = sqlx::query!("select display_name, email, roles, guest, created_at from players where id = $1", player.0)
        .fetch_one(executor)
        .await?;
    Ok(Me {
        id: player,
        display_name: row.display_name,
        email: row.email,
        roles: Role::from_texts(&row.roles),
        guest: row.guest,
        created_at: row.created_at,
    })
}
