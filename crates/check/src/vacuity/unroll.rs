//! Cycles of a cone as clauses, and what they cost.

use elinvar_ir::{TransitionSystem, Value};

use super::cone::{Cone, Cycle};
use crate::encode::{Encoder, Frame, Term};
use crate::refusal::Refusal;
use crate::solver::Budget;

/// How many conflicts one query may have.
pub(super) const CONFLICTS: i32 = 5_000;

/// How many gates may be announced for one that is built.
pub(super) const ANNOUNCED: u64 = 8;

/// What is left of a budget that several queries share: the gates in `max_gates` are those
/// of all queries together.
pub(super) struct Purse {
    left: Budget,
    /// What evaluations must leave for queries.
    reserve: u64,
}

impl Purse {
    pub fn new(budget: &Budget) -> Self {
        Purse { left: budget.clone(), reserve: budget.max_gates / 4 }
    }

    /// Does some work with at most a quarter of what is left.
    pub fn quarter<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let kept = self.left.max_gates - self.left.max_gates / 4;
        self.left.max_gates -= kept;
        let reserve = std::mem::take(&mut self.reserve);
        let done = work(self);
        self.left.max_gates += kept;
        self.reserve = reserve;
        done
    }

    /// An encoder whose queries are limited. It counts gates before it knows which of them
    /// are constants, so it may count more than are paid in the end.
    pub fn encoder(&self) -> Encoder {
        let max_gates = self.left.max_gates.saturating_mul(ANNOUNCED);
        let mut encoder = Encoder::new(&Budget { max_gates, ..self.left.clone() });
        encoder.limit_conflicts(CONFLICTS);
        encoder
    }

    /// Has an encoder done no more work than there is left?
    pub fn expect(&self, encoder: &Encoder) -> Result<(), Refusal> {
        if encoder.effort() > self.left.max_gates { Err(Refusal::OutOfBudget) } else { Ok(()) }
    }

    /// Takes the work of an encoder.
    pub fn pay(&mut self, encoder: &Encoder) {
        self.left.max_gates = self.left.max_gates.saturating_sub(encoder.effort());
    }

    /// How many times so much is left.
    pub fn affords(&self, gates: u64) -> usize {
        usize::try_from(self.left.max_gates / gates.max(1)).unwrap_or(usize::MAX)
    }

    /// Takes the cost of evaluating so many nodes.
    pub fn evaluate(&mut self, nodes: u64) -> Result<(), Refusal> {
        let left = &mut self.left;
        if left.max_gates < nodes.saturating_add(self.reserve) || left.is_spent() {
            return Err(Refusal::OutOfBudget);
        }
        left.max_gates -= nodes;
        Ok(())
    }
}

/// Where an unrolling starts.
#[derive(Clone, Copy)]
pub(super) enum Start<'v> {
    /// In an initial state.
    Initial,
    /// In a state with these values of the registers, in a cycle after the first.
    At(&'v [Value]),
}

/// Cycles one after the other. Constraints are asserted in each.
pub(super) struct Unrolling<'c, 'a> {
    pub encoder: Encoder,
    cone: &'c Cone<'a>,
    purse: &'c Purse,
    pub frames: Vec<Frame<'a>>,
}

impl<'c, 'a> Unrolling<'c, 'a> {
    /// An unrolling without any cycle.
    pub fn new(cone: &'c Cone<'a>, purse: &'c Purse) -> Self {
        Unrolling { encoder: purse.encoder(), cone, purse, frames: Vec::new() }
    }

    /// Adds a cycle, the first one at `start`. Its constraints are not asserted.
    pub fn grow(&mut self, start: Start<'_>) -> Result<&mut Frame<'a>, Refusal> {
        let cone = self.cone;
        self.purse.expect(&self.encoder)?;
        let frame = match (self.frames.last_mut(), start) {
            (Some(last), _) => last.successor(&mut self.encoder, &cone.states)?,
            (None, Start::Initial) => Frame::initial(&mut self.encoder, cone.system, &cone.states)?,
            (None, Start::At(values)) => {
                let constants = values.iter().map(|value| self.encoder.constant(value)).collect();
                at(cone, constants)
            }
        };
        self.frames.push(frame);
        Ok(self.frames.last_mut().expect("a frame was added"))
    }

    /// Adds a cycle in which all constraints hold.
    pub fn constrain(&mut self, start: Start<'_>) -> Result<(), Refusal> {
        self.grow(start)?;
        let frame = self.frames.last_mut().expect("a frame was added");
        frame.constrain(&mut self.encoder)
    }

    /// SAT?  all cycles so far. The values of each cycle, of which those count that nothing
    /// determines.
    pub fn run(&mut self) -> Result<Option<Vec<Cycle>>, Refusal> {
        let (states, inputs) = self.cone.symbols();
        let symbols: Vec<_> = states.into_iter().chain(inputs).collect();
        let terms: Vec<Option<Term>> = (self.frames.iter())
            .flat_map(|frame| symbols.iter().map(|&symbol| frame.known(symbol)))
            .collect();
        let Some(values) = self.encoder.model_of(&[], &terms)? else { return Ok(None) };
        let mut values = values.into_iter();
        let mut cycle = || {
            let next = |symbol| {
                let value = values.next().expect("a value for each term");
                value.unwrap_or_else(|| elinvar_ir::zero_of(self.cone.system.pool().sort(symbol)))
            };
            self.cone.filled(next)
        };
        Ok(Some((0..self.frames.len()).map(|_| cycle()).collect()))
    }
}

/// A frame with these values of the registers, in a cycle after the first.
pub(super) fn at<'a>(cone: &Cone<'a>, registers: Vec<Term>) -> Frame<'a> {
    let system: &'a TransitionSystem = cone.system;
    let mut frame = Frame::free(system);
    for (&index, term) in cone.registers.iter().zip(registers) {
        frame.set(system.states()[index].symbol, term);
    }
    frame
}
