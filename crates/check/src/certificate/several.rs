//! Several invariants in one encoding.
//!
//! Each of them is judged by itself, by the rule of the parent. The clauses of one count only in
//! queries about it: they are asserted with a literal of its own, which is assumed there. So is
//! the literal with which the constraints of the second cycle are asserted, which must hold
//! after a step, but not in a last cycle. What the invariants have in common, the logic of the
//! system and what the solver learns about it, is encoded once. Invariants share an encoding of a
//! step only if they state the same equations, since these are part of the encoding.

use elinvar_ir::{ExprId, PropertyId, StateBit, TransitionSystem};

use super::{Equations, Literal, TOGETHER, literals_of_bits, read_at_start, read_in_cycle};
use crate::encode::{Encoder, Frame};
use crate::refusal::{Refusal, bad_of};
use crate::solver::{Budget, Lit, SatAnswer};

/// Judges invariants, each of which is to prove a property, in the way of
/// [`certificate`](super::certificate).
pub fn invariants(
    system: &TransitionSystem,
    claims: &[(PropertyId, &[Vec<StateBit>])],
    budget: &Budget,
) -> Vec<Result<(), Refusal>> {
    let mut judged: Vec<Result<(), Refusal>> = Vec::with_capacity(claims.len());
    let mut open: Vec<Claim> = Vec::with_capacity(claims.len());
    for (place, &(property, clauses)) in claims.iter().enumerate() {
        let claim = bad_of(system, property).and_then(|bad| {
            let clauses = literals_of_bits(system, clauses)?;
            let equations = Equations::of(system, &clauses);
            Ok(Claim { place, clauses, equations, bad })
        });
        judged.push(claim.map(|claim| open.push(claim)));
    }
    let answers = |answers: Result<Answers, Refusal>, claims: &[Claim]| {
        answers.unwrap_or_else(|refusal| vec![Err(refusal); claims.len()])
    };
    for (claim, answer) in open.iter().zip(answers(initiation(system, &open, budget), &open)) {
        judged[claim.place] = answer;
    }
    open.retain(|claim| judged[claim.place].is_ok());
    open.sort_by(|a, b| a.equations.cmp(&b.equations));
    for claims in open.chunk_by(|a, b| a.equations == b.equations) {
        let equations = &claims[0].equations;
        let proved = induction(system, equations, claims, budget);
        for (claim, answer) in claims.iter().zip(answers(proved, claims)) {
            judged[claim.place] = answer;
        }
    }
    judged
}

/// An invariant that is to be judged.
struct Claim {
    /// Its position in the list.
    place: usize,
    clauses: Vec<Vec<Literal>>,
    equations: Equations,
    bad: ExprId,
}

impl Claim {
    fn literals(&self, frame: &Frame<'_>) -> Vec<Vec<Lit>> {
        let literal = |literal: &Literal| literal.in_frame(frame);
        self.clauses.iter().map(|clause| clause.iter().map(literal).collect()).collect()
    }

    /// Refuses a clause that need not hold in this frame, under these assumptions.
    fn expect(
        &self,
        encoder: &mut Encoder,
        frame: &Frame<'_>,
        assumptions: &[Lit],
        refusal: impl Fn(usize) -> Refusal,
    ) -> Result<(), Refusal> {
        let clauses = self.literals(frame);
        let is_open = |(_, clause): &(usize, &Vec<Lit>)| !clause.contains(&Lit::TRUE);
        let open: Vec<(usize, &Vec<Lit>)> = clauses.iter().enumerate().filter(is_open).collect();
        for chunk in open.chunks(TOGETHER) {
            let violations: Vec<Lit> =
                chunk.iter().map(|(_, clause)| encoder.none_of(clause)).collect();
            let any = encoder.some_of(&violations);
            let mut assumed = assumptions.to_vec();
            assumed.push(any);
            match encoder.solve(&assumed)? {
                // The literal only implies a violation, so this says nothing about other claims.
                SatAnswer::Unsat => encoder.assert(!any),
                SatAnswer::Sat(mut model) => {
                    let clause = violations.iter().position(|&violation| model.holds(violation));
                    let clause = clause.expect("one of them was assumed");
                    return Err(refusal(chunk[clause].0));
                }
            }
        }
        Ok(())
    }
}

/// What clauses mention.
fn mentioned(claims: &[Claim]) -> impl Iterator<Item = ExprId> {
    claims.iter().flat_map(|claim| claim.clauses.iter().flatten().map(Literal::expr))
}

type Answers = Vec<Result<(), Refusal>>;

/// SAT?  I ∧ C ∧ ¬Inv
fn initiation(
    system: &TransitionSystem,
    claims: &[Claim],
    budget: &Budget,
) -> Result<Answers, Refusal> {
    let mut encoder = Encoder::new(budget);
    let roots = mentioned(claims).chain(system.constraints().iter().copied());
    let states = read_at_start(system, roots);
    let mut frame = Frame::initial(&mut encoder, system, &states)?;
    frame.constrain(&mut encoder)?;
    frame.encode_all(&mut encoder, mentioned(claims))?;
    let refusal = |clause| Refusal::Initiation { clause };
    Ok(claims.iter().map(|claim| claim.expect(&mut encoder, &frame, &[], refusal)).collect())
}

