//! Distributions of times as boxes, one above the other: the middle half of the values as a box
//! with the median in it, and a line from the least to the greatest value.

use super::frame::Frame;
use super::times::Times;
use super::{colour, escape};

/// The height of the row of a series, and of its box.
const ROW: f64 = 34.0;
const BOX: f64 = 16.0;
/// Longer names are cut, because they stand on the left of the area.
const LONGEST: usize = 16;

/// A picture of boxes.
pub struct Boxes<'a> {
    /// What is shown from left to right.
    pub across: &'a str,
    /// The end of the scale in seconds.
    pub limit: f64,
    /// The series from top to bottom, each with the seconds that were measured.
    pub series: Vec<(&'a str, Vec<f64>)>,
}

/// The five numbers of a box.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Quartiles {
    /// The least value.
    pub least: f64,
    /// A quarter of the values is below.
    pub lower: f64,
    /// Half of the values is below.
    pub median: f64,
    /// Three quarters of the values are below.
    pub upper: f64,
    /// The greatest value.
    pub most: f64,
}

impl Quartiles {
    /// The numbers of some values, interpolated between neighbours; none without values.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let at = |share: f64| {
            let place = last as f64 * share;
            let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
            below + (above - below) * place.fract()
        };
        let (least, most) = (values[0], values[last]);
        Some(Quartiles { least, lower: at(0.25), median: at(0.5), upper: at(0.75), most })
    }
}

impl Boxes<'_> {
    /// The picture; none without values.
    pub fn svg(&self) -> Option<String> {
        let all = self.series.iter().flat_map(|(_, seconds)| seconds.iter().copied());
        all.clone().next()?;
        let times = Times::new(self.limit, all);
        let frame = Frame {
            left: 128.0,
            top: 8.0,
            width: 320.0,
            height: ROW * self.series.len() as f64,
            right: 24.0,
            bottom: 40.0,
        };
        let mut out = frame.across(&times.marks());
        out += &frame.titles(self.across, "");
        for (index, (name, seconds)) in self.series.iter().enumerate() {
            let middle = frame.top + ROW * (index as f64 + 0.5);
            let (x, y) = (frame.left - 8.0, middle + 4.0);
            let label = escape(&cut(name));
            out += &format!("<text class=\"end\" x=\"{x}\" y=\"{y:.1}\">{label}</text>\n");
            if let Some(quartiles) = Quartiles::of(seconds) {
                out += &row(&frame, &times, index, middle, name, &quartiles, seconds.len());
            }
        }
        Some(frame.svg(&format!("Distribution of {}", self.across), &out))
    }
}

/// The box of a series.
fn row(
    frame: &Frame,
    times: &Times,
    index: usize,
    middle: f64,
    name: &str,
    quartiles: &Quartiles,
    count: usize,
) -> String {
    let Quartiles { least, lower, median, upper, most } = *quartiles;
    let x = |seconds: f64| frame.x(times.share(Some(seconds)).min(1.0));
    let [least_x, lower_x, median_x, upper_x, most_x] = [least, lower, median, upper, most].map(x);
    let (top, bottom) = (middle - BOX / 2.0, middle + BOX / 2.0);
    let class = colour(index);
    let title = escape(&format!(
        "{name}: {count} times, least {least:.3} s, quartiles {lower:.3} s, {median:.3} s and \
         {upper:.3} s, greatest {most:.3} s"
    ));
    // A box of equal values is still seen.
    let width = (upper_x - lower_x).max(2.0);
    format!(
        "<g><title>{title}</title>\
         <path class=\"border\" d=\"M{least_x:.1} {middle:.1}H{most_x:.1}M{least_x:.1} \
         {top:.1}V{bottom:.1}M{most_x:.1} {top:.1}V{bottom:.1}\"/>\
         <rect class=\"{class}\" x=\"{lower_x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
         height=\"{BOX}\"/>\
         <path class=\"border\" d=\"M{median_x:.1} {top:.1}V{bottom:.1}\"/></g>\n"
    )
}

/// A name that is not too long.
fn cut(name: &str) -> String {
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    name.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::is_well_formed;
    use super::*;

    #[test]
    fn quartiles_are_interpolated() {
        assert_eq!(Quartiles::of(&[]), None);
        let five = Quartiles::of(&[5.0, 1.0, 2.0, 4.0, 3.0]).unwrap();
        let expected = Quartiles { least: 1.0, lower: 2.0, median: 3.0, upper: 4.0, most: 5.0 };
        assert_eq!(five, expected);
        assert_eq!(Quartiles::of(&[0.0, 10.0]).unwrap().upper, 7.5);
    }

    #[test]
    fn boxes_lie_on_the_scale() {
        let series = vec![("quick<1>", vec![0.01, 0.1, 1.0]), ("none", vec![])];
        let svg = Boxes { across: "seconds", limit: 10.0, series }.svg().unwrap();
        is_well_formed(&svg);
        // From 0.01 s at 128 to 10 s at 448; the median, 0.1 s, is a third of the way.
        assert!(svg.contains("M234.7 17.0V33.0"), "{svg}");
        assert!(svg.contains("quick&lt;1&gt;: 3 times, least 0.010 s"), "{svg}");
        assert_eq!(svg.matches("<rect").count(), 1);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let nothing = Boxes { across: "s", limit: 1.0, series: vec![("a", vec![])] };
        assert_eq!(nothing.svg(), None);
    }
}
