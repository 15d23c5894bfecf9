//! A system unrolled over time frames into one and-inverter graph, and a solver
//! for questions about it.
//!
//! Only what is asked for is built: the translation of (expression, frame) is
//! computed on demand from that of its operands, without recursion. A frame is a
//! table with a fixed place for every expression in the cone of influence, so
//! that a further frame is one allocation.

use std::time::Instant;

use elinvar_ir::{
    ArrayValue, BitVec, Evaluator, Expr, ExprId, PropertyId, Role, Sort, Step, Trace,
    TransitionSystem, Value, cone, zero_of,
};
use elinvar_logic::aig::Valuation;
use elinvar_logic::arrays::Contents;
use elinvar_logic::blast::{Blasted, blast, cost};
use elinvar_logic::{Aig, AigLit, Answer, ArrayTerm, Arrays, Cadical, Cnf, SatSolver};

use rustc_hash::FxHashMap;

use crate::engine::EngineError;
use crate::ring::Holding;
use crate::run::{self, Event, Run, Stopped, work_of_ticks};

/// Where frame zero starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// In an initial state.
    Initial,
    /// In any state.
    Anywhere,
}

const ABSENT: u32 = u32::MAX;

/// The unrolled system.
pub struct Unrolling<'a> {
    system: &'a TransitionSystem,
    start: Start,
    aig: Aig,
    arrays: Arrays,
    places: Places,
    frame_size: usize,
    /// Codes of literals or of array terms, or `ABSENT`.
    frames: Vec<Vec<u32>>,
}

impl<'a> Unrolling<'a> {
    /// Ready for questions about `roots` and the constraints.
    pub fn new(
        system: &'a TransitionSystem,
        roots: &[ExprId],
        start: Start,
    ) -> Result<Self, EngineError> {
        let pool = system.pool();
        let roots: Vec<ExprId> = roots.iter().chain(system.constraints()).copied().collect();
        let states = system.cone_of_influence(roots.iter().copied());
        let parts = states.iter().map(|&index| system.states()[index]);
        let parts = parts.flat_map(|s| [Some(s.symbol), s.init, s.next]).flatten();
        let nodes = cone(pool, parts.chain(roots));
        let mut places = Places::new(nodes.len(), pool.len());
        let mut frame_size = 0usize;
        let mut gates = 0u64;
        for node in nodes {
            places.set(node, frame_size as u32);
            frame_size += pool.sort(node).width().unwrap_or(1) as usize;
            gates = gates.saturating_add(cost(pool, &pool.get(node)));
            if gates.saturating_add(frame_size as u64) > 1 << 30 {
                return Err(EngineError::TooLarge(
                    "the model needs more than 2^30 gates for one cycle".into(),
                ));
            }
        }
        let (aig, arrays) = (Aig::new(), Arrays::new());
        Ok(Unrolling { system, start, aig, arrays, places, frame_size, frames: Vec::new() })
    }

    /// The literal of a bit in a frame.
    pub fn bit(&mut self, expr: ExprId, frame: usize) -> AigLit {
        self.word(expr, frame)[0]
    }

    /// The literals of a bit-vector in a frame, the least significant first.
    pub fn word(&mut self, expr: ExprId, frame: usize) -> Vec<AigLit> {
        self.build(expr.regular(), frame);
        self.get(expr, frame).word()
    }

    /// The conjunction of all constraints in a frame.
    pub fn constraints(&mut self, frame: usize) -> AigLit {
        let bits: Vec<AigLit> =
            self.system.constraints().iter().map(|&c| self.bit(c, frame)).collect();
        self.aig.and_all(&bits)
    }

    /// A literal that is true exactly when the given states differ between two frames.
    pub fn states_differ(&mut self, states: &[usize], one: usize, other: usize) -> AigLit {
        let mut differences = Vec::new();
        for &state in states {
            let symbol = self.system.states()[state].symbol;
            self.build(symbol, one);
            self.build(symbol, other);
            match (self.get(symbol, one), self.get(symbol, other)) {
                (Blasted::Word(a), Blasted::Word(b)) => {
                    for (x, y) in a.into_iter().zip(b) {
                        differences.push(self.aig.xor(x, y));
                    }
                }
                (Blasted::Array(a), Blasted::Array(b)) => {
                    differences.push(!self.arrays.equal(&mut self.aig, a, b));
                }
                (Blasted::Word(_), Blasted::Array(_)) | (Blasted::Array(_), Blasted::Word(_)) => {
                    unreachable!("a state keeps its sort")
                }
            }
        }
        self.aig.or_all(&differences)
    }

