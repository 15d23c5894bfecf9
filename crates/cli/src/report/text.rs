//! The report for people: the verdict, what it means, and what to look at.

use std::fmt::Write;

use elinvar::formats::boogie::Dialect;
use elinvar::ir::program::{ProgramTrace, Value, VariableId};
use elinvar::ir::{Certificate, Verdict};
use elinvar::readable::digest::{Digest, View};
use elinvar::readable::invariant;
use elinvar::readable::program::{LocationInvariant, invariants};
use elinvar::readable::story::{self, Excerpt, Gap, Row};
use elinvar::readable::{count, seconds, sentence, value};
use elinvar::{
    Location, Problem, ProgramProblem, Proof, PropertyKind, PropertyReport, Report, Summary, Trace,
    VerdictSource,
};
use elinvar_engines::pdr::Reuse;

use super::columns::{Cell, Fit, flow, layout};
use super::table::{self, Look, shorten};
use super::{explanation, properties, substance};
use crate::output;
use crate::style::{self, paint};

/// Names of failing properties in a sentence, on a terminal.
const NAMES: usize = 6;

/// Lines of an invariant before the larger clauses are left out.
const LINES: usize = 20;

/// The longest value of a program that is shown.
const VALUE: usize = 60;

const STRINGS: &str = "strings do not fail";

/// The whole report. The first line is the verdict's word, and why it is vacuous if it is.
pub fn render(report: &Report, view: &View, look: Look) -> String {
    let headline = report.headline();
    let mut text = format!(
        "{}\n{}{}",
        style::headline(report.summary(), &headline),
        meaning(report, look),
        flow(&substance::lines(report, &headline), look.limit())
    );
    if report.properties.len() > 1 {
        write!(text, "\n{}", properties::table(report, look)).expect(STRINGS);
    }
    text.push_str(&failure(report, view, look));
    // An explanation has the invariants of systems.
    if !report.options.explain || matches!(report.problem, Problem::Program(_)) {
        text.push_str(&invariant_text(report, look));
    }
    text.push_str(&flow(&explanation::render(report), look.limit()));
    if let Some(line) = reuse(report) {
        write!(text, "\n{line}").expect(STRINGS);
    }
    if let Some(line) = stored(report) {
        write!(text, "\n{line}").expect(STRINGS);
    }
    let dialect = match report.dialect() {
        None | Some(Dialect::Boogie) => "",
        Some(Dialect::Ultimate) => "dialect ultimate, ",
    };
    let undecided = report.summary() == Summary::Unknown && report.statistics.total().count > 0;
    let reached =
        if undecided { format!(", bound {}", report.statistics.bound) } else { String::new() };
    let (engines, time) = (report.engines(), seconds(report.time));
    let elaboration = report.elaboration().map_or_else(String::new, |elaboration| {
        format!(" with {} in Yosys", seconds(elaboration.time))
    });
    let line = format!("{engines}, {dialect}{time}{elaboration}{reached}");
    writeln!(text, "\n{}", paint(style::DIM, &line)).expect(STRINGS);
    text.push_str(&output::other_files(report));
    text
}

/// How much of the earlier proof was of use.
fn reuse(report: &Report) -> Option<String> {
    let (reuse, before) = (report.statistics.reuse()?, report.earlier_seconds?);
    let Reuse { offered, kept, always, queries, .. } = reuse;
    let queries = if queries == 1 { "1 query".to_owned() } else { format!("{queries} queries") };
    // Lemmas that no longer hold save nothing, and a run without a verdict is not over.
    let saved = if kept > 0 && report.summary() != Summary::Unknown {
        let saved = (before - report.time.as_secs_f64()).max(0.0);
        format!("; that saved {saved:.2} s of {before:.2} s")
    } else {
        String::new()
    };
    Some(format!(
        "Reused {kept} of {offered} lemmas, {always} of them inductive, after {queries}{saved}.\n"
    ))
}

/// How many verdicts come from the store.
fn stored(report: &Report) -> Option<String> {
    report.options.store.as_ref()?;
    let is_stored = |property: &&PropertyReport| property.source == VerdictSource::Store;
    let (stored, all) =
        (report.properties.iter().filter(is_stored).count(), report.properties.len());
    Some(match (stored, all) {
        (0, 1) => "The store had no evidence for this property.\n".to_owned(),
        (0, _) => "The store had no evidence for these properties.\n".to_owned(),
        (1, 1) => "The evidence comes from the store and was checked again.\n".to_owned(),
        (_, _) => format!(
            "The evidence for {stored} of {all} properties comes from the store and was checked \
             again.\n"
        ),
    })
}

