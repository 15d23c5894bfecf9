//! Other ways to write a gate, which local rewriting does not undo.
//!
//! Each is written down as match and result (`~` complement, `#` concatenation). The
//! laws that the pool makes identities, De Morgan's and commutativity among them, are
//! not here: nothing would change.

use elinvar_ir::{BinaryOp, BitVec, Expr, ExprId, Pool, Sort, SortError, UnaryOp};

/// Expressions that have the value of `node`, other than itself. `signal` is anything
/// of the same sort, to be mentioned where its value does not matter.
pub fn forms(pool: &mut Pool, node: ExprId, signal: ExprId) -> Result<Vec<ExprId>, SortError> {
    let mut forms = match pool.get(node) {
        Expr::Const(_) | Expr::Symbol(_) => return Ok(Vec::new()),
        Expr::Unary(UnaryOp::Neg, a) => vec![negation(pool, a)?],
        Expr::Unary(op @ (UnaryOp::RedAnd | UnaryOp::RedXor), a) => vec![halves(pool, op, a)?],
        Expr::Binary(op, a, b) => of_binary(pool, op, a, b)?,
        Expr::Ite(c, t, e) if !pool.sort(t).is_array() => choices(pool, c, t, e)?,
        Expr::Unary(UnaryOp::Not, _)
        | Expr::Ite(..)
        | Expr::Slice { .. }
        | Expr::Uext { .. }
        | Expr::Sext { .. }
        | Expr::Read(..)
        | Expr::Write(..)
        | Expr::ConstArray(_)
        | Expr::ArrayEq(..) => Vec::new(),
    };
    if !pool.sort(node).is_array() {
        forms.extend(redundant(pool, node, signal)?);
    }
    forms.retain(|&form| form != node);
    Ok(forms)
}

/// x → (x & y) | (x & ~y);  x → x | (x & y);  x → x & (x | y)
fn redundant(pool: &mut Pool, x: ExprId, y: ExprId) -> Result<[ExprId; 3], SortError> {
    let ny = pool.not(y)?;
    let (with, without) = (pool.and(x, y)?, pool.and(x, ny)?);
    let either = pool.or(x, y)?;
    Ok([pool.or(with, without)?, pool.or(x, with)?, pool.and(x, either)?])
}

/// -a → ~a + 1
fn negation(pool: &mut Pool, a: ExprId) -> Result<ExprId, SortError> {
    let one = pool.constant(BitVec::one(pool.width(a)));
    let na = pool.not(a)?;
    pool.binary(BinaryOp::Add, na, one)
}

/// redand(h # l) → redand(h) & redand(l);  redxor(h # l) → redxor(h) ^ redxor(l)
fn halves(pool: &mut Pool, op: UnaryOp, a: ExprId) -> Result<ExprId, SortError> {
    let width = pool.width(a);
    let (high, low) = (pool.slice(a, width - 1, width / 2)?, pool.slice(a, width / 2 - 1, 0)?);
    let (high, low) = (pool.unary(op, high)?, pool.unary(op, low)?);
    if op == UnaryOp::RedAnd { pool.and(high, low) } else { pool.xor(high, low) }
}

/// (c ? t : e) → (m & t) | (~m & e);  (c ? t : e) → e ^ (m & (t ^ e)), where m is c in
/// every bit
fn choices(pool: &mut Pool, c: ExprId, t: ExprId, e: ExprId) -> Result<Vec<ExprId>, SortError> {
    let mask = pool.sext(c, pool.width(t) - 1)?;
    let unmask = pool.not(mask)?;
    let (then, otherwise) = (pool.and(mask, t)?, pool.and(unmask, e)?);
    let difference = pool.xor(t, e)?;
    let difference = pool.and(mask, difference)?;
    Ok(vec![pool.or(then, otherwise)?, pool.xor(e, difference)?])
}

