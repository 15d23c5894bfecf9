//! Z3 on the suite of the SAT solvers: variables are Boolean terms, and clauses are
//! asserted disjunctions.

#[path = "../../logic/tests/suite/mod.rs"]
mod suite;

use std::sync::Arc;
use std::time::Duration;

use elinvar_ir::program::{Sort, Term, Terms, Value, VariableId};
use elinvar_smt::{Context, SmtAnswer, Solver, UnknownReason};
use suite::{Backend, Literal, Outcome};

const LONG: Duration = Duration::from_secs(60);

struct Z3 {
    terms: Terms,
    variables: Vec<VariableId>,
    solver: Solver,
}

impl Z3 {
    fn with(is_stopped: bool) -> Self {
        let context = Context::new(Arc::new(move || is_stopped));
        let solver = Solver::new(&context.expect("the library of Z3 is installed"));
        Z3 { terms: Terms::new(), variables: Vec::new(), solver }
    }

    fn term(&mut self, literal: Literal) -> Term {
        let term = self.terms.variable(self.variables[literal.variable]);
        if literal.is_negative { self.terms.not(term) } else { term }
    }
}

impl Backend for Z3 {
    fn new() -> Self {
        Z3::with(false)
    }

    fn stopped() -> Self {
        Z3::with(true)
    }

    fn variable(&mut self) -> Literal {
        let variable = self.variables.len();
        self.variables.push(self.terms.declare(format!("x{variable}"), Sort::Bool));
        Literal { variable, is_negative: false }
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        let parts: Vec<Term> = clause.iter().map(|&literal| self.term(literal)).collect();
        let clause = self.terms.or(parts);
        self.solver.assert(&self.terms, clause);
    }

    fn solve(&mut self, assumptions: &[Literal]) -> Outcome {
        let assumed: Vec<Term> = assumptions.iter().map(|&literal| self.term(literal)).collect();
        match self.solver.check(&self.terms, &assumed, LONG) {
            SmtAnswer::Sat(satisfied) => {
                let model = satisfied.model().expect("there is a model");
                let value = |&variable: &VariableId| match model
                    .variable(&self.terms, variable)
                    .expect("it has a value")
                {
                    Value::Bool(value) => value,
                    other => panic!("{other:?} is not a Boolean"),
                };
                Outcome::Sat(self.variables.iter().map(value).collect())
            }
            SmtAnswer::Unsat(refuted) => {
                Outcome::Unsat(refuted.core().into_iter().map(|at| assumptions[at]).collect())
            }
            SmtAnswer::Unknown(undecided) => match undecided.reason() {
                UnknownReason::Interrupted => Outcome::Stopped,
                UnknownReason::GaveUp(why) => panic!("Z3 decides Boolean formulas: {why}"),
            },
        }
    }
}

conformance!(z3: super::Z3);
