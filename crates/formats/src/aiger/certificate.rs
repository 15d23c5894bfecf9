//! Certificates: circuits that share inputs and latches with a model.
//!
//! A shared input or latch carries the symbol `= literal`, with its literal in
//! the model. Certifaiger, which judges such circuits, looks for the pairs in a
//! comment `MAPPING n` with n lines `literal model-literal`, then in the symbols,
//! and else takes the first inputs and latches of both as shared. It demands
//! inputs, latches and gates numbered without gaps, as [`super::write`] does.
//! Limit: gates are never shared.

use std::ops::Range;

use elinvar_ir::TransitionSystem;
use rustc_hash::{FxHashMap, FxHashSet};

use super::document::Document;
use super::scan::Scanner;
use super::{AigerModel, Encoding, Port};
use crate::{Diagnostic, WriteError};

/// Writes a certificate whose first inputs and states are those of the model.
///
/// # Panics
/// If more is shared than the circuit or the model has.
pub fn write_certificate(
    circuit: &TransitionSystem,
    shared_inputs: usize,
    shared_states: usize,
    model: &AigerModel,
    encoding: Encoding,
) -> Result<Vec<u8>, WriteError> {
    let sizes = |system: &TransitionSystem| (system.inputs().len(), system.states().len());
    for (inputs, states) in [sizes(circuit), sizes(&model.system)] {
        assert!(shared_inputs <= inputs && shared_states <= states, "more is shared than there is");
    }
    let mut document = Document::new(circuit)?;
    document.symbols.retain(|symbol| match symbol.section {
        'i' => symbol.position >= shared_inputs,
        'l' => symbol.position >= shared_states,
        _ => true,
    });
    for symbol in &mut document.symbols {
        // Any name with these signs would be taken for a relation to the model.
        symbol.name.retain(|sign| sign != '=' && sign != '<');
    }
    let inputs = (0..shared_inputs).map(|input| ('i', input, model.input_literal(input)));
    let latches = (0..shared_states).map(|latch| ('l', latch, model.latch_literal(latch)));
    let shared = inputs.chain(latches).map(|(section, position, literal)| {
        super::document::Symbol { section, position, name: format!("= {literal}") }
    });
    document.symbols.splice(0..0, shared);
    if shared_inputs + shared_states == 0 {
        // Without it, nothing shared would be read as the first ones shared.
        document.comment.push_str("MAPPING 0\n");
    }
    Ok(document.encode(encoding))
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
    if let Some(pairs) = mapping_comment(certificate)? {
        let ports = ports_by_literal(certificate);
        let port = |pair: &Pair| {
            let message =
                format!("literal {} of the certificate is neither an input nor a latch", pair.own);
            ports.get(&pair.own).copied().ok_or(Diagnostic::new(message, pair.span.clone()))
        };
        let pairs = pairs.iter().map(|pair| Ok((port(pair)?, pair.model, pair.span.clone())));
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

/// A line of the mapping comment.
struct Pair {
    own: u32,
    model: u32,
    span: Range<usize>,
}

/// The pairs of the comment `MAPPING n`, if there is one.
fn mapping_comment(certificate: &AigerModel) -> Result<Option<Vec<Pair>>, Diagnostic> {
    const KEYWORD: &[u8] = b"MAPPING ";
    let (text, base) = (certificate.comment(), certificate.comment.at);
    let mut scan = Scanner::new(text);
    let shift = |error: Diagnostic| error.shifted(base);
    while scan.remaining() > 0 {
        if !scan.eat(KEYWORD) {
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
                Ok((own, scan.number("a literal of the model")?))
            };
            let (own, model) = line().map_err(shift)?;
            pairs.push(Pair { own, model, span: base + at..base + scan.at() });
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

    #[test]
    fn shared_ports_carry_the_literals_of_the_model() {
        let model = model();
        for encoding in [Encoding::Ascii, Encoding::Binary] {
            let text = write_certificate(&model.system, 1, 1, &model, encoding).unwrap();
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
        let text = write_certificate(&model.system, 0, 0, &model, Encoding::Ascii).unwrap();
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
}
