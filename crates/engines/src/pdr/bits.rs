//! The domain of bits: cubes of register literals, one SAT core for all frames.
//!
//! A second solver without the constraints makes predecessors small: with the
//! inputs and the state fixed, `T ∧ ¬(target′ ∧ constraints)` has no model, and
//! the literals of the core are enough to reach the target. So constraints are
//! respected: every state of a lifted cube satisfies them with these inputs.

use std::rc::Rc;
use std::time::Instant;

use elinvar_ir::{PropertyId, Rng};
use elinvar_sat::{Answer, Layer, LemmaId, Lit, Model, Proof, Query, Scope, Solver, Var};

use super::activity::Activity;
use super::cube::Cube;
use super::domain::{
    Adopting, Domain, Effort, Found, Interruptible, Level, Predecessor, Purpose, Source, Step,
    TargetsReached,
};
use super::known_steps::{KnownStep, KnownSteps};
use super::statistics::PdrStatistics;
use super::trim::trim;
use crate::relation::Justifier;
use crate::relation::{Init, Transition};
use crate::run::{Run, work_of};

/// The work of a query besides propagation, in the unit of [`Run::stop_after`].
const WORK_OF_A_QUERY: u64 = 4;

pub(crate) struct Bits {
    transition: Transition,
    solver: Solver,
    lifter: Solver,
    justifier: Justifier,
    /// Present when initial values are expressions.
    initial: Option<Solver>,
    /// One initial state.
    origin: Box<[u64]>,
    activity: Activity,
    known_steps: KnownSteps,
    run: Run,
    asked: u64,
    /// By signal: it is in the domain of every query, because a lemma mentions it.
    is_watched: Vec<bool>,
    pub statistics: PdrStatistics,
    // Buffers that are used again and again.
    assumptions: Vec<Lit>,
    clause: Vec<Lit>,
    inputs: Vec<u64>,
}

/// A cube in the next state, as literals, and a literal that implies all of them.
#[derive(Debug)]
pub(crate) struct Target {
    switch: Lit,
    next: Box<[Lit]>,
}

impl Bits {
    pub fn new(transition: Transition, run: &Run) -> Interruptible<Self> {
        let mut initial = initial_solver(&transition, run);
        let origin = origin(&transition, initial.as_mut(), run)?;
        let mut solver = main_solver(&transition, &origin, run);
        let mut lifter = Solver::new();
        transition.load(&mut lifter);
        stop_with(&mut lifter, run);
        let statistics = PdrStatistics {
            variables: transition.var_count(),
            clauses: transition.clause_count(),
            ..PdrStatistics::default()
        };
        let mut activity = Activity::new(transition.registers.len());
        vary(run.seed(), &transition, &mut solver, &mut activity);
        Ok(Bits {
            inputs: vec![0; transition.inputs.div_ceil(64)],
            activity,
            is_watched: vec![false; transition.signals.count()],
            justifier: Justifier::new(&transition.network),
            known_steps: KnownSteps::new(&transition.network, 0),
            transition,
            solver,
            lifter,
            initial,
            origin,
            run: run.clone(),
            asked: 0,
            statistics,
            assumptions: Vec::new(),
            clause: Vec::new(),
        })
    }

    /// Keeps the steps that queries find, about this many, and answers later queries by them.
    pub fn keep_steps(&mut self, count: usize) {
        self.known_steps = KnownSteps::new(&self.transition.network, count);
    }

    pub fn transition(&self) -> &Transition {
        &self.transition
    }

    /// Forgets all lemmas and what was learnt from them.
    pub fn begin_anew(&mut self) {
        self.count_work();
        self.is_watched.fill(false);
        self.solver = main_solver(&self.transition, &self.origin, &self.run);
    }

    /// What of an invariant a property needs, or all of it if the run is over before
    /// that is known.
    pub fn trim(&self, property: usize, mut invariant: Vec<Cube<Lit>>) -> Vec<Cube<Lit>> {
        let bad = self.transition.bads[property].1;
        // Other proofs may need less. A round takes as long as a proof, so it must save something.
        let mut is_worthwhile = true;
        while is_worthwhile
            && let Ok(mut fewer) = trim(&self.transition, &self.origin, bad, &invariant, &self.run)
        {
            is_worthwhile = 5 * fewer.len() < 4 * invariant.len();
            fewer.reverse();
            invariant = fewer;
        }
        invariant
    }

