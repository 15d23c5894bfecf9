//! What a run found out: a checked verdict for each property, with its evidence.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use elinvar_check::Runs;
use elinvar_formats::boogie::Dialect;
use elinvar_ir::program::{AssertionKind, Invariants, ProgramTrace};
use elinvar_ir::{Certificate, PdrState, PropertyId, StopReason, Verdict};

use crate::explain::Explanation;
use crate::options::Options;
use crate::problem::Problem;
use crate::readable::count;
use crate::rtl::Elaboration;
use crate::statistics::Statistics;
use crate::vacuity::Vacuity;

/// The checked answers about a problem.
///
/// ```
/// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
/// let report = elinvar::check(&problem, &elinvar::Options::default())?;
/// assert_eq!((report.word(), report.reason(), report.dialect()), ("unsafe", None, None));
/// assert!(report.engines().starts_with("auto ("));
/// assert!(report.bugs.is_empty() && !report.is_combinational());
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    /// What was checked.
    pub problem: Problem,
    /// How it was checked.
    pub options: Options,
    /// The name of the engine or of the schedule.
    pub engine: &'static str,
    /// One for each property that was asked about, in their order.
    pub properties: Vec<PropertyReport>,
    /// The time of the whole run.
    pub time: Duration,
    /// The part of the time in which evidence was checked.
    pub checking: Duration,
    /// The part of that time in which the checker looked for vacuous proofs.
    pub vacuity_time: Duration,
    /// The runs that the constraints of a system allow. It is known if there are constraints
    /// and a property was proved.
    pub runs: Option<Runs>,
    /// What the engines did.
    pub statistics: Statistics,
    /// The time that the earlier proof took of which lemmas were reused.
    pub earlier_seconds: Option<f64>,
    /// What the run and those before it have learned, if [`Options::keep_lemmas`] asks for that.
    pub lemmas: Option<Arc<PdrState>>,
    /// Bugs of Elinvar that the run met: evidence that the checker refused, whose properties
    /// are unknown, and engines that panicked although properties are undecided.
    pub bugs: Vec<String>,
    /// What went wrong without harm to the verdicts.
    pub warnings: Vec<String>,
    /// The files that were written about the whole run.
    pub files: Vec<WrittenFile>,
    /// The evidence files that were asked for and not written, because no verdict comes with
    /// evidence of their kind.
    pub unwritten: Vec<WrittenFile>,
}

/// The checked answer about one property.
///
/// ```
/// use elinvar::ir::Verdict;
/// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
/// let report = elinvar::check(&problem, &elinvar::Options::default())?;
/// let property = &report.properties[0];
/// assert_eq!((property.kind.name(), property.summary().word()), ("safety", "unsafe"));
/// let Verdict::Unsafe(trace) = &property.verdict else { panic!("it toggles") };
/// assert_eq!((trace.len(), trace.is_empty()), (2, false));
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PropertyReport {
    /// The position of the property in the problem.
    pub id: PropertyId,
    /// The name of the property.
    pub name: String,
    /// What kind of property it is.
    pub kind: PropertyKind,
    /// Where it is in the source, if that is known.
    pub location: Option<Location>,
    /// The verdict. Its evidence has been checked.
    pub verdict: Verdict<Proof, Trace>,
    /// Where the evidence comes from.
    pub source: VerdictSource,
    /// The engine that decided it, or `store`.
    pub engine: Option<&'static str>,
    /// The time from the start of the run to the verdict, or the time of the whole run if
    /// there is none.
    pub time: Duration,
    /// The bad cycle of a trace or the number of its steps, the depth of an induction, the
    /// level at which a proof converged, or the bound that was reached.
    pub depth: Option<usize>,
    /// How many cycles of a system are known to be free of a failure, from the first one on.
    /// Only the engines say so; no evidence has been checked.
    pub excluded: usize,
    /// Is it known that no trace of a system is shorter?
    pub is_shortest: bool,
    /// Why a proof says less than it seems to.
    pub vacuity: Option<Vacuity>,
    /// Why the verdict is what it is, if [`Options::explain`] asks for that.
    pub explanation: Option<Explanation>,
    /// The files that were written about it.
    pub files: Vec<WrittenFile>,
}

/// A proof about a transition system or about a program.
#[derive(Clone, Debug)]
pub enum Proof {
    /// About a transition system.
    Certificate(Certificate),
    /// About a program.
    Invariants(Invariants),
}

/// An execution that violates a property.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each property")]
pub enum Trace {
    /// Of a transition system.
    System(elinvar_ir::Trace),
    /// Of a program.
    Program(ProgramTrace),
}

