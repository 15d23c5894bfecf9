//! The area of a picture, with scales and a key around it.

use super::{Mark, colour, escape};

/// The height of a row of the key.
const KEY_ROW: f64 = 18.0;

/// Where values are drawn: the area and its margins, in pixels.
pub struct Frame {
    /// Pixels on the left of the area, for the labels of the scale.
    pub left: f64,
    /// Pixels above it, for the key.
    pub top: f64,
    /// The width of the area.
    pub width: f64,
    /// The height of the area.
    pub height: f64,
    /// Pixels on its right.
    pub right: f64,
    /// Pixels below it, for the labels of the scale.
    pub bottom: f64,
}

/// The symbol of a series in the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symbol {
    /// A dot, for points.
    Dot,
    /// A short line.
    Stroke,
    /// A square, for bars.
    Square,
}

impl Frame {
    /// The x coordinate of a share of the width.
    pub fn x(&self, share: f64) -> f64 {
        self.left + share * self.width
    }

    /// The y coordinate of a share of the height.
    pub fn y(&self, share: f64) -> f64 {
        self.top + (1.0 - share) * self.height
    }

    /// A picture with this content, and with a label for readers that do not see it.
    pub fn svg(&self, label: &str, content: &str) -> String {
        let label = escape(label);
        let width = self.left + self.width + self.right;
        let height = self.top + self.height + self.bottom;
        format!(
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-label=\"{label}\">\n{content}</svg>\n"
        )
    }

    /// Vertical lines with their labels below.
    pub fn across(&self, marks: &[Mark]) -> String {
        let (low, top, below) = (self.y(0.0), self.top, self.y(0.0) + 15.0);
        let line = |(share, label): &Mark| {
            let (x, label) = (self.x(*share), escape(label));
            format!(
                "<path class=\"grid\" d=\"M{x:.1} {low}V{top}\"/>\n\
                 <text class=\"middle\" x=\"{x:.1}\" y=\"{below}\">{label}</text>\n"
            )
        };
        marks.iter().map(line).collect()
    }

    /// Horizontal lines with their labels on the left.
    pub fn up(&self, marks: &[Mark]) -> String {
        let (left, end, before) = (self.left, self.x(1.0), self.left - 6.0);
        let line = |(share, label): &Mark| {
            let (y, label) = (self.y(*share), escape(label));
            format!(
                "<path class=\"grid\" d=\"M{left} {y:.1}H{end}\"/>\n\
                 <text class=\"end\" x=\"{before}\" y=\"{:.1}\">{label}</text>\n",
                y + 4.0
            )
        };
        marks.iter().map(line).collect()
    }

    /// What the scales measure.
    pub fn titles(&self, across: &str, up: &str) -> String {
        let (middle, below, centre) = (self.x(0.5), self.y(0.0) + 33.0, self.y(0.5));
        let (across, up) = (escape(across), escape(up));
        format!(
            "<text class=\"middle\" x=\"{middle}\" y=\"{below}\">{across}</text>\n\
             <text class=\"middle\" transform=\"translate(12 {centre}) rotate(-90)\">{up}</text>\n"
        )
    }

    /// The same area, lower by the rows that the names of so many series need beyond the first.
    pub fn below_key(self, names: usize, distance: f64) -> Self {
        let rows = names.div_ceil(self.names_in_row(distance)).max(1);
        Frame { top: self.top + KEY_ROW * (rows - 1) as f64, ..self }
    }

    fn names_in_row(&self, distance: f64) -> usize {
        ((self.width + self.right) / distance).floor().max(1.0) as usize
    }

    /// The names of the series above the area, so many pixels apart, in several rows if they do
    /// not fit into one.
    pub fn key(&self, names: &[&str], symbol: Symbol, distance: f64) -> String {
        let in_row = self.names_in_row(distance);
        let entry = |(index, name): (usize, &&str)| {
            let (row, place) = (index / in_row, index % in_row);
            let y = 12.0 + KEY_ROW * row as f64;
            let (x, class, name) =
                (self.left + distance * place as f64, colour(index), escape(name));
            let symbol = match symbol {
                Symbol::Dot => {
                    format!("<circle class=\"{class}\" cx=\"{}\" cy=\"{y}\" r=\"4\"/>", x + 4.0)
                }
                Symbol::Stroke => format!("<path class=\"line {class}\" d=\"M{x} {y}h14\"/>"),
                Symbol::Square => format!(
                    "<rect class=\"{class}\" x=\"{x}\" y=\"{}\" width=\"10\" height=\"10\"/>",
                    y - 6.0
                ),
            };
            format!("{symbol}<text x=\"{}\" y=\"{}\">{name}</text>\n", x + 18.0, y + 4.0)
        };
        names.iter().enumerate().map(entry).collect()
    }

    /// A straight line between two points, given as shares.
    pub fn guide(&self, class: &str, [from, to]: [(f64, f64); 2]) -> String {
        let ((a, b), (c, d)) = ((self.x(from.0), self.y(from.1)), (self.x(to.0), self.y(to.1)));
        format!("<path class=\"{class}\" d=\"M{a:.1} {b:.1}L{c:.1} {d:.1}\"/>\n")
    }
}
