//! Races of one move: against itself, and against the flag.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use rand::{Rng as _, SeedableRng as _, rngs::SmallRng};
use serde_json::json;
use stakeboard_engine::{BySeat, Game, Options, Play, Seat};
use stakeboard_tests::{
    Client, Player, Socket, TestServer,
    play::{pick, replay, seat_of},
    server::start_match,
};
use tokio::sync::Barrier;

use super::ROUNDS;
use crate::support::{available, check_books, lanes, settlements, text};

/// Sends one move six times on three sockets and four times over HTTP, all at once. Gives each answer as the `seq` it was
/// acknowledged with.
async fn send_ten_times(sockets: &mut Vec<Socket>, client: &Client, id: &str, ply: u64, text: &str) -> Vec<u64> {
    const HTTP: usize = 4;
    let barrier = Arc::new(Barrier::new(sockets.len() + HTTP));
    let mut on_sockets = Vec::new();
    for mut socket in sockets.drain(..) {
        let (barrier, id, text) = (Arc::clone(&barrier), id.to_owned(), text.to_owned());
        on_sockets.push(tokio::spawn(async move {
            let frame = |name: &str| json!({"type": "move", "match": id, "ply": ply, "move": text, "id": name});
            barrier.wait().await;
            // Both leave before either is answered.
            socket.send(&frame("one")).await;
            socket.send(&frame("two")).await;
            let mut answers = Vec::new();
            while answers.len() < 2 {
                let received = socket.next().await;
                if received["id"].is_string() {
                    assert_eq!(received["type"], "ok", "{received}");
                    answers.push(received["seq"].as_u64().unwrap());
                }
            }
            (socket, answers)
        }));
    }
    let mut over_http = Vec::new();
    for _ in 0..HTTP {
        let (barrier, client, id, text) = (Arc::clone(&barrier), client.clone(), id.to_owned(), text.to_owned());
        over_http.push(tokio::spawn(async move {
            barrier.wait().await;
            let body = json!({"ply": ply, "move": text});
            client.post(&format!("/v1/matches/{id}/moves"), &body).await.expect(200).body["seq"].as_u64().unwrap()
        }));
    }
    let mut answers = Vec::new();
    for task in on_sockets {
        let (socket, seqs) = task.await.unwrap();
        answers.extend(seqs);
        sockets.push(socket);
    }
    for task in over_http {
        answers.push(task.await.unwrap());
    }
    answers
}

#[tokio::test(flavor = "multi_thread")]
async fn t26_the_same_move_sent_ten_times_at_once_is_one_ply_with_one_answer() {
    const MATCHES: u64 = 4;
    const STAKE: i64 = 100;
    let server = TestServer::start().await;
    let mut tables = Vec::new();
    for _ in 0..MATCHES {
        tables.push((server.player(10_000).await, server.player(10_000).await));
    }
    let address = server.address;
    lanes(MATCHES, |lane| {
        let (one, two) = tables[usize::try_from(lane).unwrap()].clone();
        async move {
            let mut dice = SmallRng::seed_from_u64(lane);
            let mut rounds = 0;
            while rounds < ROUNDS / MATCHES {
                let terms = json!({"game": "oware", "stake": STAKE});
                let id = start_match(&one.1, &one.0, &two.0, &terms).await;
                rounds += repeat_every_move(address, &id, &one, &two, &mut dice, ROUNDS / MATCHES - rounds).await;
                one.1.post_empty(&format!("/v1/matches/{id}/resign")).await;
                let record = one.1.get(&format!("/v1/matches/{id}/record")).await.expect(200).body;
                replay(&record);
            }
        }
    })
    .await;
    check_books(&server.registrar, 20_000 * i64::try_from(MATCHES).unwrap()).await;
    server.stop().await;
}

