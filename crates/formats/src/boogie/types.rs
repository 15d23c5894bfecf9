//! Types, and how values of them are made of the sorts of terms.
//!
//! A value has one or more parts, each a term: a struct has those of its fields, and a
//! map whose elements have several parts is several maps. Maps with several indices are
//! maps of maps.

use std::fmt;
use std::rc::Rc;

use elinvar_ir::MAX_WIDTH;
use elinvar_ir::program::{Sort, Terms, TypeId};
use rustc_hash::FxHashMap;

use super::syntax::{self, Span, TypeDeclaration, TypeKind};
use crate::{Diagnostic, counted};

/// Types are small; synonyms can make them very large.
const MAX_WEIGHT: u32 = 1000;
const MAX_SYNONYMS: usize = 100;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Bool,
    Int,
    Real,
    Word(u32),
    Named(TypeId, Rc<str>),
    Map(Rc<MapType>),
    Struct(Rc<[(String, Type)]>),
}

#[derive(PartialEq, Eq, Debug)]
pub(super) struct MapType {
    pub indices: Vec<Type>,
    pub element: Type,
}

impl Type {
    /// The sorts of a value's parts.
    pub fn sorts(&self) -> Vec<Sort> {
        match self {
            Type::Bool => vec![Sort::Bool],
            Type::Int => vec![Sort::Int],
            Type::Real => vec![Sort::Real],
            Type::Word(width) => vec![Sort::Word(*width)],
            Type::Named(id, _) => vec![Sort::Named(*id)],
            Type::Map(map) => {
                let indices: Vec<Sort> = map.indices.iter().flat_map(Type::sorts).collect();
                let curried = |element| {
                    indices.iter().rev().fold(element, |sort, index| Sort::map(index.clone(), sort))
                };
                map.element.sorts().into_iter().map(curried).collect()
            }
            Type::Struct(fields) => fields.iter().flat_map(|(_, ty)| ty.sorts()).collect(),
        }
    }

    /// The type of a value with one part of this sort.
    pub fn of_sort(sort: &Sort) -> Self {
        match sort {
            Sort::Bool => Type::Bool,
            Sort::Int => Type::Int,
            Sort::Real => Type::Real,
            Sort::Word(width) => Type::Word(*width),
            Sort::Named(id) => Type::Named(*id, sort.to_string().into()),
            Sort::Map(sorts) => {
                let indices = vec![Type::of_sort(&sorts.0)];
                Type::Map(Rc::new(MapType { indices, element: Type::of_sort(&sorts.1) }))
            }
        }
    }

    /// What to append to a variable's name for each part.
    pub fn part_names(&self) -> Vec<String> {
        match self {
            Type::Bool | Type::Int | Type::Real | Type::Word(_) | Type::Named(..) => {
                vec![String::new()]
            }
            Type::Map(map) => map.element.part_names(),
            Type::Struct(fields) => fields
                .iter()
                .flat_map(|(name, ty)| {
                    ty.part_names().into_iter().map(move |rest| format!("!{name}{rest}"))
                })
                .collect(),
        }
    }

    /// How many parts a value has.
    pub fn part_count(&self) -> usize {
        match self {
            Type::Bool | Type::Int | Type::Real | Type::Word(_) | Type::Named(..) => 1,
            Type::Map(map) => map.element.part_count(),
            Type::Struct(fields) => fields.iter().map(|(_, ty)| ty.part_count()).sum(),
        }
    }

    fn weight(&self) -> u32 {
        let sum = |types: &mut dyn Iterator<Item = &Type>| {
            types.fold(1, |sum: u32, ty| sum.saturating_add(ty.weight()))
        };
        match self {
            Type::Bool | Type::Int | Type::Real | Type::Word(_) | Type::Named(..) => 1,
            Type::Map(map) => sum(&mut map.indices.iter().chain([&map.element])),
            Type::Struct(fields) => sum(&mut fields.iter().map(|(_, ty)| ty)),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Real => f.write_str("real"),
            Type::Word(width) => write!(f, "bv{width}"),
            Type::Named(_, name) => f.write_str(name),
            Type::Map(map) => {
                let indices: Vec<String> = map.indices.iter().map(Type::to_string).collect();
                write!(f, "[{}]{}", indices.join(", "), map.element)
            }
            Type::Struct(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
                write!(f, "{{ {} }}", fields.join(", "))
            }
        }
    }
}

/// The declared types.
#[derive(Default)]
pub(super) struct Types<'a> {
    declared: FxHashMap<&'a str, &'a TypeDeclaration<'a>>,
    /// Uninterpreted types with their arguments, as they are shown.
    named: FxHashMap<String, TypeId>,
    /// Synonyms that are being looked into.
    open: Vec<&'a str>,
}

