//! The search for the bound at which a property begins to fail: options, and what is
//! told of it. `check --parameter`, `pebble` and `peterson` share it.

use std::fmt::Write;
use std::ops::RangeInclusive;
use std::time::Duration;

use anyhow::Result;
use clap::ValueEnum;
use elinvar_engines::optimum::{Answer, Optimum, Order, Stage, Strategy};
use elinvar_engines::pdr::PdrOptions;
use elinvar_formats::btor2::Btor2Model;
use elinvar_formats::model::Model;
use elinvar_ir::TransitionSystem;
use elinvar_transform::{Family, Trend};
use serde_json::{Value as Json, json};

use crate::report::text::{align, count, proof, seconds};
use crate::report::{Summary, json as report_json};

/// In which order bounds are tried, and what is kept between them.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum StrategyName {
    /// From the loosest bound on: frames stay valid when a bound is tightened
    Constrain,
    /// From the tightest bound on: lemmas that still hold are kept
    Relax,
    /// By halving what is left, with both
    Binary,
    /// From the tightest bound on, each from nothing
    Naive,
}

impl StrategyName {
    pub fn strategy(self, options: PdrOptions) -> Strategy {
        let order = match self {
            StrategyName::Constrain => Order::Constrain,
            StrategyName::Relax | StrategyName::Naive => Order::Relax,
            StrategyName::Binary => Order::Binary,
        };
        Strategy { order, reuse: self != StrategyName::Naive, options }
    }
}

/// Which input of a model is a bound.
#[derive(clap::Args)]
pub struct FamilyOptions {
    /// Take this input for a constant, and find the bound in --range at which the
    /// property begins to fail; larger values must only allow more, or only less
    #[arg(long, value_name = "INPUT", requires = "range", help_heading = "Families")]
    parameter: Option<String>,

    /// The values of --parameter to consider, both ends included
    #[arg(
        long,
        value_name = "A..B",
        requires = "parameter",
        value_parser = range,
        help_heading = "Families"
    )]
    range: Option<RangeInclusive<u64>>,
}

impl FamilyOptions {
    /// The input and its range, if a family is meant.
    pub fn family(&self) -> Option<(&str, RangeInclusive<u64>)> {
        Some((self.parameter.as_deref()?, self.range.clone()?))
    }
}

/// `3..17`
fn range(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (low, high) = text.split_once("..").ok_or("not of the form A..B")?;
    let high = high.strip_prefix('=').unwrap_or(high);
    let number = |text: &str| text.trim().parse::<u64>().map_err(|e| format!("`{text}`: {e}"));
    let range = number(low)?..=number(high)?;
    if range.is_empty() { Err("the range is empty".to_owned()) } else { Ok(range) }
}

/// What a search found, with its times.
pub struct FamilyReport<'a> {
    pub family: &'a Family,
    pub strategy: StrategyName,
    pub optimum: Optimum,
    pub time: Duration,
    /// The part of the time in which evidence was checked.
    pub checking: Duration,
}

