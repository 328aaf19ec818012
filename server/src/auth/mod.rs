//! Who is calling: passwords, access tokens, sessions.

pub mod change;
pub mod keys;
pub mod passwords;
pub mod second_factor;
pub mod sessions;
mod settings;
pub mod tokens;

use std::{net::IpAddr, sync::Arc, time::Duration};

use sha2::{Digest as _, Sha256};
use sqlx::PgPool;
use tokio::sync::broadcast;

pub use change::PasswordChange;
pub use keys::Keys;
pub use passwords::Password;
pub use sessions::{Opened, RefreshToken};
pub use settings::AuthSettings;

use crate::{
    clock::Clock,
    db::{AsDatabaseError, in_transaction},
    ids::{PlayerId, SessionId},
    rate::Buckets,
    role::Role,
};
use change::Proof;
use passwords::{HashError, Passwords, Weakness};
use sessions::Exchanged;
use tokens::Claims;

/// Tells which sessions have ended, so that their sockets close. Sent once the end is committed.
///
/// Subscribe before [`Auth::identify`], so that no end falls in between. A receiver that lags behind has to ask the
/// database about every session it serves.
pub type SessionEnds = broadcast::Sender<SessionId>;

/// What counts towards the limits on guessing, to be counted by every server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// A log-in, or a code, was wrong: the account, and where it came from, where that is counted.
    Failed(EmailHash, Option<IpAddr>),
    /// A log-in was right: the failures of the account are forgotten.
    Succeeded(EmailHash),
    /// Somebody signed up from there.
    SignedUp(IpAddr),
}

/// How many attempts a receiver may be behind; what it misses is not counted elsewhere.
const ATTEMPTS_KEPT: usize = 1_024;
/// How many ends a receiver may be behind.
const ENDS_KEPT: usize = 1_024;

/// Who is behind a request: the player of a session that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The player.
    pub player: PlayerId,
    /// The session.
    pub session: SessionId,
    /// Whether the player is a guest now.
    pub guest: bool,
    /// The player's roles now.
    pub roles: Vec<Role>,
    /// Whether the session began with a second factor.
    pub second_factor: bool,
}

/// Why nobody is known to be behind a token.
#[derive(Debug, thiserror::Error)]
pub enum IdentifyError {
    /// It is not a token of ours, has expired, or its session has ended. Which of them is not said.
    #[error("no valid token of a session that still runs")]
    Unauthenticated,
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Why a log-in is refused.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// No such account, or another password.
    #[error("the address or the password is wrong")]
    BadCredentials,
    /// The password is right, and a code of the second factor is needed too.
    #[error("a code is needed")]
    CodeNeeded,
    /// The password is right, and the code is not.
    #[error("the code is wrong, too old, or was used")]
    BadCode,
    /// The password is right, and was given by the operator: one of the player's own has to take its place.
    #[error("a new password is needed")]
    NewPasswordNeeded,
    /// The new password is too easy to guess.
    #[error("the new password is too easy to guess")]
    Weak(Weakness),
    /// Too many have failed; one more may be tried after this.
    #[error("too many log-ins have failed")]
    RateLimited(Duration),
    /// The password could not be compared.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl AsDatabaseError for LoginError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}

/// What somebody brings to log in.
#[derive(Debug)]
pub struct LogIn {
    /// The address, in the form that must be unique.
    pub email_key: String,
    /// The password.
    pub password: Password,
    /// Where the account has a second factor: a code of it.
    pub code: Option<String>,
    /// Another password, to take the place of this one.
    pub new_password: Option<Password>,
}

/// An account as a log-in is compared with it.
#[derive(Debug)]
struct Account {
    player: PlayerId,
    email: String,
    email_key: String,
    display_name: String,
    /// `None` where the password is good no longer.
    hash: Option<String>,
    /// Whether the operator gave the password.
    given: bool,
}

/// Why a refresh token gets no successor.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// It is unknown, has expired, was used long ago, or its session has ended. Which of them is not said.
    #[error("no refresh token of a session that still runs")]
    Unauthenticated,
    /// Too many were exchanged in this session; one more may be after this.
    #[error("too many refresh tokens were exchanged")]
    RateLimited(Duration),
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// An access token and how long it is good for.
#[derive(Clone, Debug)]
pub struct AccessToken {
    /// The token.
    pub token: String,
    /// From now.
    pub lifetime: Duration,
}

/// The accounts' front door. Copies share everything.
#[derive(Clone, Debug)]
pub struct Auth(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    pool: PgPool,
    clock: Clock,
    keys: Keys,
    settings: AuthSettings,
    passwords: Passwords,
    ends: SessionEnds,
    attempts: broadcast::Sender<Attempt>,
    failures: Buckets<EmailHash>,
    failures_by_address: Buckets<IpAddr>,
    sign_ups: Buckets<IpAddr>,
    refreshes: Buckets<SessionId>,
}

/// The address of an account, shortened to a fixed length: it is the client's to choose.
pub type EmailHash = [u8; 32];

impl Auth {
    /// With everything it needs. Starts nothing.
    pub fn new(pool: PgPool, clock: Clock, keys: Keys, settings: AuthSettings) -> Self {
        Self(Arc::new(Shared {
            pool,
            clock,
            keys,
            passwords: Passwords::new(settings.hashes_at_once, settings.hashes_waiting),
            ends: SessionEnds::new(ENDS_KEPT),
            attempts: broadcast::Sender::new(ATTEMPTS_KEPT),
            failures: Buckets::new(settings.login_failures),
            failures_by_address: Buckets::new(settings.login_failures_by_address),
            sign_ups: Buckets::new(settings.sign_ups),
            refreshes: Buckets::new(settings.refreshes),
            settings,
        }))
    }

