//! Which words a system has, and how they are read: signed or unsigned, as the comparisons
//! and divisions that they meet suggest; as numbers, or as bits when only logic is done
//! with them.

use std::collections::BTreeSet;

use elinvar_ir::{
    BinaryOp, Expr, ExprId, Pool, PropertyId, Reading, Rng, Sort, TransitionSystem, UnaryOp, Word,
    cone,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::circuit::{Init, WordInfo};

/// How far the words of an operand are looked for.
const HORIZON: usize = 400;

/// A number has at least so many bits, and a model so many words and expressions at most, to
/// be worth a try.
const MIN_WIDTH: u32 = 4;
const MAX_WORDS: usize = 200;
const MAX_NODES: usize = 20_000;

/// What the operators say about a word.
#[derive(Clone, Copy, Default)]
struct Votes {
    signed: usize,
    unsigned: usize,
    number: bool,
}

/// Might words decide the properties sooner than bits? They depend on numbers, there are not
/// too many, and no memories.
pub(crate) fn is_worthwhile(system: &TransitionSystem, properties: &[PropertyId]) -> bool {
    let width = |state: usize| system.pool().sort(system.states()[state].symbol).width();
    // A model of bits costs no more than this look.
    if (0..system.states().len()).all(|state| width(state).is_some_and(|width| width < MIN_WIDTH)) {
        return false;
    }
    let Influence { states, nodes } = influence(system, properties);
    let is_number = |word: &WordInfo| !word.is_logic && word.width >= MIN_WIDTH;
    states.len() <= MAX_WORDS
        && nodes.len() <= MAX_NODES
        && states.iter().all(|&state| width(state).is_some())
        && survey(system, properties, 0).iter().any(is_number)
}

/// What the properties depend on.
struct Influence {
    states: BTreeSet<usize>,
    nodes: Vec<ExprId>,
}

fn influence(system: &TransitionSystem, properties: &[PropertyId]) -> Influence {
    let bads = properties.iter().filter_map(|&id| system.bad(id));
    let roots: Vec<ExprId> = bads.chain(system.constraints().iter().copied()).collect();
    let states = system.cone_of_influence(roots.iter().copied());
    let next = states.iter().filter_map(|&index| system.states()[index].next);
    let nodes = cone(system.pool(), next.chain(roots));
    Influence { states, nodes }
}

/// The words that matter for the properties. Where nothing suggests a reading, one is drawn.
pub(super) fn survey(
    system: &TransitionSystem,
    properties: &[PropertyId],
    seed: u64,
) -> Vec<WordInfo> {
    let pool = system.pool();
    let Influence { states, nodes } = influence(system, properties);
    let mut votes: FxHashMap<ExprId, Votes> = FxHashMap::default();
    for &node in &nodes {
        poll(pool, node, &mut votes);
    }
    let mut rng = Rng::new(seed);
    let mut words = Vec::new();
    for index in states {
        let state = system.states()[index];
        let Sort::Bv(width) = pool.sort(state.symbol) else { continue };
        let vote = votes.get(&state.symbol).copied().unwrap_or_default();
        let reading = match vote.signed.cmp(&vote.unsigned) {
            std::cmp::Ordering::Greater => Reading::Signed,
            std::cmp::Ordering::Less => Reading::Unsigned,
            std::cmp::Ordering::Equal if rng.one_in(2) => Reading::Signed,
            std::cmp::Ordering::Equal => Reading::Unsigned,
        };
        let init = match state.init {
            None => Init::Free,
            Some(init) => pool.const_value(init).map_or(Init::Expression(init), Init::Constant),
        };
        words.push(WordInfo {
            state: index,
            symbol: state.symbol,
            name: Word { state: state.symbol, element: None },
            width,
            reading,
            is_logic: width == 1 || !vote.number,
            next: state.next,
            init,
        });
    }
    words
}

/// How much of what is done with words is logic rather than arithmetic, from 0 to 1.
pub(super) fn share_of_logic(system: &TransitionSystem, properties: &[PropertyId]) -> f64 {
    use BinaryOp::*;
    let pool = system.pool();
    let (mut logic, mut arithmetic) = (1.0, 1.0);
    for node in influence(system, properties).nodes {
        let expr = pool.get(node.regular());
        if let Some((op, a, _)) = expr.as_binary() {
            if pool.width(a) > 1 {
                match op {
                    And | Xor | Shl | Lshr | Ashr | Rol | Ror | Concat => logic += 1.0,
                    Add | Sub | Mul | Udiv | Urem | Sdiv | Srem | Smod | Ult | Slt | Uaddo
                    | Saddo | Ssubo | Umulo | Smulo | Sdivo => arithmetic += 1.0,
                    Eq => {}
                }
            }
        } else if matches!(
            expr,
            Expr::Unary(UnaryOp::RedAnd | UnaryOp::RedXor, _) | Expr::Slice { .. }
        ) {
            logic += 1.0;
        }
    }
    logic / (logic + arithmetic)
}

fn poll(pool: &Pool, node: ExprId, votes: &mut FxHashMap<ExprId, Votes>) {
    use BinaryOp::*;
    let expr = pool.get(node.regular());
    let (operands, ballot) = if let Some((op, a, b)) = expr.as_binary() {
        let ballot = match op {
            Slt | Sdiv | Srem | Smod | Saddo | Ssubo | Smulo | Sdivo => {
                Votes { signed: 1, unsigned: 0, number: true }
            }
            Ult | Udiv | Urem | Uaddo | Umulo => Votes { signed: 0, unsigned: 1, number: true },
            Add | Sub | Mul => Votes { number: true, ..Votes::default() },
            And | Xor | Eq | Shl | Lshr | Ashr | Rol | Ror | Concat => return,
        };
        (vec![a, b], ballot)
    } else if let Expr::Unary(UnaryOp::Neg, a) = expr {
        (vec![a], Votes { number: true, ..Votes::default() })
    } else if let Expr::Sext { arg, .. } = expr {
        (vec![arg], Votes { signed: 1, ..Votes::default() })
    } else if let Expr::Uext { arg, .. } = expr {
        (vec![arg], Votes { unsigned: 1, ..Votes::default() })
    } else {
        return;
    };
    for symbol in numbers_below(pool, &operands) {
        let vote = votes.entry(symbol).or_default();
        vote.signed += ballot.signed;
        vote.unsigned += ballot.unsigned;
        vote.number |= ballot.number;
    }
}

/// The symbols whose values go into the operands by arithmetic or by selection.
fn numbers_below(pool: &Pool, operands: &[ExprId]) -> Vec<ExprId> {
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    let mut stack: Vec<ExprId> = operands.iter().map(|id| id.regular()).collect();
    let mut found = Vec::new();
    while let Some(id) = stack.pop() {
        if seen.len() > HORIZON || !seen.insert(id) {
            continue;
        }
        match pool.get(id) {
            Expr::Symbol(_) => found.push(id),
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
                stack.extend([a.regular(), b.regular()]);
            }
            Expr::Unary(UnaryOp::Neg | UnaryOp::Not, a) => stack.push(a.regular()),
            Expr::Uext { arg, .. } | Expr::Sext { arg, .. } => stack.push(arg.regular()),
            Expr::Ite(_, t, e) => stack.extend([t.regular(), e.regular()]),
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Slice { .. }
            | Expr::Read(..)
            | Expr::Write(..)
            | Expr::ConstArray(_)
            | Expr::ArrayEq(..) => {}
        }
    }
    found
}
