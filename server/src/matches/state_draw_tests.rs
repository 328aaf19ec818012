//! MA-7, draw offers, as tables.

use super::*;

#[test]
fn ma_7_an_offer_is_named_by_its_seq_and_accepted_by_that_name_alone() {
    let mut table = Table::new();
    table.play(First, 1, "C").expect("a legal move");
    assert_eq!(table.offer(First), Ok(2));
    assert_eq!(table.state.offer(), Some(Offer { by: First, seq: 2 }));
    for wrong in [0, 1, 3, u32::MAX] {
        assert_eq!(table.accept(Second, wrong), Err("offer_gone"), "{wrong}");
        assert_eq!(table.decline(Second, wrong), Err("offer_gone"), "{wrong}");
    }
    assert_eq!(table.accept(Second, 2), Ok(3));
    // MA-3: each stake goes back and the house takes nothing.
    assert_eq!(table.end(), (None, "agreement", Cents(0), Cents(0)));
}

#[test]
fn ma_7_nobody_answers_their_own_offer() {
    let mut table = Table::new();
    let offer = table.offer(First).expect("an offer");
    assert_eq!(table.accept(First, offer), Err("no_open_offer"));
    assert_eq!(table.decline(First, offer), Err("no_open_offer"));
    assert_eq!(table.state.offer(), Some(Offer { by: First, seq: offer }), "it is still open");
}

#[test]
fn ma_7_an_offer_while_the_rivals_is_open_accepts_it_on_either_turn() {
    for moves in [0, 1] {
        for by in [First, Second] {
            let mut table = Table::new();
            table.play_until(|state| state.play().ply() == moves);
            table.offer(by).expect("an offer");
            table.offer(by.other()).expect("an agreement");
            assert_eq!(table.end().1, "agreement", "{by:?} after {moves}");
        }
    }
}

#[test]
fn ma_7_a_player_has_one_offer_open_at_a_time() {
    let mut table = Table::new();
    table.offer(First).expect("an offer");
    assert_eq!(table.offer(First), Err("offer_open"));
    table.play(First, 1, "C").expect("a legal move");
    assert_eq!(table.offer(First), Err("offer_open"), "also after a move of one's own");
}

#[test]
fn ma_7_an_offer_stays_open_through_the_offerers_own_move() {
    let mut table = Table::new();
    let offer = table.offer(First).expect("an offer");
    table.play(First, 1, "C").expect("a legal move");
    assert_eq!(table.state.offer(), Some(Offer { by: First, seq: offer }));
    table.accept(Second, offer).expect("an agreement");
    assert_eq!(table.end().1, "agreement");
}

#[test]
fn ma_7_moving_declines_the_rivals_offer_without_an_event_of_its_own() {
    let mut table = Table::new();
    let offer = table.offer(Second).expect("an offer on the rival's turn");
    assert_eq!(table.play(First, 1, "C"), Ok(offer + 1));
    assert_eq!(table.state.offer(), None);
    assert_eq!(table.accept(First, offer), Err("offer_gone"));
    assert_eq!(table.decline(First, offer), Err("offer_gone"));
}

#[test]
fn ma_7_an_answer_to_an_offer_that_was_is_told_apart_from_one_to_an_offer_that_never_was() {
    let mut table = Table::new();
    assert_eq!(table.accept(First, 1), Err("no_open_offer"), "nothing was offered yet");
    let old = table.offer(Second).expect("an offer");
    table.decline(First, old).expect("it was open");
    table.play(First, 1, "C").expect("a legal move");
    for answer in [Table::accept, Table::decline] {
        assert_eq!(answer(&mut table, First, old), Err("offer_gone"), "it was turned down");
        assert_eq!(answer(&mut table, Second, old), Err("no_open_offer"), "it was not made to its maker");
        assert_eq!(answer(&mut table, First, old + 1), Err("no_open_offer"), "that is the decline");
        assert_eq!(answer(&mut table, First, 77), Err("no_open_offer"), "that never was");
    }
    let new = table.offer(Second).expect("the rival has moved since");
    assert_eq!(table.accept(First, old), Err("offer_gone"), "another than the one that was seen");
    assert_eq!(table.decline(First, old), Err("offer_gone"));
    assert_eq!(table.decline(First, new), Ok(new + 1));
}

