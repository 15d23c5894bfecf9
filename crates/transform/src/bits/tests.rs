//! Every pass on random systems: the same verdicts at the same depths, and all
//! evidence accepted of the original system.

use std::sync::Arc;
use std::time::{Duration, Instant};

use elinvar_check::{Budget, certificate, replay};
use elinvar_engines::bmc::{Bmc, BmcOptions};
use elinvar_engines::kinduction::{KInduction, KInductionOptions};
use elinvar_engines::pdr::{Pdr, PdrOptions};
use elinvar_engines::{Engine, Run, Task};
use elinvar_ir::{
    BitVec, Certificate, Evaluator, ExprId, Fact, Formula, LinearTerm, Origin, Pool, PropertyId,
    Reading, Role, Sort, StateBit, Step, SystemBuilder, Trace, TransitionSystem, Value, Verdict,
    Word,
};
use elinvar_models::{Generator, Outcome, Shape, search};
use rustc_hash::{FxHashMap, FxHashSet};

use super::*;
use crate::lift::Lift;
use crate::limits::Unlimited;
use crate::stuck::{Stuck, stuck_on_error};

fn only(names: &[&str]) -> PassOptions {
    PassOptions::only(names).expect("passes")
}

/// Limits that the tests choose.
#[derive(Clone)]
struct TestLimits {
    effort: u64,
    exceeded: Option<StopReason>,
    deadline: Option<Instant>,
}

impl Default for TestLimits {
    fn default() -> Self {
        TestLimits { effort: u64::MAX, exceeded: None, deadline: None }
    }
}

impl Limits for TestLimits {
    fn stop(&self) -> Option<StopReason> {
        if self.effort == 0 { Some(StopReason::Cancelled) } else { self.passed() }
    }

    fn passed(&self) -> Option<StopReason> {
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.exceeded.clone().or(late.then_some(StopReason::Timeout))
    }

    fn seed(&self) -> u64 {
        0
    }

    fn share(&self) -> Arc<dyn Limits> {
        Arc::new(self.clone())
    }
}

/// How many verdicts were compared, and how large the systems were.
#[derive(Default, Debug)]
struct Tally {
    traces: usize,
    certificates: usize,
    before: usize,
    after: usize,
    gates_after: usize,
}

/// The proof about the old system, with the facts that may matter to the property.
fn narrowed(prepared: &Prepared, id: PropertyId, proof: Certificate) -> Certificate {
    match prepared.lift.verdict_on(id, Verdict::Safe(proof)) {
        Verdict::Safe(proof) => proof,
        other @ (Verdict::Unsafe(_) | Verdict::Unknown(_)) => panic!("{other:?}"),
    }
}

fn compare(options: &PassOptions, shape: Shape, seeds: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..seeds {
        let system = Generator::system(seed, shape);
        let Ok(truth) = search(&system, 20_000) else { continue };
        // Now all properties, now one.
        let wanted: Vec<PropertyId> = truth
            .iter()
            .map(|&(id, _)| id)
            .filter(|id| seed % 2 == 0 || id.0 == seed as usize % truth.len())
            .collect();
        let (bits, blasted) = bitblast(&system, 64).unwrap();
        let prepared = if seed % 3 == 0 {
            // In two steps, with the lifts put together.
            let prepared = prepare(&bits, &wanted, options, 0, &Unlimited).unwrap();
            Prepared { lift: blasted.then(prepared.lift), ..prepared }
        } else {
            prepare(&system, &wanted, options, 64, &Unlimited).unwrap()
        };
        let system_of_bits = prepared.bits.system();
        assert!(system_of_bits.states().iter().all(|state| state.next.is_some()));
        let Ok(found) = search(system_of_bits, 200_000) else { continue };
        tally.before += bits.states().len();
        tally.after += prepared.bits.registers().len();
        tally.gates_after += prepared.report.last().unwrap().after.gates;
        let reached = Reached::new(system_of_bits);
        for &(id, outcome) in truth.iter().filter(|(id, _)| wanted.contains(id)) {
            assert!(found.contains(&(id, outcome)), "seed {seed} {shape:?}: {outcome:?} {found:?}");
            match outcome {
                Outcome::Unsafe(depth) => {
                    let trace = prepared.lift.trace(shortest(system_of_bits, id));
                    assert_eq!(trace.depth(), depth);
                    let replayed = replay(&system, &trace);
                    assert_eq!(replayed, Ok(()), "seed {seed} {shape:?}\n{trace:?}");
                    tally.traces += 1;
                }
                Outcome::Safe => {
                    let Some(clauses) = reached.invariant(id) else { continue };
                    let invariant = match seed % 4 {
                        0 => formula(system_of_bits, &clauses),
                        1 => facts(&clauses),
                        _ => Certificate::Inductive { clauses },
                    };
                    // Now with all facts, now with those about the property.
                    let lifted = match seed % 5 {
                        0 => prepared.lift.proof(invariant).unwrap(),
                        _ => narrowed(&prepared, id, invariant),
                    };
                    let checked = certificate(&system, id, &lifted, &Budget::default());
                    assert_eq!(checked, Ok(()), "seed {seed} {shape:?}\n{lifted:?}");
                    tally.certificates += 1;
                }
            }
        }
    }
    tally
}

