//! Transformations of transition systems and programs, each with the way back.
//!
//! Every transformation gives a new problem and a [`Lift`], which maps traces and proofs
//! about the new problem to evidence about the one that was given:
//!
//! | transformation | from | to |
//! |---|---|---|
//! | [`prepare`]: cone of influence, bits, registers, sweeping, rewriting | system | [`BitSystem`] |
//! | [`stuck_on_error`]: a bad state stays bad | bits | bits |
//! | [`reverse`]: a system that checks its steps runs backwards | bits | bits |
//! | [`expand_memories`]: an element of a small memory is a register | system | system |
//! | [`saving`], [`loops`]: a state is saved, and it is bad if it comes back | system | system |
//! | [`counting`]: it is bad if the conditions are met too often | system | system |
//! | [`Family::instance`]: a number in place of an input | system | system |
//! | [`lower`]: a program over words as a transition system | program | system |
//!
//! Knows nothing of engines and of files.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod bits;
mod error;
mod family;
mod lift;
mod limits;
mod liveness;
mod lowering;
mod ltl;
mod memories;
mod reverse;
mod stuck;

pub use bits::{
    Bit, BitFact, BitLift, BitProperty, BitRegister, BitSystem, BlastError, Forward, Image,
    InputOrigin, Literal, PassOptions, PassReport, Prepared, Size, bitblast, prepare,
};
pub use error::TransformError;
pub use family::{Family, FamilyError, InstanceLift, Trend, with_input};
pub use lift::{Chain, Inexpressible, Lift, ProofOf, TraceOf};
pub use limits::{Limits, Unlimited};
pub use liveness::{
    Counting, Layers, LiveBits, Saving, counting, layers, live_bits, loops, saving,
};
pub use lowering::{Lowered, LoweringError, ProgramLift, lower, lower_with};
pub use ltl::add_formula;
pub use memories::{Expanded, expand_memories};
pub use reverse::{Reversed, reverse};
pub use stuck::{Stuck, stuck_on_error};