/// SAT?  Inv ∧ C ∧ T ∧ C′ ∧ ¬Inv′, and SAT?  Inv ∧ C ∧ B, for invariants that state these equations
fn induction(
    system: &TransitionSystem,
    equations: &Equations,
    claims: &[Claim],
    budget: &Budget,
) -> Result<Answers, Refusal> {
    let mut encoder = Encoder::new(budget);
    let mut frame = Frame::free(system);
    equations.set(&mut encoder, system, &mut frame);
    frame.constrain(&mut encoder)?;
    frame.encode_all(&mut encoder, mentioned(claims))?;
    let roots = mentioned(claims).chain(system.constraints().iter().copied());
    let states = read_in_cycle(system, roots);
    let mut following = frame.successor(&mut encoder, &states)?;
    let second = encoder.free_literal();
    for constraint in following.constraints(&mut encoder)? {
        encoder.assert_any([!second, constraint]);
    }
    following.encode_all(&mut encoder, mentioned(claims))?;
    frame.encode_all(&mut encoder, claims.iter().map(|claim| claim.bad))?;
    let mut judge = |claim: &Claim| {
        let own = encoder.free_literal();
        for clause in claim.literals(&frame) {
            encoder.assert_any(clause.into_iter().chain([!own]));
        }
        let refusal = |clause| Refusal::Consecution { clause };
        claim.expect(&mut encoder, &following, &[own, second], refusal)?;
        let bad = frame.bit(claim.bad, 0);
        let is_excluded =
            bad == Lit::FALSE || matches!(encoder.solve(&[own, bad])?, SatAnswer::Unsat);
        // Nothing is asked about its clauses any more.
        encoder.assert(!own);
        if is_excluded { Ok(()) } else { Err(Refusal::Safety) }
    };
    Ok(claims.iter().map(&mut judge).collect())
}

#[cfg(test)]
mod tests {
    use super::super::certificate;
    use super::*;
    use elinvar_ir::{Certificate, Rng, Sort};
    use elinvar_models::{Generator, Shape};
    use std::mem::discriminant;

    /// Some clauses over the bits of a system. Most are short and about one value.
    fn random_clauses(rng: &mut Rng, system: &TransitionSystem) -> Vec<Vec<StateBit>> {
        let bits: Vec<(ExprId, u32)> = (system.states().iter())
            .filter_map(|state| match system.pool().sort(state.symbol) {
                Sort::Bv(width) => Some((0..width).map(|bit| (state.symbol, bit))),
                Sort::Array { .. } => None,
            })
            .flatten()
            .collect();
        if bits.is_empty() {
            return Vec::new();
        }
        let value = rng.one_in(2);
        let mut literal = || {
            let (state, bit) = bits[rng.below(bits.len())];
            let positive = if rng.one_in(4) { !value } else { value };
            (StateBit { state, bit, positive }, rng.one_in(3), rng.one_in(3))
        };
        let (mut clauses, mut clause) = (Vec::new(), Vec::new());
        loop {
            let (literal, is_last, ends) = literal();
            clause.push(literal);
            if !is_last {
                clauses.push(std::mem::take(&mut clause));
            }
            if ends {
                return clauses;
            }
        }
    }

    /// The judgements agree with those of single checks.
    #[test]
    fn each_invariant_is_judged_by_itself() {
        let budget = Budget::default();
        let (mut accepted, mut kinds) = (0, std::collections::HashSet::new());
        for seed in 0..400 {
            let shape = [Shape::BITS, Shape::WORDS, Shape::ARRAYS][seed as usize % 3];
            let system = Generator::verbatim(seed, Shape { max_states: 3, ..shape });
            let mut rng = Rng::new(seed);
            let count = system.properties().len();
            let claims: Vec<(PropertyId, Vec<Vec<StateBit>>)> = (0..12)
                .map(|_| (PropertyId(rng.below(count)), random_clauses(&mut rng, &system)))
                .collect();
            let listed: Vec<_> = claims.iter().map(|(id, clauses)| (*id, &clauses[..])).collect();
            let judged = invariants(&system, &listed, &budget);
            for ((property, clauses), judged) in claims.into_iter().zip(judged) {
                let alone = Certificate::Inductive { clauses };
                match (certificate(&system, property, &alone, &budget), judged) {
                    (Ok(()), Ok(())) => accepted += 1,
                    (Err(alone), Err(judged)) => {
                        assert_eq!(discriminant(&alone), discriminant(&judged), "seed {seed}");
                        kinds.insert(discriminant(&alone));
                    }
                    (alone, judged) => panic!("seed {seed}: {alone:?}, together {judged:?}"),
                }
            }
        }
        assert!(accepted > 100, "{accepted}");
        // Initiation, consecution and safety.
        assert!(kinds.len() >= 3, "{}", kinds.len());
    }

    #[test]
    fn what_is_no_claim_is_refused_and_the_others_are_judged() {
        let system = crate::examples::modulo_three().finish().unwrap();
        let state = system.states()[0].symbol;
        let clause = |bit| vec![vec![StateBit { state, bit, positive: false }]];
        let wide = clause(40);
        let none = PropertyId(9);
        let claims: [(PropertyId, &[Vec<StateBit>]); 3] =
            [(none, &[]), (PropertyId(0), &wide), (PropertyId(0), &[])];
        let judged = invariants(&system, &claims, &Budget::default());
        assert_eq!(judged[0], Err(Refusal::NoSuchProperty(none)));
        assert!(matches!(judged[1], Err(Refusal::BitOutOfRange { .. })));
        let empty = Certificate::Inductive { clauses: Vec::new() };
        let alone = certificate(&system, PropertyId(0), &empty, &Budget::default());
        assert_eq!(judged[2], alone);
        let spent = Budget { max_gates: 0, ..Budget::default() };
        assert_eq!(invariants(&system, &claims[2..], &spent), [Err(Refusal::OutOfBudget)]);
    }
}