/// The clauses as facts, each bit now as what it is, now as a sum.
fn facts(clauses: &[Vec<StateBit>]) -> Certificate {
    let fact = |(place, literal): (usize, &StateBit)| {
        let &StateBit { state, bit, positive: value } = literal;
        let word = Word { state, element: None };
        if place % 2 == 0 {
            return Fact::Bit { word, bit, value };
        }
        let (sign, bound) = if value { (-1, -1) } else { (1, 0) };
        let (coefficient, reading) = (sign.into(), Reading::Unsigned);
        let terms = vec![LinearTerm { coefficient, word, reading }];
        Fact::AtMost { terms, bound: bound.into() }
    };
    let clause = |clause: &Vec<StateBit>| clause.iter().enumerate().map(fact).collect();
    Certificate::Facts { clauses: clauses.iter().map(clause).collect() }
}

/// The clauses as one expression.
fn formula(system: &TransitionSystem, clauses: &[Vec<StateBit>]) -> Certificate {
    let mut pool = Pool::new();
    let mut symbols = Vec::new();
    let mut exprs = FxHashMap::default();
    for (i, state) in system.states().iter().enumerate() {
        exprs.insert(state.symbol, pool.symbol(Sort::BOOL, None).unwrap());
        symbols.push(Role::State(i));
    }
    let mut conjuncts = Vec::new();
    for clause in clauses {
        let mut literals = Vec::new();
        for literal in clause {
            let bit = exprs[&literal.state];
            literals.push(if literal.positive { bit } else { pool.not(bit).unwrap() });
        }
        conjuncts.push(pool.disjoin(literals).unwrap());
    }
    let expr = pool.conjoin(conjuncts).unwrap();
    Certificate::Formula(Box::new(Formula { pool, expr, symbols }))
}

fn shortest(system: &TransitionSystem, property: PropertyId) -> Trace {
    let task = Task::about(system, &[property], &Run::new());
    // With one solver for all bounds, the engine would simplify the bits itself.
    let options = BmcOptions { incremental: false, ..BmcOptions::default() };
    let verdicts = task.check(&mut Bmc(options));
    match verdicts.unwrap().remove(0) {
        Verdict::Unsafe(trace) => trace,
        other => panic!("{other:?}"),
    }
}

/// The reachable states of a small system of bits.
struct Reached<'a> {
    system: &'a TransitionSystem,
    states: FxHashSet<u32>,
}

impl<'a> Reached<'a> {
    fn new(system: &'a TransitionSystem) -> Self {
        let mut states = FxHashSet::default();
        let mut stack: Vec<u32> = Vec::new();
        let inits = system.states().iter().map(|s| s.init.unwrap_or(s.symbol)).collect();
        let mut initial = Table::new(system, inits);
        for state in 0..1 << system.states().len() {
            if (initial.inputs()).any(|input| initial.row(state, input) == state) {
                stack.push(state);
            }
        }
        let constraints = system.constraints().iter().copied();
        let nexts = system.states().iter().filter_map(|s| s.next);
        let mut step = Table::new(system, nexts.chain(constraints).collect());
        let holds = !0u32 << system.states().len();
        while let Some(state) = stack.pop() {
            if states.insert(state) {
                for input in step.inputs() {
                    let row = step.row(state, input);
                    if row & step.all() & holds == step.all() & holds {
                        stack.push(row & !holds);
                    }
                }
            }
        }
        Reached { system, states }
    }

