//! The switches of the engine for programs.

use anyhow::{Result, bail};
use clap::ValueEnum;
use elinvar_check::SmtSolver;
use elinvar_engines::cfg::{CfgOptions, Lemmas, Predecessors, Start, Strategy};
use elinvar_formats::boogie::Dialect;

/// The dialect of programs.
#[derive(clap::Args, Clone)]
#[command(next_help_heading = "Programs")]
pub struct DialectOption {
    /// The dialect of a program: whether `/` of integers is a real number or an integer
    /// [default: ultimate if the program has a procedure ULTIMATE.… or begins with a
    /// comment such as //#Safe, otherwise boogie]
    #[arg(long, value_enum, value_name = "NAME", hide_short_help = true)]
    dialect: Option<DialectName>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum DialectName {
    /// `/` gives a real number, `div` an integer
    Boogie,
    /// `/` of integers gives an integer
    Ultimate,
}

impl DialectOption {
    /// The option as a word of a command line.
    pub fn words(&self) -> Option<String> {
        self.get().map(|dialect| format!("--dialect={}", dialect.name()))
    }

    /// The chosen one, if there is a choice.
    pub fn get(&self) -> Option<Dialect> {
        self.dialect.map(|name| match name {
            DialectName::Boogie => Dialect::Boogie,
            DialectName::Ultimate => Dialect::Ultimate,
        })
    }
}

/// Options that apply only to programs. The hidden ones undo the preset or the default.
#[derive(clap::Args)]
#[command(next_help_heading = "Engine options for experts: programs (cfg)")]
pub struct ProgramOptions {
    /// cfg: start from the settings of Werner's thesis, which other options change; --push,
    /// --generalize and --shapes switch on what --no-push, --no-generalize and --no-shapes
    /// switch off
    #[arg(long, hide_short_help = true)]
    thesis: bool,

    /// cfg: work on one path program after the other (trace abstraction) instead of the whole
    /// program
    #[arg(long, overrides_with = "no_trace_abstraction", hide_short_help = true)]
    trace_abstraction: bool,

    #[arg(long, hide = true)]
    no_trace_abstraction: bool,

    /// cfg: how states that lead to an error are found: a cube of them at a time, by
    /// model-based projection, or all of them [default: projection]
    #[arg(long, value_enum, value_name = "NAME", hide_short_help = true)]
    predecessors: Option<PredecessorsName>,

    /// cfg: what is learned from states that are not reached [default: interpolant]
    #[arg(long, value_enum, value_name = "NAME", hide_short_help = true)]
    lemmas: Option<LemmasName>,

    /// cfg: what an abstract interpretation finds before the search begins
    /// [default: octagons]
    #[arg(long, value_enum, value_name = "NAME", hide_short_help = true)]
    analysis: Option<AnalysisName>,

    /// cfg: do not split sets of states into cubes
    #[arg(long, overrides_with = "dnf", hide_short_help = true)]
    no_dnf: bool,

    #[arg(long, hide = true)]
    dnf: bool,

    /// cfg: start each level with only the error states instead of all states that had to be
    /// excluded before
    #[arg(long, overrides_with = "obligation_cache", hide_short_help = true)]
    no_obligation_cache: bool,

    #[arg(long, hide = true)]
    obligation_cache: bool,

    /// cfg: do not remember unsatisfiable queries
    #[arg(long, overrides_with = "memo", hide_short_help = true)]
    no_memo: bool,

    #[arg(long, hide = true)]
    memo: bool,

    /// cfg: do not carry lemmas forward to higher levels
    #[arg(long, overrides_with = "push", hide_short_help = true)]
    no_push: bool,

    #[arg(long, hide = true)]
    push: bool,

    /// cfg: do not drop literals of lemmas by relative induction
    #[arg(long, overrides_with = "generalize", hide_short_help = true)]
    no_generalize: bool,

    #[arg(long, hide = true)]
    generalize: bool,

    /// cfg: do not guess equalities and remainders from runs of the program
    #[arg(long, overrides_with = "shapes", hide_short_help = true)]
    no_shapes: bool,

    #[arg(long, hide = true)]
    shapes: bool,

