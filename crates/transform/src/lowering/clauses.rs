//! Clauses over the bits of variables as terms that people can read.
//!
//! | clauses | term |
//! |---|---|
//! | the bits of `x` from 1 to 3 have known values | `x[4:1] == 5bv3` |
//! | every bit of `x` is that of `y` | `x == y` |
//! | the bits of `x` differ from 0 or those of `y` from 2 | `x != 0bv2 \|\| y != 2bv2` |

use std::collections::{BTreeMap, BTreeSet};

use elinvar_ir::BitVec;
use elinvar_ir::program::{Sort, Term, Terms, VariableId};

/// A bit of a variable, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Literal {
    pub variable: VariableId,
    pub bit: u32,
    pub positive: bool,
}

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal { positive: !self.positive, ..self }
    }
}

/// A disjunction.
pub(super) type Clause = Vec<Literal>;

/// The conjunction of the clauses, as terms.
pub(super) fn to_terms(terms: &mut Terms, clauses: Vec<Clause>) -> Vec<Term> {
    let sorted = clauses.into_iter().map(|mut clause| {
        clause.sort_unstable();
        clause.dedup();
        clause
    });
    let mut clauses: BTreeSet<Clause> = sorted.collect();
    if clauses.contains(&Vec::new()) {
        return vec![terms.bool(false)];
    }
    let mut units: BTreeSet<Literal> =
        clauses.iter().filter(|clause| clause.len() == 1).map(|clause| clause[0]).collect();
    // A clause with a true literal says nothing more.
    clauses.retain(|clause| {
        clause.len() > 1
            && !clause.iter().any(|l| units.contains(l))
            && !clause.windows(2).any(|pair| pair[0] == !pair[1])
    });
    let equations = take_equations(&mut clauses);
    let equal = equal_words(terms, equations, &mut units);
    let mut all: Vec<Term> = equal_to_numbers(terms, &units.into_iter().collect::<Vec<_>>());
    all.extend(equal);
    for clause in clauses {
        all.push(disjunction(terms, &clause));
    }
    all.retain(|&term| terms.as_bool(term) != Some(true));
    all
}

/// Takes pairs of clauses `¬a ∨ b` and `a ∨ ¬b` away: bits that are equal.
fn take_equations(clauses: &mut BTreeSet<Clause>) -> Vec<(Literal, Literal)> {
    let mut equations = Vec::new();
    let pairs: Vec<Clause> = clauses.iter().filter(|clause| clause.len() == 2).cloned().collect();
    for pair in pairs {
        let mut twin = vec![!pair[0], !pair[1]];
        twin.sort_unstable();
        // Each equation is found twice: the first literal of one of them is positive.
        if pair[0].positive && clauses.remove(&twin) {
            clauses.remove(&pair);
            equations.push((pair[0], !pair[1]));
        }
    }
    equations
}

/// Equal bits, put together where they are in the same order in both words. Bits next to
/// them that have the same known value in both words are equal as well; then the unit of the
/// second word is not needed.
fn equal_words(
    terms: &mut Terms,
    equations: Vec<(Literal, Literal)>,
    units: &mut BTreeSet<Literal>,
) -> Vec<Term> {
    let mut aligned: BTreeMap<(VariableId, VariableId, i64), Vec<u32>> = BTreeMap::new();
    let mut all = Vec::new();
    for (a, b) in equations {
        if a.positive == b.positive && a.variable != b.variable {
            let offset = i64::from(b.bit) - i64::from(a.bit);
            aligned.entry((a.variable, b.variable, offset)).or_default().push(a.bit);
        } else {
            let left = Part { variable: a.variable, high: a.bit, low: a.bit };
            let right = Part { variable: b.variable, high: b.bit, low: b.bit };
            let (left, right) = (left.bit(terms), right.bit(terms));
            let equal = terms.equal(left, right);
            all.push(if a.positive == b.positive { equal } else { terms.not(equal) });
        }
    }
    for ((left, right, offset), mut bits) in aligned {
        bits.extend(take_known(left, right, offset, units));
        for (high, low) in runs(&bits) {
            let shifted = |bit: u32| (i64::from(bit) + offset) as u32;
            let left = Part { variable: left, high, low };
            let right = Part { variable: right, high: shifted(high), low: shifted(low) };
            let (left, right) = match high == low {
                true => (left.bit(terms), right.bit(terms)),
                false => (left.word(terms), right.word(terms)),
            };
            all.push(terms.equal(left, right));
        }
    }
    all
}

