//! Which engine, with which options: raw arguments become meant ones here, and
//! options that mean nothing to the chosen engine are refused.

use anyhow::{Result, bail};
use clap::ValueEnum;
use elinvar_engines::Choice;
use elinvar_engines::bmc::BmcOptions;
use elinvar_engines::interpolation::avy::AvyOptions;
use elinvar_engines::interpolation::{InterpolationOptions, System};
use elinvar_engines::kinduction::{Distinct, KInductionOptions};
use elinvar_engines::pdr::{Kind, PdrOptions, Probability, WordsOptions};
use elinvar_transform::PassOptions;

#[derive(clap::Args)]
pub struct EngineOptions {
    /// The engine: `bmc` only searches for counterexamples; `kind` (k-induction)
    /// also proves; `pdr` (property directed reachability, IC3) does both on bits, and
    /// so do those that learn from proofs that there is no short counterexample:
    /// `itp` (McMillan's interpolation), `imc` (interpolation sequences) and `avy`
    /// (interpolants that become lemmas of pdr); `words` is pdr on words, with
    /// inequalities between registers as well as bits;
    /// `auto` tries bmc and kind for a short while, and words where there are
    /// numbers, then pdr, or kind where a memory is too large for bits. Programs have an
    /// engine of their own, `cfg` (pdr with frames at the locations of the program), which
    /// is `auto` there; those over bit-vectors alone may go to the others
    #[arg(long, value_enum, default_value = "auto", value_name = "NAME")]
    engine: EngineName,

    /// auto: race N engines with different settings, each in a thread of its
    /// own; the first checked verdict counts. 0 means one for each core
    #[arg(long, short = 'j', value_name = "N", default_value_t = 1)]
    threads: usize,

    /// bmc, kind, auto: stop after K steps from the initial states; auto is kind
    /// then [default: never]
    #[arg(long, value_name = "K", help_heading = "Engine options")]
    bound: Option<usize>,

    /// bmc: the first number of steps to look at [default: 0]
    #[arg(long, value_name = "K", help_heading = "Engine options")]
    start: Option<usize>,

    /// bmc, avy: how many steps to add at a time [default: 1]
    #[arg(long, value_name = "K", help_heading = "Engine options")]
    step: Option<usize>,

    /// bmc, kind, auto, avy: begin each bound with a new solver instead of extending
    /// the last one; auto is kind then
    #[arg(long, help_heading = "Engine options")]
    no_incremental: bool,

    /// kind: demand that the states of a path differ: never, when a model of
    /// the query repeats one, or always [default: lazy]
    #[arg(long, value_enum, value_name = "WHEN", help_heading = "Engine options")]
    distinct: Option<DistinctName>,

    /// kind: do not try stronger properties that are inductive at once
    #[arg(long, help_heading = "Engine options")]
    no_strengthen: bool,

