//! Tables as text and as HTML.

use super::page::escape;

/// Rows of cells. The first column holds names, the others numbers.
pub struct Table {
    /// The titles of the columns.
    pub head: Vec<String>,
    /// The cells, as many in each row as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// What it shows.
    pub text: String,
    /// Shown in grey on a page.
    pub worse: bool,
}

impl Cell {
    /// A cell with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Cell { text: text.into(), worse: false }
    }
}

impl Table {
    /// A table without rows.
    pub fn new<const N: usize>(head: [&str; N]) -> Self {
        Table { head: head.map(str::to_owned).to_vec(), rows: Vec::new() }
    }

    /// Adds a row of plain cells.
    pub fn push(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Cell::new).collect());
    }

    /// The table as text, names aligned to the left and numbers to the right.
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

    /// The table as HTML.
    pub fn html(&self) -> String {
        let mut html = "<div class=\"wide\"><table>\n<thead><tr>".to_owned();
        for title in &self.head {
            html += &format!("<th>{}</th>", escape(title));
        }
        html += "</tr></thead>\n<tbody>\n";
        for row in &self.rows {
            html += "<tr>";
            for cell in row {
                let class = if cell.worse { " class=\"worse\"" } else { "" };
                html += &format!("<td{class}>{}</td>", escape(&cell.text));
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
    fn text_is_escaped() {
        let mut table = Table::new(["<in>"]);
        table.rows.push(vec![Cell { text: "a&b".into(), worse: true }]);
        let html = table.html();
        assert!(html.contains("<th>&lt;in&gt;</th>"), "{html}");
        assert!(html.contains("<td class=\"worse\">a&amp;b</td>"), "{html}");
    }
}
