//! Cycles of directed graphs.

/// The vertices of a cycle in the order of its edges, if there is one. A graph is given by the
/// predecessors of each vertex.
pub fn find_cycle(predecessors: &[Vec<usize>]) -> Option<Vec<usize>> {
    let count = predecessors.len();
    let waiting = waiting(predecessors);
    let mut vertex = (0..count).find(|&vertex| waiting[vertex] > 0)?;
    let mut path = Vec::new();
    let mut place = vec![None; count];
    while place[vertex].is_none() {
        place[vertex] = Some(path.len());
        path.push(vertex);
        let remains = |&&predecessor: &&usize| waiting[predecessor] > 0;
        vertex = *predecessors[vertex].iter().find(remains).expect("one of them remains");
    }
    let mut cycle = path.split_off(place[vertex].expect("the search came back to it"));
    cycle.reverse();
    Some(cycle)
}

/// Removes vertices without predecessors until none is left. The result is the number of
/// remaining predecessors of each vertex: zero for the removed vertices, and only for these.
fn waiting(predecessors: &[Vec<usize>]) -> Vec<usize> {
    let mut successors = vec![Vec::new(); predecessors.len()];
    for (vertex, before) in predecessors.iter().enumerate() {
        for &predecessor in before {
            successors[predecessor].push(vertex);
        }
    }
    let mut waiting: Vec<usize> = predecessors.iter().map(Vec::len).collect();
    let mut ready: Vec<usize> = (0..waiting.len()).filter(|&vertex| waiting[vertex] == 0).collect();
    while let Some(vertex) = ready.pop() {
        for &successor in &successors[vertex] {
            waiting[successor] -= 1;
            if waiting[successor] == 0 {
                ready.push(successor);
            }
        }
    }
    waiting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found_and_only_cycles() {
        let find = |predecessors: &[&[usize]]| {
            find_cycle(&predecessors.iter().map(|list| list.to_vec()).collect::<Vec<_>>())
        };
        assert_eq!(find(&[]), None);
        assert_eq!(find(&[&[], &[0, 0], &[0, 1]]), None);
        assert_eq!(find(&[&[0]]), Some(vec![0]));
        // 0 → 1 → 2 → 3 → 1, and 3 → 4.
        let cycle = find(&[&[], &[0, 3], &[1], &[2], &[3]]).unwrap();
        assert!([[1, 2, 3], [2, 3, 1], [3, 1, 2]].contains(&cycle[..].try_into().unwrap()));
    }
}
