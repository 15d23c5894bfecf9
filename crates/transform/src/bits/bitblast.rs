//! Words to bits: a system whose inputs and states are all single bits, with the
//! same behaviour and the same properties. The BTOR paper calls such a tool a
//! synthesiser.
//!
//! Bit i of a word `w` is named `w[i]`. A memory is expanded into its elements,
//! `m[address][i]`, when it has few enough bits; larger ones are refused by name.

use std::sync::Arc;

use elinvar_ir::{BinaryOp, Expr, ExprId, PropertyKind, Sort, StopReason, TransitionSystem};
use elinvar_logic::blast::{Blasted, blast, cost};
use elinvar_logic::words::{self, Word};
use elinvar_logic::{Aig, AigLit, Arrays};

use super::cone::{self, Part};
use super::lift::{Bit, BitLift, InputOrigin};
use super::netlist::{Input, Netlist, Register, Target};
use crate::error::TransformError;
use crate::limits::{Limits, Unlimited, watch};

/// Why a system cannot be turned into bits.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BlastError {
    /// A memory has too many elements to get a register for each.
    #[error("memory {name} has {bits}, more than the limit of {limit} bits for its expansion")]
    Memory {
        /// The name of the memory.
        name: String,
        /// Its size, in words.
        bits: String,
        /// The limit that it exceeds.
        limit: u64,
    },
    /// The gates cannot be numbered.
    #[error("the model needs more than 2^30 gates")]
    TooLarge,
    /// A limit was exceeded.
    #[error("{0}")]
    Stopped(StopReason),
}

impl From<BlastError> for TransformError {
    fn from(error: BlastError) -> Self {
        match error {
            BlastError::Stopped(reason) => TransformError::Stopped(reason),
            BlastError::Memory { .. } | BlastError::TooLarge => {
                TransformError::TooLarge(error.to_string())
            }
        }
    }
}

/// Translates the whole system. Memories of at most `memory_limit` bits are expanded.
/// A system that consists of bits and gates already stays as it is.
pub fn bitblast(
    system: &TransitionSystem,
    memory_limit: u64,
) -> Result<(TransitionSystem, BitLift), BlastError> {
    if is_circuit(system) {
        return Ok((system.clone(), BitLift::identity(system)));
    }
    let netlist = translate(system, &cone::whole(system), memory_limit, &Unlimited)?;
    let new = netlist.to_system(system);
    let lift = netlist.lift(Arc::new(system.clone()), &new);
    Ok((new, lift))
}

/// Are there just bits and conjunctions?
fn is_circuit(system: &TransitionSystem) -> bool {
    let pool = system.pool();
    let is_gate =
        |expr| matches!(expr, Expr::Const(_) | Expr::Symbol(_) | Expr::Binary(BinaryOp::And, ..));
    pool.ids().all(|id| pool.sort(id) == Sort::BOOL && is_gate(pool.get(id)))
}

/// Translates a part of the system.
pub(super) fn translate(
    system: &TransitionSystem,
    part: &Part,
    memory_limit: u64,
    limits: &dyn Limits,
) -> Result<Netlist, BlastError> {
    check_size(system, part, memory_limit)?;
    let mut translation = Translation {
        system,
        netlist: Netlist::default(),
        bits: Vec::new(),
        starts: vec![u32::MAX; system.pool().len()],
    };
    translation.netlist.aig.watch(watch(limits));
    translation.declare(part);
    translation.translate_all(&part.nodes);
    if translation.netlist.aig.is_stopped() {
        return Err(BlastError::Stopped(limits.passed().unwrap_or(StopReason::Cancelled)));
    }
    Ok(translation.connect(part))
}

fn check_size(system: &TransitionSystem, part: &Part, limit: u64) -> Result<(), BlastError> {
    let pool = system.pool();
    for (index, input) in system.inputs().iter().enumerate().filter(|(i, _)| part.inputs[*i]) {
        check_memory(pool.sort(input.symbol), limit, || system.input_name(index))?;
    }
    for (index, state) in system.states().iter().enumerate().filter(|(i, _)| part.states[*i]) {
        check_memory(pool.sort(state.symbol), limit, || system.state_name(index))?;
    }
    let mut gates = 0u64;
    for &node in &part.nodes {
        check_memory(pool.sort(node), limit, || "of a constant array".into())?;
        let expr = pool.get(node);
        let factor = match expr {
            // An element operator touches every bit of the memory.
            Expr::Read(array, _) => size(pool.sort(array)),
            _ => size(pool.sort(node)),
        };
        gates = gates.saturating_add(cost(pool, &expr)).saturating_add(factor);
    }
    if gates > 1 << 30 { Err(BlastError::TooLarge) } else { Ok(()) }
}

struct Translation<'a> {
    system: &'a TransitionSystem,
    netlist: Netlist,
    /// The bits of all nodes of the pool one after another; the elements of an
    /// array one after another too.
    bits: Vec<AigLit>,
    /// By node of the pool.
    starts: Vec<u32>,
}

