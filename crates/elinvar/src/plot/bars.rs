//! Bars over a logarithmic axis, several for each group, with their deviations.

use super::axis::Axis;
use super::frame::{Frame, Symbol};
use super::{colour, escape};

const HEIGHT: f64 = 220.0;
/// Longer labels are cut, because they are rotated and would leave the picture.
const LONGEST: usize = 20;
const BAR: f64 = 15.0;
const GROUP: f64 = 44.0;
/// The key needs this width even above few bars.
const KEY: f64 = 188.0;

/// A picture of bars, two in each group.
pub struct Bars {
    /// The names of the two bars of each group.
    pub names: [&'static str; 2],
    /// The unit of the axis, such as `s`.
    pub unit: &'static str,
    /// Digits after the decimal point in the titles of bars.
    pub digits: usize,
    /// The groups from left to right.
    pub groups: Vec<Group>,
}

/// The bars of an input.
pub struct Group {
    /// The name of the input, below its bars.
    pub label: String,
    /// None where there is no value.
    pub bars: [Option<Spread>; 2],
}

/// A mean with the standard deviation of a sample. A single value has no deviation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: Option<f64>,
}

impl Spread {
    /// The spread of the values; none without values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.into_iter().collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        match values.len() {
            0 => None,
            1 => Some(Spread { mean, deviation: None }),
            _ => Some(Spread { mean, deviation: Some((squares / (count - 1.0)).sqrt()) }),
        }
    }

    /// The mean and the deviation with so many digits after the decimal point.
    pub fn text(&self, digits: usize) -> String {
        match self.deviation {
            Some(deviation) => format!("{:.digits$} ± {deviation:.digits$}", self.mean),
            None => format!("{:.digits$}", self.mean),
        }
    }
}

impl Bars {
    /// The picture; none if no bar has a height.
    pub fn svg(&self) -> Option<String> {
        let spreads = self.groups.iter().flat_map(|group| group.bars).flatten();
        let ends: Vec<f64> = spreads
            .flat_map(|spread| [spread.mean, spread.mean + spread.deviation.unwrap_or(0.0)])
            .filter(|&value| value > 0.0)
            .collect();
        if ends.is_empty() {
            return None;
        }
        // The axis starts below the smallest bar so that it has a height.
        let least = ends.iter().copied().fold(f64::INFINITY, f64::min) * 0.8;
        let axis = Axis::new(ends.iter().copied().chain([least]), 10.0);
        let letters = self.groups.iter().map(|group| group.label.chars().count()).max();
        let frame = Frame {
            left: 64.0,
            top: 24.0,
            width: (GROUP * self.groups.len() as f64).max(KEY),
            height: HEIGHT,
            right: 12.0,
            bottom: 22.0 + 5.5 * letters.unwrap_or(0).min(LONGEST) as f64,
        };
        let mut out = frame.up(&axis.marks(&format!(" {}", self.unit)));
        out += &frame.key(&self.names, Symbol::Square, 90.0);
        for (index, group) in self.groups.iter().enumerate() {
            out += &self.group(&frame, &axis, frame.left + GROUP * index as f64, group);
        }
        let label = format!("{} and {} of each input", self.names[0], self.names[1]);
        Some(frame.svg(&label, &out))
    }

    fn group(&self, frame: &Frame, axis: &Axis, left: f64, group: &Group) -> String {
        let mut out = String::new();
        for (index, spread) in group.bars.iter().enumerate() {
            let Some(spread) = spread else { continue };
            let x = left + (GROUP - 2.0 * BAR) / 2.0 + BAR * index as f64;
            let (name, text) = (self.names[index], spread.text(self.digits));
            let title = format!("{}, {name}: {text} {}", group.label, self.unit);
            let title = escape(title.trim_end());
            let bar = bar(frame, axis, x, &colour(index), spread);
            out += &format!("<g><title>{title}</title>{bar}</g>\n");
        }
        let (x, y) = (left + GROUP / 2.0 + 4.0, frame.y(0.0) + 14.0);
        let label = escape(&cut(&group.label));
        out + &format!(
            "<text class=\"end\" transform=\"translate({x} {y}) rotate(-50)\">{label}</text>\n"
        )
    }
}

/// A bar with its deviation. Parts below the axis are cut off.
fn bar(frame: &Frame, axis: &Axis, x: f64, class: &str, spread: &Spread) -> String {
    let place = |value: f64| frame.y(axis.share(value.max(axis.least())));
    let (top, height) = (place(spread.mean), frame.y(0.0) - place(spread.mean));
    let mut out = format!(
        "<rect class=\"{class}\" x=\"{x}\" y=\"{top:.1}\" width=\"{BAR}\" height=\"{height:.1}\"/>"
    );
    if let Some(deviation) = spread.deviation.filter(|&deviation| deviation > 0.0) {
        let (high, low) = (place(spread.mean + deviation), place(spread.mean - deviation));
        let (left, middle, right) = (x + 4.0, x + BAR / 2.0, x + BAR - 4.0);
        out += &format!(
            "<path class=\"border\" d=\"M{left} {high:.1}H{right}M{middle} {high:.1}V{low:.1}\
             M{left} {low:.1}H{right}\"/>"
        );
    }
    out
}

/// A label that is not too long.
fn cut(label: &str) -> String {
    if label.chars().count() <= LONGEST {
        return label.to_owned();
    }
    label.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::is_well_formed;
    use super::*;

    fn bars() -> Bars {
        let spread = |mean, deviation| Some(Spread { mean, deviation });
        let groups = vec![
            Group {
                label: "a<b>&\"c\"".into(),
                bars: [spread(0.1, Some(0.2)), spread(10.0, Some(1.0))],
            },
            Group { label: "none".into(), bars: [None, spread(0.0, None)] },
        ];
        Bars { names: ["naive", "incremental"], unit: "s", digits: 3, groups }
    }

    #[test]
    fn pictures_are_well_formed_and_names_escaped() {
        let svg = bars().svg().unwrap();
        is_well_formed(&svg);
        assert!(svg.contains("a&lt;b&gt;&amp;&quot;c&quot;, naive: 0.100 ± 0.200 s"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn heights_are_logarithmic_and_deviations_cut_at_the_axis() {
        let svg = bars().svg().unwrap();
        // From 0.01 s at the bottom, 244, to 100 s at the top, 24: 55 for a power of ten.
        assert!(svg.contains("y=\"189.0\" width=\"15\" height=\"55.0\""), "{svg}");
        assert!(svg.contains("y=\"79.0\" width=\"15\" height=\"165.0\""), "{svg}");
        assert!(svg.contains("V244.0"), "{svg}");
    }

    #[test]
    fn the_deviation_is_that_of_a_sample() {
        assert_eq!(Spread::of([]), None);
        assert_eq!(Spread::of([3.0]), Some(Spread { mean: 3.0, deviation: None }));
        let spread = Spread::of([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!(spread.mean, 5.0);
        assert!((spread.deviation.unwrap() - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!(spread.text(2), "5.00 ± 2.14");
        assert_eq!(Spread::of([1.5, 1.5]).unwrap().deviation, Some(0.0));
    }

    #[test]
    fn long_labels_are_cut() {
        assert_eq!(cut("nth_prime4_inc_d1"), "nth_prime4_inc_d1");
        assert_eq!(cut(&"µ".repeat(99)), "µ".repeat(19) + "…");
    }

    #[test]
    fn without_heights_there_is_no_picture() {
        let mut bars = bars();
        bars.groups.remove(0);
        assert_eq!(bars.svg(), None);
    }
}
