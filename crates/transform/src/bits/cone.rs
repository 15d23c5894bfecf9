//! The cone of influence: what some properties can depend on.
//!
//! The cone always contains the constraints, because they restrict the steps. Initial values
//! are followed like next functions. This reduction works on words, before they become bits,
//! so that an irrelevant memory is never expanded. On bits, the same reduction is made each
//! time the graph is rebuilt.

use elinvar_ir::{ExprId, PropertyId, PropertyKind, Role, TransitionSystem};

/// A part of a system that can be translated by itself.
pub(super) struct Part {
    /// By input, by state: is it in the part?
    pub inputs: Vec<bool>,
    pub states: Vec<bool>,
    /// By property.
    pub properties: Vec<bool>,
    /// Does the part include fairness conditions and outputs?
    pub observations: bool,
    /// The nodes that the part is built from, operands first.
    pub nodes: Vec<ExprId>,
}

/// All of the system.
pub(super) fn whole(system: &TransitionSystem) -> Part {
    let mut roots: Vec<ExprId> = system.fairness().to_vec();
    roots.extend(system.outputs().iter().map(|output| output.expr));
    for property in system.properties() {
        match &property.kind {
            PropertyKind::Bad(bad) => roots.push(*bad),
            PropertyKind::Justice(conditions) => roots.extend(conditions),
        }
    }
    let mut part = reach(system, roots, true);
    part.properties = vec![true; system.properties().len()];
    part.observations = true;
    part
}

/// What the safety properties depend on; unless `reduced`, with all inputs and states.
pub(super) fn part(system: &TransitionSystem, properties: &[PropertyId], reduced: bool) -> Part {
    let roots = properties.iter().filter_map(|&id| system.bad(id)).collect();
    let mut part = reach(system, roots, !reduced);
    for &id in properties {
        part.properties[id.0] = true;
    }
    part
}

fn reach(system: &TransitionSystem, mut stack: Vec<ExprId>, all: bool) -> Part {
    let pool = system.pool();
    let mut part = Part {
        inputs: vec![all; system.inputs().len()],
        states: vec![all; system.states().len()],
        properties: vec![false; system.properties().len()],
        observations: false,
        nodes: Vec::new(),
    };
    stack.extend(system.constraints());
    if all {
        stack.extend(system.inputs().iter().map(|input| input.symbol));
        stack.extend(system.states().iter().map(|state| state.symbol));
    }
    let mut seen = vec![false; pool.len()];
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut seen[id.node()], true) {
            continue;
        }
        match system.role_of(id.regular()) {
            Some(Role::Input(index)) => part.inputs[index] = true,
            Some(Role::State(index)) => {
                part.states[index] = true;
                let state = system.states()[index];
                stack.extend(state.init.into_iter().chain(state.next));
            }
            None => pool.for_each_operand(id, |operand| stack.push(operand)),
        }
    }
    part.nodes = pool.ids().filter(|id| seen[id.node()]).collect();
    part
}
