//! What guesses are made of, and the guesses at a location.

use dashu_int::IBig;
use dashu_int::ops::DivRemEuclid;
use dashu_ratio::RBig;
use elinvar_ir::program::{Linear, LocationId, Node, Op, Sort, Term, Terms, VariableId};
use rustc_hash::FxHashSet;

use super::super::graph::Graph;
use super::super::valuation::Valuation;
use super::hull::Hull;
use super::runs::{State, numbers, zero_functions};

/// More columns than this are too many equations to look for.
const MOST_COLUMNS: usize = 24;
/// Among so many numbers, pairs are looked at.
const MOST_PAIRED: usize = 12;
const MOST_FACTS: usize = 200;
/// Conditions that equations are looked for under.
const MOST_CASES: usize = 8;
/// From fewer states hardly anything can be guessed.
const FEW_STATES: usize = 3;
/// Terms with more parts than this are no columns.
const LARGE: usize = 12;

/// What the program speaks of.
pub struct Columns {
    pub numbers: Vec<IBig>,
    moduli: Vec<IBig>,
    /// Terms of numbers that are no sums: reads, products, remainders.
    opaque: Vec<Term>,
    /// Comparisons and Boolean terms.
    atoms: Vec<Term>,
}

impl Columns {
    pub fn of(graph: &mut Graph) -> Self {
        let written = writes(graph);
        let terms = &graph.terms;
        let mut roots = Vec::new();
        for index in graph.block_ids() {
            let block = graph.block(index);
            roots.push(block.guard);
            roots.extend(block.update.values());
        }
        let subterms = terms.subterms(roots.iter().copied());
        let mut moduli: Vec<IBig> = vec![IBig::from(2), IBig::from(3)];
        let (mut opaque, mut atoms) = (Vec::new(), Vec::new());
        for &term in &subterms {
            let Node::Apply(op, children) = terms.node(term) else { continue };
            match op {
                Op::Modulo | Op::Divide | Op::Select | Op::Function(_) | Op::Multiply
                    if terms.sort(term).is_arithmetic() =>
                {
                    if *op == Op::Modulo
                        && let Node::Int(by) = terms.node(children[1])
                    {
                        moduli.push(by.clone());
                    }
                    let linear = *op == Op::Multiply && terms.as_number(children[0]).is_some();
                    match (linear, terms.as_number(children[0])) {
                        (true, Some(factor)) if factor.is_int() => {
                            let factor = factor.into_parts().0;
                            moduli.push(if factor < IBig::ZERO { -factor } else { factor });
                        }
                        _ => opaque.push(term),
                    }
                }
                Op::AtMost | Op::Less | Op::Equal => atoms.push(term),
                _ => {}
            }
        }
        for (element, equation) in written {
            if terms.sort(element).is_arithmetic() {
                opaque.push(element);
            }
            atoms.push(equation);
        }
        // Counters that go in steps.
        for &term in &subterms {
            if let Some(children) = terms.as_op(term, Op::Add)
                && let Some(Node::Int(step)) = children.last().map(|&last| terms.node(last))
            {
                moduli.push(if *step < IBig::ZERO { -step } else { step.clone() });
            }
        }
        moduli.retain(|modulus| *modulus > IBig::ONE && *modulus <= IBig::from(1u64 << 32));
        moduli.sort_unstable();
        moduli.dedup();
        moduli.truncate(12);
        let is_small = |term: &Term| terms.subterms([*term]).len() <= LARGE;
        opaque.retain(is_small);
        atoms.retain(is_small);
        Columns { numbers: numbers(terms, roots), moduli, opaque, atoms }
    }

    /// Conditions of the program that hold in some of the states and not in others, and
    /// their opposites.
    fn cases(&self, terms: &mut Terms, live: &Live, states: &mut [Valuation]) -> Vec<Term> {
        let mut cases = Vec::new();
        for &atom in &self.atoms {
            if !speaks_of(terms, atom, live) || terms.free_variables([atom]).is_empty() {
                continue;
            }
            let count =
                states.iter_mut().filter_map(|s| s.holds(terms, atom).then_some(())).count();
            if 2 <= count && count + 2 <= states.len() && cases.len() < 2 * MOST_CASES {
                cases.extend([atom, terms.not(atom)]);
            }
        }
        cases
    }
}

