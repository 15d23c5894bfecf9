//! The way back from a lowered program: runs of the program, and invariants at locations.
//!
//! **Traces.** A step of the system is a block of the program. From the values of registers
//! and inputs follows which block is taken and which of its paths; the path is the run.
//!
//! **Proofs.** An invariant Inv(pc, x) of the system gives Inv(ℓ, x) at each location ℓ that
//! the blocks keep. Variables that are dead at ℓ are zero there, so they are replaced by
//! zero, and what is left is about the program's variables alone. It is inductive from one
//! kept location to the next because a block is a step. `simplify`, `clauses` and `translate`
//! turn it into terms.
//!
//! Limits: k-inductive proofs and formulas over inputs are not about states at locations.

use std::collections::BTreeMap;
use std::sync::Arc;

use elinvar_ir::program::{
    Block, Blocks, ByZero, FunctionValue, Invariants, LocationId, Program, ProgramTrace, Sort,
    Term, Terms, Value, VariableId, Word, evaluate,
};
use elinvar_ir::{
    BitVec, Certificate, Expr, ExprId, Fact, Formula, Pool, Role, StateBit, Step, Trace,
    TransitionSystem, Value as SystemValue, cone, import, substitute,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::clauses::{Clause, Literal, to_terms};
use super::simplify::{conjuncts, simplify};
use super::translate::Translation;
use crate::lift::{Inexpressible, Lift};

/// Maps evidence about a lowered program to the program.
#[derive(Clone, Debug)]
pub struct ProgramLift {
    pub(super) program: Arc<Program>,
    pub(super) blocks: Blocks,
    /// What the program counter says at each location.
    pub(super) codes: BTreeMap<LocationId, BitVec>,
    pub(super) registers: Vec<Register>,
    pub(super) inputs: Vec<InputRole>,
}

/// A register of the system.
#[derive(Clone, Debug)]
pub(super) struct Register {
    pub symbol: ExprId,
    pub width: u32,
    /// Its variable; none for the program counter.
    pub variable: Option<VariableId>,
}

/// What an input of the system decides.
#[derive(Clone, Copy, Debug)]
pub(super) enum InputRole {
    /// The value of an input of a block.
    Value(VariableId),
    /// Whether the block with this number, among those that leave a location, is taken.
    Choice(usize),
}

impl Lift for ProgramLift {
    type From = TransitionSystem;
    type To = Program;

    fn trace(&self, trace: Trace) -> ProgramTrace {
        let mut values: FxHashMap<VariableId, Value> = FxHashMap::default();
        for (register, value) in self.registers.iter().zip(&trace.initial) {
            if let Some(variable) = register.variable {
                values.insert(variable, self.value(variable, value));
            }
        }
        let zero = |v: &VariableId| Value::zero(self.program.terms.variable_sort(*v));
        let variables = self.program.variables.iter();
        let initial =
            variables.map(|v| values.get(v).cloned().unwrap_or_else(|| zero(v))).collect();
        let error = self.program.property(trace.property).error;
        let (mut at, mut steps) = (self.blocks.entry, Vec::new());
        for step in &trace.steps {
            if at == error {
                break;
            }
            let choices = self.enter(step, &mut values);
            let Some(block) = self.taken(at, &choices, &values) else { break };
            let holds = |term| self.holds(term, &values);
            steps.extend(block.path(&self.program, holds, |input| values.get(&input).cloned()));
            let update = block.update.iter().map(|(&v, &term)| (v, self.evaluate(term, &values)));
            let update: Vec<(VariableId, Value)> = update.collect();
            values.extend(update);
            at = block.to;
        }
        let functions = self.program.terms.functions().iter();
        let functions = functions.map(|f| FunctionValue::constant(Value::zero(&f.result)));
        ProgramTrace {
            property: trace.property,
            initial,
            functions: functions.collect(),
            by_zero: ByZero::default(),
            steps,
        }
    }

    fn proof(&self, proof: Certificate) -> Result<Invariants, Inexpressible> {
        match proof {
            Certificate::Inductive { clauses } => Ok(self.of_clauses(&clauses)),
            Certificate::Facts { clauses } => self.of_facts(&clauses),
            Certificate::Formula(formula) => self.of_formula(&formula),
            Certificate::Ranking(_) => Err(Inexpressible::liveness()),
            Certificate::KInductive { k, .. } => Err(Inexpressible(format!(
                "a {k}-inductive proof is about paths, not about states at locations"
            ))),
        }
    }
}

/// The way back for traces.
impl ProgramLift {
    /// Enters the values of the inputs, and returns which choices are made.
    fn enter(&self, step: &Step, values: &mut FxHashMap<VariableId, Value>) -> Vec<bool> {
        let mut choices = Vec::new();
        for (role, value) in self.inputs.iter().zip(step.inputs.iter()) {
            match *role {
                InputRole::Value(variable) => {
                    values.insert(variable, self.value(variable, value));
                }
                InputRole::Choice(number) => {
                    choices.resize(choices.len().max(number + 1), false);
                    choices[number] = value.bv().is_true();
                }
            }
        }
        choices
    }

    /// The block that is taken: the first one whose guard holds that is chosen, or after
    /// which no other can be taken.
    fn taken(
        &self,
        at: LocationId,
        choices: &[bool],
        values: &FxHashMap<VariableId, Value>,
    ) -> Option<&Block> {
        let leaving = self.blocks.blocks.iter().filter(|block| block.from == at).enumerate();
        let mut possible = leaving.filter(|(_, block)| self.holds(block.guard, values)).peekable();
        while let Some((number, block)) = possible.next() {
            if choices.get(number).copied().unwrap_or(false) || possible.peek().is_none() {
                return Some(block);
            }
        }
        None
    }

    fn holds(&self, term: Term, values: &FxHashMap<VariableId, Value>) -> bool {
        self.evaluate(term, values) == Value::Bool(true)
    }

    fn evaluate(&self, term: Term, values: &FxHashMap<VariableId, Value>) -> Value {
        let terms = &self.blocks.terms;
        let zero = |v: VariableId| Value::zero(terms.variable_sort(v));
        let variable = |v: VariableId| values.get(&v).cloned().unwrap_or_else(|| zero(v));
        let function = |f, _: &[Value]| Value::zero(&terms.function(f).result);
        let value = evaluate(terms, term, variable, function, &ByZero::default());
        value.expect("words do not grow")
    }

    fn value(&self, variable: VariableId, value: &SystemValue) -> Value {
        match self.blocks.terms.variable_sort(variable) {
            Sort::Bool => Value::Bool(value.bv().is_true()),
            Sort::Word(_) => Value::Word(Word(value.bv().clone())),
            sort @ (Sort::Int | Sort::Real | Sort::Named(_) | Sort::Map(_)) => {
                unreachable!("a variable of type {sort} has no register")
            }
        }
    }
}

/// The way back for proofs.
impl ProgramLift {
    fn of_clauses(&self, clauses: &[Vec<StateBit>]) -> Invariants {
        let numbers = self.registers.iter().enumerate().map(|(number, r)| (r.symbol, number));
        let numbers: FxHashMap<ExprId, usize> = numbers.collect();
        let mut terms = self.program.terms.clone();
        let mut at = BTreeMap::new();
        for location in self.inner_locations() {
            let known = self.known(location);
            let here = clauses.iter().filter_map(|clause| {
                let mut left: Clause = Vec::new();
                for literal in clause {
                    let number = numbers[&literal.state];
                    match (&known[number], self.registers[number].variable) {
                        (Some(value), _) if value.bit(literal.bit) == literal.positive => {
                            return None;
                        }
                        (None, Some(variable)) => left.push(Literal {
                            variable,
                            bit: literal.bit,
                            positive: literal.positive,
                        }),
                        (Some(_), _) | (None, None) => {}
                    }
                }
                Some(left)
            });
            at.insert(location, to_terms(&mut terms, here.collect()));
        }
        Invariants { terms: Arc::new(terms), at }
    }

    fn of_facts(&self, clauses: &[Vec<Fact>]) -> Result<Invariants, Inexpressible> {
        let mut sketch = self.sketch();
        let numbers = self.registers.iter().enumerate().map(|(number, r)| (r.symbol, number));
        let numbers: FxHashMap<ExprId, usize> = numbers.collect();
        let mut conjuncts = Vec::new();
        for clause in clauses {
            let mut facts = Vec::new();
            for fact in clause {
                let fact = fact.rename(|state| sketch.symbols[numbers[&state]]);
                let expr = fact.to_expr(&mut sketch.pool);
                facts.push(expr.map_err(|why| Inexpressible(why.to_string()))?);
            }
            conjuncts.push(sketch.pool.disjoin(facts).expect("facts are bits"));
        }
        self.of_exprs(sketch, &conjuncts)
    }

    fn of_formula(&self, formula: &Formula) -> Result<Invariants, Inexpressible> {
        let mut sketch = self.sketch();
        let mut meaning: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for node in cone(&formula.pool, [formula.expr]) {
            let Some(symbol) = formula.pool.as_symbol(node) else { continue };
            match formula.symbols[symbol.index()] {
                Role::State(number) => meaning.insert(node, sketch.symbols[number]),
                Role::Input(_) => {
                    return Err(Inexpressible("the invariant is quantified over inputs".into()));
                }
            };
        }
        let expr = import(&mut sketch.pool, &formula.pool, formula.expr, &meaning);
        self.of_exprs(sketch, &[expr])
    }

    /// What bits over the registers say at each location.
    fn of_exprs(&self, sketch: Sketch, bits: &[ExprId]) -> Result<Invariants, Inexpressible> {
        let Sketch { mut pool, symbols } = sketch;
        let variables = symbols.iter().zip(&self.registers);
        let variables: FxHashMap<ExprId, VariableId> =
            variables.filter_map(|(&symbol, r)| Some((symbol, r.variable?))).collect();
        let mut terms = self.program.terms.clone();
        let mut at = BTreeMap::new();
        for location in self.inner_locations() {
            let known = symbols.iter().zip(self.known(location));
            let known = known.filter_map(|(&symbol, value)| Some((symbol, pool.constant(value?))));
            let known: FxHashMap<ExprId, ExprId> = known.collect();
            let here = substitute(&mut pool, bits, &known);
            let all = pool.conjoin(here).expect("an invariant is a bit");
            let all = simplify(&mut pool, all);
            at.insert(location, self.stated(&pool, all, &variables, &mut terms)?);
        }
        Ok(Invariants { terms: Arc::new(terms), at })
    }

    /// A conjunction as terms: clauses over bits as comparisons of words, the rest as it is.
    fn stated(
        &self,
        pool: &Pool,
        all: ExprId,
        variables: &FxHashMap<ExprId, VariableId>,
        terms: &mut Terms,
    ) -> Result<Vec<Term>, Inexpressible> {
        let (mut clauses, mut others) = (Vec::new(), Vec::new());
        for part in conjuncts(pool, all) {
            match as_clause(pool, part, variables) {
                Some(clause) => clauses.push(clause),
                None => others.push(part),
            }
        }
        let mut stated = to_terms(terms, clauses);
        stated.extend(Translation::new(pool, variables, terms).terms(&others)?);
        Ok(stated)
    }

    /// A pool with a symbol for each register.
    fn sketch(&self) -> Sketch {
        let mut pool = Pool::new();
        let symbols = self.registers.iter().map(|register| {
            let sort = elinvar_ir::Sort::Bv(register.width);
            pool.symbol(sort, None).expect("the width of a register")
        });
        let symbols = symbols.collect();
        Sketch { pool, symbols }
    }

    /// The locations that invariants are stated at: every cycle that can lead to an error
    /// passes one of them.
    fn inner_locations(&self) -> impl Iterator<Item = LocationId> + '_ {
        let errors: Vec<LocationId> = self.program.properties.iter().map(|p| p.error).collect();
        let locations = self.blocks.locations.iter().copied();
        locations.filter(move |at| *at != self.blocks.entry && !errors.contains(at))
    }

    /// By register: its value at a location, if it is the same in all states there.
    fn known(&self, at: LocationId) -> Vec<Option<BitVec>> {
        let live: FxHashSet<VariableId> = self.blocks.live[&at].iter().copied().collect();
        let value = |register: &Register| match register.variable {
            None => Some(self.codes[&at].clone()),
            Some(variable) if live.contains(&variable) => None,
            Some(_) => Some(BitVec::zero(register.width)),
        };
        self.registers.iter().map(value).collect()
    }
}

/// The clause over bits of variables that the expression is, if it is one.
fn as_clause(
    pool: &Pool,
    part: ExprId,
    variables: &FxHashMap<ExprId, VariableId>,
) -> Option<Clause> {
    let literal = |bit: ExprId, positive: bool| {
        let (symbol, position) = if let Expr::Slice { arg, lo, .. } = pool.get(bit.regular()) {
            (arg, lo)
        } else {
            (bit.regular(), 0)
        };
        let variable = *variables.get(&symbol)?;
        Some(Literal { variable, bit: position, positive: positive != bit.is_complement() })
    };
    if part.is_complement() {
        conjuncts(pool, part.regular()).into_iter().map(|bit| literal(bit, false)).collect()
    } else {
        Some(vec![literal(part, true)?])
    }
}

/// Symbols for the registers, and what is built from them.
struct Sketch {
    pool: Pool,
    symbols: Vec<ExprId>,
}
