//! What must be so at the end, whatever has happened.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::PgConnection;
use stakeboard_tests::{
    Client, Socket,
    persistent::{Acknowledged, Seen},
    play::replay,
};

use crate::{faults::Fault, pairs::Played, report::Report, stage::Stage};

/// How much of a clock one outage may cost its player, in milliseconds.
const SLACK_MS: i64 = 250;
/// What a clock shows before the first move, in milliseconds.
const CLOCK_MS: i64 = 600_000;

/// Looks at every match, and at the ledger.
pub async fn all(stage: &mut Stage, played: Vec<Played>, report: &mut Report) {
    let server = &stage.servers[0];
    let mut socket = Socket::open(server.address, &stage.witness.token).await;
    let mut database = stage.cluster.database().as_owner().await;
    for match_played in played {
        let id = match_played.id.clone();
        report.matches += 1;
        for seen in &match_played.seen {
            report.lines_lost += u64::from(seen.lines_lost);
            report.sent_again += u64::from(seen.sent_again);
        }
        journal(&mut socket, &match_played, report).await;
        settlement(&mut database, &id, report).await;
        record(server.client(), &id, report).await;
        clocks(&match_played, report);
    }
    let (passed, lines) = ledger(stage).await;
    report.ledger_checks = lines.lines().filter(|line| line.starts_with("ok ")).count();
    if !passed || report.ledger_checks == 0 {
        report.breaches.push(format!("the ledger: {lines}"));
    }
}

/// Both saw all of the match as it is in the journal, and every acknowledged move is there, once.
async fn journal(socket: &mut Socket, Played { id, seen }: &Played, report: &mut Report) {
    let answer = socket.request(json!({"type": "watch", "match": id, "since": 0})).await;
    let journal = answer["events"].as_array().cloned().unwrap_or_default();
    socket.request(json!({"type": "unwatch", "match": id})).await;
    for one in seen {
        if one.events != journal {
            report.breaches.push(format!(
                "{id}: a player saw {} events, there are {}",
                one.events.len(),
                journal.len()
            ));
        }
        for Acknowledged { ply, text, seq, .. } in &one.acknowledged {
            report.acknowledged += 1;
            let event = usize::try_from(*seq).ok().and_then(|seq| journal.get(seq.checked_sub(1)?));
            let found =
                event.is_some_and(|event| event["type"] == "moved" && event["ply"] == *ply && event["move"] == **text);
            report.found += u64::from(found);
            if !found {
                report.breaches.push(format!("{id}: move {ply} {text} was acknowledged, and is not there"));
            }
        }
    }
    let moves = journal.iter().filter(|event| event["type"] == "moved").count();
    let acknowledged: usize = seen.iter().map(|seen| seen.acknowledged.len()).sum();
    if moves != acknowledged {
        report.breaches.push(format!("{id}: {moves} moves were made, {acknowledged} acknowledged"));
    }
}

async fn settlement(database: &mut PgConnection, id: &str, report: &mut Report) {
    let id: uuid::Uuid = id.parse().unwrap();
    let count: i64 = sqlx::query_scalar("select count(*) from settlements where match_id = $1")
        .bind(id)
        .fetch_one(database)
        .await
        .unwrap();
    report.settlements += count;
    if count != 1 {
        report.breaches.push(format!("{id}: {count} settlements"));
    }
}

/// The record can be played again by the rules.
async fn record(client: Client, id: &str, report: &mut Report) {
    let record = client.get(&format!("/v1/matches/{id}/record")).await;
    let replayed = tokio::spawn(async move { replay(&record.body) }).await;
    if replayed.is_err() {
        report.breaches.push(format!("{id}: its record does not replay"));
    }
}

/// What each clock was charged for a move is no more than the player had to make it: from the rival's move being sent to
/// this one being acknowledged, less the time in which the player knew that the service was not there, up to the moment
/// at which it could commit again. Both are counted in favour of the service, and each outage has its slack.
fn clocks(Played { id, seen: [first, second] }: &Played, report: &mut Report) {
    for (seat, seen, rival) in [("first", first, second), ("second", second, first)] {
        let mut lost = 0;
        for made in &seen.acknowledged {
            let Some(begun) = began(made, seen, rival) else { continue };
            let charged = charged(&seen.events, seat, made.ply);
            let (away, outages) = away(seen, report, begun, made.at);
            let had = milliseconds((made.at - begun).saturating_sub(away));
            lost += (charged - had).max(0);
            if charged - had > SLACK_MS * outages {
                let faults: Vec<_> =
                    report.happened.iter().filter(|one| one.began < made.at && begun < one.ready).collect();
                let kinds: Vec<_> = faults.iter().map(|one| format!("{:?}", one.fault)).collect();
                report.breaches.push(format!(
                    "{id}: {seat} was charged {charged} ms for move {}, and had {had} ms in {outages} outages: {}",
                    made.ply,
                    kinds.join(", ")
                ));
            }
        }
        report.clock_lost_ms.push(lost);
    }
}

/// When the turn began, at the earliest: when the move before was sent.
fn began(made: &Acknowledged, seen: &Seen, rival: &Seen) -> Option<Instant> {
    let before = made.ply.checked_sub(1).filter(|before| *before > 0)?;
    let of = |seen: &Seen| seen.acknowledged.iter().find(|one| one.ply == before).map(|one| one.sent);
    of(rival).or_else(|| of(seen))
}

/// By how much the clock fell with this move.
fn charged(events: &[Value], seat: &str, ply: u64) -> i64 {
    let shown = |event: &Value| event["clocks"][format!("{seat}_ms")].as_i64().unwrap_or(CLOCK_MS);
    let moved = |ply: u64| events.iter().find(|event| event["type"] == "moved" && event["ply"] == ply);
    let before = moved(ply - 1).map_or(CLOCK_MS, shown);
    moved(ply).map_or(0, |event| before - shown(event))
}

/// For how long, and how often, the player was not served between two moments, and knew it where anybody could. Once it could commit
/// again a player is soon back: what that takes is theirs.
fn away(seen: &Seen, report: &Report, from: Instant, to: Instant) -> (Duration, i64) {
    let mut all = Duration::ZERO;
    let mut outages = 0;
    // A line that is cut is nobody's outage but the player's: the clock runs.
    let outages_then = report.happened.iter().filter(|one| one.fault != Fault::LinesCut);
    for happened in outages_then.filter(|one| one.began < to && from < one.ready) {
        outages += 1;
        // Of a server that stood still nobody knows before it is over; from then on they know by themselves.
        let known = if happened.silent { happened.over } else { happened.began };
        all += known.min(to).saturating_duration_since(happened.began.max(from));
        for (since, until) in &seen.unserved {
            let (since, until) = ((*since).max(from).max(known), (*until).min(to).min(happened.ready));
            all += until.saturating_duration_since(since);
        }
    }
    (all, outages)
}

fn milliseconds(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap()
}

/// `ledger verify` as a process of its own: whether it passed, and what it said.
async fn ledger(stage: &Stage) -> (bool, String) {
    let mut command = stage.servers[0].command(&["ledger", "verify"]);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), said)
}
