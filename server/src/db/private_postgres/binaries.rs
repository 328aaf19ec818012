//! Which Postgres programs to run.

use std::cmp::Reverse;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{PrivatePostgresError, failed};

/// Where Debian puts them, one folder per major version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// The programs of one major version.
#[derive(Clone, Debug)]
pub(super) struct Binaries {
    folder: PathBuf,
    pub(super) major: u32,
}

impl Binaries {
    /// The programs for a cluster of major version `wanted`, or for a new one.
    ///
    /// `PG_BIN_DIR` alone counts where it is set; else Debian's folders, then the first in `PATH`.
    /// Where the wanted version is not among them, the best of another version is given back: the
    /// caller can tell.
    pub(super) fn choose(wanted: Option<u32>) -> Result<Self, PrivatePostgresError> {
        if let Some(folder) = env::var_os("PG_BIN_DIR").map(PathBuf::from) {
            if !is_complete(&folder) {
                return Err(PrivatePostgresError::NoBinariesInNamedFolder { folder });
            }
            return Self::inspect(folder);
        }
        Self::choose_among(debian(Path::new(DEBIAN)), env::var_os("PATH"), wanted)
    }

    fn choose_among(
        mut installed: Vec<Self>,
        path: Option<OsString>,
        wanted: Option<u32>,
    ) -> Result<Self, PrivatePostgresError> {
        let suits = |binaries: &Self| wanted.is_none_or(|wanted| wanted == binaries.major);
        if !installed.iter().any(suits)
            && let Some(folder) = path.and_then(|path| env::split_paths(&path).find(|folder| is_complete(folder)))
        {
            installed.push(Self::inspect(folder)?);
        }
        installed
            .iter()
            .find(|binaries| suits(binaries))
            .or(installed.first())
            .cloned()
            .ok_or(PrivatePostgresError::NoBinaries)
    }

    fn inspect(folder: PathBuf) -> Result<Self, PrivatePostgresError> {
        let postgres = folder.join("postgres");
        let output = Command::new(&postgres).arg("--version").output().map_err(failed("run", &postgres))?;
        let major = major_of(&String::from_utf8_lossy(&output.stdout)).ok_or(PrivatePostgresError::NoBinaries)?;
        Ok(Self { folder, major })
    }

    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

fn debian(root: &Path) -> Vec<Binaries> {
    let mut found: Vec<_> = fs::read_dir(root)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let version = entry.ok()?.path();
            let major = version.file_name()?.to_str()?.parse().ok()?;
            let folder = version.join("bin");
            is_complete(&folder).then_some(Binaries { folder, major })
        })
        .collect();
    found.sort_by_key(|binaries| Reverse(binaries.major));
    found
}

fn is_complete(folder: &Path) -> bool {
    ["initdb", "postgres"].iter().all(|name| folder.join(name).is_file())
}

/// The major version in what `postgres --version` prints: `postgres (PostgreSQL) 15.18 (Debian …)`,
/// also `18beta1` or `19devel`.
fn major_of(version: &str) -> Option<u32> {
    let number = version.split_once("(PostgreSQL)")?.1.trim_start();
    let digits = number.find(|c: char| !c.is_ascii_digit());
    number[..digits.unwrap_or(number.len())].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_releases_and_previews() {
        for (printed, major) in [
            ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", Some(15)),
            ("postgres (PostgreSQL) 18beta1\n", Some(18)),
            ("postgres (PostgreSQL) 19devel\n", Some(19)),
            ("postgres (PostgreSQL) 17", Some(17)),
            ("something else 17", None),
            ("postgres (PostgreSQL) soon", None),
        ] {
            assert_eq!(major_of(printed), major, "{printed:?}");
        }
    }

    #[test]
    fn the_highest_version_comes_first_by_number_and_incomplete_ones_are_left_out() {
        let root = env::temp_dir().join(format!("stakeboard-binaries-{}", std::process::id()));
        for (version, programs) in [
            ("9", &["initdb", "postgres"][..]),
            ("15", &["initdb", "postgres"]),
            ("17", &["initdb"]),
            ("common", &["initdb", "postgres"]),
        ] {
            let bin = root.join(version).join("bin");
            fs::create_dir_all(&bin).expect("a folder");
            for program in programs {
                fs::write(bin.join(program), "").expect("a file");
            }
        }
        let majors: Vec<_> = debian(&root).iter().map(|found| found.major).collect();
        fs::remove_dir_all(&root).expect("an end");
        assert_eq!(majors, [15, 9]);
    }
    #[test]
    fn the_version_that_made_the_data_is_preferred_to_the_highest() {
        for (installed, wanted, chosen) in
            [(&[17, 15][..], None, 17), (&[17, 15], Some(15), 15), (&[17, 15], Some(16), 17), (&[15], Some(17), 15)]
        {
            let found = installed.iter().map(|&major| Binaries { folder: PathBuf::new(), major }).collect();
            let choice = Binaries::choose_among(found, None, wanted).expect("a choice");
            assert_eq!(choice.major, chosen, "of {installed:?} for {wanted:?}");
        }
    }

    #[test]
    fn where_nothing_is_installed_the_message_names_the_package_and_the_variables() {
        let message = Binaries::choose_among(Vec::new(), None, None).expect_err("nothing").to_string();
        for name in ["`postgresql`", "PG_BIN_DIR", "DATABASE_URL"] {
            assert!(message.contains(name), "{name} is not in {message:?}");
        }
    }
}
