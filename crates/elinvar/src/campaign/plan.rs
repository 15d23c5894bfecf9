//! The plan of a campaign: what is to be decided, how, and in which tasks.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::files;

/// The version of the form of plans.
pub const SCHEMA: &str = "elinvar.campaign/1";

/// The name of the plan within the folder of a campaign.
const NAME: &str = "campaign.json";

/// The plan of a campaign. It is written once, when the campaign starts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// [`SCHEMA`].
    pub schema: String,
    /// The name of the campaign.
    pub name: String,
    /// The version of Elinvar that made the plan.
    pub version: String,
    /// When it was made.
    pub created: String,
    /// The models.
    pub models: Vec<PlannedModel>,
    /// The strategies, in the order in which the user has given them.
    pub strategies: Vec<Strategy>,
    /// The limits of the campaign.
    pub limits: Limits,
    /// The folder of the store of proofs.
    pub store: Option<PathBuf>,
    /// The tasks, stage by stage.
    pub tasks: Vec<PlannedTask>,
}

/// A model of a campaign.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlannedModel {
    /// How the model is called in logs and reports: its path as the user has given it.
    pub name: String,
    /// Its absolute path.
    pub path: PathBuf,
    /// The SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// The properties that are to be decided.
    pub properties: Vec<PlannedProperty>,
}

/// A property of a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlannedProperty {
    /// Its position in the model.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its kind, as [`crate::PropertyKind::name`] gives it.
    pub kind: String,
}

/// A way to decide properties, and how long it may take.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Strategy {
    /// Its name in logs and reports.
    pub name: String,
    /// Options of `elinvar check` that choose the engine.
    pub options: Vec<String>,
    /// The time for one property, in seconds; none if there is no limit.
    pub timeout: Option<f64>,
}

impl Strategy {
    /// The time for one property.
    pub fn time(&self) -> Option<Duration> {
        self.timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }
}

/// The limits of a campaign.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// The memory of a machine for all of its workers together, in bytes.
    pub memory: Option<u64>,
    /// The number of workers.
    pub jobs: usize,
    /// Workers give a sign of life in this period, in seconds; one that misses six of them is
    /// dead.
    #[serde(default = "default_heartbeat")]
    pub heartbeat: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { memory: None, jobs: 1, heartbeat: default_heartbeat() }
    }
}

fn default_heartbeat() -> f64 {
    10.0
}

/// A number of a task, such as `t000017`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TaskId(pub usize);

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{:06}", self.0)
    }
}

impl From<TaskId> for String {
    fn from(id: TaskId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for TaskId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let number = text.strip_prefix('t').and_then(|digits| digits.parse().ok());
        number.map(TaskId).ok_or_else(|| format!("`{text}` is not the number of a task"))
    }
}

/// Some properties of a model that one worker decides one after another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlannedTask {
    /// Its number, which is its position in [`Plan::tasks`].
    pub id: TaskId,
    /// The position of the model in [`Plan::models`].
    pub model: usize,
    /// The properties, by their positions in the model.
    pub properties: Vec<usize>,
    /// How many strategies are tried on these properties before.
    pub stage: usize,
    /// The task on the same properties in the stage before, which must have ended.
    pub after: Option<TaskId>,
    /// Is only the store asked? Such tasks come before all others of their model, which decide
    /// what the store does not know.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stored: bool,
}

impl Plan {
    /// The file of the plan in the folder of a campaign.
    pub fn path(campaign: &Path) -> PathBuf {
        campaign.join(NAME)
    }

    /// Reads the plan of a campaign.
    ///
    /// # Errors
    /// If there is none, or if it is damaged or of another version.
    pub fn read(campaign: &Path) -> Result<Self, Error> {
        let path = Plan::path(campaign);
        let bytes = std::fs::read(&path).map_err(Error::reading(&path))?;
        let wrong = |why: String| Error::Usage(format!("{}: {why}", path.display()));
        let plan: Plan = serde_json::from_slice(&bytes)
            .map_err(|error| wrong(format!("the plan cannot be read: {error}")))?;
        plan.expect_consistent().map_err(wrong)?;
        Ok(plan)
    }

    /// Writes the plan into the folder of a campaign.
    ///
    /// # Errors
    /// If that is not possible.
    pub fn write(&self, campaign: &Path) -> Result<(), Error> {
        let mut text = serde_json::to_string_pretty(self).expect("a plan has a JSON form");
        text.push('\n');
        files::write(&Plan::path(campaign), text.as_bytes())
    }

    /// The task with a number as the log gives it.
    pub fn task(&self, id: &str) -> Option<&PlannedTask> {
        self.tasks.get(TaskId::try_from(id.to_owned()).ok()?.0)
    }

    /// How many properties there are in all models.
    pub fn property_count(&self) -> usize {
        self.models.iter().map(|model| model.properties.len()).sum()
    }

    /// How often workers give a sign of life.
    pub fn heartbeat(&self) -> Duration {
        Duration::try_from_secs_f64(self.limits.heartbeat).unwrap_or(Duration::from_secs(10))
    }

    fn expect_consistent(&self) -> Result<(), String> {
        if self.schema != SCHEMA {
            return Err(format!("the plan has the form {}, not {SCHEMA}", self.schema));
        }
        for (position, task) in self.tasks.iter().enumerate() {
            let Some(model) = self.models.get(task.model) else {
                return Err(format!("task {} is about a model that is not in the plan", task.id));
            };
            let is_known = |index: &usize| model.properties.iter().any(|p| p.index == *index);
            let is_early = |id: TaskId| id.0 < position;
            if task.id.0 != position
                || task.stage >= self.strategies.len()
                || !task.properties.iter().all(is_known)
                || !task.after.is_none_or(is_early)
            {
                return Err(format!("task {} does not fit the plan", task.id));
            }
        }
        Ok(())
    }
}
