//! Plain graphs: a line for each vertex, edge and output.

use std::fmt::Write as _;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Dag, Word, lines, shown};
use crate::Diagnostic;
use crate::names::escape;

/// Reads a plain graph.
pub fn read_graph(source: &[u8]) -> Result<Dag, Diagnostic> {
    let mut reader = Reader::default();
    for line in lines(source) {
        reader.line(&line)?;
    }
    reader.finish(source.len())
}

/// The graph as a file that [`read_graph`] reads; names are words without `#`.
pub fn write_graph(dag: &Dag) -> String {
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments| {
        text.write_fmt(line).expect("strings take any text");
    };
    for (index, name) in dag.vertices.iter().enumerate() {
        line(format_args!("n {index} {name}\n"));
    }
    for (from, to) in &dag.edges {
        line(format_args!("e {from} {to}\n"));
    }
    for output in &dag.outputs {
        line(format_args!("o {output}\n"));
    }
    text
}

/// What was read so far. Edges and outputs may come before their vertices, so
/// they are looked at in the end.
#[derive(Default)]
struct Reader {
    dag: Dag,
    names: FxHashSet<String>,
    edges: Vec<Edge>,
    outputs: Vec<Reference>,
}

/// A vertex as a line names it.
struct Reference {
    vertex: usize,
    span: Range<usize>,
}

struct Edge {
    from: Reference,
    to: Reference,
}

impl Edge {
    fn span(&self) -> Range<usize> {
        self.from.span.start..self.to.span.end
    }
}

impl Reader {
    fn line(&mut self, line: &[Word]) -> Result<(), Diagnostic> {
        let (keyword, operands) = line.split_first().expect("lines have a word");
        match keyword.bytes {
            b"n" => {
                let [index, name] = exactly(keyword, operands, "n INDEX NAME")?;
                self.vertex(index, name)?;
            }
            b"e" => {
                let [from, to] = exactly(keyword, operands, "e FROM TO")?;
                self.edges.push(Edge { from: reference(from)?, to: reference(to)? });
            }
            b"o" => {
                let [output] = exactly(keyword, operands, "o INDEX")?;
                self.outputs.push(reference(output)?);
            }
            _ => {
                keyword.text()?;
                let message = format!("unknown keyword {}", keyword.shown());
                return Err(keyword.error(message).with_help(
                    "lines are `n INDEX NAME`, `e FROM TO` or `o INDEX`; comments start with `#`",
                ));
            }
        }
        Ok(())
    }

    fn vertex(&mut self, index: &Word, name: &Word) -> Result<(), Diagnostic> {
        let number = index.number()?;
        let expected = self.dag.vertices.len();
        if number < expected {
            return Err(index.error(format!("vertex {number} is declared twice")));
        }
        if number > expected {
            return Err(index
                .error(format!("expected vertex {expected}, found vertex {number}"))
                .with_help("vertices are numbered 0, 1, 2, … in the order of the file"));
        }
        let text = name.text()?;
        if !self.names.insert(text.to_owned()) {
            return Err(name.error(format!("two vertices are named {}", name.shown())));
        }
        self.dag.vertices.push(escape(text).into_owned());
        Ok(())
    }

    fn finish(mut self, end: usize) -> Result<Dag, Diagnostic> {
        let mut seen = FxHashSet::default();
        for edge in &self.edges {
            let [from, to] = [self.known(&edge.from)?, self.known(&edge.to)?];
            if from == to {
                let name = shown(&self.dag.vertices[from]);
                return Err(Diagnostic::new(format!("an edge from {name} to itself"), edge.span()));
            }
            if !seen.insert((from, to)) {
                let message = format!("the edge from {from} to {to} is declared twice");
                return Err(Diagnostic::new(message, edge.span()));
            }
            self.dag.edges.push((from, to));
        }
        let mut seen = FxHashSet::default();
        for output in &self.outputs {
            let vertex = self.known(output)?;
            if !seen.insert(vertex) {
                let message = format!("output {vertex} is declared twice");
                return Err(Diagnostic::new(message, output.span.clone()));
            }
            self.dag.outputs.push(vertex);
        }
        if self.dag.outputs.is_empty() {
            return Err(Diagnostic::new("the graph has no output", end..end)
                .with_help("a line `o INDEX` names a vertex that must be pebbled in the end"));
        }
        match cycle(&self.dag) {
            Some(cycle) => Err(self.cyclic(&cycle)),
            None => Ok(self.dag),
        }
    }

