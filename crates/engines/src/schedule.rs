//! Schedules: engines that take turns on one task, as data.
//!
//! A [`Turn`] is an engine with its options, the effort that it may spend, and the conditions
//! under which it is asked. [`Schedule::auto`] is the engine that is used when none is
//! chosen. Where there are words, k-induction on the model as it stands decides what is shallow or
//! inductive, and where there are numbers, property directed reachability on words gets a short
//! time. Then property directed reachability works on the bits. Most small models are decided in
//! its first turn. After that, a search on bits with merged signals goes on, with short turns of a
//! search with lemmas about internal signals, bounded model checking and random simulation. If that
//! takes long, other searches, bounded model checking, k-induction, AVY and words share the processor
//! with it ([`Sharing`]); AVY does so sooner on models with many registers. Engines that unroll the
//! model end when they hold too much memory. A system that can be run backwards is searched in both
//! directions from the start. k-induction gets what is too large for bits. An earlier proof comes
//! before everything else; a run whose lemmas are for another one does short passes of bounded model
//! checking and simulation first.

use std::sync::{Arc, Mutex, PoisonError};

use elinvar_ir::{ExprId, PropertyId, Sort, TransitionSystem, cone};
use elinvar_logic::blast::cost;
use elinvar_transform::PassOptions;

use crate::bmc::{BmcOnBits, BmcOptions};
use crate::engine::{Choice, Engine, EngineError};
use crate::exchange::{Exchange, Member as Partaker};
use crate::interpolation::avy::AvyOptions;
use crate::kinduction::KInductionOptions;
use crate::pdr::words::is_worthwhile;
use crate::pdr::{PdrOptions, WordsOptions};
use crate::reversal::{about_another_system, reversed};
pub use crate::ring::{Later, Limits};
use crate::ring::{Member, share};
use crate::run::{Effort, Event, Run};
use crate::simulation::SimulationOptions;
use crate::task::{BitTask, Task};

/// How often the solvers of a short pass may ask whether to go on.
const SHORT: Effort = Effort::Questions(10_000);

/// The same for a longer try of k-induction. Where it does not help, it takes one to three
/// seconds on designs with a few hundred registers.
const LONG: Effort = Effort::Questions(100_000);

/// The work of k-induction on words before the search on bits starts: less than 0.1 s. What is
/// inductive takes less in most models; the others lose that time.
const INDUCTION: Effort = Effort::Work(150_000);

/// The work of the engine on words before the search on bits starts: about 0.1 s.
const SHORT_ON_WORDS: Effort = Effort::Work(200_000);

/// The work of each turn of the main search where it shares the processor with other engines:
/// about 0.06 s.
const SLICE: u64 = 120_000;

/// The work that a search on plain bits does before other engines take part. Most small models
/// are decided by then, and their proofs are smaller than those on merged signals.
const ALONE: u64 = 250_000;

/// The work of bounded model checking and of random simulation after that, for bugs that are not
/// deep.
const SHALLOW: u64 = 300_000;
const RANDOM: u64 = 60_000;

/// The work after which other engines get a share as well: about ten seconds. Before, the main
/// search has nearly all of the processor: most models that it decides are decided by then, and a
/// share for others would delay all of these. See the chapter "Measurements" of the book.
const LONG_SEARCH: u64 = 22_000_000;

/// After so many turns, those of other searches and of bounded model checking become half as long:
/// what they decide, they mostly decide soon.
const FULL_TURNS: u64 = 32;

/// The work after which AVY joins the main search on models with many registers, about two seconds,
/// and its turns. It proves some of them in a few seconds that the search does not prove in a
/// minute. Many industrial models have no constraints, and some of them take AVY longer: there its
/// turns become longer after so much work of its own, when other searches have joined as well.
const EARLY_AVY: u64 = 4_400_000;
const AVY: u64 = SLICE / 2;
const INDUSTRIAL: Later = Later { after: 6_000_000, slice: SLICE * 5 / 3 };

/// After so much work, about two seconds, a second search gets one turn of about half a second: it
/// decides some models at once that take the main search long.
const SECOND: u64 = 4_000_000;
const GLANCE: u64 = 1_000_000;

/// The turns of the search backwards, and when they become shorter: after about one second of
/// its own work.
const BACKWARDS: u64 = SLICE / 3;
const FADING: Later = Later { after: 2_000_000, slice: SLICE / 6 };

/// With more registers than the first number, AVY gets a larger share; with more than the second, it
/// still joins late.
const MANY_REGISTERS: usize = 200;
const VERY_MANY_REGISTERS: usize = 5000;

