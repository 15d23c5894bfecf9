//! What a running campaign shows.

use std::time::{Duration, Instant};

use elinvar::campaign::{Line, Results, Totals};

use crate::output;

/// Is shown what a campaign has found, about once a second.
pub trait View {
    /// These lines were added to the logs since the last call.
    fn update(&mut self, results: &Results, lines: &[Line]);

    /// The campaign is over, or it was interrupted.
    fn finish(&mut self, results: &Results);
}

/// What shows a campaign: plain lines, or nothing before the result.
pub fn of(quiet: bool) -> Box<dyn View> {
    Box::new(Plain::new(quiet))
}

/// How often a line about the whole campaign is printed.
const PERIOD: Duration = Duration::from_secs(10);

/// Plain lines: one for each verdict on standard output, and now and then one about the whole
/// campaign on standard error.
struct Plain {
    quiet: bool,
    start: Instant,
    last: Instant,
}

impl Plain {
    fn new(quiet: bool) -> Self {
        Plain { quiet, start: Instant::now(), last: Instant::now() }
    }
}

impl View for Plain {
    fn update(&mut self, results: &Results, lines: &[Line]) {
        if self.quiet {
            return;
        }
        for line in lines {
            if let Line::Result(line) = line
                && line.is_decided()
            {
                let engine = line.engine.as_deref().unwrap_or("store");
                let name = format!("{} {}", line.model, line.name);
                let text = format!("{} {name} ({engine}, {:.2} s)\n", line.verdict, line.seconds);
                // A closed pipe does not end a campaign.
                output::print(&output::harmless(&text)).ok();
            }
        }
        if self.last.elapsed() >= PERIOD {
            self.last = Instant::now();
            let Totals { proved, failed, open, tasks_running, .. } = results.totals();
            output::tell(&format!(
                "{:.0} s: {proved} proved, {failed} failed, {open} open, {tasks_running} tasks running",
                self.start.elapsed().as_secs_f64(),
            ));
        }
    }

    fn finish(&mut self, _: &Results) {}
}
