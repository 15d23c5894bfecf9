//! `--ltl` and `--ltl-file`: formulas as further properties.

use std::path::PathBuf;

use anyhow::{Result, bail};
use elinvar::{Problem, Source, SystemProblem};

/// Formulas of linear temporal logic.
#[derive(clap::Args, Clone, Default)]
pub struct LtlOptions {
    /// Add this formula of linear temporal logic to the properties, such as 'G (req -> F gnt)'
    ///
    /// A formula is about all executions. Its atoms are bits of the model: inputs, states, outputs
    /// and labels by name, bits of words (`count[3]`), and comparisons with numbers (`count == 3`,
    /// `count[3:2] < 2`). Odd names are quoted ("a b"). The operators, from the tightest, are `!`,
    /// `X` (next), `F` (eventually), `G` (always); `U` (until), `W` (weak until), `R` (release);
    /// `&`, `|`, `->`, `<->`. SystemVerilog's `nexttime`, `s_until`, `s_eventually` and `always` are
    /// accepted, too. A name may precede the formula, with a colon; otherwise it is ltl0, ltl1, …
    ///
    /// A monitor with further inputs and registers is added to the model, and evidence is about
    /// that model: write it with `elinvar convert MODEL --ltl FORMULA -o FILE` to check evidence
    /// with other tools or with `elinvar verify`. A formula that finite executions can violate
    /// becomes a safety property, others become liveness properties. The option may be repeated.
    #[arg(long = "ltl", value_name = "FORMULA")]
    formulas: Vec<String>,

    /// Add the formulas in this file, one on each line, to the properties
    ///
    /// A line is `name: formula` or only a formula, as for --ltl; `#` starts a comment.
    #[arg(long = "ltl-file", value_name = "FILE", hide_short_help = true)]
    files: Vec<PathBuf>,
}

impl LtlOptions {
    /// The problem with the formulas among its properties.
    pub fn apply(&self, problem: Problem) -> Result<Problem> {
        match problem {
            Problem::System(system) => Ok(Problem::System(self.apply_to_system(system)?)),
            Problem::Program(_) => {
                if self.formulas.is_empty() && self.files.is_empty() {
                    return Ok(problem);
                }
                bail!("formulas of linear temporal logic apply only to models, not to programs")
            }
        }
    }

    fn apply_to_system(&self, mut problem: SystemProblem) -> Result<SystemProblem> {
        for formula in &self.formulas {
            problem = problem.with_formulas(&Source::new("<ltl>", formula.as_str()))?;
        }
        for file in &self.files {
            problem = problem.with_formulas(&Source::read(file)?)?;
        }
        Ok(problem)
    }
}
