//! Property directed reachability for programs: frames at the locations of a
//! control-flow graph.
//!
//! Werner, "Property Directed Reachability for Software" (2018), after Lange, Neuhäußer
//! and Noll, "IC3 software model checking on control flow automata" (FMCAD 2015).

mod abstraction;
mod conjecture;
mod frames;
mod glance;
mod graph;
mod implicant;
mod numeric;
mod options;
mod project;
mod search;
mod separate;
mod shapes;
mod trace;
mod trim;
mod valuation;

use std::collections::BTreeMap;
use std::sync::Arc;

use elinvar_ir::PropertyId;
use elinvar_ir::StopReason;
use elinvar_ir::program::{
    ByZero, Invariants, LocationId, Program, ProgramTrace, ProgramVerdict, Term, Value, VariableId,
};
use elinvar_smt::Context;

use crate::engine::{EngineError, implement_engine};
use crate::relation::Level;
use crate::run::{Event, Recurring, Run, States};
use crate::task::Task;
use abstraction::TraceAbstraction;
use frames::Frames;
use graph::Graph;
use numeric::{Domain, analyze};
use search::{End, ProgramSearch};
use shapes::ErrorRun;
use trace::{NoRun, replay_path, replays};

pub use options::{CfgOptions, Lemmas, Predecessors, Start, Strategy};

const NAME: &str = "cfg";

/// The engine.
pub struct Cfg(pub CfgOptions);

implement_engine!(Cfg, NAME, check, Program);

fn check(options: &CfgOptions, task: &Task<Program>) -> Result<(), EngineError> {
    let watched = task.run().clone();
    let context = Context::new(Arc::new(move || watched.stop().is_some()))
        .map_err(|missing| EngineError::NoSolver(missing.to_string()))?;
    let error = |property: PropertyId| task.subject().property(property).error;
    let open: Vec<PropertyId> = task.open();
    let errors: Vec<LocationId> = open.iter().map(|&property| error(property)).collect();
    let graph = Graph::new(task.subject(), &errors, context);
    Decision { task, open, options }.run(graph, errors)
}

/// The way to the verdicts.
struct Decision<'a> {
    task: &'a Task<Program>,
    /// The properties that are still worked on.
    open: Vec<PropertyId>,
    options: &'a CfgOptions,
}

impl<'a> Decision<'a> {
    fn run(mut self, mut graph: Graph, errors: Vec<LocationId>) -> Result<(), EngineError> {
        let (program, run, options) = (self.task.subject(), self.task.run(), self.options);
        let proved = glance::unreachable(program, &mut graph, &errors, run);
        if !proved.is_empty() {
            let proof = invariants(&graph, BTreeMap::new(), program);
            self.prove(&proof, |error| proved.contains(&error));
            if self.open.is_empty() {
                return Ok(());
            }
        }
        let shapes::Start { invariants: known, error: found } =
            start(program, &mut graph, &errors, options, run);
        let mut method = Method::new(program, graph, &known, errors, options, run);
        proved.into_iter().for_each(|error| method.forget(error));
        if let Some(found) = found {
            self.try_run(found, &mut method);
        }
        while !self.open.is_empty() {
            match method.run() {
                End::Proved(at) => {
                    let left: Vec<LocationId> =
                        self.open.iter().map(|&property| self.error(property)).collect();
                    let at = trim::trim(method.graph(), &left, at, run);
                    self.prove(&invariants(method.graph(), at, program), |_| true);
                }
                End::Stopped(reason) => {
                    self.tell_recurring(&method);
                    return Err(EngineError::Stopped(reason));
                }
                End::Reached { error: reached, path } => {
                    let property = self.close(reached).expect("only open errors are looked for");
                    let (verdict, depth) =
                        match replay_path(method.graph(), program, property, &path, run) {
                            Ok(trace) => judge(program, trace),
                            Err(NoRun::Infeasible) => {
                                (unknown("a path could not be made concrete".into()), 0)
                            }
                            Err(NoRun::Unknown(why)) => (
                                unknown(format!(
                                    "no run was found along a path to the error ({why})"
                                )),
                                0,
                            ),
                        };
                    self.task.decide(NAME, property, verdict, depth);
                    method.forget(reached);
                }
            }
        }
        Ok(())
    }

    fn error(&self, property: PropertyId) -> LocationId {
        self.task.subject().property(property).error
    }

    /// The property of an error, which is not open any more.
    fn close(&mut self, error: LocationId) -> Option<PropertyId> {
        let at = self.open.iter().position(|&property| self.error(property) == error)?;
        Some(self.open.remove(at))
    }

    /// Tells which states kept the search busy.
    fn tell_recurring(&self, method: &Method<'_>) {
        let Method::Whole(search) = method else { return };
        let Some((obligation, error, steps)) = search.recurring() else { return };
        let at = BTreeMap::from([(obligation.at, obligation.cube.clone())]);
        let states = Invariants { terms: Arc::new(search.graph.terms.clone()), at };
        let (times, states) = (obligation.times, States::Program(states));
        for &property in self.open.iter().filter(|&&property| self.error(property) == error) {
            let recurring = Recurring { property, states: states.clone(), steps, times };
            self.task.run().emit(Event::Recurring(Arc::new(recurring)));
        }
    }

