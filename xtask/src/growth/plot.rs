//! A page with one plot for each family: size against seconds, both logarithmic, so
//! that polynomials are lines and their degrees are slopes. Nothing is loaded from
//! elsewhere.

use std::fmt::Write;

use super::Table;
use crate::axis::Axis;

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 56.0;
const BOTTOM: f64 = 40.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 28.0;

const COLOURS: [&str; 2] = ["#1f6fb4", "#c8601a"];

const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
<title>Growth of proofs with size</title>\n\
<style>body{font:15px sans-serif;margin:2em;max-width:60em}svg{margin:0 1em 1em 0}\
text{font:12px sans-serif}</style>\n<h1>Growth of proofs with size</h1>\n\
<p>Processor seconds over size, both logarithmic: a line is a polynomial, its slope \
the degree. The grey line has slope 1.</p>\n";

/// The whole page.
pub fn page(tables: &[Table]) -> String {
    let mut page = HEAD.to_owned();
    for table in tables {
        let points = Points::new(table);
        if !points.all().is_empty() {
            draw(&points, &mut page).expect("strings do not fail");
        }
    }
    page += "</html>\n";
    page
}

/// What is drawn: by solver, sizes and seconds.
struct Points<'a> {
    family: &'a str,
    lines: Vec<(&'a str, Vec<(f64, f64)>)>,
}

impl<'a> Points<'a> {
    fn new(table: &'a Table) -> Self {
        let line = |(index, &solver): (usize, &'a &'static str)| {
            let point = |row: &super::Row| {
                row.seconds(index).map(|seconds| (f64::from(row.size), seconds.max(1e-3)))
            };
            (solver, table.rows.iter().filter_map(point).collect())
        };
        let lines = table.solvers.iter().enumerate().map(line).collect();
        Points { family: table.family, lines }
    }

    fn all(&self) -> Vec<(f64, f64)> {
        self.lines.iter().flat_map(|(_, points)| points.iter().copied()).collect()
    }
}

fn draw(points: &Points, out: &mut String) -> std::fmt::Result {
    let all = points.all();
    let sizes = Axis::new(all.iter().map(|p| p.0), 2.0, LEFT, WIDTH - RIGHT);
    let seconds = Axis::new(all.iter().map(|p| p.1), 10.0, HEIGHT - BOTTOM, TOP);
    writeln!(out, "<svg width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">")?;
    writeln!(out, "<text x=\"{LEFT}\" y=\"16\" font-weight=\"bold\">{}</text>", points.family)?;
    grid(&sizes, &seconds, out)?;
    slope(&sizes, &seconds, all[0], out)?;
    for (index, (solver, line)) in points.lines.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let places: Vec<(f64, f64)> =
            line.iter().map(|&(size, time)| (sizes.place(size), seconds.place(time))).collect();
        write!(out, "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"")?;
        for (x, y) in &places {
            write!(out, "{x:.1},{y:.1} ")?;
        }
        writeln!(out, "\"/>")?;
        for (x, y) in &places {
            writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>")?;
        }
        let (x, y) = (LEFT + 8.0, TOP + 14.0 * (index as f64 + 1.0));
        writeln!(out, "<text x=\"{x}\" y=\"{y}\" fill=\"{colour}\">{solver}</text>")?;
    }
    writeln!(out, "</svg>")
}

fn grid(sizes: &Axis, seconds: &Axis, out: &mut String) -> std::fmt::Result {
    let (low, high) = (HEIGHT - BOTTOM, TOP);
    for size in sizes.marks() {
        let x = sizes.place(size);
        writeln!(out, "<path d=\"M{x:.1} {low}V{high}\" stroke=\"#ddd\"/>")?;
        let y = low + 15.0;
        writeln!(out, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{size}</text>")?;
    }
    for time in seconds.marks() {
        let y = seconds.place(time);
        let end = WIDTH - RIGHT;
        writeln!(out, "<path d=\"M{LEFT} {y:.1}H{end}\" stroke=\"#ddd\"/>")?;
        let (x, y) = (LEFT - 6.0, y + 4.0);
        writeln!(out, "<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{time} s</text>")?;
    }
    let (x, y) = ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6.0);
    writeln!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">size</text>")
}

/// A line of slope one from the first point, within the picture.
fn slope(sizes: &Axis, seconds: &Axis, start: (f64, f64), out: &mut String) -> std::fmt::Result {
    let factor = (sizes.most() / start.0).min(seconds.most() / start.1);
    let from = (sizes.place(start.0), seconds.place(start.1));
    let to = (sizes.place(start.0 * factor), seconds.place(start.1 * factor));
    writeln!(
        out,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#999\" stroke-dasharray=\"4 3\"/>",
        from.0, from.1, to.0, to.1
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{Measured, Row};
    use super::*;

    #[test]
    fn a_page_has_a_plot_for_each_family_and_loads_nothing() {
        let run = |ms| vec![Some(Measured::Proved(Duration::from_millis(ms)))];
        let rows = vec![Row { size: 4, runs: run(10) }, Row { size: 8, runs: run(100) }];
        let table = Table { family: "ring", solvers: vec!["elinvar"], rows };
        let page = page(&[table]);
        assert_eq!(page.matches("<svg").count(), 1);
        // The corners of the picture: 0.01 s at size 4, 0.1 s at size 8.
        assert!(page.contains("points=\"56.0,280.0 408.0,28.0 \""), "{page}");
        assert!(!page.contains("http") && !page.contains("NaN") && !page.contains("inf"));
    }

    #[test]
    fn nothing_measured_is_nothing_drawn() {
        let rows = vec![Row { size: 4, runs: vec![Some(Measured::TooLong)] }];
        let table = Table { family: "ring", solvers: vec!["elinvar"], rows };
        assert!(!page(&[table]).contains("<svg"));
    }
}