/// Plays at most `most` plies of a match, each sent ten times. Gives how many.
async fn repeat_every_move(
    address: std::net::SocketAddr,
    id: &str,
    one: &(Player, Client),
    two: &(Player, Client),
    dice: &mut SmallRng,
    most: u64,
) -> u64 {
    let mut sockets = BySeat::new(Vec::new(), Vec::new());
    let snapshot = one.1.get(&format!("/v1/matches/{id}")).await.expect(200).body;
    let (first, second) = if seat_of(&snapshot, &one.0) == "first" { (one, two) } else { (two, one) };
    let seats = BySeat::new(first, second);
    for (seat, (player, _)) in seats.iter() {
        for _ in 0..3 {
            sockets[seat].push(Socket::open(address, &player.token).await);
        }
    }
    let mut last: Option<(u64, String, Seat, u64)> = None;
    for ply in 1..=most {
        let snapshot = one.1.get(&format!("/v1/matches/{id}")).await.expect(200).body;
        if snapshot["status"] == "ended" {
            return ply - 1;
        }
        assert_eq!(snapshot["ply"], ply - 1, "one ply for ten sendings");
        let seat = if snapshot["to_move"] == "first" { Seat::First } else { Seat::Second };
        let legal = snapshot["legal"].as_array().unwrap();
        let chosen = text(&legal[pick(dice, legal.len())]);
        let answers = send_ten_times(&mut sockets[seat], &seats[seat].1, id, ply, &chosen).await;
        assert_eq!(answers.len(), 10);
        assert!(answers.iter().all(|seq| *seq == answers[0]), "the same answer to all: {answers:?}");
        // After a later move: the recorded one keeps its answer, another at its place is stale.
        if let Some((ply, played, seat, seq)) = last {
            let path = format!("/v1/matches/{id}/moves");
            let again = seats[seat].1.post(&path, &json!({"ply": ply, "move": played})).await.expect(200);
            assert_eq!(again.body["seq"], seq);
            let houses = if seat == Seat::First { "ABCDEF" } else { "abcdef" };
            let other = houses.chars().map(String::from).find(|house| *house != played).unwrap();
            let answer = seats[seat].1.post(&path, &json!({"ply": ply, "move": other})).await;
            assert_eq!(answer.status, 409, "{}", answer.text);
            assert!(["stale_ply", "match_over"].contains(&answer.code()), "{}", answer.text);
        }
        last = Some((ply, chosen, seat, answers[0]));
    }
    most
}

/// A short game to its end, found by playing at random in the engine: its moves, of which the last one wins for whoever
/// makes it.
fn short_win() -> Vec<String> {
    let mut dice = SmallRng::seed_from_u64(1);
    let mut shortest: Option<Vec<String>> = None;
    for _ in 0..400 {
        let mut play = Play::new(Options::preset(Game::Oware, "abapa").unwrap());
        let mut moves = Vec::new();
        while play.outcome().is_none() && shortest.as_ref().is_none_or(|known| moves.len() < known.len()) {
            let legal = play.legal();
            let chosen = legal[pick(&mut dice, legal.len())];
            let mover = play.to_move();
            play.play(chosen).unwrap();
            moves.push(chosen.to_string());
            if play.outcome().is_some_and(|outcome| outcome.winner == Some(mover)) {
                shortest = Some(moves.clone());
            }
        }
    }
    shortest.expect("a win within 400 games")
}

