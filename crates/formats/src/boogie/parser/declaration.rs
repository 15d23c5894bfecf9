//! Declarations.

use super::super::lexer::{Kind, Token};
use super::super::syntax::*;
use super::{Parser, unsupported};
use crate::Diagnostic;

impl<'a> Parser<'a> {
    pub(super) fn declaration(&mut self, unit: &mut Unit<'a>) -> Result<(), Diagnostic> {
        let Kind::Name(keyword) = self.peek().kind else {
            return Err(self.unexpected("a declaration"));
        };
        match keyword {
            "type" => self.types(unit),
            "const" => self.constants(unit),
            "var" => {
                unit.globals.extend(self.variables()?);
                Ok(())
            }
            "function" => self.function(unit),
            "axiom" => self.axiom(unit),
            "procedure" => self.procedure(unit),
            "implementation" => self.implementation(unit),
            "yield" | "action" | "atomic" | "datatype" | "invariant" => {
                let span = self.peek().span();
                Err(unsupported(&format!("declarations of `{keyword}` are"), span))
            }
            _ => Err(self
                .unexpected("a declaration")
                .with_help("one of type, const, var, function, axiom, procedure, implementation")),
        }
    }

    fn types(&mut self, unit: &mut Unit<'a>) -> Result<(), Diagnostic> {
        self.advance();
        self.attributes()?;
        self.accept_word("finite");
        loop {
            let name = self.name("the name of a type")?;
            let mut parameters = Vec::new();
            while self.is_name() {
                parameters.push(self.name("a parameter")?);
            }
            let synonym = if self.accept("=") { Some(self.ty()?) } else { None };
            unit.types.push(TypeDeclaration { name, parameters, synonym });
            if !self.accept(",") {
                return self.expect(";").map(|_| ());
            }
        }
    }

    fn constants(&mut self, unit: &mut Unit<'a>) -> Result<(), Diagnostic> {
        self.advance();
        self.attributes()?;
        let unique = self.accept_word("unique");
        let bindings = self.bindings_without_where("constants")?;
        if self.is_word("extends") || self.is_symbol("<:") {
            let span = self.peek().span();
            return Err(unsupported("the order of constants (`extends`, `<:`) is", span));
        }
        if !self.uses(unit)? {
            self.expect(";")?;
        }
        unit.constants.extend(bindings.into_iter().map(|binding| Constant { binding, unique }));
        Ok(())
    }

