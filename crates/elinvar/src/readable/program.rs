//! The invariants of a program as text.

use std::collections::BTreeMap;

use elinvar_formats::boogie;
use elinvar_ir::program::{Invariants, LocationId, Term};

use crate::problem::ProgramProblem;

/// What holds at a location of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocationInvariant {
    /// The procedure that is verified there.
    pub procedure: String,
    /// The line of the location, where the source has one.
    pub line: Option<usize>,
    /// The text of the source there, which begins with `while` at loops.
    pub text: String,
    /// Clauses as Boogie writes them, smaller ones first.
    pub clauses: Vec<String>,
}

impl LocationInvariant {
    /// The keyword before a clause: a loop takes `invariant`, a label `assert` after it.
    pub fn keyword(&self) -> &'static str {
        if self.text.starts_with("while") { "invariant" } else { "assert" }
    }
}

/// What some proofs say about the locations of a program, without clauses that are true.
///
/// ```
/// use elinvar::ir::Verdict;
/// use elinvar::readable::program::invariants;
/// let text = "procedure p() { var x: int; x := 0; while (x < 9) { x := x + 1; } assert x == 9; }";
/// let problem = elinvar::Problem::parse("p.bpl", text)?;
/// let report = elinvar::check(&problem, &elinvar::Options::default())?;
/// let elinvar::Problem::Program(problem) = problem else { unreachable!() };
/// let Verdict::Safe(elinvar::Proof::Invariants(proof)) = &report.properties[0].verdict else {
///     panic!("the loop ends at 9")
/// };
/// let at_loop = &invariants(&problem, [proof])[0];
/// assert_eq!((at_loop.line, at_loop.keyword()), (Some(1), "invariant"));
/// # Ok::<(), elinvar::Error>(())
/// ```
pub fn invariants<'p>(
    problem: &ProgramProblem,
    proofs: impl IntoIterator<Item = &'p Invariants>,
) -> Vec<LocationInvariant> {
    let mut known: BTreeMap<LocationId, Vec<String>> = BTreeMap::new();
    for proof in proofs {
        for (&location, clauses) in &proof.at {
            let texts = known.entry(location).or_default();
            let is_informative = |clause: &&Term| proof.terms.as_bool(**clause) != Some(true);
            for &clause in clauses.iter().filter(is_informative) {
                let text = boogie::expression(&proof.terms, clause, problem.reading().dialect);
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
    }
    let informative = known.into_iter().filter(|(_, clauses)| !clauses.is_empty());
    informative.map(|(location, clauses)| described(problem, location, clauses)).collect()
}

fn described(
    problem: &ProgramProblem,
    location: LocationId,
    mut clauses: Vec<String>,
) -> LocationInvariant {
    clauses.sort_by_key(|text| (text.len(), text.clone()));
    let location = problem.program().location(location);
    let (source, span) = (problem.source(), &location.span);
    LocationInvariant {
        procedure: location.procedure.clone(),
        line: (!span.is_empty()).then(|| source.line(span.start)),
        text: source.excerpt(span),
        clauses,
    }
}
