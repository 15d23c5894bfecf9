//! Witnesses: stimuli that lead to bad states, or to loops that violate justice properties.
//!
//! A line `1`, the properties (for each of them `b` and a number among the bad states, or `j` and
//! a number among the justice properties), a line with the initial values of the latches, a line
//! with the inputs of each cycle, and a full stop. Lines that start with `c` or `u` are comments.
//! An `x` leaves a value open: the trace must violate the properties for both values. Only a latch
//! that has a reset value takes that one.
//!
//! The stimulus of a justice property ends where the loop closes: the state after the last cycle
//! is that of an earlier one. The file does not say which one. aigsim compares all latches, so the
//! loop of a trace is repeated until all of them return, if that takes few enough cycles.
//!
//! The witness is one of the circuit that [`super::write`] makes of the system:
//! after the inputs come the inputs that drive the states without next function.

use std::ops::Range;

use std::borrow::Cow;

use elinvar_ir::{
    BitVec, OpenValue, PropertyId, PropertyKind, Simulator, Step, Trace, TransitionSystem, Value,
    Values, Witness,
};

use crate::{Diagnostic, counted};

/// Reads a witness of properties of a bit-level system.
///
/// The trace is complete, with 0 for open values, but it is not replayed: judging it is
/// the checker's business.
pub fn read_witness(source: &[u8], system: &TransitionSystem) -> Result<Witness, Diagnostic> {
    let mut lines = Lines { source, at: 0 };
    let status = lines.next("the status `1`")?;
    check_status(source, &status)?;
    let line = lines.next("the property, such as `b0` or `j0`")?;
    let properties = read_properties(source, line, system)?;

    let latches = lines.next("the initial values of the latches")?;
    let initial = read_bits(source, latches, system.states().len(), "latches")?;
    let width = system.inputs().len() + system.free_states().len();
    let mut stimuli = Vec::new();
    loop {
        let line = lines.next("the inputs of a cycle or a full stop")?;
        if &source[line.clone()] == b"." {
            if stimuli.is_empty() {
                return Err(Diagnostic::new("a witness has at least one cycle", line));
            }
            break;
        }
        stimuli.push(read_bits(source, line, width, "inputs")?);
    }
    lines.finish()?;

    let open = open_values(system, &initial, &stimuli);
    let steps = steps(system, stimuli);
    let initial = initial_values(system, &initial, &steps[0].inputs);
    let trace = Trace { property: properties[0], initial, steps: steps.into(), loop_start: None };
    Ok(Witness { trace, properties, open })
}

/// The values that are `x`.
fn open_values(
    system: &TransitionSystem,
    initial: &[Option<bool>],
    stimuli: &[Vec<Option<bool>>],
) -> Vec<OpenValue> {
    let inputs = system.inputs().len();
    let missing = |bits: &[Option<bool>]| -> Vec<usize> {
        (0..bits.len()).filter(|&index| bits[index].is_none()).collect()
    };
    let mut open: Vec<OpenValue> =
        missing(initial).into_iter().map(|state| OpenValue::Initial { state }).collect();
    for (cycle, bits) in stimuli.iter().enumerate() {
        open.extend(missing(bits).into_iter().filter_map(
            |index| match index.checked_sub(inputs) {
                None => Some(OpenValue::Input { cycle, input: index }),
                // It drives a state of the next cycle, which the last cycle does not have.
                Some(position) => {
                    let cycle = cycle + 1;
                    (cycle < stimuli.len()).then_some(OpenValue::Free { cycle, position })
                }
            },
        ));
    }
    open
}

/// The cycles, with zero for open values.
fn steps(system: &TransitionSystem, stimuli: Vec<Vec<Option<bool>>>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::with_capacity(stimuli.len());
    let mut driven = Vec::new();
    for bits in stimuli {
        let mut values: Vec<Value> = bits.into_iter().map(|bit| value(bit == Some(true))).collect();
        let next = values.split_off(system.inputs().len());
        let first = steps.is_empty();
        let free = std::mem::replace(&mut driven, next);
        steps.push(Step { inputs: values.into(), free: if first { Vec::new() } else { free } });
    }
    steps
}

