//! Means, medians and deviations.

pub use elinvar::plot::bars::Spread;

/// The median; none without values.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        count if count % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

/// The value below which this share of the values lies, interpolated between its neighbours; none
/// without values.
pub fn quantile(values: impl IntoIterator<Item = f64>, share: f64) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let place = values.len().checked_sub(1)? as f64 * share.clamp(0.0, 1.0);
    let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
    Some(below + (above - below) * place.fract())
}

/// The geometric mean of positive values; none without values.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = values.into_iter().map(f64::ln).collect();
    let count = logarithms.len();
    (count > 0).then(|| (logarithms.iter().sum::<f64>() / count as f64).exp())
}

/// By how many percent the second value is less than the first, relative to the first.
pub fn speedup(first: f64, second: f64) -> Option<f64> {
    (first != 0.0).then(|| (first - second) / first.abs() * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_lie_in_the_middle() {
        assert_eq!(median([]), None);
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        assert_eq!(quantile([], 0.9), None);
        assert_eq!(quantile([3.0, 1.0, 2.0], 0.5), Some(2.0));
        assert_eq!(quantile([0.0, 10.0], 0.9), Some(9.0));
        assert_eq!([0.0, 1.0].map(|share| quantile([5.0, 1.0], share)), [Some(1.0), Some(5.0)]);
    }

    #[test]
    fn twice_and_half_are_even() {
        assert_eq!(geometric_mean([]), None);
        assert!((geometric_mean([2.0, 0.5]).unwrap() - 1.0).abs() < 1e-12);
        assert!((geometric_mean([1.0, 100.0]).unwrap() - 10.0).abs() < 1e-12);
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
