//! `admin`: the first member of the staff, made by whoever runs the server's machine, and the way back in for who has lost theirs.

use std::{io::Read as _, path::PathBuf, process::ExitCode};

use anyhow::Context as _;
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use clap::{Arg, ArgMatches, Command, value_parser};
use sqlx::{PgPool, postgres::PgConnectOptions};

use super::{FOLDER, options, runtime};
use crate::{
    admin::create::{self, Created},
    auth::{Password, change::GivenPassword, passwords},
    clock::rfc3339_ms,
    config::Settings,
    db::{
        self, SERVER_ROLE,
        private_postgres::{Location, PrivatePostgres},
    },
    ledger,
    players::{BirthDate, DisplayName, Email, NewAccount},
    rng,
    role::Role,
};

/// What clap is told.
pub fn command() -> Command {
    let forget = Command::new("forget-second-factor")
        .about("Lets an account in without its second factor, where no other administrator can")
        .arg(Arg::new("email").required(true).value_name("EMAIL").help("The address of the account"));
    let reset = Command::new("reset-password")
        .about("Gives an account a password that is good for one log-in within three days, and prints it")
        .arg(Arg::new("email").required(true).value_name("EMAIL").help("The address of the account"));
    Command::new("admin").about("The staff").subcommand_required(true).subcommand(forget).subcommand(reset).subcommand(
        Command::new("create")
            .about("Makes an administrator: a new account, or the one that has the address")
            .arg(Arg::new("email").required(true).value_name("EMAIL").help("The address to log in with"))
            .arg(Arg::new("name").long("name").help("The display name of a new account [default: one is made up]"))
            .arg(
                Arg::new("password_file")
                    .long("password-file")
                    .value_parser(value_parser!(PathBuf))
                    .help("A file with the password of a new account, - for the standard input [default: one is made up and printed]"),
            ),
    )
}

/// What is asked for, checked as far as no database is needed.
struct Wanted {
    email: Email,
    name: DisplayName,
    /// Read from a file; `None` where one is to be made up.
    password: Option<String>,
}

/// Runs `admin create`, `admin forget-second-factor` and `admin reset-password`.
pub fn run(settings: &Settings, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let wanted = match matches.subcommand() {
        Some(("create", matches)) => Act::Create(Wanted::read(matches)?),
        Some(("forget-second-factor", matches)) => Act::Forget(address(matches)?),
        Some(("reset-password", matches)) => Act::Reset(address(matches)?),
        _ => anyhow::bail!("there are only `admin create`, `forget-second-factor` and `reset-password`"),
    };
    if let Some(url) = &settings.database_url {
        return runtime()?.block_on(act_in(options("DATABASE_URL", url)?, settings, wanted));
    }
    let working = std::env::current_dir().context("the working directory is gone")?;
    let Location { folder, .. } = PrivatePostgres::locate(&working)?;
    if let Some(connection) = PrivatePostgres::held_by_another(&folder)? {
        return runtime()?.block_on(act_in(connection.options(SERVER_ROLE, db::DATABASE), settings, wanted));
    }
    // Where settings are kept for a service alone, whoever types this by hand would wait for them in vain.
    eprintln!("DATABASE_URL is not set: this is about the private Postgres of {}", working.display());
    // Also where the folder is new: an administrator may come before the first start.
    std::fs::create_dir_all(working.join(FOLDER)).context("the folder of the private Postgres can't be made")?;
    let postgres = PrivatePostgres::start(&folder)?;
    let done = runtime()?.block_on(async {
        let options = db::prepare_private(postgres.connection()).await?;
        act_in(options, settings, wanted).await
    });
    postgres.stop();
    done
}

/// What is to be done.
enum Act {
    Create(Wanted),
    Forget(Email),
    Reset(Email),
}

fn address(matches: &ArgMatches) -> anyhow::Result<Email> {
    let email = matches.get_one::<String>("email").map(String::as_str).unwrap_or_default();
    Email::parse(email).with_context(|| format!("{email:?} is no e-mail address"))
}

