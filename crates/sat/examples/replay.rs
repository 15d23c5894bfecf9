//! Makes the calls of a record again, with our solver or with CaDiCaL, and times the queries.
//!
//! Records are made by a build with the feature `record` (see `src/record.rs`):
//!
//! ```text
//! cargo build --release -p elinvar-cli -p elinvar-sat --features elinvar-sat/record
//! ELINVAR_RECORD=FOLDER target/release/elinvar check --engine pdr MODEL
//! cargo run --release -p elinvar-sat --example replay -- [--cadical] FOLDER/*.calls
//! ```
//!
//! The answers are part of the output, as a number: it must be the same for all solvers.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cadical_sys::{CaDiCal, Status};
use elinvar_sat::{Answer, Layer, LemmaId, Lit, Query, Scope, Solver, Var};

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let with_cadical = arguments.iter().any(|argument| argument == "--cadical");
    arguments.retain(|argument| argument != "--cadical");
    for path in arguments {
        let text = std::fs::read_to_string(&path).expect("the record can be read");
        // A line that was cut off by the end of the run does not count.
        let calls: Vec<Call> = text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
            .map(Call::read)
            .collect();
        if with_cadical {
            replay(&path, &calls, Theirs::default());
        } else {
            replay(&path, &calls, Ours::default());
        }
    }
}

fn replay(path: &str, calls: &[Call], mut side: impl Side) {
    let (mut queries, mut sat, mut answers) = (0u32, 0u32, 0u64);
    let (mut solving, mut changing) = (Duration::ZERO, Duration::ZERO);
    let mut started = Instant::now();
    for call in calls {
        if let Call::Solve(question) = call {
            changing += started.elapsed();
            started = Instant::now();
            let answer = side.solve(question);
            solving += started.elapsed();
            started = Instant::now();
            queries += 1;
            sat += u32::from(answer);
            answers = answers.wrapping_mul(31).wrapping_add(u64::from(answer));
        } else {
            side.change(call);
        }
    }
    changing += started.elapsed();
    let micros = solving.as_secs_f64() * 1e6;
    println!(
        "{path}: {queries} queries, {sat} sat, {:.1} µs a query, {:.2} s solving, {:.2} s other; \
         {}; answers {answers:016x}",
        micros / f64::from(queries.max(1)),
        solving.as_secs_f64(),
        changing.as_secs_f64(),
        side.work(solving),
    );
}

/// A line of a record.
enum Call {
    NewVar,
    FanIn(Var, Vec<Var>),
    PermanentRoot(Var),
    Default(Var, bool),
    Phase(Var, bool),
    Initial(Var, bool),
    Clause(Vec<Lit>),
    Lemma(Vec<Lit>, Layer),
    Raise(usize, Layer),
    Remove(usize),
    Expire(Layer),
    Solve(Question),
}

struct Question {
    layer: Layer,
    scope: Scope,
    conflicts: Option<u64>,
    assumptions: Vec<Lit>,
    temporary: Vec<Vec<Lit>>,
}

impl Call {
    fn read(line: &str) -> Call {
        let mut words = line.split_ascii_whitespace();
        let letter = words.next().expect("lines are not empty");
        let mut numbers = words.map(|word| word.parse::<usize>().expect("a number"));
        let mut next = || numbers.next().expect("one more number");
        match letter {
            "v" => Call::NewVar,
            "f" => Call::FanIn(Var::new(next()), numbers.map(Var::new).collect()),
            "p" => Call::PermanentRoot(Var::new(next())),
            "d" => Call::Default(Var::new(next()), next() == 1),
            "s" => Call::Phase(Var::new(next()), next() == 1),
            "i" => Call::Initial(Var::new(next()), next() == 1),
            "c" => Call::Clause(numbers.map(Lit::from_code).collect()),
            "l" => {
                let layer = Layer::from_number(next());
                Call::Lemma(numbers.map(Lit::from_code).collect(), layer)
            }
            "r" => Call::Raise(next(), Layer::from_number(next())),
            "x" => Call::Remove(next()),
            "e" => Call::Expire(Layer::from_number(next())),
            "q" => Call::Solve(Question::read(&numbers.collect::<Vec<_>>())),
            letter => panic!("no call starts with {letter}"),
        }
    }
}

impl Question {
    fn read(numbers: &[usize]) -> Question {
        let lits = |numbers: &[usize]| numbers.iter().map(|&code| Lit::from_code(code)).collect();
        let [layer, scope, first, end, limit, count, rest @ ..] = numbers else {
            panic!("a query has six numbers and its literals")
        };
        let scope = match scope {
            0 => Scope::All,
            1 => Scope::Cone,
            _ => Scope::ConeUpTo { first: Var::new(*first), end: Var::new(*end) },
        };
        let (assumptions, mut rest) = rest.split_at(*count);
        let mut temporary = Vec::new();
        while let Some((&length, after)) = rest.split_first() {
            temporary.push(lits(&after[..length]));
            rest = &after[length..];
        }
        Question {
            layer: Layer::from_number(*layer),
            scope,
            conflicts: limit.checked_sub(1).map(|limit| limit as u64),
            assumptions: lits(assumptions),
            temporary,
        }
    }
}

/// A solver that gets the calls.
trait Side {
    fn change(&mut self, call: &Call);
    /// Is there a model?
    fn solve(&mut self, question: &Question) -> bool;
    /// What it did.
    fn work(&self, time: Duration) -> String;
}

