//! Linear temporal logic: a monitor that turns a formula into a property of a larger system.
//!
//! The formula holds if no execution satisfies its negation ψ. The monitor follows an execution
//! and guesses why ψ holds, as in the symbolic tableau of [Clarke, Grumberg, Hamaguchi, CAV 1994],
//! in one direction only: ψ is in negation normal form, so that it suffices that promises are kept.
//! In each cycle there is an obligation for each subformula φ that was promised in the cycle before,
//! and an input guesses which subformulas are promised for the next cycle:
//!
//! ```text
//! [X φ]   = promised(φ)
//! [φ U χ] = [χ] ∨ ([φ] ∧ promised(φ U χ))
//! [φ R χ] = [χ] ∧ ([φ] ∨ promised(φ R χ))
//! kept    = ⋀ owed(φ) → [φ]        owed'(φ) = promised(φ)
//! ```
//!
//! In the first cycle ψ is owed. ψ holds if all promises can be kept forever and each `φ U χ`
//! infinitely often is not owed or fulfilled by [χ]: a justice property. If ψ contains no `R`, a
//! finite execution shows it: a bad state is one in which all promises were kept and nothing is
//! promised. A guess that cannot be kept sets a register that says so. There are no constraints,
//! so the system itself behaves as before.
//!
//! Common shapes have smaller monitors: `G p` needs no register, `F G p` none, `F p` one, and
//! `G (a -> F b)` and `G F b` guess the cycle after which `b` is missing.
//!
//! Formulas that become bad states are about all executions, like other safety properties: also
//! about those that end because of constraints or are not fair.

use elinvar_ir::{
    ExprId, FormulaId, Formulas, Ltl, Property, PropertyId, PropertyKind, Sort, SortError,
    SystemBuilder,
};
use rustc_hash::FxHashMap;

/// Adds a monitor for a formula, whose atoms are these bits, and the property that the formula
/// holds. The inputs and states of the monitor come after all others.
///
/// # Errors
/// If an atom is not a bit.
pub fn add_formula(
    builder: &mut SystemBuilder,
    name: &str,
    formulas: &mut Formulas,
    formula: FormulaId,
    atoms: &[ExprId],
) -> Result<PropertyId, SortError> {
    let negation = formulas.not(formula);
    let mut monitor =
        Monitor { builder, formulas, name, atoms, holds: FxHashMap::default(), count: 0 };
    let kind = monitor.property(negation)?;
    builder.properties.push(Property::new(name, kind));
    Ok(PropertyId(builder.properties.len() - 1))
}

struct Monitor<'a> {
    builder: &'a mut SystemBuilder,
    formulas: &'a Formulas,
    name: &'a str,
    atoms: &'a [ExprId],
    /// Bits for formulas, as far as they are made.
    holds: FxHashMap<FormulaId, ExprId>,
    /// Of signals, to number them.
    count: usize,
}

/// A formula that may be owed.
struct Promise {
    formula: FormulaId,
    /// Guesses that it holds in the next cycle.
    promised: Option<ExprId>,
    owed: ExprId,
}

