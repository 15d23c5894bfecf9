//! From words to formulas, by recursive descent.

use std::ops::Range;

use dashu_int::UBig;
use elinvar_ir::{AtomId, FormulaId, Formulas};

use super::lexer::{Token, words};
use super::{Atom, Relation, Specification};
use crate::Diagnostic;

/// How deep formulas may be nested, so that the stack suffices.
const MOST_LEVELS: usize = 200;

/// The digits that a number may have.
const MOST_DIGITS: usize = 4096;

/// Parses a formula that starts at `offset` in its file.
pub(super) fn parse(text: &str, offset: usize) -> Result<Specification, Diagnostic> {
    let words = words(text, offset)?;
    let mut parser =
        Parser { words, at: 0, levels: 0, formulas: Formulas::new(), atoms: Vec::new() };
    let name = parser.name();
    let start = parser.span().start;
    let root = parser.formula()?;
    if parser.peek() != &Token::End {
        return Err(parser.unexpected("an operator or the end of the formula"));
    }
    let span = start..parser.span().end;
    Ok(Specification { name, formulas: parser.formulas, root, atoms: parser.atoms, span })
}

struct Parser {
    words: Vec<(Token, Range<usize>)>,
    at: usize,
    levels: usize,
    formulas: Formulas,
    atoms: Vec<Atom>,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.words[self.at].0
    }

    fn span(&self) -> Range<usize> {
        self.words[self.at].1.clone()
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.words.len() - 1);
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let found = self.peek().describe();
        Diagnostic::new(format!("expected {expected}, found {found}"), self.span())
    }

    fn accept(&mut self, signs: &[&str]) -> bool {
        let is_next = match self.peek() {
            Token::Sign(sign) => signs.contains(sign),
            Token::Identifier(_) | Token::Quoted(_) | Token::Number(_) | Token::End => false,
        };
        if is_next {
            self.advance();
        }
        is_next
    }

    /// Accepts one of these keywords and returns its number.
    fn keyword(&mut self, keywords: &[&str]) -> Option<usize> {
        let Token::Identifier(word) = self.peek() else { return None };
        let number = keywords.iter().position(|keyword| keyword == word)?;
        self.advance();
        Some(number)
    }

    fn expect(&mut self, sign: &str) -> Result<(), Diagnostic> {
        if self.accept(&[sign]) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    /// `name:` before the formula.
    fn name(&mut self) -> Option<String> {
        let Token::Identifier(name) = self.peek().clone() else { return None };
        if self.words[self.at + 1].0 != Token::Sign(":") {
            return None;
        }
        self.at += 2;
        Some(name)
    }

    /// One level further down.
    fn nested(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<FormulaId, Diagnostic>,
    ) -> Result<FormulaId, Diagnostic> {
        if self.levels == MOST_LEVELS {
            let message = format!("the formula is nested more than {MOST_LEVELS} levels deep");
            return Err(Diagnostic::new(message, self.span()));
        }
        self.levels += 1;
        let parsed = parse(self)?;
        self.levels -= 1;
        Ok(parsed)
    }

    fn formula(&mut self) -> Result<FormulaId, Diagnostic> {
        self.nested(Self::equivalence)
    }

    fn equivalence(&mut self) -> Result<FormulaId, Diagnostic> {
        let mut left = self.implication()?;
        while self.accept(&["<->"]) {
            let right = self.implication()?;
            left = self.formulas.iff(left, right);
        }
        Ok(left)
    }

    fn implication(&mut self) -> Result<FormulaId, Diagnostic> {
        let left = self.sequence()?;
        if !self.accept(&["->"]) {
            return Ok(left);
        }
        let right = self.nested(Self::implication)?;
        Ok(self.formulas.implies(left, right))
    }

    /// The `until` of SystemVerilog, which binds less than that of LTL.
    fn sequence(&mut self) -> Result<FormulaId, Diagnostic> {
        let left = self.disjunction()?;
        let Some(keyword) = self.keyword(&["s_until", "until"]) else { return Ok(left) };
        let right = self.nested(Self::sequence)?;
        Ok(match keyword {
            0 => self.formulas.until(left, right),
            _ => self.formulas.weak_until(left, right),
        })
    }

    fn disjunction(&mut self) -> Result<FormulaId, Diagnostic> {
        let mut left = self.conjunction()?;
        while self.accept(&["|", "||"]) {
            let right = self.conjunction()?;
            left = self.formulas.or(left, right);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<FormulaId, Diagnostic> {
        let mut left = self.until()?;
        while self.accept(&["&", "&&"]) {
            let right = self.until()?;
            left = self.formulas.and(left, right);
        }
        Ok(left)
    }

    fn until(&mut self) -> Result<FormulaId, Diagnostic> {
        let left = self.unary()?;
        let Some(keyword) = self.keyword(&["U", "W", "R"]) else { return Ok(left) };
        let right = self.nested(Self::until)?;
        Ok(match keyword {
            0 => self.formulas.until(left, right),
            1 => self.formulas.weak_until(left, right),
            _ => self.formulas.release(left, right),
        })
    }

    fn unary(&mut self) -> Result<FormulaId, Diagnostic> {
        if self.accept(&["!", "~"]) {
            let operand = self.nested(Self::unary)?;
            return Ok(self.formulas.not(operand));
        }
        if let Some(keyword) = self.keyword(&["X", "nexttime", "s_nexttime", "F", "G"]) {
            let operand = self.nested(Self::unary)?;
            return Ok(match keyword {
                0..=2 => self.formulas.next(operand),
                3 => self.formulas.eventually(operand),
                _ => self.formulas.globally(operand),
            });
        }
        if let Some(keyword) = self.keyword(&["s_eventually", "always", "s_always"]) {
            let operand = self.formula()?;
            return Ok(match keyword {
                0 => self.formulas.eventually(operand),
                _ => self.formulas.globally(operand),
            });
        }
        self.primary()
    }

    fn primary(&mut self) -> Result<FormulaId, Diagnostic> {
        if self.accept(&["("]) {
            let inner = self.formula()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if let Some(keyword) = self.keyword(&["true", "false"]) {
            return Ok(self.formulas.constant(keyword == 0));
        }
        let atom = self.atom()?;
        // Atoms that are written in the same way are the same one.
        let same = |other: &Atom| Atom { span: atom.span.clone(), ..other.clone() } == atom;
        let number = self.atoms.iter().position(same).unwrap_or_else(|| {
            self.atoms.push(atom.clone());
            self.atoms.len() - 1
        });
        Ok(self.formulas.atom(AtomId(number)))
    }

    fn atom(&mut self) -> Result<Atom, Diagnostic> {
        let start = self.span();
        let signal = match self.peek() {
            Token::Identifier(word) if !is_keyword(word) => word.clone(),
            Token::Quoted(name) => name.clone(),
            Token::Identifier(word) => {
                let help = format!("a signal with this name is written \"{word}\"");
                return Err(self.unexpected("a formula").with_help(help));
            }
            Token::Number(_) | Token::Sign(_) | Token::End => {
                return Err(self.unexpected("a formula"));
            }
        };
        self.advance();
        let part = if self.accept(&["["]) { Some(self.part()?) } else { None };
        let relation = self.relation()?;
        let comparison = match relation {
            Some(relation) => Some((relation, self.number()?)),
            None => None,
        };
        let end = self.words[self.at - 1].1.end;
        Ok(Atom { signal, part, comparison, span: start.start..end })
    }

    /// `3]` or `5:2]`
    fn part(&mut self) -> Result<(u32, u32), Diagnostic> {
        let start = self.span();
        let high = self.bit()?;
        let low = if self.accept(&[":"]) { self.bit()? } else { high };
        if low > high {
            let span = start.start..self.span().start;
            let message = format!("the first bit, {high}, is below the last one, {low}");
            return Err(Diagnostic::new(message, span));
        }
        self.expect("]")?;
        Ok((high, low))
    }

    fn bit(&mut self) -> Result<u32, Diagnostic> {
        let Token::Number(digits) = self.peek() else {
            return Err(self.unexpected("the number of a bit"));
        };
        let bit = digits.parse().map_err(|_| self.unexpected("the number of a bit"))?;
        self.advance();
        Ok(bit)
    }

    fn relation(&mut self) -> Result<Option<Relation>, Diagnostic> {
        let Token::Sign(sign) = self.peek() else { return Ok(None) };
        let relation = match *sign {
            "==" => Relation::Equal,
            "!=" => Relation::Different,
            "<" => Relation::Less,
            "<=" => Relation::AtMost,
            ">" => Relation::Greater,
            ">=" => Relation::AtLeast,
            "=" => return Err(self.unexpected("an operator").with_help("equality is `==`")),
            _ => return Ok(None),
        };
        self.advance();
        Ok(Some(relation))
    }

    fn number(&mut self) -> Result<UBig, Diagnostic> {
        let Token::Number(digits) = self.peek() else {
            return Err(self.unexpected("a number"));
        };
        let value = value_of(digits).ok_or_else(|| {
            self.unexpected("a number").with_help("numbers are written like 10, 0b1010 or 0xa")
        })?;
        self.advance();
        Ok(value)
    }
}

fn value_of(digits: &str) -> Option<UBig> {
    let (base, digits) = match digits.get(..2) {
        Some("0b") => (2, &digits[2..]),
        Some("0x") => (16, &digits[2..]),
        _ => (10, digits),
    };
    if digits.len() > MOST_DIGITS {
        return None;
    }
    UBig::from_str_radix(digits, base).ok()
}

fn is_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 16] = [
        "X",
        "F",
        "G",
        "U",
        "W",
        "R",
        "true",
        "false",
        "always",
        "s_always",
        "s_eventually",
        "eventually",
        "nexttime",
        "s_nexttime",
        "s_until",
        "until",
    ];
    KEYWORDS.contains(&word)
}
