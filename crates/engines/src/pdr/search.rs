//! The loop: block what leads to a bad state, push lemmas, open a frame
//! [Bradley, Manna 2007; Bradley: SAT-Based Model Checking without Unrolling,
//! VMCAI 2011; Eén, Mishchenko, Brayton: Efficient Implementation of Property
//! Directed Reachability, FMCAD 2011].
//!
//! All properties share one trace. That is sound: a frame contains what is
//! reachable in so many steps, and no property is assumed in it. A property that
//! keeps the others waiting is put off to a later frame.

use std::rc::Rc;

use super::PdrOptions;
use super::cube::Cube;
use super::domain::{Domain, Effort, Found, Interruptible, Level, Purpose, Source, Step};
use super::frames::{Frames, Lemma};
use super::generalize::{Ctg, Generalization, Generalizer, Yield, push_forward};
use super::obligation::{Obligation, Queue, Task};

/// Obligations between two signs of life.
const PROGRESS: u64 = 256;

/// The part of its activity that an obligation keeps when it moves to a later frame. Work
/// at earlier frames should count less there, but still count: obligations that come back
/// frame after frame get more effort, and are dropped in the end.
const ACTIVITY_KEPT: f32 = 0.6;

/// If fewer of a hundred counterexamples to pushing could be blocked lately, most are not tried.
const LEAST_CLEARED: u8 = 10;

/// What the loop reports to its owner.
pub(crate) trait Report<D: Domain> {
    /// Something happened that progress displays may show.
    fn progress(&mut self, domain: &mut D, frames: &Frames<D>, clear: &[usize], obligations: usize);

    /// Tells other searches about the inductive lemmas, and returns cubes that others claim to
    /// be blocked by such lemmas.
    fn offers(&mut self, _frames: &Frames<D>) -> Vec<Cube<D::Atom>> {
        Vec::new()
    }

    /// So many offers were adopted and refused.
    fn answer_offers(&mut self, _adopted: usize, _refused: usize) {}

    /// These cubes are inductive together, and exclude all states where the property fails.
    fn safe(
        &mut self,
        domain: &mut D,
        property: usize,
        invariant: Vec<Cube<D::Atom>>,
        level: usize,
    );

    /// The chain starts in an initial state.
    fn unsafe_(&mut self, domain: &mut D, chain: &Obligation<D::Atom, D::Choice>);

    /// Of the obligations for an open property, this one was worked on most often.
    fn recurring(&mut self, domain: &mut D, obligation: &Obligation<D::Atom, D::Choice>);
}

pub(crate) struct Search<'a, D: Domain, R: Report<D>> {
    pub(crate) domain: &'a mut D,
    pub(crate) report: &'a mut R,
    options: &'a PdrOptions,
    pub(crate) frames: Frames<D>,
    queue: Queue<D::Atom, D::Choice>,
    /// Properties without an answer.
    open: Vec<usize>,
    /// By property: the last frame that is known to exclude its bad states.
    clear: Vec<usize>,
    /// How large F∞ was when properties were last compared with it.
    concluded: Option<usize>,
    /// How often blocking counterexamples to generalisation succeeds.
    blocking: Yield,
    /// The same for counterexamples to pushing.
    clearing: Yield,
    /// Obligations worked on.
    worked: u64,
    /// By property: the obligation that was worked on most often, until it is reported.
    recurring: Vec<Busiest<D>>,
}

/// An obligation that comes back.
struct Busiest<D: Domain> {
    times: u32,
    /// Not reported yet.
    obligation: Option<Rc<Obligation<D::Atom, D::Choice>>>,
}

impl<D: Domain> Default for Busiest<D> {
    fn default() -> Self {
        Busiest { times: 1, obligation: None }
    }
}

impl<'a, D: Domain, R: Report<D>> Search<'a, D, R> {
    pub fn new(
        domain: &'a mut D,
        report: &'a mut R,
        options: &'a PdrOptions,
        properties: usize,
    ) -> Self {
        let open = (0..properties).collect();
        Search {
            domain,
            report,
            options,
            frames: Frames::new(),
            queue: Queue::new(),
            open,
            clear: vec![0; properties],
            concluded: None,
            blocking: Yield::new(),
            clearing: Yield::new(),
            worked: 0,
            recurring: (0..properties).map(|_| Busiest::default()).collect(),
        }
    }

    /// The frames, and for each property the last of them that is known to exclude it.
    pub fn into_frames(self) -> (Frames<D>, Vec<usize>) {
        (self.frames, self.clear)
    }

    pub fn is_decided(&self) -> bool {
        self.open.is_empty()
    }

    /// Until every property has its answer, or the run is stopped.
    pub fn run(&mut self) -> Interruptible<()> {
        let answer = self.run_until_decided();
        self.tell_progress();
        answer
    }

