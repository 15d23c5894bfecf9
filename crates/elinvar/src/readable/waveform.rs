//! Executions as waveforms.
//!
//! A cycle takes 10 ns, and values change at its start. A clock rises at the start of each cycle
//! and falls in the middle. All inputs, states and named wires are there, under their scopes, and
//! the bit of the property under its name: it is 1 where an assertion fails or a cover statement
//! is reached. Of an array, the elements that ever differ from the rest are shown as
//! `name[index]`, and the rest, when there is one, as `name[others]`.
//!
//! A loop is shown twice. A line `loop` counts its rounds: it is 0 before the loop, 1 in its first
//! round and 2 in its second; a comment in a VCD says so.

use std::collections::{BTreeMap, BTreeSet};

use elinvar_formats::names::path;
use elinvar_formats::waveform::{Recorder, Variable, WaveformFormat, write};
use elinvar_ir::{BitVec, ExprId, Sort, Trace, TransitionSystem, Value};

use super::nets::{self, Kind, Net, gather_words};
use super::relevance::{Known, Relevance};
use super::sentence::repeated;
use super::waves::{Moment, execute};
use crate::rtl::is_source;

/// Nanoseconds per cycle.
const CYCLE: u64 = 10;

/// The waveform of a counterexample. Bits that do not matter are unknown.
pub fn of_counterexample(
    system: &TransitionSystem,
    trace: &Trace,
    format: WaveformFormat,
) -> Vec<u8> {
    render(system, trace, Relevance::of(system, trace).as_ref(), format)
}

/// The waveform of any execution, with all values.
pub fn of_execution(system: &TransitionSystem, trace: &Trace, format: WaveformFormat) -> Vec<u8> {
    render(system, trace, None, format)
}

fn render(
    system: &TransitionSystem,
    trace: &Trace,
    relevance: Option<&Relevance>,
    format: WaveformFormat,
) -> Vec<u8> {
    let twice = trace.loop_start.map(|_| unrolled(system, trace));
    let trace = twice.as_ref().unwrap_or(trace);
    let nets = nets(system, trace);
    let lines = lines(system, &nets, &touched(system, trace, relevance, &nets));
    let mut variables = variables(system, &nets, &lines);
    let loop_line = variables.len();
    if trace.loop_start.is_some() {
        let path = vec!["loop".to_owned()];
        variables.push(Variable { path, is_register: false, width: 2, same_as: loop_line });
    }
    let comment = trace.loop_start.map(|start| {
        let (again, end) = (middle(trace, start), trace.steps.len());
        let ns = |cycle: usize| CYCLE * cycle as u64;
        format!(
            "{} forever, from {} ns to {} ns; the loop is shown twice, to {} ns",
            repeated(start, again - 1),
            ns(start),
            ns(again),
            ns(end),
        )
    });
    write(format, variables, comment.as_deref(), |recorder| {
        execute(system, trace, relevance, |cycle, moment| {
            let start = CYCLE * cycle as u64;
            recorder.time(start);
            record(&nets, &lines, moment, recorder);
            if let Some(start) = trace.loop_start {
                let rounds = u64::from(cycle >= start) + u64::from(cycle >= middle(trace, start));
                recorder.set(loop_line, &BitVec::new(2, rounds), &BitVec::ones(2));
            }
            if has_clock(&nets) {
                recorder.time(start + CYCLE / 2);
                set_clocks(&nets, &lines, false, recorder);
            }
        });
        // The last cycle has an end, too.
        recorder.time(CYCLE * trace.steps.len() as u64);
    })
}

/// A trace with two rounds of its loop.
fn unrolled(system: &TransitionSystem, trace: &Trace) -> Trace {
    let mut twice = trace.clone();
    if let (Some(start), Some(back)) = (trace.loop_start, trace.return_step(system)) {
        twice.steps.push(back);
        twice.steps.extend_from_slice(&trace.steps[start + 1..]);
    }
    twice
}

/// The first cycle of the second round of a loop that is there twice.
fn middle(twice: &Trace, start: usize) -> usize {
    (start + twice.steps.len()) / 2
}

