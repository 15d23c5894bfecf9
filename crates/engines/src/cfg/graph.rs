//! The program in large blocks, with a solver for each.

use std::collections::BTreeMap;
use std::time::Duration;

use elinvar_ir::program::{
    Block, Blocks, LocationId, Program, Sort, Term, Terms, VariableId, large_blocks,
};
use elinvar_smt::{Answer, Context, Model, Solver};
use rustc_hash::FxHashMap;

use super::frames::{Frames, INVARIANT, Lemma};
use super::valuation::Valuation;

/// A solver that knows more assumptions than this is made anew.
const MOST_ASSUMPTIONS: usize = 3000;

/// A block by its position.
pub type BlockIndex = usize;

/// A block with the solver that is asked about it: its guard is asserted, and the
/// lemmas of the location where it begins, each under its level.
struct Asked {
    block: Block,
    /// Made when it is asked first.
    place: Option<Place>,
    /// What terms of the last location are before the block.
    before: FxHashMap<Term, Term>,
}

/// A solver that knows the lemmas of a location.
struct Place {
    solver: Solver,
    /// How much of the location's log it knows.
    learnt: usize,
}

impl Place {
    /// Too much was assumed once.
    fn is_worn(&self) -> bool {
        self.solver.assumptions() > MOST_ASSUMPTIONS
    }

    fn learn(&mut self, terms: &Terms, formulas: Vec<Term>) {
        self.learnt += formulas.len();
        formulas.into_iter().for_each(|formula| self.solver.assert(terms, formula));
    }
}

/// What a query gave.
pub enum Outcome {
    /// No step: the literals of the cube that were needed, by position.
    Blocked(Vec<usize>),
    /// The state before, with the inputs.
    Step(Box<Valuation>),
    /// Z3 does not know, or not in time.
    Unknown(String),
}

pub struct Graph {
    pub terms: Terms,
    pub context: Context,
    pub entry: LocationId,
    pub locations: Vec<LocationId>,
    errors: Vec<LocationId>,
    pub live: BTreeMap<LocationId, Vec<VariableId>>,
    blocks: Vec<Asked>,
    into: BTreeMap<LocationId, Vec<BlockIndex>>,
    places: BTreeMap<LocationId, Place>,
    /// Booleans that switch on the lemmas of a level.
    levels: Vec<Term>,
    pub queries: u64,
}

impl Graph {
    pub fn new(program: &Program, errors: &[LocationId], context: Context) -> Self {
        let Blocks { mut terms, entry, locations, blocks, live } = large_blocks(program, errors);
        let mut into: BTreeMap<LocationId, Vec<BlockIndex>> = BTreeMap::new();
        for (index, block) in blocks.iter().enumerate() {
            into.entry(block.to).or_default().push(index);
        }
        let blocks = blocks.into_iter().map(|block| Asked::new(block, &mut terms)).collect();
        let errors = errors.to_vec();
        Graph {
            terms,
            context,
            entry,
            locations,
            errors,
            live,
            blocks,
            into,
            levels: Vec::new(),
            places: BTreeMap::new(),
            queries: 0,
        }
    }

    pub fn block(&self, index: BlockIndex) -> &Block {
        &self.blocks[index].block
    }

    pub fn blocks_from(&self, at: LocationId) -> Vec<BlockIndex> {
        (0..self.blocks.len()).filter(|&index| self.blocks[index].block.from == at).collect()
    }

    pub fn block_indices(&self) -> std::ops::Range<BlockIndex> {
        0..self.blocks.len()
    }

    pub fn is_error(&self, at: LocationId) -> bool {
        self.errors.contains(&at)
    }

    pub fn blocks_into(&self, at: LocationId) -> Vec<BlockIndex> {
        self.into.get(&at).cloned().unwrap_or_default()
    }

    /// What a formula at the end of a block is before it.
    pub fn before(&mut self, block: BlockIndex, term: Term) -> Term {
        self.terms.replace(term, &mut self.blocks[block].before)
    }

    fn level(&mut self, level: usize) -> Term {
        while self.levels.len() <= level {
            let variable = self.terms.declare(format!("level{}", self.levels.len()), Sort::Bool);
            let term = self.terms.variable(variable);
            self.levels.push(term);
        }
        self.levels[level]
    }

