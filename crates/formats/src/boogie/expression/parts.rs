//! Parts of values: elements of maps, fields of structs, bits of words.

use std::ops::Range;
use std::rc::Rc;

use elinvar_ir::program::{Term, Terms};

use super::super::syntax::*;
use super::super::types::{MapType, Type};
use super::{Lowering, Value};
use crate::Diagnostic;

impl<'a> Lowering<'_, 'a> {
    pub(super) fn suffixes(
        &mut self,
        inner: &'a Expr<'a>,
        suffixes: &'a [Suffix<'a>],
    ) -> Result<Value, Diagnostic> {
        let (mut value, suffixes) = match self.printed_part(suffixes) {
            Some((part, rest)) => (part, rest),
            None => (self.value(inner)?, suffixes),
        };
        let mut before = &inner.span;
        for suffix in suffixes {
            value = match &suffix.kind {
                SuffixKind::Select(indices) => self.select(&value, indices, before)?,
                SuffixKind::Store(indices, element) => {
                    let (indices, ty) = self.indices(&value, indices, before)?;
                    let element = self.value_of(element, &ty)?;
                    store(&mut self.scope.terms, &value, &indices, &element)
                }
                SuffixKind::Extract(high, low) => {
                    let width = expect_word(&value.ty, before)?;
                    if low >= high || *high > width {
                        let message = format!("bits [{high}:{low}] are out of range for bv{width}");
                        return Err(Diagnostic::new(message, suffix.span.clone())
                            .with_help("write e[high:low] for the bits low to high-1"));
                    }
                    let term = self.scope.terms.extract(high - 1, *low, value.parts[0]);
                    Value::simple(Type::Word(high - low), term)
                }
                SuffixKind::Field(name) => field(&value, name)?.0,
            };
            before = &suffix.span;
        }
        Ok(value)
    }

    /// The variable that a struct's field became, and the suffixes behind it.
    fn printed_part(&mut self, suffixes: &'a [Suffix<'a>]) -> Option<(Value, &'a [Suffix<'a>])> {
        let source = self.scope.printed?;
        let fields = suffixes.iter().take_while(|s| matches!(s.kind, SuffixKind::Field(_))).count();
        let last = fields.checked_sub(1)?;
        let symbol = self.scope.lookup(None, &source[suffixes[last].span.clone()])?;
        Some((self.read(&symbol.ty, &symbol.parts), &suffixes[fields..]))
    }

    pub fn select(
        &mut self,
        map: &Value,
        indices: &'a [Expr<'a>],
        span: &Span,
    ) -> Result<Value, Diagnostic> {
        let (indices, ty) = self.indices(map, indices, span)?;
        Ok(select(&mut self.scope.terms, map, &indices, ty))
    }

    /// The parts of the indices of a map, and the type of what is there.
    pub fn indices(
        &mut self,
        map: &Value,
        indices: &'a [Expr<'a>],
        span: &Span,
    ) -> Result<(Vec<Term>, Type), Diagnostic> {
        let Type::Map(mut ty) = map.ty.clone() else {
            let message = format!("expected a map, found type {}", map.ty);
            return Err(Diagnostic::new(message, span.clone()));
        };
        while self.scope.printed.is_some()
            && ty.indices.len() < indices.len()
            && let Type::Map(inner) = &ty.element
        {
            let all = ty.indices.iter().chain(&inner.indices).cloned().collect();
            ty = Rc::new(MapType { indices: all, element: inner.element.clone() });
        }
        let (expected, found) = (ty.indices.len(), indices.len());
        if expected != found {
            let all = indices[0].span.start..indices[found - 1].span.end;
            let message = match expected {
                1 => format!("the map expects 1 index, found {found}"),
                _ => format!("the map expects {expected} indices, found {found}"),
            };
            return Err(Diagnostic::new(message, all));
        }
        let mut parts = Vec::new();
        for (index, ty) in indices.iter().zip(&ty.indices) {
            parts.extend(self.value_of(index, ty)?.parts);
        }
        Ok((parts, ty.element.clone()))
    }
}

/// The field of a struct, and where its parts are among those of the struct.
pub(in super::super) fn field(
    value: &Value,
    name: &Name<'_>,
) -> Result<(Value, Range<usize>), Diagnostic> {
    let none = |message| Err(Diagnostic::new(message, name.span.clone()));
    let Type::Struct(fields) = &value.ty else {
        return none(format!("a value of type {} has no fields", value.ty));
    };
    let mut from = 0;
    for (field, ty) in fields.iter() {
        let to = from + ty.part_count();
        if field == name.text {
            let parts = value.parts[from..to].to_vec();
            return Ok((Value { ty: ty.clone(), parts }, from..to));
        }
        from = to;
    }
    none(format!("the type {} has no field `{}`", value.ty, name.text))
}

pub(in super::super) fn equal(terms: &mut Terms, left: &Value, right: &Value) -> Term {
    let parts: Vec<Term> =
        left.parts.iter().zip(&right.parts).map(|(&a, &b)| terms.equal(a, b)).collect();
    terms.and(parts)
}

pub(in super::super) fn select(
    terms: &mut Terms,
    map: &Value,
    indices: &[Term],
    ty: Type,
) -> Value {
    let read = |terms: &mut Terms, part| {
        indices.iter().fold(part, |part, &index| terms.select(part, index))
    };
    let parts = map.parts.iter().map(|&part| read(terms, part)).collect();
    Value { ty, parts }
}

/// The map with another element.
pub(in super::super) fn store(
    terms: &mut Terms,
    map: &Value,
    indices: &[Term],
    element: &Value,
) -> Value {
    let write = |terms: &mut Terms, map, element| {
        // The maps inside maps, down to the one whose element changes.
        let mut maps = vec![map];
        for &index in &indices[..indices.len() - 1] {
            let inner = terms.select(maps[maps.len() - 1], index);
            maps.push(inner);
        }
        maps.into_iter()
            .zip(indices)
            .rev()
            .fold(element, |element, (map, &index)| terms.store(map, index, element))
    };
    let parts = map
        .parts
        .iter()
        .zip(&element.parts)
        .map(|(&map, &element)| write(terms, map, element))
        .collect();
    Value { ty: map.ty.clone(), parts }
}

pub(super) fn expect_word(ty: &Type, span: &Span) -> Result<u32, Diagnostic> {
    match ty {
        Type::Word(width) => Ok(*width),
        _ => Err(Diagnostic::new(format!("expected a bit-vector, found type {ty}"), span.clone())),
    }
}
