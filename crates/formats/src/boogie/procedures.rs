//! Procedures: their parameters, specifications and bodies.

use std::collections::BTreeSet;

use elinvar_ir::program::{AssertionKind, Term, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Note;
use super::expression::{Lowering, Replaceable};
use super::routine::{Routine, routine};
use super::scope::{Frame, Role, Scope, Symbol, insert};
use super::syntax::{
    self, Attribute, Binding, Clause, Implementation, Name, Signature, Span, Unit, attribute,
};
use crate::Diagnostic;

/// The procedure that Ultimate starts with.
const START: &str = "ULTIMATE.start";

/// A procedure, its specification in terms of its own variables.
pub(super) struct Procedure<'a> {
    pub name: &'a str,
    /// Of its name.
    pub span: Span,
    /// `{:entrypoint}`, or the procedure that Ultimate starts with.
    pub is_start: bool,
    /// `{:inline 1}`: its assertions are checked where it is called, and only there.
    pub is_inline: bool,
    /// `{:verify false}`: some body is not verified, and calls know the contract alone.
    pub is_opaque: bool,
    pub frame: Frame<'a>,
    pub inputs: Vec<Symbol>,
    pub outputs: Vec<Symbol>,
    pub contract: Contract,
    /// Its implementations.
    pub routines: Vec<Routine>,
}

/// What a call relies on.
pub(super) struct Contract {
    pub requires: Vec<Specified>,
    pub ensures: Vec<Specified>,
    /// The parts of the globals that the procedure may change.
    pub modifies: BTreeSet<VariableId>,
}

pub(super) struct Specified {
    pub condition: Term,
    pub free: bool,
    pub span: Span,
}

/// A property before it is known whether anything leads to it.
pub(super) struct Draft<'a> {
    pub kind: AssertionKind,
    pub span: Span,
    /// Of a precondition: the procedure that is called.
    pub callee: Option<&'a str>,
}

/// What a body may use and add to.
pub(super) struct Around<'s, 'a> {
    pub scope: &'s mut Scope<'a>,
    pub procedures: &'s [Procedure<'a>],
    /// By name.
    pub numbers: &'s FxHashMap<&'a str, usize>,
    pub drafts: &'s mut Vec<Draft<'a>>,
}

impl Procedure<'_> {
    pub fn input_parts(&self) -> Vec<VariableId> {
        parts(&self.inputs)
    }

    pub fn output_parts(&self) -> Vec<VariableId> {
        parts(&self.outputs)
    }
}

fn parts(symbols: &[Symbol]) -> Vec<VariableId> {
    symbols.iter().flat_map(|symbol| symbol.parts.iter().copied()).collect()
}

/// All procedures with their bodies, and the properties in them.
pub(super) fn procedures<'a>(
    scope: &mut Scope<'a>,
    unit: &'a Unit<'a>,
) -> Result<(Vec<Procedure<'a>>, Vec<Draft<'a>>), Diagnostic> {
    let implemented: FxHashSet<&str> =
        unit.implementations.iter().map(|body| body.signature.name.text).collect();
    let mut numbers = FxHashMap::default();
    let mut procedures = Vec::new();
    for declaration in &unit.procedures {
        let name = &declaration.signature.name;
        insert(&mut numbers, name, procedures.len())?;
        procedures.push(declare(scope, declaration, implemented.contains(name.text))?);
    }
    let mut drafts = Vec::new();
    for implementation in &unit.implementations {
        let Signature { attributes, name: Name { text: name, span }, .. } =
            &implementation.signature;
        let Some(&number) = numbers.get(name) else {
            let message = format!("the procedure `{name}`, which this implements, is not declared");
            return Err(Diagnostic::new(message, span.clone())
                .with_help(format!("declare it: `procedure {name}(…) returns (…);`")));
        };
        let around =
            Around { scope, procedures: &procedures, numbers: &numbers, drafts: &mut drafts };
        let (frame, routine) = body(around, number, implementation)?;
        let procedure = &mut procedures[number];
        procedure.frame.old = frame.old;
        procedure.is_inline |= is_inline(attributes);
        let verify = attribute(attributes, "verify");
        let declared = attribute(&unit.procedures[number].signature.attributes, "verify");
        if verify.or(declared) == Some("false") {
            procedure.is_opaque = true;
            scope.notes.push(Note {
                message: format!("`{}` has {{:verify false}}, so its body is not checked", name),
                span: span.clone(),
            });
        } else {
            procedure.routines.push(routine);
        }
    }
    Ok((procedures, drafts))
}

