//! Properties that are the same but for the symbols that they are about.
//!
//! Let R pair expressions of a system with others, one to one, such that paired expressions are
//! the same operator of operands that are paired, or both inputs, or both states whose initial
//! and next values are paired, and such that the bad bit of a property is paired with that of
//! another, and the constraints with the constraints. Then each counterexample of the first
//! property is one of the second: in every cycle, a symbol of the second has the value of its
//! partner. By induction on the expressions all partners have the same values, so constraints
//! hold and the last cycle is bad. Symbols without a partner matter to neither the constraints
//! nor the bad bit, and have the values that their functions give. So the first property holds
//! if the second one does.

use std::collections::BTreeSet;

use elinvar_ir::{Expr, ExprId, PropertyId, Role, TransitionSystem};

use crate::refusal::{Refusal, bad_of};

/// A node, and whether it is complemented.
type Edge = (ExprId, bool);

fn edge(id: ExprId) -> Edge {
    (id.regular(), id.is_complement())
}

/// Judges claims that properties of a system are the same as others. Tables of the size of the
/// system serve all claims, each of which is judged by itself.
pub struct Renaming<'a> {
    system: &'a TransitionSystem,
    /// By the number of an expression without complement: its partner, without complement.
    partners: Vec<Option<ExprId>>,
    /// By number: is it the partner of an expression?
    taken: Vec<bool>,
}

impl<'a> Renaming<'a> {
    /// Knows no pairs.
    pub fn new(system: &'a TransitionSystem) -> Self {
        let count = system.pool().len();
        Renaming { system, partners: vec![None; count], taken: vec![false; count] }
    }

    /// Accepts the claim that `property` holds if `proved` does: the pairs list what the first
    /// depends on, each with what takes its place in the second.
    pub fn judge(
        &mut self,
        property: PropertyId,
        proved: PropertyId,
        pairs: &[(ExprId, ExprId)],
    ) -> Result<(), Refusal> {
        let judged = self.note(pairs).and_then(|()| self.judge_noted(property, proved, pairs));
        self.forget(pairs);
        judged
    }

    fn is_node(&self, id: ExprId) -> bool {
        !id.is_complement() && id.node() < self.partners.len()
    }

    /// Refuses pairs that are not one to one.
    fn note(&mut self, pairs: &[(ExprId, ExprId)]) -> Result<(), Refusal> {
        for &(from, to) in pairs {
            let is_new = self.is_node(from)
                && self.is_node(to)
                && self.partners[from.node()].replace(to).is_none()
                && !std::mem::replace(&mut self.taken[to.node()], true);
            if !is_new {
                return Err(Refusal::Renaming { node: from.node() });
            }
        }
        Ok(())
    }

    /// Nothing is left of a claim when the next one is judged.
    fn forget(&mut self, pairs: &[(ExprId, ExprId)]) {
        for &(from, to) in pairs {
            if let Some(partner) = self.partners.get_mut(from.node()) {
                *partner = None;
            }
            if let Some(taken) = self.taken.get_mut(to.node()) {
                *taken = false;
            }
        }
    }

    fn judge_noted(
        &self,
        property: PropertyId,
        proved: PropertyId,
        pairs: &[(ExprId, ExprId)],
    ) -> Result<(), Refusal> {
        let (bad, partner) = (bad_of(self.system, property)?, bad_of(self.system, proved)?);
        for &(from, to) in pairs {
            if !self.is_same(from, to) {
                return Err(Refusal::Renaming { node: from.node() });
            }
        }
        if !self.maps(bad, partner) {
            return Err(Refusal::RenamedProperty);
        }
        let constraints = || self.system.constraints().iter();
        let images: Option<BTreeSet<Edge>> = constraints().map(|&id| self.image(id)).collect();
        if images != Some(constraints().map(|&id| edge(id)).collect()) {
            return Err(Refusal::RenamedConstraints);
        }
        Ok(())
    }

    /// What takes the place of an expression.
    fn image(&self, expr: ExprId) -> Option<Edge> {
        Some((self.partners[expr.node()]?, expr.is_complement()))
    }

    fn maps(&self, from: ExprId, to: ExprId) -> bool {
        self.image(from) == Some(edge(to))
    }

