//! What the payment provider tells by callbacks, after the Standard Webhooks specification (W-1, W-2).
//!
//! Three guards against a repeat: the signature with its time, the event's id, and the provider's own name for the
//! payment. What an event does and the event itself commit together.

use std::{collections::HashSet, fmt, sync::Arc};

use base64::{
    Engine as _,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD},
};
use hyper::HeaderMap;
use serde::{
    Deserialize,
    de::{Deserializer as _, IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use standardwebhooks::{HEADER_WEBHOOK_ID, Webhook, WebhookError};

/// The fewest and most bytes of a secret, as the specification has them.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;
/// What a secret begins with.
const PREFIX: &str = "whsec_";
/// The one in use, and the one that it replaces.
const MOST_KEYS: usize = 2;
/// The longest text that is taken as a name or a reference.
const LONGEST_NAME: usize = 255;
/// The largest amount that is taken as one, in minor units: far above any payment, and far below what an account holds.
const MOST: i64 = 1_000_000_000_000_000;

/// The secrets that a callback can be signed with: one, or two while one is being replaced by the other.
#[derive(Clone, Default)]
pub struct WebhookKeys(Arc<[WebhookKey]>);

struct WebhookKey {
    /// The beginning of the secret's hash.
    name: String,
    checks: Webhook,
}

impl fmt::Debug for WebhookKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "WebhookKeys({})", self.0.len())
    }
}

/// Why a secret can't be used. Never says the secret.
#[derive(Debug, thiserror::Error)]
pub enum WebhookKeyError {
    /// It does not begin like a secret, and is no file that can be read.
    #[error("secret {0} of the list does not begin with `whsec_`, and is no file that can be read: {1}")]
    File(usize, std::io::Error),
    /// A third secret is one that should have been dropped.
    #[error("{0} secrets, and there can be two at most: the new one and the one it replaces")]
    TooMany(usize),
    /// It is no secret of the specification.
    #[error("secret {0} of the list is not `whsec_` and the base64 of 24 to 64 bytes")]
    Malformed(usize),
}

/// Why a callback is not looked into.
#[derive(Debug, thiserror::Error)]
pub enum RefusedCallback {
    /// It was not signed by the provider, or not now.
    #[error(transparent)]
    Signature(#[from] WebhookError),
    /// It was, and its id can't be kept as a name.
    #[error("the id of the event is no name")]
    Id,
}

impl WebhookKeys {
    /// Reads secrets, each given as itself or as the name of a file with it.
    pub fn read(sources: &[String]) -> Result<Self, WebhookKeyError> {
        if sources.len() > MOST_KEYS {
            return Err(WebhookKeyError::TooMany(sources.len()));
        }
        let keys: Result<Vec<WebhookKey>, WebhookKeyError> =
            sources.iter().enumerate().map(|(place, source)| read_key(place + 1, source)).collect();
        Ok(Self(keys?.into()))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names of all, in order: they tell nothing of the secrets.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|key| key.name.clone()).collect()
    }

    /// Checks that a callback was signed with one of the secrets, not long ago, and gives its id.
    pub fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Result<String, RefusedCallback> {
        let mut refused = WebhookError::InvalidSignature;
        for key in self.0.iter() {
            match key.checks.verify(body, headers) {
                Ok(()) => return event_id(headers).ok_or(RefusedCallback::Id),
                Err(error) => refused = error,
            }
        }
        Err(refused.into())
    }
}

fn event_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(HEADER_WEBHOOK_ID)?.to_str().ok()?;
    is_name(id).then(|| id.to_owned())
}

fn read_key(place: usize, source: &str) -> Result<WebhookKey, WebhookKeyError> {
    let secret = if source.starts_with(PREFIX) {
        source.to_owned()
    } else {
        std::fs::read_to_string(source).map_err(|error| WebhookKeyError::File(place, error))?
    };
    let malformed = WebhookKeyError::Malformed(place);
    let Some(encoded) = secret.trim().strip_prefix(PREFIX) else { return Err(malformed) };
    let decoded = BASE64_STANDARD.decode(encoded);
    match decoded {
        Ok(bytes) if KEY_BYTES.contains(&bytes.len()) => {
            let mut name = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&bytes));
            name.truncate(16);
            Ok(WebhookKey { name, checks: Webhook::from_bytes(bytes).map_err(|_| malformed)? })
        }
        _ => Err(malformed),
    }
}

