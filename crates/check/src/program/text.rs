//! Terms as SMT-LIB text.
//!
//! Every operator becomes one definition of a symbol, `(define-fun t7 () Int (+ x 1))`,
//! over the symbols of its operands: the text is linear in the number of different
//! terms and never nested deeply. Equal definitions are made once. All symbols are made
//! up here, so that no name of a program has to be quoted.

use std::fmt::Write;

use elinvar_ir::program::{Node, Op, Program, Sort, Term, Terms, TypeId, VariableId};
use elinvar_ir::{BinaryOp, UnaryOp};
use rustc_hash::FxHashMap;

/// Why a term has no text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// A symbol of this name is not the program's.
    Foreign(String),
    IllSorted,
}

/// Which version of each variable is meant, by number of the variable.
pub(super) type Versions = Vec<u32>;

/// Declarations, definitions and assertions.
pub(super) struct Text<'a> {
    program: &'a Program,
    is_variable: Vec<bool>,
    /// How many versions each variable has.
    versions: Vec<u32>,
    /// The symbol of each definition.
    known: FxHashMap<String, String>,
    text: String,
}

impl<'a> Text<'a> {
    /// With the types and functions of the program.
    pub(super) fn new(program: &'a Program) -> Self {
        let count = program.terms.variables().len();
        let mut is_variable = vec![false; count];
        for variable in &program.variables {
            is_variable[variable.0 as usize] = true;
        }
        let mut text = Text {
            program,
            is_variable,
            versions: vec![0; count],
            known: FxHashMap::default(),
            text: String::new(),
        };
        for number in 0..program.terms.types().len() {
            text.line(format_args!("(declare-sort T{number} 0)"));
        }
        for (number, function) in program.terms.functions().iter().enumerate() {
            let arguments: Vec<String> = function.arguments.iter().map(sort_text).collect();
            let (arguments, result) = (arguments.join(" "), sort_text(&function.result));
            text.line(format_args!("(declare-fun F{number} ({arguments}) {result})"));
        }
        text
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    pub(super) fn assert(&mut self, formula: &str) {
        self.line(format_args!("(assert {formula})"));
    }

    /// A symbol of this name of which nothing is known.
    pub(super) fn declare_bool(&mut self, name: &str) {
        self.line(format_args!("(declare-fun {name} () Bool)"));
    }

    pub(super) fn define_bool(&mut self, name: &str, formula: &str) {
        self.line(format_args!("(define-fun {name} () Bool {formula})"));
    }

    /// A new version of a variable, of which nothing is known.
    pub(super) fn any(&mut self, variable: VariableId) -> u32 {
        let (version, name) = self.next_version(variable);
        let sort = sort_text(self.program.terms.variable_sort(variable));
        self.line(format_args!("(declare-fun {name} () {sort})"));
        version
    }

    /// A new version of a variable, which is this.
    pub(super) fn assign(&mut self, variable: VariableId, value: &str) -> u32 {
        let (version, name) = self.next_version(variable);
        let sort = sort_text(self.program.terms.variable_sort(variable));
        self.line(format_args!("(define-fun {name} () {sort} {value})"));
        version
    }

    fn next_version(&mut self, variable: VariableId) -> (u32, String) {
        let next = &mut self.versions[variable.0 as usize];
        let version = *next;
        *next += 1;
        (version, version_name(variable, version))
    }

    /// The symbol of a term of a pool, of the program or grown from it.
    pub(super) fn term(
        &mut self,
        terms: &Terms,
        root: Term,
        versions: &Versions,
    ) -> Result<String, Fault> {
        let mut symbols: FxHashMap<Term, String> = FxHashMap::default();
        for term in terms.subterms([root]) {
            let symbol = match terms.node(term) {
                Node::Bool(value) => value.to_string(),
                Node::Int(value) => integer(&value.to_string()),
                Node::Real(value) => {
                    let (above, below) = (value.numerator(), value.denominator());
                    format!("(/ {} {below}.0)", decimal(&above.to_string()))
                }
                Node::Word(value) => format!("#b{}", value.to_binary()),
                Node::Variable(variable) => {
                    self.expect_variable(terms, *variable)?;
                    version_name(*variable, versions[variable.0 as usize])
                }
                Node::Apply(op, children) => {
                    self.expect_function(terms, *op)?;
                    let sorts: Vec<&Sort> = children.iter().map(|&t| terms.sort(t)).collect();
                    if result_sort(terms, *op, &sorts).as_ref() != Some(terms.sort(term)) {
                        return Err(Fault::IllSorted);
                    }
                    let operands: Vec<&str> =
                        children.iter().map(|child| symbols[child].as_str()).collect();
                    self.named(body(*op, &operands, sorts.first().copied()), terms.sort(term))
                }
            };
            symbols.insert(term, symbol);
        }
        Ok(symbols.remove(&root).expect("a term is among its subterms"))
    }

    fn named(&mut self, body: String, sort: &Sort) -> String {
        if let Some(symbol) = self.known.get(&body) {
            return symbol.clone();
        }
        let symbol = format!("t{}", self.known.len());
        self.line(format_args!("(define-fun {symbol} () {} {body})", sort_text(sort)));
        self.known.insert(body, symbol.clone());
        symbol
    }

    fn expect_variable(&self, terms: &Terms, variable: VariableId) -> Result<(), Fault> {
        let own = &self.program.terms;
        match self.is_variable.get(variable.0 as usize) {
            Some(true) if terms.variable_sort(variable) == own.variable_sort(variable) => Ok(()),
            Some(true) => Err(Fault::IllSorted),
            Some(false) | None => Err(Fault::Foreign(terms.name(variable).to_string())),
        }
    }

    fn expect_function(&self, terms: &Terms, op: Op) -> Result<(), Fault> {
        let Op::Function(id) = op else { return Ok(()) };
        match self.program.terms.functions().get(id.0 as usize) {
            Some(own) if own == terms.function(id) => Ok(()),
            Some(_) | None => Err(Fault::Foreign(terms.function(id).name.clone())),
        }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{line}").expect("strings can be written to");
    }
}

pub(super) fn version_name(variable: VariableId, version: u32) -> String {
    format!("v{}_{version}", variable.0)
}

fn sort_text(sort: &Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_string(),
        Sort::Int => "Int".to_string(),
        Sort::Real => "Real".to_string(),
        Sort::Word(width) => format!("(_ BitVec {width})"),
        Sort::Named(TypeId(number)) => format!("T{number}"),
        Sort::Map(sorts) => format!("(Array {} {})", sort_text(&sorts.0), sort_text(&sorts.1)),
    }
}

