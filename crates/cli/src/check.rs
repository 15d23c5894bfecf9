//! `elinvar check`: decide the properties of a model or a program.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use elinvar::formats::model::is_program;
use elinvar::formats::waveform::WaveformFormat;
use elinvar::ir::{Goal, PropertyId};
use elinvar::page::PageOptions;
use elinvar::readable::waveform;
use elinvar::rtl::Design;
use elinvar::{
    BoundSearch, Error, EvidenceKind, Families, FamilyReport, Method, Options, Problem, Report,
    Session, Shortening, Source, Summary, SystemProblem, WrittenFile,
};
use elinvar_engines::Choice;
use elinvar_engines::pdr::PdrOptions;

use crate::ci::{self, CiOptions};
use crate::engine_options::EngineOptions;
use crate::family::{FamilyOptions, SearchName};
use crate::html::HtmlOption;
use crate::input::DesignOptions;
use crate::limits::{self, Limits};
use crate::ltl::LtlOptions;
use crate::maps::MapOptions;
use crate::program_options::{DialectOption, ProgramOptions};
use crate::progress::Progress;
use crate::reuse::ReuseOptions;
use crate::trace_options::TraceOptions;
use crate::{html, output, project, report};

/// Decide the properties of a model or a program
///
/// Every verdict is confirmed by an independent checker before it is printed:
/// counterexamples are replayed, and proofs are checked again by another encoder.
/// Exit codes: 20 safe (unsat), 10 unsafe (sat), 0 unknown, 2 user error, 3
/// internal error. With several properties: 10 if any assertion fails or any cover
/// statement is unreachable, else 0 if any is undecided, else 20. With --ci: 0 all
/// proved, 1 something fails, 2 undecided, 3 internal error, 4 user error.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = ALL_EXAMPLES, args_override_self = true)]
pub struct Arguments {
    /// A model (AIGER, BTOR, BTOR2, basm), a program (Boogie) or a design (Verilog)
    ///
    /// Designs in Verilog or SystemVerilog are read by Yosys and may have several source files.
    /// `-` reads a model or a program from standard input. Without MODEL, `elinvar.toml` in this
    /// folder or in one above it says what to check.
    #[arg(value_name = "MODEL")]
    models: Vec<String>,

    /// Check only this property [default: all]
    ///
    /// A property is given by its name, its number, or a pattern such as 'u0.*'. The option may
    /// be repeated.
    #[arg(long, value_name = "NAME|INDEX")]
    property: Vec<String>,

    #[command(flatten)]
    ltl: LtlOptions,

    /// Check only cover statements
    ///
    /// A cover statement asks for an execution that reaches it. In models without cover
    /// statements, such as AIGER files, every safety property counts as one. The verdicts are
    /// reached, with a trace, or unreachable, with a proof.
    #[arg(long, conflicts_with = "no_cover")]
    cover: bool,

    /// Check only assertions, and no cover statements
    #[arg(long, hide_short_help = true)]
    no_cover: bool,

    /// Do not count vacuous proofs: the exit code is then 0 instead of 20
    ///
    /// A proof is vacuous if the assumptions contradict each other or the condition under which
    /// the property is checked never holds. With this option, the assumptions must also be
    /// known to allow a run as long as the depth of the proof. The report is the same.
    #[arg(long, hide_short_help = true)]
    strict: bool,

    /// Explain the verdicts: why a property fails or what its proof uses
    ///
    /// For a failure, the report lists the values that led to it, cycle by cycle. For a proof,
    /// it lists the assumptions, registers and inputs without which the proof would not hold.
    /// For an undecided property, it tells how far the property was examined, what was proved on
    /// the way, and which states the engine could not exclude. This takes up to two seconds, or
    /// a quarter of the time of the run.
    #[arg(long)]
    explain: bool,

    #[command(flatten)]
    limits: Limits,

    /// Write the counterexample
    ///
    /// The file is an AIGER witness for AIGER models, a run in JSON for programs, and a BTOR2
    /// witness for other models.
    ///
    /// When several properties are checked, each property that fails has a file of its own,
    /// with its number before the ending: w.txt becomes w.0.txt, w.1.txt. The report names
    /// each file. If nothing fails, nothing is written; a file of an earlier run is not removed,
    /// but a warning names it.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    witness: Option<PathBuf>,

