//! Runs by model and tool, and what each tool solves.

use rustc_hash::FxHashMap;

use super::profile::Profile;
use super::record::Record;
use crate::harness;
use crate::harness::list::Instance;
use crate::harness::outcome::Verdict;
use crate::harness::results::{self, Results};
use crate::harness::run::Run;
use crate::harness::statistics::geometric_mean;
use crate::harness::table::Table;

/// The limits in tables, as far as they were measured.
const LIMITS: [u32; 5] = [1, 5, 10, 20, 60];
/// A time below this one, in seconds, says little about a search.
pub const SHORT: f64 = 1.0;
/// The least time in quotients.
const LEAST: f64 = 0.01;

/// A tool in the file of runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub name: String,
    /// It is our binary, which always reports.
    pub ours: bool,
}

impl harness::Setting for Name {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn must_report(&self) -> bool {
        self.ours
    }
}

/// The runs with the first seed.
pub type Board = Results<Name, Option<Profile>>;
pub type Row = results::Row<Option<Profile>>;

/// The runs with the least seed of each tool on each model, as if this had been their limit.
/// Runs that had a smaller limit and no verdict are left out.
pub fn board(runs: &[Record], limit: u32) -> Board {
    let settings = names(runs);
    let index: FxHashMap<&str, usize> =
        settings.iter().enumerate().map(|(index, name)| (&name.name[..], index)).collect();
    let mut rows: Vec<Row> = Vec::new();
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut seeds: FxHashMap<(&str, &str), u64> = FxHashMap::default();
    for run in runs.iter().filter(|run| run.tells(limit)) {
        let place = *places.entry(&run.model).or_insert_with(|| {
            rows.push(Row { instance: instance(run), runs: vec![None; settings.len()] });
            rows.len() - 1
        });
        let seed = seeds.entry((&run.tool, &run.model)).or_insert(run.seed);
        if run.seed <= *seed {
            *seed = run.seed;
            let (outcome, measured) = (run.outcome(limit), run.profile.clone());
            rows[place].runs[index[&run.tool[..]]] =
                Some(Run { outcome, seconds: run.seconds, measured });
        }
    }
    Results { limit, settings, rows }
}

/// The tools in the order of their first runs.
fn names(runs: &[Record]) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    for run in runs {
        match names.iter_mut().find(|name| name.name == run.tool) {
            Some(name) => name.ours |= run.profile.is_some(),
            None => names.push(Name { name: run.tool.clone(), ours: run.profile.is_some() }),
        }
    }
    names
}

fn instance(run: &Record) -> Instance {
    Instance {
        path: run.model.clone(),
        file: run.model.clone().into(),
        group: run.format.clone(),
        expected: run.expected(),
        cells: vec![("class".into(), run.class.clone())],
    }
}

/// The limits at which a file of runs can be looked at.
pub fn limits(runs: &[Record]) -> Vec<u32> {
    let most = runs.iter().map(|run| run.limit).max().unwrap_or(1);
    let smaller = LIMITS.into_iter().filter(|&limit| limit < most);
    smaller.chain([most]).collect()
}

/// What a tool did on the models on which another one ran as well.
#[derive(Clone, PartialEq, Debug)]
pub struct Score {
    pub models: usize,
    pub safe: usize,
    pub unsafe_: usize,
    pub wrong: usize,
    /// The mean of the seconds, where an unsolved model counts twice the limit.
    pub par2: f64,
    /// Our PAR-2 divided by that of the other tool.
    pub ratio: f64,
    /// The geometric mean of the quotients of times, on models that both solve and one of them
    /// not in a short time.
    pub times: Option<f64>,
    /// How many models these are.
    pub both: usize,
    /// Solved by this tool only, and by the other one only.
    pub only: [usize; 2],
}

impl Score {
    pub fn new(board: &Board, tool: usize, against: usize) -> Self {
        let rows = board.rows.iter().filter(|row| row.runs[tool].is_some());
        let common = rows.clone().filter(|row| row.runs[against].is_some());
        let solved =
            |verdict: Verdict| rows.clone().filter(|row| row.solved(tool) == Some(verdict)).count();
        let penalty = 2.0 * f64::from(board.limit);
        let par2 = |row: &Row, tool: usize| row.seconds(tool).unwrap_or(penalty);
        let sum = |tool: usize| common.clone().map(|row| par2(row, tool)).sum::<f64>();
        let quotients: Vec<f64> = common
            .clone()
            .filter_map(|row| quotient(row.seconds(tool)?, row.seconds(against)?))
            .collect();
        let only = |one: usize, other: usize| {
            let only = |row: &&Row| row.solved(one).is_some() && row.solved(other).is_none();
            common.clone().filter(only).count()
        };
        let models = rows.clone().count();
        Score {
            models,
            safe: solved(Verdict::Safe),
            unsafe_: solved(Verdict::Unsafe),
            wrong: rows.clone().filter(|row| row.is_wrong(tool)).count(),
            par2: rows.clone().map(|row| par2(row, tool)).sum::<f64>() / models.max(1) as f64,
            ratio: sum(tool) / sum(against),
            both: quotients.len(),
            times: geometric_mean(quotients),
            only: [only(tool, against), only(against, tool)],
        }
    }

