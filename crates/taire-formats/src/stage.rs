//! The stage: a hidden folder beside the outputs that holds what is being written, and a note of how far the run is.
//!
//! One run holds it at a time. A run that is killed leaves it behind; the next one goes on from it or clears it.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Error;
use crate::atomic::new_file;

const LOCK: &str = "lock";
const NOTE: &str = "progress.json";

/// An open stage; clones share it.
#[derive(Clone, Debug)]
pub struct Stage {
    held: Arc<Held>,
}

#[derive(Debug)]
struct Held {
    folder: PathBuf,
    _lock: File,
}

impl Stage {
    /// Makes the folder, or takes over what a run that is gone left there.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let fail = |e: &std::io::Error| crate::error::output_error(folder, "make this folder", e);
        fs::create_dir_all(folder).map_err(|e| fail(&e))?;
        let lock = File::create(folder.join(LOCK)).map_err(|e| fail(&e))?;
        match lock.try_lock() {
            Ok(()) => Ok(Stage { held: Arc::new(Held { folder: folder.into(), _lock: lock }) }),
            Err(TryLockError::WouldBlock) => {
                Err(crate::error::usage_error(folder, "another run is writing here; wait until it ends"))
            }
            Err(TryLockError::Error(e)) => Err(fail(&e)),
        }
    }

    /// Where a file of this stage lies.
    pub fn path(&self, name: &str) -> PathBuf {
        self.held.folder.join(name)
    }

    /// How far the last run got, in its own words.
    pub fn note(&self) -> Result<Option<String>, Error> {
        let path = self.path(NOTE);
        match fs::read_to_string(&path) {
            Ok(note) => Ok(Some(note)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(crate::error::output_error(&path, "read", &e)),
        }
    }

    /// Replaces the note. It is on disk, whole, or the one before still is.
    pub fn set_note(&self, note: &str) -> Result<(), Error> {
        let (path, next) = (self.path(NOTE), self.path("progress.next"));
        let fail = |e: std::io::Error| crate::error::output_error(&path, "write", &e);
        let mut file = File::create(&next).map_err(fail)?;
        file.write_all(note.as_bytes()).and_then(|()| file.sync_data()).map_err(fail)?;
        fs::rename(&next, &path).map_err(fail)
    }

    /// Removes all that an earlier run left.
    pub fn clear(&self) -> Result<(), Error> {
        let fail = |e: std::io::Error| crate::error::output_error(&self.held.folder, "clear", &e);
        for entry in fs::read_dir(&self.held.folder).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            if path.is_dir() {
                fs::remove_dir_all(&path).map_err(fail)?;
            } else if path.file_name().is_some_and(|n| n != LOCK) {
                fs::remove_file(&path).map_err(fail)?;
            }
        }
        Ok(())
    }

    /// Ends the stage: nothing of it is left.
    pub fn remove(self) -> Result<(), Error> {
        fs::remove_dir_all(&self.held.folder)
            .map_err(|e| crate::error::output_error(&self.held.folder, "remove", &e))
    }

    /// A fresh file of this stage.
    pub(crate) fn file(&self, name: &str, private: bool) -> std::io::Result<(PathBuf, File)> {
        let path = self.path(name);
        match fs::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let file = new_file(&path, private)?;
        Ok((path, file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_at_a_time_and_notes_come_back() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("out/.taire-run");
        let stage = Stage::open(&folder).unwrap();
        assert!(Stage::open(&folder).unwrap_err().to_string().contains("another run"));
        assert_eq!(stage.note().unwrap(), None);
        stage.set_note("a").unwrap();
        stage.set_note("b").unwrap();
        stage.file("part", false).unwrap();
        drop(stage);
        let stage = Stage::open(&folder).unwrap();
        assert_eq!(stage.note().unwrap().as_deref(), Some("b"));
        stage.clear().unwrap();
        assert_eq!(stage.note().unwrap(), None);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        stage.remove().unwrap();
        assert!(!folder.exists() && folder.parent().unwrap().exists());
    }
}
