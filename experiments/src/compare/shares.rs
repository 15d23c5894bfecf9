//! How engines should share one processor: shares that are learnt from the times that each engine
//! takes alone.
//!
//! The default of Elinvar lets one search work alone for a while; then engines take turns, and each
//! has a share of the processor (`engines/src/schedule.rs`). If the times of the engines alone are
//! known, so is the time of such a plan: that of the engine which is first to have had as much of
//! the processor as it needs. A plan is improved by moving one part of twenty from one engine to
//! another, for every first engine and for several lengths of its first turn, as long as the mean
//! time becomes smaller. The mean is geometric, and an unsolved model counts twice the limit.
//!
//! Models of one family resemble each other. What a plan is worth on unknown models is estimated
//! by leaving out one family after the other: its models count the times under the plan that is
//! learnt from the rest.
//!
//! With a threshold, models with more registers than that have a plan of their own. It pays only
//! if the estimate for unknown models becomes better.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::board::{Board, board, limits};
use super::record;
use crate::harness::finish;
use crate::harness::statistics::geometric_mean;
use crate::harness::table::Table;

/// The processor is divided into so many parts.
const PARTS: u32 = 20;

/// How many seconds the first engine may work alone.
const ALONE: [f64; 8] = [0.1, 0.3, 1.0, 2.0, 4.0, 6.0, 8.0, 12.0];

/// Numbers of registers at which models may be told apart.
const THRESHOLDS: [f64; 5] = [50.0, 100.0, 150.0, 250.0, 500.0];

/// The least time that counts, in seconds.
const LEAST: f64 = 0.01;

#[derive(Args)]
pub struct Options {
    /// Files of runs of the command `compare`, each of whose tools is an engine that works alone
    #[arg(value_name = "RUNS.jsonl", required = true)]
    runs: Vec<PathBuf>,
    /// Seconds of processor time of the plan [default: that of the runs]
    #[arg(long)]
    limit: Option<u32>,
    /// Only these tools [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    tools: Vec<String>,
    /// A plan to compare with: the seconds that the first engine works alone, and the shares of
    /// the engines, such as `4:pdr=15,merged=60,bmc=25`
    #[arg(long, value_name = "PLAN")]
    present: Option<String>,
}

pub fn run(options: &Options) -> ExitCode {
    finish(report(options).map(|text| {
        print!("{text}");
        true
    }))
}

fn report(options: &Options) -> Result<String, String> {
    let runs = record::read_all(&options.runs, &options.tools)?;
    let measured = limits(&runs).into_iter().max().unwrap_or(1);
    let mut board = board(&runs, measured);
    board.rows.retain(|row| row.runs.iter().all(Option::is_some));
    let limit = f64::from(options.limit.unwrap_or(measured));
    let models = models(&board);
    if models.is_empty() {
        return Err("there is no model on which all tools ran".into());
    }
    let names: Vec<&str> = board.settings.iter().map(|tool| &tool.name[..]).collect();
    let present = options.present.as_deref().map(|text| Plan::parse(text, &names)).transpose()?;
    Ok(tables(&models, &names, limit, present.as_ref()))
}

/// A model with the times that the engines take alone.
#[derive(Clone, PartialEq, Debug)]
struct Model {
    family: String,
    /// By engine: the seconds to a verdict, if there is one.
    seconds: Vec<Option<f64>>,
    /// The registers that are left after simplification.
    registers: Option<f64>,
}

fn models(board: &Board) -> Vec<Model> {
    let engines = board.settings.len();
    let model = |row: &super::board::Row| Model {
        family: family(&row.instance.path),
        seconds: (0..engines).map(|engine| row.seconds(engine)).collect(),
        registers: (row.runs.iter().flatten())
            .find_map(|run| run.measured.as_ref()?.number("registers")),
    };
    board.rows.iter().map(model).collect()
}

/// The letters of a file name up to the first sign that is none, after digits at its start.
fn family(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.trim_start_matches(|sign: char| !sign.is_ascii_alphabetic());
    let end = name.find(|sign: char| !sign.is_ascii_alphabetic()).unwrap_or(name.len());
    name[..end].to_owned()
}

/// Who works when.
#[derive(Clone, PartialEq, Debug)]
struct Plan {
    /// The engine that works alone first, and for how many seconds.
    first: usize,
    alone: f64,
    /// By engine: its parts of the processor after that.
    parts: Vec<u32>,
}

