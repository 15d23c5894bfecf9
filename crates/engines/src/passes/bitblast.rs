//! Words to bits: a system whose inputs and states are all single bits, with the
//! same behaviour and the same properties. The BTOR paper calls such a tool a
//! synthesiser.
//!
//! Bit i of a word `w` is named `w[i]`. A memory is expanded into its elements,
//! `m[address][i]`, when it has few enough bits; larger ones are refused by name.

use elinvar_ir::{
    Expr, ExprId, Named, Pool, Property, PropertyKind, Sort, SystemBuilder, TransitionSystem, cone,
};
use elinvar_logic::aig::Gate;
use elinvar_logic::blast::{Blasted, blast, cost};
use elinvar_logic::words::{self, Word};
use elinvar_logic::{Aig, AigLit, Arrays};

/// Why a system cannot be turned into bits.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BlastError {
    #[error("memory {name} has {bits}, more than the limit of {limit} bits for its expansion")]
    Memory { name: String, bits: String, limit: u64 },
    #[error("the model needs more than 2^30 gates")]
    TooLarge,
}

/// Translates the whole system. Memories of at most `memory_limit` bits are expanded.
pub fn bitblast(
    system: &TransitionSystem,
    memory_limit: u64,
) -> Result<TransitionSystem, BlastError> {
    let mut translation = Translation::new(system, memory_limit)?;
    translation.declare();
    translation.translate_all();
    Ok(translation.rebuild())
}

struct Translation<'a> {
    system: &'a TransitionSystem,
    aig: Aig,
    builder: SystemBuilder,
    /// By node of the old pool; the elements of an array one after another.
    bits: Vec<Word>,
    nodes: Vec<ExprId>,
    /// Inputs of the graph and the symbols they stand for, in order.
    symbols: Vec<(AigLit, ExprId)>,
}

impl<'a> Translation<'a> {
    fn new(system: &'a TransitionSystem, memory_limit: u64) -> Result<Self, BlastError> {
        let pool = system.pool();
        let nodes = cone(pool, roots(system));
        let mut gates = 0u64;
        for (i, symbol) in symbols(system) {
            check_memory(pool.sort(symbol), memory_limit, || match i {
                Kind::Input(index) => system.input_name(index),
                Kind::State(index) => system.state_name(index),
            })?;
        }
        for &node in &nodes {
            check_memory(pool.sort(node), memory_limit, || "of a constant array".into())?;
            let factor = match pool.get(node) {
                // An element operator touches every bit of the memory.
                Expr::Read(array, _) => size(pool.sort(array)),
                _ => size(pool.sort(node)),
            };
            gates = gates.saturating_add(cost(pool, &pool.get(node))).saturating_add(factor);
        }
        if gates > 1 << 30 {
            return Err(BlastError::TooLarge);
        }
        Ok(Translation {
            system,
            aig: Aig::new(),
            builder: SystemBuilder::new(),
            bits: vec![Word::new(); pool.len()],
            nodes,
            symbols: Vec::new(),
        })
    }

    /// Makes a bit for every bit of every input and state.
    fn declare(&mut self) {
        for (kind, symbol) in symbols(self.system) {
            let sort = self.system.pool().sort(symbol);
            let name = match kind {
                Kind::Input(index) => self.system.input_name(index),
                Kind::State(index) => self.system.state_name(index),
            };
            let width = match sort {
                Sort::Bv(width) => u64::from(width),
                Sort::Array { element, .. } => u64::from(element),
            };
            let mut word = Word::new();
            for position in 0..size(sort) {
                let (address, bit) = (position / width, position % width);
                let bit_name = match sort {
                    Sort::Bv(1) => name.clone(),
                    Sort::Bv(_) => format!("{name}[{bit}]"),
                    Sort::Array { element: 1, .. } => format!("{name}[{address}]"),
                    Sort::Array { .. } => format!("{name}[{address}][{bit}]"),
                };
                let declared = match kind {
                    Kind::Input(_) => self.builder.input(Sort::BOOL, Some(&bit_name)),
                    Kind::State(_) => self.builder.state(Sort::BOOL, Some(&bit_name)),
                };
                let lit = self.aig.input();
                self.symbols.push((lit, declared.expect("a bit is a legal sort")));
                word.push(lit);
            }
            self.bits[symbol.node()] = word;
        }
    }

