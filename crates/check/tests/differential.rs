//! The checker against the definitions, on small random systems whose states,
//! inputs and paths are enumerated one by one.

use std::collections::HashMap;

use elinvar_check::{Budget, Refusal, certificate, circuit};
use elinvar_ir::{
    ArrayValue, BitVec, Certificate, Evaluator, ExprId, Fact, Formula, LinearTerm, Pool,
    PropertyId, Reading, Rng, Role, Sort, StateBit, TransitionSystem, Value, WitnessCircuit, Word,
};
use elinvar_models::{Generator, Outcome, Searched, Shape, searched};

/// A system as a table: every state and every input is a number.
struct Explicit {
    /// By state and input.
    steps: Vec<Vec<Step>>,
    /// Pairs of state and input of cycle zero.
    initial: Vec<(usize, usize)>,
    /// By property.
    influence: Vec<Influence>,
}

/// What a property and the constraints depend on.
struct Influence {
    /// The bits of a state's number.
    mask: usize,
    init_reads_inputs: bool,
}

struct Step {
    allowed: bool,
    /// By property.
    bad: Vec<bool>,
    successors: Vec<usize>,
}

impl Explicit {
    /// `None` if the system has more than `max_bits` bits of state and input.
    fn new(system: &TransitionSystem, max_bits: u32) -> Option<Explicit> {
        let pool = system.pool();
        let states: Vec<ExprId> = system.states().iter().map(|s| s.symbol).collect();
        let inputs: Vec<ExprId> = system.inputs().iter().map(|i| i.symbol).collect();
        let sorts = |symbols: &[ExprId]| -> Vec<Sort> {
            symbols.iter().map(|&symbol| pool.sort(symbol)).collect()
        };
        let (state_sorts, input_sorts) = (sorts(&states), sorts(&inputs));
        let bits_of = |sorts: &[Sort]| sorts.iter().map(|&sort| bits(sort)).sum::<u32>();
        let (state_bits, input_bits) = (bits_of(&state_sorts), bits_of(&input_sorts));
        if state_bits + input_bits > max_bits {
            return None;
        }
        let parts = system.states().iter().flat_map(|s| [s.init, s.next]).flatten();
        let bads = system.bads().map(|(_, bad)| bad);
        let roots = parts.chain(system.constraints().iter().copied()).chain(bads);
        let mut evaluator = Evaluator::new(pool, roots);
        let influence =
            system.bads().map(|(_, bad)| Influence::new(system, &state_sorts, bad)).collect();
        let mut table = Explicit { steps: Vec::new(), initial: Vec::new(), influence };
        for state in 0..1 << state_bits {
            let values = decode(&state_sorts, state);
            let mut row = Vec::new();
            for input in 0..1 << input_bits {
                let input_values = decode(&input_sorts, input);
                evaluator.run(|symbol| match system.role_of(symbol).unwrap() {
                    Role::Input(i) => input_values[i].clone(),
                    Role::State(i) => values[i].clone(),
                });
                let starts =
                    system.states().iter().zip(&values).all(|(s, value)| {
                        s.init.is_none_or(|init| evaluator.value(init) == *value)
                    });
                if starts {
                    table.initial.push((state, input));
                }
                let next: Vec<Option<Value>> =
                    system.states().iter().map(|s| Some(evaluator.value(s.next?))).collect();
                row.push(Step {
                    allowed: system.constraints().iter().all(|&c| evaluator.holds(c)),
                    bad: system.bads().map(|(_, bad)| evaluator.holds(bad)).collect(),
                    successors: encode(&state_sorts, &next),
                });
            }
            table.steps.push(row);
        }
        Some(table)
    }

    /// The bad cycles of the executions, up to and without `cycles`; the search
    /// ends when nothing new is found.
    fn reaches_bad(&self, property: usize, cycles: usize) -> bool {
        let reachable = self.reachable(cycles);
        reachable.iter().any(|&(state, input)| self.steps[state][input].bad[property])
    }

    /// Pairs of state and input, with the constraints true, in cycles below the bound.
    fn reachable(&self, cycles: usize) -> Vec<(usize, usize)> {
        let mut seen = vec![vec![false; self.steps[0].len()]; self.steps.len()];
        let mut found = Vec::new();
        let mut layer = self.initial.clone();
        for _ in 0..cycles {
            layer.retain(|&(state, input)| {
                let new = !std::mem::replace(&mut seen[state][input], true);
                new && self.steps[state][input].allowed
            });
            if layer.is_empty() {
                break;
            }
            found.extend(&layer);
            let states = layer.iter().flat_map(|&(s, x)| self.steps[s][x].successors.clone());
            let mut states: Vec<usize> = states.collect();
            states.sort_unstable();
            states.dedup();
            let inputs = self.steps[0].len();
            layer = states.iter().flat_map(|&s| (0..inputs).map(move |x| (s, x))).collect();
        }
        found
    }

