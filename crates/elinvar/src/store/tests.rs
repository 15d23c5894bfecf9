//! Keys, evidence and damage, on small and random systems.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use elinvar_engines::Choice;
use elinvar_engines::interpolation::InterpolationOptions;
use elinvar_engines::kinduction::KInductionOptions;
use elinvar_engines::pdr::{PdrOptions, WordsOptions};
use elinvar_formats::model::read_verbatim;
use elinvar_formats::{aiger, btor2};
use elinvar_ir::{
    BinaryOp, BitVec, Certificate, ExprId, Formula, Goal, Pool, Property, PropertyId, PropertyKind,
    Rng, Role, Sort, SystemBuilder, TransitionSystem, Verdict, import,
};
use elinvar_models::{Generator, Outcome, Shape, search, search_loops};
use rustc_hash::FxHashMap;

use super::disk::{Loaded, Store};
use super::entry::{Entry, Kind};
use super::key::Key;
use super::normal::Normaliser;
use super::text;
use crate::{
    Method, Options, Problem, Proof, Report, Summary, SystemProblem, VerdictSource, check,
};

fn key(system: &TransitionSystem, property: usize) -> Key {
    Normaliser::new(system).normal(system, PropertyId(property)).key
}

fn permutation(rng: &mut Rng, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, rng.below(last + 1));
    }
    order
}

/// The same system with other names and another order of everything, and with logic that nothing
/// depends on. Its property `i` is property `order[i]` of the given one.
fn shuffled(system: &TransitionSystem, seed: u64) -> (TransitionSystem, Vec<usize>) {
    let (mut rng, old) = (Rng::new(seed), system.pool());
    let mut b = SystemBuilder::verbatim();
    let unrelated = b.state(Sort::Bv(3), Some("unrelated")).unwrap();
    let one = b.pool.constant(BitVec::one(3));
    b.states[0].next = Some(b.pool.binary(BinaryOp::Add, unrelated, one).unwrap());
    let states = system.states().len();
    let mut symbols: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let mut places = Vec::new();
    for number in permutation(&mut rng, states + system.inputs().len()) {
        let name = format!("renamed{number}");
        let (symbol, copy) = if number < states {
            let symbol = system.states()[number].symbol;
            places.push(number);
            (symbol, b.state(old.sort(symbol), Some(&name)).unwrap())
        } else {
            let symbol = system.inputs()[number - states].symbol;
            (symbol, b.input(old.sort(symbol), Some(&name)).unwrap())
        };
        symbols.insert(symbol, copy);
    }
    for place in permutation(&mut rng, places.len()) {
        let state = system.states()[places[place]];
        let next = state.next.map(|next| import(&mut b.pool, old, next, &symbols));
        let init = state.init.map(|init| import(&mut b.pool, old, init, &symbols));
        (b.states[place + 1].init, b.states[place + 1].next) = (init, next);
    }
    for place in permutation(&mut rng, system.constraints().len()) {
        let constraint = import(&mut b.pool, old, system.constraints()[place], &symbols);
        b.constraints.push(constraint);
    }
    for place in permutation(&mut rng, system.fairness().len()) {
        let fair = import(&mut b.pool, old, system.fairness()[place], &symbols);
        b.fairness.push(fair);
    }
    let order = permutation(&mut rng, system.properties().len());
    for &place in &order {
        let mut copy = |bit: ExprId| import(&mut b.pool, old, bit, &symbols);
        let kind = match &system.properties()[place].kind {
            PropertyKind::Bad(bad) => PropertyKind::Bad(copy(*bad)),
            PropertyKind::Justice(bits) => {
                let order = permutation(&mut rng, bits.len());
                PropertyKind::Justice(order.into_iter().map(|at| copy(bits[at])).collect())
            }
        };
        let goal = if rng.one_in(2) { Goal::Assert } else { Goal::Cover };
        let name = format!("q{place}");
        b.properties.push(Property { goal, ..Property::new(name, kind) });
    }
    (b.finish().unwrap(), order)
}

const SHAPES: [Shape; 5] = [
    Shape::BITS,
    Shape::WORDS,
    Shape::ARRAYS,
    Shape::NUMBERS,
    Shape { liveness: true, ..Shape::BITS },
];

