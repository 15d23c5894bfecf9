//! The bodies of the fuzz targets: for any bytes, a reader answers with a value or with a
//! diagnostic, and what it accepts has to keep some promises.
//!
//! Each function panics if a promise is broken, and otherwise says whether the input was
//! accepted. The targets of cargo-fuzz call them with the inputs of libFuzzer, and the test
//! `xtask/tests/fuzz_targets.rs` with random mutations of valid files.

mod evidence;
mod runs;

use elinvar_check::program;
use elinvar_formats::boogie::{self, Dialect};
use elinvar_formats::{
    Diagnostic, aiger, basm, btor, btor2, certificate, dag, horn, ltl, proof, same_system, yosys,
};
use elinvar_ir::program::{Program, Statement};
use elinvar_ir::{PropertyId, Step, Trace, TransitionSystem};
use elinvar_models::{Bounds, Found, explore};
use elinvar_transform::add_formula;

pub use evidence::{MODELS, evidence};

/// Whether an input is accepted; panics if a promise is broken.
pub type Target = fn(&[u8]) -> bool;

/// All targets by name.
pub const TARGETS: [(&str, Target); 10] = [
    ("aiger", aiger),
    ("basm", basm),
    ("boogie", boogie),
    ("btor", btor),
    ("btor2", btor2),
    ("evidence", evidence),
    ("graph", graph),
    ("ltl", ltl),
    ("map", map),
    ("proof", proof),
];

/// The value, or none if there is a diagnostic, whose place has to lie within the source.
fn accepted<T>(source: &[u8], result: Result<T, Diagnostic>) -> Option<T> {
    result.map_err(|error| check_place(source, &error)).ok()
}

fn check_place(source: &[u8], error: &Diagnostic) {
    let span = &error.span;
    assert!(span.start <= span.end && span.end <= source.len(), "{error}: {span:?}");
    assert!(!error.message.is_empty() && !error.message.contains('\n'), "{error:?}");
    error.position(source);
}

/// Circuits in AIGER are read back in both encodings.
pub fn aiger(source: &[u8]) -> bool {
    let Some(model) = accepted(source, aiger::read(source)) else { return false };
    for encoding in [aiger::Encoding::Ascii, aiger::Encoding::Binary] {
        let text = aiger::write(&model.system, encoding).expect("circuits consist of bits");
        let again = aiger::read(&text).expect("a written circuit is valid");
        assert!(same_system(&model.system, &again.system));
    }
    let _: Result<_, _> = aiger::certificate_mapping(&model, &model);
    accepted(model.comment(), aiger::read_witness(model.comment(), &model.system));
    true
}

/// The model that formulas are about: an input, a word and a label.
const SIGNALS: &[u8] =
    b"1 sort bitvec 1\n2 sort bitvec 4\n3 input 1 go\n4 zero 2\n5 state 2 count\n\
    6 init 2 5 4\n7 inc 2 5\n8 ite 2 3 7 5\n9 next 2 5 8\n10 redand 1 5\n\
    11 output 10 full\n";

/// Formulas of linear temporal logic become monitors that restrict nothing: inputs, states and
/// constraints of the model stay as they are, and every formula is a property.
pub fn ltl(source: &[u8]) -> bool {
    let Some(formulas) = accepted(source, ltl::parse_file(source)) else { return false };
    let system = btor2::read(SIGNALS).expect("a valid model").system;
    let mut builder = system.clone().into_builder();
    for (number, formula) in formulas.iter().enumerate() {
        let Some(signals) = accepted(source, formula.signals(&system)) else { return false };
        let atoms = formula.bits(&signals, &mut builder).expect("signals that were found");
        let mut graph = formula.formulas.clone();
        let name = format!("p{number}");
        let added = add_formula(&mut builder, &name, &mut graph, formula.root, &atoms);
        added.expect("atoms are bits");
    }
    let monitored = builder.finish().expect("monitors are well-formed");
    assert_eq!(monitored.properties().len(), system.properties().len() + formulas.len());
    assert_eq!(monitored.constraints(), system.constraints());
    assert!(monitored.states().starts_with(system.states()));
    assert!(monitored.inputs().len() >= system.inputs().len());
    true
}

