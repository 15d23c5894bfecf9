//! Incremental solvers.

use std::ffi::c_uint;
use std::fmt;
use std::time::Duration;

use elinvar_ir::program::{Term, Terms};
use rustc_hash::FxHashMap;

use crate::api::Raw;
use crate::context::{Context, Inner, text};
use crate::model::Model;

/// The answer to a query. Models and cores belong to the last query of the solver, so that
/// they are read from the answer, before the solver is used again.
pub enum SmtAnswer<'a> {
    /// There is a state.
    Sat(Satisfied<'a>),
    /// There is none.
    Unsat(Refuted<'a>),
    /// Z3 does not know.
    Unknown(Undecided<'a>),
}

impl SmtAnswer<'_> {
    /// Is it certain that there is a state?
    pub fn is_sat(&self) -> bool {
        matches!(self, SmtAnswer::Sat(_))
    }

    /// Is it certain that there is none?
    pub fn is_unsat(&self) -> bool {
        matches!(self, SmtAnswer::Unsat(_))
    }
}

/// There is a state in which everything holds.
pub struct Satisfied<'a>(&'a Solver);

impl Satisfied<'_> {
    /// Such a state. `None` if Z3 does not give one.
    pub fn model(&self) -> Option<Model> {
        self.0.model()
    }
}

/// There is no state in which everything holds.
pub struct Refuted<'a> {
    solver: &'a Solver,
    assumed: Vec<Raw>,
}

impl Refuted<'_> {
    /// Which assumptions were needed to exclude one, by position.
    pub fn core(&self) -> Vec<usize> {
        let core = self.solver.core();
        let positions = self.assumed.iter().enumerate();
        positions.filter(|(_, proxy)| core.contains(proxy)).map(|(at, _)| at).collect()
    }
}

/// Z3 does not know, or did not know in time.
pub struct Undecided<'a> {
    solver: &'a Solver,
    reason: UnknownReason,
}

impl Undecided<'_> {
    /// Why there is no answer.
    pub fn reason(self) -> UnknownReason {
        self.reason
    }

    /// A state that Z3 had in mind when it gave up. Nothing is certain about it.
    pub fn candidate(&self) -> Option<Model> {
        self.solver.model()
    }
}

/// Why a query has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownReason {
    /// Its time was over, or the run was stopped.
    Interrupted,
    /// Z3 gave up by itself; what it says about that.
    GaveUp(String),
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownReason::Interrupted => f.write_str("its time limit was reached"),
            UnknownReason::GaveUp(why) => f.write_str(why),
        }
    }
}

/// Interrupts belong to the program around Z3, which otherwise has a handler of its own for them
/// during each query: Python, for example, would not hear of them.
fn leave_interrupts_alone(context: &Context, solver: Raw) {
    let Inner { api, raw: c, .. } = &*context.0;
    // SAFETY: the solver and the parameters are of this context, and the name is a C string.
    unsafe {
        let parameters = (api.Z3_mk_params)(*c);
        (api.Z3_params_inc_ref)(*c, parameters);
        let name = (api.Z3_mk_string_symbol)(*c, c"ctrl_c".as_ptr());
        (api.Z3_params_set_bool)(*c, parameters, name, false);
        (api.Z3_solver_set_params)(*c, solver, parameters);
        (api.Z3_params_dec_ref)(*c, parameters);
    }
}

/// Formulas that are asserted, to be asked about together with assumptions.
pub struct Solver {
    context: Context,
    raw: Raw,
    /// A Boolean that implies the assumption; asserted once.
    proxies: FxHashMap<Term, Raw>,
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
        leave_interrupts_alone(context, raw);
        Solver { context: context.clone(), raw, proxies: FxHashMap::default() }
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
    pub fn check(&mut self, terms: &Terms, assumptions: &[Term], limit: Duration) -> SmtAnswer<'_> {
        let assumed: Vec<Raw> =
            assumptions.iter().map(|&assumption| self.proxy(terms, assumption)).collect();
        let Inner { api, raw: c, watchdog, .. } = &*self.context.0;
        watchdog.arm(limit);
        // SAFETY: the solver and the proxies are of this context and alive; the array has
        // the length that is given.
        let answer = unsafe {
            let count = assumed.len() as c_uint;
            (api.Z3_solver_check_assumptions)(*c, self.raw, count, assumed.as_ptr())
        };
        let interrupted = watchdog.disarm();
        match answer {
            1 => SmtAnswer::Sat(Satisfied(self)),
            -1 => SmtAnswer::Unsat(Refuted { solver: self, assumed }),
            _ if interrupted => {
                let reason = UnknownReason::Interrupted;
                SmtAnswer::Unknown(Undecided { solver: self, reason })
            }
            _ => {
                // SAFETY: the solver is alive. Z3 keeps the text until the next call, and
                // it is copied before.
                let why = unsafe { text((api.Z3_solver_get_reason_unknown)(*c, self.raw)) };
                let reason = UnknownReason::GaveUp(why);
                SmtAnswer::Unknown(Undecided { solver: self, reason })
            }
        }
    }

    /// The Boolean that stands for an assumption.
    fn proxy(&mut self, terms: &Terms, assumption: Term) -> Raw {
        if let Some(&proxy) = self.proxies.get(&assumption) {
            return proxy;
        }
        let proxy = self.context.proxy();
        let formula = self.context.term(terms, assumption);
        self.assert_raw(self.context.implies(proxy, formula));
        self.proxies.insert(assumption, proxy);
        proxy
    }

    /// The proxies in the core of the last query.
    fn core(&self) -> Vec<Raw> {
        let Inner { api, raw: c, .. } = &*self.context.0;
        // SAFETY: the solver is alive, and its last query was unsatisfiable. The vector is
        // held while it is read; its elements are proxies, which the context holds.
        unsafe {
            let vector = (api.Z3_solver_get_unsat_core)(*c, self.raw);
            (api.Z3_ast_vector_inc_ref)(*c, vector);
            let size = (api.Z3_ast_vector_size)(*c, vector);
            let core = (0..size).map(|at| (api.Z3_ast_vector_get)(*c, vector, at)).collect();
            (api.Z3_ast_vector_dec_ref)(*c, vector);
            core
        }
    }

    /// The model of the last query.
    fn model(&self) -> Option<Model> {
        let Inner { api, raw: c, .. } = &*self.context.0;
        // SAFETY: the solver is alive; the model takes a reference of its own.
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
