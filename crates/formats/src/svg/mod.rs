//! Drawings, as SVG that needs nothing else.

mod layout;
mod page;

use layout::{layers, untangle};
use page::{Escaped, MARGIN, Page};

use crate::dag::Dag;

/// A graph and a way to pebble it, step by step.
///
/// On the left the graph, in layers by the longest path from a source. On the
/// right its configurations: drawn one by one if they are few and small, else as
/// a chart with a row for each vertex and a column for each configuration.
/// `steps` has a bit for each vertex in every configuration; without steps there
/// is the graph alone.
pub fn pebbling(dag: &Dag, steps: &[Vec<bool>]) -> String {
    let board = Board::new(dag);
    let (left, top) = (2 * MARGIN, 3 * MARGIN);
    let graph = board.size(Scale::Large);
    let right = left + graph.0 + 2 * MARGIN;
    let few = steps.len() <= FEW_STEPS && dag.vertices.len() <= FEW_VERTICES;
    let mut page = Page::default();
    page.group(left, top, |page| board.graph(page));
    let moves = match (steps.is_empty(), few) {
        (true, _) => (0, 0),
        (false, true) => page.group(right, top, |page| board.strip(page, steps)),
        (false, false) => page.group(right, top, |page| board.chart(page, steps)),
    };
    let most = steps.iter().map(|step| pebbles(step)).max();
    let size = (right + moves.0 + 2 * MARGIN, top + graph.1.max(moves.1) + 3 * MARGIN);
    page.finish(size, &title(dag, steps.len(), most))
}

/// Up to these sizes configurations are drawn one by one.
const FEW_STEPS: usize = 32;
const FEW_VERTICES: usize = 24;
/// How wide the configurations may get before they go on below.
const STRIP_WIDTH: i64 = 960;
/// Height of a vertex in the graph, and of a row in the chart.
const ROW: i64 = 20;
/// Width of a column in the chart.
const COLUMN: i64 = 18;
/// Width of a letter.
const LETTER: i64 = 8;
/// Names are cut to this many letters.
const LONGEST_NAME: usize = 12;

/// How a graph is drawn: with names, or as one of many.
#[derive(Clone, Copy)]
enum Scale {
    Large,
    Small,
}

/// Where a vertex is: its half column and its layer.
#[derive(Clone, Copy, Default)]
struct Place {
    half_column: usize,
    layer: usize,
}

struct Board<'a> {
    dag: &'a Dag,
    places: Vec<Place>,
    /// The largest number of vertices in a layer.
    columns: usize,
    layers: usize,
    /// The vertices by layer, from left to right.
    order: Vec<usize>,
    /// The edge over most layers.
    longest: Option<(usize, usize)>,
    /// The letters of the longest name, as shown.
    letters: usize,
}

impl<'a> Board<'a> {
    fn new(dag: &'a Dag) -> Self {
        let mut layers = layers(dag);
        untangle(dag, &mut layers);
        let columns = layers.iter().map(Vec::len).max().unwrap_or(0);
        let mut places = vec![Place::default(); dag.vertices.len()];
        for (layer, vertices) in layers.iter().enumerate() {
            for (at, &vertex) in vertices.iter().enumerate() {
                places[vertex] = Place { half_column: columns - vertices.len() + 2 * at, layer };
            }
        }
        let letters = dag.vertices.iter().map(|name| name.chars().count().min(LONGEST_NAME)).max();
        let span =
            |&(from, to): &(usize, usize)| places[to].layer.saturating_sub(places[from].layer);
        Board {
            dag,
            columns,
            layers: layers.len(),
            order: layers.concat(),
            longest: dag.edges.iter().copied().max_by_key(span),
            letters: letters.unwrap_or(0),
            places,
        }
    }

    /// Width and height of a vertex.
    fn vertex_size(&self, scale: Scale) -> (i64, i64) {
        match scale {
            Scale::Large => (self.letters as i64 * LETTER + 16, ROW),
            Scale::Small => (10, 10),
        }
    }

