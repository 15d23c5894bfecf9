//! Tables of signals: a row for each signal, a column for each cycle.
//!
//! A value that differs from that of the cycle before is bold on a terminal and has a `*`
//! elsewhere. A value that does not matter is a `-`. Long executions are written in pages, see
//! [`super::pages`].

use std::fmt::Write;
use std::ops::Range;

use anstyle::Style;
use elinvar::readable::nets::Kind;
use elinvar::readable::relevance::Known;
use elinvar::readable::waves::{Signal, Waves};
use elinvar::readable::{count, number};
use elinvar_ir::{BitVec, Value};

use super::pages::{Column, Page, Pages, Shape};
use super::{constants, memory};
use crate::terminal::{self, columns};
use crate::trace_options::Radix;

/// What a table looks like.
#[derive(Clone, Copy, Default)]
pub struct Look {
    /// Columns of the terminal.
    pub width: usize,
    /// Is there a terminal?
    pub terminal: bool,
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
        let terminal = terminal::stdout_width();
        let choice = anstream::AutoStream::choice(&std::io::stdout());
        Look {
            width: terminal.unwrap_or(ELSEWHERE),
            terminal: terminal.is_some(),
            colour: choice != anstream::ColorChoice::Never,
            numbered: true,
            ..Look::default()
        }
    }

    /// The width that text has to fit: none if there is no terminal, so that scripts see the
    /// same everywhere, or if nothing may be cut.
    pub fn limit(&self) -> Option<usize> {
        (self.terminal && !self.complete).then_some(self.width)
    }
}

const STRINGS: &str = "strings do not fail";

/// Digits of a number before its middle is cut out.
const DIGITS: usize = 18;
/// The longest name before it is cut.
const NAME: usize = 32;
/// Narrow terminals leave so much of a name.
const LEAST_NAME: usize = 12;

/// Renders the table; nothing when there are no signals.
pub fn render(waves: &Waves, look: Look) -> String {
    let mut text = String::new();
    let is_word = |signal: &&Signal| matches!(signal.values[0], Value::Bv(_));
    let (words, memories): (Vec<&Signal>, Vec<&Signal>) =
        waves.signals.iter().filter(|s| !s.values.is_empty()).partition(is_word);
    let (words, constant) = constants::split(words, look);
    if !words.is_empty() {
        render_words(&mut text, waves, &words, look);
    }
    if let Some(start) = waves.loop_start {
        let mark = if words.is_empty() { "" } else { ", marked >" };
        let last = waves.cycles - 1;
        writeln!(text, "  after cycle {last} back to cycle {start}{mark}").expect(STRINGS);
    }
    text.push_str(&constants::render(&constant, look));
    for memory in memories {
        memory::render(&mut text, memory, look);
    }
    text
}

fn render_words(text: &mut String, waves: &Waves, signals: &[&Signal], look: Look) {
    let most = if look.complete { usize::MAX } else { NAME.min((look.width / 3).max(LEAST_NAME)) };
    let names: Vec<String> = signals.iter().map(|s| shorten(&s.net.name, most)).collect();
    let longest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let name_width = longest(&mut names.iter().map(|name| columns(name))).max(5);
    let kind_width = longest(&mut signals.iter().map(|signal| kind(signal).len())).max(3);
    let cells: Vec<Vec<Cell>> = signals.iter().map(|s| cells(s, look)).collect();
    let loop_start = waves.loop_start;
    let grid = Grid { signals, names, name_width, kind_width, cells, loop_start, look };
    let shape = Shape {
        cycles: waves.cycles,
        // Kind, name, and the spaces around them.
        room: look.width.saturating_sub(name_width + kind_width + 5),
        height: signals.len() + usize::from(look.numbered),
        changes: &|t| grid.cells.iter().any(|row| !row[t].same),
        width: &|t, full| grid.width(t, full),
    };
    if look.complete {
        grid.write_pages(text, &shape.complete());
        return;
    }
    let Pages { first, left_out, last } = shape.pages();
    grid.write_pages(text, &first);
    if let Some(cycles) = left_out {
        let separator = if last.is_empty() { "" } else { "\n" };
        text.extend([separator, &left_out_note(&cycles), separator]);
        grid.write_pages(text, &last);
    }
    let is_short = |column: &Column| grid.cells.iter().any(|row| row[column.cycle].is_dot(column));
    if first.iter().chain(&last).flatten().any(is_short) {
        text.push_str("  . stands for the value of the cycle before\n");
    }
}

fn left_out_note(cycles: &Range<usize>) -> String {
    let (number, first, last) = (count(cycles.len(), "cycle"), cycles.start, cycles.end - 1);
    let are = if cycles.len() == 1 { "is" } else { "are" };
    format!("  … {number} ({first} to {last}) {are} left out; --all shows them\n")
}

/// The signals of a table with their values.
struct Grid<'a> {
    signals: &'a [&'a Signal],
    names: Vec<String>,
    name_width: usize,
    kind_width: usize,
    /// By signal and cycle.
    cells: Vec<Vec<Cell>>,
    /// The first cycle of the loop.
    loop_start: Option<usize>,
    look: Look,
}

