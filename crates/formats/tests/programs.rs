//! Horn clauses say the same about programs as the runs of the programs.

#[path = "common/z3.rs"]
mod z3;

use elinvar_formats::horn;
use elinvar_ir::program::Program;
use elinvar_models::{Bounds, Found, ProgramGenerator, ProgramShape, explore};

/// Whether each error is reached, if that is known.
fn reached(program: &Program) -> Vec<Option<bool>> {
    explore(program, &Bounds::default()).iter().map(Found::is_reached).collect()
}

/// Asks Z3's Spacer; the answer is its first line.
fn spacer(script: &str) -> String {
    z3::ask(&["-T:2", "fp.engine=spacer"], script)
}

#[test]
fn clauses_say_what_programs_do() {
    let (mut safe, mut not) = (0, 0);
    for seed in 0..40 {
        for shape in [ProgramShape::INTEGERS, ProgramShape::MIXED] {
            let program = ProgramGenerator::program(seed, shape);
            for (property, expected) in program.property_ids().zip(reached(&program)).take(2) {
                let script = horn::write(&program, &[property]);
                match (spacer(&script).as_str(), expected) {
                    ("sat", Some(true)) | ("unsat", Some(false)) => panic!("seed {seed}\n{script}"),
                    ("sat", Some(false)) => safe += 1,
                    ("unsat", Some(true)) => not += 1,
                    ("sat" | "unsat" | "unknown" | "timeout", _) => {}
                    (other, _) => panic!("seed {seed}: {other}\n{script}"),
                }
            }
        }
    }
    assert!(safe > 10 && not > 10, "{safe} {not}");
}
