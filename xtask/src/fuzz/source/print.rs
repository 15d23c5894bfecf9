//! Programs as text, one statement or clause on a line, with all parentheses.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::syntax::*;

/// The text of a program. Writes down in the tree on which line each statement and clause is.
pub fn print(program: &mut Program) -> String {
    let mut printer = Printer { text: String::new(), line: 1, names: Names::of(program) };
    if program.dialect == Dialect::Ultimate {
        printer.line("//#Safe");
    }
    printer.declarations(program);
    for number in 0..program.procedures.len() {
        printer.procedure(&mut program.procedures[number]);
    }
    printer.text
}

/// What expressions need to know of their surroundings.
struct Names {
    dialect: Dialect,
    constants: Vec<String>,
    globals: Vec<String>,
    functions: Vec<String>,
    procedures: Vec<String>,
    /// Of the current procedure.
    locals: Vec<String>,
}

impl Names {
    fn of(program: &Program) -> Self {
        Names {
            dialect: program.dialect,
            constants: program.theory.constants.iter().map(|c| c.name.clone()).collect(),
            globals: program.globals.iter().map(|g| g.name.clone()).collect(),
            functions: program.theory.functions.iter().map(|f| f.name.clone()).collect(),
            procedures: program.procedures.iter().map(|p| p.name.clone()).collect(),
            locals: Vec::new(),
        }
    }

    fn name(&self, name: Name) -> String {
        match name {
            Name::Constant(number) => self.constants[number].clone(),
            Name::Global(number) => self.globals[number].clone(),
            Name::Local(number) => self.locals[number].clone(),
            Name::Parameter(number) => format!("a{number}"),
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Name(name) => self.name(*name),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Int(value) if *value < 0 => format!("(-{})", value.unsigned_abs()),
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Real(halves) => real(*halves),
            ExprKind::Word(bits) => match expr.ty {
                Type::Word(width) => format!("{bits}bv{width}"),
                _ => unreachable!("a word has a width"),
            },
            ExprKind::Old(inner) => format!("old({})", self.expr(inner)),
            ExprKind::Not(inner) => format!("!({})", self.expr(inner)),
            ExprKind::Negate(inner) => format!("(-({}))", self.expr(inner)),
            ExprKind::Binary(op, left, right) => {
                format!("({} {} {})", self.expr(left), self.operator(*op), self.expr(right))
            }
            ExprKind::Choice(condition, then, otherwise) => format!(
                "(if {} then {} else {})",
                self.expr(condition),
                self.expr(then),
                self.expr(otherwise)
            ),
            ExprKind::Select(map, indices) => {
                format!("{}[{}]", self.expr(map), self.list(indices))
            }
            ExprKind::Store(map, indices, element) => {
                format!("{}[{} := {}]", self.expr(map), self.list(indices), self.expr(element))
            }
            ExprKind::Apply(function, arguments) => {
                format!("{}({})", self.functions[*function], self.list(arguments))
            }
            ExprKind::WordOp(op, arguments) => {
                format!("{}({})", declared(*op, &arguments[0].ty), self.list(arguments))
            }
            ExprKind::Concat(high, low) => format!("({} ++ {})", self.expr(high), self.expr(low)),
            ExprKind::Extract(high, low, inner) => {
                format!("({})[{high}:{low}]", self.expr(inner))
            }
            ExprKind::ToInt(inner) => format!("int({})", self.expr(inner)),
            ExprKind::ToReal(inner) => format!("real({})", self.expr(inner)),
        }
    }

    fn operator(&self, op: BinaryOp) -> &'static str {
        match (op, self.dialect) {
            (BinaryOp::Add, _) => "+",
            (BinaryOp::Subtract, _) => "-",
            (BinaryOp::Multiply, _) => "*",
            (BinaryOp::Divide, Dialect::Boogie) => "div",
            (BinaryOp::Modulo, Dialect::Boogie) => "mod",
            (BinaryOp::Divide, Dialect::Ultimate) | (BinaryOp::Quotient, _) => "/",
            (BinaryOp::Modulo, Dialect::Ultimate) => "%",
            (BinaryOp::And, _) => "&&",
            (BinaryOp::Or, _) => "||",
            (BinaryOp::Implies, _) => "==>",
            (BinaryOp::Iff, _) => "<==>",
            (BinaryOp::Equal, _) => "==",
            (BinaryOp::Unequal, _) => "!=",
            (BinaryOp::Less, _) => "<",
            (BinaryOp::AtMost, _) => "<=",
            (BinaryOp::Greater, _) => ">",
            (BinaryOp::AtLeast, _) => ">=",
        }
    }
}

