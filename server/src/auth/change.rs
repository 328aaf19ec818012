//! Another password in the place of one: chosen by its owner, or given by the operator to who has lost theirs.

use std::{net::IpAddr, time::Duration};

use time::OffsetDateTime;

use crate::{
    auth::{
        Account, Auth, Caller, LoginError, Password, account_key,
        passwords::{self, HashError, Passwords, Weakness},
        second_factor, sessions,
    },
    db::{self, Tx},
    ids::{PlayerId, SessionId},
};

/// How long a given password waits for its log-in: long enough for a letter of the operator's, over a weekend.
const GIVEN_FOR: Duration = Duration::from_hours(72);
/// How many signs one has: 80 bits, which can be read aloud, and which nobody guesses in that time.
const GIVEN_SIGNS: usize = 16;

/// What a player asks for who changes their password.
#[derive(Debug)]
pub struct PasswordChange {
    /// The present one: whoever found a session open lacks it.
    pub password: Password,
    /// The one to take its place.
    pub new_password: Password,
    /// Where the account has a second factor: a code of it.
    pub code: Option<String>,
}

/// A password that the operator tells its owner.
pub struct GivenPassword {
    /// The password, in groups of four signs.
    pub password: String,
    hash: String,
}

/// Until when a given password is good, and whose sessions have ended.
#[derive(Debug)]
pub struct Given {
    /// Its end.
    pub expires_at: OffsetDateTime,
    /// The sessions, to be announced.
    pub ended: Vec<SessionId>,
}

/// What somebody has shown who logs in or changes their password, to be held against the rows as they are when it takes
/// effect.
#[derive(Clone, Debug)]
pub(super) struct Proof {
    pub player: PlayerId,
    pub email_key: String,
    pub peer: IpAddr,
    /// Where the account has a second factor.
    pub code: Option<String>,
    /// The hash that the password fits.
    pub hash: String,
    /// That of the one to take its place.
    pub new_hash: Option<String>,
}

impl Auth {
    /// Changes the password of the caller. Every other session of theirs ends.
    pub async fn change_password(
        &self,
        caller: &Caller,
        asked: PasswordChange,
        peer: IpAddr,
    ) -> Result<(), LoginError> {
        let known = self.account_of(caller.player).await?.ok_or(LoginError::BadCredentials)?;
        let hash = self.check_password(&known.email_key, asked.password.clone(), known.hash.clone(), peer).await?;
        let code = self.code_for(known.player, asked.code).await?;
        let new_hash = Some(self.hash_new(&known, &asked.password, asked.new_password).await?);
        let (player, session) = (caller.player, caller.session);
        let proof = Proof { player, email_key: known.email_key, peer, code, hash, new_hash };
        let changed = db::in_transaction(self.pool(), |tx| {
            let (auth, proof) = (self.clone(), proof.clone());
            Box::pin(async move {
                auth.prove(tx, &proof).await?;
                Ok(sessions::end_others(tx, player, session).await?)
            })
        })
        .await;
        let ended = self.counted_log_in(&proof, changed)?;
        self.announce(ended);
        Ok(())
    }

    /// The code that an account with a second factor has to bring; nothing where it has none.
    pub(super) async fn code_for(&self, player: PlayerId, code: Option<String>) -> Result<Option<String>, LoginError> {
        if second_factor::is_on(self.pool(), player).await? {
            code.map(Some).ok_or(LoginError::CodeNeeded)
        } else {
            Ok(None)
        }
    }

    /// The hash of a new password, where it may be one.
    pub(super) async fn hash_new(
        &self,
        known: &Account,
        present: &Password,
        new: Password,
    ) -> Result<String, LoginError> {
        let weakness = if new.is(present) {
            Some(Weakness::Same)
        } else {
            passwords::weakness(&new, &known.email, &known.display_name)
        };
        match weakness {
            Some(weakness) => Err(LoginError::Weak(weakness)),
            None => Ok(self.passwords().hash(new).await?),
        }
    }

    /// Takes the code, and sees to it that the password is still the one that was compared, or changes it: it holds until
    /// the transaction ends.
    pub(super) async fn prove(&self, tx: &mut Tx, proof: &Proof) -> Result<(), LoginError> {
        if let Some(code) = &proof.code {
            if !second_factor::take_code(tx, proof.player, code, self.clock().wall()).await? {
                return Err(LoginError::BadCode);
            }
            // Guesses made side by side tell no more than those made one after another.
            self.refuse_after_failures(&account_key(&proof.email_key), proof.peer)?;
        }
        let held = if let Some(new_hash) = &proof.new_hash {
            let changed = sqlx::query!(
                "update players set password_hash = $3, password_expires_at = null
                 where id = $1 and password_hash = $2",
                proof.player.0,
                proof.hash,
                new_hash
            );
            changed.execute(&mut **tx).await?.rows_affected() > 0
        } else {
            let kept = sqlx::query!(
                "select id from players where id = $1 and password_hash = $2 for share",
                proof.player.0,
                proof.hash
            );
            kept.fetch_optional(&mut **tx).await?.is_some()
        };
        // Changed meanwhile: what was right is right no longer.
        if held { Ok(()) } else { Err(LoginError::BadCredentials) }
    }
}

impl GivenPassword {
    /// Makes one up.
    pub async fn make(passwords: &Passwords) -> Result<Self, HashError> {
        let password = second_factor::spelled(GIVEN_SIGNS);
        let hash = passwords.hash(Password::new(&password)).await?;
        Ok(Self { password, hash })
    }

    /// Gives it to a player: the one they had is good no longer, and all their sessions end.
    pub async fn give(&self, tx: &mut Tx, player: PlayerId) -> Result<Given, sqlx::Error> {
        let expires_at = sqlx::query_scalar!(
            r#"update players set password_hash = $2, password_expires_at = clock_timestamp() + $3
               where id = $1 returning password_expires_at as "expires_at!""#,
            player.0,
            self.hash,
            sessions::interval(GIVEN_FOR)
        )
        .fetch_one(&mut **tx)
        .await?;
        Ok(Given { expires_at, ended: sessions::end_all(tx, player).await? })
    }
}