    /// About what the activity of an atom is that was in every lemma so far.
    pub fn activity_limit(&self) -> f64 {
        self.activity.limit()
    }

    /// One initial state, by register.
    pub fn origin(&self) -> Rc<[bool]> {
        (0..self.transition.registers.len()).map(|index| bit(&self.origin, index)).collect()
    }

    pub fn property_id(&self, property: usize) -> PropertyId {
        self.transition.bads[property].0
    }

    /// An initial state in the cube, a value for every register. None if initial
    /// values depend on inputs of the first cycle and these inputs do not fit.
    pub fn initial_state(&mut self, cube: &[Lit], choice: &[Lit]) -> Option<Vec<bool>> {
        let count = self.transition.registers.len();
        let mut state: Vec<bool> = (0..count).map(|index| bit(&self.origin, index)).collect();
        for lit in cube {
            state[lit.var().index() - 1] = !lit.is_negative();
        }
        if let Some(solver) = &mut self.initial {
            let assumptions: Vec<Lit> = cube.iter().chain(choice).copied().collect();
            let Answer::Sat(model) = solver.solve(&all(&assumptions)) else { return None };
            for (index, value) in state.iter_mut().enumerate() {
                let lit = Transition::register_var(index).positive();
                *value = model.value(lit).unwrap_or(*value);
            }
        }
        state.truncate(self.transition.plain_registers());
        Some(state)
    }

    /// Adds what the solver did in its life to the statistics. Said once of a solver.
    pub fn count_work(&mut self) {
        let work = self.solver.statistics();
        self.statistics.conflicts += work.conflicts;
        self.statistics.decisions += work.decisions;
        self.statistics.propagations += work.propagations;
        self.statistics.domain_variables += work.domain;
    }

    /// Must the run stop? Interruptible now and then.
    fn pause(&mut self) -> Interruptible<()> {
        self.asked += 1;
        let done = self.solver.take_ticks() + self.lifter.take_ticks();
        self.run.spend(WORK_OF_A_QUERY + work_of(done));
        if self.asked.is_multiple_of(64) { self.run.go_on() } else { Ok(()) }
    }

    fn assume_next(&mut self, cube: &[Lit]) {
        self.assumptions.clear();
        self.assumptions.extend_from_slice(cube);
        sort_by_use(&mut self.assumptions, &self.activity);
        for lit in &mut self.assumptions {
            *lit = self.transition.next(*lit);
        }
    }

    /// The atoms of the cube that are in the core; those with the same next value
    /// as another one are not needed.
    fn core_of(&mut self, cube: &[Lit], failed: &[Lit]) -> Vec<Lit> {
        let mut failed = failed.to_vec();
        failed.sort_unstable();
        let mut used = vec![false; failed.len()];
        let mut core = Vec::with_capacity(failed.len());
        for &lit in cube {
            if let Ok(index) = failed.binary_search(&self.transition.next(lit))
                && !std::mem::replace(&mut used[index], true)
            {
                core.push(lit);
            }
        }
        if self.meets_initial(&core) {
            self.exclude_initial(cube, &mut core);
        }
        core
    }

    /// Adds atoms of the cube, which has no initial state, until the core has none.
    fn exclude_initial(&mut self, cube: &[Lit], core: &mut Vec<Lit>) {
        let differs = |lit: &&Lit| {
            let init = self.transition.registers[lit.var().index() - 1].init;
            matches!(init, Init::Constant(value) if value == lit.is_negative())
        };
        let activity = |lit: &Lit| self.activity.of(lit.var().index() - 1);
        let best = cube.iter().filter(differs).max_by(|a, b| activity(a).total_cmp(&activity(b)));
        if let Some(&lit) = best {
            core.push(lit);
            return;
        }
        let solver = self.initial.as_mut().expect("only expressions exclude without a literal");
        if let Answer::Unsat(needed) = solver.solve(&all(cube)) {
            core.extend_from_slice(needed.lits());
        } else {
            *core = cube.to_vec();
        }
        core.sort_unstable();
        core.dedup();
    }

