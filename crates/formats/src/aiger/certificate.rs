//! Certificates: circuits that share inputs and latches with a model.
//!
//! A shared input or latch carries the symbol `= literal`, with its literal in
//! the model. Certifaiger, which judges such circuits, looks for the pairs in a
//! comment `MAPPING n` with n lines `literal model-literal`, then in the symbols,
//! and else takes the first inputs and latches of both as shared. It demands
//! inputs, latches and gates numbered without gaps, as [`super::write`] does.
//!
//! The fairness constraints and justice conditions of a certificate are relations between two
//! states ([`Intervention`]). A latch with the symbol `< literal` gives that literal of the
//! certificate its value in the second state; a comment `INTERVENTION n` with n lines
//! `literal target-literal` says the same. Without both, the literal of each next value has the
//! latch's value in the second state.
//!
//! Limits: gates are never shared, and only the default replaces gates.

use std::ops::Range;

use elinvar_ir::{ExprId, Intervention, PropertyKind, Role, TransitionSystem, WitnessCircuit};
use rustc_hash::{FxHashMap, FxHashSet};

use super::document::{Document, Symbol};
use super::scan::Scanner;
use super::{AigerModel, Encoding, Port};
use crate::{Diagnostic, WriteError};

/// Writes a certificate of a model.
///
/// # Panics
/// If the circuit shares an input or a state that it or the model does not have, or if an
/// intervention is not about two symbols of the circuit.
pub fn write_certificate(
    circuit: &WitnessCircuit,
    model: &AigerModel,
    encoding: Encoding,
) -> Result<Vec<u8>, WriteError> {
    let mut document = Document::new(&circuit.system)?;
    let mut relations: FxHashMap<(char, usize), String> = FxHashMap::default();
    for &(own, theirs) in &circuit.shared_inputs {
        relations.insert(('i', own), format!("= {}", model.input_literal(theirs)));
    }
    for &(own, theirs) in &circuit.shared_states {
        relations.insert(('l', own), format!("= {}", model.latch_literal(theirs)));
    }
    for &Intervention { symbol, target } in &circuit.interventions {
        let port = match circuit.system.role_of(symbol).expect("a symbol of the circuit") {
            Role::Input(index) => ('i', index),
            Role::State(index) => ('l', index),
        };
        circuit.system.role_of(target).expect("a symbol of the circuit");
        let relation = relations.entry(port).or_default();
        if !relation.is_empty() {
            relation.push(' ');
        }
        *relation += &format!("< {}", document.literal(target));
    }
    let (shared_inputs, shared_states) = (&circuit.shared_inputs, &circuit.shared_states);
    let is_shared = |section, position| match section {
        'i' => shared_inputs.iter().any(|&(own, _)| own == position),
        'l' => shared_states.iter().any(|&(own, _)| own == position),
        _ => false,
    };
    document.symbols = with_relations(std::mem::take(&mut document.symbols), relations, is_shared);
    if shared_inputs.is_empty() && shared_states.is_empty() {
        // Without it, nothing shared would be read as the first ones shared.
        document.comment.push_str("MAPPING 0\n");
    }
    if is_live(&circuit.system) && circuit.interventions.is_empty() {
        // Without it, the conditions would read the second state at next values.
        document.comment.push_str("INTERVENTION 0\n");
    }
    Ok(document.encode(encoding))
}

/// The symbol table with relations: in place of the names of what is shared, after other names.
fn with_relations(
    symbols: Vec<Symbol>,
    mut relations: FxHashMap<(char, usize), String>,
    is_shared: impl Fn(char, usize) -> bool,
) -> Vec<Symbol> {
    let mut others = Vec::new();
    for Symbol { section, position, mut name } in symbols {
        // Any name with these signs would be taken for a relation to the model.
        name.retain(|sign| sign != '=' && sign != '<');
        match relations.get_mut(&(section, position)) {
            Some(relation) if !is_shared(section, position) => {
                *relation = format!("{name} {relation}")
            }
            Some(_) => {}
            None => others.push(Symbol { section, position, name }),
        }
    }
    let mut related: Vec<_> = relations.into_iter().collect();
    related.sort_unstable();
    let related = related.into_iter();
    let related = related.map(|((section, position), name)| Symbol { section, position, name });
    related.chain(others).collect()
}

/// Has the circuit a liveness property?
fn is_live(circuit: &TransitionSystem) -> bool {
    circuit.properties().iter().any(|property| match property.kind {
        PropertyKind::Justice(_) => true,
        PropertyKind::Bad(_) => false,
    })
}

