//! Expresses a system by what BTOR has.
//!
//! BTOR's registers start at zero and its memories at anything, both have next
//! values, there are no constraints, and only powers of two can be shifted. So:
//!
//! | the system has | it becomes |
//! |---|---|
//! | a state with neither initial nor next value | an input |
//! | any other initial value v of a state s | `started ? s : v`, where the register `started` is zero in cycle zero only; a fresh input for v when s starts at anything, a fresh input for s when it has no next value |
//! | constraints c | a register `violated` that notes ¬c; each root is conjoined with c ∧ ¬violated |
//! | a shift of another width | the shift of the operand extended to the next power of two, with a case for large amounts |
//! | a rotation of another width | two shifts |
//! | a constant array | writes to each address |
//!
//! Each rule is linear but the last, which is limited to short addresses. A
//! path of the system corresponds to a path of the result of the same length,
//! and a bad state of the one to a bad state of the other.

use elinvar_ir::{
    BinaryOp, BitVec, Expr, ExprId, Named, Pool, PropertyKind, Sort, SortError, SystemBuilder,
    TransitionSystem,
};
use rustc_hash::FxHashMap;

use crate::WriteError;
use crate::numbered::{ELEMENTWISE_ADDRESS, Syntax, fresh_cone, is_shift};

type Built = Result<ExprId, SortError>;

/// The system in terms of BTOR.
pub(super) fn lower(system: &TransitionSystem) -> Result<TransitionSystem, WriteError> {
    refuse_liveness(system)?;
    let mut lowering = Lowering::new(system);
    lowering.inputs();
    lowering.states()?;
    lowering.next_values()?;
    lowering.properties()?;
    lowering.outputs()?;
    Ok(lowering.builder.finish().expect("lowering keeps systems well-formed"))
}

fn inexpressible(what: &'static str, signal: impl Into<String>) -> WriteError {
    WriteError::Inexpressible { format: Syntax::Btor.name(), what, signal: signal.into() }
}

fn refuse_liveness(system: &TransitionSystem) -> Result<(), WriteError> {
    for property in system.properties() {
        if let PropertyKind::Justice(_) = property.kind {
            return Err(inexpressible("the justice property", &property.name));
        }
    }
    match system.fairness() {
        [] => Ok(()),
        [..] => Err(inexpressible("the fairness constraints of", "the model")),
    }
}

struct Lowering<'a> {
    system: &'a TransitionSystem,
    pool: &'a Pool,
    builder: SystemBuilder,
    /// By node of the old pool.
    done: Vec<bool>,
    image: Vec<Option<ExprId>>,
    /// The state of the result that goes on for each state, if it has one.
    later: Vec<Option<ExprId>>,
    /// One in all cycles but the first; made on demand.
    started: Option<ExprId>,
    /// Arrays to write constant arrays into, by sort.
    canvases: FxHashMap<Sort, ExprId>,
}

const SORTED: &str = "lowering keeps sorts";

impl<'a> Lowering<'a> {
    fn new(system: &'a TransitionSystem) -> Self {
        let pool = system.pool();
        let mut builder = SystemBuilder::new();
        builder.pool.reserve(pool.len());
        Lowering {
            system,
            pool,
            builder,
            done: vec![false; pool.len()],
            image: vec![None; pool.len()],
            later: vec![None; system.states().len()],
            started: None,
            canvases: FxHashMap::default(),
        }
    }

    // ---- symbols ------------------------------------------------------------

    fn inputs(&mut self) {
        for input in self.system.inputs() {
            let name = self.name_of(input.symbol);
            let image = self.input(self.pool.sort(input.symbol), name);
            self.bind(input.symbol, image);
        }
    }

