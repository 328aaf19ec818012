//! The private Postgres: started, killed in every way, refused, and moved.
//!
//! Every test has a cluster of its own. Where root runs the tests, Postgres runs as somebody else,
//! and the tests that are about just that say so and end when an ordinary user runs them.

mod support;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, Uid};
use stakeboard_server::db::private_postgres::{Connection, PrivatePostgres, PrivatePostgresError};

use self::support::{Folder, Holder, as_owner_of, eventually, execute, exists, session, setting, text, within};

/// Well under the time after which Postgres is stopped harder, also on a busy machine.
const QUICKLY: Duration = Duration::from_secs(15);

/// Committed before whatever happens, and read after it.
fn commit_rows(connection: &Connection) {
    execute(connection, "CREATE TABLE kept (id bigint PRIMARY KEY)");
    execute(connection, "INSERT INTO kept SELECT generate_series(1, 1000)");
}

fn assert_rows_are_kept(connection: &Connection) {
    assert_eq!(text(connection, "SELECT count(*) || ' up to ' || max(id) FROM kept"), "1000 up to 1000");
}

fn start(folder: &Folder) -> PrivatePostgres {
    PrivatePostgres::start(folder.path()).expect("Postgres starts")
}

/// The error of a start that must fail, and what it tells the reader.
fn refusal(folder: &Path) -> (PrivatePostgresError, String) {
    let error = PrivatePostgres::start(folder).map(drop).expect_err("the start is refused");
    let message = error.to_string();
    (error, message)
}

/// The programs that `postgres` was started from.
fn programs(postgres: &PrivatePostgres) -> PathBuf {
    let program = fs::read_link(format!("/proc/{}/exe", postgres.postmaster_pid())).expect("a running postmaster");
    program.parent().expect("a folder").to_owned()
}

fn is_root_or_says_skipped() -> bool {
    let root = Uid::effective().is_root();
    if !root {
        eprintln!("skipped: only for root, who cannot run Postgres as oneself");
    }
    root
}

#[test]
fn the_first_start_makes_a_database_and_the_next_finds_it_again() {
    let folder = Folder::new();
    let postgres = start(&folder);
    commit_rows(postgres.connection());
    postgres.stop();

    let postgres = start(&folder);
    assert_rows_are_kept(postgres.connection());
}

#[test]
fn it_is_durable_and_reached_only_through_its_socket() {
    let folder = Folder::new();
    let postgres = start(&folder);
    for (name, value) in [
        ("fsync", "on"),
        ("synchronous_commit", "on"),
        ("full_page_writes", "on"),
        ("data_checksums", "on"),
        ("listen_addresses", ""),
        ("max_connections", "100"),
        ("server_encoding", "UTF8"),
    ] {
        assert_eq!(setting(postgres.connection(), name), value, "{name}");
    }

    let socket_folder = fs::metadata(postgres.connection().socket_folder()).expect("a folder of the socket");
    assert_eq!(socket_folder.mode() & 0o777, 0o700);
    let postmaster = fs::metadata(format!("/proc/{}", postgres.postmaster_pid())).expect("a postmaster");
    assert_eq!(socket_folder.uid(), postmaster.uid());
    assert_ne!(postmaster.uid(), 0);
}

#[test]
fn further_settings_override_the_usual_ones() {
    let folder = Folder::new();
    let settings = [("max_connections", "17"), ("work_mem", "5MB")];
    let postgres = PrivatePostgres::start_with(folder.path(), &settings).expect("Postgres starts");
    assert_eq!(setting(postgres.connection(), "max_connections"), "17");
    assert_eq!(setting(postgres.connection(), "work_mem"), "5MB");
}

#[test]
fn a_setting_that_postgres_refuses_is_told_with_its_reason() {
    let folder = Folder::new();
    let error = PrivatePostgres::start_with(folder.path(), &[("no_such_setting", "1")]).map(drop);
    let message = error.expect_err("an unknown setting").to_string();
    assert!(message.contains("no_such_setting") && message.contains("postgres.log"), "{message}");
    start(&folder);
}

