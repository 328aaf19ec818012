//! The ruleset option of Oware (OW-5).

use crate::options::{OptionInfo, OptionKind, Options as AnyOptions};

/// What a capture that would take every seed of the rival row does (OW-5).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum GrandSlam {
    /// Legal, and nothing is captured: the standard rule, preset `abapa`.
    #[default]
    NoCapture,
    /// Illegal while another kind of move is legal; forced, it captures all and ends the game:
    /// preset `wari`.
    Forbidden,
    /// Legal, captures all, and the mover moves again and must feed: preset `caribbean`.
    CapturesAll,
}

impl GrandSlam {
    /// The three settings, the standard one first.
    pub const ALL: [GrandSlam; 3] = [GrandSlam::NoCapture, GrandSlam::Forbidden, GrandSlam::CapturesAll];

    /// The stable code of the setting.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            GrandSlam::NoCapture => "no_capture",
            GrandSlam::Forbidden => "forbidden",
            GrandSlam::CapturesAll => "captures_all",
        }
    }

    /// The setting with this [code](GrandSlam::code), if there is one.
    #[must_use]
    pub fn from_code(code: &str) -> Option<GrandSlam> {
        GrandSlam::ALL.into_iter().find(|g| g.code() == code)
    }
}

/// The ruleset options of Oware. The default is the preset `abapa`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// Option `grand_slam` (OW-5).
    pub grand_slam: GrandSlam,
}

/// The options by name, with their allowed values.
pub(crate) const OPTIONS: &[OptionInfo] = &[OptionInfo {
    name: "grand_slam",
    kind: OptionKind::Choice,
    allowed: &[GrandSlam::NoCapture.code(), GrandSlam::Forbidden.code(), GrandSlam::CapturesAll.code()],
    default: GrandSlam::NoCapture.code(),
}];

/// The named rulesets, the default one first.
pub(crate) const PRESETS: &[(&str, AnyOptions)] = &[
    ("abapa", preset(GrandSlam::NoCapture)),
    ("wari", preset(GrandSlam::Forbidden)),
    ("caribbean", preset(GrandSlam::CapturesAll)),
];

const fn preset(grand_slam: GrandSlam) -> AnyOptions {
    AnyOptions::Oware(Options { grand_slam })
}

impl Options {
    /// Sets an option of [`OPTIONS`] to one of its allowed values; false if there is no such
    /// option or value.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> bool {
        match (name, GrandSlam::from_code(value)) {
            ("grand_slam", Some(setting)) => {
                self.grand_slam = setting;
                true
            }
            _ => false,
        }
    }

    /// Each option with its value, in the order of the record format.
    pub(crate) fn pairs(self) -> [(&'static str, &'static str); 1] {
        [("grand_slam", self.grand_slam.code())]
    }
}
