//! The terminal: its width, and the lines of progress, which are always the last ones.
//!
//! Everything that is printed while lines are shown goes through [`without_line`], so that no
//! message begins behind half a line.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anstream::ColorChoice;
use anstream::adapter::strip_str;
use unicode_width::UnicodeWidthStr;

/// Columns that stay free: the terminal shows `^C` behind the line when it is interrupted, and
/// the cursor needs a place.
const MARGIN: usize = 4;

/// The width of a terminal that does not tell it.
const USUAL_WIDTH: usize = 80;
const USUAL_HEIGHT: usize = 24;

/// How many columns each of the lines takes that are shown.
static LINES: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// How many columns a text takes.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// How many columns standard output has, if it is a terminal.
pub fn stdout_width() -> Option<usize> {
    let stdout = std::io::stdout();
    stdout.is_terminal().then(|| width_of(terminal_size::terminal_size_of(&stdout)))
}

/// How many columns standard error has, if it is a terminal.
pub fn stderr_width() -> Option<usize> {
    let stderr = std::io::stderr();
    stderr.is_terminal().then(|| width_of(terminal_size::terminal_size_of(&stderr)))
}

fn width_of(size: Option<(terminal_size::Width, terminal_size::Height)>) -> usize {
    size.map(|(width, _)| usize::from(width.0)).filter(|&width| width > 0).unwrap_or(USUAL_WIDTH)
}

/// Can a line on standard error be rewritten?
pub fn can_rewrite() -> bool {
    let is_smart = match std::env::var_os("TERM") {
        Some(name) => name != "dumb",
        None => cfg!(windows),
    };
    is_smart && std::io::stderr().is_terminal()
}

/// Shows these parts of a line, as many as fit, in place of the last lines of progress.
pub fn show_line(parts: &[String]) {
    show_lines(|width, _| vec![fit(parts, width)]);
}

/// Shows the lines that a function makes for a number of columns and a number of rows, in place of
/// the last lines of progress. The lines may be coloured.
pub fn show_lines(lines: impl FnOnce(usize, usize) -> Vec<String>) {
    let mut shown = lock();
    // The terminal may have another size than before.
    let width = stderr_width().unwrap_or(USUAL_WIDTH);
    let height = terminal_size::terminal_size_of(std::io::stderr())
        .map_or(USUAL_HEIGHT, |(_, height)| usize::from(height.0));
    let mut lines = lines(width.saturating_sub(MARGIN), height.saturating_sub(1).max(1));
    // Lines above the screen could not be removed.
    lines.truncate(height.saturating_sub(1).max(1));
    let is_coloured = anstream::AutoStream::choice(&std::io::stderr()) != ColorChoice::Never;
    let plain: Vec<String> = lines.iter().map(|line| strip_str(line).to_string()).collect();
    let text = if is_coloured { &lines } else { &plain }.join("\n");
    write(&format!("{}{text}", erase(&shown, width)));
    *shown = plain.iter().map(|line| columns(line)).collect();
}

/// Removes the line of progress.
pub fn clear_line() {
    clear(&mut lock());
}

/// Removes the line of progress, unless this thread might be drawing it.
pub fn try_clear_line() {
    if let Ok(mut shown) = LINES.try_lock() {
        clear(&mut shown);
    }
}

/// Prints something where the line of progress was. The line is not drawn meanwhile.
pub fn without_line<T>(print: impl FnOnce() -> T) -> T {
    let mut shown = lock();
    clear(&mut shown);
    print()
}

fn clear(shown: &mut Vec<usize>) {
    if shown.iter().any(|&columns| columns > 0) {
        write(&erase(shown, stderr_width().unwrap_or(USUAL_WIDTH)));
    }
    shown.clear();
}

/// What removes lines of so many columns. A terminal that became narrower shows a line in several
/// rows, and the cursor is in the last one.
fn erase(shown: &[usize], width: usize) -> String {
    let rows = |columns: &usize| columns.saturating_sub(1) / width.max(1) + 1;
    match shown.iter().map(rows).sum::<usize>().saturating_sub(1) {
        0 => "\r\x1b[K".to_owned(),
        above => format!("\r\x1b[{above}A\x1b[J"),
    }
}

/// The parts that fit side by side, separated by commas; parts without room are left out.
fn fit(parts: &[String], width: usize) -> String {
    let mut line = String::new();
    for part in parts {
        let separator = if line.is_empty() { "" } else { ", " };
        if columns(&line) + columns(separator) + columns(part) <= width {
            line.push_str(separator);
            line.push_str(part);
        }
    }
    line
}

/// In one piece, so that nothing comes between. Nothing can be done about a terminal that went
/// away.
fn write(text: &str) {
    let mut stderr = std::io::stderr();
    stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush()).ok();
}

fn lock() -> MutexGuard<'static, Vec<usize>> {
    LINES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_without_room_are_left_out() {
        let parts = ["12 s", "1/7 decided", "pdr frame 8", "9 MiB"].map(str::to_owned);
        assert_eq!(fit(&parts, 80), "12 s, 1/7 decided, pdr frame 8, 9 MiB");
        assert_eq!(fit(&parts, 37), "12 s, 1/7 decided, pdr frame 8, 9 MiB");
        assert_eq!(fit(&parts, 36), "12 s, 1/7 decided, pdr frame 8");
        assert_eq!(fit(&parts, 24), "12 s, 1/7 decided, 9 MiB");
        assert_eq!(fit(&parts, 3), "");
        let wide = ["前前前".to_owned(), "b".to_owned()];
        assert_eq!((fit(&wide, 6), fit(&wide, 5)), ("前前前".to_owned(), "b".to_owned()));
    }

    #[test]
    fn a_line_that_a_resize_has_wrapped_is_removed_as_a_whole() {
        assert_eq!(erase(&[], 80), "\r\x1b[K");
        assert_eq!(erase(&[80], 80), "\r\x1b[K");
        assert_eq!(erase(&[81], 80), "\r\x1b[1A\x1b[J");
        assert_eq!(erase(&[161], 80), "\r\x1b[2A\x1b[J");
        assert_eq!(erase(&[70, 0, 81], 80), "\r\x1b[3A\x1b[J");
    }
}
