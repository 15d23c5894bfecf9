//! Sets of states as formulas over registers, in one graph: what engines that keep
//! interpolants as they are have in common.

use std::cell::RefCell;
use std::rc::Rc;

use elinvar_ir::{Certificate, Formula, Pool, Role, Sort, StopReason};
use elinvar_logic::aig::Gate;
use elinvar_logic::interpolation::System;
use elinvar_logic::{Aig, AigLit, Answer, Cadical, Cnf, SatSolver};
use elinvar_transform::{BitSystem, PassOptions};
use rustc_hash::FxHashMap;

use super::interpolants::Interpolants;
use crate::engine::EngineError;
use crate::pdr::PdrOptions;
use crate::relation::{Init, Interruptible, Transition};
use crate::run::{Run, work_of_ticks};
use crate::task::{BitTask, Task};

/// What may be chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InterpolationOptions {
    /// Which simplifications run before the search.
    pub passes: PassOptions,
    /// Resolve gates away before clauses go to the solver.
    pub elimination: bool,
    /// Memories up to so many bits are expanded.
    pub memory_limit: u64,
    /// How interpolants are read off proofs.
    pub system: System,
}

impl InterpolationOptions {
    /// The bits of a task, simplified as these options say.
    pub(super) fn bits(&self, task: &Task) -> Result<BitTask, EngineError> {
        task.bits(&self.passes, self.memory_limit)
    }
}

impl Default for InterpolationOptions {
    fn default() -> Self {
        let PdrOptions { passes, elimination, memory_limit, .. } = PdrOptions::default();
        InterpolationOptions { passes, elimination, memory_limit, system: System::McMillan }
    }
}

/// The input of a register in the graph of [`Formulas`].
fn register_lit(index: usize) -> AigLit {
    AigLit::from_code(2 * (1 + index as u32))
}

/// Formulas over the registers of a system.
pub(super) struct Formulas {
    /// Node 1 + r is register r.
    aig: Aig,
    registers: usize,
    cnf: Cnf,
    solver: Cadical,
    run: Run,
}

impl Formulas {
    pub fn new(registers: usize, run: &Run) -> Self {
        let mut aig = Aig::new();
        for _ in 0..registers {
            aig.input();
        }
        let (run, watched) = (run.clone(), run.clone());
        let solver =
            Cadical::with_meter(move |ticks| watched.stop_after(work_of_ticks(ticks)).is_some());
        Formulas { aig, registers, cnf: Cnf::new(), solver, run }
    }

    pub fn aig(&self) -> &Aig {
        &self.aig
    }

    /// By node of the graph: which register it is.
    pub fn register_of(&self, node: usize) -> Option<usize> {
        node.checked_sub(1).filter(|&register| register < self.registers)
    }

    pub fn or(&mut self, a: AigLit, b: AigLit) -> AigLit {
        self.aig.or(a, b)
    }

    pub fn and(&mut self, a: AigLit, b: AigLit) -> AigLit {
        self.aig.and(a, b)
    }

    /// The initial states of a system of bits, as far as initial values do not depend
    /// on inputs of the first cycle.
    pub fn initial(&mut self, system: &BitSystem) -> Initial {
        let numbers = system.registers().iter().enumerate();
        let registers: FxHashMap<usize, usize> =
            numbers.map(|(number, register)| (register.lit.node(), number)).collect();
        let mut equations = Vec::new();
        let mut is_exact = true;
        // None if an input is below.
        let mut lits: FxHashMap<usize, Option<AigLit>> = FxHashMap::default();
        let edge = |lits: &FxHashMap<usize, Option<AigLit>>, lit: AigLit| {
            lits[&lit.node()].map(|image| image.complement_if(lit.is_complement()))
        };
        let inits = system.registers().iter().filter_map(|register| register.init);
        for node in system.aig().cone(inits) {
            let lit = match system.aig().gate(node) {
                Gate::False => Some(AigLit::FALSE),
                Gate::Input => registers.get(&node).map(|&number| register_lit(number)),
                Gate::And(a, b) => {
                    edge(&lits, a).zip(edge(&lits, b)).map(|(a, b)| self.aig.and(a, b))
                }
            };
            lits.insert(node, lit);
        }
        for (number, register) in system.registers().iter().enumerate() {
            match register.init.map(|init| edge(&lits, init)) {
                Some(Some(init)) => equations.push(self.aig.iff(register_lit(number), init)),
                Some(None) => is_exact = false,
                None => {}
            }
        }
        Initial { formula: self.aig.and_all(&equations), is_exact }
    }

