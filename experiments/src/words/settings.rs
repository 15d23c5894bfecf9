//! The programs and options that are compared.

use crate::harness;

/// What decides a model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Setting {
    Words(Words),
    /// The engine with the default simulation, which also reports how far the others would
    /// have expanded.
    Comparison,
    Peer(Peer),
}

/// The engine with its options.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Words {
    /// The probability of a Boolean cube; none if the engine learns it from the model.
    pub probability: Option<f64>,
    pub simulation: Simulation,
    pub seed: u32,
}

/// How the engine expands states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simulation {
    Ternary,
    Interval,
    Hybrid,
    Product,
}

/// Another program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Peer {
    /// The command `pdr` of ABC, on bits.
    Abc,
    /// The engine `ic3` of rIC3, on bits.
    Ric3,
    /// The same on the words of the model.
    Ric3Words,
}

/// The probability at which simulations are compared, as in the paper.
pub const EVEN: f64 = 0.5;

impl harness::Setting for Setting {
    fn name(&self) -> String {
        match self {
            Setting::Words(_) | Setting::Comparison => {
                format!("words {}", self.options().join(" "))
            }
            Setting::Peer(peer) => peer.name().to_owned(),
        }
    }

    fn must_report(&self) -> bool {
        match self {
            Setting::Words(_) | Setting::Comparison => true,
            Setting::Peer(_) => false,
        }
    }
}

impl Setting {
    /// The engine with its defaults.
    pub const DEFAULT: Setting =
        Setting::Words(Words { probability: None, simulation: Simulation::Product, seed: 0 });

    /// The options of `elinvar check` besides the engine.
    pub fn options(self) -> Vec<String> {
        match self {
            Setting::Words(words) => words.options(),
            Setting::Comparison => {
                let simulation = Simulation::Product;
                let words = Words { probability: Some(EVEN), simulation, seed: 0 };
                [words.options(), vec!["--compare-simulations".into()]].concat()
            }
            Setting::Peer(_) => Vec::new(),
        }
    }
}

impl Words {
    fn options(self) -> Vec<String> {
        let mut options = vec!["--seed".to_owned(), self.seed.to_string()];
        if let Some(probability) = self.probability {
            options.extend(["--cube-probability".into(), probability.to_string()]);
        }
        // The default is not named, so that figures share runs.
        if self.simulation != Simulation::Product {
            options.extend(["--simulation".into(), self.simulation.name().into()]);
        }
        options
    }
}

impl Simulation {
    pub const ALL: [Simulation; 4] =
        [Simulation::Ternary, Simulation::Interval, Simulation::Hybrid, Simulation::Product];

    pub fn name(self) -> &'static str {
        match self {
            Simulation::Ternary => "ternary",
            Simulation::Interval => "interval",
            Simulation::Hybrid => "hybrid",
            Simulation::Product => "product",
        }
    }
}

impl Peer {
    pub fn name(self) -> &'static str {
        match self {
            Peer::Abc => "ABC pdr",
            Peer::Ric3 => "rIC3 ic3",
            Peer::Ric3Words => "rIC3 ic3 on words",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Setting as _;

    #[test]
    fn settings_are_named_by_their_options() {
        let words = Words { probability: Some(1.0), simulation: Simulation::Hybrid, seed: 3 };
        let name = "words --seed 3 --cube-probability 1 --simulation hybrid";
        assert_eq!(Setting::Words(words).name(), name);
        assert_eq!(Setting::DEFAULT.name(), "words --seed 0");
        let name = "words --seed 0 --cube-probability 0.5 --compare-simulations";
        assert_eq!(Setting::Comparison.name(), name);
        assert_eq!(Setting::Peer(Peer::Abc).name(), "ABC pdr");
    }
}
