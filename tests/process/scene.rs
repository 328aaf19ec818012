//! A server on a database of its own, and a match that both players watch.

use std::time::Duration;

use serde_json::{Value, json};
use stakeboard_tests::{Player, ServerProcess, Socket, TestCluster};
use time::OffsetDateTime;

use crate::{
    SERVER,
    clocks::{AGAINST_MS, FAVOUR_MS},
    support::{events, eventually, milliseconds, new_match, time_of, verify_by_program, wall},
};

/// A server on a cluster of its own, and a match that both players watch.
pub struct Scene {
    /// The server, which goes before its database.
    pub server: ServerProcess,
    /// The database.
    pub cluster: TestCluster,
    /// The match.
    pub id: String,
    /// Its players, the one first who opens.
    pub players: [Player; 2],
    /// A socket of each.
    pub sockets: [Socket; 2],
}

/// What a clock showed, and when.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    ms: i64,
    at: OffsetDateTime,
}

impl Scene {
    /// With the settings that tests have.
    pub async fn new() -> Self {
        Self::on(TestCluster::start().await, &[]).await
    }

    /// On this cluster, with further variables of the server.
    pub async fn on(cluster: TestCluster, environment: &[(&str, &str)]) -> Self {
        let server = ServerProcess::on(cluster.database(), SERVER, environment).await;
        let (id, players) = new_match(&server, 100).await;
        let mut sockets = [
            Socket::open(server.address, &players[0].token).await,
            Socket::open(server.address, &players[1].token).await,
        ];
        for socket in &mut sockets {
            socket.watch(&id).await;
        }
        Self { server, cluster, id, players, sockets }
    }

    /// The first move is made, and the second player's clock has run for a while.
    pub async fn open(&mut self) -> Shown {
        assert_eq!(self.sockets[0].play(&self.id, 1, "C").await["seq"], 1);
        let moved = self.sockets[1].until("moved").await;
        tokio::time::sleep(Duration::from_millis(700)).await;
        Shown { ms: moved["clocks"]["second_ms"].as_i64().unwrap(), at: time_of(&moved["clocks"]["at"]) }
    }

    /// The other player is told that play goes on; the second player's clock, which showed this before, was charged for
    /// the time up to `failed` and for no more.
    pub async fn goes_on(&mut self, before: Shown, failed: OffsetDateTime) {
        let credited = self.sockets[0].until("clock_credited").await;
        assert_eq!((&credited["reason"], &credited["seq"]), (&json!("outage"), &json!(2)));
        let has = credited["clocks"]["second_ms"].as_i64().unwrap();
        let gained = has - before.ms + milliseconds(failed - before.at);
        println!("{gained} ms gained");
        assert!((-AGAINST_MS..=FAVOUR_MS).contains(&gained), "{gained} ms gained: {credited}");
        assert_eq!(self.sockets[0].until("resumed").await["clocks"]["running"], "second");
    }

    /// The second move, sent until it stands; money and the lobby work too; the ledger adds up.
    pub async fn is_well(&mut self) {
        let act = json!({"type": "move", "match": self.id, "ply": 2, "move": "b"});
        eventually("the second move", async || {
            let mut socket = Socket::open(self.server.address, &self.players[1].token).await;
            let answer = socket.request(act.clone()).await;
            assert!(answer["type"] == "ok" || answer["code"] == "paused", "{answer}");
            (answer["type"] == "ok").then_some(())
        })
        .await;
        let moved = self.sockets[0].until("moved").await;
        assert_eq!((&moved["seq"], &moved["ply"]), (&json!(3), &json!(2)), "{moved}");
        eventually("ready again", async || (self.readiness().await == 200).then_some(())).await;
        let client = self.server.client().of(&self.players[0]);
        eventually("a deposit and a seek", async || {
            let deposit = client.post_keyed("/v1/wallet/deposits", "after", &json!({"amount": 500})).await;
            let seek = client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 100})).await;
            for answer in [&deposit, &seek] {
                assert!([201, 409, 503].contains(&answer.status), "{}", answer.text);
            }
            (deposit.status == 201).then_some(())
        })
        .await;
        verify_by_program(&self.server).await;
    }

    /// The status of the server's own word on whether it could commit a move.
    pub async fn readiness(&self) -> u16 {
        self.server.client().get("/readyz").await.status
    }

    /// Journal rows by their place.
    pub async fn journal(&self) -> Vec<Value> {
        let mut socket = Socket::open(self.server.address, &self.players[0].token).await;
        events(&mut socket, &self.id).await
    }

    /// An act of the second player is refused, at once and by its name.
    pub async fn refuses(&mut self, act: Value) {
        let asked = wall();
        let answer = self.sockets[1].request(act).await;
        assert_eq!(answer["code"], "paused", "{answer}");
        assert!(milliseconds(wall() - asked) < 1_000, "at once");
    }
}