    /// Write the proof
    ///
    /// The proof is a witness circuit in the format of the model (AIGER in ASCII unless FILE
    /// ends in .aig), or Elinvar's text certificate for programs and where no circuit can
    /// express it. Several properties are handled as for --witness.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    certificate: Option<PathBuf>,

    /// Write the counterexample as a waveform in VCD, for GTKWave or Surfer
    ///
    /// A cycle takes 10 ns. Values that do not matter are unknown (x). Several properties are
    /// handled as for --witness.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    vcd: Option<PathBuf>,

    /// Write the counterexample as a waveform in FST, which is much smaller than VCD
    #[arg(long, value_name = "FILE", help_heading = "Output", hide_short_help = true)]
    fst: Option<PathBuf>,

    /// Write the counterexample as a Yosys witness (.yw), which Yosys and SymbiYosys replay
    ///
    /// The names of the model are split at dots into paths of the design. Without --map, signals
    /// that have no name in the model are missing.
    #[arg(long, value_name = "FILE", help_heading = "Output", hide_short_help = true)]
    yw: Option<PathBuf>,

    #[command(flatten)]
    html: HtmlOption,

    #[command(flatten)]
    maps: MapOptions,

    /// Find the shortest counterexamples, and say so in the report
    ///
    /// By default a shorter one is looked for only briefly. With this option, the run goes on
    /// until there is none or a limit such as --timeout is reached; a counterexample that was
    /// found by then is reported anyway.
    #[arg(long, help_heading = "Trace", hide_short_help = true)]
    shortest: bool,

    /// Print the report as one JSON object
    #[arg(long, conflicts_with = "quiet", help_heading = "Output")]
    json: bool,

    /// Print statistics of the engines and their solvers to standard error
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    stats: bool,

    /// Print only the verdict, and no progress
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,

    /// Remove clauses from the inductive invariant that the proof does not need, before it is
    /// written; the rest is checked again
    #[arg(long, requires = "certificate", help_heading = "Output", hide_short_help = true)]
    minimize: bool,

    #[command(flatten)]
    trace: TraceOptions,

    // The headings of the help follow the order of the fields: expert options come last.
    #[command(flatten)]
    design: DesignOptions,

    #[command(flatten)]
    pub ci: CiOptions,

    #[command(flatten)]
    reuse: ReuseOptions,

    #[command(flatten)]
    dialect: DialectOption,

    #[command(flatten)]
    family: FamilyOptions,

    #[command(flatten)]
    engine: EngineOptions,

    #[command(flatten)]
    programs: ProgramOptions,
}

const EXAMPLES: &str = "\
Examples:
  elinvar check counter.aag
  elinvar check fifo.sv ram.sv --top fifo -D WIDTH=8
  elinvar check fifo.btor2 --property full --timeout 60 --vcd fifo.vcd
  elinvar check fifo.btor2 -j 4 --json";

const ALL_EXAMPLES: &str = "\
Examples:
  elinvar check counter.aag
  elinvar check fifo.sv ram.sv --top fifo -D WIDTH=8
  elinvar check                                               as elinvar.toml says
  elinvar check fifo.btor2 --engine bmc --bound 50 --vcd fifo.vcd
  elinvar check fifo.btor2 --property full --timeout 60 --json
  elinvar check fifo.sv --html fifo.html
  elinvar check fifo.btor2 --engine pdr --stats
  elinvar check fifo.btor2 -j 4
  elinvar check arbiter.btor2 --ltl 'G (req -> F gnt)'
  elinvar check fifo.btor2 --reuse fifo.elv --save fifo.elv    again after each change
  elinvar check soc.btor2 --store proofs                       prove only what has changed
  elinvar check game.btor2 --parameter limit --range 1..20
  elinvar check sort.bpl --timeout 60
  elinvar check counter.aag --certificate proof.aag && elinvar verify counter.aag proof.aag";

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<u8> {
    let run = ci::Run::start(&arguments.ci, arguments.is_strict(), &arguments.models);
    decide(arguments, &run).or_else(|error| run.fail(error))
}

