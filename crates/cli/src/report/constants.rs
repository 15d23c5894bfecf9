//! Signals that keep their value for the whole trace, listed by value instead of in rows.

use elinvar::readable::relevance::Known;
use elinvar::readable::waves::Signal;

use super::columns::flow;
use super::table::{Look, show};

/// Tables with more rows than this lose those of constant signals.
const ROWS: usize = 40;

/// Splits signals into those that need a row and those that are constant wherever they matter.
/// In a small table all signals have rows.
pub fn split(signals: Vec<&Signal>, look: Look) -> (Vec<&Signal>, Vec<&Signal>) {
    if look.complete || signals.len() <= ROWS {
        return (signals, Vec::new());
    }
    signals.into_iter().partition(|signal| value(signal, look).is_none())
}

/// The value of a constant signal, as it is shown.
fn value(signal: &Signal, look: Look) -> Option<String> {
    let mut values = (0..signal.values.len())
        .filter(|&t| signal.matters(t))
        .map(|t| show(signal.values[t].bv(), &Known::All, look));
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// A line for each value, with the names of the signals that have it.
pub fn render(constant: &[&Signal], look: Look) -> String {
    let mut by_value: Vec<(String, Vec<&str>)> = Vec::new();
    for signal in constant {
        let Some(value) = value(signal, look) else { continue };
        let name = signal.net.name.as_str();
        match by_value.iter_mut().find(|(known, _)| *known == value) {
            Some((_, names)) => names.push(name),
            None => by_value.push((value, vec![name])),
        }
    }
    let line = |(value, names): &(String, Vec<&str>)| {
        flow(&format!("  always {value}: {}\n", names.join(", ")), Some(look.width))
    };
    by_value.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::render as table;
    use crate::report::table::tests::{look, signal};
    use elinvar::readable::nets::Kind;
    use elinvar::readable::waves::Waves;
    use elinvar_ir::{BitVec, Sort, Value};

    fn waves(constants: usize) -> Waves {
        let bits = |values: [u64; 3]| values.map(|bit| Value::from(BitVec::new(1, bit))).to_vec();
        let constant = |n: usize| signal(&format!("c{n}"), Kind::Input, bits([0, 0, 0]));
        let mut signals: Vec<Signal> = (0..constants).map(constant).collect();
        signals.push(signal("n", Kind::Register, bits([0, 1, 0])));
        Waves { signals, cycles: 3, loop_start: None }
    }

    #[test]
    fn large_tables_list_constant_signals_by_value() {
        let mut waves = waves(60);
        // Where it does not matter, a signal may have another value.
        waves.signals[0].values[1] = BitVec::new(1, 1).into();
        waves.signals[0].known[1] = Known::none(Sort::Bv(1));
        let text = table(&waves, look(80));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["      cycle  0  1  2", "  reg n      0  1* 0*"], "{text}");
        assert!(lines[2].starts_with("  always 0: c0, c1, c2, "), "{text}");
        assert!(text.ends_with(", c59\n") && lines.len() < 10, "{text}");
        assert!(lines.iter().all(|line| line.len() <= 80), "{text}");
    }

    #[test]
    fn small_and_complete_tables_have_a_row_for_each_signal() {
        assert_eq!(table(&waves(20), look(80)).lines().count(), 22);
        let complete = Look { complete: true, ..look(80) };
        assert_eq!(table(&waves(60), complete).lines().count(), 62);
    }
}
