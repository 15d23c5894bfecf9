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
use super::circuit::{Init, WordInfo};
use super::domain::Words;
use super::encoding::Encoding;
use super::initial::{InitialBounds, greatest};
use super::model::WordModel;
use super::solver::{FrameSolver, Solved};
use super::templates::{Templates, hull};
use super::widen::with_both_signs;
use crate::pdr::cube::Cube;
use crate::pdr::domain::{Found, Interruptible};

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

/// What was guessed, and what became of it.
pub(super) struct Guesses {
    pub templates: Templates,
    pub bounds: InitialBounds,
    /// Equations that hold in all reachable states.
    pub equations: Vec<Equation>,
    /// Guesses that could not be proved yet.
    unproved: Vec<Cube<Atom>>,
    /// How many lemmas F∞ had when they were last tried.
    tried_with: Option<usize>,
}

impl Guesses {
    pub fn new(templates: Templates) -> Self {
        Guesses {
            templates,
            bounds: InitialBounds::default(),
            equations: Vec::new(),
            unproved: Vec::new(),
            tried_with: None,
        }
    }

    /// Establishes what can be guessed and proved at once.
    pub fn find_invariants(
        &mut self,
        solver: &mut FrameSolver,
        system: &TransitionSystem,
    ) -> Interruptible<()> {
        let words = &solver.encoding.words;
        let numbers: Vec<usize> = (0..words.len()).filter(|&word| !words[word].is_logic).collect();
        if solver.is_abstract || !(1..=MAX_WORDS).contains(&numbers.len()) {
            return Ok(());
        }
        let mut points = sample(solver, system)?;
        let mut equations = equations_of(solver, &numbers, &points);
        let mut candidates = equations.clone();
        // A state that breaks an equation is a point like those of the runs: what is left
        // are the equations that it satisfies as well, and their combinations.
        for _ in 0..MAX_CORRECTIONS {
            let Some(point) = correction(solver, &equations)? else { break };
            points.push(point);
            equations = equations_of(solver, &numbers, &points);
            candidates.extend(equations.iter().cloned());
        }
        candidates.extend(self.equalities(solver));
        candidates.extend(self.half_spaces(solver, &numbers));
        let mut seen = FxHashSet::default();
        candidates.retain(|cube| seen.insert(cube.clone()));
        (self.unproved, self.tried_with) = (candidates, None);
        self.guess_again(solver)
    }

    /// Tries what could not be proved again, if there are new lemmas that it may follow from.
    pub fn guess_again(&mut self, solver: &mut FrameSolver) -> Interruptible<()> {
        if self.tried_with == Some(solver.inductive_lemmas()) || self.unproved.is_empty() {
            return Ok(());
        }
        let candidates = std::mem::take(&mut self.unproved);
        let found = sift(solver, candidates.clone())?;
        let rest = candidates.into_iter().filter(|cube| !found.contains(cube)).collect();
        for cube in found {
            if let &[atom] = cube.atoms()
                && let Shape::Differs { terms, width, value } =
                    solver.encoding.atoms.shape(atom).clone()
            {
                self.equations.push(Equation { terms, width, value });
            }
            solver.establish(cube);
        }
        (self.unproved, self.tried_with) = (rest, Some(solver.inductive_lemmas()));
        Ok(())
    }

    /// The half-spaces next to the initial states, in the directions of the words and of
    /// what the model compares.
    fn half_spaces(&mut self, solver: &mut FrameSolver, numbers: &[usize]) -> Vec<Cube<Atom>> {
        let sums = self.templates.directions.iter().take(MAX_SUMS).cloned();
        let directions: Vec<Terms> =
            numbers.iter().map(|&word| vec![(1, word)]).chain(sums).collect();
        let mut bounds = Vec::new();
        for terms in directions {
            for terms in with_both_signs(&terms) {
                let next = self.bounds.greatest(solver, &terms) + IBig::ONE;
                if next <= greatest(&solver.encoding.words, &terms) {
                    let atom = solver.encoding.atoms.atom(Shape::sum_at_least(&terms, &next));
                    bounds.push(Cube::new(vec![atom]));
                }
            }
        }
        bounds
    }

    /// The violations of what the model asks to be equal, with the values of an initial
    /// state.
    fn equalities(&self, solver: &mut FrameSolver) -> Vec<Cube<Atom>> {
        let equation_of = |terms: &Terms| {
            let sum = sum(terms, |word| Reading::Unsigned.of(&solver.origin[word]));
            equation(&solver.encoding.words, terms.clone(), |width| bits(&sum, width))
        };
        let equations: Vec<Equation> =
            self.templates.equalities.iter().filter_map(equation_of).collect();
        let atom = |equation: &Equation| solver.encoding.atoms.atom(equation.violated());
        equations.iter().map(atom).map(|atom| Cube::new(vec![atom])).collect()
    }
}