impl Plan {
    /// Reads `SECONDS:NAME=PARTS,…`. The engine that is named first works alone.
    fn parse(text: &str, names: &[&str]) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a plan such as `4:pdr=15,merged=60`");
        let (alone, shares) = text.split_once(':').ok_or_else(wrong)?;
        let alone: f64 = alone.parse().map_err(|_| wrong())?;
        if !(alone.is_finite() && alone >= 0.0) {
            return Err(wrong());
        }
        let (mut first, mut parts) = (None, vec![0; names.len()]);
        for share in shares.split(',') {
            let (name, count) = share.split_once('=').ok_or_else(wrong)?;
            let engine = names.iter().position(|other| *other == name);
            let engine = engine.ok_or_else(|| format!("there are no runs of `{name}`"))?;
            parts[engine] = count.parse().map_err(|_| wrong())?;
            first.get_or_insert(engine);
        }
        let first = first.filter(|_| parts.iter().any(|&parts| parts > 0)).ok_or_else(wrong)?;
        Ok(Plan { first, alone, parts })
    }

    /// When a model is decided.
    fn seconds(&self, model: &Model, limit: f64) -> Option<f64> {
        let all: u32 = self.parts.iter().sum();
        let ends = model.seconds.iter().enumerate().filter_map(|(engine, &seconds)| {
            let mut left = seconds?;
            if engine == self.first {
                if left <= self.alone {
                    return Some(left);
                }
                left -= self.alone;
            }
            let parts = self.parts[engine];
            (parts > 0).then(|| self.alone + left * f64::from(all) / f64::from(parts))
        });
        ends.min_by(f64::total_cmp).filter(|&end| end <= limit)
    }

    fn describe(&self, names: &[&str]) -> String {
        let all: u32 = self.parts.iter().sum();
        let mut text = format!("{} for {} s", names[self.first], self.alone);
        let mut order: Vec<usize> = (0..names.len()).filter(|&e| self.parts[e] > 0).collect();
        order.sort_by_key(|&engine| std::cmp::Reverse(self.parts[engine]));
        for engine in order {
            let share = 100.0 * f64::from(self.parts[engine]) / f64::from(all);
            write!(text, ", {} {share:.0} %", names[engine]).expect("strings do not fail");
        }
        text
    }
}

/// The time that counts: twice the limit for what is not solved.
fn counted(seconds: Option<f64>, limit: f64) -> f64 {
    seconds.map_or(2.0 * limit, |seconds| seconds.max(LEAST))
}

fn mean_of(times: &[Option<f64>], limit: f64) -> f64 {
    geometric_mean(times.iter().map(|&time| counted(time, limit))).unwrap_or(0.0)
}

/// The best plan that is found for some models.
fn learn(models: &[&Model], engines: usize, limit: f64) -> Plan {
    let times = |plan: &Plan| -> Vec<_> { models.iter().map(|m| plan.seconds(m, limit)).collect() };
    let value = |plan: &Plan| mean_of(&times(plan), limit);
    let mut best: Option<(f64, Plan)> = None;
    for first in 0..engines {
        for alone in ALONE.into_iter().filter(|&alone| alone < limit) {
            let mut plan = Plan { first, alone, parts: even(engines) };
            let mut now = value(&plan);
            while let Some((better, next)) = neighbours(&plan)
                .map(|next| (value(&next), next))
                .min_by(|(one, _), (other, _)| one.total_cmp(other))
                .filter(|&(next, _)| next < now)
            {
                (now, plan) = (better, next);
            }
            if best.as_ref().is_none_or(|&(least, _)| now < least) {
                best = Some((now, plan));
            }
        }
    }
    best.expect("there are engines and first turns").1
}

/// The parts as even as possible.
fn even(engines: usize) -> Vec<u32> {
    let (count, rest) = (engines as u32, PARTS as usize % engines);
    (0..engines).map(|engine| PARTS / count + u32::from(engine < rest)).collect()
}

/// The plans in which one engine has given a part to another one.
fn neighbours(plan: &Plan) -> impl Iterator<Item = Plan> + '_ {
    let engines = plan.parts.len();
    let pairs = (0..engines).flat_map(move |from| (0..engines).map(move |to| (from, to)));
    pairs.filter(|&(from, to)| from != to && plan.parts[from] > 0).map(|(from, to)| {
        let mut next = plan.clone();
        next.parts[from] -= 1;
        next.parts[to] += 1;
        next
    })
}

/// Which plan a model has: one for all, or two that are told apart by registers.
#[derive(Clone, PartialEq, Debug)]
struct Rule {
    threshold: Option<f64>,
    /// With at most so many registers, and with more.
    plans: [Plan; 2],
}

