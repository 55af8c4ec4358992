//! Each reviewer's marks: corrections, undoing them, accepting a document, settling what two saw differently.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};
use taire_text::Language;

use super::{Store, now};
use crate::Error;
use crate::edit::{self, Edit, RepeatedEdit};
use crate::findings::StoredFindings;
use crate::mark::{self, Mark};
use crate::problem::Problem;

/// Of a reviewer's marks on a document: from 1 on where they changed something, below where they start from what was
/// found, which may be found anew.
pub(crate) type Version = i64;

/// Marks of one reviewer on one document.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Reviewed {
    pub(crate) marks: Vec<Mark>,
    pub(crate) version: Version,
    pub(crate) accepted: bool,
    /// How many changes can be undone, and how many done again.
    pub(crate) undo: usize,
    pub(crate) redo: usize,
}

/// How far a correction goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Reach {
    Here,
    Document,
    Patient,
    Corpus,
}

/// What a change did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub(crate) struct Done {
    /// Places changed elsewhere in the same way, and documents they are in.
    pub(crate) places: usize,
    pub(crate) documents: usize,
    /// Accepted documents that are open again, because they changed.
    pub(crate) reopened: usize,
    /// Documents that were not read yet, so not looked at.
    pub(crate) unread: usize,
    /// Documents of an undone correction that were changed or accepted since, and stay.
    pub(crate) left: usize,
}

/// Two reviewers' versions of one document, and what holds instead of both.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Settlement {
    pub(crate) document: i64,
    pub(crate) versions: Vec<(i64, Version)>,
    pub(crate) marks: Vec<Mark>,
}

/// What is known of a document's marks over all who accepted it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Verdict {
    pub(crate) document: i64,
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) language: Option<Language>,
    pub(crate) found: StoredFindings,
    pub(crate) accepted: BTreeMap<i64, (Version, Vec<Mark>)>,
    pub(crate) settled: Option<Vec<Mark>>,
}

impl Verdict {
    /// The marks that hold; `None` while two reviewers differ.
    pub(crate) fn gold(&self) -> Option<&[Mark]> {
        if let Some(settled) = &self.settled {
            return Some(settled);
        }
        let mut all = self.accepted.values().map(|(_, marks)| marks);
        let first = all.next()?;
        all.all(|other| mark::alike(first, other)).then_some(first)
    }
}

/// A document as a change needs it.
struct Base {
    text: String,
    patient: Option<String>,
    reviewed: Reviewed,
}

fn base(file: &Connection, document: i64, reviewer: i64) -> Result<Base, Problem> {
    let row = file
        .query_row(
            "SELECT text, patient, revision, findings FROM document WHERE id = ?1",
            [document],
            |row| {
                let (text, patient): (String, Option<String>) = (row.get(0)?, row.get(1)?);
                Ok((text, patient, row.get::<_, i64>(2)?, row.get::<_, Option<String>>(3)?))
            },
        )
        .optional()?;
    let (text, patient, revision, findings) = row.ok_or_else(Problem::nothing_there)?;
    let reviewed = match kept(file, document, reviewer)? {
        Some(reviewed) => reviewed,
        None => {
            let found: StoredFindings = serde_json::from_str(&findings.ok_or_else(Problem::unread)?)?;
            Reviewed { marks: found.marks(), version: -revision, accepted: false, undo: 0, redo: 0 }
        }
    };
    Ok(Base { text, patient, reviewed })
}

fn kept(file: &Connection, document: i64, reviewer: i64) -> Result<Option<Reviewed>, Problem> {
    let mut ask = file
        .prepare("SELECT marks, version, accepted FROM annotation WHERE document = ?1 AND reviewer = ?2")?;
    let row = ask
        .query_row([document, reviewer], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, bool>(2)?))
        })
        .optional()?;
    let Some((marks, version, accepted)) = row else { return Ok(None) };
    let mut count =
        file.prepare("SELECT COUNT(*) FROM change WHERE document = ?1 AND reviewer = ?2 AND undone = ?3")?;
    let mut changes = |undone: i64| -> rusqlite::Result<usize> {
        count.query_row([document, reviewer, undone], |row| row.get::<_, i64>(0)).map(|n| n as usize)
    };
    let (undo, redo) = (changes(0)?, changes(1)?);
    Ok(Some(Reviewed { marks: serde_json::from_str(&marks)?, version, accepted, undo, redo }))
}

