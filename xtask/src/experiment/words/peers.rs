//! Figure 9 of the paper: the time of the engine against that of programs which see the
//! model as bits; and of one that reads its words.
//!
//! Models with several properties are left out: programs differ in what they make of these.

use super::list::Instance;
use super::results::{Part, Results, Row};
use super::section::{Plot, Section};
use super::settings::{Peer, Setting};
use crate::experiment::outcome::{Outcome, Verdict};
use crate::experiment::scatter::times::{Times, told};
use crate::experiment::scatter::{Point, Scatter};
use crate::experiment::table::{Cell, Table};

const OURS: Setting = Setting::DEFAULT;

/// Seconds; the mere start of any of the programs takes less.
const CLEARLY: f64 = 0.1;

/// The engine on all models; peers where they can be compared.
pub fn settings(peers: &[Peer]) -> Vec<Setting> {
    [OURS].into_iter().chain(peers.iter().map(|&peer| Setting::Peer(peer))).collect()
}

/// Do all programs mean the same by a verdict?
pub fn is_comparable(instance: &Instance) -> bool {
    instance.properties == 1
}

/// The peers, and why some are missing.
pub fn section(results: &Results, peers: &[Peer], missing: &[String]) -> Section {
    let (silent, peers): (Vec<Peer>, Vec<Peer>) =
        peers.iter().partition(|&&peer| is_silent(results, peer));
    let mut notes = vec![notes_on_counting(results)];
    notes.extend(missing.iter().cloned());
    notes.extend(silent.iter().map(|peer| {
        format!(
            "{} is left out: it gave no verdict on any model, nor reached the limit.",
            peer.name()
        )
    }));
    notes.extend(peers.iter().filter_map(|&peer| note_on_failures(results, peer)));
    let parts = results.parts();
    let mut table = Table::new([
        "against",
        "part",
        "models",
        "words",
        "other",
        "only words",
        "only other",
        "words faster",
        "clearly",
        "other clearly",
    ]);
    let mut plots = Vec::new();
    for &peer in &peers {
        for part in &parts {
            table.rows.push(Comparison::new(results, part, peer).cells(peer, part));
            let caption = format!("words against {}: {}", peer.name(), part.name());
            plots.extend(plot(results, part, peer).map(|svg| Plot { caption, svg }));
        }
    }
    let title = "Figure 9: processor time against other programs".into();
    Section { title, notes, table, plots }
}

fn notes_on_counting(results: &Results) -> String {
    let left_out = results.rows.iter().filter(|row| !is_comparable(&row.instance)).count();
    format!(
        "Faster: of the models that either solves, where what is not solved counts as the limit of \
         {} s; clearly: by more than {CLEARLY} s, as the programs take different times \
         to start. The time of words includes the check of its evidence, that of programs on bits \
         not the translation. Left out for their several properties: {left_out}.",
        results.limit
    )
}

fn compared<'a>(results: &'a Results, part: &'a Part) -> impl Iterator<Item = &'a Row> {
    results.rows_of(part).filter(|row| is_comparable(&row.instance))
}

fn outcomes(results: &Results, peer: Peer) -> impl Iterator<Item = Outcome> {
    let runs = results.rows.iter().filter_map(move |row| row.run(Setting::Peer(peer)));
    runs.map(|run| run.outcome)
}

/// Such as a program that cannot read the format.
fn is_silent(results: &Results, peer: Peer) -> bool {
    outcomes(results, peer).all(|outcome| outcome == Outcome::Failed)
}

fn note_on_failures(results: &Results, peer: Peer) -> Option<String> {
    let failed = outcomes(results, peer).filter(|&outcome| outcome == Outcome::Failed).count();
    let name = peer.name();
    (failed > 0).then(|| format!("{name} ended without a verdict on {failed} models."))
}

/// The engine and a peer on the models of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Comparison {
    models: usize,
    ours: usize,
    theirs: usize,
    both: usize,
    /// The engine took less time, or only the engine came to an end.
    faster: usize,
    /// The engine was clearly faster, or clearly slower.
    clearly: [usize; 2],
}

impl Comparison {
    fn new(results: &Results, part: &Part, peer: Peer) -> Self {
        let mut counts = Comparison::default();
        let limit = f64::from(results.limit);
        for row in compared(results, part) {
            let (ours, theirs) = (row.seconds(OURS), row.seconds(Setting::Peer(peer)));
            counts.models += 1;
            counts.ours += usize::from(ours.is_some());
            counts.theirs += usize::from(theirs.is_some());
            counts.both += usize::from(ours.is_some() && theirs.is_some());
            let (ours, theirs) = (ours.unwrap_or(limit), theirs.unwrap_or(limit));
            counts.faster += usize::from(ours < theirs);
            counts.clearly[0] += usize::from(ours + CLEARLY < theirs);
            counts.clearly[1] += usize::from(theirs + CLEARLY < ours);
        }
        counts
    }

