//! The waveforms of a page: names, values and scopes in tables that all traces share.
//!
//! The data of a waveform is an object that can be shown without a report:
//!
//! - `scopes`: `[PARENT, NAME]`; the parent is the number of another scope, or -1.
//! - `signals`: `[SCOPE, NAME, KIND, WIDTH]`, where the kind is a letter; elements of memories have
//!   the scope of the memory and are called `[ADDRESS]`, with the other elements in `[others]`.
//! - `runs`: values over the cycles, as the module `runs` writes them.
//! - `traces`: `{ cycles, loop_start, rows, left_out }`; the loop starts in a cycle, or null; a row is a signal and a run. The property is first,
//!   then inputs, registers and wires, and among these the most important first.
//!
//! The size is bounded: signals that are far from the property are left out first.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use elinvar_formats::names::path;
use elinvar_ir::{BitVec, Sort, Trace, TransitionSystem, Value};
use serde_json::{Value as Json, json};

use super::escape::cost;
use super::runs::{Reading, encode, hexadecimal};
use crate::readable::nets::{self, Kind, Net, gather_words, without_aliases};
use crate::readable::relevance::{Known, Relevance};
use crate::readable::waves::{Signal, Waves};

/// Values that are recorded for one trace.
const CELLS: usize = 4_000_000;
/// Elements of a memory that are recorded for one trace.
const ELEMENTS: usize = 256;
/// Bytes of a row in the data, besides its runs.
const ROW: usize = 12;

/// The waveforms of some traces.
pub(super) struct Waveforms<'a> {
    system: &'a TransitionSystem,
    /// Show all signals and all values, whether they matter or not.
    complete: bool,
    scopes: Table<(Option<usize>, String)>,
    signals: Table<(Option<usize>, String, Letter, u32)>,
    runs: Table<String>,
    traces: Vec<Json>,
}

/// What a signal is, in the data.
type Letter = &'static str;

/// A row before it is written.
struct Row {
    scope: Vec<String>,
    name: String,
    letter: Letter,
    width: u32,
    runs: String,
}

impl<'a> Waveforms<'a> {
    pub fn new(system: &'a TransitionSystem, complete: bool) -> Self {
        let (scopes, signals) = (Table::default(), Table::default());
        Waveforms { system, complete, scopes, signals, runs: Table::default(), traces: Vec::new() }
    }

    /// Adds a trace that takes about this many bytes at most, and returns its number and its
    /// size.
    pub fn add(&mut self, trace: &Trace, budget: usize) -> (usize, usize) {
        let (signals, mut left_out) = self.record(trace);
        let (mut rows, mut spent) = (Vec::new(), 0);
        for signal in &signals {
            for row in rows_of(self.system, signal, &mut left_out) {
                let is_new = !self.runs.numbers.contains_key(&row.runs);
                let size = if is_new { ROW + cost(&row.runs) } else { ROW };
                if spent + size > budget {
                    left_out += 1;
                    continue;
                }
                spent += size;
                rows.push((signal.net.kind != Kind::Property, signal.net.kind, self.write(row)));
            }
        }
        rows.sort_by_key(|&(is_other, kind, _)| (is_other, kind));
        let rows: Vec<Json> = rows.into_iter().map(|(_, _, row)| row).collect();
        let cycles = trace.steps.len();
        let loop_start = trace.loop_start;
        self.traces.push(json!({
            "cycles": cycles, "loop_start": loop_start, "rows": rows, "left_out": left_out,
        }));
        (self.traces.len() - 1, spent)
    }

    /// The object that the component in `wave.js` shows.
    pub fn into_json(self) -> Json {
        let parent = |scope: Option<usize>| scope.map_or(json!(-1), |scope| json!(scope));
        let scopes: Vec<Json> =
            self.scopes.rows.iter().map(|(of, name)| json!([parent(*of), name])).collect();
        let signals: Vec<Json> = (self.signals.rows.iter())
            .map(|(scope, name, letter, width)| json!([parent(*scope), name, letter, width]))
            .collect();
        json!({
            "scopes": scopes,
            "signals": signals,
            "runs": self.runs.rows,
            "traces": self.traces,
        })
    }

    /// The signals with their values, the most important first, and how many there are beside
    /// them.
    fn record(&self, trace: &Trace) -> (Vec<Signal>, usize) {
        let relevance = match self.complete {
            true => None,
            false => Relevance::of(self.system, trace),
        };
        let mut nets = self.nets(trace);
        nets.sort_by_key(|net| (!net.is_named, net.distance.is_none(), net.distance));
        let most = (CELLS / trace.steps.len().max(1)).max(1);
        let left_out = nets.len().saturating_sub(most);
        nets.truncate(most);
        if let Some(property) = property(self.system, trace) {
            nets.insert(0, property);
        }
        let mut waves = Waves::of_trace(self.system, trace, relevance.as_ref(), nets);
        let matters = |signal: &Signal| (0..signal.values.len()).any(|cycle| signal.matters(cycle));
        waves.signals.retain(|signal| signal.net.is_named || matters(signal));
        waves.signals.sort_by_key(|signal| {
            let is_property = signal.net.kind == Kind::Property;
            (!is_property, !signal.net.is_named, !matters(signal), !signal.is_changing())
        });
        (waves.signals, left_out)
    }

