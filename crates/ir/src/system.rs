//! Transition systems: plain data, well-sorted, immutable after `finish`.
//!
//! A system has inputs and states over one [`Pool`]. A step from valuation
//! (s, x) is a step only if every constraint holds of (s, x); a bad state counts
//! only when some input satisfies the constraints together with it. A state
//! without `init` starts at any value; a state without `next` takes any value
//! in every cycle after the first. An `init` may be an expression over other
//! states' initial values and over the inputs of cycle zero.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::expr::{ExprId, Pool, Sort, SymbolId};
use crate::origin::{Goal, Origin, Place};
use crate::pdr_state::RegisterKey;

/// An input: free in every cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    /// The symbol of the input in the pool.
    pub symbol: ExprId,
}

/// A register or a memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// The symbol of the state in the pool.
    pub symbol: ExprId,
    /// The initial value; any value if there is none.
    pub init: Option<ExprId>,
    /// The value in the next cycle; any value if there is none.
    pub next: Option<ExprId>,
}

/// The number of a property in [`TransitionSystem::properties`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PropertyId(pub usize);

/// A property of a system that the user asks about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// The user's name, or one made from the kind and the number.
    pub name: String,
    /// What is asked.
    pub kind: PropertyKind,
    /// What the user hopes for.
    pub goal: Goal,
    /// Its place in the user's sources.
    pub place: Option<Place>,
}

impl Property {
    /// The property that `bad` is never true.
    pub fn bad(name: impl Into<String>, bad: ExprId) -> Self {
        Self::new(name, PropertyKind::Bad(bad))
    }

    /// An assertion of this kind, whose place is not known.
    pub fn new(name: impl Into<String>, kind: PropertyKind) -> Self {
        Property { name: name.into(), kind, goal: Goal::Assert, place: None }
    }

    /// The bits that the property is about: its bad bit, or its conditions.
    pub fn bits(&self) -> &[ExprId] {
        match &self.kind {
            PropertyKind::Bad(bad) => std::slice::from_ref(bad),
            PropertyKind::Justice(conditions) => conditions,
        }
    }
}

/// The kinds of properties.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// Safety: this bit is never true.
    Bad(ExprId),
    /// Liveness: there is no path on which all of these are true infinitely often.
    Justice(Vec<ExprId>),
}

/// What a symbol of the pool is in its system.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Number in [`TransitionSystem::inputs`].
    Input(usize),
    /// Number in [`TransitionSystem::states`].
    State(usize),
}

/// A name for any expression, from the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The expression.
    pub expr: ExprId,
}

/// A system under construction: fill the fields, then call [`SystemBuilder::finish`].
#[derive(Clone, Debug, Default)]
pub struct SystemBuilder {
    /// The pool of all expressions.
    pub pool: Pool,
    /// The inputs, in the order of the model.
    pub inputs: Vec<Input>,
    /// The states, in the order of the model.
    pub states: Vec<State>,
    /// Bits that are true in every cycle of an execution.
    pub constraints: Vec<ExprId>,
    /// The properties, in the order of the model.
    pub properties: Vec<Property>,
    /// Bits that are true infinitely often on paths that liveness properties consider.
    pub fairness: Vec<ExprId>,
    /// Named observations without a verdict of their own.
    pub outputs: Vec<Named>,
    /// Further names of inner signals.
    pub labels: Vec<Named>,
    /// By bad bit that a front end wrote as an implication which must not be violated: bits
    /// whose conjunction is the left side. The property is checked only where they hold.
    pub antecedents: FxHashMap<ExprId, Vec<ExprId>>,
    /// Where the constraints come from, by their position; may be shorter than the list of
    /// constraints.
    pub constraint_origins: Vec<Origin>,
    /// The positions of the inputs that are clocks: each cycle of the system is one period of
    /// them, and nothing else depends on them.
    pub clocks: Vec<usize>,
}

/// A well-formed transition system.
#[derive(Clone, Debug)]
pub struct TransitionSystem {
    parts: SystemBuilder,
    roles: Vec<Role>,
    init_order: Vec<usize>,
    free_states: Vec<usize>,
    /// What is computed when it is first asked for; copies share it.
    pub(crate) keys: Arc<OnceLock<Vec<RegisterKey>>>,
    /// By property: has no other one its name?
    unique: Arc<OnceLock<Vec<bool>>>,
}