fn decide(arguments: &Arguments, run: &ci::Run<'_>) -> Result<u8> {
    if arguments.models.is_empty() {
        bail!("no model is given, and {} names no sources", project::NAME);
    }
    arguments.expect_outputs(&[None])?;
    run.allow_files();
    let input = arguments.input()?;
    let options = arguments.options(input.is_program())?;
    let session = limits::start(options)?;
    let progress = Progress::of(&session, arguments.design.shown(arguments.quiet));
    let problem = match arguments.read(&session, input) {
        Err(Error::Stopped(reason)) => {
            let mut files = run.unread(&reason)?;
            files.extend(arguments.html.write_unread(&reason, arguments.page())?);
            output::print(&report::unread(&reason, &files, arguments.json, arguments.quiet))?;
            return Ok(arguments.ci.summary_code(Summary::Unknown));
        }
        result => result?,
    };
    if let Problem::Program(program) = &problem
        && !arguments.quiet
    {
        report::print_notes(program);
    }
    let problem = match problem {
        Problem::System(system) => {
            let system = arguments.maps.apply(system, &arguments.models[0])?;
            arguments.trace.expect_signals(system.system())?;
            arguments.with_goals(Problem::System(system))
        }
        Problem::Program(_) => problem,
    };
    let problem = arguments.ltl.apply(problem)?;
    let chosen = problem.chosen(session.options())?;
    arguments.expect_evidence_outputs(&chosen)?;
    if arguments.family.family().is_some() {
        let Problem::System(problem) = &problem else { unreachable!("refused before") };
        return arguments.find_optimum(&session, problem, &chosen);
    }
    let mut report = session.check(&problem)?;
    drop(progress);
    // The verdict is printed even when a file cannot be written.
    let written = arguments.write_files(&mut report);
    let written = run.report(&mut report, written.as_ref().err()).and(written);
    output::print(&report::render(&report, arguments.json, arguments.quiet, &arguments.trace))?;
    written?;
    if arguments.quiet && report.properties.len() > 1 {
        // The names are not those of the command line.
        report.properties.iter().flat_map(|property| &property.files).for_each(output::tell_file);
    }
    report::finish(&report, arguments.stats)?;
    Ok(arguments.ci.code(&report, arguments.is_strict()))
}

/// What is to be checked, before it is read.
enum Input {
    Design(Design),
    Text(Arc<Source>),
}

impl Input {
    fn is_program(&self) -> bool {
        match self {
            Input::Design(_) => false,
            Input::Text(source) => is_program(source.bytes(), source.name()),
        }
    }
}

impl Arguments {
    /// Asks for explanations.
    pub fn explaining(self) -> Self {
        Arguments { explain: true, ..self }
    }

    /// Is there anything to check?
    pub fn has_model(&self) -> bool {
        !self.models.is_empty()
    }

    /// Do vacuous proofs not count?
    fn is_strict(&self) -> bool {
        self.strict || self.ci.ci
    }

    fn input(&self) -> Result<Input> {
        Ok(match self.design.design(&self.models)? {
            Some(design) => Input::Design(design),
            None => Input::Text(Arc::new(output::read(&self.models[0])?)),
        })
    }

    fn read(&self, session: &Session, input: Input) -> Result<Problem, Error> {
        let dialect = self.dialect.get();
        match input {
            Input::Design(_) if dialect.is_some() => {
                Err(Error::Usage("--dialect applies only to programs".to_owned()))
            }
            Input::Design(design) => {
                Ok(self.design.elaborate(session, design, self.quiet)?.problem)
            }
            Input::Text(source) => session.read(move || Problem::from_source(source, dialect)),
        }
    }

    /// The problem with cover statements, if they are asked for.
    fn with_goals(&self, problem: Problem) -> Problem {
        let is_cover = |number| problem.goal(PropertyId(number)) == Goal::Cover;
        match &problem {
            Problem::System(system)
                if self.cover && !(0..problem.property_count()).any(is_cover) =>
            {
                Problem::System(system.as_covers())
            }
            Problem::System(_) | Problem::Program(_) => problem,
        }
    }

