//! Programs over words as transition systems: the same errors are reached, and evidence
//! about the system is evidence about the program.

use elinvar_check::Budget;
use elinvar_check::program::{SmtSolver, invariants, run};
use elinvar_engines::bmc::BmcOptions;
use elinvar_engines::{Choice, Run, Task};
use elinvar_formats::boogie;
use elinvar_ir::{Certificate, PropertyId, Rng, StopReason, Verdict};
use elinvar_models::{Outcome, reached, search};
use elinvar_transform::{Lift, Lowered, PassOptions, Unlimited, lower, prepare, stuck_on_error};

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
        let simple = match self.rng.below(kinds) {
            0 => format!("{} := {}", self.word(), self.value()),
            1 => format!("p := {}", self.condition()),
            2 => format!("havoc {}", self.word()),
            3 => format!("assume {}", self.condition()),
            4 => format!("assert {}", self.condition()),
            kind => {
                let condition = if self.rng.one_in(3) { "*".to_owned() } else { self.condition() };
                let word = if kind == 5 { "if" } else { "while" };
                self.text += &format!("{word} ({condition}) {{\n");
                for _ in 0..=self.rng.below(2) {
                    self.statement(depth + 1);
                }
                self.text += "}\n";
                return;
            }
        };
        self.text += &format!("{simple};\n");
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

#[test]
fn programs_over_words_are_transition_systems() {
    let (mut errors, mut none) = (0, 0);
    for seed in 0..300 {
        let source = Words::source(seed);
        let program = boogie::read(source.as_bytes()).unwrap();
        let system = lower(&program).unwrap().system;
        let found = search(&system, 1 << 20).unwrap();
        let explored = reached(&program);
        for ((property, outcome), expected) in found.into_iter().zip(&explored) {
            let expected = expected.expect("there are finitely many states");
            let is_reached = matches!(outcome, Outcome::Unsafe(_));
            let name = &system.property(property).name;
            assert_eq!(is_reached, expected, "seed {seed}, {name}:\n{source}");
            if expected { errors += 1 } else { none += 1 }
        }
    }
    assert!(errors > 100 && none > 100, "{errors} {none}");
}

/// What the checker of programs accepted of an engine's verdicts.
#[derive(Default, Debug)]
struct Accepted {
    traces: usize,
    proofs: usize,
    /// Proofs that cannot be stated about the program.
    inexpressible: usize,
}

/// Sends all evidence of an engine about random programs to the checker of programs.
fn lift_evidence(choice: &Choice, seeds: std::ops::Range<u64>) -> Accepted {
    let mut accepted = Accepted::default();
    for seed in seeds {
        let source = Words::source(seed);
        let program = boogie::read(source.as_bytes()).unwrap();
        let Lowered { system, lift } = lower(&program).unwrap();
        let properties: Vec<PropertyId> = program.property_ids().collect();
        let task = Task::about(&system, &properties, &Run::new());
        let verdicts = task.check(&mut *choice.build()).unwrap();
        for (&property, verdict) in properties.iter().zip(verdicts) {
            let context = format!("seed {seed}, {}\n{source}", program.property(property).name);
            match verdict {
                Verdict::Unsafe(trace) => {
                    let trace = lift.trace(trace);
                    assert_eq!(run(&program, &trace), Ok(()), "{context}{trace:?}");
                    accepted.traces += 1;
                }
                Verdict::Safe(proof) => match lift.proof(proof.clone()) {
                    Ok(lifted) => {
                        let (solver, budget) = (SmtSolver::default(), Budget::default());
                        let checked = invariants(&program, &[property], &lifted, &solver, &budget);
                        assert_eq!(checked, Ok(()), "{context}{proof:?}\n{:?}", lifted.at);
                        accepted.proofs += 1;
                    }
                    Err(why) => {
                        assert!(matches!(proof, Certificate::KInductive { .. }), "{context}{why}");
                        let reason = StopReason::Unsupported(why.to_string());
                        let unknown = lift.verdict(Verdict::Safe(proof));
                        assert_eq!(unknown.reason(), Some(&reason));
                        accepted.inexpressible += 1;
                    }
                },
                Verdict::Unknown(_) => {}
            }
        }
    }
    accepted
}

#[test]
fn evidence_on_bits_is_evidence_about_the_program() {
    let pdr = lift_evidence(&Choice::Pdr(Default::default()), 0..120);
    assert!(pdr.traces > 60 && pdr.proofs > 60 && pdr.inexpressible == 0, "{pdr:?}");
    let avy = lift_evidence(&Choice::Avy(Default::default()), 120..160);
    assert!(avy.traces > 20 && avy.proofs > 20 && avy.inexpressible == 0, "{avy:?}");
}

#[test]
fn facts_about_words_are_invariants_of_the_program() {
    let words = lift_evidence(&Choice::Words(Default::default()), 200..280);
    assert!(words.traces > 30 && words.proofs > 30 && words.inexpressible == 0, "{words:?}");
}

#[test]
fn interpolants_are_invariants_of_the_program() {
    for choice in [Choice::Itp(Default::default()), Choice::Imc(Default::default())] {
        let found = lift_evidence(&choice, 300..340);
        assert!(found.traces > 15 && found.proofs > 15 && found.inexpressible == 0, "{found:?}");
    }
}

#[test]
fn runs_of_unrollings_are_runs_of_the_program() {
    let bounded = BmcOptions { bound: Some(12), ..BmcOptions::default() };
    let bmc = lift_evidence(&Choice::Bmc(bounded), 400..440);
    assert!(bmc.traces > 20, "{bmc:?}");
    let induction = lift_evidence(&Choice::KInduction(Default::default()), 440..480);
    assert!(induction.traces > 20 && induction.inexpressible > 5, "{induction:?}");
}

/// Through three transformations: bits that are stuck on error, bits, words, the program.
#[test]
fn evidence_goes_back_through_a_chain() {
    let mut traces = 0;
    for seed in 500..540 {
        let source = Words::source(seed);
        let program = boogie::read(source.as_bytes()).unwrap();
        let Lowered { system, lift } = lower(&program).unwrap();
        let properties: Vec<PropertyId> = program.property_ids().collect();
        let options = PassOptions::ALL;
        let prepared = prepare(&system, &properties, &options, 0, &Unlimited).unwrap();
        let (property, bounded) =
            (properties[0], BmcOptions { bound: Some(12), ..Default::default() });
        let stuck = stuck_on_error(&prepared.bits, property);
        let bits = stuck.bits.system();
        let task = Task::about(bits, &[property], &Run::new());
        let verdict = task.check(&mut *Choice::Bmc(bounded).build());
        let chain = lift.after(prepared.lift).after(stuck.clone());
        match chain.verdict(verdict.unwrap().remove(0)) {
            Verdict::Unsafe(trace) => {
                assert_eq!(run(&program, &trace), Ok(()), "seed {seed}\n{source}");
                traces += 1;
            }
            Verdict::Unknown(StopReason::Bound(12)) => {}
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(traces > 10, "{traces}");
    let induction = Certificate::KInductive { k: 2, simple_path: false };
    let program = boogie::read(Words::source(500).as_bytes()).unwrap();
    let Lowered { system, lift } = lower(&program).unwrap();
    let prepared = prepare(&system, &[PropertyId(0)], &PassOptions::ALL, 0, &Unlimited);
    let refused = lift.after(prepared.unwrap().lift).proof(induction).unwrap_err();
    assert!(refused.to_string().contains("2-inductive"), "{refused}");
}
