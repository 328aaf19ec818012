//! Conventions that no compiler knows: reads the sources and fails with the file, the line and what to do instead.
#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

mod dependencies;
mod faults;
mod locales;
mod security;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use stakeboard_server::{code::Code, i18n};

/// A source file: its path from the root of the workspace, and its lines.
struct Source {
    path: String,
    lines: Vec<String>,
}

impl Source {
    /// Lines with their numbers, without comments and without what is only compiled for tests (which stands at the
    /// end of a file).
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let tests = self.lines.iter().position(|line| line == "#[cfg(test)]").unwrap_or(self.lines.len());
        let numbered = self.lines[..tests].iter().enumerate();
        numbered
            .map(|(index, line)| (index + 1, line.as_str()))
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// The module of the server that the file belongs to.
    fn module(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("server/src/")?;
        Some(inside.split(['/', '.']).next().unwrap())
    }

    fn is_test(&self) -> bool {
        self.path.ends_with("tests.rs") || self.path.contains("/tests/")
    }

    /// Every function, and so every test, in whatever way it is declared.
    fn functions(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().flat_map(|line| {
            let line = line.trim_start();
            // `fn name()`, and the rows of tables that become functions: `name = "script";`, `name = Who::…;`.
            let name =
                line.strip_prefix("async fn ").or(line.strip_prefix("fn ")).and_then(|rest| rest.split('(').next());
            let row = line.ends_with(';').then(|| line.split(" = ").next()).flatten();
            name.into_iter().chain(row)
        })
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every file below these folders with one of these endings.
fn sources(folders: &[&str], endings: &[&str]) -> Vec<Source> {
    let root = root();
    let mut waiting: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut found = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            // What the registry brought is not ours.
            let entries = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
            waiting.extend(entries.filter(|entry| !entry.ends_with("node_modules")));
        } else if endings.iter().any(|ending| path.extension().is_some_and(|extension| extension == *ending)) {
            let lines = fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect();
            let path = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            found.push(Source { path, lines });
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    assert!(found.len() > 10, "sources are found");
    found
}

fn server() -> Vec<Source> {
    sources(&["server/src"], &["rs"])
}

/// Every file that can hold a test.
fn files_with_tests() -> Vec<Source> {
    sources(&["server/src", "engine", "tests"], &["rs"])
}

#[track_caller]
fn none(found: &[String]) {
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

/// Code outside the allowed places that holds one of these texts.
fn misplaced(texts: &[&str], allowed: &[&str], instead: &str) -> Vec<String> {
    let mut found = Vec::new();
    for source in server() {
        let inside = source.path.strip_prefix("server/src/").unwrap();
        if source.is_test() || allowed.iter().any(|place| inside.starts_with(place)) {
            continue;
        }
        for (number, line) in source.code() {
            for text in texts.iter().filter(|text| line.contains(**text)) {
                found.push(format!("{}:{number}: `{text}`: {instead}", source.path));
            }
        }
    }
    found
}

#[test]
fn axum_is_spoken_at_the_edge_only() {
    none(&misplaced(
        &["axum::", "use axum", "axum_"],
        &["http/", "realtime/", "app.rs"],
        "give back a value and let http/ or realtime/ turn it into an answer",
    ));
}

#[test]
fn time_is_asked_of_the_clock_only() {
    let instead = "take an instant as an argument, or ask the `Clock` (server/src/clock.rs)";
    none(&misplaced(&["SystemTime::now", "Instant::now", "now_utc("], &["clock.rs", "db/private_postgres/"], instead));
}

#[test]
fn dice_are_rolled_in_one_place_only() {
    none(&misplaced(
        &["rand::", "use rand", "getrandom", "SystemRandom"],
        &["rng.rs"],
        "add a function to server/src/rng.rs that says what is drawn",
    ));
}

/// The tables that only the ledger writes and reads.
const LEDGER_TABLES: [&str; 5] = ["transfers", "entries", "balances", "accounts", "settlements"];

#[test]
fn ledger_tables_are_named_by_the_ledger_only() {
    let mut found = Vec::new();
    for source in server().iter().filter(|source| !source.path.starts_with("server/src/ledger/") && !source.is_test()) {
        for (number, line) in source.code() {
            let lower = line.to_lowercase();
            let words: Vec<&str> =
                lower.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
            for pair in
                words.windows(2).filter(|pair| ["from", "join", "into", "update", "table", "using"].contains(&pair[0]))
            {
                if LEDGER_TABLES.contains(&pair[1]) {
                    let path = &source.path;
                    found.push(format!("{path}:{number}: `{}`: ask a function of server/src/ledger/", pair[1]));
                }
            }
        }
    }
    none(&found);
}

/// Who may import whom. A module may always import from itself.
///
/// `app` wires everything and `cli` and `main` run it; what they use is not listed. The bases, which know nothing of
/// what the service does, may be used by everybody: `ids`, `money`, `clock`, `rng`, `code`, `rate` (arithmetic on
/// instants), `role` (a closed set of names), `agreement` (lists of texts, compared), `db`.
const IMPORTS: &[(&str, &[&str])] = &[
    // A code is what goes over the wire; the reasons to close a socket name one.
    ("bus", &[]),
    ("ledger", &[]),
    ("idempotency", &[]),
    ("audit", &[]),
    // Limits on stakes are counted under the lock on the balance, by what the ledger says was staked and lost.
    // That somebody of the staff has left is in the log.
    ("players", &["ledger", "audit"]),
    ("auth", &[]),
    ("i18n", &[]),
    ("ratings", &[]),
    // What was played is read as a match; which matches wait is asked of the settlements.
    ("fair_play", &["matches", "ledger"]),
    ("wallet", &["ledger", "players", "idempotency", "bus"]),
    // A void and its line in the audit log are one transaction; so are a settlement and what it does to ratings.
    ("matches", &["ledger", "players", "bus", "audit", "ratings"]),
    // Posting and accepting tell the sockets that watch, and an accept is a keyed money call.
    ("lobby", &["matches", "ledger", "players", "idempotency", "bus", "ratings"]),
    // The words of a position and of an outcome are those of a match; who plays for a stake is asked of the ledger.
    // A bot at a match hears what a socket would.
    ("practice", &["matches", "ledger", "players", "bus"]),
    // The staff act through the doors of each part; freezing also takes postings away, and an adjustment is a keyed
    // money call that the player's sockets are told of.
    ("admin", &["auth", "players", "wallet", "matches", "lobby", "ledger", "audit", "idempotency", "bus", "fair_play"]),
    // Readiness is whether the journal can be written.
    ("lifecycle", &["matches"]),
    // Settings become the settings of each part.
    ("config", &["auth", "lobby", "matches", "wallet", "practice", "realtime", "admin"]),
    ("telemetry", &["config"]),
    // How the books stand, who waits for money and whether servers are set alike, told as metrics.
    ("watch", &["ledger", "wallet", "matches"]),
    // Accounts with money, made through the same doors as everybody's.
    ("demo", &["app", "auth", "players", "wallet", "http", "idempotency", "ledger"]),
    ("realtime", &["auth", "bus", "lobby", "matches", "players", "wallet"]),
    // HTTP upgrades to a socket, describes its frames in the document, and shares the words of its acts.
    (
        "http",
        &[
            "admin",
            "app",
            "audit",
            "auth",
            "bus",
            "fair_play",
            "idempotency",
            "i18n",
            "ledger",
            "lifecycle",
            "lobby",
            "matches",
            "players",
            "practice",
            "ratings",
            "realtime",
            "telemetry",
            "wallet",
        ],
    ),
];

const BASES: [&str; 10] = ["ids", "money", "clock", "rng", "code", "rate", "role", "signing", "db", "agreement"];
const WIRING: [&str; 4] = ["app", "cli", "main", "lib"];

/// The modules of the server that a file imports, with the line of each.
fn imports(source: &Source) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut depth = None;
    for (number, line) in source.code() {
        let first =
            |text: &str| text.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned();
        if line.trim_start().starts_with("use crate::{") {
            depth = Some(1_i32);
            if let Some((_, rest)) = line.split_once('{').filter(|(_, rest)| rest.contains('}')) {
                found.extend(top_level(rest).into_iter().map(|part| (number, first(&part))));
                depth = None;
            }
        } else if let Some(open) = depth.as_mut() {
            if *open == 1 {
                found.extend(top_level(line).into_iter().map(|part| (number, first(&part))));
            }
            for character in line.chars() {
                *open += i32::from(character == '{') - i32::from(character == '}');
            }
            if *open <= 0 {
                depth = None;
            }
        } else {
            let named = line.split("crate::").skip(1).map(first);
            found.extend(named.map(|name| (number, name)));
        }
    }
    found.retain(|(_, name)| !name.is_empty());
    found
}

/// The parts of a list of imports, without what stands in braces of their own.
fn top_level(list: &str) -> Vec<String> {
    let (mut parts, mut part, mut depth) = (Vec::new(), String::new(), 0);
    for character in list.chars() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => parts.push(std::mem::take(&mut part)),
            other if depth == 0 => part.push(other),
            _ => {}
        }
    }
    parts.push(part);
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect()
}