    fn translate_all(&mut self) {
        // Only words are left to the common translation; arrays are words here.
        let mut arrays = Arrays::new();
        let pool = self.system.pool();
        for id in std::mem::take(&mut self.nodes) {
            let word = match pool.get(id) {
                Expr::Symbol(_) => continue,
                Expr::Read(array, index) => {
                    let elements = self.word(array);
                    let index = self.word(index);
                    select(&mut self.aig, &elements, &index)
                }
                Expr::Write(array, index, element) => {
                    let (old, index, element) =
                        (self.word(array), self.word(index), self.word(element));
                    replace(&mut self.aig, &old, &index, &element)
                }
                Expr::ConstArray(element) => {
                    let element = self.word(element);
                    let count = size(pool.sort(id)) as usize / element.len();
                    element.repeat(count)
                }
                Expr::ArrayEq(a, b) => {
                    let (a, b) = (self.word(a), self.word(b));
                    vec![words::equal(&mut self.aig, &a, &b)]
                }
                Expr::Ite(c, t, e) => {
                    let (c, t, e) = (self.word(c)[0], self.word(t), self.word(e));
                    words::ite(&mut self.aig, c, &t, &e)
                }
                expr @ (Expr::Const(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Slice { .. }
                | Expr::Uext { .. }
                | Expr::Sext { .. }) => {
                    let mut aig = std::mem::take(&mut self.aig);
                    let operand = |operand| Blasted::Word(self.word(operand));
                    let sort = pool.sort(id);
                    let word = blast(&mut aig, &mut arrays, sort, &expr, operand).word();
                    self.aig = aig;
                    word
                }
            };
            self.bits[id.node()] = word;
        }
    }

    fn word(&self, id: ExprId) -> Word {
        let bits = &self.bits[id.node()];
        bits.iter().map(|bit| bit.complement_if(id.is_complement())).collect()
    }

    /// From the graph to a pool of bits, and from the old system's parts to the new.
    fn rebuild(mut self) -> TransitionSystem {
        let exprs = gates_to_exprs(&self.aig, &self.symbols, &mut self.builder.pool);
        let expr = |pool: &mut Pool, lit: AigLit| {
            let expr = exprs[lit.node()];
            if lit.is_complement() { pool.not(expr).expect("a bit") } else { expr }
        };
        let mut position = 0;
        for state in self.system.states() {
            let width = self.bits[state.symbol.node()].len();
            for (i, new) in self.builder.states[position..position + width].iter_mut().enumerate() {
                let mut part = |id: ExprId| {
                    expr(
                        &mut self.builder.pool,
                        self.bits[id.node()][i].complement_if(id.is_complement()),
                    )
                };
                new.init = state.init.map(&mut part);
                new.next = state.next.map(&mut part);
            }
            position += width;
        }
        let mut bit = |id: ExprId| {
            let lit = self.bits[id.node()][0].complement_if(id.is_complement());
            expr(&mut self.builder.pool, lit)
        };
        self.builder.constraints = self.system.constraints().iter().map(|&c| bit(c)).collect();
        self.builder.fairness = self.system.fairness().iter().map(|&f| bit(f)).collect();
        for property in self.system.properties() {
            let kind = match &property.kind {
                PropertyKind::Bad(bad) => PropertyKind::Bad(bit(*bad)),
                PropertyKind::Justice(conditions) => {
                    PropertyKind::Justice(conditions.iter().map(|&c| bit(c)).collect())
                }
            };
            self.builder.properties.push(Property { name: property.name.clone(), kind });
        }
        for output in self.system.outputs() {
            let word: Word = self.word(output.expr);
            for (i, &lit) in word.iter().enumerate() {
                let name = match word.len() {
                    1 => output.name.clone(),
                    _ => format!("{}[{i}]", output.name),
                };
                let expr = expr(&mut self.builder.pool, lit);
                self.builder.outputs.push(Named { name, expr });
            }
        }
        self.builder.finish().expect("bits of a well-formed system are well-formed")
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Input(usize),
    State(usize),
}

fn symbols(system: &TransitionSystem) -> Vec<(Kind, ExprId)> {
    let inputs = system.inputs().iter().enumerate().map(|(i, x)| (Kind::Input(i), x.symbol));
    let states = system.states().iter().enumerate().map(|(i, s)| (Kind::State(i), s.symbol));
    inputs.chain(states).collect()
}

fn roots(system: &TransitionSystem) -> Vec<ExprId> {
    let mut roots: Vec<ExprId> = Vec::new();
    for state in system.states() {
        roots.extend(state.init.into_iter().chain(state.next));
    }
    for property in system.properties() {
        match &property.kind {
            PropertyKind::Bad(bad) => roots.push(*bad),
            PropertyKind::Justice(conditions) => roots.extend(conditions),
        }
    }
    roots.extend(system.constraints().iter().chain(system.fairness()));
    roots.extend(system.outputs().iter().map(|output| output.expr));
    roots
}

/// The number of bits of a value.
fn size(sort: Sort) -> u64 {
    match sort {
        Sort::Bv(width) => width.into(),
        Sort::Array { index, element } => {
            if index >= 40 {
                u64::MAX
            } else {
                (1u64 << index).saturating_mul(element.into())
            }
        }
    }
}

fn check_memory(sort: Sort, limit: u64, name: impl Fn() -> String) -> Result<(), BlastError> {
    match sort {
        Sort::Array { index, element } if size(sort) > limit => {
            let bits = format!("2^{index} elements of {element} bits");
            Err(BlastError::Memory { name: name(), bits, limit })
        }
        Sort::Array { .. } | Sort::Bv(_) => Ok(()),
    }
}

/// The element at `index`, by a tree of multiplexers.
fn select(aig: &mut Aig, elements: &[AigLit], index: &[AigLit]) -> Word {
    let width = elements.len() >> index.len();
    let mut level: Vec<Word> = elements.chunks(width).map(<[AigLit]>::to_vec).collect();
    for &bit in index {
        level = level.chunks(2).map(|pair| words::ite(aig, bit, &pair[1], &pair[0])).collect();
    }
    level.swap_remove(0)
}

fn replace(aig: &mut Aig, elements: &[AigLit], index: &[AigLit], element: &[AigLit]) -> Word {
    let mut out = Word::with_capacity(elements.len());
    for (address, old) in elements.chunks(element.len()).enumerate() {
        let bits: Word = index
            .iter()
            .enumerate()
            .map(|(i, bit)| bit.complement_if(address >> i & 1 == 0))
            .collect();
        let here = aig.and_all(&bits);
        out.extend(words::ite(aig, here, element, old));
    }
    out
}

/// The expression of every node of the graph.
fn gates_to_exprs(aig: &Aig, symbols: &[(AigLit, ExprId)], pool: &mut Pool) -> Vec<ExprId> {
    let mut exprs = vec![pool.bool(false); aig.len()];
    for &(lit, symbol) in symbols {
        exprs[lit.node()] = symbol;
    }
    for node in 0..aig.len() {
        if let Gate::And(a, b) = aig.gate(node) {
            let [a, b] = [a, b].map(|lit| {
                let expr = exprs[lit.node()];
                if lit.is_complement() { pool.not(expr).expect("a bit") } else { expr }
            });
            exprs[node] = pool.and(a, b).expect("two bits");
        }
    }
    exprs
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::oracle::{Generator, Shape, search};

    #[test]
    fn bits_behave_like_words() {
        let mut compared = 0;
        for shape in [Shape::WORDS, Shape::ARRAYS] {
            for seed in 0..80 {
                let system = Generator::system(seed, shape);
                let bits = bitblast(&system, 64).unwrap();
                let pool = bits.pool();
                assert!(bits.states().iter().all(|s| pool.sort(s.symbol) == Sort::BOOL));
                let (Ok(expected), Ok(found)) = (search(&system, 20_000), search(&bits, 20_000))
                else {
                    continue;
                };
                assert_eq!(found, expected, "seed {seed} {shape:?}");
                compared += 1;
            }
        }
        assert!(compared > 80, "{compared}");
    }

    #[test]
    fn large_memories_are_refused_by_name() {
        let mut b = SystemBuilder::new();
        b.state(Sort::Array { index: 32, element: 8 }, Some("ram")).unwrap();
        let error = bitblast(&b.finish().unwrap(), 1 << 20).unwrap_err();
        assert!(error.to_string().starts_with("memory ram has 2^32 elements of 8 bits"), "{error}");
    }
}
