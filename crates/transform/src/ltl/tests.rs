//! Monitors of random formulas on random lassos, against the definition of the operators.
//!
//! A lasso is a system with one execution: a counter that returns to the start of the loop, and
//! atoms that depend only on it. The property holds exactly if the execution satisfies the formula,
//! which is computed here from the text-book definition.

use elinvar_ir::{AtomId, BitVec, Rng, TransitionSystem};
use elinvar_models::{Outcome, search, search_loops};

use super::*;

/// A formula as users write it.
#[derive(Clone, Debug)]
enum Tree {
    Constant(bool),
    Atom(usize),
    Not(Box<Tree>),
    Unary(char, Box<Tree>),
    Binary(&'static str, Box<Tree>, Box<Tree>),
}

const BINARY: [&str; 7] = ["&", "|", "->", "<->", "U", "W", "R"];
const ATOMS: usize = 2;

fn random(rng: &mut Rng, size: usize) -> Tree {
    if size == 0 {
        return if rng.one_in(12) {
            Tree::Constant(rng.one_in(2))
        } else {
            Tree::Atom(rng.below(ATOMS))
        };
    }
    match rng.below(8) {
        0 => Tree::Not(Box::new(random(rng, size - 1))),
        1..=4 => {
            Tree::Unary(['X', 'F', 'G', 'F', 'G'][rng.below(5)], Box::new(random(rng, size - 1)))
        }
        _ => {
            let left = rng.below(size);
            let op = rng.pick(&BINARY);
            let (a, b) = (random(rng, left), random(rng, size - 1 - left));
            Tree::Binary(op, Box::new(a), Box::new(b))
        }
    }
}

impl Tree {
    fn build(&self, f: &mut Formulas) -> FormulaId {
        match self {
            Tree::Constant(value) => f.constant(*value),
            Tree::Atom(atom) => f.atom(AtomId(*atom)),
            Tree::Not(a) => {
                let a = a.build(f);
                f.not(a)
            }
            Tree::Unary(op, a) => {
                let a = a.build(f);
                match op {
                    'X' => f.next(a),
                    'F' => f.eventually(a),
                    _ => f.globally(a),
                }
            }
            Tree::Binary(op, a, b) => {
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

/// The values of the atoms by cycle, and where the last cycle returns to.
struct Lasso {
    cycles: Vec<[bool; ATOMS]>,
    start: usize,
}

impl Lasso {
    fn random(rng: &mut Rng) -> Self {
        let length = 1 + rng.below(6);
        let cycles = (0..length).map(|_| [rng.one_in(2), rng.one_in(2)]).collect();
        Lasso { cycles, start: rng.below(length) }
    }

    /// The cycles from `cycle` on, up to one that was there before.
    fn from(&self, cycle: usize) -> Vec<usize> {
        let next = |&at: &usize| Some(if at + 1 < self.cycles.len() { at + 1 } else { self.start });
        std::iter::successors(Some(cycle), next).take(self.cycles.len() + 1).collect()
    }

    fn satisfies(&self, tree: &Tree, cycle: usize) -> bool {
        let holds = |tree: &Tree, cycle| self.satisfies(tree, cycle);
        let future = self.from(cycle);
        let eventually = |tree| future.iter().any(|&at| holds(tree, at));
        let always = |tree| future.iter().all(|&at| holds(tree, at));
        // b holds in some cycle, and a in all cycles before.
        let until = |a, b| {
            let first = future.iter().position(|&at| holds(b, at));
            first.is_some_and(|first| future[..first].iter().all(|&at| holds(a, at)))
        };
        match tree {
            Tree::Constant(value) => *value,
            Tree::Atom(atom) => self.cycles[cycle][*atom],
            Tree::Not(a) => !holds(a, cycle),
            Tree::Unary('X', a) => holds(a, self.from(cycle)[1]),
            Tree::Unary('F', a) => eventually(a),
            Tree::Unary(_, a) => always(a),
            Tree::Binary("&", a, b) => holds(a, cycle) && holds(b, cycle),
            Tree::Binary("|", a, b) => holds(a, cycle) || holds(b, cycle),
            Tree::Binary("->", a, b) => !holds(a, cycle) || holds(b, cycle),
            Tree::Binary("<->", a, b) => holds(a, cycle) == holds(b, cycle),
            Tree::Binary("U", a, b) => until(a, b),
            Tree::Binary("W", a, b) => until(a, b) || always(a),
            // a R b: b holds in every cycle up to the first one in which a holds.
            Tree::Binary(_, a, b) => {
                let first = future.iter().position(|&at| holds(a, at));
                let last = first.map_or(future.len(), |first| first + 1);
                future[..last].iter().all(|&at| holds(b, at))
            }
        }
    }

    /// The system whose only execution this is, with its atoms.
    fn system(&self) -> (SystemBuilder, Vec<ExprId>) {
        const WIDTH: u32 = 3;
        let mut b = SystemBuilder::new();
        let at = b.state(Sort::Bv(WIDTH), Some("at")).unwrap();
        let constant =
            |b: &mut SystemBuilder, value: usize| b.pool.constant(BitVec::new(WIDTH, value as u64));
        b.states[0].init = Some(constant(&mut b, 0));
        let mut next = constant(&mut b, self.start);
        let mut atoms = vec![b.pool.bool(false); ATOMS];
        for (cycle, values) in self.cycles.iter().enumerate() {
            let number = constant(&mut b, cycle);
            let is_here = b.pool.equal(at, number).unwrap();
            if cycle + 1 < self.cycles.len() {
                let following = constant(&mut b, cycle + 1);
                next = b.pool.ite(is_here, following, next).unwrap();
            }
            for (atom, &value) in atoms.iter_mut().zip(values) {
                if value {
                    *atom = b.pool.or(*atom, is_here).unwrap();
                }
            }
        }
        b.states[0].next = Some(next);
        (b, atoms)
    }
}

/// Does the property hold, and what kind is it?
fn decide(system: &TransitionSystem) -> (bool, PropertyKind) {
    const LIMIT: usize = 4_000_000;
    let kind = system.properties()[0].kind.clone();
    let holds = match &kind {
        PropertyKind::Bad(_) => search(system, LIMIT).unwrap()[0].1 == Outcome::Safe,
        PropertyKind::Justice(_) => search_loops(system, LIMIT).unwrap()[0].1.is_none(),
    };
    (holds, kind)
}

fn monitored(tree: &Tree, lasso: &Lasso) -> TransitionSystem {
    let (mut builder, atoms) = lasso.system();
    let mut formulas = Formulas::new();
    let root = tree.build(&mut formulas);
    add_formula(&mut builder, "p", &mut formulas, root, &atoms).unwrap();
    assert!(builder.constraints.is_empty());
    builder.finish().unwrap()
}

#[test]
fn monitors_agree_with_the_definition_on_random_lassos() {
    let mut rng = Rng::new(7);
    let mut seen = [[0; 2]; 2];
    for _ in 0..1500 {
        let size = 1 + rng.below(5);
        let (tree, lasso) = (random(&mut rng, size), Lasso::random(&mut rng));
        let system = monitored(&tree, &lasso);
        if system.inputs().len() > 5 {
            continue;
        }
        let (holds, kind) = decide(&system);
        assert_eq!(
            holds,
            lasso.satisfies(&tree, 0),
            "{tree:?}\n{:?} {}",
            lasso.cycles,
            lasso.start
        );
        seen[usize::from(holds)][usize::from(matches!(kind, PropertyKind::Bad(_)))] += 1;
    }
    assert!(seen.iter().flatten().all(|&count| count > 100), "{seen:?}");
}

fn unary(op: char, a: Tree) -> Tree {
    Tree::Unary(op, Box::new(a))
}

fn binary(op: &'static str, a: Tree, b: Tree) -> Tree {
    Tree::Binary(op, Box::new(a), Box::new(b))
}

#[test]
fn common_shapes_have_small_monitors_that_agree_with_the_definition() {
    let (a, b) = (|| Tree::Atom(0), || Tree::Atom(1));
    // With the numbers of inputs and registers.
    let shapes = [
        (unary('G', binary("|", a(), b())), 0, 0),
        (unary('F', unary('G', a())), 0, 0),
        (unary('F', a()), 0, 1),
        (unary('G', unary('F', a())), 1, 2),
        (unary('G', binary("->", a(), unary('F', b()))), 1, 2),
    ];
    let mut rng = Rng::new(3);
    for (tree, inputs, registers) in shapes {
        let mut seen = [0; 2];
        for _ in 0..60 {
            let lasso = Lasso::random(&mut rng);
            let system = monitored(&tree, &lasso);
            assert_eq!(system.inputs().len(), inputs, "{tree:?}");
            assert_eq!(system.states().len(), 1 + registers, "{tree:?}");
            let (holds, _) = decide(&system);
            assert_eq!(holds, lasso.satisfies(&tree, 0), "{tree:?}");
            seen[usize::from(holds)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 0), "{tree:?} {seen:?}");
    }
}

#[test]
fn formulas_that_finite_executions_violate_are_about_bad_states() {
    let next = binary("->", Tree::Atom(0), unary('X', Tree::Atom(1)));
    let tree = unary('G', next);
    let lasso = Lasso { cycles: vec![[false, false], [true, false]], start: 0 };
    let (holds, kind) = decide(&monitored(&tree, &lasso));
    assert!(!holds && matches!(kind, PropertyKind::Bad(_)));
}
