//! Property directed reachability from outside: against explicit-state search, on
//! worked examples, twice the same, and with many properties at once. All evidence
//! goes through the checker.

#[path = "common/agreement.rs"]
mod agreement;
mod common;

use std::sync::{Arc, Mutex};

use agreement::assert_agrees_with_search;
use common::{all_settings, assert_right, graph, is_beyond, path, satisfying, settings};
use elinvar_check::replay;
use elinvar_engines::pdr::{Pdr, PdrOptions, PdrStatistics};
use elinvar_engines::{Event, Recurring, Run, States, Task};
use elinvar_ir::{BitVec, Fact, PropertyId, Sort, SystemBuilder, TransitionSystem, Verdict};
use elinvar_models::families::{counters, ring, ring_with_bug, shift_parity};
use elinvar_models::{Generator, Outcome, Shape, search};
use elinvar_transform::PassOptions;

fn check(
    system: &TransitionSystem,
    properties: &[PropertyId],
    options: &PdrOptions,
) -> Vec<Verdict> {
    let task = Task::about(system, properties, &Run::new());
    task.check(&mut Pdr(options.clone())).expect("small enough")
}

// Against explicit-state search.

#[test]
fn agrees_with_search() {
    for (shape, seeds) in [(Shape::BITS, 400), (Shape::WORDS, 300)] {
        assert_agrees_with_search(shape, seeds, |system, properties, number| {
            check(system, properties, &settings(number))
        });
    }
}

// The worked examples of Blankestijn's thesis on incremental PDR: Figure 2.1 with
// Example 2.6, and Appendix C, which runs the algorithms of Chapter 3 by hand.

/// Whether `e` can be reached by these steps from `a`: the verdicts of all settings.
fn decide_e(steps: &[(char, char)]) -> (TransitionSystem, Vec<Verdict>) {
    let system = graph(5, steps, &['e']);
    let decide = |options: PdrOptions| check(&system, &[PropertyId(0)], &options).remove(0);
    let verdicts = all_settings().map(decide).collect();
    (system, verdicts)
}

/// With all settings, one of these paths leads to `e`.
fn assert_path(steps: &[(char, char)], expected: &[&str]) {
    let (system, verdicts) = decide_e(steps);
    for verdict in verdicts {
        let Verdict::Unsafe(trace) = &verdict else { panic!("{verdict:?}") };
        let path = path(&system, trace);
        assert!(expected.contains(&path.as_str()), "{path}");
        assert_eq!(replay(&system, trace), Ok(()));
    }
}

/// With all settings, these states are the invariant.
fn assert_invariant(steps: &[(char, char)], expected: &str) {
    let (system, verdicts) = decide_e(steps);
    for verdict in verdicts {
        let Verdict::Safe(proof) = &verdict else { panic!("{verdict:?}") };
        assert_eq!(satisfying(proof, 5), expected);
        assert_right(&system, (PropertyId(0), Outcome::Safe), &verdict);
    }
}

/// Example 2.6. Each state is reachable, by a shortest path through the figure.
#[test]
fn thesis_figure_2_1() {
    // a, b, c, d are 00, 01, 10, 11. The printed tuple ({00}, {x1, x2}, Δ) has its
    // first two parts exchanged.
    let system = graph(4, &[('a', 'b'), ('b', 'd'), ('a', 'c')], &['a', 'b', 'c', 'd']);
    let properties: Vec<PropertyId> = (0..4).map(PropertyId).collect();
    for options in all_settings() {
        let verdicts = check(&system, &properties, &options);
        for (verdict, expected) in verdicts.iter().zip(["a", "ab", "ac", "abd"]) {
            let Verdict::Unsafe(trace) = verdict else { panic!("{expected}: {verdict:?}") };
            assert_eq!(path(&system, trace), expected);
        }
    }
}

/// C.1.1: the trace is a → b → c → d → e.
#[test]
fn thesis_simple() {
    assert_path(&[('a', 'b'), ('b', 'c'), ('c', 'd'), ('d', 'e')], &["abcde"]);
}

/// C.1.2: without b → c, {a, b} is the invariant, and the only one: what has no
/// step to e contains neither d nor c.
///
/// The text says that the second iteration removes c from F₁ and F₂; the tables are
/// right that it is F₁ alone. In the last table d is blocked in F₃, which must
/// then read {a, b, c}, not {a, b, c, d}.
#[test]
fn thesis_simple_constrained() {
    assert_invariant(&[('a', 'b'), ('c', 'd'), ('d', 'e')], "ab");
}

