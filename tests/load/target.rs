//! The server under load: one of our own on a private Postgres, or one that runs already.

use std::net::{SocketAddr, ToSocketAddrs as _};

use anyhow::{Context as _, ensure};
use nix::sys::signal::Signal;
use reqwest::Method;
use serde_json::{Value, json};
use stakeboard_tests::{Client, ServerProcess, TestCluster};

use crate::{
    ROLE,
    line::{Line, Received},
    people::{Person, Source},
    processes::Processes,
};

/// A server, and how players come to it.
pub struct Target {
    /// Where it listens.
    pub address: SocketAddr,
    /// Without a token.
    pub client: Client,
    /// What it tells of itself.
    pub config: Value,
    source: Source,
    own: Option<Own>,
}

/// A server that was started for this run.
pub struct Own {
    /// Its Postgres.
    pub cluster: TestCluster,
    /// The server.
    pub process: ServerProcess,
}

/// Limits that the run would meet by its speed, and an access token that lasts for the longest run.
const SETTINGS: [(&str, &str); 4] = [
    (ROLE, "server"),
    ("STAKEBOARD_SOCKET_FRAMES_PER_SECOND", "1000000"),
    ("STAKEBOARD_SOCKET_FRAMES_BURST", "1000000"),
    ("STAKEBOARD_ACCESS_TOKEN_SECONDS", "86400"),
];

impl Target {
    /// Starts a server on a Postgres of its own, which keeps what it acknowledges through anything.
    pub async fn start() -> anyhow::Result<Self> {
        let cluster = TestCluster::start().await;
        let program = std::env::current_exe()?;
        let program = program.to_str().context("this program's path is no text")?;
        let process = ServerProcess::on(cluster.database(), program, &SETTINGS).await;
        let source = Source::Database(Box::new(process.registrar.clone()));
        let (address, client) = (process.address, process.client());
        Self::with(address, client, source, Some(Own { cluster, process })).await
    }

    /// Uses one that runs.
    pub async fn at(url: &str) -> anyhow::Result<Self> {
        let host = url.strip_prefix("http://").context("the URL has to begin with http://")?.trim_end_matches('/');
        let address = host.to_socket_addrs().context("the URL has to be a host and a port, without a path")?.next();
        let address = address.context("the URL's host has no address")?;
        Self::with(address, Client::new(address), Source::SignUp, None).await
    }

    async fn with(address: SocketAddr, client: Client, source: Source, own: Option<Own>) -> anyhow::Result<Self> {
        let config = client.try_send(client.request(Method::GET, "/v1/config")).await;
        let config = config.with_context(|| format!("nobody answers at http://{address}"))?;
        ensure!(config.status == 200, "/v1/config: {} {}", config.status, config.text);
        Ok(Self { address, client, config: config.body, source, own })
    }

    /// A new player with an open socket.
    pub async fn player(&self) -> anyhow::Result<(Person, Line)> {
        let mut person = Person::new(&self.source, &self.client).await?;
        let mut line = Line::open(self.address, "/v1/ws").await?;
        line.send(json!({ "type": "hello", "token": person.token().await? }).to_string()).await?;
        let welcome = line.receive().await?;
        ensure!(Received::read(&welcome)?.kind == "welcome", "instead of a welcome: {welcome}");
        Ok((person, line))
    }

    /// The server that was started for this run, if one was.
    pub fn own(&self) -> Option<&Own> {
        self.own.as_ref()
    }

    /// Stops what was started for this run, in order.
    pub async fn stop(self) {
        if let Some(mut own) = self.own {
            own.process.signal(Signal::SIGTERM);
            own.process.wait().await;
        }
    }

    /// A setting that is a number.
    pub fn setting(&self, name: &str) -> Option<u64> {
        name.split('.').try_fold(&self.config, |value, name| value.get(name))?.as_u64()
    }
}

impl Own {
    /// The server's own process.
    pub fn server(&self) -> Processes {
        Processes::one(self.process.pid())
    }

    /// Those processes of its Postgres that write the journal; none before the first move.
    pub async fn journal(&self) -> anyhow::Result<Vec<u32>> {
        let mut connection = self.cluster.database().as_owner().await;
        let pids: Vec<i32> =
            sqlx::query_scalar("select pid from pg_stat_activity where application_name = 'stakeboard journal'")
                .fetch_all(&mut connection)
                .await?;
        Ok(pids.into_iter().map(i32::cast_unsigned).collect())
    }

    /// Every process of its Postgres.
    pub fn postgres(&self) -> Processes {
        Processes::with_children(self.cluster.pid())
    }
}