    /// pdr, avy, itp, imc: simplify the model by these passes alone, separated by commas
    /// [default: all]
    #[arg(
        long,
        value_enum,
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "Engine options"
    )]
    passes: Vec<PassName>,

    /// pdr, avy, itp, imc: give the solver all gates, instead of resolving some of
    /// them away
    #[arg(long, help_heading = "Engine options")]
    no_elimination: bool,

    /// pdr, avy, words: how many states that stand in the way of a shorter lemma
    /// (counterexamples to generalisation) are blocked in a row; 0: none, as avy has
    /// it by default [default: 3]
    #[arg(long, value_name = "MAX", help_heading = "Engine options")]
    ctg: Option<usize>,

    /// pdr, avy, words: how deep the lemmas that block such states are shortened in the same
    /// way [default: 1]
    #[arg(long, value_name = "N", help_heading = "Engine options")]
    ctg_depth: Option<usize>,

    /// pdr, avy, words: leave a lemma as it is after N literals in a row that cannot be
    /// dropped [default: try all]
    #[arg(long, value_name = "N", help_heading = "Engine options")]
    attempts: Option<usize>,

    /// pdr, avy, words: try to drop all literals of a lemma, also those of a lemma that blocks
    /// the same states one frame earlier
    #[arg(long, help_heading = "Engine options")]
    no_keep_parent: bool,

    /// pdr, avy, words: from the Nth time that an obligation comes back, try harder: drop
    /// what --no-keep-parent would, and block two more states [default: 10]
    #[arg(long, value_name = "N", help_heading = "Engine options")]
    stubborn: Option<u32>,

    /// pdr, avy, words: give an obligation up that came back more than N times, until the
    /// next frame; 0: never [default: 20]
    #[arg(long, value_name = "N", help_heading = "Engine options")]
    drop_obligations: Option<u32>,

    /// pdr, avy, words: with several properties, work off N obligations for one before the
    /// next has its turn [default: 2000]
    #[arg(long, value_name = "N", help_heading = "Engine options")]
    patience: Option<u64>,

    /// pdr, avy, itp, imc, words: expand memories of at most this many bits
    /// [default: 65536]
    #[arg(long, value_name = "BITS", help_heading = "Engine options")]
    memory_limit: Option<u64>,

    /// avy, itp, imc: take interpolants from proofs by this system
    /// [default: mcmillan]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Engine options")]
    interpolation: Option<SystemName>,

    /// avy: forget lemmas after each bound, unless they hold for ever
    #[arg(long, help_heading = "Engine options")]
    no_global_trace: bool,

    /// avy: refute whole paths, not their shortest ends that can be refuted
    #[arg(long, help_heading = "Engine options")]
    no_min_suffix: bool,

    /// avy: make the part of the model that a refutation uses minimal
    #[arg(long, help_heading = "Engine options")]
    min_core: bool,

    /// avy: push lemmas only when a frame is opened, not each time that an
    /// interpolant has become lemmas
    #[arg(long, help_heading = "Engine options")]
    no_shallow_push: bool,

    /// avy: after N rounds, one of plain pdr [default: never]
    #[arg(long, value_name = "N", help_heading = "Engine options")]
    interleave: Option<usize>,

    /// words: how likely a state to be excluded becomes a set of bits (a Boolean cube),
    /// from 0 to 1, rather than one of inequalities (a polytope)
    /// [default: learnt from the model]
    #[arg(long, value_name = "C", value_parser = probability, help_heading = "Engine options")]
    cube_probability: Option<Probability>,

    /// words: how states that lead to a bad one are expanded [default: product]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Engine options")]
    simulation: Option<SimulationName>,

    /// words: expand by all simulations and tell the factors with --stats or --json
    #[arg(long, help_heading = "Engine options")]
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

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
enum PassName {
    /// Drop what the properties do not depend on
    Cone,
    /// Merge registers that are constant or equal in all reachable states
    Registers,
    /// Merge gates that compute the same
    Sweep,
    /// Rewrite the graph of gates locally
    Rewrite,
    /// No simplification at all
    None,
}

/// What is to run.
#[derive(Clone)]
pub enum Plan {
    One(Choice),
    /// So many engines at the same time.
    Race(usize),
}

impl Plan {
    /// The engine's name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Plan::One(choice) => choice.build().name(),
            Plan::Race(_) => "portfolio",
        }
    }
}

impl EngineOptions {
    /// Is a program to be decided as it is, and not as a transition system?
    pub fn is_for_programs(&self) -> bool {
        matches!(self.engine, EngineName::Auto | EngineName::Cfg)
    }

    /// Complains about options that say nothing about programs.
    pub fn expect_program(&self) -> Result<()> {
        self.refuse_strays(EngineName::Cfg)
    }

    /// What is to run on a transition system.
    pub fn plan(&self) -> Result<Plan> {
        self.refuse_strays(self.engine)?;
        let threads = match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let restricted = self.bound.is_some() || self.no_incremental;
        if threads == 1 {
            return Ok(Plan::One(self.choice(restricted)?));
        }
        if restricted {
            bail!("--bound and --no-incremental are about one engine, not about -j {threads}");
        }
        Ok(Plan::Race(threads))
    }

