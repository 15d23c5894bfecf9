//! What BTOR and BTOR2 share: text of numbered lines, each of which applies one
//! operator to lines before it.
//!
//! The two formats differ in how they write sorts and in what they say of
//! states and properties; their words, numbers, constants, operators and the
//! way nodes are printed are the same and live here.

mod constant;
mod keyword;
mod lines;
mod operator;
mod printer;
mod scanner;
mod table;

pub(crate) use constant::{Constant, Radix, read_constant};
pub(crate) use keyword::{Keyword, Syntax};
pub(crate) use lines::{Lines, Meaning};
pub(crate) use operator::{Operand, Operator, expect_sort};
pub(crate) use printer::{Printer, Ref, fresh_cone, is_shift, printable, push_number};
pub(crate) use scanner::{Scanner, Word};

/// The widest address of an array that writers spell out element by element.
pub(crate) const ELEMENTWISE_ADDRESS: u32 = 10;
