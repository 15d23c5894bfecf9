//! Paths to a bad state, unrolled backwards, in a solver that logs its derivations.
//!
//! Frames are counted by their distance from the bad state. So the unrolling is the
//! same for every bound and only grows at its far end, and what a solver learns about
//! it is of use for all bounds. What changes with the bound N is which lemmas hold
//! where: the frame at distance t is frame N − t of the trace. A lemma that holds up to
//! level l is a clause of that frame as long as N ≤ l + t, and that is exactly what the
//! *layers* of the solver are for: the copy has layer l + t, a query has layer N, and
//! what was learnt has the least layer of what it was learnt from. There are no
//! activation literals.
//!
//! The suffix of a path, from distance m on, is asked about by a domain that ends at
//! the registers of that distance.
//!
//! Each clause belongs to the frame of its farthest variable. The transition out of the
//! frame at distance t, its lemmas and its constraints speak of its own variables and
//! of the registers one step nearer: these, and no others, are shared.

use std::rc::Rc;
use std::time::{Duration, Instant};

use elinvar_ir::{PropertyId, Step, Trace};
use elinvar_logic::AigLit;
use elinvar_logic::interpolation::{Refutation, System};
use elinvar_sat::{Answer, Layer, LemmaId, Lit, Log, Query, Scope, Solver, StepId, Var};
use rustc_hash::FxHashMap;

use super::core::Core;
use super::interpolants::{Interpolants, Reading};
use super::reached::Formulas;
use crate::pdr::bit;
use crate::pdr::cube::Cube;
use crate::relation::{Init, Interruptible, Level, Transition};
use crate::ring::Gate;
use crate::run::{self, Event, Run, work_of, work_of_clauses};

/// How many words a log may have before it is better to begin anew.
const LOG_LIMIT: usize = 1 << 27;

pub(crate) struct Paths {
    transition: Rc<Transition>,
    /// By register: its value in one initial state.
    origin: Rc<[bool]>,
    definitions: Rc<Vec<std::ops::Range<usize>>>,
    solver: Solver<Log>,
    /// By distance from the bad state.
    frames: Vec<Frame>,
    /// By variable of the solver: the distance of its frame.
    distances: Vec<u32>,
    copies: FxHashMap<Cube<Lit>, Copies>,
    /// Where lemmas were last looked through.
    stamp: u32,
    /// The frame that begins in an initial state, and the lemmas that say so.
    initial: Option<(usize, Vec<LemmaId>)>,
    clause: Vec<Lit>,
    engine: &'static str,
    run: Run,
    pub statistics: PathStatistics,
}

/// What the solver did.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(crate) struct PathStatistics {
    pub queries: u64,
    pub conflicts: u64,
    pub solving: Duration,
}

struct Frame {
    /// The first of its registers, which are one after another.
    registers: Var,
    /// By variable of the transition relation.
    lits: Vec<Option<Lit>>,
    /// Registers that something in the frame depends on.
    needed: Vec<usize>,
    is_needed: Vec<bool>,
    /// How many of those are tied to the frame before.
    tied: usize,
}

/// The copies of a lemma.
struct Copies {
    level: Level,
    stamp: u32,
    /// By distance.
    lemmas: Vec<Option<LemmaId>>,
}

/// Does the path start in an initial state, or anywhere in its frame?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    Initial,
    /// In the states where this literal of the first frame is true.
    Where(Lit),
    Frame,
}

/// What became of a question.
pub(crate) enum Reply {
    /// There is such a path; [`Paths::trace`] tells it.
    Path,
    /// The last step of the proof that there is none.
    Refuted(StepId),
    /// It would have taken more conflicts than allowed.
    GivenUp,
}

impl Paths {
    pub fn new(
        transition: Rc<Transition>,
        origin: Rc<[bool]>,
        engine: &'static str,
        run: &Run,
    ) -> Self {
        let definitions = Rc::new(transition.definitions());
        let mut solver = Solver::new();
        let stop = run.clone();
        solver.set_stop(move |done| stop.stop_after(work_of(done)).is_some());
        Paths {
            transition,
            origin,
            definitions,
            solver,
            frames: Vec::new(),
            distances: Vec::new(),
            copies: FxHashMap::default(),
            stamp: 0,
            initial: None,
            clause: Vec::new(),
            engine,
            run: run.clone(),
            statistics: PathStatistics::default(),
        }
    }

