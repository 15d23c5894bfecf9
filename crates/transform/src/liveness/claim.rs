//! Rankings from invariants of extended systems.

use elinvar_ir::{
    Certificate, ExprId, Observer, Pool, Ranking, RankingSymbol, Role, TransitionSystem, cone,
    import,
};
use rustc_hash::FxHashMap;

use super::{BITS, Order, Rounds};
use crate::lift::Inexpressible;

/// A ranking under construction, from an invariant of an extended system.
pub(super) struct Claim<'a> {
    /// The extended system, with the invariant in its pool.
    system: &'a TransitionSystem,
    source: Pool,
    invariant: ExprId,
    pub pool: Pool,
    symbols: Vec<RankingSymbol>,
    known: FxHashMap<RankingSymbol, ExprId>,
    /// How many states of the extended system are states of the original.
    originals: usize,
}

impl<'a> Claim<'a> {
    pub(super) fn new(
        system: &'a TransitionSystem,
        originals: usize,
        proof: &Certificate,
    ) -> Result<Self, Inexpressible> {
        let mut source = system.pool().clone();
        let invariant = proof.invariant(system, &mut source);
        let invariant = invariant.map_err(|error| Inexpressible(error.to_string()))?;
        Ok(Claim {
            system,
            source,
            invariant,
            pool: Pool::new(),
            symbols: Vec::new(),
            known: FxHashMap::default(),
            originals,
        })
    }

    /// What a node of the invariant's pool is, if it is a symbol. That pool extends the one of
    /// the system.
    fn role(&self, node: ExprId) -> Option<Role> {
        self.source.as_symbol(node).map(|symbol| self.system.role(symbol))
    }

    fn symbol(&mut self, meaning: RankingSymbol, like: ExprId) -> ExprId {
        if let Some(&symbol) = self.known.get(&meaning) {
            return symbol;
        }
        let symbol = self.pool.symbol(self.source.sort(like), None).expect("a sort of the system");
        self.symbols.push(meaning);
        self.known.insert(meaning, symbol);
        symbol
    }

    /// A state of the extended system that the ranking has: one of the original or an observer.
    pub(super) fn own(&mut self, state: usize) -> ExprId {
        let like = self.system.states()[state].symbol;
        match state.checked_sub(self.originals) {
            None => self.symbol(RankingSymbol::State(state), like),
            Some(observer) => self.symbol(RankingSymbol::Observer(observer), like),
        }
    }

    /// The same in the second state of a relation.
    pub(super) fn other(&mut self, state: usize) -> ExprId {
        let like = self.system.states()[state].symbol;
        match state.checked_sub(self.originals) {
            None => self.symbol(RankingSymbol::OtherState(state), like),
            Some(observer) => self.symbol(RankingSymbol::OtherObserver(observer), like),
        }
    }

    /// The invariant, with these expressions in place of the states of the extended system.
    pub(super) fn invariant(&mut self, meaning: impl FnMut(&mut Self, usize) -> ExprId) -> ExprId {
        self.import(self.invariant, meaning)
    }

    /// An expression of the extended system over its states, with these in their place.
    pub(super) fn import(
        &mut self,
        expr: ExprId,
        mut meaning: impl FnMut(&mut Self, usize) -> ExprId,
    ) -> ExprId {
        let mut symbols = FxHashMap::default();
        for node in cone(&self.source, [expr]) {
            if let Some(Role::State(state)) = self.role(node) {
                symbols.insert(node, meaning(self, state));
            }
        }
        import(&mut self.pool, &self.source, expr, &symbols)
    }

    /// A register of the extended system as an observer.
    pub(super) fn observer(&mut self, state: usize) -> Observer {
        let register = self.system.states()[state];
        let (init, next) = (register.init.expect("observers start"), register.next);
        let next = next.expect("observers have a next value");
        Observer {
            name: self.system.state_name(state),
            sort: self.source.sort(register.symbol),
            init: self.copy(init),
            next: self.copy(next),
        }
    }

    /// An expression over inputs, states of the original and observers.
    fn copy(&mut self, expr: ExprId) -> ExprId {
        let mut symbols = FxHashMap::default();
        for node in cone(&self.source, [expr]) {
            match self.role(node) {
                Some(Role::State(state)) => {
                    symbols.insert(node, self.own(state));
                }
                Some(Role::Input(input)) => {
                    symbols.insert(node, self.symbol(RankingSymbol::Input(input), node));
                }
                None => {}
            }
        }
        import(&mut self.pool, &self.source, expr, &symbols)
    }

