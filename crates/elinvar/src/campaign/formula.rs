//! Facts about words as formulas, which text certificates can express: a witness circuit has the
//! size of the model, which is too much for each of a thousand properties.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use elinvar_ir::{Certificate, ExprId, Fact, Formula, Pool, Role, TransitionSystem};

use super::assume::facts;

/// The same proof in a form that a text certificate can express. `None` if it has none.
pub(crate) fn in_text_form<'a>(
    system: &TransitionSystem,
    proof: &'a Certificate,
) -> Option<Cow<'a, Certificate>> {
    match proof {
        Certificate::Inductive { .. }
        | Certificate::KInductive { .. }
        | Certificate::Formula(_)
        | Certificate::Ranking(_) => Some(Cow::Borrowed(proof)),
        Certificate::Facts { .. } => {
            let formula = formula(system, &facts(proof)?)?;
            Some(Cow::Owned(Certificate::Formula(Box::new(formula))))
        }
    }
}

fn formula(system: &TransitionSystem, clauses: &[Vec<Fact>]) -> Option<Formula> {
    let mut pool = Pool::new();
    let (mut symbols, mut known): (Vec<Role>, BTreeMap<usize, ExprId>) = Default::default();
    for fact in clauses.iter().flatten() {
        for word in fact.words() {
            let role @ Role::State(index) = system.role_of(word.state)? else { return None };
            if let Entry::Vacant(place) = known.entry(index) {
                place.insert(pool.symbol(system.pool().sort(word.state), None).ok()?);
                symbols.push(role);
            }
        }
    }
    let symbol = |state: ExprId| match system.role_of(state) {
        Some(Role::State(index)) => known[&index],
        Some(Role::Input(_)) | None => unreachable!("refused above"),
    };
    let mut expr = pool.bool(true);
    for clause in clauses {
        let mut any = pool.bool(false);
        for fact in clause {
            let fact = fact.rename(symbol).to_expr(&mut pool).ok()?;
            any = pool.or(any, fact).ok()?;
        }
        expr = pool.and(expr, any).ok()?;
    }
    Some(Formula { pool, expr, symbols })
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_check::{Budget, certificate};
    use elinvar_ir::{PropertyId, StateBit};
    use elinvar_models::Counter;

    #[test]
    fn facts_and_their_formula_are_judged_alike() {
        // A counter of two bits that stays at 0 is never 3.
        let mut b = Counter::new(2).not(3).into_builder();
        b.states[0].next = Some(b.states[0].symbol);
        let system = b.finish().unwrap();
        let state = system.states()[0].symbol;
        let judge = |clauses: Vec<Vec<StateBit>>| {
            let proof = Certificate::Inductive { clauses };
            assert_eq!(in_text_form(&system, &proof).as_deref(), Some(&proof));
            let proof = Certificate::Facts { clauses: facts(&proof).unwrap() };
            let text = in_text_form(&system, &proof).unwrap();
            assert!(matches!(*text, Certificate::Formula(_)));
            let judge =
                |proof| certificate(&system, PropertyId(0), proof, &Budget::default()).is_ok();
            assert_eq!(judge(&proof), judge(&text));
            judge(&text)
        };
        let bit = |bit, positive| StateBit { state, bit, positive };
        assert!(judge(vec![vec![bit(0, false)], vec![bit(1, false)]]));
        assert!(judge(vec![vec![bit(0, false), bit(1, false)]]));
        assert!(!judge(vec![vec![bit(0, true)]]));
        assert!(!judge(vec![]));
    }
}
