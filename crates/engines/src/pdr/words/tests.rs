//! The parts of the domain against plain evaluation, on all states where words are small:
//! comparators, what cubes tell about one another, expansion, and trimmed invariants.

use dashu_int::IBig;
use elinvar_check::{Budget, certificate};
use elinvar_ir::{
    BinaryOp, BitVec, Certificate, Evaluator, ExprId, PropertyId, Reading, Rng, Role, Sort,
    SystemBuilder, TransitionSystem, Value, Verdict, Word,
};
use elinvar_logic::simulation::Kind;
use elinvar_models::{Generator, Shape as Drawn};

use super::atom::{Atom, Atoms, Equation, Known, Shape, Terms, bits, excludes_residue, sum};
use super::circuit::{Circuit, Init, WordInfo};
use super::domain::Words;
use super::expand::{Expander, Goal, Question, StepInputs};
use super::survey::survey;
use super::templates::Templates;
use super::{Cube, WordsOptions};
use crate::run::Run;
use crate::task::Task;

const READINGS: [Reading; 2] = [Reading::Signed, Reading::Unsigned];

/// Numbers that can be searched through.
const SMALL: Drawn = Drawn { max_width: 3, ..Drawn::NUMBERS };

fn properties(system: &TransitionSystem) -> Vec<PropertyId> {
    system.bads().map(|(id, _)| id).collect()
}

/// The words of a system, read in ways that the model need not suggest.
fn words_of(system: &TransitionSystem, rng: &mut Rng) -> Vec<WordInfo> {
    let mut words = survey(system, &properties(system), 0);
    for word in &mut words {
        word.reading = rng.pick(&READINGS);
    }
    words
}

/// Inputs, and values for the words that may have any.
fn choice(system: &TransitionSystem, words: &[WordInfo], rng: &mut Rng) -> StepInputs {
    let pool = system.pool();
    let input = |symbol: ExprId| pool.sort(symbol).width();
    StepInputs {
        inputs: (system.inputs().iter())
            .map(|i| input(i.symbol).map(|width| rng.bitvec(width)))
            .collect(),
        free: words.iter().map(|w| w.next.is_none().then(|| rng.bitvec(w.width))).collect(),
    }
}

fn state(words: &[WordInfo], rng: &mut Rng) -> Vec<BitVec> {
    words.iter().map(|word| rng.bitvec(word.width)).collect()
}

/// All states of words with few bits.
fn all_states(words: &[WordInfo]) -> Vec<Vec<BitVec>> {
    let mut states = vec![Vec::new()];
    for word in words {
        let longer = |state: Vec<BitVec>| {
            (0..1 << word.width).map(move |value| {
                let mut state = state.clone();
                state.push(BitVec::new(word.width, value));
                state
            })
        };
        states = states.into_iter().flat_map(longer).collect();
    }
    states
}

/// Evaluates expressions of a system in a state.
struct Reference<'a> {
    system: &'a TransitionSystem,
    words: &'a [WordInfo],
    evaluator: Evaluator<'a>,
}

impl<'a> Reference<'a> {
    fn new(system: &'a TransitionSystem, words: &'a [WordInfo]) -> Self {
        let next = words.iter().filter_map(|word| word.next);
        let bads = system.bads().map(|(_, bad)| bad);
        let roots = next.chain(bads).chain(system.constraints().iter().copied());
        Reference { system, words, evaluator: Evaluator::new(system.pool(), roots) }
    }

    fn run(&mut self, state: &[BitVec], choice: &StepInputs) {
        let Reference { system, words, evaluator } = self;
        evaluator.run(|symbol| match system.role_of(symbol).expect("a symbol") {
            Role::Input(index) => Value::Bv(choice.inputs[index].clone().expect("a word")),
            Role::State(index) => {
                let word = words.iter().position(|word| word.state == index);
                Value::Bv(state[word.expect("in the cone")].clone())
            }
        });
    }

