//! The graph of a model, for Graphviz.
//!
//! Edges go from an expression to its operands; an edge with a circle is a
//! complement. Dashed edges lead from a state to its next and initial values.

use std::fmt::Write as _;

use elinvar_ir::{
    BinaryOp, Expr, ExprId, Pool, PropertyKind, Role, TransitionSystem, UnaryOp, cone,
};

/// The graph, in the DOT language.
pub fn write(system: &TransitionSystem) -> String {
    let mut graph = Graph { system, text: String::new() };
    graph.line("digraph model {");
    graph.line("  node [fontname=\"monospace\"];");
    for node in cone(system.pool(), roots(system)) {
        graph.node(node);
    }
    graph.states();
    graph.sinks();
    graph.line("}");
    graph.text
}

/// Everything that is drawn, directly or as an operand.
fn roots(system: &TransitionSystem) -> Vec<ExprId> {
    let mut roots: Vec<ExprId> = system.inputs().iter().map(|input| input.symbol).collect();
    for state in system.states() {
        roots.push(state.symbol);
        roots.extend(state.init);
        roots.extend(state.next);
    }
    roots.extend(sinks(system).into_iter().flat_map(|sink| sink.exprs));
    roots
}

/// A node that stands for no expression: a property, a constraint, an output.
struct Sink {
    label: String,
    style: &'static str,
    exprs: Vec<ExprId>,
}

fn sinks(system: &TransitionSystem) -> Vec<Sink> {
    let mut sinks = Vec::new();
    for property in system.properties() {
        let (exprs, style) = match &property.kind {
            PropertyKind::Bad(bad) => (vec![*bad], "shape=octagon, color=red"),
            PropertyKind::Justice(conditions) => {
                (conditions.clone(), "shape=doubleoctagon, color=red")
            }
        };
        sinks.push(Sink { label: property.name.clone(), style, exprs });
    }
    let unnamed = [("constraint", system.constraints()), ("fairness", system.fairness())];
    for (what, exprs) in unnamed {
        for (i, &expr) in exprs.iter().enumerate() {
            let label = format!("{what} {i}");
            sinks.push(Sink { label, style: "shape=hexagon, color=blue", exprs: vec![expr] });
        }
    }
    for output in system.outputs() {
        let label = output.name.clone();
        sinks.push(Sink { label, style: "shape=invhouse", exprs: vec![output.expr] });
    }
    sinks
}

struct Graph<'a> {
    system: &'a TransitionSystem,
    text: String,
}

impl Graph<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn node(&mut self, id: ExprId) {
        let pool = self.system.pool();
        let expr = pool.get(id);
        let (label, shape) = match (&expr, self.system.role_of(id)) {
            (_, Some(Role::Input(i))) => (self.system.input_name(i), "house"),
            (_, Some(Role::State(i))) => (self.system.state_name(i), "box"),
            (Expr::Const(value), None) => (value.to_decimal(), "plaintext"),
            (expr, None) => (operator(expr), "ellipse"),
        };
        let label = format!("{label}\n{}", sort(pool, id));
        self.line(&format!("  n{} [label={}, shape={shape}];", id.node(), quote(&label)));
        let mut names = operand_names(&expr).iter();
        let mut edges = Vec::new();
        expr.for_each_operand(|operand| {
            edges.push((operand, names.next().copied().unwrap_or_default()));
        });
        for (operand, name) in edges {
            self.edge(&format!("n{}", id.node()), operand, name, false);
        }
    }

    fn states(&mut self) {
        for state in self.system.states() {
            let from = format!("n{}", state.symbol.node());
            for (name, value) in [("init", state.init), ("next", state.next)] {
                if let Some(value) = value {
                    self.edge(&from, value, name, true);
                }
            }
        }
    }

    fn sinks(&mut self) {
        for (i, Sink { label, style, exprs }) in sinks(self.system).into_iter().enumerate() {
            self.line(&format!("  sink{i} [label={}, {style}];", quote(&label)));
            for expr in exprs {
                self.edge(&format!("sink{i}"), expr, "", false);
            }
        }
    }

    fn edge(&mut self, from: &str, to: ExprId, label: &str, dashed: bool) {
        let mut attributes = Vec::new();
        if !label.is_empty() {
            attributes.push(format!("label=\"{label}\""));
        }
        if dashed {
            attributes.push("style=dashed".into());
        }
        if to.is_complement() {
            attributes.push("arrowhead=odot".into());
        }
        write!(self.text, "  {from} -> n{}", to.node()).expect("strings take any text");
        match attributes.is_empty() {
            true => self.line(";"),
            false => self.line(&format!(" [{}];", attributes.join(", "))),
        }
    }
}

