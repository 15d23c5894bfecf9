//! The program in large blocks, with a solver for each.

use std::collections::BTreeMap;
use std::time::Duration;

use elinvar_ir::program::{
    Block, BlockId, Blocks, LocationId, Program, Sort, Term, Terms, VariableId, large_blocks,
};
use elinvar_smt::{Context, Model, SmtAnswer, Solver, UnknownReason};
use rustc_hash::FxHashMap;

use super::frames::{Frame, Frames, Lemma};
use super::valuation::Valuation;
use crate::relation::Level;

/// A solver that knows more assumptions than this is made anew.
const MOST_ASSUMPTIONS: usize = 3000;

/// A block with the solver for queries about it: its guard is asserted, and the
/// lemmas of the location where it begins, each under its level.
struct BlockSolver {
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
    /// Has it seen so many assumptions that a new solver is faster?
    fn needs_rebuild(&self) -> bool {
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

/// The blocks of a program, and the solvers for them.
pub struct Graph {
    pub terms: Terms,
    pub context: Context,
    pub entry: LocationId,
    pub locations: Vec<LocationId>,
    errors: Vec<LocationId>,
    pub live: BTreeMap<LocationId, Vec<VariableId>>,
    blocks: Vec<BlockSolver>,
    into: BTreeMap<LocationId, Vec<BlockId>>,
    places: BTreeMap<LocationId, Place>,
    /// Booleans that switch on the lemmas of a level.
    levels: Vec<Term>,
    pub queries: u64,
}

impl Graph {
    pub fn new(program: &Program, errors: &[LocationId], context: Context) -> Self {
        let Blocks { mut terms, entry, locations, blocks, live } = large_blocks(program, errors);
        let mut into: BTreeMap<LocationId, Vec<BlockId>> = BTreeMap::new();
        for (index, block) in (0..).map(BlockId).zip(&blocks) {
            into.entry(block.to).or_default().push(index);
        }
        let blocks = blocks.into_iter().map(|block| BlockSolver::new(block, &mut terms)).collect();
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

    pub fn block(&self, index: BlockId) -> &Block {
        &self.blocks[index.0 as usize].block
    }

    /// The blocks that leave a location.
    pub fn blocks_from(&self, at: LocationId) -> Vec<BlockId> {
        self.block_ids().filter(|&index| self.block(index).from == at).collect()
    }

    /// All blocks.
    pub fn block_ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    pub fn is_error(&self, at: LocationId) -> bool {
        self.errors.contains(&at)
    }

    /// The blocks that lead to a location.
    pub fn blocks_into(&self, at: LocationId) -> Vec<BlockId> {
        self.into.get(&at).cloned().unwrap_or_default()
    }

    /// What a formula at the end of a block is before it.
    pub fn before(&mut self, block: BlockId, term: Term) -> Term {
        self.terms.replace(term, &mut self.blocks[block.0 as usize].before)
    }

    /// The Boolean that switches on the lemmas of a level.
    fn switch(&mut self, level: usize) -> Term {
        while self.levels.len() <= level {
            let variable = self.terms.declare(format!("level{}", self.levels.len()), Sort::Bool);
            let term = self.terms.variable(variable);
            self.levels.push(term);
        }
        self.levels[level]
    }

    /// What is assumed so that the lemmas of a level and of later ones count. Those of F∞
    /// always do.
    fn switches_from(&self, level: Level) -> Vec<Term> {
        match level {
            Level::Finite(level) => self.levels.get(level..).unwrap_or_default().to_vec(),
            Level::Infinite => Vec::new(),
        }
    }

    /// SAT?  F[level] ∧ also ∧ T_block ∧ cube′
    ///
    /// Is there a step of the block from a frame into a cube? `also` is assumed of the
    /// state before.
    pub fn ask(
        &mut self,
        index: BlockId,
        frame: Frame<'_>,
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
        self.catch_up(index, frame.frames);
        let mut assumptions = self.switches_from(frame.level);
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
        let solver = &mut self.blocks[index.0 as usize].place.as_mut().expect("just made").solver;
        match solver.check(&self.terms, &assumptions, limit) {
            SmtAnswer::Unsat(refuted) => {
                let needed = refuted.core().into_iter().filter(|&at| at >= first);
                Outcome::Blocked(needed.map(|at| positions[at - first]).collect())
            }
            SmtAnswer::Sat(satisfied) => {
                let model = satisfied.model();
                self.step(index, model)
            }
            SmtAnswer::Unknown(undecided) => match undecided.reason() {
                reason @ UnknownReason::Interrupted => Outcome::Unknown(reason.to_string()),
                UnknownReason::GaveUp(_) => {
                    let assumptions = also.iter().chain(&targets).copied();
                    match self.ask_again(index, frame, assumptions, limit) {
                        Outcome::Blocked(_) => Outcome::Blocked((0..cube.len()).collect()),
                        other @ (Outcome::Step(_) | Outcome::Unknown(_)) => other,
                    }
                }
            },
        }
    }

    /// What the incremental solver does not know, Z3's choice of tactics may.
    fn ask_again(
        &mut self,
        index: BlockId,
        frame: Frame<'_>,
        assumptions: impl Iterator<Item = Term>,
        limit: Duration,
    ) -> Outcome {
        let block = self.block(index);
        let lemmas = frame.frames.lemmas(block.from).iter();
        let lemmas = lemmas.filter(|lemma| lemma.level >= frame.level);
        let mut solver = Solver::with_tactics(&self.context);
        for formula in lemmas.map(|lemma| lemma.clause).chain([block.guard]).chain(assumptions) {
            solver.assert(&self.terms, formula);
        }
        match solver.check(&self.terms, &[], limit) {
            SmtAnswer::Unsat(_) => Outcome::Blocked(Vec::new()),
            SmtAnswer::Sat(satisfied) => self.step(index, satisfied.model()),
            SmtAnswer::Unknown(undecided) => Outcome::Unknown(undecided.reason().to_string()),
        }
    }

    fn step(&self, index: BlockId, model: Option<Model>) -> Outcome {
        let block = self.block(index);
        let variables = self.live[&block.from].iter().chain(&block.inputs).copied();
        let state = model.and_then(|model| Valuation::of_model(&self.terms, &model, variables));
        match state {
            Some(state) => Outcome::Step(Box::new(state)),
            None => Outcome::Unknown("a model of Z3 has values that cannot be read".to_owned()),
        }
    }

    /// UNSAT?  F[level] ∧ cube
    ///
    /// Do the lemmas of a frame exclude a cube? False if that is not known in time.
    pub fn excludes(
        &mut self,
        at: LocationId,
        frame: Frame<'_>,
        cube: &[Term],
        limit: Duration,
    ) -> bool {
        if self.places.get(&at).is_none_or(Place::needs_rebuild) {
            let place = Place { solver: Solver::new(&self.context), learnt: 0 };
            self.places.insert(at, place);
        }
        let news = self.news(at, frame.frames, self.places[&at].learnt);
        let mut assumptions = self.switches_from(frame.level);
        assumptions.extend_from_slice(cube);
        let place = self.places.get_mut(&at).expect("just made");
        place.learn(&self.terms, news);
        self.queries += 1;
        place.solver.check(&self.terms, &assumptions, limit).is_unsat()
    }

    /// A lemma that counts when its level does.
    fn switched(&mut self, lemma: &Lemma) -> Term {
        match lemma.level {
            Level::Infinite => lemma.clause,
            Level::Finite(level) => {
                let switch = self.switch(level);
                self.terms.implies(switch, lemma.clause)
            }
        }
    }

    /// The lemmas of a location from a place of its log on.
    fn news(&mut self, at: LocationId, frames: &Frames, from: usize) -> Vec<Term> {
        let log = frames.log(at).get(from..).unwrap_or_default();
        log.iter().map(|lemma| self.switched(lemma)).collect()
    }

    fn catch_up(&mut self, index: BlockId, frames: &Frames) {
        let asked = &mut self.blocks[index.0 as usize];
        if asked.place.as_ref().is_none_or(Place::needs_rebuild) {
            let mut solver = Solver::new(&self.context);
            solver.assert(&self.terms, asked.block.guard);
            asked.place = Some(Place { solver, learnt: 0 });
        }
        let learnt = asked.place.as_ref().map_or(0, |place| place.learnt);
        let news = self.news(self.block(index).from, frames, learnt);
        let place = self.blocks[index.0 as usize].place.as_mut().expect("just made");
        place.learn(&self.terms, news);
    }
}

impl BlockSolver {
    fn new(block: Block, terms: &mut Terms) -> Self {
        let update = block.update.iter();
        let before = update.map(|(&variable, &value)| (terms.variable(variable), value)).collect();
        BlockSolver { block, place: None, before }
    }
}
