//! The lifted algorithm (Figure 3.2 of the thesis): obligations at locations are blocked
//! or lead to the entry, level by level, until some level adds nothing.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::time::{Duration, Instant};

use elinvar_ir::StopReason;
use elinvar_ir::program::{LocationId, Op, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::conjecture::Clusters;
use super::frames::{Frames, INVARIANT};
use super::graph::{BlockIndex, Graph, Outcome};
use super::implicant::implicant;
use super::options::{CfgOptions, Lemmas, Predecessors};
use super::project::project;
use super::valuation::Valuation;
use crate::run::{Answer, Event, Run};

const NAME: &str = "cfg";
/// How long one query may take that has to be answered.
const QUERY: Duration = Duration::from_secs(60);
/// How long a query may take that only makes a lemma better.
const ATTEMPT: Duration = Duration::from_secs(1);
/// At most so many cubes are made of one precondition at a time.
const MOST_CUBES: usize = 32;

/// A guess may lead to so many obligations.
const GUESS_OBLIGATIONS: usize = 40;

/// Formulas to exclude at a location, up to a level.
pub struct Obligation {
    pub at: LocationId,
    pub cube: Vec<Term>,
    /// The block that leads on, and the obligation there; none at an error.
    pub next: Option<(BlockIndex, usize)>,
    origin: Origin,
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
        path: Vec<BlockIndex>,
    },
    Stopped(StopReason),
}

pub struct Search<'a> {
    pub graph: Graph,
    pub frames: Frames,
    options: &'a CfgOptions,
    run: &'a Run,
    /// Those that nothing is known of.
    errors: Vec<LocationId>,
    obligations: Vec<Obligation>,
    /// By level, then the newest first.
    queue: BinaryHeap<Reverse<(usize, Reverse<usize>)>>,
    frontier: usize,
    clusters: Clusters,
    /// How many obligations each guess may still lead to.
    guesses: Vec<usize>,
    /// What was guessed already, at which level.
    guessed: FxHashSet<(LocationId, Vec<Term>, usize)>,
    /// Queries without a model: the level, and the part of the cube that was needed.
    memo: FxHashMap<(BlockIndex, Vec<Term>), (usize, Vec<usize>)>,
}

/// What became of an attempt to block a cube.
enum Blocking {
    Blocked(Vec<Term>),
    Step(BlockIndex, Box<Valuation>),
    Stopped(StopReason),
}

