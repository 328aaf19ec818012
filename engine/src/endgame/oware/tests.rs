//! The numbering, the laws of the values, and the bytes.

use super::*;

#[test]
fn boards_are_numbered_without_gaps() {
    for seeds in 0..=5 {
        let mut houses = [0; HOUSES];
        houses[HOUSES - 1] = seeds;
        let mut place = 0;
        loop {
            assert_eq!(Places::shared().place(&houses, seeds), place);
            place += 1;
            if !advance(&mut houses) {
                break;
            }
        }
        assert_eq!(place, Places::shared().count(seeds));
    }
    let up_to_twelve: usize = (0..=12).map(|seeds| Places::shared().count(seeds)).sum();
    assert_eq!(up_to_twelve, 2_704_156);
}

#[test]
fn a_lone_seed_belongs_to_its_row_or_feeds_the_rival() {
    let table = OwareTable::build(GrandSlam::NoCapture, 1);
    let value = |text: &str| table.get(&Position::parse(text).unwrap_or(Position::START));
    // It cannot feed: the mover's.
    assert_eq!(value("1,0,0,0,0,0/0,0,0,0,0,0 24-23 S"), Some(Known { value: 1, is_proven: true }));
    // It must feed, and then is the rival's.
    assert_eq!(value("0,0,0,0,0,1/0,0,0,0,0,0 24-23 S"), Some(Known { value: -1, is_proven: true }));
    assert_eq!(value("0,0,0,0,0,0/1,0,0,0,0,0 24-23 N"), Some(Known { value: 1, is_proven: true }));
    assert_eq!(table.get(&Position::START), None);
}

#[test]
fn a_chase_round_the_board_is_worth_nothing_and_not_proven() {
    let table = OwareTable::build(GrandSlam::NoCapture, 2);
    let chase = Position::parse("1,0,0,0,0,0/1,0,0,0,0,0 23-23 S").unwrap_or(Position::START);
    assert_eq!(table.get(&chase), Some(Known { value: 0, is_proven: false }));
}

#[test]
fn values_follow_from_those_after_the_moves() {
    for grand_slam in GrandSlam::ALL {
        let table = OwareTable::build(grand_slam, 5);
        let options = Options { grand_slam };
        let mut houses = [0; HOUSES];
        houses[HOUSES - 1] = 5;
        while advance(&mut houses) {
            let position = Position::of_mover(houses);
            let Some(known) = table.get(&position).filter(|known| known.is_proven) else { continue };
            let after = oware::legal(options, &position).map(|m| {
                let (next, effects) = oware::play(options, &position, m);
                let captured = effects.seeds_captured().cast_signed();
                let value = table.get(&next).map_or(0, |known| known.value);
                let left = (next.row(crate::Seat::First) + next.row(crate::Seat::Second)).cast_signed();
                match (oware::ends_by_slam(options, &effects), effects.moves_again()) {
                    (true, _) => captured + left,
                    (false, true) => captured + value,
                    (false, false) => captured - value,
                }
            });
            let own = position.row(crate::Seat::First).cast_signed();
            assert_eq!(known.value, after.max().unwrap_or(2 * own - 5), "{position}");
        }
    }
}

#[test]
fn a_table_is_read_as_it_was_written_and_nothing_else_is() {
    let table = OwareTable::build(GrandSlam::CapturesAll, 4);
    let bytes = table.to_bytes();
    assert!(OwareTable::from_bytes(&bytes).is_ok_and(|read| read == table));
    for length in 0..bytes.len() {
        assert!(OwareTable::from_bytes(&bytes[..length]).is_err());
    }
    for (at, wrong) in [(0, 0), (3, 2), (4, 3), (5, 200), (6, 0), (20, 64 + 5)] {
        let mut bytes = bytes.clone();
        bytes[at] = wrong;
        assert!(OwareTable::from_bytes(&bytes).is_err(), "{at}");
    }
    let mut longer = bytes;
    longer.push(64);
    assert!(OwareTable::from_bytes(&longer).is_err());
}
