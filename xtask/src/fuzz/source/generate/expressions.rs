//! Random expressions of a type.

use super::super::syntax::*;
use super::{Generator, Names};

const COMPARISONS: [BinaryOp; 4] =
    [BinaryOp::Less, BinaryOp::AtMost, BinaryOp::Greater, BinaryOp::AtLeast];

impl Generator {
    /// A condition that is neither too simple nor too large.
    pub(super) fn condition(&mut self, names: &Names) -> Expr {
        if self.random.chance(60) && !names.names.is_empty() {
            let (name, ty) = self.random.pick(&names.names).clone();
            return self.condition_on(name, &ty, names);
        }
        self.expr(&Type::Bool, 2, names)
    }

    /// A condition on this name.
    pub(super) fn condition_on(&mut self, name: Name, ty: &Type, names: &Names) -> Expr {
        let mut left = Expr::name(name, ty.clone());
        while let Type::Map(indices, element) = left.ty.clone() {
            if self.random.chance(15) {
                break;
            }
            let indices = indices.iter().map(|index| self.expr(index, 0, names)).collect();
            left = Expr::new(*element, ExprKind::Select(Box::new(left), indices));
        }
        let right = self.expr(&left.ty.clone(), 1, names);
        let op = match left.ty {
            Type::Bool if self.random.chance(60) => {
                return if self.random.chance(50) { left } else { Expr::not(left) };
            }
            Type::Int | Type::Real if self.random.chance(60) => *self.random.pick(&COMPARISONS),
            _ if self.random.chance(70) => BinaryOp::Equal,
            _ => BinaryOp::Unequal,
        };
        Expr::binary(op, Type::Bool, left, right)
    }

    pub(super) fn expr(&mut self, ty: &Type, depth: usize, names: &Names) -> Expr {
        if depth == 0 || self.random.chance(25) {
            return self.leaf(ty, names);
        }
        if self.random.chance(25)
            && let Some(expr) = self.any(ty, depth - 1, names)
        {
            return expr;
        }
        match ty {
            Type::Bool => self.bool(depth - 1, names),
            Type::Int => self.int(depth - 1, names),
            Type::Real => self.real(depth - 1, names),
            Type::Word(width) => self.word(*width, depth - 1, names),
            Type::Named(_) => self.leaf(ty, names),
            Type::Map(indices, element) => {
                let map = self.boxed(ty, depth - 1, names);
                let indices = indices.iter().map(|index| self.expr(index, 0, names)).collect();
                let element = self.boxed(element, depth - 1, names);
                Expr::new(ty.clone(), ExprKind::Store(map, indices, element))
            }
        }
    }

    fn boxed(&mut self, ty: &Type, depth: usize, names: &Names) -> Box<Expr> {
        Box::new(self.expr(ty, depth, names))
    }

    /// A name or a literal.
    fn leaf(&mut self, ty: &Type, names: &Names) -> Expr {
        let fitting: Vec<Name> =
            names.names.iter().filter(|(_, t)| t == ty).map(|(name, _)| *name).collect();
        let literal = !matches!(ty, Type::Named(_) | Type::Map(..));
        let unnamed = fitting.is_empty() || (literal && self.random.chance(35));
        if !unnamed {
            let name = *self.random.pick(&fitting);
            let expr = Expr::name(name, ty.clone());
            if names.old && matches!(name, Name::Global(_)) && self.random.chance(25) {
                return Expr::new(ty.clone(), ExprKind::Old(Box::new(expr)));
            }
            return expr;
        }
        let kind = match ty {
            Type::Bool => ExprKind::Bool(self.random.chance(50)),
            Type::Int => ExprKind::Int(self.random.below(6) as i64 - 2),
            Type::Real => ExprKind::Real(self.random.below(7) as i64 - 2),
            Type::Word(width) => {
                let ones = (1_u128 << width) - 1;
                let bits = u128::from(self.random.next());
                ExprKind::Word(if self.random.chance(15) { ones } else { bits & ones.min(7) })
            }
            Type::Named(_) | Type::Map(..) => {
                let constants = self.program.theory.constants.iter().position(|c| c.ty == *ty);
                ExprKind::Name(Name::Constant(constants.expect("the type has a constant")))
            }
        };
        Expr::new(ty.clone(), kind)
    }

