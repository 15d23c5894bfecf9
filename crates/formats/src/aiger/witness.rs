//! Witnesses of bad states: stimuli that lead to them.
//!
//! A line `1`, the property (`b` and its number among the bad states), a line
//! with the initial values of the latches, a line with the inputs of each cycle,
//! and a full stop. Lines that start with `c` or `u` are comments. An `x` stands
//! for either value: it is read as 0, or as the reset value of a latch that has
//! one.
//!
//! The witness is one of the circuit that [`super::write`] makes of the system:
//! after the inputs come the inputs that drive the states without next function.

use std::ops::Range;

use elinvar_ir::{BitVec, PropertyId, Simulator, Step, Trace, TransitionSystem, Value};

use crate::Diagnostic;

/// Reads a witness of a bad state of a bit-level system.
///
/// Of several properties on the second line the first one is taken. The trace is
/// complete, but it is not replayed: judging it is the checker's business.
pub fn read_witness(source: &[u8], system: &TransitionSystem) -> Result<Trace, Diagnostic> {
    let mut lines = Lines { source, at: 0 };
    let status = lines.next("the status `1`")?;
    check_status(source, &status)?;
    let line = lines.next("the property, as `b0`")?;
    let property = read_property(source, line, system)?;

    let latches = lines.next("the initial values of the latches")?;
    let initial = read_bits(source, latches, system.states().len(), "latches")?;
    let free = system.free_states().len();
    let width = system.inputs().len() + free;
    let mut stimuli = Vec::new();
    loop {
        let line = lines.next("the inputs of a cycle or a full stop")?;
        if &source[line.clone()] == b"." {
            if stimuli.is_empty() {
                return Err(Diagnostic::new("a witness has one cycle at least", line));
            }
            break;
        }
        stimuli.push(read_bits(source, line, width, "inputs")?);
    }

    let mut steps: Vec<Step> = Vec::with_capacity(stimuli.len());
    let mut driven = Vec::new();
    for bits in stimuli {
        let mut values: Vec<Value> = bits.into_iter().map(|bit| value(bit == Some(true))).collect();
        let next = values.split_off(values.len() - free);
        let first = steps.is_empty();
        let free = std::mem::replace(&mut driven, next);
        steps.push(Step { inputs: values, free: if first { Vec::new() } else { free } });
    }
    let initial = initial_values(system, &initial, &steps[0].inputs);
    Ok(Trace { property, initial, steps })
}

/// Writes a trace of a bit-level system as a witness.
///
/// # Panics
/// If the trace is not one of the system, the property not a bad state of it, or
/// a signal wider than a bit.
pub fn write_witness(system: &TransitionSystem, trace: &Trace) -> String {
    let number = system.bads().position(|(id, _)| id == trace.property);
    let number = number.expect("a trace ends in a bad state");
    let mut text = format!("1\nb{number}\n");
    let push = |text: &mut String, value: &Value| {
        text.push(if value.bv().is_true() { '1' } else { '0' });
    };
    trace.initial.iter().for_each(|value| push(&mut text, value));
    text.push('\n');
    for (cycle, step) in trace.steps.iter().enumerate() {
        step.inputs.iter().for_each(|value| push(&mut text, value));
        match trace.steps.get(cycle + 1) {
            Some(next) => next.free.iter().for_each(|value| push(&mut text, value)),
            None => text.extend(system.free_states().iter().map(|_| '0')),
        }
        text.push('\n');
    }
    text.push_str(".\n");
    text
}

fn value(bit: bool) -> Value {
    BitVec::bool(bit).into()
}

/// The lines of a witness that are not comments, as ranges without line ends.
struct Lines<'a> {
    source: &'a [u8],
    at: usize,
}

impl Lines<'_> {
    fn next(&mut self, expected: &str) -> Result<Range<usize>, Diagnostic> {
        loop {
            let (start, rest) = (self.at, &self.source[self.at..]);
            if rest.is_empty() {
                let message = format!("the file ends where {expected} should be");
                return Err(Diagnostic::new(message, start..start));
            }
            let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            self.at += (length + 1).min(rest.len());
            let line = &rest[..length];
            if !matches!(line.first(), Some(b'c' | b'u')) {
                return Ok(start..start + line.trim_ascii_end().len());
            }
        }
    }
}

fn check_status(source: &[u8], line: &Range<usize>) -> Result<(), Diagnostic> {
    let error = |message: &str| Err(Diagnostic::new(message, line.clone()));
    match &source[line.clone()] {
        b"1" => Ok(()),
        b"0" => error("the status is `0`, the property holds: there is no trace to read"),
        b"2" => error("the status is `2`, unknown: there is no trace to read"),
        _ => error("expected the status `1`, the first line of a witness"),
    }
}

