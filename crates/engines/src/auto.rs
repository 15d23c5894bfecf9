//! The engine that is used when none is asked for: several, one after the other.
//!
//! Property directed reachability gets the model after a glance: bounded model
//! checking and k-induction, as far as a little effort goes, decide what is shallow
//! or inductive as it stands, and random simulation what fails easily. Where there are
//! numbers, words are tried for a while. Then it works on the simplified bits. What has no bits (large memories) is left to k-induction.
//! When there is an earlier proof, it comes before everything else.

use std::sync::{Arc, Mutex, PoisonError};

use elinvar_ir::{ExprId, PropertyId, Sort, StopReason, TransitionSystem, Verdict, cone};
use elinvar_logic::blast::cost;
use elinvar_transform::{Lift, Prepared, prepare};

use crate::bmc::{Bmc, BmcOptions};
use crate::engine::{Engine, EngineError};
use crate::kinduction::{KInduction, KInductionOptions};
use crate::pdr::words::is_worthwhile;
use crate::pdr::{Earlier, PdrOptions, Words, WordsOptions, check_prepared, prove_again};
use crate::run::{Event, Run};
use crate::simulation::Simulation;

/// What a glance may cost: how often its solvers may ask whether to go on.
const EFFORT: u64 = 10_000;

/// How many steps a glance looks ahead at most: on words, where induction is tried
/// at each, and on bits.
const STEPS_ON_WORDS: usize = 10;
const STEPS_ON_BITS: usize = 30;

/// How many gates a glance unrolls.
const GATES: u64 = 3_000_000;

/// How many gates are evaluated in random simulation, in how many cycles at most,
/// and how many of them a run has.
const EVALUATIONS: usize = 1_000_000;
const CYCLES: usize = 1_000;
const RUN: usize = 250;

/// What the engine on words may cost, counted as for a glance: it asks less often.
const EFFORT_ON_WORDS: u64 = 250;

/// The engine that is used when none is asked for.
pub(crate) struct Auto {
    /// May it work on words? In a race others do.
    pub words: bool,
}

impl Engine for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn check(
        &mut self,
        system: &TransitionSystem,
        properties: &[PropertyId],
        run: &Run,
    ) -> Result<Vec<Verdict>, EngineError> {
        let mut answers = Answers::new(properties);
        let mut prepared = None;
        if run.earlier().is_some_and(|state| !state.lemmas.is_empty()) {
            prepared = Some(prepare_bits(system, &answers, run));
            if let Some(Ok(prepared)) = &prepared {
                prove_again_first(system, prepared, &mut answers, run);
            }
        }
        if has_words(system) && !answers.open().is_empty() {
            let bound = Some(STEPS_ON_WORDS.min(steps(gates(system, properties))));
            let options = KInductionOptions { bound, ..Default::default() };
            answers.ask(&mut KInduction::new(options), system, &run.with_effort(EFFORT))?;
        }
        if answers.open().is_empty() {
            return Ok(answers.finish());
        }
        match prepared.unwrap_or_else(|| prepare_bits(system, &answers, run)) {
            Ok(prepared) => {
                glance_at_bits(&prepared, &mut answers, run)?;
                try_at_random(&prepared, &mut answers, run)?;
                if self.words {
                    try_words(system, &mut answers, run)?;
                }
                let open = answers.open();
                if !open.is_empty() {
                    let (earlier, options) = (Earlier::of_run(run, system), PdrOptions::default());
                    let outcome = check_prepared(&prepared, &open, &options, earlier, run);
                    answers.take_lifted(&open, outcome.verdicts, &prepared);
                }
            }
            Err(EngineError::TooLarge(_) | EngineError::Stopped(_)) => {}
            Err(error @ (EngineError::NotSafety(_) | EngineError::NoSolver(_))) => {
                return Err(error);
            }
        }
        // What was too large for bits, or beyond the engine on bits.
        if !answers.open().is_empty() && run.stop().is_none() {
            let mut induction = KInduction::new(KInductionOptions::default());
            answers.ask(&mut induction, system, run)?;
        }
        let stopped = run.stop();
        Ok(answers.finish_because(stopped))
    }
}

