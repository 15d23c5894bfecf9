//! Two hardware FIFOs that must behave the same (section 6.1 of the BTOR paper).
//!
//! Both have the inputs `reset` (active low), `enqueue`, `dequeue`, `data_in` and
//! the registered outputs `full`, `empty`, `data_out`. A request counts when it
//! comes alone and reset is not active; an `enqueue` when full and a `dequeue`
//! when empty change nothing. They differ inside:
//!
//! - `queue` is a ring: `head` and `tail` walk around the memory.
//! - `stack` keeps the oldest element at address zero: an element is put on top,
//!   at `tail`, and taken from the bottom, when all others move down by one. The
//!   shift is a chain of writes, so the model is linear in the depth.
//!
//! Registers start at zero and memories with any contents, as in BTOR; so the
//! register behind `empty` is its complement, `filled`.
//!
//! The property is true at every depth but needs to know which elements of the
//! two memories correspond: plain k-induction does not prove it for a bound that
//! is small beside the depth, as Table 6 of the paper shows.

use elinvar_ir::{
    BinaryOp, BitVec, ExprId, MAX_WIDTH, Named, Pool, Sort, SortError, SystemBuilder,
    TransitionSystem,
};

/// The largest depth that is built.
pub const MAX_DEPTH: u32 = 1 << 16;

/// Why there is no such FIFO.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FifoError {
    /// The width of the elements is out of range.
    #[error("the width of the data must be between 1 and {MAX_WIDTH}, not {0}")]
    Width(u32),
    /// The depth is out of range.
    #[error("the depth {0} is not a power of two between 2 and {MAX_DEPTH}")]
    Depth(u32),
}

/// The equivalence of both FIFOs; safe.
pub fn fifo(width: u32, depth: u32) -> Result<TransitionSystem, FifoError> {
    system(width, depth, Full::InTime)
}

/// The same with a queue that notices one element too late that it is full;
/// unsafe, with a shortest counterexample of `depth` steps.
pub fn fifo_with_bug(width: u32, depth: u32) -> Result<TransitionSystem, FifoError> {
    system(width, depth, Full::TooLate)
}

/// When the queue notices that it is full.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Full {
    InTime,
    TooLate,
}

fn system(width: u32, depth: u32, full: Full) -> Result<TransitionSystem, FifoError> {
    if !(1..=MAX_WIDTH).contains(&width) {
        return Err(FifoError::Width(width));
    }
    if !(2..=MAX_DEPTH).contains(&depth) || !depth.is_power_of_two() {
        return Err(FifoError::Depth(depth));
    }
    let builder = build(width, depth, full).expect("sorts follow from width and depth");
    Ok(builder.finish().expect("both FIFOs are complete"))
}

fn build(width: u32, depth: u32, full: Full) -> Result<SystemBuilder, SortError> {
    let mut b = SystemBuilder::new();
    let requests = Requests::new(&mut b, width)?;
    let stack = Registers::new(&mut b, "stack", width, depth)?;
    let queue = Registers::new(&mut b, "queue", width, depth)?;
    let after_enqueue = enqueued(&mut b.pool, &stack, &requests, Full::InTime)?;
    let after_dequeue = dequeued_from_stack(&mut b.pool, &stack, depth)?;
    stack.connect(&mut b, &requests, after_enqueue, after_dequeue)?;
    let after_enqueue = enqueued(&mut b.pool, &queue, &requests, full)?;
    let after_dequeue = dequeued_from_queue(&mut b.pool, &queue)?;
    queue.connect(&mut b, &requests, after_enqueue, after_dequeue)?;
    let pairs =
        [(stack.full, queue.full), (stack.filled, queue.filled), (stack.data_out, queue.data_out)];
    let mut agree = b.pool.bool(true);
    for (one, other) in pairs {
        let same = b.pool.equal(one, other)?;
        agree = b.pool.and(agree, same)?;
    }
    let differ = b.pool.not(agree)?;
    b.bad("outputs_differ", differ);
    Ok(b)
}

/// What the environment asks for in a cycle.
struct Requests {
    reset: ExprId,
    /// Only `enqueue` is active.
    enqueue: ExprId,
    /// Only `dequeue` is active.
    dequeue: ExprId,
    data_in: ExprId,
}

impl Requests {
    fn new(b: &mut SystemBuilder, width: u32) -> Result<Self, SortError> {
        let reset = b.input(Sort::BOOL, Some("reset"))?;
        let enqueue = b.input(Sort::BOOL, Some("enqueue"))?;
        let dequeue = b.input(Sort::BOOL, Some("dequeue"))?;
        let data_in = b.input(Sort::Bv(width), Some("data_in"))?;
        let (no_enqueue, no_dequeue) = (b.pool.not(enqueue)?, b.pool.not(dequeue)?);
        Ok(Requests {
            reset: b.pool.not(reset)?,
            enqueue: b.pool.and(enqueue, no_dequeue)?,
            dequeue: b.pool.and(dequeue, no_enqueue)?,
            data_in,
        })
    }
}