    pub fn solved(&self) -> usize {
        self.safe + self.unsafe_
    }
}

/// How many times one time is another, unless both are short.
pub fn quotient(one: f64, other: f64) -> Option<f64> {
    (one.max(other) > SHORT).then(|| one.max(LEAST) / other.max(LEAST))
}

/// A quotient as text; a dash if there is none.
pub fn ratio(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map_or("-".into(), |value| format!("{value:.2}"))
}

/// A table of all tools at a limit, compared with one of them.
pub fn table(board: &Board, against: usize) -> Table {
    let other = &board.settings[against].name;
    let head =
        ["tool", "models", "solved", "safe", "unsafe", "wrong", "PAR-2 s"].map(str::to_owned);
    let more = [
        format!("PAR-2 to {other}"),
        "time over 1 s".to_owned(),
        "on".to_owned(),
        "only it".to_owned(),
        format!("only {other}"),
    ];
    let mut table = Table { head: head.into_iter().chain(more).collect(), rows: Vec::new() };
    for (index, tool) in board.settings.iter().enumerate() {
        let score = Score::new(board, index, against);
        table.push([
            tool.name.clone(),
            score.models.to_string(),
            score.solved().to_string(),
            score.safe.to_string(),
            score.unsafe_.to_string(),
            score.wrong.to_string(),
            format!("{:.2}", score.par2),
            ratio(Some(score.ratio)),
            ratio(score.times),
            score.both.to_string(),
            score.only[0].to_string(),
            score.only[1].to_string(),
        ]);
    }
    table
}

/// A row that the tool does not solve and others do, with the one that needs the least time.
pub struct Loss<'a> {
    pub row: &'a Row,
    /// The number of the fastest other tool, and its seconds.
    pub best: (usize, f64),
    /// How many other tools solve it.
    pub solvers: usize,
}

/// The models that a tool ran on and only others solve, the fastest first.
pub fn losses(board: &Board, tool: usize) -> Vec<Loss<'_>> {
    let loss = |row: &'_ Row| -> Option<(usize, (usize, f64))> {
        row.runs[tool].as_ref().filter(|_| row.solved(tool).is_none())?;
        let others = (0..board.settings.len()).filter(|&other| other != tool);
        let times: Vec<(usize, f64)> =
            others.filter_map(|other| Some((other, row.seconds(other)?))).collect();
        let best = times.iter().copied().min_by(|one, other| one.1.total_cmp(&other.1))?;
        Some((times.len(), best))
    };
    let rows = board.rows.iter();
    let mut losses: Vec<Loss<'_>> = rows
        .filter_map(|row| loss(row).map(|(solvers, best)| Loss { row, best, solvers }))
        .collect();
    losses.sort_by(|one, other| one.best.1.total_cmp(&other.best.1));
    losses
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::*;

    fn runs() -> Vec<Record> {
        vec![
            record("ours", "a", 0, "safe", 2.0),
            record("peer", "a", 0, "safe", 8.0),
            record("ours", "b", 0, "TO", 10.1),
            record("peer", "b", 0, "safe", 0.5),
            record("ours", "c", 0, "safe", 0.2),
            record("peer", "c", 0, "unsafe", 0.1),
            record("ours", "a", 1, "safe", 9.0),
            record("ours", "d", 0, "safe", 6.0),
        ]
    }

    #[test]
    fn tools_are_scored_on_the_models_they_share() {
        let board = board(&runs(), 10);
        let score = Score::new(&board, 0, 1);
        assert_eq!((score.models, score.solved(), score.safe, score.wrong), (4, 3, 3, 0));
        assert_eq!(score.par2, (2.0 + 20.0 + 0.2 + 6.0) / 4.0);
        assert!((score.ratio - (2.0 + 20.0 + 0.2) / (8.0 + 0.5 + 20.0)).abs() < 1e-12);
        assert_eq!((score.times, score.both, score.only), (Some(0.25), 1, [1, 1]));
        let peer = Score::new(&board, 1, 1);
        assert_eq!((peer.models, peer.solved(), peer.wrong), (3, 2, 1));
        assert_eq!(board.faults(), ["c: peer says unsafe, expected is safe"]);
    }

    #[test]
    fn a_smaller_limit_solves_less() {
        let solved = |limit| Score::new(&board(&runs(), limit), 0, 1).solved();
        assert_eq!([1, 5, 10].map(solved), [1, 2, 3]);
        assert_eq!(limits(&runs()), [1, 5, 10]);
        assert_eq!(limits(&[]), [1]);
    }

    #[test]
    fn with_a_larger_limit_only_verdicts_are_known() {
        let score = Score::new(&board(&runs(), 20), 0, 1);
        assert_eq!((score.models, score.solved()), (3, 3), "b may be solved with more time");
    }

    #[test]
    fn losses_name_the_fastest_of_the_others() {
        let mut all = runs();
        all.push(record("third", "b", 0, "safe", 0.25));
        let board = board(&all, 10);
        let losses = losses(&board, 0);
        assert_eq!(losses.len(), 1);
        assert_eq!((losses[0].best, losses[0].solvers), ((2, 0.25), 2));
        assert_eq!(losses[0].row.instance.path, "b");
    }
}
