//! What a client should not send: JSON of the right form spoilt by chance, from a seed.

use rand::rngs::SmallRng;
use serde_json::{Map, Value, json};

use crate::play::pick;

/// Texts that have broken other services.
const TEXTS: [&str; 14] = [
    "",
    " ",
    "null",
    "oware",
    "offer",
    "\u{0}",
    "\u{202e}ana",
    "\u{feff}",
    "🎲🎲🎲",
    "a'; drop table players; --",
    "../../etc/passwd",
    "%s%n{}",
    "-1",
    "00000000-0000-7000-8000-000000000000",
];

/// Numbers as they stand in JSON, some of them beyond every type.
const NUMBERS: [&str; 14] = [
    "0",
    "-0",
    "-1",
    "1.5",
    "5e0",
    "1e-37",
    "1e308",
    "1e999",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "123456789012345678901234567890",
];

/// A JSON text made from a right one by chance: other types, other names, more, less, cut off, nested, doubled.
pub fn spoil(right: &Value, dice: &mut SmallRng) -> Vec<u8> {
    let text = match pick(dice, 12) {
        0 => right.to_string(),
        1 => doubled(right, dice),
        2 => {
            let depth = [10, 127, 128, 129, 5_000][pick(dice, 5)];
            let inner = "[".repeat(depth) + &"]".repeat(depth);
            with_raw(right, dice, &inner)
        }
        3 => {
            let number = NUMBERS[pick(dice, NUMBERS.len())];
            with_raw(right, dice, number)
        }
        4 => NUMBERS[pick(dice, NUMBERS.len())].to_owned(),
        5 => return broken_bytes(right, dice),
        6 => {
            let mut text = right.to_string();
            let mut end = pick(dice, text.len() + 1);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            text
        }
        7 => with_raw(right, dice, "\"\\ud800\""),
        8 => json!(right.as_object().map(|object| object.values().cloned().collect::<Vec<_>>())).to_string(),
        _ => altered(right, dice).to_string(),
    };
    text.into_bytes()
}

fn field<'a>(right: &'a Value, dice: &mut SmallRng) -> &'a str {
    let names: Vec<&str> = right.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    if names.is_empty() { "x" } else { names[pick(dice, names.len())] }
}

/// One field has this JSON text instead of its value.
fn with_raw(right: &Value, dice: &mut SmallRng, raw: &str) -> String {
    let chosen = field(right, dice).to_owned();
    let mut object = right.as_object().cloned().unwrap_or_default();
    object.insert(chosen, "<here>".into());
    Value::Object(object).to_string().replace("\"<here>\"", raw)
}

fn doubled(right: &Value, dice: &mut SmallRng) -> String {
    let again = json!({field(right, dice): value(dice, 1)}).to_string();
    let whole = right.to_string();
    format!("{},{}", &whole[..whole.len() - 1], &again[1..])
}

fn broken_bytes(right: &Value, dice: &mut SmallRng) -> Vec<u8> {
    let mut bytes = right.to_string().into_bytes();
    for _ in 0..=pick(dice, 4) {
        let place = pick(dice, bytes.len());
        bytes[place] = u8::try_from(pick(dice, 256)).unwrap();
    }
    bytes
}

fn altered(right: &Value, dice: &mut SmallRng) -> Value {
    let mut object = right.as_object().cloned().unwrap_or_default();
    for _ in 0..=pick(dice, 2) {
        let chosen = field(right, dice).to_owned();
        match pick(dice, 4) {
            0 => drop(object.shift_remove(&chosen)),
            1 => drop(object.insert(TEXTS[pick(dice, TEXTS.len())].to_owned(), value(dice, 1))),
            _ => drop(object.insert(chosen, value(dice, 3))),
        }
    }
    Value::Object(object)
}

/// Any JSON value, not too deep.
fn value(dice: &mut SmallRng, depth: usize) -> Value {
    match pick(dice, if depth == 0 { 6 } else { 9 }) {
        0 => Value::Null,
        1 => (pick(dice, 2) == 0).into(),
        2 => serde_json::from_str(NUMBERS[pick(dice, NUMBERS.len())]).unwrap_or(Value::Null),
        3 => "x".repeat([1, 41, 255, 3_000][pick(dice, 4)]).into(),
        4 | 5 => TEXTS[pick(dice, TEXTS.len())].into(),
        6 => (0..pick(dice, 4)).map(|_| value(dice, depth - 1)).collect::<Vec<_>>().into(),
        7 => vec![json!(0); 1_000].into(),
        _ => {
            let fields = (0..pick(dice, 4)).map(|number| (format!("field {number}"), value(dice, depth - 1)));
            fields.collect::<Map<_, _>>().into()
        }
    }
}

/// Demands that an answer tells nothing of the database or the code.
#[track_caller]
pub fn assert_discreet(answer: &str) {
    let lower = answer.to_lowercase();
    for word in ["sqlx", "panicked", "src/", "relation", "postgres", "backtrace", "serde", "unwrap", "constraint"] {
        assert!(!lower.contains(word), "{word} in {answer}");
    }
}
