//! Random formulas of linear temporal logic and random executions, and the definition of the
//! operators.
//!
//! An execution is a lasso: a counter that returns to the start of the loop, and atoms that depend
//! only on it. So a property of the system with this one execution holds exactly if the execution
//! satisfies the formula, which is computed here from the textbook definition.

use std::fmt;

use elinvar_ir::{AtomId, BitVec, ExprId, FormulaId, Formulas, Named, Rng, Sort, SystemBuilder};

/// A formula as users write it, over the atoms `a` and `b`.
#[derive(Clone, Debug)]
pub enum Formula {
    /// `true` or `false`
    Constant(bool),
    /// The atom with this number.
    Atom(usize),
    /// The negation.
    Not(Box<Formula>),
    /// With one of the operators `X`, `F` and `G`.
    Unary(char, Box<Formula>),
    /// With one of the operators `&`, `|`, `->`, `<->`, `U`, `W` and `R`.
    Binary(&'static str, Box<Formula>, Box<Formula>),
}

const BINARY: [&str; 7] = ["&", "|", "->", "<->", "U", "W", "R"];
const SORTS: &str = "words of one width, and bits";
const NAMES: [&str; 2] = ["a", "b"];
const ATOMS: usize = NAMES.len();

fn random(rng: &mut Rng, size: usize) -> Formula {
    if size == 0 {
        return if rng.one_in(12) {
            Formula::Constant(rng.one_in(2))
        } else {
            Formula::Atom(rng.below(ATOMS))
        };
    }
    match rng.below(8) {
        0 => Formula::Not(Box::new(random(rng, size - 1))),
        1..=4 => {
            Formula::Unary(['X', 'F', 'G', 'F', 'G'][rng.below(5)], Box::new(random(rng, size - 1)))
        }
        _ => {
            let left = rng.below(size);
            let op = rng.pick(&BINARY);
            let (a, b) = (random(rng, left), random(rng, size - 1 - left));
            Formula::Binary(op, Box::new(a), Box::new(b))
        }
    }
}

impl Formula {
    /// Draws a formula with so many operators.
    pub fn random(rng: &mut Rng, size: usize) -> Self {
        random(rng, size)
    }

    /// With an operator on one formula.
    pub fn unary(op: char, a: Formula) -> Self {
        Formula::Unary(op, Box::new(a))
    }

    /// With an operator on two formulas.
    pub fn binary(op: &'static str, a: Formula, b: Formula) -> Self {
        Formula::Binary(op, Box::new(a), Box::new(b))
    }

    /// The formula in a graph of formulas.
    pub fn build(&self, f: &mut Formulas) -> FormulaId {
        match self {
            Formula::Constant(value) => f.constant(*value),
            Formula::Atom(atom) => f.atom(AtomId(*atom)),
            Formula::Not(a) => {
                let a = a.build(f);
                f.not(a)
            }
            Formula::Unary(op, a) => {
                let a = a.build(f);
                match op {
                    'X' => f.next(a),
                    'F' => f.eventually(a),
                    _ => f.globally(a),
                }
            }
            Formula::Binary(op, a, b) => {
                let (a, b) = (a.build(f), b.build(f));
                match *op {
                    "&" => f.and(a, b),
                    "|" => f.or(a, b),
                    "->" => f.implies(a, b),
                    "<->" => f.iff(a, b),
                    "U" => f.until(a, b),
                    "W" => f.weak_until(a, b),
                    _ => f.release(a, b),
                }
            }
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Formula::Constant(value) => write!(f, "{value}"),
            Formula::Atom(atom) => f.write_str(NAMES[*atom]),
            Formula::Not(a) => write!(f, "!({a})"),
            Formula::Unary(op, a) => write!(f, "{op} ({a})"),
            Formula::Binary(op, a, b) => write!(f, "({a}) {op} ({b})"),
        }
    }
}

/// An execution: the values of the atoms by cycle, and where the last cycle returns to.
#[derive(Clone, Debug)]
pub struct Lasso {
    /// By cycle: the values of the atoms.
    pub cycles: Vec<[bool; ATOMS]>,
    /// The cycle after the last one.
    pub start: usize,
}

impl Lasso {
    /// Draws up to six cycles.
    pub fn random(rng: &mut Rng) -> Self {
        let length = 1 + rng.below(6);
        let cycles = (0..length).map(|_| [rng.one_in(2), rng.one_in(2)]).collect();
        Lasso { cycles, start: rng.below(length) }
    }

