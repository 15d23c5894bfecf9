//! Where the vertices of a graph are drawn.

use crate::dag::Dag;

/// The vertices by the length of the longest path to them.
pub(super) fn layers(dag: &Dag) -> Vec<Vec<usize>> {
    let count = dag.vertices.len();
    let mut waiting = vec![0usize; count];
    let mut successors = vec![Vec::new(); count];
    for &(from, to) in &dag.edges {
        waiting[to] += 1;
        successors[from].push(to);
    }
    let mut layers: Vec<Vec<usize>> = Vec::new();
    let mut layer: Vec<usize> = (0..count).filter(|&vertex| waiting[vertex] == 0).collect();
    while !layer.is_empty() {
        let mut next = Vec::new();
        for successor in layer.iter().flat_map(|&vertex| &successors[vertex]) {
            waiting[*successor] -= 1;
            if waiting[*successor] == 0 {
                next.push(*successor);
            }
        }
        layers.push(std::mem::replace(&mut layer, next));
    }
    layers
}

/// Puts the vertices of each layer near the middle of their neighbours [Sugiyama,
/// Tagawa, Toda 1981], a few times down and up.
pub(super) fn untangle(dag: &Dag, layers: &mut [Vec<usize>]) {
    const SWEEPS: usize = 4;
    let mut above = vec![Vec::new(); dag.vertices.len()];
    let mut below = above.clone();
    for &(from, to) in &dag.edges {
        above[to].push(from);
        below[from].push(to);
    }
    // Places between 0 and 1, so that layers of any width can be compared.
    let mut place = vec![0.5; dag.vertices.len()];
    let spread = |layer: &[usize], place: &mut Vec<f64>| {
        for (at, &vertex) in layer.iter().enumerate() {
            place[vertex] = (at as f64 + 0.5) / layer.len() as f64;
        }
    };
    layers.iter().for_each(|layer| spread(layer, &mut place));
    for sweep in 0..2 * SWEEPS {
        let down = sweep % 2 == 0;
        let neighbours = if down { &above } else { &below };
        for step in 0..layers.len() {
            let layer = if down { step } else { layers.len() - 1 - step };
            let middle = |vertex: &usize| match &neighbours[*vertex][..] {
                [] => place[*vertex],
                list => list.iter().map(|&near| place[near]).sum::<f64>() / list.len() as f64,
            };
            layers[layer].sort_by(|a, b| middle(a).total_cmp(&middle(b)));
            spread(&layers[layer], &mut place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_follow_the_longest_path() {
        let edges = vec![(0, 1), (1, 2), (0, 2), (3, 2)];
        let dag = Dag { vertices: vec![String::new(); 5], edges, outputs: vec![2] };
        assert_eq!(layers(&dag), [vec![0, 3, 4], vec![1], vec![2]]);
    }

    #[test]
    fn crossed_edges_are_untangled() {
        let edges = vec![(0, 3), (1, 2)];
        let dag = Dag { vertices: vec![String::new(); 4], edges, outputs: vec![2] };
        let mut layers = vec![vec![0, 1], vec![2, 3]];
        untangle(&dag, &mut layers);
        assert_eq!(layers[0] == [0, 1], layers[1] == [3, 2]);
    }
}
