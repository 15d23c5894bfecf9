//! The operators that BTOR and BTOR2 share: sorts of their operands, and how
//! they are built in the pool. Meaning as in tables 1 to 4 of the BTOR paper,
//! except that here both operands of a shift have the same width.

use elinvar_ir::{BinaryOp, BitVec, ExprId, Pool, Sort, SortError, UnaryOp};

use super::scanner::Word;
use crate::Diagnostic;

/// An operator of the format. Most of them are operators of the pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Redor,
    Inc,
    Dec,
    Or,
    Nand,
    Nor,
    Xnor,
    Implies,
    Iff,
    Neq,
    Ulte,
    Ugt,
    Ugte,
    Slte,
    Sgt,
    Sgte,
    Usubo,
    Udivo,
    Ite,
    Read,
    Write,
}

/// Which sorts go together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// All operands have the width of the result.
    Uniform(usize),
    /// Two bits give a bit.
    Boolean,
    /// Any bit-vector gives a bit.
    Reduction,
    /// Two bit-vectors of one width give a bit.
    Comparison,
    /// Two bit-vectors or arrays of one sort give a bit.
    Equality,
    Concat,
    Ite,
    Read,
    Write,
}

impl Operator {
    fn shape(self) -> Shape {
        use Operator::*;
        match self {
            Unary(UnaryOp::Not | UnaryOp::Neg) | Inc | Dec => Shape::Uniform(1),
            Unary(UnaryOp::RedAnd | UnaryOp::RedXor) | Redor => Shape::Reduction,
            Binary(BinaryOp::Concat) => Shape::Concat,
            Binary(BinaryOp::Eq) | Neq => Shape::Equality,
            Binary(op) if op.is_predicate() => Shape::Comparison,
            Binary(_) | Or | Nand | Nor | Xnor => Shape::Uniform(2),
            Implies | Iff => Shape::Boolean,
            Ulte | Ugt | Ugte | Slte | Sgt | Sgte | Usubo | Udivo => Shape::Comparison,
            Ite => Shape::Ite,
            Read => Shape::Read,
            Write => Shape::Write,
        }
    }

    /// The number of operands.
    pub fn arity(self) -> usize {
        match self.shape() {
            Shape::Uniform(arity) => arity,
            Shape::Reduction => 1,
            Shape::Boolean | Shape::Comparison | Shape::Equality | Shape::Concat | Shape::Read => 2,
            Shape::Ite | Shape::Write => 3,
        }
    }

    pub fn is_shift(self) -> bool {
        use BinaryOp::*;
        matches!(self, Operator::Binary(Shl | Lshr | Ashr | Rol | Ror))
    }
}

/// An operand and where it was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Operand {
    pub expr: ExprId,
    pub word: Word,
}

/// Applies `operator`, whose result was declared at `word` to be of sort
/// `result`; there are as many operands as its arity says.
pub(crate) fn build(
    pool: &mut Pool,
    operator: Operator,
    result: Sort,
    word: Word,
    operands: &[Operand],
) -> Result<ExprId, Diagnostic> {
    check(pool, operator.shape(), result, word, operands)?;
    let arg = |index: usize| operands[index].expr;
    apply(pool, operator, arg).map_err(|error| word.error(error.to_string()))
}

/// Complains about the operand unless it has the sort.
pub(crate) fn expect_sort(pool: &Pool, operand: Operand, expected: Sort) -> Result<(), Diagnostic> {
    let found = pool.sort(operand.expr);
    if found == expected {
        return Ok(());
    }
    Err(operand.word.error(match (found, expected) {
        (Sort::Bv(found), Sort::Bv(expected)) => SortError::Width { found, expected }.to_string(),
        _ => format!("operand is {found}, expected {expected}"),
    }))
}

