//! The tables of section 5 of the paper, and its comparisons.

use super::proof::{Interpolation, Proof, Size};
use super::{Avy, PaperTime};
use crate::harness::outcome::{Outcome, Verdict};
use crate::harness::results::Group;
use crate::harness::run::Run;
use crate::harness::statistics::{geometric_mean, median};
use crate::harness::table::{Cell, Table};
use crate::harness::{ResultsOf, Setting, results};

type Results = ResultsOf<Avy>;
type Row = results::Row<Proof>;

impl Avy {
    /// Table 1: the models that each engine solves, the last one together with each of the
    /// others, and all together.
    pub fn solved(&self, results: &Results) -> Table {
        let (engines, subject) = (&self.engines, self.subject());
        let all: Vec<usize> = (0..engines.len()).collect();
        let mut columns: Vec<(String, Vec<usize>)> =
            all.iter().map(|&engine| (engines[engine].clone(), vec![engine])).collect();
        if engines.len() > 2 {
            let pair = |other: usize| format!("{} + {}", engines[other], engines[subject]);
            columns.extend(self.others().map(|other| (pair(other), vec![other, subject])));
        }
        columns.push(("virtual best".into(), all));
        let titles = columns.iter().map(|(title, _)| title.clone());
        let head = ["status".to_owned()].into_iter().chain(titles).collect();
        let mut table = Table { head, rows: Vec::new() };
        let lines = [
            ("safe", &[Verdict::Safe][..]),
            ("unsafe", &[Verdict::Unsafe]),
            ("both", &Verdict::ALL),
        ];
        for (title, verdicts) in lines {
            let count = |of: &[usize]| {
                let solves = |row: &&Row| {
                    of.iter().any(|&s| row.solved(s).is_some_and(|v| verdicts.contains(&v)))
                };
                results.rows.iter().filter(solves).count().to_string()
            };
            let counts = columns.iter().map(|(_, settings)| count(settings));
            table.push([title.to_owned()].into_iter().chain(counts));
        }
        table
    }

    /// Table 2: depth of convergence, size of the proof and time, by model and engine.
    pub fn details(&self, results: &Results) -> Table {
        let known = |engine: usize| self.paper.values().any(|times| times[engine].is_some());
        let mut head = vec!["model".to_owned(), "status".to_owned()];
        for (index, engine) in self.engines.iter().enumerate() {
            head.extend([format!("{engine}: D"), "#clauses".into(), "time [s]".into()]);
            head.extend(known(index).then(|| "paper [s]".to_owned()));
        }
        let line = |row: &Row| {
            let status = row.expected().map_or("?", Verdict::word);
            let mut cells = vec![Cell::new(row.instance.name()), Cell::new(status)];
            for engine in 0..self.engines.len() {
                let Some(run) = &row.runs[engine] else { continue };
                let depth = run.measured.depth.map_or("-".into(), |depth| depth.to_string());
                cells.extend([Cell::new(depth), Cell::new(size(run))]);
                cells.push(Cell { text: time(run), worse: row.is_wrong(engine) });
                let paper = self.paper.get(&row.instance.path).and_then(|times| times[engine]);
                cells.extend(known(engine).then(|| Cell::new(paper_time(paper))));
            }
            cells
        };
        Table { head, rows: results.rows.iter().map(line).collect() }
    }

    /// What the tables amount to, one sentence per line.
    pub fn summary(&self, results: &Results) -> Vec<String> {
        let clauses = self.others().filter_map(|other| self.clauses(results, other));
        let only = self.engines.iter().enumerate().map(|(index, engine)| {
            let models = self.only(results, index);
            let names =
                if models.is_empty() { String::new() } else { format!(": {}", models.join(", ")) };
            format!("solved by {engine} alone: {}{names}", models.len())
        });
        let extraction =
            (0..self.engines.len()).filter_map(|engine| self.extraction(results, engine));
        clauses.chain(only).chain(extraction).collect()
    }

    /// The models that only this engine solves.
    fn only(&self, results: &Results, engine: usize) -> Vec<String> {
        let alone = |row: &&Row| {
            let mut solving = (0..self.engines.len()).filter(|&e| row.solved(e).is_some());
            solving.next() == Some(engine) && solving.next().is_none()
        };
        results.rows.iter().filter(alone).map(|row| row.instance.name()).collect()
    }

