//! Records of the calls that a solver gets, to ask the same questions again without the
//! engine that asked them: `examples/replay.rs` reads the records.
//!
//! With the feature `record`, every solver writes its calls into a file of its own in the
//! folder that the environment variable `ELINVAR_RECORD` names. Without the feature, this
//! module does nothing.
//!
//! A record has one call per line: a letter, then numbers. Literals are given by
//! [`Lit::code`], layers by their number, and lemmas by the order in which they came.

use crate::arena::Layer;
use crate::clauses::LemmaId;
use crate::literal::{Lit, Var};
use crate::proof::Proof;
use crate::query::Query;
use crate::solver::Solver;

/// A call of the interface of the solver.
#[cfg_attr(not(feature = "record"), expect(dead_code, reason = "calls are not looked at"))]
pub(crate) enum Call<'a> {
    NewVar,
    FanIn(Var, &'a [Var]),
    PermanentRoot(Var),
    Default(Var, bool),
    Phase(Var, bool),
    Initial(Var, bool),
    Clause(&'a [Lit]),
    Lemma(&'a [Lit], Layer),
    Raise(LemmaId, Layer),
    Remove(LemmaId),
    Expire(Layer),
    Solve(&'a Query<'a>),
}

impl<P: Proof> Solver<P> {
    /// Writes a call down, if calls are recorded.
    #[inline]
    #[cfg_attr(not(feature = "record"), expect(clippy::unused_self, reason = "see the feature"))]
    pub(crate) fn record(&mut self, call: Call<'_>) {
        #[cfg(feature = "record")]
        self.recorder.write(&call);
        #[cfg(not(feature = "record"))]
        let _ = call;
    }
}

#[cfg(feature = "record")]
pub(crate) use recorder::Recorder;

#[cfg(feature = "record")]
mod recorder {
    use std::fmt::Write as _;
    use std::fs::File;
    use std::io::{BufWriter, Write};
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::Call;
    use crate::query::Scope;

    /// The file of one solver.
    pub(crate) struct Recorder {
        file: Option<BufWriter<File>>,
        line: String,
    }

    impl Recorder {
        /// A new file in the folder that the environment names, if it names one.
        pub fn new() -> Self {
            static SOLVERS: AtomicUsize = AtomicUsize::new(0);
            let file = std::env::var_os("ELINVAR_RECORD").map(|folder| {
                let number = SOLVERS.fetch_add(1, Ordering::Relaxed);
                let path = PathBuf::from(folder).join(format!("{number}.calls"));
                BufWriter::new(File::create(path).expect("the folder of the record is writable"))
            });
            Recorder { file, line: String::new() }
        }

        pub fn write(&mut self, call: &Call<'_>) {
            let Some(file) = &mut self.file else { return };
            self.line.clear();
            describe(call, &mut self.line);
            file.write_all(self.line.as_bytes()).expect("the record can be written");
        }
    }

    fn describe(call: &Call<'_>, line: &mut String) {
        let mut numbers = |letter: char, numbers: &mut dyn Iterator<Item = usize>| {
            line.push(letter);
            for number in numbers {
                write!(line, " {number}").expect("strings can be written");
            }
            line.push('\n');
        };
        let setting = |var: crate::Var, value| [var.index(), usize::from(value)].into_iter();
        match *call {
            Call::NewVar => numbers('v', &mut std::iter::empty()),
            Call::FanIn(var, fan_in) => {
                let fan_in = fan_in.iter().map(|var| var.index());
                numbers('f', &mut std::iter::once(var.index()).chain(fan_in));
            }
            Call::PermanentRoot(var) => numbers('p', &mut std::iter::once(var.index())),
            Call::Default(var, value) => numbers('d', &mut setting(var, value)),
            Call::Phase(var, value) => numbers('s', &mut setting(var, value)),
            Call::Initial(var, value) => numbers('i', &mut setting(var, value)),
            Call::Clause(lits) => numbers('c', &mut lits.iter().map(|lit| lit.code())),
            Call::Lemma(lits, layer) => {
                let lits = lits.iter().map(|lit| lit.code());
                numbers('l', &mut std::iter::once(layer.number()).chain(lits));
            }
            Call::Raise(id, layer) => numbers('r', &mut [id.index(), layer.number()].into_iter()),
            Call::Remove(id) => numbers('x', &mut std::iter::once(id.index())),
            Call::Expire(layer) => numbers('e', &mut std::iter::once(layer.number())),
            Call::Solve(query) => {
                let scope = match query.scope {
                    Scope::All => [0, 0, 0],
                    Scope::Cone => [1, 0, 0],
                    Scope::ConeUpTo { first, end } => [2, first.index(), end.index()],
                };
                let assumptions = query.assumptions.iter().map(|lit| lit.code());
                let head = std::iter::once(query.layer.number()).chain(scope);
                // Each temporary clause follows its length.
                let temporary = query.temporary.iter().flat_map(|clause| {
                    std::iter::once(clause.len()).chain(clause.iter().map(|lit| lit.code()))
                });
                let limit = query.conflicts.map_or(0, |limit| limit as usize + 1);
                let assumptions = std::iter::once(query.assumptions.len()).chain(assumptions);
                let head = head.chain(std::iter::once(limit));
                numbers('q', &mut head.chain(assumptions).chain(temporary));
            }
        }
    }
}
