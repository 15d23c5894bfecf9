//! Expanded systems against explicit search, on their own and through the engine.

use elinvar_check::{Budget, certificate, replay};
use elinvar_engines::bmc::{Bmc, BmcOptions};
use elinvar_engines::pdr::{Pdr, PdrOptions, Words, WordsOptions};
use elinvar_engines::{Run, Task};
use elinvar_ir::{BinaryOp, StopReason, Verdict};
use elinvar_models::{Generator, Outcome, Shape, search};

use super::*;

const NO_LIMIT: u64 = u64::MAX;

fn ids(system: &TransitionSystem) -> Vec<PropertyId> {
    system.bads().map(|(id, _)| id).collect()
}

fn memory(index: u32, element: u32) -> Sort {
    Sort::Array { index, element }
}

#[test]
fn expanded_systems_behave_as_before() {
    let (mut compared, mut mixed) = (0, 0);
    for seed in 0..150 {
        let system = Generator::system(seed, Shape::ARRAYS);
        let properties = ids(&system);
        let Ok(expected) = search(&system, 20_000) else { continue };
        for limit in [NO_LIMIT, 4] {
            let Some(expanded) = expand_memories(&system, &properties, limit) else { continue };
            let has_arrays = expanded.system.has_arrays();
            assert!(!has_arrays || limit == 4, "seed {seed}");
            mixed += usize::from(has_arrays);
            let found = search(&expanded.system, 20_000);
            assert_eq!(found.as_ref(), Ok(&expected), "seed {seed}, limit {limit}");
            compared += 1;
        }
    }
    assert!(compared > 80 && mixed > 5, "{compared} compared, {mixed} mixed");
}

#[test]
fn traces_of_expanded_systems_go_back() {
    let mut replayed = 0;
    for seed in 0..150 {
        let system = Generator::system(seed, Shape::ARRAYS);
        let properties = ids(&system);
        for limit in [NO_LIMIT, 4] {
            let Some(expanded) = expand_memories(&system, &properties, limit) else { continue };
            let options = BmcOptions { bound: Some(4), ..BmcOptions::default() };
            let task = Task::about(&expanded.system, &properties, &Run::new());
            let verdicts = task.check(&mut Bmc(options));
            for verdict in verdicts.unwrap() {
                if let Verdict::Unsafe(trace) = expanded.verdict(verdict) {
                    assert_eq!(replay(&system, &trace), Ok(()), "seed {seed}");
                    replayed += 1;
                }
            }
        }
    }
    assert!(replayed > 50, "{replayed}");
}

/// The engine on bits proves by clauses or formulas, the one on words by facts.
#[test]
fn proofs_about_expanded_systems_go_back() {
    let mut accepted = [0; 2];
    for seed in 0..100 {
        let system = Generator::system(seed, Shape::ARRAYS);
        let properties = ids(&system);
        let Some(expanded) = expand_memories(&system, &properties, NO_LIMIT) else { continue };
        let verdicts = Task::about(&expanded.system, &properties, &Run::new())
            .check(&mut Pdr(PdrOptions::default()));
        for (&property, verdict) in properties.iter().zip(verdicts.unwrap()) {
            let Verdict::Safe(clauses) = verdict else { continue };
            let formula = as_formula(&expanded.system, &clauses);
            for (kind, proof) in [clauses, formula].into_iter().enumerate() {
                let lifted = expanded.proof(proof).unwrap();
                let checked = certificate(&system, property, &lifted, &Budget::default());
                assert_eq!(checked, Ok(()), "seed {seed}: {lifted:?}");
                accepted[kind] += 1;
            }
        }
    }
    assert!(accepted[0] > 20 && accepted[1] > 20, "{accepted:?}");
}

