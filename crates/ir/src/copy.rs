//! Copies of expressions, with other symbols, within a pool or from one to another.

use rustc_hash::FxHashMap;

use crate::eval::cone;
use crate::expr::{Expr, ExprId, Pool, Sort};
use crate::system::{Input, Named, Property, PropertyKind, State, SystemBuilder, TransitionSystem};

const SORTS: &str = "the sorts of the original";

/// The roots with other expressions in place of the given symbols.
pub fn substitute(
    pool: &mut Pool,
    roots: &[ExprId],
    symbols: &FxHashMap<ExprId, ExprId>,
) -> Vec<ExprId> {
    let mut copies = symbols.clone();
    for node in cone(pool, roots.iter().copied()) {
        if !copies.contains_key(&node) {
            let copy = match pool.get(node) {
                Expr::Symbol(_) | Expr::Const(_) => node,
                expr => rebuild(pool, expr, pool.sort(node), &copies),
            };
            copies.insert(node, copy);
        }
    }
    roots.iter().map(|&root| copied(pool, &copies, root)).collect()
}

/// An expression of another pool, with the given expressions for its symbols.
///
/// # Panics
/// If a symbol has no expression, or one of another sort.
pub fn import(
    pool: &mut Pool,
    source: &Pool,
    root: ExprId,
    symbols: &FxHashMap<ExprId, ExprId>,
) -> ExprId {
    let mut copies: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for node in cone(source, [root]) {
        let copy = match source.get(node) {
            Expr::Symbol(_) => symbols[&node],
            Expr::Const(value) => pool.constant(value),
            expr => rebuild(pool, expr, source.sort(node), &copies),
        };
        copies.insert(node, copy);
    }
    copied(pool, &copies, root)
}

/// The same system in a pool that rewrites expressions: what a reader makes of a model whose
/// verbatim reading this is.
pub fn rewritten(system: &TransitionSystem) -> TransitionSystem {
    let (source, mut builder) = (system.pool(), SystemBuilder::new());
    let mut copies: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for node in source.ids() {
        let pool = &mut builder.pool;
        let copy = match source.get(node) {
            Expr::Symbol(symbol) => {
                pool.symbol(source.sort(node), source.symbol_name(symbol)).expect(SORTS)
            }
            Expr::Const(value) => pool.constant(value),
            expr => rebuild(pool, expr, source.sort(node), &copies),
        };
        copies.insert(node, copy);
    }
    let parts = system.clone().into_builder();
    let mut of = |id: ExprId| copied(&mut builder.pool, &copies, id);
    let mut all = |ids: Vec<ExprId>| -> Vec<ExprId> { ids.into_iter().map(&mut of).collect() };
    builder.constraints = all(parts.constraints);
    builder.fairness = all(parts.fairness);
    let antecedents = parts.antecedents.into_iter();
    builder.antecedents = antecedents.map(|(bad, bits)| (all(vec![bad])[0], all(bits))).collect();
    let property = |property: Property| {
        let kind = match property.kind {
            PropertyKind::Bad(bad) => PropertyKind::Bad(all(vec![bad])[0]),
            PropertyKind::Justice(conditions) => PropertyKind::Justice(all(conditions)),
        };
        Property { kind, ..property }
    };
    builder.properties = parts.properties.into_iter().map(property).collect();
    let mut of = |id: ExprId| copied(&mut builder.pool, &copies, id);
    let inputs = parts.inputs.iter();
    builder.inputs = inputs.map(|input| Input { symbol: of(input.symbol) }).collect();
    let mut state = |State { symbol, init, next }| State {
        symbol: of(symbol),
        init: init.map(&mut of),
        next: next.map(&mut of),
    };
    builder.states = parts.states.into_iter().map(&mut state).collect();
    let mut named = |named: Named| Named { expr: of(named.expr), ..named };
    builder.outputs = parts.outputs.into_iter().map(&mut named).collect();
    builder.labels = parts.labels.into_iter().map(&mut named).collect();
    builder.constraint_origins = parts.constraint_origins;
    builder.clocks = parts.clocks;
    builder.finish().expect("the original is well-formed")
}

/// The copy of an expression whose node has one, complemented if it is.
///
/// # Panics
/// If the node has no copy.
pub fn copied(pool: &mut Pool, copies: &FxHashMap<ExprId, ExprId>, id: ExprId) -> ExprId {
    let copy = copies[&id.regular()];
    if id.is_complement() { pool.not(copy).expect(SORTS) } else { copy }
}

/// An expression of this sort that is not a leaf, over the copies of its operands.
///
/// # Panics
/// If it is a leaf, or if an operand has no copy, or one of another sort.
pub fn rebuild(
    pool: &mut Pool,
    expr: Expr,
    sort: Sort,
    copies: &FxHashMap<ExprId, ExprId>,
) -> ExprId {
    let mut of = |id| copied(pool, copies, id);
    let built = match expr {
        Expr::Const(_) | Expr::Symbol(_) => unreachable!("leaves are copied by the caller"),
        Expr::Unary(op, a) => {
            let a = of(a);
            pool.unary(op, a)
        }
        Expr::Binary(op, a, b) => {
            let (a, b) = (of(a), of(b));
            pool.binary(op, a, b)
        }
        Expr::Slice { arg, hi, lo } => {
            let arg = of(arg);
            pool.slice(arg, hi, lo)
        }
        Expr::Uext { arg, by } => {
            let arg = of(arg);
            pool.uext(arg, by)
        }
        Expr::Sext { arg, by } => {
            let arg = of(arg);
            pool.sext(arg, by)
        }
        Expr::Ite(c, t, e) => {
            let (c, t, e) = (of(c), of(t), of(e));
            pool.ite(c, t, e)
        }
        Expr::Read(array, index) => {
            let (array, index) = (of(array), of(index));
            pool.read(array, index)
        }
        Expr::Write(array, index, element) => {
            let (array, index, element) = (of(array), of(index), of(element));
            pool.write(array, index, element)
        }
        Expr::ConstArray(element) => {
            let Sort::Array { index, .. } = sort else {
                unreachable!("constant arrays are arrays")
            };
            let element = of(element);
            pool.const_array(index, element)
        }
        Expr::ArrayEq(a, b) => {
            let (a, b) = (of(a), of(b));
            pool.equal(a, b)
        }
    };
    built.expect(SORTS)
}