    /// Width and height of the room for a vertex.
    fn cell(&self, scale: Scale) -> (i64, i64) {
        let (width, height) = self.vertex_size(scale);
        match scale {
            Scale::Large => (width + 24, height + 30),
            Scale::Small => (width + 10, height + 10),
        }
    }

    fn size(&self, scale: Scale) -> (i64, i64) {
        let (width, height) = self.cell(scale);
        (self.columns as i64 * width + 2 * self.side(scale), self.layers as i64 * height)
    }

    /// How far an edge that passes by layers bends aside; the longer, the farther.
    fn bend(&self, (from, to): (usize, usize), scale: Scale) -> i64 {
        let apart = self.places[to].layer.saturating_sub(self.places[from].layer);
        let part = match apart {
            0 | 1 => 0,
            apart => 3 + apart.min(6) as i64,
        };
        part * self.cell(scale).0 / 6
    }

    /// The room on either side for the edges that bend aside: curves get three
    /// quarters of the way to their control points.
    fn side(&self, scale: Scale) -> i64 {
        self.longest.map_or(0, |edge| self.bend(edge, scale) * 3 / 4)
    }

    /// The middle of a vertex.
    fn middle(&self, vertex: usize, scale: Scale) -> (i64, i64) {
        let (width, height) = self.cell(scale);
        let Place { half_column, layer } = self.places[vertex];
        let left = self.side(scale);
        (left + (half_column as i64 + 1) * width / 2, layer as i64 * height + height / 2)
    }

    fn is_output(&self, vertex: usize) -> bool {
        self.dag.outputs.contains(&vertex)
    }

    fn graph(&self, page: &mut Page) {
        page.line(format_args!("<g class=\"large\">"));
        self.edges(page, Scale::Large);
        page.line(format_args!("</g>"));
        let (width, height) = self.vertex_size(Scale::Large);
        for (vertex, name) in self.dag.vertices.iter().enumerate() {
            let (x, y) = self.middle(vertex, Scale::Large);
            let class = if self.is_output(vertex) { "vertex output" } else { "vertex" };
            page.line(format_args!(
                "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" \
                 rx=\"10\"><title>{}</title></rect>",
                x - width / 2,
                y - height / 2,
                Escaped(name)
            ));
            page.text("middle", x, y + 4, cut(name));
        }
    }

    /// Edges that pass by layers bend aside, longer ones more, to either side in turn.
    fn edges(&self, page: &mut Page, scale: Scale) {
        let (_, height) = self.cell(scale);
        let half = self.vertex_size(scale).1 / 2;
        for &(from, to) in &self.dag.edges {
            let [start, end] = [from, to].map(|vertex| self.middle(vertex, scale));
            let (start, end) = ((start.0, start.1 + half), (end.0, end.1 - half));
            let side = if (from + to) % 2 == 0 { 1 } else { -1 };
            let bend = side * self.bend((from, to), scale);
            page.line(format_args!(
                "<path class=\"edge\" d=\"M{} {}C{} {} {} {} {} {}\"/>",
                start.0,
                start.1,
                start.0 + bend,
                start.1 + height / 2,
                end.0 + bend,
                end.1 - height / 2,
                end.0,
                end.1
            ));
        }
    }

    /// The configurations one by one; answers its size.
    fn strip(&self, page: &mut Page, steps: &[Vec<bool>]) -> (i64, i64) {
        let (width, height) = self.size(Scale::Small);
        let frame = (width.max(11 * LETTER) + MARGIN, height + MARGIN + ROW);
        let across = (STRIP_WIDTH / (frame.0 + MARGIN)).max(1).min(steps.len() as i64);
        page.line(format_args!("<defs><g id=\"edges\">"));
        self.edges(page, Scale::Small);
        page.line(format_args!("</g></defs>"));
        for (step, configuration) in (0..).zip(steps) {
            let left = step % across * (frame.0 + MARGIN);
            let top = step / across * (frame.1 + MARGIN);
            let before = usize::try_from(step - 1).ok().map(|before| &*steps[before]);
            page.group(left, top, |page| {
                page.rect("frame", (0, 0), frame);
                let caption =
                    format!("{step}: {}", counted(pebbles(configuration), "pebble", "pebbles"));
                page.text("small", MARGIN / 2, ROW - 6, caption);
                page.group((frame.0 - width) / 2, ROW, |page| {
                    page.line(format_args!("<use href=\"#edges\"/>"));
                    self.configuration(page, before, configuration);
                });
            });
        }
        let rows = (steps.len() as i64 + across - 1) / across;
        (across * (frame.0 + MARGIN), rows * (frame.1 + MARGIN))
    }

