//! The reader: sections in the order of the file, then the system.

use std::borrow::Cow;
use std::ops::Range;

use elinvar_ir::{ExprId, Named, Origin, Pool, Property, PropertyKind, Sort, SystemBuilder};
use rustc_hash::FxHashMap;

use super::gates::{Circuit, Definitions};
use super::header::Header;
use super::scan::{Mention, Scanner};
use super::{AigerModel, Comment, Encoding, Literals, Port, RelatedSymbol};
use crate::Diagnostic;
use crate::names::escape;

/// Reads a circuit; the header says whether it is ASCII or binary.
pub fn read(source: &[u8]) -> Result<AigerModel, Diagnostic> {
    read_with(source, SystemBuilder::new())
}

/// Reads a circuit into an empty builder, which decides whether gates are rewritten.
pub fn read_with(source: &[u8], mut builder: SystemBuilder) -> Result<AigerModel, Diagnostic> {
    let mut scan = Scanner::new(source);
    let header = Header::read(&mut scan)?;
    let mut definitions = match header.encoding {
        Encoding::Ascii => Some(Definitions::new(&header)),
        Encoding::Binary => None,
    };
    let sections = Sections::read(&mut scan, &header, definitions.as_mut())?;

    declare(&mut builder, &header);
    let ports = (builder.inputs.iter().map(|input| input.symbol))
        .chain(builder.states.iter().map(|state| state.symbol));
    let mut circuit = Circuit::consecutive(ports, &builder.pool, header.ands);
    match definitions {
        None => circuit.read_binary(&mut scan, &mut builder.pool, &header)?,
        Some(mut definitions) => {
            definitions.read_gates(&mut scan, &header)?;
            circuit = definitions.resolve(circuit, &scan, &mut builder.pool)?;
        }
    }
    let mut symbols = Symbols::read(&mut scan, &header, &mut builder)?;
    let comment = Comment { at: scan.at(), text: scan.rest().to_vec() };

    sections.connect(&mut builder, &circuit, &scan, &mut symbols)?;
    sections.check_resets(&builder, &scan)?;
    let system = builder.finish().map_err(|error| Diagnostic::new(error.to_string(), 0..0))?;
    Ok(AigerModel {
        system,
        encoding: header.encoding,
        literals: sections.literals,
        shared: symbols.shared,
        intervened: symbols.intervened,
        comment,
    })
}

fn declare(builder: &mut SystemBuilder, header: &Header) {
    builder.pool.reserve(header.defined() as usize);
    builder.inputs.reserve(header.inputs as usize);
    builder.states.reserve(header.latches as usize);
    for _ in 0..header.inputs {
        builder.input(Sort::BOOL, None).expect("a bit");
    }
    for _ in 0..header.latches {
        builder.state(Sort::BOOL, None).expect("a bit");
    }
}

struct Latch {
    next: Mention,
    reset: Reset,
    /// Where its line starts.
    at: usize,
}

enum Reset {
    Constant(bool),
    /// The latch itself: any value.
    Free,
    Function(Mention),
}

/// Everything between the header and the gates.
struct Sections {
    literals: Literals,
    latches: Vec<Latch>,
    outputs: Vec<Mention>,
    bads: Vec<Mention>,
    constraints: Vec<Mention>,
    justice: Vec<Vec<Mention>>,
    fairness: Vec<Mention>,
}

impl Sections {
    fn read(
        scan: &mut Scanner,
        header: &Header,
        mut definitions: Option<&mut Definitions>,
    ) -> Result<Self, Diagnostic> {
        let mut inputs = Vec::new();
        if let Some(definitions) = definitions.as_deref_mut() {
            inputs = read_inputs(scan, header, definitions)?;
        }
        let mut latches = Vec::with_capacity(header.latches as usize);
        let mut latch_literals = Vec::new();
        for index in 0..header.latches {
            let at = scan.at();
            let own = match definitions.as_deref_mut() {
                None => 2 * (header.inputs + index + 1),
                Some(definitions) => {
                    let lhs = scan.literal("the latch literal", header.max_var)?;
                    definitions.define("the latch literal", lhs, scan)?;
                    scan.space("the latch literal")?;
                    latch_literals.push(lhs.literal);
                    lhs.literal
                }
            };
            latches.push(read_latch(scan, header, own, at)?);
        }
        let literals = match header.encoding {
            Encoding::Binary => Literals::Consecutive,
            Encoding::Ascii => Literals::Listed { inputs, latches: latch_literals },
        };
        let max_var = header.max_var;
        Ok(Sections {
            literals,
            latches,
            outputs: read_literals(scan, header.outputs, "an output literal", max_var)?,
            bads: read_literals(scan, header.bads, "a bad state literal", max_var)?,
            constraints: read_literals(scan, header.constraints, "a constraint literal", max_var)?,
            justice: read_justice(scan, header)?,
            fairness: read_literals(scan, header.fairness, "a fairness literal", max_var)?,
        })
    }

