//! Programs drawn by hand, edge by edge.

use elinvar_ir::PropertyId;
use elinvar_ir::program::{
    Assertion, AssertionKind, Edge, Location, LocationId, Program, Sort, Statement, Term, Terms,
    VariableId,
};

/// A program that is being drawn; location zero is its entry.
#[derive(Clone, Debug)]
pub struct Sketch {
    /// The pool of the program.
    pub terms: Terms,
    variables: Vec<VariableId>,
    locations: u32,
    edges: Vec<Edge>,
    properties: Vec<Assertion>,
}

impl Default for Sketch {
    fn default() -> Self {
        Self::new()
    }
}

impl Sketch {
    /// The location where runs start.
    pub const ENTRY: LocationId = LocationId(0);

    /// A program with nothing but an entry.
    pub fn new() -> Self {
        Sketch {
            terms: Terms::new(),
            variables: Vec::new(),
            locations: 1,
            edges: Vec::new(),
            properties: Vec::new(),
        }
    }

    /// Declares a variable.
    pub fn variable(&mut self, name: &str, sort: Sort) -> VariableId {
        let variable = self.terms.declare(name, sort);
        self.variables.push(variable);
        variable
    }

    /// Adds a location.
    pub fn location(&mut self) -> LocationId {
        self.locations += 1;
        LocationId(self.locations - 1)
    }

    /// How many there are.
    pub fn locations(&self) -> u32 {
        self.locations
    }

    /// The error locations.
    pub fn errors(&self) -> Vec<LocationId> {
        self.properties.iter().map(|property| property.error).collect()
    }

    /// Adds an edge with this statement.
    pub fn edge(&mut self, from: LocationId, to: LocationId, statement: Statement) {
        self.edges.push(Edge { from, to, statement, span: 0..0, approximates: None });
    }

    /// Adds an edge that is taken only if the condition holds.
    pub fn assume(&mut self, from: LocationId, to: LocationId, condition: Term) {
        self.edge(from, to, Statement::Assume(condition));
    }

    /// Adds an edge that assigns values.
    pub fn assign(&mut self, from: LocationId, to: LocationId, values: &[(VariableId, Term)]) {
        self.edge(from, to, Statement::Assign(values.to_vec()));
    }

    /// Adds an edge that gives variables any values.
    pub fn havoc(&mut self, from: LocationId, to: LocationId, variables: &[VariableId]) {
        self.edge(from, to, Statement::Havoc(variables.to_vec()));
    }

    /// An assertion between two locations.
    pub fn assert(&mut self, from: LocationId, to: LocationId, condition: Term) -> PropertyId {
        self.assume(from, to, condition);
        let violated = self.terms.not(condition);
        self.error(from, violated)
    }

    /// An error location that is reached from here under this condition.
    pub fn error(&mut self, from: LocationId, condition: Term) -> PropertyId {
        let error = self.location();
        self.assume(from, error, condition);
        let name = format!("assertion {}", self.properties.len());
        let kind = AssertionKind::Assert;
        self.properties.push(Assertion { name, kind, span: 0..0, error });
        PropertyId(self.properties.len() - 1)
    }

    /// The program.
    pub fn finish(self) -> Program {
        let location = Location { procedure: "main".to_string(), span: 0..0 };
        Program {
            terms: self.terms,
            variables: self.variables,
            locations: vec![location; self.locations as usize],
            entry: Self::ENTRY,
            edges: self.edges,
            properties: self.properties,
            weakened: None,
        }
    }
}
