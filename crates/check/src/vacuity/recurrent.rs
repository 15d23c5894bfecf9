//! Recurrent sets: a run that has entered one never has to leave it.
//!
//! A set A of states of the registers is *recurrent* for a set X of choices (values of the
//! inputs and of the states without next value) if in every state of A some choice of X
//! satisfies the constraints and leads back into A:
//!
//! ∀s ∈ A. ∃x ∈ X. C(s, x) ∧ next(s, x) ∈ A
//!
//! A run that reaches A goes on without end [Gupta, Henzinger, Majumdar, Rybalchenko, Xu:
//! Proving non-termination, POPL 2008]. Here A is a cube: some bits of the registers are
//! fixed, the others are not, and memories are fixed or not as a whole. A starts as the
//! smallest cube around the last states of a run, X with the choices of its last cycle. A state
//! that refutes the formula either has a choice that leads out of A, then A grows so that it
//! contains the successor, or it has none, then a solver looks for one. If there is none,
//! the search ends: A has grown too large, or every run ends, which is not decided here. The
//! set of all states is tried first.
//!
//! Cubes suffice for what makes the states of a run differ for ever: counters of many bits,
//! and data that the constraints do not depend on.

use elinvar_ir::{BitVec, Value};

use super::cone::{Cone, Cycle};
use super::unroll::{Purse, Start, Unrolling, at};
use crate::encode::{Encoder, Term};
use crate::refusal::Refusal;
use crate::solver::Lit;

/// The largest number of choices; the formula has a copy of the cone for each.
const CHOICES: usize = 6;

/// Rounds in which single bits become free. After that whole registers do.
const BY_BITS: usize = 12;

/// The largest number of rounds.
const ROUNDS: usize = 64;

/// How many cycles a state that refutes the formula is followed.
const FOLLOWED: usize = 4;

/// The states around which the first cube is built.
const RECENT: usize = 16;

/// Can this run go on without end, as far as a recurrent set can show it?
pub(super) fn goes_on(
    cone: &mut Cone<'_>,
    run: &[Cycle],
    purse: &mut Purse,
) -> Result<bool, Refusal> {
    let Some(last) = run.last() else { return Ok(false) };
    let mut cube = Cube::around(&cone.registers_of(last));
    for cycle in run.iter().rev().take(RECENT) {
        cube.include(&cone.registers_of(cycle), false);
    }
    let mut choices = Choices::new(cone, purse);
    choices.add(cone, last.clone())?;
    // Often all states will do: then one query decides.
    for cube in [&mut Cube(cube.0.iter().map(|_| Fixed::Nothing).collect()), &mut cube] {
        if search(cone, cube, &mut choices, purse)? {
            return Ok(true);
        }
    }
    purse.pay(&choices.encoder);
    Ok(false)
}

fn search(
    cone: &mut Cone<'_>,
    cube: &mut Cube,
    choices: &mut Choices,
    purse: &mut Purse,
) -> Result<bool, Refusal> {
    for round in 0..ROUNDS {
        purse.expect(&choices.encoder)?;
        let Some(refuting) = choices.refute(cube)? else { return Ok(true) };
        purse.evaluate(cone.size * (choices.all.len() + FOLLOWED) as u64)?;
        let allowed = choices.all.iter().find(|&choice| cone.next(&refuting, choice).is_ok());
        if let Some(choice) = allowed {
            cube.include(&cone.successor(), round >= BY_BITS);
            for _ in 1..FOLLOWED {
                let state = cone.successor();
                if cone.next(&state, choice).is_err() {
                    break;
                }
                cube.include(&cone.successor(), round >= BY_BITS);
            }
            continue;
        }
        let mut unrolling = Unrolling::new(cone, purse);
        unrolling.constrain(Start::At(&refuting))?;
        unrolling.constrain(Start::At(&refuting))?;
        let cycles = unrolling.run()?;
        purse.pay(&unrolling.encoder);
        let Some(cycles) = cycles.filter(|_| choices.all.len() < CHOICES) else {
            return Ok(false);
        };
        choices.add(cone, cycles[0].clone())?;
    }
    Ok(false)
}

/// A set of states: what is fixed in each register.
struct Cube(Vec<Fixed>);

enum Fixed {
    /// The value of a word, of which only the bits with a one in the mask count.
    Bits { value: BitVec, mask: BitVec },
    /// A memory with these contents.
    Memory(Value),
    /// Any value.
    Nothing,
}