fn prepare_bits(
    system: &TransitionSystem,
    answers: &Answers,
    run: &Run,
) -> Result<Prepared, EngineError> {
    let PdrOptions { passes, memory_limit, .. } = PdrOptions::default();
    let prepared = prepare(system, &answers.open(), &passes, memory_limit, run)?;
    run.emit(Event::Passes(prepared.report.clone()));
    Ok(prepared)
}

/// Looks whether the lemmas of an earlier run are still enough.
fn prove_again_first(
    system: &TransitionSystem,
    prepared: &Prepared,
    answers: &mut Answers,
    run: &Run,
) {
    let Some(earlier) = Earlier::of_run(run, system) else { return };
    let open = answers.open();
    let outcome = prove_again(prepared, &open, &PdrOptions::default(), earlier, run);
    answers.take_lifted(&open, outcome.verdicts, prepared);
}

/// Looks for a shallow trace, as far as a little effort goes.
fn glance_at_bits(
    prepared: &Prepared,
    answers: &mut Answers,
    run: &Run,
) -> Result<(), EngineError> {
    let gates = prepared.report.last().map_or(0, |pass| pass.after.gates);
    let options =
        BmcOptions { bound: Some(STEPS_ON_BITS.min(steps(gates as u64))), ..Default::default() };
    let open = answers.open();
    let run = run.with_effort(EFFORT);
    // When a limit is exceeded, what follows notices it.
    let Ok(system) = prepared.bits.try_system(&run) else { return Ok(()) };
    let found = Bmc::new(options).check(system, &open, &run)?;
    answers.take_lifted(&open, found, prepared);
    Ok(())
}

/// Tries random inputs for a short while, for what lies deeper.
fn try_at_random(prepared: &Prepared, answers: &mut Answers, run: &Run) -> Result<(), EngineError> {
    let open = answers.open();
    let Ok(system) = prepared.bits.try_system(run) else { return Ok(()) };
    let cycles = CYCLES.min(EVALUATIONS / system.pool().len().max(1));
    let mut simulation = Simulation { cycles: RUN.min(cycles), all_cycles: cycles };
    let found = simulation.check(system, &open, run)?;
    answers.take_lifted(&open, found, prepared);
    Ok(())
}

/// Tries whether facts about numbers are enough. Where lemmas about bits are to be kept for
/// later, or were kept, that would be of no use.
fn try_words(
    system: &TransitionSystem,
    answers: &mut Answers,
    run: &Run,
) -> Result<(), EngineError> {
    let is_part_of_series = run.wants_state() || run.earlier().is_some();
    if is_part_of_series || !is_worthwhile(system, &answers.open()) {
        return Ok(());
    }
    answers.ask_words(system, &run.with_effort(EFFORT_ON_WORDS))
}

/// How far a glance looks, by the gates of one step.
fn steps(gates: u64) -> usize {
    (GATES / gates.max(1)) as usize
}

/// The gates of one step, roughly.
fn gates(system: &TransitionSystem, properties: &[PropertyId]) -> u64 {
    let pool = system.pool();
    let bads = properties.iter().filter_map(|&id| system.bad(id));
    let roots: Vec<ExprId> = bads.chain(system.constraints().iter().copied()).collect();
    let states = system.cone_of_influence(roots.iter().copied());
    let next = states.iter().filter_map(|&index| system.states()[index].next);
    let costs = cone(pool, next.chain(roots)).into_iter().map(|node| cost(pool, &pool.get(node)));
    costs.fold(0, u64::saturating_add)
}

/// Is there anything but bits in the system?
fn has_words(system: &TransitionSystem) -> bool {
    let inputs = system.inputs().iter().map(|input| input.symbol);
    let states = system.states().iter().map(|state| state.symbol);
    inputs.chain(states).any(|symbol| system.pool().sort(symbol) != Sort::BOOL)
}

/// Verdicts from several engines, in the order of the properties asked for.
pub(crate) struct Answers {
    pub(crate) found: Vec<(PropertyId, Verdict)>,
}

