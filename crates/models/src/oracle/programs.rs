//! Small random programs: loops of both shapes, branches, choices, arithmetic on small
//! numbers, and among them many that have finitely many states.

use dashu_int::IBig;
use dashu_ratio::RBig;

use super::sketch::Sketch;
use elinvar_ir::program::{LocationId, Program, Sort, Term, VariableId};
use elinvar_ir::{BinaryOp, Rng};

/// What kind of programs to draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramShape {
    /// The largest number of integer variables.
    pub max_integers: usize,
    /// May there be a map, a real and a word?
    pub others: bool,
    /// How many statements are drawn.
    pub statements: usize,
    /// One in so many programs may have infinitely many states.
    pub unbounded: usize,
}

impl ProgramShape {
    /// Programs over integers.
    pub const INTEGERS: ProgramShape =
        ProgramShape { max_integers: 4, others: false, statements: 10, unbounded: 4 };
    /// Programs that may also have a map, a real and a word.
    pub const MIXED: ProgramShape =
        ProgramShape { max_integers: 2, others: true, statements: 8, unbounded: 4 };
    /// To look at every path of.
    pub const TINY: ProgramShape =
        ProgramShape { max_integers: 2, others: false, statements: 4, unbounded: 3 };
}

/// Draws programs: the same seed and shape give the same program.
pub struct ProgramGenerator {
    rng: Rng,
    sketch: Sketch,
    shape: ProgramShape,
    /// Are numbers kept small?
    bounded: bool,
    integers: Vec<VariableId>,
    bools: Vec<VariableId>,
    map: Option<VariableId>,
    real: Option<VariableId>,
    word: Option<VariableId>,
    statements: usize,
}

/// The width of words: small enough to try all of them.
const WIDTH: u32 = 2;

impl ProgramGenerator {
    /// The program with this seed.
    pub fn program(seed: u64, shape: ProgramShape) -> Program {
        let mut rng = Rng::new(seed.wrapping_mul(0x9e6c_63d0_876a_68ee) ^ 0x1f83_d9ab);
        let bounded = !rng.one_in(shape.unbounded);
        let mut generator = ProgramGenerator {
            rng,
            sketch: Sketch::new(),
            shape,
            bounded,
            integers: Vec::new(),
            bools: Vec::new(),
            map: None,
            real: None,
            word: None,
            statements: shape.statements,
        };
        generator.declare();
        let mut at = generator.initial();
        while generator.statements > 0 {
            at = generator.statement(at, 0);
        }
        generator.jump(at);
        generator.assertion(at);
        generator.sketch.finish()
    }

    fn declare(&mut self) {
        let sketch = &mut self.sketch;
        for name in &["x", "y", "z", "w"][..1 + self.rng.below(self.shape.max_integers)] {
            self.integers.push(sketch.variable(name, Sort::Int));
        }
        for name in &["p", "q"][..self.rng.below(3)] {
            self.bools.push(sketch.variable(name, Sort::Bool));
        }
        if self.shape.others {
            let mut maybe = |name, sort| self.rng.one_in(2).then(|| sketch.variable(name, sort));
            self.map = maybe("m", Sort::map(Sort::Int, Sort::Int));
            self.real = maybe("r", Sort::Real);
            self.word = maybe("b", Sort::Word(WIDTH));
        }
    }

    /// Most variables get values; some get any, within bounds or not.
    fn initial(&mut self) -> LocationId {
        let mut values = Vec::new();
        let mut free = Vec::new();
        for variable in self.integers.clone() {
            // In a bounded program nobody asks what it was before.
            if self.bounded || !self.rng.one_in(6) {
                values.push((variable, self.number(0, 3)));
            }
            if self.rng.one_in(5) {
                free.push(variable);
            }
        }
        for variable in self.bools.clone() {
            if self.rng.one_in(2) {
                values.push((variable, self.sketch.terms.bool(false)));
            }
        }
        if let Some(real) = self.real {
            values.push((real, self.sketch.terms.real(RBig::ZERO)));
        }
        let to = self.sketch.location();
        self.sketch.assign(Sketch::ENTRY, to, &values);
        if free.is_empty() { to } else { self.choice(to, &free) }
    }

