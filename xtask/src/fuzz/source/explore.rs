//! The oracle: runs of a program, and what they tell about its properties.
//!
//! A procedure is started in every state that satisfies its preconditions, free ones included, and all
//! `where` clauses. At a call, `requires` is checked; `free requires` and the `where` clauses of the
//! parameters are neither checked nor assumed. A body is executed; without one, the results and the
//! modified globals get any values that satisfy the `where` clauses and all postconditions.
//!
//! If a run fails a check that belongs to a procedure it called, the check may be reported there, or the
//! run may go on: a claim says only that not all of the properties that a run fails hold. Where the
//! meaning is debatable, a run is *uncertain*: what it fails is possible, but not claimed. That is so
//! where the callee violates what the caller assumes and nobody checks; such runs go on after the body,
//! or as the contract says. A call that violates what the callee assumes and nobody checks goes on as
//! the contract says, like every call in Boogie; in a run of the whole program it executes the body.
//! The other way is uncertain.
//!
//! If all values are of small types, all runs are tried, states that were seen are not entered again,
//! and properties that no run fails hold. Otherwise there are random runs.

use std::collections::{BTreeSet, HashSet};

use super::choices::Choices;
use super::code::{Instruction, Kind, Property, code, valid};
use super::evaluate::{Chooser, Evaluator, Scope, Tables, TooLarge};
use super::syntax::*;
use super::value::Value;

/// What is known about the properties of a program.
#[derive(Default, Debug)]
pub struct Claims {
    /// Of each of these sets, some property does not hold.
    pub failing: BTreeSet<BTreeSet<Property>>,
    /// The properties that may not hold.
    pub possible: BTreeSet<Property>,
    /// Were all runs tried, so that all other properties hold?
    pub complete: bool,
    /// Properties that hold by themselves, even if not all runs were tried.
    pub valid: BTreeSet<Property>,
}

const MAX_RUNS: usize = 4000;
const RANDOM_RUNS: u64 = 250;
const MAX_STEPS: usize = 300;
const MAX_DEPTH: usize = 6;
/// How often random values are drawn that satisfy conditions.
const ATTEMPTS: usize = 12;

pub fn explore(program: &Program) -> Claims {
    let codes: Vec<_> = program.procedures.iter().map(|p| p.body.as_deref().map(code)).collect();
    let explorer = Explorer { program, codes, whole: whole(program) };
    let bodies = program.procedures.iter().filter_map(|procedure| procedure.body.as_deref());
    let valid = bodies.flat_map(valid).collect();
    let mut claims = Claims { complete: true, valid, ..Claims::default() };
    for entry in explorer.entries() {
        if !explorer.all(entry, &mut claims) {
            claims.complete = false;
            for seed in 0..RANDOM_RUNS {
                let mut choices = Choices::random(program, seed);
                Run::new(&explorer, &mut choices, &mut claims, None).start(entry);
            }
        }
    }
    let wrong = claims.valid.intersection(&claims.possible).next();
    assert!(wrong.is_none(), "{wrong:?} holds by construction, but a run fails it");
    claims
}

/// The procedure that alone is started, if there is one.
fn whole(program: &Program) -> Option<usize> {
    let starts = |p: &Procedure| {
        p.body.is_some() && matches!(p.attribute, Some(Attribute::Entry | Attribute::Start))
    };
    program.procedures.iter().position(starts)
}

struct Explorer<'p> {
    program: &'p Program,
    codes: Vec<Option<Vec<Instruction<'p>>>>,
    whole: Option<usize>,
}

