//! Clauses for the gates of an and-inverter graph, on demand and by polarity
//! [Plaisted, Greenbaum 1986], on top of Tseitin's encoding.
//!
//! Only what a literal needs is encoded, once for each polarity. Exclusive ors
//! and multiplexers are recognised and get one variable; trees of conjunctions
//! become one wide gate. Since a gate that is encoded for one polarity may have
//! a value in a model that its inputs do not give it, read models through
//! [`Cnf::valuation`], which simulates the graph from its inputs.

use crate::aig::{Aig, AigLit, Gate, Valuation};
use elinvar_sat::{Lit, Var};

use crate::sat::{Model, SatSolver};
use crate::watch::Watch;

/// Trees of conjunctions are flattened to gates of at most this many operands.
const MAX_OPERANDS: usize = 12;

const POSITIVE: u8 = 1;
const NEGATIVE: u8 = 2;

/// The link between a graph and the variables of one solver.
#[derive(Default)]
pub struct Cnf {
    vars: Vec<Option<Var>>,
    /// For which polarities the clauses of a node are in the solver.
    encoded: Vec<u8>,
    stack: Vec<(usize, u8)>,
    /// The variable that is true, made when a constant is asked for.
    truth: Option<Lit>,
    watch: Watch,
    /// How many gates were encoded.
    emitted: u64,
    stopped: bool,
}

/// How a node is encoded.
enum Shape {
    And(Vec<AigLit>),
    /// `condition ? then : otherwise`; an exclusive or is the case of
    /// complementary branches.
    Ite(AigLit, AigLit, AigLit),
}

impl Cnf {
    /// An encoder that has encoded nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on nothing is encoded any more when the watch says so.
    pub fn watch(&mut self, watch: Watch) {
        self.watch = watch;
    }

    /// Was the encoding stopped by its watch? Then clauses are missing.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// A solver literal that implies the graph's literal: to be asserted,
    /// assumed, or used positively in a clause.
    pub fn assertable(&mut self, aig: &Aig, lit: AigLit, solver: &mut impl SatSolver) -> Lit {
        self.encode(aig, lit, solver)
    }

    /// Adds the clause to the solver.
    pub fn add_clause(&mut self, aig: &Aig, clause: &[AigLit], solver: &mut impl SatSolver) {
        if clause.contains(&AigLit::TRUE) {
            return;
        }
        let needed = clause.iter().filter(|&&lit| lit != AigLit::FALSE);
        let lits: Vec<Lit> = needed.map(|&lit| self.encode(aig, lit, solver)).collect();
        solver.add_clause(&lits);
    }

    /// The values of all nodes in a model.
    pub fn valuation(&self, aig: &Aig, model: &mut Model<'_>) -> Valuation {
        aig.simulate(|node| match self.vars.get(node) {
            Some(Some(var)) => model.value(var.positive()),
            Some(None) | None => false,
        })
    }

    fn encode(&mut self, aig: &Aig, lit: AigLit, solver: &mut impl SatSolver) -> Lit {
        if let Some(value) = lit.as_constant() {
            let truth = *self.truth.get_or_insert_with(|| {
                let truth = solver.new_var().positive();
                solver.add_clause(&[truth]);
                truth
            });
            return truth.negate_if(!value);
        }
        self.vars.resize(aig.len(), None);
        self.encoded.resize(aig.len(), 0);
        let result = self.lit(lit, solver);
        self.request(lit, POSITIVE);
        while let Some((node, polarity)) = self.stack.pop() {
            self.emit(aig, node, polarity, solver);
            self.emitted += 1;
            if self.emitted.is_multiple_of(1 << 12) && self.watch.must_stop() {
                self.stopped = true;
            }
            if self.stopped {
                self.stack.clear();
            }
        }
        result
    }

    fn lit(&mut self, lit: AigLit, solver: &mut impl SatSolver) -> Lit {
        let var = *self.vars[lit.node()].get_or_insert_with(|| solver.new_var());
        var.positive().negate_if(lit.is_complement())
    }

    /// Asks for the clauses of `lit`'s node where `lit` occurs with `polarity`.
    fn request(&mut self, lit: AigLit, polarity: u8) {
        let polarity = if lit.is_complement() { flip(polarity) } else { polarity };
        let missing = polarity & !self.encoded[lit.node()];
        if missing != 0 {
            self.encoded[lit.node()] |= missing;
            self.stack.push((lit.node(), missing));
        }
    }

