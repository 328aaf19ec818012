//! The frames of the socket.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    code::Code,
    ids::MatchId,
    lobby::RematchAct,
    matches::{Command, DrawAct, PlayerRef, Refusal, events::RequestName},
};

/// A match as a client names it.
pub type MatchName = MatchId;

/// A frame from a client: a request, and what the client calls it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientFrame {
    /// Repeated in the answer: a number or a text of at most 64 characters.
    pub id: Option<Value>,
    /// The request, or what is wrong with it.
    pub request: Result<Request, BadFrame>,
}

/// What is wrong with a frame that is JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadFrame {
    /// The field at fault.
    pub field: String,
}

/// A request on the socket. Each may carry an `id`, a number or text of the client's own, that its answer repeats.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[schema(as = SocketRequest)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[schema(as = SocketRequest)]
pub enum Request {
    /// The first frame, where the upgrade carried no `Authorization` header.
    Hello {
        /// An access token.
        token: String,
    },
    /// Watch a match: answered with a snapshot, or with `since` by what came after that `seq`.
    Watch {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchName,
        /// The last `seq` that was seen.
        since: Option<u32>,
    },
    /// No more events of a match.
    Unwatch {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchName,
    },
    /// Watch the lobby: answered with the newest open seeks.
    WatchLobby {},
    /// No more news of the lobby.
    UnwatchLobby {},
    /// Play a move.
    Move {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchName,
        /// The number of the move: one more than moves have been made.
        ply: u32,
        /// The move in the game's text form.
        #[serde(rename = "move")]
        text: String,
    },
    /// Give up.
    Resign {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchName,
    },
    /// Offer a draw, or answer the rival's offer.
    Draw {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchName,
        /// What to do.
        action: DrawAction,
        /// The `seq` of the offer that is answered; required with `accept` and `decline`, refused with `offer`.
        offer: Option<u32>,
    },
    /// After the end: propose a rematch, or answer the rival's proposal.
    Rematch {
        /// The match that has ended.
        #[serde(rename = "match")]
        match_id: MatchName,
        /// What to do.
        action: RematchAction,
    },
    /// Is anybody there?
    Ping {},
}

/// What can be done about a rematch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RematchAction {
    /// Propose one; where the rival's proposal is open, that agrees to it.
    Propose,
    /// Agree to the rival's proposal.
    Accept,
    /// Turn the rival's proposal down, or take back one's own.
    Decline,
}

impl From<RematchAction> for RematchAct {
    fn from(action: RematchAction) -> Self {
        match action {
            RematchAction::Propose => Self::Propose,
            RematchAction::Accept => Self::Accept,
            RematchAction::Decline => Self::Decline,
        }
    }
}

/// What can be done about a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DrawAction {
    /// Offer one; where the rival's offer is open, that accepts it.
    Offer,
    /// Accept the rival's offer.
    Accept,
    /// Decline the rival's offer.
    Decline,
}

impl DrawAction {
    /// The act, with the offer it answers; `Err` where the offer is missing or too much.
    pub fn act(self, offer: Option<u32>) -> Result<DrawAct, BadFrame> {
        match (self, offer) {
            (Self::Offer, None) => Ok(DrawAct::Offer),
            (Self::Accept, Some(offer)) => Ok(DrawAct::Accept(offer)),
            (Self::Decline, Some(offer)) => Ok(DrawAct::Decline(offer)),
            (Self::Offer, Some(_)) | (Self::Accept | Self::Decline, None) => Err(BadFrame { field: "offer".into() }),
        }
    }
}

/// A frame that is not even JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotJson;

/// The longest text a client can call its request.
const LONGEST_NAME: usize = 64;

/// Reads a frame. `Err` where it is no JSON, which ends the socket; anything else is answered.
pub fn read(text: &str) -> Result<ClientFrame, NotJson> {
    match read_move(text) {
        Some(frame) => Ok(frame),
        None => read_any(text),
    }
}

