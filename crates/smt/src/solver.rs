//! Incremental solvers.

use std::ffi::c_uint;
use std::time::Duration;

use elinvar_ir::program::{Term, Terms};
use rustc_hash::FxHashMap;

use crate::api::Raw;
use crate::context::{Context, Inner, text};
use crate::model::Model;

/// How a query ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The assertions are satisfiable.
    Sat,
    /// They are not.
    Unsat,
    /// The deadline came, or Z3 does not know; what it says.
    Unknown(String),
}

/// Formulas that are asserted, to be asked about together with assumptions.
pub struct Solver {
    context: Context,
    raw: Raw,
    /// A Boolean that implies the assumption; asserted once.
    proxies: FxHashMap<Term, Raw>,
    /// Those of the last query.
    assumed: Vec<Raw>,
}

impl Solver {
    /// For many queries that are alike.
    pub fn new(context: &Context) -> Self {
        let Inner { api, raw: c, .. } = &*context.0;
        // SAFETY: the context is alive.
        Self::from(context, unsafe { (api.Z3_mk_simple_solver)(*c) })
    }

    /// For one hard query without assumptions: Z3 chooses how to go about it.
    pub fn with_tactics(context: &Context) -> Self {
        let Inner { api, raw: c, .. } = &*context.0;
        // SAFETY: the context is alive.
        Self::from(context, unsafe { (api.Z3_mk_solver)(*c) })
    }

    fn from(context: &Context, raw: Raw) -> Self {
        let Inner { api, raw: c, .. } = &*context.0;
        // SAFETY: the solver was just made in this context.
        unsafe { (api.Z3_solver_inc_ref)(*c, raw) };
        Solver { context: context.clone(), raw, proxies: FxHashMap::default(), assumed: Vec::new() }
    }

    /// Adds an assertion, which holds in all later queries.
    pub fn assert(&mut self, terms: &Terms, term: Term) {
        let formula = self.context.term(terms, term);
        self.assert_raw(formula);
    }

    fn assert_raw(&self, formula: Raw) {
        let Inner { api, raw: c, .. } = &*self.context.0;
        // SAFETY: both are of this context.
        unsafe { (api.Z3_solver_assert)(*c, self.raw, formula) }
    }

    /// How many assumptions it knows: each makes queries a little slower.
    pub fn assumptions(&self) -> usize {
        self.proxies.len()
    }

    /// Is there a state in which all that was asserted, and all that is assumed, holds?
    pub fn check(&mut self, terms: &Terms, assumptions: &[Term], limit: Duration) -> Answer {
        self.assumed.clear();
        for &assumption in assumptions {
            let proxy = match self.proxies.get(&assumption) {
                Some(&proxy) => proxy,
                None => {
                    let proxy = self.context.proxy();
                    let formula = self.context.term(terms, assumption);
                    self.assert_raw(self.context.implies(proxy, formula));
                    self.proxies.insert(assumption, proxy);
                    proxy
                }
            };
            self.assumed.push(proxy);
        }
        let Inner { api, raw: c, watchdog, .. } = &*self.context.0;
        watchdog.arm(limit);
        // SAFETY: the array has the length that is told.
        let answer = unsafe {
            let count = self.assumed.len() as c_uint;
            (api.Z3_solver_check_assumptions)(*c, self.raw, count, self.assumed.as_ptr())
        };
        watchdog.disarm();
        match answer {
            1 => Answer::Sat,
            -1 => Answer::Unsat,
            // SAFETY: Z3 keeps the text until the next call.
            _ => Answer::Unknown(unsafe { text((api.Z3_solver_get_reason_unknown)(*c, self.raw)) }),
        }
    }

    /// After `Unsat`: which assumptions were needed, by position.
    pub fn core(&self) -> Vec<usize> {
        let Inner { api, raw: c, .. } = &*self.context.0;
        // SAFETY: the vector is alive while it is read.
        unsafe {
            let vector = (api.Z3_solver_get_unsat_core)(*c, self.raw);
            (api.Z3_ast_vector_inc_ref)(*c, vector);
            let size = (api.Z3_ast_vector_size)(*c, vector);
            let core: Vec<Raw> =
                (0..size).map(|at| (api.Z3_ast_vector_get)(*c, vector, at)).collect();
            (api.Z3_ast_vector_dec_ref)(*c, vector);
            let positions = self.assumed.iter().enumerate();
            positions.filter(|(_, proxy)| core.contains(proxy)).map(|(at, _)| at).collect()
        }
    }

    /// After `Sat`.
    pub fn model(&self) -> Option<Model> {
        let Inner { api, raw: c, .. } = &*self.context.0;
        // SAFETY: the solver is alive; the model takes its reference.
        let raw = unsafe { (api.Z3_solver_get_model)(*c, self.raw) };
        (!raw.is_null()).then(|| Model::new(self.context.clone(), raw))
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        let Inner { api, raw: c, .. } = &*self.context.0;
        // SAFETY: the context is alive, and this is the only reference.
        unsafe { (api.Z3_solver_dec_ref)(*c, self.raw) }
    }
}
