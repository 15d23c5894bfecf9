//! All paths from one cut point to the next ones, as SMT-LIB text.
//!
//! No cycle avoids the cut points, so that the edges between them form an acyclic graph. It
//! is encoded edge by edge, each location after all that lead to it. What is known at a
//! location is an [`Arrival`]: a formula, and the symbols that stand for the variables
//! there. Along an edge, an assumption is added to the formula, and a variable that is
//! assigned gets a new symbol, as in the passive form of Flanagan and Saxe, "Avoiding
//! exponential explosion" (POPL 2001). Where edges meet, each gets a Bool that says that
//! the path takes it:
//!
//! ```text
//! taken ⇒ formula at the end of the edge
//! taken ⇒ joined symbol = symbol at the end of the edge   (where the symbols differ)
//! ```
//!
//! and the formula of the location is that some edge is taken.
//!
//! Every path is a model: its edges are taken, no others, and the joined symbols have the
//! values of the path. Conversely, in a model with a true formula at a location some edge
//! into it is taken whose formula is true, so that there is a path, by induction.

use std::collections::BTreeMap;
use std::rc::Rc;

use elinvar_ir::program::{EdgeId, LocationId, Statement, Term, Terms};

use super::invariants::Cuts;
use super::text::{Fault, Text, Versions, version_name};

/// What is known of the paths that come to a location.
#[derive(Clone)]
pub(super) struct Arrival {
    /// True if the path comes here.
    pub formula: String,
    /// The versions of the variables. Shared: most edges change none of them.
    versions: Rc<Versions>,
}

/// The text of all paths from one cut point.
pub(super) struct Walk<'a> {
    cuts: &'a Cuts<'a>,
    pub(super) text: Text<'a>,
}

impl<'a> Walk<'a> {
    /// A walk that has not begun, and what is known at its start: nothing.
    pub(super) fn new(cuts: &'a Cuts<'a>) -> (Self, Arrival) {
        let mut text = Text::new(cuts.program);
        let mut versions = vec![0; cuts.program.terms.variables().len()];
        for &variable in &cuts.program.variables {
            versions[variable.0 as usize] = text.any(variable);
        }
        let start = Arrival { formula: "true".to_string(), versions: Rc::new(versions) };
        (Walk { cuts, text }, start)
    }

    /// The cut points that the paths end in, and what is known there.
    pub(super) fn follow(
        &mut self,
        from: LocationId,
        start: &Arrival,
    ) -> Result<Vec<(LocationId, Arrival)>, Fault> {
        let segment = Segment::new(self.cuts, from);
        let mut between: BTreeMap<LocationId, Arrival> = BTreeMap::new();
        for &at in &segment.between {
            let arrival = self.arrive(at, &segment, (from, start), &between)?;
            between.insert(at, arrival);
        }
        let end = |&at: &LocationId| Ok((at, self.arrive(at, &segment, (from, start), &between)?));
        segment.ends.iter().map(end).collect()
    }

    pub(super) fn term(
        &mut self,
        terms: &Terms,
        term: Term,
        at: &Arrival,
    ) -> Result<String, Fault> {
        self.text.term(terms, term, &at.versions)
    }

    /// Encodes the edges into a location.
    fn arrive(
        &mut self,
        at: LocationId,
        segment: &Segment,
        (from, start): (LocationId, &Arrival),
        between: &BTreeMap<LocationId, Arrival>,
    ) -> Result<Arrival, Fault> {
        let mut arrivals = Vec::new();
        for &edge in &segment.into[&at] {
            let source = self.cuts.program.edge(edge).from;
            let before = if source == from { start } else { &between[&source] };
            arrivals.push((edge, self.along(edge, before)?));
        }
        match &arrivals[..] {
            [(_, only)] => Ok(only.clone()),
            several => Ok(self.join(at, several)),
        }
    }

    fn along(&mut self, edge: EdgeId, before: &Arrival) -> Result<Arrival, Fault> {
        let program = self.cuts.program;
        let mut after = before.clone();
        match &program.edge(edge).statement {
            Statement::Assume(condition) => {
                let condition = self.term(&program.terms, *condition, before)?;
                after.formula = format!("a{}", edge.0);
                let formula = format!("(and {} {condition})", before.formula);
                self.text.define_bool(&after.formula, &formula);
            }
            Statement::Assign(assignments) => {
                // All values are those before the edge.
                let versions = Rc::make_mut(&mut after.versions);
                for &(variable, value) in assignments {
                    if program.terms.sort(value) != program.terms.variable_sort(variable) {
                        return Err(Fault::IllSorted);
                    }
                    let value = self.term(&program.terms, value, before)?;
                    versions[variable.0 as usize] = self.text.assign(variable, &value);
                }
            }
            Statement::Havoc(variables) => {
                let versions = Rc::make_mut(&mut after.versions);
                for &variable in variables {
                    versions[variable.0 as usize] = self.text.any(variable);
                }
            }
        }
        Ok(after)
    }

