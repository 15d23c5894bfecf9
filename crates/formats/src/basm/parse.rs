//! The reader of assembler programs.

use std::ops::Range;

use super::{Arithmetic, Instruction, Line, Operand, Program, Register, Relation};
use crate::Diagnostic;

/// The largest line number: the one above it is where a program ends.
const LAST_LINE: u32 = u32::MAX - 1;

/// Reads a program.
pub fn parse(source: &[u8]) -> Result<Program, Diagnostic> {
    let mut lines: Vec<Line> = Vec::new();
    let mut jumps: Vec<(u32, Range<usize>)> = Vec::new();
    let mut start = 0;
    for text in source.split_inclusive(|&byte| byte == b'\n') {
        let tokens = tokens(text, start);
        start += text.len();
        let Some(line) = parse_line(&tokens, lines.last())? else { continue };
        if let Instruction::Jump(Operand::Immediate(target)) = line.instruction {
            jumps.push((target, tokens[2].span.clone()));
        }
        lines.push(line);
    }
    if lines.is_empty() {
        return Err(Diagnostic::new("the program has no instruction", source.len()..source.len())
            .with_help("a line looks like this: 10 load 100"));
    }
    let program = Program { lines };
    match jumps.into_iter().find(|(target, _)| program.find(*target).is_none()) {
        Some((target, span)) => Err(Diagnostic::new(format!("there is no line {target}"), span)),
        None => Ok(program),
    }
}

struct Token<'a> {
    text: &'a [u8],
    span: Range<usize>,
}

impl Token<'_> {
    /// The text for a message; what is too long is cut.
    fn shown(&self) -> String {
        const LONGEST: usize = 32;
        let cut = &self.text[..self.text.len().min(LONGEST)];
        let dots = if cut.len() < self.text.len() { "…" } else { "" };
        format!("`{}{dots}`", String::from_utf8_lossy(cut))
    }

    fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(message, self.span.clone())
    }
}

/// The words of a line, without its comment; `start` is the place of the line.
fn tokens(text: &[u8], start: usize) -> Vec<Token<'_>> {
    let length = text.iter().position(|&byte| byte == b';').unwrap_or(text.len());
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < length {
        let word = text[at..length].iter().position(u8::is_ascii_whitespace);
        let end = word.map_or(length, |word| at + word);
        if end > at {
            tokens.push(Token { text: &text[at..end], span: start + at..start + end });
        }
        at = end + 1;
    }
    tokens
}

fn parse_line(tokens: &[Token], last: Option<&Line>) -> Result<Option<Line>, Diagnostic> {
    let [number, rest @ ..] = tokens else { return Ok(None) };
    if is_remark(number.text) {
        return Ok(None);
    }
    let number = parse_line_number(number, last)?;
    let [name, rest @ ..] = rest else {
        return Err(tokens[0].error("expected an instruction after the line number"));
    };
    if is_remark(name.text) {
        return Ok(Some(Line { number, instruction: Instruction::Remark }));
    }
    let mnemonic = Mnemonic::of(name.text).ok_or_else(|| unknown_instruction(name))?;
    let [argument, rest @ ..] = rest else {
        return Err(name
            .error(format!("instruction {} needs an operand", name.shown()))
            .with_help("every instruction takes one: a register a to z, or a number"));
    };
    let instruction = mnemonic
        .with(parse_operand(argument)?)
        .ok_or_else(|| argument.error("only a register can be written, not a number"))?;
    match rest {
        [] => Ok(Some(Line { number, instruction })),
        [extra, ..] => {
            Err(extra.error(format!("unexpected {} after the operand", extra.shown())).with_help(
                "write one instruction per line, with one operand; comments start with `;`",
            ))
        }
    }
}

fn parse_line_number(token: &Token, last: Option<&Line>) -> Result<u32, Diagnostic> {
    if !token.text[0].is_ascii_digit() {
        return Err(token
            .error(format!("expected a line number, found {}", token.shown()))
            .with_help("a line looks like this: 10 load 100"));
    }
    let number = parse_number(token)?;
    match last {
        _ if number == 0 || number > LAST_LINE => {
            Err(token.error(format!("line numbers are between 1 and {LAST_LINE}")))
        }
        Some(last) if last.number >= number => Err(token
            .error(format!("line {number} comes after line {}", last.number))
            .with_help("line numbers must ascend")),
        Some(_) | None => Ok(number),
    }
}

