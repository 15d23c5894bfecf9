//! A store of proofs, by what they prove.
//!
//! The key of a property is a hash of its cone in a normal form ([`normal`]): names, the order of
//! a file and logic that the property does not depend on do not matter. The value is a certificate
//! or a trace about this normal form ([`text`]). A run asks the store before the engines. What it
//! finds is renamed to the user's system and checked like the evidence of an engine, so that no
//! entry has to be trusted: a damaged, foreign or wrong one is put aside, and the property is
//! decided as if it had not been there.
//!
//! Limits: programs are looked up as the transition systems that they are encoded as, and only if
//! an engine for transition systems is to decide them.

mod answer;
mod disk;
mod entry;
mod graph;
mod key;
mod lemmas;
mod normal;
mod session;
mod sweep;
#[cfg(test)]
mod tests;
mod text;

pub use disk::Store;
pub use key::Key;
pub(crate) use normal::{NormalForms, Normaliser};
pub(crate) use session::Depth;
pub use sweep::{Amount, StoreStatistics, Swept};
