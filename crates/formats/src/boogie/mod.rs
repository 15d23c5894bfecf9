//! Boogie programs, in the dialects of Boogie and of Ultimate.
//!
//! ```text
//! source ─ lexer ─ parser ─► syntax ─ scope, types, functions, expression ─► terms
//!                               └──── procedures, routine ─► graphs of bodies
//!                                                └─ axioms, assemble ─► Program
//! ```
//!
//! Where Boogie and Ultimate differ, the text tells: `/` of integers is an integer, as in
//! Ultimate, unless the program writes `div` or `mod` somewhere, as only Boogie does.
//!
//! Not supported, each with an error that says so: type parameters, lambda expressions,
//! the order of constants, powers, concurrency, recursive functions with a body, and
//! quantifiers other than in axioms, `assume exists` and `assert forall`.

mod assemble;
mod axioms;
mod cycles;
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

use elinvar_ir::program::{Program, Term, Terms, VariableId};

pub use print::expression;

use crate::Diagnostic;
use expression::Lowering;
use lexer::Kind;
use lines::Lines;
use scope::{Known, Scope};

/// How divisions are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// `div` and `mod`.
    Boogie,
    /// `/` and `%`.
    Ultimate,
}

/// The dialect that a program is written in, as far as its words tell.
pub fn dialect(source: &[u8]) -> Dialect {
    let Ok(source) = text(source) else { return Dialect::Boogie };
    let Ok(unit) = parser::unit(source) else { return Dialect::Boogie };
    let is_ultimates = |kind: Kind<'_>| match kind {
        Kind::Symbol(symbol) => matches!(symbol, "%" | "/"),
        Kind::Name(name) => name.contains('~') || name.starts_with("ULTIMATE."),
        Kind::Integer(_) | Kind::Decimal(_) | Kind::Word(..) | Kind::Text(_) | Kind::End => false,
    };
    let tokens = lexer::tokens(source).unwrap_or_default();
    if !unit.divides_by_words && tokens.iter().any(|token| is_ultimates(token.kind)) {
        Dialect::Ultimate
    } else {
        Dialect::Boogie
    }
}

/// Reads a program.
pub fn read(source: &[u8]) -> Result<Program, Diagnostic> {
    let source = text(source)?;
    let unit = parser::unit(source)?;
    let mut scope = Scope::new(&unit)?;
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
        Diagnostic::new("the file is not text in UTF-8", at..at + 1)
    })
}

#[cfg(test)]
mod tests;