    /// The state after the one it has run in.
    fn next(&self, choice: &StepInputs) -> Vec<BitVec> {
        let next = |(word, free): (&WordInfo, &Option<BitVec>)| match word.next {
            Some(next) => self.evaluator.bv(next),
            None => free.clone().expect("any value may follow"),
        };
        self.words.iter().zip(&choice.free).map(next).collect()
    }

    fn constraints_hold(&self) -> bool {
        self.system.constraints().iter().all(|&constraint| self.evaluator.holds(constraint))
    }
}

fn random_terms(words: &[usize], greatest: usize, rng: &mut Rng) -> Terms {
    let coefficient = |rng: &mut Rng| {
        let magnitude = 1 + rng.below(greatest) as i64;
        if rng.one_in(2) { magnitude } else { -magnitude }
    };
    let mut terms: Terms = Vec::new();
    for &word in words {
        if !rng.one_in(4) {
            terms.push((coefficient(rng), word));
        }
    }
    if terms.is_empty() {
        terms.push((coefficient(rng), rng.pick(words)));
    }
    terms
}

fn random_shape(words: &[WordInfo], rng: &mut Rng) -> Shape {
    let all: Vec<usize> = (0..words.len()).collect();
    let word = rng.pick(&all);
    let width = words[word].width;
    match rng.below(6) {
        0 => Shape::Bit { word, bit: rng.below(width as usize) as u32, value: rng.one_in(2) },
        1 => {
            let same: Vec<usize> = all.into_iter().filter(|&w| words[w].width == width).collect();
            let terms = random_terms(&same, 5, rng);
            Shape::Differs { terms, width, value: rng.bitvec(width) }
        }
        number => {
            // Bounds of single words and sums with small factors are met the most.
            let greatest = if number < 4 { 1 } else { 5 };
            let of = if rng.one_in(2) { vec![word] } else { all };
            let terms = random_terms(&of, greatest, rng);
            let values = state(words, rng);
            let near = sum(&terms, |word| words[word].reading.of(&values[word]));
            let bound = near + IBig::from(rng.below(5) as i64 - 2);
            Shape::AtMost { terms, bound }
        }
    }
}

// ---- comparators -----------------------------------------------------------------------

/// The literals of shapes in this state and the next one say what the shapes do.
fn assert_comparators(system: &TransitionSystem, words: &[WordInfo], shapes: usize, rng: &mut Rng) {
    let mut circuit =
        Circuit::new(system, words, &properties(system), &Run::new()).expect("small enough");
    let mut atoms = Atoms::default();
    let numbers: Vec<Atom> = (0..shapes).map(|_| atoms.atom(random_shape(words, rng))).collect();
    let lits = numbers.iter().map(|&atom| {
        let now = circuit.now(words, &atoms, atom);
        (atom, now, circuit.later(words, &atoms, atom))
    });
    let lits: Vec<_> = lits.collect();
    let mut reference = Reference::new(system, words);
    for _ in 0..40 {
        let (state, choice) = (state(words, rng), choice(system, words, rng));
        reference.run(&state, &choice);
        let next = reference.next(&choice);
        let mut assigned = vec![false; circuit.aig.len()];
        for (word, value) in state.iter().enumerate() {
            for (lit, bit) in circuit.current(word).iter().zip(value.iter_bits()) {
                assigned[lit.node()] = bit;
            }
        }
        for (word, value) in choice.free.iter().enumerate() {
            for (lit, bit) in
                circuit.next(word).iter().zip(value.iter().flat_map(BitVec::iter_bits))
            {
                assigned[lit.node()] = bit;
            }
        }
        for (lits, value) in circuit.inputs.iter().zip(&choice.inputs) {
            let (Some(lits), Some(value)) = (lits, value) else { continue };
            for (lit, bit) in lits.iter().zip(value.iter_bits()) {
                assigned[lit.node()] = bit;
            }
        }
        let values = circuit.aig.simulate(|node| assigned[node]);
        for &(atom, now, later) in &lits {
            let shape = atoms.shape(atom);
            let context = || format!("{shape:?} of {state:?}, then {next:?}, words {words:?}");
            assert_eq!(values.value(now), shape.holds(words, &state), "now {}", context());
            assert_eq!(values.value(later), shape.holds(words, &next), "later {}", context());
        }
    }
}

