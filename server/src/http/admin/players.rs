//! Looking for players, and acts on them.

use axum::{
    Json,
    extract::{FromRef, State},
    http::StatusCode,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    admin::{Frozen, Office, PlayerFilter, PlayerLine, Running},
    auth::Auth,
    clock::rfc3339_ms,
    http::{
        admin::{Because, words},
        cursor::Question,
        extract::{Body, Named, Params},
        page::{Page, limit},
        problem::{Problem, ProblemBody},
        staff::{Admin, Reader},
    },
    ids::PlayerId,
    players::Identity,
    role::Role,
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Office: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(players))
        .routes(routes!(roles))
        .routes(routes!(freeze))
        .routes(routes!(unfreeze))
        .routes(routes!(identity))
        .routes(routes!(forget_second_factor))
        .routes(routes!(reset_password))
}

/// Which players are looked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct PlayersQuery {
    /// Only this one.
    id: Option<PlayerId>,
    /// Only with this in their address; capitals do not matter.
    email: Option<String>,
    /// Only with this in their display name; capitals do not matter.
    name: Option<String>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// Players
///
/// Newest first. For admins and auditors; each look is in the audit log.
#[utoipa::path(get, path = "/v1/admin/players", tag = "Administration", security(("bearer" = [])), params(PlayersQuery), responses(
    (status = 200, body = Page<PlayerLine>),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn players(
    State(office): State<Office>,
    Reader(caller): Reader,
    question: Question,
    Params(query): Params<PlayersQuery>,
) -> Result<Json<Page<PlayerLine>>, Problem> {
    let limit = limit(query.limit)?;
    let filter = PlayerFilter {
        id: query.id,
        email: query.email,
        name: query.name,
        before: question.place::<PlayerId>(query.cursor.as_deref())?,
        limit: limit + 1,
    };
    let items = office.players(caller.player, &filter).await?;
    Ok(Json(Page::cut(items, limit, |line| question.cursor(&line.id))))
}

/// Which roles a player is to have.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewRoles {
    /// All of them; an empty list takes every role away.
    roles: Vec<Role>,
    /// Why: 1 to 1000 characters.
    reason: String,
}

/// The roles of a player.
#[derive(Debug, Serialize, ToSchema)]
struct Roles {
    /// All of them.
    roles: Vec<Role>,
}

