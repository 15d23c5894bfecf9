//! The model with the names and places of its statements.
//!
//! Yosys writes assertions alone, in an order of its own. The model that goes on has the
//! assertions first, then the cover statements, then liveness properties, each in the order
//! of the sources; every line carries the name and the place of its statement, and the
//! clock is marked as such.

use std::collections::HashMap;

use elinvar_ir::Place;

use super::lines::{Line, Nodes};
use super::script::{MAP, UNNAMED};
use super::texts::Texts;
use crate::error::Error;

/// The kinds of statements, in the order in which they are written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    Assert,
    Cover,
    Live,
    Assume,
    Fair,
}

impl Kind {
    /// The suffixes that the cells of the map file give, see `map.v`.
    const SUFFIXES: [(&'static str, Kind); 4] = [
        (".elinvar_cover", Kind::Cover),
        (".elinvar_live", Kind::Live),
        (".elinvar_assume", Kind::Assume),
        (".elinvar_fair", Kind::Fair),
    ];

    /// The keyword in the sources, which names statements without a label.
    fn word(self) -> &'static str {
        match self {
            Kind::Assert => "assert",
            Kind::Cover => "cover",
            Kind::Live => "live",
            Kind::Assume => "assume",
            Kind::Fair => "fair",
        }
    }
}

/// A statement with the condition that its line in the model is about.
#[derive(Debug)]
struct Statement {
    kind: Kind,
    name: String,
    place: Option<Place>,
    condition: u64,
}

/// What is known about a design besides its model.
pub(super) struct Annotation<'a> {
    /// The source files in their order.
    pub sources: &'a [String],
    /// The input that is the clock.
    pub clock: Option<&'a str>,
    pub texts: &'a Texts,
}

impl Annotation<'_> {
    /// The model with its statements in their order.
    pub fn annotate(&self, text: &str) -> Result<String, Error> {
        let nodes = Nodes::read(text);
        let mut statements: Vec<Statement> = Vec::new();
        let mut constraints: Vec<u64> = Vec::new();
        let mut model = String::with_capacity(text.len());
        let mut last_id = 0;
        for written in text.lines() {
            let Some(line) = Line::read(written) else {
                push_line(&mut model, written);
                continue;
            };
            last_id = line.id;
            match (line.keyword, line.operand(0)) {
                ("bad", Some(condition)) => statements.push(self.statement(&line, condition)),
                ("constraint", Some(condition)) => constraints.push(condition),
                ("input", _) if self.clock.is_some() && line.symbol == self.clock => {
                    let (id, sort) = (line.id, line.operands.first().unwrap_or(&""));
                    let name = line.symbol.unwrap_or_default();
                    push_line(&mut model, &format!("{id} input {sort} {name} ; clock"));
                }
                (_, _) => push_line(&mut model, written),
            }
        }
        let assumed = assumptions(&nodes, &mut statements, constraints)?;
        statements.extend(assumed);
        self.sort(&mut statements);
        name_uniquely(&mut statements);
        write_statements(&mut model, &statements, last_id);
        Ok(model)
    }

    /// By kind, then in the order of the sources.
    fn sort(&self, statements: &mut [Statement]) {
        let file_order = |file: &str| self.sources.iter().position(|source| source == file);
        statements.sort_by_cached_key(|statement| {
            let Statement { kind, name, place, .. } = statement;
            let at = place.as_ref().map(|place| {
                let order = file_order(&place.file).unwrap_or(usize::MAX);
                (order, place.clone())
            });
            (*kind, at.is_none(), at, name.clone())
        });
    }

    /// What a bad line of Yosys stands for.
    fn statement(&self, line: &Line, condition: u64) -> Statement {
        let places = line.comment.unwrap_or_default().split('|');
        let places: Vec<&str> = places.filter(|place| !place.contains(MAP)).collect();
        let place = Place::parse(&places.join("|")).map(|place| self.texts.start(place));
        let symbol = line.symbol.unwrap_or_default();
        let found = Kind::SUFFIXES
            .into_iter()
            .find_map(|(suffix, kind)| symbol.strip_suffix(suffix).map(|name| (name, kind)));
        let (symbol, kind) = found.unwrap_or((symbol, Kind::Assert));
        Statement { kind, name: name(symbol, kind, place.as_ref()), place, condition }
    }
}

