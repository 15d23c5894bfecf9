//! Elinvar's own text format for certificates that no witness circuit expresses.
//!
//! A proof by k-induction over simple paths (all states of a path different)
//! has no equivalent as an inductive invariant of linear size, and neither AIGER
//! nor BTOR2 can say that something holds for all values of an input. The format
//! says which induction to redo, or which invariant to check:
//!
//! ```text
//! elinvar certificate 1           elinvar certificate 1
//! property NAME                   property NAME
//! k-induction K simple-path       invariant for all inputs
//!                                 1 sort bitvec 1
//!                                 …
//! ```
//!
//! The first line gives the version. `NAME` is the rest of its line: the name
//! of the property, or its number when the name does not determine it.
//! `simple-path` is left out for plain k-induction. What follows `invariant` is
//! BTOR2 with the inputs and states of the model, in its order and without their
//! initial and next values, and one `bad`: that it is never true, whatever
//! values the inputs have, is inductive and implies the property. Empty lines
//! and lines that begin with `;` are skipped.

use std::fmt::Write;
use std::ops::Range;

use elinvar_ir::{
    Certificate, ExprId, Formula, PropertyKind, Role, SystemBuilder, TransitionSystem, cone, import,
};
use rustc_hash::FxHashMap;

use crate::{Diagnostic, WriteError, btor2};

/// The largest `K` that is read; nobody could check a larger induction.
const MAX_K: usize = 1_000_000;

const HEADER: &str = "elinvar certificate 1";

const INVARIANT: &str = "invariant for all inputs";

/// What a certificate file claims.
#[derive(Clone, PartialEq, Debug)]
pub struct TextCertificate {
    /// Name or number of the property.
    pub property: String,
    /// Why the property holds.
    pub proof: Proof,
}

/// The proofs that the format expresses.
#[derive(Clone, PartialEq, Debug)]
pub enum Proof {
    /// The property is k-inductive.
    KInduction {
        /// The length of the paths.
        k: usize,
        /// Whether only paths without repeated states count.
        simple_path: bool,
    },
    /// The formula is an inductive invariant that implies the property.
    Invariant(Box<Formula>),
}

impl Proof {
    /// The proof of a certificate, unless it is one for a witness circuit.
    pub fn of(certificate: &Certificate) -> Option<Self> {
        match certificate {
            Certificate::Inductive { .. } | Certificate::Facts { .. } | Certificate::Ranking(_) => {
                None
            }
            &Certificate::KInductive { k, simple_path } => {
                Some(Proof::KInduction { k, simple_path })
            }
            Certificate::Formula(formula) => Some(Proof::Invariant(formula.clone())),
        }
    }

    /// The proof as a certificate, to be checked.
    pub fn into_certificate(self) -> Certificate {
        match self {
            Proof::KInduction { k, simple_path } => Certificate::KInductive { k, simple_path },
            Proof::Invariant(formula) => Certificate::Formula(formula),
        }
    }
}

/// Does the file claim to be a certificate of this format, of any version?
pub fn is_certificate(source: &[u8]) -> bool {
    source.starts_with(b"elinvar certificate")
}

/// Reads a certificate.
pub fn read(source: &[u8]) -> Result<TextCertificate, Diagnostic> {
    let text = std::str::from_utf8(source).map_err(|error| {
        let at = error.valid_up_to();
        Diagnostic::new("a certificate must be UTF-8 text", at..at + 1)
    })?;
    let mut lines = Lines { text, offset: 0 };
    let header = lines.next("the header")?;
    if &text[header.clone()] != HEADER {
        return Err(Diagnostic::new("not a certificate of a known version", header)
            .with_help(format!("the first line is `{HEADER}`")));
    }
    let property = field(text, lines.next("the property")?, "property")?;
    let line = lines.next("the proof")?;
    let proof = if text[line.clone()] == *INVARIANT {
        Proof::Invariant(Box::new(read_invariant(source, lines.offset)?))
    } else {
        let proof = induction(text, line)?;
        if let Ok(extra) = lines.next("nothing") {
            return Err(Diagnostic::new("a line after the end of the certificate", extra));
        }
        proof
    };
    Ok(TextCertificate { property: text[property].to_owned(), proof })
}