/// C.2.1: {a} is the invariant, and again the only one.
///
/// The text begins with I.Δ = {b}, but there is no step from a in this instance:
/// I.Δ is empty. In iteration 2 it is block(b, 0) that is called, not block(c, 0).
#[test]
fn thesis_second_system() {
    assert_invariant(&[('b', 'c'), ('b', 'd'), ('c', 'e'), ('d', 'e')], "a");
}

/// C.2.2: with a → b there are two traces of the same length; the text finds the
/// one through d. (The introduction of C.2 is that of C.1: what relates the two
/// systems is that a → b is added, not that b → c is removed.)
#[test]
fn thesis_second_system_relaxed() {
    let steps = [('a', 'b'), ('b', 'c'), ('b', 'd'), ('c', 'e'), ('d', 'e')];
    assert_path(&steps, &["abde", "abce"]);
}

// Twice the same.

/// Verdicts with their evidence, and the statistics without times.
fn recorded(system: &TransitionSystem, options: &PdrOptions) -> (Vec<Verdict>, Vec<PdrStatistics>) {
    let statistics: Arc<Mutex<Vec<PdrStatistics>>> = Arc::default();
    let observed = Arc::clone(&statistics);
    let run = Run::new().with_observer(move |event| {
        if let Some(numbers) = event.statistics() {
            observed.lock().unwrap().push(without_times(numbers));
        }
    });
    let properties: Vec<PropertyId> = system.bads().map(|(id, _)| id).collect();
    let task = Task::about(system, &properties, &run);
    let verdicts = task.check(&mut Pdr(options.clone())).unwrap();
    drop((task, run));
    let statistics = Arc::into_inner(statistics).expect("the run is over");
    (verdicts, statistics.into_inner().unwrap())
}

fn without_times(numbers: &PdrStatistics) -> PdrStatistics {
    let mut numbers = numbers.clone();
    let PdrStatistics { bad, block, generalize, counterexample, push, promote, lift, .. } =
        &mut numbers;
    for count in [bad, block, generalize, counterexample, push, promote, lift] {
        count.time = Default::default();
    }
    numbers
}

#[test]
fn the_same_run_twice_is_the_same() {
    let random = (0..20).map(|seed| Generator::system(seed, Shape::WORDS));
    let families = [ring(12), ring_with_bug(8), counters(4), shift_parity(4)].map(Result::unwrap);
    let mut queries = 0;
    for (number, system) in families.into_iter().chain(random).enumerate() {
        let options = settings(number as u64);
        let first = recorded(&system, &options);
        assert_eq!(first, recorded(&system, &options), "system {number}");
        queries += first.1.iter().map(PdrStatistics::query_count).sum::<u64>();
    }
    assert!(queries > 1000, "{queries} queries show little");
}

// Many properties at once.

#[test]
fn together_as_one_by_one() {
    for seed in 0..80 {
        let system = Generator::system(seed, Shape::BITS);
        let properties: Vec<PropertyId> = system.bads().map(|(id, _)| id).collect();
        let options = settings(seed);
        let together = check(&system, &properties, &options);
        for (&id, together) in properties.iter().zip(&together) {
            let alone = check(&system, &[id], &options).remove(0);
            let kind = |verdict: &Verdict| match verdict {
                Verdict::Safe(_) => Some(true),
                Verdict::Unsafe(_) => Some(false),
                Verdict::Unknown(_) => None,
            };
            if !is_beyond(&system, &alone) && !is_beyond(&system, together) {
                assert_eq!(kind(&alone), kind(together), "seed {seed}, {id:?}");
            }
        }
    }
}

/// A decimal counter with one property for each value of its four bits.
#[test]
fn failing_properties_next_to_safe_ones() {
    let mut b = counters(1).unwrap().into_builder();
    b.properties.clear();
    let digit = b.states[0].symbol;
    for value in 0..16 {
        let value = b.pool.constant(BitVec::new(4, value));
        let bad = b.pool.equal(digit, value).unwrap();
        b.bad("value", bad);
    }
    let system = b.finish().unwrap();
    // Asked for in an order of their own, and not all.
    let properties: Vec<PropertyId> = (1..16).rev().map(PropertyId).collect();
    for options in all_settings() {
        for (&id, verdict) in properties.iter().zip(&check(&system, &properties, &options)) {
            let outcome = if id.0 < 10 { Outcome::Unsafe(id.0) } else { Outcome::Safe };
            assert_right(&system, (id, outcome), verdict);
        }
    }
}

