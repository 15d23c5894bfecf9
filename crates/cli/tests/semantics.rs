//! What Boogie programs mean: small programs with the verdicts that follow from the language's
//! definition (Leino, "This is Boogie 2", 2008), decided by hand.
//!
//! The files in `semantics/` are divided into sections:
//!
//! ```text
//! //// name: safe, unsafe        a verdict for each property, in the order of the source
//! //// name: safe?               the same, but no answer is acceptable, too
//! //// name: none                there is no property
//! //// name: error 1:20 text     the program is refused at this place, with this message
//! ```
//!
//! Every strategy of `cfg` decides every program, and so does every engine for transition
//! systems if the program has only words. The evidence of the default goes through the
//! checker. A wrong verdict is never acceptable; only the default has to give an answer.

use std::time::Duration;

use elinvar::{Budget, SmtSolver, check_invariants, confirm_programs};
use elinvar_engines::bmc::BmcOptions;
use elinvar_engines::cfg::{Cfg, CfgOptions, Strategy};
use elinvar_engines::interpolation::InterpolationOptions;
use elinvar_engines::{Choice, Run, Task};
use elinvar_formats::boogie;
use elinvar_ir::PropertyId;
use elinvar_ir::program::{Program, ProgramVerdict};
use elinvar_ir::{TransitionSystem, Verdict};
use elinvar_transform::lower;

const LIMIT: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    Safe,
    Unsafe,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    Safe,
    Unsafe,
    Unknown,
}

struct Case<'a> {
    name: &'a str,
    expectation: Expectation<'a>,
    source: &'a str,
}

enum Expectation<'a> {
    /// And whether no answer is acceptable.
    Verdicts(Vec<(Expected, bool)>),
    Error {
        place: &'a str,
        part: &'a str,
    },
}

/// One test for each file, so that they run in parallel.
macro_rules! tests_of_files {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            check_all(include_str!(concat!("semantics/", stringify!($name), ".bpl")));
        }
    )*};
}

tests_of_files! { statements calls values declarations }

