//! Figure 1 of the paper: the times of two engines against each other, a point a model,
//! both axes logarithmic. What took too long lies on the border.

use std::fmt::Write;

use super::record::Verdict;
use super::results::{Results, Row};
use crate::axis::Axis;
use crate::experiment::page::escape;

const SIDE: f64 = 320.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 30.0;
const RIGHT: f64 = 16.0;
const BOTTOM: f64 = 40.0;
/// No run takes less than it takes to measure it.
const LEAST: f64 = 1e-3;

/// Two engines on the models that one of them solved.
pub struct Scatter<'a> {
    across: &'a str,
    up: &'a str,
    limit: f64,
    points: Vec<Point>,
}

struct Point {
    model: String,
    verdict: Verdict,
    /// Seconds; none if it was not solved.
    across: Option<f64>,
    up: Option<f64>,
}

impl<'a> Scatter<'a> {
    /// The last engine upwards, another one across.
    pub fn new(results: &'a Results, other: usize) -> Self {
        let subject = results.subject();
        let point = |row: &Row| {
            let verdict = row.solved(other).or(row.solved(subject))?;
            let seconds = |engine: usize| row.seconds(engine).map(|seconds| seconds.max(LEAST));
            let (across, up) = (seconds(other), seconds(subject));
            Some(Point { model: row.model.name(), verdict, across, up })
        };
        Scatter {
            across: &results.engines[other],
            up: &results.engines[subject],
            limit: f64::from(results.limit),
            points: results.rows.iter().filter_map(point).collect(),
        }
    }

    /// The picture; none without points.
    pub fn svg(&self) -> Option<String> {
        if self.points.is_empty() {
            return None;
        }
        let mut out = String::new();
        self.draw(&mut out).expect("strings do not fail");
        Some(out)
    }

    fn draw(&self, out: &mut String) -> std::fmt::Result {
        let (width, height) = (LEFT + SIDE + RIGHT, TOP + SIDE + BOTTOM);
        let times = || self.points.iter().flat_map(|point| [point.across, point.up]).flatten();
        let across = Axis::up_to(self.limit, times(), 10.0, LEFT, LEFT + SIDE);
        let up = Axis::up_to(self.limit, times(), 10.0, TOP + SIDE, TOP);
        writeln!(
            out,
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\">"
        )?;
        self.frame(&across, &up, out)?;
        for (index, verdict) in Verdict::ALL.into_iter().enumerate() {
            let (x, word) = (LEFT + 70.0 * index as f64, verdict.word());
            writeln!(out, "<circle class=\"{word}\" cx=\"{}\" cy=\"12\" r=\"4\"/>", x + 4.0)?;
            writeln!(out, "<text x=\"{}\" y=\"16\">{word}</text>", x + 13.0)?;
        }
        for point in &self.points {
            let place =
                |axis: &Axis, seconds: Option<f64>| axis.place(seconds.unwrap_or(self.limit));
            let (x, y) = (place(&across, point.across), place(&up, point.up));
            let class = point.verdict.word();
            writeln!(
                out,
                "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{}</title>\
                 </circle>",
                escape(&self.told(point))
            )?;
        }
        writeln!(out, "</svg>")
    }

    /// The border, where the limit is, the powers of ten, and the line of equal times.
    fn frame(&self, across: &Axis, up: &Axis, out: &mut String) -> std::fmt::Result {
        let (low, end) = (TOP + SIDE, LEFT + SIDE);
        for seconds in across.marks() {
            let (x, y) = (across.place(seconds), up.place(seconds));
            writeln!(out, "<path class=\"grid\" d=\"M{x:.1} {low}V{TOP}M{LEFT} {y:.1}H{end}\"/>")?;
            let (below, left) = (low + 15.0, LEFT - 6.0);
            let middle = y + 4.0;
            writeln!(
                out,
                "<text class=\"middle\" x=\"{x:.1}\" y=\"{below}\">{seconds} s</text>\
                 <text class=\"mark\" x=\"{left}\" y=\"{middle:.1}\">{seconds} s</text>"
            )?;
        }
        writeln!(out, "<path class=\"grid\" d=\"M{LEFT} {low}L{end} {TOP}\"/>")?;
        writeln!(out, "<path class=\"border\" d=\"M{LEFT} {TOP}H{end}V{low}\"/>")?;
        let (middle, below) = (LEFT + SIDE / 2.0, low + 33.0);
        let (name, centre) = (escape(self.across), TOP + SIDE / 2.0);
        writeln!(out, "<text class=\"middle\" x=\"{middle}\" y=\"{below}\">{name}</text>")?;
        let name = escape(self.up);
        writeln!(
            out,
            "<text class=\"middle\" transform=\"translate(12 {centre}) rotate(-90)\">{name}</text>"
        )
    }

    fn told(&self, point: &Point) -> String {
        let seconds = |seconds: Option<f64>| seconds.map_or("TO".into(), |s| format!("{s:.2} s"));
        let (across, up) = (seconds(point.across), seconds(point.up));
        format!("{}: {} {across}, {} {up}", point.model, self.across, self.up)
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;
    use super::*;
    use crate::experiment::page::tests::is_well_formed;

    #[test]
    fn time_outs_lie_on_the_border() {
        let results = results();
        let svg = Scatter::new(&results, 1).svg().unwrap();
        is_well_formed(&svg).unwrap();
        // 1 s in the lower left corner, the limit of 10 s in the upper right one.
        assert!(
            svg.contains("cx=\"376.0\" cy=\"61.0\" r=\"4\"><title>only&lt;avy: pdr TO, avy 8.00 s"),
            "{svg}"
        );
        assert!(svg.contains("class=\"unsafe\" cx=\"208.7\" cy=\"30.0\""), "{svg}");
        assert_eq!(svg.matches("<title>").count(), 3, "what neither solves is not drawn");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn without_points_there_is_no_picture() {
        let mut results = results();
        results.rows.clear();
        assert_eq!(Scatter::new(&results, 0).svg(), None);
    }
}