impl Grid<'_> {
    /// Columns of a cycle.
    fn width(&self, t: usize, full: bool) -> usize {
        let cells = self.cells.iter().map(|row| row[t].width(full));
        cells.max().unwrap_or(0).max(digits(t) + 1)
    }

    fn write_pages(&self, text: &mut String, pages: &[Page]) {
        for (number, page) in pages.iter().enumerate() {
            if number > 0 {
                text.push('\n');
            }
            if self.look.numbered {
                self.write_line(text, page, "", "cycle", |line, column| {
                    let mark = if self.loop_start == Some(column.cycle) { ">" } else { "" };
                    let label = format!("{mark}{}", column.cycle);
                    write!(line, "{label:>width$} ", width = column.width)
                });
            }
            for ((signal, name), row) in self.signals.iter().zip(&self.names).zip(&self.cells) {
                self.write_line(text, page, kind(signal), name, |line, column| {
                    row[column.cycle].write(line, column, self.look.colour)
                });
            }
        }
    }

    fn write_line(
        &self,
        text: &mut String,
        page: &Page,
        kind: &str,
        name: &str,
        write: impl Fn(&mut String, &Column) -> std::fmt::Result,
    ) {
        let (kind_width, pad) = (self.kind_width, self.name_width - columns(name));
        let mut line = format!("  {kind:<kind_width$} {name}{:pad$} ", "");
        for column in page {
            if column.after_gap {
                line.push_str(" … ");
            }
            write(&mut line, column).expect("strings do not fail");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

struct Cell {
    text: String,
    changed: bool,
    /// Does it look like that of the cycle before?
    same: bool,
}

impl Cell {
    /// What is shown, if all values are or else only those that change.
    fn shown(&self, full: bool) -> &str {
        if full || !self.same || self.text == UNKNOWN { &self.text } else { SAME }
    }

    /// Does a dot stand for the value of the cycle before?
    fn is_dot(&self, column: &Column) -> bool {
        self.shown(column.full) == SAME
    }

    /// With room for the mark of a change.
    fn width(&self, full: bool) -> usize {
        self.shown(full).chars().count() + 1
    }

    fn write(&self, line: &mut String, column: &Column, colour: bool) -> std::fmt::Result {
        let pad = column.width - self.width(column.full);
        let (bold, mark) = match (self.changed, colour) {
            (true, true) => (Style::new().bold(), ' '),
            (true, false) => (Style::new(), '*'),
            (false, _) => (Style::new(), ' '),
        };
        write!(line, " {:pad$}{bold}{}{bold:#}{mark}", "", self.shown(column.full))
    }
}

/// The value of the cycle before.
const SAME: &str = ".";

/// A value that does not matter.
const UNKNOWN: &str = "-";

fn cells(signal: &Signal, look: Look) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    for t in 0..signal.values.len() {
        let (text, changed) = match signal.matters(t) {
            false => (UNKNOWN.to_owned(), false),
            true => (show(signal.values[t].bv(), &signal.known[t], look), signal.changes(t)),
        };
        // A long value may change in digits that are not shown.
        let same = !changed && cells.last().is_some_and(|before| before.text == text);
        cells.push(Cell { text, changed, same });
    }
    cells
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
        Radix::Auto => number(value),
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

/// At most `limit` columns, the end kept: that is where names differ.
pub fn shorten(name: &str, limit: usize) -> String {
    if columns(name) <= limit {
        return name.to_owned();
    }
    let too_long = |&(at, _): &(usize, char)| columns(&name[at..]) >= limit;
    let start = name.char_indices().find(|at| !too_long(at)).map_or(name.len(), |(at, _)| at);
    format!("…{}", &name[start..])
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
        Waves { signals, cycles: cycles as usize, loop_start: None }
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
    fn long_executions_have_pages() {
        let text = render(&counter(40), look(60));
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert!(text.starts_with("      cycle   0  1  2 "), "{text}");
        assert!(text.contains("  in  enable  1  .  . "), "{text}");
        assert!(text.contains(" 38  39\n") && text.contains(" 38* 39*\n"), "{text}");
        assert!(text.ends_with("\n  . stands for the value of the cycle before\n"), "{text}");
    }

    #[test]
    fn very_long_executions_keep_their_first_and_last_pages() {
        let text = render(&counter(600), look(60));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() <= 65, "{text}");
        assert!(lines.iter().all(|line| line.chars().count() <= 60), "{text}");
        assert!(lines[0].contains("cycle   0 ") && text.contains(" 598  599\n"), "{text}");
        assert!(text.contains(") are left out; --all shows them\n\n"), "{text}");
    }

    #[test]
    fn many_signals_keep_the_ends_of_an_execution() {
        let mut waves = counter(200);
        waves.signals.resize_with(40, || counter(200).signals.remove(1));
        let text = render(&waves, look(60));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 42, "{text}");
        assert!(lines[0].contains("cycle   0 ") && lines[0].ends_with("198  199"), "{text}");
        assert!(lines[..41].iter().all(|line| line.contains(" … ")), "{text}");
        assert!(lines[41].ends_with(") are left out; --all shows them"), "{text}");
    }

    #[test]
    fn cycles_without_changes_are_left_out() {
        let mut waves = counter(100);
        waves.signals.pop();
        let text = render(&waves, look(60));
        let expected = "      cycle   0  …  98  99\n  in  enable  1  …   .   .\n  \
                        . stands for the value of the cycle before\n";
        assert_eq!(text, expected);
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

    #[test]
    fn the_start_of_a_loop_is_marked() {
        let waves = Waves { loop_start: Some(2), ..counter(4) };
        let look = Look { width: 80, numbered: true, ..Look::default() };
        let text = render(&waves, look);
        let head = text.lines().next().unwrap();
        assert!(head.contains(" 1 >2  3"), "{text}");
        assert!(text.contains("\n  after cycle 3 back to cycle 2, marked >\n"), "{text}");
        assert!(!render(&counter(4), look).contains('>'), "{text}");
    }
}
