//! The file of an entry: a header and a body.
//!
//! ```text
//! elinvar store 1
//! evidence 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
//! depth 7
//! body 118 fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9
//! …
//! ```
//!
//! The last line of the header has the number of bytes and the SHA-256 hash of the body, so that
//! an entry that was cut off or damaged is recognised before anything in it is used.

use sha2::{Digest, Sha256};

use super::key::Key;

const HEADER: &str = "elinvar store 1";

/// What an entry is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Kind {
    /// A certificate or a trace about the normal form of a property.
    Evidence,
    /// Lemmas for other versions of a property.
    Lemmas,
}

impl Kind {
    pub const ALL: [Kind; 2] = [Kind::Evidence, Kind::Lemmas];

    /// The word in the header, and the folder.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Evidence => "evidence",
            Kind::Lemmas => "lemmas",
        }
    }
}

/// What an entry has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// Where a proof converged; only for reports.
    pub depth: usize,
    pub body: Vec<u8>,
}

impl Entry {
    pub fn write(&self, kind: Kind, key: Key) -> Vec<u8> {
        let (length, hash) = (self.body.len(), hash(&self.body));
        let (kind, depth) = (kind.word(), self.depth);
        let mut bytes =
            format!("{HEADER}\n{kind} {key}\ndepth {depth}\nbody {length} {hash}\n").into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }

    /// The entry, or what is wrong with the file.
    pub fn read(bytes: &[u8], kind: Kind, key: Key) -> Result<Self, &'static str> {
        let mut rest = bytes;
        let mut line = || {
            let end = rest.iter().take(200).position(|&byte| byte == b'\n')?;
            let (line, after) = rest.split_at(end);
            rest = &after[1..];
            std::str::from_utf8(line).ok()
        };
        if line() != Some(HEADER) {
            return Err("it does not begin like an entry");
        }
        let name = line().and_then(|line| line.split_once(' ')).ok_or("the header is damaged")?;
        if name.0 != kind.word() || Key::parse(name.1) != Some(key) {
            return Err("it is the entry of another key");
        }
        let depth = line().and_then(|line| line.strip_prefix("depth ")?.parse().ok());
        let body = line().and_then(|line| line.strip_prefix("body ")?.split_once(' '));
        let (Some(depth), Some((length, expected))) = (depth, body) else {
            return Err("the header is damaged");
        };
        if length.parse() != Ok(rest.len()) {
            return Err("it has not the length that it should have");
        }
        if hash(rest) != expected {
            return Err("its checksum is wrong");
        }
        Ok(Entry { depth, body: rest.to_vec() })
    }
}

fn hash(bytes: &[u8]) -> String {
    Key::new(Sha256::digest(bytes).into()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_an_entry_is_seen() {
        let key = Key::new([7; 32]);
        let entry = Entry { depth: 3, body: b"clauses 1\n-0.1\n".to_vec() };
        let bytes = entry.write(Kind::Evidence, key);
        assert_eq!(Entry::read(&bytes, Kind::Evidence, key), Ok(entry.clone()));
        assert!(Entry::read(&bytes, Kind::Lemmas, key).is_err());
        assert!(Entry::read(&bytes, Kind::Evidence, Key::new([8; 32])).is_err());
        for end in 0..bytes.len() {
            assert!(Entry::read(&bytes[..end], Kind::Evidence, key).is_err(), "{end}");
        }
        let body = bytes.len() - entry.body.len();
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            let read = Entry::read(&changed, Kind::Evidence, key);
            // Only the depth has no checksum: it is not evidence.
            let harmless = read.as_ref().is_ok_and(|read| read.body == entry.body);
            assert!(read.is_err() || harmless && place < body, "{place}");
        }
        let longer = [&bytes[..], b"x"].concat();
        assert!(Entry::read(&longer, Kind::Evidence, key).is_err());
    }
}
