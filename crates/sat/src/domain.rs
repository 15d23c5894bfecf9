//! The domain of a query: the variables that are decided, and what has to be
//! known of the others so that lemmas need not be decided for them.

use crate::arena::{ClauseRef, Kind, Layer};
use crate::literal::{Lit, Var};
use crate::proof::Proof;
use crate::query::{Query, Scope};
use crate::record::Call;
use crate::solver::{ROOT, Solver, Value};

/// Which variables a query is about, and what lemmas need to know of the others.
#[derive(Clone, Default)]
pub(crate) struct Domain {
    /// By variable: where its fan-in is.
    pub(crate) fan_in: Vec<(u32, u32)>,
    pub(crate) fan_ins: Vec<Var>,
    /// In the domain of every query.
    pub(crate) permanent: Vec<Var>,
    pub(crate) is_permanent: Vec<bool>,
    /// By variable: it is in every domain because of a lemma, without its cone.
    pub(crate) is_alone: Vec<bool>,
    pub vars: Vec<Var>,
    /// By variable that was fixed or permanent: the query whose domain it was last put into.
    pub(crate) stamps: Vec<u64>,
    pub(crate) all: bool,
    /// By variable: its value in one assignment that satisfies every lemma.
    pub(crate) defaults: Vec<Value>,
    /// By variable: its value at layer `level(0)`.
    pub(crate) initial: Vec<Value>,
    /// By literal: lemmas that are satisfied by default because of it.
    pub(crate) witnesses: Vec<Vec<Witnessed>>,
    /// No lemma is filed under this variable or a later one.
    pub(crate) witnesses_end: usize,
    /// Literals of level 0 that are not as by default.
    pub(crate) deviating: Vec<Lit>,
    pub(crate) deviating_seen: usize,
}

/// A lemma, filed under a literal that is true by default.
#[derive(Clone, Copy)]
pub(crate) struct Witnessed {
    pub clause: ClauseRef,
    /// The literal that satisfied the lemma when it was last looked at.
    pub blocker: Lit,
}

impl<P: Proof> Solver<P> {
    /// Names the variables by which the clauses define `var`.
    pub fn set_fan_in(&mut self, var: Var, fan_in: &[Var]) {
        self.record(Call::FanIn(var, fan_in));
        let start = self.domain.fan_ins.len() as u32;
        self.domain.fan_ins.extend_from_slice(fan_in);
        self.domain.fan_in[var.index()] = (start, start + fan_in.len() as u32);
    }

    /// Puts the cone of `var` into the domain of every query. Must be said
    /// before clauses fix a variable of that cone that its definition does not.
    pub fn add_permanent_root(&mut self, var: Var) {
        self.record(Call::PermanentRoot(var));
        self.reset();
        let mut stack = vec![var];
        while let Some(var) = stack.pop() {
            let alone = std::mem::take(&mut self.domain.is_alone[var.index()]);
            if alone || !self.domain.is_permanent[var.index()] {
                self.make_permanent(var);
                stack.extend_from_slice(self.domain.fan_in(var));
            }
        }
    }

    /// The value of `var` in one assignment that satisfies every lemma that will
    /// be given; its first phase too. Must be said before clauses fix `var`.
    pub fn set_default(&mut self, var: Var, value: bool) {
        self.record(Call::Default(var, value));
        self.domain.defaults[var.index()] = Value(value as u8);
        self.phases[var.index()] = value;
    }

    /// The phase in which `var` is tried first.
    pub fn set_phase(&mut self, var: Var, value: bool) {
        self.record(Call::Phase(var, value));
        self.phases[var.index()] = value;
    }

    /// The value of `var` in every query at layer `level(0)`. It must be the
    /// default as well.
    pub fn set_initial(&mut self, var: Var, value: bool) {
        self.record(Call::Initial(var, value));
        self.domain.initial[var.index()] = Value(value as u8);
        if P::LOGS {
            let lit = var.positive().negate_if(!value);
            let clause = self.arena.add(&[lit], Kind::Original, Layer::level(0), 0);
            self.proof.original(clause, &[lit]);
            self.logged.initial_clauses[var.index()] = clause;
        }
    }

    pub(crate) fn enter_domain(&mut self, query: &Query<'_>) {
        let all = query.scope == Scope::All;
        if all != self.domain.all {
            self.domain.all = all;
            for index in 0..self.vars.len() {
                let inside = all || self.domain.is_permanent[index];
                let var = Var::new(index);
                if !self.values[var.positive().code()].is_assigned() {
                    self.set_both(var, if inside { Value::OPEN } else { Value::OUTSIDE });
                }
            }
        }
        if !all {
            self.stamp += 1;
            let lits = query.assumptions.iter().chain(query.temporary.iter().copied().flatten());
            for &lit in lits {
                self.include_with_fixed(lit.var());
            }
            let leaves = match query.scope {
                Scope::ConeUpTo { first, end } => first..end,
                Scope::Cone | Scope::All => Var::new(0)..Var::new(0),
            };
            let mut next = 0;
            while let Some(&var) = self.domain.vars.get(next) {
                next += 1;
                if leaves.contains(&var) {
                    continue;
                }
                let (start, end) = self.domain.fan_in[var.index()];
                for i in start..end {
                    self.include_with_fixed(self.domain.fan_ins[i as usize]);
                }
            }
            let size = self.domain.vars.len() + self.domain.permanent.len();
            self.statistics.domain += size as u64;
        }
    }

    /// Puts a variable into the domain.
    #[inline]
    pub(crate) fn include(&mut self, var: Var) {
        if self.values[var.positive().code()] == Value::OUTSIDE {
            self.set_both(var, Value::OPEN);
            self.domain.vars.push(var);
        }
    }

