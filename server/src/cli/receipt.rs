//! `receipt verify`: a receipt checked with its file and the published key, and nothing else.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command, value_parser};

use crate::matches::receipt::{Checked, check};

/// What clap is told.
pub fn command() -> Command {
    let verify =
        Command::new("verify")
            .about("Checks a receipt offline: replays the record, recomputes its hash, checks the signature and the money")
            .long_about(
                "Checks a receipt offline: replays the record, recomputes its hash, checks the signature and the money. \
                 Whose signature it is can only be said with the house's published keys (--key).\n\n\
                 Ends with 0 where all of it is right and one of the keys of --key signed, with 1 where something is \
                 wrong, and with 2 without --key: it fits, but whose key it is was not checked.",
            )
            .arg(
                Arg::new("file")
                    .required(true)
                    .value_name("FILE")
                    .value_parser(value_parser!(PathBuf))
                    .help("The answer of /v1/matches/{id}/receipt"),
            )
            .arg(Arg::new("key").long("key").value_name("FILE").value_parser(value_parser!(PathBuf)).help(
                "The house's keys: the answer of /.well-known/stakeboard-receipt-key [default: the key that came with the receipt, which may be anybody's]",
            ));
    Command::new("receipt").about("Receipts of matches").subcommand_required(true).subcommand(verify)
}

/// How it ends where the receipt fits its own key, which may be anybody's.
const KEY_NOT_CHECKED: u8 = 2;

/// Runs it: exit 0 only where one of the published keys signed a receipt that is right.
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
    for line in findings(&checked, keys.is_some()) {
        println!("{line}");
    }
    Ok(if keys.is_some() { ExitCode::SUCCESS } else { ExitCode::from(KEY_NOT_CHECKED) })
}

/// What was found, and what was not looked at: a key that came with the receipt says nothing about who signed.
fn findings(checked: &Checked, published: bool) -> Vec<String> {
    let Checked { receipt, thumbprint, moves } = checked;
    let mut lines = vec![
        format!("ok   {moves} moves replayed, the record is the one that was signed"),
        format!("ok   pot {}, fee {}, payout {}: as the outcome has it", receipt.pot, receipt.fee, receipt.payout),
    ];
    if published {
        lines.push(format!("ok   signed with one of the published keys: thumbprint {thumbprint}"));
        lines.push(format!("the receipt is good: match {}, ended {}", receipt.match_id, receipt.ended_at));
    } else {
        lines.push(format!("ok   the signature fits the key that came with the receipt: thumbprint {thumbprint}"));
        lines.push("not checked: whether that key is the house's. Anybody can sign with a key of their own".to_owned());
        lines.push(
            "who signed is not known yet: fetch /.well-known/stakeboard-receipt-key from the house's own address, and check again with --key"
                .to_owned(),
        );
    }
    lines
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))
}
