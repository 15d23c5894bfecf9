//! The writer: from a bit-level system to the text of a circuit.
//!
//! Every operator on bits is expanded into gates by its truth table. AIGER has no
//! free registers, so a state without next function becomes a latch driven by an
//! input of its own, which follows the inputs of the system and is named
//! `next(state)`.
//!
//! What was read is written so that it is read again as the same system:
//! properties with the default names of outputs (`o0`, …) are written as outputs
//! when that says the same, all others as bad states; names of constraints and
//! fairness constraints are labels of the system. Not sayable in AIGER: outputs
//! of a system without properties (they are read as bad states), labels of inner
//! signals (they are dropped).

use std::io::Write as _;

use elinvar_ir::{ExprId, Named, PropertyKind, Sort, State, TransitionSystem};
use rustc_hash::FxHashMap;

use super::Encoding;
use super::expand::Gates;
use crate::WriteError;

/// Writes a bit-level system without arrays as a circuit.
pub fn write(system: &TransitionSystem, encoding: Encoding) -> Result<Vec<u8>, WriteError> {
    Ok(Document::new(system)?.encode(encoding))
}

/// An entry of the symbol table: section, position, name.
pub(super) struct Symbol {
    pub section: char,
    pub position: usize,
    pub name: String,
}

/// A circuit as it stands in a file: inputs from literal 2 on, then latches, then
/// gates, operands first.
pub(super) struct Document {
    inputs: usize,
    latches: Vec<Latch>,
    outputs: Vec<u32>,
    bads: Vec<u32>,
    constraints: Vec<u32>,
    justice: Vec<Vec<u32>>,
    fairness: Vec<u32>,
    gates: Gates,
    pub symbols: Vec<Symbol>,
    /// Lines of the comment section.
    pub comment: String,
}

struct Latch {
    next: u32,
    reset: u32,
}

impl Document {
    pub fn new(system: &TransitionSystem) -> Result<Self, WriteError> {
        check_ports(system)?;
        let gates = Gates::new(system)?;
        let bit = |&expr: &ExprId| gates.literal(expr);
        let bits = |exprs: &[ExprId]| exprs.iter().map(bit).collect();
        let output = |output: &Named| gates.literal(output.expr);
        let mut outputs: Vec<u32> = system.outputs().iter().map(output).collect();
        let (mut bads, mut justice) = (Vec::new(), Vec::new());
        let old_style = is_old_style(system);
        for property in system.properties() {
            match &property.kind {
                PropertyKind::Bad(bad) if old_style => outputs.push(bit(bad)),
                PropertyKind::Bad(bad) => bads.push(bit(bad)),
                PropertyKind::Justice(conditions) => justice.push(bits(conditions)),
            }
        }
        Ok(Document {
            inputs: system.inputs().len() + system.free_states().len(),
            latches: latches(system, &gates),
            outputs,
            bads,
            constraints: bits(system.constraints()),
            justice,
            fairness: bits(system.fairness()),
            symbols: symbols(system),
            comment: String::new(),
            gates,
        })
    }

    /// The literal of a symbol of the system, or of anything else that the file mentions.
    pub fn literal(&self, expr: ExprId) -> u32 {
        self.gates.literal(expr)
    }

    /// The bytes of the file.
    pub fn encode(&self, encoding: Encoding) -> Vec<u8> {
        let mut out = Vec::new();
        self.encode_sections(encoding, &mut out);
        match encoding {
            Encoding::Ascii => self.encode_gates_ascii(&mut out),
            Encoding::Binary => self.encode_gates_binary(&mut out),
        }
        for Symbol { section, position, name } in &self.symbols {
            put(&mut out, format_args!("{section}{position} {name}\n"));
        }
        if !self.comment.is_empty() {
            put(&mut out, format_args!("c\n{}", self.comment));
        }
        out
    }

