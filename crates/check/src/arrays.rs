//! Arrays by their elements: a decision procedure for extensional arrays that
//! adds everything it needs before the solver is asked.
//!
//! An array is a term over unknown arrays (inputs, states at the start), writes,
//! choices and constant arrays. Its element at an index is a word, made when it
//! is first needed:
//!
//! - `write(B, j, w)[i]` is `w` if `i = j`, otherwise `B[i]`;
//! - `ite(c, A, B)[i]` is `A[i]` if `c`, otherwise `B[i]`;
//! - `const(w)[i]` is `w`;
//! - `A[i]` of an unknown array is a fresh word, with `i = i′ → A[i] = A[i′]` for
//!   every other index `i′` at which this array is read.
//!
//! The equality `e` of `A` and `B` is a fresh literal with `¬e → A[λ] ≠ B[λ]` for a
//! fresh index `λ`, and `e → A[i] = B[i]` for every index `i` of the query.
//!
//! **Sound**: each of these holds in every model of the arrays, extended by a
//! suitable choice of the fresh words: the elements themselves, the truth of
//! the equality, and for `λ` a place where the arrays differ, if any. So no clause
//! excludes a behaviour, and *unsatisfiable* can be believed.
//!
//! **Complete**, which only matters for not refusing good evidence: let the
//! values that no index of the query takes be the *rest*. One more index `δ`,
//! different from all others, stands for the rest: every unknown array is
//! extended to the rest by its element at `δ`, then every term has at the rest
//! its element at `δ`, and equalities that hold at `δ` hold there. Asking for
//! such a `δ` excludes nothing as long as there are more values than
//! indices; when there are not, all values become indices instead, and there is
//! no rest. `δ ≠ i` hangs on a guard that is assumed in the first case only.

use std::collections::BTreeMap;

use elinvar_ir::{ArrayValue, BitVec};
use rustc_hash::FxHashMap;

use crate::Refusal;
use crate::solver::{Lit, Solver};
use crate::words::{self, Word};

/// An array term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct ArrayId(usize);

/// An index term: equal words are the same index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct IndexId(usize);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Array {
    /// Any contents; the number keeps unknown arrays apart.
    Unknown(usize),
    /// The width of the index, and the element everywhere.
    Constant(u32, Word),
    Write(ArrayId, IndexId, Word),
    Ite(Lit, ArrayId, ArrayId),
}

struct Equality {
    arrays: (ArrayId, ArrayId),
    holds: Lit,
    /// How many indices of its width it has been applied to.
    applied: usize,
}

/// All indices of one width.
#[derive(Default)]
struct Indices {
    all: Vec<IndexId>,
    rest: Option<Rest>,
}

/// The index `δ` and the guard of its being different from the others.
struct Rest {
    index: IndexId,
    guard: Lit,
    /// How many indices it has been made to differ from.
    applied: usize,
}

#[derive(Default)]
pub(crate) struct Arrays {
    terms: Vec<Array>,
    /// Widths of index and element, by term.
    widths: Vec<(u32, u32)>,
    interned: FxHashMap<Array, ArrayId>,
    index_words: Vec<Word>,
    interned_indices: FxHashMap<Word, IndexId>,
    indices: BTreeMap<u32, Indices>,
    elements: FxHashMap<(ArrayId, IndexId), Word>,
    /// Where each unknown array is read.
    read_at: FxHashMap<ArrayId, Vec<IndexId>>,
    same_index: FxHashMap<(IndexId, IndexId), Lit>,
    same_array: FxHashMap<(ArrayId, ArrayId), Lit>,
    equalities: Vec<Equality>,
}

impl Arrays {
    pub(crate) fn unknown(&mut self, index: u32, element: u32) -> ArrayId {
        self.intern(Array::Unknown(self.terms.len()), (index, element))
    }

    pub(crate) fn constant(&mut self, index: u32, element: Word) -> ArrayId {
        let widths = (index, element.len() as u32);
        self.intern(Array::Constant(index, element), widths)
    }

    pub(crate) fn write(&mut self, array: ArrayId, index: Word, element: Word) -> ArrayId {
        let index = self.index(index);
        self.intern(Array::Write(array, index, element), self.widths[array.0])
    }

