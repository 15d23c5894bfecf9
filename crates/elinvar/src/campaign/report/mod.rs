//! Reports about a campaign: one HTML page, a table for programs (CSV), and test results (JUnit).
//!
//! All of them are made from [`Results`], that is from the plan and the logs, so they can be made
//! again at any time, also while the campaign runs. The page is one file without network access,
//! in the frame of [`crate::page`]: the same policy, style, table and keys. Its figures are made
//! here, as markup whose texts are escaped; everything else is data, from which a script builds
//! the page.
//!
//! Verdicts are those that workers have confirmed and logged. A report does not check evidence
//! again; the page links to the evidence and has the command that does.

mod compare;
mod csv;
mod data;
mod figures;
mod junit;
mod strategies;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::results::Results;
use crate::page;

pub use compare::{Change, Comparison};
pub use csv::csv;
pub use junit::junit;
pub use strategies::StrategySummary;

/// The script of the page, after those that all pages with a table share.
const SCRIPT: &str = include_str!("campaign.js");
const STYLE: &str = include_str!("campaign.css");

/// What a page says that is not in the logs.
#[derive(Clone, Default, Debug)]
pub struct CampaignPage {
    /// When the page was made.
    pub made: Option<SystemTime>,
    /// The command line that made it.
    pub command: Vec<String>,
    /// The file of the page, from which links to evidence start. Without it, they start from the
    /// folder of the campaign.
    pub file: Option<PathBuf>,
}

/// The campaign as one HTML page, perhaps compared with an earlier one.
pub fn html(results: &Results, earlier: Option<&Results>, options: &CampaignPage) -> String {
    let comparison = earlier.map(|earlier| Comparison::new(results, earlier));
    let data = data::of_results(results, comparison.as_ref(), options);
    let figures = figures::markup(results, comparison.as_ref());
    let style = format!("{}{STYLE}{}", page::PAGE_STYLE, crate::plot::STYLE);
    let scripts = [page::DOM_SCRIPT].iter().chain(&page::TABLE_SCRIPTS).chain(&[SCRIPT]);
    let title = format!("{}: {}", results.plan.name, data.verdict);
    page::document(&title, style, &figures, &data, page::script(scripts))
}

/// Does a verdict say what the user hopes for?
fn is_good(verdict: &str) -> bool {
    matches!(verdict, "safe" | "reached")
}

/// Does a verdict say that something is wrong?
fn is_bad(verdict: &str) -> bool {
    matches!(verdict, "unsafe" | "unreachable")
}

/// An absolute path, also of a file that does not exist.
fn absolute(path: &Path) -> PathBuf {
    let folder = crate::paths::folder_of(path);
    let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder));
    let folder = folder.unwrap_or_else(|_| PathBuf::from("."));
    path.file_name().map_or_else(|| folder.clone(), |name| folder.join(name))
}

#[cfg(test)]
mod tests;
