//! What changed since an earlier file of runs.

use super::board::{Board, Row, board, limits, quotient, ratio};
use super::record::Record;
use crate::harness::report::Section;
use crate::harness::statistics::geometric_mean;
use crate::harness::table::Table;

/// For each tool of both files: solved models and times then and now, on the models of both.
pub fn section(now: &[Record], then: &[Record]) -> Section {
    let limit = [now, then].map(|runs| limits(runs).into_iter().max().unwrap_or(1));
    let limit = limit[0].min(limit[1]);
    let (now, then) = (board(now, limit), board(then, limit));
    let mut table =
        Table::new(["tool", "models", "before", "now", "gained", "lost", "PAR-2", "time over 1 s"]);
    let mut changes = Table::new(["model", "tool", "before", "now"]);
    for (index, tool) in now.settings.iter().enumerate() {
        let Some(other) = then.settings.iter().position(|other| other.name == tool.name) else {
            continue;
        };
        let pairs = pairs(&now, index, &then, other);
        table.push(cells(&tool.name, &pairs, limit));
        for Pair { model, before, now } in pairs {
            if before.is_some() != now.is_some() {
                let cell = |time: Option<f64>| time.map_or("-".into(), |time| format!("{time:.2}"));
                changes.push([model.to_owned(), tool.name.clone(), cell(before), cell(now)]);
            }
        }
    }
    let details = Section {
        title: "Models that are solved in one of the files only".into(),
        table: Some(changes),
        ..Section::default()
    };
    Section {
        title: format!("Compared with the earlier runs, within {limit} s"),
        introduction: Some("PAR-2 and time are quotients of now and before.".into()),
        table: Some(table),
        details: vec![details],
        ..Section::default()
    }
}

/// The times of a tool on a model in both files; none where it is not solved.
struct Pair<'a> {
    model: &'a str,
    before: Option<f64>,
    now: Option<f64>,
}

fn pairs<'a>(now: &'a Board, tool: usize, then: &Board, before: usize) -> Vec<Pair<'a>> {
    let pair = |row: &'a Row| {
        row.runs[tool].as_ref()?;
        let same = |other: &&Row| other.instance.path == row.instance.path;
        let other = then.rows.iter().find(same).filter(|other| other.runs[before].is_some())?;
        let model = &row.instance.path[..];
        Some(Pair { model, before: other.seconds(before), now: row.seconds(tool) })
    };
    now.rows.iter().filter_map(pair).collect()
}

fn cells(tool: &str, pairs: &[Pair], limit: u32) -> [String; 8] {
    let count = |is: fn(&Pair) -> bool| pairs.iter().filter(|pair| is(pair)).count().to_string();
    let penalty = 2.0 * f64::from(limit);
    let sum = |time: fn(&Pair) -> Option<f64>| {
        pairs.iter().map(|pair| time(pair).unwrap_or(penalty)).sum::<f64>()
    };
    let quotients = pairs.iter().filter_map(|pair| quotient(pair.now?, pair.before?));
    [
        tool.to_owned(),
        pairs.len().to_string(),
        count(|pair| pair.before.is_some()),
        count(|pair| pair.now.is_some()),
        count(|pair| pair.now.is_some() && pair.before.is_none()),
        count(|pair| pair.now.is_none() && pair.before.is_some()),
        ratio(Some(sum(|pair| pair.now) / sum(|pair| pair.before))),
        ratio(geometric_mean(quotients)),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::*;

    #[test]
    fn gains_and_losses_are_counted_on_common_models() {
        let then = [
            record("pdr", "a", 0, "safe", 4.0),
            record("pdr", "b", 0, "TO", 10.1),
            record("pdr", "c", 0, "safe", 1.0),
            record("avy", "a", 0, "safe", 1.0),
        ];
        let now = [
            record("pdr", "a", 0, "safe", 2.0),
            record("pdr", "b", 0, "safe", 5.0),
            record("pdr", "c", 0, "TO", 10.1),
            record("pdr", "d", 0, "safe", 1.0),
            record("itp", "a", 0, "safe", 1.0),
        ];
        let section = section(&now, &then);
        let text = section.table.unwrap().text();
        let expected = "\
tool  models  before  now  gained  lost  PAR-2  time over 1 s
pdr        3       2    2       1     1   1.08           0.50
";
        assert_eq!(text, expected);
        let changes = section.details[0].table.as_ref().unwrap().text();
        assert!(changes.contains("b       pdr       -  5.00\n"), "{changes}");
        assert!(changes.contains("c       pdr    1.00     -\n"), "{changes}");
    }
}
