//! Families: a system with a bound that only tightens or loosens it, and the search
//! for the bound at which a property begins to fail.
//!
//! A family is a system with an input that is meant to be constant; its instances have
//! a number in place of the input. Instances are decided one after the other, each from
//! what is known of the one before [Blankestijn: Incremental Property Directed
//! Reachability, 2023]: `ipdr-constrain` (Algorithm 6), `ipdr-relax` (Algorithm 7) and
//! their combination in a binary search (Algorithm 14, for any family). The answer
//! comes with both pieces of evidence: a trace at the optimum, and a certificate for
//! the instance just before.
//!
//! That the bound does what it should is not believed but asked of a solver: all steps
//! under a bound are steps under the looser ones.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use elinvar_ir::{
    BinaryOp, BitVec, Certificate, ExprId, Input, PdrState, PropertyId, PropertyKind, RegisterKey,
    Simulator, Sort, State, StopReason, SystemBuilder, Trace, TransitionSystem, Value, Verdict,
    substitute,
};
use rustc_hash::FxHashMap;

use crate::bmc::{Bmc, BmcOptions};
use crate::engine::{Engine, EngineError};
use crate::passes::{InputOrigin, Prepared, prepare};
use crate::pdr::{Change, Earlier, PdrOptions, PdrStatistics, Reuse, check_prepared};
use crate::run::{Event, Run};

/// A system with a designated input, and the values that it may have.
#[derive(Clone, Debug)]
pub struct Family {
    system: TransitionSystem,
    parameter: usize,
    property: PropertyId,
    range: RangeInclusive<u64>,
}

/// Why there is no such family.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FamilyError {
    #[error("the model has no input {0}")]
    NoInput(String),
    #[error("the input {0} is an array, not a number")]
    NotANumber(String),
    #[error("the range {0}..{1} is empty")]
    Empty(u64, u64),
    #[error("the range has more values than can be counted")]
    TooWide,
    #[error("the value {value} does not fit into {name}, which has a width of {width}")]
    TooLarge { name: String, value: u64, width: u32 },
    #[error("the property {0} is not a safety property")]
    NotSafety(String),
    #[error(
        "{0} neither tightens nor loosens the model: a step under one value is impossible under \
         another one that is larger, and the other way round"
    )]
    NotMonotone(String),
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What a larger value does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trend {
    Loosens,
    Tightens,
}

/// A system with a number in place of an input. The input is still there, so that
/// traces have the same form, but nothing depends on it.
pub fn with_input(
    system: &TransitionSystem,
    name: &str,
    value: u64,
) -> Result<TransitionSystem, FamilyError> {
    let input = find_input(system, name, value)?;
    Ok(fix_input(system, input, value))
}

/// The number of an input that can have the value.
fn find_input(system: &TransitionSystem, name: &str, value: u64) -> Result<usize, FamilyError> {
    let index = (0..system.inputs().len()).find(|&i| system.input_name(i) == name);
    let index = index.ok_or_else(|| FamilyError::NoInput(name.to_owned()))?;
    let sort = system.pool().sort(system.inputs()[index].symbol);
    let width = sort.width().ok_or_else(|| FamilyError::NotANumber(name.to_owned()))?;
    if width < u64::BITS && value >> width != 0 {
        return Err(FamilyError::TooLarge { name: name.to_owned(), value, width });
    }
    Ok(index)
}

fn fix_input(system: &TransitionSystem, input: usize, value: u64) -> TransitionSystem {
    let symbol = system.inputs()[input].symbol;
    let mut parts = system.clone().into_builder();
    let value = BitVec::new(parts.pool.width(symbol), value);
    let value = parts.pool.constant(value);
    replace(&mut parts, &FxHashMap::from_iter([(symbol, value)]));
    parts.finish().expect("a constant has the sort of the input")
}

