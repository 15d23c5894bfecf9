//! Which variables are followed, and which of them together.
//!
//! An octagon costs the cube of its variables. Where there are many, they are put into
//! packs of those that meet in a loop or a statement [Blanchet et al., "A static analyzer
//! for large safety-critical software", 2003]; packs share what they know of single
//! variables.

use std::collections::BTreeMap;

use elinvar_ir::program::{EdgeId, Op, Program, Sort, Statement, Term, Terms, VariableId};

use super::Domain;
use super::graph::Graph;

/// A variable of numbers, by position among those that are followed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Slot(pub(super) usize);

/// A Boolean variable, by position among those that are followed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Flag(pub(super) usize);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Number(Slot),
    Bool(Flag),
    /// Words, maps and the elements of uninterpreted types, and who does not occur.
    Nowhere,
}

/// Variables of one octagon, all integers or all reals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pack {
    pub(super) members: Vec<Slot>,
    pub(super) integral: bool,
}

/// Where a variable is in a pack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seat {
    pub(super) pack: usize,
    pub(super) position: usize,
}

pub(super) struct Layout {
    /// By variable.
    places: Vec<Place>,
    /// By slot.
    pub(super) numbers: Vec<VariableId>,
    /// By flag.
    pub(super) bools: Vec<VariableId>,
    /// By slot: is it an integer?
    pub(super) integral: Vec<bool>,
    pub(super) packs: Vec<Pack>,
    /// By slot.
    seats: Vec<Vec<Seat>>,
}

/// So many variables share one octagon without being asked whether they meet.
const TOGETHER: usize = 12;
/// The size of packs where there are more.
const PACK: usize = 8;
/// Statements about more variables say little about pairs of them.
const STATEMENT: usize = 6;

impl Layout {
    pub(super) fn of(program: &Program, graph: &Graph, domain: Domain) -> Self {
        let mut layout = Layout {
            places: vec![Place::Nowhere; program.terms.variables().len()],
            numbers: Vec::new(),
            bools: Vec::new(),
            integral: Vec::new(),
            packs: Vec::new(),
            seats: Vec::new(),
        };
        let read = graph.edges().flat_map(|edge| program.edge(edge).statement.terms());
        for variable in program.terms.free_variables(read) {
            layout.give_place(variable, program.terms.variable_sort(variable));
        }
        if domain == Domain::Octagons {
            let meetings = Meetings { program, layout: &layout };
            layout.packs =
                [true, false].into_iter().flat_map(|kind| meetings.packs(graph, kind)).collect();
        }
        layout.seats = vec![Vec::new(); layout.numbers.len()];
        for (pack, members) in layout.packs.iter().enumerate() {
            for (position, slot) in members.members.iter().enumerate() {
                layout.seats[slot.0].push(Seat { pack, position });
            }
        }
        layout
    }

    fn give_place(&mut self, variable: VariableId, sort: &Sort) {
        self.places[variable.0 as usize] = match sort {
            Sort::Int | Sort::Real => {
                self.numbers.push(variable);
                self.integral.push(*sort == Sort::Int);
                Place::Number(Slot(self.numbers.len() - 1))
            }
            Sort::Bool => {
                self.bools.push(variable);
                Place::Bool(Flag(self.bools.len() - 1))
            }
            Sort::Word(_) | Sort::Named(_) | Sort::Map(_) => Place::Nowhere,
        };
    }

    pub(super) fn place(&self, variable: VariableId) -> Place {
        self.places[variable.0 as usize]
    }

    pub(super) fn seats(&self, slot: Slot) -> &[Seat] {
        &self.seats[slot.0]
    }

    /// The seats of two variables in the packs that have both.
    pub(super) fn common_seats(&self, a: Slot, b: Slot) -> impl Iterator<Item = (Seat, Seat)> {
        let pairs =
            self.seats(a).iter().flat_map(move |a| self.seats(b).iter().map(move |b| (*a, *b)));
        pairs.filter(|(a, b)| a.pack == b.pack)
    }
}

/// Who meets whom in statements.
struct Meetings<'a> {
    program: &'a Program,
    layout: &'a Layout,
}

