//! Columns of text that fit the terminal.

use std::fmt::Write;

use anstyle::Style;
use unicode_width::UnicodeWidthChar;

use crate::style::paint;
use crate::terminal::columns as width_of;

/// Between two columns, and before the first one.
const GAP: usize = 2;

/// A cell of a table.
#[derive(Clone, Default)]
pub struct Cell {
    text: String,
    short: Option<String>,
    style: Style,
}

impl Cell {
    /// A cell in a style.
    pub fn styled(text: impl Into<String>, style: Style) -> Self {
        Cell { text: text.into(), style, ..Cell::default() }
    }

    /// The cell, with what it says in short where the table is too wide.
    pub fn or_short(self, short: impl Into<String>) -> Self {
        Cell { short: Some(short.into()), ..self }
    }

    fn shortened(&self) -> Self {
        Cell { text: self.short.clone().unwrap_or_else(|| self.text.clone()), ..self.clone() }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Cell { text: text.into(), ..Cell::default() }
    }
}

/// What happens to a column when the table is too wide.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It stays as it is.
    Keep,
    /// Its cells lose their middle; so many columns are left at least.
    Shorten(usize),
    /// Its cells are continued in the next line; so many columns are left at least.
    Wrap(usize),
}

/// Columns side by side, each as wide as its widest cell unless the table becomes wider than
/// `width`. Columns without a [`Fit`] stay as they are.
pub fn layout<Row: AsRef<[Cell]>>(rows: &[Row], fits: &[Fit], width: Option<usize>) -> String {
    let mut rows: Vec<Vec<Cell>> = rows.iter().map(|row| row.as_ref().to_vec()).collect();
    let mut widths = natural(&rows);
    if let Some(width) = width
        && total(&widths) > width
    {
        rows.iter_mut().flatten().for_each(|cell| *cell = cell.shortened());
        widths = natural(&rows);
        shrink(&mut widths, fits, width);
    }
    let fit = |column: usize| fits.get(column).copied().unwrap_or(Fit::Keep);
    let mut text = String::new();
    for row in rows {
        let lines = |(column, cell): (usize, &Cell)| match fit(column) {
            Fit::Keep => vec![cell.text.clone()],
            Fit::Shorten(_) => vec![shorten(&cell.text, widths[column])],
            Fit::Wrap(_) => wrap(&cell.text, widths[column]),
        };
        let cells: Vec<Vec<String>> = row.iter().enumerate().map(lines).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for number in 0..height {
            let parts = cells.iter().map(|lines| lines.get(number).map_or("", String::as_str));
            let styled = parts.zip(row.iter().map(|cell| cell.style));
            push_line(&mut text, styled, &widths);
        }
    }
    text
}

fn push_line<'a>(
    text: &mut String,
    cells: impl Iterator<Item = (&'a str, Style)>,
    widths: &[usize],
) {
    let (mut line, mut pending) = (String::new(), 0);
    for ((cell, style), width) in cells.zip(widths) {
        pending += GAP;
        if !cell.is_empty() {
            write!(line, "{:pending$}{}", "", paint(style, cell)).expect("strings do not fail");
            pending = 0;
        }
        pending += width - width_of(cell).min(*width);
    }
    text.push_str(&line);
    text.push('\n');
}

fn natural(rows: &[Vec<Cell>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| width_of(&cell.text)).max()
    };
    (0..columns).map(|column| width(column).unwrap_or(0)).collect()
}

fn total(widths: &[usize]) -> usize {
    widths.iter().map(|width| width + GAP).sum()
}

/// Takes room from the widest column that can give some, until the table fits.
fn shrink(widths: &mut [usize], fits: &[Fit], room: usize) {
    while total(widths) > room {
        let spare = |&(column, fit): &(usize, &Fit)| match *fit {
            Fit::Keep => false,
            Fit::Shorten(least) | Fit::Wrap(least) => widths[column] > least,
        };
        let given = fits.iter().enumerate().take(widths.len()).filter(spare);
        let Some((widest, _)) = given.max_by_key(|&(column, _)| widths[column]) else { return };
        widths[widest] -= 1;
    }
}

/// A text without its middle, if it takes more columns than `width`. Names and places differ at
/// their ends, which have two thirds of the room.
pub fn shorten(text: &str, width: usize) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let (head, tail) = (room / 3, room - room / 3);
    let backwards: String = prefix(text.chars().rev(), tail);
    let end: String = backwards.chars().rev().collect();
    format!("{}…{end}", prefix(text.chars(), head))
}

/// As many characters as fit.
fn prefix(characters: impl Iterator<Item = char>, width: usize) -> String {
    let mut used = 0;
    let fits = |character: &char| {
        used += character.width().unwrap_or(0);
        used <= width
    };
    characters.take_while(fits).collect()
}

/// The lines of a cell that is broken at spaces. Words without room lose their middle.
fn wrap(text: &str, width: usize) -> Vec<String> {
    if width_of(text) <= width {
        return vec![text.to_owned()];
    }
    fill(text.split_whitespace().map(|word| shorten(word, width)), width, width)
}

/// Words side by side, in a first line and further lines of these widths.
fn fill(words: impl Iterator<Item = String>, first: usize, further: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words {
        let room = if lines.len() == 1 { first } else { further };
        let line = lines.last_mut().expect("there is one");
        if line.is_empty() {
            *line = word;
        } else if visible(line) + 1 + visible(&word) <= room {
            line.push(' ');
            line.push_str(&word);
        } else {
            lines.push(word);
        }
    }
    lines
}

