//! The numbering, the known counts, and the bytes.

use super::*;

#[test]
fn positions_are_numbered_without_gaps() {
    for (own, rival) in [(3, 3), (4, 3), (3, 4)] {
        let mut next = 0;
        for own_set in sets(own, 24).take(40) {
            for rival_set in sets(rival, 24 - u32::from(own)) {
                assert_eq!(place(own_set, spread(rival_set, BOARD & !own_set)), next);
                next += 1;
            }
        }
    }
    assert_eq!(sets(3, 24).count(), 2024);
    assert_eq!(positions(3, 3), 2_691_920);
    assert_eq!(positions(4, 3), 12_113_640);
    assert_eq!(positions(5, 3), 41_186_376);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs a release build")]
fn three_against_three_has_the_known_counts_and_longest_win() {
    let none = MorrisTables { spaces: Vec::new() };
    let mut work = Backwards::begin(&[(3, 3)], &none);
    // Positions that are won at once are decided before the first round, which is their first ply.
    let mut longest = [0, 0];
    loop {
        for &(own, rival) in &work.decided {
            let lost = work.spaces[0].states[place(own, rival)] == LOST;
            longest[usize::from(lost)] = work.rounds + 1;
        }
        if !work.step() {
            break;
        }
    }
    // A win takes up to 25 plies with the winner to move, 26 with the loser to move.
    assert_eq!(longest, [25, 26]);
    let tables = MorrisTables { spaces: work.spaces.into_iter().map(Work::packed).collect() };
    assert_eq!(tables.counts(3, 3), Some([2_232_160, 4_112, 455_648]));
    assert_eq!(tables.counts(4, 3), None);
    let bytes = tables.to_bytes();
    assert!(MorrisTables::from_bytes(&bytes).is_ok_and(|read| read == tables));
    for wrong in [&bytes[..0], &bytes[..4], &bytes[..5], &bytes[..bytes.len() - 1], &[&bytes[..], &[0]].concat()] {
        assert!(MorrisTables::from_bytes(wrong).is_err());
    }
}

#[test]
#[ignore = "needs a release build, and half a minute"]
fn more_against_three_have_the_known_counts() {
    let tables = MorrisTables::build(5);
    let totals = |own, rival| tables.counts(own, rival).map(|[won, _, lost]| (won, lost));
    assert_eq!(totals(4, 3), Some((1_201_560, 48_720)));
    assert_eq!(totals(3, 4), Some((1_629_336, 0)));
    assert_eq!(totals(5, 3), Some((9_271_288, 0)));
    assert_eq!(totals(3, 5), Some((100_512, 152_616)));
}