/// Models in BTOR are read back with the same behaviour.
pub fn btor(source: &[u8]) -> bool {
    let Some(model) = accepted(source, btor::read(source)) else { return false };
    let text = btor::write(&model.system).expect("a model of the format can be written");
    let again = btor::read(&text).expect("a written model is valid");
    // A shift by an amount of the full width is written with other operators, as the paper on
    // BTOR demands, so the system may differ.
    let same = same_system(&model.system, &again.system)
        || runs::same_runs(&model.system, &again.system, source.len() as u64);
    assert!(same, "another system is read back");
    true
}

/// Models in BTOR2 are read back as the same system. A NUL byte separates the model from a
/// witness, which is read back as well.
pub fn btor2(source: &[u8]) -> bool {
    let mut parts = source.splitn(2, |&byte| byte == 0);
    let model = parts.next().unwrap_or_default();
    let Some(model) = accepted(model, btor2::read(model)) else { return false };
    let text = btor2::write(&model.system).expect("a model of the format can be written");
    let again = btor2::read(&text).expect("a written model is valid");
    assert!(same_system(&model.system, &again.system));
    if let Some(witness) = parts.next() {
        check_btor2_witness(&model.system, witness);
    }
    true
}

fn check_btor2_witness(system: &TransitionSystem, source: &[u8]) {
    let Some(witness) = accepted(source, btor2::read_witness(source, system)) else { return };
    let text = btor2::write_witness(system, &witness.trace);
    let again = btor2::read_witness(text.as_bytes(), system).expect("a written witness is valid");
    assert_eq!(again.trace.depth(), witness.trace.depth());
}

/// Programs in the assembler are read back, and their translation runs as the simulator does.
pub fn basm(source: &[u8]) -> bool {
    let Some(program) = accepted(source, basm::parse(source)) else { return false };
    let text = program.to_string();
    assert_eq!(basm::parse(text.as_bytes()).as_ref(), Ok(&program), "{text}");
    if program.lines().len() <= 100 {
        runs::same_as_simulated(&program);
    }
    true
}

/// Programs in Boogie are read the same with and without rewriting, their runs agree, and
/// they can be translated.
pub fn boogie(source: &[u8]) -> bool {
    let results = [Dialect::Boogie, Dialect::Ultimate].map(|dialect| {
        let reading = accepted(source, boogie::read_in(source, Some(dialect)))?;
        let verbatim = boogie::read_verbatim(source, dialect).expect("it was just read");
        program::agree(&reading.program, &verbatim).expect("readings agree");
        check_program(&reading.program, &verbatim, dialect);
        Some(())
    });
    results.iter().any(Option::is_some)
}

fn check_program(rewritten: &Program, verbatim: &Program, dialect: Dialect) {
    let properties: Vec<_> = rewritten.property_ids().collect();
    assert!(horn::write(rewritten, &properties).contains("(set-logic HORN)"));
    if let Ok(lowered) = elinvar_transform::lower(rewritten) {
        btor2::write(&lowered.system).expect("words can be written");
    }
    check_expressions(rewritten, dialect);
    // The search tries all combinations of some values of the variables.
    if rewritten.variables.len() > 3 {
        return;
    }
    let bounds = Bounds { values: -1..=1, states: 100 };
    let found = [rewritten, verbatim].map(|program| explore(program, &bounds));
    for (one, other) in found[0].iter().zip(&found[1]) {
        for (found, other) in [(one, other), (other, one)] {
            if let Found::Error(trace) = found {
                assert_ne!(*other, Found::Complete, "a run exists only in one reading");
                program::run(verbatim, trace).expect("the run is one of the program");
            }
        }
    }
}

/// Conditions are read back as they are printed.
fn check_expressions(program: &Program, dialect: Dialect) {
    let conditions = program.edges.iter().filter_map(|edge| match edge.statement {
        Statement::Assume(condition) => Some(condition),
        Statement::Assign(_) | Statement::Havoc(_) => None,
    });
    for condition in conditions.take(20) {
        let mut terms = program.terms.clone();
        let text = boogie::expression(&terms, condition, dialect);
        let again = boogie::read_expression(&mut terms, &program.variables, &text);
        assert_eq!(again, Ok(condition), "{text}");
    }
}

