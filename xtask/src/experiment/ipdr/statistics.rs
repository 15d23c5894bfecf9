//! Numbers over repetitions, as chapter 6 of the thesis has them.

/// A mean with the standard deviation of a sample; one value alone has none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    pub mean: f64,
    pub deviation: Option<f64>,
}

impl Spread {
    /// None without values.
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

    /// The mean with its deviation, both with so many digits.
    pub fn text(&self, digits: usize) -> String {
        match self.deviation {
            Some(deviation) => format!("{:.digits$} ± {deviation:.digits$}", self.mean),
            None => format!("{:.digits$}", self.mean),
        }
    }
}

/// By how many percent the second is less than the first, as in the thesis:
/// (naive − incremental) / |naive| · 100.
pub fn speedup(naive: f64, incremental: f64) -> Option<f64> {
    (naive != 0.0).then(|| (naive - incremental) / naive.abs() * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn speedups_are_those_of_the_thesis() {
        let whole = |naive, incremental| speedup(naive, incremental).unwrap().round();
        assert_eq!(whole(38.654, 10.144), 74.0);
        assert_eq!(whole(19.618, 111.350), -468.0);
        assert_eq!(whole(3.368, 10.144), -201.0);
        assert_eq!(speedup(0.0, 1.0), None);
    }
}
