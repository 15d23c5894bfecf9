//! Figure 6 of the paper: how many models are solved, by the probability of Boolean cubes.
//! The engine's own choice, which it learns from the model, is not in the paper.

use super::lines::{Line, Lines, Point};
use super::results::{Part, Results};
use super::section::{Plot, Section};
use super::settings::{Setting, Simulation, Words};
use crate::experiment::table::{Cell, Table};

/// The runs of a probability, or of the engine's choice: one for each seed.
fn seeds(probability: Option<f64>, seeds: u32) -> impl Iterator<Item = Setting> {
    let simulation = Simulation::Product;
    (0..seeds).map(move |seed| Setting::Words(Words { probability, simulation, seed }))
}

pub fn settings(probabilities: &[f64], count: u32) -> Vec<Setting> {
    choices(probabilities).flat_map(|choice| seeds(choice, count)).collect()
}

/// The probabilities, then the engine's own choice.
fn choices(probabilities: &[f64]) -> impl Iterator<Item = Option<f64>> {
    probabilities.iter().map(|&probability| Some(probability)).chain([None])
}

pub fn section(results: &Results, probabilities: &[f64], count: u32) -> Section {
    let models = results.rows.len();
    Section {
        title: format!("Figure 6: solved of {models} models, by the probability c of a cube"),
        notes: vec![format!(
            "Means over the seeds ({count}), with the least and the most where they differ; \
             `learnt` is the engine's own choice."
        )],
        table: table(results, probabilities, count),
        plots: results
            .parts()
            .iter()
            .filter_map(|part| {
                let svg = plot(results, part, probabilities, count)?;
                Some(Plot { caption: part.name().to_owned(), svg })
            })
            .collect(),
    }
}

fn table(results: &Results, probabilities: &[f64], count: u32) -> Table {
    let parts = results.parts();
    let mut head = vec!["c".to_owned()];
    head.extend(parts.iter().map(|part| part.name().to_owned()));
    let line = |choice: Option<f64>| {
        let name = choice.map_or("learnt".to_owned(), |probability| probability.to_string());
        let cells =
            parts.iter().map(|part| Cell::new(Spread::new(results, part, choice, count).text()));
        [Cell::new(name)].into_iter().chain(cells).collect()
    };
    Table { head, rows: choices(probabilities).map(line).collect() }
}

fn plot(results: &Results, part: &Part, probabilities: &[f64], count: u32) -> Option<String> {
    let point = |across: f64, choice: Option<f64>| {
        let Spread { mean, least, most } = Spread::new(results, part, choice, count);
        Point { across, value: mean, least, most }
    };
    let fixed = probabilities.iter().map(|&c| point(c, Some(c))).collect();
    let learnt = [0.0, 1.0].map(|across| point(across, None)).to_vec();
    let lines =
        vec![Line { name: "fixed", points: fixed }, Line { name: "learnt", points: learnt }];
    let marks = (0..=5).map(|fifth| f64::from(fifth) / 5.0).map(|c| (c, c.to_string())).collect();
    Lines { across: "c", up: "solved", marks, from_zero: false, lines }.svg()
}

/// How many models are solved, over all seeds.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Spread {
    mean: f64,
    least: f64,
    most: f64,
}

impl Spread {
    fn new(results: &Results, part: &Part, choice: Option<f64>, count: u32) -> Self {
        let solved = seeds(choice, count).map(|setting| results.solved(part, setting) as f64);
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
    use super::super::record::Run;
    use super::super::record::tests::decided;
    use super::super::results::tests::{results, row};
    use super::*;
    use crate::experiment::outcome::{Outcome, Verdict};

    #[test]
    fn seeds_are_counted_apart() {
        let settings = settings(&[0.0, 0.5], 2);
        assert_eq!(settings.len(), 6);
        let solved = decided(Verdict::Safe, 1.0);
        let too_long = Run::new(Outcome::TooLong, 10.0);
        // The second model is solved with the second seed only.
        let seeded = |seed: usize| if seed == 1 { &solved } else { &too_long };
        let first: Vec<_> = settings.iter().map(|&setting| (setting, solved.clone())).collect();
        let second: Vec<_> = settings
            .iter()
            .enumerate()
            .map(|(index, &setting)| (setting, seeded(index % 2).clone()))
            .collect();
        let rows = vec![row("bits/a", &first), row("linear/b", &second)];
        let section = section(&results(rows, &settings), &[0.0, 0.5], 2);
        let expected = "\
c       bits     linear        all
0          1  0.5 (0–1)  1.5 (1–2)
0.5        1  0.5 (0–1)  1.5 (1–2)
learnt     1  0.5 (0–1)  1.5 (1–2)
";
        assert_eq!(section.table.text(), expected);
        assert_eq!(section.plots.len(), 3);
    }
}
