//! Formulas of linear temporal logic as text, over the named signals of a system.
//!
//! ```text
//! file     := (line '\n')*                  '#' starts a comment
//! line     := [name ':'] formula
//! formula  := formula ('<->' | '->' | 's_until' | 'until') formula
//!           | formula ('|' | '||' | '&' | '&&' | 'U' | 'W' | 'R') formula
//!           | ('!' | 'X' | 'F' | 'G' | 'nexttime') formula
//!           | ('always' | 's_eventually') formula
//!           | '(' formula ')' | 'true' | 'false' | atom
//! atom     := signal ['[' bit [':' bit] ']'] [comparison number]
//! signal   := identifier | '"' any characters '"'
//! ```
//!
//! From the tightest: `!`, `X`, `F`, `G`; then `U`, `W`, `R`; then `&`, `|`, `s_until`, `->`,
//! `<->`. The operators of SystemVerilog have the precedence that they have there: `always` and
//! `s_eventually` extend as far as possible. Binary temporal operators and `->` group to the right.
//!
//! A text is parsed without a system ([`parse`], [`parse_file`]). [`Specification::signals`] finds
//! the signals in a system, and [`Specification::bits`] makes bits of them in the same system or in
//! another reading of it. A signal is an input, a state, an output or a label. A name with brackets that the model has, such as
//! `count[3]` in AIGER, is that signal; otherwise the brackets select bits.
//!
//! Limits: formulas are nested at most 200 levels deep.

mod lexer;
mod parser;
mod signals;

use std::ops::Range;

use dashu_int::UBig;
use elinvar_ir::{FormulaId, Formulas};

use crate::Diagnostic;

pub use signals::Signal;

/// A formula with its name and its atoms.
#[derive(Clone, Debug)]
pub struct Specification {
    /// The name that the user gave it, if any.
    pub name: Option<String>,
    /// The graph that the formula is in.
    pub formulas: Formulas,
    /// The formula.
    pub root: FormulaId,
    /// The atoms, by their numbers in the formula.
    pub atoms: Vec<Atom>,
    /// The place of the formula in the text.
    pub span: Range<usize>,
}

/// A bit of the system, as the text describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    signal: String,
    /// The highest and the lowest bit.
    part: Option<(u32, u32)>,
    comparison: Option<(Relation, UBig)>,
    span: Range<usize>,
}

/// How a word is compared, as a number without sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Equal,
    Different,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// Parses one formula, with a name before it or without.
pub fn parse(text: &str) -> Result<Specification, Diagnostic> {
    parser::parse(text, 0)
}

/// Parses a file with a formula on each line.
pub fn parse_file(source: &[u8]) -> Result<Vec<Specification>, Diagnostic> {
    let text = std::str::from_utf8(source).map_err(|error| {
        let at = error.valid_up_to();
        Diagnostic::new("the text is not in UTF-8", at..at + 1)
    })?;
    let mut specifications = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let formula = lexer::without_comment(line);
        if !formula.trim().is_empty() {
            specifications.push(parser::parse(formula, offset)?);
        }
        offset += line.len();
    }
    if specifications.is_empty() {
        return Err(Diagnostic::of_file("the file has no formula"));
    }
    Ok(specifications)
}

#[cfg(test)]
mod tests;
