//! The solver: its state, the frame of a query, and the trail.
//!
//! Decision levels have a fixed meaning: 0 holds what is true in every layer, 1
//! what is true in the layer of the query, 2 all assumptions, and decisions
//! start at 3. Restarts keep the first three.

use crate::arena::{Arena, ClauseRef, Kind, Layer};
use crate::clauses::{LemmaId, Place};
use crate::domain::Domain;
use crate::literal::{Lit, Var};
use crate::order::Order;
use crate::proof::{NoProof, Proof};
use crate::query::{Answer, Core, Model, Query};
use crate::record::Call;
#[cfg(feature = "record")]
use crate::record::Recorder;
use crate::units::Units;
use crate::watch::Watchers;

/// What a literal is. Bit 1 says that it has no value; then bit 0 says that its
/// variable is outside the domain of the query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value(pub u8);

impl Value {
    pub const FALSE: Value = Value(0);
    pub const TRUE: Value = Value(1);
    pub const OPEN: Value = Value(2);
    pub const OUTSIDE: Value = Value(3);

    #[inline]
    pub fn is_assigned(self) -> bool {
        self.0 < 2
    }
}

pub(crate) const ROOT: u32 = 0;
pub(crate) const LAYER: u32 = 1;
pub(crate) const ASSUMED: u32 = 2;

/// Why a literal was assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reason {
    /// `NONE` for decisions and assumptions.
    pub clause: ClauseRef,
    /// The other literal of a binary clause, which then need not be read.
    pub other: Lit,
}

impl Reason {
    pub const NONE: Reason = Reason { clause: ClauseRef::NONE, other: Lit::NONE };
}

/// What is known of a variable that has a value. In one place: it is written at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VarState {
    /// The decision level of the value.
    pub level: u32,
    /// The layer of the reason; at levels 0 and 1 the least layer of all that implied it.
    pub layer: Layer,
    pub reason: Reason,
}

/// What the solver did, over its life.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// Queries that were answered.
    pub queries: u64,
    /// Conflicts that were analysed.
    pub conflicts: u64,
    /// Literals that were decided.
    pub decisions: u64,
    /// Literals that were propagated.
    pub propagations: u64,
    /// What propagation looked at: four for each literal, and one for each of its watches. Its
    /// time is about proportional to that.
    pub ticks: u64,
    /// Variables in domains, over all queries.
    pub domain: u64,
    /// Clauses that were learnt.
    pub learnt_clauses: u64,
    /// Literals in these clauses.
    pub learnt_literals: u64,
}

/// What the solver records of each variable if proofs are logged; otherwise empty.
#[derive(Default)]
pub(crate) struct Logged {
    /// The place in the trail.
    pub positions: Vec<u32>,
    /// The clause that has the variable alone, at level 1 when it was asked for.
    pub unit_clauses: Vec<ClauseRef>,
    /// The clause that states the initial value.
    pub initial_clauses: Vec<ClauseRef>,
}

/// An incremental SAT solver for many small queries. See the crate's preface.
pub struct Solver<P: Proof = NoProof> {
    pub(crate) values: Vec<Value>,
    pub(crate) vars: Vec<VarState>,
    pub(crate) logged: Logged,
    pub(crate) trail: Vec<Lit>,
    pub(crate) level_starts: Vec<usize>,
    pub(crate) head: usize,

    pub(crate) arena: Arena,
    /// By literal.
    pub(crate) watchers: Vec<Watchers>,
    pub(crate) units: Units,
    pub(crate) learnts: Vec<ClauseRef>,
    pub(crate) temporaries: Vec<ClauseRef>,
    pub(crate) lemmas: Vec<Place>,
    pub(crate) free_lemmas: Vec<LemmaId>,
    pub(crate) originals: usize,
    /// How many there were when the lists of watches were last put in order in memory.
    pub(crate) lined_up: usize,
    pub(crate) max_learnts: usize,
    /// How many literals of level 0 had been fixed when clauses were last simplified.
    pub(crate) simplified: usize,

    pub(crate) domain: Domain,
    /// By variable: it has a value but is not in the domain.
    pub(crate) visiting: Vec<bool>,
    pub(crate) phases: Vec<bool>,
    pub(crate) order: Order,
    /// The layer of the current query.
    pub(crate) layer: Layer,
    /// No query below this layer comes any more.
    pub(crate) expired: Layer,
    /// Queries at this layer and below have no model.
    pub(crate) refuted: Layer,
    /// There is no model at all.
    pub(crate) contradiction: bool,
    /// The current query has no model: a clause of its own is false at level 0.
    pub(crate) hopeless: bool,
    /// When proofs are logged: empty clauses, by layer.
    pub(crate) refutations: Vec<(Layer, ClauseRef)>,
    /// The last query has a model, and it is still there.
    pub(crate) satisfied: bool,