    pub fn and(&mut self, a: AigLit, b: AigLit) -> AigLit {
        self.aig.and(a, b)
    }

    pub fn or_all(&mut self, lits: &[AigLit]) -> AigLit {
        self.aig.or_all(lits)
    }

    pub fn system(&self) -> &TransitionSystem {
        self.system
    }

    /// About how many bytes it holds.
    fn size(&self) -> u64 {
        // A gate, its place in the index of gates, and its literal in a solver.
        const OF_A_GATE: usize = 32;
        (self.aig.len() * OF_A_GATE + self.frames.len() * self.frame_size * 4) as u64
    }

    // ---- translation ------------------------------------------------------

    fn slot(&self, node: ExprId, frame: usize) -> Option<u32> {
        let slot = *self.frames.get(frame)?.get(self.places.get(node))?;
        (slot != ABSENT).then_some(slot)
    }

    /// The translation, if it was built.
    fn find(&self, expr: ExprId, frame: usize) -> Option<Blasted> {
        let first = self.slot(expr, frame)?;
        Some(match self.system.pool().sort(expr) {
            Sort::Array { .. } => Blasted::Array(ArrayTerm::from_index(first as usize)),
            Sort::Bv(width) => {
                let start = self.places.get(expr);
                let slots = &self.frames[frame][start..start + width as usize];
                let literal = |&code| AigLit::from_code(code).complement_if(expr.is_complement());
                Blasted::Word(slots.iter().map(literal).collect())
            }
        })
    }

    fn get(&self, expr: ExprId, frame: usize) -> Blasted {
        self.find(expr, frame).expect("the expression was built")
    }

    fn build(&mut self, expr: ExprId, frame: usize) {
        while self.frames.len() <= frame {
            self.frames.push(vec![ABSENT; self.frame_size]);
        }
        let mut stack = vec![(expr, frame)];
        while let Some(&(node, frame)) = stack.last() {
            if self.slot(node, frame).is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.for_each_need(node, frame, |needed, at| {
                if self.slot(needed, at).is_none() {
                    stack.push((needed.regular(), at));
                }
            });
            if stack.len() == before {
                let translated = self.translate(node, frame);
                self.store(node, frame, translated);
                stack.pop();
            }
        }
    }

    /// What must be translated before `node` in `frame`.
    fn for_each_need(&self, node: ExprId, frame: usize, mut visit: impl FnMut(ExprId, usize)) {
        match self.system.role_of(node) {
            None => self.system.pool().for_each_operand(node, |operand| visit(operand, frame)),
            Some(Role::Input(_)) => {}
            Some(Role::State(index)) => {
                if let Some((expr, at)) = self.definition(index, frame) {
                    visit(expr, at);
                }
            }
        }
    }

    /// The expression that gives a state its value in a frame, if any does.
    fn definition(&self, state: usize, frame: usize) -> Option<(ExprId, usize)> {
        let state = &self.system.states()[state];
        match (frame, self.start) {
            (0, Start::Initial) => state.init.map(|init| (init, 0)),
            (0, Start::Anywhere) => None,
            _ => state.next.map(|next| (next, frame - 1)),
        }
    }

    fn translate(&mut self, node: ExprId, frame: usize) -> Blasted {
        let pool = self.system.pool();
        let sort = pool.sort(node);
        match pool.get(node) {
            Expr::Symbol(symbol) => {
                let defined = match self.system.role(symbol) {
                    Role::Input(_) => None,
                    Role::State(index) => self.definition(index, frame),
                };
                match (defined, sort) {
                    (Some((expr, at)), _) => self.get(expr, at),
                    (None, Sort::Bv(width)) => {
                        Blasted::Word((0..width).map(|_| self.aig.input()).collect())
                    }
                    (None, Sort::Array { index, element }) => {
                        Blasted::Array(self.arrays.base(index, element))
                    }
                }
            }
            expr => {
                let mut aig = std::mem::take(&mut self.aig);
                let mut arrays = std::mem::take(&mut self.arrays);
                let operand = |id| self.get(id, frame);
                let translated = blast(&mut aig, &mut arrays, sort, &expr, operand);
                self.aig = aig;
                self.arrays = arrays;
                translated
            }
        }
    }

