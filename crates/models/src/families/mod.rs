//! Families of models with a parameter.
//!
//! The case studies of Brummayer, Biere and Lonsing, "BTOR: Bit-Precise Modelling
//! of Word-Level Problems for Model Checking" (BPR 2008): [`fifo`] and
//! [`memclear`]. For the growth of effort with size: [`shift_parity`],
//! [`counters`] and [`ring`], whose shortest proofs by clauses are known. And games on
//! graphs with a limit to optimise: [`pebbling`]; and [`peterson()`]. For the growth of proofs of
//! liveness: [`arbiters`]. For many properties: [`chip()`].

mod arbiters;
mod chip;
mod counters;
mod fifo;
mod memclear;
pub mod pebbling;
mod peterson;
mod proportional;
mod ring;
mod shift_parity;

pub use arbiters::{arbiters, arbiters_with_bug};
pub use chip::{chip, chip_edited};
pub use counters::counters;
pub use fifo::{FifoError, MAX_DEPTH, fifo, fifo_with_bug};
pub use memclear::{memclear, memclear_of};
pub use peterson::{
    MAX_PROCESSES, MAX_SWITCHES, PetersonError, Switches, peterson, peterson_with_bug,
};
pub use proportional::proportional;
pub use ring::{ring, ring_with_bug};
pub use shift_parity::{shift_parity, shift_parity_with_bug};

use elinvar_ir::{SortError, TransitionSystem};

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

/// The model of a family that has this size, if the family has one.
fn of_size(
    size: u32,
    least: u32,
    build: impl FnOnce(u32) -> Result<TransitionSystem, SortError>,
) -> Result<TransitionSystem, SizeError> {
    if (least..=MAX_SIZE).contains(&size) {
        Ok(build(size).expect("the sorts do not depend on the size"))
    } else {
        Err(SizeError { size, least })
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::PropertyId;

    use super::*;
    use crate::{Outcome, search};

    type Family = fn(u32) -> Result<TransitionSystem, SizeError>;

    #[test]
    fn sizes_have_limits() {
        let families: [(Family, u32); 7] = [
            (arbiters, 2),
            (arbiters_with_bug, 2),
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

    /// Safe families are safe, and a bug shows after as many steps as the size says.
    #[test]
    fn small_models_by_exhaustive_search() {
        let families: [(&str, Family, std::ops::RangeInclusive<u32>, bool); 5] = [
            ("counters", counters, 1..=3, true),
            ("ring", ring, 2..=6, true),
            ("ring_with_bug", ring_with_bug, 2..=6, false),
            ("shift_parity", shift_parity, 1..=2, true),
            ("shift_parity_with_bug", shift_parity_with_bug, 1..=2, false),
        ];
        for (name, family, sizes, is_safe) in families {
            for size in sizes {
                let expected = if is_safe { Outcome::Safe } else { Outcome::Unsafe(size as usize) };
                let found = search(&family(size).unwrap(), 100_000);
                assert_eq!(found, Ok(vec![(PropertyId(0), expected)]), "{name} {size}");
            }
        }
    }
}
