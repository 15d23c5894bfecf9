//! Probabilistic specialisation (section 3.2 of the paper), and beyond it a choice that
//! learns: it begins with how much of the model is logic and how much arithmetic, and a kind
//! of unit whose lemmas turn out to be inductive is chosen more often.

use elinvar_ir::Rng;

/// What a point becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UnitKind {
    Cube,
    Polytope,
}

/// The probability of cubes in thousandths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Probability(u16);

impl Probability {
    /// `None` if it is not between zero and one.
    pub fn new(probability: f64) -> Option<Self> {
        (0.0..=1.0)
            .contains(&probability)
            .then(|| Probability((probability * 1000.0).round() as u16))
    }

    /// As a number between zero and one.
    pub fn get(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

/// The experience with one kind.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Experience {
    /// Lemmas made of units of this kind.
    pub lemmas: u64,
    /// How many of them came to F∞.
    pub inductive: u64,
}

impl Experience {
    /// How promising the kind is, between zero and one.
    fn promise(self) -> f64 {
        (self.inductive as f64 + 1.0) / (self.lemmas as f64 + 2.0)
    }
}

pub(super) struct Specialization {
    fixed: Option<Probability>,
    /// How likely cubes are before there is any experience.
    prior: f64,
    rng: Rng,
    pub cubes: Experience,
    pub polytopes: Experience,
}

/// However good one kind was so far, the other is tried now and then.
const LEAST: f64 = 0.05;

impl Specialization {
    pub fn new(fixed: Option<Probability>, prior: f64, seed: u64) -> Self {
        let (cubes, polytopes) = (Experience::default(), Experience::default());
        Specialization { fixed, prior, rng: Rng::new(seed ^ 0x5eed), cubes, polytopes }
    }

    /// The probability that the next point becomes a cube.
    pub fn probability(&self) -> f64 {
        if let Some(fixed) = self.fixed {
            return fixed.get();
        }
        let cubes = self.prior * self.cubes.promise();
        let polytopes = (1.0 - self.prior) * self.polytopes.promise();
        (cubes / (cubes + polytopes)).clamp(LEAST, 1.0 - LEAST)
    }

    pub fn draw(&mut self) -> UnitKind {
        let threshold = self.probability();
        let drawn = (self.rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        if drawn < threshold { UnitKind::Cube } else { UnitKind::Polytope }
    }

    pub fn of(&mut self, kind: UnitKind) -> &mut Experience {
        match kind {
            UnitKind::Cube => &mut self.cubes,
            UnitKind::Polytope => &mut self.polytopes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(mut specialization: Specialization) -> f64 {
        let cubes = (0..10_000).filter(|_| specialization.draw() == UnitKind::Cube).count();
        cubes as f64 / 10_000.0
    }

    #[test]
    fn kinds_are_drawn_with_the_probability() {
        for probability in [0.0, 0.25, 1.0] {
            let fixed = Probability::new(probability);
            let found = share(Specialization::new(fixed, 0.5, 1));
            assert!((found - probability).abs() < 0.02, "{found} for {probability}");
        }
        assert_eq!(Probability::new(1.5), None);
    }

    #[test]
    fn the_better_kind_is_drawn_more_often() {
        let mut specialization = Specialization::new(None, 0.5, 1);
        assert_eq!(specialization.probability(), 0.5);
        *specialization.of(UnitKind::Cube) = Experience { lemmas: 98, inductive: 0 };
        *specialization.of(UnitKind::Polytope) = Experience { lemmas: 18, inductive: 9 };
        assert_eq!(specialization.probability(), LEAST);
    }
}