/// The certificate in a circuit that was read. Errors are about its text.
pub fn certificate_of(
    certificate: AigerModel,
    model: &AigerModel,
) -> Result<WitnessCircuit, Diagnostic> {
    let shared = certificate_mapping(&certificate, model)?;
    let interventions =
        if is_live(&certificate.system) { interventions(&certificate)? } else { Vec::new() };
    Ok(WitnessCircuit {
        system: certificate.system,
        shared_inputs: shared.inputs,
        shared_states: shared.latches,
        interventions,
    })
}

/// Where the conditions of a certificate read the second state.
fn interventions(certificate: &AigerModel) -> Result<Vec<Intervention>, Diagnostic> {
    let system = &certificate.system;
    let symbol = |port: Port| match port {
        Port::Input(index) => system.inputs()[index].symbol,
        Port::Latch(index) => system.states()[index].symbol,
    };
    let ports = ports_by_literal(certificate);
    let at = |literal: u32, span: &Range<usize>| -> Result<ExprId, Diagnostic> {
        let message =
            format!("literal {literal} of the certificate is neither an input nor a latch");
        ports.get(&literal).map(|&port| symbol(port)).ok_or(Diagnostic::new(message, span.clone()))
    };
    if let Some(pairs) =
        pairs_of_comment(certificate, b"INTERVENTION ", "a literal of the certificate")?
    {
        let intervention = |pair: &Pair| {
            Ok(Intervention {
                symbol: at(pair.own, &pair.span)?,
                target: at(pair.other, &pair.span)?,
            })
        };
        return pairs.iter().map(intervention).collect();
    }
    if !certificate.intervened.is_empty() {
        let intervention = |related: &super::RelatedSymbol| {
            let target = at(related.literal, &related.span)?;
            Ok(Intervention { symbol: symbol(related.port), target })
        };
        return certificate.intervened.iter().map(intervention).collect();
    }
    let next = |state: &elinvar_ir::State| {
        let target = state.next.filter(|&next| !system.pool().is_const(next))?;
        Some(Intervention { symbol: state.symbol, target })
    };
    let mut replaced = FxHashSet::default();
    // Of latches with the same next value, the last one counts.
    let mut all: Vec<Intervention> = system.states().iter().rev().filter_map(next).collect();
    all.retain(|intervention| replaced.insert(intervention.target.regular()));
    all.reverse();
    Ok(all)
}

/// What a certificate shares with its model: pairs of the certificate's number
/// and the model's.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Correspondence {
    /// Pairs of inputs: in the certificate, in the model.
    pub inputs: Vec<(usize, usize)>,
    /// Pairs of latches: in the certificate, in the model.
    pub latches: Vec<(usize, usize)>,
}

/// Finds what a certificate shares with a model. Errors are about the text of
/// the certificate.
pub fn certificate_mapping(
    certificate: &AigerModel,
    model: &AigerModel,
) -> Result<Correspondence, Diagnostic> {
    let comment = pairs_of_comment(certificate, b"MAPPING ", "a literal of the model")?;
    if let Some(pairs) = comment {
        let ports = ports_by_literal(certificate);
        let port = |pair: &Pair| {
            let message =
                format!("literal {} of the certificate is neither an input nor a latch", pair.own);
            ports.get(&pair.own).copied().ok_or(Diagnostic::new(message, pair.span.clone()))
        };
        let pairs = pairs.iter().map(|pair| Ok((port(pair)?, pair.other, pair.span.clone())));
        return correspondence(pairs, model);
    }
    if !certificate.shared.is_empty() {
        let pairs = certificate.shared.iter();
        let pairs = pairs.map(|symbol| Ok((symbol.port, symbol.literal, symbol.span.clone())));
        return correspondence(pairs, model);
    }
    let pairwise = |a: usize, b: usize| (0..a.min(b)).map(|index| (index, index)).collect();
    let (own, theirs) = (&certificate.system, &model.system);
    Ok(Correspondence {
        inputs: pairwise(own.inputs().len(), theirs.inputs().len()),
        latches: pairwise(own.states().len(), theirs.states().len()),
    })
}

fn correspondence(
    pairs: impl Iterator<Item = Result<(Port, u32, Range<usize>), Diagnostic>>,
    model: &AigerModel,
) -> Result<Correspondence, Diagnostic> {
    let ports = ports_by_literal(model);
    let (mut own, mut theirs) = (FxHashSet::default(), FxHashSet::default());
    let mut found = Correspondence::default();
    for pair in pairs {
        let (port, literal, span) = pair?;
        let error = |message: String| Err(Diagnostic::new(message, span.clone()));
        let Some(&target) = ports.get(&literal) else {
            return error(format!(
                "literal {literal} is neither an input nor a latch of the model"
            ));
        };
        match (port, target) {
            (Port::Input(a), Port::Input(b)) => found.inputs.push((a, b)),
            (Port::Latch(a), Port::Latch(b)) => found.latches.push((a, b)),
            (Port::Input(_), Port::Latch(_)) => {
                return error(format!(
                    "an input is paired with literal {literal}, a latch of the model"
                ));
            }
            (Port::Latch(_), Port::Input(_)) => {
                return error(format!(
                    "a latch is paired with literal {literal}, an input of the model"
                ));
            }
        }
        if !own.insert(port) || !theirs.insert(target) {
            return error("this input or latch is paired twice".into());
        }
    }
    Ok(found)
}

