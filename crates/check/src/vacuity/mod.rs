//! How long the runs are that satisfy the constraints.
//!
//! A proof is about the runs whose constraints hold in every cycle. If no run satisfies them
//! in cycles 0 … n, the property was proved about the first n cycles only; for n = 0 about
//! nothing. So beside a proof there has to be a run, as long as possible, and this module
//! looks for one. It is not part of accepting evidence: it says how much a proof is worth.
//!
//! **A run is found by simulation.** The reference evaluator extends a run by one cycle
//! after the other ([`cone`]), with the inputs of the cycle before, with zeros, ones or
//! random values. If a state of the registers repeats, there is a run of any length. Most
//! constraints restrict inputs, and holding the inputs then repeats a state soon.
//!
//! **A solver helps where simulation is stuck** ([`unroll`]). First it looks for a way from
//! the last state, then from earlier and earlier ones, twice as far back each time, because
//! a choice some cycles ago may have been wrong. At last it starts in the initial states:
//!
//! SAT?  I(s₀, x₀) ∧ C₀ ∧ T ∧ … ∧ Cₙ
//!
//! Only if this is unsatisfiable do the constraints contradict each other, in the first such
//! cycle n. [`core`] finds constraints that are enough for it. Where nothing is chosen
//! (no input, and every state has an initial and a next value), simulation alone decides.
//!
//! **Counters of many bits** repeat too late for a simulation, and data may never repeat.
//! [`recurrent`] proves that a run can always go on, by a set of states that it need not
//! leave.
//!
//! The invariant of the proof would not help: it contains all states of runs under the
//! constraints, so `Inv ∧ C ∧ T ∧ C′` is unsatisfiable only if already the second cycle has
//! no run.
//!
//! **Limits.** A contradiction that comes later than the budget reaches is not found; the
//! length of the run that was found is the answer then. The work is counted in nodes,
//! gates and conflicts, so that the answer does not depend on the machine unless the
//! deadline of the budget is reached.

mod antecedent;
mod cone;
mod core;
mod recurrent;
#[cfg(test)]
mod tests;
mod unroll;

use std::hash::{BuildHasher, BuildHasherDefault};

use elinvar_ir::{Rng, TransitionSystem, Value, zero_of};
use rustc_hash::{FxHashMap, FxHasher};

pub use self::antecedent::never_hold;
use self::cone::{Cone, Cycle, Violated};
use self::core::Core;
use self::unroll::{Purse, Start, Unrolling};
use crate::refusal::Refusal;
use crate::solver::Budget;

/// What is known about the runs that satisfy the constraints of a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Runs {
    /// There are runs of any length.
    Endless,
    /// There is a run of so many cycles, and nothing is known about longer ones.
    AtLeast(usize),
    /// Every run ends.
    Contradiction(Contradiction),
}

/// Constraints that contradict each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// The first cycle for which there is no run, from 0. There is a run of the cycles before.
    pub cycle: usize,
    /// Numbers of constraints that no run satisfies up to this cycle, ascending.
    pub constraints: Vec<usize>,
    /// Is each of them needed for the contradiction?
    pub minimal: bool,
}

/// Looks for a long run that satisfies the constraints. The budget's gates are those of all
/// queries together; evaluating a node costs as much as a gate.
///
/// ```
/// use elinvar_check::{Budget, Runs, runs};
/// use elinvar_ir::{Sort, SystemBuilder};
///
/// let mut b = SystemBuilder::new();
/// let x = b.input(Sort::BOOL, Some("x"))?;
/// b.constraints.push(x);
/// let system = b.clone().finish().unwrap();
/// assert_eq!(runs(&system, &Budget::default()), Runs::Endless);
/// b.constraints.push(b.pool.not(x)?);
/// let Runs::Contradiction(found) = runs(&b.finish().unwrap(), &Budget::default()) else {
///     panic!("x is and is not");
/// };
/// assert_eq!((found.cycle, found.constraints), (0, vec![0, 1]));
/// # Ok::<(), elinvar_ir::SortError>(())
/// ```
pub fn runs(system: &TransitionSystem, budget: &Budget) -> Runs {
    if system.constraints().is_empty() {
        return Runs::Endless;
    }
    let mut search = Search::new(system, budget);
    match search.search() {
        Ok(End::Endless) => Runs::Endless,
        Ok(End::Contradiction { cycle, core: None }) => {
            let Core { constraints, minimal } =
                core::core(&search.cone, cycle, &Purse::new(budget));
            Runs::Contradiction(Contradiction { cycle, constraints, minimal })
        }
        Ok(End::Contradiction { cycle, core: Some(only) }) => {
            Runs::Contradiction(Contradiction { cycle, constraints: vec![only], minimal: true })
        }
        Err(_) => Runs::AtLeast(search.longest),
    }
}