/// What is written to maps: the element, read afterwards, and that it is what was written.
fn writes(graph: &mut Graph) -> Vec<(Term, Term)> {
    let mut found = Vec::new();
    for index in graph.block_ids() {
        for (variable, value) in graph.block(index).update.clone() {
            let terms = &mut graph.terms;
            let mut map = value;
            while let Some(&[older, at, written]) = terms.as_op(map, Op::Store) {
                let symbol = terms.variable(variable);
                let element = terms.select(symbol, at);
                found.push((element, terms.equal(element, written)));
                map = older;
            }
        }
    }
    found
}

type Live = FxHashSet<VariableId>;

fn speaks_of(terms: &Terms, term: Term, live: &Live) -> bool {
    terms.free_variables([term]).iter().all(|variable| live.contains(variable))
}

/// What may hold at a location.
pub struct Guess {
    /// Numbers with equations among them, the same sort each.
    groups: Vec<Group>,
    /// Each for itself.
    facts: Vec<Term>,
}

struct Group {
    /// The equations hold where this does.
    case: Option<Term>,
    sort: Sort,
    columns: Vec<Term>,
    hull: Hull,
}

impl Guess {
    /// Nothing but these.
    pub fn known(facts: Vec<Term>) -> Self {
        Guess { groups: Vec::new(), facts }
    }

    pub fn new(
        graph: &mut Graph,
        columns: &Columns,
        at: LocationId,
        known: Vec<Term>,
        states: &[State],
    ) -> Self {
        let variables = graph.live[&at].clone();
        let live: Live = variables.iter().copied().collect();
        let terms = &mut graph.terms;
        let mut guess = Guess::known(known);
        if states.is_empty() {
            return guess;
        }
        let functions = zero_functions(terms);
        let valuation = |state: &State| Valuation::new(state.clone(), functions.clone());
        let mut states: Vec<Valuation> = states.iter().map(valuation).collect();
        for sort in [Sort::Int, Sort::Real] {
            let mut group = Vec::new();
            for &variable in &variables {
                if *terms.variable_sort(variable) == sort {
                    group.push(terms.variable(variable));
                }
            }
            let plain: Vec<Term> = group.iter().copied().take(MOST_PAIRED).collect();
            for &term in &columns.opaque {
                if *terms.sort(term) == sort && speaks_of(terms, term, &live) {
                    group.push(term);
                }
            }
            group.truncate(MOST_COLUMNS);
            if group.is_empty() {
                continue;
            }
            for case in columns.cases(terms, &live, &mut states) {
                guess.groups.push(Group::new(terms, Some(case), &sort, &group, &mut states));
            }
            guess.groups.push(Group::new(terms, None, &sort, &group, &mut states));
            if sort == Sort::Int && states.len() >= FEW_STATES {
                guess.number_facts(terms, columns, &plain, &mut states);
            }
        }
        let mut atoms = columns.atoms.clone();
        for &variable in &variables {
            if *terms.variable_sort(variable) == Sort::Bool {
                atoms.push(terms.variable(variable));
            }
        }
        if states.len() < FEW_STATES {
            atoms.clear();
        }
        for atom in atoms {
            if speaks_of(terms, atom, &live) {
                let not = terms.not(atom);
                guess.propose(terms, &mut states, [atom, not]);
            }
        }
        guess.facts.sort_unstable();
        guess.facts.dedup();
        guess.facts.truncate(MOST_FACTS);
        guess
    }

    fn propose(
        &mut self,
        terms: &Terms,
        states: &mut [Valuation],
        facts: impl IntoIterator<Item = Term>,
    ) {
        for fact in facts {
            if states.iter_mut().all(|state| state.holds(terms, fact)) {
                self.facts.push(fact);
            }
        }
    }

    /// Bounds and remainders of numbers, their sums and differences.
    fn number_facts(
        &mut self,
        terms: &mut Terms,
        columns: &Columns,
        numbers: &[Term],
        states: &mut [Valuation],
    ) {
        let mut sums: Vec<Term> = numbers.to_vec();
        for (at, &left) in numbers.iter().enumerate() {
            for &right in &numbers[at + 1..] {
                sums.push(terms.subtract(left, right));
                sums.push(terms.add([left, right]));
            }
        }
        for sum in sums {
            let values: Option<Vec<RBig>> = states
                .iter_mut()
                .map(|state| state.value(terms, sum).and_then(|value| value.as_number()))
                .collect();
            let Some(values) = values else { continue };
            let values: Vec<IBig> = values.into_iter().map(|v| v.into_parts().0).collect();
            let (Some(least), Some(greatest)) = (values.iter().min(), values.iter().max()) else {
                continue;
            };
            let small = |number: &IBig| IBig::from(-2) <= *number && *number <= IBig::from(2);
            let plausible =
                |number: &IBig| small(number) || columns.numbers.binary_search(number).is_ok();
            if plausible(least) {
                let bound = terms.int(least.clone());
                self.facts.push(terms.at_most(bound, sum));
            }
            if plausible(greatest) {
                let bound = terms.int(greatest.clone());
                self.facts.push(terms.at_most(sum, bound));
            }
            for modulus in &columns.moduli {
                let rest = |number: &IBig| number.clone().div_rem_euclid(modulus.clone()).1;
                let first = rest(&values[0]);
                if values.iter().all(|value| rest(value) == first) {
                    let by = terms.int(modulus.clone());
                    let remainder = terms.modulo(sum, by);
                    let value = terms.int(IBig::from(first));
                    self.facts.push(terms.equal(remainder, value));
                }
            }
        }
        let truth = terms.bool(true);
        self.facts.retain(|&fact| fact != truth);
    }

