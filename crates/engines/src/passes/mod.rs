//! Transformations of systems, each with the way back.
//!
//! [`prepare`] turns any system into a small one of bits for the engines that work
//! on bits, and gives the [`Lift`] that turns their evidence into evidence about
//! the system they were asked about:
//!
//! 1. what the chosen properties do not depend on is dropped, words and all;
//! 2. words become bits ([`bitblast`]);
//! 3. states without next function become inputs or get one;
//! 4. constant and equivalent registers are merged;
//! 5. gates that compute the same are merged.
//!
//! [`stuck_on_error`] makes such a system one that stays bad, for engines that look at
//! the last cycle of a run only, and has its own way back.

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
mod stuck;
mod sweep;

use std::sync::Arc;
use std::time::Instant;

use elinvar_ir::{PropertyId, PropertyKind, StopReason, TransitionSystem};

use crate::engine::EngineError;
use crate::run::Run;

pub use bitblast::{BlastError, bitblast};
pub(crate) use lift::Image;
pub use lift::{Bit, Fact, InputOrigin, Lift, Literal};
pub use stuck::{Stuck, stuck_on_error};

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
    /// Every state is one bit and has a next function; every input is one bit.
    /// The properties have their old numbers; those that were not asked for are
    /// never violated.
    pub system: TransitionSystem,
    pub lift: Lift,
    /// One for each pass, in order.
    pub report: Vec<PassReport>,
}

/// What a pass did.
#[derive(Clone, PartialEq, Debug)]
pub struct PassReport {
    pub name: &'static str,
    pub before: Size,
    pub after: Size,
    pub seconds: f64,
}

/// The size of a system of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    pub inputs: usize,
    pub states: usize,
    pub gates: usize,
}

/// Simplifies a system for the sake of some of its safety properties. Memories
/// of at most `memory_limit` bits are expanded. When the effort of the run is spent, fewer
/// passes are made, with the same contract; when a limit was passed there is no result.
pub fn prepare(
    system: &TransitionSystem,
    properties: &[PropertyId],
    options: &PassOptions,
    memory_limit: u64,
    run: &Run,
) -> Result<Prepared, EngineError> {
    for &id in properties {
        let property = system.property(id);
        if let PropertyKind::Justice(_) = property.kind {
            return Err(EngineError::NotSafety(property.name.clone()));
        }
    }
    let mut passes = Passes { report: Vec::new() };
    let start = Instant::now();
    let part = cone::part(system, properties, options.cone);
    let mut netlist = bitblast::translate(system, &part, memory_limit, run)?;
    passes.note("bits", Size::default(), &netlist, start);
    passes.run("normalize", &mut netlist, normalize::normalize);
    complete(&netlist, run)?;
    if options.cone {
        passes.run("cone", &mut netlist, Netlist::compact);
        complete(&netlist, run)?;
    }
    if options.registers && run.stop().is_none() {
        passes.run("registers", &mut netlist, |n| registers::merge_registers(n, run));
        complete(&netlist, run)?;
    }
    if options.sweep && run.stop().is_none() {
        passes.run("sweep", &mut netlist, |n| sweep::sweep(n, run));
        complete(&netlist, run)?;
    }
    if options.rewrite && run.stop().is_none() {
        passes.run("rewrite", &mut netlist, rewrite::rewrite);
    }
    complete(&netlist, run)?;
    let new = netlist.to_system(system, run).map_err(EngineError::Stopped)?;
    let lift = netlist.lift(Arc::new(system.clone()), &new);
    Ok(Prepared { system: new, lift, report: passes.report })
}

/// Fails when a limit was passed: then gates may be missing, and nothing may be concluded
/// from the netlist.
fn complete(netlist: &Netlist, run: &Run) -> Result<(), EngineError> {
    match run.passed() {
        Some(reason) => Err(EngineError::Stopped(reason)),
        None if netlist.aig.is_stopped() => Err(EngineError::Stopped(StopReason::Cancelled)),
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
