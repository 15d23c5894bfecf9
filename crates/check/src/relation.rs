//! The claims about the relations of a ranking that do not depend on where the relations come
//! from: a text certificate or a witness circuit. [`elinvar_ir::Ranking`] has the argument.
//!
//! q₁ … qₙ are the relations, Q is their union, and s, t, u are states that satisfy the invariant
//! and the constraints.

use crate::encode::{Encoder, Frame};
use crate::refusal::Refusal;
use crate::solver::{Budget, Lit};

/// Relations between states of a system, one for each condition of a liveness property.
pub(crate) trait Relations<'a> {
    fn budget(&self) -> &Budget;

    /// How many relations there are.
    fn count(&self) -> usize;

    /// Any state that satisfies the invariant and the constraints.
    fn state(&self, encoder: &mut Encoder) -> Result<Frame<'a>, Refusal>;

    /// A state after this one, which satisfies the invariant and the constraints.
    fn after(&self, encoder: &mut Encoder, state: &mut Frame<'a>) -> Result<Frame<'a>, Refusal>;

    /// By condition: the literal of its relation between two states.
    fn relations(
        &self,
        encoder: &mut Encoder,
        first: &mut Frame<'a>,
        second: &mut Frame<'a>,
    ) -> Result<Vec<Lit>, Refusal>;

    /// SAT?  T(s, t) ∧ ¬Q(t, s)
    fn decrease(&self) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(self.budget());
        let mut s = self.state(&mut encoder)?;
        let mut t = self.after(&mut encoder, &mut s)?;
        let related = self.relations(&mut encoder, &mut t, &mut s)?;
        related.into_iter().for_each(|related| encoder.assert(!related));
        encoder.expect_unsat(Refusal::Decrease)
    }

    /// SAT?  T(s, t) ∧ Q(s, u) ∧ ¬Q(t, u)
    fn closure(&self) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(self.budget());
        let mut s = self.state(&mut encoder)?;
        let mut t = self.after(&mut encoder, &mut s)?;
        let mut u = self.state(&mut encoder)?;
        let before = self.relations(&mut encoder, &mut s, &mut u)?;
        encoder.assert_any(before);
        let after = self.relations(&mut encoder, &mut t, &mut u)?;
        after.into_iter().for_each(|related| encoder.assert(!related));
        encoder.expect_unsat(Refusal::Closure)
    }

    /// SAT?  T(s, t) ∧ T(t, u) ∧ Q(s, t) ∧ Q(t, u) ∧ qᵢ(s, t) ∧ ¬qᵢ(t, u), for any i
    fn consistency(&self) -> Result<(), Refusal> {
        // With one condition, Q is its relation, and the claim is a tautology.
        if self.count() == 1 {
            return Ok(());
        }
        let mut encoder = Encoder::new(self.budget());
        let mut s = self.state(&mut encoder)?;
        let mut t = self.after(&mut encoder, &mut s)?;
        let mut u = self.after(&mut encoder, &mut t)?;
        let first = self.relations(&mut encoder, &mut s, &mut t)?;
        let second = self.relations(&mut encoder, &mut t, &mut u)?;
        encoder.assert_any(second.iter().copied());
        let violations: Vec<Lit> =
            first.iter().zip(&second).map(|(&one, &two)| encoder.all(&[one, !two])).collect();
        encoder.assert_any(violations);
        encoder.expect_unsat(Refusal::Consistency)
    }
}
