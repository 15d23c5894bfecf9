//! The solver: its state, what callers put into it, and the search.
//!
//! Decision levels have a fixed meaning: 0 holds what is true in every layer, 1
//! what is true in the layer of the query, 2 all assumptions, and decisions
//! start at 3. Restarts keep the first three.

use crate::arena::{Arena, ClauseRef, Kind, Layer};
use crate::literal::{Lit, Var};
use crate::order::Order;
use crate::proof::{NoProof, Proof};

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

/// One of two watches of a clause, kept with the watched literal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    /// A literal that satisfies the clause when true; the other one if binary.
    pub blocker: Lit,
    pub layer: Layer,
    /// The clause, and in bit 0 whether it is a lemma.
    clause: u32,
}

impl Watch {
    pub fn new(clause: ClauseRef, lemma: bool, blocker: Lit, layer: Layer) -> Self {
        Watch { blocker, layer, clause: clause.0 << 1 | lemma as u32 }
    }

    #[inline]
    pub fn with_blocker(self, blocker: Lit) -> Self {
        Watch { blocker, ..self }
    }

    #[inline]
    pub fn clause(self) -> ClauseRef {
        ClauseRef(self.clause >> 1)
    }

    #[inline]
    pub fn is_lemma(self) -> bool {
        self.clause & 1 == 1
    }
}

/// A literal that must be true in a layer and below, but not for ever.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub lit: Lit,
    pub layer: Layer,
    pub clause: ClauseRef,
    pub lemma: Option<LemmaId>,
}

/// The name of a lemma, until it is removed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LemmaId(u32);

/// Where a lemma is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Clause {
        clause: ClauseRef,
        /// The literal under which the lemma is found when the domain is closed.
        witness: Lit,
    },
    /// In the list of units.
    Unit,
    /// All literals are false at level 0.
    False { clause: ClauseRef },
    /// True at level 0 whatever happens, or removed.
    Nowhere,
}

/// Which variables a query decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The fan-in of the assumptions, of the temporary clauses and of the
    /// permanent roots, closed under the lemmas that it violates. The clauses
    /// that are not lemmas must define each variable by its fan-in.
    Cone,
    /// All variables.
    All,
}

/// One question.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Which lemmas count.
    pub layer: Layer,
    /// Propagated one after the other: cores prefer the front.
    pub assumptions: &'a [Lit],
    /// Clauses for this query alone.
    pub temporary: &'a [&'a [Lit]],
    pub scope: Scope,
    /// Give up after so many conflicts.
    pub conflicts: Option<u64>,
}

/// The answer, with its data.
pub enum Answer<'a, P: Proof = NoProof> {
    Sat(Model<'a, P>),
    Unsat(Core<'a>),
    /// The solver was told to stop, or the conflicts were used up.
    Stopped,
}

/// A satisfying assignment of the domain: it extends to all variables.
pub struct Model<'a, P: Proof = NoProof> {
    solver: &'a Solver<P>,
}

impl<P: Proof> Model<'_, P> {
    /// The value of a literal, if its variable is in the domain.
    #[inline]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        match self.solver.values[lit.code()] {
            Value::TRUE => Some(true),
            Value::FALSE => Some(false),
            _ => None,
        }
    }

    /// The literals that are true, in the domain, in the order of assignment.
    pub fn lits(&self) -> impl Iterator<Item = Lit> + '_ {
        self.all_lits().filter(|lit| !self.solver.visiting[lit.var().index()])
    }

    /// The same with the literals that lemmas made true outside the domain. All
    /// other variables with defaults may be taken to be as by default.
    pub fn all_lits(&self) -> impl Iterator<Item = Lit> + '_ {
        self.solver.trail.iter().copied()
    }
}

/// The assumptions that a refutation used.
pub struct Core<'a> {
    lits: &'a [Lit],
    failed: &'a [bool],
}

impl Core<'_> {
    /// The used assumptions, in the order of the query.
    pub fn lits(&self) -> &[Lit] {
        self.lits
    }

    #[inline]
    pub fn contains(&self, assumption: Lit) -> bool {
        self.failed[assumption.code()]
    }
}

/// What the solver did, over its life.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Statistics {
    pub queries: u64,
    pub conflicts: u64,
    pub decisions: u64,
    pub propagations: u64,
    /// Variables in domains, over all queries.
    pub domain: u64,
    pub learnt_clauses: u64,
    pub learnt_literals: u64,
}