    /// The settings it was made with.
    pub fn settings(&self) -> &AuthSettings {
        &self.0.settings
    }

    /// The database.
    pub fn pool(&self) -> &PgPool {
        &self.0.pool
    }

    /// The time.
    pub fn clock(&self) -> Clock {
        self.0.clock
    }

    /// Where ends of sessions are told; subscribe to it.
    pub fn ends(&self) -> &SessionEnds {
        &self.0.ends
    }

    /// Attempts that were counted here, from now on.
    pub fn attempts(&self) -> broadcast::Receiver<Attempt> {
        self.0.attempts.subscribe()
    }

    /// Counts an attempt that another server has counted: a limit is one, however many servers there are.
    pub fn count_elsewhere(&self, attempt: Attempt) {
        let now = self.0.clock.now();
        match attempt {
            Attempt::Failed(account, peer) => {
                let _ = self.0.failures.take(account, now);
                if let Some(peer) = peer {
                    let _ = self.0.failures_by_address.take(peer, now);
                }
            }
            Attempt::Succeeded(account) => self.0.failures.clear(&account),
            Attempt::SignedUp(peer) => {
                let _ = self.0.sign_ups.take(peer, now);
            }
        }
    }

    fn tell(&self, attempt: Attempt) {
        // Without a receiver there is no other server.
        drop(self.0.attempts.send(attempt));
    }

    /// The hashing of passwords.
    pub fn passwords(&self) -> &Passwords {
        &self.0.passwords
    }

    /// What a token says, where it is one of ours and has not expired. Does not ask the database: its session may
    /// have ended.
    pub fn read(&self, token: &str) -> Result<Claims, tokens::InvalidToken> {
        tokens::verify(&self.0.keys, token, self.0.clock.wall())
    }

    /// Who is behind an access token.
    pub async fn identify(&self, token: &str) -> Result<Caller, IdentifyError> {
        let claims = self.read(token).map_err(|_| IdentifyError::Unauthenticated)?;
        self.caller(&claims).await
    }

    /// Who is behind a token that has been read. Asks the database each time: a token dies with its session. Who is
    /// frozen is of the staff no longer (P-3): what stays open to them is what is owed to a player.
    pub async fn caller(&self, claims: &Claims) -> Result<Caller, IdentifyError> {
        let row = sqlx::query!(
            r#"select players.guest, sessions.second_factor, case when players.frozen_at is null then players.roles else '{}' end as "roles!"
             from sessions join players on players.id = sessions.player_id
             where sessions.id = $1 and sessions.player_id = $2 and sessions.ended_at is null"#,
            claims.sid.0,
            claims.sub.0
        )
        .fetch_optional(&self.0.pool)
        .await?
        .ok_or(IdentifyError::Unauthenticated)?;
        Ok(Caller {
            player: claims.sub,
            session: claims.sid,
            guest: row.guest,
            roles: Role::from_texts(&row.roles),
            second_factor: row.second_factor,
        })
    }

    /// The access token of a session.
    pub fn access_token(&self, opened: &Opened) -> Result<AccessToken, jsonwebtoken::errors::Error> {
        let lifetime = self.0.settings.access_token_lifetime;
        let whose = (opened.player, opened.session, opened.guest);
        let token = tokens::issue(&self.0.keys, whose, self.0.clock.wall(), lifetime)?;
        Ok(AccessToken { token, lifetime })
    }

