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
mod obligation;
pub(crate) mod search;
mod state;
mod statistics;
mod trim;
mod validate;
pub(crate) mod words;

use std::cell::OnceCell;
use std::sync::Arc;

use elinvar_ir::{
    BitVec, Certificate, PropertyId, PropertyRecord, PropertyStatus, RegisterKey, StateBit, Step,
    StopReason, Trace, TransitionSystem, Value, Verdict, keys,
};
use elinvar_sat::Lit;
use elinvar_transform::{PassOptions, Prepared};

use crate::engine::{Engine, EngineError, check_bits};
use crate::run::{Event, Run};
use bits::Bits;
use cube::Cube;
use frames::Frames;
use obligation::Obligation;
use search::Report;
use state::capture;

pub use elinvar_logic::simulation::Kind;
pub use generalize::Ctg;
pub use incremental::Reuse;
pub(crate) use incremental::{Change, Earlier, check_prepared, prove_again, search_prepared};
pub use statistics::{PdrStatistics, QueryCount, Shrinking};
pub use words::{Experience, Probability, Words, WordsOptions, WordsStatistics};

/// What may be chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PdrOptions {
    pub passes: PassOptions,
    /// Resolve gates away before clauses go to the solver.
    pub elimination: bool,
    pub ctg: Ctg,
    /// Do not try to drop literals of a lemma that blocks the cube one frame earlier.
    pub keep_parent: bool,
    /// Literals in a row that cannot be dropped before generalisation ends.
    pub attempts: usize,
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
            ctg: Ctg { max: 3, depth: 1 },
            keep_parent: true,
            attempts: usize::MAX,
            stubborn: 10,
            drop_obligations: Some(20),
            patience: 2000,
            memory_limit: 1 << 16,
        }
    }
}

/// The engine.
pub struct Pdr {
    options: PdrOptions,
}

impl Pdr {
    pub fn new(options: PdrOptions) -> Self {
        Pdr { options }
    }
}

const NAME: &str = "pdr";

impl Engine for Pdr {
    fn name(&self) -> &'static str {
        NAME
    }

    fn check(
        &mut self,
        system: &TransitionSystem,
        properties: &[PropertyId],
        run: &Run,
    ) -> Result<Vec<Verdict>, EngineError> {
        let options = &self.options;
        let simplification = (&options.passes, options.memory_limit);
        check_bits(system, properties, simplification, run, |prepared| {
            let earlier = Earlier::of_run(run, system);
            check_prepared(prepared, properties, options, earlier, run).verdicts
        })
    }
}

/// Turns what the loop finds into evidence about the prepared system.
pub(crate) struct Verdicts<'a> {
    engine: &'static str,
    prepared: &'a Prepared,
    run: &'a Run,
    found: Vec<Option<Verdict>>,
    /// The keys of the user's registers, once they were needed.
    keys: OnceCell<Vec<RegisterKey>>,
}

impl Report<Bits> for Verdicts<'_> {
    fn progress(
        &mut self,
        domain: &mut Bits,
        frames: &Frames<Bits>,
        clear: &[usize],
        obligations: usize,
    ) {
        if self.run.is_state_due() {
            let keys = self.keys.get_or_init(|| keys(self.prepared.lift.old()));
            let state = capture(frames, self.prepared, self.records(domain, clear), keys);
            self.run.emit(Event::State(Arc::new(state)));
        }
        self.run.emit(Event::Frames {
            engine: self.engine,
            frontier: frames.frontier(),
            lemmas: frames.sizes(),
            invariant: frames.infinite().len(),
            obligations,
            queries: domain.statistics.query_count(),
        });
    }

    fn safe(
        &mut self,
        domain: &mut Bits,
        property: usize,
        invariant: Vec<Cube<Lit>>,
        level: usize,
    ) {
        let clause = |cube: &Cube<Lit>| {
            let bit = |lit: &Lit| StateBit {
                state: self.prepared.bits.symbol(lit.var().index() - 1),
                bit: 0,
                positive: lit.is_negative(),
            };
            cube.atoms().iter().map(bit).collect()
        };
        let invariant = domain.trim(property, invariant);
        let clauses = invariant.iter().map(clause).collect();
        self.found[property] = Some(Verdict::Safe(Certificate::Inductive { clauses }));
        self.decided(domain, property, true, level);
    }

    fn unsafe_(&mut self, domain: &mut Bits, chain: &Obligation<Lit, Box<[Lit]>>) {
        let property = chain.property;
        let Some(initial) = domain.initial_state(chain.cube.atoms(), &chain.choice) else {
            let reason = "initial values depend on inputs of the first cycle".to_owned();
            self.found[property] = Some(Verdict::Unknown(StopReason::Unsupported(reason)));
            return;
        };
        let mut steps = Vec::new();
        let mut link = Some(chain);
        while let Some(obligation) = link {
            let mut inputs = vec![bit(false); domain.transition().inputs];
            for lit in &obligation.choice {
                let index = domain.transition().input_of(lit.var()).expect("choices are of inputs");
                inputs[index] = bit(!lit.is_negative());
            }
            steps.push(Step { inputs, free: Vec::new() });
            link = obligation.successor.as_deref();
        }
        let trace = Trace {
            property: domain.property_id(property),
            initial: initial.into_iter().map(bit).collect(),
            steps,
        };
        self.refuted(domain, property, trace);
    }
}

impl<'a> Verdicts<'a> {
    fn new(engine: &'static str, prepared: &'a Prepared, properties: usize, run: &'a Run) -> Self {
        let found = vec![None; properties];
        Verdicts { engine, prepared, run, found, keys: OnceCell::new() }
    }

    /// A property is violated by this trace of the prepared system.
    pub(crate) fn refuted(&mut self, domain: &Bits, property: usize, trace: Trace) {
        let depth = trace.depth();
        self.found[property] = Some(Verdict::Unsafe(trace));
        self.decided(domain, property, false, depth);
    }

    /// What is known of the properties, with the last frames that exclude them.
    fn records(&self, domain: &Bits, clear: &[usize]) -> Vec<PropertyRecord> {
        let record = |(index, found): (usize, &Option<Verdict>)| PropertyRecord {
            name: self.prepared.bits.property(domain.property_id(index)).name.clone(),
            status: match found {
                Some(Verdict::Safe(_)) => PropertyStatus::Safe,
                Some(Verdict::Unsafe(_)) => PropertyStatus::Unsafe,
                Some(Verdict::Unknown(_)) | None => PropertyStatus::Open { clear: clear[index] },
            },
        };
        self.found.iter().enumerate().map(record).collect()
    }

    fn decided(&self, domain: &Bits, property: usize, safe: bool, depth: usize) {
        let property = domain.property_id(property);
        self.run.emit(Event::Decided { engine: self.engine, property, safe, depth });
    }
}

/// A bit as a value of a trace.
pub(crate) fn bit(value: bool) -> Value {
    Value::Bv(BitVec::bool(value))
}
