//! Simulations of random expression graphs.

use elinvar_ir::{Evaluator, Expr, ExprId, Rng, Sort, TransitionSystem, Value, zero_of};
use elinvar_models::{Generator, Shape};

use super::*;
use crate::simulation::Simulation;

/// Every other system has memories.
fn system(seed: u64) -> TransitionSystem {
    let shape = Shape {
        max_width: 9,
        arrays: seed % 2 == 1,
        max_states: 6,
        max_inputs: 4,
        max_properties: 1,
        operators: 100,
        ..Shape::WORDS
    };
    Generator::system(seed, shape)
}

/// Everything that was drawn.
fn roots(system: &TransitionSystem) -> Vec<ExprId> {
    system.pool().ids().collect()
}

/// The words among them.
fn simulated(system: &TransitionSystem) -> Vec<ExprId> {
    let ids = roots(system).into_iter();
    ids.filter(|&id| !system.pool().sort(id).is_array()).collect()
}

fn symbols(system: &TransitionSystem) -> Vec<ExprId> {
    let is_symbol = |id: &ExprId| matches!(system.pool().get(*id), Expr::Symbol(_));
    simulated(system).into_iter().filter(is_symbol).collect()
}

/// What is known of a word, apart from its kind: some bits of a value and a range around it.
#[derive(Clone)]
enum Known {
    Bits(BitVec, BitVec),
    Range(Reading, BitVec, BitVec),
}

fn draw(rng: &mut Rng, width: u32) -> Known {
    let (a, b) = (rng.bitvec(width), rng.bitvec(width));
    match rng.below(4) {
        0 => Known::Bits(BitVec::ones(width), a),
        1 => Known::Bits(a, b),
        2 if a.ule(&b) => Known::Range(Reading::Unsigned, a, b),
        2 => Known::Range(Reading::Unsigned, b, a),
        _ if a.sle(&b) => Known::Range(Reading::Signed, a, b),
        _ => Known::Range(Reading::Signed, b, a),
    }
}

fn word(kind: Kind, known: &Known) -> Abstract {
    match known {
        Known::Bits(known, value) => kind.from_bits(known, value),
        Known::Range(reading, low, high) => kind.from_range(*reading, low, high),
    }
}

/// Is all that `a` knows also known by `b`?
fn knows_no_more(a: &Abstract, b: &Abstract) -> bool {
    let inside = |reading| {
        let ((low, high), (tight_low, tight_high)) = (a.range(reading), b.range(reading));
        low <= tight_low && tight_high <= high
    };
    (0..a.width()).all(|index| a.bit(index).is_none() || a.bit(index) == b.bit(index))
        && inside(Reading::Signed)
        && inside(Reading::Unsigned)
}

#[test]
fn assigning_is_the_same_as_simulating_anew() {
    for seed in 0..60 {
        let system = system(seed);
        let (roots, simulated, symbols) = (roots(&system), simulated(&system), symbols(&system));
        if symbols.is_empty() {
            continue;
        }
        for kind in Kind::ALL {
            let mut rng = Rng::new(seed);
            let mut simulation = Simulation::new(kind, system.pool(), roots.iter().copied());
            let fresh = simulation.clone();
            let mut committed = vec![None; symbols.len()];
            let mut current = committed.clone();
            for _ in 0..12 {
                match rng.below(4) {
                    0 => {
                        simulation.undo();
                        current.clone_from(&committed);
                    }
                    1 => {
                        simulation.commit();
                        committed.clone_from(&current);
                    }
                    _ => {
                        let index = rng.below(symbols.len());
                        let known = draw(&mut rng, system.pool().width(symbols[index]));
                        simulation.assign(symbols[index], word(kind, &known));
                        current[index] = Some(known);
                    }
                }
                let mut anew = fresh.clone();
                anew.assign_all(|symbol| {
                    let index = symbols.iter().position(|&s| s == symbol).expect("a symbol");
                    let width = system.pool().width(symbol);
                    current[index].as_ref().map_or_else(|| kind.top(width), |k| word(kind, k))
                });
                for &id in &simulated {
                    assert_eq!(simulation.value(id), anew.value(id), "{kind:?} {seed} {id:?}");
                }
            }
        }
    }
}

/// The members of the symbols' words give members of the expressions' words, and the
/// product knows all that the other kinds know.
#[test]
fn simulations_contain_all_evaluations() {
    for seed in 0..150 {
        let system = system(seed);
        let (roots, simulated, symbols) = (roots(&system), simulated(&system), symbols(&system));
        let mut rng = Rng::new(seed);
        let known: Vec<Known> =
            symbols.iter().map(|&id| draw(&mut rng, system.pool().width(id))).collect();
        let index = |id: ExprId| symbols.iter().position(|&s| s == id).expect("a symbol");
        let simulations = Kind::ALL.map(|kind| {
            let mut simulation = Simulation::new(kind, system.pool(), roots.iter().copied());
            simulation.assign_all(|id| word(kind, &known[index(id)]));
            simulation
        });
        // The words and their uses, which may be complemented.
        let mut all = simulated.clone();
        for &id in &simulated {
            system.pool().for_each_operand(id, |operand| all.push(operand));
        }
        all.retain(|&id| !system.pool().sort(id).is_array());
        let [others @ .., product] = &simulations;
        for (&id, weaker) in all.iter().flat_map(|id| others.iter().map(move |o| (id, o))) {
            let (weak, strong) = (weaker.value(id), product.value(id));
            assert!(knows_no_more(&weak, &strong), "{seed} {id:?} {weak:?} {strong:?}");
        }
        let mut evaluator = Evaluator::new(system.pool(), roots.iter().copied());
        for _ in 0..20 {
            evaluator.run(|id| match system.pool().sort(id) {
                Sort::Bv(_) => Value::Bv(member(&mut rng, &known[index(id)])),
                sort @ Sort::Array { .. } => zero_of(sort),
            });
            for (&id, simulation) in
                all.iter().flat_map(|id| simulations.iter().map(move |s| (id, s)))
            {
                let value = evaluator.bv(id);
                assert!(simulation.value(id).contains(&value), "{seed} {id:?} {value:?}");
            }
        }
    }
}

fn member(rng: &mut Rng, known: &Known) -> BitVec {
    match known {
        Known::Bits(known, value) => {
            let random = rng.bitvec(known.width());
            known.and(value).or(&known.not().and(&random))
        }
        Known::Range(reading, low, high) => loop {
            let value = rng.bitvec(low.width());
            let inside = match reading {
                Reading::Signed => low.sle(&value) && value.sle(high),
                Reading::Unsigned => low.ule(&value) && value.ule(high),
            };
            if inside {
                return value;
            }
        },
    }
}

#[test]
fn symbols_out_of_sight_are_ignored() {
    let mut pool = elinvar_ir::Pool::new();
    let [seen, unseen] = [(); 2].map(|()| pool.symbol(Sort::Bv(4), None).unwrap());
    let mut simulation = Simulation::new(Kind::Product, &pool, [seen]);
    simulation.assign(unseen, Kind::Product.point(&BitVec::new(4, 3)));
    assert_eq!(simulation.value(seen), Kind::Product.top(4));
}

#[test]
#[should_panic(expected = "is not a symbol")]
fn only_symbols_are_assigned() {
    let mut pool = elinvar_ir::Pool::new();
    let symbol = pool.symbol(Sort::Bv(4), None).unwrap();
    let negated = pool.unary(elinvar_ir::UnaryOp::Neg, symbol).unwrap();
    let mut simulation = Simulation::new(Kind::Product, &pool, [negated]);
    simulation.assign(negated, Kind::Product.top(4));
}
