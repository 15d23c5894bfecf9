//! All safety properties of a model as one: a bad state of any of them is reachable.
//!
//! The competition asks this about models with several properties, and its certificates
//! are about it.

use elinvar_check::Refusal;
use elinvar_ir::{Property, PropertyId, Simulator, Trace, TransitionSystem};

/// The name of the one property.
pub(crate) const NAME: &str = "all_properties";

/// The system with its safety properties merged into one.
pub fn system(system: TransitionSystem) -> TransitionSystem {
    let bads: Vec<_> = system.bads().map(|(_, bad)| bad).collect();
    let mut builder = system.into_builder();
    let mut any = builder.pool.bool(false);
    for bad in bads {
        any = builder.pool.or(any, bad).expect("bad states are bits");
    }
    builder.properties = vec![Property::bad(NAME, any)];
    builder.finish().expect("still well-formed")
}

/// The counterexample of the merged property as one of a property of the system, replayed.
///
/// ```
/// use elinvar::ir::Verdict;
/// use elinvar::{Problem, Trace};
/// // Two latches; the second one is set in the second cycle.
/// let text = "aag 2 0 2 0 0 2\n2 2\n4 5\n2\n4\n";
/// let problem = Problem::parse("two.aag", text)?.as_system()?;
/// let merged = Problem::System(problem.merged());
/// let report = elinvar::check(&merged, &elinvar::Options::default())?;
/// let Verdict::Unsafe(Trace::System(trace)) = &report.properties[0].verdict else { panic!() };
/// let trace = elinvar::split_merged(problem.system(), trace).unwrap();
/// assert_eq!(trace.property.0, 1);
/// # Ok::<(), elinvar::Error>(())
/// ```
pub fn split(system: &TransitionSystem, trace: &Trace) -> Result<Trace, Refusal> {
    let mut simulator = Simulator::of_trace(system, trace);
    trace.steps[1..].iter().for_each(|step| simulator.follow(step));
    let failing = system.bads().find(|&(_, bad)| simulator.holds(bad));
    let property = failing.map_or(PropertyId(0), |(property, _)| property);
    let trace = Trace { property, ..trace.clone() };
    elinvar_check::replay(system, &trace)?;
    Ok(trace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{BitVec, Sort, Step, SystemBuilder};

    #[test]
    fn traces_go_back_to_the_property_that_fails() {
        let mut b = SystemBuilder::new();
        let x = b.input(Sort::BOOL, Some("x")).unwrap();
        let never = b.pool.bool(false);
        b.bad("p", never);
        b.bad("q", x);
        let several = b.finish().unwrap();
        let merged = system(several.clone());
        assert_eq!(merged.properties().len(), 1);
        let step = |x| Step { inputs: vec![BitVec::bool(x).into()].into(), free: vec![] };
        let trace = |x| Trace {
            property: PropertyId(0),
            initial: vec![],
            steps: vec![step(x)].into(),
            loop_start: None,
        };
        assert_eq!(elinvar_check::replay(&merged, &trace(true)), Ok(()));
        assert_eq!(split(&several, &trace(true)).unwrap().property, PropertyId(1));
        assert_eq!(split(&several, &trace(false)), Err(Refusal::NotBad { cycle: 0 }));
    }
}
