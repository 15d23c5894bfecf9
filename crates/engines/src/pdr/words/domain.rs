//! The domain of words: cubes of literals and inequalities, over one solver for all frames
//! (`solver`). Here the loop's requests are passed to the parts that answer them.

use std::rc::Rc;
use std::time::Instant;

use elinvar_ir::{BitVec, ExprId, PropertyId, TransitionSystem};
use elinvar_sat::Lit;

use super::WordsOptions;
use super::atom::{Atom, Atoms, Shape};
use super::circuit::{Circuit, WordInfo};
use super::encoding::{Encoding, Time};
use super::expand::StepInputs;
use super::guess::Guesses;
use super::solver::{FrameSolver, Solved};
use super::specialize::{Reach, Specializer};
use super::statistics::WordsStatistics;
use super::templates::Templates;
use super::trim::trim;
use super::widen::{Nearest, Widening};
use crate::engine::EngineError;
use crate::pdr::activity::Activity;
use crate::pdr::cube::Cube;
use crate::pdr::domain::{
    Domain, Effort, Found, Interruptible, Level, Predecessor, Purpose, Source, Step,
};
use crate::pdr::statistics::PdrStatistics;
use crate::run::Run;

pub(crate) struct Words {
    pub(super) solver: FrameSolver,
    specializer: Specializer,
    guesses: Guesses,
    nearest: Nearest,
    /// By word.
    activity: Activity,
    properties: Vec<(PropertyId, ExprId)>,
    /// Without those of the loop, which the solver counts.
    statistics: WordsStatistics,
}

impl Words {
    pub(super) fn new(
        system: &TransitionSystem,
        words: Vec<WordInfo>,
        templates: Templates,
        properties: &[PropertyId],
        options: &WordsOptions,
        run: &Run,
    ) -> Result<Self, EngineError> {
        let circuit = Circuit::new(system, &words, properties, run)?;
        let bad = |&id: &PropertyId| (id, system.bad(id).expect("a safety property"));
        let properties: Vec<(PropertyId, ExprId)> = properties.iter().map(bad).collect();
        let logic = words.iter().filter(|word| word.is_logic).count();
        let numbers = words.len() - logic;
        let activity = Activity::new(words.len());
        let encoding = Encoding { words, atoms: Atoms::default(), circuit };
        let specializer = Specializer::new(system, &encoding, &properties, options, run);
        Ok(Words {
            solver: FrameSolver::new(encoding, run)?,
            specializer,
            guesses: Guesses::new(templates),
            nearest: Nearest::default(),
            activity,
            properties,
            statistics: WordsStatistics { logic, numbers, ..WordsStatistics::default() },
        })
    }

    /// Establishes what can be guessed and proved at once.
    pub(super) fn find_invariants(&mut self, system: &TransitionSystem) -> Interruptible<()> {
        self.guesses.find_invariants(&mut self.solver, system)
    }

    /// The statistics at the end of a run.
    pub(super) fn finish(mut self) -> WordsStatistics {
        self.solver.count_work();
        let kinds = &self.specializer.kinds;
        WordsStatistics {
            probability: kinds.probability(),
            cubes: kinds.cubes,
            polytopes: kinds.polytopes,
            array_lemmas: self.solver.array_lemmas,
            pdr: self.solver.statistics,
            ..self.statistics
        }
    }

    pub(super) fn property_id(&self, property: usize) -> PropertyId {
        self.properties[property].0
    }

    /// What of an invariant a property needs, or all of it if the run is over before that
    /// is known.
    pub(super) fn trim(&mut self, property: usize, lemmas: Vec<Cube<Atom>>) -> Vec<Cube<Atom>> {
        if self.solver.is_abstract {
            // What memories satisfy is not in the circuit.
            return lemmas;
        }
        let FrameSolver { encoding, run, .. } = &mut self.solver;
        trim(encoding, property, &lemmas, run).unwrap_or(lemmas)
    }

    fn specialize(
        &mut self,
        found: Found<Self>,
        goal: Reach<'_>,
        effort: Effort,
    ) -> Interruptible<Predecessor<Self>> {
        let Words { solver, specializer, activity, statistics, .. } = self;
        specializer.specialize(found, goal, effort, solver, activity, statistics)
    }
}

/// The activity of the most used word of an atom.
pub(super) fn activity_of(activity: &Activity, shape: &Shape) -> f64 {
    shape.words().map(|word| activity.of(word)).fold(0.0, f64::max)
}

