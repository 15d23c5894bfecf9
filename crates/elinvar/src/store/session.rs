//! Asks the store before the engines, and tells it afterwards what they found.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use elinvar_engines::Event;
use elinvar_ir::{PdrState, PropertyId, TransitionSystem, Verdict};

use super::disk::{Loaded, Store};
use super::entry::{Entry, Kind};
use super::lemmas::{Collection, Extractor, LemmaKeys, Lemmas};
use super::normal::Normal;
use super::text;
use crate::files::shown;
use crate::problem::SystemProblem;
use crate::progress::Phase;
use crate::session::{Judge, Session, lock};

/// The name under which reports list the store among the engines.
const NAME: &str = "store";

/// Nodes of normal forms that are kept to compare properties with the same key.
const MOST_NODES: usize = 4 << 20;

/// Where evidence is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Depth {
    /// Only evidence about these properties. Observers are told about counterexamples, which are
    /// not kept: those of many properties take much memory.
    Exact,
    /// Also proofs and lemmas of other versions of them.
    Versions,
}

/// What the store knows about some properties of a system.
#[derive(Default)]
pub(crate) struct Inquiry {
    pub(super) normals: BTreeMap<PropertyId, Normal>,
    /// The confirmed verdicts.
    pub found: BTreeMap<PropertyId, Verdict>,
    /// Those of `found` whose evidence is about another version of the property.
    adapted: BTreeSet<PropertyId>,
    /// Lemmas for the other properties.
    pub lemmas: Option<Arc<PdrState>>,
    pub warnings: Vec<String>,
    /// The properties whose evidence was refused.
    pub(super) refused: BTreeSet<PropertyId>,
}

impl Session {
    /// Looks the properties up in the store and confirms what it has, within the limits of the
    /// session.
    pub(crate) fn inquire(
        &self,
        store: &Arc<Store>,
        problem: &SystemProblem,
        properties: &[PropertyId],
        depth: Depth,
    ) -> Inquiry {
        let (session, store, problem) = (self.clone(), Arc::clone(store), problem.clone());
        let asked = properties.to_vec();
        let inquiry = self.during(Phase::Store, || {
            self.supervisor.watch(move || {
                let judge = Judge::new(&session, problem.system(), problem.original());
                let (session, store, problem) = (&session, &*store, &problem);
                Asking { session, depth, store, problem, judge }.look_up(&asked)
            })
        });
        inquiry.unwrap_or_else(|_| {
            // What was confirmed before the limit counts.
            let mut confirmed = lock(&self.confirmed);
            let found = properties.iter().filter_map(|&id| Some((id, confirmed.remove(&id)?)));
            Inquiry { found: found.collect(), ..Inquiry::default() }
        })
    }

    /// Writes what the run found out about these properties to the store. Failures make warnings.
    pub(crate) fn deposit<'v>(
        &self,
        store: &Store,
        problem: &SystemProblem,
        inquiry: &'v Inquiry,
        decided: impl Iterator<Item = (PropertyId, &'v Verdict)>,
    ) -> Vec<String> {
        let judge = Judge::new(self, problem.system(), problem.original());
        let asking = Asking { session: self, depth: Depth::Exact, store, problem, judge };
        let adapted = inquiry.adapted.iter().map(|id| (*id, &inquiry.found[id]));
        let failure = asking.save(inquiry, decided.chain(adapted)).err();
        let warning = |error| format!("the store {} was not written: {error}", shown(store.path()));
        store.tidy();
        failure.map(warning).into_iter().collect()
    }
}

/// A session with a store and a system.
pub(super) struct Asking<'a> {
    session: &'a Session,
    depth: Depth,
    pub store: &'a Store,
    problem: &'a SystemProblem,
    pub judge: Judge<'a>,
}

