//! Proof obligations: states that lead to a bad one, to be blocked at a level.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::cube::Cube;

/// All states of the cube reach a bad state: with this choice of inputs the next
/// state lies in the cube of the successor, or is bad itself when there is none.
#[derive(Debug)]
pub(crate) struct Obligation<A, C> {
    pub cube: Cube<A>,
    pub choice: C,
    pub successor: Option<Rc<Obligation<A, C>>>,
    /// Steps to the bad state.
    pub depth: usize,
    /// Which property is violated in the end.
    pub property: usize,
    /// How often it was worked on.
    pub times: Cell<u32>,
}

impl<A, C> Obligation<A, C> {
    /// States that are bad with this choice of inputs.
    pub fn bad(cube: Cube<A>, choice: C, property: usize) -> Self {
        Obligation { cube, choice, successor: None, depth: 0, property, times: Cell::new(0) }
    }

    /// States that lead into those of `successor` with this choice of inputs.
    pub fn before(cube: Cube<A>, choice: C, successor: &Rc<Self>) -> Self {
        Obligation {
            cube,
            choice,
            depth: successor.depth + 1,
            property: successor.property,
            successor: Some(Rc::clone(successor)),
            times: Cell::new(0),
        }
    }
}

impl<A, C> Drop for Obligation<A, C> {
    /// One by one: chains can be longer than the stack is deep.
    fn drop(&mut self) {
        let mut successor = self.successor.take();
        while let Some(mut inner) = successor.and_then(Rc::into_inner) {
            successor = inner.successor.take();
        }
    }
}

/// An obligation at a level.
pub(crate) struct Task<A, C> {
    pub level: usize,
    pub obligation: Rc<Obligation<A, C>>,
    /// How often it was worked on, halved (almost) when it moves up.
    pub activity: f32,
    number: u64,
}

impl<A, C> Task<A, C> {
    fn key(&self) -> (usize, usize, usize, u64) {
        let obligation = &self.obligation;
        (self.level, usize::MAX - obligation.depth, obligation.cube.len(), self.number)
    }
}

impl<A, C> PartialEq for Task<A, C> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<A, C> Eq for Task<A, C> {}

impl<A, C> PartialOrd for Task<A, C> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<A, C> Ord for Task<A, C> {
    /// The heap gives the greatest first. Required: the lowest level first.
    /// Heuristic: then what is deepest, then what is largest as a set.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

/// The obligations to be met, the next one first.
pub(crate) struct Queue<A, C> {
    heap: BinaryHeap<Task<A, C>>,
    number: u64,
}

impl<A, C> Queue<A, C> {
    pub fn new() -> Self {
        Queue { heap: BinaryHeap::new(), number: 0 }
    }

    pub fn push(&mut self, level: usize, obligation: Rc<Obligation<A, C>>, activity: f32) {
        self.number += 1;
        self.heap.push(Task { level, obligation, activity, number: self.number });
    }

    /// The next task at `level` or below.
    pub fn pop(&mut self, level: usize) -> Option<Task<A, C>> {
        (self.heap.peek()?.level <= level).then(|| self.heap.pop()).flatten()
    }

    pub fn len(&self) -> usize {
        self.heap.len()
    }

    pub fn retain(&mut self, keep: impl Fn(&Obligation<A, C>) -> bool) {
        self.heap.retain(|task| keep(&task.obligation));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Plain = Obligation<u32, ()>;

    fn obligation(atoms: Vec<u32>, successor: Option<Rc<Plain>>) -> Rc<Plain> {
        let cube = Cube::new(atoms);
        Rc::new(match successor {
            None => Obligation::bad(cube, (), 0),
            Some(successor) => Obligation::before(cube, (), &successor),
        })
    }

    #[test]
    fn low_levels_come_first_then_deep_ones_then_small_cubes() {
        let shallow = obligation(vec![1], None);
        let deep = obligation(vec![1, 2], Some(Rc::clone(&shallow)));
        let mut queue = Queue::new();
        queue.push(2, obligation(vec![3, 4], None), 0.0);
        queue.push(2, shallow, 0.0);
        queue.push(2, deep, 0.0);
        queue.push(1, obligation(vec![5, 6, 7], None), 0.0);
        queue.push(3, obligation(vec![8], None), 0.0);
        let order: Vec<u32> = std::iter::from_fn(|| queue.pop(2))
            .map(|task| *task.obligation.cube.atoms().last().unwrap())
            .collect();
        assert_eq!(order, [7, 2, 1, 4]);
        assert_eq!(queue.len(), 1, "what is above the level waits");
    }

    #[test]
    fn long_chains_are_dropped_without_recursion() {
        let mut chain = None;
        for _ in 0..1_000_000 {
            chain = Some(obligation(vec![1], chain));
        }
        assert_eq!(chain.map(|last| last.depth), Some(999_999));
    }
}
