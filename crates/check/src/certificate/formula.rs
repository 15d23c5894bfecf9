//! Proves invariants of any shape: see the rule for formulas in the preface of the parent.

use elinvar_ir::{Attached, ExprId};

use super::{read_at_start, read_in_cycle};
use crate::encode::{Encoder, Frame};
use crate::refusal::Refusal;
use crate::solver::Budget;

/// A formula that is claimed to be an invariant.
pub(super) struct Claim<'a> {
    pub attached: &'a Attached,
    pub bad: ExprId,
}

impl<'a> Claim<'a> {
    /// SAT?  I ∧ C ∧ ¬Inv
    pub fn initiation(&self, budget: &Budget) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(budget);
        let states = read_at_start(&self.attached.system, self.roots());
        let mut frame = Frame::initial(&mut encoder, &self.attached.system, &states)?;
        frame.constrain(&mut encoder)?;
        self.refute(&mut encoder, &mut frame, Refusal::FormulaInitiation)
    }

    /// SAT?  Inv ∧ C ∧ T ∧ C′ ∧ ¬Inv′
    pub fn consecution(&self, budget: &Budget) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(budget);
        let mut frame = Frame::free(&self.attached.system);
        frame.assume(&mut encoder, self.attached.claim)?;
        frame.constrain(&mut encoder)?;
        let states = read_in_cycle(&self.attached.system, self.roots());
        let mut following = frame.successor(&mut encoder, &states)?;
        following.constrain(&mut encoder)?;
        self.refute(&mut encoder, &mut following, Refusal::FormulaConsecution)
    }

    /// SAT?  Inv ∧ C ∧ (r = x) ∧ B
    pub fn safety(&self, budget: &Budget) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(budget);
        let mut frame = Frame::free(&self.attached.system);
        frame.constrain(&mut encoder)?;
        for bit in [self.attached.claim, self.attached.same, self.bad] {
            frame.assume(&mut encoder, bit)?;
        }
        encoder.expect_unsat(Refusal::FormulaSafety)
    }

    fn roots(&self) -> impl Iterator<Item = ExprId> {
        self.attached.system.constraints().iter().copied().chain([self.attached.claim])
    }

    fn refute(
        &self,
        encoder: &mut Encoder,
        frame: &mut Frame<'a>,
        refusal: Refusal,
    ) -> Result<(), Refusal> {
        let claim = frame.encode_bit(encoder, self.attached.claim)?;
        encoder.assert(!claim);
        encoder.expect_unsat(refusal)
    }
}