    fn encode_sections(&self, encoding: Encoding, out: &mut Vec<u8>) {
        let (latches, gates) = (self.latches.len(), self.gates.len());
        let magic = match encoding {
            Encoding::Ascii => "aag",
            Encoding::Binary => "aig",
        };
        let variables = self.inputs + latches + gates;
        let outputs = self.outputs.len();
        put(out, format_args!("{magic} {variables} {} {latches} {outputs} {gates}", self.inputs));
        let extensions =
            [self.bads.len(), self.constraints.len(), self.justice.len(), self.fairness.len()];
        let used = extensions.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
        for count in &extensions[..used] {
            put(out, format_args!(" {count}"));
        }
        put(out, format_args!("\n"));

        if encoding == Encoding::Ascii {
            put_lines(out, (1..=self.inputs).map(|variable| 2 * variable as u32));
        }
        for (index, latch) in self.latches.iter().enumerate() {
            if encoding == Encoding::Ascii {
                put(out, format_args!("{} ", 2 * (self.inputs + index + 1)));
            }
            match latch.reset {
                0 => put(out, format_args!("{}\n", latch.next)),
                reset => put(out, format_args!("{} {reset}\n", latch.next)),
            }
        }
        put_lines(out, self.outputs.iter().copied());
        put_lines(out, self.bads.iter().copied());
        put_lines(out, self.constraints.iter().copied());
        put_lines(out, self.justice.iter().map(|conditions| conditions.len() as u32));
        put_lines(out, self.justice.iter().flatten().copied());
        put_lines(out, self.fairness.iter().copied());
    }

    fn encode_gates_ascii(&self, out: &mut Vec<u8>) {
        for (lhs, larger, smaller) in self.gates.iter() {
            put(out, format_args!("{lhs} {larger} {smaller}\n"));
        }
    }

    fn encode_gates_binary(&self, out: &mut Vec<u8>) {
        for (lhs, larger, smaller) in self.gates.iter() {
            put_delta(out, lhs - larger);
            put_delta(out, larger - smaller);
        }
    }
}

fn latches(system: &TransitionSystem, gates: &Gates) -> Vec<Latch> {
    let mut drivers = (system.inputs().len() as u32 + 1..).map(|variable| 2 * variable);
    let latch = |state: &State| {
        let next = state.next.map(|next| gates.literal(next));
        let next = next.or_else(|| drivers.next()).expect("drivers do not end");
        Latch { next, reset: gates.literal(state.init.unwrap_or(state.symbol)) }
    };
    system.states().iter().map(latch).collect()
}

/// May the bad states be written as outputs, so that their names are defaults?
fn is_old_style(system: &TransitionSystem) -> bool {
    let properties = system.properties();
    system.outputs().is_empty()
        && system.bads().count() == properties.len()
        && properties.iter().enumerate().any(|(index, p)| p.name == format!("o{index}"))
}

/// The symbol table: the names that are not made from section and position.
fn symbols(system: &TransitionSystem) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    let mut name = |section: char, position: usize, name: &str| {
        let name = name.replace('\n', " ");
        symbols.push(Symbol { section, position, name });
    };
    let pool = system.pool();
    let named = |symbol| pool.as_symbol(symbol).and_then(|symbol| pool.symbol_name(symbol));
    for (index, input) in system.inputs().iter().enumerate() {
        named(input.symbol).into_iter().for_each(|text| name('i', index, text));
    }
    for (index, &state) in system.free_states().iter().enumerate() {
        let text = format!("next({})", system.state_name(state));
        name('i', system.inputs().len() + index, &text);
    }
    for (index, state) in system.states().iter().enumerate() {
        named(state.symbol).into_iter().for_each(|text| name('l', index, text));
    }
    let outputs = system.outputs().iter().map(|output| ('o', &output.name));
    let bad_section = if is_old_style(system) { 'o' } else { 'b' };
    let properties = system.properties().iter().map(|property| match property.kind {
        PropertyKind::Bad(_) => (bad_section, &property.name),
        PropertyKind::Justice(_) => ('j', &property.name),
    });
    let mut positions: FxHashMap<char, usize> = FxHashMap::default();
    for (section, text) in outputs.chain(properties) {
        let position = positions.entry(section).or_default();
        if *text != format!("{section}{position}") {
            name(section, *position, text);
        }
        *position += 1;
    }
    let mut labels = Labels::new(system.labels());
    for (index, &expr) in system.fairness().iter().enumerate() {
        labels.take(expr).into_iter().for_each(|text| name('f', index, text));
    }
    for index in 0..system.constraints().len() {
        let origin = &system.constraint_origin(index).name;
        origin.iter().for_each(|text| name('c', index, text));
    }
    symbols
}

/// The labels that are still to be given away, the first ones last.
struct Labels<'a>(FxHashMap<ExprId, Vec<&'a str>>);

impl<'a> Labels<'a> {
    fn new(labels: &'a [Named]) -> Self {
        let mut left: FxHashMap<_, Vec<&str>> = FxHashMap::default();
        for label in labels.iter().rev() {
            left.entry(label.expr).or_default().push(&label.name);
        }
        Labels(left)
    }

