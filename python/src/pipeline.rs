//! The class behind `taire.Pipeline`: lists of texts and tables.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use arrow_schema::Schema;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use taire::run::Item;
use taire::{Engine, Error, SecretKey, Task};
use taire_formats::{
    Document, FinalSpan, Offsets, OutSpan, final_spans_from_json, from_bytes, known_from_json, read_date,
};
use taire_text::scheme::Scheme;
use taire_text::{KnownIdentity, Language, PatientId};

use crate::records::{SealedRecords, Sealer};
use crate::table::{Columns, Plan};
use crate::work::Worker;
use crate::{raise, raise_error};

/// A span as Python gets it: start, end, label, role, score, sources.
type Span = (usize, usize, String, Option<&'static str>, f64, Vec<&'static str>);

/// A treated document as Python gets it: text, spans, patient, date, doubt, id, and the plain text where the text is in
/// another form.
type Treated = (String, DocumentSpans, Option<String>, Option<String>, f64, Option<String>, Option<String>);

/// The spans of a document, made into Python's objects when they are asked for: many only want the text.
#[pyclass(module = "taire._taire", name = "Found", frozen)]
pub(crate) struct DocumentSpans(Vec<OutSpan>);

#[pymethods]
impl DocumentSpans {
    /// The spans in their text.
    #[pyo3(name = "in_text")]
    fn within(&self, text: &str) -> PyResult<Vec<Span>> {
        let bytes: Vec<usize> = self.0.iter().flat_map(|s| [s.start, s.end]).collect();
        if bytes.iter().any(|at| !text.is_char_boundary(*at)) {
            return Err(raise("these spans belong to another text"));
        }
        let points = from_bytes(text, Offsets::CodePoints, &bytes);
        let spans = self.0.iter().zip(points.chunks_exact(2)).map(|(span, at)| {
            let sources = span.sources.iter().map(|s| s.key()).collect();
            let role = span.role.map(|r| r.name());
            (at[0], at[1], span.label.clone().into_owned(), role, four_digits(span.score), sources)
        });
        Ok(spans.collect())
    }
}

#[pyclass(module = "taire._taire", frozen)]
pub(crate) struct Pipeline(Worker);

/// What comes with a text.
struct Beside {
    id: Option<String>,
    patient: Option<String>,
    date: Option<jiff::civil::Date>,
    known: Option<Arc<KnownIdentity>>,
    spans: Option<Vec<FinalSpan>>,
}

fn known(json: &str) -> Result<Arc<KnownIdentity>, Error> {
    let value = serde_json::from_str(json).map_err(|_| Error::usage("a known identity is no JSON object"))?;
    known_from_json(&value).map(Arc::new).map_err(|e| Error::usage(format!("known identity: {e}")))
}

/// Spans that are final, in JSON.
fn settled(text: &str, json: &str) -> Result<Vec<FinalSpan>, Error> {
    let value = serde_json::from_str(json).map_err(|_| Error::usage("`spans` are no list"))?;
    final_spans_from_json(text, &value)
}

fn day(text: &str) -> Result<jiff::civil::Date, Error> {
    read_date(text).ok_or_else(|| Error::usage("the date of a document must be such as 2020-02-12"))
}

/// The same figure as in the JSON of the command line.
fn four_digits(score: f32) -> f64 {
    f64::from((score.clamp(0.0, 1.0) * 1e4).round()) / 1e4
}

/// The new id is given where the document had one.
fn treated(document: &Document, task: Task, done: taire::Treated) -> Result<Treated, Error> {
    let taire::Treated { done, spans, .. } = done;
    let date = done.date.map(|d| d.to_string());
    let id = (!document.named_by_place).then_some(done.id);
    let doubt = four_digits(done.doubt.figure());
    if document.form.is_plain() || matches!(task, Task::Detect { .. }) {
        return Ok((done.text, DocumentSpans(spans), done.patient, date, doubt, id, None));
    }
    let text = document.written_text(&done.text, &spans)?.into_owned();
    Ok((text, DocumentSpans(spans), done.patient, date, doubt, id, Some(done.text)))
}

#[pymethods]
impl Pipeline {
    #[new]
    #[pyo3(signature = (policy, key, key_file, lang, words, jobs, refuse_below))]
    #[expect(clippy::too_many_arguments, reason = "the options of a run")]
    fn new(
        py: Python<'_>,
        policy: Option<String>,
        key: Option<&[u8]>,
        key_file: Option<PathBuf>,
        lang: Option<&str>,
        words: Vec<PathBuf>,
        jobs: Option<usize>,
        refuse_below: Option<f32>,
    ) -> PyResult<Self> {
        let key = match (key, key_file) {
            (Some(_), Some(_)) => return Err(raise("give `key` or `key_file`, not both")),
            (Some(bytes), None) => SecretKey::from_bytes(bytes),
            (None, Some(path)) => SecretKey::read(path),
            (None, None) => SecretKey::generate(),
        };
        let key = key.map_err(raise_error)?;
        let lang = lang.map(str::parse::<Language>).transpose().map_err(raise_error)?;
        if refuse_below.is_some_and(|below| !(0.0..=1.0).contains(&below)) {
            return Err(raise("`refuse_below` takes a number from 0 to 1, such as 0.6"));
        }
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = jobs.unwrap_or_else(cores).max(1);
        let worker = py.detach(|| {
            let engine = Engine::with_words(policy.as_deref(), &words, lang, Some(&key))?;
            let sealer = Sealer::new(key.clone(), &engine)?;
            Ok::<_, Error>(Worker { engine, sealer, key, jobs, refuse_below })
        });
        worker.map(Pipeline).map_err(raise_error)
    }

