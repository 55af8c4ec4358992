//! Two reviews of the same documents in one file.
//!
//! Documents are paired by name and must have the same text. Everybody keeps their marks, their history and their words.
//! Where one name marked a document differently in each file, the second file's marks go to `NAME (2)`: two people may
//! have the same name, and the page then compares them like any two reviewers.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::Serialize;

use super::annotations::Version;
use super::{Store, make_private};
use crate::Error;
use crate::mark::{Mark, alike};

/// What came together.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Merged {
    /// Documents of the new state, and those that only the second had.
    pub documents: usize,
    pub added: usize,
    /// Names of reviewers whose marks of the second file are kept apart from those of the first.
    pub split: Vec<String>,
    /// Words that were judged differently: the refusal holds.
    pub words_refused: usize,
}

impl Store {
    /// Makes a third state of two. The first two stay as they are.
    pub(crate) fn merge(first: &Path, second: &Path, into: &Path) -> Result<Merged, Error> {
        if into.exists() {
            return Err(Error::new(format!("{} exists; give a new file with -o", into.display())));
        }
        let (first, second) = (Store::open(first)?, Store::open(second)?);
        make_private(into)?;
        let made = || -> Result<Merged, Error> {
            let name = into.to_str().ok_or_else(|| Error::new("the new file needs a name in UTF-8"))?;
            first.read().execute("VACUUM INTO ?1", [name])?;
            let merged = Store::open(into)?;
            let second = second.read();
            merged.write(|all| Merge::new(all, &second)?.run())
        }();
        if made.is_err() {
            for end in ["", "-wal", "-shm"] {
                let mut own = into.as_os_str().to_owned();
                own.push(end);
                let _ = std::fs::remove_file(own);
            }
        }
        made
    }
}

/// One reviewer's row of a document.
struct Annotation {
    version: Version,
    accepted: bool,
    marks: String,
    time: String,
    settles: Option<String>,
}

impl Annotation {
    fn same(&self, other: &Annotation) -> Result<bool, Error> {
        let read = |marks: &str| serde_json::from_str::<Vec<Mark>>(marks);
        Ok(self.accepted == other.accepted && alike(&read(&self.marks)?, &read(&other.marks)?))
    }
}

struct Merge<'a> {
    all: &'a Transaction<'a>,
    from: &'a Connection,
    /// Numbers of the second file's documents and reviewers in the new one.
    documents: HashMap<i64, i64>,
    reviewers: BTreeMap<i64, i64>,
    merged: Merged,
}

