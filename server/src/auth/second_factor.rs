//! The second factor: codes of an authenticator (TOTP, RFC 6238), each good once, and codes to fall back on.

use std::{net::IpAddr, time::Duration};

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;
use totp_rs::{Builder, Secret, Totp, TotpError};
use utoipa::ToSchema;

use crate::{
    auth::{Auth, Caller, LoginError, Password, sessions},
    db::{self, AsDatabaseError, Tx},
    ids::{PlayerId, SessionId},
    rng,
};

/// What authenticators show beside the code.
const ISSUER: &str = "Stakeboard";
/// How many codes there are to fall back on.
const RECOVERY_CODES: usize = 10;
/// Their signs: none that are easily taken for each other, each five bits.
const SIGNS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";
/// How many signs one has: 120 bits, beyond any guessing.
const RECOVERY_SIGNS: usize = 24;
/// More is no code, and not worth reading.
const LONGEST_CODE: usize = 64;

/// A secret to be put into an authenticator. Good for nothing until a code of it has been seen.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NewFactor {
    /// The secret, in base 32, for typing.
    pub secret: String,
    /// The same as a link that authenticators understand.
    pub uri: String,
}

/// How a player stands with the second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FactorStatus {
    /// Whether log-ins need a code.
    pub on: bool,
    /// Whether this session began with one, or has confirmed the authenticator.
    pub session: bool,
    /// Whether the work of the player's roles needs it here.
    pub required: bool,
    /// Codes left to fall back on.
    pub recovery_codes: i64,
}

