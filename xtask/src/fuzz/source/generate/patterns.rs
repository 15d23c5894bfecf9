//! Sequences of statements whose assertions often hold, for a reason.

use super::super::syntax::*;
use super::super::value;
use super::Generator;
use super::statements::{Place, statement};

impl Generator {
    pub(super) fn pattern(&mut self, place: &Place, block: &mut Vec<Statement>) {
        match self.random.below(4) {
            0 | 1 => self.maps_that_agree(place, block),
            2 => self.unchanged(place, block),
            _ => {
                let condition = self.condition(&place.names);
                block.push(statement(StatementKind::Assume(condition.clone())));
                if self.random.chance(50) {
                    let more = self.block(place, 1, 0);
                    block.extend(more);
                }
                block.push(statement(StatementKind::Assert(condition)));
            }
        }
    }

    /// Two maps over a small type that agree at all indices, or at all but one, are equal, also as
    /// elements, as indices and as arguments.
    fn maps_that_agree(&mut self, place: &Place, block: &mut Vec<Statement>) {
        let is_small = |ty: &Type| match ty {
            Type::Map(indices, _) => value::tuples(indices).is_some_and(|all| all.len() <= 4),
            Type::Bool | Type::Int | Type::Real | Type::Word(_) | Type::Named(_) => false,
        };
        let maps: Vec<(Name, Type)> =
            place.writable.iter().filter(|(_, ty)| is_small(ty)).cloned().collect();
        if maps.is_empty() {
            return;
        }
        let (name, ty) = self.random.pick(&maps).clone();
        let Type::Map(indices, element) = &ty else { return };
        let map = Expr::name(name, ty.clone());
        let other = self.expr(&ty, 0, &place.names);
        let tuples = value::tuples(indices).unwrap_or_default();
        let kept = tuples.len() - usize::from(self.random.chance(25));
        let written = self.random.chance(50).then(|| self.expr(element, 0, &place.names));
        let mut copy = map.clone();
        for tuple in &tuples[..kept] {
            let Some(index) = literals(tuple, indices) else { return };
            let read = ExprKind::Select(Box::new(other.clone()), index.clone());
            let read = Expr::new((**element).clone(), read);
            let element = written.clone().unwrap_or(read.clone());
            if written.is_some() {
                let known = Expr::equal(read, element.clone());
                block.push(statement(StatementKind::Assume(known)));
            }
            let store = ExprKind::Store(Box::new(copy), index, Box::new(element));
            copy = Expr::new(ty.clone(), store);
        }
        let target = Target { name, ty: ty.clone(), indices: Vec::new() };
        block.push(statement(StatementKind::Assign(vec![(target, copy)])));
        let equal = self.equal_somewhere(map, other, place);
        block.push(statement(StatementKind::Assert(equal)));
    }

    /// A condition that holds in all states.
    pub(super) fn valid(&mut self, place: &Place) -> Expr {
        let maps: Vec<Type> =
            self.types.iter().filter(|ty| matches!(ty, Type::Map(..))).cloned().collect();
        let divides = self.types.contains(&Type::Int) && self.random.chance(30);
        if divides || maps.is_empty() {
            return self.valid_division(place);
        }
        let ty = self.random.pick(&maps).clone();
        let Type::Map(indices, element) = &ty else { return Expr::bool(true) };
        let [left, right] = [0, 1].map(|depth| self.expr(&ty, depth, &place.names));
        let Some(tuples) = value::tuples(indices).filter(|all| all.len() <= 4) else {
            return self.valid_write(left, indices, element, place);
        };
        let written = self.random.chance(50).then(|| self.expr(element, 0, &place.names));
        let (mut known, mut copy) = (Expr::bool(true), right.clone());
        for tuple in &tuples {
            let Some(index) = literals(tuple, indices) else {
                return self.valid_write(left, indices, element, place);
            };
            let [of_left, of_right] = [&left, &right].map(|map| {
                let read = ExprKind::Select(Box::new(map.clone()), index.clone());
                Expr::new((**element).clone(), read)
            });
            let other = written.clone().unwrap_or(of_right);
            let same = Expr::equal(of_left, other.clone());
            known = Expr::binary(BinaryOp::And, Type::Bool, known, same);
            let store = ExprKind::Store(Box::new(copy), index, Box::new(other));
            copy = Expr::new(ty.clone(), store);
        }
        let right = if written.is_some() { copy } else { right };
        let equal = self.equal_somewhere(left, right, place);
        Expr::binary(BinaryOp::Implies, Type::Bool, known, equal)
    }

