//! Invariants over words as people write them: one clause a line, the simplest first.
//!
//! - Inequalities begin with a positive coefficient, and what is subtracted changes sides
//!   where no number is left: `x1 + x2 <= 3`, `2*x1 - y >= 4`, `i <= n`, `i < n`.
//! - Bounds of the same sum on both sides are one line, `2 <= x <= 5` or `x = 3`, and so are
//!   neighbouring bits: `x[0] = 0`, `x[7:4] = 2`, `pc = 3`; bits alone are `flag`, `!flag`.
//! - A clause of several facts is an implication if some of them are simpler than others:
//!   conditions on bits or on single words come before the arrow, `pc = 3 -> i <= n`.
//!   Otherwise its facts are joined by `or`.
//! - Clauses over bits that say together that parts of two words are equal, or have a value,
//!   are one line: `valid -> address[31:2] = last[31:2]`.
//! - Numbers are signed. Where it matters, lines whose words are all unsigned end with
//!   `(unsigned)`, and in a mixture `u(x)` says which ones are. Registers of one bit are 0 or 1.

mod gather;

use std::collections::BTreeMap;

use dashu_int::IBig;
use dashu_int::ops::{BitTest, RemEuclid};
use elinvar_ir::{
    BitVec, Certificate, Fact, LinearTerm, Reading, Role, Sort, StateBit, TransitionSystem, Word,
};

use self::gather::{Conclusion, Gathered, gather};

/// The invariant of a proof, if it consists of clauses over bits or facts.
pub fn of_proof(system: &TransitionSystem, proof: &Certificate) -> Vec<String> {
    let fact = |bit: &StateBit| Fact::Bit {
        word: Word { state: bit.state, element: None },
        bit: bit.bit,
        value: bit.positive,
    };
    match proof {
        Certificate::Inductive { clauses } => {
            let clauses = clauses.iter().map(|clause| clause.iter().map(fact).collect());
            lines(system, &clauses.collect::<Vec<Vec<Fact>>>())
        }
        Certificate::Facts { clauses } => lines(system, clauses),
        Certificate::KInductive { .. } | Certificate::Formula(_) | Certificate::Ranking(_) => {
            Vec::new()
        }
    }
}

