//! Base and step of k-induction [Sheeran, Singh, Stålmarck 2000], with the words of the
//! module above.
//!
//! **k-induction.** The base excludes counterexamples with n < k. In one with
//! n ≥ k that is shortest, the cycles n-k … n are a path of k cycles that are not
//! bad, followed by a bad one; the step excludes it.
//!
//! **Simple paths.** If sᵢ = sⱼ for some i < j in a counterexample, then the cycles
//! i … j-1 can be left out: what follows sⱼ with its inputs also follows the
//! predecessor of sᵢ. States without next function are part of s, so nothing
//! else is remembered between cycles. Hence the states of a shortest
//! counterexample are all different. One case is different: for i = 0 the new
//! first cycle is (s₀, xⱼ), which is initial only if I does not depend on inputs.
//! When it does, the base excludes n = k as well, so that the path of the step
//! does not contain s₀.
//!
//! **Fewer states.** The same holds of paths that differ in a part p of s, if bad, the
//! constraints and the next values of p are functions of p and the inputs: whatever can be
//! left out of a path by its states can then be left out by p. That they are is proved by
//! two frames that agree on p and the inputs.

use std::collections::BTreeSet;

use elinvar_ir::{ExprId, Role, TransitionSystem, cone};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::encode::{Encoder, Frame, Term};
use crate::refusal::Refusal;
use crate::solver::{Budget, Lit, SatAnswer};

pub(super) struct Induction<'a> {
    system: &'a TransitionSystem,
    bad: ExprId,
    /// The states on which bad and the constraints depend; the others are left out.
    states: BTreeSet<usize>,
    budget: &'a Budget,
}

impl<'a> Induction<'a> {
    pub(super) fn new(system: &'a TransitionSystem, bad: ExprId, budget: &'a Budget) -> Self {
        let roots = system.constraints().iter().copied().chain([bad]);
        Induction { system, bad, states: system.cone_of_influence(roots), budget }
    }

    /// The induction over paths that differ in these states, if nothing that counts
    /// depends on others.
    ///
    /// SAT?  p = p′ ∧ x = x′ ∧ (B ≠ B′ ∨ C ≠ C′ ∨ next(p) ≠ next(p′))
    pub(super) fn restricted_to(self, states: &BTreeSet<usize>) -> Result<Self, Refusal> {
        let all = self.system.states();
        if states.iter().any(|&index| index >= all.len()) {
            return Err(Refusal::OtherStates);
        }
        let mut encoder = Encoder::new(self.budget);
        let (mut one, mut other) = (Frame::free(self.system), Frame::free(self.system));
        let inputs = self.system.inputs().iter().map(|input| input.symbol);
        for symbol in inputs.chain(states.iter().map(|&index| all[index].symbol)) {
            let term = one.encode(&mut encoder, symbol)?;
            other.set(symbol, term);
        }
        let next = states.iter().filter_map(|&index| all[index].next);
        let constraints = self.system.constraints().iter().copied();
        let mut differ = Vec::new();
        for root in next.chain(constraints).chain([self.bad]) {
            let (a, b) = (one.encode(&mut encoder, root)?, other.encode(&mut encoder, root)?);
            differ.push(!encoder.equal(&a, &b)?);
        }
        encoder.assert_any(differ);
        match encoder.solve(&[])? {
            SatAnswer::Sat(_) => Err(Refusal::OtherStates),
            SatAnswer::Unsat => Ok(Induction { states: states.clone(), ..self }),
        }
    }

    pub(super) fn init_reads_inputs(&self) -> bool {
        let inits = self.states.iter().filter_map(|&index| self.system.states()[index].init);
        let is_input = |node| matches!(self.system.role_of(node), Some(Role::Input(_)));
        cone(self.system.pool(), inits).into_iter().any(is_input)
    }

