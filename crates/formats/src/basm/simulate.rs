//! The simulator: runs a program on given registers and memory.

use std::collections::BTreeMap;

use super::{Arithmetic, Instruction, Operand, Program, Relation};

/// How many registers there are.
pub const REGISTERS: usize = 26;

/// The state of the machine; [`Machine::default`] is zero everywhere.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Machine {
    /// The program counter.
    pub pc: u32,
    /// The accumulator.
    pub accu: u32,
    /// The flag, which comparisons set and jumps test.
    pub flag: bool,
    /// The registers `a` to `z`.
    pub registers: [u32; REGISTERS],
    /// The memory.
    pub memory: Memory,
}

/// 2^32 words: those that were written, and what all others hold.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// The value of every word that `words` does not list.
    pub background: u32,
    /// The words that differ from the background, by address.
    pub words: BTreeMap<u32, u32>,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// An `EXIT` was reached; a code that is not zero is a failed assertion.
    Exit {
        /// The line of the `EXIT` instruction.
        line: u32,
        /// The exit code.
        code: u32,
    },
    /// The program counter left the program.
    Halted,
    /// The limit was reached first.
    Limit,
}

/// The end of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// How the run ended.
    pub end: End,
    /// Transitions taken, the one from zero to the first line included: the
    /// translated system is in this state in cycle `steps`.
    pub steps: u64,
    /// The machine at the end of the run.
    pub machine: Machine,
}

/// Runs a program from its start for at most `limit` steps.
///
/// Registers and memory start with the given contents.
pub fn simulate(
    program: &Program,
    limit: u64,
    registers: [u32; REGISTERS],
    memory: Memory,
) -> Outcome {
    let mut machine = Machine { registers, memory, ..Machine::default() };
    let mut steps = 0;
    let end = loop {
        match machine.end(program) {
            Some(end) => break end,
            None if steps == limit => break End::Limit,
            None => machine.step(program),
        }
        steps += 1;
    };
    Outcome { end, steps, machine }
}

impl Machine {
    /// Has the run ended in this state?
    fn end(&self, program: &Program) -> Option<End> {
        if self.pc == 0 {
            return None;
        }
        let Some(index) = program.find(self.pc) else { return Some(End::Halted) };
        match program.lines()[index].instruction {
            Instruction::Exit(arg) => Some(End::Exit { line: self.pc, code: self.value(arg) }),
            Instruction::Load(_)
            | Instruction::Save(_)
            | Instruction::Peek(_)
            | Instruction::Poke(_)
            | Instruction::Compute(..)
            | Instruction::Compare(..)
            | Instruction::Jump(_)
            | Instruction::Remark => None,
        }
    }

    /// Executes the instruction at the program counter; none when the run has ended.
    fn step(&mut self, program: &Program) {
        if self.pc == 0 {
            self.pc = program.lines()[0].number;
            return;
        }
        let Some(index) = program.find(self.pc) else { return };
        let mut next = program.after(index);
        match program.lines()[index].instruction {
            Instruction::Load(arg) => self.accu = self.value(arg),
            Instruction::Save(register) => self.registers[register.index()] = self.accu,
            Instruction::Peek(arg) => self.accu = self.memory.read(self.value(arg)),
            Instruction::Poke(arg) => {
                self.memory.words.insert(self.value(arg), self.accu);
            }
            Instruction::Compute(op, arg) => self.accu = op.apply(self.accu, self.value(arg)),
            Instruction::Compare(relation, arg) => {
                self.flag = relation.holds(self.accu, self.value(arg));
            }
            Instruction::Jump(arg) if self.flag => next = self.value(arg),
            Instruction::Exit(_) => next = self.pc,
            Instruction::Jump(_) | Instruction::Remark => {}
        }
        self.pc = next;
    }

    fn value(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Register(register) => self.registers[register.index()],
            Operand::Immediate(value) => value,
        }
    }
}

impl Memory {
    /// The word at an address.
    pub fn read(&self, address: u32) -> u32 {
        self.words.get(&address).copied().unwrap_or(self.background)
    }
}

impl Arithmetic {
    fn apply(self, a: u32, b: u32) -> u32 {
        match self {
            Arithmetic::Add => a.wrapping_add(b),
            Arithmetic::Sub => a.wrapping_sub(b),
            Arithmetic::Mul => a.wrapping_mul(b),
            Arithmetic::Div => a.checked_div(b).unwrap_or(u32::MAX),
            Arithmetic::Mod => a.checked_rem(b).unwrap_or(a),
            Arithmetic::And => a & b,
            Arithmetic::Or => a | b,
            Arithmetic::Xor => a ^ b,
            Arithmetic::Shl => a.checked_shl(b).unwrap_or(0),
            Arithmetic::Shr => a.checked_shr(b).unwrap_or(0),
        }
    }
}

impl Relation {
    fn holds(self, a: u32, b: u32) -> bool {
        match self {
            Relation::Eq => a == b,
            Relation::Ne => a != b,
            Relation::Lt => a < b,
            Relation::Le => a <= b,
            Relation::Gt => a > b,
            Relation::Ge => a >= b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basm::parse;

    fn run(source: &str) -> Outcome {
        let program = parse(source.as_bytes()).unwrap();
        let mut registers = [0; REGISTERS];
        registers[25] = 7;
        simulate(&program, 100, registers, Memory { background: 9, words: [(3, 4)].into() })
    }

    #[test]
    fn the_example_of_the_paper_exits_with_zero() {
        let outcome =
            run("10 load 100\n20 add 1\n30 save a\n40 ne a\n50 jmp 70\n60 exit 0\n70 exit 1");
        assert_eq!(outcome.end, End::Exit { line: 60, code: 0 });
        assert_eq!((outcome.steps, outcome.machine.registers[0]), (6, 101));
    }

    #[test]
    fn memory_and_registers_start_as_given() {
        assert_eq!(
            run("1 peek 3\n2 add z\n3 save b\n4 exit b").end,
            End::Exit { line: 4, code: 11 }
        );
        assert_eq!(
            run("1 peek 5\n2 poke z\n3 peek 7\n4 save b\n5 exit b").end,
            End::Exit { line: 5, code: 9 }
        );
    }

    #[test]
    fn a_run_may_halt_or_never_end() {
        let fallen = run("10 load 1");
        assert_eq!((fallen.end, fallen.machine.pc), (End::Halted, 11));
        let lost = run("10 eq 0\n20 jmp z\n30 exit 1");
        assert_eq!((lost.end, lost.machine.pc), (End::Halted, 7));
        let circle = run("10 eq 0\n20 jmp 10");
        assert_eq!((circle.end, circle.steps), (End::Limit, 100));
        // Register a is zero: the program starts again, with the accumulator kept.
        let again = run("10 gt 0\n20 jmp 50\n30 add 1\n35 gt 0\n40 jmp a\n50 exit 3");
        assert_eq!((again.end, again.steps), (End::Exit { line: 50, code: 3 }, 9));
    }

    #[test]
    fn the_corners_of_arithmetic() {
        assert_eq!(Arithmetic::Div.apply(5, 0), u32::MAX);
        assert_eq!(Arithmetic::Mod.apply(5, 0), 5);
        assert_eq!(Arithmetic::Shl.apply(5, 32), 0);
        assert_eq!(Arithmetic::Shr.apply(5, u32::MAX), 0);
        assert_eq!(Arithmetic::Sub.apply(0, 1), u32::MAX);
    }
}
