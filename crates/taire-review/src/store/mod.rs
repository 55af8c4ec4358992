//! The state of a review, one SQLite file: documents with what was found in them, each reviewer's marks, every change.
//!
//! It holds the documents' text, so it is its owner's alone (mode 0600). A call is answered after its change is on disk
//! (`synchronous = FULL`), so nothing that was acknowledged is lost by a crash. Marks carry a version; a change names the
//! version it was made on, and is refused when that is no longer the last: two browsers, or two programs over one file,
//! never overwrite each other.

mod annotations;
mod documents;
mod listing;
mod merge;

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params};
use taire::batch::stable_hash;

pub(crate) use annotations::{Reach, Reviewed, Settlement, Version};
pub(crate) use documents::{Doc, Incoming, Outcome, Taken};
pub(crate) use listing::{Filter, Sort};
pub use merge::Merged;

use crate::Error;
use crate::problem::Problem;

const FORMAT: &str = "taire-review-1";

const SCHEMA: &str = "
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- 0 is the settlement of what two reviewers saw differently.
CREATE TABLE reviewer (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE document (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, patient TEXT, date TEXT, language TEXT, text TEXT NOT NULL,
    known TEXT, given TEXT NOT NULL, print INTEGER NOT NULL,
    -- 0 until something was found; `found_by` tells policy and program.
    revision INTEGER NOT NULL DEFAULT 0, found_by INTEGER, findings TEXT, doubt REAL, spans INTEGER, failed TEXT,
    read_as TEXT);
CREATE INDEX document_patient ON document (patient);
CREATE TABLE mark (document INTEGER NOT NULL, label TEXT NOT NULL, sources TEXT NOT NULL, score REAL NOT NULL);
CREATE INDEX mark_document ON mark (document);
CREATE INDEX mark_label ON mark (label, score);
CREATE TABLE refused (name TEXT NOT NULL, why TEXT NOT NULL);
CREATE TABLE annotation (
    document INTEGER NOT NULL, reviewer INTEGER NOT NULL, version INTEGER NOT NULL, accepted INTEGER NOT NULL,
    marks TEXT NOT NULL, time TEXT NOT NULL,
    -- Of a settlement: whose versions it settled.
    settles TEXT, PRIMARY KEY (document, reviewer)) WITHOUT ROWID;
-- One row a document; rows of one correction share their batch.
CREATE TABLE change (
    id INTEGER PRIMARY KEY, batch INTEGER NOT NULL, document INTEGER NOT NULL, reviewer INTEGER NOT NULL,
    before TEXT NOT NULL, after TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0, time TEXT NOT NULL);
CREATE INDEX change_document ON change (document, reviewer, undone, id);
CREATE INDEX change_batch ON change (batch);
CREATE TABLE word (word TEXT PRIMARY KEY, judgement TEXT NOT NULL, reviewer INTEGER NOT NULL, time TEXT NOT NULL)
    WITHOUT ROWID;
";

/// What later versions keep beside it; made in older states too.
const ADDED: &str = "
-- Reviewers who see neither scores nor what others marked.
CREATE TABLE IF NOT EXISTS blind (reviewer INTEGER PRIMARY KEY);
";

/// An open state. Calls take turns.
pub(crate) struct Store {
    file: Mutex<Connection>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<Store>")
    }
}

