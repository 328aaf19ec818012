//! Ratings: how strong a player is in a game, by Glicko-2. From staked matches only, changed in the transaction that
//! settles the match. Numbers of skill, with which no money is ever reckoned.

mod glicko;
mod lists;
mod settlement;

pub use glicko::{Rating, RatingView, SETTLED_BELOW};
pub use lists::{
    ChangeFilter, ChangeLine, GameRating, GameResults, LeaderLine, LeaderPlace, RatedPlayer, changes, leaders, of,
    of_all, results,
};
pub use settlement::{MatchResult, changes_by};
