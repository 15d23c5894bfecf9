//! The second word of a line.

use std::collections::BTreeMap;

use elinvar_ir::{BinaryOp, UnaryOp};

use super::constant::{Constant, Radix};
use super::operator::Operator;

/// The format that a file is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Syntax {
    Btor,
    Btor2,
}

impl Syntax {
    pub fn name(self) -> &'static str {
        match self {
            Syntax::Btor => "BTOR",
            Syntax::Btor2 => "BTOR2",
        }
    }
}

/// What a line does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keyword {
    Sort,
    Input,
    State,
    Init,
    Output,
    Bad,
    Constraint,
    Fair,
    Justice,
    Var,
    Array,
    Anext,
    Acond,
    Root,
    Next,
    Constant(Constant),
    Slice,
    Uext,
    Sext,
    Operator(Operator),
}

/// One keyword, its text and the formats that have it.
struct Entry {
    text: &'static str,
    keyword: Keyword,
    btor: bool,
    btor2: bool,
}

const fn both(text: &'static str, keyword: Keyword) -> Entry {
    Entry { text, keyword, btor: true, btor2: true }
}

const fn btor(text: &'static str, keyword: Keyword) -> Entry {
    Entry { text, keyword, btor: true, btor2: false }
}

const fn btor2(text: &'static str, keyword: Keyword) -> Entry {
    Entry { text, keyword, btor: false, btor2: true }
}

const fn unary(text: &'static str, operator: UnaryOp) -> Entry {
    op(text, Operator::Unary(operator))
}

const fn binary(text: &'static str, operator: BinaryOp) -> Entry {
    op(text, Operator::Binary(operator))
}

const fn op(text: &'static str, operator: Operator) -> Entry {
    both(text, Keyword::Operator(operator))
}

const ENTRIES: &[Entry] = &[
    btor2("sort", Keyword::Sort),
    btor2("input", Keyword::Input),
    btor2("state", Keyword::State),
    btor2("init", Keyword::Init),
    btor2("output", Keyword::Output),
    btor2("bad", Keyword::Bad),
    btor2("constraint", Keyword::Constraint),
    btor2("fair", Keyword::Fair),
    btor2("justice", Keyword::Justice),
    btor2("ite", Keyword::Operator(Operator::Ite)),
    btor2("neq", Keyword::Operator(Operator::Neq)),
    btor2("udivo", Keyword::Operator(Operator::Udivo)),
    btor("var", Keyword::Var),
    btor("array", Keyword::Array),
    btor("anext", Keyword::Anext),
    btor("acond", Keyword::Acond),
    btor("root", Keyword::Root),
    btor("cond", Keyword::Operator(Operator::Ite)),
    btor("ne", Keyword::Operator(Operator::Neq)),
    both("next", Keyword::Next),
    both("one", Keyword::Constant(Constant::One)),
    both("ones", Keyword::Constant(Constant::Ones)),
    both("zero", Keyword::Constant(Constant::Zero)),
    both("const", Keyword::Constant(Constant::Digits(Radix::Binary))),
    both("constd", Keyword::Constant(Constant::Digits(Radix::Decimal))),
    both("consth", Keyword::Constant(Constant::Digits(Radix::Hexadecimal))),
    both("slice", Keyword::Slice),
    both("uext", Keyword::Uext),
    both("sext", Keyword::Sext),
    unary("not", UnaryOp::Not),
    unary("neg", UnaryOp::Neg),
    unary("redand", UnaryOp::RedAnd),
    op("redor", Operator::Redor),
    unary("redxor", UnaryOp::RedXor),
    op("inc", Operator::Inc),
    op("dec", Operator::Dec),
    binary("and", BinaryOp::And),
    op("or", Operator::Or),
    binary("xor", BinaryOp::Xor),
    op("nand", Operator::Nand),
    op("nor", Operator::Nor),
    op("xnor", Operator::Xnor),
    op("implies", Operator::Implies),
    op("iff", Operator::Iff),
    binary("add", BinaryOp::Add),
    binary("sub", BinaryOp::Sub),
    binary("mul", BinaryOp::Mul),
    binary("udiv", BinaryOp::Udiv),
    binary("sdiv", BinaryOp::Sdiv),
    binary("urem", BinaryOp::Urem),
    binary("srem", BinaryOp::Srem),
    binary("smod", BinaryOp::Smod),
    binary("eq", BinaryOp::Eq),
    binary("ult", BinaryOp::Ult),
    op("ulte", Operator::Ulte),
    op("ugt", Operator::Ugt),
    op("ugte", Operator::Ugte),
    binary("slt", BinaryOp::Slt),
    op("slte", Operator::Slte),
    op("sgt", Operator::Sgt),
    op("sgte", Operator::Sgte),
    binary("sll", BinaryOp::Shl),
    binary("srl", BinaryOp::Lshr),
    binary("sra", BinaryOp::Ashr),
    binary("rol", BinaryOp::Rol),
    binary("ror", BinaryOp::Ror),
    binary("uaddo", BinaryOp::Uaddo),
    binary("saddo", BinaryOp::Saddo),
    op("usubo", Operator::Usubo),
    binary("ssubo", BinaryOp::Ssubo),
    binary("umulo", BinaryOp::Umulo),
    binary("smulo", BinaryOp::Smulo),
    binary("sdivo", BinaryOp::Sdivo),
    binary("concat", BinaryOp::Concat),
    op("read", Operator::Read),
    op("write", Operator::Write),
];

