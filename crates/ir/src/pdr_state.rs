//! What a run of PDR knows, in a form that outlives it.
//!
//! Blankestijn, "Incremental Property Directed Reachability" (2023), Definition 3.6:
//! a valid state of PDR is (M, P, k, F, O), a system, a property, a depth, frames and
//! obligations. This type holds P, k and F; obligations are not carried over. Of M, it
//! holds what is needed to find the registers again in another version of it: the
//! frames refer to bits of registers by name, and by other features that identify registers.
//!
//! The frames F₀ … F_k have the properties Φ of Definition 3.3 for the system that the
//! state was taken from: F₀ is the initial states, Fᵢ ⊆ Fᵢ₊₁, each step from Fᵢ leads
//! into Fᵢ₊₁, and no Fᵢ meets a bad state as far as the status of a property says. For
//! any other system, the lemmas are only good guesses.

use crate::expr::Sort;

/// What is known of some properties of a system.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PdrState {
    /// All registers of the system, by which those of another version are recognised.
    pub registers: Vec<RegisterKey>,
    /// The properties, in the order of the system.
    pub properties: Vec<PropertyRecord>,
    /// The number of the last frame: k.
    pub depth: usize,
    /// The frames as differences: Fᵢ is the conjunction of the lemmas that reach i.
    pub lemmas: Vec<FrameLemma>,
    /// The work in the state, of the run it was taken from and of those before.
    pub seconds: f64,
}

/// What a register is recognised by in another version of the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegisterKey {
    /// Empty if it has none.
    pub name: String,
    /// Its place among the registers.
    pub index: usize,
    /// The sort of the register.
    pub sort: Sort,
    /// Hashes of what it computes, each looking one register further than the one
    /// before. Names do not count in them, nor does the order of anything.
    pub shape: Vec<u64>,
}

/// A property and what is known of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyRecord {
    /// The name of the property.
    pub name: String,
    /// What is known about it.
    pub status: PropertyStatus,
}

/// What a run knows about a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyStatus {
    /// The property holds in the frames up to this one, at most the last. Zero makes
    /// no claim, not even about the initial states.
    Open {
        /// The last frame that excludes a failure.
        clear: usize,
    },
    /// The lemmas that reach F∞ imply the property.
    Safe,
    /// It fails.
    Unsafe,
}

/// Up to which frame a lemma holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reach {
    /// In all frames up to this one.
    Frame(usize),
    /// In every frame (F∞): these lemmas are inductive together.
    Always,
}

/// A clause over bits of registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameLemma {
    /// In which frames the lemma holds.
    pub reach: Reach,
    /// The literals, of which one is true.
    pub clause: Vec<RegisterLiteral>,
}

/// A bit of a register, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegisterLiteral {
    /// The number of the register in [`PdrState::registers`].
    pub register: usize,
    /// The bit; of a memory, bit i of address a is `a * width + i`.
    pub position: usize,
    /// Whether the literal says that the bit is set.
    pub positive: bool,
}
