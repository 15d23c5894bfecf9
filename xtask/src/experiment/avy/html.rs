//! All results on one page.

use super::plot;
use super::results::Results;
use super::tables;
use crate::experiment::page::{self, escape, paragraph};
use crate::experiment::scatter;

const STYLE: &str = "\
:root{--safe:#1f6fb4;--unsafe:#c8601a}
@media(prefers-color-scheme:dark){:root{--safe:#5aa9e6;--unsafe:#e08a4a}}
svg .safe{fill:var(--safe);fill-opacity:.7}
svg .unsafe{fill:var(--unsafe);fill-opacity:.7}
";

/// The whole page.
pub fn page(results: &Results) -> String {
    let (limit, models) = (results.limit, results.rows.len());
    let mut body = paragraph(&format!(
        "{models} models, as in section 5 of Vizel and Gurfinkel, “Interpolating Property Directed \
         Reachability” (CAV 2014). Processor seconds of the whole process, with a limit of {limit} \
         s (TO); the paper's times are of another machine, with a limit of 900 s. Every verdict \
         was confirmed by the checker."
    ));
    body += &format!("<h2>Table 1: solved models</h2>\n{}", tables::solved(results).html());
    body += "<h2>Figure 1: times</h2>\n<div>\n";
    body.extend(results.others().filter_map(|other| plot::against(results, other)));
    body += "</div>\n<p class=\"soft\">What was not solved lies on the upper or the right border.</p>\n";
    body += "<h2>In short</h2>\n<ul>\n";
    body.extend(tables::summary(results).iter().map(|line| format!("<li>{}</li>\n", escape(line))));
    body += "</ul>\n";
    if let Some(table) = tables::ablation(results) {
        body += &format!("<h2>What each technique brings</h2>\n{}", table.html());
    }
    body +=
        &format!("<h2>Table 2: depths, sizes and times</h2>\n{}", tables::details(results).html());
    page::page("Interpolation and PDR", &format!("{}{STYLE}", scatter::STYLE), &body)
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;
    use super::*;
    use crate::experiment::page::tests::is_sound;

    #[test]
    fn the_page_has_tables_and_plots_and_loads_nothing() {
        let mut results = results();
        let text = page(&results);
        is_sound(&text).unwrap();
        assert_eq!((text.matches("<table>").count(), text.matches("<svg").count()), (3, 2));
        assert!(text.contains("only&lt;avy"));
        results.rows.clear();
        is_sound(&page(&results)).unwrap();
    }
}
