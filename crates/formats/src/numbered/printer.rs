//! Printing the nodes of a pool as numbered lines.

use std::borrow::Cow;

use elinvar_ir::{BinaryOp, BitVec, Expr, ExprId, Pool, Sort, UnaryOp};
use rustc_hash::FxHashMap;

use super::keyword::Syntax;

/// A line to refer to, possibly negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ref {
    pub id: u64,
    pub negated: bool,
}

/// A file being written: which nodes and sorts have got a line.
pub(crate) struct Printer<'a> {
    pool: &'a Pool,
    syntax: Syntax,
    out: Vec<u8>,
    /// By node; zero for those without a line.
    lines: Vec<u64>,
    /// The lines of sorts, in BTOR2.
    sorts: FxHashMap<Sort, u64>,
    last: u64,
}

impl<'a> Printer<'a> {
    pub fn new(pool: &'a Pool, syntax: Syntax) -> Self {
        Printer {
            pool,
            syntax,
            out: Vec::new(),
            lines: vec![0; pool.len()],
            sorts: FxHashMap::default(),
            last: 0,
        }
    }

    pub fn finish(self) -> Vec<u8> {
        self.out
    }

    // ---- parts of a line ---------------------------------------------------

    /// Starts a line without a sort: number and keyword.
    pub fn begin(&mut self, keyword: &str) -> u64 {
        self.last += 1;
        push_number(&mut self.out, self.last);
        self.out.push(b' ');
        self.out.extend_from_slice(keyword.as_bytes());
        self.last
    }

    /// Starts a line with a sort, after the line that defines the sort.
    pub fn begin_sorted(&mut self, keyword: &str, sort: Sort) -> u64 {
        match self.syntax {
            Syntax::Btor => {
                let line = self.begin(keyword);
                match sort {
                    Sort::Bv(width) => self.number(width.into()),
                    Sort::Array { index, element } => {
                        self.number(element.into());
                        self.number(index.into());
                    }
                }
                line
            }
            Syntax::Btor2 => {
                let defined = self.sort(sort);
                let line = self.begin(keyword);
                self.number(defined);
                line
            }
        }
    }

    pub fn number(&mut self, value: u64) {
        self.out.push(b' ');
        push_number(&mut self.out, value);
    }

    pub fn reference(&mut self, Ref { id, negated }: Ref) {
        self.out.extend_from_slice(if negated { b" -" } else { b" " });
        push_number(&mut self.out, id);
    }

    /// A reference to an expression that has a line.
    pub fn operand(&mut self, expr: ExprId) {
        self.reference(self.line_of(expr));
    }

    /// Ends the line, with a name or without.
    pub fn end(&mut self, name: Option<&str>) {
        self.end_with_comment(name, "");
    }

