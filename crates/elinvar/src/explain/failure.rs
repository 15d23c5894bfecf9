//! The causes of a failure, from the initial state on.
//!
//! The bad bit of the last cycle has its value because of some bits of registers and inputs,
//! and each register because of bits in the cycle before ([`Needed`]). Going back from the
//! failure visits the registers that have to do with it, and only those. A register that keeps
//! its value because of its own value is not worth a line; a register that gets a value is.

use std::collections::BTreeMap;

use elinvar_ir::{
    BitVec, ExprId, Role, Sort, Trace, TransitionSystem, Value, Values, symbol_value,
};

use super::{Line, Section, listed, plain};
use crate::problem::SystemProblem;
use crate::readable::nets::{self, Kind, Net};
use crate::readable::number;
use crate::readable::relevance::{Needed, all_of, union};
use crate::readable::sentence::repetition;
use crate::readable::waves::execute;
use crate::report::{PropertyKind, PropertyReport};

/// Traces of more cycles times expressions than this are not explained.
const LIMIT: usize = 10_000_000;

/// Causes that a line names.
const CAUSES: usize = 8;

/// Elements of a memory that a line names.
const ELEMENTS: usize = 4;

pub(super) fn section(
    property: &PropertyReport,
    problem: &SystemProblem,
    trace: &Trace,
) -> Section {
    let (name, cover) = (&property.name, property.kind == PropertyKind::Cover);
    let mut section = Section::new(match cover {
        true => format!("How {name} is reached"),
        false => format!("Why {name} fails"),
    });
    let system = problem.system();
    let Some(bad) = system.bad(trace.property) else {
        section.lines = loop_lines(system, trace);
        return section;
    };
    if system.pool().len().saturating_mul(trace.steps.len()) > LIMIT {
        section.push("The trace is too long for an explanation.");
        return section;
    }
    let verb = if cover { "is reached" } else { "fails" };
    section.lines = Causes::new(system, trace).lines(bad, &format!("{name} {verb}"));
    section
}

/// Which cycles repeat, and where each condition holds in them.
fn loop_lines(system: &TransitionSystem, trace: &Trace) -> Vec<Line> {
    let Some(start) = trace.loop_start else { return Vec::new() };
    let conditions = nets::roots(system, trace.property);
    let mut holds: Vec<Option<usize>> = vec![None; conditions.len()];
    execute(system, trace, None, |cycle, moment| {
        if cycle >= start {
            for (first, &condition) in holds.iter_mut().zip(&conditions) {
                if first.is_none() && moment.simulator().holds(condition) {
                    *first = Some(cycle);
                }
            }
        }
    });
    let line = |cycle, text| Line { cycle, location: None, text, signals: Vec::new() };
    let repeat = format!("{} forever", repetition(trace));
    let mut lines = vec![line(Some(start), repeat)];
    let fairness = system.fairness().len();
    for (index, &cycle) in holds.iter().enumerate() {
        let what = match index.checked_sub(fairness) {
            None => format!("fairness constraint {index} holds"),
            Some(own) => format!("condition {own} of the property holds"),
        };
        lines.push(line(cycle, what));
    }
    lines
}

/// The way back from a failure.
struct Causes<'a> {
    system: &'a TransitionSystem,
    /// By cycle: the values of states and inputs.
    cycles: Vec<(Vec<Value>, Values)>,
    nets: Vec<Net>,
    /// By symbol: the signal that it is, or a bit of, and which bit.
    places: BTreeMap<ExprId, (usize, u32)>,
    needed: Needed<'a>,
    /// By cycle, the last one first.
    found: Vec<Vec<Line>>,
}

/// The bits of a signal that matter.
type Masks = BTreeMap<ExprId, Value>;

