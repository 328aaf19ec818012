//! What may happen, as numbers to be shrunk. What a number means depends on what there is when it happens: the third of
//! those matches, the first of these players.

use proptest::{collection::vec, prelude::*};

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A player begins a deposit.
    Deposit,
    /// The provider says that one succeeded, with the right amount or another.
    PaymentSucceeded,
    /// The provider says that one failed.
    PaymentFailed,
    /// The provider says that a withdrawal was paid.
    PayoutSucceeded,
    /// The provider says that it was not.
    PayoutFailed,
    /// The last callback again: itself, or the same payment as another event.
    CallbackRepeated,
    /// A callback that somebody else signed.
    CallbackForged,
    /// A player posts a seek.
    Seek,
    /// A player takes one back.
    Unseek,
    /// A player accepts one, at its stake or another.
    Accept,
    /// Whose turn it is plays a move.
    Move,
    /// A player gives up.
    Resign,
    /// Both agree on a draw.
    Draw,
    /// An administrator voids a match.
    Void,
    /// Two players pair on short clocks, and the one to move does nothing.
    Flag,
    /// A player asks to be paid out.
    Withdraw,
    /// A player takes that back.
    Cancel,
    /// The staff approves a withdrawal.
    Approve,
    /// The staff rejects one.
    Reject,
    /// The staff closes one that was never answered.
    Close,
    /// A player sets a limit.
    Limit,
    /// An administrator freezes a player, with or without the running match.
    Freeze,
    /// An administrator unfreezes a player.
    Unfreeze,
    /// A player takes a break, or excludes themselves.
    Break,
    /// An administrator sets the switches.
    Switch,
    /// An administrator adjusts a balance.
    Adjust,
    /// An administrator reverses a transfer.
    Reverse,
    /// An administrator assigns money in suspense.
    Assign,
    /// A second administrator decides.
    Decide,
    /// The server stops and starts.
    Restart,
}

/// One step.
#[derive(Clone, Copy, Debug)]
pub struct Action {
    /// What happens.
    pub what: What,
    /// To whom, or to which of those there are.
    pub who: usize,
    /// Which other, or in which of two ways.
    pub other: usize,
    /// How much.
    pub amount: i64,
}

/// Each with how often it happens.
const WEIGHTS: [(u32, What); 30] = [
    (6, What::Deposit),
    (8, What::PaymentSucceeded),
    (3, What::PaymentFailed),
    (5, What::PayoutSucceeded),
    (3, What::PayoutFailed),
    (3, What::CallbackRepeated),
    (1, What::CallbackForged),
    (14, What::Seek),
    (1, What::Unseek),
    (18, What::Accept),
    (4, What::Move),
    (8, What::Resign),
    (4, What::Draw),
    (2, What::Void),
    (1, What::Flag),
    (8, What::Withdraw),
    (2, What::Cancel),
    (7, What::Approve),
    (2, What::Reject),
    (2, What::Close),
    (1, What::Limit),
    (1, What::Freeze),
    (3, What::Unfreeze),
    (1, What::Break),
    (3, What::Switch),
    (3, What::Adjust),
    (3, What::Reverse),
    (3, What::Assign),
    (4, What::Decide),
    (1, What::Restart),
];

/// So many steps, by chance.
pub fn actions(steps: usize) -> impl Strategy<Value = Vec<Action>> {
    let what = prop::strategy::Union::new_weighted(
        WEIGHTS.iter().map(|(weight, what)| (*weight, Just(*what).boxed())).collect(),
    );
    let amount = prop::sample::select(vec![5_i64, 50, 100, 250, 1_000, 5_000]);
    let action = (what, 0..12_usize, 0..12_usize, amount).prop_map(|(what, who, other, amount)| Action {
        what,
        who,
        other,
        amount,
    });
    vec(action, steps)
}
