//! Proves that invariants at locations keep a program from its error locations.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use elinvar_ir::PropertyId;
use elinvar_ir::program::{EdgeId, Invariants, LocationId, Program, Sort, Term};

use super::refusal::ProgramRefusal;
use super::smt::{Reply, Session, SmtSolver, SolverProcess};
use super::text::Fault;
use super::walk::{Arrival, Walk};
use crate::solver::Budget;

/// How long all that has to hold after a cut point is asked about in one question,
/// before each part is asked about alone.
const PATIENCE: Duration = Duration::from_secs(5);

/// Accepts invariants that keep the program from the error locations of these properties.
///
/// The *cut points* are the locations with an invariant, the entry, where nothing is
/// known of the values, and the error locations, where the invariant is `false`. No cycle
/// avoids them, and from each, every path to the next ones leads into their invariants.
/// All invariants are proved, also those that the properties do not need.
pub fn invariants(
    program: &Program,
    properties: &[PropertyId],
    evidence: &Invariants,
    solver: &SmtSolver,
    budget: &Budget,
) -> Result<(), ProgramRefusal> {
    let mut process = SolverProcess::new(solver.clone());
    invariants_with(program, properties, evidence, &mut process, budget)
}

/// The same as [`invariants`], with a solver whose process is kept for the next proof.
pub fn invariants_with(
    program: &Program,
    properties: &[PropertyId],
    evidence: &Invariants,
    process: &mut SolverProcess,
    budget: &Budget,
) -> Result<(), ProgramRefusal> {
    let cuts = Cuts::new(program, properties, evidence)?;
    process.session(budget, |session| {
        let mut undecided = false;
        for from in cuts.starts() {
            let question = Question::new(&cuts, from)?;
            match question.ask(session) {
                Ok(()) => {}
                // Others may be wrong for sure.
                Err(ProgramRefusal::OutOfTime) if !budget.is_spent() => undecided = true,
                Err(refusal) => return Err(refusal),
            }
        }
        if undecided { Err(ProgramRefusal::OutOfTime) } else { Ok(()) }
    })
}

/// For each of these properties whether invariants keep the program from its error location,
/// as far as the solver shows it. The invariants must have been accepted for this program by
/// [`invariants`]; they are not proved again.
pub fn excluded(
    program: &Program,
    properties: &[PropertyId],
    accepted: &Invariants,
    process: &mut SolverProcess,
    budget: &Budget,
) -> Result<Vec<bool>, ProgramRefusal> {
    let cuts = Cuts::new(program, properties, accepted)?;
    let mut reached: BTreeSet<PropertyId> = BTreeSet::new();
    process.session(budget, |session| {
        for from in cuts.starts() {
            Question::new(&cuts, from)?.find_reached(session, &mut reached)?;
        }
        Ok(())
    })?;
    Ok(properties.iter().map(|property| !reached.contains(property)).collect())
}

/// The program, cut at the locations with invariants.
pub(super) struct Cuts<'a> {
    pub program: &'a Program,
    evidence: &'a Invariants,
    errors: BTreeMap<LocationId, PropertyId>,
    pub successors: Vec<Vec<EdgeId>>,
    /// Reached from the entry, and a cut point is reached from there, in the graph.
    pub matters: Vec<bool>,
    /// By location that matters and is not a cut point: a number greater than those of all
    /// such predecessors.
    pub rank: Vec<Option<usize>>,
}

