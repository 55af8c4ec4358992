//! Record batches of Arrow: which columns are read, and the batches that come out.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_pyarrow::PyArrowType;
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use taire::{Error, Policy};
use taire_formats::{BatchRow, BatchTable, BatchWriter, ReadOptions};
use taire_text::Language;

use crate::raise;
use crate::records::Records;
use crate::work::{Given, Task, Worker};

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
    keep: Vec<String>,
}

/// A table and what becomes of its columns.
pub(crate) struct Plan {
    table: BatchTable,
    keeps_refused: bool,
}

fn failed(error: taire_formats::Error) -> Error {
    // The words of the command line's options, as Python has them.
    let why = error.to_string();
    let named = [
        ("--text-column", "text"),
        ("--id-column", "id"),
        ("--patient-column", "patient"),
        ("--date-column", "date"),
    ];
    Error::new(named.iter().fold(why, |why, (option, name)| why.replace(option, &format!("`{name}`"))))
}

impl Plan {
    pub(crate) fn new<'a>(
        schema: &Schema,
        columns: Columns,
        policies: impl Iterator<Item = &'a Policy>,
        keeps_refused: bool,
    ) -> Result<Self, Error> {
        if let Some(name) = columns.keep.iter().find(|name| schema.field_with_name(name).is_err()) {
            return Err(Error::new(format!("`keep`: there is no column `{name}`")));
        }
        let mut keep_columns = columns.keep;
        keep_columns.extend(policies.flat_map(|p| p.keep_columns.iter().cloned()));
        let options = ReadOptions {
            text_column: columns.text,
            id_column: columns.id,
            patient_column: columns.patient,
            date_column: columns.date,
            keep_columns,
            ..ReadOptions::default()
        };
        let table = BatchTable::new(schema, &options).map_err(failed)?;
        if keeps_refused && table.written().field_with_name(REFUSED).is_ok() {
            return Err(Error::new(format!("a column `{REFUSED}` is there already; leave it out")));
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
    fn documents(
        &self,
        batches: &[RecordBatch],
    ) -> Result<impl Iterator<Item = Given> + Send + use<>, Error> {
        let rows = batches.iter().map(|batch| self.table.read(batch).map_err(failed));
        let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
        Ok(rows.into_iter().flatten().map(|BatchRow { document, refused }| Given { document, refused }))
    }

    /// What is certain of every patient.
    pub(crate) fn gather(&self, worker: &Worker, batches: &[RecordBatch]) -> Result<Records, Error> {
        worker.gather(self.documents(batches)?, |_| true)
    }

    pub(crate) fn deid(
        &self,
        worker: &Worker,
        batches: &[RecordBatch],
        records: Option<&Records>,
    ) -> Result<Vec<RecordBatch>, Error> {
        let own;
        let records = match records {
            Some(records) => records,
            None => {
                drop(self.documents(batches)?);
                own = worker.gather_repeated(|| self.documents(batches).into_iter().flatten())?;
                &own
            }
        };
        let (mut out, mut row) = (Vec::new(), 0usize);
        let mut writer = self.table.writer();
        let mut reasons = StringBuilder::new();
        worker.each(self.documents(batches)?, Task::Deid, records, |document, done| {
            match done {
                Ok(done) => {
                    writer
                        .push(&document, Some(&done.text), done.patient.as_deref(), done.date)
                        .map_err(failed)?;
                    reasons.append_null();
                }
                Err(error) if self.keeps_refused => {
                    writer.push(&document, None, None, None).map_err(failed)?;
                    reasons.append_value(error.to_string());
                }
                Err(error) => return Err(Error::new(format!("row {row}: {error}"))),
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
        let batch = writer.take().map_err(failed)?;
        let reasons: ArrayRef = Arc::new(reasons.finish());
        if !self.keeps_refused {
            return Ok(batch);
        }
        let mut columns = batch.columns().to_vec();
        columns.push(reasons);
        RecordBatch::try_new(self.schema(), columns)
            .map_err(|_| Error::new("the columns do not fit together"))
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
    let policies: Vec<Policy> = policies.into_iter().collect::<Result<_, _>>().map_err(raise)?;
    let plan = Plan::new(&schema.0, columns, policies.iter(), keeps_refused).map_err(raise)?;
    let read = plan.table.read_columns(&schema.0).into_iter().map(str::to_owned).collect();
    let written = plan.schema().as_ref().clone();
    Ok((read, PyArrowType(written), policies.iter().any(Policy::trusts_record)))
}
