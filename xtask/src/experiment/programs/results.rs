//! All runs of the experiment, and what they say together.

use super::list::Instance;
use super::record::Run;
use super::settings::Setting;
use crate::experiment::outcome::{Outcome, Verdict};
use crate::experiment::table::{Cell, Table};

/// What was measured.
pub struct Results {
    /// Seconds of processor time for each run.
    pub limit: u32,
    pub settings: Vec<Setting>,
    pub rows: Vec<Row>,
}

/// The runs on a program, by setting.
pub struct Row {
    pub instance: Instance,
    pub runs: Vec<Run>,
}

impl Results {
    /// A table for each category, in the order of the list, and one for all together.
    pub fn tables(&self) -> Vec<(String, Table)> {
        let mut categories: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !categories.contains(&&*row.instance.category) {
                categories.push(&row.instance.category);
            }
        }
        let some = categories.into_iter().map(|category| {
            let rows: Vec<&Row> =
                self.rows.iter().filter(|row| row.instance.category == category).collect();
            (title(category, &rows), self.table(&rows))
        });
        let all: Vec<&Row> = self.rows.iter().collect();
        let all = (title("all", &all), self.table(&all));
        some.chain([all]).collect()
    }

    fn table(&self, rows: &[&Row]) -> Table {
        let mut table = Table::new([
            "setting",
            "solved",
            "safe",
            "unsafe",
            "time",
            "timeouts",
            "exceptions",
            "unknown",
        ]);
        for (number, setting) in self.settings.iter().enumerate() {
            let runs = || rows.iter().map(|row| (row, &row.runs[number]));
            let solved = || runs().filter(|(row, run)| row.is_right(run)).map(|(_, run)| run);
            let count = |outcome| runs().filter(|(_, run)| run.outcome == outcome).count();
            let with =
                |verdict| solved().filter(|run| run.outcome == Outcome::Decided(verdict)).count();
            let seconds = solved().fold(0.0, |sum, run| sum + run.seconds);
            let mut cells = vec![Cell::new(setting.name), Cell::new(solved().count().to_string())];
            cells.extend(Verdict::ALL.map(|verdict| Cell::new(with(verdict).to_string())));
            cells.push(Cell::new(format!("{seconds:.1}")));
            let others = [Outcome::TooLong, Outcome::Failed, Outcome::Unknown];
            cells.extend(others.map(|outcome| Cell::new(count(outcome).to_string())));
            table.rows.push(cells);
        }
        table
    }

    /// Verdicts that are not what is known, or not what another setting says.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for row in &self.rows {
            let path = &row.instance.path;
            let verdicts = || {
                let runs = self.settings.iter().zip(&row.runs);
                runs.filter_map(|(setting, run)| Some((setting.name, run.outcome.verdict()?)))
            };
            if let Some(expected) = row.instance.expected {
                let expected = expected.word();
                let wrong = verdicts().filter(|(_, verdict)| verdict.word() != expected);
                faults.extend(wrong.map(|(name, verdict)| {
                    format!("{path}: {name} says {}, expected is {expected}", verdict.word())
                }));
            } else if let Some((first, verdict)) = verdicts().next() {
                let others = verdicts().filter(|(_, other)| *other != verdict);
                faults.extend(others.map(|(name, other)| {
                    let (verdict, other) = (verdict.word(), other.word());
                    format!("{path}: {first} says {verdict}, {name} says {other}")
                }));
            }
        }
        faults
    }
}

fn title(category: &str, rows: &[&Row]) -> String {
    match rows.len() {
        1 => format!("{category}: 1 program"),
        count => format!("{category}: {count} programs"),
    }
}

impl Row {
    /// Is it a verdict that nobody contradicts?
    fn is_right(&self, run: &Run) -> bool {
        let (verdict, expected) = (run.outcome.verdict(), self.instance.expected);
        verdict.is_some() && (expected.is_none() || verdict == expected)
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::{Group, of_groups};
    use super::*;

    fn row(category: &str, expected: Option<Verdict>, outcomes: [Outcome; 2]) -> Row {
        let path = format!("{category}/p");
        let instance =
            Instance { file: path.clone().into(), path, category: category.into(), expected };
        Row { instance, runs: outcomes.map(|outcome| Run::new(outcome, 1.5, "")).to_vec() }
    }

    #[test]
    fn tables_count_by_category() {
        let (safe, bad) = (Outcome::Decided(Verdict::Safe), Outcome::Decided(Verdict::Unsafe));
        let rows = vec![
            row("a", Some(Verdict::Safe), [safe, Outcome::TooLong]),
            row("b", Some(Verdict::Unsafe), [bad, Outcome::Failed]),
            row("b", None, [Outcome::Unknown, safe]),
        ];
        let settings = of_groups(&[Group::Spacer]);
        let results = Results { limit: 9, settings, rows };
        let tables = results.tables();
        let titles: Vec<&str> = tables.iter().map(|(title, _)| &title[..]).collect();
        assert_eq!(titles, ["a: 1 program", "b: 2 programs", "all: 3 programs"]);
        let texts = |row: &[Cell]| row.iter().map(|cell| cell.text.clone()).collect::<Vec<_>>();
        let all = &tables[2].1.rows;
        assert_eq!(texts(&all[0]), ["spacer", "2", "1", "1", "3.0", "0", "0", "1"]);
        assert_eq!(texts(&all[1]), ["spacer global", "1", "1", "0", "1.5", "1", "1", "0"]);
        assert!(results.faults().is_empty());
    }

    #[test]
    fn contradictions_are_faults() {
        let (safe, bad) = (Outcome::Decided(Verdict::Safe), Outcome::Decided(Verdict::Unsafe));
        let rows = vec![row("a", Some(Verdict::Safe), [bad, safe]), row("b", None, [safe, bad])];
        let settings = of_groups(&[Group::Spacer]);
        let results = Results { limit: 9, settings, rows };
        let expected = [
            "a/p: spacer says unsafe, expected is safe",
            "b/p: spacer says safe, spacer global says unsafe",
        ];
        assert_eq!(results.faults(), expected);
    }
}
