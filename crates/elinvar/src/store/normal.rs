//! The normal form of a property: its cone with numbers in place of names.
//!
//! The cone of a property has its bad bit or its conditions, the constraints of the system, and
//! all registers, inputs and operators that they depend on in any cycle. The key of the property
//! is the SHA-256 hash of this cone, written with numbers that a traversal from the property
//! gives. Names, the order of declarations, and logic outside of the cone do not matter.
//!
//! The traversal has to decide which operand of a commutative operator it visits first. It
//! compares the first colours of [`super::graph`], which are computed once for all properties. Only
//! if they are equal for the operands of some operator in the cone, all colours are refined within
//! the cone by what reads a node, two times, and the traversal begins again. Where two operands
//! have the same colour even then, the traversal takes the one that the system has first. If they
//! can be exchanged by a symmetry of the cone, that makes no difference; otherwise the same property
//! in a file of another order may get another key. That costs time, and is never wrong: equal keys
//! mean equal cones, and evidence is checked anyway.

use std::sync::Mutex;

use elinvar_ir::{PropertyId, TransitionSystem};
use sha2::{Digest, Sha256};

use super::graph::{
    Class, Edge, Graph, Roots, Row, edge_colour, gate_colour, is_symbol, mix, ordered, state_colour,
};
use super::key::Key;
use crate::error::Error;
use crate::problem::SystemProblem;
use crate::session::lock;

/// How often the colours are refined within a cone.
const ROUNDS: usize = 2;

/// The first bytes that are hashed. Another definition of the key needs another version.
const VERSION: &[u8] = b"elinvar cone 2\n";

const UNSEEN: u32 = u32::MAX;

/// A property with the numbers of its normal form.
#[derive(Clone, Debug)]
pub(crate) struct Normal {
    pub key: Key,
    /// By number in the normal form: the input of the system.
    pub inputs: Vec<usize>,
    /// By number in the normal form: the state of the system.
    pub states: Vec<usize>,
    /// By number in the normal form: the condition of a liveness property, with the fairness
    /// constraints first.
    pub conditions: Vec<usize>,
    /// By number in the normal form: the node of the system. Two properties with the same key
    /// are the same but for the nodes that they are about.
    pub nodes: Vec<u32>,
}

/// Makes normal forms of the properties of one system.
#[derive(Debug)]
pub(crate) struct Normaliser {
    graph: Graph,
    /// By node: its place in the traversal, or [`UNSEEN`].
    numbers: Vec<u32>,
    colours: Vec<u64>,
    uses: Vec<u64>,
    cone: Vec<u32>,
    stack: Vec<u32>,
    text: Vec<u8>,
}

impl Normaliser {
    pub fn new(system: &TransitionSystem) -> Self {
        let graph = Graph::new(system);
        let count = graph.rows.len();
        Normaliser {
            graph,
            numbers: vec![UNSEEN; count],
            colours: vec![0; count],
            uses: vec![0; count],
            cone: Vec::new(),
            stack: Vec::new(),
            text: Vec::new(),
        }
    }

    /// The normal form of a property of the system.
    pub fn normal(&mut self, system: &TransitionSystem, property: PropertyId) -> Normal {
        let roots = Roots::new(system, property);
        let Ordered { roots, conditions, order } =
            self.by_first_colours(roots.clone()).unwrap_or_else(|| self.by_refined_colours(roots));
        let normal = self.write(&roots, &order, conditions);
        self.forget(&order);
        Normal { nodes: order, ..normal }
    }

