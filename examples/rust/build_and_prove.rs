//! Builds a design in Rust, proves a property of it, and finds a bug in a changed version.
//!
//! The design is an arbiter: two clients request a resource, and at most one of them is
//! granted it. Run it with `cargo run -p elinvar --example build_and_prove`.

use elinvar::ir::{Sort, SystemBuilder, SystemError, TransitionSystem, Verdict};
use elinvar::readable::nets;
use elinvar::readable::waves::Waves;
use elinvar::{Error, Options, Problem, Proof, Report, Summary, Trace, check};

/// The arbiter. Without `priority` it grants both requests in the same cycle.
fn arbiter(priority: bool) -> Result<TransitionSystem, Box<dyn std::error::Error>> {
    let mut b = SystemBuilder::new();
    let requests =
        [b.input(Sort::BOOL, Some("request_a"))?, b.input(Sort::BOOL, Some("request_b"))?];
    let grants = [b.state(Sort::BOOL, Some("grant_a"))?, b.state(Sort::BOOL, Some("grant_b"))?];
    let low = b.pool.bool(false);
    let not_a = b.pool.not(requests[0])?;
    // Client b is granted the resource only if client a does not request it.
    let next_b = if priority { b.pool.and(requests[1], not_a)? } else { requests[1] };
    for (state, next) in b.states.iter_mut().zip([requests[0], next_b]) {
        (state.init, state.next) = (Some(low), Some(next));
    }
    let both = b.pool.and(grants[0], grants[1])?;
    b.bad("mutual_exclusion", both);
    b.finish().map_err(|error: SystemError| error.into())
}

fn decide(priority: bool) -> Result<Report, Box<dyn std::error::Error>> {
    let problem = Problem::from(arbiter(priority)?);
    Ok(check(&problem, &Options::default())?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let report = decide(true)?;
    assert_eq!(report.summary(), Summary::Safe);
    if let Verdict::Safe(Proof::Certificate(proof)) = &report.properties[0].verdict {
        println!("with priority: safe, proved by {proof:?}");
    }

    let report = decide(false)?;
    assert_eq!(report.summary(), Summary::Unsafe);
    let (Verdict::Unsafe(Trace::System(trace)), Problem::System(problem)) =
        (&report.properties[0].verdict, &report.problem)
    else {
        return Err(Error::Usage("expected a trace".to_owned()).into());
    };
    println!("without priority: unsafe in cycle {}", trace.depth());
    let waves = Waves::of_trace(problem.system(), trace, None, nets::all(problem.system()));
    for signal in &waves.signals {
        let values: Vec<String> = signal.values.iter().map(|value| format!("{value:?}")).collect();
        println!("  {:<10} {}", signal.net.name, values.join(" "));
    }
    Ok(())
}

#[test]
fn the_example_runs() {
    main().unwrap();
}
