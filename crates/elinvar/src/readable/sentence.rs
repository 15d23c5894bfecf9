//! Verdicts in sentences: what a report and each of its properties say.

use elinvar_check::Runs;
use elinvar_ir::program::{AssertionKind, Invariants};
use elinvar_ir::{Certificate, Verdict};

use super::count;
use crate::options::Shortening;
use crate::problem::Problem;
use crate::report::{Location, Proof, PropertyKind, PropertyReport, Report, Summary, Trace};

/// What the verdict on all properties says. It names at most so many properties.
///
/// ```
/// use elinvar::readable::sentence;
/// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
/// let report = elinvar::check(&problem, &elinvar::Options::default())?;
/// let expected = "Property b0 fails in cycle 1: a trace of 2 cycles, replayed.";
/// assert_eq!(sentence::of_report(&report, 6), expected);
/// # Ok::<(), elinvar::Error>(())
/// ```
pub fn of_report(report: &Report, most: usize) -> String {
    if let [property] = &report.properties[..] {
        return of_property(report, property);
    }
    let of = |summary| report.properties.iter().filter(move |p| p.summary() == summary);
    let all = report.properties.len();
    match report.summary() {
        Summary::Safe => {
            let everywhere = everywhere(report, &report.properties);
            match of(Summary::Reached).count() {
                0 => format!("All {all} properties hold{everywhere}."),
                covers => {
                    let (assertions, covers) =
                        (count(all - covers, "assertion"), count(covers, "cover statement"));
                    let comma = if everywhere.is_empty() { "" } else { "," };
                    format!("Proved: {assertions}{comma}{everywhere}. Reached: {covers}.")
                }
            }
        }
        Summary::Reached => format!("All {all} cover statements are reached."),
        summary @ (Summary::Unsafe | Summary::Unreachable) => {
            let names: Vec<&str> = of(summary).map(|p| p.name.as_str()).collect();
            let failing = names.len();
            let verb = match (summary, failing) {
                (Summary::Unreachable, 1) => "is unreachable",
                (Summary::Unreachable, _) => "are unreachable",
                (_, 1) => "fails",
                (_, _) => "fail",
            };
            let shown = failing.min(most);
            let more = match failing - shown {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let names = names[..shown].join(", ");
            format!("{failing} of {all} properties {verb}: {names}{more}.")
        }
        Summary::Unknown => {
            let open = of(Summary::Unknown).count();
            let verb = if open == 1 { "is" } else { "are" };
            format!("{open} of {all} properties {verb} undecided; none is known to fail.")
        }
    }
}

/// Where properties hold, with a space before it; nothing if that differs between them.
fn everywhere(report: &Report, properties: &[PropertyReport]) -> &'static str {
    let is_live = |property: &PropertyReport| property.kind == PropertyKind::Liveness;
    match report.problem {
        Problem::Program(_) => " in every run",
        Problem::System(_) if properties.iter().all(is_live) => " on every execution",
        Problem::System(_) if properties.iter().any(is_live) => "",
        Problem::System(_) => " in every reachable state",
    }
}

/// What the verdict on one property says.
pub fn of_property(report: &Report, property: &PropertyReport) -> String {
    let (name, what) = (&property.name, subject(property));
    match (&property.verdict, report.is_combinational()) {
        (Verdict::Safe(_), true) => format!("No values make {name} true."),
        (Verdict::Unsafe(_), true) => format!("These values make {name} true:"),
        (Verdict::Safe(proof), false) if property.kind == PropertyKind::Cover => {
            let how = self::proof(proof);
            format!("{what} is unreachable: proved by {how}, checked.")
        }
        (Verdict::Safe(proof), false) => {
            let everywhere = everywhere(report, std::slice::from_ref(property));
            let how = self::proof(proof);
            format!("{what} holds{everywhere}: proved by {how}, checked.")
        }
        (Verdict::Unsafe(Trace::System(trace)), false) if property.kind == PropertyKind::Cover => {
            let (depth, length) = (trace.depth(), length(report, property, trace));
            format!("{what} is reached in cycle {depth}: {length}, replayed.")
        }
        (Verdict::Unsafe(Trace::System(trace)), false) if trace.loop_start.is_some() => {
            let (repeat, length) = (repetition(trace), length(report, property, trace));
            format!("{what} fails: {repeat} forever; {length}, replayed.")
        }
        (Verdict::Unsafe(Trace::System(trace)), false) => {
            let (depth, length) = (trace.depth(), length(report, property, trace));
            format!("{what} fails in cycle {depth}: {length}, replayed.")
        }
        (Verdict::Unsafe(Trace::Program(trace)), false) => {
            format!("{what} fails: a run of {}, replayed.", count(trace.steps.len(), "step"))
        }
        (Verdict::Unknown(reason), _) => format!("{what} is undecided: {reason}."),
    }
}

/// Which cycles of a trace are its loop: `cycles 2 to 5 repeat`. Without a loop, the cycle in which
/// it ends: `in cycle 5`.
pub fn repetition(trace: &elinvar_ir::Trace) -> String {
    match (trace.loop_start, trace.depth()) {
        (Some(start), last) => repeated(start, last),
        (None, last) => format!("in cycle {last}"),
    }
}

/// `cycles 2 to 5 repeat`, or `cycle 5 repeats`.
pub(crate) fn repeated(start: usize, last: usize) -> String {
    match start == last {
        true => format!("cycle {last} repeats"),
        false => format!("cycles {start} to {last} repeat"),
    }
}

