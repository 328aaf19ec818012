//! How many requests a player may make.

use std::{net::IpAddr, sync::Arc, time::Duration};

use axum::{
    extract::{FromRequestParts, Request, State},
    http::{Extensions, request::Parts},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use crate::{
    auth::{Auth, network},
    code::Code,
    http::{
        caller::{ReadToken, bearer},
        problem::Problem,
        web,
    },
    ids::PlayerId,
    rate::{Buckets, Limit},
};

/// The limit on requests. Copies share the count.
#[derive(Clone, Debug)]
pub struct HttpLimits {
    auth: Auth,
    players: Arc<Buckets<PlayerId>>,
    addresses: Arc<Buckets<IpAddr>>,
}

impl HttpLimits {
    /// `limit` for each player, and for each address that requests without a token come from, where the limits by
    /// address apply.
    pub fn new(auth: Auth, limit: Limit) -> Self {
        Self { auth, players: Arc::new(Buckets::new(limit)), addresses: Arc::new(Buckets::new(limit)) }
    }

    fn take(&self, request: &mut Request) -> Result<(), Problem> {
        let now = self.auth.clock().now();
        let claims = bearer(request.headers()).and_then(|token| self.auth.read(token).ok());
        let taken = if let Some(claims) = claims {
            let player = claims.sub;
            tracing::Span::current().record("player", tracing::field::display(player));
            request.extensions_mut().insert(ReadToken(claims));
            self.players.take(player, now)
        } else if self.auth.settings().limits_by_address {
            self.addresses.take(network(peer(request.extensions())?), now)
        } else {
            Ok(())
        };
        taken.map_err(rate_limited)
    }
}

/// The limit that holds where no other is set: 100 a second sustained, 200 at once.
pub fn default_limit() -> Limit {
    Limit::per_second(100, 200)
}

/// Middleware: refuses what is over the limit, before anything else is done for it.
///
/// Goes inside [`super::problem::speak`], with `axum::middleware::from_fn_with_state`. Files of the page are not
/// counted: one load takes dozens, and a few people behind one address would leave each other with half a page.
pub async fn limit(State(limits): State<HttpLimits>, mut request: Request, next: Next) -> Response {
    if web::is_asset(request.uri()) {
        return next.run(request).await;
    }
    match limits.take(&mut request) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// `rate_limited`, to be tried again after `wait`.
pub fn rate_limited(wait: Duration) -> Problem {
    Problem::new(Code::RateLimited).retry_after(wait)
}

/// The address that a request came from, as [`super::serve`] found out. What a request says of its own origin is
/// believed of [`super::forwarded::TrustedProxies`] only.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

impl<S: Send + Sync> FromRequestParts<S> for Peer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        peer(&parts.extensions).map(Self)
    }
}

/// The server was put together without telling handlers who they talk to.
#[derive(Debug, thiserror::Error)]
#[error("the address of the peer is not known")]
struct PeerUnknown;

fn peer(extensions: &Extensions) -> Result<IpAddr, Problem> {
    extensions.get::<Peer>().map(|Peer(address)| *address).ok_or_else(|| Problem::internal(&PeerUnknown))
}
