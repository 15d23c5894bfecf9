//! A context of Z3, and the translation of terms.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_int, c_uint};
use std::rc::Rc;
use std::sync::Arc;

use elinvar_ir::program::{FunctionId, Node, Op, Sort, Term, Terms, VariableId};
use elinvar_ir::{BinaryOp, UnaryOp};
use rustc_hash::FxHashMap;

use crate::api::{Api, MissingSolver, Raw, Text, api};
use crate::watchdog::{Stop, Watchdog};

/// Owns all of Z3's objects that belong together. Cheap to clone; for one pool of terms
/// (and what it grows to).
#[derive(Clone)]
pub struct Context(pub(crate) Rc<Inner>);

pub(crate) struct Inner {
    // First: its thread must end before the context does.
    pub watchdog: Watchdog,
    pub api: &'static Api,
    pub raw: Raw,
    stop: Stop,
    known: RefCell<Known>,
}

/// What was translated. Everything in here holds a reference, until the context ends.
#[derive(Default)]
struct Known {
    terms: FxHashMap<Term, Raw>,
    sorts: FxHashMap<Sort, Raw>,
    functions: FxHashMap<FunctionId, Raw>,
    proxies: c_int,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: the context is alive; objects in it need not be released one by one.
        unsafe { (self.api.Z3_del_context)(self.raw) }
    }
}

impl Context {
    /// Queries end early when `stop` says so.
    pub fn new(stop: Stop) -> Result<Self, MissingSolver> {
        Ok(Self::with(api()?, stop))
    }

    fn with(api: &'static Api, stop: Stop) -> Self {
        // SAFETY: as the interface asks: a configuration lives until its context is made.
        let raw = unsafe {
            // Tables of functions as they are, not as terms over their arguments.
            (api.Z3_global_param_set)(c"model.compact".as_ptr(), c"false".as_ptr());
            let config = (api.Z3_mk_config)();
            let raw = (api.Z3_mk_context_rc)(config);
            (api.Z3_del_config)(config);
            // Errors are answers here, not the end of the process.
            (api.Z3_set_error_handler)(raw, std::ptr::null());
            raw
        };
        let watchdog = Watchdog::new(api, raw, Arc::clone(&stop));
        Context(Rc::new(Inner { watchdog, api, raw, stop, known: RefCell::default() }))
    }

    /// A context for another pool of terms, under the same conditions.
    pub fn another(&self) -> Self {
        Self::with(self.0.api, Arc::clone(&self.0.stop))
    }

    /// Of the library.
    pub fn version(&self) -> String {
        // SAFETY: the text is static in the library.
        unsafe { text((self.0.api.Z3_get_full_version)()) }
    }

    /// A fresh Boolean.
    pub(crate) fn proxy(&self) -> Raw {
        let Inner { api, raw, .. } = &*self.0;
        let number = {
            let mut known = self.0.known.borrow_mut();
            known.proxies += 1;
            known.proxies
        };
        let sort = self.sort(&Terms::new(), &Sort::Bool);
        // SAFETY: all objects are of this context. Terms of the program have names that
        // are texts, so that a number clashes with none.
        unsafe {
            let symbol = (api.Z3_mk_int_symbol)(*raw, number);
            self.keep((api.Z3_mk_const)(*raw, symbol, sort))
        }
    }

    pub(crate) fn implies(&self, premise: Raw, conclusion: Raw) -> Raw {
        // SAFETY: both are formulas of this context.
        unsafe { self.keep((self.0.api.Z3_mk_implies)(self.0.raw, premise, conclusion)) }
    }

    /// Holds a reference until the context ends.
    fn keep(&self, object: Raw) -> Raw {
        debug_assert!(!object.is_null());
        // SAFETY: the object was just made in this context.
        unsafe { (self.0.api.Z3_inc_ref)(self.0.raw, object) };
        object
    }

    fn sort(&self, terms: &Terms, sort: &Sort) -> Raw {
        if let Some(&raw) = self.0.known.borrow().sorts.get(sort) {
            return raw;
        }
        let Inner { api, raw, .. } = &*self.0;
        // SAFETY: all objects are of this context.
        let made = unsafe {
            match sort {
                Sort::Bool => (api.Z3_mk_bool_sort)(*raw),
                Sort::Int => (api.Z3_mk_int_sort)(*raw),
                Sort::Real => (api.Z3_mk_real_sort)(*raw),
                Sort::Word(width) => (api.Z3_mk_bv_sort)(*raw, *width),
                Sort::Named(id) => {
                    let name = format!("{}!{}", terms.types()[id.0 as usize], id.0);
                    (api.Z3_mk_uninterpreted_sort)(*raw, self.symbol(&name))
                }
                Sort::Map(sorts) => {
                    let index = self.sort(terms, &sorts.0);
                    let element = self.sort(terms, &sorts.1);
                    (api.Z3_mk_array_sort)(*raw, index, element)
                }
            }
        };
        self.keep(made);
        self.0.known.borrow_mut().sorts.insert(sort.clone(), made);
        made
    }