    fn configuration(&self, page: &mut Page, before: Option<&[bool]>, now: &[bool]) {
        for (vertex, name) in self.dag.vertices.iter().enumerate() {
            let on = pebbled(now, vertex);
            let was = before.map_or(on, |before| pebbled(before, vertex));
            let mut class = String::from("vertex");
            class.push_str(if on { " on" } else { "" });
            class.push_str(match (was, on) {
                (false, true) => " placed",
                (true, false) => " taken",
                (false, false) | (true, true) => "",
            });
            let (x, y) = self.middle(vertex, Scale::Small);
            page.line(format_args!(
                "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"5\"><title>{}</title></circle>",
                Escaped(name)
            ));
        }
    }

    /// A row for each vertex, a column for each configuration; answers its size.
    fn chart(&self, page: &mut Page, steps: &[Vec<bool>]) -> (i64, i64) {
        let names = (self.letters.max("pebbles".len()) as i64 + 1) * LETTER;
        let width = steps.len() as i64 * COLUMN;
        let rows = self.order.len() as i64;
        let most = steps.iter().map(|step| pebbles(step)).max();
        // Numbers of three digits have no room in every column.
        let every = if steps.len() > 100 { 5 } else { 1 };
        page.text("small end", names - LETTER, ROW - 6, "step");
        page.text("small end", names - LETTER, (rows + 2) * ROW - 6, "pebbles");
        for (column, configuration) in (0..).zip(steps) {
            let middle = names + column * COLUMN + COLUMN / 2;
            let count = pebbles(configuration);
            let class = if Some(count) == most { "small middle most" } else { "small middle" };
            if column % every == 0 {
                page.text("small middle", middle, ROW - 6, column);
            }
            page.text(class, middle, (rows + 2) * ROW - 6, count);
        }
        for (row, &vertex) in (1..).zip(&self.order) {
            let name = &self.dag.vertices[vertex];
            let class = if self.is_output(vertex) { "end most" } else { "end" };
            let bottom = (row + 1) * ROW;
            page.text(class, names - LETTER, bottom - 6, cut(name));
            page.line(format_args!(
                "<path class=\"line\" d=\"M{names} {bottom}h{width}\"><title>{}</title></path>",
                Escaped(name)
            ));
            page.group(names, row * ROW, |page| bars(page, steps, vertex));
        }
        (names + width, (rows + 2) * ROW)
    }
}

/// When a vertex is pebbled, with the moves at both ends.
fn bars(page: &mut Page, steps: &[Vec<bool>], vertex: usize) {
    let mut start = 0;
    for run in steps.chunk_by(|a, b| pebbled(a, vertex) == pebbled(b, vertex)) {
        let left = start as i64 * COLUMN;
        let (baseline, middle) = (ROW - 6, left + COLUMN / 2);
        if pebbled(&run[0], vertex) {
            page.rect("on", (left, 3), (run.len() as i64 * COLUMN, ROW - 6));
            page.text("plus middle", middle, baseline, '+');
        } else if start > 0 {
            page.text("minus middle", middle, baseline, '\u{2212}');
        }
        start += run.len();
    }
}

fn pebbled(configuration: &[bool], vertex: usize) -> bool {
    configuration.get(vertex).copied().unwrap_or(false)
}

fn pebbles(configuration: &[bool]) -> usize {
    configuration.iter().filter(|&&pebbled| pebbled).count()
}

