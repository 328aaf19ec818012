//! One cluster for each test process, one migrated template in it, and a clone of that for each test.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    str::FromStr as _,
    sync::atomic::{AtomicU32, Ordering},
};

use nix::{
    sys::signal::{Signal, kill as signal},
    unistd::Pid,
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
        Self::clone_of(TEMPLATE).await
    }

    /// One without a schema.
    pub async fn empty() -> Self {
        Self::clone_of("template1").await
    }

    async fn clone_of(template: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let cluster = CLUSTER.get_or_init(start).await;
        let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let mut maintenance =
            PgConnection::connect_with(&cluster.connection().options(OWNER, "postgres")).await.unwrap();
        let statement = AssertSqlSafe(format!("create database {name} template {template}"));
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

/// A cluster of its own for one test, which can stop it, kill it and start it again. Ready for a server.
pub struct TestCluster {
    cluster: Option<PrivatePostgres>,
    folder: tempfile::TempDir,
    settings: Vec<(String, String)>,
    database: TestDatabase,
}

impl TestCluster {
    /// Makes and starts one.
    pub async fn start() -> Self {
        Self::start_in(tempfile::TempDir::new().unwrap(), &[]).await
    }

    /// Starts one in a folder, with settings of Postgres. Where `postgres/data` is there, on what it holds.
    pub async fn start_in(folder: tempfile::TempDir, settings: &[(&str, &str)]) -> Self {
        open_to_all(folder.path()).unwrap();
        let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let cluster = start_in(folder.path().join("postgres"), settings.clone()).await;
        let server = db::prepare_private(cluster.connection()).await.unwrap();
        let database = TestDatabase {
            name: db::DATABASE.to_owned(),
            server,
            owner: cluster.connection().options(OWNER, db::DATABASE),
            socket_folder: cluster.connection().socket_folder().to_str().unwrap().to_owned(),
        };
        Self { cluster: Some(cluster), folder, settings, database }
    }

    /// The server's database in it.
    pub fn database(&self) -> TestDatabase {
        self.database.clone()
    }

    /// What Postgres keeps.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("postgres/data")
    }

    /// The process that has started all others of it.
    pub fn pid(&self) -> u32 {
        self.cluster.as_ref().unwrap().postmaster_pid()
    }

    fn postmaster(&self) -> Pid {
        Pid::from_raw(self.cluster.as_ref().unwrap().postmaster_pid().cast_signed())
    }

    /// Stops every process of it where it stands, as a machine without processor time would. Nothing is answered
    /// until [`TestCluster::thaw`].
    pub fn freeze(&self) {
        // The postmaster first: then no further process comes.
        signal(self.postmaster(), Signal::SIGSTOP).unwrap();
        for child in children(self.postmaster()) {
            let _ = signal(child, Signal::SIGSTOP);
        }
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        for child in children(self.postmaster()) {
            let _ = signal(child, Signal::SIGCONT);
        }
        let _ = signal(self.postmaster(), Signal::SIGCONT);
    }

    /// Kills the process that all others hang on with SIGKILL.
    pub fn kill(&self) {
        signal(self.postmaster(), Signal::SIGKILL).unwrap();
    }

    /// Starts it again on the same folder.
    pub async fn restart(&mut self) {
        let cluster = self.cluster.take();
        tokio::task::spawn_blocking(move || drop(cluster)).await.unwrap();
        let cluster = start_in(self.folder.path().join("postgres"), self.settings.clone()).await;
        assert_eq!(cluster.connection().socket_folder().to_str(), Some(self.database.socket_folder.as_str()));
        self.cluster = Some(cluster);
    }
}

impl Drop for TestCluster {
    fn drop(&mut self) {
        if self.cluster.is_some() {
            // What stands can't be told to stop.
            self.thaw();
        }
    }
}

async fn start_in(folder: PathBuf, settings: Vec<(String, String)>) -> PrivatePostgres {
    let start = move || {
        let settings: Vec<_> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        PrivatePostgres::start_with(&folder, &settings).unwrap()
    };
    tokio::task::spawn_blocking(start).await.unwrap()
}

/// The processes that a process has started.
fn children(parent: Pid) -> Vec<Pid> {
    let child = |process: &Path| {
        let pid = process.file_name()?.to_str()?.parse().ok()?;
        let stat = fs::read_to_string(process.join("stat")).ok()?;
        // After the name, which can hold anything, come the state and the parent.
        let started_by: i32 = stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()?;
        (started_by == parent.as_raw()).then_some(Pid::from_raw(pid))
    };
    fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| child(&entry.path())).collect()
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

/// Many servers use one cluster. Nothing here pulls the plug of the machine: a commit need not reach the disk.
const SETTINGS: [(&str, &str); 3] = [("max_connections", "500"), ("fsync", "off"), ("full_page_writes", "off")];

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
