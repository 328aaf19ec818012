//! x
/// x
pub struct MorrisTables;
/// x
pub struct Worth;
