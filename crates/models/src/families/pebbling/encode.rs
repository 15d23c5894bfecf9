//! The game as a transition system.
//!
//! Any number of vertices may change in one step. A vertex w does when its input
//! asks for it and every predecessor u is pebbled and not asked to change:
//!
//! ```text
//! p′_w = p_w ⊕ (move_w ∧ ⋀_u (p_u ∧ ¬move_u))
//! ```
//!
//! So the predecessors of what changes are pebbled before and after, which is
//! the relation of Algorithm 13. That a predecessor blocks w even if its own move
//! is in vain loses nothing: inputs are free, and of a step P to P′ of that
//! relation the inputs move_w = p_w ⊕ p′_w make every move succeed.
//!
//! Steps do more than single moves, but need no more pebbles: unpebbling first,
//! then pebbling, one after the other, is legal, since no predecessor of what
//! changes changes, and has no configuration larger than both ends of the step.
//!
//! The limit is a constraint on the configuration of its own cycle, the last
//! included. Algorithm 13 bounds both ends of a step, which is the same along a
//! trace. The vertices are counted in unary by a totalizer [Bailleux, Boufkhad
//! 2003], once for all limits: with a constant in place of the input `limit` the
//! constraint folds to one literal, "not more than that".

use elinvar_ir::{BitVec, ExprId, Pool, Sort, SortError, SystemBuilder, TransitionSystem};

use super::Game;

/// The name of the input that limits the number of pebbles; no other input has it.
pub const LIMIT: &str = "limit";

/// The game with the limit as an input, in every cycle anew.
///
/// Registers are the vertices, inputs the moves in the same order and then the
/// limit; the limit has as many bits as the number of vertices needs. Bad, by the
/// name of `pebbled`, is the configuration in which exactly the outputs are.
pub fn pebbling(game: &Game) -> TransitionSystem {
    let limit = |b: &mut SystemBuilder| b.input(Sort::Bv(limit_width(game)), Some(LIMIT));
    build(game, limit).expect("the sorts fit")
}

/// The game with a fixed limit, which is not an input.
pub fn pebbling_within(game: &Game, limit: usize) -> TransitionSystem {
    // More than all vertices are never pebbled.
    let limit = BitVec::new(limit_width(game), limit.min(game.vertices()) as u64);
    build(game, |b| Ok(b.pool.constant(limit))).expect("the sorts fit")
}

fn limit_width(game: &Game) -> u32 {
    game.vertices().ilog2() + 1
}

fn build(
    game: &Game,
    limit: impl FnOnce(&mut SystemBuilder) -> Result<ExprId, SortError>,
) -> Result<TransitionSystem, SortError> {
    let mut b = SystemBuilder::new();
    let mut pebbles = Vec::new();
    let mut moves = Vec::new();
    for name in game.names() {
        pebbles.push(b.state(Sort::BOOL, Some(name))?);
        moves.push(b.input(Sort::BOOL, Some(&format!("move_{name}")))?);
    }
    for (vertex, &pebble) in pebbles.iter().enumerate() {
        let mut changes = moves[vertex];
        for &predecessor in game.predecessors(vertex) {
            let stays = b.pool.not(moves[predecessor])?;
            changes = b.pool.conjoin([changes, pebbles[predecessor], stays])?;
        }
        b.states[vertex].init = Some(b.pool.bool(false));
        b.states[vertex].next = Some(b.pool.xor(pebble, changes)?);
    }
    let limit = limit(&mut b)?;
    let within = within(&mut b.pool, &pebbles, limit)?;
    b.constraints.push(within);
    let mut wanted = Vec::new();
    for (vertex, &pebble) in pebbles.iter().enumerate() {
        let output = game.outputs().contains(&vertex);
        wanted.push(if output { pebble } else { b.pool.not(pebble)? });
    }
    let goal = b.pool.conjoin(wanted)?;
    b.bad("pebbled", goal);
    Ok(b.finish().expect("every register has its next value"))
}

/// At most `limit` of the bits are set: ¬⋁ⱼ (limit = j ∧ more than j are set).
fn within(pool: &mut Pool, bits: &[ExprId], limit: ExprId) -> Result<ExprId, SortError> {
    let width = pool.width(limit);
    let mut over = pool.bool(false);
    for (j, more) in count(pool, bits)?.into_iter().enumerate() {
        let j = pool.constant(BitVec::new(width, j as u64));
        let chosen = pool.equal(limit, j)?;
        let exceeded = pool.and(chosen, more)?;
        over = pool.or(over, exceeded)?;
    }
    pool.not(over)
}

/// The number of set bits in unary: bit j says that it is more than j.
fn count(pool: &mut Pool, bits: &[ExprId]) -> Result<Vec<ExprId>, SortError> {
    let mut counts: Vec<Vec<ExprId>> = bits.iter().map(|&bit| vec![bit]).collect();
    while counts.len() > 1 {
        let pairs = counts.chunks(2).map(|pair| match pair {
            [left, right] => sum(pool, left, right),
            alone => Ok(alone.concat()),
        });
        counts = pairs.collect::<Result<_, _>>()?;
    }
    Ok(counts.pop().unwrap_or_default())
}

