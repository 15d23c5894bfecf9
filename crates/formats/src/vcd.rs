//! Waveforms of traces, in the Value Change Dump format of IEEE 1364.
//!
//! One cycle is one unit of time. Inputs, states, outputs and the bad bit of
//! the trace's property appear under the user's names; a name with dots is a
//! path of scopes. Of an array, the elements that ever differ from the rest
//! are shown as `name[index]`, and the rest, when there is one, as `name[others]`.

use std::collections::BTreeSet;
use std::io;

use ::vcd::{IdCode, TimescaleUnit, VarType, Writer};
use elinvar_ir::{BitVec, ExprId, Role, Simulator, Sort, Trace, TransitionSystem, Value};
use rustc_hash::FxHashMap;

/// The waveform of a trace of `system`, recomputed by simulation.
pub fn write(system: &TransitionSystem, trace: &Trace) -> String {
    let sources = sources(system, trace);
    let mut signals = signals(system, &sources, touched(system, trace, &sources));
    name_uniquely(&mut signals);
    // By scope; within one, inputs, states and outputs keep their order.
    signals.sort_by(|a, b| a.scopes().cmp(b.scopes()));
    let mut text = Vec::new();
    dump(system, trace, &sources, &signals, &mut text).expect("writing to memory does not fail");
    String::from_utf8(text).expect("names are made ASCII")
}

/// An expression to show, of any sort.
struct Source {
    name: String,
    kind: VarType,
    expr: ExprId,
}

/// One line of the waveform.
struct Signal {
    /// Scopes from the outside in; the last is the name within them.
    path: Vec<String>,
    kind: VarType,
    width: u32,
    /// The position of the source.
    source: usize,
    part: Part,
}

/// Which part of the value of the source a signal shows.
enum Part {
    Whole,
    Element(BitVec),
    Others,
}

fn sources(system: &TransitionSystem, trace: &Trace) -> Vec<Source> {
    let mut sources = Vec::new();
    let mut add = |name, kind, expr| sources.push(Source { name, kind, expr });
    for (i, input) in system.inputs().iter().enumerate() {
        add(system.input_name(i), VarType::Wire, input.symbol);
    }
    for (i, state) in system.states().iter().enumerate() {
        add(system.state_name(i), VarType::Reg, state.symbol);
    }
    for output in system.outputs() {
        add(output.name.clone(), VarType::Wire, output.expr);
    }
    // A simulated system may have no property at all.
    if let Some((_, bad)) = system.bads().find(|&(id, _)| id == trace.property) {
        add(system.property(trace.property).name.clone(), VarType::Wire, bad);
    }
    sources
}

/// For each source, the elements that differ from the rest in some cycle.
fn touched(system: &TransitionSystem, trace: &Trace, sources: &[Source]) -> Vec<BTreeSet<BitVec>> {
    let mut touched = vec![BTreeSet::new(); sources.len()];
    replay(system, trace, sources, |_, values| {
        for (elements, value) in touched.iter_mut().zip(values) {
            if let Value::Array(array) = value {
                elements.extend(array.entries().map(|(at, _)| at.clone()));
            }
        }
        Ok(())
    })
    .expect("nothing is written here");
    touched
}

fn signals(
    system: &TransitionSystem,
    sources: &[Source],
    touched: Vec<BTreeSet<BitVec>>,
) -> Vec<Signal> {
    let mut signals = Vec::new();
    for (position, (source, elements)) in sources.iter().zip(touched).enumerate() {
        let path: Vec<String> = source.name.split('.').map(identifier).collect();
        let mut add = |suffix: &str, width, part| {
            let mut path = path.clone();
            path.last_mut().expect("a split is never empty").push_str(suffix);
            signals.push(Signal { path, kind: source.kind, width, source: position, part });
        };
        match system.pool().sort(source.expr) {
            Sort::Bv(width) => add("", width, Part::Whole),
            Sort::Array { index, element } => {
                let all = index < 64 && elements.len() as u64 == 1 << index;
                for at in elements {
                    add(&format!("[{}]", at.to_decimal()), element, Part::Element(at));
                }
                if !all {
                    add("[others]", element, Part::Others);
                }
            }
        }
    }
    signals
}

