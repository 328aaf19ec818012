//! The table of contents of the HTTP interface, and what every request goes through.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{DefaultBodyLimit, FromRef as _, MatchedPath, Request, State},
    http::{HeaderName, HeaderValue, StatusCode, Uri, header},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use tower::ServiceBuilder;
use tower_http::{
    catch_panic::CatchPanicLayer,
    request_id::{MakeRequestUuid, PropagateRequestIdLayer, RequestId, SetRequestIdLayer},
    set_header::SetResponseHeaderLayer,
};
use tracing::Instrument as _;
use utoipa_axum::router::OpenApiRouter;

use crate::{
    app::AppState,
    clock::Clock,
    code::Code,
    http::{
        accounts, admin, analysis, complaints, games,
        limits::{self, HttpLimits},
        lobby, matches, openapi, players, practice,
        problem::{self, Problem},
        query, queue, receipts, rematch, sandbox, service, socket, tables,
        tunnel::{self, Tunnel},
        wallet, web, webhooks,
    },
    ids::MatchId,
    lifecycle::Readiness,
};

/// The largest body that is read, in bytes.
pub const LARGEST_BODY: usize = 64 * 1_024;
/// How long a request may take to arrive and to be answered.
pub const PATIENCE: Duration = Duration::from_secs(15);
/// How long it may take while the database can't be written to.
const PATIENCE_WHILE_PAUSED: Duration = Duration::from_millis(500);

/// Every route with its description.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(openapi::base())
        .merge(service::router())
        .merge(games::router())
        .merge(accounts::router())
        .merge(wallet::router())
        .merge(webhooks::router())
        .merge(players::router())
        .merge(lobby::router())
        .merge(queue::router())
        .merge(tables::router())
        .merge(matches::router())
        .merge(rematch::router())
        .merge(analysis::router())
        .merge(complaints::router())
        .merge(receipts::router())
        .merge(socket::router())
        .merge(practice::router())
        .merge(sandbox::router())
        .merge(admin::router())
        .merge(web::router())
}

/// The service: routes and what every request goes through, outermost first.
pub fn service(state: AppState, limits: HttpLimits, tunnel: Tunnel) -> Router {
    let clock = Clock::from_ref(&state);
    let (router, document) = routes().split_for_parts();
    let queries = Arc::new(query::documented(&document));
    router
        .fallback(web::nowhere)
        .method_not_allowed_fallback(async || Problem::new(Code::MethodNotAllowed))
        .layer(
            ServiceBuilder::new()
                .layer(SetRequestIdLayer::new(REQUEST_ID, MakeRequestUuid))
                .layer(PropagateRequestIdLayer::new(REQUEST_ID))
                .layer(security_header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
                .layer(security_header(HeaderName::from_static("cross-origin-resource-policy"), "same-origin"))
                .layer(document_header(header::X_FRAME_OPTIONS, "DENY"))
                .layer(document_header(header::REFERRER_POLICY, "no-referrer"))
                .layer(document_header(header::CONTENT_SECURITY_POLICY, web::CONTENT_POLICY))
                .layer(document_header(HeaderName::from_static("cross-origin-opener-policy"), "same-origin"))
                .layer(document_header(HeaderName::from_static("permissions-policy"), web::PERMISSIONS_POLICY))
                .layer(SetResponseHeaderLayer::if_not_present(
                    header::CACHE_CONTROL,
                    HeaderValue::from_static("no-store"),
                ))
                .layer(middleware::from_fn(move |request, next| observe(clock, request, next)))
                .layer(middleware::from_fn(problem::speak))
                .layer(CatchPanicLayer::custom(panicked))
                .layer(middleware::from_fn_with_state(limits, limits::limit))
                .layer(middleware::from_fn_with_state(queries, query::refuse_unknown))
                .layer(middleware::from_fn_with_state(Readiness::from_ref(&state), patience))
                .layer(middleware::from_fn_with_state(tunnel, tunnel::hand_on))
                .layer(DefaultBodyLimit::max(LARGEST_BODY)),
        )
        .with_state(state)
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

fn security_header(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
}

/// A header for whatever can be shown by itself. A module or a style can't be, and on a slow line these words would
/// weigh more than many a module.
fn document_header(
    name: HeaderName,
    value: &'static str,
) -> SetResponseHeaderLayer<impl FnMut(&Response) -> Option<HeaderValue> + Clone> {
    let make = move |response: &Response| {
        let shown = response.extensions().get::<web::Asset>().is_none();
        shown.then(|| HeaderValue::from_static(value))
    };
    SetResponseHeaderLayer::overriding(name, make)
}

/// Logs each request once, when it is answered, and measures it.
async fn observe(clock: Clock, request: Request, next: Next) -> Response {
    let began = clock.now();
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |path| path.as_str().to_owned());
    let id = request.extensions().get::<RequestId>().and_then(|id| id.header_value().to_str().ok()).map(str::to_owned);
    let request_id = id.as_deref().unwrap_or_default();
    let span = tracing::info_span!(
        "request",
        otel.name = format!("{method} {route}"),
        otel.kind = "server",
        request_id,
        %method,
        route,
        // Told once the token has been read.
        player = tracing::field::Empty,
        match_id = match_named(&route, request.uri()).map(tracing::field::display),
    );
    let response = next.run(request).instrument(span.clone()).await;
    let seconds = clock.now().saturating_duration_since(began).as_secs_f64();
    let status = response.status().as_u16();
    metrics::histogram!("stakeboard_http_request_seconds", "route" => route.clone(), "status" => status.to_string())
        .record(seconds);
    // Inside, so that the line says whose request it was, and about which match.
    span.in_scope(|| tracing::debug!(status, duration_ms = seconds * 1_000.0, "answered"));
    response
}

/// The match that the path of a request names, where it does.
fn match_named(route: &str, uri: &Uri) -> Option<MatchId> {
    route.starts_with("/v1/matches/{id}").then(|| uri.path().split('/').nth(3)?.parse().ok()).flatten()
}

/// A body that never ends, and work that takes too long, end in a problem. Sockets have left by then.
///
/// A request that still waits while the database can't be written to is told so, rather than nothing. Work in a task of
/// its own goes on in either case, unheard: the words of both codes say that it may have been done.
async fn patience(State(readiness): State<Readiness>, request: Request, next: Next) -> Response {
    let paused = async {
        tokio::time::sleep(PATIENCE_WHILE_PAUSED).await;
        readiness.until_paused().await;
    };
    tokio::select! {
        answered = tokio::time::timeout(PATIENCE, next.run(request)) => {
            answered.unwrap_or_else(|_| Problem::new(Code::RequestTimeout).into_response())
        }
        () = paused => Problem::new(Code::Paused).into_response(),
    }
}

/// A panic is our own fault: it is logged, and nobody else notices.
#[expect(clippy::needless_pass_by_value, reason = "the signature is that of the layer")]
fn panicked(cause: Box<dyn std::any::Any + Send>) -> Response {
    let words = cause
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| cause.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without words");
    tracing::error!(panic = words, "a request panicked");
    let mut response = StatusCode::INTERNAL_SERVER_ERROR.into_response();
    response.extensions_mut().insert(Problem::new(Code::Internal));
    response
}
