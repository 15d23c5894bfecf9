//! Bounded model checking problems as SMT-LIB 2 scripts.
//!
//! The script asks whether a bad state is reachable within a bound: `sat` means
//! that it is. Every expression is defined once per cycle, so the size of the
//! script is the size of the model times the bound. Bits are bit-vectors of
//! width one. Operators that SMT-LIB lacks are written by others: overflow by
//! extended operands, rotation by shifts, parity by folding.
//!
//! The logic is `QF_BV`, or `QF_ABV` when there are arrays. Constant arrays go
//! beyond it: then it is `ALL`, and they are written `as const`, as solvers
//! commonly read them.

use std::fmt::Write as _;

use elinvar_ir::{
    BinaryOp, BitVec, Expr, ExprId, PropertyId, Role, Sort, TransitionSystem, UnaryOp, cone,
};

/// Constants up to this width are written where they are used; wider ones are
/// defined once, to keep the script linear.
const INLINE_WIDTH: u32 = 64;

/// The script for a safety property; `None` for properties of other kinds.
pub fn write_unrolling(
    system: &TransitionSystem,
    property: PropertyId,
    bound: usize,
) -> Option<String> {
    let bad = system.bad(property)?;
    let mut script = Script { system, text: String::new() };
    script.preamble(property, bound);
    script.names();
    script.wide_constants(bad);
    for cycle in 0..=bound {
        script.cycle(bad, cycle, bound);
    }
    script.question(bound);
    Some(script.text)
}

struct Script<'a> {
    system: &'a TransitionSystem,
    text: String,
}

/// Appends a line made like by `format!`.
macro_rules! line {
    ($script:expr, $($arguments:tt)*) => {
        writeln!($script.text, $($arguments)*).expect("strings take any text")
    };
}

impl Script<'_> {
    fn preamble(&mut self, property: PropertyId, bound: usize) {
        let name = one_line(&self.system.property(property).name);
        line!(self, "; Is a bad state of \"{name}\" reachable within {bound} steps?");
        line!(self, "; sat: yes; unsat: no.");
        line!(self, "(set-logic {})", self.logic());
    }

    fn logic(&self) -> &'static str {
        let pool = self.system.pool();
        let is_constant_array = |id| matches!(pool.get(id), Expr::ConstArray(_));
        match self.system.has_arrays() {
            false => "QF_BV",
            true if pool.ids().any(is_constant_array) => "ALL",
            true => "QF_ABV",
        }
    }

    fn names(&mut self) {
        for i in 0..self.system.inputs().len() {
            line!(self, "; input{i}: {}", one_line(&self.system.input_name(i)));
        }
        for i in 0..self.system.states().len() {
            line!(self, "; state{i}: {}", one_line(&self.system.state_name(i)));
        }
    }

    fn wide_constants(&mut self, bad: ExprId) {
        let system = self.system;
        for id in cone(system.pool(), roots(system, bad, 0, 1)) {
            if let Some(value) = system.pool().const_value(id)
                && value.width() > INLINE_WIDTH
            {
                let (name, sort) = (constant_name(id), sort(Sort::Bv(value.width())));
                line!(self, "(define-fun {name} () {sort} #b{})", value.to_binary());
            }
        }
    }

    fn cycle(&mut self, bad: ExprId, cycle: usize, bound: usize) {
        let system = self.system;
        line!(self, "; cycle {cycle}");
        for (i, input) in system.inputs().iter().enumerate() {
            let sort = sort(system.pool().sort(input.symbol));
            line!(self, "(declare-fun input{i}@{cycle} () {sort})");
        }
        for (i, state) in system.states().iter().enumerate() {
            let sort = sort(system.pool().sort(state.symbol));
            match state.next {
                Some(next) if cycle > 0 => {
                    let value = term(system, next, cycle - 1);
                    line!(self, "(define-fun state{i}@{cycle} () {sort} {value})");
                }
                Some(_) | None => line!(self, "(declare-fun state{i}@{cycle} () {sort})"),
            }
        }
        for id in cone(system.pool(), roots(system, bad, cycle, bound)) {
            if let Some(value) = definition(system, id, cycle) {
                let (name, sort) = (term(system, id, cycle), sort(system.pool().sort(id)));
                line!(self, "(define-fun {name} () {sort} {value})");
            }
        }
        self.conditions(bad, cycle);
    }

    /// Initial values, and the two bits that the question is about:
    /// `ok`, all constraints have held so far, and `bad`.
    fn conditions(&mut self, bad: ExprId, cycle: usize) {
        let system = self.system;
        if cycle == 0 {
            for (i, state) in system.states().iter().enumerate() {
                if let Some(init) = state.init {
                    line!(self, "(assert (= state{i}@0 {}))", term(system, init, 0));
                }
            }
        }
        let mut ok = match cycle {
            0 => "#b1".to_owned(),
            _ => format!("ok@{}", cycle - 1),
        };
        for (i, &constraint) in system.constraints().iter().enumerate() {
            let constraint = term(system, constraint, cycle);
            line!(self, "(define-fun ok{i}@{cycle} () (_ BitVec 1) (bvand {ok} {constraint}))");
            ok = format!("ok{i}@{cycle}");
        }
        line!(self, "(define-fun ok@{cycle} () (_ BitVec 1) {ok})");
        let bad = term(system, bad, cycle);
        line!(self, "(define-fun bad@{cycle} () (_ BitVec 1) (bvand ok@{cycle} {bad}))");
    }

    fn question(&mut self, bound: usize) {
        line!(self, "; is any of them bad?");
        line!(self, "(define-fun any@0 () (_ BitVec 1) bad@0)");
        for cycle in 1..=bound {
            let before = cycle - 1;
            line!(self, "(define-fun any@{cycle} () (_ BitVec 1) (bvor any@{before} bad@{cycle}))");
        }
        line!(self, "(assert (= any@{bound} #b1))");
        line!(self, "(check-sat)");
        line!(self, "(exit)");
    }
}

