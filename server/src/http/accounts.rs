//! Signing up, logging in, and the player's own profile.

mod answers;
mod deletion;
mod password;
mod protection;
mod second_factor;
mod sign_up;

use axum::{
    Json,
    extract::{FromRef, State},
    http::{HeaderName, StatusCode, header},
};
use serde::{Deserialize, Deserializer, Serialize};
use tokio_util::task::TaskTracker;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub use sign_up::create_account;

use crate::{
    auth::{Auth, LogIn, Opened, Password, RefreshToken},
    code::Code,
    db::uncut,
    http::{
        caller::{Caller, MaybeCaller},
        extract::{Body, Nothing},
        limits::{Peer, rate_limited},
        problem::{Problem, ProblemBody},
    },
    lobby::Lobby,
    players::{self, DisplayName, Me, profile},
};
use sign_up::SignUp;

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Lobby: FromRef<S>,
    TaskTracker: FromRef<S>,
{
    OpenApiRouter::new()
        .merge(deletion::router())
        .merge(password::router())
        .merge(protection::router())
        .merge(second_factor::router())
        .routes(routes!(register))
        .routes(routes!(log_in))
        .routes(routes!(refresh))
        .routes(routes!(log_out))
        .routes(routes!(guest))
        .routes(routes!(me, change_me))
}

/// A new account.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    /// The address to log in with, at most 254 characters. Capitals do not matter.
    #[schema(format = Email, max_length = 254)]
    email: String,
    /// 10 to 200 characters, not easy to guess.
    password: Password,
    /// What others see: 2 to 40 characters, none of them invisible, no space at an end.
    #[schema(min_length = 2, max_length = 40)]
    display_name: String,
    /// `YYYY-MM-DD`.
    #[schema(format = Date, example = "1990-05-17")]
    birth_date: String,
}

/// Who logs in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// The address of the account.
    email: String,
    /// Its password.
    password: Password,
    /// Where the account has a second factor: a code of its authenticator, or one to fall back on.
    #[schema(max_length = 64)]
    code: Option<String>,
    /// Another password, to take the place of this one; every other session of the player ends. Needed where the operator
    /// gave the password.
    new_password: Option<Password>,
}

/// A refresh token to exchange.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Refresh {
    /// The newest one of the session.
    refresh_token: RefreshToken,
}

/// A new guest.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewGuest {
    /// What others see, as for an account. One is made up where it is missing.
    #[schema(min_length = 2, max_length = 40)]
    display_name: Option<String>,
}

/// What to change of the profile; what is missing stays as it is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// What others see: 2 to 40 characters, none of them invisible, no space at an end.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, required = false, min_length = 2, max_length = 40)]
    display_name: Option<String>,
}

/// A field that may be missing but not null.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(Some)
}

/// A player with the tokens of a session.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignedIn {
    /// The player.
    player: Me,
    /// Sent as `Authorization: Bearer …`, good for minutes and only while its session runs.
    access_token: String,
    /// For `POST /v1/auth/refresh`; good for one exchange, then replaced by the new one.
    refresh_token: RefreshToken,
    /// Seconds until the access token expires.
    expires_in: u64,
}

/// An answer with secrets in it: nobody between us and the client is to keep it.
type Secret = ([(HeaderName, &'static str); 1], Json<SignedIn>);

fn signed_in(auth: &Auth, opened: Opened, player: Me) -> Result<Secret, Problem> {
    let access = auth.access_token(&opened).map_err(|error| Problem::internal(&error))?;
    let answer = SignedIn {
        player,
        access_token: access.token,
        refresh_token: opened.refresh_token,
        expires_in: access.lifetime.as_secs(),
    };
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(answer)))
}

/// Sign up
///
/// With a guest's token the guest becomes the account: same identifier, everything played so far is kept, and the
/// guest's tokens end.
#[utoipa::path(
    post, path = "/v1/auth/register", tag = "Accounts", security((), ("bearer" = [])), request_body = Registration,
    responses(
        (status = 201, description = "The account and its first session", body = SignedIn),
        (status = 401, description = "`unauthenticated`: a token was sent that is not valid",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, description = "`email_taken`, `display_name_taken`; `already_registered`: the token is an account's",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "`invalid_request`, `underage`, `weak_password`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 429, description = "`rate_limited`: too many sign-ups from this address",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "`overloaded`, `paused`",
            body = ProblemBody, content_type = "application/problem+json"),
    )
)]
async fn register(
    State(auth): State<Auth>,
    State(tasks): State<TaskTracker>,
    MaybeCaller(caller): MaybeCaller,
    Peer(peer): Peer,
    Body(registration): Body<Registration>,
) -> Result<(StatusCode, Secret), Problem> {
    let guest = match caller {
        Some(caller) if !caller.guest => return Err(Problem::new(Code::AlreadyRegistered)),
        Some(caller) => Some(caller.player),
        None => None,
    };
    let sign_up = SignUp::check(registration, auth.clock().wall().date(), auth.settings().minimum_age)?;
    auth.count_sign_up(peer).map_err(rate_limited)?;
    let account = sign_up.hashed(&auth).await?;
    uncut(&tasks, async move {
        let entered = sign_up::register(&auth, guest, account).await?;
        Ok((StatusCode::CREATED, signed_in(&auth, entered.opened, entered.player)?))
    })
    .await
}

