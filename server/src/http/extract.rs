//! What handlers take from a request, with errors that name the field.

use axum::{
    body::{Bytes, HttpBody as _},
    extract::{FromRequest, FromRequestParts, OptionalFromRequest, Request},
    http::{HeaderMap, header, request::Parts},
};
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};
use sha2::{Digest, Sha256};

use crate::{
    code::Code,
    http::{
        problem::{self, Problem},
        router::LARGEST_BODY,
    },
    i18n::{FieldRule, Language},
    idempotency::Key,
};

/// A JSON body. Unknown fields are refused where `T` says `deny_unknown_fields`, which every request does.
#[derive(Debug)]
pub struct Body<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let bytes = json_bytes(request, state).await?;
        parse(&bytes).map(Self)
    }
}

/// No body at all, where every field may be missing.
impl<S: Send + Sync, T: DeserializeOwned> OptionalFromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Option<Self>, Problem> {
        if request.body().is_end_stream() {
            return Ok(None);
        }
        <Self as FromRequest<S>>::from_request(request, state).await.map(Some)
    }
}

/// The body of a request that needs none: nothing, or an object without fields. A field would be a mistake.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// A JSON body of a money call together with its `Idempotency-Key`.
#[derive(Debug)]
pub struct KeyedBody<T>(pub Key, pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for KeyedBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let method = request.method().to_string();
        let path = request.uri().path().to_owned();
        let key = idempotency_key(request.headers())?;
        let bytes = json_bytes(request, state).await?;
        let body = parse(&bytes)?;
        let body_hash = Sha256::digest(&bytes).to_vec();
        Ok(Self(Key { method, path, key, body_hash }, body))
    }
}

fn idempotency_key(headers: &HeaderMap) -> Result<String, Problem> {
    headers
        .get("idempotency-key")
        .and_then(|value| value.to_str().ok())
        .filter(|text| (1..=255).contains(&text.len()))
        .map(str::to_owned)
        .ok_or_else(|| Problem::new(Code::IdempotencyKeyMissing))
}

async fn json_bytes<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, Problem> {
    let is_json = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
    if !is_json {
        return Err(Problem::new(Code::UnsupportedMediaType));
    }
    // One that says it will be too long is not waited for.
    if request.body().size_hint().lower() > LARGEST_BODY as u64 {
        return Err(Problem::new(Code::PayloadTooLarge));
    }
    match Bytes::from_request(request, state).await {
        Ok(bytes) => Ok(bytes),
        Err(rejection) if rejection.status() == 413 => Err(Problem::new(Code::PayloadTooLarge)),
        Err(_) => Err(Problem::new(Code::RequestTimeout)),
    }
}

/// Reads JSON into a request; what is wrong is told by field.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    // A derived reader also takes an array, with the fields in order: nothing that anybody documents.
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        let is_json = serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
        return Err(Problem::field("body", if is_json { FieldRule::WrongType } else { not_json() }));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = known_part(&error.path().to_string());
        field_problem(&path, &error.into_inner().to_string())
    })?;
    deserializer.end().map_err(|_| Problem::field("body", not_json()))?;
    Ok(value)
}

/// The path as far as its fields are known: JSON that is cut off in a name leaves a `?` there.
fn known_part(path: &str) -> String {
    let known = path.split('?').next().unwrap_or_default().trim_end_matches('.');
    if known.is_empty() { ".".to_owned() } else { known.to_owned() }
}

fn not_json() -> FieldRule {
    FieldRule::Malformed("um objeto JSON em UTF-8", "one JSON object in UTF-8")
}

