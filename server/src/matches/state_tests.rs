//! The rules of a match as tables: what is refused, by which name, and what is written.
#![expect(clippy::disallowed_methods, reason = "any instant will do as the start of a table")]

use std::time::Duration;

use stakeboard_engine::{
    Illegal, Options,
    Seat::{First, Second},
};
use time::macros::datetime;

use super::*;
use crate::{
    ids::{MatchId, PlayerId},
    matches::{PlayerRef, Terms},
    money::{Cents, Wager},
};

#[path = "state_draw_tests.rs"]
mod draws;
#[path = "state_properties_tests.rs"]
mod properties;

const CLOCK_MS: u32 = 600_000;
const STAKE: i64 = 250;

/// A match and the time at its table.
struct Table {
    state: State,
    began: Instant,
    after: Duration,
    /// What watchers were told so far.
    told: Vec<Event>,
}

impl Table {
    fn new() -> Self {
        Self::of("abapa")
    }

    fn of(preset: &str) -> Self {
        let options = Options::preset(Game::Oware, preset).expect("a preset");
        let player = |name: &str| PlayerRef { id: PlayerId::generate(), display_name: name.to_owned() };
        let setup = Setup {
            id: MatchId::generate(),
            terms: Terms { options, wager: Wager::new(STAKE).expect("a stake") },
            players: BySeat::new(player("ana"), player("bia")),
            clock_ms: CLOCK_MS,
            started_at: datetime!(2026-01-01 12:00:00 UTC),
        };
        let mut table =
            Self { state: State::new(Arc::new(setup)), began: Instant::now(), after: Duration::ZERO, told: Vec::new() };
        table.state.clocks_mut().run(table.began);
        table
    }

    fn stamp(&self) -> Stamp {
        let wall = self.state.setup().started_at + self.after;
        Stamp { instant: self.began + self.after, wall }
    }

    fn wait_ms(&mut self, milliseconds: u64) {
        self.after += Duration::from_millis(milliseconds);
    }

    /// Puts entries into effect as the actor does once they are committed, and lets the clocks run.
    fn write(&mut self, entries: Vec<Entry>) {
        for entry in entries {
            self.told.push(self.state.apply(entry));
        }
        self.state.clocks_mut().run(self.began + self.after);
    }

    /// A player acts: the `seq` of the act, or the code of the refusal, which has changed nothing.
    fn act(&mut self, by: Seat, command: &Command) -> Result<u32, &'static str> {
        match self.state.judge(by, command, self.stamp()) {
            Ok(Verdict::Recorded(seq)) => Ok(seq),
            Ok(Verdict::Write(entries)) => {
                let seq = entries[0].seq;
                self.write(entries);
                Ok(seq)
            }
            Err(refusal) => Err(refusal.code().as_str()),
        }
    }

    fn play(&mut self, by: Seat, ply: u32, text: &str) -> Result<u32, &'static str> {
        self.act(by, &Command::Move { ply, text: text.to_owned() })
    }

    fn offer(&mut self, by: Seat) -> Result<u32, &'static str> {
        self.act(by, &Command::Draw(DrawAct::Offer))
    }

    fn accept(&mut self, by: Seat, offer: u32) -> Result<u32, &'static str> {
        self.act(by, &Command::Draw(DrawAct::Accept(offer)))
    }

    fn decline(&mut self, by: Seat, offer: u32) -> Result<u32, &'static str> {
        self.act(by, &Command::Draw(DrawAct::Decline(offer)))
    }

    /// Both play until `enough`, always the legal move that comes last in the list.
    fn play_until(&mut self, enough: impl Fn(&State) -> bool) {
        while !enough(&self.state) {
            let by = self.state.to_move().expect("the game goes on until it is enough");
            let text = self.state.legal().pop().expect("somebody to move has a move").to_string();
            let ply = self.state.play().ply() + 1;
            self.play(by, ply, &text).expect("a legal move in turn");
        }
    }

    fn captured(&self) -> (u8, u8) {
        let text = self.state.play().position().to_string();
        let (first, second) = text.split(' ').nth(1).and_then(|pair| pair.split_once('-')).expect("a position text");
        (first.parse().expect("a number"), second.parse().expect("a number"))
    }

    /// Who won, by what, and what was paid, as watchers were told last.
    fn end(&self) -> (Option<Seat>, &'static str, Cents, Cents) {
        match self.told.last() {
            Some(Event::Ended { outcome, payout, fee, .. }) => (outcome.winner, outcome.ending, *payout, *fee),
            other => panic!("the last thing told is no end: {other:?}"),
        }
    }
}