    /// The options of the library; fails if they do not fit each other.
    fn options(&self, is_program: bool) -> Result<Options> {
        let is_for_programs = is_program && self.engine.is_for_programs();
        if is_for_programs {
            self.expect_program()?;
        } else if let Some(name) = self.programs.given() {
            bail!("{name} applies only to programs with --engine cfg");
        }
        let method = match is_for_programs {
            true => Method::Program(self.programs.options()),
            false => self.engine.method()?,
        };
        if self.family.family().is_some() {
            self.expect_family(&method, is_program)?;
        } else if self.family.search().is_some() {
            bail!("--strategy requires --parameter");
        }
        if self.reuse.is_used() {
            self.engine.expect_lemmas("--reuse and --save")?;
        }
        let (reuse, save) = self.reuse.open()?;
        Ok(Options {
            method,
            properties: self.property.clone(),
            goal: match (self.cover, self.no_cover) {
                (true, _) => Some(Goal::Cover),
                (false, true) => Some(Goal::Assert),
                (false, false) => None,
            },
            minimize: self.minimize,
            shortening: self.shortening(),
            explain: self.explain,
            concrete_waveforms: self.trace.is_complete(),
            reuse,
            save,
            store: self.reuse.store()?,
            smt_solvers: self.programs.solvers()?,
            ..self.limits.options()
        })
    }

    /// Traces that nobody sees are not made shorter.
    fn shortening(&self) -> Shortening {
        let is_seen = self.html.is_used()
            || self.outputs().next().is_some()
            || self.ci.outputs().next().is_some();
        match (self.shortest, self.quiet && !is_seen) {
            (true, _) => Shortening::Full,
            (false, true) => Shortening::Off,
            (false, false) => Shortening::Brief,
        }
    }

    /// Fails if an option does not apply to programs.
    fn expect_program(&self) -> Result<()> {
        self.engine.expect_program()?;
        let inapplicable = [
            ("--reuse and --save", self.reuse.is_used()),
            ("--store", self.reuse.has_store()),
            ("--parameter", self.family.family().is_some()),
            ("--minimize", self.minimize),
            ("--cover", self.cover),
            ("--vcd", self.vcd.is_some()),
            ("--fst", self.fst.is_some()),
            ("--yw", self.yw.is_some()),
            ("--map", self.maps.paths().next().is_some()),
            ("--shortest", self.shortest),
        ];
        let trace = self.trace.given().map(|name| (name, true));
        match inapplicable.into_iter().chain(trace).find(|&(_, given)| given) {
            Some((name, _)) => bail!("{name} applies only to transition systems, not to programs"),
            None => Ok(()),
        }
    }

    /// Fails if an option does not fit --parameter.
    fn expect_family(&self, method: &Method, is_program: bool) -> Result<()> {
        match method {
            Method::Auto | Method::System(Choice::Auto | Choice::Pdr(_)) if !is_program => {}
            Method::Auto
            | Method::System(_)
            | Method::Schedule(_)
            | Method::Race(_)
            | Method::Program(_) => {
                bail!("--parameter works only with models, --engine pdr and one thread")
            }
        }
        let inapplicable = [
            ("--reuse and --save", self.reuse.is_used()),
            ("--store", self.reuse.has_store()),
            ("--minimize", self.minimize),
            ("--stats", self.stats),
            ("--shortest", self.shortest),
            ("--strict", self.strict),
            ("--explain", self.explain),
            ("--html", self.html.is_used()),
        ];
        let ci = self.ci.given().map(|name| (name, true));
        match inapplicable.into_iter().chain(ci).find(|&(_, given)| given) {
            Some((name, _)) => bail!("{name} cannot be combined with --parameter"),
            None => Ok(()),
        }
    }

    fn find_optimum(
        &self,
        session: &Session,
        problem: &SystemProblem,
        chosen: &[PropertyId],
    ) -> Result<u8> {
        let [property] = *chosen else {
            bail!("--parameter works with one property; choose it with --property");
        };
        let (parameter, range) = self.family.family().expect("asked for");
        let families = Families::new(problem, parameter, property, range)?;
        let options = match self.engine.method()? {
            Method::System(Choice::Pdr(options)) => options,
            Method::Auto
            | Method::System(_)
            | Method::Schedule(_)
            | Method::Race(_)
            | Method::Program(_) => PdrOptions::default(),
        };
        let search = self.family.search().map_or(BoundSearch::Binary, SearchName::search);
        let report = session.optimum(&families, search, options)?;
        let files = self.write_family_files(problem, &report)?;
        output::print(&crate::family::render(&report, &files, self.json, self.quiet))?;
        Ok(report.summary().exit_code())
    }

