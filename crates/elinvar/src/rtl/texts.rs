//! The texts of the source files, for excerpts and exact places.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use elinvar_formats::names::escape;
use elinvar_ir::Place;

use crate::session::lock;
use crate::source::{Source, shorten};

/// The longest part of a source line that is shown.
const LENGTH: usize = 72;

/// Source files, which are read when they are first asked for.
#[derive(Debug, Default)]
pub(super) struct Texts(Mutex<BTreeMap<String, Option<Arc<Source>>>>);

impl Texts {
    /// A source file, if it can be read.
    pub fn source(&self, file: &str) -> Option<Arc<Source>> {
        let mut texts = lock(&self.0);
        let read = || Source::read(file).ok().map(Arc::new);
        texts.entry(file.to_owned()).or_insert_with(read).clone()
    }

    /// A line without the space around it, if the file can be read.
    pub fn line(&self, file: &str, line: usize) -> Option<String> {
        let source = self.source(file)?;
        let text = source.bytes().split(|&byte| byte == b'\n').nth(line.checked_sub(1)?)?;
        let text = String::from_utf8_lossy(text);
        let text = escape(text.trim());
        (!text.is_empty()).then(|| shorten(&text, LENGTH))
    }

    /// Where the statement begins: some versions of Yosys give the end of what comes before
    /// it.
    pub fn start(&self, place: Place) -> Place {
        let found = self.source(&place.file).and_then(|source| {
            let bytes = source.bytes();
            let before = bytes.split(|&byte| byte == b'\n').take(place.line as usize - 1);
            let start: usize = before.map(|line| line.len() + 1).sum();
            let at = start + place.column? as usize - 1;
            let at = at + skip_space(bytes.get(at..)?);
            (at < bytes.len()).then(|| (source.line(at) as u32, source.column(at) as u32))
        });
        match found {
            Some((line, column)) => Place { line, column: Some(column), ..place },
            None => place,
        }
    }
}

/// How many bytes of white space and comments there are.
fn skip_space(text: &[u8]) -> usize {
    let mut rest = text;
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = match rest {
            [b'/', b'/', ..] => b"\n",
            [b'/', b'*', ..] => b"*/",
            _ => return text.len() - rest.len(),
        };
        let length = rest.windows(end.len()).position(|window| window == end);
        rest = length.map_or(&b""[..], |length| &rest[length + end.len()..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_begins_after_the_space_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sv");
        std::fs::write(&path, "if (x) begin // first\n  /* c */ assert (y);\nend\n").unwrap();
        let (name, texts) = (path.to_str().unwrap(), Texts::default());
        let start = |line, column| {
            let place = Place { file: name.into(), line, column: Some(column) };
            let place = texts.start(place);
            (place.line, place.column)
        };
        assert_eq!(start(1, 13), (2, Some(11)));
        assert_eq!(start(2, 11), (2, Some(11)));
        assert_eq!(start(9, 2), (9, Some(2)));
        assert_eq!(texts.line(name, 2).as_deref(), Some("/* c */ assert (y);"));
        assert_eq!(texts.line(name, 4), None);
        assert_eq!(texts.line("/no/such/file", 1), None);
    }
}