#[test]
fn moves_are_made_in_turn_and_each_is_named_by_its_ply() {
    let mut table = Table::new();
    assert_eq!(table.state.to_move(), Some(First), "C-1: first opens");
    assert_eq!(table.play(Second, 1, "a"), Err("not_your_turn"));
    assert_eq!(table.play(First, 1, "C"), Ok(1));
    assert_eq!(table.state.to_move(), Some(Second));
    assert_eq!(table.play(First, 2, "D"), Err("not_your_turn"));
    assert_eq!(table.play(Second, 2, "b"), Ok(2));
    assert_eq!(table.state.seq(), 2);
    let moves: Vec<_> = table.state.moves().map(|(seq, seat, it)| (seq, seat, it.to_string())).collect();
    assert_eq!(moves, [(1, First, "C".to_owned()), (2, Second, "b".to_owned())]);
}

#[test]
fn a_move_for_another_position_is_stale_and_told_how_many_moves_have_been_made() {
    let mut table = Table::new();
    for (ply, by, text) in [(1, First, "C"), (2, Second, "b"), (3, First, "A")] {
        table.play(by, ply, text).expect("a legal move in turn");
    }
    // Whoever sends it, whatever the move: the past, a gap, and the ends of the numbers.
    for by in [First, Second] {
        for ply in [0, 1, 2, 3, 5, 6, u32::MAX] {
            for text in ["F", "f"] {
                let command = Command::Move { ply, text: text.to_owned() };
                let judged = table.state.judge(by, &command, table.stamp());
                assert_eq!(judged, Err(Refusal::StalePly { ply: 3 }), "{by:?} {ply} {text}");
            }
        }
    }
}

#[test]
fn a_repeat_of_a_recorded_move_by_its_player_is_where_it_was_recorded_also_after_the_end() {
    let mut table = Table::new();
    table.play(First, 1, "C").expect("a legal move");
    table.offer(Second).expect("an offer");
    table.play(Second, 2, "b").expect("a legal move");
    table.play(First, 3, "A").expect("a legal move");
    let repeats = [(First, 1, "C", 1), (Second, 2, "b", 3), (First, 3, "A", 4)];
    let others = [(Second, 1, "C"), (First, 2, "b"), (First, 1, "B"), (Second, 2, "c")];
    for (by, ply, text, seq) in repeats {
        assert_eq!(table.play(by, ply, text), Ok(seq), "{by:?} {ply}");
    }
    for (by, ply, text) in others {
        assert_eq!(table.play(by, ply, text), Err("stale_ply"), "{by:?} {ply} {text}");
    }
    assert_eq!(table.state.seq(), 4, "a repeat writes nothing");

    table.act(Second, &Command::Resign).expect("a live match");
    for (by, ply, text, seq) in repeats {
        assert_eq!(table.play(by, ply, text), Ok(seq), "{by:?} {ply} after the end");
    }
    for (by, ply, text) in others {
        assert_eq!(table.play(by, ply, text), Err("match_over"), "{by:?} {ply} {text} after the end");
    }
}

#[test]
fn c_3_an_illegal_move_is_refused_by_the_rule_that_forbids_it_and_changes_nothing() {
    let mut table = Table::new();
    table.play(First, 1, "C").expect("a legal move");
    table.play(Second, 2, "a").expect("a legal move");
    for (text, reason) in [("b", Illegal::NotYourHouse), ("C", Illegal::EmptyHouse)] {
        let judged = table.state.judge(First, &Command::Move { ply: 3, text: text.to_owned() }, table.stamp());
        assert_eq!(judged, Err(Refusal::Illegal(reason)), "{text}");
    }
    for text in ["", "G", "AB", " A", "1", "ß", "a-b"] {
        assert_eq!(table.play(First, 3, text), Err("invalid_request"), "{text:?} is no move of the game");
    }
    assert_eq!((table.state.seq(), table.state.play().ply()), (2, 2));
}