/// A procedure without its bodies.
fn declare<'a>(
    scope: &mut Scope<'a>,
    declaration: &'a syntax::Procedure<'a>,
    has_body: bool,
) -> Result<Procedure<'a>, Diagnostic> {
    let signature = &declaration.signature;
    let name = signature.name.text;
    let mut frame = Frame::new(name, has_body);
    let inputs = scope.declare_locals(&mut frame, &signature.inputs, Role::Input)?;
    let outputs = scope.declare_locals(&mut frame, &signature.outputs, Role::Output)?;
    constrain(scope, &mut frame, signature.inputs.iter().chain(&signature.outputs))?;
    let mut modifies = BTreeSet::new();
    for name in &declaration.modifies {
        modifies.extend(modified(scope, name)?.parts.iter().copied());
    }
    let requires = specified_all(scope, &mut frame, &declaration.requires, States::One)?;
    let ensures = specified_all(scope, &mut frame, &declaration.ensures, States::Two)?;
    let attributes = &signature.attributes;
    let marked = |name| attribute(attributes, name).is_some_and(|argument| argument != "false");
    Ok(Procedure {
        name,
        span: signature.name.span.clone(),
        is_start: name == START || marked("entrypoint"),
        is_inline: is_inline(attributes),
        is_opaque: attribute(attributes, "verify") == Some("false"),
        frame,
        inputs,
        outputs,
        contract: Contract { requires, ensures, modifies },
        routines: Vec::new(),
    })
}

/// As in Boogie, the attribute has an effect with a positive number only.
fn is_inline(attributes: &[Attribute<'_>]) -> bool {
    let count = attribute(attributes, "inline").unwrap_or_default();
    !count.is_empty()
        && count.bytes().all(|c| c.is_ascii_digit())
        && count.bytes().any(|c| c != b'0')
}

/// Records the `where` clauses, once all names that they may mention are known.
fn constrain<'a>(
    scope: &mut Scope<'a>,
    frame: &mut Frame<'a>,
    bindings: impl Iterator<Item = &'a Binding<'a>>,
) -> Result<(), Diagnostic> {
    for binding in bindings {
        let Some(constraint) = &binding.constraint else { continue };
        let mut lowering = Lowering::in_one_state(scope, frame);
        let condition = lowering.condition(constraint, Replaceable::Neither)?;
        for &part in frame.symbols[binding.name.text].parts.iter() {
            scope.constraints.insert(part, condition);
        }
    }
    Ok(())
}

fn modified<'s, 'a>(scope: &'s Scope<'a>, name: &Name<'a>) -> Result<&'s Symbol, Diagnostic> {
    match scope.symbols.get(name.text) {
        Some(symbol) if symbol.role == Role::Global => Ok(symbol),
        Some(_) | None => {
            let message = format!("there is no global variable `{}`", name.text);
            Err(Diagnostic::new(message, name.span.clone()))
        }
    }
}

/// The states that a clause of a contract can mention.
#[derive(Clone, Copy, PartialEq, Eq)]
enum States {
    /// The state of the call: preconditions.
    One,
    /// Also the state at the entry, with `old`: postconditions.
    Two,
}

fn specified_all<'a>(
    scope: &mut Scope<'a>,
    frame: &mut Frame<'a>,
    clauses: &'a [Clause<'a>],
    states: States,
) -> Result<Vec<Specified>, Diagnostic> {
    let lower = |clause| {
        let lowering = match states {
            States::One => Lowering::in_one_state(scope, frame),
            States::Two => Lowering::in_frame(scope, frame),
        };
        specified(lowering, clause)
    };
    clauses.iter().map(lower).collect()
}

fn specified<'a>(
    mut lowering: Lowering<'_, 'a>,
    clause: &'a Clause<'a>,
) -> Result<Specified, Diagnostic> {
    let condition = lowering.condition(&clause.condition, Replaceable::Neither)?;
    Ok(Specified { condition, free: clause.free, span: clause.span.clone() })
}

fn body<'a>(
    around: Around<'_, 'a>,
    number: usize,
    implementation: &'a Implementation<'a>,
) -> Result<(Frame<'a>, Routine), Diagnostic> {
    let Around { scope, procedures, .. } = around;
    let procedure = &procedures[number];
    let mut frame = Frame::new(procedure.name, true);
    frame.old = procedure.frame.old.clone();
    let Signature { name, inputs, outputs, .. } = &implementation.signature;
    rename(scope, &mut frame, inputs, &procedure.inputs, name)?;
    rename(scope, &mut frame, outputs, &procedure.outputs, name)?;
    let locals = scope.declare_locals(&mut frame, &implementation.locals, Role::Local)?;
    constrain(scope, &mut frame, implementation.locals.iter())?;
    let locals = parts(&locals);
    let routine = routine(Around { scope, ..around }, number, &mut frame, implementation, locals)?;
    Ok((frame, routine))
}

/// An implementation may have its own names for the parameters, but not its own types.
fn rename<'a>(
    scope: &mut Scope<'a>,
    frame: &mut Frame<'a>,
    bindings: &'a [Binding<'a>],
    symbols: &[Symbol],
    implementation: &Name<'a>,
) -> Result<(), Diagnostic> {
    super::expression::expect_count(implementation, symbols.len(), bindings.len())?;
    for (binding, symbol) in bindings.iter().zip(symbols) {
        let ty = scope.types.resolve(&mut scope.terms, &binding.ty)?;
        if ty != symbol.ty {
            let message = format!("the procedure declares type {} here, found {ty}", symbol.ty);
            return Err(Diagnostic::new(message, binding.ty.span.clone()));
        }
        insert(&mut frame.symbols, &binding.name, symbol.clone())?;
    }
    Ok(())
}
