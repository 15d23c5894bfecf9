//! Clauses over bits that together say something about words.
//!
//! Proofs on bits have a clause, or two, for each bit of a word. Two clauses that differ only in
//! the signs of two bits say that these bits are equal under the conditions that both clauses
//! share: `!c or a[3] = 0 or b[3] = 1` and `!c or a[3] = 1 or b[3] = 0` are `c -> a[3] = b[3]`.
//! Neighbouring bits then make one line, `c -> a[7:0] = b[7:0]`. In the same way, clauses that
//! differ in one bit give several bits a value: `c -> a[7:0] = 5`.

use std::collections::{BTreeMap, BTreeSet};

use elinvar_ir::{BitVec, Fact, Word};

/// Clauses with more literals are left alone.
const LITERALS: usize = 6;

/// One of the facts is true, or the conclusion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Gathered {
    pub rest: Vec<Fact>,
    pub conclusion: Conclusion,
}

/// What is said about the bits of words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Conclusion {
    /// The bits from `lowest` on have this value.
    Value { word: Word, lowest: u32, value: BitVec },
    /// So many bits, from these on, are equal, or the complement of each other.
    Same { left: (Word, u32), right: (Word, u32), width: u32, equal: bool },
}

/// Finds what clauses say together. Returns the clauses that are left, too.
pub(super) fn gather(clauses: Vec<Vec<Fact>>) -> (Vec<Gathered>, Vec<Vec<Fact>>) {
    let sorted = |clause: Vec<Fact>| {
        let mut key = clause.clone();
        key.sort_unstable();
        key.dedup();
        (key, clause)
    };
    let mut left: Clauses = clauses.into_iter().map(sorted).collect();
    let mut gathered = equalities(&mut left);
    gathered.extend(values(&mut left));
    (gathered, left.into_values().collect())
}

/// Clauses by their literals in order, with the order in which to show them.
type Clauses = BTreeMap<Vec<Fact>, Vec<Fact>>;

/// A bit of a word, with a value.
type Bit<'a> = (&'a Word, u32, bool);

fn bit(fact: &Fact) -> Option<Bit<'_>> {
    match fact {
        Fact::Bit { word, bit, value } => Some((word, *bit, *value)),
        Fact::AtMost { .. } | Fact::Modular { .. } => None,
    }
}

/// Bits of two words that are compared under the same conditions: the facts that are the
/// alternative, the words, the distance of the bits, and whether they are equal.
type Comparison = (Vec<Fact>, Word, Word, i64, bool);

fn equalities(left: &mut Clauses) -> Vec<Gathered> {
    let mut found: BTreeMap<Comparison, BTreeSet<u32>> = BTreeMap::new();
    for clause in left.clone().into_keys() {
        if !left.contains_key(&clause) || !(2..=LITERALS).contains(&clause.len()) {
            continue;
        }
        let Some((comparison, at, partner)) = comparison(&clause, left) else { continue };
        left.remove(&clause);
        left.remove(&partner);
        found.entry(comparison).or_default().insert(at);
    }
    let same = |((rest, a, b, distance, equal), bits): (Comparison, BTreeSet<u32>)| {
        let runs = runs(bits.into_iter());
        let gathered = move |run: Vec<u32>| {
            let (low, width) = (run[0], run.len() as u32);
            let right = (b.clone(), (i64::from(low) + distance) as u32);
            let conclusion = Conclusion::Same { left: (a.clone(), low), right, width, equal };
            Gathered { rest: rest.clone(), conclusion }
        };
        runs.into_iter().map(gathered).collect::<Vec<_>>()
    };
    found.into_iter().flat_map(same).collect()
}

/// Two bits of the clause whose signs are the other way round in another clause, with the
/// number of the first bit and that clause.
fn comparison(clause: &[Fact], clauses: &Clauses) -> Option<(Comparison, u32, Vec<Fact>)> {
    for first in 0..clause.len() {
        for second in first + 1..clause.len() {
            let (Some((a, low, x)), Some((b, high, y))) =
                (bit(&clause[first]), bit(&clause[second]))
            else {
                continue;
            };
            let mut partner = clause.to_vec();
            partner[first] = clause[first].negated();
            partner[second] = clause[second].negated();
            partner.sort_unstable();
            if a != b && clauses.contains_key(&partner) {
                let others = (0..clause.len()).filter(|&at| at != first && at != second);
                let rest = others.map(|at| clause[at].clone()).collect();
                let distance = i64::from(high) - i64::from(low);
                return Some(((rest, a.clone(), b.clone(), distance, x != y), low, partner));
            }
        }
    }
    None
}

