//! What the matches are played on: a Postgres of their own, and servers as processes that can be killed.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use nix::sys::signal::Signal;
use stakeboard_tests::{Client, Player, ServerProcess, TestCluster};

use crate::{ROLE, arguments::Arguments};

/// How often it is looked whether something is there again.
pub const LOOK: Duration = Duration::from_millis(5);

/// Everything that can fail.
pub struct Stage {
    /// The database of all.
    pub cluster: TestCluster,
    /// The servers.
    pub servers: Vec<ServerProcess>,
    /// Somebody who plays no match, and looks at all of them in the end.
    pub witness: Player,
}

impl Stage {
    /// Starts everything.
    pub async fn set(arguments: &Arguments) -> Self {
        let cluster = TestCluster::start().await;
        let program = std::env::current_exe().unwrap();
        let settings = [
            (ROLE, "server"),
            ("STAKEBOARD_LOG", "error"),
            ("STAKEBOARD_SOCKET_FRAMES_PER_SECOND", "1000000"),
            ("STAKEBOARD_SOCKET_FRAMES_BURST", "1000000"),
        ];
        let mut servers = Vec::new();
        for _ in 0..arguments.nodes {
            servers.push(ServerProcess::on(cluster.database(), program.to_str().unwrap(), &settings).await);
        }
        // Now: connections to Postgres do not live through what comes.
        let witness = servers[0].registrar.player(0).await;
        Self { cluster, servers, witness }
    }

    /// Where players come in.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.servers.iter().map(|server| server.address).collect()
    }

    /// Waits until every server could commit a move.
    pub async fn until_ready(&self) {
        for server in &self.servers {
            let client = server.client();
            while !is_ready(&client).await {
                tokio::time::sleep(LOOK).await;
            }
        }
    }

    /// Stops everything, in order.
    pub async fn strike(mut self) {
        for server in &mut self.servers {
            server.signal(Signal::SIGTERM);
            server.wait().await;
        }
    }
}

/// Whether a server answers in a moment that it could commit a move.
async fn is_ready(client: &Client) -> bool {
    let asked = client.try_send(client.request(reqwest::Method::GET, "/readyz"));
    let answer = tokio::time::timeout(Duration::from_secs(1), asked).await;
    matches!(answer, Ok(Ok(answer)) if answer.status == 200)
}

/// Waits until something is so; false where it is not in time.
pub async fn until(patience: Duration, is_so: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    while !is_so() {
        if began.elapsed() > patience {
            return false;
        }
        tokio::time::sleep(LOOK).await;
    }
    true
}
