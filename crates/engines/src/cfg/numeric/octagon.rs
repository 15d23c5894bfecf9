//! Octagons: conjunctions of `±x ± y <= c`.
//!
//! Miné, "The octagon abstract domain" (2006), as matrices of bounds on differences of
//! signed variables, always strongly closed. On integers closure is tight: Bagnara, Hill,
//! Zaffanella, "An improved tight closure algorithm for integer octagonal constraints"
//! (2008). A single new bound is worked in by Chawdhary, Robbins, King, "Incrementally
//! closing octagons" (2019).

use super::interval::Interval;
use super::number::Number;
use super::values::Empty;

/// A variable of an octagon, or its negation: `2k` and `2k + 1` for variable `k`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Signed(usize);

impl Signed {
    pub(super) fn new(variable: usize, negated: bool) -> Self {
        Signed(2 * variable + usize::from(negated))
    }

    pub(super) fn variable(self) -> usize {
        self.0 / 2
    }

    pub(super) fn is_negated(self) -> bool {
        self.0 % 2 == 1
    }

    pub(super) fn negate(self) -> Self {
        Signed(self.0 ^ 1)
    }
}

/// What is known of a variable's new value: its interval, and how far it is from a signed
/// variable's old value.
pub(super) struct Assignment {
    pub(super) variable: usize,
    pub(super) values: Interval,
    pub(super) distances: Vec<(Signed, Interval)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Octagon {
    /// Of signed variables, twice the variables.
    size: usize,
    integral: bool,
    /// At `i·size + j` the least known bound on `v_i - v_j`; none is infinite.
    bounds: Vec<Option<Number>>,
}

impl Octagon {
    /// All points.
    pub(super) fn all(variables: usize, integral: bool) -> Self {
        let size = 2 * variables;
        let mut bounds = vec![None; size * size];
        (0..size).for_each(|at| bounds[at * size + at] = Some(Number::ZERO));
        Octagon { size, integral, bounds }
    }

    pub(super) fn variables(&self) -> usize {
        self.size / 2
    }

    /// The bound on `left - right`.
    pub(super) fn bound(&self, left: Signed, right: Signed) -> Option<&Number> {
        self.at(left.0, right.0)
    }

    /// The values of `left - right`.
    pub(super) fn difference(&self, left: Signed, right: Signed) -> Interval {
        let low = self.bound(right, left).map(|bound| -bound);
        Interval::new(low, self.bound(left, right).cloned()).expect("closed and not empty")
    }

    pub(super) fn interval(&self, variable: usize) -> Interval {
        let (plus, minus) = (Signed::new(variable, false), Signed::new(variable, true));
        let low = self.bound(minus, plus).map(|bound| -&bound.half());
        let high = self.bound(plus, minus).map(Number::half);
        Interval::new(low, high).expect("closed and not empty")
    }

    /// Only the points where `left - right` lies in the interval.
    pub(super) fn restrict_difference(
        &mut self,
        left: Signed,
        right: Signed,
        values: &Interval,
    ) -> Result<(), Empty> {
        if let Some(high) = values.high() {
            self.add(left, right, high)?;
        }
        if let Some(low) = values.low() {
            self.add(right, left, &-low)?;
        }
        Ok(())
    }

    /// Only the points where the variable lies in the interval.
    pub(super) fn restrict(&mut self, variable: usize, values: &Interval) -> Result<(), Empty> {
        let variable = Signed::new(variable, false);
        self.restrict_difference(variable, variable.negate(), &values.scale(&Number::from(2)))
    }

