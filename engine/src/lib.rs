//! Rules of the board games played on stakeboard: pure and exact, without clock, dice or I/O (C-2).
//!
//! Rule ids such as OW-5 refer to the rules of play in the project's `docs`. [`Play`] is a game in
//! progress; everything else is a value that goes into it or comes out of it.
//!
//! Play moves, and be told what they did:
//!
//! ```
//! use stakeboard_engine::{Effects, Game, Illegal, Move, Play, Seat};
//!
//! let mut play = Play::new(Game::Oware.default_options());
//! let Effects::Oware(effects) = play.play(Move::parse(Game::Oware, "C")?)? else {
//!     unreachable!("a game of Oware");
//! };
//! let sown: String = effects.sown().map(|house| house.letter()).collect();
//! assert_eq!(sown, "DEFa");
//! assert_eq!(play.position().to_string(), "4,4,0,5,5,5/5,4,4,4,4,4 0-0 N");
//!
//! // A refused move says which rule forbids it and changes nothing (C-3).
//! assert_eq!(play.to_move(), Seat::Second);
//! let refused = play.play(Move::parse(Game::Oware, "A")?);
//! assert_eq!(refused.map_err(Illegal::code), Err("not_your_house"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Begin at any position, with any ruleset, and see how the game ends (C-7):
//!
//! ```
//! use stakeboard_engine::{Ending, Game, Move, Options, Play, Position, Seat};
//!
//! let options = Options::from_pairs(Game::Oware, [("grand_slam", "forbidden")])?;
//! assert_eq!(Options::preset(Game::Oware, "wari"), Some(options));
//!
//! let position = Position::parse(Game::Oware, "0,0,0,0,0,1/2,6,0,0,0,0 22-17 S")?;
//! let mut play = Play::from_position(options, position)?;
//! play.play(Move::parse(Game::Oware, "F")?)?;
//! let outcome = play.outcome().ok_or("F captures three seeds and so the majority")?;
//! assert_eq!((outcome.winner, outcome.ending), (Some(Seat::First), Ending::Majority));
//! assert!(play.legal().is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! End a game outside the rules of the board (C-5), with the totals that such an end leaves
//! (MA-14):
//!
//! ```
//! use stakeboard_engine::{BySeat, Ending, Game, Play, Seat};
//!
//! let play = Play::new(Game::Oware.default_options());
//! let outcome = play.end_outside(Ending::Timeout, Some(Seat::Second));
//! assert_eq!(outcome.winner, Some(Seat::Second));
//! assert_eq!(outcome.totals, Some(BySeat::new(0, 0)));
//! ```
//!
//! # Modules
//!
//! | module | holds |
//! | --- | --- |
//! | `game` | [`Game`], [`Position`], [`Move`], [`Moves`], [`Effects`]: closed enums over the games |
//! | `options` | [`Options`] and what can be chosen |
//! | `play` | [`Play`]: position and history, legal moves, the next state, the outcome |
//! | `history` | repetition and quiet moves (C-6) |
//! | `seat`, `outcome`, `illegal` | [`Seat`], [`BySeat`]; [`Outcome`], [`Ending`]; [`Illegal`] |
//! | `parse_error`, `reader` | [`ParseError`]; strict reading of texts |
//! | [`mu_torere`], [`oware`], [`morris`] | the rules of each game |
//! | [`endgame`] | tables of what positions with little on the board are worth |
//! | [`bot`] | computer players of three levels |
//! | [`search`] | what moves are worth, by looking ahead |
//! | [`perft`](mod@perft) | counts of move sequences |
//! | `record`, `serialize` | `Record`, `Judged` and JSON forms (feature `serde`, on by default) |
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]

pub mod bot;
pub mod endgame;
mod game;
mod history;
mod illegal;
pub mod morris;
pub mod mu_torere;
mod options;
mod outcome;
pub mod oware;
mod parse_error;
pub mod perft;
mod play;
mod reader;
#[cfg(feature = "serde")]
mod record;
pub mod search;
mod seat;
#[cfg(feature = "serde")]
mod serialize;

pub use game::{Effects, Game, Move, Moves, Position};
pub use illegal::Illegal;
pub use options::{OptionInfo, OptionKind, Options};
pub use outcome::{Ending, Outcome};
pub use parse_error::ParseError;
pub use play::Play;
#[cfg(feature = "serde")]
pub use record::{Judged, Ply, Record, RecordError};
pub use seat::{BySeat, Seat};
