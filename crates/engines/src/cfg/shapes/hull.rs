//! The affine hull of points: all linear equations that hold in every one of them.

use dashu_ratio::RBig;

/// Points of a space, by a basis of their differences.
#[derive(Clone, Default)]
pub struct Hull {
    /// A first point; all others are told relative to it.
    origin: Option<Vec<RBig>>,
    /// Directions in echelon form: each has a pivot, one there, and zero at the pivots
    /// of all others.
    directions: Vec<(usize, Vec<RBig>)>,
}

impl Hull {
    /// Is the hull larger with this point?
    pub fn add(&mut self, point: &[RBig]) -> bool {
        let Some(origin) = &self.origin else {
            self.origin = Some(point.to_vec());
            return true;
        };
        let mut rest: Vec<RBig> = point.iter().zip(origin).map(|(a, b)| a - b).collect();
        for (pivot, direction) in &self.directions {
            let factor = rest[*pivot].clone();
            subtract(&mut rest, direction, &factor);
        }
        let Some(pivot) = rest.iter().position(|number| !number.is_zero()) else { return false };
        let scale = rest[pivot].clone();
        rest.iter_mut().for_each(|number| *number /= &scale);
        for (_, direction) in &mut self.directions {
            let factor = direction[pivot].clone();
            subtract(direction, &rest, &factor);
        }
        self.directions.push((pivot, rest));
        true
    }

    /// A basis of the equations `Σ cᵢ·xᵢ = k`, as `(c, k)`: one for each coordinate that is
    /// no pivot.
    pub fn equations(&self) -> Vec<(Vec<RBig>, RBig)> {
        let Some(origin) = &self.origin else { return Vec::new() };
        let is_pivot = |at: usize| self.directions.iter().any(|(pivot, _)| *pivot == at);
        (0..origin.len())
            .filter(|&at| !is_pivot(at))
            .map(|free| {
                // x_free moves by what the directions have there.
                let mut factors = vec![RBig::ZERO; origin.len()];
                factors[free] = RBig::ONE;
                for (pivot, direction) in &self.directions {
                    factors[*pivot] = -direction[free].clone();
                }
                let value = factors.iter().zip(origin).fold(RBig::ZERO, |sum, (c, x)| sum + c * x);
                (factors, value)
            })
            .collect()
    }
}

fn subtract(from: &mut [RBig], direction: &[RBig], factor: &RBig) {
    if factor.is_zero() {
        return;
    }
    for (number, change) in from.iter_mut().zip(direction) {
        *number -= change * factor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(numbers: &[i32]) -> Vec<RBig> {
        numbers.iter().map(|&number| RBig::from(number)).collect()
    }

    #[test]
    fn points_on_a_line_have_its_equations() {
        let mut hull = Hull::default();
        assert!(hull.add(&point(&[0, 1, 7])));
        assert!(hull.add(&point(&[2, 5, 7])));
        assert!(!hull.add(&point(&[3, 7, 7])));
        let equations = hull.equations();
        assert_eq!(equations.len(), 2);
        for (factors, value) in equations {
            for other in [[0, 1, 7], [2, 5, 7], [-4, -7, 7]] {
                let sum = factors.iter().zip(point(&other)).fold(RBig::ZERO, |s, (c, x)| s + c * x);
                assert_eq!(sum, value);
            }
        }
    }

    #[test]
    fn a_full_space_has_none() {
        let mut hull = Hull::default();
        for at in [[0, 0], [1, 0], [0, 1]] {
            assert!(hull.add(&point(&at)));
        }
        assert!(hull.equations().is_empty());
    }
}
