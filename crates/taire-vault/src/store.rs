//! The file: making it, opening it with its key, adding entries in batches, revealing one surrogate.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use taire_surrogate::SecretKey;

use crate::error::database_error;
use crate::seal::{Field, Sealer, VAULT_ID};
use crate::{AuditLine, Error, Sealed, audit};

/// The most originals one question may reveal: a vault is asked about one person, not emptied.
const MOST_RESULTS: usize = 100;
/// Entries in memory before they are written in one transaction.
const BATCH: usize = 4096;

/// What a surrogate stands for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revealed {
    pub label: String,
    pub original: String,
    /// The patient as the source names them.
    pub patient: Option<String>,
    /// The document, where no patient is known.
    pub document: Option<String>,
}

impl std::fmt::Debug for Revealed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Revealed({})", self.label)
    }
}

/// An open vault.
pub struct Vault {
    file: Connection,
    sealer: Sealer,
    pending: Vec<Sealed>,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<Vault>")
    }
}

impl Vault {
    /// Opens a vault to add to it, and makes it where there is none.
    pub fn open_or_create(path: &Path, key: &SecretKey) -> Result<Self, Error> {
        match create_private(path)? {
            true => Vault::create(path, key).inspect_err(|_| drop(std::fs::remove_file(path))),
            false => Vault::open(path, key),
        }
    }

    fn create(path: &Path, key: &SecretKey) -> Result<Self, Error> {
        let mut id = [0; VAULT_ID];
        getrandom::fill(&mut id).map_err(|_| Error::io("the system gives no random bytes; try again"))?;
        let sealer = Sealer::new(key, id)?;
        let mut file = connect(path)?;
        let fail = |e| database_error("make", &e);
        let make = file.transaction().map_err(fail)?;
        make.execute_batch(
            "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
             CREATE TABLE entries (lookup BLOB NOT NULL, id BLOB NOT NULL, nonce BLOB NOT NULL, sealed BLOB NOT NULL,
                                   PRIMARY KEY (lookup, id)) WITHOUT ROWID;
             CREATE TABLE audit (number INTEGER PRIMARY KEY, time TEXT NOT NULL, user TEXT NOT NULL,
                                 reason TEXT NOT NULL, about BLOB NOT NULL, results INTEGER NOT NULL,
                                 chain BLOB NOT NULL);",
        )
        .map_err(fail)?;
        let head = audit::head(&sealer, 0, &[]);
        let meta: [(&str, &[u8]); 4] =
            [("format", b"taire-vault-1"), ("id", &id), ("check", sealer.check()), ("audit", &head)];
        for (name, value) in meta {
            make.execute("INSERT INTO meta VALUES (?1, ?2)", (name, value)).map_err(fail)?;
        }
        make.commit().map_err(fail)?;
        Ok(Vault { file, sealer, pending: Vec::new() })
    }

    /// Opens a vault that exists.
    pub fn open(path: &Path, key: &SecretKey) -> Result<Self, Error> {
        check_private(path)?;
        let file = connect(path)?;
        let meta = |name: &str| -> Result<Vec<u8>, Error> {
            file.query_row("SELECT value FROM meta WHERE name = ?1", [name], |row| row.get(0)).map_err(|e| {
                match e {
                    rusqlite::Error::QueryReturnedNoRows => Error::usage("this file is not a whole vault"),
                    e if e.sqlite_error_code() == Some(rusqlite::ErrorCode::Unknown) => {
                        Error::usage("this file is not a vault")
                    }
                    e => database_error("open", &e),
                }
            })
        };
        if meta("format")? != b"taire-vault-1" {
            return Err(Error::usage("this vault was made by another version, which must open it"));
        }
        let id = meta("id")?.try_into().map_err(|_| Error::usage("this file is not a whole vault"))?;
        let sealer = Sealer::new(key, id)?;
        if meta("check")? != sealer.check() {
            return Err(Error::usage(
                "this key does not open this vault; give the vault key it was made with",
            ));
        }
        Ok(Vault { file, sealer, pending: Vec::new() })
    }

    /// What threads seal with.
    pub fn sealer(&self) -> &Sealer {
        &self.sealer
    }

    /// Adds entries; they are on disk after [`Vault::commit`]. What is already there stays as it is.
    pub fn add(&mut self, entries: impl IntoIterator<Item = Sealed>) -> Result<(), Error> {
        self.pending.extend(entries);
        if self.pending.len() >= BATCH { self.commit() } else { Ok(()) }
    }

