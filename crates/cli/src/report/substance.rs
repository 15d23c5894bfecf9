//! What proofs say less than they seem to, in lines of the report.

use std::collections::BTreeSet;

use elinvar::readable::sentence;
use elinvar::{PropertyReport, Report, Vacuity};

/// The lines about vacuous proofs, as far as the first line of the report does not say it.
pub fn lines(report: &Report, headline: &str) -> String {
    let mut lines = causes(report, headline);
    let unused = with(report, &Vacuity::Antecedent);
    match &unused[..] {
        [] => {}
        [_] if report.properties.len() == 1 => {
            lines.push(format!("vacuous: {}", Vacuity::Antecedent));
        }
        names => {
            let (verb, names) =
                (if names.len() == 1 { "is" } else { "are each" }, names.join(", "));
            let never = "checked only under a condition that never holds";
            lines.push(format!("vacuous: {names} {verb} {never}"));
        }
    }
    let unreached = with(report, &Vacuity::Unreached);
    match &unreached[..] {
        [] => {}
        [_] if report.properties.len() == 1 => lines.push(format!("note: {}", Vacuity::Unreached)),
        names => lines.push(format!("note: no run reaches {}", names.join(", "))),
    }
    lines.extend(sentence::known_run(report));
    lines.into_iter().map(|line| format!("{line}\n")).collect()
}

/// Why proofs are vacuous, where the cause is not one of a single property.
fn causes(report: &Report, headline: &str) -> Vec<String> {
    let is_shared = |vacuity: &&Vacuity| vacuity.is_about_assumptions();
    let shared = report.properties.iter().filter_map(|p| p.vacuity.as_ref()).filter(is_shared);
    let (mut causes, mut consequences) = (BTreeSet::new(), BTreeSet::new());
    for vacuity in shared {
        causes.insert(vacuity.to_string());
        consequences.extend(vacuity.consequence());
    }
    causes.retain(|cause| !headline.contains(cause));
    causes.into_iter().map(|cause| format!("vacuous: {cause}")).chain(consequences).collect()
}

/// The names of the properties with this vacuity.
fn with<'r>(report: &'r Report, vacuity: &Vacuity) -> Vec<&'r str> {
    let has_it = |property: &&PropertyReport| property.vacuity.as_ref() == Some(vacuity);
    report.properties.iter().filter(has_it).map(|property| &property.name[..]).collect()
}