impl<'a> Causes<'a> {
    fn new(system: &'a TransitionSystem, trace: &Trace) -> Self {
        let mut cycles = Vec::with_capacity(trace.steps.len());
        execute(system, trace, None, |_, moment| {
            let simulator = moment.simulator();
            cycles.push((simulator.states().to_vec(), simulator.inputs().clone()));
        });
        let mut nets = nets::all(system);
        nets.retain(|net| matches!(net.kind, Kind::Clock | Kind::Input | Kind::Register));
        let mut nets = nets::gather_words(system, nets);
        nets.iter_mut().for_each(|net| net.name = plain(&net.name));
        let mut places = BTreeMap::new();
        for (index, net) in nets.iter().enumerate() {
            for (bit, &part) in net.parts.iter().enumerate() {
                places.insert(part, (index, bit as u32));
            }
        }
        let values = system.states().iter().flat_map(|state| [state.init, state.next]).flatten();
        let bads = system.bads().map(|(_, bad)| bad);
        let roots: Vec<ExprId> = values.chain(bads).collect();
        let needed = Needed::new(system.pool(), &roots);
        Causes { system, cycles, nets, places, needed, found: Vec::new() }
    }

    /// The lines of all cycles, the first cycle first.
    fn lines(mut self, bad: ExprId, failure: &str) -> Vec<Line> {
        let last = self.cycles.len() - 1;
        self.settle(last);
        let causes = self.needed.causes(bad, all_of(Sort::BOOL));
        let (because, signals) = self.list(last, &causes);
        let text =
            if because.is_empty() { failure.to_owned() } else { format!("{failure}: {because}") };
        self.found.push(vec![Line { cycle: Some(last), location: None, text, signals }]);
        let mut wanted = self.states_of(&causes);
        for cycle in (1..=last).rev() {
            wanted = self.step_back(cycle, &wanted);
        }
        self.start(wanted);
        self.found.into_iter().rev().flatten().collect()
    }

    fn settle(&mut self, cycle: usize) {
        let (states, inputs) = &self.cycles[cycle];
        self.needed.settle(|symbol| symbol_value(self.system, states, inputs, symbol));
    }

    /// Explains the states of a cycle by the cycle before. Returns what that needs of the
    /// states of the cycle before.
    fn step_back(&mut self, cycle: usize, wanted: &Masks) -> Masks {
        self.settle(cycle - 1);
        let mut earlier = Masks::new();
        let mut lines = Vec::new();
        for (net, masks) in self.by_net(wanted) {
            let mut causes = Vec::new();
            let mut is_driven = false;
            for (&symbol, mask) in &masks {
                if let Some(next) = self.state(symbol).next {
                    is_driven = true;
                    causes.extend(self.needed.causes(next, mask.clone()));
                }
            }
            let causes = joined(causes);
            if !self.holds(cycle, &masks, &causes) {
                lines.push(self.line(cycle, net, &masks, is_driven.then_some(&causes[..])));
            }
            for (symbol, mask) in self.states_of(&causes) {
                add(&mut earlier, symbol, mask);
            }
        }
        self.found.push(lines);
        earlier
    }

    /// The line about a signal that gets a value.
    fn line(
        &self,
        cycle: usize,
        net: usize,
        masks: &Masks,
        causes: Option<&[(ExprId, Value)]>,
    ) -> Line {
        let (what, mut signals) = self.list(cycle, &masks.clone().into_iter().collect::<Vec<_>>());
        let changes =
            masks.keys().any(|&symbol| self.value(cycle, symbol) != self.value(cycle - 1, symbol));
        let what = match what.split_once(" = ") {
            Some((name, value)) if changes && !what.contains(',') => {
                format!("{name} becomes {value}")
            }
            _ => what,
        };
        let text = match causes {
            None => format!("{what} (nothing drives {})", self.nets[net].name),
            Some([]) => what,
            Some(causes) => {
                let (because, of) = self.list(cycle - 1, causes);
                signals.extend(of);
                format!("{what}: {because}")
            }
        };
        Line { cycle: Some(cycle), location: None, text, signals }
    }

