//! Small random systems: bits and words, arrays, constraints, uninitialised
//! registers, states without next functions, several properties of safety and of liveness.

use elinvar_ir::{BinaryOp, BitVec, ExprId, Rng, Sort, SystemBuilder, TransitionSystem, UnaryOp};

/// What kind of systems to draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The largest width; 1 gives bit-level systems.
    pub max_width: u32,
    /// May there be memories?
    pub arrays: bool,
    /// The largest number of states.
    pub max_states: usize,
    /// The largest number of inputs.
    pub max_inputs: usize,
    /// The largest number of properties.
    pub max_properties: usize,
    /// How many operators are drawn.
    pub operators: usize,
    /// Are registers counted with and compared, more than anything else?
    pub numbers: bool,
    /// Do some functions go through words of up to 5,000 bits?
    pub wide: bool,
    /// Are there fairness constraints and liveness properties as well?
    pub liveness: bool,
}

impl Shape {
    /// Systems of single bits.
    pub const BITS: Shape = Shape {
        max_width: 1,
        arrays: false,
        max_states: 6,
        max_inputs: 3,
        max_properties: 3,
        operators: 24,
        numbers: false,
        wide: false,
        liveness: false,
    };
    /// Systems of small words.
    pub const WORDS: Shape = Shape {
        max_width: 3,
        arrays: false,
        max_states: 3,
        max_inputs: 2,
        max_properties: 3,
        operators: 20,
        numbers: false,
        wide: false,
        liveness: false,
    };
    /// Systems with arrays.
    pub const ARRAYS: Shape = Shape {
        max_width: 2,
        arrays: true,
        max_states: 3,
        max_inputs: 2,
        max_properties: 2,
        operators: 20,
        numbers: false,
        wide: false,
        liveness: false,
    };
    /// Counters and sums, of widths where it matters how a word is read.
    pub const NUMBERS: Shape = Shape {
        max_width: 6,
        arrays: false,
        max_states: 3,
        max_inputs: 2,
        max_properties: 3,
        operators: 16,
        numbers: true,
        wide: false,
        liveness: false,
    };
    /// Small registers whose functions go through wide words.
    pub const WIDE: Shape = Shape {
        max_width: 3,
        arrays: false,
        max_states: 3,
        max_inputs: 2,
        max_properties: 2,
        operators: 12,
        numbers: false,
        wide: true,
        liveness: false,
    };
}

/// Draws systems: the same seed and shape give the same system.
pub struct Generator {
    pub(super) rng: Rng,
    shape: Shape,
    pub(super) builder: SystemBuilder,
    /// Everything built so far, to draw operands from.
    pub(super) exprs: Vec<ExprId>,
}

impl Generator {
    /// The system with this seed.
    pub fn system(seed: u64, shape: Shape) -> TransitionSystem {
        Self::build(seed, shape, SystemBuilder::new())
    }