    pub(super) fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.pool.and(a, b).expect(BITS)
    }

    pub(super) fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.pool.or(a, b).expect(BITS)
    }

    pub(super) fn not(&mut self, a: ExprId) -> ExprId {
        self.pool.not(a).expect(BITS)
    }

    /// Each of these bits of the second state is also set in the first one.
    pub(super) fn includes(&mut self, states: impl IntoIterator<Item = usize>) -> ExprId {
        let mut all = self.pool.bool(true);
        for state in states {
            let (own, other) = (self.own(state), self.other(state));
            let lost = self.not(own);
            let lost = self.and(other, lost);
            let kept = self.not(lost);
            all = self.and(all, kept);
        }
        all
    }

    /// The round waits for the condition with this number.
    fn waits_for(&mut self, index: usize, order: Order) -> ExprId {
        let flag = self.own(self.originals + index);
        let waits = self.not(flag);
        match (order, index.checked_sub(1)) {
            (Order::InTurn, Some(earlier)) => {
                let earlier = self.own(self.originals + earlier);
                self.and(earlier, waits)
            }
            (Order::InTurn, None) | (Order::Any, _) => waits,
        }
    }

    /// The invariant, and that the flags are not all set, and in turn if they are.
    fn with_flags(&mut self, shape: &Shape, mut invariant: ExprId) -> ExprId {
        let flags: Vec<ExprId> = shape.flags().map(|flag| self.own(flag)).collect();
        if shape.order == Order::InTurn {
            for pair in flags.windows(2) {
                let missing = self.not(pair[0]);
                let gap = self.and(pair[1], missing);
                let ordered = self.not(gap);
                invariant = self.and(invariant, ordered);
            }
        }
        if flags.is_empty() {
            return invariant;
        }
        let mut all_set = self.pool.bool(true);
        for flag in flags {
            all_set = self.and(all_set, flag);
        }
        let is_open = self.not(all_set);
        self.and(invariant, is_open)
    }

    /// The ranking with this invariant. `related` is the relation of one condition; with
    /// several, a condition that the round waits for accounts for it.
    pub(super) fn finish(
        mut self,
        shape: &Shape,
        observers: Vec<Observer>,
        invariant: ExprId,
        related: ExprId,
    ) -> Certificate {
        let invariant = self.with_flags(shape, invariant);
        let no = self.pool.bool(false);
        let mut relation = Vec::new();
        for source in &shape.conditions {
            relation.push(match *source {
                Source::Single => related,
                Source::Flag(index) => {
                    let waits = self.waits_for(index, shape.order);
                    self.and(related, waits)
                }
                Source::Always => no,
            });
        }
        let Claim { pool, symbols, .. } = self;
        Certificate::Ranking(Box::new(Ranking { pool, symbols, observers, invariant, relation }))
    }
}

/// How the conditions of a property are joined.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub originals: usize,
    pub flag_count: usize,
    order: Order,
    /// By condition of the property.
    conditions: Vec<Source>,
}

/// What tells that a condition has held.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// It is the only one, or one that is equal to it.
    Single,
    /// The flag with this number.
    Flag(usize),
    /// It always holds.
    Always,
}

impl Shape {
    pub(super) fn of(rounds: &Rounds) -> Self {
        let number =
            |condition: &ExprId| rounds.conditions.iter().position(|other| other == condition);
        let source = |condition: &ExprId| match number(condition) {
            None => Source::Always,
            Some(_) if rounds.flags.is_empty() => Source::Single,
            Some(index) => Source::Flag(index),
        };
        let mut conditions: Vec<Source> = rounds.all_conditions.iter().map(source).collect();
        // A property whose conditions always hold has no infinite execution at all: any
        // condition accounts for it.
        if rounds.conditions.is_empty() {
            conditions[0] = Source::Single;
        }
        Shape {
            originals: rounds.originals,
            flag_count: rounds.flags.len(),
            order: rounds.order,
            conditions,
        }
    }

    /// The states that are flags.
    pub(super) fn flags(&self) -> std::ops::Range<usize> {
        self.originals..self.originals + self.flag_count
    }
}