    /// An element that is written can be read, and writing what is there changes nothing.
    fn valid_write(&mut self, map: Expr, indices: &[Type], element: &Type, place: &Place) -> Expr {
        let index: Vec<Expr> = indices.iter().map(|i| self.expr(i, 1, &place.names)).collect();
        let read =
            |map: Expr| Expr::new(element.clone(), ExprKind::Select(Box::new(map), index.clone()));
        let unchanged = self.random.chance(50);
        let value = if unchanged { read(map.clone()) } else { self.expr(element, 1, &place.names) };
        let store = ExprKind::Store(Box::new(map.clone()), index.clone(), Box::new(value.clone()));
        let store = Expr::new(map.ty.clone(), store);
        if unchanged {
            return self.equal_somewhere(store, map, place);
        }
        Expr::equal(read(store), value)
    }

    /// `y == 0 || x div y * y + x mod y == x`, or `y == 0 || 0 <= x mod y`.
    fn valid_division(&mut self, place: &Place) -> Expr {
        let [x, y] = [0, 1].map(|_| self.expr(&Type::Int, 1, &place.names));
        let y = if self.random.chance(90) {
            Expr::new(Type::Int, ExprKind::Int(self.random.below(5) as i64 - 2))
        } else {
            y
        };
        let int = |op, left: &Expr, right: &Expr| {
            Expr::binary(op, Type::Int, left.clone(), right.clone())
        };
        let (quotient, rest) = (int(BinaryOp::Divide, &x, &y), int(BinaryOp::Modulo, &x, &y));
        let zero = Expr::new(Type::Int, ExprKind::Int(0));
        let is_zero = Expr::equal(y.clone(), zero.clone());
        let sum = int(BinaryOp::Add, &int(BinaryOp::Multiply, &quotient, &y), &rest);
        let holds = if self.random.chance(70) {
            Expr::equal(sum, x)
        } else {
            Expr::binary(BinaryOp::AtMost, Type::Bool, zero, rest)
        };
        Expr::binary(BinaryOp::Or, Type::Bool, is_zero, holds)
    }

    /// The equality of two values, or of what is made of them in the same way.
    fn equal_somewhere(&mut self, left: Expr, right: Expr, place: &Place) -> Expr {
        let ty = left.ty.clone();
        let mut ways: Vec<Box<dyn Fn(Expr) -> Expr>> = vec![Box::new(|value| value)];
        for (name, outer) in &place.names.names {
            let Type::Map(indices, element) = outer else { continue };
            let map = Expr::name(*name, outer.clone());
            if indices[..] == [ty.clone()] {
                let (map, element) = (map.clone(), (**element).clone());
                ways.push(Box::new(move |index| {
                    Expr::new(element.clone(), ExprKind::Select(Box::new(map.clone()), vec![index]))
                }));
            }
            if **element == ty {
                let index: Vec<Expr> =
                    indices.iter().map(|index| self.expr(index, 0, &place.names)).collect();
                let outer = outer.clone();
                ways.push(Box::new(move |element| {
                    let map = Box::new(map.clone());
                    Expr::new(outer.clone(), ExprKind::Store(map, index.clone(), Box::new(element)))
                }));
            }
        }
        for (number, function) in self.program.theory.functions.iter().enumerate() {
            if function.parameters[..] == [ty.clone()] {
                let result = function.result.clone();
                ways.push(Box::new(move |argument| {
                    Expr::new(result.clone(), ExprKind::Apply(number, vec![argument]))
                }));
            }
        }
        let way = &ways[self.random.below(ways.len())];
        Expr::equal(way(left), way(right))
    }