impl Rule {
    fn learn(models: &[&Model], engines: usize, limit: f64, threshold: Option<f64>) -> Self {
        let plan = |side: usize| {
            let these: Vec<&Model> = (models.iter().copied())
                .filter(|model| threshold.is_none() || side_of(model, threshold) == side)
                .collect();
            // A side without models has the plan of all.
            learn(if these.is_empty() { models } else { &these }, engines, limit)
        };
        let small = plan(0);
        let large = if threshold.is_none() { small.clone() } else { plan(1) };
        Rule { threshold, plans: [small, large] }
    }

    fn seconds(&self, model: &Model, limit: f64) -> Option<f64> {
        self.plans[side_of(model, self.threshold)].seconds(model, limit)
    }
}

fn side_of(model: &Model, threshold: Option<f64>) -> usize {
    usize::from(threshold.is_some_and(|most| model.registers.is_some_and(|count| count > most)))
}

/// The times of models under rules that are learnt without their families.
fn on_unknown(
    models: &[Model],
    engines: usize,
    limit: f64,
    threshold: Option<f64>,
) -> Vec<Option<f64>> {
    let mut times = vec![None; models.len()];
    let mut families: Vec<&str> = models.iter().map(|model| &model.family[..]).collect();
    families.sort_unstable();
    families.dedup();
    for family in families {
        let rest: Vec<&Model> = models.iter().filter(|model| model.family != family).collect();
        if rest.is_empty() {
            continue;
        }
        let rule = Rule::learn(&rest, engines, limit, threshold);
        for (time, model) in times.iter_mut().zip(models) {
            if model.family == family {
                *time = rule.seconds(model, limit);
            }
        }
    }
    times
}

