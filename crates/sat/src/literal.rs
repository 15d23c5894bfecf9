//! Variables and literals.

use std::fmt;
use std::ops::Not;

/// A propositional variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var(u32);

impl Var {
    /// The variable with this number.
    #[inline]
    pub fn new(index: usize) -> Self {
        Var(index as u32)
    }

    /// The number of the variable.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal that is true if the variable is.
    #[inline]
    pub fn positive(self) -> Lit {
        Lit(self.0 << 1)
    }
}

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    /// No literal of any solver.
    pub(crate) const NONE: Lit = Lit(u32::MAX);

    /// The variable of the literal.
    #[inline]
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether the literal is a negation.
    #[inline]
    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// The literal, negated when `condition` is true.
    #[inline]
    pub fn negate_if(self, condition: bool) -> Self {
        Lit(self.0 ^ condition as u32)
    }

    /// A small number that stands for the literal, for tables: twice the
    /// variable, plus one when negative.
    #[inline]
    pub fn code(self) -> usize {
        self.0 as usize
    }

    /// The literal of a number that [`Lit::code`] gave.
    #[inline]
    pub const fn from_code(code: usize) -> Self {
        Lit(code as u32)
    }
}

impl Not for Lit {
    type Output = Lit;

    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", if self.is_negative() { "-" } else { "" }, self.0 >> 1)
    }
}
