//! What names mean: constants, global variables, and the variables of procedures.

use std::collections::BTreeMap;
use std::rc::Rc;

use elinvar_ir::program::{FunctionId, Sort, Term, Terms, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::expression::{Lowering, Replaceable};
use super::functions::Function;
use super::syntax::{Binding, Name, Unit};
use super::types::{Type, Types};
use super::{Dialect, Note};
use crate::Diagnostic;

/// What may be done to a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Constant,
    Global,
    Input,
    Output,
    Local,
}

#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub ty: Type,
    /// One for each part of the value.
    pub parts: Rc<[VariableId]>,
    pub role: Role,
}

/// What all of the program knows.
pub(super) struct Scope<'a> {
    pub terms: Terms,
    pub types: Types<'a>,
    pub symbols: FxHashMap<&'a str, Symbol>,
    pub functions: FxHashMap<&'a str, Function>,
    /// Those of the program, in order.
    pub variables: Vec<VariableId>,
    /// What is known of a variable whenever it gets any value (`where`).
    pub constraints: BTreeMap<VariableId, Term>,
    /// Says whether `/` of integers is a real number or an integer.
    pub dialect: Dialect,
    /// Remarks that are not errors.
    pub notes: Vec<Note>,
    /// An expression that the printer wrote is read: its source. Names are those of
    /// variables, parts of values included, and maps of maps have several indices.
    pub printed: Option<&'a str>,
    /// How often a name is declared in the source.
    declared: FxHashMap<&'a str, usize>,
    /// The names that variables are shown with.
    shown: FxHashSet<String>,
}

/// The symbols that a printed expression may mention.
pub(super) struct Known {
    variables: Vec<(VariableId, String)>,
    functions: Vec<(FunctionId, String)>,
}

impl Known {
    pub fn of(terms: &Terms, variables: &[VariableId]) -> Self {
        let name = |variable: &VariableId| (*variable, terms.name(*variable).to_owned());
        let functions = terms.functions().iter().zip(0..);
        Known {
            variables: variables.iter().map(name).collect(),
            functions: functions.map(|(f, number)| (FunctionId(number), f.name.clone())).collect(),
        }
    }
}

/// The names of one procedure.
#[derive(Clone, Debug)]
pub(super) struct Frame<'a> {
    pub procedure: &'a str,
    /// Is there a body, in which `old` can be written?
    has_body: bool,
    pub symbols: FxHashMap<&'a str, Symbol>,
    /// The values of global variables on entry, where they are asked for.
    pub old: BTreeMap<VariableId, VariableId>,
}

impl<'a> Scope<'a> {
    pub fn new(unit: &'a Unit<'a>, dialect: Dialect, terms: Terms) -> Result<Self, Diagnostic> {
        let mut scope = Scope {
            terms,
            types: Types::new(&unit.types)?,
            symbols: FxHashMap::default(),
            functions: FxHashMap::default(),
            variables: Vec::new(),
            constraints: BTreeMap::new(),
            dialect,
            notes: Vec::new(),
            printed: None,
            declared: count_names(unit),
            shown: FxHashSet::default(),
        };
        for constant in &unit.constants {
            scope.declare_global(&constant.binding, Role::Constant)?;
        }
        for global in &unit.globals {
            scope.declare_global(global, Role::Global)?;
        }
        Ok(scope)
    }

    /// Of a pool, for an expression that the printer wrote.
    pub fn of_pool(terms: Terms, known: &'a Known, source: &'a str) -> Self {
        let mut symbols = FxHashMap::default();
        for (variable, name) in &known.variables {
            let ty = Type::of_sort(terms.variable_sort(*variable));
            let symbol = Symbol { ty, parts: [*variable].into(), role: Role::Constant };
            symbols.insert(&name[..], symbol);
        }
        let mut functions = FxHashMap::default();
        for (function, name) in &known.functions {
            functions.insert(&name[..], Function::of_pool(&terms, *function));
        }
        Scope {
            terms,
            types: Types::default(),
            symbols,
            functions,
            variables: Vec::new(),
            constraints: BTreeMap::new(),
            dialect: Dialect::Ultimate,
            notes: Vec::new(),
            printed: Some(source),
            declared: FxHashMap::default(),
            shown: FxHashSet::default(),
        }
    }

    fn declare_global(&mut self, binding: &'a Binding<'a>, role: Role) -> Result<(), Diagnostic> {
        let symbol = self.symbol(binding, role, None)?;
        insert(&mut self.symbols, &binding.name, symbol)
    }

