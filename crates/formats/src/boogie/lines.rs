//! Lines and columns of many places of one file.

use crate::Position;

pub(super) struct Lines {
    /// Where each line begins.
    starts: Vec<usize>,
}

impl Lines {
    pub fn new(source: &str) -> Self {
        let ends = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Lines { starts: [0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect() }
    }

    pub fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|&start| start <= at)
    }

    pub fn position(&self, at: usize) -> Position {
        let line = self.line(at);
        Position { line, column: at - self.starts[line - 1] + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_from_one() {
        let lines = Lines::new("ab\ncd\n");
        assert_eq!(lines.position(0), Position { line: 1, column: 1 });
        assert_eq!(lines.position(4), Position { line: 2, column: 2 });
    }
}