/// Clauses over bits as a formula.
fn as_formula(system: &TransitionSystem, proof: &Certificate) -> Certificate {
    let Certificate::Inductive { clauses } = proof else { return proof.clone() };
    let mut pool = Pool::new();
    let states = system.states().iter().map(|state| state.symbol);
    let symbols: FxHashMap<ExprId, ExprId> =
        states.map(|s| (s, pool.symbol(system.pool().sort(s), None).unwrap())).collect();
    let mut conjuncts = Vec::new();
    for clause in clauses {
        let mut literals = Vec::new();
        for literal in clause {
            let bit = pool.slice(symbols[&literal.state], literal.bit, literal.bit).unwrap();
            literals.push(if literal.positive { bit } else { pool.not(bit).unwrap() });
        }
        conjuncts.push(pool.disjoin(literals).unwrap());
    }
    let expr = pool.conjoin(conjuncts).unwrap();
    let symbols = (0..system.states().len()).map(Role::State).collect();
    Certificate::Formula(Box::new(Formula { pool, expr, symbols }))
}

/// Runs the engine where explicit search knows the truth, and counts what it finds:
/// safe, unsafe, unknown. What it finds must be right.
fn compare_with_truth(memory_limit: u64) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in 0..150 {
        let system = Generator::system(seed, Shape::ARRAYS);
        let Ok(truth) = search(&system, 20_000) else { continue };
        let mut options = WordsOptions::default();
        options.pdr.memory_limit = memory_limit;
        let task = Task::about(&system, &ids(&system), &Run::new());
        let verdicts = task.check(&mut Words(options)).unwrap();
        for (&(property, outcome), verdict) in truth.iter().zip(&verdicts) {
            let found = match (outcome, verdict) {
                (Outcome::Safe, Verdict::Safe(proof)) => {
                    let budget = Budget::default();
                    let checked = certificate(&system, property, proof, &budget);
                    assert_eq!(checked, Ok(()), "seed {seed}");
                    0
                }
                (Outcome::Unsafe(_), Verdict::Unsafe(trace)) => {
                    assert_eq!(replay(&system, trace), Ok(()), "seed {seed}");
                    1
                }
                (_, Verdict::Unknown(StopReason::Unsupported(_))) => 2,
                other => panic!("seed {seed}: {other:?}"),
            };
            counts[found] += 1;
        }
    }
    counts
}

#[test]
fn the_engine_decides_systems_with_small_memories() {
    // Unknown are those whose initial values depend on inputs.
    let [safe, failing, unknown] = compare_with_truth(NO_LIMIT);
    assert!(safe > 30 && failing > 30, "{safe} safe, {failing} failing");
    assert!(unknown * 8 < safe + failing, "{unknown} unknown");
}

#[test]
fn the_engine_is_right_where_some_memories_stay() {
    let [safe, failing, _] = compare_with_truth(4);
    assert!(safe > 20 && failing > 20, "{safe} safe, {failing} failing");
}

/// A memory of zeros, in which a number is added to the element at any address; bad
/// are all states in which some element is odd.
fn adder(index: u32, added: u64) -> TransitionSystem {
    let mut b = SystemBuilder::new();
    let memory = b.state(memory(index, 4), Some("mem")).unwrap();
    let (address, look) = [0, 1].map(|_| b.input(Sort::Bv(index), None).unwrap()).into();
    let zero = b.pool.constant(BitVec::zero(4));
    b.states[0].init = Some(b.pool.const_array(index, zero).unwrap());
    let added = b.pool.constant(BitVec::new(4, added));
    let element = b.pool.read(memory, address).unwrap();
    let sum = b.pool.binary(BinaryOp::Add, element, added).unwrap();
    b.states[0].next = Some(b.pool.write(memory, address, sum).unwrap());
    let seen = b.pool.read(memory, look).unwrap();
    let odd = b.pool.slice(seen, 0, 0).unwrap();
    b.bad("odd", odd);
    b.finish().unwrap()
}

fn decide(system: &TransitionSystem) -> Verdict {
    let task = Task::about(system, &ids(system), &Run::new());
    task.check(&mut Words(WordsOptions::default())).unwrap().remove(0)
}

#[test]
fn elements_are_named_after_their_memory() {
    let system = adder(2, 2);
    let expanded = expand_memories(&system, &ids(&system), NO_LIMIT).unwrap();
    let names: Vec<String> = (0..4).map(|state| expanded.system.state_name(state)).collect();
    assert_eq!(names, ["mem[0]", "mem[1]", "mem[2]", "mem[3]"]);
}

