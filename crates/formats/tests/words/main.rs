//! BTOR and BTOR2: operators by their values, rejections by their text, writing and reading
//! back, and witnesses.

mod btor;
mod btor2;
mod operators;
mod round_trip;
mod witness;

use elinvar_formats::{Diagnostic, btor as btor_format, btor2 as btor2_format};
use elinvar_ir::{BitVec, Evaluator, TransitionSystem};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Btor,
    Btor2,
}

fn read(format: Format, source: &[u8]) -> Result<TransitionSystem, Diagnostic> {
    match format {
        Format::Btor => btor_format::read(source).map(|model| model.system),
        Format::Btor2 => btor2_format::read(source).map(|model| model.system),
    }
}

/// The system of a correct file.
fn system(format: Format, source: &str) -> TransitionSystem {
    read(format, source.as_bytes()).unwrap_or_else(|error| {
        panic!("{:?}: {error}\n{source}", error.position(source.as_bytes()))
    })
}

/// The value of the only output when the inputs have these values.
fn output(format: Format, source: &str, inputs: &[u64]) -> u64 {
    let system = system(format, source);
    let pool = system.pool();
    let root = system.outputs()[0].expr;
    let mut evaluator = Evaluator::new(pool, [root]);
    evaluator.run(|symbol| {
        let number = system.inputs().iter().position(|input| input.symbol == symbol).unwrap();
        BitVec::new(pool.width(symbol), inputs[number]).into()
    });
    evaluator.bv(root).to_u64().unwrap()
}

/// The rejection as `line:column: message`.
fn rejection<T: std::fmt::Debug>(
    read: fn(&[u8]) -> Result<T, Diagnostic>,
    source: &[u8],
) -> String {
    let error = read(source).expect_err("a rejection");
    assert!(error.span.end <= source.len() && error.span.start <= error.span.end);
    let position = error.position(source);
    format!("{}:{}: {error}", position.line, position.column)
}
