//! The command line.

mod archive;
mod receipt;
mod staff;

use std::{
    io::{Write as _, stdout},
    path::{Path, PathBuf},
    process::ExitCode,
    str::FromStr as _,
};

use anyhow::Context as _;
use clap::{Arg, Args as _, Command};
use sqlx::{Connection as _, PgConnection, postgres::PgConnectOptions};
use tokio_util::sync::CancellationToken;

use crate::{
    app::{App, Database},
    config::{self, Settings, SettingsError},
    db::{
        self, SERVER_ROLE,
        private_postgres::{KeptPostgres, Location, PrivatePostgres},
    },
    demo,
    ledger::{self, seals::KeptSeal},
    lifecycle, telemetry,
};

/// Where a server without `DATABASE_URL` keeps everything, below the working directory.
const FOLDER: &str = ".stakeboard";

/// The command line as clap sees it.
pub fn command() -> Command {
    let command = Command::new("stakeboard-server")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand(Command::new("migrate").about("Brings the schema up to date, as its owner, and ends"))
        .subcommand(
            Command::new("ledger").about("The ledger").subcommand_required(true).subcommand(
                Command::new("verify").about("Checks the whole ledger: one line a check, exit 1 if any fails").arg(
                    Arg::new("seal")
                        .long("seal")
                        .value_name("NUMBER:SEAL")
                        .value_parser(KeptSeal::from_str)
                        .help("A seal that was kept elsewhere, to be compared with that of its batch"),
                ),
            ),
        )
        .subcommand(archive::command())
        .subcommand(receipt::command())
        .subcommand(staff::command())
        .subcommand(Command::new("openapi").about("Prints the OpenAPI document and ends"))
        .subcommand(Command::new("asyncapi").about("Prints the AsyncAPI document of the socket and ends"));
    // A negative number is a value, so that its refusal names the setting. What the settings say of themselves is
    // not what the program is about.
    Settings::augment_args(command)
        .mut_args(|argument| argument.allow_negative_numbers(true))
        .about("Board games for a stake: lobby, matches, clocks, ledger")
}

/// The program: reads the command line and runs what it asks for.
pub fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            if let Some(SettingsError::Command(error)) = error.downcast_ref() {
                // Also the way in which clap prints its help.
                error.exit();
            }
            eprintln!("stakeboard-server: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<ExitCode> {
    let (matches, settings) = config::parse(command(), std::env::args_os().collect::<Vec<_>>())?;
    config::check_variables(&command(), std::env::vars_os().map(|(name, _)| name))?;
    match matches.subcommand() {
        Some(("openapi", _)) => {
            print!("{}", crate::http::openapi::yaml());
            Ok(ExitCode::SUCCESS)
        }
        Some(("asyncapi", _)) => {
            print!("{}", crate::http::asyncapi::yaml());
            Ok(ExitCode::SUCCESS)
        }
        Some(("migrate", _)) => runtime()?.block_on(migrate(&settings)),
        Some(("ledger", asked)) => verify(&settings, asked.subcommand().and_then(|(_, verify)| verify.get_one("seal"))),
        Some(("archive", matches)) => archive::run(&settings, matches),
        Some(("receipt", matches)) => receipt::run(matches),
        Some(("admin", matches)) => staff::run(&settings, matches),
        _ => serve(&settings),
    }
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    runtime_of(1)
}

fn runtime_of(threads: u16) -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(threads.into()).enable_all().build()
}

fn options(name: &str, url: &str) -> anyhow::Result<PgConnectOptions> {
    let not_one = || format!("{name} is not a Postgres URL, such as postgres://user:password@host:5432/database");
    // The library takes a URL of anything.
    anyhow::ensure!(url.starts_with("postgres://") || url.starts_with("postgresql://"), not_one());
    PgConnectOptions::from_str(url).with_context(not_one)
}

/// The ways into the database that is named by the settings.
fn named_database(settings: &Settings, url: &str) -> anyhow::Result<Database> {
    let server = options("DATABASE_URL", url)?;
    let owner = match &settings.owner_database_url {
        Some(url) => Some(options("STAKEBOARD_OWNER_DATABASE_URL", url)?),
        None => settings.development.then(|| server.clone()),
    };
    Ok(Database { server, owner })
}

async fn migrate(settings: &Settings) -> anyhow::Result<ExitCode> {
    let url = settings
        .owner_database_url
        .as_ref()
        .context("STAKEBOARD_OWNER_DATABASE_URL is needed: the schema is migrated by its owner")?;
    let owner = options("STAKEBOARD_OWNER_DATABASE_URL", url)?;
    db::migrate(&owner).await.with_context(|| format!("at {}", db::place(&owner)))?;
    println!("the schema is up to date");
    Ok(ExitCode::SUCCESS)
}

