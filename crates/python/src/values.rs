//! Words and memories as Python values: an integer, or a default and a dictionary.

use dashu_int::UBig;
use dashu_int::ops::BitTest;
use elinvar::ir::{ArrayValue, BitVec, Sort, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt};

use crate::errors;

/// The integer of a word.
fn integer<'py>(py: Python<'py>, word: &BitVec) -> PyResult<Bound<'py, PyAny>> {
    match word.to_u64() {
        Some(small) => Ok(small.into_pyobject(py)?.into_any()),
        None => {
            let bytes = PyBytes::new(py, &word.to_big().to_le_bytes());
            py.get_type::<PyInt>().call_method1("from_bytes", (bytes, "little"))
        }
    }
}

/// The word of this width with the value of an integer.
pub fn word(value: &Bound<'_, PyAny>, width: u32) -> PyResult<BitVec> {
    let py = value.py();
    let fits = |value: &UBig| value.bit_len() <= width as usize;
    let number = match value.extract::<u64>() {
        Ok(small) => UBig::from(small),
        Err(_) => {
            let integer = value.cast::<PyInt>()?;
            if integer.lt(0)? {
                return Err(out_of_range(py, integer, width));
            }
            let bits: usize = integer.call_method0("bit_length")?.extract()?;
            let bytes = integer.call_method1("to_bytes", (bits.div_ceil(8), "little"))?;
            UBig::from_le_bytes(bytes.cast::<PyBytes>()?.as_bytes())
        }
    };
    match fits(&number) {
        true => Ok(BitVec::from_big(width, number)),
        false => Err(out_of_range(py, value, width)),
    }
}

fn out_of_range(py: Python<'_>, value: &Bound<'_, PyAny>, width: u32) -> PyErr {
    let bits = if width == 1 { "1 bit".to_owned() } else { format!("{width} bits") };
    errors::sort(py, format!("{value} does not fit in {bits}"))
}

/// A word as an integer; a memory as its default and the elements that differ.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Bv(word) => integer(py, word),
        Value::Array(array) => {
            let elements = PyDict::new(py);
            for (index, element) in array.entries() {
                elements.set_item(integer(py, index)?, integer(py, element)?)?;
            }
            let default = integer(py, array.default_element())?;
            Ok((default, elements).into_pyobject(py)?.into_any())
        }
    }
}

/// The value of a sort: an integer for a word; for a memory an integer, which all elements have,
/// or a dictionary, whose other elements are zero.
pub fn from_python(value: &Bound<'_, PyAny>, sort: Sort) -> PyResult<Value> {
    match sort {
        Sort::Bv(width) => Ok(word(value, width)?.into()),
        Sort::Array { index, element } => match value.cast::<PyDict>() {
            Ok(elements) => {
                let mut array = ArrayValue::constant(index, BitVec::zero(element));
                for (at, value) in elements {
                    array.write(word(&at, index)?, word(&value, element)?);
                }
                Ok(array.into())
            }
            Err(_) => Ok(ArrayValue::constant(index, word(value, element)?).into()),
        },
    }
}
