//! The task that pairs those whose windows have come to reach each other, and drops who has gone.

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream};
use serde_json::Value;
use time::OffsetDateTime;
use tokio::time::MissedTickBehavior;

use super::{QueueError, QueueStatus, Taken, measure, take, try_reserve, window};
use crate::{
    db::{self, Tx},
    ids::PlayerId,
    lobby::{
        Lobby, Parts,
        pairing::{self, StakedTerms, Stakers},
        presence,
        queue::window::Waiting,
    },
    matches::{self, Setup},
};

/// How often those who wait are looked at.
const EVERY: Duration = Duration::from_millis(250);
/// How many pairings are under way at once: each holds a connection, and the rest of the service needs some too.
const AT_ONCE: usize = 4;

/// Somebody in the queue.
#[derive(Clone, Debug)]
struct Entry {
    player: PlayerId,
    game: String,
    options: Value,
    stake: i64,
    rating: f64,
    joined_at: OffsetDateTime,
    posted_at: OffsetDateTime,
}

/// What the transaction of a pairing came to.
enum Paired {
    Made(Box<Setup>),
    /// These could no longer make the stake; whoever else it was to be waits on.
    Dropped(Vec<PlayerId>),
    /// Somebody was gone, or about to be paired by somebody else.
    Nobody,
}

/// Pairs those who wait, for as long as the process lives.
pub async fn keep_pairing(lobby: Lobby) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut looks = db::Lasting::new("those who wait in the queue can't be looked at", "the queue is looked at again");
    loop {
        ticks.tick().await;
        looks.tried(&lobby.pair_up().await);
    }
}

impl Lobby {
    /// Pairs everybody who can be paired now.
    async fn pair_up(&self) -> Result<(), sqlx::Error> {
        let mut terms: HashMap<(String, String, i64), Vec<Entry>> = HashMap::new();
        let entries = entries(&self.0).await?;
        metrics::gauge!("stakeboard_queue_waiting").set(f64::from(u32::try_from(entries.len()).unwrap_or(u32::MAX)));
        for entry in entries {
            if self.drop_gone(&entry).await? {
                continue;
            }
            // Whoever is away for a moment keeps their place, and is paired with nobody meanwhile.
            if self.0.is_there(entry.player, entry.posted_at) {
                terms.entry((entry.game.clone(), entry.options.to_string(), entry.stake)).or_default().push(entry);
            }
        }
        if self.0.matches.is_paused() {
            // They keep their places: nobody can be paired now.
            return Ok(());
        }
        let pairs = terms.values().flat_map(|entries| {
            let waiting: Vec<_> = entries
                .iter()
                .map(|entry| Waiting { rating: entry.rating, waited: self.0.waited(entry.joined_at) })
                .collect();
            window::pairs(&waiting).into_iter().map(|pair| pair.map(|place| entries[place].clone()))
        });
        let pairs: Vec<[Entry; 2]> = pairs.collect();
        stream::iter(pairs).for_each_concurrent(AT_ONCE, |pair| self.pair_two(pair)).await;
        Ok(())
    }

    /// Drops somebody who has been away for too long. Whether they have.
    async fn drop_gone(&self, entry: &Entry) -> Result<bool, sqlx::Error> {
        let posted = self.0.clock.instant_at(entry.posted_at).max(self.0.started);
        let presence = self.0.connections.presence(entry.player);
        if !self.0.knows_presence() || !presence::is_gone(presence, posted, self.0.clock.now()) {
            return Ok(false);
        }
        // Unless they have joined again meanwhile. One at a time: see the sweeping of seeks.
        sqlx::query!(
            "delete from queue_entries where player_id = $1 and posted_at = $2",
            entry.player.0,
            entry.posted_at
        )
        .execute(&self.0.pool)
        .await?;
        Ok(true)
    }

    /// Pairs two, in a task of its own that the end of the server waits for.
    async fn pair_two(&self, pair: [Entry; 2]) {
        let lobby = self.clone();
        let players = pair.each_ref().map(|entry| entry.player);
        let done = db::uncut(&self.0.tasks, async move { lobby.pair_to_the_end(pair).await }).await;
        if let Err(error) = done {
            tracing::warn!(one = %players[0], other = %players[1], %error, "two in the queue could not be paired");
        }
    }

    async fn pair_to_the_end(&self, pair: [Entry; 2]) -> Result<(), QueueError> {
        let [one, other] = &pair;
        let terms = StakedTerms::read(&one.game, &one.options, one.stake)?;
        let players = [one.player, other.player];
        let paired = db::in_transaction(&self.0.pool, |tx| {
            let parts = Arc::clone(&self.0);
            Box::pin(async move { pair_in(&parts, tx, terms, players).await })
        })
        .await;
        self.find_out_where_lost(&paired, one.player);
        match paired? {
            Paired::Made(setup) => {
                measure((one.rating - other.rating).abs(), [one, other].map(|entry| self.0.waited(entry.joined_at)));
                self.serve(*setup);
            }
            Paired::Dropped(dropped) => {
                for player in dropped {
                    self.tell_queue(player, QueueStatus::Idle);
                }
            }
            Paired::Nobody => {}
        }
        Ok(())
    }
}

async fn pair_in(lobby: &Parts, tx: &mut Tx, terms: StakedTerms, players: [PlayerId; 2]) -> Result<Paired, QueueError> {
    for player in players {
        if !try_reserve(tx, player).await? {
            return Ok(Paired::Nobody);
        }
    }
    let stakers = Stakers::lock(tx, &players, terms.into(), lobby.settings.identity_needed).await?;
    if stakers.are_closed_out() {
        return Ok(Paired::Nobody);
    }
    let mut dropped = Vec::new();
    for player in players {
        match take(tx, &stakers, player, terms).await? {
            Taken::Gone => return Ok(Paired::Nobody),
            Taken::Dropped => dropped.push(player),
            Taken::Ready => {}
        }
    }
    if !dropped.is_empty() {
        return Ok(Paired::Dropped(dropped));
    }
    let setup = matches::start(tx, &lobby.matches, pairing::draw(terms.into(), players)).await?;
    Ok(Paired::Made(Box::new(setup)))
}

async fn entries(lobby: &Parts) -> Result<Vec<Entry>, sqlx::Error> {
    sqlx::query_as!(
        Entry,
        r#"select player_id as "player: PlayerId", game, options, stake, rating, joined_at, posted_at
           from queue_entries order by joined_at, player_id"#
    )
    .fetch_all(&lobby.pool)
    .await
}
