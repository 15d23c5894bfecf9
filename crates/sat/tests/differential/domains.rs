//! Circuits, asked for by cones: models of a domain must extend to all variables.

use elinvar_sat::{Answer, Layer, Lit, Log, NoProof, Query, Scope, Solver, Var};

use crate::duel::{Duel, Inspect, assert_hard};
use crate::random::{Rng, seeds};

/// How large a random circuit is.
#[derive(Clone, Copy)]
struct Shape {
    registers: usize,
    inputs: usize,
    gates: usize,
    /// Of eight gates, how many are exclusive ors.
    xors: usize,
    lemmas: usize,
    steps: usize,
    /// At most so many assumptions less one.
    assumptions: usize,
    /// Of so many gates that came last, or of registers.
    newest: usize,
}

struct Circuit {
    registers: Vec<Var>,
    /// One state of the registers, as literals.
    start: Vec<Lit>,
    /// Registers, inputs and gates.
    all: Vec<Var>,
}

impl Circuit {
    fn new<P: Inspect>(duel: &mut Duel<P>, rng: &mut Rng, shape: Shape) -> Self {
        let registers = duel.new_vars(shape.registers);
        let start: Vec<Lit> =
            registers.iter().map(|var| var.positive().negate_if(rng.one_in(2))).collect();
        for &lit in &start {
            duel.set_default(lit);
            if rng.one_in(2) {
                duel.set_initial(lit);
            }
        }
        let mut all = registers.clone();
        all.extend(duel.new_vars(shape.inputs));
        for _ in 0..shape.gates {
            let gate = add_gate(duel, rng, &all, shape.xors);
            all.push(gate);
        }
        Circuit { registers, start, all }
    }

    /// A clause over registers that the start satisfies.
    fn lemma(&self, rng: &mut Rng) -> Vec<Lit> {
        let length = rng.length(3);
        let mut lits = rng.lits(&self.registers, length.max(1));
        let position = rng.below(lits.len());
        lits[position] = self.start[rng.below(self.start.len())];
        lits
    }

    /// Sometimes a register, otherwise one of the newest variables.
    fn some_lit(&self, rng: &mut Rng, newest: usize) -> Lit {
        let newest = &self.all[self.all.len().saturating_sub(newest)..];
        let vars = if rng.one_in(3) { &self.registers } else { newest };
        rng.lit(vars)
    }
}

fn add_gate<P: Inspect>(duel: &mut Duel<P>, rng: &mut Rng, all: &[Var], xors: usize) -> Var {
    let out = duel.new_vars(1)[0];
    // Mostly of recent variables, so that circuits become deep.
    let recent = &all[all.len().saturating_sub(40)..];
    let mut pick = || {
        let from = if rng.one_in(3) { all } else { recent };
        rng.lit(from)
    };
    let (a, b, c) = (pick(), pick(), pick());
    let y = out.positive();
    match rng.below(8) {
        kind if kind < xors => {
            let clauses: [&[Lit]; 4] = [&[!y, a, b], &[!y, !a, !b], &[y, a, !b], &[y, !a, b]];
            duel.define(out, &[a.var(), b.var()], &clauses);
        }
        kind if kind < xors + 2 => {
            let clauses: [&[Lit]; 4] = [&[!y, !c, a], &[y, !c, !a], &[!y, c, b], &[y, c, !b]];
            duel.define(out, &[a.var(), b.var(), c.var()], &clauses);
        }
        _ => {
            let clauses: [&[Lit]; 3] = [&[!y, a], &[!y, b], &[y, !a, !b]];
            duel.define(out, &[a.var(), b.var()], &clauses);
        }
    }
    out
}

fn constrain<P: Inspect>(duel: &mut Duel<P>, rng: &mut Rng, circuit: &Circuit) {
    let lit = rng.lit(&circuit.all);
    // A contradiction ends the interesting part of a life.
    if duel.is_possible(Layer::ALWAYS, &[lit], &[]) || rng.one_in(100) {
        duel.add_constraint(lit);
    }
}

fn change_lemmas<P: Inspect>(duel: &mut Duel<P>, rng: &mut Rng, circuit: &Circuit, most: usize) {
    match rng.below(6) {
        0..3 if duel.lemmas.len() < most => {
            let lits = circuit.lemma(rng);
            let layer = if lits.len() == 1 { Layer::level(rng.below(3)) } else { rng.layer() };
            duel.add_lemma(&lits, layer);
        }
        3 if !duel.lemmas.is_empty() => {
            let index = rng.below(duel.lemmas.len());
            let layer = duel.lemmas[index].layer.max(rng.layer());
            duel.raise_lemma(index, layer);
        }
        4 if !duel.lemmas.is_empty() => {
            let old = &duel.lemmas[rng.below(duel.lemmas.len())];
            let (mut lits, layer) = (old.lits.clone(), old.layer);
            lits.swap_remove(rng.below(lits.len()));
            if lits.len() > 1 && lits.iter().any(|lit| circuit.start.contains(lit)) {
                duel.add_lemma(&lits, layer);
            }
            for index in (0..duel.lemmas.len()).rev() {
                duel.remove_lemma_if_subsumed(index);
            }
        }
        _ => {}
    }
}