impl Meetings<'_> {
    /// The packs of all integers, or of all reals.
    fn packs(&self, graph: &Graph, integral: bool) -> Vec<Pack> {
        let slots = (0..self.layout.numbers.len()).map(Slot);
        let members: Vec<Slot> =
            slots.filter(|slot| self.layout.integral[slot.0] == integral).collect();
        let mut groups = match members.len() {
            0 | 1 => Vec::new(),
            few if few <= TOGETHER => vec![members],
            _ => self.of_loops(graph, integral),
        };
        if groups.is_empty() || groups[0].len() <= PACK {
            let more = self.of_statements(graph, integral, &groups);
            groups.extend(more);
        }
        groups.into_iter().map(|members| Pack { members, integral }).collect()
    }

    /// For each loop, the variables that occur there most often, best with others.
    fn of_loops(&self, graph: &Graph, integral: bool) -> Vec<Vec<Slot>> {
        let mut groups: Vec<Vec<Slot>> = Vec::new();
        for edges in graph.loops(self.program) {
            let mut often: BTreeMap<Slot, usize> = BTreeMap::new();
            for edge in edges {
                for met in self.in_statement(edge, integral) {
                    met.iter().for_each(|slot| *often.entry(*slot).or_default() += met.len());
                }
            }
            let mut ranked: Vec<(Slot, usize)> = often.into_iter().collect();
            ranked.sort_by_key(|&(slot, count)| (std::cmp::Reverse(count), slot));
            let mut group: Vec<Slot> =
                ranked.into_iter().take(PACK).map(|(slot, _)| slot).collect();
            group.sort_unstable();
            if group.len() > 1 && !groups.iter().any(|known| includes(known, &group)) {
                groups.push(group);
            }
        }
        groups
    }

    /// Those that meet in statements and have no pack, the most frequent meetings first.
    fn of_statements(&self, graph: &Graph, integral: bool, known: &[Vec<Slot>]) -> Vec<Vec<Slot>> {
        let mut often: BTreeMap<[Slot; 2], usize> = BTreeMap::new();
        for met in graph.edges().flat_map(|edge| self.in_statement(edge, integral)) {
            for (at, &a) in met.iter().enumerate() {
                met[at + 1..].iter().for_each(|&b| *often.entry([a, b]).or_default() += 1);
            }
        }
        let mut pairs: Vec<([Slot; 2], usize)> = often.into_iter().collect();
        pairs.retain(|(pair, _)| !known.iter().any(|group| includes(group, pair)));
        pairs.sort_by_key(|&(pair, count)| (std::cmp::Reverse(count), pair));
        let mut groups: Vec<Vec<Slot>> = Vec::new();
        for ([a, b], _) in pairs {
            let of = |slot: Slot| groups.iter().position(|group| group.contains(&slot));
            let (of_a, of_b) = (of(a), of(b));
            let mut group = vec![a, b];
            group.extend(of_a.into_iter().chain(of_b).flat_map(|at| groups[at].iter().copied()));
            group.sort_unstable();
            group.dedup();
            if group.len() <= PACK {
                groups.retain(|known| !includes(&group, known));
                groups.push(group);
            }
        }
        groups
    }

    /// The variables of each comparison and of each assignment.
    fn in_statement(&self, edge: EdgeId, integral: bool) -> Vec<Vec<Slot>> {
        let terms = &self.program.terms;
        let statement = &self.program.edge(edge).statement;
        let comparisons = terms.subterms(statement.terms()).into_iter();
        let mut met: Vec<Vec<VariableId>> = comparisons
            .filter(|&term| is_comparison(terms, term))
            .map(|term| terms.free_variables([term]))
            .collect();
        if let Statement::Assign(assignments) = statement {
            met.extend(assignments.iter().map(|&(variable, value)| {
                terms.free_variables([value]).into_iter().chain([variable]).collect()
            }));
        }
        let slot = |variable: VariableId| match self.layout.place(variable) {
            Place::Number(slot) => {
                Some(slot).filter(|slot| self.layout.integral[slot.0] == integral)
            }
            Place::Bool(_) | Place::Nowhere => None,
        };
        let mut met: Vec<Vec<Slot>> =
            met.into_iter().map(|group| group.into_iter().filter_map(slot).collect()).collect();
        for group in &mut met {
            group.sort_unstable();
            group.dedup();
        }
        met.retain(|group| (1..=STATEMENT).contains(&group.len()));
        met
    }
}

fn is_comparison(terms: &Terms, term: Term) -> bool {
    [Op::AtMost, Op::Less, Op::Equal].into_iter().any(|op| terms.as_op(term, op).is_some())
}

/// Are the slots of the second, which is in order, all in the first?
fn includes(group: &[Slot], part: &[Slot]) -> bool {
    part.iter().all(|slot| group.contains(slot))
}
