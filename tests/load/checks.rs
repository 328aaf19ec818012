//! After the run: every acknowledged move is in the records, and the ledger adds up.

use std::sync::Arc;

use anyhow::ensure;
use tokio::task::JoinSet;

use crate::{pair::Played, target::Target};

/// How many records are read at once.
const READERS: usize = 4;

/// Reads the record of every match and compares it with what was acknowledged. Gives how many moves were compared and
/// what is wrong.
pub async fn records(target: &Arc<Target>, played: Vec<Played>) -> (u64, Vec<anyhow::Error>) {
    let mut shares: Vec<Vec<Played>> = (0..READERS).map(|_| Vec::new()).collect();
    for (place, one) in played.into_iter().enumerate() {
        shares[place % READERS].push(one);
    }
    let mut readers = JoinSet::new();
    for share in shares {
        readers.spawn(read(Arc::clone(target), share));
    }
    let (mut compared, mut wrong) = (0, Vec::new());
    while let Some(read) = readers.join_next().await {
        match read {
            Ok((moves, errors)) => {
                compared += moves;
                wrong.extend(errors);
            }
            Err(error) => wrong.push(error.into()),
        }
    }
    (compared, wrong)
}

async fn read(target: Arc<Target>, played: Vec<Played>) -> (u64, Vec<anyhow::Error>) {
    let (mut compared, mut wrong) = (0, Vec::new());
    for one in played {
        match compare(&target, &one).await {
            Ok(moves) => compared += moves,
            Err(error) => wrong.push(error.context(format!("the record of match {}", one.id))),
        }
    }
    (compared, wrong)
}

async fn compare(target: &Target, played: &Played) -> anyhow::Result<u64> {
    let path = format!("/v1/matches/{}/record", played.id);
    let record = loop {
        let answer = target.client.try_send(target.client.request(reqwest::Method::GET, &path)).await?;
        if answer.status != 429 {
            ensure!(answer.status == 200, "{} {}", answer.status, answer.text);
            break answer.body;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    };
    let recorded = record["plies"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut compared = 0;
    for (place, acknowledged) in played.moves.split_whitespace().enumerate() {
        let found = recorded.get(place).and_then(|ply| ply["move"].as_str());
        ensure!(found == Some(acknowledged), "move {}: acknowledged {acknowledged}, recorded {found:?}", place + 1);
        compared += 1;
    }
    Ok(compared)
}

/// Runs the server's own check of its ledger; nothing where the database is not ours.
pub async fn ledger(target: &Target) -> anyhow::Result<Option<String>> {
    let Some(own) = target.own() else { return Ok(None) };
    let mut command = own.process.command(&["ledger", "verify"]);
    let output = tokio::task::spawn_blocking(move || command.output()).await??;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "ledger verify: {text}{}", String::from_utf8_lossy(&output.stderr));
    Ok(Some(text))
}
