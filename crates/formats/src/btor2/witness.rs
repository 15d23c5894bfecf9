//! BTOR2 witnesses, as btormc writes and btorsim checks them.
//!
//! ```text
//! sat
//! b0                 the properties that fail: the first `bad`
//! #0                 states at the start: number and value
//! 1 0011 counter#0
//! 2 [*] 0000 mem#0   all elements of a memory, then single ones
//! 2 [01] 1111 mem#0
//! @0                 inputs of cycle 0
//! 0 1 enable@0
//! #1                 states without a next value, in cycle 1
//! @1
//! .
//! ```
//!
//! Numbers count the inputs and the states of the model. Only states that the
//! model leaves open are written: those without initial value at the start,
//! those without next value later. Others may be given and must be as the model says.
//! What a witness does not mention is zero, or as the model says.
//!
//! A witness of a justice property (`j0`) ends where its loop closes: the states after the last
//! cycle are those of an earlier one. The file does not say which one. btorsim does not check such
//! witnesses. The loop of a trace is repeated until all states return, if that takes few enough
//! cycles; otherwise a comment says that it closes only in those that matter.

use std::fmt::{self, Write as _};

use elinvar_ir::{
    ArrayValue, BitVec, PropertyId, PropertyKind, Simulator, Sort, Step, Trace, TransitionSystem,
    Value, Witness, zero_of,
};
use rustc_hash::FxHashMap;

use crate::Diagnostic;
use crate::numbered::{ELEMENTWISE_ADDRESS, Radix, Scanner, Word, printable, read_constant};

// ---- writing ----------------------------------------------------------------

/// Writes a trace as a witness of the system.
pub fn write_witness(system: &TransitionSystem, trace: &Trace) -> String {
    let mut out = String::new();
    let closed = trace.with_closed_loop(system);
    if closed.is_none() {
        out.push_str("; not all states return: the loop closes only in those that the property\n");
        out.push_str("; and the constraints depend on\n");
    }
    let trace = closed.as_ref().unwrap_or(trace);
    render(system, trace, &mut out).expect("writing to a string cannot fail");
    out
}

fn render(system: &TransitionSystem, trace: &Trace, out: &mut String) -> fmt::Result {
    writeln!(out, "sat\n{}", property_word(system, trace.property))?;
    for (cycle, step) in trace.steps.iter().enumerate() {
        let open: Vec<(usize, &Value)> = if cycle == 0 {
            let uninitialised = |&(state, _): &(usize, _)| system.states()[state].init.is_none();
            trace.initial.iter().enumerate().filter(uninitialised).collect()
        } else {
            system.free_states().iter().copied().zip(&step.free).collect()
        };
        if !open.is_empty() {
            writeln!(out, "#{cycle}")?;
        }
        for (state, value) in open {
            let name = format!("{}#{cycle}", printable(&system.state_name(state)));
            assignment(out, state, value, &name, true)?;
        }
        writeln!(out, "@{cycle}")?;
        for (input, value) in step.inputs.iter().enumerate() {
            let name = format!("{}@{cycle}", printable(&system.input_name(input)));
            assignment(out, input, value, &name, false)?;
        }
    }
    out.push_str(".\n");
    Ok(())
}

/// `b` or `j` with the number of the property among those of its kind.
fn property_word(system: &TransitionSystem, property: PropertyId) -> String {
    let is_bad = |kind: &PropertyKind| match kind {
        PropertyKind::Bad(_) => true,
        PropertyKind::Justice(_) => false,
    };
    let bad = is_bad(&system.property(property).kind);
    let before = &system.properties()[..property.0];
    let number = before.iter().filter(|other| is_bad(&other.kind) == bad).count();
    format!("{}{number}", if bad { 'b' } else { 'j' })
}

