//! Record batches that are in memory already, read and written as the rows of a Parquet file are: same columns, same
//! types, same values.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use taire_text::Note;

use super::Table;
use super::write::Batch;
use crate::document::{Place, Spot};
use crate::read::too_long;
use crate::table::{Columns, Read, Style};
use crate::{Document, Error, NewFields, ReadOptions, Reason};

/// A table that comes in record batches. Cells of text are copied once, into the document.
#[derive(Clone, Debug)]
pub struct BatchTable(Arc<Table>);

impl BatchTable {
    /// Gives each column its role, as in a file with these columns.
    pub fn new(schema: &Schema, options: &ReadOptions) -> Result<Self, Error> {
        let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
        let columns = Columns::new(names, b',', Style::default(), options).map_err(Error::usage)?;
        Ok(BatchTable(Arc::new(Table::new(columns, schema).map_err(Error::usage)?)))
    }

    /// The columns that come out.
    pub fn written(&self) -> SchemaRef {
        self.0.written.clone()
    }

    /// The names of the columns that are looked at.
    pub fn read_columns<'s>(&self, schema: &'s Schema) -> Vec<&'s str> {
        self.0.read.iter().map(|&i| schema.field(i).name().as_str()).collect()
    }

    /// The documents of a batch, in order. Rows without an id have an empty one; what cannot be read has no text, and the
    /// reason stands beside it.
    pub fn read(&self, batch: &RecordBatch) -> Result<impl Iterator<Item = BatchRow> + Send + use<>, Error> {
        let table = self.0.clone();
        let batch = batch.project(&table.read).map_err(|_| {
            Error::usage("a batch has other columns than the first one; give batches of one table")
        })?;
        let rest = table.rest(&batch);
        Ok((0..batch.num_rows()).map(move |row| {
            let read = table.document(&batch, &rest, row, String::new).and_then(|read| {
                let bytes = read.document.text.len();
                if bytes > Note::MAX_BYTES { Err(too_long(bytes as u64).into()) } else { Ok(read) }
            });
            match read {
                Ok(Read { mut document, known, .. }) => {
                    document.known = known.filter(|k| !k.is_empty()).map(Arc::new);
                    let known = || document.known.as_ref().and_then(|k| k.patient.clone());
                    document.patient = document.patient.take().or_else(known);
                    BatchRow { document, refused: None }
                }
                Err(why) => {
                    let mut document = Document::new("", "");
                    document.named_by_place = true;
                    let spot = Spot::Record {
                        date: Default::default(),
                        rest: rest.clone(),
                        row,
                        without_text: true,
                    };
                    document.place = Place(spot);
                    BatchRow { document, refused: Some(why) }
                }
            }
        }))
    }

    /// Collects treated documents into a batch.
    pub fn writer(&self) -> BatchWriter {
        BatchWriter { table: self.0.clone(), waiting: Batch::default() }
    }
}

/// A row as read.
#[derive(Debug)]
pub struct BatchRow {
    pub document: Document,
    /// Why it cannot be treated, if it cannot.
    pub refused: Option<Reason>,
}

/// Rows on their way out.
#[derive(Debug)]
pub struct BatchWriter {
    table: Arc<Table>,
    waiting: Batch,
}

impl BatchWriter {
    /// One document: its new text, and what stands for its fields.
    pub fn push(
        &mut self,
        document: &Document,
        text: Option<&str>,
        new: &NewFields<'_>,
    ) -> Result<(), Error> {
        self.waiting.push(document, text, new)
    }

    pub fn rows(&self) -> usize {
        self.waiting.rows()
    }

    /// Bytes of text that wait.
    pub fn bytes(&self) -> usize {
        self.waiting.bytes()
    }

    /// The rows since the last call.
    pub fn take(&mut self) -> Result<RecordBatch, Error> {
        let batch = std::mem::take(&mut self.waiting).batch(&self.table);
        batch.map_err(|()| {
            Error::usage("a column that is kept has a type that cannot be written; leave it out")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Date32Type, Int64Type};
    use arrow_array::{ArrayRef, Date32Array, Int32Array, LargeStringArray, StringArray};
    use jiff::civil::Date;

    fn batch() -> RecordBatch {
        let columns: [(&str, ArrayRef); 6] = [
            ("note_id", Arc::new(Int32Array::from(vec![1, 2, 3]))),
            ("person_id", Arc::new(Int32Array::from(vec![Some(7), None, Some(8)]))),
            ("note_date", Arc::new(Date32Array::from(vec![Some(0), Some(1), None]))),
            ("note_text", Arc::new(LargeStringArray::from(vec![Some("a"), None, Some("é")]))),
            ("family_name", Arc::new(StringArray::from(vec!["Kervadec", "", "Loiseleur"]))),
            ("ward", Arc::new(StringArray::from(vec!["A", "B", "C"]))),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    #[test]
    fn rows_of_a_batch_are_those_of_a_file() {
        let options = ReadOptions { keep_columns: vec!["ward".into()], ..Default::default() };
        let batch = batch();
        let table = BatchTable::new(&batch.schema(), &options).unwrap();
        let documents: Vec<Document> = table.read(&batch).unwrap().map(|row| row.document).collect();
        assert_eq!(documents[0].patient.as_deref(), Some("7"));
        assert_eq!((documents[2].text.as_str(), documents[2].id.as_str()), ("é", "3"));
        assert!(documents[0].known.is_some() && documents[1].known.is_none());
        let mut out = table.writer();
        let day = Some(Date::constant(1970, 1, 3));
        let new = |id, patient, date| NewFields { id, patient, visit: None, date };
        out.push(&documents[0], Some("x"), &new("4", Some("70"), day)).unwrap();
        out.push(&documents[1], Some(""), &new("5", None, day)).unwrap();
        out.push(&documents[2], None, &new("6", Some("80"), None)).unwrap();
        let written = out.take().unwrap();
        assert_eq!(written.schema(), table.written());
        let names: Vec<_> = written.schema().fields().iter().map(|f| f.name().clone()).collect();
        assert_eq!(names, ["note_id", "person_id", "note_date", "note_text", "ward"]);
        let ids: Vec<_> = written.column(0).as_primitive::<Int64Type>().iter().collect();
        assert_eq!(ids, [Some(4), Some(5), Some(6)]);
        let patients: Vec<_> = written.column(1).as_primitive::<Int64Type>().iter().collect();
        assert_eq!(patients, [Some(70), None, Some(80)]);
        let dates: Vec<_> = written.column(2).as_primitive::<Date32Type>().iter().collect();
        assert_eq!(dates, [Some(2), Some(2), None]);
        let texts: Vec<_> = written.column(3).as_string::<i32>().iter().collect();
        assert_eq!(texts, [Some("x"), None, None]);
        assert_eq!((out.rows(), out.take().unwrap().num_rows()), (0, 0));
    }

    #[test]
    fn wrong_columns_are_told() {
        let missing = ReadOptions { text_column: Some("letter".into()), ..Default::default() };
        let why = BatchTable::new(&batch().schema(), &missing).unwrap_err().to_string();
        assert!(why.contains("no column `letter`") && why.contains("`ward`"), "{why}");
        let numbers = ReadOptions { text_column: Some("note_id".into()), ..Default::default() };
        assert!(BatchTable::new(&batch().schema(), &numbers).is_err());
    }
}
