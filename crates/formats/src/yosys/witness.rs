//! Witnesses in the format of Yosys (`.yw`), which its `sim -r`, `yosys-smtbmc --yw` and
//! SymbiYosys replay on the design.
//!
//! A witness has the values of all inputs in every step and of registers and memories without
//! an initial value in the first one. Signals have the paths of the design: those of a map, or
//! else the names of the model, split at dots. Limits: without a map, signals whose names Yosys
//! did not write into the model are missing, and a name such as `{a,b}` for a register that
//! consists of several signals cannot be traced back.

use std::collections::BTreeSet;
use std::fmt::Write;

use elinvar_ir::{BitVec, Role, Sort, Trace, TransitionSystem, Value};

use super::apply::role;
use super::{Clock, Entry, Piece, Port, YosysMap};
use crate::names::path;

/// Memories with more elements than this have only those that differ from the rest.
const ELEMENTS: u64 = 1 << 16;

const STRINGS: &str = "strings do not fail";

/// The witness of a trace. The map, if there is one, was applied to the system.
pub fn write_witness(system: &TransitionSystem, trace: &Trace, map: Option<&YosysMap>) -> String {
    let clocks = match map {
        Some(map) if !map.clocks.is_empty() => map.clocks.clone(),
        Some(_) | None => clocks(system),
    };
    let mut signals = match map {
        Some(map) => of_map(system, trace, map, &clocks),
        None => of_names(system, trace),
    };
    // What is only in the first step comes last, so that later steps can end before it.
    signals.sort_by_key(|signal| signal.init_only);
    let generator = concat!("Elinvar ", env!("CARGO_PKG_VERSION"));
    let mut text = String::from("{\n  \"format\": \"Yosys Witness Trace\",\n");
    write!(text, "  \"generator\": {},\n  \"clocks\": [", quoted(generator)).expect(STRINGS);
    list(&mut text, clocks.iter().map(clock));
    text.push_str("],\n  \"signals\": [");
    list(&mut text, signals.iter().map(Signal::declaration));
    text.push_str("],\n  \"steps\": [");
    let steps = (0..trace.steps.len()).map(|cycle| {
        let shown = signals.iter().filter(|signal| cycle == 0 || !signal.init_only);
        let values: Vec<String> =
            shown.rev().map(|signal| signal.value(system, trace, cycle).to_binary()).collect();
        format!("{{\"bits\": \"{}\"}}", values.concat())
    });
    list(&mut text, steps);
    text.push_str("]\n}\n");
    text
}

fn list(text: &mut String, items: impl Iterator<Item = String>) {
    for (place, item) in items.enumerate() {
        let comma = if place == 0 { "" } else { "," };
        write!(text, "{comma}\n    {item}").expect(STRINGS);
    }
    text.push_str("\n  ");
}

/// A signal of the witness.
struct Signal {
    path: Vec<String>,
    offset: u32,
    width: u32,
    init_only: bool,
    source: Source,
}

/// Where the values of a signal come from.
enum Source {
    /// Bits of an input or a state, from the lowest one.
    Bits(Role, u32),
    /// An element of a memory.
    Element(usize, BitVec),
}

impl Signal {
    fn declaration(&self) -> String {
        let Signal { path, offset, width, init_only, .. } = self;
        let path = json_path(path);
        format!(
            "{{\"path\": {path}, \"width\": {width}, \"offset\": {offset}, \
             \"init_only\": {init_only}}}"
        )
    }

    fn value(&self, system: &TransitionSystem, trace: &Trace, cycle: usize) -> BitVec {
        match &self.source {
            Source::Element(state, at) => trace.initial[*state].array().read(at).clone(),
            &Source::Bits(role, lowest) => {
                let value = value_of(system, trace, cycle, role);
                value.bv().slice(lowest + self.width - 1, lowest)
            }
        }
    }
}

/// The value of an input, or of a state at the start or without a next function.
fn value_of<'a>(
    system: &TransitionSystem,
    trace: &'a Trace,
    cycle: usize,
    role: Role,
) -> &'a Value {
    match role {
        Role::Input(input) => &trace.steps[cycle].inputs[input],
        Role::State(state) if cycle == 0 => &trace.initial[state],
        Role::State(state) => {
            let position = system.free_states().binary_search(&state);
            &trace.steps[cycle].free[position.expect("other states are only in the first step")]
        }
    }
}

/// Whether a state has a value of its own only in the first step, or in every step. `None` if
/// the system defines all of its values.
fn is_initial(system: &TransitionSystem, state: usize) -> Option<bool> {
    let state = system.states()[state];
    match (state.init, state.next) {
        (None, Some(_)) => Some(true),
        (None, None) => Some(false),
        (Some(_), _) => None,
    }
}

fn exists(system: &TransitionSystem, role: Role) -> bool {
    match role {
        Role::Input(input) => input < system.inputs().len(),
        Role::State(state) => state < system.states().len(),
    }
}

