//! OW-1 to OW-4, and the order of the reasons.

use super::*;

#[test]
fn ow_1_four_seeds_in_each_house_and_none_captured() {
    let play = Play::new(Game::Oware.default_options());
    assert_eq!(play.position().to_string(), "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S");
}

#[test]
fn ow_1_upper_case_houses_are_firsts_and_lower_case_ones_seconds() {
    let row = |seat| House::row(seat).map(House::letter).collect::<String>();
    assert_eq!((row(Seat::First).as_str(), row(Seat::Second).as_str()), ("ABCDEF", "abcdef"));
    assert_eq!(House::ALL[5].next().letter(), 'a');
    assert_eq!(House::ALL[11].next().letter(), 'A');
}

#[test]
fn ow_2_seeds_go_one_by_one_into_the_houses_that_follow() {
    let mut game = game(NoCapture, "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S");
    let effects = play(&mut game, "C");
    assert_eq!(game.position().to_string(), "4,4,0,5,5,5/5,4,4,4,4,4 0-0 N");
    assert_eq!(effects.origin().letter(), 'C');
    assert_eq!(effects.sown().map(House::letter).collect::<String>(), "DEFa");
}

#[test]
fn ow_2_after_f_of_the_second_row_comes_a_of_the_first() {
    let next = after(NoCapture, "4,4,4,4,4,4/4,4,4,4,4,4 0-0 N", "f");
    assert_eq!(next, "5,5,5,5,4,4/4,4,4,4,4,0 0-0 S");
}

#[test]
fn ow_2_twelve_seeds_skip_the_origin_once() {
    let next = after(NoCapture, "12,0,0,0,0,0/1,1,1,1,1,1 15-15 S", "A");
    assert_eq!(next, "0,2,1,1,1,1/2,2,2,2,2,2 15-15 N");
}

#[test]
fn ow_2_twenty_three_seeds_skip_the_origin_twice() {
    let mut game = game(NoCapture, "23,0,0,0,0,0/1,0,0,0,0,0 12-12 S");
    let effects = play(&mut game, "A");
    assert_eq!(game.position().to_string(), "0,3,2,2,2,2/3,2,2,2,2,2 12-12 N");
    let sown: String = effects.sown().map(House::letter).collect();
    assert_eq!(sown, "BCDEFabcdefBCDEFabcdefB");
}

#[test]
fn ow_3_a_chain_takes_twos_and_threes_backwards_from_the_last_seed() {
    let mut game = game(NoCapture, "0,0,0,0,0,3/1,2,1,4,0,0 17-20 S");
    let effects = play(&mut game, "F");
    assert_eq!(captured(&effects), [('c', 2), ('b', 3), ('a', 2)]);
    assert_eq!(effects.seeds_captured(), 7);
    assert_eq!(game.position().to_string(), "0,0,0,0,0,0/0,0,0,4,0,0 24-20 N");
}

#[test]
fn ow_3_a_chain_stops_at_the_first_house_with_another_number() {
    // b comes to hold four, so the two in a stay although they are two.
    let next = after(NoCapture, "0,0,0,0,0,3/1,3,1,4,0,0 18-18 S", "F");
    assert_eq!(next, "0,0,0,0,0,0/2,4,0,4,0,0 20-18 N");
}

#[test]
fn ow_3_nothing_is_taken_where_the_last_house_holds_four_or_one() {
    let next = after(NoCapture, "0,0,0,0,0,2/1,3,0,0,0,1 20-21 S", "F");
    assert_eq!(next, "0,0,0,0,0,0/2,4,0,0,0,1 20-21 N");
    let next = after(NoCapture, "0,0,0,0,0,2/1,0,0,0,0,1 22-22 S", "F");
    assert_eq!(next, "0,0,0,0,0,0/2,1,0,0,0,1 22-22 N");
}

#[test]
fn ow_3_houses_after_the_last_seed_are_left_alone() {
    let next = after(NoCapture, "0,0,0,0,0,1/1,2,0,0,0,1 22-21 S", "F");
    assert_eq!(next, "0,0,0,0,0,0/0,2,0,0,0,1 24-21 N");
}

#[test]
fn ow_3_the_chain_ends_with_the_rival_row() {
    // F comes to hold two as well, but belongs to the mover.
    let next = after(NoCapture, "0,0,0,0,2,1/1,2,0,0,0,1 20-21 S", "E");
    assert_eq!(next, "0,0,0,0,0,2/0,2,0,0,0,1 22-21 N");
}

