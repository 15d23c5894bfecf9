//! Functions: uninterpreted ones, those with a body, which are macros, and those that
//! stand for an operator of SMT-LIB, which is how Boogie has bit-vector arithmetic.

use elinvar_ir::program::{FunctionId, Sort, Term, Terms};
use elinvar_ir::{BinaryOp, BitVec, MAX_WIDTH, UnaryOp};
use rustc_hash::FxHashMap;

use super::cycles::{components, is_cycle};
use super::expression::{Lowering, Value};
use super::scope::{Scope, insert};
use super::syntax::{FunctionDeclaration, Span, Unit};
use super::types::Type;
use crate::Diagnostic;

pub(super) struct Function {
    pub parameters: Vec<Type>,
    pub result: Type,
    meaning: Meaning,
}

enum Meaning {
    /// One function for each part of the result.
    Uninterpreted(Vec<FunctionId>),
    /// The same value everywhere: a function without parameters.
    Constant(Vec<Term>),
    /// Over stand-ins for the parts of the parameters.
    Macro {
        parameters: Vec<Term>,
        body: Vec<Term>,
    },
    BuiltIn(BuiltIn),
}

/// An operator on words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BuiltIn {
    Unary(UnaryOp),
    /// Negated or not.
    Binary(BinaryOp, bool),
    Or(bool),
    /// `<` of words, with its operands exchanged or not, negated or not.
    Compare {
        signed: bool,
        exchanged: bool,
        negated: bool,
    },
    /// Equality as a word of one bit.
    Comp,
    Extend {
        signed: bool,
    },
    Rotate {
        left: bool,
        by: u32,
    },
}

impl Function {
    /// A function of the pool.
    pub fn of_pool(terms: &Terms, function: FunctionId) -> Self {
        let declared = terms.function(function);
        Function {
            parameters: declared.arguments.iter().map(Type::of_sort).collect(),
            result: Type::of_sort(&declared.result),
            meaning: Meaning::Uninterpreted(vec![function]),
        }
    }

    /// The value of a function without parameters.
    pub fn constant(&self, terms: &mut Terms) -> Option<Value> {
        self.parameters.is_empty().then(|| self.apply(terms, Vec::new()))
    }

    /// The function of values with the parameters' types.
    pub fn apply(&self, terms: &mut Terms, arguments: Vec<Term>) -> Value {
        let parts = match &self.meaning {
            Meaning::Uninterpreted(functions) => {
                functions.iter().map(|&function| terms.apply(function, arguments.clone())).collect()
            }
            Meaning::Constant(parts) => parts.clone(),
            Meaning::Macro { parameters, body } => {
                let mut map: FxHashMap<Term, Term> =
                    parameters.iter().copied().zip(arguments).collect();
                body.iter().map(|&part| terms.replace(part, &mut map)).collect()
            }
            Meaning::BuiltIn(operator) => vec![operator.apply(terms, &arguments, &self.result)],
        };
        Value { ty: self.result.clone(), parts }
    }
}

/// Gives all functions of the program their meanings.
pub(super) fn declare<'a>(scope: &mut Scope<'a>, unit: &'a Unit<'a>) -> Result<(), Diagnostic> {
    let numbers: FxHashMap<&str, usize> =
        unit.functions.iter().enumerate().map(|(at, f)| (f.name.text, at)).collect();
    let uses: Vec<Vec<usize>> = unit
        .functions
        .iter()
        .map(|function| {
            let applied = function.body.iter().flat_map(|body| body.applied());
            applied.filter_map(|name| numbers.get(name.text).copied()).collect()
        })
        .collect();
    for component in components(&uses) {
        let function = &unit.functions[component[0]];
        if is_cycle(&component, &uses) {
            let message =
                format!("the function `{}` is defined in terms of itself", function.name.text);
            return Err(Diagnostic::new(message, function.name.span.clone())
                .with_help("recursive functions are not supported"));
        }
        let declared = function_of(scope, function)?;
        insert(&mut scope.functions, &function.name, declared)?;
    }
    Ok(())
}

fn function_of<'a>(
    scope: &mut Scope<'a>,
    declaration: &'a FunctionDeclaration<'a>,
) -> Result<Function, Diagnostic> {
    let parameters = declaration
        .parameters
        .iter()
        .map(|parameter| scope.types.resolve(&mut scope.terms, &parameter.ty))
        .collect::<Result<Vec<Type>, Diagnostic>>()?;
    let result = scope.types.resolve(&mut scope.terms, &declaration.result)?;
    let meaning = if declaration.body.is_some() {
        macro_of(scope, declaration, &parameters, &result)?
    } else {
        match built_in(declaration) {
            Some(operator) => {
                operator.check(&parameters, &result, &declaration.name.span)?;
                Meaning::BuiltIn(operator)
            }
            None => uninterpreted(scope, declaration, &parameters, &result),
        }
    };
    Ok(Function { parameters, result, meaning })
}

