//! The expressions of a system as a table from which many cones are cut quickly.
//!
//! The table has a row for each node of the pool, and a first colour for each: a hash of what the
//! node computes, by the colour refinement of Weisfeiler and Leman ("The reduction of a graph to
//! canonical form", 1968). It depends on nothing but the fan-in of the node, through
//! [`ROUNDS`] layers of registers: not on names, numbers, the order of commutative operands, or
//! logic that the node does not read. So it is computed once for all properties of a system.

use elinvar_ir::{
    BitVec, Expr, ExprId, PropertyId, PropertyKind, Role, Sort, TransitionSystem, UnaryOp,
};
use rustc_hash::FxHashMap;

/// How many layers of registers the first colours see.
const ROUNDS: usize = 3;

/// A node, and whether it is complemented.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Edge(pub u32);

impl Edge {
    /// No expression.
    pub const NONE: Edge = Edge(u32::MAX);

    pub fn new(id: ExprId) -> Self {
        let node = u32::try_from(id.node()).expect("pools have less than 2^31 nodes");
        Edge(node << 1 | u32::from(id.is_complement()))
    }

    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn is_some(self) -> bool {
        self != Edge::NONE
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// A constant or an operator.
    Gate,
    /// An operator whose two operands may be exchanged.
    Commutative,
    /// An input, by its number.
    Input(u32),
    /// A register or a memory, by its number.
    State(u32),
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub class: Class,
    /// The operator and its parameters, or the sort of a symbol.
    pub label: [u64; 3],
    /// The operands, then [`Edge::NONE`]. Of a state: the initial and the next value.
    pub operands: [Edge; 3],
}

/// The table of a system.
#[derive(Debug)]
pub(super) struct Graph {
    pub rows: Vec<Row>,
    /// By node: the values of constants of more than 64 bits.
    pub large: FxHashMap<usize, BitVec>,
    /// By node: the first colour.
    pub colours: Vec<u64>,
}

/// The roots of a property: what its verdict depends on.
#[derive(Clone, Debug)]
pub(super) struct Roots {
    pub is_live: bool,
    /// The bad bit, or the conditions: first the fairness constraints, then those of the property.
    pub fairness: Vec<Edge>,
    pub bits: Vec<Edge>,
    pub constraints: Vec<Edge>,
}

impl Roots {
    pub fn new(system: &TransitionSystem, property: PropertyId) -> Self {
        let edges = |ids: &[ExprId]| -> Vec<Edge> { ids.iter().copied().map(Edge::new).collect() };
        let property = system.property(property);
        let is_live = matches!(property.kind, PropertyKind::Justice(_));
        let fairness = if is_live { edges(system.fairness()) } else { Vec::new() };
        let mut constraints = edges(system.constraints());
        constraints.sort_unstable();
        constraints.dedup();
        Roots { is_live, fairness, bits: edges(property.bits()), constraints }
    }
}

impl Graph {
    pub fn new(system: &TransitionSystem) -> Self {
        let pool = system.pool();
        let mut large = FxHashMap::default();
        let rows: Vec<Row> = pool.ids().map(|id| row(system, id, &mut large)).collect();
        let mut graph = Graph { colours: vec![0; rows.len()], rows, large };
        graph.colour(system);
        graph
    }

