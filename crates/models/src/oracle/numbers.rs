//! Random systems in which registers are numbers: they are counted up and down under
//! conditions, added and compared, so that sums of them matter and wrap around.

use super::random::Generator;
use elinvar_ir::{BinaryOp, BitVec, ExprId, Sort};

const MUST: &str = "operands of one width";

impl Generator {
    /// Adds a sum or a comparison to what operands are drawn from.
    pub(super) fn arithmetic(&mut self) {
        let built = if self.rng.one_in(2) { self.comparison() } else { self.sum().0 };
        self.exprs.push(built);
    }

    /// What a counter does: under a condition it moves, or stays, or does something else.
    pub(super) fn counted(&mut self, state: usize) -> ExprId {
        let register = self.builder.states[state].symbol;
        let sort = self.builder.pool.sort(register);
        let condition = self.of(Sort::BOOL);
        let moved = self.moved(register);
        let otherwise = match self.rng.below(4) {
            0 => self.moved(register),
            1 => self.of(sort),
            _ => register,
        };
        self.builder.pool.ite(condition, moved, otherwise).expect(MUST)
    }

    /// A comparison of a sum of registers with a number, or with something else.
    pub(super) fn comparison(&mut self) -> ExprId {
        let (sum, width) = self.sum();
        let other = if self.rng.one_in(3) { self.of(Sort::Bv(width)) } else { self.number(width) };
        let op = self.rng.pick(&[BinaryOp::Ult, BinaryOp::Slt, BinaryOp::Eq]);
        let (a, b) = if self.rng.one_in(2) { (sum, other) } else { (other, sum) };
        self.builder.pool.binary(op, a, b).expect(MUST)
    }

    /// An initial value that is a sum of others.
    pub(super) fn initial_sum(&mut self, value: ExprId, earlier: &[ExprId]) -> ExprId {
        let other = match self.rng.below(3) {
            0 => return value,
            1 => self.rng.pick(earlier),
            _ => self.number(self.builder.pool.width(value)),
        };
        self.combined(value, other)
    }

    /// A register, or the sum or difference of two, and its width.
    fn sum(&mut self) -> (ExprId, u32) {
        let pool = &self.builder.pool;
        let symbols = self.builder.states.iter().map(|state| state.symbol);
        let registers: Vec<ExprId> = symbols.filter(|&s| !pool.sort(s).is_array()).collect();
        if registers.is_empty() {
            return (self.of(Sort::BOOL), 1);
        }
        let a = self.rng.pick(&registers);
        let width = self.builder.pool.width(a);
        if self.rng.one_in(3) {
            return (a, width);
        }
        let b = self.of(Sort::Bv(width));
        (self.combined(a, b), width)
    }

    /// The register and a little more or less, or as much as something else says.
    fn moved(&mut self, register: ExprId) -> ExprId {
        let width = self.builder.pool.width(register);
        let by = if self.rng.one_in(3) { self.of(Sort::Bv(width)) } else { self.number(width) };
        self.combined(register, by)
    }

    fn combined(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let op = self.rng.pick(&[BinaryOp::Add, BinaryOp::Sub]);
        self.builder.pool.binary(op, a, b).expect(MUST)
    }

    /// A constant, more often than not a small one.
    fn number(&mut self, width: u32) -> ExprId {
        let value = if self.rng.one_in(3) {
            self.rng.bitvec(width)
        } else {
            BitVec::new(width, 1 + self.rng.below(3) as u64)
        };
        self.builder.pool.constant(value)
    }
}
