//! Expressions to terms, with their types checked on the way.

mod operators;
mod parts;

use std::str::FromStr;

use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};
use elinvar_ir::BitVec;
use elinvar_ir::program::{Term, VariableId};

use super::functions::{is_operator, printed};
use super::scope::{Frame, Role, Scope};
use super::syntax::*;
use super::types::Type;
use super::{Dialect, Note};
use crate::{Diagnostic, counted};

pub(super) use parts::{field, select, store};

/// A value of a type, by its parts.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub ty: Type,
    pub parts: Vec<Term>,
}

impl Value {
    fn simple(ty: Type, term: Term) -> Self {
        Value { ty, parts: vec![term] }
    }
}

/// Which quantifiers can be replaced by a variable with any value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Replaceable {
    /// Those of what is assumed.
    Existential,
    /// Those of what is asserted.
    Universal,
    Neither,
}

impl Replaceable {
    fn negated(self) -> Self {
        match self {
            Replaceable::Existential => Replaceable::Universal,
            Replaceable::Universal => Replaceable::Existential,
            Replaceable::Neither => Replaceable::Neither,
        }
    }
}

/// Translates expressions at one place of the program.
pub(super) struct Lowering<'s, 'a> {
    pub scope: &'s mut Scope<'a>,
    frame: Option<&'s mut Frame<'a>>,
    /// May the values of variables be spoken of?
    state: bool,
    /// And those on entry to the procedure, by `old`?
    two_states: bool,
    bound: Vec<(&'a str, Value)>,
    inside_old: bool,
    replaceable: Replaceable,
    /// Variables in place of quantified ones.
    pub chosen: Vec<VariableId>,
}

impl<'s, 'a> Lowering<'s, 'a> {
    /// Inside a procedure, or its specification.
    pub fn in_frame(scope: &'s mut Scope<'a>, frame: &'s mut Frame<'a>) -> Self {
        let mut lowering = Self::stateless(scope);
        lowering.frame = Some(frame);
        lowering.state = true;
        lowering.two_states = true;
        lowering
    }

    /// In preconditions and `where` clauses, which are about one state.
    pub fn in_one_state(scope: &'s mut Scope<'a>, frame: &'s mut Frame<'a>) -> Self {
        let mut lowering = Self::in_frame(scope, frame);
        lowering.two_states = false;
        lowering
    }

    /// Outside of procedures, where globals have values: their constraints.
    pub fn global(scope: &'s mut Scope<'a>) -> Self {
        let mut lowering = Self::stateless(scope);
        lowering.state = true;
        lowering
    }

    /// In axioms and functions, which hold in all states.
    pub fn stateless(scope: &'s mut Scope<'a>) -> Self {
        Lowering {
            scope,
            frame: None,
            state: false,
            two_states: false,
            bound: Vec::new(),
            inside_old: false,
            replaceable: Replaceable::Neither,
            chosen: Vec::new(),
        }
    }

    /// Lets a name stand for parts that are not variables of the program.
    pub fn bind(&mut self, name: &'a str, ty: &Type) -> Vec<Term> {
        let names = ty.part_names();
        let terms = &mut self.scope.terms;
        let parts: Vec<Term> = ty
            .sorts()
            .into_iter()
            .zip(names)
            .map(|(sort, part)| {
                let variable = terms.declare(format!("{name}{part}"), sort);
                terms.variable(variable)
            })
            .collect();
        self.bound.push((name, Value { ty: ty.clone(), parts: parts.clone() }));
        parts
    }

    /// Lets a name stand for variables of the program.
    pub fn bind_variables(&mut self, name: &'a str, ty: &Type) -> Vec<VariableId> {
        let parts = self.scope.parts(name, ty);
        let value = self.read(ty, &parts);
        self.bound.push((name, value));
        parts.to_vec()
    }

    /// A condition, in which some quantifiers may be replaced by variables.
    pub fn condition(
        &mut self,
        expr: &'a Expr<'a>,
        replaceable: Replaceable,
    ) -> Result<Term, Diagnostic> {
        self.replaceable = replaceable;
        let condition = self.bool(expr);
        self.replaceable = Replaceable::Neither;
        condition
    }

