//! What may come into the tree, by the rules of `deny.toml`: for whoever has no `cargo deny`. It reads the same file.

use std::{collections::BTreeSet, process::Command};

use serde_json::Value;

/// What `cargo metadata` knows of every crate that is built here. Those of other systems may not even be on this machine.
fn packages() -> Vec<Value> {
    let platform = format!("--filter-platform={}-unknown-linux-gnu", std::env::consts::ARCH);
    let read = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--offline", &platform])
        .current_dir(crate::root())
        .output()
        .unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let metadata: Value = serde_json::from_slice(&read.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// The quoted texts of a list in `deny.toml`.
fn listed(name: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(crate::root().join("deny.toml")).unwrap();
    let list = text.split(&format!("\n{name} = [")).nth(1).unwrap_or_else(|| panic!("deny.toml has no {name}"));
    let list = list.split(']').next().unwrap();
    let listed: BTreeSet<String> = list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    assert!(!listed.is_empty());
    listed
}

/// Whether an expression of licences passes: one of the ways it offers is allowed in all its parts.
fn passes(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let plain = expression.replace('/', " OR ");
    let part_passes = |part: &str| match part.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inside) => passes(inside, allowed),
        None => allowed.contains(part),
    };
    split(&plain, " OR ").into_iter().any(|way| split(way, " AND ").into_iter().all(part_passes))
}

/// The parts of an expression between these words, where they stand in no brackets.
fn split<'t>(text: &'t str, by: &str) -> Vec<&'t str> {
    let (mut parts, mut began, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, sign) in text.char_indices() {
        depth += i32::from(sign == '(') - i32::from(sign == ')');
        if depth == 0 && at >= began && text[at..].starts_with(by) {
            parts.push(text[began..at].trim());
            began = at + by.len();
        }
    }
    parts.push(text[began..].trim());
    parts
}

#[test]
fn every_crate_has_a_licence_that_is_allowed() {
    let (packages, allowed) = (packages(), listed("allow"));
    assert!(packages.len() > 200, "{} crates", packages.len());
    let licence = |package: &Value| package["license"].as_str().unwrap_or("none").to_owned();
    let refused = packages.iter().filter(|package| !passes(&licence(package), &allowed));
    crate::none(&refused.map(|it| format!("{}: {}", it["name"], licence(it))).collect::<Vec<_>>());
}

#[test]
fn licences_are_read_as_they_are_meant() {
    let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned).into();
    for expression in [
        "MIT",
        "GPL-3.0 OR MIT",
        "MIT/GPL-3.0",
        "MIT AND ISC",
        "(GPL-2.0 OR MIT) AND ISC",
        "ISC AND (MIT OR GPL-2.0) AND MIT",
    ] {
        assert!(passes(expression, &allowed), "{expression}");
    }
    for expression in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND GPL-3.0", "none", "Apache-2.0"] {
        assert!(!passes(expression, &allowed), "{expression}");
    }
}

#[test]
fn every_crate_comes_from_the_registry_or_from_here_and_none_is_banned() {
    let source = std::fs::read_to_string(crate::root().join("deny.toml")).unwrap();
    let banned: Vec<&str> = source.split("{ crate = \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(banned.len() >= 4, "{banned:?}");
    let registries = listed("allow-registry");
    let mut found = Vec::new();
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        let from = package["source"].as_str().unwrap_or_default();
        let known = from.is_empty() || registries.iter().any(|registry| from.ends_with(registry.as_str()));
        if !known || banned.contains(&name) {
            found.push(format!("{name} from {from}: deny.toml says no"));
        }
    }
    crate::none(&found);
}