/// A move as nearly every frame is one: read in one pass, and into nothing that is not kept.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainMove<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(default, deserialize_with = "some")]
    id: Option<Value>,
    #[serde(rename = "match")]
    match_id: MatchName,
    ply: u32,
    #[serde(rename = "move")]
    text: &'a str,
}

/// What is there is something, `null` too.
fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Reads a move that is as it should be. Whatever else it is, and whatever is wrong with it, is for [`read_any`] to say.
fn read_move(text: &str) -> Option<ClientFrame> {
    let PlainMove { kind, id, match_id, ply, text } = serde_json::from_str(text).ok()?;
    let is_name = match &id {
        None | Some(Value::Number(_)) => true,
        Some(Value::String(name)) => name.len() <= LONGEST_NAME,
        Some(_) => false,
    };
    let request = Request::Move { match_id, ply, text: text.to_owned() };
    (kind == "move" && is_name).then_some(ClientFrame { id, request: Ok(request) })
}

fn read_any(text: &str) -> Result<ClientFrame, NotJson> {
    let mut value: Value = serde_json::from_str(text).map_err(|_| NotJson)?;
    let Some(object) = value.as_object_mut() else {
        return Ok(ClientFrame { id: None, request: Err(BadFrame { field: "frame".into() }) });
    };
    let id = match object.remove("id") {
        None => None,
        Some(Value::Number(number)) => Some(Value::Number(number)),
        Some(Value::String(name)) if name.len() <= LONGEST_NAME => Some(Value::String(name)),
        Some(_) => return Ok(ClientFrame { id: None, request: Err(BadFrame { field: "id".into() }) }),
    };
    let request =
        Request::deserialize(&value).map_err(|error| BadFrame { field: field_at_fault(&value, &error.to_string()) });
    Ok(ClientFrame { id, request })
}

/// Tagged enums are read through a buffer, which loses the path: the field is found from the message, or as the one
/// whose value is of another type than documented.
fn field_at_fault(frame: &Value, message: &str) -> String {
    let named = message.split('`').nth(1).unwrap_or_default();
    if message.starts_with("unknown variant") {
        let is_type = frame["type"].as_str() == Some(named);
        return if is_type { "type" } else { "action" }.into();
    }
    if message.starts_with("missing field") || message.starts_with("unknown field") {
        return named.to_owned();
    }
    let is_number = |value: &Value| value.as_u64().is_some_and(|number| u32::try_from(number).is_ok());
    let texts = ["type", "match", "move", "token", "action"].map(|name| (name, Value::is_string as fn(&Value) -> bool));
    let numbers = ["ply", "since", "offer"].map(|name| (name, is_number as fn(&Value) -> bool));
    let wrong = texts.iter().chain(&numbers).find(|(name, fits)| frame.get(name).is_some_and(|value| !fits(value)));
    // What is a text and still can't be read is an identifier.
    wrong.map_or("match", |(name, _)| name).to_owned()
}

/// The answer to `hello`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WelcomeFrame {
    /// `welcome`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The client's own name for its request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RequestName>)]
    pub id: Option<Value>,
    /// Who the socket speaks for.
    pub player: PlayerRef,
    /// The server's time.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub server_time: OffsetDateTime,
    /// How often the server sends a protocol ping, in milliseconds.
    pub heartbeat_ms: u64,
}

/// The answer to a request that succeeded and has no other answer.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OkFrame {
    /// `ok`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The client's own name for its request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RequestName>)]
    pub id: Option<Value>,
    /// Where the act stands in its match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u32>,
}

impl OkFrame {
    /// Done; where the act stands in its match.
    pub fn new(id: Option<Value>, seq: Option<u32>) -> Self {
        Self { kind: "ok", id, seq }
    }
}

/// The answer to `ping`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PongFrame {
    /// `pong`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The client's own name for its request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RequestName>)]
    pub id: Option<Value>,
    /// The server's time.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub server_time: OffsetDateTime,
}