    /// Gives the states their functions and the system its properties.
    fn connect(
        &self,
        builder: &mut SystemBuilder,
        circuit: &Circuit,
        scan: &Scanner,
        symbols: &mut Symbols,
    ) -> Result<(), Diagnostic> {
        let pool = &builder.pool;
        let bit = |mention: &Mention| circuit.bit(scan, pool, *mention);
        let bits = |mentions: &[Mention]| mentions.iter().map(bit).collect::<Result<Vec<_>, _>>();
        for (state, latch) in builder.states.iter_mut().zip(&self.latches) {
            state.next = Some(bit(&latch.next)?);
            state.init = match latch.reset {
                Reset::Constant(value) => Some(pool.bool(value)),
                Reset::Free => None,
                Reset::Function(ref mention) => Some(bit(mention)?),
            };
        }
        let outputs = bits(&self.outputs)?;
        let bads = bits(&self.bads)?;
        builder.constraints = bits(&self.constraints)?;
        builder.fairness = bits(&self.fairness)?;
        let justice = self.justice.iter().map(|all| bits(all)).collect::<Result<Vec<_>, _>>()?;

        let old_style = bads.is_empty() && justice.is_empty();
        let mut safety = |prefix, bits: Vec<ExprId>| {
            for (index, bit) in bits.into_iter().enumerate() {
                let name = symbols.take_or_default(prefix, index);
                builder.properties.push(Property::bad(name, bit));
            }
        };
        if old_style {
            safety('o', outputs);
        } else {
            safety('b', bads);
            for (index, conditions) in justice.into_iter().enumerate() {
                let name = symbols.take_or_default('j', index);
                let kind = PropertyKind::Justice(conditions);
                builder.properties.push(Property::new(name, kind));
            }
            for (index, expr) in outputs.into_iter().enumerate() {
                let name = symbols.take_or_default('o', index);
                builder.outputs.push(Named { name, expr });
            }
        }
        let mut origin = |index| Origin { name: symbols.take('c', index), place: None };
        builder.constraint_origins = (0..self.constraints.len()).map(&mut origin).collect();
        for (index, &expr) in builder.fairness.iter().enumerate() {
            if let Some(name) = symbols.take('f', index) {
                builder.labels.push(Named { name, expr });
            }
        }
        Ok(())
    }

    /// Refuses a latch whose reset function depends on itself.
    fn check_resets(&self, builder: &SystemBuilder, scan: &Scanner) -> Result<(), Diagnostic> {
        if !self.latches.iter().any(|latch| matches!(latch.reset, Reset::Function(_))) {
            return Ok(());
        }
        match builder.init_order() {
            Ok(_) => Ok(()),
            Err(latch) => {
                let span = scan.line_span(self.latches[latch].at);
                let message = "the reset function of this latch depends on the latch";
                Err(Diagnostic::new(message, span)
                    .with_help("an uninitialised latch has its own literal as reset"))
            }
        }
    }
}

fn read_inputs(
    scan: &mut Scanner,
    header: &Header,
    definitions: &mut Definitions,
) -> Result<Vec<u32>, Diagnostic> {
    let mut inputs = Vec::with_capacity(header.inputs as usize);
    for _ in 0..header.inputs {
        let lhs = scan.literal("the input literal", header.max_var)?;
        definitions.define("the input literal", lhs, scan)?;
        scan.newline("the input literal")?;
        inputs.push(lhs.literal);
    }
    Ok(inputs)
}

/// Reads `next [reset]` of a latch with a given literal.
fn read_latch(
    scan: &mut Scanner,
    header: &Header,
    own: u32,
    at: usize,
) -> Result<Latch, Diagnostic> {
    let next = scan.literal("the next state literal", header.max_var)?;
    let mut reset = Reset::Constant(false);
    if scan.eat(b" ") {
        let mention = scan.literal("the reset literal", header.max_var)?;
        reset = match mention.literal {
            constant @ (0 | 1) => Reset::Constant(constant == 1),
            literal if literal == own => Reset::Free,
            _ => Reset::Function(mention),
        };
    }
    scan.newline("the latch")?;
    Ok(Latch { next, reset, at })
}

