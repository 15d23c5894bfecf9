//! Runs that begin with what an earlier run left: on another version of the system, on
//! the same one after an interruption, with states that lie, and on the worked examples
//! of Blankestijn's thesis. All evidence goes through the checker.

#[path = "../common/mod.rs"]
mod common;
mod lies;
mod thesis;
mod versions;

use std::ops::AddAssign;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{assert_right, is_beyond, settings};
use elinvar_engines::pdr::{PdrOptions, Reuse};
use elinvar_engines::{Choice, Event, Run, Task};
use elinvar_ir::{PdrState, PropertyId, StopReason, TransitionSystem, Verdict};
use elinvar_models::Outcome;
use elinvar_models::families::{ring, ring_with_bug, shift_parity, shift_parity_with_bug};
use elinvar_transform::PassOptions;

/// The valuations that explicit-state search may try.
const SEARCHED: usize = 5_000;

fn safety(system: &TransitionSystem) -> Vec<PropertyId> {
    system.bads().map(|(id, _)| id).collect()
}

/// Settings for runs whose lemmas another run starts from: about registers alone, and not
/// replaced by facts of a pass.
fn settings_in_series(number: u64) -> PdrOptions {
    let settings = settings(number);
    let passes = if settings.passes == PassOptions::NONE {
        PassOptions::NONE
    } else {
        PassOptions::default()
    };
    PdrOptions { signals: false, passes, ..settings }
}

fn pdr(number: u64) -> Choice {
    Choice::Pdr(settings_in_series(number))
}

/// What a run told about itself.
#[derive(Clone, Default)]
struct Told {
    states: Vec<Arc<PdrState>>,
    reused: Vec<Reuse>,
    frames: usize,
}

/// Decides all safety properties. The run is interrupted after so many signs of life.
fn decide(
    engine: &Choice,
    system: &TransitionSystem,
    earlier: Option<&Arc<PdrState>>,
    interruption: Option<usize>,
) -> (Vec<Verdict>, Told) {
    let told: Arc<Mutex<Told>> = Arc::default();
    let (record, run) = (Arc::clone(&told), Run::new().with_states(Duration::ZERO));
    let flag = run.cancellation();
    let run = run.with_observer(move |event| {
        let mut told = record.lock().unwrap();
        match event {
            Event::State(state) => told.states.push(Arc::clone(state)),
            Event::Progress { details, .. } if !details.is_empty() => told.frames += 1,
            _ => told.reused.extend(event.statistics::<Reuse>()),
        }
        if interruption.is_some_and(|most| told.frames >= most) {
            flag.store(true, Ordering::Relaxed);
        }
    });
    let task = Task::about(system, &safety(system), &run);
    let task = task.with_earlier(earlier.cloned());
    let verdicts = task.check(&mut *engine.build()).expect("small enough");
    let told = told.lock().unwrap().clone();
    (verdicts, told)
}

/// What was compared with the truth.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Tally {
    runs: usize,
    safe: usize,
    failing: usize,
    /// Given up, as is known of the engine.
    beyond: usize,
    /// Lemmas that were offered, and those that were of use.
    offered: usize,
    kept: usize,
    always: usize,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.runs += other.runs;
        self.safe += other.safe;
        self.failing += other.failing;
        self.beyond += other.beyond;
        self.offered += other.offered;
        self.kept += other.kept;
        self.always += other.always;
    }
}

/// Decides a system from an earlier state, and compares all verdicts with the truth.
fn compare(
    engine: &Choice,
    system: &TransitionSystem,
    truth: &[(PropertyId, Outcome)],
    earlier: &Arc<PdrState>,
) -> Tally {
    let (verdicts, told) = decide(engine, system, Some(earlier), None);
    let mut tally = Tally { runs: 1, ..Tally::default() };
    for reuse in told.reused {
        tally.offered += reuse.offered;
        tally.kept += reuse.kept;
        tally.always += reuse.always;
    }
    assert_eq!(verdicts.len(), truth.len());
    for (&truth, verdict) in truth.iter().zip(&verdicts) {
        if is_beyond(system, verdict) {
            assert_ne!(engine, &Choice::Auto, "k-induction decides what is beyond");
            tally.beyond += 1;
            continue;
        }
        assert_right(system, truth, verdict);
        match truth.1 {
            Outcome::Safe => tally.safe += 1,
            Outcome::Unsafe(_) => tally.failing += 1,
        }
    }
    tally
}

/// Says which random case it was when a test fails.
struct Case(u64);

impl Drop for Case {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("this was seed {}", self.0);
        }
    }
}

// Interrupted runs.

#[test]
fn interrupted_runs_are_continued() {
    let unsafe_at = |depth| Outcome::Unsafe(depth);
    let systems = [
        (ring(10).unwrap(), Outcome::Safe),
        (ring_with_bug(8).unwrap(), unsafe_at(8)),
        (shift_parity(4).unwrap(), Outcome::Safe),
        (shift_parity_with_bug(5).unwrap(), unsafe_at(5)),
    ];
    let (mut interrupted, mut kept) = (0, 0);
    for (system, outcome) in systems {
        let truth = [(PropertyId(0), outcome)];
        for number in 0..16 {
            let _case = Case(number);
            let after = Some(number as usize % 8);
            let (verdicts, told) = decide(&pdr(number), &system, None, after);
            let Some(state) = told.states.last() else {
                assert_eq!(verdicts, [Verdict::Unknown(StopReason::Cancelled)]);
                continue;
            };
            interrupted += usize::from(matches!(verdicts[0], Verdict::Unknown(_)));
            kept += compare(&pdr(number), &system, &truth, state).kept;
            compare(&Choice::Auto, &system, &truth, state);
        }
    }
    assert!(interrupted > 20, "only {interrupted} runs were interrupted");
    assert!(kept > 100, "only {kept} lemmas were used again");
}

/// A run without time says so, and leaves a state that is of no harm.
#[test]
fn a_run_without_time_leaves_little() {
    let system = ring(6).unwrap();
    let (verdicts, told) = decide(&pdr(0), &system, None, Some(0));
    assert_eq!(verdicts, [Verdict::Unknown(StopReason::Cancelled)]);
    for state in told.states {
        compare(&pdr(0), &system, &[(PropertyId(0), Outcome::Safe)], &state);
    }
}
