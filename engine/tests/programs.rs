//! The two example programs, run in this process.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[expect(dead_code, reason = "main only joins the program to the outside")]
#[path = "../examples/perft.rs"]
mod perft;
#[expect(dead_code, reason = "main only joins the program to the outside")]
#[path = "../examples/replay.rs"]
mod replay;

fn arguments(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// What `perft` prints, or its error.
fn perft(line: &str) -> Result<String, String> {
    let mut out = Vec::new();
    perft::run(&arguments(line), &mut out).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(out).unwrap())
}

/// What `replay` prints, and its error if it has one.
fn replay(line: &str, input: &str) -> (String, Option<String>) {
    let mut out = Vec::new();
    let error = replay::run(&arguments(line), input.as_bytes(), &mut out).err();
    (String::from_utf8(out).unwrap(), error.map(|error| error.to_string()))
}

#[test]
fn perft_prints_a_line_for_each_depth() {
    assert_eq!(perft("oware 4").unwrap(), "1 6\n2 36\n3 190\n4 1014\n");
    assert_eq!(perft("oware 2 grand_slam=forbidden").unwrap(), "1 6\n2 36\n");
}

#[test]
fn perft_refuses_what_it_does_not_understand() {
    for line in [
        "",
        "oware",
        "chess 2",
        "oware 0",
        "oware -1",
        "oware two",
        "oware 2 grand_slam",
        "oware 2 grand_slam=never",
        "oware 2 flying=true",
    ] {
        assert!(perft(line).is_err(), "{line}");
    }
}

const GIVEN: &str = r#"{"extra":1,"outcome":null,"plies":[{"move":"C","note":2,"legal":[]}],"start":"4,4,4,4,4,4/4,4,4,4,4,4 0-0 S","game":"oware"}"#;
const FOUND: &str = r#"{"game":"oware","options":{"grand_slam":"no_capture"},"start":"4,4,4,4,4,4/4,4,4,4,4,4 0-0 S","plies":[{"legal":["A","B","C","D","E","F"],"move":"C","after":"4,4,0,5,5,5/5,4,4,4,4,4 0-0 N"}],"outcome":null}"#;

#[test]
fn replay_prints_records_as_it_finds_them() {
    let (out, error) = replay("", &format!("{GIVEN}\n\n{GIVEN}\n"));
    assert_eq!((out, error), (format!("{FOUND}\n{FOUND}\n"), None));
}

#[test]
fn replay_stops_at_a_refused_record_and_names_its_line() {
    let illegal = GIVEN.replace("\"C\"", "\"c\"");
    let (out, error) = replay("", &format!("{GIVEN}\n{illegal}\n{GIVEN}\n"));
    assert_eq!(out, format!("{FOUND}\n"));
    assert_eq!(error.unwrap(), "line 2: move 1: c is illegal: not_your_house");
    let (_, error) = replay("", "{}\n");
    assert!(error.unwrap().starts_with("line 1: "));
}

#[test]
fn replay_judges_single_moves() {
    let line = r#"{"game":"oware","options":{"grand_slam":"forbidden"},"position":"0,0,0,1,0,2/1,1,0,0,0,0 21-22 S","move":"F"}"#;
    let (out, error) = replay("--illegal", line);
    let reason = r#","reason":"grand_slam_forbidden"}"#;
    assert_eq!(out, format!("{}{reason}\n", line.strip_suffix('}').unwrap()));
    assert_eq!(error, None);
}

#[test]
fn replay_refuses_other_arguments() {
    for line in ["--legal", "--illegal x", "records.jsonl"] {
        assert!(replay(line, "").1.is_some());
    }
}