    /// Compares the numbers of clauses in proofs.
    fn clauses(&self, results: &Results, other: usize) -> Option<String> {
        let subject = self.subject();
        let pair = |row: &Row| {
            let clauses = |engine: usize| {
                row.solved(engine)?;
                row.runs[engine].as_ref()?.measured.clauses()
            };
            Some((clauses(subject)?, clauses(other)?))
        };
        let pairs: Vec<(u64, u64)> = results.rows.iter().filter_map(pair).collect();
        // A proof may have no clauses.
        let ratios = pairs.iter().map(|&(ours, theirs)| ours.max(1) as f64 / theirs.max(1) as f64);
        let ratio = geometric_mean(ratios)?;
        let fewer = pairs.iter().filter(|(ours, theirs)| ours <= theirs).count();
        let (both, one, two) = (pairs.len(), &self.engines[subject], &self.engines[other]);
        Some(format!(
            "of {both} models that {one} and {two} both prove by clauses, {one} has at most as \
             many in {fewer} (geometric mean ×{ratio:.2})"
        ))
    }

    /// Compares the time to extract interpolants with that of the SAT solver.
    fn extraction(&self, results: &Results, engine: usize) -> Option<String> {
        let runs = results.rows.iter().filter_map(|row| row.runs[engine].as_ref());
        let times = runs.filter_map(|run| run.measured.interpolation);
        let searched = times.filter(|times| times.sat_seconds > 0.0);
        let ratio = |times: Interpolation| times.extraction_seconds / times.sat_seconds;
        let ratios: Vec<f64> = searched.map(ratio).collect();
        let (engine, runs) = (&self.engines[engine], ratios.len());
        let middle = median(ratios)?;
        Some(format!(
            "{engine}: extracting interpolants takes ×{middle:.2} the time of SAT (median of \
             {runs} runs)"
        ))
    }

    /// The last engine with each of its options.
    pub fn ablation(&self, results: &Results) -> Option<Table> {
        if self.variants.is_empty() {
            return None;
        }
        let plain = self.subject();
        let mut table =
            Table::new(["setting", "solved", "PAR-2 [s]", "time ratio", "gained", "lost"]);
        for (index, setting) in results.settings.iter().enumerate().skip(plain) {
            let count = |of: &dyn Fn(&Row) -> bool| {
                results.rows.iter().filter(|row| of(row)).count().to_string()
            };
            let solves = |row: &Row, setting: usize| row.solved(setting).is_some();
            let ratios = results.rows.iter().filter_map(|row| row.ratio(index, plain));
            let ratio = geometric_mean(ratios);
            table.push([
                setting.name(),
                results.solved(&Group::ALL, index).to_string(),
                format!("{:.1}", results.par2(index)),
                ratio.map_or("-".into(), |ratio| format!("{ratio:.2}")),
                count(&|row| solves(row, index) && !solves(row, plain)),
                count(&|row| solves(row, plain) && !solves(row, index)),
            ]);
        }
        Some(table)
    }
}

fn size(run: &Run<Proof>) -> String {
    match run.measured.size {
        Some(Size::Clauses(count)) => count.to_string(),
        Some(Size::Nodes(count)) => format!("{count} nodes"),
        None => "-".into(),
    }
}

fn time(run: &Run<Proof>) -> String {
    match run.outcome {
        Outcome::Decided(_) => format!("{:.2}", run.seconds),
        Outcome::Unknown | Outcome::TooLong | Outcome::Failed => run.outcome.word().into(),
    }
}

