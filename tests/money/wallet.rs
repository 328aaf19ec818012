//! What players see of their money.

use std::collections::HashSet;

use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::{Client, Socket, TestServer, server::start_match};

use crate::support::{accept, check_books, end_in_draw, post_seek, text};

const LINES: &str = "/v1/wallet/transfers";

/// Reads wallet news until they say this.
async fn told(socket: &mut Socket, available: i64, in_play: i64) {
    loop {
        let news = socket.until("wallet").await;
        if news == json!({"type": "wallet", "available": available, "in_play": in_play, "pending_withdrawal": 0}) {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_socket_of_a_player_is_told_of_deposit_stake_payout_and_refund_and_nobody_elses() {
    let server = TestServer::start().await;
    let (one, first) = server.player(1_000).await;
    let (two, second) = server.player(1_000).await;
    let (stranger, _) = server.player(1_000).await;
    let mut sockets = Vec::new();
    for player in [&one, &one, &two, &stranger] {
        sockets.push(Socket::open(server.address, &player.token).await);
    }
    let [mut one_a, mut one_b, mut two_a, mut strangers] = sockets.try_into().ok().unwrap();

    first.post_once("/v1/wallet/deposits", &json!({"amount": 500})).await.expect(201);
    for socket in [&mut one_a, &mut one_b] {
        told(socket, 1_500, 0).await;
    }
    let terms = json!({"game": "oware", "stake": 400});
    let id = start_match(&first, &one, &two, &terms).await;
    for socket in [&mut one_a, &mut one_b] {
        told(socket, 1_100, 400).await;
    }
    told(&mut two_a, 600, 400).await;
    second.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    for socket in [&mut one_a, &mut one_b] {
        told(socket, 1_100 + 720, 0).await;
    }
    told(&mut two_a, 600, 0).await;
    let id = start_match(&first, &one, &two, &terms).await;
    told(&mut two_a, 200, 400).await;
    end_in_draw(&id, &first, &second).await;
    told(&mut two_a, 600, 0).await;
    told(&mut one_a, 1_820, 0).await;

    // All that the stranger has heard of is what they asked for.
    let pong = strangers.request(json!({"type": "ping"})).await;
    assert_eq!(pong["type"], "pong");
    strangers.send(&json!({"type": "ping"})).await;
    let next = strangers.next().await;
    assert_eq!(next["type"], "pong", "{next}");
    check_books(&server.registrar, 3_500).await;
    server.stop().await;
}

/// B19, MA-6.
#[tokio::test(flavor = "multi_thread")]
async fn b19_nothing_leaves_a_balance_before_a_match_is_made() {
    let server = TestServer::start().await;
    let (player, client) = server.player(1_000).await;
    let (_, other) = server.player(100).await;
    let mut socket = Socket::open(server.address, &player.token).await;
    let untouched = json!({"currency": "BRL", "available": 1_000, "in_play": 0, "pending_withdrawal": 0});
    let mut seeks = Vec::new();
    for _ in 0..5 {
        // Each of them is good for all there is.
        seeks.push(post_seek(&client, 1_000).await);
        assert_eq!(client.get("/v1/wallet").await.expect(200).body, untouched);
    }
    accept(&other, &seeks[0], 1_000).await.refused(409, "insufficient_funds");
    accept(&other, &seeks[0], 995).await.refused(409, "stake_changed");
    accept(&client, &seeks[0], 1_000).await.refused(422, "own_seek");
    for (place, seek) in seeks.iter().enumerate() {
        client.delete(&format!("/v1/lobby/seeks/{seek}")).await.expect(204);
        client.delete(&format!("/v1/lobby/seeks/{seek}")).await.refused(404, "not_found");
        accept(&other, seek, 1_000).await.refused(409, "seek_gone");
        assert_eq!(client.get("/v1/wallet").await.expect(200).body, untouched, "after {place}");
    }
    let lines = client.get(LINES).await.expect(200).body;
    assert_eq!(lines["items"].as_array().unwrap().len(), 1, "only the deposit");
    socket.send(&json!({"type": "ping"})).await;
    assert_eq!(socket.next().await["type"], "pong", "no news of a wallet that did not change");
    check_books(&server.registrar, 1_100).await;
    server.stop().await;
}

/// All lines of a player in pages of this size, newest first; `between` is awaited after each page.
async fn all_lines(client: &Client, limit: u32, mut between: impl AsyncFnMut()) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut path = format!("{LINES}?limit={limit}");
    loop {
        let page = client.get(&path).await.expect(200).body;
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= limit as usize);
        lines.extend(items.iter().cloned());
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("{LINES}?limit={limit}&cursor={cursor}"),
            None => return lines,
        }
        between().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn own_lines_add_up_from_one_to_the_next_and_carry_their_match() {
    let server = TestServer::start().await;
    let (one, first) = server.player(1_000).await;
    let (two, second) = server.player(1_000).await;
    let terms = json!({"game": "oware", "stake": 400});
    let won = start_match(&first, &one, &two, &terms).await;
    second.post_empty(&format!("/v1/matches/{won}/resign")).await.expect(200);
    let drawn = start_match(&first, &one, &two, &terms).await;
    end_in_draw(&drawn, &first, &second).await;
    first.post_once("/v1/wallet/deposits", &json!({"amount": 7})).await.expect(201);

    let expected = [
        ("deposit", 1_000, 1_000, None),
        ("stake", -400, 600, Some(&won)),
        ("payout", 720, 1_320, Some(&won)),
        ("stake", -400, 920, Some(&drawn)),
        ("refund", 400, 1_320, Some(&drawn)),
        ("deposit", 7, 1_327, None),
    ];
    let mut lines = all_lines(&first, 200, async || {}).await;
    lines.reverse();
    assert_eq!(lines.len(), expected.len());
    for (line, (kind, amount, balance, of)) in lines.iter().zip(expected) {
        let told = (line["kind"].as_str(), line["amount"].as_i64(), line["balance_after"].as_i64());
        assert_eq!(told, (Some(kind), Some(amount), Some(balance)), "{line}");
        assert_eq!(line["match_id"].as_str(), of.map(String::as_str), "{line}");
        let mut keys: Vec<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, ["amount", "balance_after", "created_at", "id", "kind", "match_id"]);
    }
    assert!(lines.windows(2).all(|pair| pair[0]["created_at"].as_str() <= pair[1]["created_at"].as_str()));

    // The loser's side, and nothing of the winner's or the house's.
    let mut lines = all_lines(&second, 200, async || {}).await;
    lines.reverse();
    let amounts: Vec<i64> = lines.iter().map(|line| line["amount"].as_i64().unwrap()).collect();
    assert_eq!(amounts, [1_000, -400, -400, 400]);
    check_books(&server.registrar, 2_007).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_lines_neither_skip_nor_repeat_while_new_deposits_arrive() {
    const BEFORE: i64 = 23;
    let server = TestServer::start().await;
    let (_, client) = server.player(0).await;
    for amount in 1..=BEFORE {
        client.post_once("/v1/wallet/deposits", &json!({"amount": amount})).await.expect(201);
    }
    for limit in [1, 2, 7, 22, 23, 24, 200] {
        let known = all_lines(&client, 200, async || {}).await;
        let mut arrived = 0;
        let lines = all_lines(&client, limit, async || {
            if arrived < 3 {
                arrived += 1;
                client.post_once("/v1/wallet/deposits", &json!({"amount": 1_000})).await.expect(201);
            }
        })
        .await;
        assert_eq!(lines, known, "in pages of {limit}: what was there at the first page, each once");
        let ids: HashSet<String> = lines.iter().map(|line| text(&line["id"])).collect();
        assert_eq!(ids.len(), lines.len());
        let sum: i64 = lines.iter().map(|line| line["amount"].as_i64().unwrap()).sum();
        assert_eq!(Some(sum), lines[0]["balance_after"].as_i64());
    }
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_has_one_to_two_hundred_lines_and_a_cursor_is_one_that_was_given() {
    let server = TestServer::start().await;
    let (player, client) = server.player(0).await;
    for _ in 0..201 {
        server.registrar.deposit(player.id, 1).await;
    }
    for (query, count, more) in [("", 50, true), ("?limit=1", 1, true), ("?limit=200", 200, true)] {
        let page = client.get(&format!("{LINES}{query}")).await.expect(200).body;
        assert_eq!(page["items"].as_array().unwrap().len(), count);
        assert_eq!(page["next_cursor"].is_string(), more);
    }
    for limit in ["0", "-1", "201", "9223372036854775807", "9223372036854775808", "1.5", "ten", "", "1e2", "0x10"] {
        let answer = client.get(&format!("{LINES}?limit={limit}")).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, "limit", "{limit}: {}", answer.text);
    }
    let foreign = [
        "",
        "x",
        "1.5",
        "019b0000-0000-7000-8000-000000000000",
        "9223372036854775808",
        "%00",
        "1%27%20or%201=1",
        "-",
        "1,2",
    ];
    for cursor in foreign {
        let answer = client.get(&format!("{LINES}?cursor={cursor}")).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, "cursor", "{cursor}: {}", answer.text);
    }
    for query in ["?limits=5", "?limit=5&limit=6", "?player=019b0000-0000-7000-8000-000000000000", "?account=1"] {
        client.get(&format!("{LINES}{query}")).await.refused(422, "invalid_request");
    }
    server.stop().await;
}

/// P-1: own history by filters, a total of any range, and the lifetime net result.
#[tokio::test(flavor = "multi_thread")]
async fn p1_own_lines_are_found_by_filters_and_added_up_for_any_range() {
    let server = TestServer::start().await;
    let (one, client) = server.player(0).await;
    let (two, rival) = server.player(1_000).await;
    client.post_once("/v1/wallet/deposits", &json!({"amount": 1_000})).await.expect(201);
    let terms = json!({"game": "oware", "stake": 200});
    let won = start_match(&client, &one, &two, &terms).await;
    rival.post_empty(&format!("/v1/matches/{won}/resign")).await.expect(200);
    let drawn = start_match(&client, &one, &two, &terms).await;
    end_in_draw(&drawn, &client, &rival).await;
    let between = text(&client.get(&format!("{LINES}?limit=1")).await.expect(200).body["items"][0]["created_at"]);
    // Times are told in milliseconds: what comes next is in another one.
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    let lost = start_match(&client, &one, &two, &terms).await;
    client.post_empty(&format!("/v1/matches/{lost}/resign")).await.expect(200);
    let made = client.post_once("/v1/wallet/withdrawals", &json!({"amount": 300})).await.expect(201).body;
    let staff = server.client().of(&server.registrar.with_roles(0, vec![Role::Admin]).await);
    staff.post_empty(&format!("/v1/admin/withdrawals/{}/approve", text(&made["id"]))).await.expect(200);
    let adjust = format!("/v1/admin/players/{}/adjust", one.id);
    staff.post_once(&adjust, &json!({"amount": 7, "reason": "x"})).await.expect(201);
    start_match(&client, &one, &two, &terms).await;

    let totals = async |query: &str| client.get(&format!("/v1/wallet/totals{query}")).await.expect(200).body;
    // Of three matches one brought 160 of the other's 200, one nothing, and one cost 200; the fourth is not over.
    let all = json!({"deposits": 1_000, "withdrawn": 300, "staked": 800, "won": 360, "refunded": 200, "adjusted": 7,
                     "net": -40});
    assert_eq!(totals("").await, all);
    let until = json!({"deposits": 1_000, "withdrawn": 0, "staked": 400, "won": 360, "refunded": 200, "adjusted": 0,
                       "net": 160});
    assert_eq!(totals(&format!("?to={between}")).await, until);
    let since =
        json!({"deposits": 0, "withdrawn": 300, "staked": 400, "won": 0, "refunded": 200, "adjusted": 7, "net": -200});
    assert_eq!(totals(&format!("?from={between}")).await, since, "the refund is of that moment");

    let lines = async |query: &str| {
        let page = client.get(&format!("{LINES}?limit=200{query}")).await.expect(200).body;
        let lines = page["items"].as_array().unwrap().clone();
        lines.iter().map(|line| (text(&line["kind"]), line["amount"].as_i64().unwrap())).collect::<Vec<_>>()
    };
    let named =
        |lines: &[(&str, i64)]| lines.iter().map(|(kind, amount)| ((*kind).to_owned(), *amount)).collect::<Vec<_>>();
    assert_eq!(lines("&kind=stake").await, named(&[("stake", -200); 4]));
    assert_eq!(lines(&format!("&match={won}")).await, named(&[("payout", 360), ("stake", -200)]));
    assert_eq!(lines(&format!("&match={won}&kind=stake")).await, named(&[("stake", -200)]));
    assert_eq!(lines(&format!("&kind=stake&to={between}")).await.len(), 2);
    assert_eq!(lines(&format!("&kind=payout&from={between}")).await, named(&[]));

    let cursor = text(&client.get(&format!("{LINES}?limit=1&kind=stake")).await.expect(200).body["next_cursor"]);
    client.get(&format!("{LINES}?limit=1&kind=stake&cursor={cursor}")).await.expect(200);
    for (query, field) in [
        (format!("?cursor={cursor}"), "cursor"),
        (format!("?kind=payout&cursor={cursor}"), "cursor"),
        ("?kind=steak".into(), "kind"),
        ("?match=1".into(), "match"),
        ("?from=yesterday".into(), "from"),
        ("?to=".into(), "to"),
        ("?min_amount=5".into(), "min_amount"),
    ] {
        let answer = client.get(&format!("{LINES}{query}")).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field, "{query}");
    }
    for (query, field) in [("?from=1", "from"), ("?to=now", "to"), ("?kind=stake", "kind")] {
        let answer = client.get(&format!("/v1/wallet/totals{query}")).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field, "{query}");
    }
    server.client().get("/v1/wallet/totals").await.refused(401, "unauthenticated");
    server.stop().await;
}