    pub(crate) fn tell_progress(&mut self) {
        let frames = &self.frames;
        let statistics = self.domain.statistics();
        statistics.frontier = frames.frontier();
        statistics.frames = frames.sizes();
        statistics.invariant_lemmas = frames.infinite().len();
        self.report.progress(self.domain, &self.frames, &self.clear, self.queue.len());
        for &property in &self.open {
            if let Some(obligation) = self.recurring[property].obligation.take() {
                self.report.recurring(self.domain, &obligation);
            }
        }
    }

    /// Notes that an obligation is worked on.
    fn count(&mut self, obligation: &Rc<Obligation<D::Atom, D::Choice>>) {
        let times = obligation.times.get() + 1;
        obligation.times.set(times);
        let most = &mut self.recurring[obligation.property];
        if times > most.times {
            *most = Busiest { times, obligation: Some(Rc::clone(obligation)) };
        }
    }

    fn run_until_decided(&mut self) -> Interruptible<()> {
        while !self.open.is_empty() {
            self.strengthen()?;
            self.advance(1)?;
        }
        Ok(())
    }

    /// Opens so many frames, unless all is decided, and pushes lemmas.
    pub(crate) fn advance(&mut self, steps: usize) -> Interruptible<()> {
        if self.open.is_empty() {
            return Ok(());
        }
        for _ in 0..steps {
            self.frames.open();
        }
        self.tell_progress();
        self.adopt_offers()?;
        self.push()
    }

    /// The properties without an answer.
    pub(crate) fn open(&self) -> &[usize] {
        &self.open
    }

    /// A property has got its answer elsewhere.
    pub(crate) fn close(&mut self, property: usize) {
        self.open.retain(|&other| other != property);
        let open = &self.open;
        self.queue.retain(|obligation| open.contains(&obligation.property));
    }

    /// Learns a lemma that excludes a cube from the frame of a level. False if a state
    /// of the frame before leads into the cube, which has no initial state.
    pub(crate) fn exclude(&mut self, cube: &Cube<D::Atom>, level: usize) -> Interruptible<bool> {
        let before = Level::Finite(level - 1);
        match self.domain.step(before, cube.atoms(), Source::Anywhere, Purpose::Block)? {
            Step::Reached(_) => Ok(false),
            Step::Blocked(core) => {
                self.learn(cube.len(), core, level, 0.0)?;
                Ok(true)
            }
        }
    }

    /// Moves lemmas of a level and of those after it to later frames.
    pub(crate) fn push_from(&mut self, level: usize) -> Interruptible<()> {
        (level..self.frames.frontier()).try_for_each(|level| self.push_level(level))
    }

    /// Blocks all that violates a property at the frontier.
    pub(crate) fn strengthen(&mut self) -> Interruptible<()> {
        for property in self.open.clone() {
            // With others waiting, a property may not take all the time.
            let patience = if self.open.len() > 1 { Some(self.options.patience) } else { None };
            self.strengthen_within(property, patience)?;
        }
        Ok(())
    }

    /// Blocks all that violates one property at the frontier, until it is decided or blocked.
    pub(crate) fn strengthen_for(&mut self, property: usize) -> Interruptible<()> {
        self.strengthen_within(property, None)
    }

    fn strengthen_within(
        &mut self,
        property: usize,
        mut patience: Option<u64>,
    ) -> Interruptible<()> {
        let frontier = self.frames.frontier();
        self.block_all(&mut patience)?;
        while self.open.contains(&property) && patience != Some(0) {
            let Some(found) = self.domain.bad(Level::Finite(frontier), property)? else {
                self.clear[property] = frontier;
                break;
            };
            let obligation = Rc::new(Obligation::bad(found.cube, found.choice, property));
            if self.domain.meets_initial(obligation.cube.atoms()) {
                self.refute(&obligation);
                break;
            }
            self.queue.push(frontier, obligation, 0.0);
            self.block_all(&mut patience)?;
        }
        Ok(())
    }

    fn refute(&mut self, chain: &Obligation<D::Atom, D::Choice>) {
        self.report.unsafe_(self.domain, chain);
        self.close(chain.property);
    }

    /// Works on obligations until there is none left below the frontier, or
    /// patience is lost.
    fn block_all(&mut self, patience: &mut Option<u64>) -> Interruptible<()> {
        while let Some(task) = self.queue.pop(self.frames.frontier()) {
            if let Some(left) = patience {
                if *left == 0 {
                    self.queue.push(task.level, task.obligation, task.activity);
                    return Ok(());
                }
                *left -= 1;
            }
            self.block(task)?;
        }
        Ok(())
    }

