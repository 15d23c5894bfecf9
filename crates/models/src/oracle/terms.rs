//! Random terms of programs, of all sorts and operators, with values for their symbols.

use std::collections::BTreeMap;

use dashu_int::IBig;
use dashu_ratio::RBig;

use elinvar_ir::program::{
    ByZero, Function, FunctionId, FunctionValue, MapValue, Sort, Term, Terms, Value, Word,
};
use elinvar_ir::{BinaryOp, Rng, UnaryOp};

/// Terms of a verbatim pool, and what their symbols are.
pub struct TermSample {
    /// The pool of the terms.
    pub terms: Terms,
    /// All that was built, operands before the terms that they are in.
    pub built: Vec<Term>,
    /// By number of the variable.
    pub values: Vec<Value>,
    /// The values of the uninterpreted functions.
    pub functions: Vec<FunctionValue>,
    /// The values of divisions by zero.
    pub by_zero: ByZero,
}

/// A random value of a program. Integers and numerators lie between `-most` and `most`.
pub fn random_program_value(rng: &mut Rng, sort: &Sort, most: u32) -> Value {
    let small = IBig::from(rng.below(2 * most as usize + 1)) - IBig::from(most);
    match sort {
        Sort::Bool => Value::Bool(rng.one_in(2)),
        Sort::Int => Value::Int(small),
        Sort::Real => Value::Real(RBig::from(small) / RBig::from(1 + rng.below(3))),
        Sort::Word(width) => Value::Word(Word(rng.bitvec(*width))),
        Sort::Named(name) => Value::Element(*name, rng.below(3) as u64),
        Sort::Map(sorts) => {
            let (index, element) = (&sorts.0, &sorts.1);
            let default = random_program_value(rng, element, most);
            let count = rng.below(4);
            let mut draw = |sort| random_program_value(rng, sort, most);
            let writes: Vec<(Value, Value)> =
                (0..count).map(|_| (draw(index), draw(element))).collect();
            Value::Map(Box::new(MapValue::new(index.clone(), default, writes)))
        }
    }
}

impl TermSample {
    /// Builds so many operators, over words of up to about this width.
    pub fn random(seed: u64, operators: usize, width: u32) -> Self {
        let mut growth = Growth { rng: Rng::new(seed), sample: Self::empty(), width };
        growth.declare();
        for _ in 0..operators {
            growth.grow();
        }
        growth.sample
    }

    fn empty() -> Self {
        TermSample {
            terms: Terms::verbatim(),
            built: Vec::new(),
            values: Vec::new(),
            functions: Vec::new(),
            by_zero: ByZero::default(),
        }
    }

    /// A pool that rewrites, with the same symbols.
    pub fn rewriting(&self) -> Terms {
        let mut terms = Terms::new();
        for name in self.terms.types() {
            terms.declare_type(name);
        }
        for variable in self.terms.variables() {
            terms.declare(&variable.name, variable.sort.clone());
        }
        for function in self.terms.functions() {
            terms.declare_function(function.clone());
        }
        terms
    }
}

struct Growth {
    rng: Rng,
    sample: TermSample,
    width: u32,
}

impl Growth {
    fn sorts(&mut self) -> Vec<Sort> {
        let named = Sort::Named(self.sample.terms.declare_type("T"));
        let flags = Sort::map(Sort::Bool, Sort::Int);
        vec![
            Sort::Bool,
            Sort::Int,
            Sort::Real,
            Sort::Word(1),
            Sort::Word(self.width),
            Sort::map(Sort::Int, Sort::Int),
            Sort::map(named.clone(), Sort::Int),
            Sort::map(Sort::Word(1), Sort::Bool),
            Sort::map(flags.clone(), Sort::Int),
            Sort::map(Sort::Int, flags.clone()),
            Sort::map(Sort::Bool, Sort::Bool),
            Sort::map(Sort::map(Sort::Bool, Sort::Bool), Sort::Bool),
            flags,
            named,
        ]
    }

    fn declare(&mut self) {
        let sorts = self.sorts();
        for sort in &sorts {
            for _ in 0..3 {
                let value = self.value(sort);
                let variable = self.sample.terms.declare("v", sort.clone());
                let term = self.sample.terms.variable(variable);
                self.sample.values.push(value);
                self.sample.built.push(term);
            }
            self.constant(sort);
        }
        let flags = Sort::map(Sort::Bool, Sort::Int);
        for (arguments, result) in
            [(vec![Sort::Int, flags], Sort::Int), (vec![Sort::Word(1)], Sort::Real)]
        {
            let table = self.table(&arguments, &result);
            self.sample.functions.push(table);
            let name = "f".to_owned();
            let function = Function { name, arguments, result, approximates: None };
            self.sample.terms.declare_function(function);
        }
        let [int, real] = [Sort::Int, Sort::Real];
        self.sample.by_zero = ByZero {
            divide: self.table(std::slice::from_ref(&int), &int),
            modulo: self.table(std::slice::from_ref(&int), &int),
            quotient: self.table(std::slice::from_ref(&real), &real),
        };
    }

    fn table(&mut self, arguments: &[Sort], result: &Sort) -> FunctionValue {
        let mut entries = BTreeMap::new();
        for _ in 0..4 {
            let key = arguments.iter().map(|sort| self.value(sort)).collect();
            entries.insert(key, self.value(result));
        }
        FunctionValue { default: self.value(result), entries }
    }

