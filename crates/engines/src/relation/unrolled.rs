//! Paths from the initial states as clauses, unrolled forwards from the clauses of one
//! transition.
//!
//! Gates were resolved away from these clauses once, so that no frame repeats that work.
//! Registers have no variables after the first frame: each is the literal of its next value
//! one frame earlier. Constants are propagated while a definition is copied, and a gate that
//! is left with one operand becomes that operand, so that early frames, where most registers
//! have known values, have few clauses.

use std::ops::Range;
use std::rc::Rc;

use elinvar_ir::{PropertyId, Step, Trace};
use elinvar_logic::{Model, SatSolver};
use elinvar_sat::{Lit, Var};

use super::{Init, Transition};
use crate::pdr::bit;

/// Frames of a transition relation in one solver.
pub(crate) struct Unrolled {
    transition: Rc<Transition>,
    definitions: Vec<Range<usize>>,
    /// By frame and variable of the transition relation: its literal in the solver, or
    /// `ABSENT`.
    frames: Vec<Vec<Lit>>,
    truth: Lit,
    /// What has to be defined, the last first.
    stack: Vec<(usize, Var)>,
}

/// The literal of what is not defined yet.
const ABSENT: Lit = Lit::from_code(u32::MAX as usize);

/// The variable that is being defined, before it has a literal. No solver has so many
/// variables.
const OWN: Lit = Lit::from_code(u32::MAX as usize - 3);

impl Unrolled {
    pub fn new(transition: Rc<Transition>, solver: &mut impl SatSolver) -> Self {
        let truth = solver.new_var().positive();
        solver.add_clause(&[truth]);
        let mut unrolled = Unrolled {
            definitions: transition.definitions(),
            transition,
            frames: Vec::new(),
            truth,
            stack: Vec::new(),
        };
        // Initial values that depend on others count even where nothing depends on them.
        for index in 0..unrolled.transition.registers.len() {
            if let Init::Equal(_) = unrolled.transition.registers[index].init {
                unrolled.lit(0, Transition::register_var(index).positive(), solver);
            }
        }
        unrolled
    }

    pub fn transition(&self) -> &Transition {
        &self.transition
    }

    /// A literal that is true.
    pub fn truth(&self) -> Lit {
        self.truth
    }

    /// The bytes of the tables of all frames, without the solver.
    pub fn size(&self) -> u64 {
        (self.frames.len() * self.transition.var_count() * size_of::<Lit>()) as u64
    }