/// Reads so many lines of one literal each.
fn read_literals(
    scan: &mut Scanner,
    count: u32,
    what: &str,
    max_var: u32,
) -> Result<Vec<Mention>, Diagnostic> {
    let mut literals = Vec::new();
    for _ in 0..count {
        literals.push(scan.literal(what, max_var)?);
        scan.newline(what)?;
    }
    Ok(literals)
}

/// Reads the sizes of all justice properties, then their literals.
fn read_justice(scan: &mut Scanner, header: &Header) -> Result<Vec<Vec<Mention>>, Diagnostic> {
    let mut sizes = Vec::new();
    for _ in 0..header.justice {
        sizes.push(scan.number("the size of a justice property")?);
        scan.newline("the size of a justice property")?;
    }
    let literals = |size| read_literals(scan, size, "a justice literal", header.max_var);
    sizes.into_iter().map(literals).collect()
}

/// The symbol table. Names of inputs and latches go to the pool at once.
#[derive(Default)]
struct Symbols {
    /// By section and position, for what has no symbol in the pool.
    names: FxHashMap<(char, usize), String>,
    shared: Vec<RelatedSymbol>,
    intervened: Vec<RelatedSymbol>,
}

impl Symbols {
    /// Reads up to the start of the comment, or to the end of the file.
    fn read(
        scan: &mut Scanner,
        header: &Header,
        builder: &mut SystemBuilder,
    ) -> Result<Self, Diagnostic> {
        let mut symbols = Symbols::default();
        while let Some(section) = scan.peek() {
            let start = scan.at();
            let (what, count) = match section {
                b'i' => ("input", header.inputs),
                b'l' => ("latch", header.latches),
                b'o' => ("output", header.outputs),
                b'b' => ("bad state", header.bads),
                b'c' => ("constraint", header.constraints),
                b'j' => ("justice property", header.justice),
                b'f' => ("fairness constraint", header.fairness),
                _ => return Err(no_symbol(scan, header)),
            };
            scan.eat(&[section]);
            if section == b'c' && !scan.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                scan.line();
                break;
            }
            let position = scan.number("the position of a symbol")?;
            if position >= count {
                let message = format!("there is no {what} {position}: the file has {count}");
                return Err(Diagnostic::new(message, start..scan.at()));
            }
            let head = start..scan.at();
            scan.space("the position of a symbol")?;
            let at = scan.at();
            let name = scan.line();
            let span = at..at + name.len();
            symbols.add(builder, section as char, position as usize, name, head, span)?;
        }
        Ok(symbols)
    }

    fn add(
        &mut self,
        builder: &mut SystemBuilder,
        section: char,
        position: usize,
        name: &[u8],
        head: Range<usize>,
        span: Range<usize>,
    ) -> Result<(), Diagnostic> {
        let text = String::from_utf8_lossy(name);
        let text = escape(&text);
        let port = match section {
            'i' => Some((Port::Input(position), builder.inputs[position].symbol)),
            'l' => Some((Port::Latch(position), builder.states[position].symbol)),
            _ => None,
        };
        let fresh = match port {
            None => self.names.insert((section, position), text.into_owned()).is_none(),
            Some((port, symbol)) => {
                if let Some(literal) = related_literal(name, b'=') {
                    let span = span.clone();
                    self.shared.push(RelatedSymbol { port, literal, span });
                }
                if let Some(literal) = related_literal(name, b'<') {
                    self.intervened.push(RelatedSymbol { port, literal, span });
                }
                name_symbol(&mut builder.pool, symbol, text)
            }
        };
        if fresh {
            return Ok(());
        }
        Err(Diagnostic::new(format!("`{section}{position}` has two symbols"), head))
    }

    fn take(&mut self, section: char, position: usize) -> Option<String> {
        self.names.remove(&(section, position))
    }

    fn take_or_default(&mut self, section: char, position: usize) -> String {
        self.take(section, position).unwrap_or_else(|| format!("{section}{position}"))
    }
}

/// Names a symbol unless it has a name.
fn name_symbol(pool: &mut Pool, symbol: ExprId, name: Cow<str>) -> bool {
    let symbol = pool.as_symbol(symbol).expect("inputs and states are symbols");
    let fresh = pool.symbol_name(symbol).is_none();
    pool.rename(symbol, &name);
    fresh
}

