//! The report as an HTML page.

use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::Result;
use elinvar::ir::StopReason;
use elinvar::page::{self, PageOptions};
use elinvar::{Report, WrittenFile};

use crate::{invocation, output};

/// Where the page is written.
#[derive(clap::Args, Clone, Default)]
pub struct HtmlOption {
    /// Write the report as one HTML page, with waveforms and source lines
    ///
    /// The page is one file that needs neither the network nor other files: verdicts by property,
    /// traces as waveforms, the invariants, and small certificates and witnesses.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,
}

impl HtmlOption {
    /// Is a page asked for?
    pub fn is_used(&self) -> bool {
        self.html.is_some()
    }

    /// The file of the page.
    pub fn path(&self) -> Option<&PathBuf> {
        self.html.as_ref()
    }

    /// Fails if the page cannot be written, before any work is done.
    pub fn expect_writable(&self) -> Result<()> {
        self.html.iter().try_for_each(|path| output::expect_writable(path))
    }

    /// Writes the page of a report, and notes the file in the report.
    pub fn write(&self, report: &mut Report, options: PageOptions) -> Result<()> {
        if self.is_used() {
            let written = self.write_text(&report.to_html(&options))?;
            report.files.extend(written);
        }
        Ok(())
    }

    /// Writes the page of a run whose model was not read before a limit was reached.
    pub fn write_unread(
        &self,
        reason: &StopReason,
        options: PageOptions,
    ) -> Result<Option<WrittenFile>> {
        self.write_text(&page::unread(reason, &options))
    }

    fn write_text(&self, page: &str) -> Result<Option<WrittenFile>> {
        let Some(path) = &self.html else { return Ok(None) };
        output::write(path, page.as_bytes())?;
        let is_file = !output::is_stdout(path);
        Ok(is_file.then(|| WrittenFile { kind: "html", path: path.clone() }))
    }
}

/// What a page says about this command. `models` and `verify_options` are the words with which
/// `elinvar verify` reads the same model.
pub fn page(models: Vec<String>, verify_options: Vec<String>) -> PageOptions {
    let words = invocation::texts().skip(1);
    PageOptions {
        command: std::iter::once("elinvar".to_owned()).chain(words).collect(),
        models,
        verify_options,
        made: Some(SystemTime::now()),
    }
}
