//! The gates: from literals of the file to bits of the pool.

use elinvar_ir::{ExprId, Pool};

use super::header::Header;
use super::scan::{Mention, Scanner};
use crate::Diagnostic;

/// The bits that the variables of a file stand for.
pub(super) struct Circuit {
    /// By definition: the constant, the inputs, the latches, the gates.
    values: Vec<ExprId>,
    /// ASCII: by variable, the number of its definition, or zero. Binary files
    /// define their variables in order and need no table.
    definitions: Option<Vec<u32>>,
}

impl Circuit {
    /// A circuit of inputs and latches in the order of a binary file; the gates
    /// are to come.
    pub fn consecutive(ports: impl Iterator<Item = ExprId>, pool: &Pool, ands: u32) -> Self {
        let mut values = Vec::with_capacity(ports.size_hint().0 + 1 + ands as usize);
        values.push(pool.bool(false));
        values.extend(ports);
        Circuit { values, definitions: None }
    }

    /// The bit that a literal stands for.
    pub fn bit(&self, scan: &Scanner, pool: &Pool, mention: Mention) -> Result<ExprId, Diagnostic> {
        let definition = match &self.definitions {
            None => mention.literal >> 1,
            Some(definitions) => definition_of(definitions, scan, mention)?,
        };
        Ok(polarity(pool, self.values[definition as usize], mention.literal))
    }

    /// Reads the gates of a binary file: for each the difference of its own
    /// literal to the larger operand, and of that to the smaller one.
    pub fn read_binary(
        &mut self,
        scan: &mut Scanner,
        pool: &mut Pool,
        header: &Header,
    ) -> Result<(), Diagnostic> {
        for variable in self.values.len() as u32..=header.max_var {
            let (start, lhs) = (scan.at(), 2 * variable);
            let first = match scan.delta() {
                Some(delta) if 0 < delta && delta <= lhs => lhs - delta,
                answer => return Err(bad_delta(scan, start, answer, lhs)),
            };
            let middle = scan.at();
            let second = match scan.delta() {
                Some(delta) if delta <= first => first - delta,
                answer => return Err(bad_delta(scan, middle, answer, first)),
            };
            let a = polarity(pool, self.values[(first >> 1) as usize], first);
            let b = polarity(pool, self.values[(second >> 1) as usize], second);
            self.values.push(pool.and_bits(a, b));
        }
        Ok(())
    }
}

fn polarity(pool: &Pool, bit: ExprId, literal: u32) -> ExprId {
    if literal & 1 == 1 { pool.not_bit(bit) } else { bit }
}

#[cold]
fn bad_delta(scan: &Scanner, start: usize, delta: Option<u32>, from: u32) -> Diagnostic {
    let span = start..scan.at();
    match delta {
        None if scan.remaining() == 0 => {
            Diagnostic::new("the file ends within the gates", scan.at()..scan.at())
        }
        None => Diagnostic::new("a delta code does not fit in 32 bits", span),
        Some(0) => Diagnostic::new(format!("gate {from} is its own operand"), span),
        Some(delta) => {
            Diagnostic::new(format!("the delta {delta} is larger than literal {from}"), span)
        }
    }
}

fn definition_of(definitions: &[u32], scan: &Scanner, mention: Mention) -> Result<u32, Diagnostic> {
    let variable = mention.literal >> 1;
    match definitions[variable as usize] {
        0 if variable > 0 => {
            let message = format!(
                "literal {} is undefined: no input, latch or gate defines {}",
                mention.literal,
                mention.literal & !1
            );
            Err(Diagnostic::new(message, scan.number_span(mention.at)))
        }
        definition => Ok(definition),
    }
}

/// A gate of an ASCII file.
struct Gate {
    operands: [Mention; 2],
    /// Where its line starts.
    at: usize,
}

/// The definitions of an ASCII file, gates in any order.
pub(super) struct Definitions {
    /// By variable; see [`Circuit::definitions`].
    numbers: Vec<u32>,
    count: u32,
    gates: Vec<Gate>,
}

impl Definitions {
    pub fn new(header: &Header) -> Self {
        // Zeroed memory is not touched before it is used: a large table of a
        // small file costs nothing.
        let numbers = vec![0; header.max_var as usize + 1];
        Definitions { numbers, count: 0, gates: Vec::with_capacity(header.ands as usize) }
    }

    /// Takes the next definition: of an input, a latch or a gate, in this order.
    pub fn define(&mut self, what: &str, lhs: Mention, scan: &Scanner) -> Result<(), Diagnostic> {
        let Mention { literal, at } = lhs;
        if literal < 2 || literal & 1 == 1 {
            let message =
                format!("{what} {literal} is not a variable: expected an even literal from 2 on");
            return Err(Diagnostic::new(message, scan.number_span(at)));
        }
        let number = &mut self.numbers[(literal >> 1) as usize];
        if *number != 0 {
            let message = format!("literal {literal} is defined twice");
            return Err(Diagnostic::new(message, scan.number_span(at)));
        }
        self.count += 1;
        *number = self.count;
        Ok(())
    }