#[test]
fn comparators_say_what_shapes_do() {
    let mut rng = Rng::new(1);
    for seed in 0..150 {
        for shape in [Drawn::NUMBERS, Drawn::WORDS] {
            let system = Generator::system(seed, shape);
            let words = words_of(&system, &mut rng);
            if !words.is_empty() {
                assert_comparators(&system, &words, 20, &mut rng);
            }
        }
    }
}

/// Words that are changed by additions only, in all the ways that are recognised, and one
/// that is not.
fn counters(width: u32) -> TransitionSystem {
    let mut b = SystemBuilder::new();
    let sort = Sort::Bv(width);
    let [x, y, z, w] = ["x", "y", "z", "w"].map(|name| b.state(sort, Some(name)).unwrap());
    let by = b.input(sort, Some("by")).unwrap();
    let c = b.input(Sort::BOOL, Some("c")).unwrap();
    let pool = &mut b.pool;
    let three = pool.constant(BitVec::new(width, 3));
    let up = pool.binary(BinaryOp::Add, by, x).unwrap();
    let up_and_down = pool.binary(BinaryOp::Sub, up, three).unwrap();
    let down = pool.binary(BinaryOp::Sub, y, by).unwrap();
    let down = pool.ite(c, down, y).unwrap();
    let both = pool.binary(BinaryOp::Add, z, x).unwrap();
    let both = pool.ite(c, both, z).unwrap();
    let product = pool.binary(BinaryOp::Mul, w, by).unwrap();
    for (state, next) in [up_and_down, down, both, product].into_iter().enumerate() {
        b.states[state].next = Some(next);
    }
    let all = [x, y, z, w].map(|word| b.pool.binary(BinaryOp::Eq, word, three).unwrap());
    let bad = all.into_iter().reduce(|a, c| b.pool.and(a, c).unwrap()).unwrap();
    b.bad("bad", bad);
    b.finish().unwrap()
}

#[test]
fn sums_after_a_step_are_exact_when_words_wrap_around() {
    let mut rng = Rng::new(2);
    for width in [1, 2, 3, 8, 70] {
        let system = counters(width);
        for _ in 0..6 {
            let words = words_of(&system, &mut rng);
            assert_eq!(words.len(), 4);
            assert_comparators(&system, &words, 30, &mut rng);
        }
    }
}

// ---- atoms -----------------------------------------------------------------------------

/// Registers that nothing is known about.
fn free_words(widths: &[u32], rng: &mut Rng) -> Vec<WordInfo> {
    let mut b = SystemBuilder::new();
    let mut bad = b.pool.bool(false);
    for &width in widths {
        let register = b.state(Sort::Bv(width), None).unwrap();
        let zero = b.pool.constant(BitVec::zero(width));
        let is_zero = b.pool.equal(register, zero).unwrap();
        bad = b.pool.or(bad, is_zero).unwrap();
    }
    b.bad("bad", bad);
    words_of(&b.finish().unwrap(), rng)
}

fn random_cube(words: &[WordInfo], atoms: &mut Atoms, rng: &mut Rng) -> Cube<Atom> {
    let length = 1 + rng.below(3);
    Cube::new((0..length).map(|_| atoms.atom(random_shape(words, rng))).collect())
}

#[test]
fn what_covers_contains_all_states() {
    let mut rng = Rng::new(3);
    let mut yes = 0;
    for widths in [&[3][..], &[2, 3], &[3, 3], &[2, 2, 2]] {
        for _ in 0..8 {
            let words = free_words(widths, &mut rng);
            let states = all_states(&words);
            for _ in 0..250 {
                let mut atoms = Atoms::default();
                let large = random_cube(&words, &mut atoms, &mut rng);
                let small = random_cube(&words, &mut atoms, &mut rng);
                if !atoms.covers(&words, &large, &small) {
                    continue;
                }
                yes += 1;
                let is_in = |cube: &Cube<Atom>, state: &[BitVec]| {
                    atoms.shapes(cube.atoms()).all(|shape| shape.holds(&words, state))
                };
                for state in &states {
                    let escapes = is_in(&small, state) && !is_in(&large, state);
                    assert!(!escapes, "{large:?} {small:?} {state:?} {words:?}");
                }
            }
        }
    }
    assert!(yes > 200, "only {yes} pairs");
}

