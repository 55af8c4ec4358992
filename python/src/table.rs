//! Record batches of Arrow: which columns are read, and the batches that come out.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_pyarrow::PyArrowType;
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use taire::run::{Item, PatientRecords};
use taire::{Error, IdKind, Policy, Treated};
use taire_formats::{BatchTable, BatchWriter, NewFields, ReadOptions};
use taire_text::Language;

use crate::raise_error;
use crate::records::SealedRecords;
use crate::work::{Opened, Worker};

/// A batch that comes out is ended at so many rows or so much text.
const BATCH_ROWS: usize = 8192;
const BATCH_BYTES: usize = 64 << 20;
/// Where the reason of a refusal goes, if rows are kept for it.
const REFUSED: &str = "taire_refused";

/// The columns of a table, by their names.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
pub(crate) struct Columns {
    text: Option<String>,
    id: Option<String>,
    patient: Option<String>,
    date: Option<String>,
    visit: Option<String>,
    keep: Vec<String>,
}

/// A table and what becomes of its columns.
pub(crate) struct Plan {
    table: BatchTable,
    keeps_refused: bool,
}

impl Plan {
    pub(crate) fn new<'a>(
        schema: &Schema,
        columns: Columns,
        policies: impl Iterator<Item = &'a Policy>,
        keeps_refused: bool,
    ) -> Result<Self, Error> {
        if let Some(name) = columns.keep.iter().find(|name| schema.field_with_name(name).is_err()) {
            return Err(Error::usage(format!("`keep`: there is no column `{name}`")));
        }
        let mut keep_columns = columns.keep;
        keep_columns.extend(policies.flat_map(|p| p.keep_columns.iter().cloned()));
        let options = ReadOptions {
            text_column: columns.text,
            id_column: columns.id,
            patient_column: columns.patient,
            date_column: columns.date,
            visit_column: columns.visit,
            keep_columns,
            ..ReadOptions::default()
        };
        let table = BatchTable::new(schema, &options)?;
        if keeps_refused && table.written().field_with_name(REFUSED).is_ok() {
            return Err(Error::usage(format!("a column `{REFUSED}` is there already; leave it out")));
        }
        Ok(Plan { table, keeps_refused })
    }

    fn schema(&self) -> Arc<Schema> {
        let written = self.table.written();
        if !self.keeps_refused {
            return written;
        }
        let mut fields: Vec<_> = written.fields().iter().cloned().collect();
        fields.push(Arc::new(Field::new(REFUSED, DataType::Utf8, true)));
        Arc::new(Schema::new(fields))
    }

    /// The documents of all batches.
    fn items<'w>(
        &self,
        worker: &'w Worker,
        batches: &[RecordBatch],
    ) -> Result<impl Iterator<Item = Item> + Send + use<'w>, Error> {
        let rows = batches.iter().map(|batch| self.table.read(batch));
        let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
        Ok(rows.into_iter().flatten().map(|row| worker.named(row)))
    }

    /// What is certain of every patient.
    pub(crate) fn partial_reading(&self, worker: &Worker, batches: &[RecordBatch]) -> Result<SealedRecords, Error> {
        worker.partial_reading(self.items(worker, batches)?)
    }

    pub(crate) fn deid(
        &self,
        worker: &Worker,
        batches: &[RecordBatch],
        records: Option<&SealedRecords>,
    ) -> Result<Vec<RecordBatch>, Error> {
        let (opened, own);
        let records: &dyn PatientRecords = match records {
            Some(records) => {
                opened = Opened { records, sealer: &worker.sealer };
                &opened
            }
            None => {
                drop(self.items(worker, batches)?);
                own = worker.first_reading(|| self.items(worker, batches).into_iter().flatten())?;
                &own
            }
        };
        let (mut out, mut row) = (Vec::new(), 0usize);
        let mut writer = self.table.writer();
        let mut reasons = StringBuilder::new();
        worker.deid().each(self.items(worker, batches)?, records, |document, treated| {
            let written = treated.and_then(|Treated { done, spans, .. }| {
                let text = document.written_text(&done.text, &spans)?.into_owned();
                Ok((text, done))
            });
            match written {
                Ok((text, done)) => {
                    let (patient, visit) = (done.patient.as_deref(), done.visit.as_deref());
                    let new = NewFields { id: &done.id, patient, visit, date: done.date };
                    writer.push(&document, Some(&text), &new)?;
                    reasons.append_null();
                }
                Err(error) if self.keeps_refused => {
                    let id = worker.engine.join_key(Language::Fr, IdKind::Document, &document.id);
                    let new = NewFields { id: &id.unwrap_or_default(), ..NewFields::default() };
                    writer.push(&document, None, &new)?;
                    reasons.append_value(error.to_string());
                }
                Err(error) => return Err(error.prefixed(&format!("row {row}: "))),
            }
            row += 1;
            if writer.rows() >= BATCH_ROWS || writer.bytes() >= BATCH_BYTES {
                out.push(self.batch(&mut writer, &mut reasons)?);
            }
            Ok(())
        })?;
        if writer.rows() > 0 || out.is_empty() {
            out.push(self.batch(&mut writer, &mut reasons)?);
        }
        Ok(out)
    }

    fn batch(&self, writer: &mut BatchWriter, reasons: &mut StringBuilder) -> Result<RecordBatch, Error> {
        let batch = writer.take()?;
        let reasons: ArrayRef = Arc::new(reasons.finish());
        if !self.keeps_refused {
            return Ok(batch);
        }
        let mut columns = batch.columns().to_vec();
        columns.push(reasons);
        RecordBatch::try_new(self.schema(), columns)
            .map_err(|_| Error::usage("the columns do not fit together"))
    }
}

/// What a driver has to know of a table before any worker starts: the columns to send, those that come back, and whether
/// the policy looks for what is certain of a patient in all documents.
#[pyfunction]
pub(crate) fn plan(
    schema: PyArrowType<Schema>,
    columns: Columns,
    policy: Option<&str>,
    keeps_refused: bool,
) -> PyResult<(Vec<String>, PyArrowType<Schema>, bool)> {
    let policies = match policy {
        Some(policy) => vec![Policy::load(policy)],
        None => Language::ALL.iter().map(|language| Policy::shipped(language.key())).collect(),
    };
    let policies: Vec<Policy> = policies.into_iter().collect::<Result<_, _>>().map_err(raise_error)?;
    let plan = Plan::new(&schema.0, columns, policies.iter(), keeps_refused).map_err(raise_error)?;
    let read = plan.table.read_columns(&schema.0).into_iter().map(str::to_owned).collect();
    let written = plan.schema().as_ref().clone();
    Ok((read, PyArrowType(written), policies.iter().any(Policy::trusts_record)))
}