    /// Opens a session for who knows the password.
    ///
    /// Failures are counted once they are known, and a log-in that finds the allowance used up is refused whatever
    /// its password, also where it is used up meanwhile: guesses made side by side tell no more than those
    /// made one after another.
    ///
    /// Where the account has a second factor, a code of it is needed; a wrong one is a failure like a wrong password. With
    /// a new password the old one is replaced, and every other session of the player ends.
    pub async fn log_in(&self, asked: LogIn, peer: IpAddr) -> Result<Opened, LoginError> {
        let LogIn { email_key, password, code, new_password } = asked;
        let known = self.account(&email_key).await?;
        let hash = known.as_ref().and_then(|known| known.hash.clone());
        let hash = self.check_password(&email_key, password.clone(), hash, peer).await?;
        // Without an account there is no password that is right.
        let known = known.ok_or(LoginError::BadCredentials)?;
        let code = self.code_for(known.player, code).await?;
        let new_hash = match new_password {
            Some(new) => Some(self.hash_new(&known, &password, new).await?),
            None if known.given => return Err(LoginError::NewPasswordNeeded),
            None => None,
        };
        let proof = Proof { player: known.player, email_key, peer, code, hash, new_hash };
        let entered = self.enter(&proof).await;
        let (opened, ended) = self.counted_log_in(&proof, entered)?;
        self.announce(ended);
        let account = account_key(&proof.email_key);
        self.0.failures.clear(&account);
        self.tell(Attempt::Succeeded(account));
        Ok(opened)
    }

    /// Opens a session for who has shown what it takes. Tells which sessions ended, where the password was changed.
    async fn enter(&self, proof: &Proof) -> Result<(Opened, Vec<SessionId>), LoginError> {
        let lifetime = self.0.settings.refresh_lifetime;
        in_transaction(&self.0.pool, |tx| {
            let (auth, proof) = (self.clone(), proof.clone());
            Box::pin(async move {
                auth.prove(tx, &proof).await?;
                let ended = match &proof.new_hash {
                    Some(_) => sessions::end_all(tx, proof.player).await?,
                    None => Vec::new(),
                };
                let opened = sessions::open(tx, proof.player, false, lifetime).await?;
                if proof.code.is_some() {
                    second_factor::mark(tx, opened.session).await?;
                }
                Ok((opened, ended))
            })
        })
        .await
    }

    /// Compares a password, and counts where it is wrong. Gives the hash that it fits.
    async fn check_password(
        &self,
        email_key: &str,
        password: Password,
        hash: Option<String>,
        peer: IpAddr,
    ) -> Result<String, LoginError> {
        let account = account_key(email_key);
        self.refuse_after_failures(&account, peer)?;
        let fits = self.0.passwords.verify(password, hash.clone()).await?;
        let Some(hash) = hash.filter(|_| fits) else { return Err(self.count_failure(account, peer)) };
        self.refuse_after_failures(&account, peer)?;
        Ok(hash)
    }

    /// Counts a wrong code as a failed log-in.
    fn counted_log_in<T>(&self, proof: &Proof, done: Result<T, LoginError>) -> Result<T, LoginError> {
        match done {
            Err(LoginError::BadCode) => Err(match self.count_failure(account_key(&proof.email_key), proof.peer) {
                LoginError::BadCredentials => LoginError::BadCode,
                limited => limited,
            }),
            other => other,
        }
    }

    async fn account(&self, email_key: &str) -> Result<Option<Account>, sqlx::Error> {
        // Not text to Postgres, and no address either.
        if email_key.contains('\0') {
            return Ok(None);
        }
        self.account_by(Some(email_key), None).await
    }

    /// The account of a player; a guest has none.
    async fn account_of(&self, player: PlayerId) -> Result<Option<Account>, sqlx::Error> {
        self.account_by(None, Some(player)).await
    }

    /// The account with this address, or of this player.
    async fn account_by(
        &self,
        email_key: Option<&str>,
        player: Option<PlayerId>,
    ) -> Result<Option<Account>, sqlx::Error> {
        sqlx::query_as!(
            Account,
            r#"select id as "player: PlayerId", email as "email!", email_key as "email_key!", display_name,
                      case when coalesce(password_expires_at > clock_timestamp(), true) then password_hash end as hash,
                      password_expires_at is not null as "given!"
               from players where email_key = $1 or (id = $2 and email_key is not null)"#,
            email_key,
            player.map(|player| player.0)
        )
        .fetch_optional(&self.0.pool)
        .await
    }

    /// Opens a session of a player in a transaction of its own.
    pub async fn open(&self, player: PlayerId, guest: bool) -> Result<Opened, sqlx::Error> {
        let lifetime = self.0.settings.refresh_lifetime;
        in_transaction(&self.0.pool, move |tx| Box::pin(sessions::open(tx, player, guest, lifetime))).await
    }

