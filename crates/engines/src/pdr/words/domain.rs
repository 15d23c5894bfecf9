//! The domain of words: cubes of literals and inequalities, one SAT core for all frames.
//!
//! The words are bits in the core, blasted as they are needed; a lemma is a disjunction
//! of atoms, and an atom the output of its comparator. So lemmas are retracted, raised and
//! pushed as on bits, and what is learnt about a comparator serves all lemmas with it.
//!
//! Memories that are not part of the words are decided by lemmas on demand. Then a step is
//! one of an abstraction: units say nothing of their contents, and a way to a bad state is
//! only a candidate.

use std::rc::Rc;
use std::time::Instant;

use dashu_int::IBig;
use elinvar_ir::{BitVec, ExprId, PropertyId, TransitionSystem};
use elinvar_logic::AigLit;
use elinvar_logic::simulation::Kind;
use elinvar_sat::{Layer, LemmaId, Lit};
use rustc_hash::FxHashMap;

use super::WordsOptions;
use super::adapt::{Specialization, UnitKind};
use super::atom::{Atom, Atoms, Equation, Shape, Terms};
use super::circuit::{Circuit, Init, WordInfo};
use super::expand::{Choice, Expander};
use super::gates::Gates;
use super::specialize::Reach;
use super::statistics::WordsStatistics;
use super::survey::share_of_logic;
use super::templates::Templates;
use crate::engine::EngineError;
use crate::pdr::cube::Cube;
use crate::pdr::domain::{Asked, Domain, Effort, From, Level, Predecessor, Purpose, Step};
use crate::pdr::statistics::PdrStatistics;
use crate::run::Run;

const ACTIVITY_DECAY: f64 = 0.9;

pub(crate) struct Words {
    pub(super) words: Vec<WordInfo>,
    pub(super) atoms: Atoms,
    pub(super) circuit: Circuit,
    pub(super) main: Gates,
    /// The circuit without constraints and lemmas.
    pub(super) lifter: Gates,
    /// The size of the main solver when it was made.
    pub(super) size: usize,
    pub(super) lemmas: Vec<Option<Known>>,
    /// What is known of memories, in every state.
    pub(super) theory: Vec<Vec<AigLit>>,
    pub(super) properties: Vec<(PropertyId, ExprId)>,
    pub(super) expander: Expander,
    /// When simulations are compared: the other kinds.
    pub(super) rivals: Vec<(Kind, Expander)>,
    pub(super) templates: Templates,
    /// Those that hold in all reachable states.
    pub(super) equations: Vec<Equation>,
    pub(super) specialization: Specialization,
    /// The greatest values of sums in initial states.
    pub(super) initial_bounds: FxHashMap<Terms, IBig>,
    /// By direction: whether a half-space next to the initial states is known to have no
    /// reachable state, and how many lemmas held for ever when it was looked for.
    pub(super) nearest: FxHashMap<Terms, (usize, bool)>,
    /// Cubes without reachable states that are not among the lemmas of the loop.
    pub(super) established: Vec<Cube<Atom>>,
    /// Guesses that could not be proved, and how many lemmas held for ever then.
    pub(super) unproved: (usize, Vec<Cube<Atom>>),
    /// One initial state.
    pub(super) origin: Vec<BitVec>,
    /// What the last query found.
    pub(super) found: Option<Found>,
    pub(super) activity: Activity,
    /// There are memories that the words do not contain.
    pub is_abstract: bool,
    pub(super) run: Run,
    pub(super) asked: u64,
    pub statistics: WordsStatistics,
}

pub(super) struct Found {
    pub(super) state: Rc<[BitVec]>,
    pub(super) choice: Choice,
}

/// A lemma of the solver.
pub(super) struct Known {
    pub(super) atoms: Box<[Atom]>,
    pub(super) level: Level,
    pub(super) id: LemmaId,
}

/// How often words were of use in lemmas.
pub(super) struct Activity {
    pub(super) by_word: Vec<f64>,
    pub(super) increment: f64,
}

impl Activity {
    pub(super) fn of(&self, shape: &Shape) -> f64 {
        shape.words().map(|word| self.by_word[word]).fold(0.0, f64::max)
    }

    pub(super) fn bump(&mut self, word: usize) {
        self.by_word[word] += self.increment;
    }

    pub(super) fn decay(&mut self) {
        self.increment /= ACTIVITY_DECAY;
        if self.increment > 1e100 {
            self.by_word.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.increment *= 1e-100;
        }
    }
}

