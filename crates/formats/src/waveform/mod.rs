//! Waveforms: signals over time, for viewers such as GTKWave and Surfer.
//!
//! A waveform has variables in nested scopes. Their values change at points in time, in
//! nanoseconds; a bit is 0, 1, or `x` if it may be either. This module orders and names the
//! variables and drops changes that are none; `vcd` and `fst` write the two formats.

mod fst;
mod vcd;

use elinvar_ir::BitVec;
use rustc_hash::FxHashMap;

/// The formats of waveforms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaveformFormat {
    /// Value Change Dump, as text, of IEEE 1364.
    Vcd,
    /// Fast Signal Trace, compressed, of GTKWave.
    Fst,
}

/// A signal of a waveform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its scopes from the outside in, then its name.
    pub path: Vec<String>,
    /// Whether it is a register; otherwise it is a wire.
    pub is_register: bool,
    /// The number of its bits.
    pub width: u32,
    /// The number of the earlier variable that always has the same value, or its own.
    pub same_as: usize,
}

/// Writes a waveform. `fill` sets the values, in the order of time. The comment goes to the header
/// of a VCD.
pub fn write(
    format: WaveformFormat,
    mut variables: Vec<Variable>,
    comment: Option<&str>,
    fill: impl FnOnce(&mut Recorder<'_>),
) -> Vec<u8> {
    name_uniquely(&mut variables);
    // By scope; within one, the order is kept.
    let mut order: Vec<usize> = (0..variables.len()).collect();
    order.sort_by(|&a, &b| variables[a].scopes().cmp(variables[b].scopes()));
    let shown = vec![None; variables.len()];
    match format {
        WaveformFormat::Vcd => {
            let mut sink = vcd::Vcd::new(&variables, &order, comment);
            fill(&mut Recorder { variables: &variables, sink: &mut sink, shown });
            sink.finish()
        }
        WaveformFormat::Fst => {
            let mut sink = fst::Fst::new(&variables, &order);
            fill(&mut Recorder { variables: &variables, sink: &mut sink, shown });
            sink.finish()
        }
    }
}

/// Where the changes of a waveform go.
trait Sink {
    /// Goes to a later point in time.
    fn time(&mut self, nanoseconds: u64);
    /// Sets a variable that is not the same as an earlier one. The digits are `0`, `1` and `x`,
    /// the most significant first.
    fn change(&mut self, variable: usize, digits: &[u8]);
}

/// Takes the values of the variables of a waveform.
pub struct Recorder<'a> {
    variables: &'a [Variable],
    sink: &'a mut dyn Sink,
    /// The last digits of each variable.
    shown: Vec<Option<Vec<u8>>>,
}

impl Recorder<'_> {
    /// Goes to a later point in time.
    pub fn time(&mut self, nanoseconds: u64) {
        self.sink.time(nanoseconds);
    }

    /// Sets a variable, of which only the bits in `known` have one value.
    pub fn set(&mut self, variable: usize, value: &BitVec, known: &BitVec) {
        if self.variables[variable].same_as != variable {
            return;
        }
        let digit = |(value, known): (bool, bool)| match (value, known) {
            (_, false) => b'x',
            (false, true) => b'0',
            (true, true) => b'1',
        };
        let digits: Vec<u8> =
            value.iter_bits().rev().zip(known.iter_bits().rev()).map(digit).collect();
        if self.shown[variable].as_ref() != Some(&digits) {
            self.sink.change(variable, &digits);
            self.shown[variable] = Some(digits);
        }
    }
}

impl Variable {
    fn scopes(&self) -> &[String] {
        &self.path[..self.path.len() - 1]
    }

    fn name(&self) -> &str {
        &self.path[self.path.len() - 1]
    }
}

/// Makes names that viewers can read: printable, without spaces, not empty, and different from
/// each other.
fn name_uniquely(variables: &mut [Variable]) {
    let plain = |c: char| if c.is_ascii_graphic() { c } else { '_' };
    let mut uses: FxHashMap<Vec<String>, usize> = FxHashMap::default();
    for variable in variables {
        for part in &mut variable.path {
            *part = if part.is_empty() { "_".into() } else { part.chars().map(plain).collect() };
        }
        loop {
            let uses = uses.entry(variable.path.clone()).or_insert(0);
            *uses += 1;
            if *uses == 1 {
                break;
            }
            let name = variable.path.last_mut().expect("paths are not empty");
            name.push_str(&format!("_{uses}"));
        }
    }
}

/// What the declaration of variables in nested scopes consists of.
enum Declaration<'a> {
    Open(&'a str),
    Close,
    Variable(usize),
}

/// The declarations of the variables, which are ordered by scope.
fn declarations<'a>(variables: &'a [Variable], order: &[usize]) -> Vec<Declaration<'a>> {
    let mut open: Vec<&str> = Vec::new();
    let mut declarations = vec![Declaration::Open("top")];
    for &number in order {
        let scopes = variables[number].scopes();
        let common = open.iter().zip(scopes).take_while(|(a, b)| *a == b).count();
        declarations.extend((common..open.len()).map(|_| Declaration::Close));
        open.truncate(common);
        for scope in &scopes[common..] {
            declarations.push(Declaration::Open(scope));
            open.push(scope);
        }
        declarations.push(Declaration::Variable(number));
    }
    declarations.extend((0..=open.len()).map(|_| Declaration::Close));
    declarations
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn variable(path: &[&str], width: u32, same_as: usize) -> Variable {
        let path = path.iter().map(|&part| part.to_owned()).collect();
        Variable { path, is_register: same_as == 0, width, same_as }
    }

    /// A register with an alias in a scope, and a word in the same scope.
    pub(super) fn example(format: WaveformFormat) -> Vec<u8> {
        let variables = vec![
            variable(&["run"], 1, 0),
            variable(&["core", "run"], 1, 0),
            variable(&["core", "count"], 4, 2),
            variable(&["a b"], 1, 3),
            variable(&["a_b"], 1, 4),
        ];
        write(format, variables, None, |recorder| {
            let all = |width| BitVec::ones(width);
            recorder.time(0);
            recorder.set(0, &BitVec::bool(true), &all(1));
            recorder.set(1, &BitVec::bool(true), &all(1));
            recorder.set(2, &BitVec::new(4, 0b1010), &BitVec::new(4, 0b1100));
            recorder.set(3, &BitVec::bool(false), &all(1));
            recorder.set(4, &BitVec::bool(true), &all(1));
            recorder.time(10);
            recorder.set(0, &BitVec::bool(false), &all(1));
            recorder.set(2, &BitVec::new(4, 0b1001), &BitVec::new(4, 0b1100));
            recorder.set(3, &BitVec::bool(true), &BitVec::bool(false));
            recorder.time(20);
        })
    }
}
