//! Which programs are measured, and what is known of them.

use std::path::{Path, PathBuf};

use crate::experiment::csv::Csv;
use crate::experiment::outcome::Verdict;

/// A program of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// As the list has it.
    pub path: String,
    pub file: PathBuf,
    pub category: String,
    pub expected: Option<Verdict>,
}

/// The programs of a list; all files are there.
pub fn read(list: &Path) -> Result<Vec<Instance>, String> {
    let complaint = |error: &dyn std::fmt::Display| format!("{}: {error}", list.display());
    let text = std::fs::read_to_string(list).map_err(|error| complaint(&error))?;
    let root = list.parent().unwrap_or(Path::new(""));
    let instances = parse(&text, root).map_err(|error| complaint(&error))?;
    match instances.iter().find(|instance| !instance.file.is_file()) {
        Some(missing) => Err(format!("there is no program {}", missing.file.display())),
        None => Ok(instances),
    }
}

fn parse(text: &str, root: &Path) -> Result<Vec<Instance>, String> {
    let table = Csv::new(text);
    let (path, category) = (table.required("path")?, table.required("category")?);
    let expected = table.required("expected")?;
    let instance = |row: &Vec<&str>| {
        let cell = |column: usize| row.get(column).copied().unwrap_or_default();
        let path = cell(path).to_owned();
        Ok(Instance {
            file: root.join(&path),
            category: cell(category).to_owned(),
            expected: Verdict::of_cell(cell(expected))
                .map_err(|error| format!("{path}: {error}"))?,
            path,
        })
    };
    table.rows.iter().map(instance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_categories_and_perhaps_verdicts() {
        let text = "path,category,expected\na/x.bpl,a,safe\nb/y.bpl,b,\n";
        let instances = parse(text, Path::new("/root")).unwrap();
        assert_eq!(instances[0].file, Path::new("/root/a/x.bpl"));
        assert_eq!((&instances[0].category[..], instances[0].expected), ("a", Some(Verdict::Safe)));
        assert_eq!(instances[1].expected, None);
        assert!(parse("path,expected\n", Path::new("")).is_err());
        assert!(parse("path,category,expected\na,b,sat\n", Path::new("")).is_err());
    }
}
