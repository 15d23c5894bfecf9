//! Proofs that are kept from run to run: `--reuse` and `--save`.
//!
//! The file is replaced as a whole, at the end and now and then before, so that a run
//! that is killed leaves either the old file or a newer one. What is read from it is
//! never believed: the engine proves each lemma again.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use elinvar_engines::Run;
use elinvar_formats::proof;
use elinvar_ir::{PdrState, PropertyStatus, Verdict};

use crate::load::SourceFile;
use crate::output;
use crate::report::Report;

/// How long a run may go on before what it knows is saved again.
const EVERY: Duration = Duration::from_secs(10);

#[derive(clap::Args, Default)]
pub struct ProofFiles {
    /// auto, pdr: begin with the lemmas of an earlier run, on this or on another
    /// version of the model, from a file that --save has written. They are proved
    /// again; the report tells how many still hold. The file need not exist yet if
    /// it is that of --save
    #[arg(long, value_name = "FILE", help_heading = "Reuse")]
    reuse: Option<PathBuf>,

    /// auto, pdr: save the lemmas for later runs, also when the run is interrupted,
    /// and every ten seconds. A run that finds a property to fail which the file of
    /// --reuse proves leaves that proof, for the version that mends it
    #[arg(long, value_name = "FILE", help_heading = "Reuse")]
    save: Option<PathBuf>,
}

/// What is kept in a run.
#[derive(Default)]
pub struct Kept {
    earlier: Option<Arc<PdrState>>,
    keeper: Option<Arc<Keeper>>,
}

/// Writes states to a file as they come.
pub struct Keeper {
    path: PathBuf,
    start: Instant,
    /// The work in the state that the run began with.
    before: f64,
    written: Mutex<Written>,
}

#[derive(Default)]
struct Written {
    any: bool,
    failure: Option<String>,
}

impl ProofFiles {
    pub fn is_used(&self) -> bool {
        self.reuse.is_some() || self.save.is_some()
    }

    /// The files of --reuse and --save.
    pub fn paths(&self) -> (Option<&PathBuf>, Option<&PathBuf>) {
        (self.reuse.as_ref(), self.save.as_ref())
    }

    /// Reads the one file and prepares for the other.
    pub fn open(&self) -> Result<Kept> {
        if let Some(path) = &self.save {
            if output::is_stdout(path) {
                bail!("--save needs a file: it is written several times");
            }
            output::expect_writable(path)?;
        }
        let earlier = match &self.reuse {
            Some(path) if !path.exists() && self.save.as_ref() == Some(path) => {
                let name = path.display();
                output::tell(&format!("note: {name} is not there yet: beginning with nothing"));
                None
            }
            Some(path) => Some(Arc::new(read(path)?)),
            None => None,
        };
        let keeper = self.save.clone().map(|path| Keeper {
            path,
            start: Instant::now(),
            before: earlier.as_ref().map_or(0.0, |state| state.seconds),
            written: Mutex::default(),
        });
        Ok(Kept { earlier, keeper: keeper.map(Arc::new) })
    }
}

fn read(path: &Path) -> Result<PdrState> {
    let name = path.to_str().ok_or_else(|| anyhow!("{} is not UTF-8", path.display()))?;
    let file = SourceFile::read(name)?;
    file.located(proof::read(&file.bytes))
}

impl Kept {
    pub fn keeper(&self) -> Option<Arc<Keeper>> {
        self.keeper.clone()
    }

    /// The run with what is to be reused, and with states to be saved.
    pub fn attach(&self, mut run: Run) -> Run {
        if let Some(state) = &self.earlier {
            run = run.with_earlier(Arc::clone(state));
        }
        if self.keeper.is_some() {
            run = run.with_states(EVERY);
        }
        run
    }

    /// The work that was in the earlier proof, if there is one.
    pub fn earlier_seconds(&self) -> Option<f64> {
        self.earlier.as_ref().map(|state| state.seconds)
    }

    /// Writes what is left to be written, and tells what could not be.
    pub fn finish(&self, report: &Report<'_>) -> Result<()> {
        let Some(keeper) = &self.keeper else { return Ok(()) };
        let any = keeper.written().any;
        match &self.earlier {
            Some(earlier) if !any || refutes(report, earlier) => keeper.write(earlier),
            None if !any => keeper.write(&PdrState::default()),
            _ => {}
        }
        match keeper.written().failure.take() {
            Some(failure) => Err(anyhow!(failure)),
            None => Ok(()),
        }
    }
}

/// Does a property fail of which there was a proof?
fn refutes(report: &Report<'_>, earlier: &PdrState) -> bool {
    report.answers.iter().any(|answer| {
        let proved = |name: &str| {
            let mut records = earlier.properties.iter();
            records.any(|record| record.name == name && record.status == PropertyStatus::Safe)
        };
        matches!(answer.verdict, Verdict::Unsafe(_)) && proved(report.name(answer))
    })
}

impl Keeper {
    /// Saves what is known by now.
    pub fn keep(&self, state: &PdrState) {
        let seconds = self.before + self.start.elapsed().as_secs_f64();
        self.write(&PdrState { seconds, ..state.clone() });
    }

    fn write(&self, state: &PdrState) {
        let result = output::write_file(&self.path, proof::write(state).as_bytes());
        let mut written = self.written();
        written.any = true;
        written.failure = result.err().map(|error| format!("{error:#}"));
    }

    fn written(&self) -> std::sync::MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