    fn store(&mut self, node: ExprId, frame: usize, translated: Blasted) {
        let start = self.places.get(node);
        match translated {
            Blasted::Word(word) => {
                for (i, lit) in word.into_iter().enumerate() {
                    self.frames[frame][start + i] = lit.code();
                }
            }
            Blasted::Array(term) => self.frames[frame][start] = term.index() as u32,
        }
    }

    // ---- models -------------------------------------------------------------

    /// The value of an expression in a frame of a model, if it was built.
    fn value(&self, expr: ExprId, frame: usize, model: &Found) -> Option<Value> {
        Some(match self.find(expr, frame)? {
            Blasted::Word(word) => {
                BitVec::from_bits(word.iter().map(|&bit| model.values.value(bit))).into()
            }
            Blasted::Array(term) => {
                let contents = model.contents.as_ref().expect("arrays were refined");
                let array: ArrayValue = self.arrays.evaluate(term, contents, &model.values);
                array.into()
            }
        })
    }

    fn value_or_zero(&self, symbol: ExprId, frame: usize, model: &Found) -> Value {
        let sort = self.system.pool().sort(symbol);
        self.value(symbol, frame, model).unwrap_or_else(|| zero_of(sort))
    }

    /// Is the bit true in a frame of the model?
    pub fn holds(&self, bit: ExprId, frame: usize, model: &Found) -> bool {
        self.value(bit, frame, model).is_some_and(|value| value.bv().is_true())
    }

    /// The values of the given states in a frame of the model.
    pub fn state_values(&self, states: &[usize], frame: usize, model: &Found) -> Vec<Value> {
        let symbol = |&state: &usize| self.system.states()[state].symbol;
        states.iter().map(|state| self.value_or_zero(symbol(state), frame, model)).collect()
    }

    /// The complete trace of a model whose frame `depth` is bad.
    ///
    /// The model decides what is free; whatever `init` determines is computed
    /// by the reference evaluator.
    pub fn trace(&self, property: PropertyId, depth: usize, model: &Found) -> Trace {
        let system = self.system;
        let steps: Vec<Step> = (0..=depth)
            .map(|frame| Step {
                inputs: (system.inputs().iter())
                    .map(|input| self.value_or_zero(input.symbol, frame, model))
                    .collect(),
                free: match frame {
                    0 => Vec::new(),
                    _ => self.state_values(system.free_states(), frame, model),
                },
            })
            .collect();
        let symbols = system.states().iter().map(|state| state.symbol);
        let mut initial: Vec<Value> =
            symbols.map(|symbol| self.value_or_zero(symbol, 0, model)).collect();
        for &index in system.init_order() {
            let Some(init) = system.states()[index].init else { continue };
            let mut evaluator = Evaluator::new(system.pool(), [init]);
            evaluator.run(|symbol| match system.role_of(symbol).expect("a symbol") {
                Role::Input(i) => steps[0].inputs[i].clone(),
                Role::State(i) => initial[i].clone(),
            });
            initial[index] = evaluator.value(init);
        }
        Trace { property, initial, steps: steps.into(), loop_start: None }
    }
}

/// The place of each expression in a frame: a table by node, or a map where the
/// cone is a small part of a large pool, so that a hundred properties of one
/// model do not cost a hundred tables of its size.
enum Places {
    Table(Vec<u32>),
    Map(FxHashMap<ExprId, u32>),
}

impl Places {
    fn new(cone: usize, pool: usize) -> Self {
        if cone * 8 < pool {
            Places::Map(FxHashMap::default())
        } else {
            Places::Table(vec![ABSENT; pool])
        }
    }

    fn set(&mut self, node: ExprId, place: u32) {
        match self {
            Places::Table(table) => table[node.node()] = place,
            Places::Map(map) => {
                map.insert(node, place);
            }
        }
    }

    /// The place of an expression in the cone; of others, one beyond all frames.
    fn get(&self, expr: ExprId) -> usize {
        let place = match self {
            Places::Table(table) => table[expr.node()],
            Places::Map(map) => map.get(&expr.regular()).copied().unwrap_or(ABSENT),
        };
        place as usize
    }
}

/// A model of the unrolled system, arrays included.
pub struct Found {
    values: Valuation,
    contents: Option<Contents>,
}

/// The answer to a question.
pub enum Reply {
    Sat(Found),
    /// With the assumptions that the refutation needs.
    Unsat(Vec<AigLit>),
}

