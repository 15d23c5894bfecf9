//! The choice of an engine and its options. Options that do not apply to the chosen engine
//! are refused.

use anyhow::{Result, bail};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser};
use elinvar::Method;
use elinvar_engines::Choice;
use elinvar_engines::bmc::BmcOptions;
use elinvar_engines::interpolation::avy::AvyOptions;
use elinvar_engines::interpolation::{InterpolationOptions, System};
use elinvar_engines::kinduction::{Distinct, KInductionOptions};
use elinvar_engines::liveness::Method as Liveness;
use elinvar_engines::pdr::{Kind, PdrOptions, Probability, WordsOptions};
use elinvar_engines::schedule::Schedule;
use elinvar_transform::PassOptions;

/// The choice of an engine and its options.
#[derive(clap::Args)]
pub struct EngineOptions {
    /// The engine that decides the properties
    ///
    /// `bmc` (bounded model checking) only finds counterexamples. `kind` (k-induction), `pdr`
    /// (property directed reachability, IC3), `itp` (McMillan's interpolation), `imc`
    /// (interpolation sequences) and `avy` (interpolants that become lemmas of pdr) also find
    /// proofs. `words` is pdr on words: its lemmas are inequalities between registers as well
    /// as bits. `auto` first runs short passes of kind, where the model has words, and of words,
    /// where it has numbers. Then it runs pdr, with short turns of bmc, random simulation and pdr
    /// with internal signals. After some seconds, pdr on merged signals and with internal signals,
    /// bmc, kind and avy take turns with it. Where a memory is too large for bits, kind works
    /// alone. Programs have an engine of their own, `cfg` (pdr with frames at the locations of the
    /// program), which `auto` stands for there; programs over bit-vectors can be given to the
    /// other engines as well.
    ///
    /// Liveness properties are decided by `l2s` (liveness to safety: a saved state comes back),
    /// `rlive` (from each state that meets the conditions, search for the next one) and `klive`
    /// (k-liveness: the conditions are met at most k times), which only finds proofs. `auto`
    /// lets them take turns. Any other engine for systems does the work of `l2s`.
    #[arg(long, value_enum, default_value = "auto", value_name = "NAME", help_heading = None)]
    engine: EngineName,

    /// Run N engines at the same time; 0 means one per core
    ///
    /// The engines have different settings, and the first checked verdict counts.
    #[arg(long, short = 'j', value_name = "N", default_value_t = 1, help_heading = None)]
    threads: usize,

    #[command(flatten)]
    expert: ExpertOptions,
}

/// Options that most users do not need.
#[derive(clap::Args)]
#[command(next_help_heading = "Engine options for experts")]
struct ExpertOptions {
    /// bmc, kind, auto: stop after K steps from the initial states; with auto, this implies
    /// `--engine kind` [default: no bound]
    #[arg(long, value_name = "K", hide_short_help = true)]
    bound: Option<usize>,

    /// bmc: the first number of steps to consider [default: 0]
    #[arg(long, value_name = "K", hide_short_help = true)]
    start: Option<usize>,

    /// bmc, avy: how many steps to add at a time [default: 1]
    #[arg(long, value_name = "K", hide_short_help = true)]
    step: Option<usize>,

    /// bmc, kind, auto, avy: start each bound with a new solver instead of extending the last
    /// one; with auto, this implies `--engine kind`
    #[arg(long, hide_short_help = true)]
    no_incremental: bool,

    /// kind: when the states of a path must differ: never, only if a model of the query
    /// repeats a state, or always [default: lazy]
    #[arg(long, value_enum, value_name = "WHEN", hide_short_help = true)]
    distinct: Option<DistinctName>,

    /// kind: do not search for stronger properties that are inductive at once
    #[arg(long, hide_short_help = true)]
    no_strengthen: bool,

