//! Replays a run.
//!
//! A run leaves nothing open: all values are given, so that there is nothing to solve.
//! Statements and terms are executed by code of this crate alone.

use elinvar_ir::program::{
    LocationId, Program, ProgramStep, ProgramTrace, Sort, Statement, Term, Value, VariableId,
};

use super::datum::Datum;
use super::evaluate::{Functions, evaluate};
use super::refusal::{ProgramRefusal, StepFault};

/// Accepts a run that the program can take and that ends in the error location of its
/// property.
pub fn run(program: &Program, trace: &ProgramTrace) -> Result<(), ProgramRefusal> {
    let Some(property) = program.properties.get(trace.property.0) else {
        return Err(ProgramRefusal::NoSuchProperty(trace.property));
    };
    let functions = Functions::of(program, trace)?;
    let mut state = State::new(program, &functions);
    state.set(&program.variables, &trace.initial).map_err(ProgramRefusal::Start)?;
    for (step, taken) in trace.steps.iter().enumerate() {
        if taken.edge.0 as usize >= program.edges.len() {
            return Err(ProgramRefusal::NoSuchEdge { step, edge: taken.edge });
        }
        state.take(taken).map_err(|error| ProgramRefusal::Step { step, error })?;
    }
    if state.location == property.error { Ok(()) } else { Err(ProgramRefusal::NotAtError) }
}

/// Where the run is.
struct State<'a> {
    program: &'a Program,
    functions: &'a Functions,
    location: LocationId,
    /// By number of the variable; `None` for those that are not the program's.
    values: Vec<Option<Datum>>,
}

impl<'a> State<'a> {
    fn new(program: &'a Program, functions: &'a Functions) -> Self {
        let values = vec![None; program.terms.variables().len()];
        State { program, functions, location: program.entry, values }
    }

    fn take(&mut self, step: &ProgramStep) -> Result<(), StepFault> {
        let edge = &self.program.edges[step.edge.0 as usize];
        if edge.from != self.location {
            return Err(StepFault::Elsewhere);
        }
        match &edge.statement {
            Statement::Assume(condition) => {
                self.set(&[], &step.values)?;
                if !matches!(self.value(*condition)?, Datum::Bool(true)) {
                    return Err(StepFault::Blocked);
                }
            }
            Statement::Assign(assignments) => {
                self.set(&[], &step.values)?;
                let mut new = Vec::new();
                for (variable, term) in assignments {
                    if self.program.terms.sort(*term) != self.sort(*variable) {
                        return Err(StepFault::IllSorted);
                    }
                    new.push((*variable, self.value(*term)?));
                }
                for (variable, value) in new {
                    self.values[variable.0 as usize] = Some(value);
                }
            }
            Statement::Havoc(variables) => self.set(variables, &step.values)?,
        }
        self.location = edge.to;
        Ok(())
    }

