//! The solver for all frames: queries about atoms, with the lemmas of each frame.
//!
//! The words are bits in the core, blasted as they are needed; a lemma is a disjunction
//! of atoms, and an atom the output of its comparator. So lemmas are retracted, raised and
//! pushed as on bits, and what is learnt about a comparator serves all lemmas with it.
//!
//! Memories that are not part of the words are decided by lemmas on demand. Then a step is
//! one of an abstraction: units say nothing about their contents, and a way to a bad state
//! is only a candidate.

use std::rc::Rc;
use std::time::Instant;

use elinvar_ir::BitVec;
use elinvar_logic::AigLit;
use elinvar_logic::aig::Valuation;
use elinvar_sat::{Answer, Layer, LemmaId, Lit, Query, Scope};

use super::atom::Atom;
use super::circuit::Init;
use super::domain::Words;
use super::encoding::{Encoding, Time};
use super::expand::StepInputs;
use super::gates::Gates;
use super::model::WordModel;
use crate::pdr::cube::Cube;
use crate::pdr::domain::{Found, Interruptible, Level, Purpose};
use crate::pdr::statistics::PdrStatistics;
use crate::run::{Run, work_of};

/// The work of a query besides propagation: the atoms of a cube become circuits, and the states that
/// are found become cubes.
const WORK_OF_A_QUERY: u64 = 200;

/// After so many conflicts a proposal is not worth it.
const PATIENCE: u64 = 2_000;

/// The solver is built again when it has grown so much, without the comparators that are
/// not needed any more.
const GROWTH: usize = 3;
const GROWTH_BASE: usize = 60_000;

/// The answer to a query.
pub(super) enum Solved<T> {
    /// What was read from the model.
    Sat(T),
    /// The assumptions that exclude a model.
    Unsat(Vec<Lit>),
}

/// A lemma that the solver knows.
struct FrameLemma {
    atoms: Box<[Atom]>,
    level: Level,
    id: LemmaId,
}

/// The solver for all frames, and what is needed to build it again.
pub(super) struct FrameSolver {
    pub encoding: Encoding,
    gates: Gates,
    /// The size of the solver when it was built.
    size: usize,
    lemmas: Vec<Option<FrameLemma>>,
    /// Cubes without reachable states that are not among the lemmas of the loop.
    established: Vec<Cube<Atom>>,
    /// Clauses that memories satisfy in every state.
    theory: Vec<Vec<AigLit>>,
    /// One initial state.
    pub origin: Vec<BitVec>,
    /// There are memories that the words do not contain.
    pub is_abstract: bool,
    pub run: Run,
    /// Counts queries, so that the run is looked at now and then.
    queries: u64,
    pub statistics: PdrStatistics,
    pub array_lemmas: u64,
}

impl FrameSolver {
    pub fn new(encoding: Encoding, run: &Run) -> Interruptible<Self> {
        let origin = encoding.words.iter().map(|word| match &word.init {
            Init::Constant(value) => value.clone(),
            Init::Free | Init::Expression(_) => BitVec::zero(word.width),
        });
        let mut solver = FrameSolver {
            origin: origin.collect(),
            is_abstract: !encoding.circuit.arrays.is_empty(),
            encoding,
            gates: Gates::new(run),
            size: 0,
            lemmas: Vec::new(),
            established: Vec::new(),
            theory: Vec::new(),
            run: run.clone(),
            queries: 0,
            statistics: PdrStatistics::default(),
            array_lemmas: 0,
        };
        if !solver.encoding.circuit.initial.is_empty() {
            solver.rebuild();
            // Initial values are functions of one another: they exist. Constraints need not
            // have a model; then any values do.
            if let Solved::Sat(found) =
                solver.solve(Layer::level(0), &[], &[], |model| model.found())?
            {
                solver.origin = found.state.to_vec();
            }
        }
        solver.rebuild();
        Ok(solver)
    }

