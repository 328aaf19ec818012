//! Work that a dropped request does not cut in half.

use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

/// The process ended before the work did.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the work was stopped")]
pub struct Stopped;

/// Runs work to its end in a task of its own, also where whoever waits for it is gone. It is waited for when the server
/// stops.
///
/// # Panics
///
/// Where the work does: the panic is its caller's, as if the work had been done in place.
pub async fn uncut<T, E>(tasks: &TaskTracker, work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<Stopped> + Send + 'static,
{
    match tasks.spawn(work.in_current_span()).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(Stopped.into()),
        },
    }
}
