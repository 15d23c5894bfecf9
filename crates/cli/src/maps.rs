//! Maps of names that Yosys writes beside a model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use elinvar::{Source, SystemProblem, maps_beside};

use crate::output;

/// Where names come from that the model does not have.
#[derive(clap::Args, Clone, Default)]
pub struct MapOptions {
    /// Take names from this map, which Yosys wrote with `write_aiger -map`, `-vmap` or
    /// `-ywmap`, or `write_btor -ywmap`; may be repeated
    ///
    /// By default the files beside the model that have its name and end in .ywa or .aim
    /// (AIGER), or in .ywb (BTOR2), are used.
    #[arg(long, value_name = "FILE", hide_short_help = true, display_order = 800)]
    map: Vec<PathBuf>,
}

impl MapOptions {
    /// The model with names from the given maps, or else from those beside it. A map beside
    /// the model that does not fit is ignored with a warning.
    pub fn apply(&self, problem: SystemProblem, model: &str) -> Result<SystemProblem> {
        if !self.map.is_empty() {
            let add = |problem: SystemProblem, path: &PathBuf| {
                Ok(problem.with_map(&Source::read(path)?)?)
            };
            return self.map.iter().try_fold(problem, add);
        }
        // Maps beside the sources of a design belong to other models.
        if problem.elaboration().is_some() {
            return Ok(problem);
        }
        let maps = maps_beside(Path::new(model), problem.model().format());
        Ok(maps.into_iter().fold(problem, |problem, file| {
            problem.with_map(&file).unwrap_or_else(|error| {
                output::tell(&format!("warning: {}", output::harmless(&error.to_string())));
                problem
            })
        }))
    }

    /// The given maps, or else those beside the model.
    pub fn files(&self, source: &Source) -> Result<Vec<Arc<Source>>> {
        if !self.map.is_empty() {
            let read = |path: &PathBuf| Ok(Arc::new(Source::read(path)?));
            return self.map.iter().map(read).collect();
        }
        let format = elinvar::formats::model::detect(source.bytes(), Some(source.name()));
        let maps = format.map(|format| maps_beside(Path::new(source.name()), format));
        Ok(maps.into_iter().flatten().map(Arc::new).collect())
    }

    /// The options as words of a command line.
    pub fn words(&self) -> Vec<String> {
        self.map.iter().map(|path| format!("--map={}", path.to_string_lossy())).collect()
    }

    /// The maps that were given, which are inputs of the command.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.map.iter().map(PathBuf::as_path)
    }
}
