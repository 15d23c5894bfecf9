//! The file of a PDR state, in Elinvar's own text format.
//!
//! ```text
//! elinvar proof 1
//! depth 7
//! seconds 12.5
//! property open 6 "below_9"
//! register 0 3 bitvec 8 "count" 0123456789abcdef 00000000000000ff
//! register 1 4 array 4 8 ""
//! lemma always 0.7 -1.12
//! lemma 3 -0.0
//! end 9 e829e3e0272fe158
//! ```
//!
//! The lines come in this order; the lemmas are clauses, a literal is a register, a
//! point and a bit of it. The last line has the number of lines and a checksum of
//! all bytes before it: a file that was cut off or damaged is refused before anything in
//! it is believed. The book has the specification.
//!
//! Reading and writing are linear in the file. What is written of a state that breaks
//! its own rules, say a literal of a register that is not there, is refused by the
//! reader.

mod name;
mod read;
mod write;

pub use read::read;
pub use write::write;

const HEADER: &str = "elinvar proof 1";

/// The line that ends a file, after `body`.
fn last_line(body: &[u8]) -> String {
    let lines = 1 + body.iter().filter(|&&byte| byte == b'\n').count();
    format!("end {lines} {:016x}\n", checksum(body))
}

/// FNV-1a [Fowler, Noll, Vo] with 64 bits. Each step is a permutation, so a change of
/// one byte is always seen.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{
        FrameLemma, PdrState, PropertyRecord, PropertyStatus, Reach, RegisterKey, RegisterLiteral,
        Rng, Sort,
    };

    fn small() -> PdrState {
        let register = |index, sort, name: &str, shape| RegisterKey {
            name: name.to_owned(),
            index,
            sort,
            shape,
        };
        let literal =
            |register, position, positive| RegisterLiteral { register, position, positive };
        let property = |name: &str, status| PropertyRecord { name: name.to_owned(), status };
        PdrState {
            registers: vec![
                register(3, Sort::Bv(8), "count", vec![0x0123_4567_89ab_cdef, 255]),
                register(4, Sort::Array { index: 4, element: 8 }, "", vec![]),
            ],
            properties: vec![
                property("below 9", PropertyStatus::Open { clear: 6 }),
                property("é\"\\\n", PropertyStatus::Safe),
                property("", PropertyStatus::Unsafe),
            ],
            depth: 7,
            lemmas: vec![
                FrameLemma {
                    reach: Reach::Always,
                    clause: vec![literal(0, 7, true), literal(1, 127, false)],
                },
                FrameLemma { reach: Reach::Frame(7), clause: vec![literal(0, 0, false)] },
            ],
            seconds: 12.5,
        }
    }

    /// The body with the last line that belongs to it.
    fn sealed(body: &str) -> String {
        body.to_owned() + &last_line(body.as_bytes())
    }

    #[test]
    fn a_state_as_text() {
        let body = "elinvar proof 1\n\
            depth 7\n\
            seconds 12.5\n\
            property open 6 \"below\\u{20}9\"\n\
            property safe \"é\\\"\\\\\\u{a}\"\n\
            property unsafe \"\"\n\
            register 0 3 bitvec 8 \"count\" 0123456789abcdef 00000000000000ff\n\
            register 1 4 array 4 8 \"\"\n\
            lemma always 0.7 -1.127\n\
            lemma 7 -0.0\n";
        assert_eq!(write(&small()), sealed(body));
        assert_eq!(read(write(&small()).as_bytes()), Ok(small()));
    }

    /// The checksum is part of the format: files outlive versions.
    #[test]
    fn the_checksum_is_fnv_1a() {
        assert_eq!(checksum(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(checksum(b"foobar"), 0x8594_4171_f739_67e8);
    }

    fn random_name(rng: &mut Rng) -> String {
        const CHARACTERS: [char; 14] = [
            'a',
            'Z',
            '0',
            '.',
            ' ',
            '\t',
            '\n',
            '"',
            '\\',
            ';',
            '{',
            'é',
            '\u{2028}',
            '\u{10ffff}',
        ];
        (0..rng.below(6)).map(|_| rng.pick(&CHARACTERS)).collect()
    }

    fn random_state(rng: &mut Rng) -> PdrState {
        let depth = rng.below(5);
        let mut index = 0;
        let registers: Vec<RegisterKey> = (0..rng.below(6))
            .map(|_| {
                index += 1 + rng.below(100);
                let width = |rng: &mut Rng| 1 + rng.below(20) as u32;
                let sort = if rng.one_in(3) {
                    Sort::Array { index: width(rng), element: width(rng) }
                } else {
                    Sort::Bv(width(rng))
                };
                let shape = (0..rng.below(5)).map(|_| rng.next_u64()).collect();
                RegisterKey { name: random_name(rng), index, sort, shape }
            })
            .collect();
        let literal = |rng: &mut Rng| {
            let register = rng.below(registers.len());
            let bits = match registers[register].sort {
                Sort::Bv(width) => width as usize,
                Sort::Array { index, element } => (element as usize) << index,
            };
            RegisterLiteral { register, position: rng.below(bits), positive: rng.one_in(2) }
        };
        let lemmas = (0..if registers.is_empty() { 0 } else { rng.below(20) })
            .map(|_| FrameLemma {
                reach: if depth == 0 || rng.one_in(3) {
                    Reach::Always
                } else {
                    Reach::Frame(1 + rng.below(depth))
                },
                clause: (0..1 + rng.below(5)).map(|_| literal(rng)).collect(),
            })
            .collect();
        let properties = (0..rng.below(4))
            .map(|_| {
                let clear = rng.below(depth + 1);
                let status = rng.pick(&[
                    PropertyStatus::Open { clear },
                    PropertyStatus::Safe,
                    PropertyStatus::Unsafe,
                ]);
                PropertyRecord { name: random_name(rng), status }
            })
            .collect();
        let seconds = rng.below(1_000_000) as f64 / 7.0;
        PdrState { registers, properties, depth, lemmas, seconds }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut rng = Rng::new(7);
        assert_eq!(read(write(&PdrState::default()).as_bytes()), Ok(PdrState::default()));
        for _ in 0..500 {
            let state = random_state(&mut rng);
            let text = write(&state);
            assert_eq!(read(text.as_bytes()).as_ref(), Ok(&state), "{text}");
        }
    }

    #[test]
    fn times_that_are_none_are_not_written() {
        for seconds in [f64::NAN, f64::INFINITY, -1.0] {
            let text = write(&PdrState { seconds, ..PdrState::default() });
            assert_eq!(read(text.as_bytes()), Ok(PdrState::default()));
        }
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_seen() {
        let text = write(&small()).into_bytes();
        for length in 0..text.len() {
            assert!(read(&text[..length]).is_err(), "{length}");
        }
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut damaged = text.clone();
                damaged[at] ^= 1 << bit;
                assert!(read(&damaged).is_err(), "bit {bit} of byte {at}");
            }
        }
    }

    /// Any byte in place of another, and the last line that belongs to it: an error at a
    /// place of the file, or another state.
    #[test]
    fn forged_files_do_no_harm() {
        let text = write(&small()).into_bytes();
        let body = text.len() - 1 - text.iter().rev().skip(1).position(|&b| b == b'\n').unwrap();
        let mut rng = Rng::new(1);
        for at in (0..body).cycle().take(20 * body) {
            let mut forged = text[..body].to_vec();
            forged[at] = rng.next_u64() as u8;
            let last = last_line(&forged);
            forged.extend_from_slice(last.as_bytes());
            match read(&forged) {
                Ok(state) => assert_eq!(read(write(&state).as_bytes()), Ok(state)),
                Err(error) => assert!(error.span.end <= forged.len()),
            }
        }
    }

    #[test]
    fn the_example_of_the_book_is_read() {
        let book = include_str!("../../../../docs/book/src/proof-file.md");
        let example = book.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
        let state = read(example.unwrap().as_bytes()).unwrap();
        assert_eq!((state.registers.len(), state.lemmas.len()), (2, 2));
        assert_eq!(state.properties[1].name, "no overflow");
    }

    #[track_caller]
    fn refused(text: &str, at: &str, message: &str) -> Option<String> {
        let error = read(text.as_bytes()).unwrap_err();
        assert!(error.message.contains(message), "{}", error.message);
        assert_eq!(&text[error.span], at);
        error.help
    }

    #[test]
    fn other_files_are_refused() {
        refused("", "", "not a proof");
        refused("1 sort bitvec 1\n", "1 sort bitvec 1", "not a proof");
        let help = refused("elinvar proof 2\n", "elinvar proof 2", "unknown version");
        assert!(help.unwrap().contains("written by another version"));
        let help = refused("elinvar proof 1\r\n", "elinvar proof 1\r", "line endings");
        assert!(help.unwrap().contains("line feed"));
        refused("elinvar proof 1\n", "", "truncated");
        refused("elinvar proof 1\ndepth 1\nend 3", "", "truncated");
        refused("elinvar proof 1\nend 2 0000000000000000\n", "end 2 0000000000000000", "damaged");
        assert!(read(b"\xff\xfe").is_err());
    }

    #[test]
    fn errors_point_at_the_word() {
        // The last line has a checksum, which is not what these tests are about.
        let read_sealed = |body: &[u8]| read(sealed(std::str::from_utf8(body).unwrap()).as_bytes());
        crate::annotated::check("proof.txt", read_sealed);
    }

    #[test]
    fn names_are_utf_8() {
        let mut body = b"elinvar proof 1\ndepth 2\nseconds 0\nproperty safe \"a\xff\"\n".to_vec();
        let last = last_line(&body);
        body.extend_from_slice(last.as_bytes());
        let error = read(&body).unwrap_err();
        assert_eq!(&body[error.span], b"\xff");
    }
}
