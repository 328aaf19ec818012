//! Any bytes as an endgame table: read and written the same, or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stakeboard_engine::endgame::{MorrisTables, OwareTable};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(table) = OwareTable::from_bytes(bytes) {
        assert_eq!(table.to_bytes(), bytes);
    }
    if let Ok(tables) = MorrisTables::from_bytes(bytes) {
        assert_eq!(tables.to_bytes(), bytes);
    }
});