    fn symbol(&self, name: &str) -> Raw {
        let name = CString::new(name.replace('\0', " ")).expect("no zeros are left");
        // SAFETY: Z3 copies the text.
        unsafe { (self.0.api.Z3_mk_string_symbol)(self.0.raw, name.as_ptr()) }
    }

    pub(crate) fn function(&self, terms: &Terms, function: FunctionId) -> Raw {
        if let Some(&raw) = self.0.known.borrow().functions.get(&function) {
            return raw;
        }
        let declared = terms.function(function);
        let arguments: Vec<Raw> =
            declared.arguments.iter().map(|sort| self.sort(terms, sort)).collect();
        let result = self.sort(terms, &declared.result);
        let symbol = self.symbol(&format!("{}!f{}", declared.name, function.0));
        // SAFETY: all objects are of this context, the array has the length that is told.
        let made = unsafe {
            let count = arguments.len() as c_uint;
            (self.0.api.Z3_mk_func_decl)(self.0.raw, symbol, count, arguments.as_ptr(), result)
        };
        self.keep(made);
        self.0.known.borrow_mut().functions.insert(function, made);
        made
    }

    /// The constant of a variable.
    pub(crate) fn variable(&self, terms: &Terms, variable: VariableId) -> Raw {
        let sort = self.sort(terms, terms.variable_sort(variable));
        let symbol = self.symbol(&format!("{}!{}", terms.name(variable), variable.0));
        // SAFETY: all objects are of this context.
        unsafe { (self.0.api.Z3_mk_const)(self.0.raw, symbol, sort) }
    }

    pub(crate) fn term(&self, terms: &Terms, term: Term) -> Raw {
        let mut stack = vec![(term, false)];
        while let Some((next, ready)) = stack.pop() {
            if self.0.known.borrow().terms.contains_key(&next) {
                continue;
            }
            let made = match terms.node(next) {
                Node::Apply(op, children) if ready => {
                    let children: Vec<Raw> = {
                        let known = self.0.known.borrow();
                        children.iter().map(|child| known.terms[child]).collect()
                    };
                    self.apply(terms, *op, &children)
                }
                Node::Apply(_, children) => {
                    stack.push((next, true));
                    stack.extend(children.iter().map(|&child| (child, false)));
                    continue;
                }
                Node::Bool(value) => self.truth(*value),
                Node::Int(number) => self.numeral(terms, &number.to_string(), &Sort::Int),
                Node::Real(number) => self.numeral(terms, &number.to_string(), &Sort::Real),
                Node::Word(word) => {
                    self.numeral(terms, &word.to_decimal(), &Sort::Word(word.width()))
                }
                Node::Variable(variable) => self.variable(terms, *variable),
            };
            self.keep(made);
            self.0.known.borrow_mut().terms.insert(next, made);
        }
        self.0.known.borrow().terms[&term]
    }

    fn truth(&self, value: bool) -> Raw {
        let Inner { api, raw, .. } = &*self.0;
        let make = if value { api.Z3_mk_true } else { api.Z3_mk_false };
        // SAFETY: the context is alive.
        unsafe { make(*raw) }
    }

    fn numeral(&self, terms: &Terms, number: &str, sort: &Sort) -> Raw {
        let sort = self.sort(terms, sort);
        let number = CString::new(number).expect("digits");
        // SAFETY: Z3 copies the text.
        unsafe { (self.0.api.Z3_mk_numeral)(self.0.raw, number.as_ptr(), sort) }
    }

    fn apply(&self, terms: &Terms, op: Op, children: &[Raw]) -> Raw {
        let Inner { api, raw: c, .. } = &*self.0;
        let (c, count, all) = (*c, children.len() as c_uint, children.as_ptr());
        let child = |at: usize| children[at];
        // SAFETY: all objects are of this context, sorts are right since the pool checks
        // them, and arrays have the lengths that are told.
        unsafe {
            match op {
                Op::Not => (api.Z3_mk_not)(c, child(0)),
                Op::And => (api.Z3_mk_and)(c, count, all),
                Op::Or => (api.Z3_mk_or)(c, count, all),
                Op::Equal => (api.Z3_mk_eq)(c, child(0), child(1)),
                Op::Ite => (api.Z3_mk_ite)(c, child(0), child(1), child(2)),
                Op::Add => (api.Z3_mk_add)(c, count, all),
                Op::Multiply => (api.Z3_mk_mul)(c, count, all),
                Op::Divide | Op::Quotient => (api.Z3_mk_div)(c, child(0), child(1)),
                Op::Modulo => (api.Z3_mk_mod)(c, child(0), child(1)),
                Op::AtMost => (api.Z3_mk_le)(c, child(0), child(1)),
                Op::Less => (api.Z3_mk_lt)(c, child(0), child(1)),
                Op::ToReal => (api.Z3_mk_int2real)(c, child(0)),
                Op::ToInt => (api.Z3_mk_real2int)(c, child(0)),
                Op::Select => (api.Z3_mk_select)(c, child(0), child(1)),
                Op::Store => (api.Z3_mk_store)(c, child(0), child(1), child(2)),
                Op::Unary(op) => self.unary(op.0, child(0)),
                Op::Binary(op) => self.binary(op.0, child(0), child(1)),
                Op::Extract { high, low } => (api.Z3_mk_extract)(c, high, low, child(0)),
                Op::Extend { by, signed: true } => (api.Z3_mk_sign_ext)(c, by, child(0)),
                Op::Extend { by, signed: false } => (api.Z3_mk_zero_ext)(c, by, child(0)),
                Op::Function(function) => {
                    (api.Z3_mk_app)(c, self.function(terms, function), count, all)
                }
            }
        }
    }

