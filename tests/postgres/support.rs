//! Folders, processes and queries for the tests beside it.

use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use nix::unistd::{Uid, chown};
use sqlx::{Connection as _, Executor as _, PgConnection};
use stakeboard_server::db::private_postgres::{Connection, OWNER, PrivatePostgres};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// For what should happen at once, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_mins(1);

/// A place for one cluster, empty at first and removed in the end.
pub struct Folder {
    path: PathBuf,
    _temporary: TempDir,
}

impl Folder {
    pub fn new() -> Self {
        Self::below("cluster")
    }

    pub fn below(relative: &str) -> Self {
        let temporary = TempDir::new().expect("a temporary folder");
        // The user that runs Postgres for root has to pass.
        fs::set_permissions(temporary.path(), Permissions::from_mode(0o755)).expect("an open folder");
        Self { path: temporary.path().join(relative), _temporary: temporary }
    }

    /// One that is there, and open to everybody whatever the umask.
    pub fn working() -> Self {
        let folder = Self::below("working");
        fs::create_dir(&folder.path).expect("a working folder");
        fs::set_permissions(&folder.path, Permissions::from_mode(0o755)).expect("an open folder");
        folder
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    /// What `initdb` is making, or was.
    pub fn unfinished_data(&self) -> Option<PathBuf> {
        let mut entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        entries.find(|entry| entry.file_name().to_string_lossy().starts_with("data.new")).map(|entry| entry.path())
    }
}

/// A folder outside that is removed in the end.
pub struct Removed(pub PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("a folder to remove");
    }
}

/// Another process that holds a cluster.
pub struct Holder {
    child: Mutex<Child>,
    postmaster: OnceLock<u32>,
    folder: PathBuf,
}

impl Holder {
    /// Returns at once, while the holder is still starting.
    pub fn spawn(folder: &Folder) -> Self {
        Self::spawn_with_variables(folder, &[])
    }

    /// Returns when Postgres is ready.
    pub fn start(folder: &Folder) -> Self {
        Self::start_with_variables(folder, &[])
    }

    pub fn start_with_variables(folder: &Folder, variables: &[(&str, &str)]) -> Self {
        let holder = Self::spawn_with_variables(folder, variables);
        let output = holder.child.lock().expect("a child").stdout.take().expect("its output");
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).expect("a line");
        let postmaster = line.trim().parse().expect("the number of the postmaster");
        holder.postmaster.set(postmaster).expect("set once");
        holder
    }

    /// What a holder says that cannot start.
    pub fn refused_with_variables(folder: &Folder, variables: &[(&str, &str)]) -> String {
        let output = Self::command(folder, variables).output().expect("a holder");
        assert!(!output.status.success(), "it started");
        String::from_utf8(output.stderr).expect("plain text")
    }

    fn spawn_with_variables(folder: &Folder, variables: &[(&str, &str)]) -> Self {
        let child = Self::command(folder, variables).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        Self {
            child: Mutex::new(child.expect("a holder")),
            postmaster: OnceLock::new(),
            folder: folder.path().to_owned(),
        }
    }

    fn command(folder: &Folder, variables: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_postgres-holder"));
        command.arg(folder.path()).envs(variables.iter().copied());
        command
    }

    pub fn postmaster(&self) -> u32 {
        *self.postmaster.get().expect("a holder that has started")
    }

    pub fn connection(&self) -> Connection {
        PrivatePostgres::held_by_another(&self.folder).expect("a look").expect("a holder")
    }

    /// As a machine out of memory would, and without waiting for the end.
    pub fn kill(&self) {
        self.child.lock().expect("a child").kill().expect("a holder to kill");
    }

    pub fn stop(self) {
        let mut child = self.child.lock().expect("a child");
        drop(child.stdin.take());
        assert!(child.wait().expect("an end").success());
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // Its input ends, and with it the holder, if it was not killed.
        let child = self.child.get_mut().expect("a child");
        drop(child.stdin.take());
        let _ = child.wait();
    }
}

/// A command that runs as the user that `path` belongs to.
pub fn as_owner_of(path: &Path, program: &Path) -> Command {
    let owner = fs::metadata(path).expect("an owner");
    let mut command = Command::new(program);
    if owner.uid() != Uid::effective().as_raw() {
        command.uid(owner.uid()).gid(owner.gid());
    }
    command.current_dir("/");
    command
}

/// Gives `path` and all below it to `owner`.
pub fn hand_over(path: &Path, owner: Uid) {
    chown(path, Some(owner), None).expect("root");
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            hand_over(&entry.expect("an entry").path(), owner);
        }
    }
}

/// Whether there is such a process, other than one that has ended and was not waited for.
pub fn exists(pid: u32) -> bool {
    let Ok(state) = fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return false;
    };
    !state.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z')
}

/// Whether any Postgres process works in `data`.
pub fn postgres_runs_in(data: &Path) -> bool {
    let works_there = |process: &Path| {
        fs::read_link(process.join("cwd")).is_ok_and(|folder| folder == data)
            && fs::read_to_string(process.join("comm")).is_ok_and(|name| name.trim() == "postgres")
    };
    fs::read_dir("/proc").expect("processes").flatten().any(|entry| works_there(&entry.path()))
}

pub fn eventually(what: &str, condition: impl FnMut() -> bool) {
    within(PATIENCE, what, condition);
}

pub fn within(limit: Duration, what: &str, mut condition: impl FnMut() -> bool) {
    const PAUSE: Duration = Duration::from_millis(5);
    for _ in 0..limit.as_millis() / PAUSE.as_millis() {
        if condition() {
            return;
        }
        thread::sleep(PAUSE);
    }
    panic!("not after {limit:?}: {what}");
}

/// A connection that stays open, and the runtime it needs.
pub fn session(connection: &Connection) -> (Runtime, PgConnection) {
    try_session(connection).expect("a session")
}

fn try_session(connection: &Connection) -> sqlx::Result<(Runtime, PgConnection)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let session = runtime.block_on(PgConnection::connect_with(&connection.options(OWNER, "postgres")))?;
    Ok((runtime, session))
}

pub fn execute(connection: &Connection, sql: &'static str) {
    try_execute(connection, sql).expect("a statement that works");
}

pub fn try_execute(connection: &Connection, sql: &'static str) -> sqlx::Result<()> {
    let (runtime, mut session) = try_session(connection)?;
    runtime.block_on(session.execute(sql)).map(drop)
}

/// The one text that a query gives.
pub fn text(connection: &Connection, sql: &'static str) -> String {
    let (runtime, mut session) = session(connection);
    runtime.block_on(sqlx::query_scalar(sql).fetch_one(&mut session)).expect("one text")
}

pub fn setting(connection: &Connection, name: &str) -> String {
    let (runtime, mut session) = session(connection);
    let query = sqlx::query_scalar("SELECT current_setting($1)").bind(name);
    runtime.block_on(query.fetch_one(&mut session)).expect("a setting")
}
