//! The audit log: every act of the staff and every look at another player's data (O-1).

use serde::Serialize;
use serde_json::Value;
use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{clock::rfc3339_ms, ids::PlayerId};

/// Declares what the staff can do, so that neither list can miss an action.
macro_rules! actions {
    ($($name:ident = $text:literal;)*) => {
        /// What a member of the staff can do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Action { $(#[doc = concat!("`", $text, "`.")] $name,)* }

        impl Action {
            /// Every action.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The stable code.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

actions! {
    AccountDelete = "account.delete";
    AdjustmentsRead = "adjustments.read";
    AdminCreate = "admin.create";
    AuditRead = "audit.read";
    ComplaintsRead = "complaints.read";
    LedgerAccount = "ledger.account";
    LedgerAccounts = "ledger.accounts";
    LedgerAcknowledge = "ledger.acknowledge";
    LedgerExport = "ledger.export";
    LedgerSeal = "ledger.seal";
    LedgerTransfers = "ledger.transfers";
    LedgerTrialBalance = "ledger.trial_balance";
    MatchVoid = "match.void";
    MatchesRead = "matches.read";
    PaymentEventRead = "payment_event.read";
    PlayerAdjust = "player.adjust";
    PlayerAdjustApproved = "player.adjust_approved";
    PlayerAdjustAsked = "player.adjust_asked";
    PlayerAdjustRejected = "player.adjust_rejected";
    PlayerFreeze = "player.freeze";
    PlayerIdentity = "player.identity";
    PlayerPasswordReset = "player.password_reset";
    PlayerRoles = "player.roles";
    PlayerSecondFactorReset = "player.second_factor_reset";
    PlayerUnfreeze = "player.unfreeze";
    PlayersRead = "players.read";
    ReportsDaily = "reports.daily";
    ReportsFairPlay = "reports.fair_play";
    ReportsPairs = "reports.pairs";
    SuspenseRead = "suspense.read";
    SwitchesRead = "switches.read";
    SwitchesSet = "switches.set";
    TransferAssign = "transfer.assign";
    TransferAssignApproved = "transfer.assign_approved";
    TransferAssignAsked = "transfer.assign_asked";
    TransferAssignRejected = "transfer.assign_rejected";
    TransferReverse = "transfer.reverse";
    TransferReverseApproved = "transfer.reverse_approved";
    TransferReverseAsked = "transfer.reverse_asked";
    TransferReverseRejected = "transfer.reverse_rejected";
    WithdrawalApprove = "withdrawal.approve";
    WithdrawalClosedAsFailed = "withdrawal.closed_as_failed";
    WithdrawalClosedAsPaid = "withdrawal.closed_as_paid";
    WithdrawalRead = "withdrawal.read";
    WithdrawalReject = "withdrawal.reject";
}

/// Something the staff did.
#[derive(Clone, Debug)]
pub struct Act<'a> {
    /// Who; `None` on the command line of the server's machine.
    pub actor: Option<PlayerId>,
    /// What.
    pub action: Action,
    /// Whose data was read or whose affairs were changed.
    pub player: Option<PlayerId>,
    /// What else it was about.
    pub subject: Option<String>,
    /// Why; required where money moves or a player is shut out.
    pub reason: Option<&'a str>,
    /// Anything that helps to understand it later.
    pub detail: Option<Value>,
}

impl Act<'_> {
    /// An act of nobody's on nobody: what to begin with.
    pub fn new(action: Action) -> Self {
        Self { actor: None, action, player: None, subject: None, reason: None, detail: None }
    }
}

/// Writes an act, in the transaction of what was done. Where there is no such player, it is about nobody.
pub async fn record(executor: impl PgExecutor<'_>, act: Act<'_>) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into audit_log (id, actor, action, player_id, subject, reason, detail)
         values ($1, $2, $3, (select id from players where id = $4), $5, $6, $7)",
        Uuid::now_v7(),
        act.actor.map(|player| player.0),
        act.action.as_str(),
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
    pub action: Option<Action>,
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
        filter.action.map(Action::as_str),
        filter.before,
        filter.limit
    )
    .fetch_all(pool)
    .await
}
