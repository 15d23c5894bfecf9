//! The way back: evidence about a transformed problem as evidence about the original.

use elinvar_ir::{StopReason, Subject, Verdict, VerdictOn};

/// Maps evidence about the result of a transformation to evidence about the problem that
/// was transformed. Properties keep their numbers.
///
/// Verdicts do not rely on a lift: the checker accepts or refuses the evidence that it gives.
pub trait Lift {
    /// The result of the transformation.
    type From: Subject;
    /// The problem that was transformed.
    type To: Subject;

    /// The execution of the original that an execution of the result stands for.
    fn trace(&self, trace: TraceOf<Self::From>) -> TraceOf<Self::To>;

    /// The proof about the original that a proof about the result gives.
    fn proof(&self, proof: ProofOf<Self::From>) -> Result<ProofOf<Self::To>, Inexpressible>;

    /// The verdict on the original. A proof that the original cannot express makes the
    /// verdict unknown; use [`Lift::proof`] to keep the proof about the result instead.
    fn verdict(&self, verdict: VerdictOn<Self::From>) -> VerdictOn<Self::To> {
        match verdict {
            Verdict::Safe(proof) => match self.proof(proof) {
                Ok(proof) => Verdict::Safe(proof),
                Err(why) => Verdict::Unknown(StopReason::Unsupported(why.to_string())),
            },
            Verdict::Unsafe(trace) => Verdict::Unsafe(self.trace(trace)),
            Verdict::Unknown(reason) => Verdict::Unknown(reason),
        }
    }

    /// The way back through `later` first, which transforms the result of this
    /// transformation once more, and then through this one.
    fn after<L>(self, later: L) -> Chain<L, Self>
    where
        Self: Sized,
        L: Lift<To = Self::From>,
    {
        Chain { later, earlier: self }
    }
}

/// Proofs about a subject.
pub type ProofOf<S> = <S as Subject>::Proof;

/// Traces of a subject.
pub type TraceOf<S> = <S as Subject>::Trace;

/// A proof has no counterpart among the proofs about the original problem.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the proof cannot be stated about the original: {0}")]
pub struct Inexpressible(pub String);

impl Inexpressible {
    /// A proof of liveness met a transformation that is used only for safety.
    pub(crate) fn liveness() -> Self {
        Inexpressible("it is a proof of liveness".to_owned())
    }
}

/// Two transformations, one after the other.
#[derive(Clone, Debug)]
pub struct Chain<Later, Earlier> {
    later: Later,
    earlier: Earlier,
}

impl<Later, Earlier> Lift for Chain<Later, Earlier>
where
    Earlier: Lift,
    Later: Lift<To = Earlier::From>,
{
    type From = Later::From;
    type To = Earlier::To;

    fn trace(&self, trace: TraceOf<Self::From>) -> TraceOf<Self::To> {
        self.earlier.trace(self.later.trace(trace))
    }

    fn proof(&self, proof: ProofOf<Self::From>) -> Result<ProofOf<Self::To>, Inexpressible> {
        self.earlier.proof(self.later.proof(proof)?)
    }
}
