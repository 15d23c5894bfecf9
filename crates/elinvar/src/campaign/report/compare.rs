//! A campaign compared with an earlier one.
//!
//! Properties are the same if their models and their names are. Models are the same if their
//! paths in the plans are, or else, if no path is in both plans, their file names. Of several
//! properties of a model with one name, the first is compared with the first, and so on.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::campaign::results::{PropertyResult, Results};
use crate::readable::count;

use super::{is_bad, is_good};

/// Times differ if one is this often the other,
const FACTOR: f64 = 2.0;
/// and if they differ by so many seconds of processor time, since short times vary.
const SECONDS: f64 = 1.0;

/// How the result on a property has changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Change {
    /// It fails, and was not known to fail.
    NewlyFailing,
    /// It was decided and is not any more.
    Lost,
    /// It holds, and was not known to hold.
    NewlyProved,
    /// The verdict is the same and took more than twice as long, and a second longer.
    Slower,
    /// The verdict is the same and took less than half as long, and a second less.
    Faster,
    /// It was not in the earlier campaign.
    New,
    /// Nothing of that.
    Same,
}

impl Change {
    /// A word or two for the change; none if nothing has changed.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Change::NewlyFailing => Some("newly failing"),
            Change::Lost => Some("no longer decided"),
            Change::NewlyProved => Some("newly proved"),
            Change::Slower => Some("slower"),
            Change::Faster => Some("faster"),
            Change::New => Some("new"),
            Change::Same => None,
        }
    }

    fn between(earlier: &PropertyResult, now: &PropertyResult) -> Self {
        let (before, after) = (earlier.verdict(), now.verdict());
        if before != after {
            // A property whose tasks have not ended is lost until they have.
            return if is_bad(after) {
                Change::NewlyFailing
            } else if is_good(after) {
                Change::NewlyProved
            } else {
                Change::Lost
            };
        }
        let (old, new) = (earlier.cpu_seconds(), now.cpu_seconds());
        if after == "unknown" || (new - old).abs() < SECONDS {
            return Change::Same;
        }
        match new / old.max(1e-9) {
            ratio if ratio > FACTOR => Change::Slower,
            ratio if ratio < 1.0 / FACTOR => Change::Faster,
            _ => Change::Same,
        }
    }
}

/// The changes of all properties.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The name of the earlier campaign.
    pub name: String,
    /// When the earlier campaign was planned.
    pub created: String,
    /// One entry for each property of the campaign, in the order of its results.
    pub changes: Vec<(Change, Option<&'a PropertyResult>)>,
    /// How many properties of the earlier campaign are not in this one.
    pub removed: usize,
}

impl<'a> Comparison<'a> {
    /// Compares a campaign with an earlier one.
    pub fn new(now: &Results, earlier: &'a Results) -> Self {
        let by_path = share_models(now, earlier);
        let before: HashMap<Key, &PropertyResult> =
            keys(earlier, by_path).zip(&earlier.properties).collect();
        let mut found = 0;
        let changes = keys(now, by_path).zip(&now.properties).map(|(key, property)| {
            let Some(&old) = before.get(&key) else { return (Change::New, None) };
            found += 1;
            (Change::between(old, property), Some(old))
        });
        let changes = changes.collect();
        Comparison {
            name: earlier.plan.name.clone(),
            created: earlier.plan.created.clone(),
            changes,
            removed: before.len() - found,
        }
    }

    /// How many properties have changed in which way, worst first.
    pub fn counts(&self) -> Vec<(Change, usize)> {
        let mut counts: BTreeMap<Change, usize> = BTreeMap::new();
        for (change, _) in self.changes.iter().filter(|(change, _)| *change != Change::Same) {
            *counts.entry(*change).or_default() += 1;
        }
        counts.into_iter().collect()
    }

    /// All changes in a sentence.
    pub fn sentence(&self) -> String {
        let known: f64 =
            self.changes.iter().filter_map(|(_, old)| *old).map(|p| p.cpu_seconds()).sum();
        let words =
            |(change, number): &(Change, usize)| Some(format!("{number} {}", change.word()?));
        let counts: Vec<String> = self.counts().iter().filter_map(words).collect();
        let changes = match counts.is_empty() {
            true => "no verdict has changed".to_owned(),
            false => counts.join(", "),
        };
        let removed = match self.removed {
            0 => String::new(),
            number => format!("; {} not in this campaign any more", are(number)),
        };
        format!(
            "Compared with {} of {}, which took {known:.1} s of processor time for the properties \
             that are in both: {changes}{removed}.",
            self.name, self.created
        )
    }
}

fn are(number: usize) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    let noun = if number == 1 { "property" } else { "properties" };
    format!("{number} {noun} {verb}")
}

/// A model, a property of it, and how many properties before have the same name.
type Key = (String, String, usize);

/// The keys of all properties, in their order.
fn keys(results: &Results, by_path: bool) -> impl Iterator<Item = Key> {
    let mut seen: HashMap<(String, String), usize> = HashMap::new();
    results.properties.iter().map(move |property| {
        let model = model_key(&results.plan.models[property.model].name, by_path);
        let before = seen.entry((model.clone(), property.name.clone())).or_default();
        *before += 1;
        (model, property.name.clone(), *before)
    })
}

fn model_key(name: &str, by_path: bool) -> String {
    let file = Path::new(name).file_name().filter(|_| !by_path);
    file.map_or_else(|| name.to_owned(), |file| file.to_string_lossy().into_owned())
}

/// Is a path of a model in both plans?
fn share_models(a: &Results, b: &Results) -> bool {
    a.plan.models.iter().any(|model| b.plan.models.iter().any(|other| model.name == other.name))
}

/// `3 properties`
pub(super) fn properties(number: usize) -> String {
    if number == 1 { count(1, "property") } else { format!("{number} properties") }
}