    /// Ends the line, with a name and a comment, if there are any.
    pub fn end_with_comment(&mut self, name: Option<&str>, comment: &str) {
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            self.out.push(b' ');
            self.out.extend_from_slice(printable(name).as_bytes());
        }
        if !comment.is_empty() {
            self.out.extend_from_slice(b" ; ");
            self.out.extend_from_slice(comment.as_bytes());
        }
        self.out.push(b'\n');
    }

    fn sort(&mut self, sort: Sort) -> u64 {
        if let Some(&line) = self.sorts.get(&sort) {
            return line;
        }
        let line = match sort {
            Sort::Bv(width) => {
                let line = self.begin("sort bitvec");
                self.number(width.into());
                line
            }
            Sort::Array { index, element } => {
                let (index, element) = (self.sort(Sort::Bv(index)), self.sort(Sort::Bv(element)));
                let line = self.begin("sort array");
                self.number(index);
                self.number(element);
                line
            }
        };
        self.end(None);
        self.sorts.insert(sort, line);
        line
    }

    // ---- lines of nodes --------------------------------------------------------

    /// Notes that `line` defines the node.
    pub fn define(&mut self, node: ExprId, line: u64) {
        self.lines[node.node()] = line;
    }

    /// The line of an expression that has one.
    pub fn line_of(&self, expr: ExprId) -> Ref {
        let id = self.lines[expr.node()];
        assert!(id != 0, "operands are printed before the expressions that use them");
        Ref { id, negated: expr.is_complement() }
    }

    /// A line that is the expression without negation; some tools cannot take
    /// the negation everywhere.
    pub fn positive(&mut self, expr: ExprId) -> Ref {
        let reference = self.line_of(expr);
        if !reference.negated {
            return reference;
        }
        let id = self.begin_sorted("not", self.pool.sort(expr));
        self.operand(expr.regular());
        self.end(None);
        Ref { id, negated: false }
    }

    /// A line with a constant that need not be in the pool.
    pub fn constant(&mut self, value: &BitVec, name: Option<&str>) -> u64 {
        let sort = Sort::Bv(value.width());
        let plain = match value {
            value if value.is_zero() => Some("zero"),
            value if value.is_one() => Some("one"),
            value if value.is_ones() => Some("ones"),
            _ => None,
        };
        let line = match plain {
            Some(keyword) => self.begin_sorted(keyword, sort),
            None if value.width() <= 64 => {
                let line = self.begin_sorted("constd", sort);
                self.number(value.to_u64().expect("at most 64 bits"));
                line
            }
            None => {
                let line = self.begin_sorted("consth", sort);
                self.out.extend_from_slice(format!(" {:x}", value.to_big()).as_bytes());
                line
            }
        };
        self.end(name);
        line
    }

    /// A write of `element` into `array` at a constant index.
    pub fn write(&mut self, sort: Sort, array: Ref, index: Ref, element: Ref) -> Ref {
        let id = self.begin_sorted("write", sort);
        self.reference(array);
        self.reference(index);
        self.reference(element);
        self.end(None);
        Ref { id, negated: false }
    }

    /// The line of a node whose operands have lines. Symbols and constant
    /// arrays are left to the writers: the formats have no operator for them.
    pub fn node(&mut self, node: ExprId, name: Option<&str>) {
        let sort = self.pool.sort(node);
        let expr = self.pool.get(node);
        let line = match expr {
            Expr::Const(value) => {
                let line = self.constant(&value, name);
                return self.define(node, line);
            }
            Expr::Symbol(_) | Expr::ConstArray(_) => unreachable!("printed by the writers"),
            Expr::Binary(op, a, b) if self.syntax == Syntax::Btor && is_shift(op) => {
                let amount = self.shift_amount(b);
                let line = self.begin_sorted(binary_keyword(op), sort);
                self.operand(a);
                self.reference(amount);
                line
            }
            _ => {
                let line = self.begin_sorted(self.keyword(&expr, sort), sort);
                expr.for_each_operand(|operand| self.operand(operand));
                match expr {
                    Expr::Slice { hi, lo, .. } => {
                        self.number(hi.into());
                        self.number(lo.into());
                    }
                    Expr::Uext { by, .. } | Expr::Sext { by, .. } => self.number(by.into()),
                    _ => {}
                }
                line
            }
        };
        self.end(name);
        self.define(node, line);
    }

    fn keyword(&self, expr: &Expr, sort: Sort) -> &'static str {
        match expr {
            Expr::Unary(UnaryOp::Not, _) => "not",
            Expr::Unary(UnaryOp::Neg, _) => "neg",
            Expr::Unary(UnaryOp::RedAnd, _) => "redand",
            Expr::Unary(UnaryOp::RedXor, _) => "redxor",
            Expr::Binary(op, _, _) => binary_keyword(*op),
            Expr::Slice { .. } => "slice",
            Expr::Uext { .. } => "uext",
            Expr::Sext { .. } => "sext",
            Expr::Ite(..) => match self.syntax {
                Syntax::Btor2 => "ite",
                Syntax::Btor if sort.is_array() => "acond",
                Syntax::Btor => "cond",
            },
            Expr::Read(..) => "read",
            Expr::Write(..) => "write",
            Expr::ArrayEq(..) => "eq",
            Expr::Const(_) | Expr::Symbol(_) | Expr::ConstArray(_) => {
                unreachable!("not an operator")
            }
        }
    }

    /// In BTOR the amount of a shift of 2^k bits has k bits.
    fn shift_amount(&mut self, amount: ExprId) -> Ref {
        let bits = self.pool.width(amount).ilog2();
        match self.pool.get(amount) {
            Expr::Const(value) => {
                Ref { id: self.constant(&value.slice(bits - 1, 0), None), negated: false }
            }
            Expr::Uext { arg, .. } if self.pool.width(arg) == bits => self.line_of(arg),
            Expr::Uext { arg, .. } => {
                let id = self.begin_sorted("uext", Sort::Bv(bits));
                self.operand(arg);
                self.number((bits - self.pool.width(arg)).into());
                self.end(None);
                Ref { id, negated: false }
            }
            _ => unreachable!("shift amounts are narrowed before they are printed"),
        }
    }
}

pub(crate) fn is_shift(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Shl | Lshr | Ashr | Rol | Ror)
}

fn binary_keyword(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "and",
        BinaryOp::Xor => "xor",
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::Udiv => "udiv",
        BinaryOp::Urem => "urem",
        BinaryOp::Sdiv => "sdiv",
        BinaryOp::Srem => "srem",
        BinaryOp::Smod => "smod",
        BinaryOp::Eq => "eq",
        BinaryOp::Ult => "ult",
        BinaryOp::Slt => "slt",
        BinaryOp::Shl => "sll",
        BinaryOp::Lshr => "srl",
        BinaryOp::Ashr => "sra",
        BinaryOp::Rol => "rol",
        BinaryOp::Ror => "ror",
        BinaryOp::Concat => "concat",
        BinaryOp::Uaddo => "uaddo",
        BinaryOp::Saddo => "saddo",
        BinaryOp::Ssubo => "ssubo",
        BinaryOp::Umulo => "umulo",
        BinaryOp::Smulo => "smulo",
        BinaryOp::Sdivo => "sdivo",
    }
}

/// Appends the decimal digits.
pub(crate) fn push_number(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// The name as one word that starts no comment.
pub(crate) fn printable(name: &str) -> Cow<'_, str> {
    let breaks = |c: char| c.is_ascii_whitespace();
    if !name.contains(breaks) && !name.starts_with(';') {
        return Cow::Borrowed(name);
    }
    let mut word = name.replace(breaks, "_");
    if word.starts_with(';') {
        word.replace_range(..1, "_");
    }
    Cow::Owned(word)
}

/// The nodes of the cones of `roots` that `seen` does not hold yet, operands
/// first; `seen`, by node, holds them afterwards.
pub(crate) fn fresh_cone(
    pool: &Pool,
    roots: impl IntoIterator<Item = ExprId>,
    seen: &mut [bool],
) -> Vec<ExprId> {
    let mut stack: Vec<ExprId> = roots.into_iter().map(ExprId::regular).collect();
    let mut nodes = Vec::new();
    while let Some(id) = stack.pop() {
        if !std::mem::replace(&mut seen[id.node()], true) {
            nodes.push(id);
            pool.for_each_operand(id, |operand| stack.push(operand.regular()));
        }
    }
    nodes.sort_unstable();
    nodes
}
