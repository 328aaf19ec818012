//! Any line as a record or as a judged move: what can be read replays to itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stakeboard_engine::{Judged, Record};

fuzz_target!(|line: &str| {
    if let Ok(record) = Record::read(line) {
        let written = serde_json::to_string(&record).expect("a record has a JSON form");
        let again = Record::read(&written).expect("what was written can be read");
        assert_eq!(again, record);
    }
    if let Ok(judged) = Judged::read(line) {
        let written = serde_json::to_string(&judged).expect("a judged move has a JSON form");
        assert_eq!(Judged::read(&written).expect("what was written can be read"), judged);
    }
});
