//! The simulation of an expression graph, kept up to date as symbols change.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use elinvar_ir::{BinaryOp, Expr, ExprId, Pool, Sort, UnaryOp, cone};
use rustc_hash::FxHashMap;

use super::word::{One, Two};
use super::{Abstract, Kind};

/// The values of the expressions over some symbols.
///
/// Symbols are changed one by one; only what depends on them is computed again, and only
/// as far as values change. Changes can be undone.
#[derive(Clone, Debug)]
pub struct Simulation {
    kind: Kind,
    /// Where the nodes of the pool are in `nodes`; arrays are nowhere.
    position: FxHashMap<usize, Position>,
    /// Operands before the nodes that use them.
    nodes: Vec<Node>,
    /// The users of node `i` are `users[first_user[i]..first_user[i + 1]]`.
    users: Vec<Position>,
    first_user: Vec<u32>,
    values: Vec<Abstract>,
    /// The values that were replaced since the last commit, the latest last.
    replaced: Vec<(Position, Abstract)>,
    /// The nodes to compute again, and whether a node is among them.
    queue: BinaryHeap<Reverse<Position>>,
    queued: Vec<bool>,
}

/// A node's number in a simulation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Position(u32);

impl Position {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operand: a node, possibly complemented.
#[derive(Clone, Copy, Debug)]
struct Edge {
    node: Position,
    complement: bool,
}

#[derive(Clone, Debug)]
enum Node {
    Symbol(ExprId),
    /// A constant, or something unknown: its value does not change.
    Fixed,
    One(One, Edge),
    Two(BinaryOp, Edge, Edge),
    Ite(Edge, Edge, Edge),
}

impl Node {
    fn for_each_operand(&self, mut visit: impl FnMut(Edge)) {
        match *self {
            Node::Symbol(_) | Node::Fixed => {}
            Node::One(_, a) => visit(a),
            Node::Two(_, a, b) => [a, b].into_iter().for_each(visit),
            Node::Ite(c, t, e) => [c, t, e].into_iter().for_each(visit),
        }
    }
}

impl Simulation {
    /// Prepares the simulation of `roots`. Nothing is known of any symbol.
    pub fn new(kind: Kind, pool: &Pool, roots: impl IntoIterator<Item = ExprId>) -> Self {
        let mut simulation = Simulation {
            kind,
            position: FxHashMap::default(),
            nodes: Vec::new(),
            users: Vec::new(),
            first_user: Vec::new(),
            values: Vec::new(),
            replaced: Vec::new(),
            queue: BinaryHeap::new(),
            queued: Vec::new(),
        };
        for id in cone(pool, roots) {
            match pool.sort(id) {
                Sort::Bv(width) => simulation.push(id, width, pool.get(id)),
                Sort::Array { .. } => {}
            }
        }
        simulation.queued = vec![false; simulation.nodes.len()];
        simulation.collect_users();
        simulation
    }

    fn push(&mut self, id: ExprId, width: u32, expr: Expr) {
        let edge =
            |id: ExprId| Edge { node: self.position[&id.node()], complement: id.is_complement() };
        let unknown = self.kind.top(width);
        let (node, fixed) = match expr {
            Expr::Const(value) => (Node::Fixed, Some(self.kind.point(&value))),
            Expr::Symbol(_) => (Node::Symbol(id), Some(unknown)),
            Expr::Unary(op, a) => (Node::One(One::Op(op), edge(a)), None),
            Expr::Binary(op, a, b) => (Node::Two(op, edge(a), edge(b)), None),
            Expr::Slice { arg, hi, lo } => (Node::One(One::Slice { hi, lo }, edge(arg)), None),
            Expr::Uext { arg, by } => (Node::One(One::Uext(by), edge(arg)), None),
            Expr::Sext { arg, by } => (Node::One(One::Sext(by), edge(arg)), None),
            Expr::Ite(c, t, e) => (Node::Ite(edge(c), edge(t), edge(e)), None),
            Expr::Read(..) | Expr::ArrayEq(..) => (Node::Fixed, Some(unknown)),
            Expr::Write(..) | Expr::ConstArray(_) => unreachable!("arrays are left out"),
        };
        let value = fixed.unwrap_or_else(|| self.compute(&node).expect("an operator"));
        self.position.insert(id.node(), Position(self.nodes.len() as u32));
        self.nodes.push(node);
        self.values.push(value);
    }

