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
use serde_json::Value;
use serde_path_to_error::Error as PathError;
use sha2::{Digest, Sha256};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema},
};

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

impl<S: Send + Sync, T: DeserializeOwned + PartialSchema> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let bytes = json_bytes(request, state).await?;
        parse(&bytes).map(Self)
    }
}

/// No body at all, where every field may be missing: an empty one and `null` say as much.
impl<S: Send + Sync, T: DeserializeOwned + PartialSchema> OptionalFromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Option<Self>, Problem> {
        if request.body().is_end_stream() {
            return Ok(None);
        }
        let bytes = json_bytes(request, state).await?;
        match bytes.trim_ascii() {
            b"" | b"null" => Ok(None),
            bytes => parse(bytes).map(|body| Some(Self(body))),
        }
    }
}

/// The body of a request that needs none: nothing, or an object without fields. A field would be a mistake.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// A JSON body of a money call together with its `Idempotency-Key`.
#[derive(Debug)]
pub struct KeyedBody<T>(pub Key, pub T);

impl<S: Send + Sync, T: DeserializeOwned + PartialSchema> FromRequest<S> for KeyedBody<T> {
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
    let value = headers.get("idempotency-key").ok_or_else(|| Problem::new(Code::IdempotencyKeyMissing))?;
    let usable = value.to_str().ok().filter(|text| (1..=255).contains(&text.len()));
    usable.map(str::to_owned).ok_or_else(|| Problem::new(Code::BadIdempotencyKey))
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
pub fn parse<T: DeserializeOwned + PartialSchema>(bytes: &[u8]) -> Result<T, Problem> {
    // A derived reader also takes an array, with the fields in order: nothing that anybody documents.
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        let is_json = serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
        return Err(Problem::field("body", if is_json { FieldRule::WrongType } else { not_json() }));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| all_faults::<T>(bytes, error))?;
    deserializer.end().map_err(|_| Problem::field("body", not_json()))?;
    Ok(value)
}

/// At most so many fields are told of at once.
const MOST_TOLD: usize = 16;

/// Everything that can be seen to be wrong: a reader stops at the first fault, so what it names is taken away and the rest is
/// read again. It looks for what is missing last, and stops at the first of that too; the schema knows the others.
fn all_faults<T: DeserializeOwned + PartialSchema>(bytes: &[u8], first: PathError<serde_json::Error>) -> Problem {
    let (mut field, rule) = fault_in_json(first);
    let mut problem = Problem::field(&field, rule.clone());
    let Ok(body) = serde_json::from_slice::<Value>(bytes) else { return problem };
    let (mut rest, mut is_there) = (body.clone(), rule != FieldRule::Missing);
    let mut gone = Vec::new();
    while problem.fields().len() < MOST_TOLD {
        if !is_there {
            // Nothing to take away but what it would be in.
            let Some((holder, _)) = field.rsplit_once('.') else { break };
            field = String::from(holder);
        }
        if !take_away(&mut rest, &field) {
            break;
        }
        gone.push(field);
        let Err(next) = serde_path_to_error::deserialize::<_, T>(&rest) else { break };
        let (named, rule) = fault_in_json(next);
        is_there = rule != FieldRule::Missing;
        if !gone.contains(&named) {
            problem = problem.with_field(&named, rule);
        }
        field = named;
    }
    missing::<T>(&body).into_iter().fold(problem, |problem, name| {
        let is_told = problem.fields().iter().any(|(field, _)| *field == name);
        if is_told || problem.fields().len() == MOST_TOLD {
            problem
        } else {
            problem.with_field(name, FieldRule::Missing)
        }
    })
}

/// The fields that the schema of a request asks for and that are not there.
fn missing<T: PartialSchema>(body: &Value) -> Vec<String> {
    let RefOr::T(Schema::Object(schema)) = T::schema() else { return Vec::new() };
    schema.required.into_iter().filter(|name| body.get(name).is_none()).collect()
}

/// Takes a field out of an object. False where it can't be.
fn take_away(object: &mut Value, path: &str) -> bool {
    let (inside, name) = path.rsplit_once('.').unwrap_or(("", path));
    let mut parts = inside.split('.').filter(|part| !part.is_empty());
    let holder = parts.try_fold(object, |holder, part| holder.get_mut(part));
    holder.and_then(Value::as_object_mut).is_some_and(|holder| holder.remove(name).is_some())
}

fn fault_in_json(error: PathError<serde_json::Error>) -> (String, FieldRule) {
    let path = known_part(&error.path().to_string());
    let error = error.into_inner();
    // What is read can be JSON and still not be what is asked for.
    let otherwise = if error.is_data() { FieldRule::WrongType } else { not_json() };
    fault(&path, &error.to_string(), otherwise)
}

/// The path as far as its fields are known: JSON that is cut off in a name leaves a `?` there.
fn known_part(path: &str) -> String {
    let known = path.split('?').next().unwrap_or_default().trim_end_matches('.');
    if known.is_empty() { ".".to_owned() } else { known.to_owned() }
}

fn not_json() -> FieldRule {
    FieldRule::Malformed("um objeto JSON em UTF-8", "one JSON object in UTF-8")
}

