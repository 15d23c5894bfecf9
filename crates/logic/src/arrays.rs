//! The extensional theory of arrays by lemmas on demand
//! [Brummayer, Biere: Lemmas on Demand for the Extensional Theory of Arrays, SMT 2008].
//!
//! Array terms are built over words of an and-inverter graph. The element that a
//! read gives is a fresh word; nothing is said about it until a model of the
//! Boolean part puts a value there that no array can have. [`Arrays::refine`] finds
//! such places: it carries every access (an index and an element) through the
//! terms, under the conditions that the model makes true,
//!
//! - down: from a write to its array where the indices differ, from a
//!   conditional to the chosen branch;
//! - where equalities between arrays hold also across them, and up again from
//!   an array to the writes and conditionals above it;
//!
//! and answers with a clause for each clash: *if these conditions hold and the
//! indices are equal, then so are the elements*. Address spaces of any size are
//! fine: only indices that occur are looked at.
//!
//! An inequality of arrays has a witness index from the start. An equality needs
//! one more argument, where constant arrays meet: see [`Arrays::refine`].

mod propagation;

use std::collections::hash_map::Entry;

use elinvar_ir::{ArrayValue, BitVec};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::aig::{Aig, AigLit, Valuation};
use crate::words::{self, Word};
use propagation::{DefaultClash, Propagation};

/// An array-valued term; equal terms are the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ArrayTerm(u32);

