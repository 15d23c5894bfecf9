//! The solvers behind the interface: one suite, run on each.

mod suite;

use elinvar_logic::{Answer, Cadical, Lit, Native, SatSolver, Var};
use suite::{Backend, Literal, Outcome, add_pigeons};

/// A solver, and how many variables it has.
struct Adapter<S> {
    solver: S,
    variables: usize,
}

trait Stoppable: SatSolver {
    fn make(is_stopped: bool) -> Self;
}

impl Stoppable for Cadical {
    fn make(is_stopped: bool) -> Self {
        if is_stopped { Cadical::with_stop(|| true) } else { Cadical::new() }
    }
}

impl Stoppable for Native {
    fn make(is_stopped: bool) -> Self {
        if is_stopped { Native::with_stop(|| true) } else { Native::new() }
    }
}

fn lits(literals: &[Literal]) -> Vec<Lit> {
    let lit =
        |literal: &Literal| Var::new(literal.variable).positive().negate_if(literal.is_negative);
    literals.iter().map(lit).collect()
}

impl<S: Stoppable> Backend for Adapter<S> {
    fn new() -> Self {
        Adapter { solver: S::make(false), variables: 0 }
    }

    fn stopped() -> Self {
        Adapter { solver: S::make(true), variables: 0 }
    }

    fn variable(&mut self) -> Literal {
        let variable = self.solver.new_var().index();
        assert_eq!(variable, self.variables);
        self.variables += 1;
        Literal { variable, is_negative: false }
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.solver.add_clause(&lits(clause));
    }

    fn solve(&mut self, assumptions: &[Literal]) -> Outcome {
        let assumed = lits(assumptions);
        match self.solver.solve(&assumed) {
            Answer::Sat(mut model) => {
                let mut value = |variable: usize| {
                    let lit = Var::new(variable).positive();
                    assert_ne!(model.value(lit), model.value(!lit));
                    model.value(lit)
                };
                Outcome::Sat((0..self.variables).map(&mut value).collect())
            }
            Answer::Unsat(mut core) => {
                let used = assumptions.iter().zip(assumed).filter(|&(_, lit)| core.contains(lit));
                Outcome::Unsat(used.map(|(&literal, _)| literal).collect())
            }
            Answer::Stopped => Outcome::Stopped,
        }
    }
}

conformance!(cadical: super::Adapter<super::Cadical>);
conformance!(native: super::Adapter<super::Native>);

fn counts_conflicts<S: Stoppable>() {
    let mut adapter = Adapter::<S>::new();
    assert_eq!(adapter.solver.conflicts(), 0);
    add_pigeons(&mut adapter, 5, 4);
    assert!(matches!(adapter.solve(&[]), Outcome::Unsat(_)));
    assert!(adapter.solver.conflicts() > 0);
}

#[test]
fn conflicts_are_counted() {
    counts_conflicts::<Cadical>();
    counts_conflicts::<Native>();
}