    /// One of the interpolants, in this graph.
    pub fn import(&mut self, interpolants: &Interpolants, root: AigLit) -> AigLit {
        let leaf = |node| match interpolants.registers.get(&node) {
            Some(&register) => register_lit(register),
            None => AigLit::FALSE,
        };
        interpolants.aig.fold(root, leaf, |a, b| self.aig.and(a, b), |lit| !lit)
    }

    /// The gates of a formula that has to be true, each after its operands. Trees of
    /// conjunctions, of which interpolants are full, are one gate.
    pub fn wide_gates(&self, root: AigLit) -> Vec<WideGate> {
        let cone = self.aig.cone([root]);
        // A gate that is used once, as it is, belongs to the one above.
        let mut uses = vec![0u8; self.aig.len()];
        for (a, b) in cone.iter().filter_map(|&node| self.aig.operands(node)) {
            for lit in [a, b] {
                let more = 1 + u8::from(lit.is_complement());
                uses[lit.node()] = uses[lit.node()].saturating_add(more);
            }
        }
        let is_part =
            |lit: AigLit| uses[lit.node()] == 1 && self.aig.operands(lit.node()).is_some();
        // By node: is it used as it is, and as its complement?
        let mut polarity = vec![[false; 2]; self.aig.len()];
        polarity[root.node()][usize::from(root.is_complement())] = true;
        let mut gates = Vec::new();
        for node in cone.into_iter().rev() {
            let ([positive, negative], Some((a, b))) = (polarity[node], self.aig.operands(node))
            else {
                continue;
            };
            if !positive && !negative {
                continue;
            }
            let (mut operands, mut stack) = (Vec::new(), vec![a, b]);
            while let Some(lit) = stack.pop() {
                if is_part(lit) {
                    stack.extend(
                        self.aig.operands(lit.node()).into_iter().flat_map(|(a, b)| [a, b]),
                    );
                } else {
                    let complement = usize::from(lit.is_complement());
                    polarity[lit.node()][complement] |= positive;
                    polarity[lit.node()][1 - complement] |= negative;
                    operands.push(lit);
                }
            }
            gates.push(WideGate { node, operands, positive, negative });
        }
        gates.reverse();
        gates
    }

    /// UNSAT:  a ∧ ¬b
    pub fn implies(&mut self, a: AigLit, b: AigLit) -> Interruptible<bool> {
        if a == b || a == AigLit::FALSE || b == AigLit::TRUE {
            return Ok(true);
        }
        let assumptions = [a, !b].map(|lit| self.cnf.assertable(&self.aig, lit, &mut self.solver));
        match self.solver.solve(&assumptions) {
            Answer::Unsat(_) => Ok(true),
            Answer::Sat(_) => Ok(false),
            Answer::Stopped => Err(self.run.stopped()),
        }
    }

    /// The invariant that a formula is, for a system whose states are the registers.
    pub fn certificate(&self, root: AigLit) -> Certificate {
        let pool = RefCell::new(Pool::new());
        let mut symbols = Vec::new();
        let leaf = |node| match self.register_of(node) {
            Some(register) => {
                symbols.push(Role::State(register));
                pool.borrow_mut().symbol(Sort::BOOL, None).expect("a bit")
            }
            None => pool.borrow_mut().bool(false),
        };
        let and = |a, b| pool.borrow_mut().and(a, b).expect("bits");
        let not = |a| pool.borrow_mut().not(a).expect("a bit");
        let expr = self.aig.fold(root, leaf, and, not);
        let pool = pool.into_inner();
        Certificate::Formula(Box::new(Formula { pool, expr, symbols }))
    }
}

/// A conjunction within a formula.
pub(super) struct WideGate {
    pub node: usize,
    pub operands: Vec<AigLit>,
    /// It has to be false where an operand is [Plaisted, Greenbaum 1986].
    pub positive: bool,
    /// It has to be true where all operands are.
    pub negative: bool,
}

/// A formula that all initial states satisfy, and no others if it is exact.
#[derive(Clone, Copy)]
pub(super) struct Initial {
    pub formula: AigLit,
    pub is_exact: bool,
}

/// Why nothing is decided where the initial states alone show no path, but those that
/// a formula without inputs has in addition do.
pub(super) fn inexact() -> StopReason {
    StopReason::Unsupported("initial values depend on inputs of the first cycle".to_owned())
}

/// A state that agrees with the initial values that are constants.
pub(super) fn origin(transition: &Transition) -> Rc<[bool]> {
    transition.registers.iter().map(|register| register.init == Init::Constant(true)).collect()
}
