//! Terms as Boogie text, to be read and to be pasted.
//!
//! Terms are in a normal form that no person would write: comparisons are turned back so
//! that nothing is subtracted (`x + -1*y <= 3` is `x <= y + 3`), and parentheses stand
//! only where Boogie needs them. Words have no operators in Boogie: they are written by
//! the names that SMT-LIB has for them, `bvadd(x, y)`. Maps of maps are written as maps
//! with several indices, which they mostly were.

use dashu_int::IBig;
use dashu_ratio::RBig;
use elinvar_ir::program::{Linear, Node, Op, Sort, Term, Terms, WordBinary, WordUnary};
use elinvar_ir::{BinaryOp, UnaryOp};
use rustc_hash::FxHashMap;

use super::Dialect;

/// More parts than a reader would read, or a file should have.
const MAX_PARTS: u64 = 1_000_000;

/// How tight an expression holds together: that of its outermost operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    Choice,
    Iff,
    Or,
    And,
    Comparison,
    Concat,
    Sum,
    Product,
    Prefix,
    Atom,
}

/// What is written: a piece of text, or a term that holds together at least that tight.
#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Part(Term, Level),
}

#[derive(Clone, Debug)]
struct Text {
    pieces: Vec<Piece>,
    level: Level,
}

impl Text {
    fn new(text: impl Into<String>, level: Level) -> Self {
        Text { pieces: vec![Piece::Text(text.into())], level }
    }

    fn empty(level: Level) -> Self {
        Text { pieces: Vec::new(), level }
    }

    fn with(mut self, text: impl Into<String>) -> Self {
        self.pieces.push(Piece::Text(text.into()));
        self
    }

    fn part(mut self, term: Term, level: Level) -> Self {
        self.pieces.push(Piece::Part(term, level));
        self
    }

    fn parts(mut self, terms: &[Term], level: Level, separator: &str) -> Self {
        for (at, &term) in terms.iter().enumerate() {
            if at > 0 {
                self = self.with(separator);
            }
            self = self.part(term, level);
        }
        self
    }

    /// Another text, in parentheses unless it holds together at least that tight.
    fn text(mut self, other: Text, level: Level) -> Self {
        let in_parentheses = other.level < level;
        if in_parentheses {
            self = self.with("(");
        }
        self.pieces.extend(other.pieces);
        if in_parentheses { self.with(")") } else { self }
    }
}

/// The term as an expression of the program's language.
pub fn expression(terms: &Terms, term: Term, dialect: Dialect) -> String {
    let mut sizes: FxHashMap<Term, u64> = FxHashMap::default();
    for part in terms.subterms([term]) {
        let inside = terms.children(part).iter().map(|child| sizes[child]);
        sizes.insert(part, inside.fold(1, u64::saturating_add));
    }
    if sizes[&term] > MAX_PARTS {
        return format!("/* an expression of {} parts */ true", sizes[&term]);
    }
    let printer = Printer { terms, dialect };
    let mut written = String::new();
    let mut pieces = vec![Piece::Part(term, Level::Choice)];
    while let Some(piece) = pieces.pop() {
        match piece {
            Piece::Text(text) => written += &text,
            Piece::Part(term, level) => {
                let text = Text::empty(Level::Atom).text(printer.print(term), level);
                pieces.extend(text.pieces.into_iter().rev());
            }
        }
    }
    written
}

struct Printer<'a> {
    terms: &'a Terms,
    dialect: Dialect,
}

