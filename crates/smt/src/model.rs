//! Values out of Z3's models.

use std::collections::BTreeMap;
use std::str::FromStr;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use elinvar_ir::BitVec;
use elinvar_ir::program::{
    ByZero, FunctionId, FunctionValue, LARGEST, MapValue, Sort, Term, Terms, Value, VariableId,
    Word,
};

use crate::api::{APP_AST, NUMERAL_AST, OP_CONST_ARRAY, OP_STORE, Raw};
use crate::context::{Context, Inner, text};

/// A state, and functions, that satisfy what was asked.
pub struct Model {
    context: Context,
    raw: Raw,
}

impl Model {
    pub(crate) fn new(context: Context, raw: Raw) -> Self {
        // SAFETY: the model was just given by a solver of this context.
        unsafe { (context.0.api.Z3_model_inc_ref)(context.0.raw, raw) };
        Model { context, raw }
    }

    /// `None` if the model has no value that can be told.
    pub fn variable(&self, terms: &Terms, variable: VariableId) -> Option<Value> {
        let constant = self.context.variable(terms, variable);
        self.evaluated(terms, constant, terms.variable_sort(variable))
    }

    /// The value of a term, if it can be represented.
    pub fn value(&self, terms: &Terms, term: Term) -> Option<Value> {
        let raw = self.context.term(terms, term);
        self.evaluated(terms, raw, terms.sort(term))
    }

    /// The value of an uninterpreted function, if it can be represented.
    pub fn function(&self, terms: &Terms, function: FunctionId) -> Option<FunctionValue> {
        let declared = terms.function(function);
        let raw = self.context.function(terms, function);
        if declared.arguments.is_empty() {
            let Inner { api, raw: c, .. } = &*self.context.0;
            // SAFETY: a function without arguments applied to none.
            let constant = unsafe { (api.Z3_mk_app)(*c, raw, 0, std::ptr::null()) };
            let default = self.evaluated(terms, constant, &declared.result)?;
            return Some(FunctionValue { default, entries: BTreeMap::new() });
        }
        self.table(terms, raw, &declared.arguments, &declared.result)
    }

    /// The values that the model gives to divisions by zero. Z3 has functions of dividend
    /// and divisor for them, with names that no function of a program has.
    pub fn by_zero(&self, terms: &Terms) -> Option<ByZero> {
        let Inner { api, raw: c, .. } = &*self.context.0;
        let mut by_zero = ByZero::default();
        // SAFETY: the declarations belong to the model, which is alive.
        unsafe {
            for at in 0..(api.Z3_model_get_num_funcs)(*c, self.raw) {
                let function = (api.Z3_model_get_func_decl)(*c, self.raw, at);
                let name = (api.Z3_get_decl_name)(*c, function);
                let (place, sort) = match &text((api.Z3_get_symbol_string)(*c, name))[..] {
                    "div0" => (&mut by_zero.divide, Sort::Int),
                    "mod0" => (&mut by_zero.modulo, Sort::Int),
                    "/0" => (&mut by_zero.quotient, Sort::Real),
                    _ => continue,
                };
                let table = self.table(terms, function, std::slice::from_ref(&sort), &sort)?;
                *place = table;
            }
        }
        Some(by_zero)
    }

    fn evaluated(&self, terms: &Terms, raw: Raw, sort: &Sort) -> Option<Value> {
        let Inner { api, raw: c, .. } = &*self.context.0;
        let mut value: Raw = std::ptr::null_mut();
        // SAFETY: the term is kept alive by the call; the value is held while it is read.
        unsafe {
            (api.Z3_inc_ref)(*c, raw);
            let evaluated = (api.Z3_model_eval)(*c, self.raw, raw, true, &mut value);
            (api.Z3_dec_ref)(*c, raw);
            if !evaluated || value.is_null() {
                return None;
            }
            (api.Z3_inc_ref)(*c, value);
            let read = self.read(terms, value, sort);
            (api.Z3_dec_ref)(*c, value);
            read
        }
    }

    /// The value that a term of Z3 stands for, if it is one.
    fn read(&self, terms: &Terms, raw: Raw, sort: &Sort) -> Option<Value> {
        let Inner { api, raw: c, .. } = &*self.context.0;
        // SAFETY: the term is alive; numerals alone are asked for their text.
        unsafe {
            match sort {
                Sort::Bool => match (api.Z3_get_bool_value)(*c, raw) {
                    1 => Some(Value::Bool(true)),
                    -1 => Some(Value::Bool(false)),
                    _ => None,
                },
                Sort::Int | Sort::Real | Sort::Word(_) => {
                    if (api.Z3_get_ast_kind)(*c, raw) != NUMERAL_AST {
                        return None;
                    }
                    let digits = text((api.Z3_get_numeral_string)(*c, raw));
                    number(&digits, sort)
                }
                Sort::Named(id) => {
                    if (api.Z3_get_ast_kind)(*c, raw) != APP_AST {
                        return None;
                    }
                    let name = (api.Z3_get_decl_name)(*c, (api.Z3_get_app_decl)(*c, raw));
                    let name = text((api.Z3_get_symbol_string)(*c, name));
                    let number = name.rsplit('!').next()?.parse().ok()?;
                    Some(Value::Element(*id, number))
                }
                Sort::Map(sorts) => self.map(terms, raw, (&sorts.0, &sorts.1)),
            }
        }
    }