fn domains<P: Inspect>(seed: u64, shape: Shape) -> u64 {
    let mut rng = Rng::new(seed);
    let mut duel: Duel<P> = Duel::new();
    let mut circuit = Circuit::new(&mut duel, &mut rng, shape);
    for _ in 0..rng.below(4) {
        constrain(&mut duel, &mut rng, &circuit);
    }
    for _ in 0..shape.steps {
        change_lemmas(&mut duel, &mut rng, &circuit, shape.lemmas);
        if rng.one_in(60) {
            let gate = add_gate(&mut duel, &mut rng, &circuit.all, shape.xors);
            circuit.all.push(gate);
        }
        for _ in 0..4 {
            let assumptions: Vec<Lit> = (0..rng.below(shape.assumptions))
                .map(|_| circuit.some_lit(&mut rng, shape.newest))
                .collect();
            let temporary: Vec<Vec<Lit>> = (0..rng.below(3) * rng.below(2))
                .map(|_| {
                    let length = 1 + rng.below(4);
                    rng.lits(&circuit.registers, length)
                })
                .collect();
            let temporary: Vec<&[Lit]> = temporary.iter().map(Vec::as_slice).collect();
            let query = Query {
                layer: rng.layer(),
                assumptions: &assumptions,
                temporary: &temporary,
                scope: if rng.one_in(50) { Scope::All } else { Scope::Cone },
                conflicts: rng.one_in(20).then(|| rng.below(10) as u64),
            };
            duel.ask(&query);
        }
    }
    duel.finish()
}

const SMALL: Shape = Shape {
    registers: 6,
    inputs: 3,
    gates: 20,
    xors: 2,
    lemmas: 8,
    steps: 100,
    assumptions: 5,
    newest: usize::MAX,
};
const MIDDLE: Shape =
    Shape { registers: 16, inputs: 5, gates: 80, lemmas: 30, steps: 300, ..SMALL };
const LARGE: Shape =
    Shape { registers: 60, inputs: 20, gates: 700, lemmas: 150, steps: 300, ..SMALL };
const HARD: Shape = Shape {
    registers: 30,
    inputs: 20,
    gates: 800,
    xors: 5,
    lemmas: 60,
    steps: 200,
    assumptions: 8,
    newest: 40,
};

#[test]
fn circuits_of_all_sizes() {
    assert_hard(100, seeds(150).map(|seed| domains::<NoProof>(seed, SMALL)));
    assert_hard(100, seeds(15).map(|seed| domains::<NoProof>(1000 + seed, MIDDLE)));
    assert_hard(100, seeds(1).map(|seed| domains::<NoProof>(2000 + seed, LARGE)));
    assert_hard(10_000, seeds(1).map(|seed| domains::<NoProof>(5000 + seed, HARD)));
}

#[test]
fn refutations_in_circuits_are_proofs() {
    assert_hard(100, seeds(50).map(|seed| domains::<Log>(3000 + seed, SMALL)));
    assert_hard(100, seeds(5).map(|seed| domains::<Log>(4000 + seed, MIDDLE)));
}

#[test]
fn what_defines_the_leaves_of_a_cone_does_not_count() {
    let mut solver: Solver = Solver::new();
    let [a, leaf, out] = [(); 3].map(|()| solver.new_var());
    // leaf = a ∧ ¬a, which no decision makes true, and out = leaf.
    solver.set_fan_in(leaf, &[a]);
    solver.set_fan_in(out, &[leaf]);
    let [a, leaf_lit, out_lit] = [a, leaf, out].map(Var::positive);
    for clause in [[!leaf_lit, a], [!leaf_lit, !a], [!out_lit, leaf_lit], [out_lit, !leaf_lit]] {
        solver.add_clause(&clause);
    }
    let mut ask = |scope| {
        let assumptions = &[out_lit];
        let query =
            Query { layer: Layer::ALWAYS, assumptions, temporary: &[], scope, conflicts: None };
        matches!(solver.solve(&query), Answer::Sat(_))
    };
    assert!(ask(Scope::ConeUpTo { first: leaf, end: out }));
    assert!(!ask(Scope::ConeUpTo { first: out, end: out }), "no leaves: the whole cone");
    assert!(!ask(Scope::Cone));
}

#[test]
fn units_outside_the_domain_contradict_what_is_fixed() {
    let mut solver: Solver = Solver::new();
    let registers: Vec<Var> = (0..6).map(|_| solver.new_var()).collect();
    for &register in &registers {
        solver.set_default(register, false);
    }
    for &register in &registers[1..] {
        solver.add_lemma(&[!register.positive()], Layer::level(2));
    }
    let ask = |solver: &mut Solver, level| {
        let query = Query {
            layer: Layer::level(level),
            assumptions: &[registers[0].positive()],
            temporary: &[],
            scope: Scope::Cone,
            conflicts: None,
        };
        matches!(solver.solve(&query), Answer::Sat(_))
    };
    assert!(ask(&mut solver, 2));
    solver.add_clause(&[registers[3].positive()]);
    assert!(!ask(&mut solver, 2), "a unit lemma says the opposite");
    assert!(ask(&mut solver, 3), "no lemma holds in this layer");
}

#[test]
fn a_lemma_about_a_gate_does_not_hide_what_defines_it() {
    let mut solver: Solver = Solver::new();
    let [input, gate, other] = [(); 3].map(|()| solver.new_var());
    [gate, other].into_iter().for_each(|var| solver.set_default(var, var == other));
    // gate = input ∧ ¬input
    solver.set_fan_in(gate, &[input]);
    let [input, gate, other] = [input, gate, other].map(Var::positive);
    solver.add_clause(&[!gate, input]);
    solver.add_clause(&[!gate, !input]);
    // The lemma holds by default until its literal is fixed to be false: then the gate is a unit
    // that does not hold by default, and in every domain.
    solver.add_clause(&[!other]);
    solver.add_lemma(&[gate, other], Layer::level(1));
    let mut ask = |level| {
        let query = Query {
            layer: Layer::level(level),
            assumptions: &[gate],
            temporary: &[],
            scope: Scope::Cone,
            conflicts: None,
        };
        matches!(solver.solve(&query), Answer::Sat(_))
    };
    assert!(!ask(1) && !ask(2), "no input makes the gate true");
}
