//! `tests/FAULTS.md` names tests by file and function: each of them is there.

use std::{collections::BTreeSet, fs};

const PAGE: &str = "tests/FAULTS.md";

fn page() -> String {
    fs::read_to_string(crate::root().join(PAGE)).unwrap()
}

#[test]
fn every_test_that_the_table_of_faults_names_is_there() {
    let (page, files) = (page(), crate::files_with_tests());
    let there: BTreeSet<(&str, &str)> =
        files.iter().flat_map(|file| file.functions().map(move |name| (file.path.as_str(), name))).collect();
    let named: Vec<(&str, &str)> =
        page.split('`').skip(1).step_by(2).filter_map(|quoted| quoted.split_once("::")).collect();
    assert!(named.len() > 100, "{} tests are named", named.len());
    let missing = named.iter().filter(|test| !there.contains(*test));
    crate::none(
        &missing
            .map(|(path, name)| format!("{PAGE} names the test `{path}::{name}`, which is not there"))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn every_row_of_the_table_of_faults_has_its_test_or_says_why_not() {
    let page = page();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| T") || line.starts_with("| B")).collect();
    assert!(rows.len() > 70, "{} rows", rows.len());
    let bare = rows.iter().filter(|row| !row.contains("::") && !row.contains("| Not covered: "));
    crate::none(
        &bare.map(|row| format!("{PAGE} has a row without a test, and does not say why: {row}")).collect::<Vec<_>>(),
    );
}