impl ArrayTerm {
    /// A number that stands for the term, for tables of mixed contents.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The array term with this number.
    pub fn from_index(index: usize) -> Self {
        ArrayTerm(index as u32)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Term {
    /// Any contents; the number keeps bases apart.
    Base(u32),
    /// The width of the indices, and the element.
    Const(u32, Word),
    Write(ArrayTerm, Word, Word),
    Ite(AigLit, ArrayTerm, ArrayTerm),
}

struct TermInfo {
    term: Term,
    index_width: u32,
    element_width: u32,
}

/// An index and the element found there.
#[derive(Clone)]
struct Access {
    index: Word,
    element: Word,
}

struct Equality {
    a: ArrayTerm,
    b: ArrayTerm,
    lit: AigLit,
}

/// All array terms, reads and equalities of a problem.
#[derive(Default)]
pub struct Arrays {
    terms: Vec<TermInfo>,
    known: FxHashMap<Term, ArrayTerm>,
    reads: Vec<(ArrayTerm, Access)>,
    read_of: FxHashMap<(ArrayTerm, Word), usize>,
    equalities: Vec<Equality>,
    equality_of: FxHashMap<(ArrayTerm, ArrayTerm), AigLit>,
    /// Equalities that were asserted for every single index.
    spelled_out: FxHashSet<AigLit>,
    /// Clauses that hold always and are not yet given to the solver.
    axioms: Vec<Vec<AigLit>>,
    bases: u32,
}

impl Arrays {
    /// Without any array terms.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there are no array terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    // ---- building ----------------------------------------------------------

    /// An array of which nothing is known.
    pub fn base(&mut self, index_width: u32, element_width: u32) -> ArrayTerm {
        self.bases += 1;
        self.intern(Term::Base(self.bases), index_width, element_width)
    }

    /// The array that holds `element` everywhere.
    pub fn constant(&mut self, index_width: u32, element: Word) -> ArrayTerm {
        let width = element.len() as u32;
        self.intern(Term::Const(index_width, element), index_width, width)
    }

    /// The array with another element at an index.
    pub fn write(&mut self, array: ArrayTerm, index: Word, element: Word) -> ArrayTerm {
        let TermInfo { term, index_width, element_width } = &self.terms[array.index()];
        let widths = (*index_width, *element_width);
        // A write over a write at the same index replaces it.
        let array = match term {
            Term::Write(below, at, _) if *at == index => *below,
            Term::Base(_) | Term::Const(..) | Term::Write(..) | Term::Ite(..) => array,
        };
        self.intern(Term::Write(array, index, element), widths.0, widths.1)
    }

    /// If-then-else on arrays.
    pub fn ite(&mut self, condition: AigLit, then: ArrayTerm, otherwise: ArrayTerm) -> ArrayTerm {
        if then == otherwise || condition == AigLit::TRUE {
            return then;
        }
        if condition == AigLit::FALSE {
            return otherwise;
        }
        let TermInfo { index_width, element_width, .. } = self.terms[then.index()];
        let term = if condition.is_complement() {
            Term::Ite(!condition, otherwise, then)
        } else {
            Term::Ite(condition, then, otherwise)
        };
        self.intern(term, index_width, element_width)
    }

    /// The element at an index: looked up where the structure gives it, else a
    /// fresh word.
    pub fn read(&mut self, aig: &mut Aig, array: ArrayTerm, index: &[AigLit]) -> Word {
        let mut array = array;
        loop {
            match &self.terms[array.index()].term {
                Term::Const(_, element) => return element.clone(),
                Term::Write(_, at, element) if at == index => return element.clone(),
                Term::Write(below, at, _) if differ(at, index) => array = *below,
                Term::Write(..) | Term::Base(_) | Term::Ite(..) => break,
            }
        }
        if let Some(&known) = self.read_of.get(&(array, index.to_vec())) {
            return self.reads[known].1.element.clone();
        }
        let width = self.terms[array.index()].element_width;
        let element: Word = (0..width).map(|_| aig.input()).collect();
        let access = Access { index: index.to_vec(), element: element.clone() };
        self.read_of.insert((array, index.to_vec()), self.reads.len());
        self.reads.push((array, access));
        element
    }

    /// A literal for the equality of two arrays.
    pub fn equal(&mut self, aig: &mut Aig, a: ArrayTerm, b: ArrayTerm) -> AigLit {
        let (a, b) = (a.min(b), a.max(b));
        if a == b {
            return AigLit::TRUE;
        }
        if let Some(&lit) = self.equality_of.get(&(a, b)) {
            return lit;
        }
        let lit = aig.input();
        self.equality_of.insert((a, b), lit);
        self.equalities.push(Equality { a, b, lit });
        // a ≠ b → a[λ] ≠ b[λ]
        let witness: Word = (0..self.terms[a.index()].index_width).map(|_| aig.input()).collect();
        let x = self.read(aig, a, &witness);
        let y = self.read(aig, b, &witness);
        let same = words::equal(aig, &x, &y);
        self.axioms.push(vec![lit, !same]);
        lit
    }

    fn intern(&mut self, term: Term, index_width: u32, element_width: u32) -> ArrayTerm {
        match self.known.entry(term) {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(place) => {
                let id = ArrayTerm(self.terms.len() as u32);
                let term = place.key().clone();
                self.terms.push(TermInfo { term, index_width, element_width });
                *place.insert(id)
            }
        }
    }

    // ---- solving --------------------------------------------------------------

    /// Clauses that hold always, since the last call.
    pub fn take_axioms(&mut self) -> Vec<Vec<AigLit>> {
        std::mem::take(&mut self.axioms)
    }

    /// Looks for places where `values` is not a model of the arrays. The answer
    /// is the clauses that exclude them; when there are none, the values extend
    /// to arrays, which [`Contents`] describes.
    ///
    /// Where equalities connect constant arrays, indices that nothing mentions
    /// matter too: along a path of equalities, writes and conditionals between
    /// two constant arrays there is an index that none of the writes touches, if
    /// the writes are fewer than the indices; so the two elements are equal.
    /// Otherwise there are few indices, and the equality is spelled out for all.
    pub fn refine(
        &mut self,
        aig: &mut Aig,
        values: &Valuation,
    ) -> Result<Contents, Vec<Vec<AigLit>>> {
        let mut search = Propagation::new(self, values);
        for (array, access) in &self.reads {
            search.start(*array, access.clone());
        }
        search.run();
        let Propagation { clashes, defaults, places, .. } = search.finish();
        let entries = places
            .into_iter()
            .filter(|((term, _), _)| matches!(self.terms[term.index()].term, Term::Base(_)))
            .map(|(key, place)| (key, place.element))
            .collect();
        let mut lemmas: Vec<Vec<AigLit>> =
            clashes.into_iter().map(|clash| clash.into_clause(aig)).collect();
        for clash in defaults.clashes {
            lemmas.extend(self.default_lemmas(aig, clash));
        }
        if lemmas.is_empty() {
            Ok(Contents { entries, defaults: defaults.of })
        } else {
            Err(lemmas)
        }
    }

    fn default_lemmas(&mut self, aig: &mut Aig, clash: DefaultClash) -> Vec<Vec<AigLit>> {
        let index_width = self.terms[clash.term.index()].index_width;
        if index_width >= 32 || clash.writes < 1 << index_width {
            let same = words::equal(aig, &clash.left, &clash.right);
            let mut clause: Vec<AigLit> = clash.conditions.iter().map(|&c| !c).collect();
            clause.push(same);
            return vec![clause];
        }
        // Few indices: every equality on the path holds at each of them. When
        // that has been said, no index is left for the elements to clash at.
        let mut lemmas = Vec::new();
        let pairs: Vec<(ArrayTerm, ArrayTerm, AigLit)> = self
            .equalities
            .iter()
            .filter(|e| clash.conditions.contains(&e.lit) && !self.spelled_out.contains(&e.lit))
            .map(|e| (e.a, e.b, e.lit))
            .collect();
        for (a, b, lit) in pairs {
            self.spelled_out.insert(lit);
            for index in 0..1u64 << index_width {
                let index = words::constant(&BitVec::new(index_width, index));
                let (x, y) = (self.read(aig, a, &index), self.read(aig, b, &index));
                let same = words::equal(aig, &x, &y);
                lemmas.push(vec![!lit, same]);
            }
        }
        lemmas
    }

    /// The contents of a term in a model that [`Arrays::refine`] accepted.
    pub fn evaluate(&self, term: ArrayTerm, contents: &Contents, values: &Valuation) -> ArrayValue {
        // Writes from the outermost to the innermost; the first at an index counts.
        let mut writes: Vec<(BitVec, BitVec)> = Vec::new();
        let mut current = term;
        let mut value = loop {
            match &self.terms[current.index()].term {
                Term::Write(below, index, element) => {
                    writes.push((word_value(values, index), word_value(values, element)));
                    current = *below;
                }
                Term::Ite(condition, then, otherwise) => {
                    current = if values.value(*condition) { *then } else { *otherwise };
                }
                Term::Const(_, element) => {
                    let width = self.terms[current.index()].index_width;
                    break ArrayValue::constant(width, word_value(values, element));
                }
                Term::Base(_) => break self.base_value(current, contents),
            }
        };
        for (index, element) in writes.into_iter().rev() {
            value.write(index, element);
        }
        value
    }

    fn base_value(&self, base: ArrayTerm, contents: &Contents) -> ArrayValue {
        let info = &self.terms[base.index()];
        let default = contents.defaults.get(&base).cloned();
        let default = default.unwrap_or_else(|| BitVec::zero(info.element_width));
        let mut value = ArrayValue::constant(info.index_width, default);
        let first = (base, BitVec::zero(info.index_width));
        for ((term, index), element) in contents.entries.range(first..) {
            if *term != base {
                break;
            }
            value.write(index.clone(), element.clone());
        }
        value
    }
}

/// What a model says about the arrays that nothing else determines.
pub struct Contents {
    entries: std::collections::BTreeMap<(ArrayTerm, BitVec), BitVec>,
    defaults: FxHashMap<ArrayTerm, BitVec>,
}

/// Are these two words different whatever the inputs?
fn differ(a: &[AigLit], b: &[AigLit]) -> bool {
    a.iter().zip(b).any(|(&x, &y)| x == !y)
}

fn word_value(values: &Valuation, word: &[AigLit]) -> BitVec {
    BitVec::from_bits(word.iter().map(|&bit| values.value(bit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cadical::Cadical;
    use crate::cnf::Cnf;
    use crate::sat::{Answer, SatSolver};

    #[derive(Default)]
    struct Problem {
        aig: Aig,
        arrays: Arrays,
    }

    impl Problem {
        fn word(&mut self, width: usize) -> Word {
            (0..width).map(|_| self.aig.input()).collect()
        }

        fn number(width: u32, value: u64) -> Word {
            words::constant(&BitVec::new(width, value))
        }

        fn same(&mut self, a: &[AigLit], b: &[AigLit]) -> AigLit {
            words::equal(&mut self.aig, a, b)
        }

        /// Can all of these hold? With the number of lemmas that were needed.
        fn decide(&mut self, facts: &[AigLit]) -> (bool, usize) {
            let (mut solver, mut cnf, mut lemmas) = (Cadical::new(), Cnf::new(), 0);
            for &fact in facts {
                cnf.add_clause(&self.aig, &[fact], &mut solver);
            }
            loop {
                for axiom in self.arrays.take_axioms() {
                    cnf.add_clause(&self.aig, &axiom, &mut solver);
                }
                let values = match solver.solve(&[]) {
                    Answer::Unsat(_) => return (false, lemmas),
                    Answer::Sat(mut model) => cnf.valuation(&self.aig, &mut model),
                    Answer::Stopped => unreachable!("this solver is never stopped"),
                };
                match self.arrays.refine(&mut self.aig, &values) {
                    Ok(_) => return (true, lemmas),
                    Err(found) => {
                        lemmas += found.len();
                        for lemma in found {
                            cnf.add_clause(&self.aig, &lemma, &mut solver);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_the_structure_gives_needs_no_lemma() {
        let mut p = Problem::default();
        let base = p.arrays.base(32, 8);
        let (i, v) = (p.word(32), p.word(8));
        let written = p.arrays.write(base, i.clone(), v.clone());
        assert_eq!(p.arrays.read(&mut p.aig, written, &i), v);
        let [five, six] = [5, 6].map(|n| Problem::number(32, n));
        let at_five = p.arrays.write(base, five.clone(), v.clone());
        let below = p.arrays.read(&mut p.aig, base, &six);
        assert_eq!(p.arrays.read(&mut p.aig, at_five, &six), below);
        assert_eq!(p.arrays.write(at_five, five.clone(), v.clone()), at_five);
        assert_eq!(p.arrays.ite(AigLit::TRUE, base, at_five), base);
        assert_eq!(p.arrays.equal(&mut p.aig, base, base), AigLit::TRUE);
    }

    #[test]
    fn reads_are_functions_of_the_index() {
        let mut p = Problem::default();
        let base = p.arrays.base(32, 8);
        let (i, j) = (p.word(32), p.word(32));
        let [x, y] = [&i, &j].map(|index| p.arrays.read(&mut p.aig, base, index));
        let (indices, elements) = (p.same(&i, &j), p.same(&x, &y));
        assert!(p.decide(&[!elements]).0);
        let (possible, lemmas) = p.decide(&[indices, !elements]);
        assert!(!possible && lemmas > 0);
    }

    /// write(a, i, v)[j] is v where i = j and a[j] elsewhere; a conditional
    /// hands the question on.
    #[test]
    fn reads_go_through_writes_and_conditionals() {
        let mut p = Problem::default();
        let (a, b) = (p.arrays.base(16, 4), p.arrays.base(16, 4));
        let (i, j, v, c) = (p.word(16), p.word(16), p.word(4), p.aig.input());
        let written = p.arrays.write(a, i.clone(), v.clone());
        let chosen = p.arrays.ite(c, written, b);
        let [at_chosen, at_a, at_b] =
            [chosen, a, b].map(|array| p.arrays.read(&mut p.aig, array, &j));
        let here = p.same(&i, &j);
        let is_v = p.same(&at_chosen, &v);
        let is_a = p.same(&at_chosen, &at_a);
        let is_b = p.same(&at_chosen, &at_b);
        assert!(!p.decide(&[c, here, !is_v]).0);
        assert!(!p.decide(&[c, !here, !is_a]).0);
        assert!(!p.decide(&[!c, !is_b]).0);
        assert!(p.decide(&[c, !here, !is_v]).0);
        assert!(p.decide(&[!c, here, !is_v, !is_a]).0);
    }

    /// Swapping two elements twice gives the same array; once, only if they are equal.
    #[test]
    fn equality_is_extensional() {
        let mut p = Problem::default();
        let a = p.arrays.base(32, 8);
        let (i, j) = (p.word(32), p.word(32));
        let swap = |p: &mut Problem, array| {
            let x = p.arrays.read(&mut p.aig, array, &i);
            let y = p.arrays.read(&mut p.aig, array, &j);
            let half = p.arrays.write(array, i.clone(), y);
            p.arrays.write(half, j.clone(), x)
        };
        let once = swap(&mut p, a);
        let twice = swap(&mut p, once);
        let back = p.arrays.equal(&mut p.aig, a, twice);
        assert!(!p.decide(&[!back]).0);
        let unchanged = p.arrays.equal(&mut p.aig, a, once);
        let [x, y] = [&i, &j].map(|index| p.arrays.read(&mut p.aig, a, index));
        let same = p.same(&x, &y);
        assert!(!p.decide(&[unchanged, !same]).0);
        assert!(p.decide(&[!unchanged]).0);
    }

    /// Two constant arrays with a few writes are equal only if their elements
    /// are, unless the writes cover every index.
    #[test]
    fn constant_arrays_know_how_many_indices_there_are() {
        for (index_width, writes, possible) in
            [(1, 1, false), (1, 2, true), (2, 3, false), (2, 4, true), (40, 4, false)]
        {
            let mut p = Problem::default();
            let zeros = p.arrays.constant(index_width, Problem::number(1, 0));
            let ones = p.arrays.constant(index_width, Problem::number(1, 1));
            let mut array = zeros;
            for _ in 0..writes {
                let index = p.word(index_width as usize);
                array = p.arrays.write(array, index, Problem::number(1, 1));
            }
            let equal = p.arrays.equal(&mut p.aig, array, ones);
            assert_eq!(p.decide(&[equal]).0, possible, "{writes} of 2^{index_width} indices");
            assert!(p.decide(&[!equal]).0);
        }
    }
}
