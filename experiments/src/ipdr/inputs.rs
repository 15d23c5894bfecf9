//! What is measured: graphs to pebble, and Peterson's algorithm.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use elinvar_formats::dag;
use elinvar_ir::PropertyId;
use elinvar_models::families::pebbling::{Game, GameError, LIMIT, chain, pebbling};
use elinvar_models::families::{Switches, peterson};
use elinvar_transform::Family;

use crate::harness::csv::Csv;

/// The table of known optima, in the folder of a graph or the one above.
const TABLE: &str = "expected.csv";

/// A family, its bounds, and the answer if it is known.
#[derive(Clone)]
pub struct Input {
    pub name: String,
    pub family: Family,
    pub range: RangeInclusive<u64>,
    pub expected: Option<Expected>,
}

/// The bound at which a property begins to fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expected {
    /// It holds under every bound.
    Never,
    Within(RangeInclusive<u64>),
}

/// Peterson's algorithm: of how many processes, with how many switches at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peterson {
    pub processes: u32,
    pub switches: u32,
}

impl FromStr for Peterson {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse().ok();
        let parts = text.split_once(':').and_then(|(a, b)| Some((number(a)?, number(b)?)));
        let (processes, switches) = parts.ok_or("write it as PROCESSES:SWITCHES, such as 3:4")?;
        Ok(Peterson { processes, switches })
    }
}

impl Peterson {
    pub fn name(self) -> String {
        format!("Peter({})", self.processes)
    }

    /// The instances with no switch up to all of them.
    pub fn input(self) -> Result<Input, String> {
        let switches = Switches::Limited { most: self.switches };
        let system = peterson(self.processes, switches).map_err(|error| error.to_string())?;
        let range = 0..=self.switches.into();
        let family = Family::new(system, "limit", PropertyId(0), range.clone())
            .map_err(|error| error.to_string())?;
        Ok(Input { name: self.name(), family, range, expected: Some(Expected::Never) })
    }
}

/// The instances of the game with as many pebbles as there are outputs up to as many as
/// there are vertices.
fn input(name: String, game: &Game, expected: Option<Expected>) -> Result<Input, String> {
    let range = game.outputs().len() as u64..=game.vertices() as u64;
    let family = Family::new(pebbling(game), LIMIT, PropertyId(0), range.clone())
        .map_err(|error| format!("{name}: {error}"))?;
    Ok(Input { name, family, range, expected })
}

/// The graphs of files and folders, or our own ones; the smallest first.
pub fn graphs(arguments: &[PathBuf]) -> Result<Vec<Input>, String> {
    let mut inputs = if arguments.is_empty() { own()? } else { Vec::new() };
    for argument in arguments {
        if argument.is_dir() {
            inputs.extend(of_folder(argument)?);
        } else {
            inputs.push(of_file(argument)?);
        }
    }
    inputs.sort_by(|a, b| (a.range.end(), &a.name).cmp(&(b.range.end(), &b.name)));
    Ok(inputs)
}

/// Chains, a tree, a pyramid, and the examples.
fn own() -> Result<Vec<Input>, String> {
    let message = |error: GameError| error.to_string();
    let mut inputs = Vec::new();
    for length in [4usize, 8, 12, 16] {
        let pebbles = u64::from(length.next_power_of_two().ilog2()) + 1;
        let expected = Expected::Within(pebbles..=pebbles);
        let game = chain(length).map_err(message)?;
        inputs.push(input(format!("chain{length}"), &game, Some(expected))?);
    }
    inputs.push(input("tree5".into(), &tree(5).map_err(message)?, None)?);
    inputs.push(input("pyramid6".into(), &pyramid(6).map_err(message)?, None)?);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(""));
    inputs.extend(of_folder(&root.join("examples"))?);
    Ok(inputs)
}

/// A complete binary tree, computed from its leaves to its root.
fn tree(levels: u32) -> Result<Game, GameError> {
    let count = (1 << levels) - 1;
    // The root is number 0, the children of v are 2v + 1 and 2v + 2.
    let edges = (1..count).map(|vertex| (vertex, (vertex - 1) / 2));
    Game::new((0..count).map(|vertex| format!("v{vertex}")).collect(), edges, [0])
}

/// Rows of vertices, each row one shorter than the one before; a vertex is computed
/// from the two below it.
fn pyramid(rows: usize) -> Result<Game, GameError> {
    let place = |row: usize, column: usize| row * (row + 1) / 2 + column;
    let vertices = || (0..rows).flat_map(|row| (0..=row).map(move |column| (row, column)));
    let below = |(row, column)| {
        [column, column + 1].map(|child| (place(row + 1, child), place(row, column)))
    };
    let edges = vertices().filter(|&(row, _)| row + 1 < rows).flat_map(below);
    let names = vertices().map(|(row, column)| format!("v{row}_{column}")).collect();
    Game::new(names, edges, [0])
}