#[test]
fn modules_import_only_what_the_table_allows() {
    let table: BTreeMap<&str, &[&str]> = IMPORTS.iter().copied().collect();
    let mut found = Vec::new();
    for source in server().iter().filter(|source| !source.is_test()) {
        let module = source.module().unwrap();
        if WIRING.contains(&module) {
            continue;
        }
        for (number, imported) in imports(source) {
            // A type from the root, such as a macro of ours, is no module.
            let is_module = table.contains_key(imported.as_str())
                || BASES.contains(&imported.as_str())
                || WIRING.contains(&imported.as_str());
            let allowed = imported == module
                || BASES.contains(&imported.as_str())
                || table.get(module).is_some_and(|list| list.contains(&imported.as_str()));
            if is_module && !allowed {
                let path = &source.path;
                found.push(format!(
                    "{path}:{number}: `{module}` imports `{imported}`: hand in what is needed, or argue for it in the table of tests/tidy"
                ));
            }
        }
    }
    none(&found);
}

#[test]
fn every_module_of_the_server_has_a_place_in_the_table() {
    for source in server() {
        let module = source.module().unwrap();
        let known = BASES.contains(&module)
            || WIRING.contains(&module)
            || IMPORTS.iter().any(|(name, _)| *name == module)
            || source.is_test()
            || module.ends_with("_tests");
        assert!(known, "{}: say in the table of tests/tidy what `{module}` may import", source.path);
    }
}

