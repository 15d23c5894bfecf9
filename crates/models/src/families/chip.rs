//! A design of many units with ten properties each, for campaigns.
//!
//! Each unit has a phase that goes around (one-hot), a queue of which only the number of elements
//! is kept, two accumulators that do the same, a short shift register with its parity, a flag,
//! and a counter of rounds. A unit moves on when its request comes and the unit before it in its
//! cluster is not in its last phase, so that the properties of a cluster of `CLUSTER` units
//! depend on common registers. A unit has about 500 gates.
//!
//! Of the ten properties of a unit, some are inductive, some need lemmas, and one of every fourth
//! unit fails, after 17 cycles if no unit waits. [`chip_edited`] has other constants in the
//! accumulators of some units, as after an edit of the design: all verdicts stay the same.

use elinvar_ir::{
    BinaryOp, BitVec, ExprId, Sort, SortError, SystemBuilder, TransitionSystem, UnaryOp,
};

use super::{SizeError, of_size};

/// The number of units that depend on each other.
pub const CLUSTER: u32 = 8;

/// The phases of a unit.
const PHASES: u32 = 8;
/// The most elements of a queue.
const FULL: u64 = 10;
/// The most rounds that a unit without the fault counts.
const ROUNDS: u64 = 1;

/// The design with so many units.
pub fn chip(units: u32) -> Result<TransitionSystem, SizeError> {
    chip_edited(units, 0)
}

/// The same after an edit of every unit whose number is a multiple of `every`; of none if it is
/// zero.
pub fn chip_edited(units: u32, every: u32) -> Result<TransitionSystem, SizeError> {
    of_size(units, 1, |units| build(units, every))
}

fn build(units: u32, every: u32) -> Result<TransitionSystem, SortError> {
    let mut b = SystemBuilder::new();
    let data = b.input(Sort::Bv(16), Some("data"))?;
    let mut before = None;
    for number in 0..units {
        if number % CLUSTER == 0 {
            before = None;
        }
        let is_edited = every > 0 && number % every == 0;
        let factor = if is_edited { 0x2d31 } else { 0x1b57 };
        let unit = Unit { number, data, before, factor };
        before = Some(unit.build(&mut b)?);
    }
    Ok(b.finish().expect("every register has its next value"))
}

/// A unit that is to be built.
struct Unit {
    number: u32,
    data: ExprId,
    /// The last phase of the unit before.
    before: Option<ExprId>,
    factor: u64,
}

impl Unit {
    fn register(&self, b: &mut SystemBuilder, name: &str, width: u32, init: u64) -> Register {
        let name = format!("u{}.{name}", self.number);
        let symbol = b.state(Sort::Bv(width), Some(&name)).expect("a short word");
        let init = b.pool.constant(BitVec::new(width, init));
        let place = b.states.len() - 1;
        b.states[place].init = Some(init);
        Register { symbol, place }
    }

    fn bad(&self, b: &mut SystemBuilder, name: &str, bad: ExprId) {
        b.bad(format!("u{}.{name}", self.number), bad);
    }

    /// Builds the unit and returns its last phase.
    fn build(&self, b: &mut SystemBuilder) -> Result<ExprId, SortError> {
        let request = b.input(Sort::BOOL, Some(&format!("u{}.request", self.number)))?;
        let push = b.input(Sort::BOOL, Some(&format!("u{}.push", self.number)))?;
        let moves = match self.before {
            Some(before) => {
                let free = b.pool.not(before)?;
                b.pool.and(request, free)?
            }
            None => request,
        };
        let phase = self.phase(b, moves)?;
        let bit = |b: &mut SystemBuilder, at| b.pool.slice(phase, at, at);
        let (first, third, last) = (bit(b, 0)?, bit(b, 3)?, bit(b, PHASES - 1)?);
        self.queue(b, push, third)?;
        self.accumulators(b, moves)?;
        self.parity(b, moves)?;
        self.flag(b, first, third, phase)?;
        self.rounds(b, moves, last)?;
        Ok(last)
    }

    fn phase(&self, b: &mut SystemBuilder, moves: ExprId) -> Result<ExprId, SortError> {
        let phase = self.register(b, "phase", PHASES, 1);
        let low = b.pool.slice(phase.symbol, PHASES - 2, 0)?;
        let high = b.pool.slice(phase.symbol, PHASES - 1, PHASES - 1)?;
        let turned = b.pool.binary(BinaryOp::Concat, low, high)?;
        phase.follow(b, moves, turned)?;
        let some = b.pool.redor(phase.symbol)?;
        let none = b.pool.not(some)?;
        self.bad(b, "no_phase", none);
        let overlap = b.pool.and(phase.symbol, turned)?;
        let neighbours = b.pool.redor(overlap)?;
        self.bad(b, "neighbours", neighbours);
        let pair = [1, 5].map(|at| b.pool.slice(phase.symbol, at, at));
        let [one, five] = pair;
        let both = b.pool.and(one?, five?)?;
        self.bad(b, "one_and_five", both);
        Ok(phase.symbol)
    }

