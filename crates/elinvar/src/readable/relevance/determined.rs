//! Which bits of a value are the same whatever the open bits of a trace are.
//!
//! This is simulation with three values, where the third one stands for *any value*. A word has
//! its value and a mask of the bits that are determined; an array has a mask for each element.
//! A bit that is not determined may still be constant, but a bit that is determined is.

use elinvar_ir::{ArrayValue, BinaryOp, BitVec, Expr, ExprId, Pool, Sort, UnaryOp, Value, cone};

/// The bits of a value that are determined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Known {
    /// All of them.
    All,
    /// Those that are set in the mask, which has the sort of the value.
    Mask(Value),
}

impl Known {
    /// The bits that are set in a mask.
    pub fn of(mask: Value) -> Self {
        let is_all = match &mask {
            Value::Bv(bits) => bits.is_ones(),
            Value::Array(array) => {
                array.default_element().is_ones() && array.entries().next().is_none()
            }
        };
        if is_all { Known::All } else { Known::Mask(mask) }
    }

    /// No bit of a value of this sort.
    pub fn none(sort: Sort) -> Self {
        Known::Mask(elinvar_ir::zero_of(sort))
    }

    /// Is every bit determined?
    pub fn is_all(&self) -> bool {
        match self {
            Known::All => true,
            Known::Mask(_) => false,
        }
    }

    /// Is at least one bit determined?
    pub fn is_any(&self) -> bool {
        match self {
            Known::All => true,
            Known::Mask(Value::Bv(bits)) => !bits.is_zero(),
            Known::Mask(Value::Array(array)) => {
                !array.default_element().is_zero() || array.entries().next().is_some()
            }
        }
    }

    /// The mask of a word of this width.
    pub fn word(&self, width: u32) -> BitVec {
        match self {
            Known::All => BitVec::ones(width),
            Known::Mask(mask) => mask.bv().clone(),
        }
    }

    /// The determined bits of the element at an address.
    pub fn element(&self, index: &BitVec) -> Self {
        match self {
            Known::All => Known::All,
            Known::Mask(mask) => Known::of(mask.array().read(index).clone().into()),
        }
    }
}

/// Computes which bits of expressions are determined, cycle by cycle.
pub struct Determined<'a> {
    pool: &'a Pool,
    nodes: Vec<ExprId>,
    known: Vec<Known>,
}

impl<'a> Determined<'a> {
    /// Prepares to follow the expressions that `roots` depend on.
    pub fn new(pool: &'a Pool, roots: impl IntoIterator<Item = ExprId>) -> Self {
        Determined { pool, nodes: cone(pool, roots), known: vec![Known::All; pool.len()] }
    }

    /// Computes one cycle, in which expressions have these values and so much of the symbols is
    /// determined.
    pub fn run(
        &mut self,
        value: impl Fn(ExprId) -> Value,
        mut symbol: impl FnMut(ExprId) -> Known,
    ) {
        for &node in &self.nodes {
            let expr = self.pool.get(node);
            let known = match expr {
                Expr::Symbol(_) => symbol(node),
                _ => {
                    let mut open = false;
                    expr.for_each_operand(|operand| open |= !self.known(operand).is_all());
                    match open {
                        false => Known::All,
                        true => self.rule(node, &expr, &value),
                    }
                }
            };
            self.known[node.node()] = known;
        }
    }

    /// The determined bits of an expression in the current cycle.
    pub fn known(&self, expr: ExprId) -> &Known {
        &self.known[expr.node()]
    }

    /// The rule for an expression with an operand that is not fully determined.
    fn rule(&self, node: ExprId, expr: &Expr, value: &impl Fn(ExprId) -> Value) -> Known {
        let sort = self.pool.sort(node);
        let width = |expr: ExprId| self.pool.width(expr);
        let mask = |expr: ExprId| self.known(expr).word(width(expr));
        let word = |expr: ExprId| value(expr).bv().clone();
        let bits = match *expr {
            Expr::Const(_) | Expr::Symbol(_) => unreachable!("it has no operands"),
            Expr::Unary(operator, a) => unary(operator, &word(a), &mask(a)),
            Expr::Binary(operator, a, b) => {
                let (a, b) = ((word(a), mask(a)), (word(b), mask(b)));
                binary(operator, (&a.0, &a.1), (&b.0, &b.1))
            }
            Expr::Slice { arg, hi, lo } => mask(arg).slice(hi, lo),
            Expr::Uext { arg, by } => mask(arg).not().uext(by).not(),
            Expr::Sext { arg, by } => mask(arg).sext(by),
            Expr::Ite(condition, then, otherwise) => {
                return self.choice(sort, condition, then, otherwise, value);
            }
            Expr::Read(array, index) if self.known(index).is_all() => {
                return self.known(array).element(&word(index));
            }
            Expr::Write(array, index, element) if self.known(index).is_all() => {
                let mut masks = self.masks(array, sort);
                masks.write(word(index), mask(element));
                return Known::of(masks.into());
            }
            Expr::ConstArray(element) => {
                let Sort::Array { index, .. } = sort else { unreachable!("it is an array") };
                return Known::of(ArrayValue::constant(index, mask(element)).into());
            }
            Expr::Read(..) | Expr::Write(..) | Expr::ArrayEq(..) => return Known::none(sort),
        };
        Known::of(bits.into())
    }