    pub(crate) fn ite(&mut self, condition: Lit, then: ArrayId, otherwise: ArrayId) -> ArrayId {
        if condition == Lit::TRUE || then == otherwise {
            then
        } else if condition == Lit::FALSE {
            otherwise
        } else {
            self.intern(Array::Ite(condition, then, otherwise), self.widths[then.0])
        }
    }

    pub(crate) fn read(
        &mut self,
        solver: &mut Solver,
        array: ArrayId,
        index: Word,
    ) -> Result<Word, Refusal> {
        let index = self.index(index);
        self.element(solver, array, index)
    }

    pub(crate) fn equal(
        &mut self,
        solver: &mut Solver,
        a: ArrayId,
        b: ArrayId,
    ) -> Result<Lit, Refusal> {
        let arrays = (a.min(b), a.max(b));
        if a == b {
            return Ok(Lit::TRUE);
        } else if let Some(&holds) = self.same_array.get(&arrays) {
            return Ok(holds);
        }
        let holds = solver.fresh();
        let somewhere = words::fresh(solver, self.widths[a.0].0);
        let somewhere = self.index(somewhere);
        let same = self.same_element(solver, arrays, somewhere)?;
        solver.clause([holds, !same]);
        self.same_array.insert(arrays, holds);
        self.equalities.push(Equality { arrays, holds, applied: 0 });
        Ok(holds)
    }

    /// Applies every equality to every index. To be called before each query;
    /// returns what must be assumed in it.
    pub(crate) fn close(&mut self, solver: &mut Solver) -> Result<Vec<Lit>, Refusal> {
        let mut widths: Vec<u32> =
            self.equalities.iter().map(|e| self.widths[e.arrays.0.0].0).collect();
        widths.sort_unstable();
        widths.dedup();
        let mut guards = Vec::new();
        for width in widths {
            guards.extend(self.cover_rest(solver, width)?);
        }
        for number in 0..self.equalities.len() {
            let Equality { arrays, holds, applied } = self.equalities[number];
            let width = self.widths[arrays.0.0].0;
            // Elements bring no new indices: those of writes are known already.
            let indices = self.indices[&width].all[applied..].to_vec();
            for &index in &indices {
                let same = self.same_element(solver, arrays, index)?;
                solver.clause([!holds, same]);
            }
            self.equalities[number].applied += indices.len();
        }
        Ok(guards)
    }

    /// The contents of an unknown array where it is read in a model, and at the rest.
    pub(crate) fn value(&self, array: ArrayId, mut holds: impl FnMut(Lit) -> bool) -> ArrayValue {
        let (index_width, element_width) = self.widths[array.0];
        let rest = self.indices.get(&index_width).and_then(|set| set.rest.as_ref());
        let rest = rest.and_then(|rest| self.elements.get(&(array, rest.index)));
        let default = rest.map_or_else(
            || BitVec::zero(element_width),
            |element| words::value(element, &mut holds),
        );
        let mut value = ArrayValue::constant(index_width, default);
        for &index in self.read_at.get(&array).into_iter().flatten() {
            let at = words::value(&self.index_words[index.0], &mut holds);
            value.write(at, words::value(&self.elements[&(array, index)], &mut holds));
        }
        value
    }

    /// Makes sure that the indices of this width stand for all values; returns
    /// the guard to assume, if there is a rest.
    fn cover_rest(&mut self, solver: &mut Solver, width: u32) -> Result<Option<Lit>, Refusal> {
        let set = &self.indices[&width];
        let others = set.all.len() - usize::from(set.rest.is_some());
        if let Some(values) = 1usize.checked_shl(width).filter(|&values| values <= others) {
            for value in 0..values {
                self.index(words::constant(&BitVec::new(width, value as u64)));
            }
            return Ok(None);
        }
        let (rest, guard, applied) = match &set.rest {
            Some(rest) => (rest.index, rest.guard, rest.applied),
            None => {
                let word = words::fresh(solver, width);
                (self.index(word), solver.fresh(), 0)
            }
        };
        let all = self.indices[&width].all.clone();
        for &index in all[applied..].iter().filter(|&&index| index != rest) {
            let same = self.same(solver, rest, index)?;
            solver.clause([!guard, !same]);
        }
        let set = self.indices.get_mut(&width).expect("a width with an equality");
        set.rest = Some(Rest { index: rest, guard, applied: all.len() });
        Ok(Some(guard))
    }

