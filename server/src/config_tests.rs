//! Settings: where they come from and what is refused.

use std::{collections::BTreeSet, ffi::OsString};

use super::*;
use crate::cli;

fn parsed(arguments: &[&str]) -> Result<Settings, SettingsError> {
    let arguments: Vec<OsString> =
        std::iter::once("stakeboard-server").chain(arguments.iter().copied()).map(Into::into).collect();
    parse(cli::command(), arguments).map(|(_, settings)| settings)
}

#[test]
fn a_value_out_of_bounds_is_refused_by_name() {
    let cases = [
        (["--listen", "nowhere"], "--listen"),
        (["--clock-ms", "0"], "--clock-ms"),
        (["--stake-min", "7"], "--stake-min"),
        (["--stake-max", "-5"], "--stake-max"),
        (["--currency", "reais"], "--currency"),
        (["--payments", "cash"], "--payments"),
        (["--minimum-age", "0"], "--minimum-age"),
        (["--no-such-setting", "1"], "--no-such-setting"),
    ];
    for (arguments, name) in cases {
        let error = parsed(&arguments).expect_err(name).to_string();
        assert!(error.contains(name), "{name}: {error}");
    }
}

#[test]
fn bounds_that_contradict_each_other_are_refused() {
    let error = parsed(&["--stake-min", "100", "--stake-max", "50"]).expect_err("no stake is possible");
    assert!(error.to_string().contains("STAKEBOARD_STAKE_MIN"), "{error}");
}

#[test]
fn a_real_database_needs_real_secrets_and_a_real_provider() {
    let database = ["--database-url", "postgres://db/stakeboard"];
    let refused = parsed(&database).expect("each value is fine").check_serving().expect_err("sandbox");
    assert!(refused.to_string().contains("STAKEBOARD_PAYMENTS"), "{refused}");
    let development = [&database[..], &["--development"]].concat();
    parsed(&development).expect("each value is fine").check_serving().expect("told so by name");
    let beyond = parsed(&["--listen", "0.0.0.0:80"]).expect("each value is fine").check_serving();
    assert!(beyond.expect_err("sandbox").to_string().contains("STAKEBOARD_LISTEN"));
    parsed(&[]).expect("no setting is needed").check_serving().expect("loopback with a private Postgres");
}

#[test]
fn a_provider_that_calls_back_needs_a_secret_and_then_serves_real_players() {
    let address = "postgres://db/stakeboard";
    let keys = ["--signing-keys", "key.pem", "--receipt-keys", "receipts.pem"];
    let real = [&["--database-url", address, "--payments", "webhook"], &keys[..]].concat();
    for flags in [&real[..], &["--payments", "webhook", "--development"]] {
        let refused = parsed(flags).expect("each value is fine").check_serving().expect_err("no secret");
        assert!(refused.to_string().contains("STAKEBOARD_WEBHOOK_SECRETS"), "{refused}");
    }
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let with = |value: &str| parsed(&[&real[..], &["--webhook-secrets", value]].concat()).expect("each value is fine");
    with(secret).check_serving().expect("a secret and no development");
    with(&[secret; 2].join(",")).check_serving().expect("one that replaces another");
    for (kept, named) in [(&keys[..2], "STAKEBOARD_RECEIPT_KEYS"), (&keys[2..], "STAKEBOARD_SIGNING_KEYS")] {
        let flags = ["--database-url", address, "--payments", "webhook", "--webhook-secrets", secret];
        let refused = parsed(&[&flags[..], kept].concat()).expect("each value is fine").check_serving();
        assert!(refused.expect_err(named).to_string().contains(named));
    }
    for bad in ["whsec_c2hvcnQ=", "/nowhere/secret", &format!("{secret},whsec_"), &[secret; 3].join(",")] {
        let refused = with(bad).check_serving().expect_err(bad).to_string();
        assert!(refused.contains("STAKEBOARD_WEBHOOK_SECRETS"), "{refused}");
    }
}

