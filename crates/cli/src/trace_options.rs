//! Options that choose what is shown of a trace.

use anyhow::{Result, bail};
use elinvar::ir::TransitionSystem;
use elinvar::readable::digest::{Pattern, View};

use crate::report::table::Look;

/// How numbers are written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, clap::ValueEnum)]
pub enum Radix {
    /// Decimal up to 16 bits, hexadecimal beyond
    #[default]
    Auto,
    /// All bits; `x` where a bit does not matter
    Binary,
    /// Unsigned decimal numbers
    Decimal,
    /// Decimal numbers in two's complement
    Signed,
    /// Hexadecimal; `x` where a digit has a bit that does not matter
    Hex,
}

/// What is shown of a trace.
#[derive(clap::Args, Clone, Default)]
pub struct TraceOptions {
    /// Show only the signals whose names match, whether they matter or not
    ///
    /// In a pattern, `*` stands for any characters, also across scopes, and `?` for one. It has
    /// to match the whole name or its end after a dot: `count` matches `u_fifo.count`, and
    /// `u_fifo.*` everything below that instance. Several patterns are separated by commas, or
    /// the option is repeated.
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', help_heading = "Trace")]
    signals: Vec<String>,

    /// Show everything: all signals, cycles, digits and properties
    ///
    /// By default a trace shows the inputs that matter, and of the other signals those near the
    /// property or that change. Long traces show cycles with changes only and lose pages in the
    /// middle. In waveforms of counterexamples, values that do not matter are unknown (x). On a
    /// terminal, long lists of properties show only those that need attention.
    #[arg(long, help_heading = "Trace")]
    all: bool,

    /// How numbers are written
    #[arg(long, value_name = "RADIX", value_enum, default_value_t, help_heading = "Trace")]
    #[arg(hide_short_help = true)]
    radix: Radix,
}

impl TraceOptions {
    /// The signals to show.
    pub fn view(&self) -> View {
        let patterns = self.signals.iter().map(|text| Pattern::from(text.as_str()));
        View { patterns: patterns.collect(), all: self.all }
    }

    /// How a table on standard output looks.
    pub fn look(&self) -> Look {
        Look { radix: self.radix, complete: self.all, ..Look::of_stdout() }
    }

    /// Is nothing left out?
    pub fn is_complete(&self) -> bool {
        self.all
    }

    /// Fails if a pattern matches no signal.
    pub fn expect_signals(&self, system: &TransitionSystem) -> Result<()> {
        match self.view().unmatched(system).first() {
            Some(pattern) => bail!(
                "no signal of the model matches `{pattern}`; `elinvar simulate --all` lists the signals"
            ),
            None => Ok(()),
        }
    }

    /// The first option about signals that was given.
    pub fn given(&self) -> Option<&'static str> {
        let options =
            [("--signals", !self.signals.is_empty()), ("--radix", self.radix != Radix::Auto)];
        options.into_iter().find(|&(_, given)| given).map(|(name, _)| name)
    }
}