/// An incremental SAT solver for many small queries. See the crate's preface.
pub struct Solver<P: Proof = NoProof> {
    pub(crate) values: Vec<Value>,
    pub(crate) levels: Vec<u32>,
    pub(crate) reasons: Vec<Reason>,
    /// By variable: the layer of its reason; at levels 0 and 1 the least layer of
    /// all that implied it.
    pub(crate) layers: Vec<Layer>,
    /// By variable, when proofs are logged: its place in the trail, the clause
    /// that has it alone, and the one that says its initial value.
    pub(crate) positions: Vec<u32>,
    pub(crate) unit_clauses: Vec<ClauseRef>,
    initial_clauses: Vec<ClauseRef>,
    pub(crate) trail: Vec<Lit>,
    level_starts: Vec<usize>,
    pub(crate) head: usize,

    pub(crate) arena: Arena,
    pub(crate) watches: Vec<Vec<Watch>>,
    pub(crate) binaries: Vec<Vec<Watch>>,
    pub(crate) units: Vec<Unit>,
    pub(crate) learnts: Vec<ClauseRef>,
    temporaries: Vec<ClauseRef>,
    lemmas: Vec<Place>,
    free_lemmas: Vec<LemmaId>,
    pub(crate) originals: usize,
    max_learnts: usize,

    pub(crate) domain: Domain,
    /// By assigned variable: it is not in the domain.
    visiting: Vec<bool>,
    phases: Vec<bool>,
    pub(crate) order: Order,
    /// The layer of the current query.
    pub(crate) layer: Layer,
    /// Queries at this layer and below have no model.
    pub(crate) refuted: Layer,
    /// There is no model at all.
    contradiction: bool,
    /// The current query has no model: a clause of its own is false at level 0.
    hopeless: bool,
    /// When proofs are logged: empty clauses, by layer.
    pub(crate) refutations: Vec<(Layer, ClauseRef)>,
    /// The last query has a model, and it is still there.
    satisfied: bool,

    pub(crate) seen: Vec<bool>,
    pub(crate) learnt: Vec<Lit>,
    pub(crate) to_clear: Vec<Var>,
    pub(crate) stack: Vec<Lit>,
    pub(crate) chain: Vec<(u32, ClauseRef)>,
    core: Vec<Lit>,
    failed: Vec<bool>,
    scratch: Vec<Lit>,
    stamp: u64,

    stop: Option<Box<dyn Fn() -> bool + Send>>,
    pub(crate) statistics: Statistics,
    pub(crate) proof: P,
}

/// Which variables a query is about, and what lemmas need to know of the others.
#[derive(Clone, Default)]
pub(crate) struct Domain {
    /// By variable: where its fan-in is.
    fan_in: Vec<(u32, u32)>,
    fan_ins: Vec<Var>,
    /// In the domain of every query.
    permanent: Vec<Var>,
    is_permanent: Vec<bool>,
    pub vars: Vec<Var>,
    /// By fixed variable: the query whose domain it was last put into.
    stamps: Vec<u64>,
    all: bool,
    /// By variable: its value in one assignment that satisfies every lemma.
    defaults: Vec<Value>,
    /// By variable: its value at layer `level(0)`.
    initial: Vec<Value>,
    /// By literal: lemmas that are satisfied by default because of it.
    witnesses: Vec<Vec<ClauseRef>>,
    /// Literals of level 0 that are not as by default.
    deviating: Vec<Lit>,
    deviating_seen: usize,
}

impl<P: Proof> Default for Solver<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Proof> Solver<P> {
    pub fn new() -> Self {
        Solver {
            values: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            layers: Vec::new(),
            positions: Vec::new(),
            unit_clauses: Vec::new(),
            initial_clauses: Vec::new(),
            trail: Vec::new(),
            level_starts: Vec::new(),
            head: 0,
            arena: Arena::default(),
            watches: Vec::new(),
            binaries: Vec::new(),
            units: Vec::new(),
            learnts: Vec::new(),
            temporaries: Vec::new(),
            lemmas: Vec::new(),
            free_lemmas: Vec::new(),
            originals: 0,
            max_learnts: 0,
            domain: Domain::default(),
            visiting: Vec::new(),
            phases: Vec::new(),
            order: Order::new(),
            layer: Layer::ALWAYS,
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
            statistics: Statistics::default(),
            proof: P::default(),
        }
    }

    /// The solver asks `stop` now and then while it works, and gives up when it
    /// answers true.
    pub fn set_stop(&mut self, stop: impl Fn() -> bool + Send + 'static) {
        self.stop = Some(Box::new(stop));
    }

