//! Property directed reachability on words [Welp, Kuehlmann: Property Directed
//! Reachability for QF_BV with Mixed Type Atomic Reasoning Units, ASP-DAC 2014].
//!
//! The loop is that of bits; the `domain` is another. What can be guessed and proved at once
//! comes first (`guess`). A point that leads to a bad state is specialised (`specialize`), by
//! chance and experience (`adapt`), to a Boolean cube or to a polytope, and expanded by
//! simulation (`expand`); a unit that is blocked loses atoms, and a polytope may become a
//! half-space (`widen`) along the sums that the model suggests (`templates`). In the end
//! what a property does not need goes (`trim`). The solver of all frames (`solver`, `model`)
//! sees comparators over the bits of the words (`encoding`, `circuit`, `steps`, `gates`);
//! everything else sees words (`survey`) and atoms over them (`atom`). The elements of small
//! memories are words, too.

mod adapt;
mod atom;
mod circuit;
mod domain;
mod encoding;
mod expand;
mod gates;
mod guess;
mod initial;
mod model;
mod solver;
mod specialize;
mod statistics;
mod steps;
mod survey;
mod templates;
#[cfg(test)]
mod tests;
mod trim;
mod widen;

use std::rc::Rc;
use std::sync::Arc;

use elinvar_ir::{
    BitVec, Certificate, Fact, PropertyId, Simulator, Step, StopReason, Trace, TransitionSystem,
    Value, Verdict, zero_of,
};
use elinvar_logic::simulation::Kind;
use elinvar_transform::{Expanded, Lift, expand_memories};

use super::PdrOptions;
use super::cube::Cube;
use super::domain::{Domain, Interruptible};
use super::frames::Frames;
use super::obligation::Obligation;
use super::search::{Report, Search};
use crate::bmc::{Bmc, BmcOptions, bad_bits};
use crate::engine::{EngineError, implement_engine};
use crate::run::{Event, Recurring, States, Stopped};
use crate::statistics::{FrameProgress, FrameSizes};
use crate::task::Task;
use atom::Atom;
use domain::Words as WordDomain;
use expand::StepInputs;
use templates::Templates;

pub use adapt::{Experience, Probability};
pub use statistics::WordsStatistics;
pub(crate) use survey::is_worthwhile;

/// What may be chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WordsOptions {
    /// How often a point becomes a Boolean cube; None: learn it from the model.
    pub cube_probability: Option<Probability>,
    /// Which abstract values obligations are expanded with.
    pub simulation: Kind,
    /// Expand every obligation by the other simulations, too, to compare them.
    pub compare_simulations: bool,
    /// What the loop does; of the passes nothing is used.
    pub pdr: PdrOptions,
}

impl Default for WordsOptions {
    fn default() -> Self {
        WordsOptions {
            cube_probability: None,
            simulation: Kind::Product,
            compare_simulations: false,
            pdr: PdrOptions { attempts: usize::MAX, reconsider: None, ..PdrOptions::default() },
        }
    }
}

/// The engine.
pub struct Words(pub WordsOptions);

const NAME: &str = "words";

implement_engine!(Words, NAME, check);

fn check(options: &WordsOptions, task: &Task) -> Result<(), EngineError> {
    let (system, properties) = (task.subject(), task.open());
    bad_bits(task)?;
    let expanded = expand_memories(system, &properties, options.pdr.memory_limit);
    let system = expanded.as_ref().map_or(system, |expanded| &expanded.system);
    let (lift, progress) = (expanded.as_ref(), FrameProgress::start());
    let mut verdicts = Verdicts { task, system, lift, progress };
    decide(options, &properties, &mut verdicts)
}

/// Decides safety properties, by facts about the registers.
fn decide(
    options: &WordsOptions,
    properties: &[PropertyId],
    verdicts: &mut Verdicts<'_>,
) -> Result<(), EngineError> {
    let (system, run) = (verdicts.system, verdicts.task.run());
    let words = survey::survey(system, properties, run.seed());
    let templates = Templates::new(system, properties, &words);
    let mut domain = WordDomain::new(system, words, templates, properties, options, run)?;
    let searched = search(&mut domain, verdicts, options, properties.len());
    let statistics = domain.finish();
    run.emit(Event::Statistics(Arc::new(statistics.pdr.clone())));
    run.emit(Event::Statistics(Arc::new(statistics)));
    Ok(searched?)
}

fn search(
    domain: &mut WordDomain,
    verdicts: &mut Verdicts<'_>,
    options: &WordsOptions,
    properties: usize,
) -> Interruptible<()> {
    verdicts.task.run().go_on()?;
    // Where only bits are wanted, words have nothing to say.
    let only_cubes = options.cube_probability.is_some_and(|c| c.get() == 1.0);
    if !only_cubes {
        domain.find_invariants(verdicts.system)?;
    }
    Search::new(domain, verdicts, &options.pdr, properties).run()
}

/// Turns what the loop finds into evidence.
struct Verdicts<'a> {
    task: &'a Task,
    /// The system of the task, or the one in which small memories are words.
    system: &'a TransitionSystem,
    lift: Option<&'a Expanded<'a>>,
    progress: FrameProgress,
}

