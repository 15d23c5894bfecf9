//! Programs that are read, then run: a property is reached by a random run or it is not.

mod calls;
mod dialects;
mod errors;
mod meaning;
mod printing;

use std::collections::BTreeSet;

use elinvar_ir::program::{FunctionValue, Machine, Program, ProgramStep, Sort, Statement, Value};

use super::*;

fn program(source: &str) -> Program {
    read(source.as_bytes()).unwrap_or_else(|error| {
        let position = error.position(source.as_bytes());
        panic!("{}:{}: {error}\n{source}", position.line, position.column)
    })
}

/// The properties that are violated by some of many runs with small values.
fn violated(program: &Program) -> BTreeSet<String> {
    let mut random = Random(1);
    let functions: Vec<FunctionValue> = program
        .terms
        .functions()
        .iter()
        .map(|f| FunctionValue { default: Value::zero(&f.result), entries: Default::default() })
        .collect();
    let successors = program.successors();
    let mut found = BTreeSet::new();
    for _ in 0..2000 {
        let sorts = program.variables.iter().map(|&v| program.terms.variable_sort(v));
        let initial: Vec<Value> = sorts.map(|sort| random.value(sort)).collect();
        let mut machine = Machine::new(program, &initial, &functions).unwrap();
        for _ in 0..100 {
            let edges = &successors[machine.location().0 as usize];
            let first = random.below(edges.len().max(1));
            let moved = (0..edges.len()).any(|turn| {
                let edge = edges[(first + turn) % edges.len()];
                let values = match &program.edge(edge).statement {
                    Statement::Havoc(variables) => variables
                        .iter()
                        .map(|&v| random.value(program.terms.variable_sort(v)))
                        .collect(),
                    Statement::Assume(_) | Statement::Assign(_) => Vec::new(),
                };
                machine.step(&ProgramStep { edge, values }).is_ok()
            });
            if !moved {
                break;
            }
        }
        let at = machine.location();
        found.extend(program.properties.iter().filter(|p| p.error == at).map(|p| p.name.clone()));
    }
    found
}

/// Reads a program and compares the properties that its runs violate.
fn check(source: &str, expected: &[&str]) {
    let found = violated(&program(source));
    let expected: BTreeSet<String> = expected.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(found, expected, "{source}");
}

/// Statements in a procedure without parameters; the assertions that fail, by line.
fn check_body(body: &str, expected: &[&str]) {
    check(&format!("procedure main() {{ {body} }}"), expected);
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn value(&mut self, sort: &Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.below(2) == 1),
            Sort::Int => Value::Int((self.below(8) as i64 - 3).into()),
            Sort::Real => Value::Real(dashu_ratio::RBig::from(self.below(8) as i64 - 3)),
            Sort::Named(id) => Value::Element(*id, self.below(3) as u64),
            Sort::Word(_) | Sort::Map(_) => Value::zero(sort),
        }
    }
}