    /// Is the log of derivations so long that it is better to begin anew?
    pub fn is_exhausted(&self) -> bool {
        let words = |bytes: u64| bytes as usize / size_of::<u32>();
        let share = self.run.gate().and_then(Gate::memory).map_or(usize::MAX, words);
        self.solver.proof().size() > LOG_LIMIT.min(share)
    }

    /// Makes the lemmas hold in a path of `bound` steps, in the frames of its last
    /// `length` steps. Lemmas that are not named any more follow from others.
    pub fn set_lemmas<'a>(
        &mut self,
        lemmas: impl Iterator<Item = (Level, &'a Cube<Lit>)>,
        bound: usize,
        length: usize,
    ) {
        self.unroll(length);
        self.solver.expire(Layer::level(bound));
        self.stamp += 1;
        let mut copies = std::mem::take(&mut self.copies);
        let mut work = copies.len();
        for (level, cube) in lemmas {
            let entry = copies.entry(cube.clone());
            let copies = entry.or_insert_with(|| Copies { level, stamp: 0, lemmas: Vec::new() });
            copies.stamp = self.stamp;
            if copies.level != level {
                copies.level = level;
                for (distance, lemma) in copies.lemmas.iter().enumerate() {
                    if let Some(lemma) = *lemma {
                        self.solver.raise_lemma(lemma, layer(level, distance));
                    }
                }
            }
            if copies.lemmas.len() <= length {
                copies.lemmas.resize(length + 1, None);
            }
            let first = level.finite().map_or(0, |level| bound.saturating_sub(level));
            // Bounds only grow: nearer to the bad state the lemma counts no more.
            for lemma in copies.lemmas.iter_mut().take(first).filter_map(Option::take) {
                self.solver.remove_lemma(lemma);
            }
            work += 1 + (length + 1).saturating_sub(first);
            for distance in first..=length {
                if copies.lemmas[distance].is_none() {
                    let name = self.add_copy(cube, level, distance);
                    copies.lemmas[distance] = Some(name);
                }
            }
        }
        copies.retain(|_, copies| {
            let keep = copies.stamp == self.stamp;
            if !keep {
                for lemma in copies.lemmas.iter().flatten() {
                    self.solver.remove_lemma(*lemma);
                }
            }
            keep
        });
        self.copies = copies;
        self.run.spend(work_of_clauses(work));
    }

    fn add_copy(&mut self, cube: &Cube<Lit>, level: Level, distance: usize) -> LemmaId {
        let frame = &self.frames[distance];
        self.clause.clear();
        self.clause.extend(cube.atoms().iter().map(|&atom| !frame.lit(atom)));
        self.solver.add_lemma(&self.clause, layer(level, distance))
    }

    /// SAT?  start ∧ T ∧ … ∧ T ∧ bad, over the last `length` of `bound` steps, as far as
    /// so many conflicts go.
    pub fn ask(
        &mut self,
        property: usize,
        bound: usize,
        length: usize,
        start: Start,
        conflicts: Option<u64>,
    ) -> Interruptible<Reply> {
        let (started, before) = (Instant::now(), self.solver.statistics().conflicts);
        self.unroll(length);
        let bad = self.transition.bads[property].1;
        let mut assumptions = vec![self.lit(0, bad)];
        if let Start::Where(lit) = start {
            assumptions.push(lit);
        }
        for distance in 0..=length {
            for index in 0..self.transition.constraints.len() {
                let constraint = self.transition.constraints[index];
                assumptions.push(self.lit(distance, constraint));
            }
        }
        self.unroll(length);
        let mut temporary = Vec::new();
        if start == Start::Initial {
            self.set_initial(length);
            temporary = self.initial_equations(length);
        } else if self.initial.as_ref().is_some_and(|&(distance, _)| distance <= length) {
            self.unset_initial();
        }
        let temporary: Vec<&[Lit]> = temporary.iter().map(Vec::as_slice).collect();
        let registers = self.transition.registers.len();
        let first = self.frames[length].registers;
        // What was learnt from initial values has the bound as its layer. Where paths begin
        // in other states of that frame, it must not count.
        let layer = match start {
            Start::Initial | Start::Frame => Layer::level(bound),
            Start::Where(_) => Layer::level(bound + 1),
        };
        let query = Query {
            layer,
            assumptions: &assumptions,
            temporary: &temporary,
            scope: Scope::ConeUpTo { first, end: Var::new(first.index() + registers) },
            conflicts,
        };
        let answer = match self.solver.solve(&query) {
            Answer::Sat(_) => Some(true),
            Answer::Unsat(_) => Some(false),
            Answer::Stopped => None,
        };
        self.run.spend(work_of(self.solver.take_ticks()));
        let (time, spent) = (started.elapsed(), self.solver.statistics().conflicts - before);
        self.statistics.queries += 1;
        self.statistics.conflicts += spent;
        self.statistics.solving += time;
        self.run.emit(Event::Query {
            engine: self.engine,
            kind: "paths",
            answer: match answer {
                Some(true) => run::QueryAnswer::Sat,
                Some(false) => run::QueryAnswer::Unsat,
                None => run::QueryAnswer::Stopped,
            },
            conflicts: spent,
            time,
        });
        match answer {
            Some(true) => Ok(Reply::Path),
            Some(false) => {
                let conclusion = self.solver.proof().last().expect("a refutation is logged");
                Ok(Reply::Refuted(conclusion))
            }
            None if conflicts.is_some() && self.run.stop().is_none() => Ok(Reply::GivenUp),
            None => Err(self.run.stopped()),
        }
    }