/// Names as VCD allows them: printable, without spaces, not empty.
fn identifier(segment: &str) -> String {
    let plain = |c: char| if c.is_ascii_graphic() { c } else { '_' };
    if segment.is_empty() { "_".into() } else { segment.chars().map(plain).collect() }
}

/// Numbers the later ones of signals that would have the same name.
fn name_uniquely(signals: &mut [Signal]) {
    let mut uses: FxHashMap<Vec<String>, usize> = FxHashMap::default();
    for signal in signals {
        loop {
            let uses = uses.entry(signal.path.clone()).or_insert(0);
            *uses += 1;
            if *uses == 1 {
                break;
            }
            let name = signal.path.last_mut().expect("paths are not empty");
            name.push_str(&format!("_{uses}"));
        }
    }
}

fn dump(
    system: &TransitionSystem,
    trace: &Trace,
    sources: &[Source],
    signals: &[Signal],
    text: &mut Vec<u8>,
) -> io::Result<()> {
    let mut writer = Writer::new(text);
    writer.version(concat!("Elinvar ", env!("CARGO_PKG_VERSION")))?;
    writer.timescale(1, TimescaleUnit::NS)?;
    let ids = declare(&mut writer, signals)?;
    let mut shown: Vec<Option<BitVec>> = vec![None; signals.len()];
    replay(system, trace, sources, |cycle, values| {
        writer.timestamp(cycle)?;
        for ((signal, &id), shown) in signals.iter().zip(&ids).zip(&mut shown) {
            let value = signal.part.of(&values[signal.source]);
            if shown.as_ref() != Some(value) {
                change(&mut writer, id, value)?;
                *shown = Some(value.clone());
            }
        }
        Ok(())
    })?;
    // The bad cycle, too, has an end.
    writer.timestamp(trace.steps.len() as u64)
}

/// Declares the signals, which are sorted by scope, in nested scopes.
fn declare(writer: &mut Writer<&mut Vec<u8>>, signals: &[Signal]) -> io::Result<Vec<IdCode>> {
    let mut open: Vec<&str> = Vec::new();
    let mut ids = Vec::with_capacity(signals.len());
    writer.add_module("top")?;
    for signal in signals {
        let scopes = signal.scopes();
        let common = open.iter().zip(scopes).take_while(|(a, b)| *a == b).count();
        for _ in common..open.len() {
            writer.upscope()?;
        }
        open.truncate(common);
        for scope in &scopes[common..] {
            writer.add_module(scope)?;
            open.push(scope);
        }
        ids.push(writer.add_var(signal.kind, signal.width, signal.name(), None)?);
    }
    for _ in 0..=open.len() {
        writer.upscope()?;
    }
    writer.enddefinitions()?;
    Ok(ids)
}

fn change(writer: &mut Writer<&mut Vec<u8>>, id: IdCode, value: &BitVec) -> io::Result<()> {
    if value.width() == 1 {
        writer.change_scalar(id, value.is_true())
    } else {
        writer.change_vector(id, value.iter_bits().rev().map(::vcd::Value::from))
    }
}

impl Signal {
    fn scopes(&self) -> &[String] {
        &self.path[..self.path.len() - 1]
    }

    fn name(&self) -> &str {
        &self.path[self.path.len() - 1]
    }
}

impl Part {
    fn of<'a>(&self, value: &'a Value) -> &'a BitVec {
        match self {
            Part::Whole => value.bv(),
            Part::Element(at) => value.array().read(at),
            Part::Others => value.array().default_element(),
        }
    }
}

