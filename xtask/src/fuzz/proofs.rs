//! Proofs about programs, judged by one solver process for all of them: most programs are so
//! small that the start of a process would take most of the time.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use elinvar_check::{Budget, ProgramRefusal, SmtSolver, program as judge};
use elinvar_ir::PropertyId;
use elinvar_ir::program::{Invariants, Program};

thread_local! {
    /// None while it is in use. A panic drops it.
    static PROCESS: RefCell<Option<judge::SolverProcess>> = const { RefCell::new(None) };
}

/// Lets the checker judge invariants, within this time.
pub fn check(
    program: &Program,
    properties: &[PropertyId],
    proof: &Invariants,
    limit: Duration,
) -> Result<(), ProgramRefusal> {
    let budget = Budget { deadline: Some(Instant::now() + limit), ..Budget::default() };
    let mut process =
        PROCESS.take().unwrap_or_else(|| judge::SolverProcess::new(SmtSolver::default()));
    let judgement = judge::invariants_with(program, properties, proof, &mut process, &budget);
    PROCESS.set(Some(process));
    judgement
}