    /// A new solver with the lemmas that are known.
    fn rebuild(&mut self) {
        self.count_work();
        self.gates = Gates::new(&self.run);
        let FrameSolver { gates, encoding: Encoding { circuit, words, .. }, origin, .. } = self;
        for (number, (word, value)) in words.iter().zip(origin.iter()).enumerate() {
            for (bit, &lit) in (0..).zip(circuit.current(number)) {
                let var = gates.lit(&circuit.aig, lit).var();
                gates.solver.set_default(var, value.bit(bit));
                if let Init::Constant(_) = word.init {
                    gates.solver.set_initial(var, value.bit(bit));
                }
            }
        }
        let constraints = gates.lits(&circuit.aig, &circuit.constraints);
        let initial = gates.lits(&circuit.aig, &circuit.initial);
        for lit in constraints.iter().chain(&initial) {
            gates.solver.add_permanent_root(lit.var());
        }
        for lit in constraints {
            gates.solver.add_clause(&[lit]);
        }
        for lit in initial {
            gates.solver.add_lemma(&[lit], Layer::level(0));
        }
        for index in 0..self.lemmas.len() {
            if let Some(FrameLemma { atoms, level, .. }) = self.lemmas[index].take() {
                let id = self.add_clause(&atoms, level);
                self.lemmas[index] = Some(FrameLemma { atoms, level, id });
            }
        }
        for clause in std::mem::take(&mut self.theory) {
            self.add_everywhere(clause);
        }
        self.add_axioms();
        self.size = self.gates.len();
    }

    /// Adds what the solver did since it was built to the statistics.
    pub fn count_work(&mut self) {
        let work = self.gates.solver.statistics();
        let statistics = &mut self.statistics;
        statistics.conflicts += work.conflicts;
        statistics.decisions += work.decisions;
        statistics.propagations += work.propagations;
        statistics.domain_variables += work.domain;
        statistics.variables = self.gates.len();
    }

    /// Has a solver grown too large?
    pub fn is_overgrown(&self, size: usize) -> bool {
        size > GROWTH * self.size + GROWTH_BASE
    }

    /// Must the run stop? Interruptible now and then. Rebuilds a solver that is too large.
    pub fn pause(&mut self) -> Interruptible<()> {
        self.queries += 1;
        self.run.spend(WORK_OF_A_QUERY + work_of(self.gates.solver.take_ticks()));
        if self.queries.is_multiple_of(16) {
            self.run.go_on()?;
        }
        if self.is_overgrown(self.gates.len()) {
            self.rebuild();
        }
        Ok(())
    }

    // ---- literals

    pub fn lit(&mut self, lit: AigLit) -> Lit {
        self.gates.lit(&self.encoding.circuit.aig, lit)
    }

    /// The literals of atoms.
    pub fn lits(&mut self, atoms: &[Atom], time: Time) -> Vec<Lit> {
        let lit = |&atom: &Atom| {
            let lit = self.encoding.literal(atom, time);
            self.lit(lit)
        };
        atoms.iter().map(lit).collect()
    }

    /// The state lies in the cube, and the next one does.
    pub fn inside(&mut self, cube: &Cube<Atom>) -> (Lit, Lit) {
        let (now, later) = self.encoding.inside(cube);
        (self.lit(now), self.lit(later))
    }

    /// A word has this value.
    pub fn is(&mut self, word: usize, value: &BitVec) -> Vec<Lit> {
        let FrameSolver { gates, encoding: Encoding { circuit, .. }, .. } = self;
        let lits = (0..).zip(circuit.current(word));
        lits.map(|(bit, &lit)| gates.lit(&circuit.aig, lit).negate_if(!value.bit(bit))).collect()
    }

    /// The literals of the inputs that the solver knows, with the values of a step.
    fn input_lits(&self, step: &StepInputs) -> Vec<Lit> {
        let mut lits = Vec::new();
        for (input, value) in self.encoding.circuit.inputs.iter().zip(step.inputs.iter()) {
            let (Some(input), Some(value)) = (input, value) else { continue };
            for (bit, &lit) in (0..).zip(input) {
                lits.extend(self.gates.known(lit).map(|lit| lit.negate_if(!value.bit(bit))));
            }
        }
        lits
    }

    // ---- queries

