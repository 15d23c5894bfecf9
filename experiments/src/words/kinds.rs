//! Figure 8 of the paper: what each simulation makes of the whole engine, with cubes and
//! polytopes equally likely.

use super::Results;
use super::settings::{EVEN, Setting, Simulation, Words};
use crate::harness::report::{Plot, Section};
use crate::harness::results::Group;
use crate::harness::table::Table;
use crate::plot::lines::{Line, Lines, Point};
use crate::plot::times::Times;

/// The engine with each simulation.
pub fn settings() -> Vec<Setting> {
    Simulation::ALL.map(setting).to_vec()
}

fn setting(simulation: Simulation) -> Setting {
    Setting::Words(Words { probability: Some(EVEN), simulation, seed: 0 })
}

/// The figure.
pub fn section(results: &Results) -> Section {
    let groups = results.groups();
    let plot =
        |group: &Group| Some(Plot { caption: group.name().to_owned(), svg: plot(results, group)? });
    let models = results.rows.len();
    Section {
        title: format!("Figure 8: solved of {models} models, by simulation, at c = 0.5"),
        notes: vec![
            "PAR-2: the sum of the seconds, where an unsolved model counts twice the limit.".into(),
        ],
        table: Some(table(results, &groups)),
        plots: groups.iter().filter_map(plot).collect(),
        ..Section::default()
    }
}

fn table(results: &Results, groups: &[Group]) -> Table {
    let mut head = vec!["simulation".to_owned()];
    head.extend(groups.iter().map(|group| group.name().to_owned()));
    head.push("PAR-2 [s]".to_owned());
    let mut table = Table { head, rows: Vec::new() };
    for simulation in Simulation::ALL {
        let index = results.index(&setting(simulation));
        let mut cells = vec![simulation.name().to_owned()];
        cells.extend(groups.iter().map(|group| results.solved(group, index).to_string()));
        cells.push(format!("{:.0}", results.par2(index)));
        table.push(cells);
    }
    table
}

/// The number of models solved within so many seconds.
fn plot(results: &Results, group: &Group) -> Option<String> {
    let seconds = |simulation| results.times(group, results.index(&setting(simulation)));
    let times = Times::new(results.limit, Simulation::ALL.into_iter().flat_map(seconds));
    let line = |simulation: Simulation| Line {
        name: simulation.name(),
        points: steps(seconds(simulation), &times),
    };
    let lines = Simulation::ALL.map(line).into();
    Lines::of_counts(("processor time", times.marks()), "solved", true, lines).svg()
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
    use super::super::tests::{results, row};
    use super::*;
    use crate::harness::testing::run;

    #[test]
    fn simulations_are_compared_by_group_and_penalty() {
        let runs = |unsolved: usize| {
            let run = |index| if index < unsolved { run("TO", 10.0) } else { run("safe", 1.0) };
            (0..4).map(run).collect()
        };
        let rows = vec![row("bits/a", runs(1)), row("linear/b", runs(2))];
        let section = section(&results(rows, &settings()));
        let expected = "\
simulation  bits  linear  all  PAR-2 [s]
ternary        0       0    0         40
interval       1       0    1         21
hybrid         1       1    2          2
product        1       1    2          2
";
        assert_eq!(section.table.unwrap().text(), expected);
        assert_eq!(section.plots.len(), 3);
    }

    #[test]
    fn a_line_rises_at_each_time() {
        let times = Times::new(10, [0.1].into_iter());
        let points = steps(vec![1.0], &times);
        let expected = [(0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (1.0, 1.0)];
        assert_eq!(points, expected.map(|(across, value)| Point::new(across, value)));
    }
}
