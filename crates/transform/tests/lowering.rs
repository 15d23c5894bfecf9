//! Programs over words as transition systems: the same errors are reached, and evidence
//! about the system is evidence about the program.

use elinvar_formats::boogie;
use elinvar_ir::Rng;
use elinvar_ir::program::Program;
use elinvar_models::{Bounds, Found, Outcome, explore, search};
use elinvar_transform::lower;

/// A program in Boogie over two words of two bits and a truth value.
struct Words {
    rng: Rng,
    text: String,
    statements: usize,
}

impl Words {
    fn source(seed: u64) -> String {
        let mut words = Words { rng: Rng::new(seed), text: String::new(), statements: 9 };
        words.text += "function {:bvbuiltin \"bvadd\"} add(x: bv2, y: bv2) returns (bv2);\n\
                       function {:bvbuiltin \"bvult\"} lt(x: bv2, y: bv2) returns (bool);\n\
                       procedure main() {\nvar x, y: bv2; var p: bool;\n";
        if words.rng.one_in(2) {
            words.text += "x := 0bv2; p := false;\n";
        }
        while words.statements > 0 {
            words.statement(0);
        }
        let condition = words.condition();
        words.text + &format!("assert {condition};\n}}\n")
    }

    fn statement(&mut self, depth: usize) {
        self.statements = self.statements.saturating_sub(1);
        let kinds = if depth < 2 { 7 } else { 5 };
        match self.rng.below(kinds) {
            0 => {
                let (target, value) = (self.word(), self.value());
                self.text += &format!("{target} := {value};\n");
            }
            1 => {
                let condition = self.condition();
                self.text += &format!("p := {condition};\n");
            }
            2 => {
                let target = self.word();
                self.text += &format!("havoc {target};\n");
            }
            3 => {
                let condition = self.condition();
                self.text += &format!("assume {condition};\n");
            }
            4 => {
                let condition = self.condition();
                self.text += &format!("assert {condition};\n");
            }
            kind => {
                let condition = if self.rng.one_in(3) { "*".to_owned() } else { self.condition() };
                let word = if kind == 5 { "if" } else { "while" };
                self.text += &format!("{word} ({condition}) {{\n");
                for _ in 0..=self.rng.below(2) {
                    self.statement(depth + 1);
                }
                self.text += "}\n";
            }
        }
    }

    fn word(&mut self) -> &'static str {
        ["x", "y"][self.rng.below(2)]
    }

    fn value(&mut self) -> String {
        let word = self.word();
        match self.rng.below(4) {
            0 => format!("{}bv2", self.rng.below(4)),
            1 => format!("add({word}, {}bv2)", 1 + self.rng.below(3)),
            2 => format!("{word}[1:0] ++ {word}[2:1]"),
            _ => format!("if p then {word} else 2bv2"),
        }
    }

    fn condition(&mut self) -> String {
        let (one, other) = (self.word(), self.value());
        match self.rng.below(5) {
            0 => "p".to_owned(),
            1 => format!("!p || lt({one}, {other})"),
            2 => format!("lt({one}, {other})"),
            3 => format!("{one} == {other}"),
            _ => format!("{one} != {other}"),
        }
    }
}

/// Whether each error is reached, if that is known.
fn reached(program: &Program) -> Vec<Option<bool>> {
    let known = |found| match found {
        Found::Error(_) => Some(true),
        Found::Complete => Some(false),
        Found::Bounded => None,
    };
    explore(program, &Bounds::default()).into_iter().map(known).collect()
}

#[test]
fn programs_over_words_are_transition_systems() {
    let (mut errors, mut none) = (0, 0);
    for seed in 0..300 {
        let source = Words::source(seed);
        let program = boogie::read(source.as_bytes()).unwrap();
        let system = lower(&program).unwrap();
        let found = search(&system, 1 << 20).unwrap();
        for ((property, outcome), expected) in found.into_iter().zip(reached(&program)) {
            let expected = expected.expect("there are finitely many states");
            let is_reached = matches!(outcome, Outcome::Unsafe(_));
            let name = &system.property(property).name;
            assert_eq!(is_reached, expected, "seed {seed}, {name}:\n{source}");
            if expected { errors += 1 } else { none += 1 }
        }
    }
    assert!(errors > 100 && none > 100, "{errors} {none}");
}
