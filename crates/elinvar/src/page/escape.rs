//! Texts inside a page: data in a script element, words of a shell, hashes.

use std::fmt::Write;

use serde::Serialize;
use sha2::{Digest, Sha256};

/// JSON that can stand in a script element: no `<` in it begins a tag or a comment.
pub(crate) fn script_data(data: &impl Serialize) -> String {
    let text = serde_json::to_string(data).expect("the data of a page has a JSON form");
    text.replace('<', "\\u003c")
}

/// How many bytes a text takes in the data, about.
pub(crate) fn cost(text: &str) -> usize {
    let byte = |byte: u8| match byte {
        b'<' => 6,
        b'"' | b'\\' | b'\n' | b'\t' => 2,
        0..=31 => 6,
        _ => 1,
    };
    text.bytes().map(byte).sum()
}

/// A text between tags.
pub(crate) fn markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A command line whose words a POSIX shell reads as they are here.
///
/// ```
/// let words = ["elinvar", "check", "a b.sv", "it's"];
/// assert_eq!(elinvar::page::command_line(words), r"elinvar check 'a b.sv' 'it'\''s'");
/// ```
pub fn command_line(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=+:,@%".contains(&byte);
    let quoted = |word: &str| match !word.is_empty() && word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.into_iter().map(|word| quoted(word.as_ref())).collect::<Vec<_>>().join(" ")
}

/// The SHA-256 of some bytes in hexadecimal digits, as `sha256sum` prints it.
///
/// ```
/// assert!(elinvar::page::sha256(b"").starts_with("e3b0c44298fc1c14"));
/// ```
pub fn sha256(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        write!(text, "{byte:02x}").expect("strings do not fail");
    }
    text
}

/// The source of a Content-Security-Policy that allows exactly this script or style.
pub(crate) fn policy_hash(text: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(text.as_bytes())))
}

/// Bytes in base 64 (RFC 4648, section 4).
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let is_padding = digit > chunk.len();
            let value = (bits >> (18 - 6 * digit)) as usize & 63;
            text.push(if is_padding { '=' } else { DIGITS[value].into() });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn data_cannot_end_its_element() {
        let hostile = ["</script><img src=x onerror=alert(1)>", "<!--<script>", "\u{2028}&\"\\"];
        let data = json!({ "names": hostile });
        let text = script_data(&data);
        assert!(!text.contains('<'), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), data);
        assert_eq!(markup("<a & b>"), "&lt;a &amp; b&gt;");
        for text in hostile {
            assert!(cost(text) + 2 >= script_data(&json!(text)).len(), "{text}");
        }
    }

    #[test]
    fn base_64_has_padding() {
        let texts = ["", "f", "fo", "foo", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYmFy"]);
        assert_eq!(base64(&[255, 254]), "//4=");
    }
}
