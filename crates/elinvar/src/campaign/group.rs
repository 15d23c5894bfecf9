//! Groups of properties that share logic.
//!
//! One task decides the properties of a group: the bits of the model are prepared once for all of
//! them, and the lemmas of one property help the others. That pays if the properties depend on
//! common states, so a property joins a group if at least half of its states, or of those of the
//! group if it has fewer, are common to both. The states of a group are at most four times those of
//! its largest member, so that no property waits for much that it does not depend on.

use std::collections::BTreeMap;

use elinvar_ir::{Goal, PropertyId, TransitionSystem};

use crate::problem::Problem;

/// The part of the states that must be common.
const COMMON: f64 = 0.5;
/// How many times the states of its largest member a group may have.
const GROWTH: u32 = 4;

/// The groups of some properties, each with at most so many of them. The properties of a group
/// are in the order of the sizes of their cones, so that what is small comes first.
pub(crate) fn groups(problem: &Problem, properties: &[PropertyId], most: usize) -> Vec<Vec<usize>> {
    let most = most.max(1);
    match problem {
        Problem::Program(_) => {
            properties.chunks(most).map(|chunk| chunk.iter().map(|id| id.0).collect()).collect()
        }
        Problem::System(problem) => of_system(problem.system(), properties, most),
    }
}

/// A group as it grows.
struct Group {
    class: Class,
    states: Vec<u64>,
    count: u32,
    /// The number of states of the largest member.
    largest: u32,
    members: Vec<usize>,
}

/// What is never in the same group: other engines decide it, or it is expected to fail.
type Class = (bool, bool);

fn of_system(system: &TransitionSystem, properties: &[PropertyId], most: usize) -> Vec<Vec<usize>> {
    let mut cones: Vec<(u32, usize, Vec<u64>)> = (properties.iter())
        .map(|&id| {
            let states = cone(system, id);
            (states.iter().map(|word| word.count_ones()).sum(), id.0, states)
        })
        .collect();
    cones.sort_by_key(|&(size, id, _)| (size, id));
    let mut groups: Vec<Group> = Vec::new();
    // Most properties have the same cone as others.
    let mut open: BTreeMap<(Class, Vec<u64>), usize> = BTreeMap::new();
    for (size, id, states) in cones {
        let property = system.property(PropertyId(id));
        let class = (system.bad(PropertyId(id)).is_some(), property.goal == Goal::Cover);
        let key = (class, states);
        let known = open.get(&key).copied().filter(|&at| groups[at].members.len() < most);
        let fitting = || {
            groups.iter().position(|group| {
                group.class == class && group.members.len() < most && is_common(group, size, &key.1)
            })
        };
        let at = known.or_else(fitting).unwrap_or_else(|| {
            let states = vec![0; key.1.len()];
            groups.push(Group { class, states, count: 0, largest: 0, members: Vec::new() });
            groups.len() - 1
        });
        let group = &mut groups[at];
        group.members.push(id);
        group.largest = group.largest.max(size);
        group.states.iter_mut().zip(&key.1).for_each(|(all, &more)| *all |= more);
        group.count = group.states.iter().map(|word| word.count_ones()).sum();
        open.insert(key, at);
    }
    groups.into_iter().map(|group| group.members).collect()
}

/// Is enough common to a group and a cone?
fn is_common(group: &Group, size: u32, states: &[u64]) -> bool {
    let common: u32 = group.states.iter().zip(states).map(|(a, b)| (a & b).count_ones()).sum();
    let is_enough = f64::from(common) >= COMMON * f64::from(group.count.min(size));
    is_enough && group.count + size - common <= GROWTH * group.largest.max(size)
}

/// The states that a property depends on, as a set of bits.
pub(crate) fn cone(system: &TransitionSystem, id: PropertyId) -> Vec<u64> {
    system.states_behind(system.property(id).bits().iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{Sort, SystemBuilder};

    /// Two chains of registers, and a property for each register.
    fn chains(length: usize) -> Problem {
        let mut b = SystemBuilder::new();
        for chain in 0..2 {
            let mut before = b.input(Sort::BOOL, None).unwrap();
            for at in 0..length {
                let state = b.state(Sort::BOOL, None).unwrap();
                let place = b.states.len() - 1;
                b.states[place].next = Some(before);
                b.bad(format!("c{chain}.{at}"), state);
                before = state;
            }
        }
        Problem::from(b.finish().unwrap())
    }

    fn all(problem: &Problem) -> Vec<PropertyId> {
        problem.select(&[]).unwrap()
    }

    #[test]
    fn properties_with_common_states_are_together() {
        let problem = chains(8);
        let found = groups(&problem, &all(&problem), 64);
        let mut members: Vec<usize> = found.iter().flatten().copied().collect();
        members.sort_unstable();
        assert_eq!(members, (0..16).collect::<Vec<_>>());
        // No group mixes the chains.
        assert!(found.iter().all(|group| group.iter().all(|id| id / 8 == group[0] / 8)));
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn groups_are_bounded_and_kinds_are_apart() {
        let problem = chains(8);
        let small = groups(&problem, &all(&problem), 2);
        assert!(small.iter().all(|group| group.len() <= 2) && small.len() >= 8);
        let Problem::System(system) = chains(3) else { unreachable!() };
        let mut builder = system.system().clone().into_builder();
        builder.properties[2].goal = Goal::Cover;
        let problem = Problem::from(builder.finish().unwrap());
        let found = groups(&problem, &all(&problem), 64);
        assert!(found.contains(&vec![2]), "{found:?}");
    }
}
