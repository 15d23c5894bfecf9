//! Is a state of PDR valid? The properties Φ₀ to Φ₃ of Definition 3.3 [Blankestijn
//! 2023], asked of another solver, clause by clause, without cones, layers or learnt
//! clauses of the run.
//!
//! In debug builds every state is validated before a run trusts it, and tests do the
//! same in release builds.

use elinvar_logic::{Answer, Cadical, SatSolver};
use elinvar_sat::Lit;

use super::cube::Cube;
use super::domain::Level;
use super::transition::{Init, Transition};

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
    /// The first says that the state is initial; those that hold for ever have the last.
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
                Init::Free => {}
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
