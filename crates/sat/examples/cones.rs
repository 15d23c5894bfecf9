//! Times a stream of queries as property directed reachability asks them, with
//! our solver and with CaDiCaL: is there a predecessor of a cube, outside of it,
//! in a frame of lemmas?
//!
//! `cargo run --release -p elinvar-sat --example cones -- [registers] [queries]`

use std::time::{Duration, Instant};

use cadical_sys::{CaDiCal, Status};
use elinvar_sat::{Answer, Layer, Lit, Query, Scope, Solver, Var};

const GATES_OF_FUNCTION: usize = 30;
const LEAVES_OF_FUNCTION: usize = 10;
const FRAMES: usize = 6;

fn main() {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse().expect("a number"));
    let registers = numbers.next().unwrap_or(1000);
    let queries = numbers.next().unwrap_or(20_000);
    let mut sides = Sides::new(registers);
    // One after the other, that neither empties the other's caches.
    let started = Instant::now();
    let stream: Vec<(Question, bool)> = (0..queries)
        .map(|_| {
            let question = sides.question();
            let possible = sides.ask_ours(&question);
            (question, possible)
        })
        .collect();
    let ours = started.elapsed();
    let started = Instant::now();
    for (question, possible) in &stream {
        assert_eq!(sides.ask_theirs(question), *possible, "the solvers disagree");
    }
    let theirs = started.elapsed();
    let refuted = stream.iter().filter(|(_, possible)| !possible).count();
    let each = |time: Duration| time.as_secs_f64() * 1e6 / queries as f64;
    let statistics = sides.ours.statistics();
    println!("registers {registers}, gates {}", registers * GATES_OF_FUNCTION);
    println!("queries   {queries}, refuted {refuted}, conflicts {}", statistics.conflicts);
    println!("domain    {} variables a query", statistics.domain / queries as u64);
    println!("trail     {} literals a query", statistics.propagations / queries as u64);
    println!("ours      {:.1} µs a query", each(ours));
    println!("CaDiCaL   {:.1} µs a query", each(theirs));
}

struct Question {
    frame: usize,
    next_cube: Vec<Lit>,
    clause: Vec<Lit>,
}

/// The same transition relation and the same lemmas in two solvers.
struct Sides {
    ours: Solver,
    theirs: CaDiCal,
    /// Assumed for the lemmas of a frame and of all later ones.
    frame_guards: Vec<i32>,
    registers: Vec<Var>,
    next: Vec<Lit>,
    vars: i32,
    random: u64,
}

impl Sides {
    fn new(registers: usize) -> Self {
        let mut ours = Solver::new();
        let leaves: Vec<Var> = (0..registers).map(|_| ours.new_var()).collect();
        for &register in &leaves {
            ours.set_default(register, false);
        }
        let mut sides = Sides {
            ours,
            theirs: CaDiCal::new(),
            frame_guards: Vec::new(),
            registers: leaves,
            next: Vec::new(),
            vars: 0,
            random: 1,
        };
        sides.next = (0..registers).map(|position| sides.function(position)).collect();
        sides.vars = sides.ours.var_count() as i32;
        sides.frame_guards = (0..FRAMES).map(|_| sides.new_guard()).collect();
        sides
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(0x1405_7b7e_f767_814f);
        (self.random >> 33) as usize % bound
    }

    /// A random function of registers near `position`.
    fn function(&mut self, position: usize) -> Lit {
        let count = self.registers.len();
        let leaves = [(); LEAVES_OF_FUNCTION].map(|()| (position + self.below(40)) % count);
        let mut vars: Vec<Var> = leaves.iter().map(|&leaf| self.registers[leaf]).collect();
        for _ in 0..GATES_OF_FUNCTION {
            let [a, b] = [(); 2].map(|()| {
                let var = vars[self.below(vars.len())];
                var.positive().negate_if(self.below(2) == 0)
            });
            let gate = self.ours.new_var();
            let y = gate.positive();
            if self.below(4) == 0 {
                for clause in [[!y, a, b], [!y, !a, !b], [y, a, !b], [y, !a, b]] {
                    self.add_clause(&clause);
                }
            } else {
                self.add_clause(&[!y, a]);
                self.add_clause(&[!y, b]);
                self.add_clause(&[y, !a, !b]);
            }
            self.ours.set_fan_in(gate, &[a.var(), b.var()]);
            vars.push(gate);
        }
        vars[vars.len() - 1].positive()
    }

    fn add_clause(&mut self, lits: &[Lit]) {
        self.ours.add_clause(lits);
        self.add_theirs(lits, None);
    }

    fn add_theirs(&mut self, lits: &[Lit], guard: Option<i32>) {
        for lit in lits.iter().map(|&lit| dimacs(lit)).chain(guard.map(|guard| -guard)) {
            self.theirs.add(lit);
        }
        self.theirs.add(0);
    }

    fn new_guard(&mut self) -> i32 {
        self.vars += 1;
        self.vars
    }

    /// A cube of registers that excludes the state of zeros.
    fn question(&mut self) -> Question {
        let count = self.registers.len();
        let start = self.below(count);
        let mut positions: Vec<usize> =
            (0..2 + self.below(5)).map(|_| (start + self.below(10)) % count).collect();
        positions.sort_unstable();
        positions.dedup();
        let mut signs: Vec<bool> = positions.iter().map(|_| self.below(2) == 0).collect();
        signs[0] = false;
        let literal = |of: &dyn Fn(usize) -> Lit| {
            positions.iter().zip(&signs).map(|(&p, &sign)| of(p).negate_if(sign)).collect()
        };
        let cube: Vec<Lit> = literal(&|position| self.registers[position].positive());
        let next_cube = literal(&|position| self.next[position]);
        let clause = cube.iter().map(|&lit| !lit).collect();
        Question { frame: self.below(FRAMES), next_cube, clause }
    }

    /// What is refuted becomes a lemma.
    fn ask_ours(&mut self, question: &Question) -> bool {
        let query = Query {
            layer: Layer::level(question.frame),
            assumptions: &question.next_cube,
            temporary: &[&question.clause],
            scope: Scope::Cone,
            conflicts: None,
        };
        match self.ours.solve(&query) {
            Answer::Sat(_) => return true,
            Answer::Unsat(_) => {}
            Answer::Stopped => unreachable!("the solver is never stopped"),
        }
        self.ours.add_lemma(&question.clause, Layer::level(question.frame));
        false
    }

    fn ask_theirs(&mut self, question: &Question) -> bool {
        for &lit in &question.clause {
            self.theirs.constrain(dimacs(lit));
        }
        self.theirs.constrain(0);
        for &guard in &self.frame_guards[question.frame..] {
            self.theirs.assume(guard);
        }
        for &lit in &question.next_cube {
            self.theirs.assume(dimacs(lit));
        }
        let possible = self.theirs.solve() == Status::SATISFIABLE;
        if !possible {
            let guard = self.frame_guards[question.frame];
            self.add_theirs(&question.clause, Some(guard));
        }
        possible
    }
}

fn dimacs(lit: Lit) -> i32 {
    let var = lit.var().index() as i32 + 1;
    if lit.is_negative() { -var } else { var }
}