impl Printer<'_> {
    fn print(&self, term: Term) -> Text {
        match self.terms.node(term) {
            Node::Bool(value) => Text::new(value.to_string(), Level::Atom),
            Node::Int(value) => number(&RBig::from(value.clone()), &Sort::Int),
            Node::Real(value) => number(value, &Sort::Real),
            Node::Word(value) => {
                Text::new(format!("{}bv{}", value.to_decimal(), value.width()), Level::Atom)
            }
            Node::Variable(variable) => Text::new(self.terms.name(*variable), Level::Atom),
            Node::Apply(op, children) => self.apply(term, *op, children),
        }
    }

    fn apply(&self, term: Term, op: Op, children: &[Term]) -> Text {
        let infix = |symbol: &str, level: Level| {
            let symbol = format!(" {symbol} ");
            let first = Text::empty(level).part(children[0], level).with(symbol.clone());
            first.parts(&children[1..], tighter(level), &symbol)
        };
        match op {
            Op::Not => self.not(children[0]),
            // Boogie wants parentheses where `&&` meets `||`.
            Op::And => Text::empty(Level::And).parts(children, Level::Comparison, " && "),
            Op::Or => Text::empty(Level::Or).parts(children, Level::Comparison, " || "),
            Op::Equal => self.equal(children[0], children[1], "=="),
            Op::Ite => Text::new("if ", Level::Choice)
                .part(children[0], Level::Iff)
                .with(" then ")
                .part(children[1], Level::Iff)
                .with(" else ")
                .part(children[2], Level::Choice),
            Op::Add => self.sum(&self.terms.linear(term), self.terms.sort(term)),
            Op::Multiply if self.terms.as_number(children[0]).is_some() => {
                self.sum(&self.terms.linear(term), self.terms.sort(term))
            }
            Op::Multiply => infix("*", Level::Product),
            Op::Divide => infix(self.division().0, Level::Product),
            Op::Modulo => infix(self.division().1, Level::Product),
            Op::Quotient => infix("/", Level::Product),
            Op::AtMost => self.compared(children[0], children[1], "<=", ">="),
            Op::Less => self.compared(children[0], children[1], "<", ">"),
            Op::ToReal => call("real", children),
            Op::ToInt => call("int", children),
            Op::Select => self.select(children[0], children[1]),
            Op::Store => self.store(children[0], children[1], children[2]),
            Op::Unary(op) => self.word_unary(op.0, children),
            Op::Binary(op) if op.0 == BinaryOp::Concat => infix("++", Level::Concat),
            Op::Binary(op) => call(word_name(op.0), children),
            Op::Extract { high, low } => Text::empty(Level::Atom)
                .part(children[0], Level::Atom)
                .with(format!("[{}:{low}]", high + 1)),
            Op::Extend { by, signed: false } => {
                Text::new(format!("0bv{by} ++ "), Level::Concat).part(children[0], Level::Sum)
            }
            Op::Extend { by, signed: true } => call(&format!("sign_extend_{by}"), children),
            Op::Function(function) => call(&self.terms.function(function).name, children),
        }
    }

    fn division(&self) -> (&'static str, &'static str) {
        match self.dialect {
            Dialect::Boogie => ("div", "mod"),
            Dialect::Ultimate => ("/", "%"),
        }
    }

    fn not(&self, inner: Term) -> Text {
        if let Some(&[left, right]) = self.terms.as_op(inner, Op::Equal)
            && *self.terms.sort(left) != Sort::Bool
        {
            return self.equal(left, right, "!=");
        }
        if let Node::Apply(Op::Binary(op), operands) = self.terms.node(inner)
            && let Some(name) = negated_name(op.0)
        {
            return call(name, operands);
        }
        Text::new("!", Level::Prefix).part(inner, Level::Prefix)
    }

    fn equal(&self, left: Term, right: Term, symbol: &str) -> Text {
        match self.terms.sort(left) {
            Sort::Bool => Text::empty(Level::Iff).parts(&[left, right], Level::Or, " <==> "),
            Sort::Int | Sort::Real => self.compared(left, right, symbol, symbol),
            Sort::Word(_) | Sort::Named(_) | Sort::Map(_) => {
                // Constants to the right.
                let is_number = matches!(self.terms.node(left), Node::Word(_));
                let sides = if is_number { [right, left] } else { [left, right] };
                let symbol = format!(" {symbol} ");
                Text::empty(Level::Comparison).parts(&sides, tighter(Level::Comparison), &symbol)
            }
        }
    }

    /// `sum symbol bound`, with nothing subtracted on either side.
    fn compared(&self, sum: Term, bound: Term, symbol: &str, turned: &str) -> Text {
        let sort = self.terms.sort(sum);
        let mut left = self.terms.linear(sum);
        let constant = self.terms.linear(bound).constant - &left.constant;
        left.constant = RBig::ZERO;
        let mut right = Linear::default();
        (right.terms, left.terms) =
            left.terms.drain(..).partition(|(_, factor)| *factor < RBig::ZERO);
        right.scale(&RBig::from(-1));
        let mut symbol = symbol;
        if left.terms.is_empty() {
            // -x <= k is x >= -k.
            (left, symbol) = (right, turned);
            right = Linear { terms: Vec::new(), constant: -constant };
        } else if right.terms.is_empty() || constant >= RBig::ZERO {
            right.constant = constant;
        } else if symbol == "<=" && *sort == Sort::Int && constant == RBig::from(-1) {
            symbol = "<";
        } else {
            left.constant = -constant;
        }
        let level = tighter(Level::Comparison);
        Text::empty(Level::Comparison)
            .text(self.sum(&left, sort), level)
            .with(format!(" {symbol} "))
            .text(self.sum(&right, sort), level)
    }

    /// What is added first, then what is subtracted.
    fn sum(&self, sum: &Linear, sort: &Sort) -> Text {
        let is_negative = |number: &RBig| *number < RBig::ZERO;
        let mut parts: Vec<(bool, Text)> = sum
            .terms
            .iter()
            .map(|(term, factor)| (is_negative(factor), self.product(factor, *term, sort)))
            .collect();
        if !sum.constant.is_zero() || parts.is_empty() {
            parts.push((is_negative(&sum.constant), number(&absolute(&sum.constant), sort)));
        }
        // A stable sort: otherwise the order stays.
        parts.sort_by_key(|(negative, _)| *negative);
        let mut parts = parts.into_iter();
        let (negative, first) = parts.next().expect("there is a part");
        let mut all = if negative { negated(first) } else { first };
        if parts.len() > 0 {
            all = Text::empty(Level::Sum).text(all, Level::Sum);
        }
        for (negative, part) in parts {
            all = all.with(if negative { " - " } else { " + " }).text(part, Level::Product);
        }
        all
    }

    /// The size of the factor times the term.
    fn product(&self, factor: &RBig, term: Term, sort: &Sort) -> Text {
        let factor = absolute(factor);
        if factor == RBig::ONE {
            return self.print(term);
        }
        // Products are read from the left: a division must not get the factor.
        let is_product = matches!(self.terms.node(term), Node::Apply(Op::Multiply, _));
        let level = if is_product { Level::Product } else { Level::Prefix };
        Text::empty(Level::Product)
            .text(number(&factor, sort), Level::Product)
            .with(" * ")
            .part(term, level)
    }

    fn select(&self, map: Term, index: Term) -> Text {
        let (mut map, mut indices) = (map, vec![index]);
        while let Some(&[outer, index]) = self.terms.as_op(map, Op::Select) {
            indices.push(index);
            map = outer;
        }
        indices.reverse();
        let map = Text::empty(Level::Atom).part(map, Level::Atom).with("[");
        map.parts(&indices, Level::Choice, ", ").with("]")
    }

    /// A map within a map is written to by writing to both.
    fn store(&self, map: Term, index: Term, element: Term) -> Text {
        let mut indices = vec![index];
        let (mut inner, mut element) = (map, element);
        while let Some(&[below, index, deeper]) = self.terms.as_op(element, Op::Store) {
            if self.terms.as_op(below, Op::Select) != Some(&[inner, indices[indices.len() - 1]]) {
                break;
            }
            indices.push(index);
            (inner, element) = (below, deeper);
        }
        let map = Text::empty(Level::Atom).part(map, Level::Atom).with("[");
        let indices = map.parts(&indices, Level::Choice, ", ").with(" := ");
        indices.part(element, Level::Choice).with("]")
    }

    fn word_unary(&self, op: UnaryOp, operand: &[Term]) -> Text {
        let name = match op {
            UnaryOp::Not => {
                return self.either(operand[0]).unwrap_or_else(|| call("bvnot", operand));
            }
            UnaryOp::Neg => "bvneg",
            UnaryOp::RedAnd => "bvredand",
            UnaryOp::RedXor => "bvredxor",
        };
        call(name, operand)
    }

    /// Or is the complement of an and of complements.
    fn either(&self, neither: Term) -> Option<Text> {
        let not = Op::Unary(WordUnary(UnaryOp::Not));
        let &[left, right] = self.terms.as_op(neither, Op::Binary(WordBinary(BinaryOp::And)))?
        else {
            return None;
        };
        let operands = [self.terms.as_op(left, not)?[0], self.terms.as_op(right, not)?[0]];
        Some(call("bvor", &operands))
    }
}