/// All graphs in a folder.
fn of_folder(folder: &Path) -> Result<Vec<Input>, String> {
    let complaint = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(complaint)? {
        let file = entry.map_err(complaint)?.path();
        if file.extension().is_some_and(|ending| ending == "dag" || ending == "tfc") {
            files.push(file);
        }
    }
    if files.is_empty() {
        return Err(format!("{} has no graphs (.dag, .tfc)", folder.display()));
    }
    files.iter().map(|file| of_file(file)).collect()
}

fn of_file(file: &Path) -> Result<Input, String> {
    let complaint = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let source = std::fs::read(file).map_err(|error| complaint(&error))?;
    let graph = dag::read(&source).map_err(|error| complaint(&error))?;
    let game = Game::new(graph.vertices, graph.edges, graph.outputs);
    let game = game.map_err(|error| complaint(&error))?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let expected = known(file, &name)?;
    input(name, &game, expected)
}

/// What the table says of a graph, if there is a table.
fn known(file: &Path, graph: &str) -> Result<Option<Expected>, String> {
    let folders = file.ancestors().skip(1).take(2);
    let Some(table) = folders.map(|folder| folder.join(TABLE)).find(|table| table.is_file()) else {
        return Ok(None);
    };
    let complaint = |error: &dyn std::fmt::Display| format!("{}: {error}", table.display());
    let text = std::fs::read_to_string(&table).map_err(|error| complaint(&error))?;
    of_table(&text, graph).map_err(|error| complaint(&error))
}

/// The column `optimum` in the row whose `graph` it is: a number, or a range `a..b`
/// that includes both.
fn of_table(text: &str, graph: &str) -> Result<Option<Expected>, String> {
    let table = Csv::new(text);
    let (name, optimum) = (table.required("graph")?, table.required("optimum")?);
    let row = table.rows.iter().find(|row| row.get(name) == Some(&graph));
    let Some(cell) = row.and_then(|row| row.get(optimum)) else { return Ok(None) };
    let (low, high) = cell.split_once("..").unwrap_or((cell, cell));
    match (low.parse(), high.parse()) {
        (Ok(low), Ok(high)) => Ok(Some(Expected::Within(low..=high))),
        _ => Err(format!("the optimum `{cell}` of {graph} is neither a number nor a range a..b")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_graphs_are_there_in_order_of_size() {
        let inputs = graphs(&[]).unwrap();
        let names: Vec<&str> = inputs.iter().map(|input| &input.name[..]).collect();
        let own = ["chain4", "chain16", "tree5", "pyramid6", "pebble_chain", "adder"];
        assert!(own.iter().all(|name| names.contains(name)), "{names:?}");
        assert!(inputs.is_sorted_by_key(|input| *input.range.end()));
        let chain = inputs.iter().find(|input| input.name == "chain12").unwrap();
        assert_eq!((chain.range.clone(), &chain.expected), (1..=12, &within(5, 5)));
    }

    fn within(low: u64, high: u64) -> Option<Expected> {
        Some(Expected::Within(low..=high))
    }

    #[test]
    fn a_tree_and_a_pyramid() {
        let tree = tree(3).unwrap();
        assert_eq!((tree.vertices(), tree.predecessors(0)), (7, &[1, 2][..]));
        assert!(tree.predecessors(3).is_empty());
        let pyramid = pyramid(3).unwrap();
        assert_eq!(pyramid.names()[4], "v2_1");
        assert_eq!((pyramid.predecessors(1), pyramid.predecessors(2)), (&[3, 4][..], &[4, 5][..]));
    }

    #[test]
    fn a_table_beside_a_graph_or_above_tells_its_optimum() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("graphs");
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(inner.join("two.dag"), "n 0 a\nn 1 b\ne 0 1\no 1\n").unwrap();
        assert_eq!(graphs(std::slice::from_ref(&inner)).unwrap()[0].expected, None);
        std::fs::write(folder.path().join(TABLE), "graph,optimum\ntwo,2\n").unwrap();
        assert_eq!(graphs(std::slice::from_ref(&inner)).unwrap()[0].expected, within(2, 2));
        std::fs::write(inner.join(TABLE), "set,graph,optimum\nx,one,7\nx,two,1..4\n").unwrap();
        assert_eq!(graphs(&[inner]).unwrap()[0].expected, within(1, 4));
    }

    #[test]
    fn what_is_no_input_is_refused() {
        let error = of_table("graph,optimum\ntwo,few\n", "two").unwrap_err();
        assert_eq!(error, "the optimum `few` of two is neither a number nor a range a..b");
        assert_eq!(of_table("graph\n", "two").unwrap_err(), "the table has no column `optimum`");
        assert_eq!(of_table("graph,optimum\n", "two"), Ok(None));
        let folder = tempfile::tempdir().unwrap();
        let error = graphs(&[folder.path().to_owned()]).err().unwrap();
        assert!(error.ends_with("has no graphs (.dag, .tfc)"), "{error}");
        assert_eq!("3:4".parse(), Ok(Peterson { processes: 3, switches: 4 }));
        assert!("3".parse::<Peterson>().is_err() && "3:x".parse::<Peterson>().is_err());
        assert!(Peterson { processes: 1, switches: 1 }.input().is_err());
    }
}
