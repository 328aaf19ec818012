//! Races of two ends of one match.

use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::{Client, Player, Socket, TestServer, server::start_match};

use super::ROUNDS;
use crate::support::{available, check_books, lanes, settlements, together};

const STAKE: i64 = 500;
const MONEY: i64 = 100 * STAKE;

/// Sends an act on a socket or over HTTP. Gives `ok` or the code of the refusal.
async fn act(mut way: Way, id: &str, kind: &str, mut body: Value) -> String {
    match &mut way {
        Way::Socket(socket) => {
            body["type"] = kind.into();
            body["match"] = id.into();
            let answer = socket.request(body).await;
            if answer["type"] == "ok" { "ok".into() } else { answer["code"].as_str().unwrap().to_owned() }
        }
        Way::Http(client) => {
            let path = format!("/v1/matches/{id}/{kind}");
            let answer =
                if kind == "resign" { client.post_empty(&path).await } else { client.post(&path, &body).await };
            if answer.status == 200 {
                return "ok".into();
            }
            assert_eq!(answer.status, 409, "{}", answer.text);
            answer.code().to_owned()
        }
    }
}

enum Way {
    Socket(Box<Socket>),
    Http(Client),
}

async fn way(server: std::net::SocketAddr, player: &(Player, Client), on_socket: bool) -> Way {
    if on_socket {
        Way::Socket(Box::new(Socket::open(server, &player.0.token).await))
    } else {
        Way::Http(player.1.clone())
    }
}

/// MA-7, MA-8. The one who resigns is in turn the one who offered the draw and the one who accepts it.
#[tokio::test(flavor = "multi_thread")]
async fn a_resignation_and_an_accepted_draw_at_once_are_one_end_and_one_settlement() {
    const LANES: u64 = 8;
    let server = TestServer::start().await;
    let mut tables = Vec::new();
    for _ in 0..LANES {
        tables.push([server.player(MONEY).await, server.player(MONEY).await]);
    }
    let address = server.address;
    lanes(LANES, |lane| {
        let registrar = server.registrar.clone();
        let [offers, accepts] = tables[usize::try_from(lane).unwrap()].clone();
        async move {
            for round in 0..ROUNDS / LANES {
                let before = available(&registrar.pool, &[&offers.0, &accepts.0]).await;
                let terms = json!({"game": "oware", "stake": STAKE});
                let id = start_match(&offers.1, &offers.0, &accepts.0, &terms).await;
                let path = format!("/v1/matches/{id}/draw");
                let offer = offers.1.post(&path, &json!({"action": "offer"})).await.expect(200).body["seq"].clone();
                let offerer_resigns = round % 2 == 0;
                let resigner = if offerer_resigns { &offers } else { &accepts };
                let resigning = way(address, resigner, round % 4 < 2).await;
                let accepting = way(address, &accepts, round % 8 < 4).await;
                let acts = [
                    (resigning, "resign", json!({})),
                    (accepting, "draw", json!({"action": "accept", "offer": offer})),
                ];
                let acts = acts.map(|(way, kind, body)| {
                    let id = id.clone();
                    async move { act(way, &id, kind, body).await }
                });
                let told = together(acts.into_iter().collect()).await;
                let resigned = told[0] == "ok";
                let expected = if resigned { ["ok", "match_over"] } else { ["match_over", "ok"] };
                assert_eq!(told, expected);
                let ending =
                    offers.1.get(&format!("/v1/matches/{id}")).await.expect(200).body["outcome"]["ending"].clone();
                assert_eq!(ending, if resigned { "resignation" } else { "agreement" });
                assert_eq!(settlements(&registrar.pool, &id).await, [if resigned { "win" } else { "draw" }]);
                let won = STAKE - STAKE / 5;
                let changes = match (resigned, offerer_resigns) {
                    (false, _) => [0, 0],
                    (true, true) => [-STAKE, won],
                    (true, false) => [won, -STAKE],
                };
                let after = available(&registrar.pool, &[&offers.0, &accepts.0]).await;
                assert_eq!(after, [before[0] + changes[0], before[1] + changes[1]]);
            }
        }
    })
    .await;
    check_books(&server.registrar, 2 * MONEY * i64::try_from(LANES).unwrap()).await;
    server.stop().await;
}

