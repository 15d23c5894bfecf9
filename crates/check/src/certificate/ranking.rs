//! Proves rankings: the claims of [`elinvar_ir::Ranking`], which has the argument why they
//! imply a liveness property.
//!
//! The system is extended by the observers. They are functions of the system and restrict
//! nothing, so every execution of the system is one of the extension. A relation is encoded in a
//! frame of its own, whose states are those of its first state and whose copies are those of the
//! second.

use std::collections::BTreeSet;

use elinvar_ir::{AttachedRanking, ExprId, PropertyId, Ranking, TransitionSystem};

use crate::encode::{Encoder, Frame};
use crate::refusal::Refusal;
use crate::relation::Relations;
use crate::solver::{Budget, Lit};

/// Accepts a ranking that proves the liveness property.
pub(super) fn prove(
    system: &TransitionSystem,
    property: PropertyId,
    ranking: &Ranking,
    budget: &Budget,
) -> Result<(), Refusal> {
    let attached = ranking.attach(system, property).map_err(Refusal::Ranking)?;
    let claims = Claims { relevant: relevant(&attached), attached: &attached, budget };
    claims.initiation()?;
    claims.consecution()?;
    claims.decrease()?;
    claims.liveness()?;
    claims.closure()?;
    claims.consistency()
}

/// All states and observers on which a part of the ranking or a constraint depends.
fn relevant(attached: &AttachedRanking) -> BTreeSet<usize> {
    let system = &attached.system;
    let others = attached.others.iter().map(|&(state, _)| system.states()[state].symbol);
    let parts = [attached.invariant].into_iter().chain(attached.relation.iter().copied());
    let roots = parts.chain(others).chain(system.constraints().iter().copied());
    system.cone_of_influence(roots)
}

struct Claims<'a> {
    attached: &'a AttachedRanking,
    relevant: BTreeSet<usize>,
    budget: &'a Budget,
}

impl<'a> Claims<'a> {
    /// SAT?  I ∧ C ∧ ¬Inv
    fn initiation(&self) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(self.budget);
        let mut frame = Frame::initial(&mut encoder, &self.attached.system, &self.relevant)?;
        frame.constrain(&mut encoder)?;
        let claim = frame.encode_bit(&mut encoder, self.attached.invariant)?;
        encoder.assert(!claim);
        encoder.expect_unsat(Refusal::RankingInitiation)
    }

    /// SAT?  Inv(s) ∧ C(s) ∧ T(s, t) ∧ C(t) ∧ ¬Inv(t)
    fn consecution(&self) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(self.budget);
        let mut frame = self.state(&mut encoder)?;
        let mut following = frame.successor(&mut encoder, &self.relevant)?;
        following.constrain(&mut encoder)?;
        let claim = following.encode_bit(&mut encoder, self.attached.invariant)?;
        encoder.assert(!claim);
        encoder.expect_unsat(Refusal::RankingConsecution)
    }

    /// SAT?  T(s, t) ∧ qᵢ(s, t) ∧ cᵢ(s), for any i
    fn liveness(&self) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(self.budget);
        let mut s = self.state(&mut encoder)?;
        let mut t = self.after(&mut encoder, &mut s)?;
        let related = self.relations(&mut encoder, &mut s, &mut t)?;
        let mut violations = Vec::new();
        for (&condition, related) in self.attached.conditions.iter().zip(related) {
            let condition = s.encode_bit(&mut encoder, condition)?;
            violations.push(encoder.all(&[related, condition]));
        }
        encoder.assert_any(violations);
        encoder.expect_unsat(Refusal::Liveness)
    }

    fn inside(&self, encoder: &mut Encoder, mut frame: Frame<'a>) -> Result<Frame<'a>, Refusal> {
        frame.assume(encoder, self.attached.invariant)?;
        frame.constrain(encoder)?;
        Ok(frame)
    }
}