    fn cells(&self, peer: Peer, part: &Part) -> Vec<Cell> {
        let either = self.ours + self.theirs - self.both;
        let faster = match either {
            0 => "-".to_owned(),
            _ => format!("{:.0}% of {either}", 100.0 * self.faster as f64 / either as f64),
        };
        let cells = [
            peer.name().to_owned(),
            part.name().to_owned(),
            self.models.to_string(),
            self.ours.to_string(),
            self.theirs.to_string(),
            (self.ours - self.both).to_string(),
            (self.theirs - self.both).to_string(),
            faster,
            self.clearly[0].to_string(),
            self.clearly[1].to_string(),
        ];
        cells.map(Cell::new).to_vec()
    }
}

/// The engine upwards, the peer across, on the models that one of them solves.
fn plot(results: &Results, part: &Part, peer: Peer) -> Option<String> {
    let other = Setting::Peer(peer);
    let seconds = compared(results, part).flat_map(|row| [row.seconds(other), row.seconds(OURS)]);
    let times = Times::new(results.limit, seconds.flatten());
    let (across, up) = (peer.name(), "words");
    let point = |row: &Row| {
        let (theirs, ours) = (row.seconds(other), row.seconds(OURS));
        theirs.or(ours)?;
        Some(Point {
            across: times.share(theirs),
            up: times.share(ours),
            kind: verdict(row)?.word(),
            told: format!("{}: {across} {}, {up} {}", row.instance.path, told(theirs), told(ours)),
        })
    };
    let points = compared(results, part).filter_map(point).collect();
    let kinds = Verdict::ALL.map(Verdict::word);
    Scatter { across, up, marks: times.marks(), kinds: &kinds, points }.svg()
}

/// What is known of the model, or what was found.
fn verdict(row: &Row) -> Option<Verdict> {
    let found = || row.runs.values().find_map(|run| run.outcome.verdict());
    row.instance.expected.or_else(found)
}

#[cfg(test)]
mod tests {
    use super::super::record::Run;
    use super::super::record::tests::decided;
    use super::super::results::tests::{results, row};
    use super::*;

    fn pair(path: &str, ours: Option<f64>, theirs: Option<f64>) -> Row {
        let run = |seconds: Option<f64>| {
            let too_long = Run::new(Outcome::TooLong, 10.0);
            seconds.map_or(too_long, |seconds| decided(Verdict::Safe, seconds))
        };
        let failed = Run::new(Outcome::Failed, 0.1);
        let [abc, words] = [Peer::Abc, Peer::Ric3Words].map(Setting::Peer);
        row(path, &[(OURS, run(ours)), (abc, run(theirs)), (words, failed)])
    }

    fn rows() -> Vec<Row> {
        let mut several = pair("bits/several", Some(1.0), Some(9.0));
        several.instance.properties = 2;
        vec![
            pair("bits/faster", Some(1.0), Some(2.0)),
            pair("bits/start", Some(0.02), Some(0.06)),
            pair("bits/slower", Some(2.0), Some(1.0)),
            several,
            pair("linear/only", Some(9.0), None),
            pair("linear/other", None, Some(0.5)),
            pair("linear/none", None, None),
        ]
    }

    #[test]
    fn times_are_compared_where_one_of_both_ends() {
        let peers = [Peer::Abc, Peer::Ric3Words];
        let missing = ["rIC3 is not there.".to_owned()];
        let section = section(&results(rows(), &settings(&peers)), &peers, &missing);
        let texts = |row: usize| -> Vec<&str> {
            section.table.rows[row][1..].iter().map(|cell| &cell.text[..]).collect()
        };
        assert_eq!(texts(0), ["bits", "3", "3", "3", "0", "0", "67% of 3", "1", "1"]);
        assert_eq!(texts(1), ["linear", "3", "1", "1", "1", "1", "50% of 2", "1", "1"]);
        assert_eq!(texts(2), ["all", "6", "4", "4", "1", "1", "60% of 5", "2", "2"]);
        assert_eq!(section.table.rows.len(), 3);
        assert!(section.notes[0].ends_with("several properties: 1."));
        assert_eq!(section.notes[1], missing[0]);
        assert!(section.notes[2].starts_with("rIC3 ic3 on words is left out"));
        assert_eq!(section.plots.len(), 3);
    }

    #[test]
    fn what_did_not_end_lies_on_the_border() {
        let results = results(rows(), &settings(&[Peer::Abc]));
        let all = results.parts().pop().unwrap();
        let svg = plot(&results, &all, Peer::Abc).unwrap();
        assert_eq!(svg.matches("<title>").count(), 5, "neither what none solves nor several");
        assert!(svg.contains("<title>linear/only: ABC pdr TO, words 9.00 s"), "{svg}");
        assert!(svg.contains("class=\"safe\" cx=\"376.0\""), "{svg}");
    }
}
