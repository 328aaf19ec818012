//! Whom Postgres runs as: oneself, or for root, since Postgres refuses root, somebody harmless.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::unistd::{Gid, Uid, User, chown};

use super::{PrivatePostgresError, failed};

#[derive(Clone, Debug)]
pub(super) struct Account {
    uid: Uid,
    gid: Gid,
    name: String,
}

impl Account {
    /// The account for a cluster with its data in `data`.
    ///
    /// For root that is the owner of the data where there is some, so that a cluster made by an
    /// ordinary user, or before a user `postgres` existed, goes on as it was.
    pub(super) fn of(data: &Path) -> Result<Self, PrivatePostgresError> {
        if !Uid::effective().is_root() {
            return Ok(Self { uid: Uid::effective(), gid: Gid::effective(), name: user_name(Uid::effective()) });
        }
        let owner = fs::metadata(data).ok().and_then(|data| user(Uid::from_raw(data.uid())));
        owner
            .into_iter()
            .chain(["postgres", "nobody"].into_iter().filter_map(user_called))
            .find(|user| !user.uid.is_root())
            .map(|user| Self { uid: user.uid, gid: user.gid, name: user.name })
            .ok_or(PrivatePostgresError::NoUnprivilegedUser)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether this process is root and runs Postgres as somebody else.
    pub(super) fn is_another(&self) -> bool {
        self.uid != Uid::effective()
    }

    /// A command that runs as this account, and reads nothing and knows nothing of this process's
    /// environment: libpq's variables would disturb it, and the locale decides what it says.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("LC_ALL", "C")
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TZ", "UTC")
            .stdin(Stdio::null());
        if self.is_another() {
            // The extra groups of root are dropped with this.
            command.uid(self.uid.as_raw()).gid(self.gid.as_raw());
        }
        command
    }

    pub(super) fn own(&self, path: &Path) -> Result<(), PrivatePostgresError> {
        if !self.is_another() {
            return Ok(());
        }
        chown(path, Some(self.uid), Some(self.gid))
            .map_err(io::Error::from)
            .map_err(failed("hand over to the user of Postgres", path))
    }

    /// Refuses a cluster whose data is somebody else's, as Postgres would with less to go by.
    pub(super) fn check_owner(&self, cluster: &Path, data: &Path) -> Result<(), PrivatePostgresError> {
        let owner = fs::metadata(data).map_err(failed("look at", data))?.uid();
        if owner == self.uid.as_raw() {
            return Ok(());
        }
        Err(PrivatePostgresError::OtherOwner {
            folder: cluster.to_owned(),
            owner: user_name(Uid::from_raw(owner)),
            user: self.name.clone(),
        })
    }

    /// Tried, not worked out from the permissions: there are access lists and read-only mounts.
    pub(super) fn can_enter(&self, folder: &Path) -> Result<bool, PrivatePostgresError> {
        let test = Path::new("test");
        let status = self.command(test).arg("-x").arg(folder).status().map_err(failed("run", test))?;
        Ok(status.success())
    }
}

fn user(uid: Uid) -> Option<User> {
    User::from_uid(uid).ok().flatten()
}

fn user_called(name: &str) -> Option<User> {
    User::from_name(name).ok().flatten()
}

fn user_name(uid: Uid) -> String {
    user(uid).map_or_else(|| uid.to_string(), |user| user.name)
}
