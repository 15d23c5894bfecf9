//! Families: a system with a bound, and the search for the bound at which a property begins
//! to fail.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use elinvar_check::{Budget, Refusal};
use elinvar_engines::pdr::PdrOptions;
use elinvar_ir::{Certificate, PropertyId, StopReason, TransitionSystem};
use elinvar_transform::{Family, Trend};
use serde_json::{Value as Json, json};

use crate::error::Error;
use crate::json;
use crate::optimum::{Optimum, OptimumError, Order, Stage, StageAnswer, Strategy, optimum};
use crate::problem::SystemProblem;
use crate::progress::Phase;
use crate::report::Summary;
use crate::session::Session;

/// A family, and the same family without rewriting, which evidence is checked against.
#[derive(Clone, Debug)]
pub struct Families {
    family: Arc<Family>,
    original: Arc<Family>,
}

impl Families {
    /// The family of a model in which the input of this name is a constant of the range.
    ///
    /// # Errors
    /// If the model has no such input, or the property is not one of safety.
    pub fn new(
        problem: &SystemProblem,
        parameter: &str,
        property: PropertyId,
        range: RangeInclusive<u64>,
    ) -> Result<Self, Error> {
        let unreadable = |why| Error::Bug(format!("the model cannot be read again: {why}"));
        let original = problem.original().system().map_err(unreadable)?;
        let family = |system: &TransitionSystem| {
            Family::new(system.clone(), parameter, property, range.clone())
                .map(Arc::new)
                .map_err(|error| Error::Usage(error.to_string()))
        };
        Ok(Families { family: family(problem.system())?, original: family(original)? })
    }

    /// The family that is searched.
    pub fn family(&self) -> &Family {
        &self.family
    }

    /// The family without rewriting, which evidence is checked against.
    pub fn original(&self) -> &Family {
        &self.original
    }
}

impl From<Family> for Families {
    /// A family that was not read from a file, so that it is its own original.
    fn from(family: Family) -> Self {
        let family = Arc::new(family);
        Families { original: Arc::clone(&family), family }
    }
}

/// In which order bounds are tried, and what is kept between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoundSearch {
    /// From the loosest bound on: frames stay valid when a bound is tightened.
    Constrain,
    /// From the tightest bound on: lemmas that still hold are kept.
    Relax,
    /// Bisection, with both.
    Binary,
    /// From the tightest bound on, each from nothing.
    Naive,
}

impl BoundSearch {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            BoundSearch::Constrain => "constrain",
            BoundSearch::Relax => "relax",
            BoundSearch::Binary => "binary",
            BoundSearch::Naive => "naive",
        }
    }

    fn strategy(self, options: PdrOptions) -> Strategy {
        let order = match self {
            BoundSearch::Constrain => Order::Constrain,
            BoundSearch::Relax | BoundSearch::Naive => Order::Relax,
            BoundSearch::Binary => Order::Binary,
        };
        Strategy { order, reuse: self != BoundSearch::Naive, options }
    }
}

/// What a search for a bound found, with its times. All evidence has been checked.
#[derive(Clone, Debug)]
pub struct FamilyReport {
    /// The family that was searched.
    pub families: Families,
    /// How it was searched.
    pub search: BoundSearch,
    /// The bounds that were found, with their evidence.
    pub optimum: Optimum,
    /// The time of the whole run.
    pub time: Duration,
    /// The part of the time in which evidence was checked.
    pub checking: Duration,
}

impl Session {
    /// Finds the bound at which the property of a family begins to fail.
    ///
    /// ```
    /// use elinvar::ir::{PropertyId, Sort, SystemBuilder};
    /// use elinvar::{BoundSearch, Families, Options, Session, SystemProblem};
    ///
    /// // The property fails if the limit is at least 5.
    /// let mut b = SystemBuilder::new();
    /// let limit = b.input(Sort::Bv(4), Some("limit"))?;
    /// let five = b.pool.constant(elinvar::ir::BitVec::new(4, 5));
    /// let below = b.pool.binary(elinvar::ir::BinaryOp::Ult, limit, five)?;
    /// let bad = b.pool.not(below)?;
    /// b.bad("p", bad);
    /// let problem = SystemProblem::new(b.finish()?);
    /// let families = Families::new(&problem, "limit", PropertyId(0), 1..=9)?;
    /// let session = Session::start(Options::default())?;
    /// let report = session.optimum(&families, BoundSearch::Binary, Default::default())?;
    /// assert_eq!(report.optimum.fails.map(|(bound, _)| bound), Some(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If larger values of the parameter neither only allow more nor only allow less, or if
    /// the checker refuses evidence.
    pub fn optimum(
        &self,
        families: &Families,
        search: BoundSearch,
        options: PdrOptions,
    ) -> Result<FamilyReport, Error> {
        let (session, shared) = (self.clone(), families.clone());
        self.monitor.enter(Phase::Deciding);
        let found = self.supervisor.watch(move || {
            match optimum(&shared, &search.strategy(options), &session) {
                Ok(found) => {
                    session.checking(|| confirm_bounds(&shared.original, found, &session.budget()))
                }
                Err(error @ (OptimumError::NotMonotone(_) | OptimumError::Engine(_))) => {
                    Err(Error::Usage(error.to_string()))
                }
                Err(error @ OptimumError::Refused { .. }) => Err(Error::Bug(error.to_string())),
            }
        });
        let optimum = match found {
            Ok(found) => found?,
            Err(reason) => Optimum {
                trend: None,
                fails: None,
                holds: None,
                stages: Vec::new(),
                stopped: Some(reason),
            },
        };
        let (families, time, checking) = (families.clone(), self.elapsed(), self.checked());
        Ok(FamilyReport { families, search, optimum, time, checking })
    }
}

