//! Endgame tables for the strongest bot: worked out on first need by a thread in the background, one table at a
//! time, and kept in files with a checksum. Until a table is there the bot plays by search alone.

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError, mpsc},
    thread,
};

use sha2::{Digest as _, Sha256};
use stakeboard_engine::{
    Options, ParseError,
    endgame::{Endgames, MorrisTables, OwareTable},
    oware::GrandSlam,
};

/// Positions with up to this many seeds are in the tables of Oware.
const SEEDS: u8 = 12;
/// Positions with up to this many pieces against three are in the tables of Nine Men's Morris.
const PIECES: u8 = 5;
/// What every file begins with; the number changes when the tables do.
const HEADER: &[u8] = b"stakeboard endgame table 1\n";

/// A table that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Table {
    Oware(GrandSlam),
    Morris,
}

/// The tables that are there, and the thread that makes the others. Copies share everything.
#[derive(Clone)]
pub struct Tables(Arc<Inner>);

struct Inner {
    oware: [OnceLock<OwareTable>; 3],
    morris: OnceLock<MorrisTables>,
    wanted: Option<Wanted>,
}

struct Wanted {
    asked: Mutex<HashSet<Table>>,
    queue: mpsc::Sender<Table>,
}

impl Tables {
    /// No tables: every bot plays by search.
    pub fn none() -> Self {
        Self(Arc::new(Inner { oware: Default::default(), morris: OnceLock::new(), wanted: None }))
    }

    /// Tables kept in a folder, each read or worked out when it is first asked for.
    pub fn kept_in(folder: PathBuf) -> io::Result<Self> {
        let (queue, asked) = mpsc::channel();
        let wanted = Some(Wanted { asked: Mutex::default(), queue });
        let tables = Self(Arc::new(Inner { oware: Default::default(), morris: OnceLock::new(), wanted }));
        let inner = Arc::downgrade(&tables.0);
        thread::Builder::new().name("endgame tables".into()).spawn(move || {
            while let Ok(table) = asked.recv() {
                // The process goes down as soon as nobody plays any more.
                let Some(inner) = inner.upgrade() else { return };
                inner.load(table, &folder);
            }
        })?;
        Ok(tables)
    }

    /// What is there for a ruleset now. What is missing is asked for and will be there some time later.
    pub fn for_ruleset(&self, options: Options) -> Endgames<'_> {
        match options {
            Options::Oware(options) => {
                let table = self.0.oware[place(options.grand_slam)].get();
                if table.is_none() {
                    self.0.ask(Table::Oware(options.grand_slam));
                }
                Endgames { oware: table, morris: None }
            }
            Options::Morris(options) if options.flying => {
                let table = self.0.morris.get();
                if table.is_none() {
                    self.0.ask(Table::Morris);
                }
                Endgames { oware: None, morris: table }
            }
            // Mū tōrere is solved, and without flying there are no tables.
            Options::Morris(_) | Options::MuTorere => Endgames::default(),
        }
    }
}

fn place(grand_slam: GrandSlam) -> usize {
    match grand_slam {
        GrandSlam::NoCapture => 0,
        GrandSlam::Forbidden => 1,
        GrandSlam::CapturesAll => 2,
    }
}

impl Inner {
    fn ask(&self, table: Table) {
        if let Some(Wanted { asked, queue }) = &self.wanted
            && asked.lock().unwrap_or_else(PoisonError::into_inner).insert(table)
        {
            // Without its thread, which ends with the process, the bot plays by search.
            let _ = queue.send(table);
        }
    }

    fn load(&self, table: Table, folder: &Path) {
        match table {
            Table::Oware(grand_slam) => {
                let name = format!("oware-{}-{SEEDS}.table", grand_slam.code());
                let build = || OwareTable::build(grand_slam, SEEDS);
                let loaded = kept(&folder.join(name), OwareTable::from_bytes, OwareTable::to_bytes, build);
                drop(self.oware[place(grand_slam)].set(loaded));
            }
            Table::Morris => {
                let file = folder.join(format!("morris-{PIECES}.table"));
                let build = || MorrisTables::build(PIECES);
                drop(self.morris.set(kept(&file, MorrisTables::from_bytes, MorrisTables::to_bytes, build)));
            }
        }
    }
}

/// Reads a table from its file; one that is missing or damaged is worked out and written anew.
fn kept<T>(
    file: &Path,
    from_bytes: impl Fn(&[u8]) -> Result<T, ParseError>,
    to_bytes: impl Fn(&T) -> Vec<u8>,
    build: impl Fn() -> T,
) -> T {
    match std::fs::read(file) {
        Ok(bytes) => {
            if let Some(table) = unseal(&bytes).and_then(|bytes| from_bytes(bytes).ok()) {
                return table;
            }
            tracing::warn!(file = %file.display(), "an endgame table is damaged and is made anew");
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => tracing::warn!(file = %file.display(), %error, "an endgame table can't be read"),
    }
    tracing::info!(file = %file.display(), "an endgame table is worked out");
    let table = build();
    if let Err(error) = write(file, &seal(&to_bytes(&table))) {
        tracing::warn!(file = %file.display(), %error, "an endgame table can't be kept");
    }
    table
}

/// Under another name first: a file is there whole or not at all.
fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let draft = file.with_extension("new");
    std::fs::write(&draft, bytes)?;
    std::fs::rename(&draft, file)
}

fn seal(table: &[u8]) -> Vec<u8> {
    [HEADER, &Sha256::digest(table), table].concat()
}

fn unseal(bytes: &[u8]) -> Option<&[u8]> {
    let (checksum, table) = bytes.strip_prefix(HEADER)?.split_at_checked(32)?;
    (Sha256::digest(table)[..] == *checksum).then_some(table)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn small(file: &Path, built: &Cell<u32>) -> OwareTable {
        kept(file, OwareTable::from_bytes, OwareTable::to_bytes, || {
            built.set(built.get() + 1);
            OwareTable::build(GrandSlam::NoCapture, 3)
        })
    }

    #[test]
    fn a_table_is_worked_out_once_and_again_where_its_file_is_damaged() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("below").join("oware.table");
        let built = Cell::new(0);
        let first = small(&file, &built);
        assert!(small(&file, &built) == first);
        assert_eq!(built.get(), 1, "the second came from the file");

        let whole = std::fs::read(&file).expect("a file");
        let mut flipped = whole.clone();
        *flipped.last_mut().expect("bytes") ^= 1;
        for damaged in [&flipped[..], &whole[..whole.len() - 1], &whole[..10], b""] {
            std::fs::write(&file, damaged).expect("a file");
            let before = built.get();
            assert!(small(&file, &built) == first);
            assert_eq!(built.get(), before + 1, "the damage was seen");
        }
    }

    #[test]
    fn a_table_that_is_asked_for_comes_and_until_then_there_is_none() {
        let none = Tables::none();
        assert!(none.for_ruleset(stakeboard_engine::Game::Oware.default_options()).oware.is_none());
        let folder = tempfile::tempdir().expect("a folder");
        let oware = OwareTable::build(GrandSlam::Forbidden, 2);
        write(&folder.path().join("oware-forbidden-12.table"), &seal(&oware.to_bytes())).expect("a file");
        let tables = Tables::kept_in(folder.path().to_owned()).expect("a thread");
        let wari = Options::preset(stakeboard_engine::Game::Oware, "wari").expect("a preset");
        while tables.for_ruleset(wari).oware.is_none() {
            thread::yield_now();
        }
        assert_eq!(tables.for_ruleset(wari).oware.map(OwareTable::seeds), Some(2), "it is the one in the file");
    }
}