/// Whether a text can be a name: something, not too long, all of it visible ASCII.
fn is_name(text: &str) -> bool {
    (1..=LONGEST_NAME).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Whether a text can be kept as what a payment is said to be for. Money came or went whatever it says: what names nothing
/// is for the staff to find out.
fn is_reference(text: &str) -> bool {
    text.chars().count() <= LONGEST_NAME && !text.contains('\0')
}

/// Whether JSON is an object that says the same key twice: readers differ in which of the two they take.
fn repeats_a_key(json: &str) -> bool {
    struct Keys;
    impl<'de> Visitor<'de> for Keys {
        type Value = bool;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<bool, A::Error> {
            let (mut seen, mut repeats) = (HashSet::new(), false);
            while let Some((key, IgnoredAny)) = object.next_entry::<String, _>()? {
                repeats |= !seen.insert(key);
            }
            Ok(repeats)
        }
    }
    serde_json::Deserializer::from_str(json).deserialize_map(Keys).unwrap_or(false)
}

/// Money that moved on the provider's side.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Movement {
    /// The provider's own name for it.
    pub payment: String,
    /// What it is for: the id of our deposit or withdrawal.
    pub reference: String,
    /// Minor units.
    pub amount: i64,
    /// ISO 4217.
    pub currency: String,
}

/// Money that did not move.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Failure {
    /// What it was for.
    pub reference: String,
    /// Why, in the provider's words.
    #[serde(default)]
    pub reason: String,
}

/// What an event says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// `payment.succeeded`: money came in.
    PaymentSucceeded(Movement),
    /// `payment.failed`.
    PaymentFailed(Failure),
    /// `payout.succeeded`: money went out.
    PayoutSucceeded(Movement),
    /// `payout.failed`.
    PayoutFailed(Failure),
    /// A type we know nothing of.
    Unknown,
    /// A type that we know, without what it should say.
    Unreadable,
}

/// A callback whose signature held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentEvent {
    /// Its id.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// As it came.
    pub body: String,
    /// What it says.
    pub news: News,
}

/// What every event has.
#[derive(Deserialize)]
struct Envelope<'body> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    data: Option<&'body RawValue>,
}

impl PaymentEvent {
    /// Reads a callback. `None` where it is not JSON with a type, or says a key twice.
    pub fn read(id: String, body: &[u8]) -> Option<Self> {
        let body = std::str::from_utf8(body).ok()?.to_owned();
        let Envelope { kind, data } =
            serde_json::from_str(&body).ok().filter(|read: &Envelope<'_>| is_name(&read.kind))?;
        let data = data.map_or("null", RawValue::get);
        if repeats_a_key(&body) || repeats_a_key(data) {
            return None;
        }
        let movement = || serde_json::from_str(data).ok().filter(Movement::is_whole);
        let failure = || serde_json::from_str(data).ok().map(Failure::cut);
        let news = match kind.as_str() {
            "payment.succeeded" => movement().map(News::PaymentSucceeded),
            "payment.failed" => failure().map(News::PaymentFailed),
            "payout.succeeded" => movement().map(News::PayoutSucceeded),
            "payout.failed" => failure().map(News::PayoutFailed),
            _ => Some(News::Unknown),
        };
        Some(Self { id, kind, body, news: news.unwrap_or(News::Unreadable) })
    }
}

impl Movement {
    fn is_whole(&self) -> bool {
        let is_currency = self.currency.len() == 3 && self.currency.bytes().all(|byte| byte.is_ascii_uppercase());
        is_name(&self.payment) && is_reference(&self.reference) && (1..=MOST).contains(&self.amount) && is_currency
    }
}

impl Failure {
    /// With a reason that can be kept.
    fn cut(mut self) -> Self {
        self.reason = self.reason.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    #[test]
    fn secrets_come_from_text_or_file_and_what_is_none_is_refused_without_being_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("secret");
        std::fs::write(&file, format!("{SECRET}\n")).expect("a file");
        let path = file.to_str().expect("a plain path").to_owned();
        assert_eq!(WebhookKeys::read(&[SECRET.into(), path]).expect("both").0.len(), 2);
        for bad in ["whsec_", "whsec_c2hvcnQ=", "whsec_not base64!", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS"] {
            let error = WebhookKeys::read(&[SECRET.into(), bad.into()]).expect_err(bad).to_string();
            assert!(error.contains("secret 2"), "{error}");
            assert!(bad == PREFIX || !error.contains(&bad[PREFIX.len()..]), "{error}");
        }
        assert!(matches!(WebhookKeys::read(&["/nowhere".into()]), Err(WebhookKeyError::File(..))));
    }

