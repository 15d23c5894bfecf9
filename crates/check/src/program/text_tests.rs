//! Each operator means in the text what it means to `evaluate`.

use std::collections::BTreeMap;

use elinvar_ir::program::{
    ByZero, Function, FunctionId, FunctionValue, MapValue, Program, Sort, Term, Value, VariableId,
    Word, evaluate,
};
use elinvar_ir::{BinaryOp, BitVec, Rng, UnaryOp};
use elinvar_models::Sketch;

use super::smt::{Reply, Session, SmtSolver};
use super::text::{Text, version_name};
use crate::solver::Budget;

/// Terms over variables that have values.
struct Cases {
    sketch: Sketch,
    values: Vec<Value>,
    functions: Vec<FunctionValue>,
    terms: Vec<Term>,
}

impl Cases {
    fn new() -> Self {
        Cases { sketch: Sketch::new(), values: vec![], functions: vec![], terms: vec![] }
    }

    fn symbol(&mut self, value: Value) -> Term {
        let variable = self.sketch.variable("v", sort_of(&value));
        self.values.push(value);
        self.sketch.terms.variable(variable)
    }

    fn int(&mut self, value: i64) -> Term {
        self.symbol(Value::Int(value.into()))
    }

    fn real(&mut self, above: i64, below: i64) -> Term {
        let (above, below) = (self.sketch.terms.int(above), self.sketch.terms.int(below));
        let [above, below] = [above, below].map(|n| self.sketch.terms.to_real(n));
        let quotient = self.sketch.terms.quotient(above, below);
        let number = self.sketch.terms.as_number(quotient).expect("a number");
        self.symbol(Value::Real(number))
    }

    fn word(&mut self, value: BitVec) -> Term {
        self.symbol(Value::Word(Word(value)))
    }

    /// Fails unless the solver finds that all terms can only have the values that
    /// `evaluate` gives, and that they can.
    fn check(self) {
        let Cases { sketch, values, functions, terms } = self;
        let program = sketch.finish();
        let mut text = Text::new(&program);
        let mut versions = Vec::new();
        for (variable, value) in program.variables.iter().zip(&values) {
            versions.push(text.any(*variable));
            text.assert(&format!("(= {} {})", version_name(*variable, 0), literal(value)));
        }
        for (number, function) in functions.iter().enumerate() {
            for (arguments, result) in &function.entries {
                let arguments: Vec<String> = arguments.iter().map(literal).collect();
                let applied = format!("(F{number} {})", arguments.join(" "));
                text.assert(&format!("(= {applied} {})", literal(result)));
            }
        }
        let mut different = Vec::new();
        for &term in &terms {
            let value = value_of(&program, &values, &functions, term);
            let symbol = text.term(&program.terms, term, &versions).expect("well-sorted");
            different.push(format!("(not (= {symbol} {}))", literal(&value)));
        }
        let (solver, budget) = (SmtSolver::default(), Budget::default());
        let mut session = Session::new(&solver, &budget);
        let consistent = session.ask(text.as_str(), &[], None);
        assert_eq!(consistent, Ok(Reply::Sat(vec![])));
        let names: Vec<String> = (0..different.len()).map(|n| format!("different{n}")).collect();
        for (name, formula) in names.iter().zip(&different) {
            text.define_bool(name, formula);
        }
        text.assert(&format!("(or {} false)", names.join(" ")));
        match session.ask(text.as_str(), &names, None) {
            Ok(Reply::Unsat) => {}
            Ok(Reply::Sat(which)) => {
                let at = which.iter().position(|&differs| differs).expect("one differs");
                let variables = program.terms.free_variables([terms[at]]);
                let values: Vec<_> = variables.iter().map(|v| &values[v.0 as usize]).collect();
                panic!("{:?} of {values:?}: {}", program.terms.node(terms[at]), different[at]);
            }
            other => panic!("{other:?}"),
        }
    }
}

fn value_of(program: &Program, values: &[Value], functions: &[FunctionValue], term: Term) -> Value {
    let variable = |id: VariableId| values[id.0 as usize].clone();
    let function =
        |id: FunctionId, arguments: &[Value]| functions[id.0 as usize].apply(arguments).clone();
    let value = evaluate(&program.terms, term, variable, function, &ByZero::default());
    value.expect("numbers are small")
}

fn sort_of(value: &Value) -> Sort {
    match value {
        Value::Bool(_) => Sort::Bool,
        Value::Int(_) => Sort::Int,
        Value::Real(_) => Sort::Real,
        Value::Word(word) => Sort::Word(word.0.width()),
        Value::Element(name, _) => Sort::Named(*name),
        Value::Map(map) => Sort::map(Sort::Int, sort_of(map.default_element())),
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => signed(&value.to_string(), ""),
        Value::Real(value) => {
            let above = signed(&value.numerator().to_string(), ".0");
            format!("(/ {above} {}.0)", value.denominator())
        }
        Value::Word(word) => format!("#b{}", word.0.to_binary()),
        Value::Element(..) => unreachable!("no case has one"),
        Value::Map(map) => {
            let element = if *map.default_element() == Value::Bool(false) { "Bool" } else { "Int" };
            let constant =
                format!("((as const (Array Int {element})) {})", literal(map.default_element()));
            map.entries().fold(constant, |map, (index, element)| {
                format!("(store {map} {} {})", literal(index), literal(element))
            })
        }
    }
}