/// With a minus in front. A factor takes it, since `-2 * x` is read as `(-2) * x`.
fn negated(text: Text) -> Text {
    let has_factor = text.level == Level::Product
        && matches!(&text.pieces[..], [Piece::Text(first), ..] if first.starts_with(|c: char| c.is_ascii_digit()));
    let level = if has_factor { Level::Product } else { Level::Prefix };
    Text::new("-", level).text(text, level)
}

fn call(name: &str, arguments: &[Term]) -> Text {
    Text::new(format!("{name}("), Level::Atom).parts(arguments, Level::Choice, ", ").with(")")
}

fn tighter(level: Level) -> Level {
    match level {
        Level::Choice => Level::Iff,
        Level::Iff => Level::Or,
        Level::Or => Level::And,
        Level::And => Level::Comparison,
        Level::Comparison => Level::Concat,
        Level::Concat => Level::Sum,
        Level::Sum => Level::Product,
        Level::Product => Level::Prefix,
        Level::Prefix | Level::Atom => Level::Atom,
    }
}

fn absolute(number: &RBig) -> RBig {
    if *number < RBig::ZERO { -number.clone() } else { number.clone() }
}

/// A literal; fractions of reals that have no short decimal are written as quotients.
fn number(value: &RBig, sort: &Sort) -> Text {
    let size = absolute(value);
    let (whole, level) =
        if *sort == Sort::Int { (size.numerator().to_string(), Level::Atom) } else { real(&size) };
    if *value >= RBig::ZERO {
        return Text::new(whole, level);
    }
    Text::new(format!("-{whole}"), if level == Level::Atom { Level::Prefix } else { level })
}

