//! Lines over an axis, one for each series, perhaps within bands.

use super::frame::{Frame, Symbol};
use super::{Mark, colour, escape};

const FRAME: Frame =
    Frame { left: 56.0, top: 30.0, width: 320.0, height: 220.0, right: 16.0, bottom: 40.0 };
/// The distance of names in the key.
const KEY: f64 = 78.0;
/// More marks than these would be too many.
const MARKS: f64 = 8.0;

/// A picture of lines.
pub struct Lines<'a> {
    /// What is shown from left to right, and its scale.
    pub across: (&'a str, Vec<Mark>),
    /// What is shown upwards, and its scale.
    pub up: (&'a str, Vec<Mark>),
    /// At most as many as there are colours.
    pub lines: Vec<Line<'a>>,
    /// Whether points are drawn as dots.
    pub dots: bool,
    /// A dashed line between two points, given as shares.
    pub guide: Option<[(f64, f64); 2]>,
}

/// A series of points from left to right.
pub struct Line<'a> {
    /// The name in the key.
    pub name: &'a str,
    /// The points, as shares of both axes.
    pub points: Vec<Point>,
}

/// A value with the band around it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// A share of the axis.
    pub across: f64,
    /// The value.
    pub value: f64,
    /// The lower end of the band.
    pub least: f64,
    /// The upper end of the band.
    pub most: f64,
}

impl Point {
    /// A value without a band.
    pub fn new(across: f64, value: f64) -> Self {
        Point { across, value, least: value, most: value }
    }

    fn scaled(self, scale: &Scale) -> Self {
        let share = |value| scale.share(value);
        let (value, least, most) = (share(self.value), share(self.least), share(self.most));
        Point { value, least, most, ..self }
    }
}

impl<'a> Lines<'a> {
    /// Lines of counts over a linear scale of round numbers, which starts at zero or near the
    /// least value.
    pub fn of_counts(
        across: (&'a str, Vec<Mark>),
        up: &'a str,
        from_zero: bool,
        mut lines: Vec<Line<'a>>,
    ) -> Self {
        let points = || lines.iter().flat_map(|line| &line.points);
        let least = points().map(|point| point.least).fold(f64::INFINITY, f64::min);
        let most = points().map(|point| point.most).fold(0.0, f64::max);
        let scale = Scale::new(if from_zero { 0.0 } else { least.min(most) }, most);
        for line in &mut lines {
            line.points.iter_mut().for_each(|point| *point = point.scaled(&scale));
        }
        Lines { across, up: (up, scale.marks()), lines, dots: false, guide: None }
    }

    /// The picture; none without points.
    pub fn svg(&self) -> Option<String> {
        if self.lines.iter().all(|line| line.points.is_empty()) {
            return None;
        }
        let names: Vec<&str> = self.lines.iter().map(|line| line.name).collect();
        let frame = FRAME.below_key(names.len(), KEY);
        let mut out = frame.across(&self.across.1) + &frame.up(&self.up.1);
        out += &frame.titles(self.across.0, self.up.0);
        out += &frame.key(&names, Symbol::Stroke, KEY);
        out.extend(self.guide.map(|ends| frame.guide("guide", ends)));
        let drawn = self.lines.iter().enumerate().filter(|(_, line)| !line.points.is_empty());
        for (index, line) in drawn {
            out += &line.svg(&frame, &colour(index));
            if self.dots {
                out += &line.dots(&frame, &colour(index));
            }
        }
        Some(frame.svg(&format!("{} over {}", self.up.0, self.across.0), &out))
    }
}

impl Line<'_> {
    fn svg(&self, frame: &Frame, class: &str) -> String {
        let path = |places: &mut dyn Iterator<Item = (f64, f64)>| {
            let places = places.map(|(x, y)| format!("{:.1} {:.1}", frame.x(x), frame.y(y)));
            places.collect::<Vec<_>>().join("L")
        };
        let mut out = String::new();
        if self.points.iter().any(|point| point.least < point.most) {
            let forth = self.points.iter().map(|point| (point.across, point.most));
            let back = self.points.iter().rev().map(|point| (point.across, point.least));
            let band = path(&mut forth.chain(back));
            out += &format!("<path class=\"band {class}\" d=\"M{band}Z\"/>\n");
        }
        let line = path(&mut self.points.iter().map(|point| (point.across, point.value)));
        let name = escape(self.name);
        out + &format!("<path class=\"line {class}\" d=\"M{line}\"><title>{name}</title></path>\n")
    }

    fn dots(&self, frame: &Frame, class: &str) -> String {
        let dot = |point: &Point| {
            let (x, y) = (frame.x(point.across), frame.y(point.value));
            format!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>\n")
        };
        self.points.iter().map(dot).collect()
    }
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
        let step = steps.find(wide_enough).expect("the steps are unbounded");
        let first = (least / step).floor() * step;
        let last = ((most / step).ceil() * step).max(first + step);
        Scale { first, last, step }
    }

    fn share(&self, value: f64) -> f64 {
        (value - self.first) / (self.last - self.first)
    }

    fn marks(&self) -> Vec<Mark> {
        let count = ((self.last - self.first) / self.step).round() as usize;
        let values = (0..=count).map(|index| self.first + self.step * index as f64);
        values.map(|value| (self.share(value), value.to_string())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::is_well_formed;
    use super::*;

    fn lines(points: Vec<Point>) -> Lines<'static> {
        let marks = vec![(0.0, "0".to_owned()), (1.0, "1".to_owned())];
        Lines::of_counts(("c", marks), "solved", false, vec![Line { name: "<a>", points }])
    }

    #[test]
    fn a_line_lies_in_its_band() {
        let first = Point { across: 0.0, value: 11.0, least: 10.0, most: 12.0 };
        let svg = lines(vec![first, Point::new(1.0, 14.0)]).svg().unwrap();
        is_well_formed(&svg);
        // From 10 at the bottom, 250, to 14 at the top, 30.
        assert!(svg.contains("class=\"line c0\" d=\"M56.0 195.0L376.0 30.0\""), "{svg}");
        assert!(svg.contains("d=\"M56.0 140.0L376.0 30.0L376.0 30.0L56.0 250.0Z\""), "{svg}");
    }

    #[test]
    fn equal_values_are_drawn_and_no_values_are_not() {
        let svg = lines(vec![Point::new(0.5, 3.0)]).svg().unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("band"), "{svg}");
        assert_eq!(lines(vec![]).svg(), None);
    }

    #[test]
    fn dots_and_a_guide_can_be_added() {
        let with_dots = Lines {
            dots: true,
            guide: Some([(0.0, 0.0), (1.0, 0.5)]),
            ..lines(vec![Point::new(0.0, 3.0), Point::new(1.0, 4.0)])
        };
        let svg = with_dots.svg().unwrap();
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("class=\"guide\" d=\"M56.0 250.0L376.0 140.0\""), "{svg}");
    }

    #[test]
    fn marks_are_round_numbers() {
        let marks = |least, most| {
            let marks = Scale::new(least, most).marks();
            marks.into_iter().map(|(_, label)| label).collect::<Vec<_>>()
        };
        assert_eq!(marks(3.0, 5.0), ["3", "4", "5"]);
        assert_eq!(marks(0.0, 83.0), ["0", "20", "40", "60", "80", "100"]);
    }
}