    /// Complains if the chosen engine makes no lemmas.
    pub fn expect_lemmas(&self, options: &str) -> Result<()> {
        let restricted = self.bound.is_some() || self.no_incremental;
        match self.engine {
            EngineName::Avy if self.step.is_some_and(|step| step > 1) => bail!(
                "{options} are about lemmas of the model; with --step, avy finds those of another"
            ),
            EngineName::Pdr | EngineName::Avy => Ok(()),
            EngineName::Auto if !restricted => Ok(()),
            EngineName::Auto => bail!(
                "{options} are about lemmas, and kind, to which --bound and --no-incremental lead, makes none"
            ),
            EngineName::Bmc
            | EngineName::Kind
            | EngineName::Itp
            | EngineName::Imc
            | EngineName::Words
            | EngineName::Cfg => {
                bail!("{options} are options of --engine pdr, avy or auto")
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
            EngineName::Cfg => bail!("--engine cfg is for programs, not for transition systems"),
        })
    }

    fn words(&self) -> WordsOptions {
        let defaults = WordsOptions::default();
        WordsOptions {
            cube_probability: self.cube_probability,
            simulation: self.simulation.map_or(defaults.simulation, SimulationName::meaning),
            compare_simulations: self.compare_simulations,
            pdr: self.pdr(defaults.pdr),
        }
    }

    fn bmc(&self) -> BmcOptions {
        let defaults = BmcOptions::default();
        BmcOptions {
            start: self.start.unwrap_or(defaults.start),
            step: self.step.unwrap_or(defaults.step),
            bound: self.bound,
            incremental: !self.no_incremental,
        }
    }

    fn induction(&self) -> KInductionOptions {
        let defaults = KInductionOptions::default();
        KInductionOptions {
            bound: self.bound,
            distinct: self.distinct.map_or(defaults.distinct, DistinctName::meaning),
            incremental: !self.no_incremental,
            strengthen: !self.no_strengthen,
        }
    }

    fn pdr(&self, mut options: PdrOptions) -> PdrOptions {
        fn set<T>(place: &mut T, given: Option<T>) {
            if let Some(value) = given {
                *place = value;
            }
        }
        set(&mut options.passes, (!self.passes.is_empty()).then(|| self.passes()));
        set(&mut options.elimination, self.no_elimination.then_some(false));
        set(&mut options.ctg.max, self.ctg);
        set(&mut options.ctg.depth, self.ctg_depth);
        set(&mut options.attempts, self.attempts);
        set(&mut options.keep_parent, self.no_keep_parent.then_some(false));
        set(&mut options.stubborn, self.stubborn);
        let drop_obligations = self.drop_obligations.map(|most| (most > 0).then_some(most));
        set(&mut options.drop_obligations, drop_obligations);
        set(&mut options.patience, self.patience);
        set(&mut options.memory_limit, self.memory_limit);
        options
    }

    fn avy(&self) -> AvyOptions {
        let defaults = AvyOptions::default();
        AvyOptions {
            pdr: self.pdr(defaults.pdr),
            step: self.step.unwrap_or(defaults.step),
            global_trace: !self.no_global_trace,
            min_suffix: !self.no_min_suffix,
            min_core: self.min_core,
            shallow_push: !self.no_shallow_push,
            interleave: self.interleave,
            incremental: !self.no_incremental,
            system: self.interpolation.map_or(defaults.system, SystemName::meaning),
        }
    }

    fn interpolation(&self) -> InterpolationOptions {
        let PdrOptions { passes, elimination, memory_limit, .. } = self.pdr(PdrOptions::default());
        let default = InterpolationOptions::default().system;
        let system = self.interpolation.map_or(default, SystemName::meaning);
        InterpolationOptions { passes, elimination, memory_limit, system }
    }

    /// The chosen passes, of which there is at least one or `none`.
    fn passes(&self) -> PassOptions {
        let chosen = |name| self.passes.contains(&name);
        PassOptions {
            cone: chosen(PassName::Cone),
            rewrite: chosen(PassName::Rewrite),
            registers: chosen(PassName::Registers),
            sweep: chosen(PassName::Sweep),
        }
    }

