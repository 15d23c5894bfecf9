//! Decides all properties of a model or a program, with a time limit and progress messages,
//! writes the evidence, and checks what was written: the core of a job in continuous
//! integration.
//!
//! Run it with `cargo run -p elinvar --example gate -- MODEL FOLDER`; without arguments it
//! checks a model of this repository.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use elinvar::engines::Event;
use elinvar::{
    Error, EvidenceKind, Judgement, Options, Problem, Session, Source, Summary, VerifyOptions,
};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/several.btor2");
    let model = arguments.next().unwrap_or(default);
    let folder = arguments.next().unwrap_or_else(std::env::temp_dir);
    let summary = gate(&model, &folder)?;
    println!("{}", summary.word());
    Ok(())
}

/// Decides the properties of a model, writes their evidence to a folder, and verifies it.
fn gate(model: &Path, folder: &Path) -> Result<Summary, Error> {
    let options = Options {
        timeout: Some(Duration::from_secs(60)),
        observer: Some(Arc::new(|event: &Event| {
            if let Event::Decided { engine, property, .. } = event {
                println!("property {} was decided by {engine}", property.0);
            }
        })),
        ..Options::default()
    };
    let session = Session::start(options)?;
    let path = model.to_owned();
    let problem = session.read(move || Problem::read(path))?;
    let mut report = session.check(&problem)?;
    report.write_evidence(EvidenceKind::Witness, &folder.join("gate.witness"))?;
    report.write_evidence(EvidenceKind::Certificate, &folder.join("gate.certificate"))?;
    for property in &report.properties {
        println!("{}: {}", property.name, property.summary().word());
        for file in &property.files {
            let evidence = Arc::new(Source::read(&file.path)?);
            let options =
                VerifyOptions { property: Some(property.id.0.to_string()), ..Default::default() };
            let judgement = elinvar::verify(&Arc::new(Source::read(model)?), &evidence, &options)?;
            assert!(matches!(judgement, Judgement::Accepted(_)), "{judgement:?}");
            println!("  {} is accepted", file.path.display());
        }
    }
    Ok(report.summary())
}

#[test]
fn the_example_runs() {
    let folder = tempfile::tempdir().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (name, expected) in [("several.btor2", Summary::Unsafe), ("peterson.btor2", Summary::Safe)]
    {
        assert_eq!(gate(&examples.join(name), folder.path()).unwrap(), expected, "{name}");
    }
}
