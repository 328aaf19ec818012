//! The end that the staff can order.

use super::Actor;
use crate::matches::{
    Refusal,
    entry::Trouble,
    handle::{Reply, VoidOrder},
};

impl Actor {
    /// The staff's order. It has no stamp to stand up for: what a player did before it, and a clock that ran out
    /// before it, come first.
    pub(super) async fn void(&mut self, order: VoidOrder, reply: Reply) {
        let stamp = self.stamp();
        if self.state.clocks().deadline().is_some_and(|deadline| stamp.instant >= deadline) {
            self.flag().await;
        }
        let Some(entry) = self.state.void(stamp) else { return reply(Err(Refusal::MatchOver)) };
        if self.stopping {
            return reply(Err(Refusal::Stopping));
        }
        if self.pause.is_some() {
            return reply(Err(Refusal::Paused));
        }
        let seq = entry.seq;
        if let Ok(frames) = self.commit(vec![entry], Some(order)).await {
            reply(Ok(seq));
            for frame in frames {
                self.publish(&frame);
            }
        } else {
            self.stand(stamp.instant, Trouble::Outage);
            reply(Err(Refusal::Paused));
        }
    }
}
