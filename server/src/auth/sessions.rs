//! Sessions: families of refresh tokens. Times are the database's own, which all nodes share.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use sqlx::{PgPool, postgres::types::PgInterval};
use utoipa::ToSchema;

use crate::{
    db::Tx,
    ids::{PlayerId, SessionId},
    rng,
};

/// A refresh token as its client holds it: 32 random bytes. Only its hash is stored.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = String)]
pub struct RefreshToken(String);

impl RefreshToken {
    fn generate() -> Self {
        Self(URL_SAFE_NO_PAD.encode(rng::secret::<32>()))
    }

    /// Unsalted and fast, which is enough for 32 random bytes.
    fn hash(&self) -> Vec<u8> {
        Sha256::digest(self.0.as_bytes()).to_vec()
    }
}

impl std::fmt::Debug for RefreshToken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("RefreshToken(…)")
    }
}

/// A session as the next pair of tokens is made for it.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Whose it is.
    pub player: PlayerId,
    /// Whether that is a guest.
    pub guest: bool,
    /// The session.
    pub session: SessionId,
    /// Its newest refresh token.
    pub refresh_token: RefreshToken,
}

/// Begins a session of a player.
pub async fn open(tx: &mut Tx, player: PlayerId, guest: bool, lifetime: Duration) -> Result<Opened, sqlx::Error> {
    let session = SessionId::generate();
    sqlx::query!("insert into sessions (id, player_id) values ($1, $2)", session.0, player.0)
        .execute(&mut **tx)
        .await?;
    let refresh_token = add_token(tx, session, lifetime).await?;
    Ok(Opened { player, guest, session, refresh_token })
}

async fn add_token(tx: &mut Tx, session: SessionId, lifetime: Duration) -> Result<RefreshToken, sqlx::Error> {
    let token = RefreshToken::generate();
    sqlx::query!(
        "insert into refresh_tokens (hash, session_id, expires_at) values ($1, $2, now() + $3)",
        token.hash(),
        session.0,
        interval(lifetime)
    )
    .execute(&mut **tx)
    .await?;
    Ok(token)
}

/// The session a refresh token belongs to, whether or not either is still good.
pub async fn of_token(pool: &PgPool, token: &RefreshToken) -> Result<Option<SessionId>, sqlx::Error> {
    let session = sqlx::query_scalar!("select session_id from refresh_tokens where hash = $1", token.hash())
        .fetch_optional(pool)
        .await?;
    Ok(session.map(SessionId))
}

/// What became of a refresh token.
#[derive(Clone, Debug)]
pub enum Exchanged {
    /// A successor in the same session.
    For(Opened),
    /// It was used long ago, so somebody has a copy: the session has been ended.
    Ended,
    /// It has expired, or the session had ended before.
    Nothing,
}

/// Exchanges a refresh token of this session for a successor.
///
/// Exchanges of one session wait for each other at its row. A token used within the last `grace` gets another
/// successor: requests that run side by side must not log their player out.
pub async fn exchange(
    tx: &mut Tx,
    session: SessionId,
    token: &RefreshToken,
    grace: Duration,
    lifetime: Duration,
) -> Result<Exchanged, sqlx::Error> {
    let row = sqlx::query!("select player_id, ended_at from sessions where id = $1 for update", session.0)
        .fetch_optional(&mut **tx)
        .await?;
    let Some(row) = row.filter(|row| row.ended_at.is_none()) else {
        return Ok(Exchanged::Nothing);
    };
    // Read only now that the row is ours, and told the time only now: the transaction may have waited. The first use
    // is in time whatever the grace.
    let found = sqlx::query!(
        r#"update refresh_tokens set used_at = coalesce(refresh_tokens.used_at, clock_timestamp())
           from (
               select hash, used_at from refresh_tokens
               where hash = $1 and session_id = $2 and expires_at > clock_timestamp()
           ) before
           where refresh_tokens.hash = before.hash
           returning coalesce(before.used_at > clock_timestamp() - $3::interval, true) as "in_time!""#,
        token.hash(),
        session.0,
        interval(grace)
    )
    .fetch_optional(&mut **tx)
    .await?;
    match found {
        None => Ok(Exchanged::Nothing),
        Some(found) if !found.in_time => {
            end(&mut **tx, session).await?;
            Ok(Exchanged::Ended)
        }
        Some(_) => {
            let player = PlayerId(row.player_id);
            let guest =
                sqlx::query_scalar!("select guest from players where id = $1", player.0).fetch_one(&mut **tx).await?;
            let refresh_token = add_token(tx, session, lifetime).await?;
            Ok(Exchanged::For(Opened { player, guest, session, refresh_token }))
        }
    }
}

/// Ends a session. Tells whether it ran.
pub async fn end(executor: impl sqlx::PgExecutor<'_>, session: SessionId) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!("update sessions set ended_at = now() where id = $1 and ended_at is null", session.0)
        .execute(executor)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Ends all sessions of a player and tells which. Once committed they are made known with
/// [`Auth::announce`](crate::auth::Auth::announce).
pub async fn end_all(tx: &mut Tx, player: PlayerId) -> Result<Vec<SessionId>, sqlx::Error> {
    let ended = sqlx::query_scalar!(
        "update sessions set ended_at = now() where player_id = $1 and ended_at is null returning id",
        player.0
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(ended.into_iter().map(SessionId).collect())
}

/// Ends all sessions of a player but one, and tells which, as [`end_all`].
pub async fn end_others(tx: &mut Tx, player: PlayerId, kept: SessionId) -> Result<Vec<SessionId>, sqlx::Error> {
    let ended = sqlx::query_scalar!(
        "update sessions set ended_at = now() where player_id = $1 and id <> $2 and ended_at is null returning id",
        player.0,
        kept.0
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(ended.into_iter().map(SessionId).collect())
}

/// Forgets refresh tokens that have expired. Until then also used ones are kept: they tell a copy from a mistake.
pub async fn forget_expired(pool: &PgPool) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!("delete from refresh_tokens where expires_at < now()").execute(pool).await?;
    Ok(done.rows_affected())
}

/// Cut to milliseconds; what is longer than Postgres can say is as good as for ever.
pub(super) fn interval(duration: Duration) -> PgInterval {
    let milliseconds = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    let microseconds = milliseconds.min(i64::MAX / 1_000_000) * 1_000;
    PgInterval { months: 0, days: 0, microseconds }
}
