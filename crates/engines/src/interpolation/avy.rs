//! AVY: interpolation and property directed reachability in one engine [Vizel,
//! Gurfinkel: Interpolating Property Directed Reachability, CAV 2014], Algorithm 7.
//!
//! There is one trace, that of property directed reachability. To make a new frame safe,
//! all paths of that many steps are looked at in one question, in which every frame has
//! the lemmas that are known for it (formula 10: the lemmas of a frame are in its own
//! part). The interpolants of the refutation say what is missing in each frame, and are
//! turned into lemmas by the same generalisation that obligations get. Then lemmas are
//! pushed as usual.
//!
//! - *min-suffix* (section 4.2): the shortest end of the path that has no model with the
//!   lemmas of its first frame. Found by doubling and halving around the length of the
//!   last one.
//! - *min-core*: what the proof uses of the transition relation is made minimal.
//! - *shallow push*: after a frame got lemmas, those of this level and of later ones are
//!   pushed.
//! - The trace stays a trace of property directed reachability at every point, so rounds
//!   of that may come in between, and what a conversion could not exclude is left to it.
//!
//! Beyond the paper: inductive lemmas (F∞) are kept apart and serve in every frame.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use elinvar_ir::PropertyId;
use elinvar_logic::AigLit;
use elinvar_logic::interpolation::System;
use elinvar_sat::Lit;
use elinvar_transform::{BitLift, Lift, Prepared, stuck_on_error};

use super::convert::Outside;
use super::interpolants::Interpolants;
use super::paths::{Paths, Reply, Start};
use super::statistics::InterpolationStatistics;
use crate::engine::{EngineError, implement_engine};
use crate::pdr::bits::Bits;
use crate::pdr::cube::Cube;
use crate::pdr::domain::{Domain, Interruptible, Level};
use crate::pdr::search::Search;
use crate::pdr::{Ctg, Earlier, PdrOptions, Verdicts, search_bits};
use crate::relation::{Init, Transition};
use crate::run::{Event, Run, work_of_clauses};
use crate::task::{BitTask, SystemOfBits, Task};

/// What may be chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AvyOptions {
    /// For the trace.
    pub pdr: PdrOptions,
    /// How many frames are opened at a time.
    pub step: usize,
    /// Keep lemmas from one bound to the next.
    pub global_trace: bool,
    /// Look for the shortest end of paths that is refuted.
    pub min_suffix: bool,
    /// Make the part of the transition relation that a refutation uses minimal.
    pub min_core: bool,
    /// Push lemmas after each frame, not only at the end.
    pub shallow_push: bool,
    /// After so many rounds, one of plain property directed reachability.
    pub interleave: Option<usize>,
    /// Keep the solver for paths from one bound to the next.
    pub incremental: bool,
    /// How interpolants are read off proofs.
    pub system: System,
}

impl Default for AvyOptions {
    fn default() -> Self {
        // The states to exclude come from a proof: lemmas for states that merely stand in
        // the way of a shorter lemma distract from it, and few literals can be dropped.
        let pdr = PdrOptions {
            ctg: Ctg { max: 0, depth: 1, reach: 1, least_yield: 10 },
            attempts: 3,
            reconsider: None,
            ..PdrOptions::default()
        };
        AvyOptions {
            pdr,
            step: 1,
            global_trace: true,
            min_suffix: true,
            min_core: false,
            shallow_push: true,
            interleave: None,
            incremental: true,
            system: System::McMillan,
        }
    }
}

/// The engine.
pub struct Avy(pub AvyOptions);

const NAME: &str = "avy";

/// The least number of conflicts that the question for a suffix may take. Suffixes that
/// are refuted take few; to find a path where there is one may take very many, and all
/// that would be known then is that the suffix is too short.
const PATIENCE: u64 = 200;

implement_engine!(Avy, NAME, check);

fn check(options: &AvyOptions, task: &Task) -> Result<(), EngineError> {
    let bits = options.pdr.bits(task)?;
    if options.step <= 1 {
        let earlier = Earlier::of_task(&bits);
        return check_steps(&bits, options, earlier);
    }
    let check = |property| check_stuck(&bits, property, options);
    bits.task.open().into_iter().try_for_each(check)
}

/// With steps of several frames, those in between are only safe if a bad state stays
/// bad (Theorem 3).
fn check_stuck(
    bits: &BitTask,
    property: PropertyId,
    options: &AvyOptions,
) -> Result<(), EngineError> {
    let stuck = stuck_on_error(&bits.prepared.bits, property);
    let lift = BitLift::identity(stuck.bits.system());
    let prepared = Prepared { bits: stuck.bits.clone(), lift, report: Vec::new() };
    let prepared = Arc::new(prepared);
    let system = Arc::new(SystemOfBits(Arc::clone(&prepared)));
    let task = bits.task.only(&[property]);
    let task = task.transformed(system, move |_, verdict| stuck.verdict(verdict));
    // Lemmas about the new register are of no use to a later run.
    let task = task.with_run(task.run().without_states());
    check_steps(&BitTask { prepared, task }, options, None)
}

