//! The BTOR2 readers answer any bytes with a system or a diagnostic, and what
//! they accept can be written and is read again as the same system. A NUL byte
//! parts the model from a witness.
//!
//! `cargo fuzz run btor2 -- -max_total_time=600 -rss_limit_mb=1024`
#![no_main]

use elinvar_formats::{btor2, same_system};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &[u8]| {
    let mut parts = source.splitn(2, |&byte| byte == 0);
    let Ok(model) = btor2::read(parts.next().unwrap_or_default()) else { return };
    let text = btor2::write(&model.system).expect("what was read can be written");
    let again = btor2::read(&text).expect("what was written is read");
    assert!(same_system(&model.system, &again.system));
    let Some(witness) = parts.next() else { return };
    let Ok(witness) = btor2::read_witness(witness, &model.system) else { return };
    let trace = witness.trace;
    let text = btor2::write_witness(&model.system, &trace);
    let again = btor2::read_witness(text.as_bytes(), &model.system);
    assert_eq!(again.expect("what was written is read").trace.depth(), trace.depth());
});
