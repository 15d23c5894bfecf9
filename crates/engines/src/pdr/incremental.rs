//! A run on a prepared system, from nothing or from what an earlier run left.

use std::sync::Arc;
use std::time::Duration;

use elinvar_ir::{PdrState, PropertyRecord, RegisterKey, StopReason, keys};
use elinvar_sat::Lit;
use elinvar_transform::Prepared;
use serde_json::{Value as Json, json};

use super::adopt::{Offer, Sifted, sift};
use super::bits::Bits;
use super::cube::Cube;
use super::domain::{Interruptible, Level};
use super::frames::Frames;
use super::search::Search;
use super::state::{Translated, capture, translate};
use super::validate::{Violation, validate};
use super::{NAME, PdrOptions, PdrStatistics, QueryCount, Verdicts};
use crate::engine::EngineError;
use crate::relation::Transition;
use crate::run::{Event, Run};
use crate::statistics::{Block, Statistics};
use crate::task::BitTask;

/// An earlier run to start from.
pub struct Earlier<'a> {
    /// What that run left.
    pub state: &'a PdrState,
    /// By register of the state: which one of the user's system it is.
    pub places: Vec<Option<usize>>,
    /// What happened to the system since.
    pub change: Change,
}

impl<'a> Earlier<'a> {
    /// The earlier run of a task. It may have been about another version of the system.
    pub fn of_task(bits: &'a BitTask) -> Option<Self> {
        let state = bits.task.earlier()?;
        let places = state.locate(bits.prepared.lift.old());
        Some(Earlier { state, places, change: Change::Any })
    }
}

/// What happened to the system since an earlier run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It has no new behaviour.
    Constrained,
    /// It may have new behaviour and other registers.
    Any,
}

/// What became of the lemmas of an earlier run.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Reuse {
    /// Lemmas of the earlier run.
    pub offered: usize,
    /// Those about registers that do not exist any more.
    pub lost: usize,
    /// Those that are lemmas of some frame again.
    pub kept: usize,
    /// Those that are inductive (F∞).
    pub always: usize,
    /// The queries that it took to find out.
    pub queries: u64,
    /// The time of these queries.
    pub time: Duration,
}

impl Reuse {
    /// The key of these numbers.
    pub const KEY: &'static str = "reuse";
}

impl Statistics for Reuse {
    fn key(&self) -> &'static str {
        Self::KEY
    }

    /// Nothing: reports have a sentence about reuse.
    fn blocks(&self) -> Vec<Block> {
        Vec::new()
    }

    fn json(&self) -> Json {
        json!({
            "offered": self.offered,
            "lost": self.lost,
            "kept": self.kept,
            "always": self.always,
            "queries": self.queries,
        })
    }
}

/// What came out of a search on bits, besides the verdicts that the task has.
pub struct Outcome<'a> {
    /// How the search ended; stopped if it left properties open.
    pub end: Result<(), EngineError>,
    /// What the search did.
    pub statistics: PdrStatistics,
    /// What became of the lemmas of an earlier run.
    pub reuse: Option<Reuse>,
    /// None if the run was stopped before it began.
    known: Option<(Frames<Bits>, Vec<PropertyRecord>)>,
    prepared: &'a Prepared,
}

impl Outcome<'_> {
    /// What is known now of the user's system, whose registers have these keys.
    pub fn state(&self, keys: &[RegisterKey]) -> Option<PdrState> {
        let (frames, records) = self.known.as_ref()?;
        Some(capture(frames, self.prepared, records.clone(), keys))
    }
}

/// Decides the open properties of a task about bits by property directed reachability.
pub fn check_bits<'a>(
    bits: &'a BitTask,
    options: &PdrOptions,
    earlier: Option<Earlier<'_>>,
) -> Outcome<'a> {
    search_bits(NAME, bits, options, earlier, &mut |search| search.run())
}

/// How a search goes on until all is decided.
pub(crate) type Drive<'a> =
    dyn FnMut(&mut Search<'_, Bits, Verdicts<'_>>) -> Interruptible<()> + 'a;

/// Decides the open properties by an engine that is built on the search.
pub(crate) fn search_bits<'a>(
    engine: &'static str,
    bits: &'a BitTask,
    options: &PdrOptions,
    earlier: Option<Earlier<'_>>,
    drive: &mut Drive<'_>,
) -> Outcome<'a> {
    decide(engine, bits, options, earlier, Some(drive))
}

/// Decides those properties for which the lemmas of an earlier run suffice.
pub(crate) fn prove_again<'a>(
    bits: &'a BitTask,
    options: &PdrOptions,
    earlier: Earlier<'_>,
) -> Outcome<'a> {
    decide(NAME, bits, options, Some(earlier), None)
}