    /// Declares names in a frame; one that others have too is shown with the procedure.
    pub fn declare_locals(
        &mut self,
        frame: &mut Frame<'a>,
        bindings: &'a [Binding<'a>],
        role: Role,
    ) -> Result<Vec<Symbol>, Diagnostic> {
        let mut symbols = Vec::with_capacity(bindings.len());
        for binding in bindings {
            let symbol = self.symbol(binding, role, Some(frame.procedure))?;
            insert(&mut frame.symbols, &binding.name, symbol.clone())?;
            symbols.push(symbol);
        }
        Ok(symbols)
    }

    fn symbol(
        &mut self,
        binding: &'a Binding<'a>,
        role: Role,
        procedure: Option<&str>,
    ) -> Result<Symbol, Diagnostic> {
        let ty = self.types.resolve(&mut self.terms, &binding.ty)?;
        let name = binding.name.text;
        let name = match procedure {
            Some(procedure) if self.declared.get(name).is_some_and(|&count| count > 1) => {
                format!("{procedure}.{name}")
            }
            _ => name.to_owned(),
        };
        let parts = self.parts(&name, &ty);
        Ok(Symbol { ty, parts, role })
    }

    /// New variables for the parts of a value.
    pub fn parts(&mut self, name: &str, ty: &Type) -> Rc<[VariableId]> {
        let names = ty.part_names();
        ty.sorts()
            .into_iter()
            .zip(names)
            .map(|(sort, part)| self.variable(format!("{name}{part}"), sort))
            .collect()
    }

    /// A new variable of the program, with this name or one like it.
    pub fn variable(&mut self, name: String, sort: Sort) -> VariableId {
        let mut shown = name.clone();
        let mut number = 1;
        while !self.shown.insert(shown.clone()) {
            number += 1;
            shown = format!("{name}#{number}");
        }
        let variable = self.terms.declare(shown, sort);
        self.variables.push(variable);
        variable
    }

    /// The variable that keeps a global's value on entry.
    pub fn old(&mut self, frame: &mut Frame<'a>, global: VariableId) -> VariableId {
        if let Some(&old) = frame.old.get(&global) {
            return old;
        }
        let sort = self.terms.variable_sort(global).clone();
        let mut name = format!("old({})", self.terms.name(global));
        if !frame.has_body || self.shown.contains(&name) {
            name = format!("{}.old.{}", frame.procedure, self.terms.name(global));
        }
        let old = self.variable(name, sort);
        frame.old.insert(global, old);
        old
    }

    /// What is known of variables that get any values, each fact once.
    pub fn constraints_of(&self, variables: &[VariableId]) -> Vec<Term> {
        let mut found: Vec<Term> = variables
            .iter()
            .filter_map(|variable| self.constraints.get(variable).copied())
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    pub fn lookup(&self, frame: Option<&Frame<'a>>, name: &str) -> Option<Symbol> {
        let local = frame.and_then(|frame| frame.symbols.get(name));
        local.or_else(|| self.symbols.get(name)).cloned()
    }
}

impl<'a> Frame<'a> {
    pub fn new(procedure: &'a str, has_body: bool) -> Self {
        Frame { procedure, has_body, symbols: FxHashMap::default(), old: BTreeMap::new() }
    }
}

/// Refuses a second meaning of a name.
pub(super) fn insert<'a, T>(
    map: &mut FxHashMap<&'a str, T>,
    name: &Name<'a>,
    meaning: T,
) -> Result<(), Diagnostic> {
    if map.insert(name.text, meaning).is_some() {
        let message = format!("`{}` is declared twice", name.text);
        return Err(Diagnostic::new(message, name.span.clone()));
    }
    Ok(())
}

fn count_names<'a>(unit: &'a Unit<'a>) -> FxHashMap<&'a str, usize> {
    let mut counts = FxHashMap::default();
    let mut count = |bindings: &mut dyn Iterator<Item = &'a Binding<'a>>| {
        for binding in bindings {
            *counts.entry(binding.name.text).or_insert(0) += 1;
        }
    };
    count(&mut unit.globals.iter());
    count(&mut unit.constants.iter().map(|constant| &constant.binding));
    for procedure in &unit.procedures {
        let signature = &procedure.signature;
        count(&mut signature.inputs.iter().chain(&signature.outputs));
    }
    for implementation in &unit.implementations {
        count(&mut implementation.locals.iter());
    }
    counts
}

/// Remembers the `where` clauses of global variables.
pub(super) fn constrain_globals<'a>(
    scope: &mut Scope<'a>,
    unit: &'a Unit<'a>,
) -> Result<(), Diagnostic> {
    for global in &unit.globals {
        let Some(constraint) = &global.constraint else { continue };
        let condition = Lowering::global(scope).condition(constraint, Replaceable::Neither)?;
        for &part in scope.symbols[global.name.text].parts.iter() {
            scope.constraints.insert(part, condition);
        }
    }
    Ok(())
}
