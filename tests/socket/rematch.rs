//! Rematches (MA-9): proposed, agreed to, declined, and gone; told to everybody who saw the match.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stakeboard_tests::{Client, Player, Socket, TestServer, server::start_match};

use crate::{leave, open, so_far};

const STAKE: i64 = 500;

/// A match for this stake that `first` has resigned, and the `seq` of its end.
async fn ended(server: &TestServer, money: i64) -> (String, [Player; 2], u64) {
    let (one, two) = (server.registrar.player(money).await, server.registrar.player(money).await);
    let id =
        start_match(&server.client(), &one, &two, &json!({"game": "oware", "preset": "wari", "stake": STAKE})).await;
    let snapshot = snapshot(server, &id).await;
    let players = if snapshot["players"]["first"]["id"] == one.id.to_string() { [one, two] } else { [two, one] };
    let seq = server.client().of(&players[0]).post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200).body;
    (id, players, seq["seq"].as_u64().unwrap())
}

async fn snapshot(server: &TestServer, id: &str) -> Value {
    server.client().get(&format!("/v1/matches/{id}")).await.expect(200).body
}

async fn rematch(client: &Client, id: &str, action: &str) -> stakeboard_tests::Answer {
    client.post(&format!("/v1/matches/{id}/rematch"), &json!({"action": action})).await
}

async fn available(client: &Client) -> Value {
    client.get("/v1/wallet").await.expect(200).body["available"].clone()
}