    /// The last step of the proof that no path of so many steps leads to a bad state;
    /// none if there is one. Takes as long as it takes.
    pub fn refute(
        &mut self,
        property: usize,
        bound: usize,
        start: Start,
    ) -> Interruptible<Option<StepId>> {
        match self.ask(property, bound, bound, start, None)? {
            Reply::Path => Ok(None),
            Reply::Refuted(conclusion) => Ok(Some(conclusion)),
            Reply::GivenUp => unreachable!("there is no limit"),
        }
    }

    /// The path that was found, from an initial state `length` steps before.
    pub fn trace(&self, property: PropertyId, length: usize) -> Trace {
        let model = self.solver.model().expect("asked after a path was found");
        let value = |lit: Lit, default: bool| model.value(lit).unwrap_or(default);
        let first = &self.frames[length];
        let register = |index: usize| {
            let lit = first.lit(Transition::register_var(index).positive());
            bit(value(lit, self.origin[index]))
        };
        let initial = (0..self.transition.registers.len()).map(register).collect();
        let step = |distance: usize| {
            let input = |index: usize| {
                let var = 1 + self.transition.registers.len() + index;
                let lit = self.frames[distance].lits[var];
                bit(lit.is_some_and(|lit| value(lit, false)))
            };
            Step { inputs: (0..self.transition.inputs).map(input).collect(), free: Vec::new() }
        };
        Trace { property, initial, steps: (0..=length).rev().map(step).collect(), loop_start: None }
    }

    /// The initial values that are constants hold in this frame and in no other.
    fn set_initial(&mut self, distance: usize) {
        if self.initial.as_ref().is_some_and(|(old, _)| *old == distance) {
            return;
        }
        self.unset_initial();
        let mut lemmas = Vec::new();
        for (index, register) in self.transition.registers.iter().enumerate() {
            if let Init::Constant(value) = register.init {
                let lit = Transition::register_var(index).positive().negate_if(!value);
                let lit = self.frames[distance].lit(lit);
                lemmas.push(self.solver.add_lemma(&[lit], Layer::level(distance)));
            }
        }
        self.initial = Some((distance, lemmas));
    }

    fn unset_initial(&mut self) {
        let lemmas = self.initial.take().map(|(_, lemmas)| lemmas);
        lemmas.into_iter().flatten().for_each(|lemma| self.solver.remove_lemma(lemma));
    }

    /// The initial values that are expressions, as clauses.
    fn initial_equations(&mut self, distance: usize) -> Vec<Vec<Lit>> {
        let transition = Rc::clone(&self.transition);
        let mut clauses = Vec::new();
        for (index, register) in transition.registers.iter().enumerate() {
            if let Init::Equal(init) = register.init {
                let init = self.lit(distance, init);
                let lit = Transition::register_var(index).positive();
                let lit = self.frames[distance].lit(lit);
                clauses.extend([vec![!lit, init], vec![lit, !init]]);
            }
        }
        clauses
    }

    /// Makes all frames up to a distance, and ties their registers to one another.
    fn unroll(&mut self, length: usize) {
        while self.frames.len() <= length {
            self.open_frame();
        }
        for distance in 0..length {
            while let Some(&register) = self.frames[distance].needed.get(self.frames[distance].tied)
            {
                self.frames[distance].tied += 1;
                self.tie(distance, register);
            }
        }
    }

