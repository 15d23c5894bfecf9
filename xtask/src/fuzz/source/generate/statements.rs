//! Random statements.

use super::super::syntax::*;
use super::{Generator, Names};

/// Where a statement stands.
pub(super) struct Place {
    /// The procedure.
    pub number: usize,
    pub names: Names,
    /// The variables that it may change.
    pub writable: Vec<(Name, Type)>,
}

pub(super) fn statement(kind: StatementKind) -> Statement {
    Statement { kind, line: 0 }
}

impl Generator {
    pub(super) fn block(&mut self, place: &Place, size: usize, depth: usize) -> Vec<Statement> {
        let mut block = Vec::new();
        while block.len() < size {
            self.statements(place, depth, &mut block);
        }
        block
    }

    /// One statement, or a few that belong together.
    fn statements(&mut self, place: &Place, depth: usize, block: &mut Vec<Statement>) {
        let nested = usize::from(depth > 0);
        let loops = nested * usize::from(self.features.loops);
        let jumps = usize::from(self.features.jumps && depth == 2);
        let weights = [20, 22, 8, 7, 22, 10 * nested, 18 * loops, 14 * jumps, 10, 1, 3 * loops, 9];
        match self.random.weighted(&weights) {
            0 => block.push(self.assertion(place)),
            1 => self.assignment(place, block),
            2 => {
                let condition = self.condition(&place.names);
                block.push(statement(StatementKind::Assume(condition)));
            }
            3 => self.havoc(place, block),
            4 => self.call(place, block),
            5 => {
                let condition = self.guard(place);
                let (size, otherwise) = (1 + self.random.below(2), self.random.chance(50));
                let then = self.block(place, size, depth - 1);
                let otherwise = otherwise.then(|| self.block(place, 1, depth - 1));
                block.push(statement(StatementKind::If(condition, then, otherwise)));
            }
            6 => self.repeat(place, depth, block),
            7 => self.jumps(place, block),
            8 => self.pattern(place, block),
            9 => block.push(statement(StatementKind::Return)),
            10 => self.counting(place, block),
            _ => {
                let valid = self.valid(place);
                block.push(statement(StatementKind::AssertValid(valid)));
            }
        }
    }

    fn guard(&mut self, place: &Place) -> Option<Expr> {
        (!self.random.chance(20)).then(|| self.condition(&place.names))
    }

    pub(super) fn assertion(&mut self, place: &Place) -> Statement {
        let assumed = self.assumed(place);
        let condition = match self.random.weighted(&[50, 20, 15, 25 * assumed.len().min(1)]) {
            0 => self.condition(&place.names),
            1 => {
                let (left, right) = (self.condition(&place.names), self.condition(&place.names));
                Expr::binary(BinaryOp::Implies, Type::Bool, left, right)
            }
            2 => Expr::bool(false),
            _ => self.random.pick(&assumed).clone(),
        };
        statement(StatementKind::Assert(condition))
    }

    /// What is assumed when the procedure is verified: that may not hold where it is called.
    fn assumed(&self, place: &Place) -> Vec<Expr> {
        let procedure = &self.program.procedures[place.number];
        let variables = self.program.globals.iter().chain(&procedure.variables);
        let wheres = variables.filter_map(|variable| variable.constraint.clone());
        let required = procedure.requires.iter().map(|clause| clause.condition.clone());
        wheres.chain(required).collect()
    }

    fn assignment(&mut self, place: &Place, block: &mut Vec<Statement>) {
        if place.writable.is_empty() {
            return;
        }
        let count = 1 + usize::from(self.random.chance(15));
        let mut pairs: Vec<(Target, Expr)> = Vec::new();
        for _ in 0..count {
            let (name, ty) = self.random.pick(&place.writable).clone();
            if pairs.iter().any(|(target, _)| target.name == name) {
                continue;
            }
            let (mut indices, mut element) = (Vec::new(), ty.clone());
            while let Type::Map(index, inner) = &element {
                if self.random.chance(30) {
                    break;
                }
                indices.push(index.iter().map(|i| self.expr(i, 1, &place.names)).collect());
                element = (**inner).clone();
            }
            let value = self.expr(&element, 2, &place.names);
            pairs.push((Target { name, ty, indices }, value));
        }
        let single = pairs.len() == 1 && self.random.chance(15);
        let pair = pairs[0].clone();
        block.push(statement(StatementKind::Assign(pairs)));
        // The value is the one that was assigned, unless it depends on itself.
        if single && pair.0.indices.is_empty() {
            let name = Expr::name(pair.0.name, pair.0.ty);
            block.push(statement(StatementKind::Assert(Expr::equal(name, pair.1))));
        }
    }

