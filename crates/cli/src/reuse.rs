//! `--reuse` and `--save`: lemmas that are kept from run to run; `--store`: a store of proofs.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use elinvar::Store;
use elinvar::files::shown;
use elinvar::ir::PdrState;

use crate::output;

/// The files of an earlier run and for later ones.
#[derive(clap::Args, Default)]
pub struct ReuseOptions {
    /// Begin with the lemmas of an earlier run, on this or on another version of the model
    ///
    /// With --engine auto, pdr or avy. FILE was written by --save. The lemmas are proved again;
    /// the report says how many still hold. The file need not exist yet if it is also the
    /// file of --save.
    #[arg(long, value_name = "FILE", help_heading = "Reuse", hide_short_help = true)]
    reuse: Option<PathBuf>,

    /// Save the lemmas for later runs
    ///
    /// With --engine auto, pdr or avy. The file is also written when the run is interrupted, and
    /// every ten seconds. When a property fails that the file of --reuse proves, that proof
    /// is kept, for the version that repairs the property.
    #[arg(long, value_name = "FILE", help_heading = "Reuse", hide_short_help = true)]
    save: Option<PathBuf>,

    /// Look properties up in a store of proofs, and add what is found out to it
    ///
    /// DIR is made if it does not exist. A property is recognised by the logic that it depends
    /// on, whatever names it has: if the store has evidence for it, the evidence is checked, and
    /// no engine is asked. Otherwise engines start from the lemmas of earlier versions. Several
    /// runs may use a store at the same time. See also `elinvar store --help`.
    #[arg(long, value_name = "DIR", help_heading = "Reuse", hide_short_help = true)]
    store: Option<PathBuf>,
}

impl ReuseOptions {
    /// Is any of them given?
    pub fn is_used(&self) -> bool {
        self.reuse.is_some() || self.save.is_some()
    }

    /// Opens the store.
    pub fn store(&self) -> Result<Option<Arc<Store>>> {
        Ok(self.store.as_ref().map(Store::open).transpose()?.map(Arc::new))
    }

    /// Is --store given?
    pub fn has_store(&self) -> bool {
        self.store.is_some()
    }

    /// The files of --reuse and --save.
    pub fn paths(&self) -> (Option<&PathBuf>, Option<&PathBuf>) {
        (self.reuse.as_ref(), self.save.as_ref())
    }

    /// Reads the file of the earlier run; the other one is returned.
    pub fn open(&self) -> Result<(Option<Arc<PdrState>>, Option<PathBuf>)> {
        if let Some(path) = &self.save {
            if output::is_stdout(path) {
                bail!("--save needs a file, since it is written several times");
            }
            output::expect_writable(path)?;
        }
        let earlier = match &self.reuse {
            Some(path) if !path.exists() && self.save.as_ref() == Some(path) => {
                output::tell(&format!("note: {} does not exist yet", shown(path)));
                None
            }
            Some(path) => Some(Arc::new(elinvar::read_saved(path)?)),
            None => None,
        };
        Ok((earlier, self.save.clone()))
    }
}
