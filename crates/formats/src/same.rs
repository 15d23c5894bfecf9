//! Are two systems the same, up to the numbering of their expressions?

use std::mem::{Discriminant, discriminant};

use elinvar_ir::{BitVec, Expr, ExprId, Pool, PropertyKind, Sort, TransitionSystem};
use rustc_hash::FxHashMap;

use crate::numbered::fresh_cone;

/// Structural equality: the same inputs, states, constraints, properties and
/// outputs, in the same order, with the same names and the same expressions;
/// the same labels in any order. Only the order of the operands of commutative
/// operators is left out of account, since it follows from the numbering.
pub fn same_system(left: &TransitionSystem, right: &TransitionSystem) -> bool {
    let Some(to_right) = correspondence(left, right) else { return false };
    let same = |a: ExprId, b: ExprId| to_right.get(a) == Some(literal(b));
    let same_option = |a: Option<ExprId>, b: Option<ExprId>| match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => same(a, b),
        (None, Some(_)) | (Some(_), None) => false,
    };
    let all = |a: &[ExprId], b: &[ExprId]| same_by(a, b, |&a, &b| same(a, b));
    same_by(left.states(), right.states(), |a, b| {
        same_option(a.init, b.init) && same_option(a.next, b.next)
    }) && all(left.constraints(), right.constraints())
        && (0..left.constraints().len())
            .all(|index| left.constraint_origin(index) == right.constraint_origin(index))
        && all(left.fairness(), right.fairness())
        && same_by(left.properties(), right.properties(), |a, b| {
            (&a.name, a.goal, &a.place) == (&b.name, b.goal, &b.place)
                && match (&a.kind, &b.kind) {
                    (PropertyKind::Bad(a), PropertyKind::Bad(b)) => same(*a, *b),
                    (PropertyKind::Justice(a), PropertyKind::Justice(b)) => all(a, b),
                    (PropertyKind::Bad(_), PropertyKind::Justice(_))
                    | (PropertyKind::Justice(_), PropertyKind::Bad(_)) => false,
                }
        })
        && same_by(left.outputs(), right.outputs(), |a, b| a.name == b.name && same(a.expr, b.expr))
        && same_labels(left, right, &to_right)
}

fn same_by<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

fn same_labels(left: &TransitionSystem, right: &TransitionSystem, to_right: &Map) -> bool {
    let mut a: Vec<_> =
        left.labels().iter().map(|label| (&label.name, to_right.get(label.expr))).collect();
    let mut b: Vec<_> =
        right.labels().iter().map(|label| (&label.name, Some(literal(label.expr)))).collect();
    a.sort_unstable();
    b.sort_unstable();
    a == b
}

/// An expression as a number: its node, and whether it is complemented.
fn literal(expr: ExprId) -> u64 {
    (expr.node() as u64) << 1 | u64::from(expr.is_complement())
}

/// From nodes of one pool to those of another.
struct Map(Vec<Option<ExprId>>);

impl Map {
    /// The literal that the expression becomes: complements carry over.
    fn get(&self, expr: ExprId) -> Option<u64> {
        self.0[expr.node()].map(|image| literal(image) ^ u64::from(expr.is_complement()))
    }
}

/// Nodes of `left` and the nodes of `right` that are the same expression;
/// `None` when the declarations differ.
fn correspondence(left: &TransitionSystem, right: &TransitionSystem) -> Option<Map> {
    let mut map = Map(vec![None; left.pool().len()]);
    let (a, b) = (symbols(left), symbols(right));
    if a.len() != b.len() || left.inputs().len() != right.inputs().len() {
        return None;
    }
    for (a, b) in a.into_iter().zip(b) {
        if declaration(left.pool(), a) != declaration(right.pool(), b) {
            return None;
        }
        map.0[a.node()] = Some(b);
    }
    let mut known = FxHashMap::default();
    for id in operators(right) {
        known.extend(key(right.pool(), id, |operand| Some(literal(operand))).map(|key| (key, id)));
    }
    for id in operators(left) {
        let key = key(left.pool(), id, |operand| map.get(operand));
        map.0[id.node()] = key.and_then(|key| known.get(&key).copied());
    }
    Some(map)
}

fn symbols(system: &TransitionSystem) -> Vec<ExprId> {
    let inputs = system.inputs().iter().map(|input| input.symbol);
    inputs.chain(system.states().iter().map(|state| state.symbol)).collect()
}