fn signed(digits: &str, suffix: &str) -> String {
    match digits.strip_prefix('-') {
        Some(digits) => format!("(- {digits}{suffix})"),
        None => format!("{digits}{suffix}"),
    }
}

#[test]
fn operators_on_words() {
    let mut cases = Cases::new();
    let mut rng = Rng::new(1);
    for width in [1, 2, 3, 5, 8] {
        for round in 0..8 {
            // Zero, ones and the least number are where operators differ.
            let mut draw = || match rng.below(6) {
                0 => BitVec::zero(width),
                1 => BitVec::ones(width),
                2 => BitVec::one(width).shl(&BitVec::new(width, u64::from(width) - 1)),
                _ => rng.bitvec(width),
            };
            let (a, b) = (cases.word(draw()), cases.word(draw()));
            for op in BinaryOp::ALL {
                let term = cases.sketch.terms.word_binary(op, a, b);
                cases.terms.push(term);
            }
            for op in [UnaryOp::Not, UnaryOp::Neg, UnaryOp::RedAnd, UnaryOp::RedXor] {
                let term = cases.sketch.terms.word_unary(op, a);
                cases.terms.push(term);
            }
            let (high, low) = (width - 1, round % width);
            let terms = &mut cases.sketch.terms;
            cases.terms.push(terms.extract(high, low, a));
            cases.terms.push(terms.extract(low, 0, a));
            cases.terms.push(terms.extend(3, true, a));
            cases.terms.push(terms.extend(3, false, a));
        }
    }
    cases.check();
}

#[test]
fn operators_on_numbers() {
    let mut cases = Cases::new();
    for a in [-7, -4, -1, 0, 1, 4, 7] {
        for b in [-3, -2, -1, 0, 1, 2, 3] {
            let (x, y) = (cases.int(a), cases.int(b));
            let (r, s) = (cases.real(a, 2), cases.real(b, 3));
            let number = cases.sketch.terms.int(b);
            let terms = &mut cases.sketch.terms;
            let product = terms.multiply(x, y);
            let mut built = vec![
                product,
                terms.add([x, product, number]),
                terms.subtract(x, y),
                terms.at_most(x, y),
                terms.less(x, y),
                terms.equal(x, y),
                terms.to_real(x),
                terms.to_int(r),
                terms.add([r, s]),
                terms.multiply(r, s),
                terms.at_most(r, s),
                terms.less(r, s),
                terms.equal(r, s),
            ];
            if b != 0 {
                for divisor in [y, number] {
                    built.extend([terms.divide(x, divisor), terms.modulo(x, divisor)]);
                }
                built.push(terms.quotient(r, s));
            }
            cases.terms.extend(built);
        }
    }
    cases.check();
}

#[test]
fn maps_functions_and_choices() {
    let mut cases = Cases::new();
    let int = |n: i64| Value::Int(n.into());
    let mut map = MapValue::constant(Sort::Int, int(5));
    map.write(int(-1), int(7));
    let maps =
        [map.clone(), MapValue::constant(Sort::Int, int(5))].map(|map| Value::Map(Box::new(map)));
    let [m, n] = maps.map(|map| cases.symbol(map));
    let function = Function {
        name: "f".to_string(),
        arguments: vec![Sort::Int, Sort::Bool],
        result: Sort::Int,
        approximates: None,
    };
    let f = cases.sketch.terms.declare_function(function);
    let mut entries = BTreeMap::new();
    for i in -2..=2 {
        for p in [false, true] {
            entries.insert(vec![int(i), Value::Bool(p)], int(2 * i + i64::from(p)));
        }
    }
    cases.functions.push(FunctionValue { default: int(0), entries });
    for index in [-2, -1, 0, 2] {
        for choice in [false, true] {
            let (i, p) = (cases.int(index), cases.symbol(Value::Bool(choice)));
            let q = cases.symbol(Value::Bool(index > -1));
            let terms = &mut cases.sketch.terms;
            let five = terms.int(5);
            let (read, stored) = (terms.select(m, i), terms.store(m, i, five));
            let not = terms.not(p);
            let built = [
                read,
                terms.select(stored, five),
                stored,
                terms.equal(stored, n),
                terms.equal(m, n),
                terms.apply(f, vec![i, p]),
                terms.ite(p, i, read),
                not,
                terms.and([p, q]),
                terms.or([not, q]),
                terms.equal(p, q),
                terms.ite(p, m, n),
            ];
            cases.terms.extend(built);
        }
    }
    cases.check();
}

#[test]
fn numbers_have_signs_and_fractions() {
    let mut cases = Cases::new();
    let (x, r) = (cases.int(-12), cases.real(-7, 3));
    let terms = &mut cases.sketch.terms;
    let big = terms.int(-1_000_000_007_i64);
    let sevenths = {
        let (above, below) = (terms.int(-22), terms.int(7));
        let [above, below] = [above, below].map(|n| terms.to_real(n));
        terms.quotient(above, below)
    };
    let built = [terms.add([x, big]), terms.add([r, sevenths]), terms.multiply(sevenths, r)];
    cases.terms.extend(built);
    cases.check();
}
