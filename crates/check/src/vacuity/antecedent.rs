//! Implications whose left side never holds.
//!
//! A property that is checked only under a condition is proved vacuously if the condition is
//! never true. The proofs of the properties say what holds in every cycle of every run: their
//! invariants, and that no bad bit is true. Let F be all of that together with the
//! constraints. A condition q never holds if
//!
//! - F ∧ q is unsatisfiable, or
//! - q is false in the first k cycles of every run, and F ∧ ¬q ∧ T ∧ … ∧ F ∧ ¬q ∧ T ∧ F ∧ q, with
//!   k steps, is unsatisfiable: k-induction [Sheeran, Singh, Stålmarck 2000] with lemmas.
//!
//! Most conditions hold in some run, and then there is nothing to say. So k is small, all
//! conditions share the encoders, and a condition that holds in one of the first cycles is
//! not asked about again. A condition that is not decided is not reported.

use std::collections::BTreeSet;

use elinvar_ir::{Certificate, ExprId, PropertyId, TransitionSystem};
use rustc_hash::FxHashSet;

use super::unroll::CONFLICTS;
use crate::certificate::{Literal, literals_of_bits, literals_of_facts};
use crate::encode::{Encoder, Frame};
use crate::refusal::{Refusal, bad_of};
use crate::solver::{Budget, Lit, SatAnswer};

/// The largest depth of an induction.
const DEPTH: usize = 3;

/// The largest number of literals of invariants that are used.
const LITERALS: usize = 1 << 16;

/// For each of these conjunctions of bits whether it is never true in a run under the
/// constraints, as far as that can be shown within the budget. The properties must have been
/// proved, and the certificates, where they are given, must have been accepted as proofs.
pub fn never_hold(
    system: &TransitionSystem,
    proved: &[(PropertyId, Option<&Certificate>)],
    conditions: &[Vec<ExprId>],
    budget: &Budget,
) -> Vec<bool> {
    let mut never = vec![false; conditions.len()];
    // What was shown before the budget is spent counts.
    search(system, proved, conditions, budget, &mut never).ok();
    never
}

fn search(
    system: &TransitionSystem,
    proved: &[(PropertyId, Option<&Certificate>)],
    conditions: &[Vec<ExprId>],
    budget: &Budget,
    never: &mut [bool],
) -> Result<(), Refusal> {
    let lemmas = Lemmas::of(system, proved)?;
    let mut open: Vec<usize> = (0..conditions.len()).collect();
    let mut paths = Paths::new(&lemmas, conditions, budget);
    paths.grow()?;
    open.retain(|&condition| match paths.is_excluded(condition) {
        Ok(excluded) => {
            never[condition] = excluded;
            !excluded
        }
        Err(_) => false,
    });
    let mut first = FirstCycles::new(&lemmas.system, conditions, budget);
    for _ in 0..DEPTH {
        if open.is_empty() {
            break;
        }
        open = first.not_reached(&open)?;
        paths.grow()?;
        let mut left = Vec::new();
        for condition in open {
            if paths.is_excluded(condition)? {
                never[condition] = true;
            } else {
                left.push(condition);
            }
        }
        open = left;
    }
    Ok(())
}

/// What holds in every cycle of every run.
struct Lemmas {
    /// The system, with the expressions of facts.
    system: TransitionSystem,
    clauses: Vec<Vec<Literal>>,
    bads: Vec<ExprId>,
}

impl Lemmas {
    fn of(
        system: &TransitionSystem,
        proved: &[(PropertyId, Option<&Certificate>)],
    ) -> Result<Self, Refusal> {
        let mut builder = system.clone().into_builder();
        let (mut clauses, mut bads) = (FxHashSet::default(), Vec::new());
        for (property, certificate) in proved {
            bads.push(bad_of(system, *property)?);
            clauses.extend(match certificate {
                Some(Certificate::Inductive { clauses }) => literals_of_bits(system, clauses)?,
                Some(Certificate::Facts { clauses }) => {
                    literals_of_facts(system, &mut builder.pool, clauses)?
                }
                Some(Certificate::KInductive { .. } | Certificate::Formula(_)) | None => Vec::new(),
            });
        }
        let mut clauses: Vec<Vec<Literal>> = clauses.into_iter().collect();
        clauses.sort_by_key(Vec::len);
        let mut literals = 0;
        clauses.retain(|clause| {
            literals += clause.len();
            literals <= LITERALS
        });
        let system = builder.finish().expect("a well-formed system with more expressions");
        Ok(Lemmas { system, clauses, bads })
    }
}