    /// Only the points where `left - right <= bound`.
    fn add(&mut self, left: Signed, right: Signed, bound: &Number) -> Result<(), Empty> {
        if left == right {
            return if bound.is_negative() { Err(Empty) } else { Ok(()) };
        }
        if self.bound(left, right).is_some_and(|known| known <= bound) {
            return Ok(());
        }
        // A new path ends with the bound in one of its two forms, v_a - v_b <= c and
        // v_b̄ - v_ā <= c, and may have passed the other one before.
        let (a, b, not_a, not_b) = (left.0, right.0, left.0 ^ 1, right.0 ^ 1);
        let (from_b, from_not_a) = (self.row(b).to_vec(), self.row(not_a).to_vec());
        let (b_to_not_b, not_a_to_a) = (&from_b[not_b], &from_not_a[a]);
        let twice = sum3(b_to_not_b.as_ref(), not_a_to_a.as_ref(), Some(&(bound + bound)));
        let once = sum(from_b[a].as_ref(), Some(bound));
        if [once, twice].iter().flatten().any(Number::is_negative) {
            return Err(Empty);
        }
        let mut single_changed = false;
        for from in 0..self.size {
            let to_a = sum(self.at(from, a), Some(bound));
            let to_not_b = sum(self.at(from, not_b), Some(bound));
            let across = sum3(to_not_b.as_ref(), not_a_to_a.as_ref(), Some(bound));
            let along = sum3(to_a.as_ref(), b_to_not_b.as_ref(), Some(bound));
            for (reached, path, onward) in
                [(b, least(to_a, across), &from_b), (not_a, least(to_not_b, along), &from_not_a)]
            {
                // The matrix was closed: where the way to here is no shorter, none onward is.
                let Some(path) =
                    path.filter(|path| self.at(from, reached).is_none_or(|known| path < known))
                else {
                    continue;
                };
                let row = &mut self.bounds[from * self.size..][..self.size];
                for (to, (known, rest)) in row.iter_mut().zip(onward).enumerate() {
                    let Some(rest) = rest else { continue };
                    let whole = &path + rest;
                    if known.as_ref().is_none_or(|known| whole < *known) {
                        *known = Some(whole);
                        single_changed |= to == from ^ 1;
                    }
                }
            }
        }
        if single_changed { self.strengthen() } else { Ok(()) }
    }

    /// Closes a matrix that is coherent but for which nothing else is known.
    pub(super) fn close(&mut self) -> Result<(), Empty> {
        for through in 0..self.size {
            for from in 0..self.size {
                let Some(first) = self.at(from, through).cloned() else { continue };
                for to in 0..self.size {
                    let Some(second) = self.at(through, to) else { continue };
                    let path = &first + second;
                    let known = &mut self.bounds[from * self.size + to];
                    if known.as_ref().is_none_or(|known| path < *known) {
                        *known = Some(path);
                    }
                }
            }
        }
        self.strengthen()
    }

    /// The last step of closure: bounds of single variables become even if they are
    /// integers, and bound the differences of pairs.
    fn strengthen(&mut self) -> Result<(), Empty> {
        let size = self.size;
        if (0..size).any(|at| self.at(at, at).is_some_and(Number::is_negative)) {
            return Err(Empty);
        }
        let half = if self.integral { Number::half_down } else { Number::half };
        let mut single: Vec<Option<Number>> = Vec::with_capacity(size);
        for at in 0..size {
            let bound = self.at(at, at ^ 1).map(half);
            self.bounds[at * size + (at ^ 1)] = bound.as_ref().map(|bound| bound + bound);
            single.push(bound);
        }
        for at in (0..size).step_by(2) {
            if sum(single[at].as_ref(), single[at + 1].as_ref())
                .is_some_and(|sum| sum.is_negative())
            {
                return Err(Empty);
            }
        }
        for from in 0..size {
            for to in (0..size).filter(|to| *to != from) {
                let Some(pair) = sum(single[from].as_ref(), single[to ^ 1].as_ref()) else {
                    continue;
                };
                let known = &mut self.bounds[from * size + to];
                if known.as_ref().is_none_or(|known| pair < *known) {
                    *known = Some(pair);
                }
            }
        }
        Ok(())
    }

    /// Is nothing known of the variable?
    pub(super) fn is_free(&self, variable: usize) -> bool {
        let others = |own: usize| (0..self.size).filter(move |other| *other != own);
        let free = |own: usize| others(own).all(|other| self.at(own, other).is_none());
        free(2 * variable) && free(2 * variable + 1)
    }

    pub(super) fn forget(&mut self, variable: usize) {
        for own in [2 * variable, 2 * variable + 1] {
            for other in (0..self.size).filter(|other| *other != own) {
                self.bounds[own * self.size + other] = None;
                self.bounds[other * self.size + own] = None;
            }
        }
    }

