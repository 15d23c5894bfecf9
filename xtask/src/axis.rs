//! Logarithmic axes of plots.

/// An axis: from which exponent to which, of a base, over a stretch of the picture.
pub struct Axis {
    base: f64,
    first: i32,
    last: i32,
    from: f64,
    to: f64,
}

impl Axis {
    /// The axis from the power of the base below the values to the one above.
    pub fn new(values: impl Iterator<Item = f64> + Clone, base: f64, from: f64, to: f64) -> Self {
        let least = values.clone().fold(f64::INFINITY, f64::min).log(base);
        let most = values.fold(f64::NEG_INFINITY, f64::max).log(base);
        // Powers of the base are not to be moved by rounding.
        let first = (least + 1e-9).floor() as i32;
        Axis { base, first, last: ((most - 1e-9).ceil() as i32).max(first + 1), from, to }
    }

    pub fn place(&self, value: f64) -> f64 {
        let share =
            (value.log(self.base) - f64::from(self.first)) / f64::from(self.last - self.first);
        self.from + share * (self.to - self.from)
    }

    pub fn marks(&self) -> impl Iterator<Item = f64> {
        (self.first..=self.last).map(|exponent| self.base.powi(exponent))
    }

    /// The value where it begins.
    pub fn least(&self) -> f64 {
        self.base.powi(self.first)
    }

    /// The value where it ends.
    pub fn most(&self) -> f64 {
        self.base.powi(self.last)
    }
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
}