    /// Do these bits have the value that they had, because they had it or because it never
    /// changes?
    fn holds(&self, cycle: usize, masks: &Masks, causes: &[(ExprId, Value)]) -> bool {
        masks.iter().all(|(symbol, mask)| {
            let is_same = self.value(cycle, *symbol) == self.value(cycle - 1, *symbol);
            let own = causes.iter().find(|(cause, _)| cause == symbol);
            let is_cause = own.is_some_and(|(_, own)| union(own, mask) == *own);
            is_same && (is_cause || causes.is_empty())
        })
    }

    /// The initial values that matter.
    fn start(&mut self, mut wanted: Masks) {
        let system = self.system;
        self.settle(0);
        let mut lines = Vec::new();
        // A state comes after those that its initial value depends on.
        for &index in system.init_order().iter().rev() {
            let state = system.states()[index];
            let Some(init) = state.init.filter(|&init| !system.pool().is_const(init)) else {
                continue;
            };
            let Some(mask) = wanted.get(&state.symbol).cloned() else { continue };
            for (symbol, mask) in self.needed.causes(init, mask) {
                if self.is_state(symbol) {
                    add(&mut wanted, symbol, mask);
                }
            }
        }
        for (_, masks) in self.by_net(&wanted) {
            let (what, signals) =
                self.list(0, &masks.iter().map(|(&s, m)| (s, m.clone())).collect::<Vec<_>>());
            let is_free = masks.keys().all(|&symbol| self.state(symbol).init.is_none());
            let text = match (what.split_once(" = "), is_free) {
                (Some((name, value)), false) if !what.contains(',') => {
                    format!("{name} starts at {value}")
                }
                (_, false) => format!("at the start {what}"),
                (_, true) => format!("{what} (any initial value is allowed)"),
            };
            lines.push(Line { cycle: Some(0), location: None, text, signals });
        }
        self.found.push(lines);
    }

    fn is_state(&self, symbol: ExprId) -> bool {
        matches!(self.system.role_of(symbol), Some(Role::State(_)))
    }

    fn state(&self, symbol: ExprId) -> elinvar_ir::State {
        match self.system.role_of(symbol) {
            Some(Role::State(index)) => self.system.states()[index],
            Some(Role::Input(_)) | None => unreachable!("the symbol of a state"),
        }
    }

    fn value(&self, cycle: usize, symbol: ExprId) -> Value {
        let (states, inputs) = &self.cycles[cycle];
        symbol_value(self.system, states, inputs, symbol)
    }

    fn states_of(&self, causes: &[(ExprId, Value)]) -> Masks {
        let states = causes.iter().filter(|(symbol, _)| self.is_state(*symbol));
        states.cloned().collect()
    }

    /// The bits that are wanted, by signal.
    fn by_net(&self, wanted: &Masks) -> BTreeMap<usize, Masks> {
        let mut nets: BTreeMap<usize, Masks> = BTreeMap::new();
        for (&symbol, mask) in wanted {
            let (net, _) = self.places[&symbol];
            nets.entry(net).or_default().insert(symbol, mask.clone());
        }
        nets
    }

    /// `push = 1, count = 4`, with the names.
    fn list(&self, cycle: usize, causes: &[(ExprId, Value)]) -> (String, Vec<String>) {
        let (mut texts, mut names) = (Vec::new(), Vec::new());
        for (net, masks) in self.by_net(&causes.iter().cloned().collect()) {
            texts.extend(self.bits(cycle, net, &masks));
            names.push(self.nets[net].name.clone());
        }
        (listed(&texts, CAUSES), names)
    }