/// `a trace of 3 cycles`, and whether it is the shortest if that was asked for.
fn length(report: &Report, property: &PropertyReport, trace: &elinvar_ir::Trace) -> String {
    let cycles = count(trace.steps.len(), "cycle");
    match (report.options.shortening, property.is_shortest) {
        (Shortening::Full, true) => format!("a trace of {cycles}, the shortest"),
        (Shortening::Full, false) => format!("a trace of {cycles}, perhaps not the shortest"),
        (Shortening::Brief | Shortening::Off, _) => format!("a trace of {cycles}"),
    }
}

/// The property as the subject of a sentence.
fn subject(property: &PropertyReport) -> String {
    match property.kind {
        PropertyKind::Safety | PropertyKind::Liveness => format!("Property {}", property.name),
        PropertyKind::Cover => format!("Cover statement {}", property.name),
        PropertyKind::Program(AssertionKind::Assert) => "The assertion".to_owned(),
        PropertyKind::Program(AssertionKind::Requires) => "The precondition".to_owned(),
        PropertyKind::Program(AssertionKind::Ensures) => "The postcondition".to_owned(),
        PropertyKind::Program(AssertionKind::InvariantEntry) => {
            "The loop invariant, on entry to the loop,".to_owned()
        }
        PropertyKind::Program(AssertionKind::InvariantKept) => {
            "The loop invariant, after an iteration,".to_owned()
        }
    }
}

/// The kind and the size of a proof: `2-induction`, `invariants of 3 clauses at 1 location`.
pub fn proof(proof: &Proof) -> String {
    match proof {
        Proof::Certificate(proof) => certificate(proof),
        Proof::Invariants(proof) => invariants(proof),
    }
}

/// The kind and the size of a proof about a system.
pub fn certificate(proof: &Certificate) -> String {
    match proof {
        Certificate::Inductive { clauses } => {
            let literals = clauses.iter().map(Vec::len).sum();
            let (clauses, literals) = (count(clauses.len(), "clause"), count(literals, "literal"));
            format!("an inductive invariant of {clauses} with {literals}")
        }
        Certificate::Facts { clauses } => {
            let facts = clauses.iter().map(Vec::len).sum();
            let (clauses, facts) = (count(clauses.len(), "clause"), count(facts, "fact"));
            format!("an inductive invariant of {clauses} with {facts}")
        }
        Certificate::KInductive { k, simple_path: false } => format!("{k}-induction"),
        Certificate::KInductive { k, simple_path: true } => {
            format!("{k}-induction over simple paths")
        }
        Certificate::Formula(formula) => {
            format!("an inductive invariant of {}", count(formula.size(), "node"))
        }
        Certificate::Ranking(ranking) => {
            format!("a ranking of {}", count(ranking.size(), "node"))
        }
    }
}

/// `invariants of 3 clauses at 1 location`
fn invariants(proof: &Invariants) -> String {
    let stated = || proof.at.values().filter(|clauses| !clauses.is_empty());
    let clauses = stated().map(Vec::len).sum();
    if clauses == 0 {
        return "examining all paths".to_owned();
    }
    let (clauses, locations) = (count(clauses, "clause"), count(stated().count(), "location"));
    format!("invariants of {clauses} at {locations}")
}

/// How long a run is known to satisfy the assumptions, if it is not known that runs of any length
/// do.
pub fn known_run(report: &Report) -> Option<String> {
    let Some(Runs::AtLeast(cycles)) = report.runs else { return None };
    Some(match cycles {
        0 => "It is not known whether any run satisfies the assumptions.".to_owned(),
        _ => format!(
            "The assumptions allow a run of {}; it is not known whether they allow longer ones.",
            count(cycles, "cycle")
        ),
    })
}

/// The verdict on a property in one short sentence, for lists in which nothing else is said
/// about it.
pub(crate) fn brief(report: &Report, property: &PropertyReport) -> String {
    let name = &property.name;
    let what = match property.kind {
        PropertyKind::Safety | PropertyKind::Liveness => format!("Property {name}"),
        PropertyKind::Cover => format!("Cover statement {name}"),
        PropertyKind::Program(_) => match &property.location {
            Some(Location { text: Some(text), .. }) => format!("The {name} ({text})"),
            Some(_) | None => format!("The {name}"),
        },
    };
    let is_cover = property.kind == PropertyKind::Cover;
    match &property.verdict {
        Verdict::Unsafe(Trace::System(trace)) => {
            let verb = if is_cover { "is reached" } else { "fails" };
            let colon = if trace.loop_start.is_some() { ":" } else { "" };
            format!("{what} {verb}{colon} {}.", repetition(trace))
        }
        Verdict::Unsafe(Trace::Program(trace)) => {
            format!("{what} fails after {}.", count(trace.steps.len(), "step"))
        }
        Verdict::Unknown(reason) => format!("{what} is undecided: {reason}."),
        Verdict::Safe(_) if is_cover => format!("{what} is unreachable."),
        Verdict::Safe(_) => match (report.doubt(property), &property.vacuity) {
            (Some(doubt), _) => format!("{what} holds, but vacuously: {doubt}."),
            (None, Some(remark)) => format!("{what} holds; {remark}."),
            (None, None) => format!("{what} holds."),
        },
    }
}