impl FamilyReport<'_> {
    /// Unsafe if the property fails under some bound that is known to be the first.
    pub fn summary(&self) -> Summary {
        match &self.optimum {
            Optimum { stopped: Some(_), .. } => Summary::Unknown,
            Optimum { fails: Some(_), .. } => Summary::Unsafe,
            Optimum { fails: None, .. } => Summary::Safe,
        }
    }

    /// The report as it is asked for.
    pub fn render(&self, json: bool, quiet: bool) -> String {
        if json {
            format!("{}\n", self.json())
        } else if quiet {
            format!("{}\n", self.summary().word())
        } else {
            self.text()
        }
    }

    /// The report for people.
    fn text(&self) -> String {
        let time = seconds(self.time);
        let strategy = self.strategy_name();
        format!(
            "{}\n{}\n{}\n{strategy}, {time}\n",
            self.summary().word(),
            self.meaning(),
            self.stages()
        )
    }

    fn strategy_name(&self) -> String {
        self.strategy.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned())
    }

    /// What the verdict says, in sentences.
    fn meaning(&self) -> String {
        let Optimum { trend, fails, holds, stopped, .. } = &self.optimum;
        let parameter = self.family.parameter();
        let system = self.family.system();
        let name = &system.property(self.family.property()).name;
        let mut text = String::new();
        let (from, until) = match trend {
            None | Some(Trend::Loosens) => ("from", "up to"),
            Some(Trend::Tightens) => ("down from", "down to"),
        };
        if let Some((bound, trace)) = fails {
            let cycles = count(trace.steps.len(), "cycle");
            let on = if stopped.is_none() {
                format!("{from} {parameter} = {bound} on")
            } else {
                format!("under {parameter} = {bound}")
            };
            writeln!(text, "Property {name} fails {on}: a trace of {cycles}, replayed.")
                .expect("strings do not fail");
        }
        if let Some((bound, certificate)) = holds {
            let how = proof(certificate);
            let subject = if fails.is_some() { "It" } else { &format!("Property {name}") };
            writeln!(
                text,
                "{subject} holds {until} {parameter} = {bound}: proved by {how}, checked."
            )
            .expect("strings do not fail");
        }
        if let Some(reason) = stopped {
            let subject = match (fails, holds) {
                (Some(_), Some(_)) => "Between these bounds it",
                (Some(_), None) | (None, Some(_)) => "Beyond this bound it",
                (None, None) => &format!("Property {name}"),
            };
            writeln!(text, "{subject} is undecided: {reason}.").expect("strings do not fail");
        }
        text
    }

    /// A line a bound.
    pub fn stages(&self) -> String {
        let header = ["verdict", "frames", "lemmas reused", "obligations", "queries", "time"];
        let mut rows = vec![std::array::from_fn(|i| match i {
            0 => self.family.parameter(),
            i => header[i - 1].to_owned(),
        })];
        for stage in &self.optimum.stages {
            let reused = stage.reuse.map_or_else(
                || "-".to_owned(),
                |reuse| format!("{} of {}", reuse.kept, reuse.offered),
            );
            rows.push([
                stage.bound.to_string(),
                answer(stage),
                stage.statistics.frontier.to_string(),
                reused,
                stage.statistics.obligations.to_string(),
                stage.statistics.query_count().to_string(),
                seconds(stage.time),
            ]);
        }
        align::<7>(&rows)
    }

    /// The report for scripts.
    pub fn json(&self) -> Json {
        let Optimum { trend, fails, holds, stages, stopped } = &self.optimum;
        let trend = trend.map(|trend| match trend {
            Trend::Loosens => "loosens",
            Trend::Tightens => "tightens",
        });
        let optimum = fails.as_ref().filter(|_| stopped.is_none()).map(|(bound, _)| bound);
        let certificate = holds.as_ref().map(|(bound, certificate)| {
            report_json::certificate(&self.family.instance(*bound), certificate)
        });
        json!({
            "verdict": self.summary().word(),
            "reason": stopped.as_ref().map(ToString::to_string),
            "parameter": self.family.parameter(),
            "trend": trend,
            "strategy": self.strategy_name(),
            "optimum": optimum,
            "fails": fails.as_ref().map(|(bound, _)| bound),
            "holds": holds.as_ref().map(|(bound, _)| bound),
            "seconds": self.time.as_secs_f64(),
            "check_seconds": self.checking.as_secs_f64(),
            "trace": fails.as_ref().map(|(_, t)| report_json::trace(self.family.system(), t)),
            "certificate": certificate,
            "stages": stages.iter().map(stage_json).collect::<Vec<Json>>(),
        })
    }

    /// The instance for which there is a certificate, as a model.
    pub fn proved_instance(&self) -> Option<Model> {
        let (bound, _) = self.optimum.holds.as_ref()?;
        Some(model_of(self.family.instance(*bound)))
    }
}

/// A system that was made here, as a model.
pub fn model_of(system: TransitionSystem) -> Model {
    Model::Btor2(Btor2Model { system, operators: Default::default() })
}

fn answer(stage: &Stage) -> String {
    match &stage.answer {
        Answer::Safe => "safe".to_owned(),
        Answer::Unsafe { needed } if *needed == stage.bound => "unsafe".to_owned(),
        Answer::Unsafe { needed } => format!("unsafe, as under {needed}"),
        Answer::Unknown(_) => "unknown".to_owned(),
    }
}

fn stage_json(stage: &Stage) -> Json {
    let (verdict, needed) = match &stage.answer {
        Answer::Safe => ("safe", None),
        Answer::Unsafe { needed } => ("unsafe", Some(needed)),
        Answer::Unknown(_) => ("unknown", None),
    };
    json!({
        "bound": stage.bound,
        "verdict": verdict,
        "needed": needed,
        "frames": stage.statistics.frontier,
        "obligations": stage.statistics.obligations,
        "queries": stage.statistics.query_count(),
        "seconds": stage.time.as_secs_f64(),
        "reuse": stage.reuse.map(|reuse| json!({
            "offered": reuse.offered,
            "kept": reuse.kept,
            "always": reuse.always,
            "queries": reuse.queries,
            "seconds": reuse.time.as_secs_f64(),
        })),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        assert_eq!(range("1..20"), Ok(1..=20));
        assert_eq!(range("3..=3"), Ok(3..=3));
        for text in ["", "3", "4..3", "a..b", "1..", "-1..2"] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
