//! The texts of the page, in both languages.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use stakeboard_engine::{Ending, Illegal};
use stakeboard_server::{
    code::Code,
    ledger::search::{ACCOUNT_KINDS, TRANSFER_KINDS},
};

type Texts = BTreeMap<String, String>;

const LANGUAGES: [&str; 2] = ["pt-BR", "en"];

fn texts(language: &str) -> Texts {
    let path = crate::root().join(format!("server/web/locales/{language}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// What is filled in: the names in braces.
fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

/// Everything that the service can say as a code, under the key that its words have. The words for a field of a request
/// it sends itself, in the language that is asked for.
fn codes() -> Vec<String> {
    let codes = Code::ALL.iter().map(|code| format!("code.{}", code.as_str()));
    let reasons = Illegal::ALL.iter().map(|reason| format!("reason.{}", reason.code()));
    let endings = Ending::ALL.iter().map(|ending| format!("ending.{}", ending.code()));
    let transfers = TRANSFER_KINDS.iter().map(|kind| format!("transfer.{kind}"));
    let accounts = ACCOUNT_KINDS.iter().map(|kind| format!("account.{kind}"));
    codes.chain(reasons).chain(endings).chain(transfers).chain(accounts).collect()
}

#[test]
fn both_languages_of_the_page_have_the_same_texts_with_the_same_gaps_to_fill() {
    let [portuguese, english] = LANGUAGES.map(texts);
    assert!(portuguese.len() > 200, "{} texts", portuguese.len());
    let mut found = Vec::new();
    for (key, text) in &portuguese {
        match english.get(key) {
            None => found.push(format!("{key}: not in English")),
            Some(other) if placeholders(text) != placeholders(other) => {
                found.push(format!("{key}: `{text}` and `{other}` do not fill in the same"));
            }
            Some(_) => {}
        }
    }
    found
        .extend(english.keys().filter(|key| !portuguese.contains_key(*key)).map(|key| format!("{key}: no Portuguese")));
    crate::none(&found);
}

#[test]
fn no_text_of_the_page_is_empty_or_ends_in_a_blank() {
    for language in LANGUAGES {
        let odd = |(key, text): (&String, &String)| (text.is_empty() || text.trim() != text).then(|| key.clone());
        crate::none(&texts(language).iter().filter_map(odd).collect::<Vec<_>>());
    }
}

#[test]
fn every_code_that_the_service_sends_has_words_on_the_page() {
    let codes = codes();
    assert!(codes.len() > 80, "{} codes", codes.len());
    for language in LANGUAGES {
        let texts = texts(language);
        let missing = codes.iter().filter(|key| !texts.contains_key(*key));
        crate::none(&missing.map(|key| format!("{language}: {key}")).collect::<Vec<_>>());
    }
}

#[test]
fn every_text_that_the_page_asks_for_by_name_is_there() {
    let texts = texts("en");
    let (mut found, mut asked) = (Vec::new(), 0);
    for source in crate::sources(&["server/web/js"], &["js"]) {
        let text = source.lines.join("\n");
        for (at, call) in text.match_indices("t(\"") {
            // The end of a longer name, such as that of `get`, is no call of `t`.
            if text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '.' || before == '_') {
                continue;
            }
            let key = text[at + call.len()..].split('"').next().unwrap();
            asked += 1;
            if !texts.contains_key(key) && !texts.contains_key(&format!("{key}.other")) {
                found.push(format!("{}: no text for `{key}`", source.path));
            }
        }
    }
    crate::none(&found);
    assert!(asked > 50, "{asked} texts are asked for");
}