    /// All that is guessed, as formulas.
    pub fn facts(&self, terms: &mut Terms) -> Vec<Term> {
        let mut facts = self.facts.clone();
        let mut always: Vec<Term> = Vec::new();
        for group in self.groups.iter().filter(|group| group.case.is_none()) {
            always.extend(group.equations(terms));
        }
        for group in &self.groups {
            let Some(case) = group.case else { continue };
            let mut equations = group.equations(terms);
            equations.retain(|equation| !always.contains(equation));
            facts.extend(equations.into_iter().map(|equation| terms.implies(case, equation)));
        }
        facts.extend(always);
        facts.sort_unstable();
        facts.dedup();
        facts
    }

    /// Gives up what does not hold in a state; `term` is what a term of this location is
    /// for the valuation. Did anything change?
    pub fn weaken(
        &mut self,
        terms: &Terms,
        state: &mut Valuation,
        translated: &dyn Fn(Term) -> Term,
    ) -> bool {
        let before = self.facts.len();
        self.facts.retain(|&fact| state.holds(terms, translated(fact)));
        let mut changed = self.facts.len() < before;
        for group in &mut self.groups {
            if group.case.is_some_and(|case| !state.holds(terms, translated(case))) {
                continue;
            }
            let columns: Vec<Term> = group.columns.iter().map(|&c| translated(c)).collect();
            changed |= group.add_columns(terms, state, &columns);
        }
        changed
    }

    /// What has to be translated for `weaken`.
    pub fn terms(&self) -> Vec<Term> {
        let columns = self.groups.iter().flat_map(|group| group.columns.iter().chain(&group.case));
        self.facts.iter().chain(columns).copied().collect()
    }

    /// Gives up one fact, or all equations.
    pub fn remove(&mut self, fact: Term) {
        let before = self.facts.len();
        self.facts.retain(|&other| other != fact);
        if self.facts.len() == before {
            self.groups.clear();
        }
    }
}

impl Group {
    fn new(
        terms: &Terms,
        case: Option<Term>,
        sort: &Sort,
        columns: &[Term],
        states: &mut [Valuation],
    ) -> Self {
        let (sort, columns) = (sort.clone(), columns.to_vec());
        let mut group = Group { case, sort, columns: columns.clone(), hull: Hull::default() };
        for state in states {
            if case.is_none_or(|case| state.holds(terms, case)) {
                group.add_columns(terms, state, &columns);
            }
        }
        group
    }

    fn add_columns(&mut self, terms: &Terms, state: &mut Valuation, columns: &[Term]) -> bool {
        let point: Option<Vec<RBig>> = columns
            .iter()
            .map(|&column| state.value(terms, column).and_then(|value| value.as_number()))
            .collect();
        match point {
            Some(point) => self.hull.add(&point),
            None => false,
        }
    }

    fn equations(&self, terms: &mut Terms) -> Vec<Term> {
        let mut equations = Vec::new();
        for (factors, value) in self.hull.equations() {
            let mut sum = Linear { terms: Vec::new(), constant: RBig::ZERO };
            for (column, factor) in self.columns.iter().zip(factors) {
                sum.add_scaled(&terms.linear(*column), &factor);
            }
            sum.constant -= value;
            // On integers all numbers have to be integers.
            let denominator = sum.denominator();
            sum.scale(&RBig::from(denominator));
            let left = terms.sum(&sum, &self.sort);
            let zero = terms.number(RBig::ZERO, &self.sort);
            equations.push(terms.equal(left, zero));
        }
        let truth = terms.bool(true);
        equations.retain(|&equation| equation != truth);
        equations
    }
}