    /// For every t < cycles.  SAT?  I(s₀, x₀) ∧ C₀ ∧ T ∧ … ∧ Cₜ ∧ Bₜ
    pub(super) fn base(&self, cycles: usize) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(self.budget);
        let mut frame = Frame::initial(&mut encoder, self.system, &self.states)?;
        for cycle in 0..cycles {
            if cycle > 0 {
                frame = frame.successor(&mut encoder, &self.states)?;
            }
            frame.constrain(&mut encoder)?;
            let reached = frame.encode_bit(&mut encoder, self.bad)?;
            match encoder.solve(&[reached])? {
                SatAnswer::Sat(_) => return Err(Refusal::BaseCase { cycle }),
                SatAnswer::Unsat => encoder.assert(!reached),
            }
        }
        Ok(())
    }

    /// SAT?  C₀ ∧ ¬B₀ ∧ T ∧ … ∧ Cₖ₋₁ ∧ ¬Bₖ₋₁ ∧ T ∧ Cₖ ∧ Bₖ, with `simple_path` also
    /// sᵢ ≠ sⱼ for all i < j ≤ k
    pub(super) fn step(&self, k: usize, simple_path: bool) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(self.budget);
        let mut path = SimplePath::default();
        let mut frame = Frame::free(self.system);
        for cycle in 0..=k {
            if cycle > 0 {
                frame = frame.successor(&mut encoder, &self.states)?;
            }
            if simple_path {
                path.states.push(self.state(&mut encoder, &mut frame)?);
            }
            frame.constrain(&mut encoder)?;
            let reached = frame.encode_bit(&mut encoder, self.bad)?;
            encoder.assert(if cycle < k { !reached } else { reached });
        }
        loop {
            let SatAnswer::Sat(mut model) = encoder.solve(&[])? else { return Ok(()) };
            let repeated = path.repeated(|lit| model.holds(lit));
            if repeated.is_empty() {
                return Err(Refusal::StepCase { k });
            }
            for pair in repeated {
                path.separate(&mut encoder, pair)?;
            }
        }
    }

    fn state(&self, encoder: &mut Encoder, frame: &mut Frame<'a>) -> Result<Vec<Term>, Refusal> {
        let symbols = self.states.iter().map(|&index| self.system.states()[index].symbol);
        frame.encode_all(encoder, symbols.clone())?;
        Ok(symbols.map(|symbol| frame.term(symbol)).collect())
    }
}

/// The states of a path and which of them were made to differ. The condition
/// has a quadratic number of parts; they are added when a model violates them.
#[derive(Default)]
struct SimplePath {
    /// By cycle and state.
    states: Vec<Vec<Term>>,
    separated: FxHashSet<(usize, usize)>,
}

impl SimplePath {
    /// Pairs of cycles whose words are equal in the model and that were not
    /// separated yet. Their memories may differ; separating them is right anyway.
    fn repeated(&self, mut holds: impl FnMut(Lit) -> bool) -> Vec<(usize, usize)> {
        let mut cycles: FxHashMap<Vec<bool>, Vec<usize>> = FxHashMap::default();
        let mut pairs = Vec::new();
        for (cycle, terms) in self.states.iter().enumerate() {
            let words = terms.iter().filter_map(|term| match term {
                Term::Word(word) => Some(word),
                Term::Array(_) => None,
            });
            let values = words.flatten().map(|&lit| holds(lit)).collect();
            let earlier = cycles.entry(values).or_default();
            pairs.extend(earlier.iter().map(|&other| (other, cycle)));
            earlier.push(cycle);
        }
        pairs.retain(|pair| !self.separated.contains(pair));
        pairs
    }

    /// Asserts that the states of two cycles differ.
    fn separate(&mut self, encoder: &mut Encoder, pair: (usize, usize)) -> Result<(), Refusal> {
        self.separated.insert(pair);
        let (a, b) = (&self.states[pair.0], &self.states[pair.1]);
        let mut differ = Vec::with_capacity(a.len());
        for (a, b) in a.iter().zip(b) {
            differ.push(!encoder.equal(a, b)?);
        }
        encoder.assert_any(differ);
        Ok(())
    }
}
