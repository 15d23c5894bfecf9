//! The hash-consed expression pool.
//!
//! Equal expressions have equal ids, and sorts are checked when an expression
//! is built. Negation is an attribute of the edge, as in an and-inverter graph:
//! an [`ExprId`] is a node and a complement bit, so that `¬¬a` is `a`, a model of
//! a million gates needs a million nodes, and AIGER is simply the case of width
//! one. Readers of the pool need not know: [`Pool::get`] shows a complemented
//! edge as [`UnaryOp::Not`].
//!
//! Nodes are numbered so that operands come before the expressions that use
//! them: a pass over the nodes in ascending order needs no recursion.
//!
//! A pool either rewrites expressions as they are built ([`Pool::new`]) or keeps
//! them as they are ([`Pool::verbatim`]). Engines work on the first kind; the
//! checker works on the second, so that it does not depend on any rewrite.
//!
//! A node takes sixteen bytes. Limits: 2^31 nodes, widths up to [`MAX_WIDTH`].

use std::fmt;

use dashu_int::UBig;
use rustc_hash::FxHashMap;

use crate::operator::{BinaryOp, UnaryOp};
use crate::value::BitVec;

/// The largest width of a bit-vector.
pub const MAX_WIDTH: u32 = 1 << 20;

/// The sort of an expression. `Bv(1)` is the Boolean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// A bit-vector of this width.
    Bv(u32),
    /// An array of bit-vectors.
    Array {
        /// The width of the addresses.
        index: u32,
        /// The width of the elements.
        element: u32,
    },
}

impl Sort {
    /// A single bit.
    pub const BOOL: Sort = Sort::Bv(1);

    /// The width of a bit-vector sort.
    pub fn width(self) -> Option<u32> {
        match self {
            Sort::Bv(width) => Some(width),
            Sort::Array { .. } => None,
        }
    }

    /// Whether values of this sort are arrays.
    pub fn is_array(self) -> bool {
        self.width().is_none()
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bv(1) => write!(f, "a bit"),
            Sort::Bv(width) => write!(f, "a bit-vector of width {width}"),
            Sort::Array { index, element } => {
                write!(f, "an array of {element}-bit elements with {index}-bit addresses")
            }
        }
    }
}

/// A node of the pool, possibly complemented.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(u32);

impl ExprId {
    fn new(node: usize, complement: bool) -> Self {
        ExprId((node as u32) << 1 | complement as u32)
    }

    /// The number of the node, the same for both polarities.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Is this the bitwise complement of its node?
    pub fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    /// The node without the complement.
    pub fn regular(self) -> Self {
        ExprId(self.0 & !1)
    }

    fn flip(self) -> Self {
        ExprId(self.0 ^ 1)
    }

    fn flip_if(self, condition: bool) -> Self {
        ExprId(self.0 ^ condition as u32)
    }
}

impl fmt::Debug for ExprId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}e{}", if self.is_complement() { "~" } else { "" }, self.node())
    }
}

/// A free variable of the pool: an input or a state of a system.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SymbolId(u32);

impl SymbolId {
    /// The number of the symbol in its pool.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An expression, one level deep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A constant.
    Const(BitVec),
    /// An input or a state.
    Symbol(SymbolId),
    /// An operator with one operand.
    Unary(UnaryOp, ExprId),
    /// An operator with two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// Bits `hi` down to `lo`, both included.
    Slice {
        /// The operand.
        arg: ExprId,
        /// The highest bit of the slice, included.
        hi: u32,
        /// The lowest bit of the slice.
        lo: u32,
    },
    /// Extension by `by` zeros.
    Uext {
        /// The operand.
        arg: ExprId,
        /// The number of added bits.
        by: u32,
    },
    /// Extension by `by` copies of the sign.
    Sext {
        /// The operand.
        arg: ExprId,
        /// The number of added bits.
        by: u32,
    },
    /// `condition ? then : otherwise`, on bit-vectors or on arrays.
    Ite(ExprId, ExprId, ExprId),
    /// The element of an array at an index.
    Read(ExprId, ExprId),
    /// The array with the element at the index replaced.
    Write(ExprId, ExprId, ExprId),
    /// The array that holds the element at every index.
    ConstArray(ExprId),
    /// Extensional equality of arrays.
    ArrayEq(ExprId, ExprId),
}

