//! Asks the store before the engines, and tells it afterwards what they found.

use std::collections::BTreeMap;
use std::sync::Arc;

use elinvar_engines::Event;
use elinvar_ir::{PropertyId, Verdict};

use super::disk::{Loaded, Store};
use super::entry::{Entry, Kind};
use super::normal::{Normal, Normaliser};
use super::text;
use crate::problem::SystemProblem;
use crate::progress::Phase;
use crate::session::{Judge, Session, lock};

/// The name under which reports list the store among the engines.
pub(crate) const NAME: &str = "store";

/// What the store knows about some properties of a system.
#[derive(Default)]
pub(crate) struct Inquiry {
    normals: BTreeMap<PropertyId, Normal>,
    /// The confirmed verdicts.
    pub found: BTreeMap<PropertyId, Verdict>,
    pub warnings: Vec<String>,
}

impl Session {
    /// Looks the properties up in the store and confirms what it has, within the limits of the
    /// session.
    pub(crate) fn inquire(
        &self,
        store: &Arc<Store>,
        problem: &SystemProblem,
        properties: &[PropertyId],
    ) -> Inquiry {
        let (session, store, problem) = (self.clone(), Arc::clone(store), problem.clone());
        let asked = properties.to_vec();
        let inquiry = self.during(Phase::Store, || {
            self.supervisor.watch(move || session.look_up(&store, &problem, &asked))
        });
        inquiry.unwrap_or_else(|_| {
            // What was confirmed before the limit counts.
            let mut confirmed = lock(&self.confirmed);
            let found = properties.iter().filter_map(|&id| Some((id, confirmed.remove(&id)?)));
            Inquiry { found: found.collect(), ..Inquiry::default() }
        })
    }

    fn look_up(&self, store: &Store, problem: &SystemProblem, asked: &[PropertyId]) -> Inquiry {
        let mut inquiry = Inquiry::default();
        let Ok(original) = problem.original().system() else { return inquiry };
        let mut normaliser = Normaliser::new(original);
        let judge = Judge::new(self, problem.system(), problem.original());
        for &property in asked {
            if self.run.stop().is_some() {
                break;
            }
            let normal = normaliser.normal(property);
            if let Some(verdict) = self.ask(store, problem, &judge, property, &normal, &mut inquiry)
            {
                inquiry.found.insert(property, verdict);
            }
            inquiry.normals.insert(property, normal);
        }
        inquiry
    }

    /// The confirmed verdict of the store on a property.
    fn ask(
        &self,
        store: &Store,
        problem: &SystemProblem,
        judge: &Judge<'_>,
        property: PropertyId,
        normal: &Normal,
        inquiry: &mut Inquiry,
    ) -> Option<Verdict> {
        let name = || &problem.system().property(property).name;
        let mut warn = |fault: &str| {
            let warning = format!("the store's entry for property {} is not used: {fault}", name());
            inquiry.warnings.push(warning);
        };
        let entry = match store.load(Kind::Evidence, normal.key) {
            Loaded::Missing => return None,
            Loaded::Damaged(fault) => {
                warn(fault);
                return None;
            }
            Loaded::Entry(entry) => entry,
        };
        let verdict = text::read(problem.system(), property, normal, &entry.body);
        let confirmed = match verdict {
            Some(verdict) => judge.confirm(property, verdict).map_err(|refused| refused.reason),
            None => Err("it is not evidence about this property".to_owned()),
        };
        match confirmed {
            Ok(verdict) => {
                let safe = match verdict {
                    Verdict::Safe(_) => true,
                    Verdict::Unsafe(_) => false,
                    // There was no time to check it.
                    Verdict::Unknown(_) => return None,
                };
                let depth = entry.depth;
                self.run.emit(Event::Decided { engine: NAME, property, safe, depth });
                lock(&self.stored).insert(property);
                Some(verdict)
            }
            Err(reason) => {
                store.refuse(Kind::Evidence, normal.key, &entry);
                warn(&reason);
                None
            }
        }
    }

    /// Writes the evidence of confirmed verdicts of engines to the store. Failures make warnings.
    pub(crate) fn deposit<'v>(
        &self,
        store: &Store,
        problem: &SystemProblem,
        inquiry: &Inquiry,
        verdicts: impl Iterator<Item = (PropertyId, &'v Verdict)>,
    ) -> Vec<String> {
        let judge = Judge::new(self, problem.system(), problem.original());
        let decided = self.statistics().decided;
        let mut failure = None;
        for (property, verdict) in verdicts.filter(|(_, verdict)| verdict.is_decided()) {
            let Some(normal) = inquiry.normals.get(&property) else { continue };
            let Some(written) = text::write(problem.system(), normal, verdict) else { continue };
            if written.is_cut && !self.is_evidence(problem, &judge, property, normal, &written) {
                continue;
            }
            let depth = decided.get(&property).map_or(0, |decision| decision.depth);
            let entry = Entry { depth, body: written.text };
            if let Err(error) = store.save(Kind::Evidence, normal.key, &entry) {
                failure = Some(error);
            }
        }
        let warning = |error| format!("the store {} was not written: {error}", store.path().display());
        failure.map(warning).into_iter().collect()
    }

    /// Is what is left of a certificate without some clauses still one?
    fn is_evidence(
        &self,
        problem: &SystemProblem,
        judge: &Judge<'_>,
        property: PropertyId,
        normal: &Normal,
        written: &text::Written,
    ) -> bool {
        let verdict = text::read(problem.system(), property, normal, &written.text);
        verdict.is_some_and(|verdict| judge.would_confirm(property, verdict))
    }
}
