//! Executions of transition systems.

use std::borrow::Cow;

use elinvar::formats::waveform::WaveformFormat;
use elinvar::ir::{ExprId, Role, Sort, TransitionSystem, Value};
use elinvar::page;
use elinvar::readable::nets::{self, Kind, Net};
use elinvar::readable::waves::execute;
use elinvar::{SystemProblem, readable::waveform};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::values::to_python;

/// An execution of a transition system.
#[pyclass(frozen, module = "elinvar._elinvar")]
pub struct Trace {
    pub problem: SystemProblem,
    pub trace: elinvar::ir::Trace,
    /// Did an engine find it, so that it is about a property?
    pub is_counterexample: bool,
}

/// A column: the name, the kind, the width of values, the width of addresses if it is a memory,
/// and the values.
type Column<'py> = (String, &'static str, u32, Option<u32>, Bound<'py, PyAny>);

/// The cycles in which something fails that has a name or a number.
type Failures<T> = Vec<(T, Vec<usize>)>;

#[pymethods]
impl Trace {
    fn __len__(&self) -> usize {
        self.trace.steps.len()
    }

    /// The first cycle of the loop, if it goes on forever.
    #[getter]
    fn loop_start(&self) -> Option<usize> {
        self.trace.loop_start
    }

    /// All signals with their values. Values of words of at most 64 bits are unsigned numbers of 64
    /// bits, one after the other, as bytes; those of wider words are a list of integers, those of
    /// memories a list of defaults and dictionaries.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Vec<Column<'py>>> {
        let system = self.problem.system();
        let recorded = py.detach(|| record(system, &self.trace));
        recorded.into_iter().map(|(net, values)| column(py, system, net, values)).collect()
    }

    /// By property and by constraint: the cycles in which it fails.
    fn failures(&self) -> (Failures<String>, Failures<usize>) {
        let system = self.problem.system();
        let mut bads: Failures<String> =
            system.bads().map(|(id, _)| (system.property(id).name.clone(), Vec::new())).collect();
        let mut constraints: Failures<usize> =
            (0..system.constraints().len()).map(|index| (index, Vec::new())).collect();
        execute(system, &self.trace, None, |cycle, moment| {
            for (place, (_, bad)) in system.bads().enumerate() {
                if moment.simulator().holds(bad) {
                    bads[place].1.push(cycle);
                }
            }
            for (index, &constraint) in system.constraints().iter().enumerate() {
                if !moment.simulator().holds(constraint) {
                    constraints[index].1.push(cycle);
                }
            }
        });
        bads.retain(|(_, cycles)| !cycles.is_empty());
        constraints.retain(|(_, cycles)| !cycles.is_empty());
        (bads, constraints)
    }

    /// The waveform as a fragment of HTML.
    fn html(&self) -> String {
        page::waveform(self.problem.system(), &self.trace)
    }

    /// The waveform as a file in VCD or FST. In one of a counterexample, values that do not matter
    /// are unknown unless `concrete`.
    #[pyo3(signature = (*, fst=false, concrete=false))]
    fn waveform<'py>(&self, py: Python<'py>, fst: bool, concrete: bool) -> Bound<'py, PyBytes> {
        let format = if fst { WaveformFormat::Fst } else { WaveformFormat::Vcd };
        let write = match self.is_counterexample && !concrete {
            true => waveform::of_counterexample,
            false => waveform::of_execution,
        };
        PyBytes::new(py, &write(self.problem.system(), &self.trace, format))
    }

    /// The witness in the format of the model.
    fn witness<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.problem.witness(&self.trace))
    }

    /// The witness that Yosys replays.
    fn yosys_witness<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.problem.yosys_witness(&self.trace))
    }
}

/// The values of a signal by cycle.
enum Values {
    /// Of at most 64 bits.
    Words(Vec<u64>),
    Others(Vec<Value>),
}

/// The values of all signals in an execution.
fn record(system: &TransitionSystem, trace: &elinvar::ir::Trace) -> Vec<(Net, Values)> {
    let empty = |net: Net| match net.sort(system) {
        Sort::Bv(width) if width <= 64 => (net, Values::Words(Vec::new())),
        Sort::Bv(_) | Sort::Array { .. } => (net, Values::Others(Vec::new())),
    };
    let mut columns: Vec<(Net, Values)> = nets::all(system).into_iter().map(empty).collect();
    let sources: Vec<(ExprId, Option<Role>)> =
        columns.iter().map(|(net, _)| (net.parts[0], system.role_of(net.parts[0]))).collect();
    execute(system, trace, None, |_, moment| {
        let simulator = moment.simulator();
        for ((_, values), &(expr, role)) in columns.iter_mut().zip(&sources) {
            let value = match role {
                Some(Role::Input(index)) => Cow::Borrowed(&simulator.inputs()[index]),
                Some(Role::State(index)) => Cow::Borrowed(&simulator.states()[index]),
                None => Cow::Owned(simulator.value(expr)),
            };
            match values {
                Values::Words(words) => {
                    words.push(value.bv().to_u64().expect("at most 64 bits"));
                }
                Values::Others(others) => others.push(value.into_owned()),
            }
        }
    });
    columns
}

fn column<'py>(
    py: Python<'py>,
    system: &TransitionSystem,
    net: Net,
    values: Values,
) -> PyResult<Column<'py>> {
    let kind = match net.kind {
        Kind::Clock | Kind::Input => "input",
        Kind::Register => "state",
        Kind::Wire | Kind::Property => "wire",
    };
    let (width, index) = match net.sort(system) {
        Sort::Bv(width) => (width, None),
        Sort::Array { index, element } => (element, Some(index)),
    };
    let values = match values {
        Values::Words(words) => {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            PyBytes::new(py, &bytes).into_any()
        }
        Values::Others(values) => {
            let values: PyResult<Vec<_>> =
                values.iter().map(|value| to_python(py, value)).collect();
            PyList::new(py, values?)?.into_any()
        }
    };
    Ok((net.name, kind, width, index, values))
}