/// Writes a certificate about a property of `system`; what is written is read
/// back as the same claim.
pub fn write(
    certificate: &TextCertificate,
    system: &TransitionSystem,
) -> Result<Vec<u8>, WriteError> {
    let mut text = format!("{HEADER}\nproperty {}\n", certificate.property);
    match &certificate.proof {
        Proof::KInduction { k, simple_path } => {
            let paths = if *simple_path { " simple-path" } else { "" };
            writeln!(text, "k-induction {k}{paths}").expect("strings do not fail");
            Ok(text.into_bytes())
        }
        Proof::Invariant(formula) => {
            text.push_str(INVARIANT);
            text.push('\n');
            let mut bytes = text.into_bytes();
            bytes.extend(btor2::write(&as_system(formula, system))?);
            Ok(bytes)
        }
    }
}

/// The inputs and states of the system, free, and the negation of the formula.
fn as_system(formula: &Formula, system: &TransitionSystem) -> TransitionSystem {
    const SORTS: &str = "the sorts of the system";
    let mut builder = SystemBuilder::new();
    let sort = |symbol| system.pool().sort(symbol);
    let inputs: Vec<ExprId> = (system.inputs().iter().enumerate())
        .map(|(i, input)| builder.input(sort(input.symbol), Some(&system.input_name(i))))
        .collect::<Result<_, _>>()
        .expect(SORTS);
    let states: Vec<ExprId> = (system.states().iter().enumerate())
        .map(|(i, state)| builder.state(sort(state.symbol), Some(&system.state_name(i))))
        .collect::<Result<_, _>>()
        .expect(SORTS);
    let mut meaning = FxHashMap::default();
    for node in cone(&formula.pool, [formula.expr]) {
        if let Some(symbol) = formula.pool.as_symbol(node) {
            let same = match formula.symbols[symbol.index()] {
                Role::Input(index) => inputs[index],
                Role::State(index) => states[index],
            };
            meaning.insert(node, same);
        }
    }
    let claim = import(&mut builder.pool, &formula.pool, formula.expr, &meaning);
    let bad = builder.pool.not(claim).expect("a bit");
    builder.bad("invariant", bad);
    builder.finish().expect("well-sorted")
}

/// The invariant from `offset` on.
fn read_invariant(source: &[u8], offset: usize) -> Result<Formula, Diagnostic> {
    let shift = |error: Diagnostic| error.shifted(offset);
    let system = btor2::read(&source[offset..]).map_err(shift)?.system;
    let [property] = system.properties() else {
        let message = "an invariant must be exactly one `bad`";
        return Err(Diagnostic::new(message, source.len()..source.len()));
    };
    let PropertyKind::Bad(bad) = property.kind else {
        let message = "an invariant must be a `bad`, not a `justice`";
        return Err(Diagnostic::new(message, source.len()..source.len()));
    };
    let count = system.pool().symbol_count();
    let symbols = (0..count).map(|n| system.role(system.pool().nth_symbol(n))).collect();
    let mut pool = system.into_builder().pool;
    let expr = pool.not(bad).expect("a bit");
    Ok(Formula { pool, expr, symbols })
}

/// The significant lines of a file, trimmed, as byte ranges.
struct Lines<'a> {
    text: &'a str,
    offset: usize,
}

impl Lines<'_> {
    fn next(&mut self, expected: &str) -> Result<Range<usize>, Diagnostic> {
        while self.offset < self.text.len() {
            let rest = &self.text[self.offset..];
            let line = rest.split_inclusive('\n').next().unwrap_or(rest);
            let start = self.offset + (line.len() - line.trim_start().len());
            self.offset += line.len();
            let content = line.trim();
            if !content.is_empty() && !content.starts_with(';') {
                return Ok(start..start + content.len());
            }
        }
        let end = self.text.len();
        Err(Diagnostic::new(format!("expected {expected}, found the end of the file"), end..end))
    }
}