    /// What every type has: choices, elements of maps and functions.
    fn any(&mut self, ty: &Type, depth: usize, names: &Names) -> Option<Expr> {
        let mut ways: Vec<Way> = vec![Way::Choice];
        let maps = self.types.iter().filter(|map| {
            matches!(map, Type::Map(_, element) if **element == *ty)
                && names.names.iter().any(|(_, t)| t == *map)
        });
        ways.extend(maps.map(|map| Way::Select(map.clone())));
        let functions = self.program.theory.functions.iter().enumerate();
        ways.extend(functions.filter(|(_, f)| f.result == *ty).map(|(at, _)| Way::Apply(at)));
        let kind = match self.random.pick(&ways).clone() {
            Way::Choice if ways.len() > 1 && self.random.chance(50) => return None,
            Way::Choice => ExprKind::Choice(
                self.boxed(&Type::Bool, depth, names),
                self.boxed(ty, depth, names),
                self.boxed(ty, depth, names),
            ),
            Way::Select(map) => {
                let inner = self.boxed(&map, depth, names);
                let Type::Map(indices, _) = &map else { return None };
                let indices = indices.iter().map(|index| self.expr(index, depth, names)).collect();
                ExprKind::Select(inner, indices)
            }
            Way::Apply(function) => {
                let parameters = self.program.theory.functions[function].parameters.clone();
                let arguments = parameters.iter().map(|p| self.expr(p, depth, names)).collect();
                ExprKind::Apply(function, arguments)
            }
        };
        Some(Expr::new(ty.clone(), kind))
    }

    fn bool(&mut self, depth: usize, names: &Names) -> Expr {
        match self.random.weighted(&[40, 20, 25, 15]) {
            0 => {
                let ty = self.ty();
                let (left, right) = (self.expr(&ty, depth, names), self.expr(&ty, depth, names));
                let op = if self.random.chance(70) { BinaryOp::Equal } else { BinaryOp::Unequal };
                Expr::binary(op, Type::Bool, left, right)
            }
            1 => self.comparison(depth, names),
            2 => {
                let op = *self.random.pick(&[
                    BinaryOp::And,
                    BinaryOp::Or,
                    BinaryOp::Implies,
                    BinaryOp::Iff,
                ]);
                let left = self.expr(&Type::Bool, depth, names);
                Expr::binary(op, Type::Bool, left, self.expr(&Type::Bool, depth, names))
            }
            _ => Expr::not(self.expr(&Type::Bool, depth, names)),
        }
    }

    fn comparison(&mut self, depth: usize, names: &Names) -> Expr {
        let ordered: Vec<Type> = self.types.clone();
        let ordered: Vec<&Type> = ordered
            .iter()
            .filter(|ty| matches!(ty, Type::Int | Type::Real | Type::Word(_)))
            .collect();
        let Some(&ty) = (!ordered.is_empty()).then(|| *self.random.pick(&ordered)).as_ref() else {
            return self.leaf(&Type::Bool, names);
        };
        let (left, right) = (self.expr(ty, depth, names), self.expr(ty, depth, names));
        if matches!(ty, Type::Word(_)) {
            let comparisons: Vec<WordOp> =
                WordOp::ALL.into_iter().filter(|op| op.is_comparison()).collect();
            let op = *self.random.pick(&comparisons);
            return Expr::new(Type::Bool, ExprKind::WordOp(op, vec![left, right]));
        }
        Expr::binary(*self.random.pick(&COMPARISONS), Type::Bool, left, right)
    }

