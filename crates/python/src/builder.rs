//! Systems that Python builds.
//!
//! Expressions are kept as they are built; engines get a copy with rewriting, and evidence is
//! checked against what was built (`SystemProblem::built`). A node belongs to one builder.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use elinvar::ir::{
    BinaryOp, ExprId, Goal, Named, Origin, Place, Property, PropertyKind, Sort, SortError, State,
    SystemBuilder, TransitionSystem, UnaryOp,
};
use elinvar::readable::nets::{self, Kind};
use elinvar::{Excerpts, SystemProblem};
use pyo3::prelude::*;

use crate::errors;
use crate::problem::Problem;
use crate::values::word;

/// An expression of a system under construction.
#[pyclass(frozen, module = "elinvar._elinvar")]
pub struct Node {
    id: ExprId,
    sort: Sort,
    owner: u64,
}

#[pymethods]
impl Node {
    /// The width of the word, or of the elements of a memory.
    #[getter]
    fn width(&self) -> u32 {
        match self.sort {
            Sort::Bv(width) => width,
            Sort::Array { element, .. } => element,
        }
    }

    /// The width of the addresses of a memory; none for a word.
    #[getter]
    fn index_width(&self) -> Option<u32> {
        match self.sort {
            Sort::Bv(_) => None,
            Sort::Array { index, .. } => Some(index),
        }
    }
}

/// A line of Python: the file, the number and the text.
type Line = (String, u32, String);

