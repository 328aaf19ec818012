//! What the documents say about the tree is so.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::root;

fn documents() -> Vec<(PathBuf, String)> {
    let folders = ["", "docs", "migrations"].map(|folder| root().join(folder));
    let files = folders.iter().filter(|folder| folder.is_dir()).flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = files.map(|entry| entry.unwrap().path());
    let documents: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|ext| ext == "md"))
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect();
    assert!(documents.len() >= 6, "the documents were found: {documents:?}");
    documents
}

/// What stands between backticks on one line, outside of blocks of code.
fn quoted(text: &str) -> Vec<&str> {
    let mut in_block = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            found.extend(line.split('`').skip(1).step_by(2));
        }
    }
    found
}

#[test]
fn every_file_that_a_document_names_exists() {
    let mut checked = 0;
    for (document, text) in documents() {
        for name in quoted(&text) {
            let first = name.split('/').next().unwrap_or_default();
            let ours = ["engine", "server", "tests", "migrations", "docs", "deploy", ".ci"].contains(&first);
            if ours && name.contains('/') && !name.contains([' ', '*', '<']) {
                assert!(root().join(name).exists(), "{} names {name}, which is not there", document.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 30, "{checked} names of files were checked");
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    for (document, text) in documents() {
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            if !target.starts_with("http") && !file.is_empty() {
                let folder = document.parent().unwrap();
                assert!(folder.join(file).exists(), "{} links to {target}", document.display());
            }
            if let Some(heading) = target.strip_prefix('#') {
                let headings: BTreeSet<String> =
                    text.lines().filter(|line| line.starts_with('#')).map(anchor).collect();
                assert!(headings.contains(heading), "{} links to {target}", document.display());
            }
        }
    }
}

/// The name that a heading has in a link.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    words.chars().filter(|c| c.is_alphanumeric() || " -".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// What the runbook quotes of other programs' logs.
const OF_OTHERS: [&str; 2] = ["authorization violation", "slow consumer"];

#[test]
fn what_the_runbook_quotes_of_the_log_is_what_the_program_says() {
    let text = fs::read_to_string(root().join("docs/operations.md")).unwrap();
    let runbook = text.split("\n## ").find(|part| part.starts_with("Runbook\n")).expect("the runbook");
    let mut files = Vec::new();
    sources(&root().join("server/src"), &mut files);
    let program: String = files.iter().map(|file| fs::read_to_string(file).unwrap().replace("\\\n", " ")).collect();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let program = words(&program);
    // Names of alerts are set in bold, how bad they are ends in a full stop.
    let runbook = runbook.split('`').step_by(2).collect::<String>();
    let quotes = runbook.replace("**", "").split('*').skip(1).step_by(2).map(words).collect::<Vec<_>>();
    let quotes: Vec<_> = quotes.iter().filter(|quote| !quote.ends_with('.')).collect();
    assert!(quotes.len() > 12, "{quotes:?}");
    for quote in quotes {
        let is_said = program.contains(quote.as_str()) || OF_OTHERS.contains(&quote.as_str());
        assert!(is_said, "docs/operations.md quotes {quote:?}, which nothing in server/src says");
    }
}

#[test]
fn the_architecture_names_every_module_of_the_server() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let named: BTreeSet<&str> = quoted(&text).into_iter().map(|name| name.trim_end_matches('/')).collect();
    for entry in fs::read_dir(root().join("server/src")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let listed = named.contains(name.as_str()) || name == "lib.rs" || name.ends_with("_tests.rs");
        assert!(listed, "ARCHITECTURE.md says nothing about server/src/{name}");
    }
}

/// The sources that cite rules, below these folders.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs" || ext == "sql") {
            found.push(path);
        }
    }
}

/// `OW-3` and the like, of the kinds that docs/rules.md is the home of.
fn cited(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let rules = words.filter(|word| {
        word.split_once('-').is_some_and(|(kind, number)| {
            ["C", "OW", "MA", "L", "PR"].contains(&kind)
                && !number.is_empty()
                && number.bytes().all(|b| b.is_ascii_digit())
        })
    });
    rules.map(str::to_owned).collect()
}

#[test]
fn every_rule_that_the_code_cites_is_written_down() {
    let rules = fs::read_to_string(root().join("docs/rules.md")).unwrap();
    let mut files = Vec::new();
    for folder in ["engine", "server/src", "migrations", "tests"] {
        sources(&root().join(folder), &mut files);
    }
    let written = cited(&rules);
    let mut known = BTreeSet::new();
    for file in files {
        for rule in cited(&fs::read_to_string(&file).unwrap()) {
            assert!(written.contains(&rule), "{} cites {rule}, which docs/rules.md lacks", file.display());
            known.insert(rule);
        }
    }
    assert!(known.len() > 25, "{known:?}");
}
