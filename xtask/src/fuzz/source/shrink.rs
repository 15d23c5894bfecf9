//! Makes a program smaller while it fails in the same way: greedily, one change at a time.

use super::syntax::*;

/// How many smaller programs are tried.
const ATTEMPTS: usize = 250;

/// The smallest program found for which `fails` still holds.
pub fn shrink(program: &Program, mut fails: impl FnMut(&mut Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut left = ATTEMPTS;
    let mut change = 0;
    let mut since = 0;
    // One change after the other, until all of them fail from the first on.
    while left > 0 {
        let Some(mut candidate) = changed(&best, change) else {
            if since == 0 {
                break;
            }
            (change, since) = (0, 0);
            continue;
        };
        left -= 1;
        if fails(&mut candidate) {
            best = candidate;
            since += 1;
        } else {
            change += 1;
        }
    }
    best
}

/// The program after the change with this number.
fn changed(program: &Program, number: usize) -> Option<Program> {
    let mut number = number;
    let ways: [fn(&mut Program, &mut usize) -> bool; 6] =
        [procedures, statements, clauses, declarations, parts, expressions];
    for way in ways {
        let mut candidate = program.clone();
        if way(&mut candidate, &mut number) {
            return Some(candidate);
        }
    }
    None
}

/// Counts down. The result is true for the change with the number.
fn is_next(number: &mut usize) -> bool {
    if *number == 0 {
        return true;
    }
    *number -= 1;
    false
}

/// Removes a procedure that is not called, or its body or attribute.
fn procedures(program: &mut Program, number: &mut usize) -> bool {
    for at in 0..program.procedures.len() {
        let called = program.procedures.iter().any(|p| calls(p.body.as_deref(), at));
        if !called && program.procedures.len() > 1 && is_next(number) {
            program.procedures.remove(at);
            for procedure in &mut program.procedures {
                renumber_calls(procedure.body.as_deref_mut(), at);
            }
            return true;
        }
        if program.procedures[at].body.is_some() && is_next(number) {
            let procedure = &mut program.procedures[at];
            procedure.body = None;
            procedure.variables.truncate(procedure.inputs + procedure.outputs);
            return true;
        }
        if program.procedures[at].attribute.is_some() && is_next(number) {
            let procedure = &mut program.procedures[at];
            procedure.attribute = None;
            procedure.name = format!("p{at}");
            return true;
        }
    }
    false
}

fn calls(body: Option<&[Statement]>, callee: usize) -> bool {
    let mut found = false;
    visit_block(body.unwrap_or_default(), &mut |statement| {
        found |=
            matches!(statement.kind, StatementKind::Call { callee: other, .. } if other == callee);
    });
    found
}

fn renumber_calls(body: Option<&mut [Statement]>, removed: usize) {
    visit_block_mut(body.unwrap_or_default(), &mut |statement| {
        if let StatementKind::Call { callee, .. } = &mut statement.kind
            && *callee > removed
        {
            *callee -= 1;
        }
    });
}

/// Removes a statement, or replaces it by the blocks inside it.
fn statements(program: &mut Program, number: &mut usize) -> bool {
    let bodies = program.procedures.iter_mut().filter_map(|procedure| procedure.body.as_mut());
    let mut used = Vec::new();
    let mut bodies: Vec<&mut Vec<Statement>> = bodies.collect();
    bodies.iter().for_each(|body| gotos(body, &mut used));
    bodies.iter_mut().any(|body| in_block(body, number, &used, false))
}

/// The labels that are jumped to.
fn gotos(block: &[Statement], used: &mut Vec<u32>) {
    visit_block(block, &mut |statement| {
        if let StatementKind::Goto(labels) = &statement.kind {
            used.extend(labels);
        }
    });
}

fn in_block(
    block: &mut Vec<Statement>,
    number: &mut usize,
    used: &[u32],
    within_loop: bool,
) -> bool {
    for at in 0..block.len() {
        let kept = matches!(&block[at].kind, StatementKind::Label(label) if used.contains(label));
        if !kept && is_next(number) {
            block.remove(at);
            return true;
        }
        let is_loop = matches!(block[at].kind, StatementKind::While(..));
        let mut blocks = block[at].kind.blocks_mut();
        if blocks.is_empty() {
            continue;
        }
        if blocks.iter_mut().any(|inner| in_block(inner, number, used, within_loop || is_loop)) {
            return true;
        }
        let inner: Vec<Statement> = blocks.into_iter().flat_map(|inner| inner.clone()).collect();
        // Without its loop, a `break` would have nothing to leave.
        if is_loop && !within_loop && breaks(&inner) {
            continue;
        }
        if is_next(number) {
            block.splice(at..=at, inner);
            return true;
        }
    }
    false
}

/// Whether there is a `break` that leaves the block.
fn breaks(block: &[Statement]) -> bool {
    block.iter().any(|statement| {
        let is_loop = matches!(statement.kind, StatementKind::While(..));
        let mut blocks = statement.kind.blocks().into_iter();
        matches!(statement.kind, StatementKind::Break)
            || (!is_loop && blocks.any(|block| breaks(block)))
    })
}

/// Removes a clause of a contract or of a loop, a `where` clause, or an axiom.
fn clauses(program: &mut Program, number: &mut usize) -> bool {
    if remove_one(&mut program.theory.axioms, number) {
        return true;
    }
    let locals = program.procedures.iter_mut().flat_map(|p| &mut p.variables);
    for variable in program.globals.iter_mut().chain(locals) {
        if variable.constraint.is_some() && is_next(number) {
            variable.constraint = None;
            return true;
        }
    }
    program.procedures.iter_mut().any(|procedure| {
        remove_one(&mut procedure.requires, number)
            || remove_one(&mut procedure.ensures, number)
            || in_loops(procedure.body.as_deref_mut().unwrap_or_default(), number)
    })
}

fn remove_one<T>(items: &mut Vec<T>, number: &mut usize) -> bool {
    let chosen = (0..items.len()).find(|_| is_next(number));
    if let Some(at) = chosen {
        items.remove(at);
    }
    chosen.is_some()
}

/// Removes an invariant of a loop.
fn in_loops(block: &mut [Statement], number: &mut usize) -> bool {
    let mut done = false;
    visit_block_mut(block, &mut |statement| {
        if let StatementKind::While(_, invariants, _) = &mut statement.kind {
            done = done || remove_one(invariants, number);
        }
    });
    done
}

/// Removes the last constant, function, global or local variable, if nothing uses it.
fn declarations(program: &mut Program, number: &mut usize) -> bool {
    let mut copy = program.clone();
    let text = super::print::print(&mut copy);
    let unused = |name: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        text.split(|c| !is_part(c)).filter(|word| *word == name).count() == 1
    };
    if program.theory.constants.last().is_some_and(|c| unused(&c.name)) && is_next(number) {
        program.theory.constants.pop();
        return true;
    }
    if program.theory.functions.last().is_some_and(|f| unused(&f.name)) && is_next(number) {
        program.theory.functions.pop();
        return true;
    }
    if let Some(last) = program.globals.len().checked_sub(1) {
        let mut candidate = program.clone();
        candidate.procedures.iter_mut().for_each(|p| p.modifies.retain(|&g| g != last));
        let text = super::print::print(&mut candidate);
        let name = &candidate.globals[last].name;
        if text.matches(&name[..]).count() == 1 && is_next(number) {
            candidate.globals.pop();
            *program = candidate;
            return true;
        }
    }
    for procedure in &mut program.procedures {
        let locals = procedure.inputs + procedure.outputs;
        if procedure.variables.len() > locals
            && !uses_local(procedure, procedure.variables.len() - 1)
            && is_next(number)
        {
            procedure.variables.pop();
            return true;
        }
    }
    false
}

