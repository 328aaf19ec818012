//! A NATS server of its own for a test.

use std::{
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    time::Duration,
};

/// A NATS server, which can be killed and started again at the same address.
pub struct Nats {
    address: SocketAddr,
    /// A user and their password, where it asks for them.
    user: Option<(&'static str, &'static str)>,
    child: Child,
}

impl Nats {
    /// Starts one (Debian's package `nats-server`) on a free port.
    pub async fn start() -> Self {
        Self::launch(None).await
    }

    /// The same, for this user with this password only.
    pub async fn guarded(user: &'static str, password: &'static str) -> Self {
        Self::launch(Some((user, password))).await
    }

    async fn launch(user: Option<(&'static str, &'static str)>) -> Self {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        Self { address, user, child: launch(address, user).await }
    }

    /// What a server's setting `STAKEBOARD_BUS` says of it.
    pub fn url(&self) -> String {
        match self.user {
            Some((user, password)) => format!("nats://{user}:{password}@{}", self.address),
            None => format!("nats://{}", self.address),
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again.
    pub async fn restart(&mut self) {
        self.child = launch(self.address, self.user).await;
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

async fn launch(address: SocketAddr, user: Option<(&str, &str)>) -> Child {
    let child = Command::new("nats-server")
        .args(["--addr", &address.ip().to_string(), "--port", &address.port().to_string()])
        .args(user.iter().flat_map(|(user, password)| ["--user", user, "--pass", password]))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("Debian's package nats-server is needed");
    while TcpStream::connect(address).is_err() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    child
}
