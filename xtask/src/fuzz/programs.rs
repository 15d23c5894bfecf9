//! The engine for programs against a bounded interpreter on random programs; invariants
//! and runs go through the checker.

use std::time::{Duration, Instant};

use clap::ValueEnum;
use elinvar::confirm_programs;
use elinvar_engines::cfg::{Cfg, CfgOptions, Lemmas, Predecessors, Start, Strategy};
use elinvar_engines::{Run, Task};
use elinvar_ir::PropertyId;
use elinvar_ir::program::{Program, ProgramVerdict};
use elinvar_models::{Bounds, Found, ProgramShape, explore};

use super::{ShapeName, Tally, proofs};

/// For all properties of a program.
const LIMIT: Duration = Duration::from_secs(5);

/// How much later the engine may stop: one query may be in a part of Z3 that does not
/// look at the clock.
const GRACE: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, ValueEnum)]
pub enum Settings {
    Default,
    /// What the thesis has, alone
    Thesis,
    /// Drawn anew for each program
    Drawn,
}

impl Settings {
    pub fn choose(self, seed: u64) -> CfgOptions {
        match self {
            Settings::Default => CfgOptions::default(),
            Settings::Thesis => CfgOptions::thesis(),
            Settings::Drawn => drawn(seed),
        }
    }
}

/// Each switch at its own pace.
fn drawn(seed: u64) -> CfgOptions {
    let one_in = |period: u64, pace: u64| (seed / pace).is_multiple_of(period);
    let pick = |pace: u64| seed as usize / pace as usize % 3;
    CfgOptions {
        strategy: if one_in(4, 1) { Strategy::TraceAbstraction } else { Strategy::Whole },
        predecessors: if one_in(3, 2) {
            Predecessors::WeakestPrecondition
        } else {
            Predecessors::Projection
        },
        dnf: !one_in(3, 5),
        lemmas: [Lemmas::Interpolant, Lemmas::Core, Lemmas::Negation][pick(7)],
        cache: !one_in(3, 11),
        memo: !one_in(4, 13),
        push: !one_in(3, 17),
        generalize: !one_in(2, 19),
        start: [Start::None, Start::Intervals, Start::Octagons][pick(23)],
        shapes: one_in(2, 29),
    }
}

pub fn shape(name: ShapeName) -> Option<ProgramShape> {
    match name {
        ShapeName::Integers => Some(ProgramShape::INTEGERS),
        ShapeName::Mixed => Some(ProgramShape::MIXED),
        ShapeName::Tiny => Some(ProgramShape::TINY),
        ShapeName::Bits
        | ShapeName::Words
        | ShapeName::Arrays
        | ShapeName::Numbers
        | ShapeName::Wide
        | ShapeName::Source => None,
    }
}

pub fn examine(program: &Program, options: &CfgOptions, tally: &mut Tally) -> Result<(), String> {
    let properties: Vec<PropertyId> = program.property_ids().collect();
    let truth = explore(program, &Bounds::default());
    tally.searched += u64::from(!truth.contains(&Found::Bounded));
    let start = Instant::now();
    let task = Task::about(program, &properties, &Run::new().with_timeout(LIMIT));
    let verdicts = task.check(&mut Cfg(options.clone())).map_err(|error| error.to_string())?;
    for ((&property, truth), verdict) in properties.iter().zip(&truth).zip(&verdicts) {
        let context = |complaint| format!("{options:?} on property {}: {complaint}", property.0);
        agree(truth, verdict).map_err(context)?;
        match verdict {
            ProgramVerdict::Safe(_) => tally.safe += 1,
            ProgramVerdict::Unsafe(_) => tally.unsafe_ += 1,
            ProgramVerdict::Unknown(_) => tally.unknown += 1,
        }
    }
    let verdicts = properties.into_iter().zip(verdicts).collect();
    let confirmed = confirm_programs(program, verdicts, |properties, proof| {
        proofs::check(program, properties, proof, LIMIT)
    });
    for verdict in confirmed.map_err(|error| error.to_string())? {
        // The checker may need longer than the engine: that is not wrong.
        verdict.map_err(|refused| format!("{options:?}: {refused}"))?;
    }
    let elapsed = start.elapsed();
    if elapsed > LIMIT + GRACE {
        return Err(format!("{options:?}: {elapsed:.1?}, though the limit is {LIMIT:?}"));
    }
    Ok(())
}

/// Compares a verdict with what is known; its evidence is checked later.
fn agree(truth: &Found, verdict: &ProgramVerdict) -> Result<(), String> {
    match (verdict, truth) {
        (ProgramVerdict::Unknown(_), _)
        | (ProgramVerdict::Safe(_), Found::Complete | Found::Bounded)
        | (ProgramVerdict::Unsafe(_), Found::Error(_) | Found::Bounded) => Ok(()),
        (ProgramVerdict::Safe(_), Found::Error(trace)) => {
            Err(format!("safe, but there is an error after {} steps", trace.steps.len()))
        }
        (ProgramVerdict::Unsafe(trace), Found::Complete) => {
            Err(format!("an error after {} steps, but all runs are safe", trace.steps.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use elinvar_models::ProgramGenerator;

    use super::*;

    #[test]
    fn the_engine_and_the_checker_agree_on_a_few_programs() {
        let tally = Tally::of_seeds(30, |seed, tally| {
            let program = ProgramGenerator::program(seed, ProgramShape::TINY);
            examine(&program, &Settings::Drawn.choose(seed), tally)
        });
        assert!(tally.safe > 10 && tally.unsafe_ > 10, "{tally}");
    }
}
