//! Tables of signals: a row for each signal, a column for each cycle.
//!
//! A value that differs from that of the cycle before is bold on a terminal and has a `*`
//! elsewhere. A value that does not matter is a `-`. Long executions lose columns in the middle,
//! never at their ends, or are written in several blocks.

use std::fmt::Write;
use std::io::IsTerminal;

use anstyle::Style;
use elinvar::readable::nets::Kind;
use elinvar::readable::relevance::Known;
use elinvar::readable::waves::{Signal, Waves};
use elinvar_ir::{BitVec, Value};

use super::memory;
use crate::trace_options::Radix;

/// What a table looks like.
#[derive(Clone, Copy, Default)]
pub struct Look {
    /// Columns of the terminal.
    pub width: usize,
    /// May changes be shown by bold print?
    pub colour: bool,
    /// Are cycles numbered? Not where there is no time.
    pub numbered: bool,
    /// How numbers are written.
    pub radix: Radix,
    /// Nothing is cut: neither names nor values nor columns.
    pub complete: bool,
}

impl Look {
    /// As fits standard output.
    pub fn of_stdout() -> Self {
        const ELSEWHERE: usize = 100;
        let stdout = std::io::stdout();
        let size = stdout.is_terminal().then(terminal_size::terminal_size).flatten();
        let width = size.map_or(ELSEWHERE, |(width, _)| usize::from(width.0));
        let colour = anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never;
        Look { width, colour, numbered: true, ..Look::default() }
    }
}

/// The widest decimal number; wider values are hexadecimal.
const DECIMAL_BITS: u32 = 16;
/// Digits of a number before its middle is cut out.
const DIGITS: usize = 18;
/// The longest name before it is cut.
const NAME: usize = 32;

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
        memory::render(&mut text, memory, look);
    }
    text
}

