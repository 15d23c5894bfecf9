//! A graph in a solver, gate by gate as they are needed. Each gate is defined in both
//! directions, and the solver knows its fan-in: so it can work in the cone of a query.

use elinvar_logic::aig::Gate;
use elinvar_logic::{Aig, AigLit, multiplexer};
use elinvar_sat::{Lit, Solver, Var};

use crate::run::{Run, work_of};

pub(super) struct Gates {
    pub solver: Solver,
    /// By node of the graph.
    lits: Vec<Option<Lit>>,
}

impl Gates {
    pub fn new(run: &Run) -> Self {
        let mut solver = Solver::new();
        let run = run.clone();
        solver.set_stop(move |done| run.stop_after(work_of(done)).is_some());
        Gates { solver, lits: Vec::new() }
    }

    /// The variable of a node, if it has one.
    pub fn known(&self, lit: AigLit) -> Option<Lit> {
        let found = self.lits.get(lit.node()).copied().flatten()?;
        Some(found.negate_if(lit.is_complement()))
    }

    /// The nodes with variables.
    pub fn len(&self) -> usize {
        self.solver.var_count()
    }

    /// The literal of the solver, with the definitions of all gates below it.
    pub fn lit(&mut self, aig: &Aig, lit: AigLit) -> Lit {
        self.lits.resize(aig.len(), None);
        let mut stack = vec![lit.node()];
        while let Some(&node) = stack.last() {
            if self.lits[node].is_some() {
                stack.pop();
                continue;
            }
            let operands: Vec<AigLit> = match aig.gate(node) {
                Gate::False | Gate::Input => Vec::new(),
                Gate::And(a, b) => match multiplexer(aig, a, b) {
                    Some((c, t, e)) => vec![c, t, e],
                    None => vec![a, b],
                },
            };
            let before = stack.len();
            stack.extend(operands.iter().map(|o| o.node()).filter(|&n| self.lits[n].is_none()));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let operands: Vec<Lit> =
                operands.iter().map(|&o| self.known(o).expect("operands come first")).collect();
            self.lits[node] = Some(self.define(aig.gate(node) == Gate::False, &operands));
        }
        self.known(lit).expect("just defined")
    }

    /// The literals of the solver for several literals of the graph.
    pub fn lits(&mut self, aig: &Aig, lits: &[AigLit]) -> Vec<Lit> {
        lits.iter().map(|&lit| self.lit(aig, lit)).collect()
    }

    fn define(&mut self, is_false: bool, operands: &[Lit]) -> Lit {
        let var = self.solver.new_var();
        let out = var.positive();
        let mut fan_in: Vec<Var> = operands.iter().map(|lit| lit.var()).collect();
        fan_in.sort_unstable();
        fan_in.dedup();
        self.solver.set_fan_in(var, &fan_in);
        match *operands {
            [a, b] => {
                self.solver.add_clause(&[!out, a]);
                self.solver.add_clause(&[!out, b]);
                self.solver.add_clause(&[out, !a, !b]);
            }
            [c, t, e] => {
                self.solver.add_clause(&[!out, !c, t]);
                self.solver.add_clause(&[!out, c, e]);
                self.solver.add_clause(&[out, !c, !t]);
                self.solver.add_clause(&[out, c, !e]);
                if t != !e {
                    // Implied, but propagated at once.
                    self.solver.add_clause(&[!out, t, e]);
                    self.solver.add_clause(&[out, !t, !e]);
                }
            }
            _ if is_false => self.solver.add_clause(&[!out]),
            _ => {}
        }
        out
    }
}
