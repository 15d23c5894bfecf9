//! Sets of states as formulas over registers, in one graph: what engines that keep
//! interpolants as they are have in common.

use std::rc::Rc;

use elinvar_ir::{
    BinaryOp, Certificate, Expr, ExprId, Formula, Pool, Role, Sort, StopReason, TransitionSystem,
    cone,
};
use elinvar_logic::interpolation::System;
use elinvar_logic::{Aig, AigLit, Answer, Cadical, Cnf, SatSolver};
use rustc_hash::FxHashMap;

use super::paths::Interpolants;
use crate::passes::PassOptions;
use crate::pdr::PdrOptions;
use crate::pdr::domain::{Asked, Stopped};
use crate::pdr::transition::{Init, Transition};
use crate::run::Run;

/// What may be chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InterpolationOptions {
    pub passes: PassOptions,
    /// Resolve gates away before clauses go to the solver.
    pub elimination: bool,
    /// Memories up to so many bits are expanded.
    pub memory_limit: u64,
    /// How interpolants are read off proofs.
    pub system: System,
}

impl Default for InterpolationOptions {
    fn default() -> Self {
        let PdrOptions { passes, elimination, memory_limit, .. } = PdrOptions::default();
        InterpolationOptions { passes, elimination, memory_limit, system: System::McMillan }
    }
}

/// Formulas over the registers of a system.
pub(super) struct Formulas {
    /// Node 1 + r is register r.
    aig: Aig,
    registers: usize,
    cnf: Cnf,
    solver: Cadical,
}

impl Formulas {
    pub fn new(registers: usize, run: &Run) -> Self {
        let mut aig = Aig::new();
        for _ in 0..registers {
            aig.input();
        }
        let run = run.clone();
        let solver = Cadical::with_stop(move || run.stop().is_some());
        Formulas { aig, registers, cnf: Cnf::new(), solver }
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

    /// The initial states of a system of bits.
    ///
    /// # Errors
    /// Where initial values depend on inputs of the first cycle, the initial states are
    /// a projection, which has no small formula in general.
    pub fn initial(&mut self, system: &TransitionSystem) -> Result<AigLit, StopReason> {
        let inits = system.states().iter().enumerate();
        let inits: Vec<(usize, ExprId)> =
            inits.filter_map(|(index, state)| Some((index, state.init?))).collect();
        let mut lits: FxHashMap<usize, AigLit> = FxHashMap::default();
        let edge = |lits: &FxHashMap<usize, AigLit>, id: ExprId| {
            lits[&id.node()].complement_if(id.is_complement())
        };
        for id in cone(system.pool(), inits.iter().map(|&(_, init)| init)) {
            let lit = match system.pool().get(id.regular()) {
                Expr::Symbol(_) => match system.role_of(id.regular()) {
                    Some(Role::State(index)) => self.register(index),
                    Some(Role::Input(_)) | None => {
                        let reason = "initial values depend on inputs of the first cycle";
                        return Err(StopReason::Unsupported(reason.to_owned()));
                    }
                },
                Expr::Const(value) => AigLit::constant(!value.is_zero()),
                Expr::Binary(BinaryOp::And, a, b) => {
                    let (a, b) = (edge(&lits, a), edge(&lits, b));
                    self.aig.and(a, b)
                }
                other => unreachable!("a prepared system has only and-gates, not {other:?}"),
            };
            lits.insert(id.node(), lit);
        }
        let mut equations = Vec::with_capacity(inits.len());
        for (index, init) in inits {
            let register = self.register(index);
            equations.push(self.aig.iff(register, edge(&lits, init)));
        }
        Ok(self.aig.and_all(&equations))
    }

    fn register(&self, index: usize) -> AigLit {
        AigLit::from_code(2 * (1 + index as u32))
    }

    /// One of the interpolants, in this graph.
    pub fn import(&mut self, interpolants: &Interpolants, root: AigLit) -> AigLit {
        let Interpolants { aig, registers, .. } = interpolants;
        let mut lits: FxHashMap<usize, AigLit> = FxHashMap::default();
        let edge = |lits: &FxHashMap<usize, AigLit>, lit: AigLit| {
            lits[&lit.node()].complement_if(lit.is_complement())
        };
        for node in aig.cone([root]) {
            let lit = match (aig.operands(node), registers.get(&node)) {
                (Some((a, b)), _) => {
                    let (a, b) = (edge(&lits, a), edge(&lits, b));
                    self.aig.and(a, b)
                }
                (None, Some(&register)) => self.register(register),
                (None, None) => AigLit::FALSE,
            };
            lits.insert(node, lit);
        }
        edge(&lits, root)
    }

    /// UNSAT:  a ∧ ¬b
    pub fn implies(&mut self, a: AigLit, b: AigLit) -> Asked<bool> {
        if a == b || a == AigLit::FALSE || b == AigLit::TRUE {
            return Ok(true);
        }
        let assumptions =
            [a, !b].map(|lit| self.cnf.assertable(&self.aig, lit, &mut self.solver));
        match self.solver.solve(&assumptions) {
            Answer::Unsat(_) => Ok(true),
            Answer::Sat(_) => Ok(false),
            Answer::Stopped => Err(Stopped),
        }
    }

    /// The invariant that a formula is, for a system whose states are the registers.
    pub fn certificate(&self, root: AigLit) -> Certificate {
        let mut pool = Pool::new();
        let mut symbols = Vec::new();
        let mut ids: FxHashMap<usize, ExprId> = FxHashMap::default();
        let edge = |pool: &mut Pool, ids: &FxHashMap<usize, ExprId>, lit: AigLit| {
            let id = ids[&lit.node()];
            if lit.is_complement() { pool.not(id).expect("a bit") } else { id }
        };
        for node in self.aig.cone([root]) {
            let id = match (self.aig.operands(node), self.register_of(node)) {
                (Some((a, b)), _) => {
                    let (a, b) = (edge(&mut pool, &ids, a), edge(&mut pool, &ids, b));
                    pool.and(a, b).expect("bits")
                }
                (None, Some(register)) => {
                    symbols.push(Role::State(register));
                    pool.symbol(Sort::BOOL, None).expect("a bit")
                }
                (None, None) => pool.bool(false),
            };
            ids.insert(node, id);
        }
        let expr = edge(&mut pool, &ids, root);
        Certificate::Formula(Box::new(Formula { pool, expr, symbols }))
    }
}

/// A state that agrees with the initial values that are constants.
pub(super) fn origin(transition: &Transition) -> Rc<[bool]> {
    transition.registers.iter().map(|register| register.init == Init::Constant(true)).collect()
}