    /// Few different values, so that they often agree.
    fn value(&mut self, sort: &Sort) -> Value {
        random_program_value(&mut self.rng, sort, 2)
    }

    /// A constant of the sort, where there is a notation for one.
    fn constant(&mut self, sort: &Sort) {
        let terms = |growth: &mut Self, value: Value| match value {
            Value::Bool(value) => Some(growth.sample.terms.bool(value)),
            Value::Int(value) => Some(growth.sample.terms.int(value)),
            Value::Real(value) => Some(growth.sample.terms.real(value)),
            Value::Word(value) => Some(growth.sample.terms.word(value.0)),
            Value::Element(..) | Value::Map(_) => None,
        };
        let value = self.value(sort);
        if let Some(term) = terms(self, value) {
            self.sample.built.push(term);
        }
    }

    fn of(&mut self, sort: &Sort) -> Term {
        let fits = |term: &Term| self.sample.terms.sort(*term) == sort;
        let fitting: Vec<Term> = self.sample.built.iter().copied().filter(fits).collect();
        self.rng.pick(&fitting)
    }

    /// A term of a random sort, each sort equally often.
    fn any(&mut self) -> (Term, Sort) {
        let mut sorts: Vec<Sort> =
            self.sample.built.iter().map(|&term| self.sample.terms.sort(term).clone()).collect();
        sorts.sort_unstable();
        sorts.dedup();
        let sort = sorts[self.rng.below(sorts.len())].clone();
        (self.of(&sort), sort)
    }

    fn grow(&mut self) {
        let (term, sort) = self.any();
        let other = self.of(&sort);
        let built = match (self.rng.below(6), &sort) {
            (0, _) => self.sample.terms.equal(term, other),
            (1, _) => {
                let condition = self.of(&Sort::Bool);
                self.sample.terms.ite(condition, term, other)
            }
            (_, Sort::Bool) => self.bools(term, other),
            (_, Sort::Int) => self.integers(term, other),
            (_, Sort::Real) => self.reals(term, other),
            (_, Sort::Word(width)) => self.words(term, other, *width),
            (_, Sort::Named(_)) => return self.constant(&Sort::Int),
            (_, Sort::Map(sorts)) => {
                let index = self.of(&sorts.0);
                if self.rng.one_in(2) {
                    self.sample.terms.select(term, index)
                } else {
                    let element = self.of(&sorts.1);
                    self.sample.terms.store(term, index, element)
                }
            }
        };
        self.sample.built.push(built);
    }

    fn bools(&mut self, a: Term, b: Term) -> Term {
        let c = self.of(&Sort::Bool);
        let terms = &mut self.sample.terms;
        match self.rng.below(5) {
            0 => terms.not(a),
            1 => terms.and([a, b, c]),
            2 => terms.or([a, b, c]),
            3 => terms.implies(a, b),
            _ => self.new_constant(&Sort::Bool),
        }
    }

    fn new_constant(&mut self, sort: &Sort) -> Term {
        self.constant(sort);
        *self.sample.built.last().expect("just made")
    }

    fn integers(&mut self, a: Term, b: Term) -> Term {
        let terms = &mut self.sample.terms;
        match self.rng.below(12) {
            0 | 1 => terms.add([a, b]),
            2 => terms.subtract(a, b),
            3 => terms.negate(a),
            4 => terms.multiply(a, b),
            5 => terms.divide(a, b),
            6 => terms.modulo(a, b),
            7 => terms.to_real(a),
            8 => terms.at_most(a, b),
            9 => terms.less(a, b),
            10 => self.new_constant(&Sort::Int),
            _ => {
                let flags = self.of(&Sort::map(Sort::Bool, Sort::Int));
                self.sample.terms.apply(FunctionId(0), vec![a, flags])
            }
        }
    }

    fn reals(&mut self, a: Term, b: Term) -> Term {
        let terms = &mut self.sample.terms;
        match self.rng.below(9) {
            0 => terms.add([a, b]),
            1 => terms.subtract(a, b),
            2 => terms.multiply(a, b),
            3 => terms.quotient(a, b),
            4 => terms.to_int(a),
            5 => terms.at_most(a, b),
            6 => terms.less(a, b),
            7 => self.new_constant(&Sort::Real),
            _ => {
                let bit = self.of(&Sort::Word(1));
                self.sample.terms.apply(FunctionId(1), vec![bit])
            }
        }
    }

    fn words(&mut self, a: Term, b: Term, width: u32) -> Term {
        let terms = &mut self.sample.terms;
        match self.rng.below(10) {
            0 => {
                let low = self.rng.below(width as usize) as u32;
                let high = low + self.rng.below((width - low) as usize) as u32;
                terms.extract(high, low, a)
            }
            1 => {
                let (by, signed) = (self.rng.below(3) as u32, self.rng.one_in(2));
                terms.extend(by, signed, a)
            }
            2 => {
                let all = [UnaryOp::Not, UnaryOp::Neg, UnaryOp::RedAnd, UnaryOp::RedXor];
                let op = self.rng.pick(&all);
                terms.word_unary(op, a)
            }
            3 => self.new_constant(&Sort::Word(width)),
            _ => {
                let op = self.rng.pick(&BinaryOp::ALL);
                // Words would double their width again and again.
                let op =
                    if op == BinaryOp::Concat && width > self.width { BinaryOp::Add } else { op };
                terms.word_binary(op, a, b)
            }
        }
    }
}