/// Why a system is not well-formed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SystemError {
    /// An expression mentions a symbol that is neither an input nor a state.
    #[error("symbol {0} is neither an input nor a state")]
    StraySymbol(String),
    /// A symbol is used for two inputs or states.
    #[error("symbol {0} is declared twice")]
    DuplicateSymbol(String),
    /// An expression has the wrong sort.
    #[error("the {what} of {name} is {found}, expected {expected}")]
    Sort {
        /// What the expression is.
        what: &'static str,
        /// The name of what it belongs to.
        name: String,
        /// The sort of the expression.
        found: Sort,
        /// The sort that it must have.
        expected: Sort,
    },
    /// The initial value of a state depends on itself.
    #[error("the initial value of {0} depends on itself")]
    CyclicInit(String),
}

impl SystemBuilder {
    /// An empty system, whose pool rewrites expressions.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty system whose expressions are kept as they are built.
    pub fn verbatim() -> Self {
        SystemBuilder { pool: Pool::verbatim(), ..Self::default() }
    }

    /// Declares an input.
    pub fn input(&mut self, sort: Sort, name: Option<&str>) -> Result<ExprId, crate::SortError> {
        let symbol = self.pool.symbol(sort, name)?;
        self.inputs.push(Input { symbol });
        Ok(symbol)
    }

    /// Declares a state without initial value and without next function;
    /// set them in `states` afterwards.
    pub fn state(&mut self, sort: Sort, name: Option<&str>) -> Result<ExprId, crate::SortError> {
        let symbol = self.pool.symbol(sort, name)?;
        self.states.push(State { symbol, init: None, next: None });
        Ok(symbol)
    }

    /// Adds the property that `bad` is never true.
    pub fn bad(&mut self, name: impl Into<String>, bad: ExprId) -> PropertyId {
        self.properties.push(Property::bad(name, bad));
        PropertyId(self.properties.len() - 1)
    }

    /// Adds a constraint with what is known about where it comes from.
    pub fn constrain(&mut self, constraint: ExprId, origin: Origin) {
        self.constraint_origins.resize(self.constraints.len(), Origin::UNKNOWN);
        self.constraints.push(constraint);
        self.constraint_origins.push(origin);
    }

    /// Checks the whole and freezes it.
    pub fn finish(self) -> Result<TransitionSystem, SystemError> {
        let roles = self.roles()?;
        self.check_sorts()?;
        let init_order = self.init_order().map_err(|state| {
            SystemError::CyclicInit(display_name(&self.pool, self.states[state].symbol))
        })?;
        let free_states =
            (0..self.states.len()).filter(|&i| self.states[i].next.is_none()).collect();
        let (keys, unique) = Default::default();
        Ok(TransitionSystem { parts: self, roles, init_order, free_states, keys, unique })
    }

    fn roles(&self) -> Result<Vec<Role>, SystemError> {
        let mut roles = vec![None; self.pool.symbol_count()];
        let declared = (self.inputs.iter().enumerate().map(|(i, x)| (x.symbol, Role::Input(i))))
            .chain(self.states.iter().enumerate().map(|(i, s)| (s.symbol, Role::State(i))));
        for (expr, role) in declared {
            let stray = || SystemError::StraySymbol(format!("{expr:?}"));
            let symbol = self.pool.as_symbol(expr).ok_or_else(stray)?;
            if roles[symbol.index()].replace(role).is_some() {
                return Err(SystemError::DuplicateSymbol(display_name(&self.pool, expr)));
            }
        }
        let stray = |symbol: usize| {
            let mut symbols = self.pool.ids().filter_map(|id| self.pool.as_symbol(id));
            let expr = symbols.nth(symbol).map(|symbol| self.pool.symbol_expr(symbol));
            let name = expr.map_or_else(String::new, |expr| display_name(&self.pool, expr));
            SystemError::StraySymbol(name)
        };
        let complete = |(symbol, role): (usize, Option<Role>)| role.ok_or_else(|| stray(symbol));
        roles.into_iter().enumerate().map(complete).collect()
    }

