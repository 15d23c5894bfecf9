//! Which models are measured, and how edited ones are written.

use std::path::{Path, PathBuf};

use elinvar_formats::aiger::{self, Encoding};
use elinvar_formats::btor2;
use elinvar_formats::model::Format;
use elinvar_ir::TransitionSystem;

use crate::harness::csv::Csv;
use crate::harness::write as write_file;

/// The files of the models that the arguments name: themselves, or in a table or a
/// list, from whose folder their paths lead.
pub fn listed(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut models = Vec::new();
    for argument in arguments {
        let paths = match argument.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => of_table(&read(argument)?),
            Some("txt") => Ok(of_list(&read(argument)?)),
            Some(_) | None => {
                models.push(argument.clone());
                continue;
            }
        };
        let paths = paths.map_err(|error| format!("{}: {error}", argument.display()))?;
        let folder = argument.parent().unwrap_or(Path::new(""));
        models.extend(paths.iter().map(|path| folder.join(path)));
    }
    Ok(models)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The column `path`, without the models that another column expects not to be safe.
fn of_table(text: &str) -> Result<Vec<String>, String> {
    let table = Csv::new(text);
    let (path, expected) = (table.required("path")?, table.column("expected"));
    let wanted = |row: &&Vec<&str>| {
        expected.and_then(|column| row.get(column)).is_none_or(|&verdict| verdict == "safe")
    };
    let paths = table.rows.iter().filter(wanted).filter_map(|row| row.get(path));
    Ok(paths.map(|&path| path.to_owned()).collect())
}

/// A path a line; what follows `#` is a comment.
fn of_list(text: &str) -> Vec<String> {
    let paths = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    paths.filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

/// The ending of the format in which the edits of a model are written: circuits stay
/// circuits, everything else becomes BTOR2.
pub fn ending(format: Format) -> &'static str {
    if format.has_words() { "btor2" } else { "aig" }
}

/// Writes a system in the format of the file's ending.
pub fn write(path: &Path, system: &TransitionSystem) -> Result<(), String> {
    let text = match path.extension().and_then(|ending| ending.to_str()) {
        Some("aig") => aiger::write(system, Encoding::Binary).map_err(|error| error.to_string())?,
        Some(_) | None => btor2::write(system).map_err(|error| error.to_string())?,
    };
    write_file(path, text)
}

#[cfg(test)]
mod tests {
    use elinvar_formats::model::read_model;
    use elinvar_ir::Rng;
    use elinvar_models::{Generator, Shape, search};

    use super::super::edits::{Edit, edit};
    use super::*;

    #[test]
    fn tables_and_lists_name_models_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let [table, list] = ["t.csv", "l.txt"].map(|name| folder.path().join(name));
        std::fs::write(&table, "class,path,expected\nx,a.aig,safe\ny,b.aig,unsafe\n").unwrap();
        std::fs::write(&list, "# hard ones\nc.btor2  # 12 s\n\n/d.aig\n").unwrap();
        let models = listed(&[table, PathBuf::from("e.aig"), list]).unwrap();
        let beside = |name: &str| folder.path().join(name);
        assert_eq!(models, [beside("a.aig"), "e.aig".into(), beside("c.btor2"), "/d.aig".into()]);
    }

    #[test]
    fn a_table_without_paths_is_refused() {
        assert_eq!(of_table("name,expected\n").unwrap_err(), "the table has no column `path`");
    }

    #[test]
    fn edits_keep_their_verdicts_through_files() {
        let folder = tempfile::tempdir().unwrap();
        let mut searched = 0;
        for seed in 0..60 {
            let (shape, name) =
                [(Shape::BITS, "m.aig"), (Shape::WORDS, "m.btor2")][seed as usize % 2];
            let path = folder.path().join(name);
            // What the format says in other words is not to be taken for an edit.
            write(&path, &Generator::system(seed, shape)).unwrap();
            let model = read_model(&std::fs::read(&path).unwrap(), None).unwrap();
            let Ok(truth) = search(model.system(), 20_000) else { continue };
            for kind in Edit::ALL {
                let Some(edited) = edit(model.system(), kind, &mut Rng::new(seed)) else {
                    continue;
                };
                write(&path, &edited).unwrap();
                let reread = read_model(&std::fs::read(&path).unwrap(), None).unwrap();
                if let Ok(found) = search(reread.system(), 100_000) {
                    assert_eq!(found, truth, "seed {seed}: {kind:?}");
                    searched += 1;
                }
            }
        }
        assert!(searched > 100, "{searched}");
    }
}
