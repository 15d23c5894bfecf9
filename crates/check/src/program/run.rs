//! Replays a run with the reference semantics.
//!
//! A run leaves nothing open: all values are given, so that there is nothing to solve.

use elinvar_ir::program::{Function, FunctionValue, Machine, Program, ProgramTrace};

use super::refusal::ProgramRefusal;

/// Accepts a run that the program can take and that ends in the error location of its
/// property.
pub fn run(program: &Program, trace: &ProgramTrace) -> Result<(), ProgramRefusal> {
    let Some(property) = program.properties.get(trace.property.0 as usize) else {
        return Err(ProgramRefusal::NoSuchProperty(trace.property));
    };
    // It starts at the entry; the number of functions is compared there.
    let mut machine =
        Machine::new(program, &trace.initial, &trace.functions).map_err(ProgramRefusal::Start)?;
    for (function, value) in program.terms.functions().iter().zip(&trace.functions) {
        if !has_signature(value, function) {
            return Err(ProgramRefusal::FunctionValue(function.name.clone()));
        }
    }
    for (step, taken) in trace.steps.iter().enumerate() {
        if taken.edge.0 as usize >= program.edges.len() {
            return Err(ProgramRefusal::NoSuchEdge { step, edge: taken.edge });
        }
        machine.step(taken).map_err(|error| ProgramRefusal::Step { step, error })?;
    }
    if machine.location() == property.error { Ok(()) } else { Err(ProgramRefusal::NotAtError) }
}

fn has_signature(value: &FunctionValue, function: &Function) -> bool {
    value.default.has_sort(&function.result)
        && value.entries.iter().all(|(arguments, result)| {
            arguments.len() == function.arguments.len()
                && arguments
                    .iter()
                    .zip(&function.arguments)
                    .all(|(value, sort)| value.has_sort(sort))
                && result.has_sort(&function.result)
        })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use elinvar_ir::oracle::Sketch;
    use elinvar_ir::program::{
        AssertionId, EdgeId, EvaluationError, ProgramStep, Sort, StepError, Value,
    };

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
    fn whoever_does_not_start_well_is_refused() {
        let start = |error| Err(ProgramRefusal::Start(error));
        assert_eq!(
            check(|trace| trace.property = AssertionId(1)),
            Err(ProgramRefusal::NoSuchProperty(AssertionId(1)))
        );
        assert_eq!(
            check(|trace| trace.initial.clear()),
            start(StepError::Count { expected: 1, found: 0 })
        );
        assert_eq!(check(|trace| trace.initial[0] = Value::Bool(true)), start(StepError::Sort));
        let extra = FunctionValue { default: int(0), entries: BTreeMap::new() };
        assert_eq!(
            check(|trace| trace.functions.push(extra.clone())),
            start(StepError::Count { expected: 0, found: 1 })
        );
    }

    #[test]
    fn whoever_takes_a_wrong_step_is_refused() {
        let step = |step, error| Err(ProgramRefusal::Step { step, error });
        assert_eq!(check(|trace| trace.steps[0].edge = EdgeId(1)), step(0, StepError::Elsewhere));
        assert_eq!(check(|trace| trace.steps[2].edge = EdgeId(2)), step(2, StepError::Blocked));
        assert_eq!(
            check(|trace| trace.steps[1].values.push(int(1))),
            step(1, StepError::Count { expected: 0, found: 1 })
        );
        assert_eq!(
            check(|trace| trace.steps[1].edge = EdgeId(4)),
            Err(ProgramRefusal::NoSuchEdge { step: 1, edge: EdgeId(4) })
        );
    }

    #[test]
    fn whoever_ends_before_the_error_is_refused() {
        assert_eq!(check(|trace| trace.steps.truncate(2)), Err(ProgramRefusal::NotAtError));
    }

    #[test]
    fn a_choice_has_the_sort_of_its_variable_and_divisions_a_divisor() {
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
        let check = |value: Value| {
            let steps = vec![
                ProgramStep { edge: EdgeId(0), values: vec![value] },
                ProgramStep { edge: EdgeId(2), values: Vec::new() },
            ];
            run(
                &program,
                &ProgramTrace { property, initial: vec![int(0)], functions: vec![], steps },
            )
        };
        assert_eq!(check(int(2)), Ok(()));
        assert_eq!(check(int(1)), Err(ProgramRefusal::Step { step: 1, error: StepError::Blocked }));
        let error = StepError::Evaluation(EvaluationError::DivisionByZero);
        assert_eq!(check(int(0)), Err(ProgramRefusal::Step { step: 1, error }));
        let error = StepError::Sort;
        assert_eq!(check(Value::Bool(true)), Err(ProgramRefusal::Step { step: 0, error }));
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
            run(&program, &ProgramTrace { property, initial: vec![], functions, steps })
        };
        let refused = Err(ProgramRefusal::FunctionValue("f".to_string()));
        assert_eq!(check(Value::Bool(false), int(1)), Ok(()));
        assert_eq!(check(int(0), int(1)), refused);
        assert_eq!(check(Value::Bool(false), Value::Bool(true)), refused);
    }
}
