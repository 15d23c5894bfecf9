//! Is a state of PDR valid? The properties Φ₀ to Φ₃ of Definition 3.3 [Blankestijn
//! 2023], asked of another solver, clause by clause, without cones, layers or learnt
//! clauses of the run.
//!
//! In debug builds the frames are validated whenever a search starts from those of an
//! earlier run; tests do it in release builds, too, and after runs of every kind.

use elinvar_logic::{Answer, Cadical, SatSolver};
use elinvar_sat::Lit;

use super::cube::Cube;
use super::domain::Level;
use crate::relation::{Init, Transition};

/// A property of frames that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Violation {
    /// A lemma of F₁ excludes an initial state: Φ₀ and Φ₂ between F₀ and F₁.
    Initial(Cube<Lit>),
    /// A frame that should exclude a property's bad states does not: Φ₁.
    Bad { property: usize, frame: usize },
    /// A step from the frame leads to what a lemma of the next one excludes: Φ₃.
    Step { frame: usize, cube: Cube<Lit> },
}

/// Looks for violations. `clear` says for each property which frame should be the last
/// that excludes it; F₀ is the initial states, and Φ₂ between later frames holds by
/// their being differences.
pub(crate) fn validate(
    transition: &Transition,
    lemmas: &[(Cube<Lit>, Level)],
    depth: usize,
    clear: &[usize],
) -> Result<(), Violation> {
    let mut judge = Judge::new(transition, lemmas, depth);
    for (cube, _) in lemmas {
        if judge.meets(0, cube.atoms()) {
            return Err(Violation::Initial(cube.clone()));
        }
    }
    for (property, &last) in clear.iter().enumerate() {
        for frame in 0..=last {
            if judge.meets(frame, &[transition.bads[property].1]) {
                return Err(Violation::Bad { property, frame });
            }
        }
    }
    for (cube, level) in lemmas {
        let next: Vec<Lit> = cube.atoms().iter().map(|&lit| transition.next(lit)).collect();
        for frame in judge.frames_before(*level) {
            if judge.meets(frame, &next) {
                return Err(Violation::Step { frame, cube: cube.clone() });
            }
        }
    }
    Ok(())
}

struct Judge {
    solver: Cadical,
    /// By frame: true if the lemmas that hold up to it, but not in the next one, count.
    /// The first says that the state is initial; those of F∞ have the last.
    switches: Vec<Lit>,
}

impl Judge {
    fn new(transition: &Transition, lemmas: &[(Cube<Lit>, Level)], depth: usize) -> Self {
        let mut solver = Cadical::new();
        for _ in 0..transition.var_count() {
            solver.new_var();
        }
        for clause in transition.clauses() {
            solver.add_clause(clause);
        }
        for &constraint in &transition.constraints {
            solver.add_clause(&[constraint]);
        }
        let switches: Vec<Lit> = (0..depth + 2).map(|_| solver.new_var().positive()).collect();
        for (index, register) in transition.registers.iter().enumerate() {
            let lit = Transition::register_var(index).positive();
            let mut implies = |a: Lit, b: Lit| solver.add_clause(&[!switches[0], !a, b]);
            match register.init {
                Init::Constant(value) => implies(Transition::TRUE, lit.negate_if(!value)),
                Init::Free | Init::Defined => {}
                Init::Equal(init) => {
                    implies(lit, init);
                    implies(init, lit);
                }
            }
        }
        for (cube, level) in lemmas {
            let switch = switches[level.finite().unwrap_or(depth + 1)];
            let clause: Vec<Lit> = cube.atoms().iter().map(|&lit| !lit).chain([!switch]).collect();
            solver.add_clause(&clause);
        }
        Judge { solver, switches }
    }

    /// The frames i such that a lemma of this level is one of F_{i+1}.
    fn frames_before(&self, level: Level) -> std::ops::Range<usize> {
        // F∞ is the frame after the last.
        0..level.finite().unwrap_or(self.switches.len())
    }