#[test]
fn order_names_and_unrelated_logic_do_not_change_keys() {
    let mut keys = BTreeSet::new();
    let (mut same, mut all) = (0, 0);
    for seed in 0..300 {
        for shape in SHAPES.into_iter().chain([Shape::WIDE]) {
            let system = Generator::verbatim(seed, shape);
            let (other, order) = shuffled(&system, seed + 1);
            let (mut here, mut there) = (Normaliser::new(&system), Normaliser::new(&other));
            for (new, old) in order.into_iter().enumerate() {
                let old = here.normal(&system, PropertyId(old));
                let new = there.normal(&other, PropertyId(new));
                assert_eq!(old.states.len(), new.states.len());
                assert_eq!(old.inputs.len(), new.inputs.len());
                keys.insert(old.key);
                (same, all) = (same + usize::from(old.key == new.key), all + 1);
            }
        }
    }
    // Symmetries that colours do not see may cost a key, but hardly ever do.
    assert!(all - same <= all / 1000, "{same} of {all}");
    assert!(keys.len() > all / 2, "{} of {all}", keys.len());
}

#[test]
fn files_of_other_formats_have_the_same_keys() {
    let reread = |text: Vec<u8>, name| read_verbatim(&text, Some(name)).unwrap().into_system();
    let btor2 = |system: &TransitionSystem| reread(btor2::write(system).unwrap(), "m.btor2");
    let mut compared = 0;
    for seed in 0..60 {
        for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS] {
            let system = btor2(&Generator::verbatim(seed, shape));
            let (other, order) = shuffled(&system, seed);
            let other = btor2(&other);
            for (new, old) in order.into_iter().enumerate() {
                assert_eq!(key(&other, new), key(&system, old), "{seed} {old}");
            }
            // The gates of an AIGER file, in both formats.
            let Ok(text) = aiger::write(&system, aiger::Encoding::Ascii) else { continue };
            let gates = reread(text, "m.aag");
            for property in 0..system.properties().len() {
                assert_eq!(key(&btor2(&gates), property), key(&gates, property), "{seed}");
                compared += 1;
            }
        }
    }
    assert!(compared > 30, "{compared}");
}

/// A counter by two from `start` that must not be `bad`, while an input is set.
fn counter(start: u64, bad: u64) -> SystemBuilder {
    let mut b = SystemBuilder::verbatim();
    let count = b.state(Sort::Bv(8), Some("count")).unwrap();
    let go = b.input(Sort::BOOL, Some("go")).unwrap();
    let [start, two, bad] = [start, 2, bad].map(|n| b.pool.constant(BitVec::new(8, n)));
    let more = b.pool.binary(BinaryOp::Add, count, two).unwrap();
    b.states[0].init = Some(start);
    b.states[0].next = Some(b.pool.ite(go, more, count).unwrap());
    let bad = b.pool.equal(count, bad).unwrap();
    b.bad("p", bad);
    b
}

#[test]
fn every_change_of_the_cone_changes_the_key() {
    let first = counter(0, 7);
    let mut systems = vec![first.clone(), counter(1, 7), counter(0, 9)];
    let change = |edit: &dyn Fn(&mut SystemBuilder)| {
        let mut b = first.clone();
        edit(&mut b);
        b
    };
    systems.push(change(&|b| b.states[0].init = None));
    systems.push(change(&|b| b.states[0].next = None));
    systems.push(change(&|b| {
        let (count, go) = (b.states[0].symbol, b.inputs[0].symbol);
        let three = b.pool.constant(BitVec::new(8, 3));
        let more = b.pool.binary(BinaryOp::Add, count, three).unwrap();
        b.states[0].next = Some(b.pool.ite(go, more, count).unwrap());
    }));
    systems.push(change(&|b| b.constraints.push(b.inputs[0].symbol)));
    systems.push(change(&|b| {
        let stop = b.pool.not(b.inputs[0].symbol).unwrap();
        b.constraints.push(stop);
    }));
    systems.push(change(&|b| {
        let bad = b.properties[0].bits()[0];
        b.properties[0].kind = PropertyKind::Justice(vec![bad]);
    }));
    systems.push(change(&|b| {
        let bad = b.properties[0].bits()[0];
        b.properties[0].kind = PropertyKind::Justice(vec![bad]);
        b.fairness.push(b.inputs[0].symbol);
    }));
    let keys: BTreeSet<Key> =
        systems.iter().map(|b| key(&b.clone().finish().unwrap(), 0)).collect();
    assert_eq!(keys.len(), systems.len());
    // Large constants are compared by their values.
    let wide = |value: u64| {
        let mut b = SystemBuilder::verbatim();
        let word = b.input(Sort::Bv(100), None).unwrap();
        let high = BitVec::new(100, value).shl(&BitVec::new(100, 80));
        let high = b.pool.constant(high);
        let bad = b.pool.equal(word, high).unwrap();
        b.bad("p", bad);
        key(&b.finish().unwrap(), 0)
    };
    assert_eq!(wide(1), wide(1));
    assert_ne!(wide(1), wide(2));
}