/// Cycles after which a recurrent set is looked for, for the first time and then whenever
/// the run has become so many times as long.
const PROBE: usize = 16;
const LONGER: usize = 8;

/// Random choices that are tried in a cycle.
const DRAWS: usize = 2;

/// An attempt may take this part of what is left.
const ATTEMPTS: u64 = 3;

/// The largest number of cycles that a query looks ahead of a stuck simulation.
const LOOKAHEAD: usize = 32;

struct Search<'a> {
    cone: Cone<'a>,
    purse: Purse,
    run: Vec<Cycle>,
    /// The values of the registers after the run.
    next: Vec<Value>,
    /// The cycles of the run by hash of their registers.
    seen: FxHashMap<u64, Vec<usize>>,
    /// The length of the longest run so far.
    longest: usize,
    /// The length of the run at which a recurrent set is looked for next.
    probe: usize,
    /// How often a solver had to help.
    rescues: usize,
    rng: Rng,
}

/// How a search ends.
enum End {
    Endless,
    /// There is no run up to this cycle; a single constraint may be known to be enough.
    Contradiction {
        cycle: usize,
        core: Option<usize>,
    },
}

impl<'a> Search<'a> {
    fn new(system: &'a TransitionSystem, budget: &Budget) -> Self {
        Search {
            cone: Cone::new(system),
            purse: Purse::new(budget),
            run: Vec::new(),
            next: Vec::new(),
            seen: FxHashMap::default(),
            longest: 0,
            probe: PROBE,
            rescues: 0,
            rng: Rng::new(1),
        }
    }

    fn search(&mut self) -> Result<End, Refusal> {
        loop {
            if let Some(Violated(constraint)) = self.extend()? {
                if self.cone.is_deterministic() {
                    let (cycle, core) = (self.run.len(), Some(constraint));
                    return Ok(End::Contradiction { cycle, core });
                }
                if let Some(cycle) = self.rescue()? {
                    return Ok(End::Contradiction { cycle, core: None });
                }
            }
            if self.repeats() || (self.run.len() >= self.probe && self.can_always_go_on()) {
                return Ok(End::Endless);
            }
        }
    }

    /// Adds a cycle to the run. Returns a constraint that is violated if no attempt succeeds.
    fn extend(&mut self) -> Result<Option<Violated>, Refusal> {
        let mut last = None;
        let is_first = self.run.is_empty();
        let cost = if is_first { self.cone.initial_size } else { self.cone.size };
        // A few attempts must not use up what a solver needs.
        let attempts = self.purse.affords(ATTEMPTS * cost).max(1);
        for choice in self.choices().into_iter().take(attempts) {
            self.purse.evaluate(cost)?;
            let extended = match is_first {
                true => self.cone.first(&choice),
                false => self.cone.next(&self.next, &choice),
            };
            match extended {
                Ok(cycle) => {
                    self.push(cycle);
                    return Ok(None);
                }
                Err(violated) => last = Some(violated),
            }
        }
        Ok(last)
    }

    /// The choices that are tried in the next cycle.
    fn choices(&mut self) -> Vec<Cycle> {
        let pool = self.cone.system.pool();
        let held = self.run.last().cloned();
        if self.cone.is_deterministic() {
            return vec![held.unwrap_or_else(|| self.cone.zero())];
        }
        let ones = self.cone.filled(|symbol| match zero_of(pool.sort(symbol)) {
            Value::Bv(zero) => Value::Bv(zero.not()),
            array @ Value::Array(_) => array,
        });
        let mut choices: Vec<Cycle> = held.into_iter().chain([self.cone.zero(), ones]).collect();
        for _ in 0..DRAWS {
            choices.push(self.cone.filled(|symbol| self.rng.value(pool.sort(symbol))));
        }
        choices
    }

