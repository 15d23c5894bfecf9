//! Does one clock drive the whole design?
//!
//! Yosys lists the clock of every register (`write_btor -i`). The cells of memories name the
//! clocks of their ports, and in newer versions the cells of assertions name theirs, too. The
//! design has one clock if all of these are the same edge of the same input, nothing else depends
//! on that input, and nothing uses the global clock. Otherwise a cycle of the model cannot be a
//! period of a clock.

use std::collections::{BTreeSet, HashMap};

use super::lines::Nodes;

/// The files that the question is about.
pub(super) struct Evidence<'a> {
    /// The model in which every register is still there.
    pub clocked: &'a str,
    /// The clocks of registers.
    pub clocks: &'a str,
    /// The cells of assertions that have a clock.
    pub checks: &'a str,
    /// The cells of memories.
    pub memories: &'a str,
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
    for (cells, what) in [(evidence.checks, "an assertion"), (evidence.memories, "a memory")] {
        match triggers(cells, &nodes) {
            Some(triggers) => edges.extend(triggers),
            None => return Clocking::Several(format!("{what} is clocked by an inner signal")),
        }
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

/// The ports of cells that are clocks. The parameters `…_ENABLE` and `…_POLARITY` of the same
/// name say whether a clock is used, and which edge.
const PORTS: [&str; 3] = ["TRG", "WR_CLK", "RD_CLK"];

/// The clocks of some cells, in the text form of Yosys; nothing if one of them is not a signal
/// of the model. The parameters of a cell come before its connections.
fn triggers(cells: &str, nodes: &Nodes) -> Option<Vec<Edge>> {
    let mut edges = Vec::new();
    let mut parameters: HashMap<&str, &str> = HashMap::new();
    for line in cells.lines().map(str::trim) {
        if line.starts_with("cell ") {
            parameters.clear();
        } else if let Some(parameter) = line.strip_prefix("parameter \\") {
            parameters.extend(parameter.split_once(' '));
        } else if let Some(connection) = line.strip_prefix("connect \\") {
            let (port, signals) = connection.split_once(' ')?;
            if PORTS.contains(&port) {
                let parameter = |what| *parameters.get(&*format!("{port}_{what}")).unwrap_or(&"");
                let (enable, polarity) = (parameter("ENABLE"), parameter("POLARITY"));
                edges.extend(connected(signals, bits(enable), bits(polarity), nodes)?);
            }
        }
    }
    Some(edges)
}

/// The digits of a constant such as `2'10`, the highest first.
fn bits(constant: &str) -> &str {
    constant.split_once('\'').map_or(constant, |(_, bits)| bits)
}

/// The clocks among the signals that are connected to a port, the highest first. One digit of
/// the parameters may stand for all of them.
fn connected(signals: &str, enable: &str, polarity: &str, nodes: &Nodes) -> Option<Vec<Edge>> {
    let signals = signals.trim_start_matches("{ ").trim_end_matches('}').split_ascii_whitespace();
    let is_one = |digits: &str, at: usize| {
        let digit = digits.as_bytes().get(if digits.len() == 1 { 0 } else { at });
        digit == Some(&b'1')
    };
    let used = signals.enumerate().filter(|&(at, _)| is_one(enable, at));
    let edge = |(at, signal): (usize, &str)| {
        let id = nodes.named(signal.strip_prefix('\\')?)?;
        Some((nodes.resolve(id), is_one(polarity, at)))
    };
    used.map(edge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "1 sort bitvec 1\n2 input 1 clk\n3 input 1 ck2\n4 uext 1 2 0 u.clk\n\
                         5 not 1 3\n6 input 1 rst\n";

    fn found(clocks: &str, checks: &str, global: &str) -> Clocking {
        find(&Evidence { clocked: MODEL, clocks, checks, memories: "", global })
    }

    fn with_memories(memories: &str) -> Clocking {
        find(&Evidence { clocked: MODEL, clocks: "posedge 2\n", checks: "", memories, global: "" })
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
        let checks = "cell $check \\a\nparameter \\TRG_ENABLE 1\nparameter \\TRG_POLARITY 1'1\n\
                      connect \\TRG \\u.clk\ncell $check \\b\nparameter \\TRG_ENABLE 0\n\
                      connect \\TRG { }\n";
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
        let other = "parameter \\TRG_ENABLE 1\nparameter \\TRG_POLARITY 1'1\nconnect \\TRG \\rst\n";
        assert!(is_several(&found("posedge 2\n", other, ""), "several clocks"));
        let falling =
            "parameter \\TRG_ENABLE 1\nparameter \\TRG_POLARITY 1'0\nconnect \\TRG \\clk\n";
        assert!(is_several(&found("posedge 2\n", falling, ""), "both edges"));
        assert!(is_several(
            &found("posedge 2\n", "parameter \\TRG_ENABLE 1\nconnect \\TRG $x\n", ""),
            "inner signal"
        ));
    }

    #[test]
    fn ports_of_memories_are_clocked() {
        let memory = |enable: &str, polarity: &str, signals: &str| {
            with_memories(&format!(
                "cell $mem_v2 \\m\nparameter \\RD_CLK_ENABLE 1'0\nparameter \\WR_CLK_ENABLE {enable}\n\
                 parameter \\WR_CLK_POLARITY {polarity}\nconnect \\RD_CLK 1'0\n\
                 connect \\WR_CLK {signals}\n"
            ))
        };
        let clk = Clocking::One(Some("clk".to_owned()));
        assert_eq!(memory("1'1", "1'1", "\\clk"), clk);
        assert_eq!(memory("2'11", "2'11", "{ \\clk \\u.clk }"), clk);
        assert_eq!(memory("2'10", "2'10", "{ \\clk 1'0 }"), clk);
        assert!(is_several(&memory("1'1", "1'1", "\\rst"), "several clocks: clk, rst"));
        assert!(is_several(&memory("2'11", "2'10", "{ \\clk \\clk }"), "both edges of clk"));
        assert!(is_several(&memory("2'11", "2'11", "{ \\clk $gated }"), "a memory is clocked by"));
    }
}
