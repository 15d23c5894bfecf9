//! Liveness: is there an execution that meets all conditions of a justice property and all
//! fairness constraints infinitely often?
//!
//! The properties are decided one after the other, with growing effort, on the simplified bits of
//! the system if it fits into them. The methods reduce them to safety in different ways, so all
//! engines for safety work on liveness, too:
//!
//! - *saving* looks for a state that comes back [Biere, Artho, Schuppan, FMICS 2002]; bounded model
//!   checking finds counterexamples in this way;
//! - *counting* (`counting`) proves that the conditions are met at most k times [Claessen,
//!   Sörensson, FMCAD 2012], with one search for all k;
//! - *shoals* (`shoals`) looks for one round after the other and collects states from which
//!   there are only finitely many [Xia, Cimatti, Griggio, Li, CAV 2024].
//!
//! By default they share the processor.

mod counting;
mod shoals;

use std::collections::BTreeMap;
use std::sync::Arc;

use elinvar_ir::{PropertyId, PropertyKind, StopReason, TransitionSystem, Verdict};
use elinvar_transform::{Lift, LiveBits, Saving, live_bits, loops, saving};

use crate::bmc::BmcOptions;
use crate::engine::{Choice, Engine, EngineError};
use crate::pdr::PdrOptions;
use crate::reversal::about_another_system;
use crate::ring::{Limits, Member, share};
use crate::run::{Effort, Event, Run};
use crate::schedule::{Lookahead, Turn, silent};
use crate::statistics::PassStatistics;
use crate::task::Task;

/// The name under which verdicts of the default are reported.
const NAME: &str = "live";

/// The work of a turn of each method: see [`crate::schedule::Sharing`].
const COUNTING: u64 = 400_000;
const SAVING: u64 = 400_000;
const SHOALS: u64 = 400_000;
const LOOPS: u64 = 200_000;

/// The first look for short loops.
const SHORT: Effort = Effort::Questions(10_000);
const SHORT_LOOPS: Lookahead = Lookahead { steps: 20, gates: 2_000_000 };

/// With several properties, the effort for each before the next one has its turn: a hard one
/// must not keep the others from being decided.
const EFFORTS: [Effort; 4] = [
    Effort::Questions(30_000),
    Effort::Questions(300_000),
    Effort::Questions(3_000_000),
    Effort::Unlimited,
];

/// How a liveness property is decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Method {
    /// All methods, which share the processor.
    Auto,
    /// This engine for safety looks for a state that comes back.
    Saving(Box<Choice>),
    /// Bounds how often the conditions are met.
    Counting,
    /// Collects states from which they are met only finitely often.
    Shoals,
}

/// Decides liveness properties.
pub struct Liveness(pub Method);

impl Engine for Liveness {
    fn name(&self) -> &'static str {
        match &self.0 {
            Method::Auto => NAME,
            Method::Saving(_) => "l2s",
            Method::Counting => counting::NAME,
            Method::Shoals => shoals::NAME,
        }
    }

    fn check(&mut self, task: &Task) -> Result<(), EngineError> {
        for property in task.open() {
            if let PropertyKind::Bad(_) = task.subject().property(property).kind {
                let name = task.subject().property(property).name.clone();
                return Err(EngineError::NotLiveness(name));
            }
        }
        let efforts = if task.open().len() > 1 { &EFFORTS[..] } else { &[Effort::Unlimited] };
        let mut on_bits = BTreeMap::new();
        for &effort in efforts {
            for property in task.open() {
                let run = task.run().limited(effort, 1);
                if let Err(error) = self.decide(task, property, &mut on_bits, run) {
                    task.decide(NAME, property, Verdict::Unknown(error.reason()), 0);
                }
                if let Some(reason) = task.run().stop() {
                    task.give_up(&reason);
                    return Err(EngineError::Stopped(reason));
                }
            }
        }
        Ok(())
    }
}

impl Liveness {
    /// Decides one property. Its bits are made once, under the limits of the whole task.
    fn decide(
        &self,
        task: &Task,
        property: PropertyId,
        known: &mut BTreeMap<PropertyId, Task>,
        run: Run,
    ) -> Result<(), EngineError> {
        let task = match known.get(&property) {
            Some(known) => known.with_run(run),
            None => {
                let made = on_bits(&task.only(&[property]), property)?;
                known.insert(property, made.clone());
                made.with_run(run)
            }
        };
        match &self.0 {
            Method::Auto => decide_together(&task, property),
            Method::Saving(choice) => {
                let proves_nothing = matches!(**choice, Choice::Bmc(_) | Choice::Simulation(_));
                let asked = if proves_nothing { with_loops } else { with_saving };
                let saving = asked(&task, property)?;
                let run = about_another_system(task.run());
                saving.with_run(run).ask(&mut *choice.build())
            }
            Method::Counting => counting::check(&task, property, task.run()),
            Method::Shoals => shoals::check(&task, property, task.run()),
        }
    }
}