fn tables(models: &[Model], names: &[&str], limit: f64, present: Option<&Plan>) -> String {
    let engines = names.len();
    let mut table = Table::new(["plan", "solved", "of", "mean s", "PAR-2 s"]);
    let mut row = |name: &str, times: &[Option<f64>]| {
        let sum: f64 = times.iter().map(|&time| counted(time, limit)).sum();
        table.push([
            name.to_owned(),
            times.iter().flatten().count().to_string(),
            times.len().to_string(),
            format!("{:.2}", mean_of(times, limit)),
            format!("{:.2}", sum / times.len() as f64),
        ]);
    };
    for (engine, name) in names.iter().enumerate() {
        let own = |model: &Model| model.seconds[engine].filter(|&seconds| seconds <= limit);
        row(&format!("only {name}"), &models.iter().map(own).collect::<Vec<_>>());
    }
    let fastest = |model: &Model| {
        model.seconds.iter().flatten().copied().min_by(f64::total_cmp).filter(|&s| s <= limit)
    };
    row("always the fastest", &models.iter().map(fastest).collect::<Vec<_>>());
    let times = |plan: &Plan| models.iter().map(|m| plan.seconds(m, limit)).collect::<Vec<_>>();
    row("even shares", &times(&Plan { first: 0, alone: 0.0, parts: even(engines) }));
    if let Some(present) = present {
        row("present", &times(present));
    }
    let all: Vec<&Model> = models.iter().collect();
    let learnt = learn(&all, engines, limit);
    row("learnt", &times(&learnt));
    row("learnt, on unknown families", &on_unknown(models, engines, limit, None));
    let mut best: Option<(f64, f64)> = None;
    for threshold in THRESHOLDS {
        let times = on_unknown(models, engines, limit, Some(threshold));
        row(&format!("two plans, {threshold} registers, on unknown families"), &times);
        let value = mean_of(&times, limit);
        if best.is_none_or(|(least, _)| value < least) {
            best = Some((value, threshold));
        }
    }
    let mut text = table.text();
    writeln!(text, "\nlearnt: {}", learnt.describe(names)).expect("strings do not fail");
    if let Some((_, threshold)) = best {
        let Rule { plans: [small, large], .. } = Rule::learn(&all, engines, limit, Some(threshold));
        for (which, plan) in [("at most", small), ("more than", large)] {
            writeln!(text, "{which} {threshold} registers: {}", plan.describe(names))
                .expect("strings do not fail");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::*;

    fn model(family: &str, registers: f64, seconds: &[f64]) -> Model {
        let known = |&seconds: &f64| (seconds < 100.0).then_some(seconds);
        Model {
            family: family.into(),
            seconds: seconds.iter().map(known).collect(),
            registers: Some(registers),
        }
    }

    #[test]
    fn the_time_of_a_plan_is_that_of_the_first_engine_with_enough() {
        let plan = Plan { first: 0, alone: 2.0, parts: vec![5, 15, 0] };
        let seconds = |times: &[f64]| plan.seconds(&model("a", 1.0, times), 20.0);
        assert_eq!(seconds(&[1.5, 0.1, 0.1]), Some(1.5), "in the first turn");
        assert_eq!(seconds(&[4.0, 100.0, 0.1]), Some(10.0), "a quarter of the processor");
        assert_eq!(seconds(&[4.0, 3.0, 0.1]), Some(6.0), "three quarters of it");
        assert_eq!(seconds(&[100.0, 100.0, 0.1]), None, "no share");
        assert_eq!(seconds(&[7.0, 100.0, 100.0]), None, "after the limit");
    }

    /// With two engines, all plans can be tried.
    #[test]
    fn moving_parts_finds_the_best_plan() {
        let models = [
            model("a", 1.0, &[9.0, 1.0]),
            model("a", 1.0, &[100.0, 3.0]),
            model("b", 1.0, &[2.0, 100.0]),
        ];
        let all: Vec<&Model> = models.iter().collect();
        let learnt = learn(&all, 2, 20.0);
        let times = |plan: &Plan| models.each_ref().map(|model| plan.seconds(model, 20.0));
        let value = |plan: &Plan| mean_of(&times(plan), 20.0);
        for first in 0..2 {
            for alone in ALONE {
                for part in 0..=PARTS {
                    let plan = Plan { first, alone, parts: vec![part, PARTS - part] };
                    assert!(value(&learnt) <= value(&plan), "{plan:?} is better than {learnt:?}");
                }
            }
        }
    }

    #[test]
    fn a_family_is_judged_without_its_own_times() {
        // Each family is solved by one engine only, and there is no model of it elsewhere.
        let models = [model("a", 1.0, &[3.0, 100.0]), model("b", 900.0, &[100.0, 3.0])];
        assert_eq!(on_unknown(&models, 2, 10.0, None), [None, None]);
        let known: Vec<&Model> = models.iter().collect();
        let rule = Rule::learn(&known, 2, 10.0, Some(150.0));
        let times: Vec<_> = models.iter().map(|model| rule.seconds(model, 10.0)).collect();
        assert_eq!(times, [Some(3.0), Some(3.0)], "each side has its own engine");
    }

    #[test]
    fn families_are_named_by_letters() {
        for (path, name) in [
            ("aiger/beem/beembkry3b1.aig", "beembkry"),
            ("6s31.aig", "s"),
            ("x/vgasim_imgfifo-p088.aig", "vgasim"),
            ("frogs.5.prop1.aig", "frogs"),
        ] {
            assert_eq!(family(path), name);
        }
    }

    #[test]
    fn plans_are_read() {
        let names = ["pdr", "bmc"];
        let plan = Plan::parse("4:bmc=15,pdr=5", &names).unwrap();
        assert_eq!(plan, Plan { first: 1, alone: 4.0, parts: vec![5, 15] });
        assert_eq!(plan.describe(&names), "bmc for 4 s, bmc 75 %, pdr 25 %");
        for text in ["", "4", "4:", "4:pdr", "4:abc=1", "x:pdr=1", "-1:pdr=1", "4:pdr=0"] {
            assert!(Plan::parse(text, &names).is_err(), "{text}");
        }
    }

    #[test]
    fn the_table_is_made_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        let mut log = record::Log::open(&path).unwrap();
        for (tool, model, outcome, seconds) in [
            ("pdr", "a1", "safe", 1.0),
            ("bmc", "a1", "TO", 10.0),
            ("pdr", "b1", "safe", 2.0),
            ("bmc", "b1", "safe", 4.0),
            ("pdr", "c1", "safe", 4.0),
        ] {
            log.keep(record(tool, model, 0, outcome, seconds)).unwrap();
        }
        let options = |present: Option<&str>| Options {
            runs: vec![path.clone()],
            limit: None,
            tools: Vec::new(),
            present: present.map(str::to_owned),
        };
        let text = report(&options(Some("0:pdr=1,bmc=1"))).unwrap();
        let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap();
        let cells = |name: &str| line(name).split_whitespace().collect::<Vec<_>>().join(" ");
        // The third model is left out, because one tool did not run.
        assert_eq!(cells("only pdr"), "only pdr 2 2 1.41 1.50");
        assert_eq!(cells("only bmc"), "only bmc 1 2 8.94 12.00");
        assert_eq!(cells("present"), "present 2 2 2.83 3.00");
        assert!(line("learnt:").contains("pdr"), "{text}");
        assert!(report(&options(Some("0:abc=1"))).is_err());
    }
}