/// The clauses of an invariant of the system, a line each, the smallest first.
pub fn lines<'a>(
    system: &'a TransitionSystem,
    clauses: impl IntoIterator<Item = &'a Vec<Fact>>,
) -> Vec<String> {
    let writer = Writer { system };
    let (units, others): (Vec<&Vec<Fact>>, Vec<&Vec<Fact>>) =
        clauses.into_iter().partition(|clause| clause.len() == 1);
    let units: Vec<Atom> = units.into_iter().flatten().map(|fact| writer.atom(fact)).collect();
    let (gathered, others) = gather(others.into_iter().cloned().collect());
    let mut lines: Vec<(Size, String)> = Vec::new();
    for facts in others {
        lines.push((size(&facts), writer.line(&writer.clause(&facts))));
    }
    for found in &gathered {
        let (facts, terms, digits) = size(&found.rest);
        lines.push(((facts + 1, terms + 1, digits), writer.line(&writer.gathered(found))));
    }
    for atom in conjunction(units) {
        let size = (1, atom.terms().len().max(1), atom.digits());
        let line = Line { conditions: Vec::new(), conclusions: vec![atom] };
        lines.push((size, writer.line(&line)));
    }
    // Of lines that are alike the shorter come first: 9 before 10.
    lines.sort_by(|(a, left), (b, right)| (a, left.len(), left).cmp(&(b, right.len(), right)));
    lines.dedup();
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Facts, terms, binary digits of all numbers: what makes a clause hard to read.
type Size = (usize, usize, usize);

fn size(facts: &[Fact]) -> Size {
    let terms = facts.iter().map(|fact| fact.terms().len().max(1)).sum();
    let digits = |fact: &Fact| {
        let number = match fact {
            Fact::Bit { .. } => 0,
            Fact::AtMost { bound, .. } => bound.bit_len(),
            Fact::Modular { value, .. } => value.bit_len(),
        };
        number + coefficient_digits(fact.terms())
    };
    (facts.len(), terms, facts.iter().map(digits).sum())
}

fn coefficient_digits(terms: &[LinearTerm]) -> usize {
    terms.iter().map(|term| term.coefficient.bit_len()).sum()
}

// ---- what is said --------------------------------------------------------------------

/// All of the conditions imply one of the conclusions.
struct Line {
    conditions: Vec<Atom>,
    conclusions: Vec<Atom>,
}

/// A fact in its normal form, or several of them.
enum Atom {
    /// The bits from `lowest` on have this value, or have not.
    Bits { word: Word, lowest: u32, value: BitVec, equal: bool },
    /// So many bits of two words, from these on, are equal or the complement of each other.
    Same { left: (Word, u32), right: (Word, u32), width: u32, equal: bool },
    /// The first coefficient is positive.
    Linear { terms: Vec<LinearTerm>, range: Range },
    /// Modulo 2^width; the first coefficient is positive.
    Congruent { terms: Vec<LinearTerm>, width: u32, value: IBig, equal: bool },
}

enum Range {
    AtMost(IBig),
    AtLeast(IBig),
    /// From the first to the second.
    Between(IBig, IBig),
}

impl Atom {
    fn terms(&self) -> &[LinearTerm] {
        match self {
            Atom::Bits { .. } | Atom::Same { .. } => &[],
            Atom::Linear { terms, .. } | Atom::Congruent { terms, .. } => terms,
        }
    }

    /// Binary digits of all its numbers.
    fn digits(&self) -> usize {
        let number = match self {
            Atom::Bits { .. } | Atom::Same { .. } => 0,
            Atom::Linear { range: Range::AtMost(bound) | Range::AtLeast(bound), .. } => {
                bound.bit_len()
            }
            Atom::Linear { range: Range::Between(low, high), .. } => low.bit_len() + high.bit_len(),
            Atom::Congruent { value, .. } => value.bit_len(),
        };
        number + coefficient_digits(self.terms())
    }
}

/// The same conjunction with as few atoms as possible: bounds of one sum become a range,
/// neighbouring bits a number.
fn conjunction(atoms: Vec<Atom>) -> Vec<Atom> {
    let mut ranges: BTreeMap<Vec<LinearTerm>, Range> = BTreeMap::new();
    let mut bits = Vec::new();
    let mut others = Vec::new();
    for atom in atoms {
        match atom {
            Atom::Bits { word, lowest, value, equal: true } => bits.push((word, lowest, value)),
            Atom::Linear { terms, range } => {
                let both = match ranges.remove(&terms) {
                    Some(other) => range.and(other),
                    None => range,
                };
                ranges.insert(terms, both);
            }
            Atom::Bits { equal: false, .. } | Atom::Same { .. } | Atom::Congruent { .. } => {
                others.push(atom);
            }
        }
    }
    let mut atoms = runs(bits);
    atoms.extend(ranges.into_iter().map(|(terms, range)| Atom::Linear { terms, range }));
    atoms.extend(others);
    atoms
}

/// Joins bits that are neighbours.
fn runs(mut bits: Vec<(Word, u32, BitVec)>) -> Vec<Atom> {
    bits.sort();
    bits.dedup();
    let mut runs: Vec<(Word, u32, BitVec)> = Vec::new();
    for (word, bit, value) in bits {
        match runs.last_mut() {
            Some((same, lowest, low)) if *same == word && *lowest + low.width() == bit => {
                *low = value.concat(low);
            }
            Some(_) | None => runs.push((word, bit, value)),
        }
    }
    let atom = |(word, lowest, value)| Atom::Bits { word, lowest, value, equal: true };
    runs.into_iter().map(atom).collect()
}

impl Range {
    fn and(self, other: Range) -> Range {
        let (mut low, mut high) = (None, None);
        for range in [self, other] {
            let (from, to) = match range {
                Range::AtMost(to) => (None, Some(to)),
                Range::AtLeast(from) => (Some(from), None),
                Range::Between(from, to) => (Some(from), Some(to)),
            };
            // Nothing is less than any number, so the greater lower bound wins …
            low = low.max(from);
            // … which is not so for upper bounds.
            high = match (high, to) {
                (Some(a), Some(b)) => Some(std::cmp::min::<IBig>(a, b)),
                (a, b) => a.or(b),
            };
        }
        match (low, high) {
            (Some(low), Some(high)) => Range::Between(low, high),
            (Some(low), None) => Range::AtLeast(low),
            (None, Some(high)) => Range::AtMost(high),
            (None, None) => unreachable!("a range has a bound"),
        }
    }
}

// ---- from facts to atoms, from atoms to text -----------------------------------------

struct Writer<'a> {
    system: &'a TransitionSystem,
}

