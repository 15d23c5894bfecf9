//! Points become units with a way to a goal: specialised, expanded by simulation, and made
//! smaller by the core of a query.

use std::rc::Rc;
use std::time::Instant;

use elinvar_ir::BitVec;
use elinvar_logic::AigLit;
use elinvar_sat::{Answer, Layer, Lit, Query, Scope};

use super::adapt::UnitKind;
use super::atom::{Atom, Shape};
use super::domain::{Found, Words};
use super::expand::{Choice, Goal, Question};
use super::gates::Gates;
use crate::pdr::cube::Cube;
use crate::pdr::domain::{Asked, Effort, Predecessor, Stopped};

/// What a unit reaches.
pub(super) enum Reach<'a> {
    Bad(usize),
    Cube(&'a [Atom]),
}

impl Words {
    /// Makes the point that was found a unit with a way to the goal.
    pub(super) fn specialize(
        &mut self,
        goal: Reach<'_>,
        effort: Effort,
    ) -> Asked<Predecessor<Self>> {
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

    pub(super) fn expand(
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
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.words.len()).collect();
        order.sort_by(|&a, &b| self.activity.by_word[a].total_cmp(&self.activity.by_word[b]));
        order
    }

    /// The unit of a single state.
    pub(super) fn point(&mut self, state: &[BitVec], kind: UnitKind) -> Vec<Atom> {
        let mut unit = Vec::new();
        for (word, (info, value)) in self.words.iter().zip(state).enumerate() {
            if kind == UnitKind::Cube || info.is_logic {
                for bit in 0..info.width {
                    unit.push(self.atoms.atom(Shape::Bit { word, bit, value: value.bit(bit) }));
                }
            } else {
                let number = info.reading.of(value);
                unit.push(self.atoms.atom(Shape::at_least(word, number.clone())));
                unit.push(self.atoms.atom(Shape::at_most(word, number)));
            }
        }
        unit
    }

    /// UNSAT:  inputs ∧ unit ∧ ¬(goal ∧ constraints)
    ///
    /// Atoms that are not in the core are not needed.
    pub(super) fn lift(
        &mut self,
        goal: &Reach<'_>,
        choice: &Choice,
        unit: &mut Vec<Atom>,
    ) -> Asked<()> {
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
        if self.is_overgrown(self.lifter.len()) {
            self.lifter = Gates::new(&self.run);
        }
        Ok(())
    }
}
