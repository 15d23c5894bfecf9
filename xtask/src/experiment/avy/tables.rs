//! The tables of section 5 of the paper, and what it says of them.

use super::list::PaperTime;
use super::record::{Interpolation, Run, Size};
use super::results::{Results, Row};
use crate::experiment::outcome::{Outcome, Verdict};
use crate::experiment::statistics::{geometric_mean, median};
use crate::experiment::table::{Cell, Table};

/// Table 1: what each engine solves, the last one with each of the others, and all
/// together.
pub fn solved(results: &Results) -> Table {
    let (engines, subject) = (&results.engines, results.subject());
    let all: Vec<usize> = (0..engines.len()).collect();
    let mut columns: Vec<(String, Vec<usize>)> =
        all.iter().map(|&engine| (engines[engine].clone(), vec![engine])).collect();
    if engines.len() > 2 {
        let pair = |other: usize| format!("{} + {}", engines[other], engines[subject]);
        columns.extend(results.others().map(|other| (pair(other), vec![other, subject])));
    }
    columns.push(("virtual best".into(), all));
    let line = |title: &str, verdicts: &[Verdict]| {
        let count =
            |of: &Vec<usize>| verdicts.iter().map(|&v| results.solved(of, v)).sum::<usize>();
        let cells = columns.iter().map(|(_, settings)| Cell::new(count(settings).to_string()));
        [Cell::new(title)].into_iter().chain(cells).collect()
    };
    let titles = columns.iter().map(|(title, _)| title.clone());
    let head = ["status".to_owned()].into_iter().chain(titles).collect();
    let mut rows: Vec<Vec<Cell>> = Verdict::ALL.map(|v| line(v.word(), &[v])).into();
    rows.push(line("both", &Verdict::ALL));
    Table { head, rows }
}

/// Table 2: depth of convergence, size of the proof and time, by model and engine.
pub fn details(results: &Results) -> Table {
    let known = |engine: usize| results.rows.iter().any(|row| row.model.paper[engine].is_some());
    let mut head = vec!["model".to_owned(), "status".to_owned()];
    for (index, engine) in results.engines.iter().enumerate() {
        head.extend([format!("{engine}: D"), "#clauses".into(), "time [s]".into()]);
        head.extend(known(index).then(|| "paper [s]".to_owned()));
    }
    let line = |row: &Row| {
        let status = row.expected().map_or("?", Verdict::word);
        let mut cells = vec![Cell::new(row.model.name()), Cell::new(status)];
        for engine in 0..results.engines.len() {
            let run = &row.runs[engine];
            cells.push(Cell::new(run.depth.map_or("-".into(), |depth| depth.to_string())));
            cells.push(Cell::new(size(run)));
            cells.push(Cell { text: time(run), worse: row.is_wrong(engine) });
            cells.extend(known(engine).then(|| Cell::new(paper(row.model.paper[engine]))));
        }
        cells
    };
    Table { head, rows: results.rows.iter().map(line).collect() }
}

fn size(run: &Run) -> String {
    match run.size {
        Some(Size::Clauses(count)) => count.to_string(),
        Some(Size::Nodes(count)) => format!("{count} nodes"),
        None => "-".into(),
    }
}

fn time(run: &Run) -> String {
    match run.outcome {
        Outcome::Decided(_) => format!("{:.2}", run.seconds),
        Outcome::Unknown | Outcome::TooLong | Outcome::Failed => run.outcome.word().into(),
    }
}

fn paper(time: Option<PaperTime>) -> String {
    match time {
        Some(PaperTime::Seconds(seconds)) => format!("{seconds:.2}"),
        Some(PaperTime::TooLong) => "TO".into(),
        None => String::new(),
    }
}

/// What the tables amount to, a sentence a line.
pub fn summary(results: &Results) -> Vec<String> {
    let clauses = results.others().filter_map(|other| clauses(results, other));
    let only = results.engines.iter().enumerate().map(|(index, engine)| {
        let models = results.only(index);
        let names =
            if models.is_empty() { String::new() } else { format!(": {}", models.join(", ")) };
        format!("solved by {engine} alone: {}{names}", models.len())
    });
    let extraction = (0..results.engines.len()).filter_map(|engine| extraction(results, engine));
    let faults = results.faults();
    let correct = format!("wrong verdicts and runs without a report: {}", faults.len());
    let faults = faults.into_iter().map(|fault| format!("FAULT: {fault}"));
    clauses.chain(only).chain(extraction).chain([correct]).chain(faults).collect()
}

/// Whose proofs have fewer clauses.
fn clauses(results: &Results, other: usize) -> Option<String> {
    let subject = results.subject();
    let pair = |row: &Row| {
        let clauses = |engine: usize| row.solved(engine).and(row.runs[engine].clauses());
        Some((clauses(subject)?, clauses(other)?))
    };
    let pairs: Vec<(u64, u64)> = results.rows.iter().filter_map(pair).collect();
    // A proof may need none.
    let ratios = pairs.iter().map(|&(ours, theirs)| ours.max(1) as f64 / theirs.max(1) as f64);
    let ratio = geometric_mean(ratios)?;
    let fewer = pairs.iter().filter(|(ours, theirs)| ours <= theirs).count();
    let (both, one, two) = (pairs.len(), &results.engines[subject], &results.engines[other]);
    Some(format!(
        "of {both} models that {one} and {two} both prove by clauses, {one} has at most as many in \
         {fewer} (×{ratio:.2} in the geometric mean)"
    ))
}

