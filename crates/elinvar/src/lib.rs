//! Symbolic model checking with evidence.
//!
//! Elinvar decides whether a bad state of a transition system is reachable, or whether an
//! assertion of a program can fail. Every verdict comes with evidence: a proof for *safe*, a
//! trace for *unsafe*, a reason for *unknown*. Evidence is checked independently of the
//! engines before it is reported.
//!
//! ```
//! use elinvar::{Options, Problem, Summary, check};
//!
//! // A counter of two bits in BTOR2 that must never be 3.
//! let model = "\
//! 1 sort bitvec 2
//! 2 zero 1
//! 3 state 1 count
//! 4 init 1 3 2
//! 5 one 1
//! 6 add 1 3 5
//! 7 next 1 3 6
//! 8 sort bitvec 1
//! 9 ones 1
//! 10 eq 8 3 9
//! 11 bad 10 overflow
//! ";
//! let problem = Problem::parse("counter.btor2", model)?;
//! let report = check(&problem, &Options::default())?;
//! assert_eq!(report.summary(), Summary::Unsafe);
//! let overflow = &report.properties[0];
//! assert_eq!((&overflow.name[..], overflow.depth), ("overflow", Some(3)));
//! println!("{:#}", report.to_json());
//! # Ok::<(), elinvar::Error>(())
//! ```
//!
//! The main types:
//!
//! - [`Problem`]: a transition system (AIGER, BTOR, BTOR2, an assembler, or built with
//!   [`ir::SystemBuilder`]) or a program (Boogie).
//! - [`Options`]: the engine, limits, the seed, reuse of earlier proofs, cancellation, and an
//!   observer of events.
//! - [`check`] and [`Session`]: decide the properties. A session starts the clock before the
//!   problem is read.
//! - [`Report`]: a [`PropertyReport`] for each property, with the verdict, its evidence and
//!   its time; as JSON by [`Report::to_json`], as files by [`Report::write_evidence`],
//!   as a page by [`Report::to_html`].
//! - [`verify`]: checks evidence again, whoever wrote it.
//!
//! The crates below are `ir` (expressions, systems, programs, evidence), `formats` (files),
//! `engines` (the algorithms) and `check` (the checker). The first one is re-exported as
//! [`ir`], since reports consist of its types.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod campaign;
mod check;
pub mod ci;
mod confirm;
pub mod convert;
mod error;
mod evidence;
mod explain;
mod family;
pub mod files;
mod json;
mod ltl;
mod maps;
mod merged;
pub mod optimum;
mod options;
pub mod page;
mod paths;
pub mod pattern;
pub mod plot;
mod problem;
mod progress;
mod property;
mod race;
pub mod readable;
mod report;
pub mod rtl;
mod saved;
mod session;
pub mod sizes;
mod source;
mod statistics;
pub mod stimulus;
mod store;
mod supervisor;
mod tables;
mod vacuity;

pub use elinvar_check::program::invariants as check_invariants;
pub use elinvar_check::{Budget, Runs, SmtSolver};
pub use elinvar_engines as engines;
pub use elinvar_formats as formats;
pub use elinvar_ir as ir;

pub use check::check;
pub use confirm::{Refused, confirm_programs, confirm_system};
pub use error::{Error, FileFault};
pub use evidence::{EvidenceKind, Judgement, VerifyOptions, verify};
pub use explain::{Explanation, Line, Section};
pub use family::{BoundSearch, Families, FamilyReport};
pub use json::{SCHEMA, files as json_files, header as json_header};
pub use maps::maps_beside;
pub use merged::split as split_merged;
pub use options::{
    Cancellation, Confirmed, Method, Observer, Options, Shortening, VerdictObserver,
};
pub use problem::{Excerpts, Original, Problem, ProgramProblem, SystemProblem};
pub use progress::Phase;
pub use report::{
    Location, Proof, PropertyKind, PropertyReport, Report, Summary, Trace, VerdictSource,
    WrittenFile,
};
pub use saved::read_saved;
pub use session::{Judge, Session};
pub use source::Source;
pub use statistics::Statistics;
pub use store::{Amount, Key, Store, StoreStatistics, Swept};
pub use vacuity::{Assumption, Conflict, Vacuity};