    /// One arrival for several edges into a location.
    fn join(&mut self, at: LocationId, arrivals: &[(EdgeId, Arrival)]) -> Arrival {
        let taken = |edge: EdgeId| format!("e{}", edge.0);
        for (edge, arrival) in arrivals {
            self.text.declare_bool(&taken(*edge));
            self.text.assert(&format!("(=> {} {})", taken(*edge), arrival.formula));
        }
        let mut versions = Rc::clone(&arrivals[0].1.versions);
        for &variable in &self.cuts.program.variables {
            let version = |arrival: &Arrival| arrival.versions[variable.0 as usize];
            let first = version(&arrivals[0].1);
            if arrivals.iter().all(|(_, arrival)| version(arrival) == first) {
                continue;
            }
            let joined = self.text.any(variable);
            for (edge, arrival) in arrivals {
                let (joined, own) =
                    (version_name(variable, joined), version_name(variable, version(arrival)));
                self.text.assert(&format!("(=> {} (= {joined} {own}))", taken(*edge)));
            }
            Rc::make_mut(&mut versions)[variable.0 as usize] = joined;
        }
        let formula = format!("j{}", at.0);
        let edges: Vec<String> = arrivals.iter().map(|(edge, _)| taken(*edge)).collect();
        self.text.define_bool(&formula, &format!("(or {})", edges.join(" ")));
        Arrival { formula, versions }
    }
}

/// The part of a program between one cut point and the next ones.
struct Segment {
    /// The locations that are not cut points, each after all that lead to it.
    between: Vec<LocationId>,
    /// The cut points where paths end; the first one can be among them.
    ends: Vec<LocationId>,
    /// By location of both kinds: the edges that lead to it.
    into: BTreeMap<LocationId, Vec<EdgeId>>,
}

