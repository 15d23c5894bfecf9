//! The models in `examples/`: each is read, has its row in the table there, says
//! itself what the table says, and is decided by exhaustive search if it is small.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use elinvar_formats::{aiger, basm, boogie, btor, btor2, dag};
use elinvar_ir::TransitionSystem;
use elinvar_models::{Outcome, search};
use elinvar_transform::lower;

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The rows of the table for files of this folder: what is expected, by file. Designs in
/// folders need Yosys; the tests of the command line check them.
fn table() -> BTreeMap<String, String> {
    let text = fs::read_to_string(directory().join("README.md")).unwrap();
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, file, _, expected, _] = cells[..] else { return None };
        let file = file.strip_prefix('`')?.strip_suffix('`')?;
        assert!(directory().join(file).is_file(), "{file} is in the table but not there");
        (!file.contains('/')).then(|| (file.to_owned(), expected.to_owned()))
    });
    rows.collect()
}

/// Is it a graph, not a model?
fn is_graph(file: &str) -> bool {
    file.ends_with(".dag") || file.ends_with(".tfc")
}

/// How many properties the model or program has.
fn properties(file: &str, source: &[u8]) -> usize {
    match file.ends_with(".bpl") {
        true => boogie::read(source).unwrap().properties.len(),
        false => read(file, source).unwrap().properties().len(),
    }
}

/// `None` if it is a program that cannot be converted to a transition system.
fn read(file: &str, source: &[u8]) -> Option<TransitionSystem> {
    let (_, ending) = file.rsplit_once('.').unwrap();
    let read = match ending {
        "btor2" => btor2::read(source).map(|model| model.system),
        "btor" => btor::read(source).map(|model| model.system),
        "aag" => aiger::read(source).map(|model| model.system),
        "basm" => basm::parse(source).map(|program| basm::translate(&program)),
        "bpl" => return lower(&boogie::read(source).unwrap()).ok().map(|lowered| lowered.system),
        _ => panic!("{file} is of no known format"),
    };
    Some(read.unwrap_or_else(|error| panic!("{file}:{:?}: {error}", error.position(source))))
}

#[test]
fn every_example_is_in_the_table_and_says_the_same() {
    let table = table();
    let mut files = 0;
    for entry in fs::read_dir(directory()).unwrap() {
        let entry = entry.unwrap();
        let file = entry.file_name().into_string().unwrap();
        // Folders have programs that use the library, not models.
        if file == "README.md" || entry.path().is_dir() {
            continue;
        }
        files += 1;
        let source = fs::read(entry.path()).unwrap();
        let expected = table.get(&file).unwrap_or_else(|| panic!("{file} is not in the table"));
        let text = String::from_utf8(source.clone()).unwrap();
        let remark = format!("Expected: {expected}.");
        let says = |line: Option<&str>| line.is_some_and(|line| line.ends_with(&remark));
        assert!(says(text.lines().next()) || says(text.lines().last()), "{file}: {remark}");
        if is_graph(&file) {
            assert!(dag::read(&source).is_ok(), "{file}");
            continue;
        }
        assert_eq!(properties(&file, &source), expected.split(", ").count(), "{file}");
    }
    assert_eq!(files, table.len(), "every row of the table is a file");
}

#[test]
fn small_examples_are_as_expected() {
    let mut decided = 0;
    for (file, expected) in table().into_iter().filter(|(file, _)| !is_graph(file)) {
        let source = fs::read(directory().join(&file)).unwrap();
        let Some(system) = read(&file, &source) else { continue };
        let Ok(outcomes) = search(&system, 500_000) else { continue };
        let found: Vec<String> = outcomes
            .into_iter()
            .map(|(_, outcome)| match outcome {
                Outcome::Safe => "safe".into(),
                Outcome::Unsafe(depth) => format!("unsafe in {depth} steps"),
            })
            .collect();
        assert_eq!(found.join(", "), expected, "{file}");
        decided += 1;
    }
    assert!(decided >= 12, "{decided} examples were small enough");
}
