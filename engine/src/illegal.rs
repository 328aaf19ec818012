//! Why a move is refused (C-3).

use std::error::Error;
use std::fmt;

/// The rule that forbids a move, as a stable machine code (C-3). Each game has its reasons in an
/// order, see [`Game::reasons`](crate::Game::reasons): where several apply, the first is given.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Illegal {
    /// The game is finished, and no move is legal after the end (C-4).
    GameOver,
    /// Oware: the house belongs to the rival of the player to move (OW-2).
    NotYourHouse,
    /// Oware: the house holds no seeds (OW-2).
    EmptyHouse,
    /// Oware: the rival row is empty, this move leaves no seed in it and another would (OW-4).
    MustFeed,
    /// Oware: a grand slam where they are forbidden, while another kind of move is legal (OW-5).
    GrandSlamForbidden,
    /// Morris: a piece is placed with an empty hand (MM-3).
    NothingInHand,
    /// Morris: a piece is moved while there are pieces in hand (MM-2).
    MustPlace,
    /// Mū tōrere, Morris: no piece of the player to move stands on the point of departure (MT-2, MM-3).
    NotYourPiece,
    /// Mū tōrere: the point to go to is not the empty one (MT-2).
    TargetNotEmpty,
    /// Morris: the point to go to is not empty (MM-2, MM-3).
    PointTaken,
    /// Mū tōrere, Morris: no line joins the two points (MT-2), and the piece may not fly (MM-3, MM-4).
    NotAdjacent,
    /// Mū tōrere: the centre is entered from a point with no rival beside it (MT-3).
    NoRivalNeighbour,
    /// Morris: a mill is closed, and no piece to take is named, or too few (MM-5).
    MustTake,
    /// Morris: a piece to take is named without a mill, or too many (MM-5).
    NoMill,
    /// Morris: no rival piece stands on the point named (MM-5).
    NothingToTake,
    /// Morris: the piece named stands in a mill, and another does not (MM-6).
    ProtectedByMill,
}

impl Illegal {
    /// Every reason. Each game's reasons stand in that game's order.
    pub const ALL: &'static [Illegal] = &[
        Illegal::GameOver,
        Illegal::NotYourHouse,
        Illegal::EmptyHouse,
        Illegal::MustFeed,
        Illegal::GrandSlamForbidden,
        Illegal::NothingInHand,
        Illegal::MustPlace,
        Illegal::NotYourPiece,
        Illegal::TargetNotEmpty,
        Illegal::PointTaken,
        Illegal::NotAdjacent,
        Illegal::NoRivalNeighbour,
        Illegal::MustTake,
        Illegal::NoMill,
        Illegal::NothingToTake,
        Illegal::ProtectedByMill,
    ];

    /// The stable code, as it appears on the wire.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Illegal::GameOver => "game_over",
            Illegal::NotYourHouse => "not_your_house",
            Illegal::EmptyHouse => "empty_house",
            Illegal::MustFeed => "must_feed",
            Illegal::GrandSlamForbidden => "grand_slam_forbidden",
            Illegal::NothingInHand => "nothing_in_hand",
            Illegal::MustPlace => "must_place",
            Illegal::NotYourPiece => "not_your_piece",
            Illegal::TargetNotEmpty => "target_not_empty",
            Illegal::PointTaken => "point_taken",
            Illegal::NotAdjacent => "not_adjacent",
            Illegal::NoRivalNeighbour => "no_rival_neighbour",
            Illegal::MustTake => "must_take",
            Illegal::NoMill => "no_mill",
            Illegal::NothingToTake => "nothing_to_take",
            Illegal::ProtectedByMill => "protected_by_mill",
        }
    }

    /// The reason with this [code](Illegal::code), if there is one.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Illegal> {
        Illegal::ALL.iter().copied().find(|r| r.code() == code)
    }
}

impl fmt::Display for Illegal {
    /// Writes the [code](Illegal::code).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Error for Illegal {}