    /// Any values, more often than not within bounds.
    fn choice(&mut self, from: LocationId, variables: &[VariableId]) -> LocationId {
        let to = self.sketch.location();
        self.sketch.havoc(from, to, variables);
        if !self.bounded && self.rng.one_in(2) {
            return to;
        }
        let mut bounds = Vec::new();
        for &variable in variables {
            let (low, high) = (self.number(-2, 0), self.number(0, 3));
            let value = self.sketch.terms.variable(variable);
            bounds.push(self.sketch.terms.at_most(low, value));
            bounds.push(self.sketch.terms.at_most(value, high));
        }
        let bounds = self.sketch.terms.and(bounds);
        let within = self.sketch.location();
        self.sketch.assume(to, within, bounds);
        within
    }

    /// A statement from here; where it ends.
    fn statement(&mut self, from: LocationId, depth: usize) -> LocationId {
        self.statements = self.statements.saturating_sub(1);
        let simple = depth >= 3 || self.statements == 0;
        match self.rng.below(if simple { 7 } else { 11 }) {
            0..=2 => self.assignment(from),
            3 => self.other_assignment(from),
            4 => {
                let variable = self.rng.pick(&self.integers);
                self.choice(from, &[variable])
            }
            5 => self.assertion(from),
            6 => {
                let condition = self.condition(1);
                let to = self.sketch.location();
                self.sketch.assume(from, to, condition);
                to
            }
            7 => self.branch(from, depth),
            8 => self.counting_loop(from, depth),
            9 => self.while_loop(from, depth),
            _ => self.goto_loop(from, depth),
        }
    }

    fn body(&mut self, from: LocationId, depth: usize) -> LocationId {
        let mut at = from;
        for _ in 0..1 + self.rng.below(3) {
            at = self.statement(at, depth + 1);
        }
        at
    }

    fn assignment(&mut self, from: LocationId) -> LocationId {
        let to = self.sketch.location();
        let first = self.rng.pick(&self.integers);
        let mut targets = vec![first];
        if self.rng.one_in(4) {
            targets.extend(self.integers.iter().copied().find(|other| *other != first));
        }
        let values: Vec<_> = targets.into_iter().map(|v| (v, self.new_value(v))).collect();
        self.sketch.assign(from, to, &values);
        to
    }

    fn new_value(&mut self, variable: VariableId) -> Term {
        let value = self.sketch.terms.variable(variable);
        match self.rng.below(5) {
            0 => self.number(-2, 3),
            1 => {
                let other = self.rng.pick(&self.integers);
                self.sketch.terms.variable(other)
            }
            2 => {
                // Up to a limit, and then it stays, or starts again.
                let (limit, again) = (self.number(1, 4), self.number(0, 1));
                let otherwise = if self.rng.one_in(2) { value } else { again };
                let terms = &mut self.sketch.terms;
                let one = terms.int(1);
                let (below, next) = (terms.less(value, limit), terms.add([value, one]));
                terms.ite(below, next, otherwise)
            }
            _ => {
                let term = self.integer(2);
                if self.bounded {
                    let by = self.number(2, 5);
                    self.sketch.terms.modulo(term, by)
                } else {
                    term
                }
            }
        }
    }

    /// To a Boolean, the map, the real or the word; to an integer if there are none.
    fn other_assignment(&mut self, from: LocationId) -> LocationId {
        let mut targets = self.bools.clone();
        targets.extend([self.map, self.real, self.word].into_iter().flatten());
        if targets.is_empty() {
            return self.assignment(from);
        }
        let target = self.rng.pick(&targets);
        let value = self.sketch.terms.variable(target);
        let value = match self.sketch.terms.variable_sort(target).clone() {
            Sort::Map(_) => {
                let (index, element) = (self.number(0, 2), self.integer(1));
                let by = self.number(2, 4);
                let index = if self.rng.one_in(2) { index } else { self.integer(0) };
                let element = self.sketch.terms.modulo(element, by);
                self.sketch.terms.store(value, index, element)
            }
            Sort::Real => {
                let half = self.sketch.terms.real(RBig::from_parts(IBig::ONE, 2_u8.into()));
                let limit = self.sketch.terms.real(RBig::from(2));
                let terms = &mut self.sketch.terms;
                let (more, less) = (terms.add([value, half]), terms.multiply(half, half));
                let below = terms.less(value, limit);
                terms.ite(below, more, less)
            }
            Sort::Word(_) => self.words(value),
            Sort::Bool | Sort::Int | Sort::Named(_) => self.condition(1),
        };
        let to = self.sketch.location();
        self.sketch.assign(from, to, &[(target, value)]);
        to
    }

