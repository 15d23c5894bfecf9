//! Mutual exclusion by Peterson's algorithm for many processes ("Myths about the
//! mutual exclusion problem", IPL 1981), and the same with few switches.
//!
//! A process climbs through waiting rooms, one room fewer than there are processes:
//!
//! ```text
//! for l in 1..processes {
//!     level[id] = l;
//!     last[l] = id;
//!     while last[l] == id && ∃ k ≠ id: level[k] >= l {}
//! }
//! // critical section
//! level[id] = 0;
//! ```
//!
//! One process moves per cycle, the one whose number the input `process` has; with
//! a number that no process has, nothing changes. The steps are those of Algorithm
//! 12 in Blankestijn, "Solving incrementally harder instances with Incremental
//! Property Directed Reachability" (Leiden, 2023): where a process stands is a pair
//! of program counter and level,
//!
//! | `pc` | the step from there |
//! |---|---|
//! | 0 | idle: to level 1 and 1 |
//! | 1 | is there a room at this level? then to 2, else to 4 |
//! | 2 | write the number of the process to `last` of this level, to 3 |
//! | 3 | stay while it has to wait; then to the next level and 1 |
//! | 4 | critical: to level 0 and 0 |
//!
//! The condition in 3 is read in one step. Two slips in that text are mended: 4 is
//! left at the level at which it was entered, and 3 compares the levels of others
//! with that of the process.
//!
//! A process passes its pairs in one order only, and its register `location` counts
//! them in unary: bit `j` says that more than `j` steps were made since the process
//! was idle. Then "level at least `l`", "has written `last` of `l`" and "is past room
//! `l`" are single bits, and the inductive invariant is short: whoever wrote `last`
//! of `l` stands in room `l` when another is there or beyond, and at most
//! `processes − l` are past room `l`. With one bit for each location instead, PDR
//! took many times as long for four processes; with `pc` and `level` in binary, six
//! times as long for five. The labels `pc` and `level` name the location as the
//! algorithm does; they are no outputs, since other tools take outputs of a circuit for
//! properties.

use elinvar_ir::{
    BinaryOp, BitVec, ExprId, Named, Pool, Sort, SortError, SystemBuilder, TransitionSystem,
};

/// The largest number of processes that is built.
pub const MAX_PROCESSES: u32 = 64;

/// The largest limit to switches that is built.
pub const MAX_SWITCHES: u32 = 1000;

/// There is no such model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PetersonError {
    /// The number of processes is out of range.
    #[error("the number of processes must be between 2 and {MAX_PROCESSES}, not {0}")]
    Processes(u32),
    /// The limit of context switches is out of range.
    #[error("{0} switches are too many; the limit is {MAX_SWITCHES}")]
    Switches(u32),
}

/// How often another process may move than the one that moved before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switches {
    /// As often as it likes.
    Any,
    /// At most as often as the input `limit` says, which is meant to be replaced by
    /// a number up to `most`: a greater number has all the steps of a smaller one.
    ///
    /// The register `previous` has the bit of the process that moved before, none at
    /// first, and `count` the number of switches so far, in unary: then what was learnt
    /// of the runs with few switches remains true when more are allowed, with one
    /// literal more. A state counts only while there are at most `limit`. Values of
    /// `limit` greater than `most` mean no limit at all.
    Limited {
        /// The largest limit.
        most: u32,
    },
}

/// Peterson's algorithm; safe.
pub fn peterson(processes: u32, switches: Switches) -> Result<TransitionSystem, PetersonError> {
    fits(processes, switches)?;
    Ok(build(processes, processes - 1, switches).expect("widths follow from the numbers"))
}

/// The same with a room too few, so that processes enter one level too early; unsafe
/// with [`Switches::Any`] and with a limit that is not too small.
pub fn peterson_with_bug(
    processes: u32,
    switches: Switches,
) -> Result<TransitionSystem, PetersonError> {
    fits(processes, switches)?;
    Ok(build(processes, processes - 2, switches).expect("widths follow from the numbers"))
}

