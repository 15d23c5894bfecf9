//! Property directed reachability (IC3) on bits.
//!
//! The loop (`search`, `generalize`, `frames`, `obligation`) is generic over a
//! `domain`: what cubes are and how queries about them are answered. Here is the
//! domain of `bits`, over the transition relation of a prepared system. What a proof
//! does not need is left out in the end (`trim`).

mod activity;
mod adopt;
pub(crate) mod bits;
pub(crate) mod cube;
pub(crate) mod domain;
mod frames;
mod generalize;
mod incremental;
mod index;
mod known_steps;
mod obligation;
mod offers;
pub(crate) mod search;
mod state;
mod statistics;
mod trim;
pub(crate) mod validate;
pub(crate) mod words;

use std::cell::RefCell;
use std::sync::Arc;

use elinvar_ir::{
    BitVec, Certificate, ExprId, Fact, Formula, Pool, PropertyRecord, PropertyStatus, Role, Sort,
    StateBit, Step, StopReason, Trace, Value, Values, Verdict, keys,
};
use elinvar_sat::Lit;
use elinvar_transform::{Bit, PassOptions, Prepared};

use crate::engine::{EngineError, implement_engine};
use crate::exchange::Trade;
use crate::relation::Signals;
use crate::run::{Event, Recurring, States};
use crate::statistics::{FrameProgress, FrameSizes};
use crate::task::{BitTask, Task};
use bits::Bits;
use cube::Cube;
use frames::Frames;
use obligation::Obligation;
use search::Report;
use state::capture;

pub(crate) use adopt::Offer;
pub use elinvar_logic::simulation::Kind;
pub use generalize::Ctg;
pub use incremental::{Change, Earlier, Outcome, Reuse, check_bits};
pub(crate) use incremental::{prove_again, search_bits};
pub use statistics::{PdrStatistics, QueryCount, Shrinking};
pub use words::{Experience, Probability, Words, WordsOptions, WordsStatistics};

/// What may be chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PdrOptions {
    /// Which simplifications run before the search.
    pub passes: PassOptions,
    /// Resolve gates away before clauses go to the solver.
    pub elimination: bool,
    /// Lemmas may speak of gates that depend on registers alone.
    pub signals: bool,
    /// What is done about counterexamples to generalisation.
    pub ctg: Ctg,
    /// Do not try to drop literals of a lemma that blocks the cube one frame earlier.
    pub keep_parent: bool,
    /// With `Some(n)`, every nth obligation tries to drop these literals as well. A lemma
    /// that keeps its parent's literals is never better than the parent, so now and then a new
    /// start is needed; without it, some searches are stuck with a bad choice of literals.
    pub reconsider: Option<u32>,
    /// Literals in a row that cannot be dropped before generalisation ends.
    pub attempts: usize,
    /// When a state keeps a lemma from moving to the next frame, block it if possible, and try
    /// again, at most so often.
    pub ctp: usize,
    /// About how many steps that queries found are kept to answer later queries.
    pub known_steps: usize,
    /// An obligation that was worked on so often gets more effort: no literal is
    /// left untried, and two more counterexamples to generalisation are blocked.
    pub stubborn: u32,
    /// Drop an obligation that was worked on more often than this.
    pub drop_obligations: Option<u32>,
    /// With several properties: obligations for one before the next has its turn.
    pub patience: u64,
    /// Memories up to so many bits are expanded.
    pub memory_limit: u64,
}

impl Default for PdrOptions {
    fn default() -> Self {
        PdrOptions {
            passes: PassOptions::default(),
            elimination: true,
            signals: false,
            ctg: Ctg { max: 3, depth: 1, reach: 1, least_yield: 10 },
            keep_parent: true,
            reconsider: Some(4),
            attempts: 8,
            ctp: 0,
            known_steps: 4096,
            stubborn: 10,
            drop_obligations: Some(20),
            patience: 2000,
            memory_limit: 1 << 16,
        }
    }
}

/// The engine.
pub struct Pdr(pub PdrOptions);

const NAME: &str = "pdr";

/// A lemma about signals that takes more clauses about registers than this is stated about
/// signals in a certificate.
const MOST_CLAUSES: usize = 32;

implement_engine!(Pdr, NAME, check);

fn check(options: &PdrOptions, task: &Task) -> Result<(), EngineError> {
    let bits = options.bits(task)?;
    let earlier = Earlier::of_task(&bits);
    check_bits(&bits, options, earlier).end
}

