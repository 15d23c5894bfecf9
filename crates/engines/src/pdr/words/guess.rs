//! What holds in all reachable states and is found before the search begins: linear
//! equations between words, perhaps only under a condition on some bits, and bounds that
//! no step passes.
//!
//! The candidates are the equations that all states of some random runs satisfy, by value
//! of each small register; what the model itself asks to be equal; and for words and sums
//! that it compares, the bounds that the initial states keep. They are proved all together
//! by induction, equations modulo a power of two: those that do not follow one step later
//! go, until none has to (Houdini).

use std::collections::BTreeMap;

use dashu_int::IBig;
use elinvar_ir::{
    BitVec, Evaluator, ExprId, Reading, Rng, Role, Sort, TransitionSystem, Value, zero_of,
};
use elinvar_sat::{Layer, Lit};
use rustc_hash::FxHashSet;

use super::atom::{Atom, Equation, Shape, Terms, bits, sum};
use super::circuit::Init;
use super::domain::{Found, Words};
use super::templates::hull;
use super::widen::greatest;
use crate::pdr::cube::Cube;
use crate::pdr::domain::{Asked, Domain, Stopped};

/// Random runs, and the cycles of each.
const RUNS: usize = 12;
const CYCLES: usize = 24;
const MAX_CYCLES: usize = 200;
/// More words than this are not related to one another.
const MAX_WORDS: usize = 24;
/// How many states are looked for that break equations.
const MAX_CORRECTIONS: usize = 24;
/// How many expressions may be evaluated for it.
const MAX_EVALUATIONS: usize = 400_000;
/// Registers of more bits are no conditions; and conditions and sums are not more than this.
const MAX_CONDITION: u32 = 4;
const MAX_CLASSES: usize = 40;
const MAX_SUMS: usize = 30;
/// Numbers are drawn below this: small ones meet more guards, and sums do not wrap.
const SMALL: usize = 12;
/// Conflicts for one proof.
const PATIENCE: u64 = 20_000;

impl Words {
    /// Establishes what can be guessed and proved at once.
    pub fn find_invariants(&mut self, system: &TransitionSystem) -> Asked<()> {
        let numbers: Vec<usize> =
            (0..self.words.len()).filter(|&word| !self.words[word].is_logic).collect();
        if self.is_abstract || !(1..=MAX_WORDS).contains(&numbers.len()) {
            return Ok(());
        }
        let mut points = self.sample(system)?;
        let mut equations = self.equations_of(&numbers, &points);
        let mut candidates = equations.clone();
        // A state that breaks an equation is a point like those of the runs: what is left
        // are the equations that it keeps as well, and their combinations.
        for _ in 0..MAX_CORRECTIONS {
            let Some(point) = self.correction(&equations)? else { break };
            points.push(point);
            equations = self.equations_of(&numbers, &points);
            candidates.extend(equations.iter().cloned());
        }
        candidates.extend(self.equalities());
        candidates.extend(self.bounds(&numbers)?);
        let mut seen = FxHashSet::default();
        candidates.retain(|cube| seen.insert(cube.clone()));
        self.unproved = (usize::MAX, candidates);
        self.guess_again()
    }

    /// The violations of the equations that the points satisfy, all or by condition.
    fn equations_of(&mut self, numbers: &[usize], points: &[Vec<BitVec>]) -> Vec<Cube<Atom>> {
        let mut equations: Vec<(Vec<Shape>, Equation)> = Vec::new();
        for (condition, points) in self.classes(points) {
            let numbers_of = |state: &&Vec<BitVec>| {
                let number = |&word: &usize| self.words[word].reading.of(&state[word]);
                numbers.iter().map(number).collect()
            };
            let points: Vec<Vec<IBig>> = points.iter().map(numbers_of).collect();
            for (terms, value) in hull(numbers, &points) {
                let equation = self.equation(terms, |width| bits(&value, width));
                let known = |equation: &Equation| {
                    equations.iter().any(|(c, e)| c.is_empty() && e == equation)
                };
                equations.extend(equation.filter(|e| !known(e)).map(|e| (condition.clone(), e)));
            }
        }
        let cube = |(condition, equation): (Vec<Shape>, Equation)| {
            let shapes = condition.into_iter().chain([equation.violated()]);
            Cube::new(shapes.map(|shape| self.atoms.atom(shape)).collect())
        };
        equations.into_iter().map(cube).collect()
    }

