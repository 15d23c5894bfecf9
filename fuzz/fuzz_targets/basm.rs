//! The reader of assembler programs: see `basm` in `fuzz/src/lib.rs`.
//!
//! `cargo fuzz run basm -- -max_total_time=600 -rss_limit_mb=1024`
#![no_main]

libfuzzer_sys::fuzz_target!(|source: &[u8]| {
    elinvar_fuzz::basm(source);
});