#[test]
fn ow_3_seeds_of_the_own_row_are_not_captured() {
    let next = after(NoCapture, "1,1,0,0,0,0/1,1,0,0,0,0 22-22 S", "A");
    assert_eq!(next, "0,2,0,0,0,0/1,1,0,0,0,0 22-22 N");
}

#[test]
fn ow_3_second_captures_in_the_first_row() {
    let next = after(NoCapture, "1,2,0,0,0,1/0,0,0,0,0,1 21-22 N", "f");
    assert_eq!(next, "0,2,0,0,0,1/0,0,0,0,0,0 21-24 S");
}

#[test]
fn ow_4_only_moves_that_feed_an_empty_row_are_legal() {
    for setting in GrandSlam::ALL {
        let game = game(setting, "1,0,0,0,1,2/0,0,0,0,0,0 22-22 S");
        assert_eq!(legal(&game), "F");
        assert_eq!(judged(&game, "A"), Err(Illegal::MustFeed));
        assert_eq!(judged(&game, "E"), Err(Illegal::MustFeed));
        assert_eq!(judged(&game, "F"), Ok(()));
    }
}

#[test]
fn ow_4_any_of_several_feeding_moves_may_be_chosen() {
    assert_eq!(legal(&game(NoCapture, "1,0,0,0,2,1/0,0,0,0,0,0 22-22 S")), "EF");
}

#[test]
fn ow_4_without_a_feeding_move_there_is_no_legal_move() {
    let game = game(NoCapture, "1,0,0,0,1,0/0,0,0,0,0,0 23-23 S");
    assert_eq!(legal(&game), "");
    assert_eq!(ended(&game), Some((FIRST, Ending::NoMove, 25, 23)));
}

#[test]
fn ow_4_a_row_that_is_not_empty_need_not_be_fed() {
    assert_eq!(legal(&game(NoCapture, "1,0,0,0,1,0/0,0,0,0,0,1 22-23 S")), "AE");
}

#[test]
fn ow_4_what_a_slam_takes_back_has_not_fed() {
    // F sows 17: a to f, A to E, a to f; each house of the rival row comes to hold two.
    let text = "0,0,0,0,2,17/0,0,0,0,0,0 14-15 S";
    for setting in [Forbidden, CapturesAll] {
        let game = game(setting, text);
        assert_eq!(legal(&game), "E");
        assert_eq!(judged(&game, "F"), Err(Illegal::MustFeed));
    }
}

#[test]
fn ow_4_a_slam_that_takes_nothing_has_fed() {
    let text = "0,0,0,0,2,17/0,0,0,0,0,0 14-15 S";
    assert_eq!(legal(&game(NoCapture, text)), "EF");
    assert_eq!(after(NoCapture, text, "F"), "1,1,1,1,3,0/2,2,2,2,2,2 14-15 N");
}

#[test]
fn ow_4_a_slam_as_the_only_move_against_an_empty_row_is_no_move() {
    // OW-4 is applied first, so there is no forced slam here: the game is over (OW-7).
    let text = "0,0,0,0,0,17/0,0,0,0,0,0 15-16 S";
    for setting in [Forbidden, CapturesAll] {
        assert_eq!(ended(&game(setting, text)), Some((FIRST, Ending::NoMove, 32, 16)));
    }
    assert_eq!(legal(&game(NoCapture, text)), "F");
}

#[test]
fn oware_reasons_come_in_the_order_of_the_rules() {
    // A finished game: game_over, whatever else is wrong with the move.
    let over = game(Forbidden, "3,1,0,1,2,0/1,1,1,0,3,0 35-0 S");
    for house in House::ALL {
        assert_eq!(judged(&over, &house.to_string()), Err(Illegal::GameOver));
    }
    // b is the rival's and empty: not_your_house.
    let hungry = game(Forbidden, "0,0,0,0,2,17/0,0,0,0,0,0 14-15 S");
    assert_eq!(judged(&hungry, "b"), Err(Illegal::NotYourHouse));
    // A is empty, and would not feed: empty_house.
    assert_eq!(judged(&hungry, "A"), Err(Illegal::EmptyHouse));
    // F is a grand slam, and leaves nothing: must_feed.
    assert_eq!(judged(&hungry, "F"), Err(Illegal::MustFeed));
    // F is a grand slam and nothing else: grand_slam_forbidden.
    let slam = game(Forbidden, "0,0,0,1,0,2/1,1,0,0,0,0 21-22 S");
    assert_eq!(judged(&slam, "F"), Err(Illegal::GrandSlamForbidden));
}
