//! Programs as constrained Horn clauses, in SMT-LIB 2.
//!
//! Each location that the large blocks keep becomes an unknown predicate over the
//! variables that matter there, each block a clause: whatever holds before it and its
//! guard imply what holds after it, for all inputs. The clauses are satisfiable if and
//! only if no error location is reached, and the predicates are invariants then.
//!
//! | | |
//! |---|---|
//! | the entry | no predicate: all values are initial |
//! | an error location | `false` |
//! | an uninterpreted function | a map that never changes and that every predicate has |
//!
//! A declared function would be among the unknowns that may be chosen so that the
//! program is safe; a map that is quantified stands for every function.
//!
//! The text is linear in the program: terms that are used more than once, and long
//! ones, are named by `let`.

use std::fmt::Write as _;

use elinvar_ir::program::{
    Block, Blocks, Function, FunctionId, LocationId, Node, Op, Program, Sort, Term, Terms,
    VariableId, large_blocks,
};
use elinvar_ir::{BinaryOp, Names, PropertyId};
use rustc_hash::FxHashMap;

use crate::smtlib;

/// Terms with a longer text than this are named, so that no text is copied often.
const INLINE_LENGTH: usize = 120;

/// The beginning of the line that says that no solution may mean nothing.
pub const APPROXIMATED: &str = "; The program is only approximated, so unsat may not mean unsafe:";

/// The clauses that say that none of these properties fails.
pub fn write(program: &Program, properties: &[PropertyId]) -> String {
    let errors: Vec<LocationId> =
        properties.iter().map(|&property| program.property(property).error).collect();
    let blocks = large_blocks(program, &errors);
    let symbols = Symbols::new(&blocks.terms);
    let functions = used_functions(&blocks);
    let writer = Writer { program, blocks: &blocks, errors: &errors, symbols, functions };
    writer.script(properties)
}

/// The functions that the blocks mention.
fn used_functions(blocks: &Blocks) -> Vec<FunctionId> {
    let roots = blocks.blocks.iter().flat_map(roots);
    let mut used: Vec<FunctionId> = (blocks.terms.subterms(roots).into_iter())
        .filter_map(|term| match blocks.terms.node(term) {
            Node::Apply(Op::Function(function), _) => Some(*function),
            _ => None,
        })
        .collect();
    used.sort_unstable();
    used.dedup();
    used
}

fn roots(block: &Block) -> impl Iterator<Item = Term> + '_ {
    block.update.values().copied().chain([block.guard])
}

/// Names that SMT-LIB takes, different for different symbols.
struct Symbols {
    variables: Vec<String>,
    functions: Vec<String>,
}

impl Symbols {
    fn new(terms: &Terms) -> Self {
        let mut names = Names::default();
        let mut fresh =
            |(at, name): (usize, &String)| format!("|{}|", names.fresh(&clean(name), at));
        let variables = terms.variables().iter().map(|variable| &variable.name);
        let variables = variables.enumerate().map(&mut fresh).collect();
        let functions = terms.functions().iter().map(|function| &function.name);
        let functions = functions.enumerate().map(&mut fresh).collect();
        Symbols { variables, functions }
    }

    fn variable(&self, variable: VariableId) -> &str {
        &self.variables[variable.0 as usize]
    }

    fn function(&self, function: FunctionId) -> &str {
        &self.functions[function.0 as usize]
    }
}

/// What may stand between bars.
fn clean(name: &str) -> String {
    name.chars().map(|c| if matches!(c, '|' | '\\') || c.is_control() { '_' } else { c }).collect()
}

struct Writer<'a> {
    program: &'a Program,
    blocks: &'a Blocks,
    errors: &'a [LocationId],
    symbols: Symbols,
    functions: Vec<FunctionId>,
}

/// Appends text made like by `format!`.
macro_rules! put {
    ($text:expr, $($arguments:tt)*) => {
        write!($text, $($arguments)*).expect("strings take any text")
    };
}