    /// pdr, avy, itp, imc: simplify the model only by these passes, separated by commas
    /// [default: all but signals]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = pass_names(),
        hide_short_help = true
    )]
    passes: Vec<String>,

    /// pdr, avy, itp, imc: keep all gates in the transition relation instead of resolving some
    /// of them away
    #[arg(long, hide_short_help = true)]
    no_elimination: bool,

    /// pdr: lemmas may speak of internal signals: gates that depend on registers alone
    #[arg(long, hide_short_help = true)]
    internal_signals: bool,

    /// pdr, avy, words: how many counterexamples to generalisation are blocked in a row when a
    /// lemma is shortened; 0, the default of avy, blocks none [default: 3]
    #[arg(long, value_name = "MAX", hide_short_help = true)]
    ctg: Option<usize>,

    /// pdr, avy, words: how deep the lemmas that block such states are shortened in the same
    /// way [default: 1]
    #[arg(long, value_name = "N", hide_short_help = true)]
    ctg_depth: Option<usize>,

    /// pdr, avy, words: how many states may be blocked for one such state, among them those
    /// that lead to it [default: 1]
    #[arg(long, value_name = "N", hide_short_help = true)]
    ctg_reach: Option<usize>,

    /// pdr, avy, words: if fewer than N of a hundred such states could be blocked lately, most of
    /// them are not tried [default: 10]
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = clap::value_parser!(u8).range(0..=100))]
    ctg_yield: Option<u8>,

    /// pdr, avy, words: stop shortening a lemma after N literals in a row that cannot be
    /// dropped; by default, avy stops after 3 and words tries all [default: 8]
    #[arg(long, value_name = "N", hide_short_help = true)]
    attempts: Option<usize>,

    /// pdr, avy, words: try to drop all literals of a lemma, including those of a lemma that
    /// blocks the same states one frame earlier
    #[arg(long, hide_short_help = true)]
    no_keep_parent: bool,

    /// pdr, avy, words: do as --no-keep-parent for every Nth obligation; 0, the default of avy and
    /// words, never does [default: 4]
    #[arg(long, value_name = "N", hide_short_help = true)]
    reconsider: Option<u32>,

    /// pdr, avy, words: when a state keeps a lemma from moving to the next frame, block it and try
    /// again, up to N times [default: 0]
    #[arg(long, value_name = "N", hide_short_help = true)]
    ctp: Option<usize>,

    /// pdr, avy: keep about N steps that queries found, and answer later queries by them without
    /// the solver; 0: none [default: 4096]
    #[arg(long, value_name = "N", hide_short_help = true)]
    known_steps: Option<usize>,

    /// pdr, avy, words: when an obligation comes back for the Nth time, try harder: drop the
    /// literals that --no-keep-parent would drop, and block two more states [default: 10]
    #[arg(long, value_name = "N", hide_short_help = true)]
    stubborn: Option<u32>,

    /// pdr, avy, words: put off an obligation that came back more than N times until the next
    /// frame; 0 never does [default: 20]
    #[arg(long, value_name = "N", hide_short_help = true)]
    drop_obligations: Option<u32>,

    /// pdr, avy, words: with several properties, handle N obligations for one property before
    /// the next property has its turn [default: 2000]
    #[arg(long, value_name = "N", hide_short_help = true)]
    patience: Option<u64>,

    /// pdr, avy, itp, imc, words: expand memories of at most this many bits [default: 65536]
    #[arg(long, value_name = "BITS", hide_short_help = true)]
    memory_limit: Option<u64>,

    /// avy, itp, imc: the system by which interpolants are derived from proofs
    /// [default: mcmillan]
    #[arg(long, value_enum, value_name = "NAME", hide_short_help = true)]
    interpolation: Option<SystemName>,

    /// avy: forget lemmas after each bound unless they are inductive
    #[arg(long, hide_short_help = true)]
    no_global_trace: bool,

    /// avy: refute whole paths instead of their shortest suffixes that can be refuted
    #[arg(long, hide_short_help = true)]
    no_min_suffix: bool,

    /// avy: minimize the part of the model that a refutation uses
    #[arg(long, hide_short_help = true)]
    min_core: bool,

    /// avy: push lemmas only when a frame is opened, not after each interpolant
    #[arg(long, hide_short_help = true)]
    no_shallow_push: bool,

    /// avy: run one round of plain pdr after every N rounds [default: never]
    #[arg(long, value_name = "N", hide_short_help = true)]
    interleave: Option<usize>,

    /// words: how likely a state to be excluded is generalised to a set of bits (a Boolean
    /// cube), from 0 to 1, rather than to inequalities (a polytope)
    /// [default: learned from the model]
    #[arg(long, value_name = "C", value_parser = probability, hide_short_help = true)]
    cube_probability: Option<Probability>,

    /// words: how states that lead to a bad state are expanded [default: product]
    #[arg(long, value_enum, value_name = "NAME", hide_short_help = true)]
    simulation: Option<SimulationName>,

    /// words: expand by all simulations, and report the factors with --stats or --json
    #[arg(long, hide_short_help = true)]
    compare_simulations: bool,
}

