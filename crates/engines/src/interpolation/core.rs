//! *Min-core* [Vizel, Gurfinkel 2014, section 4.2]: a refutation that uses as little of
//! the transition relation as possible, and lemmas instead.
//!
//! What may go are the equations between a register and what the step before makes of
//! it. The clauses of a refutation are given to a new solver in which each equation has
//! a switch; equations are left out one by one as long as there is no model [Nadel:
//! Boosting Minimal Unsatisfiable Core Extraction, FMCAD 2010]. Limits: an attempt that
//! takes too many conflicts counts as failed.

use elinvar_logic::interpolation::Refutation;
use elinvar_sat::{Answer, Layer, Lit, Log, Query, Scope, Solver, StepId, Var};
use rustc_hash::FxHashMap;

use crate::relation::Interruptible;
use crate::run::{Run, work_of};

/// How many conflicts an attempt may take.
const CONFLICTS: u64 = 2_000;

/// A refutation from fewer clauses.
pub(super) struct Core {
    pub solver: Solver<Log>,
    pub conclusion: StepId,
    /// By variable of the new solver: the distance of its frame.
    pub distances: Vec<u32>,
    /// By variable of the new solver: the old one; switches have none.
    pub vars: Vec<Option<Var>>,
    /// How many equations are not needed.
    pub dropped: u64,
}

impl Core {
    pub fn new(refutation: &Refutation<'_>, distances: &[u32], run: &Run) -> Interruptible<Self> {
        let mut solver = Solver::new();
        let watched = run.clone();
        solver.set_stop(move |done| watched.stop_after(work_of(done)).is_some());
        let mut builder = Builder {
            old: distances,
            solver,
            new: FxHashMap::default(),
            vars: Vec::new(),
            distances: Vec::new(),
            switches: FxHashMap::default(),
        };
        for clause in refutation.clauses() {
            builder.add(clause);
        }
        let mut assumptions: Vec<Lit> =
            refutation.assumptions().map(|lit| builder.lit(lit)).collect();
        let mut switches: Vec<Lit> = builder.switches.values().copied().collect();
        switches.sort_unstable();
        let Builder { mut solver, vars, distances, .. } = builder;
        let count = switches.len() as u64;
        let fixed = assumptions.len();
        assumptions.extend(switches);
        let all = refute(&mut solver, &mut assumptions, fixed, None, run)?;
        let mut conclusion = all.expect("the clauses of a refutation have no model");
        let mut index = fixed;
        while index < assumptions.len() {
            let mut fewer = assumptions.clone();
            fewer.remove(index);
            match refute(&mut solver, &mut fewer, fixed, Some(CONFLICTS), run)? {
                Some(step) => {
                    conclusion = step;
                    assumptions = fewer;
                }
                None => index += 1,
            }
        }
        let dropped = count - (assumptions.len() - fixed) as u64;
        Ok(Core { solver, conclusion, distances, vars, dropped })
    }
}

/// Asks for a model; if there is none, keeps the assumptions after the first `fixed`
/// that matter.
fn refute(
    solver: &mut Solver<Log>,
    assumptions: &mut Vec<Lit>,
    fixed: usize,
    conflicts: Option<u64>,
    run: &Run,
) -> Interruptible<Option<StepId>> {
    let query =
        Query { layer: Layer::ALWAYS, assumptions, temporary: &[], scope: Scope::All, conflicts };
    run.spend(work_of(solver.take_ticks()));
    match solver.solve(&query) {
        Answer::Sat(_) => return Ok(None),
        Answer::Stopped if conflicts.is_some() => return Ok(None),
        Answer::Stopped => return Err(run.stopped()),
        Answer::Unsat(core) => {
            let needed: Vec<Lit> =
                assumptions[fixed..].iter().copied().filter(|&lit| core.contains(lit)).collect();
            assumptions.truncate(fixed);
            assumptions.extend(needed);
        }
    }
    Ok(Some(solver.proof().last().expect("a refutation is logged")))
}

struct Builder<'a> {
    /// By old variable.
    old: &'a [u32],
    solver: Solver<Log>,
    new: FxHashMap<Var, Var>,
    vars: Vec<Option<Var>>,
    distances: Vec<u32>,
    /// By register, in its frame.
    switches: FxHashMap<Var, Lit>,
}

impl Builder<'_> {
    fn add(&mut self, clause: &[Lit]) {
        let mut new: Vec<Lit> = clause.iter().map(|&lit| self.lit(lit)).collect();
        if let Some(register) = self.equated(clause) {
            let distance = self.old[register.index()] + 1;
            let switch = match self.switches.get(&register) {
                Some(&switch) => switch,
                None => {
                    let switch = self.new_var(None, distance).positive();
                    self.switches.insert(register, switch);
                    switch
                }
            };
            new.push(!switch);
        }
        self.solver.add_clause(&new);
    }

    /// The register, if the clause is a part of its equation.
    fn equated(&self, clause: &[Lit]) -> Option<Var> {
        let &[a, b] = clause else { return None };
        let distance = |lit: Lit| self.old[lit.var().index()];
        match distance(a).cmp(&distance(b)) {
            std::cmp::Ordering::Less => Some(a.var()),
            std::cmp::Ordering::Greater => Some(b.var()),
            std::cmp::Ordering::Equal => None,
        }
    }

    fn lit(&mut self, lit: Lit) -> Lit {
        let var = match self.new.get(&lit.var()) {
            Some(&var) => var,
            None => {
                let var = self.new_var(Some(lit.var()), self.old[lit.var().index()]);
                self.new.insert(lit.var(), var);
                var
            }
        };
        var.positive().negate_if(lit.is_negative())
    }

    fn new_var(&mut self, old: Option<Var>, distance: u32) -> Var {
        self.vars.push(old);
        self.distances.push(distance);
        self.solver.new_var()
    }
}