/// Takes the units of the second word away that say the same as those of the first: the
/// numbers of these bits.
fn take_known(
    left: VariableId,
    right: VariableId,
    offset: i64,
    units: &mut BTreeSet<Literal>,
) -> Vec<u32> {
    let known: Vec<Literal> = units.iter().copied().filter(|l| l.variable == left).collect();
    let twin = |l: &Literal| {
        let bit = u32::try_from(i64::from(l.bit) + offset).ok()?;
        Some(Literal { variable: right, bit, positive: l.positive })
    };
    let equal = known.iter().filter(|l| twin(l).is_some_and(|twin| units.remove(&twin)));
    equal.map(|l| l.bit).collect()
}

/// The literals, all true: parts of words that have a value.
fn equal_to_numbers(terms: &mut Terms, literals: &[Literal]) -> Vec<Term> {
    let mut all = Vec::new();
    for of_variable in literals.chunk_by(|a, b| a.variable == b.variable) {
        let values: BTreeMap<u32, bool> = of_variable.iter().map(|l| (l.bit, l.positive)).collect();
        if values.len() < of_variable.len() {
            return vec![terms.bool(false)];
        }
        let bits: Vec<u32> = values.keys().copied().collect();
        for (high, low) in runs(&bits) {
            let part = Part { variable: of_variable[0].variable, high, low };
            let value = BitVec::from_bits((low..=high).map(|bit| values[&bit]));
            all.push(part.equals(terms, value));
        }
    }
    all
}

/// At least one of the literals: some part of a word does not have a value.
fn disjunction(terms: &mut Terms, clause: &[Literal]) -> Term {
    let opposite: Vec<Literal> = clause.iter().map(|&literal| !literal).collect();
    let equations = equal_to_numbers(terms, &opposite);
    let differ: Vec<Term> = equations.into_iter().map(|equation| terms.not(equation)).collect();
    terms.or(differ)
}

/// The ranges of consecutive bits, each with its highest and its lowest.
fn runs(bits: &[u32]) -> Vec<(u32, u32)> {
    let mut sorted = bits.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a + 1 == *b).map(|run| (run[run.len() - 1], run[0])).collect()
}

/// Some bits of a variable.
struct Part {
    variable: VariableId,
    high: u32,
    low: u32,
}

impl Part {
    /// The bits as a word; the variable is one.
    fn word(&self, terms: &mut Terms) -> Term {
        let variable = terms.variable(self.variable);
        terms.extract(self.high, self.low, variable)
    }

    /// A single bit as a truth value.
    fn bit(&self, terms: &mut Terms) -> Term {
        match terms.variable_sort(self.variable) {
            Sort::Bool => terms.variable(self.variable),
            Sort::Word(_) | Sort::Int | Sort::Real | Sort::Named(_) | Sort::Map(_) => {
                self.equals(terms, BitVec::one(1))
            }
        }
    }