    /// A clause against every state that is not reachable; nothing when the property
    /// depends on more than the state: initial values that inputs decide.
    fn invariant(&self, property: PropertyId) -> Option<Vec<Vec<StateBit>>> {
        let mut roots = self.system.constraints().to_vec();
        roots.push(self.system.bad(property).unwrap());
        let mut violated = Table::new(self.system, roots);
        for &state in &self.states {
            if (violated.inputs()).any(|input| violated.row(state, input) == violated.all()) {
                return None;
            }
        }
        let blocked = (0..1 << self.system.states().len()).filter(|s| !self.states.contains(s));
        let clause = |state: u32| {
            let literal = |(i, s): (usize, &elinvar_ir::State)| StateBit {
                state: s.symbol,
                bit: 0,
                positive: state >> i & 1 == 0,
            };
            self.system.states().iter().enumerate().map(literal).collect()
        };
        Some(blocked.map(clause).collect())
    }
}

/// The values of some bits, by state and inputs.
struct Table<'a> {
    system: &'a TransitionSystem,
    roots: Vec<ExprId>,
    evaluator: Evaluator<'a>,
}

impl<'a> Table<'a> {
    fn new(system: &'a TransitionSystem, roots: Vec<ExprId>) -> Self {
        let evaluator = Evaluator::new(system.pool(), roots.iter().copied());
        Table { system, roots, evaluator }
    }

    fn inputs(&self) -> std::ops::Range<u32> {
        0..1 << self.system.inputs().len()
    }

    /// The row in which all bits are true.
    fn all(&self) -> u32 {
        (1 << self.roots.len()) - 1
    }

    fn row(&mut self, state: u32, input: u32) -> u32 {
        self.evaluator.run(|symbol| {
            let bit = match self.system.role_of(symbol).unwrap() {
                Role::Input(i) => input >> i & 1 == 1,
                Role::State(i) => state >> i & 1 == 1,
            };
            Value::Bv(BitVec::bool(bit))
        });
        let bits = self.roots.iter().enumerate();
        bits.map(|(i, &root)| u32::from(self.evaluator.holds(root)) << i).sum()
    }
}

#[test]
fn words_become_bits_and_free_states_inputs() {
    for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS] {
        let tally = compare(&PassOptions::NONE, shape, 80);
        assert!(tally.traces > 20 && tally.certificates > 5, "{shape:?} {tally:?}");
    }
}

/// The pass removes registers, and evidence is lifted.
fn expect_fewer_registers(pass: &str, seeds: u64) {
    for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS] {
        let tally = compare(&only(&[pass]), shape, seeds);
        assert!(tally.traces > 20 && tally.certificates > 5, "{shape:?} {tally:?}");
        assert!(tally.after < tally.before, "{shape:?} {tally:?}");
    }
}

#[test]
fn the_cone_of_influence_is_enough() {
    expect_fewer_registers("cone", 80);
}

#[test]
fn merged_registers_are_facts() {
    expect_fewer_registers("registers", 150);
}

#[test]
fn merged_signals_are_facts() {
    for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS] {
        let cone = compare(&only(&["cone"]), shape, 150);
        let tally = compare(&only(&["cone", "signals"]), shape, 150);
        assert!(tally.traces > 20 && tally.certificates > 5, "{shape:?} {tally:?}");
        assert!(tally.after < cone.after, "{shape:?} {tally:?} {cone:?}");
        assert!(tally.gates_after < cone.gates_after, "{shape:?} {tally:?} {cone:?}");
    }
}