    /// A literal of the transition relation in a frame.
    pub fn lit(&mut self, frame: usize, lit: Lit, solver: &mut impl SatSolver) -> Lit {
        while self.frames.len() <= frame {
            let mut lits = vec![ABSENT; self.transition.var_count()];
            lits[Transition::TRUE.var().index()] = self.truth;
            self.frames.push(lits);
        }
        self.stack.push((frame, lit.var()));
        while let Some(&(frame, var)) = self.stack.last() {
            if self.is_defined(frame, var) {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            self.need_operands(frame, var);
            if self.stack.len() == before {
                self.frames[frame][var.index()] = self.define(frame, var, solver);
                self.stack.pop();
            }
        }
        self.get(frame, lit)
    }

    fn is_defined(&self, frame: usize, var: Var) -> bool {
        self.frames.get(frame).is_some_and(|lits| lits[var.index()] != ABSENT)
    }

    /// A literal that is defined in the frame.
    fn get(&self, frame: usize, lit: Lit) -> Lit {
        debug_assert!(self.is_defined(frame, lit.var()));
        self.frames[frame][lit.var().index()].negate_if(lit.is_negative())
    }

    /// Where the value of a register comes from, if it is not free.
    fn source(&self, frame: usize, register: usize) -> Option<(usize, Lit)> {
        let register = &self.transition.registers[register];
        match (frame, register.init) {
            (0, Init::Constant(value)) => Some((0, Transition::TRUE.negate_if(!value))),
            // The clauses of a signal define it in every frame.
            (0, Init::Free | Init::Defined) => None,
            (0, Init::Equal(lit)) => Some((0, lit)),
            (_, Init::Constant(_) | Init::Free | Init::Equal(_) | Init::Defined) => {
                Some((frame - 1, register.next))
            }
        }
    }

    fn need_operands(&mut self, frame: usize, var: Var) {
        if let Some(register) = self.transition.register_of(var) {
            if let Some((at, lit)) = self.source(frame, register)
                && !self.is_defined(at, lit.var())
            {
                self.stack.push((at, lit.var()));
            }
            return;
        }
        for index in self.definitions[var.index()].clone() {
            for lit in self.transition.clause(index) {
                let other = lit.var();
                if other != var && !self.is_defined(frame, other) {
                    self.stack.push((frame, other));
                }
            }
        }
    }

    /// The literal of a variable whose operands are defined.
    fn define(&self, frame: usize, var: Var, solver: &mut impl SatSolver) -> Lit {
        if let Some(register) = self.transition.register_of(var) {
            return match self.source(frame, register) {
                Some((at, lit)) => self.get(at, lit),
                None => solver.new_var().positive(),
            };
        }
        let definition = self.definitions[var.index()].clone();
        let copies = definition.filter_map(|index| self.copy(frame, var, OWN, index));
        let copies: Vec<Vec<Lit>> = copies.collect();
        let Some(known) = self.value(&copies) else {
            let new = solver.new_var().positive();
            for mut clause in copies {
                for lit in clause.iter_mut().filter(|lit| lit.var() == OWN.var()) {
                    *lit = new.negate_if(lit.is_negative());
                }
                solver.add_clause(&clause);
            }
            return new;
        };
        // Other clauses follow from the definitions of the operands, except where resolving
        // gates away has moved a clause here.
        for index in self.definitions[var.index()].clone() {
            if let Some(clause) = self.copy(frame, var, known, index) {
                solver.add_clause(&clause);
            }
        }
        known
    }

    /// The constant or the literal that the variable equals, if clauses of its definition say
    /// so.
    fn value(&self, clauses: &[Vec<Lit>]) -> Option<Lit> {
        let unit = clauses.iter().find(|clause| clause.len() == 1 && clause[0].var() == OWN.var());
        if let Some(unit) = unit {
            return Some(self.truth.negate_if(unit[0] != OWN));
        }
        let implied = clauses.iter().filter_map(|clause| match clause[..] {
            [a, b] if a == !OWN => Some(b),
            [a, b] if b == !OWN => Some(a),
            _ => None,
        });
        let says = |clause: &Vec<Lit>, lits: [Lit; 2]| {
            clause.len() == 2 && lits.iter().all(|lit| clause.contains(lit))
        };
        let implies = |lit: Lit| clauses.iter().any(|clause| says(clause, [OWN, !lit]));
        implied.into_iter().find(|&lit| implies(lit))
    }

    /// A clause of a definition in a frame, unless it is true there. `own` stands for the
    /// variable that is defined.
    fn copy(&self, frame: usize, var: Var, own: Lit, index: usize) -> Option<Vec<Lit>> {
        let mut clause: Vec<Lit> = Vec::new();
        for &lit in self.transition.clause(index) {
            let here = if lit.var() == var {
                own.negate_if(lit.is_negative())
            } else {
                self.get(frame, lit)
            };
            if here == self.truth || clause.contains(&!here) {
                return None;
            }
            if here != !self.truth && !clause.contains(&here) {
                clause.push(here);
            }
        }
        Some(clause)
    }

    /// The path of a model, in which a property is bad in frame `depth`.
    pub fn trace(&self, property: PropertyId, depth: usize, model: &mut Model<'_>) -> Trace {
        let mut value = |frame: usize, var: Var| {
            let defined = self.is_defined(frame, var);
            bit(defined && model.value(self.get(frame, var.positive())))
        };
        let registers = self.transition.registers.len();
        let mut initial: Vec<_> = Vec::with_capacity(registers);
        for index in 0..registers {
            let var = Transition::register_var(index);
            initial.push(match self.transition.registers[index].init {
                Init::Constant(constant) => bit(constant),
                Init::Free | Init::Equal(_) | Init::Defined => value(0, var),
            });
        }
        let mut steps = Vec::with_capacity(depth + 1);
        for frame in 0..=depth {
            let inputs = (0..self.transition.inputs)
                .map(|input| value(frame, Var::new(1 + registers + input)))
                .collect();
            steps.push(Step { inputs, free: Vec::new() });
        }
        Trace { property, initial, steps: steps.into(), loop_start: None }
    }
}
