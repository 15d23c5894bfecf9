//! Names of symbols: their scopes, and characters that could do harm on a terminal.

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

/// The scopes of a name from the outside in, then the name within them.
///
/// Dots separate scopes, except within brackets and braces. An escaped identifier of Verilog
/// starts with a backslash and ends with a space: dots in it belong to it. Without a space, the
/// backslash is dropped.
///
/// ```
/// use elinvar_formats::names::path;
/// assert_eq!(path("u.port[2].cnt"), ["u", "port[2]", "cnt"]);
/// assert_eq!(path("u.\\a.b [3]"), ["u", "a.b[3]"]);
/// assert_eq!(path("\\u.\\x+y"), ["u", "x+y"]);
/// ```
pub fn path(name: &str) -> Vec<String> {
    let mut path = Vec::new();
    let mut rest = name;
    loop {
        let (part, after) = first_part(rest);
        path.push(part);
        match after.strip_prefix('.') {
            Some(after) => rest = after,
            None => return path,
        }
    }
}

/// The name of a path: the inverse of [`path`]. Elements of memories, which are parts of their
/// own in the paths of Yosys, follow without a dot.
///
/// ```
/// use elinvar_formats::names::{join, path};
/// let name = join(["u", "a.b", "q[1]"]);
/// assert_eq!(name, "u.\\a.b .q[1]");
/// assert_eq!(path(&name), ["u", "a.b", "q[1]"]);
/// assert_eq!(join(["u", "mem", "[3]"]), "u.mem[3]");
/// ```
pub fn join<'a>(path: impl IntoIterator<Item = &'a str>) -> String {
    let mut name = String::new();
    for (place, part) in path.into_iter().enumerate() {
        if place > 0 && !part.starts_with('[') {
            name.push('.');
        }
        if self::path(part) == [part] {
            name.push_str(part);
        } else {
            name.push_str(&format!("\\{part} "));
        }
    }
    name
}

/// The first scope of a name, and what follows it.
fn first_part(name: &str) -> (String, &str) {
    let escaped = name.strip_prefix('\\');
    if let Some((part, after)) = escaped.and_then(|escaped| escaped.split_once(' ')) {
        // A bit or a word of it.
        let end = end_of_part(after);
        return (format!("{part}{}", &after[..end]), &after[end..]);
    }
    let name = escaped.unwrap_or(name);
    let end = end_of_part(name);
    (name[..end].to_owned(), &name[end..])
}

/// The place of the first dot outside of brackets and braces, or the end.
fn end_of_part(name: &str) -> usize {
    let mut depth = 0usize;
    for (place, c) in name.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            '.' if depth == 0 => return place,
            _ => {}
        }
    }
    name.len()
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
    fn names_are_split_at_the_dots_between_scopes() {
        assert_eq!(path("q"), ["q"]);
        assert_eq!(path(""), [""]);
        assert_eq!(path("a..b"), ["a", "", "b"]);
        assert_eq!(path("{u.hi,u.lo}"), ["{u.hi,u.lo}"]);
        assert_eq!(path("\\a.b .\\c d"), ["a.b", "cd"]);
        for parts in [&["a", "b"][..], &["a.b", "c"], &["x[1]", "\\y"], &["$auto$1.2", "z"]] {
            assert_eq!(path(&join(parts.iter().copied())), parts);
        }
    }

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
