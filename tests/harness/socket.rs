//! A client on the socket.

use std::{collections::VecDeque, net::SocketAddr, time::Duration};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Error, Message, protocol::CloseFrame},
};

/// For what should happen at once, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_mins(1);

/// Whether a server says that it is in trouble: it is asked again over another line.
pub fn is_trouble(answer: &Value) -> bool {
    ["stopping", "paused", "overloaded"].iter().any(|code| answer["code"] == *code)
}

/// An open socket.
pub struct Socket {
    /// The library's socket, for what this harness has no words for.
    pub stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    backlog: VecDeque<Value>,
    next_id: u64,
}

impl Socket {
    /// Connects without saying who.
    pub async fn connect(address: SocketAddr) -> Self {
        Self::try_connect(address).await.unwrap()
    }

    /// Connects without saying who; an error where nobody listens.
    pub async fn try_connect(address: SocketAddr) -> Result<Self, Error> {
        let (stream, _) = connect_async(format!("ws://{address}/v1/ws")).await?;
        Ok(Self::over(stream))
    }

    /// Over a line that is there.
    pub fn over(stream: WebSocketStream<MaybeTlsStream<TcpStream>>) -> Self {
        Self { stream, backlog: VecDeque::new(), next_id: 1 }
    }

    /// Connects and says hello.
    pub async fn open(address: SocketAddr, token: &str) -> Self {
        Self::try_open(address, token).await.unwrap()
    }

    /// Connects and says hello; an error where nobody listens or the line is lost.
    pub async fn try_open(address: SocketAddr, token: &str) -> Result<Self, Error> {
        let mut socket = Self::try_connect(address).await?;
        socket.try_send(&json!({"type": "hello", "token": token})).await?;
        let welcome = socket.try_next().await?;
        if is_trouble(&welcome) {
            return Err(Error::ConnectionClosed);
        }
        assert_eq!(welcome["type"], "welcome", "{welcome}");
        Ok(socket)
    }

    /// Sends a frame.
    pub async fn send(&mut self, frame: &Value) {
        self.try_send(frame).await.unwrap();
    }

    /// Sends a frame; an error where the line is lost.
    pub async fn try_send(&mut self, frame: &Value) -> Result<(), Error> {
        self.stream.send(Message::text(frame.to_string())).await
    }

    /// The next frame, of those set aside first.
    pub async fn next(&mut self) -> Value {
        self.try_next().await.unwrap()
    }

    /// The next frame; an error where the line is lost.
    pub async fn try_next(&mut self) -> Result<Value, Error> {
        match self.backlog.pop_front() {
            Some(frame) => Ok(frame),
            None => self.receive().await,
        }
    }

    async fn receive(&mut self) -> Result<Value, Error> {
        // Over the whole wait: pings of the server come for as long as the socket is open.
        timeout(PATIENCE, self.receive_text()).await.expect("a frame within a minute")
    }

    async fn receive_text(&mut self) -> Result<Value, Error> {
        loop {
            match self.stream.next().await.ok_or(Error::ConnectionClosed)?? {
                Message::Text(text) => return Ok(serde_json::from_str(&text).unwrap()),
                Message::Close(_) => return Err(Error::ConnectionClosed),
                _ => {}
            }
        }
    }

    /// Reads to the end and gives the frames before it and how the server closed.
    pub async fn closed(&mut self) -> (Vec<Value>, Option<CloseFrame>) {
        let mut frames: Vec<Value> = self.backlog.drain(..).collect();
        loop {
            let message = timeout(PATIENCE, self.stream.next()).await.expect("an end within a minute");
            match message {
                Some(Ok(Message::Text(text))) => frames.push(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(close))) => return (frames, close),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return (frames, None),
            }
        }
    }

    /// Sends a request and gives its answer; what comes between is set aside.
    pub async fn request(&mut self, frame: Value) -> Value {
        self.try_request(frame).await.unwrap()
    }

    /// The same; an error where the line is lost.
    pub async fn try_request(&mut self, mut frame: Value) -> Result<Value, Error> {
        let id = self.next_id;
        self.next_id += 1;
        frame["id"] = id.into();
        self.try_send(&frame).await?;
        loop {
            let received = self.receive().await?;
            if received["id"] == id {
                return Ok(received);
            }
            self.backlog.push_back(received);
        }
    }

    /// The next frame of this type; what comes before is dropped.
    pub async fn until(&mut self, kind: &str) -> Value {
        loop {
            let frame = self.next().await;
            if frame["type"] == kind {
                return frame;
            }
        }
    }

    /// The next frame of one of these types; what comes before is dropped.
    pub async fn until_one_of(&mut self, kinds: &[&str]) -> Value {
        loop {
            let frame = self.next().await;
            if kinds.iter().any(|kind| frame["type"] == *kind) {
                return frame;
            }
        }
    }

    /// The next event of the record of a match; what comes before is dropped.
    pub async fn next_event(&mut self, match_id: &str) -> Value {
        loop {
            let frame = self.next().await;
            if frame["match"] == match_id && frame["seq"].is_u64() {
                return frame;
            }
        }
    }

    /// Watches a match and gives the snapshot.
    pub async fn watch(&mut self, match_id: &str) -> Value {
        let answer = self.request(json!({"type": "watch", "match": match_id})).await;
        assert_eq!(answer["type"], "match", "{answer}");
        answer["match"].clone()
    }

    /// Plays a move and gives the answer.
    pub async fn play(&mut self, match_id: &str, ply: u64, text: &str) -> Value {
        self.request(json!({"type": "move", "match": match_id, "ply": ply, "move": text})).await
    }
}