    /// The nodes of the cone, operands before the nodes that use them.
    fn collect(&mut self, roots: &Roots) {
        let (graph, numbers, stack) = (&self.graph, &mut self.numbers, &mut self.stack);
        self.cone.clear();
        let all = roots.bits.iter().chain(&roots.fairness).chain(&roots.constraints);
        stack.extend(all.map(|edge| edge.node() as u32));
        while let Some(node) = stack.pop() {
            let seen = &mut numbers[node as usize];
            if *seen != UNSEEN {
                continue;
            }
            *seen = 0;
            self.cone.push(node);
            let operands = graph.rows[node as usize].operands.iter();
            stack.extend(operands.filter(|edge| edge.is_some()).map(|edge| edge.node() as u32));
        }
        // A large part of the system is found again faster than it is sorted.
        if self.cone.len() > graph.rows.len() / 16 {
            let of_cone = (0..graph.rows.len() as u32).filter(|&n| numbers[n as usize] == 0);
            self.cone = of_cone.collect();
        } else {
            self.cone.sort_unstable();
        }
        for &node in &self.cone {
            numbers[node as usize] = UNSEEN;
        }
    }

    /// Colours the cone.
    fn refine(&mut self, roots: &Roots) {
        for &node in &self.cone {
            self.colours[node as usize] = self.graph.colours[node as usize];
        }
        for _ in 0..ROUNDS {
            self.count_uses(roots);
            for &node in &self.cone {
                let row = &self.graph.rows[node as usize];
                let node = node as usize;
                self.colours[node] = if is_symbol(row) {
                    ordered(self.colours[node], &[self.uses[node]])
                } else {
                    gate_colour(row, &self.colours)
                };
            }
            // `uses` has the new colours of the states until all of them are known.
            let rows = &self.graph.rows;
            let is_state = |row: &Row| matches!(row.class, Class::State(_));
            for &node in self.cone.iter().filter(|&&node| is_state(&rows[node as usize])) {
                let node = node as usize;
                self.uses[node] = state_colour(node, &rows[node], &self.colours);
            }
            for &node in self.cone.iter().filter(|&&node| is_state(&rows[node as usize])) {
                self.colours[node as usize] = self.uses[node as usize];
            }
        }
        self.count_uses(roots);
        for &node in &self.cone {
            let node = node as usize;
            self.colours[node] = mix(self.colours[node] ^ self.uses[node]);
        }
    }

    /// By node of the cone: the sum over the places that read it.
    fn count_uses(&mut self, roots: &Roots) {
        for &node in &self.cone {
            self.uses[node as usize] = 0;
        }
        let (rows, colours, uses) = (&self.graph.rows, &self.colours, &mut self.uses);
        let mut add = |edge: Edge, place: u64| {
            let place = place ^ u64::from(edge.is_complement()) << 7;
            let sum = &mut uses[edge.node()];
            *sum = sum.wrapping_add(mix(place));
        };
        for (tag, edges) in [(1, &roots.bits), (2, &roots.fairness), (3, &roots.constraints)] {
            edges.iter().for_each(|&edge| add(edge, tag));
        }
        for &node in &self.cone {
            let row = &rows[node as usize];
            if let Class::State(_) = row.class {
                let colour = colours[node as usize];
                for (tag, &edge) in [4, 5].into_iter().zip(&row.operands) {
                    if edge.is_some() {
                        add(edge, ordered(tag, &[colour]));
                    }
                }
            }
        }
        for &node in self.cone.iter().rev() {
            let row = &rows[node as usize];
            let place = match row.class {
                Class::Input(_) | Class::State(_) => continue,
                Class::Gate | Class::Commutative => {
                    mix(uses[node as usize]) ^ colours[node as usize]
                }
            };
            let step = if row.class == Class::Commutative { 0 } else { 1 };
            let mut position = 0_u64;
            for &edge in row.operands.iter().filter(|edge| edge.is_some()) {
                let place = place.rotate_left(17 + position as u32);
                let place = place ^ u64::from(edge.is_complement()) << 7;
                uses[edge.node()] = uses[edge.node()].wrapping_add(mix(place));
                position += step;
            }
        }
    }

    /// The order by the first colours, if they leave no choice. Whether they do depends on the cone
    /// only, and not on the order in which the system has it.
    fn by_first_colours(&mut self, mut roots: Roots) -> Option<Ordered> {
        let conditions = sort_roots(&mut roots, &self.graph.colours);
        if has_ties(&roots, &self.graph.colours) {
            return None;
        }
        let Traversal { order, is_clear } = self.traverse(&roots, Colours::First);
        if !is_clear {
            self.forget(&order);
            return None;
        }
        Some(Ordered { roots, conditions, order })
    }

