//! Bounded variable elimination on definitions [Eén, Biere: Effective
//! Preprocessing in SAT through Variable and Clause Elimination, SAT 2005].
//!
//! A gate that is no root goes when its resolvents are not more than the clauses
//! they replace. What is left still defines every gate by what comes before it.

use elinvar_sat::{Lit, Var};

use super::transition::Clauses;

/// Longer resolvents are not worth a variable.
const MAX_LENGTH: usize = 24;
/// Variables in more clauses than this are left alone.
const MAX_OCCURRENCES: usize = 200;
const ROUNDS: usize = 3;

/// The clauses without the variables that went, and which these are.
pub(super) fn eliminate(clauses: &Clauses, frozen: &[bool]) -> (Clauses, Vec<bool>) {
    let mut elimination = Elimination::new(clauses, frozen.len());
    let mut eliminated = vec![false; frozen.len()];
    for _ in 0..ROUNDS {
        let mut count = 0;
        for index in 0..frozen.len() {
            if !frozen[index] && !eliminated[index] && elimination.try_var(Var::new(index)) {
                eliminated[index] = true;
                count += 1;
            }
        }
        if count * 100 < frozen.len() {
            break;
        }
    }
    (elimination.finish(), eliminated)
}

struct Elimination {
    clauses: Vec<Option<Box<[Lit]>>>,
    /// By literal; entries of removed clauses stay until the list is used.
    occurrences: Vec<Vec<u32>>,
    resolvents: Vec<Box<[Lit]>>,
    marks: Vec<bool>,
}

impl Elimination {
    fn new(clauses: &Clauses, vars: usize) -> Self {
        let mut elimination = Elimination {
            clauses: Vec::with_capacity(clauses.len()),
            occurrences: vec![Vec::new(); 2 * vars],
            resolvents: Vec::new(),
            marks: vec![false; 2 * vars],
        };
        for clause in clauses.iter() {
            elimination.add(clause.into());
        }
        elimination
    }

    fn add(&mut self, clause: Box<[Lit]>) {
        let index = self.clauses.len() as u32;
        for lit in &clause {
            self.occurrences[lit.code()].push(index);
        }
        self.clauses.push(Some(clause));
    }

    fn try_var(&mut self, var: Var) -> bool {
        let [positive, negative] = [var.positive(), !var.positive()].map(|lit| {
            let mut list = std::mem::take(&mut self.occurrences[lit.code()]);
            list.retain(|&index| self.clauses[index as usize].is_some());
            list
        });
        let budget = positive.len() + negative.len();
        let worth = budget <= MAX_OCCURRENCES && self.resolve(var, &positive, &negative, budget);
        if worth {
            for &index in positive.iter().chain(&negative) {
                self.clauses[index as usize] = None;
            }
            for resolvent in std::mem::take(&mut self.resolvents) {
                if !self.is_subsumed(&resolvent) {
                    self.add(resolvent);
                }
            }
        } else {
            self.occurrences[var.positive().code()] = positive;
            self.occurrences[(!var.positive()).code()] = negative;
        }
        worth
    }

    /// Collects all resolvents on `var`, if there are no more than `budget`.
    fn resolve(&mut self, var: Var, positive: &[u32], negative: &[u32], budget: usize) -> bool {
        self.resolvents.clear();
        for &p in positive {
            let first = self.clauses[p as usize].take().expect("the clause is there");
            for &lit in &first {
                self.marks[lit.code()] = true;
            }
            let mut fits = true;
            for &n in negative {
                let second = self.clauses[n as usize].as_deref().expect("the clause is there");
                let rest = || second.iter().filter(|lit| lit.var() != var);
                if rest().any(|&lit| self.marks[(!lit).code()]) {
                    continue;
                }
                let new = rest().filter(|lit| !self.marks[lit.code()]);
                let old = first.iter().filter(|lit| lit.var() != var);
                let resolvent: Box<[Lit]> = old.chain(new).copied().collect();
                fits = resolvent.len() <= MAX_LENGTH && self.resolvents.len() < budget;
                if !fits {
                    break;
                }
                self.resolvents.push(resolvent);
            }
            for &lit in &first {
                self.marks[lit.code()] = false;
            }
            self.clauses[p as usize] = Some(first);
            if !fits {
                return false;
            }
        }
        true
    }

    /// Is there a clause that says as much?
    fn is_subsumed(&mut self, clause: &[Lit]) -> bool {
        for &lit in clause {
            self.marks[lit.code()] = true;
        }
        let subsumed = clause.iter().any(|lit| {
            let list = &self.occurrences[lit.code()];
            list.len() <= MAX_OCCURRENCES
                && list.iter().any(|&index| {
                    self.clauses[index as usize].as_deref().is_some_and(|other| {
                        other.len() <= clause.len()
                            && other.iter().all(|lit| self.marks[lit.code()])
                    })
                })
        });
        for &lit in clause {
            self.marks[lit.code()] = false;
        }
        subsumed
    }

    fn finish(self) -> Clauses {
        let mut clauses = Clauses::default();
        for clause in self.clauses.into_iter().flatten() {
            clauses.push(clause);
        }
        clauses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The conjunction of `lits`, defined as `gate`.
    fn define(clauses: &mut Clauses, gate: Lit, lits: &[Lit]) {
        for &lit in lits {
            clauses.push([!gate, lit]);
        }
        clauses.push(lits.iter().map(|&lit| !lit).chain([gate]));
    }

    /// All assignments of the variables that satisfy the clauses.
    fn models(clauses: &Clauses, vars: usize) -> Vec<u32> {
        let holds =
            |model: u32, lit: &Lit| (model >> lit.var().index() & 1 == 1) != lit.is_negative();
        let satisfies =
            |&model: &u32| clauses.iter().all(|c| c.iter().any(|lit| holds(model, lit)));
        (0..1 << vars).filter(satisfies).collect()
    }

    #[test]
    fn gates_within_go_and_the_rest_means_the_same() {
        let [a, b, c, inner, root] = std::array::from_fn(|i| Var::new(i).positive());
        let mut clauses = Clauses::default();
        define(&mut clauses, inner, &[a, !b]);
        define(&mut clauses, root, &[inner, c]);
        let (rest, eliminated) = eliminate(&clauses, &[true, true, true, false, true]);
        assert_eq!(eliminated, [false, false, false, true, false]);
        let without = |model: &u32| model & !(1 << inner.var().index());
        let expected: std::collections::BTreeSet<u32> =
            models(&clauses, 5).iter().map(without).collect();
        let found: std::collections::BTreeSet<u32> = models(&rest, 5).iter().map(without).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn frozen_gates_stay() {
        let [a, b, gate] = std::array::from_fn(|i| Var::new(i).positive());
        let mut clauses = Clauses::default();
        define(&mut clauses, gate, &[a, b]);
        let (rest, eliminated) = eliminate(&clauses, &[true; 3]);
        assert_eq!((rest.len(), eliminated), (3, vec![false; 3]));
    }
}