    fn known(&self, reference: &Reference) -> Result<usize, Diagnostic> {
        let vertex = reference.vertex;
        if vertex < self.dag.vertices.len() {
            return Ok(vertex);
        }
        Err(Diagnostic::new(format!("there is no vertex {vertex}"), reference.span.clone())
            .with_help("a line `n INDEX NAME` declares a vertex"))
    }

    /// The error for a cycle, at its last edge in the file.
    fn cyclic(&self, cycle: &[usize]) -> Diagnostic {
        const SHOWN: usize = 6;
        let successors: FxHashMap<usize, usize> =
            cycle.iter().copied().zip(cycle.iter().copied().cycle().skip(1)).collect();
        let closing = |edge: &&Edge| successors.get(&edge.from.vertex) == Some(&edge.to.vertex);
        let last = self.edges.iter().rev().find(closing).expect("cycles are made of edges");
        let start = cycle.iter().position(|&vertex| vertex == last.to.vertex).unwrap_or(0);
        let name = |&vertex: &usize| shown(&self.dag.vertices[vertex]);
        let mut path: Vec<String> =
            cycle.iter().cycle().skip(start).take(cycle.len().min(SHOWN)).map(name).collect();
        if cycle.len() > SHOWN {
            path.push("…".into());
        }
        path.push(path[0].clone());
        let message = format!("the edges form a cycle: {}", path.join(" → "));
        Diagnostic::new(message, last.span())
    }
}

fn exactly<'w, 'a, const COUNT: usize>(
    keyword: &Word,
    operands: &'w [Word<'a>],
    shape: &str,
) -> Result<&'w [Word<'a>; COUNT], Diagnostic> {
    let help = || format!("the line should look like this: {shape}");
    if let Some(extra) = operands.get(COUNT) {
        return Err(extra.error(format!("unexpected {}", extra.shown())).with_help(help()));
    }
    let last = operands.last().unwrap_or(keyword);
    let missing = || last.error(format!("the line ends too early, after {}", last.shown()));
    operands.try_into().map_err(|_| missing().with_help(help()))
}

fn reference(word: &Word) -> Result<Reference, Diagnostic> {
    Ok(Reference { vertex: word.number()?, span: word.span.clone() })
}

/// The vertices of a cycle in its order, if there is one.
fn cycle(dag: &Dag) -> Option<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); dag.vertices.len()];
    for &(from, to) in &dag.edges {
        predecessors[to].push(from);
    }
    elinvar_ir::find_cycle(&predecessors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_are_read_and_written_back() {
        let source = "# a diamond\r\no 3\ne 0 1\nn 0 start\n\nn 1 left # here\n n 2\tright\n\
                      n 3 größe\ne 0 2\ne 1 3\ne 2 3";
        let dag = read_graph(source.as_bytes()).unwrap();
        assert_eq!(dag.vertices, ["start", "left", "right", "größe"]);
        assert_eq!(dag.edges, [(0, 1), (0, 2), (1, 3), (2, 3)]);
        assert_eq!(dag.outputs, [3]);
        assert_eq!(read_graph(write_graph(&dag).as_bytes()), Ok(dag));
    }

    #[test]
    fn comments_may_hold_any_bytes() {
        assert!(read_graph(b"# \xff\nn 0 a # \xfe\no 0").is_ok());
    }

    #[test]
    fn errors_point_at_the_word() {
        crate::annotated::check("graph.txt", read_graph);
    }

    #[test]
    fn names_are_text() {
        let error = read_graph(b"n 0 a\xffb\no 0").unwrap_err();
        assert_eq!((error.span, &*error.message), (5..6, "this is not UTF-8"));
        let error = read_graph(b"\xff 0").unwrap_err();
        assert_eq!((error.span, &*error.message), (0..1, "this is not UTF-8"));
    }
}
