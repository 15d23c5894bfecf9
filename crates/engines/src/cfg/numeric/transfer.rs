//! What statements make of states.

use elinvar_ir::program::{Op, Statement, Term, VariableId};

use super::evaluate::{Context, DEPTH};
use super::layout::{Place, Slot};
use super::number::Number;
use super::state::{NewNumber, State};
use super::values::Empty;

/// How many choices among the values of an assignment are followed apart.
const SPLITS: u32 = 2;

impl Context<'_> {
    /// The state after the statement; none if it cannot be passed.
    pub(super) fn execute(&self, state: &State, statement: &Statement) -> Option<State> {
        self.begin_statement();
        let mut after = match statement {
            Statement::Assume(condition) => {
                let mut after = state.clone();
                self.assume(&mut after, *condition, true, DEPTH).ok()?;
                after
            }
            Statement::Assign(assignments) => self.assign(state, assignments, SPLITS).ok()?,
            Statement::Havoc(variables) => {
                let mut after = state.clone();
                variables.iter().for_each(|variable| after.forget(self.layout, *variable));
                after
            }
        };
        after.end_statement();
        Some(after)
    }

    /// Where a number is chosen by a condition, what follows from the condition is kept
    /// together with the number that it chooses.
    fn assign(
        &self,
        state: &State,
        assignments: &[(VariableId, Term)],
        splits: u32,
    ) -> Result<State, Empty> {
        let choice = |&(variable, value): &(VariableId, Term)| match self.layout.place(variable) {
            Place::Number(_) => self.terms.as_op(value, Op::Ite),
            Place::Bool(_) | Place::Nowhere => None,
        };
        let chosen = assignments.iter().enumerate().find_map(|(at, new)| Some((at, choice(new)?)));
        let Some((at, &[condition, then, other])) = chosen.filter(|_| splits > 0) else {
            return self.assign_plainly(state, assignments);
        };
        let branch = |holds: bool, value: Term| {
            let mut state = state.clone();
            self.assume(&mut state, condition, holds, DEPTH)?;
            let mut assignments = assignments.to_vec();
            assignments[at].1 = value;
            self.assign(&state, &assignments, splits - 1)
        };
        match (branch(true, then), branch(false, other)) {
            (Ok(then), Ok(other)) => Ok(then.join(&other)),
            (Ok(one), Err(Empty)) | (Err(Empty), Ok(one)) => Ok(one),
            (Err(Empty), Err(Empty)) => Err(Empty),
        }
    }

    fn assign_plainly(
        &self,
        state: &State,
        assignments: &[(VariableId, Term)],
    ) -> Result<State, Empty> {
        let mut numbers = Vec::new();
        let mut bools = Vec::new();
        for &(variable, value) in assignments {
            match self.layout.place(variable) {
                Place::Number(slot) => numbers.push(self.new_number(state, slot, value)),
                Place::Bool(flag) => bools.push((flag, self.decide(state, value, DEPTH))),
                Place::Nowhere => {}
            }
        }
        let mut after = state.clone();
        after.assign(self.layout, numbers, bools)?;
        Ok(after)
    }

    /// A sum is as far from each variable in it as the other summands say.
    fn new_number(&self, state: &State, slot: Slot, value: Term) -> NewNumber {
        let sum = self.simplify(state, &self.sum(value), DEPTH);
        let mut distances = Vec::new();
        for (at, part) in sum.parts.iter().enumerate() {
            let is_unit = part.1.magnitude() == Number::ONE;
            if let Some(other) = self.signed(part).filter(|_| is_unit)
                && self.layout.common_seats(slot, other.slot).next().is_some()
            {
                let rest = self.evaluate_without(state, &sum, &[at], DEPTH);
                distances.push((other, rest.interval().clone()));
            }
        }
        NewNumber { slot, values: self.evaluate_sum(state, &sum, DEPTH), distances }
    }
}
