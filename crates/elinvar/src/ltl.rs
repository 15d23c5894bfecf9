//! Formulas of linear temporal logic as properties of a model.
//!
//! A monitor of each formula becomes part of the model ([`elinvar_transform::add_formula`]), both
//! of the model that engines get and of the second reading that evidence is checked against.

use elinvar_formats::Diagnostic;
use elinvar_formats::ltl::{Signal, Specification, parse_file};
use elinvar_ir::TransitionSystem;
use elinvar_transform::add_formula;

use crate::error::Error;
use crate::source::Source;

/// Formulas whose signals were found in a model.
#[derive(Clone, Debug)]
pub(crate) struct Monitors(Vec<Monitor>);

#[derive(Clone, Debug)]
struct Monitor {
    name: String,
    specification: Specification,
    signals: Vec<Signal>,
}

impl Monitors {
    /// Reads formulas about a system.
    pub(crate) fn read(source: &Source, system: &TransitionSystem) -> Result<Self, Error> {
        let mut names: Vec<String> = system.properties().iter().map(|p| p.name.clone()).collect();
        let mut monitors = Vec::new();
        for specification in source.located(parse_file(source.bytes()))? {
            let name = source.located(name(&specification, &names))?;
            let signals = source.located(specification.signals(system))?;
            names.push(name.clone());
            monitors.push(Monitor { name, specification, signals });
        }
        Ok(Monitors(monitors))
    }

    /// Adds the monitors to a reading of the model in which the signals were found.
    pub(crate) fn add(&self, system: TransitionSystem) -> Result<TransitionSystem, String> {
        let mut builder = system.into_builder();
        for Monitor { name, specification, signals } in &self.0 {
            let atoms = specification
                .bits(signals, &mut builder)
                .ok_or_else(|| format!("another reading of the model lacks a signal of {name}"))?;
            let mut formulas = specification.formulas.clone();
            add_formula(&mut builder, name, &mut formulas, specification.root, &atoms)
                .map_err(|error| error.to_string())?;
        }
        builder.finish().map_err(|error| error.to_string())
    }
}

/// The user's name for the formula, or the first of `ltl0`, `ltl1`, … that is free.
fn name(specification: &Specification, names: &[String]) -> Result<String, Diagnostic> {
    let is_free = |name: &String| !names.contains(name);
    match &specification.name {
        Some(name) if is_free(name) => Ok(name.clone()),
        Some(name) => {
            let message = format!("there is another property with the name {name}");
            Err(Diagnostic::new(message, specification.span.clone()))
        }
        None => {
            let mut made = (0..).map(|number| format!("ltl{number}"));
            Ok(made.find(is_free).expect("finitely many names are taken"))
        }
    }
}