fn problem(system: TransitionSystem) -> Problem {
    Problem::System(SystemProblem::built(system, Default::default()))
}

fn with_store(store: &Arc<Store>, method: Method) -> Options {
    Options { store: Some(Arc::clone(store)), method, ..Options::default() }
}

fn new_store(folder: &Path) -> Arc<Store> {
    Arc::new(Store::open(folder.join("store")).unwrap())
}

fn sources(report: &Report) -> Vec<VerdictSource> {
    report.properties.iter().map(|property| property.source).collect()
}

/// Evidence about one system serves the same system in another order, whatever kind it is of.
#[test]
fn evidence_is_accepted_for_shuffled_systems() {
    let folder = tempfile::tempdir().unwrap();
    let store = new_store(folder.path());
    let methods = [
        Choice::Auto,
        Choice::Pdr(PdrOptions::default()),
        Choice::KInduction(KInductionOptions::default()),
        Choice::Words(WordsOptions::default()),
        Choice::Itp(InterpolationOptions::default()),
    ];
    let mut kinds: FxHashMap<&str, usize> = FxHashMap::default();
    let (mut missed, mut all) = (0, 0);
    for seed in 0..60_u64 {
        let shape = SHAPES[seed as usize % SHAPES.len()];
        let system = Generator::verbatim(seed, shape);
        let method = Method::System(methods[seed as usize / 5 % methods.len()].clone());
        let (other, order) = shuffled(&system, seed + 7);
        let options = with_store(&store, method);
        let first = check(&problem(system.clone()), &options).unwrap();
        let second = check(&problem(other), &options).unwrap();
        assert!(first.bugs.is_empty() && second.bugs.is_empty());
        assert!(second.warnings.is_empty(), "{:?}", second.warnings);
        for (new, old) in order.into_iter().enumerate() {
            let (old, new) = (&first.properties[old], &second.properties[new]);
            if !old.verdict.is_decided() {
                continue;
            }
            assert_eq!(Summary::of(&old.verdict), Summary::of(&new.verdict), "seed {seed}");
            agrees(&system, old.id, Summary::of(&new.verdict));
            (missed, all) = (missed + usize::from(new.source != VerdictSource::Store), all + 1);
            let kind = match &new.verdict {
                Verdict::Safe(Proof::Certificate(Certificate::Inductive { .. })) => "clauses",
                Verdict::Safe(Proof::Certificate(Certificate::KInductive { .. })) => "induction",
                Verdict::Safe(Proof::Certificate(Certificate::Facts { .. })) => "facts",
                Verdict::Safe(Proof::Certificate(Certificate::Formula(_))) => "formula",
                Verdict::Safe(Proof::Certificate(Certificate::Ranking(_))) => "ranking",
                Verdict::Safe(Proof::Invariants(_)) => unreachable!("not a program"),
                Verdict::Unsafe(crate::Trace::System(trace)) if trace.loop_start.is_some() => {
                    "loop"
                }
                Verdict::Unsafe(_) => "trace",
                Verdict::Unknown(_) => "unknown",
            };
            *kinds.entry(kind).or_default() += usize::from(new.source == VerdictSource::Store);
        }
    }
    assert!(missed <= all / 50, "{missed} of {all}");
    for kind in ["clauses", "induction", "facts", "ranking", "trace", "loop"] {
        assert!(kinds.get(kind).is_some_and(|&count| count > 0), "{kind}: {kinds:?}");
    }
}

/// Compares with explicit-state search.
fn agrees(system: &TransitionSystem, property: PropertyId, found: Summary) {
    let fails = match system.property(property).kind {
        PropertyKind::Bad(_) => search(system, 200_000).ok().and_then(|outcomes| {
            let outcome = outcomes.into_iter().find(|(id, _)| *id == property)?.1;
            Some(outcome != Outcome::Safe)
        }),
        PropertyKind::Justice(_) => search_loops(system, 200_000).ok().and_then(|outcomes| {
            Some(outcomes.into_iter().find(|(id, _)| *id == property)?.1.is_some())
        }),
    };
    if let Some(fails) = fails {
        assert_eq!(fails, found == Summary::Unsafe);
    }
}