/// The part of the engine that proves properties again with the lemmas of an earlier run.
pub struct Reprove(pub PdrOptions);

implement_engine!(Reprove, NAME, reprove);

fn reprove(options: &PdrOptions, task: &Task) -> Result<(), EngineError> {
    let bits = options.bits(task)?;
    match Earlier::of_task(&bits) {
        Some(earlier) => prove_again(&bits, options, earlier).end,
        None => Err(EngineError::Stopped(StopReason::Unsupported(
            "there is no earlier proof".to_owned(),
        ))),
    }
}

impl PdrOptions {
    /// The bits of a task, simplified as these options say.
    pub(crate) fn bits(&self, task: &Task) -> Result<BitTask, EngineError> {
        task.bits(&self.passes, self.memory_limit)
    }
}

/// Turns what the loop finds into evidence about the prepared system.
pub(crate) struct Verdicts<'a> {
    engine: &'static str,
    prepared: &'a Prepared,
    task: &'a Task,
    /// By property: what was found, in a word.
    status: Vec<Option<PropertyStatus>>,
    progress: FrameProgress,
    /// Lemmas go to other engines and come from them.
    trade: Option<Trade>,
}

impl Report<Bits> for Verdicts<'_> {
    fn progress(
        &mut self,
        domain: &mut Bits,
        frames: &Frames<Bits>,
        clear: &[usize],
        obligations: usize,
    ) {
        for (property, &clear) in clear.iter().enumerate().filter(|(_, clear)| **clear > 0) {
            self.task.exclude(domain.property_id(property), clear + 1);
        }
        let run = self.task.run();
        if run.is_state_due() {
            let keys = keys(self.prepared.lift.old());
            let state = capture(frames, self.prepared, self.records(domain, clear), keys);
            run.emit(Event::State(Arc::new(state)));
        }
        let sizes = FrameSizes {
            frontier: frames.frontier(),
            lemmas: frames.sizes(),
            inductive: frames.infinite().len(),
            obligations,
            queries: domain.statistics.query_count(),
        };
        let (engine, bound) = (self.engine, sizes.frontier);
        let details = self.progress.details(&sizes);
        run.emit(Event::Progress { engine, bound, details });
    }

    fn offers(&mut self, frames: &Frames<Bits>) -> Vec<Cube<Lit>> {
        let Some(trade) = &mut self.trade else { return Vec::new() };
        trade.publish(frames.infinite().iter().map(|lemma| lemma.cube.atoms()));
        trade.take().iter().map(|cube| Cube::new(cube.to_vec())).collect()
    }

    fn answer_offers(&mut self, adopted: usize, refused: usize) {
        if let Some(trade) = &self.trade {
            trade.count(adopted, refused);
        }
    }

    fn safe(
        &mut self,
        domain: &mut Bits,
        property: usize,
        invariant: Vec<Cube<Lit>>,
        level: usize,
    ) {
        let invariant = domain.trim(property, invariant);
        let signals = &domain.transition().signals;
        let plain: Option<Vec<Vec<Vec<Lit>>>> =
            invariant.iter().map(|cube| signals.expand(cube.atoms(), MOST_CLAUSES)).collect();
        let certificate = match plain {
            Some(cubes) => {
                let clause =
                    |cube: Vec<Lit>| cube.iter().map(|&lit| self.state_bit(!lit)).collect();
                let clauses = cubes.into_iter().flatten().map(clause).collect();
                Certificate::Inductive { clauses }
            }
            None => self.formula(signals, &invariant),
        };
        self.status[property] = Some(PropertyStatus::Safe);
        let verdict = Verdict::Safe(certificate);
        self.task.decide(self.engine, domain.property_id(property), verdict, level);
    }

    fn unsafe_(&mut self, domain: &mut Bits, chain: &Obligation<Lit, Box<[Lit]>>) {
        let property = chain.property;
        let Some(initial) = domain.initial_state(chain.cube.atoms(), &chain.choice) else {
            let reason = "initial values depend on inputs of the first cycle".to_owned();
            let verdict = Verdict::Unknown(StopReason::Unsupported(reason));
            self.task.decide(self.engine, domain.property_id(property), verdict, 0);
            return;
        };
        let mut steps = Vec::new();
        let mut link = Some(chain);
        while let Some(obligation) = link {
            let zeros = std::iter::repeat_n(bit(false), domain.transition().inputs);
            let mut inputs: Values = zeros.collect();
            for lit in &obligation.choice {
                let index = domain.transition().input_of(lit.var()).expect("choices are of inputs");
                inputs.set(index, bit(!lit.is_negative()));
            }
            steps.push(Step { inputs, free: Vec::new() });
            link = obligation.successor.as_deref();
        }
        let trace = Trace {
            property: domain.property_id(property),
            initial: initial.into_iter().map(bit).collect(),
            steps: steps.into(),
            loop_start: None,
        };
        self.refuted(domain, property, trace);
    }

    fn recurring(&mut self, domain: &mut Bits, obligation: &Obligation<Lit, Box<[Lit]>>) {
        // Other engines may use the loop on a system with more registers than the user's.
        if self.engine != NAME {
            return;
        }
        let lift = &self.prepared.lift;
        let registers = self.prepared.bits.registers().len();
        let atoms = obligation.cube.atoms().iter();
        let facts = atoms.filter(|lit| lit.var().index() <= registers).filter_map(|lit| {
            let Bit { index, position } = lift.origin(lit.var().index() - 1);
            Fact::of_bit(lift.old(), index, position, !lit.is_negative())
        });
        let (facts, property) = (facts.collect(), domain.property_id(obligation.property));
        let (steps, times) = (obligation.depth, obligation.times.get());
        let recurring = Recurring { property, states: States::System(facts), steps, times };
        self.task.run().emit(Event::Recurring(Arc::new(recurring)));
    }
}