/// The range of what follows `keyword` on the line.
fn field(text: &str, line: Range<usize>, keyword: &str) -> Result<Range<usize>, Diagnostic> {
    let rest =
        text[line.clone()].strip_prefix(keyword).filter(|rest| rest.starts_with([' ', '\t']));
    match rest.map(str::trim_start) {
        Some(rest) if !rest.is_empty() => Ok(line.end - rest.len()..line.end),
        Some(_) | None => Err(Diagnostic::new(format!("expected `{keyword} …`"), line)),
    }
}

fn induction(text: &str, line: Range<usize>) -> Result<Proof, Diagnostic> {
    let range = field(text, line, "k-induction")?;
    let mut words = text[range.clone()].split_whitespace();
    let number = words.next().unwrap_or_default();
    let span = range.start..range.start + number.len();
    let k = number.parse().ok().filter(|k| (1..=MAX_K).contains(k)).ok_or_else(|| {
        Diagnostic::new(format!("`{number}` is not a number of steps"), span)
            .with_help(format!("K is between 1 and {MAX_K}"))
    })?;
    match (words.next(), words.next()) {
        (None, None) => Ok(Proof::KInduction { k, simple_path: false }),
        (Some("simple-path"), None) => Ok(Proof::KInduction { k, simple_path: true }),
        (Some(_), _) | (None, Some(_)) => {
            Err(Diagnostic::new("expected `k-induction K [simple-path]`", range))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{BitVec, Evaluator, Pool, Sort};

    fn system() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        b.input(Sort::Bv(4), Some("x")).unwrap();
        b.state(Sort::BOOL, None).unwrap();
        b.state(Sort::Bv(4), Some("s")).unwrap();
        b.finish().unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        for simple_path in [false, true] {
            let property = "a name with spaces".to_owned();
            let proof = Proof::KInduction { k: 7, simple_path };
            let certificate = TextCertificate { property, proof };
            let text = write(&certificate, &system()).unwrap();
            assert!(is_certificate(&text));
            assert_eq!(read(&text), Ok(certificate));
        }
    }

    /// The invariant x ≠ s, over symbols in another order than the system's.
    #[test]
    fn invariants_are_written_and_read() {
        let mut pool = Pool::new();
        let s = pool.symbol(Sort::Bv(4), None).unwrap();
        let x = pool.symbol(Sort::Bv(4), None).unwrap();
        let equal = pool.equal(x, s).unwrap();
        let expr = pool.not(equal).unwrap();
        let symbols = vec![Role::State(1), Role::Input(0)];
        let formula = Box::new(Formula { pool, expr, symbols });
        let proof = Proof::Invariant(formula.clone());
        let certificate = TextCertificate { property: "p".to_owned(), proof };
        let text = write(&certificate, &system()).unwrap();
        let Proof::Invariant(back) = read(&text).unwrap().proof else { panic!("an invariant") };
        // The same claim: both say the same of every value.
        let value = |formula: &Formula, x: u64, s: u64| {
            let mut evaluator = Evaluator::new(&formula.pool, [formula.expr]);
            evaluator.run(|symbol| {
                let number = formula.pool.as_symbol(symbol).unwrap().index();
                let value = if formula.symbols[number] == Role::Input(0) { x } else { s };
                BitVec::new(4, value).into()
            });
            evaluator.holds(formula.expr)
        };
        for (x, s) in [(0, 0), (3, 3), (3, 4), (15, 0)] {
            assert_eq!(value(&back, x, s), value(&formula, x, s));
        }
        let again = TextCertificate { property: "p".to_owned(), proof: Proof::Invariant(back) };
        assert_eq!(write(&again, &system()).unwrap(), text);
    }

    #[test]
    fn comments_and_empty_lines_are_skipped() {
        let text = "elinvar certificate 1\n\n; why\n  property p \r\nk-induction 2\n; end\n";
        let certificate = read(text.as_bytes()).unwrap();
        assert_eq!(certificate.property, "p");
        assert_eq!(certificate.proof, Proof::KInduction { k: 2, simple_path: false });
    }

    #[test]
    fn errors_point_at_the_word() {
        crate::annotated::check("certificate.txt", read);
        assert!(read(b"").unwrap_err().message.contains("the header"));
        assert!(read(b"elinvar certificate 1\n\xff").is_err());
    }
}
