//! One state with its inputs, out of a model: the value of any term in it.

use elinvar_ir::program::{
    ByZero, FunctionId, FunctionValue, Term, Terms, Value, VariableId, evaluate_into,
};
use elinvar_smt::Model;
use rustc_hash::FxHashMap;

pub struct Valuation {
    variables: FxHashMap<VariableId, Value>,
    functions: Vec<FunctionValue>,
    by_zero: ByZero,
    known: FxHashMap<Term, Value>,
}

impl Valuation {
    pub fn new(variables: FxHashMap<VariableId, Value>, functions: Vec<FunctionValue>) -> Self {
        let by_zero = ByZero::default();
        Valuation { variables, functions, by_zero, known: FxHashMap::default() }
    }

    /// The values of these variables and of all functions; `None` if the model does not
    /// tell them.
    pub fn of_model(
        terms: &Terms,
        model: &Model,
        variables: impl IntoIterator<Item = VariableId>,
    ) -> Option<Self> {
        let variables: Option<FxHashMap<VariableId, Value>> = variables
            .into_iter()
            .map(|variable| Some((variable, model.variable(terms, variable)?)))
            .collect();
        let functions: Option<Vec<FunctionValue>> = (0..terms.functions().len() as u32)
            .map(|function| model.function(terms, FunctionId(function)))
            .collect();
        Some(Valuation { by_zero: model.by_zero(terms)?, ..Self::new(variables?, functions?) })
    }

    /// `None` where a number is too large.
    pub fn value(&mut self, terms: &Terms, term: Term) -> Option<Value> {
        if let Some(value) = self.known.get(&term) {
            return Some(value.clone());
        }
        let Valuation { variables, functions, by_zero, known } = self;
        let variable = |id: VariableId| {
            let other = || Value::zero(terms.variable_sort(id));
            variables.get(&id).cloned().unwrap_or_else(other)
        };
        let function =
            |id: FunctionId, arguments: &[Value]| functions[id.0 as usize].apply(arguments).clone();
        evaluate_into(terms, term, known, variable, function, by_zero).ok()?;
        known.get(&term).cloned()
    }

    pub fn holds(&mut self, terms: &Terms, term: Term) -> bool {
        self.value(terms, term) == Some(Value::Bool(true))
    }

    /// A variable that was not there, with its value.
    pub fn set(&mut self, variable: VariableId, value: Value) {
        self.variables.insert(variable, value);
    }

    pub fn variable(&self, terms: &Terms, variable: VariableId) -> Value {
        let other = || Value::zero(terms.variable_sort(variable));
        self.variables.get(&variable).cloned().unwrap_or_else(other)
    }

    /// The variables with their values.
    pub fn state(&self) -> FxHashMap<VariableId, Value> {
        self.variables.clone()
    }

    pub fn functions(&self) -> &[FunctionValue] {
        &self.functions
    }

    pub fn by_zero(&self) -> &ByZero {
        &self.by_zero
    }
}
