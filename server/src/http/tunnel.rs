//! Requests about what only one node has in its memory: practice. Any node takes them, and that one answers.

use std::net::IpAddr;

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header, request::Parts},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tower::ServiceExt as _;

use crate::{
    bus::{Bus, Delivery, frame},
    code::Code,
    http::{limits::Peer, problem::Problem, router::LARGEST_BODY},
    ids::{NodeId, PracticeId},
    matches::Health,
};

/// How long the other node may take: as long as a bot that has to wait for its turn may think.
const PATIENCE: Duration = Duration::from_secs(9);
/// The most that is read of an answer.
const LARGEST_ANSWER: usize = 512 * 1_024;
/// What of a request's headers the answer can depend on.
const ASKED: [HeaderName; 3] = [header::AUTHORIZATION, header::ACCEPT_LANGUAGE, header::CONTENT_TYPE];
/// What of an answer's headers its reader needs.
const ANSWERED: [HeaderName; 3] = [header::CONTENT_TYPE, header::CONTENT_LANGUAGE, header::RETRY_AFTER];

/// The way to other nodes, where there are any. Copies share it.
#[derive(Clone)]
pub struct Tunnel {
    bus: Option<Bus>,
    health: Health,
}

/// A request, or an answer, on its way.
#[derive(Serialize, Deserialize)]
struct Parcel {
    /// The method of a request, the status of an answer.
    line: String,
    path: String,
    headers: Vec<(String, String)>,
    body: String,
    peer: Option<IpAddr>,
}

impl Tunnel {
    /// With a bus where there is one.
    pub fn new(bus: Option<Bus>, health: Health) -> Self {
        Self { bus, health }
    }

    /// Answers what other nodes send, by the same routes as everything else.
    pub async fn serve(&self, router: Router) {
        let Some(bus) = &self.bus else { return };
        let mut deliveries = bus.subscribe(&subject(self.health.node)).await;
        tokio::spawn(async move {
            while let Some(delivery) = deliveries.next().await {
                tokio::spawn(answer(router.clone(), delivery));
            }
        });
    }

    /// The node that has what a path names, where it is not this one.
    fn elsewhere(&self, path: &str) -> Option<NodeId> {
        let id: PracticeId = path.strip_prefix("/v1/practice/")?.split('/').next()?.parse().ok()?;
        let peers = self.health.peers();
        peers.iter().find(|node| **node != self.health.node && id.is_at(node)).copied()
    }
}

fn subject(node: NodeId) -> String {
    format!("http.{node}")
}

/// Middleware: hands on what another node has.
pub async fn hand_on(State(tunnel): State<Tunnel>, request: Request, next: Next) -> Response {
    let Some(bus) = &tunnel.bus else { return next.run(request).await };
    let Some(node) = tunnel.elsewhere(request.uri().path()) else { return next.run(request).await };
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST_BODY).await else {
        return Problem::new(Code::PayloadTooLarge).into_response();
    };
    let parcel = parcel(&parts, &String::from_utf8_lossy(&body));
    match bus.request(&subject(node), frame(&parcel), PATIENCE).await {
        Ok(answer) => unpack(&answer).unwrap_or_else(|| Problem::new(Code::Overloaded).into_response()),
        Err(_) => Problem::new(Code::Overloaded).into_response(),
    }
}

fn parcel(parts: &Parts, body: &str) -> Parcel {
    Parcel {
        line: parts.method.to_string(),
        path: parts.uri.to_string(),
        headers: chosen(&parts.headers, &ASKED),
        body: body.to_owned(),
        peer: parts.extensions.get::<Peer>().map(|Peer(address)| *address),
    }
}

fn chosen(headers: &HeaderMap, names: &[HeaderName]) -> Vec<(String, String)> {
    let value = |name: &HeaderName| headers.get(name)?.to_str().ok().map(|text| (name.to_string(), text.to_owned()));
    names.iter().filter_map(value).collect()
}

fn put(headers: &mut HeaderMap, chosen: &[(String, String)]) {
    for (name, value) in chosen {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value.parse::<HeaderValue>()) {
            headers.insert(name, value);
        }
    }
}

fn unpack(answer: &[u8]) -> Option<Response> {
    let parcel: Parcel = serde_json::from_slice(answer).ok()?;
    let status: StatusCode = parcel.line.parse().ok()?;
    let mut response = (status, parcel.body).into_response();
    response.headers_mut().remove(header::CONTENT_TYPE);
    put(response.headers_mut(), &parcel.headers);
    Some(response)
}

async fn answer(router: Router, mut delivery: Delivery) {
    let Some(to) = delivery.take_answer() else { return };
    let Some(request) = request(&delivery.payload) else { return };
    let Ok(response) = router.oneshot(request).await;
    let (parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, LARGEST_ANSWER).await else { return };
    let parcel = Parcel {
        line: parts.status.as_str().to_owned(),
        path: String::new(),
        headers: chosen(&parts.headers, &ANSWERED),
        body: String::from_utf8_lossy(&body).into_owned(),
        peer: None,
    };
    to.give(frame(&parcel));
}

fn request(payload: &[u8]) -> Option<Request> {
    let parcel: Parcel = serde_json::from_slice(payload).ok()?;
    let mut request = Request::new(Body::from(parcel.body));
    *request.method_mut() = Method::from_bytes(parcel.line.as_bytes()).ok()?;
    *request.uri_mut() = parcel.path.parse::<Uri>().ok()?;
    put(request.headers_mut(), &parcel.headers);
    if let Some(peer) = parcel.peer {
        request.extensions_mut().insert(Peer(peer));
    }
    Some(request)
}
