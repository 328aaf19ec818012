//! What servers on one database have to agree on: each shows the others how it is set, and compares.
//!
//! A setting is shown as a list of texts; keys and secrets by their names, which tell nothing of them.

use std::collections::BTreeMap;

/// How a server is set, by the name of each setting, as it is shown to the others.
pub type Shown = BTreeMap<String, Vec<String>>;

/// How far two servers may differ in a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bond {
    /// Each has to know the key that the other one works with, its first: new keys go in one after another.
    Keys,
    /// At least one has to be common to both: secrets that somebody else works with.
    InCommon,
    /// Not at all.
    Same,
    /// While servers are restarted one after another: no token, receipt or cent goes wrong by it.
    Meanwhile,
}

/// How this server is set.
#[derive(Clone, Debug)]
pub struct Agreement(BTreeMap<&'static str, (Bond, Vec<String>)>);

/// A setting in which another server differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The setting.
    pub name: &'static str,
    /// Whether the two can't serve together.
    pub forbids: bool,
    /// What they are set to, for people.
    pub what: String,
}

impl Agreement {
    /// Of these settings, each by its name and with how far it may differ.
    pub fn of(settings: impl IntoIterator<Item = (&'static str, Bond, Vec<String>)>) -> Self {
        Self(settings.into_iter().map(|(name, bond, values)| (name, (bond, values))).collect())
    }

    /// As others are shown it.
    pub fn shown(&self) -> Shown {
        self.0.iter().map(|(name, (_, values))| ((*name).to_owned(), values.clone())).collect()
    }

    /// The names of all settings.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }

    /// In what another server differs. What only one of the two knows of is of another version, and no difference.
    pub fn differences(&self, other: &Shown) -> Vec<Difference> {
        let differing = self.0.iter().filter_map(|(name, (bond, own))| {
            let theirs = other.get(*name).filter(|theirs| *theirs != own)?;
            let what = format!("{} here, {} there", own.join(","), theirs.join(","));
            Some(Difference { name, forbids: bond.forbids(own, theirs), what })
        });
        differing.collect()
    }
}

impl Bond {
    fn forbids(self, own: &[String], theirs: &[String]) -> bool {
        let knows = |keys: &[String], of: &[String]| of.first().is_none_or(|first| keys.contains(first));
        match self {
            Self::Keys => !knows(own, theirs) || !knows(theirs, own),
            Self::InCommon => !own.iter().any(|secret| theirs.contains(secret)),
            Self::Same => own != theirs,
            Self::Meanwhile => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    #[test]
    fn a_new_key_goes_in_behind_the_old_one_then_before_it_then_alone_and_no_step_can_be_left_out() {
        let steps = [list(&["old"]), list(&["old", "new"]), list(&["new", "old"]), list(&["new"])];
        for (place, own) in steps.iter().enumerate() {
            for (other, theirs) in steps.iter().enumerate() {
                let forbids = Bond::Keys.forbids(own, theirs);
                assert_eq!(forbids, place.abs_diff(other) > 1, "{own:?} with {theirs:?}");
            }
        }
    }

    #[test]
    fn secrets_of_the_provider_have_one_in_common_while_they_are_replaced() {
        let [old, both, new] = [list(&["old"]), list(&["new", "old"]), list(&["new"])];
        assert!(!Bond::InCommon.forbids(&old, &both) && !Bond::InCommon.forbids(&both, &new));
        assert!(Bond::InCommon.forbids(&old, &new));
    }

    #[test]
    fn what_only_one_of_two_versions_knows_is_no_difference() {
        let own = Agreement::of([("A", Bond::Same, list(&["1"])), ("B", Bond::Meanwhile, list(&["2"]))]);
        let shown = |values: &[(&str, &str)]| -> Shown {
            values.iter().map(|(name, value)| ((*name).to_owned(), list(&[value]))).collect()
        };
        assert_eq!(own.differences(&shown(&[("C", "3")])), []);
        assert_eq!(own.differences(&own.shown()), []);
        let differing = own.differences(&shown(&[("A", "0"), ("B", "0")]));
        let forbidding: Vec<(&str, bool)> = differing.iter().map(|other| (other.name, other.forbids)).collect();
        assert_eq!(forbidding, [("A", true), ("B", false)]);
        assert_eq!(differing[0].what, "1 here, 0 there");
    }
}
