//! Programs over words as transition systems, for the engines of hardware.
//!
//! A register `pc` holds the location of the program, one of those that the large blocks
//! keep; a step of the system is a block. What the program chooses becomes an input: the
//! values of `havoc`, and which block is taken where several can be. A program that cannot
//! continue, and one that has come to an error, stays where it is.
//!
//! | program | system |
//! |---|---|
//! | a variable of type `bool` or `bvN` | a register without initial value |
//! | the entry | `pc = 0` |
//! | a property | bad where `pc` is its error location |
//!
//! A variable that is dead at a location, because it is written before it is read again, is
//! zero there. So invariants say nothing about values of an earlier location, and the
//! [`ProgramLift`] can state them about the program's variables.
//!
//! Integers, reals, maps and functions cannot be encoded: programs with them are refused,
//! unless nothing that can lead to an error depends on them. So are programs that are only
//! approximated.

mod clauses;
mod lift;
mod simplify;
mod translate;

use std::collections::BTreeMap;
use std::sync::Arc;

use elinvar_ir::program::{
    Block, Blocks, LocationId, Node, Op, Program, Sort, Term, VariableId, large_blocks,
};
use elinvar_ir::{
    BitVec, ExprId, Names, Pool, Sort as WordSort, SortError, SystemBuilder, TransitionSystem,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub use lift::ProgramLift;
use lift::{InputRole, Register};

/// A program as a transition system, with the way back.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The properties are those of the program, in their order.
    pub system: TransitionSystem,
    /// Maps evidence about the system to the program.
    pub lift: ProgramLift,
}

/// Why a program cannot be lowered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LoweringError {
    /// A variable is neither a truth value nor a bit-vector.
    #[error("cannot be encoded as bit-vectors: `{name}` is {}", describe(sort))]
    Variable {
        /// The name of the variable.
        name: String,
        /// Its type.
        sort: Sort,
    },
    /// A function has no definition.
    #[error("cannot be encoded as bit-vectors: the function `{0}` is uninterpreted")]
    Function(String),
    /// A part of an expression is neither a truth value nor a bit-vector.
    #[error("cannot be encoded as bit-vectors: a part of an expression is {}", describe(.0))]
    Expression(Sort),
    /// A counterexample of the system may not be one of the program.
    #[error("the program is only approximated: {0}")]
    Approximation(String),
    /// A width that no register has.
    #[error(transparent)]
    Width(#[from] SortError),
}

fn describe(sort: &Sort) -> String {
    match sort {
        Sort::Bool | Sort::Word(_) => format!("of type {sort}"),
        Sort::Int => "an unbounded int".to_owned(),
        Sort::Real => "a real".to_owned(),
        Sort::Named(_) => "of an uninterpreted type".to_owned(),
        Sort::Map(_) => format!("a map of type {sort}"),
    }
}

/// Lowers a program over words.
pub fn lower(program: &Program) -> Result<Lowered, LoweringError> {
    lower_with(program, SystemBuilder::new())
}

/// As [`lower`], in an empty builder, which decides whether expressions are rewritten.
pub fn lower_with(program: &Program, builder: SystemBuilder) -> Result<Lowered, LoweringError> {
    let approximations = program.edges.iter().filter_map(|edge| edge.approximates.as_ref());
    if let Some(why) = program.weakened.iter().chain(approximations).next() {
        return Err(LoweringError::Approximation(why.clone()));
    }
    let errors: Vec<LocationId> = program.properties.iter().map(|p| p.error).collect();
    let blocks = large_blocks(program, &errors);
    let mut lowering = Lowering::start(&blocks, builder)?;
    lowering.steps(&blocks, &errors)?;
    for property in &program.properties {
        let bad = lowering.is_at(property.error)?;
        lowering.builder.bad(property.name.clone(), bad);
    }
    Ok(lowering.finish(program, blocks))
}

