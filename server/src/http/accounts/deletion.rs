//! Deleting one's own account (P-6).

use axum::{
    extract::{FromRef, State},
    http::StatusCode,
};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use tokio_util::task::TaskTracker;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::{Auth, Password, sessions},
    code::Code,
    db,
    http::{
        caller::Caller,
        problem::{Problem, ProblemBody},
    },
    lobby::{self, Lobby},
    players::deletion::{self, DeleteError},
    rng,
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Lobby: FromRef<S>,
    TaskTracker: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(delete_me))
}

/// Delete one's own account
///
/// Address, name, birth date and password are replaced by a pseudonym, open seeks go, and all tokens and sockets end.
/// Matches and ledger lines stay, under the pseudonym.
#[utoipa::path(
    delete, path = "/v1/me", tag = "Accounts", security(("bearer" = [])),
    responses(
        (status = 204, description = "The account is gone"),
        (status = 403, description = "`frozen`, `on_break`: neither is got around by a new account",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, description = "`account_in_use`: there is money, a pending deposit, a withdrawal under way or a live match",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "`paused`, `overloaded`",
            body = ProblemBody, content_type = "application/problem+json"),
    )
)]
async fn delete_me(
    State(auth): State<Auth>,
    State(tasks): State<TaskTracker>,
    State(lobby): State<Lobby>,
    caller: Caller,
) -> Result<StatusCode, Problem> {
    let nobody_knows = BASE64_URL_SAFE_NO_PAD.encode(rng::secret::<32>());
    let hash = auth.passwords().hash(Password::new(&nobody_knows)).await?;
    db::uncut(&tasks, async move {
        let player = caller.player;
        let ended = db::in_transaction(auth.pool(), |tx| {
            let hash = hash.clone();
            Box::pin(async move {
                deletion::delete(tx, player, &hash).await?;
                lobby::withdraw_all(tx, player).await?;
                Ok::<_, DeleteError>(sessions::end_all(tx, player).await?)
            })
        })
        .await?;
        auth.announce(ended);
        lobby.feed().player_changed(player);
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

impl From<DeleteError> for Problem {
    fn from(error: DeleteError) -> Self {
        match error {
            DeleteError::InUse => Self::new(Code::AccountInUse),
            DeleteError::Barred(barred) => barred.into(),
            DeleteError::Database(error) => error.into(),
        }
    }
}