    fn int(&mut self, depth: usize, names: &Names) -> Expr {
        let has_reals = self.types.contains(&Type::Real);
        let divides = 40 * usize::from(self.features.division);
        let left = self.boxed(&Type::Int, depth, names);
        let kind =
            match self.random.weighted(&[35, 25, 8, 12, divides, 10 * usize::from(has_reals)]) {
                0 => ExprKind::Binary(BinaryOp::Add, left, self.boxed(&Type::Int, depth, names)),
                1 => {
                    ExprKind::Binary(BinaryOp::Subtract, left, self.boxed(&Type::Int, depth, names))
                }
                2 => ExprKind::Negate(left),
                // A factor is a number, mostly: nonlinear arithmetic takes long.
                3 => {
                    let right = if self.random.chance(90) {
                        Box::new(Expr::new(
                            Type::Int,
                            ExprKind::Int(2 + self.random.below(2) as i64),
                        ))
                    } else {
                        self.boxed(&Type::Int, 0, names)
                    };
                    ExprKind::Binary(BinaryOp::Multiply, left, right)
                }
                4 => {
                    let op =
                        if self.random.chance(50) { BinaryOp::Divide } else { BinaryOp::Modulo };
                    ExprKind::Binary(op, left, self.boxed(&Type::Int, 0, names))
                }
                _ => ExprKind::ToInt(self.boxed(&Type::Real, depth, names)),
            };
        Expr::new(Type::Int, kind)
    }

    fn real(&mut self, depth: usize, names: &Names) -> Expr {
        let has_integers = self.types.contains(&Type::Int);
        let divides = 40 * usize::from(self.features.division);
        // In Boogie's dialect `/` of integers is a real, too.
        let of_integers = 10 * usize::from(has_integers && !self.features.ultimate);
        let left = self.boxed(&Type::Real, depth, names);
        let kind = match self.random.weighted(&[
            35,
            25,
            8,
            divides,
            of_integers,
            15 * usize::from(has_integers),
        ]) {
            0 => ExprKind::Binary(BinaryOp::Add, left, self.boxed(&Type::Real, depth, names)),
            1 => ExprKind::Binary(BinaryOp::Subtract, left, self.boxed(&Type::Real, depth, names)),
            2 => ExprKind::Negate(left),
            3 => ExprKind::Binary(BinaryOp::Quotient, left, self.boxed(&Type::Real, 0, names)),
            4 => ExprKind::Binary(
                BinaryOp::Quotient,
                self.boxed(&Type::Int, depth, names),
                self.boxed(&Type::Int, 0, names),
            ),
            _ => ExprKind::ToReal(self.boxed(&Type::Int, depth, names)),
        };
        Expr::new(Type::Real, kind)
    }

    fn word(&mut self, width: u32, depth: usize, names: &Names) -> Expr {
        let ty = Type::Word(width);
        let kind = match self.random.weighted(&[70, 15, 15]) {
            1 if width > 1 => {
                let low = 1 + self.random.below(width as usize - 1) as u32;
                let high = self.boxed(&Type::Word(width - low), 0, names);
                ExprKind::Concat(high, self.boxed(&Type::Word(low), 0, names))
            }
            2 => {
                let (above, low) = (self.random.below(2) as u32, self.random.below(3) as u32);
                let inner = self.boxed(&Type::Word(width + low + above), depth, names);
                ExprKind::Extract(width + low, low, inner)
            }
            _ => {
                let operators: Vec<WordOp> =
                    WordOp::ALL.into_iter().filter(|op| !op.is_comparison()).collect();
                let mut op = *self.random.pick(&operators);
                // Circuits of wide products and divisions take long.
                if width > 8 {
                    op = *self.random.pick(&[WordOp::Add, WordOp::Subtract, WordOp::Xor]);
                }
                let operands = (0..op.operands()).map(|_| self.expr(&ty, depth, names)).collect();
                ExprKind::WordOp(op, operands)
            }
        };
        Expr::new(ty, kind)
    }
}

#[derive(Clone)]
enum Way {
    Choice,
    Select(Type),
    Apply(usize),
}