    /// No choice depends on what the builder makes of an expression, except for its sort.
    fn build(seed: u64, shape: Shape, builder: SystemBuilder) -> TransitionSystem {
        let rng = Rng::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5bd1_e995);
        let mut generator = Generator { rng, shape, builder, exprs: Vec::new() };
        generator.declare();
        for _ in 0..shape.operators {
            if shape.wide && generator.rng.one_in(2) {
                generator.detour();
            } else if shape.numbers && generator.rng.one_in(2) {
                generator.arithmetic();
            } else {
                generator.operator();
            }
        }
        generator.connect();
        generator.builder.finish().expect("generated systems are well-formed")
    }

    /// What [`Generator::system`] gives, without any rewriting.
    pub fn verbatim(seed: u64, shape: Shape) -> TransitionSystem {
        Self::build(seed, shape, SystemBuilder::verbatim())
    }

    fn width(&mut self) -> u32 {
        1 + self.rng.below(self.shape.max_width as usize) as u32
    }

    fn sort(&mut self) -> Sort {
        if self.shape.arrays && self.rng.one_in(2) {
            let index = 1 + self.rng.below(2) as u32;
            Sort::Array { index, element: 1 + self.rng.below(2) as u32 }
        } else {
            Sort::Bv(self.width())
        }
    }

    fn is_number(&self, sort: Sort) -> bool {
        self.shape.numbers && !sort.is_array()
    }

    fn declare(&mut self) {
        let must = "small sorts";
        let common = if self.shape.numbers { Some(Sort::Bv(self.width())) } else { None };
        for i in 0..1 + self.rng.below(self.shape.max_states) {
            let sort = match common {
                Some(common) if !self.rng.one_in(4) => common,
                Some(_) | None => self.sort(),
            };
            let state = self.builder.state(sort, Some(&format!("s{i}"))).expect(must);
            self.exprs.push(state);
        }
        for i in 0..self.rng.below(self.shape.max_inputs + 1) {
            let sort = if self.rng.one_in(8) { self.sort() } else { Sort::Bv(self.width()) };
            let input = self.builder.input(sort, Some(&format!("x{i}"))).expect(must);
            self.exprs.push(input);
        }
        for width in 1..=self.shape.max_width {
            let value = self.rng.bitvec(width);
            let constant = self.builder.pool.constant(value);
            self.exprs.push(constant);
        }
    }

    /// An expression of the sort, from those built; made from parts when there is none.
    pub(super) fn of(&mut self, sort: Sort) -> ExprId {
        let pool = &mut self.builder.pool;
        let fitting: Vec<ExprId> =
            self.exprs.iter().copied().filter(|&e| pool.sort(e) == sort).collect();
        if !fitting.is_empty() {
            return self.rng.pick(&fitting);
        }
        match sort {
            Sort::Bv(width) => {
                let value = self.rng.bitvec(width);
                pool.constant(value)
            }
            Sort::Array { index, element } => {
                let value = self.rng.bitvec(element);
                let element = pool.constant(value);
                pool.const_array(index, element).expect("a small sort")
            }
        }
    }

    fn any_array_sort(&mut self) -> Option<Sort> {
        let pool = &self.builder.pool;
        let sorts: Vec<Sort> =
            self.exprs.iter().map(|&e| pool.sort(e)).filter(|s| s.is_array()).collect();
        if sorts.is_empty() { None } else { Some(self.rng.pick(&sorts)) }
    }

    fn operator(&mut self) {
        let width = self.width();
        let bv = Sort::Bv(width);
        let must = "operands are drawn by sort";
        let array = if self.rng.one_in(2) { self.any_array_sort() } else { None };
        if let Some(sort @ Sort::Array { index, element }) = array {
            let a = self.of(sort);
            let built = match self.rng.below(8) {
                0..=2 => {
                    let i = self.of(Sort::Bv(index));
                    self.builder.pool.read(a, i)
                }
                3 | 4 => {
                    let (i, v) = (self.of(Sort::Bv(index)), self.of(Sort::Bv(element)));
                    self.builder.pool.write(a, i, v)
                }
                5 => {
                    let (c, b) = (self.of(Sort::BOOL), self.of(sort));
                    self.builder.pool.ite(c, a, b)
                }
                6 => {
                    let v = self.of(Sort::Bv(element));
                    self.builder.pool.const_array(index, v)
                }
                _ => {
                    let b = self.of(sort);
                    self.builder.pool.equal(a, b)
                }
            };
            self.exprs.push(built.expect(must));
            return;
        }
        let a = self.of(bv);
        let built = match self.rng.below(12) {
            0 => self.builder.pool.not(a),
            1 => {
                let op = self.rng.pick(&[UnaryOp::Neg, UnaryOp::RedAnd, UnaryOp::RedXor]);
                self.builder.pool.unary(op, a)
            }
            2 => {
                let lo = self.rng.below(width as usize) as u32;
                let hi = lo + self.rng.below((width - lo) as usize) as u32;
                self.builder.pool.slice(a, hi, lo)
            }
            3 if width < self.shape.max_width => {
                let by = self.shape.max_width - width;
                let signed = self.rng.one_in(2);
                if signed { self.builder.pool.sext(a, by) } else { self.builder.pool.uext(a, by) }
            }
            4 | 5 => {
                let (c, b) = (self.of(Sort::BOOL), self.of(bv));
                self.builder.pool.ite(c, a, b)
            }
            6 | 7 => {
                let b = self.of(bv);
                self.builder.pool.and(a, b)
            }
            _ => {
                let b = self.of(bv);
                let op = self.rng.pick(&BinaryOp::ALL);
                if op == BinaryOp::Concat && 2 * width > self.shape.max_width {
                    return;
                }
                self.builder.pool.binary(op, a, b)
            }
        };
        let built = built.expect(must);
        let built = if self.builder.pool.sort(built).is_array() || !self.rng.one_in(4) {
            built
        } else {
            self.builder.pool.not(built).expect(must)
        };
        self.exprs.push(built);
    }

    /// Adds an expression of small words that goes through wide ones: operands are widened,
    /// combined, and a part of the result is taken.
    fn detour(&mut self) {
        const CHEAP: [BinaryOp; 7] = [
            BinaryOp::And,
            BinaryOp::Xor,
            BinaryOp::Eq,
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Ult,
            BinaryOp::Slt,
        ];
        const MUST: &str = "operands are widened to one width";
        // Products and quotients of the widest words are too large for engines.
        let costly = self.rng.one_in(2);
        let wide = self.rng.pick(if costly { &[65, 70] } else { &[64, 65, 130, 4097, 5000] });
        let (a, b) = (self.widened(wide), self.widened(wide));
        let pool = &mut self.builder.pool;
        let combined = match self.rng.below(8) {
            0 => pool.unary(UnaryOp::Neg, a),
            1 => pool.unary(self.rng.pick(&[UnaryOp::RedAnd, UnaryOp::RedXor]), a),
            2 => pool.not(a),
            _ => {
                let op = self.rng.pick(if costly { &BinaryOp::ALL[..] } else { &CHEAP[..] });
                pool.binary(op, a, b)
            }
        };
        let combined = combined.expect(MUST);
        let width = self.builder.pool.width(combined);
        let taken = 1 + self.rng.below(self.shape.max_width.min(width) as usize) as u32;
        // The ends are where it happens.
        let lo = match self.rng.below(3) {
            0 => 0,
            1 => width - taken,
            _ => self.rng.below((width - taken + 1) as usize) as u32,
        };
        let built = self.builder.pool.slice(combined, lo + taken - 1, lo).expect(MUST);
        self.exprs.push(built);
    }

    /// A small expression, extended or shifted into a wide word.
    fn widened(&mut self, wide: u32) -> ExprId {
        const MUST: &str = "a small word is widened";
        let width = self.width();
        let a = self.of(Sort::Bv(width));
        let by = wide - width;
        let kind = self.rng.below(4);
        let constant = self.rng.bitvec(by);
        let pool = &mut self.builder.pool;
        let widened = match kind {
            0 => pool.uext(a, by),
            1 => pool.sext(a, by),
            2 => {
                let zeros = pool.constant(BitVec::zero(by));
                pool.binary(BinaryOp::Concat, a, zeros)
            }
            _ => {
                let high = pool.constant(constant);
                pool.binary(BinaryOp::Concat, high, a)
            }
        };
        widened.expect(MUST)
    }

    /// Draws initial values, next functions, constraints and properties.
    fn connect(&mut self) {
        for i in 0..self.builder.states.len() {
            let sort = self.builder.pool.sort(self.builder.states[i].symbol);
            if !self.rng.one_in(4) {
                let init = self.initial(i, sort);
                self.builder.states[i].init = Some(init);
            }
            if !self.rng.one_in(8) {
                let counts = self.is_number(sort) && !self.rng.one_in(3);
                let next = if counts { self.counted(i) } else { self.of(sort) };
                self.builder.states[i].next = Some(next);
            }
        }
        let late = self.exprs.len() / 2;
        // Infinite executions under two arbitrary constraints are rare.
        let most = if self.shape.liveness { 1 } else { 2 };
        for _ in 0..self.rng.below(most + 1) {
            let bit = self.of(Sort::BOOL);
            self.builder.constraints.push(bit);
        }
        for i in 0..1 + self.rng.below(self.shape.max_properties) {
            // Deep expressions make the more interesting properties.
            let a = self.of(Sort::BOOL);
            let bits: Vec<ExprId> = self.exprs[late..]
                .iter()
                .copied()
                .filter(|&e| self.builder.pool.sort(e) == Sort::BOOL)
                .collect();
            let bad = if self.shape.numbers && self.rng.one_in(2) {
                self.comparison()
            } else if bits.is_empty() {
                a
            } else {
                let b = self.rng.pick(&bits);
                self.builder.pool.and(a, b).expect("two bits")
            };
            self.builder.bad(format!("p{i}"), bad);
        }
        if self.shape.liveness {
            self.liveness(self.shape.max_properties);
        }
    }

    /// A constant, or now and then an input or an earlier state of the same sort.
    fn initial(&mut self, index: usize, sort: Sort) -> ExprId {
        let states = self.builder.states[..index].iter().map(|s| s.symbol);
        let inputs = self.builder.inputs.iter().map(|x| x.symbol);
        let earlier: Vec<ExprId> =
            states.chain(inputs).filter(|&s| self.builder.pool.sort(s) == sort).collect();
        if !earlier.is_empty() && self.rng.one_in(6) {
            let value = self.rng.pick(&earlier);
            return if self.is_number(sort) { self.initial_sum(value, &earlier) } else { value };
        }
        let (width, index_width) = match sort {
            Sort::Bv(width) => (width, None),
            Sort::Array { index, element } => (element, Some(index)),
        };
        let value = if self.rng.one_in(2) { BitVec::zero(width) } else { self.rng.bitvec(width) };
        let constant = self.builder.pool.constant(value);
        match index_width {
            None => constant,
            Some(index) => self.builder.pool.const_array(index, constant).expect("a small sort"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{Outcome, search};

    #[test]
    fn the_generator_is_deterministic_and_its_systems_vary() {
        let (mut safe, mut shallow, mut deep) = (0, 0, 0);
        for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS, Shape::NUMBERS, Shape::WIDE] {
            for seed in 0..60 {
                let system = Generator::system(seed, shape);
                let again = Generator::system(seed, shape);
                assert_eq!(system.pool().len(), again.pool().len());
                let verbatim = Generator::verbatim(seed, shape);
                assert!(system.pool().len() <= verbatim.pool().len());
                assert_eq!(system.properties().len(), verbatim.properties().len());
                let Ok(outcomes) = search(&system, 200_000) else { continue };
                for (_, outcome) in outcomes {
                    match outcome {
                        Outcome::Safe => safe += 1,
                        Outcome::Unsafe(0) => shallow += 1,
                        Outcome::Unsafe(_) => deep += 1,
                    }
                }
            }
        }
        assert!(safe > 30 && shallow > 30 && deep > 10, "{safe} {shallow} {deep}");
    }
}