impl<'a> Types<'a> {
    pub fn new(declarations: &'a [TypeDeclaration<'a>]) -> Result<Self, Diagnostic> {
        let mut types = Types::default();
        for declaration in declarations {
            let name = &declaration.name;
            if types.declared.insert(name.text, declaration).is_some() {
                let message = format!("the type `{}` is declared twice", name.text);
                return Err(Diagnostic::new(message, name.span.clone()));
            }
        }
        Ok(types)
    }

    pub fn resolve(
        &mut self,
        terms: &mut Terms,
        ty: &'a syntax::Type<'a>,
    ) -> Result<Type, Diagnostic> {
        self.resolve_with(terms, ty, &FxHashMap::default())
    }

    fn resolve_with(
        &mut self,
        terms: &mut Terms,
        ty: &'a syntax::Type<'a>,
        parameters: &FxHashMap<&'a str, Type>,
    ) -> Result<Type, Diagnostic> {
        let resolved = match &ty.kind {
            TypeKind::Named(name, arguments) => {
                let arguments = arguments
                    .iter()
                    .map(|argument| self.resolve_with(terms, argument, parameters))
                    .collect::<Result<Vec<Type>, Diagnostic>>()?;
                self.named(terms, name, arguments, parameters, &ty.span)?
            }
            TypeKind::Map(indices, element) => {
                let indices = indices
                    .iter()
                    .map(|index| self.resolve_with(terms, index, parameters))
                    .collect::<Result<Vec<Type>, Diagnostic>>()?;
                let element = self.resolve_with(terms, element, parameters)?;
                Type::Map(Rc::new(MapType { indices, element }))
            }
            TypeKind::Struct(fields) => {
                let mut resolved: Vec<(String, Type)> = Vec::new();
                for (name, ty) in fields {
                    if resolved.iter().any(|(known, _)| known == name.text) {
                        let message = format!("the field `{}` is declared twice", name.text);
                        return Err(Diagnostic::new(message, name.span.clone()));
                    }
                    let ty = self.resolve_with(terms, ty, parameters)?;
                    resolved.push((name.text.to_owned(), ty));
                }
                Type::Struct(resolved.into())
            }
        };
        if resolved.weight() > MAX_WEIGHT {
            return Err(Diagnostic::new("this type is too large", ty.span.clone()));
        }
        Ok(resolved)
    }

    fn named(
        &mut self,
        terms: &mut Terms,
        name: &'a str,
        arguments: Vec<Type>,
        parameters: &FxHashMap<&'a str, Type>,
        span: &Span,
    ) -> Result<Type, Diagnostic> {
        let built_in = match name {
            "bool" => Some(Type::Bool),
            "int" => Some(Type::Int),
            "real" => Some(Type::Real),
            _ => match word_width(name) {
                Some(digits) => Some(Type::Word(width(digits, span)?)),
                None => parameters.get(name).cloned(),
            },
        };
        let declared = self.declared.get(name).copied();
        let expected = match (&built_in, declared) {
            (Some(_), _) => 0,
            (None, Some(declared)) => declared.parameters.len(),
            (None, None) => {
                let message = format!("the type `{name}` is not declared");
                return Err(Diagnostic::new(message, span.clone()));
            }
        };
        if arguments.len() != expected {
            let found = arguments.len();
            let message = format!(
                "the type `{name}` expects {}, found {found}",
                counted(expected, "argument")
            );
            return Err(Diagnostic::new(message, span.clone()));
        }
        match (built_in, declared) {
            (Some(ty), _) => Ok(ty),
            (None, Some(TypeDeclaration { parameters, synonym: Some(synonym), .. })) => {
                if self.open.contains(&name) || self.open.len() == MAX_SYNONYMS {
                    let message = format!("the type `{name}` is defined in terms of itself");
                    return Err(Diagnostic::new(message, span.clone()));
                }
                self.open.push(name);
                let names = parameters.iter().map(|parameter| parameter.text);
                let resolved = self.resolve_with(terms, synonym, &names.zip(arguments).collect());
                self.open.pop();
                resolved
            }
            (None, _) => {
                let mut shown = name.to_owned();
                for argument in &arguments {
                    shown += &format!(" ({argument})");
                }
                let id = *self
                    .named
                    .entry(shown.clone())
                    .or_insert_with(|| terms.declare_type(shown.clone()));
                Ok(Type::Named(id, shown.into()))
            }
        }
    }
}

/// The digits of a type `bv8`.
pub(super) fn word_width(name: &str) -> Option<&str> {
    let digits = name.strip_prefix("bv")?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

/// A width that words may have.
pub(super) fn width(digits: &str, span: &Span) -> Result<u32, Diagnostic> {
    match digits.parse() {
        Ok(width @ 1..=MAX_WIDTH) => Ok(width),
        _ => Err(Diagnostic::new(
            format!("bit-vectors have between 1 and {MAX_WIDTH} bits; this one has {digits}"),
            span.clone(),
        )),
    }
}
