//! `elinvar pebble`: the least number of pebbles for a graph or a circuit.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use elinvar::readable::{align, count, seconds, sentence};
use elinvar::{Error, Families, FamilyReport, FileFault, Summary, SystemProblem};
use elinvar_engines::pdr::PdrOptions;
use elinvar_formats::{dag, svg};
use elinvar_ir::PropertyId;
use elinvar_models::families::pebbling::{Game, LIMIT, Moves, Strategy, pebbling};
use serde_json::json;

use crate::family::{FamilyOutput, SearchName, stages};
use crate::limits::{self, Limits};
use crate::report::flow;
use crate::{code, output, terminal};

/// Find the least number of pebbles for a graph or a reversible circuit
///
/// In the reversible pebbling game a vertex may be pebbled or unpebbled while all its
/// predecessors are pebbled; in the end exactly the outputs are. The pebbles are the
/// places that a reversible or quantum computation needs for its values. Several
/// vertices may change in one step.
///
/// Graphs have lines `n NUMBER NAME`, `e FROM TO` and `o NUMBER`; circuits are .tfc
/// files of Toffoli gates. The answer is the optimum: a strategy with so many pebbles,
/// and a proof that fewer do not do, both checked.
///
/// Exit codes: 0 the optimum was found, 1 it was not, 2 user error, 3 internal error.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// The graph or circuit; `-` reads standard input
    input: String,

    /// In which order numbers of pebbles are tried, and what is kept between them
    #[arg(long, value_enum, value_name = "NAME", default_value = "relax")]
    strategy: SearchName,

    /// Show the strategy with one move in each step
    #[arg(long)]
    sequential: bool,

    #[command(flatten)]
    limits: Limits,

    /// Draw the graph with the moves
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    svg: Option<PathBuf>,

    #[command(flatten)]
    output: FamilyOutput,
}

const AFTER_HELP: &str = "\
Examples:
  elinvar pebble adder.tfc
  elinvar pebble adder.tfc --sequential --svg adder.svg
  elinvar pebble adder.tfc --strategy binary --json
  elinvar pebble adder.tfc --model adder.btor2
  elinvar check adder.btor2 --parameter limit --range 1..7 --certificate proof.btor2";

pub fn run(arguments: &Arguments) -> Result<u8> {
    let FamilyOutput { model, json, quiet, .. } = &arguments.output;
    for path in [&arguments.svg, model].into_iter().flatten() {
        output::expect_writable(path)?;
    }
    let outputs = [&arguments.svg, model].into_iter().flatten();
    output::expect_distinct([Path::new(&arguments.input)], outputs.map(PathBuf::as_path))?;
    let session = limits::start(arguments.limits.options())?;
    let file = output::read(&arguments.input)?;
    let dag = dag::read(file.bytes())
        .map_err(|error| FileFault::new(file.name(), file.bytes(), &error))?;
    let game = Game::new(dag.vertices.clone(), dag.edges.iter().copied(), dag.outputs.clone())
        .map_err(|error| anyhow!("{}: {error}", file.name()))?;
    let relevant = game.relevant();
    let system = pebbling(&relevant.game);
    arguments.output.write_model(&system)?;
    // One less than any strategy needs: so that there always is a proof.
    let least = relevant.game.lower_bound() as u64 - 1;
    let most = relevant.game.vertices() as u64;
    let problem = SystemProblem::new(system);
    let families = Families::new(&problem, LIMIT, PropertyId(0), least..=most)?;
    let report = limits::with_progress(&session, arguments.output.shown(), || {
        session.optimum(&families, arguments.strategy.search(), PdrOptions::default())
    })?;
    let strategy = match &report.optimum.fails {
        Some((_, trace)) => Some(strategy_of(&relevant.game, trace)?),
        None if report.optimum.stopped.is_some() => None,
        None => {
            let message = "as many pebbles as vertices must be enough";
            return Err(Error::Bug(message.to_owned()).into());
        }
    };
    let strategy = strategy.map(|strategy| relevant.lift(&strategy));
    let strategy = strategy.map(|s| if arguments.sequential { s.serialise() } else { s });
    if let (Some(path), Some(strategy)) = (&arguments.svg, &strategy) {
        output::write(path, svg::pebbling(&dag, strategy.configurations()).as_bytes())?;
    }
    let found = Found { game: &game, report, strategy };
    let text = if *json {
        format!("{}\n", found.json())
    } else if *quiet {
        found.optimum().map_or_else(|| "unknown\n".to_owned(), |pebbles| format!("{pebbles}\n"))
    } else {
        flow(&found.text(), terminal::stdout_width())
    };
    output::print(&text)?;
    Ok(if found.optimum().is_some() { code::DONE } else { code::REFUSED })
}