    /// Adds a cycle that was just evaluated.
    fn push(&mut self, cycle: Cycle) {
        let hash = hash_of(&self.cone.registers_of(&cycle));
        self.seen.entry(hash).or_default().push(self.run.len());
        self.next = self.cone.successor();
        self.run.push(cycle);
        self.longest = self.longest.max(self.run.len());
    }

    /// Does the run return to a state where it was? Its choices can then be repeated.
    fn repeats(&self) -> bool {
        let earlier = self.seen.get(&hash_of(&self.next));
        let is_here = |&cycle: &usize| self.cone.registers_of(&self.run[cycle]) == self.next;
        earlier.is_some_and(|cycles| cycles.iter().any(is_here))
    }

    /// A failed attempt must not use up what the simulation needs.
    fn can_always_go_on(&mut self) -> bool {
        self.probe = self.run.len() * LONGER;
        let (cone, run) = (&mut self.cone, &self.run[..]);
        let goes_on = self.purse.quarter(|purse| recurrent::goes_on(cone, run, purse));
        goes_on.unwrap_or(false)
    }

    /// Finds another run that is longer, from the last state or an earlier one. Returns the
    /// first cycle for which there is no run, if there is such a cycle.
    fn rescue(&mut self) -> Result<Option<usize>, Refusal> {
        let stuck = self.run.len();
        // A solver chooses more than is needed, which often leaves the states where the inputs
        // can be held. So it looks far ahead only if it has to help again and again.
        let ahead =
            if self.rescues < 2 { 0 } else { (1 << (self.rescues - 1).min(8)).min(LOOKAHEAD) };
        self.rescues += 1;
        let mut back = 0;
        while back < stuck {
            let from = stuck - back;
            let registers = match self.run.get(from) {
                Some(cycle) => self.cone.registers_of(cycle),
                None => self.next.clone(),
            };
            let mut unrolling = Unrolling::new(&self.cone, &self.purse);
            for _ in from..=stuck + ahead {
                unrolling.constrain(Start::At(&registers))?;
            }
            let cycles = unrolling.run()?;
            self.purse.pay(&unrolling.encoder);
            if let Some(cycles) = cycles {
                self.replace(from, &cycles)?;
                return Ok(None);
            }
            back = (2 * back).max(1);
        }
        self.start_again(stuck + ahead)
    }

    /// Finds a run up to this cycle from the initial states, or the first cycle without one.
    fn start_again(&mut self, last: usize) -> Result<Option<usize>, Refusal> {
        let mut unrolling = Unrolling::new(&self.cone, &self.purse);
        let mut found = None;
        for cycle in 0..=last {
            unrolling.constrain(Start::Initial)?;
            if cycle < self.longest {
                continue;
            }
            found = unrolling.run()?;
            if found.is_none() {
                return Ok(Some(cycle));
            }
            self.longest = cycle + 1;
        }
        self.purse.pay(&unrolling.encoder);
        self.replace(0, &found.expect("the last cycle was asked about"))?;
        Ok(None)
    }

    /// Replaces the run from a cycle on by the choices of a model.
    fn replace(&mut self, from: usize, choices: &[Cycle]) -> Result<(), Refusal> {
        for cycle in self.run.drain(from..) {
            let hash = hash_of(&self.cone.registers_of(&cycle));
            self.seen.get_mut(&hash).expect("the cycle was noted").pop();
        }
        if let Some(last) = self.run.last() {
            self.cone.settle(last).expect("the constraints held before");
            self.next = self.cone.successor();
        }
        for choice in choices {
            let cycle = match self.run.is_empty() {
                true => self.cone.first(choice),
                false => self.cone.next(&self.next, choice),
            };
            // The value of an array may be incomplete in a model.
            self.push(cycle.map_err(|_| Refusal::OutOfBudget)?);
            if self.repeats() {
                break;
            }
        }
        Ok(())
    }
}

fn hash_of(values: &[Value]) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(values)
}
