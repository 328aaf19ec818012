//! Reports over all players (O-3, O-4). Each look is in the audit log before the answer is given.

use serde_json::json;

use crate::{
    admin::Office,
    audit::{self, Act},
    clock::rfc3339_ms,
    ids::PlayerId,
    ledger::{self, DailyFilter, DailyLine, DailyTotals, PairFilter, PairLine},
};

impl Office {
    /// What a day did to each player's money, and to all of it.
    pub async fn daily(
        &self,
        actor: PlayerId,
        filter: &DailyFilter,
    ) -> Result<(Vec<DailyLine>, DailyTotals), sqlx::Error> {
        let act = Act {
            actor: Some(actor),
            action: "reports.daily",
            detail: Some(json!({"from": rfc3339_ms::text(filter.from), "to": rfc3339_ms::text(filter.to)})),
            ..Act::default()
        };
        audit::record(&self.pool, act).await?;
        ledger::daily(&self.pool, filter).await
    }

    /// Who has won how much of whom.
    pub async fn pairs(&self, actor: PlayerId, filter: &PairFilter) -> Result<Vec<PairLine>, sqlx::Error> {
        let act = Act {
            actor: Some(actor),
            action: "reports.pairs",
            player: filter.player,
            detail: Some(json!({"from": rfc3339_ms::text(filter.from), "to": rfc3339_ms::text(filter.to)})),
            ..Act::default()
        };
        audit::record(&self.pool, act).await?;
        ledger::pairs(&self.pool, filter).await
    }
}