/// The registers and the inputs of the system, and what is made of them.
struct Lowering {
    builder: SystemBuilder,
    /// The register with the location of the program; it is the first one.
    pc: ExprId,
    /// What the register says at each location.
    codes: BTreeMap<LocationId, BitVec>,
    /// Where the program can go no further.
    stuck: BitVec,
    symbols: FxHashMap<VariableId, ExprId>,
    /// By variable, the number of its register.
    registers: BTreeMap<VariableId, usize>,
    /// Whether the first of several blocks is taken, the second, …
    choices: Vec<ExprId>,
    exprs: FxHashMap<Term, ExprId>,
    /// What may be read from here on, by location.
    live: BTreeMap<LocationId, FxHashSet<VariableId>>,
}

impl Lowering {
    fn start(blocks: &Blocks, mut builder: SystemBuilder) -> Result<Self, LoweringError> {
        let codes = blocks.locations.len() as u64 + 1;
        let width = (codes - 1).ilog2() + 1;
        let entry = [blocks.entry];
        let others = blocks.locations.iter().filter(|&&location| location != blocks.entry);
        let codes = entry.iter().chain(others).zip(0..);
        let codes = codes.map(|(&location, code)| (location, BitVec::new(width, code))).collect();
        let stuck = BitVec::new(width, blocks.locations.len() as u64);
        let pc = builder.state(WordSort::Bv(width), Some(&free_name(blocks, "pc")))?;
        builder.states[0].init = Some(builder.pool.constant(BitVec::zero(width)));
        let live = blocks.live.iter();
        let mut lowering = Lowering {
            builder,
            pc,
            codes,
            stuck,
            symbols: FxHashMap::default(),
            registers: BTreeMap::new(),
            choices: Vec::new(),
            exprs: FxHashMap::default(),
            live: live.map(|(&at, live)| (at, live.iter().copied().collect())).collect(),
        };
        lowering.declare(blocks)?;
        Ok(lowering)
    }

    /// Registers for the variables that the blocks speak of, inputs for the others.
    fn declare(&mut self, blocks: &Blocks) -> Result<(), LoweringError> {
        let mut names = Names::default();
        let roots = blocks.blocks.iter().flat_map(|b| b.update.values().copied().chain([b.guard]));
        let mut variables = blocks.terms.free_variables(roots);
        variables.extend(blocks.blocks.iter().flat_map(|block| block.update.keys()));
        variables.sort_unstable();
        variables.dedup();
        let inputs: FxHashSet<VariableId> =
            blocks.blocks.iter().flat_map(|block| block.inputs.iter().copied()).collect();
        for variable in variables {
            let (name, sort) = (blocks.terms.name(variable), blocks.terms.variable_sort(variable));
            let sort = word_sort(sort).ok_or_else(|| LoweringError::Variable {
                name: name.to_owned(),
                sort: sort.clone(),
            })?;
            let name = names.fresh(name, variable.0 as usize);
            let symbol = if inputs.contains(&variable) {
                self.builder.input(sort, Some(&name))?
            } else {
                self.registers.insert(variable, self.builder.states.len());
                self.builder.state(sort, Some(&name))?
            };
            self.symbols.insert(variable, symbol);
        }
        let mut blocks_from: BTreeMap<LocationId, usize> = BTreeMap::new();
        for block in &blocks.blocks {
            *blocks_from.entry(block.from).or_default() += 1;
        }
        let most = blocks_from.values().copied().max().unwrap_or(0);
        for number in 1..most {
            let name = free_name(blocks, &format!("choose{number}"));
            self.choices.push(self.builder.input(WordSort::BOOL, Some(&name))?);
        }
        Ok(())
    }

    /// The next values of all registers.
    fn steps(&mut self, blocks: &Blocks, errors: &[LocationId]) -> Result<(), LoweringError> {
        let mut next: Vec<ExprId> = self.builder.states.iter().map(|state| state.symbol).collect();
        for &location in &blocks.locations {
            let leaving: Vec<&Block> =
                blocks.blocks.iter().filter(|block| block.from == location).collect();
            if leaving.is_empty() {
                continue;
            }
            let here = self.is_at(location)?;
            let stuck = self.builder.pool.constant(self.stuck.clone());
            next[0] = self.builder.pool.ite(here, stuck, next[0])?;
            for (block, taken) in self.taken(blocks, &leaving, here)? {
                let to = self.builder.pool.constant(self.codes[&block.to].clone());
                next[0] = self.builder.pool.ite(taken, to, next[0])?;
                for (variable, &value) in &block.update {
                    let value = self.expr(blocks, value)?;
                    let register = self.registers[variable];
                    next[register] = self.builder.pool.ite(taken, value, next[register])?;
                }
                // At an error no value matters any more.
                if !errors.contains(&block.to) {
                    self.clear_dead(blocks, block, taken, &mut next)?;
                }
            }
        }
        for (state, next) in self.builder.states.iter_mut().zip(next) {
            state.next = Some(next);
        }
        Ok(())
    }