/// B44: another player's money is nowhere to be seen.
#[tokio::test(flavor = "multi_thread")]
async fn b44_a_wallet_and_its_lines_are_shown_to_their_owner_only() {
    let server = TestServer::start().await;
    let (one, first) = server.player(1_000).await;
    let (two, second) = server.player(5_000).await;
    let (_, poor) = server.player(0).await;
    start_match(&first, &one, &two, &json!({"game": "oware", "stake": 400})).await;

    let mine = all_lines(&first, 200, async || {}).await;
    let theirs = all_lines(&second, 200, async || {}).await;
    assert_eq!((mine.len(), theirs.len()), (2, 2));
    let ids = |lines: &[Value]| lines.iter().map(|line| text(&line["id"])).collect::<HashSet<_>>();
    assert!(ids(&mine).is_disjoint(&ids(&theirs)));
    // A cursor of another player's list is a place in one's own.
    let cursor = text(&second.get(&format!("{LINES}?limit=1")).await.expect(200).body["next_cursor"]);
    let page = first.get(&format!("{LINES}?cursor={cursor}")).await.expect(200).body;
    assert!(page["items"].as_array().unwrap().iter().all(|line| ids(&mine).contains(&text(&line["id"]))));
    assert_eq!(all_lines(&poor, 200, async || {}).await, Vec::<Value>::new());
    let empty = json!({"currency": "BRL", "available": 0, "in_play": 0, "pending_withdrawal": 0});
    assert_eq!(poor.get("/v1/wallet").await.expect(200).body, empty);
    for path in ["/v1/wallet", LINES] {
        server.client().get(path).await.refused(401, "unauthenticated");
        server.client().with_token("nonsense").get(path).await.refused(401, "unauthenticated");
    }
    server.client().post_once("/v1/wallet/deposits", &json!({"amount": 5})).await.refused(401, "unauthenticated");

    // A guest has no money, and can bring none.
    let guest = server.client().post_empty("/v1/auth/guest").await.expect(201).body;
    let guest = server.client().with_token(guest["access_token"].as_str().unwrap());
    guest.post_once("/v1/wallet/deposits", &json!({"amount": 5})).await.refused(403, "account_needed");
    guest.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 5})).await.refused(403, "account_needed");
    let seek = post_seek(&server.player(100).await.1, 5).await;
    accept(&guest, &seek, 5).await.refused(403, "account_needed");
    check_books(&server.registrar, 6_100).await;
    server.stop().await;
}
