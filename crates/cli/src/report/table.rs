//! Tables of signals for people: a row a signal, a column a cycle.
//!
//! A value that differs from that of the cycle before is bold on a terminal
//! and carries a `*` elsewhere; a value that does not matter is a `-`. Long executions lose columns in the middle,
//! never at their ends; memories are listed by their changes.

use std::fmt::Write;
use std::io::IsTerminal;

use anstyle::Style;
use elinvar_ir::{ArrayValue, BitVec, Role, Value};

use elinvar::readable::waves::{Signal, Waves};

/// How a table is to look.
#[derive(Clone, Copy, Default)]
pub struct Look {
    /// Columns of the terminal.
    pub width: usize,
    /// May changes be shown by bold print?
    pub colour: bool,
    /// Are cycles numbered? Not where there is no time.
    pub numbered: bool,
}

impl Look {
    /// As fits standard output.
    pub fn of_stdout() -> Self {
        const ELSEWHERE: usize = 100;
        let stdout = std::io::stdout();
        let size = stdout.is_terminal().then(terminal_size::terminal_size).flatten();
        let width = size.map_or(ELSEWHERE, |(width, _)| usize::from(width.0));
        let colour = anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never;
        Look { width, colour, numbered: true }
    }
}

/// The widest decimal number; wider values are hexadecimal.
const DECIMAL_BITS: u32 = 16;
/// Digits of a hexadecimal number before its middle is cut out.
const HEX_DIGITS: usize = 16;
/// The longest name before it is cut.
const NAME: usize = 32;
/// Array elements listed for a cycle.
const ELEMENTS: usize = 8;

/// Renders the table; nothing when there are no signals.
pub fn render(waves: &Waves, look: Look) -> String {
    let mut text = String::new();
    let is_word = |signal: &&Signal| matches!(signal.values[0], Value::Bv(_));
    let (words, memories): (Vec<&Signal>, Vec<&Signal>) =
        waves.signals.iter().filter(|s| !s.values.is_empty()).partition(is_word);
    if !words.is_empty() {
        render_words(&mut text, waves.cycles, &words, look);
    }
    for memory in memories {
        render_memory(&mut text, memory, look);
    }
    text
}

