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

use std::sync::Arc;
use std::time::{Duration, Instant};

use elinvar_engines::bmc::{Bmc, BmcOptions};
use elinvar_engines::pdr::{Change, Earlier, PdrOptions, PdrStatistics, Reuse, check_bits};
use elinvar_engines::{EngineError, Event, Run, Task};
use elinvar_ir::{
    Certificate, PdrState, PropertyId, RegisterKey, State, StopReason, Trace, TransitionSystem,
    Verdict,
};
use elinvar_transform::{Bit, Family, InputOrigin, Lift, Prepared, Trend, prepare};

use crate::confirm::confirm_reading;
use crate::family::Families;
use crate::session::Session;

/// The end of the search for a trend.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TrendSearch {
    /// This is what larger values of the input do.
    Found(Trend),
    /// The run ended before that was known.
    Stopped(StopReason),
}

/// What larger values of the input do, found out by at most two queries.
pub fn trend(family: &Family, run: &Run) -> Result<TrendSearch, OptimumError> {
    for trend in [Trend::Loosens, Trend::Tightens] {
        let question = Task::about(&family.violation(trend), &[PropertyId(0)], run);
        let options = BmcOptions { bound: Some(0), ..Default::default() };
        match &question.check(&mut Bmc(options))?[..] {
            [Verdict::Unknown(StopReason::Bound(0))] => return Ok(TrendSearch::Found(trend)),
            [Verdict::Unknown(why)] => return Ok(TrendSearch::Stopped(why.clone())),
            _ => {}
        }
    }
    Err(OptimumError::NotMonotone(family.parameter()))
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
    /// In which order the instances are decided.
    pub order: Order,
    /// Begin with what is known of the instance before, not with nothing.
    pub reuse: bool,
    /// How each of them is decided.
    pub options: PdrOptions,
}

/// How an instance was decided.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// The bound of the instance.
    pub bound: u64,
    /// Its verdict.
    pub answer: StageAnswer,
    /// What became of the lemmas of the instance before.
    pub reuse: Option<Reuse>,
    /// What the engine did.
    pub statistics: PdrStatistics,
    /// The time of the engine, without that for the confirmation of its evidence.
    pub time: Duration,
}

/// The verdict of a stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StageAnswer {
    /// The property holds.
    Safe,
    /// It does not.
    Unsafe {
        /// The tightest bound under which the trace is one.
        needed: u64,
    },
    /// Not decided.
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
    /// The instances that were decided, in their order.
    pub stages: Vec<Stage>,
    /// Why the search ended before the two bounds met.
    pub stopped: Option<StopReason>,
}

/// Confirms the evidence of a verdict about the instance of a bound, or returns what is wrong
/// with it. Tests replace the checker by others.
type Confirm<'a> =
    dyn FnMut(u64, &TransitionSystem, PropertyId, Verdict) -> Result<Verdict, String> + 'a;

/// Why a search failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptimumError {
    /// Neither larger nor smaller values of the input allow more steps.
    #[error(
        "{0} neither tightens nor loosens the model: a step under one value is impossible under \
         another one that is larger, and the other way round"
    )]
    NotMonotone(String),
    /// An instance could not be decided at all.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The checker refused the evidence about an instance.
    #[error("under the bound {bound}: {message}")]
    Refused {
        /// The bound of the instance.
        bound: u64,
        /// Why it was refused.
        message: String,
    },
}

/// Finds the tightest bound under which the property of a family fails, within the limits of a
/// session. The evidence about each instance is checked.
pub fn optimum(
    families: &Families,
    strategy: &Strategy,
    session: &Session,
) -> Result<Optimum, OptimumError> {
    let mut confirm = |bound, instance: &TransitionSystem, property, verdict| {
        let original = families.original().instance(bound);
        let (budget, stopped) = (session.budget(), || session.run().stop());
        session
            .checking(|| {
                confirm_reading(instance, Ok(&original), property, verdict, &budget, stopped)
            })
            .map_err(|refused| refused.to_string())
    };
    search(families.family(), strategy, session.run(), &mut confirm)
}

