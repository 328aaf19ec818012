//! The folder of a cluster and what lies in it.
//!
//! | name | what |
//! | --- | --- |
//! | `lock` | held while the cluster runs; says where its socket is once it is ready |
//! | `data` | Postgres's own; `data.new-…` while `initdb` makes it |
//! | `socket` | folder of the socket, made anew by each start |
//! | `socket-folder` | where that is instead, if the path would be too long for a socket |
//! | `postgres.log`, `postgres.previous.log` | of this start and the one before |
//!
//! Where root runs Postgres as somebody else, the folder and the files stay root's, so that the
//! other user cannot plant links for root to follow; only `data` and the socket folder are theirs.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::fcntl::OFlag;
use nix::unistd::{Uid, mkdtemp};

use super::account::Account;
use super::binaries::Binaries;
use super::process::{self, Postmaster, StartFailure};
use super::{Location, OWNER, PORT, PrivatePostgresError, START_LIMIT, failed, poll};

/// Where root keeps the clusters of folders that are closed to the user of Postgres.
const SYSTEM_FOLDER: &str = "/var/lib/stakeboard";

/// The kernel's limit is 107 bytes on Linux and 103 on macOS.
const SOCKET_PATH_LIMIT: usize = 100;

/// How long a held lock is tried again: a process that only looks holds it for an instant, and one
/// that was just killed for as long as the kernel takes to clear up.
const LOCK_LIMIT: Duration = Duration::from_millis(250);

/// How the names of folders begin that `initdb` has not finished.
const UNFINISHED_DATA: &str = "data.new-";

#[derive(Debug)]
pub(super) struct Cluster {
    folder: PathBuf,
    account: Account,
}

pub(super) fn locate(working_directory: &Path) -> Result<Location, PrivatePostgresError> {
    let working_directory = fs::canonicalize(working_directory).map_err(failed("find", working_directory))?;
    let near = working_directory.join(".stakeboard/postgres");
    let stay = |folder| Location { folder, moved: false };
    if !Uid::effective().is_root() {
        return Ok(stay(near));
    }
    let far = Path::new(SYSTEM_FOLDER).join(slug(&working_directory)).join("postgres");
    let (data_is_near, data_is_far) = (data_of(&near).exists(), data_of(&far).exists());
    if data_is_near || !data_is_far {
        let account = Account::of(&data_of(&near))?;
        let closest = near.ancestors().find(|folder| folder.exists());
        let closest = closest.unwrap_or(&working_directory);
        if account.can_enter(closest)? {
            return Ok(stay(near));
        }
        if data_is_near {
            // Moving on to an empty database would look like the loss of this one.
            return Err(PrivatePostgresError::NotEnterable { user: account.name().to_owned(), folder: near });
        }
    }
    Ok(Location { folder: far, moved: true })
}

/// Waits until the process that holds `folder` says where the socket is.
pub(super) fn announced(folder: &Path) -> Result<Option<PathBuf>, PrivatePostgresError> {
    let path = lock_of(folder);
    let lock = match File::open(&path) {
        Ok(lock) => lock,
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(failed("open", &path)(cause)),
    };
    poll(START_LIMIT, || match lock.try_lock_shared() {
        Ok(()) => Some(Ok(None)),
        Err(TryLockError::WouldBlock) => read_path(&path).map(|socket| Ok(Some(socket))),
        Err(TryLockError::Error(cause)) => Some(Err(failed("lock", &path)(cause))),
    })
    .unwrap_or_else(|| Err(PrivatePostgresError::NotReady { folder: folder.to_owned() }))
}

impl Cluster {
    /// Makes the folder where missing, and checks that Postgres can work in it.
    pub(super) fn open(folder: &Path) -> Result<Self, PrivatePostgresError> {
        let account = Account::of(&data_of(folder))?;
        create_cluster_folder(folder, &account)?;
        let folder = fs::canonicalize(folder).map_err(failed("find", folder))?;
        if account.is_another() && !account.can_enter(&folder)? {
            return Err(PrivatePostgresError::NotEnterable { user: account.name().to_owned(), folder });
        }
        let cluster = Self { folder, account };
        if cluster.data().exists() {
            cluster.account.check_owner(&cluster.folder, &cluster.data())?;
        }
        Ok(cluster)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn data(&self) -> PathBuf {
        data_of(&self.folder)
    }

    pub(super) fn lock(&self) -> Result<File, PrivatePostgresError> {
        let path = lock_of(&self.folder);
        let lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(OFlag::O_NOFOLLOW.bits())
            .open(&path)
            .map_err(failed("open", &path))?;
        poll(LOCK_LIMIT, || match lock.try_lock() {
            Ok(()) => Some(Ok(())),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(cause)) => Some(Err(failed("lock", &path)(cause))),
        })
        .unwrap_or_else(|| Err(PrivatePostgresError::AlreadyHeld { folder: self.folder.clone() }))?;
        // What the last holder announced is no longer true.
        lock.set_len(0).map_err(failed("write", &path))?;
        Ok(lock)
    }

