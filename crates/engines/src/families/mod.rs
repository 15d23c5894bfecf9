//! Families of models with a parameter: the case studies of Brummayer, Biere
//! and Lonsing, "BTOR: Bit-Precise Modelling of Word-Level Problems for Model
//! Checking" (BPR 2008).

mod fifo;
mod memclear;

pub use fifo::{FifoError, MAX_DEPTH, fifo, fifo_with_bug};
pub use memclear::{memclear, memclear_of};
