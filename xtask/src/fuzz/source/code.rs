//! Bodies of procedures as lists of instructions, so that `goto`, `break` and `return` are jumps.

use std::collections::BTreeMap;

use super::syntax::*;

/// What a property is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    Assert,
    Requires,
    Ensures,
    InvariantEntry,
    InvariantKept,
}

/// A property, by what it is about and its line: that of the call for a precondition. The number tells
/// apart several preconditions of one call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Property {
    pub kind: Kind,
    pub line: u32,
    pub number: u32,
}

impl Property {
    pub fn at(kind: Kind, line: u32) -> Self {
        Property { kind, line, number: 0 }
    }
}

pub enum Instruction<'p> {
    Check(&'p Expr, Property),
    Assume(&'p Expr),
    Assign(&'p [(Target, Expr)]),
    Havoc(&'p [Name]),
    Call {
        callee: usize,
        arguments: &'p [Expr],
        results: &'p [Name],
        line: u32,
    },
    /// To any of these.
    Jump(Vec<usize>),
    /// To the first place if the condition holds, else to the second.
    Branch(&'p Expr, usize, usize),
    /// A place that a run may come to again.
    Head,
    Return,
}

/// The instructions of a body.
pub fn code(body: &[Statement]) -> Vec<Instruction<'_>> {
    let mut builder = Builder::default();
    builder.block(body);
    builder.code.push(Instruction::Return);
    for (at, labels) in std::mem::take(&mut builder.gotos) {
        let targets = labels.iter().map(|label| builder.labels[label]).collect();
        builder.code[at] = Instruction::Jump(targets);
    }
    builder.code
}

#[derive(Default)]
struct Builder<'p> {
    code: Vec<Instruction<'p>>,
    labels: BTreeMap<u32, usize>,
    gotos: Vec<(usize, &'p [u32])>,
    /// For each loop around: the jumps out of it.
    breaks: Vec<Vec<usize>>,
}

impl<'p> Builder<'p> {
    /// Room for an instruction that is known later.
    fn reserve(&mut self) -> usize {
        self.code.push(Instruction::Head);
        self.code.len() - 1
    }

    fn jump(&mut self, from: usize, to: usize) {
        self.code[from] = Instruction::Jump(vec![to]);
    }

    fn block(&mut self, block: &'p [Statement]) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'p Statement) {
        let line = statement.line;
        let instruction = match &statement.kind {
            StatementKind::Assert(condition) | StatementKind::AssertValid(condition) => {
                Instruction::Check(condition, Property::at(Kind::Assert, line))
            }
            StatementKind::Assume(condition) => Instruction::Assume(condition),
            StatementKind::Assign(pairs) => Instruction::Assign(pairs),
            StatementKind::Havoc(names) => Instruction::Havoc(names),
            StatementKind::Call { callee, arguments, results } => {
                Instruction::Call { callee: *callee, arguments, results, line }
            }
            StatementKind::Return => Instruction::Return,
            StatementKind::Label(label) => {
                self.labels.insert(*label, self.code.len());
                Instruction::Head
            }
            StatementKind::Goto(labels) => {
                self.gotos.push((self.code.len(), labels));
                Instruction::Head
            }
            StatementKind::Break => {
                let at = self.reserve();
                return self.breaks.last_mut().expect("`break` is inside a loop").push(at);
            }
            StatementKind::If(condition, then, otherwise) => {
                return self.choice(condition.as_ref(), then, otherwise.as_deref());
            }
            StatementKind::While(condition, invariants, body) => {
                return self.repeat(condition.as_ref(), invariants, body);
            }
        };
        self.code.push(instruction);
    }

    fn branch(&mut self, at: usize, condition: Option<&'p Expr>, then: usize, otherwise: usize) {
        self.code[at] = match condition {
            Some(condition) => Instruction::Branch(condition, then, otherwise),
            None => Instruction::Jump(vec![then, otherwise]),
        };
    }

    fn choice(
        &mut self,
        condition: Option<&'p Expr>,
        then: &'p [Statement],
        otherwise: Option<&'p [Statement]>,
    ) {
        let branch = self.reserve();
        self.block(then);
        let end = self.reserve();
        self.branch(branch, condition, branch + 1, self.code.len());
        self.block(otherwise.unwrap_or_default());
        self.jump(end, self.code.len());
    }

    fn repeat(
        &mut self,
        condition: Option<&'p Expr>,
        invariants: &'p [Clause],
        body: &'p [Statement],
    ) {
        self.invariants(invariants, Kind::InvariantEntry);
        let head = self.reserve();
        let free = invariants.iter().filter(|clause| clause.free);
        self.code.extend(free.map(|clause| Instruction::Assume(&clause.condition)));
        let branch = self.reserve();
        self.breaks.push(Vec::new());
        self.block(body);
        self.invariants(invariants, Kind::InvariantKept);
        self.code.push(Instruction::Jump(vec![head]));
        let after = self.code.len();
        self.branch(branch, condition, branch + 1, after);
        for at in self.breaks.pop().expect("a loop is open") {
            self.jump(at, after);
        }
    }

    fn invariants(&mut self, invariants: &'p [Clause], kind: Kind) {
        let checked = invariants.iter().filter(|clause| !clause.free);
        self.code.extend(
            checked.map(|clause| {
                Instruction::Check(&clause.condition, Property::at(kind, clause.line))
            }),
        );
    }
}

/// The assertions of a body that hold in all states.
pub fn valid(body: &[Statement]) -> Vec<Property> {
    let mut found = Vec::new();
    visit_block(body, &mut |statement| {
        if let StatementKind::AssertValid(_) = statement.kind {
            found.push(Property::at(Kind::Assert, statement.line));
        }
    });
    found
}