/// One of eight registers with any initial values must be set, as nearly always by chance.
#[test]
fn a_constraint_is_not_merged_with_what_it_implies() {
    let mut b = SystemBuilder::new();
    let registers = [(); 8].map(|()| b.state(Sort::BOOL, None).unwrap());
    b.states.iter_mut().zip(registers).for_each(|(state, own)| state.next = Some(own));
    let mut any = b.pool.bool(false);
    for register in registers {
        any = b.pool.or(any, register).unwrap();
    }
    b.constrain(any, Origin::UNKNOWN);
    let bad = b.pool.bool(true);
    b.bad("p", bad);
    let system = b.finish().unwrap();
    let (id, passes) = (PropertyId(0), only(&["cone", "signals"]));
    let prepared = prepare(&system, &[id], &passes, 64, &Unlimited).unwrap();
    let trace = prepared.lift.trace(shortest(prepared.bits.system(), id));
    assert_eq!(replay(&system, &trace), Ok(()));
}

/// Two units of two registers that are equal; a property says so of each.
#[test]
fn a_proof_states_the_facts_of_its_own_unit() {
    let mut b = SystemBuilder::new();
    for unit in 0..2 {
        let input = b.input(Sort::BOOL, None).unwrap();
        let registers = [(); 2].map(|()| b.state(Sort::BOOL, None).unwrap());
        let zero = b.pool.bool(false);
        for state in &mut b.states[2 * unit..] {
            (state.init, state.next) = (Some(zero), Some(input));
        }
        let equal = b.pool.equal(registers[0], registers[1]).unwrap();
        let bad = b.pool.not(equal).unwrap();
        b.bad(format!("p{unit}"), bad);
    }
    let system = b.finish().unwrap();
    let ids = [0, 1].map(PropertyId);
    let prepared = prepare(&system, &ids, &only(&["registers"]), 64, &Unlimited).unwrap();
    for id in ids {
        let nothing = Certificate::Inductive { clauses: Vec::new() };
        let all = prepared.lift.proof(nothing.clone()).unwrap();
        let proof = narrowed(&prepared, id, nothing);
        let size = |proof: &Certificate| match proof {
            Certificate::Inductive { clauses } => clauses.len(),
            other => panic!("{other:?}"),
        };
        assert_eq!((size(&all), size(&proof)), (4, 2));
        assert_eq!(certificate(&system, id, &proof, &Budget::default()), Ok(()));
    }
}

#[test]
fn swept_gates_compute_the_same() {
    for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS] {
        let cone = compare(&only(&["cone"]), shape, 80);
        let tally = compare(&only(&["sweep", "rewrite"]), shape, 80);
        assert!(tally.traces > 20 && tally.certificates > 5, "{shape:?} {tally:?}");
        assert!(tally.gates_after < cone.gates_after, "{shape:?} {tally:?} {cone:?}");
    }
}

/// In this system a gate that mentions a register is equal to the register's initial value.
#[test]
fn swept_initial_values_do_not_depend_on_themselves() {
    let system = Generator::system(4948, Shape::NUMBERS);
    let properties: Vec<PropertyId> = system.bads().map(|(id, _)| id).collect();
    let prepared = prepare(&system, &properties, &PassOptions::ALL, 64, &Unlimited).unwrap();
    assert!(!prepared.bits.registers().is_empty());
}

#[test]
fn all_passes_together_keep_verdicts_and_evidence() {
    for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS] {
        let tally = compare(&PassOptions::ALL, shape, 80);
        assert!(tally.traces > 20 && tally.certificates > 5, "{shape:?} {tally:?}");
    }
}

#[test]
fn a_run_without_effort_left_gives_what_there_is() {
    let system = Generator::system(3, Shape::WORDS);
    let limits = TestLimits { effort: 0, ..TestLimits::default() };
    let options = PassOptions::ALL;
    let prepared = prepare(&system, &[PropertyId(0)], &options, 0, &limits).unwrap();
    assert!(prepared.lift.facts().is_empty());
    let outcome = |system| search(system, 200_000).unwrap()[0];
    assert_eq!(outcome(prepared.bits.system()), outcome(&system));
    let names: Vec<&str> = prepared.report.iter().map(|pass| pass.name).collect();
    assert_eq!(names, ["bits", "normalize", "cone"]);
}

#[test]
fn there_is_no_result_beyond_the_limits() {
    let system = Generator::system(3, Shape::WORDS);
    for reason in [StopReason::Timeout, StopReason::Memory] {
        let limits = TestLimits { exceeded: Some(reason.clone()), ..TestLimits::default() };
        let stopped = prepare(&system, &[PropertyId(0)], &PassOptions::ALL, 0, &limits);
        assert_eq!(stopped.unwrap_err(), TransformError::Stopped(reason));
    }
}

