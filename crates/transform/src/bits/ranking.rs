//! Rankings about bits as rankings about the system that the bits were made from.

use elinvar_ir::{
    BitVec, ExprId, Observer, Pool, Ranking, RankingSymbol, Sort, TransitionSystem, cone, import,
};
use rustc_hash::FxHashMap;

use super::lift::{Bit, BitLift, InputOrigin, Literal};
use crate::lift::Inexpressible;

const BITS: &str = "bits";

impl BitLift {
    /// The ranking with the facts added to its invariant: in states where these hold, both
    /// systems make the same steps.
    ///
    /// # Errors
    /// If an observer reads the next value of a state that has no next function.
    pub fn ranking(&self, ranking: &Ranking) -> Result<Ranking, Inexpressible> {
        let mut lifted = Lifted {
            lift: self,
            system: self.old(),
            pool: Pool::new(),
            symbols: Vec::new(),
            known: FxHashMap::default(),
        };
        let mut observers = Vec::new();
        for observer in &ranking.observers {
            observers.push(Observer {
                init: lifted.import(ranking, observer.init)?,
                next: lifted.import(ranking, observer.next)?,
                ..observer.clone()
            });
        }
        let mut invariant = lifted.import(ranking, ranking.invariant)?;
        for clause in self.fact_clauses() {
            let clause = lifted.clause(&clause);
            invariant = lifted.pool.and(invariant, clause).expect(BITS);
        }
        let relation = ranking.relation.iter().map(|&expr| lifted.import(ranking, expr));
        let relation = relation.collect::<Result<_, _>>()?;
        let Lifted { pool, symbols, .. } = lifted;
        Ok(Ranking { pool, symbols, observers, invariant, relation })
    }
}

struct Lifted<'a> {
    lift: &'a BitLift,
    system: &'a TransitionSystem,
    pool: Pool,
    symbols: Vec<RankingSymbol>,
    known: FxHashMap<RankingSymbol, ExprId>,
}

impl Lifted<'_> {
    fn symbol(&mut self, meaning: RankingSymbol, sort: Sort) -> ExprId {
        if let Some(&symbol) = self.known.get(&meaning) {
            return symbol;
        }
        let symbol = self.pool.symbol(sort, None).expect("the sort of a symbol");
        self.symbols.push(meaning);
        self.known.insert(meaning, symbol);
        symbol
    }

    /// An expression about the bits as one about the old system.
    fn import(&mut self, ranking: &Ranking, expr: ExprId) -> Result<ExprId, Inexpressible> {
        let mut meaning = FxHashMap::default();
        for node in cone(&ranking.pool, [expr]) {
            let Some(symbol) = ranking.pool.as_symbol(node) else { continue };
            let stands_for = match ranking.symbols[symbol.index()] {
                RankingSymbol::State(state) => {
                    self.bit(self.lift.origin(state), RankingSymbol::State)
                }
                RankingSymbol::OtherState(state) => {
                    self.bit(self.lift.origin(state), RankingSymbol::OtherState)
                }
                RankingSymbol::Input(input) => match self.lift.input_origin(input) {
                    InputOrigin::Input(bit) => self.bit(bit, RankingSymbol::Input),
                    InputOrigin::State(bit) => self.bit(bit, RankingSymbol::State),
                    InputOrigin::Next(_) => {
                        let why = "it depends on the next value of a state without next function";
                        return Err(Inexpressible(why.to_owned()));
                    }
                },
                same @ (RankingSymbol::Observer(_) | RankingSymbol::OtherObserver(_)) => {
                    self.symbol(same, ranking.pool.sort(node))
                }
            };
            meaning.insert(node, stands_for);
        }
        Ok(import(&mut self.pool, &ranking.pool, expr, &meaning))
    }

    fn bit(&mut self, bit: Bit, kind: fn(usize) -> RankingSymbol) -> ExprId {
        let meaning = kind(bit.index);
        let original = match meaning {
            RankingSymbol::Input(index) => self.system.inputs()[index].symbol,
            _ => self.system.states()[bit.index].symbol,
        };
        let symbol = self.symbol(meaning, self.system.pool().sort(original));
        bit_of(&mut self.pool, symbol, bit.position)
    }

    fn clause(&mut self, clause: &[Literal]) -> ExprId {
        let mut any = self.pool.bool(false);
        for literal in clause {
            let bit = self.bit(literal.bit, RankingSymbol::State);
            let bit = if literal.positive { bit } else { self.pool.not(bit).expect(BITS) };
            any = self.pool.or(any, bit).expect(BITS);
        }
        any
    }
}

/// A bit of a word, or of an element of a memory: see [`Bit`].
pub(super) fn bit_of(pool: &mut Pool, symbol: ExprId, position: usize) -> ExprId {
    let must = "a bit of the symbol";
    let (word, position) = match pool.sort(symbol) {
        Sort::Bv(_) => (symbol, position),
        Sort::Array { index, element } => {
            let address = position / element as usize;
            let address = pool.constant(BitVec::new(index, address as u64));
            (pool.read(symbol, address).expect(must), position % element as usize)
        }
    };
    pool.slice(word, position as u32, position as u32).expect(must)
}