    /// Variables that die on the way of a block become zero.
    fn clear_dead(
        &mut self,
        blocks: &Blocks,
        block: &Block,
        taken: ExprId,
        next: &mut [ExprId],
    ) -> Result<(), LoweringError> {
        // At the entry, variables that are dead have any value.
        let is_zero = |variable: &VariableId| {
            block.from != blocks.entry && !self.live[&block.from].contains(variable)
        };
        for (variable, &register) in &self.registers {
            if !self.live[&block.to].contains(variable) && !is_zero(variable) {
                let width = self.builder.pool.width(next[register]);
                let zero = self.builder.pool.constant(BitVec::zero(width));
                next[register] = self.builder.pool.ite(taken, zero, next[register])?;
            }
        }
        Ok(())
    }

    /// When each of the blocks that leave a location is taken: its guard holds, and it
    /// is chosen, or no later one can be taken. At most one is.
    fn taken<'a>(
        &mut self,
        blocks: &Blocks,
        leaving: &[&'a Block],
        here: ExprId,
    ) -> Result<Vec<(&'a Block, ExprId)>, LoweringError> {
        let guards: Result<Vec<ExprId>, LoweringError> =
            leaving.iter().map(|block| self.expr(blocks, block.guard)).collect();
        let guards = guards?;
        let pool = &mut self.builder.pool;
        // From the last to the first: whether a later one can be taken.
        let mut later = vec![pool.bool(false); leaving.len()];
        for at in (1..leaving.len()).rev() {
            later[at - 1] = pool.or(guards[at], later[at])?;
        }
        let mut open = here;
        let mut taken = Vec::new();
        for (at, &block) in leaving.iter().enumerate() {
            let alone = pool.not(later[at])?;
            let chosen = match self.choices.get(at) {
                Some(&choice) => pool.or(choice, alone)?,
                None => alone,
            };
            let takes = pool.conjoin([open, guards[at], chosen])?;
            taken.push((block, takes));
            let not = pool.not(takes)?;
            open = pool.and(open, not)?;
        }
        Ok(taken)
    }

    fn is_at(&mut self, location: LocationId) -> Result<ExprId, LoweringError> {
        let pool = &mut self.builder.pool;
        // A location that no path leads to is not kept.
        let Some(code) = self.codes.get(&location) else { return Ok(pool.bool(false)) };
        let code = pool.constant(code.clone());
        Ok(pool.equal(self.pc, code)?)
    }

    fn finish(self, program: &Program, blocks: Blocks) -> Lowered {
        let variables = self.registers.iter().map(|(&variable, &number)| (number, variable));
        let variables: FxHashMap<usize, VariableId> = variables.collect();
        let pool = &self.builder.pool;
        let registers = self.builder.states.iter().enumerate().map(|(number, state)| Register {
            symbol: state.symbol,
            width: pool.width(state.symbol),
            variable: variables.get(&number).copied(),
        });
        let of_symbol: FxHashMap<ExprId, VariableId> =
            self.symbols.iter().map(|(&variable, &symbol)| (symbol, variable)).collect();
        let choice = |symbol| self.choices.iter().position(|&choice| choice == symbol);
        let inputs = self.builder.inputs.iter().map(|input| match choice(input.symbol) {
            Some(number) => InputRole::Choice(number),
            None => InputRole::Value(of_symbol[&input.symbol]),
        });
        let lift = ProgramLift {
            program: Arc::new(program.clone()),
            registers: registers.collect(),
            inputs: inputs.collect(),
            blocks,
            codes: self.codes,
        };
        let system = self.builder.finish().expect("every symbol is an input or a register");
        Lowered { system, lift }
    }

