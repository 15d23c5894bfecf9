//! `elinvar`: a symbolic model checker that answers with evidence.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    // Only this crate knows it, if the option of the compiler is given for the binary alone.
    if cfg!(target_feature = "crt-static") {
        elinvar_smt::declare_static();
    }
    ExitCode::from(elinvar_cli::main(std::env::args_os().collect()))
}