/// What gives back, voids and pays out, from both players and three of the staff, ten at once: one of them ends the match.
#[tokio::test(flavor = "multi_thread")]
async fn l6_a_refund_a_void_and_a_payout_raced_ten_ways_are_one_settlement() {
    let server = TestServer::start().await;
    let [one, two] = [server.player(MONEY).await, server.player(MONEY).await];
    let mut staff = Vec::new();
    for _ in 0..3 {
        staff.push(server.client().of(&server.registrar.with_roles(0, vec![Role::Admin]).await));
    }
    let mut seen = std::collections::BTreeMap::new();
    for round in 0..12 {
        let before = available(&server.registrar.pool, &[&one.0, &two.0]).await;
        let id = start_match(&one.1, &one.0, &two.0, &json!({"game": "oware", "stake": STAKE})).await;
        let path = format!("/v1/matches/{id}");
        let offer =
            one.1.post(&format!("{path}/draw"), &json!({"action": "offer"})).await.expect(200).body["seq"].clone();
        let accept = (&two.1, format!("{path}/draw"), json!({"action": "accept", "offer": offer}));
        let (mine, theirs) =
            ((&one.1, format!("{path}/resign"), json!({})), (&two.1, format!("{path}/resign"), json!({})));
        let void = |admin| (admin, format!("/v1/admin/matches/{id}/void"), json!({"reason": "race"}));
        let mut acts = vec![accept.clone(), accept.clone(), accept, mine.clone(), mine, theirs.clone(), theirs];
        acts.extend(staff.iter().map(void));
        // Each of them is the first to be sent in its turn.
        acts.rotate_left(round % 10);
        let acts = acts.into_iter().map(|(client, path, body)| {
            let client = client.clone();
            async move { client.post(&path, &body).await }
        });
        let answers = together(acts.collect()).await;
        let done: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
        assert_eq!(done.len(), 1, "one act ends it");
        for answer in answers.iter().filter(|answer| answer.status != 200) {
            assert_eq!((answer.status, answer.code()), (409, "match_over"), "{}", answer.text);
        }
        let [outcome] = &settlements(&server.registrar.pool, &id).await[..] else { panic!("not settled once") };
        *seen.entry(outcome.clone()).or_insert(0) += 1;
        let after = available(&server.registrar.pool, &[&one.0, &two.0]).await;
        let changes = [after[0] - before[0], after[1] - before[1]];
        let won = STAKE - STAKE / 5;
        let possible: &[[i64; 2]] = if outcome == "win" { &[[won, -STAKE], [-STAKE, won]] } else { &[[0, 0]] };
        assert!(possible.contains(&changes), "{outcome}: {changes:?}");
    }
    println!("{seen:?}");
    check_books(&server.registrar, 2 * MONEY).await;
    server.stop().await;
}

/// T30, T31: acts of every kind from both players at the same moment, again after the end: one end, one payment.
#[tokio::test(flavor = "multi_thread")]
async fn t31_whatever_is_sent_at_and_after_the_end_of_a_match_pays_once() {
    const LANES: u64 = 4;
    let server = TestServer::start().await;
    let mut tables = Vec::new();
    for _ in 0..LANES {
        tables.push([server.player(MONEY).await, server.player(MONEY).await]);
    }
    lanes(LANES, |lane| {
        let registrar = server.registrar.clone();
        let [one, two] = tables[usize::try_from(lane).unwrap()].clone();
        async move {
            for _ in 0..5 {
                let terms = json!({"game": "oware", "stake": STAKE});
                let id = start_match(&one.1, &one.0, &two.0, &terms).await;
                let mut acts = Vec::new();
                for player in [&one, &two] {
                    for (kind, body) in [
                        ("resign", json!({})),
                        ("draw", json!({"action": "offer"})),
                        ("draw", json!({"action": "accept", "offer": 1})),
                        ("moves", json!({"ply": 1, "move": "A"})),
                    ] {
                        let (client, id) = (player.1.clone(), id.clone());
                        acts.push(async move {
                            let path = format!("/v1/matches/{id}/{kind}");
                            let request = client.request(reqwest::Method::POST, &path);
                            let answer =
                                client.send(if kind == "resign" { request } else { request.json(&body) }).await;
                            assert!([200, 409, 422].contains(&answer.status), "{}", answer.text);
                        });
                    }
                }
                together(acts).await;
                assert_eq!(settlements(&registrar.pool, &id).await.len(), 1);
                let after = available(&registrar.pool, &[&one.0, &two.0]).await;
                for client in [&one.1, &two.1] {
                    client.post_empty(&format!("/v1/matches/{id}/resign")).await.refused(409, "match_over");
                    let offer = client.post(&format!("/v1/matches/{id}/draw"), &json!({"action": "offer"})).await;
                    offer.refused(409, "match_over");
                }
                assert_eq!(available(&registrar.pool, &[&one.0, &two.0]).await, after);
            }
        }
    })
    .await;
    check_books(&server.registrar, 2 * MONEY * i64::try_from(LANES).unwrap()).await;
    server.stop().await;
}
