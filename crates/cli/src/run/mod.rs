//! `elinvar run`: many properties of many models, with several workers.
//!
//! This process makes the plan of the campaign, starts the workers ([`launch`]), shows what their
//! logs say ([`view`], [`dashboard`]), and writes reports at the end ([`report`]). It decides
//! nothing itself, so that it may be killed at any moment.

mod dashboard;
mod launch;
mod local;
mod report;
mod slurm;
mod spec;
mod strategy;
mod view;
mod worker;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use elinvar::campaign::{self, Limits, Order, Plan, Results, Strategy, Totals};
use elinvar::files::shown;

use crate::{code, limits, output};

/// Decide many properties of many models, with several workers
///
/// A campaign is a folder with a plan, logs and evidence. Strategies escalate: all properties get
/// a short effort, and what is still open gets the next strategy. Every verdict is confirmed as
/// by `elinvar check`, and noted at once. A campaign that was interrupted or killed goes on with
/// --resume. Exit codes: 20 if all properties hold, 10 if some fail, 0 if some are undecided, 2
/// user error, 3 internal error.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<RunCommand>,

    /// The file of the campaign (campaign.toml), or models
    #[arg(value_name = "CAMPAIGN|MODEL")]
    inputs: Vec<String>,

    /// Try this strategy: an engine, its options, and the time for a property
    ///
    /// For example 'pdr 10s' or 'deep=bmc --bound 100 1min'; a name may come first. The option may
    /// be repeated: strategies are tried in this order, and later ones also by what has worked.
    /// The options are those of `elinvar check` about engines [default: 'auto 2s', then
    /// 'auto 60s'].
    #[arg(long, value_name = "TEXT", value_parser = strategy::parse)]
    strategy: Vec<Strategy>,

    /// Decide only properties with this name or pattern [default: all]
    #[arg(long, value_name = "NAME")]
    property: Vec<String>,

    /// The folder of the campaign [default: the name of the first file with the ending .campaign]
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,

    /// Go on with the campaign in the folder
    ///
    /// What was decided before is not decided again. The plan in the folder holds; --jobs and
    /// --launcher may be other ones.
    #[arg(long)]
    resume: bool,

    /// Start workers as processes on this machine, or as an array job of Slurm
    #[arg(long, value_enum, default_value = "local", value_name = "NAME")]
    launcher: LauncherName,

    /// The number of workers [default: as the campaign says, or one per core]
    #[arg(long, short = 'j', value_name = "N")]
    jobs: Option<usize>,

    /// The memory of a machine for all of its workers together, in MiB [default: four fifths]
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,

    /// The folder of a store of proofs: evidence of earlier runs is looked up there, and that of
    /// this one is added
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,

    #[command(flatten)]
    compare: report::CompareOption,

    /// An option for sbatch, such as '--partition=fast'; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    slurm_option: Vec<String>,

    /// Print only the result
    #[arg(long, short)]
    quiet: bool,

    /// Work on the campaign in this folder, for the process that has started this one
    #[arg(long, value_name = "DIR", hide = true, exclusive = true)]
    worker: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  elinvar run nightly.toml
  elinvar run nightly.toml --resume
  elinvar run nightly.toml --directory tuesday --compare monday
  elinvar run report tuesday --html page.html
  elinvar run designs/*.btor2 --strategy 'auto 5s' --strategy 'pdr 60s' --strategy 'avy 60s'
  elinvar run nightly.toml --launcher slurm --jobs 100 --slurm-option=--partition=fast";

/// What can be done with a campaign besides running it.
#[derive(clap::Subcommand)]
enum RunCommand {
    Report(report::Arguments),
}

/// What starts workers.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum LauncherName {
    /// Processes on this machine
    Local,
    /// An array job of Slurm
    Slurm,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<u8> {
    if let Some(RunCommand::Report(arguments)) = &arguments.command {
        return report::run(arguments);
    }
    if let Some(campaign) = &arguments.worker {
        return worker::run(campaign);
    }
    // Before any thread starts: a thread that does not block signals would end the process.
    limits::exit_on_interrupt()?;
    let earlier = arguments.compare.read()?;
    let (campaign, slurm_options) = arguments.prepare()?;
    let plan = Plan::read(&campaign)?;
    let jobs = arguments.jobs.unwrap_or(plan.limits.jobs).max(1);
    let mut launcher: Box<dyn launch::Launcher> = match arguments.launcher {
        LauncherName::Local => Box::new(local::Local::new(&campaign, jobs)),
        LauncherName::Slurm => {
            let memory = plan.limits.memory;
            Box::new(slurm::Slurm::new(&campaign, jobs, memory, slurm_options))
        }
    };
    let mut view = view::of(arguments.quiet);
    let dashboard = dashboard::Dashboard::start(&campaign, arguments.quiet)?;
    let (results, interrupted) = launch::run(&campaign, &mut *launcher, &mut *view)?;
    drop(dashboard);
    let written = report::write_beside(&results, earlier.as_ref(), arguments.quiet);
    // The result is printed even if there is no room for the reports.
    let code = finish(&results, interrupted)?;
    written?;
    earlier.map_or(Ok(()), |earlier| report::print_changes(&results, &earlier))?;
    Ok(code)
}

impl Arguments {
    /// The folder of the campaign with its plan, and options for `sbatch`.
    fn prepare(&self) -> Result<(PathBuf, Vec<String>)> {
        if self.jobs == Some(0) {
            bail!("--jobs must be at least 1");
        }
        let spec = match &self.inputs[..] {
            [one] if one.ends_with(".toml") => Some(spec::read(Path::new(one))?),
            _ => None,
        };
        let given = self.folder()?;
        // Workers may have another current folder.
        let campaign = std::path::absolute(&given)?;
        let exists = Plan::path(&campaign).exists();
        let mut slurm_options = spec.as_ref().map(|spec| spec.slurm.clone()).unwrap_or_default();
        slurm_options.extend(self.slurm_option.iter().cloned());
        match (exists, self.resume) {
            (true, false) => bail!(
                "there is a campaign in {} already; --resume goes on with it, and --directory \
                 chooses another folder",
                shown(&given)
            ),
            (false, true) => bail!("there is no campaign in {} to resume", shown(&given)),
            (true, true) => self.resume(&campaign)?,
            (false, false) => self.create(&campaign, spec)?,
        }
        Ok((campaign, slurm_options))
    }

    fn folder(&self) -> Result<PathBuf> {
        match (&self.directory, self.inputs.first()) {
            (Some(folder), _) => Ok(folder.clone()),
            (None, Some(first)) => {
                let stem = Path::new(first).file_stem().unwrap_or_default();
                let mut name = stem.to_owned();
                name.push(".campaign");
                let folder = Path::new(first).parent().unwrap_or(Path::new(""));
                // Models may be where nothing can be written.
                Ok(if first.ends_with(".toml") { folder.join(name) } else { name.into() })
            }
            (None, None) => bail!("neither a campaign nor a model nor --directory is given"),
        }
    }

    fn create(&self, campaign: &Path, spec: Option<spec::Spec>) -> Result<()> {
        if self.inputs.is_empty() {
            bail!("neither a campaign nor a model is given");
        }
        let is_spec = |input: &&String| input.ends_with(".toml");
        if spec.is_none()
            && let Some(file) = self.inputs.iter().find(is_spec)
        {
            bail!("{file} is a campaign; it cannot be given together with models or others");
        }
        let mut order = self.order(spec.map(|spec| spec.order));
        if let Some(store) = &mut order.store {
            // Workers may have another current folder.
            *store = std::path::absolute(&*store)?;
            elinvar::Store::open(store.clone())?;
        }
        let plan = order.plan()?;
        std::fs::create_dir_all(campaign)
            .map_err(|error| anyhow::anyhow!("cannot create {}: {error}", shown(campaign)))?;
        Ok(plan.write(campaign)?)
    }

    /// What is to be decided: options of the command line come before the file.
    fn order(&self, given: Option<Order>) -> Order {
        let mut order = given.unwrap_or_else(|| {
            let named = |path: &String| (path.clone(), PathBuf::from(path));
            let first = Path::new(&self.inputs[0]).file_stem().unwrap_or_default();
            Order {
                name: first.to_string_lossy().into_owned(),
                models: self.inputs.iter().map(named).collect(),
                properties: Vec::new(),
                strategies: Vec::new(),
                limits: Limits { jobs: 0, ..Limits::default() },
                store: None,
            }
        });
        if !self.strategy.is_empty() {
            order.strategies.clone_from(&self.strategy);
        }
        if order.strategies.is_empty() {
            order.strategies = strategy::usual();
        }
        if !self.property.is_empty() {
            order.properties.clone_from(&self.property);
        }
        if let Some(store) = &self.store {
            order.store = Some(store.clone());
        }
        if let Some(mebibytes) = self.memory {
            order.limits.memory = Some(mebibytes.saturating_mul(1 << 20));
        }
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        order.limits.jobs = match (self.jobs, order.limits.jobs) {
            (Some(jobs), _) => jobs,
            (None, 0) => cores(),
            (None, jobs) => jobs,
        };
        order
    }

    /// Makes the tasks of dead workers available.
    fn resume(&self, campaign: &Path) -> Result<()> {
        let slurm = campaign.join("slurm").exists();
        let is_over = slurm && !slurm::is_running(campaign)?;
        if slurm && !is_over {
            bail!("the job of the campaign still runs: see squeue");
        }
        let released = campaign::release_abandoned(campaign, is_over)?;
        if released > 0 && !self.quiet {
            output::tell(&format!("{released} tasks were not finished and run again"));
        }
        Ok(())
    }
}

/// Prints the result of a campaign and returns the exit code.
fn finish(results: &Results, interrupted: bool) -> Result<u8> {
    let Totals { properties, proved, failed, undecided, open, cpu_seconds, .. } = results.totals();
    let word = match (failed, undecided + open) {
        (0, 0) => "safe",
        (0, _) => "unknown",
        (_, _) => "unsafe",
    };
    let undecided = undecided + open;
    output::print(&format!(
        "{word}: {properties} properties, {proved} proved, {failed} failed, {undecided} undecided; \
         {cpu_seconds:.1} s of processor time\n"
    ))?;
    for (task, state) in results.plan.tasks.iter().zip(&results.tasks) {
        if let Some(failure) = &state.failure {
            output::tell(&output::harmless(&format!("warning: task {}: {failure}", task.id)));
        }
    }
    if interrupted {
        output::tell("the campaign was interrupted; --resume goes on with it");
    } else if !results.is_complete() {
        bail!("the workers ended before the campaign was over; --resume goes on with it");
    }
    if !results.contradictions.is_empty() {
        output::tell("error: the logs contain contradictory verdicts, which is a bug of Elinvar");
        return Ok(code::INTERNAL_ERROR);
    }
    Ok(match word {
        "safe" => 20,
        "unsafe" => 10,
        _ => 0,
    })
}
