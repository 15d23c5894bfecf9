//! The front door of the readers: which format a file is in, by its content.
//!
//! | format | its first line |
//! |---|---|
//! | AIGER  | begins with `aag` or `aig` |
//! | BTOR2  | `<number> sort …`: every other node needs a sort |
//! | BTOR   | `<number>` and a variable, an array or a constant: every other node needs operands |
//! | basm   | `<number>` and an instruction, or `REM` |
//!
//! Comments (`;`, not in AIGER) and empty lines may come before it. The ending
//! of the file's name decides only when the content does not.

use std::collections::BTreeMap;
use std::fmt;

use elinvar_ir::{SystemBuilder, TransitionSystem};

use crate::aiger::AigerModel;
use crate::btor::BtorModel;
use crate::btor2::Btor2Model;
use crate::{Diagnostic, aiger, basm, btor, btor2};

/// The formats that models are read from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Aiger,
    Btor,
    Btor2,
    Basm,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Aiger => "AIGER",
            Format::Btor => "BTOR",
            Format::Btor2 => "BTOR2",
            Format::Basm => "basm",
        })
    }
}

/// A model with what its format says beyond the system.
#[derive(Clone, Debug)]
pub enum Model {
    Aiger(AigerModel),
    Btor(BtorModel),
    Btor2(Btor2Model),
    Basm(TransitionSystem),
}

impl Model {
    pub fn system(&self) -> &TransitionSystem {
        match self {
            Model::Aiger(model) => &model.system,
            Model::Btor(model) => &model.system,
            Model::Btor2(model) => &model.system,
            Model::Basm(system) => system,
        }
    }

    pub fn into_system(self) -> TransitionSystem {
        match self {
            Model::Aiger(model) => model.system,
            Model::Btor(model) => model.system,
            Model::Btor2(model) => model.system,
            Model::Basm(system) => system,
        }
    }

    pub fn format(&self) -> Format {
        match self {
            Model::Aiger(_) => Format::Aiger,
            Model::Btor(_) => Format::Btor,
            Model::Btor2(_) => Format::Btor2,
            Model::Basm(_) => Format::Basm,
        }
    }

    /// How often each operator occurs in the file, where the format has operators.
    pub fn operators(&self) -> Option<&BTreeMap<&'static str, usize>> {
        match self {
            Model::Btor(model) => Some(&model.operators),
            Model::Btor2(model) => Some(&model.operators),
            Model::Aiger(_) | Model::Basm(_) => None,
        }
    }
}

/// Reads a model in any format. `name` is the name of the file, if it has one.
pub fn read_model(source: &[u8], name: Option<&str>) -> Result<Model, Diagnostic> {
    read_model_with(source, name, SystemBuilder::new())
}

/// Reads a model without rewriting any of its expressions. Its inputs, states,
/// constraints and properties have the same numbers as in [`read_model`].
pub fn read_verbatim(source: &[u8], name: Option<&str>) -> Result<Model, Diagnostic> {
    read_model_with(source, name, SystemBuilder::verbatim())
}

fn read_model_with(
    source: &[u8],
    name: Option<&str>,
    builder: SystemBuilder,
) -> Result<Model, Diagnostic> {
    match detect(source, name) {
        Some(Format::Aiger) => aiger::read_with(source, builder).map(Model::Aiger),
        Some(Format::Btor) => btor::read_with(source, builder).map(Model::Btor),
        Some(Format::Btor2) => btor2::read_with(source, builder).map(Model::Btor2),
        Some(Format::Basm) => {
            let program = basm::parse(source)?;
            Ok(Model::Basm(basm::translate_with(&program, builder)))
        }
        None => Err(unknown(source)),
    }
}