/// How many bytes an engine that shares the processor may hold for each gate of a step: a few
/// frames, also of a large model.
const BYTES_PER_GATE: u64 = 1_000;

/// How far short passes look: on words, where induction is tried at each step, and on bits.
const STEPS_ON_WORDS: Lookahead = Lookahead { steps: 10, gates: 3_000_000 };
const STEPS_ON_BITS: Lookahead = Lookahead { steps: 30, gates: 3_000_000 };

/// Engines that take turns on a task until it is decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// The name under which the schedule is reported.
    pub name: &'static str,
    /// The turns, in their order.
    pub turns: Vec<Turn>,
}

/// An engine's turn in a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The engine with its options.
    pub engine: Choice,
    /// What the engine works on.
    pub form: Form,
    /// How much work it may do.
    pub effort: Effort,
    /// How far bounded model checking or k-induction looks at most; other engines ignore it.
    pub lookahead: Option<Lookahead>,
    /// All must hold, or the turn is left out. They are evaluated in this order.
    pub conditions: Vec<Condition>,
    /// The statistics of the engine are reported only if it decides something.
    pub tentative: bool,
    /// The engine shares the processor with others.
    pub sharing: Option<Sharing>,
}

/// How an engine shares the processor with others. Work is counted by what solvers
/// look at, so that a run is the same on every machine. Its unit is about half a microsecond.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sharing {
    /// What the engine may spend.
    pub limits: Limits,
    /// The others.
    pub others: Vec<Share>,
}

/// An engine's share of the processor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Share {
    /// The engine.
    pub turn: Turn,
    /// What it may spend. Its memory is in addition to what a few frames of the model need.
    pub limits: Limits,
    /// Whether it exchanges lemmas with the others.
    pub trades: bool,
}

/// What an engine is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The model. Engines on bits prepare these themselves, or take them from the task.
    Model,
    /// The simplified bits of the model, as a transition system.
    Bits,
}

/// A number of steps that adapts to the size of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lookahead {
    /// The most steps.
    pub steps: usize,
    /// The most gates in all steps together.
    pub gates: u64,
}

/// When an engine gets its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// An earlier run left lemmas.
    EarlierLemmas,
    /// The lemmas of the run are of no use to another one: neither does it start from
    /// earlier ones, nor are its own to be saved.
    NotInSeries,
    /// The run starts from earlier lemmas, or its own are to be saved for another one.
    InSeries,
    /// There is something other than single bits in the model.
    HasWords,
    /// The open properties depend on a few numbers and on no memories.
    HasNumbers,
    /// The model could be translated to bits.
    FitsIntoBits,
    /// The model is too large to be translated to bits.
    TooLargeForBits,
    /// At most 200 registers of one bit are left after simplification.
    FewRegisters,
    /// More than 200 and at most 5000 registers of one bit are left after simplification.
    ManyRegisters,
    /// More than 5000 registers of one bit are left after simplification.
    VeryManyRegisters,
    /// There are constraints after simplification.
    Constrained,
    /// There are no constraints after simplification.
    Unconstrained,
}

impl Turn {
    /// The engine works on the model, without a limit or a condition.
    pub fn new(engine: Choice) -> Self {
        Turn {
            engine,
            form: Form::Model,
            effort: Effort::Unlimited,
            lookahead: None,
            conditions: Vec::new(),
            tentative: false,
            sharing: None,
        }
    }

    /// The same turn, in which other engines get a share of the effort.
    pub fn sharing(self, sharing: Sharing) -> Self {
        Turn { sharing: Some(sharing), ..self }
    }

    /// The same turn on the bits of the model, if there are any.
    pub fn on_bits(self) -> Self {
        Turn { form: Form::Bits, ..self.when(&[Condition::FitsIntoBits]) }
    }

    /// The same turn with a limit to its effort.
    pub fn within(self, effort: Effort) -> Self {
        Turn { effort, ..self }
    }

    /// The same turn with a limit to the steps that it looks ahead.
    pub fn ahead(self, lookahead: Lookahead) -> Self {
        Turn { lookahead: Some(lookahead), ..self }
    }

    /// The same turn under further conditions.
    pub fn when(mut self, conditions: &[Condition]) -> Self {
        self.conditions.extend(conditions);
        self
    }

    /// The same turn, whose statistics are reported only if it decides something: they
    /// would hide those of the engine that does.
    pub fn tentative(self) -> Self {
        Turn { tentative: true, ..self }
    }

    /// A short try on words.
    pub fn short_on_words(effort: Effort) -> Self {
        Turn::new(Choice::Words(WordsOptions::default())).within(effort).tentative()
    }
}