#[test]
fn stopping_is_quick_also_with_a_session_open_and_leaves_nothing_running() {
    let folder = Folder::new();
    let postgres = start(&folder);
    let pid = postgres.postmaster_pid();
    let (_runtime, _session) = session(postgres.connection());
    let stopping = thread::spawn(|| postgres.stop());
    within(QUICKLY, "stopped", || stopping.is_finished());
    assert!(!exists(pid));
}

#[test]
fn dropping_stops_it_too() {
    let folder = Folder::new();
    let postgres = start(&folder);
    let pid = postgres.postmaster_pid();
    drop(postgres);
    assert!(!exists(pid));
}

#[test]
fn it_outlives_the_thread_that_started_it() {
    let folder = Folder::new();
    let path = folder.path().to_owned();
    let postgres = thread::spawn(move || PrivatePostgres::start(&path)).join().expect("no panic").expect("a start");
    commit_rows(postgres.connection());
    assert_rows_are_kept(postgres.connection());
}

#[test]
fn rows_survive_the_kill_of_the_process_that_holds_it() {
    let folder = Folder::new();
    let holder = Holder::start(&folder);
    commit_rows(&holder.connection());
    holder.kill();

    let postgres = start(&folder);
    assert_rows_are_kept(postgres.connection());
    assert!(!exists(holder.postmaster()), "two postmasters");
}

#[cfg(target_os = "linux")]
#[test]
fn postgres_stops_by_itself_when_the_process_that_holds_it_is_killed() {
    let folder = Folder::new();
    let holder = Holder::start(&folder);
    commit_rows(&holder.connection());
    holder.kill();
    eventually("Postgres is gone", || !exists(holder.postmaster()));
    assert!(!folder.data().join("postmaster.pid").exists(), "not a clean shutdown");

    assert_rows_are_kept(start(&folder).connection());
}

#[test]
fn rows_survive_the_kill_of_holder_and_postmaster_together_while_much_is_written() {
    let folder = Folder::new();
    let holder = Holder::start(&folder);
    let connection = holder.connection();
    commit_rows(&connection);
    execute(&connection, "CREATE TABLE unfinished (id bigint)");
    let writers: Vec<_> = (0..3)
        .map(|_| {
            let connection = connection.clone();
            let sql = "INSERT INTO unfinished SELECT generate_series(1, 100000000)";
            thread::spawn(move || support::try_execute(&connection, sql))
        })
        .collect();
    let writing = "SELECT count(*) || ', much: ' || (pg_relation_size('unfinished') > 30000000) \
                   FROM pg_stat_activity WHERE query LIKE 'INSERT INTO unfinished%'";
    eventually("three have written much", || text(&connection, writing) == "3, much: true");

    holder.kill();
    kill(pid(holder.postmaster()), Signal::SIGKILL).expect("a postmaster to kill");

    // The writers do not notice, and would write on for long.
    let path = folder.path().to_owned();
    let starting = thread::spawn(move || PrivatePostgres::start(&path));
    within(QUICKLY, "started", || starting.is_finished());
    let postgres = starting.join().expect("no panic").expect("Postgres starts");
    assert_rows_are_kept(postgres.connection());
    assert_eq!(text(postgres.connection(), "SELECT count(*)::text FROM unfinished"), "0");
    for writer in writers {
        assert!(writer.join().expect("no panic").is_err(), "an interrupted write was acknowledged");
    }
}

#[test]
fn rows_survive_the_kill_of_the_postmaster_alone() {
    let folder = Folder::new();
    let postgres = start(&folder);
    commit_rows(postgres.connection());
    kill(pid(postgres.postmaster_pid()), Signal::SIGKILL).expect("a postmaster to kill");
    let stopping = thread::spawn(|| postgres.stop());
    within(QUICKLY, "stopped", || stopping.is_finished());

    assert_rows_are_kept(start(&folder).connection());
}