/// Formulas with inputs, which only some engines find.
#[test]
fn formulas_survive_the_round_trip() {
    let system = counter(0, 7).finish().unwrap();
    let normal = Normaliser::new(&system).normal(&system, PropertyId(0));
    let mut pool = Pool::new();
    let unused = pool.symbol(Sort::Bv(4), None).unwrap();
    let (go, count) =
        (pool.symbol(Sort::BOOL, None).unwrap(), pool.symbol(Sort::Bv(8), None).unwrap());
    assert_ne!(unused, go);
    let odd = pool.slice(count, 0, 0).unwrap();
    let both = pool.and(odd, go).unwrap();
    let neither = pool.not(go).unwrap();
    let either = pool.and(odd, neither).unwrap();
    let some = pool.or(both, either).unwrap();
    let expr = pool.not(some).unwrap();
    let symbols = vec![Role::Input(9), Role::Input(0), Role::State(0)];
    let formula = Box::new(Formula { pool, expr, symbols });
    let verdict = Verdict::Safe(Certificate::Formula(formula));
    let written = text::write(&system, &normal, &verdict).unwrap();
    assert!(!written.is_cut);
    let read = text::read(&system, PropertyId(0), &normal, &written.text).unwrap();
    let budget = crate::Budget::default();
    let confirmed = crate::confirm_system(&system, &system, PropertyId(0), read, &budget);
    assert!(confirmed.unwrap().is_decided());
}

/// Every way to damage an entry: the verdict is right, and the entry is replaced.
#[test]
fn damaged_and_foreign_entries_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let store = new_store(folder.path());
    let options = with_store(&store, Method::Auto);
    let (safe, failing) = (counter(0, 7).finish().unwrap(), counter(0, 6).finish().unwrap());
    let run = |system: &TransitionSystem| check(&problem(system.clone()), &options).unwrap();
    assert_eq!(run(&safe).summary(), Summary::Safe);
    assert_eq!(run(&failing).summary(), Summary::Unsafe);
    let [safe_key, failing_key] = [&safe, &failing].map(|system| key(system, 0));
    let path = |key: Key| {
        let name = key.to_string();
        store.path().join("evidence").join(&name[..2]).join(&name[2..])
    };
    let good = fs::read(path(safe_key)).unwrap();
    let foreign = fs::read(path(failing_key)).unwrap();
    let body = |key| match store.load(Kind::Evidence, key) {
        Loaded::Entry(entry) => entry.body,
        Loaded::Missing | Loaded::Damaged(_) => panic!("it is there"),
    };
    let sealed =
        |key: Key, body: &[u8]| Entry { depth: 0, body: body.to_vec() }.write(Kind::Evidence, key);
    let middle = good.len() - 3;
    let flipped: Vec<u8> =
        good.iter().enumerate().map(|(at, &byte)| byte ^ u8::from(at == middle)).collect();
    let induction = b"elinvar certificate 1\nproperty normal\nk-induction 1\n";
    // Files that are not entries, and entries that are not evidence for what they claim.
    let wrong: Vec<(Key, &TransitionSystem, Vec<u8>)> = vec![
        (safe_key, &safe, Vec::new()),
        (safe_key, &safe, good[..middle].to_vec()),
        (safe_key, &safe, flipped),
        (safe_key, &safe, [&good[..], b"more"].concat()),
        (safe_key, &safe, foreign),
        (safe_key, &safe, vec![0xff; 4096]),
        (safe_key, &safe, sealed(safe_key, &body(failing_key))),
        (safe_key, &safe, sealed(safe_key, b"clauses 0\n")),
        (safe_key, &safe, sealed(safe_key, b"clauses 1\n9.0\n")),
        (safe_key, &safe, sealed(safe_key, b"clauses 1\n0.99\n")),
        (safe_key, &safe, sealed(safe_key, b"facts 1\nb:0:99:1\n")),
        (safe_key, &safe, sealed(safe_key, b"facts 1\nl:3:0*0u\n")),
        (safe_key, &safe, sealed(safe_key, b"trace 0\n=\n")),
        (safe_key, &safe, sealed(safe_key, b"nothing that is known\n")),
        (failing_key, &failing, sealed(failing_key, &body(safe_key))),
        (failing_key, &failing, sealed(failing_key, b"clauses 0\n")),
        (failing_key, &failing, sealed(failing_key, induction)),
        (failing_key, &failing, sealed(failing_key, b"trace 1\n= 00000110\n@ 1\n")),
    ];
    for (number, (key, system, bytes)) in wrong.into_iter().enumerate() {
        let expected = if key == safe_key { Summary::Safe } else { Summary::Unsafe };
        fs::write(path(key), bytes).unwrap();
        let report = run(system);
        assert_eq!(report.summary(), expected, "case {number}");
        assert_eq!(report.warnings.len(), 1, "case {number}");
        assert!(report.bugs.is_empty(), "case {number}");
        let again = run(system);
        assert_eq!(again.summary(), expected, "case {number}");
        assert_eq!(sources(&again), [VerdictSource::Store], "case {number}");
        assert!(again.warnings.is_empty());
    }
    assert!(store.statistics().unwrap().damaged.entries > 0);
    // A folder in place of an entry is no entry, and stays.
    fs::remove_file(path(safe_key)).unwrap();
    fs::create_dir(path(safe_key)).unwrap();
    assert_eq!(run(&safe).summary(), Summary::Safe);
}