impl Schedule {
    /// The engine that is used when none is chosen.
    pub fn auto() -> Self {
        // Facts about words are of no use to a run that starts from lemmas about bits.
        let words = Turn::short_on_words(SHORT_ON_WORDS).when(&[
            Condition::FitsIntoBits,
            Condition::NotInSeries,
            Condition::HasNumbers,
        ]);
        let mut schedule = Self::auto_without_words();
        let shares = |turn: &&mut Turn| turn.sharing.is_some();
        let turn = schedule.turns.iter_mut().find(shares).expect("a search on bits");
        // In a race, another thread has these.
        let search = turn.sharing.as_mut().expect("it shares");
        search.limits = Limits { joins: ALONE, ..search.limits };
        search.others = Self::others();
        let simulates = |turn: &&mut Turn| matches!(turn.engine, Choice::Simulation(_));
        let simulation = schedule.turns.iter_mut().find(simulates).expect("a simulation");
        simulation.conditions.push(Condition::InSeries);
        let last = schedule.turns.len() - 3;
        schedule.turns.insert(last, words);
        schedule
    }

    /// The engines that share the processor with the main search: each solves models that the
    /// others do not. The search on plain bits has the first turn, and the search with internal
    /// signals has one early, which is enough for some families of models. A second search on merged
    /// signals, which differs in what it does about counterexamples to pushing, has one after two
    /// seconds. All three start anew when the main search has worked for long.
    fn others() -> Vec<Share> {
        let with = |turn: Turn, limits| Share { turn: turn.tentative(), limits, trades: true };
        // These exchange no lemmas, so that their luck is independent.
        let alone = |turn, limits| Share { trades: false, ..with(turn, limits) };
        let share = |engine, limits| with(Turn::new(engine), limits);
        let on_bits = |engine, limits| with(Turn::new(engine).on_bits(), limits);
        let pdr = |options| Turn::new(Choice::Pdr(options));
        let signals = PdrOptions { signals: true, ..PdrOptions::default() };
        let clearing = PdrOptions { ctp: 1, ..Self::merged() };
        let once = |joins, work| Limits { joins, work: Some(work), ..Limits::turns(work) };
        let early = |slice, work| Limits { joins: ALONE, work: Some(work), ..Limits::turns(slice) };
        let late = |slice| Limits { joins: LONG_SEARCH, ..Limits::turns(slice) };
        let fading = |slice| Limits {
            later: Some(Later { after: FULL_TURNS * slice, slice: slice / 2 }),
            ..late(slice)
        };
        let within = |bytes, limits| Limits { memory: Some(bytes), ..limits };
        let bmc = || Choice::Bmc(BmcOptions::default());
        let avy = |conditions: &[Condition]| {
            Turn::new(Choice::Avy(AvyOptions::default())).when(conditions)
        };
        let avy_soon = |condition| avy(&[Condition::ManyRegisters, condition]);
        let soon =
            |later| within(256_000_000, Limits { joins: EARLY_AVY, later, ..Limits::turns(AVY) });
        let words = Turn::new(Choice::Words(WordsOptions::default()));
        vec![
            alone(pdr(PdrOptions::default()), once(0, ALONE)),
            alone(pdr(signals.clone()), once(ALONE, SLICE)),
            on_bits(bmc(), within(40_000_000, early(40_000, SHALLOW))),
            on_bits(Choice::Simulation(SimulationOptions::default()), early(12_000, RANDOM)),
            alone(pdr(clearing.clone()), once(SECOND, GLANCE)),
            alone(pdr(clearing), fading(SLICE)),
            with(pdr(PdrOptions::default()), fading(60_000)),
            alone(pdr(signals), fading(40_000)),
            alone(words.when(&[Condition::HasNumbers]), late(40_000)),
            on_bits(bmc(), within(40_000_000, fading(30_000))),
            share(
                Choice::KInduction(KInductionOptions::default()),
                within(16_000_000, late(15_000)),
            ),
            alone(avy(&[Condition::FewRegisters]), within(16_000_000, late(15_000))),
            alone(avy_soon(Condition::Constrained), soon(None)),
            alone(avy_soon(Condition::Unconstrained), soon(Some(INDUSTRIAL))),
            alone(avy(&[Condition::VeryManyRegisters]), within(256_000_000, late(90_000))),
        ]
    }

    /// A search on merged signals. It always keeps the literals of parent lemmas, so that its luck
    /// differs from that of a search on plain bits.
    fn merged() -> PdrOptions {
        PdrOptions { passes: PassOptions::ALL, reconsider: None, ..PdrOptions::default() }
    }