    #[command(flatten)]
    solvers: SolverOption,
}

/// The solvers that check the proofs of programs.
#[derive(clap::Args, Clone, Default)]
pub struct SolverOption {
    /// cfg: the solver that checks proofs, a command that reads SMT-LIB 2 from standard
    /// input [default: z3 -in -smt2]. When given several times, all of them must accept
    #[arg(long, value_name = "COMMAND", help_heading = "Programs", hide_short_help = true)]
    smt_solver: Vec<String>,
}

impl SolverOption {
    /// The commands, word by word; Z3 if none is given.
    pub fn solvers(&self) -> Result<Vec<SmtSolver>> {
        if self.smt_solver.is_empty() {
            return Ok(vec![SmtSolver::default()]);
        }
        self.smt_solver.iter().map(|command| solver(command)).collect()
    }
}

fn solver(command: &str) -> Result<SmtSolver> {
    let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    match &command[..] {
        [] => bail!("--smt-solver needs a command, such as `z3 -in -smt2`"),
        // Without these options Z3 asks for a file.
        [only] if only == "z3" => Ok(SmtSolver::default()),
        _ => Ok(SmtSolver { command }),
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum PredecessorsName {
    /// A cube around a model
    Projection,
    /// The weakest precondition
    Wp,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum LemmasName {
    /// That they are not reached
    Negation,
    /// Of their conditions those that the solver needed
    Core,
    /// Beyond that, a half-space that separates them from what is reached
    Interpolant,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum AnalysisName {
    /// Nothing
    None,
    /// Bounds and remainders of variables
    Intervals,
    /// Also bounds of sums and differences of two variables
    Octagons,
}

impl ProgramOptions {
    pub fn options(&self) -> CfgOptions {
        let mut options = if self.thesis { CfgOptions::thesis() } else { CfgOptions::default() };
        let lemmas = self.lemmas.map(LemmasName::meaning);
        let start = self.analysis.map(AnalysisName::meaning);
        if self.trace_abstraction {
            options.strategy = Strategy::TraceAbstraction;
        } else if self.no_trace_abstraction {
            options.strategy = Strategy::Whole;
        }
        options.predecessors =
            self.predecessors.map_or(options.predecessors, PredecessorsName::meaning);
        options.lemmas = lemmas.unwrap_or(options.lemmas);
        options.start = start.unwrap_or(options.start);
        for (place, on, off) in [
            (&mut options.dnf, self.dnf, self.no_dnf),
            (&mut options.cache, self.obligation_cache, self.no_obligation_cache),
            (&mut options.memo, self.memo, self.no_memo),
            (&mut options.push, self.push, self.no_push),
            (&mut options.generalize, self.generalize, self.no_generalize),
            (&mut options.shapes, self.shapes, self.no_shapes),
        ] {
            *place = (*place || on) && !off;
        }
        options
    }

    /// The solvers that check proofs.
    pub fn solvers(&self) -> Result<Vec<SmtSolver>> {
        self.solvers.solvers()
    }

    /// The options that were given, by name, for complaints where no program is checked.
    pub fn given(&self) -> Option<&'static str> {
        let options = [
            ("--thesis", self.thesis),
            ("--trace-abstraction", self.trace_abstraction || self.no_trace_abstraction),
            ("--predecessors", self.predecessors.is_some()),
            ("--lemmas", self.lemmas.is_some()),
            ("--analysis", self.analysis.is_some()),
            ("--no-dnf", self.no_dnf),
            ("--dnf", self.dnf),
            ("--no-obligation-cache", self.no_obligation_cache),
            ("--obligation-cache", self.obligation_cache),
            ("--no-memo", self.no_memo),
            ("--memo", self.memo),
            ("--no-push", self.no_push),
            ("--push", self.push),
            ("--no-generalize", self.no_generalize),
            ("--generalize", self.generalize),
            ("--no-shapes", self.no_shapes),
            ("--shapes", self.shapes),
            ("--smt-solver", !self.solvers.smt_solver.is_empty()),
        ];
        options.into_iter().find(|&(_, given)| given).map(|(name, _)| name)
    }
}

impl PredecessorsName {
    fn meaning(self) -> Predecessors {
        match self {
            PredecessorsName::Projection => Predecessors::Projection,
            PredecessorsName::Wp => Predecessors::WeakestPrecondition,
        }
    }
}

impl LemmasName {
    fn meaning(self) -> Lemmas {
        match self {
            LemmasName::Negation => Lemmas::Negation,
            LemmasName::Core => Lemmas::Core,
            LemmasName::Interpolant => Lemmas::Interpolant,
        }
    }
}

impl AnalysisName {
    fn meaning(self) -> Start {
        match self {
            AnalysisName::None => Start::None,
            AnalysisName::Intervals => Start::Intervals,
            AnalysisName::Octagons => Start::Octagons,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        options: ProgramOptions,
    }

    fn parse(words: &str) -> ProgramOptions {
        let words = std::iter::once("test").chain(words.split_whitespace());
        Words::try_parse_from(words).expect("known options").options
    }

    fn options(words: &str) -> CfgOptions {
        parse(words).options()
    }

    #[test]
    fn nothing_said_means_the_defaults() {
        assert_eq!(options(""), CfgOptions::default());
        assert_eq!(options("--thesis"), CfgOptions::thesis());
        assert_eq!(parse("").given(), None);
        assert_eq!(parse("").solvers().unwrap(), [SmtSolver::default()]);
    }

    #[test]
    fn every_option_arrives() {
        let all = "--trace-abstraction --predecessors wp --lemmas core --analysis intervals --no-dnf \
                   --no-obligation-cache --no-memo --no-push --no-generalize --no-shapes";
        let expected = CfgOptions {
            strategy: Strategy::TraceAbstraction,
            predecessors: Predecessors::WeakestPrecondition,
            dnf: false,
            lemmas: Lemmas::Core,
            cache: false,
            memo: false,
            push: false,
            generalize: false,
            start: Start::Intervals,
            shapes: false,
        };
        assert_eq!(parse(all).options(), expected);
        let solvers = parse("--smt-solver cvc5 --smt-solver z3").solvers().unwrap();
        let cvc5 = SmtSolver { command: vec!["cvc5".to_owned()] };
        assert_eq!(solvers, [cvc5, SmtSolver::default()]);
        assert_eq!(parse("--smt-solver cvc5").given(), Some("--smt-solver"));
    }

    #[test]
    fn the_preset_can_be_changed() {
        let thesis = CfgOptions::thesis();
        let more = options("--thesis --push --shapes --analysis octagons --lemmas interpolant");
        let expected = CfgOptions {
            push: true,
            shapes: true,
            start: Start::Octagons,
            lemmas: Lemmas::Interpolant,
            ..thesis.clone()
        };
        assert_eq!(more, expected);
        assert_eq!(options("--thesis --no-memo"), CfgOptions { memo: false, ..thesis });
        assert_eq!(parse("--no-memo").given(), Some("--no-memo"));
    }
}
