//! The left sides of assertions, as Yosys writes them.
//!
//! An assertion of a bit that is made under a condition becomes three lines, one after the
//! other:
//!
//! ```text
//! 7 not 1 5
//! 8 and 1 6 7
//! 9 bad 8
//! ```
//!
//! Line 5 is what is asserted, line 6 the condition. If line 5 is an implication itself, written
//! as `implies` or as `or` of a negation, its left side is part of the condition. Only what is
//! written in this way counts: in other models, two bits that must not be true together say
//! nothing about which of them is the condition. The third line may stand elsewhere if it has
//! the place of the assertion in the sources.

use elinvar_ir::{BinaryOp, ExprId, Pool, UnaryOp};
use rustc_hash::FxHashMap;

use crate::numbered::Operator;

/// What the lines so far say about assertions.
#[derive(Default)]
pub(super) struct Assertions {
    /// The number of this line, and what the line before is.
    line: u64,
    before: Line,
    this: Line,
    /// By number: does the line negate a bit?
    negations: Vec<u64>,
    /// By the bit that is true where a check fails.
    checks: FxHashMap<ExprId, Check>,
    /// By implication: its left side.
    implications: FxHashMap<ExprId, ExprId>,
}

/// A line of an assertion.
#[derive(Clone, Copy, Default)]
enum Line {
    #[default]
    Other,
    /// The negation of this bit; the number is that of the line.
    Not(u64, ExprId),
    /// What may be the bad bit of an assertion.
    Bad(ExprId),
}

/// A bit that is asserted where another one is set.
#[derive(Clone, Copy)]
struct Check {
    enabled: ExprId,
    asserted: ExprId,
}

impl Assertions {
    /// Begins a line.
    pub fn next_line(&mut self, id: u64) {
        self.line = id;
        self.before = std::mem::take(&mut self.this);
    }

    /// Notes an operator whose result is a bit; each operand with its text.
    pub fn operator(
        &mut self,
        pool: &mut Pool,
        operator: Operator,
        result: ExprId,
        operands: [(ExprId, &[u8]); 3],
    ) {
        let [(a, a_text), (b, b_text), _] = operands;
        match (operator, self.before) {
            (Operator::Unary(UnaryOp::Not), _) => {
                self.negate();
                self.this = Line::Not(self.line, a);
            }
            (Operator::Binary(BinaryOp::And), Line::Not(line, asserted))
                if number(b_text) == Some((line, false)) =>
            {
                self.checks.insert(result, Check { enabled: a, asserted });
                self.this = Line::Bad(result);
            }
            (Operator::Implies, _) => {
                self.implications.insert(result, a);
            }
            (Operator::Or, _) => {
                let left = [(a, a_text), (b, b_text)];
                let left = left.into_iter().find(|(_, text)| self.is_negation(text));
                if let Some(left) = left.and_then(|(negated, _)| pool.not(negated).ok()) {
                    self.implications.insert(result, left);
                }
            }
            (_, Line::Other | Line::Not(..) | Line::Bad(_)) => {}
        }
    }

    /// The bits whose conjunction is the left side of the assertion with this bad bit, which
    /// stands in this line. `has_place` says that the place of the assertion is known.
    pub fn antecedent(&self, pool: &Pool, bad: ExprId, has_place: bool) -> Option<Vec<ExprId>> {
        let is_next = matches!(self.before, Line::Bad(written) if written == bad);
        let Check { enabled, asserted } =
            *self.checks.get(&bad).filter(|_| is_next || has_place)?;
        let left = self.implications.get(&asserted).copied();
        let mut bits: Vec<ExprId> = [enabled].into_iter().chain(left).collect();
        bits.retain(|&bit| !pool.const_value(bit).is_some_and(|value| value.is_true()));
        (!bits.is_empty()).then_some(bits)
    }

    /// Notes that this line is a negation.
    fn negate(&mut self) {
        let Ok(word) = usize::try_from(self.line / 64) else { return };
        // Numbers of lines may be much larger than their number.
        if word > self.negations.len() + SPARSE {
            return;
        }
        if word >= self.negations.len() {
            self.negations.resize(word + 1, 0);
        }
        self.negations[word] |= 1 << (self.line % 64);
    }