/// The answer to a request that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ErrorFrame {
    /// `error`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The client's own name for its request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RequestName>)]
    pub id: Option<Value>,
    /// The stable code.
    pub code: &'static str,
    /// With `invalid_request`: the field at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// With `invalid_request` for a move: what was expected, in English, for who writes a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// With `illegal_move`: the rule of the game that forbids it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// With `stale_ply`: how many moves have been made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<u32>,
    /// With `rate_limited`: milliseconds until a request is taken again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl ErrorFrame {
    /// An error that needs no more than its code. It is made to be sent, and so counted.
    pub fn new(id: Option<Value>, code: Code) -> Self {
        metrics::counter!("stakeboard_refusals_total", "code" => code.as_str(), "over" => "socket").increment(1);
        Self {
            kind: "error",
            id,
            code: code.as_str(),
            field: None,
            expected: None,
            reason: None,
            ply: None,
            retry_after_ms: None,
        }
    }

    /// `invalid_request`, naming the field.
    pub fn field(id: Option<Value>, field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::new(id, Code::InvalidRequest) }
    }

    /// A match refused an act.
    pub fn refused(id: Option<Value>, refusal: &Refusal) -> Self {
        let plain = Self::new(id, refusal.code());
        match refusal {
            Refusal::StalePly { ply } => Self { ply: Some(*ply), ..plain },
            Refusal::UnreadableMove(_, error) => {
                Self { field: Some("move".into()), expected: Some(error.clone()), ..plain }
            }
            Refusal::Illegal(illegal) => Self { reason: Some(illegal.code()), ..plain },
            Refusal::NotFound
            | Refusal::NotAPlayer
            | Refusal::MatchOver
            | Refusal::NotYourTurn
            | Refusal::NoOpenOffer
            | Refusal::OfferGone
            | Refusal::OfferOpen
            | Refusal::OfferTooSoon
            | Refusal::PlayingForStakes
            | Refusal::Paused
            | Refusal::Stopping
            | Refusal::Overloaded => plain,
        }
    }
}