fn fits(processes: u32, switches: Switches) -> Result<(), PetersonError> {
    if !(2..=MAX_PROCESSES).contains(&processes) {
        return Err(PetersonError::Processes(processes));
    }
    match switches {
        Switches::Limited { most } if most > MAX_SWITCHES => Err(PetersonError::Switches(most)),
        Switches::Limited { .. } | Switches::Any => Ok(()),
    }
}

fn build(processes: u32, rooms: u32, switches: Switches) -> Result<TransitionSystem, SortError> {
    let mut b = SystemBuilder::new();
    let scheduler = Scheduler::new(&mut b, processes)?;
    let locations: Vec<Location> =
        (0..processes).map(|id| Location::new(&mut b, id, rooms)).collect::<Result<_, _>>()?;
    let lasts: Vec<ExprId> = (1..=rooms)
        .map(|level| register(&mut b, width_of(processes - 1), &format!("last{level}")))
        .collect::<Result<_, _>>()?;
    for id in 0..locations.len() {
        let waits = (1..=rooms)
            .map(|level| has_to_wait(&mut b.pool, &locations, &lasts, id, level))
            .collect::<Result<Vec<_>, _>>()?;
        let next = locations[id].after_step(&mut b.pool, scheduler.moves[id], &waits)?;
        set_next(&mut b, locations[id].word, next);
    }
    for (level, &last) in (1..).zip(&lasts) {
        let next = scheduler.last(&mut b.pool, &locations, level, last)?;
        set_next(&mut b, last, next);
    }
    if let Switches::Limited { most } = switches {
        scheduler.limit(&mut b, most)?;
    }
    let critical = Vec::from_iter(locations.iter().map(Location::critical));
    let two = two_of(&mut b.pool, &critical)?;
    b.bad("mutex", two);
    Ok(b.finish().expect("every register has its next value"))
}

/// Who moves.
struct Scheduler {
    /// The input `process`.
    process: ExprId,
    /// For each process, whether it moves.
    moves: Vec<ExprId>,
}

impl Scheduler {
    fn new(b: &mut SystemBuilder, processes: u32) -> Result<Self, SortError> {
        let process = b.input(Sort::Bv(width_of(processes - 1)), Some("process"))?;
        let moves = (0..processes).map(|id| equals(&mut b.pool, process, id));
        let moves = moves.collect::<Result<_, _>>()?;
        Ok(Scheduler { process, moves })
    }

    /// The next value of `last` of a level: the process that now writes it.
    fn last(
        &self,
        pool: &mut Pool,
        locations: &[Location],
        level: u32,
        last: ExprId,
    ) -> Result<ExprId, SortError> {
        let mut written = pool.bool(false);
        for (&moves, location) in self.moves.iter().zip(locations) {
            let writing = location.writing(pool, level)?;
            let writes = pool.and(moves, writing)?;
            written = pool.or(written, writes)?;
        }
        pool.ite(written, self.process, last)
    }

    /// Counts the switches and bounds them by an input.
    fn limit(&self, b: &mut SystemBuilder, most: u32) -> Result<(), SortError> {
        let width = width_of(u64::from(most) + 1);
        let limit = b.input(Sort::Bv(width), Some("limit"))?;
        let previous = register(b, self.moves.len() as u32, "previous")?;
        let count = register(b, most + 1, "count")?;
        let pool = &mut b.pool;
        let mover = word(pool, &self.moves)?;
        let (any_moves, same) = (pool.redor(mover)?, pool.and(mover, previous)?);
        let (any_before, same) = (pool.redor(previous)?, pool.redor(same)?);
        let both = pool.and(any_moves, any_before)?;
        let other = pool.not(same)?;
        let switch = pool.and(both, other)?;
        let (mut bits, mut over) = (Vec::new(), pool.bool(false));
        let (mut below, mut all) = (pool.bool(true), pool.bool(true));
        for bit in 0..=most {
            let more = pool.slice(count, bit, bit)?;
            let (limited, risen) = (equals(pool, limit, bit)?, pool.and(switch, below)?);
            // More than `bit` switches are too many: a greater limit allows more, also
            // where `count` is not a unary number.
            all = pool.and(all, more)?;
            let exceeded = pool.and(limited, all)?;
            over = pool.or(over, exceeded)?;
            bits.push(pool.or(more, risen)?);
            below = more;
        }
        let next_count = word(pool, &bits)?;
        let next_previous = pool.ite(any_moves, mover, previous)?;
        let within = pool.not(over)?;
        set_next(b, count, next_count);
        set_next(b, previous, next_previous);
        b.constraints.push(within);
        Ok(())
    }
}

