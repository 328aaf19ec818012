//! The switches.

use axum::{
    Json,
    extract::{FromRef, State},
};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    admin::{Office, Stopped, SwitchError, Switches},
    auth::Auth,
    code::Code,
    http::{
        admin::words,
        extract::Body,
        lobby::game,
        problem::{Problem, ProblemBody},
        staff::{Admin, Reader},
    },
    i18n::FieldRule,
    ids::PlayerId,
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Office: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(switches, set_switches))
}

/// The switches
///
/// What is stopped, by whom and why. For admins and auditors.
#[utoipa::path(get, path = "/v1/admin/switches", tag = "Administration", security(("bearer" = [])), responses(
    (status = 200, body = Switches),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn switches(State(office): State<Office>, Reader(caller): Reader) -> Result<Json<Switches>, Problem> {
    Ok(Json(office.switches(caller.player).await?))
}

/// All switches as they are to be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewSwitches {
    /// Whether every new staked match is stopped.
    all: bool,
    /// The games of which new staked matches are stopped.
    games: Vec<String>,
    /// The players whose new staked matches are stopped.
    #[schema(max_items = 1_000)]
    players: Vec<PlayerId>,
    /// Why: 1 to 1000 characters.
    reason: String,
}

/// Set the switches
///
/// The lists replace the ones before. Withdrawals and running matches go on; whoever wants to begin a match that is
/// stopped is told `stakes_closed`. Once this is answered, none begins. For admins.
#[utoipa::path(put, path = "/v1/admin/switches", tag = "Administration", security(("bearer" = [])), request_body = NewSwitches, responses(
    (status = 200, description = "The switches as they are now", body = Switches),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn set_switches(
    State(office): State<Office>,
    Admin(caller): Admin,
    Body(request): Body<NewSwitches>,
) -> Result<Json<Switches>, Problem> {
    let games = request.games.iter().map(|text| game("games", text).map(|game| game.code().to_owned()));
    let stopped = Stopped { all: request.all, games: games.collect::<Result<_, _>>()?, players: request.players };
    if stopped.players.len() > 1_000 {
        return Err(Problem::field("players", FieldRule::Length(0, 1_000)));
    }
    let reason = words("reason", &request.reason)?;
    Ok(Json(office.set_switches(caller.player, stopped, reason).await?))
}

impl From<SwitchError> for Problem {
    fn from(error: SwitchError) -> Self {
        match error {
            SwitchError::UnknownPlayer => {
                let rule = FieldRule::Malformed("jogadores que existem", "players that exist");
                Self::field("players", rule)
            }
            SwitchError::Database(error) => error.into(),
            SwitchError::Stopped(_) => Self::new(Code::Stopping),
        }
    }
}