#[test]
fn a_box_covers_the_half_space_around_it() {
    let mut rng = Rng::new(4);
    let mut words = free_words(&[8, 8], &mut rng);
    words.iter_mut().for_each(|word| word.reading = Reading::Unsigned);
    let mut atoms = Atoms::default();
    let mut cube =
        |shapes: Vec<Shape>| Cube::new(shapes.into_iter().map(|shape| atoms.atom(shape)).collect());
    let small = cube(vec![Shape::at_least(0, 5.into()), Shape::at_least(1, 7.into())]);
    let same = cube(vec![Shape::sum_at_least(&[(1, 0), (1, 1)], &12.into())]);
    let beyond = cube(vec![Shape::sum_at_least(&[(1, 0), (1, 1)], &13.into())]);
    assert!(atoms.covers(&words, &same, &small) && atoms.covers(&words, &same, &beyond));
    assert!(!atoms.covers(&words, &beyond, &small) && !atoms.covers(&words, &small, &same));
}

#[test]
fn equations_close_boxes_without_losing_states() {
    let mut rng = Rng::new(5);
    let mut learnt = 0;
    for _ in 0..600 {
        let words = free_words(&[3, 3, 3], &mut rng);
        let numbers = [0, 1, 2];
        let equations: Vec<Equation> = (0..1 + rng.below(2))
            .map(|_| {
                let terms = random_terms(&numbers, 2, &mut rng);
                Equation { terms, width: 3, value: rng.bitvec(3) }
            })
            .collect();
        let shapes: Vec<Shape> = (0..3).map(|_| random_shape(&words, &mut rng)).collect();
        let mut known = Known::new(&words, shapes.iter());
        let before = ranges(&known, &words);
        known.close(&words, &equations);
        let after = ranges(&known, &words);
        learnt += usize::from(before != after);
        for state in all_states(&words) {
            let violated = |equation: &Equation| equation.violated().holds(&words, &state);
            if !shapes.iter().all(|shape| shape.holds(&words, &state))
                || equations.iter().any(violated)
            {
                continue;
            }
            for (word, (low, high)) in after.iter().enumerate() {
                let number = words[word].reading.of(&state[word]);
                assert!(*low <= number && number <= *high, "{shapes:?} {equations:?} {state:?}");
            }
        }
    }
    assert!(learnt > 50, "only {learnt} times");
}

/// What is known about each word.
fn ranges(known: &Known, words: &[WordInfo]) -> Vec<(IBig, IBig)> {
    let range = |word| (known.least(words, &[(1, word)]), -known.least(words, &[(-1, word)]));
    (0..words.len()).map(range).collect()
}

#[test]
fn residues_are_excluded_if_no_number_has_them() {
    for width in 1..=3 {
        for value in (0..1 << width).map(|value| BitVec::new(width, value)) {
            for low in -20..20 {
                for high in low..20 {
                    let none = (low..=high).all(|n| bits(&IBig::from(n), width) != value);
                    let found = excludes_residue(&low.into(), &high.into(), width, &value);
                    assert_eq!(found, none, "{low}..={high}, {value:?}");
                }
            }
        }
    }
}

