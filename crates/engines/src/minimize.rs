//! Smaller inductive invariants [Ivrii, Gurfinkel, Belov: Small Inductive Safe
//! Invariants, FMCAD 2014].
//!
//! A proof found by a search contains clauses that served the search alone. Which
//! ones does the property need? Those in the core of the query that excludes the bad
//! states; then those in the cores of the queries that show these to be inductive; and
//! so on, until nothing is added: a subset that is an invariant by itself. Then
//! clauses are left out one by one, with all that is not inductive without them, as
//! long as the bad states stay excluded and the effort lasts.
//!
//! The initial states satisfy every clause, hence those of any subset. Limits:
//! clauses stay as long as they are.

use std::collections::BTreeSet;

use elinvar_ir::{Certificate, ExprId, PropertyId, Role, StateBit, TransitionSystem};
use elinvar_logic::AigLit;
use elinvar_transform::{Bit, PassOptions, Prepared, prepare};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::EngineError;
use crate::run::{Run, Stopped};
use crate::unroll::{Question, Reply, Start, Unrolling};

const NAME: &str = "minimize";

/// What leaving out clauses one by one may cost: the number of queries, each as
/// often as it assumes clauses.
const EFFORT: usize = 5_000_000;

/// Memories up to so many bits are expanded.
const MEMORY_LIMIT: u64 = 1 << 16;

/// A certificate with fewer clauses, or the same one where there is nothing to
/// leave out: it is no set of clauses over bits, it is not inductive, the run is over.
///
/// # Errors
/// When the model is too large to be translated to bits.
pub fn minimize(
    system: &TransitionSystem,
    property: PropertyId,
    certificate: Certificate,
    run: &Run,
) -> Result<Certificate, EngineError> {
    let Certificate::Inductive { clauses } = certificate else { return Ok(certificate) };
    let passes = PassOptions::only(&["cone"]).expect("a pass");
    let prepared = prepare(system, &[property], &passes, MEMORY_LIMIT, run)?;
    let kept = match translate(system, &prepared, &clauses) {
        Some(bits) => Minimizer::new(&prepared, property, &bits, run)?.run(),
        None => None,
    };
    let clauses = match kept {
        Some(kept) => kept.into_iter().map(|index| clauses[index].clone()).collect(),
        None => clauses,
    };
    Ok(Certificate::Inductive { clauses })
}

/// A state of the bits, and whether it is meant to be true.
type BitLiteral = (ExprId, bool);

/// The clauses over the states of the bits, if all are still there.
fn translate(
    system: &TransitionSystem,
    prepared: &Prepared,
    clauses: &[Vec<StateBit>],
) -> Option<Vec<Vec<BitLiteral>>> {
    let registers = 0..prepared.bits.registers().len();
    let symbols: FxHashMap<(usize, usize), ExprId> = registers
        .map(|number| {
            let Bit { index, position } = prepared.lift.origin(number);
            ((index, position), prepared.bits.symbol(number))
        })
        .collect();
    let literal = |literal: &StateBit| {
        let Some(Role::State(index)) = system.role_of(literal.state) else { return None };
        let symbol = symbols.get(&(index, literal.bit as usize))?;
        Some((*symbol, literal.positive))
    };
    clauses.iter().map(|clause| clause.iter().map(literal).collect()).collect()
}

/// Why a set of clauses is not an invariant that excludes the bad states, or not known to be.
enum Flaw {
    /// It does not exclude them.
    Unsafe,
    /// This clause does not hold after every step.
    NotInductive(usize),
    /// The run was stopped.
    Stopped,
}

impl From<Stopped> for Flaw {
    fn from(_: Stopped) -> Self {
        Flaw::Stopped
    }
}

type Subset = BTreeSet<usize>;

struct Minimizer<'a> {
    question: Question<'a>,
    /// By clause: that it holds now, and that it does after a step.
    now: Vec<AigLit>,
    next: Vec<AigLit>,
    bad: AigLit,
    /// The constraints after a step; those of now are asserted.
    constraints: AigLit,
    /// What has been spent, in the unit of [`EFFORT`].
    spent: usize,
}

impl<'a> Minimizer<'a> {
    fn new(
        prepared: &'a Prepared,
        property: PropertyId,
        clauses: &[Vec<BitLiteral>],
        run: &'a Run,
    ) -> Result<Self, EngineError> {
        let system = prepared.bits.try_system(run).map_err(EngineError::Stopped)?;
        let bad = system.bad(property).expect("a safety property, or it were not prepared");
        let mut roots: Vec<ExprId> = clauses.iter().flatten().map(|&(state, _)| state).collect();
        roots.push(bad);
        let mut unrolling = Unrolling::new(system, &roots, Start::Anywhere)?;
        let mut frame = |frame| -> Vec<AigLit> {
            let clause = |clause: &Vec<BitLiteral>| {
                let bit = |&(state, positive): &BitLiteral| {
                    let bit = unrolling.bit(state, frame);
                    if positive { bit } else { !bit }
                };
                let literals: Vec<AigLit> = clause.iter().map(bit).collect();
                unrolling.or_all(&literals)
            };
            clauses.iter().map(clause).collect()
        };
        let (now, next) = (frame(0), frame(1));
        let (bad, first) = (unrolling.bit(bad, 0), unrolling.constraints(0));
        let constraints = unrolling.constraints(1);
        let mut question = Question::new(unrolling, NAME, run);
        question.assert(&[first]);
        Ok(Minimizer { question, now, next, bad, constraints, spent: 0 })
    }