#[test]
fn the_staff_needs_a_second_factor_unless_in_development_or_told_otherwise() {
    let database = ["--database-url", "postgres://db/stakeboard"];
    let cases: [(&[&str], bool); 5] = [
        (&[], false),
        (&database, true),
        (&[database[0], database[1], "--development"], false),
        (&[database[0], database[1], "--staff-second-factor=false"], false),
        (&["--staff-second-factor"], true),
    ];
    for (flags, needed) in cases {
        assert_eq!(parsed(flags).expect("each value is fine").auth().staff_second_factor, needed, "{flags:?}");
    }
}

#[test]
fn the_file_gives_way_to_flags_and_is_refused_where_it_names_something_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("settings.toml");
    let path = file.to_str().expect("a plain path");
    std::fs::write(&file, "clock_ms = 5000\ncurrency = \"EUR\"\nsigning_keys = [\"a.pem\", \"b.pem\"]\n")
        .expect("a file");
    let settings = parsed(&["--settings", path, "--clock-ms", "7000"]).expect("a good file");
    assert_eq!((settings.clock_ms, settings.currency.as_str(), settings.signing_keys.len()), (7_000, "EUR", 2));

    std::fs::write(&file, "clock = 5000\n").expect("a file");
    let error = parsed(&["--settings", path]).expect_err("no such setting").to_string();
    assert!(error.contains("`clock` (is `clock_ms` meant?)"), "{error}");
    std::fs::write(&file, "clock_ms = \"soon\"\n").expect("a file");
    let error = parsed(&["--settings", path]).expect_err("no number").to_string();
    assert!(error.contains("--clock-ms"), "{error}");
    assert!(parsed(&["--settings", "/nowhere/settings.toml"]).expect_err("no file").to_string().contains("/nowhere"));
}

#[test]
fn a_variable_that_is_no_setting_is_refused_by_name_with_the_one_that_may_be_meant() {
    let check = |names: &[&str]| check_variables(&cli::command(), names.iter().map(OsString::from));
    let refusal = |names: &[&str]| check(names).expect_err("no setting").to_string();
    for (mistyped, meant) in [
        ("STAKEBOARD_STAKE_MAXX", "STAKEBOARD_STAKE_MAX"),
        ("STAKEBOARD_WEBHOOK_SECRET", "STAKEBOARD_WEBHOOK_SECRETS"),
        ("STAKEBOARD_IDENTITY_FOR_WITHDRAWAL", "STAKEBOARD_IDENTITY_FOR_WITHDRAWALS"),
        ("STAKEBOARD_SINGING_KEYS", "STAKEBOARD_SIGNING_KEYS"),
    ] {
        let refused = refusal(&[mistyped, "STAKEBOARD_LISTEN", "PATH"]);
        assert!(refused.ends_with(&format!("{mistyped} (is {meant} meant?)")), "{refused}");
    }
    let both = refusal(&["STAKEBOARD_ZEBRA", "STAKEBOARD_CLOCKMS"]);
    assert!(both.ends_with("STAKEBOARD_CLOCKMS (is STAKEBOARD_CLOCK_MS meant?), STAKEBOARD_ZEBRA"), "{both}");
    // Every setting there is, and what has nothing to do with this program.
    let command = cli::command();
    let known = command.get_arguments().filter_map(|argument| argument.get_env());
    check_variables(&command, known.map(ToOwned::to_owned)).expect("settings");
    check(&["PATH", "PG_BIN_DIR", "OTEL_TRACES_SAMPLER", "MY_STAKEBOARD_LISTEN"]).expect("others' variables");
}

