//! Repeats of money requests: claimed, compared and answered inside the transaction that moves the money.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    db::{AsDatabaseError, Tx},
    ids::PlayerId,
};

/// What a client calls a request, with a hash of what it asked for.
#[derive(Clone, Debug)]
pub struct Key {
    /// The HTTP method.
    pub method: String,
    /// The full path.
    pub path: String,
    /// The `Idempotency-Key` header.
    pub key: String,
    /// SHA-256 of the body.
    pub body_hash: Vec<u8>,
}

/// Why a key can't be claimed.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// It was used with another body.
    #[error("the key was used before with another body")]
    Reused,
    /// Its first request is still under way. Known by a lock that goes with the transaction, so that a
    /// crash frees the key.
    #[error("the first request with this key is under way")]
    InProgress,
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl AsDatabaseError for ClaimError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            Self::Reused | Self::InProgress => None,
        }
    }
}

/// What became of a claim, as the database's function says it.
#[derive(Debug)]
pub struct Claim {
    /// Whether nobody else holds the key.
    pub locked: bool,
    /// The hash of the body it was used with in the last 24 hours.
    pub body_hash: Option<Vec<u8>>,
    /// The answer of that request.
    pub answer: Option<Value>,
}

impl Claim {
    /// The answer of the first request where there was one in the last 24 hours.
    pub fn first<T: DeserializeOwned>(self, key: &Key) -> Result<Option<T>, ClaimError> {
        if !self.locked {
            return Err(ClaimError::InProgress);
        }
        match (self.body_hash, self.answer) {
            (Some(body_hash), _) if body_hash != key.body_hash => Err(ClaimError::Reused),
            (Some(_), Some(answer)) => {
                let answer = serde_json::from_value(answer).map_err(|error| sqlx::Error::Decode(error.into()))?;
                Ok(Some(answer))
            }
            _ => Ok(None),
        }
    }
}

/// Claims a key for this transaction. Gives the answer of the first request where there was one in the last 24 hours.
pub async fn claim<T: DeserializeOwned>(tx: &mut Tx, player: PlayerId, key: &Key) -> Result<Option<T>, ClaimError> {
    let claim = sqlx::query_as!(
        Claim,
        r#"select locked as "locked!", body_hash, answer from claim_key($1, $2, $3, $4, $5)"#,
        lock_id(player, key),
        player.0,
        key.method,
        key.path,
        key.key
    )
    .fetch_one(&mut **tx)
    .await?;
    claim.first(key)
}

/// Keeps the answer of a request that succeeded, in the same transaction.
pub async fn keep<T: Serialize>(
    tx: &mut Tx,
    player: PlayerId,
    key: &Key,
    status: u16,
    answer: &T,
) -> Result<(), sqlx::Error> {
    let answer = serde_json::to_value(answer).map_err(|error| sqlx::Error::Encode(error.into()))?;
    sqlx::query!(
        "insert into idempotency_keys (player_id, method, path, key, body_hash, status, answer)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (player_id, method, path, key) do update
         set body_hash = excluded.body_hash, status = excluded.status, answer = excluded.answer, created_at = now()",
        player.0,
        key.method,
        key.path,
        key.key,
        key.body_hash,
        status.cast_signed(),
        answer
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// For how many hours an answer is kept, as `claim_key` in the database has it too.
pub const KEPT_HOURS: u8 = 24;

/// Forgets answers that are older.
pub async fn forget_old(pool: &sqlx::PgPool) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "delete from idempotency_keys where created_at < now() - make_interval(hours => $1)",
        i32::from(KEPT_HOURS)
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected())
}

/// The advisory lock of a key: two keys meet on one lock only where 64 bits of a hash collide.
pub fn lock_id(player: PlayerId, key: &Key) -> i64 {
    let mut hash = Sha256::new();
    hash.update(player.0.as_bytes());
    for part in [&key.method, &key.path, &key.key] {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    }
    let digest: [u8; 32] = hash.finalize().into();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(first)
}