/// More than k in both: for some i + j = k + 1, at least i here and at least j there.
fn sum(pool: &mut Pool, left: &[ExprId], right: &[ExprId]) -> Result<Vec<ExprId>, SortError> {
    let always = pool.bool(true);
    let at_least = |count: &[ExprId], i: usize| if i == 0 { always } else { count[i - 1] };
    let mut total = Vec::with_capacity(left.len() + right.len());
    for sum in 1..=left.len() + right.len() {
        let mut more = pool.bool(false);
        for i in sum.saturating_sub(right.len())..=sum.min(left.len()) {
            let both = pool.and(at_least(left, i), at_least(right, sum - i))?;
            more = pool.or(more, both)?;
        }
        total.push(more);
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use crate::{Outcome, search};
    use elinvar_ir::{Evaluator, PropertyId, Role, cone, substitute};

    use super::super::chain;
    use super::super::tests::{for_random_games, game, optimum};
    use super::*;

    const BUDGET: usize = 1_000_000;

    /// The smallest limit with which the system reaches its goal.
    fn least_limit(game: &Game) -> usize {
        let reached = |&limit: &usize| {
            let outcome = search(&pebbling_within(game, limit), BUDGET).unwrap();
            assert_eq!(outcome.len(), 1);
            outcome[0] != (PropertyId(0), Outcome::Safe)
        };
        (0..=game.vertices()).find(reached).unwrap()
    }

    #[test]
    fn the_optimum_is_that_of_single_moves() {
        for_random_games(3, 60, 5, |game, _| {
            assert_eq!(least_limit(game), optimum(game), "{game:?}");
        });
        assert_eq!(least_limit(&chain(7).unwrap()), 4);
        let edges: Vec<_> = (0..5).map(|from| (from, 5)).collect();
        assert_eq!(least_limit(&game(6, &edges, &[5])), 6);
    }

    #[test]
    fn moves_are_parallel() {
        // Two vertices at once, then the third, then the first two back.
        let system = pebbling_within(&game(3, &[(0, 2), (1, 2)], &[2]), 3);
        assert_eq!(search(&system, BUDGET), Ok(vec![(PropertyId(0), Outcome::Unsafe(3))]));
    }

    /// The limit holds in every state, for every number of vertices and limit.
    #[test]
    fn the_constraint_counts() {
        for vertices in 1..=9 {
            let all: Vec<usize> = (0..vertices).collect();
            let system = pebbling(&game(vertices, &[], &all));
            let constraint = system.constraints()[0];
            let mut evaluator = Evaluator::new(system.pool(), [constraint]);
            let width = limit_width(&game(vertices, &[], &all));
            for limit in 0..1 << width {
                for configuration in 0..1u64 << vertices {
                    let value = |symbol| match system.role_of(symbol) {
                        Some(Role::State(vertex)) => BitVec::new(1, configuration >> vertex & 1),
                        Some(Role::Input(_)) | None => BitVec::new(width, limit),
                    };
                    evaluator.run(|symbol| value(symbol).into());
                    let holds = u64::from(configuration.count_ones()) <= limit;
                    assert_eq!(evaluator.holds(constraint), holds, "{limit} {configuration:b}");
                }
            }
        }
    }

    #[test]
    fn a_constant_limit_folds_to_one_literal() {
        let game = chain(8).unwrap();
        let mut b = pebbling(&game).into_builder();
        let limit = b.inputs.last().unwrap().symbol;
        let width = limit_width(&game);
        let pebbles: Vec<ExprId> = b.states.iter().map(|state| state.symbol).collect();
        let more = count(&mut b.pool, &pebbles).unwrap();
        for (j, &more) in more.iter().enumerate() {
            let constant = b.pool.constant(BitVec::new(width, j as u64));
            let fixed = [(limit, constant)].into_iter().collect();
            let constraint = substitute(&mut b.pool, &b.constraints, &fixed)[0];
            assert_eq!(constraint, b.pool.not(more).unwrap());
        }
        let within = pebbling_within(&game, 100);
        assert!(cone(within.pool(), within.constraints().iter().copied()).len() <= 1);
    }

    #[test]
    fn names_tell_what_is_what() {
        let system = pebbling(&chain(4).unwrap());
        assert_eq!((system.state_name(0), system.input_name(3)), ("v1".into(), "move_v4".into()));
        assert_eq!(system.input_name(4), LIMIT);
        assert_eq!(system.pool().width(system.inputs()[4].symbol), 3);
        assert_eq!(system.property(PropertyId(0)).name, "pebbled");
        assert_eq!(pebbling_within(&chain(4).unwrap(), 2).inputs().len(), 4);
    }
}
