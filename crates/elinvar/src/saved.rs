//! Lemmas that are kept from run to run.
//!
//! The file is replaced as a whole, at the end and now and then before, so that a run that
//! is killed leaves either the old file or a newer one. What is read from it is never
//! trusted: the engine proves each lemma again.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use elinvar_formats::proof;
use elinvar_ir::{PdrState, PropertyStatus};

use crate::error::Error;
use crate::files;
use crate::options::Options;
use crate::report::{Report, Summary, WrittenFile};
use crate::source::Source;

/// How long a run may go on before what it knows is saved again.
pub(crate) const PERIOD: Duration = Duration::from_secs(10);

/// Reads what an earlier run has saved, for [`crate::Options::reuse`].
///
/// ```
/// use std::sync::Arc;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("toggle.elv");
/// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
/// let options = elinvar::Options { save: Some(path.clone()), ..Default::default() };
/// elinvar::check(&problem, &options)?;
/// let reuse = Some(Arc::new(elinvar::read_saved(&path)?));
/// elinvar::check(&problem, &elinvar::Options { reuse, ..Default::default() })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_saved(path: impl AsRef<Path>) -> Result<PdrState, Error> {
    let source = Source::read(path)?;
    source.located(proof::read(source.bytes()))
}

/// Writes states to a file as they come.
pub(crate) struct SavedProof {
    path: PathBuf,
    start: Instant,
    earlier: Option<Arc<PdrState>>,
    written: Mutex<Written>,
}

#[derive(Default)]
struct Written {
    any: bool,
    failure: Option<Error>,
}

impl SavedProof {
    /// Fails if the file cannot be written.
    pub fn create(path: PathBuf, earlier: Option<Arc<PdrState>>) -> Result<Self, Error> {
        files::expect_writable(&path)?;
        Ok(SavedProof { path, start: Instant::now(), earlier, written: Mutex::default() })
    }

    /// Saves what is known by now.
    pub fn save(&self, state: &PdrState) {
        let before = self.earlier.as_ref().map_or(0.0, |state| state.seconds);
        let seconds = before + self.start.elapsed().as_secs_f64();
        self.write(&PdrState { seconds, ..state.clone() });
    }

    /// Writes what is left to be written. If a property fails that the earlier proof proves,
    /// that proof is kept, for the version that repairs the property.
    pub fn finish(&self, report: &Report) -> Result<WrittenFile, Error> {
        let any = self.written().any;
        match &self.earlier {
            Some(earlier) if !any || refutes(report, earlier) => self.write(earlier),
            None if !any => self.write(&PdrState::default()),
            _ => {}
        }
        match self.written().failure.take() {
            Some(error) => Err(error),
            None => Ok(WrittenFile { kind: "lemmas", path: self.path.clone() }),
        }
    }

    fn write(&self, state: &PdrState) {
        let result = files::write(&self.path, proof::write(state).as_bytes());
        let mut written = self.written();
        written.any = true;
        written.failure = result.err();
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is known after a run for later ones, in the same way as [`SavedProof::finish`].
pub(crate) fn kept(report: &Report, options: &Options) -> Arc<PdrState> {
    let earlier = options.reuse.as_ref();
    match (&report.statistics.state, earlier) {
        (Some(_), Some(earlier)) if refutes(report, earlier) => Arc::clone(earlier),
        (Some(state), _) => {
            let before = earlier.map_or(0.0, |state| state.seconds);
            let seconds = before + report.time.as_secs_f64();
            Arc::new(PdrState { seconds, ..PdrState::clone(state) })
        }
        (None, earlier) => earlier.cloned().unwrap_or_default(),
    }
}

/// Does a property fail of which there was a proof?
fn refutes(report: &Report, earlier: &PdrState) -> bool {
    report.properties.iter().any(|property| {
        let is_its_proof = |record: &elinvar_ir::PropertyRecord| {
            record.name == property.name && record.status == PropertyStatus::Safe
        };
        property.summary() == Summary::Unsafe && earlier.properties.iter().any(is_its_proof)
    })
}
