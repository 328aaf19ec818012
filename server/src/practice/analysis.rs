//! What each move of a finished game of Mū tōrere was worth: the solver knows every position.

use serde::Serialize;
use sqlx::PgPool;
use stakeboard_engine::{
    Game, Move, Options, Play, Position, Seat,
    mu_torere::{Solution, Verdict},
};
use utoipa::ToSchema;

use crate::{
    ids::{MatchId, PlayerId},
    matches::{self, LoadError, events::SeatName},
    practice::{GuardError, refuse_while_staked},
};

/// What a position is worth to whoever made the move, with best play of both and repetition left aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Worth {
    /// They can force a win.
    Won,
    /// Neither can.
    Drawn,
    /// The rival can.
    Lost,
}

impl Worth {
    fn to_the_mover(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Won { .. } => Self::Won,
            Verdict::Drawn => Self::Drawn,
            Verdict::Lost { .. } => Self::Lost,
        }
    }

    fn to_the_rival(self) -> Self {
        match self {
            Self::Won => Self::Lost,
            Self::Drawn => Self::Drawn,
            Self::Lost => Self::Won,
        }
    }
}

/// A move of a finished game and what it was worth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlyAnalysis {
    /// The number of the move: 1 for the first.
    pub ply: u32,
    /// Who moved.
    #[schema(value_type = SeatName)]
    pub by: Seat,
    /// The move in the game's text form.
    #[serde(rename = "move")]
    pub text: String,
    /// What the position was worth to them before it.
    pub before: Worth,
    /// What it is worth to them after it.
    pub after: Worth,
    /// The best moves there were: those that win most quickly, or else keep the draw, or else hold out longest.
    pub best: Vec<String>,
}

/// Why there is no analysis.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// There is no such game, or it is of a game that is not solved.
    #[error("there is no such game of Mū tōrere")]
    NotFound,
    /// It goes on.
    #[error("the game goes on")]
    StillLive,
    /// Analysis is closed to the player for now.
    #[error(transparent)]
    Guard(#[from] GuardError),
    /// The match can't be read.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Looks at every move of an ended match of Mū tōrere.
pub async fn analyse_match(pool: &PgPool, player: PlayerId, id: MatchId) -> Result<Vec<PlyAnalysis>, AnalysisError> {
    let state = matches::load(pool, id).await?.filter(|state| state.game() == Game::MuTorere);
    let state = state.ok_or(AnalysisError::NotFound)?;
    refuse_while_staked(pool, player, Game::MuTorere).await?;
    if state.outcome().is_none() {
        return Err(AnalysisError::StillLive);
    }
    Ok(analyse(state.moves().map(|(_, _, the_move)| the_move)))
}

/// Looks at every move of a game of Mū tōrere from its start. Ends where a move is none of this game.
pub(super) fn analyse(moves: impl IntoIterator<Item = Move>) -> Vec<PlyAnalysis> {
    let solution = Solution::shared();
    let mut play = Play::new(Options::MuTorere);
    let mut plies = Vec::new();
    for the_move in moves {
        let Position::MuTorere(before) = *play.position() else { break };
        if play.play(the_move).is_err() {
            break;
        }
        let Position::MuTorere(after) = *play.position() else { break };
        plies.push(PlyAnalysis {
            ply: play.ply(),
            by: before.to_move(),
            text: the_move.to_string(),
            before: Worth::to_the_mover(solution.verdict(before)),
            after: Worth::to_the_mover(solution.verdict(after)).to_the_rival(),
            best: solution.best_moves(before).iter().map(ToString::to_string).collect(),
        });
    }
    plies
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysed(moves: &[&str]) -> Vec<PlyAnalysis> {
        analyse(moves.iter().map(|text| Move::parse(Game::MuTorere, text).expect("a move")))
    }

    #[test]
    fn the_opening_by_the_facts_of_the_rules_is_a_draw_all_along() {
        // 1 has one of its own beside it (2), so entering from there never loses; 8-1 is the only reply; leaving the
        // centre never loses.
        let plies = analysed(&["1-c", "8-1", "c-8"]);
        assert_eq!(
            plies.iter().map(|ply| (ply.ply, ply.by)).collect::<Vec<_>>(),
            [(1, Seat::First), (2, Seat::Second), (3, Seat::First)]
        );
        for ply in plies {
            assert_eq!((ply.before, ply.after), (Worth::Drawn, Worth::Drawn), "{}", ply.text);
        }
    }

    /// Games of moves taken from the legal ones by turns that differ from game to game.
    fn games() -> impl Iterator<Item = (Vec<Move>, Play)> {
        (1..200_usize).map(|turn| {
            let mut play = Play::new(Options::MuTorere);
            let mut moves = Vec::new();
            while play.outcome().is_none() {
                let legal = play.legal();
                let chosen = legal[(turn * (moves.len() + 3) + moves.len() / 5) % legal.len()];
                play.play(chosen).expect("it is legal");
                moves.push(chosen);
            }
            (moves, play)
        })
    }

    #[test]
    fn whoever_is_blocked_was_lost_and_whoever_blocks_them_had_won() {
        let mut blocked = 0;
        for (moves, play) in games().filter(|(_, play)| play.outcome().is_some_and(|it| it.winner.is_some())) {
            blocked += 1;
            let plies = analyse(moves);
            let last = plies.last().expect("a move");
            assert_eq!(Some(last.by), play.outcome().expect("it is over").winner);
            assert_eq!((last.before, last.after), (Worth::Won, Worth::Won));
            assert!(last.best.contains(&last.text), "it wins at once");
            // From a draw at the start to a loss: somebody gave it away.
            assert!(plies.iter().any(|ply| (ply.before, ply.after) == (Worth::Drawn, Worth::Lost)));
        }
        assert!(blocked > 0, "some of the games have a winner");
    }

    #[test]
    fn what_a_position_is_worth_turns_round_with_the_player() {
        for (own, rivals) in [(Worth::Won, Worth::Lost), (Worth::Drawn, Worth::Drawn), (Worth::Lost, Worth::Won)] {
            assert_eq!(own.to_the_rival(), rivals);
        }
    }
}
