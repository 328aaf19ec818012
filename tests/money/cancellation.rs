//! Requests that are cut off: done whole or not at all, and done once when they are repeated.

use std::net::SocketAddr;

use rand::{Rng as _, SeedableRng as _, rngs::SmallRng};
use serde_json::json;
use stakeboard_tests::{Client, Player, TestServer};
use tokio::{io::AsyncWriteExt as _, net::TcpStream};

use crate::support::{available, check_books, eventually, open_table, post_seek, text, together, transfers_of};

/// A request as the bytes of HTTP/1.1.
pub fn request(path: &str, token: &str, key: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nhost: test\r\nauthorization: Bearer {token}\r\nidempotency-key: {key}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// How a request is cut off.
pub struct Cut {
    /// After this many bytes.
    bytes: usize,
    /// And this long after them.
    patience: std::time::Duration,
    /// With a reset instead of an orderly close.
    reset: bool,
}

impl Cut {
    /// A third anywhere within the request, the rest right after it, while the server is at work.
    pub fn draw(dice: &mut SmallRng, length: usize) -> Self {
        let bytes =
            if dice.next_u64().is_multiple_of(3) { usize::try_from(dice.next_u64()).unwrap() % length } else { length };
        let patience = std::time::Duration::from_micros(dice.next_u64() % 6_000);
        Self { bytes, patience, reset: dice.next_u64().is_multiple_of(2) }
    }
}

/// Sends a part of a request and lets go of the connection.
pub async fn send_and_cut(address: SocketAddr, request: &[u8], cut: &Cut) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    if cut.reset {
        stream.set_zero_linger().unwrap();
    }
    stream.write_all(&request[..cut.bytes]).await.unwrap();
    // Time is what is varied here: how far the server gets before it loses its client.
    tokio::time::sleep(cut.patience).await;
}

/// Repeats a request with its key until it is no longer under way.
async fn repeat(client: &Client, path: &str, key: &str, body: &serde_json::Value) -> serde_json::Value {
    let mut done = None;
    eventually("the first request comes to an end", async || {
        let answer = client.post_keyed(path, key, body).await;
        if answer.code() == "idempotency_in_progress" {
            return false;
        }
        done = Some(answer.expect(201).body);
        true
    })
    .await;
    done.unwrap()
}

/// Nobody holds a transaction open without working on it.
pub async fn nothing_is_left_open(server: &TestServer) {
    let mut owner = server.database.as_owner().await;
    eventually("every transaction comes to an end", async || {
        let open: i64 = sqlx::query_scalar(
            "select count(*) from pg_stat_activity
             where datname = current_database() and state like 'idle in transaction%'",
        )
        .fetch_one(&mut owner)
        .await
        .unwrap();
        open == 0
    })
    .await;
}

