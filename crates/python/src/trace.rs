//! Executions of transition systems.

use elinvar::formats::waveform::WaveformFormat;
use elinvar::ir::{Sort, TransitionSystem};
use elinvar::page;
use elinvar::readable::nets::{self, Kind};
use elinvar::readable::waves::{Signal, Waves, execute};
use elinvar::{SystemProblem, readable::waveform};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::values::{integer, to_python};

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
        let waves = py.detach(|| Waves::of_trace(system, &self.trace, None, nets::all(system)));
        waves.signals.iter().map(|signal| column(py, system, signal)).collect()
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

fn column<'py>(
    py: Python<'py>,
    system: &TransitionSystem,
    signal: &Signal,
) -> PyResult<Column<'py>> {
    let kind = match signal.net.kind {
        Kind::Clock | Kind::Input => "input",
        Kind::Register => "state",
        Kind::Wire | Kind::Property => "wire",
    };
    let name = signal.net.name.clone();
    Ok(match signal.net.sort(system) {
        Sort::Bv(width) if width <= 64 => {
            let words = signal.values.iter().map(|value| value.bv().to_u64());
            let bytes: Vec<u8> =
                words.flat_map(|word| word.expect("at most 64 bits").to_le_bytes()).collect();
            (name, kind, width, None, PyBytes::new(py, &bytes).into_any())
        }
        Sort::Bv(width) => {
            let values: PyResult<Vec<_>> =
                signal.values.iter().map(|value| integer(py, value.bv())).collect();
            (name, kind, width, None, PyList::new(py, values?)?.into_any())
        }
        Sort::Array { index, element } => {
            let values: PyResult<Vec<_>> =
                signal.values.iter().map(|value| to_python(py, value)).collect();
            (name, kind, element, Some(index), PyList::new(py, values?)?.into_any())
        }
    })
}