fn of_binary(
    pool: &mut Pool,
    op: BinaryOp,
    a: ExprId,
    b: ExprId,
) -> Result<Vec<ExprId>, SortError> {
    match op {
        BinaryOp::And => {
            let mut forms = of_and(pool, a, b)?;
            for (x, y) in [(a, b), (b, a)] {
                forms.extend(regrouped(pool, x, y)?);
            }
            Ok(forms)
        }
        // a ^ b → (a & ~b) | (~a & b);  a ^ b → (a | b) & ~(a & b)
        BinaryOp::Xor => {
            let (na, nb) = (pool.not(a)?, pool.not(b)?);
            let (left, right) = (pool.and(a, nb)?, pool.and(na, b)?);
            let (some, both) = (pool.or(a, b)?, pool.and(a, b)?);
            let not_both = pool.not(both)?;
            Ok(vec![pool.or(left, right)?, pool.and(some, not_both)?])
        }
        // a + b → a - -b;  a - b → a + -b
        BinaryOp::Add | BinaryOp::Sub => {
            let other = if op == BinaryOp::Add { BinaryOp::Sub } else { BinaryOp::Add };
            let minus = pool.unary(UnaryOp::Neg, b)?;
            Ok(vec![pool.binary(other, a, minus)?])
        }
        // a · b → -(-a · b)
        BinaryOp::Mul => {
            let minus = pool.unary(UnaryOp::Neg, a)?;
            let product = pool.binary(BinaryOp::Mul, minus, b)?;
            Ok(vec![pool.unary(UnaryOp::Neg, product)?])
        }
        // a = b → redand(~(a ^ b))
        BinaryOp::Eq => {
            let differ = pool.xor(a, b)?;
            let agree = pool.not(differ)?;
            Ok(vec![pool.unary(UnaryOp::RedAnd, agree)?])
        }
        BinaryOp::Ult => Ok(vec![borrow(pool, a, b)?]),
        // a <s b → (a ^ s) <u (b ^ s), where s is the sign bit
        BinaryOp::Slt => {
            let width = pool.width(a);
            let sign = BitVec::from_bits((0..width).map(|bit| bit + 1 == width));
            let sign = pool.constant(sign);
            let (x, y) = (pool.xor(a, sign)?, pool.xor(b, sign)?);
            Ok(vec![pool.binary(BinaryOp::Ult, x, y)?])
        }
        // a # b → (a # 0) | uext(b)
        BinaryOp::Concat => {
            let zero = pool.constant(BitVec::zero(pool.width(b)));
            let high = pool.binary(BinaryOp::Concat, a, zero)?;
            let low = pool.uext(b, pool.width(a))?;
            Ok(vec![pool.or(high, low)?])
        }
        BinaryOp::Udiv
        | BinaryOp::Urem
        | BinaryOp::Sdiv
        | BinaryOp::Srem
        | BinaryOp::Smod
        | BinaryOp::Shl
        | BinaryOp::Lshr
        | BinaryOp::Ashr
        | BinaryOp::Rol
        | BinaryOp::Ror
        | BinaryOp::Uaddo
        | BinaryOp::Saddo
        | BinaryOp::Ssubo
        | BinaryOp::Umulo
        | BinaryOp::Smulo
        | BinaryOp::Sdivo => Ok(Vec::new()),
    }
}

/// a & b → a & (b | ~a);  a & b → a ^ (a & ~b);  a & b → (a ^ b) ^ (a | b)
fn of_and(pool: &mut Pool, a: ExprId, b: ExprId) -> Result<Vec<ExprId>, SortError> {
    let implied = pool.implies(a, b)?;
    let nb = pool.not(b)?;
    let only = pool.and(a, nb)?;
    let (differ, some) = (pool.xor(a, b)?, pool.or(a, b)?);
    Ok(vec![pool.and(a, implied)?, pool.xor(a, only)?, pool.xor(differ, some)?])
}

/// x & (c & d) → (x & c) & d;  x & ~(c & d) → (x & ~c) | (x & ~d)
fn regrouped(pool: &mut Pool, x: ExprId, y: ExprId) -> Result<Option<ExprId>, SortError> {
    let Expr::Binary(BinaryOp::And, c, d) = pool.get(y.regular()) else { return Ok(None) };
    if y.is_complement() {
        let (nc, nd) = (pool.not(c)?, pool.not(d)?);
        let (left, right) = (pool.and(x, nc)?, pool.and(x, nd)?);
        return Ok(Some(pool.or(left, right)?));
    }
    let left = pool.and(x, c)?;
    Ok(Some(pool.and(left, d)?))
}