fn render_words(text: &mut String, cycles: usize, signals: &[&Signal], look: Look) {
    let names: Vec<String> = signals.iter().map(|s| shorten(&s.name, NAME)).collect();
    let name_width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(5);
    let cells: Vec<Vec<Cell>> = signals.iter().map(|s| cells(s)).collect();
    let columns: Vec<usize> = (0..cycles)
        .map(|t| cells.iter().map(|row| row[t].width()).max().unwrap_or(0).max(digits(t) + 1))
        .collect();
    // Kind, name, and the spaces around them.
    let room = look.width.saturating_sub(name_width + 8);
    let shown = visible(&columns, room);

    if look.numbered {
        let mut header = format!("      {:<name_width$} ", "cycle");
        for_each_column(&shown, &mut header, |header, t| {
            write!(header, " {:>width$} ", t, width = columns[t] - 1)
        });
        text.push_str(header.trim_end());
        text.push('\n');
    }
    for ((signal, name), row) in signals.iter().zip(&names).zip(&cells) {
        let mut line = format!("  {:<3} {name:<name_width$} ", kind(signal));
        for_each_column(&shown, &mut line, |line, t| row[t].write(line, columns[t], look.colour));
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

fn for_each_column(
    shown: &Visible,
    line: &mut String,
    mut write: impl FnMut(&mut String, usize) -> std::fmt::Result,
) {
    for t in 0..shown.head {
        write(line, t).expect("strings do not fail");
    }
    if shown.tail > shown.head {
        line.push_str(" … ");
    }
    for t in shown.tail..shown.end {
        write(line, t).expect("strings do not fail");
    }
}

/// Columns before `head` and from `tail` to `end` are shown.
struct Visible {
    head: usize,
    tail: usize,
    end: usize,
}

/// As many columns as fit, from both ends; always the first and the last two.
fn visible(columns: &[usize], room: usize) -> Visible {
    let end = columns.len();
    let cost = |t: usize| columns[t] + 1;
    if (0..end).map(cost).sum::<usize>() <= room || end <= 3 {
        return Visible { head: end, tail: end, end };
    }
    let (mut head, mut tail) = (1, end - 2);
    let mut used = cost(0) + cost(end - 2) + cost(end - 1) + 3;
    while tail > head + 1 {
        // The end of the execution matters more: it gets two columns of three.
        let from_tail = end - tail < 2 * head;
        let next = if from_tail { tail - 1 } else { head };
        used += cost(next);
        if used > room {
            break;
        }
        if from_tail {
            tail -= 1;
        } else {
            head += 1;
        }
    }
    Visible { head, tail, end }
}

struct Cell {
    text: String,
    changed: bool,
}

impl Cell {
    /// With room for the mark of a change.
    fn width(&self) -> usize {
        self.text.chars().count() + 1
    }

    fn write(&self, line: &mut String, width: usize, colour: bool) -> std::fmt::Result {
        let pad = width - self.width();
        let (bold, mark) = match (self.changed, colour) {
            (true, true) => (Style::new().bold(), ' '),
            (true, false) => (Style::new(), '*'),
            (false, _) => (Style::new(), ' '),
        };
        write!(line, " {:pad$}{bold}{}{bold:#}{mark}", "", self.text)
    }
}

fn cells(signal: &Signal) -> Vec<Cell> {
    let cell = |t: usize| {
        if !signal.matters[t] {
            return Cell { text: "-".to_owned(), changed: false };
        }
        let changed = t > 0 && signal.matters[t - 1] && signal.values[t] != signal.values[t - 1];
        Cell { text: show(signal.values[t].bv()), changed }
    };
    (0..signal.values.len()).map(cell).collect()
}

fn kind(signal: &Signal) -> &'static str {
    match signal.role {
        Role::Input(_) => "in",
        Role::State(_) => "reg",
    }
}

/// The contents at the start, then what changes.
fn render_memory(text: &mut String, memory: &Signal, look: Look) {
    let name = &memory.name;
    for (t, value) in memory.values.iter().enumerate() {
        let array = value.array();
        let before = t.checked_sub(1).map(|t| memory.values[t].array());
        if let Some(changes) = changes(before, array) {
            let when = if look.numbered { format!(" in cycle {t}") } else { String::new() };
            writeln!(text, "  mem {name}{when}: {changes}").expect("strings do not fail");
        }
    }
}

fn changes(before: Option<&ArrayValue>, now: &ArrayValue) -> Option<String> {
    let same_default = before.filter(|b| b.default_element() == now.default_element());
    let mut parts: Vec<(BitVec, BitVec)> = Vec::new();
    let differs = |index: &BitVec| same_default.is_none_or(|b| b.read(index) != now.read(index));
    let indices = now.entries().chain(same_default.into_iter().flat_map(ArrayValue::entries));
    for (index, _) in indices {
        if differs(index) {
            parts.push((index.clone(), now.read(index).clone()));
        }
    }
    parts.sort();
    parts.dedup();
    let mut shown: Vec<String> =
        parts.iter().take(ELEMENTS).map(|(i, e)| format!("[{}] = {}", show(i), show(e))).collect();
    if parts.len() > ELEMENTS {
        shown.push(format!("{} more", parts.len() - ELEMENTS));
    }
    if same_default.is_none() {
        let rest = if shown.is_empty() { "all" } else { "all else" };
        shown.push(format!("{rest} = {}", show(now.default_element())));
    }
    (!shown.is_empty()).then(|| shown.join(", "))
}

/// A value: decimal while short, else hexadecimal.
pub fn show(value: &BitVec) -> String {
    if value.width() <= DECIMAL_BITS {
        return value.to_decimal();
    }
    let digits = hexadecimal(value);
    let hex = match digits.trim_start_matches('0') {
        "" => "0",
        significant => significant,
    };
    if hex.len() <= HEX_DIGITS {
        return format!("0x{hex}");
    }
    let (head, tail) = (&hex[..HEX_DIGITS / 2 - 1], &hex[hex.len() - HEX_DIGITS / 2..]);
    format!("0x{head}…{tail}")
}

/// All digits of the width.
fn hexadecimal(value: &BitVec) -> String {
    let nibbles = value.width().div_ceil(4);
    let digit = |nibble: u32| {
        let bits = (0..4).filter(|b| nibble * 4 + b < value.width());
        let number = bits.fold(0, |sum, b| sum | u32::from(value.bit(nibble * 4 + b)) << b);
        char::from_digit(number, 16).expect("below 16")
    };
    (0..nibbles).rev().map(digit).collect()
}

/// At most `limit` characters, the end kept: that is where names differ.
pub fn shorten(name: &str, limit: usize) -> String {
    let length = name.chars().count();
    if length <= limit {
        return name.to_owned();
    }
    std::iter::once('…').chain(name.chars().skip(length - limit + 1)).collect()
}

fn digits(number: usize) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(name: &str, role: Role, values: Vec<Value>) -> Signal {
        let matters = vec![true; values.len()];
        Signal { name: name.to_owned(), role, values, matters, stands_for: 1 }
    }

    fn counter(cycles: u64) -> Waves {
        let count = (0..cycles).map(|t| BitVec::new(8, t).into()).collect();
        let idle = (0..cycles).map(|_| BitVec::new(1, 1).into()).collect();
        let signals =
            vec![signal("enable", Role::Input(0), idle), signal("n", Role::State(0), count)];
        Waves { signals, cycles: cycles as usize }
    }

    #[test]
    fn changes_are_marked() {
        let text = render(&counter(3), Look { width: 80, colour: false, numbered: true });
        let expected = "      cycle   0  1  2\n  in  enable  1  1  1\n  reg n       0  1* 2*\n";
        assert_eq!(text, expected);
        let bold = render(&counter(2), Look { width: 80, colour: true, numbered: true });
        assert!(bold.contains("\u{1b}[1m1\u{1b}[0m") && !bold.contains('*'), "{bold:?}");
    }

    #[test]
    fn values_that_do_not_matter_are_not_shown() {
        let mut waves = counter(4);
        waves.signals[1].matters[1] = false;
        let text = render(&waves, Look { width: 80, colour: false, numbered: true });
        assert!(text.ends_with("  reg n       0  -  2  3*\n"), "{text}");
    }

    #[test]
    fn long_executions_keep_their_ends() {
        let text = render(&counter(200), Look { width: 60, colour: false, numbered: true });
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() <= 60), "{text}");
        assert!(lines[0].contains("cycle   0 ") && lines[0].ends_with("198  199"), "{text}");
        assert!(lines.iter().all(|line| line.contains(" … ")));
    }

    #[test]
    fn wide_values_are_hexadecimal_and_cut() {
        assert_eq!(show(&BitVec::new(16, 65535)), "65535");
        assert_eq!(show(&BitVec::new(17, 0x1ffff)), "0x1ffff");
        assert_eq!(show(&BitVec::new(64, 0xabc)), "0xabc");
        assert_eq!(show(&BitVec::zero(64)), "0x0");
        assert_eq!(show(&BitVec::ones(512)), "0xfffffff…ffffffff");
    }

    #[test]
    fn memories_are_listed_by_their_changes() {
        let zero = ArrayValue::constant(4, BitVec::zero(8));
        let mut written = zero.clone();
        written.write(BitVec::new(4, 3), BitVec::new(8, 7));
        let values = vec![zero.clone().into(), written.clone().into(), written.into(), zero.into()];
        let waves = Waves { signals: vec![signal("m", Role::State(0), values)], cycles: 4 };
        let text = render(&waves, Look { width: 80, colour: false, numbered: true });
        let expected = "  mem m in cycle 0: all = 0\n  mem m in cycle 1: [3] = 7\n  \
                        mem m in cycle 3: [3] = 0\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn without_time_there_are_no_numbers_of_cycles() {
        let text = render(&counter(1), Look { width: 80, colour: false, numbered: false });
        assert_eq!(text, "  in  enable  1\n  reg n       0\n");
    }

    #[test]
    fn long_names_keep_their_end() {
        assert_eq!(shorten("abcdef", 4), "…def");
        assert_eq!(shorten("abcd", 4), "abcd");
    }
}