impl<'a> Merge<'a> {
    fn new(all: &'a Transaction<'a>, from: &'a Connection) -> Result<Merge<'a>, Error> {
        let merged = Merged::default();
        Ok(Merge { all, from, documents: HashMap::new(), reviewers: BTreeMap::new(), merged })
    }

    fn run(mut self) -> Result<Merged, Error> {
        self.add_documents()?;
        self.add_reviewers()?;
        self.add_annotations()?;
        self.add_words()?;
        self.add_refused()?;
        let count: i64 = self.all.query_row("SELECT COUNT(*) FROM document", [], |row| row.get(0))?;
        self.merged.documents = count as usize;
        Ok(self.merged)
    }

    fn add_documents(&mut self) -> Result<(), Error> {
        const COLUMNS: &str = "name, patient, date, language, text, known, given, print, revision, found_by, findings, \
                               doubt, spans, failed, read_as";
        let mut rows = self.from.prepare(&format!("SELECT id, {COLUMNS} FROM document ORDER BY id"))?;
        let mut rows = rows.query([])?;
        let mut here = self.all.prepare("SELECT id, print FROM document WHERE name = ?1")?;
        let places = (1..=15).map(|n| format!("?{n}")).collect::<Vec<_>>().join(", ");
        let mut add = self.all.prepare(&format!("INSERT INTO document ({COLUMNS}) VALUES ({places})"))?;
        let mut differ = 0;
        while let Some(row) = rows.next()? {
            let (id, name, print): (i64, String, i64) = (row.get(0)?, row.get(1)?, row.get(8)?);
            let known: Option<(i64, i64)> =
                here.query_row([&name], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            let new = match known {
                Some((new, same)) if same == print => new,
                Some(_) => {
                    differ += 1;
                    continue;
                }
                None => {
                    let values: Vec<rusqlite::types::Value> =
                        (1..=15).map(|n| row.get(n)).collect::<Result<_, _>>()?;
                    add.execute(rusqlite::params_from_iter(values))?;
                    self.merged.added += 1;
                    let new = self.all.last_insert_rowid();
                    self.copy_marks(id, new)?;
                    new
                }
            };
            self.documents.insert(id, new);
        }
        match differ {
            0 => Ok(()),
            n => Err(Error::new(format!(
                "{n} documents have another text, patient or date in each of the two reviews; nothing was merged: \
                 review one corpus"
            ))),
        }
    }

    /// What the list of documents filters by.
    fn copy_marks(&self, from: i64, to: i64) -> Result<(), Error> {
        let mut rows = self.from.prepare("SELECT label, sources, score FROM mark WHERE document = ?1")?;
        let mut rows = rows.query([from])?;
        while let Some(row) = rows.next()? {
            let (label, sources, score): (String, String, f64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            self.all
                .execute("INSERT INTO mark VALUES (?1, ?2, ?3, ?4)", params![to, label, sources, score])?;
        }
        Ok(())
    }

    fn reviewer(&self, name: &str) -> Result<i64, Error> {
        self.all.execute("INSERT OR IGNORE INTO reviewer (name) VALUES (?1)", [name])?;
        Ok(self.all.query_row("SELECT id FROM reviewer WHERE name = ?1", [name], |row| row.get(0))?)
    }

    fn add_reviewers(&mut self) -> Result<(), Error> {
        let mut rows = self.from.prepare("SELECT id, name FROM reviewer WHERE id > 0 ORDER BY id")?;
        let names: Vec<(i64, String)> =
            rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        self.reviewers.insert(0, 0);
        for (id, name) in names {
            let mut new = self.reviewer(&name)?;
            if self.differs(id, new)? {
                let apart = (2..).map(|n| format!("{name} ({n})")).find(|name| self.is_free(name));
                new = self.reviewer(&apart.unwrap_or_default())?;
                self.merged.split.push(name);
            }
            self.reviewers.insert(id, new);
            let blind = "SELECT EXISTS (SELECT 1 FROM blind WHERE reviewer = ?1)";
            if self.from.query_row(blind, [id], |row| row.get::<_, bool>(0))? {
                self.all.execute("INSERT OR IGNORE INTO blind VALUES (?1)", [new])?;
            }
        }
        Ok(())
    }

    fn is_free(&self, name: &str) -> bool {
        let taken = "SELECT EXISTS (SELECT 1 FROM reviewer WHERE name = ?1)";
        self.all.query_row(taken, [name], |row| row.get::<_, bool>(0)).is_ok_and(|taken| !taken)
    }

    /// Whether a reviewer of the second file marked a document otherwise in the first.
    fn differs(&self, theirs: i64, ours: i64) -> Result<bool, Error> {
        for (from, to) in &self.documents {
            let pair = (annotation(self.from, *from, theirs)?, annotation(self.all, *to, ours)?);
            if let (Some(theirs), Some(ours)) = pair
                && !theirs.same(&ours)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn add_annotations(&mut self) -> Result<(), Error> {
        let batches: i64 =
            self.all.query_row("SELECT COALESCE(MAX(batch), 0) FROM change", [], |row| row.get(0))?;
        for (from, to) in &self.documents {
            for (theirs, ours) in &self.reviewers {
                let Some(annotation) = annotation(self.from, *from, *theirs)? else { continue };
                if self::annotation(self.all, *to, *ours)?.is_some() {
                    continue;
                }
                let Annotation { version, accepted, marks, time, settles } = annotation;
                let settles = settles.and_then(|settles| self.renumber(&settles));
                self.all.execute(
                    "INSERT INTO annotation (document, reviewer, version, accepted, marks, time, settles)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    params![to, ours, version, accepted, marks, time, settles],
                )?;
                self.copy_changes((*from, *theirs), (*to, *ours), batches)?;
            }
        }
        Ok(())
    }

    /// Whose versions a settlement settled, by the new numbers.
    fn renumber(&self, settles: &str) -> Option<String> {
        let settles: BTreeMap<i64, Version> = serde_json::from_str(settles).ok()?;
        let new = settles.iter().map(|(reviewer, version)| Some((*self.reviewers.get(reviewer)?, *version)));
        serde_json::to_string(&new.collect::<Option<BTreeMap<_, _>>>()?).ok()
    }

    fn copy_changes(&self, from: (i64, i64), to: (i64, i64), batches: i64) -> Result<(), Error> {
        let mut rows = self.from.prepare(
            "SELECT batch, before, after, undone, time FROM change WHERE document = ?1 AND reviewer = ?2 ORDER BY id",
        )?;
        let mut rows = rows.query([from.0, from.1])?;
        while let Some(row) = rows.next()? {
            let (batch, undone): (i64, bool) = (row.get(0)?, row.get(3)?);
            let (before, after, time): (String, String, String) = (row.get(1)?, row.get(2)?, row.get(4)?);
            self.all.execute(
                "INSERT INTO change (batch, document, reviewer, before, after, undone, time)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![batches + batch, to.0, to.1, before, after, undone, time],
            )?;
        }
        Ok(())
    }

    fn add_words(&mut self) -> Result<(), Error> {
        let mut rows = self.from.prepare("SELECT word, judgement, reviewer, time FROM word")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let (word, judgement): (String, String) = (row.get(0)?, row.get(1)?);
            let (reviewer, time): (i64, String) = (row.get(2)?, row.get(3)?);
            let reviewer = self.reviewers.get(&reviewer).copied().unwrap_or(0);
            let ours: Option<String> = self
                .all
                .query_row("SELECT judgement FROM word WHERE word = ?1", [&word], |row| row.get(0))
                .optional()?;
            if ours.as_ref().is_some_and(|ours| *ours != judgement) {
                self.merged.words_refused += 1;
            }
            if ours.is_none()
                || (judgement == taire::Judgement::Refuse.key() && ours.as_ref() != Some(&judgement))
            {
                self.all.execute(
                    "INSERT OR REPLACE INTO word VALUES (?1, ?2, ?3, ?4)",
                    params![word, judgement, reviewer, time],
                )?;
            }
        }
        Ok(())
    }

    fn add_refused(&self) -> Result<(), Error> {
        let mut rows = self.from.prepare("SELECT name, why FROM refused")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let (name, why): (String, String) = (row.get(0)?, row.get(1)?);
            self.all.execute(
                "INSERT INTO refused SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM refused WHERE name = ?1)",
                [name, why],
            )?;
        }
        Ok(())
    }
}

fn annotation(file: &Connection, document: i64, reviewer: i64) -> Result<Option<Annotation>, Error> {
    let mut ask = file.prepare(
        "SELECT version, accepted, marks, time, settles FROM annotation WHERE document = ?1 AND reviewer = ?2",
    )?;
    let row = ask.query_row([document, reviewer], |row| {
        Ok(Annotation {
            version: row.get(0)?,
            accepted: row.get(1)?,
            marks: row.get(2)?,
            time: row.get(3)?,
            settles: row.get(4)?,
        })
    });
    Ok(row.optional()?)
}