    fn block(&mut self, task: Task<D::Atom, D::Choice>) -> Interruptible<()> {
        let Task { level, obligation, activity, .. } = task;
        match self.frames.blocked_up_to(self.domain, &obligation.cube, level) {
            Some(Level::Infinite) => return Ok(()),
            Some(Level::Finite(last)) => {
                self.queue.push(last + 1, obligation, activity * ACTIVITY_KEPT);
                return Ok(());
            }
            None => {}
        }
        self.count(&obligation);
        let activity = activity + 1.0;
        let too_often = self.options.drop_obligations.is_some_and(|max| activity > max as f32);
        let statistics = self.domain.statistics();
        statistics.obligations += 1;
        statistics.dropped_obligations += u64::from(too_often);
        self.worked += 1;
        if self.worked.is_multiple_of(PROGRESS) {
            self.tell_progress();
            self.adopt_offers()?;
        }
        if too_often {
            return Ok(());
        }
        let cube = obligation.cube.atoms();
        let before = Level::Finite(level - 1);
        match self.domain.step(before, cube, Source::Anywhere, Purpose::Block)? {
            Step::Reached(found) => {
                let found = self.domain.predecessor(found, cube, Effort::UntilStable)?;
                let predecessor =
                    Rc::new(Obligation::before(found.cube, found.choice, &obligation));
                if self.domain.meets_initial(predecessor.cube.atoms()) {
                    self.refute(&predecessor);
                    return Ok(());
                }
                self.queue.push(level, obligation, activity);
                self.queue.push(level - 1, predecessor, 0.0);
            }
            Step::Blocked(core) => {
                let last = self.learn(cube.len(), core, level, activity)?;
                if let Level::Finite(last) = last {
                    self.queue.push(last + 1, obligation, activity * ACTIVITY_KEPT);
                }
            }
        }
        Ok(())
    }

    /// Makes a lemma of a blocked core and puts it as far as it holds.
    fn learn(
        &mut self,
        before: usize,
        core: Vec<D::Atom>,
        level: usize,
        activity: f32,
    ) -> Interruptible<Level> {
        let (in_core, how) = (core.len(), self.effort(activity));
        let Search { domain, frames, blocking, .. } = self;
        let mut generalizer = Generalizer { domain: &mut **domain, frames, blocking };
        let cube = generalizer.generalize(core, level, how)?;
        let cube = self.domain.widen(cube, level)?;
        let statistics = self.domain.statistics();
        statistics.core.add(before, in_core);
        statistics.dropping.add(in_core, cube.len());
        let frontier = self.frames.frontier();
        let (cube, mut last) = push_forward(self.domain, cube, level, frontier)?;
        let mut outsider = None;
        if last == Level::Finite(frontier) {
            match self.step_from_infinity(&cube)? {
                Step::Blocked(_) => last = Level::Infinite,
                Step::Reached(found) => outsider = Some(found.state),
            }
        }
        let mut lemma = Lemma::learn(self.domain, cube, last);
        if let Some(state) = outsider {
            self.frames.set_outsider(&mut lemma, state);
        }
        self.frames.place(self.domain, lemma, last);
        Ok(last)
    }

    /// More effort for obligations that come back.
    fn effort(&self, activity: f32) -> Generalization {
        let PdrOptions { ctg, keep_parent, reconsider, attempts, stubborn, .. } = *self.options;
        if activity < stubborn as f32 {
            let anew = reconsider.is_some_and(|every| self.worked.is_multiple_of(every.into()));
            let keep_parent = keep_parent && !anew;
            return Generalization { ctg, keep_parent, attempts };
        }
        // None stays none.
        let max = if ctg.max == 0 { 0 } else { ctg.max + 2 };
        let ctg = Ctg { max, ..ctg };
        Generalization { ctg, keep_parent: false, attempts: usize::MAX }
    }

    /// SAT?  F∞ ∧ ¬c ∧ T ∧ c′
    fn step_from_infinity(&mut self, cube: &Cube<D::Atom>) -> Interruptible<Step<D>> {
        self.domain.step(Level::Infinite, cube.atoms(), Source::Outside, Purpose::Promote)
    }

    /// Moves lemmas to later frames. Open properties may turn out to hold.
    pub(super) fn push(&mut self) -> Interruptible<()> {
        let frontier = self.frames.frontier();
        let start = self.frames.take_changed();
        for level in start.min(frontier)..frontier {
            self.push_level(level)?;
            if self.frames.level(level).is_empty() {
                break;
            }
        }
        // A frame and the next are the same.
        if let Some(level) = (1..frontier).find(|&level| self.frames.level(level).is_empty()) {
            self.frames.settle(self.domain, level);
            self.conclude(level)?;
        }
        if !self.open.is_empty() {
            self.promote_frontier(frontier)?;
            self.conclude(frontier)?;
        }
        Ok(())
    }

