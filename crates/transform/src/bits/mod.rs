//! From any system to a small one of bits, for the engines that work on bits.
//!
//! [`prepare`] gives the bits and the [`BitLift`] that turns evidence about them into
//! evidence about the system that was given:
//!
//! 1. what the chosen properties do not depend on is dropped, on words;
//! 2. words become bits ([`bitblast`]);
//! 3. states without next function become inputs or get one;
//! 4. constant and equivalent registers are merged;
//! 5. gates over registers that are constant or equal in all reachable states are merged;
//! 6. gates that compute the same are merged.

mod bitblast;
mod classes;
mod cone;
mod lift;
mod netlist;
mod normalize;
mod query;
mod ranking;
mod registers;
mod rewrite;
mod signals;
mod simulate;
mod sweep;
mod system;

use std::time::Instant;

use elinvar_ir::{PropertyId, PropertyKind, StopReason, TransitionSystem};

use crate::error::TransformError;
use crate::limits::Limits;

pub use bitblast::{BlastError, bitblast};
pub use lift::{Bit, BitFact, BitLift, Forward, Image, InputOrigin, Literal};
pub use system::{BitProperty, BitRegister, BitSystem};

use netlist::Netlist;

#[cfg(test)]
mod tests;

/// A simplification of bits.
struct Pass {
    name: &'static str,
    help: &'static str,
    /// A cheap pass is made even if the effort is spent.
    is_cheap: bool,
    /// It is made if nothing else is said.
    by_default: bool,
    run: fn(&mut Netlist, &dyn Limits),
}

/// The passes, in their order. A new pass is a file and a row here.
const PASSES: &[Pass] = &[
    Pass {
        name: "cone",
        help: "drop what the properties do not depend on",
        is_cheap: true,
        by_default: true,
        run: |netlist, _| netlist.compact(),
    },
    Pass {
        name: "registers",
        help: "merge registers that are constant or equal in all reachable states",
        is_cheap: false,
        by_default: true,
        run: registers::merge_registers,
    },
    Pass {
        name: "signals",
        help: "merge gates over registers that are constant or equal in all reachable states",
        is_cheap: false,
        by_default: false,
        run: signals::merge_signals,
    },
    Pass {
        name: "sweep",
        help: "merge gates that compute the same function",
        is_cheap: false,
        by_default: true,
        run: sweep::sweep,
    },
    Pass {
        name: "rewrite",
        help: "rewrite the graph of gates locally",
        is_cheap: false,
        by_default: true,
        run: |netlist, _| rewrite::rewrite(netlist),
    },
];

/// Which passes are made; by default those whose facts keep certificates short.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassOptions {
    /// A bit for each row of [`PASSES`].
    chosen: u32,
}

impl Default for PassOptions {
    fn default() -> Self {
        let chosen = PASSES.iter().enumerate().filter(|(_, pass)| pass.by_default);
        PassOptions { chosen: chosen.fold(0, |all, (at, _)| all | 1 << at) }
    }
}

impl PassOptions {
    /// All passes.
    pub const ALL: PassOptions = PassOptions { chosen: (1 << PASSES.len()) - 1 };

    /// No passes.
    pub const NONE: PassOptions = PassOptions { chosen: 0 };

    /// Only the passes of these names; nothing if one of them does not exist.
    pub fn only(names: &[&str]) -> Option<Self> {
        let place = |name: &&str| PASSES.iter().position(|pass| pass.name == *name);
        let places: Option<Vec<usize>> = names.iter().map(place).collect();
        Some(PassOptions { chosen: places?.into_iter().fold(0, |all, at| all | 1 << at) })
    }

    /// All passes or none.
    pub fn all_if(all: bool) -> Self {
        if all { PassOptions::ALL } else { PassOptions::NONE }
    }

    /// The names of all passes, in their order, each with a description.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        PASSES.iter().map(|pass| (pass.name, pass.help))
    }

    fn has(self, number: usize) -> bool {
        self.chosen >> number & 1 == 1
    }
}

/// A system made ready for engines on bits.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The properties have their old numbers; those that were not asked for are
    /// never violated.
    pub bits: BitSystem,
    /// The way back to the system that was prepared.
    pub lift: BitLift,
    /// One for each pass, in order.
    pub report: Vec<PassReport>,
}

/// What a pass did.
#[derive(Clone, PartialEq, Debug)]
pub struct PassReport {
    /// The name of the pass.
    pub name: &'static str,
    /// The size before the pass.
    pub before: Size,
    /// The size after the pass.
    pub after: Size,
    /// The time that the pass took.
    pub seconds: f64,
}

/// The size of a system of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Inputs.
    pub inputs: usize,
    /// Registers.
    pub states: usize,
    /// And-gates.
    pub gates: usize,
}

/// Simplifies a system for some of its safety properties. Memories of at most `memory_limit`
/// bits are expanded. When the effort is spent, fewer passes are made, with the same
/// contract; when a limit is exceeded, there is no result.
pub fn prepare(
    system: &TransitionSystem,
    properties: &[PropertyId],
    options: &PassOptions,
    memory_limit: u64,
    limits: &dyn Limits,
) -> Result<Prepared, TransformError> {
    for &id in properties {
        let property = system.property(id);
        if let PropertyKind::Justice(_) = property.kind {
            return Err(TransformError::NotSafety(property.name.clone()));
        }
    }
    let mut passes = Passes { report: Vec::new() };
    let start = Instant::now();
    // The cone is computed on words already.
    let only_cone = PassOptions::only(&["cone"]).expect("a pass");
    let part = cone::part(system, properties, options.chosen & only_cone.chosen != 0);
    let mut netlist = bitblast::translate(system, &part, memory_limit, limits)?;
    passes.note("bits", Size::default(), &netlist, start);
    passes.run("normalize", &mut netlist, normalize::normalize);
    complete(&netlist, limits)?;
    for (number, pass) in PASSES.iter().enumerate() {
        if options.has(number) && (pass.is_cheap || limits.stop().is_none()) {
            passes.run(pass.name, &mut netlist, |netlist| (pass.run)(netlist, limits));
            complete(&netlist, limits)?;
        }
    }
    let (bits, lift) = netlist.into_bits(system);
    Ok(Prepared { bits, lift, report: passes.report })
}

/// Fails when a limit was passed: then gates may be missing, and nothing may be concluded
/// from the netlist.
fn complete(netlist: &Netlist, limits: &dyn Limits) -> Result<(), TransformError> {
    match limits.passed() {
        Some(reason) => Err(TransformError::Stopped(reason)),
        None if netlist.aig.is_stopped() => Err(TransformError::Stopped(StopReason::Cancelled)),
        None => Ok(()),
    }
}

struct Passes {
    report: Vec<PassReport>,
}

impl Passes {
    fn run(&mut self, name: &'static str, netlist: &mut Netlist, pass: impl FnOnce(&mut Netlist)) {
        let (before, start) = (netlist.size(), Instant::now());
        pass(netlist);
        self.note(name, before, netlist, start);
    }

    fn note(&mut self, name: &'static str, before: Size, netlist: &Netlist, start: Instant) {
        let seconds = start.elapsed().as_secs_f64();
        self.report.push(PassReport { name, before, after: netlist.size(), seconds });
    }
}
