//! Dependency cycles: strongly connected components [Tarjan 1972].

/// The components of a graph, each before those that point to it.
pub(super) fn components(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let count = successors.len();
    let mut number = vec![UNSEEN; count];
    let mut low = vec![UNSEEN; count];
    let mut is_open = vec![false; count];
    let (mut open, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..count {
        if number[root] != UNSEEN {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((at, child)) = path.last_mut() {
            let at = *at;
            if number[at] == UNSEEN {
                (number[at], low[at], is_open[at]) = (next, next, true);
                next += 1;
                open.push(at);
            }
            if let Some(&to) = successors[at].get(*child) {
                *child += 1;
                if number[to] == UNSEEN {
                    path.push((to, 0));
                } else if is_open[to] {
                    low[at] = low[at].min(number[to]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[at]);
            }
            if low[at] == number[at] {
                let from = open.iter().rposition(|&node| node == at).expect("it was opened");
                let component: Vec<usize> = open.drain(from..).collect();
                component.iter().for_each(|&node| is_open[node] = false);
                found.push(component);
            }
        }
    }
    found
}

/// Is the component a cycle, or a node that points to itself?
pub(super) fn is_cycle(component: &[usize], successors: &[Vec<usize>]) -> bool {
    component.len() > 1 || successors[component[0]].contains(&component[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callees_come_first_and_cycles_are_together() {
        // 0 → 1 → 2 ⇄ 3, 4 → 4, 1 → 4
        let graph = [vec![1], vec![2, 4], vec![3], vec![2], vec![4]];
        let mut found = components(&graph);
        found.iter_mut().for_each(|component| component.sort_unstable());
        assert_eq!(found, [vec![2, 3], vec![4], vec![1], vec![0]]);
        let cycles: Vec<bool> = found.iter().map(|c| is_cycle(c, &graph)).collect();
        assert_eq!(cycles, [true, true, false, false]);
    }

    #[test]
    fn long_chains_need_no_stack() {
        let graph: Vec<Vec<usize>> =
            (0..100_000).map(|at| if at < 99_999 { vec![at + 1] } else { vec![] }).collect();
        assert_eq!(components(&graph)[0], [99_999]);
    }
}