fn strategy_of(game: &Game, trace: &elinvar_ir::Trace) -> Result<Strategy> {
    Strategy::from_trace(game, trace)
        .map_err(|error| Error::Bug(format!("the trace is not a strategy: {error}")).into())
}

/// What was found.
struct Found<'a> {
    game: &'a Game,
    report: FamilyReport,
    /// The best that is known.
    strategy: Option<Strategy>,
}

impl Found<'_> {
    /// The least number of pebbles, if it is known.
    fn optimum(&self) -> Option<u64> {
        let (pebbles, _) = self.report.optimum.fails.as_ref()?;
        (self.report.summary() == Summary::Unsafe).then_some(*pebbles)
    }

    fn text(&self) -> String {
        let optimum = &self.report.optimum;
        let mut text = String::new();
        if let (Some((pebbles, _)), Some(strategy)) = (&optimum.fails, &self.strategy) {
            let (pebbles, steps) =
                (count(*pebbles as usize, "pebble"), count(strategy.steps(), "step"));
            writeln!(text, "{pebbles}: a strategy of {steps}, replayed.")
                .expect("strings do not fail");
        }
        if let Some((pebbles, certificate)) = &optimum.holds {
            let how = sentence::certificate(certificate);
            let pebbles = count(*pebbles as usize, "pebble");
            writeln!(text, "{pebbles} do not do: proved by {how}, checked.")
                .expect("strings do not fail");
        }
        if let Some(reason) = &optimum.stopped {
            writeln!(text, "The optimum is undecided: {reason}.").expect("strings do not fail");
        }
        if let Some(strategy) = &self.strategy {
            write!(text, "\n{}", self.table(strategy)).expect("strings do not fail");
        }
        write!(text, "\n{}", stages(&self.report)).expect("strings do not fail");
        writeln!(text, "\n{}", seconds(self.report.time)).expect("strings do not fail");
        text
    }

    /// The strategy, a line a step.
    fn table(&self, strategy: &Strategy) -> String {
        let mut rows = vec![["step", "pebbles", "pebbled", "unpebbled"].map(str::to_owned)];
        let after = strategy.configurations()[1..].iter();
        for (step, (Moves { pebbled, unpebbled }, configuration)) in
            (1..).zip(strategy.moves().iter().zip(after))
        {
            rows.push([
                step.to_string(),
                configuration.iter().filter(|&&pebbled| pebbled).count().to_string(),
                self.names(pebbled).join(" "),
                self.names(unpebbled).join(" "),
            ]);
        }
        align(&rows)
    }

    fn names(&self, vertices: &[usize]) -> Vec<&str> {
        vertices.iter().map(|&vertex| self.game.names()[vertex].as_str()).collect()
    }

    fn json(&self) -> serde_json::Value {
        let mut object = self.report.to_json();
        let steps = self.strategy.as_ref().map(|strategy| {
            let step = |Moves { pebbled, unpebbled }: &Moves| {
                json!({ "pebbled": self.names(pebbled), "unpebbled": self.names(unpebbled) })
            };
            strategy.moves().iter().map(step).collect::<Vec<_>>()
        });
        object["pebbles"] = json!(self.optimum());
        object["vertices"] = self.game.vertices().into();
        object["steps"] = json!(steps);
        object
    }
}