/// A system of bits whose steps are the next states that satisfy clauses, as Section 2.3
/// of Werner's thesis writes them; all bits are false at first. Literals are bits from 1,
/// negative if negated, and from 10 on in the next state.
fn clausal(bits: usize, steps: &[&[i32]], bad: &[i32]) -> TransitionSystem {
    let mut b = SystemBuilder::new();
    let now: Vec<_> = (0..bits).map(|_| b.state(Sort::BOOL, None).unwrap()).collect();
    let next: Vec<_> = (0..bits).map(|_| b.input(Sort::BOOL, None).unwrap()).collect();
    let literal = |b: &mut SystemBuilder, number: i32| {
        let size = number.unsigned_abs() as usize;
        let bit = if size > 10 { next[size - 11] } else { now[size - 1] };
        if number < 0 { b.pool.not_bit(bit) } else { bit }
    };
    for (at, &input) in next.iter().enumerate() {
        b.states[at].init = Some(b.pool.bool(false));
        b.states[at].next = Some(input);
    }
    for clause in steps {
        let mut allowed = b.pool.bool(false);
        for &number in *clause {
            let literal = literal(&mut b, number);
            allowed = b.pool.or(allowed, literal).unwrap();
        }
        b.constraints.push(allowed);
    }
    let mut reached = b.pool.bool(true);
    for &number in bad {
        let literal = literal(&mut b, number);
        reached = b.pool.and(reached, literal).unwrap();
    }
    b.bad("reached", reached);
    b.finish().unwrap()
}

/// Section 2.3.1: ones are shifted in, and the third step fills all three bits.
#[test]
fn the_counterexample_of_the_thesis_on_software() {
    let steps: [&[i32]; 4] = [&[1, -12], &[-1, 12], &[2, -13], &[-2, 13]];
    let system = clausal(3, &steps, &[1, 2, 3]);
    let property = PropertyId(0);
    for options in all_settings() {
        let verdict = &check(&system, &[property], &options)[0];
        assert_right(&system, (property, Outcome::Unsafe(3)), verdict);
    }
}

/// Section 2.3.2: nothing is reached but the initial state.
#[test]
fn the_proof_of_the_thesis_on_software() {
    let steps: [&[i32]; 5] = [&[1, -2, 12], &[1, 2, -11], &[-1, 11], &[-1, -12], &[2, -12]];
    let system = clausal(2, &steps, &[1, -2]);
    let property = PropertyId(0);
    for options in all_settings() {
        let verdict = &check(&system, &[property], &options)[0];
        assert_right(&system, (property, Outcome::Safe), verdict);
    }
}

/// States that keep the engine busy are states from which the property fails, so many steps
/// later.
#[test]
fn recurring_states_lead_to_a_failure() {
    let found: Arc<Mutex<Vec<Arc<Recurring>>>> = Arc::default();
    let mut checked = 0;
    for seed in 0..4000 {
        let system = Generator::system(seed, [Shape::BITS, Shape::WORDS][seed as usize % 2]);
        let events = Arc::clone(&found);
        let run = Run::new().with_observer(move |event| {
            if let Event::Recurring(states) = event {
                events.lock().unwrap().push(Arc::clone(states));
            }
        });
        let properties: Vec<PropertyId> = system.bads().map(|(id, _)| id).collect();
        let task = Task::about(&system, &properties, &run);
        // What the passes know of reachable states is not part of the facts.
        let options = PdrOptions { passes: PassOptions::NONE, ..PdrOptions::default() };
        task.ask(&mut Pdr(options)).unwrap();
        for states in std::mem::take(&mut *found.lock().unwrap()) {
            let States::System(facts) = &states.states else { panic!("a system") };
            let outcome = from_states(&system, facts, states.property);
            let Some(Outcome::Unsafe(depth)) = outcome else {
                panic!("seed {seed}: {outcome:?}, {states:?}")
            };
            assert!(depth <= states.steps, "seed {seed}: {depth} steps, not {}", states.steps);
            assert!(states.times > 1);
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked}");
}

/// What happens to a property from a state of which these facts are true.
fn from_states(system: &TransitionSystem, facts: &[Fact], property: PropertyId) -> Option<Outcome> {
    let mut builder = system.clone().into_builder();
    for index in 0..builder.states.len() {
        let symbol = builder.states[index].symbol;
        let Sort::Bv(width) = builder.pool.sort(symbol) else { return None };
        // A state that nothing drives is chosen in every cycle.
        if builder.states[index].next.is_none() {
            builder.states[index].init = None;
            continue;
        }
        let is_set = |bit: u32| {
            facts.iter().any(|fact| match fact {
                Fact::Bit { word, bit: other, value } => {
                    word.state == symbol && *other == bit && *value
                }
                Fact::AtMost { .. } | Fact::Modular { .. } => panic!("facts about bits"),
            })
        };
        let value = BitVec::from_bits((0..width).map(is_set));
        builder.states[index].init = Some(builder.pool.constant(value));
    }
    let outcomes = search(&builder.finish().unwrap(), 100_000).ok()?;
    outcomes.into_iter().find(|(id, _)| *id == property).map(|(_, outcome)| outcome)
}