/// Log in
#[utoipa::path(
    post, path = "/v1/auth/login", tag = "Accounts", security(()), request_body = Credentials,
    responses(
        (status = 200, description = "The account and a new session", body = SignedIn),
        (status = 401, description = "`bad_credentials`: the same for an unknown address and a wrong password; `code_needed`: the account has a second factor; `bad_code`; `new_password_needed`: the operator gave the password, which is good for one log-in that replaces it",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "`invalid_request`; `weak_password`: the new one",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 429, description = "`rate_limited`: too many log-ins have failed; the right password waits too",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "`overloaded`, `paused`",
            body = ProblemBody, content_type = "application/problem+json"),
    )
)]
async fn log_in(
    State(auth): State<Auth>,
    State(tasks): State<TaskTracker>,
    Peer(peer): Peer,
    Body(credentials): Body<Credentials>,
) -> Result<Secret, Problem> {
    uncut(&tasks, async move {
        let Credentials { email, password, code, new_password } = credentials;
        let asked = LogIn { email_key: players::email_key(&email), password, code, new_password };
        let opened = auth.log_in(asked, peer).await?;
        let player = profile::read(auth.pool(), opened.player).await?;
        signed_in(&auth, opened, player)
    })
    .await
}

/// Exchange a refresh token
///
/// Each token is good for one exchange. Within a few seconds of it the token may be sent again, for requests that
/// ran side by side; later, that ends the whole session.
#[utoipa::path(
    post, path = "/v1/auth/refresh", tag = "Accounts", security(()), request_body = Refresh,
    responses(
        (status = 200, description = "The player and new tokens of the same session", body = SignedIn),
        (status = 401, description = "`unauthenticated`: the token is unknown, expired or used, or its session ended",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "`invalid_request`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "`overloaded`, `paused`",
            body = ProblemBody, content_type = "application/problem+json"),
    )
)]
async fn refresh(
    State(auth): State<Auth>,
    State(tasks): State<TaskTracker>,
    Body(refresh): Body<Refresh>,
) -> Result<Secret, Problem> {
    uncut(&tasks, async move {
        let opened = auth.refresh(&refresh.refresh_token).await?;
        let player = profile::read(auth.pool(), opened.player).await?;
        signed_in(&auth, opened, player)
    })
    .await
}

/// Log out
///
/// Ends the session of the access token: none of its tokens is good any more, and its sockets close.
#[utoipa::path(
    post, path = "/v1/auth/logout", tag = "Accounts", security(("bearer" = [])),
    responses(
        (status = 204, description = "The session has ended"),
        (status = 422, description = "`invalid_request`: there is nothing to be said with it",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "`paused`",
            body = ProblemBody, content_type = "application/problem+json"),
    )
)]
async fn log_out(
    State(auth): State<Auth>,
    State(tasks): State<TaskTracker>,
    caller: Caller,
    _: Option<Body<Nothing>>,
) -> Result<StatusCode, Problem> {
    uncut(&tasks, async move {
        auth.log_out(caller.session).await?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

/// Play as a guest
///
/// Guests play for nothing: practice and streaks. The body may be left out.
#[utoipa::path(
    post, path = "/v1/auth/guest", tag = "Accounts", security(()), request_body = Option<NewGuest>,
    responses(
        (status = 201, description = "The guest and a session", body = SignedIn),
        (status = 409, description = "`display_name_taken`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "`invalid_request`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 429, description = "`rate_limited`: too many sign-ups from this address",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "`paused`",
            body = ProblemBody, content_type = "application/problem+json"),
    )
)]
async fn guest(
    State(auth): State<Auth>,
    State(tasks): State<TaskTracker>,
    Peer(peer): Peer,
    new: Option<Body<NewGuest>>,
) -> Result<(StatusCode, Secret), Problem> {
    let display_name = new.and_then(|Body(new)| new.display_name);
    let display_name = display_name.as_deref().map(parse_name).transpose()?;
    auth.count_sign_up(peer).map_err(rate_limited)?;
    uncut(&tasks, async move {
        let entered = sign_up::guest(&auth, display_name).await?;
        Ok((StatusCode::CREATED, signed_in(&auth, entered.opened, entered.player)?))
    })
    .await
}

/// One's own profile
#[utoipa::path(
    get, path = "/v1/me", tag = "Accounts", security(("bearer" = [])),
    responses(
        (status = 200, description = "The player of the token", body = Me),
        (status = 503, description = "`paused`",
            body = ProblemBody, content_type = "application/problem+json"),
    )
)]
async fn me(State(auth): State<Auth>, caller: Caller) -> Result<Json<Me>, Problem> {
    Ok(Json(profile::read(auth.pool(), caller.player).await?))
}

/// Change one's own profile
#[utoipa::path(
    patch, path = "/v1/me", tag = "Accounts", security(("bearer" = [])), request_body = Change,
    responses(
        (status = 200, description = "The profile as it is now", body = Me),
        (status = 409, description = "`display_name_taken`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "`invalid_request`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "`paused`",
            body = ProblemBody, content_type = "application/problem+json"),
    )
)]
async fn change_me(State(auth): State<Auth>, caller: Caller, Body(change): Body<Change>) -> Result<Json<Me>, Problem> {
    if let Some(text) = &change.display_name {
        players::rename(auth.pool(), caller.player, &parse_name(text)?).await?;
    }
    Ok(Json(profile::read(auth.pool(), caller.player).await?))
}

fn parse_name(text: &str) -> Result<DisplayName, Problem> {
    DisplayName::of_player(text).map_err(|error| Problem::field("display_name", answers::name_rule(error)))
}
