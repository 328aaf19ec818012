//! SIGKILL while two hundred matches are played.

use std::{sync::atomic::Ordering, time::Duration};

use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use serde_json::{Value, json};
use stakeboard_tests::{
    Player, ServerProcess, Socket,
    persistent::{ACKNOWLEDGED, Acknowledged, Manner, Persistent, Seen},
    play::{replay, seat_of},
    server::start_match,
};
use time::OffsetDateTime;

use crate::{
    SERVER,
    clocks::{Outage, check_credits},
    support::{events, eventually, settlements, snapshot, verify_by_program, wall},
};

const MATCHES: u64 = 200;
const KILLS: usize = 5;
const MONEY: i64 = 1_000;
const STAKE: i64 = 250;
const CLOCK_MS: i64 = 600_000;

struct Played {
    id: String,
    players: [Player; 2],
    seen: [Seen; 2],
}

#[tokio::test(flavor = "multi_thread")]
async fn t01_t02_two_hundred_matches_survive_five_kills_at_random_moments() {
    let seed = std::env::var("STAKEBOARD_TEST_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    println!("STAKEBOARD_TEST_SEED={seed}");
    let mut dice = SmallRng::seed_from_u64(seed);
    let mut server = ServerProcess::start(SERVER, &[]).await;
    let mut ready = Vec::new();
    for number in 0..MATCHES {
        ready.push(begin(&server, number, seed).await);
    }
    let running: Vec<_> = ready.into_iter().map(tokio::spawn).collect();
    let outages = kill_at_random_moments(&mut server, &mut dice).await;

    let mut began_to_matter = 0;
    let mut sent_again = 0;
    let mut all = Vec::new();
    for playing in running {
        all.push(playing.await.unwrap());
    }
    let mut socket = Socket::open(server.address, &server.registrar.player(0).await.token).await;
    for played in all {
        let credits = check_match(&server, &mut socket, &played, &outages).await;
        began_to_matter += credits;
        sent_again += played.seen.iter().map(|seen| seen.sent_again).sum::<u32>();
    }
    println!("{began_to_matter} credits, {sent_again} moves sent again");
    assert!(began_to_matter > KILLS * 20, "the kills met matches: {began_to_matter}");
    assert!(sent_again > 0, "the kills met moves without an answer");
    server.registrar.verify_ledger().await;
    verify_by_program(&server).await;
}

/// Starts a match and gives what plays it.
async fn begin(server: &ServerProcess, number: u64, seed: u64) -> impl Future<Output = Played> + Send + use<> {
    let (one, two) = (server.registrar.player(MONEY).await, server.registrar.player(MONEY).await);
    let preset = ["abapa", "wari", "caribbean"][usize::try_from(number % 3).unwrap()];
    let terms = json!({"game": "oware", "preset": preset, "stake": STAKE});
    let id = start_match(&server.client(), &one, &two, &terms).await;
    let opens = seat_of(&snapshot(&server.client(), &id).await, &one) == "first";
    let players = if opens { [one, two] } else { [two, one] };
    let address = server.address;
    async move {
        let seed = seed.wrapping_add(number * 2);
        let first = Persistent::new(Manner::at_once(address), &id, &players[0], "first", seed);
        let second = Persistent::new(Manner::at_once(address), &id, &players[1], "second", seed.wrapping_add(1));
        let (first, second) = tokio::join!(first.play(), second.play());
        Played { id, players, seen: [first, second] }
    }
}

/// Kills the server after so many more moves, at any instant between two of them, and starts it again.
async fn kill_at_random_moments(server: &mut ServerProcess, dice: &mut SmallRng) -> Vec<Outage> {
    let mut outages = Vec::new();
    for _ in 0..KILLS {
        let moves = ACKNOWLEDGED.load(Ordering::Relaxed) + dice.random_range(200..1_200);
        eventually("some more moves", async || (ACKNOWLEDGED.load(Ordering::Relaxed) >= moves).then_some(())).await;
        tokio::time::sleep(Duration::from_micros(dice.random_range(0..20_000))).await;
        let before = wall();
        server.kill();
        let gone = wall();
        server.restart().await;
        outages.push(Outage { before, gone, back: wall() });
    }
    outages
}

/// Everything a match promises; gives how many credits it was given.
async fn check_match(server: &ServerProcess, socket: &mut Socket, played: &Played, outages: &[Outage]) -> usize {
    let Played { id, players, seen } = played;
    let journal = events(socket, id).await;
    for seen in seen {
        assert_eq!(seen.events, journal, "both saw all of the record as it is");
        for Acknowledged { ply, text, seq, .. } in &seen.acknowledged {
            let event = &journal[usize::try_from(*seq).unwrap() - 1];
            assert_eq!((&event["type"], &event["ply"], &event["move"]), (&json!("moved"), &json!(ply), &json!(text)));
        }
    }
    let ends = journal.iter().filter(|event| event["type"] == "ended").count();
    assert_eq!((ends, settlements(&server.registrar.pool, id).await), (1, 1), "{id}");
    let record = server.client().get(&format!("/v1/matches/{id}/record")).await.expect(200).body;
    let moves = replay(&record);
    let acknowledged: usize = seen.iter().map(|seen| seen.acknowledged.len()).sum();
    assert_eq!(moves, acknowledged, "every move was acknowledged, and no other was made");
    check_money(server, players, &record, journal.last().unwrap()).await;

    let began = started_at(server, id).await;
    let credits = check_credits(&journal, began, CLOCK_MS, outages);
    let ended = crate::support::time_of(&journal.last().unwrap()["clocks"]["at"]);
    let met = outages.iter().filter(|outage| began < outage.before && outage.back < ended).count();
    assert!(credits >= met, "{met} outages met the match, which was given {credits} credits");
    credits
}

async fn check_money(server: &ServerProcess, players: &[Player; 2], record: &Value, end: &Value) {
    let winner = end["outcome"]["winner"].as_str();
    let (payout, fee) = if winner.is_some() { (450, 50) } else { (0, 0) };
    for told in [record, end] {
        assert_eq!((told["payout"].as_i64(), told["fee"].as_i64()), (Some(payout), Some(fee)), "{told}");
    }
    for (player, seat) in players.iter().zip(["first", "second"]) {
        let expected = match winner {
            None => MONEY,
            Some(winner) if winner == seat => MONEY - STAKE + payout,
            Some(_) => MONEY - STAKE,
        };
        assert_eq!(server.registrar.available(player.id).await, expected, "{}", player.name);
    }
}

async fn started_at(server: &ServerProcess, id: &str) -> OffsetDateTime {
    let id: uuid::Uuid = id.parse().unwrap();
    let query = sqlx::query_scalar("select started_at from matches where id = $1").bind(id);
    query.fetch_one(&server.registrar.pool).await.unwrap()
}
