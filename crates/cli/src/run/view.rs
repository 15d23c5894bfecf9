//! What a running campaign shows.

use elinvar::campaign::{Line, Results};

use crate::output;

/// Is shown what a campaign has found, about once a second.
pub trait View {
    /// These lines were added to the logs since the last call.
    fn update(&mut self, results: &Results, lines: &[Line]);

    /// The campaign is over, or it was interrupted.
    fn finish(&mut self, results: &Results);
}

/// What shows verdicts: plain lines, or nothing before the result.
pub fn of(quiet: bool) -> Box<dyn View> {
    Box::new(Plain { quiet })
}

/// Plain lines on standard output, one for each verdict.
struct Plain {
    quiet: bool,
}

impl View for Plain {
    fn update(&mut self, _: &Results, lines: &[Line]) {
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
    }

    fn finish(&mut self, _: &Results) {}
}
