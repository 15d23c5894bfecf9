//! Circuits of Toffoli gates as graphs, by static single assignment.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Dag, Word, lines, words};
use crate::Diagnostic;
use crate::names::escape;

/// Reads a `.tfc` circuit as the graph of its computed values.
///
/// ```text
/// .v a,b,c       the wires
/// .i a,b         those that carry an input
/// .o c           those that carry an output
/// .c 0           the constants on the others
/// BEGIN
/// t3 a,b',c      a Toffoli gate of three wires: c changes if a and not b
/// END
/// ```
///
/// Each gate makes a vertex: the new value of its target, the last wire. It is
/// named after the wire and counted: a wire that carries an input has value 0
/// from the start, so `c` gets `c_1`, `c_2` and so on; the first value of other
/// wires is the first that a gate gives them, `c_0`, unless the constant served
/// as a control before. A vertex has an edge from the last values of the wires
/// of its gate, the target's included; inputs and constants are not vertices and
/// have no edges. The quote of a negated control changes nothing.
///
/// An output is the last value of its wire. That of a wire which no gate writes
/// is a vertex of its own without edges, `c_0`, that takes a pebble as the
/// others do. Since the wires of a gate are different, there are no parallel edges.
pub fn read_tfc(source: &[u8]) -> Result<Dag, Diagnostic> {
    let mut circuit = Circuit::default();
    let mut part = Part::Header;
    for line in lines(source) {
        let (keyword, rest) = line.split_first().expect("lines have a word");
        part = match part {
            Part::Header if keyword.bytes.eq_ignore_ascii_case(b"BEGIN") => {
                nothing_after(keyword, rest)?;
                circuit.begin(keyword)?;
                Part::Gates
            }
            Part::Header => {
                circuit.header(keyword, rest)?;
                Part::Header
            }
            Part::Gates if keyword.bytes.eq_ignore_ascii_case(b"END") => {
                nothing_after(keyword, rest)?;
                Part::End
            }
            Part::Gates => {
                circuit.gate(keyword, &operands(rest))?;
                Part::Gates
            }
            Part::End => return Err(keyword.error("unexpected text after `END`")),
        };
    }
    let missing = match part {
        Part::Header => "BEGIN",
        Part::Gates => "END",
        Part::End => return Ok(circuit.finish()),
    };
    let end = source.len();
    Err(Diagnostic::new(format!("the file ends without `{missing}`"), end..end))
}

/// Where in the file a line is.
enum Part {
    Header,
    Gates,
    End,
}

#[derive(Default)]
struct Circuit {
    wires: Vec<Wire>,
    numbers: FxHashMap<String, usize>,
    /// The lines of the header that were read.
    headers: FxHashSet<Vec<u8>>,
    outputs: Vec<usize>,
    dag: Dag,
}

/// A wire and its value after the gates that were read so far.
struct Wire {
    name: String,
    value: Value,
}

#[derive(Clone, Copy)]
enum Value {
    /// A constant that nothing has used.
    Unused,
    /// An input, or a constant that served as a control.
    Given,
    /// The value that a gate computed, counted along the wire.
    Computed { count: usize, vertex: usize },
}

impl Circuit {
    fn header(&mut self, keyword: &Word, rest: &[Word]) -> Result<(), Diagnostic> {
        let name = keyword.bytes.to_ascii_lowercase();
        match &name[..] {
            b".v" => self.declare(&operands(rest))?,
            b".i" => {
                for input in self.distinct(&operands(rest))? {
                    self.wires[input].value = Value::Given;
                }
            }
            b".o" => self.outputs = self.distinct(&operands(rest))?,
            b".c" => operands(rest).iter().try_for_each(constant)?,
            // Labels of inputs and outputs, for people.
            b".il" | b".ol" => {}
            _ => {
                keyword.text()?;
                let message = format!("expected `BEGIN`, found {}", keyword.shown());
                return Err(keyword
                    .error(message)
                    .with_help("the lines before it start with .v .i .o .c .il or .ol; comments start with `#`"));
            }
        }
        if !self.headers.insert(name) {
            return Err(keyword.error(format!("there already is a line {}", keyword.shown())));
        }
        Ok(())
    }

    fn declare(&mut self, names: &[Word]) -> Result<(), Diagnostic> {
        for word in names {
            let name = word.text()?;
            if name.ends_with('\'') {
                return Err(word
                    .error("the name of a wire cannot end with a quote")
                    .with_help("the quote marks a negated control of a gate"));
            }
            if self.numbers.insert(name.to_owned(), self.wires.len()).is_some() {
                return Err(twice(word));
            }
            self.wires.push(Wire { name: escape(name).into_owned(), value: Value::Unused });
        }
        Ok(())
    }

