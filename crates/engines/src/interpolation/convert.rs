//! From an interpolant to the states that have to be excluded for it.
//!
//! Line 7 of Algorithm 7 [Vizel, Gurfinkel 2014] makes frame i satisfy Fᵢ₋₁ ∨ Iᵢ: as
//! long as there is a state in Fᵢ outside of both, a cube of such states is blocked as
//! an obligation of property directed reachability would be. No state of Fᵢ₋₁ leads
//! there, by the way interpolants and frames go together. Here such states are found;
//! the transition relation plays no part in that.

use elinvar_logic::{Aig, AigLit};
use elinvar_sat::{Answer, Layer, Lit, Query, Scope, Solver, Var};
use rustc_hash::FxHashMap;

use crate::pdr::cube::Cube;
use crate::relation::{Interruptible, Justifier, Network};
use crate::run::{Run, work_of, work_of_clauses};

/// Finds states of a frame outside of the one before and of a formula.
pub(super) struct Outside {
    solver: Solver,
    network: Network,
    justifier: Justifier,
    /// True outside the formula.
    formula: Lit,
    /// Each implies its cube, which is not in the frame before.
    before: Vec<(Lit, Vec<Lit>)>,
    /// Each implies its cube, which is as good as being outside the formula.
    lost: Vec<(Lit, Vec<Lit>)>,
    origin: std::rc::Rc<[bool]>,
    run: Run,
}

impl Outside {
    /// `registers` says which register an input of the graph is, `origin` is a state
    /// that satisfies all lemmas.
    pub fn new(
        aig: &Aig,
        root: AigLit,
        registers: &FxHashMap<usize, usize>,
        origin: std::rc::Rc<[bool]>,
        run: &Run,
    ) -> Self {
        let (network, formula) = network(aig, !root, registers, origin.len());
        run.spend(work_of_clauses(network.leaves + network.gates.len()));
        let mut solver = Solver::new();
        let watched = run.clone();
        solver.set_stop(move |done| watched.stop_after(work_of(done)).is_some());
        for index in 0..network.leaves + network.gates.len() {
            let var = solver.new_var();
            if (1..network.leaves).contains(&index) {
                solver.set_default(var, origin[index - 1]);
            }
        }
        solver.add_clause(&[Var::new(0).positive()]);
        for (index, &[a, b]) in network.gates.iter().enumerate() {
            let gate = Var::new(network.leaves + index);
            let out = gate.positive();
            solver.set_fan_in(gate, &[a.var(), b.var()]);
            solver.add_clause(&[!out, a]);
            solver.add_clause(&[!out, b]);
            solver.add_clause(&[out, !a, !b]);
        }
        Outside {
            justifier: Justifier::new(&network),
            solver,
            network,
            formula,
            before: Vec::new(),
            lost: Vec::new(),
            origin,
            run: run.clone(),
        }
    }

    /// No state of the cube is in the frame.
    pub fn exclude(&mut self, cube: &Cube<Lit>) {
        let clause: Vec<Lit> = cube.atoms().iter().map(|&lit| !lit).collect();
        self.solver.add_lemma(&clause, Layer::ALWAYS);
    }

    /// No state of the cube is in the frame before.
    pub fn exclude_before(&mut self, cube: &[Lit]) {
        let switch = self.switch(cube);
        self.before.push((switch, cube.to_vec()));
    }

    /// The states of the cube count as outside the formula.
    pub fn lose(&mut self, cube: &[Lit]) {
        let switch = self.switch(cube);
        self.lost.push((switch, cube.to_vec()));
    }

    fn switch(&mut self, cube: &[Lit]) -> Lit {
        if let [single] = cube {
            return *single;
        }
        let switch = self.solver.new_var();
        let fan_in: Vec<Var> = cube.iter().map(|lit| lit.var()).collect();
        self.solver.set_fan_in(switch, &fan_in);
        for &lit in cube {
            self.solver.add_clause(&[!switch.positive(), lit]);
        }
        switch.positive()
    }

    /// A cube of states that are all outside of the frame before and of the formula,
    /// one of them in the frame. `price` says what an atom costs.
    pub fn find(&mut self, price: impl Fn(Lit) -> u32) -> Interruptible<Option<Cube<Lit>>> {
        let before: Vec<Lit> = self.before.iter().map(|&(switch, _)| switch).collect();
        let mut outside: Vec<Lit> = vec![self.formula];
        outside.extend(self.lost.iter().map(|&(switch, _)| switch));
        let query = Query {
            layer: Layer::ALWAYS,
            assumptions: &[],
            temporary: &[&before, &outside],
            scope: Scope::Cone,
            conflicts: None,
        };
        self.run.spend(work_of(self.solver.take_ticks()));
        let model = match self.solver.solve(&query) {
            Answer::Sat(model) => model,
            Answer::Unsat(_) => return Ok(None),
            Answer::Stopped => return Err(self.run.stopped()),
        };
        let is_true = |lit: Lit| model.value(lit) == Some(true);
        let chosen = |list: &[(Lit, Vec<Lit>)]| {
            let cubes = list.iter().filter(|&&(switch, _)| is_true(switch));
            cubes.map(|(_, cube)| cube.clone()).min_by_key(Vec::len)
        };
        let mut atoms = chosen(&self.before).expect("the state is outside the frame before");
        if is_true(self.formula) {
            let leaf = |var: Var| {
                let default = || var.index() == 0 || self.origin[var.index() - 1];
                let lit = var.positive();
                let value = model.value(lit).unwrap_or_else(default);
                let atom = lit.negate_if(!value);
                let free = var.index() == 0 || atoms.contains(&atom);
                (value, if free { 0 } else { price(atom) })
            };
            let mut needed = Vec::new();
            let found = |var: Var, value: bool| {
                if var.index() > 0 {
                    needed.push(var.positive().negate_if(!value));
                }
            };
            let targets = std::iter::once(self.formula);
            let justified = self.justifier.justify(&self.network, targets, leaf, found);
            debug_assert!(justified, "the state is outside the formula");
            atoms.extend(needed);
        } else {
            atoms.extend(chosen(&self.lost).into_iter().flatten());
        }
        Ok(Some(Cube::new(atoms)))
    }
}

/// The cone of a formula over registers as a network, and its literal there.
fn network(
    aig: &Aig,
    root: AigLit,
    registers: &FxHashMap<usize, usize>,
    count: usize,
) -> (Network, Lit) {
    let leaves = 1 + count;
    let mut gates = Vec::new();
    let leaf = |node| match registers.get(&node) {
        Some(&register) => Var::new(1 + register).positive(),
        // The constant false; the variable is true.
        None => !Var::new(0).positive(),
    };
    let and = |a, b| {
        gates.push([a, b]);
        Var::new(leaves + gates.len() - 1).positive()
    };
    let root = aig.fold(root, leaf, and, |lit: Lit| !lit);
    (Network { leaves, gates, ..Network::default() }, root)
}
