//! The measurements as text: one line per model, then medians and the worst edits.

use std::fmt::Write;
use std::path::Path;

use super::edits::Edit;
use super::record::{Answer, EditRecord, ModelRecord};
use crate::harness::statistics::median;

/// How many of the worst edits are listed.
const WORST: usize = 5;

pub fn head() -> String {
    row(["model", "proof", "edited", "reuse", "ratio", "worst", "kept", "edits"].map(String::from))
}

/// The time of the proof, and of its edits the median times from scratch and with
/// reuse, the median and the largest ratio of these, and the lemmas that were kept.
pub fn line(record: &ModelRecord) -> String {
    let of = |value: fn(&EditRecord) -> f64| record.edits.iter().map(value).collect::<Vec<f64>>();
    let ratios = of(EditRecord::ratio);
    row([
        name(record),
        format!("{:.2}", record.proof.seconds),
        seconds(median(of(|edit| edit.nothing.seconds))),
        seconds(median(of(|edit| edit.reuse.seconds))),
        ratio(median(ratios.clone())),
        ratio(ratios.into_iter().reduce(f64::max)),
        kept(record.edits.iter()),
        record.edits.len().to_string(),
    ])
}

fn row([first, others @ ..]: [String; 8]) -> String {
    let mut line = format!("{first:<48}");
    for cell in others {
        write!(line, " {cell:>7}").expect("writing to memory does not fail");
    }
    line
}

/// Medians over models, edits and kinds of edits; the worst edits; differing verdicts.
pub fn summary(records: &[ModelRecord]) -> String {
    let edits = || records.iter().flat_map(|record| record.edits.iter().map(move |e| (record, e)));
    let of_model = |record: &ModelRecord| median(record.edits.iter().map(EditRecord::ratio));
    let models = ratio(median(records.iter().filter_map(of_model)));
    let all = ratio(median(edits().map(|(_, edit)| edit.ratio())));
    let mut text = format!(
        "\nmedian ratio: {models} over {} models, {all} over {} edits; lemmas kept: {}\n",
        records.len(),
        edits().count(),
        kept(edits().map(|(_, edit)| edit)),
    );
    for kind in Edit::ALL.map(Edit::name) {
        let of_kind = || edits().filter(|(_, edit)| edit.kind == kind).map(|(_, edit)| edit);
        if of_kind().next().is_some() {
            let (middle, count) = (median(of_kind().map(EditRecord::ratio)), of_kind().count());
            let worst = of_kind().map(EditRecord::ratio).reduce(f64::max);
            text += &format!(
                "  {kind:<18} {:>5}, worst {:>5}, lemmas kept {:>4}, {count} edits\n",
                ratio(middle),
                ratio(worst),
                kept(of_kind()),
            );
        }
    }
    let mut sorted: Vec<_> = edits().collect();
    sorted.sort_by(|(_, a), (_, b)| b.ratio().total_cmp(&a.ratio()));
    text += "worst:\n";
    for (record, edit) in sorted.into_iter().take(WORST) {
        text += &format!("  {}\n", describe(record, edit));
    }
    let differing: Vec<_> = edits().filter(|(_, edit)| edit.differs()).collect();
    text += &format!("verdicts that differ: {}\n", differing.len());
    for (record, edit) in differing {
        text += &format!("  {}\n", describe(record, edit));
    }
    text
}

/// An edit and what came of it, in a line.
pub fn describe(record: &ModelRecord, edit: &EditRecord) -> String {
    let told = |answer: &Answer| format!("{} in {:.2} s", answer.verdict(), answer.seconds);
    format!(
        "{} {} (seed {}): {} from scratch, {} with reuse, {} of the lemmas kept",
        name(record),
        edit.kind,
        edit.seed,
        told(&edit.nothing),
        told(&edit.reuse),
        kept([edit]),
    )
}

fn name(record: &ModelRecord) -> String {
    let name = Path::new(&record.model).file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn seconds(seconds: Option<f64>) -> String {
    seconds.map_or_else(String::new, |seconds| format!("{seconds:.2}"))
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"))
}

/// The share of the lemmas that were kept, over all edits.
fn kept<'a>(edits: impl IntoIterator<Item = &'a EditRecord>) -> String {
    let (mut offered, mut kept) = (0u64, 0u64);
    for lemmas in edits.into_iter().filter_map(|edit| edit.reuse.lemmas) {
        offered += lemmas.offered;
        kept += lemmas.kept;
    }
    (100 * kept).checked_div(offered).map_or_else(|| "-".into(), |percent| format!("{percent}%"))
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::{answer, edit};
    use super::*;

    #[test]
    fn lines_and_summary_tell_ratios_lemmas_and_differences() {
        let safe = |seconds, lemmas| answer(&["safe"], seconds, lemmas);
        let edits = vec![
            edit(safe(10.0, None), safe(1.0, Some((10, 10)))),
            edit(safe(10.0, None), safe(2.0, Some((10, 9)))),
            edit(safe(10.0, None), answer(&[], 60.0, None)),
        ];
        let record = ModelRecord { model: "a/ring.aig".into(), proof: safe(9.0, None), edits };
        let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            words(line(&record)),
            ["ring.aig", "9.00", "10.00", "2.00", "0.20", "6.00", "95%", "3"]
        );
        assert_eq!(line(&record).len(), head().len());
        let expected = "
median ratio: 0.20 over 1 models, 0.20 over 3 edits; lemmas kept: 95%
  rename              0.20, worst  6.00, lemmas kept  95%, 3 edits
worst:
  ring.aig rename (seed 3): safe in 10.00 s from scratch, too long in 60.00 s with reuse, - of the lemmas kept
  ring.aig rename (seed 3): safe in 10.00 s from scratch, safe in 2.00 s with reuse, 90% of the lemmas kept
  ring.aig rename (seed 3): safe in 10.00 s from scratch, safe in 1.00 s with reuse, 100% of the lemmas kept
verdicts that differ: 1
  ring.aig rename (seed 3): safe in 10.00 s from scratch, too long in 60.00 s with reuse, - of the lemmas kept
";
        assert_eq!(summary(&[record]), expected);
    }
}
