//! The BTOR reader answers any bytes with a system or a diagnostic, and what it
//! accepts can be written and is read again as the same system.
//!
//! `cargo fuzz run btor -- -max_total_time=600 -rss_limit_mb=1024`
#![no_main]

use elinvar_formats::{btor, same_system};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &[u8]| {
    let Ok(model) = btor::read(source) else { return };
    let text = btor::write(&model.system).expect("what was read can be written");
    let again = btor::read(&text).expect("what was written is read");
    assert!(same_system(&model.system, &again.system));
});
