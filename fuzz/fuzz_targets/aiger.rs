//! The AIGER readers answer any bytes with a system or a diagnostic, and what
//! they accept can be written and is read again as the same system.
//!
//! `cargo fuzz run aiger -- -max_total_time=600 -rss_limit_mb=1024`
#![no_main]

use elinvar_formats::aiger::{Encoding, certificate_mapping, read, read_witness, write};
use elinvar_formats::same_system;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &[u8]| {
    let Ok(model) = read(source) else { return };
    for encoding in [Encoding::Ascii, Encoding::Binary] {
        let text = write(&model.system, encoding).expect("circuits consist of bits");
        let again = read(&text).expect("what was written is read");
        assert!(same_system(&model.system, &again.system));
    }
    let _ = certificate_mapping(&model, &model);
    let _ = read_witness(model.comment(), &model.system);
});
