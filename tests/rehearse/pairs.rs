//! Pairs of players, who play one match after the other whatever happens.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use stakeboard_tests::{
    Client, Player,
    persistent::{Manner, Persistent, Seen},
    play::seat_of,
};
use tokio::{sync::watch, task::JoinSet};
use uuid::Uuid;

use crate::{arguments::Arguments, stage::Stage};

const STAKE: i64 = 5;
/// Enough for every match that a pair can lose in a day.
const MONEY: i64 = 1_000_000;

/// A match that was played to its end.
#[derive(Debug)]
pub struct Played {
    /// The match.
    pub id: String,
    /// What each player saw of it, the one first who opened.
    pub seen: [Seen; 2],
}

/// Everybody who plays.
pub struct Pairs {
    playing: JoinSet<Vec<Played>>,
    stopping: Arc<AtomicBool>,
    think_ms: watch::Sender<u64>,
    cuts: watch::Sender<u64>,
}

impl Pairs {
    /// Makes the players and lets them begin.
    pub async fn sit_down(stage: &Stage, arguments: &Arguments) -> Self {
        let (think_ms, thinking) = watch::channel(arguments.think_ms);
        let (cuts, cutting) = watch::channel(0);
        let stopping = Arc::new(AtomicBool::new(false));
        let registrar = &stage.servers[0].registrar;
        let mut playing = JoinSet::new();
        for number in 0..u64::from(arguments.matches) {
            let manner = Manner { servers: stage.addresses(), think_ms: thinking.clone(), cuts: cutting.clone() };
            let players = [registrar.player(MONEY).await, registrar.player(MONEY).await];
            let seed = arguments.seed.wrapping_mul(1_000_003).wrapping_add(number * 1_000);
            playing.spawn(play_on(players, manner, Arc::clone(&stopping), seed));
        }
        Self { playing, stopping, think_ms, cuts }
    }

    /// Cuts the lines of all players.
    pub fn cut_lines(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// Everybody plays their match to its end, without thinking, and stops. Gives all that was played.
    pub async fn stand_up(&mut self) -> Vec<Played> {
        self.stopping.store(true, Ordering::Relaxed);
        self.think_ms.send_replace(0);
        let mut all = Vec::new();
        while let Some(played) = self.playing.join_next().await {
            all.extend(played.unwrap());
        }
        all
    }
}

async fn play_on(mut players: [Player; 2], manner: Manner, stopping: Arc<AtomicBool>, seed: u64) -> Vec<Played> {
    let mut all = Vec::new();
    while !stopping.load(Ordering::Relaxed) {
        let (id, opens) = begin(&players, &manner).await;
        if opens == 1 {
            players.swap(0, 1);
        }
        let number = seed + 2 * all.len() as u64;
        let [first, second] = &players;
        let (first, second) = tokio::join!(
            Persistent::new(manner.clone(), &id, first, "first", number).play(),
            Persistent::new(manner.clone(), &id, second, "second", number + 1).play(),
        );
        all.push(Played { id, seen: [first, second] });
    }
    all
}

/// Begins a match, as often as it takes; gives its id and which of the two opens.
async fn begin(players: &[Player; 2], manner: &Manner) -> (String, usize) {
    loop {
        if let Some(begun) = try_to_begin(players, &manner.servers).await {
            return begun;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// One try: a seek and its acceptance. An acceptance whose answer is lost is asked for again under its key.
async fn try_to_begin([host, guest]: &[Player; 2], servers: &[SocketAddr]) -> Option<(String, usize)> {
    let any = || Client::new(servers[usize::from(rand::random::<u16>()) % servers.len()]);
    let seek = ask(&any().of(host), "/v1/lobby/seeks", None, &json!({"game": "oware", "stake": STAKE})).await?;
    let seek = seek["id"].as_str()?.to_owned();
    let key = Uuid::now_v7().to_string();
    let path = format!("/v1/lobby/seeks/{seek}/accept");
    let accepted = loop {
        match try_to_ask(&any().of(guest), &path, Some(&key), &json!({"stake": STAKE})).await {
            Asked::Done(answer) => break answer,
            Asked::Unknown => tokio::time::sleep(Duration::from_millis(50)).await,
            Asked::Refused => {
                let client = any().of(host);
                let _ =
                    client.try_send(client.request(reqwest::Method::DELETE, &format!("/v1/lobby/seeks/{seek}"))).await;
                return None;
            }
        }
    };
    let id = accepted["match_id"].as_str()?.to_owned();
    loop {
        let client = any();
        let answer = client.try_send(client.request(reqwest::Method::GET, &format!("/v1/matches/{id}"))).await;
        if let Ok(answer) = answer
            && answer.status == 200
        {
            let opens = usize::from(seat_of(&answer.body, host) != "first");
            return Some((id, opens));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What became of a request.
enum Asked {
    Done(Value),
    Refused,
    /// It may have been done: no answer came, or one that says to try again.
    Unknown,
}

async fn ask(client: &Client, path: &str, key: Option<&str>, body: &Value) -> Option<Value> {
    match try_to_ask(client, path, key, body).await {
        Asked::Done(answer) => Some(answer),
        Asked::Refused | Asked::Unknown => None,
    }
}

async fn try_to_ask(client: &Client, path: &str, key: Option<&str>, body: &Value) -> Asked {
    let mut request = client.request(reqwest::Method::POST, path).json(body).timeout(Duration::from_secs(10));
    if let Some(key) = key {
        request = request.header("idempotency-key", key);
    }
    match client.try_send(request).await {
        Ok(answer) if answer.status < 300 => Asked::Done(answer.body),
        Ok(answer) if answer.status >= 500 || answer.code() == "idempotency_in_progress" => Asked::Unknown,
        Ok(_) => Asked::Refused,
        Err(_) => Asked::Unknown,
    }
}
