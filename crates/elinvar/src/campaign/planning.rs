//! From what the user wants to the tasks of a plan.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use elinvar_ir::PropertyId;
use sha2::{Digest, Sha256};

use super::group::groups;
use super::log::now;
use super::plan::{
    Limits, Plan, PlannedModel, PlannedProperty, PlannedTask, SCHEMA, Strategy, TaskId,
};
use crate::error::Error;
use crate::pattern;
use crate::problem::Problem;
use crate::source::Source;
use crate::store::Store;

/// The most properties of one task.
const MOST: usize = 64;
/// A task has at least so many properties where enough share their logic.
const LEAST: usize = 8;
/// The most properties that one task looks up in the store.
const MOST_STORED: usize = 1_024;
/// Each worker gets about so many tasks of a stage, so that none waits long for the others.
const TASKS_PER_WORKER: usize = 4;

/// What the user wants.
#[derive(Clone, Debug)]
pub struct Order {
    /// The name of the campaign.
    pub name: String,
    /// The models: their names in reports, and their paths.
    pub models: Vec<(String, PathBuf)>,
    /// Only properties with these names, or with names that match these patterns; all if there
    /// is none.
    pub properties: Vec<String>,
    /// The strategies, in the order in which they are to be tried.
    pub strategies: Vec<Strategy>,
    /// The limits.
    pub limits: Limits,
    /// The folder of the store of proofs.
    pub store: Option<PathBuf>,
}

impl Order {
    /// Reads the models, groups their properties, and makes the tasks.
    ///
    /// # Errors
    /// If a model cannot be read, or there is nothing to decide.
    pub fn plan(&self) -> Result<Plan, Error> {
        let mut models = Vec::new();
        let mut grouped: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut stored: Vec<(usize, Vec<usize>)> = Vec::new();
        let has_evidence = self.store.as_deref().is_some_and(Store::has_evidence);
        for (name, path) in &self.models {
            let (planned, problem) = self.model(name, path)?;
            let chosen: Vec<PropertyId> =
                planned.properties.iter().map(|property| PropertyId(property.index)).collect();
            if has_evidence && matches!(problem, Problem::System(_)) {
                let share = chosen.len().div_ceil(self.limits.jobs.max(1));
                let chunks = chosen.chunks(share.clamp(LEAST, MOST_STORED));
                stored.extend(chunks.map(|chunk| {
                    (models.len(), chunk.iter().map(|property| property.0).collect())
                }));
            }
            let most = chosen.len().div_ceil(self.limits.jobs.max(1) * TASKS_PER_WORKER);
            let found = groups(&problem, &chosen, most.clamp(LEAST, MOST));
            grouped.extend(found.into_iter().map(|group| (models.len(), group)));
            models.push(planned);
        }
        if grouped.is_empty() {
            return Err(Error::Usage(match &self.properties[..] {
                [] => "the models have no property to decide".to_owned(),
                patterns => format!("no property of the models matches {}", patterns.join(", ")),
            }));
        }
        Ok(Plan {
            schema: SCHEMA.to_owned(),
            name: self.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            created: now(),
            tasks: tasks(&stored, &grouped, self.strategies.len()),
            models,
            strategies: self.strategies.clone(),
            limits: self.limits.clone(),
            store: self.store.clone(),
        })
    }

    fn model(&self, name: &str, path: &Path) -> Result<(PlannedModel, Problem), Error> {
        let path = std::path::absolute(path).map_err(Error::reading(path))?;
        let bytes = std::fs::read(&path).map_err(Error::reading(Path::new(name)))?;
        let sha256 = digest(&bytes);
        let problem = Problem::from_source(Arc::new(Source::new(name, bytes)), None)?;
        let property = |number| {
            let id = PropertyId(number);
            let (name, kind) = (problem.property_name(id), problem.property_kind(id).name());
            PlannedProperty { index: number, name: name.to_owned(), kind: kind.to_owned() }
        };
        let mut properties: Vec<PlannedProperty> =
            (0..problem.property_count()).map(property).collect();
        if !self.properties.is_empty() {
            let is_chosen = |name: &str| self.properties.iter().any(|p| pattern::matches(p, name));
            properties.retain(|property| is_chosen(&property.name));
        }
        Ok((PlannedModel { name: name.to_owned(), path, sha256, properties }, problem))
    }
}