/// Turns a message of serde into the field and the rule it is about.
fn field_problem(path: &str, message: &str) -> Problem {
    let named = message.split('`').nth(1).unwrap_or_default();
    let inside = |name: &str| if path == "." { name.to_owned() } else { format!("{path}.{name}") };
    let here = if path == "." { "body".to_owned() } else { path.to_owned() };
    if message.starts_with("unknown field") {
        // Where the path already ends in the field, it is not named twice.
        let full = if path == named || path.ends_with(&format!(".{named}")) { here } else { inside(named) };
        Problem::field(full, FieldRule::Unknown)
    } else if message.starts_with("missing field") {
        Problem::field(inside(named), FieldRule::Missing)
    } else if message.starts_with("duplicate field") {
        let full = if path == named { here } else { inside(named) };
        Problem::field(full, FieldRule::Repeated)
    } else if message.starts_with("unknown variant") {
        let allowed = message.split('`').skip(3).step_by(2).map(str::to_owned).collect();
        Problem::field(here, FieldRule::NotOneOf(allowed))
    } else if message.starts_with("invalid type") || message.starts_with("invalid value") {
        Problem::field(here, FieldRule::WrongType)
    } else {
        Problem::field(here, not_json())
    }
}

/// Refuses what Postgres can't hold as text, or compare with a text.
pub fn storable(field: &str, text: &str) -> Result<(), Problem> {
    if text.contains('\0') {
        let rule = FieldRule::Malformed("um texto sem o caractere nulo", "a text without the null character");
        return Err(Problem::field(field, rule));
    }
    Ok(())
}

/// The query parameters of a request. None of them holds a null character: nothing that is looked for does.
#[derive(Debug)]
pub struct Params<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            storable(&name, &value)?;
        }
        let deserializer = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
        serde_path_to_error::deserialize(deserializer).map(Self).map_err(|error| {
            let path = error.path().to_string();
            let message = error.into_inner().to_string();
            if path != "." && !message.starts_with("unknown field") && !message.starts_with("duplicate field") {
                return Problem::field(path, FieldRule::WrongType);
            }
            field_problem(&path, &message)
        })
    }
}

/// An identifier or code in the path. One that can't be read names nothing: `not_found`.
#[derive(Debug)]
pub struct Named<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Named<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        axum::extract::Path::from_request_parts(parts, state)
            .await
            .map(|axum::extract::Path(value)| Self(value))
            .map_err(|_| Problem::new(Code::NotFound))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Language {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(problem::language(&parts.headers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Request {
        #[expect(dead_code, reason = "only its reading is tested")]
        stake: i64,
        #[expect(dead_code, reason = "only its reading is tested")]
        options: Option<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[expect(dead_code, reason = "only its reading is tested")]
        flag: bool,
    }

    #[test]
    fn each_way_to_get_a_body_wrong_names_its_field() {
        let cases = [
            (r#"{"stake":"5"}"#, "stake", "wrong_type"),
            (r#"{"stake":5.0}"#, "stake", "wrong_type"),
            (r#"{"stake":5e0}"#, "stake", "wrong_type"),
            (r#"{"stake":9223372036854775808}"#, "stake", "wrong_type"),
            (r#"{"stake":null}"#, "stake", "wrong_type"),
            (r#"{"steak":5}"#, "steak", "unknown_field"),
            ("{}", "stake", "missing_field"),
            (r#"{"stake":5,"stake":5}"#, "stake", "repeated_field"),
            (r#"{"stake":5,"options":{"flug":true}}"#, "options.flug", "unknown_field"),
            (r#"{"stake":5,"options":{}}"#, "options.flag", "missing_field"),
            (r#"{"stake":5,"options":{"flag":1}}"#, "options.flag", "wrong_type"),
            (r#"{"stake":5"#, "body", "malformed"),
            (r#"{"stake":5,"options":{"fl"#, "options", "malformed"),
            (r#"{"stake":1e999}"#, "stake", "malformed"),
            (r#"{"stake":5} x"#, "body", "malformed"),
            ("[]", "body", "wrong_type"),
            ("[5,null]", "body", "wrong_type"),
            ("\"stake\"", "body", "wrong_type"),
            ("{stake:5}", "body", "malformed"),
            ("", "body", "malformed"),
        ];
        for (text, field, code) in cases {
            let problem = parse::<Request>(text.as_bytes()).expect_err(text);
            let (named, rule) = problem.fields().first().expect("a field is named");
            assert_eq!((named.as_str(), rule.code()), (field, code), "{text}");
        }
        let deep = format!(r#"{{"stake":{}"#, "[".repeat(10_000));
        assert!(parse::<Request>(deep.as_bytes()).is_err());
    }
}
