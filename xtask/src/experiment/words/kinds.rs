//! Figure 8 of the paper: what each simulation makes of the whole engine, with cubes and
//! polytopes equally likely.

use super::lines::{Line, Lines, Point};
use super::results::{Part, Results};
use super::section::{Plot, Section};
use super::settings::{EVEN, Setting, Simulation, Words};
use crate::experiment::scatter::times::Times;
use crate::experiment::table::{Cell, Table};

pub fn settings() -> Vec<Setting> {
    Simulation::ALL.map(setting).to_vec()
}

fn setting(simulation: Simulation) -> Setting {
    Setting::Words(Words { probability: Some(EVEN), simulation, seed: 0 })
}

pub fn section(results: &Results) -> Section {
    let parts = results.parts();
    let plots = parts.iter().filter_map(|part| {
        Some(Plot { caption: part.name().to_owned(), svg: plot(results, part)? })
    });
    let models = results.rows.len();
    Section {
        title: format!("Figure 8: solved of {models} models, by simulation, at c = 0.5"),
        notes: vec![
            "PAR-2: seconds for all models in sum, where what is not solved counts twice the limit."
                .into(),
        ],
        table: table(results, &parts),
        plots: plots.collect(),
    }
}

fn table(results: &Results, parts: &[Part]) -> Table {
    let mut head = vec!["simulation".to_owned()];
    head.extend(parts.iter().map(|part| part.name().to_owned()));
    head.push("PAR-2 [s]".to_owned());
    let line = |simulation: Simulation| {
        let solved = |part: &Part| results.solved(part, setting(simulation)).to_string();
        let mut cells = vec![Cell::new(simulation.name())];
        cells.extend(parts.iter().map(|part| Cell::new(solved(part))));
        cells.push(Cell::new(format!("{:.0}", par2(results, setting(simulation)))));
        cells
    };
    Table { head, rows: Simulation::ALL.map(line).to_vec() }
}

fn par2(results: &Results, setting: Setting) -> f64 {
    let penalty = 2.0 * f64::from(results.limit);
    results.rows.iter().map(|row| row.seconds(setting).unwrap_or(penalty)).sum()
}

/// How many models are solved within how many seconds.
fn plot(results: &Results, part: &Part) -> Option<String> {
    let all = settings().into_iter().flat_map(|setting| results.times(part, setting));
    let times = Times::new(results.limit, all);
    let line = |simulation: Simulation| Line {
        name: simulation.name(),
        points: steps(results.times(part, setting(simulation)), &times),
    };
    let lines = Simulation::ALL.map(line).into();
    Lines { across: "processor time", up: "solved", marks: times.marks(), from_zero: true, lines }
        .svg()
}

/// A line that rises by one at each time, and ends at the limit.
fn steps(mut seconds: Vec<f64>, times: &Times) -> Vec<Point> {
    seconds.sort_by(f64::total_cmp);
    let mut points = vec![Point::new(0.0, 0.0)];
    for (before, &seconds) in seconds.iter().enumerate() {
        let across = times.share(Some(seconds));
        points.extend([before, before + 1].map(|count| Point::new(across, count as f64)));
    }
    points.push(Point::new(1.0, seconds.len() as f64));
    points
}

#[cfg(test)]
mod tests {
    use super::super::record::Run;
    use super::super::record::tests::decided;
    use super::super::results::tests::{even, results, row};
    use super::*;
    use crate::experiment::outcome::{Outcome, Verdict};

    #[test]
    fn simulations_are_compared_by_part_and_penalty() {
        let settings = settings();
        let runs = |solved: usize| -> Vec<(Setting, Run)> {
            let run = |(index, &setting)| {
                let too_long = Run::new(Outcome::TooLong, 10.0);
                let run = if index >= solved { decided(Verdict::Safe, 1.0) } else { too_long };
                (setting, run)
            };
            settings.iter().enumerate().map(run).collect()
        };
        let rows = vec![row("bits/a", &runs(1)), row("linear/b", &runs(2))];
        let section = section(&results(rows, &settings));
        let expected = "\
simulation  bits  linear  all  PAR-2 [s]
ternary        0       0    0         40
interval       1       0    1         21
hybrid         1       1    2          2
product        1       1    2          2
";
        assert_eq!(section.table.text(), expected);
        assert_eq!((settings[2], section.plots.len()), (even(Simulation::Hybrid), 3));
    }

    #[test]
    fn a_line_rises_at_each_time() {
        let times = Times::new(10, [0.1].into_iter());
        let points = steps(vec![1.0], &times);
        let expected = [(0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (1.0, 1.0)];
        assert_eq!(points, expected.map(|(across, value)| Point::new(across, value)));
    }
}
