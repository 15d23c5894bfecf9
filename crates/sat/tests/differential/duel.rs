//! Two solvers side by side: what one is told, the other is told too, and every
//! answer of ours is checked by the other.

use std::collections::{BTreeSet, HashSet};

use cadical_sys::{CaDiCal, Status};
use elinvar_sat::{
    Answer, Layer, LemmaId, Lit, Log, NoProof, Proof, Query, Scope, Solver, StepId, Var, check,
};

use crate::random::Rng;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Sat,
    Unsat,
    Stopped,
}

pub struct Lemma {
    pub id: LemmaId,
    pub lits: Vec<Lit>,
    pub layer: Layer,
    guard: i32,
}

pub struct Duel<P: Proof> {
    solver: Solver<P>,
    oracle: Oracle,
    /// Knows definitions only.
    lifter: Oracle,
    defined: HashSet<Var>,
    constraints: Vec<Lit>,
    clauses: Vec<Vec<Lit>>,
    defaults: Vec<Lit>,
    initial: Vec<Lit>,
    pub lemmas: Vec<Lemma>,
    given: HashSet<BTreeSet<Lit>>,
}

impl<P: Inspect> Duel<P> {
    pub fn new() -> Self {
        Duel {
            solver: Solver::new(),
            oracle: Oracle { solver: CaDiCal::new(), guards: 0 },
            lifter: Oracle { solver: CaDiCal::new(), guards: 0 },
            defined: HashSet::new(),
            constraints: Vec::new(),
            clauses: Vec::new(),
            defaults: Vec::new(),
            initial: Vec::new(),
            lemmas: Vec::new(),
            given: HashSet::new(),
        }
    }

    /// Solvers with random clauses of three literals, and the variables.
    pub fn with_clauses(rng: &mut Rng, vars: usize, clauses: usize) -> (Self, Vec<Var>) {
        let mut duel = Duel::new();
        let known = duel.new_vars(vars);
        for _ in 0..clauses {
            let clause = rng.lits(&known, 3);
            duel.add_clause(&clause);
        }
        (duel, known)
    }

    pub fn new_vars(&mut self, count: usize) -> Vec<Var> {
        (0..count).map(|_| self.solver.new_var()).collect()
    }

    pub fn set_default(&mut self, lit: Lit) {
        self.solver.set_default(lit.var(), !lit.is_negative());
        self.defaults.push(lit);
    }

    pub fn set_initial(&mut self, lit: Lit) {
        self.solver.set_initial(lit.var(), !lit.is_negative());
        self.initial.push(lit);
        self.given.insert(BTreeSet::from([lit]));
    }

    pub fn add_clause(&mut self, lits: &[Lit]) {
        self.solver.add_clause(lits);
        self.oracle.add_clause(lits, None);
        self.clauses.push(lits.to_vec());
        self.given.insert(lits.iter().copied().collect());
    }

    /// Defines `var` by clauses over it and its fan-in.
    pub fn define(&mut self, var: Var, fan_in: &[Var], clauses: &[&[Lit]]) {
        self.solver.set_fan_in(var, fan_in);
        self.defined.insert(var);
        for clause in clauses {
            self.add_clause(clause);
            self.lifter.add_clause(clause, None);
        }
    }

    pub fn add_constraint(&mut self, lit: Lit) {
        self.solver.add_permanent_root(lit.var());
        self.constraints.push(lit);
        self.add_clause(&[lit]);
    }

    pub fn add_lemma(&mut self, lits: &[Lit], layer: Layer) {
        let id = self.solver.add_lemma(lits, layer);
        let guard = self.oracle.new_guard();
        self.oracle.add_clause(lits, Some(guard));
        self.lemmas.push(Lemma { id, lits: lits.to_vec(), layer, guard });
        self.given.insert(lits.iter().copied().collect());
    }

    /// No query below this layer will come.
    pub fn expire(&mut self, layer: Layer) {
        self.solver.expire(layer);
    }

    pub fn raise_lemma(&mut self, index: usize, layer: Layer) {
        let lemma = &mut self.lemmas[index];
        lemma.layer = layer;
        self.solver.raise_lemma(lemma.id, layer);
    }

