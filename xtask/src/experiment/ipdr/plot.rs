//! Bars over a logarithmic axis, two for each group, with their deviations: the form of
//! Figures 6.1 to 6.4.

use std::fmt::Write;

use super::statistics::Spread;
use crate::axis::Axis;
use crate::experiment::page::escape;

/// The place of the axis, where bars begin.
const BASE: f64 = 244.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 24.0;
/// What is longer is cut, or it would leave the picture: labels are turned.
const LONGEST: usize = 20;
const BAR: f64 = 15.0;
const GROUP: f64 = 44.0;

/// The names of the two bars, which are also the classes of their colours.
const NAMES: [&str; 2] = ["naive", "incremental"];

/// What is drawn.
pub struct Bars {
    /// What the axis counts, such as `s`.
    pub unit: &'static str,
    /// Digits after the point in the texts that appear over a bar.
    pub digits: usize,
    pub groups: Vec<Group>,
}

pub struct Group {
    pub label: String,
    /// Naive and incremental, where there are any.
    pub bars: [Option<Spread>; 2],
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
        // The smallest bar is to be seen too.
        let least = ends.iter().copied().fold(f64::INFINITY, f64::min) * 0.8;
        let values = ends.iter().copied().chain([least]);
        let axis = Axis::new(values, 10.0, BASE, TOP);
        let mut out = String::new();
        self.draw(&axis, &mut out).expect("strings do not fail");
        Some(out)
    }

    fn draw(&self, axis: &Axis, out: &mut String) -> std::fmt::Result {
        let width = LEFT + GROUP * self.groups.len() as f64 + RIGHT;
        // The key needs some room even above few bars.
        let width = width.max(LEFT + 200.0);
        let letters = self.groups.iter().map(|group| group.label.chars().count()).max();
        let height = BASE + 22.0 + 5.5 * letters.unwrap_or(0).min(LONGEST) as f64;
        writeln!(
            out,
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\">"
        )?;
        self.grid(axis, width, out)?;
        for (index, name) in NAMES.iter().enumerate() {
            let x = LEFT + 80.0 * index as f64;
            writeln!(out, "<rect class=\"{name}\" x=\"{x}\" y=\"4\" width=\"10\" height=\"10\"/>")?;
            writeln!(out, "<text x=\"{}\" y=\"13\">{name}</text>", x + 14.0)?;
        }
        for (index, group) in self.groups.iter().enumerate() {
            let left = LEFT + GROUP * index as f64;
            for (bar, spread) in group.bars.iter().enumerate() {
                let Some(spread) = spread else { continue };
                let x = left + (GROUP - 2.0 * BAR) / 2.0 + BAR * bar as f64;
                self.bar(axis, x, NAMES[bar], &group.label, spread, out)?;
            }
            let (x, y) = (left + GROUP / 2.0 + 4.0, BASE + 14.0);
            let label = escape(&cut(&group.label));
            writeln!(
                out,
                "<text class=\"label\" transform=\"translate({x} {y}) rotate(-50)\">{label}</text>"
            )?;
        }
        writeln!(out, "</svg>")
    }

    fn grid(&self, axis: &Axis, width: f64, out: &mut String) -> std::fmt::Result {
        let end = width - RIGHT;
        for value in axis.marks() {
            let y = axis.place(value);
            writeln!(out, "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{end}\"/>")?;
            let (x, y, unit) = (LEFT - 6.0, y + 4.0, self.unit);
            writeln!(out, "<text class=\"mark\" x=\"{x}\" y=\"{y:.1}\">{value} {unit}</text>")?;
        }
        Ok(())
    }

    /// A bar with its whisker; what lies below the axis is cut.
    fn bar(
        &self,
        axis: &Axis,
        x: f64,
        name: &str,
        label: &str,
        spread: &Spread,
        out: &mut String,
    ) -> std::fmt::Result {
        let place = |value: f64| axis.place(value.max(axis.least()));
        let (top, bottom) = (place(spread.mean), place(0.0));
        let text = format!("{label}, {name}: {} {}", spread.text(self.digits), self.unit);
        write!(out, "<g><title>{}</title>", escape(text.trim_end()))?;
        write!(
            out,
            "<rect class=\"{name}\" x=\"{x}\" y=\"{top:.1}\" width=\"{BAR}\" height=\"{:.1}\"/>",
            bottom - top
        )?;
        if let Some(deviation) = spread.deviation.filter(|&deviation| deviation > 0.0) {
            let (high, low) = (place(spread.mean + deviation), place(spread.mean - deviation));
            let (left, middle, right) = (x + 4.0, x + BAR / 2.0, x + BAR - 4.0);
            write!(
                out,
                "<path class=\"whisker\" d=\"M{left} {high:.1}H{right}M{middle} {high:.1}V{low:.1}\
                 M{left} {low:.1}H{right}\"/>"
            )?;
        }
        writeln!(out, "</g>")
    }
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
    use super::*;
    use crate::experiment::page::tests::is_well_formed;

    fn bars() -> Bars {
        let spread = |mean, deviation| Some(Spread { mean, deviation });
        let groups = vec![
            Group {
                label: "a<b>&\"c\"".into(),
                bars: [spread(0.1, Some(0.2)), spread(10.0, Some(1.0))],
            },
            Group { label: "none".into(), bars: [None, spread(0.0, None)] },
        ];
        Bars { unit: "s", digits: 3, groups }
    }

    #[test]
    fn pictures_are_well_formed_and_names_escaped() {
        let svg = bars().svg().unwrap();
        is_well_formed(&svg).unwrap();
        assert!(svg.contains("a&lt;b&gt;&amp;&quot;c&quot;, naive: 0.100 ± 0.200 s"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn heights_are_logarithmic_and_whiskers_cut_at_the_axis() {
        let svg = bars().svg().unwrap();
        // From 0.01 s at the bottom, 244, to 100 s at the top, 24: 55 for a power of ten.
        assert!(svg.contains("y=\"189.0\" width=\"15\" height=\"55.0\""), "{svg}");
        assert!(svg.contains("y=\"79.0\" width=\"15\" height=\"165.0\""), "{svg}");
        assert!(svg.contains("V244.0"), "{svg}");
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
