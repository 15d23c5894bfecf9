//! A shift register of words with their parity.
//!
//! A word of three bits enters in every cycle together with its parity, and moves
//! on by one stage. Bad is a word in the last stage whose parity does not fit.
//!
//! What is inductive speaks of every stage: a parity of four bits is eight clauses,
//! so the shortest proof by clauses has `8 · stages` of them, and the states it has
//! to exclude are found from the last stage to the first, one stage a step.

use elinvar_ir::{ExprId, Pool, Sort, SortError, SystemBuilder, TransitionSystem};

use super::{SizeError, of_size};

/// The bits of a word without its parity.
const WIDTH: usize = 3;

/// The shift register; safe.
pub fn shift_parity(stages: u32) -> Result<TransitionSystem, SizeError> {
    of_size(stages, 1, |stages| build(stages, Entry::Sound))
}

/// The same where a further input disturbs a word after its parity was computed;
/// unsafe, with a shortest counterexample of `stages` steps.
pub fn shift_parity_with_bug(stages: u32) -> Result<TransitionSystem, SizeError> {
    of_size(stages, 1, |stages| build(stages, Entry::Disturbed))
}

/// How words come in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    Sound,
    Disturbed,
}

fn build(stages: u32, entry: Entry) -> Result<TransitionSystem, SortError> {
    let mut b = SystemBuilder::new();
    let mut word = Vec::new();
    for bit in 0..WIDTH {
        word.push(b.input(Sort::BOOL, Some(&format!("in{bit}")))?);
    }
    let parity = parity(&mut b.pool, &word)?;
    if entry == Entry::Disturbed {
        let noise = b.input(Sort::BOOL, Some("noise"))?;
        word[0] = b.pool.xor(word[0], noise)?;
    }
    word.push(parity);
    let zero = b.pool.bool(false);
    for stage in 0..stages {
        for (bit, before) in word.iter_mut().enumerate() {
            let name =
                if bit < WIDTH { format!("s{stage}_{bit}") } else { format!("s{stage}_parity") };
            let state = b.state(Sort::BOOL, Some(&name))?;
            let register = b.states.last_mut().expect("just added");
            register.init = Some(zero);
            register.next = Some(*before);
            *before = state;
        }
    }
    let bad = self::parity(&mut b.pool, &word)?;
    b.bad("parity_wrong", bad);
    Ok(b.finish().expect("every register has its next value"))
}

fn parity(pool: &mut Pool, bits: &[ExprId]) -> Result<ExprId, SortError> {
    let even = pool.bool(false);
    bits.iter().try_fold(even, |sum, &bit| pool.xor(sum, bit))
}