    /// # Safety
    /// The operand is a word of this context.
    unsafe fn unary(&self, op: UnaryOp, a: Raw) -> Raw {
        let Inner { api, raw: c, .. } = &*self.0;
        // SAFETY: by the caller's promise.
        unsafe {
            match op {
                UnaryOp::Not => (api.Z3_mk_bvnot)(*c, a),
                UnaryOp::Neg => (api.Z3_mk_bvneg)(*c, a),
                UnaryOp::RedAnd => (api.Z3_mk_bvredand)(*c, a),
                UnaryOp::RedXor => unreachable!("no program has the parity of a word"),
            }
        }
    }

    /// # Safety
    /// The operands are words of this context, of sorts that the operator takes.
    unsafe fn binary(&self, op: BinaryOp, a: Raw, b: Raw) -> Raw {
        let Inner { api, raw: c, .. } = &*self.0;
        let c = *c;
        // SAFETY: by the caller's promise, and so for `overflow`.
        unsafe {
            match op {
                BinaryOp::And => (api.Z3_mk_bvand)(c, a, b),
                BinaryOp::Xor => (api.Z3_mk_bvxor)(c, a, b),
                BinaryOp::Add => (api.Z3_mk_bvadd)(c, a, b),
                BinaryOp::Sub => (api.Z3_mk_bvsub)(c, a, b),
                BinaryOp::Mul => (api.Z3_mk_bvmul)(c, a, b),
                BinaryOp::Udiv => (api.Z3_mk_bvudiv)(c, a, b),
                BinaryOp::Urem => (api.Z3_mk_bvurem)(c, a, b),
                BinaryOp::Sdiv => (api.Z3_mk_bvsdiv)(c, a, b),
                BinaryOp::Srem => (api.Z3_mk_bvsrem)(c, a, b),
                BinaryOp::Smod => (api.Z3_mk_bvsmod)(c, a, b),
                BinaryOp::Eq => (api.Z3_mk_eq)(c, a, b),
                BinaryOp::Ult => (api.Z3_mk_bvult)(c, a, b),
                BinaryOp::Slt => (api.Z3_mk_bvslt)(c, a, b),
                BinaryOp::Shl => (api.Z3_mk_bvshl)(c, a, b),
                BinaryOp::Lshr => (api.Z3_mk_bvlshr)(c, a, b),
                BinaryOp::Ashr => (api.Z3_mk_bvashr)(c, a, b),
                BinaryOp::Rol => (api.Z3_mk_ext_rotate_left)(c, a, b),
                BinaryOp::Ror => (api.Z3_mk_ext_rotate_right)(c, a, b),
                BinaryOp::Concat => (api.Z3_mk_concat)(c, a, b),
                BinaryOp::Uaddo => self.overflow(BinaryOp::Add, false, a, b),
                BinaryOp::Saddo => self.overflow(BinaryOp::Add, true, a, b),
                BinaryOp::Ssubo => self.overflow(BinaryOp::Sub, true, a, b),
                BinaryOp::Umulo => self.overflow(BinaryOp::Mul, false, a, b),
                BinaryOp::Smulo => self.overflow(BinaryOp::Mul, true, a, b),
                BinaryOp::Sdivo => self.overflow(BinaryOp::Sdiv, true, a, b),
            }
        }
    }

    /// Does the result differ from that of words twice as wide?
    ///
    /// # Safety
    /// As for `binary`.
    unsafe fn overflow(&self, op: BinaryOp, signed: bool, a: Raw, b: Raw) -> Raw {
        let Inner { api, raw: c, .. } = &*self.0;
        // SAFETY: by the caller's promise; every object is held as soon as it is made.
        unsafe {
            let width = (api.Z3_get_bv_sort_size)(*c, (api.Z3_get_sort)(*c, a));
            let extend = if signed { api.Z3_mk_sign_ext } else { api.Z3_mk_zero_ext };
            let wide = |word| self.keep(extend(*c, width, word));
            let exact = self.keep(self.binary(op, wide(a), wide(b)));
            let rounded = wide(self.keep(self.binary(op, a, b)));
            let equal = self.keep((api.Z3_mk_eq)(*c, exact, rounded));
            (api.Z3_mk_not)(*c, equal)
        }
    }
}

/// A copy of one of Z3's texts.
///
/// # Safety
/// The pointer is null or a text that is alive.
pub(crate) unsafe fn text(text: Text) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: by the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