/// The lines of one value. btorsim takes `[*]` for states only; an input is
/// spelled out, as long as that is possible.
fn assignment(
    out: &mut String,
    number: usize,
    value: &Value,
    name: &str,
    is_state: bool,
) -> fmt::Result {
    let array = match value {
        Value::Bv(value) => return writeln!(out, "{number} {value} {name}"),
        Value::Array(array) => array,
    };
    let default = array.default_element();
    if is_state || (!default.is_zero() && array.index_width() > ELEMENTWISE_ADDRESS) {
        writeln!(out, "{number} [*] {default} {name}")?;
    } else if !default.is_zero() {
        for address in 0..1u64 << array.index_width() {
            let index = BitVec::new(array.index_width(), address);
            writeln!(out, "{number} [{index}] {} {name}", array.read(&index))?;
        }
        return Ok(());
    }
    for (index, element) in array.entries() {
        writeln!(out, "{number} [{index}] {element} {name}")?;
    }
    Ok(())
}

// ---- reading ----------------------------------------------------------------

/// Reads a witness of the system.
///
/// Values of states that the model determines are compared with those that it computes,
/// in every cycle.
pub fn read_witness(source: &[u8], system: &TransitionSystem) -> Result<Witness, Diagnostic> {
    let mut reader = Reader { scan: Scanner::new(source), system, end: source.len() };
    reader.verdict()?;
    let (properties, frames) = reader.body()?;
    let steps: Vec<Step> =
        frames.iter().enumerate().map(|(cycle, frame)| frame.step(system, cycle)).collect();
    let initial = compare_states(system, &frames, &steps)?;
    let trace = Trace { property: properties[0], initial, steps: steps.into(), loop_start: None };
    Ok(Witness { trace, properties, open: Vec::new() })
}

/// What a witness says of an input or a state in one cycle.
struct Given {
    word: Word,
    /// The value, or that of all elements.
    whole: Option<BitVec>,
    elements: FxHashMap<BitVec, BitVec>,
}

impl Given {
    /// The value: single elements count more than all together.
    fn value(&self, sort: Sort) -> Value {
        match (sort, &self.whole) {
            (Sort::Bv(_), Some(value)) => value.clone().into(),
            (Sort::Bv(_), None) => zero_of(sort),
            (Sort::Array { index, element }, whole) => {
                let default = whole.clone().unwrap_or_else(|| BitVec::zero(element));
                let mut array = ArrayValue::constant(index, default);
                for (index, element) in &self.elements {
                    array.write(index.clone(), element.clone());
                }
                array.into()
            }
        }
    }

    /// Does the value have what is given? An array may be given in part.
    fn agrees(&self, value: &Value, sort: Sort) -> bool {
        match (value, &self.whole) {
            (_, Some(_)) => self.value(sort) == *value,
            (Value::Bv(_), None) => true,
            (Value::Array(array), None) => {
                self.elements.iter().all(|(index, given)| array.read(index) == given)
            }
        }
    }
}

#[derive(Default)]
struct Frame {
    states: FxHashMap<usize, Given>,
    inputs: FxHashMap<usize, Given>,
}

impl Frame {
    fn step(&self, system: &TransitionSystem, cycle: usize) -> Step {
        let pool = system.pool();
        let value = |given: Option<&Given>, symbol| {
            let sort = pool.sort(symbol);
            given.map_or_else(|| zero_of(sort), |given| given.value(sort))
        };
        let inputs = system.inputs().iter().enumerate();
        let inputs = inputs.map(|(number, input)| value(self.inputs.get(&number), input.symbol));
        let free = system.free_states().iter();
        let free = free.map(|&state| value(self.states.get(&state), system.states()[state].symbol));
        let free = if cycle == 0 { Vec::new() } else { free.collect() };
        Step { inputs: inputs.collect(), free }
    }
}

/// Runs the witness and compares the states of every cycle with those that it gives.
/// Returns the states of cycle zero.
fn compare_states(
    system: &TransitionSystem,
    frames: &[Frame],
    steps: &[Step],
) -> Result<Vec<Value>, Diagnostic> {
    let open = |state: usize| {
        let sort = system.pool().sort(system.states()[state].symbol);
        frames[0].states.get(&state).map_or_else(|| zero_of(sort), |given| given.value(sort))
    };
    let mut simulator = Simulator::new(system, open, steps[0].inputs.clone());
    let initial = simulator.states().to_vec();
    // Nothing is compared after the last frame that gives a state.
    let end = frames.iter().rposition(|frame| !frame.states.is_empty()).map_or(0, |last| last + 1);
    for (cycle, frame) in frames[..end].iter().enumerate() {
        if cycle > 0 {
            simulator.follow(&steps[cycle]);
        }
        compare_frame(system, cycle, frame, simulator.states())?;
    }
    Ok(initial)
}