    pub fn new_var(&mut self) -> Var {
        let var = Var::new(self.levels.len());
        let value = if self.domain.all { Value::OPEN } else { Value::OUTSIDE };
        self.values.extend([value; 2]);
        self.levels.push(0);
        self.reasons.push(Reason::NONE);
        self.layers.push(Layer::ALWAYS);
        if P::LOGS {
            self.positions.push(0);
            self.unit_clauses.push(ClauseRef::NONE);
            self.initial_clauses.push(ClauseRef::NONE);
        }
        for _ in 0..2 {
            self.watches.push(Vec::new());
            self.binaries.push(Vec::new());
            self.domain.witnesses.push(Vec::new());
            self.failed.push(false);
        }
        self.domain.fan_in.push((0, 0));
        self.domain.is_permanent.push(false);
        self.domain.stamps.push(0);
        self.domain.defaults.push(Value::OPEN);
        self.domain.initial.push(Value::OPEN);
        self.visiting.push(false);
        self.phases.push(false);
        self.seen.push(false);
        self.order.new_var();
        var
    }

    pub fn var_count(&self) -> usize {
        self.levels.len()
    }

    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The log of derivations.
    pub fn proof(&self) -> &P {
        &self.proof
    }

    /// An estimate of the memory that clauses and watches take.
    pub fn bytes(&self) -> usize {
        let watches = self.watches.iter().chain(&self.binaries).map(Vec::capacity).sum::<usize>();
        self.arena.bytes() + watches * std::mem::size_of::<Watch>()
    }

    /// Names the variables by which the clauses define `var`.
    pub fn set_fan_in(&mut self, var: Var, fan_in: &[Var]) {
        let start = self.domain.fan_ins.len() as u32;
        self.domain.fan_ins.extend_from_slice(fan_in);
        self.domain.fan_in[var.index()] = (start, start + fan_in.len() as u32);
    }

    /// Puts the cone of `var` into the domain of every query. Must be said
    /// before clauses fix a variable of that cone that its definition does not.
    pub fn add_permanent_root(&mut self, var: Var) {
        self.reset();
        let mut stack = vec![var];
        while let Some(var) = stack.pop() {
            if !std::mem::replace(&mut self.domain.is_permanent[var.index()], true) {
                self.domain.permanent.push(var);
                if !self.values[var.positive().code()].is_assigned() {
                    self.set_both(var, Value::OPEN);
                }
                stack.extend_from_slice(self.domain.fan_in(var));
            }
        }
    }

    /// The value of `var` in one assignment that satisfies every lemma that will
    /// be given; its first phase too. Must be said before clauses fix `var`.
    pub fn set_default(&mut self, var: Var, value: bool) {
        self.domain.defaults[var.index()] = Value(value as u8);
        self.phases[var.index()] = value;
    }

    /// The phase in which `var` is tried first.
    pub fn set_phase(&mut self, var: Var, value: bool) {
        self.phases[var.index()] = value;
    }

    /// The value of `var` in every query at layer `level(0)`. It must be the
    /// default as well.
    pub fn set_initial(&mut self, var: Var, value: bool) {
        self.domain.initial[var.index()] = Value(value as u8);
        if P::LOGS {
            let lit = var.positive().negate_if(!value);
            let clause = self.arena.add(&[lit], Kind::Original, Layer::level(0), 0);
            self.proof.original(clause, &[lit]);
            self.initial_clauses[var.index()] = clause;
        }
    }

    /// Adds a clause for ever. For queries of scope `Cone` it must be part of the
    /// definition of a variable, or speak of permanent variables only.
    pub fn add_clause(&mut self, lits: &[Lit]) {
        self.reset();
        self.originals += 1;
        self.insert(lits, Kind::Original, Layer::ALWAYS, None);
    }

    /// Adds a clause over variables with defaults for queries at `layer` and below.
    pub fn add_lemma(&mut self, lits: &[Lit], layer: Layer) -> LemmaId {
        self.reset();
        let id = self.free_lemmas.pop().unwrap_or_else(|| {
            self.lemmas.push(Place::Nowhere);
            LemmaId(self.lemmas.len() as u32 - 1)
        });
        self.lemmas[id.0 as usize] = Place::Nowhere;
        self.insert(lits, Kind::Lemma, layer, Some(id));
        id
    }