fn real(size: &RBig) -> (String, Level) {
    const DIGITS: usize = 6;
    let shifted = size * RBig::from(IBig::from(10).pow(DIGITS));
    if !shifted.is_int() {
        let text = format!("{}.0 / {}.0", size.numerator(), size.denominator());
        return (text, Level::Product);
    }
    let digits = format!("{:0>width$}", shifted.numerator().to_string(), width = DIGITS + 1);
    let (whole, fraction) = digits.split_at(digits.len() - DIGITS);
    let fraction = fraction.trim_end_matches('0');
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    (format!("{whole}.{fraction}"), Level::Atom)
}

/// As SMT-LIB calls it, where it does.
fn word_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "bvand",
        BinaryOp::Xor => "bvxor",
        BinaryOp::Add => "bvadd",
        BinaryOp::Sub => "bvsub",
        BinaryOp::Mul => "bvmul",
        BinaryOp::Udiv => "bvudiv",
        BinaryOp::Urem => "bvurem",
        BinaryOp::Sdiv => "bvsdiv",
        BinaryOp::Srem => "bvsrem",
        BinaryOp::Smod => "bvsmod",
        BinaryOp::Eq => "bvcomp",
        BinaryOp::Ult => "bvult",
        BinaryOp::Slt => "bvslt",
        BinaryOp::Shl => "bvshl",
        BinaryOp::Lshr => "bvlshr",
        BinaryOp::Ashr => "bvashr",
        BinaryOp::Rol => "bvrol",
        BinaryOp::Ror => "bvror",
        BinaryOp::Concat => "concat",
        BinaryOp::Uaddo => "bvuaddo",
        BinaryOp::Saddo => "bvsaddo",
        BinaryOp::Ssubo => "bvssubo",
        BinaryOp::Umulo => "bvumulo",
        BinaryOp::Smulo => "bvsmulo",
        BinaryOp::Sdivo => "bvsdivo",
    }
}

/// The comparison that holds when this one does not.
fn negated_name(op: BinaryOp) -> Option<&'static str> {
    match op {
        BinaryOp::Ult => Some("bvuge"),
        BinaryOp::Slt => Some("bvsge"),
        _ => None,
    }
}
