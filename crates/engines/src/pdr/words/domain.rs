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
use elinvar_logic::aig::Valuation;
use elinvar_logic::simulation::Kind;
use elinvar_sat::{Answer, Layer, LemmaId, Lit, Query, Scope};
use rustc_hash::FxHashMap;

use super::WordsOptions;
use super::adapt::{Specialization, UnitKind};
use super::atom::{Atom, Atoms, Equation, Shape, Terms};
use super::circuit::{Circuit, Init, WordInfo};
use super::expand::{Choice, Expander, Goal, Question};
use super::gates::Gates;
use super::statistics::WordsStatistics;
use super::survey::share_of_logic;
use super::templates::Templates;
use crate::engine::EngineError;
use crate::pdr::cube::Cube;
use crate::pdr::domain::{Asked, Domain, Effort, From, Level, Predecessor, Purpose, Step, Stopped};
use crate::run::Run;

const ACTIVITY_DECAY: f64 = 0.9;

/// After so many conflicts a proposal is not worth it.
const PATIENCE: u64 = 2_000;

/// The solver begins anew when it has grown so much, so that comparators nobody needs
/// any more go.
const GROWTH: usize = 3;
const GROWTH_BASE: usize = 60_000;

pub(crate) struct Words {
    pub(super) words: Vec<WordInfo>,
    pub(super) atoms: Atoms,
    pub(super) circuit: Circuit,
    main: Gates,
    /// The circuit without constraints and lemmas.
    lifter: Gates,
    /// The size of the main solver when it was made.
    size: usize,
    lemmas: Vec<Option<Known>>,
    properties: Vec<(PropertyId, ExprId)>,
    expander: Expander,
    /// When simulations are compared: the other kinds.
    rivals: Vec<(Kind, Expander)>,
    pub(super) templates: Templates,
    /// Those that hold in all reachable states.
    pub(super) equations: Vec<Equation>,
    specialization: Specialization,
    /// The greatest values of sums in initial states.
    pub(super) initial_bounds: FxHashMap<Terms, IBig>,
    /// By direction: whether a half-space next to the initial states is known to have no
    /// reachable state, and how many lemmas held for ever when it was looked for.
    pub(super) nearest: FxHashMap<Terms, (usize, bool)>,
    /// Cubes without reachable states that are not among the lemmas of the loop.
    established: Vec<Cube<Atom>>,
    /// Guesses that could not be proved, and how many lemmas held for ever then.
    pub(super) unproved: (usize, Vec<Cube<Atom>>),
    /// One initial state.
    pub(super) origin: Vec<BitVec>,
    /// What the last query found.
    found: Option<Found>,
    activity: Activity,
    /// There are memories that the words do not contain.
    pub is_abstract: bool,
    run: Run,
    asked: u64,
    pub statistics: WordsStatistics,
}

struct Found {
    state: Rc<[BitVec]>,
    choice: Choice,
}

/// A lemma of the solver.
struct Known {
    atoms: Box<[Atom]>,
    level: Level,
    id: LemmaId,
}

/// How often words were of use in lemmas.
struct Activity {
    by_word: Vec<f64>,
    increment: f64,
}

impl Activity {
    fn of(&self, shape: &Shape) -> f64 {
        shape.words().map(|word| self.by_word[word]).fold(0.0, f64::max)
    }

    fn bump(&mut self, word: usize) {
        self.by_word[word] += self.increment;
    }