    /// Complains about options that say nothing to an engine.
    fn refuse_strays(&self, engine: EngineName) -> Result<()> {
        use EngineName::{Auto, Avy, Bmc, Imc, Itp, Kind, Pdr, Words};
        let options: [(&str, bool, &[EngineName]); 26] = [
            ("--threads", self.threads != 1, &[Auto]),
            ("--bound", self.bound.is_some(), &[Bmc, Kind, Auto]),
            ("--start", self.start.is_some(), &[Bmc]),
            ("--step", self.step.is_some(), &[Bmc, Avy]),
            ("--no-incremental", self.no_incremental, &[Bmc, Kind, Auto, Avy]),
            ("--distinct", self.distinct.is_some(), &[Kind]),
            ("--no-strengthen", self.no_strengthen, &[Kind]),
            ("--passes", !self.passes.is_empty(), &[Pdr, Avy, Itp, Imc]),
            ("--no-elimination", self.no_elimination, &[Pdr, Avy, Itp, Imc]),
            ("--ctg", self.ctg.is_some(), &[Pdr, Avy, Words]),
            ("--ctg-depth", self.ctg_depth.is_some(), &[Pdr, Avy, Words]),
            ("--attempts", self.attempts.is_some(), &[Pdr, Avy, Words]),
            ("--no-keep-parent", self.no_keep_parent, &[Pdr, Avy, Words]),
            ("--stubborn", self.stubborn.is_some(), &[Pdr, Avy, Words]),
            ("--drop-obligations", self.drop_obligations.is_some(), &[Pdr, Avy, Words]),
            ("--patience", self.patience.is_some(), &[Pdr, Avy, Words]),
            ("--memory-limit", self.memory_limit.is_some(), &[Pdr, Avy, Itp, Imc, Words]),
            ("--interpolation", self.interpolation.is_some(), &[Avy, Itp, Imc]),
            ("--no-global-trace", self.no_global_trace, &[Avy]),
            ("--no-min-suffix", self.no_min_suffix, &[Avy]),
            ("--min-core", self.min_core, &[Avy]),
            ("--no-shallow-push", self.no_shallow_push, &[Avy]),
            ("--interleave", self.interleave.is_some(), &[Avy]),
            ("--cube-probability", self.cube_probability.is_some(), &[Words]),
            ("--simulation", self.simulation.is_some(), &[Words]),
            ("--compare-simulations", self.compare_simulations, &[Words]),
        ];
        for (name, given, engines) in options {
            if given && !engines.contains(&engine) {
                if engine == EngineName::Cfg {
                    bail!("{name} is about transition systems, not about programs");
                }
                let engines: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
                bail!("{name} is an option of --engine {}", engines.join(" or "));
            }
        }
        self.refuse_nonsense()
    }

