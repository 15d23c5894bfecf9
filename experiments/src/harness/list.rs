//! Lists of instances: tables with a column `path`.

use std::path::{Path, PathBuf};

use super::csv::Csv;
use super::outcome::Verdict;

/// A model or a program of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The path as in the list.
    pub path: String,
    /// The path from the working directory.
    pub file: PathBuf,
    /// The set that it belongs to; empty if the list has no sets.
    pub group: String,
    /// The verdict that is known.
    pub expected: Option<Verdict>,
    /// All cells of its row with the names of their columns.
    pub cells: Vec<(String, String)>,
}

impl Instance {
    /// The name of its file, without folder and extension.
    pub fn name(&self) -> String {
        let name = Path::new(&self.path).file_stem().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The cell of a column; empty if there is none.
    pub fn cell(&self, column: &str) -> &str {
        let cell = self.cells.iter().find(|(name, _)| name == column);
        cell.map_or("", |(_, cell)| cell)
    }
}

/// The instances of a table with the columns `path`, perhaps `expected`, and the named column
/// of groups. Paths start at the root or at the folder of the list. All files exist.
pub fn read(
    list: &Path,
    root: Option<&Path>,
    group: Option<&str>,
) -> Result<Vec<Instance>, String> {
    let complaint = |error: &dyn std::fmt::Display| format!("{}: {error}", list.display());
    let text = std::fs::read_to_string(list).map_err(|error| complaint(&error))?;
    let root = root.or(list.parent()).unwrap_or(Path::new(""));
    let instances = parse(&text, root, group).map_err(|error| complaint(&error))?;
    match instances.iter().find(|instance| !instance.file.is_file()) {
        Some(missing) => Err(complaint(&format!("there is no file {}", missing.file.display()))),
        None => Ok(instances),
    }
}

fn parse(text: &str, root: &Path, group: Option<&str>) -> Result<Vec<Instance>, String> {
    let table = Csv::new(text);
    table.required("path")?;
    if let Some(group) = group {
        table.required(group)?;
    }
    let instance = |row: &Vec<&str>| {
        let cells = table.head.iter().zip(row);
        let mut instance = Instance {
            path: String::new(),
            file: PathBuf::new(),
            group: String::new(),
            expected: None,
            cells: cells.map(|(name, cell)| ((*name).to_owned(), (*cell).to_owned())).collect(),
        };
        instance.path = instance.cell("path").to_owned();
        instance.file = root.join(&instance.path);
        instance.group = group.map_or(String::new(), |group| instance.cell(group).to_owned());
        instance.expected = Verdict::of_cell(instance.cell("expected"))
            .map_err(|error| format!("{}: {error}", instance.path))?;
        Ok(instance)
    };
    table.rows.iter().map(instance).collect()
}

/// So many of the instances, at equal distances in the list.
pub fn sample(instances: Vec<Instance>, count: Option<usize>) -> Vec<Instance> {
    let all = instances.len();
    let Some(count) = count.filter(|&count| count < all) else { return instances };
    // The numbers all · i / count for i < count are different.
    let chosen: Vec<usize> = (0..count).map(|index| index * all / count).collect();
    let instances = instances.into_iter().enumerate();
    instances.filter(|(index, _)| chosen.contains(index)).map(|(_, instance)| instance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_groups_and_verdicts_before_descriptions_with_commas() {
        let text = "path,part,expected,width,description\n\
                    bits/a.btor2,bits,safe,32,\"Commas, here\"\n\
                    linear/b.btor2,linear,,8,None\n";
        let instances = parse(text, Path::new("/root"), Some("part")).unwrap();
        let [first, second] = &instances[..] else { panic!("two models") };
        assert_eq!((&first.group[..], first.expected), ("bits", Some(Verdict::Safe)));
        assert_eq!((first.name(), &first.file), ("a".into(), &"/root/bits/a.btor2".into()));
        assert_eq!((&second.group[..], second.expected), ("linear", None));
        assert_eq!((second.cell("width"), second.cell("depth")), ("8", ""));
    }

    #[test]
    fn an_invalid_list_is_refused() {
        let error = |text: &str| parse(text, Path::new(""), Some("part")).unwrap_err();
        assert_eq!(error("name\n"), "the table has no column `path`");
        assert_eq!(error("path,expected\n"), "the table has no column `part`");
        let message = "m: `sat` is neither `safe` nor `unsafe` nor `unknown`";
        assert_eq!(error("path,part,expected\nm,bits,sat\n"), message);
    }

    #[test]
    fn missing_files_are_reported_before_anything_runs() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("list.csv");
        std::fs::write(&list, "path\nm.aig\n").unwrap();
        let error = read(&list, None, None).unwrap_err();
        assert!(error.contains("there is no file") && error.ends_with("m.aig"), "{error}");
        std::fs::write(folder.path().join("m.aig"), "").unwrap();
        assert_eq!(read(&list, None, None).unwrap().len(), 1);
        assert!(read(&list, Some(Path::new("/no/such/root")), None).is_err());
    }

    #[test]
    fn a_sample_is_taken_at_equal_distances() {
        let text = format!("path\n{}", (0..10).map(|n| format!("{n}\n")).collect::<String>());
        let instances = parse(&text, Path::new(""), None).unwrap();
        let names = |count| -> Vec<String> {
            sample(instances.clone(), count).iter().map(Instance::name).collect()
        };
        assert_eq!(names(Some(4)), ["0", "2", "5", "7"]);
        assert_eq!((names(Some(0)).len(), names(Some(99)).len(), names(None).len()), (0, 10, 10));
    }
}
