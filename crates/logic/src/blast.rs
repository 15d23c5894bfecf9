//! From one expression node to literals: the step that unrolling and the
//! translation to bits share.

use elinvar_ir::{Expr, Pool, Sort};

use crate::aig::{Aig, AigLit};
use crate::arrays::{ArrayTerm, Arrays};
use crate::words::{self, Word};

/// What an expression becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Blasted {
    Word(Word),
    Array(ArrayTerm),
}

impl Blasted {
    /// # Panics
    /// If this is an array.
    pub fn word(self) -> Word {
        match self {
            Blasted::Word(word) => word,
            Blasted::Array(_) => panic!("an array where a word was expected"),
        }
    }

    /// # Panics
    /// If this is a word.
    pub fn array(self) -> ArrayTerm {
        match self {
            Blasted::Array(array) => array,
            Blasted::Word(_) => panic!("a word where an array was expected"),
        }
    }
}

/// The number of gates that the operator may need, as a warning before it is
/// built: products and quotients are quadratic in the width.
pub fn cost(pool: &Pool, expr: &Expr) -> u64 {
    use elinvar_ir::BinaryOp::*;
    match expr {
        Expr::Binary(Mul | Udiv | Urem | Sdiv | Srem | Smod | Umulo | Smulo, a, _) => {
            let width = u64::from(pool.width(*a));
            12 * width * width
        }
        Expr::Binary(Shl | Lshr | Ashr | Rol | Ror, a, _) => {
            let width = u64::from(pool.width(*a));
            3 * width * width
        }
        Expr::Const(_)
        | Expr::Symbol(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Slice { .. }
        | Expr::Uext { .. }
        | Expr::Sext { .. }
        | Expr::Ite(..)
        | Expr::Read(..)
        | Expr::Write(..)
        | Expr::ConstArray(_)
        | Expr::ArrayEq(..) => 0,
    }
}

/// Translates `expr`, which is not a symbol, given its operands' translations.
pub fn blast(
    aig: &mut Aig,
    arrays: &mut Arrays,
    sort: Sort,
    expr: &Expr,
    operand: impl Fn(elinvar_ir::ExprId) -> Blasted,
) -> Blasted {
    let word = |id| operand(id).word();
    Blasted::Word(match expr {
        Expr::Symbol(_) => unreachable!("symbols are translated by the caller"),
        Expr::Const(value) => words::constant(value),
        Expr::Unary(op, a) => words::unary(aig, *op, &word(*a)),
        Expr::Binary(op, a, b) => words::binary(aig, *op, &word(*a), &word(*b)),
        Expr::Slice { arg, hi, lo } => word(*arg)[*lo as usize..=*hi as usize].to_vec(),
        Expr::Uext { arg, by } => extend(word(*arg), *by, AigLit::FALSE),
        Expr::Sext { arg, by } => {
            let word = word(*arg);
            let sign = word[word.len() - 1];
            extend(word, *by, sign)
        }
        Expr::Ite(c, t, e) => {
            let condition = word(*c)[0];
            match (operand(*t), operand(*e)) {
                (Blasted::Word(t), Blasted::Word(e)) => words::ite(aig, condition, &t, &e),
                (Blasted::Array(t), Blasted::Array(e)) => {
                    return Blasted::Array(arrays.ite(condition, t, e));
                }
                (Blasted::Word(_), Blasted::Array(_)) | (Blasted::Array(_), Blasted::Word(_)) => {
                    unreachable!("branches have the same sort")
                }
            }
        }
        Expr::Read(array, index) => arrays.read(aig, operand(*array).array(), &word(*index)),
        Expr::Write(array, index, element) => {
            return Blasted::Array(arrays.write(
                operand(*array).array(),
                word(*index),
                word(*element),
            ));
        }
        Expr::ConstArray(element) => match sort {
            Sort::Array { index, .. } => {
                return Blasted::Array(arrays.constant(index, word(*element)));
            }
            Sort::Bv(_) => unreachable!("constant arrays are arrays"),
        },
        Expr::ArrayEq(a, b) => {
            vec![arrays.equal(aig, operand(*a).array(), operand(*b).array())]
        }
    })
}

fn extend(mut word: Word, by: u32, bit: AigLit) -> Word {
    word.extend(std::iter::repeat_n(bit, by as usize));
    word
}