/// How often each side of the race against the flag has won, and how often it was not run.
#[derive(Default)]
struct Tally {
    counted: AtomicU64,
    too_late: AtomicU64,
    wasted: AtomicU64,
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_4_a_move_around_zero_counts_or_comes_too_late_and_never_both() {
    race_against_the_flag(ROUNDS, 25, 1_000, vec!["C".to_owned()]).await;
}

/// The same where the move would end the match: it settles, or the flag does.
#[tokio::test(flavor = "multi_thread")]
async fn ma_4_a_winning_move_around_zero_counts_or_comes_too_late_and_never_both() {
    race_against_the_flag(50, 10, 2_000, short_win()).await;
}

/// Races the last of these moves against its clock, in many matches at once.
async fn race_against_the_flag(rounds: u64, at_once: u64, clock_ms: u64, moves: Vec<String>) {
    const STAKE: i64 = 1_000;
    let server = TestServer::with(&[&format!("--clock-ms={clock_ms}")]).await;
    let (moves, tally) = (Arc::new(moves), Arc::new(Tally::default()));
    let mut tables = Vec::new();
    for _ in 0..at_once {
        tables.push([server.player(100 * STAKE).await, server.player(100 * STAKE).await]);
    }
    let address = server.address;
    lanes(at_once, |lane| {
        let (moves, tally, registrar) = (Arc::clone(&moves), Arc::clone(&tally), server.registrar.clone());
        let [one, two] = tables[usize::try_from(lane).unwrap()].clone();
        async move {
            let mut dice = SmallRng::seed_from_u64(lane);
            let mut done = 0;
            while done < rounds / at_once {
                let before = available(&registrar.pool, &[&one.0, &two.0]).await;
                let id = start_match(&one.1, &one.0, &two.0, &json!({"game": "oware", "stake": STAKE})).await;
                let Some((mover, counted)) = play_around_zero(address, &id, [&one.0, &two.0], &moves, &mut dice).await
                else {
                    // The machine was too busy to bring the match to its last move in time: that was no race.
                    let wasted = tally.wasted.fetch_add(1, Ordering::Relaxed);
                    assert!(wasted < rounds, "the clocks are long enough for most");
                    continue;
                };
                done += 1;
                if counted { &tally.counted } else { &tally.too_late }.fetch_add(1, Ordering::Relaxed);
                assert_eq!(settlements(&registrar.pool, &id).await, ["win"]);
                // The winner has the stake less the house's tenth of the pot, the loser has lost the stake.
                let mut expected = before;
                let winner = usize::from((mover == two.0.id.to_string()) == counted);
                expected[winner] += STAKE - STAKE / 5;
                expected[1 - winner] -= STAKE;
                assert_eq!(available(&registrar.pool, &[&one.0, &two.0]).await, expected);
            }
        }
    })
    .await;
    let (counted, too_late) = (tally.counted.load(Ordering::Relaxed), tally.too_late.load(Ordering::Relaxed));
    assert_eq!(counted + too_late, rounds);
    assert!(counted > 0 && too_late > 0, "a race is won by either: {counted} counted, {too_late} too late");
    check_books(&server.registrar, 200 * STAKE * i64::try_from(at_once).unwrap()).await;
    server.stop().await;
}

/// Plays all but the last move, then the last one around the zero of its clock; a match that goes on is resigned by the
/// rival. Gives who made the last move and whether it counted; nothing where a clock ran out before.
async fn play_around_zero(
    address: std::net::SocketAddr,
    id: &str,
    mut players: [&Player; 2],
    moves: &[String],
    dice: &mut SmallRng,
) -> Option<(String, bool)> {
    let mut sockets = [Socket::open(address, &players[0].token).await, Socket::open(address, &players[1].token).await];
    let (snapshot, later) = (sockets[0].watch(id).await, sockets[1].watch(id).await);
    if later["status"] == "ended" {
        return None;
    }
    if seat_of(&snapshot, players[0]) == "second" {
        sockets.reverse();
        players.reverse();
    }
    let (last, before) = moves.split_last().unwrap();
    let mut left_ms = snapshot["clocks"]["first_ms"].as_u64().unwrap();
    for (ply, text) in (1_u64..).zip(before) {
        let [mover, waiting] = &mut sockets;
        let answer = mover.play(id, ply, text).await;
        if answer["code"] == "match_over" {
            return None;
        }
        assert_eq!(answer["type"], "ok", "{answer}");
        let mut event = waiting.until("moved").await;
        while event["ply"] != ply {
            event = waiting.until("moved").await;
        }
        // The next to move is who has just waited.
        left_ms = event["clocks"][if ply % 2 == 1 { "second_ms" } else { "first_ms" }].as_u64().unwrap();
        sockets.swap(0, 1);
        players.swap(0, 1);
    }
    wait_for_zero(left_ms, dice).await;
    let answer = sockets[0].play(id, before.len() as u64 + 1, last).await;
    let counted = answer["type"] == "ok";
    assert!(counted || answer["code"] == "match_over", "{answer}");
    if counted {
        let resigned = sockets[1].request(json!({"type": "resign", "match": id})).await;
        assert!(resigned["type"] == "ok" || resigned["code"] == "match_over", "{resigned}");
    }
    let winner = if before.len().is_multiple_of(2) == counted { "first" } else { "second" };
    for socket in &mut sockets {
        let ended = socket.until("ended").await;
        assert_eq!(ended["outcome"]["winner"], winner, "{ended}");
        assert_eq!(ended["outcome"]["ending"] == "timeout", !counted, "{ended}");
    }
    let record = Client::new(address).get(&format!("/v1/matches/{id}/record")).await.expect(200).body;
    let plies = record["plies"].as_array().unwrap().len();
    assert_eq!(plies, before.len() + usize::from(counted), "a move that was refused is not in the record");
    Some((players[0].id.to_string(), counted))
}

/// Time is what is tested here. Half the rounds aim at zero, the others wider, so that a busy machine sees both sides.
async fn wait_for_zero(left_ms: u64, dice: &mut SmallRng) {
    let aim = if dice.next_u64().is_multiple_of(2) {
        (left_ms + dice.next_u64() % 40).saturating_sub(20)
    } else {
        (left_ms + dice.next_u64() % 200).saturating_sub(150)
    };
    tokio::time::sleep(Duration::from_millis(aim)).await;
}
