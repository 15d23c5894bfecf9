//! The Boogie reader: see `boogie` in `fuzz/src/lib.rs`.
//!
//! `cargo fuzz run boogie -- -max_total_time=600 -rss_limit_mb=1024`
#![no_main]

libfuzzer_sys::fuzz_target!(|source: &[u8]| {
    elinvar_fuzz::boogie(source);
});
