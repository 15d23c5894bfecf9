//! The formats of problems: what each can express, and which one a file is in.
//!
//! A file is recognised by its first line. The extension of its name decides only if the
//! content does not.
//!
//! | format | first line |
//! |---|---|
//! | AIGER  | starts with `aag` or `aig` |
//! | BTOR2  | `<number> sort …`, because every other node needs a sort |
//! | BTOR   | `<number>` and a variable, an array or a constant, because every other node needs operands |
//! | basm   | `<number>` and an instruction, or `REM` |
//! | Boogie | starts with a declaration |
//!
//! Comments (`;`, in Boogie `//` and `/* … */`, none in AIGER) and empty lines may precede it.
//!
//! Each table below is a `match` over the closed enum [`Format`], so that a new format does
//! not compile until every table knows it.

use std::fmt;

use elinvar_ir::program::Program;
use elinvar_ir::{PropertyId, TransitionSystem};

use crate::aiger::Encoding;
use crate::{Diagnostic, WriteError, aiger, basm, btor, btor2, dot, horn, smtlib};

/// A file format for problems.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// And-inverter circuits, in ASCII or binary.
    Aiger,
    /// Word-level models, the first version.
    Btor,
    /// Word-level models.
    Btor2,
    /// The assembler of the BTOR paper.
    Basm,
    /// Programs in Boogie.
    Boogie,
    /// SMT-LIB 2: unrollings of systems, and the Horn clauses of programs.
    SmtLib,
    /// Graphs for Graphviz.
    Dot,
}

/// The kinds of problem that a file can contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemKind {
    /// A transition system.
    System,
    /// A program.
    Program,
}

/// What the writers of some formats need to know; the others ignore it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteOptions {
    /// AIGER: ASCII or binary.
    pub encoding: Encoding,
    /// SMT-LIB: how many steps are unrolled.
    pub bound: usize,
    /// SMT-LIB: the property; may be left out if the system has one.
    pub property: Option<PropertyId>,
}

impl Format {
    /// All formats, in the order in which messages list them.
    pub const ALL: [Format; 7] = [
        Format::Aiger,
        Format::Btor,
        Format::Btor2,
        Format::Basm,
        Format::Boogie,
        Format::SmtLib,
        Format::Dot,
    ];