/// Graphs and circuits for pebbling have no cycles, and graphs are read back.
pub fn graph(source: &[u8]) -> bool {
    let Some(dag) = accepted(source, dag::read(source)) else { return false };
    check_graph(&dag);
    let text = dag::write_graph(&dag);
    let again = dag::read(text.as_bytes()).expect("a written graph is valid");
    assert_eq!(again, dag);
    true
}

fn check_graph(dag: &dag::Dag) {
    let count = dag.vertices.len();
    let is_vertex = |&vertex: &usize| vertex < count;
    assert!(!dag.outputs.is_empty() && dag.outputs.iter().all(is_vertex));
    assert!(dag.edges.iter().all(|(from, to)| is_vertex(from) && is_vertex(to)));
    // Vertices without predecessors are removed until none is left.
    let mut incoming = vec![0usize; count];
    dag.edges.iter().for_each(|&(_, to)| incoming[to] += 1);
    let mut free: Vec<usize> = (0..count).filter(|&vertex| incoming[vertex] == 0).collect();
    let mut removed = 0;
    while let Some(vertex) = free.pop() {
        removed += 1;
        for &(_, to) in dag.edges.iter().filter(|&&(from, _)| from == vertex) {
            incoming[to] -= 1;
            if incoming[to] == 0 {
                free.push(to);
            }
        }
    }
    assert_eq!(removed, count, "the graph has a cycle");
}

/// Maps of names fit to a model or are refused at a place in the map. With one that fits, a trace
/// is written, and the model has the same parts as before.
pub fn map(source: &[u8]) -> bool {
    let Some(map) = accepted(source, yosys::read_map(source)) else { return false };
    let bits = aiger::read(b"aag 3 2 1 1 0 1\n2\n4\n6 2\n6\n4\n").expect("a circuit").system;
    let words = "1 sort bitvec 2\n2 sort array 1 1\n3 input 1 a\n4 state 1\n5 state 2\n";
    let words = btor2::read(words.as_bytes()).expect("a model").system;
    for system in [bits, words] {
        let Some(named) = accepted(source, map.apply(system.clone())) else { continue };
        assert_eq!(named.inputs(), system.inputs());
        assert_eq!(named.states(), system.states());
        let zero = |symbol| elinvar_ir::zero_of(system.pool().sort(symbol));
        let inputs = system.inputs().iter().map(|input| zero(input.symbol)).collect();
        let trace = Trace {
            property: PropertyId(0),
            initial: system.states().iter().map(|state| zero(state.symbol)).collect(),
            steps: vec![Step { inputs, free: Vec::new() }].into(),
            loop_start: None,
        };
        assert!(yosys::write_witness(&named, &trace, Some(&map)).ends_with("]\n}\n"));
    }
    true
}

/// Proof files are read back. The checksum of a mutated file is corrected, or it would always
/// be refused for its checksum.
pub fn proof(source: &[u8]) -> bool {
    accepted(source, proof::read(source));
    let sealed = with_checksum(source);
    let Some(state) = accepted(&sealed, proof::read(&sealed)) else { return false };
    let text = proof::write(&state);
    assert_eq!(proof::read(text.as_bytes()), Ok(state), "{text}");
    true
}

/// The file with the number of lines and the checksum (FNV-1a) that its last line must have.
fn with_checksum(source: &[u8]) -> Vec<u8> {
    let last = source.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
    let end = source[..last].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let body = &source[..end];
    let lines = 1 + body.iter().filter(|&&byte| byte == b'\n').count();
    let checksum = body.iter().fold(0xcbf2_9ce4_8422_2325u64, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    [body, format!("end {lines} {checksum:016x}\n").as_bytes()].concat()
}

/// A text certificate is read back as the same certificate of a system.
fn check_text(system: &TransitionSystem, read: &certificate::TextCertificate) {
    let Ok(text) = certificate::write(read, system) else { return };
    let again = certificate::read(&text).expect("a written certificate is valid");
    assert_eq!(again.property, read.property);
}