    /// Makes the state that was found as large a set as the target allows. The
    /// target is given as literals of the clauses and of the network.
    fn lift(
        &mut self,
        found: Found<Self>,
        target: &[Lit],
        in_network: &[Lit],
        effort: Effort,
    ) -> Interruptible<Predecessor<Self>> {
        let started = Instant::now();
        let Found { state: point, choice, assigned } = found;
        self.inputs.fill(0);
        for lit in &choice {
            let input = self.transition.input_of(lit.var()).expect("choices are of inputs");
            set_bit(&mut self.inputs, input, !lit.is_negative());
        }
        let registers = self.transition.registers.len();
        let (activity, inputs) = (&self.activity, &self.inputs);
        let leaf = |var: Var| match var.index() {
            0 => (true, 0),
            index if index <= registers => {
                let used = (activity.relative(index - 1) * 64.0) as u32;
                (bit(&point, index - 1), 256 - used.min(128))
            }
            index => (bit(inputs, index - 1 - registers), 0),
        };
        let network = &self.transition.network;
        let targets = in_network.iter().chain(&network.constraints).copied();
        let mut state = Vec::new();
        let justified = self.justifier.justify(network, targets, leaf, |var, value| {
            if (1..=registers).contains(&var.index()) {
                state.push(var.positive().negate_if(!value));
            }
        });
        debug_assert!(justified, "the model makes the target true");
        if !justified {
            let lit = |index| Transition::register_var(index).positive();
            state = (0..registers).map(|index| lit(index).negate_if(!bit(&point, index))).collect();
        }
        self.statistics.lift.add(false, started.elapsed());
        if effort == Effort::UntilStable || !justified {
            self.shrink(target, &choice, &mut state)?;
        }
        self.statistics.lifting.add(assigned, state.len());
        Ok(Predecessor { cube: Cube::new(state), choice })
    }

    /// UNSAT:  inputs ∧ state ∧ T ∧ ¬(target ∧ constraints)
    fn shrink(
        &mut self,
        target: &[Lit],
        choice: &[Lit],
        state: &mut Vec<Lit>,
    ) -> Interruptible<()> {
        sort_by_use(state, &self.activity);
        self.clause.clear();
        self.clause.extend(target.iter().chain(&self.transition.constraints).map(|&lit| !lit));
        loop {
            let started = Instant::now();
            self.assumptions.clear();
            self.assumptions.extend(choice.iter().chain(state.iter()));
            let query = Query {
                layer: Layer::ALWAYS,
                assumptions: &self.assumptions,
                temporary: &[&self.clause],
                scope: Scope::Cone,
                conflicts: None,
            };
            let length = state.len();
            match self.lifter.solve(&query) {
                Answer::Unsat(core) => state.retain(|&lit| core.contains(lit)),
                // A state with its inputs determines the next one.
                Answer::Sat(_) => debug_assert!(false, "the cone of the target is assigned"),
                Answer::Stopped => return Err(self.run.stopped()),
            }
            self.statistics.lift.add(false, started.elapsed());
            if state.len() == length {
                return Ok(());
            }
            state.reverse();
        }
    }
}

impl Domain for Bits {
    type Atom = Lit;
    type Choice = Box<[Lit]>;
    type Lemma = LemmaId;
    type State = Box<[u64]>;

    fn bad(&mut self, level: Level, property: usize) -> Interruptible<Option<Predecessor<Self>>> {
        self.pause()?;
        let started = Instant::now();
        let bad = self.transition.bads[property].1;
        let query = Query {
            layer: level.layer(),
            assumptions: &[bad],
            temporary: &[],
            scope: Scope::Cone,
            conflicts: None,
        };
        let found = match self.solver.solve(&query) {
            Answer::Sat(model) => Some(read(&self.transition, &self.origin, &model)),
            Answer::Unsat(_) => None,
            Answer::Stopped => return Err(self.run.stopped()),
        };
        self.statistics.bad.add(found.is_some(), started.elapsed());
        let in_network = self.transition.network.bads[property];
        found.map(|found| self.lift(found, &[bad], &[in_network], Effort::UntilStable)).transpose()
    }