    /// Asks a query in the scope of all variables.
    pub fn ask_all(
        &mut self,
        layer: Layer,
        assumptions: &[Lit],
        temporary: &[Vec<Lit>],
        conflicts: Option<u64>,
    ) -> Verdict {
        let temporary: Vec<&[Lit]> = temporary.iter().map(Vec::as_slice).collect();
        let scope = Scope::All;
        self.ask(&Query { layer, assumptions, temporary: &temporary, scope, conflicts })
    }

    /// Removes a lemma if another one implies it wherever it counts.
    pub fn remove_lemma_if_subsumed(&mut self, index: usize) -> bool {
        let lemma = &self.lemmas[index];
        let subsumes = |other: &Lemma| {
            other.layer >= lemma.layer && other.lits.iter().all(|lit| lemma.lits.contains(lit))
        };
        let mut others = self.lemmas.iter().filter(|other| other.id != lemma.id);
        let subsumed = others.any(subsumes);
        if subsumed {
            let lemma = self.lemmas.swap_remove(index);
            self.solver.remove_lemma(lemma.id);
            self.oracle.solver.clause1(-lemma.guard);
        }
        subsumed
    }

    /// Is there a model, by the other side?
    pub fn is_possible(&mut self, layer: Layer, assumptions: &[Lit], temporary: &[&[Lit]]) -> bool {
        let guard = self.oracle.new_guard();
        for clause in temporary {
            self.oracle.add_clause(clause, Some(guard));
        }
        let possible = self.is_possible_under(guard, layer, assumptions);
        self.oracle.solver.clause1(-guard);
        possible
    }

    fn is_possible_under(&mut self, guard: i32, layer: Layer, assumptions: &[Lit]) -> bool {
        let initial = self.initial.iter().filter(|_| layer == Layer::level(0));
        let lits = assumptions.iter().chain(initial).map(|&lit| dimacs(lit));
        let lemmas = self.lemmas.iter().filter(|lemma| lemma.layer >= layer);
        let guards = lemmas.map(|lemma| lemma.guard);
        let assumed: Vec<i32> = lits.chain(guards).chain([guard]).collect();
        self.oracle.solve(&assumed)
    }

    /// Asks both sides.
    pub fn ask(&mut self, query: &Query<'_>) -> Verdict {
        for clause in query.temporary {
            self.given.insert(clause.iter().copied().collect());
        }
        let vars = self.solver.var_count();
        let (verdict, lits) = match self.solver.solve(query) {
            Answer::Sat(model) => {
                let positive = (0..vars).map(|index| Var::new(index).positive());
                let values = positive.filter_map(|lit| Some(lit.negate_if(!model.value(lit)?)));
                let open = self.defaults.iter().filter(|&&lit| model.value(lit).is_none());
                let values = values.chain(open.copied()).collect::<Vec<Lit>>();
                if query.scope == Scope::Cone {
                    let leaves = model.lits().filter(|lit| !self.defined.contains(&lit.var()));
                    self.lifter.check_lifting(
                        query,
                        &leaves.collect::<Vec<_>>(),
                        &self.constraints,
                    );
                }
                (Verdict::Sat, values)
            }
            Answer::Unsat(core) => {
                let of_query = query.assumptions.iter().filter(|&&lit| core.contains(lit));
                assert!(of_query.clone().all(|lit| core.lits().contains(lit)));
                assert!(core.lits().iter().all(|lit| query.assumptions.contains(lit)));
                assert!(is_subsequence(core.lits(), query.assumptions), "cores keep the order");
                (Verdict::Unsat, core.lits().to_vec())
            }
            Answer::Stopped => {
                assert!(query.conflicts.is_some(), "the solver was not stopped");
                return Verdict::Stopped;
            }
        };
        let possible = self.is_possible(query.layer, &lits, query.temporary);
        match verdict {
            Verdict::Sat => {
                self.check_model(query, &lits);
                assert!(possible, "the model does not extend: {query:?}");
            }
            Verdict::Unsat => {
                assert!(!possible, "the core is not refuted: {query:?}, {lits:?}");
                self.solver.proof().inspect(&lits);
            }
            Verdict::Stopped => unreachable!("stopped queries have returned"),
        }
        verdict
    }

