//! The bus inside one process.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::{Answer, Delivery, RequestError};

/// Where servers of one process meet. Copies share it.
#[derive(Clone, Default)]
pub struct Hub(Arc<Mutex<Vec<Listener>>>);

struct Listener {
    pattern: String,
    inbox: mpsc::UnboundedSender<Delivery>,
}

impl Hub {
    /// The hub of this name: the same for all who name it.
    pub fn named(name: &str) -> Self {
        static HUBS: LazyLock<Mutex<HashMap<String, Hub>>> = LazyLock::new(Mutex::default);
        let mut hubs = HUBS.lock().unwrap_or_else(PoisonError::into_inner);
        hubs.entry(name.to_owned()).or_default().clone()
    }

    fn listeners(&self) -> MutexGuard<'_, Vec<Listener>> {
        // Nothing in here can panic half-way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn publish(&self, subject: &str, payload: &Bytes) {
        self.listeners().retain(|listener| {
            let deliver = || Delivery { subject: subject.to_owned(), payload: payload.clone(), answer: None };
            !matches(&listener.pattern, subject) || listener.inbox.send(deliver()).is_ok()
        });
    }

    pub(super) fn subscribe(&self, subject: &str) -> mpsc::UnboundedReceiver<Delivery> {
        let (inbox, deliveries) = mpsc::unbounded_channel();
        self.listeners().push(Listener { pattern: subject.to_owned(), inbox });
        deliveries
    }

    pub(super) async fn request(
        &self,
        subject: &str,
        payload: Bytes,
        patience: Duration,
    ) -> Result<Bytes, RequestError> {
        let (asker, answer) = oneshot::channel();
        let mut unsent = Some(Delivery { subject: subject.to_owned(), payload, answer: Some(Answer::Local(asker)) });
        for listener in self.listeners().iter().filter(|listener| matches(&listener.pattern, subject)) {
            let Some(delivery) = unsent.take() else { break };
            // One who has gone gives it back, for the next.
            unsent = listener.inbox.send(delivery).err().map(|mpsc::error::SendError(delivery)| delivery);
        }
        if unsent.is_some() {
            return Err(RequestError::Nobody);
        }
        match timeout(patience, answer).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) | Err(_) => Err(RequestError::TimedOut),
        }
    }
}

/// Whether a subject fits a pattern, in which `*` stands for any one part.
fn matches(pattern: &str, subject: &str) -> bool {
    let (mut pattern, mut subject) = (pattern.split('.'), subject.split('.'));
    loop {
        match (pattern.next(), subject.next()) {
            (None, None) => return true,
            (Some(wanted), Some(part)) if wanted == "*" || wanted == part => {}
            _ => return false,
        }
    }
}
