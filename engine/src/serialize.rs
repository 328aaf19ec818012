//! JSON forms of the values: codes and texts as strings, options and outcomes as objects whose
//! keys come in a fixed order.

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{BySeat, Ending, Game, Illegal, Move, Options, Outcome, Position, Seat};

/// Serialises as the string that `Display` writes: the value's code or text.
macro_rules! as_text {
    ($($type:ty),+) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )+};
}

as_text!(Game, Seat, Ending, Illegal, Move, Position);

/// Deserialises from the string that `FromStr` reads.
macro_rules! from_text {
    ($($type:ty),+) => {$(
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(D::Error::custom)
            }
        }
    )+};
}

from_text!(Game, Seat, Ending);

impl Serialize for Options {
    /// An object with every option, in the order of the record format.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.json_pairs())
    }
}

impl Serialize for Outcome {
    /// `{"winner":…,"ending":…,"first":…,"second":…}`, the totals only in games that have them.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(if self.totals.is_some() { 4 } else { 2 }))?;
        map.serialize_entry("winner", &self.winner)?;
        map.serialize_entry("ending", &self.ending)?;
        if let Some(BySeat { first, second }) = self.totals {
            map.serialize_entry("first", &first)?;
            map.serialize_entry("second", &second)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Outcome {
    /// Reads what `Serialize` writes; of the totals both or neither must be there.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Outcome, D::Error> {
        #[derive(Deserialize)]
        struct Flat {
            winner: Option<Seat>,
            ending: Ending,
            first: Option<u8>,
            second: Option<u8>,
        }
        let flat = Flat::deserialize(deserializer)?;
        let totals = match (flat.first, flat.second) {
            (Some(first), Some(second)) => Some(BySeat { first, second }),
            (None, None) => None,
            _ => return Err(D::Error::custom("expected totals of both players or of neither")),
        };
        Ok(Outcome { winner: flat.winner, ending: flat.ending, totals })
    }
}
