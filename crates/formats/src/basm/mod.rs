//! The BASIC-like assembler of Brummayer, Biere and Lonsing, "BTOR: Bit-Precise
//! Modelling of Word-Level Problems for Model Checking" (BPR 2008), section 6.2:
//! a reader, a simulator, and a translator to transition systems.
//!
//! The machine has a program counter, an accumulator, a flag, 26 registers `a`
//! to `z` and 2^32 words of memory; all words are unsigned with 32 bits. Each
//! line of a program is a number and one instruction with one operand, which is
//! a register or an immediate number (decimal, or hexadecimal after `0x`):
//!
//! | instruction              | meaning                                           |
//! |--------------------------|---------------------------------------------------|
//! | `LOAD` arg               | accu := arg                                       |
//! | `SAVE` reg               | reg := accu                                       |
//! | `PEEK` arg               | accu := memory\[arg\]                             |
//! | `POKE` arg               | memory\[arg\] := accu                             |
//! | `ADD SUB MUL` arg        | accu := accu + − × arg, modulo 2^32               |
//! | `DIV MOD` arg            | quotient and remainder; by zero: 2^32−1, accu     |
//! | `AND OR XOR` arg         | bitwise                                           |
//! | `SHL SHR` arg            | logical shifts; by 32 or more: zero               |
//! | `EQ NE LT LE GT GE` arg  | flag := accu compared with arg, unsigned          |
//! | `JMP` arg                | if flag then pc := arg                            |
//! | `EXIT` arg               | exit with code arg; not zero: a failed assertion  |
//! | `REM` text               | nothing                                           |
//!
//! Case does not matter. A `;` starts a comment; so does `REM` on a line
//! without a number. The paper prints only a part of the instruction set; the
//! rest of this table is our reading of it. What the paper leaves open:
//!
//! - The program counter, the accumulator and the flag start at zero, registers
//!   and memory with *any* contents, since they are arrays in the paper. A
//!   program thus gets its inputs by reading a register that it never wrote, and
//!   a verdict covers all contents.
//! - Line numbers ascend and lie between 1 and 2^32−2: zero is where the program
//!   counter starts, from where it goes to the first line.
//! - An immediate jump must name a line. A jump by register to a number that is
//!   not a line halts the machine there; a jump to zero starts the program again.
//! - After the last line the program counter gets the number behind it, which is
//!   no line: the machine halts. An `EXIT` keeps the program counter in its line.

mod parse;
mod simulate;
mod translate;

use std::fmt;

pub(crate) use parse::is_instruction;
pub use parse::parse;
pub use simulate::{End, Machine, Memory, Outcome, REGISTERS, simulate};
pub use translate::{translate, translate_with};

/// A program: at least one line, numbers ascending from 1 or more, and every
/// immediate jump leads to a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    lines: Vec<Line>,
}

/// A line: its number and its instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// The line number, by which jumps name the line.
    pub number: u32,
    /// What the line does.
    pub instruction: Instruction,
}

/// One of the registers `a` to `z`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Register(u8);

/// The operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// The value of a register.
    Register(Register),
    /// A number in the program text.
    Immediate(u32),
}

/// An instruction with its operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instruction {
    /// `LOAD`: accu := operand.
    Load(Operand),
    /// `SAVE`: register := accu.
    Save(Register),
    /// `PEEK`: accu := memory\[operand\].
    Peek(Operand),
    /// `POKE`: memory\[operand\] := accu.
    Poke(Operand),
    /// Arithmetic: accu := accu ∘ operand.
    Compute(Arithmetic, Operand),
    /// A comparison: flag := accu ∘ operand.
    Compare(Relation, Operand),
    /// `JMP`: continue at the operand if the flag is set.
    Jump(Operand),
    /// `EXIT`: end with the operand as exit code.
    Exit(Operand),
    /// `REM`: no effect.
    Remark,
}

/// The operators that compute a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    /// Addition modulo 2^32.
    Add,
    /// Subtraction modulo 2^32.
    Sub,
    /// Multiplication modulo 2^32.
    Mul,
    /// Unsigned division; by zero, all ones.
    Div,
    /// Unsigned remainder; by zero, the dividend.
    Mod,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift to the left; zero from 32 places on.
    Shl,
    /// Logical shift to the right; zero from 32 places on.
    Shr,
}

/// The unsigned comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less than.
    Lt,
    /// Less than or equal.
    Le,
    /// Greater than.
    Gt,
    /// Greater than or equal.
    Ge,
}

impl Program {
    /// In ascending order; never empty.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Where the program counter goes from the line at `index`, but for jumps.
    fn after(&self, index: usize) -> u32 {
        match self.lines.get(index + 1) {
            Some(line) => line.number,
            None => self.lines[index].number + 1,
        }
    }

    /// The index of the line with this number.
    fn find(&self, number: u32) -> Option<usize> {
        self.lines.binary_search_by_key(&number, |line| line.number).ok()
    }
}

impl Register {
    /// The register with this name, in either case.
    pub fn from_letter(letter: u8) -> Option<Self> {
        let letter = letter.to_ascii_lowercase();
        letter.is_ascii_lowercase().then(|| Register(letter - b'a'))
    }

    /// `a` is 0.
    pub fn index(self) -> usize {
        self.0.into()
    }
}

impl Arithmetic {
    /// All operators.
    pub const ALL: [Arithmetic; 10] = [
        Arithmetic::Add,
        Arithmetic::Sub,
        Arithmetic::Mul,
        Arithmetic::Div,
        Arithmetic::Mod,
        Arithmetic::And,
        Arithmetic::Or,
        Arithmetic::Xor,
        Arithmetic::Shl,
        Arithmetic::Shr,
    ];

    fn name(self) -> &'static str {
        match self {
            Arithmetic::Add => "add",
            Arithmetic::Sub => "sub",
            Arithmetic::Mul => "mul",
            Arithmetic::Div => "div",
            Arithmetic::Mod => "mod",
            Arithmetic::And => "and",
            Arithmetic::Or => "or",
            Arithmetic::Xor => "xor",
            Arithmetic::Shl => "shl",
            Arithmetic::Shr => "shr",
        }
    }
}

impl Relation {
    /// All comparisons.
    pub const ALL: [Relation; 6] =
        [Relation::Eq, Relation::Ne, Relation::Lt, Relation::Le, Relation::Gt, Relation::Ge];

    fn name(self) -> &'static str {
        match self {
            Relation::Eq => "eq",
            Relation::Ne => "ne",
            Relation::Lt => "lt",
            Relation::Le => "le",
            Relation::Gt => "gt",
            Relation::Ge => "ge",
        }
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(b'a' + self.0))
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Register(register) => register.fmt(f),
            Operand::Immediate(value) => value.fmt(f),
        }
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Instruction::Load(arg) => write!(f, "load {arg}"),
            Instruction::Save(register) => write!(f, "save {register}"),
            Instruction::Peek(arg) => write!(f, "peek {arg}"),
            Instruction::Poke(arg) => write!(f, "poke {arg}"),
            Instruction::Compute(op, arg) => write!(f, "{} {arg}", op.name()),
            Instruction::Compare(relation, arg) => write!(f, "{} {arg}", relation.name()),
            Instruction::Jump(arg) => write!(f, "jmp {arg}"),
            Instruction::Exit(arg) => write!(f, "exit {arg}"),
            Instruction::Remark => write!(f, "rem"),
        }
    }
}

/// The text of the program, as [`parse`] reads it.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            writeln!(f, "{} {}", line.number, line.instruction)?;
        }
        Ok(())
    }
}
