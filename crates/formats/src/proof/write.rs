//! Writes states.

use std::fmt::{Arguments, Write};

use elinvar_ir::{FrameLemma, PdrState, PropertyRecord, PropertyStatus, Reach, RegisterKey, Sort};

use super::name::quoted;
use super::{HEADER, last_line};
use crate::numbered::push_number;

/// Writes a state.
pub fn write(state: &PdrState) -> String {
    // Few literals are longer, with the space before them.
    const LITERAL: usize = 10;
    let literals: usize = state.lemmas.iter().map(|lemma| lemma.clause.len() + 2).sum();
    let mut text = String::new();
    // A file says how long it took only if that is a time.
    let seconds =
        if state.seconds > 0.0 && state.seconds.is_finite() { state.seconds } else { 0.0 };
    line(&mut text, format_args!("{HEADER}\ndepth {}\nseconds {seconds}", state.depth));
    for PropertyRecord { name, status } in &state.properties {
        let status = match status {
            PropertyStatus::Open { clear } => format!("open {clear}"),
            PropertyStatus::Safe => "safe".to_owned(),
            PropertyStatus::Unsafe => "unsafe".to_owned(),
        };
        line(&mut text, format_args!("property {status} {}", quoted(name)));
    }
    for (number, key) in state.registers.iter().enumerate() {
        write_register(&mut text, number, key);
    }
    let mut out = text.into_bytes();
    out.reserve(literals * LITERAL);
    for lemma in &state.lemmas {
        write_lemma(&mut out, lemma);
    }
    let last = last_line(&out);
    out.extend_from_slice(last.as_bytes());
    String::from_utf8(out).expect("text and digits")
}

fn line(text: &mut String, content: Arguments<'_>) {
    writeln!(text, "{content}").expect("strings do not fail");
}

fn write_register(text: &mut String, number: usize, key: &RegisterKey) {
    let RegisterKey { name, index, sort, shape } = key;
    let sort = match sort {
        Sort::Bv(width) => format!("bitvec {width}"),
        Sort::Array { index, element } => format!("array {index} {element}"),
    };
    let shape: String = shape.iter().map(|hash| format!(" {hash:016x}")).collect();
    line(text, format_args!("register {number} {index} {sort} {}{shape}", quoted(name)));
}

/// The part that is most of a file.
fn write_lemma(out: &mut Vec<u8>, lemma: &FrameLemma) {
    out.extend_from_slice(b"lemma ");
    match lemma.reach {
        Reach::Always => out.extend_from_slice(b"always"),
        Reach::Frame(level) => push_number(out, level as u64),
    }
    for literal in &lemma.clause {
        out.extend_from_slice(if literal.positive { b" " } else { b" -" });
        push_number(out, literal.register as u64);
        out.push(b'.');
        push_number(out, literal.position as u64);
    }
    out.push(b'\n');
}
