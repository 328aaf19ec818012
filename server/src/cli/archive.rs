//! `archive`: what ended long ago leaves the tables that play writes to.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command, value_parser};
use sqlx::postgres::PgConnectOptions;

use super::{FOLDER, named_database, runtime};
use crate::{
    config::Settings,
    db::{
        self,
        private_postgres::{Connection, Location, OWNER, PrivatePostgres},
    },
    matches::archive,
};

/// What clap is told.
pub fn command() -> Command {
    Command::new("archive")
        .about("Moves the journals of staked matches that ended long ago into the archive, as the schema's owner")
        .arg(
            Arg::new("older_than_days")
                .long("older-than-days")
                .value_name("DAYS")
                .required(true)
                .value_parser(value_parser!(u16).range(1..))
                .help("Only matches that ended more than so many days ago"),
        )
}

/// Runs `archive`, while a server serves or not.
pub fn run(settings: &Settings, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let days = *matches.get_one::<u16>("older_than_days").context("--older-than-days is needed")?;
    if let Some(url) = &settings.database_url {
        let owner = named_database(settings, url)?.owner;
        let owner = owner.context("STAKEBOARD_OWNER_DATABASE_URL is needed: the journal is archived by its owner")?;
        return runtime()?.block_on(archive_in(owner, days));
    }
    let working = std::env::current_dir().context("the working directory is gone")?;
    let Location { folder, .. } = PrivatePostgres::locate(&working)?;
    let owner = |connection: &Connection| connection.options(OWNER, db::DATABASE);
    if let Some(connection) = PrivatePostgres::held_by_another(&folder)? {
        return runtime()?.block_on(archive_in(owner(&connection), days));
    }
    anyhow::ensure!(folder.exists(), "there is no journal here: there is no {FOLDER} and DATABASE_URL is not set");
    let postgres = PrivatePostgres::start(&folder)?;
    let done = runtime()?.block_on(async {
        db::prepare_private(postgres.connection()).await?;
        archive_in(owner(postgres.connection()), days).await
    });
    postgres.stop();
    done
}

async fn archive_in(owner: PgConnectOptions, days: u16) -> anyhow::Result<ExitCode> {
    let moved = archive::archive(&owner, days).await.with_context(|| format!("at {}", db::place(&owner)))?;
    println!("{moved} entries were archived");
    Ok(ExitCode::SUCCESS)
}