fn probability(text: &str) -> Result<Probability, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    Probability::new(number).ok_or_else(|| "a probability is between 0 and 1".to_owned())
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum EngineName {
    Auto,
    Bmc,
    Kind,
    Pdr,
    Avy,
    Itp,
    Imc,
    Words,
    L2s,
    Klive,
    Rlive,
    Cfg,
}

#[derive(ValueEnum, Clone, Copy)]
enum SimulationName {
    /// Bits that are 0, 1 or unknown
    Ternary,
    /// Signed intervals
    Interval,
    /// Bits for logic and intervals for arithmetic
    Hybrid,
    /// Known bits, signed and unsigned intervals at the same time
    Product,
}

#[derive(ValueEnum, Clone, Copy)]
enum DistinctName {
    Never,
    Lazy,
    Eager,
}

#[derive(ValueEnum, Clone, Copy)]
enum SystemName {
    /// Stronger interpolants
    Mcmillan,
    /// Symmetric ones
    Pudlak,
}

/// The word that chooses no pass at all.
const NO_PASS: &str = "none";

fn pass_names() -> PossibleValuesParser {
    let passes = PassOptions::names().map(|(name, help)| PossibleValue::new(name).help(help));
    let none = PossibleValue::new(NO_PASS).help("no simplification at all");
    PossibleValuesParser::new(passes.chain([none]))
}

impl EngineOptions {
    /// Is a program to be decided as it is, and not as a transition system?
    pub fn is_for_programs(&self) -> bool {
        matches!(self.engine, EngineName::Auto | EngineName::Cfg)
    }

    /// Fails if an option does not apply to programs.
    pub fn expect_program(&self) -> Result<()> {
        self.refuse_inapplicable(EngineName::Cfg)
    }

    /// What is to run on a transition system.
    pub fn method(&self) -> Result<Method> {
        self.refuse_inapplicable(self.engine)?;
        let threads = match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let restricted = self.expert.bound.is_some() || self.expert.no_incremental;
        if threads == 1 {
            return Ok(Method::System(self.choice(restricted)?));
        }
        if restricted {
            bail!("--bound and --no-incremental cannot be used with -j {threads}");
        }
        Ok(Method::Race(threads))
    }

    /// What is to run on a transition system whose properties are merged into one: with auto, a
    /// longer try of k-induction.
    pub fn method_for_merged(&self) -> Result<Method> {
        Ok(match self.method()? {
            Method::System(Choice::Auto) => Method::Schedule(Schedule::auto_by_induction()),
            method => method,
        })
    }

    /// What searches a transition system for bad states from one step to another: bmc, unless
    /// kind is chosen. With auto, it works on bits if the model fits into them.
    pub fn method_within(&self, first: usize, last: usize) -> Result<Method> {
        let engine = match self.engine {
            EngineName::Auto => EngineName::Bmc,
            chosen => chosen,
        };
        self.refuse_inapplicable(engine)?;
        if self.expert.bound.is_some() || self.expert.start.is_some() {
            bail!("--bound and --start cannot be used where the caller gives the depth");
        }
        let bmc = BmcOptions { start: first, bound: Some(last), ..self.bmc() };
        match self.engine {
            EngineName::Auto => Ok(Method::Schedule(Schedule::bmc(bmc))),
            EngineName::Bmc => Ok(Method::System(Choice::Bmc(bmc))),
            EngineName::Kind if first == 0 => {
                let options = KInductionOptions { bound: Some(last), ..self.induction() };
                Ok(Method::System(Choice::KInduction(options)))
            }
            EngineName::Kind => bail!("--engine kind always starts at the first step"),
            EngineName::Pdr
            | EngineName::Avy
            | EngineName::Itp
            | EngineName::Imc
            | EngineName::Words
            | EngineName::L2s
            | EngineName::Klive
            | EngineName::Rlive
            | EngineName::Cfg => {
                bail!("--engine {} cannot search to a given depth; use bmc or kind", engine.name())
            }
        }
    }