impl<'a> Verdicts<'a> {
    fn new(engine: &'static str, bits: &'a BitTask, properties: usize) -> Self {
        let BitTask { prepared, task } = bits;
        let (status, progress) = (vec![None; properties], FrameProgress::start());
        let trade = task.partner().map(|partner| partner.trade(prepared));
        Verdicts { engine, prepared, task, status, progress, trade }
    }

    /// The literal of a register in a certificate.
    fn state_bit(&self, lit: Lit) -> StateBit {
        let state = self.prepared.bits.symbol(lit.var().index() - 1);
        StateBit { state, bit: 0, positive: !lit.is_negative() }
    }

    /// The claim that no state is in one of these cubes, which mention signals.
    fn formula(&self, signals: &Signals, cubes: &[Cube<Lit>]) -> Certificate {
        let registers = self.prepared.bits.registers().len();
        let mut pool = Pool::new();
        let symbols: Vec<ExprId> =
            (0..registers).map(|_| pool.symbol(Sort::BOOL, None).expect("a bit")).collect();
        let truth = pool.bool(true);
        let pool = RefCell::new(pool);
        let and = |a, b| pool.borrow_mut().and(a, b).expect("two bits");
        let not = |a| pool.borrow_mut().not(a).expect("a bit");
        let nodes = signals.fold(truth, |register| symbols[register], and, not);
        let mut all = truth;
        for cube in cubes {
            let mut inside = truth;
            for lit in cube.atoms() {
                let index = lit.var().index() - 1;
                let node = match index.checked_sub(registers) {
                    Some(signal) => nodes[signals.node(signal)],
                    None => symbols[index],
                };
                inside = and(inside, if lit.is_negative() { not(node) } else { node });
            }
            all = and(all, not(inside));
        }
        let symbols = (0..registers).map(Role::State).collect();
        let pool = pool.into_inner();
        Certificate::Formula(Box::new(Formula { pool, expr: all, symbols }))
    }

    /// A property is violated by this trace of the prepared system.
    pub(crate) fn refuted(&mut self, domain: &Bits, property: usize, trace: Trace) {
        let depth = trace.depth();
        self.status[property] = Some(PropertyStatus::Unsafe);
        self.task.decide(self.engine, domain.property_id(property), Verdict::Unsafe(trace), depth);
    }

    /// What is known of the properties, with the last frames that exclude them.
    fn records(&self, domain: &Bits, clear: &[usize]) -> Vec<PropertyRecord> {
        let record = |(index, status): (usize, &Option<PropertyStatus>)| PropertyRecord {
            name: self.prepared.bits.property(domain.property_id(index)).name.clone(),
            status: status.unwrap_or(PropertyStatus::Open { clear: clear[index] }),
        };
        self.status.iter().enumerate().map(record).collect()
    }
}

/// A bit as a value of a trace.
pub(crate) fn bit(value: bool) -> Value {
    Value::Bv(BitVec::bool(value))
}