/// The format of a file: by its first line, else by the ending of its name.
pub fn detect(source: &[u8], name: Option<&str>) -> Option<Format> {
    if source.starts_with(b"aag ") || source.starts_with(b"aig ") {
        return Some(Format::Aiger);
    }
    let mut words = first_line(source).split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    let first = words.next().unwrap_or_default().to_ascii_lowercase();
    let second = words.next().unwrap_or_default().to_ascii_lowercase();
    let ending = name.and_then(of_ending);
    if first == b"rem" {
        return Some(Format::Basm);
    }
    if first.is_empty() || !first.iter().all(u8::is_ascii_digit) {
        return ending;
    }
    match &second[..] {
        b"sort" => Some(Format::Btor2),
        b"var" | b"array" | b"const" | b"constd" | b"consth" | b"zero" | b"one" | b"ones" => {
            Some(Format::Btor)
        }
        // Some instructions are called as operators of BTOR are, which cannot
        // come first there: then the name may tell which fault is meant.
        word if is_instruction(word) => Some(ending.unwrap_or(Format::Basm)),
        _ => ending,
    }
}

/// Is it a program in Boogie? By what it begins with, else by the ending of its name.
pub fn is_program(source: &[u8], name: &str) -> bool {
    let declares = |word: &[u8]| {
        let keywords: [&[u8]; 8] = [
            b"procedure",
            b"implementation",
            b"var",
            b"const",
            b"type",
            b"function",
            b"axiom",
            b"//#",
        ];
        keywords.iter().any(|keyword| word.starts_with(keyword))
    };
    match detect(source, None) {
        Some(_) => false,
        None => {
            let ending = name.rsplit_once('.').is_some_and(|(_, e)| e.eq_ignore_ascii_case("bpl"));
            ending || declares(after_comments(source))
        }
    }
}

/// What follows the comments of Boogie; those that Ultimate writes verdicts in stay.
fn after_comments(source: &[u8]) -> &[u8] {
    let mut rest = source.trim_ascii_start();
    loop {
        let end: &[u8] = match rest {
            [b'/', b'/', b'#', ..] => return rest,
            [b'/', b'/', ..] => b"\n",
            [b'/', b'*', ..] => b"*/",
            _ => return rest,
        };
        let at = rest.windows(end.len()).position(|window| window == end);
        rest = at.map_or(&b""[..], |at| &rest[at + end.len()..]).trim_ascii_start();
    }
}

/// The first line that is neither empty nor a comment.
fn first_line(source: &[u8]) -> &[u8] {
    let lines = source.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.into_iter().find(|l| !l.is_empty() && !l.starts_with(b";")).unwrap_or_default()
}

fn of_ending(name: &str) -> Option<Format> {
    let (_, ending) = name.rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "aag" | "aig" => Some(Format::Aiger),
        "btor" => Some(Format::Btor),
        "btor2" => Some(Format::Btor2),
        "basm" => Some(Format::Basm),
        _ => None,
    }
}

fn is_instruction(word: &[u8]) -> bool {
    const INSTRUCTIONS: [&[u8]; 23] = [
        b"load", b"save", b"peek", b"poke", b"add", b"sub", b"mul", b"div", b"mod", b"and", b"or",
        b"xor", b"shl", b"shr", b"eq", b"ne", b"lt", b"le", b"gt", b"ge", b"jmp", b"exit", b"rem",
    ];
    INSTRUCTIONS.contains(&word)
}

