//! Transformations of systems.

mod bitblast;

pub use bitblast::{BlastError, bitblast};