impl Asking<'_> {
    pub fn system(&self) -> &TransitionSystem {
        self.problem.system()
    }

    pub fn is_stopped(&self) -> bool {
        self.session.run.stop().is_some()
    }

    fn look_up(&self, asked: &[PropertyId]) -> Inquiry {
        let mut inquiry = Inquiry::default();
        let Ok(forms) = self.problem.original().normal_forms() else { return inquiry };
        let mut left = MOST_NODES;
        for &property in asked {
            if self.is_stopped() {
                break;
            }
            let mut normal = forms.of(property);
            // Without its nodes, a property is checked even if another one is the same.
            match left.checked_sub(normal.nodes.len()) {
                Some(rest) => left = rest,
                None => normal.nodes = Vec::new(),
            }
            inquiry.normals.insert(property, normal);
        }
        self.ask(&mut inquiry);
        for normal in inquiry.normals.values_mut() {
            normal.nodes = Vec::new();
        }
        if self.depth == Depth::Versions && inquiry.found.len() < inquiry.normals.len() {
            self.look_for_other_versions(&mut inquiry);
        }
        inquiry
    }

    /// Notes a confirmed verdict.
    pub fn note(&self, property: PropertyId, verdict: Verdict, depth: usize, to: &mut Inquiry) {
        let verdict = self.tell(property, verdict, depth);
        if self.depth == Depth::Exact && matches!(verdict, Verdict::Unsafe(_)) {
            lock(&self.session.confirmed).remove(&property);
        } else {
            to.found.insert(property, verdict);
        }
    }

    /// Tells observers about a confirmed verdict.
    fn tell(&self, property: PropertyId, verdict: Verdict, depth: usize) -> Verdict {
        let safe = matches!(verdict, Verdict::Safe(_));
        self.session.run.emit(Event::Decided { engine: NAME, property, safe, depth });
        lock(&self.session.stored).insert(property);
        verdict
    }

    /// Tries whether proofs of other versions of the open properties are proofs of these, and
    /// collects lemmas for the engines.
    fn look_for_other_versions(&self, inquiry: &mut Inquiry) {
        let collection = self.collect(inquiry);
        if collection.is_empty() {
            return;
        }
        let located = collection.locate(self.system());
        // The other version may have some more registers.
        let most = 2 * self.system().states().len() + 64;
        for (property, key, states) in collection.candidates(&located, most) {
            if self.is_stopped() {
                return;
            }
            let Loaded::Entry(entry) = self.store.load(Kind::Evidence, key) else { continue };
            let normal = &inquiry.normals[&property];
            let conditions = normal.conditions.clone();
            let (inputs, nodes) = (Vec::new(), Vec::new());
            let other = Normal { key, inputs, states, conditions, nodes };
            let verdict = text::read(self.system(), property, &other, &entry.body);
            // A proof of another version need not be one of this.
            let Some(verdict) = verdict.filter(|it| matches!(it, Verdict::Safe(_))) else {
                continue;
            };
            if let Ok(verdict @ Verdict::Safe(_)) = self.judge.confirm(property, verdict) {
                inquiry.found.insert(property, self.tell(property, verdict, entry.depth));
                inquiry.adapted.insert(property);
            }
        }
        inquiry.lemmas = collection.state(|property| !inquiry.found.contains_key(&property));
    }

    /// The lemmas that the store has for the open properties.
    fn collect(&self, inquiry: &Inquiry) -> Collection {
        let (keys, mut collection) = (LemmaKeys::new(self.system()), Collection::default());
        for (&property, normal) in &inquiry.normals {
            if inquiry.found.contains_key(&property) {
                continue;
            }
            let lemmas = keys.of(property, normal).into_iter().find_map(|key| {
                let Loaded::Entry(entry) = self.store.load(Kind::Lemmas, key) else { return None };
                let lemmas = Lemmas::read(&entry.body);
                if lemmas.is_none() {
                    self.store.refuse(Kind::Lemmas, key, &entry);
                }
                lemmas
            });
            if let Some(lemmas) = lemmas {
                collection.add(property, lemmas);
            }
        }
        collection
    }

    /// Writes evidence and lemmas.
    fn save<'v>(
        &self,
        inquiry: &Inquiry,
        verdicts: impl Iterator<Item = (PropertyId, &'v Verdict)>,
    ) -> std::io::Result<()> {
        let statistics = self.session.statistics();
        let keys = LemmaKeys::new(self.system());
        let mut extractor = None;
        for (property, verdict) in verdicts {
            let Some(normal) = inquiry.normals.get(&property) else { continue };
            let extractor = extractor.get_or_insert_with(|| Extractor::new(self.system()));
            let lemmas = if verdict.is_decided() {
                let depth = statistics.decided.get(&property).map_or(0, |decision| decision.depth);
                if !self.save_evidence(property, normal, verdict, depth)? {
                    continue;
                }
                extractor.of_proof(property, normal, verdict)
            } else {
                let state = statistics.state.as_ref();
                state.and_then(|state| extractor.of_search(property, normal, state))
            };
            if let Some(lemmas) = lemmas {
                let entry = Entry { depth: 0, body: lemmas.write() };
                for key in keys.of(property, normal) {
                    self.store.save(Kind::Lemmas, key, &entry)?;
                }
            }
        }
        Ok(())
    }

    /// Writes evidence. False if it cannot be stated about the normal form.
    fn save_evidence(
        &self,
        property: PropertyId,
        normal: &Normal,
        verdict: &Verdict,
        depth: usize,
    ) -> std::io::Result<bool> {
        let Some(written) = text::write(self.system(), normal, verdict) else { return Ok(false) };
        if written.is_cut {
            let rest = text::read(self.system(), property, normal, &written.text);
            // At the end of a run there may be no time to check it; a later run does so anyway.
            if rest.is_none_or(|verdict| self.judge.would_refuse(property, verdict)) {
                return Ok(false);
            }
        }
        let entry = Entry { depth, body: written.text };
        self.store.save(Kind::Evidence, normal.key, &entry)?;
        Ok(true)
    }
}
