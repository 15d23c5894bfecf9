//! Counts as lines over an axis, one line for each setting.

use std::fmt::Write;

use crate::experiment::page::escape;

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 44.0;
const TOP: f64 = 30.0;
const RIGHT: f64 = 16.0;
const BOTTOM: f64 = 40.0;
/// How much room a name of the key takes.
const KEY: f64 = 78.0;
/// More marks than these are too many.
const MARKS: f64 = 8.0;

/// The look of the pictures: lines are `line0` and so on.
pub const STYLE: &str = "\
:root{--line0:#1f6fb4;--line1:#c8601a;--line2:#3a8f4d;--line3:#8a5bb0}
@media(prefers-color-scheme:dark){:root{--line0:#5aa9e6;--line1:#e08a4a;--line2:#6cc182;\
--line3:#b694d8}}
svg .line{fill:none;stroke-width:2}
svg .band{fill-opacity:.15;stroke:none}
svg .line0{stroke:var(--line0)}
svg .line1{stroke:var(--line1)}
svg .line2{stroke:var(--line2)}
svg .line3{stroke:var(--line3)}
svg .band.line0{fill:var(--line0)}
svg .band.line1{fill:var(--line1)}
svg .band.line2{fill:var(--line2)}
svg .band.line3{fill:var(--line3)}
";

pub struct Lines<'a> {
    /// What is shown from left to right, and upwards.
    pub across: &'a str,
    pub up: &'a str,
    /// Shares of the axis across, from 0 to 1, with their labels.
    pub marks: Vec<(f64, String)>,
    /// Begin upwards with zero, not with the least value.
    pub from_zero: bool,
    /// At most as many as there are colours.
    pub lines: Vec<Line<'a>>,
}

pub struct Line<'a> {
    pub name: &'a str,
    pub points: Vec<Point>,
}

/// Values over a share of the axis: the one that is drawn, and those around it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    pub across: f64,
    pub value: f64,
    pub least: f64,
    pub most: f64,
}

impl Point {
    /// With nothing around it.
    pub fn new(across: f64, value: f64) -> Self {
        Point { across, value, least: value, most: value }
    }
}

impl Lines<'_> {
    /// The picture; none without points.
    pub fn svg(&self) -> Option<String> {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        points().next()?;
        let least = points().map(|point| point.least).fold(f64::INFINITY, f64::min);
        let most = points().map(|point| point.most).fold(0.0, f64::max);
        let scale = Scale::new(if self.from_zero { 0.0 } else { least }, most);
        let mut out = String::new();
        self.draw(&scale, &mut out).expect("strings do not fail");
        Some(out)
    }

    fn draw(&self, scale: &Scale, out: &mut String) -> std::fmt::Result {
        let (width, height) = (LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM);
        writeln!(
            out,
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\">"
        )?;
        self.frame(scale, out)?;
        for (index, line) in self.lines.iter().enumerate() {
            let (x, name) = (LEFT + KEY * index as f64, escape(line.name));
            writeln!(out, "<path class=\"line line{index}\" d=\"M{x} 12h14\"/>")?;
            writeln!(out, "<text x=\"{}\" y=\"16\">{name}</text>", x + 18.0)?;
            if !line.points.is_empty() {
                line.draw(index, scale, out)?;
            }
        }
        writeln!(out, "</svg>")
    }

    fn frame(&self, scale: &Scale, out: &mut String) -> std::fmt::Result {
        let (low, end) = (TOP + HEIGHT, LEFT + WIDTH);
        for (share, label) in &self.marks {
            let (x, below, label) = (across(*share), low + 15.0, escape(label));
            writeln!(out, "<path class=\"grid\" d=\"M{x:.1} {low}V{TOP}\"/>")?;
            writeln!(out, "<text class=\"middle\" x=\"{x:.1}\" y=\"{below}\">{label}</text>")?;
        }
        for value in scale.marks() {
            let (y, left) = (scale.place(value), LEFT - 6.0);
            writeln!(out, "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{end}\"/>")?;
            writeln!(out, "<text class=\"mark\" x=\"{left}\" y=\"{:.1}\">{value}</text>", y + 4.0)?;
        }
        let (middle, below, centre) = (LEFT + WIDTH / 2.0, low + 33.0, TOP + HEIGHT / 2.0);
        let (name, up) = (escape(self.across), escape(self.up));
        writeln!(out, "<text class=\"middle\" x=\"{middle}\" y=\"{below}\">{name}</text>")?;
        writeln!(
            out,
            "<text class=\"middle\" transform=\"translate(12 {centre}) rotate(-90)\">{up}</text>"
        )
    }
}

