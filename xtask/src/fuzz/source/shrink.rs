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

/// Counts down; true at the change that is meant.
fn is_next(number: &mut usize) -> bool {
    if *number == 0 {
        return true;
    }
    *number -= 1;
    false
}

/// Removes a procedure that nobody calls, or its body.
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
    body.unwrap_or_default().iter().any(|statement| match &statement.kind {
        StatementKind::Call { callee: other, .. } => *other == callee,
        StatementKind::If(_, then, otherwise) => {
            calls(Some(then), callee) || calls(otherwise.as_deref(), callee)
        }
        StatementKind::While(_, _, body) => calls(Some(body), callee),
        StatementKind::Assert(_)
        | StatementKind::AssertValid(_)
        | StatementKind::Assume(_)
        | StatementKind::Assign(_)
        | StatementKind::Havoc(_)
        | StatementKind::Goto(_)
        | StatementKind::Label(_)
        | StatementKind::Break
        | StatementKind::Return => false,
    })
}

fn renumber_calls(body: Option<&mut [Statement]>, removed: usize) {
    for statement in body.unwrap_or_default() {
        match &mut statement.kind {
            StatementKind::Call { callee, .. } if *callee > removed => *callee -= 1,
            StatementKind::If(_, then, otherwise) => {
                renumber_calls(Some(then), removed);
                renumber_calls(otherwise.as_deref_mut(), removed);
            }
            StatementKind::While(_, _, body) => renumber_calls(Some(body), removed),
            StatementKind::Call { .. }
            | StatementKind::Assert(_)
            | StatementKind::AssertValid(_)
            | StatementKind::Assume(_)
            | StatementKind::Assign(_)
            | StatementKind::Havoc(_)
            | StatementKind::Goto(_)
            | StatementKind::Label(_)
            | StatementKind::Break
            | StatementKind::Return => {}
        }
    }
}

/// Removes a statement, or puts a block in place of the statement around it.
fn statements(program: &mut Program, number: &mut usize) -> bool {
    let bodies = program.procedures.iter_mut().filter_map(|procedure| procedure.body.as_mut());
    let mut used = Vec::new();
    let mut bodies: Vec<&mut Vec<Statement>> = bodies.collect();
    bodies.iter().for_each(|body| gotos(body, &mut used));
    bodies.iter_mut().any(|body| in_block(body, number, &used, false))
}

/// The labels that are jumped to.
fn gotos(block: &[Statement], used: &mut Vec<u32>) {
    for statement in block {
        match &statement.kind {
            StatementKind::Goto(labels) => used.extend(labels),
            StatementKind::If(_, then, otherwise) => {
                gotos(then, used);
                gotos(otherwise.as_deref().unwrap_or_default(), used);
            }
            StatementKind::While(_, _, body) => gotos(body, used),
            StatementKind::Call { .. }
            | StatementKind::Assert(_)
            | StatementKind::AssertValid(_)
            | StatementKind::Assume(_)
            | StatementKind::Assign(_)
            | StatementKind::Havoc(_)
            | StatementKind::Label(_)
            | StatementKind::Break
            | StatementKind::Return => {}
        }
    }
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
        let inner = match &mut block[at].kind {
            StatementKind::If(_, then, otherwise) => {
                if in_block(then, number, used, within_loop) {
                    return true;
                }
                if let Some(otherwise) = otherwise
                    && in_block(otherwise, number, used, within_loop)
                {
                    return true;
                }
                [&then[..], otherwise.as_deref().unwrap_or_default()].concat()
            }
            StatementKind::While(_, _, body) => {
                if in_block(body, number, used, true) {
                    return true;
                }
                if !within_loop && breaks(body) {
                    continue;
                }
                body.clone()
            }
            StatementKind::Call { .. }
            | StatementKind::Assert(_)
            | StatementKind::AssertValid(_)
            | StatementKind::Assume(_)
            | StatementKind::Assign(_)
            | StatementKind::Havoc(_)
            | StatementKind::Goto(_)
            | StatementKind::Label(_)
            | StatementKind::Break
            | StatementKind::Return => continue,
        };
        if is_next(number) {
            block.splice(at..=at, inner);
            return true;
        }
    }
    false
}

