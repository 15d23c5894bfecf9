//! Rankings: why no execution meets the conditions of a liveness property forever
//! [Froleyks, Yu, Bogaerts, Biere, Heljanko, *Liveness Proofs for Hardware Model Checking*, CAV 2026].
//!
//! A justice property fails on an execution if all of its conditions, and all fairness
//! constraints of the system, hold infinitely often. Call these c₁ … cₙ. A [`Ranking`] has
//!
//! - *observers*: registers that are added to the system and read it, such as a counter;
//! - an invariant over the states and the observers;
//! - for each condition cᵢ a relation qᵢ(s, t) between two states, both with observers. Their
//!   union is Q.
//!
//! With T(s, t) for "t follows s", all states restricted to the invariant and the constraints, the
//! claims are
//!
//! - *decrease*: T(s, t) ⇒ Q(t, s);
//! - *closure*: T(s, t) ∧ Q(s, u) ⇒ Q(t, u);
//! - *consistency*: T(s, t) ∧ T(t, u) ∧ Q(s, t) ∧ Q(t, u) ∧ qᵢ(s, t) ⇒ qᵢ(t, u), for each i;
//! - *liveness*: T(s, t) ∧ qᵢ(s, t) ⇒ ¬cᵢ(s), for each i.
//!
//! On a loop of states every state comes after every other one, so decrease and closure give
//! Q(s, t) for each step of the loop. One qᵢ therefore holds of the first step; by consistency
//! it holds of all of them, so cᵢ holds nowhere on the loop. A system with finitely many states
//! whose executions all violate a property has a loop that violates it.

use rustc_hash::FxHashMap;

use crate::copy::import;
use crate::eval::cone;
use crate::expr::{ExprId, Pool, Sort, SymbolId};
use crate::system::{PropertyId, PropertyKind, State, SystemBuilder, TransitionSystem};

/// Why a justice property holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Ranking {
    /// The pool of all expressions of the ranking.
    pub pool: Pool,
    /// By symbol of the pool: what it stands for.
    pub symbols: Vec<RankingSymbol>,
    /// The registers that are added to the system.
    pub observers: Vec<Observer>,
    /// A bit over states and observers.
    pub invariant: ExprId,
    /// By condition, in the order of [`SystemBuilder::conditions`]: a bit over the states and
    /// observers of two states of the system.
    pub relation: Vec<ExprId>,
}

/// A register that reads a system and changes nothing in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observer {
    /// A name for people.
    pub name: String,
    /// The sort of the register.
    pub sort: Sort,
    /// Its initial value, over states of the system.
    pub init: ExprId,
    /// Its next value, over inputs, states and observers.
    pub next: ExprId,
}

/// What a symbol of a ranking stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RankingSymbol {
    /// An input of the system, by its number.
    Input(usize),
    /// A state of the system, by its number.
    State(usize),
    /// An observer, by its number.
    Observer(usize),
    /// A state of the system in the second state of the relation.
    OtherState(usize),
    /// An observer in the second state of the relation.
    OtherObserver(usize),
}

/// Why a ranking does not fit a system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RankingError {
    /// The property is not one of liveness.
    #[error("property {} is not a liveness property of the model", .0.0)]
    NotLiveness(PropertyId),
    /// The number of relations is not the number of conditions.
    #[error("the ranking has {found} relations for {expected} conditions")]
    RelationCount {
        /// The number of relations.
        found: usize,
        /// The number of conditions of the property.
        expected: usize,
    },
    /// A symbol stands for something that does not exist.
    #[error("symbol {0} of the ranking is not a symbol of the system")]
    UnknownSymbol(usize),
    /// A symbol stands for something that this part of the ranking must not mention.
    #[error("{part} mentions symbol {symbol}, which must not occur there")]
    Misplaced {
        /// The part of the ranking.
        part: &'static str,
        /// The number of the symbol.
        symbol: usize,
    },
    /// An expression has the wrong sort.
    #[error("{part} is {found}, expected {expected}")]
    Sort {
        /// The part of the ranking.
        part: &'static str,
        /// The sort of the expression.
        found: Sort,
        /// The sort that it must have.
        expected: Sort,
    },
}

