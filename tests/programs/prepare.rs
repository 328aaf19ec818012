//! Refreshes what is generated and checked in: the cache of checked queries in `server/.sqlx` and `openapi.yaml`.
//!
//! `cargo run -p stakeboard-tests --bin prepare` writes them; with `--check` it compares instead and fails where
//! they differ.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, bail, ensure};
use sqlx::{Connection as _, PgConnection, Row as _};
use stakeboard_server::db::{
    self,
    private_postgres::{OWNER, PrivatePostgres},
};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let check = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => bail!("usage: prepare [--check]"),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the workspace")?;
    let folder = tempfile::Builder::new().prefix("stakeboard-prepare-").tempdir()?;
    stakeboard_tests::postgres::open_to_all(folder.path())?;
    let fresh = folder.path().join("queries");
    fs::create_dir(&fresh)?;
    let postgres = PrivatePostgres::start(&folder.path().join("postgres"))?;
    db::prepare_private(postgres.connection()).await?;
    let queries = generate(root, &postgres, &fresh).await;
    postgres.stop();
    queries?;

    let mut stale = settle(&fresh, &root.join("server/.sqlx"), check)?;
    stale |= document(&root.join("openapi.yaml"), check)?;
    ensure!(!stale, "generated files are stale: run `cargo run -p stakeboard-tests --bin prepare` and commit them");
    Ok(())
}

/// Compiles the server against a real schema, which writes a file for each query.
async fn generate(root: &Path, postgres: &PrivatePostgres, fresh: &Path) -> anyhow::Result<()> {
    // The macros want a URL with a host, so the socket's folder goes into the query.
    let mut url = String::from("postgres:///stakeboard?user=");
    url.push_str(OWNER);
    url.push_str("&sslmode=disable&port=5432&host=");
    url.push_str(postgres.connection().socket_folder().to_str().context("a plain path")?);
    let mut connection = PgConnection::connect_with(&postgres.connection().options(OWNER, db::DATABASE)).await?;
    let version: String = sqlx::query("show server_version").fetch_one(&mut connection).await?.get(0);
    eprintln!("checking queries against Postgres {version}");
    // Cargo does not see that the macros' surroundings changed; a touched file it does.
    let library = root.join("server/src/lib.rs");
    fs::File::options().append(true).open(&library)?.set_modified(std::time::SystemTime::now())?;
    let status = Command::new(env!("CARGO"))
        .args(["check", "--quiet", "-p", "stakeboard-server", "--lib"])
        .current_dir(root)
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", fresh)
        .env("DATABASE_URL", url)
        .status()?;
    // What comes next is compiled from the cache again.
    fs::File::options().append(true).open(&library)?.set_modified(std::time::SystemTime::now())?;
    ensure!(status.success(), "the server's queries do not fit its schema");
    Ok(())
}

fn files(folder: &Path) -> anyhow::Result<BTreeMap<PathBuf, Vec<u8>>> {
    if !folder.exists() {
        return Ok(BTreeMap::new());
    }
    fs::read_dir(folder)?
        .map(|entry| {
            let path = entry?.path();
            let name = PathBuf::from(path.file_name().context("a file name")?);
            Ok((name, fs::read(path)?))
        })
        .collect()
}

/// Makes the checked-in folder the same as the fresh one, or only says whether it is not.
fn settle(fresh: &Path, kept: &Path, check: bool) -> anyhow::Result<bool> {
    let (fresh, old) = (files(fresh)?, files(kept)?);
    ensure!(!fresh.is_empty(), "no queries were found");
    if fresh == old {
        return Ok(false);
    }
    if !check {
        fs::create_dir_all(kept)?;
        for name in old.keys().filter(|name| !fresh.contains_key(*name)) {
            fs::remove_file(kept.join(name))?;
        }
        for (name, text) in &fresh {
            fs::write(kept.join(name), text)?;
        }
    }
    Ok(check)
}

/// The same for the `OpenAPI` document.
fn document(kept: &Path, check: bool) -> anyhow::Result<bool> {
    let fresh = stakeboard_server::http::openapi::yaml();
    if fs::read_to_string(kept).is_ok_and(|old| old == fresh) {
        return Ok(false);
    }
    if !check {
        fs::write(kept, fresh)?;
    }
    Ok(check)
}