/// A signal: its name, its kind, and its expression.
type Signal = (String, &'static str, Node);

/// A system under construction.
#[pyclass(module = "elinvar._elinvar")]
pub struct Builder {
    parts: SystemBuilder,
    excerpts: Excerpts,
    owner: u64,
}

type Built = Result<ExprId, SortError>;

#[pymethods]
impl Builder {
    /// An empty system, or one with all that a problem has.
    #[new]
    #[pyo3(signature = (problem=None))]
    fn new(py: Python<'_>, problem: Option<&Problem>) -> PyResult<Self> {
        static OWNERS: AtomicU64 = AtomicU64::new(0);
        let parts = match problem {
            Some(problem) => {
                let problem = problem.system(py)?;
                let original =
                    problem.original().system().map_err(|error| errors::internal(py, error))?;
                with_names(original.clone(), problem.system())
            }
            None => SystemBuilder::verbatim(),
        };
        let owner = OWNERS.fetch_add(1, Ordering::Relaxed);
        Ok(Builder { parts, excerpts: Excerpts::new(), owner })
    }

    /// Adds an input.
    #[pyo3(signature = (name, width, index_width=None))]
    fn input(
        &mut self,
        py: Python<'_>,
        name: &str,
        width: u32,
        index_width: Option<u32>,
    ) -> PyResult<Node> {
        self.build(py, |parts| parts.input(sort(width, index_width), Some(name)))
    }

    /// Adds a state.
    #[pyo3(signature = (name, width, index_width=None))]
    fn state(
        &mut self,
        py: Python<'_>,
        name: &str,
        width: u32,
        index_width: Option<u32>,
    ) -> PyResult<Node> {
        self.build(py, |parts| parts.state(sort(width, index_width), Some(name)))
    }

    /// A constant.
    fn constant(&mut self, value: &Bound<'_, PyAny>, width: u32) -> PyResult<Node> {
        let py = value.py();
        if width == 0 || width > elinvar::ir::MAX_WIDTH {
            return Err(errors::sort(py, format!("a word cannot have {width} bits")));
        }
        let value = word(value, width)?;
        self.build(py, |parts| Ok(parts.pool.constant(value)))
    }

    /// An operator with one operand.
    fn unary(&mut self, py: Python<'_>, name: &str, a: &Node) -> PyResult<Node> {
        let a = self.own(py, a)?;
        match name {
            "not" => self.build(py, |parts| parts.pool.not(a)),
            "neg" => self.build(py, |parts| parts.pool.unary(UnaryOp::Neg, a)),
            "redand" => self.build(py, |parts| parts.pool.unary(UnaryOp::RedAnd, a)),
            "redor" => self.build(py, |parts| parts.pool.redor(a)),
            "redxor" => self.build(py, |parts| parts.pool.unary(UnaryOp::RedXor, a)),
            other => Err(errors::usage(py, format!("unknown operator {other}"))),
        }
    }

    /// An operator with two operands.
    fn binary(&mut self, py: Python<'_>, name: &str, a: &Node, b: &Node) -> PyResult<Node> {
        let (a, b) = (self.own(py, a)?, self.own(py, b)?);
        let operator = match name {
            "or" => return self.build(py, |parts| parts.pool.or(a, b)),
            "eq" => return self.build(py, |parts| parts.pool.equal(a, b)),
            "ule" => return self.build(py, |parts| parts.pool.ule(a, b)),
            "sle" => return self.build(py, |parts| parts.pool.sle(a, b)),
            "read" => return self.build(py, |parts| parts.pool.read(a, b)),
            "and" => BinaryOp::And,
            "xor" => BinaryOp::Xor,
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            "mul" => BinaryOp::Mul,
            "udiv" => BinaryOp::Udiv,
            "urem" => BinaryOp::Urem,
            "sdiv" => BinaryOp::Sdiv,
            "srem" => BinaryOp::Srem,
            "smod" => BinaryOp::Smod,
            "ult" => BinaryOp::Ult,
            "slt" => BinaryOp::Slt,
            "shl" => BinaryOp::Shl,
            "lshr" => BinaryOp::Lshr,
            "ashr" => BinaryOp::Ashr,
            "rol" => BinaryOp::Rol,
            "ror" => BinaryOp::Ror,
            "concat" => BinaryOp::Concat,
            other => return Err(errors::usage(py, format!("unknown operator {other}"))),
        };
        self.build(py, |parts| parts.pool.binary(operator, a, b))
    }

    /// Some bits of a word, both ends included.
    fn slice(&mut self, py: Python<'_>, a: &Node, high: u32, low: u32) -> PyResult<Node> {
        let a = self.own(py, a)?;
        self.build(py, |parts| parts.pool.slice(a, high, low))
    }

    /// A word with further bits: zeros, or copies of its sign.
    fn extend(&mut self, py: Python<'_>, a: &Node, by: u32, signed: bool) -> PyResult<Node> {
        let a = self.own(py, a)?;
        self.build(py, |parts| match signed {
            true => parts.pool.sext(a, by),
            false => parts.pool.uext(a, by),
        })
    }

    /// One of two values, as a condition chooses.
    fn ite(&mut self, py: Python<'_>, c: &Node, t: &Node, e: &Node) -> PyResult<Node> {
        let (c, t, e) = (self.own(py, c)?, self.own(py, t)?, self.own(py, e)?);
        self.build(py, |parts| parts.pool.ite(c, t, e))
    }

    /// A memory with another element.
    fn write(&mut self, py: Python<'_>, a: &Node, at: &Node, value: &Node) -> PyResult<Node> {
        let (a, at, value) = (self.own(py, a)?, self.own(py, at)?, self.own(py, value)?);
        self.build(py, |parts| parts.pool.write(a, at, value))
    }

    /// A memory all of whose elements are equal.
    fn filled(&mut self, py: Python<'_>, index_width: u32, element: &Node) -> PyResult<Node> {
        let element = self.own(py, element)?;
        self.build(py, |parts| parts.pool.const_array(index_width, element))
    }

    /// Sets the initial value of a state.
    fn set_init(&mut self, py: Python<'_>, state: &Node, value: &Node) -> PyResult<()> {
        let value = self.fitting(py, state, value, "the initial value")?;
        self.state_of(py, state)?.init = Some(value);
        Ok(())
    }

    /// Sets the next value of a state.
    fn set_next(&mut self, py: Python<'_>, state: &Node, value: &Node) -> PyResult<()> {
        let value = self.fitting(py, state, value, "the next value")?;
        self.state_of(py, state)?.next = Some(value);
        Ok(())
    }

    /// The initial and the next value of a state.
    fn functions(
        &mut self,
        py: Python<'_>,
        state: &Node,
    ) -> PyResult<(Option<Node>, Option<Node>)> {
        let State { init, next, .. } = *self.state_of(py, state)?;
        Ok((init.map(|id| self.node(id)), next.map(|id| self.node(id))))
    }

    /// Adds a constraint.
    fn constrain(
        &mut self,
        py: Python<'_>,
        bit: &Node,
        name: Option<String>,
        line: Line,
    ) -> PyResult<()> {
        let bit = self.bit(py, bit, "a constraint")?;
        let place = Some(self.place(line));
        self.parts.constrain(bit, Origin { name, place });
        Ok(())
    }

    /// Adds a property: `bad` is never true, or it is a cover statement. The bits of
    /// `antecedent` are true wherever it can fail.
    fn property(
        &mut self,
        py: Python<'_>,
        name: &str,
        bad: &Node,
        cover: bool,
        antecedent: Option<&Node>,
        line: Line,
    ) -> PyResult<()> {
        let bad = self.bit(py, bad, "a property")?;
        let goal = if cover { Goal::Cover } else { Goal::Assert };
        if let Some(antecedent) = antecedent {
            let antecedent = self.bit(py, antecedent, "an antecedent")?;
            self.parts.antecedents.insert(bad, vec![antecedent]);
        }
        let place = Some(self.place(line));
        self.parts.properties.push(Property { goal, place, ..Property::bad(name, bad) });
        Ok(())
    }

    /// Adds the property that no execution makes all bits true infinitely often.
    fn justice(
        &mut self,
        py: Python<'_>,
        name: &str,
        bits: Vec<PyRef<'_, Node>>,
        line: Line,
    ) -> PyResult<()> {
        let bits: PyResult<Vec<ExprId>> =
            bits.iter().map(|bit| self.bit(py, bit, "a liveness property")).collect();
        let kind = PropertyKind::Justice(bits?);
        let place = Some(self.place(line));
        self.parts.properties.push(Property { place, ..Property::new(name, kind) });
        Ok(())
    }

    /// Adds a fairness constraint.
    fn fair(&mut self, py: Python<'_>, bit: &Node) -> PyResult<()> {
        let bit = self.bit(py, bit, "a fairness constraint")?;
        self.parts.fairness.push(bit);
        Ok(())
    }

    /// Names an expression.
    fn output(&mut self, py: Python<'_>, name: &str, value: &Node) -> PyResult<()> {
        let expr = self.own(py, value)?;
        self.parts.outputs.push(Named { name: name.to_owned(), expr });
        Ok(())
    }

    /// The named signals.
    fn signals(&self, py: Python<'_>) -> PyResult<Vec<Signal>> {
        let system = self.finished(py)?;
        let signal = |net: nets::Net| {
            let kind = match net.kind {
                Kind::Clock | Kind::Input => "input",
                Kind::Register => "state",
                Kind::Wire | Kind::Property => "wire",
            };
            (net.name, kind, self.node(net.parts[0]))
        };
        Ok(nets::all(&system).into_iter().map(signal).collect())
    }

    /// The system as a problem that can be checked.
    fn finish(&self, py: Python<'_>) -> PyResult<Problem> {
        let system = self.finished(py)?;
        let excerpts = self.excerpts.clone();
        Ok(Problem::built(py.detach(|| SystemProblem::built(system, excerpts))))
    }
}

impl Builder {
    fn build(
        &mut self,
        py: Python<'_>,
        make: impl FnOnce(&mut SystemBuilder) -> Built,
    ) -> PyResult<Node> {
        let id = make(&mut self.parts).map_err(|error| errors::sort(py, error))?;
        Ok(self.node(id))
    }

    fn node(&self, id: ExprId) -> Node {
        Node { id, sort: self.parts.pool.sort(id), owner: self.owner }
    }

    /// The expression, if it belongs to this system.
    fn own(&self, py: Python<'_>, node: &Node) -> PyResult<ExprId> {
        match node.owner == self.owner {
            true => Ok(node.id),
            false => Err(errors::usage(py, "the expression belongs to another system")),
        }
    }

    fn bit(&self, py: Python<'_>, node: &Node, what: &str) -> PyResult<ExprId> {
        match node.sort == Sort::BOOL {
            true => self.own(py, node),
            false => {
                let message = format!("{what} must be a word of width 1, but it is {}", node.sort);
                Err(errors::sort(py, message))
            }
        }
    }

    /// A value for a state.
    fn fitting(&self, py: Python<'_>, state: &Node, value: &Node, what: &str) -> PyResult<ExprId> {
        match state.sort == value.sort {
            true => self.own(py, value),
            false => {
                let (found, expected) = (value.sort, state.sort);
                Err(errors::sort(py, format!("{what} is {found}, expected {expected}")))
            }
        }
    }

    fn state_of(&mut self, py: Python<'_>, node: &Node) -> PyResult<&mut State> {
        let id = self.own(py, node)?;
        let found = self.parts.states.iter().position(|state| state.symbol == id);
        match found {
            Some(index) => Ok(&mut self.parts.states[index]),
            None => Err(errors::usage(py, "only a register or a memory has a next value")),
        }
    }

    fn place(&mut self, (file, line, text): Line) -> Place {
        if !text.is_empty() {
            self.excerpts.insert((file.clone(), line as usize), text);
        }
        Place { file: Arc::from(file), line, column: None }
    }

    fn finished(&self, py: Python<'_>) -> PyResult<TransitionSystem> {
        self.parts.clone().finish().map_err(|error| errors::usage(py, error))
    }
}

fn sort(width: u32, index_width: Option<u32>) -> Sort {
    match index_width {
        Some(index) => Sort::Array { index, element: width },
        None => Sort::Bv(width),
    }
}

/// The second reading of a model, with the names that a map gave to the first one.
fn with_names(original: TransitionSystem, named: &TransitionSystem) -> SystemBuilder {
    let symbols: Vec<(ExprId, String)> = (0..original.inputs().len())
        .map(|index| (original.inputs()[index].symbol, named.input_name(index)))
        .chain(
            (0..original.states().len())
                .map(|index| (original.states()[index].symbol, named.state_name(index))),
        )
        .collect();
    let mut parts = original.into_builder();
    for (symbol, name) in symbols {
        let symbol = parts.pool.as_symbol(symbol).expect("inputs and states are symbols");
        parts.pool.rename(symbol, &name);
    }
    parts
}
