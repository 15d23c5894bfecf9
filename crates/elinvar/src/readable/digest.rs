//! The signals of an execution that are worth showing, in the order in which to show them.
//!
//! Inputs come first, then registers, then wires. Within each kind, named signals come before
//! those without a name, signals that change or that the property depends on directly before
//! those that do not, and signals near the property before those farther away. A wire that only
//! repeats another signal is left out.
//!
//! By default a view has few rows: those signals that the property depends on, without clocks and
//! constants, without anonymous signals that do not matter, and without wires that do not change.
//! Inputs that matter are always there.

use std::fmt;

use elinvar_ir::{ExprId, Trace, TransitionSystem};

use crate::pattern;

use super::nets::{self, Kind, Net, gather_words, without_aliases};
use super::relevance::Relevance;
use super::waves::{Signal, Waves};

/// Signals that are recorded for a view with few rows; a view of more would hardly differ.
const CONSIDERED: usize = 2000;

/// Rows before the farther signals are left out.
const ROWS: usize = 40;

/// Which signals to show.
///
/// ```
/// use elinvar::readable::digest::{Pattern, View};
/// let text = "1 sort bitvec 4\n2 input 1 step\n3 state 1 u.count\n4 add 1 2 3\n5 next 1 3 4\n";
/// let problem = elinvar::Problem::parse("count.btor2", text)?.as_system()?;
/// let view = View { patterns: vec!["count".into(), "v.*".into()], ..View::default() };
/// assert_eq!(view.unmatched(problem.system()), [&Pattern::from("v.*")]);
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct View {
    /// The signals that match one of these; if there is none, those that are worth showing.
    pub patterns: Vec<Pattern>,
    /// All signals of the model.
    pub all: bool,
}

/// A pattern for names of signals: `*` stands for any characters, `?` for one. It must match the
/// whole name, or its end after a scope; the range of bits at the end of a name may be missing.
///
/// ```
/// use elinvar::readable::digest::Pattern;
/// let matches = |pattern: &str, name: &str| Pattern::from(pattern).matches(name);
/// assert!(matches("u.cnt", "u.cnt") && matches("cnt", "u.cnt") && matches("u.*", "u.v.cnt"));
/// assert!(matches("data", "data[7:0]") && matches("data[3]", "data[3]"));
/// assert!(!matches("cnt", "u.count") && !matches("u", "u.cnt") && !matches("nt", "u.cnt"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern(String);

impl From<&str> for Pattern {
    fn from(text: &str) -> Self {
        Pattern(text.to_owned())
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Pattern {
    /// Does the pattern match the name of a signal?
    pub fn matches(&self, name: &str) -> bool {
        let word = name.strip_suffix(']').and_then(|rest| Some(rest.rsplit_once('[')?.0));
        std::iter::once(name).chain(word).any(|name| {
            let ends = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
            std::iter::once(name).chain(ends).any(|end| pattern::matches(&self.0, end))
        })
    }
}

/// The signals to record for a view.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// The signals.
    pub nets: Vec<Net>,
    /// How many signals of the model could be shown.
    pub all: usize,
}

/// The rows of a view, in their order.
#[derive(Clone, Debug)]
pub struct Digest {
    /// The signals that are shown.
    pub waves: Waves,
    /// How many other signals there are that the property depends on.
    pub left_out: usize,
}

impl View {
    /// The patterns that no signal of the model matches.
    pub fn unmatched(&self, system: &TransitionSystem) -> Vec<&Pattern> {
        let nets = nets::all(system);
        let is_unmatched = |pattern: &&Pattern| !nets.iter().any(|net| pattern.matches(&net.name));
        self.patterns.iter().filter(is_unmatched).collect()
    }

    /// The view of a counterexample.
    pub fn of_counterexample(&self, system: &TransitionSystem, trace: &Trace) -> Digest {
        let roots = nets::roots(system, trace.property);
        let relevance = Relevance::of(system, trace);
        let candidates = self.candidates(system, &roots, relevance.as_ref());
        let Candidates { nets, all } = candidates;
        let waves = Waves::of_trace(system, trace, relevance.as_ref(), nets);
        self.digest(system, waves, all)
    }