    fn maps_all<const N: usize>(&self, from: [ExprId; N], to: [ExprId; N]) -> bool {
        from.into_iter().zip(to).all(|(from, to)| self.maps(from, to))
    }

    /// The same for functions of states, which need not exist.
    fn maps_function(&self, from: Option<ExprId>, to: Option<ExprId>) -> bool {
        match (from, to) {
            (None, None) => true,
            (Some(from), Some(to)) => self.maps(from, to),
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    /// Is it the same operator, of operands that are partners?
    fn is_same(&self, from: ExprId, to: ExprId) -> bool {
        let (system, pool) = (self.system, self.system.pool());
        if pool.sort(from) != pool.sort(to) {
            return false;
        }
        match (pool.get(from), pool.get(to)) {
            (Expr::Const(a), Expr::Const(b)) => a == b,
            (Expr::Symbol(a), Expr::Symbol(b)) => match (system.role(a), system.role(b)) {
                (Role::Input(_), Role::Input(_)) => true,
                (Role::State(a), Role::State(b)) => {
                    let (a, b) = (system.states()[a], system.states()[b]);
                    self.maps_function(a.init, b.init) && self.maps_function(a.next, b.next)
                }
                (Role::Input(_), Role::State(_)) | (Role::State(_), Role::Input(_)) => false,
            },
            (Expr::Unary(f, a), Expr::Unary(g, b)) => f == g && self.maps(a, b),
            (Expr::Binary(f, a, b), Expr::Binary(g, c, d)) => {
                let is_swapped = || f.is_commutative() && self.maps_all([a, b], [d, c]);
                f == g && (self.maps_all([a, b], [c, d]) || is_swapped())
            }
            (
                Expr::Slice { arg: a, hi: first, lo: last },
                Expr::Slice { arg: b, hi: other_first, lo: other_last },
            ) => (first, last) == (other_first, other_last) && self.maps(a, b),
            (Expr::Uext { arg: a, by }, Expr::Uext { arg: b, by: other })
            | (Expr::Sext { arg: a, by }, Expr::Sext { arg: b, by: other }) => {
                by == other && self.maps(a, b)
            }
            (Expr::Ite(a, b, c), Expr::Ite(d, e, f))
            | (Expr::Write(a, b, c), Expr::Write(d, e, f)) => self.maps_all([a, b, c], [d, e, f]),
            (Expr::Read(a, b), Expr::Read(c, d)) => self.maps_all([a, b], [c, d]),
            (Expr::ConstArray(a), Expr::ConstArray(b)) => self.maps(a, b),
            (Expr::ArrayEq(a, b), Expr::ArrayEq(c, d)) => {
                self.maps_all([a, b], [c, d]) || self.maps_all([a, b], [d, c])
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{BitVec, PropertyKind, Rng, SystemBuilder, copied, rebuild};
    use elinvar_models::{Generator, Outcome, Shape, search};
    use rustc_hash::FxHashMap;

    type Pairs = Vec<(ExprId, ExprId)>;

    fn judge(
        system: &TransitionSystem,
        property: usize,
        proved: usize,
        pairs: &Pairs,
    ) -> Result<(), Refusal> {
        Renaming::new(system).judge(PropertyId(property), PropertyId(proved), pairs)
    }

    /// Adds a copy of a system; returns the copies of its nodes. The constant with this number in
    /// its pool has another value in the copy.
    fn add(
        b: &mut SystemBuilder,
        system: &TransitionSystem,
        changed: Option<usize>,
    ) -> Vec<ExprId> {
        let source = system.pool();
        let mut copies: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for node in source.ids() {
            let sort = source.sort(node);
            let copy = match source.get(node) {
                Expr::Const(value) if changed == Some(node.node()) => b.pool.constant(value.not()),
                Expr::Const(value) => b.pool.constant(value),
                Expr::Symbol(symbol) => match system.role(symbol) {
                    Role::Input(_) => b.input(sort, None).unwrap(),
                    Role::State(_) => b.state(sort, None).unwrap(),
                },
                expr => rebuild(&mut b.pool, expr, sort, &copies),
            };
            copies.insert(node, copy);
        }
        for state in system.states() {
            let symbol = copies[&state.symbol];
            let [init, next] = [state.init, state.next]
                .map(|function| function.map(|id| copied(&mut b.pool, &copies, id)));
            let copy = b.states.iter_mut().find(|copy| copy.symbol == symbol).unwrap();
            (copy.init, copy.next) = (init, next);
        }
        for &constraint in system.constraints() {
            let constraint = copied(&mut b.pool, &copies, constraint);
            b.constraints.push(constraint);
        }
        for (id, bad) in system.bads() {
            let bad = copied(&mut b.pool, &copies, bad);
            b.bad(system.property(id).name.clone(), bad);
        }
        source.ids().map(|node| copies[&node]).collect()
    }

    /// A system twice, and the pairs that exchange the copies.
    fn twice(system: &TransitionSystem, changed: Option<usize>) -> (TransitionSystem, Pairs) {
        let mut b = SystemBuilder::verbatim();
        let (first, second) = (add(&mut b, system, None), add(&mut b, system, changed));
        let pairs = first.iter().zip(&second).map(|(a, b)| (a.regular(), b.regular()));
        let both: BTreeSet<_> = pairs.flat_map(|(a, b)| [(a, b), (b, a)]).collect();
        (b.finish().unwrap(), both.into_iter().collect())
    }

    fn bads(system: &TransitionSystem) -> Vec<ExprId> {
        system.bads().map(|(_, bad)| bad).collect()
    }

    fn random(seed: u64) -> TransitionSystem {
        let shape = [Shape::BITS, Shape::WORDS, Shape::ARRAYS][seed as usize % 3];
        let small = Shape { max_states: 2, max_inputs: 1, max_properties: 1, ..shape };
        Generator::verbatim(seed, small)
    }

    #[test]
    fn copies_are_accepted_and_every_corruption_is_refused() {
        let mut refused = 0;
        // The last expression of a pool that is larger than any other here.
        let mut pool = elinvar_ir::Pool::new();
        let constants = (0..5000).map(|value| pool.constant(BitVec::new(20, value)));
        let outside = constants.last().unwrap();
        for seed in 0..200 {
            let system = random(seed);
            let count = system.properties().len();
            let (double, pairs) = twice(&system, None);
            assert_eq!(judge(&double, count, 0, &pairs), Ok(()), "seed {seed}");
            assert_eq!(judge(&double, 0, count, &pairs), Ok(()), "seed {seed}");
            // Without a pair that is needed.
            let mut rng = Rng::new(seed);
            let bad = double.bad(PropertyId(0)).unwrap().regular();
            let incomplete: Pairs =
                pairs.iter().copied().filter(|&(from, _)| from != bad).collect();
            assert!(judge(&double, 0, count, &incomplete).is_err(), "seed {seed}");
            // Nothing is left of one claim when the next one is judged.
            let mut renaming = Renaming::new(&double);
            let mut again =
                |pairs: &Pairs| renaming.judge(PropertyId(0), PropertyId(count), pairs).is_ok();
            let more: Pairs = pairs.iter().copied().chain([pairs[0]]).collect();
            let judged = [&pairs, &incomplete, &pairs, &more, &pairs].map(&mut again);
            assert_eq!(judged, [true, false, true, false, true], "seed {seed}");
            // A pair twice, a pair of a complement, and one outside of the pool.
            let pair = pairs[rng.below(pairs.len())];
            let complement = double.constraints().iter().copied().chain(bads(&double));
            let complement = complement.filter(|id| id.is_complement()).map(|id| (id, pair.1));
            for wrong in complement.chain([pair, (outside, pair.1)]) {
                let more = pairs.iter().copied().chain([wrong]).collect();
                assert!(matches!(judge(&double, 0, count, &more), Err(Refusal::Renaming { .. })));
            }
            // A property in place of its negation.
            let mut b = double.clone().into_builder();
            let bad = b.properties[0].bits()[0];
            b.properties[0].kind = PropertyKind::Bad(b.pool.not(bad).unwrap());
            let negated = b.finish().unwrap();
            assert_eq!(judge(&negated, 0, count, &pairs), Err(Refusal::RenamedProperty));
            // A register that starts or goes on differently.
            for place in 0..double.states().len() {
                let mut b = double.clone().into_builder();
                let is_init = rng.one_in(2);
                let state = &mut b.states[place];
                let function = if is_init { &mut state.init } else { &mut state.next };
                *function = match *function {
                    Some(id) if rng.one_in(2) && !double.pool().sort(id).is_array() => {
                        Some(b.pool.not(id).unwrap())
                    }
                    Some(_) => None,
                    None => continue,
                };
                let Ok(changed) = b.finish() else { continue };
                let judged = judge(&changed, 0, count, &pairs);
                assert!(matches!(judged, Err(Refusal::Renaming { .. })), "seed {seed}");
                refused += 1;
            }
            // A constraint of one copy only.
            let mut b = double.clone().into_builder();
            let more = b.properties[0].bits()[0];
            // A constant is a constraint of both.
            let is_own = pairs.iter().any(|&(a, b)| a == more.regular() && a != b);
            if is_own && !b.constraints.contains(&more) {
                b.constraints.push(more);
                b.constraint_origins.clear();
                if let Ok(changed) = b.finish() {
                    let judged = judge(&changed, 0, count, &pairs);
                    assert_eq!(judged, Err(Refusal::RenamedConstraints), "seed {seed}");
                }
            }
        }
        assert!(refused > 200, "{refused}");
    }

    #[test]
    fn other_constants_and_other_operators_are_refused() {
        for seed in 0..200 {
            let system = random(seed);
            let pool = system.pool();
            let changed = pool.ids().find(|&id| matches!(pool.get(id), Expr::Const(_)));
            let Some(changed) = changed else { continue };
            let (double, pairs) = twice(&system, Some(changed.node()));
            let judged = judge(&double, 0, system.properties().len(), &pairs);
            assert!(matches!(judged, Err(Refusal::Renaming { .. })), "seed {seed}");
        }
        let mut b = SystemBuilder::verbatim();
        let [x, y, z, w] = [(); 4].map(|()| b.input(elinvar_ir::Sort::Bv(2), None).unwrap());
        let pool = &mut b.pool;
        let less = pool.binary(elinvar_ir::BinaryOp::Ult, x, y).unwrap();
        let signed = pool.binary(elinvar_ir::BinaryOp::Slt, z, w).unwrap();
        let more = pool.binary(elinvar_ir::BinaryOp::Ult, w, z).unwrap();
        for bad in [less, signed, more] {
            b.bad("p", bad);
        }
        let system = b.finish().unwrap();
        let straight = [(x, z), (y, w)];
        let with = |pair| straight.iter().copied().chain([pair]).collect();
        assert!(judge(&system, 0, 1, &with((less, signed))).is_err());
        assert!(judge(&system, 0, 2, &with((less, more))).is_err());
        assert_eq!(judge(&system, 0, 2, &vec![(x, w), (y, z), (less, more)]), Ok(()));
        // Two inputs must not become one.
        assert!(judge(&system, 0, 2, &vec![(x, w), (y, w), (less, more)]).is_err());
        assert_eq!(judge(&system, 9, 0, &vec![]), Err(Refusal::NoSuchProperty(PropertyId(9))));
    }

    /// Whatever is accepted has the same verdict by explicit search.
    #[test]
    fn what_is_accepted_has_the_same_verdict() {
        let (mut accepted, mut unsafe_ones) = (0, 0);
        for seed in 0..400 {
            let system = random(seed);
            let mut rng = Rng::new(seed);
            let (double, mut pairs) = twice(&system, None);
            // Partners of some pairs are exchanged at random, which is a symmetry at times.
            for _ in 0..rng.below(3) {
                let (one, two) = (rng.below(pairs.len()), rng.below(pairs.len()));
                (pairs[one].1, pairs[two].1) = (pairs[two].1, pairs[one].1);
            }
            let count = system.properties().len();
            if judge(&double, 0, count, &pairs).is_err() {
                continue;
            }
            let Ok(found) = search(&double, 20_000) else { continue };
            let is_safe = |at: usize| found[at].1 == Outcome::Safe;
            assert_eq!(is_safe(0), is_safe(count), "seed {seed}");
            accepted += 1;
            unsafe_ones += usize::from(!is_safe(0));
        }
        assert!(accepted > 60 && unsafe_ones > 10, "{accepted} {unsafe_ones}");
    }
}