fn save(
    all: &Transaction<'_>,
    document: i64,
    reviewer: i64,
    version: Version,
    accepted: bool,
    marks: &[Mark],
) -> Result<(), Problem> {
    all.prepare(
        "INSERT INTO annotation (document, reviewer, version, accepted, marks, time) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (document, reviewer) DO UPDATE SET version = ?3, accepted = ?4, marks = ?5, time = ?6",
    )?
    .execute(params![document, reviewer, version, accepted, serde_json::to_string(marks)?, now()])?;
    Ok(())
}

/// Notes how to undo a correction; what was taken back before it cannot be done again.
fn log(
    all: &Transaction<'_>,
    document: i64,
    reviewer: i64,
    batch: i64,
    before: &[Mark],
    after: &[Mark],
) -> Result<(), Problem> {
    all.prepare("DELETE FROM change WHERE document = ?1 AND reviewer = ?2 AND undone = 1")?
        .execute([document, reviewer])?;
    let (old, new) = (serde_json::to_string(before)?, serde_json::to_string(after)?);
    all.prepare(
        "INSERT INTO change (batch, document, reviewer, before, after, time) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![batch, document, reviewer, old, new, now()])?;
    Ok(())
}

/// Saves a correction.
fn change(
    all: &Transaction<'_>,
    document: i64,
    reviewer: i64,
    batch: i64,
    before: &Reviewed,
    after: &[Mark],
) -> Result<(), Problem> {
    log(all, document, reviewer, batch, &before.marks, after)?;
    save(all, document, reviewer, before.version.max(0) + 1, false, after)
}

impl Store {
    /// A reviewer's marks, or what was found where they changed nothing.
    pub(crate) fn reviewed(&self, document: i64, reviewer: i64) -> Result<Reviewed, Problem> {
        Ok(base(&self.read(), document, reviewer)?.reviewed)
    }

    /// Makes a correction on the version it was made for, and the same as far as it reaches.
    pub(crate) fn edit(
        &self,
        document: i64,
        reviewer: i64,
        version: Version,
        edit: &Edit,
        reach: Reach,
    ) -> Result<Done, Problem> {
        self.write(|all| {
            let here = base(all, document, reviewer)?;
            if here.reviewed.version != version {
                return Err(Problem::stale());
            }
            let (mut marks, again) = edit::apply_edit(&here.text, &here.reviewed.marks, edit)?;
            let mut done = Done::default();
            if reach != Reach::Here {
                let (more, places) = edit::repeat_edit(&here.text, &marks, &again);
                (marks, done.places) = (more, places);
            }
            mark::check(&here.text, &marks)?;
            let batch: i64 =
                all.query_row("SELECT COALESCE(MAX(batch), 0) + 1 FROM change", [], |row| row.get(0))?;
            if marks != here.reviewed.marks {
                change(all, document, reviewer, batch, &here.reviewed, &marks)?;
                done.documents = 1;
                done.reopened = usize::from(here.reviewed.accepted);
            }
            for other in reached(all, document, here.patient.as_deref(), reach, &again, &mut done)? {
                let there = base(all, other, reviewer)?;
                let (marks, places) = edit::repeat_edit(&there.text, &there.reviewed.marks, &again);
                if places == 0 {
                    continue;
                }
                mark::check(&there.text, &marks)?;
                change(all, other, reviewer, batch, &there.reviewed, &marks)?;
                done.places += places;
                done.documents += 1;
                done.reopened += usize::from(there.reviewed.accepted);
            }
            if done.documents == 0 {
                return Err(Problem::cannot("same", "this is marked so already, as far as was asked"));
            }
            if marks == here.reviewed.marks {
                // So that it can be taken back from where it was asked for.
                log(all, document, reviewer, batch, &marks, &marks)?;
                let Reviewed { version, accepted, .. } = here.reviewed;
                save(all, document, reviewer, version.max(0) + 1, accepted, &marks)?;
            }
            Ok(done)
        })
    }

    /// Takes the last correction of a document back, or makes the one that was taken back again; wherever it reached,
    /// unless a document was changed or accepted since.
    pub(crate) fn undo(
        &self,
        document: i64,
        reviewer: i64,
        version: Version,
        again: bool,
    ) -> Result<Done, Problem> {
        let next = match again {
            false => {
                "SELECT id, batch FROM change WHERE document = ?1 AND reviewer = ?2 AND undone = 0
                      ORDER BY id DESC LIMIT 1"
            }
            true => {
                "SELECT id, batch FROM change WHERE document = ?1 AND reviewer = ?2 AND undone = 1
                     ORDER BY id LIMIT 1"
            }
        };
        self.write(|all| {
            if base(all, document, reviewer)?.reviewed.version != version {
                return Err(Problem::stale());
            }
            let top = |document: i64| -> Result<Option<(i64, i64)>, Problem> {
                let mut ask = all.prepare(next)?;
                let row = ask.query_row([document, reviewer], |row| Ok((row.get(0)?, row.get(1)?)));
                Ok(row.optional()?)
            };
            let nothing =
                || Problem::cannot("no_change", "there is no change of this document left to take back");
            let (_, batch) = top(document)?.ok_or_else(nothing)?;
            let rows: Vec<(i64, i64, String, String)> = {
                let mut ask = all.prepare(
                    "SELECT id, document, before, after FROM change
                     WHERE batch = ?1 AND reviewer = ?2 AND undone = ?3 ORDER BY id",
                )?;
                let rows = ask.query_map(params![batch, reviewer, again], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                })?;
                rows.collect::<Result<_, _>>()?
            };
            let mut done = Done::default();
            for (id, other, before, after) in rows {
                let there = base(all, other, reviewer)?.reviewed;
                let (from, to) = if again { (before, after) } else { (after, before) };
                let from: Vec<Mark> = serde_json::from_str(&from)?;
                let is_last = top(other)?.is_some_and(|(last, _)| last == id);
                let accepted = there.accepted && other != document;
                if !is_last || accepted || there.marks != from {
                    done.left += 1;
                    continue;
                }
                let to: Vec<Mark> = serde_json::from_str(&to)?;
                save(all, other, reviewer, there.version + 1, there.accepted && to == from, &to)?;
                all.execute("UPDATE change SET undone = ?2 WHERE id = ?1", params![id, !again])?;
                done.documents += usize::from(to != from);
                done.reopened += usize::from(there.accepted && to != from);
            }
            Ok(done)
        })
    }

    /// Accepts a document as it is, or opens it again.
    pub(crate) fn accept(
        &self,
        document: i64,
        reviewer: i64,
        version: Version,
        accepted: bool,
    ) -> Result<(), Problem> {
        self.write(|all| {
            let here = base(all, document, reviewer)?.reviewed;
            if here.version != version {
                return Err(Problem::stale());
            }
            save(all, document, reviewer, here.version.max(0) + 1, accepted, &here.marks)
        })
    }

    /// Keeps what holds where two reviewers differ, if neither has changed since.
    pub(crate) fn settle(&self, settlement: &Settlement) -> Result<(), Problem> {
        let Settlement { document, versions, marks } = settlement;
        self.write(|all| {
            let text: Option<String> = all
                .query_row("SELECT text FROM document WHERE id = ?1", [document], |row| row.get(0))
                .optional()?;
            mark::check(&text.ok_or_else(Problem::nothing_there)?, marks)?;
            for &(reviewer, version) in versions {
                let there = kept(all, *document, reviewer)?;
                if there.is_none_or(|r| r.version != version || !r.accepted) {
                    return Err(Problem::stale());
                }
            }
            let before = kept(all, *document, 0)?.map_or(0, |r| r.version);
            save(all, *document, 0, before + 1, true, marks)?;
            let settles: BTreeMap<i64, Version> = versions.iter().copied().collect();
            all.execute(
                "UPDATE annotation SET settles = ?2 WHERE document = ?1 AND reviewer = 0",
                params![document, serde_json::to_string(&settles)?],
            )?;
            Ok(())
        })
    }

    /// Every document that somebody accepted, in order, one at a time.
    pub(crate) fn verdicts(&self, mut each: impl FnMut(Verdict) -> Result<(), Error>) -> Result<(), Error> {
        let ids: Vec<i64> = {
            let file = self.read();
            let mut ask = file.prepare(
                "SELECT DISTINCT document FROM annotation WHERE accepted = 1 AND reviewer > 0 ORDER BY document",
            )?;
            let rows = ask.query_map([], |row| row.get(0))?;
            rows.collect::<Result<_, _>>()?
        };
        for id in ids {
            if let Some(verdict) = self.verdict(id)? {
                each(verdict)?;
            }
        }
        Ok(())
    }

    pub(crate) fn verdict(&self, document: i64) -> Result<Option<Verdict>, Error> {
        let Ok(doc) = self.document(document) else { return Ok(None) };
        let file = self.read();
        let mut ask = file.prepare(
            "SELECT reviewer, version, marks, settles FROM annotation WHERE document = ?1 AND accepted = 1
             ORDER BY reviewer",
        )?;
        let rows = ask.query_map([document], |row| {
            let (reviewer, version): (i64, Version) = (row.get(0)?, row.get(1)?);
            Ok((reviewer, version, row.get::<_, String>(2)?, row.get::<_, Option<String>>(3)?))
        })?;
        let mut accepted = BTreeMap::new();
        let mut settlement = None;
        for row in rows {
            let (reviewer, version, marks, settles) = row?;
            let marks: Vec<Mark> = serde_json::from_str(&marks)?;
            match reviewer {
                0 => settlement = Some((marks, settles.unwrap_or_default())),
                _ => drop(accepted.insert(reviewer, (version, marks))),
            }
        }
        if accepted.is_empty() {
            return Ok(None);
        }
        let versions: BTreeMap<i64, Version> = accepted.iter().map(|(&r, &(v, _))| (r, v)).collect();
        let holds = |settles: &str| {
            serde_json::from_str::<BTreeMap<i64, Version>>(settles).is_ok_and(|settled| settled == versions)
        };
        let settled = settlement.filter(|(_, settles)| holds(settles)).map(|(marks, _)| marks);
        let language = doc.read_as.or(doc.language);
        let found = doc.found()?;
        Ok(Some(Verdict { document, name: doc.name, text: doc.text, language, found, accepted, settled }))
    }
}

/// Other documents a correction concerns.
fn reached(
    all: &Transaction<'_>,
    document: i64,
    patient: Option<&str>,
    reach: Reach,
    again: &RepeatedEdit,
    done: &mut Done,
) -> Result<Vec<i64>, Problem> {
    let patient = match (reach, patient) {
        (Reach::Here | Reach::Document, _) | (Reach::Patient, None) => return Ok(Vec::new()),
        (Reach::Patient, patient) => patient,
        (Reach::Corpus, _) => None,
    };
    let unread: i64 = all.query_row(
        "SELECT COUNT(*) FROM document WHERE findings IS NULL AND failed IS NULL AND (?1 IS NULL OR patient = ?1)",
        [patient],
        |row| row.get(0),
    )?;
    done.unread = unread as usize;
    let mut ask = all.prepare(
        "SELECT id FROM document WHERE id <> ?1 AND findings IS NOT NULL AND (?2 IS NULL OR patient = ?2)
         AND instr(text, ?3) > 0 ORDER BY id",
    )?;
    let rows = ask.query_map(params![document, patient, again.needle()], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