/// A system with the observers of a ranking, and with a second copy of the states that its
/// relations mention.
#[derive(Clone, Debug)]
pub struct AttachedRanking {
    /// The states of the system, then the observers, then the copies.
    pub system: TransitionSystem,
    /// A bit over states and observers.
    pub invariant: ExprId,
    /// By condition: a bit over states, observers and copies.
    pub relation: Vec<ExprId>,
    /// The conditions of the property.
    pub conditions: Vec<ExprId>,
    /// By copy: the number of the state or observer in `system`, and the copy's symbol.
    pub others: Vec<(usize, ExprId)>,
}

impl SystemBuilder {
    /// What holds infinitely often on an execution that violates a liveness property: the
    /// fairness constraints, then the conditions of the property. Never empty: true stands for
    /// no condition at all. `None` if the property does not exist or is one of safety.
    pub fn conditions(&mut self, property: PropertyId) -> Option<Vec<ExprId>> {
        let PropertyKind::Justice(own) = &self.properties.get(property.0)?.kind else {
            return None;
        };
        let mut conditions = self.fairness.clone();
        conditions.extend(own);
        if conditions.is_empty() {
            conditions.push(self.pool.bool(true));
        }
        Some(conditions)
    }
}

/// What a part of a ranking may mention.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Initial,
    Next,
    Invariant,
    Relation,
}

impl Scope {
    fn allows(self, symbol: RankingSymbol) -> bool {
        match symbol {
            RankingSymbol::Input(_) => self == Scope::Next,
            RankingSymbol::State(_) => true,
            RankingSymbol::Observer(_) => self != Scope::Initial,
            RankingSymbol::OtherState(_) | RankingSymbol::OtherObserver(_) => {
                self == Scope::Relation
            }
        }
    }
}

impl Ranking {
    /// The number of nodes of the ranking, its symbols and constants included.
    pub fn size(&self) -> usize {
        let observers = self.observers.iter().flat_map(|observer| [observer.init, observer.next]);
        let roots = observers.chain([self.invariant]).chain(self.relation.iter().copied());
        cone(&self.pool, roots).len()
    }

    /// Extends a system by what the ranking mentions.
    ///
    /// # Errors
    /// If the ranking is not one for this property of the system.
    pub fn attach(
        &self,
        system: &TransitionSystem,
        property: PropertyId,
    ) -> Result<AttachedRanking, RankingError> {
        self.check_parts()?;
        let mut builder = system.clone().into_builder();
        let not_liveness = RankingError::NotLiveness(property);
        let conditions = builder.conditions(property).ok_or(not_liveness)?;
        let (found, expected) = (self.relation.len(), conditions.len());
        if found != expected {
            return Err(RankingError::RelationCount { found, expected });
        }
        let first = builder.states.len();
        for observer in &self.observers {
            let name = Some(observer.name.as_str()).filter(|name| !name.is_empty());
            let symbol = builder.pool.symbol(observer.sort, name).expect("a sort of the pool");
            builder.states.push(State { symbol, init: None, next: None });
        }
        let (meaning, others) = self.meanings(&mut builder, first)?;
        let mut copy = |expr| import(&mut builder.pool, &self.pool, expr, &meaning);
        let invariant = copy(self.invariant);
        let relation = self.relation.iter().map(|&expr| copy(expr)).collect();
        let values: Vec<(ExprId, ExprId)> = (self.observers.iter())
            .map(|observer| (copy(observer.init), copy(observer.next)))
            .collect();
        for (state, (init, next)) in builder.states[first..].iter_mut().zip(values) {
            (state.init, state.next) = (Some(init), Some(next));
        }
        let system = builder.finish().expect("an extension of a well-formed system");
        Ok(AttachedRanking { system, invariant, relation, conditions, others })
    }

    /// Every part mentions only what it may, and has the right sort.
    fn check_parts(&self) -> Result<(), RankingError> {
        self.check_part("the invariant", self.invariant, Sort::BOOL, Scope::Invariant)?;
        for &expr in &self.relation {
            self.check_part("a relation", expr, Sort::BOOL, Scope::Relation)?;
        }
        for observer in &self.observers {
            let &Observer { sort, init, next, .. } = observer;
            self.check_part("the initial value of an observer", init, sort, Scope::Initial)?;
            self.check_part("the next value of an observer", next, sort, Scope::Next)?;
        }
        Ok(())
    }

