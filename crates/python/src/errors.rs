//! Errors of the library as the exceptions of `elinvar.errors`.

use elinvar::{Error, FileFault};
use pyo3::PyErr;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception for an error of the library.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    match error {
        Error::Input(fault) => input(py, fault),
        Error::File { context, cause } => file(py, context, cause),
        Error::NoSolver(message) => raise(py, "MissingToolError", message),
        Error::Stopped(reason) => raise(py, "StoppedError", &reason.to_string()),
        Error::Bug(_) => raise(py, "InternalError", &error.to_string()),
        // `Error::Usage`, and what may be added later: the enum is not exhaustive.
        _ => raise(py, "UsageError", &error.to_string()),
    }
}

/// The exception for a question that does not fit.
pub fn usage(py: Python<'_>, message: impl std::fmt::Display) -> PyErr {
    raise(py, "UsageError", &message.to_string())
}

/// The exception for an expression whose parts do not fit each other.
pub fn sort(py: Python<'_>, message: impl std::fmt::Display) -> PyErr {
    raise(py, "SortError", &message.to_string())
}

/// The exception for a bug in Elinvar.
pub fn internal(py: Python<'_>, message: &str) -> PyErr {
    raise(py, "InternalError", message)
}

fn input(py: Python<'_>, fault: &FileFault) -> PyErr {
    let make = || {
        let details = PyDict::new(py);
        details.set_item("file", fault.file.to_string_lossy())?;
        details.set_item("line", fault.position.map(|(line, _)| line))?;
        details.set_item("column", fault.position.map(|(_, column)| column))?;
        details.set_item("message", &fault.message)?;
        details.set_item("help", &fault.help)?;
        class(py, "InputError")?.call((fault.to_string(),), Some(&details))
    };
    make().map_or_else(|error| error, PyErr::from_value)
}

/// A file that is missing or protected is the error that `open` would raise.
fn file(py: Python<'_>, context: &str, cause: &std::io::Error) -> PyErr {
    let make = || {
        let text = format!("{context}: {cause}");
        class(py, "file_error")?.call1((cause.raw_os_error(), text))
    };
    make().map_or_else(|error| error, PyErr::from_value)
}

fn raise(py: Python<'_>, name: &str, message: &str) -> PyErr {
    let make = || class(py, name)?.call1((message,));
    make().map_or_else(|error| error, PyErr::from_value)
}

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("elinvar.errors")?.getattr(name)
}