    /// A state with small numbers that breaks one of the equations, after one that keeps
    /// them all.
    fn correction(&mut self, violations: &[Cube<Atom>]) -> Asked<Option<Vec<BitVec>>> {
        if violations.is_empty() {
            return Ok(None);
        }
        let inside: Vec<(Lit, Lit)> = violations.iter().map(|cube| self.inside(cube)).collect();
        let later: Vec<Lit> = inside.iter().map(|&(_, later)| later).collect();
        let kept: Vec<Lit> = inside.iter().map(|&(now, _)| !now).collect();
        // The smaller the numbers, the less likely it is that sums wrap around.
        let limits: [fn(usize) -> usize; 2] =
            [|width| (width / 2).max(4), |width| (width * 3 / 4).max(4) + 6];
        for limit in limits {
            let mut assumptions = kept.clone();
            for word in 0..self.words.len() {
                let width = self.words[word].width;
                let zeros = self.is(word, &BitVec::zero(width));
                assumptions.extend(zeros.into_iter().skip(limit(width as usize)));
            }
            match self.solve_within(Some(PATIENCE), Layer::ALWAYS, &assumptions, &[&later]) {
                Ok(None) => return Ok(Some(self.next_state())),
                Ok(Some(_)) => {}
                Err(Stopped) if self.run.stop().is_none() => {}
                Err(Stopped) => return Err(Stopped),
            }
        }
        Ok(None)
    }

    /// What could not be proved may follow from what is known by now.
    pub(super) fn guess_again(&mut self) -> Asked<()> {
        let forever = self.forever();
        if self.unproved.0 == forever || self.unproved.1.is_empty() {
            return Ok(());
        }
        let candidates = std::mem::take(&mut self.unproved.1);
        let found = self.sift(candidates.clone())?;
        let rest = candidates.into_iter().filter(|cube| !found.contains(cube)).collect();
        for cube in found {
            if let &[atom] = cube.atoms()
                && let Shape::Differs { terms, width, value } = self.atoms.shape(atom).clone()
            {
                self.equations.push(Equation { terms, width, value });
            }
            self.establish(cube);
        }
        self.unproved = (self.forever(), rest);
        Ok(())
    }