    /// Fails if the chosen engine produces no lemmas.
    pub fn expect_lemmas(&self, options: &str) -> Result<()> {
        let restricted = self.expert.bound.is_some() || self.expert.no_incremental;
        match self.engine {
            EngineName::Avy if self.expert.step.is_some_and(|step| step > 1) => bail!(
                "{options} cannot be used with --engine avy --step, whose lemmas are not about the model \
                 itself"
            ),
            EngineName::Pdr | EngineName::Avy => Ok(()),
            EngineName::Auto if !restricted => Ok(()),
            EngineName::Auto => bail!(
                "{options} require an engine that produces lemmas; --bound and --no-incremental imply \
                 --engine kind, which does not"
            ),
            EngineName::Bmc
            | EngineName::Kind
            | EngineName::Itp
            | EngineName::Imc
            | EngineName::Words
            | EngineName::L2s
            | EngineName::Klive
            | EngineName::Rlive
            | EngineName::Cfg => {
                bail!("{options} require --engine pdr, avy or auto")
            }
        }
    }

    fn choice(&self, restricted: bool) -> Result<Choice> {
        Ok(match self.engine {
            EngineName::Auto if !restricted => Choice::Auto,
            EngineName::Auto | EngineName::Kind => Choice::KInduction(self.induction()),
            EngineName::Bmc => Choice::Bmc(self.bmc()),
            EngineName::Pdr => Choice::Pdr(self.pdr(PdrOptions::default())),
            EngineName::Avy => Choice::Avy(self.avy()),
            EngineName::Itp => Choice::Itp(self.interpolation()),
            EngineName::Imc => Choice::Imc(self.interpolation()),
            EngineName::Words => Choice::Words(self.words()),
            EngineName::L2s => Choice::Liveness(Liveness::Saving(Box::new(Choice::Auto))),
            EngineName::Klive => Choice::Liveness(Liveness::Counting),
            EngineName::Rlive => Choice::Liveness(Liveness::Shoals),
            EngineName::Cfg => {
                bail!("--engine cfg applies only to programs, not to transition systems")
            }
        })
    }

    fn words(&self) -> WordsOptions {
        let defaults = WordsOptions::default();
        WordsOptions {
            cube_probability: self.expert.cube_probability,
            simulation: self.expert.simulation.map_or(defaults.simulation, SimulationName::meaning),
            compare_simulations: self.expert.compare_simulations,
            pdr: self.pdr(defaults.pdr),
        }
    }

    fn bmc(&self) -> BmcOptions {
        let defaults = BmcOptions::default();
        BmcOptions {
            start: self.expert.start.unwrap_or(defaults.start),
            step: self.expert.step.unwrap_or(defaults.step),
            bound: self.expert.bound,
            incremental: !self.expert.no_incremental,
        }
    }

    fn induction(&self) -> KInductionOptions {
        let defaults = KInductionOptions::default();
        KInductionOptions {
            bound: self.expert.bound,
            distinct: self.expert.distinct.map_or(defaults.distinct, DistinctName::meaning),
            incremental: !self.expert.no_incremental,
            strengthen: !self.expert.no_strengthen,
        }
    }