    fn open_frame(&mut self) {
        let distance = self.frames.len();
        let count = self.transition.registers.len();
        let mut frame = Frame {
            registers: Var::new(self.distances.len()),
            lits: vec![None; self.transition.var_count()],
            needed: Vec::new(),
            is_needed: vec![false; count],
            tied: 0,
        };
        for index in 0..count {
            let var = self.new_var(distance);
            self.solver.set_default(var, self.origin[index]);
            frame.lits[Transition::register_var(index).index()] = Some(var.positive());
        }
        self.frames.push(frame);
    }

    fn new_var(&mut self, distance: usize) -> Var {
        self.distances.push(distance as u32);
        self.solver.new_var()
    }

    /// A register is what the step before makes of it.
    fn tie(&mut self, distance: usize, register: usize) {
        let next = self.transition.registers[register].next;
        let next = self.lit(distance + 1, next);
        let lit = self.frames[distance].lit(Transition::register_var(register).positive());
        self.solver.set_fan_in(lit.var(), &[next.var()]);
        self.solver.add_clause(&[!lit, next]);
        self.solver.add_clause(&[lit, !next]);
    }

    /// A literal of the transition relation in a frame.
    fn lit(&mut self, distance: usize, lit: Lit) -> Lit {
        let (transition, definitions) = (Rc::clone(&self.transition), Rc::clone(&self.definitions));
        let mut stack = vec![lit.var()];
        while let Some(&var) = stack.last() {
            let frame = &mut self.frames[distance];
            if let Some(register) = transition.register_of(var) {
                frame.need(register);
            } else if frame.lits[var.index()].is_none() {
                let before = stack.len();
                let clauses = definitions[var.index()].clone();
                for other in clauses.flat_map(|index| transition.clause(index)).map(|lit| lit.var())
                {
                    if let Some(register) = transition.register_of(other) {
                        frame.need(register);
                    } else if other != var && frame.lits[other.index()].is_none() {
                        stack.push(other);
                    }
                }
                if stack.len() > before {
                    continue;
                }
                self.define(distance, var);
            }
            stack.pop();
        }
        self.frames[distance].lit(lit)
    }

    /// Gives a gate or an input its variable; what it depends on has some.
    fn define(&mut self, distance: usize, var: Var) {
        let new = self.new_var(distance);
        self.frames[distance].lits[var.index()] = Some(new.positive());
        let frame = &self.frames[distance];
        let mut fan_in: Vec<Var> = Vec::new();
        for index in self.definitions[var.index()].clone() {
            self.clause.clear();
            let lits = self.transition.clause(index).iter();
            self.clause.extend(lits.map(|&lit| frame.lit(lit)));
            fan_in.extend(self.clause.iter().map(|lit| lit.var()).filter(|&other| other != new));
            self.solver.add_clause(&self.clause);
        }
        fan_in.sort_unstable();
        fan_in.dedup();
        self.solver.set_fan_in(new, &fan_in);
    }

    /// A literal that is true in a frame only where a formula over registers is.
    pub fn formula(&mut self, distance: usize, formulas: &Formulas, root: AigLit) -> Lit {
        self.unroll(distance);
        let mut lits: FxHashMap<usize, Lit> = FxHashMap::default();
        for node in formulas.aig().support(root) {
            let register = formulas.register_of(node).expect("all inputs are registers");
            lits.insert(node, self.lit(distance, Transition::register_var(register).positive()));
        }
        let edge = |lits: &FxHashMap<usize, Lit>, lit: &AigLit| {
            lits[&lit.node()].negate_if(lit.is_complement())
        };
        for gate in formulas.wide_gates(root) {
            let operands: Vec<Lit> = gate.operands.iter().map(|lit| edge(&lits, lit)).collect();
            let out = self.wide_gate(distance, &operands, gate.positive, gate.negative);
            lits.insert(gate.node, out);
        }
        if root.is_constant() {
            // The conjunction of nothing is true.
            lits.insert(root.node(), !self.wide_gate(distance, &[], true, true));
        }
        edge(&lits, &root)
    }

    /// A literal that is false where not all operands are true, and true where they are,
    /// as far as each is wanted.
    fn wide_gate(
        &mut self,
        distance: usize,
        operands: &[Lit],
        positive: bool,
        negative: bool,
    ) -> Lit {
        let new = self.new_var(distance);
        let out = new.positive();
        let fan_in: Vec<Var> = operands.iter().map(|lit| lit.var()).collect();
        self.solver.set_fan_in(new, &fan_in);
        if positive {
            operands.iter().for_each(|&lit| self.solver.add_clause(&[!out, lit]));
        }
        if negative {
            self.clause.clear();
            self.clause.push(out);
            self.clause.extend(operands.iter().map(|&lit| !lit));
            self.solver.add_clause(&self.clause);
        }
        out
    }