/// SMT-LIB's numerals have no sign.
fn integer(digits: &str) -> String {
    match digits.strip_prefix('-') {
        Some(digits) => format!("(- {digits})"),
        None => digits.to_string(),
    }
}

fn decimal(digits: &str) -> String {
    match digits.strip_prefix('-') {
        Some(digits) => format!("(- {digits}.0)"),
        None => format!("{digits}.0"),
    }
}

/// The sort that the operator gives on operands of these sorts; `None` if it takes no
/// such operands.
fn result_sort(terms: &Terms, op: Op, operands: &[&Sort]) -> Option<Sort> {
    let all = |sort: &Sort| operands.iter().all(|operand| *operand == sort);
    let numbers = || operands.first().is_some_and(|sort| sort.is_arithmetic() && all(sort));
    match (op, operands) {
        (Op::Not, [_]) | (Op::And | Op::Or, [_, _, ..]) => all(&Sort::Bool).then_some(Sort::Bool),
        (Op::Equal, [a, b]) => (a == b).then_some(Sort::Bool),
        (Op::Ite, [Sort::Bool, a, b]) => (a == b).then(|| (*a).clone()),
        (Op::Add | Op::Multiply, [a, _, ..]) => numbers().then(|| (*a).clone()),
        (Op::Divide | Op::Modulo, [_, _]) => all(&Sort::Int).then_some(Sort::Int),
        (Op::Quotient, [_, _]) => all(&Sort::Real).then_some(Sort::Real),
        (Op::AtMost | Op::Less, [_, _]) => numbers().then_some(Sort::Bool),
        (Op::ToReal, [Sort::Int]) => Some(Sort::Real),
        (Op::ToInt, [Sort::Real]) => Some(Sort::Int),
        (Op::Select, [Sort::Map(map), index]) => (map.0 == **index).then(|| map.1.clone()),
        (Op::Store, [map @ Sort::Map(sorts), index, element]) => {
            (sorts.0 == **index && sorts.1 == **element).then(|| (*map).clone())
        }
        (Op::Unary(op), [Sort::Word(width)]) => match op.0 {
            UnaryOp::Not | UnaryOp::Neg => Some(Sort::Word(*width)),
            UnaryOp::RedAnd | UnaryOp::RedXor => Some(Sort::Word(1)),
        },
        (Op::Binary(op), [Sort::Word(a), Sort::Word(b)]) => {
            if op.0 == BinaryOp::Concat {
                Some(Sort::Word(a.checked_add(*b)?))
            } else if a != b {
                None
            } else if op.0.is_predicate() {
                Some(Sort::Bool)
            } else {
                Some(Sort::Word(*a))
            }
        }
        (Op::Extract { high, low }, [Sort::Word(width)]) => {
            (low <= high && high < *width).then(|| Sort::Word(high - low + 1))
        }
        (Op::Extend { by, .. }, [Sort::Word(width)]) => Some(Sort::Word(width.checked_add(by)?)),
        (Op::Function(function), _) => {
            let function = terms.function(function);
            let fits = function.arguments.iter().eq(operands.iter().copied());
            fits.then(|| function.result.clone())
        }
        (_, _) => None,
    }
}

