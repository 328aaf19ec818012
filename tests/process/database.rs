//! The database stands still, or dies, under a server that goes on.

use std::time::Duration;

use rand::{SeedableRng as _, rngs::SmallRng};
use serde_json::{Value, json};
use stakeboard_server::db;
use stakeboard_tests::{Socket, TestCluster, play::pick};

use crate::{
    clocks::{AGAINST_MS, FAVOUR_MS},
    scene::Scene,
    support::{eventually, milliseconds, settlements, snapshot, time_of, verify_by_program, wall},
};

impl Scene {
    /// Stops the database and waits until the watchers have been told. Gives the clocks that they were told, and when
    /// the database stood for certain.
    async fn freeze(&mut self) -> (Value, time::OffsetDateTime) {
        self.cluster.freeze();
        let frozen = wall();
        let paused = self.sockets[0].until("paused").await;
        let told_after = milliseconds(wall() - frozen);
        println!("told after {told_after} ms that the service stands");
        assert!(told_after < 2_000, "told after {told_after} ms");
        assert_eq!(paused["clocks"]["running"], Value::Null);
        (paused["clocks"].clone(), frozen)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn t04_t62_while_the_database_stands_clocks_stand_nothing_is_shown_and_everybody_is_told() {
    let mut scene = Scene::new().await;
    assert_eq!(scene.sockets[0].play(&scene.id, 1, "C").await["seq"], 1);
    let moved = scene.sockets[1].until("moved").await;
    let (had, had_at) = (moved["clocks"]["second_ms"].as_i64().unwrap(), time_of(&moved["clocks"]["at"]));
    tokio::time::sleep(Duration::from_millis(700)).await;
    let (clocks, frozen) = scene.freeze().await;
    scene.sockets[1].until("paused").await;

    let standing = clocks["second_ms"].as_i64().unwrap();
    let id = scene.id.clone();
    let mv = json!({"type": "move", "match": id, "ply": 2, "move": "b"});
    let acts =
        [mv.clone(), json!({"type": "resign", "match": id}), json!({"type": "draw", "match": id, "action": "offer"})];
    for act in acts {
        let asked = wall();
        let answer = scene.sockets[1].request(act).await;
        assert_eq!(answer["code"], "paused", "{answer}");
        assert!(milliseconds(wall() - asked) < 1_000, "at once");
    }
    assert_eq!(scene.sockets[0].play(&scene.id, 1, "C").await["seq"], 1, "what is recorded is still known");
    let answer = scene.server.client().get("/readyz").await;
    assert_eq!((answer.status, answer.code()), (503, "paused"));
    assert_eq!(scene.server.client().get("/healthz").await.status, 200);

    // What needs the database to know who asks is not answered by silence either.
    for (asked, call) in [("wallet", "/v1/wallet"), ("seeks", "/v1/lobby/seeks")] {
        let began = wall();
        let answer = scene.server.client().of(&scene.players[0]).get(call).await;
        println!("{asked} answered {} after {} ms", answer.status, milliseconds(wall() - began));
        assert!(answer.code() == "paused" || asked == "seeks", "{asked}: {}", answer.text);
        assert!(milliseconds(wall() - began) < 1_500, "{asked} answered at once");
    }
    // Longer than every patience in the server: nothing may give up for good.
    tokio::time::sleep(Duration::from_secs(4)).await;
    let thawed = wall();
    scene.cluster.thaw();
    let credited = scene.sockets[1].until("clock_credited").await;
    let resumed = scene.sockets[1].until("resumed").await;
    let back = wall();
    println!("goes on {} ms after the database does", milliseconds(back - thawed));
    assert_eq!((&credited["reason"], &credited["seq"]), (&json!("outage"), &json!(2)));
    assert_eq!(resumed["clocks"]["running"], "second");
    let has = credited["second_ms"].as_i64().unwrap();
    assert_eq!(has, standing, "what stood was what goes on");
    let gained = has - had + milliseconds(frozen - had_at);
    assert!((-AGAINST_MS..=FAVOUR_MS).contains(&gained), "{gained} ms gained");

    eventually("ready again", async || (scene.readiness().await == 200).then_some(())).await;
    let answer = scene.sockets[1].request(mv).await;
    assert_eq!(answer["seq"], 3, "{answer}");
    let kinds: Vec<Value> = scene.journal().await.iter().map(|event| event["type"].clone()).collect();
    assert_eq!(json!(kinds), json!(["moved", "clock_credited", "moved"]));
    assert_eq!(scene.sockets[0].until("clock_credited").await, credited, "both were told the same");
    verify_by_program(&scene.server).await;
}

/// Plays a match to where whoever is to move can end it by one move, and gives that move.
async fn one_move_before_the_end(scene: &mut Scene) -> (usize, u64, String) {
    // Found with the engine, since chance alone says how a game goes on.
    let (moves, last) = stakeboard_tests::play::a_whole_game(7);
    for (ply, (seat, text)) in (1..).zip(&moves) {
        let answer = scene.sockets[*seat].play(&scene.id, ply, text).await;
        assert_eq!(answer["type"], "ok", "{answer}");
    }
    (last.0, moves.len() as u64 + 1, last.1)
}

#[tokio::test(flavor = "multi_thread")]
async fn t62_a_game_that_is_finished_while_the_database_stands_ends_when_it_is_back_and_once() {
    let mut scene = Scene::new().await;
    let (seat, ply, text) = one_move_before_the_end(&mut scene).await;
    // Before anybody has noticed: the last move goes into a settlement that gets no answer.
    scene.cluster.freeze();
    let frozen = wall();
    let act = json!({"type": "move", "match": scene.id, "ply": ply, "move": text});
    scene.sockets[seat].send(&act).await;
    let rival = &mut scene.sockets[1 - seat];
    while rival.next_event(&scene.id).await["ply"] != ply - 1 {}
    let paused = rival.until_one_of(&["paused", "moved", "ended"]).await;
    assert!(milliseconds(wall() - frozen) < 3_000, "watchers are told");
    assert_eq!(paused["type"], "paused", "nothing is shown that is not written: {paused}");
    tokio::time::sleep(Duration::from_secs(3)).await;
    scene.cluster.thaw();

    // Sent again until it is acknowledged: it may have been written or not, and both are one move.
    let answer = eventually("the last move acknowledged", async || {
        let mut socket = Socket::open(scene.server.address, &scene.players[seat].token).await;
        let answer = socket.request(act.clone()).await;
        assert!(answer["type"] == "ok" || answer["code"] == "paused", "{answer}");
        (answer["type"] == "ok").then_some(answer)
    })
    .await;
    let ended = scene.sockets[1 - seat].until("ended").await;
    let journal = scene.journal().await;
    let at = usize::try_from(answer["seq"].as_u64().unwrap()).unwrap();
    assert_eq!((&journal[at - 1]["move"], &journal[at - 1]["ply"]), (&json!(text), &json!(ply)));
    assert_eq!((journal.len(), &journal[at]), (at + 1, &ended), "the end follows, once");
    assert_eq!(settlements(&scene.server.registrar.pool, &scene.id).await, 1);
    let winner = ended["outcome"]["winner"].as_str();
    for (player, seat) in scene.players.iter().zip(["first", "second"]) {
        let expected = if winner.is_none() { 200 } else { 100 + if winner == Some(seat) { 180 } else { 0 } };
        assert_eq!(scene.server.registrar.available(player.id).await, expected);
    }
    verify_by_program(&scene.server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_seen_more_than_the_server_knows_is_told_no_older_state_than_theirs() {
    let mut scene = Scene::new().await;
    assert_eq!(scene.sockets[0].play(&scene.id, 1, "C").await["seq"], 1);
    scene.cluster.freeze();
    scene.sockets[1].send(&json!({"type": "move", "match": scene.id, "ply": 2, "move": "b"})).await;
    let watcher = &mut scene.sockets[0];
    watcher.until("paused").await;
    // The move is written and its answer lost: another server, which reads the journal, has shown it.
    watcher.send(&json!({"type": "watch", "match": scene.id, "since": 2, "id": "ahead"})).await;
    assert_eq!(watcher.request(json!({"type": "ping"})).await["type"], "pong", "the socket is served");
    scene.cluster.thaw();
    let answer = watcher.until_one_of(&["events", "match"]).await;
    assert_eq!(scene.journal().await[1]["type"], "moved", "it was written");
    assert_eq!((&answer["type"], &answer["id"], &answer["from"]), (&json!("events"), &json!("ahead"), &json!(3)));
    assert_eq!(answer["events"][0]["type"], "clock_credited", "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_sent_into_a_database_that_stops_and_goes_on_are_made_once_or_refused() {
    let mut scene = Scene::new().await;
    let mut dice = SmallRng::seed_from_u64(11);
    for round in 0..4 {
        let now = snapshot(&scene.server.client(), &scene.id).await;
        let (seat, ply) = (usize::from(now["to_move"] == "second"), now["ply"].as_u64().unwrap() + 1);
        let legal = now["legal"].as_array().unwrap();
        let text = legal[pick(&mut dice, legal.len())].as_str().unwrap();
        let act = json!({"type": "move", "match": scene.id, "ply": ply, "move": text});
        // At once with the stop: the commit is under way at times, and not begun at others.
        scene.sockets[seat].send(&act).await;
        tokio::time::sleep(Duration::from_micros(pick(&mut dice, 3_000) as u64)).await;
        scene.cluster.freeze();
        tokio::time::sleep(Duration::from_millis([300, 1_200, 2_300, 4_000][round])).await;
        scene.cluster.thaw();
        eventually("the move acknowledged", async || {
            let mut socket = Socket::open(scene.server.address, &scene.players[seat].token).await;
            let answer = socket.request(act.clone()).await;
            assert!(answer["type"] == "ok" || answer["code"] == "paused", "{answer}");
            (answer["type"] == "ok").then_some(())
        })
        .await;
        let now = snapshot(&scene.server.client(), &scene.id).await;
        assert_eq!((&now["ply"], &now["moves"][usize::try_from(ply).unwrap() - 1]), (&json!(ply), &json!(text)));
    }
    let journal = scene.journal().await;
    let seqs: Vec<u64> = journal.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (1..=journal.len() as u64).collect::<Vec<_>>());
    for socket in &mut scene.sockets {
        for expected in &journal {
            let event = socket.next_event(&scene.id).await;
            assert_eq!(&event, expected, "what was shown is what is written");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_killed_and_started_again_heals_the_server_by_itself() {
    let mut scene = Scene::new().await;
    assert_eq!(scene.sockets[0].play(&scene.id, 1, "C").await["seq"], 1);
    let other = scene.server.registrar.player(500).await;
    let died = wall();
    scene.cluster.kill();
    let paused = scene.sockets[1].until("paused").await;
    assert!(milliseconds(wall() - died) < 2_000, "{paused}");
    assert_eq!(scene.readiness().await, 503);
    assert_eq!(scene.sockets[1].play(&scene.id, 2, "b").await["code"], "paused");
    tokio::time::sleep(Duration::from_secs(1)).await;
    scene.cluster.restart().await;
    let credited = scene.sockets[1].until("clock_credited").await;
    assert_eq!(credited["reason"], "outage");
    let gained = credited["second_ms"].as_i64().unwrap() - 600_000;
    assert!(gained <= 0, "never above the record");
    assert!(-gained <= AGAINST_MS + milliseconds(wall() - died), "{gained}");
    scene.sockets[1].until("resumed").await;
    assert_eq!(scene.sockets[1].play(&scene.id, 2, "b").await["seq"], 3);
    eventually("ready again", async || (scene.readiness().await == 200).then_some(())).await;
    // What else there is works too, without a restart: money, the lobby, a whole new match.
    let client = scene.server.client().of(&other);
    eventually("a new seek", async || {
        let seek = client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 100})).await;
        assert!(seek.status == 201 || seek.status == 503, "{}", seek.text);
        (seek.status == 201).then_some(())
    })
    .await;
    verify_by_program(&scene.server).await;
}

/// Who it is can't be asked at the moment: that says nothing about the token.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_told_that_their_token_is_bad_because_the_database_loses_connections() {
    let scene = Scene::new().await;
    let mut owner = scene.cluster.database().as_owner().await;
    let cutting = tokio::spawn(async move {
        for _ in 0..300 {
            sqlx::query(
                "select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and pid <> pg_backend_pid()",
            )
            .execute(&mut owner)
            .await
            .unwrap();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    let (mut welcomed, mut sent_away) = (0, 0);
    while !cutting.is_finished() {
        let mut socket = Socket::connect(scene.server.address).await;
        socket.send(&json!({"type": "hello", "token": scene.players[0].token})).await;
        // A line that is already told of its end may lose what follows.
        let Ok(answer) = socket.try_next().await else { continue };
        if answer["type"] == "welcome" {
            welcomed += 1;
        } else {
            assert_eq!(answer["code"], "stopping", "{answer}");
            sent_away += 1;
        }
    }
    cutting.await.unwrap();
    println!("{welcomed} welcomed, {sent_away} sent away");
    assert!(sent_away > 0, "the cuts met questions");
}

/// B12: a transaction that is dropped before its first answer leaves nothing open on the connection that others get next.
#[tokio::test(flavor = "multi_thread")]
async fn b12_a_transaction_dropped_while_it_begins_is_not_open_for_whoever_comes_next() {
    let cluster = TestCluster::start().await;
    let pool = db::connect(cluster.database().server, 1, Duration::from_secs(30)).await.unwrap();
    cluster.freeze();
    let beginning = tokio::spawn({
        let pool = pool.clone();
        async move { drop(db::begin(&pool).await) }
    });
    // It is on its way once the only connection is taken.
    eventually("it has begun to begin", async || (pool.num_idle() == 0).then_some(())).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    beginning.abort();
    cluster.thaw();
    let id = uuid::Uuid::now_v7();
    sqlx::query("insert into nodes (id, started_at, heartbeat_at, stopped_at) values ($1, now(), now(), now())")
        .bind(id)
        .execute(&pool)
        .await
        .unwrap();
    let mut other = cluster.database().as_owner().await;
    let found: bool = sqlx::query_scalar("select exists (select from nodes where id = $1)")
        .bind(id)
        .fetch_one(&mut other)
        .await
        .unwrap();
    assert!(found, "what was answered is committed");
}