impl<'a> Cuts<'a> {
    pub fn new(
        program: &'a Program,
        properties: &[PropertyId],
        evidence: &'a Invariants,
    ) -> Result<Self, ProgramRefusal> {
        let mut errors = BTreeMap::new();
        for &id in properties {
            let property = program.properties.get(id.0);
            let error = property.ok_or(ProgramRefusal::NoSuchProperty(id))?.error;
            if error == program.entry {
                return Err(ProgramRefusal::Safety { from: program.entry, property: id });
            }
            errors.insert(error, id);
        }
        let count = program.locations.len();
        if let Some(&at) = evidence.at.keys().find(|at| at.0 as usize >= count) {
            return Err(ProgramRefusal::NoSuchLocation(at));
        }
        let mut is_cut = vec![false; count];
        for at in [program.entry].iter().chain(evidence.at.keys()).chain(errors.keys()) {
            is_cut[at.0 as usize] = true;
        }
        let matters = matters(program, &is_cut);
        let between: Vec<bool> = (0..count).map(|at| matters[at] && !is_cut[at]).collect();
        let rank = ranks(program, &between)?;
        let successors = program.successors();
        Ok(Cuts { program, evidence, errors, successors, matters, rank })
    }

    /// The cut points from which paths have to be followed.
    pub fn starts(&self) -> impl Iterator<Item = LocationId> + '_ {
        let all = (0..self.program.locations.len() as u32).map(LocationId);
        all.filter(|&at| self.matters[at.0 as usize] && self.is_cut(at))
    }

    /// Is a location that matters a cut point?
    pub fn is_cut(&self, at: LocationId) -> bool {
        self.rank[at.0 as usize].is_none()
    }

    fn clauses(&self, at: LocationId) -> &[Term] {
        self.evidence.at.get(&at).map_or(&[], Vec::as_slice)
    }
}

fn matters(program: &Program, is_cut: &[bool]) -> Vec<bool> {
    let count = program.locations.len();
    let (mut forward, mut backward) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for edge in &program.edges {
        forward[edge.from.0 as usize].push(edge.to.0 as usize);
        backward[edge.to.0 as usize].push(edge.from.0 as usize);
    }
    let reached = reach(&forward, vec![program.entry.0 as usize]);
    let cuts = (0..count).filter(|&at| is_cut[at] && reached[at]).collect();
    let leading = reach(&backward, cuts);
    reached.iter().zip(leading).map(|(&reached, leads)| reached && leads).collect()
}

fn reach(next: &[Vec<usize>], mut stack: Vec<usize>) -> Vec<bool> {
    let mut reached = vec![false; next.len()];
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            stack.extend(&next[at]);
        }
    }
    reached
}

/// An order of these locations along the edges between them; refused if there is none.
fn ranks(program: &Program, among: &[bool]) -> Result<Vec<Option<usize>>, ProgramRefusal> {
    let inner: Vec<(usize, usize)> = program
        .edges
        .iter()
        .map(|edge| (edge.from.0 as usize, edge.to.0 as usize))
        .filter(|&(from, to)| among[from] && among[to])
        .collect();
    let (mut next, mut missing) = (vec![Vec::new(); among.len()], vec![0_usize; among.len()]);
    for &(from, to) in &inner {
        next[from].push(to);
        missing[to] += 1;
    }
    let mut rank = vec![None; among.len()];
    let mut ready: Vec<usize> =
        (0..among.len()).filter(|&at| among[at] && missing[at] == 0).collect();
    let mut done = 0;
    while let Some(at) = ready.pop() {
        rank[at] = Some(done);
        done += 1;
        for &to in &next[at] {
            missing[to] -= 1;
            if missing[to] == 0 {
                ready.push(to);
            }
        }
    }
    match (0..among.len()).find(|&at| among[at] && rank[at].is_none()) {
        None => Ok(rank),
        Some(late) => Err(ProgramRefusal::Uncut(on_cycle(late, &inner, &rank))),
    }
}

/// A location without a rank has a predecessor without one; going backwards leads to a cycle.
fn on_cycle(late: usize, edges: &[(usize, usize)], rank: &[Option<usize>]) -> LocationId {
    let mut seen = vec![false; rank.len()];
    let mut at = late;
    while !std::mem::replace(&mut seen[at], true) {
        let before = edges.iter().find(|&&(from, to)| to == at && rank[from].is_none());
        at = before.expect("somebody without a rank is before").0;
    }
    LocationId(at as u32)
}