impl Family {
    /// The family of a system in which the input of that name is constant.
    pub fn new(
        system: TransitionSystem,
        parameter: &str,
        property: PropertyId,
        range: RangeInclusive<u64>,
    ) -> Result<Self, FamilyError> {
        if range.is_empty() {
            return Err(FamilyError::Empty(*range.start(), *range.end()));
        }
        if range.end() - range.start() == u64::MAX {
            return Err(FamilyError::TooWide);
        }
        let parameter = find_input(&system, parameter, *range.end())?;
        if system.bad(property).is_none() {
            return Err(FamilyError::NotSafety(system.property(property).name.clone()));
        }
        Ok(Family { system, parameter, property, range })
    }

    /// The name of the input.
    pub fn parameter(&self) -> String {
        self.system.input_name(self.parameter)
    }

    pub fn system(&self) -> &TransitionSystem {
        &self.system
    }

    pub fn property(&self) -> PropertyId {
        self.property
    }

    fn symbol(&self) -> ExprId {
        self.system.inputs()[self.parameter].symbol
    }

    fn width(&self) -> u32 {
        self.system.pool().width(self.symbol())
    }

    /// The system with a number in place of the input, which is still there.
    pub fn instance(&self, bound: u64) -> TransitionSystem {
        fix_input(&self.system, self.parameter, bound)
    }

    /// A trace of an instance as one of the system, where the input has the value.
    pub fn lift(&self, mut trace: Trace, bound: u64) -> Trace {
        for step in &mut trace.steps {
            step.inputs[self.parameter] = Value::Bv(BitVec::new(self.width(), bound));
        }
        trace
    }

    /// What larger values do, found out by at most two queries; or why that was not
    /// found out.
    pub fn trend(&self, run: &Run) -> Result<Result<Trend, StopReason>, FamilyError> {
        let name = || self.parameter();
        for trend in [Trend::Loosens, Trend::Tightens] {
            let question = self.violation(trend);
            let options = BmcOptions { bound: Some(0), ..Default::default() };
            match &Bmc::new(options).check(&question, &[PropertyId(0)], run)?[..] {
                [Verdict::Unknown(StopReason::Bound(0))] => return Ok(Ok(trend)),
                [Verdict::Unknown(why)] => return Ok(Err(why.clone())),
                _ => {}
            }
        }
        Err(FamilyError::NotMonotone(name()))
    }

    /// A system whose bad bit says that a step, an initial value or a bad state under
    /// one value of the parameter is none under a looser one: all symbols are inputs.
    /// The trend is right if its only property holds.
    pub fn violation(&self, trend: Trend) -> TransitionSystem {
        const BITS: &str = "of the same sorts";
        let mut parts = self.system.clone().into_builder();
        let sort = Sort::Bv(self.width());
        let (tight, loose) = (self.symbol(), parts.pool.symbol(sort, None).expect(BITS));
        let looser = FxHashMap::from_iter([(tight, loose)]);
        let mut other = parts.clone();
        replace(&mut other, &looser);
        let pool = &mut other.pool;
        let mut all_equal = |function: fn(&State) -> Option<ExprId>| {
            let mut same = pool.bool(true);
            for (a, b) in parts.states.iter().zip(&other.states) {
                let (Some(a), Some(b)) = (function(a), function(b)) else { continue };
                let equal = pool.equal(a, b).expect(BITS);
                same = pool.and(same, equal).expect(BITS);
            }
            same
        };
        let (start, step) = (all_equal(|state| state.init), all_equal(|state| state.next));
        let allowed = pool.conjoin(parts.constraints.iter().copied()).expect(BITS);
        let still = pool.conjoin(other.constraints.iter().copied()).expect(BITS);
        let bad = |properties: &[elinvar_ir::Property]| match properties[self.property.0].kind {
            PropertyKind::Bad(bad) => bad,
            PropertyKind::Justice(_) => unreachable!("checked when the family was made"),
        };
        let (bad, still_bad) = (bad(&parts.properties), bad(&other.properties));
        let bad = pool.implies(bad, still_bad).expect(BITS);
        let kept = pool.conjoin([step, still, bad]).expect(BITS);
        let kept = pool.implies(allowed, kept).expect(BITS);
        // Initial states are compared whether or not the constraints hold of them.
        let kept = pool.and(start, kept).expect(BITS);
        let lost = pool.not(kept).expect(BITS);
        let (smaller, larger) = match trend {
            Trend::Loosens => (tight, loose),
            Trend::Tightens => (loose, tight),
        };
        let [low, high] = [self.range.start(), self.range.end()]
            .map(|&value| pool.constant(BitVec::new(self.width(), value)));
        let mut order = Vec::new();
        for (a, b) in [(low, smaller), (smaller, larger), (larger, high)] {
            let greater = pool.binary(BinaryOp::Ult, b, a).expect(BITS);
            order.push(pool.not(greater).expect(BITS));
        }
        let violated = pool.conjoin(order.into_iter().chain([lost])).expect(BITS);
        let symbols = parts.states.iter().map(|state| Input { symbol: state.symbol });
        let inputs = parts.inputs.iter().copied().chain(symbols).chain([Input { symbol: loose }]);
        let mut question = SystemBuilder { pool: other.pool, ..SystemBuilder::default() };
        question.inputs = inputs.collect();
        question.bad("violation", violated);
        question.finish().expect("every symbol is an input")
    }