#[test]
fn imports_are_found_however_they_are_written() {
    let text = "use crate::{\n    bus::{Frame, http},\n    code::Code,\n};\nuse crate::{ids::MatchId, money::{self, lobby}};\nuse crate::rng;\nfn f() { crate::wallet::g() }\n// use crate::app;\n#[cfg(test)]\nuse crate::cli;";
    let source = Source { path: "server/src/x.rs".into(), lines: text.lines().map(str::to_owned).collect() };
    let names: Vec<String> = imports(&source).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["bus", "code", "ids", "money", "rng", "wallet"]);
}

#[test]
fn the_engine_knows_neither_time_nor_chance_nor_the_outside() {
    let mut found = Vec::new();
    for source in sources(&["engine/src"], &["rs"]) {
        for (number, line) in source.code() {
            let outside = [
                "std::time",
                "std::fs",
                "std::net",
                "std::env",
                "std::thread",
                "tokio",
                "async ",
                "rand::",
                "println!",
            ];
            for text in outside.iter().filter(|text| line.contains(**text)) {
                found.push(format!("{}:{number}: `{text}`: C-2, a position is a value", source.path));
            }
        }
    }
    none(&found);
}

#[test]
fn files_stay_short_enough_to_be_read() {
    const LONGEST: usize = 600;
    let mut found = Vec::new();
    for source in sources(&["engine", "server/src", "tests"], &["rs"]) {
        if source.lines.len() > LONGEST {
            found.push(format!("{}: {} lines: split it by step, below {LONGEST}", source.path, source.lines.len()));
        }
    }
    none(&found);
}

#[test]
fn every_code_has_words_in_both_languages() {
    assert!(Code::ALL.len() > 30);
    for code in Code::ALL {
        for words in [i18n::title, i18n::detail] {
            let [portuguese, english] =
                [i18n::Language::Portuguese, i18n::Language::English].map(|it| words(*code, it));
            assert!(!portuguese.trim().is_empty() && !english.trim().is_empty(), "{}", code.as_str());
            assert_ne!(portuguese, english, "{}", code.as_str());
        }
        let is_snake = code.as_str().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        assert!(is_snake, "{}", code.as_str());
        assert!((400..600).contains(&code.status()), "{}", code.as_str());
    }
}

#[test]
fn words_that_belong_elsewhere_are_not_in_the_tree() {
    // Put together here, so that this file does not hold them.
    let words =
        [["TO", "DO"], ["FIX", "ME"], ["/wo", "rk/"], ["/ro", "ot/"], ["/ho", "me/"]].map(|parts| parts.concat());
    let endings = ["rs", "toml", "sql", "md", "yaml", "yml", "html", "css", "js", "sh"];
    let mut found = Vec::new();
    for source in sources(&["engine", "server", "migrations", "tests", "openapi.yaml", "Cargo.toml"], &endings) {
        if source.path.contains("/vectors/") {
            continue;
        }
        for (index, line) in source.lines.iter().enumerate() {
            for word in words.iter().filter(|word| line.contains(word.as_str())) {
                found.push(format!("{}:{}: `{word}`: do it, or leave it out", source.path, index + 1));
            }
        }
    }
    none(&found);
}