fn search(
    family: &Family,
    strategy: &Strategy,
    run: &Run,
    confirm: &mut Confirm<'_>,
) -> Result<Optimum, OptimumError> {
    let mut found =
        Optimum { trend: None, fails: None, holds: None, stages: Vec::new(), stopped: None };
    let trend = match trend(family, run)? {
        TrendSearch::Found(trend) => trend,
        TrendSearch::Stopped(reason) => {
            found.stopped = Some(reason);
            return Ok(found);
        }
    };
    found.trend = Some(trend);
    let mut seeker = Seeker {
        family,
        strategy,
        run,
        keys: keys(family.system()).to_vec(),
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
        let range = self.family.range();
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
            Trend::Loosens => self.family.range().start() + position,
            Trend::Tightens => self.family.range().end() - position,
        }
    }

    /// Decides an instance. None if the run has to stop.
    fn decide(
        &mut self,
        position: u64,
        confirm: &mut Confirm<'_>,
    ) -> Result<Option<Found>, OptimumError> {
        let (bound, begin) = (self.bound(position), Instant::now());
        let instance = Arc::new(self.family.instance(bound));
        let (verdict, mut stage) = self.check(position, &instance)?;
        stage.time = begin.elapsed();
        let property = self.family.property();
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
                stage.answer = StageAnswer::Unsafe { needed: tightest };
                self.found.fails = Some((tightest, self.family.lift(tightest).trace(trace)));
                Some(Found::Unsafe(needed))
            }
            Verdict::Unknown(reason) => {
                stage.answer = StageAnswer::Unknown(reason.clone());
                self.found.stopped = Some(reason);
                None
            }
        };
        self.run.emit(Event::Instance { bound });
        self.found.stages.push(stage);
        Ok(found)
    }

    fn check(
        &mut self,
        position: u64,
        instance: &Arc<TransitionSystem>,
    ) -> Result<(Verdict, Stage), EngineError> {
        let bound = self.bound(position);
        let prepared = match self.prepare(bound, instance) {
            Err(EngineError::Stopped(reason)) => {
                let (reuse, statistics) = (None, PdrStatistics::default());
                let (answer, time) = (StageAnswer::Unknown(reason.clone()), Duration::ZERO);
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
        let subject = Arc::new(Arc::clone(instance));
        let task = Task::new(subject, &[self.family.property()], self.run);
        let bits = task.with_prepared(Arc::new(prepared));
        let outcome = check_bits(&bits, &self.strategy.options, earlier);
        if let Err(error) = &outcome.end {
            task.give_up(&error.clone().reason());
        }
        self.known = outcome.state(&self.keys).map(|state| (position, state));
        let queries = outcome.statistics.query_count();
        if outcome.reuse.is_none() {
            self.from_nothing = queries;
        } else if constrained && queries > self.from_nothing {
            self.distrust = true;
        }
        let (reuse, statistics) = (outcome.reuse, outcome.statistics);
        let stage =
            Stage { bound, answer: StageAnswer::Safe, reuse, statistics, time: Duration::ZERO };
        let verdict = task.verdicts().pop().expect("a verdict for the property");
        Ok((verdict, stage))
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
            |system| prepare(system, &[self.family.property()], passes, *memory_limit, self.run);
        if !reuse {
            return Ok(simplify(instance)?);
        }
        if self.prepared.is_none() {
            self.prepared = Some(simplify(self.family.system())?);
        }
        let family = self.prepared.as_ref().expect("just prepared");
        let bits = family.bits.with_inputs(|number| match family.lift.input_origin(number) {
            InputOrigin::Input(Bit { index, position }) => (index == self.family.input())
                .then_some(position < 64 && bound >> position & 1 == 1),
            InputOrigin::State(_) | InputOrigin::Next(_) => None,
        });
        Ok(Prepared { bits, lift: family.lift.clone(), report: family.report.clone() })
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

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{BitVec, Sort, SystemBuilder};

    /// A free word of two bits that is at most the limit, and bad if it has only ones.
    fn loosening() -> Family {
        let mut b = SystemBuilder::new();
        let limit = b.input(Sort::Bv(2), Some("limit")).unwrap();
        let word = b.state(Sort::Bv(2), Some("word")).unwrap();
        b.states[0].init = Some(b.pool.constant(BitVec::zero(2)));
        let step = b.input(Sort::Bv(2), Some("step")).unwrap();
        b.states[0].next = Some(step);
        let bounded = b.pool.ule(word, limit).unwrap();
        b.constraints.push(bounded);
        let ones = b.pool.constant(BitVec::ones(2));
        let bad = b.pool.equal(word, ones).unwrap();
        b.bad("ones", bad);
        Family::new(b.finish().unwrap(), "limit", PropertyId(0), 0..=3).unwrap()
    }

    fn strategies() -> impl Iterator<Item = Strategy> {
        let orders = [Order::Constrain, Order::Relax, Order::Binary];
        let both = |order| [true, false].map(|reuse| (order, reuse));
        let all = orders.into_iter().flat_map(both);
        all.map(|(order, reuse)| Strategy { order, reuse, options: PdrOptions::default() })
    }

    /// What was found before the end of the run is given back.
    #[test]
    fn a_search_that_is_stopped_between_two_bounds_gives_what_it_has() {
        for strategy in strategies() {
            let mut stages = 0;
            let mut give_up = |_, _: &TransitionSystem, _, verdict| {
                stages += 1;
                Ok(if stages == 2 { Verdict::Unknown(StopReason::Timeout) } else { verdict })
            };
            let found = search(&loosening(), &strategy, &Run::new(), &mut give_up).unwrap();
            assert_eq!(found.stopped, Some(StopReason::Timeout));
            assert_eq!(found.stages.len(), 2);
            assert_eq!(found.stages[1].answer, StageAnswer::Unknown(StopReason::Timeout));
            let expected = (strategy.order != Order::Relax, strategy.order == Order::Relax);
            assert_eq!((found.fails.is_some(), found.holds.is_some()), expected);
        }
    }

    #[test]
    fn refused_evidence_ends_the_search() {
        for strategy in strategies() {
            let mut refuse = |_, _: &TransitionSystem, _, _| Err("no".to_owned());
            let error = search(&loosening(), &strategy, &Run::new(), &mut refuse).unwrap_err();
            let bound = if strategy.order == Order::Relax { 0 } else { 3 };
            assert_eq!(error, OptimumError::Refused { bound, message: "no".to_owned() });
        }
    }
}
