//! Logarithmic axes of plots.

/// An axis: from which exponent to which, of a base, over a stretch of the picture.
pub struct Axis {
    base: f64,
    first: f64,
    last: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// The axis from the power of the base below the values to the one above.
    pub fn new(values: impl Iterator<Item = f64> + Clone, base: f64, from: f64, to: f64) -> Self {
        let most = values.clone().fold(f64::NEG_INFINITY, f64::max).log(base);
        let first = below(values, base);
        // Powers of the base are not to be moved by rounding.
        Axis { base, first, last: (most - 1e-9).ceil().max(first + 1.0), from, to }
    }

    /// The axis from the power of the base below the values to this end, which is above
    /// all of them.
    pub fn up_to(
        end: f64,
        values: impl Iterator<Item = f64>,
        base: f64,
        from: f64,
        to: f64,
    ) -> Self {
        // Without values there is one power to see, too.
        let values = values.chain([end / base]);
        Axis { base, first: below(values, base), last: end.log(base), from, to }
    }

    pub fn place(&self, value: f64) -> f64 {
        let share = (value.log(self.base) - self.first) / (self.last - self.first);
        self.from + share * (self.to - self.from)
    }

    pub fn marks(&self) -> impl Iterator<Item = f64> {
        let (first, last) = (self.first as i32, (self.last + 1e-9).floor() as i32);
        (first..=last).map(|exponent| self.base.powi(exponent))
    }

    /// The value where it begins.
    pub fn least(&self) -> f64 {
        self.base.powf(self.first)
    }

    /// The value where it ends.
    pub fn most(&self) -> f64 {
        self.base.powf(self.last)
    }
}

/// The exponent of the last power that is not above any of the values.
fn below(values: impl Iterator<Item = f64>, base: f64) -> f64 {
    (values.fold(f64::INFINITY, f64::min).log(base) + 1e-9).floor()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_spans_powers_of_its_base() {
        let axis = Axis::new([0.02, 3.0].into_iter(), 10.0, 100.0, 0.0);
        assert_eq!((axis.least(), axis.most()), (0.01, 10.0));
        assert_eq!((axis.place(0.01).round(), axis.place(10.0).round()), (100.0, 0.0));
        assert_eq!(axis.marks().count(), 4);
        let point = Axis::new([8.0].into_iter(), 2.0, 0.0, 1.0);
        assert_eq!((point.least(), point.most()), (8.0, 16.0));
    }

    #[test]
    fn an_axis_may_end_between_powers() {
        let axis = Axis::up_to(120.0, [0.02, 3.0].into_iter(), 10.0, 0.0, 100.0);
        assert_eq!((axis.least(), axis.most().round()), (0.01, 120.0));
        assert_eq!((axis.place(0.01).round(), axis.place(120.0).round()), (0.0, 100.0));
        assert_eq!(axis.marks().last(), Some(100.0));
        assert_eq!(Axis::up_to(10.0, [].into_iter(), 10.0, 0.0, 1.0).least(), 1.0);
    }
}
