//! The words of the command line. They are those of the process, unless another program calls
//! the command as a function.

use std::ffi::OsString;
use std::sync::OnceLock;

static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Sets the words, of which the first is the name of the program, if they are not yet set.
pub fn set(words: Vec<OsString>) {
    WORDS.get_or_init(|| words);
}

/// The words, the first of which is the name of the program.
pub fn words() -> &'static [OsString] {
    WORDS.get_or_init(|| std::env::args_os().collect())
}

/// The words as text.
pub fn texts() -> impl Iterator<Item = String> {
    words().iter().map(|word| word.to_string_lossy().into_owned())
}