/// The violations of the equations that the points satisfy, all or by condition.
fn equations_of(
    solver: &mut FrameSolver,
    numbers: &[usize],
    points: &[Vec<BitVec>],
) -> Vec<Cube<Atom>> {
    let Encoding { words, atoms, .. } = &mut solver.encoding;
    let mut equations: Vec<(Vec<Shape>, Equation)> = Vec::new();
    for (condition, points) in classes(words, points) {
        let numbers_of = |state: &&Vec<BitVec>| {
            let number = |&word: &usize| words[word].reading.of(&state[word]);
            numbers.iter().map(number).collect()
        };
        let points: Vec<Vec<IBig>> = points.iter().map(numbers_of).collect();
        for (terms, value) in hull(numbers, &points) {
            let found = equation(words, terms, |width| bits(&value, width));
            let known =
                |equation: &Equation| equations.iter().any(|(c, e)| c.is_empty() && e == equation);
            equations.extend(found.filter(|e| !known(e)).map(|e| (condition.clone(), e)));
        }
    }
    let cube = |(condition, equation): (Vec<Shape>, Equation)| {
        let shapes = condition.into_iter().chain([equation.violated()]);
        Cube::new(shapes.map(|shape| atoms.atom(shape)).collect())
    };
    equations.into_iter().map(cube).collect()
}

/// A state with small numbers that breaks one of the equations, after one that keeps
/// them all.
fn correction(
    solver: &mut FrameSolver,
    violations: &[Cube<Atom>],
) -> Interruptible<Option<Vec<BitVec>>> {
    if violations.is_empty() {
        return Ok(None);
    }
    let inside: Vec<(Lit, Lit)> = violations.iter().map(|cube| solver.inside(cube)).collect();
    let later: Vec<Lit> = inside.iter().map(|&(_, later)| later).collect();
    let kept: Vec<Lit> = inside.iter().map(|&(now, _)| !now).collect();
    // The smaller the numbers, the less likely it is that sums wrap around.
    let limits: [fn(usize) -> usize; 2] =
        [|width| (width / 2).max(4), |width| (width * 3 / 4).max(4) + 6];
    for limit in limits {
        let mut assumptions = kept.clone();
        for word in 0..solver.encoding.words.len() {
            let width = solver.encoding.words[word].width;
            let zeros = solver.is(word, &BitVec::zero(width));
            assumptions.extend(zeros.into_iter().skip(limit(width as usize)));
        }
        // SAT?  no violation ∧ small numbers ∧ T ∧ (violation₁′ ∨ violation₂′ ∨ …)
        let next_state = |model: &WordModel<'_>| model.next_state();
        match solver.attempt(PATIENCE, Layer::ALWAYS, &assumptions, &[&later], next_state)? {
            Some(Solved::Sat(state)) => return Ok(Some(state)),
            Some(Solved::Unsat(_)) | None => {}
        }
    }
    Ok(None)
}