    /// The same without a try on words and without engines that share the processor, for a race
    /// in which these have threads of their own.
    pub fn auto_without_words() -> Self {
        let induction = || Turn::new(Choice::KInduction(KInductionOptions::default()));
        let pdr = PdrOptions::default();
        let turns = vec![
            Turn::new(Choice::Reprove(pdr.clone()))
                .when(&[Condition::EarlierLemmas, Condition::FitsIntoBits]),
            induction().within(INDUCTION).ahead(STEPS_ON_WORDS).when(&[Condition::HasWords]),
            Turn::new(Choice::Bmc(BmcOptions::default()))
                .on_bits()
                .within(SHORT)
                .ahead(STEPS_ON_BITS)
                .when(&[Condition::InSeries]),
            Turn::new(Choice::Simulation(SimulationOptions::default())).on_bits(),
            Turn::new(Choice::Pdr(Self::merged()))
                .when(&[Condition::FitsIntoBits, Condition::NotInSeries])
                .sharing(Sharing { limits: Limits::turns(SLICE), others: Vec::new() }),
            Turn::new(Choice::Pdr(pdr)).when(&[Condition::FitsIntoBits]),
            // What is too large for bits, or beyond the engine on bits.
            induction(),
        ];
        Schedule { name: "auto", turns }
    }
}

impl Schedule {
    /// For a second thread beside [`Schedule::auto_without_words`]: what shares the processor with
    /// the main search in [`Schedule::auto`].
    pub fn beside_auto() -> Self {
        let signals = PdrOptions { signals: true, ..PdrOptions::default() };
        let clearing = PdrOptions { ctp: 1, ..Self::merged() };
        let avy = || Turn::new(Choice::Avy(AvyOptions::default()));
        let bmc = || Turn::new(Choice::Bmc(BmcOptions::default()));
        let induction = Turn::new(Choice::KInduction(KInductionOptions::default()));
        let with = |turn: Turn, slice| {
            let limits = Limits { memory: Some(200_000_000), ..Limits::turns(slice) };
            Share { turn: turn.tentative(), limits, trades: true }
        };
        let others = vec![
            with(bmc().on_bits(), SLICE / 2),
            with(Turn::new(Choice::Pdr(signals)), SLICE / 2),
            with(Turn::new(Choice::Pdr(clearing)), SLICE / 2),
            with(avy().when(&[Condition::FewRegisters]), SLICE / 4),
            with(avy().when(&[Condition::ManyRegisters]), SLICE),
            with(avy().when(&[Condition::VeryManyRegisters]), SLICE),
            with(induction, SLICE / 4),
        ];
        let search = Turn::new(Choice::Pdr(PdrOptions::default()))
            .when(&[Condition::FitsIntoBits, Condition::NotInSeries])
            .sharing(Sharing { limits: Limits::turns(SLICE), others });
        let turns = vec![search, avy().when(&[Condition::FitsIntoBits]), bmc()];
        Schedule { name: "pdr, bmc, avy, kind in turn", turns }
    }

    /// Bounded model checking on the bits of the model if it fits into them, and on its words
    /// otherwise. No pass on bits changes the cycle in which a property fails, so a bound means
    /// the same for both.
    pub fn bmc(options: BmcOptions) -> Self {
        let turn = || Turn::new(Choice::Bmc(options.clone()));
        let turns = vec![turn().on_bits(), turn().when(&[Condition::TooLargeForBits])];
        Schedule { name: "bmc", turns }
    }

    /// The engine that is used when none is chosen, with a longer try of k-induction. It suits
    /// designs whose assertions were written to be proved by induction, all of them together.
    pub fn auto_by_induction() -> Self {
        let mut schedule = Self::auto();
        let last = schedule.turns.len() - 3;
        let induction = Turn::new(Choice::KInduction(KInductionOptions::default()));
        schedule.turns.insert(last, induction.within(LONG));
        schedule
    }
}

impl Engine for Schedule {
    fn name(&self) -> &'static str {
        self.name
    }

    fn check(&mut self, task: &Task) -> Result<(), EngineError> {
        let mut worked = false;
        let mut failure = None;
        for turn in &self.turns {
            if task.open().is_empty() || task.run().stop().is_some() {
                break;
            }
            match turn.take(task) {
                Ok(took_part) => worked |= took_part,
                Err(error @ (EngineError::TooLarge(_) | EngineError::Stopped(_))) => {
                    failure = Some(error);
                }
                Err(
                    error @ (EngineError::NotSafety(_)
                    | EngineError::NotLiveness(_)
                    | EngineError::NoSolver(_)),
                ) => {
                    return Err(error);
                }
            }
        }
        if let Some(reason) = task.run().stop() {
            task.give_up(&reason);
        }
        match failure {
            Some(error) if !worked => Err(error),
            Some(_) | None => Ok(()),
        }
    }
}

