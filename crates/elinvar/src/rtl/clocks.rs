//! Does one clock drive the whole design?
//!
//! Yosys lists the clock of every register and memory port (`write_btor -i`), and newer
//! versions keep the clock of every assertion in its cell. The design has one clock if all
//! of these are the same edge of the same input, nothing else depends on that input, and
//! nothing uses the global clock. Otherwise a cycle of the model cannot be a period of a
//! clock.

use std::collections::BTreeSet;

use super::lines::Nodes;

/// The files that the question is about.
pub(super) struct Evidence<'a> {
    /// The model in which every register is still there.
    pub clocked: &'a str,
    /// The clocks of registers and memories.
    pub clocks: &'a str,
    /// The cells of assertions that have a clock.
    pub checks: &'a str,
    /// The registers on the global clock.
    pub global: &'a str,
}

/// How a design is clocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Clocking {
    /// By nothing, or by this input.
    One(Option<String>),
    /// By more than one clock, or in another way that one clock cannot stand for.
    Several(String),
}

/// A signal that registers are clocked by: its node, and whether its rising edge counts.
type Edge = (u64, bool);

pub(super) fn find(evidence: &Evidence) -> Clocking {
    let nodes = Nodes::read(evidence.clocked);
    let mut edges: BTreeSet<Edge> = BTreeSet::new();
    for line in evidence.clocks.lines() {
        let mut words = line.split_ascii_whitespace();
        let rising = match words.next() {
            Some("posedge") => [true].as_slice(),
            Some("negedge") => [false].as_slice(),
            Some("event") => [true, false].as_slice(),
            Some(_) | None => continue,
        };
        if let Some(id) = words.next().and_then(|word| word.parse().ok()) {
            edges.extend(rising.iter().map(|&rising| (nodes.resolve(id), rising)));
        }
    }
    match triggers(evidence.checks, &nodes) {
        Some(triggers) => edges.extend(triggers),
        None => return Clocking::Several("an assertion is clocked by an inner signal".to_owned()),
    }
    if !evidence.global.trim().is_empty() && !edges.is_empty() {
        return Clocking::Several("some registers use the global clock".to_owned());
    }
    judge(&nodes, &edges)
}

fn judge(nodes: &Nodes, edges: &BTreeSet<Edge>) -> Clocking {
    let name = |id: u64| match nodes.line(id).and_then(|line| line.symbol) {
        Some(symbol) => symbol.to_owned(),
        None => "an inner signal".to_owned(),
    };
    let signals: BTreeSet<u64> = edges.iter().map(|&(id, _)| id).collect();
    let signals: Vec<u64> = signals.into_iter().collect();
    match signals[..] {
        [] => Clocking::One(None),
        [one] if edges.len() > 1 => {
            Clocking::Several(format!("both edges of {} are used", name(one)))
        }
        [one] => match nodes.line(one) {
            Some(line) if line.keyword != "input" => {
                Clocking::Several(format!("the clock {} is not an input", name(one)))
            }
            Some(_) if nodes.is_used(one) => {
                Clocking::Several(format!("{} is a clock and is also used as data", name(one)))
            }
            Some(line) => Clocking::One(line.symbol.map(str::to_owned)),
            None => Clocking::Several("a clock is not known".to_owned()),
        },
        _ => {
            let names: Vec<String> = signals.iter().map(|&id| name(id)).collect();
            Clocking::Several(format!("there are several clocks: {}", names.join(", ")))
        }
    }
}

/// The clocks of the assertions; nothing if one is not a signal of the model.
fn triggers(checks: &str, nodes: &Nodes) -> Option<Vec<Edge>> {
    let mut edges = Vec::new();
    let mut polarity = "";
    for line in checks.lines().map(str::trim) {
        if let Some(bits) = line.strip_prefix("parameter \\TRG_POLARITY ") {
            polarity = bits.split_once('\'').map_or(bits, |(_, bits)| bits);
        } else if let Some(signal) = line.strip_prefix("connect \\TRG ") {
            // A combinational assertion has no trigger.
            if signal == "{ }" {
                continue;
            }
            let id = nodes.named(signal.strip_prefix('\\')?)?;
            edges.push((nodes.resolve(id), polarity == "1"));
        }
    }
    Some(edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "1 sort bitvec 1\n2 input 1 clk\n3 input 1 ck2\n4 uext 1 2 0 u.clk\n\
                         5 not 1 3\n6 input 1 rst\n";

    fn found(clocks: &str, checks: &str, global: &str) -> Clocking {
        find(&Evidence { clocked: MODEL, clocks, checks, global })
    }

    fn is_several(clocking: &Clocking, reason: &str) -> bool {
        matches!(clocking, Clocking::Several(text) if text.contains(reason))
    }

    #[test]
    fn one_clock_under_several_names() {
        let clk = Clocking::One(Some("clk".to_owned()));
        assert_eq!(found("name top\nposedge 4\nposedge 2\n", "", ""), clk);
        assert_eq!(found("negedge 2\n", "", "\n"), clk);
        assert_eq!(found("name top\n", "", "top/x\n"), Clocking::One(None));
        let checks = "parameter \\TRG_POLARITY 1'1\nconnect \\TRG \\u.clk\nconnect \\TRG { }\n";
        assert_eq!(found("posedge 2\n", checks, ""), clk);
        assert_eq!(found("", checks, ""), clk);
    }

    #[test]
    fn everything_else_is_several() {
        assert!(is_several(&found("posedge 2\nposedge 6\n", "", ""), "several clocks: clk, rst"));
        assert!(is_several(&found("posedge 2\nnegedge 4\n", "", ""), "both edges of clk"));
        assert!(is_several(&found("event 2\n", "", ""), "both edges of clk"));
        assert!(is_several(&found("posedge 5\n", "", ""), "not an input"));
        assert!(is_several(
            &found("posedge 3\n", "", ""),
            "ck2 is a clock and is also used as data"
        ));
        assert!(is_several(&found("posedge 2\n", "", "top/x\n"), "global clock"));
        let other = "parameter \\TRG_POLARITY 1'1\nconnect \\TRG \\rst\n";
        assert!(is_several(&found("posedge 2\n", other, ""), "several clocks"));
        let falling = "parameter \\TRG_POLARITY 1'0\nconnect \\TRG \\clk\n";
        assert!(is_several(&found("posedge 2\n", falling, ""), "both edges"));
        assert!(is_several(&found("posedge 2\n", "connect \\TRG $x\n", ""), "inner signal"));
    }
}
