//! Measures the lobby and fails where a limit is not met: a crowd that joins the queue at once, a page of a full lobby, and how
//! soon every watcher is told of a change. Build it for release, and leave the machine to it:
//!
//! `cargo run --release -p stakeboard-tests --bin lobby-bench [PLAYERS] [SEEKS]`
#![expect(clippy::unwrap_used, reason = "a measurement fails where it panics")]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, stream};
use serde_json::json;
use stakeboard_tests::{Client, Player, Socket, TestServer};
use tokio::sync::Barrier;

const PAIRED_WITHIN: Duration = Duration::from_secs(5);
const PAGE_WITHIN: Duration = Duration::from_millis(20);
const CHANGE_WITHIN: Duration = Duration::from_millis(100);

#[tokio::main]
async fn main() {
    let argument = |place, default| std::env::args().nth(place).map_or(default, |text| text.parse().unwrap());
    let (count, seeks): (usize, usize) = (argument(1, 1_000), argument(2, 10_000));
    let server = TestServer::start().await;
    let players = crowd(&server, count).await;
    let mut met = queue(&server, &players).await;

    let (poster, _) = server.player(1_000_000).await;
    plant_seeks(&server, &poster, seeks).await;
    let server = server.restart().await;
    // Presence keeps the seeks open.
    let _there = Socket::open(server.address, &poster.token).await;
    met &= page(&server.client(), seeks).await;
    let (_, other) = server.player(1_000).await;
    met &= changes(&server, &players, &other).await;
    server.stop().await;
    assert!(met, "a limit is not met");
}

fn tell(what: &str, measured: Duration, limit: Duration) -> bool {
    let met = measured < limit;
    println!("{what}: {measured:.1?} (limit {limit:?}){}", if met { "" } else { ": NOT MET" });
    met
}

/// Players with money, and ratings spread as in a club: 1500, give or take 300.
async fn crowd(server: &TestServer, count: usize) -> Vec<Player> {
    let made = stream::iter(0..count).map(|_| server.registrar.player(1_000));
    let players = made.buffer_unordered(8).collect().await;
    sqlx::query(
        "insert into ratings (player_id, game, rating, deviation, volatility, won, rated_at)
         select id, 'oware', 1500 + 520 * (random() + random() + random() + random() - 2), 60, 0.06, 20, now()
         from players",
    )
    .execute(&server.registrar.pool)
    .await
    .unwrap();
    players
}

/// All join at the same moment, on the same terms.
async fn queue(server: &TestServer, players: &[Player]) -> bool {
    let barrier = Arc::new(Barrier::new(players.len() + 1));
    for player in players {
        let (client, barrier) = (server.client().of(player), Arc::clone(&barrier));
        tokio::spawn(async move {
            barrier.wait().await;
            let answer = client.post_once("/v1/lobby/queue", &json!({"game": "oware", "stake": 100})).await;
            assert!([200, 201].contains(&answer.status), "{}", answer.text);
        });
    }
    barrier.wait().await;
    let began = Instant::now();
    let pairs = i64::try_from(players.len() / 2).unwrap();
    loop {
        let made: i64 =
            sqlx::query_scalar("select count(*) from matches").fetch_one(&server.registrar.pool).await.unwrap();
        if made >= pairs {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let paired = began.elapsed();
    let (median, high): (f64, f64) = sqlx::query_as(
        "select percentile_cont(0.5) within group (order by gap), percentile_cont(0.95) within group (order by gap)
         from (select abs(f.rating - s.rating) as gap from matches m
               join ratings f on f.player_id = m.first_player and f.game = m.game
               join ratings s on s.player_id = m.second_player and s.game = m.game) g",
    )
    .fetch_one(&server.registrar.pool)
    .await
    .unwrap();
    println!("rating gap of {pairs} pairs: {median:.0} points in the median, {high:.0} at the 95th percentile");
    server.registrar.verify_ledger().await;
    tell(&format!("{} players joined the queue at once and were paired", players.len()), paired, PAIRED_WITHIN)
}

/// Open seeks of one poster, in all games and many stakes.
async fn plant_seeks(server: &TestServer, poster: &Player, count: usize) {
    for place in 0..count {
        let (game, options) = [
            ("oware", json!({"grand_slam": "no_capture"})),
            ("morris", json!({"flying": true, "double_mill_takes_two": false})),
            ("mu_torere", json!({})),
        ][place % 3]
            .clone();
        sqlx::query(
            "insert into seeks (id, player_id, game, options, stake, created_at) values ($1, $2, $3, $4, $5, now())",
        )
        .bind(uuid::Uuid::now_v7())
        .bind(poster.id.0)
        .bind(game)
        .bind(options)
        .bind(i64::try_from(5 + place % 200 * 5).unwrap())
        .execute(&server.registrar.pool)
        .await
        .unwrap();
    }
}

async fn page(client: &Client, seeks: usize) -> bool {
    let mut times = Vec::new();
    for round in 0..200 {
        let least = 5 + round % 100 * 5;
        let path = format!("/v1/lobby/seeks?game=oware&stake_min={least}&stake_max={}", least + 200);
        let began = Instant::now();
        client.get(&path).await.expect(200);
        times.push(began.elapsed());
    }
    times.sort_unstable();
    println!("a filtered page of {seeks} open seeks, in the median: {:.1?}", times[times.len() / 2]);
    tell("the same, 99th percentile", times[times.len() * 99 / 100], PAGE_WITHIN)
}

/// Everybody watches the lobby; a seek is posted; the last of them is told.
async fn changes(server: &TestServer, players: &[Player], poster: &Client) -> bool {
    let mut watchers = Vec::new();
    for player in players {
        let mut socket = Socket::open(server.address, &player.token).await;
        socket.send(&json!({"type": "watch_lobby"})).await;
        socket.until("lobby").await;
        watchers.push(socket);
    }
    let mut worst = Duration::ZERO;
    for _ in 0..10 {
        let began = Instant::now();
        let waiting: Vec<_> = watchers
            .into_iter()
            .map(|mut socket| {
                tokio::spawn(async move {
                    socket.until("lobby_change").await;
                    (socket, began.elapsed())
                })
            })
            .collect();
        let began_to_post = began.elapsed();
        poster.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 5})).await.expect(201);
        watchers = Vec::new();
        for told in waiting {
            let (socket, after) = told.await.unwrap();
            worst = worst.max(after.saturating_sub(began_to_post));
            watchers.push(socket);
        }
    }
    tell(&format!("a change of the lobby reached the last of {} watchers", watchers.len()), worst, CHANGE_WITHIN)
}