/// A number of things, with the plural where it belongs.
fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn title(dag: &Dag, configurations: usize, most: Option<usize>) -> String {
    let vertices = counted(dag.vertices.len(), "vertex", "vertices");
    let edges = counted(dag.edges.len(), "edge", "edges");
    let outputs = counted(dag.outputs.len(), "output", "outputs");
    let graph = format!("{vertices}, {edges}, {outputs}");
    match most {
        Some(most) => {
            let pebbles = counted(most, "pebble", "pebbles");
            let steps = counted(configurations - 1, "step", "steps");
            format!("{graph}: {pebbles} in {steps}")
        }
        None => graph,
    }
}

/// A name as it is drawn.
fn cut(name: &str) -> String {
    match name.chars().count() > LONGEST_NAME {
        true => name.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(length: usize) -> Dag {
        Dag {
            vertices: (0..length).map(|vertex| format!("v{vertex}")).collect(),
            edges: (1..length).map(|vertex| (vertex - 1, vertex)).collect(),
            outputs: vec![length - 1],
        }
    }

    /// Asserts that every element is closed and nothing is left unescaped.
    #[track_caller]
    fn assert_well_formed(svg: &str) {
        let mut open = Vec::new();
        for piece in svg.split('<').skip(1) {
            let (tag, text) = piece.split_once('>').expect("tags end");
            assert!(!text.contains('>'), "{piece}");
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
            assert_eq!(tag.matches('"').count() % 2, 0, "{piece}");
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "{piece}");
            } else if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert_eq!(open, [""; 0]);
        assert!(svg.starts_with("<svg xmlns"));
    }

    fn steps(text: &str) -> Vec<Vec<bool>> {
        text.split(' ').map(|word| word.chars().map(|c| c == '#').collect()).collect()
    }

    #[test]
    fn few_configurations_are_drawn_one_by_one() {
        let svg = pebbling(&chain(2), &steps(".. #. ## .#"));
        assert_well_formed(&svg);
        assert_eq!(svg.matches("<use href=\"#edges\"/>").count(), 4);
        assert_eq!(svg.matches("vertex on").count(), 4);
        assert_eq!(svg.matches("vertex on placed").count(), 2);
        assert_eq!(svg.matches("vertex taken").count(), 1);
        assert!(svg.contains("2 vertices, 1 edge, 1 output: 2 pebbles in 3 steps"));
        assert!(svg.contains(">2: 2 pebbles<"));
    }

    #[test]
    fn many_configurations_are_a_chart() {
        let mut all = steps(".. #. ## .#");
        for _ in 0..FEW_STEPS {
            all.push(vec![false, true]);
        }
        let svg = pebbling(&chain(2), &all);
        assert_well_formed(&svg);
        // Two bars with their beginnings, and one end.
        assert_eq!(svg.matches("class=\"on\"").count(), 2);
        assert_eq!(svg.matches(">+<").count(), 2);
        assert_eq!(svg.matches(">\u{2212}<").count(), 1);
        assert!(svg.contains(&format!("width=\"{}\"", (all.len() as i64 - 2) * COLUMN)));
    }

    #[test]
    fn the_graph_alone() {
        let svg = pebbling(&chain(3), &[]);
        assert_well_formed(&svg);
        assert!(svg.contains(">3 vertices, 2 edges, 1 output<"));
        assert_eq!(svg.matches("class=\"edge\"").count(), 2);
        assert_eq!(svg.matches("vertex output").count(), 1);
        assert_well_formed(&pebbling(&Dag::default(), &[]));
    }

    #[test]
    fn names_are_escaped_and_cut() {
        let mut dag = chain(1);
        dag.vertices[0] = "<a>&\"\u{1}".repeat(4);
        let svg = pebbling(&dag, &steps(". #"));
        assert_well_formed(&svg);
        assert!(svg.contains("&lt;a&gt;&amp;&quot;\u{fffd}&lt;"));
        assert!(svg.contains("…</text>"));
    }
}