/// Where a process stands: see the preface.
struct Location {
    /// The register.
    word: ExprId,
    /// Its bits, bit `j` set after more than `j` steps.
    bits: Vec<ExprId>,
}

/// The steps from idle to `pc` at a level; the critical section follows upon 1 at
/// the level above the last room.
fn steps(pc: u32, level: u32) -> usize {
    (3 * (level - 1) + pc) as usize
}

impl Location {
    fn new(b: &mut SystemBuilder, id: u32, rooms: u32) -> Result<Self, SortError> {
        let most = steps(1, rooms + 1) as u32 + 1;
        let word = register(b, most, &format!("location{id}"))?;
        let bits = (0..most).map(|bit| b.pool.slice(word, bit, bit)).collect::<Result<_, _>>()?;
        let location = Location { word, bits };
        location.label(b, id, rooms)?;
        Ok(location)
    }

    /// Adds the labels `pc` and `level`.
    fn label(&self, b: &mut SystemBuilder, id: u32, rooms: u32) -> Result<(), SortError> {
        let width = width_of(rooms + 1);
        let mut pc = b.pool.constant(BitVec::zero(3));
        let mut level = b.pool.constant(BitVec::zero(width));
        for (made, &bit) in (0..).zip(&self.bits) {
            let critical = made as usize + 1 == self.bits.len();
            let here = b.pool.constant(BitVec::new(3, if critical { 4 } else { made % 3 + 1 }));
            pc = b.pool.ite(bit, here, pc)?;
            let here = b.pool.constant(BitVec::new(width, made / 3 + 1));
            level = b.pool.ite(bit, here, level)?;
        }
        b.labels.push(Named { name: format!("pc{id}"), expr: pc });
        b.labels.push(Named { name: format!("level{id}"), expr: level });
        Ok(())
    }

    fn level_at_least(&self, level: u32) -> ExprId {
        self.reached(steps(1, level))
    }

    /// About to write `last` of the level.
    fn writing(&self, pool: &mut Pool, level: u32) -> Result<ExprId, SortError> {
        let written = pool.not(self.reached(steps(3, level)))?;
        pool.and(self.reached(steps(2, level)), written)
    }

    fn critical(&self) -> ExprId {
        self.reached(self.bits.len())
    }

    /// After this many steps from idle or more.
    fn reached(&self, steps: usize) -> ExprId {
        self.bits[steps - 1]
    }

    /// The next value: one step more, unless the process does not move or has to
    /// wait in the room it is in; idle after the critical section.
    fn after_step(
        &self,
        pool: &mut Pool,
        moves: ExprId,
        waits: &[ExprId],
    ) -> Result<ExprId, SortError> {
        let mut stepped = vec![pool.bool(true)];
        stepped.extend(&self.bits[..self.bits.len() - 1]);
        for (level, &wait) in (1..).zip(waits) {
            let (waiting, goes) = (steps(3, level), pool.not(wait)?);
            stepped[waiting] = pool.and(self.reached(waiting), goes)?;
        }
        let stepped = word(pool, &stepped)?;
        let onward = pool.or(self.word, stepped)?;
        let idle = pool.constant(BitVec::zero(self.bits.len() as u32));
        let after = pool.ite(self.critical(), idle, onward)?;
        pool.ite(moves, after, self.word)
    }
}

