//! Passwords: how strong they must be, and how they are hashed without giving away threads or memory.

use std::sync::Arc;

use argon2::{
    Argon2, PasswordHasher as _, PasswordVerifier as _,
    password_hash::{self, phc::PasswordHash},
};
use serde::{Deserialize, Deserializer};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use unicode_normalization::UnicodeNormalization as _;
use utoipa::ToSchema;
use zeroize::Zeroizing;

use crate::rng;

/// A password as it was typed. Wiped from memory when dropped, never printed.
///
/// Kept in the composed form of Unicode, so that it does not matter which keyboard typed an accent.
#[derive(Clone, ToSchema)]
#[schema(value_type = String, format = Password)]
pub struct Password(Zeroizing<String>);

impl Password {
    /// The password of a text.
    pub fn new(text: &str) -> Self {
        // Composing never makes a text longer than three times its bytes; growing would leave copies behind.
        let mut composed = Zeroizing::new(String::with_capacity(text.len().saturating_mul(3)));
        composed.extend(text.nfc());
        Self(composed)
    }

    /// Whether it is the same as another, both being known to whoever asks.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Password(…)")
    }
}

impl<'de> Deserialize<'de> for Password {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self::new(&Zeroizing::new(text)))
    }
}

/// What makes a password too easy to guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weakness {
    /// Not from [`SHORTEST`] to [`LONGEST`] characters.
    Length,
    /// Holds the name in the address or the display name.
    Personal,
    /// One character again and again, a run along the alphabet or the keyboard, or a short text repeated.
    Pattern,
    /// One of those tried first.
    Common,
    /// The one that it is to replace.
    Same,
}

/// The fewest characters of a password.
pub const SHORTEST: usize = 10;
/// The most characters of a password.
pub const LONGEST: usize = 200;

/// Runs that people take for secrets, in either direction.
const RUNS: [&str; 6] = [
    "01234567890123456789",
    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "1q2w3e4r5t6y7u8i9o0p",
];

/// What is tried first, without the digits and signs that people put around it.
const COMMON: [&str; 41] = [
    "administrador",
    "administrator",
    "amor",
    "baseball",
    "brasil",
    "changeme",
    "corinthians",
    "deusefiel",
    "dragon",
    "familia",
    "feliz",
    "flamengo",
    "football",
    "futebol",
    "gremio",
    "guest",
    "iloveyou",
    "internacional",
    "jesus",
    "jesuscristo",
    "letmein",
    "master",
    "minhasenha",
    "monkey",
    "mudar",
    "palmeiras",
    "passw0rd",
    "password",
    "p@ssw0rd",
    "princesa",
    "qwerty",
    "saopaulo",
    "secret",
    "senha",
    "stakeboard",
    "sunshine",
    "superman",
    "teamo",
    "teste",
    "trustno1",
    "welcome",
];

/// Judges a new password of the owner of this address and display name.
pub fn weakness(password: &Password, email: &str, display_name: &str) -> Option<Weakness> {
    let length = password.0.chars().count();
    if !(SHORTEST..=LONGEST).contains(&length) {
        return Some(Weakness::Length);
    }
    let folded = Zeroizing::new(password.0.to_lowercase());
    if is_personal(&folded, email, display_name) {
        Some(Weakness::Personal)
    } else if is_pattern(&folded) {
        Some(Weakness::Pattern)
    } else if is_common(&folded) {
        Some(Weakness::Common)
    } else {
        None
    }
}

/// The fewest characters of a name that counts within a longer password; shorter ones are parts of too many words.
const SHORTEST_NAME: usize = 4;

/// One with the owner's name or the name in their address in it, however it is spaced and in capitals or not; or one that
/// is nothing but such a name, of any length, with digits and signs around it.
fn is_personal(folded: &str, email: &str, display_name: &str) -> bool {
    let local_part = email.split('@').next().unwrap_or_default();
    let unspaced = |text: &str| text.split_whitespace().collect::<String>();
    let whole = Zeroizing::new(unspaced(folded));
    [local_part, display_name].into_iter().map(|name| name.nfc().collect::<String>().to_lowercase()).any(|name| {
        let name = unspaced(&name);
        (name.chars().count() >= SHORTEST_NAME && whole.contains(&name))
            || (!core(&whole).is_empty() && core(&whole) == core(&name))
    })
}

