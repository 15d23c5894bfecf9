//! Names as words: in quotation marks, with escapes.

use crate::Diagnostic;

/// Any string as one word: `"`, with escapes for quotation marks, backslashes and
/// whatever is not seen or might end a word or a line.
pub(super) fn quoted(name: &str) -> String {
    let mut word = String::with_capacity(name.len() + 2);
    word.push('"');
    for c in name.chars() {
        match c {
            '"' => word.push_str("\\\""),
            '\\' => word.push_str("\\\\"),
            c if c.is_control() || c.is_whitespace() => word.extend(c.escape_unicode()),
            c => word.push(c),
        }
    }
    word.push('"');
    word
}

/// The string that is written as `text`, which starts at `offset` of the file.
pub(super) fn unquoted(text: &str, offset: usize) -> Result<String, Diagnostic> {
    let mut name = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '"']) {
        let (plain, escape) = rest.split_at(at);
        name.push_str(plain);
        let Some((c, length)) = unescaped(escape) else {
            let start = offset + text.len() - escape.len();
            return Err(Diagnostic::new("not an escape of a name", start..start + 1)
                .with_help("names may contain `\\\"`, `\\\\` and escapes such as `\\u{20}`"));
        };
        name.push(c);
        rest = &escape[length..];
    }
    name.push_str(rest);
    Ok(name)
}

/// The character that an escape stands for, and the length of the escape.
fn unescaped(escape: &str) -> Option<(char, usize)> {
    let code = escape.strip_prefix('\\')?;
    if let Some(c) = code.chars().next().filter(|c| ['\\', '"'].contains(c)) {
        return Some((c, 2));
    }
    let digits = code.strip_prefix("u{")?.split('}').next()?;
    let plain = digits.len() <= 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let c = u32::from_str_radix(digits, 16).ok().filter(|_| plain).and_then(char::from_u32)?;
    let length = "\\u{}".len() + digits.len();
    escape.get(..length)?.ends_with('}').then_some((c, length))
}