#[test]
fn common_factors_of_sums_are_divided_out() {
    let mut rng = Rng::new(6);
    for _ in 0..200 {
        let words = free_words(&[2, 3], &mut rng);
        let factor = 1 + rng.below(4) as i64;
        let mut terms = random_terms(&[0, 1], 3, &mut rng);
        terms.iter_mut().for_each(|(c, _)| *c *= factor);
        let bound = IBig::from(rng.below(61) as i64 - 30);
        let shape = Shape::sum_at_least(&terms, &bound);
        for state in all_states(&words) {
            let value = sum(&terms, |word| words[word].reading.of(&state[word]));
            assert_eq!(shape.holds(&words, &state), value >= bound, "{terms:?} {bound} {state:?}");
        }
    }
    let halved = Shape::AtMost { terms: vec![(-2, 0), (3, 1)], bound: (-3).into() };
    assert_eq!(Shape::sum_at_least(&[(4, 0), (-6, 1)], &5.into()), halved);
}

// ---- expansion -------------------------------------------------------------------------

/// Every state of the unit has a way to the goal with the same choice, and the point is
/// one of them.
fn assert_expansion(
    system: &TransitionSystem,
    words: &[WordInfo],
    question: &Question<'_>,
    kind: Kind,
) -> f64 {
    let bads: Vec<ExprId> = system.bads().map(|(_, bad)| bad).collect();
    let mut atoms = Atoms::default();
    let mut expander = Expander::new(kind, system, words, &bads);
    let found = expander.expand(question, &mut atoms).expect("the point reaches the goal");
    let is_in =
        |state: &[BitVec]| atoms.shapes(&found.atoms).all(|shape| shape.holds(words, state));
    assert!(is_in(question.point));
    let mut reference = Reference::new(system, words);
    let mut inside = 0_u32;
    for state in all_states(words).iter().filter(|state| is_in(state)) {
        inside += 1;
        reference.run(state, question.choice);
        let reached = match question.goal {
            Goal::Bad(bad) => reference.evaluator.holds(*bad),
            Goal::Next(shapes) => {
                let next = reference.next(question.choice);
                shapes.iter().all(|shape| shape.holds(words, &next))
            }
        };
        let unit: Vec<&Shape> = atoms.shapes(&found.atoms).collect();
        assert!(reached && reference.constraints_hold(), "{kind:?}: {state:?} of {unit:?}");
    }
    assert!((f64::from(inside).log2() - found.volume).abs() < 1e-9, "{inside} states");
    found.volume
}

#[test]
fn every_state_of_an_expanded_unit_reaches_the_goal() {
    let mut rng = Rng::new(7);
    let (mut bad, mut next, mut grown) = (0, 0, 0.0);
    for seed in 0..300 {
        let system = Generator::system(seed, SMALL);
        let words = words_of(&system, &mut rng);
        if words.is_empty() {
            continue;
        }
        let mut order: Vec<usize> = (0..words.len()).collect();
        if rng.one_in(2) {
            order.reverse();
        }
        for _ in 0..6 {
            let (point, choice) = (state(&words, &mut rng), choice(&system, &words, &mut rng));
            let mut reference = Reference::new(&system, &words);
            reference.run(&point, &choice);
            if !reference.constraints_hold() {
                continue;
            }
            let after = reference.next(&choice);
            let drawn: Vec<Shape> = (0..3).map(|_| random_shape(&words, &mut rng)).collect();
            let met = drawn.iter().filter(|shape| shape.holds(&words, &after)).collect();
            let mut goals = vec![Goal::Next(met)];
            let is_bad = |(_, bad): &(PropertyId, ExprId)| reference.evaluator.holds(*bad);
            goals.extend(system.bads().filter(is_bad).map(|(_, bad)| Goal::Bad(bad)));
            for goal in &goals {
                match goal {
                    Goal::Bad(_) => bad += 1,
                    Goal::Next(_) => next += 1,
                }
                let is_cube = rng.one_in(2);
                let order = &order;
                let (words, point, choice) = (&words[..], &point[..], &choice);
                let question = Question { words, point, choice, goal, order, is_cube };
                for kind in Kind::ALL {
                    grown += assert_expansion(&system, words, &question, kind);
                }
            }
        }
    }
    assert!(bad > 100 && next > 500 && grown > 1000.0, "{bad} {next} {grown}");
}

// ---- trimming --------------------------------------------------------------------------