impl Cube {
    /// The cube of one state.
    fn around(state: &[Value]) -> Self {
        let fixed = |value: &Value| match value {
            Value::Bv(value) => {
                Fixed::Bits { value: value.clone(), mask: BitVec::zero(value.width()).not() }
            }
            Value::Array(_) => Fixed::Memory(value.clone()),
        };
        Cube(state.iter().map(fixed).collect())
    }

    /// Grows so that it contains a state. If `whole`, registers that differ are not fixed any
    /// more.
    fn include(&mut self, state: &[Value], whole: bool) {
        for (fixed, other) in self.0.iter_mut().zip(state) {
            let is_outside = match (&mut *fixed, other) {
                (Fixed::Bits { value, mask }, Value::Bv(other)) => {
                    let differ = value.xor(other).and(mask);
                    *mask = mask.and(&differ.not());
                    !differ.is_zero() && whole
                }
                (Fixed::Memory(value), other) => value != other,
                (Fixed::Nothing, _) | (Fixed::Bits { .. }, Value::Array(_)) => false,
            };
            if is_outside {
                *fixed = Fixed::Nothing;
            }
        }
    }

    /// The literals that say that a state with these terms is in the cube.
    fn contains(&self, encoder: &mut Encoder, state: &[Term]) -> Result<Vec<Lit>, Refusal> {
        let mut literals = Vec::new();
        for (fixed, term) in self.0.iter().zip(state) {
            match (fixed, term) {
                (Fixed::Bits { value, mask }, Term::Word(word)) => {
                    let bits = value.iter_bits().zip(mask.iter_bits()).zip(word);
                    let fixed = bits.filter(|((_, counts), _)| *counts);
                    literals.extend(fixed.map(|((bit, _), &lit)| if bit { lit } else { !lit }));
                }
                (Fixed::Memory(value), term) => {
                    let value = encoder.constant(value);
                    literals.push(encoder.equal(term, &value)?);
                }
                (Fixed::Nothing, _) | (Fixed::Bits { .. }, Term::Array(_)) => {}
            }
        }
        Ok(literals)
    }
}

/// Some choices, and what each leads to from a state of which nothing is known.
struct Choices {
    encoder: Encoder,
    registers: Vec<Term>,
    all: Vec<Cycle>,
    /// By choice: do the constraints hold, and the registers afterwards.
    outcomes: Vec<(Lit, Vec<Term>)>,
}

impl Choices {
    fn new(cone: &Cone<'_>, purse: &Purse) -> Self {
        let mut encoder = purse.encoder();
        let symbol = |&index: &usize| cone.system.states()[index].symbol;
        let sorts = cone.registers.iter().map(|index| cone.system.pool().sort(symbol(index)));
        let registers = sorts.map(|sort| encoder.fresh(sort)).collect();
        Choices { encoder, registers, all: Vec::new(), outcomes: Vec::new() }
    }

    fn add(&mut self, cone: &Cone<'_>, choice: Cycle) -> Result<(), Refusal> {
        let (system, encoder) = (cone.system, &mut self.encoder);
        let mut frame = at(cone, self.registers.clone());
        let free = cone.states.iter().map(|&index| system.states()[index]);
        let free = free.filter(|state| state.next.is_none()).map(|state| state.symbol);
        let inputs = cone.inputs.iter().map(|&index| system.inputs()[index].symbol);
        for symbol in free.chain(inputs) {
            frame.set(symbol, encoder.constant(cone.value(&choice, symbol)));
        }
        let constraints = frame.constraints(encoder)?;
        let holds = encoder.all(&constraints);
        let nexts = cone.registers.iter().filter_map(|&index| system.states()[index].next);
        let next = nexts.map(|next| frame.encode(encoder, next)).collect::<Result<_, _>>()?;
        self.outcomes.push((holds, next));
        self.all.push(choice);
        Ok(())
    }

    /// SAT?  s ∈ A ∧ ⋀ₓ ¬(C(s, x) ∧ next(s, x) ∈ A)
    fn refute(&mut self, cube: &Cube) -> Result<Option<Vec<Value>>, Refusal> {
        let encoder = &mut self.encoder;
        // The cube is another one in each round.
        let round = encoder.free_literal();
        for (holds, next) in &self.outcomes {
            let inside = cube.contains(encoder, next)?;
            let inside = encoder.all(&inside);
            encoder.assert_any([!round, !*holds, !inside]);
        }
        let mut assumptions = cube.contains(encoder, &self.registers)?;
        assumptions.push(round);
        let terms: Vec<Option<Term>> = self.registers.iter().cloned().map(Some).collect();
        let model = encoder.model_of(&assumptions, &terms)?;
        Ok(model.map(|values| values.into_iter().flatten().collect()))
    }
}