    /// The value of an expression that must have this type.
    pub fn value_of(&mut self, expr: &'a Expr<'a>, ty: &Type) -> Result<Value, Diagnostic> {
        let value = self.value(expr);
        if matches!(&value, Ok(value) if value.ty == *ty) {
            return value;
        }
        if let Some(quotient) = self.integer_quotient(expr, ty) {
            return Ok(quotient);
        }
        let value = value?;
        let message = format!("expected type {ty}, found {}", value.ty);
        let mut error = Diagnostic::new(message, expr.span.clone());
        error.help = match (&value.ty, ty) {
            (Type::Int, Type::Real) => Some("convert it with `real(…)`".to_owned()),
            (Type::Real, Type::Int) => Some("convert it with `int(…)`".to_owned()),
            _ => None,
        };
        Err(error)
    }

    /// In Boogie an expression with `/` may have no type where an integer is needed. Older
    /// programs mean the quotient of integers there, as Ultimate does; Boogie itself
    /// refuses them, so that the expression has no other meaning.
    fn integer_quotient(&mut self, expr: &'a Expr<'a>, ty: &Type) -> Option<Value> {
        if *ty != Type::Int || self.scope.dialect != Dialect::Boogie || !expr.divides() {
            return None;
        }
        self.scope.dialect = Dialect::Ultimate;
        let value = self.value(expr);
        self.scope.dialect = Dialect::Boogie;
        let value = value.ok().filter(|value| value.ty == *ty)?;
        let message = "`/` divides integers here, as in Ultimate's dialect".to_owned();
        self.scope.notes.push(Note { message, span: expr.span.clone() });
        Some(value)
    }

    fn term_of(&mut self, expr: &'a Expr<'a>, ty: &Type) -> Result<Term, Diagnostic> {
        Ok(self.value_of(expr, ty)?.parts[0])
    }

    fn bool(&mut self, expr: &'a Expr<'a>) -> Result<Term, Diagnostic> {
        self.term_of(expr, &Type::Bool)
    }

    fn negated_bool(&mut self, expr: &'a Expr<'a>) -> Result<Term, Diagnostic> {
        self.replaceable = self.replaceable.negated();
        let term = self.bool(expr);
        self.replaceable = self.replaceable.negated();
        Ok(self.scope.terms.not(term?))
    }

    /// Where both a condition and its negation count.
    fn neither<T>(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        let before = std::mem::replace(&mut self.replaceable, Replaceable::Neither);
        let result = part(self);
        self.replaceable = before;
        result
    }

    pub fn value(&mut self, expr: &'a Expr<'a>) -> Result<Value, Diagnostic> {
        let terms = &mut self.scope.terms;
        match &expr.kind {
            ExprKind::Name(name) => self.name(name, &expr.span),
            ExprKind::Bool(value) => Ok(Value::simple(Type::Bool, terms.bool(*value))),
            ExprKind::Integer(digits) => {
                let number = IBig::from_str(digits).expect("digits are a number");
                Ok(Value::simple(Type::Int, terms.int(number)))
            }
            ExprKind::Real(number) => Ok(Value::simple(Type::Real, terms.real(number.clone()))),
            ExprKind::Word(digits, width) => self.word(digits, *width, &expr.span),
            ExprKind::Not(inner) => Ok(Value::simple(Type::Bool, self.negated_bool(inner)?)),
            ExprKind::Negate(inner) => self.neither(|lowering| {
                let (ty, term) = lowering.number(inner, "-")?;
                Ok(Value::simple(ty, lowering.scope.terms.negate(term)))
            }),
            ExprKind::Chain(first, rest) => self.chain(first, rest),
            ExprKind::Suffixes(inner, suffixes) => {
                self.neither(|lowering| lowering.suffixes(inner, suffixes))
            }
            ExprKind::Apply(name, arguments) => {
                self.neither(|lowering| lowering.apply(name, arguments))
            }
            ExprKind::Old(inner) => self.old(inner, &expr.span),
            ExprKind::ToInt(inner) => self.neither(|lowering| {
                let real = lowering.term_of(inner, &Type::Real)?;
                Ok(Value::simple(Type::Int, lowering.scope.terms.to_int(real)))
            }),
            ExprKind::ToReal(inner) => self.neither(|lowering| {
                let int = lowering.term_of(inner, &Type::Int)?;
                Ok(Value::simple(Type::Real, lowering.scope.terms.to_real(int)))
            }),
            ExprKind::Choice(branches, otherwise) => self.choice(branches, otherwise),
            ExprKind::Struct(fields) => self.neither(|lowering| lowering.structure(fields)),
            ExprKind::Let(values, body) => self.let_in(values, body),
            ExprKind::Quantified(quantified) => self.quantified(quantified, &expr.span),
        }
    }