/// Why something about the second factor is refused.
#[derive(Debug, thiserror::Error)]
pub enum FactorError {
    /// The password is wrong.
    #[error("the password is wrong")]
    BadCredentials,
    /// The code is wrong, too old, or was used.
    #[error("the code is wrong, too old, or was used")]
    BadCode,
    /// A guest has no password to add to.
    #[error("a guest has no log-in")]
    Guest,
    /// It is on, or there is none to confirm or to remove.
    #[error("it is as asked for already, or nothing was begun")]
    Settled,
    /// Too many have failed; one more may be tried after this.
    #[error("too many have failed")]
    RateLimited(Duration),
    /// The password could not be compared.
    #[error(transparent)]
    Hash(#[from] super::passwords::HashError),
    /// The library refused what we made.
    #[error(transparent)]
    Totp(#[from] TotpError),
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl AsDatabaseError for FactorError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}

impl Auth {
    /// How the caller stands with the second factor.
    pub async fn factor_status(&self, caller: &Caller) -> Result<FactorStatus, sqlx::Error> {
        let row = sqlx::query!(
            r#"select exists (select from second_factors where player_id = $1 and confirmed_at is not null) as "on!",
                      (select count(*) from recovery_codes where player_id = $1) as "left!""#,
            caller.player.0
        )
        .fetch_one(self.pool())
        .await?;
        let required = self.settings().staff_second_factor && !caller.roles.is_empty();
        Ok(FactorStatus { on: row.on, session: caller.second_factor, required, recovery_codes: row.left })
    }

    /// Begins: makes a secret, in the place of one that was never confirmed. Whoever found a session open lacks the
    /// password.
    pub async fn begin_factor(
        &self,
        player: PlayerId,
        password: Password,
        peer: IpAddr,
    ) -> Result<NewFactor, FactorError> {
        let known = self.account_of(player).await?.ok_or(FactorError::Guest)?;
        self.check_password(&known.email_key, password, known.hash, peer).await.map_err(|error| match error {
            LoginError::RateLimited(wait) => FactorError::RateLimited(wait),
            LoginError::Hash(error) => error.into(),
            LoginError::Database(error) => error.into(),
            LoginError::BadCredentials
            | LoginError::CodeNeeded
            | LoginError::BadCode
            | LoginError::NewPasswordNeeded
            | LoginError::Weak(_) => FactorError::BadCredentials,
        })?;
        let secret: [u8; 20] = rng::secret();
        let totp = totp(&secret, &known.email)?;
        let made = sqlx::query!(
            "insert into second_factors (player_id, secret) values ($1, $2)
             on conflict (player_id) do update set secret = $2, created_at = clock_timestamp()
             where second_factors.confirmed_at is null",
            player.0,
            &secret
        )
        .execute(self.pool())
        .await?;
        if made.rows_affected() == 0 {
            return Err(FactorError::Settled);
        }
        Ok(NewFactor { secret: Secret::new_stack(secret).to_base32(), uri: totp.to_url()? })
    }

    /// Confirms: a code shows that the authenticator has the secret. From here on log-ins need one; every other session
    /// of the player ends. Gives the codes to fall back on, which are shown this once.
    pub async fn confirm_factor(&self, caller: &Caller, code: &str) -> Result<Vec<String>, FactorError> {
        let account = factor_key(caller.player);
        self.refuse_after_failures_of(&account)?;
        let (now, player, session) = (self.clock().wall(), caller.player, caller.session);
        let confirmed = db::in_transaction(self.pool(), |tx| {
            let code = code.to_owned();
            Box::pin(async move { confirm(tx, player, session, &code, now).await })
        })
        .await;
        let (codes, ended) = self.counted(account, confirmed)?;
        self.announce(ended);
        Ok(codes)
    }

    /// Removes it, with a code. The sessions of the player go on as if they had begun without one.
    pub async fn remove_factor(&self, player: PlayerId, code: &str) -> Result<(), FactorError> {
        let account = factor_key(player);
        self.refuse_after_failures_of(&account)?;
        let now = self.clock().wall();
        let removed = db::in_transaction(self.pool(), |tx| {
            let code = code.to_owned();
            Box::pin(async move {
                if !is_on(&mut **tx, player).await? {
                    return Err(FactorError::Settled);
                }
                if !take_code(tx, player, &code, now).await? {
                    return Err(FactorError::BadCode);
                }
                forget(tx, player).await?;
                Ok(())
            })
        })
        .await;
        self.counted(account, removed)
    }

    /// Counts a wrong code as a failed log-in. Guesses made side by side tell no more than those made one after another.
    fn counted<T>(&self, account: [u8; 32], done: Result<T, FactorError>) -> Result<T, FactorError> {
        match done {
            Err(FactorError::BadCode) => match self.count_failure_of(account) {
                Ok(()) => Err(FactorError::BadCode),
                Err(wait) => Err(FactorError::RateLimited(wait)),
            },
            Ok(done) => {
                self.refuse_after_failures_of(&account)?;
                Ok(done)
            }
            other => other,
        }
    }
}

/// Under which failures with codes of a running session are counted, apart from those of log-ins.
fn factor_key(player: PlayerId) -> [u8; 32] {
    Sha256::digest([b"second factor ".as_slice(), player.0.as_bytes()].concat()).into()
}

async fn confirm(
    tx: &mut Tx,
    player: PlayerId,
    session: SessionId,
    code: &str,
    now: OffsetDateTime,
) -> Result<(Vec<String>, Vec<SessionId>), FactorError> {
    let begun = sqlx::query_scalar!(
        "select secret from second_factors where player_id = $1 and confirmed_at is null for update",
        player.0
    )
    .fetch_optional(&mut **tx)
    .await?
    .ok_or(FactorError::Settled)?;
    let step = step_of(&begun, code, now).ok_or(FactorError::BadCode)?;
    sqlx::query!(
        "update second_factors set confirmed_at = clock_timestamp(), last_step = $2 where player_id = $1",
        player.0,
        step
    )
    .execute(&mut **tx)
    .await?;
    let codes: Vec<String> = (0..RECOVERY_CODES).map(|_| spelled(RECOVERY_SIGNS)).collect();
    let hashes: Vec<Vec<u8>> = codes.iter().map(|code| hash(code)).collect();
    sqlx::query!("insert into recovery_codes (player_id, hash) select $1, unnest($2::bytea[])", player.0, &hashes)
        .execute(&mut **tx)
        .await?;
    mark(tx, session).await?;
    let ended = sessions::end_others(tx, player, session).await?;
    Ok((codes, ended))
}

/// Whether log-ins of a player need a code.
pub(super) async fn is_on(executor: impl sqlx::PgExecutor<'_>, player: PlayerId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select from second_factors where player_id = $1 and confirmed_at is not null) as "on!""#,
        player.0
    )
    .fetch_one(executor)
    .await
}

/// Takes a code, of the authenticator or to fall back on: false where it is neither, or was taken before. Two at once wait
/// for each other at the row.
pub(super) async fn take_code(
    tx: &mut Tx,
    player: PlayerId,
    code: &str,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let Some(factor) = sqlx::query!(
        "select secret, last_step from second_factors where player_id = $1 and confirmed_at is not null for update",
        player.0
    )
    .fetch_optional(&mut **tx)
    .await?
    else {
        return Ok(false);
    };
    if let Some(step) = step_of(&factor.secret, code, now) {
        if step <= factor.last_step {
            return Ok(false);
        }
        sqlx::query!("update second_factors set last_step = $2 where player_id = $1", player.0, step)
            .execute(&mut **tx)
            .await?;
        return Ok(true);
    }
    let taken = sqlx::query!("delete from recovery_codes where player_id = $1 and hash = $2", player.0, hash(code))
        .execute(&mut **tx)
        .await?;
    Ok(taken.rows_affected() > 0)
}

/// Forgets the second factor of a player. Their sessions count as begun without one.
pub async fn forget(tx: &mut Tx, player: PlayerId) -> Result<bool, sqlx::Error> {
    let gone = sqlx::query!("delete from second_factors where player_id = $1", player.0).execute(&mut **tx).await?;
    sqlx::query!("update sessions set second_factor = false where player_id = $1 and second_factor", player.0)
        .execute(&mut **tx)
        .await?;
    Ok(gone.rows_affected() > 0)
}

/// Marks a session as begun with a code.
pub(super) async fn mark(tx: &mut Tx, session: SessionId) -> Result<(), sqlx::Error> {
    sqlx::query!("update sessions set second_factor = true where id = $1", session.0).execute(&mut **tx).await?;
    Ok(())
}

fn totp(secret: &[u8], account: &str) -> Result<Totp, TotpError> {
    let secret = Secret::new(secret.into());
    // A colon would end the issuer in the link.
    let account = account.replace(':', "");
    Builder::new().with_secret(secret).with_issuer(Some(ISSUER)).with_account_name(account).build()
}

/// The step whose code this is: the present one of thirty seconds, the one before or the one after.
fn step_of(secret: &[u8], code: &str, now: OffsetDateTime) -> Option<i64> {
    let digits: String = plain(code);
    let step = totp(secret, "").ok()?.check(&digits, u64::try_from(now.unix_timestamp()).ok()?)?;
    i64::try_from(step).ok()
}

/// A code as it is compared: people write it in groups, and in capitals.
fn plain(code: &str) -> String {
    code.chars().take(LONGEST_CODE).filter(char::is_ascii_alphanumeric).flat_map(char::to_lowercase).collect()
}

/// A secret that people read to each other: so many signs, in groups of four.
pub(super) fn spelled(signs: usize) -> String {
    let signs: Vec<char> = rng::text(SIGNS, signs).chars().collect();
    signs.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-")
}

/// Unsalted and fast, which is enough for 120 random bits.
fn hash(code: &str) -> Vec<u8> {
    Sha256::digest(plain(code)).to_vec()
}