    /// The signals to record: those that the roots depend on if there are any, unless other ones
    /// are asked for.
    pub fn candidates(
        &self,
        system: &TransitionSystem,
        roots: &[ExprId],
        relevance: Option<&Relevance>,
    ) -> Candidates {
        let mut nets = nets::all(system);
        nets::measure(system, roots, &mut nets);
        let no_root = roots.is_empty();
        let matters = |net: &Net| {
            let roles = net.parts.iter().filter_map(|&part| system.role_of(part));
            relevance.is_none_or(|relevance| roles.into_iter().any(|role| relevance.matters(role)))
        };
        if !self.patterns.is_empty() {
            nets.retain(|net| self.patterns.iter().any(|pattern| pattern.matches(&net.name)));
        } else if !self.all {
            nets.retain(|net| net.kind != Kind::Clock);
            nets.retain(|net| no_root || net.distance.is_some());
            nets.retain(|net| !net.parts.iter().all(|&part| system.pool().is_const(part)));
        }
        let nets = without_aliases(gather_words(system, nets));
        let all = nets.iter().map(|net| net.parts.len()).sum();
        if self.is_complete() {
            return Candidates { nets, all };
        }
        let has_names = nets.iter().any(|net| net.is_named);
        let is_wanted = |net: &Net| match (net.kind, no_root) {
            _ if net.is_named => true,
            (Kind::Wire, _) => false,
            (_, false) => matters(net),
            (_, true) => !has_names,
        };
        let is_cause = |net: &Net| net.kind == Kind::Input && relevance.is_some() && matters(net);
        let wanted = (0..nets.len()).filter(|&place| is_wanted(&nets[place]));
        let (mut chosen, mut others): (Vec<usize>, Vec<usize>) =
            wanted.partition(|&place| is_cause(&nets[place]));
        others.sort_by_key(|&place| (nets[place].kind == Kind::Wire, distance(&nets[place])));
        chosen.extend(others.into_iter().take(CONSIDERED));
        chosen.sort_unstable();
        Candidates { nets: chosen.into_iter().map(|place| nets[place].clone()).collect(), all }
    }

    /// The rows, of signals that were recorded; `all` is how many there could be.
    pub fn digest(&self, system: &TransitionSystem, mut waves: Waves, all: usize) -> Digest {
        let cycles = waves.cycles;
        if !self.is_complete() {
            waves.signals.retain(|signal| match signal.net.kind {
                Kind::Wire => signal.is_changing() || cycles == 1 && is_direct(&signal.net),
                Kind::Clock | Kind::Input | Kind::Register | Kind::Property => true,
            });
            waves.signals = most_important(without_repetitions(system, waves.signals));
        }
        waves.signals.sort_by_key(|signal| {
            let net = &signal.net;
            (net.kind, !net.is_named, is_quiet(signal), distance(net).0)
        });
        let shown: usize = waves.signals.iter().map(|signal| signal.net.parts.len()).sum();
        Digest { waves, left_out: all.saturating_sub(shown) }
    }