impl Answers {
    pub(crate) fn new(properties: &[PropertyId]) -> Self {
        let unknown = Verdict::Unknown(StopReason::Cancelled);
        Answers { found: properties.iter().map(|&id| (id, unknown.clone())).collect() }
    }

    pub(crate) fn open(&self) -> Vec<PropertyId> {
        let open = self.found.iter().filter(|(_, verdict)| !is_decided(verdict));
        open.map(|&(id, _)| id).collect()
    }

    /// Takes verdicts about open properties; the last reason of an unknown one counts.
    pub(crate) fn take(
        &mut self,
        properties: &[PropertyId],
        verdicts: impl Iterator<Item = Verdict>,
    ) {
        for (property, verdict) in properties.iter().zip(verdicts) {
            let open = self.found.iter_mut().filter(|(id, old)| id == property && !is_decided(old));
            open.for_each(|(_, old)| *old = verdict.clone());
        }
    }

    /// Takes verdicts about a prepared system.
    pub(crate) fn take_lifted(
        &mut self,
        properties: &[PropertyId],
        verdicts: Vec<Verdict>,
        prepared: &Prepared,
    ) {
        let lifted = verdicts.into_iter().map(|verdict| prepared.lift.verdict(verdict));
        self.take(properties, lifted);
    }

    /// Lets an engine work on what is open.
    fn ask(
        &mut self,
        engine: &mut dyn Engine,
        system: &TransitionSystem,
        run: &Run,
    ) -> Result<(), EngineError> {
        let open = self.open();
        let verdicts = engine.check(system, &open, run)?;
        self.take(&open, verdicts.into_iter());
        Ok(())
    }

    /// Lets the engine on words work on what is open. Its statistics are told only if it
    /// decides something: the others are those of the engine that does.
    pub(crate) fn ask_words(
        &mut self,
        system: &TransitionSystem,
        run: &Run,
    ) -> Result<(), EngineError> {
        let open = self.open();
        if open.is_empty() {
            return Ok(());
        }
        let statistics: Arc<Mutex<Vec<Event>>> = Arc::default();
        let (kept, audience) = (Arc::clone(&statistics), run.clone());
        let quiet = run.clone().with_observer(move |event| {
            if matches!(event, Event::Pdr(_) | Event::Words(_)) {
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone());
            } else {
                audience.emit(event.clone());
            }
        });
        match self.ask(&mut Words::new(WordsOptions::default()), system, &quiet) {
            Ok(()) | Err(EngineError::TooLarge(_) | EngineError::Stopped(_)) => {}
            Err(error @ (EngineError::NotSafety(_) | EngineError::NoSolver(_))) => {
                return Err(error);
            }
        }
        if self.open().len() < open.len() {
            let mut statistics = statistics.lock().unwrap_or_else(PoisonError::into_inner);
            statistics.drain(..).for_each(|event| run.emit(event));
        }
        Ok(())
    }

    fn finish(self) -> Vec<Verdict> {
        self.found.into_iter().map(|(_, verdict)| verdict).collect()
    }

    /// If the run was stopped, that is why properties are unknown.
    pub(crate) fn finish_because(mut self, stopped: Option<StopReason>) -> Vec<Verdict> {
        if let Some(reason) = stopped {
            let open = self.open();
            let unknown = vec![Verdict::Unknown(reason); open.len()];
            self.take(&open, unknown.into_iter());
        }
        self.finish()
    }
}