/// What the verdict says, in sentences.
fn meaning(report: &Report, look: Look) -> String {
    if let [property] = &report.properties[..] {
        return meaning_of_one(report, property, look);
    }
    let most = if look.limit().is_some() { NAMES } else { usize::MAX };
    flow(&format!("{}\n", sentence::of_report(report, most)), look.limit())
}

/// The meaning of one verdict, after the place of the property if it has one.
fn meaning_of_one(report: &Report, property: &PropertyReport, look: Look) -> String {
    let place = || paint(style::PLACE, &place(property));
    let heading = match &property.location {
        Some(Location { text: Some(source), .. }) => format!("{}: {source}\n", place()),
        Some(_) => format!("{}\n", place()),
        None => String::new(),
    };
    let sentence = sentence::of_property(report, property);
    flow(&format!("{heading}{sentence}\n"), look.limit())
}

/// `file:line` of a property whose place is known.
pub(super) fn place(property: &PropertyReport) -> String {
    property.location.as_ref().map_or_else(String::new, ToString::to_string)
}

/// The trace of the failing property that is reached first; of a cover statement only if
/// nothing else was asked about.
fn failure(report: &Report, view: &View, look: Look) -> String {
    let is_cover = |property: &PropertyReport| property.kind == PropertyKind::Cover;
    let covers = report.properties.iter().all(is_cover);
    let failing = report.properties.iter().filter_map(|property| match &property.verdict {
        Verdict::Unsafe(trace) if covers || !is_cover(property) => Some((property, trace)),
        Verdict::Unsafe(_) | Verdict::Safe(_) | Verdict::Unknown(_) => None,
    });
    let shortest = failing.min_by_key(|(property, trace)| (trace.len(), property.id));
    let Some((property, trace)) = shortest else { return String::new() };
    let mut text = String::new();
    if report.properties.len() > 1 {
        write!(text, "\n{}", meaning_of_one(report, property, look)).expect(STRINGS);
    }
    let table = match (trace, &report.problem) {
        (Trace::System(trace), Problem::System(problem)) => {
            let digest = view.of_counterexample(problem.system(), trace);
            signals(&digest, Look { numbered: !problem.is_combinational(), ..look })
        }
        (Trace::Program(trace), Problem::Program(problem)) => run(problem, trace, look),
        (Trace::System(_) | Trace::Program(_), _) => {
            unreachable!("traces are about the problem of the report")
        }
    };
    if !table.is_empty() {
        write!(text, "\n{table}").expect(STRINGS);
    }
    text
}

/// The table of the signals of a view, and how many others there are.
pub fn signals(digest: &Digest, look: Look) -> String {
    let mut text = table::render(&digest.waves, look);
    if digest.left_out > 0 {
        let more = count(digest.left_out, "more signal");
        let how = "--all or --signals shows them, --vcd writes them all";
        writeln!(text, "  … and {more}; {how}").expect(STRINGS);
    }
    text
}

/// The lines of a run, with the values that they wrote.
fn run(problem: &ProgramProblem, trace: &ProgramTrace, look: Look) -> String {
    let rows = story::rows(problem, trace);
    let Excerpt { first, gap, last } = match look.complete {
        true => Excerpt { first: &rows, gap: None, last: &[] },
        false => story::excerpt(&rows),
    };
    let cells = |row: &Row| {
        let assigned =
            |(variable, value): &(VariableId, Value)| assigned(problem, *variable, value, look);
        let values: Vec<String> = row.values.iter().map(assigned).collect();
        let line = row.line.map_or_else(String::new, |line| line.to_string());
        [line, row.text.clone(), values.join(", ")].map(Cell::from)
    };
    let header = ["line", "statement", "values"].map(|name| Cell::styled(name, style::HEAD));
    let shown = first.iter().filter(|row| row.line.is_some() || !row.values.is_empty());
    let mut table: Vec<[Cell; 3]> = std::iter::once(header).chain(shown.map(cells)).collect();
    table.extend(gap.map(|gap| left_out(&gap).map(Cell::from)));
    table.extend(last.iter().map(cells));
    layout(&table, &[Fit::Keep, Fit::Wrap(24), Fit::Wrap(16)], look.limit())
}

fn assigned(
    problem: &ProgramProblem,
    variable: VariableId,
    assigned: &Value,
    look: Look,
) -> String {
    let terms = &problem.program().terms;
    let most = if look.complete { usize::MAX } else { VALUE };
    format!("{} = {}", terms.name(variable), shorten(&value::text(terms, assigned), most))
}