    fn step(
        &mut self,
        level: Level,
        cube: &[Lit],
        source: Source,
        purpose: Purpose,
    ) -> Interruptible<Step<Self>> {
        self.pause()?;
        if source == Source::Outside
            && let Some(step) = self.known_steps.find(level, cube)
        {
            let KnownStep { state, choice, assigned, .. } = step.clone();
            self.statistics.count(purpose).known += 1;
            return Ok(Step::Reached(Found { state, choice, assigned }));
        }
        let started = Instant::now();
        self.assume_next(cube);
        self.clause.clear();
        self.clause.extend(cube.iter().map(|&lit| !lit));
        let temporary: &[&[Lit]] = match source {
            Source::Anywhere => &[],
            Source::Outside => &[&self.clause],
        };
        let query = Query {
            layer: level.layer(),
            assumptions: &self.assumptions,
            temporary,
            scope: Scope::Cone,
            conflicts: None,
        };
        let answer = match self.solver.solve(&query) {
            Answer::Sat(model) => Step::Reached(read(&self.transition, &self.origin, &model)),
            Answer::Unsat(failed) => Step::Blocked(failed.lits().to_vec()),
            Answer::Stopped => return Err(self.run.stopped()),
        };
        let is_reached = matches!(answer, Step::Reached(_));
        if let Step::Reached(Found { state, choice, assigned }) = &answer {
            self.known_steps.add(&self.transition.network, level, state, choice, *assigned);
        }
        self.statistics.count(purpose).add(is_reached, started.elapsed());
        Ok(match answer {
            Step::Reached(found) => Step::Reached(found),
            Step::Blocked(failed) => Step::Blocked(self.core_of(cube, &failed)),
        })
    }

    fn knows_step(&self, level: Level, cube: &[Lit]) -> bool {
        self.known_steps.find(level, cube).is_some()
    }

    fn predecessor(
        &mut self,
        found: Found<Self>,
        cube: &[Lit],
        effort: Effort,
    ) -> Interruptible<Predecessor<Self>> {
        let target: Vec<Lit> = cube.iter().map(|&lit| self.transition.next(lit)).collect();
        let in_network: Vec<Lit> = cube
            .iter()
            .map(|lit| {
                self.transition.network.next[lit.var().index() - 1].negate_if(lit.is_negative())
            })
            .collect();
        self.lift(found, &target, &in_network, effort)
    }

    fn contains(&self, cube: &[Lit], state: &Box<[u64]>) -> bool {
        cube.iter().all(|lit| bit(state, lit.var().index() - 1) != lit.is_negative())
    }

    fn meets_initial(&mut self, cube: &[Lit]) -> bool {
        let agrees = |lit: &Lit| match self.transition.registers[lit.var().index() - 1].init {
            Init::Constant(value) => value != lit.is_negative(),
            Init::Free | Init::Equal(_) | Init::Defined => true,
        };
        cube.iter().all(agrees)
            && self
                .initial
                .as_mut()
                .is_none_or(|solver| !matches!(solver.solve(&all(cube)), Answer::Unsat(_)))
    }

    fn learn(&mut self, cube: &Cube<Lit>, level: Level) -> LemmaId {
        self.activity.bump(cube.atoms().iter().map(|lit| lit.var().index() - 1));
        self.statistics.lemmas += 1;
        self.known_steps.exclude(cube.atoms(), level);
        self.clause.clear();
        self.clause.extend(cube.atoms().iter().map(|&lit| !lit));
        watch(&self.transition, &mut self.solver, cube.atoms(), &mut self.is_watched);
        self.solver.add_lemma(&self.clause, level.layer())
    }

    fn raise(&mut self, lemma: LemmaId, cube: &Cube<Lit>, level: Level) {
        self.known_steps.exclude(cube.atoms(), level);
        self.solver.raise_lemma(lemma, level.layer());
    }