    /// Decides the open properties of some errors.
    fn prove(&mut self, proof: &Invariants, is_proved: impl Fn(LocationId) -> bool) {
        for property in std::mem::take(&mut self.open) {
            if is_proved(self.error(property)) {
                self.task.decide(NAME, property, ProgramVerdict::Safe(proof.clone()), 0);
            } else {
                self.open.push(property);
            }
        }
    }

    /// Decides a property by a run that was found before the search, if it is one. Otherwise
    /// the search decides.
    fn try_run(&mut self, found: ErrorRun, method: &mut Method<'_>) {
        let (program, error) = (self.task.subject(), found.error);
        let is_of_error = |&&property: &&PropertyId| self.error(property) == error;
        let Some(&property) = self.open.iter().find(is_of_error) else { return };
        let trace = trace_of(program, property, found);
        if replays(program, &trace) == Ok(true) {
            self.close(error);
            method.forget(error);
            let (verdict, depth) = judge(program, trace);
            self.task.decide(NAME, property, verdict, depth);
        }
    }
}

/// A run shows that the program is wrong, unless something on it is only approximated.
/// With its depth.
fn judge(program: &Program, trace: ProgramTrace) -> (ProgramVerdict, usize) {
    let depth = trace.steps.len();
    match program.approximation(trace.steps.iter().map(|step| step.edge)) {
        None => (ProgramVerdict::Unsafe(trace), depth),
        Some(why) => (unknown(format!("a counterexample was found, but {why}")), depth),
    }
}

fn trace_of(program: &Program, property: PropertyId, found: ErrorRun) -> ProgramTrace {
    let ErrorRun { initial, functions, steps, .. } = found;
    let value = |v: &VariableId| {
        initial.get(v).cloned().unwrap_or(Value::zero(program.terms.variable_sort(*v)))
    };
    let initial = program.variables.iter().map(value).collect();
    // The runner evaluates divisions by zero as the default does.
    ProgramTrace { property, initial, functions, by_zero: ByZero::default(), steps }
}

/// The strategies, which are asked alike.
enum Method<'a> {
    Whole(ProgramSearch<'a>),
    Paths(TraceAbstraction<'a>),
}

impl<'a> Method<'a> {
    /// The strategy that was chosen, with what is known.
    fn new(
        program: &'a Program,
        graph: Graph,
        known: &BTreeMap<LocationId, Vec<Term>>,
        errors: Vec<LocationId>,
        options: &'a CfgOptions,
        run: &'a Run,
    ) -> Self {
        match options.strategy {
            Strategy::Whole => {
                let mut frames = Frames::default();
                for (&at, facts) in known {
                    facts
                        .iter()
                        .for_each(|&fact| frames.insert(&graph.terms, at, fact, Level::Infinite));
                }
                Method::Whole(ProgramSearch::new(graph, frames, errors, options, run))
            }
            Strategy::TraceAbstraction => {
                let known = known.clone();
                Method::Paths(TraceAbstraction::new(program, graph, known, errors, options, run))
            }
        }
    }

    fn run(&mut self) -> End {
        match self {
            Method::Whole(search) => search.run(),
            Method::Paths(paths) => paths.run(),
        }
    }

    fn forget(&mut self, error: LocationId) {
        match self {
            Method::Whole(search) => search.forget(error),
            Method::Paths(paths) => paths.forget(error),
        }
    }

    fn graph(&mut self) -> &mut Graph {
        match self {
            Method::Whole(search) => &mut search.graph,
            Method::Paths(paths) => &mut paths.graph,
        }
    }
}

/// What is known before the first query: facts of the abstract interpretation and of
/// runs, as far as they are inductive together.
fn start(
    program: &Program,
    graph: &mut Graph,
    errors: &[LocationId],
    options: &CfgOptions,
    run: &Run,
) -> shapes::Start {
    let stop = || run.stop().is_some();
    let domain = match options.start {
        Start::None => None,
        Start::Intervals => Some(Domain::Intervals),
        Start::Octagons => Some(Domain::Octagons),
    };
    let mut known = match domain {
        Some(domain) => analyze(program, &mut graph.terms, domain, errors, &stop),
        None if options.shapes => BTreeMap::new(),
        None => return shapes::Start { invariants: BTreeMap::new(), error: None },
    };
    // Blocks leave variables alone that nobody asks for afterwards: facts on them would
    // seem to be kept.
    for (at, facts) in &mut known {
        let live = graph.live.get(at).map_or(&[][..], |live| live);
        let is_live = |variable: &VariableId| live.contains(variable);
        facts.retain(|&fact| graph.terms.free_variables([fact]).iter().all(is_live));
    }
    shapes::start(graph, program, known, options.shapes, run)
}

fn unknown(why: String) -> ProgramVerdict {
    ProgramVerdict::Unknown(StopReason::Unsupported(why))
}

/// The frames as evidence, at all locations that stay; what holds at the entry and at
/// errors goes without saying.
fn invariants(
    graph: &Graph,
    mut lemmas: BTreeMap<LocationId, Vec<Term>>,
    program: &Program,
) -> Invariants {
    let is_inner = |at: &LocationId| *at != program.entry && !graph.is_error(*at);
    let inner = graph.locations.iter().copied().filter(is_inner);
    let at = inner.map(|at| (at, lemmas.remove(&at).unwrap_or_default())).collect();
    Invariants { terms: Arc::new(graph.terms.clone()), at }
}
