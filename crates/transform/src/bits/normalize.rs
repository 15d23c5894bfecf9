//! Every register gets a next function.
//!
//! A state without one takes any value in every cycle after the first. If it has no
//! initial value either, it is an input; else it is a register that takes the value
//! of a fresh input.

use super::lift::InputOrigin;
use super::netlist::{Input, Netlist};

pub(super) fn normalize(netlist: &mut Netlist) {
    for mut register in std::mem::take(&mut netlist.registers) {
        if register.next.is_none() {
            if register.init.is_none() {
                let origin = InputOrigin::State(register.origin);
                netlist.inputs.push(Input { lit: register.lit, origin });
                continue;
            }
            let lit = netlist.aig.input();
            register.next = Some(lit);
            netlist.inputs.push(Input { lit, origin: InputOrigin::Next(register.origin) });
        }
        netlist.registers.push(register);
    }
}