fn macro_of<'a>(
    scope: &mut Scope<'a>,
    declaration: &'a FunctionDeclaration<'a>,
    types: &[Type],
    result: &Type,
) -> Result<Meaning, Diagnostic> {
    let mut parameters = Vec::new();
    let mut bound: FxHashMap<&'a str, ()> = FxHashMap::default();
    let mut lowering = Lowering::stateless(scope);
    for (parameter, ty) in declaration.parameters.iter().zip(types) {
        if !parameter.name.text.is_empty() {
            insert(&mut bound, &parameter.name, ())?;
        }
        parameters.extend(lowering.bind(parameter.name.text, ty));
    }
    let body = declaration.body.as_ref().expect("the function has a body");
    let value = lowering.value_of(body, result)?;
    Ok(Meaning::Macro { parameters, body: value.parts })
}

fn uninterpreted<'a>(
    scope: &mut Scope<'a>,
    declaration: &'a FunctionDeclaration<'a>,
    parameters: &[Type],
    result: &Type,
) -> Meaning {
    let name = declaration.name.text;
    // An operator of SMT-LIB that is not known is not modelled either.
    let marks = ["overapproximation", "bvbuiltin", "builtin"];
    let mark = declaration.attributes.iter().find(|attribute| marks.contains(&attribute.name));
    let approximates = mark.map(|mark| match mark.arguments.first() {
        Some(what) => (*what).to_owned(),
        None => "another one".to_owned(),
    });
    if parameters.is_empty() && approximates.is_none() {
        let parts = scope.parts(name, result);
        return Meaning::Constant(parts.iter().map(|&part| scope.terms.variable(part)).collect());
    }
    let arguments: Vec<Sort> = parameters.iter().flat_map(Type::sorts).collect();
    let names = result.part_names();
    let functions = result.sorts().into_iter().zip(names).map(|(sort, part)| {
        scope.terms.declare_function(elinvar_ir::program::Function {
            name: format!("{name}{part}"),
            arguments: arguments.clone(),
            result: sort,
            approximates: approximates.clone(),
        })
    });
    Meaning::Uninterpreted(functions.collect())
}

/// `{:bvbuiltin "bvadd"}`, `{:bvbuiltin "(_ zero_extend 8)"}`, `{:builtin "bvadd"}`.
fn built_in(declaration: &FunctionDeclaration<'_>) -> Option<BuiltIn> {
    let attribute = declaration
        .attributes
        .iter()
        .find(|attribute| matches!(attribute.name, "bvbuiltin" | "builtin"))?;
    let text = attribute.arguments.first()?.trim_start_matches("(_ ").trim_end_matches(')');
    let mut words = text.split_whitespace();
    let name = words.next()?;
    let indices = declaration.attributes.iter().find(|attribute| attribute.name == "indices");
    let index = words.next().or_else(|| indices?.arguments.first().copied());
    operator(name, index)
}

/// The operator on words with this name in SMT-LIB.
fn operator(name: &str, index: Option<&str>) -> Option<BuiltIn> {
    let compare = |signed, exchanged, negated| BuiltIn::Compare { signed, exchanged, negated };
    Some(match name {
        "bvnot" => BuiltIn::Unary(UnaryOp::Not),
        "bvneg" => BuiltIn::Unary(UnaryOp::Neg),
        "bvand" => BuiltIn::Binary(BinaryOp::And, false),
        "bvnand" => BuiltIn::Binary(BinaryOp::And, true),
        "bvor" => BuiltIn::Or(false),
        "bvnor" => BuiltIn::Or(true),
        "bvxor" => BuiltIn::Binary(BinaryOp::Xor, false),
        "bvxnor" => BuiltIn::Binary(BinaryOp::Xor, true),
        "bvadd" => BuiltIn::Binary(BinaryOp::Add, false),
        "bvsub" => BuiltIn::Binary(BinaryOp::Sub, false),
        "bvmul" => BuiltIn::Binary(BinaryOp::Mul, false),
        "bvudiv" => BuiltIn::Binary(BinaryOp::Udiv, false),
        "bvurem" => BuiltIn::Binary(BinaryOp::Urem, false),
        "bvsdiv" => BuiltIn::Binary(BinaryOp::Sdiv, false),
        "bvsrem" => BuiltIn::Binary(BinaryOp::Srem, false),
        "bvsmod" => BuiltIn::Binary(BinaryOp::Smod, false),
        "bvshl" => BuiltIn::Binary(BinaryOp::Shl, false),
        "bvlshr" => BuiltIn::Binary(BinaryOp::Lshr, false),
        "bvashr" => BuiltIn::Binary(BinaryOp::Ashr, false),
        "concat" => BuiltIn::Binary(BinaryOp::Concat, false),
        "bvult" => compare(false, false, false),
        "bvugt" => compare(false, true, false),
        "bvuge" => compare(false, false, true),
        "bvule" => compare(false, true, true),
        "bvslt" => compare(true, false, false),
        "bvsgt" => compare(true, true, false),
        "bvsge" => compare(true, false, true),
        "bvsle" => compare(true, true, true),
        "bvcomp" => BuiltIn::Comp,
        "zero_extend" => BuiltIn::Extend { signed: false },
        "sign_extend" => BuiltIn::Extend { signed: true },
        "rotate_left" => BuiltIn::Rotate { left: true, by: index?.parse().ok()? },
        "rotate_right" => BuiltIn::Rotate { left: false, by: index?.parse().ok()? },
        _ => return None,
    })
}

