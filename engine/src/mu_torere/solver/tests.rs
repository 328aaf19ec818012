//! The known facts about the solved game: figures over the positions that can be reached from the
//! start, board and player to move, without reducing by symmetry and without the repetition rule.

use std::collections::HashSet;

use super::*;
use crate::mu_torere::board::beside;

/// The positions that can be reached from the start.
fn reachable() -> HashSet<Position> {
    let mut found = HashSet::from([Position::START]);
    let mut open = vec![Position::START];
    while let Some(position) = open.pop() {
        for m in legal(position) {
            let (next, _) = play(position, m);
            if found.insert(next) {
                open.push(next);
            }
        }
    }
    found
}

fn count(mut of: impl FnMut(Position, Verdict) -> bool) -> usize {
    let solution = Solution::shared();
    reachable().into_iter().filter(|&position| of(position, solution.verdict(position))).count()
}

fn is_lost(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Lost { .. })
}

/// The moves of all reachable drawn positions: position, move, and whether it loses.
fn moves_of_drawn_positions() -> impl Iterator<Item = (Position, Move, bool)> {
    let solution = Solution::shared();
    let drawn = reachable().into_iter().filter(|&p| solution.verdict(p) == Verdict::Drawn);
    drawn.flat_map(|p| solution.moves(p).map(move |(m, verdict)| (p, m, is_lost(verdict))))
}

/// How many of these moves lose, and how many there are.
fn losing(moves: impl Iterator<Item = (Position, Move, bool)>) -> (usize, usize) {
    moves.fold((0, 0), |(lost, all), (_, _, loses)| (lost + usize::from(loses), all + 1))
}

fn own(position: Position) -> u16 {
    position.pieces[position.to_move]
}

fn rival(position: Position) -> u16 {
    position.pieces[position.to_move.other()]
}

/// The ring neighbour of `point` that is not `other`.
fn away_from(point: Point, other: Point) -> u16 {
    beside(point.bit()) & !other.bit()
}

#[test]
fn there_are_1180_positions_and_844_are_balanced() {
    assert_eq!(reachable().len(), 1180);
    assert_eq!(count(|_, verdict| verdict == Verdict::Drawn), 844);
    assert_eq!(Solution::shared().verdict(Position::START), Verdict::Drawn);
}

#[test]
fn of_the_balanced_positions_128_offer_a_losing_move() {
    let solution = Solution::shared();
    let offers = |p, verdict| verdict == Verdict::Drawn && solution.moves(p).any(|(_, verdict)| is_lost(verdict));
    assert_eq!(count(offers), 128);
    assert_eq!(count(|p, verdict| verdict == Verdict::Drawn && !solution.blunders(p).is_empty()), 128);
}

#[test]
fn leaving_the_centre_never_loses_a_balanced_position() {
    let (lost, all) = losing(moves_of_drawn_positions().filter(|(_, m, _)| m.from == Point::CENTRE));
    assert!(lost == 0 && all > 0);
}

#[test]
fn entering_the_centre_loses_only_from_between_two_rivals() {
    let entering = || moves_of_drawn_positions().filter(|(_, m, _)| m.to == Point::CENTRE);
    let has_own_beside = |p: &Position, m: &Move| beside(m.from.bit()) & own(*p) != 0;
    let (lost, all) = losing(entering().filter(|(p, m, _)| has_own_beside(p, m)));
    assert!(lost == 0 && all > 0);
    let between = |p: &Position, m: &Move| (beside(m.from.bit()) & rival(*p)).count_ones() == 2;
    assert_eq!(losing(entering().filter(|(p, m, _)| between(p, m))), (32, 160));
}

#[test]
fn a_slide_loses_only_with_the_rival_in_the_centre_and_behind_and_an_own_piece_ahead() {
    let sliding = || moves_of_drawn_positions().filter(|(_, m, _)| m.from < Point::CENTRE && m.to < Point::CENTRE);
    let risky = |p: &Position, m: &Move| {
        let rival_behind = away_from(m.from, m.to) & rival(*p) != 0;
        let own_ahead = away_from(m.to, m.from) & own(*p) != 0;
        rival(*p) & Point::CENTRE.bit() != 0 && rival_behind && own_ahead
    };
    assert_eq!(losing(sliding().filter(|(p, m, _)| risky(p, m))), (96, 160));
    let (lost, all) = losing(sliding().filter(|(p, m, _)| !risky(p, m)));
    assert!(lost == 0 && all > 0);
}

#[test]
fn positions_are_won_208_times_and_lost_128_times() {
    assert_eq!(count(|_, verdict| matches!(verdict, Verdict::Won { .. })), 208);
    assert_eq!(count(|_, verdict| is_lost(verdict)), 128);
}

#[test]
fn a_winner_needs_up_to_three_own_moves() {
    let needs = |moves: u8| count(|_, verdict| verdict == Verdict::Won { plies: 2 * moves - 1 });
    assert_eq!([1, 2, 3, 4].map(needs), [128, 48, 32, 0]);
}

#[test]
fn eighty_positions_are_blocked_all_with_the_rival_in_the_centre() {
    let blocked = |p: Position| legal(p).len() == 0;
    assert_eq!(count(|p, _| blocked(p)), 80);
    assert_eq!(count(|p, _| blocked(p) && rival(p) & Point::CENTRE.bit() != 0), 80);
    assert_eq!(count(|_, verdict| verdict == Verdict::Lost { plies: 0 }), 80);
}

#[test]
fn legal_moves_are_as_many_as_known() {
    let with = |moves| count(|p, _| legal(p).len() == moves);
    assert_eq!([0, 1, 2, 3, 4, 5].map(with), [80, 480, 496, 48, 76, 0]);
}

#[test]
fn every_verdict_follows_from_those_after_it() {
    let solution = Solution::shared();
    assert_eq!(every_position().count(), 1260);
    assert_eq!(every_position().map(index).collect::<HashSet<_>>().len(), 1260);
    for position in every_position() {
        let best = solution.moves(position).map(|(_, verdict)| verdict).max_by_key(|verdict| verdict.rank());
        assert_eq!(solution.verdict(position), best.unwrap_or(Verdict::Lost { plies: 0 }), "{position}");
        let best_moves = solution.best_moves(position);
        assert_eq!(best_moves.is_empty(), legal(position).len() == 0);
        for (m, verdict) in solution.moves(position) {
            assert_eq!(best_moves.contains(&m), verdict == solution.verdict(position), "{position} {m}");
        }
    }
}

#[test]
fn a_lost_position_has_no_blunders_left() {
    let solution = Solution::shared();
    for position in every_position().filter(|&p| is_lost(solution.verdict(p))) {
        assert_eq!(solution.blunders(position), []);
    }
}