const SLOTS: usize = 256;

/// Open addressing, filled at compile time: position in `ENTRIES` plus one.
const TABLE: [u8; SLOTS] = {
    let mut table = [0; SLOTS];
    let mut i = 0;
    while i < ENTRIES.len() {
        let mut slot = hash(ENTRIES[i].text.as_bytes());
        while table[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        table[slot] = i as u8 + 1;
        i += 1;
    }
    table
};

const fn hash(word: &[u8]) -> usize {
    let mut hash = word.len();
    let mut i = 0;
    while i < word.len() {
        hash = hash.wrapping_mul(37).wrapping_add(word[i] as usize);
        i += 1;
    }
    hash % SLOTS
}

fn find(word: &[u8]) -> Option<usize> {
    // No keyword is longer; do not hash a long line of garbage.
    if word.len() > 10 {
        return None;
    }
    let mut slot = hash(word);
    loop {
        match TABLE[slot] {
            0 => return None,
            entry if ENTRIES[entry as usize - 1].text.as_bytes() == word => {
                return Some(entry as usize - 1);
            }
            _ => slot = (slot + 1) % SLOTS,
        }
    }
}

/// Recognises the keywords of one format and counts them.
pub(crate) struct Histogram {
    syntax: Syntax,
    counts: [usize; ENTRIES.len()],
}

impl Histogram {
    pub fn new(syntax: Syntax) -> Self {
        Histogram { syntax, counts: [0; ENTRIES.len()] }
    }

    /// The keyword that the word is. The error says what is wrong with it, and
    /// how to fix it.
    pub fn keyword(&mut self, word: &[u8]) -> Result<Keyword, (String, Option<String>)> {
        let text = || String::from_utf8_lossy(&word[..word.len().min(40)]).into_owned();
        let name = self.syntax.name();
        let Some(entry) = find(word) else {
            let is_function = matches!(word, b"param" | b"lambda" | b"apply");
            let help = "the functions of Boolector's later dialect of BTOR are not supported";
            let help = (self.syntax == Syntax::Btor && is_function).then(|| help.to_owned());
            return Err((format!("`{}` is not an operator of {name}", text()), help));
        };
        let known = match self.syntax {
            Syntax::Btor => ENTRIES[entry].btor,
            Syntax::Btor2 => ENTRIES[entry].btor2,
        };
        if !known {
            let other = match self.syntax {
                Syntax::Btor => Syntax::Btor2,
                Syntax::Btor2 => Syntax::Btor,
            };
            let help =
                format!("it is an operator of {}; is the file in that format?", other.name());
            return Err((format!("`{}` is not an operator of {name}", text()), Some(help)));
        }
        self.counts[entry] += 1;
        Ok(ENTRIES[entry].keyword)
    }

    /// How often each keyword occurred, without those that did not.
    pub fn into_map(self) -> BTreeMap<&'static str, usize> {
        let counted = ENTRIES.iter().zip(self.counts).filter(|&(_, count)| count > 0);
        counted.map(|(entry, count)| (entry.text, count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_is_found_and_nothing_else() {
        for (i, entry) in ENTRIES.iter().enumerate() {
            assert_eq!(find(entry.text.as_bytes()), Some(i));
        }
        for word in ["", "an", "andd", "AND", "constrain", "constraints"] {
            assert_eq!(find(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn functions_of_boolector_are_recognised() {
        for word in ["param", "lambda", "apply"] {
            let (_, help) = Histogram::new(Syntax::Btor).keyword(word.as_bytes()).unwrap_err();
            assert!(help.unwrap().contains("Boolector"));
            let (_, help) = Histogram::new(Syntax::Btor2).keyword(word.as_bytes()).unwrap_err();
            assert_eq!(help, None);
        }
    }

    #[test]
    fn the_other_format_is_recognised() {
        let (_, help) = Histogram::new(Syntax::Btor).keyword(b"ite").unwrap_err();
        assert!(help.unwrap().contains("BTOR2"));
        assert!(Histogram::new(Syntax::Btor2).keyword(b"ite").is_ok());
    }
}