/// The signals of a map.
fn of_map(
    system: &TransitionSystem,
    trace: &Trace,
    map: &YosysMap,
    clocks: &[Clock],
) -> Vec<Signal> {
    let is_clock = |piece: &Piece| {
        clocks.iter().any(|clock| clock.path == piece.path && clock.offset == piece.offset)
    };
    let mut signals = Vec::new();
    let mut seen = BTreeSet::new();
    for Entry { port, pieces, .. } in map.entries.iter().filter(|entry| seen.insert(entry.port)) {
        let Some(role) = role(*port).filter(|&role| exists(system, role)) else { continue };
        let init_only = match (role, port) {
            (_, Port::Initial(_)) => true,
            (Role::Input(_), _) => false,
            (Role::State(state), _) => match is_initial(system, state) {
                Some(initial) => initial,
                None => continue,
            },
        };
        if let (Port::Memory(state), [piece]) = (*port, &pieces[..]) {
            signals.extend(memory(system, trace, state, &piece.path));
            continue;
        }
        let mut lowest = 0;
        for piece in pieces {
            let Piece { path, offset, width } = piece.clone();
            if !is_clock(piece) {
                let source = Source::Bits(role, lowest);
                signals.push(Signal { path, offset, width, init_only, source });
            }
            lowest += width;
        }
    }
    signals
}

/// The signals of a model whose names are those of the design.
fn of_names(system: &TransitionSystem, trace: &Trace) -> Vec<Signal> {
    let pool = system.pool();
    let inputs =
        system.inputs().iter().enumerate().map(|(i, input)| (Role::Input(i), input.symbol));
    let states =
        system.states().iter().enumerate().map(|(i, state)| (Role::State(i), state.symbol));
    let mut signals = Vec::new();
    for (role, symbol) in inputs.chain(states) {
        let name = pool.as_symbol(symbol).and_then(|symbol| pool.symbol_name(symbol));
        let width = pool.sort(symbol).width();
        let Some((path, offset)) = name.and_then(|name| design_path(name, width)) else {
            continue;
        };
        let init_only = match role {
            Role::Input(input) if system.clocks().contains(&input) => continue,
            Role::Input(_) => false,
            Role::State(state) => match is_initial(system, state) {
                Some(initial) => initial,
                None => continue,
            },
        };
        match (pool.sort(symbol), role) {
            (Sort::Bv(width), _) => {
                let source = Source::Bits(role, 0);
                signals.push(Signal { path, offset, width, init_only, source });
            }
            (Sort::Array { .. }, Role::State(state)) => {
                signals.extend(memory(system, trace, state, &path));
            }
            (Sort::Array { .. }, Role::Input(_)) => {}
        }
    }
    signals
}

/// The elements of a memory at the start.
fn memory(system: &TransitionSystem, trace: &Trace, state: usize, path: &[String]) -> Vec<Signal> {
    let Sort::Array { index, element } = system.pool().sort(system.states()[state].symbol) else {
        return Vec::new();
    };
    let contents = trace.initial[state].array();
    let addresses: Vec<BitVec> = match 1u64.checked_shl(index) {
        Some(all) if all <= ELEMENTS => (0..all).map(|at| BitVec::new(index, at)).collect(),
        Some(_) | None => contents.entries().map(|(at, _)| at.clone()).collect(),
    };
    let signal = |at: BitVec| {
        let address = format!("\\[{}]", at.to_decimal());
        let path = path.iter().cloned().chain([address]).collect();
        let source = Source::Element(state, at);
        Signal { path, offset: 0, width: element, init_only: true, source }
    };
    addresses.into_iter().map(signal).collect()
}

/// The path of a name in the design, and its lowest bit: `u.q[3]` of one bit, or `u.q[7:4]`. An
/// index in the name of a word is an element of a memory that was turned into registers. `None`
/// if the name is not that of one signal.
fn design_path(name: &str, width: Option<u32>) -> Option<(Vec<String>, u32)> {
    if name.starts_with('{') {
        return None;
    }
    let mut path = path(name);
    let last = path.pop()?;
    // A name such as `$past(q)` was made up when the model was read.
    if last.starts_with('$') && last.contains('(') {
        return None;
    }
    let mut offset = 0;
    match last.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
        Some((word, bits)) if width == Some(1) || bits.contains(':') => {
            let lowest = bits.rsplit_once(':').map_or(bits, |(_, lowest)| lowest);
            offset = lowest.parse().ok()?;
            path.push(word.to_owned());
        }
        Some((memory, at)) => path.extend([memory.to_owned(), format!("[{at}]")]),
        None => path.push(last),
    }
    let public = |name: String| if name.starts_with('$') { name } else { format!("\\{name}") };
    Some((path.into_iter().map(public).collect(), offset))
}

fn clocks(system: &TransitionSystem) -> Vec<Clock> {
    let clock = |&input: &usize| {
        let (path, offset) = design_path(&system.input_name(input), Some(1))?;
        Some(Clock { path, offset, is_negative: false })
    };
    system.clocks().iter().filter_map(clock).collect()
}

fn clock(clock: &Clock) -> String {
    let edge = if clock.is_negative { "negedge" } else { "posedge" };
    let (path, offset) = (json_path(&clock.path), clock.offset);
    format!("{{\"path\": {path}, \"edge\": \"{edge}\", \"offset\": {offset}}}")
}