/// Lemmas of an earlier version, damaged or not, help or do no harm.
#[test]
fn changed_properties_start_from_earlier_proofs() {
    let folder = tempfile::tempdir().unwrap();
    let store = new_store(folder.path());
    let options = with_store(&store, Method::System(Choice::Pdr(PdrOptions::default())));
    let run = |b: &SystemBuilder| check(&problem(b.clone().finish().unwrap()), &options).unwrap();
    let first = counter(0, 7);
    assert_eq!(sources(&run(&first)), [VerdictSource::Engine]);
    // It counts by four now: the earlier invariant is still one.
    let mut second = first.clone();
    let (count, go) = (second.states[0].symbol, second.inputs[0].symbol);
    let four = second.pool.constant(BitVec::new(8, 4));
    let more = second.pool.binary(BinaryOp::Add, count, four).unwrap();
    second.states[0].next = Some(second.pool.ite(go, more, count).unwrap());
    let report = run(&second);
    assert_eq!((report.summary(), sources(&report)), (Summary::Safe, vec![VerdictSource::Store]));
    // It counts by one now, and fails.
    let mut third = second.clone();
    let one = third.pool.constant(BitVec::new(8, 1));
    let more = third.pool.binary(BinaryOp::Add, count, one).unwrap();
    third.states[0].next = Some(third.pool.ite(go, more, count).unwrap());
    let report = run(&third);
    assert_eq!(
        (report.summary(), sources(&report)),
        (Summary::Unsafe, vec![VerdictSource::Engine])
    );
    // Damaged lemmas are none.
    for folder in fs::read_dir(store.path().join("lemmas")).unwrap() {
        for file in fs::read_dir(folder.unwrap().path()).unwrap() {
            fs::write(file.unwrap().path(), b"elinvar store 1\n").unwrap();
        }
    }
    let mut fifth = first.clone();
    fifth.constraints.push(go);
    assert_eq!(sources(&run(&fifth)), [VerdictSource::Engine]);
}

/// Two counters that go round together; the bound of the second one needs lemmas.
fn two_counters() -> SystemBuilder {
    let mut b = SystemBuilder::verbatim();
    let [first, second] = ["a", "b"].map(|name| b.state(Sort::Bv(4), Some(name)).unwrap());
    let [zero, one, nine, twelve] = [0, 1, 9, 12].map(|n| b.pool.constant(BitVec::new(4, n)));
    let last = b.pool.equal(first, nine).unwrap();
    for (place, word) in [first, second].into_iter().enumerate() {
        let more = b.pool.binary(BinaryOp::Add, word, one).unwrap();
        b.states[place].init = Some(zero);
        b.states[place].next = Some(b.pool.ite(last, zero, more).unwrap());
    }
    let below = b.pool.binary(BinaryOp::Ult, second, twelve).unwrap();
    let bad = b.pool.not(below).unwrap();
    b.bad("p", bad);
    b
}

