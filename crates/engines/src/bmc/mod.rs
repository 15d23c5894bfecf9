//! Bounded model checking [Biere, Cimatti, Clarke, Zhu 1999]: is a bad state
//! reachable in k steps, for growing k?
//!
//! Incremental: one solver over all bounds, all properties in one sweep. The
//! non-incremental mode builds everything anew for each bound; it is there for
//! comparison. Systems of bits are simplified first, and each frame is a copy of the clauses
//! of one transition (`bits`); systems of words are unrolled as a graph of gates. Limits: it
//! never says *safe*.

mod bits;

use std::ops::RangeInclusive;
use std::sync::Arc;

use elinvar_ir::{ExprId, PropertyId, StopReason, Trace, Verdict};
use elinvar_logic::AigLit;
use elinvar_transform::{BitSystem, Prepared};

use self::bits::BitSweep;
use crate::engine::{Engine, EngineError, implement_engine};
use crate::pdr::PdrOptions;
use crate::run::{Event, Stopped};
use crate::schedule::has_words;
use crate::task::Task;
use crate::unroll::{Found, Question, Reply, Start, Unrolling};

/// What may be chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BmcOptions {
    /// The first bound that is looked at.
    pub start: usize,
    /// How many frames are looked at in one question.
    pub step: usize,
    /// The last bound; none means until the run is stopped.
    pub bound: Option<usize>,
    /// Keep one solver over all bounds.
    pub incremental: bool,
}

impl Default for BmcOptions {
    fn default() -> Self {
        BmcOptions { start: 0, step: 1, bound: None, incremental: true }
    }
}

/// The engine.
pub struct Bmc(pub BmcOptions);

const NAME: &str = "bmc";

implement_engine!(Bmc, NAME, check);