impl Words {
    pub fn new(
        system: &TransitionSystem,
        words: Vec<WordInfo>,
        templates: Templates,
        properties: &[PropertyId],
        options: &WordsOptions,
        run: &Run,
    ) -> Result<Asked<Self>, EngineError> {
        let circuit = Circuit::new(system, &words, properties, run)?;
        let bads: Vec<ExprId> =
            properties.iter().map(|&id| system.bad(id).expect("a safety property")).collect();
        let expander = |kind| Expander::new(kind, system, &words, &bads);
        let rivals = Kind::ALL.into_iter().filter(|&kind| kind != options.simulation);
        let rivals = rivals.filter(|_| options.compare_simulations);
        let mut this = Words {
            is_abstract: !circuit.arrays.is_empty(),
            expander: expander(options.simulation),
            rivals: rivals.map(|kind| (kind, expander(kind))).collect(),
            specialization: Specialization::new(
                options.cube_probability,
                share_of_logic(system, properties),
                run.seed(),
            ),
            origin: words.iter().map(|word| BitVec::zero(word.width)).collect(),
            activity: Activity { by_word: vec![0.0; words.len()], increment: 1.0 },
            properties: properties.iter().copied().zip(bads.iter().copied()).collect(),
            circuit,
            words,
            templates,
            equations: Vec::new(),
            initial_bounds: FxHashMap::default(),
            nearest: FxHashMap::default(),
            established: Vec::new(),
            unproved: (0, Vec::new()),
            atoms: Atoms::default(),
            main: Gates::new(run),
            lifter: Gates::new(run),
            size: 0,
            lemmas: Vec::new(),
            theory: Vec::new(),
            found: None,
            run: run.clone(),
            asked: 0,
            statistics: WordsStatistics::default(),
        };
        this.statistics.logic = this.words.iter().filter(|word| word.is_logic).count();
        this.statistics.numbers = this.words.len() - this.statistics.logic;
        Ok(this.find_origin().map(|()| {
            this.begin_anew();
            this
        }))
    }

    /// Initial values are functions of one another: they exist.
    fn find_origin(&mut self) -> Asked<()> {
        for (word, origin) in self.words.iter().zip(&mut self.origin) {
            if let Init::Constant(value) = &word.init {
                *origin = value.clone();
            }
        }
        if self.circuit.initial.is_empty() {
            return Ok(());
        }
        self.begin_anew();
        self.found = None;
        // Constraints need not have a model; then any values do.
        if self.solve(Layer::level(0), &[], &[])?.is_none() {
            self.origin = self.found.take().expect("a model").state.to_vec();
        }
        Ok(())
    }

    /// A new solver with the lemmas that are known.
    pub(super) fn begin_anew(&mut self) {
        self.count_work();
        self.main = Gates::new(&self.run);
        let Words { main, circuit, words, origin, .. } = self;
        for (number, (word, value)) in words.iter().zip(origin.iter()).enumerate() {
            for (bit, &lit) in (0..).zip(circuit.current(number)) {
                let var = main.lit(&circuit.aig, lit).var();
                main.solver.set_default(var, value.bit(bit));
                if let Init::Constant(_) = word.init {
                    main.solver.set_initial(var, value.bit(bit));
                }
            }
        }
        let constraints: Vec<Lit> =
            circuit.constraints.iter().map(|&lit| main.lit(&circuit.aig, lit)).collect();
        let initial: Vec<Lit> =
            circuit.initial.iter().map(|&lit| main.lit(&circuit.aig, lit)).collect();
        for lit in constraints.iter().chain(&initial) {
            main.solver.add_permanent_root(lit.var());
        }
        for lit in constraints {
            main.solver.add_clause(&[lit]);
        }
        for lit in initial {
            main.solver.add_lemma(&[lit], Layer::level(0));
        }
        for index in 0..self.lemmas.len() {
            if let Some(Known { atoms, level, .. }) = self.lemmas[index].take() {
                let id = self.add_lemma(&atoms, level);
                self.lemmas[index] = Some(Known { atoms, level, id });
            }
        }
        for clause in std::mem::take(&mut self.theory) {
            self.add_everywhere(clause);
        }
        self.add_axioms();
        self.size = self.main.len();
    }

    fn count_work(&mut self) {
        let work = self.main.solver.statistics();
        let pdr = &mut self.statistics.pdr;
        pdr.conflicts += work.conflicts;
        pdr.decisions += work.decisions;
        pdr.propagations += work.propagations;
        pdr.domain_variables += work.domain;
        pdr.variables = self.main.len();
    }

    /// Completes the statistics at the end of a run.
    pub fn finish(&mut self) {
        self.count_work();
        self.statistics.probability = self.specialization.probability();
        self.statistics.cubes = self.specialization.cubes;
        self.statistics.polytopes = self.specialization.polytopes;
    }