fn parse_operand(token: &Token) -> Result<Operand, Diagnostic> {
    match token.text {
        [letter] if letter.is_ascii_alphabetic() => {
            let register = Register::from_letter(*letter).expect("a letter");
            Ok(Operand::Register(register))
        }
        [digit, ..] if digit.is_ascii_digit() => parse_number(token).map(Operand::Immediate),
        [b'-', ..] => Err(token
            .error("numbers cannot be negative")
            .with_help("words are unsigned 32-bit numbers; −1 is 4294967295")),
        _ => Err(token
            .error(format!("{} is neither a register nor a number", token.shown()))
            .with_help("registers are a to z; numbers are decimal, or hexadecimal after 0x")),
    }
}

fn parse_number(token: &Token) -> Result<u32, Diagnostic> {
    let (digits, radix) = match token.text {
        [b'0', b'x' | b'X', digits @ ..] => (digits, 16),
        digits => (digits, 10),
    };
    let malformed = digits.is_empty() || !digits.iter().all(|&d| char::from(d).is_digit(radix));
    if malformed {
        return Err(token.error(format!("{} is not a number", token.shown())));
    }
    let text = std::str::from_utf8(digits).expect("digits are ASCII");
    u32::from_str_radix(text, radix)
        .map_err(|_| token.error(format!("{} does not fit in 32 bits", token.shown())))
}

fn unknown_instruction(name: &Token) -> Diagnostic {
    name.error(format!("unknown instruction {}", name.shown())).with_help(
        "the instructions are load save peek poke add sub mul div mod and or xor shl shr eq ne lt le gt ge \
         jmp exit rem",
    )
}

/// Is this word the name of an instruction, in any case?
pub fn is_instruction(word: &[u8]) -> bool {
    is_remark(word) || Mnemonic::of(word).is_some()
}

fn is_remark(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"rem")
}

/// An instruction that still lacks its operand.
enum Mnemonic {
    Load,
    Save,
    Peek,
    Poke,
    Compute(Arithmetic),
    Compare(Relation),
    Jump,
    Exit,
}

impl Mnemonic {
    fn of(word: &[u8]) -> Option<Self> {
        let named = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        let others = [
            ("load", Mnemonic::Load),
            ("save", Mnemonic::Save),
            ("peek", Mnemonic::Peek),
            ("poke", Mnemonic::Poke),
            ("jmp", Mnemonic::Jump),
            ("exit", Mnemonic::Exit),
        ];
        (Arithmetic::ALL.map(|op| (op.name(), Mnemonic::Compute(op))).into_iter())
            .chain(Relation::ALL.map(|relation| (relation.name(), Mnemonic::Compare(relation))))
            .chain(others)
            .find_map(|(name, mnemonic)| named(name).then_some(mnemonic))
    }

    /// The instruction, if it can have this operand.
    fn with(self, arg: Operand) -> Option<Instruction> {
        Some(match (self, arg) {
            (Mnemonic::Load, arg) => Instruction::Load(arg),
            (Mnemonic::Save, Operand::Register(register)) => Instruction::Save(register),
            (Mnemonic::Save, Operand::Immediate(_)) => return None,
            (Mnemonic::Peek, arg) => Instruction::Peek(arg),
            (Mnemonic::Poke, arg) => Instruction::Poke(arg),
            (Mnemonic::Compute(op), arg) => Instruction::Compute(op, arg),
            (Mnemonic::Compare(relation), arg) => Instruction::Compare(relation, arg),
            (Mnemonic::Jump, arg) => Instruction::Jump(arg),
            (Mnemonic::Exit, arg) => Instruction::Exit(arg),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_read_and_written_back() {
        let source = "rem a remark\n\n10 LOAD 0x64 ; comment\r\n20 Add Z\n  30 save a\n\
                      35 rem here\n40 ge 7\n50 jmp 10\n60 exit a";
        let program = parse(source.as_bytes()).unwrap();
        let text = "10 load 100\n20 add z\n30 save a\n35 rem\n40 ge 7\n50 jmp 10\n60 exit a\n";
        assert_eq!(program.to_string(), text);
        assert_eq!(parse(text.as_bytes()).unwrap(), program);
    }

    #[test]
    fn errors_point_at_the_word() {
        crate::annotated::check("basm.txt", parse);
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        let mut rng = elinvar_ir::Rng::new(1);
        let good = b"10 load 0x64\n20 jmp 10\n30 exit a ; end";
        for _ in 0..2000 {
            let mut bytes = good.to_vec();
            for _ in 0..1 + rng.below(4) {
                let at = rng.below(bytes.len());
                bytes[at] = rng.next_u64() as u8;
            }
            if let Err(error) = parse(&bytes) {
                assert!(error.span.end <= bytes.len());
            }
        }
    }
}