/// B12, T27.
#[tokio::test(flavor = "multi_thread")]
async fn b12_deposits_cut_off_anywhere_are_made_once_or_not_at_all_and_once_when_repeated() {
    const REQUESTS: i64 = 200;
    let server = TestServer::start().await;
    let mut dice = SmallRng::seed_from_u64(12);
    let mut players: Vec<(Player, Client)> = Vec::new();
    for _ in 0..REQUESTS {
        players.push(server.player(0).await);
    }
    let body = json!({"amount": 700});
    let acts = players.iter().map(|(player, _)| {
        let request = request("/v1/wallet/deposits", &player.token, "one", &body.to_string());
        let (cut, address) = (Cut::draw(&mut dice, request.len()), server.address);
        async move { send_and_cut(address, &request, &cut).await }
    });
    together(acts.collect()).await;

    let all: Vec<&Player> = players.iter().map(|(player, _)| player).collect();
    let amounts = available(&server.registrar.pool, &all).await;
    assert!(amounts.iter().all(|amount| [0, 700].contains(amount)), "whole or not at all: {amounts:?}");
    for (player, client) in &players {
        let first = repeat(client, "/v1/wallet/deposits", "one", &body).await;
        assert_eq!(repeat(client, "/v1/wallet/deposits", "one", &body).await, first);
        assert_eq!(transfers_of(&server.registrar.pool, player, "deposit").await, 1);
    }
    assert_eq!(available(&server.registrar.pool, &all).await, vec![700; players.len()]);
    nothing_is_left_open(&server).await;
    check_books(&server.registrar, REQUESTS * 700).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b12_accepts_and_joins_cut_off_anywhere_make_one_match_or_none_and_one_when_repeated() {
    const REQUESTS: i64 = 100;
    const STAKE: i64 = 500;
    let server = TestServer::start().await;
    let mut dice = SmallRng::seed_from_u64(27);
    let mut tables = Vec::new();
    for number in 0..REQUESTS {
        let ((poster, posting), (accepter, accepting)) = (server.player(STAKE).await, server.player(STAKE).await);
        let path = if number % 2 == 0 {
            format!("/v1/lobby/seeks/{}/accept", post_seek(&posting, STAKE).await)
        } else {
            format!("/v1/tables/{}/join", open_table(&posting, STAKE).await)
        };
        tables.push((poster, accepter, accepting, path));
    }
    let body = json!({"stake": STAKE});
    let acts = tables.iter().map(|(_, accepter, _, path)| {
        let request = request(path, &accepter.token, "one", &body.to_string());
        let (cut, address) = (Cut::draw(&mut dice, request.len()), server.address);
        async move { send_and_cut(address, &request, &cut).await }
    });
    together(acts.collect()).await;

    for (poster, accepter, accepting, path) in &tables {
        let both = available(&server.registrar.pool, &[poster, accepter]).await;
        assert!(both == [0, 0] || both == [STAKE, STAKE], "both stakes or neither: {both:?}");
        let match_id = text(&repeat(accepting, path, "one", &body).await["match_id"]);
        assert_eq!(available(&server.registrar.pool, &[poster, accepter]).await, [0, 0]);
        assert_eq!(transfers_of(&server.registrar.pool, accepter, "stake").await, 1);
        // The match is played, whoever heard of it.
        accepting.post_empty(&format!("/v1/matches/{match_id}/resign")).await.expect(200);
        assert_eq!(server.registrar.available(poster.id).await, STAKE / 5 * 9);
    }
    nothing_is_left_open(&server).await;
    check_books(&server.registrar, REQUESTS * STAKE * 2).await;
    server.stop().await;
}

/// A seek whose request was cut off is on the board for everybody or for nobody, and can be withdrawn.
#[tokio::test(flavor = "multi_thread")]
async fn b12_seeks_posted_and_withdrawn_by_requests_cut_off_leave_the_lobby_as_the_database_has_it() {
    const REQUESTS: u64 = 100;
    let server = TestServer::start().await;
    let mut dice = SmallRng::seed_from_u64(41);
    let (watcher, _) = server.player(0).await;
    let mut acts = Vec::new();
    for _ in 0..REQUESTS {
        let (player, client) = server.player(500).await;
        let post = request("/v1/lobby/seeks", &player.token, "none", r#"{"game":"oware","stake":500}"#);
        let seek = post_seek(&client, 500).await;
        let withdraw = format!(
            "DELETE /v1/lobby/seeks/{seek} HTTP/1.1\r\nhost: test\r\nauthorization: Bearer {}\r\n\r\n",
            player.token
        );
        for request in [post, withdraw.into_bytes()] {
            let (cut, address) = (Cut::draw(&mut dice, request.len()), server.address);
            acts.push(async move { send_and_cut(address, &request, &cut).await });
        }
    }
    together(acts).await;
    nothing_is_left_open(&server).await;
    let mut pool = server.registrar.pool.acquire().await.unwrap();
    // What was cut off in the middle of its work may still come to its end.
    eventually("the lobby shows what is open", async || {
        let open: Vec<uuid::Uuid> =
            sqlx::query_scalar("select id from seeks order by id desc").fetch_all(&mut *pool).await.unwrap();
        let mut socket = stakeboard_tests::Socket::open(server.address, &watcher.token).await;
        let lobby = socket.request(json!({"type": "watch_lobby"})).await;
        let shown: Vec<uuid::Uuid> =
            lobby["seeks"].as_array().unwrap().iter().map(|seek| text(&seek["id"]).parse().unwrap()).collect();
        shown == open
    })
    .await;
    server.stop().await;
}