fn is_decided(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Safe(_) | Verdict::Unsafe(_) => true,
        Verdict::Unknown(_) => false,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use elinvar_ir::{BinaryOp, BitVec, Certificate, SystemBuilder};
    use elinvar_models::families::memclear;
    use elinvar_models::{Generator, Outcome, Shape, search};
    use std::time::Duration;

    /// Compares verdicts about small random systems with the truth.
    pub(crate) fn compare(
        seeds: u64,
        check: impl Fn(&TransitionSystem, &[PropertyId]) -> Vec<Verdict>,
    ) {
        for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS] {
            for seed in 0..seeds {
                let system = Generator::system(seed, shape);
                let Ok(truth) = search(&system, 20_000) else { continue };
                let properties: Vec<PropertyId> = truth.iter().map(|&(id, _)| id).collect();
                let verdicts = check(&system, &properties);
                for (&(_, outcome), verdict) in truth.iter().zip(&verdicts) {
                    match (outcome, verdict) {
                        (Outcome::Safe, Verdict::Safe(_))
                        | (Outcome::Unsafe(_), Verdict::Unsafe(_)) => {}
                        other => panic!("seed {seed}: {other:?}"),
                    }
                }
            }
        }
    }

    #[test]
    fn one_engine_after_the_other_decides_everything() {
        compare(40, |system, properties| {
            Auto { words: true }.check(system, properties, &Run::new()).unwrap()
        });
    }

    /// Two counters, until the first is 5000; the second goes three times as fast. It is
    /// never beyond 15000: y ≤ 15000 and y = 3·x. With bits alone that takes long.
    pub(crate) fn proportional() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let [x, y] = ["x", "y"].map(|name| b.state(Sort::Bv(16), Some(name)).unwrap());
        let pool = &mut b.pool;
        let [zero, one, three, end, limit] =
            [0, 1, 3, 5_000, 15_000].map(|value| pool.constant(BitVec::new(16, value)));
        let goes_on = pool.binary(BinaryOp::Ult, x, end).unwrap();
        let next = [(x, one), (y, three)].map(|(word, step)| {
            let sum = pool.binary(BinaryOp::Add, word, step).unwrap();
            pool.ite(goes_on, sum, word).unwrap()
        });
        let bad = pool.binary(BinaryOp::Ult, limit, y).unwrap();
        for (state, next) in b.states.iter_mut().zip(next) {
            (state.init, state.next) = (Some(zero), Some(next));
        }
        b.bad("too large", bad);
        b.finish().unwrap()
    }

    #[test]
    fn numbers_are_tried_before_bits() {
        let check =
            || Auto { words: true }.check(&proportional(), &[PropertyId(0)], &Run::new()).unwrap();
        let verdicts = check();
        assert!(matches!(verdicts[..], [Verdict::Safe(Certificate::Facts { .. })]), "{verdicts:?}");
        assert_eq!(verdicts, check());
    }

    #[test]
    fn statistics_of_words_are_told_if_they_decide_something() {
        let open_and_told = |effort| {
            let told: Arc<Mutex<usize>> = Arc::default();
            let count = Arc::clone(&told);
            let run = Run::new().with_observer(move |event| {
                let is_statistics = matches!(event, Event::Words(_) | Event::Pdr(_));
                *count.lock().unwrap() += usize::from(is_statistics);
            });
            let mut answers = Answers::new(&[PropertyId(0)]);
            answers.ask_words(&proportional(), &run.with_effort(effort)).unwrap();
            (answers.open().len(), *told.lock().unwrap())
        };
        assert_eq!(open_and_told(0), (1, 0));
        assert_eq!(open_and_told(EFFORT_ON_WORDS), (0, 2));
    }

    #[test]
    fn where_lemmas_are_kept_there_are_only_bits() {
        let run = Run::new().with_states(Duration::ZERO);
        let mut answers = Answers::new(&[PropertyId(0)]);
        try_words(&proportional(), &mut answers, &run).unwrap();
        assert_eq!(answers.open().len(), 1);
    }

    #[test]
    fn a_stopped_run_says_why() {
        let run = Run::new().with_timeout(Duration::ZERO);
        let verdicts = Auto { words: true }.check(&memclear(), &[PropertyId(0)], &run).unwrap();
        assert_eq!(verdicts, [Verdict::Unknown(StopReason::Timeout)]);
    }

    #[test]
    fn memories_without_bits_are_left_to_induction() {
        let verdicts =
            Auto { words: true }.check(&memclear(), &[PropertyId(0)], &Run::new()).unwrap();
        assert!(matches!(verdicts[..], [Verdict::Safe(_)]));
    }
}
