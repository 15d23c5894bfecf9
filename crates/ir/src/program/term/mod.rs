//! Hash-consed first-order terms over integers, reals, words and maps.
//!
//! Equal terms have equal ids. What is built is brought into a normal form on the
//! way, so that most equalities that a reader would see at once are seen:
//!
//! | built | becomes |
//! |---|---|
//! | sums, products with constants | one sum of products, ordered, constant last |
//! | `a <= b`, `a < b`, negated or not | `Σ cᵢ·tᵢ <= k` with coprime integers (reals: `<` stays) |
//! | `a = b` on numbers | `Σ cᵢ·tᵢ = k`, first coefficient positive |
//! | `and`, `or` | flat, ordered, without duplicates, folded if complementary |
//! | `not (and …)` | stays; `not (a <= b)` is turned round |
//!
//! Sorts are checked by assertions: the front end has rejected ill-typed programs,
//! so that a wrong sort is a bug of the caller.

mod build;
mod linear;

use dashu_int::IBig;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;

use super::sort::Sort;
use crate::operator::{BinaryOp, UnaryOp};
use crate::value::BitVec;

pub use linear::Linear;

/// A term of a [`Terms`] pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(u32);

/// A symbol that may have another value in another state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VariableId(pub u32);

/// An uninterpreted function: the same in all states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionId(pub u32);

/// A declared variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name in the source.
    pub name: String,
    /// The sort of its values.
    pub sort: Sort,
}

/// A declared function without a definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name in the source.
    pub name: String,
    /// The sorts of the arguments.
    pub arguments: Vec<Sort>,
    /// The sort of the result.
    pub result: Sort,
    /// The function stands for another one that is not modelled (its name, or why): a
    /// counterexample that depends on its value may not be one.
    pub approximates: Option<String>,
}

/// The operators. The order of arguments is that of their names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Op {
    /// Negation.
    Not,
    /// Conjunction of two or more.
    And,
    /// Disjunction of two or more.
    Or,
    /// On any sort.
    Equal,
    /// Condition, then, else.
    Ite,
    /// Of integers or of reals, two or more.
    Add,
    /// The product of integers or of reals, two or more.
    Multiply,
    /// Of integers, rounded so that the remainder is not negative (SMT-LIB's `div`).
    Divide,
    /// The remainder of `Divide`.
    Modulo,
    /// Of reals.
    Quotient,
    /// `<=` on integers or reals.
    AtMost,
    /// On reals alone: on integers it is `AtMost`, except in verbatim pools.
    Less,
    /// From an integer to the real with the same value.
    ToReal,
    /// The greatest integer that is not greater.
    ToInt,
    /// Map, index.
    Select,
    /// Map, index, element.
    Store,
    /// On words.
    Unary(WordUnary),
    /// On words; predicates are of sort `Bool`; `Equal` is not among them.
    Binary(WordBinary),
    /// Bits of a word, both ends included.
    Extract {
        /// The highest bit, included.
        high: u32,
        /// The lowest bit.
        low: u32,
    },
    /// A word made wider.
    Extend {
        /// The number of added bits.
        by: u32,
        /// Whether the added bits are copies of the sign.
        signed: bool,
    },
    /// An uninterpreted function.
    Function(FunctionId),
}

/// [`UnaryOp`] in an order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WordUnary(pub UnaryOp);

/// [`BinaryOp`] in an order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WordBinary(pub BinaryOp);

macro_rules! ordered_by_number {
    ($($name:ident),*) => {$(
        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                (self.0 as u8).cmp(&(other.0 as u8))
            }
        }
    )*};
}
ordered_by_number!(WordUnary, WordBinary);

/// A term as it is stored, with its operands by number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(IBig),
    /// A rational number.
    Real(RBig),
    /// A bit-vector.
    Word(BitVec),
    /// A variable.
    Variable(VariableId),
    /// An operator with its operands.
    Apply(Op, Box<[Term]>),
}

/// The pool. Grows only: ids of a pool are valid in every clone that has grown further.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    known: FxHashMap<Node, Term>,
    variables: Vec<Variable>,
    functions: Vec<Function>,
    /// Names of the uninterpreted types.
    types: Vec<String>,
    /// Terms are kept as they are built; see [`Terms::verbatim`].
    is_verbatim: bool,
}

impl Terms {
    /// An empty pool that rewrites terms as it builds them.
    pub fn new() -> Self {
        Self::default()
    }

