//! Nodes that are killed, stand still or lose their bus, as processes of their own over a real NATS server.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use stakeboard_tests::{Client, Nats, Player, ServerProcess, Socket, TestDatabase, play::seat_of, server::start_match};
use tokio::task::JoinSet;

use crate::{
    SERVER,
    line::Line,
    support::{eventually, journal, settlements, snapshot, until_online},
};

/// The lease of these nodes.
const LEASE: Duration = Duration::from_secs(3);
/// How long after its lease a match of a dead node may take to be served again.
const AFTER_LEASE: Duration = Duration::from_secs(2);
/// What an outage may do to a clock (MA-5).
const FAVOUR_MS: i64 = 1_000;
const AGAINST_MS: i64 = 250;

/// Nodes on one database, with a bus.
struct Scene {
    nats: Nats,
    nodes: Vec<ServerProcess>,
}

impl Scene {
    async fn of(count: usize) -> Self {
        let nats = Nats::start().await;
        let url = nats.url();
        let environment = [("STAKEBOARD_BUS", url.as_str()), ("STAKEBOARD_LEASE_MS", "3000")];
        let first = ServerProcess::on(TestDatabase::create().await, SERVER, &environment).await;
        let mut nodes = vec![first];
        while nodes.len() < count {
            nodes.push(nodes[0].another().await);
        }
        let scene = Self { nats, nodes };
        for from in 0..count {
            let player = scene.nodes[from].registrar.player(0).await;
            let _socket = Socket::open(scene.nodes[from].address, &player.token).await;
            for to in &scene.nodes {
                until_online(&to.client(), &player, true).await;
            }
        }
        scene
    }

    fn client(&self, node: usize) -> Client {
        self.nodes[node].client()
    }

    /// A node stands still where it is.
    async fn stop(&self, node: usize) {
        self.nodes[node].signal(Signal::SIGSTOP);
        let stat = format!("/proc/{}/stat", self.nodes[node].pid());
        // After the name come the state and the parent: the signal is sent before all threads have stopped.
        eventually("it stands", async || {
            let stat = std::fs::read_to_string(&stat).unwrap();
            stat.rsplit(')').next().unwrap().trim_start().starts_with('T').then_some(())
        })
        .await;
    }

    /// Nobody can be paired, whatever way they try, and nothing is taken from anybody.
    async fn nothing_begins(&self) {
        let client = self.client(0);
        let registrar = &self.nodes[0].registrar;
        let (poster, caller) = (registrar.player(500).await, registrar.player(500).await);
        let _there = self.socket(0, &poster).await;
        let terms = json!({"game": "oware", "stake": 500});
        let seek = client.of(&poster).post("/v1/lobby/seeks", &terms).await.expect(201).body;
        let accept = format!("/v1/lobby/seeks/{}/accept", seek["id"].as_str().unwrap());
        client.of(&caller).post_once(&accept, &json!({"stake": 500})).await.refused(503, "paused");
        for stake in [500, 0] {
            let table = json!({"game": "oware", "stake": stake});
            let table = client.of(&poster).post("/v1/tables", &table).await.expect(201).body;
            let join = format!("/v1/tables/{}/join", table["code"].as_str().unwrap());
            client.of(&caller).post_once(&join, &json!({"stake": stake})).await.refused(503, "paused");
        }
        client.of(&poster).post_once("/v1/lobby/queue", &terms).await.expect(200);
        client.of(&caller).post_once("/v1/lobby/queue", &terms).await.refused(503, "paused");
        let bot = json!({"game": "oware", "level": "easy"});
        client.of(&caller).post("/v1/practice/matches", &bot).await.refused(503, "paused");
        for player in [&poster, &caller] {
            assert_eq!(registrar.available(player.id).await, 500);
        }
        let open = client.get("/v1/lobby/seeks").await.expect(200).body;
        assert_eq!(open["items"][0]["id"], seek["id"], "it can be accepted later");
    }

