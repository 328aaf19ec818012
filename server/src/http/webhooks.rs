//! Callbacks of the payment provider.

use axum::{
    Json,
    body::Bytes,
    extract::{FromRef, FromRequest as _, Request, State},
};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    code::Code,
    http::problem::{Problem, ProblemBody},
    i18n::FieldRule,
    wallet::{CallbackError, EventOutcome, PaymentEvent, Wallet, webhooks::RefusedCallback},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Wallet: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(payments))
}

/// What was done with an event. Whatever it says, the event is kept and need not be sent again.
#[derive(Debug, Serialize, ToSchema)]
struct Taken {
    /// What came of it.
    outcome: EventOutcome,
}

/// What an event looks like. `data` of other types is not looked into.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its schema is used: the signature is over the bytes, which are read by hand")]
struct CallbackBody {
    /// `payment.succeeded`, `payment.failed`, `payout.succeeded`, `payout.failed`; any other is kept and does nothing.
    #[schema(example = "payment.succeeded", min_length = 1, max_length = 255, pattern = "^[!-~]+$")]
    r#type: String,
    /// With `…succeeded`: `payment` (the provider's own name of it, 1 to 255 visible ASCII characters), `reference` (the id
    /// of the deposit or withdrawal, or any text of at most 255 characters), `amount` in minor units and `currency`. With
    /// `…failed`: `reference`, and `reason` as a text.
    #[schema(value_type = Object)]
    data: serde_json::Value,
}

/// A callback of the payment provider
///
/// Signed after the Standard Webhooks specification with one of the secrets of the deployment. A replay changes nothing:
/// an event counts once by its `webhook-id`, and a payment once by the provider's name of it, whatever event tells of it.
/// What contradicts that, another event under the same id or the same payment told otherwise, changes nothing either.
/// Money that fits nothing is put in suspense and shown to the staff.
#[utoipa::path(post, path = "/v1/webhooks/payments", operation_id = "payment_callback", tag = "Callbacks",
    request_body = CallbackBody,
    params(
        ("webhook-id" = String, Header, min_length = 1, max_length = 255, pattern = "^[!-~]+$", description = "The event: the same for each repeat of it"),
        ("webhook-timestamp" = i64, Header, description = "Seconds since 1970, at most five minutes away"),
        ("webhook-signature" = String, Header, description = "`v1,` and the base64 of an HMAC-SHA256 of `id.timestamp.body`; several are separated by spaces"),
    ), responses(
    (status = 200, body = Taken),
    (status = 401, description = "`bad_signature`: nothing is kept", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`: signed, but not JSON with a `type`, or with a key given twice, or with a `webhook-id` that is no name, or under which an event with another body was kept", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn payments(State(wallet): State<Wallet>, request: Request) -> Result<Json<Taken>, Problem> {
    let headers = request.headers().clone();
    let body = match Bytes::from_request(request, &()).await {
        Ok(body) => body,
        Err(rejection) if rejection.status() == 413 => return Err(Problem::new(Code::PayloadTooLarge)),
        Err(_) => return Err(Problem::new(Code::RequestTimeout)),
    };
    let id = wallet.settings().webhook_keys.verify(&headers, &body).map_err(|error| {
        tracing::warn!(%error, bytes = body.len(), "a payment callback was not looked into");
        Problem::from(error)
    })?;
    let event = PaymentEvent::read(id, &body).ok_or_else(|| {
        let expected = FieldRule::Malformed(
            "um evento JSON com `type` de 1 a 255 caracteres ASCII visíveis, sem chave repetida",
            "an event in JSON with a `type` of 1 to 255 visible ASCII characters, no key given twice",
        );
        Problem::field("body", expected)
    })?;
    Ok(Json(Taken { outcome: wallet.callback(event).await? }))
}

impl From<RefusedCallback> for Problem {
    fn from(refused: RefusedCallback) -> Self {
        match refused {
            RefusedCallback::Signature(_) => Self::new(Code::BadSignature),
            RefusedCallback::Id => {
                let expected = FieldRule::Malformed(
                    "de 1 a 255 caracteres ASCII visíveis, sem espaços",
                    "1 to 255 visible ASCII characters, no spaces",
                );
                Self::field("webhook-id", expected)
            }
        }
    }
}

impl From<CallbackError> for Problem {
    fn from(error: CallbackError) -> Self {
        match error {
            CallbackError::OtherEvent => {
                let expected = FieldRule::Malformed(
                    "um id que nenhum outro evento tenha usado",
                    "an id that no other event has used",
                );
                Self::field("webhook-id", expected)
            }
            CallbackError::Database(error) => error.into(),
            CallbackError::Stopped(_) => Self::new(Code::Stopping),
        }
    }
}