    /// The numbers of wires, all different.
    fn distinct(&self, names: &[Word]) -> Result<Vec<usize>, Diagnostic> {
        let mut seen = FxHashSet::default();
        let mut wires = Vec::with_capacity(names.len());
        for word in names {
            let wire = self.wire(word)?;
            if !seen.insert(wire) {
                return Err(twice(word));
            }
            wires.push(wire);
        }
        Ok(wires)
    }

    fn wire(&self, word: &Word) -> Result<usize, Diagnostic> {
        self.numbers.get(word.text()?).copied().ok_or_else(|| {
            word.error(format!("there is no wire {}", word.shown()))
                .with_help("a line `.v` before all others declares the wires")
        })
    }

    fn begin(&self, keyword: &Word) -> Result<(), Diagnostic> {
        if self.wires.is_empty() {
            return Err(keyword
                .error("the circuit has no wires")
                .with_help("a line `.v` before all others declares the wires: .v a,b,c"));
        }
        if self.outputs.is_empty() {
            return Err(keyword
                .error("the circuit has no outputs")
                .with_help("a line `.o` before `BEGIN` names the wires that carry one: .o a,b"));
        }
        Ok(())
    }

    fn gate(&mut self, gate: &Word, operands: &[Word]) -> Result<(), Diagnostic> {
        let expected = arity(gate)?;
        if operands.len() != expected {
            let found = operands.len();
            let end = operands.last().unwrap_or(gate).span.end;
            let wires = if expected == 1 { "one wire".into() } else { format!("{expected} wires") };
            let message = format!("gate {} expects {wires}, found {found}", gate.shown());
            return Err(Diagnostic::new(message, gate.span.start..end)
                .with_help("the number counts the controls and the target"));
        }
        let (target, controls) = operands.split_last().expect("gates have a wire");
        if target.bytes.ends_with(b"'") {
            return Err(target
                .error("the target of a gate cannot be negated")
                .with_help("the target is the last wire of a gate"));
        }
        let mut wires: Vec<Word> = controls.iter().map(unquoted).collect();
        wires.push(target.clone());
        let mut controls = self.distinct(&wires)?;
        let target = controls.pop().expect("the target is a wire");
        self.compute(&controls, target);
        Ok(())
    }

    fn compute(&mut self, controls: &[usize], target: usize) {
        let vertex = self.dag.vertices.len();
        for &control in controls {
            match self.wires[control].value {
                Value::Unused => self.wires[control].value = Value::Given,
                Value::Given => {}
                Value::Computed { vertex: from, .. } => self.dag.edges.push((from, vertex)),
            }
        }
        let count = match self.wires[target].value {
            Value::Unused => 0,
            Value::Given => 1,
            Value::Computed { count, vertex: from } => {
                self.dag.edges.push((from, vertex));
                count + 1
            }
        };
        self.wires[target].value = Value::Computed { count, vertex };
        self.dag.vertices.push(format!("{}_{count}", self.wires[target].name));
    }

    fn finish(mut self) -> Dag {
        for output in self.outputs {
            let vertex = match self.wires[output].value {
                Value::Computed { vertex, .. } => vertex,
                Value::Unused | Value::Given => {
                    self.dag.vertices.push(format!("{}_0", self.wires[output].name));
                    self.dag.vertices.len() - 1
                }
            };
            self.dag.outputs.push(vertex);
        }
        self.dag
    }
}

/// The words of a list, which are separated by commas.
fn operands<'a>(list: &[Word<'a>]) -> Vec<Word<'a>> {
    let split = |word: &Word<'a>| words(word.bytes, word.span.start, |byte| byte == b',');
    list.iter().flat_map(split).collect()
}

fn nothing_after(keyword: &Word, rest: &[Word]) -> Result<(), Diagnostic> {
    match rest.first() {
        Some(extra) => {
            let message = format!("unexpected {} after {}", extra.shown(), keyword.shown());
            Err(extra.error(message))
        }
        None => Ok(()),
    }
}

fn constant(word: &Word) -> Result<(), Diagnostic> {
    match word.bytes {
        b"0" | b"1" => Ok(()),
        _ => Err(word.error(format!("constants are 0 or 1, not {}", word.shown()))),
    }
}