    /// A match that a node owns, with the one first who opens.
    async fn match_at(&self, node: usize, stake: i64) -> (String, [Player; 2]) {
        let registrar = &self.nodes[node].registrar;
        let (one, two) = (registrar.player(stake).await, registrar.player(stake).await);
        let id = start_match(&self.client(node), &one, &two, &json!({"game": "oware", "stake": stake})).await;
        let opens = seat_of(&snapshot(&self.client(node), &id).await, &one) == "first";
        (id, if opens { [one, two] } else { [two, one] })
    }

    async fn socket(&self, node: usize, player: &Player) -> Socket {
        Socket::open(self.nodes[node].address, &player.token).await
    }
}

/// Sends a move until it stands, as clients do, whatever a node says meanwhile. Gives where it stands.
async fn move_until_it_stands(client: &Client, id: &str, ply: u64, text: &str) -> u64 {
    let path = format!("/v1/matches/{id}/moves");
    eventually("the move", async || {
        let answer = client.post(&path, &json!({"ply": ply, "move": text})).await;
        assert!(answer.status == 200 || answer.status == 503, "{}", answer.text);
        (answer.status == 200).then(|| answer.body["seq"].as_u64().unwrap())
    })
    .await
}

/// What a clock ran by between two events, by what they say.
fn charged(before: &Value, after: &Value, seat: &str) -> i64 {
    let shown = |clocks: &Value| clocks[format!("{seat}_ms")].as_i64().unwrap();
    shown(before) - shown(after)
}