    /// The name of the format, as its authors spell it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Aiger => "AIGER",
            Format::Btor => "BTOR",
            Format::Btor2 => "BTOR2",
            Format::Basm => "basm",
            Format::Boogie => "Boogie",
            Format::SmtLib => "SMT-LIB",
            Format::Dot => "DOT",
        }
    }

    /// What files in this format contain, for lists of formats.
    pub fn description(self) -> &'static str {
        match self {
            Format::Aiger => "and-inverter circuits",
            Format::Btor => "word-level models, version 1",
            Format::Btor2 => "word-level models",
            Format::Basm => "programs for the machine of the BTOR paper",
            Format::Boogie => "programs",
            Format::SmtLib => "unrolled systems, or the Horn clauses of a program",
            Format::Dot => "graphs for Graphviz",
        }
    }

    /// The usual extensions of file names, in lower case and without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Aiger => &["aag", "aig"],
            Format::Btor => &["btor"],
            Format::Btor2 => &["btor2"],
            Format::Basm => &["basm"],
            Format::Boogie => &["bpl"],
            Format::SmtLib => &["smt2"],
            Format::Dot => &["dot"],
        }
    }

    /// The format with this extension, in any case.
    pub fn of_extension(extension: &str) -> Option<Self> {
        let extension = extension.to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.extensions().contains(&extension.as_str()))
    }

    /// The kind of problem that is read from files in this format, if they are read at all.
    pub fn reads(self) -> Option<ProblemKind> {
        match self {
            Format::Aiger | Format::Btor | Format::Btor2 | Format::Basm => {
                Some(ProblemKind::System)
            }
            Format::Boogie => Some(ProblemKind::Program),
            Format::SmtLib | Format::Dot => None,
        }
    }

    /// The kinds of problem that can be written in this format.
    pub fn writes(self) -> &'static [ProblemKind] {
        match self {
            Format::Aiger | Format::Btor | Format::Btor2 | Format::Dot => &[ProblemKind::System],
            Format::SmtLib => &[ProblemKind::System, ProblemKind::Program],
            Format::Basm | Format::Boogie => &[],
        }
    }

    /// Whether the format has words and arrays. A system must be bit-blasted before it is
    /// written in a format without them.
    pub fn has_words(self) -> bool {
        match self {
            Format::Aiger => false,
            Format::Btor
            | Format::Btor2
            | Format::Basm
            | Format::Boogie
            | Format::SmtLib
            | Format::Dot => true,
        }
    }

    /// The format of witnesses and of witness circuits for models in this format.
    pub fn evidence_format(self) -> Option<Format> {
        match self {
            Format::Aiger => Some(Format::Aiger),
            Format::Btor | Format::Btor2 | Format::Basm => Some(Format::Btor2),
            Format::Boogie | Format::SmtLib | Format::Dot => None,
        }
    }

    /// Writes a transition system in this format.
    pub fn write_model(
        self,
        system: &TransitionSystem,
        options: &WriteOptions,
    ) -> Result<Vec<u8>, WriteError> {
        match self {
            Format::Aiger => aiger::write(system, options.encoding),
            Format::Btor => btor::write(system),
            Format::Btor2 => btor2::write(system),
            Format::SmtLib => unrolling(system, options),
            Format::Dot => Ok(dot::write(system).into_bytes()),
            Format::Basm | Format::Boogie => {
                Err(WriteError::Unsupported { format: self, problem: "transition systems" })
            }
        }
    }

    /// Writes the question whether some of these properties of a program fail.
    pub fn write_program(
        self,
        program: &Program,
        properties: &[PropertyId],
    ) -> Result<Vec<u8>, WriteError> {
        match self {
            Format::SmtLib => Ok(horn::write(program, properties).into_bytes()),
            Format::Aiger
            | Format::Btor
            | Format::Btor2
            | Format::Basm
            | Format::Boogie
            | Format::Dot => Err(WriteError::Unsupported { format: self, problem: "programs" }),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn unrolling(system: &TransitionSystem, options: &WriteOptions) -> Result<Vec<u8>, WriteError> {
    let property = match options.property {
        Some(property) => property,
        None => {
            let mut bads = system.bads().map(|(id, _)| id);
            match (bads.next(), bads.next()) {
                (Some(only), None) => only,
                (_, _) => return Err(WriteError::NotOneProperty(system.bads().count())),
            }
        }
    };
    let script = smtlib::write_unrolling(system, property, options.bound);
    let not_safety = || WriteError::NotSafety(system.property(property).name.clone());
    Ok(script.ok_or_else(not_safety)?.into_bytes())
}

/// The format of a file: by its first line, else by the extension of its name.
pub fn detect(source: &[u8], name: Option<&str>) -> Option<Format> {
    if source.starts_with(b"aag ") || source.starts_with(b"aig ") {
        return Some(Format::Aiger);
    }
    let by_name = name.and_then(extension).and_then(Format::of_extension);
    let by_name = by_name.filter(|format| format.reads().is_some());
    let mut words = first_line(source).split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    let first = words.next().unwrap_or_default().to_ascii_lowercase();
    let second = words.next().unwrap_or_default().to_ascii_lowercase();
    if first == b"rem" {
        return Some(Format::Basm);
    }
    if first.is_empty() || !first.iter().all(u8::is_ascii_digit) {
        return if starts_with_declaration(source) { Some(Format::Boogie) } else { by_name };
    }
    match &second[..] {
        b"sort" => Some(Format::Btor2),
        b"var" | b"array" | b"const" | b"constd" | b"consth" | b"zero" | b"one" | b"ones" => {
            Some(Format::Btor)
        }
        // Some instructions are also operators of BTOR, which cannot come first there. The
        // name then tells which error to report.
        word if basm::is_instruction(word) => Some(by_name.unwrap_or(Format::Basm)),
        _ => by_name,
    }
}

/// Whether the file is a program in Boogie.
pub fn is_program(source: &[u8], name: &str) -> bool {
    detect(source, Some(name)) == Some(Format::Boogie)
}

/// Whether Boogie's declarations start here. A comment in which Ultimate writes verdicts
/// counts as one.
fn starts_with_declaration(source: &[u8]) -> bool {
    const KEYWORDS: [&[u8]; 8] =
        [b"procedure", b"implementation", b"var", b"const", b"type", b"function", b"axiom", b"//#"];
    let text = after_comments(source);
    KEYWORDS.iter().any(|keyword| text.starts_with(keyword))
}

/// The text after Boogie's comments, except for those in which Ultimate writes verdicts.
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

fn extension(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(_, extension)| extension)
}

/// The error for a file that contains nothing but white space and comments.
pub(crate) fn expect_content(source: &[u8]) -> Result<(), Diagnostic> {
    if source.trim_ascii().is_empty() || first_line(source).is_empty() {
        return Err(Diagnostic::of_file("the file is empty"));
    }
    Ok(())
}

/// The error for a file in none of the formats that are read.
pub(crate) fn unknown(source: &[u8], name: Option<&str>) -> Diagnostic {
    let readable = |kind| {
        let formats = Format::ALL.into_iter().filter(|format| format.reads() == Some(kind));
        let names: Vec<&str> = formats.map(Format::name).collect();
        match &names[..] {
            [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            names => names.concat(),
        }
    };
    let (systems, programs) = (readable(ProblemKind::System), readable(ProblemKind::Program));
    let language = Language::guess(source, name);
    let looks = language.map_or(String::new(), |l| format!(" (looks like {})", l.name()));
    let message =
        format!("unknown file format{looks}; models are in {systems}, programs in {programs}");
    let line = first_line(source);
    let start = source.windows(line.len().max(1)).position(|window| window == line);
    let start = start.unwrap_or(source.len());
    let error = Diagnostic::new(message, start..start + line.len());
    match language.and_then(Language::help) {
        Some(help) => error.with_help(help),
        None => error,
    }
}

/// Languages that are not read as models, but that users may have tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    Verilog,
    Vhdl,
    Smv,
    Blif,
    Rtlil,
    Firrtl,
    SmtLib,
    Dimacs,
    Dafny,
    Llvm,
    C,
    Json,
    Certificate,
    Proof,
    Compressed(&'static str),
    Binary,
}

impl Language {
    fn guess(source: &[u8], name: Option<&str>) -> Option<Self> {
        let compressed: [(&[u8], &str); 5] = [
            (b"\x1f\x8b", "gunzip"),
            (b"\xfd7zXZ\0", "unxz"),
            (b"BZh", "bunzip2"),
            (b"\x28\xb5\x2f\xfd", "unzstd"),
            (b"PK\x03\x04", "unzip"),
        ];
        let is_magic = |(magic, _): &&(&[u8], _)| source.starts_with(magic);
        if let Some((_, program)) = compressed.iter().find(is_magic) {
            return Some(Language::Compressed(program));
        }
        let text = after_comments(source);
        let starts = |word: &str| {
            let head = text.get(..word.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
        };
        let by_content: [(&[&str], Language); 13] = [
            (&["MODULE main"], Language::Smv),
            (&["module ", "`timescale", "`include", "`define", "`default_"], Language::Verilog),
            (&["library ", "entity ", "use ieee"], Language::Vhdl),
            (&[".model", ".inputs"], Language::Blif),
            (&["attribute \\", "autoidx "], Language::Rtlil),
            (&["circuit ", "FIRRTL version"], Language::Firrtl),
            (&["(set-", "(declare-", "(assert", "(define-"], Language::SmtLib),
            (&["p cnf", "c "], Language::Dimacs),
            (&["; ModuleID", "source_filename"], Language::Llvm),
            (&["#include", "#define", "extern ", "int ", "void "], Language::C),
            (&["{"], Language::Json),
            (&["elinvar certificate"], Language::Certificate),
            (&["elinvar proof"], Language::Proof),
        ];
        let found = by_content.iter().find(|(words, _)| words.iter().any(|word| starts(word)));
        if let Some((_, language)) = found {
            return Some(*language);
        }
        if source.iter().take(1024).any(|&byte| byte == 0) {
            return Some(Language::Binary);
        }
        match name.and_then(extension)?.to_ascii_lowercase().as_str() {
            "v" | "sv" => Some(Language::Verilog),
            "vhd" | "vhdl" => Some(Language::Vhdl),
            "smv" => Some(Language::Smv),
            "blif" => Some(Language::Blif),
            "il" => Some(Language::Rtlil),
            "fir" => Some(Language::Firrtl),
            "smt2" => Some(Language::SmtLib),
            "cnf" => Some(Language::Dimacs),
            "dfy" => Some(Language::Dafny),
            "ll" | "bc" => Some(Language::Llvm),
            "c" | "i" => Some(Language::C),
            "json" => Some(Language::Json),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Language::Verilog => "Verilog",
            Language::Vhdl => "VHDL",
            Language::Smv => "SMV",
            Language::Blif => "BLIF",
            Language::Rtlil => "RTLIL of Yosys",
            Language::Firrtl => "FIRRTL",
            Language::SmtLib => "SMT-LIB",
            Language::Dimacs => "DIMACS CNF",
            Language::Dafny => "Dafny",
            Language::Llvm => "LLVM",
            Language::C => "C",
            Language::Json => "JSON",
            Language::Certificate => "a certificate of Elinvar",
            Language::Proof => "a proof file of Elinvar",
            Language::Compressed(_) => "a compressed file",
            Language::Binary => "a binary file",
        }
    }

    /// The next step, where there is one.
    fn help(self) -> Option<String> {
        let help = match self {
            Language::Verilog => "name the file .v or .sv: it is read with Yosys then",
            Language::Rtlil => "name the file .il: it is read with Yosys then",
            Language::Vhdl => {
                "translate the design with Yosys and the GHDL plugin: `yosys -m ghdl -p \"ghdl \
                 TOP; prep -flatten; write_rtlil design.il\"`, then check design.il"
            }
            Language::Firrtl => "translate the circuit into Verilog with firtool, then check that",
            Language::Smv => "nuXmv translates SMV with `write_aiger_model`; check the AIGER file",
            Language::Blif => "translate the circuit with ABC, whose `write` writes AIGER",
            Language::SmtLib => "formulas and Horn clauses are decided by an SMT solver such as Z3",
            Language::Dimacs => "formulas in CNF are decided by a SAT solver such as CaDiCaL",
            Language::Dafny => "translate the program with `dafny translate-to-boogie`",
            Language::C | Language::Llvm => {
                "translate the program into Boogie, for example with SMACK, and check the .bpl file"
            }
            Language::Certificate => "`elinvar verify MODEL CERTIFICATE` checks it",
            Language::Proof => "give it with `--reuse`, together with its model",
            Language::Compressed(program) => {
                return Some(format!("decompress it first, for example with `{program}`"));
            }
            Language::Json | Language::Binary => return None,
        };
        Some(help.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{boogie, model, same_system};

    #[test]
    fn formats_are_detected_by_content() {
        let of = |text: &str| detect(text.as_bytes(), None);
        assert_eq!(of("aag 0 0 0 0 0\n"), Some(Format::Aiger));
        assert_eq!(of("aig 0 0 0 0 0\n"), Some(Format::Aiger));
        assert_eq!(of("; c\n\n 1 sort bitvec 1\n"), Some(Format::Btor2));
        assert_eq!(of("1 var 8 x\r\n"), Some(Format::Btor));
        assert_eq!(of("2 zero 8\n"), Some(Format::Btor));
        assert_eq!(of("10 LOAD 5\n"), Some(Format::Basm));
        assert_eq!(of("rem a program\n10 exit 0\n"), Some(Format::Basm));
        assert_eq!(of("10 add 5\n"), Some(Format::Basm));
        assert_eq!(of("procedure main() {}"), Some(Format::Boogie));
        assert_eq!(of("hello"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn the_name_decides_if_the_content_does_not() {
        assert_eq!(detect(b"1 sort bitvec 1", Some("x.btor")), Some(Format::Btor2));
        assert_eq!(detect(b"1 add 8 2 3", Some("x.btor")), Some(Format::Btor));
        assert_eq!(detect(b"1 frob 8", Some("x.y.BTOR2")), Some(Format::Btor2));
        assert_eq!(detect(b"1 frob 8", Some("x")), None);
        assert_eq!(detect(b"hello", Some("x.dot")), None, "never read");
    }

    #[test]
    fn programs_are_detected_by_their_first_declaration() {
        let of = |text: &str| is_program(text.as_bytes(), "<stdin>");
        assert!(of("procedure main() {}") && of("//#Safe\n") && of("// c\n/* d\n*/ var x: int;"));
        assert!(!of("1 var 8 x\n") && !of("") && !of("// procedure"));
        assert!(is_program(b"", "x.bpl") && !is_program(b"aag 0 0 0 0 0\n", "x.bpl"));
    }

    #[test]
    fn an_extension_belongs_to_one_format() {
        for format in Format::ALL {
            for extension in format.extensions() {
                assert_eq!(Format::of_extension(extension), Some(format));
                assert_eq!(Format::of_extension(&extension.to_uppercase()), Some(format));
            }
        }
        assert_eq!(Format::of_extension("sv"), None);
    }

    /// The tables of what is read and written agree with the readers and writers.
    #[test]
    fn the_tables_agree_with_readers_and_writers() {
        let text = b"aag 2 1 1 0 0 1\n2\n4 2\n4\ni0 x\nl0 s\nb0 p\n";
        let system = model::read_model(text, None).unwrap().into_system();
        let program = boogie::read(b"procedure p(x: int) { assert x != 3; }").unwrap();
        for format in Format::ALL {
            let writes = |kind| format.writes().contains(&kind);
            let options = WriteOptions { encoding: Encoding::Ascii, bound: 2, property: None };
            let written = format.write_model(&system, &options);
            assert_eq!(written.is_ok(), writes(ProblemKind::System), "{format}");
            if let (Ok(bytes), Some(ProblemKind::System)) = (written, format.reads()) {
                let again = model::read_model(&bytes, None).unwrap();
                assert_eq!(again.format(), format);
                // BTOR has no registers that start with any value other than zero.
                assert!(format == Format::Btor || same_system(again.system(), &system));
            }
            let written = format.write_program(&program, &[PropertyId(0)]);
            assert_eq!(written.is_ok(), writes(ProblemKind::Program), "{format}");
        }
    }

    #[test]
    fn an_unrolling_is_about_one_safety_property() {
        let text = b"aag 1 1 0 0 0 2\n2\n2\n3\n";
        let system = model::read_model(text, None).unwrap().into_system();
        let write = |property| {
            let options = WriteOptions { encoding: Encoding::Ascii, bound: 2, property };
            Format::SmtLib.write_model(&system, &options)
        };
        assert_eq!(write(None), Err(WriteError::NotOneProperty(2)));
        assert!(write(Some(PropertyId(1))).is_ok());
    }

    #[test]
    fn other_languages_are_named() {
        let message = |text: &str, name| unknown(text.as_bytes(), Some(name)).message;
        let looks = |text, name, language: &str| {
            message(text, name).starts_with(&format!("unknown file format (looks like {language})"))
        };
        assert!(looks("// c\nmodule top(input clk);", "x", "Verilog"));
        assert!(looks("assert property", "x.sv", "Verilog"));
        assert!(looks("MODULE main\n", "x", "SMV"));
        assert!(looks("(set-logic HORN)\n", "x", "SMT-LIB"));
        assert!(looks("#include <stdio.h>\n", "x", "C"));
        assert!(looks("\x1f", "x.vhd", "VHDL") && looks("(* x *)", "x.fir", "FIRRTL"));
        assert!(
            looks("BZh91AY", "x", "a compressed file")
                && looks("PK\x03\x04", "x.aig", "a compressed file")
        );
        assert!(looks("# Yosys\nattribute \\x", "x.il", "RTLIL of Yosys"));
        assert!(looks("\x7fELF\0\0", "x", "a binary file"));
        assert!(message("hello", "x.txt").starts_with("unknown file format; models are in AIGER"));
    }
}
