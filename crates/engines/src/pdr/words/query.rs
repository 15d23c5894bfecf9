//! Questions to the solver about words, and what it says.

use std::time::Instant;

use elinvar_ir::BitVec;
use elinvar_logic::AigLit;
use elinvar_logic::aig::Valuation;
use elinvar_sat::{Answer, Layer, Lit, Query, Scope};

use super::atom::{Atom, Shape};
use super::domain::{Found, Known, Time, Words};
use super::expand::Choice;
use crate::pdr::cube::Cube;
use crate::pdr::domain::{Asked, Domain, Level, Purpose, Stopped};

/// After so many conflicts a proposal is not worth it.
const PATIENCE: u64 = 2_000;

/// The solver begins anew when it has grown so much, so that comparators nobody needs
/// any more go.
const GROWTH: usize = 3;
const GROWTH_BASE: usize = 60_000;

impl Words {
    /// Has a solver grown too large?
    pub(super) fn is_overgrown(&self, size: usize) -> bool {
        size > GROWTH * self.size + GROWTH_BASE
    }

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
    pub(super) fn solve(
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
    pub(super) fn add_axioms(&mut self) {
        for axiom in self.circuit.arrays.take_axioms() {
            self.add_everywhere(axiom);
        }
    }

    /// Adds a clause that every memory satisfies, also to solvers that are still to come.
    pub(super) fn add_everywhere(&mut self, clause: Vec<AigLit>) {
        let lits: Vec<Lit> =
            clause.iter().map(|&lit| self.main.lit(&self.circuit.aig, lit)).collect();
        self.main.solver.add_clause(&lits);
        self.theory.push(clause);
    }

    /// Adds what the model violates of the theory of arrays; false if nothing.
    pub(super) fn refine(&mut self) -> bool {
        let values = self.simulate_model();
        let Words { circuit, .. } = self;
        let Err(lemmas) = circuit.arrays.refine(&mut circuit.aig, &values) else { return false };
        self.statistics.array_lemmas += lemmas.len() as u64;
        for lemma in lemmas {
            self.add_everywhere(lemma);
        }
        true
    }

    /// The state that was found is in the frame of the layer.
    pub(super) fn satisfies_lemmas(&self, layer: Layer) -> bool {
        let Some(found) = &self.found else { return true };
        let holds = |shape: &Shape| shape.holds(&self.words, &found.state);
        self.lemmas
            .iter()
            .flatten()
            .all(|known| known.level.layer() < layer || !self.atoms.shapes(&known.atoms).all(holds))
    }

    pub(super) fn read_model(&self) -> Found {
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
    pub(super) fn pause(&mut self) -> Asked<()> {
        self.asked += 1;
        if self.asked.is_multiple_of(16) && self.run.stop().is_some() {
            return Err(Stopped);
        }
        if self.is_overgrown(self.main.len()) {
            self.begin_anew();
        }
        Ok(())
    }

    /// The atoms of the cube whose literals are in the core, and what else is needed to
    /// exclude the initial states.
    pub(super) fn core_of(
        &mut self,
        cube: &[Atom],
        lits: &[Lit],
        failed: &[Lit],
    ) -> Asked<Vec<Atom>> {
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
        let answer = self.solve_within(Some(PATIENCE), level.layer(), &later, &[&outside]);
        let purpose = match level {
            Level::Infinite => Purpose::Promote,
            Level::Finite(_) => Purpose::Generalize,
        };
        self.statistics.pdr.count(purpose).add(matches!(answer, Ok(None)), started.elapsed());
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
    pub(super) fn simulate_model(&self) -> Valuation {
        let model = self.main.solver.model().expect("asked after a query with a model");
        self.circuit.aig.simulate(|node| {
            let lit = self.main.known(AigLit::from_code((node as u32) << 1));
            lit.and_then(|lit| model.value(lit)).unwrap_or(false)
        })
    }

    /// A word has this value.
    pub(super) fn is(&mut self, word: usize, value: &BitVec) -> Vec<Lit> {
        let Words { main, circuit, .. } = self;
        let lits = (0..).zip(circuit.current(word));
        lits.map(|(bit, &lit)| main.lit(&circuit.aig, lit).negate_if(!value.bit(bit))).collect()
    }
}