/// The operator on these symbols; `first` is the sort of the first.
fn body(op: Op, operands: &[&str], first: Option<&Sort>) -> String {
    let width = match first {
        Some(Sort::Word(width)) => *width,
        Some(_) | None => 0,
    };
    let of = |name: &str| format!("({name} {})", operands.join(" "));
    match op {
        Op::Not => of("not"),
        Op::And => of("and"),
        Op::Or => of("or"),
        Op::Equal => of("="),
        Op::Ite => of("ite"),
        Op::Add => of("+"),
        Op::Multiply => of("*"),
        Op::Divide => of("div"),
        Op::Modulo => of("mod"),
        Op::Quotient => of("/"),
        Op::AtMost => of("<="),
        Op::Less => of("<"),
        Op::ToReal => of("to_real"),
        Op::ToInt => of("to_int"),
        Op::Select => of("select"),
        Op::Store => of("store"),
        Op::Unary(op) => word_unary(op.0, operands[0], width),
        Op::Binary(op) => word_binary(op.0, operands[0], operands[1], width),
        Op::Extract { high, low } => of(&format!("(_ extract {high} {low})")),
        Op::Extend { by, signed: true } => of(&format!("(_ sign_extend {by})")),
        Op::Extend { by, signed: false } => of(&format!("(_ zero_extend {by})")),
        Op::Function(function) if operands.is_empty() => format!("F{}", function.0),
        Op::Function(function) => of(&format!("F{}", function.0)),
    }
}

fn word_unary(op: UnaryOp, a: &str, width: u32) -> String {
    match op {
        UnaryOp::Not => format!("(bvnot {a})"),
        UnaryOp::Neg => format!("(bvneg {a})"),
        UnaryOp::RedAnd => format!("(ite (= {a} (bvnot (_ bv0 {width}))) #b1 #b0)"),
        UnaryOp::RedXor if width == 1 => a.to_string(),
        UnaryOp::RedXor => {
            let bits: Vec<String> =
                (0..width).map(|i| format!("((_ extract {i} {i}) {a})")).collect();
            format!("(bvxor {})", bits.join(" "))
        }
    }
}

fn word_binary(op: BinaryOp, a: &str, b: &str, width: u32) -> String {
    let of = |name: &str| format!("({name} {a} {b})");
    match op {
        BinaryOp::And => of("bvand"),
        BinaryOp::Xor => of("bvxor"),
        BinaryOp::Add => of("bvadd"),
        BinaryOp::Sub => of("bvsub"),
        BinaryOp::Mul => of("bvmul"),
        BinaryOp::Udiv => of("bvudiv"),
        BinaryOp::Urem => of("bvurem"),
        BinaryOp::Sdiv => of("bvsdiv"),
        BinaryOp::Srem => of("bvsrem"),
        BinaryOp::Smod => of("bvsmod"),
        BinaryOp::Eq => of("="),
        BinaryOp::Ult => of("bvult"),
        BinaryOp::Slt => of("bvslt"),
        BinaryOp::Shl => of("bvshl"),
        BinaryOp::Lshr => of("bvlshr"),
        BinaryOp::Ashr => of("bvashr"),
        BinaryOp::Rol => rotation("bvshl", "bvlshr", a, b, width),
        BinaryOp::Ror => rotation("bvlshr", "bvshl", a, b, width),
        BinaryOp::Concat => of("concat"),
        BinaryOp::Uaddo => overflow("bvadd", "zero_extend", 1, a, b, width),
        BinaryOp::Saddo => overflow("bvadd", "sign_extend", 1, a, b, width),
        BinaryOp::Ssubo => overflow("bvsub", "sign_extend", 1, a, b, width),
        BinaryOp::Umulo => overflow("bvmul", "zero_extend", width, a, b, width),
        BinaryOp::Smulo => overflow("bvmul", "sign_extend", width, a, b, width),
        // The least number by minus one, and nothing else.
        BinaryOp::Sdivo => {
            let ones = format!("(bvnot (_ bv0 {width}))");
            format!("(and (= {a} (bvshl {ones} (_ bv{} {width}))) (= {b} {ones}))", width - 1)
        }
    }
}

/// Rotation by a word, modulo the width: SMT-LIB only knows rotations by numerals.
fn rotation(shift: &str, back: &str, a: &str, b: &str, width: u32) -> String {
    let by = format!("(bvurem {b} (_ bv{width} {width}))");
    format!("(bvor ({shift} {a} {by}) ({back} {a} (bvsub (_ bv{width} {width}) {by})))")
}

/// Does the operator on wider words give what does not fit?
fn overflow(op: &str, extend: &str, by: u32, a: &str, b: &str, width: u32) -> String {
    let wide = |word: &str| format!("((_ {extend} {by}) {word})");
    let result = format!("({op} {} {})", wide(a), wide(b));
    let kept = wide(&format!("((_ extract {} 0) {result})", width - 1));
    format!("(not (= {result} {kept}))")
}