/// What has to be impossible after one cut point.
struct Question<'a> {
    walk: Walk<'a>,
    /// What a model of each symbol shows.
    goals: Vec<(String, ProgramRefusal)>,
}

impl<'a> Question<'a> {
    // SAT?  invariant of `from` ∧ a path to a cut point ∧ ¬ clause of its invariant
    fn new(cuts: &'a Cuts<'a>, from: LocationId) -> Result<Self, ProgramRefusal> {
        let (walk, start) = Walk::new(cuts);
        let mut question = Question { walk, goals: Vec::new() };
        for (clause, symbol) in question.clauses(cuts, from, &start)?.into_iter().enumerate() {
            if from == cuts.program.entry {
                let violated = format!("(not {symbol})");
                question.goal(&violated, ProgramRefusal::Initiation { clause });
            } else {
                question.walk.text.assert(&symbol);
            }
        }
        let ends = question.walk.follow(from, &start);
        // A fault in the program's own statements is told of where the walk began.
        for (to, arrival) in ends.map_err(|fault| refused(fault, from))? {
            if let Some(&property) = cuts.errors.get(&to) {
                question.goal(&arrival.formula, ProgramRefusal::Safety { from, property });
                continue;
            }
            for (clause, symbol) in question.clauses(cuts, to, &arrival)?.into_iter().enumerate() {
                let violated = format!("(and {} (not {symbol}))", arrival.formula);
                question.goal(&violated, ProgramRefusal::Consecution { from, to, clause });
            }
        }
        Ok(question)
    }

    fn clauses(
        &mut self,
        cuts: &Cuts<'_>,
        at: LocationId,
        arrival: &Arrival,
    ) -> Result<Vec<String>, ProgramRefusal> {
        let terms = &cuts.evidence.terms;
        let text = |&clause: &Term| {
            if *terms.sort(clause) != Sort::Bool {
                return Err(ProgramRefusal::IllSorted(at));
            }
            self.walk.term(terms, clause, arrival).map_err(|fault| refused(fault, at))
        };
        cuts.clauses(at).iter().map(text).collect()
    }

    fn goal(&mut self, violated: &str, refusal: ProgramRefusal) {
        let symbol = format!("goal{}", self.goals.len());
        self.walk.text.define_bool(&symbol, violated);
        self.goals.push((symbol, refusal));
    }

    fn ask(&self, session: &mut Session<'_>) -> Result<(), ProgramRefusal> {
        match &self.goals[..] {
            [] => return Ok(()),
            [_] => {}
            [_, ..] => match self.one_of(&self.goals, session, Some(PATIENCE)) {
                Err(ProgramRefusal::OutOfTime) => {}
                decided => return decided,
            },
        }
        let mut answer = Ok(());
        for goal in &self.goals {
            match self.one_of(std::slice::from_ref(goal), session, None) {
                Ok(()) => {}
                Err(ProgramRefusal::OutOfTime) => answer = Err(ProgramRefusal::OutOfTime),
                Err(refusal) => return Err(refusal),
            }
        }
        answer
    }

    /// Adds the properties whose error locations are reached from here.
    fn find_reached(
        &self,
        session: &mut Session<'_>,
        reached: &mut BTreeSet<PropertyId>,
    ) -> Result<(), ProgramRefusal> {
        loop {
            let is_open = |goal: &&(String, ProgramRefusal)| match goal.1 {
                ProgramRefusal::Safety { property, .. } => !reached.contains(&property),
                _ => false,
            };
            let open: Vec<(String, ProgramRefusal)> =
                self.goals.iter().filter(is_open).cloned().collect();
            if open.is_empty() {
                return Ok(());
            }
            match self.one_of(&open, session, None) {
                Ok(()) => return Ok(()),
                Err(ProgramRefusal::Safety { property, .. }) => reached.insert(property),
                Err(refusal) => return Err(refusal),
            };
        }
    }

