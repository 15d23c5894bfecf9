//! Two values against each other, a point for each pair, both axes with the same scale.

use std::fmt::Write;

use super::page::escape;

const SIDE: f64 = 320.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 30.0;
const RIGHT: f64 = 16.0;
const BOTTOM: f64 = 40.0;
/// How much room a word of the key takes.
const KEY: f64 = 70.0;

/// The look of the pictures, without the colours of the points.
pub const STYLE: &str = "\
svg{margin:0 1em 1em 0}
svg .middle{text-anchor:middle}
svg .border{stroke:currentColor;fill:none}
";

pub struct Scatter<'a> {
    /// What is shown from left to right, and upwards.
    pub across: &'a str,
    pub up: &'a str,
    /// Shares of the scale, from 0 to 1, with their labels.
    pub marks: Vec<(f64, String)>,
    /// The kinds of points, which are also the classes of their colours.
    pub kinds: &'a [&'a str],
    pub points: Vec<Point<'a>>,
}

pub struct Point<'a> {
    /// Shares of the scale, from 0 to 1.
    pub across: f64,
    pub up: f64,
    pub kind: &'a str,
    /// What appears over it.
    pub told: String,
}

impl Scatter<'_> {
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
        writeln!(
            out,
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\">"
        )?;
        self.frame(out)?;
        for (index, kind) in self.kinds.iter().enumerate() {
            let x = LEFT + KEY * index as f64;
            let name = escape(kind);
            writeln!(out, "<circle class=\"{name}\" cx=\"{}\" cy=\"12\" r=\"4\"/>", x + 4.0)?;
            writeln!(out, "<text x=\"{}\" y=\"16\">{name}</text>", x + 13.0)?;
        }
        for point in &self.points {
            let (x, y) = (across(point.across), up(point.up));
            writeln!(
                out,
                "<circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{}</title>\
                 </circle>",
                escape(point.kind),
                escape(&point.told)
            )?;
        }
        writeln!(out, "</svg>")
    }

    /// The border, where the scale ends, the marks, and the line of equal values.
    fn frame(&self, out: &mut String) -> std::fmt::Result {
        let (low, end) = (TOP + SIDE, LEFT + SIDE);
        for (share, label) in &self.marks {
            let (x, y) = (across(*share), up(*share));
            writeln!(out, "<path class=\"grid\" d=\"M{x:.1} {low}V{TOP}M{LEFT} {y:.1}H{end}\"/>")?;
            let (below, left) = (low + 15.0, LEFT - 6.0);
            let (middle, label) = (y + 4.0, escape(label));
            writeln!(
                out,
                "<text class=\"middle\" x=\"{x:.1}\" y=\"{below}\">{label}</text>\
                 <text class=\"mark\" x=\"{left}\" y=\"{middle:.1}\">{label}</text>"
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
}

fn across(share: f64) -> f64 {
    LEFT + share * SIDE
}

fn up(share: f64) -> f64 {
    TOP + (1.0 - share) * SIDE
}

/// A scale of seconds up to a limit, for what took as long as that, or longer.
pub mod times {
    use crate::axis::Axis;

    /// No run takes less than it takes to measure it.
    const LEAST: f64 = 1e-3;

    pub struct Times(Axis);

    impl Times {
        /// From the power of ten below the seconds to the limit.
        pub fn new(limit: u32, seconds: impl Iterator<Item = f64>) -> Self {
            let seconds = seconds.map(|seconds| seconds.max(LEAST));
            Times(Axis::up_to(f64::from(limit), seconds, 10.0, 0.0, 1.0))
        }

        /// None is what was not solved: it lies on the border.
        pub fn share(&self, seconds: Option<f64>) -> f64 {
            self.0.place(seconds.map_or(self.0.most(), |seconds| seconds.max(LEAST)))
        }

        pub fn marks(&self) -> Vec<(f64, String)> {
            let label = |seconds: f64| (self.0.place(seconds), format!("{seconds} s"));
            self.0.marks().map(label).collect()
        }
    }

    /// Seconds as they are told over a point.
    pub fn told(seconds: Option<f64>) -> String {
        seconds.map_or("TO".into(), |seconds| format!("{seconds:.2} s"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::page::tests::is_well_formed;
    use super::times::Times;
    use super::*;

    #[test]
    fn points_lie_between_the_borders() {
        let point = |across, up| Point { across, up, kind: "a", told: "x<y".into() };
        let points = vec![point(0.0, 1.0), point(1.0, 0.0)];
        let marks = vec![(0.5, "½".to_owned())];
        let svg = Scatter { across: "one", up: "two", marks, kinds: &["a"], points }.svg().unwrap();
        is_well_formed(&svg).unwrap();
        assert!(svg.contains("cx=\"56.0\" cy=\"30.0\" r=\"4\"><title>x&lt;y"), "{svg}");
        assert!(svg.contains("cx=\"376.0\" cy=\"350.0\""), "{svg}");
        let none = Scatter { across: "", up: "", marks: vec![], kinds: &[], points: vec![] };
        assert_eq!(none.svg(), None);
    }

    #[test]
    fn times_end_at_the_limit() {
        let times = Times::new(10, [0.2].into_iter());
        assert_eq!((times.share(Some(0.1)).round(), times.share(None)), (0.0, 1.0));
        assert_eq!(times.share(Some(1.0)), 0.5);
        assert_eq!(times.marks().len(), 3);
    }
}