    /// Lists of the same length: texts, ids, patients, dates, known identities in JSON, final spans in JSON.
    #[pyo3(signature = (scheme, texts, ids, patients, dates, known_identities, final_spans))]
    #[expect(clippy::too_many_arguments, reason = "one list for each column")]
    fn many(
        &self,
        py: Python<'_>,
        scheme: Option<&str>,
        texts: Vec<Bound<'_, PyAny>>,
        ids: Vec<Option<String>>,
        patients: Vec<Option<String>>,
        dates: Vec<Option<String>>,
        known_identities: Vec<Option<String>>,
        final_spans: Vec<Option<String>>,
    ) -> PyResult<Vec<Treated>> {
        let task = match scheme {
            None => Task::Deid { refuse_below: self.0.refuse_below },
            Some(name) => Task::Detect { scheme: name.parse::<Scheme>().map_err(raise_error)? },
        };
        let lengths = [ids.len(), patients.len(), dates.len(), known_identities.len(), final_spans.len()];
        if lengths.iter().any(|n| *n != texts.len()) {
            return Err(raise("there are not as many ids, patients, dates, identities or lists of spans as texts"));
        }
        let texts = texts.iter().enumerate().map(|(i, text)| backed(i, text));
        let texts: Vec<PyBackedStr> = texts.collect::<PyResult<_>>()?;
        let mut beside = Vec::with_capacity(texts.len());
        for (i, ((((id, patient), date), of), spans)) in
            ids.into_iter().zip(patients).zip(dates).zip(known_identities).zip(final_spans).enumerate()
        {
            let wrong = |e: Error| raise_error(e.prefixed(&format!("document {i}: ")));
            let date = date.as_deref().map(day).transpose().map_err(wrong)?;
            let known = of.as_deref().map(known).transpose().map_err(wrong)?;
            let spans = spans.map(|json| settled(&texts[i], &json)).transpose().map_err(wrong)?;
            beside.push(Beside { id, patient, date, known, spans });
        }
        let worker = &self.0;
        py.detach(|| {
            let items = || texts.iter().zip(&beside).map(|given| worker.named(document(given)));
            let records = worker.first_reading(items).map_err(raise_error)?;
            let mut out = Vec::with_capacity(texts.len());
            worker.run(task).each(items(), &records, |document, done| {
                let row = out.len();
                let wrong = |e: Error| raise_error(e.prefixed(&format!("document {row}: ")));
                out.push(done.and_then(|done| treated(&document, task, done)).map_err(wrong)?);
                Ok::<_, PyErr>(())
            })?;
            Ok(out)
        })
    }

    /// The first reading of record batches: what is certain of each patient.
    fn gather(
        &self,
        py: Python<'_>,
        schema: PyArrowType<Schema>,
        batches: Vec<PyArrowType<RecordBatch>>,
        columns: Columns,
    ) -> PyResult<SealedRecords> {
        let batches: Vec<RecordBatch> = batches.into_iter().map(|b| b.0).collect();
        py.detach(|| {
            let plan = Plan::new(&schema.0, columns, self.0.engine.policies(), false)?;
            plan.partial_reading(&self.0, &batches)
        })
        .map_err(raise_error)
    }

    /// Record batches rewritten; without `records`, what is certain is gathered from these batches first.
    fn deid_batches(
        &self,
        py: Python<'_>,
        schema: PyArrowType<Schema>,
        batches: Vec<PyArrowType<RecordBatch>>,
        columns: Columns,
        records: Option<PyRef<'_, SealedRecords>>,
        keeps_refused: bool,
    ) -> PyResult<Vec<PyArrowType<RecordBatch>>> {
        let batches: Vec<RecordBatch> = batches.into_iter().map(|b| b.0).collect();
        let records = records.as_deref();
        let done = py.detach(|| {
            if let Some(records) = records {
                records.check(&self.0.sealer)?;
            }
            let plan = Plan::new(&schema.0, columns, self.0.engine.policies(), keeps_refused)?;
            plan.deid(&self.0, &batches, records)
        });
        Ok(done.map_err(raise_error)?.into_iter().map(PyArrowType).collect())
    }
}

/// The bytes of a text where Python holds them.
fn backed(index: usize, text: &Bound<'_, PyAny>) -> PyResult<PyBackedStr> {
    text.extract::<PyBackedStr>().map_err(|_| match text.is_instance_of::<pyo3::types::PyString>() {
        // Python's own error carries the text.
        true => raise(format!("document {index}: the text holds half a character (a lone surrogate)")),
        false => PyTypeError::new_err(format!("document {index} is no string")),
    })
}

fn document((text, beside): (&PyBackedStr, &Beside)) -> Item {
    let text: &str = text;
    let mut document = Document::new(beside.id.clone().unwrap_or_default(), text);
    document.patient = beside.patient.as_deref().and_then(PatientId::parse);
    document.date = beside.date;
    document.known.clone_from(&beside.known);
    document.final_spans.clone_from(&beside.spans);
    let refused = document.open_text().err();
    if refused.is_some() {
        document.text.clear();
    }
    Item { document, refused }
}
