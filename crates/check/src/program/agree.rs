//! Compares two readings of a program.
//!
//! Evidence is found about a reading with rewritten terms and checked against a verbatim
//! one. It speaks of locations, edges, variables, functions and properties by number, so
//! these have to be the same in both. The terms of statements may differ: whether the
//! evidence fits them is what the checks find out.

use elinvar_ir::program::{Edge, Program, Statement};

use super::refusal::ProgramRefusal;

/// Refuses readings that number their parts differently.
pub fn agree(program: &Program, other: &Program) -> Result<(), ProgramRefusal> {
    let same = |what: &'static str, is_same: bool| {
        if is_same { Ok(()) } else { Err(ProgramRefusal::Readings(what)) }
    };
    let variables = |program: &Program| -> Vec<_> {
        let own = program.variables.iter();
        own.map(|&id| (id, program.terms.variables()[id.0 as usize].clone())).collect()
    };
    let edges = program.edges.len() == other.edges.len()
        && program.edges.iter().zip(&other.edges).all(|(left, right)| same_edge(left, right));
    same("types", program.terms.types() == other.terms.types())?;
    same("variables", variables(program) == variables(other))?;
    same("functions", program.terms.functions() == other.terms.functions())?;
    same("locations", program.locations == other.locations && program.entry == other.entry)?;
    same("edges", edges)?;
    same("properties", program.properties == other.properties)?;
    same("axioms", program.weakened == other.weakened)
}

fn same_edge(left: &Edge, right: &Edge) -> bool {
    let same_kind = match (&left.statement, &right.statement) {
        (Statement::Assume(_), Statement::Assume(_)) => true,
        (Statement::Assign(_), Statement::Assign(_))
        | (Statement::Havoc(_), Statement::Havoc(_)) => {
            left.statement.written() == right.statement.written()
        }
        (Statement::Assume(_) | Statement::Assign(_) | Statement::Havoc(_), _) => false,
    };
    same_kind
        && (left.from, left.to, &left.span, &left.approximates)
            == (right.from, right.to, &right.span, &right.approximates)
}

#[cfg(test)]
mod tests {
    use elinvar_ir::program::{LocationId, Sort, Terms};
    use elinvar_models::Sketch;

    use super::*;

    /// `x := 0; assert x != 1;`
    fn program() -> Program {
        let mut sketch = Sketch::new();
        let x = sketch.variable("x", Sort::Int);
        let [set, end] = [0; 2].map(|_| sketch.location());
        let (zero, one) = (sketch.terms.int(0), sketch.terms.int(1));
        let value = sketch.terms.variable(x);
        let equal = sketch.terms.equal(value, one);
        let condition = sketch.terms.not(equal);
        sketch.assign(Sketch::ENTRY, set, &[(x, zero)]);
        sketch.assert(set, end, condition);
        sketch.finish()
    }

    fn with_type(terms: &Terms) -> Terms {
        let mut terms = terms.clone();
        terms.declare_type("T");
        terms
    }

    fn changed(change: impl Fn(&mut Program)) -> Result<(), ProgramRefusal> {
        let mut other = program();
        change(&mut other);
        agree(&program(), &other)
    }

    #[test]
    fn other_numbers_are_refused() {
        let refused = |what| Err(ProgramRefusal::Readings(what));
        assert_eq!(changed(|_| ()), Ok(()));
        assert_eq!(changed(|p| p.entry = LocationId(1)), refused("locations"));
        assert_eq!(changed(|p| drop(p.edges.pop())), refused("edges"));
        assert_eq!(changed(|p| p.edges[0].to = LocationId(2)), refused("edges"));
        assert_eq!(changed(|p| p.edges[0].statement = Statement::Havoc(vec![])), refused("edges"));
        assert_eq!(changed(|p| p.properties[0].name.push('2')), refused("properties"));
        assert_eq!(changed(|p| p.variables.clear()), refused("variables"));
        assert_eq!(changed(|p| p.terms = with_type(&p.terms)), refused("types"));
        assert_eq!(changed(|p| p.weakened = Some("why".to_string())), refused("axioms"));
    }

    /// Other terms are not refused here, but by the checks of the evidence.
    #[test]
    fn other_terms_are_allowed() {
        let allowed = changed(|p| p.edges[1].statement = Statement::Assume(p.terms.bool(true)));
        assert_eq!(allowed, Ok(()));
    }
}