    /// The same at level 0, where also the fan-in of fixed variables is included:
    /// the model shall determine the cone without what fixed them. So is the fan-in of variables
    /// that lemmas alone have put into every domain.
    #[inline]
    pub(crate) fn include_with_fixed(&mut self, var: Var) {
        let value = self.values[var.positive().code()];
        if value == Value::OUTSIDE {
            self.set_both(var, Value::OPEN);
            self.domain.vars.push(var);
            return;
        }
        let index = var.index();
        let has_cone = match value {
            Value::OPEN => !self.domain.is_alone[index],
            _ => self.domain.is_permanent[index] && !self.domain.is_alone[index],
        };
        if !has_cone && self.domain.stamps[index] != self.stamp {
            self.domain.stamps[index] = self.stamp;
            self.domain.vars.push(var);
        }
    }

    /// Files a lemma under a literal that is true by default. A lemma that is not
    /// satisfied by default has to be in every domain.
    pub(crate) fn file_lemma(&mut self, clause: ClauseRef) -> Lit {
        let by_default = |&lit: &Lit| self.is_default(lit);
        let shortest = |lit: &Lit| self.domain.witnesses[lit.code()].len();
        match self.arena.lits(clause).filter(by_default).min_by_key(shortest) {
            Some(witness) => {
                let entry = Witnessed { clause, blocker: witness };
                self.domain.witnesses[witness.code()].push(entry);
                let end = witness.var().index() + 1;
                self.domain.witnesses_end = self.domain.witnesses_end.max(end);
                witness
            }
            None => {
                let vars: Vec<Var> = self.arena.lits(clause).map(Lit::var).collect();
                vars.into_iter().for_each(|var| self.make_permanent_alone(var));
                Lit::NONE
            }
        }
    }

    /// Puts a variable that a lemma mentions into the domain of every query. Its cone joins the
    /// domains of those queries that it belongs to.
    pub(crate) fn make_permanent_alone(&mut self, var: Var) {
        if !self.domain.is_permanent[var.index()] {
            self.domain.is_alone[var.index()] = true;
            self.make_permanent(var);
        }
    }

    /// Puts a variable into the domain of every query.
    fn make_permanent(&mut self, var: Var) {
        if !std::mem::replace(&mut self.domain.is_permanent[var.index()], true) {
            self.domain.permanent.push(var);
            if !self.values[var.positive().code()].is_assigned() {
                self.set_both(var, Value::OPEN);
            }
        }
    }

    /// Is the literal true by default?
    pub(crate) fn is_default(&self, lit: Lit) -> bool {
        self.domain.defaults[lit.var().index()] == Value(!lit.is_negative() as u8)
    }

    /// The domain is assigned. With all other variables at their defaults every
    /// lemma is satisfied, except perhaps those that are satisfied by default
    /// through a literal that is false now. Their variables join the domain.
    pub(crate) fn close_over_lemmas(&mut self) -> bool {
        let root_end = self.level_starts.first().copied().unwrap_or(self.trail.len());
        let (mut grown, before) = (false, self.domain.vars.len());
        for index in 0..self.domain.deviating.len() {
            grown |= self.include_violated(!self.domain.deviating[index]);
        }
        for index in root_end..self.trail.len() {
            // Most variables are gates, which have no lemmas.
            if self.trail[index].var().index() < self.domain.witnesses_end {
                grown |= self.include_violated(!self.trail[index]);
            }
        }
        grown |= self.include_against_units(root_end);
        let first = self.layer == Layer::level(0);
        if first {
            grown |= self.include_uninitial(root_end);
        }
        if grown && (first || self.has_units_since(before)) {
            // What has joined has a unit, or perhaps an initial value.
            self.backtrack(ROOT);
        }
        grown
    }

    /// Variables outside that lemmas moved from their initial values join the
    /// domain, where they get them.
    pub(crate) fn include_uninitial(&mut self, root_end: usize) -> bool {
        let mut grown = false;
        for index in root_end..self.trail.len() {
            let lit = self.trail[index];
            let var = lit.var();
            let initial = self.domain.initial[var.index()];
            if self.visiting[var.index()] && initial == Value(lit.is_negative() as u8) {
                self.visiting[var.index()] = false;
                self.domain.vars.push(var);
                grown = true;
            }
        }
        grown
    }

    pub(crate) fn include_violated(&mut self, witness: Lit) -> bool {
        let mut list = std::mem::take(&mut self.domain.witnesses[witness.code()]);
        let mut grown = false;
        for Witnessed { clause, blocker } in &mut list {
            let clause = *clause;
            if self.holds_by_default(*blocker) || !self.arena.layer(clause).active_at(self.layer) {
                continue;
            }
            if let Some(lit) = self.arena.lits(clause).find(|&lit| self.holds_by_default(lit)) {
                *blocker = lit;
            } else {
                for position in 0..self.arena.len(clause) {
                    let var = self.arena.lit(clause, position).var();
                    self.include(var);
                    self.queue(var);
                }
                grown = true;
            }
        }
        self.domain.witnesses[witness.code()] = list;
        grown
    }

    /// Is the literal true when all variables without a value are as by default?
    #[inline]
    pub(crate) fn holds_by_default(&self, lit: Lit) -> bool {
        match self.values[lit.code()] {
            Value::TRUE => true,
            Value::FALSE => false,
            _ => self.is_default(lit),
        }
    }
}

impl Domain {
    fn fan_in(&self, var: Var) -> &[Var] {
        let (start, end) = self.fan_in[var.index()];
        &self.fan_ins[start as usize..end as usize]
    }
}
