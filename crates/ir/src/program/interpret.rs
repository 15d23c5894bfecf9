//! Runs of a program, one edge after the other.

use super::evaluate::{EvaluationError, evaluate};
use super::evidence::ProgramStep;
use super::graph::{LocationId, Program, Statement};
use super::term::{Term, VariableId};
use super::value::{ByZero, FunctionValue, Value};

/// A program at a location, with values.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    program: &'a Program,
    functions: &'a [FunctionValue],
    by_zero: ByZero,
    location: LocationId,
    /// By number of the variable, for those of the program.
    values: Vec<Value>,
}

/// Why a step cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StepError {
    /// The edge starts at another location.
    #[error("the edge does not leave the location where the run is")]
    Elsewhere,
    /// The condition of an `assume` is false.
    #[error("the condition does not hold")]
    Blocked,
    /// The number of values is wrong.
    #[error("there are {found} values for {expected} variables")]
    Count {
        /// How many values are needed.
        expected: usize,
        /// How many values were given.
        found: usize,
    },
    /// A value has another sort than its variable.
    #[error("a value has not the sort of its variable")]
    Sort,
    /// A term cannot be evaluated.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

impl<'a> Machine<'a> {
    /// At the program's entry, with these values by position in the program's variables.
    pub fn new(
        program: &'a Program,
        initial: &[Value],
        functions: &'a [FunctionValue],
    ) -> Result<Self, StepError> {
        Self::at(program, program.entry, initial, functions)
    }

    /// At any location, with these values by position in the program's variables.
    pub fn at(
        program: &'a Program,
        location: LocationId,
        values: &[Value],
        functions: &'a [FunctionValue],
    ) -> Result<Self, StepError> {
        expect_values(program, &program.variables, values)?;
        let expected = program.terms.functions().len();
        if functions.len() != expected {
            return Err(StepError::Count { expected, found: functions.len() });
        }
        let sorts = program.terms.variables().iter().map(|variable| Value::zero(&variable.sort));
        let mut all: Vec<Value> = sorts.collect();
        for (variable, value) in program.variables.iter().zip(values) {
            all[variable.0 as usize] = value.clone();
        }
        Ok(Machine { program, functions, by_zero: ByZero::default(), location, values: all })
    }

    /// With these values of divisions by zero, instead of zero.
    pub fn with_by_zero(mut self, by_zero: &ByZero) -> Self {
        self.by_zero = by_zero.clone();
        self
    }

    /// The location that the run has reached.
    pub fn location(&self) -> LocationId {
        self.location
    }

    /// The present value of a variable.
    pub fn value(&self, variable: VariableId) -> &Value {
        &self.values[variable.0 as usize]
    }

    /// By position in the program's variables.
    pub fn values(&self) -> Vec<Value> {
        self.program.variables.iter().map(|&variable| self.value(variable).clone()).collect()
    }

    /// The value of a term in the present state.
    pub fn evaluate(&self, term: Term) -> Result<Value, EvaluationError> {
        evaluate(
            &self.program.terms,
            term,
            |variable| self.value(variable).clone(),
            |function, arguments| self.functions[function.0 as usize].apply(arguments).clone(),
            &self.by_zero,
        )
    }

    /// Takes a step, or says why the program cannot.
    pub fn step(&mut self, step: &ProgramStep) -> Result<(), StepError> {
        let program = self.program;
        let edge = program.edge(step.edge);
        if edge.from != self.location {
            return Err(StepError::Elsewhere);
        }
        match &edge.statement {
            Statement::Assume(condition) => {
                expect_values(program, &[], &step.values)?;
                if self.evaluate(*condition)? != Value::Bool(true) {
                    return Err(StepError::Blocked);
                }
            }
            Statement::Assign(assignments) => {
                expect_values(program, &[], &step.values)?;
                let values: Result<Vec<Value>, EvaluationError> =
                    assignments.iter().map(|(_, term)| self.evaluate(*term)).collect();
                for ((variable, _), value) in assignments.iter().zip(values?) {
                    self.values[variable.0 as usize] = value;
                }
            }
            Statement::Havoc(variables) => {
                expect_values(program, variables, &step.values)?;
                for (variable, value) in variables.iter().zip(&step.values) {
                    self.values[variable.0 as usize] = value.clone();
                }
            }
        }
        self.location = edge.to;
        Ok(())
    }
}

fn expect_values(
    program: &Program,
    variables: &[VariableId],
    values: &[Value],
) -> Result<(), StepError> {
    if variables.len() != values.len() {
        return Err(StepError::Count { expected: variables.len(), found: values.len() });
    }
    let fits = |(variable, value): (&VariableId, &Value)| {
        value.has_sort(program.terms.variable_sort(*variable))
    };
    if variables.iter().zip(values).all(fits) { Ok(()) } else { Err(StepError::Sort) }
}