/// Whether a process in the room of this level has to stay there: it came last and
/// another is at this level or above.
fn has_to_wait(
    pool: &mut Pool,
    locations: &[Location],
    lasts: &[ExprId],
    id: usize,
    level: u32,
) -> Result<ExprId, SortError> {
    let others = locations.iter().enumerate().filter(|&(other, _)| other != id);
    let any = pool.disjoin(others.map(|(_, other)| other.level_at_least(level)))?;
    let came_last = equals(pool, lasts[level as usize - 1], id as u32)?;
    pool.and(came_last, any)
}

fn two_of(pool: &mut Pool, bits: &[ExprId]) -> Result<ExprId, SortError> {
    let (mut one, mut two) = (pool.bool(false), pool.bool(false));
    for &bit in bits {
        let both = pool.and(one, bit)?;
        two = pool.or(two, both)?;
        one = pool.or(one, bit)?;
    }
    Ok(two)
}

/// A register that starts at zero.
fn register(b: &mut SystemBuilder, width: u32, name: &str) -> Result<ExprId, SortError> {
    let symbol = b.state(Sort::Bv(width), Some(name))?;
    let zero = b.pool.constant(BitVec::zero(width));
    b.states.last_mut().expect("the one just declared").init = Some(zero);
    Ok(symbol)
}

fn set_next(b: &mut SystemBuilder, symbol: ExprId, next: ExprId) {
    let state = b.states.iter_mut().find(|state| state.symbol == symbol);
    state.expect("registers are states").next = Some(next);
}

/// The word of these bits, the lowest first.
fn word(pool: &mut Pool, bits: &[ExprId]) -> Result<ExprId, SortError> {
    let mut rest = bits.iter();
    let mut word = *rest.next().expect("words have bits");
    for &bit in rest {
        word = pool.binary(BinaryOp::Concat, bit, word)?;
    }
    Ok(word)
}

fn equals(pool: &mut Pool, word: ExprId, number: u32) -> Result<ExprId, SortError> {
    let number = pool.constant(BitVec::new(pool.width(word), number.into()));
    pool.equal(word, number)
}

