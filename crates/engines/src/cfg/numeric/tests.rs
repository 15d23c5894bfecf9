//! Examples, and facts against runs.

use std::collections::BTreeMap;

use dashu_int::IBig;
use dashu_ratio::RBig;
use elinvar_ir::Rng;
use elinvar_ir::program::{
    ByZero, EdgeId, FunctionValue, LocationId, Machine, Program, ProgramStep, Sort, Statement,
    Term, Terms, Value, VariableId, evaluate,
};
use elinvar_models::{ProgramGenerator, ProgramShape, Sketch};

use super::{Domain, analyze};

type Facts = BTreeMap<LocationId, Vec<Term>>;

fn facts(program: &Program, domain: Domain) -> (Terms, Facts) {
    let mut terms = program.terms.clone();
    let errors: Vec<LocationId> =
        program.properties.iter().map(|property| property.error).collect();
    let facts = analyze(program, &mut terms, domain, &errors, &|| false);
    (terms, facts)
}

/// A drawing with integers, and a last location where all variables are read.
struct Drawing {
    sketch: Sketch,
    variables: Vec<VariableId>,
}

impl Drawing {
    fn new(names: &[&str]) -> Self {
        let mut sketch = Sketch::new();
        let variables = names.iter().map(|name| sketch.variable(name, Sort::Int)).collect();
        Drawing { sketch, variables }
    }

    fn terms(&mut self) -> &mut Terms {
        &mut self.sketch.terms
    }

    fn value(&mut self, variable: usize) -> Term {
        let variable = self.variables[variable];
        self.terms().variable(variable)
    }

    /// The variable and a number more.
    fn more(&mut self, variable: usize, number: i64) -> Term {
        let (value, number) = (self.value(variable), self.terms().int(number));
        self.terms().add([value, number])
    }

    fn at_most(&mut self, variable: usize, number: i64) -> Term {
        let (value, number) = (self.value(variable), self.terms().int(number));
        self.terms().at_most(value, number)
    }

    fn at_least(&mut self, variable: usize, number: i64) -> Term {
        let (value, number) = (self.value(variable), self.terms().int(number));
        self.terms().at_most(number, value)
    }

    fn is(&mut self, variable: usize, number: i64) -> Term {
        let (value, number) = (self.value(variable), self.terms().int(number));
        self.terms().equal(value, number)
    }

    fn has_remainder(&mut self, variable: usize, modulus: i64, remainder: i64) -> Term {
        let value = self.value(variable);
        let (modulus, remainder) = (self.terms().int(modulus), self.terms().int(remainder));
        let found = self.terms().modulo(value, modulus);
        self.terms().equal(found, remainder)
    }

    fn assign(&mut self, from: LocationId, values: &[(usize, Term)]) -> LocationId {
        let to = self.sketch.location();
        self.assign_to(from, to, values);
        to
    }

    fn assign_to(&mut self, from: LocationId, to: LocationId, values: &[(usize, Term)]) {
        let values: Vec<(VariableId, Term)> =
            values.iter().map(|&(variable, value)| (self.variables[variable], value)).collect();
        self.sketch.assign(from, to, &values);
    }

    fn set(&mut self, from: LocationId, values: &[i64]) -> LocationId {
        let values = values.iter().map(|&number| self.sketch.terms.int(number)).enumerate();
        let values: Vec<(usize, Term)> = values.collect();
        self.assign(from, &values)
    }

    fn assume(&mut self, from: LocationId, condition: Term) -> LocationId {
        let to = self.sketch.location();
        self.sketch.assume(from, to, condition);
        to
    }

    /// All variables are read here.
    fn ask(&mut self, at: LocationId) {
        let parts: Vec<Term> = (0..self.variables.len())
            .map(|variable| match self.sketch.terms.variable_sort(self.variables[variable]) {
                Sort::Bool => self.value(variable),
                _ => self.is(variable, 1_000_003),
            })
            .collect();
        let condition = self.terms().and(parts);
        self.sketch.error(at, condition);
    }

