//! The service about itself.

use ::metrics::gauge;
use axum::{
    Json,
    extract::{FromRef, State},
    http::header,
    response::{Html, IntoResponse},
    routing::get,
};
use serde::Serialize;
use sqlx::PgPool;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    code::Code,
    http::{
        asyncapi, docs, openapi,
        problem::{Problem, ProblemBody},
    },
    i18n::Language,
    lifecycle::Readiness,
    matches::receipt::PublicKey,
    money::Cents,
    telemetry::Metrics,
};

/// What clients need to know of a deployment.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ConfigView {
    /// ISO 4217. All amounts are integers of its minor units.
    pub currency: String,
    /// The house's share of a decided pot, in per cent.
    pub fee_percent: u8,
    /// Each player's time for a match, in milliseconds.
    pub clock_ms: u32,
    /// The smallest stake.
    pub stake_min: Cents,
    /// The largest stake.
    pub stake_max: Cents,
    /// Stakes are multiples of this.
    pub stake_step: Cents,
    /// The smallest deposit.
    pub deposit_min: Cents,
    /// The largest deposit.
    pub deposit_max: Cents,
    /// Whether a player can take back a withdrawal that nobody has decided on.
    pub withdrawal_cancellation: bool,
    /// Whether new stakes need a verified identity.
    pub identity_for_stakes: bool,
    /// Whether a withdrawal needs a verified identity.
    pub identity_for_withdrawals: bool,
    /// The youngest a player may be, in years.
    pub minimum_age: u8,
    /// The key that signs receipts; all of them are at `/.well-known/stakeboard-receipt-key`.
    pub receipt_key: PublicKey,
    /// How often a socket is sent a protocol ping, in milliseconds; three without an answer close it.
    pub heartbeat_ms: u32,
    /// How long a poster may be without a socket before a posting is withdrawn, in milliseconds.
    pub away_ms: u64,
    /// Limits on rate and number.
    pub limits: LimitsView,
}

/// Limits on rate and number. Over one: 429 with `Retry-After`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LimitsView {
    /// HTTP requests of a player a second, sustained.
    pub http_per_second: u32,
    /// HTTP requests of a player at once.
    pub http_burst: u32,
    /// Frames of a socket a second, sustained.
    pub socket_frames_per_second: u32,
    /// Frames of a socket at once.
    pub socket_frames_burst: u32,
    /// Bytes of a frame.
    pub socket_frame_bytes: usize,
    /// How long a socket may take to say who it is, in milliseconds.
    pub socket_hello_ms: u64,
    /// Matches that one socket can watch.
    pub socket_watches: usize,
    /// Sockets of a player; one more closes the oldest.
    pub sockets: u16,
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// How long a request may take to arrive and to be answered, in milliseconds.
    pub request_ms: u64,
    /// For how many hours the answer to an `Idempotency-Key` is kept, and given to repeats.
    pub idempotency_key_hours: u8,
    /// Open seeks of a player.
    pub seeks: i64,
    /// Open tables of a player.
    pub tables: i64,
    /// Friendly matches of a player at once.
    pub friendly_matches: i64,
    /// Friendly matches of each of the bots at once.
    pub bot_matches: i64,
    /// Open practice sessions of a player; one more drops the oldest.
    pub practice_sessions: usize,
    /// Failed log-ins to one account at once.
    pub login_failures: u32,
    /// Exchanges of refresh tokens in one session at once; after that one a second.
    pub refreshes: u32,
}

/// The routes of this file that are part of the interface.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    ConfigView: FromRef<S>,
    Metrics: FromRef<S>,
    PgPool: FromRef<S>,
    Readiness: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(config))
        .routes(routes!(healthz))
        .routes(routes!(readyz))
        .routes(routes!(metrics))
        .routes(routes!(document))
        .routes(routes!(socket_document))
        .routes(routes!(reference))
        .route(docs::STYLE_PATH, get(style))
}

/// What clients need to know of this deployment
///
/// No token is needed.
#[utoipa::path(get, path = "/v1/config", tag = "Service", responses((status = 200, body = ConfigView)))]
async fn config(State(config): State<ConfigView>) -> Json<ConfigView> {
    Json(config)
}

/// Whether the process is up
#[utoipa::path(get, path = "/healthz", tag = "Service", responses(
    (status = 200, description = "It is.", body = String, content_type = "text/plain"),
))]
async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether a move could be committed
#[utoipa::path(get, path = "/readyz", tag = "Service", responses(
    (status = 200, description = "It could.", body = String, content_type = "text/plain"),
    (status = 503, description = "`paused`, `stopping`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn readyz(State(readiness): State<Readiness>) -> Result<&'static str, Problem> {
    if readiness.stopping() {
        Err(Problem::new(Code::Stopping))
    } else if readiness.paused() {
        Err(Problem::new(Code::Paused))
    } else {
        Ok("ready\n")
    }
}

/// Metrics for Prometheus
#[utoipa::path(get, path = "/metrics", tag = "Service", responses(
    (status = 200, description = "In Prometheus' text format.", body = String, content_type = "text/plain"),
))]
async fn metrics(
    State(metrics): State<Metrics>,
    State(readiness): State<Readiness>,
    State(pool): State<PgPool>,
) -> impl IntoResponse {
    // What is a state and no event is looked at when it is asked for.
    gauge!("stakeboard_ready").set(u8::from(!readiness.stopping() && !readiness.paused()));
    let idle = u32::try_from(pool.num_idle()).unwrap_or(u32::MAX);
    gauge!("stakeboard_database_connections", "state" => "idle").set(idle);
    gauge!("stakeboard_database_connections", "state" => "used").set(pool.size().saturating_sub(idle));
    gauge!("stakeboard_database_connections_max").set(pool.options().get_max_connections());
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], metrics.render())
}

/// This document
#[utoipa::path(get, path = "/openapi.yaml", tag = "Service", responses(
    (status = 200, description = "OpenAPI 3.1.", body = serde_json::Value, content_type = "application/yaml"),
))]
async fn document() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/yaml")], openapi::yaml())
}

/// The document of the socket
#[utoipa::path(get, path = "/asyncapi.yaml", tag = "Service", responses(
    (status = 200, description = "AsyncAPI 3.0.", body = serde_json::Value, content_type = "application/yaml"),
))]
async fn socket_document() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/yaml")], asyncapi::yaml())
}

/// The interface for people to read
#[utoipa::path(get, path = "/docs", operation_id = "docs", tag = "Service", responses(
    (status = 200, description = "A page without outside assets.", body = String, content_type = "text/html"),
))]
async fn reference(language: Language) -> impl IntoResponse {
    let headers = [(header::CONTENT_LANGUAGE, language.tag()), (header::VARY, "accept-language")];
    (headers, Html(docs::page(language)))
}

/// How the page above looks.
async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8"), (header::CACHE_CONTROL, "max-age=3600")], docs::STYLE)
}