impl Expr {
    /// Operator and operands, if it is a binary operation.
    pub fn as_binary(&self) -> Option<(BinaryOp, ExprId, ExprId)> {
        if let Expr::Binary(op, a, b) = *self { Some((op, a, b)) } else { None }
    }

    /// Calls `visit` for each operand.
    pub fn for_each_operand(&self, mut visit: impl FnMut(ExprId)) {
        match *self {
            Expr::Const(_) | Expr::Symbol(_) => {}
            Expr::Unary(_, a)
            | Expr::Slice { arg: a, .. }
            | Expr::Uext { arg: a, .. }
            | Expr::Sext { arg: a, .. }
            | Expr::ConstArray(a) => visit(a),
            Expr::Binary(_, a, b) | Expr::Read(a, b) | Expr::ArrayEq(a, b) => {
                visit(a);
                visit(b);
            }
            Expr::Ite(a, b, c) | Expr::Write(a, b, c) => {
                visit(a);
                visit(b);
                visit(c);
            }
        }
    }
}

/// Why an expression cannot be built.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SortError {
    /// An operand has the wrong width.
    #[error("operand has width {found}, expected {expected}")]
    Width {
        /// The width of the operand.
        found: u32,
        /// The width that the operator needs.
        expected: u32,
    },
    /// An operand is an array where a bit-vector is needed.
    #[error("operand is {0}, expected a bit-vector")]
    NotABitVector(Sort),
    /// An operand is a bit-vector where an array is needed.
    #[error("operand is {0}, expected an array")]
    NotAnArray(Sort),
    /// Two operands have different sorts.
    #[error("operands differ in sort: {0} and {1}")]
    Mismatch(Sort, Sort),
    /// The bounds of a slice are out of range.
    #[error("slice {hi}:{lo} does not fit in width {width}")]
    Slice {
        /// The highest bit.
        hi: u32,
        /// The lowest bit.
        lo: u32,
        /// The width of the operand.
        width: u32,
    },
    /// A width is zero or larger than the limit.
    #[error("width {0} is not supported: it must be between 1 and {MAX_WIDTH}")]
    Unsupported(u64),
}

/// What a node is; the payload depends on it (see [`Node`]).
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    /// value = b | c << 32
    SmallConst,
    /// a = index into `big`
    BigConst,
    /// a = symbol
    Symbol,
    Neg,
    RedAnd,
    RedXor,
    Slice,
    Uext,
    Sext,
    Ite,
    Read,
    Write,
    ConstArray,
    ArrayEq,
    /// and all numbers above: the binary operators in the order of `BinaryOp`
    Binary,
}

/// `tag` is the kind in the high byte and the sort below: the width, or, with
/// bit 23 set, an index into `arrays`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Node {
    tag: u32,
    a: u32,
    b: u32,
    c: u32,
}

const ARRAY_SORT: u32 = 1 << 23;
const SORT_MASK: u32 = (1 << 24) - 1;
const BINARY: u8 = Kind::Binary as u8;

impl Node {
    fn hash(self) -> u64 {
        const K: u64 = 0x9e37_79b9_7f4a_7c15;
        let low = u64::from(self.a) << 32 | u64::from(self.b);
        let high = u64::from(self.tag) << 32 | u64::from(self.c);
        let mixed = (low.wrapping_mul(K)).rotate_left(29) ^ high;
        let mixed = mixed.wrapping_mul(K);
        mixed ^ mixed >> 32
    }

    fn kind(self) -> u8 {
        (self.tag >> 24) as u8
    }
}

#[derive(Clone, PartialEq, Debug)]
struct Symbol {
    node: u32,
    name: Option<Box<str>>,
}