impl Turn {
    /// Asks the engine. False if it does not take part in this task.
    pub(crate) fn take(&self, task: &Task) -> Result<bool, EngineError> {
        for condition in &self.conditions {
            if !condition.holds(task)? {
                return Ok(false);
            }
        }
        let before = task.open().len();
        let held_back: Arc<Mutex<Vec<Event>>> = Arc::default();
        let run = task.run().limited(self.effort, before);
        let run = if self.tentative { hold_back_statistics(&run, &held_back) } else { run };
        let asked = match &self.sharing {
            None => self.ask(task, run),
            Some(sharing) => self.ask_with_others(sharing, &task.with_run(run)),
        };
        if task.open().len() < before {
            let held_back = &mut *held_back.lock().unwrap_or_else(PoisonError::into_inner);
            held_back.drain(..).for_each(|event| task.run().emit(event));
        }
        asked.map(|()| true)
    }

    fn ask(&self, task: &Task, run: Run) -> Result<(), EngineError> {
        let engine = self.engine_for(task)?;
        match self.form {
            Form::Model => task.with_run(run).ask(&mut *engine.build()),
            Form::Bits => ask_about_bits(&engine, &bits(task)?, run),
        }
    }

    /// Asks the engine, which shares the processor with others. A system that can be run
    /// backwards is searched in both directions from the start.
    fn ask_with_others(&self, sharing: &Sharing, task: &Task) -> Result<(), EngineError> {
        let &Sharing { limits, ref others } = sharing;
        let exchange = Arc::new(Exchange::default());
        let partner = |number| match task.partner() {
            Some(_) => task.clone(),
            None => task.with_partner(exchange.partner(Partaker(number))),
        };
        let trades = std::iter::once(true).chain(others.iter().map(|share| share.trades));
        let tasks: Vec<Task> = trades
            .enumerate()
            .map(|(number, trades)| if trades { partner(number) } else { task.clone() })
            .collect();
        let first = Member { work: Box::new(|run| self.ask(&tasks[0], run)), limits };
        let backwards = reversed(task);
        let plain = Turn::new(Choice::Pdr(PdrOptions::default()));
        let backwards = backwards.as_ref().map(|backwards| Member {
            work: Box::new(|run| plain.ask(backwards, about_another_system(&silent(&run)))),
            limits: Limits { later: Some(FADING), ..Limits::turns(BACKWARDS) },
        });
        let more = bits(task).map_or(0, |bits| BYTES_PER_GATE * gates_of(&bits));
        let others = others.iter().zip(&tasks[1..]).map(|(share, task)| Member {
            work: Box::new(|run| share.turn.take(&task.with_run(silent(&run))).map(|_| ())),
            limits: Limits {
                memory: share.limits.memory.map(|bytes| bytes + more),
                ..share.limits
            },
        });
        share(task, first, backwards.into_iter().chain(others).collect())
    }

    /// The engine, with a bound that suits the size of the model.
    fn engine_for(&self, task: &Task) -> Result<Choice, EngineError> {
        let Some(Lookahead { steps, gates }) = self.lookahead else {
            return Ok(self.engine.clone());
        };
        let size = match self.form {
            Form::Model => gates_of_step(task.subject(), task.properties()),
            Form::Bits => gates_of(&bits(task)?),
        };
        let bound = Some(steps.min((gates / size.max(1)) as usize));
        Ok(self.engine.clone().with_bound(bound))
    }
}

/// The same run without news of its progress: the line on a terminal is about one engine.
pub(crate) fn silent(run: &Run) -> Run {
    let audience = run.clone();
    run.clone().with_observer(move |event| match event {
        Event::Progress { .. } => {}
        Event::Query { .. }
        | Event::ArrayLemmas { .. }
        | Event::DistinctPairs { .. }
        | Event::Statistics(_)
        | Event::State(_)
        | Event::Recurring(_)
        | Event::Instance { .. }
        | Event::Decided { .. } => audience.emit(event.clone()),
    })
}

/// Lets an engine decide a question about bits. Bounded model checking needs them only as
/// clauses, other engines as a transition system.
fn ask_about_bits(engine: &Choice, bits: &BitTask, run: Run) -> Result<(), EngineError> {
    if let Choice::Bmc(options) = engine {
        let (options, prepared) = (options.clone(), Arc::clone(&bits.prepared));
        return bits.task.with_run(run).ask(&mut BmcOnBits { options, prepared });
    }
    bits.as_system()?.with_run(run).ask(&mut *engine.build())
}