/// The earlier proof is not one any more, but engines start from its lemmas.
#[test]
fn lemmas_of_earlier_versions_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let store = new_store(folder.path());
    let options = with_store(&store, Method::System(Choice::Pdr(PdrOptions::default())));
    let run = |b: &SystemBuilder| check(&problem(b.clone().finish().unwrap()), &options).unwrap();
    let mut b = two_counters();
    assert_eq!(sources(&run(&b)), [VerdictSource::Engine]);
    // A further register remembers something that cannot happen.
    let seen = b.state(Sort::BOOL, Some("seen")).unwrap();
    let thirteen = b.pool.constant(BitVec::new(4, 13));
    let now = b.pool.equal(b.states[1].symbol, thirteen).unwrap();
    b.states[2].init = Some(b.pool.bool(false));
    b.states[2].next = Some(b.pool.or(seen, now).unwrap());
    let bad = b.properties[0].bits()[0];
    let bad = b.pool.or(bad, seen).unwrap();
    b.properties[0].kind = PropertyKind::Bad(bad);
    let report = run(&b);
    assert_eq!((report.summary(), sources(&report)), (Summary::Safe, vec![VerdictSource::Engine]));
    let reuse = report.statistics.reuse();
    assert!(reuse.is_some_and(|reuse| reuse.kept > 0), "{reuse:?}");
    assert_eq!(sources(&run(&b)), [VerdictSource::Store]);
}

#[test]
fn the_size_stays_below_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let key = |number: u8| Key::new([number; 32]);
    let entry = Entry { depth: 0, body: vec![b'x'; 1000] };
    for number in 0..50 {
        store.save(Kind::Evidence, key(number), &entry).unwrap();
        let name = key(number).to_string();
        let path = store.path().join("evidence").join(&name[..2]).join(&name[2..]);
        let time =
            std::time::SystemTime::now() - std::time::Duration::from_secs(5000 - u64::from(number));
        fs::File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
    }
    // The oldest one is used.
    assert!(matches!(store.load(Kind::Evidence, key(0)), Loaded::Entry(_)));
    assert_eq!(store.collect_garbage().unwrap().removed.entries, 0);
    store.set_limit(20_000).unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.limit(), 20_000);
    let swept = store.collect_garbage().unwrap();
    assert_eq!(swept.removed.entries + swept.left.entries, 50);
    assert!(swept.left.bytes <= 20_000 && swept.left.bytes > 15_000, "{swept:?}");
    assert_eq!(store.statistics().unwrap().bytes(), swept.left.bytes);
    let is_there = |number| matches!(store.load(Kind::Evidence, key(number)), Loaded::Entry(_));
    assert!(is_there(0) && !is_there(1) && is_there(49));
    // Writers keep the limit by themselves.
    for number in 50..90 {
        store.save(Kind::Evidence, key(number), &entry).unwrap();
        store.tidy();
    }
    assert!(store.statistics().unwrap().bytes() <= 20_000 + 2 * 1200);
}

#[test]
fn only_stores_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, b"x").unwrap();
    assert!(Store::open(folder.path()).unwrap_err().to_string().contains("is not a store"));
    assert!(Store::open(&file).is_err());
    let store = folder.path().join("a/b");
    Store::open(&store).unwrap();
    Store::open(&store).unwrap();
    fs::write(store.join("elinvar-store"), b"elinvar store 2\n").unwrap();
    assert!(Store::open(&store).unwrap_err().to_string().contains("another version"));
}

/// Threads write and read the same keys, while one damages files and one collects garbage.
#[test]
fn several_writers_and_readers_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let key = |number: usize| Key::new([number as u8; 32]);
    let body = |number: usize| vec![number as u8; 100 + 37 * number];
    std::thread::scope(|scope| {
        for worker in 0..4_u64 {
            let store = &store;
            scope.spawn(move || {
                let mut rng = Rng::new(worker);
                for _ in 0..300 {
                    let number = rng.below(40);
                    match store.load(Kind::Evidence, key(number)) {
                        Loaded::Entry(entry) => assert_eq!(entry.body, body(number)),
                        Loaded::Missing | Loaded::Damaged(_) => {
                            let entry = Entry { depth: 0, body: body(number) };
                            store.save(Kind::Evidence, key(number), &entry).unwrap();
                        }
                    }
                    if rng.one_in(10) && worker == 0 {
                        let name = key(rng.below(20)).to_string();
                        let path = store.path().join("evidence").join(&name[..2]).join(&name[2..]);
                        let _: std::io::Result<()> = fs::write(path, b"damaged");
                    }
                    if rng.one_in(100) && worker == 1 {
                        store.collect_garbage().unwrap();
                    }
                }
            });
        }
    });
    // What nobody has damaged is there.
    for number in 20..40 {
        if let Loaded::Damaged(fault) = store.load(Kind::Evidence, key(number)) {
            panic!("entry {number}: {fault}");
        }
    }
    let left = fs::read_dir(store.path().join("damaged")).map_or(0, Iterator::count);
    assert!(left <= 20, "{left}");
}