    /// Properties whose bad states F∞ excludes are safe.
    pub(super) fn conclude(&mut self, level: usize) -> Interruptible<()> {
        let size = Some(self.frames.infinite().len());
        if std::mem::replace(&mut self.concluded, size) == size {
            return Ok(());
        }
        for property in self.open.clone() {
            if self.domain.bad(Level::Infinite, property)?.is_none() {
                let invariant = cubes(self.frames.infinite());
                self.report.safe(self.domain, property, invariant, level);
                self.open.retain(|&other| other != property);
            }
        }
        Ok(())
    }

    fn push_level(&mut self, level: usize) -> Interruptible<()> {
        let mut lemmas = self.frames.take_level(level).into_iter();
        while let Some(lemma) = lemmas.next() {
            if let Err(stopped) = self.push_lemma(lemma, level) {
                lemmas.for_each(|lemma| self.frames.put_back(level, lemma));
                return Err(stopped);
            }
        }
        Ok(())
    }

    /// Moves a lemma that was taken from its level to the next one, or puts it back.
    fn push_lemma(&mut self, mut lemma: Lemma<D>, level: usize) -> Interruptible<()> {
        let mut attempts = self.options.ctp;
        loop {
            // A lemma that came meanwhile may say more.
            if self.frames.is_covered(self.domain, &lemma, level) {
                lemma.forget(self.domain);
                return Ok(());
            }
            let here = Level::Finite(level);
            if self.domain.knows_step(here, lemma.cube.atoms())
                || self.frames.is_obstructed(self.domain, &mut lemma, level)
            {
                self.domain.statistics().pushes_saved += 1;
                self.frames.put_back(level, lemma);
                return Ok(());
            }
            self.domain.statistics().pushes_tried += 1;
            let cube = lemma.cube.atoms();
            let found = match self.domain.step(here, cube, Source::Anywhere, Purpose::Push) {
                Ok(Step::Blocked(core)) => {
                    self.domain.statistics().pushes_done += 1;
                    self.promote(lemma, core, Level::Finite(level + 1));
                    return Ok(());
                }
                Ok(Step::Reached(found)) => found,
                Err(stopped) => {
                    self.frames.put_back(level, lemma);
                    return Err(stopped);
                }
            };
            let state = found.state.clone();
            let is_blocked = if attempts > 0 && self.clearing.is_worthwhile(LEAST_CLEARED) {
                attempts -= 1;
                self.clear_way(found, &lemma.cube, level)
            } else {
                Ok(false)
            };
            if let Ok(true) = is_blocked {
                continue;
            }
            self.frames.set_obstacle(&mut lemma, state);
            self.frames.put_back(level, lemma);
            return is_blocked.map(|_| ());
        }
    }

    /// Blocks the state of a level that keeps a lemma from moving to the next one, if that is
    /// possible.
    fn clear_way(
        &mut self,
        found: Found<D>,
        cube: &Cube<D::Atom>,
        level: usize,
    ) -> Interruptible<bool> {
        let how = self.effort(0.0);
        let Search { domain, frames, blocking, .. } = self;
        let mut generalizer = Generalizer { domain: &mut **domain, frames, blocking };
        let is_blocked = generalizer.block(found, cube.atoms(), level + 1, how, 0)?;
        self.clearing.note(is_blocked);
        Ok(is_blocked)
    }

    fn promote(&mut self, lemma: Lemma<D>, core: Vec<D::Atom>, level: Level) {
        if core.len() < lemma.cube.len() {
            lemma.forget(self.domain);
            self.frames.insert(self.domain, Cube::new(core), level);
        } else {
            self.frames.promote(self.domain, lemma, level);
        }
    }

    /// Looks for lemmas of the frontier that are inductive relative to F∞.
    fn promote_frontier(&mut self, frontier: usize) -> Interruptible<()> {
        loop {
            let before = self.frames.infinite().len();
            let mut lemmas = self.frames.take_level(frontier).into_iter();
            while let Some(mut lemma) = lemmas.next() {
                if self.frames.is_kept_out(self.domain, &mut lemma) {
                    self.frames.put_back(frontier, lemma);
                    continue;
                }
                match self.step_from_infinity(&lemma.cube) {
                    Ok(Step::Blocked(core)) => self.promote(lemma, core, Level::Infinite),
                    Ok(Step::Reached(found)) => {
                        self.frames.set_outsider(&mut lemma, found.state);
                        self.frames.put_back(frontier, lemma);
                    }
                    Err(stopped) => {
                        self.frames.put_back(frontier, lemma);
                        lemmas.for_each(|lemma| self.frames.put_back(frontier, lemma));
                        return Err(stopped);
                    }
                }
            }
            if self.frames.infinite().len() == before {
                return Ok(());
            }
        }
    }
}

fn cubes<'a, D: Domain + 'a>(lemmas: impl IntoIterator<Item = &'a Lemma<D>>) -> Vec<Cube<D::Atom>> {
    lemmas.into_iter().map(|lemma| lemma.cube.clone()).collect()
}
