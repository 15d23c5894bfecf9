//! How often registers were used in lemmas, recent lemmas counting more [Eén, Sörensson:
//! An Extensible SAT-solver, SAT 2003, section 4.3, about variables in conflicts].

/// How much less a lemma counts than the next one.
const DECAY: f64 = 0.9;

/// Activities are scaled down before they can overflow.
const LARGE: f64 = 1e100;
const SCALE: f64 = 1e-100;

/// The activities of registers, by index.
pub(crate) struct Activity {
    values: Vec<f64>,
    /// What a use adds now. It grows instead of all values becoming smaller.
    increment: f64,
}

impl Activity {
    pub fn new(count: usize) -> Self {
        Activity { values: vec![0.0; count], increment: 1.0 }
    }

    pub fn of(&self, index: usize) -> f64 {
        self.values[index]
    }

    /// In units of what a use adds now.
    pub fn relative(&self, index: usize) -> f64 {
        self.values[index] / self.increment
    }

    /// About what the activity of a register is that was in every lemma so far.
    pub fn limit(&self) -> f64 {
        self.increment / (1.0 - DECAY)
    }

    /// Sets first values, which only break ties if they are small.
    pub fn set_all(&mut self, mut value: impl FnMut() -> f64) {
        self.values.fill_with(&mut value);
    }

    /// A lemma uses these registers.
    pub fn bump(&mut self, indices: impl IntoIterator<Item = usize>) {
        for index in indices {
            self.values[index] += self.increment;
        }
        self.increment /= DECAY;
        if self.increment > LARGE {
            self.values.iter_mut().for_each(|activity| *activity *= SCALE);
            self.increment *= SCALE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_uses_count_more_and_nothing_overflows() {
        let mut activity = Activity::new(3);
        activity.bump([0]);
        activity.bump([1]);
        assert!(activity.of(1) > activity.of(0) && activity.of(2) == 0.0);
        for _ in 0..10_000 {
            activity.bump([2]);
        }
        let part = activity.of(2) / activity.limit();
        assert!((0.85..1.0).contains(&part), "{part}");
        assert!(activity.of(2) > activity.of(1));
    }
}