    /// Writes what was added.
    pub fn commit(&mut self) -> Result<(), Error> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.pending.sort_unstable_by_key(|entry| (entry.lookup, entry.id));
        let fail = |e| database_error("write to", &e);
        let batch = self.file.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
        {
            let mut insert =
                batch.prepare("INSERT OR IGNORE INTO entries VALUES (?1, ?2, ?3, ?4)").map_err(fail)?;
            for entry in &self.pending {
                insert.execute((&entry.lookup, &entry.id, &entry.nonce, &entry.bytes)).map_err(fail)?;
            }
        }
        batch.commit().map_err(fail)?;
        self.pending.clear();
        Ok(())
    }

    pub fn len(&self) -> Result<usize, Error> {
        self.file
            .query_row("SELECT count(*) FROM entries", [], |row| row.get::<_, i64>(0))
            .map(|n| usize::try_from(n).unwrap_or(0))
            .map_err(|e| database_error("read", &e))
    }

    pub fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.len()? == 0)
    }

    /// The originals of one surrogate, sorted; `patient` (in its source's or its surrogate form) narrows them. The
    /// question is on record before anything is given back, also when nothing is found.
    pub fn reveal(
        &mut self,
        surrogate: &str,
        patient: Option<&str>,
        reason: &str,
    ) -> Result<Vec<Revealed>, Error> {
        self.commit()?;
        let reason = reason.trim();
        if reason.chars().count() < 3 {
            return Err(Error::usage("a reason is needed, in a few words: it goes on record"));
        }
        let results = self.find(surrogate, patient)?;
        let about = self.sealer.lookup(surrogate);
        audit::append(&mut self.file, &self.sealer, reason, &about, results.len())?;
        Ok(results)
    }

    fn find(&self, surrogate: &str, patient: Option<&str>) -> Result<Vec<Revealed>, Error> {
        let fail = |e| database_error("read", &e);
        let lookup = self.sealer.lookup(surrogate);
        let mut find =
            self.file.prepare("SELECT id, nonce, sealed FROM entries WHERE lookup = ?1").map_err(fail)?;
        let mut rows = find.query([&lookup]).map_err(fail)?;
        let mut found = BTreeSet::new();
        while let Some(row) = rows.next().map_err(fail)? {
            let blob = |i: usize| row.get_ref(i).and_then(|v| Ok(v.as_blob()?)).map_err(fail);
            let entry = self.sealer.open(blob(0)?, &lookup, blob(1)?, blob(2)?)?;
            let field = |field| Some(entry.field(field).to_owned()).filter(|v| !v.is_empty());
            let theirs = [entry.field(Field::Patient), entry.field(Field::PatientSurrogate)];
            if patient.is_some_and(|p| !theirs.contains(&p)) {
                continue;
            }
            found.insert(Revealed {
                label: entry.field(Field::Label).to_owned(),
                original: entry.field(Field::Original).to_owned(),
                patient: field(Field::Patient),
                document: field(Field::Document),
            });
            if found.len() > MOST_RESULTS {
                return Err(Error::usage(format!(
                    "this surrogate stands for more than {MOST_RESULTS} originals; say whose with --patient"
                )));
            }
        }
        Ok(found.into_iter().collect())
    }

    /// The questions on record, checked: an error if a line was removed, changed or added by hand.
    pub fn audit(&self) -> Result<Vec<AuditLine>, Error> {
        audit::read(&self.file, &self.sealer)
    }
}

fn connect(path: &Path) -> Result<Connection, Error> {
    let fail = |e| database_error("open", &e);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let file = Connection::open_with_flags(path, flags).map_err(fail)?;
    file.busy_timeout(Duration::from_secs(60)).map_err(fail)?;
    file.execute_batch("PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;").map_err(fail)?;
    Ok(file)
}

/// Makes an empty file only its owner reads. `false` where one exists.
fn create_private(path: &Path) -> Result<bool, Error> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    match options.open(path) {
        Ok(_) => Ok(true),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(Error::io(format!("cannot make vault {}: {}", path.display(), e.kind()))),
    }
}

fn check_private(path: &Path) -> Result<(), Error> {
    let shown = path.display();
    let fail = |e: std::io::Error| Error::usage(format!("cannot open vault {shown}: {}", e.kind()));
    let about = File::open(path).and_then(|f| f.metadata()).map_err(fail)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = about.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(Error::usage(format!(
                "vault {shown} has mode {:03o}; others may read it: run `chmod 600 {shown}`",
                mode & 0o777
            )));
        }
    }
    if about.len() == 0 {
        return Err(Error::usage(format!("vault {shown} is empty: its making was cut short; remove it")));
    }
    Ok(())
}