/// All signals, and the property of the trace.
fn nets(system: &TransitionSystem, trace: &Trace) -> Vec<Net> {
    let mut nets = gather_words(system, nets::all(system));
    // A simulated system may have no property at all.
    if let Some((id, bad)) = system.bads().find(|&(id, _)| id == trace.property) {
        let (name, kind) = (system.property(id).name.clone(), Kind::Property);
        nets.push(Net { name, kind, parts: vec![bad], is_named: true, distance: None });
    }
    nets
}

/// One line of the waveform.
struct Line {
    /// The number of the signal.
    net: usize,
    part: Part,
}

/// Which part of the value of a signal a line shows.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Whole,
    Element(BitVec),
    Others,
}

/// For each signal that is an array, the elements that differ from the rest in some cycle.
fn touched(
    system: &TransitionSystem,
    trace: &Trace,
    relevance: Option<&Relevance>,
    nets: &[Net],
) -> BTreeMap<usize, BTreeSet<BitVec>> {
    let is_array = |&net: &usize| nets[net].sort(system).is_array();
    let arrays = (0..nets.len()).filter(is_array);
    let mut touched: BTreeMap<usize, BTreeSet<BitVec>> =
        arrays.map(|net| (net, BTreeSet::new())).collect();
    if touched.is_empty() {
        return touched;
    }
    execute(system, trace, relevance, |_, moment| {
        for (&net, elements) in &mut touched {
            let (value, known) = moment.read(&nets[net].parts);
            elements.extend(value.array().entries().map(|(at, _)| at.clone()));
            if let Known::Mask(mask) = known {
                elements.extend(mask.array().entries().map(|(at, _)| at.clone()));
            }
        }
    });
    touched
}

fn lines(
    system: &TransitionSystem,
    nets: &[Net],
    touched: &BTreeMap<usize, BTreeSet<BitVec>>,
) -> Vec<Line> {
    let mut lines = Vec::new();
    for (net, signal) in nets.iter().enumerate() {
        let mut add = |part| lines.push(Line { net, part });
        match signal.sort(system) {
            Sort::Bv(_) => add(Part::Whole),
            Sort::Array { index, .. } => {
                let elements = &touched[&net];
                elements.iter().for_each(|at| add(Part::Element(at.clone())));
                if index >= 64 || (elements.len() as u64) < 1 << index {
                    add(Part::Others);
                }
            }
        }
    }
    lines
}

fn variables(system: &TransitionSystem, nets: &[Net], lines: &[Line]) -> Vec<Variable> {
    let mut seen: BTreeMap<(&[ExprId], &Part), usize> = BTreeMap::new();
    let mut variables = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let net = &nets[line.net];
        let (width, suffix) = match (net.sort(system), &line.part) {
            (Sort::Bv(width), _) => (width, String::new()),
            (Sort::Array { element, .. }, Part::Element(at)) => {
                (element, format!("[{}]", at.to_decimal()))
            }
            (Sort::Array { element, .. }, _) => (element, "[others]".to_owned()),
        };
        let mut path = match net.kind {
            Kind::Property => property_path(&net.name),
            Kind::Clock | Kind::Input | Kind::Register | Kind::Wire => path(&net.name),
        };
        path.last_mut().expect("a path has a last part").push_str(&suffix);
        let same_as = *seen.entry((&net.parts, &line.part)).or_insert(number);
        let is_register = net.kind == Kind::Register;
        variables.push(Variable { path, is_register, width, same_as });
    }
    variables
}

/// The scopes of a property, unless its name is a place in a file. What follows a colon is a
/// part of the last name: `u0.assert:12`.
fn property_path(name: &str) -> Vec<String> {
    // Escaped names may contain colons.
    let colon = name.find(':').filter(|_| !name.contains('\\'));
    let (scoped, rest) = name.split_at(colon.unwrap_or(name.len()));
    let is_place = !rest.is_empty() && is_source(scoped);
    if is_place || name.contains('/') {
        return vec![name.to_owned()];
    }
    let mut path = path(scoped);
    path.last_mut().expect("a path has a last part").push_str(rest);
    path
}

