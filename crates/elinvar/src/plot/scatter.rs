//! Pairs of values as points, with the same scale on both axes.

use super::frame::{Frame, Symbol};
use super::{Mark, colour, escape};

const FRAME: Frame =
    Frame { left: 56.0, top: 30.0, width: 320.0, height: 320.0, right: 16.0, bottom: 40.0 };

/// A picture of points.
pub struct Scatter<'a> {
    /// What is shown from left to right.
    pub across: &'a str,
    /// What is shown upwards.
    pub up: &'a str,
    /// The scale of both axes.
    pub marks: Vec<Mark>,
    /// The names of the kinds of points.
    pub kinds: &'a [&'a str],
    /// The points.
    pub points: Vec<Point>,
}

/// A point, its coordinates as shares from 0 to 1.
pub struct Point {
    /// The place from left to right.
    pub across: f64,
    /// The place upwards.
    pub up: f64,
    /// An index of the kinds.
    pub kind: usize,
    /// Shown when the mouse is over it.
    pub title: String,
}

impl Scatter<'_> {
    /// The picture; none without points.
    pub fn svg(&self) -> Option<String> {
        if self.points.is_empty() {
            return None;
        }
        let mut out = FRAME.across(&self.marks) + &FRAME.up(&self.marks);
        out += &FRAME.guide("grid", [(0.0, 0.0), (1.0, 1.0)]);
        out += &FRAME.guide("border", [(0.0, 1.0), (1.0, 1.0)]);
        out += &FRAME.guide("border", [(1.0, 1.0), (1.0, 0.0)]);
        out += &FRAME.titles(self.across, self.up);
        out += &FRAME.key(self.kinds, Symbol::Dot, 70.0);
        out.extend(self.points.iter().map(Point::svg));
        Some(FRAME.svg(&format!("{} against {}", self.up, self.across), &out))
    }
}

impl Point {
    fn svg(&self) -> String {
        let (x, y) = (FRAME.x(self.across), FRAME.y(self.up));
        let (class, title) = (colour(self.kind), escape(&self.title));
        format!(
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{title}</title>\
             </circle>\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::is_well_formed;
    use super::*;

    #[test]
    fn points_lie_between_the_borders() {
        let point = |across, up| Point { across, up, kind: 0, title: "x<y".into() };
        let points = vec![point(0.0, 1.0), point(1.0, 0.0)];
        let marks = vec![(0.5, "½".to_owned())];
        let svg = Scatter { across: "one", up: "two", marks, kinds: &["a"], points }.svg().unwrap();
        is_well_formed(&svg);
        assert!(svg.contains("cx=\"56.0\" cy=\"30.0\" r=\"4\"><title>x&lt;y"), "{svg}");
        assert!(svg.contains("cx=\"376.0\" cy=\"350.0\""), "{svg}");
        let none = Scatter { across: "", up: "", marks: vec![], kinds: &[], points: vec![] };
        assert_eq!(none.svg(), None);
    }
}