    /// Is the trace one of the instance?
    fn allows(&self, bound: u64, trace: &Trace) -> bool {
        let system = &self.system;
        let trace = self.lift(trace.clone(), bound);
        let mut simulator = Simulator::of_trace(system, &trace);
        let bad = system.bad(self.property).expect("a safety property");
        for step in &trace.steps[1..] {
            if !simulator.constraints_hold() {
                return false;
            }
            simulator.follow(step);
        }
        simulator.constraints_hold() && simulator.holds(bad)
    }
}

/// Other expressions in place of symbols, everywhere.
fn replace(parts: &mut SystemBuilder, meaning: &FxHashMap<ExprId, ExprId>) {
    let mut roots: Vec<&mut ExprId> = Vec::new();
    for state in &mut parts.states {
        roots.extend(state.init.iter_mut().chain(&mut state.next));
    }
    for property in &mut parts.properties {
        match &mut property.kind {
            PropertyKind::Bad(bad) => roots.push(bad),
            PropertyKind::Justice(conditions) => roots.extend(conditions),
        }
    }
    let named = parts.outputs.iter_mut().chain(&mut parts.labels);
    roots.extend(named.map(|named| &mut named.expr));
    roots.extend(parts.constraints.iter_mut().chain(&mut parts.fairness));
    let old: Vec<ExprId> = roots.iter().map(|root| **root).collect();
    let new = substitute(&mut parts.pool, &old, meaning);
    for (root, new) in roots.into_iter().zip(new) {
        *root = new;
    }
}

/// In which order the instances are decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// From the loosest on, by `constrain`.
    Constrain,
    /// From the tightest on, by `relax`.
    Relax,
    /// The loosest, then always the middle of what is left.
    Binary,
}

/// How an optimum is searched for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strategy {
    pub order: Order,
    /// Begin with what is known of the instance before, not with nothing.
    pub reuse: bool,
    pub options: PdrOptions,
}

/// How an instance was decided.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    pub bound: u64,
    pub answer: Answer,
    /// What became of the lemmas of the instance before.
    pub reuse: Option<Reuse>,
    pub statistics: PdrStatistics,
    /// The time of the engine, without that for the confirmation of its evidence.
    pub time: Duration,
}

/// The verdict of a stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Safe,
    /// And the tightest bound under which the trace is one.
    Unsafe {
        needed: u64,
    },
    Unknown(StopReason),
}

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
pub struct Optimum {
    /// What larger bounds do, if that was found out.
    pub trend: Option<Trend>,
    /// The tightest bound under which the property fails, with a trace of the family's
    /// system.
    pub fails: Option<(u64, Trace)>,
    /// The loosest bound under which it holds, with a certificate for the instance.
    pub holds: Option<(u64, Certificate)>,
    pub stages: Vec<Stage>,
    /// Why the search ended before the two bounds met.
    pub stopped: Option<StopReason>,
}

/// Confirms the evidence of a verdict about the instance of a bound, or tells what is
/// wrong with it.
pub type Confirm<'a> =
    dyn FnMut(u64, &TransitionSystem, PropertyId, Verdict) -> Result<Verdict, String> + 'a;