/// All methods, in turns.
fn decide_together(task: &Task, property: PropertyId) -> Result<(), EngineError> {
    let (saving, loops) = (with_saving(task, property), with_loops(task, property));
    let looking = Turn::new(Choice::Bmc(BmcOptions::default())).on_bits();
    if let Ok(loops) = &loops {
        let run = about_another_system(&silent(task.run()));
        looking.clone().within(SHORT).ahead(SHORT_LOOPS).take(&loops.with_run(run)).ok();
        if task.open().is_empty() {
            return Ok(());
        }
    }
    let first = Member {
        work: Box::new(|run| counting::check(task, property, &run)),
        limits: Limits::turns(COUNTING),
    };
    let signals = PdrOptions { signals: true, ..PdrOptions::default() };
    let proving = Turn::new(Choice::Pdr(signals));
    let turns = [(&saving, proving, SAVING), (&loops, looking, LOOPS)];
    let by_shoals = |run: Run| shoals::check(task, property, &silent(&run));
    let mut others = vec![Member { work: Box::new(by_shoals), limits: Limits::turns(SHOALS) }];
    for (asked, turn, slice) in &turns {
        let Ok(asked) = asked else { continue };
        let work = move |run: Run| {
            let run = about_another_system(&silent(&run));
            turn.take(&asked.with_run(run)).map(|_| ())
        };
        others.push(Member { work: Box::new(work), limits: Limits::turns(*slice) });
    }
    let outcome = share(task, first, others);
    match saving {
        Err(error) if !task.open().is_empty() => Err(error),
        _ => outcome,
    }
}

/// The run without events about the properties and the states of another system.
fn private(run: &Run) -> Run {
    let audience = run.clone();
    run.without_states().with_observer(move |event| match event {
        Event::State(_) | Event::Recurring(_) | Event::Decided { .. } => {}
        Event::Progress { .. }
        | Event::Query { .. }
        | Event::ArrayLemmas { .. }
        | Event::DistinctPairs { .. }
        | Event::Statistics(_)
        | Event::Instance { .. } => audience.emit(event.clone()),
    })
}

/// The question about the simplified bits. States without next function and what is too large
/// for bits stay as they are.
fn on_bits(task: &Task, property: PropertyId) -> Result<Task, EngineError> {
    let PdrOptions { passes, memory_limit, .. } = PdrOptions::default();
    let bits = match live_bits(task.subject(), property, &passes, memory_limit, task.run()) {
        Ok(Some(bits)) => Arc::new(Bits(bits)),
        Ok(None) => return Ok(task.clone()),
        Err(error) => match EngineError::from(error) {
            EngineError::TooLarge(_) => return Ok(task.clone()),
            error => return Err(error),
        },
    };
    let statistics = PassStatistics(bits.0.prepared().report.clone());
    task.run().emit(Event::Statistics(Arc::new(statistics)));
    let lift = Arc::clone(&bits);
    Ok(task.transformed(bits, move |_, verdict| lift.0.verdict(verdict)))
}

/// The search for loops about the simplified bits. Traces of it have one cycle more than those of
/// the property.
pub(crate) fn loops_on_bits(task: &Task, property: PropertyId) -> Result<Task, EngineError> {
    with_loops(&on_bits(task, property)?, property)
}

/// The question whether a saved state comes back, for proofs.
fn with_saving(task: &Task, property: PropertyId) -> Result<Task, EngineError> {
    about_saved_states(task, saving(task.subject(), property))
}

/// The same for counterexamples.
fn with_loops(task: &Task, property: PropertyId) -> Result<Task, EngineError> {
    about_saved_states(task, loops(task.subject(), property))
}

fn about_saved_states(task: &Task, saving: Option<Saving>) -> Result<Task, EngineError> {
    let Some(saving) = saving else {
        let reason = "the property depends on a memory that is too large for bits";
        return Err(EngineError::Stopped(StopReason::Unsupported(reason.to_owned())));
    };
    let saving = Arc::new(WithSaving(saving));
    let lift = Arc::clone(&saving);
    let task = task.transformed(saving, move |_, verdict| lift.0.verdict(verdict));
    Ok(task.with_other_cycles())
}

/// The bits as the subject of a task.
struct Bits(LiveBits);

impl AsRef<TransitionSystem> for Bits {
    fn as_ref(&self) -> &TransitionSystem {
        self.0.system()
    }
}

/// The system with a saved state as the subject of a task.
struct WithSaving(Saving);

impl AsRef<TransitionSystem> for WithSaving {
    fn as_ref(&self) -> &TransitionSystem {
        self.0.system()
    }
}
