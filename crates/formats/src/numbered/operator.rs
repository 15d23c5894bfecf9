//! The operators that BTOR and BTOR2 share: sorts of their operands, and how
//! they are built in the pool. Meaning as in tables 1 to 4 of the BTOR paper,
//! except that here both operands of a shift have the same width.

use elinvar_ir::{BinaryOp, BitVec, ExprId, Pool, Sort, SortError, UnaryOp};

use super::scanner::Word;
use crate::Diagnostic;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Not,
    Neg,
    Redand,
    Redor,
    Redxor,
    Inc,
    Dec,
    And,
    Or,
    Xor,
    Nand,
    Nor,
    Xnor,
    Implies,
    Iff,
    Add,
    Sub,
    Mul,
    Udiv,
    Sdiv,
    Urem,
    Srem,
    Smod,
    Eq,
    Neq,
    Ult,
    Ulte,
    Ugt,
    Ugte,
    Slt,
    Slte,
    Sgt,
    Sgte,
    Sll,
    Srl,
    Sra,
    Rol,
    Ror,
    Uaddo,
    Saddo,
    Usubo,
    Ssubo,
    Umulo,
    Smulo,
    Udivo,
    Sdivo,
    Concat,
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
            Not | Neg | Inc | Dec => Shape::Uniform(1),
            Redand | Redor | Redxor => Shape::Reduction,
            And | Or | Xor | Nand | Nor | Xnor | Add | Sub | Mul | Udiv | Sdiv | Urem | Srem
            | Smod | Sll | Srl | Sra | Rol | Ror => Shape::Uniform(2),
            Implies | Iff => Shape::Boolean,
            Eq | Neq => Shape::Equality,
            Ult | Ulte | Ugt | Ugte | Slt | Slte | Sgt | Sgte | Uaddo | Saddo | Usubo | Ssubo
            | Umulo | Smulo | Udivo | Sdivo => Shape::Comparison,
            Concat => Shape::Concat,
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
        use Operator::*;
        matches!(self, Sll | Srl | Sra | Rol | Ror)
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
        Not => pool.not(a),
        Neg => pool.unary(UnaryOp::Neg, a),
        Redand => pool.unary(UnaryOp::RedAnd, a),
        Redor => pool.redor(a),
        Redxor => pool.unary(UnaryOp::RedXor, a),
        Inc | Dec => {
            let one = pool.constant(BitVec::one(pool.width(a)));
            pool.binary(if operator == Inc { BinaryOp::Add } else { BinaryOp::Sub }, a, one)
        }
        And => pool.and(a, arg(1)),
        Or => pool.or(a, arg(1)),
        Xor => pool.xor(a, arg(1)),
        Nand => {
            let and = pool.and(a, arg(1))?;
            pool.not(and)
        }
        Nor => {
            let or = pool.or(a, arg(1))?;
            pool.not(or)
        }
        Xnor | Iff => {
            let xor = pool.xor(a, arg(1))?;
            pool.not(xor)
        }
        Implies => pool.implies(a, arg(1)),
        Add => pool.binary(BinaryOp::Add, a, arg(1)),
        Sub => pool.binary(BinaryOp::Sub, a, arg(1)),
        Mul => pool.binary(BinaryOp::Mul, a, arg(1)),
        Udiv => pool.binary(BinaryOp::Udiv, a, arg(1)),
        Sdiv => pool.binary(BinaryOp::Sdiv, a, arg(1)),
        Urem => pool.binary(BinaryOp::Urem, a, arg(1)),
        Srem => pool.binary(BinaryOp::Srem, a, arg(1)),
        Smod => pool.binary(BinaryOp::Smod, a, arg(1)),
        Eq => pool.equal(a, arg(1)),
        Neq => {
            let equal = pool.equal(a, arg(1))?;
            pool.not(equal)
        }
        Ult | Usubo => pool.binary(BinaryOp::Ult, a, arg(1)),
        Ulte => pool.ule(a, arg(1)),
        Ugt => pool.binary(BinaryOp::Ult, arg(1), a),
        Ugte => pool.ule(arg(1), a),
        Slt => pool.binary(BinaryOp::Slt, a, arg(1)),
        Slte => pool.sle(a, arg(1)),
        Sgt => pool.binary(BinaryOp::Slt, arg(1), a),
        Sgte => pool.sle(arg(1), a),
        Sll => pool.binary(BinaryOp::Shl, a, arg(1)),
        Srl => pool.binary(BinaryOp::Lshr, a, arg(1)),
        Sra => pool.binary(BinaryOp::Ashr, a, arg(1)),
        Rol => pool.binary(BinaryOp::Rol, a, arg(1)),
        Ror => pool.binary(BinaryOp::Ror, a, arg(1)),
        Uaddo => pool.binary(BinaryOp::Uaddo, a, arg(1)),
        Saddo => pool.binary(BinaryOp::Saddo, a, arg(1)),
        Ssubo => pool.binary(BinaryOp::Ssubo, a, arg(1)),
        Umulo => pool.binary(BinaryOp::Umulo, a, arg(1)),
        Smulo => pool.binary(BinaryOp::Smulo, a, arg(1)),
        // Unsigned division never overflows.
        Udivo => Ok(pool.bool(false)),
        Sdivo => pool.binary(BinaryOp::Sdivo, a, arg(1)),
        Concat => pool.binary(BinaryOp::Concat, a, arg(1)),
        Ite => pool.ite(a, arg(1), arg(2)),
        Read => pool.read(a, arg(1)),
        Write => pool.write(a, arg(1), arg(2)),
    }
}