/// Why a search failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptimumError {
    #[error(transparent)]
    Family(#[from] FamilyError),
    #[error("under the bound {bound}: {message}")]
    Refused { bound: u64, message: String },
}

/// Finds the tightest bound under which the property of a family fails.
pub fn optimum(
    family: &Family,
    strategy: &Strategy,
    run: &Run,
    confirm: &mut Confirm<'_>,
) -> Result<Optimum, OptimumError> {
    let mut found =
        Optimum { trend: None, fails: None, holds: None, stages: Vec::new(), stopped: None };
    let trend = match family.trend(run)? {
        Ok(trend) => trend,
        Err(stopped) => {
            found.stopped = Some(stopped);
            return Ok(found);
        }
    };
    found.trend = Some(trend);
    let mut seeker = Seeker {
        family,
        strategy,
        run,
        keys: keys(&family.system),
        known: None,
        prepared: None,
        from_nothing: 0,
        distrust: false,
        trend,
        found,
    };
    seeker.seek(confirm)?;
    Ok(seeker.found)
}

/// The registers of instances are the same: nothing but their place is needed.
fn keys(system: &TransitionSystem) -> Vec<RegisterKey> {
    let key = |(index, state): (usize, &State)| RegisterKey {
        name: String::new(),
        index,
        sort: system.pool().sort(state.symbol),
        shape: Vec::new(),
    };
    system.states().iter().enumerate().map(key).collect()
}

/// A search. Bounds are counted as tightness here: position 0 is the tightest.
struct Seeker<'a> {
    family: &'a Family,
    strategy: &'a Strategy,
    run: &'a Run,
    trend: Trend,
    keys: Vec<RegisterKey>,
    /// The position of the last instance, and what is known of it.
    known: Option<(u64, PdrState)>,
    /// The family's system, simplified for all instances at once.
    prepared: Option<Prepared>,
    /// The queries of the last instance that was begun with nothing.
    from_nothing: u64,
    /// Frames of looser instances were of no help.
    distrust: bool,
    found: Optimum,
}

/// What an instance says about the others.
enum Found {
    /// It is safe, and so are the tighter ones.
    Safe,
    /// The first position at which the trace is one.
    Unsafe(u64),
}