    fn one_of(
        &self,
        goals: &[(String, ProgramRefusal)],
        session: &mut Session<'_>,
        patience: Option<Duration>,
    ) -> Result<(), ProgramRefusal> {
        let symbols: Vec<String> = goals.iter().map(|(symbol, _)| symbol.clone()).collect();
        let text = format!("{}(assert (or {}))\n", self.walk.text.as_str(), symbols.join(" "));
        match session.ask(&text, &symbols, patience)? {
            Reply::Unsat => Ok(()),
            Reply::Unknown | Reply::Late => Err(ProgramRefusal::OutOfTime),
            Reply::Sat(holds) => {
                let shown = goals.iter().zip(holds).find(|(_, holds)| *holds);
                let silent = || ProgramRefusal::Solver("sat, without a value that is so".into());
                Err(shown.map_or_else(silent, |((_, refusal), _)| refusal.clone()))
            }
        }
    }
}

fn refused(fault: Fault, location: LocationId) -> ProgramRefusal {
    match fault {
        Fault::Foreign(name) => ProgramRefusal::Foreign { location, name },
        Fault::IllSorted => ProgramRefusal::IllSorted(location),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use elinvar_ir::program::{Function, Terms};
    use elinvar_models::Sketch;

    use super::*;

    const HEAD: LocationId = LocationId(1);
    const PROPERTY: PropertyId = PropertyId(0);

    /// Figure 3.3: `x, y := 0, 0; while (*) { x, y := x + 1, y + 1; } assert x = y;`
    fn figure_3_3() -> Program {
        let mut sketch = Sketch::new();
        let [x, y] = ["x", "y"].map(|name| sketch.variable(name, Sort::Int));
        let [head, end] = [0; 2].map(|_| sketch.location());
        let terms = &mut sketch.terms;
        let (zero, one) = (terms.int(0), terms.int(1));
        let (a, b) = (terms.variable(x), terms.variable(y));
        let (next_a, next_b) = (terms.add([a, one]), terms.add([b, one]));
        let equal = terms.equal(a, b);
        sketch.assign(Sketch::ENTRY, head, &[(x, zero), (y, zero)]);
        sketch.assign(head, head, &[(x, next_a), (y, next_b)]);
        sketch.assert(head, end, equal);
        sketch.finish()
    }

    /// The figure's program with what `at` says at locations.
    fn check(
        at: impl Fn(&mut Terms, [Term; 2]) -> Vec<(LocationId, Vec<Term>)>,
    ) -> Result<(), ProgramRefusal> {
        let program = figure_3_3();
        let mut terms = program.terms.clone();
        let variables = [0, 1].map(|v| terms.variable(program.variables[v]));
        let at = at(&mut terms, variables).into_iter().collect();
        let evidence = Invariants { terms: Arc::new(terms), at };
        prove(&program, &evidence)
    }

    fn prove(program: &Program, evidence: &Invariants) -> Result<(), ProgramRefusal> {
        invariants(program, &[PROPERTY], evidence, &SmtSolver::default(), &Budget::default())
    }

    #[test]
    fn the_invariant_of_the_thesis_is_accepted() {
        assert_eq!(check(|terms, [x, y]| vec![(HEAD, vec![terms.equal(x, y)])]), Ok(()));
        // With more that is true, also where it is not needed.
        let more = |terms: &mut Terms, [x, y]: [Term; 2]| {
            let (zero, equal) = (terms.int(0), terms.equal(x, y));
            let positive = terms.at_most(zero, y);
            vec![(HEAD, vec![equal, positive]), (LocationId(2), vec![positive])]
        };
        assert_eq!(check(more), Ok(()));
    }

    /// Whatever a process has answered before, the next proof is judged alone.
    #[test]
    fn a_kept_process_judges_each_proof_alone() {
        let program = figure_3_3();
        let evidence = |equal: bool| {
            let mut terms = program.terms.clone();
            let [x, y] = [0, 1].map(|v| terms.variable(program.variables[v]));
            let clauses = if equal { vec![terms.equal(x, y)] } else { Vec::new() };
            Invariants { terms: Arc::new(terms), at: BTreeMap::from([(HEAD, clauses)]) }
        };
        let mut process = SolverProcess::new(SmtSolver::default());
        let mut prove = |evidence: &Invariants| {
            let budget = Budget::default();
            invariants_with(&program, &[PROPERTY], evidence, &mut process, &budget)
        };
        let refused = Err(ProgramRefusal::Safety { from: HEAD, property: PROPERTY });
        assert_eq!(prove(&evidence(true)), Ok(()));
        assert_eq!(prove(&evidence(false)), refused);
        assert_eq!(prove(&evidence(true)), Ok(()));
    }

    #[test]
    fn too_weak_an_invariant_is_refused() {
        let safety = Err(ProgramRefusal::Safety { from: HEAD, property: PROPERTY });
        assert_eq!(check(|_, _| vec![(HEAD, vec![])]), safety);
    }

    #[test]
    fn too_strong_an_invariant_is_refused() {
        let false_at_first = check(|terms, [x, y]| {
            let one = terms.int(1);
            vec![(HEAD, vec![terms.equal(x, y), terms.at_most(one, x)])]
        });
        let from = Sketch::ENTRY;
        let refusal = ProgramRefusal::Consecution { from, to: HEAD, clause: 1 };
        assert_eq!(false_at_first, Err(refusal));
        let false_later = check(|terms, [x, y]| {
            let two = terms.int(2);
            vec![(HEAD, vec![terms.equal(x, y), terms.at_most(x, two)])]
        });
        let refusal = ProgramRefusal::Consecution { from: HEAD, to: HEAD, clause: 1 };
        assert_eq!(false_later, Err(refusal));
    }

    #[test]
    fn invariants_that_no_error_needs_are_proved_all_the_same() {
        let refused = check(|terms, [x, y]| {
            let zero = terms.int(0);
            vec![(HEAD, vec![terms.equal(x, y)]), (LocationId(2), vec![terms.at_most(x, zero)])]
        });
        let refusal = ProgramRefusal::Consecution { from: HEAD, to: LocationId(2), clause: 0 };
        assert_eq!(refused, Err(refusal));
        let refused = check(|terms, [x, y]| {
            let equal = terms.equal(x, y);
            vec![(Sketch::ENTRY, vec![equal]), (HEAD, vec![equal])]
        });
        assert_eq!(refused, Err(ProgramRefusal::Initiation { clause: 0 }));
    }

    #[test]
    fn an_error_is_no_place_for_an_invariant() {
        let error = figure_3_3().property(PROPERTY).error;
        let refused = check(|_, _| vec![(HEAD, vec![]), (error, vec![])]);
        assert_eq!(refused, Err(ProgramRefusal::Safety { from: HEAD, property: PROPERTY }));
    }

    #[test]
    fn a_cycle_without_an_invariant_is_refused() {
        assert_eq!(check(|_, _| vec![]), Err(ProgramRefusal::Uncut(HEAD)));
    }

    #[test]
    fn what_is_not_the_programs_is_refused() {
        let foreign = check(|terms, _| {
            let z = terms.declare("z", Sort::Bool);
            vec![(HEAD, vec![terms.variable(z)])]
        });
        let name = "z".to_string();
        assert_eq!(foreign, Err(ProgramRefusal::Foreign { location: HEAD, name }));
        let foreign = check(|terms, [x, y]| {
            let f = terms.declare_function(Function {
                name: "f".to_string(),
                arguments: vec![Sort::Int, Sort::Int],
                result: Sort::Bool,
                approximates: None,
            });
            vec![(HEAD, vec![terms.apply(f, vec![x, y])])]
        });
        let name = "f".to_string();
        assert_eq!(foreign, Err(ProgramRefusal::Foreign { location: HEAD, name }));
        let nowhere = LocationId(9);
        assert_eq!(
            check(|_, _| vec![(nowhere, vec![])]),
            Err(ProgramRefusal::NoSuchLocation(nowhere))
        );
    }

    #[test]
    fn sorts_are_checked() {
        let ill_sorted = Err(ProgramRefusal::IllSorted(HEAD));
        assert_eq!(check(|_, [x, _]| vec![(HEAD, vec![x])]), ill_sorted);
        // A pool of others, where the same numbers mean other variables.
        let mut terms = Terms::new();
        let p = terms.declare("p", Sort::Bool);
        let at = BTreeMap::from([(HEAD, vec![terms.variable(p)])]);
        let evidence = Invariants { terms: Arc::new(terms), at };
        assert_eq!(prove(&figure_3_3(), &evidence), ill_sorted);
    }

    #[test]
    fn properties_are_the_programs() {
        let program = figure_3_3();
        let evidence = Invariants { terms: Arc::new(program.terms.clone()), at: BTreeMap::new() };
        let missing = [PropertyId(1)];
        let (solver, budget) = (SmtSolver::default(), Budget::default());
        let refused = invariants(&program, &missing, &evidence, &solver, &budget);
        assert_eq!(refused, Err(ProgramRefusal::NoSuchProperty(missing[0])));
    }

    #[test]
    fn a_program_that_starts_in_its_error_is_refused() {
        let mut program = figure_3_3();
        program.properties[0].error = program.entry;
        let evidence = Invariants { terms: Arc::new(program.terms.clone()), at: BTreeMap::new() };
        let refusal = ProgramRefusal::Safety { from: program.entry, property: PROPERTY };
        assert_eq!(prove(&program, &evidence), Err(refusal));
    }

    #[test]
    fn no_time_is_not_the_same_as_wrong() {
        let program = figure_3_3();
        let mut terms = program.terms.clone();
        let [x, y] = [0, 1].map(|v| terms.variable(program.variables[v]));
        let at = BTreeMap::from([(HEAD, vec![terms.equal(x, y)])]);
        let evidence = Invariants { terms: Arc::new(terms), at };
        let spent = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        let sleeper = SmtSolver { command: ["sleep", "100"].map(String::from).to_vec() };
        let refusal = invariants(&program, &[PROPERTY], &evidence, &sleeper, &spent).unwrap_err();
        assert_eq!(refusal, ProgramRefusal::OutOfTime);
        assert!(!refusal.is_wrong());
        let missing = SmtSolver { command: vec!["no-such-solver".to_string()] };
        let refusal = invariants(&program, &[PROPERTY], &evidence, &missing, &Budget::default());
        assert!(matches!(refusal, Err(ProgramRefusal::NoSolver { .. })));
    }

    /// Both branches assign, an edge has a twin that assigns something else, and a choice
    /// is made: `if (*) { x := 1; } else { x := 2; }  y := 0 [] y := x;  havoc y;`
    #[test]
    fn all_ways_to_a_place_are_followed() {
        let mut sketch = Sketch::new();
        let [x, y] = ["x", "y"].map(|name| sketch.variable(name, Sort::Int));
        let [join, twins, chosen] = [0; 3].map(|_| sketch.location());
        let [zero, one, two] = [0, 1, 2].map(|n| sketch.terms.int(n));
        let (a, b) = (sketch.terms.variable(x), sketch.terms.variable(y));
        sketch.assign(Sketch::ENTRY, join, &[(x, one)]);
        sketch.assign(Sketch::ENTRY, join, &[(x, two)]);
        sketch.assign(join, twins, &[(y, zero)]);
        sketch.assign(join, twins, &[(y, a)]);
        let program = |sketch: &Sketch, at, condition| {
            let mut sketch = sketch.clone();
            sketch.error(at, condition);
            sketch.finish()
        };
        let holds = |program: &Program| {
            let terms = Arc::new(program.terms.clone());
            prove(program, &Invariants { terms, at: BTreeMap::new() }).is_ok()
        };
        for (n, possible) in [(0, true), (1, true), (2, true), (3, false)] {
            let number = sketch.terms.int(n);
            let is = sketch.terms.equal(b, number);
            assert_eq!(holds(&program(&sketch, twins, is)), !possible, "y = {n}");
        }
        let (larger, zero) = (sketch.terms.less(a, b), sketch.terms.equal(b, zero));
        assert!(holds(&program(&sketch, twins, larger)));
        let differs = sketch.terms.not(zero);
        let same = sketch.terms.equal(a, b);
        let not_same = sketch.terms.not(same);
        let neither = sketch.terms.and([differs, not_same]);
        assert!(holds(&program(&sketch, twins, neither)));
        sketch.havoc(twins, chosen, &[y]);
        assert!(!holds(&program(&sketch, chosen, neither)));
    }

    /// Three thousand statements, each in terms of the one before, and a deep condition.
    #[test]
    fn long_paths_and_deep_terms_are_no_problem() {
        let mut sketch = Sketch::new();
        let [x, y] = ["x", "y"].map(|name| sketch.variable(name, Sort::Int));
        let f = sketch.terms.declare_function(Function {
            name: "f".to_string(),
            arguments: vec![Sort::Int],
            result: Sort::Int,
            approximates: None,
        });
        let (a, b) = (sketch.terms.variable(x), sketch.terms.variable(y));
        let next = sketch.terms.apply(f, vec![a]);
        let mut deep = b;
        let mut at = sketch.location();
        sketch.assign(Sketch::ENTRY, at, &[(x, b)]);
        for _ in 0..3000 {
            deep = sketch.terms.apply(f, vec![deep]);
            let to = sketch.location();
            sketch.assign(at, to, &[(x, next)]);
            at = to;
        }
        let end = sketch.location();
        let condition = sketch.terms.equal(a, deep);
        sketch.assert(at, end, condition);
        let program = sketch.finish();
        let terms = Arc::new(program.terms.clone());
        assert_eq!(prove(&program, &Invariants { terms, at: BTreeMap::new() }), Ok(()));
    }

    /// x and y count together; the location after the assertion is reached, the error is not.
    #[test]
    fn locations_that_invariants_exclude_are_found() {
        let mut program = figure_3_3();
        let end = program.edges.iter().find(|edge| edge.from == HEAD && edge.to != HEAD);
        let end = end.map(|edge| edge.to).unwrap();
        let skip = program.terms.bool(true);
        // Is the loop left with a number below zero, or with any?
        let x = program.terms.variable(program.variables[0]);
        let zero = program.terms.int(0);
        let negative = program.terms.at_most(x, zero);
        let is_zero = program.terms.equal(x, zero);
        let nonzero = program.terms.not(is_zero);
        let negative = program.terms.and([negative, nonzero]);
        for condition in [skip, negative] {
            let error = LocationId(program.locations.len() as u32);
            program.locations.push(Default::default());
            let statement = elinvar_ir::program::Statement::Assume(condition);
            program.edges.push(elinvar_ir::program::Edge {
                from: end,
                to: error,
                statement,
                span: 0..0,
                approximates: None,
            });
            let first = program.properties[0].clone();
            program.properties.push(elinvar_ir::program::Assertion { error, ..first });
        }
        let mut terms = program.terms.clone();
        let [x, y] = [0, 1].map(|v| terms.variable(program.variables[v]));
        let (zero, same) = (terms.int(0), terms.equal(x, y));
        let natural = terms.at_most(zero, x);
        let at = BTreeMap::from([(HEAD, vec![same, natural])]);
        let accepted = Invariants { terms: Arc::new(terms), at };
        assert_eq!(prove(&program, &accepted), Ok(()));
        let all = [0, 1, 2].map(PropertyId);
        let mut process = SolverProcess::new(SmtSolver::default());
        let ask =
            |process: &mut _, budget: &Budget| excluded(&program, &all, &accepted, process, budget);
        let dead = ask(&mut process, &Budget::default());
        assert_eq!(dead, Ok(vec![true, false, true]));
        let late = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        let sleeper = SmtSolver { command: ["sleep", "100"].map(String::from).to_vec() };
        assert!(ask(&mut SolverProcess::new(sleeper), &late).is_err());
    }
}