    // SAT?  F[frame] ∧ T ∧ lits
    fn meets(&mut self, frame: usize, lits: &[Lit]) -> bool {
        let frame = frame.min(self.switches.len() - 1);
        // The initial states are F₀; a later frame has its own lemmas and all after.
        let frames = if frame == 0 { 0..1 } else { frame..self.switches.len() };
        let assumptions: Vec<Lit> = self.switches[frames].iter().chain(lits).copied().collect();
        match self.solver.solve(&assumptions) {
            Answer::Sat(_) => true,
            Answer::Unsat(_) => false,
            Answer::Stopped => unreachable!("nobody stops this solver"),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use elinvar_ir::{
        ExprId, PdrState, PropertyId, PropertyStatus, Sort, SystemBuilder, TransitionSystem, keys,
    };
    use elinvar_models::{Generator, Shape};

    use super::super::PdrOptions;
    use super::super::adopt::Offer;
    use super::super::incremental::check_bits;
    use super::super::state::translate;
    use super::*;
    use crate::run::{Event, Run};
    use crate::task::{BitTask, Task};
    use elinvar_models::families::{counters, ring, ring_with_bug, shift_parity};
    use elinvar_transform::{PassOptions, Prepared, prepare};

    /// Systems of bits, of words and with memories.
    pub const SHAPES: [Shape; 3] = [
        Shape { max_states: 12, operators: 80, ..Shape::BITS },
        Shape { max_states: 5, operators: 60, ..Shape::WORDS },
        Shape::ARRAYS,
    ];

    /// Cubes of the registers with these numbers; those after `not` are false.
    pub fn cube(set: &[usize], not: &[usize]) -> Cube<Lit> {
        let lit = |&index: &usize| Transition::register_var(index).positive();
        Cube::new(set.iter().map(lit).chain(not.iter().map(|index| !lit(index))).collect())
    }

    pub fn safety(system: &TransitionSystem) -> Vec<PropertyId> {
        system.bads().map(|(id, _)| id).collect()
    }

    /// The system as bits, simplified or as it is.
    pub fn bits_of(system: &TransitionSystem, simplify: bool) -> Prepared {
        let passes = PassOptions::all_if(simplify);
        prepare(system, &safety(system), &passes, 1 << 16, &Run::new()).expect("small enough")
    }

    /// The question about all safety properties of a prepared system.
    pub fn task_about(prepared: &Prepared, run: &Run) -> BitTask {
        let task = Task::about(prepared.lift.old(), &safety(prepared.bits.system()), run);
        task.with_prepared(Arc::new(prepared.clone()))
    }

    /// What a state says about the bits of the system that it was taken from.
    pub fn offer_of(state: &PdrState, prepared: &Prepared) -> Offer<Lit> {
        let places: Vec<Option<usize>> = (0..state.registers.len()).map(Some).collect();
        let translated = translate(state, &places, prepared);
        assert_eq!(translated.lost, 0, "it speaks of what is there");
        translated.offer
    }

    /// Checks Φ₀ to Φ₃, where the last frames that exclude properties are those that
    /// the state names.
    pub fn assert_valid(state: &PdrState, prepared: &Prepared) {
        let Offer { lemmas, depth } = offer_of(state, prepared);
        let (mut open, mut clear) = (Vec::new(), Vec::new());
        for (id, record) in safety(prepared.bits.system()).into_iter().zip(&state.properties) {
            match record.status {
                PropertyStatus::Open { clear: 0 } | PropertyStatus::Unsafe => continue,
                PropertyStatus::Open { clear: last } => {
                    assert!(last <= depth, "at most the last frame");
                    clear.push(last);
                }
                // F∞ is the frame after the last.
                PropertyStatus::Safe => clear.push(depth + 1),
            }
            open.push(id);
        }
        let transition = Transition::new(&prepared.bits, &open, false);
        assert_eq!(validate(&transition, &lemmas, depth, &clear), Ok(()), "{state:?}");
    }

    /// What a run from nothing leaves on the way and at the end.
    pub fn states_of(prepared: &Prepared, options: &PdrOptions, run: &Run) -> Vec<Arc<PdrState>> {
        let states: Arc<Mutex<Vec<Arc<PdrState>>>> = Arc::default();
        let record = Arc::clone(&states);
        let run = run.clone().with_states(Duration::ZERO).with_observer(move |event| {
            if let Event::State(state) = event {
                record.lock().unwrap().push(Arc::clone(state));
            }
        });
        let bits = task_about(prepared, &run);
        let outcome = check_bits(&bits, options, None);
        let last = outcome.state(keys(prepared.lift.old()));
        let states = states.lock().unwrap().clone();
        assert_eq!(states.last().map(|state| &**state), last.as_ref(), "told at the end");
        states
    }

    /// Two bits a and b in a row behind an input; a third one that is set.
    fn row(constrain: bool) -> TransitionSystem {
        let mut builder = SystemBuilder::new();
        let x = builder.input(Sort::BOOL, None).unwrap();
        let bits: Vec<ExprId> = (0..3).map(|_| builder.state(Sort::BOOL, None).unwrap()).collect();
        for (index, next) in [x, bits[0], bits[2]].into_iter().enumerate() {
            builder.states[index].init = Some(builder.pool.bool(index == 2));
            builder.states[index].next = Some(next);
        }
        if constrain {
            builder.constraints.push(builder.pool.not(x).unwrap());
        }
        builder.bad("b", bits[1]);
        builder.bad("c", bits[2]);
        builder.finish().unwrap()
    }

    fn judge(
        system: &TransitionSystem,
        lemmas: &[(Cube<Lit>, Level)],
        depth: usize,
        clear: &[usize],
    ) -> Result<(), Violation> {
        let prepared = bits_of(system, false);
        let transition = Transition::new(&prepared.bits, &safety(system), true);
        validate(&transition, lemmas, depth, clear)
    }

    #[test]
    fn a_lemma_holds_as_far_as_it_says() {
        let b = cube(&[1], &[]);
        let lemma = |level| [(b.clone(), level)];
        let step = |frame| Err(Violation::Step { frame, cube: b.clone() });
        assert_eq!(judge(&row(false), &[], 0, &[]), Ok(()));
        assert_eq!(judge(&row(false), &lemma(Level::Finite(1)), 1, &[]), Ok(()));
        assert_eq!(judge(&row(false), &lemma(Level::Finite(2)), 2, &[]), step(1));
        assert_eq!(judge(&row(false), &lemma(Level::Infinite), 0, &[]), step(1));
        let a = cube(&[0], &[]);
        let first = Err(Violation::Step { frame: 0, cube: a.clone() });
        assert_eq!(judge(&row(false), &[(a.clone(), Level::Finite(1))], 1, &[]), first);
        // Lemmas help one another, and constraints help all.
        let both = |level| [(b.clone(), level), (a.clone(), level)];
        assert_eq!(judge(&row(true), &lemma(Level::Infinite), 0, &[]), step(1));
        assert_eq!(judge(&row(true), &both(Level::Infinite), 0, &[]), Ok(()));
        let weaker = [(b.clone(), Level::Finite(3)), (a, Level::Finite(2))];
        assert_eq!(judge(&row(true), &weaker, 3, &[]), Ok(()));
        let too_weak = [(b.clone(), Level::Finite(3)), (cube(&[0], &[]), Level::Finite(1))];
        assert_eq!(judge(&row(true), &too_weak, 3, &[]), step(2));
    }

    #[test]
    fn a_lemma_may_not_exclude_an_initial_state() {
        let initial = cube(&[2], &[0]);
        for level in [Level::Finite(1), Level::Infinite] {
            let found = judge(&row(true), &[(initial.clone(), level)], 1, &[]);
            assert_eq!(found, Err(Violation::Initial(initial.clone())));
        }
        // Nor one of several, where initial values are free or depend on one another.
        let mut builder = row(true).into_builder();
        builder.states[0].init = None;
        builder.states[1].init = Some(builder.states[0].symbol);
        let system = builder.finish().unwrap();
        for (set, not, is_initial) in
            [(&[0, 1][..], &[][..], true), (&[], &[0, 1], true), (&[0], &[1], false)]
        {
            let found = judge(&system, &[(cube(set, not), Level::Finite(1))], 1, &[]);
            assert_eq!(found == Err(Violation::Initial(cube(set, not))), is_initial);
        }
    }

    #[test]
    fn a_frame_may_not_meet_what_it_should_exclude() {
        let bad = |property, frame| Err(Violation::Bad { property, frame });
        let lemmas = [(cube(&[1], &[]), Level::Finite(1))];
        assert_eq!(judge(&row(false), &[], 1, &[0]), Ok(()));
        assert_eq!(judge(&row(false), &[], 1, &[1]), bad(0, 1));
        assert_eq!(judge(&row(false), &lemmas, 1, &[1]), Ok(()));
        assert_eq!(judge(&row(false), &lemmas, 1, &[2]), bad(0, 2));
        assert_eq!(judge(&row(false), &lemmas, 1, &[1, 0]), bad(1, 0), "c is set from the start");
    }

    /// Settings that lead to different frames.
    fn options(number: u64) -> PdrOptions {
        PdrOptions {
            elimination: !number.is_multiple_of(3),
            attempts: if number.is_multiple_of(4) { 1 } else { usize::MAX },
            patience: if number.is_multiple_of(5) { 1 } else { 2000 },
            ..PdrOptions::default()
        }
    }

    #[test]
    fn runs_leave_valid_states() {
        let (mut lemmas, mut safe, mut failing) = (0, 0, 0);
        for seed in 0..240 {
            let system = Generator::system(seed, SHAPES[seed as usize % 3]);
            let prepared = bits_of(&system, seed % 2 == 0);
            let states = states_of(&prepared, &options(seed), &Run::new());
            for state in &states {
                lemmas += state.lemmas.len();
                assert_valid(state, &prepared);
            }
            for record in &states.last().expect("told at the end").properties {
                safe += usize::from(record.status == PropertyStatus::Safe);
                failing += usize::from(record.status == PropertyStatus::Unsafe);
            }
        }
        assert!(lemmas > 500 && safe > 100 && failing > 100, "{lemmas} {safe} {failing}");
    }

    /// With the facts that were used, a state is valid for the system as the user has it.
    #[test]
    fn states_of_simplified_systems_are_valid_for_the_systems_themselves() {
        let mut lemmas = 0;
        for seed in 0..120 {
            let shape = Shape { max_states: 12, operators: 80, ..Shape::BITS };
            let mut builder = Generator::system(seed, shape).into_builder();
            for state in &mut builder.states {
                // A register without next function is not a register of the bits.
                state.next = state.next.or(Some(state.symbol));
            }
            let system = builder.finish().unwrap();
            let state = states_of(&bits_of(&system, true), &options(seed), &Run::new());
            let state = state.last().expect("told at the end");
            lemmas += state.lemmas.len();
            assert_valid(state, &bits_of(&system, false));
        }
        assert!(lemmas > 100, "{lemmas}");
    }

    #[test]
    fn interrupted_runs_leave_valid_states() {
        let systems = [ring(8), ring_with_bug(7), counters(3), shift_parity(4)].map(Result::unwrap);
        let (mut open, mut lemmas) = (0, 0);
        for system in &systems {
            let prepared = bits_of(system, false);
            for effort in 0..20 {
                let run = Run::new().with_effort(effort);
                let state = states_of(&prepared, &options(effort), &run).pop();
                let state = state.expect("begun");
                assert_valid(&state, &prepared);
                lemmas += state.lemmas.len();
                let is_open =
                    |status| matches!(status, PropertyStatus::Open { clear } if clear > 0);
                open += usize::from(is_open(state.properties[0].status));
            }
        }
        assert!(open > 10 && lemmas > 200, "{open} open, {lemmas} lemmas");
    }
}