impl<'a> Relations<'a> for Claims<'a> {
    fn budget(&self) -> &Budget {
        self.budget
    }

    fn count(&self) -> usize {
        self.attached.relation.len()
    }

    fn state(&self, encoder: &mut Encoder) -> Result<Frame<'a>, Refusal> {
        self.inside(encoder, Frame::free(&self.attached.system))
    }

    fn after(&self, encoder: &mut Encoder, state: &mut Frame<'a>) -> Result<Frame<'a>, Refusal> {
        let following = state.successor(encoder, &self.relevant)?;
        self.inside(encoder, following)
    }

    fn relations(
        &self,
        encoder: &mut Encoder,
        first: &mut Frame<'a>,
        second: &mut Frame<'a>,
    ) -> Result<Vec<Lit>, Refusal> {
        let (attached, states) = (self.attached, self.attached.system.states());
        let mut pair = Frame::free(&attached.system);
        let symbol = |&index: &usize| states[index].symbol;
        let symbols: Vec<ExprId> = self.relevant.iter().map(symbol).collect();
        let copies: BTreeSet<ExprId> = attached.others.iter().map(|&(_, copy)| copy).collect();
        for symbol in symbols.into_iter().filter(|symbol| !copies.contains(symbol)) {
            pair.set(symbol, first.encode(encoder, symbol)?);
        }
        for &(state, copy) in &attached.others {
            pair.set(copy, second.encode(encoder, states[state].symbol)?);
        }
        let relations = attached.relation.iter();
        relations.map(|&relation| pair.encode_bit(encoder, relation)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate;
    use elinvar_ir::{
        BinaryOp, BitVec, Certificate, Observer, Pool, Property, PropertyKind, RankingSymbol, Sort,
        SystemBuilder,
    };

    /// A counter that an input lets go on, up to three; the condition is that it goes on.
    fn counter(limit: u64) -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let go = b.input(Sort::BOOL, Some("go")).unwrap();
        let count = b.state(Sort::Bv(3), Some("count")).unwrap();
        let [zero, one, last] = [0, 1, limit].map(|n| b.pool.constant(BitVec::new(3, n)));
        let below = b.pool.binary(BinaryOp::Ult, count, last).unwrap();
        let moves = b.pool.and(go, below).unwrap();
        let more = b.pool.binary(BinaryOp::Add, count, one).unwrap();
        b.states[0].init = Some(zero);
        b.states[0].next = Some(b.pool.ite(moves, more, count).unwrap());
        let progress = if limit == 7 { go } else { moves };
        b.properties.push(Property::new("stops", PropertyKind::Justice(vec![progress])));
        b.finish().unwrap()
    }

    struct Parts {
        pool: Pool,
        symbols: Vec<RankingSymbol>,
    }

    impl Parts {
        fn symbol(&mut self, meaning: RankingSymbol) -> ExprId {
            self.symbols.push(meaning);
            let width = match meaning {
                RankingSymbol::Input(_) => 1,
                _ => 3,
            };
            self.pool.symbol(Sort::Bv(width), None).unwrap()
        }

        fn constant(&mut self, value: u64) -> ExprId {
            self.pool.constant(BitVec::new(3, value))
        }

        fn ranking(self, invariant: ExprId, relation: ExprId) -> Ranking {
            let Parts { pool, symbols } = self;
            Ranking { pool, symbols, observers: vec![], invariant, relation: vec![relation] }
        }
    }

    fn parts() -> Parts {
        Parts { pool: Pool::new(), symbols: Vec::new() }
    }

    /// A ranking by the counts, which are at most `bound`: the larger one is related to the
    /// smaller one, and equal ones are related unless the order is strict.
    fn by(strict: bool, bound: u64) -> Ranking {
        let mut p = parts();
        let own = p.symbol(RankingSymbol::State(0));
        let other = p.symbol(RankingSymbol::OtherState(0));
        let bound = p.constant(bound);
        let above = p.pool.binary(BinaryOp::Ult, bound, own).unwrap();
        let invariant = p.pool.not(above).unwrap();
        let [less, more] =
            [(own, other), (other, own)].map(|(a, b)| p.pool.binary(BinaryOp::Ult, a, b).unwrap());
        let relation = if strict { more } else { p.pool.not(less).unwrap() };
        p.ranking(invariant, relation)
    }

    fn judge(system: &TransitionSystem, ranking: Ranking) -> Result<(), Refusal> {
        let evidence = Certificate::Ranking(Box::new(ranking));
        certificate(system, PropertyId(0), &evidence, &Budget::default())
    }

    #[test]
    fn a_ranking_by_the_count_is_accepted_and_others_are_refused() {
        let model = counter(3);
        assert_eq!(judge(&model, by(false, 3)), Ok(()));
        assert_eq!(judge(&model, by(false, 2)), Err(Refusal::RankingConsecution));
        assert_eq!(judge(&model, by(true, 3)), Err(Refusal::Decrease));
        // Everything is related to everything: then nothing follows.
        let p = parts();
        let yes = p.pool.bool(true);
        assert_eq!(judge(&model, p.ranking(yes, yes)), Err(Refusal::Liveness));
        // The first state is excluded.
        let mut p = parts();
        let own = p.symbol(RankingSymbol::State(0));
        let zero = p.constant(0);
        let invariant = p.pool.binary(BinaryOp::Ult, zero, own).unwrap();
        assert_eq!(judge(&model, p.ranking(invariant, invariant)), Err(Refusal::RankingInitiation));
        // At most one step ahead: that is not closed under further steps.
        let mut p = parts();
        let own = p.symbol(RankingSymbol::State(0));
        let other = p.symbol(RankingSymbol::OtherState(0));
        let one = p.constant(1);
        let (after, yes) = (p.pool.binary(BinaryOp::Add, other, one).unwrap(), p.pool.bool(true));
        let same = p.pool.equal(own, other).unwrap();
        let next = p.pool.equal(own, after).unwrap();
        let near = p.pool.or(same, next).unwrap();
        assert_eq!(judge(&model, p.ranking(yes, near)), Err(Refusal::Closure));
    }

    /// At the limit, the input may still be set forever.
    #[test]
    fn a_ranking_of_a_property_that_fails_is_refused() {
        assert_eq!(judge(&counter(7), by(false, 7)), Err(Refusal::Liveness));
    }

    /// Two conditions that exclude each other: each waits for the other one.
    #[test]
    fn relations_of_several_conditions_must_be_consistent() {
        let mut b = SystemBuilder::new();
        let side = b.state(Sort::Bv(3), Some("side")).unwrap();
        b.states[0].next = Some(side);
        let zero = b.pool.constant(BitVec::new(3, 0));
        let left = b.pool.equal(side, zero).unwrap();
        let right = b.pool.not(left).unwrap();
        b.properties.push(Property::new("both", PropertyKind::Justice(vec![left, right])));
        let model = b.finish().unwrap();
        let ranking = |consistent: bool| {
            let mut p = parts();
            let own = p.symbol(RankingSymbol::State(0));
            let turn = p.symbol(RankingSymbol::Observer(0));
            let (zero, one) = (p.constant(0), p.constant(1));
            let is_left = p.pool.equal(own, zero).unwrap();
            let is_right = p.pool.not(is_left).unwrap();
            let yes = p.pool.bool(true);
            let next = p.pool.binary(BinaryOp::Add, turn, one).unwrap();
            let observer = Observer { name: "turn".into(), sort: Sort::Bv(3), init: zero, next };
            let first = p.pool.equal(turn, zero).unwrap();
            let relation = if consistent {
                vec![is_right, is_left]
            } else {
                let other = p.pool.not(first).unwrap();
                vec![p.pool.and(is_right, first).unwrap(), p.pool.or(is_left, other).unwrap()]
            };
            let Parts { pool, symbols } = p;
            Ranking { pool, symbols, observers: vec![observer], invariant: yes, relation }
        };
        assert_eq!(judge(&model, ranking(true)), Ok(()));
        let refused = judge(&model, ranking(false)).unwrap_err();
        assert!(matches!(refused, Refusal::Consistency | Refusal::Liveness), "{refused}");
    }

    #[test]
    fn a_ranking_that_does_not_fit_is_refused() {
        let refused = judge(&counter(3), Ranking { relation: vec![], ..by(false, 3) });
        assert!(matches!(refused, Err(Refusal::Ranking(_))));
    }
}
