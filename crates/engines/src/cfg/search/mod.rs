//! The lifted algorithm (Figure 3.2 of the thesis): obligations at locations are blocked
//! or lead to the entry, level by level, until some level adds nothing.

mod generalize;
mod predecessors;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::time::{Duration, Instant};

use elinvar_ir::StopReason;
use elinvar_ir::program::{BlockId, LocationId, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::conjecture::Clusters;
use super::frames::Frames;
use super::graph::{Graph, Outcome};
use super::options::{CfgOptions, Lemmas};
use super::valuation::Valuation;
use crate::relation::Level;
use crate::run::{Event, QueryAnswer, Run};
use crate::statistics::{FrameProgress, FrameSizes};

const NAME: &str = "cfg";
/// How long one query may take that has to be answered.
const QUERY: Duration = Duration::from_secs(60);
/// How long a query may take that only makes a lemma better.
const ATTEMPT: Duration = Duration::from_secs(1);

/// A guess may lead to so many obligations.
const GUESS_OBLIGATIONS: usize = 40;

/// Formulas to exclude at a location, up to a level.
pub struct Obligation {
    pub at: LocationId,
    pub cube: Vec<Term>,
    /// The block that leads on, and the obligation there; none at an error.
    pub next: Option<(BlockId, usize)>,
    origin: Origin,
    /// How often it was worked on.
    pub times: u32,
}

/// Why a cube is to be excluded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    /// It leads to this error.
    Error(LocationId),
    /// It covers obligations that do, and more: given up when it leads to the entry, or
    /// takes too long.
    Guess(usize),
}

/// How a search ended.
pub enum End {
    /// All errors that are left are unreachable.
    Proved(BTreeMap<LocationId, Vec<Term>>),
    /// The blocks from the entry to an error.
    Reached {
        error: LocationId,
        path: Vec<BlockId>,
    },
    Stopped(StopReason),
}

pub struct ProgramSearch<'a> {
    pub graph: Graph,
    frames: Frames,
    options: &'a CfgOptions,
    run: &'a Run,
    /// Those that nothing is known of.
    errors: Vec<LocationId>,
    obligations: Vec<Obligation>,
    /// By level, then the newest first.
    queue: BinaryHeap<Reverse<(usize, Reverse<usize>)>>,
    frontier: usize,
    progress: FrameProgress,
    clusters: Clusters,
    /// How many obligations each guess may still lead to.
    guesses: Vec<usize>,
    /// What was guessed already, at which level.
    guessed: FxHashSet<(LocationId, Vec<Term>, usize)>,
    /// Queries without a model: the level, and the part of the cube that was needed.
    memo: FxHashMap<(BlockId, Vec<Term>), (usize, Vec<usize>)>,
}

/// What became of an attempt to block a cube.
enum Blocking {
    Blocked(Vec<Term>),
    Step(BlockId, Box<Valuation>),
    Stopped(StopReason),
}

impl<'a> ProgramSearch<'a> {
    pub fn new(
        graph: Graph,
        frames: Frames,
        errors: Vec<LocationId>,
        options: &'a CfgOptions,
        run: &'a Run,
    ) -> Self {
        ProgramSearch {
            graph,
            frames,
            options,
            run,
            errors,
            obligations: Vec::new(),
            queue: BinaryHeap::new(),
            frontier: 0,
            progress: FrameProgress::start(),
            clusters: Clusters::default(),
            guesses: Vec::new(),
            guessed: FxHashSet::default(),
            memo: FxHashMap::default(),
        }
    }

    /// Goes on with the errors that are left.
    pub fn forget(&mut self, error: LocationId) {
        self.errors.retain(|&other| other != error);
        self.drop_obligations(Origin::Error(error));
    }

    /// The obligation that was worked on most often, with the error that it leads to and the
    /// number of blocks between them.
    pub fn recurring(&self) -> Option<(&Obligation, LocationId, usize)> {
        let of_error = |obligation: &Obligation| match obligation.origin {
            Origin::Error(error) => Some(error).filter(|error| self.errors.contains(error)),
            Origin::Guess(_) => None,
        };
        let inner =
            self.obligations.iter().filter(|obligation| !self.graph.is_error(obligation.at));
        let found = inner.filter_map(|obligation| Some((obligation, of_error(obligation)?)));
        let (most, error) = found.max_by_key(|(obligation, _)| obligation.times)?;
        let next = |obligation: &&Obligation| Some(&self.obligations[obligation.next?.1]);
        let blocks = std::iter::successors(Some(most), next).count() - 1;
        Some((most, error, blocks))
    }

    fn drop_obligations(&mut self, origin: Origin) {
        let obligations = &self.obligations;
        self.queue.retain(|Reverse((_, Reverse(index)))| obligations[*index].origin != origin);
    }