/// The bits that a number up to this one needs.
fn width_of(most: impl Into<u64>) -> u32 {
    most.into().max(1).ilog2() + 1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::{Outcome, search};
    use elinvar_check::{Budget, certificate};
    use elinvar_ir::{Evaluator, PropertyId, Role, Value, Verdict};

    use super::*;
    use elinvar_engines::pdr::{Pdr, PdrOptions};
    use elinvar_engines::{Run, Task};

    /// A state as the algorithm has it.
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
    struct Plain {
        pc: Vec<u64>,
        level: Vec<u64>,
        last: Vec<u64>,
        /// Without a limit, always none and zero.
        previous: Option<usize>,
        count: u64,
    }

    impl Plain {
        fn start(processes: usize, rooms: usize) -> Self {
            let zeros = |length| vec![0; length];
            let (pc, level, last) = (zeros(processes), zeros(processes), zeros(rooms));
            Plain { pc, level, last, previous: None, count: 0 }
        }

        /// A step of a process; switches are counted up to a greatest number.
        fn step(&self, id: usize, greatest: Option<u64>) -> Plain {
            let mut next = self.clone();
            let level = self.level[id];
            match self.pc[id] {
                0 => (next.pc[id], next.level[id]) = (1, 1),
                1 => next.pc[id] = if level <= self.last.len() as u64 { 2 } else { 4 },
                2 => (next.pc[id], next.last[level as usize - 1]) = (3, id as u64),
                3 => {
                    let mut others = (0..self.pc.len()).filter(|&other| other != id);
                    let came_last = self.last[level as usize - 1] == id as u64;
                    if !(came_last && others.any(|other| self.level[other] >= level)) {
                        (next.pc[id], next.level[id]) = (1, level + 1);
                    }
                }
                _ => (next.pc[id], next.level[id]) = (0, 0),
            }
            if let Some(greatest) = greatest {
                let switches = self.previous.is_some_and(|previous| previous != id);
                next.count = (self.count + u64::from(switches)).min(greatest);
                next.previous = Some(id);
            }
            next
        }

        fn is_bad(&self) -> bool {
            self.pc.iter().filter(|&&pc| pc == 4).count() > 1
        }
    }

    /// Runs the system and the algorithm beside each other through all that can be
    /// reached, with the same `limit` in all cycles: they do the same.
    fn reached(system: &TransitionSystem, start: Plain, limit: u64) -> BTreeSet<Plain> {
        let pool = system.pool();
        let nexts = Vec::from_iter(system.states().iter().map(|state| state.next.unwrap()));
        let inits = system.states().iter().map(|state| state.init.unwrap());
        let labels = system.labels().iter().map(|label| label.expr);
        let bad = system.bad(PropertyId(0)).unwrap();
        let constraints = system.constraints();
        let roots = nexts.iter().chain(constraints).copied().chain(labels).chain([bad]);
        let mut evaluator = Evaluator::new(pool, roots);
        let width = pool.width(system.inputs()[0].symbol);
        let counter = (0..system.states().len()).find(|&i| system.state_name(i) == "count");
        let greatest = counter.map(|i| pool.width(system.states()[i].symbol).into());
        let first = inits.map(|init| pool.const_value(init).unwrap());
        let mut todo = vec![(first.collect::<Vec<BitVec>>(), start)];
        let mut seen = BTreeSet::new();
        while let Some((state, plain)) = todo.pop() {
            if seen.contains(&plain) {
                continue;
            }
            for process in 0..1 << width {
                evaluator.run(|symbol| match system.role_of(symbol).unwrap() {
                    Role::Input(0) => Value::Bv(BitVec::new(width, process)),
                    Role::Input(_) => Value::Bv(BitVec::new(pool.width(symbol), limit)),
                    Role::State(index) => Value::Bv(state[index].clone()),
                });
                assert_eq!(read(system, &state, &evaluator), plain);
                assert_eq!(evaluator.holds(bad), plain.is_bad());
                let counts = constraints.iter().all(|&constraint| evaluator.holds(constraint));
                assert_eq!(counts, plain.count <= limit);
                if counts {
                    let next = nexts.iter().map(|&next| evaluator.bv(next)).collect::<Vec<_>>();
                    let id = process as usize;
                    if id < plain.pc.len() {
                        todo.push((next, plain.step(id, greatest)));
                    } else {
                        assert_eq!(next, state);
                    }
                    seen.insert(plain.clone());
                }
            }
        }
        seen
    }

    /// The state as its names say.
    fn read(system: &TransitionSystem, state: &[BitVec], evaluator: &Evaluator) -> Plain {
        let number = |value: &BitVec| value.to_u64().unwrap();
        let labels = |prefix: &str| {
            let named = system.labels().iter().filter(|label| label.name.starts_with(prefix));
            named.map(|label| number(&evaluator.bv(label.expr))).collect()
        };
        let registers = |prefix: &str| {
            let named = (0..state.len()).filter(|&i| system.state_name(i).starts_with(prefix));
            named.map(|index| number(&state[index])).collect::<Vec<u64>>()
        };
        let previous = registers("previous").first().copied().unwrap_or(0);
        assert!(previous == 0 || previous.is_power_of_two());
        Plain {
            pc: labels("pc"),
            level: labels("level"),
            last: registers("last"),
            previous: previous.checked_ilog2().map(|bit| bit as usize),
            count: registers("count").first().map_or(0, |count| count.count_ones().into()),
        }
    }

    fn reached_by_peterson(processes: u32, switches: Switches, limit: u64) -> BTreeSet<Plain> {
        let system = peterson(processes, switches).unwrap();
        let start = Plain::start(processes as usize, processes as usize - 1);
        reached(&system, start, limit)
    }

    fn reached_with_bug(processes: u32, switches: Switches, limit: u64) -> BTreeSet<Plain> {
        let system = peterson_with_bug(processes, switches).unwrap();
        let start = Plain::start(processes as usize, processes as usize - 2);
        reached(&system, start, limit)
    }

    #[test]
    fn the_steps_are_those_of_the_algorithm() {
        for (processes, number) in [(2, 42), (3, 774), (4, 15_624)] {
            let states = reached_by_peterson(processes, Switches::Any, 0);
            assert_eq!(states.len(), number);
            assert!(!states.iter().any(Plain::is_bad));
            assert!(states.iter().any(|state| state.pc.contains(&4)));
        }
    }

    #[test]
    fn with_a_limit_too() {
        for (processes, limit, number) in [(2, 10, 677), (3, 4, 4729), (3, 0, 38)] {
            for most in [limit, 20] {
                let switches = Switches::Limited { most };
                let states = reached_by_peterson(processes, switches, limit.into());
                assert_eq!(states.len(), number);
            }
        }
    }

    #[test]
    fn the_greatest_limit_is_none() {
        let places = |states: BTreeSet<Plain>| {
            let place = |state: Plain| (state.pc, state.level, state.last);
            states.into_iter().map(place).collect::<BTreeSet<_>>().len()
        };
        let switches = Switches::Limited { most: 2 };
        assert_eq!(places(reached_by_peterson(3, switches, 2)), 594);
        assert_eq!(places(reached_by_peterson(3, switches, 3)), 774);
    }

    #[test]
    fn a_room_too_few_is_unsafe() {
        for (processes, number, depth) in [(2, 9, 4), (3, 243, 13)] {
            assert_eq!(reached_with_bug(processes, Switches::Any, 0).len(), number);
            let verdict = |system| search(&system, 1 << 20).unwrap();
            let bug = peterson_with_bug(processes, Switches::Any).unwrap();
            assert_eq!(verdict(bug), [(PropertyId(0), Outcome::Unsafe(depth))]);
            let right = peterson(processes, Switches::Any).unwrap();
            assert_eq!(verdict(right), [(PropertyId(0), Outcome::Safe)]);
        }
    }

    #[test]
    fn the_bug_needs_switches() {
        for (processes, enough) in [(2, 1), (3, 3)] {
            for limit in 0..=enough {
                let states = reached_with_bug(processes, Switches::Limited { most: 3 }, limit);
                let bad = states.iter().any(Plain::is_bad);
                assert_eq!(bad, limit == enough, "{processes} processes, {limit} switches");
            }
        }
    }

    #[test]
    fn four_processes_are_proved() {
        let system = peterson(4, Switches::Any).unwrap();
        let task = Task::about(&system, &[PropertyId(0)], &Run::new());
        let verdicts = task.check(&mut Pdr(PdrOptions::default())).unwrap();
        let [Verdict::Safe(proof)] = &verdicts[..] else { panic!("{verdicts:?}") };
        assert_eq!(certificate(&system, PropertyId(0), proof, &Budget::default()), Ok(()));
    }

    #[test]
    fn numbers_have_limits() {
        for processes in [0, 1, MAX_PROCESSES + 1] {
            let error = peterson(processes, Switches::Any).unwrap_err();
            assert_eq!(error, PetersonError::Processes(processes));
            assert!(peterson_with_bug(processes, Switches::Any).is_err());
        }
        assert!(peterson(2, Switches::Limited { most: MAX_SWITCHES }).is_ok());
        for most in [MAX_SWITCHES + 1, u32::MAX] {
            let error = peterson(2, Switches::Limited { most }).unwrap_err();
            assert_eq!(error, PetersonError::Switches(most));
        }
        let text = PetersonError::Processes(1).to_string();
        assert_eq!(text, "the number of processes must be between 2 and 64, not 1");
    }
}
