//! What a document becomes with the marks it has now, and which people of a record get which invented names.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use taire::Deidentified;
use taire_text::{Label, Role};

use crate::app::App;
use crate::mark::shown;
use crate::problem::Problem;
use crate::store::Doc;

/// Documents of one record that are rewritten to show its identities.
const MOST_DOCUMENTS: usize = 200;

fn rewrite(app: &App, document: &Doc, reviewer: i64) -> Result<Deidentified, Problem> {
    let engine = app.engine()?;
    let marks = app.store.reviewed(document.id, reviewer)?.marks;
    let entities = document.found()?.entities(&marks);
    let note = document.note(engine.language().or(document.read_as))?;
    engine.rewrite(note, entities).map_err(|e| Problem::cannot("not_rewritten", e.to_string()))
}

/// The new text, and which stretch of it replaces which of the old one.
pub(crate) fn after(app: &App, id: i64, reviewer: i64) -> Result<Value, Problem> {
    let document = app.store.document(id)?;
    let done = rewrite(app, &document, reviewer)?;
    let new = shown(&done.text, done.written.iter().map(|w| w.range.clone()));
    let old = shown(&document.text, done.written.iter().map(|w| done.entities[w.entity].span.range()));
    let spans: Vec<Value> = done
        .written
        .iter()
        .zip(new.iter().zip(&old))
        .map(|(w, (new, old))| {
            json!({"start": new.0, "end": new.1, "from": old.0, "to": old.1, "label": done.entities[w.entity].label})
        })
        .collect();
    Ok(json!({"text": done.text, "spans": spans, "tags": done.fallbacks.len()}))
}

#[derive(Default)]
struct Person {
    count: usize,
    surrogates: BTreeSet<String>,
    documents: BTreeSet<i64>,
}

/// Everything marked in the record of a document's patient, with what replaces it; the document alone where no patient
/// is known.
pub(crate) fn record(app: &App, id: i64, reviewer: i64) -> Result<Value, Problem> {
    let document = app.store.document(id)?;
    let all = match &document.patient {
        Some(patient) => app.store.of_patient(patient)?,
        None => vec![id],
    };
    let mut found: BTreeMap<(Label, Role, String), Person> = BTreeMap::new();
    let (mut read, mut unread) = (Vec::new(), 0);
    for &other in all.iter().take(MOST_DOCUMENTS) {
        let other = app.store.document(other)?;
        if other.findings.is_none() {
            unread += 1;
            continue;
        }
        let done = rewrite(app, &other, reviewer)?;
        for written in &done.written {
            let entity = &done.entities[written.entity];
            let text = other.text.get(entity.span.range()).unwrap_or_default();
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let person = found.entry((entity.label, entity.role, text)).or_default();
            person.count += 1;
            person.surrogates.insert(done.text.get(written.range.clone()).unwrap_or_default().to_owned());
            person.documents.insert(other.id);
        }
        read.push(json!({"id": other.id, "name": other.name}));
    }
    let rows: Vec<Value> = found
        .into_iter()
        .map(|((label, role, text), p)| {
            json!({"label": label, "role": role, "text": text, "count": p.count, "surrogates": p.surrogates,
                   "documents": p.documents.len()})
        })
        .collect();
    Ok(json!({
        "patient": document.patient, "known": document.known()?.as_deref(), "documents": read, "unread": unread,
        "left_out": all.len().saturating_sub(MOST_DOCUMENTS), "rows": rows,
    }))
}