#[test]
fn a_move_that_ends_the_game_is_written_with_the_end_and_told_with_no_legal_moves() {
    for preset in ["abapa", "wari", "caribbean"] {
        let mut table = Table::of(preset);
        table.play_until(|state| state.outcome().is_some());
        let [.., Event::Moved { seq, to_move, legal, clocks, .. }, Event::Ended { seq: last, .. }] = &table.told[..]
        else {
            panic!("the last two events are a move and the end")
        };
        assert_eq!((*last, *to_move, legal.is_empty(), clocks.running), (seq + 1, None, true, None), "{preset}");
        assert_eq!(table.state.outcome(), table.state.play().outcome(), "{preset}: the board's own outcome");
        let moved = table.state.entries().iter().rev().nth(1).expect("a move");
        let end = table.state.entries().last().expect("an end");
        assert_eq!((moved.clocks, moved.at), (end.clocks, end.at), "{preset}: both happen at once");
    }
}

#[test]
fn after_the_end_every_new_act_is_refused_because_the_match_is_over() {
    let mut table = Table::new();
    table.play(First, 1, "C").expect("a legal move");
    let offer = table.offer(First).expect("an offer");
    table.act(First, &Command::Resign).expect("a live match");
    assert_eq!((table.state.to_move(), table.state.offer(), table.state.legal()), (None, None, Vec::new()));
    for by in [First, Second] {
        assert_eq!(table.play(by, 2, "b"), Err("match_over"), "{by:?}");
        assert_eq!(table.play(by, 9, "b"), Err("match_over"), "{by:?}: over comes before stale");
        assert_eq!(table.act(by, &Command::Resign), Err("match_over"), "{by:?}");
        assert_eq!(table.offer(by), Err("match_over"), "{by:?}");
        assert_eq!(table.accept(by, offer), Err("match_over"), "{by:?}");
        assert_eq!(table.decline(by, offer), Err("match_over"), "{by:?}");
    }
    assert_eq!(table.state.flag(table.stamp()), None, "no clock is left to run out");
    assert_eq!(table.state.flag_after_outage(table.stamp()), None);
}

#[test]
fn ma_8_either_player_can_resign_on_either_turn_and_the_other_is_paid_ninety_per_cent() {
    for moves in [0, 1] {
        for by in [First, Second] {
            let mut table = Table::new();
            table.play_until(|state| state.play().ply() == moves);
            assert_eq!(table.act(by, &Command::Resign), Ok(moves + 1));
            // MA-2: of a pot of 500.
            assert_eq!(table.end(), (Some(by.other()), "resignation", Cents(450), Cents(50)), "{by:?} after {moves}");
        }
    }
}

#[test]
fn ma_14_an_end_outside_the_board_leaves_the_totals_at_the_seeds_captured_so_far() {
    let with_captures = || {
        let mut table = Table::new();
        table.play_until(|state| !state.play().position().to_string().contains(" 0-0 "));
        table
    };
    let resign = |table: &mut Table| {
        table.act(First, &Command::Resign).expect("a live match");
    };
    let run_out = |table: &mut Table| {
        table.wait_ms(CLOCK_MS.into());
        let flag = table.state.flag(table.stamp()).expect("a running clock");
        table.write(vec![flag]);
    };
    let agree = |table: &mut Table| {
        table.offer(First).expect("an offer");
        table.offer(Second).expect("an agreement");
    };
    let ends = [("resignation", resign as fn(&mut Table)), ("timeout", run_out), ("agreement", agree)];
    for (ending, end) in ends {
        let mut table = with_captures();
        let captured = table.captured();
        assert_ne!(captured, (0, 0));
        end(&mut table);
        let outcome = table.state.outcome().expect("an end");
        let totals = outcome.totals.expect("totals in Oware");
        assert_eq!((outcome.ending.code(), (totals.first, totals.second)), (ending, captured));
    }
}

#[test]
fn ma_13_a_player_who_never_moves_loses_by_timeout() {
    let mut table = Table::new();
    assert_eq!(table.state.clocks().deadline(), Some(table.began + Duration::from_millis(CLOCK_MS.into())));
    table.wait_ms(CLOCK_MS.into());
    let flag = table.state.flag(table.stamp()).expect("the clock of first runs");
    table.write(vec![flag]);
    assert_eq!(table.end(), (Some(Second), "timeout", Cents(450), Cents(50)));
    assert_eq!(table.state.entries()[0].clocks, BySeat::new(0, CLOCK_MS));
}

