//! The bus over a NATS server.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_nats::{Client, ConnectOptions, Event, ServerAddr, client::RequestErrorKind, connection::State};
use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::sync::mpsc;

use super::{Answer, Delivery, RequestError};

/// How long the server may take to be reached at the start.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// How soon a lost server is tried again.
const AGAIN: Duration = Duration::from_millis(100);

/// Why there is no bus.
#[derive(Debug, thiserror::Error)]
#[error("the NATS server can't be reached")]
pub struct ConnectError(#[from] async_nats::ConnectError);

/// A connection, which finds its way back by itself. Copies share it.
#[derive(Clone)]
pub struct Line {
    client: Client,
    prefix: Arc<str>,
    /// What is to be sent, in order: whoever publishes does not wait.
    outgoing: mpsc::UnboundedSender<(String, Bytes)>,
}

/// A user and password, or a token alone, as the address has them: the client's library takes neither from it.
fn credentials(address: &str) -> Result<ConnectOptions, ConnectError> {
    let server: ServerAddr = address.parse().map_err(async_nats::ConnectError::from)?;
    Ok(match (server.username(), server.password()) {
        (Some(user), Some(password)) => ConnectOptions::with_user_and_password(user.to_owned(), password.to_owned()),
        (Some(token), None) => ConnectOptions::with_token(token.to_owned()),
        (None, _) => ConnectOptions::new(),
    })
}

impl Line {
    pub(super) async fn connect(address: &str, deployment: &str) -> Result<Self, ConnectError> {
        let failing = AtomicBool::new(false);
        let client = credentials(address)?
            .name("stakeboard")
            .connection_timeout(CONNECT_PATIENCE)
            .reconnect_delay_callback(|_| AGAIN)
            .max_reconnects(None)
            .event_callback(move |event| {
                happened(&event, &failing);
                std::future::ready(())
            })
            .connect(address)
            .await?;
        let (outgoing, unsent) = mpsc::unbounded_channel();
        tokio::spawn(send_all(client.clone(), unsent));
        Ok(Self { client, prefix: format!("stakeboard.{deployment}").into(), outgoing })
    }

    fn named(&self, subject: &str) -> String {
        format!("{}.{subject}", self.prefix)
    }

    pub(super) fn publish(&self, subject: &str, payload: Bytes) {
        self.send(self.named(subject), payload);
    }

    pub(super) fn send(&self, subject: String, payload: Bytes) {
        drop(self.outgoing.send((subject, payload)));
    }

    pub(super) async fn subscribe(&self, subject: &str) -> mpsc::UnboundedReceiver<Delivery> {
        let (inbox, deliveries) = mpsc::unbounded_channel();
        let (line, subject) = (self.clone(), self.named(subject));
        match self.client.subscribe(subject.clone()).await {
            Ok(mut messages) => {
                self.round_trip().await;
                tokio::spawn(async move {
                    while let Some(message) = messages.next().await {
                        let subject = message.subject.as_str().strip_prefix(&*line.prefix).unwrap_or_default();
                        let subject = subject.trim_start_matches('.').to_owned();
                        let answer = message.reply.map(|asker| Answer::Nats(line.clone(), asker.to_string()));
                        if inbox.send(Delivery { subject, payload: message.payload, answer }).is_err() {
                            break;
                        }
                    }
                });
            }
            Err(error) => tracing::error!(%error, subject, "the bus does not listen"),
        }
        deliveries
    }

    /// What was asked of the server before has been done after it: it takes one thing after another from a connection.
    async fn round_trip(&self) {
        let there_and_back = async {
            let inbox = self.client.new_inbox();
            let mut back = self.client.subscribe(inbox.clone()).await.ok()?;
            self.client.publish(inbox, Bytes::new()).await.ok()?;
            back.next().await
        };
        drop(tokio::time::timeout(CONNECT_PATIENCE, there_and_back).await);
    }

    pub(super) async fn request(
        &self,
        subject: &str,
        payload: Bytes,
        patience: Duration,
    ) -> Result<Bytes, RequestError> {
        if self.client.connection_state() != State::Connected {
            return Err(RequestError::Nobody);
        }
        let request = async_nats::Request::new().payload(payload).timeout(Some(patience));
        match self.client.send_request(self.named(subject), request).await {
            Ok(message) => Ok(message.payload),
            Err(error) if error.kind() == RequestErrorKind::NoResponders => Err(RequestError::Nobody),
            Err(_) => Err(RequestError::TimedOut),
        }
    }
}

/// `failing` says whether a try to come back has failed already: there are ten a second while the server is gone.
fn happened(event: &Event, failing: &AtomicBool) {
    if matches!(event, Event::ClientError(_)) && failing.swap(true, Ordering::Relaxed) {
        return;
    }
    tracing::info!(%event, "the bus");
    match event {
        Event::Connected => {
            failing.store(false, Ordering::Relaxed);
            metrics::gauge!("stakeboard_bus_connected").set(1);
        }
        Event::Disconnected => {
            metrics::gauge!("stakeboard_bus_connected").set(0);
            metrics::counter!("stakeboard_bus_disconnections_total").increment(1);
        }
        _ => {}
    }
}

/// What can't be sent now is not kept: news that come late are worse than none, since they are looked for where they
/// are missing.
async fn send_all(client: Client, mut unsent: mpsc::UnboundedReceiver<(String, Bytes)>) {
    while let Some((subject, payload)) = unsent.recv().await {
        let sent = match client.connection_state() {
            State::Connected => client.publish(subject, payload).await.map_err(|error| error.to_string()),
            state => Err(state.to_string()),
        };
        if let Err(error) = sent {
            metrics::counter!("stakeboard_bus_messages_unsent_total").increment(1);
            tracing::debug!(error, "a message was not sent");
        }
    }
}