#[test]
fn an_invariant_about_all_elements_is_found() {
    let system = adder(2, 2);
    let Verdict::Safe(proof) = decide(&system) else { panic!("all elements stay even") };
    assert_eq!(certificate(&system, PropertyId(0), &proof, &Budget::default()), Ok(()));
    let Certificate::Facts { clauses } = proof else { panic!("{proof:?}") };
    let memory = system.states()[0].symbol;
    let words = clauses.iter().flatten().flat_map(Fact::words);
    let mut elements: Vec<u64> = words
        .map(|word| {
            assert_eq!(word.state, memory);
            word.element.as_ref().and_then(BitVec::to_u64).unwrap()
        })
        .collect();
    elements.sort_unstable();
    elements.dedup();
    assert_eq!(elements, [0, 1, 2, 3]);
}

#[test]
fn a_trace_through_a_memory_is_found() {
    let system = adder(2, 3);
    let Verdict::Unsafe(trace) = decide(&system) else { panic!("three is odd") };
    assert_eq!(replay(&system, &trace), Ok(()));
    assert_eq!(trace.initial[0].array().element_width(), 4);
}

#[test]
fn large_memories_stay_as_they_are() {
    let system = adder(20, 2);
    assert!(expand_memories(&system, &ids(&system), NO_LIMIT).is_none());
    assert!(matches!(decide(&system), Verdict::Unknown(_)));
    // No register tells how long it takes: an abstract trace may be too short.
    assert!(!matches!(decide(&adder(20, 3)), Verdict::Safe(_)));
}

#[test]
fn a_trace_through_a_large_memory_is_found() {
    let mut b = adder(20, 3).into_builder();
    let time = b.state(Sort::Bv(2), Some("time")).unwrap();
    let [zero, one, two] = [0, 1, 2].map(|value| b.pool.constant(BitVec::new(2, value)));
    b.states[1].init = Some(zero);
    b.states[1].next = Some(b.pool.binary(BinaryOp::Add, time, one).unwrap());
    let is_two = b.pool.equal(time, two).unwrap();
    let elinvar_ir::PropertyKind::Bad(odd) = b.properties[0].kind else {
        panic!("a safety property")
    };
    b.properties[0].kind = elinvar_ir::PropertyKind::Bad(b.pool.and(is_two, odd).unwrap());
    let system = b.finish().unwrap();
    let Verdict::Unsafe(trace) = decide(&system) else { panic!("three is odd") };
    assert_eq!(replay(&system, &trace), Ok(()));
    assert_eq!(trace.depth(), 2);
}

#[test]
fn limits_are_kept() {
    let system = adder(3, 2);
    let properties = ids(&system);
    assert!(expand_memories(&system, &properties, 32).is_some());
    assert!(expand_memories(&system, &properties, 31).is_none());
    // Each write needs 256 choices: too many for all of them.
    let mut b = adder(8, 2).into_builder();
    let value = b.pool.constant(BitVec::zero(4));
    for _ in 0..2_000 {
        let next = b.states[0].next.unwrap();
        let address = b.input(Sort::Bv(8), None).unwrap();
        b.states[0].next = Some(b.pool.write(next, address, value).unwrap());
    }
    let system = b.finish().unwrap();
    assert!(expand_memories(&system, &properties, NO_LIMIT).is_none());
}

#[test]
fn what_nobody_asks_about_is_left_out() {
    let mut b = adder(2, 2).into_builder();
    let unrelated = b.state(memory(3, 4), Some("unrelated")).unwrap();
    let second = b.pool.equal(unrelated, unrelated).unwrap();
    b.bad("second", second);
    b.states[1].next = Some(unrelated);
    let system = b.finish().unwrap();
    let expanded = expand_memories(&system, &[PropertyId(0)], NO_LIMIT).unwrap();
    assert_eq!(expanded.system.states().len(), 4);
    assert_eq!(expanded.system.properties().len(), 2);
}
