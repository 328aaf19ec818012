//! The JSON forms: codes, key order, and what is refused.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::json;
use stakeboard_engine::{Ending, Game, Judged, Options, Outcome, Play, Record, Seat};

const START: &str = "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S";

#[test]
fn outcomes_have_their_keys_in_order_and_totals_only_where_there_are_any() {
    let play = Play::new(Game::Oware.default_options());
    let timeout = play.end_outside(Ending::Timeout, Some(Seat::Second));
    let text = serde_json::to_string(&timeout).unwrap();
    assert_eq!(text, r#"{"winner":"second","ending":"timeout","first":0,"second":0}"#);
    assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), timeout);

    let bare = Outcome { winner: None, ending: Ending::Void, totals: None };
    let text = serde_json::to_string(&bare).unwrap();
    assert_eq!(text, r#"{"winner":null,"ending":"void"}"#);
    assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), bare);

    let half = r#"{"winner":null,"ending":"void","first":1}"#;
    assert!(serde_json::from_str::<Outcome>(half).is_err());
    assert!(serde_json::from_str::<Outcome>(r#"{"winner":"x","ending":"void"}"#).is_err());
}

#[test]
fn options_are_read_from_an_object_and_default_where_missing() {
    let wari = Options::preset(Game::Oware, "wari").unwrap();
    let read = |value| Options::from_json(Game::Oware, &value);
    assert_eq!(read(json!({"grand_slam": "forbidden"})), Ok(wari));
    assert_eq!(read(json!({})), Ok(Game::Oware.default_options()));
    assert_eq!(wari.to_json(), json!({"grand_slam": "forbidden"}));
    assert_eq!(serde_json::to_string(&wari).unwrap(), r#"{"grand_slam":"forbidden"}"#);

    let allowed = "grand_slam to be one of no_capture, forbidden, captures_all";
    for value in [json!("never"), json!(true), json!(null), json!(["forbidden"])] {
        let error = read(json!({"grand_slam": value})).unwrap_err();
        assert_eq!(error.expected(), allowed);
    }
    let error = read(json!({"flying": true})).unwrap_err();
    assert_eq!(error.expected(), "one of the options of oware (grand_slam), found \"flying\"");
    for value in [json!(null), json!([]), json!("forbidden"), json!(1)] {
        assert_eq!(read(value).unwrap_err().expected(), "a JSON object");
    }
}

/// A record of one move with this outcome, as it comes back.
fn outcome_of(moves: &str, outcome: &str) -> String {
    let line = format!(r#"{{"game":"oware","options":{{}},"start":"{START}","plies":[{moves}],"outcome":{outcome}}}"#);
    serde_json::to_string(&Record::read(&line).unwrap().outcome).unwrap()
}

#[test]
fn c_5_endings_of_unfinished_records_are_kept_with_totals_of_ma_14() {
    let timeout = r#"{"winner":"first","ending":"timeout","first":25,"second":23}"#;
    let kept = r#"{"winner":"first","ending":"timeout","first":0,"second":0}"#;
    assert_eq!(outcome_of(r#"{"move":"A"}"#, timeout), kept);
    let agreed = r#"{"winner":"first","ending":"agreement"}"#;
    let kept = r#"{"winner":null,"ending":"agreement","first":0,"second":0}"#;
    assert_eq!(outcome_of("", agreed), kept);
}

#[test]
fn other_given_outcomes_are_not_believed() {
    for given in [
        r#"{"winner":"first","ending":"majority","first":25,"second":23}"#,
        r#"{"winner":"first","ending":"boredom"}"#,
        r#"{"winner":"first"}"#,
        "null",
        "7",
    ] {
        assert_eq!(outcome_of(r#"{"move":"A"}"#, given), "null");
    }
}

#[test]
fn an_ending_on_the_board_is_not_replaced_by_a_given_one() {
    let line = r#"{"game":"oware","start":"0,0,0,0,0,1/2,6,0,0,0,0 22-17 S",
        "plies":[{"move":"F"}],"outcome":{"winner":"second","ending":"resignation"}}"#;
    let outcome = Record::read(line).unwrap().outcome.unwrap();
    assert_eq!((outcome.winner, outcome.ending), (Some(Seat::First), Ending::Majority));
}

#[test]
fn records_that_cannot_be_replayed_say_why() {
    let record = |start: &str, moves: &str, outcome: &str| {
        format!(r#"{{"game":"oware","start":"{start}","plies":[{moves}],"outcome":{outcome}}}"#)
    };
    for (line, error) in [
        (record(START, r#"{"move":"A"},{"move":"A"}"#, "null"), "move 2: A is illegal: not_your_house"),
        (
            record(START, r#"{"move":"x"}"#, "null"),
            "move 1: cannot read an Oware move: expected a house letter, A to F or a to f at byte 0",
        ),
        (
            record(START, "", r#"{"winner":null,"ending":"resignation"}"#),
            "the outcome says resignation, expected a winner, first or second",
        ),
        (record("4", "", "null"), "cannot read an Oware position: expected ',' at byte 1"),
        (
            r#"{"game":"chess","start":"","plies":[]}"#.to_owned(),
            "cannot read a game: expected one of mu_torere, oware, morris at byte 0",
        ),
    ] {
        assert_eq!(Record::read(&line).unwrap_err().to_string(), error);
    }
    let error = Record::read(r#"{"game":"oware","plies":[]}"#).unwrap_err().to_string();
    assert!(error.contains("missing field `start`"), "{error}");
}

#[test]
fn judged_moves_carry_a_reason_or_null() {
    let line = |m: &str| format!(r#"{{"game":"oware","options":{{}},"position":"{START}","move":"{m}","note":1}}"#);
    let judge = |m| serde_json::to_string(&Judged::read(&line(m)).unwrap()).unwrap();
    let head = r#"{"game":"oware","options":{"grand_slam":"no_capture"},"position":"#;
    assert_eq!(judge("A"), format!(r#"{head}"{START}","move":"A","reason":null}}"#));
    assert_eq!(judge("a"), format!(r#"{head}"{START}","move":"a","reason":"not_your_house"}}"#));
    assert!(Judged::read(&line("AB")).is_err());
}

#[test]
fn flags_are_booleans_and_nothing_else() {
    let read = |value| Options::from_json(Game::Morris, &value);
    let text = |options: Options| serde_json::to_string(&options).unwrap();
    let standard = Game::Morris.default_options();
    assert_eq!(text(standard), r#"{"flying":true,"double_mill_takes_two":false}"#);
    assert_eq!(standard.to_json(), json!({"flying": true, "double_mill_takes_two": false}));
    assert_eq!(read(json!({})).unwrap(), standard);
    let both = read(json!({"double_mill_takes_two": true, "flying": false})).unwrap();
    assert_eq!(text(both), r#"{"flying":false,"double_mill_takes_two":true}"#);
    assert_eq!(Options::preset(Game::Morris, "no_flying"), Some(read(json!({"flying": false})).unwrap()));
    for value in [json!({"flying": "true"}), json!({"flying": 1}), json!({"flying": null})] {
        assert_eq!(
            read(value).unwrap_err().to_string(),
            "cannot read ruleset options: expected flying to be one of true, false"
        );
    }
    assert!(Options::from_json(Game::Oware, &json!({"grand_slam": true})).is_err());
    assert_eq!(
        Options::from_json(Game::MuTorere, &json!({"flying": true})).unwrap_err().to_string(),
        "cannot read ruleset options: expected one of the options of mu_torere (none), found \"flying\""
    );
    assert_eq!(text(Game::MuTorere.default_options()), "{}");
}
