//! Programs as control-flow graphs with error locations: Section 3.1 of Werner,
//! "Property Directed Reachability for Software" (2018), with a command instead of a
//! formula at each edge, so that a program can be run as well as reasoned about.

use std::ops::Range;

use super::term::{Node, Op, Term, Terms, VariableId};
use crate::system::PropertyId;

/// The number of a location in [`Program::locations`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocationId(pub u32);

/// The number of an edge in [`Program::edges`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EdgeId(pub u32);

/// A place of the program, between two statements.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Location {
    /// The procedure that is verified there; callees are inlined into it.
    pub procedure: String,
    /// Bytes of the source that begin here: of a loop head, its `while`, or the label.
    /// Empty where the source has no such place.
    pub span: Range<usize>,
}

/// What an edge does. Assignments are simultaneous: right sides refer to the values before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// Continue only if the condition holds.
    Assume(Term),
    /// Simultaneous assignments.
    Assign(Vec<(VariableId, Term)>),
    /// The variables get any values.
    Havoc(Vec<VariableId>),
}

/// A statement between two locations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The location before the statement.
    pub from: LocationId,
    /// The location after the statement.
    pub to: LocationId,
    /// What the edge does.
    pub statement: Statement,
    /// Bytes of the source; empty for what the source does not say.
    pub span: Range<usize>,
    /// Why the edge allows more than the program does, if it does: a counterexample
    /// through it may not be a real one.
    pub approximates: Option<String>,
}

/// Where a property comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AssertionKind {
    /// An `assert` statement.
    Assert,
    /// A precondition, at a call.
    Requires,
    /// A postcondition, at a return.
    Ensures,
    /// The invariant of a loop, when the loop is entered.
    InvariantEntry,
    /// The invariant of a loop, preserved by its body.
    InvariantKept,
}

/// The property that an error location is not reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assertion {
    /// What the user sees, e.g. `assert at line 12`; different for each.
    pub name: String,
    /// Where the property comes from.
    pub kind: AssertionKind,
    /// The bytes of the source that state the property.
    pub span: Range<usize>,
    /// The error location. It has no successors and belongs to this property only.
    pub error: LocationId,
}

/// A program: its entry, its statements, and its error locations.
///
/// The initial values of all variables are any; constants are variables that nothing
/// assigns to, and axioms are assumed on the first edges.
#[derive(Clone, Debug)]
pub struct Program {
    /// The pool of all terms.
    pub terms: Terms,
    /// Those of the program: engines declare further ones in clones of the pool.
    pub variables: Vec<VariableId>,
    /// The locations, by number.
    pub locations: Vec<Location>,
    /// Without predecessors.
    pub entry: LocationId,
    /// The edges, by number.
    pub edges: Vec<Edge>,
    /// The properties, by number.
    pub properties: Vec<Assertion>,
    /// Why counterexamples cannot be trusted, if the graph allows more than the program does (an axiom with
    /// a quantifier is only instantiated).
    pub weakened: Option<String>,
}

impl Program {
    /// The edge with this number.
    pub fn edge(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge.0 as usize]
    }

    /// The location with this number.
    pub fn location(&self, location: LocationId) -> &Location {
        &self.locations[location.0 as usize]
    }

    /// The property with this number.
    pub fn property(&self, property: PropertyId) -> &Assertion {
        &self.properties[property.0]
    }

    /// The numbers of all edges.
    pub fn edge_ids(&self) -> impl Iterator<Item = EdgeId> + use<> {
        (0..self.edges.len() as u32).map(EdgeId)
    }

    /// The numbers of all properties.
    pub fn property_ids(&self) -> impl Iterator<Item = PropertyId> + use<> {
        (0..self.properties.len()).map(PropertyId)
    }

    /// The edges that leave each location.
    pub fn successors(&self) -> Vec<Vec<EdgeId>> {
        let mut successors = vec![Vec::new(); self.locations.len()];
        for id in self.edge_ids() {
            successors[self.edge(id).from.0 as usize].push(id);
        }
        successors
    }

    /// Why a run along these edges would not show that the program is wrong.
    pub fn approximation(&self, path: impl IntoIterator<Item = EdgeId>) -> Option<String> {
        if self.weakened.is_some() {
            return self.weakened.clone();
        }
        path.into_iter().find_map(|edge| self.approximation_of_edge(self.edge(edge)))
    }

    fn approximation_of_edge(&self, edge: &Edge) -> Option<String> {
        if edge.approximates.is_some() {
            return edge.approximates.clone();
        }
        self.terms.subterms(edge.statement.terms()).into_iter().find_map(|term| {
            let Node::Apply(Op::Function(function), _) = self.terms.node(term) else { return None };
            let function = self.terms.function(*function);
            let why = function.approximates.as_ref()?;
            Some(format!("the function {} only approximates {why}", function.name))
        })
    }
}

impl Statement {
    /// The terms that it evaluates.
    pub fn terms(&self) -> Vec<Term> {
        match self {
            Statement::Assume(condition) => vec![*condition],
            Statement::Assign(assignments) => assignments.iter().map(|(_, value)| *value).collect(),
            Statement::Havoc(_) => Vec::new(),
        }
    }

    /// The variables that may have another value afterwards.
    pub fn written(&self) -> Vec<VariableId> {
        match self {
            Statement::Assume(_) => Vec::new(),
            Statement::Assign(assignments) => {
                assignments.iter().map(|(variable, _)| *variable).collect()
            }
            Statement::Havoc(variables) => variables.clone(),
        }
    }
}