impl Domain for Words {
    type Atom = Atom;
    type Choice = Rc<StepInputs>;
    type Lemma = usize;
    type State = Rc<[BitVec]>;

    fn bad(&mut self, level: Level, property: usize) -> Interruptible<Option<Predecessor<Self>>> {
        self.solver.pause()?;
        let started = Instant::now();
        let bad = self.solver.encoding.circuit.bads[property];
        let bad = self.solver.lit(bad);
        let answer = self.solver.solve(level.layer(), &[bad], &[], |model| model.found())?;
        let is_found = matches!(answer, Solved::Sat(_));
        self.solver.statistics.bad.add(is_found, started.elapsed());
        match answer {
            Solved::Sat(found) => {
                let goal = Reach::Bad(property, self.properties[property].1);
                self.specialize(found, goal, Effort::UntilStable).map(Some)
            }
            Solved::Unsat(_) => Ok(None),
        }
    }

    fn step(
        &mut self,
        level: Level,
        cube: &[Atom],
        source: Source,
        purpose: Purpose,
    ) -> Interruptible<Step<Self>> {
        self.solver.pause()?;
        let started = Instant::now();
        let mut cube = cube.to_vec();
        cube.sort_by(|&a, &b| self.activity(b).total_cmp(&self.activity(a)));
        let solver = &mut self.solver;
        let later = solver.lits(&cube, Time::Later);
        let outside: Vec<Lit> = match source {
            Source::Anywhere => Vec::new(),
            Source::Outside => solver.lits(&cube, Time::Now).into_iter().map(|lit| !lit).collect(),
        };
        let temporary: &[&[Lit]] = match source {
            Source::Anywhere => &[],
            Source::Outside => &[&outside],
        };
        let answer = solver.solve(level.layer(), &later, temporary, |model| model.found())?;
        let is_found = matches!(answer, Solved::Sat(_));
        solver.statistics.count(purpose).add(is_found, started.elapsed());
        Ok(match answer {
            Solved::Sat(found) => Step::Reached(found),
            Solved::Unsat(failed) => Step::Blocked(solver.core_of(&cube, &later, &failed)?),
        })
    }

    fn predecessor(
        &mut self,
        found: Found<Self>,
        cube: &[Atom],
        effort: Effort,
    ) -> Interruptible<Predecessor<Self>> {
        self.specialize(found, Reach::Cube(cube), effort)
    }

    fn contains(&self, cube: &[Atom], state: &Rc<[BitVec]>) -> bool {
        self.solver.encoding.holds(cube, state)
    }

    /// Bounds of words cover one another, too.
    const COVERS_BY_INCLUSION: bool = false;

    fn covers(&self, large: &Cube<Atom>, small: &Cube<Atom>) -> bool {
        let Encoding { words, atoms, .. } = &self.solver.encoding;
        atoms.covers(words, large, small)
    }

    fn meets_initial(&mut self, cube: &[Atom]) -> bool {
        self.solver.meets_initial(cube)
    }

    fn widen(&mut self, cube: Cube<Atom>, level: usize) -> Interruptible<Cube<Atom>> {
        let Words { solver, guesses, nearest, statistics, .. } = self;
        Widening { solver, guesses, nearest, statistics }.widen(cube, level)
    }

    fn learn(&mut self, cube: &Cube<Atom>, level: Level) -> usize {
        let encoding = &self.solver.encoding;
        self.activity.bump(encoding.atoms.shapes(cube.atoms()).flat_map(Shape::words));
        let experience = self.specializer.kinds.of(encoding.kind_of(cube.atoms()));
        experience.lemmas += 1;
        experience.inductive += u64::from(level == Level::Infinite);
        self.solver.statistics.lemmas += 1;
        self.solver.learn(cube, level)
    }

    fn raise(&mut self, lemma: usize, _cube: &Cube<Atom>, level: Level) {
        if let Some(atoms) = self.solver.raise(lemma, level) {
            let kind = self.solver.encoding.kind_of(&atoms);
            self.specializer.kinds.of(kind).inductive += 1;
        }
    }

    fn forget(&mut self, lemma: usize) {
        self.solver.forget(lemma);
    }

    fn statistics(&mut self) -> &mut PdrStatistics {
        &mut self.solver.statistics
    }

    fn activity(&self, atom: Atom) -> f64 {
        activity_of(&self.activity, self.solver.encoding.atoms.shape(atom))
    }
}
