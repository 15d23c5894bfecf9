//! Literals that must be true in some layers, and which of them a query has to assign.
//!
//! Most unit lemmas say that a register still has its initial value, and there may be thousands
//! of them, while a query is about a few variables. So a query assigns only the units in its
//! domain. The others hold by default, like longer lemmas outside the domain
//! ([`Solver::close_over_lemmas`]).

use crate::arena::{ClauseRef, Layer};
use crate::clauses::LemmaId;
use crate::literal::{Lit, Var};
use crate::proof::Proof;
use crate::solver::{Solver, Value};

/// A literal that must be true in a layer and below, but not in all layers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub lit: Lit,
    pub layer: Layer,
    pub clause: ClauseRef,
    pub lemma: Option<LemmaId>,
}

/// All of them.
#[derive(Clone, Default)]
pub(crate) struct Units {
    list: Vec<Unit>,
    /// By literal: the latest layer of its units in the list; [`Layer::TEMPORARY`] if it has none.
    latest: Vec<Layer>,
    /// By literal: how many units it has in the list.
    counts: Vec<u32>,
    /// Those of the current query.
    temporary: Vec<Unit>,
}

impl Units {
    pub fn new_var(&mut self) {
        self.latest.extend([Layer::TEMPORARY; 2]);
        self.counts.extend([0; 2]);
    }

    /// Adds a unit. Returns its place, by which it is raised and removed.
    pub fn push(&mut self, unit: Unit) -> usize {
        if unit.layer == Layer::TEMPORARY {
            self.temporary.push(unit);
            return self.temporary.len() - 1;
        }
        self.list.push(unit);
        self.counts[unit.lit.code()] += 1;
        self.note(unit);
        self.list.len() - 1
    }

    /// Ends the current query.
    pub fn forget_temporary(&mut self) {
        self.temporary.clear();
    }

    /// Lets the lemma at a place count in later layers, too.
    pub fn raise(&mut self, place: usize, layer: Layer) {
        self.list[place].layer = layer;
        self.note(self.list[place]);
    }

    /// Removes the unit at a place, and says which one is there now.
    pub fn remove(&mut self, place: usize) -> (Unit, Option<Unit>) {
        let unit = self.list.swap_remove(place);
        let code = unit.lit.code();
        self.counts[code] -= 1;
        self.latest[code] = match self.counts[code] {
            0 => Layer::TEMPORARY,
            _ => {
                let others = self.list.iter().filter(|other| other.lit == unit.lit);
                others.map(|other| other.layer).max().expect("other units of the literal")
            }
        };
        (unit, self.list.get(place).copied())
    }

    /// Removes what was derived for queries below a layer, which do not come any more. Returns
    /// what is left, by place.
    pub fn expire(&mut self, layer: Layer) -> &[Unit] {
        let counts = &mut self.counts;
        self.list.retain(|unit| {
            let stays = unit.layer >= layer || unit.lemma.is_some();
            counts[unit.lit.code()] -= u32::from(!stays);
            stays
        });
        &self.list
    }

    /// Must the literal be true in queries at a layer?
    #[inline]
    pub fn contain(&self, lit: Lit, layer: Layer) -> bool {
        self.latest[lit.code()] >= layer
    }

    fn note(&mut self, unit: Unit) {
        let latest = &mut self.latest[unit.lit.code()];
        *latest = (*latest).max(unit.layer);
    }
}

impl<P: Proof> Solver<P> {
    /// Assigns what holds in the layer of the query. False if it contradicts itself.
    pub(crate) fn assume_layer(&mut self) -> bool {
        self.assume_units() && (self.layer != Layer::level(0) || self.assume_initial())
    }

    fn assume_units(&mut self) -> bool {
        for index in 0..self.units.temporary.len() {
            let Unit { lit, clause, layer, .. } = self.units.temporary[index];
            if !self.assume_unit(lit, clause, layer) {
                return false;
            }
        }
        let domain = self.domain.permanent.len() + self.domain.vars.len();
        if !P::LOGS && !self.domain.all && domain < self.units.list.len() {
            let permanent = self.domain.permanent.len();
            let deviating = self.domain.deviating.len();
            return (0..permanent).all(|i| self.assume_units_of(self.domain.permanent[i]))
                && (0..self.domain.vars.len()).all(|i| self.assume_units_of(self.domain.vars[i]))
                // What is fixed to another value than the default contradicts a unit that holds
                // by default, also outside the domain.
                && (0..deviating).all(|i| self.assume_units_of(self.domain.deviating[i].var()));
        }
        for index in 0..self.units.list.len() {
            let Unit { lit, clause, layer, .. } = self.units.list[index];
            if layer >= self.layer
                && self.values[lit.code()] != Value::OUTSIDE
                && !self.assume_unit(lit, clause, layer)
            {
                return false;
            }
        }
        true
    }

    /// A proof would need the clauses, which are in the list only.
    fn assume_units_of(&mut self, var: Var) -> bool {
        [var.positive(), !var.positive()].into_iter().all(|lit| {
            !self.units.contain(lit, self.layer)
                || self.assume_unit(lit, ClauseRef::NONE, self.units.latest[lit.code()])
        })
    }

    /// Variables outside that lemmas gave another value than a unit join the domain, where they
    /// get that of the unit.
    pub(crate) fn include_against_units(&mut self, root_end: usize) -> bool {
        let mut grown = false;
        for index in root_end..self.trail.len() {
            let lit = self.trail[index];
            if self.visiting[lit.var().index()] && self.units.contain(!lit, self.layer) {
                self.visiting[lit.var().index()] = false;
                self.domain.vars.push(lit.var());
                grown = true;
            }
        }
        grown
    }

    /// Has a variable that joined the domain at this place or later a unit?
    pub(crate) fn has_units_since(&self, start: usize) -> bool {
        let has = |lit| self.units.contain(lit, self.layer);
        self.domain.vars[start..].iter().any(|var| has(var.positive()) || has(!var.positive()))
    }
}
