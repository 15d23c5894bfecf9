//! Every engine against explicit-state search on random small systems; every
//! piece of evidence goes through the checker, and printed models are read back.

mod live;
mod programs;
mod proofs;
mod source;

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use elinvar::{Budget, confirm_system};
use elinvar_engines::bmc::{Bmc, BmcOptions};
use elinvar_engines::interpolation::avy::{Avy, AvyOptions};
use elinvar_engines::interpolation::imc::Imc;
use elinvar_engines::interpolation::itp::Itp;
use elinvar_engines::interpolation::{InterpolationOptions, System};
use elinvar_engines::kinduction::{Distinct, KInduction, KInductionOptions};
use elinvar_engines::pdr::{Ctg, Kind, Pdr, PdrOptions, Probability, Words, WordsOptions};
use elinvar_engines::schedule::{Limits, Schedule};
use elinvar_engines::{Effort, Engine, Run, Task};
use elinvar_formats::{aiger, btor2, same_system};
use elinvar_ir::{
    ExprId, Input, PropertyId, Rng, Simulator, Step, TransitionSystem, Value, Verdict,
};
use elinvar_models::{Generator, Outcome, ProgramGenerator, Shape, search};
use elinvar_transform::{PassOptions, bitblast};

#[derive(Args)]
pub struct Options {
    /// How many systems or programs are drawn
    #[arg(long, default_value_t = 20_000)]
    count: u64,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only this engine; the one for programs draws programs instead of systems
    #[arg(long)]
    engine: Option<EngineName>,
    /// Only systems or programs of this kind; several may be given
    #[arg(long = "shape", value_name = "SHAPE")]
    shapes: Vec<ShapeName>,
    /// How the engine for programs is set
    #[arg(long, value_name = "SETTINGS", default_value = "default")]
    settings: programs::Settings,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineName {
    Bmc,
    Kind,
    Pdr,
    Avy,
    Itp,
    Imc,
    Words,
    /// The engines that share the processor, in short turns
    Sharing,
    /// For liveness
    Live,
    /// For programs
    Cfg,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ShapeName {
    Bits,
    Words,
    Arrays,
    Numbers,
    /// Small registers, and wide words between them
    Wide,
    /// Programs with integers and Booleans
    Integers,
    /// Programs with maps, reals and words as well
    Mixed,
    /// Programs of few statements
    Tiny,
    /// Programs as source text, through the whole tool
    Source,
}

impl ShapeName {
    /// Of systems.
    fn shape(self) -> Option<Shape> {
        match self {
            ShapeName::Bits => Some(Shape::BITS),
            ShapeName::Words => Some(Shape::WORDS),
            ShapeName::Arrays => Some(Shape::ARRAYS),
            ShapeName::Numbers => Some(Shape::NUMBERS),
            ShapeName::Wide => Some(Shape::WIDE),
            ShapeName::Integers | ShapeName::Mixed | ShapeName::Tiny | ShapeName::Source => None,
        }
    }
}

pub fn run(options: &Options) -> ExitCode {
    if options.shapes.iter().any(|shape| matches!(shape, ShapeName::Source)) {
        let watch = source::Watch::start();
        return options.each(source_shape, 100, |seed, (), tally| {
            watch.begin(seed);
            source::examine(seed, tally)
        });
    }
    match options.engine {
        Some(EngineName::Cfg) => options.each(programs::shape, 100, |seed, shape, tally| {
            let program = ProgramGenerator::program(seed, shape);
            programs::examine(&program, &options.settings.choose(seed), tally)
        }),
        Some(EngineName::Live) => options.each(ShapeName::shape, 1000, live::examine),
        only => options.each(ShapeName::shape, 1000, |seed, shape, tally| {
            let drawn = Drawn::new(seed, shape);
            examine(&drawn, seed, only, tally)
        }),
    }
}

/// Programs as source text are drawn only if they are asked for.
fn source_shape(name: ShapeName) -> Option<()> {
    matches!(name, ShapeName::Source).then_some(())
}

impl Options {
    /// Examines what each seed draws, in the chosen shapes that are of this kind, and
    /// tells how far it has come every so often.
    fn each<S: Copy>(
        &self,
        kind: fn(ShapeName) -> Option<S>,
        often: u64,
        examine: impl Fn(u64, S, &mut Tally) -> Result<(), String>,
    ) -> ExitCode {
        let names = if self.shapes.is_empty() { ShapeName::value_variants() } else { &self.shapes };
        let shapes: Vec<_> =
            names.iter().filter_map(|&name| kind(name).map(|shape| (name, shape))).collect();
        if shapes.is_empty() {
            eprintln!("the engine takes nothing of this shape");
            return ExitCode::FAILURE;
        }
        let mut tally = Tally::default();
        for seed in self.seed..self.seed + self.count {
            let (name, shape) = shapes[seed as usize % shapes.len()];
            tally.drawn += 1;
            let examined = AssertUnwindSafe(|| examine(seed, shape, &mut tally));
            let examined = panic::catch_unwind(examined);
            if let Err(complaint) = examined.unwrap_or_else(|_| Err("it panics".into())) {
                println!("seed {seed}, {name:?}: {complaint}");
                tally.disagreements += 1;
            }
            if tally.drawn.is_multiple_of(often) {
                eprintln!("{tally}");
            }
        }
        println!("{tally}");
        if tally.disagreements == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

#[derive(Default)]
struct Tally {
    /// Systems or programs.
    drawn: u64,
    /// As far as there is a truth to compare with.
    searched: u64,
    safe: u64,
    unsafe_: u64,
    unknown: u64,
    disagreements: u64,
}

#[cfg(test)]
impl Tally {
    /// Examines what each seed gives, and fails at the first disagreement.
    fn of_seeds(seeds: u64, examine: impl Fn(u64, &mut Tally) -> Result<(), String>) -> Self {
        let mut tally = Tally::default();
        for seed in 0..seeds {
            examine(seed, &mut tally).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
        tally
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { drawn, searched, safe, unsafe_, unknown, disagreements } = self;
        write!(
            f,
            "{drawn} drawn ({searched} searched): {safe} safe, {unsafe_} unsafe, \
             {unknown} unknown; {disagreements} disagreements"
        )
    }
}

/// A system as engines get it, and the same system without rewriting, as the checker gets it.
struct Drawn {
    system: TransitionSystem,
    verbatim: TransitionSystem,
}

impl Drawn {
    fn new(seed: u64, shape: Shape) -> Self {
        let system = Generator::system(seed, shape);
        Drawn { system, verbatim: Generator::verbatim(seed, shape) }
    }
}

fn examine(
    drawn: &Drawn,
    seed: u64,
    only: Option<EngineName>,
    tally: &mut Tally,
) -> Result<(), String> {
    let system = &drawn.system;
    same_runs(drawn, seed)?;
    let printed = through_formats(system)?;
    let Ok(truth) = search(system, 20_000) else { return Ok(()) };
    tally.searched += 1;
    for reread in printed {
        if search(&reread, 100_000).is_ok_and(|found| found != truth) {
            return Err("a printed system behaves in another way".into());
        }
    }
    let properties: Vec<PropertyId> = truth.iter().map(|&(id, _)| id).collect();
    let chosen =
        EngineName::value_variants().iter().filter(|name| only.is_none_or(|o| o == **name));
    for mut engine in chosen.filter_map(|&name| engine(name, seed)) {
        let run = Run::new().with_timeout(Duration::from_secs(20)).with_seed(seed);
        let task = Task::about(system, &properties, &run);
        let verdicts = task.check(&mut *engine).map_err(|error| error.to_string())?;
        for (&(id, outcome), verdict) in truth.iter().zip(&verdicts) {
            let context =
                |complaint: String| format!("{} on property {}: {complaint}", engine.name(), id.0);
            agree(drawn, id, outcome, verdict).map_err(context)?;
            match verdict {
                Verdict::Safe(_) => tally.safe += 1,
                Verdict::Unsafe(_) => tally.unsafe_ += 1,
                Verdict::Unknown(_) => tally.unknown += 1,
            }
        }
    }
    Ok(())
}

/// An engine in a setting chosen by the seed, if it is for systems.
fn engine(name: EngineName, seed: u64) -> Option<Box<dyn Engine>> {
    let incremental = !seed.is_multiple_of(5);
    let step = 1 + seed as usize % 4;
    let elimination = seed.is_multiple_of(3);
    let system = if (seed / 2).is_multiple_of(2) { System::McMillan } else { System::Pudlak };
    let interpolation =
        InterpolationOptions { elimination, system, ..InterpolationOptions::default() };
    let engine: Box<dyn Engine> = match name {
        EngineName::Bmc => {
            Box::new(Bmc(BmcOptions { start: 0, step, bound: Some(12), incremental }))
        }
        EngineName::Kind => Box::new(KInduction(KInductionOptions {
            bound: Some(16),
            distinct: [Distinct::Lazy, Distinct::Eager, Distinct::Never][seed as usize / 7 % 3],
            incremental,
            strengthen: seed.is_multiple_of(2),
        })),
        EngineName::Pdr => Box::new(Pdr(PdrOptions {
            elimination,
            passes: PassOptions::all_if(!(seed / 2).is_multiple_of(3)),
            signals: (seed / 5).is_multiple_of(2),
            ctg: Ctg {
                max: seed as usize % 4,
                depth: seed as usize / 4 % 3,
                reach: 1 + seed as usize / 3 % 4,
                least_yield: [0, 10, 60][seed as usize / 11 % 3],
            },
            ctp: [0, 1, 3][seed as usize / 36 % 3],
            reconsider: [None, Some(1), Some(2), Some(4)][seed as usize / 9 % 4],
            known_steps: [0, 64, 4096][seed as usize / 10 % 3],
            attempts: [1, 3, 8, usize::MAX][seed as usize / 7 % 4],
            patience: if seed.is_multiple_of(2) { 3 } else { 2000 },
            ..PdrOptions::default()
        })),
        EngineName::Avy => Box::new(Avy(AvyOptions {
            step,
            global_trace: !(seed / 3).is_multiple_of(4),
            min_suffix: !(seed / 5).is_multiple_of(3),
            min_core: (seed / 7).is_multiple_of(2),
            shallow_push: !(seed / 11).is_multiple_of(3),
            interleave: (seed / 13).is_multiple_of(3).then_some(step),
            incremental,
            system,
            ..AvyOptions::default()
        })),
        EngineName::Itp => Box::new(Itp(interpolation)),
        EngineName::Imc => Box::new(Imc(interpolation)),
        EngineName::Words => Box::new(Words(words(seed))),
        EngineName::Sharing => Box::new(sharing(seed)),
        EngineName::Live | EngineName::Cfg => return None,
    };
    Some(engine)
}

/// The default without its short passes, in turns that are short enough for small systems.
fn sharing(seed: u64) -> Schedule {
    let mut schedule = Schedule::auto();
    schedule.turns.retain(|turn| turn.effort == Effort::Unlimited);
    for sharing in schedule.turns.iter_mut().filter_map(|turn| turn.sharing.as_mut()) {
        let slice = 20 << (seed % 8);
        sharing.limits = Limits { joins: seed / 5 % 3 * 300, ..Limits::turns(slice) };
        for share in &mut sharing.others {
            let limits = &mut share.limits;
            (limits.start, limits.slice) = (20 << (seed / 7 % 3), 20 << (seed / 8 % 6));
            limits.joins = seed / 3 % 2 * 1000;
            limits.work = limits.work.map(|_| 2_000);
            limits.memory = limits.memory.map(|_| [0, 20_000, 1 << 30][seed as usize / 11 % 3]);
        }
    }
    schedule
}

fn words(seed: u64) -> WordsOptions {
    let probability = [None, Some(0.0), Some(0.5), Some(1.0)][seed as usize / 3 % 4];
    WordsOptions {
        cube_probability: probability.and_then(Probability::new),
        simulation: Kind::ALL[seed as usize / 5 % Kind::ALL.len()],
        compare_simulations: seed.is_multiple_of(13),
        pdr: PdrOptions {
            ctg: Ctg {
                max: seed as usize / 7 % 4,
                depth: seed as usize / 11 % 3,
                reach: 1,
                least_yield: [0, 10, 60][seed as usize / 13 % 3],
            },
            drop_obligations: [None, Some(1), Some(20)][seed as usize / 2 % 3],
            ..PdrOptions::default()
        },
    }
}

/// Runs both systems on the same random values: they must not differ in any cycle.
fn same_runs(drawn: &Drawn, seed: u64) -> Result<(), String> {
    const CYCLES: usize = 5;
    let (system, verbatim) = (&drawn.system, &drawn.verbatim);
    let mut rng = Rng::new(seed);
    let symbols = |inputs: &[Input]| -> Vec<ExprId> { inputs.iter().map(|i| i.symbol).collect() };
    let states: Vec<ExprId> = system.states().iter().map(|state| state.symbol).collect();
    let mut values = |symbols: &[ExprId]| -> Vec<Value> {
        symbols.iter().map(|&s| rng.uneven_value(system.pool().sort(s))).collect()
    };
    let (initial, inputs) = (values(&states), values(&symbols(system.inputs())));
    let start = |system| Simulator::new(system, |state| initial[state].clone(), inputs.clone());
    let (mut one, mut other) = (start(system), start(verbatim));
    for cycle in 0..CYCLES {
        let same = one.states() == other.states()
            && one.constraints_hold() == other.constraints_hold()
            && asked(system).zip(asked(verbatim)).all(|(a, b)| one.holds(a) == other.holds(b));
        if !same {
            return Err(format!("rewriting changes the behaviour in cycle {cycle}"));
        }
        let free = system.free_states().iter().map(|&index| system.states()[index].symbol);
        let free: Vec<ExprId> = free.collect();
        let step = Step { inputs: values(&symbols(system.inputs())).into(), free: values(&free) };
        one.follow(&step);
        other.follow(&step);
    }
    Ok(())
}

/// The bits of all properties and the fairness constraints.
fn asked(system: &TransitionSystem) -> impl Iterator<Item = ExprId> + '_ {
    let bits = system.properties().iter().flat_map(|property| property.bits());
    bits.chain(system.fairness()).copied()
}

fn agree(
    drawn: &Drawn,
    property: PropertyId,
    truth: Outcome,
    verdict: &Verdict,
) -> Result<(), String> {
    match (truth, verdict) {
        (_, Verdict::Unknown(_)) => return Ok(()),
        (Outcome::Safe, Verdict::Safe(_)) => {}
        (Outcome::Unsafe(depth), Verdict::Unsafe(trace)) if depth <= trace.depth() => {}
        (truth, verdict) => return Err(format!("{truth:?} but {verdict:?}")),
    }
    confirmed(drawn, property, verdict)
}

/// The checker accepts the evidence.
fn confirmed(drawn: &Drawn, property: PropertyId, verdict: &Verdict) -> Result<(), String> {
    let Drawn { system, verbatim } = drawn;
    let budget = Budget::default();
    let confirmed = confirm_system(system, verbatim, property, verdict.clone(), &budget);
    match confirmed.map_err(|refused| refused.to_string())? {
        Verdict::Unknown(reason) => Err(format!("the evidence cannot be checked: {reason}")),
        Verdict::Safe(_) | Verdict::Unsafe(_) => Ok(()),
    }
}

/// The system through each format: printed and read.
fn through_formats(system: &TransitionSystem) -> Result<Vec<TransitionSystem>, String> {
    let (bits, _) = bitblast(system, 1 << 10).map_err(|error| error.to_string())?;
    Ok(vec![stable("BTOR2", system, through_btor2)?, stable("AIGER", &bits, through_aiger)?])
}

/// What a format cannot say (constant arrays inside, registers without next
/// functions) is put in other words the first time; after that, printing and
/// reading must change nothing.
fn stable(
    format: &str,
    system: &TransitionSystem,
    through: fn(&TransitionSystem) -> Result<TransitionSystem, String>,
) -> Result<TransitionSystem, String> {
    let once = through(system)?;
    if same_system(&once, &through(&once)?) {
        Ok(once)
    } else {
        Err(format!("printed {format} reads back as another system"))
    }
}

fn through_btor2(system: &TransitionSystem) -> Result<TransitionSystem, String> {
    let printed = btor2::write(system).map_err(|error| error.to_string())?;
    let model = btor2::read(&printed).map_err(|d| format!("printed BTOR2 is refused: {d}"))?;
    Ok(model.system)
}

fn through_aiger(system: &TransitionSystem) -> Result<TransitionSystem, String> {
    let printed =
        aiger::write(system, aiger::Encoding::Binary).map_err(|error| error.to_string())?;
    let model = aiger::read(&printed).map_err(|d| format!("printed AIGER is refused: {d}"))?;
    Ok(model.system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_checker_and_formats_agree_on_a_few_hundred_systems() {
        let shapes = [Shape::BITS, Shape::WORDS, Shape::ARRAYS, Shape::NUMBERS, Shape::WIDE];
        let tally = Tally::of_seeds(300, |seed, tally| {
            let drawn = Drawn::new(seed, shapes[seed as usize % shapes.len()]);
            examine(&drawn, seed, None, tally)
        });
        assert!(tally.safe > 100 && tally.unsafe_ > 200, "{tally}");
    }
}
