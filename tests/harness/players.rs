//! Players with money, made without the cost of hashing a password for each.

use std::{
    path::Path,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use sqlx::PgPool;
use stakeboard_server::{
    auth::{Auth, AuthSettings, Keys},
    clock::Clock,
    db::{self, Tx},
    http::accounts,
    ids::{PlayerId, SessionId},
    ledger,
    money::Cents,
    players::{BirthDate, DisplayName, Email, NewAccount},
    role::Role,
};

use crate::TestDatabase;

/// A player with an open session.
#[derive(Clone, Debug)]
pub struct Player {
    /// Who.
    pub id: PlayerId,
    /// The session behind the token.
    pub session: SessionId,
    /// An access token.
    pub token: String,
    /// What others see.
    pub name: String,
}

/// Makes players in the database of a server, with tokens that the server accepts.
#[derive(Clone)]
pub struct Registrar {
    /// The server's own view of accounts.
    pub auth: Auth,
    /// The server's role.
    pub pool: PgPool,
}

/// Nobody logs in with it: players made here have their session already.
const HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$LHJ1cHW8xyt8XHjlC/k5zg$joFLSnj6UNKRoax4sAAdgePHUpaOEV6l1GtG1JMbU4w";

impl Registrar {
    /// For a server on this database that keeps its secrets in this folder.
    pub async fn new(database: &TestDatabase, secrets: &Path) -> Self {
        let pool = database.pool().await;
        let keys = Keys::load_or_create(secrets).unwrap();
        // Longer than the longest run.
        let settings = AuthSettings { access_token_lifetime: Duration::from_hours(24), ..AuthSettings::default() };
        Self { auth: Auth::new(pool.clone(), Clock::start(), keys, settings), pool }
    }

    /// A player with this much available.
    pub async fn player(&self, money: i64) -> Player {
        self.with_roles(money, Vec::new()).await
    }

    /// A member of the staff.
    pub async fn with_roles(&self, money: i64, roles: Vec<Role>) -> Player {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let name = format!("player {}", NEXT.fetch_add(1, Ordering::Relaxed));
        let account = NewAccount {
            email: Email::parse(&format!("{}@test.example", name.replace(' ', "-"))).unwrap(),
            display_name: DisplayName::parse(&name).unwrap(),
            password_hash: HASH.to_owned(),
            birth_date: BirthDate(time::macros::date!(1990 - 01 - 01)),
            roles,
        };
        let id = accounts::create_account(&self.auth, account).await.unwrap();
        if money > 0 {
            self.deposit(id, money).await;
        }
        self.session(id, name).await
    }

    /// Another session of a player.
    pub async fn session(&self, id: PlayerId, name: String) -> Player {
        let opened = self.auth.open(id, false).await.unwrap();
        let token = self.auth.access_token(&opened).unwrap().token;
        Player { id, session: opened.session, token, name }
    }

    /// More money for a player: a deposit that was completed at once, as no transfer stands without what it is for.
    pub async fn deposit(&self, player: PlayerId, amount: i64) {
        let id = uuid::Uuid::now_v7();
        db::in_transaction(&self.pool, |tx: &mut Tx| {
            Box::pin(async move {
                ledger::lock_available(tx, &[player]).await?;
                sqlx::query(
                    "insert into deposits (id, player_id, amount, status, ended_at)
                     values ($1, $2, $3, 'completed', clock_timestamp())",
                )
                .bind(id)
                .bind(player.0)
                .bind(amount)
                .execute(&mut **tx)
                .await?;
                ledger::deposit(tx, player, &format!("deposit:{id}"), Cents(amount)).await
            })
        })
        .await
        .unwrap();
    }

    /// What a player has available.
    pub async fn available(&self, player: PlayerId) -> i64 {
        ledger::holdings(&self.pool, player).await.unwrap().available.0
    }

    /// Runs every check of the ledger and demands that all pass.
    pub async fn verify_ledger(&self) {
        let mut connection = self.pool.acquire().await.unwrap();
        for check in ledger::verify(&mut connection).await.unwrap() {
            assert!(check.passed, "the ledger: {} ({})", check.name, check.figure);
        }
    }
}
