//! Invariants of any shape, also quantified ones.
//!
//! A [`Formula`] mentions states of a system and some of its inputs; it claims to
//! hold in every reachable state *for all values* of these inputs. So
//! facts such as "all elements left of p are zero" can be certified without
//! quantifiers in a solver: the inputs become registers that keep any value they
//! start with, and the formula is proved inductive in the system so extended.

use rustc_hash::FxHashMap;

use crate::copy::import;
use crate::eval::cone;
use crate::expr::{ExprId, Pool, Sort, SymbolId};
use crate::system::{Role, State, TransitionSystem};

/// A claim about the reachable states of a system, for all values of the inputs
/// that it mentions.
#[derive(Clone, PartialEq, Debug)]
pub struct Formula {
    /// The pool of the expression.
    pub pool: Pool,
    /// A bit over symbols of the pool.
    pub expr: ExprId,
    /// By symbol of the pool: what it is in the system.
    pub symbols: Vec<Role>,
}

/// Why a formula does not fit a system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FormulaError {
    /// The formula is not a single bit.
    #[error("the invariant is not a bit")]
    NotABit,
    /// A symbol has a role that the system does not have.
    #[error("symbol {0} of the invariant is not a symbol of the system")]
    UnknownSymbol(usize),
    /// A symbol has another sort in the system.
    #[error("symbol {symbol} of the invariant is {found}, but {expected} in the system")]
    Sort {
        /// The number of the symbol.
        symbol: usize,
        /// Its sort in the formula.
        found: Sort,
        /// Its sort in the system.
        expected: Sort,
    },
}

/// A system with a register for each input that a formula mentions.
#[derive(Clone, Debug)]
pub struct Attached {
    /// The system with the additional registers.
    pub system: TransitionSystem,
    /// The formula over states and these registers.
    pub claim: ExprId,
    /// The registers have the values of the inputs that they stand for.
    pub same: ExprId,
}

/// A symbol that a formula mentions.
pub(crate) struct Mentioned {
    /// In the pool of the formula.
    pub symbol: ExprId,
    pub role: Role,
    /// The symbol of the system that it stands for, of the same sort.
    pub original: ExprId,
}

impl Formula {
    /// The number of nodes of the claim, its symbols and constants included.
    pub fn size(&self) -> usize {
        cone(&self.pool, [self.expr]).len()
    }

    /// Extends the system by what the formula is quantified over.
    pub fn attach(&self, system: &TransitionSystem) -> Result<Attached, FormulaError> {
        let mentioned = self.mentioned(system)?;
        let mut builder = system.clone().into_builder();
        let mut meaning: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let mut same = builder.pool.bool(true);
        for Mentioned { symbol, role, original } in mentioned {
            let stands_for = match role {
                Role::State(_) => original,
                Role::Input(index) => {
                    let must = "the sort of an input";
                    let name = format!("{}@any", system.input_name(index));
                    let sort = builder.pool.sort(original);
                    let register = builder.pool.symbol(sort, Some(&name)).expect(must);
                    builder.states.push(State {
                        symbol: register,
                        init: None,
                        next: Some(register),
                    });
                    let equal = builder.pool.equal(register, original).expect(must);
                    same = builder.pool.and(same, equal).expect(must);
                    register
                }
            };
            meaning.insert(symbol, stands_for);
        }
        let claim = import(&mut builder.pool, &self.pool, self.expr, &meaning);
        let system = builder.finish().expect("an extension of a well-formed system");
        Ok(Attached { system, claim, same })
    }

    /// The symbols that the formula mentions, if it is one about the system.
    pub(crate) fn mentioned(
        &self,
        system: &TransitionSystem,
    ) -> Result<Vec<Mentioned>, FormulaError> {
        if self.pool.sort(self.expr) != Sort::BOOL {
            return Err(FormulaError::NotABit);
        }
        let mut mentioned = Vec::new();
        for symbol in cone(&self.pool, [self.expr]) {
            let Some(number) = self.pool.as_symbol(symbol).map(SymbolId::index) else { continue };
            let role = self.symbols.get(number).copied();
            let original = role.and_then(|role| match role {
                Role::Input(index) => system.inputs().get(index).map(|input| input.symbol),
                Role::State(index) => system.states().get(index).map(|state| state.symbol),
            });
            let (Some(role), Some(original)) = (role, original) else {
                return Err(FormulaError::UnknownSymbol(number));
            };
            let (found, expected) = (self.pool.sort(symbol), system.pool().sort(original));
            if found != expected {
                return Err(FormulaError::Sort { symbol: number, found, expected });
            }
            mentioned.push(Mentioned { symbol, role, original });
        }
        Ok(mentioned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::SystemBuilder;

    #[test]
    fn inputs_become_registers_that_stay() {
        let mut b = SystemBuilder::new();
        b.state(Sort::Bv(4), Some("s")).unwrap();
        b.input(Sort::Bv(4), Some("x")).unwrap();
        let system = b.finish().unwrap();
        let mut pool = Pool::new();
        let x = pool.symbol(Sort::Bv(4), None).unwrap();
        let s = pool.symbol(Sort::Bv(4), None).unwrap();
        let expr = pool.ule(s, x).unwrap();
        let formula = Formula { pool, expr, symbols: vec![Role::Input(0), Role::State(0)] };
        let Attached { system: extended, .. } = formula.attach(&system).unwrap();
        assert_eq!(extended.states().len(), 2);
        let register = extended.states()[1];
        assert_eq!((register.init, register.next), (None, Some(register.symbol)));

        let wrong = |change: fn(&mut Formula)| {
            let mut formula = formula.clone();
            change(&mut formula);
            formula.attach(&system).unwrap_err()
        };
        assert_eq!(
            wrong(|f| f.expr =
                f.pool.symbol_expr(f.pool.as_symbol(f.pool.ids().nth(2).unwrap()).unwrap())),
            FormulaError::NotABit
        );
        assert_eq!(wrong(|f| f.symbols[1] = Role::State(7)), FormulaError::UnknownSymbol(1));
        assert_eq!(wrong(|f| f.symbols.truncate(1)), FormulaError::UnknownSymbol(1));
        let mut narrow = SystemBuilder::new();
        narrow.state(Sort::Bv(3), Some("s")).unwrap();
        narrow.input(Sort::Bv(4), Some("x")).unwrap();
        let refused = formula.attach(&narrow.finish().unwrap()).unwrap_err();
        assert!(matches!(refused, FormulaError::Sort { symbol: 1, .. }));
    }
}