    /// The signals that the property depends on, or all of them.
    fn nets(&self, trace: &Trace) -> Vec<Net> {
        let system = self.system;
        let mut nets = nets::all(system);
        let roots = nets::roots(system, trace.property);
        if !roots.is_empty() {
            nets::measure(system, &roots, &mut nets);
            if !self.complete {
                nets.retain(|net| net.distance.is_some() && net.kind != Kind::Clock);
                nets.retain(|net| !net.parts.iter().all(|&part| system.pool().is_const(part)));
            }
        }
        nets.retain(|net| net.is_named || net.kind != Kind::Wire);
        without_aliases(gather_words(system, nets))
    }

    fn write(&mut self, row: Row) -> Json {
        let mut scope = None;
        for part in row.scope {
            scope = Some(self.scopes.number((scope, part)));
        }
        let signal = self.signals.number((scope, row.name, row.letter, row.width));
        json!([signal, self.runs.number(row.runs)])
    }
}

/// The bit of the property that the trace is about.
fn property(system: &TransitionSystem, trace: &Trace) -> Option<Net> {
    let bad = system.bad(trace.property)?;
    let name = system.property(trace.property).name.clone();
    Some(Net { name, kind: Kind::Property, parts: vec![bad], is_named: true, distance: None })
}

/// One row for a word, one for each element of a memory.
fn rows_of(system: &TransitionSystem, signal: &Signal, left_out: &mut usize) -> Vec<Row> {
    let mut scope = match signal.net.kind {
        Kind::Property => vec![signal.net.name.clone()],
        Kind::Clock | Kind::Input | Kind::Register | Kind::Wire => path(&signal.net.name),
    };
    match signal.net.sort(system) {
        Sort::Bv(width) => {
            let name = scope.pop().unwrap_or_default();
            let readings = signal.values.iter().zip(&signal.known).map(|(value, known)| {
                let mask = known.word(width);
                Reading { value: value.bv(), mask }
            });
            let (letter, runs) = (letter(signal.net.kind), encode(readings));
            vec![Row { scope, name, letter, width, runs }]
        }
        Sort::Array { element: width, .. } => {
            let addresses = addresses(signal);
            *left_out += addresses.len().saturating_sub(ELEMENTS);
            let row = |name: String, runs: String| Row {
                scope: scope.clone(),
                name,
                letter: "m",
                width,
                runs,
            };
            let mut rows: Vec<Row> = (addresses.iter().take(ELEMENTS))
                .map(|at| row(format!("[{}]", hexadecimal(at)), element(signal, at, width)))
                .collect();
            rows.push(row("[others]".to_owned(), others(signal, width)));
            let is_known = |row: &Row| row.runs.split(' ').any(|run| !run.starts_with('x'));
            rows.retain(is_known);
            rows
        }
    }
}

/// The addresses of a memory whose elements differ from the others in some cycle.
fn addresses(memory: &Signal) -> BTreeSet<BitVec> {
    let masks = memory.known.iter().filter_map(|known| match known {
        Known::All => None,
        Known::Mask(mask) => Some(mask),
    });
    let arrays = memory.values.iter().chain(masks).map(Value::array);
    arrays.flat_map(|array| array.entries()).map(|(index, _)| index.clone()).collect()
}

fn element(memory: &Signal, at: &BitVec, width: u32) -> String {
    encode(memory.values.iter().zip(&memory.known).map(|(value, known)| {
        let mask = known.element(at).word(width);
        Reading { value: value.array().read(at), mask }
    }))
}

/// The elements that no address names.
fn others(memory: &Signal, width: u32) -> String {
    encode(memory.values.iter().zip(&memory.known).map(|(value, known)| {
        let mask = match known {
            Known::All => BitVec::ones(width),
            Known::Mask(mask) => mask.array().default_element().clone(),
        };
        Reading { value: value.array().default_element(), mask }
    }))
}

fn letter(kind: Kind) -> Letter {
    match kind {
        Kind::Clock => "c",
        Kind::Input => "i",
        Kind::Register => "r",
        Kind::Wire => "w",
        Kind::Property => "p",
    }
}

/// Things with the numbers by which others refer to them.
struct Table<T> {
    rows: Vec<T>,
    numbers: HashMap<T, usize>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { rows: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Table<T> {
    fn number(&mut self, row: T) -> usize {
        if let Some(&number) = self.numbers.get(&row) {
            return number;
        }
        self.rows.push(row.clone());
        self.numbers.insert(row, self.rows.len() - 1);
        self.rows.len() - 1
    }
}
