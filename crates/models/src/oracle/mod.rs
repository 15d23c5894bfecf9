//! Oracles for tests: exhaustive search, and random systems and programs to search.

mod compare;
mod explicit;
mod explore;
mod fair_cycles;
mod live;
mod numbers;
mod programs;
mod random;
mod sketch;
mod temporal;
mod terms;

pub use compare::{Searched, compare_with_search, searched};
pub use explicit::{Outcome, TooLarge, dead_cycle, search};
pub use explore::{Bounds, Found, explore, reachable, reached};
pub use fair_cycles::search_loops;
pub use programs::{ProgramGenerator, ProgramShape};
pub use random::{Generator, Shape};
pub use sketch::Sketch;
pub use temporal::{Formula as TemporalFormula, Lasso};
pub use terms::{TermSample, random_program_value};
