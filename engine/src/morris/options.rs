//! The ruleset options of Nine Men's Morris (MM-4, MM-5).

use crate::options::{OptionInfo, Options as AnyOptions};

/// The ruleset options of Nine Men's Morris. The default is the preset `standard`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Option `flying`: a player with three pieces may move to any empty point (MM-4).
    pub flying: bool,
    /// Option `double_mill_takes_two`: two mills closed by one move take two pieces (MM-5).
    pub double_mill_takes_two: bool,
}

impl Default for Options {
    fn default() -> Options {
        STANDARD
    }
}

const STANDARD: Options = Options { flying: true, double_mill_takes_two: false };

/// The options by name, with their allowed values.
pub(crate) const OPTIONS: &[OptionInfo] =
    &[OptionInfo::flag("flying", true), OptionInfo::flag("double_mill_takes_two", false)];

/// The named rulesets, the default one first.
pub(crate) const PRESETS: &[(&str, AnyOptions)] = &[
    ("standard", AnyOptions::Morris(STANDARD)),
    ("no_flying", AnyOptions::Morris(Options { flying: false, ..STANDARD })),
    ("double_mill", AnyOptions::Morris(Options { double_mill_takes_two: true, ..STANDARD })),
];

impl Options {
    /// Sets an option of [`OPTIONS`] to one of its allowed values; false if there is no such
    /// option or value.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> bool {
        let (option, Ok(value)) = (self.option(name), value.parse()) else {
            return false;
        };
        option.map(|option| *option = value).is_some()
    }

    fn option(&mut self, name: &str) -> Option<&mut bool> {
        match name {
            "flying" => Some(&mut self.flying),
            "double_mill_takes_two" => Some(&mut self.double_mill_takes_two),
            _ => None,
        }
    }

    /// Each option with its value, in the order of the record format.
    pub(crate) fn pairs(self) -> [(&'static str, &'static str); 2] {
        let text = |value| if value { "true" } else { "false" };
        [("flying", text(self.flying)), ("double_mill_takes_two", text(self.double_mill_takes_two))]
    }
}