    pub(crate) seen: Vec<bool>,
    pub(crate) learnt: Vec<Lit>,
    pub(crate) to_clear: Vec<Var>,
    pub(crate) stack: Vec<Lit>,
    pub(crate) chain: Vec<(u32, ClauseRef)>,
    pub(crate) core: Vec<Lit>,
    pub(crate) failed: Vec<bool>,
    pub(crate) scratch: Vec<Lit>,
    pub(crate) stamp: u64,

    pub(crate) stop: Option<Box<dyn Fn(u64) -> bool + Send>>,
    /// The propagations that somebody was told about.
    told: u64,
    pub(crate) statistics: Statistics,
    #[cfg(feature = "record")]
    pub(crate) recorder: Recorder,
    pub(crate) proof: P,
}

impl<P: Proof> Default for Solver<P> {
    fn default() -> Self {
        Self::new()
    }
}
impl<P: Proof> Solver<P> {
    /// A solver without variables and clauses.
    pub fn new() -> Self {
        Solver {
            values: Vec::new(),
            vars: Vec::new(),
            logged: Logged::default(),
            trail: Vec::new(),
            level_starts: Vec::new(),
            head: 0,
            arena: Arena::default(),
            watchers: Vec::new(),
            units: Units::default(),
            learnts: Vec::new(),
            temporaries: Vec::new(),
            lemmas: Vec::new(),
            free_lemmas: Vec::new(),
            originals: 0,
            lined_up: 0,
            max_learnts: 0,
            simplified: 0,
            domain: Domain::default(),
            visiting: Vec::new(),
            phases: Vec::new(),
            order: Order::new(),
            layer: Layer::ALWAYS,
            expired: Layer::TEMPORARY,
            refuted: Layer::TEMPORARY,
            contradiction: false,
            hopeless: false,
            refutations: Vec::new(),
            satisfied: false,
            seen: Vec::new(),
            learnt: Vec::new(),
            to_clear: Vec::new(),
            stack: Vec::new(),
            chain: Vec::new(),
            core: Vec::new(),
            failed: Vec::new(),
            scratch: Vec::new(),
            stamp: 0,
            stop: None,
            told: 0,
            statistics: Statistics::default(),
            #[cfg(feature = "record")]
            recorder: Recorder::new(),
            proof: P::default(),
        }
    }

    /// The solver asks `stop` now and then while it works, and gives up when it
    /// answers true. The argument is the number of ticks since it last asked.
    pub fn set_stop(&mut self, stop: impl Fn(u64) -> bool + Send + 'static) {
        self.stop = Some(Box::new(stop));
    }

    /// The ticks since the last call, and since the solver last asked whether to stop.
    pub fn take_ticks(&mut self) -> u64 {
        let all = self.statistics.ticks;
        all - std::mem::replace(&mut self.told, all)
    }

    /// Must the search stop?
    pub(crate) fn must_stop(&mut self) -> bool {
        let done = self.take_ticks();
        self.stop.as_ref().is_some_and(|stop| stop(done))
    }

    /// Adds a variable.
    pub fn new_var(&mut self) -> Var {
        self.record(Call::NewVar);
        let var = Var::new(self.vars.len());
        let value = if self.domain.all { Value::OPEN } else { Value::OUTSIDE };
        self.values.extend([value; 2]);
        let unassigned = VarState { level: 0, layer: Layer::ALWAYS, reason: Reason::NONE };
        self.vars.push(unassigned);
        if P::LOGS {
            self.logged.positions.push(0);
            self.logged.unit_clauses.push(ClauseRef::NONE);
            self.logged.initial_clauses.push(ClauseRef::NONE);
        }
        for _ in 0..2 {
            self.watchers.push(Watchers::default());
            self.domain.witnesses.push(Vec::new());
            self.failed.push(false);
        }
        self.domain.fan_in.push((0, 0));
        self.domain.is_permanent.push(false);
        self.domain.is_alone.push(false);
        self.domain.stamps.push(0);
        self.domain.defaults.push(Value::OPEN);
        self.domain.initial.push(Value::OPEN);
        self.visiting.push(false);
        self.phases.push(false);
        self.seen.push(false);
        self.order.new_var();
        self.units.new_var();
        var
    }

    /// The number of variables.
    pub fn var_count(&self) -> usize {
        self.vars.len()
    }

    /// The counts since the solver was made.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The log of derivations.
    pub fn proof(&self) -> &P {
        &self.proof
    }