    fn queue(&self, b: &mut SystemBuilder, push: ExprId, pop: ExprId) -> Result<(), SortError> {
        let count = self.register(b, "count", 5, 0);
        let [zero, one, full, eleven] =
            [0, 1, FULL, FULL + 1].map(|value| b.pool.constant(BitVec::new(5, value)));
        let is_full = b.pool.equal(count.symbol, full)?;
        let is_empty = b.pool.equal(count.symbol, zero)?;
        let more = b.pool.binary(BinaryOp::Add, count.symbol, one)?;
        let less = b.pool.binary(BinaryOp::Sub, count.symbol, one)?;
        let pushed = b.pool.ite(is_full, count.symbol, more)?;
        let popped = b.pool.ite(is_empty, count.symbol, less)?;
        let kept = b.pool.ite(pop, popped, count.symbol)?;
        b.states[count.place].next = Some(b.pool.ite(push, pushed, kept)?);
        let within = b.pool.ule(count.symbol, full)?;
        let beyond = b.pool.not(within)?;
        self.bad(b, "overflow", beyond);
        let is_eleven = b.pool.equal(count.symbol, eleven)?;
        self.bad(b, "eleven", is_eleven);
        Ok(())
    }

    fn accumulators(&self, b: &mut SystemBuilder, moves: ExprId) -> Result<(), SortError> {
        let factor = b.pool.constant(BitVec::new(16, self.factor));
        let names = ["sum", "copy"];
        let registers = names.map(|name| self.register(b, name, 16, 0));
        for register in &registers {
            let mixed = b.pool.xor(register.symbol, factor)?;
            let sum = b.pool.binary(BinaryOp::Add, mixed, self.data)?;
            register.follow(b, moves, sum)?;
        }
        let same = b.pool.equal(registers[0].symbol, registers[1].symbol)?;
        let differ = b.pool.not(same)?;
        self.bad(b, "differ", differ);
        let low = b.pool.slice(registers[0].symbol, 3, 0)?;
        let other = b.pool.slice(registers[1].symbol, 3, 0)?;
        let same = b.pool.equal(low, other)?;
        let differ = b.pool.not(same)?;
        self.bad(b, "low_differ", differ);
        Ok(())
    }

    fn parity(&self, b: &mut SystemBuilder, moves: ExprId) -> Result<(), SortError> {
        let (word, parity) = (self.register(b, "word", 5, 0), self.register(b, "parity", 1, 0));
        let incoming = b.pool.slice(self.data, 0, 0)?;
        let low = b.pool.slice(word.symbol, 3, 0)?;
        let outgoing = b.pool.slice(word.symbol, 4, 4)?;
        let shifted = b.pool.binary(BinaryOp::Concat, low, incoming)?;
        word.follow(b, moves, shifted)?;
        let changed = b.pool.xor(incoming, outgoing)?;
        let next = b.pool.xor(parity.symbol, changed)?;
        parity.follow(b, moves, next)?;
        let expected = b.pool.unary(UnaryOp::RedXor, word.symbol)?;
        let wrong = b.pool.xor(expected, parity.symbol)?;
        self.bad(b, "parity", wrong);
        Ok(())
    }

    /// The flag is set from the third phase to the first one.
    fn flag(
        &self,
        b: &mut SystemBuilder,
        first: ExprId,
        third: ExprId,
        phase: ExprId,
    ) -> Result<(), SortError> {
        let flag = self.register(b, "flag", 1, 0);
        let stays = b.pool.not(first)?;
        let kept = b.pool.and(flag.symbol, stays)?;
        b.states[flag.place].next = Some(b.pool.or(kept, third)?);
        let late = b.pool.slice(phase, 5, 5)?;
        let unset = b.pool.not(flag.symbol)?;
        let missing = b.pool.and(late, unset)?;
        self.bad(b, "flag", missing);
        Ok(())
    }

    /// Every fourth unit counts on, against its property.
    fn rounds(&self, b: &mut SystemBuilder, moves: ExprId, last: ExprId) -> Result<(), SortError> {
        let rounds = self.register(b, "rounds", 3, 0);
        let [one, most, two] =
            [1, ROUNDS, ROUNDS + 1].map(|value| b.pool.constant(BitVec::new(3, value)));
        let more = b.pool.binary(BinaryOp::Add, rounds.symbol, one)?;
        let is_most = b.pool.equal(rounds.symbol, most)?;
        let stopped = b.pool.ite(is_most, rounds.symbol, more)?;
        let next = if self.number.is_multiple_of(4) { more } else { stopped };
        let around = b.pool.and(moves, last)?;
        rounds.follow(b, around, next)?;
        let is_two = b.pool.equal(rounds.symbol, two)?;
        self.bad(b, "rounds", is_two);
        Ok(())
    }
}

struct Register {
    symbol: ExprId,
    place: usize,
}

impl Register {
    /// The register gets this value in a step with the condition, and keeps its own otherwise.
    fn follow(
        &self,
        b: &mut SystemBuilder,
        condition: ExprId,
        value: ExprId,
    ) -> Result<(), SortError> {
        b.states[self.place].next = Some(b.pool.ite(condition, value, self.symbol)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::PropertyId;

    #[test]
    fn clusters_depend_on_common_registers() {
        let system = chip(10).unwrap();
        assert_eq!(system.properties().len(), 100);
        let cone = |property: usize| {
            let bad = system.bad(PropertyId(property)).unwrap();
            system.cone_of_influence([bad])
        };
        // The phase of unit 7 depends on the phases of the cluster, that of unit 8 on nothing else.
        assert_eq!((cone(70).len(), cone(80).len()), (8, 1));
        let edited = chip_edited(10, 5).unwrap();
        assert_eq!(edited.states().len(), system.states().len());
        assert!(chip(0).is_err());
    }
}