fn unknown(source: &[u8]) -> Diagnostic {
    let line = first_line(source);
    let error = match source.windows(line.len().max(1)).position(|window| window == line) {
        Some(start) => {
            Diagnostic::new("this is not the beginning of a model", start..start + line.len())
        }
        None => Diagnostic::new("the file is empty", source.len()..source.len()),
    };
    error.with_help("models are in AIGER, BTOR, BTOR2 or basm, programs in Boogie")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_content() {
        let of = |text: &str| detect(text.as_bytes(), None);
        assert_eq!(of("aag 0 0 0 0 0\n"), Some(Format::Aiger));
        assert_eq!(of("aig 0 0 0 0 0\n"), Some(Format::Aiger));
        assert_eq!(of("; c\n\n 1 sort bitvec 1\n"), Some(Format::Btor2));
        assert_eq!(of("1 var 8 x\r\n"), Some(Format::Btor));
        assert_eq!(of("2 zero 8\n"), Some(Format::Btor));
        assert_eq!(of("10 LOAD 5\n"), Some(Format::Basm));
        assert_eq!(of("rem a program\n10 exit 0\n"), Some(Format::Basm));
        assert_eq!(of("10 add 5\n"), Some(Format::Basm));
        assert_eq!(of("hello"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn the_name_decides_what_the_content_does_not() {
        assert_eq!(detect(b"1 sort bitvec 1", Some("x.btor")), Some(Format::Btor2));
        assert_eq!(detect(b"1 add 8 2 3", Some("x.btor")), Some(Format::Btor));
        assert_eq!(detect(b"1 frob 8", Some("x.y.BTOR2")), Some(Format::Btor2));
        assert_eq!(detect(b"1 frob 8", Some("x")), None);
    }

    #[test]
    fn programs_are_told_by_their_beginning() {
        let of = |text: &str| is_program(text.as_bytes(), "<stdin>");
        assert!(of("procedure main() {}") && of("//#Safe\n") && of("// c\n/* d\n*/ var x: int;"));
        assert!(!of("1 var 8 x\n") && !of("") && !of("// procedure"));
        assert!(is_program(b"", "x.bpl") && !is_program(b"aag 0 0 0 0 0\n", "x.bpl"));
    }

    #[test]
    fn every_format_is_read() {
        let model = |text: &str| read_model(text.as_bytes(), None).unwrap();
        let texts = [
            ("aag 1 1 0 1 0\n2\n2\n", Format::Aiger),
            ("1 var 1 x\n2 root 1 1\n", Format::Btor),
            ("1 sort bitvec 1\n2 input 1\n3 bad 2\n", Format::Btor2),
            ("10 exit 1\n", Format::Basm),
        ];
        for (text, format) in texts {
            let model = model(text);
            assert_eq!(model.format(), format);
            assert_eq!(model.system().bads().count(), 1, "{format}");
        }
    }

    #[test]
    fn a_verbatim_reading_has_the_same_parts() {
        let text = "1 sort bitvec 4\n2 zero 1\n3 input 1 x\n4 state 1 s\n5 and 1 3 2\n\
                    6 init 1 4 2\n7 next 1 4 5\n8 sort bitvec 1\n9 redor 8 5\n10 bad 9\n";
        let read = read_model(text.as_bytes(), None).unwrap();
        let verbatim = read_verbatim(text.as_bytes(), None).unwrap();
        let (read, verbatim) = (read.system(), verbatim.system());
        assert_eq!(read.states().len(), verbatim.states().len());
        assert_eq!(read.inputs().len(), verbatim.inputs().len());
        assert_eq!(read.properties()[0].name, verbatim.properties()[0].name);
        // Only one of them saw that x & 0 is 0.
        let next = |system: &TransitionSystem| system.states()[0].next.unwrap();
        assert!(read.pool().is_const(next(read)));
        assert!(!verbatim.pool().is_const(next(verbatim)));
        for text in ["aag 2 1 0 1 1\n2\n4\n4 2 0\n", "1 var 1 x\n2 and 1 1 1\n3 root 1 2\n"] {
            let verbatim = read_verbatim(text.as_bytes(), None).unwrap();
            let bad = verbatim.system().bads().next().unwrap().1;
            let pool = verbatim.system().pool();
            assert!(!pool.is_const(bad) && pool.as_symbol(bad).is_none());
        }
    }

    #[test]
    fn what_is_not_known_is_pointed_at() {
        let error = read_model(b"; c\nhello world\n", None).unwrap_err();
        assert_eq!(error.span, 4..15);
        assert_eq!(read_model(b"\n", None).unwrap_err().span, 1..1);
    }
}