/// The store of all expressions of a system.
#[derive(Clone)]
pub struct Pool {
    nodes: Vec<Node>,
    /// Open addressing (see [`Probe`]): node number plus one, or zero.
    table: Vec<u32>,
    arrays: Vec<(u32, u32)>,
    big: Vec<UBig>,
    big_index: FxHashMap<UBig, u32>,
    symbols: Vec<Symbol>,
    rewrites: bool,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

/// The same expressions, built in the same order.
impl PartialEq for Pool {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
            && self.arrays == other.arrays
            && self.big == other.big
            && self.symbols == other.symbols
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({} nodes)", self.nodes.len())
    }
}

impl Pool {
    /// An empty pool that rewrites expressions as they are built.
    pub fn new() -> Self {
        Self::with_rewrites(true)
    }

    /// An empty pool that checks sorts and shares equal expressions, but rewrites
    /// nothing. The only exceptions are double complements, complements of constants,
    /// and the order of the operands of commutative operators.
    pub fn verbatim() -> Self {
        Self::with_rewrites(false)
    }

    fn with_rewrites(rewrites: bool) -> Self {
        let mut pool = Pool {
            nodes: Vec::new(),
            table: vec![0; 64],
            arrays: Vec::new(),
            big: Vec::new(),
            big_index: FxHashMap::default(),
            symbols: Vec::new(),
            rewrites,
        };
        // Node 0 is false and node 1 is true.
        pool.constant(BitVec::bool(false));
        pool.constant(BitVec::bool(true));
        pool
    }

    /// Are expressions rewritten when they are built?
    pub fn rewrites(&self) -> bool {
        self.rewrites
    }

    /// Makes room for `additional` more nodes.
    pub fn reserve(&mut self, additional: usize) {
        self.nodes.reserve(additional);
        let wanted = ((self.nodes.len() + additional) * 2).next_power_of_two();
        if wanted > self.table.len() {
            self.rehash(wanted);
        }
    }

