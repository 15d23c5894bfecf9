//! Checks the evidence that the store has for many properties at once.
//!
//! Properties with the same key have one entry, which is read once. If it is a proof, it is
//! checked for the first of them; for the others the checker accepts that they are the same but
//! for their symbols, which takes a pass over their logic ([`elinvar_check::Renaming`]). The
//! proofs by clauses that are left are checked in common encodings
//! ([`elinvar_check::invariants`]), where they are about common registers.

use std::collections::BTreeMap;

use elinvar_check::{Budget, Refusal, Renaming};
use elinvar_ir::{Certificate, ExprId, PropertyId, StateBit, TransitionSystem, Verdict};
use rustc_hash::FxHashMap;

use super::disk::Loaded;
use super::entry::{Entry, Kind};
use super::key::Key;
use super::session::{Asking, Inquiry};
use super::text;

/// The most proofs and the most clauses of one encoding.
const MOST_PROOFS: usize = 64;
const MOST_CLAUSES: usize = 4_000;

/// Properties with one key, and the entry that the store has for it.
struct Group {
    key: Key,
    /// The first of the properties, for which the entry is checked.
    first: PropertyId,
    others: Vec<PropertyId>,
    entry: Entry,
}

/// A proof by clauses for the first property of a group.
struct ByClauses {
    /// The position of the group.
    group: usize,
    clauses: Vec<Vec<StateBit>>,
}

impl Asking<'_> {
    /// Looks all properties of the inquiry up, and confirms what the store has.
    pub(super) fn ask(&self, inquiry: &mut Inquiry) {
        let groups = self.groups(inquiry);
        let mut proofs = Vec::new();
        for (place, group) in groups.iter().enumerate() {
            match self.read(group.first, group, inquiry) {
                Some(Verdict::Safe(Certificate::Inductive { clauses }))
                    if self.system().bad(group.first).is_some() =>
                {
                    proofs.push(ByClauses { group: place, clauses });
                }
                verdict => self.confirm(group.first, group, verdict, inquiry),
            }
        }
        for batch in batches(proofs) {
            self.confirm_batch(&groups, batch, inquiry);
        }
        let mut renaming = None;
        for group in &groups {
            for &property in &group.others {
                // The entry is as wrong for the others as for the first.
                if inquiry.refused.contains(&group.first) {
                    break;
                }
                if self.is_stopped() {
                    return;
                }
                let verdict = self.read(property, group, inquiry);
                let Some(verdict) =
                    self.confirm_renamed(property, group, verdict, &mut renaming, inquiry)
                else {
                    continue;
                };
                self.confirm(property, group, verdict, inquiry);
            }
        }
    }

    /// The properties by their keys, with the entries that there are.
    fn groups(&self, inquiry: &mut Inquiry) -> Vec<Group> {
        let mut members: BTreeMap<Key, Vec<PropertyId>> = BTreeMap::new();
        for (&property, normal) in &inquiry.normals {
            members.entry(normal.key).or_default().push(property);
        }
        let mut groups = Vec::new();
        for (key, mut members) in members {
            let first = members.remove(0);
            match self.store.load(Kind::Evidence, key) {
                Loaded::Missing => {}
                Loaded::Damaged(fault) => self.warn(first, fault, inquiry),
                Loaded::Entry(entry) => groups.push(Group { key, first, others: members, entry }),
            }
        }
        groups.sort_by_key(|group| group.first);
        groups
    }

    fn warn(&self, property: PropertyId, fault: &str, inquiry: &mut Inquiry) {
        let name = &self.system().property(property).name;
        let warning = format!("the store's entry for property {name} is not used: {fault}");
        inquiry.warnings.push(warning);
    }

    /// The entry as evidence about a property.
    fn read(&self, property: PropertyId, group: &Group, inquiry: &Inquiry) -> Option<Verdict> {
        text::read(self.system(), property, &inquiry.normals[&property], &group.entry.body)
    }

    /// Confirms the evidence for one property, and puts the entry aside if it is refused.
    fn confirm(
        &self,
        property: PropertyId,
        group: &Group,
        verdict: Option<Verdict>,
        inquiry: &mut Inquiry,
    ) {
        if self.is_stopped() {
            return;
        }
        let confirmed = match verdict {
            Some(verdict) => self.judge.confirm(property, verdict).map_err(|it| it.reason),
            None => Err("it is not evidence about this property".to_owned()),
        };
        match confirmed {
            Ok(verdict) if verdict.is_decided() => {
                self.note(property, verdict, group.entry.depth, inquiry)
            }
            // There was no time to check it.
            Ok(_) => {}
            Err(reason) => {
                self.store.refuse(Kind::Evidence, group.key, &group.entry);
                self.warn(property, &reason, inquiry);
                inquiry.refused.insert(property);
            }
        }
    }

    /// Confirms proofs in one encoding. Those that are not accepted are judged one by one.
    fn confirm_batch(&self, groups: &[Group], batch: Vec<ByClauses>, inquiry: &mut Inquiry) {
        if self.is_stopped() {
            return;
        }
        let verdict = |proof: ByClauses| {
            let clauses = proof.clauses;
            (&groups[proof.group], Verdict::Safe(Certificate::Inductive { clauses }))
        };
        let verdicts: Vec<(&Group, Verdict)> = batch.into_iter().map(verdict).collect();
        let proofs = verdicts.iter().map(|(group, verdict)| (group.first, verdict)).collect();
        let accepted = self.judge.confirm_proofs(proofs, |original, proofs, budget| {
            judge_together(self.system(), original, proofs, budget)
        });
        for ((group, verdict), is_accepted) in verdicts.into_iter().zip(accepted) {
            if is_accepted {
                self.note(group.first, verdict, group.entry.depth, inquiry);
            } else {
                self.confirm(group.first, group, Some(verdict), inquiry);
            }
        }
    }

    /// Confirms a proof because the property is the same as the first one of its group, which was
    /// proved. Returns the evidence if it is not known to be.
    fn confirm_renamed<'s>(
        &'s self,
        property: PropertyId,
        group: &Group,
        verdict: Option<Verdict>,
        renaming: &mut Option<Renaming<'s>>,
        inquiry: &mut Inquiry,
    ) -> Option<Option<Verdict>> {
        let (Some(Verdict::Safe(_)), Some(Verdict::Safe(_))) =
            (&verdict, inquiry.found.get(&group.first))
        else {
            return Some(verdict);
        };
        let (own, other) =
            (&inquiry.normals[&property].nodes, &inquiry.normals[&group.first].nodes);
        if own.is_empty() || own.len() != other.len() || self.system().bad(property).is_none() {
            return Some(verdict);
        }
        let proof = verdict?;
        let accepted = self.judge.confirm_proofs(vec![(property, &proof)], |original, _, _| {
            let id = |&node: &u32| original.pool().nth(node as usize);
            let pairs = own.iter().zip(other).map(|(a, b)| id(a).zip(id(b)));
            let pairs: Option<Vec<(ExprId, ExprId)>> = pairs.collect();
            let Some(pairs) = pairs else { return vec![Err(Refusal::RenamedProperty)] };
            let renaming = renaming.get_or_insert_with(|| Renaming::new(original));
            vec![renaming.judge(property, group.first, &pairs)]
        });
        if accepted != [true] {
            return Some(Some(proof));
        }
        self.note(property, proof, group.entry.depth, inquiry);
        None
    }
}

