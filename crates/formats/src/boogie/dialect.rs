//! The two dialects, and how a program's text names one.
//!
//! Only a header or the name of a procedure matters: an operator somewhere in the
//! program must not change what `/` means elsewhere.

use super::lexer::header;
use super::syntax::Unit;

/// Which language a program is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// `/` is the division of reals; integers have `div` and `mod`.
    Boogie,
    /// `/` of integers is their quotient, `%` the remainder.
    Ultimate,
}

impl Dialect {
    /// The name of the dialect, as options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Boogie => "boogie",
            Dialect::Ultimate => "ultimate",
        }
    }
}

/// What Ultimate's benchmarks say in a comment before the first declaration, `//#Safe`.
const HEADERS: [&str; 7] = [
    "#Safe",
    "#Unsafe",
    "#Unknown",
    "#Terminating",
    "#NonTerminating",
    "#Nonterminating",
    "#mUnsafe",
];

/// The dialect that the text names: Ultimate's if it has a header or a procedure of
/// Ultimate, otherwise Boogie.
pub(super) fn of(source: &str, unit: &Unit<'_>) -> Dialect {
    let has_header = header(source)
        .iter()
        .filter_map(|line| line.split_whitespace().next())
        .any(|word| HEADERS.contains(&word));
    let is_ultimates = |name: &str| name.starts_with("ULTIMATE.");
    let has_procedure =
        unit.procedures.iter().any(|procedure| is_ultimates(procedure.signature.name.text));
    if has_header || has_procedure { Dialect::Ultimate } else { Dialect::Boogie }
}