    fn check_model(&self, query: &Query<'_>, values: &[Lit]) {
        let truths: HashSet<Lit> = values.iter().copied().collect();
        let satisfied = |clause: &[Lit]| clause.iter().any(|lit| truths.contains(lit));
        assert!(query.assumptions.iter().all(|lit| truths.contains(lit)));
        assert!(query.temporary.iter().all(|clause| satisfied(clause)));
        if query.scope == Scope::All {
            assert_eq!(values.len(), self.solver.var_count());
            assert!(self.clauses.iter().all(|clause| satisfied(clause)));
        }
    }

    /// Checks the whole log and returns the number of conflicts.
    pub fn finish(self) -> u64 {
        self.solver.proof().check_all(&self.given);
        self.solver.statistics().conflicts
    }
}

/// The instances had more than `least` conflicts in total, so that the solver had to learn
/// and to forget.
pub fn assert_hard(least: u64, conflicts: impl Iterator<Item = u64>) {
    let conflicts: u64 = conflicts.sum();
    assert!(conflicts > least, "only {conflicts} conflicts");
}

fn is_subsequence(part: &[Lit], whole: &[Lit]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|lit| rest.any(|other| other == lit))
}

/// What can be said of a log.
pub trait Inspect: Proof {
    /// The last query was refuted with this core.
    fn inspect(&self, core: &[Lit]);

    /// The solver was given these clauses.
    fn check_all(&self, given: &HashSet<BTreeSet<Lit>>);
}

impl Inspect for NoProof {
    fn inspect(&self, _: &[Lit]) {}

    fn check_all(&self, _: &HashSet<BTreeSet<Lit>>) {}
}

impl Inspect for Log {
    fn inspect(&self, core: &[Lit]) {
        let conclusion = self.last().expect("a refutation is logged");
        let negated: BTreeSet<Lit> = core.iter().map(|&lit| !lit).collect();
        let found: BTreeSet<Lit> = self.lits(conclusion).iter().copied().collect();
        assert_eq!(found, negated, "the conclusion is the negated core");
    }

    fn check_all(&self, given: &HashSet<BTreeSet<Lit>>) {
        assert_eq!(check(self), Ok(()));
        let steps = (0..self.len()).map(StepId::new);
        for step in steps.filter(|&step| self.antecedents(step).is_empty()) {
            let lits: BTreeSet<Lit> = self.lits(step).iter().copied().collect();
            let tautology = lits.iter().any(|&lit| lits.contains(&!lit));
            assert!(tautology || given.contains(&lits), "{lits:?} was not given");
        }
    }
}

/// CaDiCaL, where variables of problems have odd numbers and guards even ones.
struct Oracle {
    solver: CaDiCal,
    guards: i32,
}

fn dimacs(lit: Lit) -> i32 {
    let var = lit.var().index() as i32 * 2 + 1;
    if lit.is_negative() { -var } else { var }
}

impl Oracle {
    fn new_guard(&mut self) -> i32 {
        self.guards += 1;
        2 * self.guards
    }

    /// A clause that counts when the guard is assumed.
    fn add_clause(&mut self, lits: &[Lit], guard: Option<i32>) {
        for lit in lits.iter().map(|&lit| dimacs(lit)).chain(guard.map(|guard| -guard)) {
            self.solver.add(lit);
        }
        self.solver.add(0);
    }

    /// The inputs and registers of a domain determine all that the query asks
    /// for, without lemmas and constraints.
    fn check_lifting(&mut self, query: &Query<'_>, leaves: &[Lit], constraints: &[Lit]) {
        for &lit in query.assumptions.iter().chain(constraints) {
            let assumed: Vec<i32> = leaves.iter().chain([&!lit]).map(|&lit| dimacs(lit)).collect();
            assert!(!self.solve(&assumed), "the domain does not determine {lit:?}: {query:?}");
        }
        let satisfied = |clause: &&[Lit]| clause.iter().any(|lit| leaves.contains(lit));
        assert!(query.temporary.iter().all(satisfied), "the domain leaves clauses open");
    }

    fn solve(&mut self, assumptions: &[i32]) -> bool {
        for &lit in assumptions {
            self.solver.assume(lit);
        }
        match self.solver.solve() {
            Status::SATISFIABLE => true,
            Status::UNSATISFIABLE => false,
            Status::UNKNOWN => unreachable!("the oracle is never stopped"),
        }
    }
}