/// How interpolants compare with the search for proofs.
fn extraction(results: &Results, engine: usize) -> Option<String> {
    let times = results.rows.iter().filter_map(|row| row.runs[engine].interpolation);
    let searched = times.filter(|times| times.sat_seconds > 0.0);
    let ratio = |times: Interpolation| times.extraction_seconds / times.sat_seconds;
    let ratios: Vec<f64> = searched.map(ratio).collect();
    let (engine, runs) = (&results.engines[engine], ratios.len());
    let middle = median(ratios)?;
    Some(format!(
        "{engine}: extracting interpolants takes ×{middle:.2} the time of SAT, in the median of \
         {runs} runs"
    ))
}

/// What each technique brings: the last engine without it, or with it.
pub fn ablation(results: &Results) -> Option<Table> {
    if results.variants.is_empty() {
        return None;
    }
    let plain = results.subject();
    let mut table = Table::new(["setting", "solved", "PAR-2 [s]", "time ratio", "gained", "lost"]);
    for (index, setting) in results.settings().iter().enumerate().skip(plain) {
        let count = |of: &dyn Fn(&Row) -> bool| {
            Cell::new(results.rows.iter().filter(|row| of(row)).count().to_string())
        };
        let solves = |row: &Row, setting: usize| row.solved(setting).is_some();
        let ratios = results.rows.iter().filter_map(|row| row.ratio(index, plain));
        let ratio = geometric_mean(ratios);
        table.rows.push(vec![
            Cell::new(setting.name()),
            count(&|row| solves(row, index)),
            Cell::new(format!("{:.1}", results.par2(index))),
            Cell::new(ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"))),
            count(&|row| solves(row, index) && !solves(row, plain)),
            count(&|row| solves(row, plain) && !solves(row, index)),
        ]);
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;
    use super::*;

    #[test]
    fn table_1_has_pairs_and_the_virtual_best() {
        let expected = "\
status  itp  pdr  avy  itp + avy  pdr + avy  virtual best
safe      1    1    2          3          2             3
unsafe    1    1    0          1          1             1
both      2    2    2          4          3             4
";
        assert_eq!(solved(&results()).text(), expected);
    }

    #[test]
    fn two_engines_are_a_pair_already() {
        let mut results = results();
        results.engines.truncate(2);
        let head = solved(&results).head;
        assert_eq!(head, ["status", "itp", "pdr", "virtual best"]);
    }

    #[test]
    fn table_2_has_depths_sizes_and_times_beside_the_papers() {
        let expected = "\
model     status  itp: D   #clauses  time [s]  paper [s]  pdr: D  #clauses  time [s]  paper [s]  avy: D  #clauses  time [s]  paper [s]
both        safe       -          -        TO         TO       7        90      2.00     222.22       4        30      1.00      61.92
only<avy    safe       -          -        TO                  -         -        TO                  9         5      8.00
bug       unsafe      12          -      0.25                 12         -      3.00                  -         -        TO
hard        safe       3  400 nodes      0.50                  -         -        TO                  -         -        TO
";
        assert_eq!(details(&results()).text(), expected);
    }

    #[test]
    fn wrong_verdicts_are_marked() {
        let mut results = results();
        results.rows[3].model.expected = Some(Verdict::Unsafe);
        let marked = details(&results).rows[3].iter().filter(|cell| cell.worse).count();
        assert_eq!(marked, 1);
        let lines = summary(&results);
        assert!(lines.contains(&"wrong verdicts and runs without a report: 1".into()), "{lines:?}");
        assert!(lines.last().unwrap().starts_with("FAULT: x/hard.aig"), "{lines:?}");
    }

    #[test]
    fn the_summary_compares_clauses_and_tells_who_is_alone() {
        let expected = [
            "of 1 models that avy and pdr both prove by clauses, avy has at most as many in 1 \
             (×0.33 in the geometric mean)",
            "solved by itp alone: 1: hard",
            "solved by pdr alone: 0",
            "solved by avy alone: 1: only<avy",
            "avy: extracting interpolants takes ×0.25 the time of SAT, in the median of 1 runs",
            "wrong verdicts and runs without a report: 0",
        ];
        assert_eq!(summary(&results()), expected);
    }

    #[test]
    fn the_ablation_compares_variants_with_the_plain_engine() {
        let expected = "\
setting         solved  PAR-2 [s]  time ratio  gained  lost
avy                  2       49.0        1.00       0     0
avy --min-core       2       53.0        4.00       1     1
";
        assert_eq!(ablation(&results()).unwrap().text(), expected);
        let none = Results { variants: Vec::new(), ..results() };
        assert!(ablation(&none).is_none());
    }
}
