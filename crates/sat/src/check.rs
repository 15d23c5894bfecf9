//! Checks logs of derivations, knowing nothing of the solver that wrote them.
//!
//! Each derived clause is checked by reverse unit propagation along its
//! antecedents [Goldberg, Novikov 2003], in the order of LRAT: see the preface of
//! the log. The check is strict: an antecedent that does nothing is refused, so
//! that what passes can be read as a chain of resolutions.

use std::collections::HashMap;
use std::fmt;

use crate::arena::ClauseRef;
use crate::literal::Lit;
use crate::proof::{Log, Step};

/// Why a log is no proof. The first clause named is the derived one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProofError {
    /// Two steps have the same name.
    Duplicate(ClauseRef),
    /// There is no step of the second name.
    UnknownAntecedent(ClauseRef, ClauseRef),
    /// The antecedent is the step itself or comes after it.
    LaterAntecedent(ClauseRef, ClauseRef),
    /// The antecedent has a true literal, or two literals without a value.
    NotUnit(ClauseRef, ClauseRef),
    /// There are antecedents after the falsified one.
    NotLast(ClauseRef, ClauseRef),
    /// No antecedent is falsified.
    NoConflict(ClauseRef),
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofError::Duplicate(step) => write!(f, "clause {step:?} is logged twice"),
            ProofError::UnknownAntecedent(step, antecedent) => {
                write!(f, "clause {step:?} is derived from {antecedent:?}, which is not logged")
            }
            ProofError::LaterAntecedent(step, antecedent) => {
                write!(f, "clause {step:?} is derived from {antecedent:?}, which is not earlier")
            }
            ProofError::NotUnit(step, antecedent) => {
                write!(f, "clause {step:?}: antecedent {antecedent:?} is not unit")
            }
            ProofError::NotLast(step, antecedent) => {
                write!(f, "clause {step:?}: antecedent {antecedent:?} is falsified but not last")
            }
            ProofError::NoConflict(step) => {
                write!(f, "clause {step:?}: no antecedent is falsified")
            }
        }
    }
}

impl std::error::Error for ProofError {}

/// Does every derived clause of the log follow from its antecedents?
///
/// A step without antecedents is taken as given. That these steps are the
/// clauses of the problem is for the caller to see.
pub fn check(log: &Log) -> Result<(), ProofError> {
    let mut places = HashMap::new();
    for (place, step) in log.steps().iter().enumerate() {
        if places.insert(step.clause, place).is_some() {
            return Err(ProofError::Duplicate(step.clause));
        }
    }
    let mut values = Values::default();
    for (place, step) in log.steps().iter().enumerate() {
        if !step.antecedents.is_empty() {
            check_step(log, &places, place, step, &mut values)?;
        }
    }
    Ok(())
}

fn check_step(
    log: &Log,
    places: &HashMap<ClauseRef, usize>,
    place: usize,
    step: &Step,
    values: &mut Values,
) -> Result<(), ProofError> {
    values.clear();
    for &lit in &step.lits {
        values.assign(!lit);
    }
    for (index, &antecedent) in step.antecedents.iter().enumerate() {
        let error =
            |make: fn(ClauseRef, ClauseRef) -> ProofError| Err(make(step.clause, antecedent));
        let lits = match places.get(&antecedent) {
            None => return error(ProofError::UnknownAntecedent),
            Some(&earlier) if earlier >= place => return error(ProofError::LaterAntecedent),
            Some(&earlier) => &log.steps()[earlier].lits,
        };
        let mut open = lits.iter().filter(|&&lit| values.get(lit) != Some(false));
        match (open.next(), open.next()) {
            (None, _) if index + 1 == step.antecedents.len() => return Ok(()),
            (None, _) => return error(ProofError::NotLast),
            (Some(&lit), None) if values.get(lit).is_none() => values.assign(lit),
            (Some(_), _) => return error(ProofError::NotUnit),
        }
    }
    Err(ProofError::NoConflict(step.clause))
}

/// A partial assignment, cleared by time of what was assigned.
#[derive(Default)]
struct Values {
    by_var: Vec<Option<bool>>,
    assigned: Vec<Lit>,
}

impl Values {
    fn get(&self, lit: Lit) -> Option<bool> {
        let value = self.by_var.get(lit.var().index()).copied().flatten()?;
        Some(value != lit.is_negative())
    }