    fn write_family_files(
        &self,
        problem: &SystemProblem,
        report: &FamilyReport,
    ) -> Result<Vec<WrittenFile>> {
        let trace = report.optimum.fails.as_ref().map(|(_, trace)| trace);
        let waveform = |format| {
            trace.map(|trace| waveform::of_counterexample(problem.system(), trace, format))
        };
        let mut written = Vec::new();
        for (kind, path) in self.outputs() {
            let contents = match kind {
                EvidenceKind::Witness => trace.map(|trace| problem.witness(trace)),
                EvidenceKind::Yw => trace.map(|trace| problem.yosys_witness(trace)),
                EvidenceKind::Vcd => waveform(WaveformFormat::Vcd),
                EvidenceKind::Fst => waveform(WaveformFormat::Fst),
                EvidenceKind::Certificate => {
                    let proof = report.optimum.holds.as_ref().zip(report.proved_instance());
                    let property = report.families.family().property();
                    let file = proof
                        .map(|((_, proof), instance)| instance.certificate(property, proof, path));
                    file.transpose()?
                }
            };
            if let Some(contents) = contents {
                output::write(path, &contents)?;
                written.push(WrittenFile { kind: kind.name(), path: path.clone() });
            }
        }
        written.retain(|file| !output::is_stdout(&file.path));
        Ok(written)
    }

    /// The files to write, with their kinds.
    fn outputs(&self) -> impl Iterator<Item = (EvidenceKind, &PathBuf)> {
        let outputs = [
            (EvidenceKind::Witness, &self.witness),
            (EvidenceKind::Certificate, &self.certificate),
            (EvidenceKind::Vcd, &self.vcd),
            (EvidenceKind::Fst, &self.fst),
            (EvidenceKind::Yw, &self.yw),
        ];
        outputs.into_iter().filter_map(|(kind, path)| Some((kind, path.as_ref()?)))
    }

    fn expect_evidence_outputs(&self, chosen: &[PropertyId]) -> Result<()> {
        let numbers: Vec<Option<PropertyId>> = match chosen {
            [_] => vec![None],
            _ => chosen.iter().copied().map(Some).collect(),
        };
        let stdout = self.outputs().find(|(_, path)| output::is_stdout(path));
        if let (Some((kind, _)), true) = (stdout, chosen.len() > 1) {
            let kind = kind.name();
            bail!("`--{kind} -` holds evidence about one property; choose it with --property");
        }
        self.expect_outputs(&numbers)
    }

    /// Fails if a file cannot be written, or is an input or another output. With several
    /// properties each file has a number.
    fn expect_outputs(&self, numbers: &[Option<PropertyId>]) -> Result<()> {
        let mut outputs: Vec<PathBuf> = Vec::new();
        for (_, path) in self.outputs() {
            output::expect_writable(path)?;
            outputs.extend(numbers.iter().map(|&number| elinvar::files::numbered(path, number)));
        }
        self.html.expect_writable()?;
        outputs.extend(self.html.path().cloned());
        for path in self.ci.outputs() {
            output::expect_writable(path)?;
            outputs.push(path.clone());
        }
        let (reused, saved) = self.reuse.paths();
        outputs.extend(saved.cloned());
        // A proof may be replaced by its successor.
        let is_saved =
            |path: &&PathBuf| saved.is_some_and(|saved| elinvar::files::same(path, saved));
        let reused = reused.filter(|path| !is_saved(path));
        let inputs = self.models.iter().map(Path::new).chain(reused.map(PathBuf::as_path));
        let inputs = inputs.chain(self.maps.paths());
        output::expect_distinct(inputs, outputs.iter().map(PathBuf::as_path))
    }

    fn write_files(&self, report: &mut Report) -> Result<()> {
        for (kind, path) in self.outputs() {
            output::write_evidence(report, kind, path)?;
        }
        self.html.write(report, self.page())
    }

    /// What an HTML report says about the command.
    fn page(&self) -> PageOptions {
        let mut verify_options = self.design.words();
        verify_options.extend(self.maps.words());
        verify_options.extend(self.dialect.words());
        html::page(self.models.clone(), verify_options)
    }
}