impl<'a> Search<'a> {
    pub fn new(
        graph: Graph,
        frames: Frames,
        errors: Vec<LocationId>,
        options: &'a CfgOptions,
        run: &'a Run,
    ) -> Self {
        Search {
            graph,
            frames,
            options,
            run,
            errors,
            obligations: Vec::new(),
            queue: BinaryHeap::new(),
            frontier: 0,
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
        self.run.emit(Event::Bound { engine: NAME, bound: self.frontier });
        self.run.emit(Event::Frames {
            engine: NAME,
            frontier: self.frontier,
            lemmas: (1..=self.frontier).map(|level| self.frames.count(level)).collect(),
            invariant: self.frames.count(INVARIANT),
            obligations: self.queue.len(),
            queries: self.graph.queries,
        });
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
    fn fixpoint(&self) -> Option<usize> {
        if self.frontier == 0 {
            return None;
        }
        let counts = |at: LocationId| !self.is_decided(at);
        (1..self.frontier).find(|&level| !self.frames.has_level(level, counts)).or_else(|| {
            // Nothing but what always holds was needed.
            let all = self.errors.iter().all(|&error| {
                self.frames.lemmas(error).iter().any(|lemma| lemma.level == INVARIANT)
            });
            all.then_some(self.frontier)
        })
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
        if self.frames.excludes(&mut self.graph.terms, at, cube, level) {
            return true;
        }
        if self.options.lemmas != Lemmas::Interpolant {
            return false;
        }
        let started = Instant::now();
        let excluded = self.graph.excludes(at, (&self.frames, level), cube, ATTEMPT);
        self.tell("excluded", started, if excluded { Answer::Unsat } else { Answer::Sat });
        excluded
    }

    fn tell(&self, kind: &'static str, started: Instant, answer: Answer) {
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
            self.enqueue(Obligation { at, cube: guess, next: None, origin }, level);
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

    fn ask(&mut self, block: BlockIndex, cube: &[Term], level: usize, limit: Duration) -> Outcome {
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
            let terms = &mut self.graph.terms;
            let negated: Vec<Term> = cube.iter().map(|&literal| terms.not(literal)).collect();
            also.push(terms.or(negated));
        }
        let frame = level.saturating_sub(1);
        let started = Instant::now();
        let outcome = self.graph.ask(block, (&self.frames, frame), &also, cube, limit);
        self.tell(
            "step",
            started,
            match &outcome {
                Outcome::Blocked(_) => Answer::Unsat,
                Outcome::Step(_) => Answer::Sat,
                Outcome::Unknown(_) => Answer::Stopped,
            },
        );
        if self.options.memo
            && let Outcome::Blocked(core) = &outcome
        {
            self.memo.insert(key, (level, core.clone()));
        }
        outcome
    }

    pub fn learn(&mut self, at: LocationId, cube: &[Term], level: usize) {
        let terms = &mut self.graph.terms;
        let negated: Vec<Term> = cube.iter().map(|&literal| terms.not(literal)).collect();
        let clause = terms.or(negated);
        self.frames.insert(&self.graph.terms, at, clause, level);
    }

    // ---- predecessors ------------------------------------------------------------------

    fn predecessors(
        &mut self,
        index: usize,
        level: usize,
        block: BlockIndex,
        mut state: Valuation,
    ) -> Option<End> {
        let origin = self.obligations[index].origin;
        let from = self.graph.block(block).from;
        if let Origin::Guess(guess) = origin {
            if from == self.graph.entry || self.guesses[guess] == 0 {
                self.drop_obligations(origin);
                return None;
            }
            self.guesses[guess] -= 1;
        }
        if from == self.graph.entry {
            let mut path = vec![block];
            let mut at = index;
            while let Some((block, next)) = self.obligations[at].next {
                path.push(block);
                at = next;
            }
            // Asked again if the path turns out not to count.
            self.queue.push(Reverse((level, Reverse(index))));
            let Origin::Error(error) = origin else { unreachable!("guesses were given up") };
            return Some(End::Reached { error, path });
        }
        let cube = self.obligations[index].cube.clone();
        let cubes = match self.options.predecessors {
            Predecessors::Projection => {
                self.around(block, &cube, &mut state).map(|cube| vec![cube])
            }
            Predecessors::WeakestPrecondition => self.precondition(block, &cube, state),
        };
        let Some(cubes) = cubes else {
            let why = "the states before a step cannot be told (maps, division by zero)".to_owned();
            return Some(End::Stopped(StopReason::Unsupported(why)));
        };
        self.queue.push(Reverse((level, Reverse(index))));
        for cube in cubes {
            let next = Some((block, index));
            self.enqueue(Obligation { at: from, cube, next, origin }, level - 1);
        }
        None
    }

    /// A cube of states around one, from each of which the block leads into the cube.
    fn around(
        &mut self,
        block: BlockIndex,
        cube: &[Term],
        state: &mut Valuation,
    ) -> Option<Vec<Term>> {
        let mut formulas = vec![self.graph.block(block).guard];
        formulas.extend(cube.iter().map(|&literal| self.graph.before(block, literal)));
        let inputs = self.graph.block(block).inputs.clone();
        let terms = &mut self.graph.terms;
        let literals = implicant(terms, state, formulas)?;
        let literals = project(terms, state, literals, &inputs)?;
        Some(self.split_equalities(literals))
    }

    /// `a = b` is two literals, unless obligations are negated as they are.
    fn split_equalities(&mut self, literals: Vec<Term>) -> Vec<Term> {
        if self.options.lemmas == Lemmas::Negation {
            return literals;
        }
        let terms = &mut self.graph.terms;
        let mut split = Vec::with_capacity(literals.len());
        for literal in literals {
            match terms.as_op(literal, Op::Equal) {
                Some(&[left, right])
                    if terms.sort(left).is_arithmetic()
                        && terms.as_op(left, Op::Modulo).is_none() =>
                {
                    split.push(terms.at_most(left, right));
                    split.push(terms.at_most(right, left));
                }
                _ => split.push(literal),
            }
        }
        split.sort_unstable();
        split.dedup();
        split
    }

    /// The weakest precondition, as cubes (or as one formula): Sections 3.4.1 and 3.4.2.
    fn precondition(
        &mut self,
        block: BlockIndex,
        cube: &[Term],
        mut state: Valuation,
    ) -> Option<Vec<Vec<Term>>> {
        let mut formulas = vec![self.graph.block(block).guard];
        formulas.extend(cube.iter().map(|&literal| self.graph.before(block, literal)));
        let inputs = self.graph.block(block).inputs.clone();
        if inputs.is_empty() && !self.options.dnf {
            let whole = self.graph.terms.and(formulas);
            return Some(vec![self.graph.terms.conjuncts(whole)]);
        }
        // Model by model; what does not come in time will be asked for again.
        let mut cubes = Vec::new();
        let mut found = Vec::new();
        loop {
            let literals = implicant(&mut self.graph.terms, &mut state, formulas.iter().copied())?;
            let cube = project(&mut self.graph.terms, &mut state, literals, &inputs)?;
            let conjunction = self.graph.terms.and(cube.iter().copied());
            found.push(self.graph.terms.not(conjunction));
            cubes.push(cube);
            if cubes.len() >= MOST_CUBES {
                break;
            }
            let also: Vec<Term> =
                found.iter().copied().chain(formulas[1..].iter().copied()).collect();
            // No frame: what always holds is enough.
            let frame = (&self.frames, INVARIANT);
            match self.graph.ask(block, frame, &also, &[], ATTEMPT) {
                Outcome::Step(next) => state = *next,
                Outcome::Blocked(_) | Outcome::Unknown(_) => break,
            }
        }
        if self.options.dnf {
            return Some(cubes);
        }
        let terms = &mut self.graph.terms;
        let parts: Vec<Term> = cubes.into_iter().map(|cube| terms.and(cube)).collect();
        let whole = terms.or(parts);
        Some(vec![terms.conjuncts(whole)])
    }

    // ---- lemmas ------------------------------------------------------------------------

    /// A weaker cube that is blocked as well, and the level up to which it is.
    fn generalize(&mut self, at: LocationId, cube: Vec<Term>, level: usize) -> (Vec<Term>, usize) {
        let mut cube = cube;
        if self.options.generalize {
            cube = self.drop_literals(at, cube, level);
        }
        if self.options.lemmas == Lemmas::Interpolant {
            cube = self.separate(at, cube, level);
        }
        let mut level = level;
        while self.options.push
            && level < self.frontier
            && matches!(self.try_block(at, &cube, level + 1, ATTEMPT), Blocking::Blocked(_))
        {
            level += 1;
        }
        (cube, level)
    }

    fn drop_literals(&mut self, at: LocationId, mut cube: Vec<Term>, level: usize) -> Vec<Term> {
        let mut position = 0;
        while position < cube.len() {
            if self.run.stop().is_some() {
                break;
            }
            let mut without = cube.clone();
            without.remove(position);
            match self.try_block(at, &without, level, ATTEMPT) {
                // Literals before the position were needed once, and still are.
                Blocking::Blocked(core) => cube = core,
                Blocking::Step(..) | Blocking::Stopped(_) => position += 1,
            }
        }
        cube
    }

    /// See [`super::separate`].
    fn separate(&mut self, at: LocationId, cube: Vec<Term>, level: usize) -> Vec<Term> {
        let numbers = cube.iter().all(|&literal| {
            self.graph
                .terms
                .as_op(literal, Op::AtMost)
                .is_some_and(|sides| *self.graph.terms.sort(sides[0]) == Sort::Int)
        });
        if !numbers || cube.len() < 2 {
            return cube;
        }
        let mut separation = super::separate::Separation::new(&self.graph.terms, &cube);
        for _ in 0..12 {
            let Some(half_space) = separation.propose(&mut self.graph.terms) else { break };
            match self.try_block(at, &[half_space], level, ATTEMPT) {
                Blocking::Blocked(_) => return vec![half_space],
                Blocking::Step(block, mut state) => {
                    // The state after the block is on the wrong side.
                    let mut point = Vec::new();
                    for term in separation.terms() {
                        let before = self.graph.before(block, term);
                        point.push(
                            state.value(&self.graph.terms, before).and_then(|v| v.as_number()),
                        );
                    }
                    match point.into_iter().collect::<Option<Vec<_>>>() {
                        Some(point) => separation.add_sample(&point),
                        None => break,
                    }
                }
                Blocking::Stopped(_) => break,
            }
        }
        cube
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
                    .filter(|lemma| lemma.level == level)
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
                        self.frames.insert(&self.graph.terms, at, clause, level + 1);
                    }
                }
            }
        }
        None
    }
}