fn paper_time(time: Option<PaperTime>) -> String {
    match time {
        Some(PaperTime::Seconds(seconds)) => format!("{seconds:.2}"),
        Some(PaperTime::TooLong) => "TO".into(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Experiment;
    use crate::harness::page::tests::is_sound;
    use crate::harness::testing::{instance, run};

    fn proof(seconds: f64, depth: u64, size: Size) -> Run<Proof> {
        let measured = Proof { depth: Some(depth), size: Some(size), interpolation: None };
        Run { measured, ..run("safe", seconds) }
    }

    fn trace(seconds: f64, depth: u64) -> Run<Proof> {
        let measured = Proof { depth: Some(depth), ..Proof::default() };
        Run { measured, ..run("unsafe", seconds) }
    }

    /// Four models, three engines, one variant.
    fn example() -> (Avy, Results) {
        let too_long = || run("TO", 10.0);
        let [pdr, mut avy] = [proof(2.0, 7, Size::Clauses(90)), proof(1.0, 4, Size::Clauses(30))];
        avy.measured.interpolation =
            Some(Interpolation { sat_seconds: 4.0, extraction_seconds: 1.0 });
        let formula = proof(0.5, 3, Size::Nodes(400));
        let only = proof(8.0, 9, Size::Clauses(5));
        let variant = proof(4.0, 4, Size::Clauses(30));
        let safe = Some(Verdict::Safe);
        let rows = [
            ("x/both.aig", safe, [too_long(), pdr, avy, variant]),
            ("x/only<avy.aig", None, [too_long(), too_long(), only, too_long()]),
            ("x/bug.aig", None, [trace(0.25, 12), trace(3.0, 12), too_long(), trace(9.0, 13)]),
            ("x/hard.aig", safe, [formula, too_long(), too_long(), too_long()]),
        ];
        let rows = rows.map(|(path, expected, runs)| Row {
            instance: instance(path, expected),
            runs: runs.map(Some).to_vec(),
        });
        let times = [PaperTime::TooLong, PaperTime::Seconds(222.22), PaperTime::Seconds(61.92)];
        let avy = Avy {
            models: Vec::new(),
            engines: ["itp", "pdr", "avy"].map(str::to_owned).to_vec(),
            variants: vec!["--min-core"],
            paper: [("x/both.aig".to_owned(), times.map(Some).to_vec())].into_iter().collect(),
        };
        let results = Results { limit: 10, settings: avy.settings(), rows: rows.into() };
        (avy, results)
    }

    #[test]
    fn table_1_has_pairs_and_the_virtual_best() {
        let (mut avy, results) = example();
        let expected = "\
status  itp  pdr  avy  itp + avy  pdr + avy  virtual best
safe      1    1    2          3          2             3
unsafe    1    1    0          1          1             1
both      2    2    2          4          3             4
";
        assert_eq!(avy.solved(&results).text(), expected);
        avy.engines.truncate(2);
        assert_eq!(avy.solved(&results).head, ["status", "itp", "pdr", "virtual best"]);
    }

    #[test]
    fn table_2_has_depths_sizes_and_times_beside_those_of_the_paper() {
        let expected = "\
model     status  itp: D   #clauses  time [s]  paper [s]  pdr: D  #clauses  time [s]  paper [s]  avy: D  #clauses  time [s]  paper [s]
both        safe       -          -        TO         TO       7        90      2.00     222.22       4        30      1.00      61.92
only<avy    safe       -          -        TO                  -         -        TO                  9         5      8.00
bug       unsafe      12          -      0.25                 12         -      3.00                  -         -        TO
hard        safe       3  400 nodes      0.50                  -         -        TO                  -         -        TO
";
        let (avy, mut results) = example();
        assert_eq!(avy.details(&results).text(), expected);
        results.rows[3].instance.expected = Some(Verdict::Unsafe);
        let wrong = avy.details(&results).rows[3].iter().filter(|cell| cell.worse).count();
        assert_eq!(wrong, 1, "wrong verdicts are marked");
    }

    #[test]
    fn the_summary_compares_clauses_and_names_models_that_one_engine_solves() {
        let expected = [
            "of 1 models that avy and pdr both prove by clauses, avy has at most as many in 1 \
             (geometric mean ×0.33)",
            "solved by itp alone: 1: hard",
            "solved by pdr alone: 0",
            "solved by avy alone: 1: only<avy",
            "avy: extracting interpolants takes ×0.25 the time of SAT (median of 1 runs)",
        ];
        let (avy, results) = example();
        assert_eq!(avy.summary(&results), expected);
    }

    #[test]
    fn the_ablation_compares_variants_with_the_plain_engine() {
        let expected = "\
setting         solved  PAR-2 [s]  time ratio  gained  lost
avy                  2       49.0        1.00       0     0
avy --min-core       2       53.0        4.00       1     1
";
        let (avy, results) = example();
        assert_eq!(avy.ablation(&results).unwrap().text(), expected);
        assert!(Avy { variants: Vec::new(), ..avy }.ablation(&results).is_none());
    }

    #[test]
    fn the_page_has_tables_and_plots_and_loads_nothing() {
        let (avy, mut results) = example();
        let page = avy.report(&results).html();
        is_sound(&page).unwrap();
        assert_eq!((page.matches("<table>").count(), page.matches("<svg").count()), (3, 2));
        assert!(page.contains("only&lt;avy"));
        results.rows.clear();
        is_sound(&avy.report(&results).html()).unwrap();
    }
}