fn real(halves: i64) -> String {
    let digits = format!("{}.{}", halves.unsigned_abs() / 2, halves.unsigned_abs() % 2 * 5);
    if halves < 0 { format!("(-{digits})") } else { digits }
}

/// The name that an operator on words is declared with.
fn declared(op: WordOp, ty: &Type) -> String {
    match ty {
        Type::Word(width) => format!("{}_{width}", op.name()),
        _ => unreachable!("operators on words have words as operands"),
    }
}

pub fn ty(of: &Type) -> String {
    match of {
        Type::Bool => "bool".into(),
        Type::Int => "int".into(),
        Type::Real => "real".into(),
        Type::Word(width) => format!("bv{width}"),
        Type::Named(number) => format!("T{number}"),
        Type::Map(indices, element) => {
            let indices: Vec<String> = indices.iter().map(ty).collect();
            format!("[{}]{}", indices.join(", "), ty(element))
        }
    }
}

struct Printer {
    text: String,
    /// Of the next text.
    line: u32,
    names: Names,
}

impl Printer {
    /// Writes a line and returns its number.
    fn line(&mut self, text: &str) -> u32 {
        self.text += text;
        self.text.push('\n');
        self.line += 1;
        self.line - 1
    }

    fn declarations(&mut self, program: &Program) {
        for number in 0..program.theory.types {
            self.line(&format!("type T{number};"));
        }
        for (op, width) in word_operators(program) {
            let word = Type::Word(width);
            let result = if op.is_comparison() { "bool".to_owned() } else { ty(&word) };
            let operands = vec![ty(&word); op.operands()].join(", ");
            let smt = op.name();
            let name = declared(op, &word);
            self.line(&format!(
                "function {{:bvbuiltin \"{smt}\"}} {name}({operands}) returns ({result});"
            ));
        }
        for constant in &program.theory.constants {
            let unique = if constant.unique { "unique " } else { "" };
            self.line(&format!("const {unique}{}: {};", constant.name, ty(&constant.ty)));
        }
        for function in &program.theory.functions {
            self.function(function);
        }
        for axiom in &program.theory.axioms {
            let axiom = self.names.expr(axiom);
            self.line(&format!("axiom {axiom};"));
        }
        for global in &program.globals {
            let global = self.variable(global);
            self.line(&format!("var {global};"));
        }
    }

    fn function(&mut self, function: &Function) {
        let parameters: Vec<String> = (function.parameters.iter().enumerate())
            .map(|(number, parameter)| format!("a{number}: {}", ty(parameter)))
            .collect();
        let head = format!(
            "function {}({}) returns ({})",
            function.name,
            parameters.join(", "),
            ty(&function.result)
        );
        match &function.body {
            Some(body) => self.line(&format!("{head} {{ {} }}", self.names.expr(body))),
            None => self.line(&format!("{head};")),
        };
    }

    fn variable(&self, variable: &Variable) -> String {
        let mut text = format!("{}: {}", variable.name, ty(&variable.ty));
        if let Some(constraint) = &variable.constraint {
            write!(text, " where {}", self.names.expr(constraint)).expect("strings can grow");
        }
        text
    }

    fn procedure(&mut self, procedure: &mut Procedure) {
        self.names.locals = procedure.variables.iter().map(|v| v.name.clone()).collect();
        let attribute = match procedure.attribute {
            Some(Attribute::Inline) => "{:inline 1} ",
            Some(Attribute::Unverified) => "{:verify false} ",
            Some(Attribute::Entry) => "{:entrypoint} ",
            Some(Attribute::Start) | None => "",
        };
        let variables: Vec<String> =
            procedure.variables.iter().map(|variable| self.variable(variable)).collect();
        let (inputs, rest) = variables.split_at(procedure.inputs);
        let (outputs, locals) = rest.split_at(procedure.outputs);
        let mut head = format!("procedure {attribute}{}({})", procedure.name, inputs.join(", "));
        if !outputs.is_empty() {
            write!(head, " returns ({})", outputs.join(", ")).expect("strings can grow");
        }
        if procedure.body.is_none() {
            head.push(';');
        }
        self.line(&head);
        self.contract(procedure);
        if let Some(body) = &mut procedure.body {
            self.line("{");
            for local in locals {
                self.line(&format!("  var {local};"));
            }
            self.block(body, 1);
            self.line("}");
        }
    }