    /// The points, and those where a small register has one value of several.
    fn classes<'a>(&self, points: &'a [Vec<BitVec>]) -> Vec<(Vec<Shape>, Vec<&'a Vec<BitVec>>)> {
        let mut classes = vec![(Vec::new(), points.iter().collect())];
        for (word, info) in self.words.iter().enumerate() {
            if info.width > MAX_CONDITION || classes.len() > MAX_CLASSES {
                continue;
            }
            let mut by_value: BTreeMap<&BitVec, Vec<&Vec<BitVec>>> = BTreeMap::new();
            for point in points {
                by_value.entry(&point[word]).or_default().push(point);
            }
            for (value, points) in by_value {
                let is = |bit| Shape::Bit { word, bit, value: value.bit(bit) };
                classes.push(((0..info.width).map(is).collect(), points));
            }
        }
        classes
    }

    /// The half-spaces next to the initial states, in the directions of the words and of
    /// what the model compares.
    fn bounds(&mut self, numbers: &[usize]) -> Asked<Vec<Cube<Atom>>> {
        let sums = self.templates.directions.iter().take(MAX_SUMS).cloned();
        let directions: Vec<Terms> =
            numbers.iter().map(|&word| vec![(1, word)]).chain(sums).collect();
        let mut bounds = Vec::new();
        for terms in directions {
            for sign in [1, -1] {
                let terms: Terms = terms.iter().map(|&(c, word)| (c * sign, word)).collect();
                let next = self.greatest_initial(&terms)? + IBig::ONE;
                if next <= greatest(&self.words, &terms) {
                    let atom = self.atoms.atom(Shape::sum_at_least(&terms, &next));
                    bounds.push(Cube::new(vec![atom]));
                }
            }
        }
        Ok(bounds)
    }

    fn equation(&self, terms: Terms, value: impl Fn(u32) -> BitVec) -> Option<Equation> {
        let width = self.words[terms.first()?.1].width;
        let is_same = terms.iter().all(|&(_, word)| self.words[word].width == width);
        is_same.then(|| Equation { terms, width, value: value(width) })
    }

    /// The violations of what the model asks to be equal, with the values of an initial
    /// state.
    fn equalities(&mut self) -> Vec<Cube<Atom>> {
        let equation = |terms: &Terms| {
            let sum = sum(terms, |word| Reading::Unsigned.of(&self.origin[word]));
            self.equation(terms.clone(), |width| bits(&sum, width))
        };
        let equations: Vec<Equation> =
            self.templates.equalities.iter().filter_map(equation).collect();
        let atom = |equation: &Equation| self.atoms.atom(equation.violated());
        equations.iter().map(atom).map(|atom| Cube::new(vec![atom])).collect()
    }

    /// The largest part of the cubes that no state outside all of them steps into, as far
    /// as that can be proved with some patience.
    fn sift(&mut self, mut cubes: Vec<Cube<Atom>>) -> Asked<Vec<Cube<Atom>>> {
        cubes.retain(|cube| !self.meets_initial(cube.atoms()));
        let mut proved = 0;
        let mut position = 0;
        // Each has to be proved from those that are left.
        while proved < cubes.len() {
            let inside: Vec<(Lit, Lit)> = cubes.iter().map(|cube| self.inside(cube)).collect();
            position %= cubes.len();
            let mut assumptions = vec![inside[position].1];
            assumptions.extend(inside.iter().map(|&(now, _)| !now));
            match self.solve_within(Some(PATIENCE), Layer::ALWAYS, &assumptions, &[]) {
                Ok(Some(_)) => {
                    proved += 1;
                    position += 1;
                }
                Ok(None) => {
                    let later: Vec<Lit> = inside.iter().map(|&(_, later)| later).collect();
                    let is_reached = self.values(&later);
                    let mut is_reached = is_reached.iter();
                    cubes.retain(|_| !is_reached.next().expect("one for each cube"));
                    proved = 0;
                }
                Err(Stopped) if self.run.stop().is_some() => return Err(Stopped),
                Err(Stopped) => {
                    cubes.remove(position);
                    proved = 0;
                }
            }
        }
        Ok(cubes)
    }

    /// The states of some runs: many short ones, and a long one.
    fn sample(&mut self, system: &TransitionSystem) -> Asked<Vec<Vec<BitVec>>> {
        let mut rng = Rng::new(self.run.seed() ^ 0x5a3b1e);
        let mut points = Vec::new();
        let next: Vec<Option<ExprId>> = self.words.iter().map(|word| word.next).collect();
        let roots = next.iter().flatten().copied().chain(system.constraints().iter().copied());
        let size = elinvar_ir::cone(system.pool(), roots.clone()).len();
        let most = MAX_EVALUATIONS / size.max(1);
        let mut evaluator = Evaluator::new(system.pool(), roots);
        for run in 0..RUNS {
            let Some(mut state) = self.initial_point(&mut rng)? else { break };
            let cycles = if run == 0 { MAX_CYCLES } else { CYCLES };
            for _ in 0..cycles {
                if points.len() >= most {
                    return Ok(points);
                }
                points.push(state.clone());
                let input = |input: &elinvar_ir::Input| match system.pool().sort(input.symbol) {
                    Sort::Bv(width) => Value::Bv(small(&mut rng, width)),
                    sort @ Sort::Array { .. } => zero_of(sort),
                };
                let inputs: Vec<Value> = system.inputs().iter().map(input).collect();
                self.evaluate(system, &mut evaluator, &state, &inputs);
                if !system.constraints().iter().all(|&id| evaluator.holds(id)) {
                    let Some(inputs) = self.inputs_at(system, &state)? else { break };
                    self.evaluate(system, &mut evaluator, &state, &inputs);
                }
                let values = next.iter().zip(&self.words).map(|(next, word)| match next {
                    Some(next) => evaluator.bv(*next),
                    None => small(&mut rng, word.width),
                });
                let after: Vec<BitVec> = values.collect();
                if after == state && run == 0 && system.inputs().is_empty() {
                    break;
                }
                state = after;
            }
        }
        Ok(points)
    }

    fn evaluate(
        &self,
        system: &TransitionSystem,
        evaluator: &mut Evaluator<'_>,
        state: &[BitVec],
        inputs: &[Value],
    ) {
        evaluator.run(|symbol| match system.role_of(symbol) {
            Some(Role::Input(index)) => inputs[index].clone(),
            Some(Role::State(index)) => {
                let word = self.words.iter().position(|word| word.state == index);
                let sort = system.pool().sort(symbol);
                word.map_or_else(|| zero_of(sort), |word| Value::Bv(state[word].clone()))
            }
            None => unreachable!("symbols are inputs or states"),
        });
    }

    /// An initial state, with small numbers where that is possible.
    fn initial_point(&mut self, rng: &mut Rng) -> Asked<Option<Vec<BitVec>>> {
        let mut wishes: Vec<Lit> = Vec::new();
        for word in 0..self.words.len() {
            if self.words[word].init == Init::Free {
                wishes.extend(self.is(word, &small(rng, self.words[word].width)));
            }
        }
        Ok(self.wish(Layer::level(0), &[], wishes)?.map(|found| found.state.to_vec()))
    }

    /// Inputs that the constraints allow in a state.
    fn inputs_at(
        &mut self,
        system: &TransitionSystem,
        state: &[BitVec],
    ) -> Asked<Option<Vec<Value>>> {
        let known: Vec<Lit> =
            (0..self.words.len()).flat_map(|word| self.is(word, &state[word])).collect();
        let Some(found) = self.wish(Layer::ALWAYS, &known, Vec::new())? else {
            return Ok(None);
        };
        let value = |(input, value): (&elinvar_ir::Input, Option<BitVec>)| {
            let zero = || zero_of(system.pool().sort(input.symbol));
            value.map_or_else(zero, Value::Bv)
        };
        Ok(Some(system.inputs().iter().zip(found.choice.inputs).map(value).collect()))
    }

    /// A model of what must be, and of the wishes as far as they can be had.
    fn wish(&mut self, layer: Layer, must: &[Lit], mut wishes: Vec<Lit>) -> Asked<Option<Found>> {
        loop {
            let assumptions: Vec<Lit> = must.iter().chain(&wishes).copied().collect();
            match self.solve_within(Some(PATIENCE), layer, &assumptions, &[]) {
                Ok(None) => return Ok(self.found.take()),
                Ok(Some(core)) => {
                    let before = wishes.len();
                    // Of those that clash the last one goes.
                    if let Some(last) = wishes.iter().rposition(|wish| core.contains(wish)) {
                        wishes.remove(last);
                    }
                    if wishes.len() == before {
                        return Ok(None);
                    }
                }
                Err(Stopped) if self.run.stop().is_none() => return Ok(None),
                Err(Stopped) => return Err(Stopped),
            }
        }
    }
}

fn small(rng: &mut Rng, width: u32) -> BitVec {
    BitVec::new(width, rng.below(SMALL) as u64)
}