/// How many columns a text takes that may have styles.
fn visible(text: &str) -> usize {
    width_of(&anstream::adapter::strip_str(text).to_string())
}

/// The text with its long lines broken at spaces; what is continued is indented. Without a
/// width, the text stays as it is.
pub fn flow(text: &str, width: Option<usize>) -> String {
    /// Beyond the start of what is continued.
    const INDENT: usize = 2;
    let Some(width) = width else { return text.to_owned() };
    let mut flowed = String::new();
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n');
        if visible(content) <= width {
            flowed.push_str(line);
            continue;
        }
        let (label, rest) = content.split_at(label(content));
        let indent = visible(label) + INDENT;
        let lines = fill(
            units(rest).into_iter(),
            width.saturating_sub(visible(label)),
            width.saturating_sub(indent),
        );
        let separator = format!("\n{:indent$}", "");
        flowed.extend([label, &lines.join(&separator), &line[content.len()..]]);
    }
    flowed
}

/// The words of a text, with both sides of an equation or a comparison as one word.
fn units(text: &str) -> Vec<String> {
    let mut units: Vec<String> = Vec::new();
    let mut is_open = false;
    for word in text.split_whitespace() {
        let is_operator = matches!(word, "=" | "!=" | "<" | "<=" | ">" | ">=");
        match units.last_mut() {
            Some(unit) if is_open || is_operator => {
                unit.push(' ');
                unit.push_str(word);
            }
            Some(_) | None => units.push(word.to_owned()),
        }
        is_open = is_operator;
    }
    units
}

/// Where the text of a line starts: after its indentation, and after a first column if two
/// spaces separate one from the rest.
fn label(line: &str) -> usize {
    /// A first column is not wider.
    const WIDEST: usize = 24;
    let start = line.len() - line.trim_start().len();
    let gap = line[start..].find("  ").map(|gap| start + gap);
    match gap.filter(|&gap| visible(&line[..gap]) <= WIDEST) {
        Some(gap) => line.len() - line[gap..].trim_start().len(),
        None => start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(cells: &[[&str; 3]]) -> Vec<Vec<Cell>> {
        cells.iter().map(|row| row.iter().map(|&cell| cell.into()).collect()).collect()
    }

    const FITS: [Fit; 3] = [Fit::Keep, Fit::Shorten(5), Fit::Wrap(8)];

    #[test]
    fn without_a_width_nothing_is_cut() {
        let rows = rows(&[["1", "a.long.name", "in cycle 3"], ["12", "b", ""]]);
        let text = layout(&rows, &FITS, None);
        assert_eq!(text, "  1   a.long.name  in cycle 3\n  12  b\n");
    }

    #[test]
    fn long_cells_give_room_and_others_stay() {
        let rows = rows(&[["12345", "abcdefghijk", "the time limit was reached"]]);
        let text = layout(&rows, &FITS, Some(30));
        assert_eq!(
            text,
            "  12345  abc…fghijk  the time\n                     limit was\n                     reached\n"
        );
        assert!(text.lines().all(|line| width_of(line) <= 30), "{text}");
        let narrow = layout(&rows, &FITS, Some(10));
        assert!(narrow.contains("12345  a…ijk  the time\n"), "{narrow}");
    }

    #[test]
    fn short_forms_are_used_before_cells_are_cut() {
        let cell = Cell::from("an inductive invariant of 3 clauses").or_short("3 clauses");
        let rows = [[Cell::from("p"), cell]];
        assert_eq!(layout(&rows, &[], Some(20)), "  p  3 clauses\n");
        assert!(layout(&rows, &[], Some(80)).contains("inductive"));
    }

    #[test]
    fn styles_do_not_count() {
        let bold = Style::new().bold();
        let rows = [[Cell::styled("a", bold), "b".into()], ["ccc".into(), "d".into()]];
        let text = layout(&rows, &[], Some(20));
        assert_eq!(text, format!("  {bold}a{bold:#}    b\n  ccc  d\n"));
    }

    #[test]
    fn texts_lose_their_middle() {
        assert_eq!(shorten("abcdefgh", 8), "abcdefgh");
        assert_eq!(shorten("abcdefgh", 5), "a…fgh");
        assert_eq!(shorten("abcdefgh", 4), "a…gh");
        assert_eq!(shorten("前前前前", 7), "前…前前");
    }

    #[test]
    fn long_lines_are_continued_with_indentation() {
        let text = "short\n  some words that are too long for this line\nend";
        let expected = "short\n  some words that are too\n    long for this line\nend";
        assert_eq!(flow(text, Some(26)), expected);
        assert_eq!(flow(text, None), text);
        let step = "  cycle 1  x becomes 1: reset = 1, enqueue = 1\n           y becomes 2\n";
        let expected = "  cycle 1  x becomes 1:\n             reset = 1,\n             enqueue = 1\n           \
                        y becomes 2\n";
        assert_eq!(flow(step, Some(26)), expected);
        let equation = flow("some words, full = 0", Some(17));
        assert_eq!(equation, "some words,\n  full = 0", "equations stay together");
        let bold = Style::new().bold();
        let styled = format!("{bold}a.sv:3{bold:#}: assert (a)");
        assert_eq!(flow(&styled, Some(18)), styled, "styles do not count");
    }
}
