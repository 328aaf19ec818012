//! The lobby, of which every node shows the same.

use serde_json::{Value, json};
use stakeboard_tests::{Client, Player, Socket};

use crate::support::{eventually, on_both, settlements, until_online};

const STAKE: i64 = 500;
/// How often two nodes race for one seek.
const ROUNDS: usize = 50;

async fn post(client: &Client) -> String {
    let terms = json!({"game": "oware", "stake": STAKE});
    client.post("/v1/lobby/seeks", &terms).await.expect(201).body["id"].as_str().unwrap().to_owned()
}

async fn seeks(client: &Client) -> Vec<Value> {
    client.get("/v1/lobby/seeks").await.expect(200).body["items"].as_array().unwrap().clone()
}

/// Ends a match in a draw: both have their stake again.
async fn end_in_draw(id: &str, clients: [&Client; 2]) {
    let path = format!("/v1/matches/{id}/draw");
    for client in clients {
        client.post(&path, &json!({"action": "offer"})).await.expect(200);
    }
}

on_both! {
    async fn who_watches_the_lobby_of_one_node_sees_what_happens_at_the_other(nodes: Nodes) {
        let (poster, watcher) = (nodes.one.registrar.player(STAKE).await, nodes.one.registrar.player(STAKE).await);
        let mut lobby = Socket::open(nodes.two.address, &watcher.token).await;
        assert_eq!(lobby.request(json!({"type": "watch_lobby"})).await["seeks"], json!([]));
        let own = nodes.one.client().of(&poster);
        let seek = post(&own).await;
        assert_eq!(lobby.until("lobby_change").await["added"][0]["id"], seek);
        own.delete(&format!("/v1/lobby/seeks/{seek}")).await.expect(204);
        assert_eq!(lobby.until("lobby_change").await["removed"], json!([seek]));

        let seek = post(&own).await;
        assert_eq!(lobby.until("lobby_change").await["added"][0]["id"], seek);
        let accept = format!("/v1/lobby/seeks/{seek}/accept");
        nodes.two.client().of(&watcher).post_once(&accept, &json!({"stake": STAKE})).await.expect(201);
        assert_eq!(lobby.until("lobby_change").await["removed"], json!([seek]));
    }

    async fn who_is_connected_to_one_node_can_be_paired_at_the_other_and_who_has_left_can_not(nodes: Nodes) {
        let poster = nodes.one.registrar.player(STAKE).await;
        let (one, two) = (nodes.one.client().of(&poster), nodes.two.client());
        let seek = post(&one).await;
        // A socket opened after the posting, and closed again, says that the poster has left.
        let socket = Socket::open(nodes.one.address, &poster.token).await;
        until_online(&two, &poster, true).await;
        drop(socket);
        until_online(&two, &poster, false).await;
        let (path, stake) = (format!("/v1/lobby/seeks/{seek}/accept"), json!({"stake": STAKE}));
        let accepter = nodes.one.registrar.player(STAKE).await;
        two.of(&accepter).post_once(&path, &stake).await.refused(409, "host_away");
        let _socket = Socket::open(nodes.one.address, &poster.token).await;
        until_online(&two, &poster, true).await;
        let accepted = two.of(&accepter).post_once(&path, &stake).await.expect(201).body;
        let id = accepted["match_id"].as_str().unwrap();
        end_in_draw(id, [&one, &two.of(&accepter)]).await;
        assert_eq!(settlements(&nodes.one.registrar.pool, id).await, 1);
    }

    async fn a_seek_stays_while_its_poster_is_connected_to_any_node_and_goes_fifteen_seconds_later(nodes: Nodes) {
        let poster = nodes.one.registrar.player(STAKE).await;
        let mut socket = Socket::open(nodes.two.address, &poster.token).await;
        until_online(&nodes.one.client(), &poster, true).await;
        let seek = post(&nodes.one.client().of(&poster)).await;
        // Somebody has to answer the pings.
        let connected = tokio::spawn(async move { while socket.try_next().await.is_ok() {} });
        tokio::time::sleep(std::time::Duration::from_secs(17)).await;
        assert_eq!(seeks(&nodes.one.client()).await[0]["id"], seek, "both nodes have swept by now");
        connected.abort();
        let left = std::time::Instant::now();
        eventually("the seek goes", async || seeks(&nodes.one.client()).await.is_empty().then_some(())).await;
        let after = left.elapsed().as_secs_f64();
        assert!((14.0..25.0).contains(&after), "{after} s");
    }

    async fn two_in_the_queue_of_different_nodes_are_paired_once(nodes: Nodes) {
        let players = [nodes.one.registrar.player(STAKE).await, nodes.one.registrar.player(STAKE).await];
        let mut sockets = [
            Socket::open(nodes.one.address, &players[0].token).await,
            Socket::open(nodes.two.address, &players[1].token).await,
        ];
        until_online(&nodes.two.client(), &players[0], true).await;
        until_online(&nodes.one.client(), &players[1], true).await;
        let terms = json!({"game": "oware", "stake": STAKE});
        let (one, two) = (nodes.one.client().of(&players[0]), nodes.two.client().of(&players[1]));
        let (joined, also) =
            tokio::join!(one.post_once("/v1/lobby/queue", &terms), two.post_once("/v1/lobby/queue", &terms));
        assert!([joined.status, also.status].iter().all(|status| [200, 201].contains(status)));
        let started = sockets[0].until("match_started").await["match"].clone();
        assert_eq!(sockets[1].until("match_started").await["match"], started);
        let live = one.get("/v1/matches?status=live").await.expect(200).body;
        assert_eq!(live["items"].as_array().unwrap().len(), 1);
    }

    async fn of_those_who_accept_one_seek_at_both_nodes_at_once_one_gets_it_and_nobody_else_pays(nodes: Nodes) {
        let poster = nodes.one.registrar.player(STAKE).await;
        let accepters: Vec<Player> = vec![
            nodes.one.registrar.player(STAKE).await,
            nodes.one.registrar.player(STAKE).await,
            nodes.one.registrar.player(STAKE).await,
            nodes.one.registrar.player(STAKE).await,
        ];
        let clients: Vec<Client> = accepters
            .iter()
            .enumerate()
            .map(|(place, player)| if place % 2 == 0 { &nodes.one } else { &nodes.two }.client().of(player))
            .collect();
        for _ in 0..ROUNDS {
            let seek = post(&nodes.one.client().of(&poster)).await;
            let path = format!("/v1/lobby/seeks/{seek}/accept");
            let accepting = clients.iter().map(|client| {
                let (client, path) = (client.clone(), path.clone());
                tokio::spawn(async move { client.post_once(&path, &json!({"stake": STAKE})).await })
            });
            let accepting: Vec<_> = accepting.collect();
            let mut made = Vec::new();
            for (place, answer) in accepting.into_iter().enumerate() {
                let answer = answer.await.unwrap();
                match answer.status {
                    201 => made.push((place, answer.body["match_id"].as_str().unwrap().to_owned())),
                    _ => drop(answer.refused(409, "seek_gone")),
                }
            }
            assert_eq!(made.len(), 1, "one match of one seek");
            for (place, accepter) in accepters.iter().enumerate() {
                let expected = if place == made[0].0 { 0 } else { STAKE };
                assert_eq!(nodes.one.registrar.available(accepter.id).await, expected);
            }
            end_in_draw(&made[0].1, [&nodes.two.client().of(&poster), &clients[made[0].0]]).await;
        }
        nodes.one.registrar.verify_ledger().await;
    }

    async fn a_session_that_ends_at_one_node_acts_at_none_and_its_sockets_close(nodes: Nodes) {
        let player = nodes.one.registrar.player(STAKE).await;
        let mut socket = Socket::open(nodes.two.address, &player.token).await;
        nodes.one.client().of(&player).post_empty("/v1/auth/logout").await.expect(204);
        let ended = std::time::Instant::now();
        let (frames, close) = socket.closed().await;
        println!("closed after {} ms", ended.elapsed().as_millis());
        assert_eq!(frames.last().unwrap()["code"], "unauthenticated");
        assert_eq!(u16::from(close.unwrap().code), 4401);
        nodes.two.client().of(&player).get("/v1/me").await.refused(401, "unauthenticated");
    }
}
