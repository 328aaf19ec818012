//! The bus between the nodes of a deployment: one small interface over two ways to carry it.
//!
//! A message arrives at most once, and those of one sender under one subject in order. Whoever uses it has the truth
//! elsewhere (the journal, the lobby's tables) and looks there when something is missing.

mod local;
mod nats;

use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc;

pub use nats::ConnectError;

use crate::clock::Clock;

/// A way to the other nodes. Copies share it.
#[derive(Clone)]
pub enum Bus {
    /// Between servers of one process.
    Local(local::Hub),
    /// Over a NATS server.
    Nats(nats::Line),
}

/// Why a request has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// Nobody has been asked: there is nobody under this subject, or no bus at the moment.
    #[error("nobody could be asked")]
    Nobody,
    /// Somebody may have been asked.
    #[error("no answer came in time")]
    TimedOut,
}

/// A message that has arrived.
pub struct Delivery {
    /// What it was sent under.
    pub subject: String,
    /// What it says.
    pub payload: Bytes,
    answer: Option<Answer>,
}

/// Where the answer to a request goes.
pub enum Answer {
    /// To a server of this process.
    Local(tokio::sync::oneshot::Sender<Bytes>),
    /// Under a subject of the asker's.
    Nats(nats::Line, String),
}

impl Delivery {
    /// Where its answer goes, where it is a request.
    pub fn take_answer(&mut self) -> Option<Answer> {
        self.answer.take()
    }

    /// The last part of its subject.
    pub fn last(&self) -> &str {
        self.last_two().1
    }

    /// The last two parts of its subject.
    pub fn last_two(&self) -> (&str, &str) {
        let mut parts = self.subject.rsplit('.');
        let last = parts.next().unwrap_or_default();
        (parts.next().unwrap_or_default(), last)
    }
}

impl Answer {
    /// Answers.
    pub fn give(self, payload: Bytes) {
        count("sent");
        match self {
            Self::Local(asker) => drop(asker.send(payload)),
            Self::Nats(line, asker) => line.send(asker, payload),
        }
    }
}

/// Messages under a subject, from when it was asked for on.
pub struct Subscription(mpsc::UnboundedReceiver<Delivery>);

impl Subscription {
    /// The next one; `None` once the bus is gone for good.
    pub async fn next(&mut self) -> Option<Delivery> {
        let delivery = self.0.recv().await?;
        count("received");
        Some(delivery)
    }
}

/// Counts a message, by which way it went.
fn count(direction: &'static str) {
    metrics::counter!("stakeboard_bus_messages_total", "direction" => direction).increment(1);
}

impl Bus {
    /// Reaches the bus at this address: `nats://…` or `tls://…`, or `memory:` and a name. `deployment` keeps those who
    /// share a NATS server apart.
    pub async fn connect(address: &str, deployment: &str) -> Result<Self, ConnectError> {
        let bus = match address.strip_prefix("memory:") {
            Some(name) => Self::Local(local::Hub::named(&format!("{name}.{deployment}"))),
            None => nats::Line::connect(address, deployment).await.map(Self::Nats)?,
        };
        metrics::gauge!("stakeboard_bus_connected").set(1);
        Ok(bus)
    }

    /// Sends without waiting; nobody may hear it.
    pub fn publish(&self, subject: &str, payload: Bytes) {
        count("sent");
        match self {
            Self::Local(hub) => hub.publish(subject, &payload),
            Self::Nats(line) => line.publish(subject, payload),
        }
    }

    /// Everything that is sent under a subject from now on; `*` stands for any one part of it between dots.
    pub async fn subscribe(&self, subject: &str) -> Subscription {
        match self {
            Self::Local(hub) => Subscription(hub.subscribe(subject)),
            Self::Nats(line) => Subscription(line.subscribe(subject).await),
        }
    }

    /// Asks whoever listens under a subject, whose first part says for what: it is counted by that.
    pub async fn request(&self, subject: &str, payload: Bytes, patience: Duration) -> Result<Bytes, RequestError> {
        let asked = Clock::start();
        let answer = match self {
            Self::Local(hub) => hub.request(subject, payload, patience).await,
            Self::Nats(line) => line.request(subject, payload, patience).await,
        };
        let (of, outcome) = (subject.split('.').next().unwrap_or_default().to_owned(), outcome(&answer));
        metrics::histogram!("stakeboard_bus_request_seconds", "of" => of, "outcome" => outcome)
            .record(asked.running_for(asked.now()));
        match &answer {
            Ok(_) => ["sent", "received"].into_iter().for_each(count),
            Err(RequestError::TimedOut) => count("sent"),
            Err(RequestError::Nobody) => {}
        }
        answer
    }
}

/// What became of a request, as it is counted.
fn outcome(answer: &Result<Bytes, RequestError>) -> &'static str {
    match answer {
        Ok(_) => "answered",
        Err(RequestError::Nobody) => "nobody",
        Err(RequestError::TimedOut) => "no_answer",
    }
}
