//! The writer.
//!
//! Inputs first, then each state after its initial value, then everything
//! else: a file that was read from BTOR2 keeps the numbers of its inputs and
//! states, which witnesses refer to. Complemented edges become negated
//! references, but for properties, constraints and initial values, where some
//! tools cannot take them.
//!
//! BTOR2 has no constant arrays outside of initial values. One of a constant
//! element becomes a further state that never changes; one of a varying element
//! is written element by element, if it has few enough. An initial value that
//! depends on inputs becomes a constraint on the first cycle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use elinvar_ir::{
    BitVec, Expr, ExprId, Goal, Origin, Place, Pool, PropertyKind, Role, Sort, TransitionSystem,
    cone, zero_of,
};
use rustc_hash::FxHashMap;

use super::initial::without_input_dependence;
use super::{CLOCK, COVER, default_bad_name, default_justice_name, default_output_name};
use crate::WriteError;
use crate::numbered::{ELEMENTWISE_ADDRESS, Printer, Ref, Syntax, fresh_cone};
use crate::same::roots;

/// Writes a system as BTOR2.
///
/// # Errors
/// If a constant array of a varying element has addresses of more than ten bits.
pub fn write(system: &TransitionSystem) -> Result<Vec<u8>, WriteError> {
    let replaced = without_input_dependence(system);
    let system = replaced.as_ref().unwrap_or(system);
    let mut writer = Writer::new(system);
    writer.inputs();
    for state in declaration_order(system) {
        writer.state(state)?;
    }
    writer.cone(&roots(system))?;
    writer.next_values();
    writer.properties();
    writer.observations();
    Ok(writer.printer.finish())
}

struct Writer<'a> {
    system: &'a TransitionSystem,
    pool: &'a Pool,
    printer: Printer<'a>,
    /// By node: has it got a line?
    printed: Vec<bool>,
    /// The label that stands on the line of a node, by node and number.
    labels: FxHashMap<usize, usize>,
}

impl<'a> Writer<'a> {
    fn new(system: &'a TransitionSystem) -> Self {
        let pool = system.pool();
        let mut labels = FxHashMap::default();
        for (number, label) in system.labels().iter().enumerate() {
            let inner = !matches!(
                pool.get(label.expr),
                Expr::Symbol(_) | Expr::ConstArray(_) | Expr::Unary(elinvar_ir::UnaryOp::Not, _)
            );
            if inner {
                labels.entry(label.expr.node()).or_insert(number);
            }
        }
        let printer = Printer::new(pool, Syntax::Btor2);
        Writer { system, pool, printer, printed: vec![false; pool.len()], labels }
    }

    fn inputs(&mut self) {
        for (index, input) in self.system.inputs().iter().enumerate() {
            let is_clock = self.system.clocks().contains(&index);
            self.symbol("input", input.symbol, if is_clock { CLOCK } else { "" });
        }
    }

    fn symbol(&mut self, keyword: &str, symbol: ExprId, comment: &str) {
        let line = self.printer.begin_sorted(keyword, self.pool.sort(symbol));
        let name = self.pool.as_symbol(symbol).and_then(|symbol| self.pool.symbol_name(symbol));
        self.printer.end_with_comment(name, comment);
        self.printer.define(symbol, line);
        self.printed[symbol.node()] = true;
    }

    fn state(&mut self, number: usize) -> Result<(), WriteError> {
        let state = self.system.states()[number];
        let value = match state.init {
            None => None,
            Some(init) => {
                // An array is initialised by its element.
                let value = match self.pool.get(init) {
                    Expr::ConstArray(element) => element,
                    _ => init,
                };
                self.cone(&[value])?;
                Some(self.printer.positive(value))
            }
        };
        self.symbol("state", state.symbol, "");
        if let Some(value) = value {
            self.printer.begin_sorted("init", self.pool.sort(state.symbol));
            self.printer.operand(state.symbol);
            self.printer.reference(value);
            self.printer.end(None);
        }
        Ok(())
    }

    /// Prints whatever the roots depend on and has no line yet.
    fn cone(&mut self, roots: &[ExprId]) -> Result<(), WriteError> {
        for node in fresh_cone(self.pool, roots.iter().copied(), &mut self.printed) {
            if let Expr::ConstArray(element) = self.pool.get(node) {
                self.constant_array(node, element)?;
            } else {
                let label = self.labels.get(&node.node());
                let name = label.map(|&number| self.system.labels()[number].name.as_str());
                self.printer.node(node, name);
            }
        }
        Ok(())
    }

    fn constant_array(&mut self, node: ExprId, element: ExprId) -> Result<(), WriteError> {
        let sort = self.pool.sort(node);
        let Sort::Array { index, .. } = sort else { unreachable!("constant arrays are arrays") };
        if self.pool.const_value(element).is_some() {
            let value = self.printer.line_of(element);
            let line = self.unchanging_array(sort, value);
            self.printer.define(node, line.id);
            return Ok(());
        }
        if index > ELEMENTWISE_ADDRESS {
            return Err(WriteError::Inexpressible {
                format: Syntax::Btor2.name(),
                what: "a constant array with a varying element and long addresses in",
                signal: self.user_of(node),
            });
        }
        let zero = zero_of(sort);
        let zero = self.printer.constant(zero.array().default_element(), None);
        let mut array = self.unchanging_array(sort, Ref { id: zero, negated: false });
        let element = self.printer.line_of(element);
        for address in 0..1u64 << index {
            let address = self.printer.constant(&BitVec::new(index, address), None);
            let address = Ref { id: address, negated: false };
            array = self.printer.write(sort, array, address, element);
        }
        self.printer.define(node, array.id);
        Ok(())
    }

