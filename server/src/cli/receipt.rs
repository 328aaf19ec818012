//! `receipt verify`: a receipt checked with its file and the published key, and nothing else.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command, value_parser};

use crate::matches::receipt::check;

/// What clap is told.
pub fn command() -> Command {
    let verify =
        Command::new("verify")
            .about(
                "Checks a receipt offline: replays the record, recomputes its hash, checks the signature and the money",
            )
            .arg(
                Arg::new("file")
                    .required(true)
                    .value_name("FILE")
                    .value_parser(value_parser!(PathBuf))
                    .help("The answer of /v1/matches/{id}/receipt"),
            )
            .arg(Arg::new("key").long("key").value_name("FILE").value_parser(value_parser!(PathBuf)).help(
                "The answer of /.well-known/stakeboard-receipt-key [default: the key in the receipt's own file]",
            ));
    Command::new("receipt").about("Receipts of matches").subcommand_required(true).subcommand(verify)
}

/// Runs it: exit 1 where the receipt is not good.
pub fn run(matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let Some((_, verify)) = matches.subcommand() else { anyhow::bail!("a subcommand is needed") };
    let path = |name: &str| verify.get_one::<PathBuf>(name).map(PathBuf::as_path);
    let file = read(path("file").context("a file is needed")?)?;
    let keys = path("key").map(read).transpose()?;
    let checked = match check(&file, keys.as_deref()) {
        Ok(checked) => checked,
        Err(error) => {
            println!("FAIL {error}");
            return Ok(ExitCode::FAILURE);
        }
    };
    let receipt = checked.receipt;
    println!("ok   {} moves replayed, the record is the one that was signed", checked.moves);
    println!("ok   pot {}, fee {}, payout {}: as the outcome has it", receipt.pot, receipt.fee, receipt.payout);
    let where_from = if keys.is_some() { "the published ones" } else { "none but the file's own" };
    println!("ok   signed with the key {}, of {where_from}", checked.key);
    println!("the receipt is good: match {}, ended {}", receipt.match_id, receipt.ended_at);
    if keys.is_none() {
        println!("the key came with the file: compare it with the published one, or name that with --key");
    }
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))
}
