//! The operators on bit-vectors, with their reference semantics.
//!
//! The set is small on purpose: complement and the operators below express all others (see
//! `rewrite`), so that every encoder and evaluator has few cases.

use crate::value::BitVec;

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// Bitwise complement.
    Not,
    /// Negation in two's complement.
    Neg,
    /// Whether all bits are set.
    RedAnd,
    /// Whether an odd number of bits is set.
    RedXor,
}

/// Operators with two bit-vector operands. All operands have the same width,
/// except for `Concat`; shift amounts are read as unsigned numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum BinaryOp {
    /// Bitwise and.
    And,
    /// Bitwise exclusive or.
    Xor,
    /// Addition modulo 2^width.
    Add,
    /// Subtraction modulo 2^width.
    Sub,
    /// Multiplication modulo 2^width.
    Mul,
    /// Unsigned division; by zero, all ones.
    Udiv,
    /// Unsigned remainder; by zero, the dividend.
    Urem,
    /// Signed division, rounded towards zero.
    Sdiv,
    /// Signed remainder with the sign of the dividend.
    Srem,
    /// Signed remainder with the sign of the divisor.
    Smod,
    /// Equality.
    Eq,
    /// Unsigned less than.
    Ult,
    /// Signed less than.
    Slt,
    /// Shift to the left; zero from `width` places on.
    Shl,
    /// Logical shift to the right; zero from `width` places on.
    Lshr,
    /// Arithmetic shift to the right, which repeats the sign.
    Ashr,
    /// Rotation to the left, modulo the width.
    Rol,
    /// Rotation to the right, modulo the width.
    Ror,
    /// Concatenation; the first operand has the higher bits.
    Concat,
    /// Whether the unsigned sum overflows.
    Uaddo,
    /// Whether the signed sum overflows.
    Saddo,
    /// Whether the signed difference overflows.
    Ssubo,
    /// Whether the unsigned product overflows.
    Umulo,
    /// Whether the signed product overflows.
    Smulo,
    /// Whether the signed quotient overflows.
    Sdivo,
}

impl BinaryOp {
    /// All operators.
    pub const ALL: [BinaryOp; 25] = [
        BinaryOp::And,
        BinaryOp::Xor,
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Udiv,
        BinaryOp::Urem,
        BinaryOp::Sdiv,
        BinaryOp::Srem,
        BinaryOp::Smod,
        BinaryOp::Eq,
        BinaryOp::Ult,
        BinaryOp::Slt,
        BinaryOp::Shl,
        BinaryOp::Lshr,
        BinaryOp::Ashr,
        BinaryOp::Rol,
        BinaryOp::Ror,
        BinaryOp::Concat,
        BinaryOp::Uaddo,
        BinaryOp::Saddo,
        BinaryOp::Ssubo,
        BinaryOp::Umulo,
        BinaryOp::Smulo,
        BinaryOp::Sdivo,
    ];

    /// Does swapping the operands keep the value?
    pub fn is_commutative(self) -> bool {
        use BinaryOp::*;
        match self {
            And | Xor | Add | Mul | Eq | Uaddo | Saddo | Umulo | Smulo => true,
            Sub | Udiv | Urem | Sdiv | Srem | Smod | Ult | Slt | Shl | Lshr | Ashr | Rol | Ror
            | Concat | Ssubo | Sdivo => false,
        }
    }

    /// Is the result a single bit whatever the operands' width?
    pub fn is_predicate(self) -> bool {
        use BinaryOp::*;
        match self {
            Eq | Ult | Slt | Uaddo | Saddo | Ssubo | Umulo | Smulo | Sdivo => true,
            And | Xor | Add | Sub | Mul | Udiv | Urem | Sdiv | Srem | Smod | Shl | Lshr | Ashr
            | Rol | Ror | Concat => false,
        }
    }

    /// The value of the operator: the reference semantics.
    pub fn apply(self, a: &BitVec, b: &BitVec) -> BitVec {
        match self {
            BinaryOp::And => a.and(b),
            BinaryOp::Xor => a.xor(b),
            BinaryOp::Add => a.add(b),
            BinaryOp::Sub => a.sub(b),
            BinaryOp::Mul => a.mul(b),
            BinaryOp::Udiv => a.udiv(b),
            BinaryOp::Urem => a.urem(b),
            BinaryOp::Sdiv => a.sdiv(b),
            BinaryOp::Srem => a.srem(b),
            BinaryOp::Smod => a.smod(b),
            BinaryOp::Eq => BitVec::bool(a == b),
            BinaryOp::Ult => BitVec::bool(a.ult(b)),
            BinaryOp::Slt => BitVec::bool(a.slt(b)),
            BinaryOp::Shl => a.shl(b),
            BinaryOp::Lshr => a.lshr(b),
            BinaryOp::Ashr => a.ashr(b),
            BinaryOp::Rol => a.rol(b),
            BinaryOp::Ror => a.ror(b),
            BinaryOp::Concat => a.concat(b),
            BinaryOp::Uaddo => BitVec::bool(a.uadd_overflows(b)),
            BinaryOp::Saddo => BitVec::bool(a.sadd_overflows(b)),
            BinaryOp::Ssubo => BitVec::bool(a.ssub_overflows(b)),
            BinaryOp::Umulo => BitVec::bool(a.umul_overflows(b)),
            BinaryOp::Smulo => BitVec::bool(a.smul_overflows(b)),
            BinaryOp::Sdivo => BitVec::bool(a.sdiv_overflows(b)),
        }
    }
}

impl UnaryOp {
    /// The value of the operator: the reference semantics.
    pub fn apply(self, a: &BitVec) -> BitVec {
        match self {
            UnaryOp::Not => a.not(),
            UnaryOp::Neg => a.neg(),
            UnaryOp::RedAnd => BitVec::bool(a.is_ones()),
            UnaryOp::RedXor => BitVec::bool(a.count_ones() % 2 == 1),
        }
    }
}
