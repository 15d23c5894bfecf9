//! Runs of Z3's Spacer on the Horn clauses of a program.

use std::ffi::OsString;
use std::path::Path;

use elinvar_formats::horn;

use super::Reason;
use crate::harness::bench::Bench;
use crate::harness::list::Instance;
use crate::harness::outcome::{Outcome, Verdict};
use crate::harness::process::{self, Finished};
use crate::harness::run::{Measured, Run};

/// Runs Spacer with these parameters, within so many MiB. The translation to clauses is not
/// measured.
pub fn measure(
    bench: &Bench,
    z3: &Path,
    memory: u32,
    instance: &Instance,
    parameters: &[&str],
) -> Result<Run<Reason>, String> {
    let clauses = match bench.translated(instance, "clauses.smt2") {
        Ok(clauses) => clauses,
        Err(reason) => return Ok(ended(Outcome::Failed, 0.0, &reason)),
    };
    let text = std::fs::read_to_string(&clauses).unwrap_or_default();
    let in_part = text.lines().any(|line| line.starts_with(horn::APPROXIMATED));
    let memory = format!("-memory:{memory}");
    let words = parameters.iter().map(OsString::from).chain([memory.into(), clauses.into()]);
    let words = std::iter::once(z3.as_os_str().to_owned()).chain(words);
    let Finished { output, time, too_long } = process::run(words, bench.limit)?;
    let (text, seconds) = (String::from_utf8_lossy(&output.stdout), time.as_secs_f64());
    let outcome = if too_long { Outcome::TooLong } else { answer(&text) };
    if outcome == Outcome::Decided(Verdict::Unsafe) && in_part {
        return Ok(ended(
            Outcome::Unknown,
            seconds,
            "the clauses describe only part of the program",
        ));
    }
    Ok(ended(outcome, seconds, if outcome == Outcome::Failed { &text } else { "" }))
}

fn ended(outcome: Outcome, seconds: f64, reason: &str) -> Run<Reason> {
    Run { outcome, seconds, measured: Reason::failed(reason) }
}

/// The clauses have a solution if the program is safe.
fn answer(text: &str) -> Outcome {
    match text.lines().next().map(str::trim) {
        Some("sat") => Outcome::Decided(Verdict::Safe),
        Some("unsat") => Outcome::Decided(Verdict::Unsafe),
        Some("unknown") => Outcome::Unknown,
        // Z3's answer when its time is over.
        Some("timeout") => Outcome::TooLong,
        Some(_) | None => Outcome::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_of_the_clauses_is_a_proof() {
        assert_eq!(answer("sat\n"), Outcome::Decided(Verdict::Safe));
        assert_eq!(answer("unsat\n"), Outcome::Decided(Verdict::Unsafe));
        assert_eq!(answer("unknown\n"), Outcome::Unknown);
        assert_eq!(answer("timeout\n"), Outcome::TooLong);
        assert_eq!(answer("(error \"line 1\")\nunsat\n"), Outcome::Failed);
        assert_eq!(answer(""), Outcome::Failed);
    }
}