/// Judges proofs by clauses about `system` against the system as it was written.
fn judge_together(
    system: &TransitionSystem,
    original: &TransitionSystem,
    proofs: &[(PropertyId, &Verdict)],
    budget: &Budget,
) -> Vec<Result<(), Refusal>> {
    let transferred = |(property, verdict): &(PropertyId, &Verdict)| match verdict {
        Verdict::Safe(proof) => match proof.transfer(system, original)? {
            Certificate::Inductive { clauses } => Some((*property, clauses)),
            _ => None,
        },
        Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
    };
    let claims: Option<Vec<(PropertyId, Vec<Vec<StateBit>>)>> =
        proofs.iter().map(transferred).collect();
    let Some(claims) = claims else { return vec![Err(Refusal::OtherStates); proofs.len()] };
    let claims: Vec<_> =
        claims.iter().map(|(property, clauses)| (*property, &clauses[..])).collect();
    elinvar_check::invariants(original, &claims, budget)
}

/// Proofs that are about common registers, at most so many together.
fn batches(proofs: Vec<ByClauses>) -> Vec<Vec<ByClauses>> {
    let mut parents: Vec<usize> = (0..proofs.len()).collect();
    let mut owners: FxHashMap<ExprId, usize> = FxHashMap::default();
    for (place, proof) in proofs.iter().enumerate() {
        for literal in proof.clauses.iter().flatten() {
            let owner = *owners.entry(literal.state).or_insert(place);
            let (a, b) = (root(&mut parents, owner), root(&mut parents, place));
            parents[b.max(a)] = a.min(b);
        }
    }
    let mut open: FxHashMap<usize, Vec<ByClauses>> = FxHashMap::default();
    let mut batches = Vec::new();
    for (place, proof) in proofs.into_iter().enumerate() {
        let batch = open.entry(root(&mut parents, place)).or_default();
        let size: usize = batch.iter().map(|proof| proof.clauses.len()).sum();
        if batch.len() >= MOST_PROOFS || size + proof.clauses.len() > MOST_CLAUSES {
            batches.push(std::mem::take(batch));
        }
        batch.push(proof);
    }
    batches.extend(open.into_values());
    batches.retain(|batch| !batch.is_empty());
    batches.sort_by_key(|batch| batch[0].group);
    batches
}