/// Writes a trace of a bit-level system as a witness. If its loop cannot be repeated until all
/// latches return, a comment says so.
///
/// # Panics
/// If the trace is not one of the system, or a signal wider than a bit.
pub fn write_witness(system: &TransitionSystem, trace: &Trace) -> String {
    let mut text = String::new();
    let trace = match trace.with_closed_loop(system) {
        Some(closed) => Cow::Owned(closed),
        None => {
            text.push_str(
                "c not all latches return: the loop closes only in those that the property\n",
            );
            text.push_str("c and the constraints depend on\n");
            Cow::Borrowed(trace)
        }
    };
    let (kind, number) = numbered(system, trace.property);
    text += &format!("1\n{kind}{number}\n");
    let push = |text: &mut String, value: &Value| {
        text.push(if value.bv().is_true() { '1' } else { '0' });
    };
    trace.initial.iter().for_each(|value| push(&mut text, value));
    text.push('\n');
    let back = trace.return_step(system);
    for (cycle, step) in trace.steps.iter().enumerate() {
        step.inputs.iter().for_each(|value| push(&mut text, value));
        match trace.steps.get(cycle + 1).or(back.as_ref()) {
            Some(next) => next.free.iter().for_each(|value| push(&mut text, value)),
            None => text.extend(system.free_states().iter().map(|_| '0')),
        }
        text.push('\n');
    }
    text.push_str(".\n");
    text
}

/// The letter of a property's kind and its number among those of its kind.
fn numbered(system: &TransitionSystem, property: PropertyId) -> (char, usize) {
    let letter = letter_of(&system.property(property).kind);
    let before = &system.properties()[..property.0];
    (letter, before.iter().filter(|other| letter_of(&other.kind) == letter).count())
}

fn letter_of(kind: &PropertyKind) -> char {
    match kind {
        PropertyKind::Bad(_) => 'b',
        PropertyKind::Justice(_) => 'j',
    }
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
                let message = format!("expected {expected}, found the end of the file");
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

    /// Only comments and empty lines may be left.
    fn finish(mut self) -> Result<(), Diagnostic> {
        while !self.source[self.at..].trim_ascii().is_empty() {
            let Ok(line) = self.next("a comment") else { return Ok(()) };
            let text = self.source[line.clone()].trim_ascii();
            let second = matches!(text, b"0" | b"1" | b"2");
            if second {
                return Err(Diagnostic::new("the file has a second witness", line)
                    .with_help("write each witness to its own file"));
            }
            if !text.is_empty() {
                return Err(Diagnostic::new("unexpected text after the end of the witness", line));
            }
        }
        Ok(())
    }
}

fn check_status(source: &[u8], line: &Range<usize>) -> Result<(), Diagnostic> {
    let error = |message: &str| Err(Diagnostic::new(message, line.clone()));
    match &source[line.clone()] {
        b"1" => Ok(()),
        b"0" => error("the status is `0` (the property holds), so there is no trace"),
        b"2" => error("the status is `2` (unknown), so there is no trace"),
        _ => error("expected the status `1`, the first line of a witness"),
    }
}

/// The properties of a line such as `b0b2` or `b0j1`.
fn read_properties(
    source: &[u8],
    line: Range<usize>,
    system: &TransitionSystem,
) -> Result<Vec<PropertyId>, Diagnostic> {
    let expected =
        |span: Range<usize>| Err(Diagnostic::new("expected a property such as `b0` or `j0`", span));
    let mut properties = Vec::new();
    let mut at = line.start;
    while at < line.end {
        let digits = source[at + 1..line.end].iter().take_while(|byte| byte.is_ascii_digit());
        let span = at..at + 1 + digits.count();
        let number = std::str::from_utf8(&source[at + 1..span.end]).ok();
        let number = number.and_then(|digits| digits.parse::<usize>().ok());
        match (source[at], number) {
            (letter @ (b'b' | b'j'), Some(number)) => {
                let letter = char::from(letter);
                let property = nth_property(system, letter, number);
                properties
                    .push(property.map_err(|message| Diagnostic::new(message, span.clone()))?);
            }
            // `b0 b1` is not what the format says, but it is clear.
            (b' ', None) if !properties.is_empty() => {}
            _ => return expected(at..line.end),
        }
        at = span.end;
    }
    if properties.is_empty() { expected(line) } else { Ok(properties) }
}

