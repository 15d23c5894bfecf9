//! The terminal: its width, and the line of progress, which is always the last one.
//!
//! Everything that is printed while the line is shown goes through [`without_line`], so that no
//! message begins behind half a line.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use unicode_width::UnicodeWidthStr;

/// Columns that stay free: the terminal shows `^C` behind the line when it is interrupted, and
/// the cursor needs a place.
const MARGIN: usize = 4;

/// The width of a terminal that does not tell it.
const USUAL_WIDTH: usize = 80;

/// How many columns the line takes; 0 if there is none.
static LINE: Mutex<usize> = Mutex::new(0);

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

/// Shows these parts of a line, as many as fit, in place of the last line of progress.
pub fn show_line(parts: &[String]) {
    let mut shown = lock();
    // The terminal may have another width than before.
    let width = stderr_width().unwrap_or(USUAL_WIDTH);
    let line = fit(parts, width.saturating_sub(MARGIN));
    write(&format!("{}{line}", erase(*shown, width)));
    *shown = columns(&line);
}

/// Removes the line of progress.
pub fn clear_line() {
    clear(&mut lock());
}

/// Removes the line of progress, unless this thread might be drawing it.
pub fn try_clear_line() {
    if let Ok(mut shown) = LINE.try_lock() {
        clear(&mut shown);
    }
}

/// Prints something where the line of progress was. The line is not drawn meanwhile.
pub fn without_line<T>(print: impl FnOnce() -> T) -> T {
    let mut shown = lock();
    clear(&mut shown);
    print()
}

fn clear(shown: &mut usize) {
    if *shown > 0 {
        write(&erase(*shown, stderr_width().unwrap_or(USUAL_WIDTH)));
        *shown = 0;
    }
}

/// What removes a line of so many columns. A terminal that became narrower shows it in several
/// rows, and the cursor is in the last one.
fn erase(shown: usize, width: usize) -> String {
    match shown.saturating_sub(1) / width.max(1) {
        0 => "\r\x1b[K".to_owned(),
        rows => format!("\r\x1b[{rows}A\x1b[J"),
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

fn lock() -> MutexGuard<'static, usize> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
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
        assert_eq!(erase(0, 80), "\r\x1b[K");
        assert_eq!(erase(80, 80), "\r\x1b[K");
        assert_eq!(erase(81, 80), "\r\x1b[1A\x1b[J");
        assert_eq!(erase(161, 80), "\r\x1b[2A\x1b[J");
    }
}