fn root(parents: &mut [usize], mut place: usize) -> usize {
    while parents[place] != place {
        parents[place] = parents[parents[place]];
        place = parents[place];
    }
    place
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use elinvar_models::families::chip;

    use super::super::disk::Store;
    use super::*;
    use crate::{Method, Options, Problem, Proof, Report, VerdictSource, check};

    const UNITS: u32 = 16;

    /// Two clusters of units that are the same but for their names; each property is decided with
    /// the store.
    fn decided(store: &Arc<Store>) -> Report {
        let problem = Problem::from(chip(UNITS).unwrap());
        let pdr = elinvar_engines::Choice::Pdr(elinvar_engines::pdr::PdrOptions::default());
        let (method, store) = (Method::System(pdr), Some(Arc::clone(store)));
        let report = check(&problem, &Options { method, store, ..Options::default() }).unwrap();
        let system = chip(UNITS).unwrap();
        for property in &report.properties {
            let (unit, number) = (property.id.0 / 10, property.id.0 % 10);
            let fails = number == 9 && unit % 4 == 0;
            assert_eq!(matches!(property.verdict, Verdict::Unsafe(_)), fails, "{}", property.id.0);
            // What is reported is evidence by itself.
            if let Verdict::Safe(Proof::Certificate(proof)) = &property.verdict {
                let budget = Budget::default();
                let judged = elinvar_check::certificate(&system, property.id, proof, &budget);
                assert_eq!(judged, Ok(()), "{}", property.id.0);
            }
        }
        report
    }

    fn stored(report: &Report) -> usize {
        let properties = report.properties.iter();
        properties.filter(|property| property.source == VerdictSource::Store).count()
    }

    #[test]
    fn properties_with_one_key_share_a_check_and_wrong_entries_are_refused_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(folder.path()).unwrap());
        assert_eq!(stored(&decided(&store)), 0);
        let again = decided(&store);
        assert_eq!(stored(&again), 10 * UNITS as usize);
        let entries = store.statistics().unwrap().evidence.entries;
        assert!(entries <= 80, "the clusters share {entries} entries");
        // An entry with the right checksum that proves nothing, for two properties.
        let problem = crate::SystemProblem::new(chip(UNITS).unwrap());
        let keys = problem.proof_keys(&[PropertyId(1), PropertyId(81)]).unwrap();
        assert_eq!(keys[0], keys[1]);
        let entry = Entry { depth: 0, body: b"clauses 0\n".to_vec() };
        store.save(Kind::Evidence, keys[0], &entry).unwrap();
        let refused = decided(&store);
        assert_eq!(stored(&refused), stored(&again) - 2);
        let warnings: Vec<&String> =
            refused.warnings.iter().filter(|text| text.contains("is not used")).collect();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
    }

    #[test]
    fn proofs_about_common_registers_are_together() {
        let system = chip(3).unwrap();
        let literal = |state: usize| {
            let state = system.states()[state].symbol;
            StateBit { state, bit: 0, positive: true }
        };
        let proof = |group, states: &[usize]| {
            let clauses = states.iter().map(|&state| vec![literal(state)]).collect();
            ByClauses { group, clauses }
        };
        let shown = |proofs: Vec<ByClauses>| -> Vec<Vec<usize>> {
            let batches = batches(proofs).into_iter();
            batches.map(|batch| batch.into_iter().map(|proof| proof.group).collect()).collect()
        };
        let proofs = vec![
            proof(0, &[0]),
            proof(1, &[3, 4]),
            proof(2, &[]),
            proof(3, &[4, 5]),
            proof(4, &[5, 0]),
            proof(5, &[7]),
        ];
        assert_eq!(shown(proofs), [vec![0, 1, 3, 4], vec![2], vec![5]]);
        let many = (0..MOST_PROOFS + 1).map(|group| proof(group, &[1])).collect();
        assert_eq!(shown(many).iter().map(Vec::len).collect::<Vec<_>>(), [MOST_PROOFS, 1]);
    }
}