fn ms(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_match_of_a_killed_node_is_served_again_within_the_lease_and_two_seconds_and_nobody_pays_for_it() {
    let mut scene = Scene::of(3).await;
    let mut matches = Vec::new();
    for _ in 0..6 {
        let (id, players) = scene.match_at(0, 500).await;
        let mut watcher = scene.socket(1, &players[1]).await;
        watcher.watch(&id).await;
        let mut mover = scene.socket(0, &players[0]).await;
        assert_eq!(mover.play(&id, 1, "C").await["seq"], 1);
        let moved = watcher.until("moved").await;
        matches.push((id, players, watcher, moved, Instant::now()));
    }
    tokio::time::sleep(Duration::from_millis(1_300)).await;
    scene.nodes[0].kill();
    let (killed, killed_at) = (Instant::now(), time::OffsetDateTime::now_utc());
    for (id, players, watcher, moved, moved_at) in &mut matches {
        assert_eq!(watcher.until_one_of(&["paused", "clock_credited"]).await["type"], "paused", "told that it stands");
        let credited = watcher.until("clock_credited").await;
        // By the time in the event, which is when it was written: these are read one after another.
        let written = credited["clocks"]["at"].as_str().unwrap();
        let written = time::OffsetDateTime::parse(written, &time::format_description::well_known::Rfc3339).unwrap();
        let after = (written - killed_at).whole_milliseconds();
        println!("served again after {after} ms");
        assert!(after < i128::from(ms(LEASE + AFTER_LEASE)), "{after} ms");
        assert_eq!((&credited["seq"], &credited["reason"]), (&json!(2), &json!("restart")));
        watcher.until("resumed").await;
        let ran = charged(&moved["clocks"], &credited["clocks"], "second");
        let served = ms(killed - *moved_at);
        assert!((served - FAVOUR_MS..=served + AGAINST_MS).contains(&ran), "{ran} ms charged of {served} served");
        // Whichever node they turn to now.
        assert_eq!(move_until_it_stands(&scene.nodes[2].client().of(&players[1]), id, 2, "b").await, 3);
        assert_eq!(watcher.until("moved").await["seq"], 3, "who watched goes on watching");
        let resign = format!("/v1/matches/{id}/resign");
        scene.nodes[1].client().of(&players[0]).post_empty(&resign).await.expect(200);
        assert_eq!(watcher.until("ended").await["outcome"]["winner"], "second");
        let record = journal(watcher, id).await;
        let seqs: Vec<u64> = record.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
        assert_eq!(seqs, [1, 2, 3, 4]);
        assert_eq!(settlements(&scene.nodes[1].registrar.pool, id).await, 1);
    }
    scene.nodes[1].registrar.verify_ledger().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn who_comes_and_goes_while_a_match_changes_hands_delays_nobodys_word_that_it_goes_on() {
    let mut scene = Scene::of(3).await;
    let mut restless = JoinSet::new();
    let mut watching = JoinSet::new();
    for _ in 0..8 {
        let (id, [first, second]) = scene.match_at(0, 500).await;
        let mut watcher = scene.socket(1, &second).await;
        watcher.watch(&id).await;
        watching.spawn(async move {
            watcher.until("paused").await;
            watcher.until("clock_credited").await;
            let credited = Instant::now();
            watcher.until("resumed").await;
            credited.elapsed()
        });
        let address = scene.nodes[2].address;
        restless.spawn(async move {
            loop {
                drop(Socket::open(address, &first.token).await);
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
    }
    scene.nodes[0].kill();
    let told = watching.join_all().await;
    println!("told after the credit: {told:?}");
    // Their clocks run.
    assert!(told.iter().all(|after| ms(*after) < AGAINST_MS), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_node_that_stood_still_past_its_lease_commits_nothing_when_it_wakes_and_closes_its_sockets() {
    let scene = Scene::of(2).await;
    let (id, players) = scene.match_at(0, 500).await;
    // To be let go of with that one.
    for _ in 0..20 {
        scene.match_at(0, 500).await;
    }
    let mut own = scene.socket(0, &players[0]).await;
    own.watch(&id).await;
    let mut watcher = scene.socket(1, &players[1]).await;
    watcher.watch(&id).await;
    scene.stop(0).await;
    // Asked of the node that stands: it finds this when it wakes.
    own.send(&json!({"type": "resign", "match": id})).await;
    let credited = watcher.until("clock_credited").await;
    assert_eq!(credited["seq"], 1);
    let one = scene.client(1);
    assert_eq!(move_until_it_stands(&one.of(&players[0]), &id, 1, "C").await, 2);
    scene.nodes[0].signal(Signal::SIGCONT);
    let woken = Instant::now();
    let (frames, close) = own.closed().await;
    println!("its sockets closed {} ms after it woke", woken.elapsed().as_millis());
    let woken_node = scene.client(0);
    let ready = tokio::spawn(async move {
        eventually("ready again", async || (woken_node.get("/readyz").await.status == 200).then_some(())).await;
        println!("ready {} ms after it woke", woken.elapsed().as_millis());
    });
    let seen: Vec<&Value> = frames.iter().filter(|frame| frame["seq"].is_u64() || frame["type"] == "ok").collect();
    assert_eq!(seen, Vec::<&Value>::new(), "it has shown and acknowledged nothing");
    assert_eq!(close.map(|close| u16::from(close.code)), Some(1012));
    assert_eq!(snapshot(&one, &id).await["status"], "live", "and resigned for nobody");

    // It serves again by itself: for matches of others at once, and for its own.
    assert_eq!(move_until_it_stands(&scene.client(0).of(&players[1]), &id, 2, "b").await, 3);
    let mut back = scene.socket(0, &players[0]).await;
    assert_eq!(back.watch(&id).await["seq"], 3);
    let resign = format!("/v1/matches/{id}/resign");
    let answer = scene.client(0).of(&players[0]).post_empty(&resign).await.expect(200).body;
    assert_eq!(answer["seq"], 4);
    assert_eq!(back.until("ended").await["outcome"]["winner"], "second");
    assert_eq!(settlements(&scene.nodes[0].registrar.pool, &id).await, 1);
    ready.await.unwrap();
    let (next, players) = scene.match_at(0, 500).await;
    assert_eq!(move_until_it_stands(&scene.client(1).of(&players[0]), &next, 1, "C").await, 1);
    scene.nodes[0].registrar.verify_ledger().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_node_that_begins_anew_with_its_own_matches_charges_nobody_for_the_time_between_its_leases() {
    let scene = Scene::of(1).await;
    let (id, players) = scene.match_at(0, 500).await;
    let mut own = scene.socket(0, &players[0]).await;
    let (had, since) = (own.watch(&id).await["clocks"].clone(), Instant::now());
    scene.stop(0).await;
    let served = ms(since.elapsed());
    // As long as an outage lasts; somebody ends the lease, and is gone before taking anything over.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let ended =
        sqlx::query("update nodes set stopped_at = clock_timestamp(), silenced = true where stopped_at is null")
            .execute(&scene.nodes[0].registrar.pool)
            .await;
    assert_eq!(ended.unwrap().rows_affected(), 1);
    scene.nodes[0].signal(Signal::SIGCONT);
    let woke = Instant::now();
    own.closed().await;
    let client = scene.client(0);
    eventually("ready again", async || (client.get("/readyz").await.status == 200).then_some(())).await;
    assert_eq!(move_until_it_stands(&client.of(&players[0]), &id, 1, "C").await, 2);
    println!("played on {} ms after it woke", ms(woke.elapsed()));
    let mut back = scene.socket(0, &players[0]).await;
    let credited = journal(&mut back, &id).await.swap_remove(0);
    assert_eq!(credited["type"], "clock_credited");
    let ran = charged(&had, &credited["clocks"], "first");
    assert!((served - FAVOUR_MS..=served + AGAINST_MS).contains(&ran), "{ran} ms charged of {served} served");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_node_that_wakes_after_its_matches_were_taken_over_stops_nobodys_play() {
    let scene = Scene::of(3).await;
    let (id, players) = scene.match_at(0, 500).await;
    // One of the two others will serve it, and the other pass on what that one tells.
    let mut watchers = [scene.socket(1, &players[0]).await, scene.socket(2, &players[1]).await];
    for watcher in &mut watchers {
        watcher.watch(&id).await;
    }
    let mut own = scene.socket(0, &players[0]).await;
    own.watch(&id).await;
    scene.nodes[0].signal(Signal::SIGSTOP);
    for watcher in &mut watchers {
        watcher.until("resumed").await;
    }
    scene.nodes[0].signal(Signal::SIGCONT);
    own.closed().await;
    let woken = scene.client(0);
    eventually("ready again", async || (woken.get("/readyz").await.status == 200).then_some(())).await;
    let seq = move_until_it_stands(&woken.of(&players[0]), &id, 1, "C").await;
    for watcher in &mut watchers {
        loop {
            let frame = watcher.next().await;
            assert_ne!(frame["type"], "paused", "it goes on elsewhere: {frame}");
            if frame["seq"] == seq {
                break;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_node_that_starts_lets_nobody_in_before_it_could_serve_them() {
    let mut scene = Scene::of(2).await;
    // The lease of the one that was killed runs on: the next one waits for word from it.
    scene.nodes[1].kill();
    let address = scene.nodes[1].address;
    let knocking = tokio::spawn(async move {
        while tokio::net::TcpStream::connect(address).await.is_err() {
            // Whoever is refused goes to another node.
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let open = Instant::now();
        Client::new(address).get("/healthz").await.expect(200);
        open.elapsed()
    });
    scene.nodes[1].restart().await;
    let waited = knocking.await.unwrap();
    println!("answered {} ms after it opened its door", waited.as_millis());
    assert!(waited < Duration::from_secs(1), "{waited:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn nodes_are_restarted_one_after_another_under_play_and_every_move_stands_within_three_seconds() {
    let mut scene = Scene::of(3).await;
    let mut playing = Vec::new();
    let (stop, stopped) = tokio::sync::watch::channel(false);
    for node in 0..3 {
        for _ in 0..2 {
            let (id, players) = scene.match_at(node, 500).await;
            let addresses: Vec<Client> = (0..3).map(|node| scene.client(node)).collect();
            playing.push(tokio::spawn(play_until(id, players, addresses, stopped.clone())));
        }
    }
    for node in 0..3 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        scene.nodes[node].signal(Signal::SIGTERM);
        assert!(scene.nodes[node].wait().await.success());
        scene.nodes[node].restart().await;
        let player = scene.nodes[node].registrar.player(0).await;
        let _socket = scene.socket(node, &player).await;
        until_online(&scene.client((node + 1) % 3), &player, true).await;
    }
    stop.send(true).unwrap();
    let mut longest = Duration::ZERO;
    for playing in playing {
        let (id, players, waited) = playing.await.unwrap();
        longest = longest.max(waited);
        let mut socket = scene.socket(0, &players[0]).await;
        let record = journal(&mut socket, &id).await;
        let seqs: Vec<u64> = record.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
        assert_eq!(seqs, (1..=record.len() as u64).collect::<Vec<u64>>());
    }
    println!("the longest that a move had to be sent again: {} ms", longest.as_millis());
    assert!(longest < Duration::from_secs(3), "{longest:?}");
    scene.nodes[0].registrar.verify_ledger().await;
}

/// Plays on, at whichever node answers, and gives how long a move was sent again for at most.
async fn play_until(
    id: String,
    players: [Player; 2],
    nodes: Vec<Client>,
    stopped: tokio::sync::watch::Receiver<bool>,
) -> (String, [Player; 2], Duration) {
    let mut longest = Duration::ZERO;
    let mut turn = 0;
    while !*stopped.borrow() {
        let Some(now) = ask(&nodes, &mut turn, &format!("/v1/matches/{id}")).await else { continue };
        if now["status"] != "live" {
            break;
        }
        let player = &players[usize::from(now["to_move"] == "second")];
        let legal = now["legal"].as_array().unwrap();
        let ply = now["ply"].as_u64().unwrap() + 1;
        let text = legal[usize::try_from(ply).unwrap() % legal.len()].as_str().unwrap();
        let began = Instant::now();
        loop {
            turn += 1;
            let client = nodes[turn % nodes.len()].of(player);
            let request = client.request(reqwest::Method::POST, &format!("/v1/matches/{id}/moves"));
            match client.try_send(request.json(&json!({"ply": ply, "move": text}))).await {
                Ok(answer) if answer.status == 200 => break,
                Ok(answer) => assert_eq!(answer.status, 503, "{}", answer.text),
                // A node that is just being restarted.
                Err(_) => {}
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        longest = longest.max(began.elapsed());
    }
    (id, players, longest)
}

async fn ask(nodes: &[Client], turn: &mut usize, path: &str) -> Option<Value> {
    *turn += 1;
    let client = &nodes[*turn % nodes.len()];
    let answer = client.try_send(client.request(reqwest::Method::GET, path)).await.ok()?;
    (answer.status == 200).then_some(answer.body)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn while_the_bus_is_gone_clocks_stand_and_everybody_is_told_and_play_goes_on_when_it_is_back() {
    let mut scene = Scene::of(2).await;
    let (id, players) = scene.match_at(0, 500).await;
    let mut own = scene.socket(0, &players[0]).await;
    let mut elsewhere = scene.socket(1, &players[1]).await;
    own.watch(&id).await;
    elsewhere.watch(&id).await;
    assert_eq!(own.play(&id, 1, "C").await["seq"], 1);
    let moved = elsewhere.until("moved").await;
    let moved_at = Instant::now();
    scene.nats.kill();
    let gone = Instant::now();
    for socket in [&mut own, &mut elsewhere] {
        let paused = socket.until("paused").await;
        println!("told after {} ms that the bus is gone", gone.elapsed().as_millis());
        assert_eq!(paused["clocks"]["running"], Value::Null);
    }
    for node in 0..2 {
        let client = scene.client(node);
        eventually("it says so", async || (client.get("/readyz").await.code() == "paused").then_some(())).await;
    }
    assert_eq!(elsewhere.play(&id, 2, "b").await["code"], "paused");
    scene.nothing_begins().await;
    // Longer than the lease: nobody takes a match from a node that is as cut off as everybody.
    tokio::time::sleep(LEASE + Duration::from_secs(1)).await;
    scene.nats.restart().await;
    let credited = own.until("clock_credited").await;
    assert_eq!((&credited["seq"], &credited["reason"]), (&json!(2), &json!("outage")));
    let (ran, served) = (charged(&moved["clocks"], &credited["clocks"], "second"), ms(gone - moved_at));
    assert!((served - FAVOUR_MS..=served + AGAINST_MS).contains(&ran), "{ran} ms charged of {served} served");
    assert_eq!(elsewhere.until("clock_credited").await, credited);
    elsewhere.until("resumed").await;
    assert_eq!(move_until_it_stands(&scene.client(1).of(&players[1]), &id, 2, "b").await, 3);
    assert_eq!(elsewhere.until("moved").await["seq"], 3);
    eventually("ready again", async || (scene.client(1).get("/readyz").await.status == 200).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_node_that_finds_its_way_back_to_the_bus_later_than_the_others_keeps_its_matches() {
    let mut scene = Scene::of(2).await;
    let line = Line::to(scene.nats.address()).await;
    let by_line = format!("nats://{}", line.address);
    let third = scene.nodes[0].another_with(&[("STAKEBOARD_BUS", &by_line)]).await;
    scene.nodes.push(third);
    let (id, players) = scene.match_at(2, 500).await;
    let mut own = scene.socket(2, &players[0]).await;
    own.watch(&id).await;
    scene.nats.kill();
    own.until("paused").await;
    // Nobody has the bus for longer than the lease.
    tokio::time::sleep(LEASE + Duration::from_secs(1)).await;
    line.cut();
    scene.nats.restart().await;
    for node in 0..2 {
        let client = scene.client(node);
        eventually("ready again", async || (client.get("/readyz").await.status == 200).then_some(())).await;
    }
    // For a moment it is alone.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    line.mend();
    let credited = own.until("clock_credited").await;
    assert_eq!(credited["reason"], "outage", "it is the same owner's, over the same socket: {credited}");
    own.until("resumed").await;
    assert_eq!(own.play(&id, 1, "C").await["seq"], 2);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_node_that_alone_is_cut_off_from_the_bus_gives_up_its_matches_and_comes_back_when_it_can() {
    let mut scene = Scene::of(2).await;
    let line = Line::to(scene.nats.address()).await;
    let by_line = format!("nats://{}", line.address);
    let third = scene.nodes[0].another_with(&[("STAKEBOARD_BUS", &by_line)]).await;
    scene.nodes.push(third);
    let player = scene.nodes[2].registrar.player(0).await;
    let known = scene.socket(2, &player).await;
    until_online(&scene.client(0), &player, true).await;
    drop(known);
    let began = Instant::now();
    let (id, players) = scene.match_at(2, 500).await;
    let mut own = scene.socket(2, &players[0]).await;
    own.watch(&id).await;
    let mut elsewhere = scene.socket(0, &players[1]).await;
    elsewhere.watch(&id).await;
    // Of a match that the others own, with a player who can act no more.
    let (other, others) = scene.match_at(0, 500).await;
    let mut cut_off = scene.socket(2, &others[0]).await;
    cut_off.watch(&other).await;
    let mut rival = scene.socket(0, &others[1]).await;
    rival.watch(&other).await;

    line.cut();
    let cut = Instant::now();
    for socket in [&mut own, &mut cut_off, &mut rival, &mut elsewhere] {
        socket.until("paused").await;
    }
    println!("all were told after {} ms", cut.elapsed().as_millis());
    let credited = elsewhere.until("clock_credited").await;
    println!("served elsewhere after {} ms", cut.elapsed().as_millis());
    let ran = 600_000 - credited["first_ms"].as_i64().unwrap();
    let served = ms(cut - began);
    assert!(ran <= served + AGAINST_MS, "{ran} ms charged of {served} served: {credited}");
    let (frames, close) = own.closed().await;
    assert!(frames.iter().all(|frame| !frame["seq"].is_u64()), "{frames:?}");
    assert_eq!(close.map(|close| u16::from(close.code)), Some(1012));
    assert_eq!(move_until_it_stands(&scene.client(0).of(&players[0]), &id, 1, "C").await, 2);
    let credited = rival.until("clock_credited").await;
    assert_eq!(credited["reason"], "outage", "nor did the clock run of a player who was cut off: {credited}");
    assert_eq!(move_until_it_stands(&scene.client(1).of(&others[0]), &other, 1, "C").await, 2);
    scene.client(2).get("/readyz").await.refused(503, "paused");

    line.mend();
    eventually("ready again", async || (scene.client(2).get("/readyz").await.status == 200).then_some(())).await;
    assert_eq!(move_until_it_stands(&scene.client(2).of(&players[1]), &id, 2, "b").await, 3);
    scene.nodes[0].registrar.verify_ledger().await;
}