/// Whatever the pass is in which the time ends, gates that are missing are noticed.
#[test]
fn a_netlist_without_some_of_its_gates_is_not_used() {
    let mut b = elinvar_ir::SystemBuilder::new();
    let [x, y] = [0, 1].map(|_| b.input(Sort::Bv(200), None).unwrap());
    let product = b.pool.binary(elinvar_ir::BinaryOp::Mul, x, y).unwrap();
    let bad = b.pool.slice(product, 199, 199).unwrap();
    b.bad("set", bad);
    let system = b.finish().unwrap();
    for milliseconds in [1, 2, 4, 8, 16, 32] {
        let deadline = Instant::now() + Duration::from_millis(milliseconds);
        let limits = TestLimits { deadline: Some(deadline), ..TestLimits::default() };
        let options = only(&["cone", "registers", "rewrite"]);
        match prepare(&system, &[PropertyId(0)], &options, 0, &limits) {
            Ok(prepared) => assert!(prepared.bits.aig().len() > 100_000),
            Err(error) => assert_eq!(error, TransformError::Stopped(StopReason::Timeout)),
        }
    }
}

#[test]
fn justice_is_refused() {
    let mut b = elinvar_ir::SystemBuilder::new();
    let x = b.input(Sort::BOOL, Some("x")).unwrap();
    let kind = PropertyKind::Justice(vec![x]);
    b.properties.push(elinvar_ir::Property::new("often", kind));
    let system = b.finish().unwrap();
    let refused = prepare(&system, &[PropertyId(0)], &PassOptions::ALL, 0, &Unlimited).unwrap_err();
    assert_eq!(refused, TransformError::NotSafety("often".into()));
}

// Stuck on error.

/// A prepared system of bits made stuck on error, and what search says of the original.
struct StuckCase {
    seed: u64,
    original: TransitionSystem,
    prepared: Prepared,
    stuck: Stuck,
    property: PropertyId,
    outcome: Outcome,
}

fn stuck_cases(seeds: u64) -> impl Iterator<Item = StuckCase> {
    (0..seeds).filter_map(|seed| {
        let original = Generator::system(seed, Shape::BITS);
        let truth = search(&original, 20_000).ok()?;
        let (property, outcome) = truth[seed as usize % truth.len()];
        let options = PassOptions::ALL;
        let prepared = prepare(&original, &[property], &options, 0, &Unlimited).unwrap();
        let stuck = stuck_on_error(&prepared.bits, property);
        Some(StuckCase { seed, original, prepared, stuck, property, outcome })
    })
}

impl StuckCase {
    /// The verdict about the stuck system as one about the original is as it must be,
    /// and the checker accepts its evidence.
    fn assert_right(&self, verdict: Verdict) {
        let verdict = self.prepared.lift.verdict(self.stuck.verdict(verdict));
        let accepted = match (&verdict, self.outcome) {
            (Verdict::Safe(proof), Outcome::Safe) => {
                certificate(&self.original, self.property, proof, &Budget::default())
            }
            (Verdict::Unsafe(trace), Outcome::Unsafe(_)) => replay(&self.original, trace),
            other => panic!("seed {}: {other:?}", self.seed),
        };
        assert_eq!(accepted, Ok(()), "seed {}: {verdict:?}", self.seed);
    }

    fn decide(&self, engine: &mut dyn Engine) -> Verdict {
        let task = Task::about(self.stuck.bits.system(), &[self.property], &Run::new());
        task.check(engine).unwrap().remove(0)
    }
}

#[test]
fn stuck_systems_fail_when_the_old_ones_do() {
    let (mut safe, mut failing) = (0, 0);
    for case in stuck_cases(150) {
        let Ok(found) = search(case.stuck.bits.system(), 200_000) else { continue };
        assert_eq!(found.len(), case.original.properties().len());
        for (id, found) in found {
            let expected = if id == case.property { case.outcome } else { Outcome::Safe };
            assert_eq!(found, expected, "seed {}, {id:?}", case.seed);
        }
        match case.outcome {
            Outcome::Safe => safe += 1,
            Outcome::Unsafe(_) => failing += 1,
        }
    }
    assert!(safe > 40 && failing > 40, "{safe} safe, {failing} not");
}