    /// Is an operand a negation, in its own line or by its sign?
    fn is_negation(&self, text: &[u8]) -> bool {
        let Some((line, is_negated)) = number(text) else { return false };
        let word = usize::try_from(line / 64).ok().and_then(|word| self.negations.get(word));
        is_negated != word.is_some_and(|word| word >> (line % 64) & 1 == 1)
    }
}

/// How far apart the numbers of negations may be, in units of 64.
const SPARSE: usize = 1 << 10;

/// The line that an operand names, and whether it has a sign.
fn number(text: &[u8]) -> Option<(u64, bool)> {
    let (digits, is_negated) = match text.strip_prefix(b"-") {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, is_negated))
}

#[cfg(test)]
mod tests {
    use elinvar_ir::SystemBuilder;

    use crate::btor2::read_with;

    /// The names of the inputs in the left sides of the properties of a model with the inputs
    /// p, q and r.
    fn antecedents(lines: &str) -> Vec<Vec<String>> {
        let source = format!("1 sort bitvec 1\n2 input 1 p\n3 input 1 q\n4 input 1 r\n{lines}");
        let model = read_with(source.as_bytes(), SystemBuilder::verbatim()).unwrap();
        let system = &model.system;
        let name = |symbol: &elinvar_ir::ExprId| {
            let position = system.inputs().iter().position(|x| x.symbol == symbol.regular());
            let sign = if symbol.is_complement() { "-" } else { "" };
            format!("{sign}{}", system.input_name(position.unwrap()))
        };
        let of_bad = |(_, bad)| system.antecedent(bad).iter().map(name).collect();
        system.bads().map(of_bad).collect()
    }

    #[test]
    fn assertions_of_yosys_have_left_sides() {
        assert_eq!(antecedents("5 not 1 3\n6 and 1 2 5\n7 bad 6\n"), [["p"]]);
        assert_eq!(antecedents("5 not 1 -3\n6 and 1 -2 5\n7 bad 6\n"), [["-p"]]);
        let implies = "5 implies 1 3 4\n6 not 1 5\n7 and 1 2 6\n8 bad 7\n";
        assert_eq!(antecedents(implies), [["p", "q"]]);
        let or = "5 not 1 3\n6 or 1 5 -4\n7 not 1 6\n8 and 1 2 7\n9 bad 8\n";
        assert_eq!(antecedents(or), [["p", "q"]]);
        let apart = "5 not 1 3\n6 and 1 2 5\n7 not 1 4\n8 bad 6 ; a.sv:3.1\n9 bad 6 ; other\n";
        assert_eq!(antecedents(apart), [["p"], ["p"]]);
        let sign = "5 one 1\n6 or 1 4 -3\n7 not 1 6\n8 and 1 5 7\n9 bad 8\n";
        assert_eq!(antecedents(sign), [["q"]]);
    }

    #[test]
    fn other_bad_bits_have_none() {
        let none: [&str; 0] = [];
        for lines in [
            "5 and 1 2 3\n6 bad 5\n",
            "5 and 1 2 -3\n6 bad 5\n",
            // The negation is the first operand, stands elsewhere, or is negated again.
            "5 not 1 3\n6 and 1 5 2\n7 bad 6\n",
            "5 not 1 3\n6 or 1 2 4\n7 and 1 2 5\n8 bad 7\n",
            "5 not 1 3\n6 and 1 2 -5\n7 bad 6\n",
            "5 not 1 3\n6 and 1 2 5\n7 bad -6\n",
            "5 not 1 3\n6 and 1 2 5\n7 not 1 4\n8 bad 6 ; no place\n",
            // Nothing is left out.
            "5 one 1\n6 or 1 2 3\n7 not 1 6\n8 and 1 5 7\n9 bad 8\n",
        ] {
            assert_eq!(antecedents(lines), [none], "{lines}");
        }
    }

    #[test]
    fn numbers_of_lines_may_be_huge() {
        let far = "5 not 1 3\n9000000000000000000 not 1 4\n9000000000000000001 or 1 \
                   9000000000000000000 5\n9000000000000000002 not 1 9000000000000000001\n\
                   9000000000000000003 and 1 2 9000000000000000002\n\
                   9000000000000000004 bad 9000000000000000003\n";
        assert_eq!(antecedents(far), [["p", "q"]]);
    }
}
