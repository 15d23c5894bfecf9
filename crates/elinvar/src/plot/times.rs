//! A scale of seconds that ends at a limit.

use super::Mark;
use super::axis::Axis;

/// Shorter times cannot be measured.
const LEAST: f64 = 1e-3;

/// The scale.
pub struct Times(Axis);

impl Times {
    /// The scale from the power of ten below the seconds to the limit.
    pub fn new(limit: impl Into<f64>, seconds: impl Iterator<Item = f64>) -> Self {
        let seconds = seconds.map(|seconds| seconds.max(LEAST));
        Times(Axis::up_to(limit.into().max(2.0 * LEAST), seconds, 10.0))
    }

    /// The place of a time. An unsolved instance has none and lies at the limit.
    pub fn share(&self, seconds: Option<f64>) -> f64 {
        seconds.map_or(1.0, |seconds| self.0.share(seconds.max(LEAST)))
    }

    /// The powers of ten.
    pub fn marks(&self) -> Vec<Mark> {
        self.0.marks(" s")
    }

    /// The time as text.
    pub fn text(seconds: Option<f64>) -> String {
        seconds.map_or("TO".into(), |seconds| format!("{seconds:.2} s"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_end_at_the_limit() {
        let times = Times::new(10, [0.2].into_iter());
        assert_eq!((times.share(Some(0.1)).round(), times.share(None)), (0.0, 1.0));
        assert_eq!(times.share(Some(1.0)), 0.5);
        assert_eq!(times.marks().len(), 3);
    }
}