/// The operator on words that a name means if no function of that name is declared. The
/// printer writes these names, and programs may use them as well. The second part is the
/// number of bits that `sign_extend_8` adds.
fn undeclared_operator(name: &str) -> Option<(BuiltIn, u32)> {
    if let Some(by) = name.strip_prefix("sign_extend_") {
        return Some((operator("sign_extend", None)?, by.parse().ok()?));
    }
    match name {
        "bvrol" => Some((BuiltIn::Binary(BinaryOp::Rol, false), 0)),
        "bvror" => Some((BuiltIn::Binary(BinaryOp::Ror, false), 0)),
        _ if name.starts_with("bv") => Some((operator(name, None)?, 0)),
        _ => None,
    }
}

/// Has the name a meaning for words without a declaration?
pub(super) fn is_operator(name: &str) -> bool {
    undeclared_operator(name).is_some()
}

/// The operator of this name on values of these types.
pub(super) fn printed(name: &str, parameters: &[Type]) -> Option<Function> {
    let (operator, by) = undeclared_operator(name)?;
    let result = match (operator, parameters.first()?) {
        (BuiltIn::Compare { .. }, _) => Type::Bool,
        (BuiltIn::Comp, _) => Type::Word(1),
        (BuiltIn::Extend { .. }, Type::Word(width)) => {
            Type::Word(width.checked_add(by).filter(|sum| *sum <= MAX_WIDTH)?)
        }
        (_, first) => first.clone(),
    };
    operator.check(parameters, &result, &(0..0)).ok()?;
    Some(Function { parameters: parameters.to_vec(), result, meaning: Meaning::BuiltIn(operator) })
}

impl BuiltIn {
    /// Has the function the types of the operator?
    fn check(self, parameters: &[Type], result: &Type, span: &Span) -> Result<(), Diagnostic> {
        let widths: Option<Vec<u32>> = parameters
            .iter()
            .map(|ty| if let Type::Word(width) = ty { Some(*width) } else { None })
            .collect();
        let fits = match (self, widths.as_deref(), result) {
            (BuiltIn::Unary(_) | BuiltIn::Rotate { .. }, Some([a]), Type::Word(r)) => a == r,
            (BuiltIn::Binary(BinaryOp::Concat, _), Some([a, b]), Type::Word(r)) => a + b == *r,
            (BuiltIn::Binary(..) | BuiltIn::Or(_), Some([a, b]), Type::Word(r)) => a == b && a == r,
            (BuiltIn::Compare { .. }, Some([a, b]), Type::Bool) => a == b,
            (BuiltIn::Comp, Some([a, b]), Type::Word(1)) => a == b,
            (BuiltIn::Extend { .. }, Some([a]), Type::Word(r)) => a <= r,
            _ => false,
        };
        if fits {
            return Ok(());
        }
        Err(Diagnostic::new("the bit-vector operator has different types", span.clone()))
    }

    fn apply(self, terms: &mut Terms, operands: &[Term], result: &Type) -> Term {
        let width = |terms: &Terms, term: Term| match terms.sort(term) {
            Sort::Word(width) => *width,
            _ => unreachable!("the function was checked to be on words"),
        };
        let negate = |terms: &mut Terms, term: Term, negated: bool| {
            if negated { terms.word_unary(UnaryOp::Not, term) } else { term }
        };
        match (self, operands) {
            (BuiltIn::Unary(op), &[a]) => terms.word_unary(op, a),
            (BuiltIn::Binary(op, negated), &[a, b]) => {
                let value = terms.word_binary(op, a, b);
                negate(terms, value, negated)
            }
            (BuiltIn::Or(negated), &[a, b]) => {
                let (a, b) = (negate(terms, a, true), negate(terms, b, true));
                let neither = terms.word_binary(BinaryOp::And, a, b);
                negate(terms, neither, !negated)
            }
            (BuiltIn::Compare { signed, exchanged, negated }, &[a, b]) => {
                let op = if signed { BinaryOp::Slt } else { BinaryOp::Ult };
                let (a, b) = if exchanged { (b, a) } else { (a, b) };
                let less = terms.word_binary(op, a, b);
                if negated { terms.not(less) } else { less }
            }
            (BuiltIn::Comp, &[a, b]) => {
                let same = terms.equal(a, b);
                let (one, zero) = (terms.word(BitVec::one(1)), terms.word(BitVec::zero(1)));
                terms.ite(same, one, zero)
            }
            (BuiltIn::Extend { signed }, &[a]) => {
                let Type::Word(wide) = result else { unreachable!("checked to be a word") };
                terms.extend(wide - width(terms, a), signed, a)
            }
            (BuiltIn::Rotate { left, by }, &[a]) => {
                let width = width(terms, a);
                let by = terms.word(BitVec::new(width, u64::from(by % width)));
                terms.word_binary(if left { BinaryOp::Rol } else { BinaryOp::Ror }, a, by)
            }
            (operator, operands) => unreachable!("{operator:?} of {} operands", operands.len()),
        }
    }
}
