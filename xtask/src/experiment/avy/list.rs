//! Which models are measured, and what is known of them.

use std::path::{Path, PathBuf};

use crate::experiment::csv::Csv;
use crate::experiment::outcome::Verdict;

/// A model of the list.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// As the list has it.
    pub path: String,
    pub file: PathBuf,
    pub expected: Option<Verdict>,
    /// The paper's own times, by engine.
    pub paper: Vec<Option<PaperTime>>,
}

/// A time in the paper.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PaperTime {
    Seconds(f64),
    TooLong,
}

impl Model {
    /// The name of its file, without folder and ending.
    pub fn name(&self) -> String {
        let name = Path::new(&self.path).file_stem().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

/// The models of a table with the columns `path` and perhaps `expected`, and the paper's
/// times in columns such as `seed_pdr_s`. Paths lead from the root. All files are there.
pub fn read(list: &Path, root: Option<&Path>, engines: &[String]) -> Result<Vec<Model>, String> {
    let complaint = |error: &dyn std::fmt::Display| format!("{}: {error}", list.display());
    let text = std::fs::read_to_string(list).map_err(|error| complaint(&error))?;
    let root = root.or(list.parent()).unwrap_or(Path::new(""));
    let models = parse(&text, root, engines).map_err(|error| complaint(&error))?;
    match models.iter().find(|model| !model.file.is_file()) {
        Some(model) => Err(complaint(&format!("there is no file {}", model.file.display()))),
        None => Ok(models),
    }
}

fn parse(text: &str, root: &Path, engines: &[String]) -> Result<Vec<Model>, String> {
    let table = Csv::new(text);
    let (path, expected) = (table.required("path")?, table.column("expected"));
    let times: Vec<Option<usize>> =
        engines.iter().map(|engine| table.column(&format!("seed_{engine}_s"))).collect();
    let model = |row: &Vec<&str>| {
        let cell = |column: Option<usize>| {
            column.and_then(|column| row.get(column)).copied().unwrap_or_default()
        };
        let path = cell(Some(path)).to_owned();
        let complaint = |error: String| format!("{path}: {error}");
        Ok(Model {
            file: root.join(&path),
            expected: Verdict::of_cell(cell(expected)).map_err(complaint)?,
            paper: times
                .iter()
                .map(|&column| time(cell(column)))
                .collect::<Result<_, _>>()
                .map_err(complaint)?,
            path,
        })
    };
    table.rows.iter().map(model).collect()
}

fn time(cell: &str) -> Result<Option<PaperTime>, String> {
    match cell {
        "" => Ok(None),
        "TO" => Ok(Some(PaperTime::TooLong)),
        number => match number.parse() {
            Ok(seconds) => Ok(Some(PaperTime::Seconds(seconds))),
            Err(_) => Err(format!("`{number}` is neither a number of seconds nor `TO`")),
        },
    }
}

/// So many of the models, from all over the list, in their order.
pub fn sample(models: Vec<Model>, count: Option<usize>) -> Vec<Model> {
    let all = models.len();
    let Some(count) = count.filter(|&count| count < all) else { return models };
    // Of all · i / count, for all i below the count, no two are the same.
    let chosen: Vec<usize> = (0..count).map(|index| index * all / count).collect();
    let models = models.into_iter().enumerate();
    models.filter(|(index, _)| chosen.contains(index)).map(|(_, model)| model).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines() -> Vec<String> {
        ["itp", "kind", "avy"].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_list_has_verdicts_and_times_where_they_are_known() {
        let text = "path,format,expected,seed_avy_s,seed_itp_s\n\
                    a/6s8.aig,aiger,safe,829.12,TO\n\
                    a/6s9.aig,aiger,,,\n";
        let models = parse(text, Path::new("/root"), &engines()).unwrap();
        let [first, second] = &models[..] else { panic!("two models") };
        assert_eq!((first.name(), &first.file), ("6s8".into(), &PathBuf::from("/root/a/6s8.aig")));
        assert_eq!((first.expected, second.expected), (Some(Verdict::Safe), None));
        let times = [Some(PaperTime::TooLong), None, Some(PaperTime::Seconds(829.12))];
        assert_eq!((&first.paper[..], &second.paper[..]), (&times[..], &[None; 3][..]));
    }

    #[test]
    fn what_a_list_cannot_mean_is_refused() {
        let error = |text: &str| parse(text, Path::new(""), &engines()).unwrap_err();
        assert_eq!(error("name\n"), "the table has no column `path`");
        let message = "m: `sat` is neither `safe` nor `unsafe` nor `unknown`";
        assert_eq!(error("path,expected\nm,sat\n"), message);
        let message = "m: `soon` is neither a number of seconds nor `TO`";
        assert_eq!(error("path,seed_avy_s\nm,soon\n"), message);
    }

    #[test]
    fn files_that_are_not_there_are_named_before_anything_runs() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("list.csv");
        std::fs::write(&list, "path\nm.aig\n").unwrap();
        let error = read(&list, None, &engines()).unwrap_err();
        assert!(error.contains("there is no file") && error.ends_with("m.aig"), "{error}");
        std::fs::write(folder.path().join("m.aig"), "").unwrap();
        assert_eq!(read(&list, None, &engines()).unwrap().len(), 1);
        assert!(read(&list, Some(Path::new("/no/such/root")), &engines()).is_err());
    }

    #[test]
    fn a_sample_comes_from_all_over_the_list() {
        let text = format!("path\n{}", (0..10).map(|n| format!("{n}\n")).collect::<String>());
        let models = parse(&text, Path::new(""), &[]).unwrap();
        let names = |count| -> Vec<String> {
            sample(models.clone(), count).iter().map(Model::name).collect()
        };
        assert_eq!(names(Some(4)), ["0", "2", "5", "7"]);
        assert_eq!((names(Some(0)).len(), names(Some(99)).len(), names(None).len()), (0, 10, 10));
    }
}