    fn refuse_after_failures(&self, account: &EmailHash, peer: IpAddr) -> Result<(), LoginError> {
        let now = self.0.clock.now();
        let by_account = self.0.failures.refusal(account, now);
        let by_address = self.by_address(peer).and_then(|peer| self.0.failures_by_address.refusal(&peer, now));
        match by_account.max(by_address) {
            Some(wait) => Err(LoginError::RateLimited(wait)),
            None => Ok(()),
        }
    }

    fn count_failure(&self, account: EmailHash, peer: IpAddr) -> LoginError {
        let (now, peer) = (self.0.clock.now(), self.by_address(peer));
        let by_account = self.0.failures.take(account, now);
        let by_address = peer.map_or(Ok(()), |peer| self.0.failures_by_address.take(peer, now));
        self.tell(Attempt::Failed(account, peer));
        match by_account.and(by_address) {
            Err(wait) => LoginError::RateLimited(wait),
            Ok(()) => LoginError::BadCredentials,
        }
    }

    /// Refuses after too many failures of one kind, whatever the address they came from.
    fn refuse_after_failures_of(&self, account: &EmailHash) -> Result<(), second_factor::FactorError> {
        let refused = self.0.failures.refusal(account, self.0.clock.now());
        refused.map_or(Ok(()), |wait| Err(second_factor::FactorError::RateLimited(wait)))
    }

    fn count_failure_of(&self, account: EmailHash) -> Result<(), Duration> {
        let counted = self.0.failures.take(account, self.0.clock.now());
        self.tell(Attempt::Failed(account, None));
        counted
    }

    /// Counts a sign-up or a guest against its address, or tells how long to wait.
    pub fn count_sign_up(&self, peer: IpAddr) -> Result<(), Duration> {
        let Some(peer) = self.by_address(peer) else { return Ok(()) };
        self.0.sign_ups.take(peer, self.0.clock.now())?;
        self.tell(Attempt::SignedUp(peer));
        Ok(())
    }

    fn by_address(&self, peer: IpAddr) -> Option<IpAddr> {
        self.0.settings.limits_by_address.then(|| network(peer))
    }

    /// Exchanges a refresh token for its successor.
    pub async fn refresh(&self, token: &RefreshToken) -> Result<Opened, RefreshError> {
        let session = sessions::of_token(&self.0.pool, token).await?.ok_or(RefreshError::Unauthenticated)?;
        self.0.refreshes.take(session, self.0.clock.now()).map_err(RefreshError::RateLimited)?;
        let (grace, lifetime) = (self.0.settings.refresh_grace, self.0.settings.refresh_lifetime);
        let exchanged: Result<_, sqlx::Error> = in_transaction(&self.0.pool, |tx| {
            let token = token.clone();
            Box::pin(async move { sessions::exchange(tx, session, &token, grace, lifetime).await })
        })
        .await;
        match exchanged? {
            Exchanged::For(opened) => Ok(opened),
            Exchanged::Ended => {
                tracing::warn!(%session, "a refresh token was used twice: its session has been ended");
                self.announce([session]);
                Err(RefreshError::Unauthenticated)
            }
            Exchanged::Nothing => Err(RefreshError::Unauthenticated),
        }
    }

    /// Whether a session has not ended.
    pub async fn is_running(&self, session: SessionId) -> Result<bool, sqlx::Error> {
        sqlx::query_scalar!(
            r#"select exists (select from sessions where id = $1 and ended_at is null) as "running!""#,
            session.0
        )
        .fetch_one(&self.0.pool)
        .await
    }

    /// Which of these sessions have ended.
    pub async fn ended_among(&self, sessions: &[SessionId]) -> Result<Vec<SessionId>, sqlx::Error> {
        let sessions: Vec<_> = sessions.iter().map(|session| session.0).collect();
        sqlx::query_scalar!(
            r#"select id as "id: SessionId" from sessions where id = any($1) and ended_at is not null"#,
            &sessions
        )
        .fetch_all(&self.0.pool)
        .await
    }

    /// Ends a session and makes that known.
    pub async fn log_out(&self, session: SessionId) -> Result<(), sqlx::Error> {
        sessions::end(&self.0.pool, session).await?;
        self.announce([session]);
        Ok(())
    }

    /// Makes it known that sessions have ended. For after the commit.
    pub fn announce(&self, ended: impl IntoIterator<Item = SessionId>) {
        for session in ended {
            // Without a receiver there is no socket to close.
            drop(self.0.ends.send(session));
        }
    }
}

/// Under which failures of an account are counted.
fn account_key(email_key: &str) -> EmailHash {
    Sha256::digest(email_key).into()
}

/// What counts as one address: of IPv6 the network that one subscriber gets, within which addresses cost nothing.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        address @ IpAddr::V4(_) => address,
    }
}