    fn words(&mut self, value: Term) -> Term {
        use BinaryOp::{Add, And, Lshr, Mul, Sdiv, Shl, Sub, Urem, Xor};
        let other = self.rng.bitvec(WIDTH);
        let other = self.sketch.terms.word(other);
        let op = self.rng.pick(&[Add, And, Lshr, Mul, Sdiv, Shl, Sub, Urem, Xor]);
        let (a, b) = if self.rng.one_in(3) { (other, value) } else { (value, other) };
        self.sketch.terms.word_binary(op, a, b)
    }

    fn assertion(&mut self, from: LocationId) -> LocationId {
        let condition = match self.rng.below(3) {
            // More likely to hold.
            0 => {
                let (value, limit) = (self.integer(0), self.number(2, 6));
                self.sketch.terms.at_most(value, limit)
            }
            1 => {
                let (a, b) = (self.condition(1), self.condition(1));
                self.sketch.terms.or([a, b])
            }
            _ => self.condition(2),
        };
        let to = self.sketch.location();
        self.sketch.assert(from, to, condition);
        to
    }

    fn branch(&mut self, from: LocationId, depth: usize) -> LocationId {
        let to = self.sketch.location();
        for condition in self.either() {
            let inside = self.sketch.location();
            self.sketch.assume(from, inside, condition);
            let end = if self.rng.one_in(4) { inside } else { self.body(inside, depth) };
            self.skip(end, to);
        }
        to
    }

    /// A condition and its opposite, or twice `true`.
    fn either(&mut self) -> [Term; 2] {
        if self.rng.one_in(3) {
            return [self.sketch.terms.bool(true); 2];
        }
        let condition = self.condition(1);
        [condition, self.sketch.terms.not(condition)]
    }

    fn skip(&mut self, from: LocationId, to: LocationId) {
        let always = self.sketch.terms.bool(true);
        self.sketch.assume(from, to, always);
    }

    /// `x := 0; while (x < limit) { …; x := x + 1; }`
    fn counting_loop(&mut self, from: LocationId, depth: usize) -> LocationId {
        let (head, inside, to) =
            (self.sketch.location(), self.sketch.location(), self.sketch.location());
        let variable = self.rng.pick(&self.integers);
        let (start, limit) = (self.number(0, 1), self.number(2, 5));
        self.sketch.assign(from, head, &[(variable, start)]);
        let value = self.sketch.terms.variable(variable);
        let below = self.sketch.terms.less(value, limit);
        let not = self.sketch.terms.not(below);
        self.sketch.assume(head, inside, below);
        self.sketch.assume(head, to, not);
        let end = self.body(inside, depth);
        let one = self.sketch.terms.int(1);
        let next = self.sketch.terms.add([value, one]);
        self.sketch.assign(end, head, &[(variable, next)]);
        to
    }

    fn while_loop(&mut self, from: LocationId, depth: usize) -> LocationId {
        let (head, inside, to) =
            (self.sketch.location(), self.sketch.location(), self.sketch.location());
        self.skip(from, head);
        let [stay, leave] = self.either();
        self.sketch.assume(head, inside, stay);
        self.sketch.assume(head, to, leave);
        let end = self.body(inside, depth);
        self.skip(end, head);
        to
    }

    /// The condition comes last, and there may be a way out in the middle.
    fn goto_loop(&mut self, from: LocationId, depth: usize) -> LocationId {
        let (head, to) = (self.sketch.location(), self.sketch.location());
        self.skip(from, head);
        let middle = self.body(head, depth);
        if self.rng.one_in(2) {
            let condition = self.condition(1);
            self.sketch.assume(middle, to, condition);
        }
        let end = self.body(middle, depth);
        let [again, leave] = self.either();
        self.sketch.assume(end, head, again);
        self.sketch.assume(end, to, leave);
        to
    }