    fn name(&mut self, name: &'a str, span: &Span) -> Result<Value, Diagnostic> {
        if let Some((_, value)) = self.bound.iter().rev().find(|(bound, _)| *bound == name) {
            return Ok(value.clone());
        }
        let Some(symbol) = self.scope.lookup(self.frame.as_deref(), name) else {
            return self.printed_name(name).ok_or_else(|| undeclared(name, span));
        };
        if symbol.role != Role::Constant && !self.state {
            let message =
                format!("`{name}` is a variable; axioms and functions can mention only constants");
            return Err(Diagnostic::new(message, span.clone()));
        }
        if symbol.role == Role::Global
            && self.inside_old
            && let Some(frame) = self.frame.as_deref_mut()
        {
            let old: Vec<VariableId> =
                symbol.parts.iter().map(|&part| self.scope.old(frame, part)).collect();
            return Ok(self.read(&symbol.ty, &old));
        }
        Ok(self.read(&symbol.ty, &symbol.parts))
    }

    /// Invariants are printed with longer names where variables of several procedures have
    /// the same one, and with functions without parameters as constants. Both are read, so
    /// that what is printed can be pasted.
    fn printed_name(&mut self, name: &'a str) -> Option<Value> {
        if let Some(frame) = self.frame.as_deref()
            && let Some(own) = name.strip_prefix(frame.procedure)
            && let Some(own) = own.strip_prefix('.')
        {
            if let Some(symbol) = frame.symbols.get(own).cloned() {
                return Some(self.read(&symbol.ty, &symbol.parts));
            }
            let global = self.scope.symbols.get(own.strip_prefix("old.")?).cloned()?;
            if !self.two_states || global.role != Role::Global {
                return None;
            }
            let frame = self.frame.as_deref_mut()?;
            let parts = global.parts.iter();
            let old: Vec<VariableId> = parts.map(|&part| self.scope.old(frame, part)).collect();
            return Some(self.read(&global.ty, &old));
        }
        let scope = &mut *self.scope;
        scope.functions.get(name)?.constant(&mut scope.terms)
    }

    /// The value that variables have.
    pub fn read(&mut self, ty: &Type, variables: &[VariableId]) -> Value {
        let terms = &mut self.scope.terms;
        let parts = variables.iter().map(|&variable| terms.variable(variable)).collect();
        Value { ty: ty.clone(), parts }
    }

    fn word(&mut self, digits: &str, width: u32, span: &Span) -> Result<Value, Diagnostic> {
        let value = UBig::from_str(digits).expect("digits are a number");
        if value.bit_len() > width as usize {
            let message = format!("{digits} needs more than {width} bits");
            return Err(Diagnostic::new(message, span.clone()));
        }
        let word = self.scope.terms.word(BitVec::from_big(width, value));
        Ok(Value::simple(Type::Word(width), word))
    }

    fn apply(
        &mut self,
        name: &'a Name<'a>,
        arguments: &'a [Expr<'a>],
    ) -> Result<Value, Diagnostic> {
        if !self.scope.functions.contains_key(name.text) && is_operator(name.text) {
            return self.operator(name, arguments);
        }
        let Some(function) = self.scope.functions.get(name.text) else {
            let message = format!("the function `{}` is not declared", name.text);
            return Err(Diagnostic::new(message, name.span.clone()));
        };
        let types = function.parameters.clone();
        expect_count(name, types.len(), arguments.len())?;
        let mut parts = Vec::new();
        for (argument, ty) in arguments.iter().zip(&types) {
            parts.extend(self.value_of(argument, ty)?.parts);
        }
        let scope = &mut *self.scope;
        Ok(scope.functions[name.text].apply(&mut scope.terms, parts))
    }

