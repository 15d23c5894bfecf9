//! Types.

use super::super::syntax::*;
use super::super::types::word_width;
use super::Parser;
use crate::Diagnostic;

impl<'a> Parser<'a> {
    pub(super) fn ty(&mut self) -> Result<Type<'a>, Diagnostic> {
        self.nested(|parser| parser.type_inside(true))
    }

    /// Arguments of types are taken only where they need no parentheses.
    fn type_inside(&mut self, with_arguments: bool) -> Result<Type<'a>, Diagnostic> {
        let start = self.peek().start;
        if self.accept("(") {
            let ty = self.ty()?;
            self.expect(")")?;
            return Ok(ty);
        }
        let kind = if self.accept("[") {
            let indices = self.separated(Self::ty)?;
            self.expect("]")?;
            TypeKind::Map(indices, Box::new(self.ty()?))
        } else if self.accept("{") {
            let fields = self.fields()?;
            self.expect("}")?;
            TypeKind::Struct(fields)
        } else {
            self.refuse_type_parameters()?;
            let name = self.name("a type")?;
            let mut arguments = Vec::new();
            while with_arguments && !is_built_in(name.text) && self.starts_type() {
                arguments.push(self.nested(|parser| parser.type_inside(false))?);
            }
            TypeKind::Named(name.text, arguments)
        };
        Ok(Type { kind, span: start..self.end() })
    }

    fn starts_type(&self) -> bool {
        let is_clause = ["where", "extends", "uses"].iter().any(|word| self.is_word(word));
        (self.is_name() && !is_clause) || self.is_symbol("(") || self.is_symbol("[")
    }

    /// `base, offset: int, length: int`.
    fn fields(&mut self) -> Result<Vec<(Name<'a>, Type<'a>)>, Diagnostic> {
        let mut fields = Vec::new();
        loop {
            let names = self.separated(|parser| parser.name("a field"))?;
            self.expect(":")?;
            let ty = self.ty()?;
            fields.extend(names.into_iter().map(|name| (name, ty.clone())));
            if !self.accept(",") {
                return Ok(fields);
            }
        }
    }
}

fn is_built_in(name: &str) -> bool {
    matches!(name, "int" | "real" | "bool") || word_width(name).is_some()
}
