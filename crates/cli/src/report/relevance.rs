//! Which inputs of a trace matter, cycle by cycle.
//!
//! Goes backwards from the bad bit of the last cycle and the constraints of
//! every cycle to what gives them their values: of a conjunction that is zero,
//! one zero operand; of a choice, the condition and what it chose; else all
//! operands; of a register, its next function in the cycle before. An input
//! that is not met may have any value without any change in the verdict.
//! Heuristic: which of two zero operands is taken.

use elinvar_ir::{
    BinaryOp, Evaluator, Expr, ExprId, Role, Simulator, Trace, TransitionSystem, Value,
};

use elinvar::readable::waves::{Waves, execute};

/// Traces with more values than this are not analysed: everything matters.
const LIMIT: usize = 5_000_000;

/// Marks the inputs of the waves that do not matter for `bad` at the end.
pub fn mark(system: &TransitionSystem, trace: &Trace, bad: ExprId, waves: &mut Waves) {
    if system.pool().len().saturating_mul(trace.steps.len()) > LIMIT {
        return;
    }
    let mut cycles: Vec<Values> = Vec::with_capacity(trace.steps.len());
    execute(system, trace, |_, simulator| cycles.push(Values::of(simulator)));
    let mut inputs: Vec<Option<usize>> = vec![None; system.inputs().len()];
    for (row, signal) in waves.signals.iter().enumerate() {
        if let Role::Input(index) = signal.role {
            inputs[index] = Some(row);
        }
    }
    let mut needed = vec![bad];
    for (cycle, values) in cycles.iter().enumerate().rev() {
        needed.extend(system.constraints());
        let met = symbols_met(system, values, needed, cycle == 0);
        for row in inputs.iter().flatten() {
            waves.signals[*row].matters[cycle] = false;
        }
        needed = Vec::new();
        for role in met {
            match role {
                Role::Input(index) => {
                    if let Some(row) = inputs[index] {
                        waves.signals[row].matters[cycle] = true;
                    }
                }
                Role::State(index) => needed.extend(system.states()[index].next),
            }
        }
    }
}

/// The values of a cycle.
struct Values {
    states: Vec<Value>,
    inputs: Vec<Value>,
}

impl Values {
    fn of(simulator: &Simulator<'_>) -> Self {
        Values { states: simulator.states().to_vec(), inputs: simulator.inputs().to_vec() }
    }
}

/// The symbols that give the roots their values; in the first cycle through
/// the initial values of the states.
fn symbols_met(
    system: &TransitionSystem,
    values: &Values,
    roots: Vec<ExprId>,
    first: bool,
) -> Vec<Role> {
    let pool = system.pool();
    let inits = system.states().iter().filter_map(|state| state.init).filter(|_| first);
    let mut evaluator = Evaluator::new(pool, roots.iter().copied().chain(inits));
    evaluator.run(|symbol| match system.role_of(symbol).expect("a symbol") {
        Role::Input(index) => values.inputs[index].clone(),
        Role::State(index) => values.states[index].clone(),
    });
    let mut seen = vec![false; pool.len()];
    let mut met = Vec::new();
    let mut stack = roots;
    while let Some(expr) = stack.pop() {
        if std::mem::replace(&mut seen[expr.node()], true) {
            continue;
        }
        match system.role_of(expr.regular()) {
            Some(role) => {
                met.push(role);
                if let (Role::State(index), true) = (role, first) {
                    stack.extend(system.states()[index].init);
                }
            }
            None => push_reasons(&pool.get(expr.regular()), &evaluator, &seen, &mut stack),
        }
    }
    met
}

/// The operands that determine the value.
fn push_reasons(expr: &Expr, values: &Evaluator<'_>, seen: &[bool], stack: &mut Vec<ExprId>) {
    match *expr {
        Expr::Binary(BinaryOp::And | BinaryOp::Mul, a, b) => {
            let zero = |operand: &ExprId| values.bv(*operand).is_zero();
            let known = |operand: &ExprId| zero(operand) && seen[operand.node()];
            // One that is met anyway costs nothing.
            let one = [a, b].into_iter().find(known).or([a, b].into_iter().find(zero));
            match one {
                Some(operand) => stack.push(operand),
                None => stack.extend([a, b]),
            }
        }
        Expr::Ite(condition, then, otherwise) => {
            stack.extend([condition, if values.holds(condition) { then } else { otherwise }]);
        }
        Expr::Const(_)
        | Expr::Symbol(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Slice { .. }
        | Expr::Uext { .. }
        | Expr::Sext { .. }
        | Expr::Read(..)
        | Expr::Write(..)
        | Expr::ConstArray(_)
        | Expr::ArrayEq(..) => expr.for_each_operand(|operand| stack.push(operand)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar::readable::waves::all_signals;
    use elinvar_ir::{BitVec, PropertyId, Sort, Step, SystemBuilder};

    fn bit(value: bool) -> Value {
        BitVec::bool(value).into()
    }

    fn matters(system: &TransitionSystem, trace: &Trace) -> Vec<Vec<bool>> {
        let mut waves = Waves::of_trace(system, trace, &all_signals(system));
        let bad = system.bad(PropertyId(0)).unwrap();
        mark(system, trace, bad, &mut waves);
        waves.signals.into_iter().map(|signal| signal.matters).collect()
    }

    fn trace(initial: Vec<Value>, steps: &[&[bool]]) -> Trace {
        let step = |inputs: &&[bool]| {
            let inputs = inputs.iter().map(|&b| bit(b)).collect();
            Step { inputs, free: Vec::new() }
        };
        Trace { property: PropertyId(0), initial, steps: steps.iter().map(step).collect() }
    }

    /// The register takes x or y as z says; bad when it is set.
    #[test]
    fn inputs_that_are_not_chosen_do_not_matter() {
        let mut b = SystemBuilder::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| b.input(Sort::BOOL, Some(name)).unwrap());
        let register = b.state(Sort::BOOL, Some("r")).unwrap();
        b.states[0].init = Some(b.pool.bool(false));
        b.states[0].next = Some(b.pool.ite(z, x, y).unwrap());
        b.bad("p", register);
        let system = b.finish().unwrap();
        let trace = trace(vec![bit(false)], &[&[true, false, true], &[true, true, true]]);
        let found = matters(&system, &trace);
        // x and z in cycle zero, nothing of the last cycle; registers are not judged.
        let expected = [[true, false], [false, false], [true, false], [true, true]];
        assert_eq!(found, expected.map(Vec::from));
    }

    #[test]
    fn inputs_that_a_constraint_needs_matter() {
        let mut b = SystemBuilder::new();
        let [x, _] = ["x", "y"].map(|name| b.input(Sort::BOOL, Some(name)).unwrap());
        b.constraints.push(x);
        let always = b.pool.bool(true);
        b.bad("p", always);
        let system = b.finish().unwrap();
        assert_eq!(matters(&system, &trace(vec![], &[&[true, true]])), [[true], [false]]);
    }
}