fn sort(pool: &Pool, id: ExprId) -> String {
    match pool.sort(id) {
        elinvar_ir::Sort::Bv(width) => format!("{width}"),
        elinvar_ir::Sort::Array { index, element } => format!("{element} [2^{index}]"),
    }
}

fn operator(expr: &Expr) -> String {
    match expr {
        Expr::Const(_) | Expr::Symbol(_) => unreachable!("leaves are labelled by the caller"),
        Expr::Unary(op, _) => match op {
            UnaryOp::Not => "not".into(),
            UnaryOp::Neg => "neg".into(),
            UnaryOp::RedAnd => "redand".into(),
            UnaryOp::RedXor => "redxor".into(),
        },
        Expr::Binary(op, ..) => format!("{op:?}").to_ascii_lowercase(),
        Expr::Slice { hi, lo, .. } => format!("slice {hi}:{lo}"),
        Expr::Uext { by, .. } => format!("uext {by}"),
        Expr::Sext { by, .. } => format!("sext {by}"),
        Expr::Ite(..) => "ite".into(),
        Expr::Read(..) => "read".into(),
        Expr::Write(..) => "write".into(),
        Expr::ConstArray(_) => "constarray".into(),
        Expr::ArrayEq(..) => "eq".into(),
    }
}

/// How to tell the operands of an expression apart, where their order matters.
fn operand_names(expr: &Expr) -> &'static [&'static str] {
    if let Expr::Binary(op, ..) = expr {
        return if *op == BinaryOp::Concat {
            &["high", "low"]
        } else if op.is_commutative() {
            &[]
        } else {
            &["left", "right"]
        };
    }
    if matches!(expr, Expr::Ite(..)) {
        &["if", "then", "else"]
    } else if matches!(expr, Expr::Read(..) | Expr::Write(..)) {
        &["array", "index", "value"]
    } else {
        &[]
    }
}

/// A string of the DOT language.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{BitVec, Sort, SystemBuilder};
    use elinvar_models::{Generator, Shape};

    use super::*;

    #[test]
    fn a_small_model() {
        let mut b = SystemBuilder::new();
        let count = b.state(Sort::Bv(4), Some("the \"count\"")).unwrap();
        let stop = b.input(Sort::BOOL, Some("stop")).unwrap();
        let zero = b.pool.constant(BitVec::zero(4));
        let less = b.pool.binary(BinaryOp::Sub, count, zero).unwrap();
        assert_eq!(less, count);
        let go = b.pool.not(stop).unwrap();
        let next = b.pool.ite(stop, count, zero).unwrap();
        b.states[0].init = Some(zero);
        b.states[0].next = Some(next);
        b.bad("stopped", go);
        let expected = r#"digraph model {
  node [fontname="monospace"];
  n2 [label="the \"count\"\n4", shape=box];
  n3 [label="stop\n1", shape=house];
  n4 [label="0\n4", shape=plaintext];
  n5 [label="ite\n4", shape=ellipse];
  n5 -> n3 [label="if"];
  n5 -> n2 [label="then"];
  n5 -> n4 [label="else"];
  n2 -> n4 [label="init", style=dashed];
  n2 -> n5 [label="next", style=dashed];
  sink0 [label="stopped", shape=octagon, color=red];
  sink0 -> n3 [arrowhead=odot];
}
"#;
        assert_eq!(write(&b.finish().unwrap()), expected);
    }

    /// Every edge leads to a node that is there.
    #[test]
    fn random_models_are_closed() {
        for seed in 0..50 {
            let text = write(&Generator::system(seed, Shape::ARRAYS));
            let nodes: Vec<&str> =
                text.lines().filter_map(|l| l.trim().split_once(" [label=")).map(|p| p.0).collect();
            for line in text.lines() {
                let Some((from, to)) = line.trim().split_once(" -> ") else { continue };
                let to = to.split([' ', ';']).next().unwrap();
                assert!(nodes.contains(&from) && nodes.contains(&to), "{line}");
            }
        }
    }
}
