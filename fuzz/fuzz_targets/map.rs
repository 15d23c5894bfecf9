//! The reader of maps that Yosys writes: see `map` in `fuzz/src/lib.rs`.
//!
//! `cargo fuzz run map -- -max_total_time=600 -rss_limit_mb=1024`
#![no_main]

libfuzzer_sys::fuzz_target!(|source: &[u8]| {
    elinvar_fuzz::map(source);
});