    fn assign(&mut self, lit: Lit) {
        let index = lit.var().index();
        if self.by_var.len() <= index {
            self.by_var.resize(index + 1, None);
        }
        self.by_var[index] = Some(!lit.is_negative());
        self.assigned.push(lit);
    }

    fn clear(&mut self) {
        for lit in self.assigned.drain(..) {
            self.by_var[lit.var().index()] = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps by number: literals as in DIMACS, then the numbers of antecedents.
    fn log(steps: &[(u32, &[i32], &[u32])]) -> Log {
        let lit = |&x: &i32| {
            crate::literal::Var::new(x.unsigned_abs() as usize).positive().negate_if(x < 0)
        };
        let step = |&(name, lits, antecedents): &(u32, &[i32], &[u32])| Step {
            clause: ClauseRef(name),
            lits: lits.iter().map(lit).collect(),
            antecedents: antecedents.iter().map(|&a| ClauseRef(a)).collect(),
        };
        Log::from_steps(steps.iter().map(step).collect())
    }

    /// From `a → b`, `b → c`: `a → c`; then with `a`, `¬c` the empty clause.
    const GOOD: [(u32, &[i32], &[u32]); 6] = [
        (0, &[-1, 2], &[]),
        (5, &[-2, 3], &[]),
        (10, &[-1, 3], &[0, 5]),
        (15, &[1], &[]),
        (19, &[-3], &[]),
        (23, &[], &[15, 10, 19]),
    ];

    fn verdict_with(index: usize, step: (u32, &[i32], &[u32])) -> Result<(), ProofError> {
        let mut steps = GOOD;
        steps[index] = step;
        check(&log(&steps))
    }

    #[test]
    fn derivations_by_unit_propagation_are_accepted() {
        assert_eq!(check(&log(&GOOD)), Ok(()));
    }

    #[test]
    fn a_name_given_twice_is_refused() {
        assert_eq!(verdict_with(3, (5, &[1], &[])), Err(ProofError::Duplicate(ClauseRef(5))));
    }

    #[test]
    fn an_unknown_antecedent_is_refused() {
        let error = ProofError::UnknownAntecedent(ClauseRef(10), ClauseRef(7));
        assert_eq!(verdict_with(2, (10, &[-1, 3], &[0, 7])), Err(error));
    }

    #[test]
    fn a_later_antecedent_is_refused() {
        let error = ProofError::LaterAntecedent(ClauseRef(10), ClauseRef(19));
        assert_eq!(verdict_with(2, (10, &[-1, 3], &[0, 19])), Err(error));
    }

    #[test]
    fn a_clause_does_not_follow_from_itself() {
        let error = ProofError::LaterAntecedent(ClauseRef(10), ClauseRef(10));
        assert_eq!(verdict_with(2, (10, &[-1, 3], &[10])), Err(error));
    }

    #[test]
    fn an_antecedent_with_two_open_literals_is_refused() {
        let error = ProofError::NotUnit(ClauseRef(23), ClauseRef(10));
        assert_eq!(verdict_with(5, (23, &[], &[10, 15, 19])), Err(error));
    }

    #[test]
    fn an_antecedent_that_is_satisfied_is_refused() {
        let error = ProofError::NotUnit(ClauseRef(10), ClauseRef(0));
        assert_eq!(verdict_with(2, (10, &[-1, 3], &[0, 0, 5])), Err(error));
    }

    #[test]
    fn a_conflict_before_the_end_is_refused() {
        let error = ProofError::NotLast(ClauseRef(10), ClauseRef(5));
        assert_eq!(verdict_with(2, (10, &[-1, 3], &[0, 5, 0])), Err(error));
    }

    #[test]
    fn a_derivation_without_conflict_is_refused() {
        let error = ProofError::NoConflict(ClauseRef(10));
        assert_eq!(verdict_with(2, (10, &[-1, 3], &[0])), Err(error));
    }

    #[test]
    fn a_clause_that_is_too_strong_is_refused() {
        let error = ProofError::NotUnit(ClauseRef(10), ClauseRef(0));
        assert_eq!(verdict_with(2, (10, &[3], &[0, 5])), Err(error));
    }
}