/// The number of wires of a Toffoli gate; other gates are refused.
fn arity(gate: &Word) -> Result<usize, Diagnostic> {
    gate.text()?;
    let digits = Word { bytes: &gate.bytes[1..], span: gate.span.start + 1..gate.span.end };
    let numbered = digits.bytes.iter().all(u8::is_ascii_digit);
    let kind = match gate.bytes[0].to_ascii_lowercase() {
        b'.' => return Err(gate.error(format!("{} comes after `BEGIN`", gate.shown()))),
        b't' if digits.bytes.is_empty() => {
            return Err(gate
                .error(format!("gate {} does not state its number of wires", gate.shown()))
                .with_help("a Toffoli gate of three wires is `t3`"));
        }
        b't' if numbered => match digits.number()? {
            0 => return Err(gate.error(format!("gate {} has no target", gate.shown()))),
            wires => return Ok(wires),
        },
        b'f' if numbered => " (Fredkin)",
        b'p' if numbered => " (Peres)",
        _ => "",
    };
    let message = format!("only Toffoli gates are supported, not {}{kind}", gate.shown());
    Err(gate.error(message).with_help("Toffoli gates are t1 (NOT), t2 (CNOT), t3 and so on"))
}

/// A control without the quote that negates it.
fn unquoted<'a>(control: &Word<'a>) -> Word<'a> {
    match control.bytes {
        [bytes @ .., b'\''] if !bytes.is_empty() => {
            Word { bytes, span: control.span.start..control.span.end - 1 }
        }
        _ => control.clone(),
    }
}

fn twice(word: &Word) -> Diagnostic {
    word.error(format!("wire {} occurs twice", word.shown()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The graph as text: vertices, edges, outputs.
    fn graph(header: &str, gates: &str) -> String {
        let dag = read_tfc(format!("{header}\nBEGIN\n{gates}\nEND\n").as_bytes()).unwrap();
        let name = |vertex: usize| &*dag.vertices[vertex];
        let edges: Vec<String> =
            dag.edges.iter().map(|&(from, to)| format!("{}>{}", name(from), name(to))).collect();
        let outputs: Vec<&str> = dag.outputs.iter().map(|&vertex| name(vertex)).collect();
        [dag.vertices.join(" "), edges.join(" "), outputs.join(" ")].join("; ")
    }

    #[test]
    fn gates_make_values() {
        let header = ".v a,b,c\n.i a,b,c\n.o b,c";
        assert_eq!(graph(header, "t3 a,b,c\nt2 c,b"), "c_1 b_1; c_1>b_1; b_1 c_1");
        let swap = "t2 a,b\nt2 b,a\nt2 a,b";
        assert_eq!(
            graph(".v a,b\n.i a,b\n.o a,b", swap),
            "b_1 a_1 b_2; b_1>a_1 a_1>b_2 b_1>b_2; a_1 b_2"
        );
    }

    #[test]
    fn the_first_value_of_a_constant_is_that_of_a_gate() {
        let header = ".v a,x,y\n.i a\n.o x,y\n.c 0,1";
        assert_eq!(graph(header, "t2 a,x\nt2 a,y"), "x_0 y_0; ; x_0 y_0");
        assert_eq!(graph(header, "t2 y,x\nt2 a,y"), "x_0 y_1; ; x_0 y_1");
    }

    #[test]
    fn outputs_without_a_gate_are_vertices() {
        let header = ".v a,b,x\n.i a,b\n.o x,a,b";
        assert_eq!(graph(header, "t2 a,b"), "b_1 x_0 a_0; ; x_0 a_0 b_1");
        assert_eq!(graph(header, ""), "x_0 a_0 b_0; ; x_0 a_0 b_0");
    }

    #[test]
    fn quotes_case_and_blanks_do_not_matter() {
        let header = ".V a, b ,c # wires\r\n.i a,b,c\n.il In 1,In 2,In 3\n.o c\n.ol Out 1";
        assert_eq!(graph(header, "t1 a\n\nT3 a', b',c\n# nothing"), "a_1 c_1; a_1>c_1; c_1");
        let lower = b".v a\n.o a\nbegin\nt1 a\nend";
        assert_eq!(read_tfc(lower).unwrap().vertices, ["a_0"]);
    }

    #[test]
    fn errors_point_at_the_word() {
        crate::annotated::check("tfc.txt", read_tfc);
        assert_eq!(read_tfc(b"").unwrap_err().message, "the file ends without `BEGIN`");
        let error = read_tfc(b".v a,\xff").unwrap_err();
        assert_eq!((error.span, &*error.message), (5..6, "this is not UTF-8"));
    }
}