impl Store {
    /// Opens the state of a review, and makes it where there is none.
    pub(crate) fn open(path: &Path) -> Result<Store, Error> {
        make_private(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut file = Connection::open_with_flags(path, flags)?;
        file.busy_timeout(Duration::from_secs(30))?;
        file.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
             PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768;",
        )?;
        let begin = file.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let made: bool =
            begin.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_master)", [], |row| row.get(0))?;
        if !made {
            begin.execute_batch(SCHEMA)?;
            begin.execute("INSERT INTO meta VALUES ('format', ?1)", [FORMAT])?;
            begin.execute("INSERT INTO reviewer VALUES (0, '')", [])?;
        }
        let named = "SELECT value FROM meta WHERE name = 'format'";
        let format = begin.query_row(named, [], |row| row.get::<_, String>(0)).optional().ok().flatten();
        if format.as_deref() != Some(FORMAT) {
            return Err(Error::new(format!(
                "{} is no state of a review, or one of another version; give --state another file",
                path.display()
            )));
        }
        begin.execute_batch(ADDED)?;
        begin.commit()?;
        add_draw_order(&file)?;
        Ok(Store { file: Mutex::new(file) })
    }

    pub(crate) fn read(&self) -> MutexGuard<'_, Connection> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All or nothing; on disk when it returns.
    pub(crate) fn write<T, E: From<rusqlite::Error>>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut file = self.read();
        let all = file.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&all)?;
        all.commit()?;
        Ok(done)
    }

    /// The number of a reviewer, made where there is none.
    pub(crate) fn reviewer(&self, name: &str) -> Result<i64, Error> {
        let known = "SELECT id FROM reviewer WHERE name = ?1";
        if let Some(id) = self.read().query_row(known, [name], |row| row.get(0)).optional()? {
            return Ok(id);
        }
        self.write(|all| {
            all.execute("INSERT OR IGNORE INTO reviewer (name) VALUES (?1)", [name])?;
            Ok(all.query_row(known, [name], |row| row.get(0))?)
        })
    }

    /// Whether a reviewer reads blind.
    pub(crate) fn is_blind(&self, reviewer: i64) -> Result<bool, Error> {
        let ask = "SELECT EXISTS (SELECT 1 FROM blind WHERE reviewer = ?1)";
        Ok(self.read().query_row(ask, [reviewer], |row| row.get(0))?)
    }

    /// A reviewer reads blind from now on, for good. Somebody who began with open eyes cannot.
    pub(crate) fn make_blind(&self, reviewer: i64) -> Result<(), Problem> {
        self.write(|all| {
            let begun: bool = all.query_row(
                "SELECT EXISTS (SELECT 1 FROM annotation WHERE reviewer = ?1)
                 AND NOT EXISTS (SELECT 1 FROM blind WHERE reviewer = ?1)",
                [reviewer],
                |row| row.get(0),
            )?;
            if begun {
                return Err(Problem::cannot(
                    "begun",
                    "this reviewer has marked documents with the scores in sight; a blind reading needs another name",
                ));
            }
            all.execute("INSERT OR IGNORE INTO blind VALUES (?1)", params![reviewer])?;
            Ok(())
        })
    }

    /// Everybody who has a name here, in order of coming.
    pub(crate) fn reviewers(&self) -> Result<Vec<(i64, String)>, Error> {
        let file = self.read();
        let mut ask = file.prepare("SELECT id, name FROM reviewer WHERE id > 0 ORDER BY id")?;
        let rows = ask.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// `draw_order(seed, name)`: sorting by it is a random order, the same for the same seed and names.
fn add_draw_order(file: &Connection) -> Result<(), Error> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    file.create_scalar_function("draw_order", 2, flags, |call| {
        let (seed, name): (i64, String) = (call.get(0)?, call.get(1)?);
        Ok(stable_hash([&seed.to_le_bytes()[..], name.as_bytes()].into_iter()) as i64)
    })?;
    Ok(())
}

/// The time of a change, for people who read the file.
pub(crate) fn now() -> String {
    jiff::Timestamp::now().round(jiff::Unit::Second).map(|t| t.to_string()).unwrap_or_default()
}

/// Makes the file if it is missing, its owner's alone, and refuses one that others may read. SQLite gives the files it
/// makes beside it the same mode.
fn make_private(path: &Path) -> Result<(), Error> {
    let shown = path.display();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    match options.open(path) {
        Ok(_) => return Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(e) => {
            return Err(Error::new(format!("cannot make {shown} for the state of the review: {}", e.kind())));
        }
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map(|m| m.permissions().mode()).unwrap_or(0);
        if mode & 0o077 != 0 {
            return Err(Error::new(format!(
                "{shown} has mode {:03o}; it holds documents and others may read it: run `chmod 600 {shown}`",
                mode & 0o777
            )));
        }
    }
    Ok(())
}
