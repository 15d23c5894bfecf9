//! Tables in files: a line a row, cells between commas, none within a cell. The first
//! line names the columns.

pub struct Csv<'a> {
    head: Vec<&'a str>,
    pub rows: Vec<Vec<&'a str>>,
}

impl<'a> Csv<'a> {
    /// Empty lines are no rows.
    pub fn new(text: &'a str) -> Self {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let mut rows = lines.map(|line| line.split(',').map(str::trim).collect());
        let head = rows.next().unwrap_or_default();
        Csv { head, rows: rows.collect() }
    }

    pub fn column(&self, name: &str) -> Option<usize> {
        self.head.iter().position(|&title| title == name)
    }

    /// A column that must be there.
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