    #[test]
    fn what_an_event_says_is_read_whole_or_not_at_all() {
        let read = |body: &str| PaymentEvent::read("msg_1".into(), body.as_bytes()).map(|event| event.news);
        let whole = r#"{"payment":"p1","reference":"r","amount":5,"currency":"BRL","more":1}"#;
        let movement = Movement { payment: "p1".into(), reference: "r".into(), amount: 5, currency: "BRL".into() };
        let event = |kind: &str, data: &str| format!(r#"{{"type":"{kind}","timestamp":"x","data":{data}}}"#);
        assert_eq!(read(&event("payment.succeeded", whole)), Some(News::PaymentSucceeded(movement.clone())));
        assert_eq!(read(&event("payout.succeeded", whole)), Some(News::PayoutSucceeded(movement)));
        assert_eq!(read(&event("payment.refunded", whole)), Some(News::Unknown));
        for data in [
            "null",
            "{}",
            r#"{"payment":"","reference":"r","amount":5,"currency":"BRL"}"#,
            r#"{"payment":"p\u0000","reference":"r","amount":5,"currency":"BRL"}"#,
            r#"{"payment":"p","reference":"r\u0000","amount":5,"currency":"BRL"}"#,
            &format!(r#"{{"payment":"p","reference":"{}","amount":5,"currency":"BRL"}}"#, "é".repeat(256)),
            r#"{"payment":"p","reference":"r","amount":0,"currency":"BRL"}"#,
            r#"{"payment":"p","reference":"r","amount":5.0,"currency":"BRL"}"#,
            r#"{"payment":"p","reference":"r","amount":"5","currency":"BRL"}"#,
            r#"{"payment":"p","reference":"r","amount":5,"currency":"brl"}"#,
        ] {
            assert_eq!(read(&event("payment.succeeded", data)), Some(News::Unreadable), "{data}");
        }
        for body in [
            "",
            "[]",
            "{}",
            r#"{"type":5}"#,
            r#"{"type":""}"#,
            r#"{"type":"a\u0000"}"#,
            "{\"type\":\"a\"",
            &format!(r#"{{"type":"{}"}}"#, "a".repeat(256)),
        ] {
            assert_eq!(read(body), None, "{body}");
        }
        assert_eq!(read(&format!(r#"{{"type":"{}"}}"#, "a".repeat(255))), Some(News::Unknown));
    }

    #[test]
    fn money_is_read_whatever_text_it_is_said_to_be_for() {
        for reference in ["", "x'; drop table", "two words", "é\n\u{202e}", &"é".repeat(255)] {
            let data = serde_json::json!({"payment": "p", "reference": reference, "amount": 5, "currency": "BRL"});
            let body = serde_json::json!({"type": "payment.succeeded", "data": data}).to_string();
            let read = PaymentEvent::read("msg_1".into(), body.as_bytes()).map(|event| event.news);
            let Some(News::PaymentSucceeded(movement)) = read else { panic!("{reference}: {read:?}") };
            assert_eq!(movement.reference, reference);
        }
    }

    #[test]
    fn a_key_that_is_said_twice_leaves_open_which_is_meant() {
        for body in [
            r#"{"type":"a","type":"a"}"#,
            r#"{"type":"a","more":1,"more":1}"#,
            r#"{"type":"a","data":{},"data":{}}"#,
            r#"{"type":"a","data":{"x":1,"y":2,"x":1}}"#,
            r#"{"type":"payment.succeeded","data":{"payment":"p","reference":"r","amount":5,"currency":"BRL","amount":9}}"#,
            r#"{"type":"payment.succeeded","data":{"payment":"p","reference":"r","amount":5,"currency":"BRL","\u0061mount":5}}"#,
            r#"{"type":"payment.failed","data":{"reference":"r","reference":"s"}}"#,
        ] {
            assert_eq!(PaymentEvent::read("msg_1".into(), body.as_bytes()), None, "{body}");
        }
        let apart = r#"{"type":"a","data":{"x":{"type":1},"y":{"type":1},"type":"a"}}"#;
        assert!(PaymentEvent::read("msg_1".into(), apart.as_bytes()).is_some());
    }
}