    /// Is there a path of `k` good cycles to a bad one? With `simple` its states
    /// are all different.
    fn steps_to_bad(&self, property: usize, k: usize, simple: bool) -> bool {
        (0..self.steps.len()).any(|s| self.path(property, k, simple, &mut vec![s]))
    }

    fn path(&self, property: usize, k: usize, simple: bool, path: &mut Vec<usize>) -> bool {
        let state = *path.last().unwrap();
        let allowed = self.steps[state].iter().filter(|step| step.allowed);
        if path.len() == k + 1 {
            return allowed.into_iter().any(|step| step.bad[property]);
        }
        let good = allowed.filter(|step| !step.bad[property]);
        let mut following: Vec<usize> = good.flat_map(|step| step.successors.clone()).collect();
        following.sort_unstable();
        following.dedup();
        following.into_iter().any(|next| {
            let repeats = |s: &usize| (s ^ next) & self.influence[property].mask == 0;
            if simple && path.iter().any(repeats) {
                return false;
            }
            path.push(next);
            let found = self.path(property, k, simple, path);
            path.pop();
            found
        })
    }

    fn is_k_inductive(&self, property: usize, k: usize, simple: bool) -> bool {
        let deeper = simple && self.influence[property].init_reads_inputs;
        !self.reaches_bad(property, k + usize::from(deeper))
            && !self.steps_to_bad(property, k, simple)
    }

    fn is_inductive(&self, property: usize, holds: impl Fn(usize) -> bool) -> bool {
        let inputs = 0..self.steps[0].len();
        let allowed = |&(s, x): &(usize, usize)| self.steps[s][x].allowed;
        let possible = |s: usize| self.steps[s].iter().any(|step| step.allowed);
        let inside = (0..self.steps.len()).filter(|&s| holds(s));
        let inside = inside.flat_map(|s| inputs.clone().map(move |x| (s, x)));
        self.initial.iter().filter(|&pair| allowed(pair)).all(|&(s, _)| holds(s))
            && inside.filter(allowed).all(|(s, x)| {
                let step = &self.steps[s][x];
                !step.bad[property] && step.successors.iter().all(|&t| !possible(t) || holds(t))
            })
    }
}

impl Influence {
    fn new(system: &TransitionSystem, state_sorts: &[Sort], bad: ExprId) -> Influence {
        let roots = system.constraints().iter().copied().chain([bad]);
        let states = system.cone_of_influence(roots);
        let mask = |&i: &usize| {
            let below: u32 = state_sorts[..i].iter().map(|&sort| bits(sort)).sum();
            ((1 << bits(state_sorts[i])) - 1) << below
        };
        let inits = states.iter().filter_map(|&i| system.states()[i].init);
        let is_input = |&node: &ExprId| matches!(system.role_of(node), Some(Role::Input(_)));
        let init_reads_inputs = elinvar_ir::cone(system.pool(), inits).iter().any(is_input);
        Influence { mask: states.iter().map(mask).sum(), init_reads_inputs }
    }
}

fn bits(sort: Sort) -> u32 {
    match sort {
        Sort::Bv(width) => width,
        Sort::Array { index, element } => element << index,
    }
}

fn decode(sorts: &[Sort], mut code: usize) -> Vec<Value> {
    let mut values = Vec::new();
    for &sort in sorts {
        values.push(match sort {
            Sort::Bv(width) => BitVec::new(width, code as u64).into(),
            Sort::Array { index, element } => {
                let mut array = ArrayValue::constant(index, BitVec::zero(element));
                for i in 0..1 << index {
                    let value = BitVec::new(element, (code >> (i * element)) as u64);
                    array.write(BitVec::new(index, i.into()), value);
                }
                array.into()
            }
        });
        code >>= bits(sort);
    }
    values
}

/// The codes of all states with these values; those without a value are free.
fn encode(sorts: &[Sort], values: &[Option<Value>]) -> Vec<usize> {
    let mut codes = vec![0];
    let mut shift = 0;
    for (&sort, value) in sorts.iter().zip(values) {
        let choices = match value {
            None => (0..1 << bits(sort)).collect(),
            Some(Value::Bv(value)) => vec![value.to_u64().unwrap() as usize],
            Some(Value::Array(array)) => {
                let element = |i: u32| array.read(&BitVec::new(array.index_width(), i.into()));
                let part =
                    |i| (element(i).to_u64().unwrap() as usize) << (i * array.element_width());
                vec![(0..1 << array.index_width()).map(part).sum()]
            }
        };
        codes = codes.iter().flat_map(|c| choices.iter().map(move |x| c | x << shift)).collect();
        shift += bits(sort);
    }
    codes
}

