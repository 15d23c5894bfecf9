//! Maps of names that Yosys writes beside a model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use elinvar::formats::Format;
use elinvar::{Source, SystemProblem};

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
        let endings = endings(problem.model().format());
        Ok(beside(model, endings).into_iter().fold(problem, |problem, file| {
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
        let endings = format.map_or(&[][..], endings);
        Ok(beside(source.name(), endings).into_iter().map(Arc::new).collect())
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

/// The endings of maps, the best ones first: some paths are only in those for witnesses.
fn endings(format: Format) -> &'static [&'static str] {
    match format {
        Format::Aiger => &["ywa", "aim"],
        Format::Btor2 => &["ywb"],
        Format::Btor | Format::Basm | Format::Boogie | Format::SmtLib | Format::Dot => &[],
    }
}

/// The files with the name of the model and other endings.
fn beside(model: &str, endings: &[&str]) -> Vec<Source> {
    let paths = endings.iter().map(|ending| Path::new(model).with_extension(ending));
    paths.filter(|path| path.is_file()).filter_map(|path| Source::read(path).ok()).collect()
}