    fn choice(
        &self,
        sort: Sort,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        value: &impl Fn(ExprId) -> Value,
    ) -> Known {
        if self.known(condition).is_all() {
            let chosen = if value(condition).bv().is_true() { then } else { otherwise };
            return self.known(chosen).clone();
        }
        match sort {
            // Both choices agree on a bit.
            Sort::Bv(width) => {
                let [one, other] = [then, otherwise].map(|expr| self.known(expr).word(width));
                let differ = value(then).bv().xor(value(otherwise).bv());
                Known::of(one.and(&other).and(&differ.not()).into())
            }
            Sort::Array { .. } => Known::none(sort),
        }
    }

    fn masks(&self, array: ExprId, sort: Sort) -> ArrayValue {
        let Sort::Array { index, element } = sort else { unreachable!("it is an array") };
        match self.known(array) {
            Known::All => ArrayValue::constant(index, BitVec::ones(element)),
            Known::Mask(mask) => mask.array().clone(),
        }
    }
}

fn unary(operator: UnaryOp, value: &BitVec, mask: &BitVec) -> BitVec {
    match operator {
        UnaryOp::Not => mask.clone(),
        UnaryOp::Neg => low(mask.width(), known_low_bits(mask)),
        UnaryOp::RedAnd => BitVec::bool(mask.is_ones() || !mask.and(&value.not()).is_zero()),
        UnaryOp::RedXor => BitVec::bool(mask.is_ones()),
    }
}

/// A word with the mask of its determined bits.
type Word<'a> = (&'a BitVec, &'a BitVec);

fn binary(operator: BinaryOp, (a, of_a): Word<'_>, (b, of_b): Word<'_>) -> BitVec {
    let width = a.width();
    let both = of_a.is_ones() && of_b.is_ones();
    match operator {
        BinaryOp::And => {
            let zero = of_a.and(&a.not()).or(&of_b.and(&b.not()));
            of_a.and(of_b).or(&zero)
        }
        BinaryOp::Xor => of_a.and(of_b),
        BinaryOp::Add | BinaryOp::Sub => low(width, known_low_bits(of_a).min(known_low_bits(of_b))),
        BinaryOp::Mul => {
            // The product ends with at least as many zeros as a factor.
            let zeros = |value: &BitVec, mask: &BitVec| known_low_bits(&mask.and(&value.not()));
            let zeros = zeros(a, of_a).max(zeros(b, of_b));
            low(width, known_low_bits(of_a).min(known_low_bits(of_b)).max(zeros))
        }
        BinaryOp::Eq => {
            let differ = a.xor(b).and(of_a).and(of_b);
            BitVec::bool(both || !differ.is_zero())
        }
        BinaryOp::Ult | BinaryOp::Slt => {
            // The highest bits that are not equal decide.
            let decided = (0..width)
                .rev()
                .map(|bit| (of_a.bit(bit) && of_b.bit(bit)).then(|| a.bit(bit) != b.bit(bit)));
            BitVec::bool(
                both || decided.into_iter().find(|d| *d != Some(false)) == Some(Some(true)),
            )
        }
        BinaryOp::Shl if of_b.is_ones() => of_a.not().shl(b).not(),
        BinaryOp::Lshr if of_b.is_ones() => of_a.not().lshr(b).not(),
        BinaryOp::Ashr if of_b.is_ones() => of_a.ashr(b),
        BinaryOp::Rol if of_b.is_ones() => of_a.rol(b),
        BinaryOp::Ror if of_b.is_ones() => of_a.ror(b),
        BinaryOp::Concat => of_a.concat(of_b),
        BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr | BinaryOp::Rol | BinaryOp::Ror => {
            BitVec::zero(width)
        }
        BinaryOp::Udiv | BinaryOp::Urem | BinaryOp::Sdiv | BinaryOp::Srem | BinaryOp::Smod => {
            low(width, if both { width } else { 0 })
        }
        BinaryOp::Uaddo
        | BinaryOp::Saddo
        | BinaryOp::Ssubo
        | BinaryOp::Umulo
        | BinaryOp::Smulo
        | BinaryOp::Sdivo => BitVec::bool(both),
    }
}

/// How many bits, from the lowest, are set in a mask.
pub(super) fn known_low_bits(mask: &BitVec) -> u32 {
    mask.iter_bits().take_while(|&bit| bit).count() as u32
}

/// The mask of the lowest bits.
pub(super) fn low(width: u32, bits: u32) -> BitVec {
    match bits {
        0 => BitVec::zero(width),
        _ => BitVec::ones(bits).uext(width - bits),
    }
}
