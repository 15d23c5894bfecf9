//! Reads states: first the outer lines, which say whether the file is whole, then what is
//! between them.

use elinvar_ir::{
    FrameLemma, MAX_WIDTH, PdrState, PropertyRecord, PropertyStatus, Reach, RegisterKey,
    RegisterLiteral, Sort,
};
use rustc_hash::FxHashSet;

use super::name::unquoted;
use super::{HEADER, last_line};
use crate::Diagnostic;
use crate::numbered::{Scanner, Word};

/// The deepest state that is read: who continues it makes that many frames.
const MAX_DEPTH: u64 = 1_000_000;

/// The largest place of a register that is read: no system has more.
const MAX_INDEX: u64 = u32::MAX as u64;

const QUOTED: &str = "a name in quotation marks";

/// Reads a state.
pub fn read(source: &[u8]) -> Result<PdrState, Diagnostic> {
    check_version(source)?;
    let body = check_end(source)?;
    let mut scan = Scanner::new(body);
    scan.skip_line();
    Reader { scan, state: PdrState::default(), places: FxHashSet::default(), clause: Vec::new() }
        .read()
}

fn check_version(source: &[u8]) -> Result<(), Diagnostic> {
    let line = source.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if line == HEADER.as_bytes() {
        return Ok(());
    }
    let error = |message| Err(Diagnostic::new(message, 0..line.len()));
    if line.strip_suffix(b"\r") == Some(HEADER.as_bytes()) {
        let help = "lines must end with a line feed only; another program converted them";
        return error("the file has the wrong line endings").map_err(|e| e.with_help(help));
    }
    if line.starts_with(b"elinvar proof ") {
        let help = format!("written by another version of elinvar; this one reads `{HEADER}`");
        return error("a proof of an unknown version").map_err(|e| e.with_help(help));
    }
    error("not a proof file").map_err(|e| e.with_help(format!("the first line is `{HEADER}`")))
}

/// The bytes before the last line, which must be the one that belongs to them.
fn check_end(source: &[u8]) -> Result<&[u8], Diagnostic> {
    let complete = source.strip_suffix(b"\n");
    let start = complete.and_then(|lines| Some(lines.iter().rposition(|&b| b == b'\n')? + 1));
    let Some(start) = start.filter(|&start| source[start..].starts_with(b"end ")) else {
        return Err(Diagnostic::new("the file is truncated", source.len()..source.len())
            .with_help("its last line is `end` with the number of lines and a checksum"));
    };
    let (body, found) = source.split_at(start);
    let expected = last_line(body);
    if found != expected.as_bytes() {
        let expected = expected.trim_end();
        return Err(Diagnostic::new("the file is damaged", start..source.len() - 1)
            .with_help(format!("for the lines above, the last line should be `{expected}`")));
    }
    Ok(body)
}

struct Reader<'a> {
    scan: Scanner<'a>,
    state: PdrState,
    /// Where the registers stand in their system.
    places: FxHashSet<usize>,
    /// Kept between lemmas, to allocate each clause once and in its size.
    clause: Vec<RegisterLiteral>,
}