/// The SHA-256 of some bytes, in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What is looked up in the store, then all groups in the first stage, then all in the second, and
/// so on. Each group has the position of its model.
fn tasks(
    stored: &[(usize, Vec<usize>)],
    groups: &[(usize, Vec<usize>)],
    stages: usize,
) -> Vec<PlannedTask> {
    let number = |stage: usize, at: usize| TaskId(stored.len() + stage * groups.len() + at);
    let look_up = stored.iter().enumerate().map(|(at, (model, properties))| PlannedTask {
        id: TaskId(at),
        model: *model,
        properties: properties.clone(),
        stage: 0,
        after: None,
        stored: true,
    });
    let task = |stage: usize, at: usize| {
        let (model, properties) = &groups[at];
        let after = stage.checked_sub(1).map(|before| number(before, at));
        let (id, properties) = (number(stage, at), properties.clone());
        PlannedTask { id, model: *model, properties, stage, after, stored: false }
    };
    let decide = (0..stages).flat_map(|stage| (0..groups.len()).map(move |at| (stage, at)));
    look_up.chain(decide.map(|(stage, at)| task(stage, at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(folder: &Path, text: &str, properties: &[&str]) -> Order {
        let path = folder.join("m.aag");
        std::fs::write(&path, text).unwrap();
        let strategy =
            |name: &str| Strategy { name: name.to_owned(), options: vec![], timeout: Some(1.0) };
        Order {
            name: "test".to_owned(),
            models: vec![("m.aag".to_owned(), path)],
            properties: properties.iter().map(|&p| p.to_owned()).collect(),
            strategies: vec![strategy("quick"), strategy("long")],
            limits: Limits { memory: None, jobs: 2, ..Limits::default() },
            store: None,
        }
    }

    #[test]
    fn each_stage_has_all_groups_and_follows_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        // Two latches that do not depend on each other, and a property of each.
        let text = "aag 2 0 2 0 0 2\n2 2\n4 5\n2\n4\nb0 low\nb1 high\n";
        let plan = order(folder.path(), text, &[]).plan().unwrap();
        let shown: Vec<_> = (plan.tasks.iter())
            .map(|t| (t.id.0, t.stage, t.properties.clone(), t.after.map(|a| a.0)))
            .collect();
        let expected = [
            (0, 0, vec![0], None),
            (1, 0, vec![1], None),
            (2, 1, vec![0], Some(0)),
            (3, 1, vec![1], Some(1)),
        ];
        assert_eq!(shown, expected);
        plan.write(folder.path()).unwrap();
        assert_eq!(Plan::read(folder.path()).unwrap(), plan);
        let chosen = order(folder.path(), text, &["h*"]).plan().unwrap();
        assert_eq!(chosen.models[0].properties.len(), 1);
        assert_eq!(chosen.models[0].sha256.len(), 64);
        assert!(order(folder.path(), text, &["x"]).plan().is_err());
        // A store is asked first, if there is something in it.
        let store = folder.path().join("proofs");
        let with_store = || {
            let store = Some(store.clone());
            Order { store, ..order(folder.path(), text, &[]) }.plan().unwrap()
        };
        let first = |plan: Plan| (plan.tasks.len(), plan.tasks[0].stored);
        assert_eq!(first(with_store()), (4, false));
        let filled = Store::open(store.clone()).unwrap();
        assert_eq!(first(with_store()), (4, false));
        drop(filled);
        std::fs::create_dir_all(store.join("evidence/00")).unwrap();
        std::fs::write(store.join("evidence/00/11"), "").unwrap();
        let plan = with_store();
        let stored: Vec<_> = plan.tasks.iter().map(|t| (t.stored, t.after.map(|a| a.0))).collect();
        let expected =
            [(true, None), (false, None), (false, None), (false, Some(1)), (false, Some(2))];
        assert_eq!(stored, expected);
        plan.write(folder.path()).unwrap();
        assert_eq!(Plan::read(folder.path()).unwrap(), plan);
        assert!(order(folder.path(), "aag 1 0 1\n", &[]).plan().is_err());
    }
}