fn check(options: &BmcOptions, task: &Task) -> Result<(), EngineError> {
    if options.incremental && !has_words(task.subject()) {
        let PdrOptions { passes, memory_limit, .. } = PdrOptions::default();
        match task.bits(&passes, memory_limit) {
            Ok(bits) => return check_bits(options, &bits.prepared.bits, &bits.task),
            Err(EngineError::TooLarge(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let mut sweep = Sweep::new(task, NAME)?;
    deepen(options, task, |first, last| {
        if !options.incremental {
            sweep = Sweep::new(task, NAME)?;
        }
        sweep.look_at(first, last)?;
        Ok(sweep.is_done())
    })
}

/// The engine on bits that were prepared before: `task` is about them.
pub(crate) struct BmcOnBits {
    pub options: BmcOptions,
    pub prepared: Arc<Prepared>,
}

impl Engine for BmcOnBits {
    fn name(&self) -> &'static str {
        NAME
    }

    fn check(&mut self, task: &Task) -> Result<(), EngineError> {
        check_bits(&self.options, &self.prepared.bits, task)
    }
}

fn check_bits(options: &BmcOptions, bits: &BitSystem, task: &Task) -> Result<(), EngineError> {
    let mut sweep = BitSweep::new(bits, task, NAME);
    deepen(options, task, |first, last| {
        if !options.incremental {
            sweep = BitSweep::new(bits, task, NAME);
        }
        sweep.look_at(first, last)?;
        Ok(sweep.is_done())
    })
}

/// Looks at one window of frames after the other, until `look_at` says that nothing is open.
fn deepen(
    options: &BmcOptions,
    task: &Task,
    mut look_at: impl FnMut(usize, usize) -> Result<bool, EngineError>,
) -> Result<(), EngineError> {
    let mut first = options.start;
    loop {
        // Other engines may have looked further.
        first = first.max(known(task));
        if let Some(bound) = options.bound
            && first > bound
        {
            return Err(EngineError::Stopped(StopReason::Bound(bound)));
        }
        // Bounds that are decided without the solver must not keep the run from ending.
        task.run().go_on()?;
        let last = first + options.step.max(1) - 1;
        let last = options.bound.map_or(last, |bound| last.min(bound));
        task.run().emit(Event::bound(NAME, last));
        if look_at(first, last)? {
            return Ok(());
        }
        first = last + 1;
    }
}

/// The first frame in which an open property may have a bad state, as far as the engines know
/// with which this one exchanges bounds.
pub(crate) fn known(task: &Task) -> usize {
    let open = task.open();
    let excluded = open.iter().map(|&property| task.excluded(property)).min();
    if task.partner().is_some() { excluded.unwrap_or(0) } else { 0 }
}

/// Frames below this one have no bad state of any open property.
struct Excluded(usize);

impl Excluded {
    /// Notes up to where there is no bad state after a window of frames was looked at, if all
    /// frames before it were.
    fn note(
        &mut self,
        task: &Task,
        window: RangeInclusive<usize>,
        failing: &[PropertyId],
        open: impl Iterator<Item = PropertyId>,
    ) {
        let (first, last) = window.into_inner();
        if first > self.0.max(known(task)) {
            return;
        }
        self.0 = last + 1;
        failing.iter().for_each(|&property| task.exclude(property, first));
        open.for_each(|property| task.exclude(property, last + 1));
    }
}

/// The search from the initial states, frame by frame; also the base case of
/// k-induction.
pub(crate) struct Sweep<'a> {
    question: Question<'a>,
    task: &'a Task,
    engine: &'static str,
    /// Properties without a trace so far.
    open: Vec<(PropertyId, ExprId)>,
    /// Frames below this one have their constraints asserted.
    next: usize,
    excluded: Excluded,
}

/// A bad state of a property in a frame.
struct Target {
    property: PropertyId,
    bad: ExprId,
    frame: usize,
    /// The property is bad in the frame, and the constraints hold up to it.
    reached: AigLit,
}

impl<'a> Sweep<'a> {
    pub(crate) fn new(task: &'a Task, engine: &'static str) -> Result<Self, EngineError> {
        let open = bad_bits(task)?;
        let roots: Vec<ExprId> = open.iter().map(|&(_, bad)| bad).collect();
        let unrolling = Unrolling::new(task.subject(), &roots, Start::Initial)?;
        let question = Question::new(unrolling, engine, task.run());
        Ok(Sweep { question, task, engine, open, next: 0, excluded: Excluded(0) })
    }

    /// The same sweep, where no open property has a bad state before this frame.
    pub(crate) fn from(self, frame: usize) -> Self {
        Sweep { excluded: Excluded(frame), ..self }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    /// Takes a property out of the sweep.
    pub(crate) fn close(&mut self, property: PropertyId) {
        self.open.retain(|&(id, _)| id != property);
    }

    /// Decides all open properties with a bad state in frames `first` to `last`, and returns
    /// them; they are not open any more. Frames are looked at in ascending order.
    pub(crate) fn look_at(
        &mut self,
        first: usize,
        last: usize,
    ) -> Result<Vec<PropertyId>, Stopped> {
        // A bad frame counts when the constraints hold up to it: those before
        // the window are asserted, those within it are part of the question.
        while self.next < first {
            let constraints = self.question.unrolling.constraints(self.next);
            self.question.assert(&[constraints]);
            self.next += 1;
        }
        let mut targets = self.targets(first, last);
        self.question.complete()?;
        let mut failing = Vec::new();
        loop {
            targets.retain(|target| self.is_open(target.property));
            // SAT?  init ∧ T ∧ … ∧ T ∧ constraints ∧ (some open property is bad)
            let lits: Vec<AigLit> = targets.iter().map(|target| target.reached).collect();
            let any = self.question.unrolling.or_all(&lits);
            if any == AigLit::FALSE {
                break;
            }
            match self.question.ask("reach", &[any])? {
                Reply::Unsat(_) => break,
                Reply::Sat(model) => failing.extend(self.take(&targets, first, &model)),
            }
        }
        for target in targets {
            self.question.assert(&[!target.reached]);
        }
        let open = self.open.iter().map(|&(property, _)| property);
        self.excluded.note(self.task, first..=last, &failing, open);
        Ok(failing)
    }

    fn targets(&mut self, first: usize, last: usize) -> Vec<Target> {
        let unrolling = &mut self.question.unrolling;
        let mut valid = AigLit::TRUE;
        let mut targets = Vec::new();
        for frame in first..=last {
            let constraints = unrolling.constraints(frame);
            valid = unrolling.and(valid, constraints);
            for &(property, bad) in &self.open {
                let bit = unrolling.bit(bad, frame);
                let reached = unrolling.and(valid, bit);
                targets.push(Target { property, bad, frame, reached });
            }
        }
        targets
    }

    /// Decides the properties that fail in a model.
    fn take(&mut self, targets: &[Target], first: usize, model: &Found) -> Vec<PropertyId> {
        let mut failing = Vec::new();
        for &Target { property, bad, frame, .. } in targets {
            let unrolling = &self.question.unrolling;
            if self.is_open(property)
                && unrolling.holds(bad, frame, model)
                && constraints_hold(unrolling, first, frame, model)
            {
                let trace: Trace = unrolling.trace(property, frame, model);
                self.close(property);
                self.task.decide(self.engine, property, Verdict::Unsafe(trace), frame);
                failing.push(property);
            }
        }
        failing
    }

    fn is_open(&self, property: PropertyId) -> bool {
        self.open.iter().any(|&(open, _)| open == property)
    }
}

fn constraints_hold(unrolling: &Unrolling<'_>, first: usize, last: usize, model: &Found) -> bool {
    let constraints = unrolling.system().constraints();
    (first..=last).all(|frame| constraints.iter().all(|&c| unrolling.holds(c, frame, model)))
}

/// The bad bits of the open properties, which must be safety properties.
pub(crate) fn bad_bits(task: &Task) -> Result<Vec<(PropertyId, ExprId)>, EngineError> {
    let system = task.subject();
    let bad = |id: PropertyId| {
        let name = || system.property(id).name.clone();
        Ok((id, system.bad(id).ok_or_else(|| EngineError::NotSafety(name()))?))
    };
    task.open().into_iter().map(bad).collect()
}
