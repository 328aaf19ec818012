//! One cluster for each test process, one migrated template in it, and a clone of that for each test.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    str::FromStr as _,
    sync::atomic::{AtomicU32, Ordering},
};

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool, postgres::PgConnectOptions};
use stakeboard_server::db::{
    self, SERVER_ROLE,
    private_postgres::{OWNER, PrivatePostgres, PrivatePostgresError},
};
use tokio::sync::OnceCell;

const TEMPLATE: &str = "stakeboard_template";

static CLUSTER: OnceCell<PrivatePostgres> = OnceCell::const_new();

/// Lets the user that Postgres runs as for root pass a folder.
pub fn open_to_all(folder: &Path) -> std::io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o755))
}

/// A database of its own for one test.
#[derive(Clone, Debug)]
pub struct TestDatabase {
    /// Its name.
    pub name: String,
    /// The server's way in.
    pub server: PgConnectOptions,
    /// The schema's owner's.
    pub owner: PgConnectOptions,
    socket_folder: String,
}

impl TestDatabase {
    /// A fresh clone of the migrated template.
    pub async fn create() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let cluster = CLUSTER.get_or_init(start).await;
        let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let mut maintenance =
            PgConnection::connect_with(&cluster.connection().options(OWNER, "postgres")).await.unwrap();
        let statement = AssertSqlSafe(format!("create database {name} template {TEMPLATE}"));
        sqlx::raw_sql(statement).execute(&mut maintenance).await.unwrap();
        Self {
            server: cluster.connection().options(SERVER_ROLE, &name),
            owner: cluster.connection().options(OWNER, &name),
            socket_folder: cluster.connection().socket_folder().to_str().unwrap().to_owned(),
            name,
        }
    }

    /// The server's way in as a URL, for a process of its own.
    pub fn url(&self) -> String {
        self.url_as(SERVER_ROLE)
    }

    /// The owner's way in as a URL.
    pub fn owner_url(&self) -> String {
        self.url_as(OWNER)
    }

    fn url_as(&self, role: &str) -> String {
        let url =
            format!("postgres:///{}?user={role}&sslmode=disable&port=5432&host={}", self.name, self.socket_folder);
        assert!(PgConnectOptions::from_str(&url).is_ok());
        url
    }

    /// A pool that works as the server's role.
    pub async fn pool(&self) -> PgPool {
        db::connect(self.server.clone(), 4, std::time::Duration::from_secs(30)).await.unwrap()
    }

    /// A connection as the schema's owner.
    pub async fn as_owner(&self) -> PgConnection {
        PgConnection::connect_with(&self.owner).await.unwrap()
    }
}

/// Starts a cluster in the first folder that no other test process holds, and makes the template.
async fn start() -> PrivatePostgres {
    let cluster = tokio::task::spawn_blocking(start_cluster).await.unwrap();
    let mut maintenance = PgConnection::connect_with(&cluster.connection().options(OWNER, "postgres")).await.unwrap();
    let old: Vec<String> = sqlx::query_scalar(
        "select datname::text from pg_database where datname like 'test\\_%' or datname like 'stakeboard%'",
    )
    .fetch_all(&mut maintenance)
    .await
    .unwrap();
    for name in old {
        sqlx::raw_sql(AssertSqlSafe(format!("drop database {name} with (force)")))
            .execute(&mut maintenance)
            .await
            .unwrap();
    }
    db::prepare_private(cluster.connection()).await.unwrap();
    let rename = AssertSqlSafe(format!("alter database {} rename to {TEMPLATE}", db::DATABASE));
    sqlx::raw_sql(rename).execute(&mut maintenance).await.unwrap();
    cluster
}

/// Many servers use one cluster. Nothing here pulls the plug of the machine: a commit need not reach the disk. One that
/// sets `synchronous_commit` to `on` waits for a standby that does not exist, which is how a test holds a commit open.
const SETTINGS: [(&str, &str); 5] = [
    ("max_connections", "500"),
    ("fsync", "off"),
    ("full_page_writes", "off"),
    ("synchronous_commit", "local"),
    ("synchronous_standby_names", "nobody"),
];

fn start_cluster() -> PrivatePostgres {
    let uid = nix::unistd::geteuid();
    let base = std::env::temp_dir().join(format!("stakeboard-tests-{uid}"));
    fs::create_dir_all(&base).unwrap();
    open_to_all(&base).unwrap();
    for slot in 0..64 {
        match PrivatePostgres::start_with(&base.join(slot.to_string()), &SETTINGS) {
            Ok(cluster) => return cluster,
            Err(PrivatePostgresError::AlreadyHeld { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    panic!("64 other test processes run");
}