fn declaration(pool: &Pool, symbol: ExprId) -> (Sort, Option<&str>) {
    (pool.sort(symbol), pool.as_symbol(symbol).and_then(|symbol| pool.symbol_name(symbol)))
}

/// All nodes that matter to the system, without symbols, operands first.
fn operators(system: &TransitionSystem) -> Vec<ExprId> {
    let pool = system.pool();
    let mut seen = vec![false; pool.len()];
    let initial = system.states().iter().filter_map(|state| state.init);
    let mut nodes = fresh_cone(pool, initial.chain(roots(system)), &mut seen);
    nodes.retain(|&id| pool.as_symbol(id).is_none());
    nodes
}

/// Every expression that the system names, but for initial values.
pub(crate) fn roots(system: &TransitionSystem) -> Vec<ExprId> {
    let mut roots: Vec<ExprId> = system.states().iter().filter_map(|state| state.next).collect();
    roots.extend(system.constraints());
    for property in system.properties() {
        match &property.kind {
            PropertyKind::Bad(bad) => roots.push(*bad),
            PropertyKind::Justice(conditions) => roots.extend(conditions),
        }
    }
    roots.extend(system.fairness());
    roots.extend(system.outputs().iter().chain(system.labels()).map(|named| named.expr));
    roots
}

/// Equal for nodes that are the same operator on the same operands.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    kind: Discriminant<Expr>,
    operator: u8,
    sort: Sort,
    operands: [Option<u64>; 3],
    numbers: [u32; 2],
    constant: Option<BitVec>,
}

/// The key of a node; `None` when an operand has no image.
fn key(pool: &Pool, id: ExprId, image: impl Fn(ExprId) -> Option<u64>) -> Option<Key> {
    let expr = pool.get(id);
    let mut key = Key {
        kind: discriminant(&expr),
        operator: 0,
        sort: pool.sort(id),
        operands: [None; 3],
        numbers: [0; 2],
        constant: None,
    };
    let (mut count, mut complete) = (0, true);
    expr.for_each_operand(|operand| {
        key.operands[count] = image(operand);
        complete &= key.operands[count].is_some();
        count += 1;
    });
    let mut commutative = false;
    match expr {
        Expr::Const(value) => key.constant = Some(value),
        Expr::Unary(op, _) => key.operator = op as u8,
        Expr::Binary(op, ..) => {
            key.operator = op as u8;
            commutative = op.is_commutative();
        }
        Expr::Slice { hi, lo, .. } => key.numbers = [hi, lo],
        Expr::Uext { by, .. } | Expr::Sext { by, .. } => key.numbers[0] = by,
        Expr::ArrayEq(..) => commutative = true,
        Expr::Symbol(_)
        | Expr::Ite(..)
        | Expr::Read(..)
        | Expr::Write(..)
        | Expr::ConstArray(_) => {}
    }
    if commutative {
        key.operands[..2].sort_unstable();
    }
    complete.then_some(key)
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{BinaryOp, SystemBuilder};
    use elinvar_models::{Generator, Shape};

    use super::*;

    #[test]
    fn a_system_is_the_same_as_itself_and_as_no_other() {
        let systems: Vec<_> = (0..20).map(|seed| Generator::system(seed, Shape::ARRAYS)).collect();
        for (i, a) in systems.iter().enumerate() {
            for (j, b) in systems.iter().enumerate() {
                assert_eq!(same_system(a, b), i == j, "{i} {j}");
            }
        }
    }

    /// `y op x` or `x op y`, after a constant that shifts the numbers.
    fn two(op: BinaryOp, swapped: bool) -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let x = b.input(Sort::Bv(2), Some("x")).unwrap();
        if swapped {
            b.pool.constant(BitVec::new(9, 9));
        }
        let y = b.input(Sort::Bv(2), Some("y")).unwrap();
        let (x, y) = if swapped { (y, x) } else { (x, y) };
        let both = b.pool.binary(op, x, y).unwrap();
        let bad = b.pool.redor(both).unwrap();
        b.bad("p", bad);
        b.finish().unwrap()
    }

    #[test]
    fn only_commutative_operands_may_be_swapped() {
        assert!(same_system(&two(BinaryOp::Add, false), &two(BinaryOp::Add, true)));
        assert!(!same_system(&two(BinaryOp::Sub, false), &two(BinaryOp::Sub, true)));
        assert!(!same_system(&two(BinaryOp::Add, false), &two(BinaryOp::Mul, false)));
    }
}