/// Is there a `break` that leaves the block?
fn breaks(block: &[Statement]) -> bool {
    block.iter().any(|statement| match &statement.kind {
        StatementKind::Break => true,
        StatementKind::If(_, then, otherwise) => {
            breaks(then) || otherwise.as_deref().is_some_and(breaks)
        }
        StatementKind::While(..)
        | StatementKind::Call { .. }
        | StatementKind::Assert(_)
        | StatementKind::AssertValid(_)
        | StatementKind::Assume(_)
        | StatementKind::Assign(_)
        | StatementKind::Havoc(_)
        | StatementKind::Goto(_)
        | StatementKind::Label(_)
        | StatementKind::Return => false,
    })
}

/// Removes a clause of a contract or of a loop, a `where` clause, or an axiom.
fn clauses(program: &mut Program, number: &mut usize) -> bool {
    for at in 0..program.axioms.len() {
        if is_next(number) {
            program.axioms.remove(at);
            return true;
        }
    }
    let locals = program.procedures.iter_mut().flat_map(|p| &mut p.variables);
    for variable in program.globals.iter_mut().chain(locals) {
        if variable.constraint.is_some() && is_next(number) {
            variable.constraint = None;
            return true;
        }
    }
    for procedure in &mut program.procedures {
        for clauses in [&mut procedure.requires, &mut procedure.ensures] {
            if remove_clause(clauses, number) {
                return true;
            }
        }
        if in_loops(procedure.body.as_deref_mut().unwrap_or_default(), number) {
            return true;
        }
    }
    false
}

fn remove_clause(clauses: &mut Vec<Clause>, number: &mut usize) -> bool {
    for at in 0..clauses.len() {
        if is_next(number) {
            clauses.remove(at);
            return true;
        }
    }
    false
}

fn in_loops(block: &mut [Statement], number: &mut usize) -> bool {
    block.iter_mut().any(|statement| match &mut statement.kind {
        StatementKind::While(_, invariants, body) => {
            remove_clause(invariants, number) || in_loops(body, number)
        }
        StatementKind::If(_, then, otherwise) => {
            in_loops(then, number) || in_loops(otherwise.as_deref_mut().unwrap_or_default(), number)
        }
        StatementKind::Call { .. }
        | StatementKind::Assert(_)
        | StatementKind::AssertValid(_)
        | StatementKind::Assume(_)
        | StatementKind::Assign(_)
        | StatementKind::Havoc(_)
        | StatementKind::Goto(_)
        | StatementKind::Label(_)
        | StatementKind::Break
        | StatementKind::Return => false,
    })
}

/// Removes the last constant, function, global or local variable, if nothing uses it.
fn declarations(program: &mut Program, number: &mut usize) -> bool {
    let mut copy = program.clone();
    let text = super::print::print(&mut copy);
    let unused = |name: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        text.split(|c| !is_part(c)).filter(|word| *word == name).count() == 1
    };
    if program.constants.last().is_some_and(|c| unused(&c.name)) && is_next(number) {
        program.constants.pop();
        return true;
    }
    if program.functions.last().is_some_and(|f| unused(&f.name)) && is_next(number) {
        program.functions.pop();
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

/// Does the procedure use the variable?
fn uses_local(procedure: &Procedure, local: usize) -> bool {
    let alone = Program {
        dialect: Dialect::Boogie,
        types: 0,
        constants: Vec::new(),
        axioms: Vec::new(),
        globals: Vec::new(),
        functions: Vec::new(),
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
    block.iter().any(|statement| match &statement.kind {
        StatementKind::Assign(pairs) => pairs.iter().any(|(target, _)| target.name == name),
        StatementKind::Havoc(names) => names.contains(&name),
        StatementKind::Call { results, .. } => results.contains(&name),
        StatementKind::If(_, then, otherwise) => {
            writes(then, name) || otherwise.as_deref().is_some_and(|block| writes(block, name))
        }
        StatementKind::While(_, _, body) => writes(body, name),
        StatementKind::Assert(_)
        | StatementKind::AssertValid(_)
        | StatementKind::Assume(_)
        | StatementKind::Goto(_)
        | StatementKind::Label(_)
        | StatementKind::Break
        | StatementKind::Return => false,
    })
}

/// Puts a part in place of an expression that has the same type.
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

/// Puts a literal in place of an expression that is none.
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