fn compare_frame(
    system: &TransitionSystem,
    cycle: usize,
    frame: &Frame,
    values: &[Value],
) -> Result<(), Diagnostic> {
    let differs = |&(state, given): &(&usize, &Given)| {
        let sort = system.pool().sort(system.states()[*state].symbol);
        !given.agrees(&values[*state], sort)
    };
    let wrong = frame.states.iter().filter(differs).min_by_key(|(_, given)| given.word.start);
    let Some((&state, given)) = wrong else { return Ok(()) };
    let name = system.state_name(state);
    Err(given.word.error(match cycle {
        0 => format!("{name} has a different initial value in the model"),
        _ => format!("{name} has a different value in cycle {cycle} of the model"),
    }))
}

/// The two parts of a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    States,
    Inputs,
}

struct Reader<'a> {
    scan: Scanner<'a>,
    system: &'a TransitionSystem,
    end: usize,
}

impl Reader<'_> {
    /// The next line's first word.
    fn line(&mut self, what: &str) -> Result<Word, Diagnostic> {
        if self.scan.next_line() {
            return self.scan.expect_word(what);
        }
        let message = format!("expected {what}, found the end of the witness");
        Err(Diagnostic::new(message, self.end..self.end))
    }

    fn verdict(&mut self) -> Result<(), Diagnostic> {
        let word = self.line("`sat`")?;
        match self.scan.bytes(word) {
            b"sat" => self.scan.end_line(),
            b"unsat" | b"unknown" => Err(word.error("this is not the witness of a bad state")),
            _ => Err(word.error("expected `sat`")),
        }
    }

    /// The properties, on one line or several, and the frames up to the full stop.
    fn body(&mut self) -> Result<(Vec<PropertyId>, Vec<Frame>), Diagnostic> {
        let mut properties = Vec::new();
        let mut word = self.line("a property such as `b0`")?;
        loop {
            properties.push(self.property(word)?);
            while let Some(word) = self.scan.word() {
                properties.push(self.property(word)?);
            }
            self.scan.end_line()?;
            word = self.line("`.`")?;
            if !matches!(self.scan.bytes(word)[0], b'b' | b'j') {
                break;
            }
        }
        let frames = self.frames(word)?;
        self.finish()?;
        Ok((properties, frames))
    }

    /// A property that the witness claims to fail.
    fn property(&self, word: Word) -> Result<PropertyId, Diagnostic> {
        let (kind, number) = self.tagged(word, "a property such as `b0`")?;
        let expected = match kind {
            b'b' => true,
            b'j' => false,
            _ => return Err(word.error("expected a property such as `b0`")),
        };
        let properties = self.system.properties().iter().enumerate();
        let mut fitting = properties.filter(|(_, property)| match property.kind {
            PropertyKind::Bad(_) => expected,
            PropertyKind::Justice(_) => !expected,
        });
        let found = usize::try_from(number).ok().and_then(|number| fitting.nth(number));
        let Some((id, _)) = found else {
            return Err(word.error("the model has no such property"));
        };
        Ok(PropertyId(id))
    }

    /// Only comments may follow the full stop.
    fn finish(&mut self) -> Result<(), Diagnostic> {
        self.scan.end_line()?;
        if !self.scan.next_line() {
            return Ok(());
        }
        let word = self.scan.expect_word("a comment")?;
        match self.scan.bytes(word) {
            b"sat" => Err(word
                .error("the file has a second witness")
                .with_help("write each witness to its own file")),
            _ => Err(word.error("unexpected text after the end of the witness")),
        }
    }

    /// A letter or sign, and the number after it.
    fn tagged(&self, word: Word, what: &str) -> Result<(u8, u64), Diagnostic> {
        let digits = Word { start: word.start + 1, end: word.end };
        Ok((self.scan.bytes(word)[0], self.scan.parse(digits, word, what)?))
    }

    /// The frames, the first word of which has been read, and the full stop.
    fn frames(&mut self, mut word: Word) -> Result<Vec<Frame>, Diagnostic> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut part = None;
        loop {
            match self.scan.bytes(word)[0] {
                b'.' if word.end - word.start > 1 => return Err(word.error("expected `.`")),
                b'.' if frames.is_empty() => return Err(word.error("the witness has no cycle")),
                b'.' => return Ok(frames),
                sign @ (b'#' | b'@') => {
                    let (_, number) = self.tagged(word, "the number of a cycle")?;
                    let next = if sign == b'#' { Part::States } else { Part::Inputs };
                    // The inputs of a cycle follow its states, if it has any.
                    let continues = part == Some(Part::States) && next == Part::Inputs;
                    if !continues || number != frames.len() as u64 - 1 {
                        frames.push(Frame::default());
                    }
                    if number != frames.len() as u64 - 1 {
                        let expected = frames.len() - 1;
                        return Err(word.error(format!("expected cycle {expected}")));
                    }
                    part = Some(next);
                    self.scan.end_line()?;
                }
                _ => {
                    let (Some(part), Some(frame)) = (part, frames.last_mut()) else {
                        return Err(word.error("expected `#0` or `@0`"));
                    };
                    self.assignment(word, part, frame)?;
                }
            }
            word = self.line("`.`")?;
        }
    }

    fn assignment(&mut self, word: Word, part: Part, frame: &mut Frame) -> Result<(), Diagnostic> {
        let system = self.system;
        let text = std::str::from_utf8(self.scan.bytes(word)).ok();
        let Some(number) = text.and_then(|text| text.parse::<usize>().ok()) else {
            return Err(word.error("expected the number of an input or a state"));
        };
        let (symbol, given) = match part {
            Part::States => {
                (system.states().get(number).map(|state| state.symbol), &mut frame.states)
            }
            Part::Inputs => {
                (system.inputs().get(number).map(|input| input.symbol), &mut frame.inputs)
            }
        };
        let Some(symbol) = symbol else {
            let what = if part == Part::States { "state" } else { "input" };
            return Err(word.error(format!("the model has no {what} {number}")));
        };
        let fresh = || Given { word, whole: None, elements: FxHashMap::default() };
        let given = given.entry(number).or_insert_with(fresh);
        self.value(system.pool().sort(symbol), given)?;
        // The rest of the line is the name.
        self.scan.skip_line();
        Ok(())
    }

    fn value(&mut self, sort: Sort, given: &mut Given) -> Result<(), Diagnostic> {
        let word = self.scan.expect_word("a value")?;
        let bytes = self.scan.bytes(word);
        let (index, width) = match sort {
            Sort::Bv(width) => (None, width),
            Sort::Array { index, element } => (Some(index), element),
        };
        if bytes[0] != b'[' {
            if given.whole.replace(self.digits(word, width)?).is_some() {
                return Err(word.error("the value is given twice"));
            }
            return Ok(());
        }
        let Some(index) = index else {
            return Err(word.error("only arrays have elements"));
        };
        if bytes.last() != Some(&b']') {
            return Err(word.error("expected `]` after the index"));
        }
        let inner = Word { start: word.start + 1, end: word.end - 1 };
        let element = self.scan.expect_word("a value")?;
        let value = self.digits(element, width)?;
        if self.scan.bytes(inner) == b"*" {
            if given.whole.replace(value).is_some() {
                return Err(word.error("the value is given twice"));
            }
            return Ok(());
        }
        let index = self.digits(inner, index)?;
        if given.elements.insert(index, value).is_some() {
            return Err(word.error("the value is given twice"));
        }
        Ok(())
    }

    fn digits(&self, word: Word, width: u32) -> Result<BitVec, Diagnostic> {
        let found = word.end - word.start;
        if found != width as usize {
            return Err(word.error(format!("value has {found} digits, expected {width}")));
        }
        read_constant(Radix::Binary, width, self.scan.bytes(word), word)
    }
}
