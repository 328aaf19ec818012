//! The `OpenAPI` document, generated from the routes and the types they speak.

use std::sync::LazyLock;

use serde::Serialize;
use utoipa::{
    Modify, OpenApi, ToSchema,
    openapi::{
        self, ContentBuilder, Ref, ResponseBuilder,
        security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};

use crate::{
    http::{router, yaml},
    lobby::{LobbyFrame, QueueFrame},
    matches::{
        MatchResult, MatchStatus,
        events::{Event, EventsFrame, MatchFrame, Notice},
    },
    realtime::{ErrorFrame, OkFrame, PongFrame, Request, WelcomeFrame},
    wallet::WalletFrame,
};

/// What is not said by the routes themselves.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Stakeboard",
        description = "Board games for a stake: lobby, matches, wallet. Times are RFC 3339 in UTC with milliseconds, \
                       money is an integer of minor units. Errors are RFC 9457 problems with a stable `code`; the same \
                       codes are used on the socket.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    tags(
        (name = "Service", description = "The service about itself."),
        (name = "Accounts", description = "Signing up, logging in, the player's own profile."),
        (name = "Wallet", description = "The player's money."),
        (name = "Players", description = "Other players: profiles, ratings, leaderboards."),
        (name = "Lobby", description = "Finding somebody to play."),
        (name = "Matches", description = "Playing, watching, replaying."),
        (name = "Socket", description = "Everything that happens, as it happens."),
        (name = "Practice", description = "Against a bot, and streaks of Mū tōrere: for nothing."),
        (name = "Callbacks", description = "For the payment provider."),
        (name = "Administration", description = "For the staff, by role."),
    ),
    // Not found by themselves: what only frames or parameters use.
    components(schemas(Request, SocketMessage, MatchStatus, MatchResult)),
    modifiers(&Bearer)
)]
struct Base;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut openapi::OpenApi) {
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    }
}

/// Everything the server sends on a socket.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    clippy::large_enum_variant,
    reason = "only its schema is used: each message is serialised as itself"
)]
enum SocketMessage {
    Welcome(WelcomeFrame),
    Ok(OkFrame),
    Error(ErrorFrame),
    Pong(PongFrame),
    Match(MatchFrame),
    Events(EventsFrame),
    Event(Event),
    Notice(Notice),
    Lobby(LobbyFrame),
    Queue(QueueFrame),
    MatchStarted(MatchStartedFrame),
    Wallet(WalletFrame),
}

/// A match of the player's has begun, on all of their sockets.
#[derive(Serialize, ToSchema)]
struct MatchStartedFrame {
    /// `match_started`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The match.
    #[serde(rename = "match")]
    match_id: crate::ids::MatchId,
}

/// The document before the routes are added.
pub fn base() -> openapi::OpenApi {
    Base::openapi()
}

/// The whole document.
pub fn document() -> openapi::OpenApi {
    let mut document = router::routes().split_for_parts().1;
    for (path, item) in &mut document.paths.paths {
        let operations = [
            ("get", &mut item.get),
            ("put", &mut item.put),
            ("post", &mut item.post),
            ("delete", &mut item.delete),
            ("patch", &mut item.patch),
        ];
        for (method, operation) in operations {
            if let Some(operation) = operation {
                complete(method, path, operation);
            }
        }
    }
    document
}

/// What `OpenAPI` asks of each operation and the annotations leave out: a name of its own, words for every answer, and
/// the refusals that every call of its kind shares.
fn complete(method: &str, path: &str, operation: &mut openapi::path::Operation) {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    operation.operation_id = Some(std::iter::once(method).chain(words).collect::<Vec<_>>().join("_"));
    for response in operation.responses.responses.values_mut() {
        if let openapi::RefOr::T(response) = response
            && response.description.is_empty()
        {
            "Done.".clone_into(&mut response.description);
        }
    }
    if path.starts_with("/v1/") {
        share(operation, "429", "`rate_limited`");
        if operation
            .security
            .as_ref()
            .is_some_and(|ways| !ways.is_empty() && !ways.contains(&SecurityRequirement::default()))
        {
            share(operation, "401", "`unauthenticated`");
        }
        if operation.request_body.is_some() {
            share(operation, "413", "`payload_too_large`");
            share(operation, "415", "`unsupported_media_type`");
        }
    }
}

/// Documents a refusal where the annotation does not.
fn share(operation: &mut openapi::path::Operation, status: &str, codes: &str) {
    let refusal = || {
        let body = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
        let response = ResponseBuilder::new().description(codes).content("application/problem+json", body);
        response.build().into()
    };
    operation.responses.responses.entry(status.to_owned()).or_insert_with(refusal);
}

/// The whole document as YAML.
///
/// # Panics
///
/// Never: the document has no maps with keys that are no texts.
pub fn yaml() -> &'static str {
    static YAML: LazyLock<String> =
        LazyLock::new(|| yaml::write(&document()).expect("a document with text keys can be written"));
    &YAML
}