impl Report<WordDomain> for Verdicts<'_> {
    fn progress(
        &mut self,
        domain: &mut WordDomain,
        frames: &Frames<WordDomain>,
        clear: &[usize],
        obligations: usize,
    ) {
        for (property, &clear) in clear.iter().enumerate().filter(|(_, clear)| **clear > 0) {
            self.task.exclude(domain.property_id(property), clear + 1);
        }
        let sizes = FrameSizes {
            frontier: frames.frontier(),
            lemmas: frames.sizes(),
            inductive: frames.infinite().len(),
            obligations,
            queries: domain.statistics().query_count(),
        };
        let (engine, bound) = (NAME, sizes.frontier);
        let details = self.progress.details(&sizes);
        self.task.run().emit(Event::Progress { engine, bound, details });
    }

    fn safe(
        &mut self,
        domain: &mut WordDomain,
        property: usize,
        invariant: Vec<Cube<Atom>>,
        level: usize,
    ) {
        let lemmas = domain.solver.established().iter().cloned().chain(invariant).collect();
        let invariant = domain.trim(property, lemmas);
        let clause = |cube: &Cube<Atom>| {
            cube.atoms().iter().map(|&atom| domain.solver.encoding.fact(atom).negated()).collect()
        };
        let clauses = invariant.iter().map(clause).collect();
        let verdict = Verdict::Safe(Certificate::Facts { clauses });
        self.decide(domain.property_id(property), verdict, level);
    }

    fn unsafe_(&mut self, domain: &mut WordDomain, chain: &Obligation<Atom, Rc<StepInputs>>) {
        let property = chain.property;
        let verdict = if domain.solver.is_abstract {
            self.concretize(domain.property_id(property), chain.depth)
        } else {
            self.trace(domain, chain)
        };
        let depth = match &verdict {
            Verdict::Unsafe(trace) => trace.depth(),
            Verdict::Safe(_) | Verdict::Unknown(_) => 0,
        };
        self.decide(domain.property_id(property), verdict, depth);
    }

    fn recurring(
        &mut self,
        domain: &mut WordDomain,
        obligation: &Obligation<Atom, Rc<StepInputs>>,
    ) {
        let atoms = obligation.cube.atoms().iter();
        let facts: Vec<Fact> = atoms.map(|&atom| domain.solver.encoding.fact(atom)).collect();
        let facts = match self.lift {
            Some(expanded) => in_memories(expanded, facts),
            None => facts,
        };
        let property = domain.property_id(obligation.property);
        let (steps, times) = (obligation.depth, obligation.times.get());
        let recurring = Recurring { property, states: States::System(facts), steps, times };
        self.task.run().emit(Event::Recurring(Arc::new(recurring)));
    }
}

/// Facts about the elements of memories, instead of facts about the words that these became.
/// Facts that cannot be stated about memories are left out.
fn in_memories(expanded: &Expanded<'_>, facts: Vec<Fact>) -> Vec<Fact> {
    let clauses = facts.into_iter().map(|fact| vec![fact]).collect();
    match expanded.proof(Certificate::Facts { clauses }) {
        Ok(Certificate::Facts { clauses }) => clauses.into_iter().flatten().collect(),
        Ok(_) | Err(_) => Vec::new(),
    }
}

impl Verdicts<'_> {
    fn decide(&self, property: PropertyId, verdict: Verdict, depth: usize) {
        let verdict = match self.lift {
            Some(expanded) => expanded.verdict(verdict),
            None => verdict,
        };
        self.task.decide(NAME, property, verdict, depth);
    }

    /// The trace of a chain of units that starts in an initial state.
    fn trace(&self, domain: &mut WordDomain, chain: &Obligation<Atom, Rc<StepInputs>>) -> Verdict {
        let initial = match domain.solver.initial_state(chain.cube.atoms(), &chain.choice) {
            Ok(Some(initial)) => initial,
            Ok(None) => {
                let reason = "initial values depend on inputs of the first cycle".to_owned();
                return Verdict::Unknown(StopReason::Unsupported(reason));
            }
            Err(Stopped(reason)) => return Verdict::Unknown(reason),
        };
        let by_state = |values: &[Option<BitVec>], state: usize| {
            let word = domain.solver.encoding.words.iter().position(|word| word.state == state);
            let value = word.and_then(|word| values[word].clone());
            let sort = self.system.pool().sort(self.system.states()[state].symbol);
            value.map_or_else(|| zero_of(sort), Value::Bv)
        };
        let initial: Vec<Option<BitVec>> = initial.iter().cloned().map(Some).collect();
        let mut steps: Vec<Step> = Vec::new();
        let mut free = Vec::new();
        let mut link = Some(chain);
        while let Some(obligation) = link {
            let choice = &obligation.choice;
            let inputs = self.system.inputs().iter().zip(&choice.inputs).map(|(input, value)| {
                let zero = || zero_of(self.system.pool().sort(input.symbol));
                value.clone().map_or_else(zero, Value::Bv)
            });
            steps.push(Step { inputs: inputs.collect(), free: std::mem::take(&mut free) });
            let states = self.system.free_states().iter();
            free = states.map(|&state| by_state(&choice.free, state)).collect();
            link = obligation.successor.as_deref();
        }
        let first = steps[0].inputs.clone();
        let start = Simulator::new(self.system, |state| by_state(&initial, state), first);
        let initial = start.states().to_vec();
        Verdict::Unsafe(Trace {
            property: domain.property_id(chain.property),
            initial,
            steps: steps.into(),
            loop_start: None,
        })
    }

    /// Units say nothing of large memories: is there a real trace of that length?
    fn concretize(&self, property: PropertyId, depth: usize) -> Verdict {
        let options = BmcOptions { bound: Some(depth), ..BmcOptions::default() };
        let question = Task::about(self.system, &[property], self.task.run());
        match question.check(&mut Bmc(options)).map(|mut verdicts| verdicts.remove(0)) {
            Ok(verdict @ Verdict::Unsafe(_)) => verdict,
            Ok(Verdict::Unknown(StopReason::Bound(_)) | Verdict::Safe(_)) | Err(_) => {
                let reason = "the contents of memories decide, and facts about words alone do not";
                Verdict::Unknown(StopReason::Unsupported(reason.to_owned()))
            }
            Ok(unknown @ Verdict::Unknown(_)) => unknown,
        }
    }
}