    pub fn run(&mut self) -> End {
        loop {
            if let Some(end) = self.block_all() {
                return end;
            }
            if self.errors.is_empty() {
                return End::Proved(BTreeMap::new());
            }
            if self.options.push
                && let Some(reason) = self.push()
            {
                return End::Stopped(reason);
            }
            if let Some(level) = self.fixpoint() {
                return End::Proved(self.frames.beyond(level));
            }
            self.next_level();
        }
    }

    fn next_level(&mut self) {
        self.frontier += 1;
        let sizes = FrameSizes {
            frontier: self.frontier,
            lemmas: finite(1..=self.frontier).map(|level| self.frames.count(level)).collect(),
            inductive: self.frames.count(Level::Infinite),
            obligations: self.queue.len(),
            queries: self.graph.queries,
        };
        let (engine, bound) = (NAME, sizes.frontier);
        let details = self.progress.details(&sizes);
        self.run.emit(Event::Progress { engine, bound, details });
        if !self.options.cache {
            self.queue.clear();
            self.obligations.clear();
        }
        if self.frontier == 1 || !self.options.cache {
            for error in self.errors.clone() {
                self.enqueue(
                    Obligation {
                        at: error,
                        cube: Vec::new(),
                        next: None,
                        origin: Origin::Error(error),
                        times: 0,
                    },
                    self.frontier,
                );
            }
        }
    }

    fn enqueue(&mut self, obligation: Obligation, level: usize) {
        self.obligations.push(obligation);
        self.queue.push(Reverse((level, Reverse(self.obligations.len() - 1))));
    }

    /// A level that adds nothing: its frames are inductive.
    fn fixpoint(&self) -> Option<Level> {
        let counts = |at: LocationId| !self.is_decided(at);
        finite(1..self.frontier).find(|&level| !self.frames.has_level(level, counts))
    }

    /// An error location whose property is decided already.
    fn is_decided(&self, at: LocationId) -> bool {
        self.graph.is_error(at) && !self.errors.contains(&at)
    }

    fn block_all(&mut self) -> Option<End> {
        while let Some(&Reverse((level, Reverse(index)))) = self.queue.peek() {
            if level > self.frontier {
                break;
            }
            if let Some(reason) = self.run.stop() {
                return Some(End::Stopped(reason));
            }
            self.queue.pop();
            if let Some(end) = self.handle(index, level) {
                return Some(end);
            }
        }
        None
    }

    fn handle(&mut self, index: usize, level: usize) -> Option<End> {
        let Obligation { at, cube, .. } = &self.obligations[index];
        let (at, cube) = (*at, cube.clone());
        if self.is_excluded(at, &cube, level) {
            self.again(index, level);
            return None;
        }
        self.obligations[index].times += 1;
        match self.try_block(at, &cube, level, QUERY) {
            Blocking::Stopped(reason) => Some(End::Stopped(reason)),
            Blocking::Blocked(core) => {
                let whole = cube;
                let cube = match self.options.lemmas {
                    Lemmas::Negation => whole.clone(),
                    Lemmas::Core | Lemmas::Interpolant => core,
                };
                let (cube, level_reached) = self.generalize(at, cube, level);
                self.learn(at, &cube, level_reached);
                self.again(index, level);
                if self.options.lemmas == Lemmas::Interpolant {
                    self.conjecture(at, &whole, level);
                    self.conjecture(at, &cube, level);
                }
                None
            }
            Blocking::Step(block, state) => self.predecessors(index, level, block, *state),
        }
    }

    /// Do the lemmas of a level exclude a cube, one of them by its looks or all together?
    fn is_excluded(&mut self, at: LocationId, cube: &[Term], level: usize) -> bool {
        let level = Level::Finite(level);
        if self.frames.excludes(&mut self.graph.terms, at, cube, level) {
            return true;
        }
        if self.options.lemmas != Lemmas::Interpolant {
            return false;
        }
        let started = Instant::now();
        let excluded = self.graph.excludes(at, self.frames.frame(level), cube, ATTEMPT);
        self.tell(
            "excluded",
            started,
            if excluded { QueryAnswer::Unsat } else { QueryAnswer::Sat },
        );
        excluded
    }

    fn tell(&self, kind: &'static str, started: Instant, answer: QueryAnswer) {
        let time = started.elapsed();
        self.run.emit(Event::Query { engine: NAME, kind, answer, conflicts: 0, time });
    }