    /// A global is changed, and asserted to be as before.
    fn unchanged(&mut self, place: &Place, block: &mut Vec<Statement>) {
        let globals: Vec<(Name, Type)> = place
            .writable
            .iter()
            .filter(|(name, _)| matches!(name, Name::Global(_)))
            .cloned()
            .collect();
        if globals.is_empty() {
            return;
        }
        let (name, ty) = self.random.pick(&globals).clone();
        let value = Expr::name(name, ty.clone());
        let old = Expr::new(ty.clone(), ExprKind::Old(Box::new(value.clone())));
        let indices: Vec<Vec<Expr>> = match &ty {
            Type::Map(indices, _) => {
                vec![indices.iter().map(|index| self.expr(index, 0, &place.names)).collect()]
            }
            Type::Bool | Type::Int | Type::Real | Type::Word(_) | Type::Named(_) => Vec::new(),
        };
        let element = match &ty {
            Type::Map(_, element) => (**element).clone(),
            scalar => scalar.clone(),
        };
        let changed = self.expr(&element, 0, &place.names);
        let target = Target { name, ty, indices };
        block.push(statement(StatementKind::Assign(vec![(target, changed)])));
        block.push(statement(StatementKind::Assert(Expr::equal(value, old))));
    }

    /// A loop that counts to a small number.
    pub(super) fn counting(&mut self, place: &Place, block: &mut Vec<Statement>) {
        let integers: Vec<Name> = place
            .writable
            .iter()
            .filter(|(_, ty)| *ty == Type::Int)
            .map(|(name, _)| *name)
            .collect();
        if integers.is_empty() {
            return;
        }
        let name = *self.random.pick(&integers);
        let int = |number: i64| Expr::new(Type::Int, ExprKind::Int(number));
        let counter = Expr::name(name, Type::Int);
        let last = 1 + self.random.below(4) as i64;
        let step = 1 + self.random.below(2) as i64;
        let target = Target { name, ty: Type::Int, indices: Vec::new() };
        let more = Expr::binary(BinaryOp::Add, Type::Int, counter.clone(), int(step));
        let condition = Expr::binary(BinaryOp::Less, Type::Bool, counter.clone(), int(last));
        let known = Expr::binary(BinaryOp::AtMost, Type::Bool, counter.clone(), int(last));
        let known = Clause { condition: known, free: self.random.chance(20), line: 0 };
        let invariants = if self.random.chance(40) { vec![known] } else { Vec::new() };
        let mut body = vec![statement(StatementKind::Assign(vec![(target.clone(), more)]))];
        if self.random.chance(40) {
            body.extend(self.block(place, 1, 0));
        }
        block.push(statement(StatementKind::Assign(vec![(target, int(0))])));
        block.push(statement(StatementKind::While(Some(condition), invariants, body)));
        let at_end = Expr::equal(counter, int(last));
        block.push(statement(StatementKind::Assert(at_end)));
    }
}

/// Expressions for indices, if they can be written down.
fn literals(tuple: &[value::Value], types: &[Type]) -> Option<Vec<Expr>> {
    let literal = |(value, ty): (&value::Value, &Type)| {
        let kind = match value {
            value::Value::Bool(value) => ExprKind::Bool(*value),
            value::Value::Word(_, bits) => ExprKind::Word(*bits),
            value::Value::Int(_)
            | value::Value::Real(_)
            | value::Value::Element(..)
            | value::Value::Map(_) => return None,
        };
        Some(Expr::new(ty.clone(), kind))
    };
    tuple.iter().zip(types).map(literal).collect()
}