impl Segment {
    fn new(cuts: &Cuts<'_>, from: LocationId) -> Self {
        let mut into: BTreeMap<LocationId, Vec<EdgeId>> = BTreeMap::new();
        let mut unexplored = vec![from];
        while let Some(at) = unexplored.pop() {
            for &edge in &cuts.successors[at.0 as usize] {
                let to = cuts.program.edge(edge).to;
                if !cuts.matters[to.0 as usize] {
                    continue;
                }
                let edges = into.entry(to).or_default();
                if edges.is_empty() && !cuts.is_cut(to) {
                    unexplored.push(to);
                }
                edges.push(edge);
            }
        }
        let (ends, mut between): (Vec<LocationId>, Vec<LocationId>) =
            into.keys().partition(|&&at| cuts.is_cut(at));
        between.sort_by_key(|at| cuts.rank[at.0 as usize]);
        Segment { between, ends, into }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use elinvar_ir::Rng;
    use elinvar_ir::program::{Invariants, Program, Sort, VariableId};
    use elinvar_models::{ProgramGenerator, ProgramShape, Sketch};

    use super::super::smt::{Reply, Session, SmtSolver};
    use super::*;
    use crate::solver::Budget;

    /// More paths than this are not enumerated.
    const MANY_PATHS: usize = 40;

    fn without_clauses(program: &Program, at: &[LocationId]) -> Invariants {
        let at = at.iter().map(|&at| (at, Vec::new())).collect();
        Invariants { terms: Arc::new(program.terms.clone()), at }
    }

    /// All paths of a segment to one of its ends, edge by edge.
    fn paths(cuts: &Cuts<'_>, from: LocationId, end: LocationId) -> Vec<Vec<EdgeId>> {
        let mut found = Vec::new();
        let mut open = vec![(from, Vec::new())];
        while let Some((at, path)) = open.pop() {
            for &edge in &cuts.successors[at.0 as usize] {
                let to = cuts.program.edge(edge).to;
                let longer: Vec<EdgeId> = path.iter().copied().chain([edge]).collect();
                if to == end {
                    found.push(longer);
                } else if cuts.matters[to.0 as usize] && !cuts.is_cut(to) {
                    open.push((to, longer));
                }
            }
        }
        found
    }

    /// Can the variables have the values that a condition asks for at this arrival?
    fn is_possible(
        session: &mut Session<'_>,
        (walk, arrival): (&mut Walk<'_>, &Arrival),
        (terms, condition): (&Terms, Term),
    ) -> bool {
        let condition = walk.term(terms, condition, arrival).ok().unwrap();
        walk.text.assert(&arrival.formula);
        walk.text.assert(&condition);
        match session.ask(walk.text.as_str(), &[], None).unwrap() {
            Reply::Sat(_) => true,
            Reply::Unsat => false,
            Reply::Unknown | Reply::Late => panic!("small queries are decided"),
        }
    }

    /// The joined text against the paths one by one, where nothing is ever joined.
    #[test]
    fn joined_paths_reach_what_single_paths_reach() {
        let (solver, budget) = (SmtSolver::default(), Budget::default());
        let mut session = Session::new(&solver, &budget);
        let (mut possible, mut impossible, mut joined) = (0, 0, 0);
        for seed in 0..40 {
            let program = ProgramGenerator::program(seed, ProgramShape::INTEGERS);
            let mut rng = Rng::new(seed);
            let locations = (0..program.locations.len() as u32).map(LocationId);
            let chosen: Vec<LocationId> = locations.filter(|_| rng.one_in(5)).collect();
            let evidence = without_clauses(&program, &chosen);
            let properties: Vec<_> = program.property_ids().collect();
            let Ok(cuts) = Cuts::new(&program, &properties, &evidence) else { continue };
            let ends = |from| Segment::new(&cuts, from).ends.into_iter().map(move |to| (from, to));
            for (from, end) in cuts.starts().flat_map(ends) {
                let paths = paths(&cuts, from, end);
                if paths.len() > MANY_PATHS {
                    continue;
                }
                joined += usize::from(paths.len() > 1);
                let mut terms = program.terms.clone();
                let asked = program.variables.iter().filter(|_| rng.one_in(2)).copied();
                let asked: Vec<VariableId> = asked.collect();
                let equal = asked.into_iter().map(|variable| {
                    let value = match terms.variable_sort(variable) {
                        Sort::Bool => terms.bool(rng.one_in(2)),
                        _ => terms.int(rng.below(4) as i64 - 1),
                    };
                    let variable = terms.variable(variable);
                    terms.equal(variable, value)
                });
                let equal: Vec<Term> = equal.collect();
                let condition = terms.and(equal);
                let (mut walk, start) = Walk::new(&cuts);
                let ends = walk.follow(from, &start).ok().unwrap();
                let (_, arrival) = ends.into_iter().find(|(at, _)| *at == end).unwrap();
                let together = (&mut walk, &arrival);
                let together = is_possible(&mut session, together, (&terms, condition));
                let alone = paths.iter().any(|path| {
                    let (mut walk, mut arrival) = Walk::new(&cuts);
                    for &edge in path {
                        arrival = walk.along(edge, &arrival).ok().unwrap();
                    }
                    is_possible(&mut session, (&mut walk, &arrival), (&terms, condition))
                });
                assert_eq!(together, alone, "seed {seed}, from {from:?} to {end:?}");
                if together { possible += 1 } else { impossible += 1 }
            }
        }
        let counts = (possible, impossible, joined);
        assert!(possible >= 10 && impossible >= 10 && joined >= 10, "{counts:?}");
    }

    /// Sixty choices in a row: 2^60 paths, one after the other `x := x + 1` or nothing.
    #[test]
    fn the_text_grows_with_the_edges_and_not_with_the_paths() {
        let mut sketch = Sketch::new();
        let x = sketch.variable("x", Sort::Int);
        let (value, one) = (sketch.terms.variable(x), sketch.terms.int(1));
        let next = sketch.terms.add([value, one]);
        let mut at = Sketch::ENTRY;
        for _ in 0..60 {
            let to = sketch.location();
            sketch.assign(at, to, &[(x, next)]);
            sketch.havoc(at, to, &[]);
            at = to;
        }
        let end = sketch.location();
        sketch.havoc(at, end, &[]);
        let program = sketch.finish();
        let evidence = without_clauses(&program, &[end]);
        let cuts = Cuts::new(&program, &[], &evidence).unwrap();
        let (mut walk, start) = Walk::new(&cuts);
        let ends = walk.follow(program.entry, &start).ok().unwrap();
        assert_eq!(ends.len(), 1);
        assert!(walk.text.as_str().lines().count() < 60 * 12, "{}", walk.text.as_str());
    }

    /// `x, y := y, x` twice, around a loop whose head is a cut point.
    #[test]
    fn assignments_are_simultaneous_and_paths_may_end_where_they_start() {
        let mut sketch = Sketch::new();
        let [x, y] = ["x", "y"].map(|name| sketch.variable(name, Sort::Int));
        let [head, half] = [0; 2].map(|_| sketch.location());
        let (a, b) = (sketch.terms.variable(x), sketch.terms.variable(y));
        sketch.assign(Sketch::ENTRY, head, &[]);
        sketch.assign(head, half, &[(x, b), (y, a)]);
        sketch.assign(half, head, &[(x, b), (y, a)]);
        let program = sketch.finish();
        let evidence = without_clauses(&program, &[head]);
        let cuts = Cuts::new(&program, &[], &evidence).unwrap();
        let (solver, budget) = (SmtSolver::default(), Budget::default());
        let mut session = Session::new(&solver, &budget);
        let mut terms = program.terms.clone();
        let equal = terms.equal(a, b);
        for is_equal in [true, false] {
            let (mut walk, start) = Walk::new(&cuts);
            let before = if is_equal { equal } else { terms.not(equal) };
            let before = walk.term(&terms, before, &start).ok().unwrap();
            walk.text.assert(&before);
            let ends = walk.follow(head, &start).ok().unwrap();
            let [(end, arrival)] = &ends[..] else { panic!("one end") };
            assert_eq!(*end, head);
            let now = (&mut walk, arrival);
            assert_eq!(is_possible(&mut session, now, (&terms, equal)), is_equal);
        }
    }
}
