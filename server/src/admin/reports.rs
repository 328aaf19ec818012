//! Reports over all players (O-3, O-4). Each look is in the audit log before the answer is given.

use serde_json::json;
use time::OffsetDateTime;

use crate::{
    admin::Office,
    audit::{self, Act, Action},
    clock::rfc3339_ms,
    fair_play::{self, FairPlayMatch, FairPlaySum, MatchFilter, SumFilter},
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
            detail: Some(json!({"from": rfc3339_ms::text(filter.from), "to": rfc3339_ms::text(filter.to)})),
            ..Act::new(Action::ReportsDaily)
        };
        audit::record(&self.pool, act).await?;
        ledger::daily(&self.pool, filter).await
    }

    /// How players played: the share of best moves, and how evenly they used time.
    pub async fn fair_play(&self, actor: PlayerId, filter: &SumFilter) -> Result<Vec<FairPlaySum>, sqlx::Error> {
        self.note_fair_play(actor, filter.player, filter.from, filter.to).await?;
        fair_play::sums(&self.pool, filter).await
    }

    /// The matches behind that.
    pub async fn fair_play_matches(
        &self,
        actor: PlayerId,
        filter: &MatchFilter,
    ) -> Result<Vec<FairPlayMatch>, sqlx::Error> {
        self.note_fair_play(actor, Some(filter.player), filter.from, filter.to).await?;
        fair_play::matches_behind(&self.pool, filter).await
    }

    async fn note_fair_play(
        &self,
        actor: PlayerId,
        player: Option<PlayerId>,
        from: OffsetDateTime,
        to: OffsetDateTime,
    ) -> Result<(), sqlx::Error> {
        let act = Act {
            actor: Some(actor),
            player,
            detail: Some(json!({"from": rfc3339_ms::text(from), "to": rfc3339_ms::text(to)})),
            ..Act::new(Action::ReportsFairPlay)
        };
        audit::record(&self.pool, act).await
    }

    /// Who has won how much of whom.
    pub async fn pairs(&self, actor: PlayerId, filter: &PairFilter) -> Result<Vec<PairLine>, sqlx::Error> {
        let act = Act {
            actor: Some(actor),
            player: filter.player,
            detail: Some(json!({"from": rfc3339_ms::text(filter.from), "to": rfc3339_ms::text(filter.to)})),
            ..Act::new(Action::ReportsPairs)
        };
        audit::record(&self.pool, act).await?;
        ledger::pairs(&self.pool, filter).await
    }
}
