//! Documents: taken in once, searched by the detectors in the background, read by everybody.

use std::sync::Arc;

use jiff::civil::Date;
use rusqlite::{OptionalExtension, Row, params};
use taire::batch::stable_hash;
use taire_formats::{Document, Refusal, Setting};
use taire_text::{Given, KnownIdentity, Label, Language, Note, PatientId, Role, Span};

use super::Store;
use crate::Error;
use crate::findings::StoredFindings;
use crate::problem::Problem;

/// A document on its way in.
pub(crate) struct Incoming {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) patient: Option<PatientId>,
    pub(crate) date: Option<Date>,
    pub(crate) language: Option<Language>,
    pub(crate) known: Option<Arc<KnownIdentity>>,
    pub(crate) given: Vec<Given>,
}

impl From<Document> for Incoming {
    fn from(document: Document) -> Incoming {
        Incoming {
            patient: document.patient_id().cloned(),
            name: document.id,
            text: document.text,
            date: document.date,
            language: document.language,
            known: document.known,
            given: document.given,
        }
    }
}

type Field = (usize, usize, Option<Label>, Role);

/// Whether a document came in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taken {
    New,
    Known,
    /// Its text is not what reviewers worked on; that stays.
    Changed,
}

/// A document as it is kept.
pub(crate) struct Doc {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) patient: Option<String>,
    pub(crate) date: Option<Date>,
    pub(crate) language: Option<Language>,
    known: Option<String>,
    given: String,
    pub(crate) findings: Option<String>,
    /// Why nothing could be found.
    pub(crate) failed: Option<String>,
    /// The language it was searched in.
    pub(crate) read_as: Option<Language>,
}

const COLUMNS: &str = "id, name, text, patient, date, language, known, given, findings, failed, read_as";

impl Doc {
    fn of(row: &Row<'_>) -> rusqlite::Result<Doc> {
        let date: Option<String> = row.get(4)?;
        let language: Option<String> = row.get(5)?;
        Ok(Doc {
            id: row.get(0)?,
            name: row.get(1)?,
            text: row.get(2)?,
            patient: row.get(3)?,
            date: date.and_then(|d| d.parse().ok()),
            language: language.and_then(|l| l.parse().ok()),
            known: row.get(6)?,
            given: row.get(7)?,
            findings: row.get(8)?,
            failed: row.get(9)?,
            read_as: row.get::<_, Option<String>>(10)?.and_then(|l| l.parse().ok()),
        })
    }

    pub(crate) fn found(&self) -> Result<StoredFindings, Error> {
        match &self.findings {
            Some(json) => Ok(serde_json::from_str(json)?),
            None => Ok(StoredFindings::default()),
        }
    }

    pub(crate) fn known(&self) -> Result<Option<Arc<KnownIdentity>>, Error> {
        let known = self.known.as_deref().map(serde_json::from_str::<KnownIdentity>).transpose()?;
        Ok(known.map(Arc::new))
    }

    /// The document as detectors and the rewriter take it.
    pub(crate) fn note(&self, forced: Option<Language>) -> Result<Note, Error> {
        Ok(self.as_read()?.into_note(forced)?)
    }

    /// The document as it was read.
    pub(crate) fn as_read(&self) -> Result<Document, Error> {
        let fields: Vec<Field> = serde_json::from_str(&self.given)?;
        let given = fields
            .into_iter()
            .filter(|(start, end, ..)| start <= end)
            .map(|(start, end, label, role)| Given { span: Span::new(start, end), label, role })
            .collect();
        Ok(Document {
            patient: self.patient.as_deref().and_then(PatientId::parse),
            date: self.date,
            language: self.language,
            known: self.known()?,
            given,
            ..Document::new(self.name.clone(), self.text.clone())
        })
    }
}

/// What was found in a document, or why nothing could be.
pub(crate) struct Outcome {
    pub(crate) document: i64,
    pub(crate) language: Option<Language>,
    pub(crate) found: Result<(StoredFindings, f32), Error>,
}

