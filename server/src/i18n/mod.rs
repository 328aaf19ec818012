//! Texts for people, in Brazilian Portuguese and English.

mod codes;
mod fields;
mod games;

pub use codes::{detail, title};
pub use fields::FieldRule;
pub use games::{name as game_name, rules as game_rules};

/// A language the service speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// `pt-BR`, where nothing else is asked for.
    #[default]
    Portuguese,
    /// `en`.
    English,
}

impl Language {
    /// Every language.
    pub const ALL: &[Self] = &[Self::Portuguese, Self::English];

    /// The tag sent in `Content-Language`.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Portuguese => "pt-BR",
            Self::English => "en",
        }
    }

    /// The language a header `Accept-Language` likes best; the default where it names none of ours.
    pub fn from_accept(header: &str) -> Self {
        let mut best: Option<(Self, u16)> = None;
        for range in header.split(',').take(20) {
            let mut parts = range.split(';');
            let tag = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
            let language = match tag.split('-').next() {
                Some("pt") => Self::Portuguese,
                Some("en") => Self::English,
                _ => continue,
            };
            let quality = parts.find_map(|part| part.trim().strip_prefix("q=")).map_or(1_000, thousandths);
            if quality > 0 && best.is_none_or(|(_, other)| quality > other) {
                best = Some((language, quality));
            }
        }
        best.map_or_else(Self::default, |(language, _)| language)
    }
}

/// A quality value such as `0.85` as 850; anything else counts as nothing.
fn thousandths(text: &str) -> u16 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    match whole {
        "1" => 1_000,
        "0" => format!("{fraction:0<3}").get(..3).and_then(|digits| digits.parse().ok()).unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_liked_best_is_spoken_and_portuguese_is_the_default() {
        let cases = [
            ("", Language::Portuguese),
            ("en", Language::English),
            ("en-GB,pt;q=0.9", Language::English),
            ("pt-PT, en;q=0.8", Language::Portuguese),
            ("fr, en;q=0.5", Language::English),
            ("fr", Language::Portuguese),
            ("en;q=0", Language::Portuguese),
            ("pt;q=0.1,en;q=0.11", Language::English),
            ("en;q=nonsense", Language::Portuguese),
        ];
        for (header, language) in cases {
            assert_eq!(Language::from_accept(header), language, "{header}");
        }
    }
}