impl Explorer<'_> {
    fn entries(&self) -> Vec<usize> {
        if let Some(entry) = self.whole {
            return vec![entry];
        }
        let verified = |&number: &usize| {
            let procedure = &self.program.procedures[number];
            procedure.body.is_some() && procedure.attribute.is_none()
        };
        (0..self.program.procedures.len()).filter(verified).collect()
    }

    /// Tries all runs. Returns false if there are too many.
    fn all(&self, entry: usize, claims: &mut Claims) -> bool {
        let mut choices = Choices::all(self.program);
        let mut seen = HashSet::new();
        for _ in 0..MAX_RUNS {
            Run::new(self, &mut choices, claims, Some(&mut seen)).start(entry);
            if choices.incomplete {
                return false;
            }
            if !choices.advance() {
                return true;
            }
        }
        false
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct State {
    constants: Vec<Value>,
    globals: Vec<Value>,
    tables: Tables,
    frames: Vec<Frame>,
    /// Properties that failed in procedures that were called.
    failed: BTreeSet<Property>,
    uncertain: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Frame {
    procedure: usize,
    at: usize,
    locals: Vec<Value>,
    /// The globals on entry.
    old: Vec<Value>,
    /// Are checks that fail here reported here?
    checked: bool,
}

/// The end of a run.
enum End {
    /// It goes no further, or it is known how it goes on.
    Here,
    /// It is given up.
    GivenUp,
}

impl From<TooLarge> for End {
    fn from(_: TooLarge) -> Self {
        End::GivenUp
    }
}

struct Run<'r, 'p> {
    explorer: &'r Explorer<'p>,
    choices: &'r mut Choices,
    claims: &'r mut Claims,
    seen: Option<&'r mut HashSet<State>>,
    state: State,
}

impl<'r, 'p> Run<'r, 'p> {
    fn new(
        explorer: &'r Explorer<'p>,
        choices: &'r mut Choices,
        claims: &'r mut Claims,
        seen: Option<&'r mut HashSet<State>>,
    ) -> Self {
        Run { explorer, choices, claims, seen, state: State::default() }
    }

    fn start(mut self, entry: usize) {
        let end: Result<(), End> = self.enter(entry).and_then(|()| {
            for _ in 0..MAX_STEPS {
                self.step()?;
            }
            Err(End::GivenUp)
        });
        if let Err(End::GivenUp) = end {
            self.choices.incomplete = true;
        }
    }

    /// Any state in which the procedure may be started.
    fn enter(&mut self, entry: usize) -> Result<(), End> {
        let program = self.explorer.program;
        let procedure = &program.procedures[entry];
        let wheres = program.globals.iter().chain(&procedure.variables);
        let mut conditions: Vec<&Expr> = program.theory.axioms.iter().collect();
        conditions.extend(wheres.filter_map(|variable| variable.constraint.as_ref()));
        conditions.extend(procedure.requires.iter().map(|clause| &clause.condition));
        self.attempt(|run| {
            run.state = State::default();
            let constants = program.theory.constants.iter().map(|constant| &constant.ty);
            run.state.constants = run.draw(constants);
            run.state.globals = run.draw(program.globals.iter().map(|global| &global.ty));
            let locals = run.draw(procedure.variables.iter().map(|variable| &variable.ty));
            let old = run.state.globals.clone();
            run.state.frames.push(Frame { procedure: entry, at: 0, locals, old, checked: true });
            Ok(run.is_unique() && run.all_hold(&conditions)?)
        })
    }

    fn draw<'t>(&mut self, types: impl Iterator<Item = &'t Type>) -> Vec<Value> {
        let mut drawn: Vec<(&Type, Value)> = Vec::new();
        for ty in types {
            let known: Vec<(&Type, &Value)> = drawn.iter().map(|(ty, v)| (*ty, v)).collect();
            let value = self.choices.value(ty, &known);
            drawn.push((ty, value));
        }
        drawn.into_iter().map(|(_, value)| value).collect()
    }

    /// Makes choices that satisfy a condition; random ones are tried several times.
    fn attempt(
        &mut self,
        mut choose: impl FnMut(&mut Self) -> Result<bool, End>,
    ) -> Result<(), End> {
        let attempts = if self.choices.is_random() { ATTEMPTS } else { 1 };
        for _ in 0..attempts {
            if choose(self)? {
                return Ok(());
            }
        }
        Err(End::Here)
    }

    /// Unique constants of one type are different.
    fn is_unique(&self) -> bool {
        let program = self.explorer.program;
        let unique: Vec<(&Type, &Value)> =
            (program.theory.constants.iter().zip(&self.state.constants))
                .filter(|(constant, _)| constant.unique)
                .map(|(constant, value)| (&constant.ty, value))
                .collect();
        (0..unique.len()).all(|at| !unique[..at].contains(&unique[at]))
    }

    fn frame(&mut self) -> &mut Frame {
        self.state.frames.last_mut().expect("a procedure is executed")
    }

    fn procedure(&self) -> &'p Procedure {
        let frame = self.state.frames.last().expect("a procedure is executed");
        &self.explorer.program.procedures[frame.procedure]
    }

    /// For expressions of the current procedure.
    fn evaluator(&mut self) -> Evaluator<'_, '_> {
        let State { constants, globals, tables, frames, .. } = &mut self.state;
        let Frame { procedure, locals, old, .. } = frames.last().expect("a procedure is executed");
        let program = self.explorer.program;
        let variables = &program.procedures[*procedure].variables;
        let scope = Scope { program, constants, globals, old, variables, locals };
        Evaluator { scope, tables, chooser: self.choices }
    }

    fn holds(&mut self, condition: &Expr) -> Result<bool, End> {
        Ok(self.evaluator().holds(condition)?)
    }

    fn all_hold(&mut self, conditions: &[&Expr]) -> Result<bool, End> {
        for condition in conditions {
            if !self.holds(condition)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn step(&mut self) -> Result<(), End> {
        let explorer = self.explorer;
        let frame = self.frame();
        let at = frame.at;
        frame.at += 1;
        let code = explorer.codes[frame.procedure].as_ref().expect("only bodies are executed");
        match &code[at] {
            Instruction::Check(condition, property) => {
                if !self.holds(condition)? {
                    let checked = self.frame().checked;
                    self.fail(*property, checked)?;
                }
            }
            Instruction::Assume(condition) => {
                if !self.holds(condition)? {
                    return Err(End::Here);
                }
            }
            Instruction::Assign(pairs) => self.assign(pairs)?,
            Instruction::Havoc(names) => self.havoc(names, &[])?,
            Instruction::Call { callee, arguments, results, line } => {
                self.call(*callee, arguments, results, *line)?;
            }
            Instruction::Jump(targets) => {
                let chosen = targets[self.choices.choose(targets.len())];
                self.frame().at = chosen;
            }
            Instruction::Branch(condition, then, otherwise) => {
                let target = if self.holds(condition)? { *then } else { *otherwise };
                self.frame().at = target;
            }
            Instruction::Head => self.remember()?,
            Instruction::Return => self.leave()?,
        }
        Ok(())
    }

    /// Ends the run if an earlier one was in the same state.
    fn remember(&mut self) -> Result<(), End> {
        if self.choices.is_fresh()
            && let Some(seen) = &mut self.seen
            && !seen.insert(self.state.clone())
        {
            return Err(End::Here);
        }
        Ok(())
    }

    /// A check fails.
    fn fail(&mut self, property: Property, checked: bool) -> Result<(), End> {
        self.claims.possible.insert(property);
        self.state.failed.insert(property);
        if !checked {
            return Ok(());
        }
        if !self.state.uncertain {
            self.claims.failing.insert(self.state.failed.clone());
        }
        Err(End::Here)
    }

    fn assign(&mut self, pairs: &[(Target, Expr)]) -> Result<(), End> {
        let mut after = Vec::new();
        for (target, value) in pairs {
            let mut evaluator = self.evaluator();
            let mut indices = Vec::new();
            for tuple in &target.indices {
                indices.push(evaluator.values(tuple)?);
            }
            let element = evaluator.value(value)?;
            let before = evaluator.value(&Expr::name(target.name, target.ty.clone()))?;
            after.push((target.name, updated(before, &indices, element)));
        }
        after.into_iter().for_each(|(name, value)| self.set(name, value));
        Ok(())
    }

    fn set(&mut self, name: Name, value: Value) {
        match name {
            Name::Global(number) => self.state.globals[number] = value,
            Name::Local(number) => self.frame().locals[number] = value,
            Name::Constant(_) | Name::Parameter(_) => unreachable!("only variables are assigned"),
        }
    }

    /// Any values that satisfy the `where` clauses and these conditions.
    fn havoc(&mut self, names: &[Name], conditions: &[&Expr]) -> Result<(), End> {
        let (program, procedure) = (self.explorer.program, self.procedure());
        let variable = |name: Name| match name {
            Name::Global(number) => &program.globals[number],
            Name::Local(number) => &procedure.variables[number],
            Name::Constant(_) | Name::Parameter(_) => unreachable!("only variables are changed"),
        };
        let mut all: Vec<&Expr> =
            names.iter().filter_map(|&name| variable(name).constraint.as_ref()).collect();
        all.extend(conditions);
        let tables = self.state.tables.clone();
        self.attempt(|run| {
            run.state.tables.clone_from(&tables);
            for &name in names {
                let ty = &variable(name).ty;
                let known = run.evaluator().scope.known().into_iter();
                let known: Vec<(Type, Value)> =
                    known.map(|(t, v)| (t.clone(), v.clone())).collect();
                let known: Vec<(&Type, &Value)> = known.iter().map(|(t, v)| (t, v)).collect();
                let value = run.choices.value(ty, &known);
                run.set(name, value);
            }
            run.all_hold(&all)
        })
    }

    fn call(
        &mut self,
        callee: usize,
        arguments: &[Expr],
        results: &[Name],
        line: u32,
    ) -> Result<(), End> {
        if self.state.frames.len() == MAX_DEPTH {
            return Err(End::GivenUp);
        }
        let procedure = &self.explorer.program.procedures[callee];
        let mut locals = self.evaluator().values(arguments)?;
        locals.extend(procedure.variables[procedure.inputs..].iter().map(|v| Value::zero(&v.ty)));
        let old = self.state.globals.clone();
        let reported = self.frame().checked;
        let inlined = procedure.attribute == Some(Attribute::Inline);
        let checked = reported && (self.explorer.whole.is_some() || inlined);
        self.state.frames.push(Frame { procedure: callee, at: 0, locals, old, checked });
        let required = procedure.requires.iter().filter(|clause| !clause.free);
        for (clause, number) in required.zip(0..) {
            if !self.holds(&clause.condition)? {
                self.fail(Property { kind: Kind::Requires, line, number }, reported)?;
            }
        }
        if procedure.body.is_none() || procedure.attribute == Some(Attribute::Unverified) {
            return self.by_contract(procedure, results);
        }
        let doubt = self.doubt_entry(procedure)?;
        let modular = self.explorer.whole.is_none() && !inlined;
        if doubt && self.choices.choose(2) == 1 {
            self.state.uncertain |= !modular;
            return self.by_contract(procedure, results);
        }
        // Boogie assumes what is free where it inlines.
        self.state.uncertain |= doubt && (inlined || modular);
        let fresh = procedure.inputs..procedure.variables.len();
        let fresh: Vec<Name> = fresh.map(Name::Local).collect();
        self.havoc(&fresh, &[])?;
        self.remember()
    }

    /// Leaves the procedure with any results and globals that its contract allows.
    fn by_contract(&mut self, procedure: &Procedure, results: &[Name]) -> Result<(), End> {
        let modified = procedure.modifies.iter().map(|&global| Name::Global(global));
        let changed: Vec<Name> =
            modified.chain(procedure.output_range().map(Name::Local)).collect();
        let ensured: Vec<&Expr> = procedure.ensures.iter().map(|c| &c.condition).collect();
        self.havoc(&changed, &ensured)?;
        self.pop(results);
        Ok(())
    }

    /// Is something violated that the callee assumes, and that no call checks?
    fn doubt_entry(&mut self, procedure: &Procedure) -> Result<bool, End> {
        let globals = self.explorer.program.globals.iter();
        let inputs = &procedure.variables[..procedure.inputs];
        let mut assumed: Vec<&Expr> =
            globals.chain(inputs).filter_map(|variable| variable.constraint.as_ref()).collect();
        let free = procedure.requires.iter().filter(|clause| clause.free);
        assumed.extend(free.map(|clause| &clause.condition));
        Ok(!self.all_hold(&assumed)?)
    }

    /// Is something violated that a caller assumes, and that no body checks?
    fn doubt_exit(&mut self, procedure: &Procedure) -> Result<bool, End> {
        let globals = &self.explorer.program.globals;
        let modified = procedure.modifies.iter().map(|&global| &globals[global]);
        let outputs = &procedure.variables[procedure.output_range()];
        let mut assumed: Vec<&Expr> =
            modified.chain(outputs).filter_map(|variable| variable.constraint.as_ref()).collect();
        let free = procedure.ensures.iter().filter(|clause| clause.free);
        assumed.extend(free.map(|clause| &clause.condition));
        Ok(!self.all_hold(&assumed)?)
    }

    fn leave(&mut self) -> Result<(), End> {
        let procedure = self.procedure();
        let checked = self.frame().checked;
        for clause in procedure.ensures.iter().filter(|clause| !clause.free) {
            if !self.holds(&clause.condition)? {
                self.fail(Property::at(Kind::Ensures, clause.line), checked)?;
            }
        }
        if self.state.frames.len() == 1 {
            return Err(End::Here);
        }
        let results = self.results();
        if self.doubt_exit(procedure)? {
            self.state.uncertain = true;
            if self.choices.choose(2) == 1 {
                return self.by_contract(procedure, results);
            }
        }
        self.pop(results);
        Ok(())
    }

    /// What the results of the current procedure are assigned to.
    fn results(&self) -> &'r [Name] {
        let caller = &self.state.frames[self.state.frames.len() - 2];
        let code = self.explorer.codes[caller.procedure].as_ref().expect("callers have bodies");
        match &code[caller.at - 1] {
            Instruction::Call { results, .. } => results,
            _ => unreachable!("a caller is behind a call"),
        }
    }

    /// Goes back to the caller.
    fn pop(&mut self, results: &[Name]) {
        let outputs = self.procedure().output_range();
        let frame = self.state.frames.pop().expect("a procedure is executed");
        for (&name, value) in results.iter().zip(&frame.locals[outputs]) {
            self.set(name, value.clone());
        }
    }
}

/// The value with another element at nested indices.
fn updated(value: Value, indices: &[Vec<Value>], element: Value) -> Value {
    let Some((index, rest)) = indices.split_first() else { return element };
    let Value::Map(mut map) = value else { unreachable!("a map is written") };
    let inner = updated(map.read(index), rest, element);
    std::rc::Rc::make_mut(&mut map).write(index.clone(), inner);
    Value::Map(map)
}