    fn take(&mut self, expr: ExprId) -> Option<&'a str> {
        self.0.get_mut(&expr)?.pop()
    }
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments) {
    out.write_fmt(text).expect("writing to memory does not fail");
}

fn put_lines(out: &mut Vec<u8>, literals: impl Iterator<Item = u32>) {
    literals.for_each(|literal| put(out, format_args!("{literal}\n")));
}

/// Seven bits a byte, the low ones first.
fn put_delta(out: &mut Vec<u8>, mut delta: u32) {
    while delta >= 0x80 {
        out.push(delta as u8 | 0x80);
        delta >>= 7;
    }
    out.push(delta as u8);
}

fn check_ports(system: &TransitionSystem) -> Result<(), WriteError> {
    let check = |symbol, name: &dyn Fn() -> String| match system.pool().sort(symbol) {
        Sort::BOOL => Ok(()),
        sort => Err(WriteError::NotABit { name: name(), sort }),
    };
    for (index, input) in system.inputs().iter().enumerate() {
        check(input.symbol, &|| system.input_name(index))?;
    }
    for (index, state) in system.states().iter().enumerate() {
        check(state.symbol, &|| system.state_name(index))?;
    }
    for output in system.outputs() {
        check(output.expr, &|| output.name.clone())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aiger::read;
    use elinvar_ir::SystemBuilder;

    fn text(system: &TransitionSystem) -> String {
        String::from_utf8(write(system, Encoding::Ascii).unwrap()).unwrap()
    }

    #[test]
    fn a_state_without_next_is_driven_by_an_input() {
        let mut b = SystemBuilder::new();
        let state = b.state(Sort::BOOL, Some("s")).unwrap();
        b.input(Sort::BOOL, Some("x")).unwrap();
        b.bad("b0", state);
        let system = b.finish().unwrap();
        assert_eq!(text(&system), "aag 3 2 1 0 0 1\n2\n4\n6 4 6\n6\ni0 x\ni1 next(s)\nl0 s\n");
    }

    #[test]
    fn operators_become_gates() {
        let mut b = SystemBuilder::new();
        let x = b.input(Sort::BOOL, None).unwrap();
        let y = b.input(Sort::BOOL, None).unwrap();
        let differ = b.pool.xor(x, y).unwrap();
        b.bad("differ", differ);
        let system = b.finish().unwrap();
        let gates = "6 4 2\n8 5 3\n10 9 7\n";
        assert_eq!(text(&system), format!("aag 5 2 0 0 3 1\n2\n4\n10\n{gates}b0 differ\n"));
    }

    #[test]
    fn outputs_stay_outputs_and_bad_states_stay_bad() {
        for source in [
            "aag 1 1 0 2 0\n2\n2\n3\no1 second\n",
            "aag 1 1 0 0 0 2\n2\n2\n3\nb1 second\n",
            "aag 1 1 0 1 0 0 0 1\n2\n2\n2\n2\n3\n",
        ] {
            assert_eq!(text(&read(source.as_bytes()).unwrap().system), source);
        }
    }

    #[test]
    fn words_are_refused_by_name() {
        let mut b = SystemBuilder::new();
        b.state(Sort::Bv(4), Some("counter")).unwrap();
        let error = write(&b.finish().unwrap(), Encoding::Binary).unwrap_err();
        assert_eq!(error, WriteError::NotABit { name: "counter".into(), sort: Sort::Bv(4) });
        let mut b = SystemBuilder::new();
        let x = b.input(Sort::BOOL, None).unwrap();
        let y = b.input(Sort::BOOL, None).unwrap();
        let wide = b.pool.binary(elinvar_ir::BinaryOp::Concat, x, y).unwrap();
        let all = b.pool.unary(elinvar_ir::UnaryOp::RedAnd, wide).unwrap();
        b.bad("all", all);
        let error = write(&b.finish().unwrap(), Encoding::Binary).unwrap_err();
        assert_eq!(error, WriteError::InnerNotABit(Sort::Bv(2)));
    }

    #[test]
    fn line_ends_in_names_do_not_end_lines() {
        let mut b = SystemBuilder::new();
        b.input(Sort::BOOL, Some("a\nb")).unwrap();
        assert_eq!(text(&b.finish().unwrap()), "aag 1 1 0 0 0\n2\ni0 a b\n");
    }
}