    fn colour(&mut self, system: &TransitionSystem) {
        for (colour, row) in self.colours.iter_mut().zip(&self.rows) {
            *colour = ordered(0, &row.label);
        }
        let states: Vec<usize> = system.states().iter().map(|state| state.symbol.node()).collect();
        for _ in 0..ROUNDS {
            for node in 0..self.rows.len() {
                if !is_symbol(&self.rows[node]) {
                    self.colours[node] = gate_colour(&self.rows[node], &self.colours);
                }
            }
            let next: Vec<u64> = (states.iter())
                .map(|&node| state_colour(node, &self.rows[node], &self.colours))
                .collect();
            for (&node, colour) in states.iter().zip(next) {
                self.colours[node] = colour;
            }
        }
    }
}

pub(super) fn is_symbol(row: &Row) -> bool {
    match row.class {
        Class::Gate | Class::Commutative => false,
        Class::Input(_) | Class::State(_) => true,
    }
}

/// The colour of an operator from those of its operands.
pub(super) fn gate_colour(row: &Row, colours: &[u64]) -> u64 {
    let [a, b, c] = row.operands;
    let label = row.label[0] ^ row.label[1].rotate_left(20) ^ row.label[2].rotate_left(41);
    if !a.is_some() {
        return ordered(0, &row.label);
    }
    if row.class == Class::Commutative {
        let sum = mix(edge_colour(a, colours)).wrapping_add(mix(edge_colour(b, colours)));
        return mix(sum ^ mix(label));
    }
    let mut hash = mix(label);
    for operand in [a, b, c] {
        if operand.is_some() {
            hash = mix(hash.rotate_left(23) ^ edge_colour(operand, colours));
        }
    }
    hash
}

/// The next colour of a register from its own and those of its functions.
pub(super) fn state_colour(node: usize, row: &Row, colours: &[u64]) -> u64 {
    let [init, next, _] = row.operands;
    let function = |edge: Edge| {
        if edge.is_some() { edge_colour(edge, colours) } else { 0x0f0f_0f0f_0f0f_0f0f }
    };
    ordered(colours[node], &[function(init), function(next)])
}

pub(super) fn edge_colour(edge: Edge, colours: &[u64]) -> u64 {
    let colour = colours[edge.node()];
    if edge.is_complement() { mix(colour ^ 0x5555_aaaa_5555_aaaa) } else { colour }
}

/// A hash of numbers in their order.
pub(super) fn ordered(start: u64, parts: &[u64]) -> u64 {
    parts.iter().fold(mix(start), |hash, &part| mix(hash.rotate_left(23) ^ mix(part)))
}

/// The finaliser of SplitMix64 [Steele, Lea, Flood, OOPSLA 2014].
pub(super) fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// The kinds of rows, as numbers that are part of the key.
#[derive(Clone, Copy)]
enum Kind {
    Constant = 1,
    LargeConstant,
    Input,
    State,
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
    Binary = 32,
}

fn row(system: &TransitionSystem, id: ExprId, large: &mut FxHashMap<usize, BitVec>) -> Row {
    let sort = sort_code(system.pool().sort(id));
    let edge = Edge::new;
    let none = Edge::NONE;
    let gate = |kind: Kind, parameters: [u64; 2], operands: [Edge; 3]| Row {
        class: Class::Gate,
        label: [kind as u64, parameters[0], parameters[1]],
        operands,
    };
    match system.pool().get(id) {
        Expr::Const(value) => match value.to_u64() {
            Some(word) => gate(Kind::Constant, [sort, word], [none; 3]),
            None => {
                let bytes = value.to_big().to_le_bytes();
                let hash = bytes.iter().fold(0, |hash, &byte| mix(hash ^ u64::from(byte)));
                large.insert(id.node(), value);
                gate(Kind::LargeConstant, [sort, hash], [none; 3])
            }
        },
        Expr::Symbol(symbol) => match system.role(symbol) {
            Role::Input(index) => {
                Row { class: Class::Input(index as u32), ..gate(Kind::Input, [sort, 0], [none; 3]) }
            }
            Role::State(index) => {
                let state = system.states()[index];
                let function = |expr: Option<ExprId>| expr.map_or(none, edge);
                let operands = [function(state.init), function(state.next), none];
                Row { class: Class::State(index as u32), ..gate(Kind::State, [sort, 0], operands) }
            }
        },
        Expr::Unary(op, a) => {
            let kind = match op {
                UnaryOp::Not => unreachable!("nodes are regular"),
                UnaryOp::Neg => Kind::Neg,
                UnaryOp::RedAnd => Kind::RedAnd,
                UnaryOp::RedXor => Kind::RedXor,
            };
            gate(kind, [0; 2], [edge(a), none, none])
        }
        Expr::Binary(op, a, b) => {
            let class = if op.is_commutative() { Class::Commutative } else { Class::Gate };
            let label = [Kind::Binary as u64 + op as u64, 0, 0];
            Row { class, label, operands: [edge(a), edge(b), none] }
        }
        Expr::Slice { arg, hi, lo } => {
            gate(Kind::Slice, [hi.into(), lo.into()], [edge(arg), none, none])
        }
        Expr::Uext { arg, by } => gate(Kind::Uext, [by.into(), 0], [edge(arg), none, none]),
        Expr::Sext { arg, by } => gate(Kind::Sext, [by.into(), 0], [edge(arg), none, none]),
        Expr::Ite(c, t, e) => gate(Kind::Ite, [0; 2], [edge(c), edge(t), edge(e)]),
        Expr::Read(array, index) => gate(Kind::Read, [0; 2], [edge(array), edge(index), none]),
        Expr::Write(array, index, element) => {
            gate(Kind::Write, [0; 2], [edge(array), edge(index), edge(element)])
        }
        Expr::ConstArray(element) => gate(Kind::ConstArray, [sort, 0], [edge(element), none, none]),
        Expr::ArrayEq(a, b) => {
            let row = gate(Kind::ArrayEq, [0; 2], [edge(a), edge(b), none]);
            Row { class: Class::Commutative, ..row }
        }
    }
}

fn sort_code(sort: Sort) -> u64 {
    match sort {
        Sort::Bv(width) => width.into(),
        Sort::Array { index, element } => u64::from(index) << 32 | u64::from(element),
    }
}