    /// The bits of a signal that matter, with their values.
    fn bits(&self, cycle: usize, net: usize, masks: &Masks) -> Vec<String> {
        let net = &self.nets[net];
        if let [symbol] = net.parts[..] {
            let mask = &masks[&symbol];
            return match (&self.value(cycle, symbol), mask) {
                (Value::Array(array), Value::Array(mask)) => {
                    let entries = mask.entries().filter(|(_, bits)| !bits.is_zero());
                    let element = |(index, _): (&BitVec, _)| {
                        format!("{}[{}] = {}", net.name, number(index), number(array.read(index)))
                    };
                    let texts: Vec<String> = entries.map(element).collect();
                    let rest = !mask.default_element().is_zero();
                    let rest = rest.then(|| format!("the rest of {}", net.name));
                    texts.into_iter().take(ELEMENTS).chain(rest).collect()
                }
                (Value::Bv(value), Value::Bv(mask)) => vec![assigned(&net.name, value, mask)],
                (Value::Array(_), Value::Bv(_)) | (Value::Bv(_), Value::Array(_)) => {
                    unreachable!("the mask of a value has its sort")
                }
            };
        }
        let value = net.parts.iter().map(|&part| self.value(cycle, part).bv().is_true());
        let mask = net.parts.iter().map(|part| masks.contains_key(part));
        let (value, mask) = (BitVec::from_bits(value), BitVec::from_bits(mask));
        let (name, range) = net.name.rsplit_once('[').expect("a word of bits has a range");
        let lowest =
            range.trim_end_matches(']').rsplit(':').next().and_then(|low| low.parse().ok());
        vec![assigned_from(name, lowest.unwrap_or(0), &value, &mask)]
    }
}

fn add(masks: &mut Masks, symbol: ExprId, mask: Value) {
    let joined = match masks.get(&symbol) {
        Some(known) => union(known, &mask),
        None => mask,
    };
    masks.insert(symbol, joined);
}

/// Each symbol once.
fn joined(causes: Vec<(ExprId, Value)>) -> Vec<(ExprId, Value)> {
    let mut masks = Masks::new();
    for (symbol, mask) in causes {
        add(&mut masks, symbol, mask);
    }
    masks.into_iter().collect()
}

fn assigned(name: &str, value: &BitVec, mask: &BitVec) -> String {
    assigned_from(name, 0, value, mask)
}