/// Give a player roles of the staff
///
/// The list replaces the roles the player has. For admins, on anybody's account but their own.
#[utoipa::path(post, path = "/v1/admin/players/{id}/roles", tag = "Administration", security(("bearer" = [])), request_body = NewRoles,
    params(("id" = PlayerId, Path, description = "The player")), responses(
    (status = 200, description = "The roles as they are now", body = Roles),
    (status = 403, description = "`forbidden`; `guest_account`: the player is a guest", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, `own_account`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn roles(
    State(office): State<Office>,
    Admin(caller): Admin,
    Named(id): Named<PlayerId>,
    Body(request): Body<NewRoles>,
) -> Result<Json<Roles>, Problem> {
    let reason = words("reason", &request.reason)?;
    let roles = office.set_roles(caller.player, id, request.roles, reason).await?;
    Ok(Json(Roles { roles }))
}

/// How a player is to be frozen.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewFreeze {
    /// Why: 1 to 1000 characters.
    reason: String,
    /// What becomes of the match the player is in; `play_on` where it is missing.
    #[serde(default)]
    running: Running,
}

/// Freeze a player
///
/// No new stakes and no deposits, open seeks go, all tokens and sockets end. Logging in again stays possible for
/// what is owed to the player: finishing the running match, reading, withdrawing. With `void` the running match ends
/// and both stakes go back; a 503 then says that the player is frozen but the match is not voided yet, and the call
/// can be repeated. For admins.
#[utoipa::path(post, path = "/v1/admin/players/{id}/freeze", tag = "Administration", security(("bearer" = [])), request_body = NewFreeze,
    params(("id" = PlayerId, Path, description = "The player")), responses(
    (status = 200, body = Frozen),
    (status = 403, description = "`forbidden`; `guest_account`: the player is a guest", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, `own_account`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `stopping`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn freeze(
    State(office): State<Office>,
    Admin(caller): Admin,
    Named(id): Named<PlayerId>,
    Body(request): Body<NewFreeze>,
) -> Result<Json<Frozen>, Problem> {
    let reason = words("reason", &request.reason)?;
    Ok(Json(office.freeze(caller.player, id, reason, request.running).await?))
}

/// Unfreeze a player
///
/// For admins.
#[utoipa::path(post, path = "/v1/admin/players/{id}/unfreeze", tag = "Administration", security(("bearer" = [])), request_body = Because,
    params(("id" = PlayerId, Path, description = "The player")), responses(
    (status = 200, body = Frozen),
    (status = 403, description = "`forbidden`; `guest_account`: the player is a guest", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn unfreeze(
    State(office): State<Office>,
    Admin(caller): Admin,
    Named(id): Named<PlayerId>,
    Body(request): Body<Because>,
) -> Result<Json<Frozen>, Problem> {
    let reason = words("reason", &request.reason)?;
    Ok(Json(office.unfreeze(caller.player, id, reason).await?))
}

/// What is known of a player's identity.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewIdentity {
    /// The new state.
    state: Identity,
    /// Why: 1 to 1000 characters.
    reason: String,
}

/// What is known of a player's identity now.
#[derive(Debug, Serialize, ToSchema)]
struct IdentityState {
    /// The state.
    state: Identity,
}

/// Set what is known of a player's identity
///
/// The operator can require `verified` for new stakes. For admins, on anybody's account but their own.
#[utoipa::path(post, path = "/v1/admin/players/{id}/identity", tag = "Administration", security(("bearer" = [])), request_body = NewIdentity,
    params(("id" = PlayerId, Path, description = "The player")), responses(
    (status = 200, body = IdentityState),
    (status = 403, description = "`forbidden`; `guest_account`: the player is a guest", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, `own_account`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn identity(
    State(office): State<Office>,
    Admin(caller): Admin,
    Named(id): Named<PlayerId>,
    Body(request): Body<NewIdentity>,
) -> Result<Json<IdentityState>, Problem> {
    let reason = words("reason", &request.reason)?;
    let state = office.set_identity(caller.player, id, request.state, reason).await?;
    Ok(Json(IdentityState { state }))
}

/// Take a player's second factor away
///
/// For who has lost the authenticator and the codes to fall back on: the next log-in needs the password alone. Their
/// sessions end. For admins, on anybody's account but their own.
#[utoipa::path(post, path = "/v1/admin/players/{id}/second-factor/reset", tag = "Administration", security(("bearer" = [])), request_body = Because,
    params(("id" = PlayerId, Path, description = "The player")), responses(
    (status = 204, description = "Log-ins of the player need no code."),
    (status = 403, description = "`forbidden`; `guest_account`: the player is a guest", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, `own_account`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn forget_second_factor(
    State(office): State<Office>,
    Admin(caller): Admin,
    Named(id): Named<PlayerId>,
    Body(request): Body<Because>,
) -> Result<StatusCode, Problem> {
    let reason = words("reason", &request.reason)?;
    office.forget_second_factor(caller.player, id, reason).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A password for who has lost theirs.
#[derive(Debug, Serialize, ToSchema)]
struct PasswordForOnce {
    /// Told to its player by the operator, in a way that reaches nobody else. It is shown this once.
    #[schema(example = "k7dm-2hqx-9ytc-4wzp")]
    password: String,
    /// Until when it is good, RFC 3339.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// Give a player a password for one log-in
///
/// For who has lost theirs: there is no mail. The old password is good no longer, and the player's sessions end. The new one
/// is good for one log-in within three days, which has to bring one of the player's own choice (`new_password`); a second
/// factor is asked for as ever. See first who is asking. For admins, on players only: the password of one of the staff is
/// reset on the server's machine (`stakeboard-server admin reset-password`).
#[utoipa::path(post, path = "/v1/admin/players/{id}/password/reset", tag = "Administration", security(("bearer" = [])), request_body = Because,
    params(("id" = PlayerId, Path, description = "The player")), responses(
    (status = 200, body = PasswordForOnce),
    (status = 403, description = "`forbidden`; `guest_account`: the player is a guest; `staff_account`: the player has a role", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, `own_account`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`overloaded`, `paused`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn reset_password(
    State(office): State<Office>,
    Admin(caller): Admin,
    Named(id): Named<PlayerId>,
    Body(request): Body<Because>,
) -> Result<Json<PasswordForOnce>, Problem> {
    let reason = words("reason", &request.reason)?;
    let (password, given) = office.reset_password(caller.player, id, reason).await?;
    Ok(Json(PasswordForOnce { password, expires_at: rfc3339_ms::text(given.expires_at) }))
}
