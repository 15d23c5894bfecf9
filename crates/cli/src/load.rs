//! Reading models and evidence from files or standard input.

use std::io::Read;

use anyhow::{Context, Result, bail};
use elinvar_formats::Diagnostic;
use elinvar_formats::model::{Model, read_model};

use crate::failure::FileFault;

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

    pub fn model(&self) -> Result<Model> {
        self.located(read_model(&self.bytes, Some(&self.name)))
    }
}

/// Reads a model from a file or from standard input.
pub fn load_model(path: &str) -> Result<Model> {
    SourceFile::read(path)?.model()
}