impl Store {
    /// Adds documents; a name identifies one.
    pub(crate) fn take(&self, documents: &[Incoming]) -> Result<Vec<Taken>, Error> {
        self.write(|all| {
            let mut seen = all.prepare(
                "SELECT id, print, EXISTS (SELECT 1 FROM annotation WHERE document = document.id)
                 FROM document WHERE name = ?1",
            )?;
            let mut add = all.prepare(
                "INSERT INTO document (name, patient, date, language, text, known, given, print)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            let mut replace = all.prepare(
                "UPDATE document SET patient = ?2, date = ?3, language = ?4, text = ?5, known = ?6, given = ?7,
                 print = ?8, revision = revision + 1, found_by = NULL, findings = NULL, doubt = NULL, spans = NULL,
                 failed = NULL WHERE name = ?1",
            )?;
            let mut out = Vec::with_capacity(documents.len());
            for d in documents {
                let known = d.known.as_ref().map(|k| serde_json::to_string(k.as_ref())).transpose()?;
                let field = |g: &Given| -> Field { (g.span.start(), g.span.end(), g.label, g.role) };
                let given = serde_json::to_string(&d.given.iter().map(field).collect::<Vec<_>>())?;
                let date = d.date.map(|d| d.to_string());
                let parts = [
                    d.text.as_str(),
                    d.patient.as_deref().unwrap_or_default(),
                    date.as_deref().unwrap_or_default(),
                    known.as_deref().unwrap_or_default(),
                    &given,
                ];
                let print = stable_hash(parts.iter().map(|p| p.as_bytes())) as i64;
                let before = seen
                    .query_row([&d.name], |row| Ok((row.get::<_, i64>(1)?, row.get::<_, bool>(2)?)))
                    .optional()?;
                let row = params![d.name, d.patient.as_deref(), date, d.language.map(Language::key), d.text, known, given, print];
                out.push(match before {
                    None => {
                        add.execute(row)?;
                        Taken::New
                    }
                    Some((same, _)) if same == print => Taken::Known,
                    Some((_, true)) => Taken::Changed,
                    Some((_, false)) => {
                        replace.execute(row)?;
                        Taken::New
                    }
                });
            }
            Ok(out)
        })
    }

    /// What could not be read this time.
    pub(crate) fn refuse(&self, refused: &[Refusal]) -> Result<(), Error> {
        self.write(|all| {
            all.execute("DELETE FROM refused", [])?;
            for refusal in refused {
                let why = refusal.why(Setting::neutral_name);
                all.execute("INSERT INTO refused VALUES (?1, ?2)", [&refusal.document, &why])?;
            }
            Ok(())
        })
    }

    pub(crate) fn refused(&self) -> Result<Vec<(String, String)>, Error> {
        let file = self.read();
        let mut ask = file.prepare(
            "SELECT name, why FROM refused UNION ALL SELECT name, failed FROM document WHERE failed IS NOT NULL
             ORDER BY name",
        )?;
        let rows = ask.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(crate) fn document(&self, id: i64) -> Result<Doc, Problem> {
        let ask = format!("SELECT {COLUMNS} FROM document WHERE id = ?1");
        let found = self.read().query_row(&ask, [id], Doc::of).optional()?;
        found.ok_or_else(Problem::nothing_there)
    }

    /// Documents that these settings have not searched yet.
    pub(crate) fn waiting(&self, found_by: i64) -> Result<Vec<i64>, Error> {
        let file = self.read();
        let mut ask = file.prepare("SELECT id FROM document WHERE found_by IS NOT ?1 ORDER BY id")?;
        let rows = ask.query_map([found_by], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Documents of one patient, or of nobody, in the order they came.
    pub(crate) fn of_patient(&self, patient: &str) -> Result<Vec<i64>, Error> {
        let file = self.read();
        let mut ask = file.prepare("SELECT id FROM document WHERE patient = ?1 ORDER BY id")?;
        let rows = ask.query_map([patient], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Documents of patients that have several.
    pub(crate) fn in_records(&self) -> Result<Vec<i64>, Error> {
        let file = self.read();
        let mut ask = file.prepare(
            "SELECT id FROM document WHERE patient IN
             (SELECT patient FROM document WHERE patient IS NOT NULL GROUP BY patient HAVING COUNT(*) > 1) ORDER BY id",
        )?;
        let rows = ask.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Keeps what was found. Marks of reviewers stay as they are.
    pub(crate) fn keep_found(&self, found_by: i64, outcomes: &[Outcome]) -> Result<(), Error> {
        self.write(|all| {
            let mut clear = all.prepare("DELETE FROM mark WHERE document = ?1")?;
            let mut add = all.prepare("INSERT INTO mark VALUES (?1, ?2, ?3, ?4)")?;
            let mut set = all.prepare(
                "UPDATE document SET revision = revision + 1, found_by = ?2, findings = ?3, doubt = ?4, spans = ?5,
                 failed = ?6, read_as = ?7 WHERE id = ?1 AND found_by IS NOT ?2",
            )?;
            for outcome in outcomes {
                let id = outcome.document;
                let language = outcome.language.map(Language::key);
                let changed = match &outcome.found {
                    Ok((found, doubt)) => {
                        let json = serde_json::to_string(found)?;
                        let spans = found.spans.len() as i64;
                        let none: Option<&str> = None;
                        set.execute(params![id, found_by, json, f64::from(*doubt), spans, none, language])?
                    }
                    Err(why) => {
                        let none: Option<&str> = None;
                        set.execute(params![id, found_by, none, 1.0, 0, why.to_string(), language])?
                    }
                };
                if changed == 0 {
                    continue;
                }
                clear.execute([id])?;
                if let Ok((found, _)) = &outcome.found {
                    for span in &found.spans {
                        let sources = format!(",{},", span.sources.join(","));
                        add.execute(params![id, span.label.name(), sources, f64::from(span.score)])?;
                    }
                }
            }
            Ok(())
        })
    }
}
