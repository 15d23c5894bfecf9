//! Property directed reachability (IC3) on bits.
//!
//! The loop (`search`, `generalize`, `frames`, `obligation`) is generic over a
//! `domain`: what cubes are and how queries about them are answered. Here is the
//! domain of `bits`, over the `transition` relation of a prepared system.

mod bits;
mod cube;
mod domain;
mod eliminate;
mod frames;
mod generalize;
mod justify;
mod obligation;
mod search;
mod statistics;
mod transition;

use elinvar_ir::{
    BitVec, Certificate, PropertyId, StateBit, Step, StopReason, Trace, TransitionSystem, Value,
    Verdict,
};
use elinvar_sat::Lit;

use crate::engine::{Engine, EngineError};
use crate::passes::{PassOptions, Prepared, prepare};
use crate::run::{Event, Run};
use bits::Bits;
use cube::Cube;
use frames::Frames;
use obligation::Obligation;
use search::{Report, Search};
use transition::Transition;

pub use generalize::Ctg;
pub use statistics::{PdrStatistics, QueryCount, Shrinking};

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
        let prepared = prepare(system, properties, &options.passes, options.memory_limit, run)?;
        run.emit(Event::Passes(prepared.report.clone()));
        let found = check_prepared(&prepared, properties, options, run);
        Ok(found.into_iter().map(|verdict| prepared.lift.verdict(verdict)).collect())
    }
}

pub(crate) fn check_prepared(
    prepared: &Prepared,
    properties: &[PropertyId],
    options: &PdrOptions,
    run: &Run,
) -> Vec<Verdict> {
    let system = &prepared.system;
    let transition = Transition::new(system, properties, options.elimination);
    let Ok(mut domain) = Bits::new(transition, run) else {
        let reason = run.stop().unwrap_or(StopReason::Cancelled);
        return vec![Verdict::Unknown(reason); properties.len()];
    };
    let count = domain.transition().bads.len();
    let mut verdicts = Verdicts { system, run, found: vec![None; count] };
    let stopped = Search::new(&mut domain, &mut verdicts, options, count).run().is_err();
    domain.finish_statistics();
    run.emit(Event::Pdr(Box::new(domain.statistics.clone())));
    let reason = run.stop().unwrap_or(StopReason::Cancelled);
    let ids: Vec<PropertyId> = (0..count).map(|index| domain.property_id(index)).collect();
    debug_assert!(stopped || verdicts.found.iter().all(Option::is_some));
    let verdict = |id: &PropertyId| {
        let index = ids.iter().position(|other| other == id);
        let found = index.and_then(|index| verdicts.found[index].clone());
        found.unwrap_or_else(|| Verdict::Unknown(reason.clone()))
    };
    properties.iter().map(verdict).collect()
}

/// Turns what the loop finds into evidence about the prepared system.
struct Verdicts<'a> {
    system: &'a TransitionSystem,
    run: &'a Run,
    found: Vec<Option<Verdict>>,
}

impl Report<Bits> for Verdicts<'_> {
    fn progress(&mut self, domain: &mut Bits, frames: &Frames<Bits>, obligations: usize) {
        let statistics = &mut domain.statistics;
        statistics.frontier = frames.frontier();
        statistics.frames = frames.sizes();
        statistics.invariant_lemmas = frames.infinite().len();
        self.run.emit(Event::Frames {
            engine: NAME,
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
                state: self.system.states()[lit.var().index() - 1].symbol,
                bit: 0,
                positive: lit.is_negative(),
            };
            cube.atoms().iter().map(bit).collect()
        };
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
        let depth = steps.len() - 1;
        let trace = Trace {
            property: domain.property_id(property),
            initial: initial.into_iter().map(bit).collect(),
            steps,
        };
        self.found[property] = Some(Verdict::Unsafe(trace));
        self.decided(domain, property, false, depth);
    }

    fn generalized(&mut self, domain: &mut Bits, [before, core, after]: [usize; 3]) {
        domain.statistics.core.add(before, core);
        domain.statistics.dropping.add(core, after);
    }

    fn pushed(&mut self, domain: &mut Bits, tried: u64, done: u64, saved: u64) {
        domain.statistics.pushes_tried += tried;
        domain.statistics.pushes_done += done;
        domain.statistics.pushes_saved += saved;
    }

    fn obligation(&mut self, domain: &mut Bits, dropped: bool) {
        domain.statistics.obligations += 1;
        domain.statistics.dropped_obligations += u64::from(dropped);
    }
}

impl Verdicts<'_> {
    fn decided(&self, domain: &Bits, property: usize, safe: bool, depth: usize) {
        let property = domain.property_id(property);
        self.run.emit(Event::Decided { engine: NAME, property, safe, depth });
    }
}

fn bit(value: bool) -> Value {
    Value::Bv(BitVec::bool(value))
}
