//! One match, its players and its watchers at different nodes.

use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::{
    Socket,
    play::{play_side, replay},
};

use crate::support::{eventually, journal, on_both, settlements, snapshot};

on_both! {
    async fn two_who_are_connected_to_different_nodes_play_a_match_to_its_end_and_are_paid_once(nodes: Nodes) {
        let (id, [first, second]) = nodes.match_at_one(500).await;
        let ((end, seen), (end_elsewhere, seen_elsewhere)) = tokio::join!(
            play_side(nodes.one.address, &id, &first, 1),
            play_side(nodes.two.address, &id, &second, 2),
        );
        assert_eq!(end, end_elsewhere, "both were told the same end");
        for seen in [seen, seen_elsewhere] {
            let (from, to) = (seen[0], *seen.last().unwrap());
            assert_eq!((seen, to), ((from..=to).collect::<Vec<u64>>(), end["seq"].as_u64().unwrap()), "no gap, no repeat");
        }
        let record = nodes.two.client().get(&format!("/v1/matches/{id}/record")).await.expect(200).body;
        replay(&record);
        assert_eq!(settlements(&nodes.one.registrar.pool, &id).await, 1);
        nodes.one.registrar.verify_ledger().await;
    }

    async fn everything_that_can_be_done_in_a_match_can_be_done_from_another_node(nodes: Nodes) {
        let (id, [first, second]) = nodes.match_at_one(500).await;
        let mut sockets = [
            Socket::open(nodes.two.address, &first.token).await,
            Socket::open(nodes.one.address, &second.token).await,
        ];
        assert_eq!(sockets[0].watch(&id).await["seq"], 0);
        assert_eq!(sockets[1].watch(&id).await["seq"], 0);
        assert_eq!(sockets[0].play(&id, 1, "C").await["seq"], 1);
        assert_eq!(sockets[0].play(&id, 1, "C").await["seq"], 1, "a repeat is the same move");
        assert_eq!(sockets[1].play(&id, 2, "b").await["seq"], 2);
        let offer = sockets[0].request(json!({"type": "draw", "match": id, "action": "offer"})).await;
        assert_eq!(offer["seq"], 3, "{offer}");
        assert_eq!(sockets[1].until("draw_offered").await["seq"], 3);
        let path = format!("/v1/matches/{id}/draw");
        let decline = json!({"action": "decline", "offer": 3});
        let declined = nodes.two.client().of(&second).post(&path, &decline).await.expect(200).body;
        assert_eq!(declined["seq"], 4);
        let resign = format!("/v1/matches/{id}/resign");
        let resigned = nodes.two.client().of(&second).post_empty(&resign).await.expect(200).body;
        assert_eq!(resigned["seq"], 5);
        for socket in &mut sockets {
            assert_eq!(socket.until("ended").await["outcome"]["winner"], "first");
        }

        // After the end nobody owns it: a rematch is told of wherever somebody watches.
        let propose = json!({"type": "rematch", "match": id, "action": "propose"});
        for socket in &mut sockets {
            // One of them has nothing left to stake: the other may be refused for it, but not by the node.
            let answer = socket.request(propose.clone()).await;
            assert!(answer["seq"] == 6 || answer["code"] == "insufficient_funds", "{answer}");
        }
        for socket in &mut sockets {
            assert_eq!(socket.until("rematch_proposed").await["seq"], 6);
        }
    }

    async fn a_node_refuses_what_another_refuses_with_the_same_words(nodes: Nodes) {
        let (id, [first, second]) = nodes.match_at_one(500).await;
        let stranger = nodes.one.registrar.player(0).await;
        let path = format!("/v1/matches/{id}/moves");
        let acts = [
            (&first, json!({"ply": 1, "move": "a"})),
            (&first, json!({"ply": 1, "move": "no move at all"})),
            (&first, json!({"ply": 3, "move": "C"})),
            (&second, json!({"ply": 1, "move": "a"})),
            (&stranger, json!({"ply": 1, "move": "C"})),
        ];
        for (player, act) in acts {
            let own = nodes.one.client().of(player).post(&path, &act).await;
            let others = nodes.two.client().of(player).post(&path, &act).await;
            assert!(own.status >= 400, "{act}: {}", own.text);
            assert_eq!((own.status, &own.body), (others.status, &others.body), "{act}");
        }
        let nowhere = format!("/v1/matches/{}", uuid::Uuid::now_v7());
        nodes.two.client().get(&nowhere).await.refused(404, "not_found");
    }

    async fn who_watches_from_another_node_is_told_everything_from_any_point_and_nothing_twice(nodes: Nodes) {
        let (id, [first, second]) = nodes.match_at_one(500).await;
        let spectator = nodes.one.registrar.player(0).await;
        let mut first = Socket::open(nodes.one.address, &first.token).await;
        let mut second = Socket::open(nodes.one.address, &second.token).await;
        let mut watchers = Vec::new();
        let mut begun: u64 = 0;
        while begun < 40 {
            // Somebody comes in the middle of everything, from the beginning, from now or from the future.
            let mut watcher = Socket::open(nodes.two.address, &spectator.token).await;
            let since = [json!({}), json!({"since": 0}), json!({"since": begun}), json!({"since": 10_000})];
            let mut request = since[usize::try_from(begun % 4).unwrap()].clone();
            (request["type"], request["match"]) = ("watch".into(), id.clone().into());
            let answering = watcher.send(&request);
            let now = snapshot(&nodes.two.client(), &id).await;
            if now["status"] == "ended" {
                break;
            }
            let mover = if now["to_move"] == "first" { &mut first } else { &mut second };
            let (ply, text) = (now["ply"].as_u64().unwrap() + 1, now["legal"][0].as_str().unwrap());
            let (answer, ()) = tokio::join!(mover.play(&id, ply, text), answering);
            begun = answer["seq"].as_u64().unwrap();
            watchers.push(watcher);
        }
        let resign = json!({"type": "resign", "match": id});
        assert_eq!(first.request(resign).await["type"], "ok");
        let record = journal(&mut first, &id).await;
        for mut watcher in watchers {
            let answer = watcher.until_one_of(&["match", "events"]).await;
            let mut seen: Vec<Value> = answer["events"].as_array().cloned().unwrap_or_default();
            let from = answer["from"].as_u64().unwrap_or_else(|| answer["match"]["seq"].as_u64().unwrap() + 1);
            // Who came last may have come after the end.
            while usize::try_from(from).unwrap() <= record.len()
                && seen.last().is_none_or(|event| event["type"] != "ended")
            {
                seen.push(watcher.next_event(&id).await);
            }
            assert_eq!(seen, record[usize::try_from(from).unwrap() - 1..], "from {from}");
        }
    }

    async fn players_are_told_of_their_match_and_their_money_on_sockets_of_every_node(nodes: Nodes) {
        let players = [nodes.one.registrar.player(500).await, nodes.one.registrar.player(500).await];
        let mut sockets = Vec::new();
        for player in &players {
            for node in [&nodes.one, &nodes.two] {
                sockets.push(Socket::open(node.address, &player.token).await);
            }
        }
        let terms = json!({"game": "oware", "stake": 500});
        let id = stakeboard_tests::server::start_match(&nodes.one.client(), &players[0], &players[1], &terms).await;
        for socket in &mut sockets {
            assert_eq!(socket.until("match_started").await["match"], id);
            let wallet = socket.until("wallet").await;
            assert_eq!((&wallet["available"], &wallet["in_play"]), (&json!(0), &json!(500)));
        }
    }

    async fn watchers_are_told_who_comes_and_goes_at_any_node(nodes: Nodes) {
        let (id, [first, second]) = nodes.match_at_one(500).await;
        let mut watcher = Socket::open(nodes.two.address, &second.token).await;
        watcher.watch(&id).await;
        for node in [&nodes.one, &nodes.two] {
            let socket = Socket::open(node.address, &first.token).await;
            let came = watcher.until("presence").await;
            assert_eq!((&came["seat"], &came["online"]), (&json!("first"), &json!(true)));
            drop(socket);
            let left = watcher.until("presence").await;
            assert_eq!((&left["seat"], &left["online"]), (&json!("first"), &json!(false)));
        }
        let attendance = nodes.two.client().get(&format!("/v1/matches/{id}/attendance")).await.expect(200).body;
        assert_eq!((&attendance["first"], &attendance["second"]), (&json!(false), &json!(true)));
    }

    async fn everybody_who_watches_is_counted_once_whichever_node_they_are_at(nodes: Nodes) {
        let (id, [first, second]) = nodes.match_at_one(500).await;
        let mut sockets = Vec::new();
        for (node, player) in [(&nodes.one, &first), (&nodes.two, &first), (&nodes.two, &second), (&nodes.two, &second)] {
            let mut socket = Socket::open(node.address, &player.token).await;
            socket.watch(&id).await;
            sockets.push(socket);
        }
        let path = format!("/v1/matches/{id}/attendance");
        for node in [&nodes.one, &nodes.two] {
            assert_eq!(node.client().get(&path).await.expect(200).body["watchers"], 4);
        }
        sockets[3].request(json!({"type": "unwatch", "match": id})).await;
        drop(sockets.swap_remove(1));
        for node in [&nodes.one, &nodes.two] {
            eventually("two have gone", async || {
                (node.client().get(&path).await.expect(200).body["watchers"] == 2).then_some(())
            })
            .await;
        }
    }

    async fn the_staff_voids_a_match_from_any_node(nodes: Nodes) {
        let (id, [first, _]) = nodes.match_at_one(500).await;
        let admin = nodes.one.registrar.with_roles(0, vec![Role::Admin]).await;
        let path = format!("/v1/admin/matches/{id}/void");
        let reason = json!({"reason": "a test of voids"});
        nodes.two.client().of(&admin).post(&path, &reason).await.expect(200);
        assert_eq!(snapshot(&nodes.two.client(), &id).await["outcome"]["ending"], "void");
        assert_eq!(nodes.one.registrar.available(first.id).await, 500);
        nodes.two.client().of(&admin).post(&path, &reason).await.refused(409, "match_over");
    }

    async fn a_node_that_stops_hands_its_matches_over_and_they_go_on_with_nothing_charged(nodes: Nodes) {
        let (id, [opener, rival]) = nodes.match_at_one(500).await;
        let mut first = Socket::open(nodes.two.address, &opener.token).await;
        let mut second = Socket::open(nodes.two.address, &rival.token).await;
        first.watch(&id).await;
        second.watch(&id).await;
        assert_eq!(first.play(&id, 1, "C").await["seq"], 1);
        let before = second.until("moved").await["clocks"].clone();
        nodes.one.stop().await;
        let credited = second.until("clock_credited").await;
        assert_eq!((&credited["seq"], &credited["reason"]), (&json!(2), &json!("restart")));
        let charged = before["second_ms"].as_i64().unwrap() - credited["second_ms"].as_i64().unwrap();
        assert!((0..5_000).contains(&charged), "{charged} ms for what was played on: {credited}");
        // Sent again while it says that it can't be done yet, as every client does.
        let client = nodes.two.client().of(&rival);
        let moved = eventually("the move", async || {
            let answer = client.post(&format!("/v1/matches/{id}/moves"), &json!({"ply": 2, "move": "b"})).await;
            assert!(answer.status == 200 || answer.code() == "paused", "{}", answer.text);
            (answer.status == 200).then_some(answer.body)
        })
        .await;
        assert_eq!(moved["seq"], 3);
        assert_eq!(first.until("moved").await["seq"], 1);
        assert_eq!(first.until("moved").await["seq"], 3);
    }

    async fn practice_is_at_hand_at_every_node(nodes: Nodes) {
        let player = nodes.one.registrar.player(0).await;
        let new = json!({"game": "oware", "level": "easy", "seat": "first"});
        let session = nodes.one.client().of(&player).post("/v1/practice", &new).await.expect(201).body;
        let path = format!("/v1/practice/{}", session["id"].as_str().unwrap());
        let elsewhere = nodes.two.client().of(&player);
        let seen = elsewhere.get(&path).await.expect(200).body;
        assert_eq!(seen["position"], session["position"]);
        let played = elsewhere.post(&format!("{path}/moves"), &json!({"ply": 1, "move": "C"})).await.expect(200).body;
        assert_eq!(played["ply"], 2, "with the bot's answer: {played}");
        let illegal = json!({"ply": 3, "move": "nothing"});
        elsewhere.post(&format!("{path}/moves"), &illegal).await.refused(422, "invalid_request");
        assert_eq!(nodes.one.client().of(&player).get(&path).await.expect(200).body["ply"], 2);
        let stranger = nodes.one.registrar.player(0).await;
        nodes.two.client().of(&stranger).get(&path).await.refused(404, "not_found");
        nodes.two.client().get(&path).await.refused(401, "unauthenticated");
    }
}
