//! Evidence for people: the values of signals over the cycles of a trace, invariants over
//! words as text, and the runs of programs by source lines.

pub mod digest;
pub mod invariant;
pub mod nets;
pub mod program;
pub mod relevance;
pub mod sentence;
pub mod story;
pub mod value;
pub mod waveform;
pub mod waves;

use std::fmt::Write;
use std::time::Duration;

use elinvar_ir::BitVec;

/// A number with its unit: `1 cycle`, `2 cycles`.
///
/// ```
/// assert_eq!(elinvar::readable::count(1, "cycle"), "1 cycle");
/// ```
pub fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// A time in seconds: `0.05 s`.
///
/// ```
/// let time = std::time::Duration::from_millis(50);
/// assert_eq!(elinvar::readable::seconds(time), "0.05 s");
/// ```
pub fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// A word as people write it: decimal up to 16 bits, hexadecimal beyond.
///
/// ```
/// use elinvar::ir::BitVec;
/// let numbers = [BitVec::new(16, 48879), BitVec::new(17, 48879)];
/// assert_eq!(numbers.each_ref().map(elinvar::readable::number), ["48879", "0xbeef"]);
/// ```
pub fn number(value: &BitVec) -> String {
    const DECIMAL_BITS: u32 = 16;
    match value.width() {
        0..=DECIMAL_BITS => value.to_decimal(),
        _ => format!("{:#x}", value.to_big()),
    }
}

/// Columns side by side, each as wide as its widest cell.
///
/// ```
/// let rows = [["a", "b"], ["long", "c"]].map(|row| row.map(str::to_owned));
/// assert_eq!(elinvar::readable::align(&rows), "  a     b\n  long  c\n");
/// ```
pub fn align<Row: AsRef<[String]>>(rows: &[Row]) -> String {
    let rows = || rows.iter().map(AsRef::as_ref);
    let columns = rows().map(<[String]>::len).max().unwrap_or(0);
    let width = |c: usize| rows().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows() {
        let mut line = String::new();
        for (cell, &width) in row.iter().zip(&widths) {
            write!(line, "  {cell:<width$}").expect("strings do not fail");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