    fn by_refined_colours(&mut self, mut roots: Roots) -> Ordered {
        self.collect(&roots);
        self.refine(&roots);
        let conditions = sort_roots(&mut roots, &self.colours);
        let Traversal { order, .. } = self.traverse(&roots, Colours::Refined);
        Ordered { roots, conditions, order }
    }

    /// Numbers the nodes of the cone in the order in which a depth-first search meets them. It
    /// goes on from a register to its initial and next value before it looks at anything else,
    /// so that what belongs together is numbered together. With first colours, it ends where they
    /// leave a choice.
    fn traverse(&mut self, roots: &Roots, colours: Colours) -> Traversal {
        let (rows, numbers, stack) = (&self.graph.rows, &mut self.numbers, &mut self.stack);
        let (colours, may_choose) = match colours {
            Colours::First => (&self.graph.colours, false),
            Colours::Refined => (&self.colours, true),
        };
        let mut order = Vec::with_capacity(self.cone.len());
        let all = roots.bits.iter().chain(&roots.fairness).chain(&roots.constraints);
        for root in all {
            stack.push(root.node() as u32);
            while let Some(node) = stack.pop() {
                let number = &mut numbers[node as usize];
                if *number != UNSEEN {
                    continue;
                }
                *number = order.len() as u32;
                order.push(node);
                let row = &rows[node as usize];
                let mut operands = row.operands;
                if row.class == Class::Commutative {
                    let [first, second] = [0, 1].map(|at| edge_colour(operands[at], colours));
                    if first == second && operands[0] != operands[1] && !may_choose {
                        stack.clear();
                        return Traversal { order, is_clear: false };
                    }
                    if second < first {
                        operands.swap(0, 1);
                    }
                }
                let operands = operands.iter().rev().filter(|edge| edge.is_some());
                stack.extend(operands.map(|edge| edge.node() as u32));
            }
        }
        Traversal { order, is_clear: true }
    }

    /// Removes the numbers of a traversal.
    fn forget(&mut self, order: &[u32]) {
        for &node in order {
            self.numbers[node as usize] = UNSEEN;
        }
    }

    /// Writes the cone with its numbers, and hashes it.
    fn write(&mut self, roots: &Roots, order: &[u32], conditions: Vec<usize>) -> Normal {
        let (graph, numbers, text) = (&self.graph, &self.numbers, &mut self.text);
        let (mut inputs, mut states) = (Vec::new(), Vec::new());
        text.clear();
        text.reserve(16 * order.len());
        text.extend_from_slice(VERSION);
        let numbered = |edge: Edge| {
            if edge.is_some() {
                numbers[edge.node()] << 1 | u32::from(edge.is_complement())
            } else {
                UNSEEN
            }
        };
        for &node in order {
            let row = &graph.rows[node as usize];
            match row.class {
                Class::Input(index) => inputs.push(index as usize),
                Class::State(index) => states.push(index as usize),
                Class::Gate | Class::Commutative => {}
            }
            let mut operands = row.operands.map(numbered);
            if row.class == Class::Commutative && operands[1] < operands[0] {
                operands.swap(0, 1);
            }
            // Every record begins with its kind, from which its length follows.
            let has_parameters = row.label[1] != 0 || row.label[2] != 0;
            let mut record = [0; 14];
            record[..2].copy_from_slice(&[row.label[0] as u8, u8::from(has_parameters)]);
            for (bytes, operand) in record[2..].chunks_exact_mut(4).zip(operands) {
                bytes.copy_from_slice(&operand.to_le_bytes());
            }
            text.extend_from_slice(&record);
            if has_parameters {
                text.extend_from_slice(&row.label[1].to_le_bytes());
                text.extend_from_slice(&row.label[2].to_le_bytes());
            }
            if let Some(value) = graph.large.get(&(node as usize)) {
                let bytes = value.to_big().to_le_bytes();
                text.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
                text.extend_from_slice(&bytes);
            }
        }
        for (tag, edges) in
            [(b'b', &roots.bits), (b'f', &roots.fairness), (b'c', &roots.constraints)]
        {
            text.push(if roots.is_live { tag.to_ascii_uppercase() } else { tag });
            let mut edges: Vec<u32> = edges.iter().map(|&edge| numbered(edge)).collect();
            // A conjunction of constraints has no order; conditions are numbered.
            if tag == b'c' {
                edges.sort_unstable();
            }
            text.extend_from_slice(&(edges.len() as u64).to_le_bytes());
            edges.iter().for_each(|edge| text.extend_from_slice(&edge.to_le_bytes()));
        }
        let key = Key::new(Sha256::digest(&text[..]).into());
        Normal { key, inputs, states, conditions, nodes: Vec::new() }
    }
}

