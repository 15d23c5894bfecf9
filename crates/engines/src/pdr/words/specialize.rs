//! Points become units with a way to a goal: specialised, expanded by simulation, and made
//! smaller by the core of a query.

use std::time::Instant;

use elinvar_ir::{BitVec, ExprId, PropertyId, TransitionSystem};
use elinvar_logic::AigLit;
use elinvar_logic::simulation::Kind;
use elinvar_sat::{Answer, Layer, Lit, Query, Scope};

use super::WordsOptions;
use super::adapt::{Specialization, UnitKind};
use super::atom::{Atom, Shape};
use super::domain::{Words, activity_of};
use super::encoding::{Encoding, Time};
use super::expand::{Expander, Goal, Question, StepInputs};
use super::gates::Gates;
use super::solver::FrameSolver;
use super::statistics::WordsStatistics;
use super::survey::share_of_logic;
use crate::pdr::activity::Activity;
use crate::pdr::cube::Cube;
use crate::pdr::domain::{Effort, Found, Interruptible, Predecessor};
use crate::run::Run;

/// What a unit reaches.
pub(super) enum Reach<'a> {
    /// A property by its number, and the expression of its bad states.
    Bad(usize, ExprId),
    Cube(&'a [Atom]),
}

/// Makes units of points.
pub(super) struct Specializer {
    /// The circuit without constraints and lemmas.
    lifter: Gates,
    expander: Expander,
    /// When simulations are compared: the other kinds.
    alternatives: Vec<Expander>,
    /// Chooses between cubes and polytopes.
    pub kinds: Specialization,
    run: Run,
}

impl Specializer {
    pub fn new(
        system: &TransitionSystem,
        encoding: &Encoding,
        properties: &[(PropertyId, ExprId)],
        options: &WordsOptions,
        run: &Run,
    ) -> Self {
        let (ids, bads): (Vec<PropertyId>, Vec<ExprId>) = properties.iter().copied().unzip();
        let expander = |kind| Expander::new(kind, system, &encoding.words, &bads);
        let others = Kind::ALL.into_iter().filter(|&kind| kind != options.simulation);
        let others = others.filter(|_| options.compare_simulations);
        let prior = share_of_logic(system, &ids);
        Specializer {
            lifter: Gates::new(run),
            expander: expander(options.simulation),
            alternatives: others.map(expander).collect(),
            kinds: Specialization::new(options.cube_probability, prior, run.seed()),
            run: run.clone(),
        }
    }

    /// Makes the point that was found a unit with a way to the goal.
    pub fn specialize(
        &mut self,
        found: Found<Words>,
        goal: Reach<'_>,
        effort: Effort,
        solver: &mut FrameSolver,
        activity: &Activity,
        statistics: &mut WordsStatistics,
    ) -> Interruptible<Predecessor<Words>> {
        let started = Instant::now();
        let Found { state, choice, .. } = found;
        let kind = self.kinds.draw();
        let mut volume = 0.0;
        let atoms = if solver.is_abstract {
            None
        } else {
            let order = order(activity, solver.encoding.words.len());
            let about = (&goal, &state[..], &*choice, &order[..]);
            self.expand(about, kind, &mut solver.encoding, statistics, &mut volume)
        };
        let mut unit = atoms.unwrap_or_else(|| point(&mut solver.encoding, &state, kind));
        let before = unit.len();
        if effort == Effort::UntilStable && !solver.is_abstract {
            self.lift(&goal, &choice, &mut unit, &mut solver.encoding, activity)?;
            if solver.is_overgrown(self.lifter.len()) {
                self.lifter = Gates::new(&self.run);
            }
        }
        match kind {
            UnitKind::Cube => statistics.cube_obligations += 1,
            UnitKind::Polytope => statistics.polytope_obligations += 1,
        }
        statistics.volume += volume;
        solver.statistics.lifting.add(before, unit.len());
        solver.statistics.lift.add(false, started.elapsed());
        Ok(Predecessor { cube: Cube::new(unit), choice })
    }

