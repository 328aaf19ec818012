//! The beginning and the end of a process.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::matches::Health;

/// Whether a move could be committed now.
#[derive(Clone, Debug)]
pub struct Readiness {
    health: Health,
    stopping: Arc<AtomicBool>,
}

impl Readiness {
    /// Ready as long as the heartbeat can be written.
    pub fn new(health: Health) -> Self {
        Self { health, stopping: Arc::default() }
    }

    /// The server goes down.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether the server is going down.
    pub fn stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Whether the database can't be written to.
    pub fn paused(&self) -> bool {
        self.health.paused().is_some()
    }

    /// Waits until the database can't be written to.
    pub async fn until_paused(&self) {
        self.health.clone().until_paused().await;
    }
}

/// Waits for SIGTERM or SIGINT.
pub async fn stop_signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => tracing::info!("told to stop (SIGTERM)"),
        _ = interrupt.recv() => tracing::info!("told to stop (SIGINT)"),
    }
    Ok(())
}
