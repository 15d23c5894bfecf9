//! A page with one plot for each family: size against seconds, both logarithmic, so that
//! polynomials are lines and their degrees are slopes.

use experiments::harness::report::{Plot, Report, Section};
use experiments::plot::axis::Axis;
use experiments::plot::lines::{Line, Lines, Point};

use super::{FamilyTable, Row};

/// The whole page.
pub fn page(tables: &[FamilyTable]) -> String {
    let section = |table: &FamilyTable| {
        let plot = Plot { caption: String::new(), svg: plot(table)? };
        let title = table.family.to_owned();
        Some(Section { title, plots: vec![plot], ..Section::default() })
    };
    let introduction = "Processor seconds over size, both logarithmic: a polynomial is a line, \
                        and its degree is the slope. The dashed line has slope 1.";
    let report = Report {
        title: "Growth of proofs with size",
        introduction: introduction.into(),
        sections: tables.iter().filter_map(section).collect(),
        faults: None,
    };
    report.html()
}

/// The times of a family; none if nothing was proved.
fn plot(table: &FamilyTable) -> Option<String> {
    let points = |solver: usize| {
        let point = |row: &Row| Some((f64::from(row.size), row.seconds(solver)?.max(1e-3)));
        table.rows.iter().filter_map(point).collect::<Vec<(f64, f64)>>()
    };
    let all: Vec<(f64, f64)> = (0..table.solvers.len()).flat_map(points).collect();
    let &start = all.first()?;
    let sizes = Axis::new(all.iter().map(|point| point.0), 2.0);
    let seconds = Axis::new(all.iter().map(|point| point.1), 10.0);
    let place = |(size, time): (f64, f64)| (sizes.share(size), seconds.share(time));
    let line = |(index, &name): (usize, &&'static str)| {
        let places = points(index).into_iter().map(place);
        Line { name, points: places.map(|(across, up)| Point::new(across, up)).collect() }
    };
    // The guide of slope 1 ends at the border.
    let factor = (sizes.most() / start.0).min(seconds.most() / start.1);
    Lines {
        across: ("size", sizes.marks("")),
        up: ("time", seconds.marks(" s")),
        lines: table.solvers.iter().enumerate().map(line).collect(),
        dots: true,
        guide: Some([place(start), place((start.0 * factor, start.1 * factor))]),
    }
    .svg()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::Measured;
    use super::*;

    #[test]
    fn a_page_has_a_plot_for_each_family_and_loads_nothing() {
        let run = |ms| vec![Some(Measured::Proved(Duration::from_millis(ms)))];
        let rows = vec![Row { size: 4, runs: run(10) }, Row { size: 8, runs: run(100) }];
        let page = page(&[FamilyTable { family: "ring", solvers: vec!["elinvar"], rows }]);
        assert_eq!(page.matches("<svg").count(), 1);
        // The corners of the picture: 0.01 s at size 4, 0.1 s at size 8.
        assert!(page.contains("d=\"M56.0 250.0L376.0 30.0\""), "{page}");
        assert!(!page.contains("http") && !page.contains("NaN") && !page.contains("inf"));
    }

    #[test]
    fn a_family_without_proofs_is_not_drawn() {
        let rows = vec![Row { size: 4, runs: vec![Some(Measured::TooLong)] }];
        let table = FamilyTable { family: "ring", solvers: vec!["elinvar"], rows };
        assert!(!page(&[table]).contains("<svg"));
    }
}