    fn expr(&mut self, blocks: &Blocks, root: Term) -> Result<ExprId, LoweringError> {
        let terms = &blocks.terms;
        for term in terms.subterms([root]) {
            if self.exprs.contains_key(&term) {
                continue;
            }
            let expr = match terms.node(term) {
                Node::Bool(value) => self.builder.pool.bool(*value),
                Node::Word(value) => self.builder.pool.constant(value.clone()),
                Node::Variable(variable) => self.symbols[variable],
                Node::Int(_) | Node::Real(_) => {
                    return Err(LoweringError::Expression(terms.sort(term).clone()));
                }
                Node::Apply(Op::Function(function), _) => {
                    let name = terms.function(*function).name.clone();
                    return Err(LoweringError::Function(name));
                }
                Node::Apply(op, children) => {
                    let children: Vec<ExprId> =
                        children.iter().map(|child| self.exprs[child]).collect();
                    match apply(&mut self.builder.pool, *op, &children)? {
                        Some(expr) => expr,
                        None => return Err(LoweringError::Expression(terms.sort(term).clone())),
                    }
                }
            };
            self.exprs.insert(term, expr);
        }
        Ok(self.exprs[&root])
    }
}

/// `None` for operators that are not about words.
fn apply(pool: &mut Pool, op: Op, children: &[ExprId]) -> Result<Option<ExprId>, SortError> {
    Ok(Some(match op {
        Op::Not => pool.not(children[0])?,
        Op::And => pool.conjoin(children.iter().copied())?,
        Op::Or => pool.disjoin(children.iter().copied())?,
        Op::Equal => pool.equal(children[0], children[1])?,
        Op::Ite => pool.ite(children[0], children[1], children[2])?,
        Op::Unary(op) => pool.unary(op.0, children[0])?,
        Op::Binary(op) => pool.binary(op.0, children[0], children[1])?,
        Op::Extract { high, low } => pool.slice(children[0], high, low)?,
        Op::Extend { by, signed: false } => pool.uext(children[0], by)?,
        Op::Extend { by, signed: true } => pool.sext(children[0], by)?,
        Op::Add
        | Op::Multiply
        | Op::Divide
        | Op::Modulo
        | Op::Quotient
        | Op::AtMost
        | Op::Less
        | Op::ToReal
        | Op::ToInt
        | Op::Select
        | Op::Store
        | Op::Function(_) => return Ok(None),
    }))
}

fn word_sort(sort: &Sort) -> Option<WordSort> {
    match sort {
        Sort::Bool => Some(WordSort::BOOL),
        Sort::Word(width) => Some(WordSort::Bv(*width)),
        Sort::Int | Sort::Real | Sort::Named(_) | Sort::Map(_) => None,
    }
}

/// A name like this one that no variable has.
fn free_name(blocks: &Blocks, name: &str) -> String {
    let mut candidate = name.to_owned();
    while blocks.terms.variables().iter().any(|variable| variable.name == candidate) {
        candidate.push('\'');
    }
    candidate
}

#[cfg(test)]
mod tests {
    use elinvar_ir::PropertyId;
    use elinvar_models::{Outcome, search};

    use super::*;
    use elinvar_formats::boogie;

    const FUNCTIONS: &str = "\
        function {:bvbuiltin \"bvadd\"} add(x: bv3, y: bv3) returns (bv3);\n\
        function {:bvbuiltin \"bvult\"} lt(x: bv3, y: bv3) returns (bool);\n";

    fn lowered(body: &str) -> Result<TransitionSystem, LoweringError> {
        let source = format!("{FUNCTIONS} procedure main() {{ {body} }}");
        Ok(lower(&boogie::read(source.as_bytes()).unwrap())?.system)
    }

    /// What exhaustive search says of each property.
    fn outcomes(body: &str) -> Vec<Outcome> {
        let system = lowered(body).unwrap();
        let found = search(&system, 1 << 20).unwrap();
        let properties: Vec<PropertyId> = found.iter().map(|(property, _)| *property).collect();
        assert!(properties.iter().enumerate().all(|(at, property)| property.0 == at));
        found.into_iter().map(|(_, outcome)| outcome).collect()
    }