fn json_path(path: &[String]) -> String {
    let names: Vec<String> = path.iter().map(|name| quoted(name)).collect();
    format!("[{}]", names.join(", "))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{ArrayValue, PropertyId, Step};

    use super::super::read_map;
    use super::*;
    use crate::btor2;

    /// A clock, an input, registers with and without an initial value, a free state, a memory.
    const MODEL: &str = "1 sort bitvec 1\n2 sort bitvec 2\n3 sort array 1 2\n4 input 1 clk\n\
        5 input 2 u.d\n6 zero 2\n7 state 2 u.set\n8 init 2 7 6\n9 next 2 7 5\n10 state 2 q[3:2]\n\
        11 next 2 10 5\n12 state 1 any\n13 state 3 mem\n14 next 3 13 13\n15 state 1\n\
        16 next 1 15 15\n17 bad 12\n";

    fn trace() -> Trace {
        let word = |value| Value::from(BitVec::new(2, value));
        let bit = |value| Value::from(BitVec::bool(value));
        let mut memory = ArrayValue::constant(1, BitVec::new(2, 3));
        memory.write(BitVec::new(1, 1), BitVec::new(2, 0));
        Trace {
            property: PropertyId(0),
            initial: vec![word(0), word(1), bit(false), memory.into(), bit(true)],
            steps: vec![
                Step { inputs: vec![bit(false), word(2)].into(), free: Vec::new() },
                Step { inputs: vec![bit(true), word(3)].into(), free: vec![bit(true)] },
            ]
            .into(),
            loop_start: None,
        }
    }

    fn check(map: Option<&str>) -> serde_json::Value {
        let system = btor2::read(MODEL.as_bytes()).unwrap().system;
        let map = map.map(|text| read_map(text.as_bytes()).unwrap());
        let text = write_witness(&system, &trace(), map.as_ref());
        serde_json::from_str(&text).unwrap()
    }

    /// The bits of each step.
    fn bits(witness: &serde_json::Value) -> Vec<&str> {
        let steps = witness["steps"].as_array().unwrap();
        steps.iter().map(|step| step["bits"].as_str().unwrap()).collect()
    }

    #[test]
    fn names_become_paths() {
        let witness = check(None);
        assert_eq!(witness["format"], "Yosys Witness Trace");
        let clock = serde_json::json!({"path": ["\\clk"], "edge": "posedge", "offset": 0});
        assert_eq!(witness["clocks"], serde_json::json!([clock]));
        let signal = |path: &[&str], width: u32, offset: u32, init_only: bool| {
            serde_json::json!({
                "path": path, "width": width, "offset": offset, "init_only": init_only
            })
        };
        let signals = [
            signal(&["\\u", "\\d"], 2, 0, false),
            signal(&["\\any"], 1, 0, false),
            signal(&["\\q"], 2, 2, true),
            signal(&["\\mem", "\\[0]"], 2, 0, true),
            signal(&["\\mem", "\\[1]"], 2, 0, true),
        ];
        assert_eq!(witness["signals"], serde_json::json!(signals));
        assert_eq!(bits(&witness), ["001101010", "111"]);
    }

    #[test]
    fn indices_are_bits_or_elements() {
        let of = |name, width| design_path(name, Some(width));
        let path = |parts: &[&str]| parts.iter().map(|part| part.to_string()).collect();
        assert_eq!(of("u.q[3]", 1), Some((path(&["\\u", "\\q"]), 3)));
        assert_eq!(of("q[7:4]", 4), Some((path(&["\\q"]), 4)));
        assert_eq!(of("mem[3]", 4), Some((path(&["\\mem", "\\[3]"]), 0)));
        assert_eq!(of("mem[3][1]", 1), Some((path(&["\\mem[3]"]), 1)));
        assert_eq!(of("{a,b}", 2), None);
        assert_eq!(of("u.$past(q)", 1), None);
    }

    #[test]
    fn a_map_names_what_the_model_does_not() {
        let map = r#"{"version": "Yosys Witness BTOR map",
            "clocks": [{"path": ["\\clk"], "edge": "negedge", "offset": 0}],
            "inputs": [[{"path": ["\\clk"], "width": 1, "offset": 0}],
                       [{"path": ["\\lo"], "width": 1, "offset": 4},
                        {"path": ["\\hi"], "width": 1, "offset": 0}]],
            "states": [[{"path": ["\\set"], "width": 2, "offset": 0}], null, null, null,
                       [{"path": ["$hidden"], "width": 1, "offset": 0}]]}"#;
        let witness = check(Some(map));
        assert_eq!(witness["clocks"][0]["edge"], "negedge");
        let paths: Vec<&serde_json::Value> =
            witness["signals"].as_array().unwrap().iter().map(|s| &s["path"][0]).collect();
        assert_eq!(paths, ["\\lo", "\\hi", "$hidden"]);
        assert_eq!(witness["signals"][0]["offset"], 4);
        assert_eq!(bits(&witness), ["110", "11"]);
    }
}
