//! Checks logs of derivations, knowing nothing of the solver that wrote them.
//!
//! Each derived clause is checked by reverse unit propagation along its
//! antecedents [Goldberg, Novikov 2003], in the order of LRAT: see the preface of
//! the log. The check is strict: an antecedent that does nothing is refused, so
//! that what passes can be read as a chain of resolutions.

use std::fmt;

use crate::literal::Lit;
use crate::proof::{Log, StepId};

/// Why a log is not a proof. The first step named is the derived one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProofError {
    /// The antecedent is the step itself or comes after it.
    LaterAntecedent(StepId, StepId),
    /// The antecedent has a true literal, or two literals without a value.
    NotUnit(StepId, StepId),
    /// There are antecedents after the falsified one.
    NotLast(StepId, StepId),
    /// No antecedent is falsified.
    NoConflict(StepId),
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofError::LaterAntecedent(step, antecedent) => {
                write!(f, "{step:?} is derived from {antecedent:?}, which is not earlier")
            }
            ProofError::NotUnit(step, antecedent) => {
                write!(f, "{step:?}: antecedent {antecedent:?} is not unit")
            }
            ProofError::NotLast(step, antecedent) => {
                write!(f, "{step:?}: antecedent {antecedent:?} is falsified but not last")
            }
            ProofError::NoConflict(step) => {
                write!(f, "{step:?}: no antecedent is falsified")
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
    let mut values = Values::default();
    let mut steps = (0..log.len()).map(StepId::new);
    steps.try_for_each(|step| check_step(log, step, &mut values))
}

fn check_step(log: &Log, step: StepId, values: &mut Values) -> Result<(), ProofError> {
    let antecedents = log.antecedents(step);
    if antecedents.is_empty() {
        return Ok(());
    }
    values.clear();
    for &lit in log.lits(step) {
        values.assign(!lit);
    }
    for (index, &antecedent) in antecedents.iter().enumerate() {
        if antecedent >= step {
            return Err(ProofError::LaterAntecedent(step, antecedent));
        }
        let lits = log.lits(antecedent);
        let mut open = lits.iter().filter(|&&lit| values.get(lit) != Some(false));
        match (open.next(), open.next()) {
            (None, _) if index + 1 == antecedents.len() => return Ok(()),
            (None, _) => return Err(ProofError::NotLast(step, antecedent)),
            (Some(&lit), None) if values.get(lit).is_none() => values.assign(lit),
            (Some(_), _) => return Err(ProofError::NotUnit(step, antecedent)),
        }
    }
    Err(ProofError::NoConflict(step))
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

    /// Steps: literals as in DIMACS, then the numbers of antecedents.
    fn log(steps: &[(&[i32], &[usize])]) -> Log {
        let lit = |&x: &i32| {
            crate::literal::Var::new(x.unsigned_abs() as usize).positive().negate_if(x < 0)
        };
        let mut log = Log::new();
        for (lits, antecedents) in steps {
            let lits: Vec<Lit> = lits.iter().map(lit).collect();
            let antecedents: Vec<StepId> = antecedents.iter().map(|&a| StepId::new(a)).collect();
            log.push(&lits, &antecedents);
        }
        log
    }

    /// From `a → b`, `b → c`: `a → c`; then with `a`, `¬c` the empty clause.
    const GOOD: [(&[i32], &[usize]); 6] = [
        (&[-1, 2], &[]),
        (&[-2, 3], &[]),
        (&[-1, 3], &[0, 1]),
        (&[1], &[]),
        (&[-3], &[]),
        (&[], &[3, 2, 4]),
    ];

    fn verdict_with(index: usize, step: (&[i32], &[usize])) -> Result<(), ProofError> {
        let mut steps = GOOD;
        steps[index] = step;
        check(&log(&steps))
    }

    fn error(make: fn(StepId, StepId) -> ProofError, step: usize, antecedent: usize) -> ProofError {
        make(StepId::new(step), StepId::new(antecedent))
    }

    #[test]
    fn derivations_by_unit_propagation_are_accepted() {
        assert_eq!(check(&log(&GOOD)), Ok(()));
    }

    #[test]
    fn a_later_antecedent_is_refused() {
        let error = error(ProofError::LaterAntecedent, 2, 4);
        assert_eq!(verdict_with(2, (&[-1, 3], &[0, 4])), Err(error));
    }

    #[test]
    fn a_clause_does_not_follow_from_itself() {
        let error = error(ProofError::LaterAntecedent, 2, 2);
        assert_eq!(verdict_with(2, (&[-1, 3], &[2])), Err(error));
    }

    #[test]
    fn an_antecedent_with_two_open_literals_is_refused() {
        let error = error(ProofError::NotUnit, 5, 2);
        assert_eq!(verdict_with(5, (&[], &[2, 3, 4])), Err(error));
    }

    #[test]
    fn an_antecedent_that_is_satisfied_is_refused() {
        let error = error(ProofError::NotUnit, 2, 0);
        assert_eq!(verdict_with(2, (&[-1, 3], &[0, 0, 1])), Err(error));
    }

    #[test]
    fn a_conflict_before_the_end_is_refused() {
        let error = error(ProofError::NotLast, 2, 1);
        assert_eq!(verdict_with(2, (&[-1, 3], &[0, 1, 0])), Err(error));
    }

    #[test]
    fn a_derivation_without_conflict_is_refused() {
        assert_eq!(verdict_with(2, (&[-1, 3], &[0])), Err(ProofError::NoConflict(StepId::new(2))));
    }

    #[test]
    fn a_clause_that_is_too_strong_is_refused() {
        let error = error(ProofError::NotUnit, 2, 0);
        assert_eq!(verdict_with(2, (&[3], &[0, 1])), Err(error));
    }
}
