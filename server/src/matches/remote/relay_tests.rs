use serde_json::json;

use super::*;
use crate::bus::Inbox;

/// A match that stands, and somebody who watches it and knows what happened up to `told`.
fn standing(told: u32) -> (Relay, Inbox) {
    let (outbox, inbox) = Outbox::new();
    let watchers = vec![Watcher { outbox, told }];
    (Relay { watchers, newest: told, paused: true, ..Relay::default() }, inbox)
}

/// What the owner shows of it: its clock runs again.
fn snapshot(seq: u32) -> Frame {
    let clocks = json!({"first_ms": 1_000, "second_ms": 1_000, "running": "first"});
    frame(&json!({"type": "match", "match": {"id": MatchId::generate(), "seq": seq, "clocks": clocks}}))
}

fn notice(kind: &str) -> Frame {
    frame(&json!({"type": kind}))
}

/// The journal has been read up to there.
fn read(relay: &mut Relay, seq: u32) {
    relay.watchers[0].told = seq;
    relay.say_resumed();
}

/// The kinds of all that has been told.
fn told(inbox: &mut Inbox) -> Vec<String> {
    std::iter::from_fn(|| inbox.waiting()).filter_map(|frame| placed(&frame)).map(|about| about.kind).collect()
}

#[test]
fn a_watcher_who_misses_nothing_is_told_at_once_that_it_goes_on() {
    let (mut relay, mut inbox) = standing(3);
    relay.begin(&snapshot(3));
    assert_eq!(told(&mut inbox), ["resumed"]);
}

#[test]
fn that_it_goes_on_is_told_after_what_was_missed_whoever_comes_or_goes_meanwhile() {
    let (mut relay, mut inbox) = standing(3);
    relay.begin(&snapshot(4));
    relay.notice("presence", &notice("presence"));
    assert_eq!(told(&mut inbox), ["presence"]);
    read(&mut relay, 4);
    assert_eq!(told(&mut inbox), ["resumed"]);
}

#[test]
fn the_owners_own_word_that_it_goes_on_waits_for_what_was_missed_too() {
    let (mut relay, mut inbox) = standing(3);
    relay.newest = 4;
    relay.notice("resumed", &notice("resumed"));
    assert_eq!(told(&mut inbox), Vec::<String>::new());
    read(&mut relay, 4);
    assert_eq!(told(&mut inbox), ["resumed"]);
}

#[test]
fn it_is_not_told_of_a_match_that_stands_again_by_then() {
    let (mut relay, mut inbox) = standing(3);
    relay.begin(&snapshot(4));
    relay.notice("paused", &notice("paused"));
    read(&mut relay, 4);
    assert_eq!(told(&mut inbox), ["paused"]);
}
