//! What a task records: verdicts as they are found, and the reasons for those that are not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use elinvar_engines::{Engine, EngineError, Event, Run, Task};
use elinvar_ir::{Certificate, PropertyId, StopReason, Trace, TransitionSystem, Verdict};
use elinvar_models::families::memclear;

const PROPERTIES: [PropertyId; 2] = [PropertyId(0), PropertyId(1)];

fn task(run: &Run) -> Task {
    Task::about(&memclear(), &PROPERTIES, run)
}

fn proof(k: usize) -> Verdict {
    Verdict::Safe(Certificate::KInductive { k, simple_path: false })
}

fn trace(property: PropertyId) -> Verdict {
    Verdict::Unsafe(Trace {
        property,
        initial: Vec::new(),
        steps: vec![Default::default()].into(),
        loop_start: None,
    })
}

/// An engine that does what a function says.
struct Staged<F>(F);

impl<F: FnMut(&Task) -> Result<(), EngineError>> Engine for Staged<F> {
    fn name(&self) -> &'static str {
        "staged"
    }

    fn check(&mut self, task: &Task) -> Result<(), EngineError> {
        (self.0)(task)
    }
}

fn stopped(reason: StopReason) -> Result<(), EngineError> {
    Err(EngineError::Stopped(reason))
}

#[test]
fn the_first_verdict_counts_and_is_reported_once() {
    let events: Arc<Mutex<Vec<(&str, usize)>>> = Arc::default();
    let record = Arc::clone(&events);
    let task = task(&Run::new().with_observer(move |event| {
        if let Event::Decided { engine, depth, .. } = event {
            record.lock().unwrap().push((engine, *depth));
        }
    }));
    task.decide("one", PROPERTIES[1], proof(3), 3);
    task.decide("other", PROPERTIES[1], trace(PROPERTIES[1]), 7);
    assert_eq!(*events.lock().unwrap(), [("one", 3)]);
    assert_eq!(task.open(), [PROPERTIES[0]]);
    let finding = task.finding(PROPERTIES[1]).unwrap();
    assert_eq!((finding.verdict, finding.engine, finding.depth), (proof(3), "one", 3));
    assert!(task.finding(PROPERTIES[0]).is_none());
}

#[test]
fn later_findings_have_later_times() {
    let task = task(&Run::new());
    task.decide("one", PROPERTIES[0], proof(1), 1);
    std::thread::sleep(std::time::Duration::from_millis(20));
    task.decide("one", PROPERTIES[1], proof(1), 1);
    let [first, second] = PROPERTIES.map(|property| task.finding(property).unwrap().time);
    assert!(second >= first + std::time::Duration::from_millis(20), "{first:?} {second:?}");
}

#[test]
fn a_reason_for_one_property_is_kept_beside_that_for_all() {
    let task = task(&Run::new());
    let why = StopReason::Unsupported("beyond the engine".to_owned());
    let given = why.clone();
    let mut engine = Staged(move |task: &Task| {
        task.decide("staged", PROPERTIES[0], Verdict::Unknown(given.clone()), 0);
        stopped(StopReason::Timeout)
    });
    let expected = [Verdict::Unknown(why), Verdict::Unknown(StopReason::Timeout)];
    assert_eq!(task.check(&mut engine).unwrap(), expected);
    // The next engine gives other reasons.
    let mut engine = Staged(|_: &Task| stopped(StopReason::Bound(4)));
    let expected = [Verdict::Unknown(StopReason::Bound(4)), Verdict::Unknown(StopReason::Bound(4))];
    assert_eq!(task.check(&mut engine).unwrap(), expected);
}

#[test]
fn an_engine_that_cannot_work_is_the_reason() {
    let task = task(&Run::new());
    let error = EngineError::TooLarge("too large".to_owned());
    let failing = error.clone();
    let mut engine = Staged(move |_: &Task| Err(failing.clone()));
    assert_eq!(task.ask(&mut engine), Err(error.clone()));
    assert_eq!(task.verdicts()[0], Verdict::Unknown(error.reason()));
}

#[test]
fn verdicts_count_while_the_engine_still_works() {
    let task = task(&Run::new());
    let (decided, end) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (asked, done, flag) = (task.clone(), Arc::clone(&decided), Arc::clone(&end));
    let thread = std::thread::spawn(move || {
        let mut engine = Staged(|task: &Task| {
            task.decide("staged", PROPERTIES[0], proof(1), 1);
            done.store(true, Ordering::Release);
            while !flag.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            Ok(())
        });
        asked.ask(&mut engine)
    });
    while !decided.load(Ordering::Acquire) {
        std::thread::yield_now();
    }
    let found = task.verdicts_or(&StopReason::Timeout);
    assert_eq!(found, [proof(1), Verdict::Unknown(StopReason::Timeout)]);
    end.store(true, Ordering::Release);
    assert_eq!(thread.join().unwrap(), Ok(()));
}

#[test]
fn wrong_evidence_does_not_count_and_ends_its_engine() {
    let judged = |_: &'static str, _, verdict: Verdict| verdict != proof(1);
    let run = Run::new();
    let task = task(&run).with_judge(judged);
    let (mistaken, other) = (task.with_run(run.child()), task.with_run(run.child()));
    mistaken.decide("mistaken", PROPERTIES[0], proof(1), 1);
    assert_eq!(task.open(), PROPERTIES);
    assert_eq!(mistaken.run().stop(), Some(StopReason::Cancelled));
    other.decide("other", PROPERTIES[0], proof(2), 2);
    assert_eq!((other.run().stop(), run.stop()), (None, None));
    assert_eq!(task.finding(PROPERTIES[0]).unwrap().engine, "other");
    // A collector of its own has no judge.
    let own = task.with_own_answers();
    own.decide("own", PROPERTIES[1], proof(1), 1);
    assert_eq!((own.open(), task.open()), (vec![PROPERTIES[0]], vec![PROPERTIES[1]]));
}

#[test]
fn verdicts_about_transformed_systems_go_back() {
    let task = task(&Run::new());
    let other: Arc<Arc<TransitionSystem>> = Arc::new(Arc::new(memclear()));
    let deeper = |_, verdict| match verdict {
        Verdict::Safe(Certificate::KInductive { k, simple_path }) => {
            Verdict::Safe(Certificate::KInductive { k: k + 1, simple_path })
        }
        other => other,
    };
    let inner = task.transformed(other.clone(), deeper).transformed(other, deeper);
    inner.only(&PROPERTIES[1..]).decide("staged", PROPERTIES[1], proof(1), 1);
    assert_eq!(task.finding(PROPERTIES[1]).unwrap().verdict, proof(3));
    assert_eq!(inner.open(), task.open());
}
