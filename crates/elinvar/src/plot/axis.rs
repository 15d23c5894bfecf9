//! Logarithmic scales.

use super::Mark;

/// A scale from one exponent of a base to another.
pub struct Axis {
    base: f64,
    first: f64,
    last: f64,
}

impl Axis {
    /// The scale from the power of the base below all values to the one above.
    pub fn new(values: impl Iterator<Item = f64> + Clone, base: f64) -> Self {
        let most = values.clone().fold(f64::NEG_INFINITY, f64::max).log(base);
        let first = below(values, base);
        // The tolerance keeps rounding errors from moving powers of the base.
        Axis { base, first, last: (most - 1e-9).ceil().max(first + 1.0) }
    }

    /// The scale from the power of the base below all values to this end, which is above all
    /// of them.
    pub fn up_to(end: f64, values: impl Iterator<Item = f64>, base: f64) -> Self {
        // Without values the scale still spans one power.
        let values = values.chain([end / base]);
        Axis { base, first: below(values, base), last: end.log(base) }
    }

    /// The place of a value: 0 at the start of the scale, 1 at its end.
    pub fn share(&self, value: f64) -> f64 {
        (value.log(self.base) - self.first) / (self.last - self.first)
    }

    /// The powers of the base with this unit.
    pub fn marks(&self, unit: &str) -> Vec<Mark> {
        let (first, last) = (self.first as i32, (self.last + 1e-9).floor() as i32);
        let powers = (first..=last).map(|exponent| self.base.powi(exponent));
        powers.map(|value| (self.share(value), format!("{value}{unit}"))).collect()
    }

    /// The value at the start.
    pub fn least(&self) -> f64 {
        self.base.powf(self.first)
    }

    /// The value at the end.
    pub fn most(&self) -> f64 {
        self.base.powf(self.last)
    }
}

/// The exponent of the greatest power that is not above any of the values.
fn below(values: impl Iterator<Item = f64>, base: f64) -> f64 {
    (values.fold(f64::INFINITY, f64::min).log(base) + 1e-9).floor()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_spans_powers_of_its_base() {
        let axis = Axis::new([0.02, 3.0].into_iter(), 10.0);
        assert_eq!((axis.least(), axis.most()), (0.01, 10.0));
        assert!(axis.share(0.01).abs() < 1e-12 && axis.share(10.0) == 1.0);
        assert_eq!(axis.marks(" s").len(), 4);
        assert_eq!(axis.marks(" s")[3], (1.0, "10 s".into()));
        let point = Axis::new([8.0].into_iter(), 2.0);
        assert_eq!((point.least(), point.most()), (8.0, 16.0));
    }

    #[test]
    fn a_scale_may_end_between_powers() {
        let axis = Axis::up_to(120.0, [0.02, 3.0].into_iter(), 10.0);
        assert_eq!((axis.least(), axis.most().round()), (0.01, 120.0));
        assert_eq!(axis.share(120.0), 1.0);
        assert_eq!(axis.marks("").last().map(|(_, label)| &label[..]), Some("100"));
        assert_eq!(Axis::up_to(10.0, [].into_iter(), 10.0).least(), 1.0);
    }
}
