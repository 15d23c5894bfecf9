//! Campaigns on random models, against exhaustive search and the checker alone.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use elinvar::campaign::{
    Ending, Limits, Line, Order, Results, Settings, Strategy, Workplace, release_abandoned, work,
};
use elinvar::formats::btor2;
use elinvar::{Cancellation, Error, Judgement, Options, Source, VerifyOptions, verify};
use elinvar_models::{Generator, Outcome, Shape, search};

/// The default engine.
struct Auto;

impl Settings for Auto {
    fn options(&self, _: &[String], _: bool) -> Result<Options, Error> {
        Ok(Options::default())
    }
}

fn place<'a>(campaign: &'a Path, cancellation: Cancellation) -> Workplace<'a> {
    Workplace { campaign, settings: &Auto, job: None, memory: None, jobs: None, cancellation }
}

/// Writes random models with many properties and returns what is known about them.
fn models(folder: &Path, count: u64) -> (Order, Vec<Vec<Outcome>>) {
    let shape = Shape { max_properties: 12, ..Shape::BITS };
    let (mut models, mut outcomes) = (Vec::new(), Vec::new());
    for seed in 0..count {
        let system = Generator::system(seed, shape);
        let Ok(found) = search(&system, 50_000) else { continue };
        let name = format!("m{seed}.btor2");
        std::fs::write(folder.join(&name), btor2::write(&system).unwrap()).unwrap();
        models.push((name.clone(), folder.join(name)));
        outcomes.push(found.into_iter().map(|(_, outcome)| outcome).collect());
    }
    let strategy = |name: &str, seconds| Strategy {
        name: name.to_owned(),
        options: Vec::new(),
        timeout: Some(seconds),
    };
    let order = Order {
        name: "random".to_owned(),
        models,
        properties: Vec::new(),
        strategies: vec![strategy("quick", 5.0), strategy("long", 60.0)],
        limits: Limits { jobs: 2, ..Limits::default() },
        store: None,
    };
    (order, outcomes)
}

#[test]
fn verdicts_are_those_of_exhaustive_search_and_evidence_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let (order, outcomes) = models(folder.path(), 30);
    let campaign = folder.path().join("c");
    std::fs::create_dir(&campaign).unwrap();
    order.plan().unwrap().write(&campaign).unwrap();
    // Two workers at the same time.
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| work(&place(&campaign, Cancellation::default())).unwrap());
        }
    });
    let results = Results::read(&campaign).unwrap();
    assert!(results.is_complete() && results.contradictions.is_empty());
    assert!(results.properties.len() > 60);
    let mut verified = 0;
    for property in &results.properties {
        let expected = match outcomes[property.model][property.index] {
            Outcome::Safe => "safe",
            Outcome::Unsafe(_) => "unsafe",
        };
        let model = &results.plan.models[property.model];
        assert_eq!(property.verdict(), expected, "{} {}", model.name, property.name);
        let line = property.decided().unwrap();
        let evidence = line.certificate.as_ref().or(line.trace.as_ref()).unwrap();
        let read = |path: &Path| Arc::new(Source::read(path).unwrap());
        let judged = verify(
            &read(&model.path),
            &read(&campaign.join(evidence)),
            &VerifyOptions { property: Some(property.index.to_string()), ..Default::default() },
        );
        assert!(matches!(judged, Ok(Judgement::Accepted(_))), "{evidence}: {judged:?}");
        verified += 1;
    }
    assert_eq!(verified, results.properties.len());
    nothing_is_decided_twice(&campaign);
}

fn nothing_is_decided_twice(campaign: &Path) {
    let mut decided: BTreeMap<(String, usize), usize> = BTreeMap::new();
    let lines = elinvar::campaign::Follower::default().lines(campaign).unwrap();
    for line in lines {
        if let Line::Result(line) = line
            && line.is_decided()
        {
            *decided.entry((line.model, line.property)).or_default() += 1;
        }
    }
    assert!(!decided.is_empty() && decided.values().all(|&count| count == 1), "{decided:?}");
}

#[test]
fn a_stopped_worker_leaves_its_task_to_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let (order, _) = models(folder.path(), 3);
    let campaign = folder.path().join("c");
    std::fs::create_dir(&campaign).unwrap();
    order.plan().unwrap().write(&campaign).unwrap();
    let cancellation = Cancellation::default();
    cancellation.cancel();
    assert_eq!(work(&place(&campaign, cancellation)).unwrap(), Ending::Stopped);
    assert_eq!(work(&place(&campaign, Cancellation::default())).unwrap(), Ending::Complete);
    assert_eq!(release_abandoned(&campaign, false).unwrap(), 0);
    nothing_is_decided_twice(&campaign);
}

#[test]
fn a_model_that_has_changed_is_not_decided() {
    let folder = tempfile::tempdir().unwrap();
    let (mut order, _) = models(folder.path(), 1);
    let campaign = folder.path().join("c");
    std::fs::create_dir(&campaign).unwrap();
    order.limits.jobs = 1;
    order.plan().unwrap().write(&campaign).unwrap();
    let path = &order.models[0].1;
    let text = std::fs::read_to_string(path).unwrap();
    std::fs::write(path, format!("{text}; another line\n")).unwrap();
    work(&place(&campaign, Cancellation::default())).unwrap();
    let results = Results::read(&campaign).unwrap();
    assert!(results.properties.iter().all(|property| property.decided().is_none()));
    let failure = results.tasks[0].failure.as_deref().unwrap();
    assert!(failure.contains("has changed since the campaign was planned"), "{failure}");
}
