//! All runs of the experiment, and what they say together.

use rustc_hash::FxHashMap;

use super::list::Instance;
use super::record::Run;
use super::settings::Setting;
use crate::experiment::outcome::{Outcome, Verdict};

/// What was measured so far.
pub struct Results {
    /// Seconds of processor time for each run.
    pub limit: u32,
    pub settings: Vec<Setting>,
    pub rows: Vec<Row>,
}

/// The runs on a model.
pub struct Row {
    pub instance: Instance,
    /// By the name of the setting.
    pub runs: FxHashMap<String, Run>,
}

/// Some of the models: those of a subset, or all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part(Option<String>);

impl Part {
    pub fn name(&self) -> &str {
        self.0.as_deref().unwrap_or("all")
    }

    fn has(&self, instance: &Instance) -> bool {
        self.0.as_ref().is_none_or(|part| *part == instance.part)
    }
}

impl Results {
    /// The subsets in the order of the list, and all together.
    pub fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for row in &self.rows {
            let part = Part(Some(row.instance.part.clone()));
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.push(Part(None));
        parts
    }

    pub fn rows_of<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = &'a Row> {
        self.rows.iter().filter(|row| part.has(&row.instance))
    }

    pub fn solved(&self, part: &Part, setting: Setting) -> usize {
        let name = setting.name();
        self.rows_of(part).filter(|row| row.named(&name).is_some()).count()
    }

    /// The times of what is solved.
    pub fn times<'a>(&'a self, part: &'a Part, setting: Setting) -> Vec<f64> {
        self.rows_of(part).filter_map(|row| row.seconds(setting)).collect()
    }

    /// Verdicts that are wrong, and runs of the engine without a report.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for row in &self.rows {
            for &setting in &self.settings {
                let name = setting.name();
                let Some(run) = row.runs.get(&name) else { continue };
                let path = &row.instance.path;
                if row.is_wrong(run) {
                    let (found, expected) = (run.outcome.word(), row.expected().map(Verdict::word));
                    let expected = expected.unwrap_or_default();
                    faults.push(format!("{path}: {name} says {found}, expected is {expected}"));
                } else if run.outcome == Outcome::Failed && !matches!(setting, Setting::Peer(_)) {
                    faults.push(format!("{path}: {name} ended without a report"));
                }
            }
        }
        faults
    }
}

impl Row {
    /// What is known of the model.
    fn expected(&self) -> Option<Verdict> {
        self.instance.expected
    }

    fn is_wrong(&self, run: &Run) -> bool {
        let verdict = run.outcome.verdict();
        verdict.is_some() && self.expected().is_some() && verdict != self.expected()
    }

    pub fn run(&self, setting: Setting) -> Option<&Run> {
        self.runs.get(&setting.name())
    }

    /// Until the verdict, if there is one that is not wrong.
    pub fn seconds(&self, setting: Setting) -> Option<f64> {
        self.named(&setting.name())
    }

    fn named(&self, setting: &str) -> Option<f64> {
        let run = self.runs.get(setting)?;
        (run.outcome.verdict().is_some() && !self.is_wrong(run)).then_some(run.seconds)
    }
}

#[cfg(test)]
pub mod tests {
    use super::super::record::tests::decided;
    use super::super::settings::{Peer, Simulation, Words};
    use super::*;

    /// The engine at an even probability, with one of the simulations.
    pub fn even(simulation: Simulation) -> Setting {
        Setting::Words(Words { probability: Some(0.5), simulation, seed: 0 })
    }

    pub fn row(path: &str, runs: &[(Setting, Run)]) -> Row {
        let part = path.split('/').next().unwrap_or_default().to_owned();
        let (path, file, expected) = (path.to_owned(), path.into(), Some(Verdict::Safe));
        let runs = runs.iter().map(|(setting, run)| (setting.name(), run.clone())).collect();
        Row { instance: Instance { path, file, part, expected, properties: 1 }, runs }
    }

    pub fn results(rows: Vec<Row>, settings: &[Setting]) -> Results {
        Results { limit: 10, settings: settings.to_vec(), rows }
    }

    #[test]
    fn solved_models_are_counted_by_part() {
        let ours = Setting::DEFAULT;
        let rows = vec![
            row("bits/a", &[(ours, decided(Verdict::Safe, 1.0))]),
            row("bits/b", &[(ours, Run::new(Outcome::TooLong, 10.0))]),
            row("linear/c", &[(ours, decided(Verdict::Safe, 2.0))]),
        ];
        let results = results(rows, &[ours]);
        let parts = results.parts();
        assert_eq!(parts.iter().map(Part::name).collect::<Vec<_>>(), ["bits", "linear", "all"]);
        let solved: Vec<usize> = parts.iter().map(|part| results.solved(part, ours)).collect();
        assert_eq!((solved, results.times(&parts[2], ours)), (vec![1, 1, 2], vec![1.0, 2.0]));
        assert!(results.faults().is_empty());
    }

    #[test]
    fn wrong_verdicts_are_told_and_not_counted() {
        let (ours, abc) = (Setting::DEFAULT, Setting::Peer(Peer::Abc));
        let failed = Run::new(Outcome::Failed, 0.1);
        let rows = vec![
            row("bits/a", &[(ours, decided(Verdict::Unsafe, 1.0)), (abc, failed.clone())]),
            row("bits/b", &[(ours, failed), (abc, decided(Verdict::Unsafe, 1.0))]),
        ];
        let results = results(rows, &[ours, abc]);
        let faults = [
            "bits/a: words --seed 0 says unsafe, expected is safe",
            "bits/b: words --seed 0 ended without a report",
            "bits/b: ABC pdr says unsafe, expected is safe",
        ];
        assert_eq!(results.faults(), faults);
        assert_eq!(results.solved(&Part(None), ours), 0);
    }
}