/// A path of any states in which the lemmas and the constraints hold.
struct Paths<'a> {
    lemmas: &'a Lemmas,
    conditions: &'a [Vec<ExprId>],
    states: BTreeSet<usize>,
    encoder: Encoder,
    last: Option<Frame<'a>>,
    /// By cycle and condition.
    holds: Vec<Vec<Lit>>,
}

impl<'a> Paths<'a> {
    fn new(lemmas: &'a Lemmas, conditions: &'a [Vec<ExprId>], budget: &Budget) -> Self {
        let Lemmas { system, clauses, bads } = lemmas;
        let of_lemmas = clauses.iter().flatten().map(Literal::expr).chain(bads.iter().copied());
        let states = states(system, of_lemmas.chain(roots(conditions)));
        let encoder = limited(budget);
        Paths { lemmas, conditions, states, encoder, last: None, holds: Vec::new() }
    }

    /// Adds a cycle.
    fn grow(&mut self) -> Result<(), Refusal> {
        let Lemmas { system, clauses, bads } = self.lemmas;
        let encoder = &mut self.encoder;
        let mut frame = match &mut self.last {
            None => Frame::free(system),
            Some(last) => last.successor(encoder, &self.states)?,
        };
        frame.encode_all(encoder, clauses.iter().flatten().map(Literal::expr))?;
        for clause in clauses {
            encoder.assert_any(clause.iter().map(|literal| literal.in_frame(&frame)));
        }
        for &bad in bads {
            let bad = frame.encode_bit(encoder, bad)?;
            encoder.assert(!bad);
        }
        frame.constrain(encoder)?;
        self.holds.push(hold(encoder, &mut frame, self.conditions)?);
        self.last = Some(frame);
        Ok(())
    }

    /// SAT?  F ∧ ¬q ∧ T ∧ … ∧ F ∧ q
    fn is_excluded(&mut self, condition: usize) -> Result<bool, Refusal> {
        let (last, before) = self.holds.split_last().expect("there is a cycle");
        let before = before.iter().map(|holds| !holds[condition]);
        let assumptions: Vec<Lit> = before.chain([last[condition]]).collect();
        is_unsatisfiable(&mut self.encoder, &assumptions)
    }
}

/// The first cycles of all runs.
struct FirstCycles<'a> {
    system: &'a TransitionSystem,
    conditions: &'a [Vec<ExprId>],
    states: BTreeSet<usize>,
    encoder: Encoder,
    last: Option<Frame<'a>>,
}

impl<'a> FirstCycles<'a> {
    fn new(system: &'a TransitionSystem, conditions: &'a [Vec<ExprId>], budget: &Budget) -> Self {
        let states = states(system, roots(conditions));
        FirstCycles { system, conditions, states, encoder: limited(budget), last: None }
    }

    /// Adds a cycle. Returns those of the conditions that cannot hold in it.
    ///
    /// SAT?  I(s₀, x₀) ∧ C₀ ∧ T ∧ … ∧ Cₙ ∧ qₙ
    fn not_reached(&mut self, open: &[usize]) -> Result<Vec<usize>, Refusal> {
        let mut frame = match &mut self.last {
            None => Frame::initial(&mut self.encoder, self.system, &self.states)?,
            Some(last) => last.successor(&mut self.encoder, &self.states)?,
        };
        frame.constrain(&mut self.encoder)?;
        let holds = hold(&mut self.encoder, &mut frame, self.conditions)?;
        self.last = Some(frame);
        let mut not_reached = Vec::new();
        for &condition in open {
            if is_unsatisfiable(&mut self.encoder, &[holds[condition]])? {
                not_reached.push(condition);
            }
        }
        Ok(not_reached)
    }
}

fn roots(conditions: &[Vec<ExprId>]) -> impl Iterator<Item = ExprId> + '_ {
    conditions.iter().flatten().copied()
}

/// The states that these expressions and the constraints depend on.
fn states(system: &TransitionSystem, roots: impl Iterator<Item = ExprId>) -> BTreeSet<usize> {
    system.cone_of_influence(roots.chain(system.constraints().iter().copied()))
}