    pub(super) fn announce(&self, lock: &mut File, socket_folder: &Path) -> Result<(), PrivatePostgresError> {
        lock.write_all(&line(socket_folder)).map_err(failed("write", &lock_of(&self.folder)))
    }

    /// Clears up behind a stopped Postgres; what fails here, the next start does.
    pub(super) fn withdraw(&self, lock: &File) {
        let _ = lock.set_len(0);
        self.remove_socket_folder();
    }

    pub(super) fn binaries(&self) -> Result<Binaries, PrivatePostgresError> {
        let data = self.data();
        if !data.exists() {
            return Binaries::choose(None);
        }
        let path = data.join("PG_VERSION");
        let version = fs::read_to_string(&path).map_err(failed("read", &path))?;
        let major = version.trim().split('.').next().unwrap_or_default();
        let major = major.parse().map_err(io::Error::other).map_err(failed("understand", &path))?;
        let binaries = Binaries::choose(Some(major))?;
        if binaries.major == major {
            return Ok(binaries);
        }
        Err(PrivatePostgresError::OtherVersion { folder: data, data: major, binaries: binaries.major })
    }

    /// Stops whatever an earlier run left running in the data.
    pub(super) fn stop_survivors(&self) -> Result<(), PrivatePostgresError> {
        let folder = self.data();
        process::stop_all_in(&folder).map_err(|pids| PrivatePostgresError::Survivors { folder, pids })
    }

    pub(super) fn create_data(&self, binaries: &Binaries) -> Result<(), PrivatePostgresError> {
        self.remove_unfinished_data();
        if self.data().exists() {
            return Ok(());
        }
        // Under a name of its own: an `initdb` that was killed may have children that still write.
        let unfinished = self.new_folder_for_postgres(&self.folder.join(format!("{UNFINISHED_DATA}XXXXXX")))?;
        self.initdb(binaries, &unfinished)?;
        fs::rename(&unfinished, self.data()).map_err(failed("rename", &unfinished))?;
        File::open(&self.folder).and_then(|folder| folder.sync_all()).map_err(failed("sync", &self.folder))
    }