/// The registers of one FIFO, or their values after an accepted request.
#[derive(Clone, Copy)]
struct Registers {
    full: ExprId,
    filled: ExprId,
    data_out: ExprId,
    head: ExprId,
    tail: ExprId,
    memory: ExprId,
}

impl Registers {
    fn new(b: &mut SystemBuilder, name: &str, width: u32, depth: u32) -> Result<Self, SortError> {
        let address = depth.ilog2();
        let mut state = |what: &str, sort| b.state(sort, Some(&format!("{name}.{what}")));
        let registers = Registers {
            full: state("full", Sort::BOOL)?,
            filled: state("filled", Sort::BOOL)?,
            data_out: state("data_out", Sort::Bv(width))?,
            head: state("head", Sort::Bv(address))?,
            tail: state("tail", Sort::Bv(address))?,
            memory: state("memory", Sort::Array { index: address, element: width })?,
        };
        let empty = b.pool.not(registers.filled)?;
        b.outputs.push(Named { name: format!("{name}.empty"), expr: empty });
        Ok(registers)
    }

    fn in_order(&self) -> [ExprId; 6] {
        [self.full, self.filled, self.data_out, self.head, self.tail, self.memory]
    }

    /// Sets initial and next values: reset clears all but the memory, and a
    /// request is accepted when it can be.
    fn connect(
        &self,
        b: &mut SystemBuilder,
        requests: &Requests,
        enqueued: Registers,
        dequeued: Registers,
    ) -> Result<(), SortError> {
        let not_full = b.pool.not(self.full)?;
        let enqueue = b.pool.and(requests.enqueue, not_full)?;
        let dequeue = b.pool.and(requests.dequeue, self.filled)?;
        let cases = self.in_order().into_iter().zip(enqueued.in_order()).zip(dequeued.in_order());
        for ((symbol, enqueued), dequeued) in cases {
            let zero = match b.pool.sort(symbol) {
                Sort::Bv(width) => Some(b.pool.constant(BitVec::zero(width))),
                Sort::Array { .. } => None,
            };
            let next = b.pool.ite(dequeue, dequeued, symbol)?;
            let next = b.pool.ite(enqueue, enqueued, next)?;
            let next = b.pool.ite(requests.reset, zero.unwrap_or(symbol), next)?;
            let state = b.states.iter_mut().find(|state| state.symbol == symbol);
            let state = state.expect("registers are states");
            state.init = zero;
            state.next = Some(next);
        }
        Ok(())
    }
}

/// After an element was put at `tail`; `full` says when that was the last place.
fn enqueued(
    pool: &mut Pool,
    now: &Registers,
    requests: &Requests,
    full: Full,
) -> Result<Registers, SortError> {
    let tail_up = increment(pool, now.tail)?;
    let last_place = match full {
        Full::InTime => pool.equal(tail_up, now.head)?,
        Full::TooLate => {
            let met = pool.equal(now.tail, now.head)?;
            pool.and(met, now.filled)?
        }
    };
    Ok(Registers {
        full: last_place,
        filled: pool.bool(true),
        tail: tail_up,
        memory: pool.write(now.memory, now.tail, requests.data_in)?,
        ..*now
    })
}

/// After an element was taken from a ring: `head` moves.
fn dequeued_from_queue(pool: &mut Pool, now: &Registers) -> Result<Registers, SortError> {
    let head_up = increment(pool, now.head)?;
    let last_element = pool.equal(head_up, now.tail)?;
    Ok(Registers {
        full: pool.bool(false),
        filled: pool.not(last_element)?,
        data_out: pool.read(now.memory, now.head)?,
        head: head_up,
        ..*now
    })
}

/// After an element was taken from the bottom of a stack: `head` stays at zero,
/// and `tail`, the number of elements modulo the depth, goes down.
fn dequeued_from_stack(
    pool: &mut Pool,
    now: &Registers,
    depth: u32,
) -> Result<Registers, SortError> {
    let one = pool.constant(BitVec::one(depth.ilog2()));
    let last_element = pool.equal(now.tail, one)?;
    Ok(Registers {
        full: pool.bool(false),
        filled: pool.not(last_element)?,
        data_out: pool.read(now.memory, now.head)?,
        tail: pool.binary(BinaryOp::Sub, now.tail, one)?,
        memory: shifted(pool, now.memory, depth)?,
        ..*now
    })
}

/// Every element moved down by one address; the topmost stays.
fn shifted(pool: &mut Pool, memory: ExprId, depth: u32) -> Result<ExprId, SortError> {
    let address = |pool: &mut Pool, at: u32| pool.constant(BitVec::new(depth.ilog2(), at.into()));
    let mut result = memory;
    for to in 0..depth - 1 {
        let (to, from) = (address(pool, to), address(pool, to + 1));
        let element = pool.read(memory, from)?;
        result = pool.write(result, to, element)?;
    }
    Ok(result)
}