    fn forget(&mut self, lemma: LemmaId) {
        self.solver.remove_lemma(lemma);
    }

    fn statistics(&mut self) -> &mut PdrStatistics {
        &mut self.statistics
    }

    fn activity(&self, atom: Lit) -> f64 {
        self.activity.of(atom.var().index() - 1)
    }
}

impl Adopting for Bits {
    type Target = Target;

    fn target(&mut self, cube: &Cube<Lit>) -> Target {
        let switch = self.solver.new_var();
        let next: Box<[Lit]> = cube.atoms().iter().map(|&lit| self.transition.next(lit)).collect();
        let fan_in: Vec<Var> = next.iter().map(|lit| lit.var()).collect();
        self.solver.set_fan_in(switch, &fan_in);
        for &lit in &next {
            self.solver.add_clause(&[!switch.positive(), lit]);
        }
        Target { switch: switch.positive(), next }
    }

    fn reached(
        &mut self,
        level: Level,
        targets: &[&Target],
    ) -> Interruptible<Option<TargetsReached<Self>>> {
        self.pause()?;
        let started = Instant::now();
        self.clause.clear();
        self.clause.extend(targets.iter().map(|target| target.switch));
        let query = Query {
            layer: level.layer(),
            assumptions: &[],
            temporary: &[&self.clause],
            scope: Scope::Cone,
            conflicts: None,
        };
        let reached = match self.solver.solve(&query) {
            Answer::Sat(model) => {
                let holds = |&lit: &Lit| model.value(lit) == Some(true);
                let is_reached = |&index: &usize| targets[index].next.iter().all(holds);
                let targets = (0..targets.len()).filter(is_reached).collect();
                let state = read(&self.transition, &self.origin, &model).state;
                Some(TargetsReached { state, targets })
            }
            Answer::Unsat(_) => None,
            Answer::Stopped => return Err(self.run.stopped()),
        };
        self.statistics.adopt.add(reached.is_some(), started.elapsed());
        Ok(reached)
    }

    fn release(&mut self, target: Target) {
        self.solver.add_clause(&[!target.switch]);
    }
}

/// The state and the inputs of a model.
fn read(transition: &Transition, origin: &[u64], model: &Model<'_>) -> Found<Bits> {
    let mut state: Box<[u64]> = origin.into();
    let mut choice = Vec::new();
    let mut assigned = 0;
    for lit in model.all_lits() {
        if let Some(index) = transition.register_of(lit.var()) {
            set_bit(&mut state, index, !lit.is_negative());
            assigned += usize::from(model.is_in_domain(lit));
        } else if transition.input_of(lit.var()).is_some() && model.is_in_domain(lit) {
            choice.push(lit);
        }
    }
    let registers = transition.plain_registers();
    if transition.signals.count() == 0 {
        return Found { state, choice: choice.into_boxed_slice(), assigned };
    }
    let values = state.clone();
    transition.signals.evaluate(
        |register| bit(&values, register),
        |signal, value| set_bit(&mut state, registers + signal, value),
    );
    Found { state, choice: choice.into_boxed_slice(), assigned }
}

/// Puts the signals of a lemma and what defines them into the domain of every query: the
/// values that registers have by default do not determine theirs.
pub(super) fn watch<P: Proof>(
    transition: &Transition,
    solver: &mut Solver<P>,
    atoms: &[Lit],
    is_watched: &mut [bool],
) {
    let registers = transition.plain_registers();
    for lit in atoms {
        if let Some(signal) = (lit.var().index() - 1).checked_sub(registers)
            && !std::mem::replace(&mut is_watched[signal], true)
        {
            solver.add_permanent_root(lit.var());
        }
    }
}

/// What seeds other than zero vary: first phases, and the order of registers that
/// no lemma has told apart. Seed zero varies nothing.
fn vary(seed: u64, transition: &Transition, solver: &mut Solver, activity: &mut Activity) {
    if seed == 0 {
        return;
    }
    let mut rng = Rng::new(seed);
    // Only a tie-break: the first lemma outweighs it.
    activity.set_all(|| rng.below(1 << 20) as f64 * 1e-12);
    for index in 1 + transition.registers.len()..transition.var_count() {
        solver.set_phase(Var::new(index), rng.one_in(2));
    }
}