fn check_steps(
    bits: &BitTask,
    options: &AvyOptions,
    earlier: Option<Earlier<'_>>,
) -> Result<(), EngineError> {
    let run = bits.task.run();
    let mut statistics = InterpolationStatistics::default();
    let mut drive = |search: &mut Trace<'_, '_>| {
        let mut strengthening = Strengthening::new(search.domain, options, run);
        let answer = strengthening.run(search);
        search.tell_progress();
        statistics = strengthening.statistics;
        answer
    };
    let end = search_bits(NAME, bits, &options.pdr, earlier, &mut drive).end;
    run.emit(Event::Statistics(Arc::new(statistics)));
    end
}

/// The trace that is strengthened.
type Trace<'a, 'b> = Search<'a, Bits, Verdicts<'b>>;

struct Strengthening<'a> {
    options: &'a AvyOptions,
    run: &'a Run,
    transition: Rc<Transition>,
    origin: Rc<[bool]>,
    paths: Paths,
    /// How long the last suffix was.
    suffix: usize,
    /// How many conflicts are spent on a suffix before it counts as not refuted.
    patience: u64,
    rounds: usize,
    statistics: InterpolationStatistics,
}

impl<'a> Strengthening<'a> {
    fn new(domain: &Bits, options: &'a AvyOptions, run: &'a Run) -> Self {
        let transition = Rc::new(domain.transition().clone());
        let origin = domain.origin();
        let paths = Paths::new(Rc::clone(&transition), Rc::clone(&origin), NAME, run);
        let statistics = InterpolationStatistics::default();
        Strengthening {
            options,
            run,
            transition,
            origin,
            paths,
            suffix: 1,
            patience: PATIENCE,
            rounds: 0,
            statistics,
        }
    }

    fn run(&mut self, trace: &mut Trace<'_, '_>) -> Interruptible<()> {
        while !trace.is_decided() {
            self.rounds += 1;
            let plain = |n: usize| self.rounds.is_multiple_of(n + 1);
            if !self.options.interleave.is_some_and(plain) {
                self.make_safe(trace)?;
            }
            trace.strengthen()?;
            trace.advance(self.options.step)?;
        }
        Ok(())
    }

    /// Makes the last frame exclude what violates open properties.
    fn make_safe(&mut self, trace: &mut Trace<'_, '_>) -> Interruptible<()> {
        let bound = trace.frames.frontier();
        for property in trace.open().to_vec() {
            if bound == 0 || trace.domain.bad(Level::Finite(bound), property)?.is_none() {
                continue;
            }
            let AvyOptions { incremental, global_trace, .. } = *self.options;
            if !incremental || !global_trace || self.paths.is_exhausted() {
                let paths = Paths::new(
                    Rc::clone(&self.transition),
                    Rc::clone(&self.origin),
                    NAME,
                    self.run,
                );
                self.paths = paths;
            }
            let refuted = self.refute(trace, property, bound);
            self.statistics.take(&mut self.paths.statistics);
            match refuted? {
                Some(interpolants) => self.convert(trace, &interpolants, bound)?,
                None => {
                    let found = self.paths.trace(trace.domain.property_id(property), bound);
                    trace.report.refuted(trace.domain, property, found);
                    trace.close(property);
                }
            }
        }
        Ok(())
    }

    /// Interpolants of the shortest suffix of a path that has none of them; none if
    /// there is a path from an initial state.
    fn refute(
        &mut self,
        trace: &mut Trace<'_, '_>,
        property: usize,
        bound: usize,
    ) -> Interruptible<Option<Interpolants>> {
        let mut window = Window::new(bound);
        let mut length = if self.options.min_suffix { self.suffix.clamp(1, bound) } else { bound };
        let mut refuted = None;
        loop {
            let lemmas = trace.frames.iter().map(|(level, lemma)| (level, &lemma.cube));
            self.paths.set_lemmas(lemmas, bound, length);
            let whole = length == bound;
            let start = if whole { Start::Initial } else { Start::Frame };
            let limit = (!whole).then_some(self.patience);
            let before = self.paths.statistics.conflicts;
            match self.paths.ask(property, bound, length, start, limit)? {
                Reply::Path if whole => return Ok(None),
                Reply::Path | Reply::GivenUp => window.below(length),
                Reply::Refuted(conclusion) => {
                    refuted = Some(conclusion);
                    let conflicts = self.paths.statistics.conflicts - before;
                    self.patience = PATIENCE.max(2 * conflicts);
                    window.at_most(length);
                    if !self.options.min_suffix {
                        break;
                    }
                }
            }
            match window.next() {
                Some(next) => length = next,
                None => break,
            }
        }
        let conclusion = refuted.expect("a path of full length is refuted or found");
        self.suffix = window.most;
        let system = self.options.system;
        let interpolants = if self.options.min_core {
            let (interpolants, dropped) = self.paths.minimal_interpolants(conclusion, system)?;
            self.statistics.dropped_equations += dropped;
            interpolants
        } else {
            self.paths.interpolants(conclusion, system)
        };
        self.statistics.note(NAME, &interpolants, bound, self.run);
        Ok(Some(interpolants))
    }