impl Wanted {
    fn read(matches: &ArgMatches) -> anyhow::Result<Self> {
        let email = address(matches)?;
        let name = match matches.get_one::<String>("name") {
            Some(text) => {
                DisplayName::parse(text).map_err(|error| anyhow::anyhow!("{text:?} is no name: {error:?}"))?
            }
            None => made_up_name()?,
        };
        let password = matches.get_one::<PathBuf>("password_file").map(read_password).transpose()?;
        if let Some(password) = &password {
            let weakness = passwords::weakness(&Password::new(password), email.as_str(), name.as_str());
            anyhow::ensure!(
                weakness.is_none(),
                "the password is too easy to guess or not of {} to {} characters",
                passwords::SHORTEST,
                passwords::LONGEST
            );
        }
        Ok(Self { email, name, password })
    }
}

fn made_up_name() -> anyhow::Result<DisplayName> {
    let number = u32::from_be_bytes(rng::secret());
    DisplayName::parse(&format!("staff {number:08x}")).map_err(|error| anyhow::anyhow!("a made-up name: {error:?}"))
}

fn read_password(path: &PathBuf) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|mut file| file.read_to_string(&mut text))
    };
    read.with_context(|| format!("the password can't be read from {}", path.display()))?;
    // The end of the line belongs to the editor, not to the password.
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

async fn act_in(options: PgConnectOptions, settings: &Settings, act: Act) -> anyhow::Result<ExitCode> {
    let pool = db::connect(options.clone(), 1, std::time::Duration::from_secs(10))
        .await
        .with_context(|| db::unreached(&options))?;
    db::check_schema(&pool).await?;
    match act {
        Act::Create(wanted) => create_with(&pool, settings, wanted).await?,
        Act::Forget(email) => {
            let forgotten = create::forget_second_factor(&pool, &email.key()).await?;
            anyhow::ensure!(forgotten.is_some(), "no account has the address {}", email.as_str());
            println!("{} is let in by the password alone; its sessions have ended", email.as_str());
        }
        Act::Reset(email) => {
            let password = GivenPassword::make(&passwords::Passwords::new(1, 1)).await?;
            let given = create::reset_password(&pool, &email.key(), password).await?;
            let (password, given) = given.with_context(|| format!("no account has the address {}", email.as_str()))?;
            println!("{}: the old password is good no longer, its sessions have ended", email.as_str());
            println!("password: {password}");
            println!("good for one log-in, which has to choose another, until {}", rfc3339_ms::text(given.expires_at));
        }
    }
    pool.close().await;
    Ok(ExitCode::SUCCESS)
}

async fn create_with(pool: &PgPool, settings: &Settings, wanted: Wanted) -> anyhow::Result<()> {
    let Wanted { email, name, password } = wanted;
    let address = email.as_str().to_owned();
    if let Some(player) = create::known(pool, &email.key()).await? {
        anyhow::ensure!(
            password.is_none(),
            "{address} has an account, which keeps its password: leave --password-file out"
        );
        create::promote(pool, player).await?;
        println!("{address} is an administrator now; the account keeps its password");
        return Ok(());
    }
    let made_up = password.is_none();
    let password = password.unwrap_or_else(|| BASE64_URL_SAFE_NO_PAD.encode(rng::secret::<18>()));
    let account = NewAccount {
        email,
        display_name: name,
        password_hash: passwords::Passwords::new(1, 1).hash(Password::new(&password)).await?,
        // Of age, which is all that the server wants to know of its staff.
        birth_date: BirthDate(time::macros::date!(1970 - 01 - 01)),
        roles: vec![Role::Admin],
    };
    // The accounts of the house also say that the currency is that of the ledger.
    ledger::open_house(pool, &settings.currency)
        .await
        .context("the accounts of the house could not be opened: is STAKEBOARD_CURRENCY that of the ledger?")?;
    match create::make(pool, account, &settings.currency).await? {
        Created::Made(player) => println!("{address} is an administrator now (player {player})"),
        Created::Promoted(player) => println!("player {player} is an administrator now"),
    }
    if made_up {
        println!("password: {password}");
    }
    Ok(())
}