    /// Octagons show that the variable has the value of the term here.
    fn expect_equal(mut self, at: LocationId, term: Term, variable: usize) {
        self.ask(at);
        let value = self.value(variable);
        let equal = self.terms().equal(term, value);
        assert!(self.facts(Domain::Octagons)[&at].contains(&equal));
    }

    fn facts(self, domain: Domain) -> Facts {
        facts(&self.sketch.finish(), domain).1
    }
}

const BOTH: [Domain; 2] = [Domain::Intervals, Domain::Octagons];

#[test]
fn counting_to_ten_ends_at_ten() {
    for domain in BOTH {
        let mut drawing = Drawing::new(&["i"]);
        let head = drawing.set(Sketch::ENTRY, &[0]);
        let (below, above) = (drawing.at_most(0, 9), drawing.at_least(0, 10));
        let body = drawing.assume(head, below);
        let next = drawing.more(0, 1);
        drawing.assign_to(body, head, &[(0, next)]);
        let end = drawing.assume(head, above);
        drawing.ask(end);
        let bounds = vec![drawing.at_least(0, 0), drawing.at_most(0, 10)];
        let exact = vec![drawing.is(0, 10)];
        let facts = drawing.facts(domain);
        assert_eq!(facts[&head], bounds);
        assert_eq!(facts[&end], exact);
    }
}

/// Two variables that are increased together, any number of times.
fn in_step(drawing: &mut Drawing) -> LocationId {
    let head = drawing.set(Sketch::ENTRY, &[0, 0]);
    let (x, y) = (drawing.more(0, 1), drawing.more(1, 1));
    let middle = drawing.assign(head, &[(0, x)]);
    drawing.assign_to(middle, head, &[(1, y)]);
    drawing.ask(head);
    head
}

#[test]
fn variables_in_step_stay_equal() {
    let mut drawing = Drawing::new(&["x", "y"]);
    let head = in_step(&mut drawing);
    let (x, y) = (drawing.value(0), drawing.value(1));
    let equal = drawing.terms().equal(x, y);
    let positive = drawing.at_least(0, 0);
    let facts = drawing.facts(Domain::Octagons);
    assert!(facts[&head].contains(&equal) && facts[&head].contains(&positive));
}

#[test]
fn steps_of_two_leave_the_remainder() {
    for domain in BOTH {
        let mut drawing = Drawing::new(&["i"]);
        let head = drawing.set(Sketch::ENTRY, &[0]);
        let next = drawing.more(0, 2);
        drawing.assign_to(head, head, &[(0, next)]);
        drawing.ask(head);
        let wanted = vec![drawing.at_least(0, 0), drawing.has_remainder(0, 2, 0)];
        assert_eq!(drawing.facts(domain)[&head], wanted);
    }
}

#[test]
fn a_relation_survives_the_havoc_of_others() {
    let mut drawing = Drawing::new(&["x", "y", "z"]);
    let head = in_step(&mut drawing);
    let after = drawing.sketch.location();
    let z = drawing.variables[2];
    drawing.sketch.havoc(head, after, &[z]);
    drawing.ask(after);
    let (x, y) = (drawing.value(0), drawing.value(1));
    let equal = drawing.terms().equal(x, y);
    assert!(drawing.facts(Domain::Octagons)[&after].contains(&equal));
}