    fn collect_users(&mut self) {
        let mut first = vec![0; self.nodes.len() + 1];
        for node in &self.nodes {
            node.for_each_operand(|edge| first[edge.node.index() + 1] += 1);
        }
        for index in 1..first.len() {
            first[index] += first[index - 1];
        }
        let mut next = first.clone();
        self.users = vec![Position(0); first[self.nodes.len()] as usize];
        for (user, node) in self.nodes.iter().enumerate() {
            node.for_each_operand(|edge| {
                let slot = &mut next[edge.node.index()];
                self.users[*slot as usize] = Position(user as u32);
                *slot += 1;
            });
        }
        self.first_user = first;
    }

    /// Gives all symbols of words new values, and commits.
    pub fn assign_all(&mut self, mut symbol: impl FnMut(ExprId) -> Abstract) {
        for index in 0..self.nodes.len() {
            let value = match &self.nodes[index] {
                Node::Symbol(id) => Some(symbol(*id)),
                node @ (Node::Fixed | Node::One(..) | Node::Two(..) | Node::Ite(..)) => {
                    self.compute(node)
                }
            };
            if let Some(value) = value {
                self.values[index] = value;
            }
        }
        self.commit();
    }

    /// Gives a symbol a new value and computes what depends on it. Symbols that no root
    /// depends on are ignored.
    ///
    /// # Panics
    /// If the expression is not a symbol.
    pub fn assign(&mut self, symbol: ExprId, value: Abstract) {
        let Some(&position) = self.position.get(&symbol.node()) else { return };
        let is_symbol = matches!(self.nodes[position.index()], Node::Symbol(id) if id == symbol);
        assert!(is_symbol, "{symbol:?} is not a symbol");
        self.replace(position, value);
        while let Some(Reverse(position)) = self.queue.pop() {
            self.queued[position.index()] = false;
            let value = self.compute(&self.nodes[position.index()]);
            self.replace(position, value.expect("users are operators"));
        }
    }

    /// Stores a value, and has the users of the node computed again if it is new.
    fn replace(&mut self, position: Position, value: Abstract) {
        let index = position.index();
        if self.values[index] == value {
            return;
        }
        let old = std::mem::replace(&mut self.values[index], value);
        self.replaced.push((position, old));
        let users = self.first_user[index] as usize..self.first_user[index + 1] as usize;
        for &user in &self.users[users] {
            if !std::mem::replace(&mut self.queued[user.index()], true) {
                self.queue.push(Reverse(user));
            }
        }
    }

    /// Takes back all assignments since the last commit.
    pub fn undo(&mut self) {
        while let Some((position, value)) = self.replaced.pop() {
            self.values[position.index()] = value;
        }
    }

    /// Keeps all assignments.
    pub fn commit(&mut self) {
        self.replaced.clear();
    }

    /// The value of a root or of a word that a root depends on.
    ///
    /// # Panics
    /// If the expression is not one of these.
    pub fn value(&self, expr: ExprId) -> Abstract {
        let node = *self.position.get(&expr.node()).expect("a simulated word");
        self.operand(Edge { node, complement: expr.is_complement() }).into_owned()
    }

    fn operand(&self, edge: Edge) -> Cow<'_, Abstract> {
        let value = &self.values[edge.node.index()];
        if edge.complement {
            Cow::Owned(self.kind.unary(UnaryOp::Not, value))
        } else {
            Cow::Borrowed(value)
        }
    }

    /// The value of an operator; `None` for what has no operands.
    fn compute(&self, node: &Node) -> Option<Abstract> {
        match *node {
            Node::Symbol(_) | Node::Fixed => None,
            Node::One(op, a) => Some(self.kind.one(op, &self.operand(a))),
            Node::Two(op, a, b) => Some(self.kind.binary(op, &self.operand(a), &self.operand(b))),
            Node::Ite(c, t, e) => {
                // Only the branch that is taken.
                Some(match self.operand(c).bit(0) {
                    Some(true) => self.operand(t).into_owned(),
                    Some(false) => self.operand(e).into_owned(),
                    None => self.kind.two(Two::Hull, &self.operand(t), &self.operand(e)),
                })
            }
        }
    }
}
