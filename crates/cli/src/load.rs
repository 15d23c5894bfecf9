//! Reading models and evidence from files or standard input.

use std::io::Read;
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result, bail};
use elinvar_formats::model::{Model, is_program, read_model, read_verbatim};
use elinvar_formats::{Diagnostic, boogie};
use elinvar_ir::{SystemBuilder, TransitionSystem};
use elinvar_transform::lower_with;

use crate::failure::FileFault;
use crate::family::model_of;
use crate::merged;

/// A file in memory, with the name to call it by in messages.
pub struct SourceFile {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl SourceFile {
    /// Reads a file; `-` is standard input.
    pub fn read(path: &str) -> Result<Self> {
        if path == "-" {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
            return Ok(SourceFile { name: "<stdin>".to_owned(), bytes });
        }
        if std::path::Path::new(path).is_dir() {
            bail!("cannot read {path}: it is a directory, not a file");
        }
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {path}"))?;
        Ok(SourceFile { name: path.to_owned(), bytes })
    }

    /// Attaches the place in this file to a diagnostic.
    pub fn located<T>(&self, result: Result<T, Diagnostic>) -> Result<T> {
        result.map_err(|error| FileFault::new(&self.name, &self.bytes, &error).into())
    }

    /// The model; a program becomes one if its variables are words.
    pub fn model(&self) -> Result<Model> {
        self.model_in(None)
    }

    /// The model, with the dialect of a program.
    pub fn model_in(&self, dialect: Option<boogie::Dialect>) -> Result<Model> {
        if self.is_program() {
            return self.lowered(dialect, SystemBuilder::new());
        }
        if dialect.is_some() {
            bail!("--dialect is about programs, and {} is a model", self.name);
        }
        self.located(read_model(&self.bytes, Some(&self.name)))
    }

    /// The same model without any rewriting of its expressions, for the checker.
    pub fn verbatim_model(&self, dialect: Option<boogie::Dialect>) -> Result<Model> {
        if self.is_program() {
            return self.lowered(dialect, SystemBuilder::verbatim());
        }
        self.located(read_verbatim(&self.bytes, Some(&self.name)))
    }

    fn lowered(&self, dialect: Option<boogie::Dialect>, builder: SystemBuilder) -> Result<Model> {
        let lowered = lower_with(&self.program(dialect)?.program, builder)
            .with_context(|| self.name.clone())?;
        Ok(model_of(lowered.system))
    }

    /// Is it a program in Boogie?
    pub fn is_program(&self) -> bool {
        is_program(&self.bytes, &self.name)
    }

    /// The program, in this dialect or in the one that its text names.
    pub fn program(&self, dialect: Option<boogie::Dialect>) -> Result<boogie::Reading> {
        self.located(boogie::read_in(&self.bytes, dialect))
    }
}

/// The system that evidence is checked against: the model as it was written, read
/// again without rewriting when there is evidence to check. A wrong rewrite then leads
/// to refused evidence instead of a wrong verdict.
pub struct Original {
    source: Source,
    system: OnceLock<Result<TransitionSystem, String>>,
}

enum Source {
    File(Arc<SourceFile>, Option<boogie::Dialect>),
    /// The model of a file with all its safety properties as one.
    Merged(Arc<SourceFile>),
    /// Elinvar built the model itself, so there is no other reading of it.
    Built(Arc<Model>),
}

impl Original {
    /// The model of a file, with the dialect of a program.
    pub fn of_file(file: &Arc<SourceFile>, dialect: Option<boogie::Dialect>) -> Self {
        Original { source: Source::File(Arc::clone(file), dialect), system: OnceLock::new() }
    }

    /// The model of a file with all its safety properties as one.
    pub fn merged(file: &Arc<SourceFile>) -> Self {
        Original { source: Source::Merged(Arc::clone(file)), system: OnceLock::new() }
    }

    /// A model that was not read from a file.
    pub fn built(model: &Arc<Model>) -> Self {
        Original { source: Source::Built(Arc::clone(model)), system: OnceLock::new() }
    }

    /// The system, or why the model cannot be read without rewriting.
    pub fn system(&self) -> Result<&TransitionSystem, &str> {
        match &self.source {
            Source::Built(model) => Ok(model.system()),
            Source::File(file, dialect) => self.read(file, *dialect, |system| system),
            Source::Merged(file) => self.read(file, None, merged::system),
        }
    }

    fn read(
        &self,
        file: &SourceFile,
        dialect: Option<boogie::Dialect>,
        change: impl FnOnce(TransitionSystem) -> TransitionSystem,
    ) -> Result<&TransitionSystem, &str> {
        let read = || match file.verbatim_model(dialect) {
            Ok(model) => Ok(change(model.into_system())),
            Err(error) => Err(format!("{error:#}")),
        };
        self.system.get_or_init(read).as_ref().map_err(String::as_str)
    }
}

/// Reads a model from a file or from standard input.
pub fn load_model(path: &str) -> Result<Model> {
    SourceFile::read(path)?.model()
}