    /// Complains about values without meaning.
    fn refuse_nonsense(&self) -> Result<()> {
        if self.passes.contains(&PassName::None) && self.passes.len() > 1 {
            bail!("--passes none stands alone");
        }
        let none_by_default = self.engine == EngineName::Avy && self.ctg.is_none();
        if (self.ctg == Some(0) || none_by_default) && self.ctg_depth.is_some() {
            bail!("--ctg-depth says nothing with --ctg 0");
        }
        for (name, value) in [
            ("--step", self.step.map(|n| n as u64)),
            ("--attempts", self.attempts.map(|n| n as u64)),
            ("--patience", self.patience),
            ("--interleave", self.interleave.map(|n| n as u64)),
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

    fn plan(words: &str) -> Result<Plan> {
        let words = std::iter::once("test").chain(words.split_whitespace());
        Words::try_parse_from(words).expect("known options").options.plan()
    }

    fn choice(words: &str) -> Choice {
        match plan(words).expect("a meant combination") {
            Plan::One(choice) => choice,
            Plan::Race(threads) => panic!("a race of {threads}"),
        }
    }

    #[test]
    fn nothing_said_means_the_defaults() {
        assert_eq!(choice(""), Choice::Auto);
        assert_eq!(choice("--engine pdr"), Choice::Pdr(PdrOptions::default()));
        assert_eq!(choice("--engine bmc"), Choice::Bmc(BmcOptions::default()));
        assert_eq!(choice("--engine kind"), Choice::KInduction(KInductionOptions::default()));
    }

    #[test]
    fn every_option_of_pdr_arrives() {
        let words = "--engine pdr --passes cone,sweep --no-elimination --ctg 5 --ctg-depth 2 \
                     --attempts 3 --no-keep-parent --stubborn 4 --drop-obligations 0 --patience 7 --memory-limit 9";
        let Choice::Pdr(options) = choice(words) else { panic!("pdr") };
        let passes = PassOptions { cone: true, rewrite: false, registers: false, sweep: true };
        assert_eq!((options.passes, options.elimination), (passes, false));
        assert_eq!((options.ctg, options.attempts), (Ctg { max: 5, depth: 2 }, 3));
        assert_eq!((options.keep_parent, options.stubborn), (false, 4));
        assert_eq!((options.drop_obligations, options.patience), (None, 7));
        assert_eq!(options.memory_limit, 9);
        let Choice::Pdr(none) = choice("--engine pdr --passes none") else { panic!("pdr") };
        let nothing = PassOptions { cone: false, rewrite: false, registers: false, sweep: false };
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
        let passes = PassOptions { cone: true, rewrite: false, registers: false, sweep: false };
        assert_eq!((options.passes, options.elimination), (passes, false));
        assert_eq!((options.system, options.memory_limit), (System::Pudlak, 9));
    }

    #[test]
    fn every_option_of_avy_arrives() {
        assert_eq!(choice("--engine avy"), Choice::Avy(AvyOptions::default()));
        let words = "--engine avy --ctg 4 --ctg-depth 2 --step 3 --no-global-trace \
                     --no-min-suffix --min-core --no-shallow-push --interleave 5 \
                     --no-incremental --interpolation pudlak";
        let pdr = PdrOptions { ctg: Ctg { max: 4, depth: 2 }, ..AvyOptions::default().pdr };
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
                     --stubborn 4 --drop-obligations 0 --patience 7 --memory-limit 9";
        let pdr = PdrOptions {
            ctg: Ctg { max: 5, depth: 2 },
            attempts: 3,
            keep_parent: false,
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
            ("drop_obligations", options.drop_obligations.map_or(0, u64::from)),
            ("patience", options.patience),
            ("memory_limit", options.memory_limit),
        ] {
            let argument = command.get_arguments().find(|a| a.get_id() == name).expect(name);
            let help = argument.get_help().expect(name).to_string();
            assert!(help.ends_with(&format!("[default: {default}]")), "{help}");
        }
        assert_eq!(options.attempts, usize::MAX, "all literals are tried");
    }

    #[test]
    fn threads_race() {
        assert!(matches!(plan("-j 3"), Ok(Plan::Race(3))));
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
        assert_eq!(error.to_string(), "--bound is about transition systems, not about programs");
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for (words, complaint) in [
            ("--ctg 3", "--ctg is an option of --engine pdr or avy or words"),
            (
                "--engine kind --passes cone",
                "--passes is an option of --engine pdr or avy or itp or imc",
            ),
            ("--engine pdr --bound 3", "--bound is an option of --engine bmc or kind or auto"),
            ("--engine pdr --distinct lazy", "--distinct is an option of --engine kind"),
            ("--engine pdr --passes none,cone", "--passes none stands alone"),
            ("--engine pdr --ctg 0 --ctg-depth 1", "--ctg-depth says nothing with --ctg 0"),
            ("--engine avy --ctg-depth 1", "--ctg-depth says nothing with --ctg 0"),
            ("--engine avy --interleave 0", "--interleave must be at least 1"),
            ("--engine pdr --min-core", "--min-core is an option of --engine avy"),
            ("--engine pdr --patience 0", "--patience must be at least 1"),
            ("--engine bmc -j 2", "--threads is an option of --engine auto"),
            ("--engine itp --ctg 3", "--ctg is an option of --engine pdr or avy or words"),
            ("--engine imc --bound 3", "--bound is an option of --engine bmc or kind or auto"),
            ("--engine cfg", "--engine cfg is for programs, not for transition systems"),
            ("--bound 3 -j 2", "--bound and --no-incremental are about one engine, not about -j 2"),
        ] {
            match plan(words) {
                Ok(_) => panic!("{words} is accepted"),
                Err(error) => assert_eq!(error.to_string(), complaint),
            }
        }
    }
}