    fn same_element(
        &mut self,
        solver: &mut Solver,
        (a, b): (ArrayId, ArrayId),
        index: IndexId,
    ) -> Result<Lit, Refusal> {
        let a = self.element(solver, a, index)?;
        let b = self.element(solver, b, index)?;
        Ok(words::equal(solver, &a, &b))
    }

    /// The element of a term at an index, without recursion.
    fn element(
        &mut self,
        solver: &mut Solver,
        array: ArrayId,
        index: IndexId,
    ) -> Result<Word, Refusal> {
        let mut pending = vec![array];
        while let Some(&array) = pending.last() {
            if self.elements.contains_key(&(array, index)) {
                pending.pop();
                continue;
            }
            solver.spend(1 + u64::from(self.widths[array.0].1))?;
            let known = |of: ArrayId| self.elements.get(&(of, index)).cloned();
            let element = match self.terms[array.0].clone() {
                Array::Unknown(_) => Some(self.fresh_element(solver, array, index)?),
                Array::Constant(_, element) => Some(element),
                Array::Write(below, at, written) => {
                    let below_element = known(below);
                    match (self.same(solver, index, at)?, below_element) {
                        (Lit::TRUE, _) => Some(written),
                        (same, Some(kept)) => Some(words::ite(solver, same, &written, &kept)),
                        (_, None) => {
                            pending.push(below);
                            None
                        }
                    }
                }
                Array::Ite(condition, then, otherwise) => match (known(then), known(otherwise)) {
                    (Some(t), Some(e)) => Some(words::ite(solver, condition, &t, &e)),
                    (None, _) => {
                        pending.push(then);
                        None
                    }
                    (Some(_), None) => {
                        pending.push(otherwise);
                        None
                    }
                },
            };
            if let Some(element) = element {
                self.elements.insert((array, index), element);
            }
        }
        Ok(self.elements[&(array, index)].clone())
    }

    /// The element of an unknown array at an index where it was never read.
    fn fresh_element(
        &mut self,
        solver: &mut Solver,
        array: ArrayId,
        index: IndexId,
    ) -> Result<Word, Refusal> {
        let element = words::fresh(solver, self.widths[array.0].1);
        let earlier = self.read_at.get(&array).cloned().unwrap_or_default();
        for other in earlier {
            let same_index = self.same(solver, index, other)?;
            if same_index == Lit::FALSE {
                continue;
            }
            solver.spend(u64::from(self.widths[array.0].1))?;
            for (&x, &y) in element.iter().zip(&self.elements[&(array, other)]) {
                solver.clause([!same_index, !x, y]);
                solver.clause([!same_index, x, !y]);
            }
        }
        self.read_at.entry(array).or_default().push(index);
        Ok(element)
    }

    /// Are two indices equal?
    fn same(&mut self, solver: &mut Solver, a: IndexId, b: IndexId) -> Result<Lit, Refusal> {
        let key = (a.min(b), a.max(b));
        if let Some(&same) = self.same_index.get(&key) {
            return Ok(same);
        }
        let (a, b) = (&self.index_words[a.0], &self.index_words[b.0]);
        solver.spend(2 * a.len() as u64)?;
        let same = words::equal(solver, a, b);
        self.same_index.insert(key, same);
        Ok(same)
    }

    fn index(&mut self, word: Word) -> IndexId {
        if let Some(&index) = self.interned_indices.get(&word) {
            return index;
        }
        let index = IndexId(self.index_words.len());
        self.indices.entry(word.len() as u32).or_default().all.push(index);
        self.index_words.push(word.clone());
        self.interned_indices.insert(word, index);
        index
    }

    fn intern(&mut self, term: Array, widths: (u32, u32)) -> ArrayId {
        if let Some(&array) = self.interned.get(&term) {
            return array;
        }
        let array = ArrayId(self.terms.len());
        self.terms.push(term.clone());
        self.widths.push(widths);
        self.interned.insert(term, array);
        array
    }
}