/// What must be defined in a cycle.
fn roots(system: &TransitionSystem, bad: ExprId, cycle: usize, bound: usize) -> Vec<ExprId> {
    let mut roots = vec![bad];
    roots.extend(system.constraints());
    if cycle == 0 {
        roots.extend(system.states().iter().filter_map(|state| state.init));
    }
    if cycle < bound {
        roots.extend(system.states().iter().filter_map(|state| state.next));
    }
    roots
}

/// Text that stays within its comment.
fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn sort(sort: Sort) -> String {
    match sort {
        Sort::Bv(width) => format!("(_ BitVec {width})"),
        Sort::Array { index, element } => {
            format!("(Array (_ BitVec {index}) (_ BitVec {element}))")
        }
    }
}

fn constant_name(id: ExprId) -> String {
    format!("constant{}", id.node())
}

/// How an expression is referred to in a cycle, once it is defined.
fn term(system: &TransitionSystem, id: ExprId, cycle: usize) -> String {
    let regular = match (system.role_of(id.regular()), system.pool().const_value(id.regular())) {
        (Some(Role::Input(i)), _) => format!("input{i}@{cycle}"),
        (Some(Role::State(i)), _) => format!("state{i}@{cycle}"),
        (None, Some(value)) if value.width() <= INLINE_WIDTH => format!("#b{}", value.to_binary()),
        (None, Some(_)) => constant_name(id.regular()),
        (None, None) => format!("node{}@{cycle}", id.node()),
    };
    if id.is_complement() { format!("(bvnot {regular})") } else { regular }
}