    fn expand(
        &mut self,
        (goal, point, choice, order): (&Reach<'_>, &[BitVec], &StepInputs, &[usize]),
        kind: UnitKind,
        encoding: &mut Encoding,
        statistics: &mut WordsStatistics,
        volume: &mut f64,
    ) -> Option<Vec<Atom>> {
        let started = Instant::now();
        let Encoding { words, atoms, .. } = encoding;
        let shapes: Vec<Shape>;
        let goal = match goal {
            Reach::Bad(_, bad) => Goal::Bad(*bad),
            Reach::Cube(cube) => {
                shapes = atoms.shapes(cube).cloned().collect();
                Goal::Next(shapes.iter().collect())
            }
        };
        let is_cube = kind == UnitKind::Cube;
        let question = Question { words, point, choice, goal: &goal, order, is_cube };
        let found = self.expander.expand(&question, atoms);
        statistics.expansion_time += started.elapsed();
        statistics.expansions += 1;
        *volume = found.as_ref().map_or(0.0, |found| found.volume);
        if !self.alternatives.is_empty() {
            let mut volumes = vec![(self.expander.kind(), *volume)];
            for other in &mut self.alternatives {
                let found = other.expand(&question, atoms);
                volumes.push((other.kind(), found.map_or(0.0, |found| found.volume)));
            }
            statistics.compared.push(volumes);
        }
        found.map(|found| found.atoms)
    }

    /// UNSAT:  inputs ∧ unit ∧ ¬(goal ∧ constraints)
    ///
    /// Atoms that are not in the core are not needed.
    fn lift(
        &mut self,
        goal: &Reach<'_>,
        choice: &StepInputs,
        unit: &mut Vec<Atom>,
        encoding: &mut Encoding,
        activity: &Activity,
    ) -> Interruptible<()> {
        let mut goal: Vec<AigLit> = match goal {
            Reach::Bad(property, _) => vec![encoding.circuit.bads[*property]],
            Reach::Cube(cube) => {
                cube.iter().map(|&atom| encoding.literal(atom, Time::Later)).collect()
            }
        };
        goal.extend(&encoding.circuit.constraints);
        let clause = self.lifter.lits(&encoding.circuit.aig, &goal);
        let clause: Vec<Lit> = clause.into_iter().map(|lit| !lit).collect();
        let use_of = |atom: &Atom| activity_of(activity, encoding.atoms.shape(*atom));
        unit.sort_by(|a, b| use_of(b).total_cmp(&use_of(a)));
        let mut needed: Vec<(Atom, Lit)> = Vec::with_capacity(unit.len());
        for &atom in unit.iter() {
            let lit = encoding.literal(atom, Time::Now);
            needed.push((atom, self.lifter.lit(&encoding.circuit.aig, lit)));
        }
        let chosen = self.chosen(encoding, choice);
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
            match self.lifter.solver.solve(&query) {
                Answer::Unsat(core) => needed.retain(|&(_, lit)| core.contains(lit)),
                Answer::Sat(_) => debug_assert!(false, "the unit has a way to the goal"),
                Answer::Stopped => return Err(self.run.stopped()),
            }
            if needed.len() == length {
                break;
            }
            needed.reverse();
        }
        *unit = needed.into_iter().map(|(atom, _)| atom).collect();
        Ok(())
    }

    /// The inputs and the free next values of a step, as far as the lifter knows them.
    fn chosen(&self, encoding: &Encoding, choice: &StepInputs) -> Vec<Lit> {
        let Encoding { words, circuit, .. } = encoding;
        let inputs = circuit.inputs.iter().map(Option::as_deref).zip(&choice.inputs);
        let free = (0..words.len()).map(|word| Some(circuit.next(word))).zip(&choice.free);
        let mut chosen = Vec::new();
        for (lits, value) in inputs.chain(free) {
            let (Some(lits), Some(value)) = (lits, value) else { continue };
            for (bit, &lit) in (0..).zip(lits) {
                chosen.extend(self.lifter.known(lit).map(|lit| lit.negate_if(!value.bit(bit))));
            }
        }
        chosen
    }
}

/// The words, those that lemmas rarely used first.
fn order(activity: &Activity, words: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..words).collect();
    order.sort_by(|&a, &b| activity.of(a).total_cmp(&activity.of(b)));
    order
}

/// The unit of a single state.
fn point(encoding: &mut Encoding, state: &[BitVec], kind: UnitKind) -> Vec<Atom> {
    let Encoding { words, atoms, .. } = encoding;
    let mut unit = Vec::new();
    for (word, (info, value)) in words.iter().zip(state).enumerate() {
        if kind == UnitKind::Cube || info.is_logic {
            for bit in 0..info.width {
                unit.push(atoms.atom(Shape::Bit { word, bit, value: value.bit(bit) }));
            }
        } else {
            let number = info.reading.of(value);
            unit.push(atoms.atom(Shape::at_least(word, number.clone())));
            unit.push(atoms.atom(Shape::at_most(word, number)));
        }
    }
    unit
}