    fn pdr(&self, mut options: PdrOptions) -> PdrOptions {
        fn set<T>(place: &mut T, given: Option<T>) {
            if let Some(value) = given {
                *place = value;
            }
        }
        set(&mut options.passes, (!self.expert.passes.is_empty()).then(|| self.passes()));
        set(&mut options.elimination, self.expert.no_elimination.then_some(false));
        set(&mut options.signals, self.expert.internal_signals.then_some(true));
        set(&mut options.ctg.max, self.expert.ctg);
        set(&mut options.ctg.depth, self.expert.ctg_depth);
        set(&mut options.ctg.reach, self.expert.ctg_reach);
        set(&mut options.ctg.least_yield, self.expert.ctg_yield);
        set(&mut options.attempts, self.expert.attempts);
        set(&mut options.keep_parent, self.expert.no_keep_parent.then_some(false));
        set(&mut options.reconsider, self.expert.reconsider.map(|n| (n > 0).then_some(n)));
        set(&mut options.ctp, self.expert.ctp);
        set(&mut options.known_steps, self.expert.known_steps);
        set(&mut options.stubborn, self.expert.stubborn);
        let drop_obligations = self.expert.drop_obligations.map(|most| (most > 0).then_some(most));
        set(&mut options.drop_obligations, drop_obligations);
        set(&mut options.patience, self.expert.patience);
        set(&mut options.memory_limit, self.expert.memory_limit);
        options
    }

    fn avy(&self) -> AvyOptions {
        let defaults = AvyOptions::default();
        AvyOptions {
            pdr: self.pdr(defaults.pdr),
            step: self.expert.step.unwrap_or(defaults.step),
            global_trace: !self.expert.no_global_trace,
            min_suffix: !self.expert.no_min_suffix,
            min_core: self.expert.min_core,
            shallow_push: !self.expert.no_shallow_push,
            interleave: self.expert.interleave,
            incremental: !self.expert.no_incremental,
            system: self.expert.interpolation.map_or(defaults.system, SystemName::meaning),
        }
    }

    fn interpolation(&self) -> InterpolationOptions {
        let PdrOptions { passes, elimination, memory_limit, .. } = self.pdr(PdrOptions::default());
        let default = InterpolationOptions::default().system;
        let system = self.expert.interpolation.map_or(default, SystemName::meaning);
        InterpolationOptions { passes, elimination, memory_limit, system }
    }

    /// The chosen passes, of which there is at least one, or none.
    fn passes(&self) -> PassOptions {
        let names = self.expert.passes.iter().map(String::as_str);
        let names: Vec<&str> = names.filter(|&name| name != NO_PASS).collect();
        PassOptions::only(&names).expect("clap accepts no other names")
    }

    /// Fails if an option does not apply to the engine.
    fn refuse_inapplicable(&self, engine: EngineName) -> Result<()> {
        use EngineName::{Auto, Avy, Bmc, Imc, Itp, Kind, Pdr, Words};
        let options: [(&str, bool, &[EngineName]); 32] = [
            ("--threads", self.threads != 1, &[Auto]),
            ("--bound", self.expert.bound.is_some(), &[Bmc, Kind, Auto]),
            ("--start", self.expert.start.is_some(), &[Bmc]),
            ("--step", self.expert.step.is_some(), &[Bmc, Avy]),
            ("--no-incremental", self.expert.no_incremental, &[Bmc, Kind, Auto, Avy]),
            ("--distinct", self.expert.distinct.is_some(), &[Kind]),
            ("--no-strengthen", self.expert.no_strengthen, &[Kind]),
            ("--passes", !self.expert.passes.is_empty(), &[Pdr, Avy, Itp, Imc]),
            ("--no-elimination", self.expert.no_elimination, &[Pdr, Avy, Itp, Imc]),
            ("--internal-signals", self.expert.internal_signals, &[Pdr]),
            ("--ctg", self.expert.ctg.is_some(), &[Pdr, Avy, Words]),
            ("--ctg-depth", self.expert.ctg_depth.is_some(), &[Pdr, Avy, Words]),
            ("--ctg-reach", self.expert.ctg_reach.is_some(), &[Pdr, Avy, Words]),
            ("--ctg-yield", self.expert.ctg_yield.is_some(), &[Pdr, Avy, Words]),
            ("--attempts", self.expert.attempts.is_some(), &[Pdr, Avy, Words]),
            ("--no-keep-parent", self.expert.no_keep_parent, &[Pdr, Avy, Words]),
            ("--reconsider", self.expert.reconsider.is_some(), &[Pdr, Avy, Words]),
            ("--ctp", self.expert.ctp.is_some(), &[Pdr, Avy, Words]),
            ("--known-steps", self.expert.known_steps.is_some(), &[Pdr, Avy]),
            ("--stubborn", self.expert.stubborn.is_some(), &[Pdr, Avy, Words]),
            ("--drop-obligations", self.expert.drop_obligations.is_some(), &[Pdr, Avy, Words]),
            ("--patience", self.expert.patience.is_some(), &[Pdr, Avy, Words]),
            ("--memory-limit", self.expert.memory_limit.is_some(), &[Pdr, Avy, Itp, Imc, Words]),
            ("--interpolation", self.expert.interpolation.is_some(), &[Avy, Itp, Imc]),
            ("--no-global-trace", self.expert.no_global_trace, &[Avy]),
            ("--no-min-suffix", self.expert.no_min_suffix, &[Avy]),
            ("--min-core", self.expert.min_core, &[Avy]),
            ("--no-shallow-push", self.expert.no_shallow_push, &[Avy]),
            ("--interleave", self.expert.interleave.is_some(), &[Avy]),
            ("--cube-probability", self.expert.cube_probability.is_some(), &[Words]),
            ("--simulation", self.expert.simulation.is_some(), &[Words]),
            ("--compare-simulations", self.expert.compare_simulations, &[Words]),
        ];
        for (name, given, engines) in options {
            if given && !engines.contains(&engine) {
                if engine == EngineName::Cfg {
                    bail!("{name} applies only to transition systems, not to programs");
                }
                let engines: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
                bail!("{name} requires --engine {}", engines.join(" or "));
            }
        }
        self.refuse_impossible()
    }

