//! A bare connection, for what no proper client does.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::{Instant, timeout_at},
};

/// A connection on which anything can be sent, or nothing.
pub struct Line {
    /// The connection.
    pub stream: TcpStream,
}

impl Line {
    /// Connects.
    pub async fn connect(address: SocketAddr) -> Self {
        Self { stream: TcpStream::connect(address).await.unwrap() }
    }

    /// Connects with room for few bytes that have come and were not read.
    pub async fn narrow(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4_096).unwrap();
        Self { stream: socket.connect(address).await.unwrap() }
    }

    /// Connects and becomes a socket that has said hello, without a client that answers pings.
    pub async fn socket(address: SocketAddr, token: &str) -> Self {
        Self::connect(address).await.upgrade(address, token).await
    }

    /// Asks for the socket and reads the answer's head.
    pub async fn upgrade(mut self, address: SocketAddr, token: &str) -> Self {
        let head = format!(
            "GET /v1/ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        );
        self.send(head.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(self.stream.read_u8().await.unwrap());
        }
        assert!(answer.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&answer));
        self
    }

    /// Sends bytes; an error where the other side has gone.
    pub async fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Sends a frame as a client has to: masked, here with zeros, which change nothing.
    pub async fn frame(&mut self, first_byte: u8, payload: &[u8]) -> std::io::Result<()> {
        let mut bytes = vec![first_byte];
        match u16::try_from(payload.len()) {
            Ok(length) if length < 126 => bytes.push(0x80 | length.to_be_bytes()[1]),
            Ok(length) => {
                bytes.push(0x80 | 0x7e);
                bytes.extend(length.to_be_bytes());
            }
            Err(_) => {
                bytes.push(0x80 | 0x7f);
                bytes.extend((payload.len() as u64).to_be_bytes());
            }
        }
        bytes.extend([0; 4]);
        bytes.extend(payload);
        self.send(&bytes).await
    }

    /// Everything the other side sends until it closes; `None` where it has not by then.
    pub async fn rest(&mut self, patience: Duration) -> Option<Vec<u8>> {
        let until = Instant::now() + patience;
        let mut bytes = Vec::new();
        let mut part = [0; 4_096];
        loop {
            match timeout_at(until, self.stream.read(&mut part)).await {
                // A reset is an end too.
                Ok(Ok(0) | Err(_)) => return Some(bytes),
                Ok(Ok(length)) => bytes.extend(&part[..length]),
                Err(_) => return None,
            }
        }
    }
}
