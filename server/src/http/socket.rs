//! The way to the socket.

use axum::{
    extract::{FromRef, State, WebSocketUpgrade},
    http::HeaderMap,
    response::Response,
};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    http::{
        caller::bearer,
        problem::{Problem, ProblemBody},
    },
    i18n::FieldRule,
    realtime::{self, Realtime, Request},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Realtime: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(socket))
}

/// The socket
///
/// A WebSocket with JSON text frames of at most 4 KiB from the client. The first is `hello`, or the upgrade carries an
/// `Authorization` header. Requests are described by the schema `SocketRequest`, what the server sends by
/// `SocketMessage`; each request may carry `id`, a number or a text of the client's own, that its answer repeats.
#[utoipa::path(get, path = "/v1/ws", tag = "Socket", security((), ("bearer" = [])), responses(
    (status = 101, description = "The socket is open. Frames: `SocketRequest` from the client, `SocketMessage` from the server.", body = Request),
    (status = 422, description = "`invalid_request`: not a WebSocket upgrade", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn socket(
    State(realtime): State<Realtime>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    let upgrade = upgrade.map_err(|_| {
        let expected = FieldRule::Malformed("um pedido de upgrade para WebSocket", "a request to upgrade to WebSocket");
        Problem::field("upgrade", expected)
    })?;
    Ok(realtime::upgrade(realtime, upgrade, bearer(&headers).map(str::to_owned)))
}