    /// The number of nodes; every [`ExprId::node`] is below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A pool always holds the two Boolean constants.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All nodes, operands before the expressions that use them.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ExprId> + ExactSizeIterator + use<> {
        (0..self.nodes.len()).map(|node| ExprId::new(node, false))
    }

    /// The node with this number, if there is one.
    pub fn nth(&self, node: usize) -> Option<ExprId> {
        (node < self.nodes.len()).then(|| ExprId::new(node, false))
    }

    // ---- reading ---------------------------------------------------------

    /// The sort of an expression.
    pub fn sort(&self, id: ExprId) -> Sort {
        let sort = self.nodes[id.node()].tag & SORT_MASK;
        if sort & ARRAY_SORT == 0 {
            Sort::Bv(sort)
        } else {
            let (index, element) = self.arrays[(sort & !ARRAY_SORT) as usize];
            Sort::Array { index, element }
        }
    }

    /// The width of a bit-vector expression.
    ///
    /// # Panics
    /// If the expression is an array.
    pub fn width(&self, id: ExprId) -> u32 {
        let sort = self.nodes[id.node()].tag & SORT_MASK;
        assert!(sort & ARRAY_SORT == 0, "the width of an array was asked for");
        sort
    }

    /// The expression, one level deep.
    pub fn get(&self, id: ExprId) -> Expr {
        if id.is_complement() {
            return Expr::Unary(UnaryOp::Not, id.flip());
        }
        let Node { tag, a, b, c } = self.nodes[id.node()];
        let kind = (tag >> 24) as u8;
        let arg = ExprId(a);
        if kind >= BINARY {
            return Expr::Binary(BinaryOp::ALL[(kind - BINARY) as usize], arg, ExprId(b));
        }
        const KINDS: [Kind; BINARY as usize] = [
            Kind::SmallConst,
            Kind::BigConst,
            Kind::Symbol,
            Kind::Neg,
            Kind::RedAnd,
            Kind::RedXor,
            Kind::Slice,
            Kind::Uext,
            Kind::Sext,
            Kind::Ite,
            Kind::Read,
            Kind::Write,
            Kind::ConstArray,
            Kind::ArrayEq,
        ];
        match KINDS[kind as usize] {
            Kind::SmallConst => {
                Expr::Const(BitVec::new(tag & SORT_MASK, u64::from(b) | u64::from(c) << 32))
            }
            Kind::BigConst => {
                Expr::Const(BitVec::from_big(tag & SORT_MASK, self.big[a as usize].clone()))
            }
            Kind::Symbol => Expr::Symbol(SymbolId(a)),
            Kind::Neg => Expr::Unary(UnaryOp::Neg, arg),
            Kind::RedAnd => Expr::Unary(UnaryOp::RedAnd, arg),
            Kind::RedXor => Expr::Unary(UnaryOp::RedXor, arg),
            Kind::Slice => Expr::Slice { arg, hi: b, lo: c },
            Kind::Uext => Expr::Uext { arg, by: b },
            Kind::Sext => Expr::Sext { arg, by: b },
            Kind::Ite => Expr::Ite(arg, ExprId(b), ExprId(c)),
            Kind::Read => Expr::Read(arg, ExprId(b)),
            Kind::Write => Expr::Write(arg, ExprId(b), ExprId(c)),
            Kind::ConstArray => Expr::ConstArray(arg),
            Kind::ArrayEq => Expr::ArrayEq(arg, ExprId(b)),
            Kind::Binary => unreachable!("binary operators are decoded above"),
        }
    }

    /// Is the expression a constant?
    pub fn is_const(&self, id: ExprId) -> bool {
        let kind = self.nodes[id.node()].kind();
        kind == Kind::SmallConst as u8 || kind == Kind::BigConst as u8
    }

    /// The value of a constant.
    pub fn const_value(&self, id: ExprId) -> Option<BitVec> {
        if !self.is_const(id) {
            return None;
        }
        match self.get(id) {
            Expr::Const(value) => Some(value),
            _ => unreachable!("constants are never complemented"),
        }
    }

    /// Whether the expression is the constant bit 1.
    pub fn is_true(&self, id: ExprId) -> bool {
        id == self.bool(true)
    }

    /// Whether the expression is the constant bit 0.
    pub fn is_false(&self, id: ExprId) -> bool {
        id == self.bool(false)
    }

    /// Operands of the expression, behind a complement.
    pub fn for_each_operand(&self, id: ExprId, visit: impl FnMut(ExprId)) {
        self.get(id.regular()).for_each_operand(visit);
    }

    /// The number of symbols in the pool.
    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// The symbol with this number, in the order in which they were made.
    pub fn nth_symbol(&self, number: usize) -> SymbolId {
        assert!(number < self.symbols.len(), "symbol {number} of {}", self.symbols.len());
        SymbolId(number as u32)
    }

    /// The name the user gave to a symbol.
    pub fn symbol_name(&self, symbol: SymbolId) -> Option<&str> {
        self.symbols[symbol.index()].name.as_deref()
    }

    /// The expression that is just the symbol.
    pub fn symbol_expr(&self, symbol: SymbolId) -> ExprId {
        ExprId::new(self.symbols[symbol.index()].node as usize, false)
    }

    /// The symbol that the expression is, if it is one.
    pub fn as_symbol(&self, id: ExprId) -> Option<SymbolId> {
        let node = self.nodes[id.node()];
        (node.kind() == Kind::Symbol as u8 && !id.is_complement()).then_some(SymbolId(node.a))
    }

    // ---- leaves -------------------------------------------------------------

    /// A fresh symbol; two calls never give the same one.
    pub fn symbol(&mut self, sort: Sort, name: Option<&str>) -> Result<ExprId, SortError> {
        let sort = self.encode_sort(sort)?;
        let symbol = self.symbols.len() as u32;
        self.symbols.push(Symbol { node: self.nodes.len() as u32, name: name.map(Into::into) });
        // Symbols are never looked up: they stay out of the table.
        let tag = u32::from(Kind::Symbol as u8) << 24 | sort;
        Ok(self.push(Node { tag, a: symbol, b: 0, c: 0 }))
    }

    /// Names a symbol that has no name yet, or renames it.
    pub fn rename(&mut self, symbol: SymbolId, name: &str) {
        self.symbols[symbol.index()].name = Some(name.into());
    }

    /// The constant bit.
    pub fn bool(&self, value: bool) -> ExprId {
        ExprId::new(value as usize, false)
    }

    /// # Panics
    /// If the value is wider than [`MAX_WIDTH`].
    pub fn constant(&mut self, value: BitVec) -> ExprId {
        let width = value.width();
        assert!(width <= MAX_WIDTH, "a constant of width {width}");
        if let (true, Some(word)) = (width <= 64, value.to_u64()) {
            return self.intern(Kind::SmallConst as u8, width, 0, word as u32, (word >> 32) as u32);
        }
        let value = value.to_big();
        let index = match self.big_index.get(&value) {
            Some(&index) => index,
            None => {
                let index = self.big.len() as u32;
                self.big.push(value.clone());
                self.big_index.insert(value, index);
                index
            }
        };
        self.intern(Kind::BigConst as u8, width, index, 0, 0)
    }

    // ---- raw construction, for `rewrite` --------------------------------------

    pub(crate) fn intern_unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        let width = self.width(a);
        match op {
            UnaryOp::Not => a.flip(),
            UnaryOp::Neg => self.intern(Kind::Neg as u8, width, a.0, 0, 0),
            UnaryOp::RedAnd => self.intern(Kind::RedAnd as u8, 1, a.0, 0, 0),
            UnaryOp::RedXor => self.intern(Kind::RedXor as u8, 1, a.0, 0, 0),
        }
    }

    pub(crate) fn intern_binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let width = match op {
            BinaryOp::Concat => self.width(a) + self.width(b),
            _ if op.is_predicate() => 1,
            _ => self.width(a),
        };
        let (a, b) = if op.is_commutative() && b < a { (b, a) } else { (a, b) };
        self.intern(BINARY + op as u8, width, a.0, b.0, 0)
    }

    /// The conjunction of two bits in ascending order.
    pub(crate) fn intern_and_bits(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.intern(BINARY + BinaryOp::And as u8, 1, a.0, b.0, 0)
    }

    pub(crate) fn intern_slice(&mut self, a: ExprId, hi: u32, lo: u32) -> ExprId {
        self.intern(Kind::Slice as u8, hi - lo + 1, a.0, hi, lo)
    }

    pub(crate) fn intern_extension(&mut self, signed: bool, a: ExprId, by: u32) -> ExprId {
        let kind = if signed { Kind::Sext } else { Kind::Uext };
        self.intern(kind as u8, self.width(a) + by, a.0, by, 0)
    }

    pub(crate) fn intern_ite(&mut self, c: ExprId, t: ExprId, e: ExprId) -> ExprId {
        self.intern(Kind::Ite as u8, self.sort_bits(t), c.0, t.0, e.0)
    }

    pub(crate) fn intern_read(&mut self, array: ExprId, index: ExprId, element: u32) -> ExprId {
        self.intern(Kind::Read as u8, element, array.0, index.0, 0)
    }

    pub(crate) fn intern_write(&mut self, array: ExprId, index: ExprId, value: ExprId) -> ExprId {
        self.intern(Kind::Write as u8, self.sort_bits(array), array.0, index.0, value.0)
    }

    pub(crate) fn intern_const_array(
        &mut self,
        index: u32,
        element: ExprId,
    ) -> Result<ExprId, SortError> {
        let sort = self.encode_sort(Sort::Array { index, element: self.width(element) })?;
        Ok(self.intern(Kind::ConstArray as u8, sort, element.0, 0, 0))
    }

    pub(crate) fn intern_array_eq(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        self.intern(Kind::ArrayEq as u8, 1, a.0, b.0, 0)
    }

    pub(crate) fn complement_if(id: ExprId, condition: bool) -> ExprId {
        id.flip_if(condition)
    }

    fn sort_bits(&self, id: ExprId) -> u32 {
        self.nodes[id.node()].tag & SORT_MASK
    }

    fn encode_sort(&mut self, sort: Sort) -> Result<u32, SortError> {
        let check = |width: u32| match width {
            1..=MAX_WIDTH => Ok(width),
            _ => Err(SortError::Unsupported(width.into())),
        };
        match sort {
            Sort::Bv(width) => check(width),
            Sort::Array { index, element } => {
                let key = (check(index)?, check(element)?);
                let position = self.arrays.iter().position(|&known| known == key);
                let position = position.unwrap_or_else(|| {
                    self.arrays.push(key);
                    self.arrays.len() - 1
                });
                Ok(ARRAY_SORT | position as u32)
            }
        }
    }

    fn intern(&mut self, kind: u8, sort: u32, a: u32, b: u32, c: u32) -> ExprId {
        let node = Node { tag: u32::from(kind) << 24 | sort, a, b, c };
        let mut probe = Probe::new(node, self.table.len());
        loop {
            match self.table[probe.slot] {
                0 => break,
                found if self.nodes[found as usize - 1] == node => {
                    return ExprId::new(found as usize - 1, false);
                }
                _ => probe.advance(),
            }
        }
        let id = self.push(node);
        self.table[probe.slot] = self.nodes.len() as u32;
        if self.nodes.len() * 2 > self.table.len() {
            self.rehash(self.table.len() * 2);
        }
        id
    }

    fn push(&mut self, node: Node) -> ExprId {
        self.nodes.push(node);
        assert!(self.nodes.len() < 1 << 31, "more than 2^31 expressions");
        ExprId::new(self.nodes.len() - 1, false)
    }

    fn rehash(&mut self, size: usize) {
        self.table = vec![0; size];
        for (index, &node) in self.nodes.iter().enumerate() {
            if node.kind() == Kind::Symbol as u8 {
                continue;
            }
            let mut probe = Probe::new(node, size);
            while self.table[probe.slot] != 0 {
                probe.advance();
            }
            self.table[probe.slot] = index as u32 + 1;
        }
    }
}