/// Calls `visit` in each cycle of the trace with the values of the sources.
fn replay(
    system: &TransitionSystem,
    trace: &Trace,
    sources: &[Source],
    mut visit: impl FnMut(u64, &[Value]) -> io::Result<()>,
) -> io::Result<()> {
    let value = |simulator: &Simulator, source: &Source| match system.role_of(source.expr) {
        Some(Role::Input(i)) => simulator.inputs()[i].clone(),
        Some(Role::State(i)) => simulator.states()[i].clone(),
        None => simulator.value(source.expr),
    };
    let values = |simulator: &Simulator| -> Vec<Value> {
        sources.iter().map(|source| value(simulator, source)).collect()
    };
    let mut simulator = Simulator::of_trace(system, trace);
    visit(0, &values(&simulator))?;
    for (cycle, step) in (1..).zip(&trace.steps[1..]) {
        simulator.follow(step);
        visit(cycle, &values(&simulator))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{ArrayValue, BinaryOp, Step, SystemBuilder};

    use super::*;

    /// A counter that writes itself into a memory at every address it passes.
    fn system() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let count = b.state(Sort::Bv(2), Some("core.count")).unwrap();
        let memory = b.state(Sort::Array { index: 2, element: 2 }, Some("core.mem")).unwrap();
        let free = b.state(Sort::BOOL, Some("a b")).unwrap();
        let run = b.input(Sort::BOOL, Some("run")).unwrap();
        let one = b.pool.uext(run, 1).unwrap();
        b.states[0].init = Some(b.pool.constant(BitVec::zero(2)));
        b.states[0].next = Some(b.pool.binary(BinaryOp::Add, count, one).unwrap());
        b.states[1].next = Some(b.pool.write(memory, count, count).unwrap());
        let two = b.pool.constant(BitVec::new(2, 2));
        let bad = b.pool.equal(count, two).unwrap();
        let bad = b.pool.and(bad, free).unwrap();
        b.outputs.push(elinvar_ir::Named { name: "run".into(), expr: run });
        b.bad("two", bad);
        b.finish().unwrap()
    }

    fn trace() -> Trace {
        let bit = |value| Value::from(BitVec::bool(value));
        let step = |run, free: Option<bool>| Step {
            inputs: vec![bit(run)],
            free: free.into_iter().map(bit).collect(),
        };
        Trace {
            property: elinvar_ir::PropertyId(0),
            initial: vec![
                BitVec::zero(2).into(),
                ArrayValue::constant(2, BitVec::new(2, 3)).into(),
                bit(false),
            ],
            steps: vec![step(true, None), step(true, Some(false)), step(false, Some(true))],
        }
    }

    #[test]
    fn a_trace_with_scopes_and_a_memory() {
        let text = write(&system(), &trace());
        let version = concat!("$version\n    Elinvar ", env!("CARGO_PKG_VERSION"), "\n$end\n");
        let expected = "$timescale 1 ns $end\n\
            $scope module top $end\n\
            $var wire 1 ! run $end\n\
            $var reg 1 \" a_b $end\n\
            $var wire 1 # run_2 $end\n\
            $var wire 1 $ two $end\n\
            $scope module core $end\n\
            $var reg 2 % count $end\n\
            $var reg 2 & mem[0] $end\n\
            $var reg 2 ' mem[1] $end\n\
            $var reg 2 ( mem[others] $end\n\
            $upscope $end\n\
            $upscope $end\n\
            $enddefinitions $end\n\
            #0\n1!\n0\"\n1#\n0$\nb00 %\nb11 &\nb11 '\nb11 (\n\
            #1\nb01 %\nb00 &\n\
            #2\n0!\n1\"\n0#\n1$\nb10 %\nb01 '\n\
            #3\n";
        assert_eq!(text, format!("{version}{expected}"));
    }

    #[test]
    fn the_waveform_is_read_by_the_parser() {
        let text = write(&system(), &trace());
        let mut parser = ::vcd::Parser::new(text.as_bytes());
        let header = parser.parse_header().unwrap();
        assert!(header.find_var(&["top", "core", "count"]).is_some());
        assert!(parser.all(|command| command.is_ok()));
    }
}
