//! Tables in files: one row per line, cells separated by commas. The first line names the
//! columns. Cells are not quoted, so no cell contains a comma.

/// A table.
pub struct Csv<'a> {
    /// The names of the columns.
    pub head: Vec<&'a str>,
    /// The cells by row.
    pub rows: Vec<Vec<&'a str>>,
}

impl<'a> Csv<'a> {
    /// Reads a table. Empty lines are ignored.
    pub fn new(text: &'a str) -> Self {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let mut rows = lines.map(|line| line.split(',').map(str::trim).collect());
        let head = rows.next().unwrap_or_default();
        Csv { head, rows: rows.collect() }
    }

    /// The number of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.head.iter().position(|&title| title == name)
    }

    /// The number of a column that must exist.
    pub fn required(&self, name: &str) -> Result<usize, String> {
        self.column(name).ok_or_else(|| format!("the table has no column `{name}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let csv = Csv::new("path, expected\na.aig,safe\n\nb.aig,\n");
        assert_eq!((csv.column("expected"), csv.column("depth")), (Some(1), None));
        assert_eq!(csv.rows, [["a.aig", "safe"], ["b.aig", ""]]);
        assert_eq!(csv.required("depth").unwrap_err(), "the table has no column `depth`");
        assert_eq!(Csv::new("").rows.len(), 0);
    }
}
