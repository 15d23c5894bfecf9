//! Names of symbols, without characters that could do harm on a terminal.

use std::borrow::Cow;

/// Replaces characters that a terminal or an editor does not show as such by escape
/// sequences: control characters, which may move the cursor or change colours, and
/// invisible or bidirectional ones, which may make one name look like another. All readers
/// do this to the names in their files, so that no report has to.
pub fn escape(name: &str) -> Cow<'_, str> {
    if !name.contains(is_harmful) {
        return Cow::Borrowed(name);
    }
    let mut escaped = String::with_capacity(name.len() + 8);
    for c in name.chars() {
        match c {
            '\n' | '\r' | '\t' => escaped.extend(c.escape_default()),
            _ if !is_harmful(c) => escaped.push(c),
            '\0'..='\x7f' => escaped.push_str(&format!("\\x{:02x}", u32::from(c))),
            _ => escaped.extend(c.escape_unicode()),
        }
    }
    Cow::Owned(escaped)
}

/// Is this a character that must not reach a terminal as it is?
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmful_characters_are_escaped() {
        assert!(matches!(escape("mem[3]/α ∧ \\x"), Cow::Borrowed(_)));
        assert_eq!(escape("a\x1b[31m\r\n\tb\x07\x7f"), "a\\x1b[31m\\r\\n\\tb\\x07\\x7f");
        assert_eq!(escape("a\u{9b}\u{202e}\u{200b}b"), "a\\u{9b}\\u{202e}\\u{200b}b");
        assert_eq!(escape("\u{feff}\u{2066}x"), "\\u{feff}\\u{2066}x");
        // What is escaped stays as it is.
        assert_eq!(escape(&escape("a\x1b\r")), escape("a\x1b\r"));
    }
}