    /// Interpolants of a refutation, one for each frame but the farthest that it uses.
    pub fn interpolants(&self, conclusion: StepId, system: System) -> Interpolants {
        let read = Reading { distances: &self.distances, system };
        read.interpolants(self.solver.proof(), conclusion, |var| self.register(var))
    }

    /// The one that says what is enough to be known of the frame at a distance.
    pub fn interpolant_at(
        &self,
        conclusion: StepId,
        distance: usize,
        system: System,
    ) -> Interpolants {
        let read = Reading { distances: &self.distances, system };
        let register = |var| self.register(var);
        read.interpolant_at(self.solver.proof(), conclusion, distance, register)
    }

    /// The same for a refutation that uses as little of the transition relation as
    /// possible, and how many equations of it were left out.
    pub fn minimal_interpolants(
        &self,
        conclusion: StepId,
        system: System,
    ) -> Interruptible<(Interpolants, u64)> {
        let refutation = Refutation::new(self.solver.proof(), conclusion);
        let core = Core::new(&refutation, &self.distances, &self.run)?;
        let read = Reading { distances: &core.distances, system };
        let register = |var: Var| {
            self.register(core.vars[var.index()].expect("switches are in one frame only"))
        };
        let interpolants = read.interpolants(core.solver.proof(), core.conclusion, register);
        Ok((interpolants, core.dropped))
    }

    /// Which register a variable is, in its frame.
    fn register(&self, var: Var) -> usize {
        let distance = self.distances[var.index()] as usize;
        var.index() - self.frames[distance].registers.index()
    }
}

impl Frame {
    /// A literal of the transition relation that has a variable here.
    fn lit(&self, lit: Lit) -> Lit {
        let here = self.lits[lit.var().index()].expect("the literal is defined in the frame");
        here.negate_if(lit.is_negative())
    }

    fn need(&mut self, register: usize) {
        if !std::mem::replace(&mut self.is_needed[register], true) {
            self.needed.push(register);
        }
    }
}

