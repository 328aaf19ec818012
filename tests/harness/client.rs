//! A client over HTTP.

use std::{
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use reqwest::{Method, header::HeaderMap};
use serde_json::Value;

use crate::Player;

/// For how long what is not heard of is sent again, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_mins(1);

/// A client with or without a token. Copies share connections.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    token: Option<String>,
}

/// An answer of the server.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, null where it is empty or no JSON.
    pub body: Value,
    /// The body as it came.
    pub text: String,
    /// How many bytes the body had on its way.
    pub bytes: usize,
}

impl Answer {
    /// The stable code of a problem; empty for anything else.
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    /// Whether what was asked for may have been done or not: a machine that is busy with other things stands still for a
    /// moment, and the service says so (docs/clients.md).
    pub fn is_unheard(&self) -> bool {
        ["paused", "overloaded", "request_timeout"].contains(&self.code())
    }

    /// The fields of a problem, each with its rule.
    pub fn fields(&self) -> Vec<(String, String)> {
        let errors = self.body["errors"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        errors.iter().map(|error| (text(&error["field"]), text(&error["code"]))).collect()
    }

    /// The same answer, where it has this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    /// The same answer, where it is this problem.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Self {
        assert_eq!((self.status, self.code()), (status, code), "{}", self.text);
        self
    }
}

impl Client {
    /// Without a token.
    pub fn new(address: SocketAddr) -> Self {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { http, base: format!("http://{address}"), token: None }
    }

    /// The same with a player's token.
    pub fn of(&self, player: &Player) -> Self {
        self.with_token(&player.token)
    }

    /// The same with this token.
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    /// The token it carries.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Where a path of the server is.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// A request to be filled in and sent with [`Client::send`].
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method, self.url(path)).header("accept-language", "en");
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Sends a request; a lost connection is an error.
    pub async fn try_send(&self, request: reqwest::RequestBuilder) -> Result<Answer, reqwest::Error> {
        let response = request.send().await?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = response.bytes().await?;
        let text = String::from_utf8_lossy(&body).into_owned();
        let bytes = body.len();
        Ok(Answer { status, headers, body: serde_json::from_str(&text).unwrap_or_default(), text, bytes })
    }

    /// Sends a request and reads the answer.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        self.try_send(request).await.unwrap()
    }

    /// GET.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// POST without a body.
    pub async fn post_empty(&self, path: &str) -> Answer {
        self.send(self.request(Method::POST, path)).await
    }

    /// POST.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    /// POST with an idempotency key nobody has used.
    pub async fn post_once(&self, path: &str, body: &Value) -> Answer {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let key = format!("key-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        self.post_keyed(path, &key, body).await
    }

    /// POST with an idempotency key nobody has used, sent again with it for as long as nobody says what became of it, as
    /// clients are told to do.
    pub async fn post_until_heard(&self, path: &str, body: &Value) -> Answer {
        let key = uuid::Uuid::now_v7().to_string();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answer = self.post_keyed(path, &key, body).await;
            if !answer.is_unheard() || Instant::now() > deadline {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// POST with this idempotency key.
    pub async fn post_keyed(&self, path: &str, key: &str, body: &Value) -> Answer {
        self.send(self.request(Method::POST, path).header("idempotency-key", key).json(body)).await
    }
}