#[test]
fn a_pid_file_that_names_a_stranger_stops_no_start_and_harms_no_stranger() {
    let folder = Folder::new();
    let holder = Holder::start(&folder);
    commit_rows(&holder.connection());
    let socket_lock = holder.connection().socket_folder().join(".s.PGSQL.5432.lock");
    let pid_files = [folder.data().join("postmaster.pid"), socket_lock];
    let texts = pid_files.each_ref().map(|file| fs::read_to_string(file).expect("a pid file"));
    holder.kill();
    kill(pid(holder.postmaster()), Signal::SIGKILL).expect("a postmaster to kill");
    eventually("all of Postgres is gone", || !support::postgres_runs_in(&folder.data()));

    // Of the same user, and standing where only Postgres is looked for.
    let mut stranger = as_owner_of(&folder.data(), Path::new("sleep"));
    let mut stranger = stranger.arg("600").current_dir(folder.data()).spawn().expect("sleep");
    for (file, text) in pid_files.iter().zip(texts) {
        let (_, rest) = text.split_once('\n').expect("a first line");
        fs::write(file, format!("{}\n{rest}", stranger.id())).expect("a pid file");
    }

    let postgres = start(&folder);
    assert_rows_are_kept(postgres.connection());
    assert!(stranger.try_wait().expect("a child").is_none(), "the stranger was stopped");
    stranger.kill().expect("a stranger to stop");
    stranger.wait().expect("an end");
}

#[test]
fn an_orphan_that_another_program_started_is_stopped_first() {
    let folder = Folder::new();
    let postgres = start(&folder);
    let pg_ctl = programs(&postgres).join("pg_ctl");
    commit_rows(postgres.connection());
    postgres.stop();

    let status = as_owner_of(&folder.data(), &pg_ctl)
        .args(["start", "--wait", "--silent", "--log", "/dev/null", "--pgdata"])
        .arg(folder.data())
        .args(["--options", &format!("-c listen_addresses='' -k {}", folder.data().display())])
        .status();
    assert!(status.expect("pg_ctl runs").success());
    let pid_file = fs::read_to_string(folder.data().join("postmaster.pid")).expect("a pid file");
    let orphan: u32 = pid_file.lines().next().and_then(|line| line.parse().ok()).expect("a number");
    assert!(exists(orphan));

    let postgres = start(&folder);
    assert_rows_are_kept(postgres.connection());
    eventually("the orphan is gone", || !exists(orphan));
}

#[test]
fn a_first_start_that_is_killed_half_way_is_begun_again() {
    let folder = Folder::new();
    let holder = Holder::spawn(&folder);
    eventually("initdb is at work", || folder.unfinished_data().is_some_and(|data| data.join("global").exists()));
    holder.kill();
    assert!(!folder.data().exists());

    let postgres = start(&folder);
    commit_rows(postgres.connection());
    postgres.stop();
    assert_rows_are_kept(start(&folder).connection());
    assert_eq!(folder.unfinished_data(), None);
}

#[test]
fn a_second_instance_is_refused_and_told_where_the_first_one_is() {
    let folder = Folder::new();
    assert_eq!(PrivatePostgres::held_by_another(folder.path()).expect("a look"), None);

    let holder = Holder::start(&folder);
    commit_rows(&holder.connection());
    let (error, message) = refusal(folder.path());
    assert!(matches!(error, PrivatePostgresError::AlreadyHeld { .. }), "{error:?}");
    assert!(message.contains(&*folder.path().to_string_lossy()), "{message}");
    assert_rows_are_kept(&holder.connection());

    holder.stop();
    assert_eq!(PrivatePostgres::held_by_another(folder.path()).expect("a look"), None);
    assert_rows_are_kept(start(&folder).connection());
}

#[test]
fn whoever_asks_for_a_cluster_that_is_just_starting_waits_until_it_is_ready() {
    let folder = Folder::new();
    let holder = Holder::spawn(&folder);
    eventually("the folder is held", || folder.unfinished_data().is_some());
    assert_eq!(text(&holder.connection(), "SELECT 'ready'"), "ready");
}

