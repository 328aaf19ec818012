//! The ledger: double entry, append only. Nothing else in the server writes to its tables.
#![deny(clippy::float_arithmetic)]

mod accounts;
mod balances;
mod books;
mod corrections;
mod daily;
mod exposure;
mod pairs;
mod queries;
pub mod seals;
pub mod search;
mod suspense;
mod transfer;
pub mod trial;
mod unjudged;
mod verify;
mod withdrawals;

pub use accounts::{open_house, open_player};
pub use balances::{
    Holdings, has_account_in, has_anything, holdings, is_playing, lock_available, plays_for_a_stake, room, staked_in,
};
pub use books::{Books, Suspense, books};
pub use corrections::{adjust, assign, booked, reference, reverse};
pub use daily::{DailyFilter, DailyLine, DailyTotals, daily};
pub use exposure::deposited_within;
pub use pairs::{PairFilter, PairLine, pairs};
pub use queries::{OwnFilter, OwnTotals, OwnTransfer, Settled, own_totals, own_transfers, settled};
pub use seals::Sealer;
pub use suspense::{Direction, SuspensePayment, suspend, suspended};
pub use transfer::deposit;
pub use trial::{TrialBalance, stakes_closed};
pub use unjudged::settled_unjudged;
pub use verify::{Check, verify};
pub use withdrawals::{hold, pay_out, release};

/// The first moment after a time that is given in milliseconds, as all times are shown: what happened within that
/// millisecond is part of it.
pub(crate) fn until(at: time::OffsetDateTime) -> time::OffsetDateTime {
    let whole = at.replace_millisecond(at.millisecond()).unwrap_or(at);
    whole.saturating_add(time::Duration::milliseconds(1))
}
