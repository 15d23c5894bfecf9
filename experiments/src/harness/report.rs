//! The results of an experiment as text and as a page.

use super::page::{self, escape, paragraph};
use super::table::Table;

/// All results.
pub struct Report {
    /// The title of the page.
    pub title: &'static str,
    /// What was measured, on the page.
    pub introduction: String,
    /// Tables and figures.
    pub sections: Vec<Section>,
    /// Wrong verdicts and missing reports; none if they end the experiment.
    pub faults: Option<Vec<String>>,
}

/// A table or a figure, or both.
#[derive(Default)]
pub struct Section {
    pub title: String,
    /// What is shown; on the page only.
    pub introduction: Option<String>,
    pub table: Option<Table>,
    /// Sentences about the table.
    pub notes: Vec<String>,
    /// On the page only.
    pub plots: Vec<Plot>,
    /// Further tables and figures, hidden on the page until the reader opens them.
    pub details: Vec<Section>,
}

/// A picture.
pub struct Plot {
    /// What stands below it; may be empty.
    pub caption: String,
    /// The picture itself.
    pub svg: String,
}

impl Report {
    /// All sections as text, then the faults.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for section in &self.sections {
            text += &section.text();
        }
        if let Some(faults) = &self.faults {
            text += &format!("wrong verdicts and runs without a report: {}\n", faults.len());
            text.extend(faults.iter().map(|fault| format!("FAULT: {fault}\n")));
        }
        text
    }

    /// The whole page.
    pub fn html(&self) -> String {
        let mut body = paragraph(&self.introduction);
        let faults = self.faults.iter().flatten();
        body.extend(faults.map(|fault| paragraph(&format!("FAULT: {fault}"))));
        body.extend(self.sections.iter().map(Section::html));
        page::page(self.title, &body)
    }
}

impl Section {
    /// The table with its title and notes, and an empty line. A section of pictures has no
    /// text.
    pub fn text(&self) -> String {
        if self.table.is_none() && self.notes.is_empty() {
            return String::new();
        }
        let mut text = format!("{}\n", self.title);
        text.extend(self.table.as_ref().map(Table::text));
        text.extend(self.notes.iter().map(|note| format!("{note}\n")));
        text + "\n"
    }

    fn html(&self) -> String {
        let mut html = format!("<h2>{}</h2>\n{}", escape(&self.title), self.content());
        if !self.details.is_empty() {
            html += "<p class=\"soft\">In detail:</p>\n";
        }
        for section in &self.details {
            let (title, content) = (escape(&section.title), section.content());
            html += &format!("<details><summary>{title}</summary>\n{content}</details>\n");
        }
        html
    }

    fn content(&self) -> String {
        let mut html = String::new();
        html.extend(self.introduction.iter().map(|text| paragraph(text)));
        if !self.plots.is_empty() {
            html += "<div>\n";
            html.extend(self.plots.iter().map(Plot::html));
            html += "</div>\n";
        }
        html.extend(self.table.as_ref().map(Table::html));
        html.extend(self.notes.iter().map(|note| paragraph(note)));
        html
    }
}

impl Plot {
    fn html(&self) -> String {
        let Plot { caption, svg } = self;
        let caption = escape(caption);
        format!("<figure class=\"wide\">\n{svg}<figcaption>{caption}</figcaption>\n</figure>\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::page::tests::is_sound;
    use crate::harness::table::Cell;

    fn section() -> Section {
        let mut table = Table::new(["model"]);
        table.rows.push(vec![Cell::new("a")]);
        let plots = vec![Plot { caption: "x<y".into(), svg: "<svg></svg>\n".into() }];
        let (title, notes) = ("Figure 0".into(), vec!["A note".into()]);
        Section { title, notes, table: Some(table), plots, ..Section::default() }
    }

    #[test]
    fn a_report_is_printed_and_put_on_a_page() {
        let pictures = Section { table: None, notes: Vec::new(), ..section() };
        let sections = vec![Section { details: vec![section()], ..section() }, pictures];
        let faults = Some(vec!["a: b > c".to_owned()]);
        let report = Report { title: "T", introduction: "I".into(), sections, faults };
        let text = "Figure 0\nmodel\na\nA note\n\n\
                    wrong verdicts and runs without a report: 1\nFAULT: a: b > c\n";
        assert_eq!(report.text(), text);
        let page = report.html();
        is_sound(&page).unwrap();
        let count = |word: &str| page.matches(word).count();
        assert_eq!([count("<table>"), count("<svg>"), count("<details>")], [2, 3, 1]);
        assert!(page.contains("<figcaption>x&lt;y</figcaption>") && page.contains("b &gt; c"));
    }
}