impl Writer<'_> {
    fn script(&self, properties: &[PropertyId]) -> String {
        let mut text = String::new();
        put!(text, "; The program as Horn clauses. sat: safe; unsat: unsafe.\n");
        for &property in properties {
            put!(text, "; {}\n", clean(&self.program.property(property).name));
        }
        if let Some(why) = self.program.approximation(self.program.edge_ids()) {
            put!(text, "{APPROXIMATED} {}\n", clean(&why));
        }
        put!(text, "(set-logic HORN)\n");
        for name in self.blocks.terms.types() {
            put!(text, "(declare-sort |{}| 0)\n", clean(name));
        }
        for &location in &self.blocks.locations {
            if self.has_predicate(location) {
                self.declaration(location, &mut text);
            }
        }
        for block in &self.blocks.blocks {
            self.clause(block, &mut text);
        }
        put!(text, "(check-sat)\n");
        text
    }

    fn has_predicate(&self, location: LocationId) -> bool {
        location != self.blocks.entry && !self.errors.contains(&location)
    }

    fn predicate(&self, location: LocationId) -> String {
        format!("|{}:{}|", clean(&self.program.location(location).procedure), location.0)
    }

    fn declaration(&self, location: LocationId, text: &mut String) {
        put!(text, "(declare-fun {} (", self.predicate(location));
        let terms = &self.blocks.terms;
        let functions = self.functions.iter().map(|&id| self.function_sort(terms.function(id)));
        let live = self.blocks.live[&location].iter();
        let variables = live.map(|&variable| self.sort(terms.variable_sort(variable)));
        let sorts: Vec<String> = functions.chain(variables).collect();
        put!(text, "{}) Bool)\n", sorts.join(" "));
    }

    // ∀ values, inputs.  predicate(from) ∧ guard → predicate(to)[update]
    fn clause(&self, block: &Block, text: &mut String) {
        let mut printer = Printer::new(self);
        printer.count(roots(block));
        let guard = printer.print(block.guard);
        let after =
            |printer: &mut Printer<'_>, variable: VariableId| match block.update.get(&variable) {
                Some(&value) => printer.print(value),
                None => self.symbols.variable(variable).to_owned(),
            };
        let head = match self.has_predicate(block.to) {
            false => "false".to_owned(),
            true => {
                let live = &self.blocks.live[&block.to];
                let values = live.iter().map(|&variable| after(&mut printer, variable)).collect();
                self.application(block.to, values)
            }
        };
        let body = match self.has_predicate(block.from) {
            false => guard,
            true => {
                let live = &self.blocks.live[&block.from];
                let values = live.iter().map(|&v| self.symbols.variable(v).to_owned()).collect();
                format!("(and {} {guard})", self.application(block.from, values))
            }
        };
        let bound = self.bound(block);
        let quantified = !bound.is_empty();
        put!(text, "(assert ");
        if quantified {
            put!(text, "(forall ({})\n  ", bound.join(" "));
        }
        for (name, definition) in &printer.definitions {
            put!(text, "(let (({name} {definition}))\n  ");
        }
        put!(text, "(=> {body}\n    {head})");
        let open = printer.definitions.len() + usize::from(quantified) + 1;
        put!(text, "{}\n", ")".repeat(open));
    }

    /// What a clause quantifies: functions, the variables that it mentions, inputs.
    fn bound(&self, block: &Block) -> Vec<String> {
        let terms = &self.blocks.terms;
        let mut variables = terms.free_variables(roots(block));
        if self.has_predicate(block.from) {
            variables.extend(&self.blocks.live[&block.from]);
        }
        if self.has_predicate(block.to) {
            let live = self.blocks.live[&block.to].iter();
            variables.extend(live.filter(|variable| !block.update.contains_key(variable)));
        }
        variables.sort_unstable();
        variables.dedup();
        let functions = self.functions.iter().map(|&id| {
            format!("({} {})", self.symbols.function(id), self.function_sort(terms.function(id)))
        });
        let variables = variables.into_iter().map(|variable| {
            let sort = self.sort(terms.variable_sort(variable));
            format!("({} {sort})", self.symbols.variable(variable))
        });
        functions.chain(variables).collect()
    }

    fn application(&self, location: LocationId, values: Vec<String>) -> String {
        let functions = self.functions.iter().map(|&id| self.symbols.function(id).to_owned());
        let arguments: Vec<String> = functions.chain(values).collect();
        if arguments.is_empty() {
            return self.predicate(location);
        }
        format!("({} {})", self.predicate(location), arguments.join(" "))
    }

    fn sort(&self, sort: &Sort) -> String {
        match sort {
            Sort::Bool => "Bool".to_owned(),
            Sort::Int => "Int".to_owned(),
            Sort::Real => "Real".to_owned(),
            Sort::Word(width) => format!("(_ BitVec {width})"),
            Sort::Named(id) => format!("|{}|", clean(&self.blocks.terms.types()[id.0 as usize])),
            Sort::Map(sorts) => format!("(Array {} {})", self.sort(&sorts.0), self.sort(&sorts.1)),
        }
    }

    /// A map of maps, one for each argument.
    fn function_sort(&self, function: &Function) -> String {
        let arguments = function.arguments.iter().rev();
        arguments.fold(self.sort(&function.result), |element, argument| {
            format!("(Array {} {element})", self.sort(argument))
        })
    }
}