impl Line<'_> {
    fn draw(&self, index: usize, scale: &Scale, out: &mut String) -> std::fmt::Result {
        let path = |places: &mut dyn Iterator<Item = (f64, f64)>| {
            let places =
                places.map(|(x, value)| format!("{:.1} {:.1}", across(x), scale.place(value)));
            places.collect::<Vec<_>>().join("L")
        };
        if self.points.iter().any(|point| point.least < point.most) {
            let forth = self.points.iter().map(|point| (point.across, point.most));
            let back = self.points.iter().rev().map(|point| (point.across, point.least));
            let band = path(&mut forth.chain(back));
            writeln!(out, "<path class=\"band line{index}\" d=\"M{band}Z\"/>")?;
        }
        let line = path(&mut self.points.iter().map(|point| (point.across, point.value)));
        let name = escape(self.name);
        writeln!(out, "<path class=\"line line{index}\" d=\"M{line}\"><title>{name}</title></path>")
    }
}

fn across(share: f64) -> f64 {
    LEFT + share * WIDTH
}

/// Round numbers around the values.
struct Scale {
    first: f64,
    last: f64,
    step: f64,
}

impl Scale {
    fn new(least: f64, most: f64) -> Self {
        let powers = (0..).map(|power| 10f64.powi(power));
        let mut steps = powers.flat_map(|power| [power, 2.0 * power, 5.0 * power]);
        let wide_enough = |step: &f64| (most - least) / step <= MARKS;
        let step = steps.find(wide_enough).expect("steps grow without end");
        let first = (least / step).floor() * step;
        let last = ((most / step).ceil() * step).max(first + step);
        Scale { first, last, step }
    }

    fn place(&self, value: f64) -> f64 {
        TOP + HEIGHT * (self.last - value) / (self.last - self.first)
    }

    fn marks(&self) -> impl Iterator<Item = f64> {
        let count = ((self.last - self.first) / self.step).round() as usize;
        (0..=count).map(|index| self.first + self.step * index as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::page::tests::is_well_formed;

    fn lines(points: Vec<Point>) -> Lines<'static> {
        let marks = vec![(0.0, "0".to_owned()), (1.0, "1".to_owned())];
        let lines = vec![Line { name: "<a>", points }];
        Lines { across: "c", up: "solved", marks, from_zero: false, lines }
    }

    #[test]
    fn a_line_lies_in_its_band() {
        let first = Point { across: 0.0, value: 11.0, least: 10.0, most: 12.0 };
        let svg = lines(vec![first, Point::new(1.0, 14.0)]).svg().unwrap();
        is_well_formed(&svg).unwrap();
        // From 10 at the bottom, 250, to 14 at the top, 30.
        assert!(svg.contains("class=\"line line0\" d=\"M44.0 195.0L364.0 30.0\""), "{svg}");
        assert!(svg.contains("d=\"M44.0 140.0L364.0 30.0L364.0 30.0L44.0 250.0Z\""), "{svg}");
    }

    #[test]
    fn equal_values_and_none_are_drawn_too() {
        let svg = lines(vec![Point::new(0.5, 3.0)]).svg().unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("band"), "{svg}");
        assert_eq!(lines(vec![]).svg(), None);
    }

    #[test]
    fn marks_are_round_numbers() {
        let marks = |least, most| Scale::new(least, most).marks().collect::<Vec<_>>();
        assert_eq!(marks(3.0, 5.0), [3.0, 4.0, 5.0]);
        assert_eq!(marks(0.0, 83.0), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
    }
}
