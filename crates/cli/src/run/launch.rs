//! Starts workers and waits for them, whatever starts them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use elinvar::campaign::Results;

use super::view::View;
use crate::{interrupt, output};

/// How often the logs are read.
const PERIOD: Duration = Duration::from_millis(500);
/// Workers that were asked to stop have so much time.
const GRACE: Duration = Duration::from_secs(15);
/// How often the end of workers is looked for.
const PAUSE: Duration = Duration::from_millis(20);

/// Starts workers somewhere.
pub trait Launcher {
    /// Starts the workers.
    fn start(&mut self) -> Result<()>;
    /// Do some of them still run?
    fn poll(&mut self, results: &Results) -> Result<State>;
    /// Asks them to stop in an orderly way.
    fn stop(&mut self);
    /// Ends them at once.
    fn kill(&mut self);
}

/// Whether workers run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Some do, or are going to.
    Running,
    /// All have ended.
    Ended,
}

/// Runs a campaign and returns what it has found. True if it was interrupted.
pub fn run(
    campaign: &Path,
    launcher: &mut dyn Launcher,
    view: &mut dyn View,
) -> Result<(Results, bool)> {
    let mut results = Results::read(campaign)?;
    let interrupts = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&interrupts);
    interrupt::listen(move || {
        counter.fetch_add(1, Ordering::Relaxed);
    })?;
    if !results.is_complete() {
        launcher.start()?;
        wait(launcher, view, &mut results, &interrupts)?;
    }
    let lines = results.update()?;
    view.update(&results, &lines);
    view.finish(&results);
    Ok((results, interrupts.load(Ordering::Relaxed) > 0))
}

fn wait(
    launcher: &mut dyn Launcher,
    view: &mut dyn View,
    results: &mut Results,
    interrupts: &AtomicUsize,
) -> Result<()> {
    let mut stopping: Option<Instant> = None;
    let mut read = Instant::now();
    loop {
        match interrupts.load(Ordering::Relaxed) {
            0 => {}
            1 => match stopping {
                None => {
                    output::tell(
                        "interrupted: the workers stop; another interrupt ends them at once",
                    );
                    launcher.stop();
                    stopping = Some(Instant::now());
                }
                Some(since) if since.elapsed() > GRACE => launcher.kill(),
                Some(_) => {}
            },
            _ => launcher.kill(),
        }
        let state = launcher.poll(results)?;
        if read.elapsed() >= PERIOD {
            read = Instant::now();
            let lines = results.update()?;
            view.update(results, &lines);
        }
        if state == State::Ended {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
}