fn values(left: &mut Clauses) -> Vec<Gathered> {
    let mut groups: BTreeMap<(Vec<Fact>, Word), BTreeMap<u32, bool>> = BTreeMap::new();
    for clause in left.keys().filter(|clause| (2..=LITERALS).contains(&clause.len())) {
        for at in 0..clause.len() {
            if let Some((word, number, value)) = bit(&clause[at]) {
                let mut rest = clause.clone();
                rest.remove(at);
                groups.entry((rest, word.clone())).or_default().insert(number, value);
            }
        }
    }
    let mut groups: Vec<_> = groups.into_iter().filter(|(_, bits)| bits.len() > 1).collect();
    groups.sort_by_key(|(_, bits)| std::cmp::Reverse(bits.len()));
    let mut gathered = Vec::new();
    for ((rest, word), bits) in groups {
        let clause = |number: u32| {
            let fact = Fact::Bit { word: word.clone(), bit: number, value: bits[&number] };
            let mut clause = rest.clone();
            clause.push(fact);
            clause.sort_unstable();
            clause
        };
        let open = bits.keys().copied().filter(|&number| left.contains_key(&clause(number)));
        let open: Vec<u32> = open.collect();
        for run in runs(open.into_iter()).into_iter().filter(|run| run.len() > 1) {
            run.iter().for_each(|&number| {
                left.remove(&clause(number));
            });
            let value = BitVec::from_bits(run.iter().map(|number| bits[number]));
            let conclusion = Conclusion::Value { word: word.clone(), lowest: run[0], value };
            gathered.push(Gathered { rest: rest.clone(), conclusion });
        }
    }
    gathered
}

/// Neighbouring numbers together; the numbers ascend.
fn runs(numbers: impl Iterator<Item = u32>) -> Vec<Vec<u32>> {
    let mut runs: Vec<Vec<u32>> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some(run) if run.last() == Some(&(number - 1)) => run.push(number),
            Some(_) | None => runs.push(vec![number]),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{Rng, Sort, SystemBuilder};

    use super::*;

    const WIDTH: u32 = 3;

    fn words() -> Vec<Word> {
        let mut b = SystemBuilder::new();
        let names = ["a", "b", "c"];
        let word =
            |name| Word { state: b.state(Sort::Bv(WIDTH), Some(name)).unwrap(), element: None };
        names.map(word).into()
    }

    /// Is a fact about bits true if the words have these values?
    fn holds(fact: &Fact, words: &[Word], values: &[u64]) -> bool {
        let Some((word, number, value)) = bit(fact) else { panic!("a fact about bits") };
        let at = words.iter().position(|other| other == word).unwrap();
        (values[at] >> number & 1 == 1) == value
    }

    fn concludes(gathered: &Gathered, words: &[Word], values: &[u64]) -> bool {
        let of = |word: &Word| values[words.iter().position(|other| other == word).unwrap()];
        let part = |word: &Word, low: u32, width: u32| of(word) >> low & ((1 << width) - 1);
        let concluded = match &gathered.conclusion {
            Conclusion::Value { word, lowest, value } => {
                BitVec::new(value.width(), part(word, *lowest, value.width())) == *value
            }
            Conclusion::Same { left, right, width, equal } => {
                let flip = if *equal { 0 } else { (1 << width) - 1 };
                part(&left.0, left.1, *width) == part(&right.0, right.1, *width) ^ flip
            }
        };
        concluded || gathered.rest.iter().any(|fact| holds(fact, words, values))
    }

    /// What is gathered and what is left say the same as the clauses.
    #[test]
    fn nothing_is_lost_or_added() {
        let words = words();
        let (mut equal, mut values_found) = (0, 0);
        for seed in 0..400 {
            let mut rng = Rng::new(seed);
            let literal = |rng: &mut Rng| Fact::Bit {
                word: words[rng.below(words.len())].clone(),
                bit: rng.below(WIDTH as usize) as u32,
                value: rng.below(2) == 1,
            };
            let clauses: Vec<Vec<Fact>> = (0..30)
                .map(|_| (0..2 + rng.below(2)).map(|_| literal(&mut rng)).collect())
                .collect();
            let (gathered, left) = gather(clauses.clone());
            for found in &gathered {
                match found.conclusion {
                    Conclusion::Value { .. } => values_found += 1,
                    Conclusion::Same { .. } => equal += 1,
                }
            }
            for number in 0..1u64 << (3 * WIDTH) {
                let values = [number & 7, number >> 3 & 7, number >> 6 & 7];
                let true_of = |clause: &Vec<Fact>| clause.iter().any(|f| holds(f, &words, &values));
                let before = clauses.iter().all(true_of);
                let after = left.iter().all(true_of)
                    && gathered.iter().all(|found| concludes(found, &words, &values));
                assert_eq!(before, after, "seed {seed}, {values:?}");
            }
        }
        assert!(equal > 50 && values_found > 50, "{equal} {values_found}");
    }
}
