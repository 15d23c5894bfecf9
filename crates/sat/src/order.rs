//! The order of decisions: activities of variables in buckets.
//!
//! Most queries of a model checker are decided within a handful of conflicts, so
//! keeping an exact order costs more than it brings. A variable goes into the
//! bucket of its activity's magnitude relative to the newest bump; putting in and
//! taking out are constant time. The order is refreshed at every restart.

use crate::literal::Var;

const BUCKETS: usize = 26;
const DECAY: f64 = 0.95;

#[derive(Clone)]
pub(crate) struct Order {
    activity: Vec<f64>,
    increment: f64,
    buckets: [Vec<Var>; BUCKETS],
    /// Bit i: bucket i may have variables.
    filled: u32,
    queued: Vec<bool>,
}

impl Order {
    pub fn new() -> Self {
        Order {
            activity: Vec::new(),
            increment: 1.0,
            buckets: std::array::from_fn(|_| Vec::new()),
            filled: 0,
            queued: Vec::new(),
        }
    }

    pub fn new_var(&mut self) {
        self.activity.push(0.0);
        self.queued.push(false);
    }

    #[inline]
    pub fn bump(&mut self, var: Var) {
        let activity = &mut self.activity[var.index()];
        *activity += self.increment;
        if *activity > 1e200 {
            self.rescale();
        }
    }

    fn rescale(&mut self) {
        for activity in &mut self.activity {
            *activity *= 1e-200;
        }
        self.increment *= 1e-200;
    }

    /// Everything bumped so far weighs less than what is bumped from now on.
    pub fn decay(&mut self) {
        self.increment /= DECAY;
    }

    #[inline]
    pub fn push(&mut self, var: Var) {
        if !self.queued[var.index()] {
            self.queued[var.index()] = true;
            let bucket = self.bucket(var);
            self.filled |= 1 << bucket;
            self.buckets[bucket].push(var);
        }
    }

    /// The next variable in order; it may be assigned meanwhile.
    #[inline]
    pub fn pop(&mut self) -> Option<Var> {
        while self.filled != 0 {
            let bucket = self.filled.trailing_zeros() as usize;
            if let Some(var) = self.buckets[bucket].pop() {
                self.queued[var.index()] = false;
                return Some(var);
            }
            self.filled &= !(1 << bucket);
        }
        None
    }

    pub fn clear(&mut self) {
        while self.filled != 0 {
            let bucket = self.filled.trailing_zeros() as usize;
            for var in self.buckets[bucket].drain(..) {
                self.queued[var.index()] = false;
            }
            self.filled &= !(1 << bucket);
        }
    }

    /// One bucket for each of the first factors of two below the increment, then
    /// wider and wider ones; the last is for what was never bumped.
    #[inline]
    fn bucket(&self, var: Var) -> usize {
        let activity = self.activity[var.index()];
        if activity == 0.0 {
            return BUCKETS - 1;
        }
        let magnitude = |x: f64| (x.to_bits() >> 52) as i64;
        let below = (magnitude(self.increment) + 4 - magnitude(activity)).max(0) as u64;
        match below {
            0..8 => below as usize,
            _ => {
                let octave = below.ilog2() as usize;
                let half = (below >> (octave - 1)) as usize & 1;
                (8 + (octave - 3) * 2 + half).min(BUCKETS - 2)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order_of(vars: usize) -> Order {
        let mut order = Order::new();
        for _ in 0..vars {
            order.new_var();
        }
        order
    }

    #[test]
    fn recently_bumped_variables_come_first() {
        let mut order = order_of(4);
        for var in [2, 0, 3] {
            order.bump(Var::new(var));
            for _ in 0..40 {
                order.decay();
            }
        }
        for var in 0..4 {
            order.push(Var::new(var));
        }
        let popped: Vec<usize> = std::iter::from_fn(|| order.pop()).map(Var::index).collect();
        assert_eq!(popped, [3, 0, 2, 1]);
    }

    #[test]
    fn activities_survive_rescaling() {
        let mut order = order_of(2);
        for round in 0..20_000 {
            order.bump(Var::new(round % 2));
            order.decay();
        }
        assert!(order.activity.iter().all(|x| x.is_finite() && *x > 0.0));
    }
}