    fn is_complete(&self) -> bool {
        self.all || !self.patterns.is_empty()
    }
}

/// Removes anonymous registers that a wire shows as well. A wire behind an asynchronous reset has
/// the name of the register, and its value except during the reset.
fn without_repetitions(system: &TransitionSystem, signals: Vec<Signal>) -> Vec<Signal> {
    let is_repeated = |register: &Signal| {
        let is_anonymous = register.net.kind == Kind::Register && !register.net.is_named;
        is_anonymous && signals.iter().any(|wire| repeats(system, wire, register))
    };
    let repeated: Vec<bool> = signals.iter().map(is_repeated).collect();
    let kept = signals.into_iter().zip(repeated).filter(|(_, repeated)| !repeated);
    kept.map(|(signal, _)| signal).collect()
}

/// Is the register an operand of a named wire that has the same value wherever it matters?
fn repeats(system: &TransitionSystem, wire: &Signal, register: &Signal) -> bool {
    let ([expr], [symbol]) = (&wire.net.parts[..], &register.net.parts[..]) else { return false };
    if wire.net.kind != Kind::Wire || !wire.net.is_named {
        return false;
    }
    let mut is_operand = false;
    system.pool().for_each_operand(*expr, |operand| is_operand |= operand == *symbol);
    let agrees = |t: usize| !register.matters(t) || wire.values[t] == register.values[t];
    is_operand && (0..register.values.len()).all(agrees)
}

/// Not more rows than fit, but all inputs that matter.
fn most_important(signals: Vec<Signal>) -> Vec<Signal> {
    let is_needed = |signal: &Signal| {
        signal.net.kind == Kind::Input && (0..signal.values.len()).any(|t| signal.matters(t))
    };
    let needed = signals.iter().filter(|signal| is_needed(signal)).count();
    let room = ROWS.saturating_sub(needed).max(ROWS / 2);
    let mut others: Vec<usize> =
        (0..signals.len()).filter(|&place| !is_needed(&signals[place])).collect();
    others.sort_by_key(|&place| {
        let signal = &signals[place];
        (is_quiet(signal), !signal.net.is_named, distance(&signal.net))
    });
    let left_out: Vec<usize> = others.into_iter().skip(room).collect();
    let kept = signals.into_iter().enumerate().filter(|(place, _)| !left_out.contains(place));
    kept.map(|(_, signal)| signal).collect()
}

/// Does the property depend on it without any register in between?
fn is_direct(net: &Net) -> bool {
    net.distance.is_some_and(|distance| distance.registers == 0)
}

/// An input that does not matter, or something else that neither changes nor is near the
/// property.
fn is_quiet(signal: &Signal) -> bool {
    match signal.net.kind {
        Kind::Clock | Kind::Input => !(0..signal.values.len()).any(|t| signal.matters(t)),
        Kind::Register | Kind::Wire | Kind::Property => {
            !signal.is_changing() && !is_direct(&signal.net)
        }
    }
}

/// Registers and operators between the signal and the property.
fn distance(net: &Net) -> (usize, usize) {
    net.distance.map_or((usize::MAX, 0), |distance| (distance.registers, distance.operators))
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_formats::btor2;
    use elinvar_ir::{BitVec, PropertyId, Step, Value};

    fn system(text: &str) -> TransitionSystem {
        btor2::read(text.as_bytes()).unwrap().system
    }

    /// A trace of bits that start at 0, with these inputs in every cycle.
    fn trace(states: usize, inputs: &[u64], cycles: usize) -> Trace {
        let bit = |value: u64| Value::from(BitVec::new(1, value));
        let inputs = inputs.iter().map(|&value| bit(value)).collect();
        let step = Step { inputs, free: Vec::new() };
        let initial = vec![bit(0); states];
        Trace {
            property: PropertyId(0),
            initial,
            steps: vec![step; cycles].into(),
            loop_start: None,
        }
    }

    fn rows(digest: &Digest) -> Vec<&str> {
        digest.waves.signals.iter().map(|signal| &signal.net.name[..]).collect()
    }

    /// far ← clock and data; near ← far; bad if near; `wire` is far or data, `alias` is near.
    const CHAIN: &str = "1 sort bitvec 1\n2 input 1 clk\n3 input 1 data\n4 input 1 unused\n\
        5 zero 1\n6 state 1 far\n7 state 1 near\n8 state 1\n9 init 1 6 5\n10 init 1 7 5\n\
        11 or 1 6 3 wire\n12 next 1 6 11\n13 next 1 7 6\n14 or 1 7 8\n15 bad 14\n\
        16 output 7 alias\n17 and 1 3 4 beside\n18 next 1 8 8\n";

    #[test]
    fn a_view_has_what_the_property_depends_on() {
        let system = system(CHAIN);
        let trace = trace(3, &[0, 1, 1], 3);
        let of = |view: &View| view.of_counterexample(&system, &trace);
        let digest = of(&View::default());
        // The wire is 1 in all cycles; the anonymous register does not matter.
        assert_eq!(rows(&digest), ["data", "near", "far"]);
        assert_eq!(digest.left_out, 2);
        let all = of(&View { all: true, ..View::default() });
        let order = ["clk", "data", "unused", "near", "far", "state2", "wire", "beside"];
        assert_eq!((rows(&all), all.left_out), (Vec::from(order), 0));
        let asked = |pattern: &str| View { patterns: vec![pattern.into()], ..View::default() };
        assert_eq!(rows(&of(&asked("alias"))), ["alias"]);
        assert_eq!(rows(&of(&asked("c?k"))), ["clk"]);
        assert_eq!(rows(&of(&asked("*a*"))), ["data", "near", "far", "state2"]);
        assert_eq!(of(&asked("clk")).left_out, 0);
    }

    #[test]
    fn values_that_do_not_matter_are_not_known() {
        let system = system(CHAIN);
        let digest = View::default().of_counterexample(&system, &trace(3, &[0, 1, 1], 3));
        let data = &digest.waves.signals[0];
        let matters: Vec<bool> = (0..3).map(|cycle| data.matters(cycle)).collect();
        assert_eq!(matters, [true, false, false]);
    }

    #[test]
    fn the_farthest_registers_are_cut_but_no_input_that_matters() {
        let mut text = "1 sort bitvec 1\n2 zero 1\n".to_owned();
        let mut line = 3;
        let mut push = |words: String| {
            text.push_str(&format!("{line} {words}\n"));
            line += 1;
            line - 1
        };
        let states: Vec<usize> = (0..60).map(|i| push(format!("state 1 r{i}"))).collect();
        for &state in &states {
            push(format!("init 1 {state} 2"));
        }
        let mut all = push("one 1".to_owned());
        for i in 0..60 {
            let input = push(format!("input 1 x{i}"));
            all = push(format!("and 1 {all} {input}"));
        }
        push(format!("next 1 {} {all}", states[59]));
        for pair in states.windows(2) {
            push(format!("next 1 {} {}", pair[0], pair[1]));
        }
        push(format!("bad {}", states[0]));
        let system = system(&text);
        let digest = View::default().of_counterexample(&system, &trace(60, &[1; 60], 61));
        let rows = rows(&digest);
        assert_eq!((rows.len(), digest.left_out), (80, 40));
        assert!(rows[..60].iter().all(|name| name.starts_with('x')));
        assert_eq!(rows[60..62], ["r0", "r1"]);
    }

    /// The register without a name is shown by the wire, which a reset forces to 0.
    #[test]
    fn a_wire_behind_a_reset_is_shown_instead_of_its_register() {
        let text = "1 sort bitvec 2\n2 sort bitvec 1\n3 input 2 rst\n4 state 1\n5 zero 1\n\
            6 ite 1 3 5 4 count\n7 one 1\n8 add 1 6 7\n9 next 1 4 8\n10 constd 1 2\n\
            11 eq 2 6 10\n12 bad 11\n";
        let system = system(text);
        let inputs = |rst: u64| vec![BitVec::new(1, rst).into()].into();
        let step = |rst| Step { inputs: inputs(rst), free: Vec::new() };
        let (initial, steps) = (vec![BitVec::new(2, 1).into()], vec![step(1), step(0), step(0)]);
        let trace =
            Trace { property: PropertyId(0), initial, steps: steps.into(), loop_start: None };
        let digest = View::default().of_counterexample(&system, &trace);
        assert_eq!(rows(&digest), ["rst", "count"]);
        assert_eq!(digest.left_out, 1);
    }

    #[test]
    fn anonymous_signals_are_shown_where_nothing_has_a_name() {
        let text = "1 sort bitvec 1\n2 input 1\n3 state 1\n4 next 1 3 2\n5 bad 3\n";
        let system = system(text);
        let trace = trace(1, &[1], 2);
        let digest = View::default().of_counterexample(&system, &trace);
        assert_eq!(rows(&digest), ["input0", "state0"]);
        let candidates = View::default().candidates(&system, &[], None);
        assert_eq!(candidates.nets.len(), 2);
    }
}