/// The colours that a traversal goes by.
#[derive(Clone, Copy)]
enum Colours {
    First,
    Refined,
}

/// A property in the order of its normal form.
struct Ordered {
    roots: Roots,
    /// The order that conditions have now.
    conditions: Vec<usize>,
    /// The nodes of the cone.
    order: Vec<u32>,
}

/// The nodes of a cone in the order of their numbers.
struct Traversal {
    order: Vec<u32>,
    /// Did the colours leave no choice? Otherwise, nodes are missing.
    is_clear: bool,
}

/// Sorts the roots by colour; returns the order that conditions have then.
fn sort_roots(roots: &mut Roots, colours: &[u64]) -> Vec<usize> {
    let colour = |edge: &Edge| edge_colour(*edge, colours);
    roots.constraints.sort_by_key(colour);
    let mut conditions = Vec::new();
    let first = roots.fairness.len();
    for (edges, start) in [(&mut roots.fairness, 0), (&mut roots.bits, first)] {
        let mut order: Vec<usize> = (0..edges.len()).collect();
        order.sort_by_key(|&index| colour(&edges[index]));
        *edges = order.iter().map(|&index| edges[index]).collect();
        conditions.extend(order.into_iter().map(|index| start + index));
    }
    if roots.is_live { conditions } else { Vec::new() }
}

/// Have two of the sorted roots of a kind the same colour?
fn has_ties(roots: &Roots, colours: &[u64]) -> bool {
    let colour = |edge: Edge| edge_colour(edge, colours);
    let is_tie = |pair: &[Edge]| colour(pair[0]) == colour(pair[1]);
    let Roots { bits, fairness, constraints, .. } = roots;
    [bits, fairness, constraints].into_iter().any(|edges| edges.windows(2).any(is_tie))
}

/// The normal forms of one system, for all threads that ask for them.
pub(crate) struct NormalForms<'a> {
    pub system: &'a TransitionSystem,
    pub normaliser: &'a Mutex<Normaliser>,
}

impl NormalForms<'_> {
    /// The normal form of a property.
    pub fn of(&self, property: PropertyId) -> Normal {
        lock(self.normaliser).normal(self.system, property)
    }
}

impl SystemProblem {
    /// The keys under which a store has evidence for these properties.
    ///
    /// ```
    /// use elinvar::Problem;
    /// use elinvar::ir::PropertyId;
    /// let key = |text: &str| -> Result<_, elinvar::Error> {
    ///     Ok(Problem::parse("m.aag", text)?.as_system()?.proof_keys(&[PropertyId(0)])?[0])
    /// };
    /// let toggle = key("aag 1 0 1 0 0 1\n2 3\n2\n")?;
    /// assert_eq!(toggle, key("aag 2 0 2 0 0 1\n2 2\n4 5\n4\nl1 another name\n")?);
    /// assert_ne!(toggle, key("aag 1 0 1 0 0 1\n2 3 1\n2\n")?);
    /// # Ok::<(), elinvar::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the model cannot be read again.
    pub fn proof_keys(&self, properties: &[PropertyId]) -> Result<Vec<Key>, Error> {
        let forms = self.original().normal_forms().map_err(|why| Error::Bug(why.to_owned()))?;
        Ok(properties.iter().map(|&property| forms.of(property).key).collect())
    }
}
