//! The audit log: every act of the staff and every look at another player's data (O-1).

use serde::Serialize;
use serde_json::Value;
use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{clock::rfc3339_ms, ids::PlayerId};

/// Something the staff did.
#[derive(Clone, Debug, Default)]
pub struct Act<'a> {
    /// Who; `None` on the command line of the server's machine.
    pub actor: Option<PlayerId>,
    /// What, as a stable code: `player.freeze`, `ledger.read` …
    pub action: &'a str,
    /// Whose data was read or whose affairs were changed.
    pub player: Option<PlayerId>,
    /// What else it was about.
    pub subject: Option<String>,
    /// Why; required where money moves or a player is shut out.
    pub reason: Option<&'a str>,
    /// Anything that helps to understand it later.
    pub detail: Option<Value>,
}

/// Writes an act, in the transaction of what was done. Where there is no such player, it is about nobody.
pub async fn record(executor: impl PgExecutor<'_>, act: Act<'_>) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into audit_log (id, actor, action, player_id, subject, reason, detail)
         values ($1, $2, $3, (select id from players where id = $4), $5, $6, $7)",
        Uuid::now_v7(),
        act.actor.map(|player| player.0),
        act.action,
        act.player.map(|player| player.0),
        act.subject,
        act.reason,
        act.detail
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// A line of the audit log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AuditLine {
    /// The line.
    pub id: Uuid,
    /// When.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub at: OffsetDateTime,
    /// Who; null for the command line of the server's machine.
    pub actor: Option<PlayerId>,
    /// What, as a stable code.
    pub action: String,
    /// Whose data was read or whose affairs were changed.
    pub player: Option<PlayerId>,
    /// What else it was about.
    pub subject: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// Anything that helps to understand it.
    #[schema(value_type = Option<Object>)]
    pub detail: Option<Value>,
}

/// Which lines are asked for.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// Only of this member of the staff.
    pub actor: Option<PlayerId>,
    /// Only about this player.
    pub player: Option<PlayerId>,
    /// Only of this action.
    pub action: Option<String>,
    /// Only before this line.
    pub before: Option<Uuid>,
    /// At most this many.
    pub limit: i64,
}

/// Lines of the audit log, newest first.
pub async fn list(pool: &PgPool, filter: &AuditFilter) -> Result<Vec<AuditLine>, sqlx::Error> {
    sqlx::query_as!(
        AuditLine,
        r#"select id, at, actor as "actor: PlayerId", action, player_id as "player: PlayerId", subject, reason, detail
           from audit_log
           where ($1::uuid is null or actor = $1)
               and ($2::uuid is null or player_id = $2)
               and ($3::text is null or action = $3)
               and ($4::uuid is null or id < $4)
           order by id desc limit $5"#,
        filter.actor.map(|player| player.0),
        filter.player.map(|player| player.0),
        filter.action,
        filter.before,
        filter.limit
    )
    .fetch_all(pool)
    .await
}
