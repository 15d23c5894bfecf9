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
pub mod numeric;
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

use crate::engine::EngineError;
use crate::run::Run;
use abstraction::TraceAbstraction;
use frames::{Frames, INVARIANT};
use graph::Graph;
use numeric::{Domain, analyze};
use search::{End, Search};
use shapes::ErrorRun;
use trace::{NoRun, replay_path, replays};

pub use options::{CfgOptions, Lemmas, Predecessors, Start, Strategy};

/// One verdict for each of `properties`, in that order.
pub fn check_program(
    program: &Program,
    properties: &[PropertyId],
    options: &CfgOptions,
    run: &Run,
) -> Result<Vec<ProgramVerdict>, EngineError> {
    let mut verdicts: BTreeMap<PropertyId, ProgramVerdict> = BTreeMap::new();
    let mut decided = |property, verdict| drop(verdicts.insert(property, verdict));
    check_program_into(program, properties, options, run, &mut decided)?;
    let take = |property| verdicts.remove(property).expect("every property has a verdict");
    Ok(properties.iter().map(take).collect())
}

/// As [`check_program`], but each verdict is told as soon as it is known: Z3 does not
/// always end when it is interrupted, and callers may not want to wait for it.
pub fn check_program_into(
    program: &Program,
    properties: &[PropertyId],
    options: &CfgOptions,
    run: &Run,
    decided: &mut dyn FnMut(PropertyId, ProgramVerdict),
) -> Result<(), EngineError> {
    let watched = run.clone();
    let context = Context::new(Arc::new(move || watched.stop().is_some()))
        .map_err(|missing| EngineError::NoSolver(missing.to_string()))?;
    decide(program, properties, options, run, context, decided);
    Ok(())
}

fn decide(
    program: &Program,
    properties: &[PropertyId],
    options: &CfgOptions,
    run: &Run,
    context: Context,
    decided: &mut dyn FnMut(PropertyId, ProgramVerdict),
) {
    let error = |property: PropertyId| program.property(property).error;
    let errors: Vec<LocationId> = properties.iter().map(|&property| error(property)).collect();
    let mut graph = Graph::new(program, &errors, context);
    let mut open = properties.to_vec();
    let proved = glance::unreachable(program, &mut graph, &errors, run);
    if !proved.is_empty() {
        let proof = invariants(&graph, BTreeMap::new(), program);
        for property in open.extract_if(.., |property| proved.contains(&error(*property))) {
            decided(property, ProgramVerdict::Safe(proof.clone()));
        }
        if open.is_empty() {
            return;
        }
    }
    let shapes::Start { invariants: known, error: found } =
        start(program, &mut graph, &errors, options, run);
    let mut method = match options.strategy {
        Strategy::Whole => {
            let mut frames = Frames::default();
            for (&at, facts) in &known {
                facts.iter().for_each(|&fact| frames.insert(&graph.terms, at, fact, INVARIANT));
            }
            Method::Whole(Search::new(graph, frames, errors, options, run))
        }
        Strategy::TraceAbstraction => {
            Method::Paths(TraceAbstraction::new(program, graph, known, errors, options, run))
        }
    };
    proved.into_iter().for_each(|error| method.forget(error));
    let found = found.and_then(|found| {
        let at = open.iter().position(|&property| error(property) == found.error)?;
        let trace = trace_of(program, open[at], found);
        // Otherwise the search decides.
        (replays(program, &trace) == Ok(true)).then_some((at, trace))
    });
    if let Some((at, trace)) = found {
        let property = open.remove(at);
        method.forget(error(property));
        decided(property, judge(program, trace));
    }
    while !open.is_empty() {
        match method.run() {
            End::Proved(at) => {
                let left: Vec<LocationId> = open.iter().map(|&property| error(property)).collect();
                let at = trim::trim(method.graph(), &left, at, run);
                let invariants = invariants(method.graph(), at, program);
                for property in open.drain(..) {
                    decided(property, ProgramVerdict::Safe(invariants.clone()));
                }
            }
            End::Stopped(reason) => {
                for property in open.drain(..) {
                    decided(property, ProgramVerdict::Unknown(reason.clone()));
                }
            }
            End::Reached { error: reached, path } => {
                let at = open.iter().position(|&property| error(property) == reached);
                let property = open.remove(at.expect("only open errors are looked for"));
                let verdict = match replay_path(method.graph(), program, property, &path, run) {
                    Ok(trace) => judge(program, trace),
                    Err(NoRun::Infeasible) => unknown("a path could not be made concrete".into()),
                    Err(NoRun::Unknown(why)) => {
                        unknown(format!("no run was found along a path to the error ({why})"))
                    }
                };
                decided(property, verdict);
                method.forget(reached);
            }
        }
    }
}

/// A run shows that the program is wrong, unless something on it is only approximated.
fn judge(program: &Program, trace: ProgramTrace) -> ProgramVerdict {
    match program.doubt(trace.steps.iter().map(|step| step.edge)) {
        None => ProgramVerdict::Unsafe(trace),
        Some(why) => unknown(format!("a counterexample was found, but {why}")),
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
    Whole(Search<'a>),
    Paths(TraceAbstraction<'a>),
}

impl Method<'_> {
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
