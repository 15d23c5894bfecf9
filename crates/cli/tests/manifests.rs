//! Which crate may know which: read from the manifests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// From a crate to the crates of the workspace that it may depend on. The
/// checker in particular must share no code with what it judges.
const ALLOWED: &[(&str, &[&str])] = &[
    ("elinvar-arena", &[]),
    ("elinvar-ir", &[]),
    ("elinvar-sat", &[]),
    ("elinvar-formats", &["elinvar-ir"]),
    ("elinvar-logic", &["elinvar-ir", "elinvar-sat"]),
    ("elinvar-smt", &["elinvar-ir"]),
    ("elinvar-transform", &["elinvar-ir", "elinvar-sat", "elinvar-logic"]),
    (
        "elinvar-engines",
        &["elinvar-ir", "elinvar-sat", "elinvar-logic", "elinvar-smt", "elinvar-transform"],
    ),
    ("elinvar-check", &["elinvar-ir"]),
    ("elinvar-models", &["elinvar-ir"]),
    (
        "elinvar",
        &["elinvar-ir", "elinvar-formats", "elinvar-transform", "elinvar-engines", "elinvar-check"],
    ),
];

/// These stand at the edge and may know all.
const EDGE: &[&str] = &["elinvar-cli", "elinvar-python", "experiments", "xtask"];

#[test]
fn crates_know_only_what_they_may() {
    let mut faults = Vec::new();
    for (name, dependencies) in manifests() {
        for dependency in dependencies {
            if !is_allowed(&name, &dependency) {
                faults.push(format!("{name} → {dependency}"));
            }
        }
    }
    assert!(faults.is_empty(), "dependencies against the architecture: {}", faults.join(", "));
}

#[test]
fn the_rule_can_fail() {
    assert!(is_allowed("elinvar-formats", "elinvar-ir"));
    assert!(is_allowed("elinvar", "elinvar-check"));
    assert!(!is_allowed("elinvar-engines", "elinvar"));
    assert!(!is_allowed("elinvar-check", "elinvar-engines"));
    assert!(!is_allowed("elinvar-ir", "elinvar-formats"));
    assert!(!is_allowed("elinvar-transform", "elinvar-engines"));
    assert!(!is_allowed("elinvar-unheard", "elinvar-ir"));
}

fn is_allowed(from: &str, to: &str) -> bool {
    let listed = ALLOWED.iter().find(|(name, _)| *name == from);
    EDGE.contains(&from) || listed.is_some_and(|(_, allowed)| allowed.contains(&to))
}

/// Every crate of the workspace with those of the workspace that it is built
/// from. What only its tests need is not looked at.
fn manifests() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crates = std::fs::read_dir(root.join("crates")).expect("the folder of the crates");
    let mut folders: Vec<PathBuf> = crates.map(|entry| entry.unwrap().path()).collect();
    folders.extend(["experiments", "xtask"].map(|folder| root.join(folder)));
    let tables: Vec<toml::Table> = folders
        .iter()
        .map(|folder| std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest"))
        .map(|text| text.parse().expect("a valid manifest"))
        .collect();
    let name = |table: &toml::Table| table["package"]["name"].as_str().unwrap().to_owned();
    let members: BTreeSet<String> = tables.iter().map(name).collect();
    assert!(members.len() > 5, "the workspace was not found");
    let ours = |table: &toml::Table| dependencies(table).intersection(&members).cloned().collect();
    tables.iter().map(|table| (name(table), ours(table))).collect()
}

fn dependencies(table: &toml::Table) -> BTreeSet<String> {
    let sections = ["dependencies", "build-dependencies"];
    let own = sections.iter().filter_map(|section| table.get(*section));
    let targets = table.get("target").and_then(toml::Value::as_table).into_iter().flatten();
    let conditional =
        targets.flat_map(|(_, t)| sections.iter().filter_map(move |section| t.get(*section)));
    let entries = own.chain(conditional).filter_map(toml::Value::as_table).flatten();
    // A dependency may be renamed: `name = { package = "real-name", … }`.
    let real = |(key, value): (&String, &toml::Value)| {
        value.get("package").and_then(toml::Value::as_str).unwrap_or(key).to_owned()
    };
    entries.map(real).collect()
}
