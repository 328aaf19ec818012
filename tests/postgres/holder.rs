//! Runs a private Postgres in the given folder until its standard input ends, or it is killed.
//!
//! Once a query over a connection was answered it prints one line: the number of the postmaster's
//! process.

use std::env;
use std::io;
use std::path::PathBuf;

use anyhow::Context as _;
use sqlx::{Connection as _, PgConnection};
use stakeboard_server::db::private_postgres::{OWNER, PrivatePostgres};

fn main() -> anyhow::Result<()> {
    let folder = env::args_os().nth(1).map(PathBuf::from).context("which folder?")?;
    let postgres = PrivatePostgres::start(&folder)?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let mut connection = PgConnection::connect_with(&postgres.connection().options(OWNER, "postgres")).await?;
        sqlx::query("SELECT 1").execute(&mut connection).await
    })?;
    println!("{}", postgres.postmaster_pid());
    io::copy(&mut io::stdin(), &mut io::sink())?;
    postgres.stop();
    Ok(())
}