impl Trace {
    /// How many cycles of a system, or steps of a program, it has.
    pub fn len(&self) -> usize {
        match self {
            Trace::System(trace) => trace.steps.len(),
            Trace::Program(trace) => trace.steps.len(),
        }
    }

    /// Has it no steps? Only a program can fail at once.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The kinds of properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// A bad state of a system is not reachable.
    Safety,
    /// A state of a system is reachable: a cover statement.
    Cover,
    /// Some conditions of a system do not hold again and again.
    Liveness,
    /// A property of a program.
    Program(AssertionKind),
}

impl PropertyKind {
    /// The name of the kind in JSON.
    pub fn name(self) -> &'static str {
        match self {
            PropertyKind::Safety => "safety",
            PropertyKind::Cover => "cover",
            PropertyKind::Liveness => "liveness",
            PropertyKind::Program(AssertionKind::Assert) => "assert",
            PropertyKind::Program(AssertionKind::Requires) => "requires",
            PropertyKind::Program(AssertionKind::Ensures) => "ensures",
            PropertyKind::Program(AssertionKind::InvariantEntry) => "invariant at entry",
            PropertyKind::Program(AssertionKind::InvariantKept) => "invariant kept",
        }
    }
}

/// Where the evidence of a verdict comes from. It is checked in any case.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum VerdictSource {
    /// An engine of this run.
    #[default]
    Engine,
    /// An earlier run, which has left it in [`Options::store`].
    Store,
}

impl VerdictSource {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            VerdictSource::Engine => "engine",
            VerdictSource::Store => "store",
        }
    }
}

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1, if it is known.
    pub column: Option<usize>,
    /// The text of the source at this place, in one line, if the source is at hand.
    pub text: Option<String>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A file that was written about a property or about the whole run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenFile {
    /// The name of an [`crate::EvidenceKind`]; about the whole run, `lemmas`, `junit` or another
    /// kind of report.
    pub kind: &'static str,
    /// Its path.
    pub path: PathBuf,
}

/// A verdict in one word.
///
/// ```
/// use elinvar::Summary;
/// let all = Summary::of_all([Summary::Safe, Summary::Unknown].into_iter());
/// assert_eq!(all, Summary::Unknown);
/// let words = [Summary::Safe, Summary::Unsafe].map(|s| (s.word(), s.solver_word(), s.exit_code()));
/// assert_eq!(words, [("safe", "unsat", 20), ("unsafe", "sat", 10)]);
/// let covers = Summary::of_all([Summary::Reached, Summary::Unreachable].into_iter());
/// assert_eq!((covers, covers.exit_code()), (Summary::Unreachable, 10));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Summary {
    /// All properties hold, and all cover statements are reached.
    Safe,
    /// Some property fails.
    Unsafe,
    /// Only cover statements were asked about, and all of them are reached.
    Reached,
    /// No property is known to fail, but some cover statement cannot be reached.
    Unreachable,
    /// No property is known to fail and no cover statement to be unreachable, and some are
    /// undecided.
    Unknown,
}

impl Summary {
    /// The summary of one verdict, about an assertion.
    pub fn of<P, T>(verdict: &Verdict<P, T>) -> Self {
        match verdict {
            Verdict::Safe(_) => Summary::Safe,
            Verdict::Unsafe(_) => Summary::Unsafe,
            Verdict::Unknown(_) => Summary::Unknown,
        }
    }

    /// The summary of one verdict, about a cover statement.
    pub fn of_cover<P, T>(verdict: &Verdict<P, T>) -> Self {
        match verdict {
            Verdict::Safe(_) => Summary::Unreachable,
            Verdict::Unsafe(_) => Summary::Reached,
            Verdict::Unknown(_) => Summary::Unknown,
        }
    }

    /// The first of these that some part is: unsafe, unreachable, unknown, safe, reached.
    /// Safe if there is no part.
    pub fn of_all(parts: impl Iterator<Item = Self>) -> Self {
        let importance = |summary: &Self| match summary {
            Summary::Unsafe => 4,
            Summary::Unreachable => 3,
            Summary::Unknown => 2,
            Summary::Safe => 1,
            Summary::Reached => 0,
        };
        parts.max_by_key(importance).unwrap_or(Summary::Safe)
    }

    /// `safe`, `unsafe`, `reached`, `unreachable` or `unknown`.
    pub fn word(self) -> &'static str {
        match self {
            Summary::Safe => "safe",
            Summary::Unsafe => "unsafe",
            Summary::Reached => "reached",
            Summary::Unreachable => "unreachable",
            Summary::Unknown => "unknown",
        }
    }

    /// The answer to the question whether a bad state is reachable: `unsat`, `sat` or
    /// `unknown`.
    pub fn solver_word(self) -> &'static str {
        match self {
            Summary::Safe | Summary::Unreachable => "unsat",
            Summary::Unsafe | Summary::Reached => "sat",
            Summary::Unknown => "unknown",
        }
    }

    /// The exit code that solvers and model checkers use: 20 if everything is as the user
    /// hopes, 10 if something is not, 0 if that is not known.
    pub fn exit_code(self) -> u8 {
        match self {
            Summary::Safe | Summary::Reached => 20,
            Summary::Unsafe | Summary::Unreachable => 10,
            Summary::Unknown => 0,
        }
    }
}