#[test]
fn ma_4_the_flag_falls_on_whose_turn_it_is_even_when_ahead_on_the_board() {
    let mut table = Table::new();
    table.play_until(|state| {
        let text = state.play().position().to_string();
        let second_leads = text.contains(" 0-") && !text.contains(" 0-0 ");
        second_leads && state.to_move() == Some(Second)
    });
    table.wait_ms(CLOCK_MS.into());
    let flag = table.state.flag(table.stamp()).expect("the clock of second runs");
    table.write(vec![flag]);
    assert_eq!(table.end().0, Some(First));
    let totals = table.state.outcome().and_then(|outcome| outcome.totals).expect("totals");
    assert!(totals.second > totals.first, "the loser was ahead: {totals:?}");
}

#[test]
fn ma_5_a_clock_that_stands_brings_no_flag_unless_nothing_was_left_of_it_before_the_outage() {
    let mut table = Table::new();
    let now = table.stamp().instant;
    table.state.clocks_mut().stand(now);
    table.wait_ms(u64::from(CLOCK_MS) * 2);
    assert_eq!(table.state.flag(table.stamp()), None);
    assert_eq!(table.state.flag_after_outage(table.stamp()), None);
    table.state.clocks_mut().set(BySeat::new(0, CLOCK_MS), Some(First));
    let flag = table.state.flag_after_outage(table.stamp()).expect("nothing was left");
    assert_eq!((flag.act, flag.seq), (Act::Ended(Some(Second), Ending::Timeout), 1));
}

#[test]
fn ma_5_a_credit_records_what_the_clocks_show_and_the_turn_stays() {
    let mut table = Table::new();
    table.wait_ms(1_000);
    table.play(First, 1, "C").expect("a legal move");
    table.wait_ms(2_000);
    let outage = table.stamp().instant;
    table.state.clocks_mut().stand(outage);
    table.wait_ms(60_000);
    let credit = table.state.credit(Trouble::Outage, table.stamp());
    assert_eq!((credit.seq, credit.act), (2, Act::ClockCredited(Trouble::Outage)));
    assert_eq!(credit.clocks, BySeat::new(CLOCK_MS - 1_000, CLOCK_MS - 2_000));
    table.write(vec![credit]);
    let Some(Event::ClockCredited { first_ms, second_ms, reason, clocks, .. }) = table.told.last() else {
        panic!("watchers are told")
    };
    assert_eq!((*first_ms, *second_ms, *reason), (CLOCK_MS - 1_000, CLOCK_MS - 2_000, "outage"));
    assert_eq!(clocks.running, Some(Second));
    table.wait_ms(500);
    assert_eq!(table.state.clocks().shown(table.stamp().instant), BySeat::new(CLOCK_MS - 1_000, CLOCK_MS - 2_500));
}

#[test]
fn ma_4_every_entry_has_both_clocks_and_only_the_movers_has_run() {
    let mut table = Table::new();
    let acts: [(u64, Seat, Command); 5] = [
        (1_500, First, Command::Move { ply: 1, text: "C".into() }),
        (200, First, Command::Draw(DrawAct::Offer)),
        (300, Second, Command::Draw(DrawAct::Decline(2))),
        (7_000, Second, Command::Move { ply: 2, text: "b".into() }),
        (40, Second, Command::Resign),
    ];
    for (wait, by, command) in acts {
        table.wait_ms(wait);
        table.act(by, &command).expect("an act that is allowed");
    }
    let clocks: Vec<_> = table.state.entries().iter().map(|it| (it.clocks.first, it.clocks.second)).collect();
    let expected = [(598_500, 600_000), (598_500, 599_800), (598_500, 599_500), (598_500, 592_500), (598_460, 592_500)];
    assert_eq!(clocks, expected);
    let times: Vec<_> = table.state.entries().iter().map(|it| it.at - table.state.setup().started_at).collect();
    let expected = [1_500, 1_700, 2_000, 9_000, 9_040].map(time::Duration::milliseconds);
    assert_eq!(times, expected);
}