    /// Fails if a value is not possible.
    fn refuse_impossible(&self) -> Result<()> {
        if self.expert.passes.iter().any(|name| name == NO_PASS) && self.expert.passes.len() > 1 {
            bail!("--passes none cannot be combined with other passes");
        }
        let none_by_default = self.engine == EngineName::Avy && self.expert.ctg.is_none();
        if (self.expert.ctg == Some(0) || none_by_default) && self.expert.ctg_depth.is_some() {
            bail!("--ctg-depth has no effect with --ctg 0");
        }
        for (name, value) in [
            ("--step", self.expert.step.map(|n| n as u64)),
            ("--attempts", self.expert.attempts.map(|n| n as u64)),
            ("--patience", self.expert.patience),
            ("--interleave", self.expert.interleave.map(|n| n as u64)),
        ] {
            if value == Some(0) {
                bail!("{name} must be at least 1");
            }
        }
        Ok(())
    }
}

impl EngineName {
    fn name(self) -> &'static str {
        match self {
            EngineName::Auto => "auto",
            EngineName::Bmc => "bmc",
            EngineName::Kind => "kind",
            EngineName::Pdr => "pdr",
            EngineName::Avy => "avy",
            EngineName::Itp => "itp",
            EngineName::Imc => "imc",
            EngineName::Words => "words",
            EngineName::L2s => "l2s",
            EngineName::Klive => "klive",
            EngineName::Rlive => "rlive",
            EngineName::Cfg => "cfg",
        }
    }
}

impl SimulationName {
    fn meaning(self) -> Kind {
        match self {
            SimulationName::Ternary => Kind::Ternary,
            SimulationName::Interval => Kind::Interval,
            SimulationName::Hybrid => Kind::Hybrid,
            SimulationName::Product => Kind::Product,
        }
    }
}

impl SystemName {
    fn meaning(self) -> System {
        match self {
            SystemName::Mcmillan => System::McMillan,
            SystemName::Pudlak => System::Pudlak,
        }
    }
}

impl DistinctName {
    fn meaning(self) -> Distinct {
        match self {
            DistinctName::Never => Distinct::Never,
            DistinctName::Lazy => Distinct::Lazy,
            DistinctName::Eager => Distinct::Eager,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, Parser};
    use elinvar_engines::pdr::Ctg;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        options: EngineOptions,
    }

    fn plan(words: &str) -> Result<Method> {
        let words = std::iter::once("test").chain(words.split_whitespace());
        Words::try_parse_from(words).expect("known options").options.method()
    }