/// Does every step from a bad cycle, reachable or not, end in a state that is bad
/// whatever the inputs are?
fn is_stuck_on_error(system: &TransitionSystem, property: PropertyId) -> bool {
    let nexts = system.states().iter().map(|state| state.next.unwrap());
    let mut step = Table::new(system, nexts.collect());
    let constraints = system.constraints().iter().copied();
    let mut bad = Table::new(system, constraints.chain(system.bad(property)).collect());
    let mut is_bad = |state: u32, input: u32| bad.row(state, input) == bad.all();
    let inputs = step.inputs();
    for state in 0..1 << system.states().len() {
        for input in inputs.clone().filter(|&input| is_bad(state, input)).collect::<Vec<_>>() {
            let successor = step.row(state, input);
            if !inputs.clone().all(|input| is_bad(successor, input)) {
                return false;
            }
        }
    }
    true
}

#[test]
fn bad_states_have_bad_successors() {
    let mut changed = 0;
    for case in stuck_cases(150) {
        assert!(is_stuck_on_error(case.stuck.bits.system(), case.property), "seed {}", case.seed);
        changed += usize::from(!is_stuck_on_error(case.prepared.bits.system(), case.property));
    }
    assert!(changed > 20, "{changed} systems were not stuck on error before");
}

#[test]
fn traces_of_stuck_systems_go_back_without_what_follows_the_first_bad_cycle() {
    let mut traces = 0;
    for case in stuck_cases(150) {
        let Outcome::Unsafe(depth) = case.outcome else { continue };
        let mut trace = shortest(case.stuck.bits.system(), case.property);
        assert_eq!(trace.depth(), depth);
        for later in 0..case.seed % 4 {
            let bit = |i: usize| Value::Bv(BitVec::bool((case.seed + later) >> i & 1 == 1));
            let inputs = (0..case.stuck.bits.inputs().len()).map(bit).collect();
            trace.steps.push(Step { inputs, free: Vec::new() });
        }
        assert_eq!(replay(case.stuck.bits.system(), &trace), Ok(()));
        let Verdict::Unsafe(back) = case.stuck.verdict(Verdict::Unsafe(trace.clone())) else {
            panic!("a trace goes back as a trace");
        };
        assert_eq!(back.depth(), depth);
        case.assert_right(Verdict::Unsafe(trace));
        traces += 1;
    }
    assert!(traces > 40, "{traces} traces");
}

#[test]
fn invariants_of_stuck_systems_go_back() {
    let mut certificates = 0;
    for case in stuck_cases(150) {
        let Some(clauses) = Reached::new(case.stuck.bits.system()).invariant(case.property) else {
            continue;
        };
        case.assert_right(Verdict::Safe(formula(case.stuck.bits.system(), &clauses)));
        case.assert_right(Verdict::Safe(Certificate::Inductive { clauses }));
        certificates += 1;
    }
    assert!(certificates > 20, "{certificates} certificates");
}

#[test]
fn evidence_of_engines_on_stuck_systems_goes_back() {
    let (mut decided, mut unsupported, mut inductions) = (0, 0, 0);
    for case in stuck_cases(150) {
        match case.decide(&mut Pdr(PdrOptions::default())) {
            Verdict::Unknown(_) => unsupported += 1,
            verdict @ (Verdict::Safe(_) | Verdict::Unsafe(_)) => {
                case.assert_right(verdict);
                decided += 1;
            }
        }
        let induction = KInductionOptions { strengthen: false, ..KInductionOptions::default() };
        let verdict = case.stuck.verdict(case.decide(&mut KInduction(induction)));
        if let Verdict::Safe(proof @ Certificate::KInductive { .. }) = verdict {
            // Not of the original: what was used in preparing may be missing.
            let system = case.prepared.bits.system();
            let checked = certificate(system, case.property, &proof, &Budget::default());
            assert_eq!(checked, Ok(()), "seed {}: {proof:?}", case.seed);
            inductions += 1;
        }
    }
    assert!(decided > 100 && inductions > 40, "{decided} decided, {inductions} inductions");
    assert!(unsupported * 10 < decided, "{unsupported} unsupported");
}