fn increment(pool: &mut Pool, a: ExprId) -> Result<ExprId, SortError> {
    let one = pool.constant(BitVec::one(pool.width(a)));
    pool.binary(BinaryOp::Add, a, one)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use crate::{Outcome, search};
    use elinvar_ir::{ArrayValue, PropertyId, Rng, Simulator, Value};

    use super::*;

    /// A memory full of noise.
    fn noise(rng: &mut Rng, width: u32, depth: u32) -> Value {
        let address = depth.ilog2();
        let mut array = ArrayValue::constant(address, rng.bitvec(width));
        for at in 0..depth {
            array.write(BitVec::new(address, at.into()), rng.bitvec(width));
        }
        array.into()
    }

    struct Inputs {
        reset: bool,
        enqueue: bool,
        dequeue: bool,
        data: BitVec,
    }

    impl Inputs {
        fn random(rng: &mut Rng, width: u32) -> Self {
            Inputs {
                reset: rng.one_in(200),
                enqueue: rng.one_in(2),
                dequeue: rng.one_in(2),
                data: rng.bitvec(width),
            }
        }

        fn values(&self) -> Vec<Value> {
            let bits = [!self.reset, self.enqueue, self.dequeue];
            let data = self.data.clone();
            bits.map(|bit| BitVec::bool(bit).into()).into_iter().chain([data.into()]).collect()
        }
    }

    /// Both FIFOs and a plain queue, side by side.
    #[test]
    fn both_fifos_are_fifos() {
        let mut rng = Rng::new(61);
        for (width, depth) in [(1, 2), (8, 4), (32, 8)] {
            let system = fifo(width, depth).unwrap();
            let (_, bad) = system.bads().next().unwrap();
            let mut model = VecDeque::new();
            let mut data_out = BitVec::zero(width);
            let mut inputs = Inputs::random(&mut rng, width);
            let mut simulator =
                Simulator::new(&system, |_| noise(&mut rng, width, depth), inputs.values());
            let mut was_full = 0;
            for _ in 0..3000 {
                assert!(!simulator.holds(bad));
                let states = simulator.states();
                let full = model.len() == depth as usize;
                was_full += usize::from(full);
                for fifo in [&states[..6], &states[6..]] {
                    assert_eq!(fifo[0].bv().is_true(), full);
                    assert_eq!(fifo[1].bv().is_true(), !model.is_empty());
                    assert_eq!(*fifo[2].bv(), data_out);
                }
                if inputs.reset {
                    model.clear();
                    data_out = BitVec::zero(width);
                } else if inputs.enqueue && !inputs.dequeue && !full {
                    model.push_back(inputs.data.clone());
                } else if inputs.dequeue && !inputs.enqueue && !model.is_empty() {
                    data_out = model.pop_front().expect("it is not empty");
                }
                inputs = Inputs::random(&mut rng, width);
                simulator.step(|_| unreachable!("every state has a next value"), inputs.values());
            }
            assert!(was_full > 50, "depth {depth} was full {was_full} times");
        }
    }

    #[test]
    fn the_bug_shows_when_the_fifo_is_full() {
        let system = fifo_with_bug(8, 4).unwrap();
        let (_, bad) = system.bads().next().unwrap();
        let enqueue =
            Inputs { reset: false, enqueue: true, dequeue: false, data: BitVec::new(8, 7) };
        let mut rng = Rng::new(1);
        let mut simulator = Simulator::new(&system, |_| noise(&mut rng, 8, 4), enqueue.values());
        for _ in 0..4 {
            assert!(!simulator.holds(bad));
            simulator.step(|_| unreachable!("every state has a next value"), enqueue.values());
        }
        assert!(simulator.holds(bad));
    }

    #[test]
    fn the_smallest_ones_by_exhaustive_search() {
        let verdict = |system| search(&system, 4_000_000).unwrap();
        assert_eq!(verdict(fifo(1, 2).unwrap()), [(PropertyId(0), Outcome::Safe)]);
        assert_eq!(verdict(fifo_with_bug(1, 2).unwrap()), [(PropertyId(0), Outcome::Unsafe(2))]);
    }

    #[test]
    fn the_size_is_linear_in_the_depth_and_bad_parameters_are_refused() {
        let nodes = |depth| fifo(32, depth).unwrap().pool().len();
        assert!(nodes(1024) < 3 * 1024 + 100, "{}", nodes(1024));
        assert_eq!(fifo(0, 4).unwrap_err(), FifoError::Width(0));
        for depth in [0, 1, 3, MAX_DEPTH * 2] {
            assert_eq!(fifo(8, depth).unwrap_err(), FifoError::Depth(depth));
        }
    }
}
