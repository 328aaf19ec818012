//! Accepting connections: hyper by hand, for the limits that axum's own loop does not have.

use std::{net::SocketAddr, time::Duration};

use axum::{Router, http::Request};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt as _;

use crate::http::{forwarded::TrustedProxies, limits::Peer};

/// How long a connection may take to send the head of a request, also the first one.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// How long requests under way may take once the server stops.
const DRAIN_PATIENCE: Duration = Duration::from_secs(3);

/// What answers requests, and whom it believes on where they came from.
#[derive(Clone)]
pub struct Service {
    /// What answers.
    pub router: Router,
    /// Who stands before it.
    pub proxies: TrustedProxies,
}

/// Serves connections until `stop`, then lets requests under way come to their end while `stopping` runs.
pub async fn serve(
    listener: TcpListener,
    service: Service,
    stop: CancellationToken,
    stopping: impl Future<Output = ()>,
) {
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        match accepted {
            Ok((stream, peer)) => drop(connections.spawn(connection(stream, peer, service.clone(), stop.clone()))),
            Err(error) => {
                // Out of file descriptors, most likely: give some time to come back.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    connections.close();
    drop(tokio::join!(tokio::time::timeout(DRAIN_PATIENCE, connections.wait()), stopping));
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    Service { router, proxies }: Service,
    stop: CancellationToken,
) {
    // A move is a small packet that must not wait for the next one.
    drop(stream.set_nodelay(true));
    let service = service_fn(move |mut request: Request<Incoming>| {
        let client = proxies.client(peer.ip(), request.headers());
        request.extensions_mut().insert(Peer(client));
        router.clone().oneshot(request.map(axum::body::Body::new))
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .max_buf_size(32 * 1_024)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        // Without the address, which would be a line about a person.
        tracing::debug!(%error, "a connection ended early");
    }
}
