//! Who brings the money.

/// A payment provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Provider {
    /// Play money: a deposit completes at once. For development only.
    Sandbox,
}