    pub fn property_id(&self, property: usize) -> PropertyId {
        self.properties[property].0
    }

    /// An initial state in the cube, with these inputs if initial values depend on them.
    pub fn initial_state(&mut self, cube: &[Atom], choice: &Choice) -> Asked<Option<Vec<BitVec>>> {
        let mut assumptions = self.lits(cube, Time::Now);
        for (lits, value) in self.circuit.inputs.iter().zip(&choice.inputs) {
            let (Some(lits), Some(value)) = (lits, value) else { continue };
            for (bit, &lit) in (0..).zip(lits) {
                if let Some(lit) = self.main.known(lit) {
                    assumptions.push(lit.negate_if(!value.bit(bit)));
                }
            }
        }
        let answer = self.solve(Layer::level(0), &assumptions, &[])?;
        Ok(match answer {
            None => self.found.as_ref().map(|found| found.state.to_vec()),
            Some(_) => None,
        })
    }

    /// What an atom says, for users.
    pub fn fact(&self, atom: Atom) -> elinvar_ir::Fact {
        self.atoms.shape(atom).to_fact(&self.words)
    }

    pub(super) fn add_lemma(&mut self, atoms: &[Atom], level: Level) -> LemmaId {
        let clause: Vec<Lit> = self.lits(atoms, Time::Now).into_iter().map(|lit| !lit).collect();
        for (&atom, lit) in atoms.iter().zip(&clause) {
            // Only registers may stay at their values in the initial state.
            if !self.atoms.shape(atom).is_bit() {
                self.main.solver.add_permanent_root(lit.var());
            }
        }
        self.main.solver.add_lemma(&clause, level.layer())
    }
}

/// In which state an atom is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Time {
    Now,
    Later,
}

impl Time {
    pub(super) fn literal(
        self,
        circuit: &mut Circuit,
        words: &[WordInfo],
        atoms: &Atoms,
        atom: Atom,
    ) -> AigLit {
        match self {
            Time::Now => circuit.now(words, atoms, atom),
            Time::Later => circuit.later(words, atoms, atom),
        }
    }
}

impl Domain for Words {
    type Atom = Atom;
    type Choice = Rc<Choice>;
    type Lemma = usize;
    type Target = Cube<Atom>;
    type State = Rc<[BitVec]>;

    fn bad(&mut self, level: Level, property: usize) -> Asked<Option<Predecessor<Self>>> {
        self.pause()?;
        let started = Instant::now();
        let bad = self.main.lit(&self.circuit.aig, self.circuit.bads[property]);
        let found = self.solve(level.layer(), &[bad], &[])?.is_none();
        self.statistics.pdr.bad.add(found, started.elapsed());
        if found {
            self.specialize(Reach::Bad(property), Effort::UntilStable).map(Some)
        } else {
            Ok(None)
        }
    }

    fn step(
        &mut self,
        level: Level,
        cube: &[Atom],
        from: From,
        purpose: Purpose,
    ) -> Asked<Step<Atom>> {
        self.pause()?;
        let started = Instant::now();
        let mut cube = cube.to_vec();
        let use_of = |atom: &Atom| self.activity.of(self.atoms.shape(*atom));
        cube.sort_by(|a, b| use_of(b).total_cmp(&use_of(a)));
        let later = self.lits(&cube, Time::Later);
        let outside: Vec<Lit> = match from {
            From::Anywhere => Vec::new(),
            From::Outside => self.lits(&cube, Time::Now).into_iter().map(|lit| !lit).collect(),
        };
        let temporary: &[&[Lit]] = match from {
            From::Anywhere => &[],
            From::Outside => &[&outside],
        };
        let answer = self.solve(level.layer(), &later, temporary)?;
        self.statistics.pdr.count(purpose).add(answer.is_none(), started.elapsed());
        Ok(match answer {
            None => Step::Reached,
            Some(failed) => Step::Blocked(self.core_of(&cube, &later, &failed)?),
        })
    }

    fn target(&mut self, cube: &Cube<Atom>) -> Cube<Atom> {
        cube.clone()
    }

    fn reached(&mut self, level: Level, targets: &[&Cube<Atom>]) -> Asked<Vec<usize>> {
        self.pause()?;
        let started = Instant::now();
        let inside: Vec<Lit> = targets.iter().map(|cube| self.inside(cube).1).collect();
        let is_reached = self.solve(level.layer(), &[], &[&inside])?.is_none();
        self.statistics.pdr.adopt.add(is_reached, started.elapsed());
        if !is_reached {
            return Ok(Vec::new());
        }
        let model = self.main.solver.model().expect("asked after a query with a model");
        let holds = |index: &usize| model.value(inside[*index]) == Some(true);
        Ok((0..targets.len()).filter(holds).collect())
    }