/// Without `drive`, only what is left of the lemmas of an earlier run is looked at.
fn decide<'a>(
    engine: &'static str,
    bits: &'a BitTask,
    options: &PdrOptions,
    earlier: Option<Earlier<'_>>,
    drive: Option<&mut Drive<'_>>,
) -> Outcome<'a> {
    let BitTask { prepared, task } = bits;
    let (run, reuse_only) = (task.run(), drive.is_none());
    let translate = if options.signals { Transition::with_signals } else { Transition::new };
    let transition = translate(&prepared.bits, &task.open(), options.elimination);
    let begun = begin(transition, prepared, earlier, reuse_only, run);
    let (mut domain, start) = match begun {
        Ok(begun) => begun,
        Err(stopped) => {
            let (end, statistics) = (Err(stopped.into()), PdrStatistics::default());
            return Outcome { end, statistics, reuse: None, known: None, prepared };
        }
    };
    domain.keep_steps(options.known_steps);
    let count = domain.transition().bads.len();
    let mut verdicts = Verdicts::new(engine, bits, count);
    let mut search = Search::new(&mut domain, &mut verdicts, options, count);
    let (reuse, begun) = start.begin(&mut search);
    if let Some(reuse) = reuse {
        run.emit(Event::Statistics(Arc::new(reuse)));
    }
    let adopted = begun.is_ok();
    debug_assert!(!adopted || violation(&search).is_none(), "{:?}", violation(&search));
    let begun = begun.and_then(|()| drive.map_or(Ok(()), |drive| drive(&mut search)));
    debug_assert!(begun.is_err() || reuse_only || search.is_decided());
    let decided = search.is_decided();
    let (frames, clear) = search.into_frames();
    domain.count_work();
    run.emit(Event::Statistics(Arc::new(domain.statistics.clone())));
    let end = match begun {
        Err(stopped) => Err(stopped.into()),
        Ok(()) if decided => Ok(()),
        // The lemmas of the earlier run are not enough.
        Ok(()) => Err(EngineError::Stopped(run.stop().unwrap_or(StopReason::Cancelled))),
    };
    let known = Some((frames, verdicts.records(&domain, &clear)));
    let outcome = Outcome { end, statistics: domain.statistics, reuse, known, prepared };
    // What is left of a proof that was not enough, or not looked at to the end, is less than
    // the proof.
    let decided = verdicts.status.iter().all(Option::is_some);
    if run.wants_state() && adopted && (decided || !reuse_only) {
        let state = outcome.state(keys(prepared.lift.old()));
        run.emit(Event::State(Arc::new(state.expect("the run has begun"))));
    }
    outcome
}

/// What is wrong with the frames of a search, in the eyes of another solver.
fn violation(search: &Search<'_, Bits, Verdicts<'_>>) -> Option<Violation> {
    let frames = &search.frames;
    let lemmas: Vec<(Cube<Lit>, Level)> =
        frames.iter().map(|(level, lemma)| (lemma.cube.clone(), level)).collect();
    validate(search.domain.transition(), &lemmas, frames.last(), &[]).err()
}

/// What a search starts with.
enum Start {
    Nothing,
    Constrained(Translated),
    Changed { offered: usize, always: Vec<Cube<Lit>>, rest: Translated, queries: QueryCount },
}

/// A new domain, and what is to be told to the search about the earlier run.
fn begin(
    transition: Transition,
    prepared: &Prepared,
    earlier: Option<Earlier<'_>>,
    reuse_only: bool,
    run: &Run,
) -> Interruptible<(Bits, Start)> {
    let Some(Earlier { state, places, change }) = earlier else {
        return Ok((Bits::new(transition, run)?, Start::Nothing));
    };
    let old = translate(state, &places, prepared);
    let start = match change {
        // A frame that lost a lemma need not be one any more.
        Change::Constrained if old.lost == 0 => Start::Constrained(old),
        Change::Constrained | Change::Any => {
            let mut domain = Bits::new(transition.clone(), run)?;
            let offered = old.offered();
            let Translated { offer: Offer { lemmas, depth }, lost } = old;
            let (always, mut finite): (Vec<_>, Vec<_>) =
                lemmas.into_iter().partition(|&(_, level)| level == Level::Infinite);
            let always = always.into_iter().map(|(cube, _)| cube).collect();
            let Sifted { inductive: always, others } = sift(&mut domain, always)?;
            finite.extend(others.into_iter().map(|cube| (cube, Level::Finite(depth))));
            if reuse_only {
                finite.clear();
            }
            let rest = Translated { offer: Offer { lemmas: finite, depth }, lost };
            Start::Changed { offered, always, rest, queries: domain.statistics.adopt }
        }
    };
    Ok((Bits::new(transition, run)?, start))
}

impl Start {
    /// Gives the search its frames.
    fn begin(
        self,
        search: &mut Search<'_, Bits, Verdicts<'_>>,
    ) -> (Option<Reuse>, Interruptible<()>) {
        let mut reuse = Reuse::default();
        let result = match self {
            Start::Nothing => return (None, Ok(())),
            Start::Constrained(old) => {
                (reuse.offered, reuse.lost) = (old.offered(), old.lost);
                search.constrain(old.offer);
                Ok(())
            }
            Start::Changed { offered, always, rest, queries } => {
                (reuse.offered, reuse.lost) = (offered, rest.lost);
                (reuse.queries, reuse.time) = (queries.queries, queries.time);
                search.edit(always, rest.offer)
            }
        };
        reuse.always = search.frames.infinite().len();
        reuse.kept = search.frames.iter().count();
        reuse.queries += search.domain.statistics.query_count();
        reuse.time += search.domain.statistics.adopt.time;
        (Some(reuse), result)
    }
}
