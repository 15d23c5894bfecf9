//! Boogie programs, in the dialects of Boogie and of Ultimate.
//!
//! ```text
//! source ─ lexer ─ parser ─► syntax ─ scope, types, functions, expression ─► terms
//!                               └──── procedures, routine ─► graphs of bodies
//!                                                └─ axioms, assemble ─► Program
//! ```
//!
//! The dialects differ in one operator: `/` of integers is a real number in Boogie and an
//! integer in Ultimate. The caller chooses the [`Dialect`], or `dialect` finds it by what
//! only Ultimate's programs have: a header such as `//#Safe`, or a procedure `ULTIMATE.…`.
//!
//! Not supported, each with an error that says so: type parameters, lambda expressions,
//! the order of constants, powers, concurrency, recursive functions with a body, and
//! quantifiers other than in axioms, `assume exists` and `assert forall`.

mod assemble;
mod axioms;
mod cycles;
mod dialect;
mod expression;
mod functions;
mod lexer;
mod lines;
mod parser;
mod print;
mod procedures;
mod routine;
mod scope;
mod syntax;
mod types;

use std::ops::Range;

use elinvar_ir::program::{EdgeId, Program, Term, Terms, VariableId};

pub use dialect::Dialect;
pub use print::expression;

use crate::Diagnostic;
use expression::Lowering;
use lines::Lines;
use scope::{Known, Scope};

/// A program with what its graph does not show.
#[derive(Debug)]
pub struct Reading {
    /// The control-flow graph.
    pub program: Program,
    /// The dialect that the program was read in.
    pub dialect: Dialect,
    /// Remarks that are not errors, in the order of the source.
    pub notes: Vec<Note>,
    /// The verified bodies, each with the assumptions that lead to it.
    pub entries: Vec<Entry>,
}

/// A remark about the source that is not an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// What the user should know.
    pub message: String,
    /// The bytes of the source that the note is about.
    pub span: Range<usize>,
}

/// A body that is verified, and the path from the entry of the program to its first
/// statement: axioms, `where` clauses and preconditions.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name of the procedure.
    pub procedure: String,
    /// The edges from the entry of the program to the first statement.
    pub path: Vec<EdgeId>,
}

/// Reads a program, in the dialect that its text names.
pub fn read(source: &[u8]) -> Result<Program, Diagnostic> {
    Ok(read_in(source, None)?.program)
}

/// Reads a program in this dialect; `None` means the one that its text names.
pub fn read_in(source: &[u8], chosen: Option<Dialect>) -> Result<Reading, Diagnostic> {
    read_with(source, chosen, Terms::new())
}

/// Reads a program without rewriting any of its terms. Locations, edges, variables,
/// functions and properties have the same numbers as in [`read_in`].
pub fn read_verbatim(source: &[u8], dialect: Dialect) -> Result<Program, Diagnostic> {
    Ok(read_with(source, Some(dialect), Terms::verbatim())?.program)
}

fn read_with(source: &[u8], chosen: Option<Dialect>, terms: Terms) -> Result<Reading, Diagnostic> {
    if source.trim_ascii().is_empty() {
        return Err(Diagnostic::of_file("the file is empty"));
    }
    let source = text(source)?;
    let unit = parser::unit(source)?;
    let dialect = chosen.unwrap_or_else(|| dialect::of(source, &unit));
    let mut scope = Scope::new(&unit, dialect, terms)?;
    functions::declare(&mut scope, &unit)?;
    scope::constrain_globals(&mut scope, &unit)?;
    let axioms = axioms::axioms(&mut scope, &unit)?;
    let (procedures, drafts) = procedures::procedures(&mut scope, &unit)?;
    Ok(assemble::assemble(scope, &procedures, &drafts, axioms, &Lines::new(source)))
}

/// Reads an expression as [`expression`] writes it: the names are those that the pool has
/// for these variables, and those of its functions.
pub fn read_expression(
    terms: &mut Terms,
    variables: &[VariableId],
    source: &str,
) -> Result<Term, Diagnostic> {
    let expr = parser::expression(source)?;
    let known = Known::of(terms, variables);
    let mut scope = Scope::of_pool(std::mem::take(terms), &known, source);
    let value = Lowering::stateless(&mut scope).value(&expr);
    *terms = scope.terms;
    Ok(value?.parts[0])
}

fn text(source: &[u8]) -> Result<&str, Diagnostic> {
    std::str::from_utf8(source).map_err(|error| {
        let at = error.valid_up_to();
        Diagnostic::new("the file is not valid UTF-8", at..at + 1)
    })
}

#[cfg(test)]
mod tests;