/// The definition of a node by its operands; `None` for leaves, which need none.
fn definition(system: &TransitionSystem, id: ExprId, cycle: usize) -> Option<String> {
    let pool = system.pool();
    let t = |operand| term(system, operand, cycle);
    Some(match pool.get(id) {
        Expr::Const(_) | Expr::Symbol(_) => return None,
        Expr::Unary(op, a) => unary(op, &t(a), pool.width(a)),
        Expr::Binary(op, a, b) => binary(op, &t(a), &t(b), pool.width(a)),
        Expr::Slice { arg, hi, lo } => format!("((_ extract {hi} {lo}) {})", t(arg)),
        Expr::Uext { arg, by } => format!("((_ zero_extend {by}) {})", t(arg)),
        Expr::Sext { arg, by } => format!("((_ sign_extend {by}) {})", t(arg)),
        Expr::Ite(c, a, b) => format!("(ite (= {} #b1) {} {})", t(c), t(a), t(b)),
        Expr::Read(array, index) => format!("(select {} {})", t(array), t(index)),
        Expr::Write(array, index, value) => {
            format!("(store {} {} {})", t(array), t(index), t(value))
        }
        Expr::ConstArray(element) => {
            format!("((as const {}) {})", sort(pool.sort(id)), t(element))
        }
        Expr::ArrayEq(a, b) => bit(&format!("(= {} {})", t(a), t(b))),
    })
}

/// A truth value as a bit.
fn bit(condition: &str) -> String {
    format!("(ite {condition} #b1 #b0)")
}

pub(crate) fn unary(op: UnaryOp, a: &str, width: u32) -> String {
    match op {
        UnaryOp::Not => format!("(bvnot {a})"),
        UnaryOp::Neg => format!("(bvneg {a})"),
        UnaryOp::RedAnd => bit(&format!("(= (bvnot {a}) (_ bv0 {width}))")),
        UnaryOp::RedXor => parity(a, width),
    }
}

/// The exclusive or of all bits: the upper half is folded onto the lower one
/// until a single bit is left, so that the text is logarithmic in the width.
fn parity(a: &str, width: u32) -> String {
    let mut text = String::new();
    let mut folded = a.to_owned();
    let mut depth = 0;
    let mut by = width.next_power_of_two() / 2;
    while by > 0 {
        let name = format!("fold{depth}");
        let next = format!("(bvxor {folded} (bvlshr {folded} (_ bv{by} {width})))");
        write!(text, "(let (({name} {next})) ").expect("strings take any text");
        folded = name;
        depth += 1;
        by /= 2;
    }
    format!("{text}((_ extract 0 0) {folded}){}", ")".repeat(depth))
}

pub(crate) fn binary(op: BinaryOp, a: &str, b: &str, width: u32) -> String {
    let plain = |name: &str| format!("({name} {a} {b})");
    let predicate = |name: &str| bit(&plain(name));
    match op {
        BinaryOp::And => plain("bvand"),
        BinaryOp::Xor => plain("bvxor"),
        BinaryOp::Add => plain("bvadd"),
        BinaryOp::Sub => plain("bvsub"),
        BinaryOp::Mul => plain("bvmul"),
        BinaryOp::Udiv => plain("bvudiv"),
        BinaryOp::Urem => plain("bvurem"),
        BinaryOp::Sdiv => plain("bvsdiv"),
        BinaryOp::Srem => plain("bvsrem"),
        BinaryOp::Smod => plain("bvsmod"),
        BinaryOp::Eq => predicate("="),
        BinaryOp::Ult => predicate("bvult"),
        BinaryOp::Slt => predicate("bvslt"),
        BinaryOp::Shl => plain("bvshl"),
        BinaryOp::Lshr => plain("bvlshr"),
        BinaryOp::Ashr => plain("bvashr"),
        BinaryOp::Rol => rotation("bvshl", "bvlshr", a, b, width),
        BinaryOp::Ror => rotation("bvlshr", "bvshl", a, b, width),
        BinaryOp::Concat => plain("concat"),
        // One bit more: the carry.
        BinaryOp::Uaddo => {
            let sum = extended("bvadd", "zero_extend", 1, a, b);
            format!("((_ extract {width} {width}) {sum})")
        }
        BinaryOp::Saddo => sign_lost(&extended("bvadd", "sign_extend", 1, a, b), width),
        BinaryOp::Ssubo => sign_lost(&extended("bvsub", "sign_extend", 1, a, b), width),
        // Twice as many bits: the upper half of the product is not zero.
        BinaryOp::Umulo => {
            let product = extended("bvmul", "zero_extend", width, a, b);
            let (top, bottom) = (2 * width - 1, width);
            bit(&format!("(distinct ((_ extract {top} {bottom}) {product}) (_ bv0 {width}))"))
        }
        // Twice as many bits: the product is not the extension of its lower half.
        BinaryOp::Smulo => {
            let product = extended("bvmul", "sign_extend", width, a, b);
            let low = format!("((_ extract {} 0) product)", width - 1);
            let lost = bit(&format!("(distinct product ((_ sign_extend {width}) {low}))"));
            format!("(let ((product {product})) {lost})")
        }
        BinaryOp::Sdivo => {
            let least = BitVec::one(width).shl(&BitVec::new(width, u64::from(width) - 1));
            let least = format!("(= {a} #b{})", least.to_binary());
            bit(&format!("(and {least} (= (bvnot {b}) (_ bv0 {width})))"))
        }
    }
}