fn read_property(
    source: &[u8],
    line: Range<usize>,
    system: &TransitionSystem,
) -> Result<PropertyId, Diagnostic> {
    let text = &source[line.clone()];
    let error = |message: String| Err(Diagnostic::new(message, line.clone()));
    let (digits, kind) = match text {
        [b'b', rest @ ..] => (rest, 'b'),
        [b'j', rest @ ..] => (rest, 'j'),
        _ => return error("expected a property, as `b0`".into()),
    };
    if kind == 'j' {
        return error("witnesses of justice properties are not supported".into());
    }
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let ends_well = matches!(digits.get(length), None | Some(b'b' | b'j'));
    let number = std::str::from_utf8(&digits[..length]).ok().and_then(|text| text.parse().ok());
    let Some(number) = number.filter(|_: &usize| ends_well) else {
        return error("expected a property, as `b0`".into());
    };
    match system.bads().nth(number) {
        Some((id, _)) => Ok(id),
        None => {
            error(format!("the model has {} bad states, no `b{number}`", system.bads().count()))
        }
    }
}

/// The bits of a line; `None` for `x`.
fn read_bits(
    source: &[u8],
    line: Range<usize>,
    count: usize,
    what: &str,
) -> Result<Vec<Option<bool>>, Diagnostic> {
    let mut bits = Vec::with_capacity(line.len());
    for at in line.clone() {
        bits.push(match source[at] {
            b'0' => Some(false),
            b'1' => Some(true),
            b'x' | b'X' => None,
            byte => {
                let message = format!("expected `0`, `1` or `x`, found `{}`", byte.escape_ascii());
                return Err(Diagnostic::new(message, at..at + 1));
            }
        });
    }
    if bits.len() != count {
        let message = format!("{} values for {count} {what}", bits.len());
        return Err(Diagnostic::new(message, line));
    }
    Ok(bits)
}

/// The values of cycle zero, those left open taken from the resets or zero.
fn initial_values(
    system: &TransitionSystem,
    given: &[Option<bool>],
    inputs: &[Value],
) -> Vec<Value> {
    let given_or_zero = |index: usize| value(given[index] == Some(true));
    let open = |index: usize| given[index].is_none() && system.states()[index].init.is_some();
    if !(0..given.len()).any(open) {
        return (0..given.len()).map(given_or_zero).collect();
    }
    let simulator = Simulator::new(system, given_or_zero, inputs.to_vec());
    let reset = |index: usize| simulator.states()[index].clone();
    let pick = |index: usize| if open(index) { reset(index) } else { given_or_zero(index) };
    (0..given.len()).map(pick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aiger::read;

    /// Latches: reset 1, free, reset by the free one; two inputs, two bad states.
    fn system() -> TransitionSystem {
        read(b"aag 5 2 3 0 0 2\n2\n4\n6 2 1\n8 4 8\n10 10 9\n6\n8\n").unwrap().system
    }

    fn bits(values: &[Value]) -> String {
        values.iter().map(|value| if value.bv().is_true() { '1' } else { '0' }).collect()
    }

    #[test]
    fn a_witness_is_read_and_written() {
        let system = system();
        let text = "1\nb1\n101\n01\n10\n.\n";
        let trace = read_witness(text.as_bytes(), &system).unwrap();
        assert_eq!((trace.property, bits(&trace.initial)), (PropertyId(1), "101".into()));
        assert_eq!(bits(&trace.steps[1].inputs), "10");
        assert_eq!(write_witness(&system, &trace), text);
    }

    #[test]
    fn open_values_are_resets_or_zero() {
        let trace = read_witness(b"c by hand\n1\nb0b1\nxxx\nu1\nx1\n.\n", &system()).unwrap();
        assert_eq!(
            (bits(&trace.initial), bits(&trace.steps[0].inputs)),
            ("101".into(), "01".into())
        );
    }

    #[test]
    fn faults_are_pointed_at() {
        let error = |text: &str| {
            let error = read_witness(text.as_bytes(), &system()).unwrap_err();
            (error.message, text[error.span].to_owned())
        };
        assert_eq!(
            error("0\nb0\n.\n"),
            ("the status is `0`, the property holds: there is no trace to read".into(), "0".into())
        );
        assert_eq!(error("2\nb0\n.\n").1, "2");
        assert_eq!(error("sat\n").1, "sat");
        assert_eq!(error("1\nb2\n").0, "the model has 2 bad states, no `b2`");
        assert_eq!(error("1\nj0\n").0, "witnesses of justice properties are not supported");
        assert_eq!(error("1\nb\n").0, "expected a property, as `b0`");
        assert_eq!(error("1\nb0\n10\n"), ("2 values for 3 latches".into(), "10".into()));
        assert_eq!(error("1\nb0\n102\n").1, "2");
        assert_eq!(
            error("1\nb0\n100\n.\n"),
            ("a witness has one cycle at least".into(), ".".into())
        );
        assert_eq!(
            error("1\nb0\n100\n00\n").0,
            "the file ends where the inputs of a cycle or a full stop should be"
        );
    }
}
