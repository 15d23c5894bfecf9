//! Monitors of random formulas on random executions, against the definition of the operators.

use elinvar_ir::{Rng, TransitionSystem};
use elinvar_models::{Lasso, Outcome, TemporalFormula as Tree, search, search_loops};

use super::*;

/// Does the property hold, and what kind is it?
fn decide(system: &TransitionSystem) -> (bool, PropertyKind) {
    const LIMIT: usize = 4_000_000;
    let kind = system.properties()[0].kind.clone();
    let holds = match &kind {
        PropertyKind::Bad(_) => search(system, LIMIT).unwrap()[0].1 == Outcome::Safe,
        PropertyKind::Justice(_) => search_loops(system, LIMIT).unwrap()[0].1.is_none(),
    };
    (holds, kind)
}

fn monitored(tree: &Tree, lasso: &Lasso) -> TransitionSystem {
    let (mut builder, atoms) = lasso.system();
    let mut formulas = Formulas::new();
    let root = tree.build(&mut formulas);
    add_formula(&mut builder, "p", &mut formulas, root, &atoms).unwrap();
    assert!(builder.constraints.is_empty());
    builder.finish().unwrap()
}

#[test]
fn monitors_agree_with_the_definition_on_random_lassos() {
    let mut rng = Rng::new(7);
    let mut seen = [[0; 2]; 2];
    for _ in 0..1500 {
        let size = 1 + rng.below(5);
        let (tree, lasso) = (Tree::random(&mut rng, size), Lasso::random(&mut rng));
        let system = monitored(&tree, &lasso);
        if system.inputs().len() > 5 {
            continue;
        }
        let (holds, kind) = decide(&system);
        assert_eq!(
            holds,
            lasso.satisfies(&tree, 0),
            "{tree:?}\n{:?} {}",
            lasso.cycles,
            lasso.start
        );
        seen[usize::from(holds)][usize::from(matches!(kind, PropertyKind::Bad(_)))] += 1;
    }
    assert!(seen.iter().flatten().all(|&count| count > 100), "{seen:?}");
}

#[test]
fn common_shapes_have_small_monitors_that_agree_with_the_definition() {
    let (a, b) = (|| Tree::Atom(0), || Tree::Atom(1));
    // With the numbers of inputs and registers.
    let shapes = [
        (Tree::unary('G', Tree::binary("|", a(), b())), 0, 0),
        (Tree::unary('F', Tree::unary('G', a())), 0, 0),
        (Tree::unary('F', a()), 0, 1),
        (Tree::unary('G', Tree::unary('F', a())), 1, 2),
        (Tree::unary('G', Tree::binary("->", a(), Tree::unary('F', b()))), 1, 2),
    ];
    let mut rng = Rng::new(3);
    for (tree, inputs, registers) in shapes {
        let mut seen = [0; 2];
        for _ in 0..60 {
            let lasso = Lasso::random(&mut rng);
            let system = monitored(&tree, &lasso);
            assert_eq!(system.inputs().len(), inputs, "{tree:?}");
            assert_eq!(system.states().len(), 1 + registers, "{tree:?}");
            let (holds, _) = decide(&system);
            assert_eq!(holds, lasso.satisfies(&tree, 0), "{tree:?}");
            seen[usize::from(holds)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 0), "{tree:?} {seen:?}");
    }
}

#[test]
fn formulas_that_finite_executions_violate_are_about_bad_states() {
    let next = Tree::binary("->", Tree::Atom(0), Tree::unary('X', Tree::Atom(1)));
    let tree = Tree::unary('G', next);
    let lasso = Lasso { cycles: vec![[false, false], [true, false]], start: 0 };
    let (holds, kind) = decide(&monitored(&tree, &lasso));
    assert!(!holds && matches!(kind, PropertyKind::Bad(_)));
}
