//! Local rewriting until it finds no more.
//!
//! Each time the graph is rebuilt, the two-level rules of [`elinvar_logic::aig`] see
//! operands that are smaller than before.

use super::netlist::Netlist;

const ROUNDS: usize = 4;

pub(super) fn rewrite(netlist: &mut Netlist) {
    for _ in 0..ROUNDS {
        let before = netlist.size().gates;
        netlist.compact();
        if netlist.size().gates == before {
            return;
        }
    }
}