    /// The points after all assignments at once.
    pub(super) fn assign(&self, assignments: &[Assignment]) -> Result<Self, Empty> {
        let assigned =
            |signed: Signed| assignments.iter().any(|new| new.variable == signed.variable());
        if assignments.iter().flat_map(|new| &new.distances).any(|(other, _)| assigned(*other)) {
            return self.assign_beside(assignments);
        }
        let mut after = self.clone();
        assignments.iter().for_each(|assignment| after.forget(assignment.variable));
        for assignment in assignments {
            after.relate(assignment.variable, assignment)?;
        }
        Ok(after)
    }

    /// New variables are put beside the old ones, related to them, and take their places.
    fn assign_beside(&self, assignments: &[Assignment]) -> Result<Self, Empty> {
        let old = self.variables();
        let beside = (0..old + assignments.len()).map(|at| (at < old).then_some(at));
        let mut both = self.rearranged(&beside.collect::<Vec<_>>());
        let mut places: Vec<Option<usize>> = (0..old).map(Some).collect();
        for (number, assignment) in assignments.iter().enumerate() {
            both.relate(old + number, assignment)?;
            places[assignment.variable] = Some(old + number);
        }
        Ok(both.rearranged(&places))
    }

    /// Says of a variable, of which nothing is known, what the assignment says.
    fn relate(&mut self, variable: usize, assignment: &Assignment) -> Result<(), Empty> {
        for (other, distance) in &assignment.distances {
            self.restrict_difference(Signed::new(variable, false), *other, distance)?;
        }
        self.restrict(variable, &assignment.values)
    }

    /// The octagon whose variables are those at these places of this one, or are new.
    fn rearranged(&self, places: &[Option<usize>]) -> Self {
        let mut new = Octagon::all(places.len(), self.integral);
        let old = |at: usize| places[at / 2].map(|variable| 2 * variable + at % 2);
        for from in 0..new.size {
            for to in (0..new.size).filter(|to| *to != from) {
                if let (Some(old_from), Some(old_to)) = (old(from), old(to)) {
                    new.bounds[from * new.size + to] = self.at(old_from, old_to).cloned();
                }
            }
        }
        new
    }

    /// The least octagon around both.
    pub(super) fn join(&self, other: &Self) -> Self {
        self.zip(other, |a, b| Some(a?.max(b?).clone()))
    }

    /// The points of both.
    pub(super) fn meet(&self, other: &Self) -> Result<Self, Empty> {
        let mut meet = self.zip(other, |a, b| a.into_iter().chain(b).min().cloned());
        meet.close()?;
        Ok(meet)
    }

    /// The next one of a chain that becomes stationary, as long as what comes out is not
    /// closed before it is widened again: bounds that grow go to the next of the
    /// thresholds, which are ordered, or away.
    pub(super) fn widen(&self, next: &Self, thresholds: &[Number]) -> Self {
        let mut wide = self.clone();
        for from in 0..self.size {
            for to in 0..self.size {
                let scale = Number::from(if from ^ 1 == to { 2 } else { 1 });
                let known = &mut wide.bounds[from * self.size + to];
                let grown =
                    known.as_ref().is_some_and(|known| next.at(from, to).is_none_or(|n| n > known));
                if grown {
                    *known = next.at(from, to).and_then(|bound| {
                        let at =
                            thresholds.partition_point(|threshold| threshold * &scale < *bound);
                        thresholds.get(at).map(|threshold| threshold * &scale)
                    });
                }
            }
        }
        wide
    }

    /// Is every point of this one in the other? This one is closed.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        self.bounds.iter().zip(&other.bounds).all(|(own, other)| match (own, other) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(other)) => own <= other,
        })
    }

    fn zip(
        &self,
        other: &Self,
        combine: impl Fn(Option<&Number>, Option<&Number>) -> Option<Number>,
    ) -> Self {
        let pairs = self.bounds.iter().zip(&other.bounds);
        let bounds = pairs.map(|(a, b)| combine(a.as_ref(), b.as_ref())).collect();
        Octagon { size: self.size, integral: self.integral, bounds }
    }

    fn row(&self, from: usize) -> &[Option<Number>] {
        &self.bounds[from * self.size..][..self.size]
    }

    fn at(&self, from: usize, to: usize) -> Option<&Number> {
        self.bounds[from * self.size + to].as_ref()
    }
}

