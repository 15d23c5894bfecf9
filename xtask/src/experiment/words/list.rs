//! Which models are measured, and what is known of them.

use std::path::{Path, PathBuf};

use crate::experiment::csv::Csv;
use crate::experiment::outcome::Verdict;

/// A model of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// As the list has it.
    pub path: String,
    pub file: PathBuf,
    /// The subset that it belongs to.
    pub part: String,
    pub expected: Option<Verdict>,
    /// How many bad states it names.
    pub properties: usize,
}

/// The models of a folder, which `index.csv` in it lists, or those of such a list: a table
/// with the columns `path`, `part` and `expected`, before any text with commas. Paths lead
/// from the folder of the list, and all files are there.
pub fn read(models: &Path) -> Result<Vec<Instance>, String> {
    let list = if models.is_dir() { models.join("index.csv") } else { models.to_owned() };
    let complaint =
        |file: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(&list).map_err(|error| complaint(&list, &error))?;
    let root = list.parent().unwrap_or(Path::new(""));
    let mut instances = parse(&text, root).map_err(|error| complaint(&list, &error))?;
    for instance in &mut instances {
        let model = std::fs::read_to_string(&instance.file)
            .map_err(|error| complaint(&instance.file, &error))?;
        instance.properties = properties(&model);
    }
    Ok(instances)
}

/// The instances of a list, before their files are read.
fn parse(text: &str, root: &Path) -> Result<Vec<Instance>, String> {
    let table = Csv::new(text);
    let columns = (table.required("path")?, table.required("part")?, table.required("expected")?);
    let instance = |row: &Vec<&str>| {
        let cell = |column: usize| row.get(column).copied().unwrap_or_default();
        let path = cell(columns.0).to_owned();
        Ok(Instance {
            file: root.join(&path),
            part: cell(columns.1).to_owned(),
            expected: Verdict::of_cell(cell(columns.2))
                .map_err(|error| format!("{path}: {error}"))?,
            properties: 0,
            path,
        })
    };
    table.rows.iter().map(instance).collect()
}

/// The lines of a model in BTOR2 that name bad states.
fn properties(model: &str) -> usize {
    model.lines().filter(|line| line.split_whitespace().nth(1) == Some("bad")).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_parts_and_verdicts_before_its_descriptions() {
        let text = "path,part,expected,width,description\n\
                    bits/a.btor2,bits,safe,32,\"Commas, here\"\n\
                    linear/b.btor2,linear,unsafe,8,None\n";
        let instances = parse(text, Path::new("/root")).unwrap();
        let [first, second] = &instances[..] else { panic!("two models") };
        assert_eq!((&first.part[..], first.expected), ("bits", Some(Verdict::Safe)));
        assert_eq!(first.file, Path::new("/root/bits/a.btor2"));
        assert_eq!((&second.part[..], second.expected), ("linear", Some(Verdict::Unsafe)));
    }

    #[test]
    fn what_a_list_cannot_mean_is_refused() {
        let error = |text: &str| parse(text, Path::new("")).unwrap_err();
        assert_eq!(error("path,expected\n"), "the table has no column `part`");
        let message = "m: `sat` is neither `safe` nor `unsafe` nor `unknown`";
        assert_eq!(error("path,part,expected\nm,bits,sat\n"), message);
    }

    #[test]
    fn bad_states_are_counted_in_the_files_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("index.csv"), "path,part,expected\nm,p,\n").unwrap();
        let error = read(folder.path()).unwrap_err();
        assert!(error.starts_with(&folder.path().join("m").display().to_string()), "{error}");
        std::fs::write(folder.path().join("m"), "; 1 bad\n1 sort bitvec 1\n2 bad 3 p\n4 bad 5\n")
            .unwrap();
        assert_eq!(read(folder.path()).unwrap()[0].properties, 2);
        assert_eq!(read(&folder.path().join("index.csv")).unwrap().len(), 1);
    }
}
