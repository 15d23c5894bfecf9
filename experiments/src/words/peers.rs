//! Figure 9 of the paper: the time of the engine against that of programs that work on the
//! bits of the model, and of one that reads its words.
//!
//! Models with several properties are omitted, because programs treat these differently.

use super::settings::{Peer, Setting};
use super::{Results, Row, Words};
use crate::harness::outcome::Outcome;
use crate::harness::report::{Plot, Section};
use crate::harness::results::Group;
use crate::harness::table::Table;

const OURS: Setting = Setting::DEFAULT;

/// In seconds. All programs start in less time.
const CLEARLY: f64 = 0.1;

/// The engine and the other programs.
pub fn settings(peers: &[Peer]) -> Vec<Setting> {
    [OURS].into_iter().chain(peers.iter().map(|&peer| Setting::Peer(peer))).collect()
}

/// The figure, with the reasons why other programs are missing.
pub fn section(words: &Words, results: &Results) -> Section {
    let (silent, peers): (Vec<Peer>, Vec<Peer>) =
        words.peers().into_iter().partition(|&peer| is_silent(results, peer));
    let mut notes = vec![note_on_counting(words, results)];
    notes.extend(words.missing.iter().cloned());
    notes.extend(silent.iter().map(|peer| {
        format!("{} is omitted: on no model did it give a verdict or reach the limit.", peer.name())
    }));
    notes.extend(peers.iter().filter_map(|&peer| note_on_failures(results, peer)));
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
        for group in results.groups() {
            let rows: Vec<&Row> = words.comparable(results, &group).collect();
            table.push(Counts::new(results, &rows, peer).cells(peer, &group));
            let caption = format!("words against {}: {}", peer.name(), group.name());
            let settings = [(Setting::Peer(peer), peer.name()), (OURS, "words")];
            let settings = settings.map(|(setting, name)| (results.index(&setting), name));
            let svg = results.times_against(rows.into_iter(), settings);
            plots.extend(svg.map(|svg| Plot { caption, svg }));
        }
    }
    let title = "Figure 9: processor time against other programs".into();
    Section { title, notes, table: Some(table), plots, ..Section::default() }
}

fn note_on_counting(words: &Words, results: &Results) -> String {
    let omitted = results.rows.len() - words.comparable(results, &Group::ALL).count();
    format!(
        "Faster: of the models that either solves, where an unsolved model counts as the limit of \
         {} s; clearly: by more than {CLEARLY} s, as the programs take different times \
         to start. The time of words includes the check of its evidence, that of programs on bits \
         does not include the translation. Models with several properties, which are omitted: \
         {omitted}.",
        results.limit
    )
}

fn outcomes(results: &Results, peer: Peer) -> impl Iterator<Item = Outcome> {
    let index = results.index(&Setting::Peer(peer));
    let runs = results.rows.iter().filter_map(move |row| row.runs[index].as_ref());
    runs.map(|run| run.outcome)
}

/// For example, a program that cannot read the format.
fn is_silent(results: &Results, peer: Peer) -> bool {
    outcomes(results, peer).all(|outcome| outcome == Outcome::Failed)
}

fn note_on_failures(results: &Results, peer: Peer) -> Option<String> {
    let failed = outcomes(results, peer).filter(|&outcome| outcome == Outcome::Failed).count();
    let name = peer.name();
    (failed > 0).then(|| format!("{name} ended without a verdict on {failed} models."))
}

/// The engine and another program on the models of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    models: usize,
    ours: usize,
    theirs: usize,
    both: usize,
    /// The engine took less time, or only the engine finished.
    faster: usize,
    /// The engine was clearly faster, or clearly slower.
    clearly: [usize; 2],
}

impl Counts {
    fn new(results: &Results, rows: &[&Row], peer: Peer) -> Self {
        let mut counts = Counts::default();
        let limit = f64::from(results.limit);
        let indices = [OURS, Setting::Peer(peer)].map(|setting| results.index(&setting));
        for row in rows {
            let [ours, theirs] = indices.map(|index| row.seconds(index));
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

    fn cells(&self, peer: Peer, group: &Group) -> [String; 10] {
        let either = self.ours + self.theirs - self.both;
        let faster = match either {
            0 => "-".to_owned(),
            _ => format!("{:.0}% of {either}", 100.0 * self.faster as f64 / either as f64),
        };
        [
            peer.name().to_owned(),
            group.name().to_owned(),
            self.models.to_string(),
            self.ours.to_string(),
            self.theirs.to_string(),
            (self.ours - self.both).to_string(),
            (self.theirs - self.both).to_string(),
            faster,
            self.clearly[0].to_string(),
            self.clearly[1].to_string(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{results, row};
    use super::*;
    use crate::harness::testing::run;

    fn pair(path: &str, ours: Option<f64>, theirs: Option<f64>) -> Row {
        let run =
            |seconds: Option<f64>| seconds.map_or(run("TO", 10.0), |seconds| run("safe", seconds));
        let failed = crate::harness::testing::run("failed", 0.1);
        row(path, vec![run(ours), run(theirs), failed])
    }

    #[test]
    fn times_are_compared_where_one_program_finishes() {
        let rows = vec![
            pair("bits/faster", Some(1.0), Some(2.0)),
            pair("bits/start", Some(0.02), Some(0.06)),
            pair("bits/slower", Some(2.0), Some(1.0)),
            pair("bits/several", Some(1.0), Some(9.0)),
            pair("linear/only", Some(9.0), None),
            pair("linear/other", None, Some(0.5)),
            pair("linear/none", None, None),
        ];
        let mut words = Words::default();
        words.programs.abc = Some("abc".into());
        words.programs.ric3 = Some("ric3".into());
        words.missing = vec!["rIC3 is missing.".to_owned()];
        words.several.insert("bits/several".into());
        let settings = [OURS].into_iter().chain([Peer::Abc, Peer::Ric3Words].map(Setting::Peer));
        let settings: Vec<Setting> = settings.chain([Setting::Peer(Peer::Ric3)]).collect();
        let section = section(&words, &results(rows, &settings));
        let table = section.table.unwrap();
        let texts = |row: usize| -> Vec<&str> {
            table.rows[row][1..].iter().map(|cell| &cell.text[..]).collect()
        };
        assert_eq!(texts(0), ["bits", "3", "3", "3", "0", "0", "67% of 3", "1", "1"]);
        assert_eq!(texts(1), ["linear", "3", "1", "1", "1", "1", "50% of 2", "1", "1"]);
        assert_eq!(texts(2), ["all", "6", "4", "4", "1", "1", "60% of 5", "2", "2"]);
        assert_eq!(table.rows.len(), 3);
        assert!(section.notes[0].ends_with("which are omitted: 1."), "{}", section.notes[0]);
        assert_eq!(section.notes[1], words.missing[0]);
        assert!(section.notes[3].starts_with("rIC3 ic3 on words is omitted"));
        assert_eq!(section.plots.len(), 3);
        let svg = &section.plots[2].svg;
        assert_eq!(svg.matches("<title>").count(), 5, "of six comparable models one is unsolved");
        assert!(svg.contains("<title>linear/only: ABC pdr TO, words 9.00 s"), "{svg}");
        assert!(svg.contains("class=\"c0\" cx=\"376.0\""), "{svg}");
    }
}
