//! RFC 9457 answers: the one place where failures become HTTP.

use std::time::Duration;

use axum::{
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    code::Code,
    db::{self, Stopped, Trouble},
    i18n::{self, FieldRule, Language},
    matches::StartError,
    players::{limits::LimitKind, standing::Barred},
};

/// A failure on its way to a client.
#[derive(Clone, Debug)]
pub struct Problem {
    code: Code,
    fields: Vec<(String, FieldRule)>,
    members: Map<String, Value>,
    retry_after: Option<Duration>,
}

/// The answer to a request that failed, as `application/problem+json`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemBody {
    /// Always `about:blank`: the `code` is what tells one problem from another.
    #[serde(rename = "type")]
    pub kind: String,
    /// A few words, in the language asked for.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// One sentence, in the language asked for.
    pub detail: String,
    /// The stable code.
    pub code: String,
    /// The fields at fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldProblem>,
    /// With `illegal_move`: the rule of the game that forbids it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// With `limit_reached`: which limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitKind>,
    /// With `on_break`: when it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub until: Option<String>,
    /// With `stale_ply`: the number of moves made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<u32>,
}

/// What is wrong with one field.
#[derive(Debug, Serialize, ToSchema)]
pub struct FieldProblem {
    /// The path of the field, such as `stake` or `options.grand_slam`.
    pub field: String,
    /// The stable code of the rule.
    pub code: String,
    /// One sentence, in the language asked for.
    pub detail: String,
}

impl Problem {
    /// A failure that needs no more than its code.
    pub fn new(code: Code) -> Self {
        Self { code, fields: Vec::new(), members: Map::new(), retry_after: None }
    }

    /// `invalid_request` for one field.
    pub fn field(field: impl Into<String>, rule: FieldRule) -> Self {
        Self::new(Code::InvalidRequest).with_field(field, rule)
    }

    /// Adds a field at fault.
    #[must_use]
    pub fn with_field(mut self, field: impl Into<String>, rule: FieldRule) -> Self {
        self.fields.push((field.into(), rule));
        self
    }

    /// Adds the fields at fault of another problem of the same request.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.fields.extend(other.fields);
        self
    }

    /// Adds a member of the problem's own, such as `reason`.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    /// Says when a repeat can succeed.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The fields at fault.
    pub fn fields(&self) -> &[(String, FieldRule)] {
        &self.fields
    }

    /// Our own fault: logged with its causes here and nowhere else, told to the client without them.
    pub fn internal(error: &(dyn std::error::Error + 'static)) -> Self {
        let mut causes = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            causes.push_str(": ");
            causes.push_str(&cause.to_string());
            source = cause.source();
        }
        tracing::error!(error = causes, "a request failed through our own fault");
        Self::new(Code::Internal)
    }

    fn render(&self, language: Language) -> Response {
        let status = StatusCode::from_u16(self.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let errors: Vec<Value> = self
            .fields
            .iter()
            .map(|(field, rule)| json!({"field": field, "code": rule.code(), "detail": rule.detail(language)}))
            .collect();
        let mut body = json!({
            "type": "about:blank",
            "title": i18n::title(self.code, language),
            "status": status.as_u16(),
            "detail": i18n::detail(self.code, language),
            "code": self.code.as_str(),
        });
        if let Value::Object(object) = &mut body {
            if !errors.is_empty() {
                object.insert("errors".into(), errors.into());
            }
            object.extend(self.members.clone());
        }
        let mut response = (status, body.to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(language.tag()));
        headers.insert(header::VARY, HeaderValue::from_static("accept-language"));
        let wait = self.retry_after.or(matches!(status.as_u16(), 429 | 503).then_some(Duration::from_secs(1)));
        if let Some(wait) = wait {
            let seconds = wait.as_millis().div_ceil(1_000).try_into().unwrap_or(u64::MAX);
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<Code> for Problem {
    fn from(code: Code) -> Self {
        Self::new(code)
    }
}

impl From<Stopped> for Problem {
    fn from(_: Stopped) -> Self {
        Self::new(Code::Stopping)
    }
}

impl From<Barred> for Problem {
    fn from(barred: Barred) -> Self {
        let plain = Self::new(barred.code());
        match barred {
            Barred::OnBreak(until) => plain.with("until", rfc3339_ms::text(until)),
            Barred::Limit(limit) => plain.with("limit", limit.as_str()),
            Barred::Stopped | Barred::Deleted | Barred::Frozen | Barred::Identity => plain,
        }
    }
}

impl From<sqlx::Error> for Problem {
    fn from(error: sqlx::Error) -> Self {
        match db::trouble(&error) {
            // Where the database can't be reached at all, every request is told so before its wait is over.
            Trouble::Unavailable if matches!(error, sqlx::Error::PoolTimedOut) => {
                tracing::warn!(%error, "a request waited for a connection to the database in vain");
                Self::new(Code::Overloaded)
            }
            Trouble::Unavailable => {
                tracing::warn!(%error, "a request found the database unavailable");
                Self::new(Code::Paused)
            }
            Trouble::Conflict => {
                tracing::warn!(%error, "a request lost too many races for the same rows");
                Self::new(Code::Overloaded)
            }
            Trouble::Fault => Self::internal(&error),
        }
    }
}

impl From<StartError> for Problem {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Paused => Self::new(Code::Paused),
            StartError::Database(error) => error.into(),
        }
    }
}

impl IntoResponse for Problem {
    /// Left as an extension: the words are chosen by [`speak`], which knows the request's language.
    fn into_response(self) -> Response {
        let mut response = StatusCode::INTERNAL_SERVER_ERROR.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Middleware: renders the problem of an answer in the language that the request asks for.
pub async fn speak(request: Request, next: Next) -> Response {
    let language = language(request.headers());
    let response = next.run(request).await;
    match response.extensions().get::<Problem>() {
        Some(problem) => {
            metrics::counter!("stakeboard_refusals_total", "code" => problem.code.as_str(), "over" => "http")
                .increment(1);
            let mut rendered = problem.render(language);
            if let Some(allowed) = response.headers().get(header::ALLOW) {
                rendered.headers_mut().insert(header::ALLOW, allowed.clone());
            }
            rendered
        }
        None => response,
    }
}

/// The language that a request asks for.
pub fn language(headers: &axum::http::HeaderMap) -> Language {
    headers
        .get(header::ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok())
        .map(Language::from_accept)
        .unwrap_or_default()
}