fn render_words(text: &mut String, cycles: usize, signals: &[&Signal], look: Look) {
    let most = if look.complete { usize::MAX } else { NAME };
    let names: Vec<String> = signals.iter().map(|s| shorten(&s.net.name, most)).collect();
    let longest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let name_width = longest(&mut names.iter().map(|name| name.chars().count())).max(5);
    let kind_width = longest(&mut signals.iter().map(|signal| kind(signal).len())).max(3);
    let cells: Vec<Vec<Cell>> = signals.iter().map(|s| cells(s, look)).collect();
    let columns: Vec<usize> = (0..cycles)
        .map(|t| cells.iter().map(|row| row[t].width()).max().unwrap_or(0).max(digits(t) + 1))
        .collect();
    // Kind, name, and the spaces around them.
    let room = look.width.saturating_sub(name_width + kind_width + 5);
    let blocks = if look.complete { blocks(&columns, room) } else { vec![visible(&columns, room)] };
    for (number, shown) in blocks.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        if look.numbered {
            let mut header = format!("  {:kind_width$} {:<name_width$} ", "", "cycle");
            for_each_column(shown, &mut header, |header, t| {
                write!(header, " {:>width$} ", t, width = columns[t] - 1)
            });
            text.push_str(header.trim_end());
            text.push('\n');
        }
        for ((signal, name), row) in signals.iter().zip(&names).zip(&cells) {
            let mut line = format!("  {:<kind_width$} {name:<name_width$} ", kind(signal));
            for_each_column(shown, &mut line, |line, t| {
                row[t].write(line, columns[t], look.colour)
            });
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
}

fn for_each_column(
    shown: &Visible,
    line: &mut String,
    mut write: impl FnMut(&mut String, usize) -> std::fmt::Result,
) {
    for t in shown.start..shown.head {
        write(line, t).expect("strings do not fail");
    }
    if shown.tail > shown.head {
        line.push_str(" … ");
    }
    for t in shown.tail..shown.end {
        write(line, t).expect("strings do not fail");
    }
}

/// Columns from `start` to `head` and from `tail` to `end` are shown.
struct Visible {
    start: usize,
    head: usize,
    tail: usize,
    end: usize,
}

/// As many columns as fit, from both ends; always the first and the last two.
fn visible(columns: &[usize], room: usize) -> Visible {
    let end = columns.len();
    let cost = |t: usize| columns[t] + 1;
    if (0..end).map(cost).sum::<usize>() <= room || end <= 3 {
        return Visible { start: 0, head: end, tail: end, end };
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
    Visible { start: 0, head, tail, end }
}

/// All columns, in blocks that fit.
fn blocks(columns: &[usize], room: usize) -> Vec<Visible> {
    let mut blocks = Vec::new();
    let mut start = 0;
    while start < columns.len() {
        let mut used = 0;
        let fits = |&t: &usize| {
            used += columns[t] + 1;
            used <= room || t == start
        };
        let end = (start..columns.len()).take_while(fits).last().expect("the first fits") + 1;
        blocks.push(Visible { start, head: end, tail: end, end });
        start = end;
    }
    blocks
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

fn cells(signal: &Signal, look: Look) -> Vec<Cell> {
    let cell = |t: usize| {
        if !signal.matters(t) {
            return Cell { text: "-".to_owned(), changed: false };
        }
        let text = show(signal.values[t].bv(), &signal.known[t], look);
        Cell { text, changed: signal.changes(t) }
    };
    (0..signal.values.len()).map(cell).collect()
}

fn kind(signal: &Signal) -> &'static str {
    match signal.net.kind {
        Kind::Clock => "clk",
        Kind::Input => "in",
        Kind::Register => "reg",
        Kind::Wire => "wire",
        Kind::Property => "bad",
    }
}

/// A value, of which some bits matter.
pub(super) fn show(value: &BitVec, known: &Known, look: Look) -> String {
    let width = value.width();
    let mask = known.word(width);
    let text = match look.radix {
        Radix::Auto if width <= DECIMAL_BITS => value.to_decimal(),
        Radix::Auto => hexadecimal(value, &BitVec::ones(width)),
        Radix::Hex if width > 1 => hexadecimal(value, &mask),
        Radix::Signed if width > 1 && value.sign() => format!("-{}", value.neg().to_decimal()),
        Radix::Binary => (0..width).rev().map(|bit| digit(value, &mask, bit, 1)).collect(),
        Radix::Decimal | Radix::Signed | Radix::Hex => value.to_decimal(),
    };
    if look.complete { text } else { cut(&text) }
}

/// `0x` and the digits, without zeros in front.
fn hexadecimal(value: &BitVec, mask: &BitVec) -> String {
    let nibbles = (0..value.width().div_ceil(4)).rev();
    let digits: String = nibbles.map(|nibble| digit(value, mask, 4 * nibble, 4)).collect();
    match digits.trim_start_matches('0') {
        "" => "0x0".to_owned(),
        significant => format!("0x{significant}"),
    }
}

/// A digit of some bits; `x` if one of them does not matter.
fn digit(value: &BitVec, mask: &BitVec, lowest: u32, bits: u32) -> char {
    let bits = || (0..bits).filter(|bit| lowest + bit < value.width());
    if !bits().all(|bit| mask.bit(lowest + bit)) {
        return 'x';
    }
    let number = bits().fold(0, |sum, bit| sum | u32::from(value.bit(lowest + bit)) << bit);
    char::from_digit(number, 16).expect("below 16")
}

/// A number without its middle, if it is long.
fn cut(number: &str) -> String {
    if number.len() <= DIGITS {
        return number.to_owned();
    }
    let (head, tail) = (&number[..DIGITS / 2], &number[number.len() - DIGITS / 2 + 1..]);
    format!("{head}…{tail}")
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
pub(super) mod tests {
    use super::*;
    use elinvar::readable::nets::Net;

    pub fn signal(name: &str, kind: Kind, values: Vec<Value>) -> Signal {
        let known = vec![Known::All; values.len()];
        let parts = Vec::new();
        let net = Net { name: name.to_owned(), kind, parts, is_named: true, distance: None };
        Signal { net, values, known }
    }

    fn counter(cycles: u64) -> Waves {
        let count = (0..cycles).map(|t| BitVec::new(8, t).into()).collect();
        let idle = (0..cycles).map(|_| BitVec::new(1, 1).into()).collect();
        let signals = vec![signal("enable", Kind::Input, idle), signal("n", Kind::Register, count)];
        Waves { signals, cycles: cycles as usize }
    }

    pub fn look(width: usize) -> Look {
        Look { width, numbered: true, ..Look::default() }
    }

    #[test]
    fn changes_are_marked() {
        let text = render(&counter(3), look(80));
        let expected = "      cycle   0  1  2\n  in  enable  1  1  1\n  reg n       0  1* 2*\n";
        assert_eq!(text, expected);
        let bold = render(&counter(2), Look { colour: true, ..look(80) });
        assert!(bold.contains("\u{1b}[1m1\u{1b}[0m") && !bold.contains('*'), "{bold:?}");
    }

    #[test]
    fn values_that_do_not_matter_are_not_shown() {
        let mut waves = counter(4);
        waves.signals[1].known[1] = Known::none(elinvar_ir::Sort::Bv(8));
        let text = render(&waves, look(80));
        assert!(text.ends_with("  reg n       0  -  2  3*\n"), "{text}");
    }

    #[test]
    fn long_executions_keep_their_ends() {
        let text = render(&counter(200), look(60));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() <= 60), "{text}");
        assert!(lines[0].contains("cycle   0 ") && lines[0].ends_with("198  199"), "{text}");
        assert!(lines.iter().all(|line| line.contains(" … ")));
    }

    #[test]
    fn complete_tables_are_written_in_blocks() {
        let text = render(&counter(30), Look { complete: true, ..look(60) });
        let headers: Vec<&str> = text.lines().filter(|line| line.contains("cycle")).collect();
        assert_eq!(headers.len(), 3, "{text}");
        assert!(headers[0].contains(" 0  1 ") && headers[2].ends_with(" 29"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
    }

    #[test]
    fn wires_have_a_wider_kind() {
        let mut waves = counter(2);
        waves.signals[1].net.kind = Kind::Wire;
        let expected = "       cycle   0  1\n  in   enable  1  1\n  wire n       0  1*\n";
        assert_eq!(render(&waves, look(80)), expected);
    }

    #[test]
    fn wide_values_are_hexadecimal_and_cut() {
        let show = |value: &BitVec| show(value, &Known::All, Look::default());
        assert_eq!(show(&BitVec::new(16, 65535)), "65535");
        assert_eq!(show(&BitVec::new(17, 0x1ffff)), "0x1ffff");
        assert_eq!(show(&BitVec::new(64, 0xabc)), "0xabc");
        assert_eq!(show(&BitVec::zero(64)), "0x0");
        assert_eq!(show(&BitVec::ones(512)), "0xfffffff…ffffffff");
    }

    #[test]
    fn numbers_are_written_in_any_radix() {
        let show = |radix, width, value| {
            show(&BitVec::new(width, value), &Known::All, Look { radix, ..Look::default() })
        };
        assert_eq!(show(Radix::Binary, 5, 6), "00110");
        assert_eq!(show(Radix::Decimal, 40, 1 << 32), "4294967296");
        assert_eq!(show(Radix::Signed, 4, 15), "-1");
        assert_eq!(show(Radix::Signed, 4, 8), "-8");
        assert_eq!(show(Radix::Signed, 4, 7), "7");
        assert_eq!(show(Radix::Hex, 12, 0x1f), "0x1f");
        for radix in [Radix::Auto, Radix::Binary, Radix::Decimal, Radix::Signed, Radix::Hex] {
            assert_eq!(show(radix, 1, 1), "1");
        }
    }

    #[test]
    fn digits_that_do_not_matter_are_not_shown() {
        let known = Known::of(BitVec::new(8, 0b1111_0111).into());
        let show = |radix| show(&BitVec::new(8, 0x5a), &known, Look { radix, ..Look::default() });
        assert_eq!(show(Radix::Binary), "0101x010");
        assert_eq!(show(Radix::Hex), "0x5x");
        assert_eq!(show(Radix::Decimal), "90");
    }

    #[test]
    fn without_time_there_are_no_numbers_of_cycles() {
        let text = render(&counter(1), Look { numbered: false, ..look(80) });
        assert_eq!(text, "  in  enable  1\n  reg n       0\n");
    }

    #[test]
    fn long_names_keep_their_end() {
        assert_eq!(shorten("abcdef", 4), "…def");
        assert_eq!(shorten("abcd", 4), "abcd");
    }
}