#[test]
fn the_bus_is_named_by_itself_or_by_a_file_and_an_empty_name_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bus-url");
    let path = file.to_str().expect("a plain path");
    std::fs::write(&file, "nats://stakeboard:secret@nats:4222\n").expect("a file");
    let settings = parsed(&["--bus-file", path]).expect("a good file");
    assert_eq!(settings.bus.as_deref(), Some("nats://stakeboard:secret@nats:4222"));
    for empty in ["--bus-file", "--bus"] {
        assert_eq!(parsed(&[empty, ""]).expect("nothing is set").bus, None);
    }
    for bad in [&["--bus-file", path, "--bus", "nats://nats"][..], &["--bus-file", "/nowhere/bus"]] {
        let error = parsed(bad).expect_err("no bus").to_string();
        assert!(error.contains("bus-file") || error.contains("STAKEBOARD_BUS_FILE"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

/// Settings of one server: where it listens and keeps things, its ways in, its size, what it logs.
const OWN: [&str; 21] = [
    "STAKEBOARD_LISTEN",
    "DATABASE_URL",
    "STAKEBOARD_OWNER_DATABASE_URL",
    "DATABASE_URL_FILE",
    "STAKEBOARD_OWNER_DATABASE_URL_FILE",
    "STAKEBOARD_DEVELOPMENT",
    "STAKEBOARD_TRUSTED_PROXIES",
    "STAKEBOARD_SEAL_SECONDS",
    "STAKEBOARD_FAIR_PLAY_SECONDS",
    "STAKEBOARD_DATABASE_CONNECTIONS",
    "STAKEBOARD_THREADS",
    "STAKEBOARD_BUS",
    "STAKEBOARD_BUS_FILE",
    "STAKEBOARD_ENDGAME_TABLES",
    "STAKEBOARD_LOG",
    "STAKEBOARD_LOG_FORMAT",
    "STAKEBOARD_OTLP_ENDPOINT",
    "STAKEBOARD_SETTINGS",
    "STAKEBOARD_SIGNING_KEYS",
    "STAKEBOARD_RECEIPT_KEYS",
    "STAKEBOARD_WEBHOOK_SECRETS",
];

#[test]
fn each_setting_is_one_server_s_own_or_compared() {
    let compared = shared::SETTINGS.iter().map(|(name, ..)| *name);
    let sorted: BTreeSet<String> = compared.chain(OWN).map(str::to_owned).collect();
    assert_eq!(sorted.len(), shared::SETTINGS.len() + OWN.len(), "none is both");
    let command = cli::command();
    let all = command.get_arguments().filter_map(|argument| argument.get_env());
    let all: BTreeSet<String> = all.map(|name| name.to_string_lossy().into_owned()).collect();
    assert_eq!(sorted, all);
}

/// The table of docs/operations.md, row by row: flag, variable and default.
fn documented() -> Vec<[String; 3]> {
    let rows = include_str!("../../docs/operations.md").lines().filter(|line| line.starts_with("| `--"));
    rows.map(|row| {
        let mut cells = row.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').to_owned());
        let mut next = || cells.next().expect("four cells");
        let listed = [next(), next(), next()];
        assert!(next().len() > 10, "the meaning of {} is told", listed[0]);
        listed
    })
    .collect()
}

#[test]
fn the_operators_document_lists_every_setting_with_its_variable_and_its_default() {
    let settings: Vec<[String; 3]> = cli::command()
        .get_arguments()
        .filter_map(|argument| {
            let flag = format!("--{}", argument.get_long()?);
            let variable = argument.get_env()?.to_string_lossy().into_owned();
            let default = match argument.get_default_values() {
                [] => "—".to_owned(),
                [value, ..] => value.to_string_lossy().into_owned(),
            };
            Some([flag, variable, default])
        })
        .collect();
    assert!(settings.len() > 25, "every setting has a flag and a variable: {settings:?}");
    let documented = documented();
    for setting in &settings {
        assert!(documented.contains(setting), "docs/operations.md, section Settings, lacks the row {setting:?}");
    }
    for row in &documented {
        assert!(settings.contains(row), "docs/operations.md, section Settings, has {row:?}, which is no setting");
    }
    assert_eq!(documented, settings, "docs/operations.md lists the settings in the order of server/src/config.rs");
}