    fn name_of(&self, symbol: ExprId) -> Option<&'a str> {
        self.pool.as_symbol(symbol).and_then(|symbol| self.pool.symbol_name(symbol))
    }

    fn input(&mut self, sort: Sort, name: Option<&str>) -> ExprId {
        self.builder.input(sort, name).expect(SORTED)
    }

    /// A register that starts at zero, or a memory.
    fn register(&mut self, sort: Sort, name: Option<&str>) -> ExprId {
        let symbol = self.builder.state(sort, name).expect(SORTED);
        if let Sort::Bv(width) = sort {
            let zero = self.builder.pool.constant(BitVec::zero(width));
            self.builder.states.last_mut().expect("pushed above").init = Some(zero);
        }
        symbol
    }

    fn bind(&mut self, node: ExprId, image: ExprId) {
        self.done[node.node()] = true;
        self.image[node.node()] = Some(image);
    }

    fn states(&mut self) -> Result<(), WriteError> {
        for (number, state) in self.system.states().iter().enumerate() {
            if state.next.is_some() {
                let sort = self.pool.sort(state.symbol);
                self.later[number] = Some(self.register(sort, self.name_of(state.symbol)));
            }
        }
        for &number in self.system.init_order() {
            let image = self.current_value(number)?;
            self.bind(self.system.states()[number].symbol, image);
        }
        Ok(())
    }

    /// What the state is in terms of the result.
    fn current_value(&mut self, number: usize) -> Result<ExprId, WriteError> {
        let state = self.system.states()[number];
        let sort = self.pool.sort(state.symbol);
        let name = self.system.state_name(number);
        let starts_at_zero =
            state.init.and_then(|init| self.pool.const_value(init)).is_some_and(|v| v.is_zero());
        let direct = if sort.is_array() { state.init.is_none() } else { starts_at_zero };
        match (self.later[number], state.init) {
            (Some(later), _) if direct => Ok(later),
            (None, None) => Ok(self.input(sort, self.name_of(state.symbol))),
            (later, init) => {
                let first = match init {
                    Some(init) => self.map(init, || format!("the initial value of {name}"))?,
                    None => self.input(sort, Some(&format!("{name}_first"))),
                };
                let later = match later {
                    Some(later) => later,
                    None => self.input(sort, self.name_of(state.symbol)),
                };
                let started = self.started();
                Ok(self.builder.pool.ite(started, later, first).expect(SORTED))
            }
        }
    }

    fn started(&mut self) -> ExprId {
        if let Some(started) = self.started {
            return started;
        }
        let started = self.register(Sort::BOOL, Some("started"));
        self.set_next(started, self.builder.pool.bool(true));
        self.started = Some(started);
        started
    }

    fn set_next(&mut self, register: ExprId, next: ExprId) {
        let states = &mut self.builder.states;
        let state = states.iter_mut().rev().find(|state| state.symbol == register);
        state.expect("registers are states").next = Some(next);
    }

    fn next_values(&mut self) -> Result<(), WriteError> {
        // The registers of states come first, in the order of the states.
        let mut position = 0;
        for (number, state) in self.system.states().iter().enumerate() {
            if let Some(next) = state.next {
                let signal = || format!("the next value of {}", self.system.state_name(number));
                let next = self.map(next, signal)?;
                self.builder.states[position].next = Some(next);
                position += 1;
            }
        }
        Ok(())
    }

    // ---- properties --------------------------------------------------------------

    fn properties(&mut self) -> Result<(), WriteError> {
        let valid = self.constraints()?;
        for property in self.system.properties() {
            let PropertyKind::Bad(bad) = property.kind else { continue };
            let bad = self.map(bad, || property.name.clone())?;
            let root = match valid {
                Some(valid) => self.builder.pool.and(bad, valid).expect(SORTED),
                None => bad,
            };
            self.builder.bad(property.name.clone(), root);
        }
        Ok(())
    }

    /// The bit that says that the constraints hold and always held.
    fn constraints(&mut self) -> Result<Option<ExprId>, WriteError> {
        if self.system.constraints().is_empty() {
            return Ok(None);
        }
        let mut all = self.builder.pool.bool(true);
        for (number, &constraint) in self.system.constraints().iter().enumerate() {
            let constraint = self.map(constraint, || format!("constraint {number}"))?;
            all = self.builder.pool.and(all, constraint).expect(SORTED);
        }
        let violated = self.register(Sort::BOOL, Some("violated"));
        let pool = &mut self.builder.pool;
        let never = pool.not(violated).expect(SORTED);
        let valid = pool.and(all, never).expect(SORTED);
        let next = pool.not(valid).expect(SORTED);
        self.set_next(violated, next);
        Ok(Some(valid))
    }

    /// A root of one bit would be a bad state, and so would any root of a file
    /// without registers.
    fn outputs(&mut self) -> Result<(), WriteError> {
        for output in self.system.outputs() {
            let wide = self.pool.sort(output.expr).width().is_some_and(|width| width > 1);
            if wide && !self.builder.states.is_empty() {
                let expr = self.map(output.expr, || output.name.clone())?;
                self.builder.outputs.push(Named { name: output.name.clone(), expr });
            }
        }
        Ok(())
    }

    // ---- expressions ----------------------------------------------------------------

    /// The expression in terms of the result; `signal` names it in errors.
    fn map(&mut self, expr: ExprId, signal: impl Fn() -> String) -> Result<ExprId, WriteError> {
        for node in fresh_cone(self.pool, [expr], &mut self.done) {
            let image = match self.pool.get(node) {
                Expr::ConstArray(element) => {
                    self.constant_array(node, element).ok_or_else(|| {
                        inexpressible("a constant array with long addresses in", signal())
                    })?
                }
                inner => self.rebuild(&inner).expect(SORTED),
            };
            self.image[node.node()] = Some(image);
        }
        Ok(self.image_of(expr))
    }

    fn image_of(&mut self, expr: ExprId) -> ExprId {
        let image = self.image[expr.node()].expect("operands come first");
        if expr.is_complement() { self.builder.pool.not(image).expect(SORTED) } else { image }
    }

    fn rebuild(&mut self, expr: &Expr) -> Built {
        let mut operands = [self.builder.pool.bool(false); 3];
        let mut count = 0;
        expr.for_each_operand(|operand| {
            operands[count] = self.image_of(operand);
            count += 1;
        });
        let [a, b, c] = operands;
        let pool = &mut self.builder.pool;
        match expr {
            Expr::Const(value) => Ok(pool.constant(value.clone())),
            Expr::Symbol(_) => unreachable!("symbols are bound at the start"),
            Expr::ConstArray(_) => unreachable!("handled by the caller"),
            Expr::Unary(op, _) => pool.unary(*op, a),
            Expr::Binary(op, ..) if is_shift(*op) => shift(pool, *op, a, b),
            Expr::Binary(op, ..) => pool.binary(*op, a, b),
            Expr::Slice { hi, lo, .. } => pool.slice(a, *hi, *lo),
            Expr::Uext { by, .. } => pool.uext(a, *by),
            Expr::Sext { by, .. } => pool.sext(a, *by),
            Expr::Ite(..) => pool.ite(a, b, c),
            Expr::Read(..) => pool.read(a, b),
            Expr::Write(..) => pool.write(a, b, c),
            Expr::ArrayEq(..) => pool.equal(a, b),
        }
    }

    /// Writes the element to every address of some array.
    fn constant_array(&mut self, node: ExprId, element: ExprId) -> Option<ExprId> {
        let sort = self.pool.sort(node);
        let Sort::Array { index, .. } = sort else { unreachable!("constant arrays are arrays") };
        if index > ELEMENTWISE_ADDRESS {
            return None;
        }
        let element = self.image_of(element);
        let mut array = match self.canvases.get(&sort) {
            Some(&canvas) => canvas,
            None => {
                let canvas = self.input(sort, Some("canvas"));
                self.canvases.insert(sort, canvas);
                canvas
            }
        };
        for address in 0..1u64 << index {
            let address = self.builder.pool.constant(BitVec::new(index, address));
            array = self.builder.pool.write(array, address, element).expect(SORTED);
        }
        Some(array)
    }
}

