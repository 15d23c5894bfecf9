//! How large a model is and what it is made of.

use std::collections::BTreeMap;

use elinvar_ir::{Expr, PropertyKind, Sort, State, TransitionSystem, UnaryOp, cone};
use serde_json::{Map, Value as Json, json};

use crate::json::SCHEMA;
use crate::problem::SystemProblem;

/// The sizes of a model.
///
/// ```
/// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
/// let sizes = elinvar::sizes::Sizes::of(&problem.as_system()?);
/// assert_eq!((&sizes.format[..], &sizes.to_json()["sizes"]["states"]), ("AIGER", &1.into()));
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sizes {
    /// The format that the model was read from.
    pub format: String,
    /// How many inputs, states and so on it has, by their names.
    pub sizes: Vec<(&'static str, u64)>,
    /// How often each operator stands in what the model uses.
    pub operators: BTreeMap<String, u64>,
}

impl Sizes {
    /// The sizes of this model.
    pub fn of(problem: &SystemProblem) -> Self {
        let model = problem.model();
        let written = model.operators().filter(|written| !written.is_empty());
        let operators = match written {
            Some(written) => {
                written.iter().map(|(&name, &n)| (name.to_owned(), n as u64)).collect()
            }
            None => operators(model.system()),
        };
        Sizes { format: model.format().to_string(), sizes: sizes(model.system()), operators }
    }

    /// The sizes as a JSON object.
    pub fn to_json(&self) -> Json {
        let sizes: Map<String, Json> =
            self.sizes.iter().map(|&(what, n)| (what.replace(' ', "_"), n.into())).collect();
        json!({
            "schema": SCHEMA,
            "version": env!("CARGO_PKG_VERSION"),
            "format": self.format,
            "sizes": sizes,
            "operators": self.operators,
        })
    }
}

fn sizes(system: &TransitionSystem) -> Vec<(&'static str, u64)> {
    let sort = |symbol| system.pool().sort(symbol);
    let bits = |sort: Sort| sort.width().map_or(0, u64::from);
    let is_array = |symbol: &&State| sort(symbol.symbol).is_array();
    let count = |n: usize| n as u64;
    let justice =
        system.properties().iter().filter(|p| matches!(p.kind, PropertyKind::Justice(_))).count();
    vec![
        ("inputs", count(system.inputs().len())),
        ("input bits", system.inputs().iter().map(|i| bits(sort(i.symbol))).sum()),
        ("states", count(system.states().len())),
        ("state bits", system.states().iter().map(|s| bits(sort(s.symbol))).sum()),
        ("memories", count(system.states().iter().filter(is_array).count())),
        (
            "uninitialised states",
            count(system.states().iter().filter(|s| s.init.is_none()).count()),
        ),
        ("free states", count(system.free_states().len())),
        ("constraints", count(system.constraints().len())),
        ("safety properties", count(system.bads().count())),
        ("liveness properties", count(justice)),
        ("fairness conditions", count(system.fairness().len())),
        ("outputs", count(system.outputs().len())),
    ]
}

/// How often each operator stands in what the model uses, symbols and
/// constants apart.
fn operators(system: &TransitionSystem) -> BTreeMap<String, u64> {
    let mut roots: Vec<_> =
        system.states().iter().flat_map(|s| [s.init, s.next]).flatten().collect();
    roots.extend(system.constraints());
    roots.extend(system.fairness());
    roots.extend(system.outputs().iter().map(|o| o.expr));
    for property in system.properties() {
        match &property.kind {
            PropertyKind::Bad(bad) => roots.push(*bad),
            PropertyKind::Justice(conditions) => roots.extend(conditions),
        }
    }
    let mut histogram = BTreeMap::new();
    for node in cone(system.pool(), roots) {
        if let Some(name) = operator(&system.pool().get(node)) {
            *histogram.entry(name).or_default() += 1;
        }
    }
    histogram
}

fn operator(expr: &Expr) -> Option<String> {
    let name = match expr {
        Expr::Const(_) | Expr::Symbol(_) => return None,
        Expr::Unary(op, _) => match op {
            UnaryOp::Not => "not",
            UnaryOp::Neg => "neg",
            UnaryOp::RedAnd => "redand",
            UnaryOp::RedXor => "redxor",
        },
        Expr::Binary(op, ..) => return Some(format!("{op:?}").to_lowercase()),
        Expr::Slice { .. } => "slice",
        Expr::Uext { .. } => "uext",
        Expr::Sext { .. } => "sext",
        Expr::Ite(..) => "ite",
        Expr::Read(..) => "read",
        Expr::Write(..) => "write",
        Expr::ConstArray(_) => "constarray",
        Expr::ArrayEq(..) => "arrayeq",
    };
    Some(name.to_owned())
}