/// The slots to look for a node in, in a table whose size is a power of two.
///
/// The first one lies near the larger operand, the second near the smaller one:
/// circuits are built in order, so these parts of the table are in the cache, and
/// it is rare that both operands are crowded. The others are spread by double
/// hashing, whose cost depends on the load alone and not on crowds.
struct Probe {
    slot: usize,
    next: usize,
    far: usize,
    step: usize,
    mask: usize,
}

impl Probe {
    /// How many slots the users of one operand share at first.
    const NEIGHBOURHOOD: usize = 32;

    fn new(node: Node, size: usize) -> Self {
        let (hash, mask) = (node.hash() as usize, size - 1);
        // Twice the id, so that the whole of a half full table is in use.
        let near = |operand: u32| (operand as usize * 2 + hash % Self::NEIGHBOURHOOD) & mask;
        Probe {
            slot: near(node.a.max(node.b)),
            next: near(node.a.min(node.b)),
            far: hash >> 8 & mask,
            step: hash >> 32 | 1,
            mask,
        }
    }

    fn advance(&mut self) {
        self.slot = self.next;
        self.next = self.far;
        self.far = (self.far + self.step) & self.mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_expressions_have_equal_ids_in_a_crowd() {
        // Every gate has the same larger operand: all first choices are taken.
        let mut pool = Pool::new();
        let small: Vec<ExprId> =
            (0..20_000).map(|_| pool.symbol(Sort::BOOL, None).unwrap()).collect();
        let large = pool.symbol(Sort::BOOL, None).unwrap();
        let first: Vec<ExprId> = small.iter().map(|&a| pool.and_bits(a, large)).collect();
        let nodes = pool.len();
        let again: Vec<ExprId> = small.iter().map(|&a| pool.and_bits(large, a)).collect();
        assert_eq!((again, pool.len()), (first, nodes));
    }
}
