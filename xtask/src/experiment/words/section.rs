//! A figure of the paper as it is printed, and as it stands on the page.

use crate::experiment::page::{escape, paragraph};
use crate::experiment::table::Table;

pub struct Section {
    pub title: String,
    /// How to read it.
    pub notes: Vec<String>,
    pub table: Table,
    pub plots: Vec<Plot>,
}

pub struct Plot {
    pub caption: String,
    pub svg: String,
}

impl Section {
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{}", self.title, self.table.text());
        text.extend(self.notes.iter().map(|note| format!("{note}\n")));
        text
    }

    pub fn html(&self) -> String {
        let mut html = format!("<h2>{}</h2>\n", escape(&self.title));
        html.extend(self.notes.iter().map(|note| paragraph(note)));
        html += "<div>\n";
        for Plot { caption, svg } in &self.plots {
            html += &format!(
                "<figure>\n{svg}<figcaption>{}</figcaption>\n</figure>\n",
                escape(caption)
            );
        }
        html + "</div>\n" + &self.table.html()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::page::tests::is_well_formed;
    use crate::experiment::table::Cell;

    #[test]
    fn a_section_is_printed_and_put_on_a_page() {
        let mut table = Table::new(["model"]);
        table.rows.push(vec![Cell::new("a")]);
        let plots = vec![Plot { caption: "x<y".into(), svg: "<svg></svg>\n".into() }];
        let notes = vec!["A note".into()];
        let section = Section { title: "Figure 0".into(), notes, table, plots };
        assert_eq!(section.text(), "Figure 0\nmodel\na\nA note\n");
        is_well_formed(&section.html()).unwrap();
        assert!(section.html().contains("<figcaption>x&lt;y</figcaption>"));
    }
}
