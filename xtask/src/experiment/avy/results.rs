//! All runs of the experiment, and what they say together.

use super::list::Model;
use super::record::Run;
use crate::experiment::outcome::{Outcome, Verdict};

/// An engine, perhaps with an option that is not its default.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    pub engine: String,
    pub option: Option<&'static str>,
}

impl Setting {
    pub fn name(&self) -> String {
        match self.option {
            Some(option) => format!("{} {option}", self.engine),
            None => self.engine.clone(),
        }
    }
}

/// What was measured so far.
pub struct Results {
    /// Seconds of processor time for each run.
    pub limit: u32,
    /// The last one is compared with the others.
    pub engines: Vec<String>,
    /// Of the last engine.
    pub variants: Vec<&'static str>,
    pub rows: Vec<Row>,
}

/// The runs on a model: of the engines, then of the variants.
pub struct Row {
    pub model: Model,
    pub runs: Vec<Run>,
}

impl Results {
    /// The engines, then the variants.
    pub fn settings(&self) -> Vec<Setting> {
        let engines = self.engines.iter();
        let plain = engines.map(|engine| Setting { engine: engine.clone(), option: None });
        let variants = self.variants.iter().map(|&option| Setting {
            engine: self.engines[self.subject()].clone(),
            option: Some(option),
        });
        plain.chain(variants).collect()
    }

    /// The engine that is compared with the others.
    pub fn subject(&self) -> usize {
        self.engines.len() - 1
    }

    pub fn others(&self) -> std::ops::Range<usize> {
        0..self.subject()
    }

    /// On how many models any of these settings came to this verdict.
    pub fn solved(&self, settings: &[usize], verdict: Verdict) -> usize {
        let solves = |row: &&Row| settings.iter().any(|&s| row.solved(s) == Some(verdict));
        self.rows.iter().filter(solves).count()
    }

    /// The models that this engine solves and no other one does.
    pub fn only(&self, engine: usize) -> Vec<String> {
        let alone = |row: &&Row| {
            let mut solving = (0..self.engines.len()).filter(|&e| row.solved(e).is_some());
            solving.next() == Some(engine) && solving.next().is_none()
        };
        self.rows.iter().filter(alone).map(|row| row.model.name()).collect()
    }

    /// The seconds in sum, where what is not solved counts twice the limit.
    pub fn par2(&self, setting: usize) -> f64 {
        let penalty = 2.0 * f64::from(self.limit);
        self.rows.iter().map(|row| row.seconds(setting).unwrap_or(penalty)).sum()
    }

    /// Verdicts that differ from what is known, or from each other; runs without a report.
    pub fn faults(&self) -> Vec<String> {
        let settings = self.settings();
        let mut faults = Vec::new();
        for row in &self.rows {
            let expected = row.expected();
            for (setting, run) in settings.iter().zip(&row.runs) {
                let (path, name) = (&row.model.path, setting.name());
                if let (Some(found), Some(expected)) = (run.verdict(), expected)
                    && found != expected
                {
                    let (found, expected) = (found.word(), expected.word());
                    let who = if row.model.expected.is_some() { "expected is" } else { "another" };
                    faults.push(format!("{path}: {name} says {found}, {who} {expected}"));
                } else if run.outcome == Outcome::Failed {
                    faults.push(format!("{path}: {name} ended without a report"));
                }
            }
        }
        faults
    }
}

impl Row {
    /// What is known of the model, or else what the first run says that says anything.
    pub fn expected(&self) -> Option<Verdict> {
        self.model.expected.or_else(|| self.runs.iter().find_map(Run::verdict))
    }

    pub fn is_wrong(&self, setting: usize) -> bool {
        let verdict = self.runs[setting].verdict();
        verdict.is_some() && verdict != self.expected()
    }

    /// The verdict, if there is one, and it is right.
    pub fn solved(&self, setting: usize) -> Option<Verdict> {
        self.runs[setting].verdict().filter(|_| !self.is_wrong(setting))
    }

    /// Until the right verdict.
    pub fn seconds(&self, setting: usize) -> Option<f64> {
        self.solved(setting).map(|_| self.runs[setting].seconds)
    }