#[test]
fn of_several_first_starts_at_the_same_time_one_succeeds_and_the_others_are_refused_plainly() {
    let folder = Folder::below("not/yet/there");
    let starting: Vec<_> = (0..4)
        .map(|_| {
            let path = folder.path().to_owned();
            thread::spawn(move || PrivatePostgres::start(&path))
        })
        .collect();
    // All are kept until all have answered, so that no later one finds the folder free again.
    let answers: Vec<_> = starting.into_iter().map(|start| start.join().expect("no panic")).collect();
    let refused = answers.iter().filter_map(|answer| answer.as_ref().err());
    assert!(refused.clone().all(|error| matches!(error, PrivatePostgresError::AlreadyHeld { .. })), "{answers:?}");
    assert_eq!(refused.count(), 3);
}

#[test]
fn looking_for_a_holder_keeps_nobody_from_starting() {
    let folder = Folder::new();
    start(&folder).stop();
    let path = folder.path().to_owned();
    let looking = thread::spawn(move || while PrivatePostgres::held_by_another(&path).expect("a look").is_none() {});
    let postgres = start(&folder);
    looking.join().expect("no panic");
    postgres.stop();
}

#[test]
fn data_of_another_major_version_is_refused_by_name_and_left_alone() {
    let folder = Folder::new();
    let postgres = start(&folder);
    commit_rows(postgres.connection());
    postgres.stop();
    let version_file = folder.data().join("PG_VERSION");
    let version = fs::read_to_string(&version_file).expect("a version");

    fs::write(&version_file, "8.4\n").expect("another version");
    let (error, message) = refusal(folder.path());
    assert!(matches!(error, PrivatePostgresError::OtherVersion { data: 8, .. }), "{error:?}");
    for part in ["Postgres 8,", &format!("Postgres {}:", version.trim()), &*folder.data().to_string_lossy()] {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }

    fs::write(&version_file, version).expect("the version");
    assert_rows_are_kept(start(&folder).connection());
}

#[test]
fn variables_of_libpq_disturb_neither_postgres_nor_the_connection() {
    let folder = Folder::new();
    let hostile = [
        ("PGPORT", "1"),
        ("PGHOST", "nowhere.invalid"),
        ("PGHOSTADDR", "192.0.2.1"),
        ("PGSSLMODE", "require"),
        ("PGDATABASE", "nowhere"),
        ("PGUSER", "stranger"),
        ("PGPASSWORD", "wrong"),
        ("PGDATA", "/nowhere"),
        ("PGCLIENTENCODING", "LATIN1"),
        ("LC_ALL", "tlh_KX"),
        ("TZ", "Mars/Olympus"),
    ];
    let holder = Holder::start_with_variables(&folder, &hostile);
    commit_rows(&holder.connection());
    assert_eq!(setting(&holder.connection(), "log_timezone"), "UTC");
}

#[test]
fn the_programs_are_those_of_the_folder_that_a_variable_names_and_of_no_other() {
    let folder = Folder::new();
    let message = Holder::refused_with_variables(&folder, &[("PG_BIN_DIR", "/nowhere")]);
    assert!(message.contains("PG_BIN_DIR names /nowhere"), "{message}");

    let postgres = start(&folder);
    let programs = programs(&postgres);
    postgres.stop();
    let programs = programs.to_str().expect("plain text");
    let holder = Holder::start_with_variables(&folder, &[("PG_BIN_DIR", programs), ("PATH", "/nowhere")]);
    assert_eq!(text(&holder.connection(), "SELECT 'ready'"), "ready");
}

#[test]
fn a_folder_too_long_for_a_socket_has_it_elsewhere_and_clears_it_up() {
    let folder = Folder::below(&format!("{}/with, \"odd\" 'signs'/{}", "long".repeat(30), "er".repeat(50)));
    let postgres = start(&folder);
    commit_rows(postgres.connection());
    let elsewhere = postgres.connection().socket_folder().to_owned();
    assert!(!elsewhere.starts_with(folder.path()));
    let metadata = fs::metadata(&elsewhere).expect("a folder of the socket");
    assert_eq!(metadata.mode() & 0o777, 0o700);
    assert_eq!(metadata.uid(), fs::metadata(folder.data()).expect("data").uid());
    postgres.stop();
    assert!(!elsewhere.exists());

    let holder = Holder::start(&folder);
    let elsewhere = holder.connection().socket_folder().to_owned();
    holder.kill();
    let postgres = start(&folder);
    assert_rows_are_kept(postgres.connection());
    assert!(!elsewhere.exists(), "the folder of the killed one is still there");
}