/// Up to ten; then for each of them a loop from zero to it; then down again.
#[test]
fn three_phases_with_a_loop_in_a_loop() {
    let mut drawing = Drawing::new(&["i", "j"]);
    let up = drawing.set(Sketch::ENTRY, &[0, 0]);
    let (below_ten, ten) = (drawing.at_most(0, 9), drawing.at_least(0, 10));
    let (next_i, next_j) = (drawing.more(0, 1), drawing.more(1, 1));
    let outer = drawing.assume(up, below_ten);
    let zero = drawing.terms().int(0);
    let inner = drawing.assign(outer, &[(1, zero)]);
    let (i, j) = (drawing.value(0), drawing.value(1));
    let (less, not_less) = (drawing.terms().less(j, i), drawing.terms().at_most(i, j));
    let body = drawing.assume(inner, less);
    drawing.assign_to(body, inner, &[(1, next_j)]);
    let done = drawing.assume(inner, not_less);
    drawing.assign_to(done, up, &[(0, next_i)]);
    let down = drawing.assume(up, ten);
    let positive = drawing.at_least(0, 1);
    let again = drawing.assume(down, positive);
    let previous = drawing.more(0, -1);
    drawing.assign_to(again, down, &[(0, previous)]);
    let not_positive = drawing.at_most(0, 0);
    let end = drawing.assume(down, not_positive);
    for location in [inner, done, down, end] {
        drawing.ask(location);
    }
    let at_most_i = drawing.terms().at_most(j, i);
    let equal = drawing.terms().equal(i, j);
    let zero = drawing.is(0, 0);
    let bounds = [drawing.at_least(0, 0), drawing.at_most(0, 10)];
    let facts = drawing.facts(Domain::Octagons);
    assert!(facts[&inner].contains(&at_most_i));
    assert!(facts[&done].contains(&equal));
    assert!(bounds.iter().all(|bound| facts[&down].contains(bound)));
    assert!(facts[&end].contains(&zero));
}

#[test]
fn what_is_never_reached_is_false() {
    let mut drawing = Drawing::new(&["x"]);
    let start = drawing.set(Sketch::ENTRY, &[3]);
    let odd = drawing.has_remainder(0, 2, 0);
    let never = drawing.assume(start, odd);
    drawing.ask(never);
    let no = vec![drawing.terms().bool(false)];
    assert_eq!(drawing.facts(Domain::Intervals)[&never], no);
}

#[test]
fn bytes_that_wrap_stay_what_they_are() {
    let mut drawing = Drawing::new(&["x", "y"]);
    let (low, high) = (drawing.at_least(0, -5), drawing.at_most(0, 10));
    let small = drawing.terms().and([low, high]);
    let start = drawing.assume(Sketch::ENTRY, small);
    // y := if x mod 256 <= 127 then x mod 256 else x mod 256 - 256
    let (x, byte, limit) = (drawing.value(0), drawing.terms().int(256), drawing.terms().int(127));
    let rest = drawing.terms().modulo(x, byte);
    let fits = drawing.terms().at_most(rest, limit);
    let less = drawing.terms().subtract(rest, byte);
    let signed = drawing.terms().ite(fits, rest, less);
    let end = drawing.assign(start, &[(1, signed)]);
    drawing.expect_equal(end, x, 1);
}

#[test]
fn truth_values_are_followed() {
    let mut drawing = Drawing::new(&["x"]);
    let flag = drawing.sketch.variable("p", Sort::Bool);
    drawing.variables.push(flag);
    let positive = drawing.at_least(0, 1);
    let start = drawing.assume(Sketch::ENTRY, positive);
    let negative = drawing.at_most(0, -1);
    let end = drawing.assign(start, &[(1, negative)]);
    drawing.ask(end);
    let p = drawing.value(1);
    let not = drawing.terms().not(p);
    for domain in BOTH {
        let drawing =
            Drawing { sketch: drawing.sketch.clone(), variables: drawing.variables.clone() };
        assert_eq!(drawing.facts(domain)[&end], vec![not, positive]);
    }
}