    /// Of two settings, in seconds, if both have solved it. A thousandth is the least.
    pub fn ratio(&self, setting: usize, to: usize) -> Option<f64> {
        let seconds = |setting| Some(self.seconds(setting)?.max(1e-3));
        Some(seconds(setting)? / seconds(to)?)
    }
}

#[cfg(test)]
pub mod tests {
    use super::super::list::PaperTime;
    use super::super::record::tests::{safe, too_long};
    use super::super::record::{Interpolation, Size};
    use super::*;

    fn row(path: &str, expected: Option<Verdict>, runs: Vec<Run>) -> Row {
        let (path, file) = (path.to_owned(), path.into());
        Row { model: Model { path, file, expected, paper: vec![None; 3] }, runs }
    }

    fn trace(seconds: f64, depth: u64) -> Run {
        let outcome = Outcome::Decided(Verdict::Unsafe);
        Run { depth: Some(depth), ..Run::silent(outcome, seconds) }
    }

    /// Four models, three engines, one variant.
    pub fn results() -> Results {
        let interpolation = Some(Interpolation { sat_seconds: 4.0, extraction_seconds: 1.0 });
        let both = [safe(2.0, 7, Size::Clauses(90)), safe(1.0, 4, Size::Clauses(30))];
        let [pdr, avy] = both;
        let avy = Run { interpolation, ..avy };
        let mut first = row(
            "x/both.aig",
            Some(Verdict::Safe),
            vec![too_long(), pdr, avy, safe(4.0, 4, Size::Clauses(30))],
        );
        let times = [PaperTime::TooLong, PaperTime::Seconds(222.22), PaperTime::Seconds(61.92)];
        first.model.paper = times.map(Some).to_vec();
        let proof = safe(8.0, 9, Size::Clauses(5));
        let formula = safe(0.5, 3, Size::Nodes(400));
        let rows = vec![
            first,
            row("x/only<avy.aig", None, vec![too_long(), too_long(), proof, too_long()]),
            row(
                "x/bug.aig",
                None,
                vec![trace(0.25, 12), trace(3.0, 12), too_long(), trace(9.0, 13)],
            ),
            row(
                "x/hard.aig",
                Some(Verdict::Safe),
                vec![formula, too_long(), too_long(), too_long()],
            ),
        ];
        let engines = ["itp", "pdr", "avy"].map(str::to_owned).to_vec();
        Results { limit: 10, engines, variants: vec!["--min-core"], rows }
    }

    #[test]
    fn solved_models_are_counted_by_verdict() {
        let results = results();
        let solved = |settings: &[usize]| Verdict::ALL.map(|v| results.solved(settings, v));
        assert_eq!([solved(&[0]), solved(&[1]), solved(&[2])], [[1, 1], [1, 1], [2, 0]]);
        assert_eq!((solved(&[1, 2]), solved(&[0, 1, 2])), ([2, 1], [3, 1]));
        assert_eq!([0, 1, 2].map(|engine| results.only(engine).len()), [1, 0, 1]);
        assert_eq!(results.par2(2), 1.0 + 8.0 + 20.0 + 20.0);
        assert_eq!(results.rows[0].ratio(3, 2), Some(4.0));
        assert_eq!(results.rows[1].ratio(3, 2), None);
        assert_eq!(results.settings()[3].name(), "avy --min-core");
    }

    #[test]
    fn wrong_verdicts_are_told_and_not_counted() {
        let mut results = results();
        assert!(results.faults().is_empty());
        results.rows[3].model.expected = Some(Verdict::Unsafe);
        let wrong = ["x/hard.aig: itp says safe, expected is unsafe"];
        assert_eq!(results.faults(), wrong);
        assert_eq!((results.rows[3].solved(0), results.rows[3].seconds(0)), (None, None));
    }

    #[test]
    fn engines_that_differ_are_told_even_if_nothing_is_known() {
        let mut results = results();
        results.rows[2].runs[3] = safe(1.0, 1, Size::Clauses(1));
        results.rows[2].runs[2] = Run::silent(Outcome::Failed, 0.1);
        let faults = [
            "x/bug.aig: avy ended without a report",
            "x/bug.aig: avy --min-core says safe, another unsafe",
        ];
        assert_eq!(results.faults(), faults);
    }
}
