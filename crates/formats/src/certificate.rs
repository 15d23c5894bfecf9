//! Elinvar's own text format for certificates that no witness circuit expresses.
//!
//! A proof by k-induction over simple paths (all states of a path different)
//! has no equivalent as an inductive invariant of linear size, and neither AIGER
//! nor BTOR2 can say that something holds for all values of an input. BTOR2 cannot relate two
//! states, as a ranking does. The format says which induction to redo, or which invariant or
//! ranking to check:
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
//! and lines that begin with `;` are skipped. An invariant of clauses has a shorter form
//! ([`clauses`]).
//!
//! A ranking ([`elinvar_ir::Ranking`]) is the line `ranking` and BTOR2 as well. Its states are
//! those of the model, without initial and next values, then the observers, with both. Its inputs
//! are those of the model, then one for each of its states: the state's value in the second state
//! of a relation. It has one `bad`, the negated invariant, and one `justice`: the negated
//! relations, those of the fairness constraints first.

pub mod clauses;

use std::fmt::Write;
use std::ops::Range;

use elinvar_ir::{
    Certificate, ExprId, Formula, Observer, Property, PropertyKind, Ranking, RankingSymbol, Role,
    SystemBuilder, TransitionSystem, cone, import,
};
use rustc_hash::FxHashMap;

use self::clauses::Clauses;
use crate::{Diagnostic, WriteError, btor2};

/// The largest `K` that is read; nobody could check a larger induction.
const MAX_K: usize = 1_000_000;

const HEADER: &str = "elinvar certificate 1";

const INVARIANT: &str = "invariant for all inputs";

const CLAUSES: &str = "invariant of clauses";

const RANKING: &str = "ranking";

const SORTS: &str = "the sorts of the system";

const BIT: &str = "a bit";

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
    /// The clauses are an inductive invariant that implies the property.
    Clauses(Clauses),
    /// The ranking proves the liveness property.
    Ranking(Box<Ranking>),
}

impl Proof {
    /// The proof of a certificate about a system; none for facts about words.
    pub fn of(certificate: &Certificate, system: &TransitionSystem) -> Option<Self> {
        match certificate {
            Certificate::Facts { .. } => None,
            Certificate::Inductive { clauses } => Clauses::of(clauses, system).map(Proof::Clauses),
            Certificate::Ranking(ranking) => Some(Proof::Ranking(ranking.clone())),
            &Certificate::KInductive { k, simple_path } => {
                Some(Proof::KInduction { k, simple_path })
            }
            Certificate::Formula(formula) => Some(Proof::Invariant(formula.clone())),
        }
    }

    /// The proof as a certificate about a system, to be checked.
    ///
    /// # Errors
    /// If it is about states that the system does not have.
    pub fn into_certificate(self, system: &TransitionSystem) -> Result<Certificate, String> {
        Ok(match self {
            Proof::KInduction { k, simple_path } => Certificate::KInductive { k, simple_path },
            Proof::Invariant(formula) => Certificate::Formula(formula),
            Proof::Clauses(clauses) => clauses.into_certificate(system)?,
            Proof::Ranking(ranking) => Certificate::Ranking(ranking),
        })
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
    } else if text[line.clone()] == *CLAUSES {
        Proof::Clauses(Clauses::read(&mut lines)?)
    } else if text[line.clone()] == *RANKING {
        Proof::Ranking(Box::new(read_ranking(source, lines.offset)?))
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
        Proof::Clauses(clauses) => {
            text.push_str(CLAUSES);
            text.push('\n');
            clauses.write(&mut text);
            Ok(text.into_bytes())
        }
        Proof::Ranking(ranking) => {
            text.push_str(RANKING);
            text.push('\n');
            let mut bytes = text.into_bytes();
            bytes.extend(btor2::write(&ranking_system(ranking, system))?);
            Ok(bytes)
        }
    }
}

/// A builder with the inputs and states of the system, free.
fn free_copy(system: &TransitionSystem) -> (SystemBuilder, Vec<ExprId>, Vec<ExprId>) {
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
    (builder, inputs, states)
}

