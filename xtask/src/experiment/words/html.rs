//! All figures on one page.

use super::lines;
use super::section::Section;
use crate::experiment::page::{self, paragraph};
use crate::experiment::scatter;

const STYLE: &str = "\
:root{--first:#1f6fb4;--second:#c8601a}
@media(prefers-color-scheme:dark){:root{--first:#5aa9e6;--second:#e08a4a}}
figure{display:inline-block;margin:0}
figcaption{text-align:center;margin-bottom:1em}
svg .safe,svg .bits{fill:var(--first);fill-opacity:.6}
svg .unsafe,svg .linear{fill:var(--second);fill-opacity:.6}
";

/// The whole page.
pub fn page(models: usize, limit: u32, faults: &[String], sections: &[Section]) -> String {
    let mut body = paragraph(&format!(
        "{models} models, as in section 4 of Welp and Kuehlmann, “Property Directed Reachability \
         for QF_BV with Mixed Type Atomic Reasoning Units” (ASP-DAC 2014). Processor seconds of \
         the whole process, with a limit of {limit} s (TO). Every verdict of the engine was \
         confirmed by the checker."
    ));
    body.extend(faults.iter().map(|fault| paragraph(&format!("FAULT: {fault}"))));
    body.extend(sections.iter().map(Section::html));
    let style = format!("{}{}{STYLE}", scatter::STYLE, lines::STYLE);
    page::page("Words: cubes and polytopes", &style, &body)
}