impl Monitor<'_> {
    /// The property that fails if an execution satisfies this formula.
    fn property(&mut self, negation: FormulaId) -> Result<PropertyKind, SortError> {
        match self.formulas.node(negation) {
            // F p
            Ltl::Until(always, p) if self.is_true(always) && self.is_now(p) => {
                Ok(PropertyKind::Bad(self.now(p)?))
            }
            // G p
            Ltl::Release(never, p) if self.is_false(never) && self.is_now(p) => self.forever(p),
            // G F p
            Ltl::Release(never, repeated) if self.is_false(never) => {
                match self.formulas.node(repeated) {
                    Ltl::Until(always, p) if self.is_true(always) && self.is_now(p) => {
                        Ok(PropertyKind::Justice(vec![self.now(p)?]))
                    }
                    _ => self.tableau(negation),
                }
            }
            // F (a & G c)
            Ltl::Until(always, rest) if self.is_true(always) => match self.persistent(rest) {
                Some((a, c)) => self.forever_from_some_cycle(a, c),
                None => self.tableau(negation),
            },
            _ => self.tableau(negation),
        }
    }

    fn is_true(&self, formula: FormulaId) -> bool {
        self.formulas.node(formula) == Ltl::True
    }

    fn is_false(&self, formula: FormulaId) -> bool {
        self.formulas.node(formula) == Ltl::False
    }

    fn is_now(&self, formula: FormulaId) -> bool {
        self.formulas.is_propositional(formula)
    }

    /// The parts of `a & G c` or `G c`, if they are about single cycles.
    fn persistent(&self, formula: FormulaId) -> Option<(Option<FormulaId>, FormulaId)> {
        let globally = |formula| match self.formulas.node(formula) {
            Ltl::Release(never, c) if self.is_false(never) && self.is_now(c) => Some(c),
            _ => None,
        };
        if let Some(c) = globally(formula) {
            return Some((None, c));
        }
        let Ltl::And(a, b) = self.formulas.node(formula) else { return None };
        match (globally(a), globally(b)) {
            (None, Some(c)) if self.is_now(a) => Some((Some(a), c)),
            (Some(c), None) if self.is_now(b) => Some((Some(b), c)),
            _ => None,
        }
    }

    /// `G p`: a register remembers that `p` was missing.
    fn forever(&mut self, p: FormulaId) -> Result<PropertyKind, SortError> {
        let p = self.now(p)?;
        let failed = self.register("failed", false)?;
        let held = self.builder.pool.not(failed)?;
        let holds = self.builder.pool.and(held, p)?;
        let fails = self.builder.pool.not(holds)?;
        self.connect(failed, fails);
        Ok(PropertyKind::Justice(vec![holds]))
    }

    /// `F (a & G c)`: an input guesses the cycle from which `c` holds.
    fn forever_from_some_cycle(
        &mut self,
        a: Option<FormulaId>,
        c: FormulaId,
    ) -> Result<PropertyKind, SortError> {
        let c = self.now(c)?;
        let mut begins = self.input("begins")?;
        if let Some(a) = a {
            let a = self.now(a)?;
            begins = self.builder.pool.and(begins, a)?;
        }
        let (begun, failed) = (self.register("begun", false)?, self.register("failed", false)?);
        let pool = &mut self.builder.pool;
        let inside = pool.or(begun, begins)?;
        let (held, missing) = (pool.not(failed)?, pool.not(c)?);
        let breaks = pool.and(inside, missing)?;
        let broken = pool.or(failed, breaks)?;
        let inside_and_held = pool.and(inside, held)?;
        let holds = pool.and(inside_and_held, c)?;
        self.connect(begun, inside);
        self.connect(failed, broken);
        Ok(PropertyKind::Justice(vec![holds]))
    }

    /// Any formula.
    fn tableau(&mut self, root: FormulaId) -> Result<PropertyKind, SortError> {
        let cone = self.formulas.cone(root);
        let promises = self.promises(root, &cone)?;
        let fulfilled = self.expand(&cone, &promises)?;
        let mut kept = self.builder.pool.bool(true);
        for promise in &promises {
            let holds = self.holds[&promise.formula];
            let pool = &mut self.builder.pool;
            let free = pool.not(promise.owed)?;
            let good = pool.or(free, holds)?;
            kept = pool.and(kept, good)?;
            let next = promise.promised.unwrap_or_else(|| pool.bool(false));
            self.connect(promise.owed, next);
        }
        let failed = self.register("failed", false)?;
        let held = self.builder.pool.not(failed)?;
        let holds = self.builder.pool.and(held, kept)?;
        let fails = self.builder.pool.not(holds)?;
        self.connect(failed, fails);
        let is_release = |&id: &FormulaId| matches!(self.formulas.node(id), Ltl::Release(..));
        if !cone.iter().any(is_release) {
            let mut bad = holds;
            for promised in promises.iter().filter_map(|promise| promise.promised) {
                let none = self.builder.pool.not(promised)?;
                bad = self.builder.pool.and(bad, none)?;
            }
            return Ok(PropertyKind::Bad(bad));
        }
        let mut conditions = vec![holds];
        for (until, fulfilled) in fulfilled {
            let owed = promises.iter().find(|promise| promise.formula == until);
            let owed = owed.expect("a promise for each until").owed;
            let free = self.builder.pool.not(owed)?;
            conditions.push(self.builder.pool.or(free, fulfilled)?);
        }
        Ok(PropertyKind::Justice(conditions))
    }

    /// The formula itself is owed in the first cycle; the others may be promised.
    fn promises(&mut self, root: FormulaId, cone: &[FormulaId]) -> Result<Vec<Promise>, SortError> {
        let mut wanted: Vec<FormulaId> = Vec::new();
        for &id in cone {
            match self.formulas.node(id) {
                Ltl::Next(a) => wanted.push(a),
                Ltl::Until(..) | Ltl::Release(..) => wanted.push(id),
                Ltl::True | Ltl::False | Ltl::Atom(..) | Ltl::And(..) | Ltl::Or(..) => {}
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        let mut promises = Vec::new();
        for &formula in &wanted {
            let promised = Some(self.input("promised")?);
            let owed = self.register("owed", formula == root)?;
            promises.push(Promise { formula, promised, owed });
        }
        if !wanted.contains(&root) {
            let owed = self.register("owed", true)?;
            promises.push(Promise { formula: root, promised: None, owed });
        }
        Ok(promises)
    }

    /// Makes the bits of all formulas; returns what fulfils each `U`.
    fn expand(
        &mut self,
        cone: &[FormulaId],
        promises: &[Promise],
    ) -> Result<Vec<(FormulaId, ExprId)>, SortError> {
        let promised: FxHashMap<FormulaId, ExprId> =
            promises.iter().filter_map(|p| Some((p.formula, p.promised?))).collect();
        let mut fulfilled = Vec::new();
        for &id in cone {
            let node = self.formulas.node(id);
            let holds = match node {
                Ltl::Next(a) => promised[&a],
                Ltl::Until(a, b) => {
                    let (a, b) = (self.holds[&a], self.holds[&b]);
                    fulfilled.push((id, b));
                    let later = self.builder.pool.and(a, promised[&id])?;
                    self.builder.pool.or(b, later)?
                }
                Ltl::Release(a, b) => {
                    let (a, b) = (self.holds[&a], self.holds[&b]);
                    let later = self.builder.pool.or(a, promised[&id])?;
                    self.builder.pool.and(b, later)?
                }
                Ltl::True | Ltl::False | Ltl::Atom(..) | Ltl::And(..) | Ltl::Or(..) => {
                    self.boolean(node)?
                }
            };
            self.holds.insert(id, holds);
        }
        Ok(fulfilled)
    }

    /// The bit of a formula about single cycles.
    fn now(&mut self, formula: FormulaId) -> Result<ExprId, SortError> {
        for id in self.formulas.cone(formula) {
            let holds = self.boolean(self.formulas.node(id))?;
            self.holds.insert(id, holds);
        }
        Ok(self.holds[&formula])
    }

    /// The bit of a formula whose operands have theirs.
    fn boolean(&mut self, node: Ltl) -> Result<ExprId, SortError> {
        let pool = &mut self.builder.pool;
        match node {
            Ltl::True => Ok(pool.bool(true)),
            Ltl::False => Ok(pool.bool(false)),
            Ltl::Atom(atom, true) => Ok(self.atoms[atom.0]),
            Ltl::Atom(atom, false) => pool.not(self.atoms[atom.0]),
            Ltl::And(a, b) => pool.and(self.holds[&a], self.holds[&b]),
            Ltl::Or(a, b) => pool.or(self.holds[&a], self.holds[&b]),
            Ltl::Next(_) | Ltl::Until(..) | Ltl::Release(..) => {
                unreachable!("temporal formulas are expanded")
            }
        }
    }

    fn signal_name(&mut self, what: &str) -> String {
        self.count += 1;
        format!("{}.{what}{}", self.name, self.count)
    }

    fn input(&mut self, what: &str) -> Result<ExprId, SortError> {
        let name = self.signal_name(what);
        self.builder.input(Sort::BOOL, Some(&name))
    }

    fn register(&mut self, what: &str, initial: bool) -> Result<ExprId, SortError> {
        let name = self.signal_name(what);
        let register = self.builder.state(Sort::BOOL, Some(&name))?;
        let initial = self.builder.pool.bool(initial);
        self.builder.states.last_mut().expect("just declared").init = Some(initial);
        Ok(register)
    }

    /// Sets the next function of a register of the monitor.
    fn connect(&mut self, register: ExprId, next: ExprId) {
        let mut states = self.builder.states.iter_mut().rev();
        let state = states.find(|state| state.symbol == register);
        state.expect("a register of the monitor").next = Some(next);
    }
}

#[cfg(test)]
mod tests;
