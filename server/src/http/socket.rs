//! The way to the socket.

use std::sync::Arc;

use axum::{
    extract::{FromRef, State, WebSocketUpgrade},
    http::{HeaderMap, header},
    response::Response,
};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    code::Code,
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
    Origins: FromRef<S>,
    Realtime: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(socket))
}

/// The origins of pages that may open a socket; none named means those of the server's own host. Copies share the list.
#[derive(Clone, Debug)]
pub struct Origins(Arc<[String]>);

impl Origins {
    /// Of the settings.
    pub fn new(named: &[String]) -> Self {
        Self(named.into())
    }

    /// Whether whoever sent these headers may. A browser always names the page's origin, and no page can have it
    /// otherwise; other programs need not.
    fn allow(&self, headers: &HeaderMap) -> bool {
        let mut named = headers.get_all(header::ORIGIN).iter();
        let origin = match (named.next(), named.next()) {
            (None, _) => return true,
            (Some(origin), None) => origin.to_str().unwrap_or_default(),
            (Some(_), Some(_)) => return false,
        };
        if !self.0.is_empty() {
            return self.0.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin));
        }
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let of_page = origin.split_once("://").map(|(_, authority)| authority);
        of_page.zip(host).is_some_and(|(of_page, host)| of_page.eq_ignore_ascii_case(host))
    }
}

/// The socket
///
/// A WebSocket with JSON text frames of at most 4 KiB from the client. The first is `hello`, or the upgrade carries an
/// `Authorization` header. Requests are described by the schema `SocketRequest`, what the server sends by
/// `SocketMessage`; each request may carry `id`, a number or a text of the client's own, that its answer repeats.
#[utoipa::path(get, path = "/v1/ws", tag = "Socket", security((), ("bearer" = [])), responses(
    (status = 101, description = "The socket is open. Frames: `SocketRequest` from the client, `SocketMessage` from the server.", body = Request),
    (status = 403, description = "`origin_refused`: the request comes from a page of another site", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`: not a WebSocket upgrade", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn socket(
    State(realtime): State<Realtime>,
    State(origins): State<Origins>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    if !origins.allow(&headers) {
        return Err(Problem::new(Code::OriginRefused));
    }
    let upgrade = upgrade.map_err(|_| {
        let expected = FieldRule::Malformed("um pedido de upgrade para WebSocket", "a request to upgrade to WebSocket");
        Problem::field("upgrade", expected)
    })?;
    Ok(realtime::upgrade(realtime, upgrade, bearer(&headers).map(str::to_owned)))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_page_opens_a_socket_to_its_own_site_or_one_that_is_named() {
        let cases: [(&[&str], &[&str], bool); 10] = [
            (&[], &[], true),
            (&[], &["https://play.example"], true),
            (&[], &["http://PLAY.example"], true),
            (&[], &["https://evil.example"], false),
            (&[], &["https://play.example.evil.example"], false),
            (&[], &["https://play.example:8443"], false),
            (&[], &["null"], false),
            (&[], &["https://play.example", "https://play.example"], false),
            (&["https://other.example"], &["https://other.example"], true),
            (&["https://other.example"], &["https://play.example"], false),
        ];
        for (named, sent, allowed) in cases {
            let named: Vec<String> = named.iter().map(|&origin| origin.to_owned()).collect();
            let mut headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static("play.example"))]);
            for origin in sent {
                headers.append(header::ORIGIN, origin.parse().expect("a header"));
            }
            assert_eq!(Origins::new(&named).allow(&headers), allowed, "{named:?} {sent:?}");
        }
    }
}
