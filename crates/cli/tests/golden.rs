//! The real binary on the examples: commands and what they print, side by side
//! in `tests/golden`. `TRYCMD=overwrite cargo test` writes what it prints now.

#[test]
fn commands_print_what_is_written_down() {
    trycmd::TestCases::new().case("tests/golden/*.trycmd");
}