/// More variables than one octagon takes: those of the loop are still together.
#[test]
fn packs_hold_the_variables_of_a_loop() {
    let names: Vec<String> = (0..30).map(|number| format!("v{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut drawing = Drawing::new(&names);
    let head = drawing.set(Sketch::ENTRY, &[0; 29]);
    let (a, b) = (drawing.more(7, 1), drawing.more(23, 1));
    let limit = drawing.value(29);
    let left = drawing.value(7);
    let below = drawing.terms().less(left, limit);
    let body = drawing.assume(head, below);
    drawing.assign_to(body, head, &[(7, a), (23, b)]);
    drawing.expect_equal(head, left, 23);
}

#[test]
fn nothing_is_said_when_time_is_over() {
    let mut drawing = Drawing::new(&["x", "y"]);
    in_step(&mut drawing);
    let program = drawing.sketch.finish();
    let errors: Vec<LocationId> =
        program.properties.iter().map(|property| property.error).collect();
    let mut terms = program.terms.clone();
    assert!(analyze(&program, &mut terms, Domain::Octagons, &errors, &|| true).is_empty());
}

/// Every statement from every state of a box, with and without a relation.
#[test]
fn statements_on_small_numbers_lose_no_state() {
    let small = -3..=3_i64;
    for (number, statement) in statements().into_iter().enumerate() {
        for (low, high) in [(-3, 3), (0, 2)] {
            for related in [false, true] {
                let mut drawing = Drawing::new(&["x", "y"]);
                let flag = drawing.sketch.variable("p", Sort::Bool);
                drawing.variables.push(flag);
                let mut bounds = vec![drawing.at_least(0, low), drawing.at_most(0, high)];
                bounds.extend([drawing.at_least(1, -3), drawing.at_most(1, 3)]);
                if related {
                    let (x, y) = (drawing.value(0), drawing.more(1, -1));
                    bounds.push(drawing.terms().at_most(x, y));
                }
                let within = drawing.terms().and(bounds);
                let start = drawing.assume(Sketch::ENTRY, within);
                let end = drawing.sketch.location();
                let statement = statement(&mut drawing);
                drawing.sketch.edge(start, end, statement);
                drawing.ask(end);
                let program = drawing.sketch.finish();
                for domain in BOTH {
                    let (terms, facts) = facts(&program, domain);
                    for point in small.clone().flat_map(|x| small.clone().map(move |y| (x, y))) {
                        let values = [
                            Value::Int(point.0.into()),
                            Value::Int(point.1.into()),
                            Value::Bool(true),
                        ];
                        let mut machine =
                            Machine::new(&program, &values, NO_FUNCTIONS).expect("it starts");
                        for edge in [0, 1].map(EdgeId) {
                            if machine.step(&ProgramStep { edge, values: Vec::new() }).is_err() {
                                break;
                            }
                            check_facts(
                                &program,
                                &terms,
                                &facts,
                                &machine,
                                &format!("statement {number}"),
                            );
                        }
                    }
                }
            }
        }
    }
}

type Draw = Box<dyn Fn(&mut Drawing) -> Statement>;

/// Conditions, alone and negated, and assignments of the terms.
fn statements() -> Vec<Draw> {
    let mut statements: Vec<Draw> = Vec::new();
    for term in 0..13 {
        for assigned in [0, 1] {
            statements.push(Box::new(move |drawing| {
                let value = number_term(drawing, term);
                let other = drawing.more(1 - assigned, 1);
                let variables = drawing.variables.clone();
                let values = vec![(variables[assigned], value), (variables[1 - assigned], other)];
                Statement::Assign(if term % 2 == 0 { values } else { values[..1].to_vec() })
            }));
        }
        for (limit, negated) in
            [-1, 0, 2].into_iter().flat_map(|limit| [(limit, false), (limit, true)])
        {
            for equal in [false, true] {
                let condition = move |drawing: &mut Drawing| {
                    let (value, limit) = (number_term(drawing, term), drawing.terms().int(limit));
                    let terms = drawing.terms();
                    let condition =
                        if equal { terms.equal(value, limit) } else { terms.at_most(value, limit) };
                    if negated { terms.not(condition) } else { condition }
                };
                statements.push(Box::new(move |drawing| Statement::Assume(condition(drawing))));
                statements.push(Box::new(move |drawing| {
                    let (condition, other) = (condition(drawing), drawing.at_most(1, 2));
                    let terms = drawing.terms();
                    Statement::Assume(if equal {
                        terms.or([condition, other])
                    } else {
                        terms.equal(condition, other)
                    })
                }));
                statements.push(Box::new(move |drawing| {
                    let value = condition(drawing);
                    Statement::Assign(vec![(drawing.variables[2], value)])
                }));
            }
        }
    }
    statements
}

fn number_term(drawing: &mut Drawing, which: usize) -> Term {
    let (x, y) = (drawing.value(0), drawing.value(1));
    let (two, three, minus) =
        (drawing.terms().int(2), drawing.terms().int(3), drawing.terms().int(-3));
    let terms = drawing.terms();
    match which {
        0 => terms.add([x, y]),
        1 => terms.subtract(x, y),
        2 => {
            let twice = terms.multiply(two, x);
            terms.subtract(twice, y)
        }
        3 => terms.multiply(x, y),
        4 => terms.multiply(x, x),
        5 => terms.divide(x, two),
        6 => terms.divide(x, minus),
        7 => terms.modulo(x, three),
        8 => {
            let sum = terms.add([x, y]);
            terms.modulo(sum, two)
        }
        9 => {
            let condition = terms.at_most(x, y);
            terms.ite(condition, x, y)
        }
        10 => {
            let remainder = terms.modulo(x, two);
            let zero = terms.int(0);
            let even = terms.equal(remainder, zero);
            let half = terms.divide(x, two);
            let choice = terms.ite(even, half, y);
            terms.add([choice, x])
        }
        11 => terms.modulo(x, y),
        _ => terms.divide(y, x),
    }
}

/// Do the facts of the place where the machine is hold?
fn check_facts(program: &Program, terms: &Terms, facts: &Facts, machine: &Machine, why: &str) {
    let Some(facts) = facts.get(&machine.location()) else { return };
    for &fact in facts {
        assert!(
            holds(terms, fact, machine),
            "{why}: {:?} at {:?} in {program:#?}",
            terms.node(fact),
            machine.values()
        );
    }
}

fn holds(terms: &Terms, fact: Term, machine: &Machine) -> bool {
    let value = |variable| machine.value(variable).clone();
    let no_function = |_, _: &[Value]| unreachable!("facts speak of variables");
    evaluate(terms, fact, value, no_function, &ByZero::default()) == Ok(Value::Bool(true))
}

/// Mostly small numbers.
fn random_value(rng: &mut Rng, sort: &Sort) -> Value {
    let reach = if rng.one_in(5) { 40 } else { 5 };
    let number = rng.below(2 * reach + 1) as i64 - reach as i64;
    match sort {
        Sort::Bool => Value::Bool(rng.one_in(2)),
        Sort::Int => Value::Int(IBig::from(number)),
        Sort::Real => Value::Real(RBig::from(number) / RBig::from(2)),
        Sort::Word(_) | Sort::Named(_) | Sort::Map(_) => Value::zero(sort),
    }
}

fn random_values(rng: &mut Rng, program: &Program, variables: &[VariableId]) -> Vec<Value> {
    variables
        .iter()
        .map(|variable| random_value(rng, program.terms.variable_sort(*variable)))
        .collect()
}

/// Takes an edge that can be taken.
fn random_step(rng: &mut Rng, program: &Program, machine: &mut Machine) -> bool {
    let mut edges = program.successors()[machine.location().0 as usize].clone();
    while !edges.is_empty() {
        let edge = edges.swap_remove(rng.below(edges.len()));
        let values = match &program.edge(edge).statement {
            Statement::Havoc(variables) => random_values(rng, program, variables),
            Statement::Assume(_) | Statement::Assign(_) => Vec::new(),
        };
        if machine.step(&ProgramStep { edge, values }).is_ok() {
            return true;
        }
    }
    false
}

const NO_FUNCTIONS: &[FunctionValue] = &[];

/// The facts of every location that a random run comes through.
fn check_run(rng: &mut Rng, program: &Program, terms: &Terms, facts: &Facts) {
    let initial = random_values(rng, program, &program.variables);
    let mut machine = Machine::new(program, &initial, NO_FUNCTIONS).expect("it starts");
    for _ in 0..80 {
        check_facts(program, terms, facts, &machine, "a run");
        if !random_step(rng, program, &mut machine) {
            break;
        }
    }
}

#[test]
fn facts_hold_in_random_runs() {
    let mut rng = Rng::new(11);
    for seed in 0..300 {
        let shape = if seed % 2 == 0 { ProgramShape::INTEGERS } else { ProgramShape::MIXED };
        let program = ProgramGenerator::program(seed, shape);
        for domain in BOTH {
            let (terms, facts) = facts(&program, domain);
            for _ in 0..20 {
                check_run(&mut rng, &program, &terms, &facts);
            }
        }
    }
}

/// A graph of random edges over more variables than one octagon takes.
fn tangle(rng: &mut Rng) -> Program {
    const VARIABLES: usize = 16;
    let names: Vec<String> = (0..VARIABLES).map(|number| format!("v{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut drawing = Drawing::new(&names);
    let mut locations = vec![drawing.set(Sketch::ENTRY, &[0; VARIABLES - 3])];
    locations.extend((0..7).map(|_| drawing.sketch.location()));
    for number in 0..24 {
        let from = locations[number % locations.len()];
        let to = rng.pick(&locations);
        let [a, b, c] = [0; 3].map(|_| rng.below(VARIABLES));
        let more = drawing.more(b, rng.below(5) as i64 - 2);
        let value = drawing.value(a);
        let statement = match rng.below(8) {
            0 => Statement::Havoc(vec![drawing.variables[a]]),
            1 | 2 => Statement::Assume(drawing.terms().at_most(value, more)),
            3 => {
                let other = drawing.value(c);
                Statement::Assign(vec![(
                    drawing.variables[a],
                    drawing.terms().subtract(more, other),
                )])
            }
            4 => Statement::Assign(vec![(drawing.variables[a], drawing.more(a, 1))]),
            5 if a != b => {
                Statement::Assign(vec![(drawing.variables[a], more), (drawing.variables[b], value)])
            }
            _ => Statement::Assign(vec![(drawing.variables[a], more)]),
        };
        drawing.sketch.edge(from, to, statement);
    }
    drawing.ask(locations[0]);
    drawing.sketch.finish()
}

#[test]
fn facts_of_packs_hold_in_random_runs() {
    let mut rng = Rng::new(13);
    for _ in 0..60 {
        let program = tangle(&mut rng);
        let (terms, facts) = facts(&program, Domain::Octagons);
        for _ in 0..10 {
            check_run(&mut rng, &program, &terms, &facts);
        }
    }
}

/// From states that satisfy the facts of a location, reached or not.
#[test]
fn facts_are_closed_under_all_edges() {
    let mut rng = Rng::new(12);
    let mut steps = 0;
    for seed in 0..200 {
        let program = ProgramGenerator::program(seed, ProgramShape::INTEGERS);
        for domain in BOTH {
            let (terms, facts) = facts(&program, domain);
            for (&location, here) in &facts {
                for _ in 0..30 {
                    let values = random_values(&mut rng, &program, &program.variables);
                    let mut machine =
                        Machine::at(&program, location, &values, NO_FUNCTIONS).expect("sorts fit");
                    if here.iter().all(|&fact| holds(&terms, fact, &machine))
                        && random_step(&mut rng, &program, &mut machine)
                    {
                        steps += 1;
                        check_facts(&program, &terms, &facts, &machine, "a step");
                    }
                }
            }
        }
    }
    assert!(steps > 10_000, "too few states were tried: {steps}");
}

/// Bounds do not grow without end: `y := 3; while (*) { y := y * y + 1; }`
#[test]
fn squares_have_bounds_of_a_bounded_length() {
    let mut sketch = Sketch::new();
    let y = sketch.variable("y", Sort::Int);
    let [head, end] = [0; 2].map(|_| sketch.location());
    let (one, three) = (sketch.terms.int(1), sketch.terms.int(3));
    let value = sketch.terms.variable(y);
    let mut next = value;
    for _ in 0..40 {
        let square = sketch.terms.multiply(next, next);
        next = sketch.terms.add([square, one]);
    }
    sketch.assign(Sketch::ENTRY, head, &[(y, three)]);
    sketch.assign(head, head, &[(y, next)]);
    let positive = sketch.terms.less(one, value);
    sketch.assert(head, end, positive);
    let program = sketch.finish();
    let errors: Vec<LocationId> = program.properties.iter().map(|p| p.error).collect();
    let mut terms = program.terms.clone();
    let facts = analyze(&program, &mut terms, Domain::Octagons, &errors, &|| false);
    assert!(facts.contains_key(&head));
}