    /// What does not go now goes at a later start.
    fn remove_unfinished_data(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if entry.file_name().as_bytes().starts_with(UNFINISHED_DATA.as_bytes()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    fn initdb(&self, binaries: &Binaries, data: &Path) -> Result<(), PrivatePostgresError> {
        let program = binaries.program("initdb");
        let mut command = self.account.command(&program);
        command
            .args(["--username", OWNER, "--auth", "trust", "--encoding", "UTF8"])
            .args(["--no-locale", "--data-checksums", "--pgdata"])
            .arg(data)
            .current_dir("/");
        process::kill_with_this_thread(&mut command);
        let output = command.output().map_err(failed("run", &program))?;
        if output.status.success() {
            return Ok(());
        }
        Err(PrivatePostgresError::NotCreated { folder: self.folder.clone(), reason: reason(&output.stderr) })
    }

    /// An empty folder for the socket. What a killed Postgres left in the old one can make the next
    /// refuse to start.
    pub(super) fn renew_socket_folder(&self) -> Result<PathBuf, PrivatePostgresError> {
        self.remove_socket_folder();
        let near = self.folder.join("socket");
        if socket_in(&near).as_os_str().len() <= SOCKET_PATH_LIMIT {
            DirBuilder::new().mode(0o700).create(&near).map_err(failed("create", &near))?;
            self.account.own(&near)?;
            return Ok(near);
        }
        let far = self.new_folder_for_postgres(Path::new("/tmp/stakeboard-XXXXXX"))?;
        let note = self.socket_note();
        fs::write(&note, line(&far)).map_err(failed("write", &note))?;
        Ok(far)
    }

    fn remove_socket_folder(&self) {
        let note = self.socket_note();
        for folder in [Some(self.folder.join("socket")), read_path(&note)].iter().flatten() {
            // Named one by one: the note is only a file, and no reason to empty a folder.
            let socket = socket_in(folder);
            let _ = fs::remove_file(socket.with_added_extension("lock"));
            let _ = fs::remove_file(socket);
            let _ = fs::remove_dir(folder);
        }
        let _ = fs::remove_file(note);
    }

    fn socket_note(&self) -> PathBuf {
        self.folder.join("socket-folder")
    }

    /// A new folder that only Postgres may enter, under a name that nothing else has.
    fn new_folder_for_postgres(&self, template: &Path) -> Result<PathBuf, PrivatePostgresError> {
        let folder = mkdtemp(template).map_err(io::Error::from).map_err(failed("create", template))?;
        self.account.own(&folder)?;
        Ok(folder)
    }

    /// Starts Postgres and waits until it is ready.
    pub(super) fn run(
        &self,
        binaries: &Binaries,
        socket_folder: &Path,
        settings: &[(&str, &str)],
    ) -> Result<Postmaster, PrivatePostgresError> {
        let stale = self.data().join("postmaster.pid");
        if stale.exists() {
            fs::remove_file(&stale).map_err(failed("remove", &stale))?;
        }
        let log = self.folder.join("postgres.log");
        let program = binaries.program("postgres");
        let mut command = self.account.command(&program);
        command.arg("-D").arg(self.data()).current_dir(self.data());
        for setting in usual_settings(socket_folder) {
            command.arg("-c").arg(setting);
        }
        for (name, value) in settings {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        let output = self.new_log(&log)?;
        command.stderr(output.try_clone().map_err(failed("open", &log))?);
        command.stdout(output);

        Postmaster::start(command, self.data()).map_err(|failure| match failure {
            StartFailure::NotRun(cause) => failed("run", &program)(cause),
            StartFailure::Ended => {
                PrivatePostgresError::EndedWhileStarting { reason: reason(&fs::read(&log).unwrap_or_default()), log }
            }
            StartFailure::Late => PrivatePostgresError::NotReady { folder: self.folder.clone() },
        })
    }

    fn new_log(&self, log: &Path) -> Result<File, PrivatePostgresError> {
        if log.exists() {
            fs::rename(log, self.folder.join("postgres.previous.log")).map_err(failed("rename", log))?;
        }
        OpenOptions::new().append(true).create_new(true).mode(0o600).open(log).map_err(failed("create", log))
    }
}

fn data_of(folder: &Path) -> PathBuf {
    folder.join("data")
}

fn lock_of(folder: &Path) -> PathBuf {
    folder.join("lock")
}

fn socket_in(folder: &Path) -> PathBuf {
    folder.join(format!(".s.PGSQL.{PORT}"))
}

/// The folders that are missing are made one by one: for root, whatever the umask, the user of
/// Postgres has to pass.
fn create_cluster_folder(folder: &Path, account: &Account) -> Result<(), PrivatePostgresError> {
    let missing: Vec<_> =
        folder.ancestors().take_while(|ancestor| !ancestor.as_os_str().is_empty() && !ancestor.exists()).collect();
    for ancestor in missing.into_iter().rev() {
        match fs::create_dir(ancestor) {
            Ok(()) => {}
            // By another process that starts at the same time; the lock decides between them.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(cause) => return Err(failed("create", ancestor)(cause)),
        }
        let mode = match (ancestor == folder, account.is_another()) {
            (true, true) => 0o711,
            (true, false) => 0o700,
            (false, true) => 0o755,
            (false, false) => continue,
        };
        fs::set_permissions(ancestor, Permissions::from_mode(mode))
            .map_err(failed("set the permissions of", ancestor))?;
    }
    Ok(())
}

/// Settings that a private cluster needs. Of those that make it durable none is here: they are on
/// unless somebody switches them off. After a checkpoint the first change to a page writes all of it to the log: few
/// checkpoints cost a load of small changes less, and a start after a crash some seconds more.
fn usual_settings(socket_folder: &Path) -> [OsString; 7] {
    // A list of quoted names, since a folder's name may hold a comma.
    let mut socket_folders = OsString::from("unix_socket_directories=");
    let mut quoted = vec![b'"'];
    for &byte in socket_folder.as_os_str().as_bytes() {
        quoted.push(byte);
        if byte == b'"' {
            quoted.push(byte);
        }
    }
    quoted.push(b'"');
    socket_folders.push(OsString::from_vec(quoted));
    [
        "listen_addresses=".into(),
        socket_folders,
        "unix_socket_permissions=0700".into(),
        "max_connections=100".into(),
        "shared_buffers=256MB".into(),
        "max_wal_size=2GB".into(),
        "checkpoint_timeout=15min".into(),
    ]
}

/// A name for the folder that root's clusters of `working_directory` go to: short, and another for
/// every path. The hash is FNV-1a, which unlike the standard library's stays the same for ever.
fn slug(working_directory: &Path) -> OsString {
    let hash = working_directory
        .as_os_str()
        .as_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mut slug = OsString::from(format!("{hash:016x}"));
    if let Some(name) = working_directory.file_name() {
        slug.push("-");
        slug.push(name);
    }
    slug
}

fn line(path: &Path) -> Vec<u8> {
    [path.as_os_str().as_bytes(), b"\n"].concat()
}

/// The path in a file that [`line()`] filled; nothing while it is not complete.
fn read_path(file: &Path) -> Option<PathBuf> {
    let mut bytes = fs::read(file).ok()?;
    (bytes.pop()? == b'\n').then(|| PathBuf::from(OsString::from_vec(bytes)))
}

/// The line of a Postgres program's output that says why it gave up.
fn reason(output: &[u8]) -> String {
    let output = String::from_utf8_lossy(output);
    let tells = |line: &&str| ["FATAL:", "PANIC:", "error:"].iter().any(|mark| line.contains(mark));
    output
        .lines()
        .rfind(tells)
        .or_else(|| output.lines().rfind(|line| !line.trim().is_empty()))
        .unwrap_or("it said nothing")
        .to_owned()
}