/// `name = 5`, or `name[3:2] = 1` if only these bits matter. The lowest bit has this number.
fn assigned_from(name: &str, lowest: u32, value: &BitVec, mask: &BitVec) -> String {
    let bits: Vec<u32> = (0..mask.width()).filter(|&bit| mask.bit(bit)).collect();
    let (low, high) = match (bits.first(), bits.last()) {
        (Some(&low), Some(&high)) => (low, high),
        _ => (0, mask.width() - 1),
    };
    let is_range = bits.len() as u32 == high - low + 1;
    if bits.len() as u32 == mask.width() || !is_range {
        return format!("{name} = {}", number(value));
    }
    let part = number(&value.slice(high, low));
    match (low + lowest, high + lowest) {
        (low, high) if low == high => format!("{name}[{low}] = {part}"),
        (low, high) => format!("{name}[{high}:{low}] = {part}"),
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{Step, Verdict};

    use super::*;
    use crate::{Options, Problem, check};

    fn lines(text: &str) -> Vec<(usize, String)> {
        let problem = Problem::parse("m.btor2", text).unwrap();
        let report = check(&problem, &Options { explain: true, ..Options::default() }).unwrap();
        let explanation = report.properties[0].explanation.clone().unwrap();
        let lines = explanation.sections[0].lines.iter();
        lines.map(|line| (line.cycle.unwrap(), line.text.clone())).collect()
    }

    fn expected(lines: &[(usize, &str)]) -> Vec<(usize, String)> {
        lines.iter().map(|(cycle, text)| (*cycle, (*text).to_owned())).collect()
    }

    /// A latch that an input sets, a register that follows it, and one that does not matter.
    #[test]
    fn values_that_stay_are_not_repeated() {
        let text = "1 sort bitvec 1\n2 zero 1\n3 input 1 set\n4 state 1 latch\n5 state 1 late\n\
            6 state 1 other\n7 init 1 4 2\n8 init 1 5 2\n9 init 1 6 2\n10 or 1 3 4\n11 next 1 4 10\n\
            12 next 1 5 4\n13 not 1 6\n14 next 1 6 13\n15 bad 5 too_late\n";
        let found = lines(text);
        let shortest = [
            (1, "latch becomes 1: set = 1"),
            (2, "late becomes 1: latch = 1"),
            (2, "too_late fails: late = 1"),
        ];
        assert_eq!(found, expected(&shortest));
    }

    #[test]
    fn free_values_are_called_free() {
        let text = "1 sort bitvec 4\n2 state 1 start\n3 next 1 2 2\n4 sort bitvec 1\n\
            5 slice 4 2 3 3\n6 state 4 wild\n7 and 4 5 6\n8 bad 7 high\n";
        let free = [
            (0, "start[3] = 1 (any initial value is allowed)"),
            (0, "wild = 1 (any initial value is allowed)"),
            (0, "high fails: start[3] = 1, wild = 1"),
        ];
        assert_eq!(lines(text), expected(&free));
    }

    #[test]
    fn elements_of_memories_are_named() {
        let text = "1 sort bitvec 2\n2 sort bitvec 8\n3 sort array 1 2\n4 zero 2\n5 state 3 m\n\
            6 init 3 5 4\n7 input 1 at\n8 input 2 data\n9 write 3 5 7 8\n10 next 3 5 9\n\
            11 constd 1 2\n12 read 2 5 11\n13 constd 2 77\n14 sort bitvec 1\n15 eq 14 12 13\n\
            16 bad 15 found\n";
        let changed = [(1, "m[2] becomes 77: at = 2, data = 77"), (1, "found fails: m[2] = 77")];
        assert_eq!(lines(text), expected(&changed));
    }

    /// A register keeps its value for other reasons than its own value.
    #[test]
    fn a_value_that_is_loaded_again_has_its_cause() {
        let text = "1 sort bitvec 1\n2 one 1\n3 zero 1\n4 input 1 x\n5 state 1 r\n6 init 1 5 2\n\
            7 next 1 5 4\n8 state 1 past\n9 init 1 8 3\n10 next 1 8 2\n11 and 1 5 8\n12 bad 11\n";
        let problem = Problem::parse("m.btor2", text).unwrap();
        let system = problem.as_system().unwrap();
        let bit = |value: bool| Value::from(BitVec::bool(value));
        let step = Step { inputs: vec![bit(true)].into(), free: Vec::new() };
        let trace = Trace {
            property: elinvar_ir::PropertyId(0),
            initial: vec![bit(true), bit(false)],
            steps: vec![step; 3].into(),
            loop_start: None,
        };
        let report = check(&problem, &Options::default()).unwrap();
        assert!(matches!(report.properties[0].verdict, Verdict::Unsafe(_)));
        let section = section(&report.properties[0], &system, &trace);
        let texts: Vec<&str> = section.lines.iter().map(|line| &line.text[..]).collect();
        assert_eq!(texts, ["r = 1: x = 1", "bad0 fails: r = 1, past = 1"]);
    }

    #[test]
    fn parts_of_words_have_their_numbers() {
        let value = BitVec::new(8, 0b1010_0110);
        let show = |mask: u64| assigned("w", &value, &BitVec::new(8, mask));
        assert_eq!(show(0xff), "w = 166");
        assert_eq!(show(0b0011_1000), "w[5:3] = 4");
        assert_eq!(show(0b0000_0010), "w[1] = 1");
        assert_eq!(show(0b1000_0001), "w = 166", "there is no short way to say it");
        let wide = BitVec::new(40, 0xab_cdef);
        assert_eq!(assigned("w", &wide, &BitVec::ones(40)), "w = 0xabcdef");
        assert_eq!(plain("$reg(u0.count)"), "u0.count");
    }
}
