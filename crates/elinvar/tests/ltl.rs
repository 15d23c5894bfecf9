//! Temporal formulas through the whole tool: text, monitor, engines, evidence and its check, against
//! the definition of the operators on the only execution of a system.

use elinvar::{Options, Problem, Source, SystemProblem, check};
use elinvar_ir::{Rng, Verdict};
use elinvar_models::{Lasso, TemporalFormula};

/// Whether the formula holds, according to the tool.
fn decide(lasso: &Lasso, text: &str) -> bool {
    let (builder, _) = lasso.system();
    let problem = SystemProblem::new(builder.finish().unwrap());
    let problem = problem.with_formulas(&Source::new("<ltl>", text)).unwrap();
    let report = check(&Problem::System(problem), &Options::default()).unwrap();
    match &report.properties[..] {
        [property] => match &property.verdict {
            Verdict::Safe(_) => true,
            Verdict::Unsafe(_) => false,
            Verdict::Unknown(reason) => panic!("{text} about {lasso:?}: {reason}"),
        },
        several => panic!("{} properties", several.len()),
    }
}

#[test]
fn random_formulas_mean_what_their_definition_says() {
    let mut rng = Rng::new(11);
    let mut seen = [0; 2];
    for _ in 0..150 {
        let size = 1 + rng.below(6);
        let (formula, lasso) = (TemporalFormula::random(&mut rng, size), Lasso::random(&mut rng));
        let text = formula.to_string();
        let holds = decide(&lasso, &text);
        assert_eq!(holds, lasso.satisfies(&formula, 0), "{text} about {lasso:?}");
        seen[usize::from(holds)] += 1;
    }
    assert!(seen.iter().all(|&count| count > 30), "{seen:?}");
}