/// The amount counts modulo the width, which always fits in as many bits.
fn rotation(there: &str, back: &str, a: &str, b: &str, width: u32) -> String {
    format!(
        "(let ((by (bvurem {b} (_ bv{width} {width})))) \
         (bvor ({there} {a} by) ({back} {a} (bvsub (_ bv{width} {width}) by))))"
    )
}

fn extended(op: &str, extension: &str, by: u32, a: &str, b: &str) -> String {
    format!("({op} ((_ {extension} {by}) {a}) ((_ {extension} {by}) {b}))")
}

/// Do the two top bits of a result of width + 1 bits differ?
fn sign_lost(result: &str, width: u32) -> String {
    let below = width - 1;
    format!(
        "(let ((result {result})) \
         (bvxor ((_ extract {width} {width}) result) ((_ extract {below} {below}) result)))"
    )
}

#[cfg(test)]
mod tests {
    use elinvar_ir::SystemBuilder;
    use elinvar_models::{Outcome, Searched, searched};

    use super::*;

    fn counter(width: u32) -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let count = b.state(Sort::Bv(width), Some("count\n)")).unwrap();
        let step = b.input(Sort::BOOL, Some("step")).unwrap();
        let amount = b.pool.uext(step, width - 1).unwrap();
        b.states[0].init = Some(b.pool.constant(BitVec::zero(width)));
        b.states[0].next = Some(b.pool.binary(BinaryOp::Add, count, amount).unwrap());
        b.constraints.push(step);
        let two = b.pool.constant(BitVec::new(width, 2));
        let bad = b.pool.equal(count, two).unwrap();
        b.bad("two", bad);
        b.finish().unwrap()
    }

    #[test]
    fn one_step_of_a_counter() {
        let script = write_unrolling(&counter(2), PropertyId(0), 1).unwrap();
        let expected = "\
; Is a bad state of \"two\" reachable within 1 steps?
; sat: yes; unsat: no.
(set-logic QF_BV)
; input0: step
; state0: count )
; cycle 0
(declare-fun input0@0 () (_ BitVec 1))
(declare-fun state0@0 () (_ BitVec 2))
(define-fun node4@0 () (_ BitVec 2) ((_ zero_extend 1) input0@0))
(define-fun node6@0 () (_ BitVec 2) (bvadd state0@0 node4@0))
(define-fun node8@0 () (_ BitVec 1) (ite (= state0@0 #b10) #b1 #b0))
(assert (= state0@0 #b00))
(define-fun ok0@0 () (_ BitVec 1) (bvand #b1 input0@0))
(define-fun ok@0 () (_ BitVec 1) ok0@0)
(define-fun bad@0 () (_ BitVec 1) (bvand ok@0 node8@0))
; cycle 1
(declare-fun input0@1 () (_ BitVec 1))
(define-fun state0@1 () (_ BitVec 2) node6@0)
(define-fun node8@1 () (_ BitVec 1) (ite (= state0@1 #b10) #b1 #b0))
(define-fun ok0@1 () (_ BitVec 1) (bvand ok@0 input0@1))
(define-fun ok@1 () (_ BitVec 1) ok0@1)
(define-fun bad@1 () (_ BitVec 1) (bvand ok@1 node8@1))
; is any of them bad?
(define-fun any@0 () (_ BitVec 1) bad@0)
(define-fun any@1 () (_ BitVec 1) (bvor any@0 bad@1))
(assert (= any@1 #b1))
(check-sat)
(exit)
";
        assert_eq!(script, expected);
    }

    #[test]
    fn wide_constants_are_written_once() {
        let size = |bound| write_unrolling(&counter(1000), PropertyId(0), bound).unwrap().len();
        assert!(size(20) - size(10) < 10 * 600);
    }

    #[test]
    fn z3_agrees_with_exhaustive_search() {
        const BOUND: usize = 4;
        let (mut reached, mut unreached) = (0, 0);
        for Searched { system, outcomes, .. } in searched(0..60, 200_000) {
            for (property, outcome) in outcomes {
                let script = write_unrolling(&system, property, BOUND).unwrap();
                let expected = match outcome {
                    Outcome::Unsafe(depth) if depth <= BOUND => "sat",
                    Outcome::Safe | Outcome::Unsafe(_) => "unsat",
                };
                assert_eq!(crate::z3::ask(&[], &script), expected, "{script}");
                if expected == "sat" { reached += 1 } else { unreached += 1 }
            }
        }
        assert!(reached > 30 && unreached > 30, "{reached} {unreached}");
    }

    /// Each operator on constants behind symbols has the value of the reference.
    #[test]
    fn z3_agrees_on_every_operator() {
        let mut rng = elinvar_ir::Rng::new(2);
        for width in [1, 2, 3, 5, 8, 64, 65] {
            let mut b = SystemBuilder::new();
            let mut wrong = Vec::new();
            for _ in 0..6 {
                let (x, y) = (rng.bitvec(width), rng.bitvec(width));
                let y = if rng.one_in(2) { BitVec::new(width, rng.below(9) as u64) } else { y };
                let a = b.input(Sort::Bv(width), None).unwrap();
                let c = b.input(Sort::Bv(width), None).unwrap();
                for (symbol, value) in [(a, &x), (c, &y)] {
                    let value = b.pool.constant(value.clone());
                    let fixed = b.pool.equal(symbol, value).unwrap();
                    b.constraints.push(fixed);
                }
                let mut expect = |b: &mut SystemBuilder, found: ExprId, value: BitVec| {
                    let value = b.pool.constant(value);
                    let same = b.pool.equal(found, value).unwrap();
                    wrong.push(b.pool.not(same).unwrap());
                };
                for op in BinaryOp::ALL {
                    let found = b.pool.binary(op, a, c).unwrap();
                    expect(&mut b, found, op.apply(&x, &y));
                }
                for op in [UnaryOp::Not, UnaryOp::Neg, UnaryOp::RedAnd, UnaryOp::RedXor] {
                    let found = b.pool.unary(op, a).unwrap();
                    expect(&mut b, found, op.apply(&x));
                }
            }
            let bad = b.pool.disjoin(wrong).unwrap();
            b.bad("wrong", bad);
            let none = b.pool.bool(true);
            b.bad("constraints_can_hold", none);
            let system = b.finish().unwrap();
            let ask = |property| {
                crate::z3::ask(&[], &write_unrolling(&system, PropertyId(property), 0).unwrap())
            };
            assert_eq!((ask(0), ask(1)), ("unsat".into(), "sat".into()), "width {width}");
        }
    }
}
