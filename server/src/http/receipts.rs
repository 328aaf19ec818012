//! Signed receipts of matches, and the keys to check them with (L-12).

use axum::{
    Json,
    extract::{FromRef, State},
};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    code::Code,
    http::{
        extract::Named,
        problem::{Problem, ProblemBody},
    },
    ids::MatchId,
    matches::receipt::{PublicKeys, ReceiptError, Receipts, SignedReceipt},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Receipts: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(receipt)).routes(routes!(receipt_key))
}

/// The signed receipt of an ended match
///
/// With the record and the key, so that the answer kept as a file can be checked by anybody, at any time, without this
/// server: `stakeboard-server receipt verify FILE --key KEYS`. No token is needed.
#[utoipa::path(get, path = "/v1/matches/{id}/receipt", tag = "Matches", params(("id" = MatchId, Path, description = "The match")), responses(
    (status = 200, body = SignedReceipt),
    (status = 404, description = "`not_found`: no such match, or it has not ended; `no_receipt`: it is a friendly one", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn receipt(State(receipts): State<Receipts>, Named(id): Named<MatchId>) -> Result<Json<SignedReceipt>, Problem> {
    Ok(Json(receipts.of(id).await?))
}

/// The keys that receipts are checked with
///
/// The first signs; the others signed earlier receipts. No token is needed.
#[utoipa::path(get, path = "/.well-known/stakeboard-receipt-key", tag = "Service", responses(
    (status = 200, body = PublicKeys),
))]
async fn receipt_key(State(receipts): State<Receipts>) -> Json<PublicKeys> {
    Json(receipts.keys().public())
}

impl From<ReceiptError> for Problem {
    fn from(error: ReceiptError) -> Self {
        match error {
            ReceiptError::NotFound => Self::new(Code::NotFound),
            ReceiptError::Friendly => Self::new(Code::NoReceipt),
            ReceiptError::Load(error) => error.into(),
        }
    }
}