/// a <u b → the uppermost bit of a - b, one bit wider
fn borrow(pool: &mut Pool, a: ExprId, b: ExprId) -> Result<ExprId, SortError> {
    let width = pool.width(a);
    let (x, y) = (pool.uext(a, 1)?, pool.uext(b, 1)?);
    let difference = pool.binary(BinaryOp::Sub, x, y)?;
    pool.slice(difference, width, width)
}

/// The expression in another width: its lowest bits, or with its sign repeated.
pub fn resize(pool: &mut Pool, expr: ExprId, width: u32) -> Result<ExprId, SortError> {
    let Sort::Bv(has) = pool.sort(expr) else {
        return Err(SortError::NotABitVector(pool.sort(expr)));
    };
    if has > width { pool.slice(expr, width - 1, 0) } else { pool.sext(expr, width - has) }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{Evaluator, Rng, Value};

    use super::*;

    /// Three symbols of each width.
    struct Signals {
        pool: Pool,
        symbols: Vec<[ExprId; 3]>,
    }

    impl Signals {
        fn new() -> Self {
            let mut pool = Pool::new();
            let mut symbol = |width| pool.symbol(Sort::Bv(width), None).unwrap();
            let symbols = (1..=4).map(|width| [(); 3].map(|()| symbol(width))).collect();
            Signals { pool, symbols }
        }

        fn of(&self, width: u32) -> [ExprId; 3] {
            self.symbols[width as usize - 1]
        }

        /// How many other forms a gate has, each of which has its value.
        fn checked_forms(&mut self, gate: ExprId) -> usize {
            let [.., last] = self.of(4);
            let width = self.pool.width(gate);
            let signal = resize(&mut self.pool, last, width).unwrap();
            let forms = forms(&mut self.pool, gate, signal).unwrap();
            let mut evaluator =
                Evaluator::new(&self.pool, forms.iter().copied().chain([gate.regular()]));
            let mut rng = Rng::new(gate.node() as u64);
            for _ in 0..200 {
                evaluator.run(|symbol| Value::Bv(rng.bitvec(self.pool.width(symbol))));
                for &form in &forms {
                    let (gate, form) = (evaluator.bv(gate), evaluator.bv(form));
                    assert_eq!(gate, form);
                }
            }
            forms.len()
        }
    }

    #[test]
    fn every_operator_has_other_forms_and_all_have_its_value() {
        for width in 2..=4 {
            let mut signals = Signals::new();
            let [a, b, c] = signals.of(width);
            for op in BinaryOp::ALL {
                let gate = signals.pool.binary(op, a, b).unwrap();
                assert!(signals.checked_forms(gate) >= 3, "{op:?}");
            }
            for op in [UnaryOp::Neg, UnaryOp::RedAnd, UnaryOp::RedXor] {
                let gate = signals.pool.unary(op, a).unwrap();
                assert!(signals.checked_forms(gate) >= 4, "{op:?}");
            }
            let [bit, ..] = signals.of(1);
            let choice = signals.pool.ite(bit, b, c).unwrap();
            assert_eq!(signals.checked_forms(choice), 5);
        }
    }

    #[test]
    fn gates_of_bits_have_other_forms_in_bits() {
        let mut signals = Signals::new();
        let [a, b, c] = signals.of(1);
        let inner = signals.pool.and(b, c).unwrap();
        let complement = signals.pool.not(inner).unwrap();
        let xor = signals.pool.xor(a, b).unwrap();
        let choice = signals.pool.ite(a, b, c).unwrap();
        for (gate, expected) in [(inner, 6), (xor, 5), (choice, 5)] {
            assert_eq!(signals.checked_forms(gate), expected);
        }
        // Regrouping and distributing are ways more.
        for operand in [inner, complement] {
            let gate = signals.pool.and(a, operand).unwrap();
            assert_eq!(signals.checked_forms(gate), 7);
        }
    }

    #[test]
    fn leaves_and_arrays_have_no_other_form() {
        let mut pool = Pool::new();
        let array = Sort::Array { index: 2, element: 2 };
        let [x, y] = [(); 2].map(|()| pool.symbol(array, None).unwrap());
        let bit = pool.symbol(Sort::BOOL, None).unwrap();
        let choice = pool.ite(bit, x, y).unwrap();
        let leaves = [x, bit, pool.bool(true)];
        for node in leaves.into_iter().chain([choice]) {
            assert_eq!(forms(&mut pool, node, node), Ok(vec![]));
        }
    }
}