    fn check_sorts(&self) -> Result<(), SystemError> {
        // Names are made only when there is something to complain about.
        let check = |what, name: &dyn Fn() -> String, expr: ExprId, expected: Sort| {
            let found = self.pool.sort(expr);
            if found == expected {
                Ok(())
            } else {
                Err(SystemError::Sort { what, name: name(), found, expected })
            }
        };
        for state in &self.states {
            let sort = self.pool.sort(state.symbol);
            let name = || display_name(&self.pool, state.symbol);
            if let Some(init) = state.init {
                check("initial value", &name, init, sort)?;
            }
            if let Some(next) = state.next {
                check("next value", &name, next, sort)?;
            }
        }
        for (i, &constraint) in self.constraints.iter().enumerate() {
            check("condition", &|| format!("constraint {i}"), constraint, Sort::BOOL)?;
        }
        for (i, &fair) in self.fairness.iter().enumerate() {
            check("condition", &|| format!("fairness {i}"), fair, Sort::BOOL)?;
        }
        for property in &self.properties {
            let name = || property.name.clone();
            match &property.kind {
                PropertyKind::Bad(bad) => check("condition", &name, *bad, Sort::BOOL)?,
                PropertyKind::Justice(conditions) => {
                    for &condition in conditions {
                        check("condition", &name, condition, Sort::BOOL)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// An order of the states in which every initial value comes after those it
    /// depends on, or a state whose initial value depends on itself.
    ///
    /// One depth-first search over expressions and, through the states' symbols,
    /// their initial values: linear in the pool. The states must be symbols, each
    /// declared once.
    pub fn init_order(&self) -> Result<Vec<usize>, usize> {
        let mut state_of = FxHashMap::default();
        for (index, state) in self.states.iter().enumerate() {
            if state.init.is_some_and(|init| !self.pool.is_const(init)) {
                state_of.insert(state.symbol, index);
            }
        }
        let simple = |&index: &usize| !state_of.contains_key(&self.states[index].symbol);
        let mut order: Vec<usize> = (0..self.states.len()).filter(simple).collect();
        let mut seen = FxHashMap::default();
        for state in &self.states {
            if state_of.contains_key(&state.symbol) {
                self.visit_init(state.symbol, &state_of, &mut seen, &mut order)?;
            }
        }
        Ok(order)
    }

    fn visit_init(
        &self,
        root: ExprId,
        state_of: &FxHashMap<ExprId, usize>,
        seen: &mut FxHashMap<ExprId, Visit>,
        order: &mut Vec<usize>,
    ) -> Result<(), usize> {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            let state = state_of.get(&id).copied();
            match seen.get(&id) {
                Some(Visit::Done) => {
                    stack.pop();
                }
                Some(Visit::Open) => {
                    seen.insert(id, Visit::Done);
                    order.extend(state);
                    stack.pop();
                }
                None => {
                    seen.insert(id, Visit::Open);
                    let mut cycle = None;
                    let mut push = |operand: ExprId| {
                        let operand = operand.regular();
                        if seen.get(&operand) == Some(&Visit::Open) {
                            cycle = Some(operand);
                        }
                        stack.push(operand);
                    };
                    match state.and_then(|index| self.states[index].init) {
                        Some(init) => push(init),
                        None => self.pool.for_each_operand(id, push),
                    }
                    if let Some(start) = cycle {
                        let open = |id: &&ExprId| seen.get(id) == Some(&Visit::Open);
                        let mut path = stack.iter().filter(open).skip_while(|&&id| id != start);
                        let state = path.find_map(|id| state_of.get(id));
                        return Err(*state.expect("expressions alone have no cycle"));
                    }
                }
            }
        }
        Ok(())
    }
}

/// How far the search of [`SystemBuilder::init_order`] has come with a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    /// On the path from the root to the node in hand.
    Open,
    Done,
}

impl TransitionSystem {
    /// The pool of all expressions.
    pub fn pool(&self) -> &Pool {
        &self.parts.pool
    }

    /// The inputs, in the order of the model.
    pub fn inputs(&self) -> &[Input] {
        &self.parts.inputs
    }

    /// The states, in the order of the model.
    pub fn states(&self) -> &[State] {
        &self.parts.states
    }

    /// The constraints: bits that are true in every cycle of an execution.
    pub fn constraints(&self) -> &[ExprId] {
        &self.parts.constraints
    }

    /// Where a constraint comes from.
    pub fn constraint_origin(&self, index: usize) -> &Origin {
        self.parts.constraint_origins.get(index).unwrap_or(&Origin::UNKNOWN)
    }

    /// The inputs that are clocks, by their positions.
    pub fn clocks(&self) -> &[usize] {
        &self.parts.clocks
    }

    /// The properties, in the order of the model.
    pub fn properties(&self) -> &[Property] {
        &self.parts.properties
    }

    /// The property with this number.
    pub fn property(&self, id: PropertyId) -> &Property {
        &self.parts.properties[id.0]
    }

    /// Has no other property the name of this one?
    pub fn has_unique_name(&self, id: PropertyId) -> bool {
        let properties = &self.parts.properties;
        let unique = self.unique.get_or_init(|| {
            let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
            for property in properties {
                *counts.entry(&property.name).or_default() += 1;
            }
            properties.iter().map(|property| counts[&property.name[..]] == 1).collect()
        });
        unique[id.0]
    }

    /// The bad bit of a safety property.
    pub fn bad(&self, id: PropertyId) -> Option<ExprId> {
        match self.property(id).kind {
            PropertyKind::Bad(bad) => Some(bad),
            PropertyKind::Justice(_) => None,
        }
    }

    /// All safety properties with their bad bits.
    pub fn bads(&self) -> impl Iterator<Item = (PropertyId, ExprId)> + '_ {
        (0..self.properties().len()).map(PropertyId).filter_map(|id| Some((id, self.bad(id)?)))
    }

    /// Bits that are all true wherever the property with this bad bit is checked, as far as
    /// that is known: the left side of the implication that the property states.
    pub fn antecedent(&self, bad: ExprId) -> &[ExprId] {
        self.parts.antecedents.get(&bad).map_or(&[], Vec::as_slice)
    }

    /// The fairness constraints.
    pub fn fairness(&self) -> &[ExprId] {
        &self.parts.fairness
    }

    /// The outputs, which have names but no verdict.
    pub fn outputs(&self) -> &[Named] {
        &self.parts.outputs
    }

    /// Further names of inner signals.
    pub fn labels(&self) -> &[Named] {
        &self.parts.labels
    }

    /// What the symbol is.
    pub fn role(&self, symbol: SymbolId) -> Role {
        self.roles[symbol.index()]
    }

    /// What the expression is, if it is just a symbol.
    pub fn role_of(&self, expr: ExprId) -> Option<Role> {
        self.pool().as_symbol(expr).map(|symbol| self.role(symbol))
    }

    /// The states in an order in which initial values can be computed.
    pub fn init_order(&self) -> &[usize] {
        &self.init_order
    }

    /// The states without a next function, ascending.
    pub fn free_states(&self) -> &[usize] {
        &self.free_states
    }

    /// The numbers of the states on which the roots depend, now or in any cycle
    /// after: closed under initial values and next functions.
    ///
    /// Nothing asked of the roots changes when the other states are left out:
    /// they have some value whatever the rest does.
    pub fn cone_of_influence(&self, roots: impl IntoIterator<Item = ExprId>) -> BTreeSet<usize> {
        let states = self.states_behind(roots);
        let is_in = |state: &usize| states[state / 64] >> (state % 64) & 1 == 1;
        (0..self.states().len()).filter(is_in).collect()
    }

    /// The same as a set of bits: state `n` is bit `n % 64` of word `n / 64`.
    pub fn states_behind(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<u64> {
        let mut states = vec![0_u64; self.states().len().div_ceil(64)];
        let mut seen = vec![0_u64; self.pool().len().div_ceil(64)];
        let mut stack: Vec<ExprId> = roots.into_iter().collect();
        while let Some(node) = stack.pop() {
            let (word, bit) = (&mut seen[node.node() / 64], 1 << (node.node() % 64));
            if *word & bit != 0 {
                continue;
            }
            *word |= bit;
            let node = node.regular();
            if let Some(Role::State(index)) = self.role_of(node) {
                states[index / 64] |= 1 << (index % 64);
                let State { init, next, .. } = self.states()[index];
                stack.extend(init.into_iter().chain(next));
            }
            self.pool().for_each_operand(node, |operand| stack.push(operand));
        }
        states
    }

    /// The states on which the constraints, the fairness constraints and a liveness property
    /// depend: those that return in a loop.
    pub fn cone_of_liveness(&self, property: PropertyId) -> BTreeSet<usize> {
        let bits = self.property(property).bits().iter();
        let roots = self.constraints().iter().chain(self.fairness()).chain(bits);
        self.cone_of_influence(roots.copied())
    }

    /// Whether the system has any array.
    pub fn has_arrays(&self) -> bool {
        self.pool().ids().any(|id| self.pool().sort(id).is_array())
    }

    /// The user's name of an input or state, or one made from its number.
    pub fn input_name(&self, index: usize) -> String {
        named_or(self.pool(), self.inputs()[index].symbol, || format!("input{index}"))
    }

    /// The user's name of a state, or one made from its number.
    pub fn state_name(&self, index: usize) -> String {
        named_or(self.pool(), self.states()[index].symbol, || format!("state{index}"))
    }

    /// Back to the parts, to change them.
    pub fn into_builder(self) -> SystemBuilder {
        self.parts
    }
}

fn named_or(pool: &Pool, symbol: ExprId, otherwise: impl Fn() -> String) -> String {
    let named = pool.as_symbol(symbol).and_then(|s| pool.symbol_name(s));
    named.map_or_else(otherwise, str::to_owned)
}

fn display_name(pool: &Pool, symbol: ExprId) -> String {
    named_or(pool, symbol, || format!("{symbol:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::BitVec;

    #[test]
    fn initial_values_are_ordered_and_cycles_refused() {
        let mut b = SystemBuilder::new();
        let x = b.state(Sort::Bv(4), Some("x")).unwrap();
        let y = b.state(Sort::Bv(4), Some("y")).unwrap();
        let three = b.pool.constant(BitVec::new(4, 3));
        b.states[0].init = Some(y);
        b.states[1].init = Some(three);
        let system = b.clone().finish().unwrap();
        assert_eq!(system.init_order(), [1, 0]);
        b.states[1].init = Some(b.pool.not(x).unwrap());
        assert_eq!(b.finish().unwrap_err(), SystemError::CyclicInit("x".into()));
    }

    #[test]
    fn influence_passes_through_initial_values_and_next_functions() {
        let mut b = SystemBuilder::new();
        let bits: Vec<ExprId> = (0..5).map(|_| b.state(Sort::BOOL, None).unwrap()).collect();
        b.states[0].next = Some(bits[1]);
        b.states[1].init = Some(b.pool.not(bits[3]).unwrap());
        b.states[4].next = Some(bits[0]);
        let system = b.finish().unwrap();
        let behind = |state| Vec::from_iter(system.cone_of_influence([state]));
        assert_eq!(behind(bits[0]), [0, 1, 3]);
        assert_eq!(behind(bits[2]), [2]);
        assert_eq!(behind(bits[4]), [0, 1, 3, 4]);
        assert_eq!(system.states_behind([bits[4]]), [0b11011]);
    }

    #[test]
    fn ill_formed_systems_are_refused() {
        let mut b = SystemBuilder::new();
        let x = b.state(Sort::Bv(4), Some("x")).unwrap();
        b.constraints.push(x);
        assert!(matches!(b.clone().finish(), Err(SystemError::Sort { .. })));
        b.constraints.clear();
        b.states[0].next = Some(b.pool.bool(true));
        assert!(matches!(b.clone().finish(), Err(SystemError::Sort { what: "next value", .. })));
        b.states[0].next = None;
        b.pool.symbol(Sort::BOOL, Some("stray")).unwrap();
        assert_eq!(b.clone().finish().unwrap_err(), SystemError::StraySymbol("stray".into()));
        b.states.clear();
        b.inputs.push(Input { symbol: x });
        b.inputs.push(Input { symbol: x });
        assert_eq!(b.finish().unwrap_err(), SystemError::DuplicateSymbol("x".into()));
    }
}
