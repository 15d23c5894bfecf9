//! The right to use the memory of a machine alone, for tasks that need much of it.
//!
//! A worker takes turn N of its machine by creating `claims/alone-HOST.N`, and ends it by
//! creating the same name with `.end`. The turn is over, too, if the process is gone. All workers
//! in question run on the same machine, so that is known for certain.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::claims::Owner;
use crate::error::Error;

/// The turns of this machine, as one worker sees them.
pub(crate) struct Alone {
    folder: PathBuf,
    owner: Owner,
    /// The turn that this worker has.
    held: Option<u64>,
}

impl Alone {
    pub fn open(campaign: &Path, owner: Owner) -> Self {
        Alone { folder: campaign.join("claims"), owner, held: None }
    }

    /// Has another worker of this machine its turn?
    pub fn is_held_by_another(&self) -> bool {
        self.held.is_none() && self.last().is_some_and(|turn| !self.is_over(turn))
    }

    /// Takes the next turn. False if another worker has one.
    pub fn acquire(&mut self) -> Result<bool, Error> {
        if self.held.is_some() {
            return Ok(true);
        }
        let next = match self.last() {
            Some(turn) if !self.is_over(turn) => return Ok(false),
            Some(turn) => turn + 1,
            None => 1,
        };
        let path = self.path(next);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                let text = serde_json::to_string(&self.owner).expect("an owner has a JSON form");
                // Without its contents, the turn would be over for the others.
                let written = file.write_all(text.as_bytes());
                written.map_err(|cause| {
                    let context = format!("cannot write {}", crate::files::shown(&path));
                    Error::File { context, cause }
                })?;
                self.held = Some(next);
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(cause) => {
                let context = format!("cannot create {}", crate::files::shown(&path));
                Err(Error::File { context, cause })
            }
        }
    }

    /// Ends the turn of this worker.
    pub fn release(&mut self) {
        if let Some(turn) = self.held.take() {
            // If that fails, the turn ends with the process.
            let _: std::io::Result<()> = std::fs::write(self.end(turn), "");
        }
    }

    /// The last turn that was taken. Turns are rare, so they are counted from the first.
    fn last(&self) -> Option<u64> {
        (1..).take_while(|&turn| self.path(turn).exists()).last()
    }

    fn is_over(&self, turn: u64) -> bool {
        let text = std::fs::read_to_string(self.path(turn)).unwrap_or_default();
        // A file that is not yet written belongs to a worker that has just taken its turn.
        let owner = serde_json::from_str::<Owner>(&text).ok();
        self.end(turn).exists() || owner.is_some_and(|owner| owner.is_gone())
    }

    fn path(&self, turn: u64) -> PathBuf {
        self.folder.join(format!("alone-{}.{turn}", self.owner.host))
    }

    fn end(&self, turn: u64) -> PathBuf {
        self.folder.join(format!("alone-{}.{turn}.end", self.owner.host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_worker_has_its_turn_and_a_dead_one_has_none() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("claims")).unwrap();
        let turn = |name: &str| Alone::open(folder.path(), Owner::this(name));
        let (mut a, mut b) = (turn("a"), turn("b"));
        assert!(!b.is_held_by_another());
        assert!(a.acquire().unwrap() && a.acquire().unwrap() && !a.is_held_by_another());
        assert!(b.is_held_by_another() && !b.acquire().unwrap());
        a.release();
        assert!(!b.is_held_by_another() && b.acquire().unwrap() && a.is_held_by_another());
        b.release();
        let mut dead = Alone::open(folder.path(), Owner { started: 1, ..Owner::this("dead") });
        assert!(dead.acquire().unwrap());
        assert!(!a.is_held_by_another() && a.acquire().unwrap());
    }
}