impl Seeker<'_> {
    /// Keeps `low` (all before are safe) and `high` (unsafe, as is all after) until
    /// they meet.
    fn seek(&mut self, confirm: &mut Confirm<'_>) -> Result<(), OptimumError> {
        let range = &self.family.range;
        let (mut low, mut high) = (0, range.end() - range.start() + 1);
        let last = high - 1;
        while low < high {
            let position = match self.strategy.order {
                Order::Relax => low,
                Order::Constrain => high - 1,
                Order::Binary if high > last => last,
                Order::Binary => low + (high - 1 - low) / 2,
            };
            match self.decide(position, confirm)? {
                Some(Found::Safe) => low = position + 1,
                Some(Found::Unsafe(needed)) => high = needed,
                None => return Ok(()),
            }
        }
        Ok(())
    }

    fn bound(&self, position: u64) -> u64 {
        match self.trend {
            Trend::Loosens => self.family.range.start() + position,
            Trend::Tightens => self.family.range.end() - position,
        }
    }

    /// Decides an instance. None if the run has to stop.
    fn decide(
        &mut self,
        position: u64,
        confirm: &mut Confirm<'_>,
    ) -> Result<Option<Found>, OptimumError> {
        let (bound, begin) = (self.bound(position), Instant::now());
        let instance = self.family.instance(bound);
        let (verdict, mut stage) = self.check(position, &instance)?;
        stage.time = begin.elapsed();
        let property = self.family.property;
        let verdict = confirm(bound, &instance, property, verdict)
            .map_err(|message| OptimumError::Refused { bound, message })?;
        let found = match verdict {
            Verdict::Safe(certificate) => {
                self.found.holds = Some((bound, certificate));
                Some(Found::Safe)
            }
            Verdict::Unsafe(trace) => {
                let needed = self.needed(position, &trace);
                let tightest = self.bound(needed);
                stage.answer = Answer::Unsafe { needed: tightest };
                self.found.fails = Some((tightest, self.family.lift(trace, tightest)));
                Some(Found::Unsafe(needed))
            }
            Verdict::Unknown(reason) => {
                stage.answer = Answer::Unknown(reason.clone());
                self.found.stopped = Some(reason);
                None
            }
        };
        self.run.emit(Event::Stage(Box::new(stage.clone())));
        self.found.stages.push(stage);
        Ok(found)
    }

    fn check(
        &mut self,
        position: u64,
        instance: &TransitionSystem,
    ) -> Result<(Verdict, Stage), FamilyError> {
        let (bound, properties) = (self.bound(position), [self.family.property]);
        let prepared = match self.prepare(bound, instance) {
            Err(EngineError::Stopped(reason)) => {
                let (reuse, statistics) = (None, PdrStatistics::default());
                let (answer, time) = (Answer::Unknown(reason.clone()), Duration::ZERO);
                let stage = Stage { bound, answer, reuse, statistics, time };
                return Ok((Verdict::Unknown(reason), stage));
            }
            result => result?,
        };
        let known = self.known.take();
        let earlier = known.as_ref().and_then(|(before, state)| {
            let change = self.change(*before, position)?;
            let places = state.registers.iter().map(|register| Some(register.index)).collect();
            Some(Earlier { state, places, change })
        });
        let constrained = earlier.as_ref().is_some_and(|e| e.change == Change::Constrained);
        let options = &self.strategy.options;
        let outcome = check_prepared(&prepared, &properties, options, earlier, self.run);
        self.known = outcome.state(&self.keys).map(|state| (position, state));
        let queries = outcome.statistics.query_count();
        if outcome.reuse.is_none() {
            self.from_nothing = queries;
        } else if constrained && queries > self.from_nothing {
            self.distrust = true;
        }
        let (reuse, statistics) = (outcome.reuse, outcome.statistics);
        let stage = Stage { bound, answer: Answer::Safe, reuse, statistics, time: Duration::ZERO };
        let verdict = outcome.verdicts.into_iter().next().expect("a verdict for the property");
        Ok((prepared.lift.verdict(verdict), stage))
    }

    /// How the last instance is used for the next, if it is.
    ///
    /// Frames of a looser instance are valid as they are, but they can be a burden: where
    /// a counterexample is deep, lemmas about far frames are long and lead away from it.
    /// When a run with them took more queries than one from nothing did, although that
    /// one was about another instance, they are not used any more.
    fn change(&self, before: u64, position: u64) -> Option<Change> {
        if !self.strategy.reuse {
            None
        } else if position > before {
            Some(Change::Any)
        } else {
            (!self.distrust).then_some(Change::Constrained)
        }
    }

    /// The instance as bits. When knowledge is reused, the family is simplified once,
    /// and then the bits of the input are fixed.
    fn prepare(
        &mut self,
        bound: u64,
        instance: &TransitionSystem,
    ) -> Result<Prepared, EngineError> {
        let Strategy { reuse, options: PdrOptions { passes, memory_limit, .. }, .. } =
            self.strategy;
        let simplify =
            |system| prepare(system, &[self.family.property], passes, *memory_limit, self.run);
        if !reuse {
            return simplify(instance);
        }
        if self.prepared.is_none() {
            self.prepared = Some(simplify(&self.family.system)?);
        }
        let family = self.prepared.as_ref().expect("just prepared");
        let mut parts = family.system.clone().into_builder();
        let mut meaning = FxHashMap::default();
        for (number, input) in family.system.inputs().iter().enumerate() {
            if let InputOrigin::Input(bit) = family.lift.input_origin(number)
                && bit.index == self.family.parameter
            {
                let set = bit.position < 64 && bound >> bit.position & 1 == 1;
                meaning.insert(input.symbol, parts.pool.bool(set));
            }
        }
        replace(&mut parts, &meaning);
        let system = parts.finish().expect("bits for bits");
        Ok(Prepared { system, lift: family.lift.clone(), report: family.report.clone() })
    }

    /// The first position at which the trace is one: it is at `position`.
    fn needed(&self, position: u64, trace: &Trace) -> u64 {
        let (mut low, mut high) = (0, position);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.family.allows(self.bound(middle), trace) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        high
    }
}