/// The same run, whose statistics are kept for later.
fn hold_back_statistics(run: &Run, kept: &Arc<Mutex<Vec<Event>>>) -> Run {
    let (kept, audience) = (Arc::clone(kept), run.clone());
    run.clone().with_observer(move |event| {
        if let Event::Statistics(_) = event {
            kept.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone());
        } else {
            audience.emit(event.clone());
        }
    })
}

impl Condition {
    /// Does the condition hold for what is open in the task?
    ///
    /// # Errors
    /// [`EngineError::Stopped`] or [`EngineError::TooLarge`] when the condition is that the
    /// model fits into bits and it does not; other errors when the task makes no sense.
    pub fn holds(self, task: &Task) -> Result<bool, EngineError> {
        let system = task.subject();
        Ok(match self {
            Condition::EarlierLemmas => {
                task.earlier().is_some_and(|state| !state.lemmas.is_empty())
            }
            Condition::NotInSeries => !task.run().is_in_series() && !task.is_continuation(),
            Condition::InSeries => !Condition::NotInSeries.holds(task)?,
            Condition::HasWords => has_words(system),
            Condition::HasNumbers => is_worthwhile(system, &task.open()),
            Condition::FitsIntoBits => bits(task).map(|_| true)?,
            Condition::TooLargeForBits => match bits(task) {
                Ok(_) => false,
                Err(EngineError::TooLarge(_)) => true,
                Err(error) => return Err(error),
            },
            Condition::FewRegisters => registers_of(task)? <= MANY_REGISTERS,
            Condition::ManyRegisters => {
                (MANY_REGISTERS + 1..=VERY_MANY_REGISTERS).contains(&registers_of(task)?)
            }
            Condition::VeryManyRegisters => registers_of(task)? > VERY_MANY_REGISTERS,
            Condition::Constrained => !bits(task)?.prepared.bits.constraints().is_empty(),
            Condition::Unconstrained => !Condition::Constrained.holds(task)?,
        })
    }
}

/// The bits of the model, simplified in the way that is the default. They are made under the
/// limits of the whole task, not under those of a turn.
fn bits(task: &Task) -> Result<BitTask, EngineError> {
    let PdrOptions { passes, memory_limit, .. } = PdrOptions::default();
    task.bits(&passes, memory_limit)
}

/// The registers of one bit that are left after simplification.
fn registers_of(task: &Task) -> Result<usize, EngineError> {
    Ok(bits(task)?.prepared.bits.registers().len())
}

/// The gates of one step that are left after simplification.
fn gates_of(bits: &BitTask) -> u64 {
    bits.prepared.report.last().map_or(0, |pass| pass.after.gates as u64)
}

/// The gates of one step, roughly.
fn gates_of_step(system: &TransitionSystem, properties: &[PropertyId]) -> u64 {
    let pool = system.pool();
    let bads = properties.iter().filter_map(|&id| system.bad(id));
    let roots: Vec<ExprId> = bads.chain(system.constraints().iter().copied()).collect();
    let states = system.cone_of_influence(roots.iter().copied());
    let next = states.iter().filter_map(|&index| system.states()[index].next);
    let costs = cone(pool, next.chain(roots)).into_iter().map(|node| cost(pool, &pool.get(node)));
    costs.fold(0, u64::saturating_add)
}

