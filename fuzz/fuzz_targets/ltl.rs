//! The reader of temporal formulas: see `ltl` in `fuzz/src/lib.rs`.
//!
//! `cargo fuzz run ltl -- -max_total_time=600 -rss_limit_mb=1024`
#![no_main]

libfuzzer_sys::fuzz_target!(|source: &[u8]| {
    elinvar_fuzz::ltl(source);
});
