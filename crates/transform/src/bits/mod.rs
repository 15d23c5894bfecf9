//! From any system to a small one of bits, for the engines that work on bits.
//!
//! [`prepare`] gives the bits and the [`BitLift`] that turns evidence about them into
//! evidence about the system that was given:
//!
//! 1. what the chosen properties do not depend on is dropped, on words;
//! 2. words become bits ([`bitblast`]);
//! 3. states without next function become inputs or get one;
//! 4. constant and equivalent registers are merged;
//! 5. gates that compute the same are merged.

mod bitblast;
mod classes;
mod cone;
mod lift;
mod netlist;
mod normalize;
mod query;
mod registers;
mod rewrite;
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

/// Which simplifications are made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassOptions {
    /// Drop what the properties do not depend on.
    pub cone: bool,
    /// Rebuild the graph until local rewriting finds no more.
    pub rewrite: bool,
    /// Merge registers that are constant or equal (or complements) in all
    /// reachable states, by simulation and induction.
    pub registers: bool,
    /// Merge gates that compute the same function, by simulation and SAT.
    pub sweep: bool,
}

impl Default for PassOptions {
    fn default() -> Self {
        PassOptions { cone: true, rewrite: true, registers: true, sweep: true }
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
    let part = cone::part(system, properties, options.cone);
    let mut netlist = bitblast::translate(system, &part, memory_limit, limits)?;
    passes.note("bits", Size::default(), &netlist, start);
    passes.run("normalize", &mut netlist, normalize::normalize);
    complete(&netlist, limits)?;
    if options.cone {
        passes.run("cone", &mut netlist, Netlist::compact);
        complete(&netlist, limits)?;
    }
    if options.registers && limits.stop().is_none() {
        passes.run("registers", &mut netlist, |n| registers::merge_registers(n, limits));
        complete(&netlist, limits)?;
    }
    if options.sweep && limits.stop().is_none() {
        passes.run("sweep", &mut netlist, |n| sweep::sweep(n, limits));
        complete(&netlist, limits)?;
    }
    if options.rewrite && limits.stop().is_none() {
        passes.run("rewrite", &mut netlist, rewrite::rewrite);
    }
    complete(&netlist, limits)?;
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
