//! The BTOR2 readers: see `btor2` in `fuzz/src/lib.rs`.
//!
//! `cargo fuzz run btor2 -- -max_total_time=600 -rss_limit_mb=1024`
#![no_main]

libfuzzer_sys::fuzz_target!(|source: &[u8]| {
    elinvar_fuzz::btor2(source);
});