    pub fn read_gates(&mut self, scan: &mut Scanner, header: &Header) -> Result<(), Diagnostic> {
        for _ in 0..header.ands {
            let lhs = scan.literal("the gate literal", header.max_var)?;
            self.define("the gate literal", lhs, scan)?;
            scan.space("the gate literal")?;
            let first = scan.literal("the first operand", header.max_var)?;
            scan.space("the first operand")?;
            let second = scan.literal("the second operand", header.max_var)?;
            scan.newline("the second operand")?;
            self.gates.push(Gate { operands: [first, second], at: lhs.at });
        }
        Ok(())
    }

    /// Builds the gates, operands first, on a circuit of inputs and latches.
    pub fn resolve(
        self,
        circuit: Circuit,
        scan: &Scanner,
        pool: &mut Pool,
    ) -> Result<Circuit, Diagnostic> {
        let Circuit { mut values, .. } = circuit;
        let first_gate = values.len();
        values.resize(first_gate + self.gates.len(), pool.bool(false));
        let mut progress = vec![Progress::Waiting; self.gates.len()];
        let mut stack = Vec::new();
        for root in 0..self.gates.len() {
            stack.push(root);
            while let Some(&index) = stack.last() {
                if progress[index] == Progress::Done {
                    stack.pop();
                    continue;
                }
                progress[index] = Progress::Open;
                let gate = &self.gates[index];
                let mut bits = [pool.bool(false); 2];
                let mut pending = None;
                for (bit, &operand) in bits.iter_mut().zip(&gate.operands) {
                    let definition = definition_of(&self.numbers, scan, operand)? as usize;
                    *bit = polarity(pool, values[definition], operand.literal);
                    if definition >= first_gate
                        && progress[definition - first_gate] != Progress::Done
                    {
                        pending = Some(definition - first_gate);
                    }
                }
                match pending {
                    None => {
                        values[first_gate + index] = pool.and_bits(bits[0], bits[1]);
                        progress[index] = Progress::Done;
                        stack.pop();
                    }
                    Some(operand) if progress[operand] == Progress::Open => {
                        let span = scan.line_span(gate.at);
                        return Err(Diagnostic::new("this gate depends on itself", span));
                    }
                    Some(operand) => stack.push(operand),
                }
            }
        }
        Ok(Circuit { values, definitions: Some(self.numbers) })
    }
}

/// How far the building of a gate has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Waiting,
    /// On the path from the root to the gate in hand.
    Open,
    Done,
}

#[cfg(test)]
mod tests {
    use crate::aiger::read;

    fn error(text: &[u8]) -> (String, String) {
        let error = read(text).unwrap_err();
        (error.message, String::from_utf8_lossy(&text[error.span]).into_owned())
    }

    #[test]
    fn gates_of_ascii_files_come_in_any_order() {
        let forward = read(b"aag 4 2 0 1 2\n2\n4\n8\n6 2 4\n8 7 3\n").unwrap();
        let backward = read(b"aag 4 2 0 1 2\n2\n4\n8\n8 7 3\n6 2 4\n").unwrap();
        assert_eq!(forward.system.properties(), backward.system.properties());
    }

    #[test]
    fn a_long_chain_of_forward_references_needs_no_recursion() {
        let count = 100_000;
        let mut text = format!("aag {} 1 0 1 {count}\n2\n{}\n", count + 1, 2 * (count + 1));
        for gate in (2..count + 2).rev() {
            text.push_str(&format!("{} {} 2\n", 2 * gate, 2 * gate - 1));
        }
        assert_eq!(read(text.as_bytes()).unwrap().system.bads().count(), 1);
    }

    #[test]
    fn wrong_definitions_are_pointed_at() {
        let own = "this gate depends on itself".to_owned();
        assert_eq!(error(b"aag 2 0 0 0 2\n2 4 4\n4 2 1\n"), (own.clone(), "4 2 1".into()));
        assert_eq!(error(b"aag 1 0 0 0 1\n2 3 1\n"), (own, "2 3 1".into()));
        let (message, text) = error(b"aag 9 1 0 1 0\n2\n15\n");
        assert_eq!(message, "literal 15 is undefined: no input, latch or gate defines 14");
        assert_eq!(text, "15");
        let (message, text) = error(b"aag 2 2 0 0 0\n2\n2\n");
        assert_eq!((message.as_str(), text.as_str()), ("literal 2 is defined twice", "2"));
        assert_eq!(error(b"aag 2 1 0 0 0\n3\n").1, "3");
        assert_eq!(error(b"aag 2 1 0 0 1\n2\n2 1 1\n").1, "2");
    }

    #[test]
    fn wrong_deltas_are_pointed_at() {
        let gate = |bytes: &[u8]| {
            let mut text = b"aig 2 1 0 0 1\n".to_vec();
            text.extend_from_slice(bytes);
            read(&text).map_err(|error| (error.message, error.span.start - 14..error.span.end - 14))
        };
        assert!(gate(&[2, 2]).is_ok());
        assert!(gate(&[4, 0]).is_ok());
        assert_eq!(gate(&[0, 2]).unwrap_err().1, 0..1);
        assert_eq!(gate(&[5, 0]).unwrap_err().1, 0..1);
        assert_eq!(gate(&[1, 4]).unwrap_err().1, 1..2);
        let endless = gate(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).unwrap_err();
        assert_eq!(endless, ("a delta code does not fit in 32 bits".into(), 0..5));
        let cut = gate(&[1, 0x80]).unwrap_err();
        assert_eq!(cut, ("the file ends within the gates".into(), 2..2));
    }
}