    /// An operator on words that needs no declaration.
    fn operator(
        &mut self,
        name: &'a Name<'a>,
        arguments: &'a [Expr<'a>],
    ) -> Result<Value, Diagnostic> {
        let (mut types, mut parts) = (Vec::new(), Vec::new());
        for argument in arguments {
            let value = self.value(argument)?;
            types.push(value.ty);
            parts.extend(value.parts);
        }
        let Some(function) = printed(name.text, &types) else {
            let shown: Vec<String> = types.iter().map(ToString::to_string).collect();
            let message = format!("`{}` cannot be applied to {}", name.text, shown.join(", "));
            return Err(Diagnostic::new(message, name.span.clone()));
        };
        Ok(function.apply(&mut self.scope.terms, parts))
    }

    fn old(&mut self, inner: &'a Expr<'a>, span: &Span) -> Result<Value, Diagnostic> {
        if let Some(source) = self.scope.printed
            && let Some(symbol) = self.scope.lookup(None, &source[span.clone()])
        {
            return Ok(self.read(&symbol.ty, &symbol.parts));
        }
        if !self.two_states {
            let message = "`old` can be used only in bodies and postconditions";
            return Err(Diagnostic::new(message, span.clone()));
        }
        let before = std::mem::replace(&mut self.inside_old, true);
        let value = self.value(inner);
        self.inside_old = before;
        value
    }

    fn choice(
        &mut self,
        branches: &'a [(Expr<'a>, Expr<'a>)],
        otherwise: &'a Expr<'a>,
    ) -> Result<Value, Diagnostic> {
        let mut values = Vec::new();
        for (condition, value) in branches {
            let condition = self.neither(|lowering| lowering.bool(condition))?;
            let value = match values.first() {
                None => self.value(value)?,
                Some((_, Value { ty, .. })) => {
                    let ty = ty.clone();
                    self.value_of(value, &ty)?
                }
            };
            values.push((condition, value));
        }
        let ty = values[0].1.ty.clone();
        let mut all = self.value_of(otherwise, &ty)?;
        let terms = &mut self.scope.terms;
        for (condition, value) in values.into_iter().rev() {
            for (part, &then) in all.parts.iter_mut().zip(&value.parts) {
                *part = terms.ite(condition, then, *part);
            }
        }
        Ok(all)
    }

    fn let_in(
        &mut self,
        values: &'a [(Name<'a>, Expr<'a>)],
        body: &'a Expr<'a>,
    ) -> Result<Value, Diagnostic> {
        let named = self.neither(|lowering| {
            let value =
                |(name, value): &'a (Name<'a>, Expr<'a>)| Ok((name.text, lowering.value(value)?));
            values.iter().map(value).collect::<Result<Vec<(&'a str, Value)>, Diagnostic>>()
        })?;
        let known = self.bound.len();
        self.bound.extend(named);
        let value = self.value(body);
        self.bound.truncate(known);
        value
    }

    fn structure(&mut self, fields: &'a [(Name<'a>, Expr<'a>)]) -> Result<Value, Diagnostic> {
        let mut types: Vec<(String, Type)> = Vec::new();
        let mut parts = Vec::new();
        for (name, value) in fields {
            if types.iter().any(|(known, _)| known == name.text) {
                let message = format!("the field `{}` is given twice", name.text);
                return Err(Diagnostic::new(message, name.span.clone()));
            }
            let value = self.value(value)?;
            types.push((name.text.to_owned(), value.ty));
            parts.extend(value.parts);
        }
        Ok(Value { ty: Type::Struct(types.into()), parts })
    }

    fn quantified(
        &mut self,
        quantified: &'a Quantified<'a>,
        span: &Span,
    ) -> Result<Value, Diagnostic> {
        let replaceable = match self.replaceable {
            Replaceable::Existential => !quantified.universal,
            Replaceable::Universal => quantified.universal,
            Replaceable::Neither => false,
        };
        if !replaceable {
            let what = if quantified.universal { "`forall`" } else { "`exists`" };
            let message = format!("{what} is not supported here");
            return Err(Diagnostic::new(message, span.clone()).with_help(
                "quantifiers are supported only in axioms, `assume exists` and `assert forall`",
            ));
        }
        let known = self.bound.len();
        for binding in &quantified.bound {
            let ty = self.scope.types.resolve(&mut self.scope.terms, &binding.ty)?;
            let variables = self.bind_variables(binding.name.text, &ty);
            self.chosen.extend(variables);
        }
        let body = self.bool(&quantified.body);
        self.bound.truncate(known);
        Ok(Value::simple(Type::Bool, body?))
    }
}

/// Have a function or a procedure as many arguments as parameters?
pub(super) fn expect_count(
    name: &Name<'_>,
    expected: usize,
    found: usize,
) -> Result<(), Diagnostic> {
    if expected == found {
        return Ok(());
    }
    let message =
        format!("`{}` expects {}, found {found}", name.text, counted(expected, "argument"));
    Err(Diagnostic::new(message, name.span.clone()))
}

pub(super) fn undeclared(name: &str, span: &Span) -> Diagnostic {
    Diagnostic::new(format!("`{name}` is not declared"), span.clone())
}
