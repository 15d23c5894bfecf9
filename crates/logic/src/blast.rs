//! From one expression node to literals: the step that unrolling and the
//! translation to bits share.

use elinvar_ir::{BitVec, Expr, Pool, Sort};

use crate::aig::{Aig, AigLit};
use crate::arrays::{ArrayTerm, Arrays};
use crate::words::{self, Word};

/// What an expression becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Blasted {
    /// The literals of a bit-vector.
    Word(Word),
    /// An array term.
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
/// built: products and quotients are quadratic in the width, unless an operand is constant.
pub fn cost(pool: &Pool, expr: &Expr) -> u64 {
    use elinvar_ir::BinaryOp::*;
    let &Expr::Binary(op, a, b) = expr else { return 0 };
    let width = u64::from(pool.width(a));
    match op {
        Mul => {
            let rows = [a, b].into_iter().filter_map(|operand| pool.const_value(operand));
            let rows = rows.map(|factor| u64::from(factor.count_ones())).min();
            product(&[12, width, rows.unwrap_or(width)])
        }
        Udiv | Urem => {
            let divisor = pool.const_value(b).filter(|divisor| !divisor.is_zero());
            let bits = divisor.map(|divisor| bit_length(&divisor));
            product(&[13, width, bits.unwrap_or(width)])
        }
        Sdiv | Srem | Smod | Umulo | Smulo => product(&[13, width, width]),
        Shl | Lshr | Ashr => product(&[3, width, stages(width) + 1]),
        Rol | Ror => product(&[16, width, stages(width)]),
        And | Xor | Add | Sub | Eq | Ult | Slt | Concat | Uaddo | Saddo | Ssubo | Sdivo => 0,
    }
}

fn product(factors: &[u64]) -> u64 {
    factors.iter().fold(1, |product: u64, &factor| product.saturating_mul(factor))
}

/// The stages of a shifter.
fn stages(width: u64) -> u64 {
    u64::from(width.next_power_of_two().trailing_zeros())
}

/// The bits of a number without leading zeros.
fn bit_length(value: &BitVec) -> u64 {
    let zeros = value.iter_bits().rev().take_while(|bit| !bit).count();
    u64::from(value.width()) - zeros as u64
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