    /// The cycles from `cycle` on, up to one that was there before.
    fn from(&self, cycle: usize) -> Vec<usize> {
        let next = |&at: &usize| Some(if at + 1 < self.cycles.len() { at + 1 } else { self.start });
        std::iter::successors(Some(cycle), next).take(self.cycles.len() + 1).collect()
    }

    /// Does the execution from this cycle on satisfy the formula?
    pub fn satisfies(&self, tree: &Formula, cycle: usize) -> bool {
        let holds = |tree: &Formula, cycle| self.satisfies(tree, cycle);
        let future = self.from(cycle);
        let eventually = |tree| future.iter().any(|&at| holds(tree, at));
        let always = |tree| future.iter().all(|&at| holds(tree, at));
        // b holds in some cycle, and a in all cycles before.
        let until = |a, b| {
            let first = future.iter().position(|&at| holds(b, at));
            first.is_some_and(|first| future[..first].iter().all(|&at| holds(a, at)))
        };
        match tree {
            Formula::Constant(value) => *value,
            Formula::Atom(atom) => self.cycles[cycle][*atom],
            Formula::Not(a) => !holds(a, cycle),
            Formula::Unary('X', a) => holds(a, self.from(cycle)[1]),
            Formula::Unary('F', a) => eventually(a),
            Formula::Unary(_, a) => always(a),
            Formula::Binary("&", a, b) => holds(a, cycle) && holds(b, cycle),
            Formula::Binary("|", a, b) => holds(a, cycle) || holds(b, cycle),
            Formula::Binary("->", a, b) => !holds(a, cycle) || holds(b, cycle),
            Formula::Binary("<->", a, b) => holds(a, cycle) == holds(b, cycle),
            Formula::Binary("U", a, b) => until(a, b),
            Formula::Binary("W", a, b) => until(a, b) || always(a),
            // a R b: b holds in every cycle up to the first one in which a holds.
            Formula::Binary(_, a, b) => {
                let first = future.iter().position(|&at| holds(a, at));
                let last = first.map_or(future.len(), |first| first + 1);
                future[..last].iter().all(|&at| holds(b, at))
            }
        }
    }

    /// The system whose only execution this is, with its atoms, which are labels of it.
    pub fn system(&self) -> (SystemBuilder, Vec<ExprId>) {
        const WIDTH: u32 = 3;
        let mut b = SystemBuilder::new();
        let at = b.state(Sort::Bv(WIDTH), Some("at")).expect(SORTS);
        let constant =
            |b: &mut SystemBuilder, value: usize| b.pool.constant(BitVec::new(WIDTH, value as u64));
        b.states[0].init = Some(constant(&mut b, 0));
        let mut next = constant(&mut b, self.start);
        let mut atoms = vec![b.pool.bool(false); ATOMS];
        for (cycle, values) in self.cycles.iter().enumerate() {
            let number = constant(&mut b, cycle);
            let is_here = b.pool.equal(at, number).expect(SORTS);
            if cycle + 1 < self.cycles.len() {
                let following = constant(&mut b, cycle + 1);
                next = b.pool.ite(is_here, following, next).expect(SORTS);
            }
            for (atom, &value) in atoms.iter_mut().zip(values) {
                if value {
                    *atom = b.pool.or(*atom, is_here).expect(SORTS);
                }
            }
        }
        b.states[0].next = Some(next);
        let label = |(name, &expr): (&&str, &ExprId)| Named { name: (*name).to_owned(), expr };
        b.labels = NAMES.iter().zip(&atoms).map(label).collect();
        (b, atoms)
    }
}