/// A random system; one in four gets an initial value that reads an input.
fn draw(seed: u64, shape: Shape) -> TransitionSystem {
    let system = Generator::system(seed, shape);
    let mut rng = Rng::new(seed);
    if !rng.one_in(4) {
        return system;
    }
    let mut builder = system.into_builder();
    let sort = |builder: &elinvar_ir::SystemBuilder, id| builder.pool.sort(id);
    for i in 0..builder.states.len() {
        let wanted = sort(&builder, builder.states[i].symbol);
        let fitting = builder.inputs.iter().find(|x| sort(&builder, x.symbol) == wanted);
        if let Some(input) = fitting {
            builder.states[i].init = Some(input.symbol);
            break;
        }
    }
    builder.finish().expect("inputs may occur in initial values")
}

#[derive(Default, Debug)]
struct Tally {
    accepted: usize,
    refused: usize,
    thanks_to_simple_paths: usize,
    systems_with_arrays: usize,
}

/// k-induction is accepted exactly when it holds, and so is its circuit. Both cases occur often.
fn compare_k_induction(shape: Shape, seeds: u64, max_bits: u32) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..seeds {
        let system = draw(seed, shape);
        let Some(table) = Explicit::new(&system, max_bits) else { continue };
        tally.systems_with_arrays += usize::from(system.has_arrays());
        for (position, (property, _)) in system.bads().enumerate() {
            let safe = !table.reaches_bad(position, usize::MAX);
            for k in 1..=4 {
                let [plain, simple] = [false, true].map(|simple_path| {
                    let evidence = Certificate::KInductive { k, simple_path };
                    let answer = certificate(&system, property, &evidence, &Budget::default());
                    let expected = table.is_k_inductive(position, k, simple_path);
                    let context = format!("{shape:?} {seed} {property:?} {evidence:?}");
                    assert_eq!(answer.is_ok(), expected, "{context}: {answer:?}");
                    assert!(safe || !expected, "{context}: accepted, but unsafe");
                    expected
                });
                let evidence = Certificate::KInductive { k, simple_path: false };
                let witness = WitnessCircuit::from_certificate(&system, property, &evidence);
                let answer = circuit(&system, property, &witness.unwrap(), &Budget::default());
                assert_eq!(answer.is_ok(), plain, "{shape:?} {seed} {property:?} {k}: {answer:?}");
                tally.accepted += usize::from(plain);
                tally.refused += usize::from(!plain);
                tally.thanks_to_simple_paths += usize::from(simple && !plain);
            }
        }
    }
    assert!(tally.accepted > 100 && tally.refused > 100, "{tally:?}");
    tally
}

#[test]
fn k_induction_is_accepted_exactly_when_it_holds() {
    let bits = compare_k_induction(Shape::BITS, 150, 8);
    assert!(bits.thanks_to_simple_paths > 5, "{bits:?}");
    compare_k_induction(Shape::WORDS, 120, 8);
    let arrays = compare_k_induction(Shape::ARRAYS, 250, 8);
    assert!(arrays.systems_with_arrays > 30, "{arrays:?}");
}

