//! Registers that stay at their initial value whatever the inputs are, by ternary
//! simulation to a fixpoint: a register is known as long as its next value is the
//! same known value.
//!
//! Once a value is unknown it stays so; each gate changes at most once, and the
//! whole is linear in the netlist.

use elinvar_logic::aig::Gate;
use elinvar_logic::{Aig, AigLit};

use super::super::netlist::Netlist;

/// By register: the value that it never leaves.
pub(super) fn stuck(netlist: &Netlist, initial: &[AigLit]) -> Vec<Option<bool>> {
    let mut values: Vec<Option<bool>> = vec![None; netlist.aig.len()];
    values[0] = Some(false);
    for (register, lit) in netlist.registers.iter().zip(initial) {
        values[register.lit.node()] = lit.as_constant();
    }
    for node in 0..netlist.aig.len() {
        if let Gate::And(a, b) = netlist.aig.gate(node) {
            values[node] = and(&values, a, b);
        }
    }
    let users = Users::of_gates(&netlist.aig);
    let followers = Users::of_registers(netlist);
    let mut changed = Vec::new();
    let forget = |values: &mut [Option<bool>], number: usize, changed: &mut Vec<usize>| {
        let register = &netlist.registers[number];
        let known = values[register.lit.node()];
        if known.is_some() && known != value(values, register.next.expect("a normal netlist")) {
            values[register.lit.node()] = None;
            changed.push(register.lit.node());
        }
    };
    for number in 0..netlist.registers.len() {
        forget(&mut values, number, &mut changed);
    }
    while let Some(node) = changed.pop() {
        for &gate in users.of(node) {
            let (a, b) = netlist.aig.operands(gate as usize).expect("a gate");
            if values[gate as usize].is_some() && and(&values, a, b).is_none() {
                values[gate as usize] = None;
                changed.push(gate as usize);
            }
        }
        for &number in followers.of(node) {
            forget(&mut values, number as usize, &mut changed);
        }
    }
    netlist.registers.iter().map(|register| values[register.lit.node()]).collect()
}

fn value(values: &[Option<bool>], lit: AigLit) -> Option<bool> {
    values[lit.node()].map(|value| value != lit.is_complement())
}

fn and(values: &[Option<bool>], a: AigLit, b: AigLit) -> Option<bool> {
    match (value(values, a), value(values, b)) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), other) | (other, Some(true)) => other,
        (None, None) => None,
    }
}

/// Who depends on a node: lists one after another.
struct Users {
    starts: Vec<u32>,
    users: Vec<u32>,
}

impl Users {
    fn of_gates(aig: &Aig) -> Self {
        Users::new(aig.len(), |add| {
            for node in 0..aig.len() {
                if let Gate::And(a, b) = aig.gate(node) {
                    add(a.node(), node);
                    add(b.node(), node);
                }
            }
        })
    }

    /// The registers whose next value a node is.
    fn of_registers(netlist: &Netlist) -> Self {
        Users::new(netlist.aig.len(), |add| {
            for (number, register) in netlist.registers.iter().enumerate() {
                add(register.next.expect("a normal netlist").node(), number);
            }
        })
    }

    fn new(nodes: usize, each: impl Fn(&mut dyn FnMut(usize, usize))) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        each(&mut |node, _| starts[node + 1] += 1);
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut users = vec![0; starts[nodes] as usize];
        let mut position = starts.clone();
        each(&mut |node, user| {
            users[position[node] as usize] = user as u32;
            position[node] += 1;
        });
        Users { starts, users }
    }

    fn of(&self, node: usize) -> &[u32] {
        &self.users[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}