#[test]
fn a_trimmed_invariant_has_what_it_needs_and_no_more() {
    // x += y; y += v + 2z: x stays even since y does, which does since v does; z does not
    // matter.
    let mut b = SystemBuilder::new();
    let [x, y, z, v] = ["x", "y", "z", "v"].map(|name| b.state(Sort::Bv(4), Some(name)).unwrap());
    let zero = b.pool.constant(BitVec::zero(4));
    let sum = b.pool.binary(BinaryOp::Add, x, y).unwrap();
    let once = b.pool.binary(BinaryOp::Add, y, z).unwrap();
    let twice = b.pool.binary(BinaryOp::Add, once, z).unwrap();
    let more = b.pool.binary(BinaryOp::Add, twice, v).unwrap();
    for (state, next) in [sum, more, z, v].into_iter().enumerate() {
        b.states[state].init = Some(zero);
        b.states[state].next = Some(next);
    }
    let odd = b.pool.slice(x, 0, 0).unwrap();
    let property = b.bad("odd", odd);
    let system = b.finish().unwrap();

    let mut words = survey(&system, &[property], 0);
    words.iter_mut().for_each(|word| word.reading = Reading::Unsigned);
    assert!(words.iter().all(|word| matches!(word.init, Init::Constant(_))));
    let templates = Templates::new(&system, &[property], &words);
    let (options, run) = (WordsOptions::default(), Run::new());
    let domain = Words::new(&system, words, templates, &[property], &options, &run);
    let mut domain = domain.ok().unwrap();
    let mut cube = |shape: Shape| Cube::new(vec![domain.solver.encoding.atoms.atom(shape)]);
    let is_odd = |word: usize| Shape::Bit { word, bit: 0, value: true };
    let needed = [0, 1, 3].map(|word| cube(is_odd(word)));
    let [odd_x, odd_y, odd_v] = needed.clone();
    let invariant = vec![cube(Shape::at_least(2, 1.into())), odd_y, odd_v, cube(is_odd(2)), odd_x];
    let mut trimmed = domain.trim(0, invariant);
    trimmed.sort_by_key(|cube| cube.atoms()[0]);
    assert_eq!(trimmed, needed);

    let clause = |cube: &Cube<Atom>| vec![domain.solver.encoding.fact(cube.atoms()[0]).negated()];
    let proof = Certificate::Facts { clauses: trimmed.iter().map(clause).collect() };
    assert_eq!(certificate(&system, property, &proof, &Budget::default()), Ok(()));
    assert_eq!(domain.solver.encoding.words[0].name, Word { state: x, element: None });
}

/// What memories satisfy is told to every solver, also to the one that is made anew when
/// the initial state was found: only from that is it known that the order of two writes to
/// different addresses does not matter.
#[test]
fn a_new_solver_knows_what_memories_are() {
    let mut b = SystemBuilder::new();
    let memory = b.state(Sort::Array { index: 16, element: 8 }, Some("memory")).unwrap();
    let [i, j] = ["i", "j"].map(|name| b.input(Sort::Bv(16), Some(name)).unwrap());
    let [x, y] = ["x", "y"].map(|name| b.input(Sort::Bv(8), Some(name)).unwrap());
    let pool = &mut b.pool;
    let zero = pool.constant(BitVec::zero(8));
    let zeros = pool.const_array(16, zero).unwrap();
    let mut write = |array, index, element| pool.write(array, index, element).unwrap();
    let (one, other) = (write(memory, i, x), write(memory, j, y));
    let (one, other) = (write(one, j, y), write(other, i, x));
    let (same, same_address) = (pool.equal(one, other).unwrap(), pool.equal(i, j).unwrap());
    let good = pool.or(same, same_address).unwrap();
    let bad = pool.not(good).unwrap();
    b.states[0].init = Some(zeros);
    b.bad("differ", bad);
    let system = b.finish().unwrap();
    let task = Task::about(&system, &[PropertyId(0)], &Run::new());
    let verdicts = task.check(&mut super::Words(WordsOptions::default())).unwrap();
    assert!(matches!(verdicts[..], [Verdict::Safe(_)]), "{verdicts:?}");
}
