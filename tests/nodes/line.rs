//! A line that can be cut.

use std::net::SocketAddr;

use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// A line to an address, by an address of its own.
pub struct Line {
    pub address: SocketAddr,
    is_whole: watch::Sender<bool>,
}

impl Line {
    pub async fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (is_whole, whole) = watch::channel(true);
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                if *whole.borrow() {
                    tokio::spawn(carry(near, target, whole.clone()));
                }
            }
        });
        Self { address, is_whole }
    }

    /// What goes over it ends, and nothing more gets through.
    pub fn cut(&self) {
        self.is_whole.send_replace(false);
    }

    /// It is whole again.
    pub fn mend(&self) {
        self.is_whole.send_replace(true);
    }
}

async fn carry(mut near: TcpStream, target: SocketAddr, mut whole: watch::Receiver<bool>) {
    let Ok(mut far) = TcpStream::connect(target).await else { return };
    tokio::select! {
        _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
        _ = whole.wait_for(|whole| !whole) => {}
    }
}