impl Translation<'_> {
    /// Makes a bit for every bit of the inputs and states of the part.
    fn declare(&mut self, part: &Part) {
        let pool = self.system.pool();
        for (index, input) in self.system.inputs().iter().enumerate() {
            if part.inputs[index] {
                self.starts[input.symbol.node()] = self.bits.len() as u32;
                for position in 0..size(pool.sort(input.symbol)) as usize {
                    let origin = InputOrigin::Input(Bit { index, position });
                    let lit = self.netlist.aig.input();
                    self.netlist.inputs.push(Input { lit, origin });
                    self.bits.push(lit);
                }
            }
        }
        for (index, state) in self.system.states().iter().enumerate() {
            if part.states[index] {
                self.starts[state.symbol.node()] = self.bits.len() as u32;
                for position in 0..size(pool.sort(state.symbol)) as usize {
                    let origin = Bit { index, position };
                    let lit = self.netlist.aig.input();
                    self.netlist.registers.push(Register { lit, init: None, next: None, origin });
                    self.bits.push(lit);
                }
            }
        }
    }

    fn translate_all(&mut self, nodes: &[ExprId]) {
        // Only words are left to the common translation; arrays are words here.
        let mut arrays = Arrays::new();
        let pool = self.system.pool();
        for &id in nodes {
            let word = match pool.get(id) {
                Expr::Symbol(_) => continue,
                Expr::Binary(BinaryOp::And, a, b) if pool.sort(id) == Sort::BOOL => {
                    let (a, b) = (self.bit(a, 0), self.bit(b, 0));
                    let both = self.netlist.aig.and(a, b);
                    self.define(id, &[both]);
                    continue;
                }
                Expr::Read(array, index) => {
                    let elements = self.word(array);
                    let index = self.word(index);
                    select(&mut self.netlist.aig, &elements, &index)
                }
                Expr::Write(array, index, element) => {
                    let (old, index, element) =
                        (self.word(array), self.word(index), self.word(element));
                    replace(&mut self.netlist.aig, &old, &index, &element)
                }
                Expr::ConstArray(element) => {
                    let element = self.word(element);
                    let count = size(pool.sort(id)) as usize / element.len();
                    element.repeat(count)
                }
                Expr::ArrayEq(a, b) => {
                    let (a, b) = (self.word(a), self.word(b));
                    vec![words::equal(&mut self.netlist.aig, &a, &b)]
                }
                Expr::Ite(c, t, e) => {
                    let (c, t, e) = (self.bit(c, 0), self.word(t), self.word(e));
                    words::ite(&mut self.netlist.aig, c, &t, &e)
                }
                expr @ (Expr::Const(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Slice { .. }
                | Expr::Uext { .. }
                | Expr::Sext { .. }) => {
                    let mut aig = std::mem::take(&mut self.netlist.aig);
                    let operand = |operand| Blasted::Word(self.word(operand));
                    let sort = pool.sort(id);
                    let word = blast(&mut aig, &mut arrays, sort, &expr, operand).word();
                    self.netlist.aig = aig;
                    word
                }
            };
            self.define(id, &word);
        }
    }

    fn define(&mut self, id: ExprId, word: &[AigLit]) {
        self.starts[id.node()] = self.bits.len() as u32;
        self.bits.extend(word);
    }

    fn bit(&self, id: ExprId, position: usize) -> AigLit {
        let start = self.starts[id.node()] as usize;
        self.bits[start + position].complement_if(id.is_complement())
    }

    fn word(&self, id: ExprId) -> Word {
        let width = size(self.system.pool().sort(id)) as usize;
        (0..width).map(|position| self.bit(id, position)).collect()
    }

    /// From the old system's parts to those of the netlist.
    fn connect(mut self, part: &Part) -> Netlist {
        let mut registers = std::mem::take(&mut self.netlist.registers);
        for register in &mut registers {
            let Bit { index, position } = register.origin;
            let state = self.system.states()[index];
            register.init = state.init.map(|init| self.bit(init, position));
            register.next = state.next.map(|next| self.bit(next, position));
        }
        let bits = |ids: &[ExprId]| ids.iter().map(|&id| self.bit(id, 0)).collect();
        let properties = self.system.properties().iter().zip(&part.properties);
        let targets = properties.map(|(property, &wanted)| match &property.kind {
            _ if !wanted => Target::Bad(AigLit::FALSE),
            PropertyKind::Bad(bad) => Target::Bad(self.bit(*bad, 0)),
            PropertyKind::Justice(conditions) => Target::Justice(bits(conditions)),
        });
        let targets = targets.collect();
        let constraints = bits(self.system.constraints());
        let (mut fairness, mut outputs) = (Vec::new(), Vec::new());
        if part.observations {
            fairness = bits(self.system.fairness());
            outputs = self.system.outputs().iter().map(|output| self.word(output.expr)).collect();
        }
        Netlist { registers, constraints, targets, fairness, outputs, ..self.netlist }
    }
}

/// The number of bits of a value.
pub(super) fn size(sort: Sort) -> u64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::SystemBuilder;
    use elinvar_models::{Generator, Shape, search};

    #[test]
    fn bits_behave_like_words() {
        let mut compared = 0;
        for shape in [Shape::WORDS, Shape::ARRAYS] {
            for seed in 0..80 {
                let system = Generator::system(seed, shape);
                let bits = bitblast(&system, 64).unwrap().0;
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