impl Reader<'_> {
    fn read(mut self) -> Result<PdrState, Diagnostic> {
        self.keyword("depth")?;
        self.state.depth = self.number_up_to("the depth", MAX_DEPTH)?;
        self.scan.end_line()?;
        self.keyword("seconds")?;
        self.state.seconds = self.seconds()?;
        self.scan.end_line()?;
        while self.scan.next_line() {
            let word = self.scan.expect_word("a keyword")?;
            match self.scan.bytes(word) {
                b"lemma" => self.lemma()?,
                b"register" => self.register()?,
                b"property" => self.property()?,
                _ => return Err(word.error("expected `property`, `register` or `lemma`")),
            }
            self.scan.end_line()?;
        }
        Ok(self.state)
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), Diagnostic> {
        self.scan.next_line();
        let expected = format!("`{keyword}`");
        let word = self.scan.expect_word(&expected)?;
        if self.scan.bytes(word) == keyword.as_bytes() {
            return Ok(());
        }
        Err(word.error(format!("expected {expected}")))
    }

    fn number_up_to(&mut self, what: &str, largest: u64) -> Result<usize, Diagnostic> {
        let (number, word) = self.scan.number(what)?;
        in_range(number, 0, largest, what, word)
    }

    fn seconds(&mut self) -> Result<f64, Diagnostic> {
        let word = self.scan.expect_word("a number of seconds")?;
        let bytes = self.scan.bytes(word);
        let plain = bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
        let text = std::str::from_utf8(bytes).ok().filter(|_| plain);
        (text.and_then(|text| text.parse().ok()).filter(|seconds: &f64| seconds.is_finite()))
            .ok_or_else(|| word.error("expected a number of seconds"))
    }

    fn property(&mut self) -> Result<(), Diagnostic> {
        let word = self.scan.expect_word("the status of a property")?;
        let status = match self.scan.bytes(word) {
            b"open" => {
                let depth = self.state.depth as u64;
                PropertyStatus::Open { clear: self.number_up_to("the last clear frame", depth)? }
            }
            b"safe" => PropertyStatus::Safe,
            b"unsafe" => PropertyStatus::Unsafe,
            _ => return Err(word.error("expected `open`, `safe` or `unsafe`")),
        };
        let name = self.name()?;
        self.state.properties.push(PropertyRecord { name, status });
        Ok(())
    }

    fn register(&mut self) -> Result<(), Diagnostic> {
        let (number, word) = self.scan.number("the number of a register")?;
        let expected = self.state.registers.len();
        if number < expected as u64 {
            return Err(word.error(format!("register {number} is declared twice")));
        }
        if number > expected as u64 {
            return Err(word.error(format!("expected register {expected}")));
        }
        let (index, word) = self.scan.number("the place of a register")?;
        let index = in_range(index, 0, MAX_INDEX, "the place of a register", word)?;
        if !self.places.insert(index) {
            return Err(word.error(format!("there is already a register at place {index}")));
        }
        let sort = self.sort()?;
        let name = self.name()?;
        let mut shape = Vec::new();
        while let Some(word) = self.scan.word() {
            shape.push(self.hash(word)?);
        }
        self.state.registers.push(RegisterKey { name, index, sort, shape });
        Ok(())
    }

    fn sort(&mut self) -> Result<Sort, Diagnostic> {
        let word = self.scan.expect_word("a sort")?;
        match self.scan.bytes(word) {
            b"bitvec" => Ok(Sort::Bv(self.width()?)),
            b"array" => Ok(Sort::Array { index: self.width()?, element: self.width()? }),
            _ => Err(word.error("expected `bitvec` or `array`")),
        }
    }

    fn width(&mut self) -> Result<u32, Diagnostic> {
        let (width, word) = self.scan.number("a width")?;
        in_range(width, 1, MAX_WIDTH.into(), "a width", word)
    }

    fn hash(&self, word: Word) -> Result<u64, Diagnostic> {
        let bytes = self.scan.bytes(word);
        let digits = bytes.len() == 16 && bytes.iter().all(u8::is_ascii_hexdigit);
        let text = std::str::from_utf8(bytes).ok().filter(|_| digits);
        text.and_then(|text| u64::from_str_radix(text, 16).ok())
            .ok_or_else(|| word.error("expected a hash of 16 hexadecimal digits"))
    }

    fn name(&mut self) -> Result<String, Diagnostic> {
        let Some((text, word)) = self.scan.symbol()? else {
            return self.scan.expect_word(QUOTED).and_then(|word| Err(not_quoted(word)));
        };
        let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        unquoted(inner.ok_or_else(|| not_quoted(word))?, word.start + 1)
    }

    fn lemma(&mut self) -> Result<(), Diagnostic> {
        let word = self.scan.expect_word("`always` or the number of a frame")?;
        let reach = if self.scan.bytes(word) == b"always" {
            Reach::Always
        } else {
            let level = self.scan.parse(word, word, "`always` or the number of a frame")?;
            Reach::Frame(in_range(level, 1, self.state.depth as u64, "the frame", word)?)
        };
        self.clause.clear();
        while let Some(word) = self.scan.word() {
            let literal = self.literal(word)?;
            self.clause.push(literal);
        }
        if self.clause.is_empty() {
            return Err(word.error("a lemma needs at least one literal"));
        }
        self.state.lemmas.push(FrameLemma { reach, clause: self.clause.clone() });
        Ok(())
    }

    fn literal(&self, word: Word) -> Result<RegisterLiteral, Diagnostic> {
        const WHAT: &str = "a literal such as `3.0` or `-3.0`";
        let bytes = self.scan.bytes(word);
        let positive = bytes[0] != b'-';
        let point = bytes.iter().position(|&byte| byte == b'.');
        let point = word.start + point.ok_or_else(|| word.error(format!("expected {WHAT}")))?;
        let digits = Word { start: word.start + usize::from(!positive), end: point };
        let number = self.scan.parse(digits, word, WHAT)?;
        let register = usize::try_from(number).unwrap_or(usize::MAX);
        let Some(key) = self.state.registers.get(register) else {
            return Err(digits.error(format!("there is no register {number} before this line")));
        };
        let digits = Word { start: point + 1, end: word.end };
        let position = self.scan.parse(digits, word, WHAT)?;
        match usize::try_from(position) {
            Ok(position) if has_bit(key.sort, position) => {
                Ok(RegisterLiteral { register, position, positive })
            }
            Ok(_) | Err(_) => Err(digits
                .error(format!("register {register} has no bit {position}: it is {}", key.sort))),
        }
    }
}

/// The number as another type, if it lies between the bounds.
fn in_range<T: TryFrom<u64>>(
    number: u64,
    smallest: u64,
    largest: u64,
    what: &str,
    word: Word,
) -> Result<T, Diagnostic> {
    let fitting = T::try_from(number).ok().filter(|_| (smallest..=largest).contains(&number));
    fitting.ok_or_else(|| {
        word.error(format!("{what} cannot be {number}"))
            .with_help(format!("it must be between {smallest} and {largest}"))
    })
}

/// Is the position one of a bit, or of a bit at some address?
fn has_bit(sort: Sort, position: usize) -> bool {
    match sort {
        Sort::Bv(width) => position < width as usize,
        Sort::Array { index, element } => {
            let address = position / element as usize;
            address.checked_shr(index).is_none_or(|beyond| beyond == 0)
        }
    }
}

fn not_quoted(word: Word) -> Diagnostic {
    word.error(format!("expected {QUOTED}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_wide_memories() {
        assert!(has_bit(Sort::Array { index: MAX_WIDTH, element: 1 }, usize::MAX));
        assert!(has_bit(Sort::Array { index: 2, element: 3 }, 11));
        assert!(!has_bit(Sort::Array { index: 2, element: 3 }, 12));
    }
}