    /// The name of something that depends on the node.
    fn user_of(&self, node: ExprId) -> String {
        let system = self.system;
        let depends = |expr: ExprId| cone(self.pool, [expr]).binary_search(&node).is_ok();
        let state = (system.states().iter())
            .position(|state| state.init.is_some_and(depends) || state.next.is_some_and(depends));
        if let Some(state) = state {
            return system.state_name(state);
        }
        let property = system.properties().iter().find(|property| match &property.kind {
            PropertyKind::Bad(bad) => depends(*bad),
            PropertyKind::Justice(conditions) => conditions.iter().any(|&bit| depends(bit)),
        });
        property.map_or_else(|| "the model".to_owned(), |property| property.name.clone())
    }

    /// A state that holds the value in all elements, always.
    fn unchanging_array(&mut self, sort: Sort, value: Ref) -> Ref {
        let id = self.printer.begin_sorted("state", sort);
        self.printer.end(None);
        let array = Ref { id, negated: false };
        for (keyword, content) in [("init", value), ("next", array)] {
            self.printer.begin_sorted(keyword, sort);
            self.printer.reference(array);
            self.printer.reference(content);
            self.printer.end(None);
        }
        array
    }

    fn next_values(&mut self) {
        for state in self.system.states() {
            let Some(next) = state.next else { continue };
            self.printer.begin_sorted("next", self.pool.sort(state.symbol));
            self.printer.operand(state.symbol);
            self.printer.operand(next);
            self.printer.end(None);
        }
    }

    fn properties(&mut self) {
        for (index, &constraint) in self.system.constraints().iter().enumerate() {
            let Origin { name, place } = self.system.constraint_origin(index);
            self.condition(
                "constraint",
                constraint,
                name.as_deref(),
                &comment(Goal::Assert, place),
            );
        }
        for &fair in self.system.fairness() {
            self.condition("fair", fair, None, "");
        }
        let (mut bads, mut justices) = (0, 0);
        for property in self.system.properties() {
            let given = |default: String| (property.name != default).then_some(&*property.name);
            let comment = comment(property.goal, &property.place);
            match &property.kind {
                PropertyKind::Bad(bad) => {
                    let name = given(default_bad_name(bads));
                    self.condition("bad", *bad, name, &comment);
                    bads += 1;
                }
                PropertyKind::Justice(conditions) => {
                    let name = given(default_justice_name(justices));
                    self.justice(conditions, name, &comment);
                    justices += 1;
                }
            }
        }
    }

    fn condition(&mut self, keyword: &str, bit: ExprId, name: Option<&str>, comment: &str) {
        let bit = self.printer.positive(bit);
        self.printer.begin(keyword);
        self.printer.reference(bit);
        self.printer.end_with_comment(name, comment);
    }

    fn justice(&mut self, conditions: &[ExprId], name: Option<&str>, comment: &str) {
        let mut bits: Vec<Ref> = conditions.iter().map(|&bit| self.printer.positive(bit)).collect();
        // The format wants one condition at least.
        if bits.is_empty() {
            let yes = self.printer.constant(&BitVec::bool(true), None);
            bits.push(Ref { id: yes, negated: false });
        }
        self.printer.begin("justice");
        self.printer.number(bits.len() as u64);
        for bit in bits {
            self.printer.reference(bit);
        }
        self.printer.end_with_comment(name, comment);
    }

    fn observations(&mut self) {
        for (number, output) in self.system.outputs().iter().enumerate() {
            self.printer.begin("output");
            self.printer.operand(output.expr);
            let default = default_output_name(number);
            self.printer.end((output.name != default).then_some(&output.name));
        }
        for (number, label) in self.system.labels().iter().enumerate() {
            if self.labels.get(&label.expr.node()) != Some(&number) {
                self.alias(label.expr, &label.name);
            }
        }
    }

    /// A line that is the expression again, to carry a further name.
    fn alias(&mut self, expr: ExprId, name: &str) {
        let sort = self.pool.sort(expr);
        if sort.is_array() {
            let yes = Ref { id: self.printer.constant(&BitVec::bool(true), None), negated: false };
            self.printer.begin_sorted("ite", sort);
            self.printer.reference(yes);
            self.printer.operand(expr);
            self.printer.operand(expr);
        } else {
            self.printer.begin_sorted("uext", sort);
            self.printer.operand(expr);
            self.printer.number(0);
        }
        self.printer.end(Some(name));
    }
}

/// The comment on a property or a constraint, which the reader understands.
fn comment(goal: Goal, place: &Option<Place>) -> String {
    let place = place.as_ref().map_or_else(String::new, Place::to_comment);
    match goal {
        Goal::Assert => place,
        Goal::Cover => format!("{COVER} {place}").trim_end().to_owned(),
    }
}

/// The states in their order, except that those that an initial value depends
/// on come before: btor2tools wants the value before the state.
fn declaration_order(system: &TransitionSystem) -> Vec<usize> {
    let states = system.states();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); states.len()];
    let mut missing = vec![0usize; states.len()];
    for (user, state) in states.iter().enumerate() {
        let Some(init) = state.init.filter(|&init| system.pool().const_value(init).is_none())
        else {
            continue;
        };
        for node in cone(system.pool(), [init]) {
            if let Some(Role::State(used)) = system.role_of(node) {
                users[used].push(user);
                missing[user] += 1;
            }
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..states.len()).filter(|&state| missing[state] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(states.len());
    while let Some(Reverse(state)) = ready.pop() {
        order.push(state);
        for &user in &users[state] {
            missing[user] -= 1;
            if missing[user] == 0 {
                ready.push(Reverse(user));
            }
        }
    }
    order
}