    fn decay(&mut self) {
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
        let circuit = Circuit::new(system, &words, properties)?;
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
    fn begin_anew(&mut self) {
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

    pub(super) fn run(&self) -> &Run {
        &self.run
    }

    pub(super) fn words(&self) -> &[WordInfo] {
        &self.words
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

    // ---- queries ---------------------------------------------------------------------

    pub(super) fn lits(&mut self, cube: &[Atom], time: Time) -> Vec<Lit> {
        let Words { main, circuit, words, atoms, .. } = self;
        let lit = |&atom: &Atom| {
            let lit = time.literal(circuit, words, atoms, atom);
            main.lit(&circuit.aig, lit)
        };
        cube.iter().map(lit).collect()
    }

    /// None if there is a model, which is in `found` then; else the assumptions that
    /// exclude one.
    fn solve(
        &mut self,
        layer: Layer,
        assumptions: &[Lit],
        temporary: &[&[Lit]],
    ) -> Asked<Option<Vec<Lit>>> {
        self.solve_within(None, layer, assumptions, temporary)
    }

    /// The same, but stopped after so many conflicts.
    pub(super) fn solve_within(
        &mut self,
        conflicts: Option<u64>,
        layer: Layer,
        assumptions: &[Lit],
        temporary: &[&[Lit]],
    ) -> Asked<Option<Vec<Lit>>> {
        let scope = if self.is_abstract { Scope::All } else { Scope::Cone };
        loop {
            self.found = None;
            self.add_axioms();
            let query = Query { layer, assumptions, temporary, scope, conflicts };
            match self.main.solver.solve(&query) {
                Answer::Sat(_) => {}
                Answer::Unsat(core) => return Ok(Some(core.lits().to_vec())),
                Answer::Stopped => return Err(Stopped),
            }
            if self.is_abstract && self.refine() {
                continue;
            }
            self.found = Some(self.read_model());
            debug_assert!(self.satisfies_lemmas(layer), "a state outside its frame");
            return Ok(None);
        }
    }

    /// What every array satisfies.
    fn add_axioms(&mut self) {
        for axiom in self.circuit.arrays.take_axioms() {
            self.add_everywhere(&axiom);
        }
    }

    fn add_everywhere(&mut self, clause: &[AigLit]) {
        let lits: Vec<Lit> =
            clause.iter().map(|&lit| self.main.lit(&self.circuit.aig, lit)).collect();
        self.main.solver.add_clause(&lits);
    }

    /// Adds what the model violates of the theory of arrays; false if nothing.
    fn refine(&mut self) -> bool {
        let values = self.simulate_model();
        let Words { circuit, .. } = self;
        let Err(lemmas) = circuit.arrays.refine(&mut circuit.aig, &values) else { return false };
        self.statistics.array_lemmas += lemmas.len() as u64;
        for lemma in lemmas {
            self.add_everywhere(&lemma);
        }
        true
    }

    /// The state that was found is in the frame of the layer.
    fn satisfies_lemmas(&self, layer: Layer) -> bool {
        let Some(found) = &self.found else { return true };
        let holds = |shape: &Shape| shape.holds(&self.words, &found.state);
        self.lemmas.iter().flatten().all(|known| {
            self::layer(known.level) < layer || !self.atoms.shapes(&known.atoms).all(holds)
        })
    }

    fn read_model(&self) -> Found {
        let model = self.main.solver.model().expect("asked after a query with a model");
        let value = |lit: AigLit| self.main.known(lit).and_then(|lit| model.value(lit));
        let word = |number: usize| {
            let lits = self.circuit.current(number).iter();
            let origin = &self.origin[number];
            let bits = (0..).zip(lits).map(|(bit, &lit)| value(lit).unwrap_or(origin.bit(bit)));
            BitVec::from_bits(bits)
        };
        let chosen =
            |lits: &[AigLit]| BitVec::from_bits(lits.iter().map(|&l| value(l).unwrap_or(false)));
        let inputs = self.circuit.inputs.iter().map(|lits| lits.as_deref().map(chosen)).collect();
        let free =
            self.words.iter().enumerate().map(|(number, word)| {
                word.next.is_none().then(|| chosen(self.circuit.next(number)))
            });
        Found {
            state: (0..self.words.len()).map(word).collect(),
            choice: Choice { inputs, free: free.collect() },
        }
    }

    /// Must the run stop? Asked now and then.
    fn pause(&mut self) -> Asked<()> {
        self.asked += 1;
        if self.asked.is_multiple_of(16) && self.run.stop().is_some() {
            return Err(Stopped);
        }
        if self.main.len() > GROWTH * self.size + GROWTH_BASE {
            self.begin_anew();
        }
        Ok(())
    }

    /// The atoms of the cube whose literals are in the core, and what else is needed to
    /// exclude the initial states.
    fn core_of(&mut self, cube: &[Atom], lits: &[Lit], failed: &[Lit]) -> Asked<Vec<Atom>> {
        let in_core = cube.iter().zip(lits).filter(|(_, lit)| failed.contains(lit));
        let mut core: Vec<Atom> = in_core.map(|(&atom, _)| atom).collect();
        if core.is_empty() || self.meets_initial(&core) {
            let now = self.lits(cube, Time::Now);
            match self.solve(Layer::level(0), &now, &[])? {
                Some(failed) => {
                    let needed = cube.iter().zip(&now).filter(|(_, lit)| failed.contains(lit));
                    core.extend(needed.map(|(&atom, _)| atom));
                }
                None => core = cube.to_vec(),
            }
            core.sort_unstable();
            core.dedup();
        }
        Ok(core)
    }

    /// The part of the unit that no state of the frame outside it steps into. None if
    /// there is such a state, or if it takes too long to tell.
    pub(super) fn is_blocked(&mut self, level: Level, unit: &[Atom]) -> Asked<Option<Vec<Atom>>> {
        self.pause()?;
        let started = Instant::now();
        let later = self.lits(unit, Time::Later);
        let outside: Vec<Lit> = self.lits(unit, Time::Now).into_iter().map(|lit| !lit).collect();
        let answer = self.solve_within(Some(PATIENCE), layer(level), &later, &[&outside]);
        let purpose = match level {
            Level::Infinite => Purpose::Promote,
            Level::Finite(_) => Purpose::Generalize,
        };
        self.statistics.count(purpose).add(matches!(answer, Ok(None)), started.elapsed());
        match answer {
            Ok(None) => Ok(None),
            Ok(Some(failed)) => self.core_of(unit, &later, &failed).map(Some),
            Err(Stopped) if self.run.stop().is_none() => Ok(None),
            Err(Stopped) => Err(Stopped),
        }
    }

    /// Does what holds for ever exclude all states of the unit?
    pub(super) fn is_excluded(&mut self, unit: &[Atom]) -> Asked<bool> {
        let lits = self.lits(unit, Time::Now);
        match self.solve_within(Some(PATIENCE), Layer::ALWAYS, &lits, &[]) {
            Ok(answer) => Ok(answer.is_some()),
            Err(Stopped) if self.run.stop().is_none() => Ok(false),
            Err(Stopped) => Err(Stopped),
        }
    }

    /// Takes note of a cube that has no reachable state, beside those that the loop blocks.
    pub(super) fn establish(&mut self, cube: Cube<Atom>) {
        if !self.established.contains(&cube) {
            let id = self.add_lemma(cube.atoms(), Level::Infinite);
            let atoms = cube.atoms().into();
            self.lemmas.push(Some(Known { atoms, level: Level::Infinite, id }));
            self.established.push(cube);
        }
    }

    /// The cubes that were established.
    pub fn established(&self) -> &[Cube<Atom>] {
        &self.established
    }

    /// How many lemmas hold for ever.
    pub(super) fn forever(&self) -> usize {
        let is_forever = |known: &&Known| known.level == Level::Infinite;
        self.lemmas.iter().flatten().filter(is_forever).count()
    }

    /// The values of literals in the model that was found.
    pub(super) fn values(&self, lits: &[Lit]) -> Vec<bool> {
        let model = self.main.solver.model().expect("asked after a query with a model");
        lits.iter().map(|&lit| model.value(lit) == Some(true)).collect()
    }

    /// The state after the one that was found.
    pub(super) fn next_state(&self) -> Vec<BitVec> {
        let values = self.simulate_model();
        let bits = |word| self.circuit.next(word).iter().map(|&lit| values.value(lit));
        (0..self.words.len()).map(|word| BitVec::from_bits(bits(word))).collect()
    }

    /// The values of all gates in the model that was found.
    fn simulate_model(&self) -> Valuation {
        let model = self.main.solver.model().expect("asked after a query with a model");
        self.circuit.aig.simulate(|node| {
            let lit = self.main.known(AigLit::from_code((node as u32) << 1));
            lit.and_then(|lit| model.value(lit)).unwrap_or(false)
        })
    }

    /// The state and the inputs that were found.
    pub(super) fn take_found(&mut self) -> Option<(Vec<BitVec>, Vec<Option<BitVec>>)> {
        self.found.take().map(|found| (found.state.to_vec(), found.choice.inputs))
    }

    /// A word has this value.
    pub(super) fn is(&mut self, word: usize, value: &BitVec) -> Vec<Lit> {
        let Words { main, circuit, .. } = self;
        let lits = (0..).zip(circuit.current(word));
        lits.map(|(bit, &lit)| main.lit(&circuit.aig, lit).negate_if(!value.bit(bit))).collect()
    }

    // ---- obligations -----------------------------------------------------------------

    /// Makes the point that was found a unit with a way to the goal.
    fn specialize(&mut self, goal: Reach<'_>, effort: Effort) -> Asked<Predecessor<Self>> {
        let started = Instant::now();
        let Found { state, choice } = self.found.take().expect("asked after a query with a model");
        let kind = self.specialization.draw();
        let order = self.order();
        let mut volume = 0.0;
        let atoms = if self.is_abstract {
            None
        } else {
            self.expand(&goal, &state, &choice, &order, kind, &mut volume)
        };
        let mut unit = atoms.unwrap_or_else(|| self.point(&state, kind));
        let before = unit.len();
        if effort == Effort::UntilStable && !self.is_abstract {
            self.lift(&goal, &choice, &mut unit)?;
        }
        let statistics = &mut self.statistics;
        match kind {
            UnitKind::Cube => statistics.cube_obligations += 1,
            UnitKind::Polytope => statistics.polytope_obligations += 1,
        }
        statistics.volume += volume;
        statistics.pdr.lifting.add(before, unit.len());
        statistics.pdr.lift.add(false, started.elapsed());
        Ok(Predecessor { cube: Cube::new(unit), choice: Rc::new(choice) })
    }

    fn expand(
        &mut self,
        goal: &Reach<'_>,
        state: &[BitVec],
        choice: &Choice,
        order: &[usize],
        kind: UnitKind,
        volume: &mut f64,
    ) -> Option<Vec<Atom>> {
        let started = Instant::now();
        let shapes: Vec<Shape>;
        let goal = match goal {
            Reach::Bad(property) => Goal::Bad(self.properties[*property].1),
            Reach::Cube(cube) => {
                shapes = self.atoms.shapes(cube).cloned().collect();
                Goal::Next(shapes.iter().collect())
            }
        };
        let is_cube = kind == UnitKind::Cube;
        let words = &self.words;
        let question = Question { words, point: state, choice, goal: &goal, order, is_cube };
        let found = self.expander.expand(&question, &mut self.atoms);
        self.statistics.expansion_time += started.elapsed();
        self.statistics.expansions += 1;
        *volume = found.as_ref().map_or(0.0, |found| found.volume);
        if !self.rivals.is_empty() {
            let mut volumes = vec![(self.expander.kind(), *volume)];
            for (kind, rival) in &mut self.rivals {
                let found = rival.expand(&question, &mut self.atoms);
                volumes.push((*kind, found.map_or(0.0, |found| found.volume)));
            }
            self.statistics.compared.push(volumes);
        }
        found.map(|found| found.atoms)
    }

    /// The words, those of little use first.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.words.len()).collect();
        order.sort_by(|&a, &b| self.activity.by_word[a].total_cmp(&self.activity.by_word[b]));
        order
    }

    /// The unit of a single state.
    fn point(&mut self, state: &[BitVec], kind: UnitKind) -> Vec<Atom> {
        let mut unit = Vec::new();
        for (word, (info, value)) in self.words.iter().zip(state).enumerate() {
            if kind == UnitKind::Cube || info.is_logic {
                for bit in 0..info.width {
                    unit.push(self.atoms.atom(Shape::Bit { word, bit, value: value.bit(bit) }));
                }
            } else {
                let number = super::atom::integer(value, info.reading);
                unit.push(self.atoms.atom(Shape::at_least(word, number.clone())));
                unit.push(self.atoms.atom(Shape::at_most(word, number)));
            }
        }
        unit
    }

    /// UNSAT:  inputs ∧ unit ∧ ¬(goal ∧ constraints)
    ///
    /// Atoms that are not in the core are not needed.
    fn lift(&mut self, goal: &Reach<'_>, choice: &Choice, unit: &mut Vec<Atom>) -> Asked<()> {
        let Words { lifter, circuit, words, atoms, activity, .. } = self;
        let goal: Vec<AigLit> = match goal {
            Reach::Bad(property) => vec![circuit.bads[*property]],
            Reach::Cube(cube) => {
                cube.iter().map(|&atom| circuit.later(words, atoms, atom)).collect()
            }
        };
        let goal = goal.iter().chain(&circuit.constraints);
        let clause: Vec<Lit> = goal.map(|&lit| !lifter.lit(&circuit.aig, lit)).collect();
        unit.sort_by(|&a, &b| activity.of(atoms.shape(b)).total_cmp(&activity.of(atoms.shape(a))));
        let mut needed: Vec<(Atom, Lit)> = Vec::with_capacity(unit.len());
        for &atom in unit.iter() {
            let lit = circuit.now(words, atoms, atom);
            needed.push((atom, lifter.lit(&circuit.aig, lit)));
        }
        let inputs = circuit.inputs.iter().map(Option::as_deref).zip(&choice.inputs);
        let free = (0..words.len()).map(|word| Some(circuit.next(word))).zip(&choice.free);
        let mut chosen = Vec::new();
        for (lits, value) in inputs.chain(free) {
            let (Some(lits), Some(value)) = (lits, value) else { continue };
            for (bit, &lit) in (0..).zip(lits) {
                chosen.extend(lifter.known(lit).map(|lit| lit.negate_if(!value.bit(bit))));
            }
        }
        loop {
            let mut assumptions = chosen.clone();
            assumptions.extend(needed.iter().map(|&(_, lit)| lit));
            let query = Query {
                layer: Layer::ALWAYS,
                assumptions: &assumptions,
                temporary: &[&clause],
                scope: Scope::Cone,
                conflicts: None,
            };
            let length = needed.len();
            match lifter.solver.solve(&query) {
                Answer::Unsat(core) => needed.retain(|&(_, lit)| core.contains(lit)),
                Answer::Sat(_) => debug_assert!(false, "the unit has a way to the goal"),
                Answer::Stopped => return Err(Stopped),
            }
            if needed.len() == length {
                break;
            }
            needed.reverse();
        }
        *unit = needed.into_iter().map(|(atom, _)| atom).collect();
        if lifter.len() > GROWTH * self.size + GROWTH_BASE {
            *lifter = Gates::new(&self.run);
        }
        Ok(())
    }

    fn add_lemma(&mut self, atoms: &[Atom], level: Level) -> LemmaId {
        let clause: Vec<Lit> = self.lits(atoms, Time::Now).into_iter().map(|lit| !lit).collect();
        for (&atom, lit) in atoms.iter().zip(&clause) {
            // Only registers may stay at their values in the initial state.
            if !self.atoms.shape(atom).is_bit() {
                self.main.solver.add_permanent_root(lit.var());
            }
        }
        self.main.solver.add_lemma(&clause, layer(level))
    }
}

/// What a unit reaches.
enum Reach<'a> {
    Bad(usize),
    Cube(&'a [Atom]),
}

/// In which state an atom is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Time {
    Now,
    Later,
}

impl Time {
    fn literal(
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
        let found = self.solve(layer(level), &[bad], &[])?.is_none();
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
        let answer = self.solve(layer(level), &later, temporary)?;
        self.statistics.count(purpose).add(answer.is_none(), started.elapsed());
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
        let is_reached = self.solve(layer(level), &[], &[&inside])?.is_none();
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
        self.main.solver.raise_lemma(known.id, layer(level));
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

fn layer(level: Level) -> Layer {
    match level {
        Level::Finite(level) => Layer::level(level),
        Level::Infinite => Layer::ALWAYS,
    }
}