    fn equals(&self, terms: &mut Terms, value: BitVec) -> Term {
        match terms.variable_sort(self.variable) {
            Sort::Bool => {
                let variable = terms.variable(self.variable);
                if value.is_true() { variable } else { terms.not(variable) }
            }
            Sort::Word(_) | Sort::Int | Sort::Real | Sort::Named(_) | Sort::Map(_) => {
                let (word, value) = (self.word(terms), terms.word(value));
                terms.equal(word, value)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two words of three bits and a truth value.
    fn variables() -> (Terms, [VariableId; 3]) {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.declare(name, Sort::Word(3)));
        let p = terms.declare("p", Sort::Bool);
        (terms, [x, y, p])
    }

    fn literal(variable: VariableId, bit: u32, positive: bool) -> Literal {
        Literal { variable, bit, positive }
    }

    #[test]
    fn known_bits_are_numbers() {
        let (mut terms, [x, y, p]) = variables();
        let bits = [(x, 0, true), (x, 1, false), (x, 2, true), (y, 1, true), (p, 0, false)];
        let clauses = bits.map(|(v, bit, value)| vec![literal(v, bit, value)]).to_vec();
        let found = to_terms(&mut terms, clauses);
        let [vx, vy, vp] = [x, y, p].map(|v| terms.variable(v));
        let five = terms.word(BitVec::new(3, 5));
        let (part, one) = (terms.extract(1, 1, vy), terms.word(BitVec::one(1)));
        let expected = [terms.equal(vx, five), terms.equal(part, one), terms.not(vp)];
        assert_eq!(found, expected);
    }

    #[test]
    fn equal_bits_are_equal_words() {
        let (mut terms, [x, y, p]) = variables();
        let mut clauses = Vec::new();
        for bit in 0..3 {
            clauses.push(vec![literal(x, bit, true), literal(y, bit, false)]);
            clauses.push(vec![literal(y, bit, true), literal(x, bit, false)]);
        }
        clauses.push(vec![literal(p, 0, true), literal(x, 2, true)]);
        clauses.push(vec![literal(p, 0, false), literal(x, 2, false)]);
        let found = to_terms(&mut terms, clauses);
        let [vx, vy, vp] = [x, y, p].map(|v| terms.variable(v));
        let (top, one) = (terms.extract(2, 2, vx), terms.word(BitVec::one(1)));
        let top = terms.equal(top, one);
        let same = terms.equal(top, vp);
        let expected = [terms.not(same), terms.equal(vx, vy)];
        assert_eq!(found, expected);
    }

    #[test]
    fn known_bits_complete_equal_words() {
        let (mut terms, [x, y, _]) = variables();
        let mut clauses = vec![vec![literal(x, 0, false)], vec![literal(y, 0, false)]];
        for bit in 1..3 {
            clauses.push(vec![literal(x, bit, true), literal(y, bit, false)]);
            clauses.push(vec![literal(y, bit, true), literal(x, bit, false)]);
        }
        let found = to_terms(&mut terms, clauses);
        let [vx, vy] = [x, y].map(|v| terms.variable(v));
        let (low, zero) = (terms.extract(0, 0, vx), terms.word(BitVec::zero(1)));
        assert_eq!(found, [terms.equal(low, zero), terms.equal(vx, vy)]);
    }

    #[test]
    fn clauses_say_that_words_differ() {
        let (mut terms, [x, _, p]) = variables();
        let bits = (0..3).map(|bit| literal(x, bit, bit == 1));
        let found = to_terms(&mut terms, vec![bits.chain([literal(p, 0, true)]).collect()]);
        let [vx, vp] = [x, p].map(|v| terms.variable(v));
        let five = terms.word(BitVec::new(3, 5));
        let equal = terms.equal(vx, five);
        let differs = terms.not(equal);
        assert_eq!(found, [terms.or([differs, vp])]);
    }

    #[test]
    fn contradictions_are_false_and_tautologies_are_dropped() {
        let (mut terms, [x, y, p]) = variables();
        let contradiction = vec![vec![literal(p, 0, true)], vec![literal(p, 0, false)]];
        let found = to_terms(&mut terms, contradiction);
        assert_eq!(found, [terms.bool(false)]);
        let found = to_terms(&mut terms, vec![vec![literal(x, 0, true)], Vec::new()]);
        assert_eq!(found, [terms.bool(false)]);
        let tautology = vec![literal(y, 1, true), literal(x, 0, true), literal(y, 1, false)];
        assert_eq!(to_terms(&mut terms, vec![tautology]), []);
    }
}
