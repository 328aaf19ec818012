//! Who brings the money and takes it away.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::{
    ids::{PlayerId, WithdrawalId},
    money::Cents,
};

/// A payment provider, as the settings name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Provider {
    /// Play money: deposits and payouts complete at once. For development only.
    Sandbox,
    /// A provider that confirms deposits and payouts by signed callbacks.
    Webhook,
}

impl Provider {
    /// The provider of this name.
    pub fn open(self) -> Arc<dyn PaymentProvider> {
        match self {
            Self::Sandbox => Arc::new(Sandbox),
            Self::Webhook => Arc::new(Callbacks),
        }
    }
}

/// A payout that has been approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payout {
    /// What the provider knows it by. The same payout is always asked for under the same key, and a provider pays
    /// once for a key.
    pub key: WithdrawalId,
    /// To whom.
    pub player: PlayerId,
    /// How much.
    pub amount: Cents,
    /// ISO 4217.
    pub currency: String,
}

/// What a provider answers to a payout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PayoutAnswer {
    /// The money is there.
    Paid,
    /// It has not been paid and never will be under this key.
    Failed(String),
    /// Not known yet: the provider tells later, or is asked again under the same key.
    Unknown,
}

/// A payment provider.
pub trait PaymentProvider: Send + Sync {
    /// Whether a deposit is there at once. Where it is not, a callback completes it.
    fn has_deposits_at_once(&self) -> bool;

    /// Asks for a payout. A repeat with the same key must not pay twice; an answer that was lost is
    /// [`PayoutAnswer::Unknown`].
    fn pay_out<'a>(&'a self, payout: &'a Payout) -> BoxFuture<'a, PayoutAnswer>;

    /// Whether a payout that is under way can be asked about by asking for it again. Where it can't, only a
    /// callback ends it.
    fn can_be_asked_again(&self) -> bool;
}

/// Play money.
#[derive(Clone, Copy, Debug)]
struct Sandbox;

impl PaymentProvider for Sandbox {
    fn has_deposits_at_once(&self) -> bool {
        true
    }

    fn pay_out<'a>(&'a self, _: &'a Payout) -> BoxFuture<'a, PayoutAnswer> {
        Box::pin(async { PayoutAnswer::Paid })
    }

    fn can_be_asked_again(&self) -> bool {
        true
    }
}

/// A provider that looks up what is to be collected and paid, and confirms each by a callback.
#[derive(Clone, Copy, Debug)]
struct Callbacks;

impl PaymentProvider for Callbacks {
    fn has_deposits_at_once(&self) -> bool {
        false
    }

    fn pay_out<'a>(&'a self, _: &'a Payout) -> BoxFuture<'a, PayoutAnswer> {
        Box::pin(async { PayoutAnswer::Unknown })
    }

    fn can_be_asked_again(&self) -> bool {
        false
    }
}
