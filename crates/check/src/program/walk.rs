//! All paths from one cut point to the next ones, as one formula.
//!
//! In passive form (Flanagan, Saxe, "Avoiding exponential explosion", POPL 2001): an
//! assignment makes a new version of its variable. Each edge has a Bool, and so has each
//! place that is arrived at,
//!
//! ```text
//! edge  ⇒ place it leaves ∧ its condition ∧ versions there = versions before
//! place ⇒ one of the edges that enter it
//! ```
//!
//! so that a path is a model, and every model in which a place is true has a path to it.

use std::collections::BTreeMap;

use elinvar_ir::program::{EdgeId, LocationId, Statement, Term, Terms, VariableId};

use super::invariants::Cuts;
use super::text::{Fault, Text, Versions, version_name};

/// A path's end: the Bool that is true there, and the versions of the variables.
#[derive(Clone)]
pub(super) struct Place {
    pub symbol: String,
    pub versions: Versions,
}

/// The walk from one cut point.
pub(super) struct Walk<'a> {
    cuts: &'a Cuts<'a>,
    pub(super) text: Text<'a>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(cuts: &'a Cuts<'a>) -> (Self, Place) {
        let mut text = Text::new(cuts.program);
        let mut versions = vec![0; cuts.program.terms.variables().len()];
        for &variable in &cuts.program.variables {
            versions[variable.0 as usize] = text.any(variable);
        }
        (Walk { cuts, text }, Place { symbol: "true".to_string(), versions })
    }

    /// The cut points that paths come to, with the places where they do.
    pub(super) fn follow(
        &mut self,
        from: LocationId,
        start: &Place,
    ) -> Result<BTreeMap<LocationId, Place>, Fault> {
        // By rank: whoever is first has no further arrivals to wait for.
        let mut waiting: BTreeMap<usize, (LocationId, Vec<Place>)> = BTreeMap::new();
        let mut ends: BTreeMap<LocationId, Vec<Place>> = BTreeMap::new();
        let mut here = (from, start.clone());
        loop {
            let (at, place) = here;
            for &edge in &self.cuts.successors[at.0 as usize] {
                let to = self.cuts.program.edge(edge).to;
                if !self.cuts.matters[to.0 as usize] {
                    continue;
                }
                let after = self.along(edge, &place)?;
                match self.cuts.rank[to.0 as usize] {
                    None => ends.entry(to).or_default().push(after),
                    Some(rank) => {
                        waiting.entry(rank).or_insert_with(|| (to, Vec::new())).1.push(after);
                    }
                }
            }
            let Some((_, (next, coming))) = waiting.pop_first() else { break };
            here = (next, self.merge(&format!("at{}", next.0), coming));
        }
        let merged =
            ends.into_iter().map(|(at, coming)| (at, self.merge(&format!("end{}", at.0), coming)));
        Ok(merged.collect())
    }

    pub(super) fn term(&mut self, terms: &Terms, term: Term, at: &Place) -> Result<String, Fault> {
        self.text.term(terms, term, &at.versions)
    }

    fn along(&mut self, edge: EdgeId, before: &Place) -> Result<Place, Fault> {
        let program = self.cuts.program;
        let symbol = format!("e{}", edge.0);
        self.text.declare_bool(&symbol);
        self.text.assert(&format!("(=> {symbol} {})", before.symbol));
        let mut versions = before.versions.clone();
        match &program.edge(edge).statement {
            Statement::Assume(condition) => {
                let condition = self.term(&program.terms, *condition, before)?;
                self.text.assert(&format!("(=> {symbol} {condition})"));
            }
            Statement::Assign(assignments) => {
                for (variable, value) in assignments {
                    if program.terms.sort(*value) != program.terms.variable_sort(*variable) {
                        return Err(Fault::IllSorted);
                    }
                    let value = self.term(&program.terms, *value, before)?;
                    versions[variable.0 as usize] = self.text.assign(*variable, &value);
                }
            }
            Statement::Havoc(variables) => {
                for &variable in variables {
                    versions[variable.0 as usize] = self.text.any(variable);
                }
            }
        }
        Ok(Place { symbol, versions })
    }

    /// One place for several ways to come to a location.
    fn merge(&mut self, symbol: &str, coming: Vec<Place>) -> Place {
        if let [only] = &coming[..] {
            return only.clone();
        }
        let mut versions = coming[0].versions.clone();
        for &variable in &self.cuts.program.variables {
            let at = variable.0 as usize;
            if coming.iter().any(|place| place.versions[at] != versions[at]) {
                versions[at] = self.merge_versions(variable, &coming);
            }
        }
        self.text.declare_bool(symbol);
        let edges: Vec<&str> = coming.iter().map(|place| place.symbol.as_str()).collect();
        self.text.assert(&format!("(=> {symbol} (or {}))", edges.join(" ")));
        Place { symbol: symbol.to_string(), versions }
    }

    fn merge_versions(&mut self, variable: VariableId, coming: &[Place]) -> u32 {
        let version = self.text.any(variable);
        let merged = version_name(variable, version);
        for Place { symbol, versions } in coming {
            let old = version_name(variable, versions[variable.0 as usize]);
            self.text.assert(&format!("(=> {symbol} (= {merged} {old}))"));
        }
        version
    }
}
