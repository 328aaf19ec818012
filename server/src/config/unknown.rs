//! Names that are no settings, and which one may have been meant.

use std::ffi::OsString;

use clap::Command;

use super::SettingsError;

/// What the name of a variable begins with that is meant for this program.
const PREFIX: &str = "STAKEBOARD_";
/// How alike two names are at least, from 0 to 1, where one may be the other mistyped.
const ALIKE: f64 = 0.8;

/// Refuses variables that are named like settings and are none: one that is mistyped would leave its setting at the
/// default, without a word.
pub fn check_variables(command: &Command, names: impl IntoIterator<Item = OsString>) -> Result<(), SettingsError> {
    let known: Vec<_> =
        command.get_arguments().filter_map(|argument| argument.get_env()?.to_str()?.strip_prefix(PREFIX)).collect();
    let mut unknown: Vec<String> = names
        .into_iter()
        .filter_map(|name| {
            let name = name.to_string_lossy();
            let rest = name.strip_prefix(PREFIX).filter(|rest| !known.contains(rest))?;
            Some(match nearest(rest, known.iter().copied()) {
                Some(meant) => format!("{name} (is {PREFIX}{meant} meant?)"),
                None => name.into_owned(),
            })
        })
        .collect();
    unknown.sort_unstable();
    if unknown.is_empty() { Ok(()) } else { Err(SettingsError::Variables(unknown.join(", "))) }
}

/// The known name that is most like this one, where any is like it.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let alike = known.into_iter().map(|known| (strsim::jaro(name, known), known));
    let (likeness, known) = alike.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (likeness >= ALIKE).then_some(known)
}