#[test]
fn ma_7_after_a_decline_in_words_no_new_offer_until_the_rival_has_moved() {
    for on_own_turn in [true, false] {
        let mut table = Table::new();
        // Second offers in the end; whose turn it is then differs.
        table.play_until(|state| state.play().ply() == u32::from(on_own_turn));
        let offer = table.offer(Second).expect("an offer");
        table.decline(First, offer).expect("it was open");
        assert_eq!(table.offer(Second), Err("offer_too_soon"), "{on_own_turn}");
        if on_own_turn {
            let ply = table.state.play().ply() + 1;
            table.play(Second, ply, "b").expect("a legal move");
            assert_eq!(table.offer(Second), Err("offer_too_soon"), "one's own move is not the rival's");
        }
        let ply = table.state.play().ply() + 1;
        table.play(First, ply, "D").expect("a legal move");
        table.offer(Second).expect("the rival has moved since");
    }
}

#[test]
fn ma_7_the_move_that_turned_an_offer_down_is_not_the_move_since() {
    let mut table = Table::new();
    table.offer(Second).expect("an offer");
    table.play(First, 1, "C").expect("a legal move, which declines");
    assert_eq!(table.offer(Second), Err("offer_too_soon"));
    table.play(Second, 2, "b").expect("a legal move");
    assert_eq!(table.offer(Second), Err("offer_too_soon"));
    table.play(First, 3, "D").expect("the move since");
    table.offer(Second).expect("the rival has moved since");
}

#[test]
fn ma_7_being_turned_down_does_not_keep_the_other_player_from_offering() {
    let mut table = Table::new();
    let offer = table.offer(First).expect("an offer");
    table.decline(Second, offer).expect("it was open");
    assert_eq!(table.offer(First), Err("offer_too_soon"));
    let counter = table.offer(Second).expect("the other player's first offer");
    assert_eq!(table.offer(First), Ok(counter + 1), "an offer that accepts is never too soon");
    assert_eq!(table.end().1, "agreement");
}

#[test]
fn ma_7_an_extra_move_by_the_same_player_declines_nothing_of_their_own() {
    // OW-5, `captures_all`: after a slam the mover moves again at once; their offer stays through both moves.
    let mut extra_moves = 0;
    for game in 0..200 {
        let mut table = Table::of("caribbean");
        let mut dice: u32 = game;
        while table.state.outcome().is_none() {
            let by = table.state.to_move().expect("somebody is to move");
            if table.state.offer().is_none() {
                // Too soon at times, and then there is nothing to see.
                let _ = table.offer(by);
            }
            let open = table.state.offer();
            dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let mut legal = table.state.legal();
            let text = legal.swap_remove((dice >> 16) as usize % legal.len()).to_string();
            let ply = table.state.play().ply() + 1;
            table.play(by, ply, &text).expect("a legal move in turn");
            if table.state.outcome().is_none() {
                let expected = open.filter(|offer| offer.by == by);
                assert_eq!(table.state.offer(), expected, "game {game}, after ply {ply}");
                let again = table.state.to_move() == Some(by);
                extra_moves += usize::from(again && expected.is_some());
            }
        }
    }
    assert!(extra_moves > 0, "an offer has met an extra move");
}

#[test]
fn t30_an_offer_open_at_the_end_of_the_game_by_the_board_is_gone_with_it() {
    let mut table = Table::new();
    let mut last = 0;
    while table.state.outcome().is_none() {
        let by = table.state.to_move().expect("somebody is to move");
        if by == First
            && let Ok(seq) = table.offer(by)
        {
            last = seq;
        }
        let text = table.state.legal().pop().expect("a legal move").to_string();
        let ply = table.state.play().ply() + 1;
        table.play(by, ply, &text).expect("a legal move in turn");
    }
    assert_eq!(table.state.offer(), None);
    for by in [First, Second] {
        assert_eq!(table.accept(by, last), Err("match_over"), "{by:?}");
    }
    let ends = table.told.iter().filter(|event| matches!(event, Event::Ended { .. })).count();
    assert_eq!(ends, 1);
}