const CHECKED: &str = "a fact about states that was checked";

impl Writer<'_> {
    /// The facts that are simpler than the others become conditions.
    fn clause(&self, facts: &[Fact]) -> Line {
        let most = facts.iter().map(rank).max();
        let (last, simple): (Vec<&Fact>, Vec<&Fact>) =
            facts.iter().partition(|fact| Some(rank(fact)) == most);
        let negated = |facts: Vec<&Fact>| {
            conjunction(facts.iter().map(|fact| self.atom(&fact.negated())).collect())
        };
        if most == Some(Rank::Bit) {
            return clause_of_bits(negated(last));
        }
        let conclusions = last.into_iter().map(|fact| self.atom(fact)).collect();
        Line { conditions: negated(simple), conclusions }
    }

    /// The alternatives to what is said about words become its conditions.
    fn gathered(&self, found: &Gathered) -> Line {
        let negated = found.rest.iter().map(|fact| self.atom(&fact.negated())).collect();
        let conclusion = match found.conclusion.clone() {
            Conclusion::Value { word, lowest, value } => {
                Atom::Bits { word, lowest, value, equal: true }
            }
            Conclusion::Same { left, right, width, equal } => {
                Atom::Same { left, right, width, equal }
            }
        };
        Line { conditions: conjunction(negated), conclusions: vec![conclusion] }
    }

    fn atom(&self, fact: &Fact) -> Atom {
        match fact {
            Fact::Bit { word, bit, value } => Atom::Bits {
                word: word.clone(),
                lowest: *bit,
                value: BitVec::bool(*value),
                equal: true,
            },
            Fact::AtMost { terms, bound } => {
                let (terms, flipped) = from_positive(self.collect(terms));
                let range =
                    if flipped { Range::AtLeast(-bound) } else { Range::AtMost(bound.clone()) };
                Atom::Linear { terms, range }
            }
            Fact::Modular { terms, width, value, equal } => {
                let as_words = terms
                    .iter()
                    .map(|term| LinearTerm { reading: Reading::Unsigned, ..term.clone() });
                let mut terms = self.collect(&as_words.collect::<Vec<_>>());
                for term in &mut terms {
                    term.coefficient = nearest_to_zero(&term.coefficient, *width);
                }
                terms.retain(|term| term.coefficient != IBig::ZERO);
                let (terms, flipped) = from_positive(terms);
                let value = if flipped { -value } else { value.clone() };
                let value = nearest_to_zero(&value, *width);
                Atom::Congruent { terms, width: *width, value, equal: *equal }
            }
        }
    }

    /// The sum with one term for each word and reading.
    fn collect(&self, terms: &[LinearTerm]) -> Vec<LinearTerm> {
        let mut sum: BTreeMap<(&Word, Reading), IBig> = BTreeMap::new();
        for LinearTerm { coefficient, word, reading } in terms {
            // A bit that is read as 0 or -1 is one that is read as 0 or 1, subtracted.
            let is_bit = self.width(word) == 1;
            let subtract = is_bit && *reading == Reading::Signed;
            let reading = if is_bit { Reading::Unsigned } else { *reading };
            let entry = sum.entry((word, reading)).or_default();
            *entry += if subtract { -coefficient } else { coefficient.clone() };
        }
        let terms = sum.into_iter().filter(|(_, coefficient)| *coefficient != IBig::ZERO);
        let term = |((word, reading), coefficient): ((&Word, Reading), IBig)| LinearTerm {
            coefficient,
            word: word.clone(),
            reading,
        };
        terms.map(term).collect()
    }

    fn line(&self, line: &Line) -> String {
        let atoms = || line.conditions.iter().chain(&line.conclusions);
        let reads = |reading| {
            let terms = atoms().filter(|atom| self.reading_matters(atom)).flat_map(Atom::terms);
            terms.into_iter().any(|t| t.reading == reading && self.width(&t.word) > 1)
        };
        let mixed = reads(Reading::Unsigned) && reads(Reading::Signed);
        let join = |atoms: &[Atom], by: &str| {
            let texts: Vec<String> = atoms.iter().map(|atom| self.text(atom, mixed)).collect();
            texts.join(by)
        };
        let mut text = join(&line.conclusions, " or ");
        if text.is_empty() {
            text.push_str("false");
        }
        if !line.conditions.is_empty() {
            text = format!("{} -> {text}", join(&line.conditions, " and "));
        }
        if reads(Reading::Unsigned) && !mixed {
            text.push_str(" (unsigned)");
        }
        text
    }

    /// Would it say something else if its words were read in another way?
    fn reading_matters(&self, atom: &Atom) -> bool {
        let Atom::Linear { terms, range } = atom else { return false };
        let Range::Between(low, high) = range else { return true };
        match &terms[..] {
            // Numbers that are the same in both readings.
            [x] if x.coefficient == IBig::ONE => {
                let largest = Reading::Signed.range(self.width(&x.word)).into_inner().1;
                *low < IBig::ZERO || *high > largest
            }
            // The same word twice.
            [x, y] if x.coefficient == IBig::ONE && y.coefficient == IBig::NEG_ONE => {
                let alike = x.reading == y.reading && self.width(&x.word) == self.width(&y.word);
                !(alike && *low == IBig::ZERO && *high == IBig::ZERO)
            }
            _ => true,
        }
    }

    fn text(&self, atom: &Atom, mixed: bool) -> String {
        let mixed = mixed && self.reading_matters(atom);
        match atom {
            Atom::Bits { word, lowest, value, equal } => self.bits(word, *lowest, value, *equal),
            Atom::Same { left, right, width, equal } => {
                let [left, right] =
                    [left, right].map(|(word, lowest)| self.part(word, *lowest, *width));
                match (*equal, *width) {
                    (true, _) => format!("{left} = {right}"),
                    (false, 1) => format!("{left} != {right}"),
                    (false, _) => format!("{left} = ~{right}"),
                }
            }
            Atom::Linear { terms, range } => match range {
                Range::AtMost(bound) => self.relation(terms, "<=", bound, mixed),
                Range::AtLeast(bound) => self.relation(terms, ">=", bound, mixed),
                Range::Between(low, high) if low == high => self.relation(terms, "=", low, mixed),
                Range::Between(low, high) => {
                    format!("{low} <= {} <= {high}", self.sum(terms.iter(), mixed))
                }
            },
            Atom::Congruent { terms, width, value, equal } => {
                let sign = if *equal { "=" } else { "!=" };
                let equation = self.relation(terms, sign, value, false);
                if is_plain(terms, value) {
                    equation
                } else {
                    format!("{equation} (mod 2^{width})")
                }
            }
        }
    }

    fn bits(&self, word: &Word, lowest: u32, value: &BitVec, equal: bool) -> String {
        let (name, width) = (self.name(word), self.width(word));
        if width == 1 {
            return if value.is_one() == equal { name } else { format!("!{name}") };
        }
        let sign = if equal { "=" } else { "!=" };
        format!("{} {sign} {}", self.part(word, lowest, value.width()), value.to_decimal())
    }

    /// So many bits of a word: `x`, `x[3]`, `x[7:4]`.
    fn part(&self, word: &Word, lowest: u32, bits: u32) -> String {
        let name = self.name(word);
        match lowest + bits - 1 {
            _ if bits == self.width(word) => name,
            highest if highest == lowest => format!("{name}[{lowest}]"),
            highest => format!("{name}[{highest}:{lowest}]"),
        }
    }

    /// `sum sign bound`, or what is added compared with what is subtracted.
    fn relation(&self, terms: &[LinearTerm], sign: &str, bound: &IBig, mixed: bool) -> String {
        let subtracted: Vec<LinearTerm> = terms.iter().filter_map(subtracted).collect();
        let strict = match sign {
            "<=" if *bound == IBig::NEG_ONE => Some("<"),
            ">=" if *bound == IBig::ONE => Some(">"),
            sign if *bound == IBig::ZERO => Some(sign),
            _ => None,
        };
        match strict {
            Some(sign) if !subtracted.is_empty() => {
                let added = terms.iter().filter(|term| term.coefficient > IBig::ZERO);
                let (left, right) = (self.sum(added, mixed), self.sum(subtracted.iter(), mixed));
                format!("{left} {sign} {right}")
            }
            Some(_) | None => format!("{} {sign} {bound}", self.sum(terms.iter(), mixed)),
        }
    }

    fn sum<'t>(&self, terms: impl Iterator<Item = &'t LinearTerm>, mixed: bool) -> String {
        let mut text = String::new();
        for term in terms {
            let (negative, name) = (term.coefficient < IBig::ZERO, self.name(&term.word));
            text.push_str(match (text.is_empty(), negative) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            });
            let factor = if negative { -&term.coefficient } else { term.coefficient.clone() };
            if factor != IBig::ONE {
                text.push_str(&format!("{factor}*"));
            }
            let marked = mixed && term.reading == Reading::Unsigned && self.width(&term.word) > 1;
            text.push_str(&if marked { format!("u({name})") } else { name });
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }

    fn name(&self, word: &Word) -> String {
        let Some(Role::State(index)) = self.system.role_of(word.state) else { panic!("{CHECKED}") };
        let name = self.system.state_name(index);
        match &word.element {
            None => name,
            Some(address) => format!("{name}[{}]", address.to_decimal()),
        }
    }

    fn width(&self, word: &Word) -> u32 {
        match self.system.pool().sort(word.state) {
            Sort::Bv(width) => width,
            Sort::Array { element, .. } => element,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Bit,
    /// A condition on one word.
    Single,
    /// A relation between words.
    Relational,
}

fn rank(fact: &Fact) -> Rank {
    match fact {
        Fact::Bit { .. } => Rank::Bit,
        Fact::AtMost { terms, .. } | Fact::Modular { terms, .. } if terms.len() < 2 => Rank::Single,
        Fact::AtMost { .. } | Fact::Modular { .. } => Rank::Relational,
    }
}

/// That not all of them hold. Numbers become conditions of single bits: `pc = 3 -> flag`.
fn clause_of_bits(atoms: Vec<Atom>) -> Line {
    let is_number = |atom: &Atom| matches!(atom, Atom::Bits { value, .. } if value.width() > 1);
    let (mut conditions, mut rest): (Vec<Atom>, Vec<Atom>) = atoms.into_iter().partition(is_number);
    if rest.is_empty() {
        std::mem::swap(&mut conditions, &mut rest);
    }
    Line { conditions, conclusions: rest.into_iter().map(unequal).collect() }
}

/// The negation of bits; a single one is the opposite one.
fn unequal(atom: Atom) -> Atom {
    match atom {
        Atom::Bits { word, lowest, value, equal } if value.width() == 1 => {
            Atom::Bits { word, lowest, value: value.not(), equal }
        }
        Atom::Bits { word, lowest, value, equal } => {
            Atom::Bits { word, lowest, value, equal: !equal }
        }
        Atom::Same { .. } | Atom::Linear { .. } | Atom::Congruent { .. } => {
            unreachable!("made of bits")
        }
    }
}

/// The terms with all signs changed if the first is negative, and whether they were.
fn from_positive(mut terms: Vec<LinearTerm>) -> (Vec<LinearTerm>, bool) {
    let flipped = terms.first().is_some_and(|term| term.coefficient < IBig::ZERO);
    if flipped {
        for term in &mut terms {
            term.coefficient = -&term.coefficient;
        }
    }
    (terms, flipped)
}

/// What a negative term subtracts.
fn subtracted(term: &LinearTerm) -> Option<LinearTerm> {
    let coefficient = -&term.coefficient;
    (coefficient > IBig::ZERO).then(|| LinearTerm { coefficient, ..term.clone() })
}

/// The signed number that is the same modulo 2^width; for a single bit 0 or 1.
fn nearest_to_zero(value: &IBig, width: u32) -> IBig {
    let modulus = IBig::ONE << width as usize;
    let residue = IBig::from(value.rem_euclid(&modulus));
    let is_large = width > 1 && residue >= IBig::ONE << (width - 1) as usize;
    if is_large { residue - modulus } else { residue }
}

/// Does the equation say that a word is a number, or another word? Then it needs no modulus.
fn is_plain(terms: &[LinearTerm], value: &IBig) -> bool {
    match terms {
        [x] => x.coefficient == IBig::ONE,
        [x, y] => {
            let one = x.coefficient == IBig::ONE;
            one && y.coefficient == IBig::NEG_ONE && *value == IBig::ZERO
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Reading::{Signed, Unsigned};
    use elinvar_ir::SystemBuilder;

    const X: usize = 0;
    const Y: usize = 1;
    const PC: usize = 2;
    const FLAG: usize = 3;
    const MEMORY: usize = 4;
    const BUSY: usize = 5;

    fn system() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let sorts = [Sort::Bv(32), Sort::Bv(32), Sort::Bv(2), Sort::BOOL];
        for (name, sort) in ["x", "y", "pc", "flag"].into_iter().zip(sorts) {
            b.state(sort, Some(name)).unwrap();
        }
        b.state(Sort::Array { index: 4, element: 8 }, Some("memory")).unwrap();
        b.state(Sort::BOOL, Some("busy")).unwrap();
        b.finish().unwrap()
    }

    fn word(state: usize) -> Word {
        let element = (state == MEMORY).then(|| BitVec::new(4, 3));
        Word { state: system().states()[state].symbol, element }
    }

    fn sum(reading: Reading, terms: &[(i64, usize)]) -> Vec<LinearTerm> {
        let term = |&(coefficient, state): &(i64, usize)| LinearTerm {
            coefficient: coefficient.into(),
            word: word(state),
            reading,
        };
        terms.iter().map(term).collect()
    }

    fn at_most(reading: Reading, terms: &[(i64, usize)], bound: i64) -> Fact {
        Fact::AtMost { terms: sum(reading, terms), bound: bound.into() }
    }

    fn signed(terms: &[(i64, usize)], bound: i64) -> Fact {
        at_most(Signed, terms, bound)
    }

    fn modular(terms: &[(i64, usize)], width: u32, value: i64, equal: bool) -> Fact {
        Fact::Modular { terms: sum(Unsigned, terms), width, value: value.into(), equal }
    }

    fn bit(state: usize, bit: u32, value: bool) -> Fact {
        Fact::Bit { word: word(state), bit, value }
    }

    fn check(clauses: &[&[Fact]], expected: &[&str]) {
        let clauses: Vec<Vec<Fact>> = clauses.iter().map(|clause| clause.to_vec()).collect();
        assert_eq!(lines(&system(), &clauses), expected);
    }

    #[test]
    fn inequalities_begin_with_what_is_added() {
        check(&[&[signed(&[(1, X), (1, Y)], 3)]], &["x + y <= 3"]);
        check(&[&[signed(&[(-2, X), (1, Y)], -4)]], &["2*x - y >= 4"]);
        check(&[&[signed(&[(1, Y), (-3, X)], 7)]], &["3*x - y >= -7"]);
        check(&[&[signed(&[(1, MEMORY)], 7)]], &["memory[3] <= 7"]);
        check(&[&[signed(&[(1, X), (1, Y), (-1, Y), (1, X)], 7)]], &["2*x <= 7"]);
        check(&[&[signed(&[(1, Y), (-1, Y)], 7)]], &["0 <= 7"]);
    }

    #[test]
    fn words_are_compared_without_numbers() {
        check(&[&[signed(&[(1, X), (-1, Y)], 0)]], &["x <= y"]);
        check(&[&[signed(&[(1, X), (-1, Y)], -1)]], &["x < y"]);
        check(&[&[signed(&[(-1, X), (2, Y)], 0)]], &["x >= 2*y"]);
        check(&[&[signed(&[(-1, X), (1, Y)], -1)]], &["x > y"]);
        check(&[&[signed(&[(1, X), (-1, Y)], 1)]], &["x - y <= 1"]);
    }

    #[test]
    fn bounds_on_both_sides_are_one_line() {
        let upper = [signed(&[(1, X), (1, Y)], 9)];
        check(&[&upper, &[signed(&[(-1, X), (-1, Y)], -9)]], &["x + y = 9"]);
        check(&[&[signed(&[(-1, Y), (-1, X)], 2)], &upper], &["-2 <= x + y <= 9"]);
        let equal = [signed(&[(1, X), (-1, Y)], 0), signed(&[(-1, X), (1, Y)], 0)];
        check(&[&equal[..1], &equal[1..]], &["x = y"]);
    }

    #[test]
    fn bits_are_named_one_by_one_or_as_numbers() {
        check(&[&[bit(X, 0, false)]], &["x[0] = 0"]);
        check(&[&[bit(FLAG, 0, true)], &[bit(BUSY, 0, false)]], &["flag", "!busy"]);
        check(&[&[bit(PC, 0, true)], &[bit(PC, 1, true)]], &["pc = 3"]);
        check(&[&[bit(X, 6, true)], &[bit(X, 5, false)], &[bit(X, 4, true)]], &["x[6:4] = 5"]);
        check(&[&[bit(MEMORY, 7, true)]], &["memory[3][7] = 1"]);
    }

    #[test]
    fn clauses_over_bits_say_something_about_words() {
        let differ =
            |n: u32, value| vec![bit(FLAG, 0, false), bit(X, n, value), bit(Y, n + 1, !value)];
        let clauses: Vec<Vec<Fact>> =
            (2..5).flat_map(|n| [differ(n, true), differ(n, false)]).collect();
        let clauses: Vec<&[Fact]> = clauses.iter().map(|clause| &clause[..]).collect();
        check(&clauses, &["flag -> x[4:2] = y[5:3]"]);
        let opposite = [[false, false], [true, true]];
        let clauses = opposite.map(|[a, b]| [bit(FLAG, 0, a), bit(BUSY, 0, b)]);
        check(&[&clauses[0], &clauses[1]], &["flag != busy"]);
        let value = |n, value| [bit(PC, 0, true), bit(X, n, value)];
        check(&[&value(3, true), &value(4, false)], &["pc[0] = 0 -> x[4:3] = 1"]);
    }

    #[test]
    fn simple_facts_are_conditions_of_the_others() {
        let relation = signed(&[(1, X), (-1, Y)], 0);
        check(&[&[bit(PC, 1, false), relation.clone()]], &["pc[1] = 1 -> x <= y"]);
        let patterns = [bit(PC, 1, false), bit(PC, 0, true), relation.clone()];
        check(&[&patterns], &["pc = 2 -> x <= y"]);
        check(&[&[bit(FLAG, 0, true), relation.clone()]], &["!flag -> x <= y"]);
        let range = [signed(&[(1, X)], 3), signed(&[(-1, X)], -9), relation.clone()];
        check(&[&range], &["4 <= x <= 8 -> x <= y"]);
        check(&[&[bit(FLAG, 0, true), signed(&[(1, X)], 3)]], &["!flag -> x <= 3"]);
        let both = [bit(FLAG, 0, false), signed(&[(1, X)], 3), relation];
        check(&[&both], &["flag and x >= 4 -> x <= y"]);
    }

    #[test]
    fn facts_of_one_kind_are_alternatives() {
        check(&[&[signed(&[(1, X)], 3), signed(&[(-1, X)], -9)]], &["x <= 3 or x >= 9"]);
        check(&[&[bit(FLAG, 0, true), bit(BUSY, 0, false)]], &["flag or !busy"]);
        check(&[&[bit(PC, 0, true), bit(PC, 1, false)]], &["pc != 2"]);
        check(&[&[bit(PC, 0, true), bit(X, 9, false)]], &["x[9] = 0 or pc[0] = 1"]);
        let pattern = [bit(PC, 0, false), bit(PC, 1, false), bit(FLAG, 0, true)];
        check(&[&pattern], &["pc = 3 -> flag"]);
        let patterns = [&pattern[..2], &[bit(X, 0, false), bit(X, 1, true)]].concat();
        check(&[&patterns], &["x[1:0] != 1 or pc != 3"]);
        check(&[&[]], &["false"]);
    }

    #[test]
    fn unsigned_words_are_marked_where_it_matters() {
        let unsigned = |terms: &[_], bound| at_most(Unsigned, terms, bound);
        check(&[&[unsigned(&[(1, X)], 3)]], &["x <= 3 (unsigned)"]);
        check(&[&[unsigned(&[(1, X)], 3)], &[unsigned(&[(-1, X)], 0)]], &["0 <= x <= 3"]);
        let large = [unsigned(&[(1, X)], 1 << 31), unsigned(&[(-1, X)], 0)];
        check(&[&large[..1], &large[1..]], &["0 <= x <= 2147483648 (unsigned)"]);
        let equal = [unsigned(&[(1, X), (-1, Y)], 0), unsigned(&[(-1, X), (1, Y)], 0)];
        check(&[&equal[..1], &equal[1..]], &["x = y"]);
        let mut terms = sum(Signed, &[(1, X)]);
        terms.extend(sum(Unsigned, &[(1, Y)]));
        check(&[&[Fact::AtMost { terms, bound: 3.into() }]], &["x + u(y) <= 3"]);
        let clause = [unsigned(&[(1, X)], 3), signed(&[(1, X), (-1, Y)], 0)];
        check(&[&clause], &["u(x) >= 4 -> x <= y"]);
        check(&[&[unsigned(&[(1, FLAG), (1, BUSY)], 1)]], &["flag + busy <= 1"]);
        check(&[&[signed(&[(1, FLAG), (1, BUSY)], -1)]], &["flag + busy >= 1"]);
    }

    #[test]
    fn equations_name_their_modulus() {
        check(&[&[modular(&[(1, X), (1, Y)], 32, 4, true)]], &["x + y = 4 (mod 2^32)"]);
        check(&[&[modular(&[(-1, X), (3, Y)], 32, 1, false)]], &["x - 3*y != -1 (mod 2^32)"]);
        let minus_one = (1 << 32) - 1;
        check(&[&[modular(&[(1, X), (minus_one, Y)], 32, 0, true)]], &["x = y"]);
        check(&[&[modular(&[(1, X)], 32, minus_one, true)]], &["x = -1"]);
        check(&[&[modular(&[(2, X), (-1, Y)], 32, 0, true)]], &["2*x = y (mod 2^32)"]);
        check(&[&[modular(&[(1, FLAG), (1, BUSY)], 1, 1, true)]], &["flag + busy = 1 (mod 2^1)"]);
        let mut terms = sum(Signed, &[(1, X), (1, Y)]);
        terms.extend(sum(Unsigned, &[(1, X)]));
        let mixed = Fact::Modular { terms, width: 32, value: 4.into(), equal: true };
        check(&[&[mixed]], &["2*x + y = 4 (mod 2^32)"]);
    }

    #[test]
    fn the_smallest_come_first() {
        check(
            &[
                &[bit(FLAG, 0, true), signed(&[(1, X)], 0)],
                &[signed(&[(1, X), (1, Y)], 3)],
                &[signed(&[(1, Y)], 100)],
                &[signed(&[(1, X)], 3)],
                &[bit(PC, 0, false)],
                &[bit(PC, 0, false)],
            ],
            &["pc[0] = 0", "x <= 3", "y <= 100", "x + y <= 3", "!flag -> x <= 0"],
        );
    }
}
