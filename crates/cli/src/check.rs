//! `elinvar check`: decide the properties of a model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::ValueEnum;
use elinvar_engines::Choice;
use elinvar_engines::cfg;
use elinvar_engines::pdr::PdrOptions;
use elinvar_formats::model::Model;
use elinvar_formats::vcd;
use elinvar_ir::program::ProgramVerdict;
use elinvar_ir::{PropertyId, Trace, Verdict};
use elinvar_transform::Family;

use crate::engine_options::{EngineOptions, Plan};
use crate::failure::{Bug, Stopped};
use crate::family::{FamilyOptions, StrategyName};
use crate::load::{Original, SourceFile};
use crate::program::{self, DialectOption, ProgramOptions, Settings, Source};
use crate::proof::{Kept, ProofFiles};
use crate::report::{self, Report, Summary, statistics};
use crate::session::{Families, Limits, ProofSize, Session};
use crate::{evidence, output, paths, properties};

/// Decide the properties of a model, with evidence
///
/// Every verdict is confirmed by an independent checker before it is printed:
/// counterexamples are replayed, proofs are checked again by another encoder.
/// Exit codes: 20 safe (unsat), 10 unsafe (sat), 0 unknown, 2 user error, 3
/// internal error. With several properties: 10 if any is unsafe, else 0 if any
/// is unknown, else 20.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// The model (AIGER, BTOR, BTOR2 or basm) or the program (Boogie); `-` reads
    /// standard input
    model: String,

    #[command(flatten)]
    engine: EngineOptions,

    /// Decide only this property, given by name or number [default: all]
    #[arg(long, value_name = "NAME|INDEX")]
    property: Option<String>,

    #[command(flatten)]
    limits: Limits,

    #[command(flatten)]
    proof: ProofFiles,

    #[command(flatten)]
    family: FamilyOptions,

    /// How the values of --parameter are tried, and what is kept from one to the next:
    /// constrain, relax, binary or naive [default: binary]; or on what cfg works: the
    /// whole program, or one path program after the other, by trace-abstraction
    /// [default: whole]
    #[arg(long, value_enum, value_name = "NAME", hide_possible_values = true)]
    strategy: Option<AnyStrategy>,

    #[command(flatten)]
    programs: ProgramOptions,

    #[command(flatten)]
    dialect: DialectOption,

    /// Write the counterexample: an AIGER witness for AIGER models, a run in JSON for
    /// programs, a BTOR2 witness for the others. When several properties are decided, each that
    /// fails has a file of its own, with its number before the ending: w.txt
    /// becomes w.0.txt, w.1.txt. The report names each file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    witness: Option<PathBuf>,

    /// Write the proof: a witness circuit in the format of the model (AIGER in
    /// ASCII unless FILE ends in .aig), or Elinvar's text certificate where no
    /// circuit expresses it, and for programs; several properties as for --witness
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    certificate: Option<PathBuf>,

    /// Leave clauses out of an inductive invariant that the proof does without,
    /// before it is written; what is left is checked again
    #[arg(long, requires = "certificate", help_heading = "Output")]
    minimize: bool,

    /// Write the counterexample as a waveform; several properties as for
    /// --witness
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    vcd: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long, conflicts_with = "quiet", help_heading = "Output")]
    json: bool,

    /// Show what the engines and their solvers did, on standard error
    #[arg(long, help_heading = "Output")]
    stats: bool,

    /// Print the verdict alone, and no progress
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  elinvar check counter.aag
  elinvar check fifo.btor2 --engine bmc --bound 50 --vcd fifo.vcd
  elinvar check fifo.btor2 --property full --timeout 60 --json
  elinvar check fifo.btor2 --engine pdr --stats
  elinvar check fifo.btor2 -j 4
  elinvar check fifo.btor2 --reuse fifo.elv --save fifo.elv    again after each change
  elinvar check game.btor2 --parameter limit --range 1..20
  elinvar check sort.bpl --timeout 60
  elinvar check sort.bpl --strategy trace-abstraction --json
  elinvar check counter.aag --certificate proof.aag && elinvar verify counter.aag proof.aag";