fn record(nets: &[Net], lines: &[Line], moment: &Moment<'_>, recorder: &mut Recorder<'_>) {
    set_clocks(nets, lines, true, recorder);
    let mut lines = lines.iter().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let net = &nets[line.net];
        if net.kind == Kind::Clock {
            continue;
        }
        let (value, known) = moment.read(&net.parts);
        set(number, &line.part, &value, &known, recorder);
        // The other elements of an array follow.
        while let Some((number, line)) = lines.next_if(|(_, next)| next.net == line.net) {
            set(number, &line.part, &value, &known, recorder);
        }
    }
}

fn set(number: usize, part: &Part, value: &Value, known: &Known, recorder: &mut Recorder<'_>) {
    let (word, known) = match part {
        Part::Whole => (value.bv(), known.clone()),
        Part::Element(at) => (value.array().read(at), known.element(at)),
        Part::Others => {
            let known = match known {
                Known::All => Known::All,
                Known::Mask(mask) => Known::of(mask.array().default_element().clone().into()),
            };
            (value.array().default_element(), known)
        }
    };
    recorder.set(number, word, &known.word(word.width()));
}

fn has_clock(nets: &[Net]) -> bool {
    nets.iter().any(|net| net.kind == Kind::Clock)
}

fn set_clocks(nets: &[Net], lines: &[Line], level: bool, recorder: &mut Recorder<'_>) {
    for (number, _) in lines.iter().enumerate().filter(|(_, l)| nets[l.net].kind == Kind::Clock) {
        recorder.set(number, &BitVec::bool(level), &BitVec::bool(true));
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{ArrayValue, BinaryOp, Named, PropertyId, Step, SystemBuilder};

    use super::*;

    /// A counter that writes itself into a memory at every address it passes.
    fn system() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let count = b.state(Sort::Bv(2), Some("core.count")).unwrap();
        let memory = b.state(Sort::Array { index: 2, element: 2 }, Some("core.mem")).unwrap();
        let free = b.state(Sort::BOOL, Some("a b")).unwrap();
        let run = b.input(Sort::BOOL, Some("run")).unwrap();
        b.input(Sort::BOOL, Some("core.clk")).unwrap();
        b.clocks.push(1);
        let one = b.pool.uext(run, 1).unwrap();
        b.states[0].init = Some(b.pool.constant(BitVec::zero(2)));
        b.states[0].next = Some(b.pool.binary(BinaryOp::Add, count, one).unwrap());
        b.states[1].next = Some(b.pool.write(memory, count, count).unwrap());
        let two = b.pool.constant(BitVec::new(2, 2));
        let bad = b.pool.equal(count, two).unwrap();
        let bad = b.pool.and(bad, free).unwrap();
        b.outputs.push(Named { name: "core.run".into(), expr: run });
        b.outputs.push(Named { name: "run".into(), expr: free });
        b.bad("two", bad);
        b.finish().unwrap()
    }

    fn trace() -> Trace {
        let bit = |value| Value::from(BitVec::bool(value));
        let step = |run, free: Option<bool>| Step {
            inputs: vec![bit(run), bit(false)].into(),
            free: free.into_iter().map(bit).collect(),
        };
        Trace {
            property: PropertyId(0),
            initial: vec![
                BitVec::zero(2).into(),
                ArrayValue::constant(2, BitVec::new(2, 3)).into(),
                bit(false),
            ],
            steps: vec![step(true, None), step(true, Some(false)), step(false, Some(true))].into(),
            loop_start: None,
        }
    }

    /// Scopes, and the kinds, widths, codes and names of the variables in them.
    const VARIABLES: &str = "top( wire 1 ! run; reg 1 \" a_b; wire 1 \" run_2; wire 1 # two; \
        core( wire 1 $ clk; reg 2 % count; reg 2 & mem[0]; reg 2 ' mem[1]; \
        reg 2 ( mem[others]; wire 1 ! run; ) )";

    /// The declarations in short, and what follows them.
    fn parts(waveform: Vec<u8>) -> (String, String) {
        let text = String::from_utf8(waveform).unwrap();
        let (header, changes) = text.split_once("$enddefinitions $end\n").unwrap();
        let line = |line: &str| match line.strip_suffix(" $end").unwrap_or_default() {
            "$upscope" => Some(")".to_owned()),
            other => {
                let scope = other.strip_prefix("$scope module ").map(|name| format!("{name}("));
                scope.or_else(|| other.strip_prefix("$var ").map(|words| format!("{words};")))
            }
        };
        let declared: Vec<String> = header.lines().filter_map(line).collect();
        (declared.join(" "), changes.to_owned())
    }

    #[test]
    fn an_execution_has_scopes_a_memory_and_a_clock() {
        let (variables, text) = parts(of_execution(&system(), &trace(), WaveformFormat::Vcd));
        let changes = "#0\n1$\n1!\nb00 %\nb11 &\nb11 '\nb11 (\n0\"\n0#\n#5\n0$\n\
            #10\n1$\nb01 %\nb00 &\n#15\n0$\n\
            #20\n1$\n0!\nb10 %\nb01 '\n1\"\n1#\n#25\n0$\n\
            #30\n";
        assert_eq!((&variables[..], &text[..]), (VARIABLES, changes));
    }

    #[test]
    fn values_of_a_counterexample_that_do_not_matter_are_unknown() {
        let (variables, text) = parts(of_counterexample(&system(), &trace(), WaveformFormat::Vcd));
        let changes = "#0\n1$\n1!\nb00 %\nbxx &\nbxx '\nbxx (\nx\"\n0#\n#5\n0$\n\
            #10\n1$\nb01 %\nb00 &\n#15\n0$\n\
            #20\n1$\nx!\nb10 %\nb01 '\n1\"\n1#\n#25\n0$\n\
            #30\n";
        assert_eq!((&variables[..], &text[..]), (VARIABLES, changes));
    }

    #[test]
    fn properties_that_are_called_like_a_place_have_no_scopes() {
        assert_eq!(property_path("u.a_full"), ["u", "a_full"]);
        for place in ["rtl/fifo.sv:42.9-42.44", "fifo.sv:42", "a.fifo.v:3.1-3.9"] {
            assert_eq!(property_path(place), [place]);
        }
    }

    #[test]
    fn properties_with_a_line_in_their_name_have_scopes() {
        assert_eq!(property_path("u0.assert:12"), ["u0", "assert:12"]);
        assert_eq!(property_path("u0.u1.check:12.3-12.9"), ["u0", "u1", "check:12.3-12.9"]);
        assert_eq!(property_path("assert:12"), ["assert:12"]);
        assert_eq!(property_path("u0.\\a:b .c"), ["u0", "a:b", "c"]);
    }

    /// The loop is there twice, and a line counts its rounds.
    #[test]
    fn loops_are_shown_twice() {
        let mut b = SystemBuilder::new();
        let bit = b.state(Sort::BOOL, Some("bit")).unwrap();
        b.states[0].init = Some(b.pool.bool(false));
        b.states[0].next = Some(b.pool.not(bit).unwrap());
        let conditions = elinvar_ir::PropertyKind::Justice(vec![bit]);
        b.properties.push(elinvar_ir::Property::new("p", conditions));
        let system = b.finish().unwrap();
        let step = Step::default();
        let trace = Trace {
            property: PropertyId(0),
            initial: vec![BitVec::bool(false).into()],
            steps: vec![step; 3].into(),
            loop_start: Some(1),
        };
        let text = of_counterexample(&system, &trace, WaveformFormat::Vcd);
        let text = String::from_utf8(text).unwrap();
        let comment = "cycles 1 to 2 repeat forever, from 10 ns to 30 ns; the loop is shown twice, \
                       to 50 ns";
        assert!(text.contains(comment), "{text}");
        let values = "#0\n0!\nb00 \"\n#10\n1!\nb01 \"\n#20\n0!\n#30\n1!\nb10 \"\n#40\n0!\n#50\n";
        assert!(text.ends_with(values), "{text}");
    }
}