/// Whether the procedure uses the variable.
fn uses_local(procedure: &Procedure, local: usize) -> bool {
    let alone = Program {
        dialect: Dialect::Boogie,
        theory: Theory::default(),
        globals: Vec::new(),
        procedures: vec![procedure.clone()],
    };
    let mut found = false;
    for expr in alone.expressions() {
        expr.visit(&mut |inner| {
            found |= inner.kind == ExprKind::Name(Name::Local(local));
        });
    }
    found || writes(procedure.body.as_deref().unwrap_or_default(), Name::Local(local))
}

fn writes(block: &[Statement], name: Name) -> bool {
    let mut found = false;
    visit_block(block, &mut |statement| {
        found |= match &statement.kind {
            StatementKind::Assign(pairs) => pairs.iter().any(|(target, _)| target.name == name),
            StatementKind::Havoc(names) => names.contains(&name),
            StatementKind::Call { results, .. } => results.contains(&name),
            StatementKind::If(..)
            | StatementKind::While(..)
            | StatementKind::Assert(_)
            | StatementKind::AssertValid(_)
            | StatementKind::Assume(_)
            | StatementKind::Goto(_)
            | StatementKind::Label(_)
            | StatementKind::Break
            | StatementKind::Return => false,
        };
    });
    found
}

/// Replaces an expression by a part of it that has the same type.
fn parts(program: &mut Program, number: &mut usize) -> bool {
    program.expressions_mut().into_iter().any(|expr| replace_by_part(expr, number))
}

fn replace_by_part(expr: &mut Expr, number: &mut usize) -> bool {
    for child in 0..expr.children().len() {
        if expr.children()[child].ty == expr.ty && is_next(number) {
            *expr = expr.children()[child].clone();
            return true;
        }
    }
    expr.children_mut().into_iter().any(|child| replace_by_part(child, number))
}

/// Replaces an expression by a literal.
fn expressions(program: &mut Program, number: &mut usize) -> bool {
    program.expressions_mut().into_iter().any(|expr| replace_by_literal(expr, number))
}

fn replace_by_literal(expr: &mut Expr, number: &mut usize) -> bool {
    let literals: Vec<ExprKind> = match expr.ty {
        Type::Bool => vec![ExprKind::Bool(true), ExprKind::Bool(false)],
        Type::Int => vec![ExprKind::Int(0)],
        Type::Real => vec![ExprKind::Real(0)],
        Type::Word(_) => vec![ExprKind::Word(0)],
        Type::Named(_) | Type::Map(..) => Vec::new(),
    };
    let is_literal = matches!(
        expr.kind,
        ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::Word(_)
    );
    if !is_literal {
        for literal in literals {
            if is_next(number) {
                expr.kind = literal;
                return true;
            }
        }
    }
    expr.children_mut().into_iter().any(|child| replace_by_literal(child, number))
}