/// The inputs and states of the system, free, and the negation of the formula.
fn as_system(formula: &Formula, system: &TransitionSystem) -> TransitionSystem {
    let (mut builder, inputs, states) = free_copy(system);
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

/// A ranking as the system that the format describes.
fn ranking_system(ranking: &Ranking, system: &TransitionSystem) -> TransitionSystem {
    let (mut builder, inputs, mut states) = free_copy(system);
    for Observer { name, sort, .. } in &ranking.observers {
        let name = Some(name.as_str()).filter(|name| !name.is_empty());
        states.push(builder.state(*sort, name).expect(SORTS));
    }
    let mut copies = Vec::with_capacity(states.len());
    for &state in &states {
        let sort = builder.pool.sort(state);
        copies.push(builder.input(sort, None).expect(SORTS));
    }
    let first = system.states().len();
    let observers = ranking.observers.iter().flat_map(|observer| [observer.init, observer.next]);
    let roots = observers.chain([ranking.invariant]).chain(ranking.relation.iter().copied());
    let mut meaning = FxHashMap::default();
    for node in cone(&ranking.pool, roots) {
        if let Some(symbol) = ranking.pool.as_symbol(node) {
            let same = match ranking.symbols[symbol.index()] {
                RankingSymbol::Input(index) => inputs[index],
                RankingSymbol::State(index) => states[index],
                RankingSymbol::Observer(index) => states[first + index],
                RankingSymbol::OtherState(index) => copies[index],
                RankingSymbol::OtherObserver(index) => copies[first + index],
            };
            meaning.insert(node, same);
        }
    }
    let pool = &mut builder.pool;
    let mut copy = |expr| import(pool, &ranking.pool, expr, &meaning);
    let values: Vec<(ExprId, ExprId)> = (ranking.observers.iter())
        .map(|observer| (copy(observer.init), copy(observer.next)))
        .collect();
    let invariant = copy(ranking.invariant);
    let relation: Vec<ExprId> = ranking.relation.iter().map(|&expr| copy(expr)).collect();
    for (state, (init, next)) in builder.states[first..].iter_mut().zip(values) {
        (state.init, state.next) = (Some(init), Some(next));
    }
    let broken = builder.pool.not(invariant).expect(BIT);
    builder.bad("invariant", broken);
    let signals = relation.into_iter().map(|expr| builder.pool.not(expr).expect(BIT)).collect();
    builder.properties.push(Property::new("relations", PropertyKind::Justice(signals)));
    builder.finish().expect("well-sorted")
}

/// The ranking from `offset` on.
fn read_ranking(source: &[u8], offset: usize) -> Result<Ranking, Diagnostic> {
    let end = |message: &str| Err(Diagnostic::new(message, source.len()..source.len()));
    let system = btor2::read(&source[offset..]).map_err(|error| error.shifted(offset))?.system;
    let (mut bad, mut signals) = (None, None);
    for property in system.properties() {
        let repeated = match &property.kind {
            PropertyKind::Bad(bit) => bad.replace(*bit).is_some(),
            PropertyKind::Justice(bits) => signals.replace(bits.clone()).is_some(),
        };
        if repeated {
            return end("a ranking must have exactly one `bad` and one `justice`");
        }
    }
    let (Some(bad), Some(signals)) = (bad, signals) else {
        return end("a ranking must have one `bad` and one `justice`");
    };
    if !system.constraints().is_empty() || !system.fairness().is_empty() {
        return end("a ranking must have neither `constraint` nor `fair`");
    }
    let states = system.states();
    let is_free = |state: &elinvar_ir::State| state.init.is_none() && state.next.is_none();
    let first = states.iter().take_while(|state| is_free(state)).count();
    let Some(inputs) = system.inputs().len().checked_sub(states.len()) else {
        return end("a ranking must have an input for each state, after those of the model");
    };
    let mut observers = Vec::new();
    for (index, state) in states.iter().enumerate().skip(first) {
        let (Some(init), Some(next)) = (state.init, state.next) else {
            return end("the observers must have initial and next values, and follow the states");
        };
        let sort = system.pool().sort(state.symbol);
        observers.push(Observer { name: system.state_name(index), sort, init, next });
    }
    let symbol = |number| match system.role(system.pool().nth_symbol(number)) {
        Role::State(index) if index < first => RankingSymbol::State(index),
        Role::State(index) => RankingSymbol::Observer(index - first),
        Role::Input(index) if index < inputs => RankingSymbol::Input(index),
        Role::Input(index) if index - inputs < first => RankingSymbol::OtherState(index - inputs),
        Role::Input(index) => RankingSymbol::OtherObserver(index - inputs - first),
    };
    let symbols = (0..system.pool().symbol_count()).map(symbol).collect();
    let mut pool = system.into_builder().pool;
    let invariant = pool.not(bad).expect(BIT);
    let relation = signals.into_iter().map(|signal| pool.not(signal).expect(BIT)).collect();
    Ok(Ranking { pool, symbols, observers, invariant, relation })
}

/// The significant lines of a file, trimmed, as byte ranges.
struct Lines<'a> {
    text: &'a str,
    offset: usize,
}

