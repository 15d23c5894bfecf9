//! `elinvar stats`: how large a model is and what it is made of.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use elinvar::readable::align;
use elinvar::{Problem, Source};
use elinvar_ir::{Expr, PropertyKind, Sort, TransitionSystem, UnaryOp, cone};
use serde_json::json;

use crate::input::DesignOptions;
use crate::limits::Resources;
use crate::{code, output};

/// Show the sizes of a model and a histogram of its operators
///
/// Exit codes: 0 done, 2 user error, 4 a limit was reached first.
#[derive(clap::Args, Clone)]
pub struct Arguments {
    /// The model, or the source files of a design; `-` reads standard input
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    resources: Resources,

    #[command(flatten)]
    design: DesignOptions,
}

pub fn run(arguments: &Arguments) -> Result<u8> {
    let (work, source) = (arguments.clone(), arguments.read()?);
    let shown = arguments.design.shown(false);
    let report = arguments.resources.watch("measuring", shown, move || work.report(source))?;
    output::print(&report)?;
    Ok(code::DONE)
}

impl Arguments {
    fn read(&self) -> Result<Arc<Source>> {
        self.design.read(&self.models, &self.resources)
    }

    fn report(&self, source: Arc<Source>) -> Result<String> {
        let problem = Problem::from_source(source, None)?.as_system()?;
        let model = problem.model();
        let sizes = sizes(model.system());
        let operators = match model.operators() {
            Some(written) => {
                written.iter().map(|(&name, &n)| (name.to_owned(), n as u64)).collect()
            }
            None => operators(model.system()),
        };
        let format = model.format().to_string();
        Ok(if self.json {
            let sizes: serde_json::Map<String, serde_json::Value> =
                sizes.iter().map(|&(what, n)| (what.replace(' ', "_"), n.into())).collect();
            let (schema, version) = (elinvar::SCHEMA, env!("CARGO_PKG_VERSION"));
            let report = json!({
                "schema": schema,
                "version": version,
                "format": format,
                "sizes": sizes,
                "operators": operators,
            });
            format!("{report}\n")
        } else {
            text(&format, &sizes, &operators)
        })
    }
}

fn text(format: &str, sizes: &[(&'static str, u64)], operators: &BTreeMap<String, u64>) -> String {
    let number = |n: u64| format!("{n:>12}");
    let mut text = format!("{format}\n\n");
    let rows: Vec<[String; 2]> =
        sizes.iter().map(|&(what, n)| [what.to_owned(), number(n)]).collect();
    text.push_str(&align(&rows));
    let mut by_count: Vec<(&String, &u64)> = operators.iter().collect();
    by_count.sort_by_key(|&(name, &count)| (std::cmp::Reverse(count), name));
    let rows: Vec<[String; 2]> =
        by_count.iter().map(|&(name, &n)| [name.clone(), number(n)]).collect();
    if !rows.is_empty() {
        text.push('\n');
        text.push_str(&align(&rows));
    }
    text
}

fn sizes(system: &TransitionSystem) -> Vec<(&'static str, u64)> {
    let sort = |symbol| system.pool().sort(symbol);
    let bits = |sort: Sort| sort.width().map_or(0, u64::from);
    let is_array = |symbol: &&elinvar_ir::State| sort(symbol.symbol).is_array();
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
