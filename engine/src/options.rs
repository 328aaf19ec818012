//! Ruleset options: what a table's host chooses, by name and value.

use crate::{Game, ParseError, oware};

/// What is being read, in errors.
const READING: &str = "ruleset options";

/// The options of one game (MA-11). They do not change during a match.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Options {
    /// Mū tōrere has none.
    MuTorere,
    /// Options of Oware.
    Oware(oware::Options),
}

/// An option as a client may offer it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// The stable name, such as `grand_slam`.
    pub name: &'static str,
    /// The stable codes of the allowed values.
    pub allowed: &'static [&'static str],
    /// The allowed value that holds where nothing is chosen.
    pub default: &'static str,
}

impl Options {
    /// The game that these options belong to.
    #[must_use]
    pub const fn game(&self) -> Game {
        match self {
            Options::MuTorere => Game::MuTorere,
            Options::Oware(_) => Game::Oware,
        }
    }

    /// The preset with this name, see [`Game::presets`].
    #[must_use]
    pub fn preset(game: Game, name: &str) -> Option<Options> {
        let mut presets = game.presets().iter();
        presets.find(|(n, _)| *n == name).map(|&(_, options)| options)
    }

    /// Sets the option `name` to `value`, both as texts. Refused, it changes nothing.
    ///
    /// # Errors
    /// An unknown name, with the known ones; a value that is not allowed, with those that are.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParseError> {
        let known = match self {
            Options::MuTorere => false,
            Options::Oware(options) => options.set(name, value),
        };
        if known { Ok(()) } else { Err(refusal(self.game(), name)) }
    }

    /// Sets an option given as `name=value`.
    ///
    /// # Errors
    /// A text without `=`, and those of [`Options::set`].
    pub fn set_text(&mut self, text: &str) -> Result<(), ParseError> {
        let (name, value) =
            text.split_once('=').ok_or_else(|| ParseError::at(READING, "'=' between option and value", text.len()))?;
        self.set(name, value)
    }

    /// The default options of `game` with each pair of name and value set in turn.
    ///
    /// # Errors
    /// Those of [`Options::set`].
    pub fn from_pairs<'a>(
        game: Game,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Options, ParseError> {
        let mut options = game.default_options();
        for (name, value) in pairs {
            options.set(name, value)?;
        }
        Ok(options)
    }

    /// Every option with its value, in the order of the record format.
    #[must_use]
    pub fn pairs(&self) -> Vec<(&'static str, &'static str)> {
        match self {
            Options::MuTorere => Vec::new(),
            Options::Oware(options) => options.pairs().to_vec(),
        }
    }

    /// Reads a JSON object such as `{"grand_slam":"forbidden"}`. Options it does not name have
    /// their default.
    ///
    /// # Errors
    /// Anything but an object; an unknown name, with the known ones; a value of another type or
    /// one that is not allowed, with those that are.
    #[cfg(feature = "serde")]
    pub fn from_json(game: Game, value: &serde_json::Value) -> Result<Options, ParseError> {
        let object = value.as_object().ok_or_else(|| ParseError::whole(READING, "a JSON object"))?;
        let mut options = game.default_options();
        for (name, value) in object {
            let value = value.as_str().ok_or_else(|| refusal(game, name))?;
            options.set(name, value)?;
        }
        Ok(options)
    }

    /// The JSON object that [`Options::from_json`] reads, with every option named.
    #[cfg(feature = "serde")]
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let entries = self.pairs().into_iter();
        entries.map(|(name, value)| (name, serde_json::Value::from(value))).collect()
    }
}

/// Why `name`, with a value that could not be set, is refused: one sentence with what is allowed.
fn refusal(game: Game, name: &str) -> ParseError {
    let known = game.options();
    let expected = if let Some(option) = known.iter().find(|option| option.name == name) {
        format!("{name} to be one of {}", option.allowed.join(", "))
    } else {
        let names: Vec<_> = known.iter().map(|option| option.name).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        // The name comes from outside: an error must stay short whatever was sent.
        let unknown: String = name.chars().take(40).collect();
        format!("one of the options of {game} ({names}), found {unknown:?}")
    };
    ParseError::whole(READING, expected)
}