/// What a request asks of a match, where it does.
pub fn command(request: Request) -> Option<(MatchId, Result<Command, BadFrame>)> {
    match request {
        Request::Move { match_id, ply, text } => Some((match_id, Ok(Command::Move { ply, text }))),
        Request::Resign { match_id } => Some((match_id, Ok(Command::Resign))),
        Request::Draw { match_id, action, offer } => Some((match_id, action.act(offer).map(Command::Draw))),
        Request::Hello { .. }
        | Request::Watch { .. }
        | Request::Unwatch { .. }
        | Request::WatchLobby {}
        | Request::UnwatchLobby {}
        | Request::Rematch { .. }
        | Request::Ping {} => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATCH: &str = "01970000-0000-7000-8000-000000000001";

    #[test]
    fn requests_are_read_with_the_name_their_client_gives_them() {
        let text = format!(r#"{{"type":"move","match":"{MATCH}","ply":3,"move":"C","id":7}}"#);
        let frame = read(&text).expect("it is JSON");
        assert_eq!(frame.id, Some(7.into()));
        let request = frame.request.expect("it is a request");
        assert_eq!(request, Request::Move { match_id: MATCH.parse().expect("an id"), ply: 3, text: "C".into() });
    }

    #[test]
    fn a_move_is_read_alike_on_both_ways() {
        let of = |more: &str| format!(r#"{{"type":"move","match":"{MATCH}","ply":3,"move":"C"{more}}}"#);
        let plain = [
            of(""),
            of(r#","id":7"#),
            of(r#","id":-1.50e3"#),
            of(r#","id":"a name""#),
            of(r#","id":"\u00e7""#),
            format!(
                r#" {{ "move" : "d7xa1" , "ply":4294967295, "match":"{}", "type":"move" }} "#,
                MATCH.to_uppercase()
            ),
        ];
        for text in plain {
            assert!(read_move(&text).is_some(), "{text}");
            assert_eq!(read(&text), read_any(&text), "{text}");
        }
        let other = [
            of(r#","id":null"#),
            of(r#","id":true"#),
            of(&format!(r#","id":"{}""#, "x".repeat(LONGEST_NAME + 1))),
            of(r#","ply":3"#),
            of(r#","since":3"#),
            of("") + ",",
            of("").replace("move\",\"match", "mo\\u0076e\",\"match"),
            of("").replace(":3", ":3.0"),
            of("").replace(":3", ":4294967296"),
            of("").replace(r#""C""#, r#""\u0043""#),
            of("").replace(r#":"move""#, r#":"resign""#),
            of("").replace(MATCH, "nobody"),
        ];
        for text in other {
            assert_eq!(read_move(&text), None, "{text}");
        }
    }

    #[test]
    fn each_way_to_get_a_frame_wrong_names_its_field() {
        let cases = [
            ("[]".to_owned(), "frame"),
            ("7".into(), "frame"),
            ("{}".into(), "type"),
            (r#"{"type":"jump"}"#.into(), "type"),
            (r#"{"type":7}"#.into(), "type"),
            (r#"{"type":"ping","id":[]}"#.into(), "id"),
            (r#"{"type":"ping","lag":100}"#.into(), "lag"),
            (r#"{"type":"move"}"#.into(), "match"),
            (format!(r#"{{"type":"move","match":"{MATCH}","move":"C"}}"#), "ply"),
            (format!(r#"{{"type":"move","match":"{MATCH}","ply":-1,"move":"C"}}"#), "ply"),
            (format!(r#"{{"type":"move","match":"{MATCH}","ply":1.5,"move":"C"}}"#), "ply"),
            (format!(r#"{{"type":"watch","match":"{MATCH}","since":"now"}}"#), "since"),
            (format!(r#"{{"type":"watch","match":"{MATCH}","since":-1}}"#), "since"),
            (r#"{"type":"watch","match":"nobody"}"#.into(), "match"),
            (r#"{"type":"watch","match":7}"#.into(), "match"),
            (format!(r#"{{"type":"move","match":"{MATCH}","ply":1,"move":3}}"#), "move"),
            (format!(r#"{{"type":"draw","match":"{MATCH}","action":7}}"#), "action"),
            (format!(r#"{{"type":"rematch","match":"{MATCH}"}}"#), "action"),
            (format!(r#"{{"type":"rematch","match":"{MATCH}","action":"offer"}}"#), "action"),
            (format!(r#"{{"type":"rematch","match":"{MATCH}","action":"propose","stake":5}}"#), "stake"),
            (r#"{"type":"hello","token":null}"#.into(), "token"),
            (format!(r#"{{"type":"draw","match":"{MATCH}","action":"claim"}}"#), "action"),
        ];
        for (text, field) in cases {
            let frame = read(&text).expect("it is JSON");
            assert_eq!(frame.request, Err(BadFrame { field: field.into() }), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_told_apart() {
        for text in ["", "{", "{\"type\":\"ping\"", "ping", &"[".repeat(4_000)] {
            assert_eq!(read(text), Err(NotJson), "{text}");
        }
    }

    #[test]
    fn an_offer_is_named_when_it_is_answered_and_only_then() {
        assert_eq!(DrawAction::Offer.act(None), Ok(DrawAct::Offer));
        assert_eq!(DrawAction::Accept.act(Some(4)), Ok(DrawAct::Accept(4)));
        assert_eq!(DrawAction::Decline.act(Some(4)), Ok(DrawAct::Decline(4)));
        for (action, offer) in [(DrawAction::Offer, Some(4)), (DrawAction::Accept, None), (DrawAction::Decline, None)] {
            assert_eq!(action.act(offer), Err(BadFrame { field: "offer".into() }));
        }
    }
}