    fn release(&mut self, _target: Cube<Atom>) {}

    fn predecessor(&mut self, cube: &[Atom], effort: Effort) -> Asked<Predecessor<Self>> {
        self.specialize(Reach::Cube(cube), effort)
    }

    fn holds(&self, atom: Atom) -> bool {
        let found = self.found.as_ref().expect("asked after a query with a model");
        self.atoms.shape(atom).holds(&self.words, &found.state)
    }

    fn state(&self) -> Rc<[BitVec]> {
        Rc::clone(&self.found.as_ref().expect("asked after a query with a model").state)
    }

    fn contains(&self, cube: &Cube<Atom>, state: &Rc<[BitVec]>) -> bool {
        self.atoms.shapes(cube.atoms()).all(|shape| shape.holds(&self.words, state))
    }

    fn covers(&self, large: &Cube<Atom>, small: &Cube<Atom>) -> bool {
        self.atoms.covers(&self.words, large, small)
    }

    fn meets_initial(&mut self, cube: &[Atom]) -> bool {
        let is_constant = |word: usize| matches!(self.words[word].init, Init::Constant(_));
        let mut decided = self.circuit.initial.is_empty() && self.circuit.constraints.is_empty();
        for shape in self.atoms.shapes(cube) {
            if shape.words().all(is_constant) {
                if !shape.holds(&self.words, &self.origin) {
                    return false;
                }
            } else {
                decided = false;
            }
        }
        if decided {
            return true;
        }
        let lits = self.lits(cube, Time::Now);
        // When the run is over, nothing is built on the answer.
        !matches!(self.solve(Layer::level(0), &lits, &[]), Ok(Some(_)))
    }

    fn widen(&mut self, cube: Cube<Atom>, level: usize) -> Asked<Cube<Atom>> {
        super::widen::widen(self, cube, level)
    }

    fn learn(&mut self, cube: &Cube<Atom>, level: Level) -> usize {
        let words: Vec<usize> = self
            .atoms
            .shapes(cube.atoms())
            .flat_map(|shape| shape.words().collect::<Vec<_>>())
            .collect();
        for word in words {
            self.activity.bump(word);
        }
        self.activity.decay();
        self.statistics.pdr.lemmas += 1;
        let kind = self.kind_of(cube.atoms());
        let experience = self.specialization.of(kind);
        experience.lemmas += 1;
        experience.forever += u64::from(level == Level::Infinite);
        let id = self.add_lemma(cube.atoms(), level);
        self.lemmas.push(Some(Known { atoms: cube.atoms().into(), level, id }));
        self.lemmas.len() - 1
    }

    fn raise(&mut self, lemma: usize, level: Level) {
        let Some(known) = &mut self.lemmas[lemma] else { return };
        let is_new = level == Level::Infinite && known.level != Level::Infinite;
        known.level = level;
        self.main.solver.raise_lemma(known.id, level.layer());
        if is_new {
            let atoms = known.atoms.clone();
            let kind = self.kind_of(&atoms);
            self.specialization.of(kind).forever += 1;
        }
    }

    fn forget(&mut self, lemma: usize) {
        if let Some(known) = self.lemmas[lemma].take() {
            self.main.solver.remove_lemma(known.id);
        }
    }

    fn statistics(&mut self) -> &mut PdrStatistics {
        &mut self.statistics.pdr
    }

    fn activity(&self, atom: Atom) -> f64 {
        self.activity.of(self.atoms.shape(atom))
    }
}

impl Words {
    /// The state lies in the cube, and the next one does.
    pub(super) fn inside(&mut self, cube: &Cube<Atom>) -> (Lit, Lit) {
        let (now, later) = self.inside_graph(cube);
        let Words { main, circuit, .. } = self;
        (main.lit(&circuit.aig, now), main.lit(&circuit.aig, later))
    }

    pub(super) fn inside_graph(&mut self, cube: &Cube<Atom>) -> (AigLit, AigLit) {
        let Words { circuit, words, atoms, .. } = self;
        let now: Vec<AigLit> =
            cube.atoms().iter().map(|&atom| circuit.now(words, atoms, atom)).collect();
        let later: Vec<AigLit> =
            cube.atoms().iter().map(|&atom| circuit.later(words, atoms, atom)).collect();
        (circuit.aig.and_all(&now), circuit.aig.and_all(&later))
    }

    fn kind_of(&self, atoms: &[Atom]) -> UnitKind {
        if self.atoms.shapes(atoms).all(Shape::is_bit) {
            UnitKind::Cube
        } else {
            UnitKind::Polytope
        }
    }
}