/// Confirms what a search concludes beyond the verdicts of its stages: that larger values
/// only loosen or only tighten the system, and that the trace is one under its bound.
fn confirm_bounds(family: &Family, mut found: Optimum, budget: &Budget) -> Result<Optimum, Error> {
    if let Some((bound, trace)) = &found.fails {
        let system = family.instance(*bound);
        if let Err(refusal) = elinvar_check::replay(&system, trace) {
            let message = format!("the checker refused the counterexample of {bound}: {refusal}");
            return Err(Error::Bug(message));
        }
    }
    let Some(trend) = found.trend else { return Ok(found) };
    // There are no states, so that the property holds if no input violates it.
    let proof = Certificate::Inductive { clauses: Vec::new() };
    let question = family.violation(trend);
    match elinvar_check::certificate(&question, PropertyId(0), &proof, budget) {
        Ok(()) => Ok(found),
        Err(Refusal::OutOfBudget) => {
            let why = "that the parameter is monotone could not be checked within the limits";
            found.stopped.get_or_insert(StopReason::Unsupported(why.to_owned()));
            Ok(found)
        }
        Err(refusal) => {
            let message = format!("the checker refused that the parameter is monotone: {refusal}");
            Err(Error::Bug(message))
        }
    }
}

impl FamilyReport {
    /// Unsafe if the property fails under some bound that is known to be the first.
    pub fn summary(&self) -> Summary {
        match &self.optimum {
            Optimum { stopped: Some(_), .. } => Summary::Unknown,
            Optimum { fails: Some(_), .. } => Summary::Unsafe,
            Optimum { fails: None, .. } => Summary::Safe,
        }
    }

    /// The instance for which there is a certificate.
    pub fn proved_instance(&self) -> Option<SystemProblem> {
        let (bound, _) = self.optimum.holds.as_ref()?;
        Some(SystemProblem::new(self.families.family.instance(*bound)))
    }

    /// The report as a JSON object.
    pub fn to_json(&self) -> Json {
        let Optimum { trend, fails, holds, stages, stopped } = &self.optimum;
        let family = &self.families.family;
        let trend = trend.map(|trend| match trend {
            Trend::Loosens => "loosens",
            Trend::Tightens => "tightens",
        });
        let optimum = fails.as_ref().filter(|_| stopped.is_none()).map(|(bound, _)| bound);
        let certificate =
            holds.as_ref().map(|(bound, proof)| json::certificate(&family.instance(*bound), proof));
        let trace = fails.as_ref().map(|(_, trace)| json::trace(family.system(), trace));
        let mut object = json::header(self.summary(), stopped.as_ref().map(ToString::to_string));
        for (key, value) in [
            ("parameter", json!(family.parameter())),
            ("trend", json!(trend)),
            ("strategy", json!(self.search.name())),
            ("optimum", json!(optimum)),
            ("fails", json!(fails.as_ref().map(|(bound, _)| bound))),
            ("holds", json!(holds.as_ref().map(|(bound, _)| bound))),
            ("seconds", json!(self.time.as_secs_f64())),
            ("check_seconds", json!(self.checking.as_secs_f64())),
            ("trace", json!(trace)),
            ("certificate", json!(certificate)),
            ("stages", stages.iter().map(stage).collect::<Vec<Json>>().into()),
        ] {
            object.insert(key.to_owned(), value);
        }
        object.into()
    }
}

fn stage(stage: &Stage) -> Json {
    let (verdict, needed) = match &stage.answer {
        StageAnswer::Safe => ("safe", None),
        StageAnswer::Unsafe { needed } => ("unsafe", Some(needed)),
        StageAnswer::Unknown(_) => ("unknown", None),
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
