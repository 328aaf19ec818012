//! Chance. The only place that rolls dice; all of it from the operating system's generator or one seeded by it.
#![expect(clippy::disallowed_methods, reason = "this is the place the ban points to")]

use rand::Rng as _;
use stakeboard_engine::Seat;

/// MA-12: who of two opens a match.
pub fn draw_seat() -> Seat {
    if rand::rng().next_u32() & 1 == 0 { Seat::First } else { Seat::Second }
}

/// A text that nobody can guess, of signs each drawn from these. Their number is far below 256 and need not divide it:
/// a byte beyond the last whole round is drawn anew.
pub fn text(signs: &[u8], length: usize) -> String {
    let whole = 256 - 256 % signs.len();
    let mut text = String::with_capacity(length);
    while text.len() < length {
        let [byte] = secret();
        if usize::from(byte) < whole {
            text.push(char::from(signs[usize::from(byte) % signs.len()]));
        }
    }
    text
}

/// Bytes nobody can guess.
pub fn secret<const LENGTH: usize>() -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    rand::rng().fill_bytes(&mut bytes);
    bytes
}

/// Dice for a computer player: numbers of 64 bits, all equally likely.
pub fn dice() -> impl FnMut() -> u64 {
    let mut generator = rand::rng();
    move || generator.next_u64()
}