    fn check_part(
        &self,
        part: &'static str,
        expr: ExprId,
        expected: Sort,
        scope: Scope,
    ) -> Result<(), RankingError> {
        let found = self.pool.sort(expr);
        if found != expected {
            return Err(RankingError::Sort { part, found, expected });
        }
        for symbol in self.mentioned([expr]) {
            let number = symbol.index();
            match self.symbols.get(number) {
                None => return Err(RankingError::UnknownSymbol(number)),
                Some(&meaning) if scope.allows(meaning) => {}
                Some(_) => return Err(RankingError::Misplaced { part, symbol: number }),
            }
        }
        Ok(())
    }

    /// The symbols that occur in some expressions.
    fn mentioned(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<SymbolId> {
        cone(&self.pool, roots).into_iter().filter_map(|node| self.pool.as_symbol(node)).collect()
    }

    /// By symbol of the ranking: its expression in the builder, which has the observers from
    /// state `first` on; and the copies, which are added.
    #[expect(clippy::type_complexity, reason = "two results of one walk")]
    fn meanings(
        &self,
        builder: &mut SystemBuilder,
        first: usize,
    ) -> Result<(FxHashMap<ExprId, ExprId>, Vec<(usize, ExprId)>), RankingError> {
        let observers = self.observers.iter().flat_map(|observer| [observer.init, observer.next]);
        let roots = observers.chain([self.invariant]).chain(self.relation.iter().copied());
        let mut meaning = FxHashMap::default();
        let mut others: Vec<(usize, ExprId)> = Vec::new();
        for symbol in self.mentioned(roots) {
            let number = symbol.index();
            let unknown = RankingError::UnknownSymbol(number);
            let expr = self.pool.symbol_expr(symbol);
            let sort = self.pool.sort(expr);
            let (state, other) = match self.symbols[number] {
                RankingSymbol::Input(index) => {
                    let input = builder.inputs.get(index).ok_or(unknown)?.symbol;
                    check_sort(sort, builder.pool.sort(input))?;
                    meaning.insert(expr, input);
                    continue;
                }
                RankingSymbol::State(index) => (Some(index).filter(|&i| i < first), false),
                RankingSymbol::OtherState(index) => (Some(index).filter(|&i| i < first), true),
                RankingSymbol::Observer(index) => (first.checked_add(index), false),
                RankingSymbol::OtherObserver(index) => (first.checked_add(index), true),
            };
            let count = first + self.observers.len();
            let index = state.filter(|&index| index < count).ok_or(unknown)?;
            let original = builder.states[index].symbol;
            check_sort(sort, builder.pool.sort(original))?;
            let known = || others.iter().find(|&&(of, _)| of == index).map(|&(_, copy)| copy);
            let stands_for = match (other, if other { known() } else { None }) {
                (false, _) => original,
                (true, Some(copy)) => copy,
                (true, None) => {
                    let copy = builder.pool.symbol(sort, None).expect("a sort of the pool");
                    builder.states.push(State { symbol: copy, init: None, next: None });
                    others.push((index, copy));
                    copy
                }
            };
            meaning.insert(expr, stands_for);
        }
        Ok((meaning, others))
    }
}

fn check_sort(found: Sort, expected: Sort) -> Result<(), RankingError> {
    if found == expected {
        Ok(())
    } else {
        Err(RankingError::Sort { part: "a symbol", found, expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bit that a request sets, and the property that it is not set infinitely often.
    fn model() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let set = b.input(Sort::BOOL, Some("set")).unwrap();
        let bit = b.state(Sort::BOOL, Some("bit")).unwrap();
        b.states[0].next = Some(set);
        b.fairness.push(set);
        b.properties.push(crate::Property::new("p", PropertyKind::Justice(vec![bit])));
        b.bad("q", bit);
        b.finish().unwrap()
    }

    /// An observer of the input, and relations over everything that they may mention.
    fn ranking() -> Ranking {
        let mut pool = Pool::default();
        let kinds = [
            RankingSymbol::Input(0),
            RankingSymbol::State(0),
            RankingSymbol::Observer(0),
            RankingSymbol::OtherState(0),
            RankingSymbol::OtherObserver(0),
        ];
        let s: Vec<ExprId> = kinds.iter().map(|_| pool.symbol(Sort::BOOL, None).unwrap()).collect();
        let invariant = pool.or(s[1], s[2]).unwrap();
        let [left, right] = [s[1], s[2]].map(|own| pool.and(own, s[3]).unwrap());
        let right = pool.and(right, s[4]).unwrap();
        let init = pool.bool(false);
        let observer = Observer { name: "seen".into(), sort: Sort::BOOL, init, next: s[0] };
        let (symbols, observers) = (kinds.to_vec(), vec![observer]);
        Ranking { pool, symbols, observers, invariant, relation: vec![left, right] }
    }

    #[test]
    fn a_ranking_extends_the_system() {
        let attached = ranking().attach(&model(), PropertyId(0)).unwrap();
        let states = attached.system.states();
        assert_eq!(states.len(), 4);
        assert_eq!(attached.system.state_name(1), "seen");
        assert_eq!(attached.others, [(0, states[2].symbol), (1, states[3].symbol)]);
        assert_eq!(attached.conditions.len(), 2);
    }

    #[test]
    fn a_ranking_that_does_not_fit_is_refused() {
        let (model, good) = (model(), ranking());
        let refused = |change: &dyn Fn(&mut Ranking)| {
            let mut wrong = good.clone();
            change(&mut wrong);
            wrong.attach(&model, PropertyId(0)).unwrap_err()
        };
        assert_eq!(
            good.attach(&model, PropertyId(1)).unwrap_err(),
            RankingError::NotLiveness(PropertyId(1))
        );
        assert_eq!(
            good.attach(&model, PropertyId(7)).unwrap_err(),
            RankingError::NotLiveness(PropertyId(7))
        );
        let missing = RankingError::RelationCount { found: 1, expected: 2 };
        assert_eq!(refused(&|r| r.relation.truncate(1)), missing);
        let misplaced = RankingError::Misplaced { part: "the invariant", symbol: 1 };
        assert_eq!(refused(&|r| r.symbols[1] = RankingSymbol::OtherState(0)), misplaced);
        assert_eq!(refused(&|r| r.symbols[1] = RankingSymbol::Input(0)), misplaced);
        let misplaced =
            RankingError::Misplaced { part: "the next value of an observer", symbol: 0 };
        assert_eq!(refused(&|r| r.symbols[0] = RankingSymbol::OtherObserver(0)), misplaced);
        let next = |r: &mut Ranking| r.observers[0].init = r.observers[0].next;
        let misplaced =
            RankingError::Misplaced { part: "the initial value of an observer", symbol: 0 };
        assert_eq!(refused(&next), misplaced);
        for (symbol, meaning) in [
            (0, RankingSymbol::Input(1)),
            (1, RankingSymbol::State(1)),
            (2, RankingSymbol::Observer(1)),
            (2, RankingSymbol::Observer(usize::MAX)),
            (3, RankingSymbol::OtherState(1)),
        ] {
            let unknown = RankingError::UnknownSymbol(symbol);
            assert_eq!(refused(&|r| r.symbols[symbol] = meaning), unknown);
        }
        assert_eq!(refused(&|r| r.symbols.truncate(4)), RankingError::UnknownSymbol(4));
        let wide = |r: &mut Ranking| r.invariant = r.pool.uext(r.invariant, 1).unwrap();
        assert!(matches!(refused(&wide), RankingError::Sort { part: "the invariant", .. }));
        let wide = |r: &mut Ranking| r.observers[0].sort = Sort::Bv(2);
        assert!(matches!(refused(&wide), RankingError::Sort { .. }));
    }

    #[test]
    fn a_property_without_conditions_has_one_that_always_holds() {
        let mut b = SystemBuilder::new();
        b.properties.push(crate::Property::new("p", PropertyKind::Justice(vec![])));
        let conditions = b.conditions(PropertyId(0)).unwrap();
        assert_eq!(conditions, [b.pool.bool(true)]);
        assert_eq!(b.conditions(PropertyId(1)), None);
    }
}
