//! Ruleset options: what a table's host chooses, by name and value.

use crate::{Game, ParseError, morris, oware};

/// What is being read, in errors.
const READING: &str = "ruleset options";

/// The options of one game (MA-11). They do not change during a match.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Options {
    /// Mū tōrere has none.
    MuTorere,
    /// Options of Oware.
    Oware(oware::Options),
    /// Options of Nine Men's Morris.
    Morris(morris::Options),
}

/// An option as a client may offer it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// The stable name, such as `grand_slam`.
    pub name: &'static str,
    /// Whether it is chosen by a code or is on or off.
    pub kind: OptionKind,
    /// The allowed values as texts: stable codes, or `true` and `false`.
    pub allowed: &'static [&'static str],
    /// The allowed value that holds where nothing is chosen.
    pub default: &'static str,
}

/// What the values of an option are, in JSON.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// Codes: strings.
    Choice,
    /// On or off: booleans.
    Flag,
}

impl OptionInfo {
    /// An option that is on or off.
    pub(crate) const fn flag(name: &'static str, default: bool) -> OptionInfo {
        let default = if default { "true" } else { "false" };
        OptionInfo { name, kind: OptionKind::Flag, allowed: &["true", "false"], default }
    }

    /// The JSON form of one of the allowed values: a string, or a boolean for a flag.
    #[cfg(feature = "serde")]
    #[must_use]
    pub fn json(&self, value: &str) -> serde_json::Value {
        match self.kind {
            OptionKind::Choice => value.into(),
            OptionKind::Flag => (value == "true").into(),
        }
    }
}

impl Options {
    /// The game that these options belong to.
    #[must_use]
    pub const fn game(&self) -> Game {
        match self {
            Options::MuTorere => Game::MuTorere,
            Options::Oware(_) => Game::Oware,
            Options::Morris(_) => Game::Morris,
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
            Options::Morris(options) => options.set(name, value),
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
            Options::Morris(options) => options.pairs().to_vec(),
        }
    }

    /// Reads a JSON object such as `{"grand_slam":"forbidden"}` or `{"flying":false}`. Options it
    /// does not name have their default.
    ///
    /// # Errors
    /// Anything but an object; an unknown name, with the known ones; a value of another type or
    /// one that is not allowed, with those that are.
    #[cfg(feature = "serde")]
    pub fn from_json(game: Game, value: &serde_json::Value) -> Result<Options, ParseError> {
        let object = value.as_object().ok_or_else(|| ParseError::whole(READING, "a JSON object"))?;
        let mut options = game.default_options();
        for (name, value) in object {
            let known = game.options().iter().find(|option| option.name == name);
            let text = known.and_then(|option| option.allowed.iter().find(|allowed| option.json(allowed) == *value));
            options.set(name, text.ok_or_else(|| refusal(game, name))?)?;
        }
        Ok(options)
    }

    /// The JSON object that [`Options::from_json`] reads, with every option named.
    #[cfg(feature = "serde")]
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        self.json_pairs().collect()
    }

    /// Every option with its value in JSON, in the order of the record format.
    #[cfg(feature = "serde")]
    pub(crate) fn json_pairs(&self) -> impl Iterator<Item = (&'static str, serde_json::Value)> {
        let pairs = self.pairs().into_iter();
        self.game().options().iter().zip(pairs).map(|(option, (name, value))| (name, option.json(value)))
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
