//! Figure 6 of the paper: the number of solved models by the probability of Boolean cubes.
//! The engine's own choice, which it learns from the model, is not in the paper.

use super::Results;
use super::settings::{Setting, Simulation, Words};
use crate::harness::report::{Plot, Section};
use crate::harness::results::Group;
use crate::harness::table::Table;
use crate::plot::lines::{Line, Lines, Point};

/// The settings of a probability, or of the engine's choice: one for each seed.
fn seeds(probability: Option<f64>, seeds: u32) -> impl Iterator<Item = Setting> {
    let simulation = Simulation::Product;
    (0..seeds).map(move |seed| Setting::Words(Words { probability, simulation, seed }))
}

/// All probabilities, and the engine's own choice, with so many seeds.
pub fn settings(probabilities: &[f64], count: u32) -> Vec<Setting> {
    choices(probabilities).flat_map(|choice| seeds(choice, count)).collect()
}

/// The probabilities, then the engine's own choice.
fn choices(probabilities: &[f64]) -> impl Iterator<Item = Option<f64>> {
    probabilities.iter().map(|&probability| Some(probability)).chain([None])
}

/// The figure.
pub fn section(results: &Results, probabilities: &[f64], count: u32) -> Section {
    let groups = results.groups();
    let plot = |group: &Group| {
        let svg = plot(results, group, probabilities, count)?;
        Some(Plot { caption: group.name().to_owned(), svg })
    };
    Section {
        title: format!(
            "Figure 6: solved of {} models, by the probability c of a cube",
            results.rows.len()
        ),
        notes: vec![format!(
            "Means over the seeds ({count}), with the least and the most where they differ; \
             `learnt` is the engine's own choice."
        )],
        table: Some(table(results, &groups, probabilities, count)),
        plots: groups.iter().filter_map(plot).collect(),
        ..Section::default()
    }
}

fn table(results: &Results, groups: &[Group], probabilities: &[f64], count: u32) -> Table {
    let names = groups.iter().map(|group| group.name().to_owned());
    let mut table =
        Table { head: ["c".to_owned()].into_iter().chain(names).collect(), rows: Vec::new() };
    for choice in choices(probabilities) {
        let name = choice.map_or("learnt".to_owned(), |probability| probability.to_string());
        let cells = groups.iter().map(|group| Spread::new(results, group, choice, count).text());
        table.push([name].into_iter().chain(cells));
    }
    table
}

fn plot(results: &Results, group: &Group, probabilities: &[f64], count: u32) -> Option<String> {
    let point = |across: f64, choice: Option<f64>| {
        let Spread { mean, least, most } = Spread::new(results, group, choice, count);
        Point { across, value: mean, least, most }
    };
    let fixed = probabilities.iter().map(|&c| point(c, Some(c))).collect();
    let learnt = [0.0, 1.0].map(|across| point(across, None)).to_vec();
    let lines =
        vec![Line { name: "fixed", points: fixed }, Line { name: "learnt", points: learnt }];
    let marks = (0..=5).map(|fifth| f64::from(fifth) / 5.0).map(|c| (c, c.to_string())).collect();
    Lines::of_counts(("c", marks), "solved", false, lines).svg()
}

/// The number of solved models over all seeds.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Spread {
    mean: f64,
    least: f64,
    most: f64,
}

impl Spread {
    fn new(results: &Results, group: &Group, choice: Option<f64>, count: u32) -> Self {
        let solved = seeds(choice, count)
            .map(|setting| results.solved(group, results.index(&setting)) as f64);
        Spread::of(&solved.collect::<Vec<_>>())
    }

    fn of(counts: &[f64]) -> Self {
        Spread {
            mean: counts.iter().sum::<f64>() / counts.len() as f64,
            least: counts.iter().copied().fold(f64::INFINITY, f64::min),
            most: counts.iter().copied().fold(0.0, f64::max),
        }
    }

    fn text(&self) -> String {
        let Spread { mean, least, most } = self;
        if least == most { format!("{mean}") } else { format!("{mean:.1} ({least}–{most})") }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{results, row};
    use super::*;
    use crate::harness::testing::run;

    #[test]
    fn seeds_are_counted_separately() {
        let settings = settings(&[0.0, 0.5], 2);
        assert_eq!(settings.len(), 6);
        // The second model is solved only with the second seed.
        let seeded = |index: usize| if index % 2 == 1 { run("safe", 1.0) } else { run("TO", 10.0) };
        let first = (0..6).map(|_| run("safe", 1.0)).collect();
        let second = (0..6).map(seeded).collect();
        let rows = vec![row("bits/a", first), row("linear/b", second)];
        let section = section(&results(rows, &settings), &[0.0, 0.5], 2);
        let expected = "\
c       bits     linear        all
0          1  0.5 (0–1)  1.5 (1–2)
0.5        1  0.5 (0–1)  1.5 (1–2)
learnt     1  0.5 (0–1)  1.5 (1–2)
";
        assert_eq!(section.table.unwrap().text(), expected);
        assert_eq!(section.plots.len(), 3);
    }
}