    /// Takes a blocked cube into its cluster, and tries what that suggests.
    fn conjecture(&mut self, at: LocationId, cube: &[Term], level: usize) {
        for guess in self.clusters.add(&mut self.graph.terms, at, cube) {
            if guess.is_empty() || !self.guessed.insert((at, guess.clone(), level)) {
                continue;
            }
            self.guesses.push(GUESS_OBLIGATIONS);
            let origin = Origin::Guess(self.guesses.len() - 1);
            self.enqueue(Obligation { at, cube: guess, next: None, origin, times: 0 }, level);
        }
    }

    /// Keeps an obligation for the next level: what leads to an error does so later, too.
    fn again(&mut self, index: usize, level: usize) {
        if let Origin::Guess(_) = self.obligations[index].origin {
            return;
        }
        if self.options.cache || level < self.frontier {
            self.queue.push(Reverse((level + 1, Reverse(index))));
        }
    }

    /// Can a cube be reached in one block from the frames below? The part of it that is
    /// needed to say no.
    fn try_block(
        &mut self,
        at: LocationId,
        cube: &[Term],
        level: usize,
        limit: Duration,
    ) -> Blocking {
        let mut needed = vec![false; cube.len()];
        for block in self.graph.blocks_into(at) {
            match self.ask(block, cube, level, limit) {
                Outcome::Blocked(core) => core.into_iter().for_each(|at| needed[at] = true),
                Outcome::Step(state) => return Blocking::Step(block, state),
                Outcome::Unknown(why) => {
                    let reason = self.run.stop().unwrap_or_else(|| {
                        StopReason::Unsupported(format!("Z3 could not decide a query ({why})"))
                    });
                    return Blocking::Stopped(reason);
                }
            }
        }
        let core = cube.iter().zip(&needed).filter(|(_, needed)| **needed).map(|(&l, _)| l);
        Blocking::Blocked(core.collect())
    }

    fn ask(&mut self, block: BlockId, cube: &[Term], level: usize, limit: Duration) -> Outcome {
        let (from, to) = (self.graph.block(block).from, self.graph.block(block).to);
        // The frame of level 0 is empty but at the entry.
        if level <= 1 && from != self.graph.entry {
            return Outcome::Blocked(Vec::new());
        }
        let key = (block, cube.to_vec());
        if self.options.memo
            && let Some((known, core)) = self.memo.get(&key)
            && *known >= level
        {
            return Outcome::Blocked(core.clone());
        }
        let mut also = Vec::new();
        if self.options.generalize && from == to {
            also.push(clause(&mut self.graph.terms, cube));
        }
        let frame = self.frames.frame(Level::Finite(level.saturating_sub(1)));
        let started = Instant::now();
        let outcome = self.graph.ask(block, frame, &also, cube, limit);
        self.tell(
            "step",
            started,
            match &outcome {
                Outcome::Blocked(_) => QueryAnswer::Unsat,
                Outcome::Step(_) => QueryAnswer::Sat,
                Outcome::Unknown(_) => QueryAnswer::Stopped,
            },
        );
        if self.options.memo
            && let Outcome::Blocked(core) = &outcome
        {
            self.memo.insert(key, (level, core.clone()));
        }
        outcome
    }

    fn learn(&mut self, at: LocationId, cube: &[Term], level: usize) {
        let clause = clause(&mut self.graph.terms, cube);
        self.frames.insert(&self.graph.terms, at, clause, Level::Finite(level));
    }

    /// Carries lemmas forward, from the lowest level up.
    fn push(&mut self) -> Option<StopReason> {
        for level in 1..self.frontier {
            for at in self.graph.locations.clone() {
                if self.is_decided(at) {
                    continue;
                }
                let lemmas: Vec<Term> = self
                    .frames
                    .lemmas(at)
                    .iter()
                    .filter(|lemma| lemma.level == Level::Finite(level))
                    .map(|lemma| lemma.clause)
                    .collect();
                for clause in lemmas {
                    if let Some(reason) = self.run.stop() {
                        return Some(reason);
                    }
                    let terms = &mut self.graph.terms;
                    let parts = terms.disjuncts(clause);
                    let cube: Vec<Term> = parts.iter().map(|&part| terms.not(part)).collect();
                    if let Blocking::Blocked(_) = self.try_block(at, &cube, level + 1, ATTEMPT) {
                        let next = Level::Finite(level + 1);
                        self.frames.insert(&self.graph.terms, at, clause, next);
                    }
                }
            }
        }
        None
    }
}

fn finite(levels: impl Iterator<Item = usize>) -> impl Iterator<Item = Level> {
    levels.map(Level::Finite)
}

/// That a state is not in a cube.
fn clause(terms: &mut Terms, cube: &[Term]) -> Term {
    let negated: Vec<Term> = cube.iter().map(|&literal| terms.not(literal)).collect();
    terms.or(negated)
}