/// The terms of one clause.
struct Printer<'a> {
    writer: &'a Writer<'a>,
    uses: FxHashMap<Term, usize>,
    texts: FxHashMap<Term, String>,
    definitions: Vec<(String, String)>,
}

impl<'a> Printer<'a> {
    fn new(writer: &'a Writer<'a>) -> Self {
        let (uses, texts) = (FxHashMap::default(), FxHashMap::default());
        Printer { writer, uses, texts, definitions: Vec::new() }
    }

    /// How often each term is used, by these or by others.
    fn count(&mut self, roots: impl Iterator<Item = Term>) {
        let terms = &self.writer.blocks.terms;
        let roots: Vec<Term> = roots.collect();
        for &root in &roots {
            *self.uses.entry(root).or_default() += 1;
        }
        for term in terms.subterms(roots) {
            for &child in terms.children(term) {
                *self.uses.entry(child).or_default() += 1;
            }
        }
    }

    fn print(&mut self, root: Term) -> String {
        let terms = &self.writer.blocks.terms;
        for term in terms.subterms([root]) {
            if self.texts.contains_key(&term) {
                continue;
            }
            let mut text = self.node(term);
            let is_leaf = terms.children(term).is_empty();
            let shared = self.uses.get(&term).is_some_and(|&uses| uses > 1);
            if !is_leaf && (shared || text.len() > INLINE_LENGTH) {
                let name = format!("?{}", self.definitions.len());
                self.definitions.push((name.clone(), text));
                text = name;
            }
            self.texts.insert(term, text);
        }
        self.texts[&root].clone()
    }

    /// A term whose children have their texts.
    fn node(&self, term: Term) -> String {
        let terms = &self.writer.blocks.terms;
        match terms.node(term) {
            Node::Bool(value) => value.to_string(),
            Node::Int(value) => number(&value.to_string(), ""),
            Node::Real(value) => {
                let numerator = number(&value.numerator().to_string(), ".0");
                let denominator = value.denominator().to_string();
                if denominator == "1" {
                    numerator
                } else {
                    format!("(/ {numerator} {denominator}.0)")
                }
            }
            Node::Word(value) => format!("#b{}", value.to_binary()),
            Node::Variable(variable) => self.writer.symbols.variable(*variable).to_owned(),
            Node::Apply(op, children) => {
                let texts: Vec<&str> =
                    children.iter().map(|child| self.texts[child].as_str()).collect();
                self.apply(*op, &texts, terms.sort(children.first().copied().unwrap_or(term)))
            }
        }
    }

    fn apply(&self, op: Op, children: &[&str], first: &Sort) -> String {
        let plain = |name: &str| format!("({name} {})", children.join(" "));
        match op {
            Op::Not => plain("not"),
            Op::And => plain("and"),
            Op::Or => plain("or"),
            Op::Equal => plain("="),
            Op::Ite => plain("ite"),
            Op::Add => plain("+"),
            Op::Multiply => plain("*"),
            Op::Divide => plain("div"),
            Op::Modulo => plain("mod"),
            Op::Quotient => plain("/"),
            Op::AtMost => plain("<="),
            Op::Less => plain("<"),
            Op::ToReal => plain("to_real"),
            Op::ToInt => plain("to_int"),
            Op::Select => plain("select"),
            Op::Store => plain("store"),
            Op::Unary(op) => smtlib::unary(op.0, children[0], width(first)),
            Op::Binary(op) => match op.0 {
                BinaryOp::Ult => plain("bvult"),
                BinaryOp::Slt => plain("bvslt"),
                op => {
                    let text = smtlib::binary(op, children[0], children[1], width(first));
                    if op.is_predicate() { format!("(= {text} #b1)") } else { text }
                }
            },
            Op::Extract { high, low } => plain(&format!("(_ extract {high} {low})")),
            Op::Extend { by, signed: false } => plain(&format!("(_ zero_extend {by})")),
            Op::Extend { by, signed: true } => plain(&format!("(_ sign_extend {by})")),
            Op::Function(function) => {
                let map = self.writer.symbols.function(function).to_owned();
                children.iter().fold(map, |map, index| format!("(select {map} {index})"))
            }
        }
    }
}

fn width(sort: &Sort) -> u32 {
    match sort {
        Sort::Word(width) => *width,
        _ => unreachable!("operators on words have words as operands"),
    }
}