    /// Makes lemmas of the interpolants, frame by frame.
    fn convert(
        &mut self,
        trace: &mut Trace<'_, '_>,
        interpolants: &Interpolants,
        bound: usize,
    ) -> Interruptible<()> {
        let started = Instant::now();
        let lost = if self.options.global_trace { Vec::new() } else { forget(trace) };
        for (distance, &interpolant) in interpolants.by_distance.iter().enumerate().rev() {
            let level = bound - distance;
            if interpolant == AigLit::TRUE && lost.is_empty() {
                continue;
            }
            self.convert_at(trace, interpolants, interpolant, level, &lost)?;
            if self.options.shallow_push {
                trace.push_from(level)?;
            }
        }
        self.statistics.conversion_time += started.elapsed();
        Ok(())
    }

    /// Excludes from a frame what is neither in the one before nor in the interpolant.
    fn convert_at(
        &mut self,
        trace: &mut Trace<'_, '_>,
        interpolants: &Interpolants,
        interpolant: AigLit,
        level: usize,
        lost: &[(Level, Cube<Lit>)],
    ) -> Interruptible<()> {
        let Interpolants { aig, registers, .. } = interpolants;
        let origin = Rc::clone(&self.origin);
        let mut outside = Outside::new(aig, interpolant, registers, origin, self.run);
        self.run.spend(work_of_clauses(trace.frames.iter().count()));
        for (last, lemma) in trace.frames.iter() {
            if last >= Level::Finite(level) {
                outside.exclude(&lemma.cube);
            } else if last == Level::Finite(level - 1) {
                outside.exclude_before(lemma.cube.atoms());
            }
        }
        if level == 1 {
            for (index, register) in self.transition.registers.iter().enumerate() {
                if let Init::Constant(value) = register.init {
                    let lit = Transition::register_var(index).positive();
                    outside.exclude_before(&[lit.negate_if(value)]);
                }
            }
        }
        for (_, cube) in lost.iter().filter(|(last, _)| *last >= Level::Finite(level)) {
            outside.lose(cube.atoms());
        }
        let mut known = trace.frames.count();
        loop {
            let domain = &trace.domain;
            let most = domain.activity_limit();
            let price = |atom: Lit| 1 + (128.0 * (1.0 - domain.activity(atom) / most)) as u32;
            let Some(cube) = outside.find(price)? else { return Ok(()) };
            if !trace.exclude(&cube, level)? {
                self.statistics.not_excluded += 1;
                return Ok(());
            }
            self.statistics.excluded += 1;
            for (last, lemma) in trace.frames.since(known) {
                if *last >= level {
                    outside.exclude(lemma);
                }
            }
            known = trace.frames.count();
        }
    }
}

/// Takes all lemmas out that are not in F∞, and all that was learnt from them.
fn forget(trace: &mut Trace<'_, '_>) -> Vec<(Level, Cube<Lit>)> {
    let mut lost = Vec::new();
    for level in 1..=trace.frames.last() {
        let lemmas = trace.frames.take_level(level).into_iter();
        lost.extend(lemmas.map(|lemma| (Level::Finite(level), lemma.cube)));
    }
    trace.domain.begin_anew();
    trace.frames.learn_again(trace.domain);
    lost
}

/// What is known of the length of the shortest suffix without a path.
struct Window {
    /// Longer than this.
    least: usize,
    /// At most this.
    most: usize,
    /// Some suffix was refuted, and some was not.
    refuted: bool,
    found: bool,
    stride: usize,
}

impl Window {
    fn new(bound: usize) -> Self {
        Window { least: 0, most: bound, refuted: false, found: false, stride: 1 }
    }

    fn below(&mut self, length: usize) {
        self.least = length;
        self.found = true;
    }

    fn at_most(&mut self, length: usize) {
        self.most = length;
        self.refuted = true;
    }

    /// The length to look at next: away from the first one in growing strides, then
    /// in the middle of what is left. None when there is nothing to find out.
    fn next(&mut self) -> Option<usize> {
        if self.least + 1 >= self.most && self.refuted {
            return None;
        }
        let stride = self.stride;
        self.stride *= 2;
        Some(match (self.refuted, self.found) {
            (true, true) => (self.least + self.most) / 2,
            (true, false) => self.most.saturating_sub(stride).max(1),
            (false, _) => (self.least + stride).min(self.most),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_suffix_is_found() {
        for bound in 1..40 {
            for shortest in 1..=bound {
                for first in 1..=bound {
                    let (mut window, mut length, mut asked) = (Window::new(bound), first, 0);
                    loop {
                        asked += 1;
                        if length >= shortest {
                            window.at_most(length);
                        } else {
                            window.below(length);
                        }
                        match window.next() {
                            Some(next) => length = next,
                            None => break,
                        }
                    }
                    assert_eq!(window.most, shortest, "{bound} {shortest} {first}");
                    assert!(asked <= 12, "{bound} {shortest} {first}: {asked}");
                }
            }
        }
    }
}
