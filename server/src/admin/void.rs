//! Voiding a live match: both stakes go back, the house takes nothing (MA-3).

use crate::{
    admin::Office,
    db,
    ids::{MatchId, PlayerId},
    matches::{Refusal, VoidOrder},
};

/// Why a match was not voided.
#[derive(Debug, thiserror::Error)]
pub enum VoidError {
    /// The match says why; it is as it was.
    #[error("the match refused: {0:?}")]
    Refused(Refusal),
    /// The work did not come to an end.
    #[error(transparent)]
    Stopped(#[from] db::Stopped),
}

impl Office {
    /// Voids a live match through its owner, which also decides what comes first: this, or the end it is about to
    /// have. The line in the audit log is written with the settlement, in one transaction. Gives the `seq` of the end.
    pub async fn void(&self, actor: PlayerId, id: MatchId, reason: String) -> Result<u32, VoidError> {
        let matches = self.matches.clone();
        db::uncut(&self.tasks, async move {
            matches.void(id, VoidOrder { by: actor, reason }).await.map_err(VoidError::Refused)
        })
        .await
    }
}