/// The property with this number among those of its kind.
fn nth_property(
    system: &TransitionSystem,
    letter: char,
    number: usize,
) -> Result<PropertyId, String> {
    let all = system.properties().iter().enumerate();
    let mut of_kind = all.filter(|(_, property)| letter_of(&property.kind) == letter);
    if let Some((id, _)) = of_kind.clone().nth(number) {
        return Ok(PropertyId(id));
    }
    let count = of_kind.by_ref().count();
    let has = match letter {
        'b' => counted(count, "bad state"),
        _ if count == 1 => "1 justice property".to_owned(),
        _ => format!("{count} justice properties"),
    };
    Err(format!("there is no `{letter}{number}`: the model has {has}"))
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
        let message =
            format!("expected {} for the {what}, found {}", counted(count, "value"), bits.len());
        return Err(Diagnostic::new(message, line));
    }
    Ok(bits)
}

/// The values of cycle zero, those left open taken from the resets or zero.
fn initial_values(
    system: &TransitionSystem,
    given: &[Option<bool>],
    inputs: &Values,
) -> Vec<Value> {
    let given_or_zero = |index: usize| value(given[index] == Some(true));
    let open = |index: usize| given[index].is_none() && system.states()[index].init.is_some();
    if !(0..given.len()).any(open) {
        return (0..given.len()).map(given_or_zero).collect();
    }
    let simulator = Simulator::new(system, given_or_zero, inputs.clone());
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

    fn bits<'v>(values: impl IntoIterator<Item = &'v Value>) -> String {
        values.into_iter().map(|value| if value.bv().is_true() { '1' } else { '0' }).collect()
    }

    #[test]
    fn a_witness_is_read_and_written() {
        let system = system();
        let text = "1\nb1\n101\n01\n10\n.\n";
        let Witness { trace, properties, open } = read_witness(text.as_bytes(), &system).unwrap();
        assert_eq!((properties, open), (vec![PropertyId(1)], vec![]));
        assert_eq!((trace.property, bits(&trace.initial)), (PropertyId(1), "101".into()));
        assert_eq!(bits(trace.steps[1].inputs.iter()), "10");
        assert_eq!(write_witness(&system, &trace), text);
    }

    #[test]
    fn open_values_are_resets_or_zero() {
        let text = b"c by hand\n1\nb0b1\nxxx\nu1\nx1\n.\nc end\n\n";
        let Witness { trace, properties, open } = read_witness(text, &system()).unwrap();
        assert_eq!(
            (bits(&trace.initial), bits(trace.steps[0].inputs.iter())),
            ("101".into(), "01".into())
        );
        assert_eq!(properties, [PropertyId(0), PropertyId(1)]);
        let initial = (0..3).map(|state| OpenValue::Initial { state });
        let expected: Vec<_> = initial.chain([OpenValue::Input { cycle: 0, input: 0 }]).collect();
        assert_eq!(open, expected);
    }

    /// The input that drives a state without next function chooses its next value.
    #[test]
    fn open_values_of_free_states_belong_to_the_next_cycle() {
        let mut b = elinvar_ir::SystemBuilder::new();
        let free = b.state(elinvar_ir::Sort::BOOL, Some("free")).unwrap();
        b.bad("p", free);
        let system = b.finish().unwrap();
        let witness = read_witness(b"1\nb0\n0\nx\nx\n.\n", &system).unwrap();
        assert_eq!(witness.open, [OpenValue::Free { cycle: 1, position: 0 }]);
    }

    #[test]
    fn faults_are_pointed_at() {
        let error = |text: &str| {
            let error = read_witness(text.as_bytes(), &system()).unwrap_err();
            (error.message, text[error.span].to_owned())
        };
        assert_eq!(
            error("0\nb0\n.\n"),
            ("the status is `0` (the property holds), so there is no trace".into(), "0".into())
        );
        assert_eq!(error("2\nb0\n.\n").1, "2");
        assert_eq!(error("sat\n").1, "sat");
        assert_eq!(error("1\nb2\n").0, "there is no `b2`: the model has 2 bad states");
        assert_eq!(error("1\nb0b2\n").1, "b2");
        assert_eq!(error("1\nb0j0\n").1, "j0");
        assert_eq!(
            error("1\nb0x\n"),
            ("expected a property such as `b0` or `j0`".into(), "x".into())
        );
        assert_eq!(error("1\nb0b\n").1, "b");
        assert_eq!(error("1\n\n000\n").0, "expected a property such as `b0` or `j0`");
        let good = "1\nb0\n100\n00\n.\n";
        assert_eq!(
            error(&format!("{good}junk\n")),
            ("unexpected text after the end of the witness".into(), "junk".into())
        );
        assert_eq!(error(&format!("{good}c\n.\n")).1, ".");
        assert_eq!(
            error(&format!("{good}{good}")),
            ("the file has a second witness".into(), "1".into())
        );
        assert_eq!(error("1\nj0\n").0, "there is no `j0`: the model has 0 justice properties");
        assert_eq!(error("1\nb\n").0, "expected a property such as `b0` or `j0`");
        assert_eq!(
            error("1\nb0\n10\n"),
            ("expected 3 values for the latches, found 2".into(), "10".into())
        );
        assert_eq!(error("1\nb0\n102\n").1, "2");
        assert_eq!(
            error("1\nb0\n100\n.\n"),
            ("a witness has at least one cycle".into(), ".".into())
        );
        assert_eq!(
            error("1\nb0\n100\n00\n").0,
            "expected the inputs of a cycle or a full stop, found the end of the file"
        );
    }

    /// A latch that toggles, one that counts its rounds modulo two, and a state without next
    /// function. The property is that the first one is set.
    fn live() -> TransitionSystem {
        let mut b = elinvar_ir::SystemBuilder::new();
        let bit = b.state(elinvar_ir::Sort::BOOL, Some("bit")).unwrap();
        let round = b.state(elinvar_ir::Sort::BOOL, Some("round")).unwrap();
        b.state(elinvar_ir::Sort::BOOL, Some("free")).unwrap();
        let no = b.pool.bool(false);
        (b.states[0].init, b.states[1].init) = (Some(no), Some(no));
        b.states[0].next = Some(b.pool.not(bit).unwrap());
        b.states[1].next = Some(b.pool.xor(round, bit).unwrap());
        b.bad("q", round);
        let conditions = PropertyKind::Justice(vec![bit]);
        b.properties.push(elinvar_ir::Property::new("p", conditions));
        b.finish().unwrap()
    }

    #[test]
    fn loops_are_repeated_until_all_latches_return() {
        let step = |free: &[bool]| Step {
            inputs: Values::default(),
            free: free.iter().map(|&bit| value(bit)).collect(),
        };
        let trace = Trace {
            property: PropertyId(1),
            initial: vec![value(false), value(false), value(true)],
            steps: vec![step(&[]), step(&[false])].into(),
            loop_start: Some(0),
        };
        let text = write_witness(&live(), &trace);
        assert_eq!(text, "1\nj0\n001\n0\n1\n0\n1\n.\n");
        let read = read_witness(text.as_bytes(), &live()).unwrap();
        assert_eq!((read.properties, read.trace.steps.len()), (vec![PropertyId(1)], 4));
        let both = read_witness(b"1\nb0j0\n000\n0\n0\n.\n", &live()).unwrap();
        assert_eq!(both.properties, [PropertyId(0), PropertyId(1)]);
        let error = read_witness(b"1\nj1\n", &live()).unwrap_err();
        assert_eq!(error.message, "there is no `j1`: the model has 1 justice property");
    }
}
