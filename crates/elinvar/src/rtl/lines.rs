//! The lines of the BTOR2 files that Yosys writes, as far as the front end has to know them.

use std::collections::HashMap;

/// One line: a number, a keyword, operands, perhaps a symbol and a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub id: u64,
    pub keyword: &'a str,
    /// The words after the keyword, without the symbol.
    pub operands: Vec<&'a str>,
    pub symbol: Option<&'a str>,
    pub comment: Option<&'a str>,
    pub text: &'a str,
}

impl<'a> Line<'a> {
    /// Reads a line; nothing if it has no number.
    pub fn read(text: &'a str) -> Option<Self> {
        let (code, comment) = match text.split_once(" ; ") {
            Some((code, comment)) => (code, Some(comment.trim())),
            None => (text, None),
        };
        let mut words = code.split_ascii_whitespace();
        let id = words.next()?.parse().ok()?;
        let keyword = words.next()?;
        let mut operands: Vec<&str> = words.collect();
        // Operands are numbers, constants apart, which no symbol follows here.
        let is_symbol = |word: &&str| !word.bytes().all(|byte| byte.is_ascii_digit());
        let is_constant = matches!(keyword, "sort" | "const" | "constd" | "consth");
        let symbol = operands.last().copied().filter(|_| !is_constant).filter(is_symbol);
        if symbol.is_some() {
            operands.pop();
        }
        Some(Line { id, keyword, operands, symbol, comment, text })
    }

    /// The number of the node that an operand refers to.
    pub fn operand(&self, position: usize) -> Option<u64> {
        self.operands.get(position)?.parse().ok()
    }
}

/// The nodes of a file by their numbers.
pub(super) struct Nodes<'a> {
    lines: HashMap<u64, Line<'a>>,
    named: HashMap<&'a str, u64>,
}

impl<'a> Nodes<'a> {
    pub fn read(text: &'a str) -> Self {
        let lines: HashMap<u64, Line<'a>> =
            text.lines().filter_map(Line::read).map(|line| (line.id, line)).collect();
        let named = lines.values().filter_map(|line| Some((line.symbol?, line.id))).collect();
        Nodes { lines, named }
    }

    /// The node that another name stands for: `uext s n 0 name` is n.
    pub fn resolve(&self, mut id: u64) -> u64 {
        while let Some(line) = self.lines.get(&id) {
            match line.operand(1) {
                Some(operand) if line.is_alias() => id = operand,
                Some(_) | None => break,
            }
        }
        id
    }

    pub fn line(&self, id: u64) -> Option<&Line<'a>> {
        self.lines.get(&id)
    }

    /// The node with this symbol.
    pub fn named(&self, symbol: &str) -> Option<u64> {
        self.named.get(symbol).copied()
    }

    /// Does the value of anything but other names depend on this node?
    pub fn is_used(&self, id: u64) -> bool {
        let uses = |line: &Line| {
            let references = match line.keyword {
                "sort" | "const" | "constd" | "consth" | "input" | "state" | "output" => 0..0,
                "bad" | "constraint" | "fair" => 0..1,
                // Numbers follow that are not nodes.
                "slice" | "uext" | "sext" => 1..2,
                _ => 1..line.operands.len(),
            };
            !line.is_alias() && references.into_iter().any(|at| line.operand(at) == Some(id))
        };
        self.lines.values().any(uses)
    }

    /// `(A, EN)` of a condition `and EN (not A)`.
    pub fn violation(&self, id: u64) -> Option<(u64, u64)> {
        let and = self.line(id).filter(|line| line.keyword == "and")?;
        Some((self.negated(and.operand(2)?)?, and.operand(1)?))
    }

    /// `(A, EN)` of a condition `or A (not EN)`.
    pub fn requirement(&self, id: u64) -> Option<(u64, u64)> {
        let or = self.line(id).filter(|line| line.keyword == "or")?;
        Some((or.operand(1)?, self.negated(or.operand(2)?)?))
    }

    fn negated(&self, id: u64) -> Option<u64> {
        self.line(id).filter(|line| line.keyword == "not")?.operand(1)
    }
}

impl Line<'_> {
    fn is_alias(&self) -> bool {
        self.keyword == "uext" && self.operands.get(2) == Some(&"0") && self.symbol.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        let line = Line::read("12 uext 3 4 0 u.clk ; a.v:1.2|b.v:3").unwrap();
        assert_eq!((line.id, line.keyword, line.symbol), (12, "uext", Some("u.clk")));
        assert_eq!(
            (&line.operands[..], line.comment),
            (&["3", "4", "0"][..], Some("a.v:1.2|b.v:3"))
        );
        let line = Line::read("3 const 1 101").unwrap();
        assert_eq!((line.symbol, &line.operands[..]), (None, &["1", "101"][..]));
        assert_eq!(Line::read("; end of yosys output"), None);
        assert_eq!(Line::read(""), None);
    }

    #[test]
    fn names_are_followed() {
        let nodes =
            Nodes::read("1 sort bitvec 1\n2 input 1 clk\n3 uext 1 2 0 u.clk\n4 uext 1 3 0 v.clk\n");
        assert_eq!((nodes.resolve(4), nodes.named("v.clk")), (2, Some(4)));
        assert!(!nodes.is_used(2));
        let nodes = Nodes::read("1 sort bitvec 1\n2 input 1 clk\n3 not 1 2\n");
        assert!(nodes.is_used(2) && !nodes.is_used(1));
        let nodes = Nodes::read("1 sort bitvec 8\n2 input 1 clk\n3 input 1 x\n4 slice 1 3 2 2\n");
        assert!(nodes.is_used(3) && !nodes.is_used(2));
    }
}