/// The literal in `… = literal …` or `… < literal …`.
fn related_literal(name: &[u8], sign: u8) -> Option<u32> {
    let sign = name.iter().position(|&byte| byte == sign)?;
    let digits = name[sign + 1..].trim_ascii_start();
    Scanner::new(digits).number("a literal").ok()
}

fn no_symbol(scan: &Scanner, header: &Header) -> Diagnostic {
    let error =
        scan.unexpected("a symbol (`i`, `l`, `o`, `b`, `c`, `j`, `f`), a comment or the end");
    match header.encoding {
        Encoding::Ascii => error.with_help("are there more lines than the header announces?"),
        Encoding::Binary => error.with_help("is this an ASCII file with the header `aig`?"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::PropertyId;

    fn error(text: &str) -> (String, String) {
        let error = read(text.as_bytes()).unwrap_err();
        (error.message, text[error.span].into())
    }

    #[test]
    fn resets_are_constants_free_or_functions() {
        let model = read(b"aag 6 1 4 0 1\n2\n4 4\n6 6 1\n8 8 8\n10 10 13\n12 8 2\n").unwrap();
        let (system, pool) = (&model.system, model.system.pool());
        let inits: Vec<_> = system.states().iter().map(|state| state.init).collect();
        assert_eq!(inits[..3], [Some(pool.bool(false)), Some(pool.bool(true)), None]);
        let gate = inits[3].unwrap();
        assert!(
            gate.is_complement()
                && matches!(pool.get(gate.regular()), elinvar_ir::Expr::Binary(..))
        );
        assert_eq!(system.init_order().last(), Some(&3));
    }

    #[test]
    fn a_reset_that_depends_on_its_latch_is_refused() {
        let message = "the reset function of this latch depends on the latch";
        assert_eq!(error("aag 1 0 1 0 0\n2 2 3\n"), (message.into(), "2 2 3".into()));
        let two = "aig 2 0 2 0 0\n2 4\n4 2\n";
        assert_eq!(error(two), (message.into(), "2 4".into()));
        let by_gate = "aag 3 1 1 0 1\n2\n4 4 6\n6 4 2\n";
        assert_eq!(error(by_gate), (message.into(), "4 4 6".into()));
    }

    #[test]
    fn outputs_are_bad_states_only_without_others() {
        let old = read(b"aag 1 1 0 2 0\n2\n2\n3\no1 second\n").unwrap().system;
        let names: Vec<_> = old.properties().iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["o0", "second"]);
        assert!(old.outputs().is_empty());
        let new = read(b"aag 1 1 0 1 0 1 0 1\n2\n2\n3\n2\n2\n3\n").unwrap().system;
        let names: Vec<_> = new.properties().iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["b0", "j0"]);
        assert_eq!(new.outputs()[0].name, "o0");
        assert_eq!(new.bad(PropertyId(1)), None);
    }

    #[test]
    fn names_and_comments_are_kept() {
        let text = b"aag 2 1 1 0 0 0 1\n2\n4 2\n2\ni0 in put\nl0 \xff\nc0 c\nc\nfree text";
        let model = read(text).unwrap();
        assert_eq!(model.system.input_name(0), "in put");
        assert_eq!(model.system.state_name(0), "\u{fffd}");
        assert_eq!(model.system.constraint_origin(0).name.as_deref(), Some("c"));
        assert_eq!(model.comment(), b"free text");
        assert_eq!((model.input_literal(0), model.latch_literal(0)), (2, 4));
    }

    #[test]
    fn faults_of_the_symbol_table_are_pointed_at() {
        let with = |symbols: &str| error(&format!("aag 1 1 0 0 0\n2\n{symbols}"));
        let two = "`i0` has two symbols".to_owned();
        assert_eq!(with("i0 a\ni0 b\n"), (two, "i0".into()));
        let none = "there is no input 1: the file has 1".to_owned();
        assert_eq!(with("i1 a\n"), (none, "i1".into()));
        assert_eq!(with("x0 a\n").1, "x");
        assert_eq!(with("i0\n").1, "\n");
    }

    #[test]
    fn faults_of_the_sections_are_pointed_at() {
        assert_eq!(error("aag 1 1 0 0 0\n2\r\n").1, "\r");
        assert_eq!(error("aag 1 1 0 1 0\n2\n9\n").1, "9");
        assert_eq!(
            error("aag 1 1 0 0 0 0 0 1\n2\n9\n2\n").0,
            "expected a justice literal, found the end of the file"
        );
        assert_eq!(error("aag 1 0 1 0 0\n2 2 2 2\n").1, " ");
    }
}
