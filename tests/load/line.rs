//! A socket that costs its user little: small buffers, frames read as they come.

use std::{borrow::Cow, convert::Infallible, net::SocketAddr, time::Duration};

use anyhow::{Context as _, bail};
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{Message, Utf8Bytes, protocol::WebSocketConfig},
};

/// A frame that takes longer counts as lost.
const PATIENCE: Duration = Duration::from_mins(1);

/// An open socket.
pub struct Line {
    stream: WebSocketStream<TcpStream>,
}

impl Line {
    /// Connects.
    pub async fn open(address: SocketAddr, path: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await.context("connecting")?;
        stream.set_nodelay(true)?;
        let config = WebSocketConfig::default().read_buffer_size(1_024).write_buffer_size(0);
        let (stream, _) = client_async_with_config(format!("ws://{address}{path}"), stream, Some(config)).await?;
        Ok(Self { stream })
    }

    /// Sends a text frame.
    pub async fn send(&mut self, text: impl Into<Utf8Bytes>) -> anyhow::Result<()> {
        self.stream.send(Message::Text(text.into())).await.context("sending")
    }

    /// The next text frame.
    pub async fn receive(&mut self) -> anyhow::Result<Utf8Bytes> {
        // Over the whole wait: pings of the server come for as long as the socket is open.
        timeout(PATIENCE, self.receive_text()).await.context("no frame within a minute")?
    }

    async fn receive_text(&mut self) -> anyhow::Result<Utf8Bytes> {
        loop {
            match self.stream.next().await.context("the socket closed")?? {
                Message::Text(text) => return Ok(text),
                Message::Close(close) => bail!("the socket was closed: {close:?}"),
                _ => {}
            }
        }
    }

    /// Answers pings for so long, and sets aside whatever else comes: nothing is asked for meanwhile.
    pub async fn rest(&mut self, length: Duration, aside: &mut Vec<Utf8Bytes>) -> anyhow::Result<()> {
        match timeout(length, self.attend(aside)).await {
            Ok(Ok(never)) => match never {},
            Ok(Err(error)) => Err(error),
            Err(_) => Ok(()),
        }
    }

    /// The same until the socket is lost.
    pub async fn attend(&mut self, aside: &mut Vec<Utf8Bytes>) -> anyhow::Result<Infallible> {
        loop {
            aside.push(self.receive_text().await?);
        }
    }
}

/// A frame of the server, as far as a player needs it.
#[derive(Debug, Deserialize)]
pub struct Received<'a> {
    /// What it is.
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    /// The number of the move that is told.
    pub ply: Option<u32>,
    /// What can be played now.
    #[serde(borrow)]
    pub legal: Option<Vec<Cow<'a, str>>>,
    /// Who is to move now.
    #[serde(borrow)]
    pub to_move: Option<Cow<'a, str>>,
    /// Why a request was refused.
    #[serde(borrow)]
    pub code: Option<Cow<'a, str>>,
}

impl<'a> Received<'a> {
    /// Reads a frame.
    pub fn read(text: &'a str) -> anyhow::Result<Self> {
        serde_json::from_str(text).with_context(|| format!("a frame that can't be read: {text}"))
    }
}