    /// Lets a lemma count in later layers, too.
    pub fn raise_lemma(&mut self, id: LemmaId, layer: Layer) {
        self.reset();
        match self.lemmas[id.0 as usize] {
            Place::Clause { clause, .. } => {
                self.arena.set_layer(clause, layer);
                let (a, b) = (self.arena.lit(clause, 0), self.arena.lit(clause, 1));
                let lists = if self.arena.len(clause) == 2 {
                    &mut self.binaries
                } else {
                    &mut self.watches
                };
                for lit in [a, b] {
                    let watch = lists[lit.code()].iter_mut().rfind(|w| w.clause() == clause);
                    watch.expect("a clause is watched twice").layer = layer;
                }
                self.imply_if_unit(clause, layer);
            }
            Place::Unit => {
                let index = self.units.iter().position(|unit| unit.lemma == Some(id));
                let index = index.expect("a unit lemma is in the list");
                if layer == Layer::ALWAYS {
                    let unit = self.units.swap_remove(index);
                    self.lemmas[id.0 as usize] = Place::Nowhere;
                    self.fix(unit.lit, unit.clause);
                } else {
                    self.units[index].layer = layer;
                }
            }
            Place::False { clause } => self.refute(layer, clause),
            Place::Nowhere => {}
        }
    }

    /// Propagation has seen a clause that is unit at level 0, but not with its
    /// new layer.
    fn imply_if_unit(&mut self, clause: ClauseRef, layer: Layer) {
        let is_open = |lit: &Lit| self.values[lit.code()] != Value::FALSE;
        let (first, others) = {
            let mut open = self.arena.lits(clause).filter(is_open);
            (open.next(), open.count())
        };
        if others == 0 {
            let lit = first.unwrap_or(self.arena.lit(clause, 0));
            if self.imply_at_root(lit, Reason { clause, other: Lit::NONE }, layer) {
                self.propagate_root();
            } else {
                self.refute(layer, clause);
            }
        }
    }

    /// Removes a lemma that the others imply wherever it counts, as do those of
    /// the same or later layers that subsume it: what was learnt from it stays.
    pub fn remove_lemma(&mut self, id: LemmaId) {
        self.reset();
        match std::mem::replace(&mut self.lemmas[id.0 as usize], Place::Nowhere) {
            Place::Clause { clause, witness } => {
                if witness != Lit::NONE {
                    let list = &mut self.domain.witnesses[witness.code()];
                    let index = list.iter().position(|&c| c == clause);
                    list.swap_remove(index.expect("a lemma is filed under its witness"));
                }
                self.detach(clause);
            }
            Place::Unit => self.units.retain(|unit| unit.lemma != Some(id)),
            Place::False { .. } | Place::Nowhere => {}
        }
        self.free_lemmas.push(id);
    }

