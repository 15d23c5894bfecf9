//! A table that can be printed and put on a page.

use std::fmt::Write;

use super::page::escape;

/// Cells by row, as many as there are columns; the first column holds names, the others
/// numbers.
pub struct Table {
    pub head: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    pub text: String,
    /// Shown in grey on a page: what was meant to help did not.
    pub worse: bool,
}

impl Cell {
    pub fn new(text: impl Into<String>) -> Self {
        Cell { text: text.into(), worse: false }
    }
}

impl Table {
    pub fn new<const N: usize>(head: [&str; N]) -> Self {
        Table { head: head.map(str::to_owned).to_vec(), rows: Vec::new() }
    }

    /// Names to the left and numbers to the right, in columns as wide as they need.
    pub fn text(&self) -> String {
        let head: Vec<&str> = self.head.iter().map(|title| &title[..]).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(|cell| &cell.text[..]).collect());
        let lines: Vec<Vec<&str>> = [head].into_iter().chain(rows).collect();
        let width = |column: usize| {
            let cells = lines.iter().filter_map(|line| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let mut text = String::new();
        for line in &lines {
            for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
                if column == 0 {
                    text += &format!("{cell:<width$}");
                } else {
                    text += &format!("  {cell:>width$}");
                }
            }
            text.truncate(text.trim_end().len());
            text += "\n";
        }
        text
    }

    pub fn html(&self) -> String {
        let mut html = "<div class=\"wide\"><table>\n<thead><tr>".to_owned();
        for title in &self.head {
            write!(html, "<th>{}</th>", escape(title)).expect("strings do not fail");
        }
        html += "</tr></thead>\n<tbody>\n";
        for row in &self.rows {
            html += "<tr>";
            for cell in row {
                let class = if cell.worse { " class=\"worse\"" } else { "" };
                write!(html, "<td{class}>{}</td>", escape(&cell.text))
                    .expect("strings do not fail");
            }
            html += "</tr>\n";
        }
        html + "</tbody></table></div>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_characters() {
        let mut table = Table::new(["input", "seconds", "speedup"]);
        table.rows.push(["a", "1.0 ± 0.1", "74%"].map(Cell::new).to_vec());
        table.rows.push(["longer", "12.0 ± 0.1", ""].map(Cell::new).to_vec());
        let expected = "\
input      seconds  speedup
a        1.0 ± 0.1      74%
longer  12.0 ± 0.1
";
        assert_eq!(table.text(), expected);
    }

    #[test]
    fn a_page_shows_names_as_they_are() {
        let mut table = Table::new(["<in>"]);
        table.rows.push(vec![Cell { text: "a&b".into(), worse: true }]);
        let html = table.html();
        assert!(html.contains("<th>&lt;in&gt;</th>"), "{html}");
        assert!(html.contains("<td class=\"worse\">a&amp;b</td>"), "{html}");
    }
}