    /// `var x, y: int where x < y, z: bool;`
    pub(super) fn variables(&mut self) -> Result<Vec<Binding<'a>>, Diagnostic> {
        self.advance();
        self.attributes()?;
        let mut all = self.bindings()?;
        while self.accept(",") {
            all.extend(self.bindings()?);
        }
        self.expect(";")?;
        Ok(all)
    }

    /// `x, y: int where x < y`. The constraint is remembered once.
    pub(super) fn bindings(&mut self) -> Result<Vec<Binding<'a>>, Diagnostic> {
        let names = self.separated(|parser| {
            parser.attributes()?;
            parser.name("a name")
        })?;
        self.expect(":")?;
        let ty = self.ty()?;
        let constraint = if self.accept_word("where") { Some(self.expression()?) } else { None };
        Ok(names
            .into_iter()
            .map(|name| Binding { name, ty: ty.clone(), constraint: constraint.clone() })
            .collect())
    }

    /// `x, y: int`, where the language has no `where` clause.
    pub(super) fn bindings_without_where(
        &mut self,
        what: &str,
    ) -> Result<Vec<Binding<'a>>, Diagnostic> {
        let bindings = self.bindings()?;
        refuse_where(&bindings, what)?;
        Ok(bindings)
    }

    /// In parentheses, perhaps none.
    fn parameters(&mut self) -> Result<Vec<Binding<'a>>, Diagnostic> {
        self.expect("(")?;
        let mut all = Vec::new();
        if !self.is_symbol(")") {
            all = self.bindings()?;
            while self.accept(",") {
                all.extend(self.bindings()?);
            }
        }
        self.expect(")")?;
        Ok(all)
    }

    fn function(&mut self, unit: &mut Unit<'a>) -> Result<(), Diagnostic> {
        self.advance();
        let attributes = self.attributes()?;
        let name = self.name("the name of a function")?;
        self.refuse_type_parameters()?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        if !self.is_symbol(")") {
            parameters = self.function_parameters()?;
        }
        self.expect(")")?;
        let result = if self.accept_word("returns") {
            self.expect("(")?;
            let mut results = self.function_parameters()?;
            let closing = self.expect(")")?;
            if results.len() != 1 {
                let span = results[1].ty.span.start..closing.start;
                return Err(Diagnostic::new("a function has one result", span));
            }
            results.remove(0).ty
        } else {
            self.expect(":")?;
            self.ty()?
        };
        let mut body = None;
        if self.accept("{") {
            body = Some(self.expression()?);
            self.expect("}")?;
        }
        let has_uses = self.uses(unit)?;
        if body.is_some() || has_uses {
            self.accept(";");
        } else {
            self.expect(";")?;
        }
        unit.functions.push(FunctionDeclaration { attributes, name, parameters, result, body });
        Ok(())
    }

    fn axiom(&mut self, unit: &mut Unit<'a>) -> Result<(), Diagnostic> {
        self.expect_word("axiom")?;
        self.attributes()?;
        unit.axioms.push(self.expression()?);
        self.expect(";").map(|_| ())
    }

    /// `uses { axiom …; }`: axioms that belong to a function or a constant.
    fn uses(&mut self, unit: &mut Unit<'a>) -> Result<bool, Diagnostic> {
        if !self.accept_word("uses") {
            return Ok(false);
        }
        self.expect("{")?;
        while !self.accept("}") {
            self.axiom(unit)?;
        }
        Ok(true)
    }

    /// Named or not, one by one: in `f(x, y: int)` the parser only learns at the colon
    /// that `x` was not a type.
    fn function_parameters(&mut self) -> Result<Vec<Binding<'a>>, Diagnostic> {
        let mut all: Vec<Binding<'a>> = Vec::new();
        let mut unnamed_from = 0;
        loop {
            self.attributes()?;
            let ty = self.ty()?;
            let empty = Name { text: "", span: ty.span.clone() };
            if self.is_word("where") {
                return Err(misplaced_where("the parameters of functions", self.peek().span()));
            }
            all.push(Binding { name: empty, ty, constraint: None });
            if self.accept(":") {
                let ty = self.ty()?;
                for binding in &mut all[unnamed_from..] {
                    let TypeKind::Named(text, arguments) = &binding.ty.kind else {
                        return Err(Diagnostic::new("a name is expected", binding.ty.span.clone()));
                    };
                    if !arguments.is_empty() {
                        return Err(Diagnostic::new("a name is expected", binding.ty.span.clone()));
                    }
                    binding.name = Name { text, span: binding.ty.span.clone() };
                    binding.ty = ty.clone();
                }
                unnamed_from = all.len();
            }
            if self.is_word("where") {
                return Err(misplaced_where("the parameters of functions", self.peek().span()));
            }
            if !self.accept(",") {
                return Ok(all);
            }
        }
    }

    pub(super) fn refuse_type_parameters(&self) -> Result<(), Diagnostic> {
        if self.is_symbol("<") {
            return Err(unsupported("polymorphism (type parameters) is", self.peek().span()));
        }
        Ok(())
    }

    fn procedure(&mut self, unit: &mut Unit<'a>) -> Result<(), Diagnostic> {
        self.advance();
        let signature = self.signature()?;
        let mut procedure = Procedure {
            signature,
            requires: Vec::new(),
            ensures: Vec::new(),
            modifies: Vec::new(),
        };
        let declared = self.accept(";");
        while self.specification(&mut procedure)? {}
        if !declared {
            let (locals, body) = self.body()?;
            let signature = Signature { attributes: Vec::new(), ..procedure.signature.clone() };
            unit.implementations.push(Implementation { signature, locals, body });
        }
        unit.procedures.push(procedure);
        Ok(())
    }

    fn signature(&mut self) -> Result<Signature<'a>, Diagnostic> {
        let attributes = self.attributes()?;
        let name = self.name("the name of a procedure")?;
        self.refuse_type_parameters()?;
        let inputs = self.parameters()?;
        let outputs = if self.accept_word("returns") { self.parameters()? } else { Vec::new() };
        Ok(Signature { attributes, name, inputs, outputs })
    }

    fn specification(&mut self, procedure: &mut Procedure<'a>) -> Result<bool, Diagnostic> {
        let start = self.peek().start;
        if self.accept_word("modifies") {
            if !self.is_symbol(";") {
                let names = self.separated(|parser| parser.name("a global variable"))?;
                procedure.modifies.extend(names);
            }
            self.expect(";")?;
            return Ok(true);
        }
        let free = self.accept_word("free");
        let clauses = match self.peek().kind {
            Kind::Name("requires") => &mut procedure.requires,
            Kind::Name("ensures") => &mut procedure.ensures,
            _ if free => return Err(self.unexpected("`requires` or `ensures`")),
            _ => return Ok(false),
        };
        clauses.push(self.clause(free, start)?);
        Ok(true)
    }

    /// From the keyword to the semicolon.
    pub(super) fn clause(&mut self, free: bool, start: usize) -> Result<Clause<'a>, Diagnostic> {
        self.advance();
        self.attributes()?;
        let condition = self.expression()?;
        let span = start..condition.span.end;
        self.expect(";")?;
        Ok(Clause { condition, free, span })
    }

    fn implementation(&mut self, unit: &mut Unit<'a>) -> Result<(), Diagnostic> {
        self.advance();
        let signature = self.signature()?;
        for parameters in [&signature.inputs, &signature.outputs] {
            refuse_where(parameters, "the parameters of implementations")?;
        }
        let (locals, body) = self.body()?;
        unit.implementations.push(Implementation { signature, locals, body });
        Ok(())
    }

    fn body(&mut self) -> Result<(Vec<Binding<'a>>, Block<'a>), Diagnostic> {
        self.expect("{")?;
        let mut locals = Vec::new();
        while self.is_word("var") {
            locals.extend(self.variables()?);
        }
        Ok((locals, self.block_rest()?))
    }

    /// All of them, `{:name argument, …}`.
    pub(super) fn attributes(&mut self) -> Result<Vec<Attribute<'a>>, Diagnostic> {
        let mut all = Vec::new();
        while self.is_symbol("{") && self.peek_second() == Kind::Symbol(":") {
            self.advance();
            all.extend(self.attribute_rest()?);
        }
        Ok(all)
    }

    /// Behind the brace; Ultimate puts several attributes between two braces.
    pub(super) fn attribute_rest(&mut self) -> Result<Vec<Attribute<'a>>, Diagnostic> {
        let mut all = Vec::new();
        while self.accept(":") {
            let Token { kind: Kind::Name(name), .. } = self.advance() else {
                self.at -= 1;
                return Err(self.unexpected("the name of an attribute"));
            };
            let mut arguments = Vec::new();
            while !self.is_symbol("}") && !self.is_symbol(":") {
                if let Kind::Text(text) = self.peek().kind {
                    arguments.push(text);
                    self.advance();
                } else {
                    match self.expression()?.kind {
                        ExprKind::Integer(digits) => arguments.push(digits),
                        ExprKind::Bool(true) => arguments.push("true"),
                        ExprKind::Bool(false) => arguments.push("false"),
                        _ => {}
                    }
                }
                if !self.accept(",") {
                    break;
                }
            }
            all.push(Attribute { name, arguments });
        }
        self.expect("}")?;
        Ok(all)
    }
}

/// Only variables and the parameters of procedures have `where` clauses.
fn refuse_where(bindings: &[Binding<'_>], what: &str) -> Result<(), Diagnostic> {
    match bindings.iter().find_map(|binding| binding.constraint.as_ref()) {
        Some(constraint) => Err(misplaced_where(what, constraint.span.clone())),
        None => Ok(()),
    }
}

fn misplaced_where(what: &str, span: Span) -> Diagnostic {
    Diagnostic::new(format!("{what} cannot have a `where` clause"), span)
        .with_help("only variables and parameters of procedures can have one")
}
