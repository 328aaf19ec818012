//! What the matches are played on: a Postgres of their own, servers as processes that can be killed and, where there are
//! several, a bus between them.

use std::{net::SocketAddr, time::Duration};

use nix::sys::signal::Signal;
use stakeboard_tests::{Client, Nats, Player, ServerProcess, TestCluster};

use crate::{ROLE, arguments::Arguments};

/// How often it is looked whether something is there again.
pub const LOOK: Duration = Duration::from_millis(5);

/// Everything that can fail.
pub struct Stage {
    /// The database of all.
    pub cluster: TestCluster,
    /// The servers.
    pub servers: Vec<ServerProcess>,
    /// What several servers tell each other over.
    pub bus: Option<Nats>,
    /// Somebody who plays no match, and looks at all of them in the end.
    pub witness: Player,
}

impl Stage {
    /// Starts everything.
    pub async fn set(arguments: &Arguments) -> Self {
        let cluster = TestCluster::start().await;
        let program = std::env::current_exe().unwrap();
        let bus = if arguments.nodes > 1 { Some(Nats::start().await) } else { None };
        let url = bus.as_ref().map(Nats::url).unwrap_or_default();
        let mut settings = vec![
            (ROLE, "server"),
            ("STAKEBOARD_LOG", "error"),
            ("STAKEBOARD_SOCKET_FRAMES_PER_SECOND", "1000000"),
            ("STAKEBOARD_SOCKET_FRAMES_BURST", "1000000"),
        ];
        if bus.is_some() {
            settings.push(("STAKEBOARD_BUS", &url));
        }
        let mut servers = vec![ServerProcess::on(cluster.database(), program.to_str().unwrap(), &settings).await];
        for _ in 1..arguments.nodes {
            servers.push(servers[0].another().await);
        }
        // Now: connections to Postgres do not live through what comes.
        let witness = servers[0].registrar.player(0).await;
        Self { cluster, servers, bus, witness }
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
