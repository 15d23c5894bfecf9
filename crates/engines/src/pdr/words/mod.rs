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
//! everything else sees words (`survey`) and atoms over them (`atom`). The elements of small memories are words, too (`memories`).

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

use elinvar_ir::{
    BitVec, Certificate, PropertyId, Simulator, Step, StopReason, Trace, TransitionSystem, Value,
    Verdict, zero_of,
};
use elinvar_logic::simulation::Kind;
use elinvar_transform::{Lift, expand_memories};

use super::cube::Cube;
use super::domain::{Asked, Domain};
use super::frames::Frames;
use super::obligation::Obligation;
use super::search::{Report, Search};
use super::{PdrOptions, domain::Stopped};
use crate::bmc::{Bmc, BmcOptions};
use crate::engine::{Engine, EngineError, unknown};
use crate::run::{Event, Run};
use atom::Atom;
use domain::{NoDomain, Words as WordDomain};
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
            pdr: PdrOptions::default(),
        }
    }
}

/// The engine.
pub struct Words {
    options: WordsOptions,
}

impl Words {
    pub fn new(options: WordsOptions) -> Self {
        Words { options }
    }
}

const NAME: &str = "words";

impl Engine for Words {
    fn name(&self) -> &'static str {
        NAME
    }

    fn check(
        &mut self,
        system: &TransitionSystem,
        properties: &[PropertyId],
        run: &Run,
    ) -> Result<Vec<Verdict>, EngineError> {
        for &property in properties {
            if system.bad(property).is_none() {
                return Err(EngineError::NotSafety(system.property(property).name.clone()));
            }
        }
        let Some(expanded) = expand_memories(system, properties, self.options.pdr.memory_limit)
        else {
            return self.decide(system, properties, run);
        };
        let verdicts = self.decide(&expanded.system, properties, run)?;
        Ok(verdicts.into_iter().map(|verdict| expanded.verdict(verdict)).collect())
    }
}

impl Words {
    /// Decides safety properties, by facts about the registers.
    fn decide(
        &self,
        system: &TransitionSystem,
        properties: &[PropertyId],
        run: &Run,
    ) -> Result<Vec<Verdict>, EngineError> {
        let words = survey::survey(system, properties, run.seed());
        let templates = Templates::new(system, properties, &words);
        let options = &self.options;
        let mut verdicts = Verdicts { system, run, found: vec![None; properties.len()] };
        match WordDomain::new(system, words, templates, properties, options, run) {
            Ok(mut domain) => {
                // When the run is stopped, what is open is unknown.
                let _ = search(&mut domain, &mut verdicts, options, properties.len());
                let statistics = domain.finish();
                run.emit(Event::Pdr(Box::new(statistics.pdr.clone())));
                run.emit(Event::Words(Box::new(statistics)));
            }
            Err(NoDomain::Stopped) => {}
            Err(NoDomain::Engine(EngineError::Stopped(reason))) => {
                return Ok(unknown(properties, &reason));
            }
            Err(NoDomain::Engine(error)) => return Err(error),
        }
        let reason = run.stop().unwrap_or(StopReason::Cancelled);
        let finish = |found: Option<Verdict>| found.unwrap_or(Verdict::Unknown(reason.clone()));
        Ok(verdicts.found.into_iter().map(finish).collect())
    }
}

fn search(
    domain: &mut WordDomain,
    verdicts: &mut Verdicts<'_>,
    options: &WordsOptions,
    properties: usize,
) -> Asked<()> {
    if verdicts.run.stop().is_some() {
        return Err(Stopped);
    }
    // Where only bits are wanted, words have nothing to say.
    let only_cubes = options.cube_probability.is_some_and(|c| c.get() == 1.0);
    if !only_cubes {
        domain.find_invariants(verdicts.system)?;
    }
    Search::new(domain, verdicts, &options.pdr, properties).run()
}

/// Turns what the loop finds into evidence.
struct Verdicts<'a> {
    system: &'a TransitionSystem,
    run: &'a Run,
    found: Vec<Option<Verdict>>,
}

impl Report<WordDomain> for Verdicts<'_> {
    fn progress(
        &mut self,
        domain: &mut WordDomain,
        frames: &Frames<WordDomain>,
        _clear: &[usize],
        obligations: usize,
    ) {
        self.run.emit(Event::Frames {
            engine: NAME,
            frontier: frames.frontier(),
            lemmas: frames.sizes(),
            invariant: frames.infinite().len(),
            obligations,
            queries: domain.statistics().query_count(),
        });
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
        self.found[property] = Some(Verdict::Safe(Certificate::Facts { clauses }));
        self.decided(domain, property, true, level);
    }

    fn unsafe_(&mut self, domain: &mut WordDomain, chain: &Obligation<Atom, Rc<StepInputs>>) {
        let property = chain.property;
        let verdict = if domain.solver.is_abstract {
            self.concretize(domain.property_id(property), chain.depth)
        } else {
            self.trace(domain, chain)
        };
        if let Verdict::Unsafe(trace) = &verdict {
            self.decided(domain, property, false, trace.depth());
        }
        self.found[property] = Some(verdict);
    }
}

impl Verdicts<'_> {
    fn decided(&self, domain: &WordDomain, property: usize, safe: bool, depth: usize) {
        let property = domain.property_id(property);
        self.run.emit(Event::Decided { engine: NAME, property, safe, depth });
    }

    /// The trace of a chain of units that starts in an initial state.
    fn trace(&self, domain: &mut WordDomain, chain: &Obligation<Atom, Rc<StepInputs>>) -> Verdict {
        let initial = match domain.solver.initial_state(chain.cube.atoms(), &chain.choice) {
            Ok(Some(initial)) => initial,
            Ok(None) => {
                let reason = "initial values depend on inputs of the first cycle".to_owned();
                return Verdict::Unknown(StopReason::Unsupported(reason));
            }
            Err(Stopped) => {
                return Verdict::Unknown(self.run.stop().unwrap_or(StopReason::Cancelled));
            }
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
        Verdict::Unsafe(Trace { property: domain.property_id(chain.property), initial, steps })
    }

    /// Units say nothing of large memories: is there a real trace of that length?
    fn concretize(&self, property: PropertyId, depth: usize) -> Verdict {
        let options = BmcOptions { bound: Some(depth), ..BmcOptions::default() };
        let found = Bmc::new(options).check(self.system, &[property], self.run);
        match found.map(|mut verdicts| verdicts.remove(0)) {
            Ok(verdict @ Verdict::Unsafe(_)) => verdict,
            Ok(Verdict::Unknown(StopReason::Bound(_)) | Verdict::Safe(_)) | Err(_) => {
                let reason = "the contents of memories decide, and facts about words alone do not";
                Verdict::Unknown(StopReason::Unsupported(reason.to_owned()))
            }
            Ok(unknown @ Verdict::Unknown(_)) => unknown,
        }
    }
}
