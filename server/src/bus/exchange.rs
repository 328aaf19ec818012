//! Keeps this node and the others up to date with each other.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use tokio::sync::{mpsc, watch};
use uuid::Uuid;

use crate::{
    bus::{Bus, Connections, Delivery, Frame, News, Subscription, frame},
    clock::Clock,
    ids::{NodeId, PlayerId},
};

/// How often a node says that it is there.
const INTERVAL: Duration = Duration::from_millis(500);
/// How long a node may take to say who is connected to it.
const LIST_PATIENCE: Duration = Duration::from_secs(2);

/// How long a message takes from one node to another, as last measured: from this node to itself. Copies share it.
#[derive(Clone, Debug, Default)]
pub struct Transit(Arc<AtomicU64>);

impl Transit {
    /// The time.
    pub fn get(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }

    fn set(&self, time: Duration) {
        metrics::gauge!("stakeboard_bus_transit_seconds").set(time.as_secs_f64());
        self.0.store(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// What a node needs to be one of several.
pub struct Exchange {
    /// The way to the others.
    pub bus: Bus,
    /// This node.
    pub node: NodeId,
    /// The time.
    pub clock: Clock,
    /// Who is connected.
    pub connections: Arc<Connections>,
    /// How long messages take.
    pub transit: Transit,
    /// News that are not about who is connected.
    pub others: mpsc::UnboundedSender<News>,
}

impl Exchange {
    /// Begins to tell and to listen. Gives until when this node has heard itself.
    pub async fn start(self, outgoing: mpsc::UnboundedReceiver<News>) -> watch::Receiver<Instant> {
        let news = self.bus.subscribe("news.*").await;
        let lists = self.bus.subscribe(&format!("list.{}", self.node)).await;
        let (echo, heard) = watch::channel(self.clock.now());
        tokio::spawn(self.run(outgoing, news, lists, echo));
        heard
    }

    async fn run(
        self,
        mut outgoing: mpsc::UnboundedReceiver<News>,
        mut news: Subscription,
        mut lists: Subscription,
        echo: watch::Sender<Instant>,
    ) {
        let mut ticks = tokio::time::interval(INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut beat, mut sent) = (0, self.clock.now());
        loop {
            tokio::select! {
                _ = ticks.tick() => {
                    self.connections.tell_cut_off();
                    (beat, sent) = (beat + 1, self.clock.now());
                    self.publish(&News::Beat { beat, told: self.connections.told() });
                }
                Some(told) = outgoing.recv() => self.publish(&told),
                Some(delivery) = news.next() => match self.read(&delivery) {
                    Some((from, News::Beat { beat: heard, .. })) if from == self.node => {
                        let now = self.clock.now();
                        if heard == beat {
                            self.transit.set(now.saturating_duration_since(sent));
                        }
                        echo.send_replace(now);
                    }
                    Some((from, news)) if from != self.node => self.hear(from, news),
                    _ => {}
                },
                Some(mut asked) = lists.next() => {
                    if let Some(answer) = asked.take_answer() {
                        answer.give(write_list(self.connections.list()));
                    }
                }
                else => return,
            }
        }
    }

    fn publish(&self, news: &News) {
        self.bus.publish(&format!("news.{}", self.node), frame(news));
    }

    fn read(&self, delivery: &Delivery) -> Option<(NodeId, News)> {
        let from = delivery.last().parse().ok()?;
        match serde_json::from_slice(&delivery.payload) {
            Ok(news) => Some((from, news)),
            Err(error) => {
                // Of a later version, most likely: it does without this one's understanding.
                tracing::debug!(node = %self.node, %from, %error, "news that can't be read");
                None
            }
        }
    }

    fn hear(&self, from: NodeId, news: News) {
        let missed = match news {
            News::Beat { told, .. } => self.connections.heard(from, told),
            News::Presence { told, player, online } => self.connections.heard_news(from, told, player, online),
            News::Push { player, frame } => {
                self.connections.push_here(player, &Frame::from(frame));
                false
            }
            News::Wallet { player } => {
                self.connections.wallet_changed_elsewhere(player);
                false
            }
            other => {
                drop(self.others.send(other));
                false
            }
        };
        if missed {
            let (bus, connections) = (self.bus.clone(), Arc::clone(&self.connections));
            tokio::spawn(async move {
                if let Ok(list) = bus.request(&format!("list.{from}"), Bytes::new(), LIST_PATIENCE).await
                    && let Some((told, players)) = read_list(&list)
                {
                    connections.set_list(from, told, players);
                }
            });
        }
    }
}

/// A number and 16 bytes a player: one message holds more than a node has sockets.
fn write_list((told, players): (u64, Vec<PlayerId>)) -> Bytes {
    let mut list = told.to_be_bytes().to_vec();
    list.extend(players.iter().flat_map(|player| player.0.into_bytes()));
    list.into()
}

fn read_list(list: &[u8]) -> Option<(u64, Vec<PlayerId>)> {
    let (told, players) = list.split_first_chunk::<8>()?;
    let (players, rest) = players.as_chunks::<16>();
    let players = players.iter().map(|bytes| PlayerId(Uuid::from_bytes(*bytes)));
    rest.is_empty().then(|| (u64::from_be_bytes(*told), players.collect()))
}
