//! Servers that share a database and a bus, and what is asked of them in the same way.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use serde_json::{Value, json};
use stakeboard_tests::{Client, Nats, Player, Socket, TestServer, play::seat_of, server::start_match};

/// For what should happen at once, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_mins(1);

/// Declares a test that runs over both kinds of bus.
macro_rules! on_both {
    ($($(#[$doc:meta])* async fn $name:ident($nodes:ident: Nodes) $body:block)*) => {
        $($(#[$doc])* async fn $name($nodes: crate::support::Nodes) $body)*

        mod in_one_process {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() { super::$name(crate::support::Nodes::in_one_process().await).await })*
        }

        mod over_nats {
            $(#[tokio::test(flavor = "multi_thread")]
            #[ignore = "needs nats-server"]
            async fn $name() { super::$name(crate::support::Nodes::over_nats().await).await })*
        }
    };
}
pub(crate) use on_both;

/// Two servers on one database.
pub struct Nodes {
    pub one: TestServer,
    pub two: TestServer,
    _nats: Option<Nats>,
}

impl Nodes {
    /// Over the bus inside this process.
    pub async fn in_one_process() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        Self::over(&format!("memory:{}", NEXT.fetch_add(1, Ordering::Relaxed)), None).await
    }

    /// Over NATS.
    pub async fn over_nats() -> Self {
        let nats = Nats::start().await;
        Self::over(&nats.url(), Some(nats)).await
    }

    async fn over(bus: &str, nats: Option<Nats>) -> Self {
        let one = TestServer::with(&[&format!("--bus={bus}"), "--sockets-most=100"]).await;
        let two = one.another().await;
        let nodes = Self { one, two, _nats: nats };
        nodes.until_they_know_each_other().await;
        nodes
    }

    /// A player who is connected to one node counts as there at the other.
    async fn until_they_know_each_other(&self) {
        for [from, to] in [[&self.one, &self.two], [&self.two, &self.one]] {
            let player = from.registrar.player(0).await;
            let _socket = Socket::open(from.address, &player.token).await;
            until_online(&to.client(), &player, true).await;
        }
    }

    /// A match that node one owns: its id, and the two with the one first who opens.
    pub async fn match_at_one(&self, stake: i64) -> (String, [Player; 2]) {
        let (one, two) = (self.one.registrar.player(stake).await, self.one.registrar.player(stake).await);
        let id = start_match(&self.one.client(), &one, &two, &json!({"game": "oware", "stake": stake})).await;
        let opens = seat_of(&snapshot(&self.one.client(), &id).await, &one) == "first";
        (id, if opens { [one, two] } else { [two, one] })
    }
}

/// Waits until a node shows a player as there, or as gone.
pub async fn until_online(client: &Client, player: &Player, online: bool) {
    let id = player.id.to_string();
    eventually("somebody came or went", async || {
        let there = client.of(player).get("/v1/lobby/players").await.expect(200).body;
        let is_there = there["items"].as_array().unwrap().iter().any(|other| other["id"] == id);
        (is_there == online).then_some(())
    })
    .await;
}

/// A match as anybody can read it.
pub async fn snapshot(client: &Client, id: &str) -> Value {
    client.get(&format!("/v1/matches/{id}")).await.expect(200).body
}

/// Asks again and again until there is an answer.
pub async fn eventually<T, F: Future<Output = Option<T>>>(what: &str, mut ask: impl FnMut() -> F) -> T {
    let found = async {
        loop {
            if let Some(found) = ask().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("not in a minute: {what}"))
}

/// The whole record of a match as a node tells it.
pub async fn journal(socket: &mut Socket, id: &str) -> Vec<Value> {
    let answer = socket.request(json!({"type": "watch", "match": id, "since": 0})).await;
    assert_eq!(answer["type"], "events", "{answer}");
    socket.request(json!({"type": "unwatch", "match": id})).await;
    answer["events"].as_array().unwrap().clone()
}

/// How often a match has been settled.
pub async fn settlements(pool: &sqlx::PgPool, id: &str) -> i64 {
    let id: uuid::Uuid = id.parse().unwrap();
    sqlx::query_scalar("select count(*) from settlements where match_id = $1").bind(id).fetch_one(pool).await.unwrap()
}