    /// Answers a query; `read` takes what the caller needs out of the model.
    pub fn solve<T>(
        &mut self,
        layer: Layer,
        assumptions: &[Lit],
        temporary: &[&[Lit]],
        read: impl FnOnce(&WordModel<'_>) -> T,
    ) -> Interruptible<Solved<T>> {
        self.query(layer, assumptions, temporary, None, read)
    }

    /// The same, but `None` if it takes more than so many conflicts.
    pub fn attempt<T>(
        &mut self,
        conflicts: u64,
        layer: Layer,
        assumptions: &[Lit],
        temporary: &[&[Lit]],
        read: impl FnOnce(&WordModel<'_>) -> T,
    ) -> Interruptible<Option<Solved<T>>> {
        match self.query(layer, assumptions, temporary, Some(conflicts), read) {
            Ok(answer) => Ok(Some(answer)),
            Err(_) if self.run.stop().is_none() => Ok(None),
            Err(stopped) => Err(stopped),
        }
    }

    fn query<T>(
        &mut self,
        layer: Layer,
        assumptions: &[Lit],
        temporary: &[&[Lit]],
        conflicts: Option<u64>,
        read: impl FnOnce(&WordModel<'_>) -> T,
    ) -> Interruptible<Solved<T>> {
        let scope = if self.is_abstract { Scope::All } else { Scope::Cone };
        loop {
            self.add_axioms();
            let query = Query { layer, assumptions, temporary, scope, conflicts };
            match self.gates.solver.solve(&query) {
                Answer::Sat(_) => {}
                Answer::Unsat(core) => return Ok(Solved::Unsat(core.lits().to_vec())),
                Answer::Stopped => return Err(self.run.stopped()),
            }
            if self.is_abstract {
                let model = WordModel::new(&self.gates, &self.encoding, &self.origin);
                let values = model.gate_values();
                if self.refine(&values) {
                    continue;
                }
            }
            let model = WordModel::new(&self.gates, &self.encoding, &self.origin);
            debug_assert!(self.satisfies_lemmas(layer, &model.found()), "outside its frame");
            return Ok(Solved::Sat(read(&model)));
        }
    }

    /// The state that was found is in the frame of the layer.
    fn satisfies_lemmas(&self, layer: Layer, found: &Found<Words>) -> bool {
        self.lemmas.iter().flatten().all(|lemma| {
            lemma.level.layer() < layer || !self.encoding.holds(&lemma.atoms, &found.state)
        })
    }

    /// The atoms of the cube whose literals are in the core, and what else is needed to
    /// exclude the initial states.
    pub fn core_of(
        &mut self,
        cube: &[Atom],
        lits: &[Lit],
        failed: &[Lit],
    ) -> Interruptible<Vec<Atom>> {
        let in_core = cube.iter().zip(lits).filter(|(_, lit)| failed.contains(lit));
        let mut core: Vec<Atom> = in_core.map(|(&atom, _)| atom).collect();
        if core.is_empty() || self.meets_initial(&core) {
            let now = self.lits(cube, Time::Now);
            match self.solve(Layer::level(0), &now, &[], |_| ())? {
                Solved::Unsat(failed) => {
                    let needed = cube.iter().zip(&now).filter(|(_, lit)| failed.contains(lit));
                    core.extend(needed.map(|(&atom, _)| atom));
                }
                Solved::Sat(()) => core = cube.to_vec(),
            }
            core.sort_unstable();
            core.dedup();
        }
        Ok(core)
    }

    /// Does the cube contain an initial state?
    pub fn meets_initial(&mut self, cube: &[Atom]) -> bool {
        let Encoding { words, atoms, circuit } = &self.encoding;
        let is_constant = |word: usize| matches!(words[word].init, Init::Constant(_));
        let mut decided = circuit.initial.is_empty() && circuit.constraints.is_empty();
        for shape in atoms.shapes(cube) {
            if shape.words().all(is_constant) {
                if !shape.holds(words, &self.origin) {
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
        !matches!(self.solve(Layer::level(0), &lits, &[], |_| ()), Ok(Solved::Unsat(_)))
    }

    /// An initial state in the cube, with these inputs if initial values depend on them.
    pub fn initial_state(
        &mut self,
        cube: &[Atom],
        step: &StepInputs,
    ) -> Interruptible<Option<Rc<[BitVec]>>> {
        let mut assumptions = self.lits(cube, Time::Now);
        assumptions.extend(self.input_lits(step));
        let answer = self.solve(Layer::level(0), &assumptions, &[], |model| model.found())?;
        Ok(match answer {
            Solved::Sat(found) => Some(found.state),
            Solved::Unsat(_) => None,
        })
    }

    /// The part of the unit that no state of the frame outside it steps into. `None` if
    /// there is such a state, or if it takes too long to tell.
    pub fn blocked_part(
        &mut self,
        level: Level,
        unit: &[Atom],
    ) -> Interruptible<Option<Vec<Atom>>> {
        self.pause()?;
        let started = Instant::now();
        let later = self.lits(unit, Time::Later);
        let outside: Vec<Lit> = self.lits(unit, Time::Now).into_iter().map(|lit| !lit).collect();
        let answer = self.attempt(PATIENCE, level.layer(), &later, &[&outside], |_| ());
        let purpose = match level {
            Level::Infinite => Purpose::Promote,
            Level::Finite(_) => Purpose::Generalize,
        };
        let is_sat = matches!(answer, Ok(Some(Solved::Sat(()))));
        self.statistics.count(purpose).add(is_sat, started.elapsed());
        match answer? {
            Some(Solved::Unsat(failed)) => self.core_of(unit, &later, &failed).map(Some),
            Some(Solved::Sat(())) | None => Ok(None),
        }
    }

    /// Do the lemmas of F∞ exclude all states of the unit?
    pub fn is_excluded(&mut self, unit: &[Atom]) -> Interruptible<bool> {
        let lits = self.lits(unit, Time::Now);
        let answer = self.attempt(PATIENCE, Layer::ALWAYS, &lits, &[], |_| ())?;
        Ok(matches!(answer, Some(Solved::Unsat(_))))
    }

    // ---- lemmas

    /// Learns a lemma of a frame.
    pub fn learn(&mut self, cube: &Cube<Atom>, level: Level) -> usize {
        let id = self.add_clause(cube.atoms(), level);
        self.lemmas.push(Some(FrameLemma { atoms: cube.atoms().into(), level, id }));
        self.lemmas.len() - 1
    }

    /// Raises a lemma to a later level; its atoms, if it is new in F∞.
    pub fn raise(&mut self, lemma: usize, level: Level) -> Option<Box<[Atom]>> {
        let lemma = self.lemmas[lemma].as_mut()?;
        let is_new = level == Level::Infinite && lemma.level != Level::Infinite;
        lemma.level = level;
        self.gates.solver.raise_lemma(lemma.id, level.layer());
        is_new.then(|| lemma.atoms.clone())
    }

    pub fn forget(&mut self, lemma: usize) {
        if let Some(lemma) = self.lemmas[lemma].take() {
            self.gates.solver.remove_lemma(lemma.id);
        }
    }

    /// Takes note of a cube that has no reachable state, beside those that the loop blocks.
    pub fn establish(&mut self, cube: Cube<Atom>) {
        if !self.established.contains(&cube) {
            self.learn(&cube, Level::Infinite);
            self.established.push(cube);
        }
    }

    /// The cubes that were established.
    pub fn established(&self) -> &[Cube<Atom>] {
        &self.established
    }

    /// How many lemmas F∞ has.
    pub fn inductive_lemmas(&self) -> usize {
        let is_inductive = |lemma: &&FrameLemma| lemma.level == Level::Infinite;
        self.lemmas.iter().flatten().filter(is_inductive).count()
    }

    fn add_clause(&mut self, atoms: &[Atom], level: Level) -> LemmaId {
        let clause: Vec<Lit> = self.lits(atoms, Time::Now).into_iter().map(|lit| !lit).collect();
        for (&atom, lit) in atoms.iter().zip(&clause) {
            // Only registers may stay at their values in the initial state.
            if !self.encoding.atoms.shape(atom).is_bit() {
                self.gates.solver.add_permanent_root(lit.var());
            }
        }
        self.gates.solver.add_lemma(&clause, level.layer())
    }

    // ---- memories

    /// Adds what every array satisfies.
    fn add_axioms(&mut self) {
        for axiom in self.encoding.circuit.arrays.take_axioms() {
            self.add_everywhere(axiom);
        }
    }

    /// Adds a clause that every memory satisfies, also to solvers that are built later.
    fn add_everywhere(&mut self, clause: Vec<AigLit>) {
        let lits = self.gates.lits(&self.encoding.circuit.aig, &clause);
        self.gates.solver.add_clause(&lits);
        self.theory.push(clause);
    }

    /// Adds what these values of the gates violate of the theory of arrays; false if nothing.
    fn refine(&mut self, values: &Valuation) -> bool {
        let circuit = &mut self.encoding.circuit;
        let Err(lemmas) = circuit.arrays.refine(&mut circuit.aig, values) else { return false };
        self.array_lemmas += lemmas.len() as u64;
        for lemma in lemmas {
            self.add_everywhere(lemma);
        }
        true
    }
}