/// SMT-LIB has no negative numerals.
fn number(digits: &str, suffix: &str) -> String {
    match digits.strip_prefix('-') {
        Some(digits) => format!("(- {digits}{suffix})"),
        None => format!("{digits}{suffix}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boogie;

    fn clauses(source: &str) -> String {
        let program = boogie::read(source.as_bytes()).unwrap();
        let properties: Vec<PropertyId> = program.property_ids().collect();
        write(&program, &properties)
    }

    /// Asks Z3's Spacer; the answer is its first line.
    fn spacer(script: &str) -> String {
        crate::z3::ask(&["-T:20", "fp.engine=spacer"], script)
    }

    #[test]
    fn a_loop_is_a_predicate() {
        let text = clauses(
            "procedure main() { var x: int; x := 0; while (x < 3) { x := x + 1; } assert x == 3; }",
        );
        assert_eq!(text.matches("declare-fun").count(), 1, "{text}");
        assert!(text.contains("(set-logic HORN)") && text.contains("    false))"), "{text}");
        assert_eq!(spacer(&text), "sat", "{text}");
    }

    /// What solvers say of programs that are right, and of those that are not.
    #[test]
    fn clauses_have_a_solution_if_the_program_is_safe() {
        let loops = |body: &str| {
            format!("procedure main() {{ var x, y: int; var b: bool; var m: [int]int; {body} }}")
        };
        for (body, answer) in [
            ("assert x == x;", "sat"),
            ("assert x == y;", "unsat"),
            ("x := 0; y := x + 1; assert x != y;", "sat"),
            ("x := 0; while (*) { x := x + 2; } assert x mod 2 == 0;", "sat"),
            ("x := 0; while (*) { x := x + 2; } assert x != 8;", "unsat"),
            ("havoc x; assume x > 5; assert x > 5;", "sat"),
            ("m[3] := 4; m[x] := 4; assert m[3] == 4;", "sat"),
            ("m[3] := 4; m[x] := 5; assert m[3] == 4;", "unsat"),
            ("b := x < 3; assert b ==> x < 4;", "sat"),
            ("assert x div (0 - 2) * (0 - 2) + x mod (0 - 2) == x;", "sat"),
        ] {
            let text = clauses(&loops(body));
            assert_eq!(spacer(&text), answer, "{body}\n{text}");
        }
    }

    /// A function is the same in all states, but any function.
    #[test]
    fn functions_are_any() {
        let program = |assertion: &str| {
            format!(
                "type T; function f(x: int, y: int) returns (bool);\n\
                 procedure main() {{ var x, y: int; var t, u: T; var b: bool;\n\
                 b := f(x, y); while (*) {{ t := u; }} assert {assertion}; }}"
            )
        };
        assert_eq!(spacer(&clauses(&program("b == f(x, y)"))), "sat");
        assert_eq!(spacer(&clauses(&program("b"))), "unsat");
        assert_eq!(spacer(&clauses(&program("!b"))), "unsat");
    }

    #[test]
    fn doubts_are_told() {
        let known = clauses("procedure p() { assert false; }");
        assert!(!known.contains(APPROXIMATED), "{known}");
        let source = "function {:overapproximation \"xor\"} f(x: int) returns (int);\n\
                      procedure p(x: int) { assert f(x) == x; }";
        assert!(clauses(source).contains(APPROXIMATED));
    }

    #[test]
    fn reals_and_words_are_written() {
        let real = "procedure main() { var x: real; x := 1.0; while (*) { x := x / 2.0; }\n\
                    assert x <= 1.5; }";
        assert_eq!(spacer(&clauses(real)), "sat");
        let word = "function {:bvbuiltin \"bvult\"} lt(x: bv4, y: bv4) returns (bool);\n\
                    procedure main() { var x: bv4; assert lt(x, 15bv4) || x == 15bv4;\n\
                    assert lt(x[2:0] ++ 0bv2, 13bv4); }";
        assert_eq!(spacer(&clauses(word)), "sat");
    }

    #[test]
    fn names_are_quoted_and_different() {
        let text =
            clauses("procedure main() { var ~a#1, a\\b, a_b: int; assert ~a#1 < a\\b + a_b; }");
        assert!(
            text.contains("|~a#1|") && text.contains("|a_b|") && text.contains("|a_b."),
            "{text}"
        );
        assert_eq!(spacer(&text), "unsat");
    }

    /// A term that doubles in each line has a text that grows by a line.
    #[test]
    fn the_text_is_linear() {
        let size = |lines: usize| {
            let body = "x := x * x + y;\n".repeat(lines);
            clauses(&format!("procedure main() {{ var x, y: int; {body} assert x > y; }}")).len()
        };
        assert!(size(40) < 3 * size(20), "{} {}", size(20), size(40));
    }
}