    fn sort(&self, variable: VariableId) -> &'a Sort {
        self.program.terms.variable_sort(variable)
    }

    fn value(&self, term: Term) -> Result<Datum, StepFault> {
        let variable = |id: VariableId| self.values[id.0 as usize].clone();
        evaluate(&self.program.terms, term, variable, self.functions)
    }

    /// Gives values of the evidence to variables.
    fn set(&mut self, variables: &[VariableId], values: &[Value]) -> Result<(), StepFault> {
        if variables.len() != values.len() {
            return Err(StepFault::Count { expected: variables.len(), found: values.len() });
        }
        for (variable, value) in variables.iter().zip(values) {
            let value = Datum::of(self.sort(*variable), value).ok_or(StepFault::Sort)?;
            self.values[variable.0 as usize] = Some(value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use elinvar_ir::PropertyId;
    use elinvar_ir::program::{ByZero, EdgeId, Function, FunctionValue, MapValue};
    use elinvar_models::Sketch;

    use super::*;

    fn int(value: i64) -> Value {
        Value::Int(value.into())
    }

    /// Figure 3.1: `x := 0; x := x + 1; assert x != 1;`
    fn figure_3_1() -> (Program, ProgramTrace) {
        let mut sketch = Sketch::new();
        let x = sketch.variable("x", Sort::Int);
        let [l1, l2, l3] = [0; 3].map(|_| sketch.location());
        let terms = &mut sketch.terms;
        let (zero, one, value) = (terms.int(0), terms.int(1), terms.variable(x));
        let (next, is_one) = (terms.add([value, one]), terms.equal(value, one));
        let condition = terms.not(is_one);
        sketch.assign(Sketch::ENTRY, l1, &[(x, zero)]);
        sketch.assign(l1, l2, &[(x, next)]);
        let property = sketch.assert(l2, l3, condition);
        let steps = [0, 1, 3].map(|edge| ProgramStep { edge: EdgeId(edge), values: Vec::new() });
        let trace = ProgramTrace {
            property,
            initial: vec![int(7)],
            functions: Vec::new(),
            by_zero: ByZero::default(),
            steps: steps.to_vec(),
        };
        (sketch.finish(), trace)
    }

    /// The figure's run, changed.
    fn check(change: impl Fn(&mut ProgramTrace)) -> Result<(), ProgramRefusal> {
        let (program, mut trace) = figure_3_1();
        change(&mut trace);
        run(&program, &trace)
    }

    #[test]
    fn the_run_of_the_thesis_is_accepted() {
        assert_eq!(check(|_| ()), Ok(()));
    }

    #[test]
    fn wrong_initial_values_are_refused() {
        let start = |error| Err(ProgramRefusal::Start(error));
        assert_eq!(
            check(|trace| trace.property = PropertyId(1)),
            Err(ProgramRefusal::NoSuchProperty(PropertyId(1)))
        );
        assert_eq!(
            check(|trace| trace.initial.clear()),
            start(StepFault::Count { expected: 1, found: 0 })
        );
        assert_eq!(check(|trace| trace.initial[0] = Value::Bool(true)), start(StepFault::Sort));
        let extra = FunctionValue { default: int(0), entries: BTreeMap::new() };
        assert_eq!(
            check(|trace| trace.functions.push(extra.clone())),
            start(StepFault::Count { expected: 0, found: 1 })
        );
    }

    #[test]
    fn wrong_steps_are_refused() {
        let step = |step, error| Err(ProgramRefusal::Step { step, error });
        assert_eq!(check(|trace| trace.steps[0].edge = EdgeId(1)), step(0, StepFault::Elsewhere));
        assert_eq!(check(|trace| trace.steps[2].edge = EdgeId(2)), step(2, StepFault::Blocked));
        assert_eq!(
            check(|trace| trace.steps[1].values.push(int(1))),
            step(1, StepFault::Count { expected: 0, found: 1 })
        );
        assert_eq!(
            check(|trace| trace.steps[1].edge = EdgeId(4)),
            Err(ProgramRefusal::NoSuchEdge { step: 1, edge: EdgeId(4) })
        );
    }

    #[test]
    fn runs_that_end_before_the_error_are_refused() {
        assert_eq!(check(|trace| trace.steps.truncate(2)), Err(ProgramRefusal::NotAtError));
    }

    #[test]
    fn a_choice_has_the_sort_of_its_variable() {
        let mut sketch = Sketch::new();
        let x = sketch.variable("x", Sort::Int);
        let [chosen, end] = [0; 2].map(|_| sketch.location());
        let terms = &mut sketch.terms;
        let (value, one) = (terms.variable(x), terms.int(1));
        let quotient = terms.divide(one, value);
        let condition = terms.at_most(one, quotient);
        sketch.havoc(Sketch::ENTRY, chosen, &[x]);
        let property = sketch.assert(chosen, end, condition);
        let program = sketch.finish();
        let check = |value: Value, by_zero: &ByZero| {
            let steps = vec![
                ProgramStep { edge: EdgeId(0), values: vec![value] },
                ProgramStep { edge: EdgeId(2), values: Vec::new() },
            ];
            run(
                &program,
                &ProgramTrace {
                    property,
                    initial: vec![int(0)],
                    functions: vec![],
                    by_zero: by_zero.clone(),
                    steps,
                },
            )
        };
        let zero = ByZero::default();
        let blocked = Err(ProgramRefusal::Step { step: 1, error: StepFault::Blocked });
        assert_eq!(check(int(2), &zero), Ok(()));
        assert_eq!(check(int(1), &zero), blocked);
        let error = StepFault::Sort;
        assert_eq!(check(Value::Bool(true), &zero), Err(ProgramRefusal::Step { step: 0, error }));
        // The run says what a division by zero gives.
        assert_eq!(check(int(0), &zero), Ok(()));
        let seven = ByZero { divide: FunctionValue::constant(int(7)), ..zero };
        assert_eq!(check(int(0), &seven), blocked);
    }

    #[test]
    fn a_function_has_its_signature() {
        let mut sketch = Sketch::new();
        let function = Function {
            name: "f".to_string(),
            arguments: vec![Sort::Int],
            result: Sort::Bool,
            approximates: None,
        };
        let f = sketch.terms.declare_function(function);
        let one = sketch.terms.int(1);
        let condition = sketch.terms.apply(f, vec![one]);
        let property = sketch.error(Sketch::ENTRY, condition);
        let program = sketch.finish();
        let check = |default: Value, argument: Value| {
            let entries = BTreeMap::from([(vec![argument], Value::Bool(true))]);
            let functions = vec![FunctionValue { default, entries }];
            let steps = vec![ProgramStep { edge: EdgeId(0), values: Vec::new() }];
            run(
                &program,
                &ProgramTrace {
                    property,
                    initial: vec![],
                    functions,
                    by_zero: ByZero::default(),
                    steps,
                },
            )
        };
        let refused = Err(ProgramRefusal::FunctionValue("f".to_string()));
        assert_eq!(check(Value::Bool(false), int(1)), Ok(()));
        assert_eq!(check(int(0), int(1)), refused);
        assert_eq!(check(Value::Bool(false), Value::Bool(true)), refused);
    }

    /// `assume x[true] == y[true] && x[false] == y[false]; assert m[x] == m[y] && f(x) == f(y);`
    /// The values of `x` and `y` are the same map, written differently.
    #[test]
    fn equal_maps_are_equal_indices_and_arguments() {
        let mut sketch = Sketch::new();
        let flags = Sort::map(Sort::Bool, Sort::Int);
        let m = sketch.variable("m", Sort::map(flags.clone(), Sort::Int));
        let [x, y] = ["x", "y"].map(|name| sketch.variable(name, flags.clone()));
        let f = sketch.terms.declare_function(Function {
            name: "f".to_string(),
            arguments: vec![flags],
            result: Sort::Int,
            approximates: None,
        });
        let terms = &mut sketch.terms;
        let [m, x, y] = [m, x, y].map(|variable| terms.variable(variable));
        let reads = [terms.select(m, x), terms.select(m, y)];
        let applied = [terms.apply(f, vec![x]), terms.apply(f, vec![y])];
        let same = [terms.equal(reads[0], reads[1]), terms.equal(applied[0], applied[1])];
        let differ = same.map(|same| terms.not(same));
        for condition in differ {
            let mut sketch = sketch.clone();
            let property = sketch.error(Sketch::ENTRY, condition);
            let program = sketch.finish();
            let all = [true, false].map(|at| (Value::Bool(at), int(1)));
            let constant = MapValue::constant(Sort::Bool, int(1));
            let [one, other] = [constant, MapValue::new(Sort::Bool, int(0), all)]
                .map(|map| Value::Map(Box::new(map)));
            let writes = [(one.clone(), int(5))];
            let index = Sort::map(Sort::Bool, Sort::Int);
            let map = Value::Map(Box::new(MapValue::new(index, int(0), writes)));
            let entries = BTreeMap::from([(vec![one.clone()], int(5))]);
            let trace = ProgramTrace {
                property,
                initial: vec![map, one, other],
                functions: vec![FunctionValue { default: int(0), entries }],
                by_zero: ByZero::default(),
                steps: vec![ProgramStep { edge: EdgeId(0), values: Vec::new() }],
            };
            let error = StepFault::Blocked;
            assert_eq!(run(&program, &trace), Err(ProgramRefusal::Step { step: 0, error }));
        }
    }
}