/// Turns a message of serde into the field and the rule it is about; where it says nothing of the kind it is the last.
fn fault(path: &str, message: &str, otherwise: FieldRule) -> (String, FieldRule) {
    let named = message.split('`').nth(1).unwrap_or_default();
    let inside = |name: &str| if path == "." { name.to_owned() } else { format!("{path}.{name}") };
    let here = if path == "." { "body".to_owned() } else { path.to_owned() };
    if message.starts_with("unknown field") {
        // Where the path already ends in the field, it is not named twice.
        let full = if path == named || path.ends_with(&format!(".{named}")) { here } else { inside(named) };
        (full, FieldRule::Unknown)
    } else if message.starts_with("missing field") {
        (inside(named), FieldRule::Missing)
    } else if message.starts_with("duplicate field") {
        let full = if path == named { here } else { inside(named) };
        (full, FieldRule::Repeated)
    } else if message.starts_with("unknown variant") {
        // Behind what was sent, which may hold anything.
        let choices = message.rsplit_once("expected ").map_or("", |(_, choices)| choices);
        (here, FieldRule::NotOneOf(choices.split('`').skip(1).step_by(2).map(str::to_owned).collect()))
    } else if message.starts_with("UUID parsing failed") {
        (here, no_identifier())
    } else if message.starts_with("invalid type") || message.starts_with("invalid value") {
        (here, FieldRule::WrongType)
    } else {
        (here, otherwise)
    }
}

fn no_identifier() -> FieldRule {
    FieldRule::Malformed(
        "um identificador como 01890a5d-ac96-774b-bcce-b302099a8057",
        "an identifier such as 01890a5d-ac96-774b-bcce-b302099a8057",
    )
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
            let (field, rule) = fault(&path, &error.into_inner().to_string(), FieldRule::WrongType);
            Problem::field(field, rule)
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

    #[derive(Debug, Deserialize, ToSchema)]
    #[serde(deny_unknown_fields)]
    struct Request {
        #[expect(dead_code, reason = "only its reading is tested")]
        stake: i64,
        #[expect(dead_code, reason = "only its reading is tested")]
        options: Option<Inner>,
        #[expect(dead_code, reason = "only its reading is tested")]
        rival: Option<crate::ids::PlayerId>,
        #[expect(dead_code, reason = "only its reading is tested")]
        seat: Option<Seat>,
    }

    #[derive(Debug, Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    enum Seat {
        First,
        Second,
    }

    #[derive(Debug, Deserialize, ToSchema)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[expect(dead_code, reason = "only its reading is tested")]
        flag: bool,
    }

    #[derive(Debug, Deserialize, ToSchema)]
    #[serde(deny_unknown_fields)]
    struct Account {
        #[expect(dead_code, reason = "only its reading is tested")]
        email: String,
        #[expect(dead_code, reason = "only its reading is tested")]
        password: String,
        #[expect(dead_code, reason = "only its reading is tested")]
        #[serde(default)]
        remember: bool,
        #[expect(dead_code, reason = "only its reading is tested")]
        name: Option<String>,
        #[expect(dead_code, reason = "only its reading is tested")]
        options: Option<Inner>,
        #[expect(dead_code, reason = "only its reading is tested")]
        age: u8,
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
            (r#"{"stake":5,"rival":"nobody"}"#, "rival", "malformed"),
            (r#"{"stake":5,"rival":5}"#, "rival", "wrong_type"),
            (r#"{"stake":5,"seat":"third"}"#, "seat", "not_one_of"),
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

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        let text = r#"{"stake":"5","steak":5,"options":{"flag":1,"flug":true},"rival":"nobody","seat":"`a` or `b`"}"#;
        let problem = parse::<Request>(text.as_bytes()).expect_err(text);
        let mut told: Vec<_> = problem.fields().iter().map(|(field, rule)| (field.as_str(), rule.code())).collect();
        told.sort_unstable();
        let all = [
            ("options.flag", "wrong_type"),
            ("options.flug", "unknown_field"),
            ("rival", "malformed"),
            ("seat", "not_one_of"),
            ("stake", "wrong_type"),
            ("steak", "unknown_field"),
        ];
        assert_eq!(told, all);
        let seat = problem.fields().iter().find(|(field, _)| field == "seat").map(|(_, rule)| rule.clone());
        assert_eq!(seat, Some(FieldRule::NotOneOf(vec!["first".into(), "second".into()])));
        // However much there is of it.
        let many = format!("{{{}}}", (0..100).map(|n| format!(r#""f{n}":1"#)).collect::<Vec<_>>().join(","));
        assert_eq!(parse::<Request>(many.as_bytes()).expect_err("unknown").fields().len(), MOST_TOLD);
    }

    #[test]
    fn what_is_missing_is_told_with_all_else_that_is_wrong() {
        let cases: [(&str, &[(&str, &str)]); 4] = [
            ("{}", &[("age", "missing_field"), ("email", "missing_field"), ("password", "missing_field")]),
            (
                r#"{"password":"x","age":"old","nmae":1}"#,
                &[("age", "wrong_type"), ("email", "missing_field"), ("nmae", "unknown_field")],
            ),
            (
                r#"{"options":{},"password":5,"age":20}"#,
                &[("email", "missing_field"), ("options.flag", "missing_field"), ("password", "wrong_type")],
            ),
            (r#"{"email":"a","password":"b"}"#, &[("age", "missing_field")]),
        ];
        for (text, all) in cases {
            let problem = parse::<Account>(text.as_bytes()).expect_err(text);
            let mut told: Vec<_> = problem.fields().iter().map(|(field, rule)| (field.as_str(), rule.code())).collect();
            told.sort_unstable();
            assert_eq!(told, all, "{text}");
        }
    }
}