impl Lines<'_> {
    fn next(&mut self, expected: &str) -> Result<Range<usize>, Diagnostic> {
        let end = self.text.len();
        let missing = || format!("expected {expected}, found the end of the file");
        self.next_if_any().ok_or_else(|| Diagnostic::new(missing(), end..end))
    }

    fn next_if_any(&mut self) -> Option<Range<usize>> {
        while self.offset < self.text.len() {
            let rest = &self.text[self.offset..];
            let line = rest.split_inclusive('\n').next().unwrap_or(rest);
            let start = self.offset + (line.len() - line.trim_start().len());
            self.offset += line.len();
            let content = line.trim();
            if !content.is_empty() && !content.starts_with(';') {
                return Some(start..start + content.len());
            }
        }
        None
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

    /// Relations over everything that they may mention, and an observer of the input.
    fn ranking() -> Ranking {
        let mut pool = Pool::new();
        let symbols = vec![
            RankingSymbol::OtherObserver(0),
            RankingSymbol::State(1),
            RankingSymbol::Input(0),
            RankingSymbol::OtherState(1),
            RankingSymbol::Observer(0),
            RankingSymbol::State(0),
        ];
        let mut word = |width| pool.symbol(Sort::Bv(width), None).unwrap();
        let [other_seen, s, x, other_s, seen] = [(); 5].map(|()| word(4));
        let bit = word(1);
        let same = pool.equal(s, other_s).unwrap();
        let same_seen = pool.equal(seen, other_seen).unwrap();
        let both = pool.and(same, same_seen).unwrap();
        let observer = Observer { name: "seen".into(), sort: Sort::Bv(4), init: s, next: x };
        let relation = vec![both, same_seen];
        Ranking { pool, symbols, observers: vec![observer], invariant: bit, relation }
    }

    #[test]
    fn rankings_are_written_and_read() {
        let proof = Proof::Ranking(Box::new(ranking()));
        let certificate = TextCertificate { property: "p".to_owned(), proof };
        let text = write(&certificate, &system()).unwrap();
        let Proof::Ranking(back) = read(&text).unwrap().proof else { panic!("a ranking") };
        let (observers, relations) = (back.observers.len(), back.relation.len());
        assert_eq!((observers, relations), (1, 2));
        assert_eq!(
            (back.observers[0].name.as_str(), back.observers[0].sort),
            ("seen", Sort::Bv(4))
        );
        // The same claims: both say the same of every value.
        let value = |ranking: &Ranking, seed: u64| -> Vec<elinvar_ir::Value> {
            let observer = &ranking.observers[0];
            let mut roots = vec![ranking.invariant, observer.init, observer.next];
            roots.extend(&ranking.relation);
            let mut evaluator = Evaluator::new(&ranking.pool, roots.iter().copied());
            evaluator.run(|symbol| {
                let number = ranking.pool.as_symbol(symbol).unwrap().index();
                let place = match ranking.symbols[number] {
                    RankingSymbol::Input(index) => index,
                    RankingSymbol::State(index) => 2 + index,
                    RankingSymbol::Observer(index) => 4 + index,
                    RankingSymbol::OtherState(index) => 6 + index,
                    RankingSymbol::OtherObserver(index) => 8 + index,
                };
                BitVec::new(ranking.pool.width(symbol), seed >> place & 1).into()
            });
            roots.iter().map(|&root| evaluator.value(root)).collect()
        };
        for seed in 0..1 << 9 {
            assert_eq!(value(&back, seed), value(&ranking(), seed));
        }
        let again = TextCertificate { property: "p".to_owned(), proof: Proof::Ranking(back) };
        assert_eq!(write(&again, &system()).unwrap(), text);
    }

    #[test]
    fn wrong_rankings_are_refused() {
        let error = |body: &str| {
            let text = format!("elinvar certificate 1\nproperty p\nranking\n{body}");
            read(text.as_bytes()).unwrap_err().message
        };
        let (bit, bad, live) = ("1 sort bitvec 1\n2 zero 1\n", "3 bad 2\n", "4 justice 1 2\n");
        assert!(error(&format!("{bit}{bad}")).contains("one `bad` and one `justice`"));
        assert!(error(&format!("{bit}{live}")).contains("one `bad` and one `justice`"));
        assert!(error(&format!("{bit}{bad}{live}5 bad 2\n")).contains("exactly one"));
        assert!(error(&format!("{bit}{bad}{live}5 fair 2\n")).contains("neither"));
        assert!(error(&format!("{bit}{bad}{live}5 constraint 2\n")).contains("neither"));
        assert!(error(&format!("{bit}{bad}{live}5 state 1\n")).contains("an input for each"));
        let observer = "5 state 1\n6 input 1\n7 init 1 5 2\n";
        assert!(error(&format!("{bit}{bad}{live}{observer}")).contains("the observers must have"));
        assert!(error("1 sort\n").contains("expected"), "{}", error("1 sort\n"));
    }
}
