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
//! Most conditions hold in some run, and then there is nothing to say. So k is small (one, unless a
//! proof is a deeper induction), all conditions share the encoders, and a condition that holds in
//! one of the first cycles is not asked about again. A condition that is not decided is not
//! reported.

use std::collections::BTreeSet;

use elinvar_ir::{Certificate, ExprId, PropertyId, TransitionSystem};
use rustc_hash::FxHashSet;

use super::unroll::{ANNOUNCED, CONFLICTS};
use crate::certificate::{Literal, literals_of_bits, literals_of_facts};
use crate::encode::{Encoder, Frame};
use crate::refusal::{Refusal, bad_of};
use crate::solver::{Budget, Lit, SatAnswer};

/// The largest depth of an induction.
const DEPTH: usize = 4;

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
    let [mut paths, mut runs] = [Start::Anywhere, Start::Initial]
        .map(|start| Cycles::new(start, &lemmas, conditions, budget));
    paths.grow()?;
    let (excluded, mut open) = paths.split((0..conditions.len()).collect())?;
    excluded.into_iter().for_each(|condition| never[condition] = true);
    for _ in 0..depth(proved) {
        if !open.is_empty() {
            runs.grow()?;
            (open, _) = runs.split(open)?;
        }
        if open.is_empty() {
            break;
        }
        paths.grow()?;
        let (excluded, others) = paths.split(open)?;
        excluded.into_iter().for_each(|condition| never[condition] = true);
        open = others;
    }
    Ok(())
}

/// How deep an induction is tried: as deep as those that proved properties, or one step.
fn depth(proved: &[(PropertyId, Option<&Certificate>)]) -> usize {
    let depth = |(_, certificate): &(_, Option<&Certificate>)| match certificate {
        Some(Certificate::KInductive { k, .. }) => *k,
        Some(
            Certificate::Inductive { .. }
            | Certificate::Facts { .. }
            | Certificate::Formula(_)
            | Certificate::Ranking(_),
        )
        | None => 1,
    };
    proved.iter().map(depth).max().unwrap_or(1).clamp(1, DEPTH)
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
                Some(
                    Certificate::KInductive { .. }
                    | Certificate::Formula(_)
                    | Certificate::Ranking(_),
                )
                | None => Vec::new(),
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

    /// Asserts that they hold in a frame.
    fn assert<'a>(&'a self, encoder: &mut Encoder, frame: &mut Frame<'a>) -> Result<(), Refusal> {
        frame.encode_all(encoder, self.clauses.iter().flatten().map(Literal::expr))?;
        for clause in &self.clauses {
            encoder.assert_any(clause.iter().map(|literal| literal.in_frame(frame)));
        }
        for &bad in &self.bads {
            let bad = frame.encode_bit(encoder, bad)?;
            encoder.assert(!bad);
        }
        Ok(())
    }
}

/// Where cycles begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// In an initial state.
    Initial,
    /// In any state; the lemmas hold in every cycle.
    Anywhere,
}

/// Cycles one after the other, in all of which the constraints hold.
struct Cycles<'a> {
    start: Start,
    lemmas: &'a Lemmas,
    conditions: &'a [Vec<ExprId>],
    states: BTreeSet<usize>,
    encoder: Encoder,
    max_effort: u64,
    last: Option<Frame<'a>>,
    /// By cycle and condition.
    holds: Vec<Vec<Lit>>,
}

impl<'a> Cycles<'a> {
    fn new(
        start: Start,
        lemmas: &'a Lemmas,
        conditions: &'a [Vec<ExprId>],
        budget: &Budget,
    ) -> Self {
        let constraints = lemmas.system.constraints().iter().copied();
        let mut roots: Vec<ExprId> = roots(conditions).chain(constraints).collect();
        if start == Start::Anywhere {
            roots.extend(lemmas.clauses.iter().flatten().map(Literal::expr));
            roots.extend(&lemmas.bads);
        }
        let states = lemmas.system.cone_of_influence(roots);
        let max_gates = budget.max_gates.saturating_mul(ANNOUNCED);
        let mut encoder = Encoder::new(&Budget { max_gates, ..budget.clone() });
        encoder.limit_conflicts(CONFLICTS);
        Cycles {
            start,
            lemmas,
            conditions,
            states,
            encoder,
            max_effort: budget.max_gates,
            last: None,
            holds: Vec::new(),
        }
    }

    /// Adds a cycle, unless the budget is spent.
    fn grow(&mut self) -> Result<(), Refusal> {
        if self.encoder.effort() > self.max_effort {
            return Err(Refusal::OutOfBudget);
        }
        let (system, encoder) = (&self.lemmas.system, &mut self.encoder);
        let mut frame = match (&mut self.last, self.start) {
            (Some(last), _) => last.successor(encoder, &self.states)?,
            (None, Start::Initial) => Frame::initial(encoder, system, &self.states)?,
            (None, Start::Anywhere) => Frame::free(system),
        };
        if self.start == Start::Anywhere {
            self.lemmas.assert(encoder, &mut frame)?;
        }
        frame.constrain(encoder)?;
        frame.encode_all(encoder, roots(self.conditions))?;
        let holds = |condition: &Vec<ExprId>| {
            let bits: Vec<Lit> = condition.iter().map(|&bit| frame.bit(bit, 0)).collect();
            encoder.all(&bits)
        };
        self.holds.push(self.conditions.iter().map(holds).collect());
        self.last = Some(frame);
        Ok(())
    }

    /// SAT?  all cycles ∧ ¬q in those before the last one ∧ q in the last one
    fn is_excluded(&mut self, condition: usize) -> Result<bool, Refusal> {
        let (last, before) = self.holds.split_last().expect("there is a cycle");
        let before = before.iter().map(|holds| !holds[condition]);
        let assumptions: Vec<Lit> = before.chain([last[condition]]).collect();
        match self.encoder.solve(&assumptions)? {
            SatAnswer::Sat(_) => Ok(false),
            SatAnswer::Unsat => Ok(true),
        }
    }

    /// Splits conditions into those that cannot hold in the last cycle for the first time, and
    /// the others.
    fn split(&mut self, open: Vec<usize>) -> Result<(Vec<usize>, Vec<usize>), Refusal> {
        let (mut excluded, mut others) = (Vec::new(), Vec::new());
        for condition in open {
            match self.is_excluded(condition)? {
                true => excluded.push(condition),
                false => others.push(condition),
            }
        }
        Ok((excluded, others))
    }
}

fn roots(conditions: &[Vec<ExprId>]) -> impl Iterator<Item = ExprId> + '_ {
    conditions.iter().flatten().copied()
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