    fn havoc(&mut self, place: &Place, block: &mut Vec<Statement>) {
        if place.writable.is_empty() {
            return;
        }
        let mut names = vec![self.random.pick(&place.writable).0];
        let second = self.random.pick(&place.writable).0;
        if self.random.chance(25) && second != names[0] {
            names.push(second);
        }
        block.push(statement(StatementKind::Havoc(names)));
    }

    /// A call of a procedure with a greater number, or of any with recursion.
    fn call(&mut self, place: &Place, block: &mut Vec<Statement>) {
        let caller = &self.program.procedures[place.number];
        let recursive = self.features.recursion && self.random.chance(40);
        let callees: Vec<usize> = (0..self.program.procedures.len())
            .filter(|&callee| {
                let procedure = &self.program.procedures[callee];
                (callee > place.number || (recursive && procedure.attribute.is_none()))
                    && procedure.modifies.iter().all(|global| caller.modifies.contains(global))
            })
            .collect();
        if callees.is_empty() {
            return;
        }
        let callee = *self.random.pick(&callees);
        let procedure = self.program.procedures[callee].clone();
        let (inputs, outputs) = procedure.variables.split_at(procedure.inputs);
        let arguments = inputs.iter().map(|input| self.expr(&input.ty, 1, &place.names)).collect();
        let mut results: Vec<Name> = Vec::new();
        for output in &outputs[..procedure.outputs] {
            let fitting: Vec<Name> = place
                .writable
                .iter()
                .filter(|(name, ty)| *ty == output.ty && !results.contains(name))
                .map(|(name, _)| *name)
                .collect();
            if fitting.is_empty() {
                return;
            }
            results.push(*self.random.pick(&fitting));
        }
        block.push(statement(StatementKind::Call { callee, arguments, results }));
        match self.random.below(5) {
            0 => block.push(self.assertion(place)),
            1 => block.push(statement(StatementKind::Assert(Expr::bool(false)))),
            _ => {}
        }
    }

    fn repeat(&mut self, place: &Place, depth: usize, block: &mut Vec<Statement>) {
        let condition = self.guard(place);
        let invariants = if self.random.chance(45) { self.clauses(&place.names) } else { vec![] };
        let size = 1 + self.random.below(2);
        let mut body = self.block(place, size, depth - 1);
        if self.random.chance(20) {
            let leave = vec![statement(StatementKind::Break)];
            body.push(statement(StatementKind::If(self.guard(place), leave, None)));
        }
        block.push(statement(StatementKind::While(condition, invariants, body)));
    }

    /// `goto` forwards to one of two places, or back to an earlier one.
    fn jumps(&mut self, place: &Place, block: &mut Vec<Statement>) {
        let label = self.labels;
        self.labels += 3;
        let [first, second, end] = [label, label + 1, label + 2];
        if self.random.chance(50) {
            block.push(statement(StatementKind::Goto(vec![first, second])));
            block.push(statement(StatementKind::Label(first)));
            block.extend(self.block(place, 1, 0));
            block.push(statement(StatementKind::Goto(vec![end])));
            block.push(statement(StatementKind::Label(second)));
            block.extend(self.block(place, 1, 0));
            block.push(statement(StatementKind::Label(end)));
        } else {
            block.push(statement(StatementKind::Label(first)));
            block.extend(self.block(place, 1, 0));
            if self.random.chance(50) {
                block.push(statement(StatementKind::Goto(vec![first, second])));
            } else {
                let back = vec![statement(StatementKind::Goto(vec![first]))];
                block.push(statement(StatementKind::If(self.guard(place), back, None)));
            }
            block.push(statement(StatementKind::Label(second)));
        }
    }
}