fn is_pattern(folded: &str) -> bool {
    let characters = Zeroizing::new(folded.chars().collect::<Vec<char>>());
    // One text repeated, which for a text of one character is the same character throughout.
    let repeats = (1..=4).any(|period| characters.iter().zip(&characters[period..]).all(|(one, next)| one == next));
    let backwards = Zeroizing::new(folded.chars().rev().collect::<String>());
    repeats || RUNS.iter().any(|run| run.contains(folded) || run.contains(&**backwards))
}

fn is_common(folded: &str) -> bool {
    COMMON.contains(&core(folded)) || COMMON.contains(&folded)
}

/// A text without the digits and signs around it.
fn core(text: &str) -> &str {
    text.trim_matches(|character: char| !character.is_alphabetic())
}

/// A hash of nothing anybody knows, with the parameters of every other: what an unknown address is checked against,
/// so that it takes as long as a known one.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$LHJ1cHW8xyt8XHjlC/k5zg$joFLSnj6UNKRoax4sAAdgePHUpaOEV6l1GtG1JMbU4w";

/// Why a password could not be hashed or compared.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    /// Too many are waiting already.
    #[error("too many passwords wait to be hashed")]
    Overloaded,
    /// The hash in the database is not one, or the hasher failed.
    #[error("a password could not be hashed")]
    Hash(#[from] password_hash::Error),
    /// The thread that hashed it panicked.
    #[error("the hashing of a password was cut off")]
    Cut(#[from] tokio::task::JoinError),
}

/// Hashes passwords, a bounded number at once and a bounded number waiting: each takes 19 MiB and some 40 ms of
/// a processor, which must not add up to more than there is.
#[derive(Clone, Debug)]
pub struct Passwords {
    places: Arc<Semaphore>,
    running: Arc<Semaphore>,
}

/// Held while a password waits and is hashed, also where nobody waits for the answer any more.
type Place = (OwnedSemaphorePermit, OwnedSemaphorePermit);

impl Passwords {
    /// At most `at_once` are hashed and `waiting` wait at any moment.
    pub fn new(at_once: usize, waiting: usize) -> Self {
        let at_once = at_once.max(1);
        Self {
            places: Arc::new(Semaphore::new(at_once.saturating_add(waiting).min(Semaphore::MAX_PERMITS))),
            running: Arc::new(Semaphore::new(at_once)),
        }
    }

    /// The hash of a new password, as PHC text with its salt and parameters.
    pub async fn hash(&self, password: Password) -> Result<String, HashError> {
        let place = self.place().await?;
        let hashed = tokio::task::spawn_blocking(move || {
            let salt: [u8; 16] = rng::secret();
            let hash: Result<PasswordHash, _> = Argon2::default().hash_password_with_salt(password.bytes(), &salt);
            drop(place);
            hash.map(|hash| hash.to_string())
        });
        Ok(hashed.await??)
    }

    /// Whether the password is that of the hash. Without a hash it is not, after the same time.
    pub async fn verify(&self, password: Password, hash: Option<String>) -> Result<bool, HashError> {
        let place = self.place().await?;
        let known = hash.is_some();
        let verified = tokio::task::spawn_blocking(move || {
            let hash = PasswordHash::new(hash.as_deref().unwrap_or(NOBODY))?;
            let verified = Argon2::default().verify_password(password.bytes(), &hash);
            drop(place);
            match verified {
                Ok(()) => Ok(true),
                Err(password_hash::Error::PasswordInvalid) => Ok(false),
                Err(error) => Err(error),
            }
        });
        Ok(verified.await?? && known)
    }

    async fn place(&self) -> Result<Place, HashError> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| HashError::Overloaded)?;
        // Never closed.
        let running = Arc::clone(&self.running).acquire_owned().await.map_err(|_| HashError::Overloaded)?;
        Ok((place, running))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str) -> Option<Weakness> {
        weakness(&Password::new(text), "maria.silva@example.com", "Mãe Joana")
    }

    #[test]
    fn length_counts_characters_not_bytes() {
        assert_eq!(judged("çãõéíúâêô"), Some(Weakness::Length), "nine characters of eighteen bytes");
        assert_eq!(judged("çãõéíúâêôà"), None);
        assert_eq!(judged("c\u{327}a\u{303}o\u{303}e\u{301}i\u{301}"), Some(Weakness::Length), "five when composed");
        let long: String = "correto cavalo ".chars().cycle().take(200).collect();
        assert_eq!(judged(&long), None);
        assert_eq!(judged(&format!("{long}!")), Some(Weakness::Length));
    }

    #[test]
    fn names_patterns_and_common_ones_are_refused() {
        let cases = [
            ("maria.silva", Weakness::Personal),
            ("--MARIA.SILVA-99", Weakness::Personal),
            ("ma\u{303}e joana 2026", Weakness::Personal),
            ("maria.silva tem tres gatos", Weakness::Personal),
            ("dos gatos da MãeJoana", Weakness::Personal),
            ("m a r i a . s i l v a !", Weakness::Personal),
            ("maria.silva@example.com", Weakness::Personal),
            ("aaaaaaaaaa", Weakness::Pattern),
            ("AAAAaaaaAAAA", Weakness::Pattern),
            ("1234567890", Weakness::Pattern),
            ("0987654321", Weakness::Pattern),
            ("abcdefghijk", Weakness::Pattern),
            ("QwertyUiop", Weakness::Pattern),
            ("poiuytrewq", Weakness::Pattern),
            ("1q2w3e4r5t", Weakness::Pattern),
            ("1212121212", Weakness::Pattern),
            ("abcabcabca", Weakness::Pattern),
            ("password123", Weakness::Common),
            ("!!Flamengo1981", Weakness::Common),
            ("123senha123", Weakness::Common),
            ("P@ssw0rd123", Weakness::Common),
        ];
        for (text, weakness) in cases {
            assert_eq!(judged(text), Some(weakness), "{text}");
        }
        for text in [
            "correct horse",
            "tres tigres tristes",
            "k3v9-q8xw-11",
            "Senha do portao velho",
            "maria da silva tem gatos",
        ] {
            assert_eq!(judged(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_of_fewer_than_four_characters_may_be_part_of_a_word_and_is_no_password_by_itself() {
        let judged = |text: &str| weakness(&Password::new(text), "bo@example.com", "Ana");
        assert_eq!(judged("bananas do bosque"), None);
        assert_eq!(judged("ana-12345678"), Some(Weakness::Personal));
        let judged = |text: &str| weakness(&Password::new(text), "bo@example.com", "Anas");
        assert_eq!(judged("bananas do bosque"), Some(Weakness::Personal));
    }

    #[test]
    fn a_password_is_never_printed() {
        assert_eq!(format!("{:?}", Password::new("correct horse")), "Password(…)");
    }

    #[test]
    fn an_unknown_address_costs_what_a_known_one_does() {
        let nobody = PasswordHash::new(NOBODY).expect("a hash");
        let made: PasswordHash = Argon2::default().hash_password_with_salt(b"correct horse", &[7; 16]).expect("a hash");
        assert_eq!(nobody.algorithm, made.algorithm);
        assert_eq!(nobody.version, made.version);
        assert_eq!(nobody.params, made.params);
        assert_eq!(nobody.hash.map(|hash| hash.len()), made.hash.map(|hash| hash.len()));
    }

    #[tokio::test]
    async fn the_right_password_however_it_was_typed_and_no_other() {
        let passwords = Passwords::new(1, 2);
        let hash = passwords.hash(Password::new("coração de leão")).await.expect("hashed");
        let typed = "corac\u{327}a\u{303}o de lea\u{303}o";
        assert!(passwords.verify(Password::new(typed), Some(hash.clone())).await.expect("compared"));
        assert!(!passwords.verify(Password::new("Coração de leão"), Some(hash)).await.expect("compared"));
        assert!(!passwords.verify(Password::new(typed), None).await.expect("compared"));
        assert!(passwords.verify(Password::new(typed), Some("not a hash".into())).await.is_err());
    }

    #[tokio::test]
    async fn more_than_can_wait_are_turned_away_at_once() {
        let passwords = Passwords::new(1, 1);
        let first = passwords.place().await.expect("runs");
        let waiting = tokio::spawn({
            let passwords = passwords.clone();
            async move { passwords.place().await.is_ok() }
        });
        tokio::task::yield_now().await;
        assert!(matches!(passwords.place().await, Err(HashError::Overloaded)));
        drop(first);
        assert!(waiting.await.expect("not cut off"));
    }
}