/// The layer of a lemma's copy.
fn layer(level: Level, distance: usize) -> Layer {
    match level {
        Level::Finite(level) => Layer::level(level + distance),
        Level::Infinite => Layer::ALWAYS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpolation::reached::origin;
    use elinvar_ir::{Sort, SystemBuilder};
    use elinvar_models::families::{Switches, fifo, peterson, ring, shift_parity};
    use elinvar_transform::{BitSystem, PassOptions, prepare};

    /// The counter of Section 4.1 [Vizel, Gurfinkel 2014]: x = 0, x′ = x + 1, bad where
    /// x ≥ 6, in three bits.
    fn counter() -> BitSystem {
        let mut b = SystemBuilder::new();
        let x: Vec<_> = (0..3).map(|_| b.state(Sort::BOOL, None).unwrap()).collect();
        let mut carry = b.pool.bool(true);
        for (index, &bit) in x.iter().enumerate() {
            b.states[index].init = Some(b.pool.bool(false));
            let both = b.pool.and(bit, carry).unwrap();
            let either = b.pool.or(bit, carry).unwrap();
            let not_both = b.pool.not(both).unwrap();
            b.states[index].next = Some(b.pool.and(either, not_both).unwrap());
            carry = both;
        }
        let bad = b.pool.and(x[1], x[2]).unwrap();
        b.bad("at least 6", bad);
        let none = PassOptions::NONE;
        let system = b.finish().unwrap();
        prepare(&system, &[PropertyId(0)], &none, 0, &Run::new()).unwrap().bits
    }

    /// The lemma x ≤ 1: neither bit 1 nor bit 2.
    fn at_most_one() -> [Cube<Lit>; 2] {
        [1, 2].map(|bit| Cube::new(vec![Transition::register_var(bit).positive()]))
    }

    fn paths() -> Paths {
        let transition = Transition::new(&counter(), &[PropertyId(0)], false);
        let origin = origin(&transition);
        Paths::new(Rc::new(transition), origin, "test", &Run::new())
    }

    fn refute(paths: &mut Paths, bound: usize, start: Start) -> StepId {
        let Ok(Some(conclusion)) = paths.refute(0, bound, start) else { panic!("there is a path") };
        conclusion
    }

    /// Formula 10: the lemmas of a frame are in its own part. With the trace
    /// [x = 0, x ≤ 1, ⊤] nothing is missing in F₁, so its interpolant is ⊤ or is not there.
    #[test]
    fn interpolants_say_what_is_missing_in_a_trace() {
        for system in [System::McMillan, System::Pudlak] {
            let mut paths = paths();
            let lemmas = at_most_one();
            let trace = lemmas.iter().map(|cube| (Level::Finite(1), cube));
            paths.set_lemmas(trace, 2, 2);
            let conclusion = refute(&mut paths, 2, Start::Initial);
            let found = paths.interpolants(conclusion, system);
            assert_ne!(found.by_distance[0], AigLit::TRUE, "F₂ has to be strengthened");
            assert_eq!(*found.by_distance.get(1).unwrap_or(&AigLit::TRUE), AigLit::TRUE);

            // Without the lemmas, or with them in the part before (formula 11), what F₁
            // needs comes from the interpolant.
            let mut paths = self::paths();
            let conclusion = refute(&mut paths, 2, Start::Initial);
            let found = paths.interpolants(conclusion, system);
            assert_ne!(found.by_distance[1], AigLit::TRUE);
        }
    }

    /// What was learnt about paths from initial states is not used for others.
    #[test]
    fn paths_may_begin_elsewhere() {
        let mut paths = paths();
        refute(&mut paths, 3, Start::Initial);
        let system = counter();
        let mut formulas = Formulas::new(3, &Run::new());
        let initial = formulas.initial(&system);
        assert!(initial.is_exact);
        let start = paths.formula(3, &formulas, initial.formula);
        refute(&mut paths, 3, Start::Where(start));
        // From 3, but not from 0, three steps lead to 6.
        let start = paths.formula(3, &formulas, !initial.formula);
        assert!(matches!(paths.refute(0, 3, Start::Where(start)), Ok(None)));
        let conclusion = refute(&mut paths, 3, Start::Initial);
        // States that do not reach 6 or 7 in two steps, 1 among them.
        let found = paths.interpolant_at(conclusion, 2, System::McMillan);
        let interpolant = formulas.import(&found, found.by_distance[0]);
        let values = |x: usize| formulas.aig().simulate(|node| x >> (node - 1) & 1 == 1);
        let inside: Vec<usize> = (0..8).filter(|&x| values(x).value(interpolant)).collect();
        assert!(inside.contains(&1) && !inside.contains(&4) && !inside.contains(&5), "{inside:?}");
        // A path from 0 has six steps.
        assert!(matches!(paths.refute(0, 6, Start::Initial), Ok(None)));
        assert_eq!(paths.trace(PropertyId(0), 6).depth(), 6);
    }

    /// Whether there is a path from other states does not depend on what was asked about
    /// initial ones.
    #[test]
    fn what_holds_from_initial_states_does_not_count_elsewhere() {
        let run = Run::new();
        let (mut compared, mut conflicts) = (0, 0);
        let systems = [
            fifo(3, 4).unwrap(),
            ring(8).unwrap(),
            shift_parity(8).unwrap(),
            peterson(2, Switches::Any).unwrap(),
        ];
        for system in systems {
            let (id, _) = system.bads().next().expect("each has a property");
            let none = PassOptions::only(&["cone"]).expect("a pass");
            let prepared = prepare(&system, &[id], &none, 1 << 10, &run).unwrap();
            let transition = Rc::new(Transition::new(&prepared.bits, &[id], true));
            let new = || Paths::new(Rc::clone(&transition), origin(&transition), "test", &run);
            let mut formulas = Formulas::new(transition.registers.len(), &run);
            let elsewhere = !formulas.initial(&prepared.bits).formula;
            let mut paths = new();
            for bound in 1..8 {
                let Ok(Some(_)) = paths.refute(0, bound, Start::Initial) else { break };
                let ask = |paths: &mut Paths| {
                    let start = paths.formula(bound, &formulas, elsewhere);
                    let Ok(found) = paths.refute(0, bound, Start::Where(start)) else {
                        panic!("nobody stops the run")
                    };
                    found.is_some()
                };
                assert_eq!(ask(&mut paths), ask(&mut new()), "bound {bound}");
                compared += 1;
            }
            conflicts += paths.statistics.conflicts;
        }
        assert!(compared > 20 && conflicts > 500, "{compared} compared, {conflicts} conflicts");
    }
}