/// Is there anything but bits in the system?
pub(crate) fn has_words(system: &TransitionSystem) -> bool {
    let inputs = system.inputs().iter().map(|input| input.symbol);
    let states = system.states().iter().map(|state| state.symbol);
    inputs.chain(states).any(|symbol| system.pool().sort(symbol) != Sort::BOOL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{Certificate, StopReason, Verdict};
    use elinvar_models::compare_with_search;
    use elinvar_models::families::{memclear, proportional, shift_parity};
    use std::time::Duration;

    fn auto(system: &TransitionSystem, properties: &[PropertyId], run: &Run) -> Vec<Verdict> {
        let task = Task::about(system, properties, run);
        task.check(&mut Schedule::auto()).unwrap()
    }

    #[test]
    fn one_engine_after_the_other_decides_everything() {
        compare_with_search(40, |system, properties| auto(system, properties, &Run::new()));
    }

    #[test]
    fn numbers_are_tried_before_bits() {
        let check = || auto(&proportional(), &[PropertyId(0)], &Run::new());
        let verdicts = check();
        assert!(matches!(verdicts[..], [Verdict::Safe(Certificate::Facts { .. })]), "{verdicts:?}");
        assert_eq!(verdicts, check());
    }

    /// A task about two proportional counters, and how often its statistics are reported.
    fn counted(run: Run) -> (Task, Arc<Mutex<usize>>) {
        let reported: Arc<Mutex<usize>> = Arc::default();
        let count = Arc::clone(&reported);
        let run = run.with_observer(move |event| {
            *count.lock().unwrap() += usize::from(matches!(event, Event::Statistics(_)));
        });
        (Task::about(&proportional(), &[PropertyId(0)], &run), reported)
    }

    #[test]
    fn statistics_of_a_tentative_turn_are_reported_if_it_decides_something() {
        let open_and_reported = |effort| {
            let (task, reported) = counted(Run::new());
            Turn::short_on_words(effort).take(&task).unwrap();
            (task.open().len(), *reported.lock().unwrap())
        };
        assert_eq!(open_and_reported(Effort::Questions(0)), (1, 0));
        assert_eq!(open_and_reported(SHORT_ON_WORDS), (0, 2));
    }

    /// Numbers that are proportional are hard for the search on bits and easy for words.
    #[test]
    fn engines_share_the_processor() {
        let found = || {
            let task = Task::about(&proportional(), &[PropertyId(0)], &Run::new());
            let words = Turn::new(Choice::Words(WordsOptions::default()));
            let pdr = Turn::new(Choice::Pdr(PdrOptions::default()));
            let limits = Limits { joins: 100, ..Limits::turns(20_000) };
            let others = vec![Share { turn: words, limits, trades: true }];
            pdr.sharing(Sharing { limits: Limits::turns(400), others }).take(&task).unwrap();
            task.finding(PropertyId(0)).map(|finding| (finding.engine, finding.verdict))
        };
        let by_words = found();
        assert_eq!(by_words.as_ref().map(|(engine, _)| *engine), Some("words"));
        assert_eq!(found(), by_words, "the same run twice");
    }

    /// Whatever engine is the first to decide something is said to be wrong.
    #[test]
    fn other_engines_go_on_when_evidence_is_wrong() {
        let system = shift_parity(4).unwrap();
        let found = |mistaken: &'static str| {
            let task = Task::about(&system, &[PropertyId(0)], &Run::new());
            let task = task.with_judge(move |engine, _, _| engine != mistaken);
            let limits = Limits::turns(400);
            let share = |engine| Share { turn: Turn::new(engine), limits, trades: true };
            let others = vec![share(Choice::Avy(AvyOptions::default()))];
            let pdr = Turn::new(Choice::Pdr(PdrOptions::default()));
            pdr.sharing(Sharing { limits, others }).take(&task).unwrap();
            task.finding(PropertyId(0)).map(|finding| finding.engine)
        };
        let first = found("nobody").expect("somebody decides");
        let second = found(first).expect("somebody else decides");
        assert_ne!(first, second);
    }

    /// The turn of one engine ends while it simplifies the bits that another one needs as well.
    #[test]
    fn nobody_waits_for_bits_whose_maker_waits_for_a_turn() {
        let task = Task::about(&shift_parity(16).unwrap(), &[PropertyId(0)], &Run::new());
        let pdr = || Turn::new(Choice::Pdr(Schedule::merged()));
        let limits = Limits::turns(1);
        let others = vec![Share { turn: pdr(), limits, trades: false }];
        pdr().sharing(Sharing { limits, others }).take(&task).unwrap();
        assert!(task.open().is_empty());
    }

    #[test]
    fn conditions_about_bits_exclude_each_other() {
        use Condition::{Constrained, FewRegisters, ManyRegisters, Unconstrained};
        for (stages, size) in [(4, FewRegisters), (250, ManyRegisters)] {
            let system = shift_parity(stages).unwrap();
            let task = Task::about(&system, &[PropertyId(0)], &Run::new());
            let sizes = [FewRegisters, ManyRegisters, Condition::VeryManyRegisters];
            let all = sizes.into_iter().chain([Constrained, Unconstrained]);
            let holding = all.filter(|condition| condition.holds(&task).unwrap());
            assert_eq!(holding.collect::<Vec<_>>(), [size, Unconstrained]);
        }
    }

    #[test]
    fn a_run_that_saves_lemmas_works_on_bits_only() {
        let (task, _) = counted(Run::new().with_states(Duration::ZERO));
        let schedule = Schedule::auto();
        let words = schedule.turns.iter().find(|turn| matches!(turn.engine, Choice::Words(_)));
        assert_eq!(words.unwrap().take(&task), Ok(false));
        assert_eq!(task.open().len(), 1);
        let (task, _) = counted(Run::new().with_states_for_people(Duration::ZERO));
        assert_eq!(words.unwrap().take(&task), Ok(true));
    }

    #[test]
    fn words_come_just_before_the_search_on_bits() {
        let engines: Vec<Choice> =
            Schedule::auto().turns.into_iter().map(|turn| turn.engine).collect();
        assert!(matches!(
            engines[..],
            [
                Choice::Reprove(_),
                Choice::KInduction(_),
                Choice::Bmc(_),
                Choice::Simulation(_),
                Choice::Words(_),
                Choice::Pdr(PdrOptions { signals: false, reconsider: None, .. }),
                Choice::Pdr(PdrOptions { signals: false, .. }),
                Choice::KInduction(_)
            ]
        ));
    }

    #[test]
    fn bounded_model_checking_looks_at_bits_or_words() {
        // The counters are proportional; the memory is too large for bits.
        for (system, is_small) in [(proportional(), true), (memclear(), false)] {
            let task = Task::about(&system, &[PropertyId(0)], &Run::new());
            assert_eq!(bits(&task).is_ok(), is_small);
            let options = BmcOptions { bound: Some(3), ..BmcOptions::default() };
            let found = task.check(&mut Schedule::bmc(options)).unwrap();
            assert_eq!(found, [Verdict::Unknown(StopReason::Bound(3))]);
        }
    }

    #[test]
    fn a_longer_induction_comes_before_the_search_on_bits() {
        let turns = Schedule::auto_by_induction().turns;
        assert_eq!(turns.len(), Schedule::auto().turns.len() + 1);
        let [.., long, pdr, _, _] = &turns[..] else { panic!("{turns:?}") };
        assert!(matches!((&long.engine, &pdr.engine), (Choice::KInduction(_), Choice::Pdr(_))));
        compare_with_search(20, |system, properties| {
            let task = Task::about(system, properties, &Run::new());
            task.check(&mut Schedule::auto_by_induction()).unwrap()
        });
    }

    #[test]
    fn the_second_thread_decides_everything_alone() {
        compare_with_search(20, |system, properties| {
            let task = Task::about(system, properties, &Run::new());
            task.check(&mut Schedule::beside_auto()).unwrap()
        });
    }

    #[test]
    fn bits_are_prepared_once_for_all_turns() {
        let task = Task::about(&proportional(), &[PropertyId(0)], &Run::new());
        let (one, other) = (bits(&task).unwrap(), bits(&task.with_own_answers()).unwrap());
        assert!(Arc::ptr_eq(&one.prepared, &other.prepared));
        // Bits for other properties or with other options are others.
        let none = task.only(&[]);
        assert!(Arc::ptr_eq(&one.prepared, &bits(&none).unwrap().prepared));
        let small = task.bits(&PdrOptions::default().passes, 1).unwrap();
        assert!(!Arc::ptr_eq(&one.prepared, &small.prepared));
    }

    #[test]
    fn the_last_reason_counts() {
        let (task, _) = counted(Run::new());
        let bmc = |bound| Turn::new(Choice::Bmc(BmcOptions { bound, ..BmcOptions::default() }));
        let turns = vec![bmc(Some(3)), bmc(Some(2))];
        let found = task.check(&mut Schedule { name: "test", turns }).unwrap();
        assert_eq!(found, [Verdict::Unknown(StopReason::Bound(2))]);
    }

    #[test]
    fn a_schedule_in_which_no_engine_can_work_fails() {
        let task = Task::about(&memclear(), &[PropertyId(0)], &Run::new());
        let turns = vec![Turn::new(Choice::Pdr(PdrOptions::default()))];
        let mut schedule = Schedule { name: "test", turns };
        let error = task.ask(&mut schedule).unwrap_err();
        assert!(matches!(error, EngineError::TooLarge(_)), "{error}");
        assert_eq!(task.verdicts(), [Verdict::Unknown(error.reason())]);
        schedule.turns.push(
            Turn::new(Choice::Bmc(BmcOptions { bound: Some(1), ..BmcOptions::default() }))
                .when(&[Condition::TooLargeForBits]),
        );
        assert_eq!(task.check(&mut schedule), Ok(vec![Verdict::Unknown(StopReason::Bound(1))]));
    }

    #[test]
    fn a_stopped_run_says_why() {
        let run = Run::new().with_timeout(Duration::ZERO);
        let verdicts = auto(&memclear(), &[PropertyId(0)], &run);
        assert_eq!(verdicts, [Verdict::Unknown(StopReason::Timeout)]);
    }

    #[test]
    fn memories_without_bits_are_left_to_induction() {
        let verdicts = auto(&memclear(), &[PropertyId(0)], &Run::new());
        assert!(matches!(verdicts[..], [Verdict::Safe(_)]));
    }
}