    fn map(&self, terms: &Terms, raw: Raw, (index, element): (&Sort, &Sort)) -> Option<Value> {
        let Inner { api, raw: c, .. } = &*self.context.0;
        let mut writes = Vec::new();
        let mut at = raw;
        // SAFETY: arguments live as long as the term that they are part of.
        let (default, mut entries): (Value, Vec<(Value, Value)>) = unsafe {
            loop {
                if (api.Z3_get_ast_kind)(*c, at) != APP_AST {
                    return None;
                }
                if (api.Z3_is_as_array)(*c, at) {
                    let function = (api.Z3_get_as_array_func_decl)(*c, at);
                    let table =
                        self.table(terms, function, std::slice::from_ref(index), element)?;
                    let entries = table.entries.into_iter();
                    let entries = entries.filter_map(|(mut at, value)| Some((at.pop()?, value)));
                    break (table.default, entries.collect());
                }
                let argument = |position| (api.Z3_get_app_arg)(*c, at, position);
                match (api.Z3_get_decl_kind)(*c, (api.Z3_get_app_decl)(*c, at)) {
                    OP_STORE => {
                        writes.push((
                            self.read(terms, argument(1), index)?,
                            self.read(terms, argument(2), element)?,
                        ));
                        at = argument(0);
                    }
                    OP_CONST_ARRAY => {
                        break (self.read(terms, argument(0), element)?, Vec::new());
                    }
                    _ => return None,
                }
            }
        };
        entries.extend(writes.into_iter().rev());
        Some(Value::Map(Box::new(MapValue::new(index.clone(), default, entries))))
    }

    /// The table of a function by its first arguments, as many as there are sorts; one
    /// that the model does not mention is zero.
    fn table(
        &self,
        terms: &Terms,
        function: Raw,
        arguments: &[Sort],
        result: &Sort,
    ) -> Option<FunctionValue> {
        let Inner { api, raw: c, .. } = &*self.context.0;
        // SAFETY: the table and its entries are held while they are read.
        unsafe {
            let table = (api.Z3_model_get_func_interp)(*c, self.raw, function);
            if table.is_null() {
                let default = Value::zero(result);
                return Some(FunctionValue { default, entries: BTreeMap::new() });
            }
            (api.Z3_func_interp_inc_ref)(*c, table);
            let default = (api.Z3_func_interp_get_else)(*c, table);
            let read = (|| {
                let default = match default.is_null() {
                    true => Value::zero(result),
                    // Z3 may give a term over the arguments: no table then.
                    false => self.read(terms, default, result)?,
                };
                let mut entries = BTreeMap::new();
                for at in 0..(api.Z3_func_interp_get_num_entries)(*c, table) {
                    let entry = (api.Z3_func_interp_get_entry)(*c, table, at);
                    (api.Z3_func_entry_inc_ref)(*c, entry);
                    let key: Option<Vec<Value>> = arguments
                        .iter()
                        .enumerate()
                        .map(|(position, sort)| {
                            let raw = (api.Z3_func_entry_get_arg)(*c, entry, position as u32);
                            self.read(terms, raw, sort)
                        })
                        .collect();
                    let value = self.read(terms, (api.Z3_func_entry_get_value)(*c, entry), result);
                    (api.Z3_func_entry_dec_ref)(*c, entry);
                    entries.insert(key?, value?);
                }
                Some(FunctionValue { default, entries })
            })();
            (api.Z3_func_interp_dec_ref)(*c, table);
            read
        }
    }
}

fn number(digits: &str, sort: &Sort) -> Option<Value> {
    // A decimal digit has more than three bits.
    if sort.is_arithmetic() && digits.len() > LARGEST / 3 {
        return None;
    }
    Some(match sort {
        Sort::Int => Value::Int(IBig::from_str(digits).ok()?),
        Sort::Real => Value::Real(RBig::from_str(&digits.replace(' ', "")).ok()?),
        Sort::Word(width) => {
            Value::Word(Word(BitVec::from_big(*width, UBig::from_str(digits).ok()?)))
        }
        Sort::Bool | Sort::Named(_) | Sort::Map(_) => return None,
    })
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: the context is alive, and this is the only reference.
        unsafe { (self.context.0.api.Z3_model_dec_ref)(self.context.0.raw, self.raw) }
    }
}
