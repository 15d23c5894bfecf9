//! A run on a prepared system, from nothing or from what an earlier run left.

use std::sync::Arc;
use std::time::Duration;

use elinvar_ir::{
    PdrState, PropertyId, PropertyRecord, RegisterKey, StopReason, TransitionSystem, Verdict, keys,
};
use elinvar_sat::Lit;
use elinvar_transform::Prepared;

use super::adopt::{Offer, Sifted, sift};
use super::bits::Bits;
use super::cube::Cube;
use super::domain::{Asked, Level};
use super::frames::Frames;
use super::search::Search;
use super::state::{Translated, capture, translate};
use super::validate::{Violation, validate};
use super::{NAME, PdrOptions, PdrStatistics, QueryCount, Verdicts};
use crate::relation::Transition;
use crate::run::{Event, Run};

/// An earlier run to start from.
pub(crate) struct Earlier<'a> {
    pub state: &'a PdrState,
    /// By register of the state: which one of the user's system it is.
    pub places: Vec<Option<usize>>,
    pub change: Change,
}

impl<'a> Earlier<'a> {
    /// What a run begins with that may have been made for another version.
    pub fn of_run(run: &'a Run, system: &TransitionSystem) -> Option<Self> {
        let state = run.earlier()?;
        Some(Earlier { state, places: state.locate(system), change: Change::Any })
    }
}

/// What happened to the system since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// It has no new behaviour.
    Constrained,
    /// It may have new behaviour, other registers, whatever.
    Any,
}

/// What became of the lemmas of an earlier run.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Reuse {
    /// Lemmas of the earlier run.
    pub offered: usize,
    /// Those that speak of what is not there any more.
    pub lost: usize,
    /// Those that are lemmas of some frame again.
    pub kept: usize,
    /// Those that hold for ever.
    pub always: usize,
    /// The queries that it took to find out, and their time.
    pub queries: u64,
    pub time: Duration,
}

/// What came out of a run on a prepared system.
pub(crate) struct Outcome<'a> {
    /// About the prepared system.
    pub verdicts: Vec<Verdict>,
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

/// Decides properties of a prepared system.
pub(crate) fn check_prepared<'a>(
    prepared: &'a Prepared,
    properties: &[PropertyId],
    options: &PdrOptions,
    earlier: Option<Earlier<'_>>,
    run: &Run,
) -> Outcome<'a> {
    search_prepared(NAME, prepared, properties, options, earlier, &mut |search| search.run(), run)
}

/// How a search goes on until all is decided.
pub(crate) type Drive<'a> = dyn FnMut(&mut Search<'_, Bits, Verdicts<'_>>) -> Asked<()> + 'a;

/// Decides properties of a prepared system by an engine that is built on the search.
pub(crate) fn search_prepared<'a>(
    engine: &'static str,
    prepared: &'a Prepared,
    properties: &[PropertyId],
    options: &PdrOptions,
    earlier: Option<Earlier<'_>>,
    drive: &mut Drive<'_>,
    run: &Run,
) -> Outcome<'a> {
    decide(engine, prepared, properties, options, earlier, Some(drive), run)
}

/// Decides those properties that the lemmas of an earlier run are enough for.
pub(crate) fn prove_again<'a>(
    prepared: &'a Prepared,
    properties: &[PropertyId],
    options: &PdrOptions,
    earlier: Earlier<'_>,
    run: &Run,
) -> Outcome<'a> {
    decide(NAME, prepared, properties, options, Some(earlier), None, run)
}

/// Without `drive`, only what is left of the lemmas of an earlier run is looked at.
fn decide<'a>(
    engine: &'static str,
    prepared: &'a Prepared,
    properties: &[PropertyId],
    options: &PdrOptions,
    earlier: Option<Earlier<'_>>,
    drive: Option<&mut Drive<'_>>,
    run: &Run,
) -> Outcome<'a> {
    let reuse_only = drive.is_none();
    let transition = Transition::new(&prepared.bits, properties, options.elimination);
    let begun = begin(transition, prepared, earlier, reuse_only, run);
    let Ok((mut domain, start)) = begun else {
        let reason = run.stop().unwrap_or(StopReason::Cancelled);
        return Outcome {
            verdicts: vec![Verdict::Unknown(reason); properties.len()],
            statistics: PdrStatistics::default(),
            reuse: None,
            known: None,
            prepared,
        };
    };
    let count = domain.transition().bads.len();
    let mut verdicts = Verdicts::new(engine, prepared, count, run);
    let mut search = Search::new(&mut domain, &mut verdicts, options, count);
    let (reuse, begun) = start.begin(&mut search);
    if let Some(reuse) = reuse {
        run.emit(Event::Reuse(reuse));
    }
    let adopted = begun.is_ok();
    debug_assert!(!adopted || violation(&search).is_none(), "{:?}", violation(&search));
    let begun = begun.and_then(|()| drive.map_or(Ok(()), |drive| drive(&mut search)));
    let stopped = begun.is_err() || reuse_only;
    let (frames, clear) = search.into_frames();
    domain.count_work();
    run.emit(Event::Pdr(Box::new(domain.statistics.clone())));
    let reason = run.stop().unwrap_or(StopReason::Cancelled);
    debug_assert!(stopped || verdicts.found.iter().all(Option::is_some));
    let ids: Vec<PropertyId> = (0..count).map(|index| domain.property_id(index)).collect();
    let records = verdicts.records(&domain, &clear);
    let verdict = |id: &PropertyId| {
        let index = ids.iter().position(|other| other == id);
        let found = index.and_then(|index| verdicts.found[index].clone());
        found.unwrap_or_else(|| Verdict::Unknown(reason.clone()))
    };
    let verdicts = properties.iter().map(verdict).collect();
    let known = Some((frames, records));
    let outcome = Outcome { verdicts, statistics: domain.statistics, reuse, known, prepared };
    // What is left of a proof that was not enough, or not looked at to the end, is less than
    // the proof.
    let decided = outcome.verdicts.iter().all(|v| !matches!(v, Verdict::Unknown(_)));
    if run.wants_state() && adopted && (decided || !reuse_only) {
        let state = outcome.state(&keys(prepared.lift.old()));
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
) -> Asked<(Bits, Start)> {
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
    fn begin(self, search: &mut Search<'_, Bits, Verdicts<'_>>) -> (Option<Reuse>, Asked<()>) {
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