    /// Is there a model?
    pub fn solve(&mut self, query: &Query<'_>) -> Answer<'_, P> {
        self.statistics.queries += 1;
        self.reset();
        self.layer = query.layer;
        if self.is_refuted() {
            return Answer::Unsat(Core { lits: &self.core, failed: &self.failed });
        }
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
    fn reset(&mut self) {
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
            self.units.retain(|unit| unit.layer != Layer::TEMPORARY);
        }
        self.hopeless = false;
        if P::LOGS {
            self.refutations.retain(|(layer, _)| *layer != Layer::TEMPORARY);
        }
        if !self.domain.all {
            for i in 0..self.domain.vars.len() {
                let var = self.domain.vars[i];
                if !self.values[var.positive().code()].is_assigned() {
                    self.set_both(var, Value::OUTSIDE);
                }
            }
        }
        self.domain.vars.clear();
        self.layer = Layer::ALWAYS;
    }

    fn enter_domain(&mut self, query: &Query<'_>) {
        let all = query.scope == Scope::All;
        if all != self.domain.all {
            self.domain.all = all;
            for index in 0..self.levels.len() {
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
            let mut next = 0;
            while let Some(&var) = self.domain.vars.get(next) {
                next += 1;
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
    /// the model shall determine the cone without what fixed them.
    #[inline]
    fn include_with_fixed(&mut self, var: Var) {
        match self.values[var.positive().code()] {
            Value::OPEN => {}
            Value::OUTSIDE => {
                self.set_both(var, Value::OPEN);
                self.domain.vars.push(var);
            }
            _ => {
                if self.domain.stamps[var.index()] != self.stamp
                    && !self.domain.is_permanent[var.index()]
                {
                    self.domain.stamps[var.index()] = self.stamp;
                    self.domain.vars.push(var);
                }
            }
        }
    }

    fn set_both(&mut self, var: Var, value: Value) {
        self.values[var.positive().code()] = value;
        self.values[(!var.positive()).code()] = value;
    }

    /// Adds a clause at level 0, in the form that its values allow.
    fn insert(&mut self, lits: &[Lit], kind: Kind, layer: Layer, id: Option<LemmaId>) {
        let mut clause = std::mem::take(&mut self.scratch);
        clause.clear();
        clause.extend_from_slice(lits);
        clause.sort_unstable();
        clause.dedup();
        let tautology = clause.windows(2).any(|pair| pair[0] == !pair[1]);
        let satisfied = clause.iter().any(|lit| self.values[lit.code()] == Value::TRUE);
        if !tautology && (!satisfied || P::LOGS) {
            if P::LOGS {
                // What is false must stay for the proof; what is not is watched.
                clause.sort_by_key(|lit| self.values[lit.code()] == Value::FALSE);
            } else {
                clause.retain(|lit| self.values[lit.code()] != Value::FALSE);
            }
            self.insert_simplified(&clause, kind, layer, id, satisfied);
        }
        self.scratch = clause;
    }

    fn insert_simplified(
        &mut self,
        lits: &[Lit],
        kind: Kind,
        layer: Layer,
        id: Option<LemmaId>,
        satisfied: bool,
    ) {
        let open = lits.iter().take_while(|lit| self.values[lit.code()] != Value::FALSE).count();
        let note = id.map_or(u32::MAX, |id| id.0);
        let mut clause = ClauseRef::NONE;
        if open >= 2 || P::LOGS {
            clause = self.arena.add(lits, kind, layer, note);
            self.proof.original(clause, lits);
        }
        match open {
            _ if satisfied => {}
            0 => {
                self.refute(layer, clause);
                if let Some(id) = id {
                    self.lemmas[id.0 as usize] = Place::False { clause };
                }
            }
            1 if layer == Layer::ALWAYS => self.fix(lits[0], clause),
            1 => {
                self.units.push(Unit { lit: lits[0], layer, clause, lemma: id });
                if let Some(id) = id {
                    self.lemmas[id.0 as usize] = Place::Unit;
                }
                if layer == Layer::TEMPORARY {
                    self.temporaries.push(clause);
                }
            }
            _ => {
                self.attach(clause);
                if layer == Layer::TEMPORARY {
                    self.temporaries.push(clause);
                }
                if let Some(id) = id {
                    let witness = self.file_lemma(clause);
                    self.lemmas[id.0 as usize] = Place::Clause { clause, witness };
                }
            }
        }
    }

    /// Files a lemma under a literal that is true by default. A lemma that is not
    /// satisfied by default has to be in every domain.
    fn file_lemma(&mut self, clause: ClauseRef) -> Lit {
        let by_default =
            |lit: &Lit| self.domain.defaults[lit.var().index()] == Value(!lit.is_negative() as u8);
        let shortest = |lit: &Lit| self.domain.witnesses[lit.code()].len();
        match self.arena.lits(clause).filter(by_default).min_by_key(shortest) {
            Some(witness) => {
                self.domain.witnesses[witness.code()].push(clause);
                witness
            }
            None => {
                let vars: Vec<Var> = self.arena.lits(clause).map(Lit::var).collect();
                for var in vars {
                    if !std::mem::replace(&mut self.domain.is_permanent[var.index()], true) {
                        self.domain.permanent.push(var);
                        if !self.values[var.positive().code()].is_assigned() {
                            self.set_both(var, Value::OPEN);
                        }
                    }
                }
                Lit::NONE
            }
        }
    }

    /// Makes a literal true for ever.
    fn fix(&mut self, lit: Lit, clause: ClauseRef) {
        match self.values[lit.code()] {
            Value::TRUE => {}
            Value::FALSE => self.refute(Layer::ALWAYS, clause),
            _ => {
                self.assign(lit, Reason { clause, other: Lit::NONE }, Layer::ALWAYS);
                self.propagate_root();
            }
        }
    }

    /// No query that sees `clause` has a model: all its literals are false at
    /// level 0.
    pub(crate) fn refute(&mut self, layer: Layer, clause: ClauseRef) {
        match layer {
            Layer::ALWAYS => self.contradiction = true,
            Layer::TEMPORARY => self.hopeless = true,
            _ => self.refuted = self.refuted.max(layer),
        }
        if P::LOGS {
            self.log_refutation(layer, clause);
        }
    }

    /// Is it known at level 0 that the current query has no model?
    fn is_refuted(&mut self) -> bool {
        let refuted = self.contradiction || self.hopeless || self.layer <= self.refuted;
        if P::LOGS && refuted {
            self.log_refuted();
        }
        refuted
    }

    fn propagate_root(&mut self) {
        if let Some(conflict) = self.propagate::<true>() {
            self.refute(Layer::ALWAYS, conflict.clause);
        }
        while let Some(&lit) = self.trail.get(self.domain.deviating_seen) {
            self.domain.deviating_seen += 1;
            if self.domain.defaults[lit.var().index()] == Value(lit.is_negative() as u8) {
                self.domain.deviating.push(lit);
            }
        }
    }

    pub(crate) fn attach(&mut self, clause: ClauseRef) {
        let (a, b) = (self.arena.lit(clause, 0), self.arena.lit(clause, 1));
        let lemma = self.arena.kind(clause) == Kind::Lemma;
        let layer = self.arena.layer(clause);
        let lists =
            if self.arena.len(clause) == 2 { &mut self.binaries } else { &mut self.watches };
        lists[a.code()].push(Watch::new(clause, lemma, b, layer));
        lists[b.code()].push(Watch::new(clause, lemma, a, layer));
    }

    /// Takes a clause out of the watches and out of the arena. What was added
    /// last is near the ends of the lists.
    pub(crate) fn detach(&mut self, clause: ClauseRef) {
        if clause == ClauseRef::NONE {
            return;
        }
        if self.arena.len(clause) >= 2 {
            let (a, b) = (self.arena.lit(clause, 0), self.arena.lit(clause, 1));
            let lists =
                if self.arena.len(clause) == 2 { &mut self.binaries } else { &mut self.watches };
            for lit in [a, b] {
                let list = &mut lists[lit.code()];
                if let Some(index) = list.iter().rposition(|w| w.clause() == clause) {
                    list.swap_remove(index);
                }
            }
        }
        if !P::LOGS {
            self.arena.remove(clause);
        }
    }

    pub(crate) fn level(&self) -> u32 {
        self.level_starts.len() as u32
    }

    fn open_level(&mut self) {
        self.level_starts.push(self.trail.len());
    }

    #[inline]
    pub(crate) fn assign(&mut self, lit: Lit, reason: Reason, layer: Layer) {
        let var = lit.var();
        // Only lemmas assign what is outside; it goes back there.
        self.visiting[var.index()] =
            self.values[lit.code()] == Value::OUTSIDE && !self.level_starts.is_empty();
        self.values[lit.code()] = Value::TRUE;
        self.values[(!lit).code()] = Value::FALSE;
        self.levels[var.index()] = self.level_starts.len() as u32;
        self.reasons[var.index()] = reason;
        self.layers[var.index()] = layer;
        if P::LOGS {
            self.positions[var.index()] = self.trail.len() as u32;
            if self.level_starts.is_empty() {
                self.log_unit(lit, reason);
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

    fn search(&mut self, query: &Query<'_>) -> Option<bool> {
        let mut restart = Restarts::new();
        let mut conflicts = 0u64;
        loop {
            if self.level() == ROOT {
                if self.is_refuted() {
                    return Some(false);
                }
                self.open_level();
                if !self.assume_layer() {
                    return Some(false);
                }
            }
            if self.level() == LAYER {
                if let Some(conflict) = self.propagate::<false>() {
                    self.analyze_core(conflict);
                    return Some(false);
                }
                self.open_level();
                if !self.assume(query.assumptions) {
                    return Some(false);
                }
                self.fill_order();
            }
            match self.propagate::<false>() {
                Some(conflict) if self.level() == ASSUMED => {
                    self.analyze_core(conflict);
                    return Some(false);
                }
                Some(conflict) => {
                    conflicts += 1;
                    self.statistics.conflicts += 1;
                    self.learn(conflict);
                    let exhausted = query.conflicts.is_some_and(|limit| conflicts > limit);
                    let stopped = conflicts.is_multiple_of(64)
                        && self.stop.as_ref().is_some_and(|stop| stop());
                    if exhausted || stopped {
                        return None;
                    }
                    if restart.after(conflicts) && self.level() > ASSUMED {
                        self.backtrack(ASSUMED);
                        self.order.clear();
                        self.fill_order();
                        if self.learnts.len() > 2 * self.max_learnts {
                            self.backtrack(ROOT);
                            self.reduce_if_many();
                        }
                    }
                }
                None => match self.next_decision() {
                    Some(lit) => {
                        self.statistics.decisions += 1;
                        self.open_level();
                        self.assign(lit, Reason::NONE, Layer::ALWAYS);
                    }
                    None => {
                        if !self.close_over_lemmas() {
                            return Some(true);
                        }
                    }
                },
            }
        }
    }

    /// Assigns what holds in the layer of the query.
    fn assume_layer(&mut self) -> bool {
        for index in 0..self.units.len() {
            let unit = self.units[index];
            if unit.layer.active_at(self.layer)
                && !self.assume_unit(unit.lit, unit.clause, unit.layer)
            {
                return false;
            }
        }
        self.layer != Layer::level(0) || self.assume_initial()
    }

    /// Assigns the initial values of the domain, which are those of the variables
    /// outside too, unless something at level 0 forbids it.
    fn assume_initial(&mut self) -> bool {
        for index in 0..self.domain.deviating.len() {
            if !self.assume_initial_of(self.domain.deviating[index].var()) {
                return false;
            }
        }
        if self.domain.all {
            return (0..self.levels.len()).all(|index| self.assume_initial_of(Var::new(index)));
        }
        (0..self.domain.permanent.len()).all(|i| self.assume_initial_of(self.domain.permanent[i]))
            && (0..self.domain.vars.len()).all(|i| self.assume_initial_of(self.domain.vars[i]))
    }

    fn assume_initial_of(&mut self, var: Var) -> bool {
        let initial = self.domain.initial[var.index()];
        let clause = if P::LOGS { self.initial_clauses[var.index()] } else { ClauseRef::NONE };
        let lit = var.positive().negate_if(initial == Value::FALSE);
        !initial.is_assigned() || self.assume_unit(lit, clause, Layer::level(0))
    }

    /// Assigns what `clause`, unit at level 0, says. False if it cannot be.
    fn assume_unit(&mut self, lit: Lit, clause: ClauseRef, layer: Layer) -> bool {
        let reason = Reason { clause, other: Lit::NONE };
        match self.values[lit.code()] {
            Value::TRUE => true,
            Value::FALSE => {
                // The core is empty, but a proof has to say why.
                if P::LOGS {
                    self.analyze_core(reason);
                }
                false
            }
            _ => {
                self.assign(lit, reason, layer);
                true
            }
        }
    }

    fn assume(&mut self, assumptions: &[Lit]) -> bool {
        for &lit in assumptions {
            match self.values[lit.code()] {
                Value::TRUE => continue,
                Value::FALSE => {
                    self.analyze_failed(lit);
                    return false;
                }
                _ => self.assign(lit, Reason::NONE, Layer::ALWAYS),
            }
            if let Some(conflict) = self.propagate::<false>() {
                self.analyze_core(conflict);
                return false;
            }
        }
        true
    }

    /// Only now: queries that fail by their assumptions never order variables.
    fn fill_order(&mut self) {
        if self.domain.all {
            for index in (0..self.levels.len()).rev() {
                self.queue(Var::new(index));
            }
            return;
        }
        for index in 0..self.domain.permanent.len() {
            self.queue(self.domain.permanent[index]);
        }
        for index in 0..self.domain.vars.len() {
            self.queue(self.domain.vars[index]);
        }
    }

    fn queue(&mut self, var: Var) {
        if !self.values[var.positive().code()].is_assigned() {
            self.order.push(var);
        }
    }

    fn next_decision(&mut self) -> Option<Lit> {
        while let Some(var) = self.order.pop() {
            if !self.values[var.positive().code()].is_assigned() {
                return Some(var.positive().negate_if(!self.phases[var.index()]));
            }
        }
        None
    }

    /// The domain is assigned. With all other variables at their defaults every
    /// lemma is satisfied, except perhaps those that are satisfied by default
    /// through a literal that is false now. Their variables join the domain.
    fn close_over_lemmas(&mut self) -> bool {
        let root_end = self.level_starts.first().copied().unwrap_or(self.trail.len());
        let mut grown = false;
        for index in 0..self.domain.deviating.len() {
            grown |= self.include_violated(!self.domain.deviating[index]);
        }
        for index in root_end..self.trail.len() {
            grown |= self.include_violated(!self.trail[index]);
        }
        if self.layer == Layer::level(0) {
            grown |= self.include_uninitial(root_end);
            if grown {
                // What has joined may have initial values.
                self.backtrack(ROOT);
            }
        }
        grown
    }

    /// Variables outside that lemmas moved from their initial values join the
    /// domain, where they get them.
    fn include_uninitial(&mut self, root_end: usize) -> bool {
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

    fn include_violated(&mut self, witness: Lit) -> bool {
        let list = std::mem::take(&mut self.domain.witnesses[witness.code()]);
        let mut grown = false;
        for &clause in &list {
            if self.arena.layer(clause).active_at(self.layer) && !self.holds_by_default(clause) {
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

    fn holds_by_default(&self, clause: ClauseRef) -> bool {
        self.arena.lits(clause).any(|lit| match self.values[lit.code()] {
            Value::TRUE => true,
            Value::FALSE => false,
            _ => self.domain.defaults[lit.var().index()] == Value(!lit.is_negative() as u8),
        })
    }

    fn learn(&mut self, conflict: Reason) {
        let analysis = self.analyze(conflict);
        let (lit, layer) = (self.learnt[0], analysis.layer);
        self.statistics.learnt_clauses += 1;
        self.statistics.learnt_literals += self.learnt.len() as u64;
        let now = self.statistics.conflicts as u32;
        let mut clause = ClauseRef::NONE;
        if self.learnt.len() > 1 || P::LOGS {
            clause = self.arena.add(&self.learnt, Kind::Learnt, layer, now);
            self.log_derived(clause);
        }
        self.backtrack(analysis.level);
        match self.learnt.len() {
            1 if layer == Layer::ALWAYS => {
                self.backtrack(ROOT);
                self.fix(lit, clause);
            }
            1 => {
                self.backtrack(LAYER);
                self.units.push(Unit { lit, layer, clause, lemma: None });
                if layer == Layer::TEMPORARY {
                    self.temporaries.push(clause);
                }
                self.assign(lit, Reason { clause, other: Lit::NONE }, layer);
            }
            length => {
                self.attach(clause);
                if layer == Layer::TEMPORARY {
                    self.temporaries.push(clause);
                } else {
                    self.learnts.push(clause);
                }
                let other = if length == 2 { self.learnt[1] } else { Lit::NONE };
                self.assign(lit, Reason { clause, other }, layer);
            }
        }
        self.order.decay();
    }

    /// Forgets the older half of the learnt clauses when there are too many.
    fn reduce_if_many(&mut self) {
        self.max_learnts = self.max_learnts.max(500 + self.originals / 8);
        if self.learnts.len() > self.max_learnts && !P::LOGS {
            self.reduce();
        }
        if self.arena.is_mostly_waste() {
            self.compact();
        }
    }

    fn reduce(&mut self) {
        let mut learnts = std::mem::take(&mut self.learnts);
        // What was of use lately is likely to be of use again.
        learnts.sort_by_key(|&clause| self.arena.note(clause));
        let old = learnts.len() / 2;
        let mut index = 0;
        learnts.retain(|&clause| {
            index += 1;
            let keep = index > old || self.arena.len(clause) == 2;
            if !keep {
                self.arena.remove(clause);
            }
            keep
        });
        self.learnts = learnts;
        for list in &mut self.watches {
            list.retain(|watch| !self.arena.is_removed(watch.clause()));
        }
    }

    /// Moves the clauses together. At level 0 no reason is needed any more.
    fn compact(&mut self) {
        let moved = self.arena.compact();
        let place = |clause: ClauseRef| moved.place(clause).expect("the clause is in use");
        for list in self.watches.iter_mut().chain(&mut self.binaries) {
            for watch in list {
                *watch =
                    Watch::new(place(watch.clause()), watch.is_lemma(), watch.blocker, watch.layer);
            }
        }
        for clause in self.learnts.iter_mut().chain(&mut self.temporaries) {
            if *clause != ClauseRef::NONE {
                *clause = place(*clause);
            }
        }
        for list in &mut self.domain.witnesses {
            for clause in list {
                *clause = place(*clause);
            }
        }
        for lemma in &mut self.lemmas {
            if let Place::Clause { clause, .. } = lemma {
                *clause = place(*clause);
            }
        }
    }

    /// Collects the assumptions that [`Solver::analyze_core`] marked as failed.
    fn set_core(&mut self, query: &Query<'_>) {
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

impl Domain {
    fn fan_in(&self, var: Var) -> &[Var] {
        let (start, end) = self.fan_in[var.index()];
        &self.fan_ins[start as usize..end as usize]
    }
}

/// Restarts after 1, 1, 2, 1, 1, 2, 4, … units of conflicts [Luby et al. 1993].
struct Restarts {
    /// Knuth's pair of registers that enumerates the sequence.
    pair: (i64, i64),
    next: u64,
}

impl Restarts {
    const UNIT: u64 = 64;

    fn new() -> Self {
        Restarts { pair: (1, 1), next: Self::UNIT }
    }

    fn after(&mut self, conflicts: u64) -> bool {
        if conflicts < self.next {
            return false;
        }
        let (u, v) = self.pair;
        self.pair = if u & -u == v { (u + 1, 1) } else { (u, 2 * v) };
        self.next = conflicts + Self::UNIT * self.pair.1 as u64;
        true
    }
}
