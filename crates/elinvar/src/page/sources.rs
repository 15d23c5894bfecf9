//! The source lines of a page: whole files if they are small, otherwise the lines around the
//! places that the page names.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use super::escape::cost;
use crate::problem::Problem;

/// Bytes of all sources.
const BUDGET: usize = 600_000;
/// Bytes of a file that is there as a whole.
const WHOLE: usize = 150_000;
/// Lines around a place, before and after it.
const AROUND: usize = 12;

/// The places that a page names, by file.
#[derive(Default)]
pub(super) struct Sources(BTreeMap<String, BTreeSet<usize>>);

impl Sources {
    /// Notes that the page names a line, from 1.
    pub fn add(&mut self, file: &str, line: usize) {
        self.0.entry(file.to_owned()).or_default().insert(line);
    }

    /// The texts: for each file `{ name, lines, parts }`, where a part is the number of its first
    /// line and its text.
    pub fn into_json(self, problem: &Problem) -> Json {
        let mut left = BUDGET;
        let files = self.0.into_iter().filter_map(|(file, places)| {
            let text = text(problem, &file)?;
            let lines: Vec<&str> = text.lines().collect();
            let parts: Vec<Json> = (parts(&lines, &places, left).into_iter())
                .map(|(first, last)| {
                    let part = lines[first - 1..last].join("\n");
                    left = left.saturating_sub(cost(&part));
                    json!([first, part])
                })
                .collect();
            Some(json!({ "name": file, "lines": lines.len(), "parts": parts }))
        });
        files.collect()
    }
}

/// The first and the last lines of the parts to show.
fn parts(lines: &[&str], places: &BTreeSet<usize>, budget: usize) -> Vec<(usize, usize)> {
    let size = |first: usize, last: usize| -> usize {
        lines[first - 1..last].iter().map(|line| cost(line) + 2).sum()
    };
    if lines.is_empty() {
        return Vec::new();
    }
    if size(1, lines.len()) <= WHOLE.min(budget) {
        return vec![(1, lines.len())];
    }
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let mut spent = 0;
    for &place in places.iter().filter(|&&place| place <= lines.len()) {
        let (first, last) =
            (place.saturating_sub(AROUND).max(1), (place + AROUND).min(lines.len()));
        let start = parts.last().map_or(first, |&(_, end)| first.max(end + 1));
        if start > last {
            continue;
        }
        spent += size(start, last);
        if spent > budget {
            break;
        }
        match parts.last_mut() {
            Some(part) if part.1 + 1 >= start => part.1 = last,
            Some(_) | None => parts.push((start, last)),
        }
    }
    parts
}

/// The text of a file of the problem, if it is at hand.
fn text(problem: &Problem, file: &str) -> Option<String> {
    let bytes = match problem {
        Problem::Program(program) => {
            let source = program.source();
            (source.name() == file).then(|| source.bytes().to_owned())?
        }
        Problem::System(system) => system.elaboration()?.source(file)?.bytes().to_owned(),
    };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_files_are_there_as_a_whole() {
        assert_eq!(parts(&["a", "b"], &BTreeSet::from([1]), BUDGET), [(1, 2)]);
        assert!(parts(&[], &BTreeSet::from([1]), BUDGET).is_empty());
    }

    #[test]
    fn of_large_files_the_lines_around_places_are_there() {
        let line = "x".repeat(98);
        let lines = vec![&line[..]; 5000];
        let places = BTreeSet::from([1, 100, 110, 4999, 7000]);
        assert_eq!(parts(&lines, &places, BUDGET), [(1, 13), (88, 122), (4987, 5000)]);
        assert_eq!(parts(&lines, &places, 2000), [(1, 13)]);
    }
}
