//! Limits of time and memory, and sessions that interrupts end.

use std::time::Duration;

use anyhow::Result;
use elinvar::{Cancellation, Error, Method, Options, Session};

use crate::progress::{Progress, Shown};
use crate::{interrupt, terminal};

/// The exit code of a process that a second interrupt ends.
const INTERRUPTED: i32 = 130;

/// How much time and memory a command may use.
#[derive(clap::Args, Clone, Default)]
pub struct Resources {
    /// Stop after this many seconds [default: no limit]
    ///
    /// Checking the evidence may take a tenth of that longer, and at least one second.
    #[arg(long, value_name = "S", value_parser = seconds, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    /// Stop when more than this many MiB of memory are used [default: no limit]
    #[arg(long, value_name = "MIB", help_heading = "Limits")]
    memory: Option<u64>,
}

impl Resources {
    /// The limit of memory in bytes.
    pub fn bytes(&self) -> Option<u64> {
        self.memory.map(|mebibytes| mebibytes.saturating_mul(1 << 20))
    }

    /// Does some work under these limits, and fails when it does not end in time. Progress
    /// says what is done.
    pub fn watch<T: Send + 'static>(
        &self,
        what: &'static str,
        shown: Shown,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let options = Options { timeout: self.timeout, memory: self.bytes(), ..Options::default() };
        let session = Session::start(options)?;
        exit_on_interrupt()?;
        let _progress = Progress::of_work(what, shown);
        session.supervise(work).map_err(Error::Stopped)?
    }
}

/// The limits and the seed of a run.
#[derive(clap::Args, Clone, Default)]
pub struct Limits {
    #[command(flatten)]
    pub resources: Resources,

    /// The seed of random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(help_heading = "Limits", hide_short_help = true)]
    seed: u64,
}

impl Limits {
    /// Options with these limits.
    pub fn options(&self) -> Options {
        let Limits { resources, seed } = self;
        Options {
            timeout: resources.timeout,
            memory: resources.bytes(),
            seed: *seed,
            ..Options::default()
        }
    }
}

/// Starts the clock and listens to interrupts: the first one ends the run in an orderly way,
/// the second one ends the process.
pub fn start(options: Options) -> Result<Session> {
    if !matches!(options.method, Method::Race(_)) {
        elinvar_arena::share();
    }
    end_by_interrupt(&options.cancellation)?;
    Ok(Session::start(options)?)
}

fn end_by_interrupt(cancellation: &Cancellation) -> Result<()> {
    let cancellation = cancellation.clone();
    interrupt::listen(move || {
        if !cancellation.cancel() {
            exit();
        }
    })
}

/// Ends the process at the first interrupt.
pub fn exit_on_interrupt() -> Result<()> {
    interrupt::listen(exit)
}

fn exit() {
    terminal::clear_line();
    std::process::exit(INTERRUPTED);
}

/// Does some work of a session while its progress is shown.
pub fn with_progress<T>(session: &Session, shown: Shown, work: impl FnOnce() -> T) -> T {
    let _progress = Progress::of(session, shown);
    work()
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}