impl PropertyReport {
    /// Was the property proved, but about less than it seems?
    pub fn is_vacuous(&self) -> bool {
        self.vacuity.as_ref().is_some_and(|vacuity| !vacuity.is_remark())
    }

    /// The verdict in one word.
    pub fn summary(&self) -> Summary {
        match self.kind {
            PropertyKind::Cover => Summary::of_cover(&self.verdict),
            PropertyKind::Safety | PropertyKind::Liveness | PropertyKind::Program(_) => {
                Summary::of(&self.verdict)
            }
        }
    }
}

impl Report {
    /// The verdict on all properties in one word.
    pub fn summary(&self) -> Summary {
        Summary::of_all(self.properties.iter().map(PropertyReport::summary))
    }

    /// The verdict in one word, which is `sat` or `unsat` for problems without time.
    pub fn word(&self) -> &'static str {
        let summary = self.summary();
        if self.is_combinational() { summary.solver_word() } else { summary.word() }
    }

    /// The verdict in one word, and why it is vacuous if the proofs of all properties are
    /// because of what is assumed: the first line of a report.
    pub fn headline(&self) -> String {
        let word = self.word();
        let assumed = |property: &PropertyReport| {
            property.vacuity.clone().filter(Vacuity::is_about_assumptions)
        };
        let causes: Option<Vec<Vacuity>> = self.properties.iter().map(assumed).collect();
        match causes {
            Some(mut causes) if !self.is_combinational() => {
                causes.dedup();
                let causes: Vec<String> = causes.iter().map(ToString::to_string).collect();
                format!("{word}, vacuously: {}", causes.join("; "))
            }
            Some(_) | None => word.to_owned(),
        }
    }

    /// Can the verdict be relied on: is no proof vacuous, and is every proof about runs at least
    /// as long as its depth?
    pub fn is_substantial(&self) -> bool {
        self.properties.iter().all(|property| self.doubt(property).is_none())
    }

    /// Why the proof of a property cannot be relied on: it is vacuous, or the assumptions are not
    /// known to allow a run as long as its depth.
    pub fn doubt(&self, property: &PropertyReport) -> Option<String> {
        if property.is_vacuous() {
            return property.vacuity.as_ref().map(ToString::to_string);
        }
        let is_proved = matches!(property.verdict, Verdict::Safe(_));
        let depth = property.depth.unwrap_or(0).max(1);
        match self.runs {
            Some(Runs::AtLeast(cycles)) if is_proved && cycles < depth => {
                let (known, depth) = (count(cycles, "cycle"), count(depth, "cycle"));
                Some(format!(
                    "the assumptions are known to allow a run of {known}, but the proof has a depth of {depth}"
                ))
            }
            Some(Runs::AtLeast(_) | Runs::Endless | Runs::Contradiction(_)) | None => None,
        }
    }

    /// Is the question about one moment, without any state?
    pub fn is_combinational(&self) -> bool {
        match &self.problem {
            Problem::System(problem) => problem.is_combinational(),
            Problem::Program(_) => false,
        }
    }

    /// How the model was made from a design in Verilog, if it was.
    pub fn elaboration(&self) -> Option<&Elaboration> {
        match &self.problem {
            Problem::System(problem) => problem.elaboration(),
            Problem::Program(_) => None,
        }
    }

    /// The dialect of a program.
    pub fn dialect(&self) -> Option<Dialect> {
        match &self.problem {
            Problem::System(_) => None,
            Problem::Program(problem) => Some(problem.reading().dialect),
        }
    }

    /// Why there is no verdict, if there is none.
    pub fn reason(&self) -> Option<&StopReason> {
        if self.summary() != Summary::Unknown {
            return None;
        }
        self.properties.iter().find_map(|property| property.verdict.reason())
    }

    /// The engine that ran, and those within it that decided something.
    pub fn engines(&self) -> String {
        let mut deciding: Vec<&str> = self.properties.iter().filter_map(|p| p.engine).collect();
        deciding.sort_unstable();
        deciding.dedup();
        match deciding[..] {
            [] => self.engine.to_owned(),
            [one] if one == self.engine => one.to_owned(),
            _ => format!("{} ({})", self.engine, deciding.join(", ")),
        }
    }
}