    /// Is there a model?
    pub fn solve(&mut self, query: &Query<'_>) -> Answer<'_, P> {
        self.record(Call::Solve(query));
        self.statistics.queries += 1;
        self.reset();
        self.layer = query.layer;
        if self.is_refuted() {
            return Answer::Unsat(Core { lits: &self.core, failed: &self.failed });
        }
        self.simplify_if_fixed();
        self.line_up_lists();
        self.reduce_if_many();
        self.enter_domain(query);
        for clause in query.temporary {
            self.insert(clause, Kind::Learnt, Layer::TEMPORARY, None);
        }
        match self.search(query) {
            Some(true) => {
                self.satisfied = true;
                Answer::Sat(Model { solver: self })
            }
            Some(false) => {
                self.set_core(query);
                Answer::Unsat(Core { lits: &self.core, failed: &self.failed })
            }
            None => Answer::Stopped,
        }
    }

    /// The model of the last query, if it had one and nothing was changed since.
    pub fn model(&self) -> Option<Model<'_, P>> {
        self.satisfied.then_some(Model { solver: self })
    }

    /// Ends the last query: nothing but level 0 is left of it.
    pub(crate) fn reset(&mut self) {
        self.satisfied = false;
        for &lit in &self.core {
            self.failed[lit.code()] = false;
        }
        self.core.clear();
        self.order.clear();
        self.backtrack(ROOT);
        if !self.temporaries.is_empty() {
            let mut temporaries = std::mem::take(&mut self.temporaries);
            for clause in temporaries.drain(..) {
                self.detach(clause);
            }
            self.temporaries = temporaries;
        }
        self.units.forget_temporary();
        self.hopeless = false;
        if P::LOGS {
            self.refutations.retain(|(layer, _)| *layer != Layer::TEMPORARY);
        }
        if !self.domain.all {
            for i in 0..self.domain.vars.len() {
                let var = self.domain.vars[i];
                if !self.values[var.positive().code()].is_assigned()
                    && !self.domain.is_permanent[var.index()]
                {
                    self.set_both(var, Value::OUTSIDE);
                }
            }
        }
        self.domain.vars.clear();
        self.layer = Layer::ALWAYS;
    }

    #[inline]
    pub(crate) fn set_both(&mut self, var: Var, value: Value) {
        self.values[var.positive().code()] = value;
        self.values[(!var.positive()).code()] = value;
    }

    #[inline]
    pub(crate) fn level(&self) -> u32 {
        self.level_starts.len() as u32
    }

    #[inline]
    pub(crate) fn open_level(&mut self) {
        self.level_starts.push(self.trail.len());
    }

    #[inline]
    pub(crate) fn assign(&mut self, lit: Lit, reason: Reason, layer: Layer) {
        let var = lit.var();
        // Only lemmas assign what is outside; it goes back there.
        if self.values[lit.code()] == Value::OUTSIDE && !self.level_starts.is_empty() {
            self.visiting[var.index()] = true;
        }
        self.values[lit.code()] = Value::TRUE;
        self.values[(!lit).code()] = Value::FALSE;
        let level = self.level_starts.len() as u32;
        self.vars[var.index()] = VarState { level, layer, reason };
        if P::LOGS {
            self.logged.positions[var.index()] = self.trail.len() as u32;
            match self.level_starts.len() as u32 {
                ROOT => self.log_unit(lit, reason),
                LAYER => self.logged.unit_clauses[var.index()] = ClauseRef::NONE,
                _ => {}
            }
        }
        self.trail.push(lit);
    }

    pub(crate) fn backtrack(&mut self, level: u32) {
        if self.level() <= level {
            return;
        }
        let start = self.level_starts[level as usize];
        self.level_starts.truncate(level as usize);
        while self.trail.len() > start {
            let lit = self.trail.pop().expect("the trail is longer than its start");
            let var = lit.var();
            self.phases[var.index()] = !lit.is_negative();
            if self.visiting[var.index()] {
                self.visiting[var.index()] = false;
                self.set_both(var, Value::OUTSIDE);
            } else {
                self.set_both(var, Value::OPEN);
                if level >= ASSUMED {
                    self.order.push(var);
                }
            }
        }
        self.head = start;
    }

    /// Collects the assumptions that [`Solver::analyze_core`] marked as failed.
    pub(crate) fn set_core(&mut self, query: &Query<'_>) {
        for &lit in query.assumptions {
            if std::mem::replace(&mut self.failed[lit.code()], false) {
                self.core.push(lit);
            }
        }
        for &lit in &self.core {
            self.failed[lit.code()] = true;
        }
    }

    pub(crate) fn mark_failed(&mut self, lit: Lit) {
        self.failed[lit.code()] = true;
    }
}