/// Writes the lines of the statements, numbered from the last number on.
///
/// The assertion that stands for a fairness constraint is violated in the cycles in which no request
/// is open, so that its condition is the constraint.
fn write_statements(model: &mut String, statements: &[Statement], last_id: u64) {
    for (id, statement) in (last_id + 1..).zip(statements) {
        push_line(model, &statement.line(id));
    }
}

fn push_line(model: &mut String, line: &str) {
    model.push_str(line);
    model.push('\n');
}

impl Statement {
    fn line(&self, id: u64) -> String {
        let keyword = match self.kind {
            Kind::Assert | Kind::Cover => "bad",
            Kind::Live => "justice 1",
            Kind::Assume => "constraint",
            Kind::Fair => "fair",
        };
        let goal = if self.kind == Kind::Cover { "cover " } else { "" };
        let place = self.place.as_ref().map_or_else(String::new, Place::to_comment);
        let comment = format!("{goal}{place}");
        let comment = match comment.trim() {
            "" => String::new(),
            comment => format!(" ; {comment}"),
        };
        format!("{id} {keyword} {} {}{comment}", self.condition, self.name)
    }
}

/// The label of the statement; `assert:12` with its line if it has none. Names of Yosys's
/// own, which contain a place, count as none.
fn name(symbol: &str, kind: Kind, place: Option<&Place>) -> String {
    let (scope, last) = symbol
        .rfind(UNNAMED)
        .filter(|&at| is_number(&symbol[at + UNNAMED.len()..]))
        .map_or(("", symbol), |at| symbol.split_at(at));
    let is_unnamed = last.starts_with(UNNAMED) || Place::parse(symbol).is_some();
    match (is_unnamed || symbol.is_empty(), place) {
        (false, _) => symbol.to_owned(),
        (true, Some(place)) => format!("{scope}{}:{}", kind.word(), place.line),
        (true, None) => format!("{scope}{}", kind.word()),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Statements of one kind that would have the same name get their columns, or else numbers.
fn name_uniquely(statements: &mut [Statement]) {
    let count = |statements: &[Statement]| {
        let mut uses: HashMap<String, usize> = HashMap::new();
        statements.iter().for_each(|s| *uses.entry(s.name.clone()).or_default() += 1);
        uses
    };
    let uses = count(statements);
    for statement in statements.iter_mut().filter(|s| uses[&s.name] > 1) {
        let column = statement.place.as_ref().and_then(|place| place.column);
        let is_line =
            statement.name.ends_with(|c: char| c.is_ascii_digit()) && statement.name.contains(':');
        if let (Some(column), true) = (column, is_line) {
            statement.name = format!("{}.{column}", statement.name);
        }
    }
    let uses = count(statements);
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for statement in statements.iter_mut().filter(|s| uses[&s.name] > 1) {
        let number = numbers.entry(statement.name.clone()).or_default();
        *number += 1;
        statement.name = format!("{}_{number}", statement.name);
    }
}

/// The constraints as statements. The assertions that stand for assumptions give them their
/// names: both are about the same pair of signals.
fn assumptions(
    nodes: &Nodes,
    statements: &mut Vec<Statement>,
    constraints: Vec<u64>,
) -> Result<Vec<Statement>, Error> {
    let mut named: HashMap<(u64, u64), Vec<Statement>> = HashMap::new();
    let mut asserted = 0;
    for at in (0..statements.len()).rev() {
        if statements[at].kind == Kind::Assume {
            let statement = statements.remove(at);
            asserted += 1;
            if let Some(key) = nodes.violation(statement.condition) {
                named.entry(key).or_default().push(statement);
            }
        }
    }
    // Every assumption has been written both as a constraint and as an assertion.
    if asserted != constraints.len() {
        let (found, expected) = (constraints.len(), asserted);
        let message = format!("Yosys wrote {found} constraints for {expected} assumptions");
        return Err(Error::Bug(message));
    }
    let assumption = |condition| {
        let known = nodes.requirement(condition).and_then(|key| named.get_mut(&key)?.pop());
        match known {
            Some(statement) => Statement { condition, ..statement },
            None => {
                Statement { kind: Kind::Assume, name: "assume".to_owned(), place: None, condition }
            }
        }
    };
    Ok(constraints.into_iter().map(assumption).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "\
; BTOR description
1 sort bitvec 1
2 input 1 clk ; a.sv:1.1
3 input 1 x
4 input 1 en
5 not 1 3
6 and 1 4 5
7 bad 6 u1._elinvar_3 ; top.sv:2.2|a.sv:9.4-9.8
8 bad 6 late.elinvar_cover ; a.sv:12.5|/tmp/k/elinvar-map.v:7.3
9 not 1 4
10 or 1 3 9
11 constraint 10
12 bad 6 m_x.elinvar_assume ; a.sv:3.1|/tmp/k/elinvar-map.v:9.3
13 bad 6 first ; top.sv:7
14 bad 6 u._elinvar_0 ; a.sv:9.4-9.8
15 bad 6 q.elinvar_fair ; a.sv:20.1
16 bad 6 p.elinvar_live ; a.sv:19.1
; end of yosys output
";

    fn annotate(text: &str, sources: &[String], clock: Option<&str>) -> Result<String, Error> {
        Annotation { sources, clock, texts: &Texts::default() }.annotate(text)
    }

    fn tail(text: &str) -> Vec<&str> {
        text.lines().skip_while(|line| !line.starts_with("; end")).skip(1).collect()
    }

    #[test]
    fn statements_are_named_and_ordered() {
        let sources = ["top.sv".to_owned(), "a.sv".to_owned()];
        let text = annotate(MODEL, &sources, Some("clk")).unwrap();
        assert!(text.contains("\n2 input 1 clk ; clock\n3 input 1 x\n"));
        let expected = [
            "17 bad 6 first ; top.sv:7",
            "18 bad 6 u.assert:9 ; a.sv:9.4",
            "19 bad 6 u1.assert:9 ; a.sv:9.4",
            "20 bad 6 late ; cover a.sv:12.5",
            "21 justice 1 6 p ; a.sv:19.1",
            "22 constraint 10 m_x ; a.sv:3.1",
            "23 fair 6 q ; a.sv:20.1",
        ];
        assert_eq!(tail(&text), expected);
        let model = elinvar_formats::btor2::read(text.as_bytes()).unwrap().system;
        assert_eq!(model.clocks(), [0]);
        assert_eq!(model.constraint_origin(0).name.as_deref(), Some("m_x"));
    }

    #[test]
    fn equal_names_are_told_apart() {
        let model = "1 sort bitvec 1\n2 input 1 x\n3 bad 2 _elinvar_0 ; a.v:4.30-4.46\n\
                     4 bad 2 _elinvar_1 ; a.v:4.7\n5 bad 2 same ; a.v:5.1\n6 bad 2 same ; a.v:6.1\n";
        let text = annotate(model, &[], None).unwrap();
        let names: Vec<&str> =
            text.lines().filter_map(Line::read).filter_map(|line| line.symbol).skip(1).collect();
        assert_eq!(names, ["assert:4.7", "assert:4.30", "same_1", "same_2"]);
    }

    #[test]
    fn a_lost_assumption_is_noticed() {
        let model = MODEL.replace("11 constraint 10\n", "");
        assert!(annotate(&model, &[], None).is_err());
    }
}