fn sum(left: Option<&Number>, right: Option<&Number>) -> Option<Number> {
    Some(left? + right?)
}

fn sum3(first: Option<&Number>, second: Option<&Number>, third: Option<&Number>) -> Option<Number> {
    sum(first, second).and_then(|two| sum(Some(&two), third))
}

fn least(left: Option<Number>, right: Option<Number>) -> Option<Number> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (left, right) => left.or(right),
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::Rng;

    use super::*;

    const VARIABLES: usize = 3;
    type Point = [i64; VARIABLES];

    /// A bound on the difference of two signed variables.
    type Bound = (Signed, Signed, i64);

    fn value(signed: Signed, point: &Point) -> i64 {
        let value = point[signed.variable()];
        if signed.is_negated() { -value } else { value }
    }

    fn holds((left, right, bound): &Bound, point: &Point) -> bool {
        value(*left, point) - value(*right, point) <= *bound
    }

    fn contains(octagon: &Octagon, point: &Point) -> bool {
        let signed = || (0..octagon.size).map(Signed);
        signed().all(|left| {
            signed().all(|right| {
                let difference = Number::from(value(left, point) - value(right, point));
                octagon.bound(left, right).is_none_or(|bound| difference <= *bound)
            })
        })
    }

    const REACH: i64 = 5;

    fn points() -> impl Iterator<Item = Point> {
        let range = || -REACH..=REACH;
        range().flat_map(move |x| range().flat_map(move |y| range().map(move |z| [x, y, z])))
    }

    fn random_bounds(rng: &mut Rng, count: usize) -> Vec<Bound> {
        let signed = |rng: &mut Rng| Signed(rng.below(2 * VARIABLES));
        let draw = |rng: &mut Rng| (signed(rng), signed(rng), rng.below(9) as i64 - 4);
        (0..count).map(|_| draw(rng)).filter(|(left, right, _)| left != right).collect()
    }

    /// All points within reach that satisfy the bounds; the bounds include the reach.
    fn octagon(bounds: &[Bound], integral: bool) -> Result<Octagon, Empty> {
        let mut octagon = Octagon::all(VARIABLES, integral);
        for variable in 0..VARIABLES {
            let reach =
                Interval::new(Some((-REACH).into()), Some(REACH.into())).expect("not empty");
            octagon.restrict(variable, &reach)?;
        }
        for (left, right, bound) in bounds {
            octagon.add(*left, *right, &Number::from(*bound))?;
        }
        Ok(octagon)
    }

    #[test]
    fn octagons_hold_their_points_and_every_bound_of_integers_is_reached() {
        let mut rng = Rng::new(1);
        for _ in 0..150 {
            let count = 1 + rng.below(6);
            let bounds = random_bounds(&mut rng, count);
            let inside: Vec<Point> =
                points().filter(|point| bounds.iter().all(|bound| holds(bound, point))).collect();
            let Ok(octagon) = octagon(&bounds, true) else {
                assert!(inside.is_empty(), "{bounds:?}");
                continue;
            };
            assert!(points().all(|point| contains(&octagon, &point) == inside.contains(&point)));
            for (left, right) in
                (0..octagon.size).flat_map(|i| (0..octagon.size).map(move |j| (i, j)))
            {
                let (left, right) = (Signed(left), Signed(right));
                let greatest = inside.iter().map(|p| value(left, p) - value(right, p)).max();
                assert_eq!(octagon.bound(left, right).cloned(), greatest.map(Number::from));
            }
        }
    }

    #[test]
    fn one_bound_after_the_other_closes_like_all_at_once() {
        let mut rng = Rng::new(2);
        for round in 0..300 {
            let integral = round % 2 == 0;
            let bounds = random_bounds(&mut rng, 5);
            let mut at_once = octagon(&[], integral).expect("without bounds");
            for (left, right, bound) in &bounds {
                for at in
                    [left.0 * at_once.size + right.0, (right.0 ^ 1) * at_once.size + (left.0 ^ 1)]
                {
                    let known = at_once.bounds[at].take();
                    at_once.bounds[at] = least(known, Some(Number::from(*bound)));
                }
            }
            let closed = at_once.close().map(|()| at_once);
            assert_eq!(octagon(&bounds, integral), closed, "{bounds:?}");
        }
    }

    #[test]
    fn reals_keep_their_halves() {
        let sum_and_difference = |integral| {
            let (x, y) = (Signed::new(0, false), Signed::new(1, false));
            let mut octagon = Octagon::all(2, integral);
            octagon.add(x, y.negate(), &Number::ONE)?;
            octagon.add(x, y, &Number::ZERO)?;
            Ok::<_, Empty>(octagon.interval(0).high().cloned())
        };
        assert_eq!(sum_and_difference(true), Ok(Some(Number::ZERO)));
        assert_eq!(sum_and_difference(false), Ok(Some(Number::ONE.half())));
    }

    #[test]
    fn join_meet_and_widening_hold_their_points() {
        let mut rng = Rng::new(3);
        let thresholds = [-3, 0, 3].map(Number::from);
        for _ in 0..100 {
            let left = octagon(&random_bounds(&mut rng, 3), true);
            let right = octagon(&random_bounds(&mut rng, 3), true);
            let (Ok(left), Ok(right)) = (left, right) else { continue };
            let (join, meet, wide) =
                (left.join(&right), left.meet(&right), left.widen(&right, &thresholds));
            let mut closed = join.clone();
            assert_eq!(closed.close(), Ok(()));
            assert_eq!(closed, join);
            assert!(left.is_within(&join) && right.is_within(&join));
            for point in points() {
                let (a, b) = (contains(&left, &point), contains(&right, &point));
                assert!(!(a || b) || contains(&join, &point) && contains(&wide, &point));
                assert_eq!(meet.as_ref().is_ok_and(|meet| contains(meet, &point)), a && b);
            }
        }
    }

    /// Parallel assignments of a signed variable and a number are exact.
    #[test]
    fn assignments_move_the_points() {
        let mut rng = Rng::new(4);
        for _ in 0..100 {
            let Ok(old) = octagon(&random_bounds(&mut rng, 4), true) else { continue };
            let (source, shift) = (Signed(rng.below(2 * VARIABLES)), rng.below(5) as i64 - 2);
            let swapped = Signed::new(0, false);
            let exactly = |number: i64| Interval::constant(number.into());
            let new = old.assign(&[
                Assignment {
                    variable: 0,
                    values: Interval::ALL,
                    distances: vec![(source, exactly(shift))],
                },
                Assignment {
                    variable: 1,
                    values: Interval::ALL,
                    distances: vec![(swapped, exactly(0))],
                },
            ]);
            let new = new.expect("assignments block nobody");
            let moved = |p: &Point| [value(source, p) + shift, p[0], p[2]];
            let images: Vec<Point> =
                points().filter(|p| contains(&old, p)).map(|p| moved(&p)).collect();
            assert!(images.iter().all(|image| contains(&new, image)));
            for (left, right) in
                [(0, 2), (0, 3), (2, 4), (4, 1)].map(|(i, j)| (Signed(i), Signed(j)))
            {
                let greatest = images.iter().map(|p| value(left, p) - value(right, p)).max();
                assert_eq!(new.bound(left, right).cloned(), greatest.map(Number::from));
            }
        }
    }

    #[test]
    fn a_forgotten_variable_leaves_what_the_others_have_to_do_with_each_other() {
        let (x, y, z) = (Signed::new(0, false), Signed::new(1, false), Signed::new(2, false));
        let mut octagon = Octagon::all(VARIABLES, true);
        octagon.restrict_difference(x, y, &Interval::constant(Number::ONE)).unwrap();
        octagon.restrict_difference(y, z, &Interval::constant(Number::ONE)).unwrap();
        octagon.forget(1);
        assert_eq!(octagon.difference(x, z), Interval::constant(Number::from(2)));
        assert_eq!(octagon.difference(x, y), Interval::ALL);
    }
}