fn left_out(gap: &Gap) -> [String; 3] {
    let rounds = gap.rounds.map_or_else(String::new, |(line, times)| {
        format!("; line {line} is executed {times} times in them")
    });
    let text = format!("… {} more{rounds}", count(gap.rows, "statement"));
    ["…".to_owned(), text, String::new()]
}

/// What the proofs say about every reachable state, where people can read it.
fn invariant_text(report: &Report, look: Look) -> String {
    let proofs = || {
        report.properties.iter().filter_map(|property| match &property.verdict {
            Verdict::Safe(proof) => Some(proof),
            Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
        })
    };
    match &report.problem {
        Problem::System(problem) => {
            let facts = proofs().filter_map(|proof| match proof {
                Proof::Certificate(Certificate::Facts { clauses }) => Some(clauses),
                Proof::Certificate(_) | Proof::Invariants(_) => None,
            });
            let lines = invariant::lines(problem.system(), facts.flatten());
            if lines.is_empty() {
                return String::new();
            }
            format!("\nThe invariant:\n{}", excerpt(&lines, look))
        }
        Problem::Program(problem) => {
            let proofs = proofs().filter_map(|proof| match proof {
                Proof::Invariants(proof) => Some(proof),
                Proof::Certificate(_) => None,
            });
            let at = |at: &LocationInvariant| location_invariant(problem, at, look);
            invariants(problem, proofs).iter().map(at).collect()
        }
    }
}

/// The clauses at a location, which can be pasted into the program there.
fn location_invariant(problem: &ProgramProblem, at: &LocationInvariant, look: Look) -> String {
    let place = match at.line {
        Some(line) => {
            let place = format!("{}:{line}", problem.source().name());
            format!("{}: {}", paint(style::PLACE, &place), at.text)
        }
        None => format!("in {}:", at.procedure),
    };
    let keyword = at.keyword();
    let lines: Vec<String> =
        at.clauses.iter().map(|clause| format!("{keyword} {clause};")).collect();
    format!("\n{place}\n{}", excerpt(&lines, look))
}

/// The first lines of an invariant.
fn excerpt(lines: &[String], look: Look) -> String {
    let most = if look.complete { usize::MAX } else { LINES };
    let mut text = String::new();
    for line in lines.iter().take(most) {
        writeln!(text, "  {line}").expect(STRINGS);
    }
    if lines.len() > most {
        let more = lines.len() - most;
        writeln!(text, "  … and {more} more; --all or --json lists them all").expect(STRINGS);
    }
    flow(&text, look.limit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar::ir::{Fact, Sort, SystemBuilder, Word};

    #[test]
    fn long_invariants_are_cut() {
        let lines: Vec<String> = (0..=LINES).map(|n| format!("x >= {n}")).collect();
        let text = excerpt(&lines, Look::default());
        assert!(text.starts_with("  x >= 0\n"));
        assert!(text.ends_with("\n  x >= 19\n  … and 1 more; --all or --json lists them all\n"));
        let complete = Look { complete: true, ..Look::default() };
        assert!(excerpt(&lines, complete).ends_with("\n  x >= 20\n"));
    }

    /// Two properties, both proved by the same fact about a register.
    #[test]
    fn facts_are_shown_once() {
        let mut b = SystemBuilder::new();
        let pc = b.state(Sort::Bv(2), Some("pc")).unwrap();
        let never = b.pool.bool(false);
        b.bad("p", never);
        b.bad("q", never);
        let problem = Problem::from(b.finish().unwrap());
        let mut report = elinvar::check(&problem, &elinvar::Options::default()).unwrap();
        let fact = Fact::Bit { word: Word { state: pc, element: None }, bit: 1, value: false };
        let proof = Certificate::Facts { clauses: vec![vec![fact]] };
        for property in &mut report.properties {
            property.verdict = Verdict::Safe(Proof::Certificate(proof.clone()));
        }
        let invariant = "\n\nThe invariant:\n  pc[1] = 0\n\n";
        let both = render(&report, &View::default(), Look::default());
        assert_eq!(both.matches(invariant).count(), 1, "{both}");
        let expected = serde_json::json!({
            "kind": "facts", "clauses": 1, "literals": 1, "invariant": ["pc[1] = 0"],
        });
        assert_eq!(report.to_json()["properties"][0]["certificate"], expected);
        report.properties.truncate(1);
        let text = render(&report, &View::default(), Look::default());
        let size = "an inductive invariant of 1 clause with 1 fact, checked.";
        assert!(text.contains(size) && text.contains(invariant), "{text}");
    }
}
