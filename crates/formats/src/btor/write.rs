//! The writer.
//!
//! What BTOR lacks (constraints, initial values, shifts of any width, …) is
//! first expressed by what it has: see [`super::lower`]. Inputs come first, then
//! registers and memories, then operators, roots and next values. Outputs of
//! one bit are left out, since they would be read as bad states, and so are
//! labels, for which BTOR has no place.

use elinvar_ir::{ExprId, Pool, PropertyKind, Sort, TransitionSystem};

use super::lower::lower;
use crate::WriteError;
use crate::numbered::{Printer, Syntax, fresh_cone};

/// Writes a system as BTOR, with the same verdict and depth for each property.
///
/// # Errors
/// If the system has liveness properties, or constant arrays too large to be
/// written element by element.
pub fn write(system: &TransitionSystem) -> Result<Vec<u8>, WriteError> {
    let lowered = lower(system)?;
    let pool = lowered.pool();
    let mut printer = Printer::new(pool, Syntax::Btor);
    let inputs = lowered.inputs().iter().map(|input| input.symbol);
    for symbol in inputs.chain(lowered.states().iter().map(|state| state.symbol)) {
        declare(&mut printer, pool, symbol);
    }
    let mut seen = vec![false; pool.len()];
    let mut roots: Vec<(&str, ExprId)> = Vec::new();
    for property in lowered.properties() {
        match property.kind {
            PropertyKind::Bad(bad) => roots.push((&property.name, bad)),
            PropertyKind::Justice(_) => unreachable!("refused when lowering"),
        }
    }
    roots.extend(lowered.outputs().iter().map(|output| (&*output.name, output.expr)));
    let next = lowered.states().iter().map(|state| (state.symbol, state.next.expect("lowered")));
    let next: Vec<(ExprId, ExprId)> = next.collect();
    let used = roots.iter().map(|&(_, expr)| expr).chain(next.iter().map(|&(_, next)| next));
    for node in fresh_cone(pool, used, &mut seen) {
        if pool.as_symbol(node).is_none() {
            printer.node(node, None);
        }
    }
    for (name, expr) in roots {
        printer.begin_sorted("root", pool.sort(expr));
        printer.operand(expr);
        printer.end(Some(name));
    }
    for (symbol, value) in next {
        let sort = pool.sort(symbol);
        printer.begin_sorted(if sort.is_array() { "anext" } else { "next" }, sort);
        printer.operand(symbol);
        printer.operand(value);
        printer.end(None);
    }
    Ok(printer.finish())
}

fn declare(printer: &mut Printer, pool: &Pool, symbol: ExprId) {
    let sort = pool.sort(symbol);
    let keyword = match sort {
        Sort::Bv(_) => "var",
        Sort::Array { .. } => "array",
    };
    let line = printer.begin_sorted(keyword, sort);
    printer.end(pool.as_symbol(symbol).and_then(|symbol| pool.symbol_name(symbol)));
    printer.define(symbol, line);
}
