//! Families of models with a parameter.
//!
//! The case studies of Brummayer, Biere and Lonsing, "BTOR: Bit-Precise Modelling
//! of Word-Level Problems for Model Checking" (BPR 2008): [`fifo`] and
//! [`memclear`]. For the growth of effort with size: [`shift_parity`],
//! [`counters`] and [`ring`], whose shortest proofs by clauses are known. And games on
//! graphs with a limit to optimise: [`pebbling`]; and [`peterson()`].

mod counters;
mod fifo;
mod memclear;
pub mod pebbling;
mod peterson;
mod proportional;
mod ring;
mod shift_parity;

pub use counters::counters;
pub use fifo::{FifoError, MAX_DEPTH, fifo, fifo_with_bug};
pub use memclear::{memclear, memclear_of};
pub use peterson::{
    MAX_PROCESSES, MAX_SWITCHES, PetersonError, Switches, peterson, peterson_with_bug,
};
pub use proportional::proportional;
pub use ring::{ring, ring_with_bug};
pub use shift_parity::{shift_parity, shift_parity_with_bug};

/// The largest size that is built of the families that grow in one number.
pub const MAX_SIZE: u32 = 1 << 16;

/// There is no model of this size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the size {size} is not between {least} and {MAX_SIZE}")]
pub struct SizeError {
    /// The size that was asked for.
    pub size: u32,
    /// The smallest size that the family has.
    pub least: u32,
}

fn fits(size: u32, least: u32) -> Result<(), SizeError> {
    if (least..=MAX_SIZE).contains(&size) { Ok(()) } else { Err(SizeError { size, least }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::TransitionSystem;

    type Family = fn(u32) -> Result<TransitionSystem, SizeError>;

    #[test]
    fn sizes_have_limits() {
        let families: [(Family, u32); 5] = [
            (shift_parity, 1),
            (shift_parity_with_bug, 1),
            (counters, 1),
            (ring, 2),
            (ring_with_bug, 2),
        ];
        for (family, least) in families {
            assert!(family(least).is_ok());
            for size in [least - 1, MAX_SIZE + 1] {
                assert_eq!(family(size).err(), Some(SizeError { size, least }));
            }
        }
        let text = SizeError { size: 0, least: 2 }.to_string();
        assert_eq!(text, "the size 0 is not between 2 and 65536");
    }
}