/// An unrolled system with its solver.
pub struct Question<'a> {
    pub unrolling: Unrolling<'a>,
    cnf: Cnf,
    solver: Cadical,
    run: &'a Run,
    engine: &'static str,
    holding: Holding,
}

/// Sets the options of a solver for unrollings.
pub(crate) fn tune(solver: &mut Cadical) {
    // Measured on unrollings: lucky assignments are never there, and probing
    // between calls costs more than it gives (a quarter of the time).
    solver.set("lucky", 0);
    solver.set("inprobing", 0);
}

impl<'a> Question<'a> {
    pub fn new(unrolling: Unrolling<'a>, engine: &'static str, run: &'a Run) -> Self {
        let stopper = run.clone();
        let mut solver =
            Cadical::with_meter(move |ticks| stopper.stop_after(work_of_ticks(ticks)).is_some());
        solver.set_seed(run.seed());
        tune(&mut solver);
        let (cnf, holding) = (Cnf::new(), Holding::new(run));
        let mut question = Question { unrolling, cnf, solver, run, engine, holding };
        question.unrolling.aig.watch(run.watch());
        question.cnf.watch(run.watch());
        question
    }

    /// Fails if circuits or clauses were left incomplete at a limit: then nothing can be
    /// concluded from them.
    pub fn complete(&self) -> Result<(), Stopped> {
        let incomplete = self.unrolling.aig.is_stopped() || self.cnf.is_stopped();
        if incomplete { Err(self.run.stopped()) } else { Ok(()) }
    }

    /// Adds a clause for good.
    pub fn assert(&mut self, clause: &[AigLit]) {
        self.cnf.add_clause(&self.unrolling.aig, clause, &mut self.solver);
    }

    // SAT?  clauses ∧ assumptions, in the theory of arrays
    pub fn ask(&mut self, kind: &'static str, assumptions: &[AigLit]) -> Result<Reply, Stopped> {
        loop {
            self.complete()?;
            self.holding.set(self.solver.size() + self.unrolling.size())?;
            self.run.go_on()?;
            for axiom in self.unrolling.arrays.take_axioms() {
                self.assert(&axiom);
            }
            let values = match self.ask_boolean(kind, assumptions)? {
                BooleanReply::Unsat(core) => return Ok(Reply::Unsat(core)),
                BooleanReply::Sat(values) => values,
            };
            if self.unrolling.arrays.is_empty() {
                return Ok(Reply::Sat(Found { values, contents: None }));
            }
            let Unrolling { arrays, aig, .. } = &mut self.unrolling;
            match arrays.refine(aig, &values) {
                Ok(contents) => return Ok(Reply::Sat(Found { values, contents: Some(contents) })),
                Err(lemmas) => self.learn(&lemmas),
            }
        }
    }

    fn learn(&mut self, lemmas: &[Vec<AigLit>]) {
        self.run.emit(Event::ArrayLemmas { engine: self.engine, count: lemmas.len() });
        for lemma in lemmas {
            self.assert(lemma);
        }
    }

    fn ask_boolean(
        &mut self,
        kind: &'static str,
        assumptions: &[AigLit],
    ) -> Result<BooleanReply, Stopped> {
        let aig = &self.unrolling.aig;
        let lits: Vec<_> =
            assumptions.iter().map(|&a| self.cnf.assertable(aig, a, &mut self.solver)).collect();
        if self.cnf.is_stopped() {
            return Err(self.run.stopped());
        }
        let (before, start) = (self.solver.conflicts(), Instant::now());
        let (reply, answer) = match self.solver.solve(&lits) {
            Answer::Sat(mut model) => {
                (Ok(BooleanReply::Sat(self.cnf.valuation(aig, &mut model))), run::QueryAnswer::Sat)
            }
            Answer::Unsat(mut core) => {
                let pairs = assumptions.iter().zip(&lits);
                let needed = pairs.filter(|&(_, &lit)| core.contains(lit)).map(|(&a, _)| a);
                (Ok(BooleanReply::Unsat(needed.collect())), run::QueryAnswer::Unsat)
            }
            Answer::Stopped => (Err(self.run.stopped()), run::QueryAnswer::Stopped),
        };
        let conflicts = self.solver.conflicts() - before;
        let time = start.elapsed();
        self.run.emit(Event::Query { engine: self.engine, kind, answer, conflicts, time });
        reply
    }
}

enum BooleanReply {
    Sat(Valuation),
    Unsat(Vec<AigLit>),
}