fn ports_by_literal(model: &AigerModel) -> FxHashMap<u32, Port> {
    let inputs = (0..model.system.inputs().len()).map(|i| (model.input_literal(i), Port::Input(i)));
    let latches =
        (0..model.system.states().len()).map(|i| (model.latch_literal(i), Port::Latch(i)));
    inputs.chain(latches).collect()
}

/// A line of a comment with pairs of literals.
struct Pair {
    own: u32,
    other: u32,
    span: Range<usize>,
}

/// The pairs of a comment with a keyword and their number, if there is one.
fn pairs_of_comment(
    certificate: &AigerModel,
    keyword: &[u8],
    second: &str,
) -> Result<Option<Vec<Pair>>, Diagnostic> {
    let (text, base) = (certificate.comment(), certificate.comment.at);
    let mut scan = Scanner::new(text);
    let shift = |error: Diagnostic| error.shifted(base);
    while scan.remaining() > 0 {
        if !scan.eat(keyword) {
            scan.line();
            continue;
        }
        let count = scan.number("the number of pairs").map_err(shift)?;
        scan.line();
        let mut pairs = Vec::new();
        for _ in 0..count {
            let at = scan.at();
            let mut line = || {
                let own = scan.number("a literal of the certificate")?;
                scan.space("a literal of the certificate")?;
                Ok((own, scan.number(second)?))
            };
            let (own, other) = line().map_err(shift)?;
            pairs.push(Pair { own, other, span: base + at..base + scan.at() });
            scan.line();
        }
        return Ok(Some(pairs));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aiger::read;

    /// An input, a latch that follows it, a bad state.
    const MODEL: &[u8] = b"aag 3 1 1 1 1\n2\n4 2\n6\n6 4 3\ni0 a<b\nl0 a=1\no0 x=y\n";

    fn model() -> AigerModel {
        read(MODEL).unwrap()
    }

    /// The model itself as a certificate that shares its first inputs and states.
    fn circuit(system: &TransitionSystem, inputs: usize, states: usize) -> WitnessCircuit {
        let same = |count| (0..count).map(|index| (index, index)).collect();
        WitnessCircuit {
            system: system.clone(),
            shared_inputs: same(inputs),
            shared_states: same(states),
            interventions: Vec::new(),
        }
    }

    #[test]
    fn shared_ports_carry_the_literals_of_the_model() {
        let model = model();
        for encoding in [Encoding::Ascii, Encoding::Binary] {
            let text = write_certificate(&circuit(&model.system, 1, 1), &model, encoding).unwrap();
            let certificate = read(&text).unwrap();
            assert_eq!(certificate.system.input_name(0), "= 2");
            assert_eq!(certificate.system.state_name(0), "= 4");
            assert_eq!(certificate.system.properties()[0].name, "xy");
            let shared = certificate_mapping(&certificate, &model).unwrap();
            assert_eq!(shared, Correspondence { inputs: vec![(0, 0)], latches: vec![(0, 0)] });
        }
    }

    #[test]
    fn nothing_shared_is_said() {
        let model = model();
        let text =
            write_certificate(&circuit(&model.system, 0, 0), &model, Encoding::Ascii).unwrap();
        assert!(text.ends_with(b"i0 ab\nl0 a1\nb0 xy\nc\nMAPPING 0\n"));
        let shared = certificate_mapping(&read(&text).unwrap(), &model).unwrap();
        assert_eq!(shared, Correspondence::default());
    }

    #[test]
    fn without_a_mapping_the_first_ones_are_shared() {
        let certificate = read(b"aag 2 2 0 1 0\n2\n4\n0\n").unwrap();
        let shared = certificate_mapping(&certificate, &model()).unwrap();
        assert_eq!(shared, Correspondence { inputs: vec![(0, 0)], latches: vec![] });
    }

    #[test]
    fn a_comment_goes_before_the_symbols() {
        let text = b"aag 3 1 2 1 0\n6\n2 2\n4 2\n0\ni0 = 4\nc\nhello\nMAPPING 2\n6 2\n4 4\n";
        let shared = certificate_mapping(&read(text).unwrap(), &model()).unwrap();
        assert_eq!(shared, Correspondence { inputs: vec![(0, 0)], latches: vec![(1, 0)] });
    }

    #[test]
    fn wrong_pairs_are_pointed_at() {
        let error = |rest: &str| {
            let text = format!("aag 3 2 1 1 0\n2\n4\n6 2\n0\n{rest}");
            let certificate = read(text.as_bytes()).unwrap();
            let error = certificate_mapping(&certificate, &model()).unwrap_err();
            (error.message, text[error.span].to_owned())
        };
        let no_port = "literal 6 is neither an input nor a latch of the model".to_owned();
        assert_eq!(error("i0 = 6\n"), (no_port, "= 6".into()));
        assert_eq!(error("i0 = 3\n").1, "= 3");
        assert_eq!(error("i0 = 4\n").0, "an input is paired with literal 4, a latch of the model");
        assert_eq!(error("l0 = 2\n").0, "a latch is paired with literal 2, an input of the model");
        assert_eq!(error("i0 = 2\ni1 = 2\n").1, "= 2");
        let twice = "this input or latch is paired twice".to_owned();
        assert_eq!(error("c\nMAPPING 2\n2 2\n4 2\n"), (twice, "4 2".into()));
        assert_eq!(error("c\nMAPPING 1\n8 2\n").1, "8 2");
        assert_eq!(
            error("c\nMAPPING 1\n").0,
            "expected a literal of the certificate, found the end of the file"
        );
        assert_eq!(error("c\nMAPPING x\n").1, "x");
    }

    /// A shared latch and another one, both with a copy in the second state; a condition.
    const LIVE: &[u8] =
        b"aag 5 3 2 0 0 1 0 1\n2\n4\n6\n8 2\n10 8\n9\n1\n4\ni0 = 2\nl0 = 4 < 4\nl1 old < 6\n";

    #[test]
    fn interventions_are_written_and_read() {
        let certificate = certificate_of(read(LIVE).unwrap(), &model()).unwrap();
        let system = &certificate.system;
        let pair = |state: usize, input: usize| Intervention {
            symbol: system.states()[state].symbol,
            target: system.inputs()[input].symbol,
        };
        assert_eq!(certificate.interventions, [pair(0, 1), pair(1, 2)]);
        assert_eq!(certificate.shared_states, [(0, 0)]);
        let text = write_certificate(&certificate, &model(), Encoding::Ascii).unwrap();
        let text = String::from_utf8(text).unwrap();
        // The name of the second latch loses its sign.
        assert!(text.contains("\nl0 = 4 < 4\nl1 old  6 < 6\n"), "{text}");
        let again = certificate_of(read(text.as_bytes()).unwrap(), &model()).unwrap();
        assert_eq!(again.interventions, certificate.interventions);
    }

    #[test]
    fn no_intervention_is_said() {
        let certificate = certificate_of(read(LIVE).unwrap(), &model()).unwrap();
        let none = WitnessCircuit { interventions: Vec::new(), ..certificate };
        let text = write_certificate(&none, &model(), Encoding::Binary).unwrap();
        assert!(text.ends_with(b"c\nINTERVENTION 0\n"));
        let again = certificate_of(read(&text).unwrap(), &model()).unwrap();
        assert_eq!(again.interventions, []);
    }

    /// A comment goes before the symbols, and next values are the default.
    #[test]
    fn interventions_have_three_sources() {
        let read_with = |rest: &str| {
            let text = format!("aag 4 2 2 0 0 1 0 1\n2\n4\n6 3\n8 1\n0\n1\n4\n{rest}");
            certificate_of(read(text.as_bytes()).unwrap(), &model())
                .map(|certificate| {
                    let system = &certificate.system;
                    let input = |index: usize| system.inputs()[index].symbol;
                    let which = |it: &Intervention| {
                        let state = system.states().iter().position(|s| s.symbol == it.symbol);
                        (state, it.target == input(1), it.target.regular() == input(0))
                    };
                    certificate.interventions.iter().map(which).collect::<Vec<_>>()
                })
                .map_err(|error| (error.message, text[error.span].to_owned()))
        };
        assert_eq!(read_with("l1 < 4\nc\nINTERVENTION 1\n6 4\n"), Ok(vec![(Some(0), true, false)]));
        assert_eq!(read_with("l1 < 4\n"), Ok(vec![(Some(1), true, false)]));
        // The next value of the second latch is constant.
        assert_eq!(read_with(""), Ok(vec![(Some(0), false, true)]));
        let no_port = |literal| {
            format!("literal {literal} of the certificate is neither an input nor a latch")
        };
        assert_eq!(read_with("l1 < 5\n"), Err((no_port(5), "< 5".into())));
        assert_eq!(read_with("c\nINTERVENTION 1\n10 4\n"), Err((no_port(10), "10 4".into())));
        assert_eq!(read_with("c\nINTERVENTION 1\n6 10\n"), Err((no_port(10), "6 10".into())));
        assert!(read_with("c\nINTERVENTION 2\n6 4\n").is_err());
    }
}