/// A shift or rotation of any width, by any amount.
fn shift(pool: &mut Pool, op: BinaryOp, a: ExprId, amount: ExprId) -> Built {
    let width = pool.width(a);
    if is_narrow(pool, amount) {
        return pool.binary(op, a, amount);
    }
    match op {
        BinaryOp::Rol | BinaryOp::Ror if width.is_power_of_two() => {
            let amount = narrow(pool, amount, width)?;
            pool.binary(op, a, amount)
        }
        BinaryOp::Rol => rotate(pool, a, amount, BinaryOp::Shl, BinaryOp::Lshr),
        BinaryOp::Ror => rotate(pool, a, amount, BinaryOp::Lshr, BinaryOp::Shl),
        _ => padded_shift(pool, op, a, amount),
    }
}

/// Is the width a power of two and the amount below it, visibly?
fn is_narrow(pool: &Pool, amount: ExprId) -> bool {
    let width = pool.width(amount);
    width > 1
        && width.is_power_of_two()
        && match pool.get(amount) {
            Expr::Const(value) => value.to_u64().is_some_and(|value| value < width.into()),
            Expr::Uext { arg, .. } => pool.width(arg) <= width.ilog2(),
            _ => false,
        }
}

/// The low log2(width) bits of the amount, extended to `width`, a power of two.
fn narrow(pool: &mut Pool, amount: ExprId, width: u32) -> Built {
    let bits = width.ilog2();
    let low = pool.slice(amount, bits - 1, 0)?;
    pool.uext(low, width - bits)
}

/// Shifts in the next power of two, where amounts up to there shift out all
/// bits of the operand; larger ones are a case of their own.
fn padded_shift(pool: &mut Pool, op: BinaryOp, a: ExprId, amount: ExprId) -> Built {
    let width = pool.width(a);
    let padded = width.next_power_of_two();
    let padding = padded - width;
    let signed = op == BinaryOp::Ashr;
    let wide = if signed { pool.sext(a, padding)? } else { pool.uext(a, padding)? };
    let low = narrow(pool, amount, padded)?;
    let shifted = pool.binary(op, wide, low)?;
    let shifted = pool.slice(shifted, width - 1, 0)?;
    let out = if signed {
        let sign = pool.slice(a, width - 1, width - 1)?;
        pool.sext(sign, width - 1)?
    } else {
        pool.constant(BitVec::zero(width))
    };
    // A width of at least two exceeds its logarithm: there are upper bits.
    let upper = pool.slice(amount, width - 1, padded.ilog2())?;
    let large = pool.redor(upper)?;
    pool.ite(large, out, shifted)
}

/// `there` by the amount modulo the width, or `back` by the rest.
fn rotate(pool: &mut Pool, a: ExprId, amount: ExprId, there: BinaryOp, back: BinaryOp) -> Built {
    let width = pool.width(a);
    let modulus = pool.constant(BitVec::new(width, width.into()));
    let amount = pool.binary(BinaryOp::Urem, amount, modulus)?;
    let rest = pool.binary(BinaryOp::Sub, modulus, amount)?;
    let high = padded_shift(pool, there, a, amount)?;
    let low = padded_shift(pool, back, a, rest)?;
    pool.or(high, low)
}