fn serve(settings: &Settings) -> anyhow::Result<ExitCode> {
    settings.check_serving()?;
    let traces = telemetry::start_logging(&settings.log, settings.log_format, settings.otlp_endpoint.as_deref())?;
    let working = std::env::current_dir().context("the working directory is gone")?;
    let folder = working.join(FOLDER);
    let (postgres, moved) = if settings.database_url.is_some() {
        (None, None)
    } else {
        let Location { folder, moved } = PrivatePostgres::locate(&working)?;
        (Some(KeptPostgres::start(&folder)?), moved.then_some(folder))
    };
    let mut settings = settings.clone();
    if postgres.is_some() && !cfg!(debug_assertions) {
        // Unoptimised, a table takes minutes: then only where it is asked for.
        settings.endgame_tables.get_or_insert_with(|| folder.join("endgame-tables"));
    }
    let served = runtime_of(settings.threads)?.block_on(serve_until_stopped(
        &settings,
        postgres.as_ref(),
        &folder,
        moved.as_deref(),
    ));
    drop(postgres);
    traces.finish();
    served.map(|()| ExitCode::SUCCESS)
}

async fn serve_until_stopped(
    settings: &Settings,
    postgres: Option<&KeptPostgres>,
    folder: &Path,
    moved: Option<&Path>,
) -> anyhow::Result<()> {
    let stop = CancellationToken::new();
    let told = stop.clone();
    // From the start: a signal while matches are taken over stops the server too.
    let signal = tokio::spawn(async move {
        lifecycle::stop_signal().await?;
        told.cancel();
        Ok::<(), std::io::Error>(())
    });
    let database = match (postgres, &settings.database_url) {
        (Some(postgres), _) => Database { server: db::prepare_private(postgres.connection()).await?, owner: None },
        (None, Some(url)) => named_database(settings, url)?,
        (None, None) => anyhow::bail!("DATABASE_URL is not set and there is no private Postgres"),
    };
    let app = tokio::select! {
        app = App::build(settings, database, secrets(settings, folder)?) => app?,
        () = stop.cancelled() => return Ok(()),
    };
    let address = app.address()?;
    let mut lines = vec![format!("listening on http://{address} (reference at /docs, socket at /v1/ws)")];
    if let Some(moved) = moved {
        lines.push(format!("the private Postgres lives under {}: its user can't enter this folder", moved.display()));
    }
    if let Some(node) = app.node() {
        lines.push(format!("this is node {node} of those on its database"));
    }
    if app.recovered() > 0 {
        lines.push(format!("{} live matches go on", app.recovered()));
    }
    if settings.database_url.is_none() && settings.is_loopback() && app.wallet().gives_play_money() {
        lines.extend(demo::prepare(app.auth(), app.wallet(), folder, address).await?);
    }
    if let Err(error) = announce(&lines) {
        // Whoever started us has heard enough: no reason not to serve.
        tracing::warn!(%error, "what was to be printed could not be");
    }
    app.run_until(stop).await;
    signal.abort();
    tracing::info!("stopped");
    Ok(())
}

/// The folder for secrets made up at the first start, where that is allowed.
fn secrets(settings: &Settings, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    if settings.signing_keys.is_empty() || settings.receipt_keys.is_empty() {
        std::fs::create_dir_all(folder).with_context(|| format!("{} can't be made", folder.display()))?;
        return Ok(Some(folder.to_owned()));
    }
    Ok(None)
}

/// What a person at the terminal, or a program that started us, waits for.
fn announce(lines: &[String]) -> std::io::Result<()> {
    let mut out = stdout().lock();
    for line in lines {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

fn verify(settings: &Settings, kept: Option<&KeptSeal>) -> anyhow::Result<ExitCode> {
    if let Some(url) = &settings.database_url {
        return runtime()?.block_on(verify_in(options("DATABASE_URL", url)?, kept));
    }
    let working = std::env::current_dir().context("the working directory is gone")?;
    let Location { folder, .. } = PrivatePostgres::locate(&working)?;
    if let Some(connection) = PrivatePostgres::held_by_another(&folder)? {
        return runtime()?.block_on(verify_in(connection.options(SERVER_ROLE, db::DATABASE), kept));
    }
    anyhow::ensure!(
        folder.exists(),
        "there is no ledger here: {} does not exist and DATABASE_URL is not set",
        folder.display()
    );
    let postgres = PrivatePostgres::start(&folder)?;
    let done = runtime()?.block_on(async {
        let options = db::prepare_private(postgres.connection()).await?;
        verify_in(options, kept).await
    });
    postgres.stop();
    done
}

async fn verify_in(options: PgConnectOptions, kept: Option<&KeptSeal>) -> anyhow::Result<ExitCode> {
    let mut connection = PgConnection::connect_with(&options).await.with_context(|| db::unreached(&options))?;
    let mut checks = ledger::verify(&mut connection).await?;
    if let Some(kept) = kept {
        checks.push(ledger::seals::check_kept(&mut connection, kept).await?);
    }
    let mut failed = false;
    for check in checks {
        failed |= !check.passed;
        println!("{} {} ({})", if check.passed { "ok  " } else { "FAIL" }, check.name, check.figure);
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