#[derive(Default)]
struct Ours {
    solver: Solver,
    lemmas: Vec<Option<LemmaId>>,
}

impl Side for Ours {
    fn change(&mut self, call: &Call) {
        let solver = &mut self.solver;
        match call {
            Call::NewVar => {
                solver.new_var();
            }
            Call::FanIn(var, fan_in) => solver.set_fan_in(*var, fan_in),
            Call::PermanentRoot(var) => solver.add_permanent_root(*var),
            Call::Default(var, value) => solver.set_default(*var, *value),
            Call::Phase(var, value) => solver.set_phase(*var, *value),
            Call::Initial(var, value) => solver.set_initial(*var, *value),
            Call::Clause(lits) => solver.add_clause(lits),
            Call::Lemma(lits, layer) => {
                let id = solver.add_lemma(lits, *layer);
                if self.lemmas.len() <= id.index() {
                    self.lemmas.resize(id.index() + 1, None);
                }
                self.lemmas[id.index()] = Some(id);
            }
            Call::Raise(id, layer) => {
                solver.raise_lemma(self.lemmas[*id].expect("the lemma was given"), *layer);
            }
            Call::Remove(id) => {
                solver.remove_lemma(self.lemmas[*id].take().expect("the lemma was given"));
            }
            Call::Expire(layer) => solver.expire(*layer),
            Call::Solve(_) => unreachable!("queries change nothing"),
        }
    }

    fn solve(&mut self, question: &Question) -> bool {
        let temporary: Vec<&[Lit]> = question.temporary.iter().map(Vec::as_slice).collect();
        let query = Query {
            layer: question.layer,
            assumptions: &question.assumptions,
            temporary: &temporary,
            scope: question.scope,
            conflicts: question.conflicts,
        };
        matches!(self.solver.solve(&query), Answer::Sat(_))
    }

    fn work(&self, time: Duration) -> String {
        let done = self.solver.statistics();
        let each = |count: u64| count as f64 / done.queries.max(1) as f64;
        format!(
            "{:.2} million propagations a second, {:.0} a query, domain {:.0}, {:.1} decisions, \
             {:.2} conflicts",
            done.propagations as f64 / 1e6 / time.as_secs_f64(),
            each(done.propagations),
            each(done.domain),
            each(done.decisions),
            each(done.conflicts),
        )
    }
}

/// CaDiCaL, with one guard for each layer: lemmas are given again when they are raised.
#[derive(Default)]
struct Theirs {
    solver: Option<CaDiCal>,
    vars: i32,
    guards: BTreeMap<Layer, i32>,
    lemmas: Vec<Option<Vec<Lit>>>,
    free: Vec<usize>,
}

/// Literals of CaDiCaL, which may need a guard before there are all variables.
const GUARDS: i32 = 1 << 24;

impl Theirs {
    fn add(&mut self, lits: &[Lit], layer: Layer) {
        let guard = (layer != Layer::ALWAYS).then(|| {
            let next = GUARDS + self.guards.len() as i32;
            *self.guards.entry(layer).or_insert(next)
        });
        let solver = self.solver.get_or_insert_with(CaDiCal::new);
        for lit in lits.iter().map(|&lit| dimacs(lit)).chain(guard.map(|guard| -guard)) {
            solver.add(lit);
        }
        solver.add(0);
    }
}

impl Side for Theirs {
    fn change(&mut self, call: &Call) {
        match call {
            Call::NewVar => self.vars += 1,
            Call::Initial(var, value) => {
                let lit = var.positive().negate_if(!value);
                self.add(&[lit], Layer::level(0));
            }
            Call::Clause(lits) => self.add(lits, Layer::ALWAYS),
            Call::Lemma(lits, layer) => {
                self.add(lits, *layer);
                let id = self.free.pop().unwrap_or_else(|| {
                    self.lemmas.push(None);
                    self.lemmas.len() - 1
                });
                self.lemmas[id] = Some(lits.clone());
            }
            Call::Raise(id, layer) => {
                let lits = self.lemmas[*id].clone().expect("the lemma was given");
                self.add(&lits, *layer);
            }
            Call::Remove(id) => {
                self.lemmas[*id] = None;
                self.free.push(*id);
            }
            Call::FanIn(..)
            | Call::PermanentRoot(_)
            | Call::Default(..)
            | Call::Phase(..)
            | Call::Expire(_) => {}
            Call::Solve(_) => unreachable!("queries change nothing"),
        }
    }

    fn solve(&mut self, question: &Question) -> bool {
        let solver = self.solver.get_or_insert_with(CaDiCal::new);
        assert!(question.temporary.len() <= 1, "CaDiCaL takes one constraint");
        for clause in &question.temporary {
            for &lit in clause {
                solver.constrain(dimacs(lit));
            }
            solver.constrain(0);
        }
        for (_, &guard) in self.guards.range(question.layer..) {
            solver.assume(guard);
        }
        for &lit in &question.assumptions {
            solver.assume(dimacs(lit));
        }
        solver.solve() == Status::SATISFIABLE
    }

    fn work(&self, _: Duration) -> String {
        format!("{} variables, {} guards", self.vars, self.guards.len())
    }
}

fn dimacs(lit: Lit) -> i32 {
    let var = lit.var().index() as i32 + 1;
    if lit.is_negative() { -var } else { var }
}