#[test]
fn a_short_folder_with_signs_that_a_list_of_folders_uses_keeps_the_socket() {
    let folder = Folder::below("a, \"b\"");
    let postgres = start(&folder);
    assert!(postgres.connection().socket_folder().starts_with(folder.path()));
    commit_rows(postgres.connection());
}

#[test]
fn the_cluster_of_an_open_working_folder_lies_in_it() {
    let working = Folder::working();
    let location = PrivatePostgres::locate(working.path()).expect("a place");
    assert_eq!(location.folder, working.path().join(".stakeboard/postgres"));
    assert!(!location.moved);
}

#[test]
fn the_cluster_of_a_working_folder_closed_to_the_user_of_postgres_is_moved() {
    if !is_root_or_says_skipped() {
        return;
    }
    let working = Folder::working();
    fs::set_permissions(working.path(), Permissions::from_mode(0o700)).expect("closed");

    let location = PrivatePostgres::locate(working.path()).expect("a place");
    assert!(location.moved);
    assert!(location.folder.starts_with("/var/lib/stakeboard"), "{location:?}");
    let _removed = support::Removed(location.folder.parent().expect("a folder of its own").to_owned());
    let postgres = PrivatePostgres::start(&location.folder).expect("Postgres starts");
    commit_rows(postgres.connection());
    postgres.stop();

    // Opened later, it would be allowed to stay; but the data is where it was made.
    fs::set_permissions(working.path(), Permissions::from_mode(0o755)).expect("open");
    assert_eq!(PrivatePostgres::locate(working.path()).expect("a place"), location);
}

#[test]
fn a_cluster_that_was_closed_to_its_user_later_is_refused_and_not_forgotten() {
    if !is_root_or_says_skipped() {
        return;
    }
    let working = Folder::working();
    let location = PrivatePostgres::locate(working.path()).expect("a place");
    PrivatePostgres::start(&location.folder).expect("Postgres starts").stop();

    fs::set_permissions(working.path(), Permissions::from_mode(0o700)).expect("closed");
    let error = PrivatePostgres::locate(working.path()).expect_err("a closed cluster");
    assert!(matches!(error, PrivatePostgresError::NotEnterable { .. }), "{error:?}");
    let (error, message) = refusal(&location.folder);
    assert!(matches!(error, PrivatePostgresError::NotEnterable { .. }), "{error:?}");
    assert!(message.contains("chmod a+x"), "{message}");
}

#[test]
fn root_runs_a_cluster_as_the_ordinary_user_it_belongs_to_and_refuses_its_own() {
    if !is_root_or_says_skipped() {
        return;
    }
    let folder = Folder::new();
    let postgres = start(&folder);
    commit_rows(postgres.connection());
    postgres.stop();

    let nobody = nix::unistd::User::from_name("nobody").expect("users").expect("nobody");
    support::hand_over(&folder.data(), nobody.uid);
    let postgres = start(&folder);
    assert_rows_are_kept(postgres.connection());
    let postmaster = fs::metadata(format!("/proc/{}", postgres.postmaster_pid())).expect("a postmaster");
    assert_eq!(postmaster.uid(), nobody.uid.as_raw());
    postgres.stop();

    support::hand_over(&folder.data(), Uid::from_raw(0));
    let (error, message) = refusal(folder.path());
    assert!(matches!(error, PrivatePostgresError::OtherOwner { .. }), "{error:?}");
    assert!(message.contains("chown -R"), "{message}");
}

fn pid(number: u32) -> Pid {
    Pid::from_raw(number.try_into().expect("a process number"))
}