    /// Seldom, from the end to anywhere: also into the middle of a loop.
    fn jump(&mut self, at: LocationId) {
        if self.rng.one_in(8) {
            let condition = self.condition(1);
            let errors = self.sketch.errors();
            let anywhere: Vec<LocationId> = (1..self.sketch.locations())
                .map(LocationId)
                .filter(|to| !errors.contains(to))
                .collect();
            let to = self.rng.pick(&anywhere);
            self.sketch.assume(at, to, condition);
        }
    }

    fn number(&mut self, low: i64, high: i64) -> Term {
        let value = low + self.rng.below((high - low + 1) as usize) as i64;
        self.sketch.terms.int(value)
    }

    fn integer(&mut self, depth: usize) -> Term {
        let variable = self.rng.pick(&self.integers);
        let value = self.sketch.terms.variable(variable);
        if depth == 0 {
            return value;
        }
        let number = self.number(-3, 3);
        let divisor = self.number(2, 4);
        match self.rng.below(8) {
            0 | 1 => self.sketch.terms.add([value, number]),
            2 => {
                let other = self.integer(depth - 1);
                self.sketch.terms.add([value, other])
            }
            3 => {
                let other = self.integer(depth - 1);
                self.sketch.terms.subtract(value, other)
            }
            4 => self.sketch.terms.multiply(number, value),
            5 => {
                let term = self.integer(depth - 1);
                self.sketch.terms.divide(term, divisor)
            }
            6 => match self.map {
                Some(map) => {
                    let map = self.sketch.terms.variable(map);
                    self.sketch.terms.select(map, value)
                }
                None => self.sketch.terms.modulo(value, divisor),
            },
            _ => {
                let (condition, other) = (self.condition(depth - 1), self.integer(depth - 1));
                self.sketch.terms.ite(condition, value, other)
            }
        }
    }

    fn condition(&mut self, depth: usize) -> Term {
        if depth > 0 && self.rng.one_in(4) {
            let parts = [self.condition(depth - 1), self.condition(depth - 1)];
            let terms = &mut self.sketch.terms;
            return if self.rng.one_in(2) { terms.and(parts) } else { terms.or(parts) };
        }
        match self.rng.below(8) {
            0 => match self.bools.clone()[..] {
                [] => self.comparison(depth),
                ref bools => {
                    let variable = self.rng.pick(bools);
                    self.sketch.terms.variable(variable)
                }
            },
            1 => {
                let (value, divisor) = (self.integer(depth), self.number(2, 3));
                let rest = self.number(0, 2);
                let modulo = self.sketch.terms.modulo(value, divisor);
                self.sketch.terms.equal(modulo, rest)
            }
            2 => match (self.real, self.word) {
                (Some(real), _) if self.rng.one_in(2) => {
                    let value = self.sketch.terms.variable(real);
                    let limit = self.rng.below(4);
                    let limit = self.sketch.terms.real(RBig::from(limit));
                    self.sketch.terms.less(value, limit)
                }
                (_, Some(word)) => {
                    let value = self.sketch.terms.variable(word);
                    let limit = self.rng.bitvec(WIDTH);
                    let limit = self.sketch.terms.word(limit);
                    let op = self.rng.pick(&[BinaryOp::Ult, BinaryOp::Slt, BinaryOp::Eq]);
                    self.sketch.terms.word_binary(op, value, limit)
                }
                (_, None) => self.comparison(depth),
            },
            _ => self.comparison(depth),
        }
    }

    fn comparison(&mut self, depth: usize) -> Term {
        let left = self.integer(depth);
        let right = if self.rng.one_in(2) { self.number(-3, 5) } else { self.integer(depth) };
        let terms = &mut self.sketch.terms;
        match self.rng.below(4) {
            0 => terms.equal(left, right),
            1 => {
                let equal = terms.equal(left, right);
                terms.not(equal)
            }
            2 => terms.at_most(left, right),
            _ => terms.less(left, right),
        }
    }
}