    fn emit(&mut self, aig: &Aig, node: usize, polarity: u8, solver: &mut impl SatSolver) {
        let Gate::And(a, b) = aig.gate(node) else { return };
        let out = self.vars[node].expect("requested nodes have variables").positive();
        match self.shape(aig, node, a, b) {
            Shape::And(operands) => {
                let lits: Vec<Lit> = operands.iter().map(|&lit| self.lit(lit, solver)).collect();
                if polarity & POSITIVE != 0 {
                    for &lit in &lits {
                        solver.add_clause(&[!out, lit]);
                    }
                }
                if polarity & NEGATIVE != 0 {
                    let clause: Vec<Lit> =
                        lits.iter().map(|&lit| !lit).chain(std::iter::once(out)).collect();
                    solver.add_clause(&clause);
                }
                for lit in operands {
                    self.request(lit, polarity);
                }
            }
            Shape::Ite(c, t, e) => {
                let [cl, tl, el] = [c, t, e].map(|lit| self.lit(lit, solver));
                if polarity & POSITIVE != 0 {
                    solver.add_clause(&[!out, !cl, tl]);
                    solver.add_clause(&[!out, cl, el]);
                }
                if polarity & NEGATIVE != 0 {
                    solver.add_clause(&[out, !cl, !tl]);
                    solver.add_clause(&[out, cl, !el]);
                }
                self.request(c, POSITIVE | NEGATIVE);
                // Complementary branches are one node: both polarities.
                self.request(t, polarity);
                self.request(e, polarity);
            }
        }
    }

    fn shape(&self, aig: &Aig, node: usize, a: AigLit, b: AigLit) -> Shape {
        if let Some((c, t, e)) = multiplexer(aig, a, b) {
            return Shape::Ite(c, t, e);
        }
        // Flatten through gates that have no variable yet: they are likely to
        // be used here only.
        let mut operands = vec![a, b];
        let mut position = 0;
        while position < operands.len() {
            let lit = operands[position];
            let inner = aig.operands(lit.node()).filter(|_| {
                !lit.is_complement()
                    && self.vars[lit.node()].is_none()
                    && operands.len() < MAX_OPERANDS
                    && lit.node() != node
            });
            match inner {
                Some((x, y)) if multiplexer(aig, x, y).is_none() => {
                    operands[position] = x;
                    operands.push(y);
                }
                _ => position += 1,
            }
        }
        operands.sort_unstable();
        operands.dedup();
        Shape::And(operands)
    }
}

fn flip(polarity: u8) -> u8 {
    (polarity & POSITIVE) << 1 | (polarity & NEGATIVE) >> 1
}

/// `¬(c ∧ x) ∧ ¬(¬c ∧ y)` is `c ? ¬x : ¬y`.
pub fn multiplexer(aig: &Aig, a: AigLit, b: AigLit) -> Option<(AigLit, AigLit, AigLit)> {
    if !a.is_complement() || !b.is_complement() {
        return None;
    }
    let (a0, a1) = aig.operands(a.node())?;
    let (b0, b1) = aig.operands(b.node())?;
    for (c, x) in [(a0, a1), (a1, a0)] {
        if c == !b0 {
            return Some((c, !x, !b1));
        }
        if c == !b1 {
            return Some((c, !x, !b0));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cadical::Cadical;
    use crate::sat::Answer;

    #[test]
    fn an_encoding_stops_when_its_watch_says_so() {
        let (mut aig, mut solver) = (Aig::new(), Cadical::new());
        let mut chain = aig.input();
        for _ in 0..10_000 {
            let input = aig.input();
            chain = !aig.and(chain, input);
        }
        for limit in [false, true] {
            let mut cnf = Cnf::new();
            cnf.watch(Watch::new(move || limit));
            cnf.assertable(&aig, chain, &mut solver);
            assert_eq!(cnf.is_stopped(), limit);
        }
    }

    /// Random graphs: every literal is satisfiable exactly when a row of its
    /// truth table is, and models simulate to it.
    #[test]
    fn encodings_agree_with_truth_tables() {
        let mut seed = 7u64;
        let mut random = move |bound: usize| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % bound
        };
        for _ in 0..60 {
            let mut aig = Aig::new();
            let mut lits: Vec<AigLit> = (0..4).map(|_| aig.input()).collect();
            for _ in 0..30 {
                let mut pick = || {
                    let lit = lits[random(lits.len())];
                    lit.complement_if(random(2) == 0)
                };
                let (a, b, c) = (pick(), pick(), pick());
                lits.push(match random(4) {
                    0 => aig.xor(a, b),
                    1 => aig.ite(a, b, c),
                    _ => aig.and(a, b),
                });
            }
            let rows: Vec<Valuation> =
                (0..16).map(|row| aig.simulate(|node| row >> (node - 1) & 1 == 1)).collect();
            let (mut solver, mut cnf) = (Cadical::new(), Cnf::new());
            for _ in 0..20 {
                let pair = [(); 2].map(|()| lits[random(lits.len())].complement_if(random(2) == 0));
                let assumptions = pair.map(|lit| cnf.assertable(&aig, lit, &mut solver));
                let possible = rows.iter().any(|row| pair.iter().all(|&lit| row.value(lit)));
                match solver.solve(&assumptions) {
                    Answer::Sat(mut model) => {
                        let values = cnf.valuation(&aig, &mut model);
                        assert!(possible && pair.iter().all(|&lit| values.value(lit)));
                    }
                    Answer::Unsat(_) => assert!(!possible),
                    Answer::Stopped => unreachable!("this solver is never stopped"),
                }
            }
        }
    }
}