    /// Is there a step of the block from the frame of a level into a cube? `also` is
    /// assumed of the state before.
    pub fn ask(
        &mut self,
        index: BlockIndex,
        (frames, level): (&Frames, usize),
        also: &[Term],
        cube: &[Term],
        limit: Duration,
    ) -> Outcome {
        let targets: Vec<Term> = cube.iter().map(|&literal| self.before(index, literal)).collect();
        if let Some(at) =
            targets.iter().position(|&target| self.terms.as_bool(target) == Some(false))
        {
            return Outcome::Blocked(vec![at]);
        }
        self.catch_up(index, frames);
        let mut assumptions: Vec<Term> = self.levels.get(level..).unwrap_or_default().to_vec();
        assumptions.extend_from_slice(also);
        let first = assumptions.len();
        let mut positions = Vec::new();
        for (position, &target) in targets.iter().enumerate() {
            if self.terms.as_bool(target).is_none() {
                assumptions.push(target);
                positions.push(position);
            }
        }
        self.queries += 1;
        let solver = &mut self.blocks[index].place.as_mut().expect("just made").solver;
        match solver.check(&self.terms, &assumptions, limit) {
            Answer::Unsat => {
                let core = solver.core();
                let needed = core.into_iter().filter(|&at| at >= first);
                Outcome::Blocked(needed.map(|at| positions[at - first]).collect())
            }
            Answer::Sat => {
                let model = solver.model();
                self.step(index, model)
            }
            Answer::Unknown(why) if is_interrupt(&why) => Outcome::Unknown(why),
            Answer::Unknown(_) => {
                let assumptions = also.iter().chain(&targets).copied();
                match self.ask_again(index, (frames, level), assumptions, limit) {
                    Outcome::Blocked(_) => Outcome::Blocked((0..cube.len()).collect()),
                    other => other,
                }
            }
        }
    }

    /// What the incremental solver does not know, Z3's choice of tactics may.
    fn ask_again(
        &mut self,
        index: BlockIndex,
        (frames, level): (&Frames, usize),
        assumptions: impl Iterator<Item = Term>,
        limit: Duration,
    ) -> Outcome {
        let block = &self.blocks[index].block;
        let lemmas = frames.lemmas(block.from).iter().filter(|lemma| lemma.level >= level);
        let mut solver = Solver::with_tactics(&self.context);
        for formula in lemmas.map(|lemma| lemma.clause).chain([block.guard]).chain(assumptions) {
            solver.assert(&self.terms, formula);
        }
        match solver.check(&self.terms, &[], limit) {
            Answer::Unsat => Outcome::Blocked(Vec::new()),
            Answer::Sat => self.step(index, solver.model()),
            Answer::Unknown(why) => Outcome::Unknown(why),
        }
    }

    fn step(&self, index: BlockIndex, model: Option<Model>) -> Outcome {
        let block = &self.blocks[index].block;
        let variables = self.live[&block.from].iter().chain(&block.inputs).copied();
        let state = model.and_then(|model| Valuation::of_model(&self.terms, &model, variables));
        match state {
            Some(state) => Outcome::Step(Box::new(state)),
            None => Outcome::Unknown("a model of Z3 has values that cannot be read".to_owned()),
        }
    }

    /// Do the lemmas of a level exclude a cube?
    pub fn excludes(
        &mut self,
        at: LocationId,
        (frames, level): (&Frames, usize),
        cube: &[Term],
        limit: Duration,
    ) -> bool {
        if self.places.get(&at).is_none_or(Place::is_worn) {
            let place = Place { solver: Solver::new(&self.context), learnt: 0 };
            self.places.insert(at, place);
        }
        let news = self.news(at, frames, self.places[&at].learnt);
        let mut assumptions: Vec<Term> = self.levels.get(level..).unwrap_or_default().to_vec();
        assumptions.extend_from_slice(cube);
        let place = self.places.get_mut(&at).expect("just made");
        place.learn(&self.terms, news);
        self.queries += 1;
        place.solver.check(&self.terms, &assumptions, limit) == Answer::Unsat
    }

    /// A lemma that counts when its level does.
    fn switched(&mut self, lemma: &Lemma) -> Term {
        if lemma.level == INVARIANT {
            return lemma.clause;
        }
        let switch = self.level(lemma.level);
        self.terms.implies(switch, lemma.clause)
    }

    /// The lemmas of a location from a place of its log on.
    fn news(&mut self, at: LocationId, frames: &Frames, from: usize) -> Vec<Term> {
        let log = frames.log(at).get(from..).unwrap_or_default();
        log.iter().map(|lemma| self.switched(lemma)).collect()
    }

    fn catch_up(&mut self, index: BlockIndex, frames: &Frames) {
        let asked = &mut self.blocks[index];
        if asked.place.as_ref().is_none_or(Place::is_worn) {
            let mut solver = Solver::new(&self.context);
            solver.assert(&self.terms, asked.block.guard);
            asked.place = Some(Place { solver, learnt: 0 });
        }
        let learnt = asked.place.as_ref().map_or(0, |place| place.learnt);
        let news = self.news(self.blocks[index].block.from, frames, learnt);
        let place = self.blocks[index].place.as_mut().expect("just made");
        place.learn(&self.terms, news);
    }
}

impl Asked {
    fn new(block: Block, terms: &mut Terms) -> Self {
        let update = block.update.iter();
        let before = update.map(|(&variable, &value)| (terms.variable(variable), value)).collect();
        Asked { block, place: None, before }
    }
}

/// Did the query end because somebody ended it?
fn is_interrupt(why: &str) -> bool {
    ["cancel", "timeout", "interrupt"].iter().any(|word| why.contains(word))
}
