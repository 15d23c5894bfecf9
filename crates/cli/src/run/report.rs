//! `elinvar run report`: reports about a campaign, made from its logs.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Result;
use elinvar::campaign::Results;
use elinvar::campaign::report::{self, CampaignPage, Comparison};
use elinvar::files::shown;

use crate::{code, invocation, output};

/// Make the reports of a campaign again, also while it runs
///
/// Without options, the files report.html, results.csv and junit.xml in the folder of the campaign
/// are written, as at its end. Verdicts are those in its logs. Exit codes: 0, 2 user error.
#[derive(clap::Args)]
pub struct Arguments {
    /// The folder of the campaign
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    compare: CompareOption,

    /// Write one HTML page with tables and figures
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write a table with a row for each attempt
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write test results in JUnit's XML: undecided properties are errors
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// With which campaign a campaign is compared.
#[derive(clap::Args, Clone, Default)]
pub struct CompareOption {
    /// Compare with the campaign in this folder: newly proved, newly failing, slower, faster
    #[arg(long, value_name = "DIR")]
    compare: Option<PathBuf>,
}

impl CompareOption {
    /// The earlier campaign, if one was given.
    pub fn read(&self) -> Result<Option<Results>> {
        Ok(self.compare.as_deref().map(Results::read).transpose()?)
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<u8> {
    let Arguments { folder, compare, html, csv, junit } = arguments;
    let results = Results::read(folder)?;
    let earlier = compare.read()?;
    let mut files = Files { html: html.clone(), csv: csv.clone(), junit: junit.clone() };
    if files.all().next().is_none() {
        files = Files::beside(folder);
    }
    output::expect_distinct([], files.all().map(PathBuf::as_path))?;
    for file in files.all() {
        output::expect_writable(file)?;
    }
    files.write(&results, earlier.as_ref(), false)?;
    if let Some(earlier) = &earlier {
        print_changes(&results, earlier)?;
    }
    Ok(code::DONE)
}

/// Writes the reports of a campaign into its folder, at its end.
pub fn write_beside(results: &Results, earlier: Option<&Results>, quiet: bool) -> Result<()> {
    Files::beside(&results.folder).write(results, earlier, quiet)
}

/// Prints what has changed since an earlier campaign.
pub fn print_changes(results: &Results, earlier: &Results) -> Result<()> {
    let comparison = Comparison::new(results, earlier);
    let mut text = format!("{}\n", comparison.sentence());
    for ((change, _), property) in comparison.changes.iter().zip(&results.properties) {
        if let Some(word) = change.word() {
            let model = &results.plan.models[property.model].name;
            text += &format!("  {word}: {model} {}\n", property.name);
        }
    }
    output::print(&output::harmless(&text))
}

/// Where reports are written.
struct Files {
    html: Option<PathBuf>,
    csv: Option<PathBuf>,
    junit: Option<PathBuf>,
}

impl Files {
    /// All reports, in the folder of the campaign.
    fn beside(folder: &Path) -> Self {
        let file = |name: &str| Some(folder.join(name));
        Files { html: file("report.html"), csv: file("results.csv"), junit: file("junit.xml") }
    }

    fn all(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.html, &self.csv, &self.junit].into_iter().flatten()
    }

    fn write(&self, results: &Results, earlier: Option<&Results>, quiet: bool) -> Result<()> {
        let write = |file: &Path, text: &str| write(file, text, quiet);
        if let Some(file) = &self.html {
            let words = invocation::texts().skip(1);
            let page = CampaignPage {
                made: Some(SystemTime::now()),
                command: std::iter::once("elinvar".to_owned()).chain(words).collect(),
                file: (!output::is_stdout(file)).then(|| file.clone()),
            };
            write(file, &report::html(results, earlier, &page))?;
        }
        if let Some(file) = &self.csv {
            write(file, &report::csv(results))?;
        }
        if let Some(file) = &self.junit {
            write(file, &report::junit(results))?;
        }
        Ok(())
    }
}

fn write(file: &Path, text: &str, quiet: bool) -> Result<()> {
    output::write(file, text.as_bytes())?;
    if !output::is_stdout(file) && !quiet {
        output::tell(&format!("wrote {}", shown(file)));
    }
    Ok(())
}