    /// A pool that does not rewrite: equal terms have equal ids, and nothing else of the
    /// normal forms above is done. The checker works on such pools, so that an error in a
    /// rewrite cannot change what it checks. `Less` is then also on integers.
    pub fn verbatim() -> Self {
        Terms { is_verbatim: true, ..Self::default() }
    }

    /// Whether the pool builds terms without rewriting.
    pub fn is_verbatim(&self) -> bool {
        self.is_verbatim
    }

    /// The term as it is stored.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    /// The sort of a term.
    pub fn sort(&self, term: Term) -> &Sort {
        &self.sorts[term.0 as usize]
    }

    /// All declared variables, by number.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The name of a variable.
    pub fn name(&self, variable: VariableId) -> &str {
        &self.variables[variable.0 as usize].name
    }

    /// The sort of a variable.
    pub fn variable_sort(&self, variable: VariableId) -> &Sort {
        &self.variables[variable.0 as usize].sort
    }

    /// All declared functions, by number.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The function with this number.
    pub fn function(&self, function: FunctionId) -> &Function {
        &self.functions[function.0 as usize]
    }

    /// The names of the uninterpreted types, by number.
    pub fn types(&self) -> &[String] {
        &self.types
    }

    /// The operands of a term.
    pub fn children(&self, term: Term) -> &[Term] {
        match self.node(term) {
            Node::Apply(_, children) => children,
            Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Word(_) | Node::Variable(_) => &[],
        }
    }

    /// The truth value, if the term is one.
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        match self.node(term) {
            Node::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, if the term is one.
    pub fn as_number(&self, term: Term) -> Option<RBig> {
        match self.node(term) {
            Node::Int(value) => Some(RBig::from(value.clone())),
            Node::Real(value) => Some(value.clone()),
            _ => None,
        }
    }

    /// The children, if the term is made by this operator.
    pub fn as_op(&self, term: Term, op: Op) -> Option<&[Term]> {
        match self.node(term) {
            Node::Apply(found, children) if *found == op => Some(children),
            _ => None,
        }
    }

    /// The parts of a conjunction: the term itself if it is not one, nothing for `true`.
    pub fn conjuncts(&self, term: Term) -> Vec<Term> {
        match self.node(term) {
            Node::Bool(true) => Vec::new(),
            Node::Apply(Op::And, children) => children.to_vec(),
            _ => vec![term],
        }
    }

    /// The parts of a disjunction: the term itself if it is not one, nothing for `false`.
    pub fn disjuncts(&self, term: Term) -> Vec<Term> {
        match self.node(term) {
            Node::Bool(false) => Vec::new(),
            Node::Apply(Op::Or, children) => children.to_vec(),
            _ => vec![term],
        }
    }

    /// All subterms of these, children before parents, each once.
    pub fn subterms(&self, roots: impl IntoIterator<Item = Term>) -> Vec<Term> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut order = Vec::new();
        let mut stack: Vec<(Term, bool)> = roots.into_iter().map(|term| (term, false)).collect();
        stack.reverse();
        while let Some((term, done)) = stack.pop() {
            if done {
                order.push(term);
            } else if seen.insert(term) {
                stack.push((term, true));
                stack.extend(self.children(term).iter().rev().map(|&child| (child, false)));
            }
        }
        order
    }

    /// The variables of a term, in order.
    pub fn free_variables(&self, roots: impl IntoIterator<Item = Term>) -> Vec<VariableId> {
        let mut found: Vec<VariableId> = self
            .subterms(roots)
            .into_iter()
            .filter_map(|term| match self.node(term) {
                Node::Variable(variable) => Some(*variable),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// The term of numbers as a sum; a nonlinear part is a summand.
    pub fn linear(&self, term: Term) -> Linear {
        let mut sum = Linear::default();
        let parts: &[Term] = self.as_op(term, Op::Add).unwrap_or(std::slice::from_ref(&term));
        for &part in parts {
            let (factor, rest) = self.scaled(part);
            match rest {
                Some(rest) => sum.terms.push((rest, factor)),
                None => sum.constant += factor,
            }
        }
        sum
    }

    /// A number times a term that is not a number (or nothing).
    fn scaled(&self, term: Term) -> (RBig, Option<Term>) {
        if let Some(number) = self.as_number(term) {
            return (number, None);
        }
        if let Some(&[factor, rest]) = self.as_op(term, Op::Multiply)
            && let Some(number) = self.as_number(factor)
        {
            return (number, Some(rest));
        }
        (RBig::ONE, Some(term))
    }
}