    fn contract(&mut self, procedure: &mut Procedure) {
        self.clauses("requires", &mut procedure.requires, 1);
        if !procedure.modifies.is_empty() {
            let names: Vec<&str> =
                procedure.modifies.iter().map(|&g| &self.names.globals[g][..]).collect();
            let text = format!("  modifies {};", names.join(", "));
            self.line(&text);
        }
        self.clauses("ensures", &mut procedure.ensures, 1);
    }

    fn clauses(&mut self, word: &str, clauses: &mut [Clause], depth: usize) {
        for clause in clauses {
            let free = if clause.free { "free " } else { "" };
            let condition = self.names.expr(&clause.condition);
            clause.line = self.line(&format!("{}{free}{word} {condition};", indent(depth)));
        }
    }

    fn block(&mut self, block: &mut [Statement], depth: usize) {
        for statement in block {
            statement.line = self.line;
            self.statement(&mut statement.kind, depth);
        }
    }

    fn statement(&mut self, kind: &mut StatementKind, depth: usize) {
        let names = &self.names;
        let text = match kind {
            StatementKind::Assert(condition) | StatementKind::AssertValid(condition) => {
                format!("assert {};", names.expr(condition))
            }
            StatementKind::Assume(condition) => format!("assume {};", names.expr(condition)),
            StatementKind::Assign(pairs) => {
                let targets: Vec<String> = pairs.iter().map(|(t, _)| target(names, t)).collect();
                let values: Vec<String> = pairs.iter().map(|(_, v)| names.expr(v)).collect();
                format!("{} := {};", targets.join(", "), values.join(", "))
            }
            StatementKind::Havoc(variables) => {
                let variables: Vec<String> = variables.iter().map(|&v| names.name(v)).collect();
                format!("havoc {};", variables.join(", "))
            }
            StatementKind::Call { callee, arguments, results } => {
                let outs: Vec<String> = results.iter().map(|&v| names.name(v)).collect();
                let outs = if outs.is_empty() { String::new() } else { outs.join(", ") + " := " };
                format!("call {outs}{}({});", names.procedures[*callee], names.list(arguments))
            }
            StatementKind::Goto(labels) => {
                let labels: Vec<String> = labels.iter().map(|label| format!("L{label}")).collect();
                format!("goto {};", labels.join(", "))
            }
            StatementKind::Label(label) => format!("L{label}:"),
            StatementKind::Break => "break;".into(),
            StatementKind::Return => "return;".into(),
            StatementKind::If(condition, then, otherwise) => {
                return self.choice(condition.as_ref(), then, otherwise.as_deref_mut(), depth);
            }
            StatementKind::While(condition, invariants, body) => {
                return self.repeat(condition.as_ref(), invariants, body, depth);
            }
        };
        self.line(&(indent(depth) + &text));
    }

    fn choice(
        &mut self,
        condition: Option<&Expr>,
        then: &mut [Statement],
        otherwise: Option<&mut [Statement]>,
        depth: usize,
    ) {
        let (indented, guard) = (indent(depth), self.guard(condition));
        self.line(&format!("{indented}if ({guard}) {{"));
        self.block(then, depth + 1);
        if let Some(otherwise) = otherwise {
            self.line(&format!("{indented}}} else {{"));
            self.block(otherwise, depth + 1);
        }
        self.line(&format!("{indented}}}"));
    }

    fn repeat(
        &mut self,
        condition: Option<&Expr>,
        invariants: &mut [Clause],
        body: &mut [Statement],
        depth: usize,
    ) {
        let (indented, guard) = (indent(depth), self.guard(condition));
        self.line(&format!("{indented}while ({guard})"));
        self.clauses("invariant", invariants, depth + 1);
        self.line(&format!("{indented}{{"));
        self.block(body, depth + 1);
        self.line(&format!("{indented}}}"));
    }

    fn guard(&self, condition: Option<&Expr>) -> String {
        condition.map_or_else(|| "*".into(), |condition| self.names.expr(condition))
    }
}

fn target(names: &Names, target: &Target) -> String {
    let indices: Vec<String> =
        target.indices.iter().map(|indices| format!("[{}]", names.list(indices))).collect();
    names.name(target.name) + &indices.concat()
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

/// The operators on words that occur, with their widths.
fn word_operators(program: &Program) -> BTreeSet<(WordOp, u32)> {
    let mut found = BTreeSet::new();
    for expr in program.expressions() {
        expr.visit(&mut |inner| {
            if let ExprKind::WordOp(op, operands) = &inner.kind
                && let Type::Word(width) = operands[0].ty
            {
                found.insert((*op, width));
            }
        });
    }
    found
}