    /// The numbers of the clauses that are left, if all are an invariant.
    fn run(mut self) -> Option<Subset> {
        let all = (0..self.now.len()).collect();
        let mut best = self.needed(&all).ok()?;
        // Other cores may need less.
        while let Ok(fewer) = self.needed(&best)
            && fewer.len() < best.len()
        {
            best = fewer;
        }
        self.spent = 0;
        // Late clauses first: they rest on the earlier ones.
        for clause in best.clone().into_iter().rev() {
            if best.contains(&clause)
                && let Some(fewer) = self.without(&best, clause)
            {
                best = fewer;
            }
        }
        Some(best)
    }

    /// A smaller invariant without this clause and without what rests on it.
    fn without(&mut self, clauses: &Subset, clause: usize) -> Option<Subset> {
        let mut alive = clauses.clone();
        alive.remove(&clause);
        while self.spent < EFFORT {
            match self.needed(&alive) {
                Ok(fewer) => return Some(fewer),
                Err(Flaw::NotInductive(clause)) => alive.remove(&clause),
                Err(Flaw::Unsafe | Flaw::Stopped) => return None,
            };
        }
        None
    }

    /// A subset that is an invariant and excludes the bad states.
    fn needed(&mut self, alive: &Subset) -> Result<Subset, Flaw> {
        // SAT?  Inv ∧ C ∧ bad
        let mut needed = self.core(alive, &[self.bad])?.ok_or(Flaw::Unsafe)?;
        let mut queue: Vec<usize> = needed.iter().copied().collect();
        while let Some(clause) = queue.pop() {
            // What is needed anyway may do; asked for first, it keeps the set small.
            if self.core_of_step(&needed, clause)?.is_some() {
                continue;
            }
            let core = self.core_of_step(alive, clause)?.ok_or(Flaw::NotInductive(clause))?;
            queue.extend(core.difference(&needed));
            needed.extend(core);
        }
        Ok(needed)
    }

    /// SAT?  Inv ∧ C ∧ T ∧ C′ ∧ ¬c′
    fn core_of_step(&mut self, alive: &Subset, clause: usize) -> Result<Option<Subset>, Flaw> {
        self.core(alive, &[self.constraints, !self.next[clause]])
    }

    /// The clauses that exclude `others`, if they do.
    fn core(&mut self, clauses: &Subset, others: &[AigLit]) -> Result<Option<Subset>, Flaw> {
        self.spent += clauses.len() + 1;
        let assumed = clauses.iter().map(|&clause| self.now[clause]);
        let assumptions: Vec<AigLit> = others.iter().copied().chain(assumed).collect();
        match self.question.ask("minimize", &assumptions)? {
            Reply::Sat(_) => Ok(None),
            Reply::Unsat(core) => {
                let core: FxHashSet<AigLit> = core.into_iter().collect();
                let needed = clauses.iter().filter(|&&clause| core.contains(&self.now[clause]));
                Ok(Some(needed.copied().collect()))
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use elinvar_ir::{Sort, SystemBuilder};

    /// Registers that start at zero: `a` stays, `b` copies `a`, `c` copies `b`, and `d`
    /// and `e` copy each other.
    pub(crate) fn registers() -> (TransitionSystem, Vec<ExprId>) {
        let mut b = SystemBuilder::new();
        let bit = |b: &mut SystemBuilder, name| b.state(Sort::BOOL, Some(name)).unwrap();
        let states: Vec<ExprId> = ["a", "b", "c", "d", "e"].map(|n| bit(&mut b, n)).to_vec();
        for (state, next) in [0, 0, 1, 4, 3].into_iter().enumerate() {
            b.states[state].init = Some(b.pool.bool(false));
            b.states[state].next = Some(states[next]);
        }
        b.bad("c", states[2]);
        b.bad("d", states[3]);
        (b.finish().unwrap(), states)
    }

    fn never(states: &[ExprId]) -> Certificate {
        let clause = |&state: &ExprId| vec![StateBit { state, bit: 0, positive: false }];
        Certificate::Inductive { clauses: states.iter().map(clause).collect() }
    }

    #[test]
    fn only_what_is_needed_stays() {
        let (system, s) = registers();
        let minimal = |certificate| {
            minimize(&system, PropertyId(0), certificate, &Run::new()).expect("small enough")
        };
        // A clause and its repetition, and registers that the property does not read.
        let with_copy = [s[2], s[0], s[1], s[0]];
        let Certificate::Inductive { clauses } = minimal(never(&with_copy)) else { panic!() };
        assert_eq!(clauses.len(), 3);
        // What is not an invariant, or not a set of clauses, stays as it is.
        assert_eq!(minimal(never(&s[2..3])), never(&s[2..3]));
        let induction = Certificate::KInductive { k: 3, simple_path: false };
        assert_eq!(minimal(induction.clone()), induction);
    }

    #[test]
    fn a_clause_goes_with_what_rests_on_it() {
        // `c` is false by itself; `d` and `e` are there for each other.
        let mut b = SystemBuilder::new();
        let s = ["c", "d", "e"].map(|name| b.state(Sort::BOOL, Some(name)).unwrap());
        let no = b.pool.bool(false);
        let both = b.pool.and(s[1], s[0]).unwrap();
        for (state, next) in [no, s[2], s[1]].into_iter().enumerate() {
            b.states[state].init = Some(no);
            b.states[state].next = Some(next);
        }
        b.bad("both", both);
        let system = b.finish().unwrap();
        let found = minimize(&system, PropertyId(0), never(&s), &Run::new()).unwrap();
        assert_eq!(found, never(&s[..1]));
    }
}