    fn is_safe(body: &str) -> Vec<bool> {
        outcomes(body).iter().map(|outcome| matches!(outcome, Outcome::Safe)).collect()
    }

    #[test]
    fn a_round_is_a_step() {
        let count = "var x: bv3; x := 0bv3; while (lt(x, 5bv3)) { x := add(x, 1bv3); }";
        // Into the loop, five rounds, out of it.
        let found = outcomes(&format!("{count} assert x != 5bv3;"));
        assert!(matches!(found[..], [Outcome::Unsafe(7)]), "{found:?}");
        assert_eq!(is_safe(&format!("{count} assert x == 5bv3;")), [true]);
    }

    #[test]
    fn all_choices_can_be_made() {
        let two = "var x: bv3; x := 0bv3; while (*) { if (*) { x := add(x, 2bv3); } else \
                   { x := add(x, 4bv3); } }";
        assert_eq!(
            is_safe(&format!("{two} assert x != 6bv3; assert x[1:0] == 0bv1;")),
            [false, true]
        );
        let free = "var x, y: bv3; var b: bool; while (*) { havoc x, b; } assume b || lt(y, x);";
        assert_eq!(is_safe(&format!("{free} assert b; assert b || x != 0bv3;")), [false, true]);
    }

    #[test]
    fn what_can_go_no_further_is_no_error() {
        assert_eq!(is_safe("assume false; assert false;"), [true]);
        let stuck = "var x: bv3; x := 0bv3; \
                     while (*) { x := add(x, 1bv3); assume x != 3bv3; } assert lt(x, 3bv3);";
        assert_eq!(is_safe(stuck), [true]);
    }

    #[test]
    fn procedures_run_side_by_side() {
        let source = format!(
            "{FUNCTIONS} procedure p() {{ var pc: bool; assert pc; }}\n\
             procedure q() {{ var x: bv3; while (lt(x, 4bv3)) {{ x := add(x, 1bv3); }} \
             assert !lt(x, 4bv3); }}"
        );
        let system = lower(&boogie::read(source.as_bytes()).unwrap()).unwrap().system;
        let found = search(&system, 1 << 20).unwrap();
        assert!(matches!(found[..], [(_, Outcome::Unsafe(1)), (_, Outcome::Safe)]), "{found:?}");
        assert_eq!(system.state_name(0), "pc'");
        assert!((0..system.states().len()).any(|state| system.state_name(state) == "pc"));
    }

    #[test]
    fn what_cannot_be_encoded_is_named() {
        let complaint = |body: &str| lowered(body).unwrap_err().to_string();
        assert_eq!(
            complaint("var n: int; assert n < 3;"),
            "cannot be encoded as bit-vectors: `n` is an unbounded int"
        );
        let map = complaint("var m: [bv3]bv3; assert m[0bv3] == 1bv3;");
        assert!(map.ends_with("`m` is a map of type [bv3]bv3"), "{map}");
        // Nothing depends on it.
        assert!(lowered("var n: int; var b: bool; n := n + 1; assert b;").is_ok());
        let source = "function f(x: bv3) returns (bool);\n\
                      procedure main() { var x: bv3; assert f(x); }";
        let error = lower(&boogie::read(source.as_bytes()).unwrap()).unwrap_err();
        let function = "cannot be encoded as bit-vectors: the function `f` is uninterpreted";
        assert_eq!(error.to_string(), function);
    }

    #[test]
    fn approximated_programs_are_refused() {
        let source = "procedure p(x: bv3) returns (y: bv3) { call y := p(x); }\n\
                      procedure main() { var x: bv3; call x := p(x); assert x == x; }";
        let mut program = boogie::read(source.as_bytes()).unwrap();
        assert!(matches!(lower(&program), Err(LoweringError::Approximation(_))));
        for edge in &mut program.edges {
            edge.approximates = None;
        }
        assert!(lower(&program).is_ok());
    }
}