/// A bit of a packed state.
fn bit(state: &[u64], index: usize) -> bool {
    state[index / 64] >> (index % 64) & 1 == 1
}

fn set_bit(state: &mut [u64], index: usize, value: bool) {
    let bit = 1 << (index % 64);
    if value {
        state[index / 64] |= bit;
    } else {
        state[index / 64] &= !bit;
    }
}

/// Atoms with much use first: cores prefer the front.
fn sort_by_use(atoms: &mut [Lit], activity: &Activity) {
    let activity = |lit: &Lit| activity.of(lit.var().index() - 1);
    atoms.sort_by(|a, b| activity(b).total_cmp(&activity(a)));
}

/// A query without frames and cones.
fn all(assumptions: &[Lit]) -> Query<'_> {
    Query { layer: Layer::ALWAYS, assumptions, temporary: &[], scope: Scope::All, conflicts: None }
}

fn stop_with<P: Proof>(solver: &mut Solver<P>, run: &Run) {
    let run = run.clone();
    solver.set_stop(move |done| run.stop_after(work_of(done)).is_some());
}

/// A solver for the initial states, when some initial value is an expression.
fn initial_solver(transition: &Transition, run: &Run) -> Option<Solver> {
    let is_expression = |init| matches!(init, Init::Equal(_) | Init::Defined);
    if !transition.registers.iter().any(|register| is_expression(register.init)) {
        return None;
    }
    let mut solver = Solver::new();
    transition.load(&mut solver);
    stop_with(&mut solver, run);
    for (index, register) in transition.registers.iter().enumerate() {
        let lit = Transition::register_var(index).positive();
        match register.init {
            Init::Constant(value) => solver.add_clause(&[lit.negate_if(!value)]),
            Init::Free | Init::Defined => {}
            Init::Equal(init) => {
                solver.add_clause(&[!lit, init]);
                solver.add_clause(&[lit, !init]);
            }
        }
    }
    Some(solver)
}

/// One initial state.
fn origin(
    transition: &Transition,
    initial: Option<&mut Solver>,
    run: &Run,
) -> Interruptible<Box<[u64]>> {
    let count = transition.registers.len();
    let mut origin = vec![0; count.div_ceil(64)].into_boxed_slice();
    let mut set =
        |index: usize, value: bool| origin[index / 64] |= u64::from(value) << (index % 64);
    match initial {
        None => {
            for (index, register) in transition.registers.iter().enumerate() {
                set(index, register.init == Init::Constant(true));
            }
        }
        Some(solver) => {
            // Initial values are functions of one another: they exist.
            let Answer::Sat(model) = solver.solve(&all(&[])) else {
                return Err(run.stopped());
            };
            for index in 0..count {
                let lit = Transition::register_var(index).positive();
                set(index, model.value(lit) == Some(true));
            }
        }
    }
    Ok(origin)
}

/// The transition relation with its constraints, and the initial states as F₀.
pub(super) fn main_solver<P: Proof>(
    transition: &Transition,
    origin: &[u64],
    run: &Run,
) -> Solver<P> {
    let mut solver = Solver::new();
    transition.load(&mut solver);
    stop_with(&mut solver, run);
    for (index, register) in transition.registers.iter().enumerate() {
        let var = Transition::register_var(index);
        solver.set_default(var, bit(origin, index));
        match register.init {
            Init::Constant(value) => solver.set_initial(var, value),
            Init::Free | Init::Defined => {}
            Init::Equal(init) => {
                solver.add_permanent_root(init.var());
                solver.add_permanent_root(var);
                let lit = var.positive();
                solver.add_lemma(&[!lit, init], Layer::level(0));
                solver.add_lemma(&[lit, !init], Layer::level(0));
            }
        }
    }
    for constraint in &transition.constraints {
        solver.add_permanent_root(constraint.var());
    }
    for &constraint in &transition.constraints {
        solver.add_clause(&[constraint]);
    }
    solver
}
