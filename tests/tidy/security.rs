//! `docs/security.md` names tests: each of them is there.

use std::{collections::BTreeSet, fs};

#[test]
fn every_test_that_the_security_page_names_is_there() {
    let page = fs::read_to_string(crate::root().join("docs/security.md")).unwrap();
    let files = crate::files_with_tests();
    let tests: BTreeSet<&str> = files.iter().flat_map(crate::Source::functions).collect();
    let named: Vec<&str> = page.split('`').skip(1).step_by(2).filter(|name| is_test_name(name)).collect();
    assert!(named.len() > 30, "{} tests are named", named.len());
    let missing = named.iter().filter(|name| !tests.contains(*name));
    crate::none(
        &missing
            .map(|name| format!("docs/security.md names the test `{name}`, which is not there"))
            .collect::<Vec<_>>(),
    );
}

/// A sentence in small letters: tests are called so, and nothing else on that page.
fn is_test_name(text: &str) -> bool {
    text.matches('_').count() >= 3
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[test]
fn every_row_of_the_security_tables_has_its_proof() {
    let page = fs::read_to_string(crate::root().join("docs/security.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| API") || line.starts_with("| V")).collect();
    assert!(rows.len() > 30, "{} rows", rows.len());
    let bare = rows.iter().filter(|row| !row.contains('`'));
    crate::none(
        &bare.map(|row| format!("docs/security.md has a row without a test or a place: {row}")).collect::<Vec<_>>(),
    );
}