fn limited(budget: &Budget) -> Encoder {
    let mut encoder = Encoder::new(budget);
    encoder.limit_conflicts(CONFLICTS);
    encoder
}

/// The literals of the conditions in a frame.
fn hold(
    encoder: &mut Encoder,
    frame: &mut Frame<'_>,
    conditions: &[Vec<ExprId>],
) -> Result<Vec<Lit>, Refusal> {
    frame.encode_all(encoder, roots(conditions))?;
    let holds = |condition: &Vec<ExprId>| {
        let bits: Vec<Lit> = condition.iter().map(|&bit| frame.bit(bit, 0)).collect();
        encoder.all(&bits)
    };
    Ok(conditions.iter().map(holds).collect())
}

fn is_unsatisfiable(encoder: &mut Encoder, assumptions: &[Lit]) -> Result<bool, Refusal> {
    match encoder.solve(assumptions)? {
        SatAnswer::Sat(_) => Ok(false),
        SatAnswer::Unsat => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{BitVec, Rng, Sort, StateBit, SystemBuilder};
    use elinvar_models::{Generator, Outcome, Shape, search as explore};

    use super::*;
    use crate::certificate::certificate;
    use crate::examples::modulo_three;

    /// The condition that the counter of a system has a value.
    fn is(b: &mut SystemBuilder, value: u64) -> Vec<ExprId> {
        let value = b.pool.constant(BitVec::new(3, value));
        vec![b.pool.equal(b.states[0].symbol, value).unwrap()]
    }

    #[test]
    fn proofs_are_lemmas() {
        let mut b = modulo_three();
        let conditions = [2, 3, 6].map(|value| is(&mut b, value));
        let system = b.finish().unwrap();
        let bit = |bit| StateBit { state: system.states()[0].symbol, bit, positive: false };
        let below_three =
            Certificate::Inductive { clauses: vec![vec![bit(2)], vec![bit(0), bit(1)]] };
        let induction = Certificate::KInductive { k: 3, simple_path: false };
        let budget = Budget::default();
        // 3 has no predecessor. 6 has three, one after the other, the first of them 5.
        for (proof, expected) in [
            (None, [false, true, false]),
            (Some(&induction), [false, true, true]),
            (Some(&below_three), [false, true, true]),
        ] {
            let proved: Vec<_> =
                proof.into_iter().map(|proof| (PropertyId(0), Some(proof))).collect();
            if let Some(proof) = proof {
                assert_eq!(certificate(&system, PropertyId(0), proof, &budget), Ok(()));
            }
            assert_eq!(never_hold(&system, &proved, &conditions, &budget), expected, "{proof:?}");
            let spent = Budget { max_gates: 0, ..Budget::default() };
            assert_eq!(never_hold(&system, &proved, &conditions, &spent), [false; 3]);
        }
        let proved = [(PropertyId(0), None)];
        assert_eq!(never_hold(&system, &proved, &conditions, &budget), [false, true, true]);
    }

    /// What is said never to hold is unreachable, whatever the system.
    #[test]
    fn random_conditions_agree_with_exhaustive_search() {
        let mut counts = [0; 2];
        for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS] {
            for seed in 0..150 {
                let mut b = Generator::verbatim(seed, shape).into_builder();
                let is_bit = |&id: &ExprId| b.pool.sort(id) == Sort::BOOL;
                let bits: Vec<ExprId> = b.pool.ids().filter(is_bit).collect();
                if bits.is_empty() {
                    continue;
                }
                let mut rng = Rng::new(seed);
                let condition = vec![rng.pick(&bits), rng.pick(&bits)];
                b.properties.clear();
                let both = b.pool.conjoin(condition.iter().copied()).unwrap();
                b.bad("condition", both);
                let system = b.finish().unwrap();
                let Ok(outcomes) = explore(&system, 20_000) else { continue };
                let never = never_hold(&system, &[], &[condition], &Budget::default())[0];
                let is_unreachable = outcomes[0].1 == Outcome::Safe;
                assert!(is_unreachable || !never, "seed {seed}, {shape:?}");
                counts[usize::from(never)] += 1;
            }
        }
        assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
    }
}
