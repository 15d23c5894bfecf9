//! Reading models and evidence from files or standard input.

use std::io::Read;

use anyhow::{Context, Result, bail};
use elinvar_formats::model::{Model, is_program, read_model};
use elinvar_formats::{Diagnostic, boogie, lowering};

use crate::failure::FileFault;
use crate::family::model_of;

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
            let system = lowering::lower(&self.program(dialect)?.program);
            let system = system
                .with_context(|| format!("{} has no transition system over words", self.name))?;
            return Ok(model_of(system));
        }
        if dialect.is_some() {
            bail!("--dialect is about programs, and {} is a model", self.name);
        }
        self.located(read_model(&self.bytes, Some(&self.name)))
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

/// Reads a model from a file or from standard input.
pub fn load_model(path: &str) -> Result<Model> {
    SourceFile::read(path)?.model()
}