/// The points, and those where a small register has one value of several.
fn classes<'a>(
    words: &[WordInfo],
    points: &'a [Vec<BitVec>],
) -> Vec<(Vec<Shape>, Vec<&'a Vec<BitVec>>)> {
    let mut classes = vec![(Vec::new(), points.iter().collect())];
    for (word, info) in words.iter().enumerate() {
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

/// An equation, if all its words have the same width.
fn equation(words: &[WordInfo], terms: Terms, value: impl Fn(u32) -> BitVec) -> Option<Equation> {
    let width = words[terms.first()?.1].width;
    let is_same = terms.iter().all(|&(_, word)| words[word].width == width);
    is_same.then(|| Equation { terms, width, value: value(width) })
}

/// The largest part of the cubes that no state outside all of them steps into, as far
/// as that can be proved with some patience.
fn sift(solver: &mut FrameSolver, mut cubes: Vec<Cube<Atom>>) -> Interruptible<Vec<Cube<Atom>>> {
    cubes.retain(|cube| !solver.meets_initial(cube.atoms()));
    let mut proved = 0;
    let mut position = 0;
    // Each has to be proved from those that are left.
    while proved < cubes.len() {
        let inside: Vec<(Lit, Lit)> = cubes.iter().map(|cube| solver.inside(cube)).collect();
        position %= cubes.len();
        let mut assumptions = vec![inside[position].1];
        assumptions.extend(inside.iter().map(|&(now, _)| !now));
        let later: Vec<Lit> = inside.iter().map(|&(_, later)| later).collect();
        let is_reached = |model: &WordModel<'_>| -> Vec<bool> {
            later.iter().map(|&lit| model.is_true(lit)).collect()
        };
        match solver.attempt(PATIENCE, Layer::ALWAYS, &assumptions, &[], is_reached)? {
            Some(Solved::Unsat(_)) => {
                proved += 1;
                position += 1;
            }
            Some(Solved::Sat(is_reached)) => {
                let mut is_reached = is_reached.iter();
                cubes.retain(|_| !is_reached.next().expect("one for each cube"));
                proved = 0;
            }
            None => {
                cubes.remove(position);
                proved = 0;
            }
        }
    }
    Ok(cubes)
}

/// The states of some runs: many short ones, and a long one.
fn sample(solver: &mut FrameSolver, system: &TransitionSystem) -> Interruptible<Vec<Vec<BitVec>>> {
    let mut rng = Rng::new(solver.run.seed() ^ 0x5a3b1e);
    let mut points = Vec::new();
    let next: Vec<Option<ExprId>> = solver.encoding.words.iter().map(|word| word.next).collect();
    let roots = next.iter().flatten().copied().chain(system.constraints().iter().copied());
    let size = elinvar_ir::cone(system.pool(), roots.clone()).len();
    let most = MAX_EVALUATIONS / size.max(1);
    let mut evaluator = Evaluator::new(system.pool(), roots);
    for run in 0..RUNS {
        let Some(mut state) = initial_point(solver, &mut rng)? else { break };
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
            evaluate(&solver.encoding.words, system, &mut evaluator, &state, &inputs);
            if !system.constraints().iter().all(|&id| evaluator.holds(id)) {
                let Some(inputs) = inputs_at(solver, system, &state)? else { break };
                evaluate(&solver.encoding.words, system, &mut evaluator, &state, &inputs);
            }
            let values = next.iter().zip(&solver.encoding.words).map(|(next, word)| match next {
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
    words: &[WordInfo],
    system: &TransitionSystem,
    evaluator: &mut Evaluator<'_>,
    state: &[BitVec],
    inputs: &[Value],
) {
    evaluator.run(|symbol| match system.role_of(symbol) {
        Some(Role::Input(index)) => inputs[index].clone(),
        Some(Role::State(index)) => {
            let word = words.iter().position(|word| word.state == index);
            let sort = system.pool().sort(symbol);
            word.map_or_else(|| zero_of(sort), |word| Value::Bv(state[word].clone()))
        }
        None => unreachable!("symbols are inputs or states"),
    });
}

/// An initial state, with small numbers where that is possible.
fn initial_point(solver: &mut FrameSolver, rng: &mut Rng) -> Interruptible<Option<Vec<BitVec>>> {
    let mut preferred: Vec<Lit> = Vec::new();
    for word in 0..solver.encoding.words.len() {
        if solver.encoding.words[word].init == Init::Free {
            let value = small(rng, solver.encoding.words[word].width);
            preferred.extend(solver.is(word, &value));
        }
    }
    Ok(prefer(solver, Layer::level(0), &[], preferred)?.map(|found| found.state.to_vec()))
}

/// Inputs that the constraints allow in a state.
fn inputs_at(
    solver: &mut FrameSolver,
    system: &TransitionSystem,
    state: &[BitVec],
) -> Interruptible<Option<Vec<Value>>> {
    let known: Vec<Lit> =
        (0..solver.encoding.words.len()).flat_map(|word| solver.is(word, &state[word])).collect();
    let Some(found) = prefer(solver, Layer::ALWAYS, &known, Vec::new())? else {
        return Ok(None);
    };
    let value = |(input, value): (&elinvar_ir::Input, &Option<BitVec>)| {
        let zero = || zero_of(system.pool().sort(input.symbol));
        value.clone().map_or_else(zero, Value::Bv)
    };
    Ok(Some(system.inputs().iter().zip(&found.choice.inputs).map(value).collect()))
}

/// A model of what is required, and of what is preferred as far as that is possible.
fn prefer(
    solver: &mut FrameSolver,
    layer: Layer,
    required: &[Lit],
    mut preferred: Vec<Lit>,
) -> Interruptible<Option<Found<Words>>> {
    loop {
        let assumptions: Vec<Lit> = required.iter().chain(&preferred).copied().collect();
        match solver.attempt(PATIENCE, layer, &assumptions, &[], |model| model.found())? {
            Some(Solved::Sat(found)) => return Ok(Some(found)),
            Some(Solved::Unsat(core)) => {
                // The last of the preferences in the core goes.
                match preferred.iter().rposition(|lit| core.contains(lit)) {
                    Some(last) => drop(preferred.remove(last)),
                    None => return Ok(None),
                }
            }
            None => return Ok(None),
        }
    }
}

fn small(rng: &mut Rng, width: u32) -> BitVec {
    BitVec::new(width, rng.below(SMALL) as u64)
}