fn check(
    pool: &Pool,
    shape: Shape,
    result: Sort,
    word: Word,
    operands: &[Operand],
) -> Result<(), Diagnostic> {
    let width = |index: usize| {
        let sort = pool.sort(operands[index].expr);
        let error = || operands[index].word.error(SortError::NotABitVector(sort).to_string());
        sort.width().ok_or_else(error)
    };
    let array = |index: usize| match pool.sort(operands[index].expr) {
        Sort::Array { index, element } => Ok((index, element)),
        sort @ Sort::Bv(_) => {
            Err(operands[index].word.error(SortError::NotAnArray(sort).to_string()))
        }
    };
    let expect = |index: usize, sort| expect_sort(pool, operands[index], sort);
    let give = |sort: Sort| {
        if sort == result {
            return Ok(());
        }
        Err(word.error(match (sort, result) {
            (Sort::Bv(found), Sort::Bv(declared)) => {
                format!("result has width {found}, declared with width {declared}")
            }
            _ => format!("result is {sort}, declared as {result}"),
        }))
    };
    match shape {
        Shape::Uniform(arity) => {
            // An array result is best explained at the operand.
            let sort = if result.is_array() { Sort::Bv(width(0)?) } else { result };
            (0..arity).try_for_each(|index| expect(index, sort))?;
            give(sort)
        }
        Shape::Boolean => {
            give(Sort::BOOL)?;
            expect(0, Sort::BOOL)?;
            expect(1, Sort::BOOL)
        }
        Shape::Reduction => {
            width(0)?;
            give(Sort::BOOL)
        }
        Shape::Comparison => {
            expect(1, Sort::Bv(width(0)?))?;
            give(Sort::BOOL)
        }
        Shape::Equality => {
            expect(1, pool.sort(operands[0].expr))?;
            give(Sort::BOOL)
        }
        Shape::Concat => {
            // Both are at most MAX_WIDTH: no overflow.
            let sum = width(0)? + width(1)?;
            give(Sort::Bv(sum))
        }
        Shape::Ite => {
            expect(0, Sort::BOOL)?;
            expect(1, result)?;
            expect(2, result)
        }
        Shape::Read => {
            let (index, element) = array(0)?;
            expect(1, Sort::Bv(index))?;
            give(Sort::Bv(element))
        }
        Shape::Write => {
            let (index, element) = array(0)?;
            expect(1, Sort::Bv(index))?;
            expect(2, Sort::Bv(element))?;
            give(Sort::Array { index, element })
        }
    }
}

fn apply(
    pool: &mut Pool,
    operator: Operator,
    arg: impl Fn(usize) -> ExprId,
) -> Result<ExprId, SortError> {
    use Operator::*;
    let a = arg(0);
    match operator {
        Unary(UnaryOp::Not) => pool.not(a),
        Unary(op) => pool.unary(op, a),
        Redor => pool.redor(a),
        Inc | Dec => {
            let one = pool.constant(BitVec::one(pool.width(a)));
            pool.binary(if operator == Inc { BinaryOp::Add } else { BinaryOp::Sub }, a, one)
        }
        Binary(BinaryOp::Eq) => pool.equal(a, arg(1)),
        Binary(op) => pool.binary(op, a, arg(1)),
        Or => pool.or(a, arg(1)),
        Nand => complement(pool, |pool| pool.and(a, arg(1))),
        Nor => complement(pool, |pool| pool.or(a, arg(1))),
        Xnor | Iff => complement(pool, |pool| pool.xor(a, arg(1))),
        Neq => complement(pool, |pool| pool.equal(a, arg(1))),
        Implies => pool.implies(a, arg(1)),
        Usubo => pool.binary(BinaryOp::Ult, a, arg(1)),
        Ulte => pool.ule(a, arg(1)),
        Ugt => pool.binary(BinaryOp::Ult, arg(1), a),
        Ugte => pool.ule(arg(1), a),
        Slte => pool.sle(a, arg(1)),
        Sgt => pool.binary(BinaryOp::Slt, arg(1), a),
        Sgte => pool.sle(arg(1), a),
        // Unsigned division never overflows.
        Udivo => Ok(pool.bool(false)),
        Ite => pool.ite(a, arg(1), arg(2)),
        Read => pool.read(a, arg(1)),
        Write => pool.write(a, arg(1), arg(2)),
    }
}

fn complement(
    pool: &mut Pool,
    build: impl FnOnce(&mut Pool) -> Result<ExprId, SortError>,
) -> Result<ExprId, SortError> {
    let positive = build(pool)?;
    pool.not(positive)
}