/// Moves the proposals of a server into the past.
async fn age_proposals(server: &TestServer, seconds: f64) {
    sqlx::query("update rematches set proposed_at = proposed_at - make_interval(secs => $1)")
        .bind(seconds)
        .execute(&server.registrar.pool)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_9_a_rematch_changes_sides_holds_both_stakes_anew_and_is_told_to_everybody_who_watches() {
    let server = TestServer::start().await;
    let (one, two) = (server.registrar.player(2_000).await, server.registrar.player(2_000).await);
    let terms = json!({"game": "oware", "preset": "wari", "stake": STAKE});
    let id = start_match(&server.client(), &one, &two, &terms).await;
    let before = snapshot(&server, &id).await;
    let [first, second] = if before["players"]["first"]["id"] == one.id.to_string() { [one, two] } else { [two, one] };
    let spectator = server.registrar.player(0).await;
    let mut sockets = [open(&server, &first).await, open(&server, &second).await, open(&server, &spectator).await];
    for socket in &mut sockets {
        socket.watch(&id).await;
    }
    sockets[0].request(json!({"type": "resign", "match": id})).await;
    // Who comes after the end is told as well.
    sockets.last_mut().unwrap().until("ended").await;
    let mut late = open(&server, &spectator).await;
    assert_eq!(late.watch(&id).await["status"], "ended");
    let proposed = sockets[0].request(json!({"type": "rematch", "match": id, "action": "propose"})).await;
    assert_eq!((&proposed["type"], &proposed["seq"]), (&json!("ok"), &json!(2)), "{proposed}");
    let [_, rival, watcher] = &mut sockets;
    for socket in [rival, watcher, &mut late] {
        let event = socket.until("rematch_proposed").await;
        assert_eq!(event, json!({"type": "rematch_proposed", "match": id, "seq": 2, "by": "first"}));
    }
    let open_proposal = snapshot(&server, &id).await;
    assert_eq!(open_proposal["rematch"]["by"], "first");
    assert_eq!(open_proposal["next_match"], Value::Null);

    let accepted = sockets[1].request(json!({"type": "rematch", "match": id, "action": "accept"})).await;
    assert_eq!((&accepted["type"], &accepted["seq"]), (&json!("ok"), &json!(3)), "{accepted}");
    let mut next = Value::Null;
    let [one, two, three] = &mut sockets;
    for socket in [one, two, three, &mut late] {
        let event = socket.until("rematch_started").await;
        assert_eq!((&event["match"], &event["seq"]), (&json!(id), &json!(3)));
        next = event["next_match"].clone();
    }
    let next = next.as_str().unwrap();
    let made = snapshot(&server, next).await;
    assert_eq!((&made["status"], &made["ply"]), (&json!("live"), &json!(0)));
    assert_eq!(
        (&made["game"], &made["options"], &made["stake"]),
        (&before["game"], &before["options"], &before["stake"])
    );
    assert_eq!(made["players"]["first"], before["players"]["second"], "whoever did not open the last match opens");
    assert_eq!(made["players"]["second"], before["players"]["first"]);
    // 2,000, less the stake lost and the one held; 2,000 with the 400 won, less the one held.
    for (player, expected) in [(&first, 1_000), (&second, 1_900)] {
        assert_eq!(available(&server.client().of(player)).await, expected);
    }
    let over = snapshot(&server, &id).await;
    assert_eq!((&over["next_match"], &over["rematch"], &over["seq"]), (&json!(next), &Value::Null, &json!(3)));

    check_journal(&server, &id, &spectator).await;
    server.registrar.verify_ledger().await;
    server.stop().await;
}

/// The record of the first match has not changed, and its journal tells the same from any point.
async fn check_journal(server: &TestServer, id: &str, spectator: &Player) {
    let mut again = open(server, spectator).await;
    let since = again.request(json!({"type": "watch", "match": id, "since": 1})).await;
    assert_eq!((&since["from"], &since["to"]), (&json!(2), &json!(3)));
    let kinds: Vec<_> = since["events"].as_array().unwrap().iter().map(|event| event["type"].clone()).collect();
    assert_eq!(kinds, ["rematch_proposed", "rematch_started"]);
    let record = server.client().get(&format!("/v1/matches/{id}/record")).await.expect(200).body;
    assert_eq!(record["outcome"]["winner"], "second");
    assert_eq!(record["ended_at"], {
        let at: time::OffsetDateTime = sqlx::query_scalar("select ended_at from matches where id = $1::uuid")
            .bind(id)
            .fetch_one(&server.registrar.pool)
            .await
            .unwrap();
        stakeboard_server::clock::rfc3339_ms::text(at)
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_9_a_proposal_while_the_rivals_is_open_agrees_to_it_and_repeats_meet_in_one_match() {
    let server = TestServer::start().await;
    let (id, [first, second], end) = ended(&server, 1_000).await;
    let (one, two) = (server.client().of(&first), server.client().of(&second));
    let proposed = rematch(&one, &id, "propose").await.expect(200).body;
    assert_eq!(proposed["seq"], end + 1);
    assert_eq!(rematch(&one, &id, "propose").await.expect(200).body, proposed, "a repeat is the same proposal");
    rematch(&one, &id, "accept").await.refused(409, "rematch_gone");
    let started = rematch(&two, &id, "propose").await.expect(200).body;
    assert_eq!(started["seq"], end + 2);
    for client in [&one, &two] {
        for action in ["propose", "accept"] {
            assert_eq!(rematch(client, &id, action).await.expect(200).body, started);
        }
        rematch(client, &id, "decline").await.refused(409, "rematch_gone");
    }
    let live: i64 = sqlx::query_scalar("select count(*) from matches where status = 'live'")
        .fetch_one(&server.registrar.pool)
        .await
        .unwrap();
    assert_eq!(live, 1);
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_is_declined_or_taken_back_and_another_can_follow() {
    let server = TestServer::start().await;
    let (id, [first, second], end) = ended(&server, 1_000).await;
    let (one, two) = (server.client().of(&first), server.client().of(&second));
    let mut socket = open(&server, &first).await;
    socket.watch(&id).await;
    for (seq, proposer, other, decliner) in
        [(end + 1, &one, &two, "second"), (end + 3, &two, &one, "first"), (end + 5, &one, &one, "first")]
    {
        assert_eq!(rematch(proposer, &id, "propose").await.expect(200).body["seq"], seq);
        assert_eq!(rematch(other, &id, "decline").await.expect(200).body["seq"], seq + 1);
        let told = socket.until("rematch_declined").await;
        assert_eq!(told, json!({"type": "rematch_declined", "match": id, "seq": seq + 1, "by": decliner}));
        for client in [&one, &two] {
            rematch(client, &id, "accept").await.refused(409, "rematch_gone");
            rematch(client, &id, "decline").await.refused(409, "rematch_gone");
        }
        assert_eq!(snapshot(&server, &id).await["rematch"], Value::Null);
    }
    rematch(&one, &id, "propose").await.expect(200);
    rematch(&two, &id, "accept").await.expect(200);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rematch_is_for_the_two_players_of_a_match_that_has_ended() {
    let server = TestServer::start().await;
    let (live, [player, _]) = server.start_match(STAKE).await;
    let client = server.client().of(&player);
    for action in ["propose", "accept", "decline"] {
        rematch(&client, &live, action).await.refused(409, "match_not_over");
        rematch(&client, "01970000-0000-7000-8000-000000000001", action).await.refused(404, "not_found");
        rematch(&client, "nobody", action).await.refused(404, "not_found");
        rematch(&server.client(), &live, action).await.refused(401, "unauthenticated");
    }
    let (over, _, _) = ended(&server, 1_000).await;
    rematch(&client, &over, "propose").await.refused(403, "not_a_player");
    for body in
        [json!({}), json!({"action": "offer"}), json!({"action": "propose", "stake": 0}), json!({"action": null})]
    {
        client.post(&format!("/v1/matches/{over}/rematch"), &body).await.refused(422, "invalid_request");
    }
    let mut socket = open(&server, &player).await;
    let refused = socket.request(json!({"type": "rematch", "match": live, "action": "propose"})).await;
    assert_eq!((&refused["type"], &refused["code"]), (&json!("error"), &json!("match_not_over")));
    server.stop().await;
}

/// T37.
#[tokio::test(flavor = "multi_thread")]
async fn t37_a_proposal_of_who_can_no_longer_play_is_gone_and_costs_nobody_anything() {
    let server = TestServer::start().await;
    // The proposer spends what they have.
    let (id, [first, second], _) = ended(&server, 2 * STAKE).await;
    let (one, two) = (server.client().of(&first), server.client().of(&second));
    rematch(&one, &id, "propose").await.expect(200);
    one.post_once("/v1/wallet/withdrawals", &json!({"amount": 1})).await.expect(201);
    rematch(&two, &id, "accept").await.refused(409, "rematch_gone");
    assert_eq!(available(&two).await, 2 * STAKE + 400);
    // The one who would agree has less than it takes: that speaks of them, and the proposal stays.
    server.registrar.deposit(first.id, STAKE).await;
    two.post_once("/v1/wallet/withdrawals", &json!({"amount": STAKE + 401})).await.expect(201);
    rematch(&one, &id, "propose").await.expect(200);
    rematch(&two, &id, "accept").await.refused(409, "insufficient_funds");
    rematch(&two, &id, "decline").await.expect(200);
    rematch(&two, &id, "propose").await.refused(409, "insufficient_funds");
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l8_a_proposal_goes_when_either_begins_another_staked_match() {
    let server = TestServer::start().await;
    for (plays, proposes) in [(0, 0), (1, 0)] {
        let (id, players, _) = ended(&server, 3 * STAKE).await;
        let clients = [server.client().of(&players[0]), server.client().of(&players[1])];
        rematch(&clients[proposes], &id, "propose").await.expect(200);
        let other = server.registrar.player(STAKE).await;
        let terms = json!({"game": "oware", "stake": STAKE});
        let elsewhere = start_match(&server.client(), &players[plays], &other, &terms).await;
        let answers = [
            rematch(&clients[plays], &id, "propose").await,
            rematch(&clients[1 - plays], &id, if plays == proposes { "accept" } else { "decline" }).await,
        ];
        assert_eq!(answers[0].code(), "already_playing", "proposing while playing for a stake");
        assert_eq!(answers[1].code(), "rematch_gone");
        clients[plays].post_empty(&format!("/v1/matches/{elsewhere}/resign")).await.expect(200);
        // It does not come back with the end of that match.
        rematch(&clients[1 - proposes], &id, "accept").await.refused(409, "rematch_gone");
    }
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_3_a_break_takes_away_what_was_proposed_by_and_to_the_player() {
    let server = TestServer::start().await;
    for proposer in [0, 1] {
        let (id, players, _) = ended(&server, 1_000).await;
        let clients = [server.client().of(&players[0]), server.client().of(&players[1])];
        rematch(&clients[proposer], &id, "propose").await.expect(200);
        clients[0].post("/v1/me/break", &json!({"days": 1})).await.expect(200);
        let back = server.registrar.session(players[0].id, players[0].name.clone()).await;
        let back = server.client().of(&back);
        rematch(&clients[1], &id, "accept").await.refused(409, "rematch_gone");
        rematch(&back, &id, "accept").await.refused(409, "rematch_gone");
        rematch(&back, &id, "propose").await.refused(403, "on_break");
        // The rival may ask; nobody on a break can agree.
        rematch(&clients[1], &id, "propose").await.expect(200);
        rematch(&back, &id, "accept").await.refused(403, "on_break");
        rematch(&back, &id, "decline").await.expect(200);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_9_a_proposal_is_open_for_a_minute() {
    let server = TestServer::start().await;
    let (id, [first, second], end) = ended(&server, 1_000).await;
    let (one, two) = (server.client().of(&first), server.client().of(&second));
    let sockets = [open(&server, &first).await, open(&server, &second).await];
    rematch(&one, &id, "propose").await.expect(200);
    age_proposals(&server, 61.0).await;
    rematch(&two, &id, "accept").await.refused(409, "rematch_gone");
    rematch(&two, &id, "decline").await.refused(409, "rematch_gone");
    // A proposal after it is one of its own.
    assert_eq!(rematch(&two, &id, "propose").await.expect(200).body["seq"], end + 2);
    age_proposals(&server, 55.0).await;
    rematch(&one, &id, "accept").await.expect(200);
    drop(sockets);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_goes_once_its_proposer_has_been_away_for_fifteen_seconds_and_not_before() {
    const AWAY: Duration = Duration::from_secs(15);
    let server = TestServer::start().await;
    let (id, [first, second], _) = ended(&server, 1_000).await;
    let (one, two) = (server.client().of(&first), server.client().of(&second));
    rematch(&one, &id, "propose").await.expect(200);
    let socket = open(&server, &first).await;
    let began = Instant::now();
    leave(socket).await;
    let left = Instant::now();
    loop {
        let asked = Instant::now();
        let answer = rematch(&two, &id, "accept").await;
        if answer.code() == "rematch_gone" {
            assert!(began.elapsed() >= AWAY, "gone too early: {:?}", began.elapsed());
            break;
        }
        answer.refused(409, "host_away");
        assert!(asked - left < AWAY + Duration::from_secs(3), "still there after {:?}", asked - left);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let socket: Socket = open(&server, &first).await;
    rematch(&two, &id, "accept").await.refused(409, "rematch_gone");
    drop(socket);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_survives_a_restart_and_waits_for_its_proposer_to_be_there() {
    let server = TestServer::start().await;
    let (id, [first, second], end) = ended(&server, 1_000).await;
    rematch(&server.client().of(&first), &id, "propose").await.expect(200);
    let server = server.restart().await;
    let two = server.client().of(&second);
    rematch(&two, &id, "accept").await.refused(409, "host_away");
    let mut socket = open(&server, &first).await;
    let told = socket.request(json!({"type": "watch", "match": id, "since": end})).await;
    assert_eq!(told["events"], json!([{"type": "rematch_proposed", "match": id, "seq": end + 1, "by": "first"}]));
    rematch(&two, &id, "accept").await.expect(200);
    let started = socket.until("rematch_started").await;
    assert_eq!(started["seq"], end + 2);
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_10_guests_play_a_friendly_match_again_without_any_money() {
    let server = TestServer::start().await;
    let mut clients = Vec::new();
    for _ in 0..2 {
        let entered = server.client().post_empty("/v1/auth/guest").await.expect(201).body;
        clients.push(server.client().with_token(entered["access_token"].as_str().unwrap()));
    }
    let [host, friend] = &clients[..] else { unreachable!() };
    let table = host.post("/v1/tables", &json!({"game": "mu_torere", "stake": 0})).await.expect(201).body;
    let path = format!("/v1/tables/{}/join", table["code"].as_str().unwrap());
    let id = friend.post_once(&path, &json!({"stake": 0})).await.expect(201).body["match_id"].clone();
    let id = id.as_str().unwrap();
    host.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    rematch(host, id, "propose").await.expect(200);
    rematch(friend, id, "accept").await.expect(200);
    let (before, next) = (snapshot(&server, id).await, snapshot(&server, id).await["next_match"].clone());
    let made = snapshot(&server, next.as_str().unwrap()).await;
    assert_eq!((&made["stake"], &made["status"]), (&json!(0), &json!("live")));
    assert_eq!(made["players"]["first"], before["players"]["second"]);
    let moved: i64 =
        sqlx::query_scalar("select count(*) from transfers").fetch_one(&server.registrar.pool).await.unwrap();
    assert_eq!(moved, 0);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_no_longer_watches_an_ended_match_hears_nothing_of_its_rematch() {
    let server = TestServer::start().await;
    let (id, [first, second], _) = ended(&server, 1_000).await;
    let (one, two) = (server.client().of(&first), server.client().of(&second));
    let spectator = server.registrar.player(0).await;
    let mut socket = open(&server, &spectator).await;
    socket.watch(&id).await;
    // Twice over one socket is once.
    socket.watch(&id).await;
    rematch(&one, &id, "propose").await.expect(200);
    let heard = so_far(&mut socket).await;
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert_eq!(socket.request(json!({"type": "unwatch", "match": id})).await["type"], "ok");
    rematch(&two, &id, "accept").await.expect(200);
    assert_eq!(so_far(&mut socket).await, Vec::<Value>::new());
    server.stop().await;
}