fn check_all(table: &str) {
    let wrong: Vec<String> = cases(table)
        .into_iter()
        .filter_map(|case| check(&case).err().map(|why| format!("{}: {why}", case.name)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn cases(table: &str) -> Vec<Case<'_>> {
    table.split("\n//// ").skip(1).map(case).collect()
}

fn case(section: &str) -> Case<'_> {
    let (heading, source) = section.split_once('\n').expect("a heading has a line");
    let (name, expected) = heading.split_once(": ").expect("a name and what is expected");
    let expectation = match expected.strip_prefix("error ") {
        Some(error) => {
            let (place, part) = error.split_once(' ').expect("a place and a message");
            Expectation::Error { place, part }
        }
        None if expected == "none" => Expectation::Verdicts(Vec::new()),
        None => Expectation::Verdicts(expected.split(", ").map(verdict).collect()),
    };
    Case { name, expectation, source }
}

fn verdict(word: &str) -> (Expected, bool) {
    match word {
        "safe" => (Expected::Safe, false),
        "unsafe" => (Expected::Unsafe, false),
        "safe?" => (Expected::Safe, true),
        "unsafe?" => (Expected::Unsafe, true),
        _ => panic!("{word} is not a verdict"),
    }
}

fn check(case: &Case<'_>) -> Result<(), String> {
    match (boogie::read(case.source.as_bytes()), &case.expectation) {
        (Ok(program), Expectation::Verdicts(expected)) => check_verdicts(&program, expected),
        (Ok(_), Expectation::Error { part, .. }) => Err(format!("is accepted, not {part}")),
        (Err(error), Expectation::Verdicts(_)) => Err(format!("{error} at {:?}", error.span)),
        (Err(error), Expectation::Error { place, part }) => {
            let at = error.position(case.source.as_bytes());
            let found = format!("{}:{} {error}", at.line, at.column);
            let is_expected = found.starts_with(&format!("{place} ")) && found.contains(part);
            if is_expected { Ok(()) } else { Err(format!("the error is {found}")) }
        }
    }
}

fn check_verdicts(program: &Program, expected: &[(Expected, bool)]) -> Result<(), String> {
    if program.properties.len() != expected.len() {
        let names: Vec<&String> = program.properties.iter().map(|p| &p.name).collect();
        return Err(format!("the properties are {names:?}"));
    }
    if expected.is_empty() {
        return Ok(());
    }
    let by_default = by_cfg(program, &CfgOptions::default());
    let found: Vec<Found> = (program.property_ids().zip(&by_default))
        .map(|(property, verdict)| confirmed(program, property, verdict))
        .collect();
    compare("cfg", &found, expected, false)?;
    let paths = CfgOptions { strategy: Strategy::TraceAbstraction, ..CfgOptions::default() };
    for (name, options) in [("trace-abstraction", paths), ("thesis", CfgOptions::thesis())] {
        let found: Vec<Found> = by_cfg(program, &options).iter().map(claimed).collect();
        compare(name, &found, expected, true)?;
    }
    match lower(program) {
        Ok(lowered) => check_words(&lowered.system, expected),
        Err(_) => Ok(()),
    }
}

fn compare(
    engine: &str,
    found: &[Found],
    expected: &[(Expected, bool)],
    may_give_up: bool,
) -> Result<(), String> {
    for (at, (&found, &(expected, is_open))) in found.iter().zip(expected).enumerate() {
        let is_right = match found {
            Found::Safe => expected == Expected::Safe,
            Found::Unsafe => expected == Expected::Unsafe,
            Found::Unknown => may_give_up || is_open,
        };
        if !is_right {
            return Err(format!("{engine} finds property {at} {found:?}, not {expected:?}"));
        }
    }
    Ok(())
}

fn by_cfg(program: &Program, options: &CfgOptions) -> Vec<ProgramVerdict> {
    let properties: Vec<PropertyId> = program.property_ids().collect();
    let task = Task::about(program, &properties, &Run::new().with_timeout(LIMIT));
    task.check(&mut Cfg(options.clone())).expect("Z3 is installed")
}

fn claimed(verdict: &ProgramVerdict) -> Found {
    match verdict {
        ProgramVerdict::Safe(_) => Found::Safe,
        ProgramVerdict::Unsafe(_) => Found::Unsafe,
        ProgramVerdict::Unknown(_) => Found::Unknown,
    }
}

/// The verdict as far as the checker accepts it.
fn confirmed(program: &Program, property: PropertyId, verdict: &ProgramVerdict) -> Found {
    let verdicts = vec![(property, verdict.clone())];
    let (solver, budget) = (SmtSolver::default(), Budget::default());
    let confirmed = confirm_programs(program, verdicts, |properties, proof| {
        check_invariants(program, properties, proof, &solver, &budget)
    });
    match &confirmed.expect("Z3")[..] {
        [Ok(verdict)] => claimed(verdict),
        _ => Found::Unknown,
    }
}

/// Every engine for transition systems.
fn check_words(system: &TransitionSystem, expected: &[(Expected, bool)]) -> Result<(), String> {
    let properties: Vec<_> = system.bads().map(|(id, _)| id).collect();
    for choice in [
        Choice::Bmc(BmcOptions { bound: Some(40), ..BmcOptions::default() }),
        Choice::KInduction(Default::default()),
        Choice::Pdr(Default::default()),
        Choice::Words(Default::default()),
        Choice::Avy(Default::default()),
        Choice::Itp(InterpolationOptions::default()),
        Choice::Imc(InterpolationOptions::default()),
    ] {
        let mut engine = choice.build();
        let run = Run::new().with_timeout(Duration::from_secs(1));
        let task = Task::about(system, &properties, &run);
        let verdicts = task.check(&mut *engine).expect("the system is small");
        let found: Vec<Found> = verdicts
            .iter()
            .map(|verdict| match verdict {
                Verdict::Safe(_) => Found::Safe,
                Verdict::Unsafe(_) => Found::Unsafe,
                Verdict::Unknown(_) => Found::Unknown,
            })
            .collect();
        compare(engine.name(), &found, expected, true)?;
    }
    Ok(())
}