/// The strategies of families and those of programs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum AnyStrategy {
    Constrain,
    Relax,
    Binary,
    Naive,
    Whole,
    TraceAbstraction,
}

impl AnyStrategy {
    /// What it means when a bound is looked for.
    fn of_family(self) -> Option<StrategyName> {
        match self {
            AnyStrategy::Constrain => Some(StrategyName::Constrain),
            AnyStrategy::Relax => Some(StrategyName::Relax),
            AnyStrategy::Binary => Some(StrategyName::Binary),
            AnyStrategy::Naive => Some(StrategyName::Naive),
            AnyStrategy::Whole | AnyStrategy::TraceAbstraction => None,
        }
    }

    fn of_program(self) -> Option<cfg::Strategy> {
        match self {
            AnyStrategy::Whole => Some(cfg::Strategy::Whole),
            AnyStrategy::TraceAbstraction => Some(cfg::Strategy::TraceAbstraction),
            AnyStrategy::Constrain
            | AnyStrategy::Relax
            | AnyStrategy::Binary
            | AnyStrategy::Naive => None,
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<u8> {
    let file = Arc::new(SourceFile::read(&arguments.model)?);
    if file.is_program() && arguments.engine.is_for_programs() {
        return arguments.check_program(&file);
    }
    if let Some(name) = arguments.programs.given() {
        bail!("{name} is about programs and --engine cfg");
    }
    let plan = arguments.engine.plan()?;
    let strategy = arguments.family_strategy()?;
    let files = [&arguments.witness, &arguments.certificate, &arguments.vcd];
    arguments.expect_outputs(&[None])?;
    if arguments.proof.is_used() {
        arguments.engine.expect_lemmas("--reuse and --save")?;
    }
    if arguments.family.family().is_some() {
        arguments.refuse_with_family(&plan)?;
    }
    let kept = arguments.proof.open()?;
    let session = Session::start(&arguments.limits, arguments.quiet, &kept)?;
    let dialect = arguments.dialect.get();
    let source = Arc::clone(&file);
    let model = match session.read(move || source.model_in(dialect)) {
        Ok(model) => Arc::new(model),
        Err(error) => return arguments.report_unread(error),
    };
    let chosen = properties::select(model.system(), arguments.property.as_deref())?;
    if chosen.is_empty() {
        bail!("the model has no property to check");
    }
    if chosen.len() > 1 && files.into_iter().flatten().any(|path| output::is_stdout(path)) {
        bail!("standard output takes evidence about one property: choose it with --property");
    }
    if let Some((parameter, range)) = arguments.family.family() {
        let [property] = chosen[..] else {
            bail!("--parameter is about one property: choose it with --property");
        };
        let original = file.verbatim_model(dialect)?.into_system();
        let original = Family::new(original, parameter, property, range.clone())?;
        let family = Family::new(model.system().clone(), parameter, property, range)?;
        let families = Families { family: Arc::new(family), original: Arc::new(original) };
        return arguments.find_optimum(&session, &model, &families, strategy);
    }
    arguments.expect_outputs(&numbers(&chosen))?;
    let size = if arguments.minimize { ProofSize::Small } else { ProofSize::AsFound };
    let original = Arc::new(Original::of_file(&file, dialect));
    let mut report = session.decide(&model, &original, &chosen, &plan, size)?;
    // The verdict is told even when a file cannot be written.
    let mut files = output::Files::default();
    let written = arguments.write_files(&report, &mut files).and(kept.finish(&report));
    report.files = files;
    output::print(&report.render(arguments.json, arguments.quiet))?;
    written?;
    for warning in &report.warnings {
        output::tell(&format!("warning: {}", output::harmless(warning)));
    }
    if arguments.stats {
        output::tell(statistics::text(&report.statistics, report.checking).trim_end());
    }
    Ok(report.summary().code())
}

/// The numbers in the names of files: none for a single property.
fn numbers(chosen: &[PropertyId]) -> Vec<Option<PropertyId>> {
    match chosen {
        [_] => vec![None],
        _ => chosen.iter().copied().map(Some).collect(),
    }
}

impl Arguments {
    /// Reports a limit that was reached while the model was read.
    fn report_unread(&self, error: anyhow::Error) -> Result<u8> {
        let Stopped(reason) = error.downcast::<Stopped>()?;
        output::print(&report::unread(&reason, self.json, self.quiet))?;
        Ok(Summary::Unknown.code())
    }

    fn family_strategy(&self) -> Result<StrategyName> {
        let is_family = self.family.family().is_some();
        match self.strategy.map(AnyStrategy::of_family) {
            None => Ok(StrategyName::Binary),
            Some(Some(strategy)) if is_family => Ok(strategy),
            Some(Some(_)) => bail!("this --strategy goes with --parameter"),
            Some(None) => bail!("this --strategy is about programs and --engine cfg"),
        }
    }

    fn check_program(&self, file: &SourceFile) -> Result<u8> {
        let settings = self.program_settings()?;
        let session = Session::start(&self.limits, self.quiet, &Kept::default())?;
        let reading = file.program(self.dialect.get())?;
        let source = Source::new(file);
        if !self.quiet {
            for note in &reading.notes {
                output::tell(&format!("{}: note: {}", source.place(&note.span), note.message));
            }
        }
        if reading.program.properties.is_empty() {
            bail!("the program has no property to check");
        }
        let chosen = program::select(&reading.program, self.property.as_deref())?;
        let several = chosen.len() > 1;
        self.expect_outputs(&numbers(&chosen))?;
        let files = [&self.witness, &self.certificate];
        if several && files.into_iter().flatten().any(|path| output::is_stdout(path)) {
            bail!("standard output takes evidence about one property: choose it with --property");
        }
        let mut report = program::decide(&session, &reading, source, &chosen, &settings)?;
        // The verdict is told even when a file cannot be written.
        let mut files = output::Files::default();
        let written = self.write_program_files(&report, &mut files);
        report.files = files;
        output::print(&report.render(self.json, self.quiet))?;
        written?;
        if self.stats {
            output::tell(statistics::text(&report.statistics, report.checking).trim_end());
        }
        if let Some(refusal) = report.refusals.first() {
            bail!(Bug(refusal.clone()));
        }
        Ok(report.summary().code())
    }

    fn write_program_files(
        &self,
        report: &program::Report<'_>,
        files: &mut output::Files,
    ) -> Result<()> {
        let program::Report { program, source, answers, .. } = report;
        for answer in answers {
            let property = answer.property;
            let one_of_many = (answers.len() > 1).then_some(property);
            let file = |path: &PathBuf| output::numbered(path, one_of_many);
            match &answer.verdict {
                ProgramVerdict::Safe(proof) => {
                    if let Some(path) = self.certificate.as_ref().map(file) {
                        let text =
                            program::evidence::certificate(program, source, answer.property, proof);
                        files.write(property, "certificate", &path, text.as_bytes())?;
                    }
                }
                ProgramVerdict::Unsafe(trace) => {
                    if let Some(path) = self.witness.as_ref().map(file) {
                        let json = program::evidence::witness(program, source, trace);
                        let text = format!("{json:#}\n");
                        files.write(property, "witness", &path, text.as_bytes())?;
                    }
                }
                ProgramVerdict::Unknown(_) => {}
            }
        }
        Ok(())
    }

    /// The meant options; complains about what says nothing about programs.
    fn program_settings(&self) -> Result<Settings> {
        self.engine.expect_program()?;
        let strays = [
            ("--reuse and --save", self.proof.is_used()),
            ("--parameter", self.family.family().is_some()),
            ("--minimize", self.minimize),
            ("--vcd", self.vcd.is_some()),
        ];
        if let Some((name, _)) = strays.into_iter().find(|&(_, given)| given) {
            bail!("{name} is about transition systems, not about programs");
        }
        self.expect_outputs(&[None])?;
        let strategy = match self.strategy.map(AnyStrategy::of_program) {
            None => None,
            Some(Some(strategy)) => Some(strategy),
            Some(None) => bail!("--strategy is whole or trace-abstraction for programs"),
        };
        let solvers = self.programs.solvers()?;
        Ok(Settings { options: self.programs.options(strategy), solvers })
    }

    /// Complains about what says nothing when a bound is looked for.
    fn refuse_with_family(&self, plan: &Plan) -> Result<()> {
        match plan {
            Plan::One(Choice::Auto | Choice::Pdr(_)) => {}
            Plan::One(
                Choice::Bmc(_)
                | Choice::KInduction(_)
                | Choice::Avy(_)
                | Choice::Itp(_)
                | Choice::Imc(_)
                | Choice::Words(_),
            )
            | Plan::Race(_) => bail!("--parameter works with --engine pdr, in one thread"),
        }
        let strays = [
            ("--reuse and --save", self.proof.is_used()),
            ("--minimize", self.minimize),
            ("--stats", self.stats),
        ];
        match strays.into_iter().find(|&(_, given)| given) {
            Some((name, _)) => bail!("{name} cannot be combined with --parameter"),
            None => Ok(()),
        }
    }

    fn find_optimum(
        &self,
        session: &Session,
        model: &Model,
        families: &Families,
        name: StrategyName,
    ) -> Result<u8> {
        let property = families.family.property();
        let options = match self.engine.plan()? {
            Plan::One(Choice::Pdr(options)) => options,
            Plan::One(_) | Plan::Race(_) => PdrOptions::default(),
        };
        let report = session.optimum(families, name, options)?;
        let mut files = output::Files::default();
        if let Some((_, trace)) = &report.optimum.fails {
            self.write_trace(model, trace, &mut files, |path| path.clone())?;
        }
        if let (Some(path), Some((_, proof)), Some(instance)) =
            (&self.certificate, &report.optimum.holds, report.proved_instance())
        {
            let file = evidence::certificate(&instance, property, proof, path)?;
            files.write(property, "certificate", path, &file)?;
        }
        output::print(&report.render(self.json, self.quiet))?;
        Ok(report.summary().code())
    }

    /// Writes a counterexample in the forms that are asked for.
    fn write_trace(
        &self,
        model: &Model,
        trace: &Trace,
        files: &mut output::Files,
        file: impl Fn(&PathBuf) -> PathBuf,
    ) -> Result<()> {
        if let Some(path) = &self.witness {
            let text = evidence::witness(model, trace);
            files.write(trace.property, "witness", &file(path), &text)?;
        }
        if let Some(path) = &self.vcd {
            let text = vcd::write(model.system(), trace);
            files.write(trace.property, "vcd", &file(path), text.as_bytes())?;
        }
        Ok(())
    }

    /// Complains about files that cannot be written, or that are inputs or each other. With
    /// several properties each file has a number.
    fn expect_outputs(&self, numbers: &[Option<PropertyId>]) -> Result<()> {
        let paths = [&self.witness, &self.certificate, &self.vcd];
        let mut outputs: Vec<PathBuf> = Vec::new();
        for path in paths.into_iter().flatten() {
            output::expect_writable(path)?;
            outputs.extend(numbers.iter().map(|&number| output::numbered(path, number)));
        }
        let (reused, saved) = self.proof.paths();
        outputs.extend(saved.cloned());
        // A proof may be replaced by its successor.
        let reused = reused.filter(|path| saved.is_none_or(|saved| !paths::same(path, saved)));
        let inputs = [Some(Path::new(&self.model)), reused.map(PathBuf::as_path)];
        output::expect_distinct(inputs.into_iter().flatten(), outputs.iter().map(PathBuf::as_path))
    }

    fn write_files(&self, report: &Report<'_>, files: &mut output::Files) -> Result<()> {
        let Report { model, answers, .. } = report;
        for answer in answers {
            let one_of_many = (answers.len() > 1).then_some(answer.property);
            let file = |path: &PathBuf| output::numbered(path, one_of_many);
            match &answer.verdict {
                Verdict::Unsafe(trace) => self.write_trace(model, trace, files, file)?,
                Verdict::Safe(proof) => {
                    if let Some(path) = self.certificate.as_ref().map(file) {
                        let file = evidence::certificate(model, answer.property, proof, &path)?;
                        files.write(answer.property, "certificate", &path, &file)?;
                    }
                }
                Verdict::Unknown(_) => {}
            }
        }
        Ok(())
    }
}