/// On larger systems, where paths are too many to enumerate: never accepted
/// when breadth-first search finds a bad state.
#[test]
fn nothing_unsafe_is_accepted() {
    let (mut accepted, mut refused) = (0, 0);
    for Searched { shape, seed, system, outcomes } in searched(1000..1060, 20_000) {
        for (property, outcome) in outcomes {
            for (k, simple_path) in [(1, true), (2, false), (4, true)] {
                let evidence = Certificate::KInductive { k, simple_path };
                match certificate(&system, property, &evidence, &Budget::default()) {
                    Ok(()) => {
                        assert_eq!(outcome, Outcome::Safe, "{shape:?} {seed} {property:?}");
                        accepted += 1;
                    }
                    Err(Refusal::BaseCase { cycle }) => {
                        assert_eq!(outcome, Outcome::Unsafe(cycle));
                        refused += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(accepted > 50 && refused > 50, "{accepted} {refused}");
}

/// All bits of all states, the first the least significant one of its code.
fn state_bits(system: &TransitionSystem) -> Option<Vec<(ExprId, u32)>> {
    let mut bits = Vec::new();
    for state in system.states() {
        let width = system.pool().sort(state.symbol).width()?;
        bits.extend((0..width).map(|bit| (state.symbol, bit)));
    }
    Some(bits)
}

fn random_clause(rng: &mut Rng, bits: &[(ExprId, u32)]) -> Vec<StateBit> {
    let literal = |rng: &mut Rng| {
        let (state, bit) = rng.pick(bits);
        StateBit { state, bit, positive: rng.one_in(2) }
    };
    (0..1 + rng.below(3)).map(|_| literal(rng)).collect()
}

fn clause_holds(bits: &[(ExprId, u32)], clause: &[StateBit], code: usize) -> bool {
    clause.iter().any(|literal| {
        let position = bits.iter().position(|&b| b == (literal.state, literal.bit)).unwrap();
        (code >> position & 1 == 1) == literal.positive
    })
}

/// The conjunction of the clauses as one expression.
fn formula(system: &TransitionSystem, clauses: &[Vec<StateBit>]) -> Certificate {
    let mut pool = Pool::new();
    let mut copies = HashMap::new();
    for state in system.states() {
        let sort = system.pool().sort(state.symbol);
        copies.insert(state.symbol, pool.symbol(sort, None).unwrap());
    }
    let mut expr = pool.bool(true);
    for clause in clauses {
        let mut any = pool.bool(false);
        for &StateBit { state, bit, positive } in clause {
            let literal = pool.slice(copies[&state], bit, bit).unwrap();
            let literal = if positive { literal } else { pool.not(literal).unwrap() };
            any = pool.or(any, literal).unwrap();
        }
        expr = pool.and(expr, any).unwrap();
    }
    let symbols = (0..system.states().len()).map(Role::State).collect();
    Certificate::Formula(Box::new(Formula { pool, expr, symbols }))
}

/// Invariants are accepted exactly when they are: random ones, the reachable
/// states, and the reachable states without one of the clauses; as clauses and as
/// formulas.
#[test]
fn invariants_of_bits_and_words() {
    let (mut accepted, mut refused) = (0, 0);
    for (shape, seeds) in [(Shape::BITS, 100), (Shape::WORDS, 100)] {
        for seed in 0..seeds {
            let system = draw(seed, shape);
            let Some(table) = Explicit::new(&system, 8) else { continue };
            let Some(bits) = state_bits(&system) else { continue };
            let mut rng = Rng::new(seed);
            let reached = table.reachable(usize::MAX);
            let block = |code: usize| -> Vec<StateBit> {
                let literal = |(position, &(state, bit))| StateBit {
                    state,
                    bit,
                    positive: code >> position & 1 == 0,
                };
                bits.iter().enumerate().map(literal).collect()
            };
            let unreached = (0..table.steps.len()).filter(|&s| !reached.iter().any(|r| r.0 == s));
            let exact: Vec<Vec<StateBit>> = unreached.map(block).collect();
            let mut candidates = vec![exact.clone(), Vec::new()];
            if !exact.is_empty() {
                let mut weaker = exact.clone();
                weaker.swap_remove(rng.below(exact.len()));
                candidates.push(weaker);
            }
            for count in 1..4 {
                candidates.push((0..count).map(|_| random_clause(&mut rng, &bits)).collect());
            }
            for (position, (property, _)) in system.bads().enumerate() {
                let safe = !table.reaches_bad(position, usize::MAX);
                for (number, clauses) in candidates.iter().enumerate() {
                    let holds = |s| clauses.iter().all(|clause| clause_holds(&bits, clause, s));
                    let expected = table.is_inductive(position, holds);
                    let evidence = Certificate::Inductive { clauses: clauses.clone() };
                    let budget = Budget::default();
                    let answer = certificate(&system, property, &evidence, &budget);
                    let context = format!("{shape:?} {seed} {property:?} candidate {number}");
                    assert_eq!(answer.is_ok(), expected, "{context}: {answer:?}");
                    // An invariant over states forgets with which input a state is initial.
                    if number == 0 && !table.influence[position].init_reads_inputs {
                        assert_eq!(expected, safe, "{context}: the reachable states");
                    }
                    assert!(safe || !expected, "{context}: accepted, but unsafe");
                    check_circuit(&system, property, &evidence, expected, &context);
                    let evidence = formula(&system, clauses);
                    let answer = certificate(&system, property, &evidence, &budget);
                    assert_eq!(answer.is_ok(), expected, "{context} as a formula: {answer:?}");
                    check_circuit(&system, property, &evidence, expected, &context);
                    accepted += usize::from(expected);
                    refused += usize::from(!expected);
                }
            }
        }
    }
    assert!(accepted > 200 && refused > 200, "{accepted} {refused}");
}

/// Facts that hold where the state does not have this value.
fn differs(rng: &mut Rng, state: ExprId, value: &BitVec) -> Vec<Fact> {
    let word = Word { state, element: None };
    let reading = rng.pick(&[Reading::Signed, Reading::Unsigned]);
    let term = |coefficient: i32| LinearTerm {
        coefficient: coefficient.into(),
        word: word.clone(),
        reading,
    };
    match rng.below(3) {
        0 => (0..value.width())
            .map(|bit| Fact::Bit { word: word.clone(), bit, value: !value.bit(bit) })
            .collect(),
        1 => {
            let below = Fact::AtMost { terms: vec![term(1)], bound: reading.of(value) - 1 };
            let above = Fact::AtMost { terms: vec![term(-1)], bound: -reading.of(value) - 1 };
            vec![below, above]
        }
        _ => {
            let (width, value) = (value.width(), reading.of(value));
            vec![Fact::Modular { terms: vec![term(1)], width, value, equal: false }]
        }
    }
}

fn random_sum(rng: &mut Rng, bits: &[(ExprId, u32)]) -> Vec<Fact> {
    let term = |rng: &mut Rng| LinearTerm {
        coefficient: rng.pick(&[-5, -3, -2, -1, 1, 2, 3, 4]).into(),
        word: Word { state: rng.pick(bits).0, element: None },
        reading: rng.pick(&[Reading::Signed, Reading::Unsigned]),
    };
    let terms = (0..1 + rng.below(3)).map(|_| term(rng)).collect();
    vec![Fact::AtMost { terms, bound: (rng.below(24) as i32 - 4).into() }]
}

/// The same for facts about words: what is not reached, told in all kinds of facts, with
/// or without one of the clauses and with a random inequality more.
#[test]
fn invariants_of_facts() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..150 {
        let system = draw(seed, Shape::WORDS);
        let Some(table) = Explicit::new(&system, 8) else { continue };
        let Some(bits) = state_bits(&system) else { continue };
        let mut rng = Rng::new(seed);
        let value_of = |state: ExprId, code: usize| {
            let positions = (0..bits.len()).filter(|&position| bits[position].0 == state);
            BitVec::from_bits(positions.map(|position| code >> position & 1 == 1))
        };
        let reached = table.reachable(usize::MAX);
        let unreached = (0..table.steps.len()).filter(|&s| !reached.iter().any(|r| r.0 == s));
        let exact: Vec<Vec<Fact>> = unreached
            .map(|code| {
                let states = system.states().iter().map(|state| state.symbol);
                states.flat_map(|s| differs(&mut rng, s, &value_of(s, code))).collect()
            })
            .collect();
        let mut candidates = vec![exact.clone()];
        for _ in 0..3 {
            let mut changed = exact.clone();
            changed.push(random_sum(&mut rng, &bits));
            candidates.push(changed);
        }
        if !exact.is_empty() {
            let mut weaker = exact.clone();
            weaker.swap_remove(rng.below(exact.len()));
            candidates.push(weaker);
        }
        for (position, (property, _)) in system.bads().enumerate() {
            for (number, clauses) in candidates.iter().enumerate() {
                let holds = |code| {
                    let fact_holds = |fact: &Fact| fact.holds(|word| value_of(word.state, code));
                    clauses.iter().all(|clause| clause.iter().any(fact_holds))
                };
                let expected = table.is_inductive(position, holds);
                let evidence = Certificate::Facts { clauses: clauses.clone() };
                let answer = certificate(&system, property, &evidence, &Budget::default());
                let context = format!("{seed} {property:?} candidate {number}");
                assert_eq!(answer.is_ok(), expected, "{context}: {answer:?} {clauses:?}");
                check_circuit(&system, property, &evidence, expected, &context);
                accepted += usize::from(expected);
                refused += usize::from(!expected);
            }
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} {refused}");
}

/// Its circuit is accepted when the invariant is, and only if the property holds.
fn check_circuit(
    system: &TransitionSystem,
    property: PropertyId,
    evidence: &Certificate,
    expected: bool,
    context: &str,
) {
    let witness = WitnessCircuit::from_certificate(system, property, evidence).unwrap();
    let answer = circuit(system, property, &witness, &Budget::default());
    assert!(answer.is_ok() || !expected, "{context}: {answer:?}");
}