    fn choice(words: &str) -> Choice {
        match plan(words).expect("a valid combination") {
            Method::System(choice) => choice,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn defaults_are_used_without_options() {
        assert_eq!(choice(""), Choice::Auto);
        assert_eq!(choice("--engine pdr"), Choice::Pdr(PdrOptions::default()));
        assert_eq!(choice("--engine bmc"), Choice::Bmc(BmcOptions::default()));
        assert_eq!(choice("--engine kind"), Choice::KInduction(KInductionOptions::default()));
    }

    #[test]
    fn every_option_of_pdr_arrives() {
        let words = "--engine pdr --passes cone,sweep --no-elimination --ctg 5 --ctg-depth 2 \
                     --internal-signals --attempts 3 --no-keep-parent --reconsider 5 --stubborn 4 \
                     --ctg-reach 3 --ctg-yield 30 --ctp 2 --known-steps 99 \
                     --drop-obligations 0 --patience 7 --memory-limit 9";
        let Choice::Pdr(options) = choice(words) else { panic!("pdr") };
        let passes = PassOptions::only(&["cone", "sweep"]).unwrap();
        assert_eq!((options.passes, options.elimination), (passes, false));
        assert!(options.signals && !PdrOptions::default().signals);
        let ctg = Ctg { max: 5, depth: 2, reach: 3, least_yield: 30 };
        assert_eq!((options.ctg, options.attempts, options.ctp), (ctg, 3, 2));
        assert_eq!(
            (options.keep_parent, options.reconsider, options.stubborn),
            (false, Some(5), 4)
        );
        assert_eq!((options.drop_obligations, options.patience), (None, 7));
        assert_eq!((options.memory_limit, options.known_steps), (9, 99));
        let Choice::Pdr(none) = choice("--engine pdr --passes none") else { panic!("pdr") };
        let nothing = PassOptions::NONE;
        assert_eq!(none.passes, nothing);
    }

    #[test]
    fn every_option_of_interpolation_arrives() {
        let defaults = InterpolationOptions::default();
        assert_eq!(choice("--engine itp"), Choice::Itp(defaults.clone()));
        assert_eq!(choice("--engine imc"), Choice::Imc(defaults));
        let words = "--engine itp --passes cone --no-elimination --interpolation pudlak \
                     --memory-limit 9";
        let Choice::Itp(options) = choice(words) else { panic!("itp") };
        let passes = PassOptions::only(&["cone"]).expect("a pass");
        assert_eq!((options.passes, options.elimination), (passes, false));
        assert_eq!((options.system, options.memory_limit), (System::Pudlak, 9));
    }

    #[test]
    fn every_option_of_avy_arrives() {
        assert_eq!(choice("--engine avy"), Choice::Avy(AvyOptions::default()));
        let words = "--engine avy --ctg 4 --ctg-depth 2 --step 3 --no-global-trace \
                     --no-min-suffix --min-core --no-shallow-push --interleave 5 \
                     --no-incremental --interpolation pudlak";
        let pdr = PdrOptions {
            ctg: Ctg { max: 4, depth: 2, reach: 1, least_yield: 10 },
            ..AvyOptions::default().pdr
        };
        let options = AvyOptions {
            pdr,
            step: 3,
            global_trace: false,
            min_suffix: false,
            min_core: true,
            shallow_push: false,
            interleave: Some(5),
            incremental: false,
            system: System::Pudlak,
        };
        assert_eq!(choice(words), Choice::Avy(options));
    }

    #[test]
    fn every_option_of_words_arrives() {
        assert_eq!(choice("--engine words"), Choice::Words(WordsOptions::default()));
        let words = "--engine words --cube-probability 0.25 --simulation hybrid \
                     --compare-simulations --ctg 5 --ctg-depth 2 --attempts 3 --no-keep-parent \
                     --reconsider 0 --ctp 1 \
                     --stubborn 4 --drop-obligations 0 --patience 7 --memory-limit 9";
        let pdr = PdrOptions {
            ctg: Ctg { max: 5, depth: 2, reach: 1, least_yield: 10 },
            attempts: 3,
            ctp: 1,
            keep_parent: false,
            reconsider: None,
            stubborn: 4,
            drop_obligations: None,
            patience: 7,
            memory_limit: 9,
            ..PdrOptions::default()
        };
        let options = WordsOptions {
            cube_probability: Probability::new(0.25),
            simulation: Kind::Hybrid,
            compare_simulations: true,
            pdr,
        };
        assert_eq!(choice(words), Choice::Words(options));
    }

    #[test]
    fn the_help_tells_the_defaults_as_they_are() {
        let options = PdrOptions::default();
        let command = Words::command();
        for (name, default) in [
            ("ctg", options.ctg.max as u64),
            ("ctg_depth", options.ctg.depth as u64),
            ("ctg_reach", options.ctg.reach as u64),
            ("ctg_yield", options.ctg.least_yield.into()),
            ("attempts", options.attempts as u64),
            ("ctp", options.ctp as u64),
            ("reconsider", options.reconsider.map_or(0, u64::from)),
            ("drop_obligations", options.drop_obligations.map_or(0, u64::from)),
            ("patience", options.patience),
            ("memory_limit", options.memory_limit),
        ] {
            let argument = command.get_arguments().find(|a| a.get_id() == name).expect(name);
            let help = argument.get_help().expect(name).to_string();
            assert!(help.ends_with(&format!("[default: {default}]")), "{help}");
        }
        let help = command.get_arguments().find(|a| a.get_id() == "attempts").unwrap().get_help();
        let (avy, words) = (AvyOptions::default().pdr, WordsOptions::default().pdr);
        assert!(help.unwrap().to_string().contains(&format!("avy stops after {}", avy.attempts)));
        assert_eq!(words.attempts, usize::MAX, "all literals are tried");
        for pdr in [avy, words] {
            assert_eq!((pdr.reconsider, pdr.ctp), (None, 0));
        }
    }

    #[test]
    fn threads_race() {
        assert!(matches!(plan("-j 3"), Ok(Method::Race(3))));
        assert!(plan("-j 0").is_ok());
        assert_eq!(choice("-j 1 --engine bmc"), Choice::Bmc(BmcOptions::default()));
    }

    #[test]
    fn programs_have_an_engine_of_their_own() {
        let options = |words: &str| {
            let words = std::iter::once("test").chain(words.split_whitespace());
            Words::try_parse_from(words).expect("known options").options
        };
        assert!(options("").is_for_programs() && options("--engine cfg").is_for_programs());
        assert!(!options("--engine words").is_for_programs());
        assert!(options("").expect_program().is_ok());
        let error = options("--bound 3").expect_program().unwrap_err();
        assert_eq!(
            error.to_string(),
            "--bound applies only to transition systems, not to programs"
        );
    }

    #[test]
    fn inapplicable_options_are_refused() {
        for (words, complaint) in [
            ("--ctg 3", "--ctg requires --engine pdr or avy or words"),
            ("--engine kind --passes cone", "--passes requires --engine pdr or avy or itp or imc"),
            ("--engine pdr --bound 3", "--bound requires --engine bmc or kind or auto"),
            ("--engine pdr --distinct lazy", "--distinct requires --engine kind"),
            (
                "--engine pdr --passes none,cone",
                "--passes none cannot be combined with other passes",
            ),
            ("--engine pdr --ctg 0 --ctg-depth 1", "--ctg-depth has no effect with --ctg 0"),
            ("--engine avy --ctg-depth 1", "--ctg-depth has no effect with --ctg 0"),
            ("--engine avy --interleave 0", "--interleave must be at least 1"),
            ("--engine pdr --min-core", "--min-core requires --engine avy"),
            ("--engine pdr --patience 0", "--patience must be at least 1"),
            ("--engine bmc -j 2", "--threads requires --engine auto"),
            ("--engine itp --ctg 3", "--ctg requires --engine pdr or avy or words"),
            ("--engine imc --bound 3", "--bound requires --engine bmc or kind or auto"),
            ("--engine cfg", "--engine cfg applies only to programs, not to transition systems"),
            ("--bound 3 -j 2", "--bound and --no-incremental cannot be used with -j 2"),
        ] {
            match plan(words) {
                Ok(_) => panic!("{words} is accepted"),
                Err(error) => assert_eq!(error.to_string(), complaint),
            }
        }
    }
}
